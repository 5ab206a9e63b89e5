#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: ci/fortran.py [--check | --layout FOLDER]

Writes fortran/crosslane.f90, the module `crosslane`, from include/declarations.h. --check changes
nothing and fails if the file differs from the declarations. --layout writes layout.c and layout.f90
into FOLDER: programs that print the size and the offset of each field of each structure, as the C
headers and as the module have them.
"""
import difflib
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = os.path.join(ROOT, "include", "declarations.h")
TARGET = os.path.join(ROOT, "fortran", "crosslane.f90")
KINDS = {"uint32_t": "integer(c_int32_t)", "int32_t": "integer(c_int32_t)", "cl_uint": "integer(c_int32_t)",
         "uint64_t": "integer(c_int64_t)", "int64_t": "integer(c_int64_t)", "size_t": "integer(c_size_t)",
         "int": "integer(c_int)", "double": "real(c_double)"}
POINTER = "type(c_ptr)"
# Arguments that may be left out: C's NULL. Events always may.
OPTIONAL = {("xl_context_create", "desc"), ("xl_context_adopt", "desc"), ("xl_grid_index_status", "report"),
            ("xl_neighbors_status", "report"), ("xl_nearest_status", "report"), ("xl_simple_neighbors", "space"),
            ("xl_simple_nearest", "space"), ("xl_grid_index_set_kernel_args", "next"), ("xl_program_create", "options"),
            ("xl_simple_sort", "values"), ("xl_simple_top_k", "keys_out"), ("xl_simple_top_k", "indices")}
# Arguments `void *` that are one variable; the others are arrays.
SCALARS = {("xl_plan_prepare", "args"), ("xl_simple_reduce", "result"), ("xl_key_to_code", "key"), ("xl_code_to_key", "key")}
# Calls that read what they write.
UPDATED = {"xl_simple_free", "xl_split_sum"}


class Declarations:
    """What include/declarations.h declares: enumerations, structures, callbacks, functions."""

    def __init__(self, text):
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        self.enums, self.structures, self.callbacks, self.functions = [], {}, {}, {}
        self.handles, self.enum_types = set(), set()
        for statement in re.findall(r"[^;{]+(?:\{[^}]*\}[^;]*)?;", text):
            self.read(" ".join(statement.rstrip(";").split()))
        self.constants = {name: value for _, values in self.enums for name, value in values}
        lower = {name.lower() for name in self.constants} | set(self.functions)
        self.renamed = {name: name + "_t" for name in self.structures if name in lower}

    def read(self, text):
        match = re.fullmatch(r"(?:typedef )?enum ?(\w*) ?\{(.*)\} ?\w*", text)
        if match:
            self.enum_types.add(match[1])
            value, values = -1, []
            for item in match[2].split(","):
                name, _, number = (part.strip() for part in item.partition("="))
                value = int(number, 0) if number else value + 1
                values.append((name, value))
            self.enums.append((match[1], values))
            return
        match = re.fullmatch(r"typedef struct (\w+) \{(.*)\} \w+", text)
        if match:
            self.structures[match[1]] = [field for line in match[2].split(";") if line.strip() for field in variables(line)]
            return
        match = re.fullmatch(r"typedef struct (\w+) (\*?)(\w+)", text)
        if match:
            self.handles.add(match[3] if match[2] else match[1])
            return
        match = re.fullmatch(r"(typedef )?(.*?)(\w+)\((.*)\)", text)
        if match:
            arguments = [] if match[4].strip() == "void" else [variables(part)[0] for part in match[4].split(",")]
            (self.callbacks if match[1] else self.functions)[match[3]] = (match[2].strip(), arguments)
        elif not re.fullmatch(r"typedef uint32_t cl_uint", text):
            raise SystemExit(f"fortran: a declaration of another form: {text}")

    def type_name(self, name):
        return f"type({self.renamed.get(name, name)})"


def variables(text):
    """[(type, pointers, name, dimensions)] of a declaration such as `const char *a[3], b`."""
    match = re.fullmatch(r"\s*(?:const )?(\w+)((?: |\*).*)", text)
    result = []
    for part in match[2].split(","):
        name = re.fullmatch(r"\s*(\**)\s*(\w+)((?:\[\w+\])*)", part)
        result.append((match[1], len(name[1]), name[2], re.findall(r"\[(\w+)\]", name[3])))
    return result


def field(declarations, kind, pointers, name, dimensions):
    """A component of a derived type, zero by default."""
    shape = "(" + ", ".join(reversed(dimensions)) + ")" if dimensions else ""
    if kind in declarations.callbacks:
        return f"type(c_funptr) :: {name} = c_null_funptr"
    if pointers or kind in declarations.handles:
        return f"{POINTER} :: {name}{shape} = c_null_ptr"
    if kind in declarations.structures:
        return f"{declarations.type_name(kind)} :: {name}{shape}"
    if kind == "char":
        return f"character(kind=c_char) :: {name}{shape} = c_null_char"
    return f"{KINDS[kind]} :: {name}{shape} = 0"


def argument(declarations, function, text, kind, pointers, name):
    """A dummy argument. `text` is its declaration in C, which tells whether it is const."""
    constant = text.startswith("const ")
    direction = "intent(in)" if constant else "intent(inout)" if function in UPDATED else "intent(out)"
    optional = ", optional" if (function, name) in OPTIONAL or kind == "cl_event" and name in ("waits", "event") and pointers and \
        function != "xl_grid_index_event" else ""
    if kind in declarations.callbacks:
        return f"type(c_funptr), value :: {name}"
    handle = kind in declarations.handles
    if handle and pointers == (0 if kind.startswith("cl_") else 1) or kind == "void" and name == "user":
        return f"{POINTER}, value :: {name}"
    if handle:
        return f"{POINTER}, {direction}{optional} :: {name}{'(*)' if constant else ''}"
    if pointers == 0:
        return f"{'integer(c_int)' if kind in declarations.enum_types else KINDS[kind]}, value :: {name}"
    if kind == "void":
        direction = direction if constant else "intent(inout)" # the standard forbids intent(out) here
        return f"type(*), {direction}{optional} :: {name}{'' if (function, name) in SCALARS else '(*)'}"
    if kind == "char":
        return f"character(kind=c_char), intent(in){optional} :: {name}(*)"
    if kind in declarations.structures:
        return f"{declarations.type_name(kind)}, {direction}{optional} :: {name}"
    return f"{KINDS[kind]}, {direction}{optional} :: {name}{'(*)' if kind in ('uint32_t', 'uint64_t') else ''}"


def wrapped(line):
    """A line of at most 100 columns, continued if need be."""
    indent = re.match(" *", line)[0] + "    "
    lines = []
    while len(line) > 100:
        at = line.rfind(", ", 0, 98) + 1
        lines.append(line[:at] + " &")
        line = indent + line[at + 1:]
    return lines + [line]


def interface(declarations, texts, name, result, arguments, abstract=""):
    kind = result.replace("const ", "").strip()
    head = f"{name}({', '.join(parameter[2] for parameter in arguments)}) bind(c)"
    word = "subroutine" if kind == "void" else "function"
    lines = [f"    {word} {head}", "        import"]
    for text, (of, pointers, each, _) in zip(texts, arguments):
        if abstract and of in declarations.structures:
            lines.append(f"        {declarations.type_name(of)}, intent(in) :: {each}")
        else:
            lines.append("        " + argument(declarations, name, text, of, pointers, each))
    if word == "function":
        pointer = kind.endswith("*") or kind in declarations.handles
        of = POINTER if pointer else "integer(c_int)" if kind in declarations.enum_types else KINDS[kind]
        lines.append(f"        {of} :: {name}")
    return lines + [f"    end {word}"]


HEAD = """! SPDX-License-Identifier: MIT
! Written by ci/fortran.py from include/declarations.h.
!
! The interface of Crosslane in Fortran 2018: the names, numbers and rules of the C headers, which
! are the reference. docs/fortran.md has the start and an example.
!
! Handles of C (xl_context *, xl_plan *, cl_mem, ...) are type(c_ptr). The components of a structure
! begin at 0; a descriptor gets its defaults from xl_X_desc_init(). An argument that may be NULL in C
! is optional. An array of the host is any contiguous array. Unsigned numbers are signed here: the
! greatest one, such as UINT32_MAX, is -1. A matrix of C, cell[i][j], is cell(j + 1, i + 1).
!
! Renamed, because Fortran does not tell upper from lower case:
%s
module crosslane
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
    implicit none
    private :: int8, int16, int32, int64, real32, real64
