# SPDX-License-Identifier: MIT
"""Exact neighbour search on NumPy arrays, in 1, 2 and 3 dimensions.

Points are arrays of shape (n, dimensions), in any unit of length; radii, cells and distances have
the same unit. float32 points are searched in float32, all others in float64, which the device must
have. A cell is None (open space), one edge, `dimensions` edges of a box, or a matrix whose rows are
the edge vectors, of either hand. pbc says along which vectors space repeats; points may be outside
the cell. Along the other vectors the cell has no effect. Each periodic image of a point is a
neighbour of its own, also of the point itself. Squares are compared: a pair is closer than r if
(dx*dx + dy*dy) + dz*dz < r*r, each operation rounded once in the precision of the points.
"""
from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ._host import Host, host
from ._library import type_code
from .plans import Index, Plan

__all__ = ["Csr", "NeighborSearch", "neighbor_list"]

_ROW_END = 2**32 - 1  # no neighbour
MANY_PAIRS = 2**20
_TINY = {"f4": 2.0**-62, "f8": 2.0**-510}  # the smallest radius, for 0


class Csr(NamedTuple):
    """Rows of neighbours: those of query i are indices[offsets[i]:offsets[i + 1]].

    offsets: int64, shape (queries + 1,). indices: int32 (int64 from 2**31 points on), shape
    (pairs,), pairs = offsets[-1], ascending in each row. distances: of the dtype of the points,
    shape (pairs,), or None."""

    offsets: np.ndarray
    indices: np.ndarray
    distances: np.ndarray | None = None


def _coordinates(points: ArrayLike, name: str, dimensions: int = 0) -> np.ndarray:
    array = np.asarray(points)
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise TypeError(f"{name}: dtype {array.dtype}; must be real numbers of at most 64 bits")
    if array.ndim != 2 or (array.shape[1] != dimensions if dimensions else not 1 <= array.shape[1] <= 3):
        raise ValueError(f"{name}: shape {array.shape}; must be (n, {dimensions or '1 to 3'})")
    return np.ascontiguousarray(array, np.float32 if array.dtype.kind == "f" and array.dtype.itemsize == 4 else np.float64)


def _matrix(cell: Any, dimensions: int) -> np.ndarray:
    matrix = np.asarray(cell, np.float64)
    if matrix.ndim < 2:
        matrix = np.diag(np.broadcast_to(matrix, (dimensions,)))
    if matrix.shape != (dimensions, dimensions):
        raise ValueError(f"cell: shape {matrix.shape}; must be (), ({dimensions},) or ({dimensions}, {dimensions})")
    return matrix


def _normals(matrix: np.ndarray, pbc: np.ndarray) -> np.ndarray:
    """Unit vectors for the rows that are not periodic, at right angles to the others."""
    dimensions = len(pbc)
    if np.count_nonzero(matrix[pbc]) == pbc.sum() and np.all(np.diag(matrix)[pbc] != 0):
        return np.eye(dimensions)[~pbc]  # so that a box stays a box
    across = np.linalg.svd(matrix[pbc])[2]
    return across[pbc.sum():]


def _space(points: np.ndarray, cell: Any, pbc: Any) -> dict[str, Any]:
    """The fields of xl_space. Along vectors that are not periodic the cell becomes as long as the
    points need, in coarse steps: points that move a little need no other plan."""
    dimensions = points.shape[1]
    space: dict[str, Any] = {"dimensions": dimensions, "scalar": "f32" if points.dtype.itemsize == 4 else "f64"}
    periodic = np.array(np.broadcast_to(cell is not None if pbc is None else pbc, (dimensions,)), bool)
    if not periodic.any():
        return space
    if cell is None:
        raise ValueError("cell: None; periodic space needs one")
    matrix, origin = _matrix(cell, dimensions).copy(), np.zeros(dimensions)
    if not periodic.all():
        if not (np.isfinite(matrix[periodic]).all() and np.isfinite(points).all()):
            raise ValueError("points, cell: NaN or infinity; must be finite")
        for row, normal in zip(np.flatnonzero(~periodic), _normals(matrix, periodic)):
            along = points @ normal.astype(points.dtype)
            low, high = float(along.min()), float(along.max())
            step = 2.0 ** np.ceil(np.log2(max(high - low, 2.0**-12 * max(abs(low), abs(high)), 2.0**-100)) - 3)
            low, high = (np.floor(low / step) - 1) * step, (np.ceil(high / step) + 1) * step
            matrix[row] = normal * (high - low)
            origin += normal * low
    return {**space, "bounds": "bounds_given", "periodic": int(np.dot(periodic, [1, 2, 4][:dimensions])), "wrap": 1,
            "origin": origin.tolist(), "cell": matrix.tolist()}


