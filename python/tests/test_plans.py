# SPDX-License-Identifier: MIT
"""Plans on pyopencl's arrays and queues. Each primitive of the C interface runs."""
import re
import threading

import crosslane as xl
import numpy as np
import pytest

cl = pytest.importorskip("pyopencl")
cla = pytest.importorskip("pyopencl.array")


@pytest.fixture(scope="module")
def device():
    """A queue of the caller on the device of the other tests, and the context of it."""
    wanted = xl.Context().info()
    for platform in cl.get_platforms():
        for found in platform.get_devices():
            if found.name.strip() == wanted["name"].strip() and platform.name.strip() == wanted["platform"].strip():
                queue = cl.CommandQueue(cl.Context([found]))
                return queue, xl.Context.adopt(queue)
    pytest.skip("pyopencl does not find the device of the library")


def put(queue, values, dtype=np.uint32):
    return cla.to_device(queue, np.asarray(values, dtype))


def zeros(queue, shape, dtype=np.uint32):
    return cla.zeros(queue, shape, dtype)


PI = [3, 1, 4, 1, 5]


def test_every_primitive(device):
    queue, context = device
    source = put(queue, PI)
    seen = set()

    def check(plan, wanted, result, **args):
        seen.add(plan.primitive)
        assert plan.scratch(**args) >= 0 and plan.info(5)["algorithm"]
        plan.prepare(**args)
        event = plan.enqueue(queue, **args)
        event.wait()
        assert event.command_execution_status == cl.command_execution_status.COMPLETE
        np.testing.assert_array_equal(result.get(), wanted)

    out = zeros(queue, 5)
    check(context.scan(), [0, 3, 4, 8, 9], out, n=5, in_=source, out=out)
    check(context.scan(kind="inclusive", segments="segments_head_flags"), [3, 4, 4, 5, 10], out, n=5, in_=source, out=out,
          segments=put(queue, [0, 0, 1, 0, 0], np.uint8))
    check(context.scan(op="max", kind="XL_INCLUSIVE", segments="segments_offsets", segment_type=np.uint32), [3, 3, 4, 4, 5], out,
          n=5, in_=source, out=out, segments=put(queue, [0, 2, 5]))
    check(context.sort(), sorted(PI), out, n=5, keys_in=source, keys_out=out)
    check(context.sort(value="sort_indices", stable=True, values_only=True), [1, 3, 0, 2, 4], out, n=5, keys_in=source, values_out=out)
    check(context.transform(expression="x + y * factor", num_arrays=2, types=["u32", "u32"], params={"factor": "u32"}),
          [33, 11, 44, 11, 55], out, n=5, in_=[source, source], out=[out], params=[10])
    one = zeros(queue, 1)
    check(context.reduce(), [14], one, n=5, in_=source, out=one)
    check(context.reduce(op="user_op", user_op={"name": "f", "source": "uint f(uint a, uint b) { return a > b ? a : b; }",
                                                "identity": np.uint32(0), "flags": 1}), [5], one, n=5, in_=source, out=one)
    check(context.reduce(init=np.uint32(100), tunables={"reduce.group_size": 64}), [114], one, n=5, in_=source, out=one)
    two = zeros(queue, 2)
    check(context.top_k(largest=True), [5, 4], two, n=5, k=2, keys_in=source, keys_out=two)
    check(context.merge(), sorted([1, 3, 5, 2, 3]), out, n_a=3, n_b=2, keys_a=put(queue, [1, 3, 5]), keys_b=put(queue, [2, 3]), keys_out=out)
    check(context.merge(), sorted([3, 5, 1, 2, 3]), out, n_a=5, num_runs=3, runs=[0, 2, 2, 5], keys_a=put(queue, [3, 5, 1, 2, 3]), keys_out=out)
    places = zeros(queue, 2, np.uint64)
    check(context.search(), [1, 1], places, n=3, keys=put(queue, [1, 3, 5]), num_queries=2, queries=put(queue, [2, 3]), indices_out=places)
    count = zeros(queue, 1, np.uint64)
    check(context.select(predicate="x > 2"), [3], count, n=5, in_=source, count_out=count)
    bins = zeros(queue, 3)
    check(context.histogram(kind="histogram_keys", num_bins=3), [0, 3, 1], bins, n=4, in_=put(queue, [1, 2, 1, 1], np.uint8), bins=bins)
    points = put(queue, [[0, 0, 0], [1, 0, 0], [5, 0, 0]], np.float32)
    box = {"dimensions": 3, "scalar": "f32", "bounds": "bounds_given", "cell": np.diag([8.0, 8, 8]).tolist()}
    codes = zeros(queue, 3, np.uint64)
    context.morton(space=box).enqueue(queue, n=3, points=points, codes=codes).wait()
    assert codes.get()[0] == 0 and len(set(codes.get().tolist())) == 3
    near, far = zeros(queue, 3), zeros(queue, 3, np.float32)
    check(context.nearest_approximate(k=1, space=box), [1, 0, 1], near, n=3, points=points, indices=near, distances2=far)
    seen |= {"morton", "grid", "neighbors", "nearest"}  # the others: test_neighbors
    names = re.findall(r"xl_(\w+)_create\(", open(xl._library.__file__.replace("_library.py", "declarations.h"), encoding="ascii").read())
    assert set(names) - {"context", "grid_index", "program"} == seen


