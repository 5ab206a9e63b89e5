/* SPDX-License-Identifier: MIT
 * A program that was compiled with the headers of another version: in one, structures are shorter
 * than this library's, in the other (LATER) they are longer; NOW it is this one's. Nothing beside
 * them is written, what they hold is heeded, and results are right. Sanitizers watch the stack as
 * well. */
#include <crosslane/crosslane.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#ifdef NOW
/* A field that is added goes behind the last byte: there is no padding that an older program
 * would hand over as if it were that field. */
#define ENDS_WITH(type, field)                                                                     \
    _Static_assert(sizeof(type) == offsetof(type, field) + sizeof(((type *)NULL)->field), #type)
ENDS_WITH(xl_context_desc, mask);
ENDS_WITH(xl_device_info, caches_from_source);
ENDS_WITH(xl_scan_desc, params);
ENDS_WITH(xl_scan_args, params);
ENDS_WITH(xl_reduce_desc, params);
ENDS_WITH(xl_reduce_args, params);
ENDS_WITH(xl_sort_desc, reserved);
ENDS_WITH(xl_sort_args, segments);
ENDS_WITH(xl_topk_desc, reserved);
ENDS_WITH(xl_topk_args, counts_out);
ENDS_WITH(xl_select_desc, params);
ENDS_WITH(xl_select_args, params);
ENDS_WITH(xl_merge_desc, tunables);
ENDS_WITH(xl_merge_args, scratch);
ENDS_WITH(xl_search_desc, reserved);
ENDS_WITH(xl_search_args, scratch);
ENDS_WITH(xl_histogram_desc, params);
ENDS_WITH(xl_histogram_args, params);
ENDS_WITH(xl_transform_desc, params);
ENDS_WITH(xl_transform_args, params);
ENDS_WITH(xl_grid_desc, reserved2);
ENDS_WITH(xl_grid_report, upper_f64);
ENDS_WITH(xl_grid_build_args, systems);
ENDS_WITH(xl_grid_reorder_args, reserved);
ENDS_WITH(xl_grid_moved_args, distance_f64);
ENDS_WITH(xl_neighbors_desc, reserved2);
ENDS_WITH(xl_knn_desc, reserved);
ENDS_WITH(xl_knn_args, num_rows);
ENDS_WITH(xl_knn_status_args, num_rows);
ENDS_WITH(xl_knn_report, first_given_up);
ENDS_WITH(xl_knn_approximate_desc, tunables);
ENDS_WITH(xl_knn_approximate_args, num_rows);
ENDS_WITH(xl_morton_desc, tunables);
ENDS_WITH(xl_morton_args, scratch);
ENDS_WITH(xl_plan_info, algorithm);
ENDS_WITH(xl_neighbors_count_args, query_systems);
ENDS_WITH(xl_neighbors_fill_args, query_systems);
ENDS_WITH(xl_neighbors_status_args, query_systems);
ENDS_WITH(xl_neighbors_report, first_too_far);
ENDS_WITH(xl_neighbors_visit_args, query_systems);
ENDS_WITH(xl_neighbors_kernel_args, radius_f64);
#endif

enum { N = 1000, GUARD = 0x5a };

static xl_context *ctx;

static void good(xl_status status)
{
    if (status != XL_SUCCESS)
        fail_msg("%s: %s", xl_status_name(status), xl_context_error(ctx));
}

#define BETWEEN_GUARDS(type)                                                                       \
    struct {                                                                                       \
        unsigned char before[64];                                                                  \
        type it;                                                                                   \
        unsigned char after[64];                                                                   \
    } guarded;                                                                                     \
    memset(&guarded, GUARD, sizeof guarded)

#define CHECK_GUARDS()                                                                             \
    do {                                                                                           \
        for (size_t g = 0; g < sizeof guarded.before; ++g) {                                       \
            assert_int_equal(guarded.before[g], GUARD);                                            \
            assert_int_equal(guarded.after[g], GUARD);                                             \
        }                                                                                          \
    } while (0)

/* Each starts with its size, as its user knows it. */
#define INIT_STAYS_INSIDE(what)                                                                    \
    do {                                                                                           \
        BETWEEN_GUARDS(what##_desc);                                                               \
        what##_desc_init(&guarded.it);                                                             \
        CHECK_GUARDS();                                                                            \
        assert_int_equal(guarded.it.struct_size, sizeof guarded.it);                               \
        NO_LATER_FIELDS(guarded.it);                                                               \
    } while (0)

#ifdef LATER
#define NO_LATER_FIELDS(object)                                                                    \
    for (size_t f = 0; f < 8; ++f)                                                                 \
    assert_int_equal((object).later[f], 0)
#else
#define NO_LATER_FIELDS(object) (void)(object)
#endif

static void descriptors(void **state)
{
    (void)state;
    INIT_STAYS_INSIDE(xl_context);
    INIT_STAYS_INSIDE(xl_scan);
    INIT_STAYS_INSIDE(xl_reduce);
    INIT_STAYS_INSIDE(xl_sort);
#if defined(NOW) || defined(LATER) /* an older one has none */
    INIT_STAYS_INSIDE(xl_topk);
    INIT_STAYS_INSIDE(xl_histogram);
    INIT_STAYS_INSIDE(xl_transform);
#endif
#ifdef NOW
    INIT_STAYS_INSIDE(xl_select);
    INIT_STAYS_INSIDE(xl_knn);
    INIT_STAYS_INSIDE(xl_morton);
    INIT_STAYS_INSIDE(xl_knn_approximate);
#endif
    INIT_STAYS_INSIDE(xl_grid);
    INIT_STAYS_INSIDE(xl_neighbors);
}

static void results(void **state)
{
    (void)state;
    BETWEEN_GUARDS(xl_device_info);
    good(xl_context_device_info(ctx, &guarded.it));
    CHECK_GUARDS();
    assert_true(strlen(guarded.it.name) > 0 && guarded.it.sub_group_size >= 1);
    NO_LATER_FIELDS(guarded.it);
#ifdef LATER /* it may ask how much of it there is */
    assert_true(guarded.it.struct_size < sizeof guarded.it);
#else
    assert_int_equal(guarded.it.struct_size, sizeof guarded.it);
#endif
}

static cl_mem numbers(void)
{
    static cl_uint host[N];
    cl_int code;
    for (cl_uint i = 0; i < N; ++i)
        host[i] = i;
    cl_mem made = clCreateBuffer(xl_context_cl(ctx), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                 sizeof host, host, &code);
    assert_int_equal(code, CL_SUCCESS);
    return made;
}

static cl_uint read_at(cl_mem data, size_t i)
{
    cl_uint value = 0;
    assert_int_equal(
        clEnqueueReadBuffer(xl_context_queue(ctx), data, CL_TRUE, 4 * i, 4, &value, 0, NULL, NULL),
        CL_SUCCESS);
    return value;
}

static void calls(void **state)
{
    (void)state;
    xl_scan *plan;
    BETWEEN_GUARDS(xl_scan_desc);
    xl_scan_desc_init(&guarded.it);
    guarded.it.kind = XL_INCLUSIVE;
    guarded.it.load = "x + 1";
    good(xl_scan_create(ctx, &guarded.it, &plan));
    CHECK_GUARDS();
    cl_mem data = numbers();
    const xl_scan_args args = {.n = N, .in = {.buffer = data}, .out = {.buffer = data}};
    good(xl_scan_enqueue(plan, xl_context_queue(ctx), &args, 0, NULL, NULL));
    for (size_t i = 0; i < N; ++i)
        assert_int_equal(read_at(data, i), (i + 1) * (i + 2) / 2);
    xl_scan_destroy(plan);
    clReleaseMemObject(data);
}

static void sorts(void **state)
{
    (void)state;
    xl_sort *plan;
    BETWEEN_GUARDS(xl_sort_desc);
    xl_sort_desc_init(&guarded.it);
    guarded.it.order = XL_DESCENDING;
    good(xl_sort_create(ctx, &guarded.it, &plan));
    CHECK_GUARDS();
    cl_mem data = numbers();
    const xl_sort_args args = {.n = N, .keys_in = {.buffer = data}, .keys_out = {.buffer = data}};
    good(xl_sort_enqueue(plan, xl_context_queue(ctx), &args, 0, NULL, NULL));
    for (size_t i = 0; i < N; ++i)
        assert_int_equal(read_at(data, i), N - 1 - i);
    xl_sort_destroy(plan);
    clReleaseMemObject(data);
}

/* Points on a line, one apart: each but the ends has two neighbours. */
static void neighbours(void **state)
{
    (void)state;
    static float points[3 * N];
    cl_int code;
    xl_grid *grid;
    xl_grid_index *index;
    xl_neighbors *search;
    xl_grid_desc cells;
    xl_neighbors_desc near;
    for (size_t i = 0; i < N; ++i)
        points[3 * i] = (float)i;
    xl_grid_desc_init(&cells);
    cells.cell_size = 1.5f;
    xl_neighbors_desc_init(&near);
    near.radius = 1.5f;
    good(xl_grid_create(ctx, &cells, &grid));
    good(xl_grid_index_create(ctx, &index));
    good(xl_neighbors_create(ctx, &near, &search));
    cl_mem at = clCreateBuffer(xl_context_cl(ctx), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                               sizeof points, points, &code);
    assert_int_equal(code, CL_SUCCESS);
    cl_mem counts = numbers();
    cl_command_queue queue = xl_context_queue(ctx);
    good(xl_grid_build_enqueue(grid, index, queue,
                               &(xl_grid_build_args){.n = N, .points = {.buffer = at}}, 0, NULL,
                               NULL));
    BETWEEN_GUARDS(xl_grid_report);
    good(xl_grid_index_status(index, queue, &guarded.it, 0, NULL));
    CHECK_GUARDS();
    NO_LATER_FIELDS(guarded.it);
    assert_int_equal(guarded.it.points, N);
    good(xl_neighbors_count_enqueue(search, index, queue,
                                    &(xl_neighbors_count_args){.counts = {.buffer = counts}}, 0,
                                    NULL, NULL));
    for (size_t i = 0; i < N; ++i)
        assert_int_equal(read_at(counts, i), i > 0 && i < N - 1 ? 2 : 1);
    xl_neighbors_destroy(search);
    xl_grid_index_destroy(index);
    xl_grid_destroy(grid);
    clReleaseMemObject(at);
    clReleaseMemObject(counts);
}

#ifdef LATER
/* What this library does not know is no reason to refuse, unless it is asked for. */
static void later_fields(void **state)
{
    (void)state;
    xl_scan *plan, *none;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    good(xl_scan_create(ctx, &desc, &plan));
    desc.later[3] = 1;
    assert_int_equal(xl_scan_create(ctx, &desc, &none), XL_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(xl_context_error(ctx), "older version"));
    cl_mem data = numbers();
    xl_scan_args args = {.n = N, .in = {.buffer = data}, .out = {.buffer = data}};
    args.later[0] = 7;
    assert_int_equal(xl_scan_enqueue(plan, xl_context_queue(ctx), &args, 0, NULL, NULL),
                     XL_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(xl_context_error(ctx), "older version"));
    for (size_t i = 0; i < N; ++i)
        assert_int_equal(read_at(data, i), i);
    xl_scan_destroy(plan);
    clReleaseMemObject(data);
}
#endif

static int setup(void **state)
{
    (void)state;
    xl_context_desc desc;
    xl_context_desc_init(&desc);
    return xl_context_create(&desc, &ctx) != XL_SUCCESS;
}

static int teardown(void **state)
{
    (void)state;
    xl_context_destroy(ctx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors),  cmocka_unit_test(results),    cmocka_unit_test(calls),
        cmocka_unit_test(sorts),        cmocka_unit_test(neighbours),
#ifdef LATER
        cmocka_unit_test(later_fields),
#endif
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