def _build(h: Host, index: Index, points: np.ndarray, space: dict[str, Any], **cells: float) -> Plan:
    grid = h.plan("grid", space=space, stride=points.shape[1], **cells)
    h.run(grid, index, "build_", n=len(points), points=h.upload("points", points))
    return grid


def _list(h: Host, grid: Plan, index: Index, number: int, dtype: np.dtype, dimensions: int, wanted: str, desc: dict[str, Any],
          args: dict[str, Any]) -> dict[str, np.ndarray]:
    """Counts, then lists. wanted: letters of neighbor_list(). For many pairs the device computes rows and
    roots, too; for few this would not repay two more programs."""
    plan = h.plan("neighbors", grid, details=int(any(letter in wanted for letter in "dDS")), **desc)
    offsets = h.array(number + 1, np.int64)
    room = h.buffer("offsets", offsets.nbytes)
    counts = h.buffer("counts", 4 * number) if "i" in wanted else None
    h.run(plan, index, "count_", offsets=room, counts=counts, **args)
    index.status(h.queue)
    if "num_queries" in args:
        plan.status(h.queue, index, offsets=room, **args)
    pairs = int(h.download(room, offsets)[-1])
    many = pairs >= MANY_PAIRS
    rows = h.buffer("rows", 4 * pairs) if many and "i" in wanted else None
    shapes = {"j": ("indices", (pairs,), np.dtype(np.int32)), "d": ("distances2", (pairs,), dtype),
              "D": ("vectors", (pairs, dimensions), dtype), "S": ("shifts", (pairs, dimensions), np.dtype(np.int32))}
    shapes = {letter: shapes[letter] for letter in "jdDS" if letter in wanted or letter == "j"}
    views = {field: h.buffer(field, int(np.prod(shape)) * kind.itemsize) for field, shape, kind in shapes.values()}
    found = {"offsets": offsets}
    if pairs:
        h.run(plan, index, "fill_", offsets=room, capacity=pairs, **views, **args)
    if rows is not None:
        h.run(h.plan("select", kind="select_repeat"), n=number, capacity=pairs, lengths_in=counts, indices_out=rows)
        found["i"] = h.download(rows, h.array(pairs, np.int32), wait=False)
    roots_here = "d" in wanted and not (many and h.has_fp64)
    if "d" in wanted and not roots_here:
        root = "sqrt(x)" if dtype.itemsize == 8 else "(float)sqrt((double)x)"  # has the bits of np.sqrt()
        h.run(h.plan("transform", types=[type_code(dtype)], expression=root), n=pairs, in_=[views["distances2"]],
              out=[views["distances2"]])
    for letter, (field, shape, kind) in shapes.items():
        if letter in wanted:
            found[letter] = h.download(views[field], h.array(shape, kind), wait=False)
    h.finish()
    if roots_here:
        np.sqrt(found["d"], out=found["d"])
    if "i" in wanted and rows is None:
        found["i"] = np.repeat(np.arange(number, dtype=np.int32), np.diff(offsets))
    return found


def _wide(indices: np.ndarray, points: int) -> np.ndarray:
    """Indices that int32 does not hold, as int64."""
    return indices if points < 2**31 else indices.view(np.uint32).astype(np.int64)


