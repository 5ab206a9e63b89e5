# SPDX-License-Identifier: MIT
"""Sorts of compyle's OpenCL backend by Crosslane. apply.py copies this file into compyle/."""
import functools

import numpy as np
import pyopencl.array as cla

import crosslane

MOST_VALUES = 4  # arrays that one xl_sort moves with the keys


@functools.lru_cache(maxsize=None)
def _context(queue):
    return crosslane.Context.adopt(queue)


@functools.lru_cache(maxsize=None)
def _plan(queue, key, values, bits):
    """key, values: bytes of an element; 0: the indices. Keys are ordered as unsigned numbers, as in compyle."""
    desc = {"key": f"u{8 * key}", "end_bit": bits, "stable": True}
    if values:
        desc["value"], *desc["more_values"] = [f"u{8 * size}" if size else "XL_SORT_INDICES" for size in values]
    return _context(queue).sort(**desc)


def _sort(queue, keys, values, outputs, bits):
    """Sorts pyopencl arrays. The first of the values may be None: the indices. Returns the last event."""
    if keys.dtype.kind not in "iu":
        raise ValueError(f"keys of {keys.dtype}; integers are needed")
    bits = min(bits or 64, 8 * keys.dtype.itemsize)
    for first in range(0, max(1, len(values)), MOST_VALUES):
        given, results = values[first:first + MOST_VALUES], outputs[1 + first:1 + first + MOST_VALUES]
        plan = _plan(queue, keys.dtype.itemsize, tuple(0 if a is None else a.dtype.itemsize for a in given), bits)
        views = {}
        if given:
            views = {"values_in": given[0], "values_out": results[0],
                     "more_values_in": given[1:], "more_values_out": results[1:]}
        event = plan.enqueue(queue, n=keys.size, keys_in=keys, keys_out=outputs[0], **views)
    return event


class RadixSort:
    """Takes the calls that compyle makes to pyopencl.algorithm.RadixSort."""

    def __call__(self, keys, *values, key_bits=None, allocator=None):
        outputs = [cla.empty(keys.queue, a.size, a.dtype, allocator=allocator) for a in (keys, *values)]
        return outputs, _sort(keys.queue, keys, values, outputs, key_bits)


def radix_sort(arrays, out_list=None, max_key_bits=None):
    """As compyle.sort.radix_sort on the OpenCL backend: the sorted arrays and the permutation."""
    from . import array
    from .opencl import get_queue
    outputs = list(out_list or [array.empty_like(a) for a in arrays])
    order = array.empty(arrays[0].length, np.int32, backend="opencl")
    keys, *values = [a.dev for a in arrays]
    _sort(get_queue(), keys, [None, *values], [a.dev for a in [outputs[0], order, *outputs[1:]]], max_key_bits)
    return outputs, order
