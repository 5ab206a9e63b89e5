/* SPDX-License-Identifier: MIT
 * Sorts by comparators: keys of one byte to half a kilobyte, built in and of the user's own, with
 * values of every kind, and these alone, in both shapes; comparators that are no order; what the
 * descriptor refuses.
 */
#include "sort_trial.h"
#include "xlt_misuse.h"

#include <crosslane/plan_info.h>

#include <stdlib.h>
#include <string.h>

/* ---- orders, here and on the device ---------------------------------------------- */

typedef struct order {
    const char *name;
    uint32_t key;
    const xl_user_type *type;
    xl_user_comparator comparator;
    /* Makes a key of few distinct ones from a random number, and compares two. */
    void (*fill)(void *key, uint64_t number);
    bool (*before)(const void *a, const void *b);
} order;

static void fill_float(void *key, uint64_t number)
{
    const float x = (float)(number % 101) - 50;
    memcpy(key, &x, sizeof x);
}

/* The largest magnitude first: numbers of both signs are equal and stay in order. */
static bool float_before(const void *a, const void *b)
{
    float x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x < 0 ? -x : x) > (y < 0 ? -y : y);
}

typedef struct bytes3 {
    uint8_t mass, red, green;
} bytes3;

static void fill_bytes(void *key, uint64_t number)
{
    const bytes3 k = {(uint8_t)(number >> 8), (uint8_t)(number % 3), (uint8_t)(number >> 16)};
    memcpy(key, &k, sizeof k);
}

static bool bytes_before(const void *a, const void *b)
{
    const bytes3 *x = a, *y = b;
    return x->red != y->red ? x->red < y->red : x->mass % 7 > y->mass % 7;
}

/* With holes: what lies in them goes along. */
typedef struct particle {
    double x;
    uint8_t kind;
    float y;
    uint32_t cell;
    int16_t id;
} particle;

static void fill_particle(void *key, uint64_t number)
{
    particle p;
    memset(&p, (int)(number >> 40 & 0xff), sizeof p);
    p.kind = (uint8_t)(number % 5);
    p.y = (float)(number >> 3 & 15) / 4;
    p.cell = (uint32_t)(number >> 7 & 1);
    memcpy(key, &p, sizeof p);
}

static bool particle_before(const void *a, const void *b)
{
    const particle *p = a, *q = b;
    return p->cell != q->cell ? p->cell < q->cell : p->y < q->y;
}

static void fill_pair(void *key, uint64_t number)
{
    const uint32_t pair[2] = {(uint32_t)(number % 6), (uint32_t)(number >> 8 & 3)};
    memcpy(key, pair, sizeof pair);
}

static bool pair_before(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return x[1] != y[1] ? x[1] < y[1] : x[0] < y[0];
}

static void fill_long(void *key, uint64_t number)
{
    uint32_t words[127];
    for (size_t i = 0; i < 127; ++i)
        words[i] = (uint32_t)(number >> i % 40);
    words[100] = (uint32_t)(number % 9);
    memcpy(key, words, sizeof words);
}

static bool long_before(const void *a, const void *b)
{
    return ((const uint32_t *)a)[100] < ((const uint32_t *)b)[100];
}

static const xl_user_type bytes_type = {"bytes3", sizeof(bytes3), 1,
                                        "typedef struct { uchar mass, red, green; } bytes3;"};
static const xl_user_type particle_type = {
    "particle", sizeof(particle), 8,
    "typedef struct { ulong x; uchar kind; float y; uint cell; short id; } particle;"};
static const xl_user_type long_type = {"record", 508, 4,
                                       "typedef struct { uint words[127]; } record;"};

static const order orders[] = {
    {"magnitudes",
     XL_F32,
     NULL,
     {"above", "bool above(float a, float b) { return fabs(a) > fabs(b); }"},
     fill_float,
     float_before},
    {"three bytes",
     XL_USER_TYPE,
     &bytes_type,
     {"redder", "int redder(bytes3 a, bytes3 b)\n"
                "{ return a.red != b.red ? a.red < b.red : a.mass % 7 > b.mass % 7; }"},
     fill_bytes,
     bytes_before},
    {"particles",
     XL_USER_TYPE,
     &particle_type,
     {"lower", "bool lower(particle a, particle b)\n"
               "{ if (a.cell != b.cell) return a.cell < b.cell; return a.y < b.y; }"},
     fill_particle,
     particle_before},
    {"pairs",
     XL_U32X2,
     NULL,
     {"less", "bool less(uint2 a, uint2 b) { return a.y != b.y ? a.y < b.y : a.x < b.x; }"},
     fill_pair,
     pair_before},
    {"half a kilobyte",
     XL_USER_TYPE,
     &long_type,
     {"less", "bool less(record a, record b) { return a.words[100] < b.words[100]; }"},
     fill_long,
     long_before},
};
enum { ORDERS = sizeof orders / sizeof orders[0] };