def neighbor_list(quantities: str, a: Any, cutoff: Any, *, cell: Any = None, pbc: Any = None, self_interaction: bool = False,
                  device: str | None = None) -> Any:
    """All pairs of points closer than the cutoff, as ase.neighborlist.neighbor_list.

    quantities: letters, one array each, in this order:
        i, j   indices of the pair, int32 (int64 from 2**31 points on); i ascends, then j
        d      distance, of the dtype of the points
        D      vector from i to the image of j, shape (pairs, dimensions)
        S      the image, int32, shape (pairs, dimensions): D = points[j] - points[i] + S @ cell
    a: an ase.Atoms, or points of shape (n, dimensions) with cell and pbc (default: periodic along
        all vectors if there is a cell).
    cutoff: one number; or a dict from pairs of symbols or atomic numbers to numbers (a needs
        numbers, pairs that are absent are not listed); or a number for each point: the cutoff of a
        pair is the sum of its two.
    self_interaction: also i with itself at distance 0.
    Returns one array, or a tuple of arrays if there are several letters. Blocks."""
    unknown = set(quantities) - set("ijdDS")
    if unknown or not quantities:
        raise ValueError(f"quantities: {quantities!r}; must be letters of 'ijdDS'")
    points = _coordinates(getattr(a, "positions", a), "points")
    if hasattr(a, "positions"):
        cell, pbc = (np.asarray(a.cell) if cell is None else cell), (a.pbc if pbc is None else pbc)
    number, dimensions = points.shape
    radius, desc, types, sums = _cutoffs(cutoff, a, number)
    need = quantities + ("ijd" if sums is not None else "")
    if number == 0 or not radius > 0:
        found = {"i": np.empty(0, np.int32), "j": np.empty(0, np.int32), "d": np.empty(0, points.dtype),
                 "D": np.empty((0, dimensions), points.dtype), "S": np.empty((0, dimensions), np.int32)}
    else:
        space = _space(points, cell, pbc)
        h = host(device)
        with h.lock:
            index = h.index()
            grid = _build(h, index, points, space, cell_size=radius)
            args = {} if types is None else {"types": h.upload("types", types)}
            found = _list(h, grid, index, number, points.dtype, dimensions, need, {**desc, "include_self": int(self_interaction)}, args)
        for letter in set("ij") & set(found):
            found[letter] = _wide(found[letter], number)
    if sums is not None:
        near = found["d"] < sums[found["i"]] + sums[found["j"]]
        found = {letter: found[letter][near] for letter in set(quantities)}
    return tuple(found[letter] for letter in quantities) if len(quantities) > 1 else found[quantities]


def _cutoffs(cutoff: Any, a: Any, number: int) -> tuple[float, dict[str, Any], np.ndarray | None, np.ndarray | None]:
    """The largest cutoff, fields of the descriptor, the points' types, and radii to add."""
    if isinstance(cutoff, dict):
        if not hasattr(a, "numbers"):
            raise TypeError("cutoff: a dict; requires an ase.Atoms, whose numbers are the types")
        pairs = {tuple(_number(element) for element in pair): float(value) for pair, value in cutoff.items()}
        kinds, types = np.unique(np.asarray(a.numbers), return_inverse=True)
        table = [[pairs.get((x, y), pairs.get((y, x), 0.0)) for y in kinds] for x in kinds]
        largest = max((max(row) for row in table), default=0.0)
        flat = [value for row in table for value in row]
        desc = {"radii": "radii_types", "num_types": len(kinds), "pair_radii": flat, "radius": 0}
        return largest, desc, types.astype(np.uint32), None
    radii = np.asarray(cutoff, np.float64)
    if radii.ndim == 0:
        return float(radii), {"radius": float(radii)}, None, None
    if radii.shape != (number,):
        raise ValueError(f"cutoff: shape {radii.shape}; must be one number or ({number},)")
    largest = 2 * float(radii.max()) if number else 0.0
    return largest, {"radius": largest}, None, radii


