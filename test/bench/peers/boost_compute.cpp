/* SPDX-License-Identifier: MIT
 * Peer: Boost.Compute's scans and reduction on the cases of the benchmark, on the device
 * that CROSSLANE_DEVICE names as it does for the library: gpu, cpu, part of a name, or
 * platform:device (parts of names, either may be empty). Headers only: libboost-dev.
 *
 *   c++ -O3 -std=c++17 -Itest/bench -o peer-boost test/bench/peers/boost_compute.cpp \
 *       test/bench/bench_result.c -lOpenCL
 *   ./peer-boost [--only NAME] [--max-n 2^K] [--json FILE] [--quick] [--progress] */
#include "peer.hpp"

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS

#include <boost/compute/algorithm/copy.hpp>
#include <boost/compute/algorithm/exclusive_scan.hpp>
#include <boost/compute/algorithm/fill.hpp>
#include <boost/compute/algorithm/reduce.hpp>
#include <boost/compute/container/vector.hpp>
#include <boost/compute/system.hpp>
#include <boost/version.hpp>

#include <algorithm>
#include <cctype>

namespace compute = boost::compute;

namespace
{

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return (char)std::tolower(c); });
    return text;
}

bool holds(const std::string &text, const std::string &part)
{
    return lower(text).find(lower(part)) != std::string::npos;
}

bool is_named(const compute::device &device, const std::string &name)
{
    const size_t colon = name.find(':');
    if (name == "gpu" || name == "cpu")
        return (device.type() & (name == "gpu" ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU)) != 0;
    if (colon == std::string::npos)
        return holds(device.name(), name);
    return holds(device.platform().name(), name.substr(0, colon)) &&
           holds(device.name(), name.substr(colon + 1));
}

compute::device choose_device()
{
    const char *name = std::getenv("CROSSLANE_DEVICE");
    if (!name || !*name)
        return compute::system::default_device();
    for (const compute::device &device : compute::system::devices())
        if (is_named(device, name))
            return device;
    throw std::runtime_error("no OpenCL device is called " + std::string(name));
}

struct place {
    compute::device device;
    compute::context context;
    compute::command_queue queue;
    size_t max_bytes; // of one array

    explicit place(const compute::device &d)
        : device(d), context(d), queue(context, d, CL_QUEUE_PROFILING_ENABLE),
          max_bytes((size_t)std::min(d.get_info<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE),
                                     d.get_info<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE) / 4))
    {
    }
};

// Something that enqueues itself: the protocol's rows and loops. Device time is from
// marker to marker, because an algorithm returns no event.
template <class Enqueue> class timed
{
  public:
    timed(place &p, Enqueue enqueue) : queue_(p.queue), enqueue_(enqueue)
    {
    }

    double row(unsigned calls)
    {
        enqueue_();
        const compute::event first = queue_.enqueue_marker();
        for (unsigned i = 1; i < calls; ++i)
            enqueue_();
        const compute::event last = queue_.enqueue_marker();
        queue_.finish();
        return 1e-6 * (double)(end_of(last) - end_of(first)) / (calls - 1);
    }

    double wall(unsigned calls)
    {
        queue_.finish();
        const double start = bench_now();
        for (unsigned i = 0; i < calls; ++i)
            enqueue_();
        queue_.finish();
        return (bench_now() - start) / calls * 1e6;
    }

  private:
    compute::command_queue &queue_;
    Enqueue enqueue_;

    static cl_ulong end_of(const compute::event &event)
    {
        return event.get_profiling_info<cl_ulong>(CL_PROFILING_COMMAND_END);
    }
};

const char copy_source[] =
    "__kernel void copy_vectors(const __global uint4 *in, __global uint4 *out, ulong n)\n"
    "{\n"
    "    const ulong i = get_global_id(0);\n"
    "    if (i < n)\n"
    "        out[i] = in[i];\n"
    "}\n";

