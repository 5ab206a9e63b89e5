/* SPDX-License-Identifier: MIT
 * Calls for no elements with a view of another OpenCL context: each view that is given is checked,
 * whether an element of it is needed or not. */
#include "xlt.h"
#include "xlt_misuse.h"

#include <crosslane/knn.h>
#include <crosslane/knn_approximate.h>
#include <crosslane/morton.h>
#include <string.h>

/* A call with arguments of any kind. */
typedef xl_status call(const void *args);

static xl_scan *scan;
static xl_reduce *reduce;
static xl_sort *sort;
static xl_topk *topk;
static xl_select *select_if;
static xl_merge *merge;
static xl_search *search;
static xl_histogram *histogram;
static xl_transform *transform;
static xl_grid *grid;
static xl_grid_index *grid_index;
static xl_neighbors *neighbors;
static xl_knn *knn;
static xl_knn_approximate *knn_approximate;
static xl_morton *morton;
static xlt_buffer room; /* for views that are needed */

#define CALL(name, kind, ...)                                                                      \
    static xl_status call_##name(const void *args)                                                 \
    {                                                                                              \
        return kind##_enqueue(__VA_ARGS__, xlt_queue(), args, 0, NULL, NULL);                      \
    }
CALL(scan, xl_scan, scan)
CALL(reduce, xl_reduce, reduce)
CALL(sort, xl_sort, sort)
CALL(topk, xl_topk, topk)
CALL(select, xl_select, select_if)
CALL(merge, xl_merge, merge)
CALL(search, xl_search, search)
CALL(histogram, xl_histogram, histogram)
CALL(transform, xl_transform, transform)
CALL(grid, xl_grid_build, grid, grid_index)
CALL(count, xl_neighbors_count, neighbors, grid_index)
CALL(fill, xl_neighbors_fill, neighbors, grid_index)
CALL(knn, xl_knn, knn, grid_index)
CALL(knn_approximate, xl_knn_approximate, knn_approximate)
CALL(morton, xl_morton, morton)

static const struct {
    const char *call_name;
    call *enqueue;
    const char *view;
    size_t at, needed; /* the view, and one that must be given, or SIZE_MAX */
} views[] = {
#define VIEW(name, type, field)                                                                    \
    {                                                                                              \
#name, call_##name, #field, offsetof(type, field), SIZE_MAX                                \
    }
#define VIEW_BESIDE(name, type, field, other)                                                      \
    {                                                                                              \
#name, call_##name, #field, offsetof(type, field), offsetof(type, other)                   \
    }
    VIEW(scan, xl_scan_args, in),
    VIEW(scan, xl_scan_args, out),
    VIEW(scan, xl_scan_args, n_device),
    VIEW(scan, xl_scan_args, scratch),
    VIEW_BESIDE(reduce, xl_reduce_args, in, out),
    VIEW(reduce, xl_reduce_args, out),
    VIEW_BESIDE(reduce, xl_reduce_args, n_device, out),
    VIEW_BESIDE(reduce, xl_reduce_args, scratch, out),
    VIEW(sort, xl_sort_args, keys_in),
    VIEW(sort, xl_sort_args, keys_out),
    VIEW(sort, xl_sort_args, values_in),
    VIEW(sort, xl_sort_args, values_out),
    VIEW(sort, xl_sort_args, n_device),
    VIEW(sort, xl_sort_args, scratch),
    VIEW(topk, xl_topk_args, keys_in),
    VIEW(topk, xl_topk_args, keys_out),
    VIEW(topk, xl_topk_args, values_in),
    VIEW(topk, xl_topk_args, values_out),
    VIEW(topk, xl_topk_args, indices_out),
    VIEW(topk, xl_topk_args, count_out),
    VIEW(topk, xl_topk_args, scratch),
    VIEW(select, xl_select_args, in),
    VIEW(select, xl_select_args, out),
    VIEW(select, xl_select_args, values_in),
    VIEW(select, xl_select_args, values_out),
    VIEW(select, xl_select_args, indices_out),
    VIEW(select, xl_select_args, count_out),
    VIEW(select, xl_select_args, n_device),
    VIEW(select, xl_select_args, scratch),
    VIEW(merge, xl_merge_args, keys_a),
    VIEW(merge, xl_merge_args, keys_b),
    VIEW(merge, xl_merge_args, keys_out),
    VIEW(merge, xl_merge_args, values_a),
    VIEW(merge, xl_merge_args, values_b),
    VIEW(merge, xl_merge_args, values_out),
    VIEW(merge, xl_merge_args, scratch),
    VIEW(search, xl_search_args, keys),
    VIEW(search, xl_search_args, queries),
    VIEW(search, xl_search_args, indices_out),
    VIEW(search, xl_search_args, scratch),
    VIEW_BESIDE(histogram, xl_histogram_args, in, bins),
    VIEW(histogram, xl_histogram_args, bins),
    VIEW_BESIDE(histogram, xl_histogram_args, n_device, bins),
    VIEW_BESIDE(histogram, xl_histogram_args, scratch, bins),
    VIEW(transform, xl_transform_args, in[0]),
    VIEW(transform, xl_transform_args, out[0]),
    VIEW(transform, xl_transform_args, n_device),
    VIEW(transform, xl_transform_args, scratch),
    VIEW(grid, xl_grid_build_args, points),
    VIEW(grid, xl_grid_build_args, storage),
    VIEW(count, xl_neighbors_count_args, counts),
    VIEW(count, xl_neighbors_count_args, offsets),
    VIEW(count, xl_neighbors_count_args, queries),
    VIEW_BESIDE(count, xl_neighbors_count_args, scratch, offsets),
    VIEW(count, xl_neighbors_count_args, scratch),
    VIEW(fill, xl_neighbors_fill_args, offsets),
    VIEW_BESIDE(fill, xl_neighbors_fill_args, indices, offsets),
    VIEW_BESIDE(fill, xl_neighbors_fill_args, queries, offsets),
    VIEW_BESIDE(fill, xl_neighbors_fill_args, distances2, offsets),
    VIEW_BESIDE(fill, xl_neighbors_fill_args, vectors, offsets),
    VIEW_BESIDE(fill, xl_neighbors_fill_args, shifts, offsets),
    VIEW(knn, xl_knn_args, queries),
    VIEW(knn, xl_knn_args, indices),
    VIEW(knn, xl_knn_args, distances2),
    VIEW(knn, xl_knn_args, scratch),
    VIEW(knn_approximate, xl_knn_approximate_args, points),
    VIEW(knn_approximate, xl_knn_approximate_args, indices),
    VIEW(knn_approximate, xl_knn_approximate_args, distances2),
    VIEW(knn_approximate, xl_knn_approximate_args, scratch),
    VIEW(morton, xl_morton_args, points),
    VIEW(morton, xl_morton_args, codes),
    VIEW(morton, xl_morton_args, scratch),
};