static size_t key_bytes(const order *o)
{
    return o->type ? o->type->size : xl_type_size((xl_type)o->key);
}

/* ---- one sort, checked ----------------------------------------------------------- */

typedef struct trial {
    const order *order;
    xl_sort_desc desc;
    xl_sort *plan;
    const char *what;
    size_t n, on_device; /* SIZE_MAX: the device says nothing */
    bool in_place, own_scratch;
    const uint32_t *offsets; /* so many; 0: one segment */
    size_t num_offsets;
} trial;

static trial trial_of(const order *o, uint32_t value, bool descending)
{
    trial t = {.order = o, .on_device = SIZE_MAX};
    xl_sort_desc_init(&t.desc);
    t.desc.key = o->key;
    t.desc.user_key = o->type;
    t.desc.comparator = &o->comparator;
    t.desc.value = value;
    t.desc.order = descending ? XL_DESCENDING : XL_ASCENDING;
    return t;
}

typedef struct keys_of {
    const trial *t;
    const unsigned char *keys; /* from where a segment begins */
} keys_of;

static bool comes_before(const void *user, size_t a, size_t b)
{
    const keys_of *k = user;
    const size_t size = key_bytes(k->t->order);
    const bool turned = k->t->desc.order == XL_DESCENDING;
    return k->t->order->before(k->keys + (turned ? b : a) * size,
                               k->keys + (turned ? a : b) * size);
}

/* Elements `from` in the order of places; behind them what an output holds that nobody writes. */
static void check_moved(const trial *t, const xlt_buffer *out, const void *from,
                        const size_t *places, size_t count, const char *name)
{
    const size_t size = out->size;
    unsigned char *got = bytes_for(t->n, size);
    xlt_read(out, got);
    for (size_t i = 0; i < count; ++i)
        if (memcmp(got + i * size, (const unsigned char *)from + places[i] * size, size) != 0)
            XLT_FAIL("%s of %s, value %u, order %u, n %zu of %zu%s: %s differs at %zu",
                     t->order->name, t->what, (unsigned)t->desc.value, (unsigned)t->desc.order,
                     count, t->n, t->in_place ? ", in place" : "", name, i);
    xlt_check_guards(out, name);
    free(got);
}

/* Where the results come from; what stands before the first segment stays. */
static void find_places(const trial *t, size_t count, const unsigned char *keys, size_t *places)
{
    const uint32_t whole = 0;
    const uint32_t *const offsets = t->num_offsets > 0 ? t->offsets : &whole;
    const size_t num_segments = t->num_offsets > 0 ? t->num_offsets : 1;
    for (size_t i = 0; i < count && i < offsets[0]; ++i)
        places[i] = i;
    for (size_t s = 0; s < num_segments; ++s) {
        const size_t stop = s + 1 < num_segments ? offsets[s + 1] : count;
        const size_t end = stop < count ? stop : count, begin = offsets[s] < end ? offsets[s] : end;
        const keys_of user = {t, keys + begin * key_bytes(t->order)};
        assert_true(ref_sort_by(end - begin, places + begin, comes_before, &user));
        for (size_t i = begin; i < end; ++i)
            places[i] += begin;
    }
}

