/* SPDX-License-Identifier: MIT
 * Search plans: counts, lists and sums over the neighbours of each point of a grid.
 *
 * Phases of a list: count per point -> exclusive sum in 64 bits -> fill. */
#include "grid_plan.h"

#include <crosslane/plan_info.h>

struct xl_neighbors {
    xl_context *ctx;
    float radius2;
    float reach; /* the radius and what rounding may add to it */
    bool visits;
    bool ends_loops; /* the device: see xli_capabilities */
    xli_tune_neighbors tune;
    uint32_t planes; /* grid.planes: that of the grids that it takes */
    xl_scan *scan;   /* of u64 */
    xli_kernel count, fill, visit;
    xli_kernel total; /* where the device ends loops */
    xli_pool pool;
};

void xl_neighbors_desc_init_sized(xl_neighbors_desc *desc, size_t size)
{
    xli_struct_init(desc, size, &(const xl_neighbors_desc){.sorted = 1}, sizeof *desc);
}

/* A pair is taken by its rounded square distance, so its true distance along an
 * axis may exceed the radius by some units of 2^-24: squaring, comparing with a
 * rounded square, and the subtraction round once each. 2^-19 is beyond all. */
static float reach_of(float radius)
{
    return (float)((double)radius * (1.0 + 0x1p-19));
}

/* Eight work-items share 65,535 rounds (lib/ocl/rusticl.c): all of them where rows are in any
 * order, else what a heap of MOST_ROW leaves, whose rounds are at most MOST_ROW * (log2(MOST_ROW) +
 * 4), of all eight at once. */
enum { ROUNDS = 8000, SORTED_ROUNDS = 2400, MOST_ROW = 2900 };

static void add_limits(const xl_neighbors *plan, const xl_neighbors_desc *desc, xli_text *defines)
{
    const int rounds = desc->sorted ? SORTED_ROUNDS : ROUNDS;
    xli_text_add(defines, "#define XL_MOST_ROUNDS %d\n#define XL_MOST_ROW %d\n",
                 plan->ends_loops ? rounds : 0, plan->ends_loops ? MOST_ROW : 0);
}

static xl_status build_kernels(xl_neighbors *plan, const xl_neighbors_desc *desc)
{
    xl_status status;
    xli_program *program;
    xli_text defines = {0};
    xli_text_add(&defines, "#define XL_ITEMS %u\n#define XL_GROUP %u\n#define XL_STAGED %u\n",
                 plan->tune.items, plan->tune.group, plan->tune.staged);
    xli_text_add(&defines, "#define XL_POINTS %u\n#define XL_WALK %u\n#define XL_PLANES %u\n",
                 plan->tune.points, plan->tune.walk, plan->planes);
    xli_text_add(&defines, "#define XL_RADIUS_INCLUSIVE %d\n#define XL_KEEP_SELF %d\n",
                 desc->inclusive ? 1 : 0, desc->include_self ? 1 : 0);
    xli_text_add(&defines, "#define XL_SORTED %d\n#define XL_VISIT %d\n", desc->sorted ? 1 : 0,
                 desc->visit ? 1 : 0);
    add_limits(plan, desc, &defines);
    if (desc->visit)
        xli_text_add(&defines, "#pragma OPENCL FP_CONTRACT OFF\n#line 1 \"visit\"\n%s\n",
                     desc->visit);
    if (defines.failed) {
        status = xli_fail(plan->ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a search plan");
        goto done;
    }
    XL_TRY(xli_program_get(plan->ctx, "neighbors", defines.data, &program));
    XL_TRY(xli_kernel_create(plan->ctx, program, "xl_neighbors_count", &plan->count));
    XL_TRY(xli_kernel_create(plan->ctx, program, "xl_neighbors_fill", &plan->fill));
    if (desc->visit)
        XL_TRY(xli_kernel_create(plan->ctx, program, "xl_neighbors_visit", &plan->visit));
    if (plan->ends_loops)
        XL_TRY(xli_kernel_create(plan->ctx, program, "xl_neighbors_total", &plan->total));
done:
    xli_text_free(&defines);
    return status;
}

/* The search's own values, and the scan that it nests with its own. */
static xl_status make_parts(xl_neighbors *plan, const xl_neighbors_desc *desc,
                            const xli_capabilities *capabilities)
{
    xl_status status;
    xli_tune_device device;
    xli_tune tune;
    const xli_tune_wish *wish =
        XLI_TUNE_WISH(XLI_TUNE_NEIGHBORS | XLI_TUNE_GRID | XLI_TUNE_SCAN, desc);
    XL_TRY(xli_context_tune(plan->ctx, capabilities, wish, &device, &tune));
    plan->tune = tune.neighbors;
    plan->planes = tune.grid.planes;
    xli_tune_neighbors_fit(&device, &plan->tune);
    XL_TRY(xli_grid_make_scan(plan->ctx, XL_U64, XL_EXCLUSIVE, wish, &plan->scan));
done:
    return status;
}

xl_status xl_neighbors_create(xl_context *ctx, const xl_neighbors_desc *desc, xl_neighbors **plan)
{
    xl_status status;
    xl_neighbors *made = NULL;
    const xli_capabilities *capabilities;
    xl_neighbors_desc checked;
    if (plan)
        *plan = NULL;
    if (!ctx || !desc || !plan)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL",
                        !ctx    ? "ctx"
                        : !desc ? "desc"
                                : "plan");
    xl_neighbors_desc_init(&checked);
    XL_TRY(XLI_DESC_READ(ctx, xl_neighbors_desc, desc, &checked));
    XL_TRY(xli_neighbors_check_desc(ctx, &checked));
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    made = xli_alloc(sizeof *made);
    if (!made)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a search plan"));
    made->ctx = xli_context_retain(ctx);
    XL_TRY(xli_pool_create(ctx, &made->pool));
    made->radius2 = checked.radius * checked.radius;
    made->reach = reach_of(checked.radius);
    made->visits = checked.visit != NULL;
    made->ends_loops = capabilities->ends_loops;
    XL_TRY(make_parts(made, &checked, capabilities));
    XL_TRY(build_kernels(made, &checked));
    *plan = made;
    made = NULL;
done:
    xl_neighbors_destroy(made);
    return status;
}

