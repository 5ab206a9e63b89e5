/* SPDX-License-Identifier: MIT
 * Plans of grids: descriptor to kernels, and where a grid of n points lies. */
#include "grid_plan.h"

#include <stdio.h>

/* Of a table for a device that has none unless it is asked for. */
#define CELLS_PER_POINT 4
/* XL_GRID_MANY and XL_GRID_COUNTED of cl/grid/grid_map.cl. */
#define MANY_CELLS 1073741824.0f
#define COUNTED_CELLS 16777216.0f
/* 1 / cell size is kept a normal number, of cells thinner by the most that grid.thin may be as
 * well; what it is takes part in no result. */
#define MIN_CELL 0x1p-120f
#define MAX_CELL 0x1p126f

void xl_grid_desc_init_version(xl_grid_desc *desc, uint32_t version)
{
    static const xl_grid_desc defaults = {.dimensions = 3, .scalar = XL_F32, .stride = 3};
    xli_desc_init(desc, version, &defaults, sizeof defaults);
}

static float inverse_of(float cell_size)
{
    float size = cell_size < MIN_CELL ? MIN_CELL : cell_size;
    return 1.0f / (size > MAX_CELL ? MAX_CELL : size);
}

/* The number the device finds, by the same operations. */
static uint64_t count_box_cells(const xl_grid_desc *desc, float inverse, float thin)
{
    uint64_t cells = 1;
    for (int a = 0; a < 3 && cells <= XLI_GRID_MAX_TABLE; ++a) {
        float last = (desc->upper[a] - desc->lower[a]) * (a == 0 ? inverse * thin : inverse);
        cells *= last < MANY_CELLS ? (uint64_t)last + 1 : (uint64_t)MANY_CELLS + 1;
    }
    if (desc->num_systems > 0 && cells <= XLI_GRID_MAX_TABLE)
        cells *= desc->num_systems;
    return cells;
}

xli_grid_shape xli_grid_shape_of(const xli_kernel *kernel, size_t n, uint32_t group, uint32_t items)
{
    size_t size = xli_min(group, kernel->max_group);
    return (xli_grid_shape){.groups = xli_ceil_div(n, size * items), .size = size};
}

xl_plan_details xli_grid_info_of(const xli_kernel *kernel, uint32_t group, uint32_t items,
                                 const char *algorithm)
{
    const xli_grid_shape shape = xli_grid_shape_of(kernel, 1, group, items);
    xl_plan_details info = {.work_group_size = (uint32_t)shape.size,
                            .item_elements = items,
                            .tile_elements = (uint64_t)shape.size * items};
    snprintf(info.algorithm, sizeof info.algorithm, "%s", algorithm);
    return info;
}

void xli_grid_info(const xli_grid_plan *grid, size_t n, xl_plan_details *info)
{
    (void)n;
    const xl_plan_details all =
        xli_grid_info_of(&grid->kernels[XLI_GRID_KEYS], grid->tune.group, grid->tune.items,
                         grid->desc.algorithm == XL_GRID_BITONIC ? "bitonic"
                         : grid->sorts || !grid->scan            ? "radix"
                                                                 : "counting");
    *info = all;
}