"""
PROCEDURES = """
    ! A view from element `offset` (0) on, of `count` elements (0: as many as the call needs).
    interface xl_view_of
        module procedure xl_view_of_size, xl_view_of_int
    end interface
    interface xl_view_n
        module procedure xl_view_n_size, xl_view_n_int
    end interface
    ! A string of C as one of Fortran: of a pointer, or of a component such as info%name.
    interface xl_string
        module procedure xl_string_of_pointer, xl_string_of_array
    end interface
    ! The xl_type of the elements of an array or of a variable. Integers are signed.
    interface xl_type_of
        module procedure xl_type_of_i8, xl_type_of_i16, xl_type_of_i32, xl_type_of_i64, xl_type_of_f32, xl_type_of_f64
    end interface
    private :: xl_view_of_size, xl_view_of_int, xl_view_n_size, xl_view_n_int, xl_string_of_pointer, xl_string_of_array, &
        xl_type_of_i8, xl_type_of_i16, xl_type_of_i32, xl_type_of_i64, xl_type_of_f32, xl_type_of_f64

contains

    pure type(xl_view) function xl_view_of_size(buffer, offset) result(view)
        type(c_ptr), intent(in) :: buffer
        integer(c_size_t), intent(in), optional :: offset
        view%buffer = buffer
        if (present(offset)) view%offset = offset
    end function

    pure type(xl_view) function xl_view_of_int(buffer, offset) result(view)
        type(c_ptr), intent(in) :: buffer
        integer(c_int), intent(in) :: offset
        view = xl_view(buffer, int(offset, c_size_t), 0)
    end function

    pure type(xl_view) function xl_view_n_size(buffer, offset, count) result(view)
        type(c_ptr), intent(in) :: buffer
        integer(c_size_t), intent(in) :: offset, count
        view = xl_view(buffer, offset, count)
    end function

    pure type(xl_view) function xl_view_n_int(buffer, offset, count) result(view)
        type(c_ptr), intent(in) :: buffer
        integer(c_int), intent(in) :: offset, count
        view = xl_view(buffer, int(offset, c_size_t), int(count, c_size_t))
    end function

    ! The view that is "not given".
    pure type(xl_view) function xl_no_view() result(view)
        view = xl_view(c_null_ptr, 0, 0)
    end function

    ! The type of values of this number of bytes.
    pure elemental integer(c_int32_t) function xl_bytes(bytes)
        integer, intent(in) :: bytes
        xl_bytes = XL_BYTES_ZERO + int(bytes, c_int32_t)
    end function

    function xl_string_of_pointer(text) result(string)
        type(c_ptr), intent(in) :: text
        character(len=:), allocatable :: string
        character(kind=c_char), pointer :: letters(:)
        string = ''
        if (.not. c_associated(text)) return
        call c_f_pointer(text, letters, [huge(0)]) ! the string ends before that
        string = xl_string_of_array(letters)
    end function

    pure function xl_string_of_array(letters) result(string)
        character(kind=c_char), intent(in) :: letters(:)
        character(len=:), allocatable :: string
        integer :: i, length
        length = 0
        do while (length < size(letters))
            if (letters(length + 1) == c_null_char) exit
            length = length + 1
        end do
        allocate (character(len=length) :: string)
        do i = 1, length
            string(i:i) = letters(i)
        end do
    end function

    ! The text of the last failure of this thread; c_null_ptr: of a call without a context.
    function xl_error_text(ctx) result(string)
        type(c_ptr), intent(in) :: ctx
        character(len=:), allocatable :: string
        string = xl_string(xl_context_error(ctx))
    end function
