/* SPDX-License-Identifier: MIT
 * Batcher's bitonic network (1968) with mirrored first steps, for any number of elements in memory.
 * All its comparators move the larger element up, so elements beyond the end would never move: no
 * padding is needed. */
#ifndef XL_GROUP_NETWORK
#define XL_GROUP_NETWORK

#include "../prelude/prelude.cl"

/* One step of the network over n elements, by a whole work-group. Compares elements that are a gap
 * of 2^log_gap apart in blocks of two gaps or, in the first step of a merge, mirrored in their
 * block. COMPARE(low, high) handles one pair. */
#define XL_NETWORK_STEP(TYPE, n, log_gap, mirrored, COMPARE)                                       \
    do {                                                                                           \
        const TYPE gap = (TYPE)1 << (log_gap);                                                     \
        const TYPE pairs = (((n) - (TYPE)1 >> ((log_gap) + 1)) + (TYPE)1) << (log_gap);            \
        for (TYPE pair = (TYPE)get_local_id(0); pair < pairs; pair += (TYPE)get_local_size(0)) {   \
            const TYPE at = pair & (gap - 1), block = (pair - at) * 2;                             \
            COMPARE(block + at, block + ((mirrored) ? 2 * gap - 1 - at : gap + at));               \
        }                                                                                          \
    } while (0)

/* The rest of a merge into blocks of 2^(log_gap + 1) elements, after its mirrored step. */
#define XL_NETWORK_HALVES(TYPE, n, log_gap, COMPARE, BARRIER)                                      \
    for (uint half_log = (log_gap); half_log > 0; --half_log) {                                    \
        XL_NETWORK_STEP(TYPE, n, half_log - 1, false, COMPARE);                                    \
        BARRIER();                                                                                 \
    }

/* All merges for n elements. */
#define XL_NETWORK_SORT(TYPE, n, COMPARE, BARRIER)                                                 \
    for (uint merge = 0; 1UL << merge < (n); ++merge) {                                            \
        XL_NETWORK_STEP(TYPE, n, merge, true, COMPARE);                                            \
        BARRIER();                                                                                 \
        XL_NETWORK_HALVES(TYPE, n, merge, COMPARE, BARRIER)                                        \
    }

#endif