xl_status xl_neighbors_scratch(const xl_neighbors *plan, size_t n, size_t *bytes, size_t *alignment)
{
    xl_status status;
    size_t needed = 0, scan_alignment;
    XL_TRY(xli_scratch_question(plan ? plan->ctx : NULL, "plan", plan, bytes, alignment));
    XL_TRY(xli_grid_check_n(plan->ctx, n, 3));
    XL_TRY(xl_scan_scratch(plan->scan, n + 1, &needed, &scan_alignment));
    *bytes = needed;
    *alignment = XLI_SCRATCH_ALIGN;
done:
    return status;
}

xl_status xl_neighbors_info_sized(const xl_neighbors *plan, size_t n, xl_plan_info *info,
                                  size_t size)
{
    (void)n;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    const xl_plan_info all =
        plan->tune.walk > 0
            ? xli_grid_info_of(&plan->fill, 1, plan->tune.walk, "rows")
            : xli_grid_info_of(&plan->fill, plan->tune.group, plan->tune.items, "cells");
    return xli_info_give(plan->ctx, &all, sizeof all, info, size);
}

/* What every call checks first. */
static xl_status begin(xl_neighbors *plan, const xl_grid *grid, xli_seq *seq,
                       cl_command_queue queue, cl_uint num_waits, const cl_event *waits,
                       cl_event *event)
{
    xl_status status;
    if (event)
        *event = NULL;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    XL_TRY(xli_seq_begin(seq, plan->ctx, queue, num_waits, waits, event));
    XL_TRY(xli_grid_check_built(plan->ctx, grid));
    if (grid->tune.planes != plan->planes)
        XL_TRY(xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "grid: made with grid.planes %u, the search with %u",
                        (unsigned)grid->tune.planes, (unsigned)plan->planes));
done:
    return status;
}

