/* SPDX-License-Identifier: MIT
 * Serial references of the self-test. */
#include "tool_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t reference_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static double random_float(uint64_t *state, bool for_sum)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1.0, -1.0};
    uint64_t r = reference_random(state);
    if (for_sum)
        return (double)(r >> 32 & 7) - 3;
    if ((r & 15) == 0)
        return odd[(r >> 4) % TOOL_COUNT(odd)];
    return (double)(r >> 11) * 0x1p-53 * 2000 - 1000;
}

void reference_fill(xl_type type, bool for_sum, uint64_t seed, size_t n, void *out)
{
    uint64_t state = seed * 2 + 1;
    size_t size = xl_type_size(type);
    char *at = out;
    for (size_t i = 0; i < n; ++i, at += size) {
        uint64_t bits = reference_random(&state);
        double wide = random_float(&state, for_sum);
        float narrow = (float)wide;
        uint32_t low = (uint32_t)(bits >> 32);
        if (type == XL_F32)
            memcpy(at, &narrow, size);
        else if (type == XL_F64)
            memcpy(at, &wide, size);
        else if (size == sizeof low)
            memcpy(at, &low, size);
        else
            memcpy(at, &bits, size);
    }
}

/* Sums are taken in T_SUM, unsigned for integers, so that they wrap. Of two equal
 * numbers the earlier stays; NaN is skipped. */
#define DEFINE_SCAN(NAME, T, T_SUM, LOWEST, HIGHEST)                                               \
    typedef T NAME##_element;                                                                      \
    typedef T_SUM NAME##_sum;                                                                      \
    static NAME##_element NAME##_combine(xl_op op, NAME##_element a, NAME##_element b)             \
    {                                                                                              \
        if (op == XL_SUM)                                                                          \
            return (NAME##_element)((NAME##_sum)a + (NAME##_sum)b);                                \
        bool a_is_nan = a != a;                                                                    \
        return a_is_nan || (op == XL_MIN ? b < a : b > a) ? b : a;                                 \
    }                                                                                              \
    static void NAME##_scan(xl_op op, bool inclusive, const NAME##_element *init,                  \
                            const NAME##_element *in, size_t n, NAME##_element *out)               \
    {                                                                                              \
        NAME##_element identity = op == XL_SUM ? 0 : (op == XL_MIN ? (HIGHEST) : (LOWEST));        \
        NAME##_element running = init ? *init : identity;                                          \
        for (size_t i = 0; i < n; ++i) {                                                           \
            NAME##_element next = NAME##_combine(op, running, in[i]);                              \
            out[i] = inclusive ? next : running;                                                   \
            running = next;                                                                        \
        }                                                                                          \
    }

DEFINE_SCAN(i32, int32_t, uint32_t, INT32_MIN, INT32_MAX)
DEFINE_SCAN(u32, uint32_t, uint32_t, 0, UINT32_MAX)
DEFINE_SCAN(i64, int64_t, uint64_t, INT64_MIN, INT64_MAX)
DEFINE_SCAN(u64, uint64_t, uint64_t, 0, UINT64_MAX)
DEFINE_SCAN(f32, float, float, -INFINITY, INFINITY)
DEFINE_SCAN(f64, double, double, -(double)INFINITY, (double)INFINITY)

void reference_scan(xl_type type, xl_op op, bool inclusive, const void *init, const void *in,
                    size_t n, void *out)
{
    switch ((int)type) {
    case XL_I32:
        i32_scan(op, inclusive, init, in, n, out);
        break;
    case XL_U32:
        u32_scan(op, inclusive, init, in, n, out);
        break;
    case XL_I64:
        i64_scan(op, inclusive, init, in, n, out);
        break;
    case XL_U64:
        u64_scan(op, inclusive, init, in, n, out);
        break;
    case XL_F32:
        f32_scan(op, inclusive, init, in, n, out);
        break;
    case XL_F64:
        f64_scan(op, inclusive, init, in, n, out);
        break;
    default:
        break;
    }
}

static bool is_nan(xl_type type, const void *element)
{
    float narrow;
    double wide;
    if (type == XL_F32) {
        memcpy(&narrow, element, sizeof narrow);
        return isnan(narrow);
    }
    if (type != XL_F64)
        return false;
    memcpy(&wide, element, sizeof wide);
    return isnan(wide);
}

bool reference_same(xl_type type, const void *a, const void *b)
{
    return memcmp(a, b, xl_type_size(type)) == 0 || (is_nan(type, a) && is_nan(type, b));
}

/* A key as a whole number whose order is the order of the keys. */
static uint64_t rank_of(xl_type type, const void *key)
{
    uint32_t low = 0;
    uint64_t rank = 0;
    memcpy(xl_type_size(type) == sizeof low ? (void *)&low : (void *)&rank, key,
           xl_type_size(type));
    if (type == XL_U64)
        return rank;
    if (type == XL_I32)
        return low ^ UINT32_C(0x80000000);
    if (type == XL_U32)
        return low;
    if (is_nan(type, key))
        return UINT64_MAX;
    return low & UINT32_C(0x80000000) ? (uint32_t)~low : low | UINT32_C(0x80000000);
}

typedef struct ranked {
    uint64_t rank;
    uint64_t bits;
} ranked;

static int compare_ranks(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

bool reference_sort(xl_type type, bool descending, size_t n, void *keys)
{
    size_t size = xl_type_size(type);
    ranked *list = calloc(n ? n : 1, sizeof *list);
    if (!list)
        return false;
    for (size_t i = 0; i < n; ++i) {
        list[i].rank = rank_of(type, (char *)keys + i * size);
        memcpy(&list[i].bits, (char *)keys + i * size, size);
    }
    qsort(list, n, sizeof *list, compare_ranks);
    for (size_t i = 0; i < n; ++i)
        memcpy((char *)keys + i * size, &list[descending ? n - 1 - i : i].bits, size);
    free(list);
    return true;
}

static bool is_neighbor(const reference_search *s, size_t i, size_t j)
{
    const float *p = s->xyz + 3 * i, *q = s->xyz + 3 * j, r2 = s->radius * s->radius;
    float dx = q[0] - p[0], dy = q[1] - p[1], dz = q[2] - p[2];
    float d2 = (dx * dx + dy * dy) + dz * dz;
    return i != j && (s->inclusive ? d2 <= r2 : d2 < r2);
}

void reference_neighbors(const reference_search *search, uint64_t *offsets, uint32_t **indices)
{
    uint64_t total = 0, room = 1024;
    uint32_t *list = malloc(room * sizeof *list);
    offsets[0] = 0;
    for (size_t i = 0; list && i < search->n; ++i) {
        if (room - total < search->n) {
            room = 2 * room + search->n;
            uint32_t *grown = realloc(list, room * sizeof *list);
            if (!grown)
                free(list);
            list = grown;
        }
        for (size_t j = 0; list && j < search->n; ++j)
            if (is_neighbor(search, i, j))
                list[total++] = (uint32_t)j;
        offsets[i + 1] = total;
    }
    *indices = list;
}