def test_neighbors(device):
    queue, context = device
    rng = np.random.default_rng(1)
    host = rng.uniform(0, 4, (300, 3)).astype("f4")
    points, index = put(queue, host, np.float32), context.index()
    grid = context.grid(cell_size=1.0)
    built = grid.build(queue, index, n=300, points=points)
    search = grid.neighbors(radius=1.0, details=True, visit="float visit(float s, float d2, uint i, uint j, float4 p) { return s + p.x; }")
    offsets, sums = zeros(queue, 301, np.uint64), zeros(queue, 300, np.float32)
    search.count(queue, index, offsets=offsets, waits=[built]).wait()
    pairs = int(offsets.get()[-1])
    indices, d2 = zeros(queue, pairs), zeros(queue, pairs, np.float32)
    args = {"offsets": offsets, "capacity": pairs, "indices": indices, "distances2": d2}
    search.fill(queue, index, **args).wait()
    assert search.status(queue, index, **args)["pairs"] == pairs
    assert index.status(queue)["points"] == 300 and index.event() is not None
    np.testing.assert_array_equal(indices.get(), xl.neighbor_list("j", host, 1.0))
    search.enqueue(queue, index, sums=sums, params=[2.0]).wait()
    np.testing.assert_array_equal(sums.get(), 2 * np.diff(offsets.get().astype(float)))
    with pytest.raises(xl.CapacityError, match="indices"):
        search.status(queue, index, **{**args, "capacity": 1})

    k = zeros(queue, (300, 4))
    nearest = grid.nearest(k=4)
    nearest.enqueue(queue, index, indices=k).wait()
    assert nearest.status(queue, index, indices=k)["short_rows"] == 0
    np.testing.assert_array_equal(k.get(), xl.NeighborSearch(host).query(None, 4)[1])

    order, back = zeros(queue, 300), zeros(queue, 300)
    numbers = put(queue, range(300))
    grid.reorder(queue, index, element_bytes=4, in_=numbers, out=order)
    grid.reorder(queue, index, element_bytes=4, back=True, in_=order, out=back).wait()
    np.testing.assert_array_equal(back.get(), range(300))
    moved = zeros(queue, 1)
    grid.moved(queue, index, distance=0.1, points=put(queue, host + np.float32(0.2) * (np.arange(300) < 7)[:, None], np.float32), moved=moved).wait()
    assert moved.get()[0] == 7

    program = context.program("""#include <crosslane/neighbors.cl>
    kernel void count(XL_NEIGHBORS_PARAMETERS(all), global uint *counts)
    {
        const xl_neighbors all = XL_NEIGHBORS_LOAD(all);
        const uint k = (uint)get_global_id(0);
        if (k >= xl_neighbors_points(&all))
            return;
        xl_neighbor near = xl_neighbors_of(&all, k);
        uint found = 0;
        XL_FOR_NEIGHBORS(near, all)
            found += 1;
        counts[near.self] = found;
    }""")
    kernel, counts = cl.Kernel(program, "count"), zeros(queue, 300)
    kernel.set_arg(index.set_kernel_args(kernel, radius=1.0), counts.data)
    cl.enqueue_nd_range_kernel(queue, kernel, (300,), None)
    np.testing.assert_array_equal(counts.get(), np.diff(offsets.get().astype(int)))


