/* SPDX-License-Identifier: MIT
 * Plans of grids: descriptor to kernels, and where a grid of n points lies. */
#include "grid_plan.h"

#include <crosslane/plan_info.h>
#include <stdio.h>

/* Tables larger than this cost more to clear than they save. */
#define MAX_TABLE ((uint32_t)1 << 26)
#define MIN_TABLE ((uint32_t)64)
/* A given box may have this many cells per point, and this many for few points. */
#define CELLS_PER_POINT ((uint64_t)16)
#define CELLS_ALWAYS ((uint64_t)1 << 16)
/* XL_GRID_MANY and XL_GRID_COUNTED of cl/grid/grid_map.cl. */
#define MANY_CELLS 1073741824.0f
#define COUNTED_CELLS 16777216.0f
/* 1 / cell size is kept a normal number; what it is takes part in no result. */
#define MIN_CELL 0x1p-126f
#define MAX_CELL 0x1p126f

void xl_grid_desc_init_sized(xl_grid_desc *desc, size_t size)
{
    static const xl_grid_desc defaults = {.dimensions = 3, .scalar = XL_F32, .stride = 3};
    xli_struct_init(desc, size, &defaults, sizeof defaults);
}

static float inverse_of(float cell_size)
{
    float size = cell_size < MIN_CELL ? MIN_CELL : cell_size;
    return 1.0f / (size > MAX_CELL ? MAX_CELL : size);
}

/* The number the device finds, by the same operations. */
static uint64_t count_box_cells(const xl_grid_desc *desc, float inverse)
{
    uint64_t cells = 1;
    for (int a = 0; a < 3 && cells <= MAX_TABLE; ++a) {
        float last = (desc->upper[a] - desc->lower[a]) * inverse;
        cells *= last < MANY_CELLS ? (uint64_t)last + 1 : (uint64_t)MANY_CELLS + 1;
    }
    return cells;
}

/* A power of two at or above n, within the limits of a table. */
static uint32_t table_by_points(const xl_grid *grid, size_t n)
{
    uint32_t table = MIN_TABLE;
    while (table < n && table < grid->max_table)
        table *= 2;
    return table;
}

/* The cells of a given box, unless they far outnumber the points: then, and without
 * a box, about one entry per point. Monotone in n. */
static uint32_t choose_table(const xl_grid *grid, size_t n)
{
    uint32_t by_points = table_by_points(grid, n);
    uint64_t room = CELLS_PER_POINT * by_points;
    room = room > CELLS_ALWAYS ? room : CELLS_ALWAYS;
    room = room < grid->max_table ? room : grid->max_table;
    bool fits = grid->desc.bounded && grid->box_cells <= room;
    return fits ? (uint32_t)grid->box_cells : by_points;
}

static size_t take(size_t *bytes, size_t count, size_t element_bytes)
{
    size_t at = *bytes;
    *bytes = at + xli_round_up(count * element_bytes, XLI_SCRATCH_ALIGN);
    return at;
}

xl_status xli_grid_plan_layout(const xl_grid *grid, size_t n, xli_grid_layout *layout)
{
    size_t bytes = 0, nested = 0, alignment = 0;
    xl_status status;
    xli_grid_layout l = {.table = choose_table(grid, n)};
    XL_TRY(xli_grid_check_n(grid->ctx, n, grid->desc.stride));
    l.header = take(&bytes, 1, sizeof(xli_grid_header));
    l.starts = take(&bytes, (size_t)l.table + 1, sizeof(cl_uint));
    l.sorted = take(&bytes, n, sizeof(cl_uint4));
    if (grid->sorts) {
        l.pairs = take(&bytes, n, sizeof(cl_ulong));
        XL_TRY(xl_sort_scratch(grid->sort, n, &nested, &alignment));
    } else {
        l.buckets = take(&bytes, n, sizeof(cl_uint));
        l.ranks = take(&bytes, n, sizeof(cl_uint));
        l.unordered = take(&bytes, n, sizeof(cl_uint));
        XL_TRY(xl_scan_scratch(grid->scan, (size_t)l.table + 1, &nested, &alignment));
    }
    l.nested = take(&bytes, nested, 1);
    l.bytes = bytes;
    *layout = l;
done:
    return status;
}

