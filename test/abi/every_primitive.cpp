// SPDX-License-Identifier: MIT
// A C++17 program that calls every primitive through the documented functions, with small arrays
// whose results are known.
#include <crosslane/crosslane.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace
{

xl_context *ctx;
cl_command_queue queue;
int wrong;

void check(xl_status status, const char *what)
{
    if (status == XL_SUCCESS)
        return;
    std::fprintf(stderr, "%s: %s: %s\n", what, xl_status_name(status), xl_context_error(ctx));
    std::exit(1);
}

// A buffer that holds a copy of some values, or room for n of them.
template <typename T> struct array {
    cl_mem buffer;
    size_t n;

    explicit array(std::vector<T> values) : n(values.size())
    {
        cl_int code;
        buffer = clCreateBuffer(xl_context_cl(ctx), CL_MEM_COPY_HOST_PTR, n * sizeof(T),
                                values.data(), &code);
        if (code != CL_SUCCESS)
            std::exit(1);
    }
    explicit array(size_t count) : array(std::vector<T>(count))
    {
    }
    array(const array &) = delete;
    array &operator=(const array &) = delete;
    ~array()
    {
        clReleaseMemObject(buffer);
    }

    operator xl_view() const
    {
        return xl_view_of(buffer, 0);
    }

    void expect(const char *what, const std::vector<T> &wanted) const
    {
        std::vector<T> got(wanted.size());
        clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, got.size() * sizeof(T), got.data(), 0,
                            nullptr, nullptr);
        if (got == wanted)
            return;
        std::fprintf(stderr, "%s: wrong\n", what);
        ++wrong;
    }
};

