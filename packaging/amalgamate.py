#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: packaging/amalgamate.py FOLDER

Writes the library as two files into FOLDER: crosslane.h, the public headers, and crosslane.c, all of
lib/ with the kernels. A program compiles crosslane.c together with its own files and links OpenCL
and the threads. The result depends on the sources alone.

Functions and data that files of lib/ share become static. A name that several files of lib/ define
for themselves, or an enumerator, gets the name of its file in front. Kernels keep their line numbers but lose their
comments, which their hashes (cmake/embed.cmake) do not cover. Needs CMake.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Calls go down only, so this order is that of lib/CMakeLists.txt; the hosts come last, because a header
# of Windows defines macros such as IN.
FOLDERS = ("core tune ocl plan element problem scan reduce sort top_k select merge search histogram transform "
           "grid neighbors nearest morton nearest_approximate simple").split()
HOSTS = {"os_windows.c": "#ifdef _WIN32", "os_posix.c": "#ifndef _WIN32"}
ROW = 4000  # letters of a kernel in one string literal; C11 promises 4095
TOKEN = re.compile(r"""(?P<comment>/\*.*?\*/|//[^\n]*) | (?P<directive>^\#(?:[^\n\\]|\\.)*) | (?P<space>\s+)
  | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*') | (?P<name>[A-Za-z_]\w*) | (?P<number>\.?\d[\w.]*)
  | (?P<other>->|.)""", re.S | re.M | re.X)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def tokens(text):
    """Lists [kind, text]."""
    return [[match.lastgroup, match.group()] for match in TOKEN.finditer(text)]


def declarations(code):
    """Yields each declaration and definition of a file, as the indices of its tokens at file level:
    without comments, directives and whatever is in braces but those themselves."""
    depth, current = 0, []
    for i, (kind, text) in enumerate(code):
        if kind in ("comment", "directive", "space"):
            continue
        if depth == 0 or (depth == 1 and text == "}"):
            current.append(i)
        depth += {"{": 1, "}": -1}.get(text, 0)
        body = text == "}" and depth == 0 and code[current[-3]][1] == ")"
        if depth == 0 and (text == ";" or body):
            yield current
            current = []


def words_of(code, declaration):
    """Its tokens outside of parentheses; a macro call in front, such as XLI_PUBLIC_CALLS(scan), is left out."""
    words, depth = [], 0
    for i in declaration:
        text = code[i][1]
        depth -= text == ")"
        if depth == 0:
            words.append(i)
        depth += text == "("
    while len(words) > 3 and code[words[0]][1].isupper() and code[words[1]][1] == "(":
        words = words[3:]
    return words


def names_of(code):
    """The names that a file defines for itself: static functions and data, types, tags, enumerators."""
    found = set()
    for declaration in declarations(code):
        words = words_of(code, declaration)
        texts = [code[i][1] for i in words]
        if texts[0] not in ("static", "typedef", "struct", "enum", "union"):
            continue
        if "{" in texts and "(" not in texts:
            if re.match(r"[A-Za-z_]", texts[texts.index("{") - 1]) and texts[0] != "static":
                found.add(texts[texts.index("{") - 1])
            if "enum" in texts:
                begin, end = words[texts.index("{")], words[texts.index("}")]
                inner = [t for k, t in code[begin:end] if k not in ("comment", "space", "directive")]
                found.update(b for a, b in zip(inner, inner[1:]) if a in "{," and re.match("[A-Za-z_]", b))
        if texts[0] in ("static", "typedef"):
            for i, text in enumerate(texts):
                if text in ("(", "=", "[", ";"):
                    found.add(texts[i - 1])
                    break
    return {name for name in found if re.match(r"[A-Za-z_]", name) and not name.startswith("xli_")} - {"struct", "enum", "union"}


def make_static(code):
    """Puts `static` in front of declarations and definitions of xli_... functions and data."""
    for declaration in declarations(code):
        words = words_of(code, declaration)
        texts = [code[i][1] for i in words]
        if texts[0] in ("static", "typedef") or (texts[0] != "extern" and texts[-1] == ";" and "{" in texts and "=" not in texts):
            continue
        named = next((texts[i - 1] for i, text in enumerate(texts) if text in ("(", "=", "[", ";")), "")
        if not named.startswith("xli_"):
            continue
        if texts[0] == "extern":
            code[words[0]][1] = "static"
        else:
            code[words[0]][1] = "static " + code[words[0]][1]


