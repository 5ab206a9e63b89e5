# SPDX-License-Identifier: MIT
"""The plan level: every primitive of the C interface, on OpenCL buffers and queues of the caller.

Nothing here blocks, allocates device memory or makes a queue unless its text says so. Buffers,
queues, events and kernels are objects of pyopencl. Descriptors and arguments are keyword arguments
with the names of the fields in the C structures; `fields("xl_scan_desc")` lists them, and the
headers of the library explain them. A field that is a keyword of Python has a "_" behind its name:
`in_`.

Values of fields:
    number, bool     as it is
    type             a NumPy dtype, or a name such as "f32" or "i16x4"
    enumeration      the name of a constant, such as "inclusive" or "XL_INCLUSIVE"
    text             str
    structure        a dict of its fields
    array            a list
    view             a pyopencl Array (contiguous), a Buffer, or (buffer, offset, count) in elements
    tunables         a dict of names and numbers
    params           in a descriptor a dict of names and types; in a call a list of values
    init, identity   a NumPy scalar or array with one element
"""
from __future__ import annotations

import keyword
from typing import Any, Sequence

import numpy as np

from ._library import check, constant, ffi, library, text_of, type_code

__all__ = ["Context", "Plan", "Index", "fields"]




def fields(structure: str) -> dict[str, str]:
    """The fields of a public structure and their C types: fields("xl_sort_args")."""
    return {name: field.type.cname for name, field in ffi.typeof(structure).fields}


def _int_ptr(value: Any) -> int:
    return value if isinstance(value, int) else value.int_ptr


def _view(target: Any, value: Any, unit: int) -> None:
    """unit: 1 if the offset of an array is in bytes; 0: in elements."""
    offset = count = 0
    if isinstance(value, tuple):
        value, offset, *rest = value
        count = rest[0] if rest else 0
    elif hasattr(value, "base_data"):  # pyopencl.array.Array
        if not value.flags.forc:
            raise ValueError("a view must be contiguous; copy the array first")
        element = unit or value.dtype.itemsize
        if value.offset % element:
            raise ValueError(f"offset: {value.offset} bytes; must be a multiple of the element, {element} bytes")
        offset, count = value.offset // element, value.size * value.dtype.itemsize // element
        value = value.base_data
        if value is None:  # an array without elements
            return
    target.buffer = ffi.cast("cl_mem", value if isinstance(value, (int, ffi.CData)) else value.int_ptr)
    target.offset, target.count = offset, count


def _scalar(value: Any) -> Any:
    if isinstance(value, str):
        return constant(value)
    if isinstance(value, (np.dtype, type)):
        return type_code(value)
    return value


def _bytes_of(value: Any, keep: list[Any]) -> Any:
    """A pointer to a copy of a NumPy value."""
    if not isinstance(value, (np.ndarray, np.generic)):
        raise TypeError(f"{value!r}: a NumPy scalar or array is needed, because its type counts")
    keep.append(ffi.new("char[]", value.tobytes()))
    return keep[-1]


def _pointer(target: Any, value: Any, keep: list[Any]) -> Any:
    item = target.item
    if value is None:
        return ffi.NULL
    if item.kind == "void":
        return _bytes_of(value, keep)
    if item.cname == "char":
        made = ffi.new("char[]", value.encode() if isinstance(value, str) else value)
    elif item.kind == "struct" and isinstance(value, dict):
        made = ffi.new(target)
        fill(made, value, keep)
    elif item.kind == "struct" and not isinstance(value, (list, tuple)):
        return ffi.cast(target, _int_ptr(value))  # an OpenCL object
    else:
        values = np.asarray(value).ravel().tolist() if item.kind == "primitive" else list(value)
        made = ffi.new(f"{item.cname}[]", len(values))
        for k, element in enumerate(values):
            if item.kind == "struct":
                fill(made + k, element, keep)
            else:
                made[k] = element
    keep.append(made)
    return made


def fill(target: Any, values: dict[str, Any], keep: list[Any], where: str = "") -> None:
    """Stores values in the structure that `target` points to. `keep` receives the objects that it points to."""
    types = dict(ffi.typeof(target).item.fields) if ffi.typeof(target).kind == "pointer" else dict(ffi.typeof(target).fields)
    for key, value in values.items():
        name = key[:-1] if key.endswith("_") and keyword.iskeyword(key[:-1]) else key
        if name not in types:
            known = ", ".join(n + "_" * keyword.iskeyword(n) for n in types if n != "version")
            raise TypeError(f"{where}{key}: no such field; known: {known}")
        kind = types[name].type
        try:
            if value is None:
                continue
            if name == "tunables":
                value = [{"name": n, "value": v} for n, v in value.items()]
                target.num_tunables = len(value)
            elif name == "params" and kind.kind == "pointer":
                value = [{"name": n, "type": t} for n, t in value.items()]
                target.num_params = len(value)
            if kind.kind == "pointer":
                setattr(target, name, _pointer(kind, value, keep))
            elif kind.cname == "xl_view":
                _view(getattr(target, name), value, name in ("scratch", "storage"))
            elif kind.kind == "struct":
                fill(getattr(target, name), value, keep, f"{where}{key}.")
            elif kind.kind == "array":
                _array(getattr(target, name), kind, name, value, keep)
            else:
                setattr(target, name, _scalar(value))
        except (OverflowError, AttributeError) as problem:
            raise TypeError(f"{where}{key}: {value!r}; {kind.cname} is needed ({problem})") from None