def test_user_kernels(device):
    queue, context = device
    program = context.program("#include <crosslane/lanes.cl>\nkernel void f(global uint *x) { x[get_global_id(0)] *= FACTOR; }", "-DFACTOR=3")
    x = put(queue, PI)
    cl.Kernel(program, "f")(queue, (5,), None, x.data)
    np.testing.assert_array_equal(x.get(), 3 * np.array(PI))


def test_events_order_calls_of_two_queues(device):
    queue, context = device
    other = cl.CommandQueue(queue.context)
    scan, a, b = context.scan(kind="inclusive"), put(queue, np.ones(100000)), zeros(queue, 100000)
    queue.finish()
    gate = cl.UserEvent(queue.context)
    first = scan.enqueue(queue, n=100000, in_=a, out=b, waits=[gate])
    second = scan.enqueue(other, n=100000, in_=b, out=a, waits=[first])
    assert second.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    second.wait()
    assert a.get()[-1] == 100000 * 100001 // 2 % 2**32


def test_views(device):
    queue, context = device
    a, out = put(queue, range(10)), zeros(queue, 10)
    scan = context.scan(kind="inclusive")
    scan.enqueue(queue, n=3, in_=a[4:7], out=out[2:5]).wait()
    np.testing.assert_array_equal(out.get()[:6], [0, 0, 4, 9, 15, 0])
    scan.enqueue(queue, n=3, in_=(a.base_data, 4), out=(out.base_data, 0, 3)).wait()
    assert out.get()[2] == 15
    scratch = zeros(queue, 1 << 16, np.uint8)
    scan.enqueue(queue, n=3, in_=a, out=out, scratch=scratch).wait()
    with pytest.raises(xl.InvalidArgumentError, match="args.in"):
        scan.enqueue(queue, n=4, in_=a[4:7], out=out)
    with pytest.raises(xl.OverlapError):
        scan.enqueue(queue, n=4, in_=a[0:4], out=a[1:5])
    with pytest.raises(ValueError, match="contiguous"):
        scan.enqueue(queue, n=3, in_=a[::2], out=out)


def test_wrong_descriptors(device):
    queue, context = device
    with pytest.raises(TypeError, match="typo: no such field; known: .*segment_width"):
        context.scan(typo=1)
    with pytest.raises(TypeError, match="n_a: no such field; known: n, "):
        context.scan().enqueue(queue, n_a=1)
    with pytest.raises(ValueError, match="no constant"):
        context.scan(kind="both")
    with pytest.raises(xl.InvalidArgumentError, match="desc.kind: 7") as caught:
        context.scan(kind=7)
    assert caught.value.status == xl.constant("ERROR_INVALID_ARGUMENT") and isinstance(caught.value, ValueError)
    with pytest.raises(xl.BuildError, match="undeclared_name"):
        context.select(predicate="x > undeclared_name")
    with pytest.raises(TypeError, match="segment_width: 'x'|no constant|is needed"):
        context.scan(segment_width=-1)
    with pytest.raises(TypeError, match="index"):
        context.grid(cell_size=1.0).build(queue, None)
    with pytest.raises(TypeError, match=r"grid: use build\(\)"):
        context.grid(cell_size=1.0).enqueue(queue, context.index())
    assert "in" in xl.fields("xl_scan_args") and xl.fields("xl_scan_desc")["type"] == "uint32_t"


def test_threads_share_a_plan(device):
    queue, context = device
    plan, wrong = context.sort(), []

    def work(seed):
        own = cl.CommandQueue(queue.context)
        for _ in range(5):
            a = np.random.default_rng(seed).integers(0, 2**32, 10000, np.uint32)
            keys = put(own, a)
            plan.enqueue(own, n=a.size, keys_in=keys, keys_out=keys).wait()
            if not np.array_equal(keys.get(), np.sort(a)):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