def rename(code, names, stem):
    """Renames identifiers, but not members of structures."""
    braces, brackets, before, inside = [], 0, "", ""
    significant = [t for t in code if t[0] not in ("comment", "space", "directive")]
    position = 0
    for token in code:
        kind, text = token
        if kind == "directive" and not text.startswith("#include"):
            inner = tokens(text[1:])
            for i, (k, t) in enumerate(inner):
                if k == "name" and t in names and inner[i - 1][1] not in (".", "->"):
                    inner[i][1] = f"{stem}_{t}"
            token[1] = "#" + "".join(t for _, t in inner)
        if kind in ("comment", "space", "directive"):
            continue
        position += 1
        after = significant[position][1] if position < len(significant) else ""
        if text in ("struct", "union"):
            inside = "members"
        elif text in ("enum", ")", "=", ";"):
            inside = ""
        if text == "{":
            braces.append(inside)
            inside = ""
        elif text == "}":
            braces.pop()
            inside = ""
        brackets += {"[": 1, "]": -1}.get(text, 0)
        if kind == "name" and text in names and before not in (".", "->"):
            member = braces and braces[-1] == "members" and brackets == 0 and after in (";", ",", "[", ":", ")")
            if not member:
                token[1] = f"{stem}_{text}"
        before = text


def kernels(folder, finder, lister):
    """The C text of embedded kernels, after cmake/embed.cmake."""
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "sources.c")
        subprocess.run(["cmake", f"-DROOT={ROOT}", f"-DOUT={out}", f"-DDEPFILE={out}.d", f"-DFINDER={finder}",
                        *folder, *lister, "-P", os.path.join(ROOT, "cmake/embed.cmake")], check=True)
        code = read(out)
        stems = re.findall(r'#include "sources\.c\.(\w+)\.inc"\n', code)
        arrays = ""
        for stem in stems:
            text = read(f"{out}.{stem}.cl")
            digest = re.search(r', "([0-9a-f]{64})"\}', read(f"{out}.{stem}.inc")).group(1)
            text = re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: " " + "\n" * m.group().count("\n"), text, flags=re.S)
            text = re.sub(r"[ \t]+$", "", text, flags=re.M)
            rows = [text[i:i + ROW] for i in range(0, len(text) + 1, ROW)]
            arrays += f"static const char text_{stem}[{len(rows)}][{ROW}] = {{\n"
            for row in rows:
                row = row.replace("\\", "\\\\").replace('"', '\\"')
                arrays += "    {" + "\n     ".join(f'"{line}"' for line in re.sub("\n", "\\\\n\n", row).split("\n")) + "},\n"
            arrays += "};\n"
            code = code.replace(f"    SOURCE_{stem},\n",
                                f'    {{"{stem}", (const char *)text_{stem}, {len(text)}, "{digest}"}},\n')
        return re.sub(r'(#include "sources\.c\.\w+\.inc"\n)+', lambda _: arrays, code)


def renamed_macros(macros, names, stem):
    """Macros of headers, defined again for a file whose renamed names they use."""
    text = ""
    for name, directive in macros.items():
        token = ["directive", directive]
        rename([token], names, stem)
        if token[1] != directive:
            text += f"#undef {name}\n{token[1]}\n"
    return text


class Amalgamation:
    def __init__(self):
        self.seen = set()
        self.macros = {}  # of internal headers: name -> directive
        self.where = {}
        for folder, _, files in os.walk(os.path.join(ROOT, "lib")):
            self.where.update((name, os.path.relpath(os.path.join(folder, name), ROOT)) for name in files)

    def header(self, name):
        """A public header with those that it includes, each once."""
        if name in self.seen:
            return ""
        self.seen.add(name)
        return re.sub(r"#include <crosslane/(\w+\.h)>\n", lambda m: self.header(m.group(1)), read(f"include/crosslane/{name}"))

    def code(self, code):
        """The text of a file, with internal headers in place of the first #include of each."""
        text = []
        for kind, part in code:
            include = re.match(r'#include (?:"(?:\w+/)*(\w+\.h)"|<crosslane/\w+\.h>)$', part) if kind == "directive" else None
            if include is None:
                text.append(part)
            elif include.group(1) and include.group(1) not in self.seen:
                self.seen.add(include.group(1))
                inner = tokens(read(self.where[include.group(1)]))
                self.macros.update((re.match(r"# *define +(\w+)", t).group(1), t) for k, t in inner
                                   if k == "directive" and re.match("# *define", t))
                make_static(inner)
                text.append(self.code(inner))
        return "".join(text)