def _array(target: Any, kind: Any, name: str, value: Any, keep: list[Any]) -> None:
    values = list(value) if isinstance(value, (list, tuple, np.ndarray)) else [value]
    if len(values) > kind.length:
        raise ValueError(f"{name}: {len(values)} elements; at most {kind.length}")
    for k, element in enumerate(values):
        if kind.item.kind == "array":
            _array(target[k], kind.item, name, element, keep)
        elif kind.item.cname == "xl_view":
            _view(target[k], element, 0)
        elif kind.item.kind == "pointer":
            target[k] = _pointer(kind.item, element, keep)
        else:
            target[k] = _scalar(element)


def _report(structure: Any) -> dict[str, Any]:
    """A structure that the library filled, as a dict."""
    found = {}
    for name, field in ffi.typeof(structure).item.fields:
        value = getattr(structure, name)
        if field.type.kind == "array":
            value = text_of(value) if field.type.item.cname == "char" else list(value)
        found[name] = value
    return found


def _dtype(code: int) -> np.dtype:
    name = text_of(library().xl_type_name(code))
    return np.dtype(f"{name[0]}{int(name[1:]) // 8}")


def _event(pointer: Any) -> Any:
    import pyopencl
    return pyopencl.Event.from_int_ptr(int(ffi.cast("intptr_t", pointer)), retain=False)


class Context:
    """A device with its compiled programs (xl_context).

    device, cache_dir, dump_dir, tune_file, mask: str or None, as in xl_context_desc. Threads may
    share a context. Its methods make plans; making a plan blocks while kernels compile, and may
    test the device on a temporary queue. The constructor makes a new OpenCL context; with the
    caller's buffers and queues use `adopt`.
    """

    def __init__(self, **desc: Any) -> None:
        self._make("xl_context_create", (), desc)

    def _make(self, function: str, leading: tuple[Any, ...], desc: dict[str, Any]) -> None:
        lib = library()
        keep: list[Any] = []
        structure, created = ffi.new("xl_context_desc *"), ffi.new("xl_context **")
        lib.xl_context_desc_init_version(structure, constant("XL_VERSION_NUMBER"))
        fill(structure, desc, keep)
        check(getattr(lib, function)(*leading, structure, created))
        self.handle = ffi.gc(created[0], lib.xl_context_destroy)

    @classmethod
    def adopt(cls, queue: Any, **desc: Any) -> Context:
        """A context on the OpenCL context and the device of a pyopencl CommandQueue."""
        self = cls.__new__(cls)
        objects = (ffi.cast("cl_context", queue.context.int_ptr), ffi.cast("cl_device_id", queue.device.int_ptr))
        self._make("xl_context_adopt", objects, desc)
        return self

    def info(self) -> dict[str, Any]:
        """Properties of the device (xl_device_info)."""
        found = ffi.new("xl_device_info *")
        check(library().xl_context_device_info(self.handle, found), self.handle)
        return _report(found)

    def program(self, source: str, options: str | None = None) -> Any:
        """A pyopencl Program from OpenCL C that may include the library's texts, such as
        <crosslane/neighbors.cl> (xl_program_create). Blocks while it compiles."""
        import pyopencl
        made = ffi.new("cl_program *")
        check(library().xl_program_create(self.handle, source.encode(), ffi.NULL if options is None else options.encode(), made),
              self.handle)
        return pyopencl.Program.from_int_ptr(int(ffi.cast("intptr_t", made[0])), retain=False)

    def index(self) -> Index:
        """An empty index for points (xl_grid_index)."""
        return Index(self)

    def plan(self, primitive: str, **desc: Any) -> Plan:
        """A plan of a primitive by its name: plan("scan", type="f32")."""
        return Plan(self, primitive, self.handle, desc)

    def scan(self, **desc: Any) -> Plan:
        """Prefix sums and other scans, of an array or of its segments (xl_scan_desc)."""
        return self.plan("scan", **desc)

    def reduce(self, **desc: Any) -> Plan:
        """Reductions of an array or of its segments (xl_reduce_desc)."""
        return self.plan("reduce", **desc)

    def sort(self, **desc: Any) -> Plan:
        """Sorts of keys with values (xl_sort_desc)."""
        return self.plan("sort", **desc)

    def top_k(self, **desc: Any) -> Plan:
        """The k largest or smallest keys (xl_top_k_desc)."""
        return self.plan("top_k", **desc)

    def select(self, **desc: Any) -> Plan:
        """Compaction, partitions, unique and run lengths (xl_select_desc)."""
        return self.plan("select", **desc)

    def merge(self, **desc: Any) -> Plan:
        """Merges and set operations of sorted arrays (xl_merge_desc)."""
        return self.plan("merge", **desc)

    def search(self, **desc: Any) -> Plan:
        """Places of queries in a sorted array (xl_search_desc)."""
        return self.plan("search", **desc)

    def histogram(self, **desc: Any) -> Plan:
        """Counts or sums of weights in bins (xl_histogram_desc)."""
        return self.plan("histogram", **desc)

    def transform(self, **desc: Any) -> Plan:
        """Maps, gathers, scatters and differences of adjacent elements (xl_transform_desc)."""
        return self.plan("transform", **desc)

    def morton(self, **desc: Any) -> Plan:
        """Morton codes of points (xl_morton_desc)."""
        return self.plan("morton", **desc)

    def grid(self, **desc: Any) -> Plan:
        """Grids over points, which `build` an Index (xl_grid_desc)."""
        return self.plan("grid", **desc)

    def nearest_approximate(self, **desc: Any) -> Plan:
        """The approximate k nearest neighbours (xl_nearest_approximate_desc)."""
        return self.plan("nearest_approximate", **desc)


