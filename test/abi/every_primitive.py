#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# usage: every_primitive.py LIBRARY LAYOUT
#
# A ctypes program that calls every primitive of the shared library by its documented symbols.
# LAYOUT (test/abi/layout.txt) gives the offset of each field, as it would to a generated binding.
import ctypes
import struct
import sys

xl = ctypes.CDLL(sys.argv[1])
cl = ctypes.CDLL("libOpenCL.so.1")
VERSION = xl.xl_version()
U8, U32, U64, F32 = 2, 6, 8, 10
CODES = {U8: "B", U32: "I", U64: "Q", F32: "f"}
fields = {}
for line in open(sys.argv[2], encoding="ascii"):
    name, *numbers = line.split()
    if name != "#":
        fields[name] = [int(number) for number in numbers[:len(numbers) // 2]]  # those of 64 bits

for name in ("xl_context_cl", "xl_context_queue", "xl_plan_context"):
    getattr(xl, name).restype = ctypes.c_void_p
xl.xl_context_error.restype = ctypes.c_char_p
cl.clCreateBuffer.restype = ctypes.c_void_p
context = ctypes.c_void_p()


def check(status, what):
    if status != 0:
        sys.exit(f"{what}: status {status}: {xl.xl_context_error(context).decode()}")


class Structure:
    """The bytes of a public structure."""

    def __init__(self, kind):
        self.kind = kind
        self.bytes = ctypes.create_string_buffer(fields[kind][0])
        self.kept = []

    def set(self, **values):
        for name, value in values.items():
            at, size = fields[f"{self.kind}.{name}"]
            if isinstance(value, Array):
                data = value.view()
            elif isinstance(value, Structure):
                data = value.bytes.raw
            elif isinstance(value, bytes):
                self.kept.append(ctypes.create_string_buffer(value))
                data = struct.pack("P", ctypes.addressof(self.kept[-1]))
            elif isinstance(value, float):
                data = struct.pack("f" if size == 4 else "d", value)
            elif isinstance(value, list):
                data = struct.pack(f"{len(value)}{'f' if size == 4 * len(value) else 'd'}", *value)
            else:
                data = int(value).to_bytes(size, "little")
            ctypes.memmove(ctypes.addressof(self.bytes) + at, data, len(data))
        return self


class Array:
    """A buffer on the device."""

    def __init__(self, code, values):
        self.code, self.n = CODES[code], len(values)
        data = struct.pack(f"{self.n}{self.code}", *values)
        self.size = len(data)
        copy_host = 1 << 5
        code = ctypes.c_int()
        self.buffer = cl.clCreateBuffer(ctypes.c_void_p(xl.xl_context_cl(context)), ctypes.c_uint64(copy_host),
                                        ctypes.c_size_t(self.size), data, ctypes.byref(code))
        check(code.value, "clCreateBuffer")

    def view(self):
        return struct.pack("PNN", self.buffer, 0, 0)

    def expect(self, what, wanted):
        data = ctypes.create_string_buffer(self.size)
        check(cl.clEnqueueReadBuffer(queue, ctypes.c_void_p(self.buffer), 1, ctypes.c_size_t(0),
                                     ctypes.c_size_t(self.size), data, 0, None, None), "clEnqueueReadBuffer")
        got = list(struct.unpack(f"{self.n}{self.code}", data.raw))[:len(wanted)]
        if got != wanted:
            sys.exit(f"{what}: {got}, not {wanted}")


def descriptor(primitive, **values):
    desc = Structure(f"xl_{primitive}_desc")
    getattr(xl, f"xl_{primitive}_desc_init_version")(desc.bytes, VERSION)
    return desc.set(**values)


def create(primitive, source=None, **values):
    """A plan, made from the context or from the plan of a grid."""
    plan = ctypes.c_void_p()
    desc = descriptor(primitive, **values)
    check(getattr(xl, f"xl_{primitive}_create")(source or context, desc.bytes, ctypes.byref(plan)), primitive)
    return plan


def run(primitive, desc, **values):
    plan = create(primitive, **desc)
    args = Structure(f"xl_{primitive}_args").set(**values)
    details = Structure("xl_plan_details")
    scratch = ctypes.c_size_t()
    check(getattr(xl, f"xl_{primitive}_scratch")(plan, args.bytes, ctypes.byref(scratch)), primitive)
    check(xl.xl_plan_info(plan, ctypes.c_size_t(8), details.bytes), primitive)
    check(getattr(xl, f"xl_{primitive}_enqueue")(plan, queue, args.bytes, 0, None, None), primitive)
    assert xl.xl_plan_context(plan) == context.value
    xl.xl_plan_destroy(plan)


def on_index(call, plan, index, kind, **values):
    args = Structure(kind).set(**values)
    check(getattr(xl, call)(plan, index, queue, args.bytes, 0, None, None), call)


check(xl.xl_context_create(None, ctypes.byref(context)), "context")
queue = ctypes.c_void_p(xl.xl_context_queue(context))
u32 = lambda *values: Array(U32, values)
pi = (3, 1, 4, 1, 5)

out = u32(*pi)
run("scan", {}, n=5, **{"in": u32(*pi)}, out=out)
out.expect("scan", [0, 3, 4, 8, 9])
out = u32(0)
run("reduce", {}, n=5, **{"in": u32(*pi)}, out=out)
out.expect("reduce", [14])
out = u32(*pi)
run("sort", {}, n=5, keys_in=u32(*pi), keys_out=out)
out.expect("sort", [1, 1, 3, 4, 5])
out = u32(0, 0)
run("top_k", {}, n=5, k=2, keys_in=u32(*pi), keys_out=out)
out.expect("top_k", [5, 4])
out = u32(*pi)
run("merge", {}, n_a=3, n_b=2, keys_a=u32(1, 3, 5), keys_b=u32(2, 3), keys_out=out)
out.expect("merge", [1, 2, 3, 3, 5])
out = Array(U64, (9, 9))
run("search", {}, n=3, keys=u32(1, 3, 5), num_queries=2, queries=u32(2, 3), indices_out=out)
out.expect("search", [1, 1])
out = u32(9, 9, 9)
run("select", {}, n=5, **{"in": u32(3, 0, 4, 0, 5)}, capacity=3, out=out)
out.expect("select", [3, 4, 5])
out = u32(9, 9, 9)
run("histogram", {"kind": 1, "num_bins": 3}, n=4, **{"in": Array(U8, (1, 2, 1, 1))}, bins=out)
out.expect("histogram", [0, 3, 1])
out = u32(*pi)
run("transform", {"expression": b"2 * x"}, n=5, **{"in": u32(*pi)}, out=out)
out.expect("transform", [6, 2, 8, 2, 10])
points = Array(F32, (0, 0, 0, 1, 0, 0, 5, 0, 0))
box = Structure("xl_space").set(dimensions=3, scalar=F32, bounds=1, cell=[8.0, 0.0, 0.0, 0.0, 8.0, 0.0, 0.0, 0.0, 8.0])
run("morton", {"space": box}, n=3, points=points, codes=Array(U64, (0, 0, 0)))
out = u32(9, 9, 9)
run("nearest_approximate", {"k": 1, "space": box}, n=3, points=points, indices=out,
    distances2=Array(F32, (0, 0, 0)))
out.expect("nearest_approximate", [1, 0, 1])

grid, index = create("grid", cell_size=2.0), ctypes.c_void_p()
check(xl.xl_grid_index_create(context, ctypes.byref(index)), "grid")
on_index("xl_grid_build_enqueue", grid, index, "xl_grid_build_args", n=3, points=points)
check(xl.xl_grid_index_status(index, queue, Structure("xl_grid_report").bytes, 0, None), "grid")
search, offsets, indices = create("neighbors", grid, radius=2.0), Array(U64, (9, 9, 9, 9)), u32(9, 9)
on_index("xl_neighbors_enqueue", search, index, "xl_neighbors_args", capacity=2, offsets=offsets, indices=indices)
offsets.expect("neighbors", [0, 1, 2, 2])
indices.expect("neighbors", [1, 0])
nearest, out = create("nearest", grid, k=1), u32(9, 9, 9)
on_index("xl_nearest_enqueue", nearest, index, "xl_nearest_args", indices=out)
out.expect("nearest", [1, 0, 1])
for plan in (nearest, search, grid):
    xl.xl_plan_destroy(plan)
xl.xl_grid_index_destroy(index)

numbers = (ctypes.c_uint32 * 5)(*pi)
check(xl.xl_simple_inclusive_sum(context, U32, U32, ctypes.c_size_t(5), numbers, numbers), "simple")
assert list(numbers) == [3, 4, 8, 9, 14]
xl.xl_context_destroy(context)
print("every primitive gave the results wanted")
