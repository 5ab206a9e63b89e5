# SPDX-License-Identifier: MIT
"""Parallel primitives and exact neighbour search on OpenCL devices.

Two levels:
    NumPy      sort, argsort, cumsum, unique, top_k, searchsorted, histogram, bincount,
               neighbor_list, NeighborSearch: one call each, blocking
    pyopencl   Context, Plan and Index: every primitive, on your buffers and queues
Importing the package loads no OpenCL; the first call does. device=None is the best device, or the
one that the environment variable CROSSLANE_DEVICE names.
"""
from importlib.metadata import PackageNotFoundError as _NotFound
from importlib.metadata import version as _version

from ._host import release
from ._library import (BuildError, CapacityError, Error, InternalError, InvalidArgumentError, LibraryNotFoundError, MisalignedError, MpiError,
                       NoDeviceError, NonFiniteError, OpenCLError, OutOfDomainError, OutOfMemoryError, OverlapError,
                       ScratchTooSmallError, UnsupportedError, constant, constants)
from .arrays import TopK, argsort, bincount, cumsum, histogram, searchsorted, sort, top_k, unique
from .neighbors import Csr, NeighborSearch, neighbor_list
from .plans import Context, Index, Plan, fields

try:
    __version__ = _version("crosslane")
except _NotFound:
    __version__ = "unknown"
__all__ = [
    "BuildError", "CapacityError", "Context", "Csr", "Error", "Index", "InternalError", "InvalidArgumentError",
    "LibraryNotFoundError", "MisalignedError", "MpiError", "NeighborSearch", "NoDeviceError", "NonFiniteError", "OpenCLError",
    "OutOfDomainError", "OutOfMemoryError", "OverlapError", "Plan", "ScratchTooSmallError", "TopK", "UnsupportedError",
    "argsort", "bincount", "constant", "constants", "cumsum", "fields", "histogram", "neighbor_list", "release",
    "searchsorted", "sort", "top_k", "unique",
]
