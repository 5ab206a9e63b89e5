/* SPDX-License-Identifier: MIT */
#include "mpi_segments.h"
#include <stdlib.h>
#include <string.h>

static size_t bytes_of(uint32_t kind, uint32_t type)
{
    return kind == XL_SEGMENTS_HEAD_FLAGS                            ? 1
           : kind == XL_SEGMENTS_FLAG_BITMASK                        ? 4
           : kind == XL_SEGMENTS_KEYS || kind == XL_SEGMENTS_OFFSETS ? xl_type_size((xl_type)type)
                                                                     : 0;
}

static void put(segments *s, size_t i, uint64_t value)
{
    const uint32_t word = (uint32_t)value;
    const uint16_t half = (uint16_t)value;
    const uint8_t byte = (uint8_t)value;
    const void *const from = s->bytes == 8   ? (const void *)&value
                             : s->bytes == 4 ? (const void *)&word
                             : s->bytes == 2 ? (const void *)&half
                                             : (const void *)&byte;
    memcpy((char *)s->array + i * s->bytes, from, s->bytes);
}

static uint64_t get(const segments *s, size_t i)
{
    uint64_t value = 0;
    uint32_t word = 0;
    if (s->bytes == 8)
        memcpy(&value, (char *)s->array + i * 8, 8);
    else
        memcpy(&word, (char *)s->array + i * s->bytes, s->bytes);
    return s->bytes == 8 ? value : word;
}

segments segments_draw(uint32_t kind, uint32_t type, size_t n, size_t mean, uint64_t *random)
{
    segments s = {.kind = kind, .type = type, .n = n, .bytes = bytes_of(kind, type)};
    size_t key = 0, count = 0;
    s.array = calloc(2 * n + 16, s.bytes ? s.bytes : 1);
    if (kind == XL_SEGMENTS_OFFSETS)
        put(&s, count++, 0);
    for (size_t i = 0; i < n && s.bytes > 0; ++i) {
        const bool head = mean > 0 && test_random(random) % mean == 0;
        key += head;
        if (kind == XL_SEGMENTS_HEAD_FLAGS)
            put(&s, i, head ? 1 + test_random(random) % 255 : 0);
        else if (kind == XL_SEGMENTS_FLAG_BITMASK)
            put(&s, i / 32, get(&s, i / 32) | (uint64_t)head << i % 32);
        else if (kind == XL_SEGMENTS_KEYS)
            put(&s, i, key * 77);
        for (size_t k = 0; kind == XL_SEGMENTS_OFFSETS && head && k < 2 && count < 2 * n + 8; ++k)
            if (i > 0 && (k == 0 || test_random(random) % 4 == 0))
                put(&s, count++, i);
    }
    if (kind == XL_SEGMENTS_FLAG_BITMASK && n % 32 > 0) /* bits behind the last have no effect */
        put(&s, n / 32, get(&s, n / 32) | ~((1u << n % 32) - 1));
    if (kind == XL_SEGMENTS_OFFSETS && n > 0 && mean > 0)
        put(&s, count++, n); /* an empty one at the end */
    if (kind == XL_SEGMENTS_OFFSETS)
        put(&s, count++, n);
    s.count = kind == XL_SEGMENTS_OFFSETS        ? count
              : kind == XL_SEGMENTS_FLAG_BITMASK ? (n + 31) / 32
              : s.bytes > 0                      ? n
                                                 : 0;
    return s;
}

/* The rank on which the segment that begins at `offset` begins. */
static int rank_of(size_t offset, int way, size_t n, bool early)
{
    int r = early ? 0 : test_size - 1;
    while (early ? test_begin(way, n, r + 1) < offset : test_begin(way, n, r) > offset)
        r += early ? 1 : -1;
    return r;
}

segments segments_part(const segments *whole, int way, int rank, bool early)
{
    const size_t begin = test_begin(way, whole->n, rank), end = test_begin(way, whole->n, rank + 1);
    segments s = {.kind = whole->kind,
                  .type = whole->type,
                  .n = end - begin,
                  .bytes = whole->bytes,
                  .array = calloc(whole->count + 16, whole->bytes ? whole->bytes : 1)};
    if (s.kind == XL_SEGMENTS_FLAG_BITMASK) {
        s.count = (s.n + 31) / 32;
        for (size_t i = 0; i < s.n; ++i) {
            const uint64_t bit = get(whole, (begin + i) / 32) >> (begin + i) % 32 & 1;
            put(&s, i / 32, get(&s, i / 32) | bit << i % 32);
        }
        if (s.n % 32 > 0) /* bits behind the last have no effect */
            put(&s, s.n / 32, get(&s, s.n / 32) | ~((1u << s.n % 32) - 1));
    } else if (s.kind == XL_SEGMENTS_OFFSETS) {
        for (size_t k = 0; k + 1 < whole->count; ++k)
            if (rank_of((size_t)get(whole, k), way, whole->n, early) == rank)
                put(&s, s.count++, get(whole, k) - begin);
        put(&s, s.count++, s.n);
    } else if (s.bytes > 0) {
        s.count = s.n;
        memcpy(s.array, (char *)whole->array + begin * s.bytes, s.n * s.bytes);
    }
    return s;
}

static bool is_head(const segments *s, size_t i, uint64_t width, uint64_t mask)
{
    if (i == 0)
        return true;
    switch (s->kind) {
    case XL_SEGMENTS_HEAD_FLAGS:
        return ((unsigned char *)s->array)[i] != 0;
    case XL_SEGMENTS_FLAG_BITMASK:
        return get(s, i / 32) >> i % 32 & 1;
    case XL_SEGMENTS_KEYS:
        return memcmp((char *)s->array + i * s->bytes, (char *)s->array + (i - 1) * s->bytes,
                      s->bytes) != 0;
    case XL_SEGMENTS_WIDTH:
        return i % width == 0;
    default:
        return i % width == 0 || mask >> i % width & 1;
    }
}

size_t segments_before(const segments *whole, int way, int rank, bool early, uint64_t width,
                       uint64_t mask)
{
    const size_t begin = test_begin(way, whole->n, rank);
    size_t count = 0;
    if (whole->kind == XL_SEGMENTS_OFFSETS) {
        for (size_t k = 0; k + 1 < whole->count; ++k)
            count += rank_of((size_t)get(whole, k), way, whole->n, early) < rank;
        return count;
    }
    for (size_t i = 0; i < begin; ++i)
        count += is_head(whole, i, width, mask);
    return count;
}

xl_view segments_view(const segments *part, cl_mem buffer)
{
    return part->bytes ? xl_view_n(buffer, 0, part->count) : xl_no_view();
}

void segments_free(segments *s)
{
    free(s->array);
    *s = (segments){0};
}
