/* SPDX-License-Identifier: MIT
 * The arrays of a selection, the class of an element, and the sum of a tile or a chunk.
 *
 * Besides the parameters, the host defines the type xl_element; for each array of values the type
 * of a unit, xl_value0 and so on, and the number of units per element, xl_value0_units; and, if
 * expressions choose,
 *   uint xl_user_class(xl_element x, ulong i)        0 or 1; for three parts 0, 1 or 2
 *   bool xl_user_equal(xl_element a, xl_element b)   for adjacent elements
 * which have a last parameter xl_params if the expressions have parameters. */
#ifndef XL_SELECT_ARRAYS
#define XL_SELECT_ARRAYS

#define XL_TILE (XL_GROUP_SIZE * XL_ITEMS)

/* Scans and look-back combine sums, as xl_sum_count() describes them; if elements are repeated, sums
 * of lengths. */
#if XL_SELECT_KIND == 2 || XL_SELECT_KIND == 4 || XL_SELECT_KIND == 5
#define XL_E ulong
#define XL_E_BYTES 8
#else
#define XL_E uint
#define XL_E_BYTES 4
#endif
#define XL_E_ALIGNMENT XL_E_BYTES
#if XL_SELECT_KIND == 4
ulong xl_join_runs(ulong a, ulong b)
{
    return (ulong)((uint)a + (uint)b) | max(a >> 32, b >> 32) << 32;
}
#define XL_OP(a, b) xl_join_runs(a, b)
#else
#define XL_OP(a, b) ((a) + (b))
#endif
XL_E xl_identity_e(void)
{
    return (XL_E)(0);
}
#define XL_COMMUTES 1
#define XL_HAS_IDENTITY 1
#include "../prelude/prelude_accumulator.cl"

/* The outputs of a call: bits of `gives`, as in lib/select/select_enqueue.c. */
enum {
    xl_gives_out = 1,
    xl_gives_indices = 2,
    xl_gives_lengths = 4,
    xl_gives_count = 8,
    xl_gives_values = 16, /* the first array of values; the next three follow */
    /* Outputs that are written from the places of elements, not from the elements. */
    xl_gives_by_place = xl_gives_indices | xl_gives_lengths | 15 * xl_gives_values
};

/* NVIDIA's compiler ignores a limit of registers in a kernel that requires a group size. */
#if XL_REGISTERS > 0
#define XL_REQUIRED
#else
#define XL_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))
#endif

#if XL_SELECT_BY == 1
typedef uchar xl_select_flag;
#else
typedef uint xl_select_flag; /* bits, or the lengths of XL_SELECT_REPEAT */
#endif
#if XL_SELECT_WIDE
typedef ulong xl_select_index;
#else
typedef uint xl_select_index;
#endif

#define XL_EACH_VALUE(X) XL_TIMES(XL_VALUES, X)
#define XL_VALUE_MEMBERS(k)                                                                        \
    const __global xl_value##k *values_in##k;                                                      \
    __global xl_value##k *values_out##k;
typedef struct xl_select {
    const __global xl_element *in;
    const __global xl_select_flag *flags;
    __global xl_element *out;
    __global xl_select_index *indices;
    __global uint *lengths;
    __global ulong *count;
    ulong n, capacity;
    uint gives, aligned; /* vectors may be read; no bool: NVIDIA keeps padded structs in memory */
    XL_EACH_VALUE(XL_VALUE_MEMBERS)
#if XL_PARAM_WORDS > 0
    xl_params params; /* of the caller's expressions */
#endif
} xl_select;

/* The arguments for one array of values; offsets are in elements. */
#define XL_VALUE_ARGUMENTS(k)                                                                      \
    , const __global xl_value##k *values_in##k, ulong values_in##k##_offset,                       \
        __global xl_value##k *values_out##k, ulong values_out##k##_offset
