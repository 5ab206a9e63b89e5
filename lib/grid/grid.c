/* SPDX-License-Identifier: MIT
 * Grids: the plan. */
#include "grid_plan.h"

#include <float.h>
#include <stdio.h>

/* The entries of a table if the device's values ask for none, but the descriptor does. */
#define CELLS_PER_POINT 4
/* The default if a descriptor has no edge. */
#define POINTS_PER_CELL 2.0f
/* XL_GRID_COUNTED of cl/grid/grid_map.cl. */
#define COUNTED_CELLS 16777216.0f
/* Keep 1 / cell size a normal number, even for cells that grid.thin makes thinnest. No result
 * depends on it. */
#define MIN_CELL 0x1p-120f
#define MAX_CELL 0x1p126f

static const xl_grid_desc defaults = {.space = {.dimensions = 3, .scalar = XL_F32}, .stride = 3};

static float inverse_of(float cell_size)
{
    float size = cell_size < MIN_CELL ? MIN_CELL : cell_size;
    return 1.0f / (size > MAX_CELL ? MAX_CELL : size);
}

/* floor() of a number below 2^31: the library links no libm. */
static int32_t floor_of(float x)
{
    const int32_t whole = (int32_t)x;
    return (float)whole > x ? whole - 1 : whole;
}

/* The number of cells that the device finds, by the same operations; UINT64_MAX if it lists rows
 * whatever the points are. A device that flushes a subnormal upper bound may find one cell more
 * than others. */
static uint64_t count_box_cells(const xli_grid_plan *grid)
{
    const uint32_t systems = grid->space.num_systems;
    uint64_t cells = 1;
    for (int a = 0; a < 3 && cells <= XLI_GRID_MAX_TABLE; ++a) {
        const float lower = grid->lower[a], upper = grid->upper[a];
        const float inverse = a == 0 ? grid->inverse * grid->thin : grid->inverse;
        if (!(-grid->beyond < lower && upper < grid->beyond))
            return UINT64_MAX;
        const int32_t first = floor_of(lower * inverse);
        const int32_t last = floor_of(upper * inverse + FLT_MIN);
        if (first < -(int32_t)COUNTED_CELLS || last > (int32_t)COUNTED_CELLS)
            return UINT64_MAX;
        cells *= last > first ? (uint64_t)((uint32_t)last - (uint32_t)first) + 1 : 1;
    }
    if (systems > 0 && cells <= XLI_GRID_MAX_TABLE)
        cells *= systems;
    return cells;
}

xli_grid_shape xli_grid_shape_of(const xli_kernel *kernel, size_t n, uint32_t group, uint32_t items)
{
    size_t size = xli_min(group, kernel->max_group);
    return (xli_grid_shape){.groups = xli_ceil_div(n, size * items), .size = size};
}

void xli_grid_info_of(const xli_kernel *kernel, uint32_t group, uint32_t items,
                      const char *algorithm, xl_plan_details *details)
{
    const xli_grid_shape shape = xli_grid_shape_of(kernel, 1, group, items);
    details->work_group_size = (uint32_t)shape.size;
    details->item_elements = items;
    details->tile_elements = (uint64_t)shape.size * items;
    snprintf(details->algorithm, sizeof details->algorithm, "%s", algorithm);
}

static void info(const xl_plan *base, size_t n, xl_plan_details *details)
{
    const xli_grid_plan *const grid = (const xli_grid_plan *)base;
    (void)n;
    const xli_grid_kernel kernel = grid->counts ? XLI_GRID_KEYS : XLI_GRID_BOUNDS;
    xli_grid_info_of(&grid->kernels[kernel], grid->tune.group, grid->tune.items,
                     grid->algorithm == XL_GRID_BITONIC ? "bitonic"
                     : !grid->counts                    ? "radix"
                                                        : "counting",
                     details);
}

