/* SPDX-License-Identifier: MIT
 * Searches for nearest neighbours that are refused: each has its status and its text, and writes
 * nothing. */
#include <crosslane/crosslane.h>

/* A call searches this index; the template knows none. */
typedef struct knn_call_args {
    xl_grid_index *index;
    xl_knn_args args;
} nearest_args;
typedef xl_knn nearest;
typedef xl_knn_desc nearest_desc;

static xl_status nearest_create(xl_context *ctx, const nearest_desc *desc, nearest **plan)
{
    return xl_knn_create(ctx, desc, plan);
}

static void nearest_desc_init(nearest_desc *desc)
{
    xl_knn_desc_init(desc);
    desc->k = 8;
}

static xl_status nearest_scratch(const nearest *plan, size_t n, size_t *bytes, size_t *alignment)
{
    return xl_knn_scratch(plan, n, bytes, alignment);
}

static xl_grid_index *usual_index;

static xl_status nearest_enqueue(nearest *plan, cl_command_queue queue, const nearest_args *x,
                                 cl_uint num_waits, const cl_event *waits, cl_event *event)
{
    return xl_knn_enqueue(plan, x ? x->index : usual_index, queue, x ? &x->args : NULL, num_waits,
                          waits, event);
}

#define XLT_PRIMITIVE nearest
#include "grid_support.h"
#include "xlt_misuse_calls.h"

#include <math.h>

enum { N = 100, K = 4 };

static void wrong_descriptors(void **state)
{
    (void)state;
    xl_knn *plan;
    xl_knn_desc desc;
    const wrong_desc cases[] = {
        {"desc.k: 0; 1 to 64", {.dimensions = 3, .query_stride = 3}},
        {"desc.k: 65; 1 to 64", {.k = 65, .dimensions = 3, .query_stride = 3}},
        {"desc.queries: unknown value 2",
         {.k = 1, .queries = 2, .dimensions = 3, .query_stride = 3}},
        {"desc.query_stride: 2 scalars", {.k = 1, .dimensions = 3, .query_stride = 2}},
        {"desc.max_radius: -1", {.k = 1, .dimensions = 3, .query_stride = 3, .max_radius = -1}},
        {"desc.max_radius: nan", {.k = 1, .dimensions = 3, .query_stride = 3, .max_radius = NAN}},
        {"desc.max_radius: inf",
         {.k = 1, .dimensions = 3, .query_stride = 3, .max_radius = INFINITY}},
        {"desc.max_radius: the square of 1e-20",
         {.k = 1, .dimensions = 3, .query_stride = 3, .max_radius = 1e-20f}},
        {"desc.max_radius: the square of 1e+20",
         {.k = 1, .dimensions = 3, .query_stride = 3, .max_radius = 1e20f}},
    };
    refuses_descriptors(COUNT(cases), cases);
    for (uint32_t dimensions = 0; dimensions < 5; dimensions += 4) {
        nearest_desc_init(&desc);
        desc.dimensions = dimensions;
        xlt_refused(xlt_context(), xl_knn_create(xlt_context(), &desc, &plan), XL_ERROR_UNSUPPORTED,
                    "desc.dimensions: ");
    }
}

static void wrong_views(void)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT, overlap = XL_ERROR_OVERLAP;
    const xl_view none = xl_no_view();
    EXPECT(bad, "indices: no buffer", x->args.indices = none)
    EXPECT(bad, "queries: no buffer", x->args.queries = none)
    EXPECT(bad, "indices: elements from", x->args.indices.offset = SIZE_MAX)
    EXPECT(bad, "queries: elements from", x->args.num_queries = 10 * N)
    EXPECT(bad, "num_queries: ", x->args.num_queries = SIZE_MAX)
    EXPECT(bad, "first_row, num_rows: 0 rows from 101 on; there are 100", x->args.first_row = N + 1)
    EXPECT(bad, "first_row, num_rows: 2 rows from 99 on; there are 100", x->args.first_row = N - 1;
           x->args.num_rows = 2)
    EXPECT(overlap, "indices and distances2", x->args.distances2 = x->args.indices)
    EXPECT(overlap, "queries and indices", x->args.queries = x->args.indices)
    EXPECT(overlap, "queries and distances2", x->args.queries = x->args.distances2)
}

