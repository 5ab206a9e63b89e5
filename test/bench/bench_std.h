/* SPDX-License-Identifier: MIT
 * Peers of the C++ standard library, on the host. */
#ifndef XL_BENCH_STD_H
#define XL_BENCH_STD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A function that needs this library, or NULL if the benchmark is built without a C++ compiler. */
#ifdef BENCH_HAS_STD
#define BENCH_STD(function) (function)
#else
#define BENCH_STD(function) NULL
#endif

/* Median milliseconds of `runs` calls of std::exclusive_scan, on one core. */
double bench_std_exclusive_scan(const uint32_t *in, uint32_t *out, size_t n, unsigned runs);

/* Writes the k largest to `out`: std::nth_element of a copy, which is not timed, then std::sort if
 * it is asked for. */
double bench_std_top_k(const uint32_t *in, uint32_t *out, size_t n, size_t k, int sorted,
                       unsigned runs);

/* Of std::copy_if of the numbers below a limit, and of std::unique_copy. */
double bench_std_copy_if(const uint32_t *in, uint32_t *out, size_t n, uint32_t limit,
                         unsigned runs);
double bench_std_unique_copy(const uint32_t *in, uint32_t *out, size_t n, unsigned runs);

/* The same scan by the execution policy par_unseq, on every core; needs TBB to link. */
double bench_par_exclusive_scan(const uint32_t *in, uint32_t *out, size_t n, unsigned runs);

/* The same for std::merge of keys or, by the number of an xl_merge_operation, std::set_union,
 * std::set_intersection and std::set_difference; and for std::merge of pairs by their keys. */
typedef struct bench_std_pair {
    uint32_t key, value;
} bench_std_pair;
double bench_std_merge(int operation, const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b,
                       uint32_t *out, unsigned runs);
double bench_std_merge_pairs(const bench_std_pair *a, size_t n_a, const bench_std_pair *b,
                             size_t n_b, bench_std_pair *out, unsigned runs);

/* The same of a std::lower_bound for each query. */
double bench_std_lower_bound(const uint32_t *keys, size_t n, const uint32_t *queries,
                             size_t num_queries, uint32_t *places, unsigned runs);

#ifdef __cplusplus
}
#endif

#endif
