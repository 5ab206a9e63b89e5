/* SPDX-License-Identifier: MIT
 * A program of crosslane.hpp that calls every primitive through its class, on buffers of cl_mem and,
 * if CL/opencl.hpp is installed, of cl::Buffer. Exits with 0 if all results are right. */
#include <crosslane/crosslane.hpp>

#if __has_include(<CL/opencl.hpp>)
#define CL_HPP_TARGET_OPENCL_VERSION CL_TARGET_OPENCL_VERSION
#include <CL/opencl.hpp>
#endif
#include <cstdio>
#include <vector>

namespace xl = crosslane;

static int wrong;

static void expect(bool is_right, const char *what)
{
    if (!is_right)
        std::fprintf(stderr, "wrong: %s\n", what), ++wrong;
}

/* Elements on the device. get() gives the buffer, as that of cl::Buffer. */
template <typename T> class array
{
  public:
    array(const xl::context &ctx, std::vector<T> values) : queue_(ctx.queue()), n_(values.size())
    {
        cl_int code;
        buffer_ =
            clCreateBuffer(ctx.cl(), CL_MEM_COPY_HOST_PTR, n_ * sizeof(T), values.data(), &code);
        if (code != CL_SUCCESS)
            throw xl::error(XL_ERROR_OPENCL, ctx.get());
    }
    array(const array &) = delete;
    array &operator=(const array &) = delete;
    ~array()
    {
        clReleaseMemObject(buffer_);
    }
    cl_mem get() const
    {
        return buffer_;
    }
    void expect(const char *what, const std::vector<T> &wanted) const
    {
        std::vector<T> got(n_);
        clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 0, n_ * sizeof(T), got.data(), 0, nullptr,
                            nullptr);
        got.resize(wanted.size());
        ::expect(got == wanted, what);
    }

  private:
    cl_command_queue queue_;
    size_t n_;
    cl_mem buffer_;
};
using u32 = array<cl_uint>;
using u64 = array<cl_ulong>;
using f32 = array<cl_float>;
static const std::vector<cl_uint> pi = {3, 1, 4, 1, 5};

/* Makes a plan, asks for its scratch, and runs it with scratch of the caller's. */
template <typename Plan, typename Desc, typename Args>
static void run(const xl::context &ctx, const Desc &desc, Args args)
{
    Plan first(ctx, desc);
    Plan plan(std::move(first));
    expect(!first && plan && plan.ctx() == ctx.get(), "a plan that is moved");
    plan.prepare(args);
    expect(plan.info(5).algorithm[31] == 0, "info");
    const array<cl_uchar> scratch(ctx, std::vector<cl_uchar>(plan.scratch(args) + 1));
    if (plan.scratch(args) > 0)
        args.scratch = xl::view(scratch, 0, plan.scratch(args));
    plan.enqueue(ctx.queue(), args);
}