class Index:
    """Points in order, as a grid's `build` made it. One thread at a time may build or use it."""

    def __init__(self, context: Context) -> None:
        made = ffi.new("xl_grid_index **")
        check(library().xl_grid_index_create(context.handle, made), context.handle)
        self.context = context
        self.handle = ffi.gc(made[0], library().xl_grid_index_destroy)

    def status(self, queue: Any, waits: Sequence[Any] = ()) -> dict[str, Any]:
        """How the last build came out (xl_grid_report). Blocks. Raises NonFiniteError or
        OutOfDomainError if it failed."""
        report = ffi.new("xl_grid_report *")
        call = library().xl_grid_index_status
        check(call(self.handle, _queue(queue), report, len(waits), _waits(waits)), self.context.handle)
        return _report(report)

    def event(self) -> Any:
        """The event of the last build."""
        made = ffi.new("cl_event *")
        check(library().xl_grid_index_event(self.handle, made), self.context.handle)
        return _event(made[0])

    def set_kernel_args(self, kernel: Any, radius: float, first: int = 0, inclusive: bool = False) -> int:
        """Sets the arguments of XL_NEIGHBORS_PARAMETERS() of a pyopencl Kernel from position `first`
        on, and returns the position behind them. Repeat it after each build."""
        keep: list[Any] = []
        args, after = ffi.new("xl_neighbors_kernel_args *"), ffi.new("cl_uint *")
        args.kernel = ffi.cast("cl_kernel", kernel.int_ptr)
        fill(args, {"first": first, "radius": radius, "inclusive": inclusive}, keep)
        check(library().xl_grid_index_set_kernel_args(self.handle, args, after), self.context.handle)
        return after[0]


def _queue(queue: Any) -> Any:
    return queue if isinstance(queue, ffi.CData) else ffi.cast("cl_command_queue", queue.int_ptr)


def _waits(waits: Sequence[Any]) -> Any:
    return ffi.new("cl_event[]", [ffi.cast("cl_event", event.int_ptr) for event in waits]) if waits else ffi.NULL