xl_status xl_grid_scratch(const xl_grid *grid, size_t n, size_t *bytes, size_t *alignment)
{
    xl_status status;
    xli_grid_layout layout;
    XL_TRY(xli_scratch_question(grid ? grid->ctx : NULL, "grid", grid, bytes, alignment));
    XL_TRY(xli_grid_plan_layout(grid, n, &layout));
    *bytes = layout.bytes;
    *alignment = XLI_SCRATCH_ALIGN;
done:
    return status;
}

xli_grid_shape xli_grid_shape_of(const xli_kernel *kernel, size_t n, uint32_t group, uint32_t items)
{
    size_t size = xli_min(group, kernel->max_group);
    return (xli_grid_shape){.groups = xli_ceil_div(n, size * items), .size = size};
}

xl_plan_info xli_grid_info_of(const xli_kernel *kernel, uint32_t group, uint32_t items,
                              const char *algorithm)
{
    const xli_grid_shape shape = xli_grid_shape_of(kernel, 1, group, items);
    xl_plan_info info = {.work_group_size = (uint32_t)shape.size,
                         .item_elements = items,
                         .tile_elements = (uint64_t)shape.size * items};
    snprintf(info.algorithm, sizeof info.algorithm, "%s", algorithm);
    return info;
}

xl_status xl_grid_info_sized(const xl_grid *grid, size_t n, xl_plan_info *info, size_t size)
{
    (void)n;
    if (!grid)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "grid: NULL");
    const xl_plan_info all =
        xli_grid_info_of(&grid->kernels[XLI_GRID_KEYS], grid->tune.group, grid->tune.items,
                         grid->sorts ? "bitonic" : "counting");
    return xli_info_give(grid->ctx, &all, sizeof all, info, size);
}

