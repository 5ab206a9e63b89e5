// SPDX-License-Identifier: MIT
// The peer of the C++ standard library on every core of the host.
#include "bench_std.h"

#include <algorithm>
#include <chrono>
#include <execution>
#include <numeric>
#include <vector>

double bench_par_exclusive_scan(const uint32_t *in, uint32_t *out, size_t n, unsigned runs)
{
    std::vector<double> times;
    for (unsigned run = 0; run < runs; ++run) {
        const auto start = std::chrono::steady_clock::now();
        std::exclusive_scan(std::execution::par_unseq, in, in + n, out, uint32_t{0});
        const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - start;
        times.push_back(took.count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}
