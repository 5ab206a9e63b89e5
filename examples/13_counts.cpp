/* SPDX-License-Identifier: MIT
 * Problem: how many of n random points have 0, 1, 2, ... other points within a radius? In C++: a
 * search counts the neighbours on the device, and a histogram counts the counts there. Compares
 * the result with a search of all pairs. */
#include <crosslane/crosslane.hpp>

#include <cstdio>
#include <random>
#include <vector>

static constexpr std::size_t POINTS = 2000, BINS = 64;
static constexpr float RADIUS = 0.1f;

static std::vector<cl_ulong> pairs_on_host(const std::vector<float> &x)
{
    std::vector<cl_ulong> bins(BINS);
    for (std::size_t i = 0; i < POINTS; ++i) {
        std::size_t count = 0; /* below BINS at this density */
        for (std::size_t j = 0; j < POINTS; ++j) {
            const float a = x[3 * i] - x[3 * j], b = x[3 * i + 1] - x[3 * j + 1],
                        c = x[3 * i + 2] - x[3 * j + 2];
            count += i != j && (a * a + b * b) + c * c < RADIUS * RADIUS;
        }
        ++bins.at(count);
    }
    return bins;
}

static std::vector<cl_ulong> pairs_on_device(const crosslane::context &ctx, std::vector<float> &x)
{
    const cl_command_queue queue = ctx.queue();
    const auto buffer = [&](cl_mem_flags flags, std::size_t bytes, void *from) {
        return clCreateBuffer(ctx.cl(), flags, bytes, from, nullptr);
    };
    cl_mem points = buffer(CL_MEM_COPY_HOST_PTR, 12 * POINTS, x.data());
    cl_mem counts = buffer(CL_MEM_READ_WRITE, 4 * POINTS, nullptr);
    cl_mem bins = buffer(CL_MEM_READ_WRITE, 8 * BINS, nullptr);
    crosslane::grid_desc grid_desc;
    grid_desc.cell_size = RADIUS;
    crosslane::grid_plan grid(ctx, grid_desc);
    crosslane::grid_index index(ctx);
    crosslane::neighbors_desc search_desc;
    search_desc.radius = RADIUS;
    crosslane::neighbors_plan search(grid, search_desc);
    crosslane::histogram_desc histogram_desc;
    histogram_desc.type = XL_U32, histogram_desc.counter = XL_U64;
    histogram_desc.kind = XL_HISTOGRAM_KEYS, histogram_desc.num_bins = BINS;
    crosslane::histogram_plan histogram(ctx, histogram_desc);

    xl_grid_build_args build{};
    build.n = POINTS, build.points = crosslane::view(points);
    grid.build(index, queue, build);
    xl_neighbors_args count{};
    count.counts = crosslane::view(counts);
    search.enqueue(index, queue, count);
    xl_histogram_args args{};
    args.n = POINTS, args.in = crosslane::view(counts), args.bins = crosslane::view(bins);
    histogram.enqueue(queue, args);
    std::vector<cl_ulong> result(BINS);
    clEnqueueReadBuffer(queue, bins, CL_TRUE, 0, 8 * BINS, result.data(), 0, nullptr, nullptr);
    for (cl_mem each : {points, counts, bins})
        clReleaseMemObject(each);
    return result;
}

int main()
try {
    const crosslane::context ctx;
    std::vector<float> x(3 * POINTS);
    std::mt19937 random(7);
    for (float &each : x)
        each = static_cast<float>(random() >> 8) * 0x1p-24f;
    const std::vector<cl_ulong> bins = pairs_on_device(ctx, x);
    for (std::size_t k = 0; k < 20; ++k)
        std::printf("%zu neighbours: %llu points\n", k, static_cast<unsigned long long>(bins[k]));
    return bins == pairs_on_host(x) ? 0 : 1;
} catch (const crosslane::error &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