class Plan:
    """A primitive made ready for one device. Threads may share it.

    Calls take arrays as keyword arguments, the fields of xl_X_args, and return a pyopencl Event
    that completes with the work. waits: events to wait for.
    """

    def __init__(self, context: Context, primitive: str, source: Any, desc: dict[str, Any]) -> None:
        lib = library()
        keep: list[Any] = []
        self.context, self.primitive = context, primitive
        structure, made = ffi.new(f"xl_{primitive}_desc *"), ffi.new("xl_plan **")
        getattr(lib, f"xl_{primitive}_desc_init_version")(structure, constant("XL_VERSION_NUMBER"))
        fill(structure, desc, keep)
        self._params = [type_code(kind) if not isinstance(kind, int) else kind for kind in (desc.get("params") or {}).values()]
        check(getattr(lib, f"xl_{primitive}_create")(source, structure, made), context.handle)
        self.handle = ffi.gc(made[0], lib.xl_plan_destroy)

    def neighbors(self, **desc: Any) -> Plan:
        """A search of all points within a radius, from the plan of a grid (xl_neighbors_desc)."""
        return Plan(self.context, "neighbors", self.handle, desc)

    def nearest(self, **desc: Any) -> Plan:
        """A search of the k nearest points, from the plan of a grid (xl_nearest_desc)."""
        return Plan(self.context, "nearest", self.handle, desc)

    def enqueue(self, queue: Any, index: Index | None = None, *, waits: Sequence[Any] = (), **args: Any) -> Any:
        """Enqueues the primitive. Searches also take the Index. A grid has `build` instead. Returns
        an event."""
        if self.primitive == "grid":
            raise TypeError("grid: use build()")
        return self._run(f"xl_{self.primitive}_enqueue", queue, index, waits, args)

    def build(self, queue: Any, index: Index, *, waits: Sequence[Any] = (), **args: Any) -> Any:
        """For a grid: builds an Index of points (xl_grid_build_args)."""
        return self._run("xl_grid_build_enqueue", queue, index, waits, args)

    def reorder(self, queue: Any, index: Index, *, waits: Sequence[Any] = (), **args: Any) -> Any:
        """For a grid: moves an array into the order of the Index, or back (xl_grid_reorder_args)."""
        return self._run("xl_grid_reorder_enqueue", queue, index, waits, args)

    def moved(self, queue: Any, index: Index, *, waits: Sequence[Any] = (), **args: Any) -> Any:
        """For a grid: counts the points that moved (xl_grid_moved_args)."""
        return self._run("xl_grid_moved_enqueue", queue, index, waits, args)

    def count(self, queue: Any, index: Index, *, waits: Sequence[Any] = (), **args: Any) -> Any:
        """For neighbors: counts and offsets alone (xl_neighbors_args)."""
        return self._run("xl_neighbors_count_enqueue", queue, index, waits, args)

    def fill(self, queue: Any, index: Index, *, waits: Sequence[Any] = (), **args: Any) -> Any:
        """For neighbors: the list alone, behind `count` (xl_neighbors_args)."""
        return self._run("xl_neighbors_fill_enqueue", queue, index, waits, args)

    def status(self, queue: Any, index: Index, *, waits: Sequence[Any] = (), **args: Any) -> dict[str, Any]:
        """For searches: how a call with these arguments came out. Blocks."""
        report, structure, keep = ffi.new(f"xl_{self.primitive}_report *"), *self._args(args)
        call = getattr(library(), f"xl_{self.primitive}_status")
        check(call(self.handle, index.handle, _queue(queue), structure, report, len(waits), _waits(waits)), self.context.handle)
        return _report(report)

    def scratch(self, **args: Any) -> int:
        """The bytes of scratch that a call with these sizes needs."""
        structure, keep = self._args(args)
        size = ffi.new("size_t *")
        check(getattr(library(), f"xl_{self.primitive}_scratch")(self.handle, structure, size), self.context.handle)
        return size[0]

    def prepare(self, **args: Any) -> None:
        """Builds all programs that a call of these sizes needs. Blocks."""
        structure, keep = self._args(args)
        check(library().xl_plan_prepare(self.handle, structure), self.context.handle)

    def info(self, n: int) -> dict[str, Any]:
        """How a call with n elements runs (xl_plan_details)."""
        found = ffi.new("xl_plan_details *")
        check(library().xl_plan_info(self.handle, n, found), self.context.handle)
        return _report(found)

    def _args(self, args: dict[str, Any], kind: str | None = None) -> tuple[Any, list[Any]]:
        name = {"grid": "grid_build"}.get(self.primitive, self.primitive)
        structure = ffi.new(kind or f"xl_{name}_args *")
        keep: list[Any] = []
        if self._params and "params" in args:
            args["params"] = [value if isinstance(value, np.ndarray) or code >= 0x100 else np.asarray(value, _dtype(code))
                              for value, code in zip(args["params"], self._params)]
        fill(structure, args, keep)
        return structure, keep

    def _run(self, function: str, queue: Any, index: Index | None, waits: Sequence[Any], args: dict[str, Any]) -> Any:
        made = ffi.new("cl_event *")
        self._call(function, queue, index, waits, args, made)
        return _event(made[0])

    def _call(self, function: str, queue: Any, index: Index | None, waits: Sequence[Any], args: dict[str, Any], made: Any) -> None:
        call = getattr(library(), function)
        types = ffi.typeof(call).args
        takes_index = types[1].cname.startswith("xl_grid_index")
        if takes_index != (index is not None):
            raise TypeError("index: " + ("an Index is needed" if takes_index else "this primitive takes none"))
        structure, keep = self._args(args, types[3 if takes_index else 2].item.cname + " *")
        handles = (self.handle, index.handle) if index is not None else (self.handle,)
        check(call(*handles, _queue(queue), structure, len(waits), _waits(waits), made), self.context.handle)
