#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: site/check.py FOLDER

Checks a built site: each link and picture leads to a file of the site and to an anchor that its page
has, each public header has a page, and each exported function has an entry.
"""
import html.parser
import pathlib
import sys
import urllib.parse

top = pathlib.Path(sys.argv[1]).resolve()


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links = set(), set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.ids.add(value)
            elif name in ("href", "src") and tag != "base" and value:
                self.links.add(value)


pages = {path: Page(path) for path in top.rglob("*.html")}
failures, links = [], 0
for path, page in pages.items():
    for link in page.links:
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        links += 1
        goal = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
        if not goal.is_file() or top not in goal.parents:
            failures.append(f"{path.relative_to(top)}: {link}: no such file")
        elif parts.fragment and goal in pages and urllib.parse.unquote(parts.fragment) not in pages[goal].ids:
            failures.append(f"{path.relative_to(top)}: {link}: no such anchor")

for header in pathlib.Path("include/crosslane").glob("*.h*"):
    if top / f"reference/{header.name}.html" not in pages:
        failures.append(f"{header}: no page")
entries = set().union(*(page.ids for path, page in pages.items() if path.parent.name == "reference"))
functions = [line.strip() for line in open("test/abi/symbols.txt", encoding="utf-8") if line.startswith("xl_")]
failures += [f"{name}: no entry in the reference" for name in functions if f"c.{name}" not in entries]
if (top / "docs/notebook.html").exists():
    failures.append("docs/notebook.md is published")

for failure in sorted(failures):
    print(f"site: {failure}", file=sys.stderr)
print(f"site: {len(pages)} pages, {links} local links, {len(functions)} functions, {len(failures)} failures")
sys.exit(bool(failures))
