// SPDX-License-Identifier: MIT
// Peers of the C++ standard library, on one core of the host or on all.
#include "bench_std.h"

#include <algorithm>
#include <chrono>
#ifdef BENCH_HAS_PAR
#include <execution>
#endif
#include <functional>
#include <numeric>
#include <vector>

static void nothing()
{
}

// `before` is not timed.
template <typename Call, typename Before = void (*)()>
static double median_ms(unsigned runs, Call call, Before before = nothing)
{
    std::vector<double> times;
    for (unsigned run = 0; run < runs; ++run) {
        before();
        const auto start = std::chrono::steady_clock::now();
        call();
        const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - start;
        times.push_back(took.count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

double bench_std_top_k(const uint32_t *in, uint32_t *out, size_t n, size_t k, int sorted,
                       unsigned runs)
{
    std::vector<uint32_t> keys(n);
    return median_ms(
        runs,
        [&] {
            const auto end = keys.begin() + static_cast<std::ptrdiff_t>(k);
            std::nth_element(keys.begin(), end - 1, keys.end(), std::greater<uint32_t>());
            if (sorted)
                std::sort(keys.begin(), end, std::greater<uint32_t>());
            std::copy(keys.begin(), end, out);
        },
        [&] { keys.assign(in, in + n); });
}

double bench_std_exclusive_scan(const uint32_t *in, uint32_t *out, size_t n, unsigned runs)
{
    return median_ms(runs, [=] { std::exclusive_scan(in, in + n, out, uint32_t{0}); });
}

#ifdef BENCH_HAS_PAR
double bench_par_exclusive_scan(const uint32_t *in, uint32_t *out, size_t n, unsigned runs)
{
    return median_ms(runs, [=] {
        std::exclusive_scan(std::execution::par_unseq, in, in + n, out, uint32_t{0});
    });
}
#endif

double bench_std_merge(int operation, const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b,
                       uint32_t *out, unsigned runs)
{
    return median_ms(runs, [=] {
        if (operation == 0)
            std::merge(a, a + n_a, b, b + n_b, out);
        else if (operation == 1)
            std::set_union(a, a + n_a, b, b + n_b, out);
        else if (operation == 2)
            std::set_intersection(a, a + n_a, b, b + n_b, out);
        else
            std::set_difference(a, a + n_a, b, b + n_b, out);
    });
}

double bench_std_merge_pairs(const bench_std_pair *a, size_t n_a, const bench_std_pair *b,
                             size_t n_b, bench_std_pair *out, unsigned runs)
{
    return median_ms(runs, [=] {
        std::merge(a, a + n_a, b, b + n_b, out,
                   [](const bench_std_pair &x, const bench_std_pair &y) { return x.key < y.key; });
    });
}

double bench_std_lower_bound(const uint32_t *keys, size_t n, const uint32_t *queries,
                             size_t num_queries, uint32_t *places, unsigned runs)
{
    return median_ms(runs, [=] {
        for (size_t i = 0; i < num_queries; ++i)
            places[i] = static_cast<uint32_t>(std::lower_bound(keys, keys + n, queries[i]) - keys);
    });
}

double bench_std_copy_if(const uint32_t *in, uint32_t *out, size_t n, uint32_t limit, unsigned runs)
{
    return median_ms(runs,
                     [=] { std::copy_if(in, in + n, out, [=](uint32_t x) { return x < limit; }); });
}

double bench_std_unique_copy(const uint32_t *in, uint32_t *out, size_t n, unsigned runs)
{
    return median_ms(runs, [=] { std::unique_copy(in, in + n, out); });
}
