/* SPDX-License-Identifier: MIT
 * How many elements a launch works on where that may stand on the device. */
#include "prelude.cl"

/* Makes `n`, of an unsigned type, that number: `most`, or the one that `length`, which may be 0,
 * has at `offset`, if that is less. A number that somebody writes meanwhile must not be another
 * for each work-item of a group: they would part at barriers. Once in a kernel. */
#if XL_SERIAL
#define XL_LENGTH_READ(type, n, most, length, offset)                                              \
    n = length ? (type)min((ulong)most, length[offset]) : most;
#else
#define XL_LENGTH_READ(type, n, most, length, offset)                                              \
    __local type shared_length;                                                                    \
    n = most;                                                                                      \
    if (length) {                                                                                  \
        if (get_local_id(0) == 0)                                                                  \
            shared_length = (type)min((ulong)most, length[offset]);                                \
        xl_local_barrier();                                                                        \
        n = shared_length;                                                                         \
    }
#endif