static void arrays(const xl::context &ctx)
{
    const u32 in(ctx, pi), a(ctx, {1, 3, 5}), b(ctx, {2, 3});
    {
        const u32 out(ctx, pi);
        xl_scan_args args{};
        args.n = 5, args.in = xl::view(in), args.out = xl::view(out);
        run<xl::scan_plan>(ctx, xl::scan_desc(), args);
        out.expect("scan", {0, 3, 4, 8, 9});
    }
    {
        const u32 out(ctx, {0});
        xl_reduce_args args{};
        args.n = 5, args.in = xl::view(in), args.out = xl::view(out);
        run<xl::reduce_plan>(ctx, xl::reduce_desc(), args);
        out.expect("reduce", {14});
    }
    {
        const u32 out(ctx, pi);
        xl_sort_args args{};
        args.n = 5, args.keys_in = xl::view(in), args.keys_out = xl::view(out);
        run<xl::sort_plan>(ctx, xl::sort_desc(), args);
        out.expect("sort", {1, 1, 3, 4, 5});
    }
    {
        const u32 out(ctx, {0, 0});
        xl_top_k_args args{};
        args.n = 5, args.k = 2, args.keys_in = xl::view(in), args.keys_out = xl::view(out);
        run<xl::top_k_plan>(ctx, xl::top_k_desc(), args);
        out.expect("top_k", {5, 4});
    }
    {
        const u32 out(ctx, pi);
        xl_merge_args args{};
        args.n_a = 3, args.n_b = 2, args.keys_a = xl::view(a), args.keys_b = xl::view(b);
        args.keys_out = xl::view(out);
        run<xl::merge_plan>(ctx, xl::merge_desc(), args);
        out.expect("merge", {1, 2, 3, 3, 5});
        const size_t runs[] = {0, 1, 3, 5};
        args = {};
        args.n_a = 5, args.num_runs = 3, args.runs = runs, args.keys_a = xl::view(in);
        args.keys_out = xl::view(out);
        run<xl::merge_plan>(ctx, xl::merge_desc(), args);
        out.expect("merge of runs", {1, 1, 3, 4, 5});
    }
    {
        const u64 out(ctx, {9, 9});
        xl_search_args args{};
        args.n = 3, args.keys = xl::view(a), args.num_queries = 2, args.queries = xl::view(b);
        args.indices_out = xl::view(out);
        run<xl::search_plan>(ctx, xl::search_desc(), args);
        out.expect("search", {1, 1});
    }
    {
        const u32 from(ctx, {3, 0, 4, 0, 5}), out(ctx, {9, 9, 9});
        xl_select_args args{};
        args.n = 5, args.in = xl::view(from), args.capacity = 3, args.out = xl::view(out);
        run<xl::select_plan>(ctx, xl::select_desc(), args);
        out.expect("select", {3, 4, 5});
    }
    {
        const array<cl_uchar> bytes(ctx, {1, 2, 1, 1});
        const u32 out(ctx, {9, 9, 9});
        xl::histogram_desc desc;
        desc.kind = XL_HISTOGRAM_KEYS, desc.num_bins = 3;
        xl_histogram_args args{};
        args.n = 4, args.in = xl::view(bytes), args.bins = xl::view(out);
        run<xl::histogram_plan>(ctx, desc, args);
        out.expect("histogram", {0, 3, 1});
    }
    {
        const u32 out(ctx, pi);
        xl::transform_desc desc;
        desc.types[0] = XL_U32, desc.expression = "2 * x";
        xl_transform_args args{};
        args.n = 5, args.in[0] = xl::view(in), args.out[0] = xl::view(out);
        run<xl::transform_plan>(ctx, desc, args);
        out.expect("transform", {6, 2, 8, 2, 10});
    }
}

static cl_uint references(cl_event event)
{
    cl_uint count = 0;
    clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof count, &count, nullptr);
    return count;
}