enum { LARGEST = 4096 };

/* The arguments of a row, zeros but for these views. */
static xl_status call_with(size_t i, cl_mem buffer)
{
    static union {
        unsigned char bytes[LARGEST];
        size_t aligned;
    } args;
    const xl_view view = xl_view_of(buffer, 0), beside = xlt_view(&room);
    memset(&args, 0, sizeof args);
    if (views[i].needed != SIZE_MAX)
        memcpy(args.bytes + views[i].needed, &beside, sizeof beside);
    memcpy(args.bytes + views[i].at, &view, sizeof view);
    return views[i].enqueue(args.bytes);
}

static void views_of_another_context_are_refused(void **state)
{
    (void)state;
    unsigned bad = 0;
    xlt_strangers strangers = xlt_strangers_make(1 << 16);
    for (size_t i = 0; i < sizeof views / sizeof *views; ++i) {
        const xl_status status = call_with(i, strangers.buffer);
        const char *const text = xl_context_error(xlt_context());
        if (status == XL_ERROR_INVALID_ARGUMENT && strstr(text, "another OpenCL context"))
            continue;
        print_message("%s, %s: %s: %s\n", views[i].call_name, views[i].view, xl_status_name(status),
                      status ? text : "");
        ++bad;
    }
    XLT_CL(clFinish(xlt_queue()));
    xlt_strangers_free(&strangers);
    assert_int_equal(bad, 0);
}

/* Nor is there anything wrong with views of this context. */
static void own_views_are_accepted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof views / sizeof *views; ++i) {
        const xl_status status = call_with(i, room.mem);
        if (status != XL_SUCCESS && status != XL_ERROR_SCRATCH_TOO_SMALL &&
            status != XL_ERROR_OVERLAP)
            XLT_FAIL("%s, %s: %s: %s", views[i].call_name, views[i].view, xl_status_name(status),
                     xl_context_error(xlt_context()));
    }
    XLT_CL(clFinish(xlt_queue()));
}

#define MAKE(kind, to, ...)                                                                        \
    do {                                                                                           \
        kind##_desc desc;                                                                          \
        kind##_desc_init(&desc);                                                                   \
        __VA_ARGS__;                                                                               \
        XLT_OK(kind##_create(xlt_context(), &desc, (to)));                                         \
    } while (0)

static int setup(void **state)
{
    (void)state;
    MAKE(xl_scan, &scan, (void)0);
    MAKE(xl_reduce, &reduce, (void)0);
    MAKE(xl_sort, &sort, desc.value = XL_U32);
    MAKE(xl_topk, &topk, desc.value = XL_U32);
    MAKE(xl_select, &select_if, desc.value = XL_U32; desc.predicate = "x > 1");
    MAKE(xl_merge, &merge, desc.value = XL_U32);
    MAKE(xl_search, &search, (void)0);
    MAKE(xl_histogram, &histogram, desc.num_bins = 4);
    MAKE(xl_transform, &transform, desc.expression = "x");
    MAKE(xl_grid, &grid, desc.cell_size = 1);
    XLT_OK(xl_grid_index_create(xlt_context(), &grid_index));
    MAKE(xl_neighbors, &neighbors, desc.radius = 1; desc.details = 1;
         desc.queries = XL_QUERIES_GIVEN);
    MAKE(xl_knn, &knn, desc.k = 2; desc.queries = XL_QUERIES_GIVEN);
    MAKE(xl_knn_approximate, &knn_approximate, desc.k = 2);
    MAKE(xl_morton, &morton, (void)0);
    room = xlt_buffer_make(NULL, 1 << 16, 1, 0);
    XLT_OK(xl_grid_build_enqueue(grid, grid_index, xlt_queue(), &(xl_grid_build_args){.n = 0}, 0,
                                 NULL, NULL));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    xl_scan_destroy(scan);
    xl_reduce_destroy(reduce);
    xl_sort_destroy(sort);
    xl_topk_destroy(topk);
    xl_select_destroy(select_if);
    xl_merge_destroy(merge);
    xl_search_destroy(search);
    xl_histogram_destroy(histogram);
    xl_transform_destroy(transform);
    xl_neighbors_destroy(neighbors);
    xl_knn_destroy(knn);
    xl_knn_approximate_destroy(knn_approximate);
    xl_morton_destroy(morton);
    xl_grid_index_destroy(grid_index);
    xl_grid_destroy(grid);
    xlt_buffer_free(&room);
    xlt_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_of_another_context_are_refused),
        cmocka_unit_test(own_views_are_accepted),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
