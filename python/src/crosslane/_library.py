# SPDX-License-Identifier: MIT
"""The C library: its declarations, its search at the first call, its errors."""
from __future__ import annotations

import os
import re
import sys
import threading
from functools import lru_cache
from typing import Any

import cffi
import numpy as np

_HERE = os.path.dirname(os.path.abspath(__file__))
# Calls of OpenCL itself for arrays of the host, so that these do not need pyopencl.
_OPENCL = """
cl_mem clCreateBuffer(cl_context, uint64_t, size_t, void *, int32_t *);
int32_t clReleaseMemObject(cl_mem);
int32_t clReleaseEvent(cl_event);
int32_t clEnqueueWriteBuffer(cl_command_queue, cl_mem, uint32_t, size_t, size_t, const void *,
                             cl_uint, const cl_event *, cl_event *);
int32_t clEnqueueReadBuffer(cl_command_queue, cl_mem, uint32_t, size_t, size_t, void *,
                            cl_uint, const cl_event *, cl_event *);
int32_t clFinish(cl_command_queue);
"""
_INSTALL = """
  Debian, Ubuntu: apt install ocl-icd-libopencl1 pocl-opencl-icd
  Fedora:         dnf install ocl-icd pocl
  conda:          conda install -c conda-forge ocl-icd pocl
PoCL runs on any CPU. For a GPU, install the OpenCL driver of its vendor."""

ffi = cffi.FFI()
with open(os.path.join(_HERE, "declarations.h"), encoding="ascii") as _file:
    _DECLARATIONS = _file.read()
ffi.cdef(_DECLARATIONS + _OPENCL)


class LibraryNotFoundError(ImportError):
    """The C library or the OpenCL loader is not on this machine. The text says what to install."""


class Error(Exception):
    """A call of the library failed. `status` is the number of the xl_status."""

    status = 0


class InvalidArgumentError(Error, ValueError):
    """An argument is out of range or contradicts another one."""


class OutOfMemoryError(Error, MemoryError):
    """The host or the device has too little memory."""


class NoDeviceError(Error):
    """No OpenCL platform has a device, or no device matches."""


class UnsupportedError(Error):
    """The device lacks a feature that the text names."""


class BuildError(Error):
    """OpenCL C text of the caller does not compile. The text has the compiler's messages."""


class OpenCLError(Error):
    """An OpenCL call failed. The text has the call and its code."""


class ScratchTooSmallError(Error, ValueError):
    """`scratch` has fewer bytes than the call needs."""


class MisalignedError(Error, ValueError):
    """`scratch` does not start at a multiple of XL_SCRATCH_ALIGNMENT bytes."""


class OverlapError(Error, ValueError):
    """Two arrays share bytes that they must not share."""


class NonFiniteError(Error, ValueError):
    """A coordinate is NaN or infinite."""


class OutOfDomainError(Error, ValueError):
    """A point lies outside the bounds."""


class CapacityError(Error):
    """An output is too small for its result."""


class InternalError(Error):
    """A defect of the library."""


class MpiError(Error):
    """An MPI call of crosslane_mpi failed. This package does not raise it."""


@lru_cache(maxsize=None)
def constants() -> dict[str, int]:
    """All enumerators and integer macros of the public headers: {"XL_INCLUSIVE": 1, ...}."""
    found: dict[str, int] = {}
    value = -1
    for name, text in re.findall(r"^    (XL_\w+)(?: = (\w+))?,?$|^enum", _DECLARATIONS, re.M):
        value = int(text, 0) if text else value + 1
        if name:
            found[name] = value
    return found


def constant(name: str) -> int:
    """The value of a constant by its name, with or without XL_, in any case: "inclusive"."""
    known, upper = constants(), name.upper()
    value = known.get(upper, known.get("XL_" + upper))
    if value is None:
        raise ValueError(f"{name!r}: no constant of the library has this name")
    return value


_STATUSES: dict[int, type[Error]] = {}


