# SPDX-License-Identifier: MIT
"""Primitives on NumPy arrays, compared with NumPy."""
import threading
import time

import crosslane as xl
import numpy as np
import pytest

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]
SHAPES = [(0,), (1,), (1000,), (3, 0), (7, 33), (4, 5, 6)]


def values(dtype, shape, seed=1):
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return rng.normal(size=shape).round(1).astype(kind)
    if kind.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    low, high = (-50, 50) if kind.kind == "i" else (0, 100)
    return rng.integers(low, high, shape).astype(kind)


def same(found, wanted):
    assert found.dtype == wanted.dtype.newbyteorder("=") and found.shape == wanted.shape
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sorts_of_all_dtypes(dtype):
    a = values(dtype, 1000)
    same(xl.sort(a), np.sort(a))
    same(xl.sort(a, descending=True), np.sort(a)[::-1])
    same(xl.argsort(a), np.argsort(a, kind="stable"))
    same(xl.unique(a), np.unique(a))
    for found, wanted in zip(xl.unique(a, return_counts=True), np.unique(a, return_counts=True)):
        same(found, wanted)
    best = xl.top_k(a, 7)
    same(best.values, np.sort(a)[::-1][:7])
    np.testing.assert_array_equal(a[best.indices], best.values)
    assert (np.diff(best.indices)[np.diff(best.values) == 0] > 0).all() if a.dtype.kind != "b" else True
    queries = values(dtype, 50, 2)
    for side in ("left", "right"):
        same(xl.searchsorted(np.sort(a), queries, side), np.searchsorted(np.sort(a), queries, side))


@pytest.mark.parametrize("dtype", ["u1", "i4", "f4", "f8"])
@pytest.mark.parametrize("shape", SHAPES)
def test_axes(dtype, shape):
    a = values(dtype, shape)
    for axis in (None, *range(-a.ndim, a.ndim)):
        same(xl.sort(a, axis), np.sort(a, axis))
        same(xl.argsort(a, axis), np.argsort(a, axis, kind="stable"))
        found, wanted = xl.cumsum(a, axis), np.cumsum(a, axis)
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-4)
        if axis is not None and a.shape[axis]:
            k = min(3, a.shape[axis])
            best = xl.top_k(a, k, axis, largest=False)
            same(best.values, np.take(np.sort(a, axis), range(k), axis))
            same(best.indices, np.take(np.argsort(a, axis, kind="stable"), range(k), axis))


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8"])
def test_sums_of_integers_are_exact(dtype):
    a = values(dtype, (3, 500))
    same(xl.cumsum(a), np.cumsum(a))
    same(xl.cumsum(a, 1, "i2"), np.cumsum(a, 1, "i2"))


def test_nan_and_zeros():
    a = np.array([1, np.nan, -0.0, 0.0, np.inf, -np.inf, np.nan, -1, -0.0])
    same(xl.sort(a), np.sort(a))
    same(xl.argsort(a), np.argsort(a, kind="stable"))
    same(xl.argsort(np.stack([a, a[::-1]])), np.argsort(np.stack([a, a[::-1]]), kind="stable"))
    found, counts = xl.unique(a, return_counts=True)
    wanted, numbers = np.unique(a, return_counts=True)
    same(found, wanted)
    same(counts, numbers)
    assert np.isnan(xl.top_k(a, 2).values).all()
    assert np.signbit(xl.sort(a)[2:4]).all(), "-0.0 comes before +0.0"
    same(xl.searchsorted(np.sort(a), [0.0, -0.0, np.inf, np.nan]), np.searchsorted(np.sort(a), [0.0, -0.0, np.inf, np.nan]))


def test_strides_and_byte_order():
    a = values("i4", (20, 30))
    for view in (a[::2, ::3], a.T, a[::-1], a.astype(">i4"), np.asfortranarray(a), a.astype(">f8"), a.astype("=i4")[3]):
        before = view.copy()
        same(xl.sort(view), np.sort(view))
        same(xl.cumsum(view, 0), np.cumsum(view, 0))
        np.testing.assert_array_equal(view, before)
    same(xl.sort([3, 1, 2]), np.array([1, 2, 3]))


def test_histograms():
    rng = np.random.default_rng(3)
    for a in (rng.normal(size=2000), rng.normal(size=2000).astype("f4"), rng.integers(-9, 9, 2000), rng.normal(size=2000).astype("f2"),
              rng.integers(0, 2**63, 500).astype("u8")):
        for options in ({}, {"bins": 7, "range": (-1, 1)}, {"bins": [-1, 0, 0.5, 3]}, {"bins": 5, "density": True}, {"bins": "sqrt"},
                        {"bins": [-1, 0, np.inf]}, {"bins": 20, "weights": rng.normal(size=a.size)}):
            found, wanted = xl.histogram(a, **options), np.histogram(a, **options)
            np.testing.assert_array_equal(found[1], wanted[1])
            if "weights" in options or "density" in options:
                np.testing.assert_allclose(found[0], wanted[0], rtol=1e-12, atol=1e-11)
            else:
                same(found[0], wanted[0])
    edges = np.arange(11) / 10
    same(xl.histogram(edges, 10, (0, 1))[0], np.histogram(edges, 10, (0, 1))[0])
    same(xl.histogram(np.array([np.nan, 0.5]), 2, (0, 1))[0], np.array([0, 1]))
    same(xl.histogram(np.empty(0))[0], np.histogram(np.empty(0))[0])


