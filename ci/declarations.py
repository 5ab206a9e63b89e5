#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: ci/declarations.py [--check] [--cc COMPILER]

Writes include/declarations.h: the public headers as plain declarations, for bindings to other
languages. It has no preprocessor lines, attributes, inline functions or initializers. OpenCL's
objects are opaque pointers, and each macro with an integer value is an enumerator. XL_BYTES, a
macro with an argument, is its value for 0. --check changes nothing and fails if the file differs
from the headers. Needs a C preprocessor, and no OpenCL.
"""
import ast
import difflib
import operator
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGET = os.path.join(ROOT, "include", "declarations.h")
HEAD = """/* SPDX-License-Identifier: MIT
 * Written by ci/declarations.py from the headers in crosslane/, for bindings to other languages.
 * A parser of C needs size_t and the types of stdint.h beside it. */
/* clang-format off */
"""
# The preprocessor reads empty files for these, so only our own declarations remain.
ABSENT = ("CL/cl.h", "OpenCL/opencl.h", "stddef.h", "stdint.h")
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
             ast.LShift: operator.lshift, ast.BitOr: operator.or_}


def preprocess(compiler, text, *options):
    with tempfile.TemporaryDirectory() as folder:
        for name in ABSENT:
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "w", encoding="ascii"):
                pass
        command = [compiler, "-E", "-P", "-x", "c", "-std=c11", "-nostdinc", "-U__GNUC__", "-DCROSSLANE_STATIC",
                   *options, "-I", folder, "-I", os.path.join(ROOT, "include"), "-"]
        return subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True, encoding="ascii").stdout


def integer(text):
    """The value of a C integer expression, or None if `text` is none."""
    def value(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](value(node.left), value(node.right))
        raise ValueError(text)
    try:
        return value(ast.parse(re.sub(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", text).strip(), mode="eval").body)
    except (SyntaxError, ValueError):
        return None


def statements(text):
    """The declarations at file scope, without those of functions with a body."""
    depth = start = 0
    for at, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if depth:
            continue
        if letter == ";":
            yield " ".join(text[start:at].split())
            start = at + 1
        elif letter == "}" and text[start:at].split()[:2] == ["static", "inline"]:
            start = at + 1
    if text[start:].strip():
        raise SystemExit(f"declarations: unexpected text: {text[start:].strip()}")


def laid_out(statement):
    """A declaration with each member or enumerator on a line of its own."""
    match = re.fullmatch(r"(.*?(?:struct|enum)\b[^{(]*)\{(.*)\}(.*)", statement)
    if not match:
        return statement + ";"
    head, body, tail = (part.strip() for part in match.groups())
    mark = "," if re.search(r"\benum\b", head) else ";"
    lines = [f"    {member.strip()}{mark}" for member in body.split(mark) if member.strip()]
    if mark == ",":
        lines[-1] = lines[-1].rstrip(",")
    return f"{head} {{\n" + "\n".join(lines) + f"\n}}{' ' + tail if tail else ''};"


def declarations(compiler):
    header = "#include <crosslane/crosslane.h>\n"
    macros = re.findall(r"^#define (XL_\w+)(\(\w+\))? .*\S", preprocess(compiler, header, "-dM"), re.M)
    uses = "".join(f'"{name}" {name}{"(0)" if argument else ""} @\n' for name, argument in sorted(macros))
    expanded = preprocess(compiler, header + uses)
    body, _, values = expanded.partition('"')
    constants = {name: integer(text) for name, text in re.findall(r'(\w+)"([^@]*)@\s*"?', values)}
    blocks = [laid_out(statement) for statement in statements(body)]
    used = sorted(set(re.findall(r"\bcl_\w+", "\n".join(blocks))))
    opaque = [f"typedef {'uint32_t ' if name == 'cl_uint' else f'struct _{name} *'}{name};" for name in used]
    enumerators = [f"    {name} = {value}" for name, value in constants.items() if value is not None]
    return "\n".join([HEAD + "\n".join(opaque), "enum {\n" + ",\n".join(enumerators) + "\n};", *blocks]) + "\n"


def main(arguments):
    compiler = "cc"
    if arguments[-2:-1] == ["--cc"]:
        *arguments, _, compiler = arguments
    if arguments not in ([], ["--check"]):
        raise SystemExit(__doc__)
    wanted = declarations(compiler)
    if not arguments:
        with open(TARGET, "w", encoding="ascii") as file:
            file.write(wanted)
        return
    with open(TARGET, encoding="ascii") as file:
        differences = list(difflib.unified_diff(file.read().splitlines(), wanted.splitlines(), "include/declarations.h",
                                                "the headers", n=1, lineterm=""))
    if differences:
        raise SystemExit("\n".join([*differences, "include/declarations.h is stale: run ci/declarations.py"]))


main(sys.argv[1:])