static xl_status build_kernels(xl_grid *grid)
{
    static const char *const names[XLI_GRID_KERNELS] = {[XLI_GRID_CLEAR] = "xl_grid_clear",
                                                        [XLI_GRID_BOUNDS] = "xl_grid_bounds",
                                                        [XLI_GRID_SETUP] = "xl_grid_setup",
                                                        [XLI_GRID_KEYS] = "xl_grid_keys",
                                                        [XLI_GRID_SCATTER] = "xl_grid_scatter",
                                                        [XLI_GRID_ORDER] = "xl_grid_order",
                                                        [XLI_GRID_OVERFULL] =
                                                            "xl_grid_sort_overfull",
                                                        [XLI_GRID_PAIRS] = "xl_grid_pairs",
                                                        [XLI_GRID_STARTS] = "xl_grid_starts",
                                                        [XLI_GRID_GATHER] = "xl_grid_gather",
                                                        [XLI_GRID_REORDER] = "xl_grid_reorder"};
    xl_status status;
    xli_program *program;
    xli_text defines = {0};
    xli_text_add(&defines, "#define XL_GROUP %u\n#define XL_ITEMS %u\n", grid->tune.group,
                 grid->tune.items);
    xli_text_add(&defines, "#define XL_STRIDE %u\n#define XL_BOUNDED %d\n", grid->desc.stride,
                 grid->desc.bounded ? 1 : 0);
    if (defines.failed)
        return xli_fail(grid->ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a grid");
    XL_TRY(xli_program_get(grid->ctx, "grid", defines.data, &program));
    for (size_t i = 0; i < XLI_GRID_KERNELS; ++i)
        XL_TRY(xli_kernel_create(grid->ctx, program, names[i], &grid->kernels[i]));
done:
    xli_text_free(&defines);
    return status;
}

/* Room for as many tunables, of which there may be none. */
static xl_status make_part(xl_context *ctx, const xli_tune_wish *wish, xl_tunable **part)
{
    *part = wish->count > 0 ? xli_alloc(wish->count * sizeof **part) : NULL;
    if (wish->count > 0 && !*part)
        return xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for tuning values");
    return XL_SUCCESS;
}

xl_status xli_grid_make_scan(xl_context *ctx, xl_type type, const xli_tune_wish *wish,
                             xl_scan **scan)
{
    xl_status status;
    xl_tunable *part;
    xl_scan_desc desc;
    XL_TRY(make_part(ctx, wish, &part));
    xl_scan_desc_init(&desc);
    desc.type = type;
    desc.tunables = part;
    desc.num_tunables = xli_tune_part(wish, XLI_TUNE_SCAN, part);
    status = xl_scan_create(ctx, &desc, scan);
    xli_free(part);
done:
    return status;
}

xl_status xli_grid_make_sort(xl_context *ctx, const xli_tune_wish *wish, xl_sort **sort)
{
    xl_status status;
    xl_tunable *part;
    xl_sort_desc desc;
    XL_TRY(make_part(ctx, wish, &part));
    xl_sort_desc_init(&desc);
    desc.key = XL_U64;
    desc.algorithm = XL_SORT_BITONIC;
    desc.tunables = part;
    desc.num_tunables = xli_tune_part(wish, XLI_TUNE_SORT, part);
    status = xl_sort_create(ctx, &desc, sort);
    xli_free(part);
done:
    return status;
}

/* The grid's own values, and the primitives that the build nests with theirs. */
static xl_status make_parts(xl_grid *grid, const xli_capabilities *capabilities)
{
    xl_status status;
    xli_tune_device device;
    xli_tune tune;
    const xli_tune_wish *wish =
        XLI_TUNE_WISH(XLI_TUNE_GRID | XLI_TUNE_SCAN | XLI_TUNE_SORT, &grid->desc);
    XL_TRY(xli_context_tune(grid->ctx, capabilities, wish, &device, &tune));
    grid->tune = tune.grid;
    xli_tune_grid_fit(&device, &grid->tune);
    /* The same order: where loops are ended those over the points of one cell might be too long. */
    grid->sorts = grid->desc.algorithm == XL_GRID_BITONIC || capabilities->ends_loops;
    XL_TRY(grid->sorts ? xli_grid_make_sort(grid->ctx, wish, &grid->sort)
                       : xli_grid_make_scan(grid->ctx, XL_U32, wish, &grid->scan));
    grid->desc.tunables = NULL; /* the caller's */
    grid->desc.num_tunables = 0;
done:
    return status;
}

static void set_sizes(xl_grid *grid, const xli_capabilities *capabilities)
{
    uint64_t room = capabilities->info.max_buffer_bytes / 8 / sizeof(cl_uint);
    grid->max_table = MAX_TABLE;
    while (grid->max_table > MIN_TABLE && grid->max_table > room)
        grid->max_table /= 2;
    grid->inverse = inverse_of(grid->desc.cell_size);
    grid->beyond = COUNTED_CELLS / grid->inverse;
    grid->box_cells = grid->desc.bounded ? count_box_cells(&grid->desc, grid->inverse) : UINT64_MAX;
}

xl_status xl_grid_create(xl_context *ctx, const xl_grid_desc *desc, xl_grid **grid)
{
    xl_status status;
    xl_grid *made = NULL;
    const xli_capabilities *capabilities;
    xl_grid_desc checked;
    if (grid)
        *grid = NULL;
    if (!ctx || !desc || !grid)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL",
                        !ctx    ? "ctx"
                        : !desc ? "desc"
                                : "grid");
    xl_grid_desc_init(&checked);
    XL_TRY(XLI_DESC_READ(ctx, xl_grid_desc, desc, &checked));
    XL_TRY(xli_grid_check_desc(ctx, &checked));
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    made = xli_alloc(sizeof *made);
    if (!made)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a grid"));
    made->ctx = xli_context_retain(ctx);
    made->desc = checked;
    XL_TRY(xli_pool_create(ctx, &made->pool));
    /* Grids that take turns in one storage do not take each other's builds for theirs. */
    made->stamp = (cl_uint)((uintptr_t)made >> 4) * 2654435761u;
    set_sizes(made, capabilities);
    XL_TRY(make_parts(made, capabilities));
    XL_TRY(build_kernels(made));
    *grid = made;
    made = NULL;
done:
    xl_grid_destroy(made);
    return status;
}

void xl_grid_destroy(xl_grid *grid)
{
    if (!grid)
        return;
    for (size_t i = 0; i < XLI_GRID_KERNELS; ++i)
        xli_kernel_destroy(&grid->kernels[i]);
    if (grid->storage)
        clReleaseMemObject(grid->storage);
    xli_pool_destroy(&grid->pool);
    xl_scan_destroy(grid->scan);
    xl_sort_destroy(grid->sort);
    xli_context_release(grid->ctx);
    xli_free(grid);
}
