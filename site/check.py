#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: site/check.py FOLDER

Checks a built site: each link and picture leads to a file of the site and to an anchor that its page
has, each public header has a page with all of its comments, and each exported function has an entry.
"""
import html.parser
import pathlib
import re
import sys
import urllib.parse

top = pathlib.Path(sys.argv[1]).resolve()


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.text = set(), set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.ids.add(value)
            elif name in ("href", "src") and tag != "base" and value:
                self.links.add(value)

    def handle_data(self, data):
        if data != "#":  # the link beside a heading
            self.text.append(data)


def letters(text):
    """What conversion keeps: no space, no punctuation."""
    return re.sub(r"\W|_", "", text)


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

for header in [*pathlib.Path("include/crosslane").glob("*.h*"), pathlib.Path("mpi/include/crosslane/mpi.h")]:
    page = pages.get(top / f"reference/{header.name}.html")
    if not page:
        failures.append(f"{header}: no page")
    elif header.suffix == ".h":  # functions of the one for C++ have comments inside
        text = letters("".join(page.text))
        for comment in re.findall(r"/\*(.*?)\*/", header.read_text(encoding="utf-8"), re.S):
            comment = comment.replace("SPDX-License-Identifier: MIT", "")
            if letters(comment) not in text:
                failures.append(f"{header}: not in the page: {' '.join(comment.split())[:80]}")
entries = set().union(*(page.ids for path, page in pages.items() if path.parent.name == "reference"))
functions = [line.strip() for line in open("test/abi/symbols.txt", encoding="utf-8") if line.startswith("xl_")]
failures += [f"{name}: no entry in the reference" for name in functions if f"c.{name}" not in entries]
if (top / "docs/notebook.html").exists():
    failures.append("docs/notebook.md is published")

for failure in sorted(failures):
    print(f"site: {failure}", file=sys.stderr)
print(f"site: {len(pages)} pages, {links} local links, {len(functions)} functions, {len(failures)} failures")
sys.exit(bool(failures))
