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

/* An element of any type: of integers what two's complement of 64 bits has. */
typedef struct number {
    uint64_t bits;
    double real;
} number;

static bool is_float(xl_type type)
{
    return type == XL_F16 || type == XL_F32 || type == XL_F64;
}

static bool is_signed(xl_type type)
{
    return type == XL_I8 || type == XL_I16 || type == XL_I32 || type == XL_I64;
}

static number get(xl_type type, const void *at)
{
    number x = {0, 0};
    union {
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
        float f32;
        double f64;
    } e = {0};
    const size_t size = xl_type_size(type);
    memcpy(&e, at, size);
    x.bits = size == 1 ? e.u8 : size == 2 ? e.u16 : size == 4 ? e.u32 : e.u64;
    if (is_signed(type) && x.bits >> (8 * size - 1) & 1)
        x.bits |= ~(UINT64_MAX >> (64 - 8 * size));
    if (is_float(type))
        x.real = type == XL_F16 ? half_value(e.u16) : type == XL_F32 ? (double)e.f32 : e.f64;
    return x;
}

static void put(xl_type type, number x, void *at)
{
    const uint8_t u8 = (uint8_t)x.bits;
    const uint16_t u16 = is_float(type) ? half_of(x.real) : (uint16_t)x.bits;
    const uint32_t u32 = (uint32_t)x.bits;
    const float f32 = (float)x.real;
    const void *from = &x.bits;
    const size_t size = xl_type_size(type);
    if (size == 1)
        from = &u8;
    else if (size == 2)
        from = &u16;
    else if (size == 4)
        from = is_float(type) ? (const void *)&f32 : &u32;
    else if (is_float(type))
        from = &x.real;
    memcpy(at, from, size);
}

void reference_whole(xl_type type, int value, void *out)
{
    put(type, (number){(uint64_t)(int64_t)value, value}, out);
}

static double random_float(xl_type type, xl_op op, uint64_t r, size_t i)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1.0, -1.0};
    if (op == XL_SUM)
        return type == XL_F16 ? (double)(r >> 32 & 1) - (double)(r >> 33 & 1)
                              : (double)(r >> 32 & 7) - 3;
    if (op == XL_PROD)
        return (i % 1024 == 5 && type != XL_F16 ? 2 : 1) * (r >> 32 & 1 ? 1.0 : -1.0);
    if ((r & 15) == 0)
        return odd[(r >> 4) % TOOL_COUNT(odd)];
    return (double)(r >> 11) * 0x1p-53 * 2000 - 1000;
}

void reference_fill(xl_type type, xl_op op, uint64_t seed, size_t n, void *out)
{
    uint64_t state = seed * 2 + 1;
    const size_t size = xl_type_size(type);
    for (size_t i = 0; i < n; ++i) {
        number x = {reference_random(&state) >> (64 - 8 * size), 0};
        if (is_float(type))
            x.real = random_float(type, op, reference_random(&state), i);
        if (op == XL_PROD) /* else few products but 0 */
            x.bits |= 1;
        put(type, x, (char *)out + i * size);
    }
}

/* Of two equal numbers the earlier stays; NaN is skipped. */
static bool is_less(xl_type type, number a, number b)
{
    if (is_float(type))
        return a.real < b.real;
    return is_signed(type) ? (int64_t)a.bits < (int64_t)b.bits : a.bits < b.bits;
}

static number combine(xl_type type, xl_op op, number a, number b)
{
    const bool bare = is_float(type) && isnan(a.real);
    switch ((int)op) {
    case XL_SUM:
        return (number){a.bits + b.bits, a.real + b.real};
    case XL_PROD:
        return (number){a.bits * b.bits, a.real * b.real};
    case XL_MIN:
        return bare || is_less(type, b, a) ? b : a;
    case XL_MAX:
        return bare || is_less(type, a, b) ? b : a;
    case XL_AND:
        return (number){a.bits & b.bits, 0};
    case XL_OR:
        return (number){a.bits | b.bits, 0};
    default:
        return (number){a.bits ^ b.bits, 0};
    }
}

