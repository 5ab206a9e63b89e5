# SPDX-License-Identifier: MIT
"""Neighbour search, compared with a loop over all pairs and images, and with other packages."""
import itertools

import crosslane as xl
import numpy as np
import pytest

CELLS = {
    "box": np.diag([3.0, 4.0, 5.0]),
    "thin": np.diag([0.3, 4.0, 5.0]),
    "skewed": np.array([[3.0, 0, 0], [2.9, 1.5, 0], [-2.5, 1.0, 2.0]]),
    "left": np.array([[0, 3.0, 0], [3.0, 0.5, 0], [0.25, 0, 4.0]]),
    "negative": np.diag([-3.0, 4.0, 5.0]),
}
PERIODICITIES = list(itertools.product([False, True], repeat=3))


def every_pair(points, cell, pbc, cutoff):
    """{(i, j, S)} and distances by a loop over images; squares are compared, as by the library."""
    points = np.asarray(points, float)
    n, dimensions = points.shape
    if n == 0:
        return {}
    spans = [range(1)] * dimensions
    if np.any(pbc):
        full = np.asarray(cell, float).copy()
        used = [k for k in range(dimensions) if pbc[k]]
        inverse = np.linalg.pinv(full[used])  # fractions along the periodic vectors
        fractions = points @ inverse
        reach = cutoff * np.linalg.norm(inverse, axis=0)
        for at, k in enumerate(used):
            most = int(np.ceil(np.ptp(fractions[:, at]) + reach[at])) + 1
            spans[k] = range(-most, most + 1)
    found = {}
    for shift in itertools.product(*spans):
        move = np.array(shift, float) @ np.asarray(cell, float) if np.any(pbc) else 0
        d = points[None, :, :] + move - points[:, None, :]
        square = (d * d).sum(-1)
        for i, j in zip(*np.nonzero(square < cutoff * cutoff)):
            if i != j or any(shift):
                found[int(i), int(j), shift] = np.sqrt(square[i, j])
    return found


def as_dict(i, j, d, S):
    pairs = [(a, b, tuple(s)) for a, b, s in zip(i.tolist(), j.tolist(), S.tolist())]
    assert len(set(pairs)) == len(pairs), "a pair occurs twice"
    return dict(zip(pairs, d.tolist()))


def compare(points, cell, pbc, cutoff):
    i, j, d, D, S = xl.neighbor_list("ijdDS", points, cutoff, cell=cell, pbc=pbc)
    found, wanted = as_dict(i, j, d, S), every_pair(points, cell, pbc, cutoff)
    assert found.keys() == wanted.keys()
    assert (np.diff(i) >= 0).all()
    scale = 1e-12 * (1 + np.abs(points).max(initial=0) + np.abs(cell).max() * (1 + np.abs(S).max(initial=0)))
    np.testing.assert_allclose([found[p] for p in wanted], [wanted[p] for p in wanted], atol=scale, rtol=0)
    np.testing.assert_allclose(D, points[j] - points[i] + S @ cell, atol=scale, rtol=0)
    np.testing.assert_allclose(np.linalg.norm(D, axis=1), d, atol=scale, rtol=0)


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.parametrize("pbc", PERIODICITIES)
def test_cells_and_periodicities(name, pbc):
    rng = np.random.default_rng(4)
    cell = CELLS[name]
    for n, spread in ((0, 0), (1, 0), (2, 1), (12, 3), (33, 1)):  # spread: also points outside the cell
        fractions = rng.uniform(-spread, 1 + spread, (n, 3))
        compare(fractions @ cell, cell, pbc, 1.1)


@pytest.mark.parametrize("n", range(34))
def test_small_numbers(n):
    points = np.random.default_rng(n).uniform(0, 2, (n, 3))
    compare(points, np.diag([2.0, 2.0, 2.0]), (True, True, False), 0.9)


@pytest.mark.parametrize("dimensions", [1, 2])
def test_fewer_dimensions(dimensions):
    rng = np.random.default_rng(5)
    cell = np.array([[2.0, 0.3], [-0.5, 3.0]])[:dimensions, :dimensions]
    for pbc in itertools.product([False, True], repeat=dimensions):
        compare(rng.uniform(-3, 5, (20, dimensions)), cell, pbc, 1.3)