/* Launches a search; the arguments that all searches share come first. */
#define SEARCH(seq, plan, which, grid, points, ...)                                                \
    XLI_LAUNCH((seq), &(plan)->which, shape_of((plan), &(plan)->which, (points)).groups,           \
               shape_of((plan), &(plan)->which, (points)).size, XLI_MEM((grid)->storage),          \
               XLI_GRID_PART((grid), header), XLI_GRID_PART((grid), starts),                       \
               XLI_GRID_PART((grid), begins), XLI_GRID_PART((grid), sorted), XLI_U32((grid)->n),   \
               XLI_U32((grid)->layout.table), XLI_U32((grid)->stamp),                              \
               XLI_BYTES(&(plan)->reach, sizeof(float)),                                           \
               XLI_BYTES(&(plan)->radius2, sizeof(float)), __VA_ARGS__)

/* Counts and lists are walked for where work-items do so; counts and sums take some points each. */
static xli_grid_shape shape_of(const xl_neighbors *plan, const xli_kernel *kernel, size_t n)
{
    const bool walks = plan->tune.walk > 0 && kernel != &plan->visit;
    const size_t points = walks ? plan->tune.walk : kernel == &plan->fill ? 1 : plan->tune.points;
    return xli_grid_shape_of(kernel, xli_ceil_div(n, points), walks ? 1 : plan->tune.group,
                             plan->tune.items);
}

/* The kernel's way to say "not given" is a flag; the buffer is then any. */
static cl_mem or_any(xl_view view, const xl_grid *grid)
{
    return view.buffer ? view.buffer : grid->storage;
}

static xl_status check_count(xl_neighbors *plan, const xl_grid *grid, xli_seq *seq,
                             const xl_neighbors_count_args *args, xli_span *work)
{
    xl_status status;
    const xl_view counts = args->counts, offsets = args->offsets;
    xli_span spans[3] = {{0}};
    size_t bytes, alignment;
    *work = spans[2];
    if (!counts.buffer && !offsets.buffer && grid->n > 0)
        return xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT, "counts, offsets: none is given");
    if (counts.buffer)
        XL_TRY(xli_check_view(plan->ctx, "counts", counts, grid->n, sizeof(cl_uint), XLI_WRITE,
                              &spans[0]));
    if (offsets.buffer) {
        XL_TRY(xli_check_view(plan->ctx, "offsets", offsets, grid->n + 1, sizeof(cl_ulong),
                              XLI_READ | XLI_WRITE, &spans[1]));
        XL_TRY(xl_neighbors_scratch(plan, grid->n, &bytes, &alignment));
        XL_TRY(xli_seq_scratch(seq, &plan->pool, args->scratch, bytes, alignment, &spans[2]));
    }
    XL_TRY(xli_grid_check_apart(plan->ctx, grid, spans, XLI_COUNT(spans)));
    *work = spans[2];
done:
    return status;
}

xl_status xl_neighbors_count_enqueue_sized(xl_neighbors *plan, xl_grid *grid,
                                           cl_command_queue queue,
                                           const xl_neighbors_count_args *args, size_t size,
                                           cl_uint num_waits, const cl_event *waits,
                                           cl_event *event)
{
    xl_status status;
    xli_seq seq = {0};
    xli_span work;
    xl_neighbors_count_args given = {0};
    XL_TRY(begin(plan, grid, &seq, queue, num_waits, waits, event));
    XL_TRY(XLI_ARGS_READ(plan->ctx, xl_neighbors_count_args, args, size, &given));
    const xl_view counts = given.counts, offsets = given.offsets;
    XL_TRY(check_count(plan, grid, &seq, &given, &work));
    if (grid->n > 0 || offsets.buffer)
        XL_TRY(SEARCH(&seq, plan, count, grid, xli_max(grid->n, 1), XLI_U32(counts.buffer != NULL),
                      XLI_MEM(or_any(counts, grid)), XLI_U64(counts.offset),
                      XLI_U32(offsets.buffer != NULL), XLI_MEM(or_any(offsets, grid)),
                      XLI_U64(offsets.offset)));
    if (grid->n > 0 && offsets.buffer) {
        XL_TRY(xli_seq_nest(&seq));
        XL_TRY(xl_scan_enqueue(plan->scan, queue,
                               &(xl_scan_args){.n = grid->n + 1,
                                               .in = offsets,
                                               .out = offsets,
                                               .scratch = xl_view_of(work.buffer, work.offset)},
                               XLI_NEST(&seq)));
        xli_seq_nested(&seq);
        if (plan->ends_loops)
            XL_TRY(XLI_LAUNCH(&seq, &plan->total, 1, 1, XLI_MEM(grid->storage),
                              XLI_GRID_PART(grid, header), XLI_U32(grid->n),
                              XLI_MEM(offsets.buffer), XLI_U64(offsets.offset)));
    }
done:
    return xli_seq_end(&seq, status, event);
}