static void points(const xl::context &ctx)
{
    const f32 at(ctx, {0, 0, 0, 1, 0, 0, 5, 0, 0});
    const u32 nearest_out(ctx, {9, 9, 9}), approximate(ctx, {9, 9, 9}), moved(ctx, {9});
    const u32 data(ctx, {7, 8, 9}), ordered(ctx, {0, 0, 0}), indices(ctx, {9, 9});
    const u64 offsets(ctx, {9, 9, 9, 9}), codes(ctx, {1, 2, 3});
    const f32 distances2(ctx, {0, 0, 0});
    const cl_command_queue queue = ctx.queue();
    {
        xl::morton_desc desc;
        desc.space.cell[0][0] = desc.space.cell[1][1] = desc.space.cell[2][2] = 8;
        xl_morton_args args{};
        args.n = 3, args.points = xl::view(at), args.codes = xl::view(codes);
        run<xl::morton_plan>(ctx, desc, args);
        codes.expect("morton", {0, UINT64_C(1) << 54, UINT64_C(1) << 60 | UINT64_C(1) << 54});
    }
    {
        xl::nearest_approximate_desc desc;
        desc.k = 1;
        desc.space.cell[0][0] = desc.space.cell[1][1] = desc.space.cell[2][2] = 8;
        xl_nearest_approximate_args args{};
        args.n = 3, args.points = xl::view(at), args.indices = xl::view(approximate);
        args.distances2 = xl::view(distances2);
        run<xl::nearest_approximate_plan>(ctx, desc, args);
        approximate.expect("nearest_approximate", {1, 0, 1});
    }
    xl::grid_desc desc;
    desc.cell_size = 2;
    xl::grid_plan grid(ctx, desc);
    xl::grid_index index(ctx);
    xl::event built;
    xl_grid_build_args build{};
    build.n = 3, build.points = xl::view(at);
    expect(grid.scratch(build) > 0, "grid.scratch");
    grid.build(index, queue, build, {}, built.put());
    expect(index.report(queue, built).points == 3, "the report of a grid");
    xl::event again = index.built();
    expect(static_cast<bool>(again), "the event of a build");

    xl_grid_reorder_args reorder{};
    reorder.element_bytes = 4, reorder.in = xl::view(data), reorder.out = xl::view(ordered);
    const cl_event both[] = {built.get(), again.get()};
    grid.reorder(index, queue, reorder, both);
    reorder.back = 1, std::swap(reorder.in, reorder.out);
    grid.reorder(index, queue, reorder);
    data.expect("reorder, there and back", {7, 8, 9});
    xl_grid_moved_args move{};
    move.points = xl::view(at), move.moved = xl::view(moved);
    grid.moved(index, queue, move);
    moved.expect("moved", {0});

    xl::neighbors_desc near;
    near.radius = 2;
    xl::neighbors_plan neighbors(grid, near);
    xl_neighbors_args args{};
    args.capacity = 1, args.offsets = xl::view(offsets), args.indices = xl::view(indices);
    std::vector<xl::event> after;
    after.push_back(std::move(again));
    neighbors.enqueue(index, queue, args, after);
    xl_status status = XL_SUCCESS;
    expect(neighbors.report(index, queue, args, {}, &status).pairs == 2 &&
               status == XL_ERROR_CAPACITY,
           "the report of a list that does not fit");
    args.capacity = 2;
    neighbors.count(index, queue, args);
    neighbors.fill(index, queue, args);
    expect(neighbors.report(index, queue, args).pairs == 2, "the report of a list");
    offsets.expect("offsets", {0, 1, 2, 2});
    indices.expect("indices", {1, 0});

    xl::nearest_desc k;
    k.k = 1;
    xl::nearest_plan nearest(grid, k);
    xl_nearest_args rows{};
    rows.indices = xl::view(nearest_out);
    nearest.enqueue(index, queue, rows);
    expect(nearest.report(index, queue, rows).rows == 3, "the report of the nearest");
    nearest_out.expect("nearest", {1, 0, 1});

    xl::event failed(clCreateUserEvent(ctx.cl(), nullptr));
    clSetUserEventStatus(failed.get(), -1);
    expect((index.report(queue, failed, &status), status != XL_SUCCESS) &&
               (neighbors.report(index, queue, args, failed, &status), status != XL_SUCCESS) &&
               (nearest.report(index, queue, rows, failed, &status), status != XL_SUCCESS),
           "a report that waits for an event that has failed");
    const cl_event raw = failed.get();
    clRetainEvent(raw);
    const cl_uint before = references(raw);
    failed.reset();
    expect(references(raw) + 1 == before, "an event that is released");
    clReleaseEvent(raw);

    const xl::program program(ctx,
                              "#include <crosslane/neighbors.cl>\n"
                              "kernel void f(XL_NEIGHBORS_PARAMETERS(p), global uint *x) {}\n");
    cl_kernel kernel = clCreateKernel(program.get(), "f", nullptr);
    xl_neighbors_kernel_args bind{};
    bind.kernel = kernel, bind.radius = 2;
    expect(index.set_kernel_args(bind) > 0, "set_kernel_args");
    clReleaseKernel(kernel);
}

static void simple(const xl::context &ctx)
{
    std::vector<cl_uint> x = pi, out(5), order(5);
    std::vector<cl_ulong> wide(5), bins(2);
    namespace simple = xl::simple;
    simple::inclusive_sum(ctx, 5, x.data(), wide.data());
    expect(wide == std::vector<cl_ulong>({3, 4, 8, 9, 14}), "inclusive_sum");
    simple::exclusive_sum(ctx, 5, x.data(), out.data());
    expect(out == std::vector<cl_uint>({0, 3, 4, 8, 9}), "exclusive_sum");
    expect(simple::reduce<cl_ulong>(ctx, XL_MAX, 5, x.data()) == 5, "reduce of simple");
    simple::argsort(ctx, XL_ASCENDING, 5, x.data(), order.data());
    expect(order == std::vector<cl_uint>({1, 3, 0, 2, 4}), "argsort");
    simple::top_k(ctx, XL_DESCENDING, 5, x.data(), 2, out.data(), order.data());
    expect(out[0] == 5 && out[1] == 4 && order[0] == 4, "top_k of simple");
    simple::histogram(ctx, 5, x.data(), 0, 4, 2, bins.data());
    expect(bins[0] == 2 && bins[1] == 1, "histogram of simple");
    std::vector<double> values = {0, 1, 2, 3, 4};
    simple::sort_pairs(ctx, XL_ASCENDING, 5, x.data(), values.data());
    expect(x == std::vector<cl_uint>({1, 1, 3, 4, 5}) && values[4] == 4 && values[2] == 0,
           "sort_pairs");
    expect(simple::unique(ctx, 5, x.data(), out.data()) == 4 && out[3] == 5, "unique");
    simple::sort(ctx, XL_DESCENDING, 5, x.data());
    expect(x[0] == 5, "sort of simple");
    const float at[9] = {0, 0, 0, 1, 0, 0, 5, 0, 0};
    simple::neighbor_list list = simple::neighbors(ctx, nullptr, 3, at, 2);
    const simple::neighbor_list kept(std::move(list));
    expect(kept->n == 3 && kept->offsets[3] == 2 && kept->indices[0] == 1, "neighbors of simple");
    list = simple::nearest(ctx, nullptr, 3, at, 1);
    expect((*list).offsets[3] == 3 && list->indices[2] == 1, "nearest of simple");
}