static number identity_of(xl_type type, xl_op op)
{
    const uint64_t ones = UINT64_MAX >> (64 - 8 * xl_type_size(type));
    const uint64_t highest = is_signed(type) ? ones >> 1 : ones;
    switch ((int)op) {
    case XL_PROD:
        return (number){1, 1};
    case XL_MIN:
        return (number){highest, INFINITY};
    case XL_MAX:
        return (number){is_signed(type) ? ~highest : 0, -(double)INFINITY};
    case XL_AND:
        return (number){UINT64_MAX, 0};
    default:
        return (number){0, 0};
    }
}

void reference_scan(const reference_flat *what, const reference_cuts *cuts, const void *in,
                    void *out)
{
    const xl_type type = what->type;
    const size_t size = xl_type_size(type);
    for (size_t s = 0; s < cuts->count; ++s) {
        number running = what->init ? get(type, what->init) : identity_of(type, what->op);
        for (size_t i = cuts->at[s]; i < cuts->at[s + 1]; ++i) {
            const number x = get(type, (const char *)in + i * size);
            const number next = combine(type, what->op, running, x);
            put(type, what->inclusive ? next : running, (char *)out + i * size);
            running = next;
        }
    }
}

static uint64_t arg_of(const reference_flat *what, const void *in, size_t from, size_t end)
{
    const xl_type type = what->type;
    const size_t size = xl_type_size(type);
    uint64_t best = UINT64_MAX;
    number least = {0, 0};
    for (size_t i = from; i < end; ++i) {
        const number x = get(type, (const char *)in + i * size);
        const bool before =
            what->op == XL_ARG_MIN ? is_less(type, x, least) : is_less(type, least, x);
        if ((is_float(type) && isnan(x.real)) || (best != UINT64_MAX && !before))
            continue;
        least = x;
        best = i;
    }
    return best;
}

void reference_reduce(const reference_flat *what, const reference_cuts *cuts, const void *in,
                      void *out)
{
    const xl_type type = what->type;
    const size_t size = xl_type_size(type);
    const bool arg = what->op == XL_ARG_MIN || what->op == XL_ARG_MAX;
    for (size_t s = 0; s < cuts->count; ++s) {
        if (arg) {
            ((uint64_t *)out)[s] = arg_of(what, in, cuts->at[s], cuts->at[s + 1]);
            continue;
        }
        number sum = what->init ? get(type, what->init) : identity_of(type, what->op);
        for (size_t i = cuts->at[s]; i < cuts->at[s + 1]; ++i)
            sum = combine(type, what->op, sum, get(type, (const char *)in + i * size));
        put(type, sum, (char *)out + s * size);
    }
}

void reference_fill_rounding(size_t n, float *out)
{
    uint64_t state = 77;
    for (size_t i = 0; i < n; ++i) {
        const uint64_t r = reference_random(&state);
        out[i] = ldexpf((float)(int32_t)(r >> 40) - 0x1p23f, (int)(r & 31) - 30);
    }
}

