# SPDX-License-Identifier: MIT
"""The package around the library: declarations, errors, machines without OpenCL, the page."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import crosslane as xl
import pytest
from crosslane import _library

ROOT = pathlib.Path(__file__).resolve().parents[2]


def python(code, **environment):
    return subprocess.run([sys.executable, "-c", code], env={**os.environ, **environment}, text=True, capture_output=True, timeout=120)


def test_structures_are_laid_out_as_by_the_compiler():
    number = 0
    for line in (ROOT / "test/abi/layout.txt").read_text().splitlines():
        name, *values = line.split()
        if name == "#":
            continue
        structure, _, field = name.partition(".")
        if field:
            found = dict(_library.ffi.typeof(structure).fields)[field]
            assert [found.offset, _library.ffi.sizeof(found.type)] == [int(v) for v in values[:2]]
        else:
            assert _library.ffi.sizeof(structure) == int(values[0])
        number += 1
    assert number > 400


def test_every_function_is_in_the_library():
    for name in re.findall(r"^xl_\w+$", (ROOT / "test/abi/symbols.txt").read_text(), re.M):
        assert getattr(_library.library(), name)


def test_a_class_for_each_status():
    statuses = {value: name for name, value in xl.constants().items() if name.startswith("XL_ERROR_")}
    assert len(statuses) == 14
    for value, name in statuses.items():
        kind = _library.error_class(value)
        assert kind is not xl.Error and kind.status == value
        assert "XL_ERROR" + re.sub("([A-Z][a-z]+)", r"_\1", kind.__name__[:-5].replace("OpenCL", "Opencl")).upper() == name


def test_constants():
    assert xl.constant("inclusive") == xl.constant("XL_INCLUSIVE") == 1
    assert xl.constants()["XL_F32X4"] == 0x40A and xl.constants()["XL_BYTES"] == 0x20000
    assert _library.text_of(_library.library().xl_type_name(_library.type_code("f4"))) == "f32"


def test_import_without_a_loader(tmp_path):
    """A copy of the library that needs a loader that no machine has."""
    library = pathlib.Path(_library._names()[0])
    if sys.platform != "linux" or not library.exists():
        pytest.skip("only for the wheel's library on Linux")
    copy = tmp_path / "libcrosslane.so"
    content = library.read_bytes()
    assert content.count(b"libOpenCL.so.1\0") == 1
    copy.write_bytes(content.replace(b"libOpenCL.so.1\0", b"libOpenCL.so.9\0"))
    done = python("import crosslane; print('imported'); crosslane.sort([2, 1])", CROSSLANE_LIBRARY=str(copy))
    assert done.returncode == 1 and done.stdout == "imported\n"
    assert "LibraryNotFoundError: The OpenCL loader was not found" in done.stderr and "apt install ocl-icd-libopencl1" in done.stderr


def test_no_library_and_no_driver(tmp_path):
    done = python("import crosslane; crosslane.sort([2, 1])", CROSSLANE_LIBRARY=str(tmp_path / "none.so"))
    assert "LibraryNotFoundError: The library crosslane was not found" in done.stderr and "CROSSLANE_LIBRARY" in done.stderr
    done = python("import crosslane; crosslane.sort([2, 1])", OCL_ICD_VENDORS=str(tmp_path), OCL_ICD_FILENAMES="", CROSSLANE_DEVICE="")
    assert "NoDeviceError" in done.stderr and "apt install" in done.stderr
    done = python("import crosslane; crosslane.sort([2, 1], device='no such device')")
    assert "NoDeviceError" in done.stderr and "no such device" in done.stderr


def test_named_library_is_loaded(tmp_path):
    copy = tmp_path / "other.so"
    shutil.copy(_library._names()[0], copy)
    done = python("import crosslane; print(crosslane.sort([2, 1])); print('other.so' in open('/proc/self/maps').read())",
                  CROSSLANE_LIBRARY=str(copy))
    assert done.stdout == "[1 2]\nTrue\n", done.stderr


def test_a_forked_child_gets_an_error():
    done = python("""
import os, crosslane
crosslane.sort([2, 1])
if os.fork() == 0:
    try:
        crosslane.sort([2, 1])
    except crosslane.UnsupportedError as problem:
        print(problem, flush=True)
    os._exit(0)
os.wait()
""")
    assert "fork" in done.stdout, done.stdout + done.stderr


def test_the_page():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/python.md").read_text(), re.S)
    assert len(blocks) >= 2
    for block in blocks:
        if "pyopencl" in block:
            pytest.importorskip("pyopencl")
        done = python(block)
        assert done.returncode == 0, done.stderr
        for line, wanted in re.findall(r"^(print\(.*\)) +# (.*)$", block, re.M):
            assert wanted in done.stdout, f"{line}: {done.stdout}"