/* Each way of a failure, and the contexts. */
static void failures(const xl::context &ctx)
{
    xl_status status = XL_SUCCESS;
    xl::sort_desc desc;
    desc.key = 12345;
    expect(!xl::sort_plan(ctx, desc, &status) && status == XL_ERROR_INVALID_ARGUMENT, "a status");
    try {
        xl::sort_plan plan(ctx, desc);
        expect(false, "an exception");
    } catch (const xl::error &error) {
        expect(error.status() == XL_ERROR_INVALID_ARGUMENT &&
                   std::string(error.what()).find("desc.key: unknown (12345)") != std::string::npos,
               error.what());
        expect(std::string(ctx.last_error()).find("desc.key") == 0, "last_error");
    }
    xl::neighbors_plan none;
    expect(none.scratch({}, &status) == 0 && status == XL_ERROR_INVALID_ARGUMENT, "an empty plan");
    xl::context_desc settings;
    settings.device = "no such device";
    expect(!xl::context(settings, &status) && status == XL_ERROR_NO_DEVICE, "no device");

    const xl::context adopted(ctx.cl(), ctx.device());
    expect(adopted.cl() == ctx.cl() && adopted.device() == ctx.device(),
           "a context that is adopted");
    expect(adopted.device_info().compute_units > 0 && adopted.cache()[0] != 0, "device_info");
    xl_context *raw = nullptr;
    expect(xl_context_create(nullptr, &raw) == XL_SUCCESS, "a context of C");
    expect(xl::context(raw).get() == raw, "a context of C that is owned");
    cl_uint devices = 0, tunables = 0;
    expect(xl::each_device([&](cl_uint, cl_uint, cl_platform_id, cl_device_id) { ++devices; }) ==
                   devices &&
               devices > 0,
           "each_device");
    expect(ctx.each_tunable([&](const xl_tunable_info &) { ++tunables; }) == tunables &&
               tunables > 0,
           "each_tunable");
    static_assert(!std::is_copy_constructible_v<xl::context> &&
                      !std::is_copy_constructible_v<xl::scan_plan> &&
                      !std::is_copy_assignable_v<xl::grid_index>,
                  "owners may only be moved");
    static_assert(xl::type_of<long long>() == XL_I64 && xl::type_of<float>() == XL_F32 &&
                      xl::type_of<unsigned char>() == XL_U8,
                  "types");
}

#ifdef CL_HPP_
/* Objects of OpenCL's own C++ interface. */
static void opencl_hpp()
{
    const xl::context best;
    const cl::Context cl(best.cl(), true);
    const cl::Device device(best.device(), true);
    const xl::context ctx(cl, device);
    const cl::CommandQueue queue(cl, device);
    cl_uint x[5] = {3, 1, 4, 1, 5};
    const cl::Buffer buffer(cl, CL_MEM_COPY_HOST_PTR, sizeof x, x);
    std::vector<cl::Event> events(1);
    xl_sort_args args{};
    args.n = 5, args.keys_in = args.keys_out = xl::view(buffer);
    xl::sort_plan sort(ctx, xl::sort_desc());
    sort.enqueue(queue, args, {}, &events[0]());
    sort.enqueue(queue, args, events);
    sort.enqueue(queue, args, events[0]);
    queue.enqueueReadBuffer(buffer, CL_TRUE, 0, sizeof x, x);
    expect(x[0] == 1 && x[4] == 5, "objects of CL/opencl.hpp");
}
#endif

int main()
{
    try {
        const xl::context ctx;
        arrays(ctx);
        points(ctx);
        simple(ctx);
        failures(ctx);
#ifdef CL_HPP_
        opencl_hpp();
#else
        std::puts("CL/opencl.hpp is not installed: its objects were not tested");
#endif
    } catch (const xl::error &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return wrong != 0;
}