static void check(const trial *t, uint64_t seed, bool is_order)
{
    const size_t size = key_bytes(t->order), n = t->n, value = sort_value_bytes(t->desc.value);
    const size_t count = t->on_device < n ? t->on_device : n;
    const bool made = t->desc.value == XL_SORT_INDICES;
    unsigned char *keys = bytes_for(n, size), *values = bytes_for(n, value);
    size_t *places = bytes_for(n, sizeof *places), bytes, alignment;
    xlt_random random = {seed * 77 + 3};
    for (size_t i = 0; i < n; ++i)
        t->order->fill(keys + i * size, xlt_next(&random));
    for (size_t i = 0; i < n * value; ++i)
        values[i] = (unsigned char)(made ? i / 4 >> i % 4 * 8 : xlt_next(&random));
    const uint64_t on_device = t->on_device;
    XLT_OK(xl_sort_scratch(t->plan, n, &bytes, &alignment));
    const bool alone = t->desc.values_only != 0;
    xlt_buffer in = xlt_buffer_make(keys, n, size, seed % 3), out = in;
    xlt_buffer values_in = {0}, values_out = {0}, scratch = {0}, number = {0};
    xlt_buffer csr = {0};
    if (t->num_offsets > 0)
        csr = xlt_buffer_make(t->offsets, t->num_offsets, sizeof *t->offsets, seed % 3);
    if (!t->in_place && !alone)
        out = xlt_buffer_make(NULL, n, size, seed % 4);
    if (value > 0 && !made)
        values_in = values_out = xlt_buffer_make(values, n, value, seed % 5);
    if (value > 0 && (made || !t->in_place))
        values_out = xlt_buffer_make(NULL, n, value, 1);
    if (!t->own_scratch)
        scratch = xlt_scratch_make(bytes, alignment);
    if (t->on_device != SIZE_MAX)
        number = xlt_buffer_make(&on_device, 1, sizeof on_device, 1);
    XLT_OK(xl_sort_enqueue(
        t->plan, xlt_queue(),
        &(xl_sort_args){
            .n = n,
            .keys_in = xlt_view(&in),
            .values_in = xlt_view(&values_in),
            .keys_out = alone ? xl_no_view() : xlt_view(&out),
            .values_out = xlt_view(&values_out),
            .scratch = xlt_view(&scratch),
            .n_device = xlt_view(&number),
            .segments = xl_view_n(csr.mem, csr.mem ? xlt_view(&csr).offset : 0, t->num_offsets)},
        0, NULL, NULL));
    if (is_order)
        find_places(t, count, keys, places);
    if (alone)
        sort_check_unchanged(&in, keys);
    else
        check_moved(t, &out, keys, places, is_order ? count : 0, "keys_out");
    if (value > 0)
        check_moved(t, &values_out, values, places, is_order ? count : 0, "values_out");
    if (scratch.mem)
        xlt_check_guards(&scratch, "scratch");
    if (out.mem != in.mem)
        xlt_buffer_free(&out);
    if (values_out.mem != values_in.mem)
        xlt_buffer_free(&values_out);
    xlt_buffer_free(&in);
    xlt_buffer_free(&values_in);
    xlt_buffer_free(&scratch);
    xlt_buffer_free(&number);
    xlt_buffer_free(&csr);
    free(keys);
    free(values);
    free(places);
}

/* ---- plans ------------------------------------------------------------------------- */

