/* SPDX-License-Identifier: MIT
 * How many elements a launch works on where that may stand on the device. */
#ifndef XL_PRELUDE_LENGTH
#define XL_PRELUDE_LENGTH

#include "prelude.cl"

/* `most`, or the number that `length`, which may be NULL, has at `offset`, if that is less. One
 * that somebody writes meanwhile must not be another for each work-item of a group, which would
 * part at barriers: they `share` it. Once in a kernel; where a work-item is alone share may be
 * NULL.
 */
ulong xl_length_read(ulong most, const __global ulong *length, ulong offset, __local ulong *share)
{
    if (!length)
        return most;
#if XL_SERIAL
    return min(most, length[offset]);
#else
    if (get_local_id(0) == 0)
        *share = min(most, length[offset]);
    xl_local_barrier();
    return *share;
#endif
}

/* The same in `n`, of an unsigned type. */
#if XL_SERIAL
#define XL_LENGTH_READ(type, n, most, length, offset)                                              \
    n = (type)xl_length_read(most, length, offset, (__local ulong *)0);
#else
#define XL_LENGTH_READ(type, n, most, length, offset)                                              \
    __local ulong shared_length;                                                                   \
    n = (type)xl_length_read(most, length, offset, &shared_length);
#endif

#endif
