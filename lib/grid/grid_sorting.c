/* SPDX-License-Identifier: MIT
 * The part of a build that sorts keys. For rows: row and x of each point -> sort -> if row and x
 * need more bits than a key has, sort by row once more -> gather -> flags where rows begin -> their
 * sums -> list of rows. For a table: entry of each point -> sort -> gather -> starts by search. */
#include "grid_launch.h"

/* Sorts keys and values, whose number is in the header. */
static xl_status sort_keys(const xli_grid_build *b, xl_view n_device)
{
    xl_status status;
    const xli_grid_layout *const layout = &b->index->layout;
    const xl_view keys = xli_grid_view(b, layout->keys, 0, sizeof(cl_ulong));
    const xl_view values = xli_grid_view(b, layout->values, 0, sizeof(cl_uint));
    XL_TRY(xli_seq_nest(b->seq));
    XL_TRY(xl_sort_enqueue(b->grid->sort, b->seq->queue,
                           &(xl_sort_args){.n = b->index->n,
                                           .n_device = n_device,
                                           .keys_in = keys,
                                           .values_in = values,
                                           .keys_out = keys,
                                           .values_out = values,
                                           .scratch = xli_grid_view(b, layout->sorted, 0, 1)},
                           XLI_NEST(b->seq)));
    xli_seq_nested(b->seq);
done:
    return status;
}

/* Lists the rows of sorted keys. */
static xl_status launch_list(const xli_grid_build *b)
{
    xl_status status;
    const xli_grid_layout *const layout = &b->index->layout;
    const size_t n = b->index->n;
    const xl_view flags = xli_grid_view(b, layout->values, 0, sizeof(cl_uint));
    XL_TRY(LAUNCH(b, XLI_GRID_HEADS, n, BUFFER(b), PART(b, header), XLI_U32(n), PART(b, keys),
                  PART(b, values)));
    XL_TRY(xli_seq_nest(b->seq));
    XL_TRY(xl_scan_enqueue(b->grid->rank, b->seq->queue,
                           &(xl_scan_args){.n = n,
                                           .n_device = COUNT(b, flagged),
                                           .in = flags,
                                           .out = flags,
                                           .scratch = xli_grid_view(b, layout->scanned, 0, 1)},
                           XLI_NEST(b->seq)));
    xli_seq_nested(b->seq);
    XL_TRY(LAUNCH(b, XLI_GRID_LIST, n, BUFFER(b), PART(b, header), XLI_U32(n), PART(b, keys),
                  PART(b, values), PART(b, starts), PART(b, begins)));
done:
    return status;
}

xl_status xli_grid_launch_sorting(const xli_grid_build *b)
{
    xl_status status;
    const xli_grid_layout *const layout = &b->index->layout;
    const size_t n = b->index->n;
    const xli_arg table = XLI_U32(layout->table);
    XL_TRY(LAUNCH(b, XLI_GRID_SORT_KEYS, n, GIVEN(b), BUFFER(b), PART(b, header), table,
                  PART(b, keys), PART(b, values)));
    XL_TRY(sort_keys(b, COUNT(b, sorted)));
    if (layout->lists) {
        XL_TRY(LAUNCH(b, XLI_GRID_SORT_AGAIN, n, GIVEN(b), BUFFER(b), PART(b, header), table,
                      PART(b, keys), PART(b, values)));
        XL_TRY(sort_keys(b, COUNT(b, sorted_again)));
    }
    XL_TRY(LAUNCH(b, XLI_GRID_GATHER, n, GIVEN(b), BUFFER(b), PART(b, header), PART(b, values),
                  PART(b, sorted)));
    if (layout->lists)
        XL_TRY(launch_list(b));
    if (b->grid->sorts && layout->table > 0)
        XL_TRY(LAUNCH(b, XLI_GRID_STARTS, (size_t)layout->table + 1, BUFFER(b), PART(b, header),
                      XLI_U32(n), PART(b, starts), table, PART(b, keys)));
done:
    return status;
}
