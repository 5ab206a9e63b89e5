# SPDX-License-Identifier: MIT
"""Primitives on NumPy arrays, with NumPy's names and rules.

Each call copies its arrays to the device, runs there, copies the results back and blocks until they
are complete. Arrays may have any strides and byte order; results are native and C-contiguous.
bool, integers and floating-point numbers of at most 64 bits are supported. Other dtypes raise
TypeError. Threads may call at any time; calls run one after another.
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._host import Host, host
from ._library import type_code

__all__ = ["TopK", "argsort", "bincount", "cumsum", "histogram", "searchsorted", "sort", "top_k", "unique"]

BINS = 2**20  # of a histogram on the device


class TopK(NamedTuple):
    """values: like the input, with k elements along the axis. indices: int64 of the same shape."""

    values: np.ndarray
    indices: np.ndarray


def _native(a: ArrayLike) -> np.ndarray:
    """A contiguous array in the machine's byte order; a copy only if needed."""
    array = np.asarray(a)
    type_code(array.dtype)  # refuses other dtypes
    return np.ascontiguousarray(array, array.dtype.newbyteorder("=")).reshape(array.shape)


def _rows(a: ArrayLike, axis: int | None) -> tuple[np.ndarray, int | None]:
    """The array with its rows along `axis` contiguous."""
    array = np.asarray(a)
    if axis is None:
        return _native(array.reshape(-1)), None
    if array.ndim == 0:
        raise ValueError(f"axis: {axis}; the array has no axes")
    return _native(np.moveaxis(array, axis, -1)), axis


def _back(rows: np.ndarray, axis: int | None) -> np.ndarray:
    return rows if axis is None else np.ascontiguousarray(np.moveaxis(rows, -1, axis))


def _segments(h: Host, rows: np.ndarray) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fields of descriptor and arguments that make each row a segment."""
    if rows.size == rows.shape[-1]:
        return {}, {}
    starts = np.arange(0, rows.size, rows.shape[-1], dtype=np.uint64)
    return ({"segments": "segments_offsets", "segment_type": "u64"},
            {"segments": (*h.upload("segments", starts), starts.size)})


def _one_zero(rows: np.ndarray, desc: dict[str, Any]) -> np.ndarray:
    """Makes -0 and +0 equal keys, as NumPy's order has them."""
    if rows.dtype.kind != "f":
        return rows
    if desc:  # a sort of segments does not have the option
        return rows + rows.dtype.type(0)
    desc["equal_zeros"] = 1
    return rows


def sort(a: ArrayLike, axis: int | None = -1, *, descending: bool = False, device: str | None = None) -> np.ndarray:
    """A sorted copy, as numpy.sort. NaN come last; with descending=True the order is exactly
    reversed, so they come first. -0.0 comes before +0.0 (NumPy: in any order).

    Returns an array of the shape and dtype of a; if axis is None, of shape (a.size,)."""
    rows, axis = _rows(a, axis)
    if rows.size == 0:
        return _back(rows.copy(), axis)
    h = host(device)
    with h.lock:
        desc, args = _segments(h, rows)
        plan = h.plan("sort", key=type_code(rows.dtype), order=int(descending), **desc)
        keys = h.upload("a", rows)
        h.run(plan, n=rows.size, keys_in=keys, keys_out=keys, **args)
        return _back(h.download(keys, h.array(rows.shape, rows.dtype)), axis)


def argsort(a: ArrayLike, axis: int | None = -1, *, descending: bool = False, device: str | None = None) -> np.ndarray:
    """The indices that sort, int64, as numpy.argsort(kind="stable"); at most 2**32 - 1 elements.
    NaN with different bits are ordered by these. With descending=True equal keys keep their order,
    too.

    Returns int64 of the shape of a, each index along the axis; if axis is None, of shape (a.size,),
    indices in the flattened array."""
    rows, axis = _rows(a, axis)
    if rows.size == 0:
        return _back(np.empty(rows.shape, np.int64), axis)
    h = host(device)
    with h.lock:
        desc, args = _segments(h, rows)
        keys = _one_zero(rows, desc)
        plan = h.plan("sort", key=type_code(rows.dtype), order=int(descending), value="sort_indices", stable=1, values_only=1, **desc)
        out = h.buffer("b", 4 * rows.size)
        h.run(plan, n=rows.size, keys_in=h.upload("a", keys), values_out=out, **args)
        return _back(_local(h.download(out, h.array(rows.shape, np.uint32))), axis)


