# SPDX-License-Identifier: MIT
"""The device, the plans and the buffers that calls on NumPy arrays share and keep."""
from __future__ import annotations

import os
import threading
from collections import OrderedDict, deque
from typing import Any

import numpy as np

from ._library import check_opencl, ffi, library, opencl
from .plans import Context, Index, Plan

PLANS = 64  # the one that was not used for longest makes room
ARRAYS = 10  # of host memory that are kept for results


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple((name, _frozen(item)) for name, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(item) for item in value)
    return value


class Host:
    """One device. Calls run one after another: hold `lock` from the first upload to the last
    download."""

    def __init__(self, device: str | None) -> None:
        self.lock = threading.RLock()
        self.context = Context(device=device)
        self.queue = library().xl_context_queue(self.context.handle)
        self.has_fp64 = bool(self.context.info()["has_fp64"])
        self._cl = library().xl_context_cl(self.context.handle)
        self._opencl = opencl()
        self._plans: OrderedDict[Any, Plan] = OrderedDict()
        self._buffers: dict[str, tuple[Any, int]] = {}
        self._memory: deque[Any] = deque()  # of arrays that were results; any thread may append to it
        self._index: Index | None = None
        self.created = 0  # plans, buffers and memory, for tests

    def release(self) -> None:
        with self.lock:
            self._plans.clear()
            self._buffers.clear()
            self._memory.clear()
            self._index = None

    def plan(self, primitive: str, parent: Plan | None = None, **desc: Any) -> Plan:
        key = (primitive, parent, _frozen(desc))
        found = self._plans.get(key)
        if found is None:
            source = self.context.handle if parent is None else parent.handle
            found = self._plans[key] = Plan(self.context, primitive, source, desc)
            self.created += 1
            while len(self._plans) > PLANS:
                self._plans.popitem(last=False)
        self._plans.move_to_end(key)
        return found

    def index(self) -> Index:
        """The index of calls that search once."""
        if self._index is None:
            self._index = self.context.index()
        return self._index

    def buffer(self, slot: str, size: int) -> Any:
        """A view of a buffer of at least `size` bytes; None if that is 0. The slot's earlier content is lost."""
        if size == 0:
            return None
        found, room = self._buffers.get(slot, (None, 0))
        if room < size:
            self._buffers.pop(slot, None)
            del found
            code = ffi.new("int32_t *")
            made = self._opencl.clCreateBuffer(self._cl, 1, size, ffi.NULL, code)
            check_opencl(code[0], f"clCreateBuffer of {size} bytes")
            found = ffi.gc(made, self._opencl.clReleaseMemObject)
            self._buffers[slot] = found, size
            self.created += 1
        return found, 0

    def upload(self, slot: str, array: np.ndarray) -> Any:
        """A view of a copy of a contiguous array."""
        view = self.buffer(slot, array.nbytes)
        if view is not None:
            check_opencl(self._opencl.clEnqueueWriteBuffer(self.queue, view[0], 1, 0, array.nbytes, ffi.from_buffer(array),
                                                           0, ffi.NULL, ffi.NULL), "clEnqueueWriteBuffer")
        return view

    def download(self, view: Any, array: np.ndarray, wait: bool = True) -> np.ndarray:
        """Fills a contiguous array from the beginning of a view. Without `wait` call finish()."""
        if array.nbytes:
            check_opencl(self._opencl.clEnqueueReadBuffer(self.queue, view[0], wait, 0, array.nbytes,
                                                          ffi.from_buffer(array, require_writable=True), 0, ffi.NULL, ffi.NULL),
                         "clEnqueueReadBuffer")
        return array

    def array(self, shape: Any, dtype: Any) -> np.ndarray:
        """An array for a result. When it and its views have ended, its memory serves another: new memory costs
        more than the copy into it, because the system must make its pages."""
        kind = np.dtype(dtype)
        size = int(np.prod(shape)) * kind.itemsize
        if size < 2**17:
            return np.empty(shape, kind)
        kept = [self._memory.popleft() for _ in range(len(self._memory))][-ARRAYS:]
        fits = next((k for k, memory in enumerate(kept) if size <= len(memory) < 2 * size), None)
        if fits is None:
            memory = ffi.from_buffer("char[]", np.empty(size + size // 8, np.uint8))
            self.created += 1
        else:
            memory = kept.pop(fits)
        self._memory.extendleft(reversed(kept))
        owner = ffi.gc(memory, self._memory.append)
        return np.frombuffer(ffi.buffer(owner, size), kind).reshape(shape)

    def finish(self) -> None:
        check_opencl(self._opencl.clFinish(self.queue), "clFinish")

    def run(self, plan: Plan, index: Index | None = None, call: str = "", **args: Any) -> None:
        plan._call(f"xl_{plan.primitive}_{call}enqueue", self.queue, index, (), args, ffi.NULL)


_hosts: dict[str | None, Host] = {}
_lock = threading.Lock()


def host(device: str | None = None) -> Host:
    """The shared device of calls on NumPy arrays; the first call makes it."""
    with _lock:
        if device not in _hosts:
            _hosts[device] = Host(device)
        return _hosts[device]


def _after_fork() -> None:
    """OpenCL does not survive fork(). The child forgets the devices and releases nothing; its next
    call asks the library for a context, whose error says why there is none."""
    global _lock
    _lock = threading.Lock()
    for one in _hosts.values():
        for buffer, _ in one._buffers.values():
            ffi.gc(buffer, None)
    _hosts.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def release() -> None:
    """Releases the plans and the device memory that calls on NumPy arrays keep. Objects that hold
    points keep theirs. Thread-safe; later calls make them anew."""
    with _lock:
        kept = list(_hosts.values())
    for one in kept:
        one.release()