/* Stable, so that points of equal keys stay in the order of their indices. */
static xl_status make_sort(xli_grid_plan *grid, const xli_tune_wish *wish)
{
    xl_status status = XL_SUCCESS;
    xl_sort_desc desc;
    xl_tunable *const part = wish->count > 0 ? xli_alloc(wish->count * sizeof *part) : NULL;
    if (wish->count > 0 && !part)
        XL_TRY(xli_fail(grid->base.ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for tuning values"));
    xl_sort_desc_init(&desc);
    desc.key = XL_U64;
    desc.value = XL_U32;
    desc.stable = 1;
    desc.algorithm = grid->algorithm == XL_GRID_BITONIC ? XL_SORT_BITONIC : XL_SORT_AUTO;
    desc.tunables = part;
    desc.num_tunables = xli_tune_part(wish, XLI_TUNE_SORT, part);
    status = xl_sort_create(grid->base.ctx, &desc, &grid->sort);
    xli_free(part);
done:
    return status;
}

static void set_sizes(xli_grid_plan *grid, const xli_capabilities *capabilities)
{
    uint64_t room = capabilities->info.max_buffer_bytes / 8 / sizeof(cl_uint);
    grid->max_table = XLI_GRID_MAX_TABLE;
    while (grid->max_table > XLI_GRID_MIN_TABLE && grid->max_table > room)
        grid->max_table /= 2;
    grid->inverse = inverse_of(grid->cell_size);
    grid->thin = (float)grid->tune.thin;
    grid->beyond = COUNTED_CELLS / grid->inverse;
    grid->box_cells = grid->space.bounded ? count_box_cells(grid) : UINT64_MAX;
}

/* The tuning values, and the sums and the sort inside a build. */
static xl_status make_parts(xli_grid_plan *grid, const xli_capabilities *capabilities,
                            const xli_tune_wish *wish)
{
    xl_status status;
    xli_tune_device device, narrower;
    xli_tune tune;
    XL_TRY(xli_context_tune(grid->base.ctx, capabilities, wish, &device, &tune));
    grid->tune = tune.grid;
    narrower = device;
    if (xli_space_is_wide(&grid->space)) /* a work-item finds a box of that size more */
        narrower.local_bytes = device.local_bytes / 8 * 5;
    xli_tune_grid_fit(&narrower, &grid->tune);
    grid->sorts = grid->algorithm == XL_GRID_BITONIC;
    if (grid->tune.table == 0 && grid->algorithm != XL_GRID_AUTO)
        grid->tune.table = CELLS_PER_POINT;
    set_sizes(grid, capabilities);
    const bool lists = xli_grid_may_list(grid, 1);
    grid->counts = !grid->sorts && grid->tune.table + grid->tune.sampled > 0;
    if (grid->sorts || lists)
        XL_TRY(make_sort(grid, wish));
    if (grid->counts || lists)
        XL_TRY(xli_sums_make(grid->base.ctx, &device, &grid->sums));
done:
    return status;
}

/* Fields that have no effect become 0, or the value that kernels expect. */
static xl_status read_desc(xli_grid_plan *grid, const xl_grid_desc *desc)
{
    xl_status status;
    XL_TRY(xli_space_read(grid->base.ctx, &desc->space, &grid->space));
    XL_TRY(xli_grid_check_desc(grid->base.ctx, desc));
    if (grid->space.skewed)
        XL_TRY(xli_grid_fit_cell(grid->base.ctx, &grid->space));
    grid->layout = desc->layout;
    grid->stride = desc->layout == XL_POINTS_SOA ? 1 : desc->stride;
    grid->algorithm = desc->algorithm;
    grid->cell_size = (float)desc->cell_size;
    grid->points_per_cell = (float)desc->points_per_cell;
    if (desc->cell_size <= 0 && desc->points_per_cell <= 0)
        grid->points_per_cell = POINTS_PER_CELL;
    grid->box = xli_grid_own_box(&grid->space, grid->lower, grid->upper);
    grid->lattice = xli_grid_space_lattice(&grid->space);
    if (grid->space.wrap && !grid->space.own_cells)
        XL_TRY(xli_grid_table_of_one(grid->base.ctx, &grid->space, &grid->lattice, &grid->table));
done:
    return status;
}

static xl_status make(xl_plan *base, const void *of)
{
    xl_status status;
    xli_grid_plan *const grid = (xli_grid_plan *)base;
    const xl_grid_desc *const desc = of;
    const xli_capabilities *capabilities;
    XL_TRY(read_desc(grid, desc));
    XL_TRY(xli_context_capabilities(base->ctx, &capabilities));
    XL_TRY(xli_rusticl_check_loops(base->ctx, capabilities));
    XL_TRY(make_parts(grid, capabilities, XLI_TUNE_WISH(XLI_TUNE_GRID | XLI_TUNE_SORT, desc)));
    XL_TRY(xli_parts_create(base->ctx, &grid->parts));
    grid->always_sorts = xli_grid_always_sorts(grid);
    XL_TRY(xli_grid_build_program(grid, XLI_GRID_ALWAYS));
done:
    return status;
}

static void drop(xl_plan *base)
{
    xli_grid_plan *const grid = (xli_grid_plan *)base;
    for (size_t i = 0; i < XLI_GRID_KERNELS; ++i)
        xli_kernel_destroy(&grid->kernels[i]);
    xli_parts_destroy(&grid->parts);
    if (grid->table.rows)
        clReleaseMemObject(grid->table.rows);
    xli_sums_drop(&grid->sums);
    xl_plan_destroy(grid->sort);
}

/* The scratch question is that of a build, without an index. */
static xl_status count(const xl_plan *base, const void *of)
{
    return xli_grid_check_n(base->ctx, "args.n", ((const xl_grid_build_args *)of)->n,
                            ((const xli_grid_plan *)base)->stride);
}

static size_t scratch_bytes(const xl_plan *base, const void *of)
{
    xli_grid_layout layout;
    const size_t n = ((const xl_grid_build_args *)of)->n;
    const xl_status status = xli_grid_plan_layout((const xli_grid_plan *)base, n, &layout);
    return status == XL_SUCCESS ? layout.bytes : SIZE_MAX;
}

static const xli_primitive primitive = {
    XLI_PRIMITIVE(grid, xli_grid_plan), .args = {"args", sizeof(xl_grid_build_args), NULL},
    .count = count, .scratch = scratch_bytes, .prepare = xli_grid_prepare};
const xli_primitive *const xli_grid_primitive = &primitive;
XLI_PUBLIC_DESC_INIT(grid)
XLI_PUBLIC_CREATE(grid)
XLI_PUBLIC_SCRATCH(grid, xl_grid_build_args)