def test_exactly_at_the_cutoff():
    grid = np.array(list(itertools.product(range(4), repeat=3)), float)
    for pbc in (True, False):
        for cutoff in (1.0, np.sqrt(2.0), 2.0):
            below = every_pair(grid, np.eye(3) * 4, (pbc,) * 3, cutoff)
            i, j, d, S = xl.neighbor_list("ijdS", grid, cutoff, cell=4.0, pbc=pbc)
            assert as_dict(i, j, d, S).keys() == below.keys()
    search = xl.NeighborSearch(grid)
    assert len(search.query_pairs(1.0)) == 3 * 3 * 16 and not search.query_pairs(1.0, inclusive=False)
    assert search.query_ball(grid[0], 0.0) == [0] and search.query_ball(grid[0], 0.0, inclusive=False) == []


def test_float32_is_searched_in_float32():
    points = np.random.default_rng(6).uniform(0, 5, (200, 3)).astype("f4")
    d, D = xl.neighbor_list("dD", points, 1.0, cell=5.0)
    assert d.dtype == D.dtype == np.float32
    i, j = xl.neighbor_list("ij", points, 1.0)
    d2 = ((points[:, None] - points[None]) ** 2).astype("f4")
    near = (d2[..., 0] + d2[..., 1]) + d2[..., 2] < np.float32(1)
    np.fill_diagonal(near, False)
    np.testing.assert_array_equal(np.argwhere(near), np.stack([i, j], 1))


def test_layouts_of_points():
    points = np.random.default_rng(7).uniform(0, 3, (40, 6))
    wanted = xl.neighbor_list("ij", points[:, :3].copy(), 1.0)
    for view in (points[:, :3], np.asfortranarray(points[:, :3]), points[:, :3].astype(">f8"), points[:, :3].tolist()):
        np.testing.assert_array_equal(xl.neighbor_list("ij", view, 1.0), wanted)
    assert len(xl.neighbor_list("i", np.arange(5)[:, None], 1.5)) == 8  # integers


def test_cutoffs_of_points_and_self():
    points = np.random.default_rng(8).uniform(0, 3, (30, 3))
    radii = np.random.default_rng(9).uniform(0.1, 0.8, 30)
    i, j, d, S = xl.neighbor_list("ijdS", points, radii, cell=3.0)
    pairs = every_pair(points, np.eye(3) * 3, (1, 1, 1), 2 * radii.max())
    assert as_dict(i, j, d, S).keys() == {p for p, length in pairs.items() if length < radii[p[0]] + radii[p[1]]}
    assert (xl.neighbor_list("d", points, 0.01, self_interaction=True) == 0).sum() == 30


@pytest.mark.parametrize("call, kind, text", [
    (lambda p: xl.neighbor_list("ix", p, 1.0), ValueError, "quantities"),
    (lambda p: xl.neighbor_list("i", p.astype(complex), 1.0), TypeError, "dtype complex128"),
    (lambda p: xl.neighbor_list("i", p.ravel(), 1.0), ValueError, "shape"),
    (lambda p: xl.neighbor_list("i", p, [1.0, 2.0]), ValueError, "cutoff: shape"),
    (lambda p: xl.neighbor_list("i", p, {("H", "O"): 1.0}), TypeError, "ase.Atoms"),
    (lambda p: xl.neighbor_list("i", p, 1.0, pbc=True), ValueError, "cell: None"),
    (lambda p: xl.neighbor_list("i", p, 1.0, cell=np.eye(2)), ValueError, "cell: shape"),
    (lambda p: xl.neighbor_list("i", p, 1.0, cell=np.ones((3, 3))), xl.InvalidArgumentError, "cell"),
    (lambda p: xl.neighbor_list("i", p * np.nan, 1.0), xl.NonFiniteError, "first at index 0"),
    (lambda p: xl.neighbor_list("i", p, np.inf), xl.InvalidArgumentError, "cell_size"),
    (lambda p: xl.NeighborSearch(p).query(p[:, :2]), ValueError, "x: shape"),
    (lambda p: xl.NeighborSearch(p).query(p, 0), ValueError, "k: 0"),
    (lambda p: xl.NeighborSearch(p).query(p * np.nan), ValueError, "x: NaN"),
    (lambda p: xl.NeighborSearch(p).query_ball(p, -1), ValueError, "r: negative"),
    (lambda p: xl.NeighborSearch(p).query_pairs(1, output_type="list"), ValueError, "output_type")])