#define XL_VALUE_MAKE(k)                                                                           \
    select.values_in##k = values_in##k + values_in##k##_offset * xl_value##k##_units;              \
    select.values_out##k = values_out##k + values_out##k##_offset * xl_value##k##_units;

/* Whether rows of a work-group's tile may be read as vectors. */
#if XL_SERIAL
#define XL_SELECT_ALIGNED(s) 0
#else
#define XL_SELECT_ALIGNED(s)                                                                       \
    ((size_t)(s).in % (sizeof(xl_element) * XL_VLEN) == 0 &&                                       \
     (XL_SELECT_BY != 1 || (size_t)(s).flags % XL_VLEN == 0))
#endif

/* `length`: NULL, or where the number of elements is on the device, at most n_most. `scratch`
 * begins at word scratch_offset. */
#define XL_SELECT_ARGUMENTS                                                                        \
    ulong n_most, const __global ulong *length, ulong length_offset, ulong capacity, uint gives,   \
        const __global xl_element *in, ulong in_offset, const __global xl_select_flag *flags,      \
        ulong flags_offset, __global xl_element *out, ulong out_offset,                            \
        __global xl_select_index *indices, ulong indices_offset, __global uint *lengths,           \
        ulong lengths_offset, __global ulong *count, ulong count_offset, __global ulong *scratch,  \
        ulong scratch_offset XL_EACH_VALUE(XL_VALUE_ARGUMENTS) XL_PARAMS_ARGUMENT
#define XL_SELECT_MAKE                                                                             \
    ulong n;                                                                                       \
    XL_LENGTH_READ(ulong, n, n_most, length, length_offset)                                        \
    xl_select select;                                                                              \
    select.n = n;                                                                                  \
    select.capacity = capacity;                                                                    \
    select.gives = gives;                                                                          \
    select.in = in + in_offset;                                                                    \
    select.flags = flags + flags_offset;                                                           \
    select.out = out + out_offset;                                                                 \
    select.indices = indices + indices_offset;                                                     \
    select.lengths = lengths + lengths_offset;                                                     \
    select.count = count + count_offset;                                                           \
    select.aligned = XL_SELECT_ALIGNED(select);                                                    \
    scratch += scratch_offset;                                                                     \
    XL_EACH_VALUE(XL_VALUE_MAKE) XL_PARAMS_MAKE(select)

#define XL_BY_EXPRESSION (XL_SELECT_BY == 0 && XL_SELECT_KIND < 3)
#define XL_BY_HEADS (XL_SELECT_KIND == 3 || XL_SELECT_KIND == 4)

