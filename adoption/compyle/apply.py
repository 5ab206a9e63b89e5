#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: apply.py CHECKOUT

Changes a checkout of compyle so that the sorts of its OpenCL backend are calls of Crosslane: copies
crosslane_sort.py into compyle/, replaces the body of get_cl_sort_kernel in array.py, and puts a call
at the beginning of radix_sort in sort.py. Other backends are not changed.
"""
import ast
import shutil
import sys
from pathlib import Path


def body_of(source: str, name: str) -> tuple[int, int]:
    """The lines [first, last) of the statements of a function, without its docstring."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            body = node.body[1:] if ast.get_docstring(node) else node.body
            return body[0].lineno - 1, body[-1].end_lineno
    raise SystemExit(f"apply: the function {name} was not found")


def apply(checkout: Path) -> None:
    package = checkout / "compyle"
    changes = {}
    for file, function, whole, lines in (
        ("array.py", "get_cl_sort_kernel", True,
         ["    from .crosslane_sort import RadixSort", "    return RadixSort()"]),
        ("sort.py", "radix_sort", False,
         ["    if array.get_backend(backend) == 'opencl':", "        from . import crosslane_sort",
          "        return crosslane_sort.radix_sort(ary_list, out_list, max_key_bits)"]),
    ):
        source = (package / file).read_text()
        if "crosslane" in source:
            raise SystemExit(f"apply: {package / file}: already applied")
        first, last = body_of(source, function)
        text = source.splitlines()
        text[first:last if whole else first] = lines
        changes[file] = "\n".join(text) + "\n"
    for file, source in changes.items():
        (package / file).write_text(source)
    shutil.copy(Path(__file__).parent / "crosslane_sort.py", package)


if __name__ == "__main__":
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "compyle" / "array.py").is_file():
        raise SystemExit(__doc__.splitlines()[0] + "; CHECKOUT: a checkout of compyle")
    apply(Path(sys.argv[1]))