void time_copies(peer::bench &b, place &p, size_t n)
{
    const size_t local = std::min<size_t>(256, p.device.max_work_group_size());
    const size_t vectors = n / 4;
    compute::buffer in(p.context, 16 * vectors), out(p.context, 16 * vectors);
    compute::kernel kernel(compute::program::build_with_source(std::string(copy_source), p.context),
                           "copy_vectors");
    kernel.set_args(in, out, (compute::ulong_)vectors);
    p.queue.enqueue_fill_buffer(in, "", 1, 0, 16 * vectors);
    p.queue.enqueue_fill_buffer(out, "", 1, 0, 16 * vectors);
    auto enqueue = [&] {
        p.queue.enqueue_1d_range_kernel(kernel, 0, (vectors + local - 1) / local * local, local);
    };
    timed<decltype(enqueue)> t(p, enqueue);
    b.time(nullptr, "copy", "kernel, a vector each", n, 32.0 * (double)vectors, t);
}

template <class T> std::vector<T> download(place &p, const compute::vector<T> &from)
{
    std::vector<T> to(from.size());
    compute::copy(from.begin(), from.end(), to.begin(), p.queue);
    return to;
}

template <class T> void scan(peer::bench &b, place &p, const char *variant)
{
    std::vector<size_t> sizes = b.sizes(10, 28);
    while (!sizes.empty() && sizes.back() * sizeof(T) > p.max_bytes)
        sizes.pop_back();
    const std::vector<T> in = peer::random_input<T>(sizes.empty() ? 0 : sizes.back());
    const std::vector<T> wanted = peer::exclusive_sums(in);
    for (size_t n : sizes) {
        b.start(nullptr, "scan", variant, n);
        compute::vector<T> from(n, p.context), to(n, p.context);
        compute::copy(in.begin(), in.begin() + (std::ptrdiff_t)n, from.begin(), p.queue);
        compute::fill(to.begin(), to.end(), (T)77, p.queue);
        auto enqueue = [&] {
            compute::exclusive_scan(from.begin(), from.end(), to.begin(), (T)0, p.queue);
        };
        enqueue();
        const std::string why = peer::difference(download(p, to), wanted, n);
        timed<decltype(enqueue)> t(p, enqueue);
        b.time_or_wrong(nullptr, "scan", variant, n, 2.0 * sizeof(T) * (double)n, why, t);
    }
}

void reduce(peer::bench &b, place &p)
{
    std::vector<size_t> sizes = b.sizes(10, 28);
    while (!sizes.empty() && sizes.back() * 4 > p.max_bytes)
        sizes.pop_back();
    const std::vector<int32_t> in = peer::random_input<int32_t>(sizes.empty() ? 0 : sizes.back());
    for (size_t n : sizes) {
        b.start(nullptr, "reduce", "i32 sum", n);
        int32_t sum = 0;
        for (size_t i = 0; i < n; ++i)
            sum += in[i];
        compute::vector<int32_t> from(n, p.context), to(1, p.context);
        compute::copy(in.begin(), in.begin() + (std::ptrdiff_t)n, from.begin(), p.queue);
        auto enqueue = [&] {
            compute::reduce(from.begin(), from.end(), to.begin(), compute::plus<int32_t>(),
                            p.queue);
        };
        enqueue();
        const std::string why = peer::difference(download(p, to), {sum}, 1);
        timed<decltype(enqueue)> t(p, enqueue);
        b.time_or_wrong(nullptr, "reduce", "i32 sum", n, 4.0 * (double)(n + 1), why, t);
    }
}

} // namespace

int main(int argc, char **argv)
{
    peer::bench b("Boost.Compute", {"scan", "reduce"}, argc, argv);
    try {
        place p(choose_device());
        const std::string device = p.device.name(), platform = p.device.platform().name();
        const std::string driver = p.device.driver_version();
        bench_place where = {};
        where.version = "Boost " BOOST_LIB_VERSION;
        where.device = device.c_str();
        where.platform = platform.c_str();
        where.driver = driver.c_str();
        b.print_head(where);
        b.time_copies = [&](size_t n) { time_copies(b, p, n); };
        if (b.wants("scan")) {
            scan<uint32_t>(b, p, "u32 exclusive sum");
            scan<float>(b, p, "f32 exclusive sum");
            scan<compute::long_>(b, p, "i64 exclusive sum");
        }
        if (b.wants("reduce"))
            reduce(b, p);
        return b.finish(where);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
        return 1;
    }
}