def test_bincount():
    for dtype in ("u1", "i8", "?"):
        a = values(dtype, 500)
        a = abs(a) if a.dtype.kind == "i" else a
        same(xl.bincount(a), np.bincount(a))
        same(xl.bincount(a, minlength=200), np.bincount(a, minlength=200))
        weights = values("f8", 500)
        np.testing.assert_allclose(xl.bincount(a, weights), np.bincount(a, weights), rtol=1e-12, atol=1e-12)
    same(xl.bincount(np.empty(0, int)), np.bincount(np.empty(0, int)))
    same(xl.bincount(np.empty(0, int), minlength=3), np.zeros(3, int))


def test_mixed_dtypes_of_a_search():
    a = np.arange(10, dtype="u1")
    same(xl.searchsorted(a, [-1, 300, 4]), np.searchsorted(a, [-1, 300, 4]))
    same(xl.searchsorted(a, [[0.5, 4.0]], "right"), np.searchsorted(a, [[0.5, 4.0]], "right"))
    assert xl.searchsorted(a, 5) == 5 and np.ndim(xl.searchsorted(a, 5)) == 0
    same(xl.searchsorted(a[:0], [1]), np.array([0]))


@pytest.mark.parametrize("call", [xl.sort, xl.argsort, xl.cumsum, xl.unique, lambda a: xl.top_k(a, 1), lambda a: xl.searchsorted(a, a)])
@pytest.mark.parametrize("dtype", ["c8", "S3", "O", "M8[s]", "longdouble"])
def test_wrong_dtypes(call, dtype):
    with pytest.raises(TypeError, match="not supported"):
        call(np.zeros(3, dtype) if dtype != "O" else np.array([1, None], object))


@pytest.mark.parametrize("call, text", [
    (lambda: xl.top_k([1, 2], 3), "k: 3; must be from 0"), (lambda: xl.bincount([-1]), "x: -1; must not be negative"),
    (lambda: xl.bincount([2**20]), "must be below 1048576"), (lambda: xl.histogram([1.0], 2**21), "bins: 2097152"),
    (lambda: xl.searchsorted([1], [1], "middle"), "side: 'middle'"), (lambda: xl.histogram([1.0], 2, weights=[1, 2]), "weights: 2"),
    (lambda: xl.sort(3), "axis"), (lambda: xl.histogram([np.nan]), "finite")])
def test_wrong_values(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_nothing_is_made_twice():
    host = xl._host.host()
    a = values("f4", 5000)
    xl.sort(a), xl.argsort(a), xl.unique(a)
    before = host.created
    for _ in range(3):
        xl.sort(a), xl.argsort(a), xl.unique(a[:100])
    assert host.created == before
    xl.release()
    same(xl.sort(a), np.sort(a))
    assert host.created > before


def test_memory_of_results_is_used_again():
    host = xl._host.host()
    a = values("f4", 2**17)
    wanted = np.sort(a)
    found = xl.sort(a)
    part = found[5:9]
    del found
    before = host.created
    other = xl.sort(-a)  # `part` still has the memory of the first result
    assert host.created == before + 1
    same(part, wanted[5:9])
    del part
    for _ in range(3):
        third = xl.sort(a)
        same(third, wanted)
        del third
    assert host.created == before + 1
    same(other, np.sort(-a))
    many = [xl.sort(a) for _ in range(2 * xl._host.ARRAYS)]
    del many
    xl.sort(a)
    assert len(host._memory) <= xl._host.ARRAYS + 1


def test_other_threads_run_during_a_call():
    a, ticks, ended = np.random.default_rng(1).random(1 << 22), [], threading.Event()

    def tick():
        while not ended.wait(0.001):
            ticks.append(time.perf_counter())

    xl.sort(a)  # compiles
    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.perf_counter()
    xl.sort(a)
    parts = 10 * (np.array(ticks) - begin) / (time.perf_counter() - begin)
    ended.set()
    thread.join()
    missing = set(range(10)) - set(np.floor(parts).astype(int))
    assert len(missing) < 5, missing


def test_threads():
    wrong = []

    def work(seed):
        for n in (10, 1000, 20000):
            a = values("i4", n, seed)
            if not (np.array_equal(xl.sort(a), np.sort(a)) and np.array_equal(xl.cumsum(a), np.cumsum(a))):
                wrong.append((seed, n))
            if seed == 0:
                xl.release()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
