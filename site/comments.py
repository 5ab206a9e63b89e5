#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Doxygen's input filter: prints a header with its plain comments as comments that doxygen reads.

Every character that doxygen or its Markdown would interpret is escaped. Indented lines after an
empty one are code. Indented terms, and lines that begin with a status, are items of a list.
"""
import pathlib
import re
import sys

TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/', re.S)
ITEM = re.compile(r"(\S.{0,60}?)\s{2,}(\S.*)")
STATUS = re.compile(r"(?:XL_[A-Z0-9_]+(?:, )?)+: ")
LABEL = re.compile(r"(?:Threads|Processes|Ownership|Sources?|Limits?|Rounding): ")
PAGE = re.compile(r"\bdocs/([a-z-]+)\.md")
HEADER = re.compile(r"(?:&lt;)?\bcrosslane/(\w+\.h(?:pp)?)\b(?:&gt;)?")

# Names that doxygen finds, beside functions with their brackets, only if they are marked.
NAMES = set(re.findall(r"^ +(XL_\w+)(?= = |,|$)|^#define (XL_\w+) |^\} (xl_\w+);|^typedef struct \w+ (xl_\w+);",
                       "\n".join(map(pathlib.Path.read_text, [*pathlib.Path("include/crosslane").glob("*.h"), *pathlib.Path("mpi/include/crosslane").glob("*.h")])), re.M))
NAMES = {name for match in NAMES for name in match if name}


def escape(text):
    text = text.replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r'([@#%"$])', r"\\\1", text).replace("--", "\\--")


def inline(text):
    """Escapes text; code in backquotes, pages and headers get their marks."""
    parts = escape(text).split("`")
    for i, part in enumerate(parts):
        if i % 2:
            parts[i] = f"<code>{part}</code>"
        else:
            part = PAGE.sub(r'<a href="../docs/\1.html">\g<0></a>', part)
            part = re.sub(r"\bxl_\w+|\bXL_\w+", lambda name: "#" * (name[0] in NAMES) + name[0], part)
            parts[i] = HEADER.sub(r'<a href="\1.html">crosslane/\1</a>', part)
    return "".join(parts)


def blocks(lines):
    """Yields (kind, text): paragraphs, items and code. `lines` have no margin."""
    kind, text, column = None, [], 0
    hang = 0  # the indentation of what continues a paragraph that began at the margin

    def flush():
        nonlocal kind, text
        if kind:
            yield kind, text
        kind, text = None, []

    i = 0
    while i < len(lines):
        line = lines[i].rstrip()
        indent, bare = len(line) - len(line.lstrip()), line.strip()
        if not bare:
            yield from flush()
            hang = 0
            i += 1
            continue
        if indent >= 4 and not hang and kind != "item":
            end = i
            while end < len(lines) and (not lines[end].strip() or lines[end].startswith("    ")):
                end += 1
            formula = end < len(lines) and lines[end - 1].strip()
            if kind is None or formula:
                yield from flush()
                yield "code", [part[4:].rstrip() for part in "\n".join(lines[i:end]).rstrip().split("\n")]
                i = end
                continue
            hang = indent
        term = ITEM.fullmatch(bare)
        if term and not (kind == "item" and indent >= column > 0):
            yield from flush()
            kind, text = "item", [term[1], term[2]]
            column = indent + term.start(2)
        elif STATUS.match(bare) and not (kind == "item" and indent >= column > 0):
            yield from flush()
            kind, text, column = "item", [None, bare], 0
        elif LABEL.match(bare) or (kind == "item" and 0 < indent < column and indent == hang):
            yield from flush()
            kind, text = "paragraph", [bare]
        elif indent in (2, 3) and not (kind == "item" and indent >= column > 0):
            yield from flush()
            kind, text, column = "item", [None, bare], indent + 1
        else:
            kind = kind or "paragraph"
            text.append(bare)
        i += 1
    yield from flush()


def markup(lines):
    out, listed = [], False
    for kind, text in blocks(lines):
        if listed != (kind == "item"):
            listed = not listed
            out.append("<ul>" if listed else "</ul>")
        if kind == "code":
            # Words after a statement are a comment.
            out += ["@code{.c}", *(re.sub(r";\s{2,}(?!/)(?=\S)", r"\g<0>// ", line) for line in text), "@endcode"]
        elif kind == "item":
            term, text = (f"<code>{inline(text[0])}</code>: ", text[1:]) if text[0] else ("", text[1:])
            out.append(f"<li>{term}{inline(' '.join(text))}</li>")
        else:
            out.append(f"<p>{inline(' '.join(text))}</p>")
    return "\n".join(out + ["</ul>"] * listed)


def body(comment):
    lines = comment[2:-2].rstrip().split("\n")
    lines = [lines[0].lstrip()] + [re.sub(r"^\s*\* ?", "", line) for line in lines[1:]]
    return lines[1:] if lines[0].startswith("SPDX-") else lines


def convert(text, name):
    out, place, group, first = [], 0, False, True

    def code(part):
        nonlocal group
        if group and "\n}" in part:
            part, group = part.replace("\n}", "\n/**@}*/\n}", 1), False
        out.append(part)

    for token in TOKEN.finditer(text):
        code(text[place:token.start()])
        place = token.end()
        if token[0][0] == '"':
            out.append(token[0])
            continue
        before = text[text.rfind("\n", 0, token.start()) + 1:token.start()].strip()
        after = text[place:]
        if before:
            if not before.startswith("#e"):
                out.append(f"/**< {inline(' '.join(token[0][2:-2].split()))} */")
            continue
        if re.fullmatch(r"/\* crosslane/\w+\.h \*/", token[0]):  # a heading
            continue
        if first or re.match(r"\n(\n|#if)", after):
            out.append(f"/** @file {name}\n{markup(body(token[0]))} */")
            first = False
            continue
        so_far = text[:token.start()]
        in_struct = so_far.rfind("\ntypedef struct ") > max(so_far.rfind("\n}"), so_far.rfind("\ntypedef enum"))
        lines = body(token[0])
        if in_struct and re.match(r"\n[^\n;]*;[^\n]*/\*", after):
            # A comment on the fields up to the next such one: its first sentence is their heading.
            head, _, rest = " ".join(lines[:1]).partition(". ")
            head = head.rstrip(".")
            out.append("/**@}*/\n" if group else "")
            if len(head) > 40:
                head, rest = "Fields", " ".join(lines[:1])
            out.append(f"/** @name {escape(head)}\n{markup([rest, *lines[1:]])} */\n/**@{{*/")
            group = True
        else:
            out.append(f"/** {markup(lines)} */")
    code(text[place:])
    # Guards, and macros that the header itself undefines.
    return re.sub(r"\n#define CROSSLANE_(?:[^\n]*\\\n)*[^\n]*(?=\n)", "\n", "".join(out))


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as header:
        sys.stdout.write(convert(header.read(), sys.argv[1].rpartition("/")[2]))
