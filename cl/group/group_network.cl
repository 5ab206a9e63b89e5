/* SPDX-License-Identifier: MIT
 * A network of comparators that all point the same way (Batcher 1968), for any number of elements
 * in memory. It needs no padding: an element past the end would stay there. */
#ifndef XL_GROUP_NETWORK
#define XL_GROUP_NETWORK

#include "../prelude/prelude.cl"

/* One step over n elements, by a whole work-group. The step compares elements that are 2^log_gap
 * apart, in blocks of twice that length. The first step of a merge is mirrored: it compares
 * elements that are equally far from the middle of their block. COMPARE(low, high) does one pair.
 */
#define XL_NETWORK_STEP(TYPE, n, log_gap, mirrored, COMPARE)                                       \
    do {                                                                                           \
        const TYPE gap = (TYPE)1 << (log_gap);                                                     \
        const TYPE pairs = (((n) - (TYPE)1 >> ((log_gap) + 1)) + (TYPE)1) << (log_gap);            \
        for (TYPE pair = (TYPE)get_local_id(0); pair < pairs; pair += (TYPE)get_local_size(0)) {   \
            const TYPE at = pair & (gap - 1), block = (pair - at) * 2;                             \
            COMPARE(block + at, block + ((mirrored) ? 2 * gap - 1 - at : gap + at));               \
        }                                                                                          \
    } while (0)

/* The steps that make one order of two halves of 2^log_gap elements whose first, mirrored step is
 * done. */
#define XL_NETWORK_HALVES(TYPE, n, log_gap, COMPARE, BARRIER)                                      \
    for (uint half_log = (log_gap); half_log > 0; --half_log) {                                    \
        XL_NETWORK_STEP(TYPE, n, half_log - 1, false, COMPARE);                                    \
        BARRIER();                                                                                 \
    }

/* As many merges as n elements take. */
#define XL_NETWORK_SORT(TYPE, n, COMPARE, BARRIER)                                                 \
    for (uint merge = 0; 1UL << merge < (n); ++merge) {                                            \
        XL_NETWORK_STEP(TYPE, n, merge, true, COMPARE);                                            \
        BARRIER();                                                                                 \
        XL_NETWORK_HALVES(TYPE, n, merge, COMPARE, BARRIER)                                        \
    }

#endif