def main(folder):
    all_of = Amalgamation()
    public = all_of.header("crosslane.h")
    files = {}
    for part in FOLDERS:
        files.update((name, read(f"lib/{part}/{name}")) for name in sorted(os.listdir(os.path.join(ROOT, "lib", part)))
                     if name.endswith(".c") and name not in HOSTS)
    files["embedded_sources.c"] = kernels([], "xli_source_find", [])
    files["embedded_includes.c"] = kernels(["-DFOLDER=cl/include"], "xli_include_find", ["-DLISTER=xli_include_at"])
    files.update((name, read(f"lib/core/{name}")) for name in HOSTS)

    # Macros that system headers look at come first.
    settings = {name: dict.fromkeys(re.findall(r"^#define (?:_\w+|WIN32_LEAN_AND_MEAN)\b[^\n/]*", text, re.M)) for name, text in files.items()}
    code = {name: tokens(text) for name, text in files.items()}
    defined = {name: names_of(c) for name, c in code.items()}
    count = collections.Counter(name for names in defined.values() for name in names)
    missing = {name for name in all_of.where if name.endswith(".c")} - set(files)
    if missing:
        sys.exit(f"amalgamate: not in a folder of FOLDERS: {sorted(missing)}")

    body = []
    for name, c in code.items():
        stem = name[:-2]
        make_static(c)
        shared = {x for x in defined[name] if count[x] > 1 or x.isupper()}  # Windows, too, has names such as SIZE
        rename(c, shared, stem)
        begin = next(i for i, t in enumerate(c) if t[0] == "name")  # behind the #include lines
        text = all_of.code([t for t in c[:begin] if t[1].split("/*")[0].strip() not in settings[name]])
        text += renamed_macros(all_of.macros, shared, stem) + all_of.code(c[begin:])
        macros = [m for m in re.findall(r"^# *define (\w+)", files[name], re.M) if not m.startswith(("CL_", "_", "WIN32"))]
        text += "".join(f"#undef {m}\n" for m in macros)
        if name in HOSTS:
            text = f"{HOSTS[name]}\n{text}#endif\n"
        body += [f"\n/* ---- {name} " + "-" * (80 - len(name)) + " */\n", text]
    version = ".".join(re.search(rf"XL_VERSION_{p} (\d+)", public).group(1) for p in ("MAJOR", "MINOR", "PATCH"))
    note = f"/* SPDX-License-Identifier: MIT\n * Crosslane {version} in two files, made by packaging/amalgamate.py"
    head = note + ":\n * cc program.c crosslane.c -lOpenCL -pthread */\n"
    for name, guard in HOSTS.items():
        head += f"{guard}\n" + "".join(s.rstrip() + "\n" for s in settings[name]) + "#endif\n"
    head += """#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#if defined(__MINGW32__) && !defined(__USE_MINGW_ANSI_STDIO)
#define __USE_MINGW_ANSI_STDIO 1
#endif
#include "crosslane.h"

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function" /* only tests call some */
#if (defined(__clang__) && __clang_major__ >= 21) || (!defined(__clang__) && __GNUC__ >= 15)
#pragma GCC diagnostic ignored "-Wunterminated-string-initialization" /* kernels in rows */
#endif
#endif
"""
    os.makedirs(folder, exist_ok=True)
    for name, text in (("crosslane.h", note + ". */\n#ifndef CROSSLANE_STATIC\n#define CROSSLANE_STATIC\n#endif\n" + public),
                       ("crosslane.c", head + "".join(body))):
        with open(os.path.join(folder, name), "w", encoding="utf-8", newline="\n") as file:
            file.write(text)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    main(sys.argv[1])