def _number(element: Any) -> int:
    if isinstance(element, str):
        from ase.data import atomic_numbers
        return atomic_numbers[element]
    return int(element)


class NeighborSearch:
    """Points on the device, to search around many queries, in the manner of scipy.spatial.KDTree.

    points: shape (n, dimensions). cell, pbc: see the module. In periodic space each image within
    the radius is found (KDTree with boxsize: each point once). Threads may share it."""

    def __init__(self, points: ArrayLike, *, cell: Any = None, pbc: Any = None, device: str | None = None) -> None:
        self._points = _coordinates(points, "points").copy()
        self.n, self.dimensions = self._points.shape
        self._device = device
        self._space = _space(self._points, cell, pbc) if self.n else {}
        self._index: Index | None = None
        self._cells = 0.0, 0.0
        self._grid: Plan | None = None

    def _built(self, h: Host, points: float, radius: float = 0.0) -> tuple[Plan, Index]:
        """The index, made anew if its cells are far from the wanted ones, which have this number of points
        or, if that is longer, the radius as their edge. Any cells are right."""
        if self._index is None:
            self._index = h.context.index()
        radius = radius if radius > 2.0**-120 else 0.0  # a cell has a float's edge
        same = self._grid is not None and all(a == b or 0.5 * a <= b <= 2 * a for a, b in zip(self._cells, (points, radius)))
        if self._grid is None or not same:
            self._grid = None
            grid = _build(h, self._index, self._points, self._space, points_per_cell=points, cell_size=radius)
            self._index.status(h.queue)
            self._grid, self._cells = grid, (points, radius)
        return self._grid, self._index

    def _queries(self, x: ArrayLike | None) -> tuple[np.ndarray | None, tuple[int, ...]]:
        if x is None:
            return None, (self.n,)
        array = np.asarray(x)
        if array.ndim == 0 or array.shape[-1] != self.dimensions:
            raise ValueError(f"x: shape {array.shape}; must be (..., {self.dimensions})")
        flat = _coordinates(array.reshape(-1, self.dimensions), "x", self.dimensions)
        if not np.isfinite(flat).all():
            raise ValueError("x: NaN or infinity; must be finite")
        return flat.astype(self._points.dtype, copy=False), array.shape[:-1]

    def query(self, x: ArrayLike | None = None, k: int = 1, *, max_distance: float = np.inf) -> tuple[Any, Any]:
        """Distances and indices of the k nearest points of each query, the nearest first, of equal
        distances the lower index first; k from 1 to 1024.

        x: shape (..., dimensions), or None: the points themselves, without each point itself.
        Returns (distances, indices) of shape (..., k), without the last axis if k is 1; indices are
        int64. Absent neighbours have distance inf and index n. max_distance: only closer points."""
        if not 1 <= k <= 1024:
            raise ValueError(f"k: {k}; must be from 1 to 1024")
        queries, shape = self._queries(x)
        number = self.n if queries is None else len(queries)
        distances, indices = np.full((number, k), np.inf, self._points.dtype), np.full((number, k), _ROW_END, np.uint32)
        if number and self.n and max_distance > 0:
            limit = 0.0 if np.isinf(max_distance) else float(max_distance)
            h = host(self._device)
            with h.lock:
                grid, index = self._built(h, max(2, k / 12))
                plan = h.plan("nearest", grid, k=k, max_radius=limit, queries=int(queries is not None))
                args = {} if queries is None else {"num_queries": number, "queries": h.upload("queries", queries)}
                args |= {"indices": h.buffer("indices", indices.nbytes), "distances2": h.buffer("distances2", distances.nbytes)}
                h.run(plan, index, **args)
                plan.status(h.queue, index, **args)
                h.download(args["indices"], indices)
                h.download(args["distances2"], distances)
            np.sqrt(distances, out=distances)
        found = indices.astype(np.int64)
        found[indices == _ROW_END] = self.n
        shape = shape if k == 1 else (*shape, k)
        return distances.reshape(shape)[()], found.reshape(shape)[()]

    def query_ball(self, x: ArrayLike | None, r: Any, *, inclusive: bool = True, csr: bool = False, distances: bool = False) -> Any:
        """The indices of all points within a radius of each query, ascending.

        x: shape (..., dimensions), or None: the points themselves, without each point itself.
        r: one radius, or one for each query. inclusive: distance <= r (as SciPy); False: < r.
        Returns an array of lists as KDTree.query_ball_point (a list for one query); or, with
        csr=True, a Csr of the flattened queries, with distances if distances=True."""
        queries, shape = self._queries(x)
        number = self.n if queries is None else len(queries)
        radii = np.asarray(r, np.float64)
        if radii.ndim:
            radii = np.broadcast_to(radii, shape).reshape(-1)
        if np.isnan(radii).any() or (radii < 0).any():
            raise ValueError("r: negative or NaN; must be at least 0")
        wanted = "jd" if distances else "j"
        smallest = _TINY[self._points.dtype.str[1:]]
        largest = max(float(radii.max()) if radii.size else 0.0, smallest)
        found = {"offsets": np.zeros(number + 1, np.int64), "j": np.empty(0, np.int32), "d": np.empty(0, self._points.dtype)}
        if number and self.n and (inclusive or radii.max() > 0):
            desc: dict[str, Any] = {"radius": largest, "inclusive": int(inclusive), "queries": int(queries is not None)}
            h = host(self._device)
            with h.lock:
                grid, index = self._built(h, 2, largest)
                args: dict[str, Any] = {} if queries is None else {"num_queries": number, "queries": h.upload("queries", queries)}
                if radii.ndim:
                    desc["radii"] = "radii_query"
                    each = np.maximum(radii, smallest if inclusive else 0).astype(self._points.dtype)
                    args["radii"] = h.upload("radii", each)
                found |= _list(h, grid, index, number, self._points.dtype, self.dimensions, wanted, desc, args)
        found["j"] = _wide(found["j"], self.n)
        if csr:
            return Csr(found["offsets"], found["j"], found["d"] if distances else None)
        flat, starts = found["j"].tolist(), found["offsets"].tolist()
        rows = np.empty(number, object)
        for k in range(number):
            rows[k] = flat[starts[k]:starts[k + 1]]
        return rows.reshape(shape)[()]

    def query_pairs(self, r: float, *, inclusive: bool = True, output_type: str = "set") -> Any:
        """All pairs (i, j), i < j, of points within a radius, each once.

        output_type: "set" of tuples or "ndarray" of shape (pairs, 2), int64, as KDTree; or "csr":
        a Csr whose row i has the j > i. In periodic space a pair occurs once for each image, and
        pairs of a point with an image of itself occur, too."""
        if output_type not in ("set", "ndarray", "csr"):
            raise ValueError(f"output_type: {output_type!r}; must be 'set', 'ndarray' or 'csr'")
        radius = float(r)
        if not radius >= 0:
            raise ValueError(f"r: {r}; must be at least 0")
        found = {"offsets": np.zeros(self.n + 1, np.int64), "i": np.empty(0, np.int32), "j": np.empty(0, np.int32)}
        if self.n and (inclusive or radius > 0):
            radius = max(radius, _TINY[self._points.dtype.str[1:]])
            h = host(self._device)
            with h.lock:
                grid, index = self._built(h, 2, radius)
                desc = {"radius": radius, "inclusive": int(inclusive), "half": 1}
                found = _list(h, grid, index, self.n, self._points.dtype, self.dimensions, "j" if output_type == "csr" else "ij", desc, {})
        rows = Csr(found["offsets"], _wide(found["j"], self.n))
        if output_type == "csr":
            return rows
        pairs = np.empty((len(rows.indices), 2), np.int64)
        pairs[:, 0] = _wide(found["i"], self.n)
        pairs[:, 1] = rows.indices
        return pairs if output_type == "ndarray" else set(map(tuple, pairs.tolist()))