static xl_status check_fill(const xl_neighbors *plan, const xl_grid *grid, xl_view offsets,
                            xl_view indices, uint64_t capacity)
{
    xl_status status = XL_SUCCESS;
    xli_span spans[2];
    if (capacity > SIZE_MAX / sizeof(cl_uint))
        return xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "capacity: %llu indices exceed the address space",
                        (unsigned long long)capacity);
    XL_TRY(xli_check_view(plan->ctx, "offsets", offsets, grid->n + 1, sizeof(cl_ulong), XLI_READ,
                          &spans[0]));
    XL_TRY(xli_check_view(plan->ctx, "indices", indices, (size_t)capacity, sizeof(cl_uint),
                          XLI_READ | XLI_WRITE, &spans[1]));
    XL_TRY(xli_grid_check_apart(plan->ctx, grid, spans, XLI_COUNT(spans)));
done:
    return status;
}

xl_status xl_neighbors_fill_enqueue_sized(xl_neighbors *plan, xl_grid *grid, cl_command_queue queue,
                                          const xl_neighbors_fill_args *args, size_t size,
                                          cl_uint num_waits, const cl_event *waits, cl_event *event)
{
    xl_status status;
    xli_seq seq = {0};
    xl_neighbors_fill_args given = {0};
    XL_TRY(begin(plan, grid, &seq, queue, num_waits, waits, event));
    XL_TRY(XLI_ARGS_READ(plan->ctx, xl_neighbors_fill_args, args, size, &given));
    const xl_view offsets = given.offsets, indices = given.indices;
    const uint64_t capacity = given.capacity;
    XL_TRY(check_fill(plan, grid, offsets, indices, capacity));
    if (grid->n > 0 && capacity > 0)
        XL_TRY(SEARCH(&seq, plan, fill, grid, grid->n, XLI_MEM(offsets.buffer),
                      XLI_U64(offsets.offset), XLI_MEM(indices.buffer), XLI_U64(indices.offset),
                      XLI_U64(capacity)));
done:
    return xli_seq_end(&seq, status, event);
}

xl_status xl_neighbors_visit_enqueue_sized(xl_neighbors *plan, xl_grid *grid,
                                           cl_command_queue queue,
                                           const xl_neighbors_visit_args *args, size_t size,
                                           cl_uint num_waits, const cl_event *waits,
                                           cl_event *event)
{
    xl_status status;
    xli_seq seq = {0};
    xli_span span;
    xl_neighbors_visit_args given = {0};
    XL_TRY(begin(plan, grid, &seq, queue, num_waits, waits, event));
    XL_TRY(XLI_ARGS_READ(plan->ctx, xl_neighbors_visit_args, args, size, &given));
    if (!plan->visits)
        XL_TRY(xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "plan: made without desc.visit, so there is nothing to visit with"));
    XL_TRY(
        xli_check_view(plan->ctx, "out", given.out, grid->n, sizeof(cl_float), XLI_WRITE, &span));
    XL_TRY(xli_grid_check_apart(plan->ctx, grid, &span, 1));
    if (grid->n > 0)
        XL_TRY(SEARCH(&seq, plan, visit, grid, grid->n, XLI_BYTES(&given.start, sizeof given.start),
                      XLI_BYTES(given.params, sizeof given.params), XLI_MEM(given.out.buffer),
                      XLI_U64(given.out.offset)));
done:
    return xli_seq_end(&seq, status, event);
}

void xl_neighbors_destroy(xl_neighbors *plan)
{
    if (!plan)
        return;
    xli_kernel_destroy(&plan->count);
    xli_kernel_destroy(&plan->fill);
    xli_kernel_destroy(&plan->visit);
    xli_kernel_destroy(&plan->total);
    xli_pool_destroy(&plan->pool);
    xl_scan_destroy(plan->scan);
    xli_context_release(plan->ctx);
    xli_free(plan);
}
