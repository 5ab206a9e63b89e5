#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: bench.py [--points 1000,100000,1000000] [--seconds 5]

Time of one list of neighbours, in ms, the shortest of several: random points in a periodic box, a
cutoff with 34 neighbours on average, all pairs in both directions (SciPy: each pair once). j:
indices, i: their rows, d: distances. C: the library's xl_simple_neighbors() without Python; the
quotients are those of the same device and precision. Packages that are not installed are left out.
"""
import argparse
import importlib
import os
import sys
import time

import crosslane as xl
import numpy as np
from crosslane import _library

NEIGHBORS = 34


def shortest(call, seconds, compiles):
    if compiles:
        call()
    times, start = [], time.perf_counter()
    while not times or (len(times) < 100 and time.perf_counter() - start < seconds):
        before = time.perf_counter()
        call()
        times.append(time.perf_counter() - before)
    return min(times)


def quotient(call, base, seconds):
    """Median time of `call` by that of `base`, in turns, so that other programs slow both down."""
    times, start = [], time.perf_counter()
    while len(times) < 5 or time.perf_counter() - start < 2 * seconds:
        before = time.perf_counter()
        base()
        between = time.perf_counter()
        call()
        times.append((between - before, time.perf_counter() - between))
    median = np.median(times, axis=0)
    return median[1] / median[0]


def c_call(points, edge, cutoff, details):
    """The simple call on arrays of the host, by its documented interface."""
    lib, ffi, context = _library.library(), _library.ffi, xl._host.host().context.handle
    space, found = ffi.new("xl_space *"), ffi.new("xl_neighbor_list *")
    space.dimensions, space.scalar, space.bounds = 3, _library.type_code(points.dtype), xl.constant("BOUNDS_GIVEN")
    space.periodic, space.cell, space.wrap = 7, (np.eye(3) * edge).tolist(), 1
    data = ffi.from_buffer(points)

    def call():
        _library.check(lib.xl_simple_neighbors(context, space, len(points), data, cutoff, details, found), context)
        pairs = found.offsets[found.n]
        lib.xl_simple_free(found)
        return pairs
    return call


def others(points, edge, cutoff):
    def have(name):
        try:
            return importlib.import_module(name)
        except ImportError:
            return None
    wide = points.astype(np.float64)
    if have("matscipy.neighbours"):
        from matscipy.neighbours import neighbour_list
        yield "matscipy ijd", lambda: neighbour_list("ijd", cutoff=cutoff, positions=wide, cell=np.eye(3) * edge, pbc=[True] * 3)
    if have("vesin"):
        import vesin
        # Its list by itself: it is free to keep memory between calls.
        calculator = vesin.NeighborList(cutoff=cutoff, full_list=True)
        yield "vesin ijd", lambda: calculator.compute(points=wide, box=np.eye(3) * edge, periodic=True, quantities="ijd")
    if have("freud"):
        import freud
        box, narrow = freud.box.Box.cube(edge), (points - edge / 2).astype(np.float32)
        query = {"mode": "ball", "r_max": cutoff, "exclude_ii": True}
        yield "freud ijd, float32", lambda: freud.locality.AABBQuery(box, narrow).query(narrow, query).toNeighborList()
    if have("scipy.spatial"):
        from scipy.spatial import KDTree
        yield "SciPy ij", lambda: KDTree(wide, boxsize=edge).query_pairs(cutoff, output_type="ndarray")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", default="1000,100000,1000000")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement")
    options = parser.parse_args()
    sizes = [int(number) for number in options.points.split(",")]
    table, quotients = {}, {}
    for n in sizes:
        edge = n ** (1 / 3)
        cutoff = (NEIGHBORS * 3 / (4 * np.pi)) ** (1 / 3)
        points = np.random.default_rng(1).uniform(0, edge, (n, 3))
        calls = {}
        for kind in ("float32", "float64"):
            given = np.minimum(points.astype(kind), np.nextafter(np.dtype(kind).type(edge), 0))
            calls[f"C j, {kind}"] = c_call(given, edge, cutoff, 0)
            calls[f"C jd, {kind}"] = c_call(given, edge, cutoff, xl.constant("LIST_DISTANCES"))
            for quantities in ("j", "ij", "jd", "ijd", "ijdDS"):
                calls[f"crosslane {quantities}, {kind}"] = lambda given=given, quantities=quantities: xl.neighbor_list(
                    quantities, given, cutoff, cell=edge)
        ours = set(calls)
        calls.update(others(points, edge, cutoff))
        for name, call in calls.items():
            table.setdefault(name, {})[n] = shortest(call, options.seconds, name in ours)
            print(f"{n:,} {name}: {1e3 * table[name][n]:.2f} ms", file=sys.stderr)
        for kind in ("float32", "float64"):
            quotients.setdefault(kind, []).append(quotient(calls[f"crosslane j, {kind}"], calls[f"C j, {kind}"], options.seconds))
        xl.release()
    print(f"{xl._host.host().context.info()['name'].strip()}, {os.cpu_count()} CPU cores; ms")
    print(f"{'':28}" + "".join(f"{n:>12,}" for n in sizes))
    for name, times in table.items():
        print(f"{name:28}" + "".join(f"{1e3 * times[n]:12.2f}" for n in sizes))
    for kind, values in quotients.items():
        print(f"{'crosslane j / C j, ' + kind:28}" + "".join(f"{value:12.3f}" for value in values))


main()