def error_class(status: int) -> type[Error]:
    """The exception of an xl_status."""
    if not _STATUSES:
        for kind in Error.__subclasses__():
            name = "".join("_" + c if c.isupper() else c for c in kind.__name__[:-len("Error")])
            kind.status = constant("XL_ERROR" + name.upper().replace("_OPEN_C_L", "_OPENCL"))
            _STATUSES[kind.status] = kind
    return _STATUSES.get(status, Error)


def type_code(dtype: Any) -> int:
    """The xl_type of a NumPy dtype (bool is u8), or of a name such as "f32x4"."""
    if isinstance(dtype, str) and "XL_" + dtype.upper() in constants():
        return constant(dtype)
    given = np.dtype(dtype)
    name = {"b": "u8"}.get(given.kind, f"{given.kind}{8 * given.itemsize}")
    code = constants().get("XL_" + name.upper())
    if given.kind not in "biuf" or code is None:
        raise TypeError(f"dtype {given}: not supported; use bool, an integer or a floating-point type of at most 64 bits")
    return code


def _names() -> list[str]:
    named = os.environ.get("CROSSLANE_LIBRARY")
    if named:
        return [named]
    # The library's compatible versions: as SOVERSION in lib/CMakeLists.txt.
    major, minor = constant("XL_VERSION_MAJOR"), constant("XL_VERSION_MINOR")
    abi = str(major) if major > 0 else f"0.{minor}"
    wheel, system = {"win32": ("crosslane.dll", "crosslane.dll"),
                     "darwin": ("libcrosslane.dylib", f"libcrosslane.{abi}.dylib")}.get(
        sys.platform, ("libcrosslane.so", f"libcrosslane.so.{abi}"))
    own = os.path.join(_HERE, wheel)
    return [own] if os.path.exists(own) else [system]


_lock = threading.Lock()
_loaded: list[Any] = []


def library() -> Any:
    """The loaded library. The first call loads it, and with it the OpenCL loader."""
    if _loaded:
        return _loaded[0]
    with _lock:
        if not _loaded:
            _loaded.append(_open())
    return _loaded[0]


def _open() -> Any:
    for name in _names():
        try:
            found = ffi.dlopen(name)
        except OSError as problem:
            text = str(problem).partition(".  Additionally")[0]  # of find_library()
            if "OpenCL" in text:
                raise LibraryNotFoundError(f"The OpenCL loader was not found ({text}). Install it and a driver:{_INSTALL}") from None
            raise LibraryNotFoundError(f"The library crosslane was not found ({text}). Install this package from its wheel, install the "
                                       "library, or set CROSSLANE_LIBRARY to the path of the shared library.") from None
        if found.xl_version() < constant("XL_VERSION_NUMBER"):
            raise LibraryNotFoundError(f"{name}: version {text_of(found.xl_version_string())}; this package needs "
                                       f"{constant('XL_VERSION_NUMBER')} or newer (major * 10000 + minor * 100 + patch)")
    return found


def opencl() -> Any:
    """The OpenCL functions. On Windows a library does not give those of its dependencies."""
    return ffi.dlopen("OpenCL.dll") if sys.platform == "win32" else library()


def text_of(characters: Any) -> str:
    return ffi.string(characters).decode("utf-8", "replace")


def check(status: int, context: Any = ffi.NULL) -> None:
    """Raises the exception of a status other than XL_SUCCESS."""
    if status != 0:
        kind = error_class(status)
        text = text_of(library().xl_context_error(context)) or text_of(library().xl_status_name(status))
        if kind is NoDeviceError:
            text += f"\nA driver may be missing:{_INSTALL}"
        problem = kind(text)
        problem.status = status
        raise problem


def check_opencl(code: int, call: str) -> None:
    if code != 0:
        kind = OutOfMemoryError if code in (-4, -5, -6, -61) else OpenCLError
        error_class(0)
        raise kind(f"{call}: OpenCL error {code}")
