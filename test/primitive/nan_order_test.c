/* SPDX-License-Identifier: MIT
 * The order of NaN by explicit payloads of both signs, in every primitive that orders keys:
 * positive NaN after +inf, with rising payloads, then negative NaN with falling payloads. */
#include "xlt.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
enum { KEYS = 14, COPIES = 3, N = KEYS * COPIES };

/* In ascending order. */
typedef struct row {
    xl_type type;
    uint64_t keys[KEYS];
} row;
static const row rows[] = {
    {XL_F16,
     {0xfc00, 0xbc00, 0x8000, 0x0000, 0x3c00, 0x7c00, 0x7c01, 0x7dff, 0x7e00, 0x7fff, 0xffff,
      0xfe00, 0xfdff, 0xfc01}},
    {XL_F32,
     {0xff800000, 0xbf800000, 0x80000000, 0x00000000, 0x3f800000, 0x7f800000, 0x7f800001,
      0x7fbfffff, 0x7fc00000, 0x7fffffff, 0xffffffff, 0xffc00000, 0xffbfffff, 0xff800001}},
    {XL_F64,
     {0xfff0000000000000, 0xbff0000000000000, 0x8000000000000000, 0x0000000000000000,
      0x3ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000001, 0x7ff7ffffffffffff,
      0x7ff8000000000000, 0x7fffffffffffffff, 0xffffffffffffffff, 0xfff8000000000000,
      0xfff7ffffffffffff, 0xfff0000000000001}}};

/* Element i of an array of keys, the lowest byte first. */
static void put(unsigned char *keys, size_t i, size_t bytes, uint64_t key)
{
    for (size_t k = 0; k < bytes; ++k)
        keys[i * bytes + k] = (unsigned char)(key >> (8 * k));
}

/* Key i of the array to be ordered, as a place in the row: every key comes COPIES times. */
static size_t place_of(size_t i)
{
    return i * 11 % N / COPIES;
}

static size_t ordered_place_of(size_t i, uint32_t order)
{
    return (order == XL_DESCENDING ? N - 1 - i : i) / COPIES;
}

typedef struct scene {
    const row *row;
    uint32_t order;
    size_t bytes;
    unsigned char keys[N * 8], ordered[N * 8];
    xlt_buffer in, out;
} scene;

static scene scene_make(const row *r, uint32_t order)
{
    scene s = {.row = r, .order = order, .bytes = xl_type_size(r->type)};
    for (size_t i = 0; i < N; ++i) {
        put(s.keys, i, s.bytes, r->keys[place_of(i)]);
        put(s.ordered, i, s.bytes, r->keys[ordered_place_of(i, order)]);
    }
    s.in = xlt_buffer_make(s.keys, N, s.bytes, 0);
    s.out = xlt_buffer_make(NULL, N, s.bytes, 0);
    return s;
}

static void scene_check(scene *s, const char *what, size_t first, size_t n)
{
    unsigned char got[N * 8];
    xlt_read(&s->out, got);
    if (memcmp(got, s->ordered + first * s->bytes, n * s->bytes) != 0)
        XLT_FAIL("%s of %s, order %u", what, xl_type_name(s->row->type), (unsigned)s->order);
}

static void scene_free(scene *s)
{
    xlt_buffer_free(&s->in);
    xlt_buffer_free(&s->out);
}

static void each_scene(void (*check)(scene *))
{
    for (size_t k = 0; k < COUNT(rows); ++k)
        for (uint32_t order = XL_ASCENDING; order <= XL_DESCENDING; ++order) {
            if (xlt_few_programs() && (k + order) % 2 == 0)
                continue;
            scene s = scene_make(&rows[k], order);
            check(&s);
            scene_free(&s);
        }
}

/* ---- sorts ---- */