static xl_status build_kernels(xli_grid_plan *grid)
{
    static const char *const names[XLI_GRID_KERNELS] = {
        [XLI_GRID_BOUNDS] = "xl_grid_bounds",
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
    xl_status status;
    xli_program *program;
    xli_text defines = {0};
    xli_text_add(&defines, "#define XL_GROUP %u\n#define XL_ITEMS %u\n", grid->tune.group,
                 grid->tune.items);
    xli_text_add(&defines, "#define XL_SOA %u\n#define XL_STRIDE %u\n#define XL_BOUNDED %d\n",
                 grid->desc.layout, grid->desc.stride, grid->desc.bounded ? 1 : 0);
    xli_text_add(&defines, "#define XL_PLANES %u\n#define XL_DIMENSIONS %u\n", grid->tune.planes,
                 grid->desc.dimensions);
    xli_text_add(&defines, "#define XL_BUCKET %u\n#define XL_TRICLINIC %u\n", grid->tune.bucket,
                 grid->desc.triclinic);
    xli_text_add(&defines, "#define XL_F64 %d\n#define XL_SYSTEMS %d\n",
                 grid->desc.scalar == XL_F64 ? 1 : 0, grid->desc.num_systems > 0 ? 1 : 0);
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

xl_status xli_grid_make_scan(xl_context *ctx, xl_type type, xl_scan_kind kind,
                             const xli_tune_wish *wish, xl_plan **scan)
{
    xl_status status;
    xl_tunable *part;
    xl_scan_desc desc;
    XL_TRY(make_part(ctx, wish, &part));
    xl_scan_desc_init(&desc);
    desc.type = type;
    desc.kind = kind;
    desc.tunables = part;
    desc.num_tunables = xli_tune_part(wish, XLI_TUNE_SCAN, part);
    status = xl_scan_create(ctx, &desc, scan);
    xli_free(part);
done:
    return status;
}

/* Stable, so that points of one place stay in the order of their indices. */
static xl_status make_sort(xli_grid_plan *grid, const xli_tune_wish *wish)
{
    xl_status status;
    xl_tunable *part;
    xl_sort_desc desc;
    XL_TRY(make_part(grid->ctx, wish, &part));
    xl_sort_desc_init(&desc);
    desc.key = XL_U64;
    desc.value = XL_U32;
    desc.stable = 1;
    desc.algorithm = grid->desc.algorithm == XL_GRID_BITONIC ? XL_SORT_BITONIC : XL_SORT_AUTO;
    desc.tunables = part;
    desc.num_tunables = xli_tune_part(wish, XLI_TUNE_SORT, part);
    status = xl_sort_create(grid->ctx, &desc, &grid->sort);
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
    grid->inverse = inverse_of(grid->desc.cell_size);
    grid->thin = (float)grid->tune.thin;
    grid->beyond = COUNTED_CELLS / grid->inverse;
    grid->box_cells =
        grid->desc.bounded ? count_box_cells(&grid->desc, grid->inverse, grid->thin) : UINT64_MAX;
}

/* The grid's own values, and the primitives that the build nests with theirs. */
static xl_status make_parts(xli_grid_plan *grid, const xli_capabilities *capabilities)
{
    xl_status status;
    xli_tune_device device;
    xli_tune tune;
    const xli_tune_wish *wish =
        XLI_TUNE_WISH(XLI_TUNE_GRID | XLI_TUNE_SCAN | XLI_TUNE_SORT, &grid->desc);
    XL_TRY(xli_context_tune(grid->ctx, capabilities, wish, &device, &tune));
    grid->tune = tune.grid;
    if (grid->desc.scalar == XL_F64) /* what a work-item finds is that much longer */
        device.local_bytes = device.local_bytes / 8 * 5;
    xli_tune_grid_fit(&device, &grid->tune);
    /* The same order: where loops are ended those over the points of one cell might be too long. */
    grid->sorts = grid->desc.algorithm == XL_GRID_BITONIC || capabilities->ends_loops;
    if (grid->tune.table == 0 && grid->desc.algorithm != XL_GRID_AUTO)
        grid->tune.table = CELLS_PER_POINT;
    set_sizes(grid, capabilities);
    const bool lists = xli_grid_may_list(grid, 1);
    if (!grid->sorts && grid->tune.table + grid->tune.sampled > 0)
        XL_TRY(xli_grid_make_scan(grid->ctx, XL_U32, XL_EXCLUSIVE, wish, &grid->scan));
    if (grid->sorts || lists)
        XL_TRY(make_sort(grid, wish));
    XL_TRY(xli_grid_make_scan(grid->ctx, XL_U32, XL_INCLUSIVE, wish, &grid->rank));
    grid->desc.tunables = NULL; /* the caller's */
    grid->desc.num_tunables = 0;
done:
    return status;
}

xl_status xli_grid_create(xl_context *ctx, const xl_grid_desc *desc, xli_grid_plan **grid)
{
    xl_status status;
    xli_grid_plan *made = NULL;
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
    if (checked.layout == XL_POINTS_SOA)
        made->desc.stride = 1;
    for (uint32_t a = checked.dimensions; a < 3; ++a)
        made->desc.lower[a] = made->desc.upper[a] = 0;
    if (checked.triclinic)
        xli_grid_fit_cell(&made->desc);
    if (checked.scalar == XL_F64)
        xli_grid_set_box(&made->desc, &made->box);
    made->lattice = xli_grid_space_of(made);
    XL_TRY(make_parts(made, capabilities));
    XL_TRY(build_kernels(made));
    *grid = made;
    made = NULL;
done:
    xli_grid_destroy(made);
    return status;
}

void xli_grid_destroy(xli_grid_plan *grid)
{
    if (!grid || xli_os_was_forked())
        return;
    for (size_t i = 0; i < XLI_GRID_KERNELS; ++i)
        xli_kernel_destroy(&grid->kernels[i]);
    xl_plan_destroy(grid->scan);
    xl_plan_destroy(grid->rank);
    xl_plan_destroy(grid->sort);
    xli_context_release(grid->ctx);
    xli_free(grid);
}

XLI_WRAP(grid)
xl_status xl_grid_scratch(const xl_plan *plan, const xl_grid_build_args *args, size_t *bytes)
{
    size_t alignment;
    xl_status status = xli_plan_check(&xli_grid_primitive, plan);
    if (status == XL_SUCCESS && !args)
        status = xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT, "args: NULL");
    return status == XL_SUCCESS ? xli_grid_scratch(xli_grid_of(plan), args->n, bytes, &alignment)
                                : status;
}
XLI_WRAP_INDEX(grid, build_enqueue, xl_grid_build_args)
XLI_WRAP_INDEX(grid, reorder_enqueue, xl_grid_reorder_args)
XLI_WRAP_INDEX(grid, moved_enqueue, xl_grid_moved_args)
