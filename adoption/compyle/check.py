#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: check.py CHECKOUT

Sorts the same arrays with a checkout of compyle as it is and with Crosslane on its OpenCL backend,
compares all results exactly, and prints times: the median of ten calls and, in parentheses, the least. CHECKOUT is not changed. Needs the
packages crosslane, pyopencl and those that compyle requires. PYOPENCL_CTX chooses the device.
"""
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from apply import apply

RUNS = 11


def cases():
    """Name, arrays (keys first), key bits, timed."""
    rng = np.random.default_rng(1)

    def integers(n, dtype, high=None):
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max if high is None else high, n, dtype, endpoint=high is None)

    n = 10**6
    yield "10^6 u32 pairs", [integers(n, np.uint32), np.arange(n, dtype=np.uint32)], None, True
    yield "10^6 u32 pairs of 20 bits", [integers(n, np.uint32, 2**20), np.arange(n, dtype=np.uint32)], 20, True
    yield "u32 alone", [integers(4097, np.uint32)], None, False
    yield "i32, also below 0", [integers(10007, np.int32), np.arange(10007, dtype=np.int32)], None, False
    # More values than one xl_sort moves, of two sizes; many equal keys show that the sort is stable.
    values = [rng.normal(size=50021), *[integers(50021, t) for t in (np.int32, np.uint64, np.int64, np.uint32)]]
    yield "i32 of 0 to 6, five values", [rng.integers(0, 7, 50021, np.int32), *values], None, False
    yield "one pair", [np.array([3], np.uint32), np.array([5], np.uint32)], None, False


def measure(result):
    from compyle import array
    from compyle.config import get_config
    from compyle.opencl import get_queue
    from compyle.sort import radix_sort
    get_config().use_opencl = get_config().use_double = True
    queue = get_queue()
    platform = queue.device.platform
    saved = {"device": f"{queue.device.name.strip()}, {platform.name} {platform.version}"}
    for name, arrays, bits, timed in cases():
        for function, sort in (("sort_by_keys", lambda a: array.sort_by_keys(a, key_bits=bits)),
                               ("radix_sort", lambda a: radix_sort(a, max_key_bits=bits, backend="opencl")[0])):
            times = []
            for _ in range(RUNS if timed else 1):
                wrapped = [array.wrap_array(a, "opencl") for a in arrays]
                queue.finish()
                start = time.perf_counter()
                results = sort(wrapped)
                queue.finish()
                times.append(1e3 * (time.perf_counter() - start))
            label = f"{function}: {name}"
            if timed:  # the first run compiles
                saved[label + "|ms"] = [statistics.median(times[1:]), min(times[1:])]
            for k, a in enumerate(results):
                saved[f"{label}|{k}"] = a.get()
    np.savez(result, **saved)


def main(checkout):
    work = Path(__file__).resolve().parents[2] / "build" / "compyle"
    found = {}
    for name in ("before", "after"):
        shutil.rmtree(work / name, ignore_errors=True)
        shutil.copytree(checkout, work / name)
        if name == "after":
            apply(work / name)
        result = work / f"{name}.npz"
        path = os.pathsep.join(filter(None, [str(work / name), os.environ.get("PYTHONPATH")]))
        environment = {**os.environ, "PYTHONPATH": path, "PYOPENCL_CTX": os.environ.get("PYOPENCL_CTX", "0")}
        subprocess.run([sys.executable, __file__, "--measure", result], env=environment, check=True)
        found[name] = dict(np.load(result))
    before, after = found["before"], found["after"]
    print(after["device"])
    assert before["device"] == after["device"] and before.keys() == after.keys()
    failed = False
    for label in dict.fromkeys(key.split("|")[0] for key in before if "|" in key):
        arrays = [key for key in before if key.startswith(label + "|") and not key.endswith("|ms")]
        equal = all(before[k].dtype == after[k].dtype and before[k].tobytes() == after[k].tobytes() for k in arrays)
        failed |= not equal
        ms = ""
        if label + "|ms" in before:
            ms = " -> ".join("{:.1f} ({:.1f})".format(*result[label + "|ms"]) for result in (before, after)) + " ms"
        print(f"{label:42} {'equal' if equal else 'DIFFERENT':10} {len(arrays)} arrays {ms}")
    return failed


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2])
    elif len(sys.argv) == 2:
        sys.exit(main(sys.argv[1]))
    else:
        sys.exit(__doc__.splitlines()[0])