static void wrong_objects(void)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    xlt_strangers s = xlt_strangers_make(1 << 14);
    refuses_objects(&s);
    EXPECT(bad, "queries: a buffer of another", x->args.queries = xl_view_of(s.buffer, 0))
    EXPECT(bad, "indices: a buffer of another", x->args.indices = xl_view_of(s.buffer, 0))
    EXPECT(bad, "indices: a read-only buffer", x->args.indices = xl_view_of(s.read_only, 0))
    EXPECT(bad, "distances2: a read-only buffer", x->args.distances2 = xl_view_of(s.read_only, 0))
    EXPECT(bad, "queries: a write-only buffer", x->args.queries = xl_view_of(s.write_only, 0))
    xlt_strangers_free(&s);
}

/* Indices that the plan is not for. */
static void wrong_indices(xl_view points, xl_view storage)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    xl_grid_index *other;
    xl_grid *grid;
    xl_grid_desc desc;
    XLT_OK(xl_grid_index_create(xlt_context(), &other));
    EXPECT(bad, "index: NULL", x->index = NULL)
    EXPECT(bad, "index: not built", x->index = other)
    xl_grid_desc_init(&desc);
    desc.cell_size = 0.1f;
    desc.dimensions = 2;
    for (int periodic = 0; periodic < 2; ++periodic) {
        XLT_OK(xl_grid_create(xlt_context(), &desc, &grid));
        XLT_OK(xl_grid_build_enqueue(grid, other, xlt_queue(),
                                     &(xl_grid_build_args){.n = N, .points = points}, 0, NULL,
                                     NULL));
        EXPECT(bad, periodic ? "index: its space repeats" : "index: of points in 2 dimensions",
               x->index = other)
        xl_grid_destroy(grid);
        desc.dimensions = 3;
        desc.bounded = desc.periodic = 1;
        desc.upper[0] = desc.upper[1] = desc.upper[2] = 1;
    }
    EXPECT(XL_ERROR_OVERLAP, "indices and storage",
           x->args.indices = xl_view_of(storage.buffer, (storage.offset + 3) / 4))
    EXPECT(XL_ERROR_OVERLAP, "distances2 and storage",
           x->args.distances2 = xl_view_of(storage.buffer, (storage.offset + 3) / 4))
    EXPECT(XL_ERROR_OVERLAP, "queries and storage",
           x->args.queries = xl_view_of(storage.buffer, (storage.offset + 3) / 4))
    xl_grid_index_destroy(other);
}

/* Arguments of another kind of plan. */
static void idle_arguments(void)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    xl_knn_desc desc;
    xl_knn *plan;
    nearest_desc_init(&desc);
    desc.k = K;
    XLT_OK(xl_knn_create(xlt_context(), &desc, &plan));
    EXPECT(bad, "num_queries: ", c.plan = plan; x->args.queries = xl_no_view())
    EXPECT(bad, "queries: ", c.plan = plan; x->args.num_queries = 0)
    xl_knn_destroy(plan);
}

static void wrong_calls(void **state)
{
    (void)state;
    cloud of = cloud_uniform(N, 0.0f, 1.0f, 5);
    const xl_grid_desc grid = grid_desc_of(&of, 0.3f);
    built b = build_grid(&of, &grid);
    xl_knn_desc desc;
    xl_knn *plan;
    usual_index = b.index;
    xlt_buffer all = xlt_buffer_make(NULL, 2 * N * K, 4, 0);
    nearest_desc_init(&desc);
    desc.k = K;
    desc.queries = XL_QUERIES_GIVEN;
    XLT_OK(xl_knn_create(xlt_context(), &desc, &plan));
    const size_t at = xlt_view(&all).offset;
    const call right = {.plan = plan,
                        .queue = xlt_queue(),
                        .args = {.index = usual_index,
                                 .args = {.num_queries = N,
                                          .queries = xlt_view(&b.points),
                                          .indices = xl_view_of(all.mem, at),
                                          .distances2 = xl_view_of(all.mem, at + N * K)}}};
    good = &right;
    wrong_views();
    wrong_objects();
    wrong_indices(xlt_view(&b.points), xlt_view(&b.storage));
    idle_arguments();
    REFUSES_SCRATCH_QUESTIONS(1)
#if SIZE_MAX > UINT32_MAX
    size_t bytes, alignment;
    XLT_FAILS(xl_knn_scratch(plan, (size_t)UINT32_MAX, &bytes, &alignment),
              XL_ERROR_INVALID_ARGUMENT);
#endif
    /* Nothing of all this has written anything; the same call made right works. */
    XLT_CL(clFinish(xlt_queue()));
    xlt_check_unwritten(&all, "arrays");
    expect_success(&right);
    xlt_check_guards(&all, "arrays");
    xl_knn_destroy(plan);
    built_free(&b);
    xlt_buffer_free(&all);
    cloud_free(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_descriptors),
        cmocka_unit_test(wrong_calls),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
