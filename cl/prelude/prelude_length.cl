/* SPDX-License-Identifier: MIT
 * Reads the number of elements of a launch, which may be stored on the device. */
#include "prelude.cl"

/* Sets n = min(most, length[offset]), or most if length is NULL; `type` is an unsigned type. One
 * work-item reads and broadcasts, so that a concurrent write cannot make work-items diverge at a
 * barrier. Use it once in a kernel. */
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
