// SPDX-License-Identifier: MIT
// Peers of the C++ standard library, on one core of the host.
#include "bench_std.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <vector>

double bench_std_exclusive_scan(const uint32_t *in, uint32_t *out, size_t n, unsigned runs)
{
    std::vector<double> times;
    for (unsigned run = 0; run < runs; ++run) {
        const auto start = std::chrono::steady_clock::now();
        std::exclusive_scan(in, in + n, out, uint32_t{0});
        const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - start;
        times.push_back(took.count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

double bench_std_topk(const uint32_t *in, uint32_t *out, size_t n, size_t k, int sorted,
                      unsigned runs)
{
    std::vector<double> times;
    for (unsigned run = 0; run < runs; ++run) {
        std::vector<uint32_t> keys(in, in + n);
        const auto start = std::chrono::steady_clock::now();
        const auto end = keys.begin() + static_cast<std::ptrdiff_t>(k);
        std::nth_element(keys.begin(), end - 1, keys.end(), std::greater<uint32_t>());
        if (sorted)
            std::sort(keys.begin(), end, std::greater<uint32_t>());
        std::copy(keys.begin(), end, out);
        const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - start;
        times.push_back(took.count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}