def test_wrong_arguments(call, kind, text):
    with pytest.raises(kind, match=text):
        call(np.random.default_rng(0).uniform(0, 1, (5, 3)))
    assert len(xl.neighbor_list("i", np.zeros((2, 3)), 1.0)) == 2  # the next call is right


def test_repeated_calls_make_nothing():
    points = np.random.default_rng(10).uniform(0, 5, (500, 3))
    host = xl._host.host()
    xl.neighbor_list("ijD", points, 1.0, cell=5.0, pbc=(True, True, False))
    before = host.created
    for k in range(5):  # points of a slab that move a little
        xl.neighbor_list("ijD", points + 0.001 * k, 0.99 + 0.01, cell=5.0, pbc=(True, True, False))
    assert host.created == before


@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_many_pairs(kind, monkeypatch):
    points = np.random.default_rng(13).uniform(0, 1, (1100, 3)).astype(kind)
    found = xl.neighbor_list("ijd", points, 2.0)
    assert len(found[0]) == 1100 * 1099 >= xl.neighbors.MANY_PAIRS
    assert np.array_equal(found[0], np.repeat(np.arange(1100), 1099))
    monkeypatch.setattr(xl.neighbors, "MANY_PAIRS", 2**40)
    for array, other in zip(found, xl.neighbor_list("ijd", points, 2.0)):
        assert array.dtype == other.dtype
        assert np.array_equal(array, other)


def test_as_kdtree():
    spatial = pytest.importorskip("scipy.spatial")
    rng = np.random.default_rng(11)
    for dimensions, n in itertools.product((1, 2, 3), (1, 2, 17, 1000)):
        points, x = rng.uniform(0, 1, (n, dimensions)), rng.uniform(-0.3, 1.3, (4, 5, dimensions))
        tree, search = spatial.KDTree(points), xl.NeighborSearch(points)
        for k in (1, 20):
            found, wanted = search.query(x, k), tree.query(x, k)
            np.testing.assert_array_equal(found[1], wanted[1])
            np.testing.assert_allclose(found[0], wanted[0], rtol=1e-14)
        found, wanted = search.query(x, 20, max_distance=0.1), tree.query(x, 20, distance_upper_bound=0.1)
        np.testing.assert_array_equal(found[1], wanted[1])
        assert np.shape(search.query(x[0, 0])[0]) == () and search.query(x[0, 0], 2)[1].shape == (2,)
        if dimensions == 3:
            np.testing.assert_array_equal(search.query()[1], tree.query(points, 2)[1][:, 1])
        for r in (0.05, 0.4, *([rng.uniform(0, 0.3, (4, 5))] if dimensions == 3 else [])):
            found, wanted = search.query_ball(x, r), tree.query_ball_point(x, r, return_sorted=True)
            assert found.shape == wanted.shape and (found == wanted).all()
        assert search.query_ball(x[0, 0], 0.2) == tree.query_ball_point(x[0, 0], 0.2, return_sorted=True)
        assert search.query_pairs(0.1) == tree.query_pairs(0.1)
        pairs = search.query_pairs(0.1, output_type="ndarray")
        assert set(map(tuple, pairs.tolist())) == tree.query_pairs(0.1) and pairs.dtype == np.int64
        rows = search.query_ball(x, 0.2, csr=True, distances=True)
        assert rows.offsets[-1] == len(rows.indices) == len(rows.distances)
        flat = np.repeat(np.arange(20), np.diff(rows.offsets))
        np.testing.assert_allclose(rows.distances, np.linalg.norm(x.reshape(20, -1)[flat] - points[rows.indices], axis=1), atol=1e-14)


def test_periodic_kdtree():
    spatial = pytest.importorskip("scipy.spatial")
    rng = np.random.default_rng(12)
    points, box = rng.uniform(0, 1, (300, 3)) * [1, 2, 3], [1, 2, 3]
    tree, search = spatial.KDTree(points, boxsize=box), xl.NeighborSearch(points, cell=box)
    assert search.query_pairs(0.3) == tree.query_pairs(0.3)
    x = rng.uniform(-1, 4, (20, 3))
    assert (search.query_ball(x, 0.3) == tree.query_ball_point(x, 0.3, return_sorted=True)).all()
    np.testing.assert_array_equal(search.query(x, 5)[1], tree.query(x, 5)[1])
    assert search.query_pairs(0.3, output_type="csr").offsets[-1] == len(tree.query_pairs(0.3))


