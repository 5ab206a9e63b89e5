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

/* The same result by one work-item: a heap (Williams 1964), which takes n log n steps for any input.
 * LESS(a, b): whether the element in place a comes before that in place b; SWAP(a, b) exchanges
 * them. */
#define XL_HEAP_SORT(TYPE, n, LESS, SWAP)                                                          \
    for (TYPE made = (n) / 2, left = (n); left > 1;) {                                             \
        TYPE at = 0, child;                                                                        \
        if (made > 0) {                                                                            \
            at = --made;                                                                           \
        } else {                                                                                   \
            --left;                                                                                \
            SWAP(0, left);                                                                         \
        }                                                                                          \
        for (child = 2 * at + 1; child < left; child = 2 * at + 1) {                               \
            child += child + 1 < left && LESS(child, child + 1) ? 1 : 0;                           \
            if (!LESS(at, child))                                                                  \
                break;                                                                             \
            SWAP(at, child);                                                                       \
            at = child;                                                                            \
        }                                                                                          \
    }

#endif