"""
KIND_OF = """
    pure integer(c_int) function xl_type_of_%(short)s(x) result(kind)
        %(type)s, intent(in) :: x(..)
        kind = XL_%(upper)s + 0 * rank(x)
    end function
"""


def module(declarations, texts):
    constants = declarations.constants
    table = [f"!     structure {name} is {declarations.renamed[name]}; the constant is {name.upper()}" for name in declarations.renamed]
    table.append("!     macro XL_BYTES(n) is the function xl_bytes(n)")
    lines = (HEAD % "\n".join(table)).splitlines()
    for name, values in declarations.enums:
        values = [(each, value) for each, value in values if each != "XL_BYTES"]
        lines += ["", "    enum, bind(c)" + (f" ! {name}" if name else "")]
        lines += [f"        enumerator :: {each} = {value}" for each, value in values] + ["    end enum"]
    for name, fields in declarations.structures.items():
        kind = declarations.renamed.get(name, name)
        lines += ["", f"    type, bind(c) :: {kind}"]
        lines += ["        " + field(declarations, *each) for each in fields] + ["    end type"]
    lines += ["", "    abstract interface"]
    for name, (result, arguments) in declarations.callbacks.items():
        lines += ["    " + line for line in interface(declarations, texts[name], name, result, arguments, "abstract")]
    lines += ["    end interface", "", "    interface"]
    for name, (result, arguments) in declarations.functions.items():
        lines += ["    " + line for line in interface(declarations, texts[name], name, result, arguments)]
    lines += ["    end interface"]
    lines += PROCEDURES.replace("XL_BYTES_ZERO", str(constants["XL_BYTES"])).splitlines()
    for name in declarations.functions:
        match = re.fullmatch(r"(xl_\w+_desc)_init_version", name)
        if match:
            lines += ["", f"    subroutine {match[1]}_init(desc)", f"        type({match[1]}), intent(out) :: desc",
                      f"        call {name}(desc, XL_VERSION_NUMBER)", "    end subroutine"]
    for short, kind in (("i8", "integer(int8)"), ("i16", "integer(int16)"), ("i32", "integer(int32)"), ("i64", "integer(int64)"),
                        ("f32", "real(real32)"), ("f64", "real(real64)")):
        lines += (KIND_OF % {"short": short, "upper": short.upper(), "type": kind}).splitlines()
    lines += ["", "end module"]
    return "\n".join(part for line in lines for part in (wrapped(line) if not line.startswith("!") else [line])) + "\n"


def layout(declarations, folder):
    c = ["#include <crosslane/crosslane.h>", "#include <stddef.h>", "#include <stdio.h>", "int main(void)", "{"]
    f = ["program layout", "    use crosslane", "    implicit none"]
    for name, fields in declarations.structures.items():
        kind = declarations.renamed.get(name, name)
        f += [f"    call check_{name[3:]}()"]
        c.append(f'    printf("{name} %zu\\n", sizeof({name}));')
        for _, _, each, _ in fields:
            c.append(f'    printf("{name}.{each} %zu %zu\\n", offsetof({name}, {each}), sizeof((({name} *)0)->{each}));')
    f += ["contains", "    subroutine put(name, field, start, bytes)", "        character(len=*), intent(in) :: name",
          "        type(c_ptr), intent(in) :: field, start", "        integer(c_size_t), intent(in) :: bytes",
          "        print '(a, 2(1x, i0))', name, transfer(field, 0_c_intptr_t) - transfer(start, 0_c_intptr_t), bytes",
          "    end subroutine"]
    for name, fields in declarations.structures.items():
        f += [f"    subroutine check_{name[3:]}()", f"        type({declarations.renamed.get(name, name)}), target :: s",
              f"        print '(a, 1x, i0)', '{name}', c_sizeof(s)"]
        for _, _, each, _ in fields:
            f += wrapped(f"        call put('{name}.{each}', c_loc(s%{each}), c_loc(s), c_sizeof(s%{each}))")
        f += ["    end subroutine"]
    for file, lines in (("layout.c", c + ["    return 0;", "}"]), ("layout.f90", f + ["end program"])):
        with open(os.path.join(folder, file), "w", encoding="ascii") as stream:
            stream.write("\n".join(lines) + "\n")


def main(arguments):
    with open(SOURCE, encoding="ascii") as file:
        text = file.read()
    declarations = Declarations(text)
    if arguments[:1] == ["--layout"] and len(arguments) == 2:
        layout(declarations, arguments[1])
        return
    if arguments not in ([], ["--check"]):
        raise SystemExit(__doc__)
    texts = {match[1]: [part.strip() for part in match[2].split(",")] for match in re.finditer(r"(\w+)\(([^()]*)\);", text)}
    wanted = module(declarations, texts)
    if not arguments:
        with open(TARGET, "w", encoding="ascii") as file:
            file.write(wanted)
        return
    with open(TARGET, encoding="ascii") as file:
        differences = list(difflib.unified_diff(file.read().splitlines(), wanted.splitlines(), "fortran/crosslane.f90",
                                                "the declarations", n=1, lineterm=""))
    if differences:
        raise SystemExit("\n".join([*differences, "fortran/crosslane.f90 is stale: run ci/fortran.py"]))


main(sys.argv[1:])