def test_empty_searches():
    for n, m in ((0, 3), (3, 0), (0, 0)):
        search, x = xl.NeighborSearch(np.zeros((n, 3))), np.zeros((m, 3))
        d, i = search.query(x, 2)
        assert d.shape == i.shape == (m, 2) and (d == np.inf).all() or n
        assert search.query_ball(x, 1.0).shape == (m,)
        assert search.query_ball(x, 1.0, csr=True).offsets.shape == (m + 1,)
        assert len(search.query_pairs(1.0)) == (3 if n else 0)


def structures():
    build = pytest.importorskip("ase.build")
    import ase
    slab = build.fcc111("Cu", (3, 3, 4), vacuum=6.0)
    water = build.molecule("H2O")
    bulk = build.bulk("NaCl", "rocksalt", a=5.64) * (2, 1, 3)
    thin = build.bulk("Si", cubic=False)
    outside = bulk.copy()
    outside.positions += [100.0, -50.0, 3.0]
    left = ase.Atoms("H5", np.random.default_rng(1).uniform(-9, 9, (5, 3)), cell=[[0, 3, 0], [3, 1, 0], [0, 0, -4]], pbc=(1, 0, 1))
    return [slab, water, bulk, thin, outside, left, ase.Atoms(cell=[1, 1, 1], pbc=True)]


def awkward():
    """Each cell with each periodicity, 0 to 33 atoms; and a lattice whose pairs are exactly at the cutoffs."""
    ase = pytest.importorskip("ase")
    rng = np.random.default_rng(14)
    numbers = itertools.cycle(range(34))
    for cell, pbc in itertools.product(CELLS.values(), PERIODICITIES):
        number = next(numbers)
        yield ase.Atoms(f"H{number}" if number else "", rng.random((number, 3)) @ cell, cell=cell, pbc=pbc)
    yield ase.Atoms("H27", list(itertools.product(range(3), repeat=3)), cell=[4, 4, 4], pbc=True)


def compare_with(neighbor_list, atoms, cutoff):
    """Compares with a function of another package."""
    wanted, found = as_dict(*neighbor_list("ijdS", atoms, cutoff)), as_dict(*xl.neighbor_list("ijdS", atoms, cutoff))
    assert found.keys() == wanted.keys()
    np.testing.assert_allclose([found[p] for p in wanted], list(wanted.values()), atol=1e-10)


def test_as_ase():
    neighborlist = pytest.importorskip("ase.neighborlist")
    for atoms, cutoff in [*itertools.product(structures(), (2.9, 5.0)), *itertools.product(awkward(), (1.0, 2.0))]:
        compare_with(neighborlist.neighbor_list, atoms, cutoff)
    atoms = structures()[2]
    for cutoff in ({("Na", "Cl"): 3.0, (11, 11): 5.0}, [1.0] * 6 + [2.2] * (len(atoms) - 6)):
        wanted, found = neighborlist.neighbor_list("ijdS", atoms, cutoff), xl.neighbor_list("ijdS", atoms, cutoff)
        assert as_dict(*found).keys() == as_dict(*wanted).keys() and len(found[0])


def test_as_matscipy():
    matscipy = pytest.importorskip("matscipy.neighbours")
    for atoms in [*structures()[:6], *awkward()]:
        if not atoms.cell.any() or len(atoms) == 0:  # matscipy needs a cell and an atom
            continue
        compare_with(matscipy.neighbour_list, atoms, 4.0)


def test_as_freud():
    freud = pytest.importorskip("freud")
    # freud pairs only points of space that is periodic in all directions, within half of each height.
    for number, tilt in itertools.product((1, 2, 33, 400), [(0, 0, 0), (0.4, -0.3, 0.2), (1.2, 0, -0.8)]):
        box = freud.box.Box(8, 9, 10, *tilt)
        matrix = np.asarray(box.to_matrix()).T
        points = (np.random.default_rng(13).uniform(-0.5, 0.5, (number, 3)) @ matrix).astype("f4")
        query = freud.locality.AABBQuery(box, points).query(points, {"mode": "ball", "r_max": 2.0, "exclude_ii": True})
        pairs = np.asarray(query.toNeighborList()[:]).tolist()
        i, j = xl.neighbor_list("ij", points, 2.0, cell=matrix)
        assert sorted(zip(i.tolist(), j.tolist())) == sorted(map(tuple, pairs))
