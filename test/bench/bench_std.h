/* SPDX-License-Identifier: MIT
 * Peers of the C++ standard library, on the host. */
#ifndef XL_BENCH_STD_H
#define XL_BENCH_STD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Median milliseconds of `runs` calls of std::exclusive_scan, on one core. */
double bench_std_exclusive_scan(const uint32_t *in, uint32_t *out, size_t n, unsigned runs);

/* Of the k largest by std::nth_element of a copy, which is not timed, and where asked for
 * std::sort of these; written to `out`. */
double bench_std_topk(const uint32_t *in, uint32_t *out, size_t n, size_t k, int sorted,
                      unsigned runs);

/* The same scan by the execution policy par_unseq, on every core; needs TBB to link. */
double bench_par_exclusive_scan(const uint32_t *in, uint32_t *out, size_t n, unsigned runs);

#ifdef __cplusplus
}
#endif

#endif
