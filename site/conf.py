# SPDX-License-Identifier: MIT
"""Sphinx's settings; ci/site.sh runs it on the pages that pages.py writes."""
import os

project = "Crosslane"
copyright = "the Crosslane authors, MIT licence"
with open(os.path.dirname(__file__) + "/../CITATION.cff", encoding="utf-8") as citation:
    release = next(line.split()[1].strip('"') for line in citation if line.startswith("version:"))
extensions = ["breathe", "myst_parser"]
html_theme = "furo"
html_title = f"Crosslane {release}"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["static"]
html_css_files = ["site.css"]
highlight_language = "none"
myst_heading_anchors = 4
breathe_projects = {"crosslane": os.environ["CROSSLANE_SITE_XML"]}
breathe_default_project = "crosslane"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
c_id_attributes = ["XL_API", "XL_NODISCARD"]
breathe_show_enumvalue_initializer = True
breathe_show_define_initializer = True