/* Copies element `from` of an array of values to place `to`, unit by unit. */
#define XL_VALUE_MOVE(k)                                                                           \
    if (s->gives & xl_gives_values << k)                                                           \
        for (uint u = 0; u < xl_value##k##_units; ++u)                                             \
            s->values_out##k[to * xl_value##k##_units + u] =                                       \
                s->values_in##k[from * xl_value##k##_units + u];

/* Writes place `to` of all outputs, except the element itself, for the element at place `from` of
 * the input. */
void xl_select_give(const xl_select *s, ulong to, ulong from)
{
    if (s->gives & xl_gives_indices)
        s->indices[to] = (xl_select_index)from;
    XL_EACH_VALUE(XL_VALUE_MOVE)
}

#if XL_BY_EXPRESSION
uint xl_class_of(const xl_select *s, xl_element x, ulong i)
{
    return xl_user_class(x, i XL_PARAMS_OF(s));
}
#elif XL_BY_HEADS
/* Whether b, the element after a, begins a run. */
bool xl_begins_run(const xl_select *s, xl_element a, xl_element b)
{
    return !xl_user_equal(a, b XL_PARAMS_OF(s));
}
#endif

#if XL_SELECT_KIND != 5
/* The class of element i: 1 if it is selected, otherwise 0; for three parts, its part. `x`: the
 * element, if it is loaded. */
uint xl_select_class(const xl_select *s, ulong i, const xl_element *x)
{
#if XL_BY_HEADS
    if (i == 0)
        return 1;
    return xl_begins_run(s, s->in[i - 1], *x);
#elif XL_BY_EXPRESSION
    return xl_class_of(s, *x, i);
#elif XL_SELECT_BY == 2
    return s->flags[i / 32] >> i % 32 & 1u;
#elif XL_SELECT_KIND == 2
    return min((uint)s->flags[i], 2u);
#else
    return s->flags[i] != 0;
#endif
}

/* The sum of some elements: how many are in the first part; and in the high half of a ulong, for
 * three parts, how many are in the second or, for runs, where the last one begins, plus 1 (0: none
 * begins). Both are below 2^32. */
uint xl_sum_count(XL_T sum)
{
    return (uint)sum;
}

uint xl_sum_more(XL_T sum)
{
#if XL_SELECT_KIND == 2 || XL_SELECT_KIND == 4
    return (uint)(sum >> 32);
#else
    return 0;
#endif
}

XL_T xl_select_sum_of(uint class, ulong i)
{
#if XL_SELECT_KIND == 2
    return class == 0 ? 1ul : class == 1 ? 1ul << 32 : 0ul;
#elif XL_SELECT_KIND == 4
    return class != 0 ? 1ul | (i + 1) << 32 : 0ul;
#else
    return class;
#endif
}

/* The same for all elements before a place. */
typedef struct xl_select_before {
    ulong count, more;
} xl_select_before;

xl_select_before xl_select_nothing(void)
{
    xl_select_before nothing;
    nothing.count = 0;
    nothing.more = 0;
    return nothing;
}

xl_select_before xl_select_join(xl_select_before a, xl_select_before b)
{
    xl_select_before both;
    both.count = a.count + b.count;
    both.more = XL_SELECT_KIND == 4 ? max(a.more, b.more) : a.more + b.more;
    return both;
}

/* `before` and elements whose sum is t. */
xl_select_before xl_select_after(xl_select_before before, XL_T t)
{
    xl_select_before sum;
    sum.count = xl_sum_count(t);
    sum.more = xl_sum_more(t);
    return xl_select_join(before, sum);
}

/* Writes the length of a run, which begins at place `begin` - 1 and ends before place `end`. */
void xl_select_run(const xl_select *s, ulong runs, ulong begin, ulong end)
{
    if ((s->gives & xl_gives_lengths) && runs > 0 && runs <= s->capacity)
        s->lengths[runs - 1] = (uint)(end - (begin - 1));
}

/* Writes the last length and the count after all of the n elements; called by one work-item. */
void xl_select_end(const xl_select *s, ulong n, xl_select_before all)
{
#if XL_SELECT_KIND == 4
    xl_select_run(s, all.count, all.more, n);
#endif
    if (s->gives & xl_gives_count) {
        s->count[0] = all.count;
#if XL_SELECT_KIND == 2
        s->count[1] = all.more;
#endif
    }
}

/* The elements of this group's chunk: where they begin and where they end. */
#define XL_CHUNK_MAKE                                                                              \
    const ulong begin = min((ulong)get_group_id(0) * chunk, select.n);                             \
    const ulong end = begin + min(select.n - begin, chunk);

/* Where elements of a partition go, from place `i` of the input on: those of part p to at[p]. */
typedef struct xl_select_places {
    ulong at[3];
} xl_select_places;

xl_select_places xl_select_places_of(xl_select_before before, xl_select_before all, ulong i)
{
    xl_select_places p;
    p.at[0] = before.count;
#if XL_SELECT_KIND == 2
    p.at[1] = all.count + before.more;
    p.at[2] = all.count + all.more + (i - before.count - before.more);
#else
    p.at[1] = all.count + (i - before.count);
    p.at[2] = 0;
#endif
    return p;
}
#endif

#endif
