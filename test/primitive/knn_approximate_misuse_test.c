/* SPDX-License-Identifier: MIT
 * Approximate searches for the nearest points that are refused: each has its status and its text,
 * and writes nothing. */
#define XLT_PRIMITIVE xl_knn_approximate
#include "grid_support.h"
#include "xlt_misuse_calls.h"

#include <math.h>

enum { N = 100, K = 4 };

#define RIGHT .k = K, .dimensions = 3, .stride = 3, .query_stride = 3, .code = XL_U64

static void wrong_descriptors(void **state)
{
    (void)state;
    xl_knn_approximate *plan;
    const wrong_desc cases[] = {
        {"desc.k: 0", {.dimensions = 3, .stride = 3, .query_stride = 3, .code = XL_U64}},
        {"desc.k: 65", {.k = 65, .dimensions = 3, .stride = 3, .query_stride = 3, .code = XL_U64}},
        {"desc.shifts: 33; at most 32", {RIGHT, .shifts = 33}},
        {"desc.queries: unknown value 2", {RIGHT, .queries = 2}},
        {"desc.stride: 2 scalars",
         {.k = K, .dimensions = 3, .stride = 2, .query_stride = 3, .code = XL_U64}},
        {"desc.query_stride: 1 scalars",
         {.k = K, .dimensions = 2, .stride = 3, .query_stride = 1, .code = XL_U64}},
        {"desc.lower[1], desc.upper[1]: nan to 0 goes beyond", {RIGHT, .lower = {0, NAN, 0}}},
        {"desc.lower[0], desc.upper[0]: 0 to 5e+37 goes beyond 4.25353e+37",
         {RIGHT, .upper = {5e37f}}},
        {"desc.lower[2], desc.upper[2]: 2 to 1 is empty",
         {RIGHT, .lower = {0, 0, 2}, .upper = {0, 0, 1}}},
    };
    const wrong_desc other[] = {
        {"desc.dimensions: 1",
         {.k = K, .dimensions = 1, .stride = 3, .query_stride = 3, .code = XL_U64}},
        {"desc.dimensions: 4",
         {.k = K, .dimensions = 4, .stride = 4, .query_stride = 4, .code = XL_U64}},
        {"desc.code: u16",
         {.k = K, .dimensions = 3, .stride = 3, .query_stride = 3, .code = XL_U16}},
    };
    refuses_descriptors(COUNT(cases), cases);
    for (size_t i = 0; i < COUNT(other); ++i) {
        any_desc desc = other[i].desc;
        desc.struct_size = sizeof desc;
        xlt_refused(xlt_context(), xl_knn_approximate_create(xlt_context(), &desc, &plan),
                    XL_ERROR_UNSUPPORTED, other[i].said);
    }
}

static void wrong_views(const xlt_strangers *s, xl_view points, xl_view scratch)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    EXPECT(bad, "points: no buffer", x->points = xl_no_view())
    EXPECT(bad, "queries: no buffer", x->queries = xl_no_view())
    EXPECT(bad, "indices: no buffer", x->indices = xl_no_view())
    EXPECT(bad, "distances2: no buffer", x->distances2 = xl_no_view())
    EXPECT(bad, "points: elements from", x->n = 1 << 20)
    EXPECT(bad, "indices: elements from", x->indices.offset = SIZE_MAX)
    EXPECT(bad, "n: ", x->n = SIZE_MAX)
    EXPECT(bad, "num_queries: ", x->num_queries = SIZE_MAX)
#if SIZE_MAX > UINT32_MAX
    EXPECT(bad, "n: 4294967295; at most 2^32 - 2", x->n = UINT32_MAX)
