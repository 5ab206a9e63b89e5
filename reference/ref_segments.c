/* SPDX-License-Identifier: MIT
 * The beginnings of segments, for each way to describe segments. */
#include "reference.h"

#include <string.h>

static uint64_t integer_at(const void *array, size_t bytes, size_t i)
{
    uint64_t x = 0;
    memcpy(&x, (const unsigned char *)array + i * bytes, bytes);
    return x;
}

void ref_heads(xl_segments kind, xl_type segment_type, uint64_t width, uint64_t mask,
               const void *segments, size_t count, size_t n, uint8_t *heads)
{
    const size_t bytes = ref_type_size(segment_type);
    memset(heads, 0, n);
    for (size_t i = 0; i < n; ++i) {
        const uint64_t at = width > 0 ? i % width : 0;
        if (kind == XL_SEGMENTS_HEAD_FLAGS)
            heads[i] = ((const uint8_t *)segments)[i] != 0;
        else if (kind == XL_SEGMENTS_FLAG_BITMASK)
            heads[i] = integer_at(segments, 4, i / 32) >> i % 32 & 1;
        else if (kind == XL_SEGMENTS_KEYS)
            heads[i] =
                i > 0 && integer_at(segments, bytes, i - 1) != integer_at(segments, bytes, i);
        else if (kind == XL_SEGMENTS_WIDTH)
            heads[i] = at == 0;
        else if (kind == XL_SEGMENTS_MASK)
            heads[i] = at == 0 || (mask >> at & 1);
    }
    if (kind == XL_SEGMENTS_OFFSETS)
        for (size_t s = 0; s < count; ++s) {
            const uint64_t at = integer_at(segments, bytes, s);
            if (at < n)
                heads[at] = 1;
        }
    if (n > 0)
        heads[0] = 1;
}

size_t ref_begins(xl_segments kind, xl_type segment_type, const void *segments, size_t count,
                  size_t n, const uint8_t *heads, uint64_t *begin)
{
    size_t found = 0;
    if (kind == XL_SEGMENTS_OFFSETS) {
        for (size_t s = 0; s < count; ++s)
            begin[s] = integer_at(segments, ref_type_size(segment_type), s);
        return count - 1;
    }
    for (size_t i = 0; i < n; ++i)
        if (i == 0 || (kind != XL_SEGMENTS_NONE && heads[i]))
            begin[found++] = i;
    if (n == 0 && kind == XL_SEGMENTS_NONE)
        begin[found++] = 0;
    begin[found] = n;
    return found;
}
