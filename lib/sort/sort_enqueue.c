/* SPDX-License-Identifier: MIT
 * The launches of a sort: every tile is sorted on its own; then, as often as it takes, runs are
 * merged in pairs, one launch each, from the output to the scratch and back, such that the
 * last launch writes the output. */
#include "sort_plan.h"

/* Keys and values of one launch's source or target: buffers and element offsets. */
typedef struct place {
    cl_mem keys, values;
    size_t keys_at, values_at;
} place;

static place place_of(const xli_span *keys, const xli_span *values)
{
    return (place){keys->buffer, values->buffer, keys->offset, values->offset};
}

static place place_in_scratch(const xl_sort *plan, const xli_span *scratch, size_t n)
{
    const xli_sort_layout layout = xli_sort_layout_of(&plan->problem, &plan->shape, n);
    return (place){scratch->buffer, scratch->buffer,
                   scratch->offset / xl_type_size(plan->problem.key),
                   (scratch->offset + layout.values_at) / sizeof(cl_uint)};
}

/* One launch over all tiles; `run` is 0 for the first one, which sorts them. */
static xl_status launch(xl_sort *plan, xli_seq *seq, size_t n, size_t run, const place *from,
                        const place *to)
{
    const size_t groups = xli_ceil_div(n, xli_sort_tile(&plan->shape));
    xli_arg args[11];
    size_t count = 0;
    args[count++] = XLI_U32(n);
    if (run > 0) {
        args[count++] = XLI_U32(run);
        args[count++] = XLI_U32(xli_sort_search_log(&plan->shape, groups));
    }
    args[count++] = XLI_MEM(from->keys);
    args[count++] = XLI_U64(from->keys_at);
    args[count++] = XLI_MEM(to->keys);
    args[count++] = XLI_U64(to->keys_at);
    if (plan->problem.value != XL_NONE) {
        args[count++] = XLI_MEM(from->values);
        args[count++] = XLI_U64(from->values_at);
        args[count++] = XLI_MEM(to->values);
        args[count++] = XLI_U64(to->values_at);
    }
    return xli_seq_launch(seq, run > 0 ? &plan->kernels.merge : &plan->kernels.tiles, groups,
                          plan->shape.group_size, args, count);
}

xl_status xli_sort_launch(xl_sort *plan, xli_seq *seq, size_t n, const xli_sort_spans *spans,
                          const xli_span *scratch)
{
    xl_status status;
    const place in = place_of(&spans->keys_in, &spans->values_in);
    const place out = place_of(&spans->keys_out, &spans->values_out);
    const unsigned merges = xli_sort_merges(&plan->shape, n);
    const place spare = merges > 0 ? place_in_scratch(plan, scratch, n) : out;
    /* sides[0] is the output; an even number of merges is left from there. */
    const place *const sides[2] = {&out, &spare};
    XL_TRY(launch(plan, seq, n, 0, &in, sides[merges % 2]));
    for (unsigned k = 0; k < merges; ++k) {
        const unsigned left = merges - k;
        XL_TRY(launch(plan, seq, n, xli_sort_tile(&plan->shape) << k, sides[left % 2],
                      sides[(left + 1) % 2]));
    }
done:
    return status;
}
