/* SPDX-License-Identifier: MIT
 * Peer: std::exclusive_scan, std::reduce and std::sort of the host's C++ library on the cases of
 * the benchmark, on one core and, by the policy par_unseq, on all. Needs TBB: libtbb-dev.
 *
 *   c++ -O3 -std=c++17 -Itest/bench -o peer-std test/bench/peers/std_host.cpp \
 *       test/bench/bench_result.c -ltbb
 *   ./peer-std [--only NAME] [--max-n 2^K] [--json FILE] [--quick] [--progress] */
#include "peer.hpp"

#include <algorithm>
#include <execution>
#include <fstream>
#include <numeric>
#include <thread>

namespace
{

const char *const one_core = nullptr; // the run's own name
const char *const all_cores = "std par_unseq";

template <class T, class Call>
void run_case(peer::bench &b, const char *program, const char *name, const char *variant, size_t n,
              double bytes, Call call, const std::vector<T> &got, const std::vector<T> &wanted)
{
    b.start(program, name, variant, n);
    call();
    peer::timed_call<Call> t(call);
    b.time_or_wrong(program, name, variant, n, bytes, peer::difference(got, wanted, got.size()), t);
}

void time_copies(peer::bench &b, size_t n)
{
    const std::vector<uint32_t> in = peer::random_input<uint32_t>(n);
    std::vector<uint32_t> out(n);
    run_case(
        b, one_core, "copy", "kernel, std::copy", n, 8.0 * (double)n,
        [&] { std::copy(in.begin(), in.end(), out.begin()); }, out, in);
    run_case(
        b, all_cores, "copy", "kernel, std::copy", n, 8.0 * (double)n,
        [&] { std::copy(std::execution::par_unseq, in.begin(), in.end(), out.begin()); }, out, in);
}

template <class T> void scan(peer::bench &b, const char *variant)
{
    const std::vector<size_t> sizes = b.sizes(10, 28);
    const std::vector<T> in = peer::random_input<T>(sizes.empty() ? 0 : sizes.back());
    const std::vector<T> wanted = peer::exclusive_sums(in);
    for (size_t n : sizes) {
        const auto begin = in.begin(), end = in.begin() + (std::ptrdiff_t)n;
        std::vector<T> out = peer::ones_complement<T>(n);
        const double bytes = 2.0 * sizeof(T) * (double)n;
        run_case(
            b, one_core, "scan", variant, n, bytes,
            [&] { std::exclusive_scan(begin, end, out.begin(), (T)0); }, out, wanted);
        out = peer::ones_complement<T>(n);
        run_case(
            b, all_cores, "scan", variant, n, bytes,
            [&] { std::exclusive_scan(std::execution::par_unseq, begin, end, out.begin(), (T)0); },
            out, wanted);
    }
}

void reduce(peer::bench &b)
{
    const std::vector<size_t> sizes = b.sizes(10, 28);
    const std::vector<int32_t> in = peer::random_input<int32_t>(sizes.empty() ? 0 : sizes.back());
    for (size_t n : sizes) {
        const auto begin = in.begin(), end = in.begin() + (std::ptrdiff_t)n;
        const double bytes = 4.0 * (double)(n + 1);
        std::vector<int32_t> out(1), wanted(1);
        for (size_t i = 0; i < n; ++i)
            wanted[0] += in[i];
        run_case(
            b, one_core, "reduce", "i32 sum", n, bytes, [&] { out[0] = std::reduce(begin, end); },
            out, wanted);
        out[0] = ~wanted[0];
        run_case(
            b, all_cores, "reduce", "i32 sum", n, bytes,
            [&] { out[0] = std::reduce(std::execution::par_unseq, begin, end); }, out, wanted);
    }
}

// From one array to another, as the benchmark's: each call copies the keys first.
void sort(peer::bench &b)
{
    const std::vector<size_t> sizes = b.sizes(10, 24);
    const std::vector<uint32_t> in = peer::random_input<uint32_t>(sizes.empty() ? 0 : sizes.back());
    for (size_t n : sizes) {
        const auto begin = in.begin(), end = in.begin() + (std::ptrdiff_t)n;
        std::vector<uint32_t> wanted(begin, end), out(n);
        std::stable_sort(wanted.begin(), wanted.end());
        const double bytes = 8.0 * (double)n;
        run_case(
            b, one_core, "sort", "u32 keys", n, bytes,
            [&] {
                std::copy(begin, end, out.begin());
                std::sort(out.begin(), out.end());
            },
            out, wanted);
        out = peer::ones_complement<uint32_t>(n);
        run_case(
            b, all_cores, "sort", "u32 keys", n, bytes,
            [&] {
                std::copy(begin, end, out.begin());
                std::sort(std::execution::par_unseq, out.begin(), out.end());
            },
            out, wanted);
    }
}

// What Linux calls the processor; elsewhere the number of its threads has to do.
std::string processor()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos)
            return line.substr(line.find(": ") + 2);
    return std::to_string(std::thread::hardware_concurrency()) + " threads";
}

} // namespace

int main(int argc, char **argv)
{
    peer::bench b("std", {"scan", "reduce", "sort"}, argc, argv);
    const std::string device = processor();
    bench_place place = {};
    place.version = "C++17";
    place.device = device.c_str();
    place.platform = "host";
    place.driver = "none";
    b.print_head(place);
    b.time_copies = [&b](size_t n) { time_copies(b, n); };
    if (b.wants("scan")) {
        scan<uint32_t>(b, "u32 exclusive sum");
        scan<float>(b, "f32 exclusive sum");
        scan<int64_t>(b, "i64 exclusive sum");
    }
    if (b.wants("reduce"))
        reduce(b);
    if (b.wants("sort"))
        sort(b);
    return b.finish(place);
}
