#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: site/pages.py FOLDER

Writes the pages of the site to FOLDER, which has the layout of the source tree: README.md as index.md,
docs, examples, a page for each public header, and a page for each file to which a page links. Links
are rewritten to these. A link to a file that does not exist is an error.
"""
import os
import pathlib
import re
import shutil
import sys

OUT = pathlib.Path(sys.argv[1])
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\((?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?\)")
LEXERS = {".c": "c", ".cl": "c", ".h": "c", ".cpp": "cpp", ".hpp": "cpp", ".f90": "fortran"}
EXCLUDED = ["docs/notebook.md"]

headers = sorted([*pathlib.Path("include/crosslane").glob("*.h*"), *pathlib.Path("mpi/include/crosslane").glob("*.h")],
                 key=lambda path: path.name)
pages = {path: path for path in sorted(map(str, pathlib.Path("docs").glob("*.md"))) if path not in EXCLUDED}
pages |= {path: path for path in ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "adoption/README.md", "examples/README.md"]}
pages |= {str(path): str(path) for path in sorted(pathlib.Path("examples").glob("*/README.md"))}
pages |= {"README.md": "index.md", "site/reference.md": "reference/index.md", "site/sources.md": "sources.md"}
sources = {}  # files that have a page of their own, and the name of the page
errors = []


def write(name, text):
    (OUT / name).parent.mkdir(parents=True, exist_ok=True)
    (OUT / name).write_text(text, encoding="utf-8")


def source(path):
    """The page of a file."""
    sources[path] = f"files/{path}.md"
    return sources[path]


def target(path):
    """The page of a file or folder of the source tree."""
    if path in pages:
        return pages[path]
    if path.startswith(("include/crosslane/", "mpi/include/crosslane/")):
        return f"reference/{path.rpartition('/')[2]}.rst"
    if os.path.isfile(f"{path}/README.md"):
        return target(f"{path}/README.md")
    if os.path.isdir(path):
        for file in sorted(os.listdir(path)):
            if os.path.isfile(f"{path}/{file}"):
                source(f"{path}/{file}")
        return "sources.md"
    return source(path)


def rewrite(path, text):
    """The text of the file `path` with its links changed to the site's pages."""
    # The site's own pages are written as if they lay where they are published.
    here, folder = pages[path], os.path.dirname(pages[path] if path.startswith("site/") else path)

    def link(match):
        image, label, goal, anchor = match.groups()
        goal = os.path.normpath(os.path.join(folder, goal))
        if not os.path.exists(goal) or goal in EXCLUDED:
            errors.append(f"{path}: links to {goal}, which is not there")
            return match[0]
        if image:
            (OUT / goal).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(goal, OUT / goal)
        else:
            goal = target(goal)
        return f"{image}[{label}]({os.path.relpath(goal, os.path.dirname(here) or '.')}{anchor or ''})"

    parts = re.split(r"(^```.*?^```$|^    [^\n]*$)", text, flags=re.M | re.S)
    return "".join(part if i % 2 else LINK.sub(link, part) for i, part in enumerate(parts))


def toctree(names):
    return "\n```{toctree}\n:maxdepth: 1\n" + "\n".join(names) + "\n```\n"


for program in sorted(pathlib.Path("examples").glob("*.c*")):
    source(str(program))
texts = {path: rewrite(path, pathlib.Path(path).read_text(encoding="utf-8")) for path in pages}
texts["README.md"] += "\n" + pathlib.Path("site/contents.md").read_text(encoding="utf-8")
for path in headers:
    text = re.sub(r"\s*\n \*\s*", " ", path.read_text(encoding="utf-8").split("\n", 1)[1])
    texts["site/reference.md"] += f"- [{path.name}]({path.name}.rst): {re.split('[.] |[*]/', text)[0].strip(' *.')}.\n"
texts["site/reference.md"] += toctree([":hidden:", "", *(path.name for path in headers)])
files = sorted(name[:-3] for name in sources.values())
texts["site/sources.md"] += toctree(["", *(name for name in files if not name.startswith("files/examples/"))])
texts["examples/README.md"] += toctree([":hidden:", "", "10_flip/README", *(f"../{name}" for name in files if name.startswith("files/examples/"))])
for path, text in texts.items():
    write(pages[path], text)
for path in headers:  # by Breathe, whose links work only in reStructuredText
    write(f"reference/{path.name}.rst",
          f"{path.name}\n{'=' * len(path.name)}\n\n.. code-block:: c\n\n   #include <crosslane/{path.name}>\n\n"
          f".. doxygenfile:: crosslane/{path.name}\n")
for path, name in sources.items():
    text = pathlib.Path(path).read_text(encoding="utf-8")
    write(name, f"# {path}\n\n`````{LEXERS.get(os.path.splitext(path)[1], 'none')}\n{text.rstrip()}\n`````\n")
for error in errors:
    print(f"site: {error}", file=sys.stderr)
sys.exit(bool(errors))