uint64_t reference_hash(size_t n, const float *x)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; ++i) {
        uint32_t bits;
        const float signless = x[i] == 0 ? 0 : x[i];
        memcpy(&bits, &signless, sizeof bits);
        for (unsigned k = 0; k < 32; k += 8)
            hash = (hash ^ (bits >> k & 255)) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* Whether a segment begins at element i: short and long ones by turns. */
static bool is_head(const reference_cuts *c, size_t i, uint64_t r)
{
    if (c->form == XL_SEGMENTS_NONE || i == 0)
        return i == 0;
    if (c->form == XL_SEGMENTS_WIDTH)
        return i % c->width == 0;
    if (c->form == XL_SEGMENTS_MASK)
        return i % c->width == 0 || (c->mask >> i % c->width & 1);
    return r % (i % 8192 < 3000 ? 3 : 2500) == 0;
}

static void note_head(const reference_cuts *c, size_t i, bool head, uint64_t r, int16_t *key)
{
    const bool marked = head && (i > 0 || r & 1); /* the first begins one without a mark, too */
    *key = (int16_t)(*key + (head ? 1 + (int)(r >> 20 & 63) : 0));
    if (c->form == XL_SEGMENTS_HEAD_FLAGS)
        ((uint8_t *)c->array)[i] = marked ? (uint8_t)(1 + (r >> 40 & 127)) : 0;
    if (c->form == XL_SEGMENTS_FLAG_BITMASK)
        ((uint32_t *)c->array)[i / 32] |= (uint32_t)marked << i % 32;
    if (c->form == XL_SEGMENTS_KEYS)
        ((int16_t *)c->array)[i] = *key;
}

/* Every segment that r says is preceded by one or two empty ones. */
static void add_segment(reference_cuts *c, size_t i, uint64_t r)
{
    const bool empty = c->form == XL_SEGMENTS_OFFSETS && (r >> 50 & 3) == 0;
    for (size_t k = empty ? 1 + (r >> 52 & 1) : 0; k > 0; --k)
        c->at[c->count++] = i;
    c->at[c->count++] = i;
}

static bool store_offsets(reference_cuts *c)
{
    uint32_t *offsets = malloc((c->count + 1) * sizeof *offsets);
    free(c->array);
    c->array = offsets;
    c->array_count = c->count + 1;
    c->array_bytes = c->array_count * sizeof *offsets;
    for (size_t s = 0; offsets && s <= c->count; ++s)
        offsets[s] = (uint32_t)c->at[s];
    return offsets != NULL;
}

bool reference_cut(xl_segments form, size_t n, reference_cuts *cuts)
{
    uint64_t state = n + 29;
    int16_t key = -300;
    const size_t item = form == XL_SEGMENTS_HEAD_FLAGS ? 1 : form == XL_SEGMENTS_KEYS ? 2 : 4;
    *cuts = (reference_cuts){.form = form, .type = XL_NONE};
    if (form == XL_SEGMENTS_WIDTH)
        cuts->width = 37;
    if (form == XL_SEGMENTS_MASK) {
        cuts->width = 24;
        cuts->mask = 0xff840420; /* bits past the width count for nothing */
    }
    if (form == XL_SEGMENTS_KEYS || form == XL_SEGMENTS_OFFSETS)
        cuts->type = form == XL_SEGMENTS_KEYS ? XL_I16 : XL_U32;
    if (form != XL_SEGMENTS_NONE && form < XL_SEGMENTS_WIDTH) {
        cuts->array_count = form == XL_SEGMENTS_FLAG_BITMASK ? (n + 31) / 32 : n;
        cuts->array_bytes = cuts->array_count * item;
        cuts->array = calloc(cuts->array_count + 1, item);
    }
    cuts->at = calloc(3 * n + 4, sizeof *cuts->at);
    if (!cuts->at || (cuts->array_bytes && !cuts->array))
        return false;
    for (size_t i = 0; i < n; ++i) {
        const uint64_t r = reference_random(&state);
        const bool head = is_head(cuts, i, r);
        note_head(cuts, i, head, r, &key);
        if (head)
            add_segment(cuts, i, r);
    }
    if (form == XL_SEGMENTS_OFFSETS || (form == XL_SEGMENTS_NONE && n == 0))
        cuts->at[cuts->count++] = n; /* an empty one in the end */
    cuts->at[cuts->count] = n;
    return form != XL_SEGMENTS_OFFSETS || store_offsets(cuts);
}

void reference_cuts_free(reference_cuts *cuts)
{
    free(cuts->array);
    free(cuts->at);
    *cuts = (reference_cuts){.form = XL_SEGMENTS_NONE};
}

static bool is_nan(xl_type type, const void *element)
{
    return is_float(type) && isnan(get(type, element).real);
}

bool reference_same(xl_type type, const void *a, const void *b)
{
    return memcmp(a, b, xl_type_size(type)) == 0 || (is_nan(type, a) && is_nan(type, b));
}

static bool is_zero(xl_type type, const void *element)
{
    return is_float(type) && get(type, element).real == 0;
}

bool reference_same_sum(xl_type type, const void *a, const void *b)
{
    return reference_same(type, a, b) || (is_zero(type, a) && is_zero(type, b));
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