static const struct shape {
    const char *tuning, *mask;
} shapes[] = {
    {"sort.shape = 0\nsort.group_log = 5\nsort.items_log = 1\n", NULL},
    {"sort.shape = 1\nsort.serial_tile_log = 5\n", NULL},
    {"sort.shape = 0\nsort.group_log = 4\nsort.items_log = 3\n", "width=1"},
    {"sort.shape = 0\nsort.items_log = 1\n", "work-group=1"},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static const uint32_t kinds[] = {XL_NONE, XL_U32, XL_SORT_INDICES, XL_SORT_BYTES(12), XL_U8};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Structs of bytes in local memory it gets wrong, and structs of many words it compiles for
 * minutes: docs/drivers.md. */
static bool is_for_others(const order *o)
{
    return (o->type == &bytes_type || o->type == &long_type) && strstr(xlt_device(), "llvmpipe");
}

/* Each order with two kinds of values, so that all kinds are there in each shape. */
static void every_order(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (size_t s = 0; s < (xlt_few_programs() ? 2 : SHAPES); ++s) {
        xl_context *ctx = open_context(shapes[s].tuning, shapes[s].mask);
        for (size_t i = 0; i < 2 * ORDERS; ++i) {
            if ((xlt_few_programs() && i % 5 != 2 * s) || is_for_others(&orders[i / 2]))
                continue;
            trial t = trial_of(&orders[i / 2], kinds[(i + i / KINDS + s + 1) % KINDS], i % 4 > 1);
            t.what = shapes[s].tuning;
            t.desc.values_only = t.desc.value != XL_NONE && i % 2 == 0;
            t.plan = sort_plan(ctx, &t.desc, t.what);
            const size_t tile = sort_tile(t.plan, 1);
            const size_t most = key_bytes(t.order) > 100 ? 9 * tile : 33 * tile + 7;
            for (t.n = 0; t.n <= most; t.n += t.n < 2 * tile + 2 ? 1 : 7 * tile - 3) {
                if (xlt_on_oclgrind() && t.n % 11 > 0)
                    continue;
                t.in_place = seed % 3 == 0;
                t.own_scratch = seed % 4 == 0;
                check(&t, seed++, true);
            }
            t.n = 5 * tile;
            t.on_device = 3 * tile + 1;
            check(&t, seed++, true);
            xl_sort_destroy(t.plan);
        }
        xl_context_destroy(ctx);
    }
}

static void as_built_in(void **state)
{
    (void)state;
    for (size_t i = 0; i < ORDERS; i += 2) {
        if (is_for_others(&orders[i]))
            continue;
        trial t = trial_of(&orders[i], kinds[(i + 1) % KINDS], i % 4 > 0);
        t.what = "as built in";
        t.plan = sort_plan(xlt_context(), &t.desc, t.what);
        const size_t tile = sort_tile(t.plan, 1);
        for (size_t k = 0; k < (xlt_on_oclgrind() ? 1 : 3); ++k) {
            t.n = k * (xlt_small() ? 3 : 40) * tile + 11;
            t.in_place = k % 2;
            check(&t, k + i, true);
        }
        xl_plan_info info;
        XLT_OK(xl_sort_info(t.plan, 1000, &info));
        assert_string_equal(info.algorithm, "merge");
        xl_sort_destroy(t.plan);
    }
}

static xl_status create(const xl_sort_desc *desc)
{
    xl_sort *plan;
    const xl_status status = xl_sort_create(xlt_context(), desc, &plan);
    if (status != XL_SUCCESS)
        assert_null(plan);
    xl_sort_destroy(plan);
    return status;
}

/* Nothing beside the arrays is written. */
static void no_order(void **state)
{
    (void)state;
    static const xl_user_comparator wrong[] = {
        {"always", "bool always(float a, float b) { return true; }"},
        {"any", "bool any_(float a, float b) { return (as_uint(a) * 77u ^ as_uint(b) * 13u) >> 7 & "
                "1u; }\n#define any any_"}};
    for (size_t s = 0; s < 2; ++s) {
        xl_context *ctx = open_context(shapes[s].tuning, shapes[s].mask);
        for (size_t i = 0; i < 2; ++i) {
            order o = orders[0];
            o.comparator = wrong[i];
            trial t = trial_of(&o, XL_U32, false);
            t.what = shapes[s].tuning;
            t.plan = sort_plan(ctx, &t.desc, t.what);
            for (t.n = 1; t.n < 12 * sort_tile(t.plan, 1); t.n = 2 * t.n + 1)
                check(&t, t.n, false);
            xl_sort_destroy(t.plan);
        }
        xl_context_destroy(ctx);
    }
}

/* ---- segments ----------------------------------------------------------------------- */

/* So many kinds of lengths: none, some, around half a tile, which is where segments begin to be
 * long, and many tiles. */
enum { LENGTHS = 5 };

static size_t length_of(size_t kind, size_t tile, xlt_random *random)
{
    const uint32_t t = (uint32_t)tile;
    return kind == 0   ? xlt_below(random, 3)
           : kind == 1 ? xlt_below(random, t / 4 + 2)
           : kind == 2 ? (t / 2 + xlt_below(random, 3)) - 1
           : kind == 3 ? xlt_below(random, 7 * t)
                       : (xlt_below(random, 8 * t) == 0 ? 5 * tile : 0);
}

/* The first may be above 0. */
static size_t draw_offsets(uint32_t *offsets, size_t most, const trial *t, size_t kind, size_t tile,
                           xlt_random *random)
{
    size_t count = 0, at = xlt_below(random, 2) * xlt_below(random, (uint32_t)tile);
    while (count < most && (at <= t->n || count == 0)) {
        offsets[count++] = (uint32_t)(at < t->n ? at : t->n);
        at += length_of(kind, tile, random);
    }
    return count;
}

static void segments_of_sizes(trial t, size_t tile, uint64_t *seed)
{
    const size_t sizes[] = {1, tile - 1, 2 * tile + 3, 20 * tile + 5};
    enum { MOST = 4000 };
    uint32_t *offsets = bytes_for(MOST, sizeof *offsets);
    for (size_t k = 0; k < (xlt_on_oclgrind() ? 3 : 4); ++k)
        for (size_t kind = 0; kind < LENGTHS; ++kind) {
            xlt_random random = {*seed * 131 + 7};
            t.n = sizes[k];
            t.offsets = offsets;
            t.num_offsets = draw_offsets(offsets, MOST, &t, kind, tile, &random);
            t.in_place = *seed % 3 == 0;
            t.own_scratch = *seed % 4 == 0;
            t.on_device = *seed % 7 == 0 ? t.n - t.n / 3 : SIZE_MAX;
            check(&t, (*seed)++, true);
        }
    free(offsets);
}

/* Each segment by itself. sort_segments_test has offsets that break their rule. */
static void every_segment(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (size_t s = 0; s < (xlt_few_programs() ? 2 : SHAPES); ++s) {
        xl_context *ctx = open_context(shapes[s].tuning, shapes[s].mask);
        for (size_t i = 0; i < ORDERS; ++i) {
            if ((xlt_few_programs() && i != 2) || is_for_others(&orders[i]))
                continue;
            trial t = trial_of(&orders[i], kinds[(i + s + 4) % KINDS], (i + s) % 2);
            t.what = shapes[s].tuning;
            t.desc.segments = XL_SEGMENTS_OFFSETS;
            t.desc.segment_type = XL_U32;
            t.desc.values_only = t.desc.value != XL_NONE && (i + s) % 2;
            t.plan = sort_plan(ctx, &t.desc, t.what);
            const size_t tile = sort_tile(t.plan, 1);
            segments_of_sizes(t, tile, &seed);
            xl_sort_destroy(t.plan);
        }
        xl_context_destroy(ctx);
    }
}

/* ---- misuse ------------------------------------------------------------------------ */

static void fails(const xl_sort_desc *desc, xl_status wanted, const char *said)
{
    xlt_refused(xlt_context(), create(desc), wanted, said);
}

static void wrong_descriptors(void **state)
{
    (void)state;
    const xl_sort_desc good = trial_of(&orders[0], XL_NONE, false).desc;
    xl_user_comparator comparator = orders[0].comparator;
    xl_user_type type = bytes_type;
    xl_sort_desc desc = good;
    XLT_OK(create(&good));
    desc.algorithm = XL_SORT_RADIX;
    fails(&desc, XL_ERROR_UNSUPPORTED, "desc.algorithm: only XL_SORT_AUTO");
    desc.algorithm = XL_SORT_BITONIC;
    fails(&desc, XL_ERROR_UNSUPPORTED, "desc.algorithm: only XL_SORT_AUTO");
    desc = good;
    desc.end_bit = 5;
    fails(&desc, XL_ERROR_UNSUPPORTED, "desc.begin_bit, end_bit: all bits");
    desc = good;
    desc.segments = XL_SEGMENTS_OFFSETS;
    fails(&desc, XL_ERROR_INVALID_ARGUMENT, "desc.segment_type: none");
    desc = good;
    desc.comparator = &comparator;
    comparator.name = NULL;
    fails(&desc, XL_ERROR_INVALID_ARGUMENT, "desc.comparator: it has no name");
    comparator.name = "a b";
    fails(&desc, XL_ERROR_INVALID_ARGUMENT, "desc.comparator: \"a b\" is no identifier");
    comparator = (xl_user_comparator){"above", "bool above(float a, float b) { return c > b; }"};
    fails(&desc, XL_ERROR_BUILD, "comparator above");
    desc.key = XL_NONE;
    fails(&desc, XL_ERROR_INVALID_ARGUMENT, "key: none");
    desc.key = XL_USER_TYPE;
    fails(&desc, XL_ERROR_INVALID_ARGUMENT, "key: XL_USER_TYPE needs user_key");
    desc = trial_of(&orders[1], XL_NONE, false).desc;
    desc.user_key = &type;
    type.size = 4;
    fails(&desc, XL_ERROR_BUILD, "type \"bytes3\": the device says 3 bytes");
    type.size = 2000;
    fails(&desc, XL_ERROR_UNSUPPORTED, "desc.key: 2000 bytes");
    /* Without a comparator there are no such keys. */
    desc.comparator = NULL;
    fails(&desc, XL_ERROR_INVALID_ARGUMENT, "desc.key:");
}

/* A comparator may be a function of OpenCL C. */
static void functions_of_the_language(void **state)
{
    (void)state;
    order o = orders[0];
    o.comparator = (xl_user_comparator){"isgreater", NULL};
    trial t = trial_of(&o, XL_NONE, false);
    XLT_OK(create(&t.desc));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order),       cmocka_unit_test(as_built_in),
        cmocka_unit_test(no_order),          cmocka_unit_test(every_segment),
        cmocka_unit_test(wrong_descriptors), cmocka_unit_test(functions_of_the_language),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