static void sort_by(scene *s, uint32_t algorithm, uint32_t segments)
{
    xl_sort *plan;
    xl_sort_desc desc;
    const uint32_t zero = 0;
    xlt_buffer offsets = xlt_buffer_make(&zero, 1, 4, 0);
    xl_sort_desc_init(&desc);
    desc.key = s->row->type;
    desc.order = s->order;
    desc.algorithm = algorithm;
    desc.segments = segments;
    desc.segment_type = segments == XL_SEGMENTS_NONE ? XL_NONE : XL_U32;
    const xl_status status = xl_sort_create(xlt_context(), &desc, &plan);
    if (status == XL_ERROR_UNSUPPORTED && algorithm == XL_SORT_RADIX) {
        xlt_buffer_free(&offsets);
        return; /* the device has no radix sort */
    }
    XLT_OK(status);
    xl_sort_args args = {.n = N, .keys_in = xlt_view(&s->in), .keys_out = xlt_view(&s->out)};
    if (segments != XL_SEGMENTS_NONE) {
        args.segments = xlt_view(&offsets);
        args.segments.count = 1;
    }
    XLT_OK(xl_sort_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
    scene_check(s, "a sort", 0, N);
    xl_sort_destroy(plan);
    xlt_buffer_free(&offsets);
}

static void sort_scene(scene *s)
{
    sort_by(s, XL_SORT_BITONIC, XL_SEGMENTS_NONE);
    sort_by(s, XL_SORT_RADIX, XL_SEGMENTS_NONE);
    sort_by(s, XL_SORT_AUTO, XL_SEGMENTS_OFFSETS);
}

static void sorts(void **state)
{
    (void)state;
    each_scene(sort_scene);
}

/* ---- the first k: of the largest the last key comes first ---- */

static void topk_scene(scene *s)
{
    enum { K = 5 * COPIES };
    xl_topk *plan;
    xl_topk_desc desc;
    xl_topk_desc_init(&desc);
    desc.key = s->row->type;
    desc.largest = s->order == XL_DESCENDING;
    desc.sorted = 1;
    XLT_OK(xl_topk_create(xlt_context(), &desc, &plan));
    const xl_topk_args args = {
        .n = N, .k = K, .keys_in = xlt_view(&s->in), .keys_out = xlt_view(&s->out)};
    XLT_OK(xl_topk_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
    scene_check(s, "a selection", 0, K);
    xl_topk_destroy(plan);
}

static void selections(void **state)
{
    (void)state;
    each_scene(topk_scene);
}

/* ---- merges and searches, of keys in order ---- */

/* Every other key is in a, the rest in b. */
static void merge_scene(scene *s)
{
    xl_merge *plan;
    xl_merge_desc desc;
    unsigned char halves[2][N / 2 * 8];
    for (size_t i = 0; i < N; ++i)
        memcpy(halves[i % 2] + i / 2 * s->bytes, s->ordered + i * s->bytes, s->bytes);
    xlt_buffer a = xlt_buffer_make(halves[0], N / 2, s->bytes, 0);
    xlt_buffer b = xlt_buffer_make(halves[1], N / 2, s->bytes, 0);
    xl_merge_desc_init(&desc);
    desc.key = s->row->type;
    desc.order = s->order;
    XLT_OK(xl_merge_create(xlt_context(), &desc, &plan));
    const xl_merge_args args = {.n_a = N / 2,
                                .n_b = N / 2,
                                .keys_a = xlt_view(&a),
                                .keys_b = xlt_view(&b),
                                .keys_out = xlt_view(&s->out)};
    XLT_OK(xl_merge_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
    scene_check(s, "a merge", 0, N);
    xl_merge_destroy(plan);
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
}

static void merges(void **state)
{
    (void)state;
    each_scene(merge_scene);
}

/* Each key of the row is before its COPIES equal ones, and after those of the keys before it. */
static void search_scene(scene *s)
{
    unsigned char queries[KEYS * 8];
    for (size_t i = 0; i < KEYS; ++i)
        put(queries, i, s->bytes, s->row->keys[i]);
    xlt_buffer keys = xlt_buffer_make(s->ordered, N, s->bytes, 0);
    xlt_buffer asked = xlt_buffer_make(queries, KEYS, s->bytes, 0);
    xlt_buffer places = xlt_buffer_make(NULL, KEYS, 4, 0);
    for (uint32_t kind = XL_SEARCH_LOWER; kind <= XL_SEARCH_UPPER; ++kind) {
        xl_search *plan;
        xl_search_desc desc;
        uint32_t got[KEYS];
        xl_search_desc_init(&desc);
        desc.key = s->row->type;
        desc.order = s->order;
        desc.kind = kind;
        desc.index = XL_U32;
        XLT_OK(xl_search_create(xlt_context(), &desc, &plan));
        const xl_search_args args = {.n = N,
                                     .keys = xlt_view(&keys),
                                     .num_queries = KEYS,
                                     .queries = xlt_view(&asked),
                                     .indices_out = xlt_view(&places)};
        XLT_OK(xl_search_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
        xlt_read(&places, got);
        for (size_t i = 0; i < KEYS; ++i) {
            const size_t before = s->order == XL_DESCENDING ? KEYS - 1 - i : i;
            const size_t wanted = COPIES * (before + (kind == XL_SEARCH_UPPER ? 1 : 0));
            if (got[i] != wanted)
                XLT_FAIL("%s, order %u: key %zu is searched at %u", xl_type_name(s->row->type),
                         (unsigned)s->order, i, (unsigned)got[i]);
        }
        xl_search_destroy(plan);
    }
    xlt_buffer_free(&keys);
    xlt_buffer_free(&asked);
    xlt_buffer_free(&places);
}

static void searches(void **state)
{
    (void)state;
    each_scene(search_scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts),
        cmocka_unit_test(selections),
        cmocka_unit_test(merges),
        cmocka_unit_test(searches),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
