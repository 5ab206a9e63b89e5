/* SPDX-License-Identifier: MIT
 * The programs of a grid, each of which is built when a call needs it. */
#include "grid_plan.h"

static xl_status build_program(void *of, unsigned program)
{
    static const struct {
        const char *file;
        xli_grid_kernel first, end;
    } programs[] = {[XLI_GRID_ALWAYS] = {"grid", XLI_GRID_BOUNDS, XLI_GRID_SORT_KEYS},
                    [XLI_GRID_SORTING] = {"grid_sorting", XLI_GRID_SORT_KEYS, XLI_GRID_MOVED_START},
                    [XLI_GRID_WATCHING] = {"grid_moved", XLI_GRID_MOVED_START, XLI_GRID_KERNELS},
                    [XLI_GRID_PROGRAMS] = {"grid", XLI_GRID_BOUNDS, XLI_GRID_MOVED_START}};
    static const char *const names[XLI_GRID_KERNELS] = {
        [XLI_GRID_BOUNDS] = "xl_grid_bounds",
        [XLI_GRID_INNER] = "xl_grid_inner",
        [XLI_GRID_SETUP] = "xl_grid_setup",
        [XLI_GRID_SPLIT] = "xl_grid_split",
        [XLI_GRID_KEYS] = "xl_grid_keys",
        [XLI_GRID_SCATTER] = "xl_grid_scatter",
        [XLI_GRID_ORDER] = "xl_grid_order",
        [XLI_GRID_OVERFULL] = "xl_grid_sort_overfull",
        [XLI_GRID_LIST_PARTS] = "xl_grid_list_parts",
        [XLI_GRID_SORT_KEYS] = "xl_grid_sort_keys",
        [XLI_GRID_SORT_AGAIN] = "xl_grid_sort_again",
        [XLI_GRID_HEADS] = "xl_grid_heads",
        [XLI_GRID_LIST] = "xl_grid_list",
        [XLI_GRID_STARTS] = "xl_grid_starts",
        [XLI_GRID_GATHER] = "xl_grid_gather",
        [XLI_GRID_REORDER] = "xl_grid_reorder",
        [XLI_GRID_REORDER_BACK] = "xl_grid_reorder_back",
        [XLI_GRID_MOVED_START] = "xl_grid_moved_start",
        [XLI_GRID_MOVED] = "xl_grid_moved"};
    xli_wanted list[XLI_GRID_KERNELS];
    xli_text defines = {0};
    xli_grid_plan *const grid = of;
    if (grid->always_sorts && program == XLI_GRID_SORTING)
        return XL_SUCCESS;
    if (grid->always_sorts && program == XLI_GRID_ALWAYS)
        program = XLI_GRID_PROGRAMS;
    const xli_grid_kernel first = programs[program].first, end = programs[program].end;
    const xli_space *const space = &grid->space;
    const xli_definition lines[] = {{"XL_GROUP", grid->tune.group},
                                    {"XL_ITEMS", grid->tune.items},
                                    {"XL_SOA", grid->layout},
                                    {"XL_STRIDE", grid->stride},
                                    {"XL_BOUNDED", space->bounded},
                                    {"XL_PLANES", grid->tune.planes},
                                    {"XL_DIMENSIONS", space->dimensions},
                                    {"XL_BUCKET", grid->tune.bucket},
                                    {"XL_REPEATS", space->own_cells ? XLI_REPEATS_CELLS
                                                   : space->skewed  ? XLI_REPEATS_CELL
                                                                    : XLI_REPEATS_NOT},
                                    {"XL_F64", xli_space_is_wide(space)},
                                    {"XL_SYSTEMS", space->num_systems > 0},
                                    {"XL_SORTING", program < XLI_GRID_PROGRAMS ? 0
                                                   : grid->counts              ? 1
                                                                               : 2},
                                    {space->wrap ? "XL_WRAP" : NULL, 1}};
    xli_text_define(&defines, lines, XLI_COUNT(lines));
    for (unsigned i = first; i < (unsigned)end; ++i)
        list[i - first] =
            (xli_wanted){names[i], &grid->kernels[i],
                         grid->counts || i < XLI_GRID_SPLIT || i > XLI_GRID_LIST_PARTS};
    const xl_status status = xli_kernels_build(grid->base.ctx, programs[program].file, &defines,
                                               list, (size_t)(end - first), NULL);
    xli_text_free(&defines);
    return status;
}

xl_status xli_grid_build_program(xli_grid_plan *grid, xli_grid_program program)
{
    return xli_parts_build(&grid->parts, program, build_program, grid);
}