// Creates a plan, queries scratch and details, enqueues, destroys.
#define RUN(X, desc, args)                                                                         \
    do {                                                                                           \
        xl_plan *plan = nullptr;                                                                   \
        size_t bytes = 0;                                                                          \
        xl_plan_details details;                                                                   \
        check(xl_##X##_create(ctx, &(desc), &plan), #X);                                           \
        check(xl_##X##_scratch(plan, &(args), &bytes), #X);                                        \
        check(xl_plan_info(plan, 8, &details), #X);                                                \
        check(xl_##X##_enqueue(plan, queue, &(args), 0, nullptr, nullptr), #X);                    \
        if (xl_plan_context(plan) != ctx || details.algorithm[0] == '\0')                          \
            ++wrong;                                                                               \
        xl_plan_destroy(plan);                                                                     \
    } while (0)

#define DESC(X, name)                                                                              \
    xl_##X##_desc name;                                                                            \
    xl_##X##_desc_init(&name)

void scan_and_reduce()
{
    const array<cl_uint> in({3, 1, 4, 1, 5}), out(5), sum(1);
    DESC(scan, scan);
    xl_scan_args args = {};
    args.n = 5;
    args.in = in;
    args.out = out;
    RUN(scan, scan, args);
    out.expect("scan", {0, 3, 4, 8, 9});
    DESC(reduce, reduce);
    xl_reduce_args total = {};
    total.n = 5;
    total.in = in;
    total.out = sum;
    RUN(reduce, reduce, total);
    sum.expect("reduce", {14});
}

void sort_and_top_k()
{
    const array<cl_uint> in({3, 1, 4, 1, 5}), out(5), best(2);
    DESC(sort, sort);
    xl_sort_args args = {};
    args.n = 5;
    args.keys_in = in;
    args.keys_out = out;
    RUN(sort, sort, args);
    out.expect("sort", {1, 1, 3, 4, 5});
    DESC(top_k, top_k);
    xl_top_k_args top = {};
    top.n = 5;
    top.k = 2;
    top.keys_in = in;
    top.keys_out = best;
    RUN(top_k, top_k, top);
    best.expect("top_k", {5, 4});
}

void merge_and_search()
{
    const array<cl_uint> a({1, 3, 5}), b({2, 3}), out(5);
    const array<cl_ulong> places(2);
    DESC(merge, merge);
    xl_merge_args args = {};
    args.n_a = 3;
    args.n_b = 2;
    args.keys_a = a;
    args.keys_b = b;
    args.keys_out = out;
    RUN(merge, merge, args);
    out.expect("merge", {1, 2, 3, 3, 5});
    DESC(search, search);
    xl_search_args find = {};
    find.n = 3;
    find.keys = a;
    find.num_queries = 2;
    find.queries = b;
    find.indices_out = places;
    RUN(search, search, find);
    places.expect("search", {1, 1});
}

void select_histogram_transform()
{
    const array<cl_uint> in({3, 0, 4, 0, 5}), out(3), doubled(5);
    const array<cl_uchar> keys({1, 2, 1, 1});
    const array<cl_uint> bins(3);
    DESC(select, select);
    xl_select_args args = {};
    args.n = 5;
    args.in = in;
    args.capacity = 3;
    args.out = out;
    RUN(select, select, args);
    out.expect("select", {3, 4, 5});
    DESC(histogram, histogram);
    histogram.kind = XL_HISTOGRAM_KEYS;
    histogram.num_bins = 3;
    xl_histogram_args count = {};
    count.n = 4;
    count.in = keys;
    count.bins = bins;
    RUN(histogram, histogram, count);
    bins.expect("histogram", {0, 3, 1});
    DESC(transform, transform);
    transform.expression = "2 * x";
    xl_transform_args map = {};
    map.n = 5;
    map.in[0] = in;
    map.out[0] = doubled;
    RUN(transform, transform, map);
    doubled.expect("transform", {6, 0, 8, 0, 10});
}

void codes_and_approximate_neighbors()
{
    const array<cl_float> points({0, 0, 0, 1, 0, 0, 5, 0, 0});
    const array<cl_ulong> codes(3);
    const array<cl_uint> indices(3);
    const array<cl_float> distances(3);
    DESC(morton, morton);
    for (int a = 0; a < 3; ++a)
        morton.space.cell[a][a] = 8;
    xl_morton_args args = {};
    args.n = 3;
    args.points = points;
    args.codes = codes;
    RUN(morton, morton, args);
    DESC(nearest_approximate, nearest);
    nearest.k = 1;
    for (int a = 0; a < 3; ++a)
        nearest.space.cell[a][a] = 8;
    xl_nearest_approximate_args find = {};
    find.n = 3;
    find.points = points;
    find.indices = indices;
    find.distances2 = distances;
    RUN(nearest_approximate, nearest, find);
    indices.expect("nearest_approximate", {1, 0, 1});
    distances.expect("nearest_approximate", {1, 1, 16});
}

void neighbors()
{
    const array<cl_float> points({0, 0, 0, 1, 0, 0, 5, 0, 0});
    const array<cl_uint> indices(2), nearest(3);
    const array<cl_ulong> offsets(4);
    xl_plan *grid_plan = nullptr, *plan = nullptr, *nearest_plan = nullptr;
    xl_grid_index *index = nullptr;
    xl_grid_report report;
    DESC(grid, grid);
    grid.cell_size = 2;
    check(xl_grid_create(ctx, &grid, &grid_plan), "grid");
    check(xl_grid_index_create(ctx, &index), "grid");
    xl_grid_build_args build = {};
    build.n = 3;
    build.points = points;
    check(xl_grid_build_enqueue(grid_plan, index, queue, &build, 0, nullptr, nullptr), "grid");
    check(xl_grid_index_status(index, queue, &report, 0, nullptr), "grid");
    DESC(neighbors, desc);
    desc.radius = 2;
    check(xl_neighbors_create(grid_plan, &desc, &plan), "neighbors");
    xl_neighbors_args list = {};
    list.capacity = 2;
    list.offsets = offsets;
    list.indices = indices;
    check(xl_neighbors_enqueue(plan, index, queue, &list, 0, nullptr, nullptr), "neighbors");
    offsets.expect("neighbors", {0, 1, 2, 2});
    indices.expect("neighbors", {1, 0});
    DESC(nearest, wanted);
    wanted.k = 1;
    check(xl_nearest_create(grid_plan, &wanted, &nearest_plan), "nearest");
    xl_nearest_args find = {};
    find.indices = nearest;
    check(xl_nearest_enqueue(nearest_plan, index, queue, &find, 0, nullptr, nullptr), "nearest");
    nearest.expect("nearest", {1, 0, 1});
    xl_plan_destroy(nearest_plan);
    xl_plan_destroy(plan);
    xl_grid_index_destroy(index);
    xl_plan_destroy(grid_plan);
}

void simple_calls()
{
    std::vector<cl_uint> x = {3, 1, 4, 1, 5};
    check(xl_simple_inclusive_sum(ctx, XL_U32, XL_U32, x.size(), x.data(), x.data()), "simple");
    wrong += x != std::vector<cl_uint>{3, 4, 8, 9, 14};
}

} // namespace

int main()
{
    check(xl_context_create(nullptr, &ctx), "context");
    queue = xl_context_queue(ctx);
    scan_and_reduce();
    sort_and_top_k();
    merge_and_search();
    select_histogram_transform();
    codes_and_approximate_neighbors();
    neighbors();
    simple_calls();
    xl_context_destroy(ctx);
    if (wrong == 0)
        std::puts("every primitive gave the results wanted");
    return wrong != 0;
}