def _local(indices: np.ndarray, width: int = 0) -> np.ndarray:
    """Indices in the whole array as indices in rows of `width`."""
    width = width or indices.shape[-1]
    found = indices.astype(np.int64)
    if indices.size > indices.shape[-1]:
        found.reshape(-1, indices.shape[-1])[...] -= np.arange(0, indices.size // indices.shape[-1] * width, width)[:, None]
    return found


def cumsum(a: ArrayLike, axis: int | None = None, dtype: Any = None, *, device: str | None = None) -> np.ndarray:
    """Running totals, as numpy.cumsum: of the flattened array if axis is None; small integers are
    summed in int64 or uint64. Sums of floating-point numbers are added in another order than
    NumPy's, so their last bits may differ; they are the same on each run. float16 is summed in
    float32.

    Returns an array of the shape of a; if axis is None, of shape (a.size,)."""
    rows, axis = _rows(a, axis)
    if dtype is None:
        dtype = rows.dtype
        if rows.dtype.kind in "bi" and rows.dtype.itemsize < 8:
            dtype = np.dtype(np.int64)
        elif rows.dtype.kind == "u" and rows.dtype.itemsize < 8:
            dtype = np.dtype(np.uint64)
    wanted = np.dtype(dtype).newbyteorder("=")
    summed = np.dtype(np.float32) if wanted == np.float16 else wanted
    if rows.dtype == np.float16 or (rows.dtype.kind == "f" and summed.kind != "f"):
        rows = rows.astype(summed)
    if rows.size == 0:
        return _back(np.empty(rows.shape, wanted), axis)
    h = host(device)
    with h.lock:
        desc: dict[str, Any] = {}
        if rows.size > rows.shape[-1]:
            desc = {"segments": "segments_width", "segment_width": rows.shape[-1]}
        plan = h.plan("scan", type=type_code(summed), load_type=type_code(rows.dtype), kind="inclusive", **desc)
        out = h.buffer("b", rows.size * summed.itemsize)
        h.run(plan, n=rows.size, in_=h.upload("a", rows), out=out)
        return _back(h.download(out, h.array(rows.shape, summed)).astype(wanted, copy=False), axis)


def unique(a: ArrayLike, return_counts: bool = False, *, device: str | None = None) -> Any:
    """The sorted distinct elements of the flattened array, as numpy.unique: all NaN are one
    element, -0.0 and +0.0 are one.

    Returns an array of shape (m,), m distinct elements, of the dtype of a; with return_counts=True
    the tuple of it and their counts, int64, shape (m,)."""
    rows, _ = _rows(a, None)
    if rows.size == 0:
        return (rows.copy(), np.empty(0, np.int64)) if return_counts else rows.copy()
    wanted = rows.dtype
    if wanted == np.float16:  # few devices compare them
        rows = rows.astype(np.float32)
    h = host(device)
    with h.lock:
        kind, n = type_code(rows.dtype), rows.size
        keys, out, count = h.upload("a", rows), h.buffer("b", rows.nbytes), h.buffer("count", 8)
        h.run(h.plan("sort", key=kind), n=n, keys_in=keys, keys_out=keys)
        plan = h.plan("select", type=kind, kind="select_runs" if return_counts else "select_unique")
        lengths = {"lengths_out": h.buffer("c", 4 * n)} if return_counts else {}
        h.run(plan, n=n, in_=keys, out=out, count_out=count, **lengths)
        number = int(h.download(count, np.empty(1, np.uint64))[0])
        found = h.download(out, h.array(number, rows.dtype)).astype(wanted, copy=False)
        counts = h.download(lengths["lengths_out"], h.array(number, np.uint32)).astype(np.int64) if return_counts else None
    if found.dtype.kind == "f":
        numbers = number - int(np.count_nonzero(np.isnan(found)))
        if numbers < number - 1:
            found = found[:numbers + 1].copy()
            if counts is not None:
                counts = np.append(counts[:numbers], counts[numbers:].sum())
    return (found, counts) if return_counts else found


def top_k(a: ArrayLike, k: int, axis: int = -1, *, largest: bool = True, device: str | None = None) -> TopK:
    """The k largest (or smallest) elements along an axis, the best first, with their indices; of
    equal elements the lower index first. k must be at most the length of the axis. NaN are larger
    than every number. At most 2**32 - 1 elements.

    Returns (values, indices), both of the shape of a with k elements along the axis; indices are
    int64."""
    rows, _ = _rows(a, axis)
    width = rows.shape[-1]
    if not 0 <= k <= width:
        raise ValueError(f"k: {k}; must be from 0 to the length of the axis, {width}")
    shape = (*rows.shape[:-1], k)
    values, indices = np.empty(shape, rows.dtype), np.empty(shape, np.uint32)
    if values.size == 0:
        return TopK(_back(values, axis), _back(indices.astype(np.int64), axis))
    h = host(device)
    with h.lock:
        desc, args = _segments(h, rows)
        plan = h.plan("top_k", key=type_code(rows.dtype), largest=int(largest), sorted=1, equal_zeros=1, **desc)
        keys_out, indices_out = h.buffer("b", values.nbytes), h.buffer("c", indices.nbytes)
        h.run(plan, n=rows.size, k=k, keys_in=h.upload("a", rows), keys_out=keys_out, indices_out=indices_out, **args)
        h.download(keys_out, values)
        h.download(indices_out, indices)
    return TopK(_back(values, axis), _back(_local(indices, width), axis))


def searchsorted(a: ArrayLike, v: ArrayLike, side: str = "left", *, device: str | None = None) -> Any:
    """Places of the values v in the sorted 1-D array a, int64, as numpy.searchsorted. Both are
    compared in their common dtype. NaN with different bits are ordered by these.

    Returns int64 of the shape of v; a scalar if v is one."""
    if side not in ("left", "right"):
        raise ValueError(f"side: {side!r}; must be 'left' or 'right'")
    keys, queries = _native(a), _native(v)
    if keys.ndim != 1:
        raise ValueError(f"a: {keys.ndim} dimensions; must have 1")
    common = np.result_type(keys.dtype, queries.dtype)
    keys, queries = keys.astype(common, copy=False), queries.astype(common, copy=False)
    found = np.zeros(queries.shape, np.int64)
    if keys.size and queries.size:
        h = host(device)
        with h.lock:
            plan = h.plan("search", key=type_code(common), kind="search_lower" if side == "left" else "search_upper", equal_zeros=1)
            out = h.buffer("c", found.nbytes)
            h.run(plan, n=keys.size, num_queries=queries.size, keys=h.upload("a", keys), queries=h.upload("b", queries), indices_out=out)
            h.download(out, found)
    return found[()]


def histogram(a: ArrayLike, bins: Any = 10, range: tuple[float, float] | None = None, density: bool = False,
              weights: ArrayLike | None = None, *, device: str | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Counts and edges, as numpy.histogram: the last bin contains its upper edge. Elements are
    compared with the edges, so that counts agree with the edges. The device must have float64,
    unless a is float32 and the edges are, too. At most 2**20 bins.

    Returns (counts, edges) of shapes (bins,) and (bins + 1,). Counts are int64; with weights they
    are sums of weights, float64; with density=True float64."""
    values = _native(a).reshape(-1)
    edges = np.histogram_bin_edges(values, bins, range)
    if not 1 <= edges.size - 1 <= BINS:
        raise ValueError(f"bins: {edges.size - 1}; must be from 1 to {BINS}")
    loads = values
    common = np.result_type(values.dtype, edges.dtype)
    if common.kind != "f" or common == np.float16:
        common = np.dtype(np.float64)
    if values.dtype == np.float16:
        loads = values.astype(np.float32)
    levels = edges.astype(common)
    top = levels[-1]
    levels[-1] = np.nextafter(top, np.inf)
    found = _counts(loads, weights, edges.size - 1, {"type": type_code(common), "load_type": type_code(loads.dtype),
                                                     "kind": "histogram_levels"}, levels, device)
    if np.isposinf(top):
        last = loads == top
        found[-1] += np.count_nonzero(last) if weights is None else np.asarray(weights).reshape(-1)[last].sum()
    if density:
        found = found / np.diff(edges) / found.sum()
    return found, edges


def bincount(x: ArrayLike, weights: ArrayLike | None = None, minlength: int = 0, *, device: str | None = None) -> np.ndarray:
    """Counts of the integers of a 1-D array, or sums of their weights, as numpy.bincount. At most
    2**20 bins.

    Returns int64, with weights float64, of shape (m,): m is the larger of minlength and the largest
    element of x plus 1, or minlength if x is empty."""
    values = _native(x)
    if values.ndim != 1:
        raise ValueError(f"x: {values.ndim} dimensions; must have 1")
    if values.size and values.dtype.kind not in "biu":
        raise TypeError(f"x: {values.dtype}; must be integers")
    if minlength < 0:
        raise ValueError(f"minlength: {minlength}; must not be negative")
    if values.size and values.dtype.kind == "i" and values.min() < 0:
        raise ValueError(f"x: {values.min()}; must not be negative")
    number = max(int(values.max()) + 1 if values.size else 0, minlength)
    if number > BINS:
        raise ValueError(f"x: {number - 1}; must be below {BINS}")
    if number == 0:
        return np.zeros(0, np.int64 if weights is None else np.float64)
    return _counts(values, weights, number, {"type": type_code(values.dtype), "kind": "histogram_keys"}, None, device)


def _counts(values: np.ndarray, weights: ArrayLike | None, bins: int, desc: dict[str, Any], levels: np.ndarray | None,
            device: str | None) -> np.ndarray:
    heavy = None if weights is None else np.ascontiguousarray(weights, np.float64).reshape(-1)
    if heavy is not None and heavy.size != values.size:
        raise ValueError(f"weights: {heavy.size} elements; must have as many as the array, {values.size}")
    found = np.zeros(bins, np.int64 if heavy is None else np.float64)
    if values.size:
        h = host(device)
        with h.lock:
            desc |= {"counter": "u64"} if heavy is None else {"counter": "f64", "weight": "f64"}
            plan = h.plan("histogram", num_bins=bins, **desc)
            out = h.buffer("b", found.nbytes)
            args = {} if levels is None else {"levels": h.upload("levels", levels)}
            if heavy is not None:
                args["weights"] = h.upload("weights", heavy)
            h.run(plan, n=values.size, in_=h.upload("a", values), bins=out, **args)
            h.download(out, found)
    return found