#endif
    EXPECT(bad, "points: a buffer of another", x->points = xl_view_of(s->buffer, 0))
    EXPECT(bad, "points: a write-only buffer", x->points = xl_view_of(s->write_only, 0))
    EXPECT(bad, "indices: a read-only buffer", x->indices = xl_view_of(s->read_only, 0))
    EXPECT(bad, "indices: a write-only buffer", x->indices = xl_view_of(s->write_only, 0))
    EXPECT(bad, "distances2: a write-only buffer", x->distances2 = xl_view_of(s->write_only, 0))
    EXPECT(bad, "first_row, num_rows: 0 rows from 101 on; there are 100", x->first_row = N + 1)
    EXPECT(bad, "first_row, num_rows: 2 rows from 99 on; there are 100", x->first_row = N - 1;
           x->num_rows = 2)
    EXPECT(XL_ERROR_OVERLAP, "indices and points", x->indices = points)
    EXPECT(XL_ERROR_OVERLAP, "distances2 and points", x->distances2 = points)
    EXPECT(XL_ERROR_OVERLAP, "distances2 and indices", x->distances2 = x->indices)
    EXPECT(XL_ERROR_OVERLAP, "scratch and points", x->scratch = scratch;
           x->points = xl_view_of(scratch.buffer, scratch.offset / 4))
    EXPECT(XL_ERROR_OVERLAP, "scratch and indices", x->scratch = scratch;
           x->indices = xl_view_of(scratch.buffer, scratch.offset / 4))
    EXPECT(XL_ERROR_SCRATCH_TOO_SMALL, "scratch", x->scratch = scratch; x->scratch.offset += 4096)
}

/* Arguments of another kind of plan. */
static void idle_arguments(void)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    size_t bytes, alignment;
    any_desc desc;
    any_plan *plan;
    xl_knn_approximate_desc_init(&desc);
    desc.k = K;
    XLT_OK(xl_knn_approximate_create(xlt_context(), &desc, &plan));
    EXPECT(bad, "num_queries: ", c.plan = plan; x->queries = xl_no_view())
    EXPECT(bad, "queries: ", c.plan = plan; x->num_queries = 0)
    XLT_FAILS(xl_knn_approximate_scratch(plan, N, 1, &bytes, &alignment), bad);
    xl_knn_approximate_destroy(plan);
}

static void wrong_calls(void **state)
{
    (void)state;
    size_t bytes, alignment;
    cloud of = cloud_uniform(N, 0.0f, 1.0f, 5);
    any_desc desc;
    any_plan *plan;
    xl_knn_approximate_desc_init(&desc);
    desc.k = K;
    desc.queries = XL_QUERIES_GIVEN;
    desc.upper[0] = desc.upper[1] = desc.upper[2] = 1;
    XLT_OK(xl_knn_approximate_create(xlt_context(), &desc, &plan));
    XLT_OK(xl_knn_approximate_scratch(plan, N, N, &bytes, &alignment));
    xlt_buffer points = cloud_buffer(&of, 3, 1), scratch = xlt_scratch_make(bytes, alignment),
               all = xlt_buffer_make(NULL, 2 * N * K, 4, 0);
    xlt_strangers s = xlt_strangers_make(1 << 14);
    const size_t at = xlt_view(&all).offset;
    const call right = {.plan = plan,
                        .queue = xlt_queue(),
                        .args = {.n = N,
                                 .points = xlt_view(&points),
                                 .num_queries = N,
                                 .queries = xlt_view(&points),
                                 .indices = xl_view_of(all.mem, at),
                                 .distances2 = xl_view_of(all.mem, at + N * K)}};
    good = &right;
    wrong_views(&s, xlt_view(&points), xlt_view(&scratch));
    refuses_objects(&s);
    idle_arguments();
    REFUSES_SCRATCH_QUESTIONS(1, 1)
    XLT_FAILS(xl_knn_approximate_scratch(plan, SIZE_MAX, 0, &bytes, &alignment),
              XL_ERROR_INVALID_ARGUMENT);
    xlt_strangers_free(&s);
    /* Nothing of all this has written anything; the same call made right works. */
    xlt_check_unwritten(&all, "arrays");
    expect_success(&right);
    xlt_check_guards(&all, "arrays");
    xl_knn_approximate_destroy(plan);
    xlt_buffer_free(&points);
    xlt_buffer_free(&scratch);
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
