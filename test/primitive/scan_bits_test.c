/* SPDX-License-Identifier: MIT
 * What is promised about the bits of results that round: the same from run to run on one
 * device, and with XL_REPRODUCIBLE the same on every device. */
#include "scan_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers that cancel and that differ in size, but not by so much that the small ones are
 * lost: every addition rounds, so that whatever changes the order of a sum changes its bits. */
static float ill_conditioned(xlt_random *random)
{
    const float x = xlt_unit(random) - 0.5f;
    return ldexpf(x, (int)xlt_below(random, 10) - 5);
}

/* ---- from run to run ----------------------------------------------------------------- */

typedef struct sums {
    const char *what;
    xl_type type;
    xl_segments segments;
    xl_scan_kind kind;
    xl_scan_algorithm algorithm;
    xl_determinism determinism;
    const char *tune;
} sums;

/* Pairs of floats are maps; all others are added up. */
#define MAPS XL_F32X2

static const char groups[] = "scan.shape = 1\nscan.item_bytes = 32\n";

/* Tiles that are silent out of place and late in place: what an operand is made of would
 * depend on who publishes first, were it not fixed. */
static const char all_silent[] =
    "scan.pipelined = 0\nscan.tile_bytes = 1024\nscan.item_bytes = 16\nscan.group_size = 64\n"
    "scan.inject_delay = 1\nscan.spin_limit = 0\n";
static const char groups_silent[] =
    "scan.pipelined = 0\nscan.shape = 1\nscan.item_bytes = 64\nscan.group_size = 64\n"
    "scan.inject_delay = 1\nscan.spin_limit = 2\n";
static const char half_silent[] =
    "scan.pipelined = 0\nscan.tile_bytes = 1024\nscan.item_bytes = 16\nscan.group_size = 64\n"
    "scan.inject_delay = 2\nscan.spin_limit = 20\n";
#define PIPELINED                                                                                  \
    "scan.pipelined = 1\nscan.pipelined_window = 64\nscan.pipelined_size = "                       \
    "64\nscan.pipelined_bytes = 16\n"                                                              \
    "scan.pipelined_wide_size = 64\nscan.pipelined_wide_bytes = 16\nscan.pipelined_flag_size = "   \
    "64\n"                                                                                         \
    "scan.pipelined_flag_bytes = 16\nscan.spin_limit = 1\n"
static const char pipelined_all_silent[] = PIPELINED "scan.inject_delay = 1\n";
static const char pipelined_half_silent[] = PIPELINED "scan.inject_delay = 2\n";

/* x -> a x + b, the left one first: rounds, does not commute, and shows what is fused. */
static const float no_map[2] = {1, 0};
static const xl_user_op maps = {"map_after",
                                "float2 map_after(float2 f, float2 g)\n"
                                "{\n"
                                "    return (float2)(f.x * g.x, f.y * g.x + g.y);\n"
                                "}",
                                no_map, 0};

static const sums all_sums[] = {
    {"auto", XL_F32, XL_SEGMENTS_NONE, XL_INCLUSIVE, XL_SCAN_AUTO, XL_DETERMINISTIC, NULL},
    {"auto, small tiles", XL_F32, XL_SEGMENTS_NONE, XL_EXCLUSIVE, XL_SCAN_AUTO, XL_DETERMINISTIC,
     small_tiles},
    {"auto, groups", XL_F32, XL_SEGMENTS_NONE, XL_INCLUSIVE, XL_SCAN_AUTO, XL_DETERMINISTIC,
     groups},
    {"auto, f64", XL_F64, XL_SEGMENTS_NONE, XL_EXCLUSIVE, XL_SCAN_AUTO, XL_DETERMINISTIC,
     small_tiles},
    {"auto, vectors", XL_F32X3, XL_SEGMENTS_NONE, XL_INCLUSIVE, XL_SCAN_AUTO, XL_DETERMINISTIC,
     small_tiles},
    {"auto, segments", XL_F32, XL_SEGMENTS_HEAD_FLAGS, XL_INCLUSIVE, XL_SCAN_AUTO, XL_DETERMINISTIC,
     small_tiles},
    {"look-back", XL_F32, XL_SEGMENTS_NONE, XL_INCLUSIVE, XL_SCAN_LOOKBACK, XL_DETERMINISTIC,
     small_tiles},
    {"look-back, groups, segments", XL_F32, XL_SEGMENTS_HEAD_FLAGS, XL_EXCLUSIVE, XL_SCAN_LOOKBACK,
     XL_DETERMINISTIC, groups},
    {"reduce-then-scan", XL_F32, XL_SEGMENTS_NONE, XL_INCLUSIVE, XL_SCAN_REDUCE_THEN_SCAN,
     XL_DETERMINISTIC, small_tiles},
    {"Kogge-Stone", XL_F32, XL_SEGMENTS_NONE, XL_EXCLUSIVE, XL_SCAN_KOGGE_STONE, XL_DETERMINISTIC,
     NULL},
    {"Blelloch", XL_F64, XL_SEGMENTS_HEAD_FLAGS, XL_INCLUSIVE, XL_SCAN_BLELLOCH, XL_DETERMINISTIC,
     NULL},
    {"reproducible", XL_F32, XL_SEGMENTS_NONE, XL_INCLUSIVE, XL_SCAN_AUTO, XL_REPRODUCIBLE, NULL},
    {"all silent, f64", XL_F64, XL_SEGMENTS_NONE, XL_EXCLUSIVE, XL_SCAN_LOOKBACK, XL_DETERMINISTIC,
     all_silent},
    {"half silent, keys", XL_F32, XL_SEGMENTS_KEYS, XL_EXCLUSIVE, XL_SCAN_LOOKBACK,
     XL_DETERMINISTIC, half_silent},
    {"groups silent, vectors, offsets", XL_F32X3, XL_SEGMENTS_OFFSETS, XL_INCLUSIVE,
     XL_SCAN_LOOKBACK, XL_DETERMINISTIC, groups_silent},
    {"groups silent", XL_F32, XL_SEGMENTS_NONE, XL_INCLUSIVE, XL_SCAN_LOOKBACK, XL_DETERMINISTIC,
     groups_silent},
    {"maps, all silent", MAPS, XL_SEGMENTS_NONE, XL_INCLUSIVE, XL_SCAN_LOOKBACK, XL_DETERMINISTIC,
     all_silent},
    {"maps, auto, keys", MAPS, XL_SEGMENTS_KEYS, XL_EXCLUSIVE, XL_SCAN_AUTO, XL_DETERMINISTIC,
     small_tiles},
    {"pipelined, all silent, f64", XL_F64, XL_SEGMENTS_NONE, XL_INCLUSIVE, XL_SCAN_LOOKBACK,
     XL_DETERMINISTIC, pipelined_all_silent},
    {"pipelined, half silent, flags", XL_F32, XL_SEGMENTS_HEAD_FLAGS, XL_EXCLUSIVE,
     XL_SCAN_LOOKBACK, XL_DETERMINISTIC, pipelined_half_silent},
    {"pipelined, half silent", XL_F32, XL_SEGMENTS_NONE, XL_INCLUSIVE, XL_SCAN_LOOKBACK,
     XL_DETERMINISTIC, pipelined_half_silent},
    {"pipelined, maps, all silent, keys", MAPS, XL_SEGMENTS_KEYS, XL_INCLUSIVE, XL_SCAN_LOOKBACK,
     XL_DETERMINISTIC, pipelined_all_silent},
};

static void fill_sums(void *to, const sums *s, size_t lanes)
{
    xlt_random random = {7};
    for (size_t i = 0; i < lanes; ++i) {
        const float x = ill_conditioned(&random);
        if (s->type == MAPS && i % 2 == 0) /* factors whose products stay near 1 */
            ((float *)to)[i] = 1 + (xlt_unit(&random) - 0.5f) * 0x1p-6f;
        else if (s->type == XL_F64)
            ((double *)to)[i] = (double)x * (1 + (double)xlt_unit(&random) * 1e-9);
        else
            ((float *)to)[i] = x;
    }
}

/* Within what rounding allows of the sums in f64; scalars. */
static void check_near(const sums *s, size_t n, const void *in, const uint8_t *heads,
                       const void *got)
{
    double sum = 0, size = 0;
    for (size_t i = 0; i < n; ++i) {
        const bool wide = s->type == XL_F64;
        const double x = wide ? ((const double *)in)[i] : (double)((const float *)in)[i];
        const double y = wide ? ((const double *)got)[i] : (double)((const float *)got)[i];
        if (s->segments && heads[i])
            sum = size = 0;
        const double before = sum;
        sum += x;
        size += fabs(x);
        const double wanted = s->kind == XL_INCLUSIVE ? sum : before;
        if (!(fabs(y - wanted) <= (wide ? 1e-12 : 1e-5) * size))
            XLT_FAIL("%s: element %zu is %g, not %g", s->what, i, y, wanted);
    }
}

static void repeat(const sums *s)
{
    const size_t n = xlt_small() ? 2500 : 60007;
    const int repeats = xlt_small() ? 5 : 200;
    job j;
    job_make(&j, s->what, s->type, XL_SUM, s->kind, NULL);
    if (s->type == MAPS) {
        j.desc.op = XL_USER_OP;
        j.desc.user_op = &maps;
    }
    j.desc.algorithm = s->algorithm;
    j.desc.segments = s->segments;
    if (s->segments == XL_SEGMENTS_KEYS || s->segments == XL_SEGMENTS_OFFSETS)
        j.desc.segment_type = XL_U32;
    j.desc.determinism = s->determinism;
    xl_context *ctx = open_context(s->tune, NULL);
    xl_scan *plan = job_plan(ctx, &j);
    if (!plan) {
        xl_context_destroy(ctx);
        return;
    }
    const size_t size = xl_type_size(s->type);
    unsigned char *in = bytes_for(n, size), *first = bytes_for(n, size), *got = bytes_for(n, size);
    fill_sums(in, s, n * size / (s->type == XL_F64 ? 8 : 4));
    segments heads = segments_make(&j.desc, LONG_RUNS, n, 64, 2);
    xlt_buffer a = xlt_buffer_make(in, n, size, 0), b = xlt_buffer_make(NULL, n, size, 0);
    xlt_buffer h = {0};
    if (heads.bytes > 0)
        h = xlt_buffer_make(heads.array, heads.count, heads.bytes, 0);
    for (int round = 0; round < repeats; ++round) {
        /* Every third in place. */
        const bool in_place = round % 3 == 2;
        if (in_place)
            XLT_CL(clEnqueueCopyBuffer(xlt_queue(), a.mem, b.mem, xlt_view(&a).offset * size,
                                       xlt_view(&b).offset * size, n * size, 0, NULL, NULL));
        ok(ctx,
           xl_scan_enqueue(
               plan, xlt_queue(),
               &(xl_scan_args){.n = n,
                               .in = xlt_view(in_place ? &b : &a),
                               .segments = h.mem ? xl_view_n(h.mem, xlt_view(&h).offset, h.n)
                                                 : xl_no_view(),
                               .out = xlt_view(&b)},
               0, NULL, NULL),
           s->what);
        xlt_read(&b, round == 0 ? first : got);
        /* Most often they are the same byte by byte. */
        if (round == 0 || memcmp(first, got, n * size) == 0)
            continue;
        for (size_t i = 0; i < n; ++i)
            if (!same_element(s->type, first + i * size, got + i * size))
                XLT_FAIL("%s: run %d, %s place, differs from the first at element %zu of %zu",
                         s->what, round, in_place ? "in" : "out of", i, n);
    }
    if ((unsigned)s->type < 0x100) /* scalars */
        check_near(s, n, in, heads.heads, first);
    xl_scan_destroy(plan);
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xlt_buffer_free(&h);
    segments_free(&heads);
    free(in);
    free(first);
    free(got);
    xl_context_destroy(ctx);
}

static void runs_repeat(void **state)
{
    (void)state;
    const bool pipelined = can_pipeline();
    /* Of few programs every other one, and of small sizes those between, as these have. */
    const size_t step = xlt_small() ? 4 : xlt_few_programs() ? 2 : 1;
    for (size_t s = 0; s < sizeof all_sums / sizeof all_sums[0]; ++s) {
        if (!pipelined && strncmp(all_sums[s].what, "pipelined", 9) == 0)
            continue;
        if (s % step == (xlt_small() ? 1 : 0))
            repeat(&all_sums[s]);
    }
}

/* ---- from device to device ------------------------------------------------------------- */

/* The tree that cl/scan/textbook/scan_textbook.cl documents, in plain C: blocks of PLACES places
 * of ITEMS neighbours. A state is a sum and whether a segment began in it. */
enum { PLACES = 128, ITEMS = 8, BLOCK = PLACES * ITEMS };

typedef struct sum {
    float value;
    bool head;
} sum;

static sum join(sum a, sum b)
{
    /* Through memory, so that no compiler keeps more bits than a float has. */
    volatile float added = a.value + b.value;
    const sum joined = {b.head ? b.value : added, a.head || b.head};
    return joined;
}

static const sum nothing = {-0.0f, false};

static void blelloch_up(sum *v)
{
    for (size_t span = 1; span < PLACES; span *= 2)
        for (size_t right = 2 * span - 1; right < PLACES; right += 2 * span)
            v[right] = join(v[right - span], v[right]);
}

static void blelloch_scan(sum *v, sum before)
{
    blelloch_up(v);
    v[PLACES - 1] = before;
    for (size_t span = PLACES / 2; span > 0; span /= 2)
        for (size_t right = 2 * span - 1; right < PLACES; right += 2 * span) {
            const sum left = v[right - span];
            v[right - span] = v[right];
            v[right] = join(v[right], left);
        }
}

static void kogge_stone_sums(sum *v)
{
    for (size_t distance = 1; distance < PLACES; distance *= 2)
        for (size_t p = PLACES; p-- > distance;)
            v[p] = join(v[p - distance], v[p]);
}

static void kogge_stone_scan(sum *v, sum before)
{
    kogge_stone_sums(v);
    for (size_t p = PLACES; p-- > 0;)
        v[p] = p > 0 ? join(before, v[p - 1]) : before;
}

/* The places of block b; what lies past the end counts as nothing. */
static void places_of(const sum *level, size_t count, size_t b, sum *v)
{
    for (size_t p = 0; p < PLACES; ++p)
        for (size_t k = 0; k < ITEMS; ++k) {
            const size_t i = b * BLOCK + p * ITEMS + k;
            const sum x = i < count ? level[i] : nothing;
            v[p] = k == 0 ? x : join(v[p], x);
        }
}

/* before[i] = start op level[0] op ... op level[i - 1], as the tree has it. */
static void scan_level(bool blelloch, const sum *level, size_t count, sum start, sum *before)
{
    const size_t blocks = (count + BLOCK - 1) / BLOCK;
    sum v[PLACES], *totals = NULL, *above = NULL;
    if (blocks > 1) {
        totals = bytes_for(blocks, sizeof *totals);
        above = bytes_for(blocks, sizeof *above);
        for (size_t b = 0; b < blocks; ++b) {
            places_of(level, count, b, v);
            if (blelloch)
                blelloch_up(v);
            else
                kogge_stone_sums(v);
            totals[b] = v[PLACES - 1];
        }
        scan_level(blelloch, totals, blocks, nothing, above);
    }
    for (size_t b = 0; b < blocks; ++b) {
        places_of(level, count, b, v);
        (blelloch ? blelloch_scan : kogge_stone_scan)(v, join(start, above ? above[b] : nothing));
        for (size_t i = b * BLOCK; i < count && i < (b + 1) * BLOCK; ++i) {
            before[i] = i % ITEMS == 0 ? v[i % BLOCK / ITEMS] : join(before[i - 1], level[i - 1]);
        }
    }
    free(totals);
    free(above);
}

static void model(bool blelloch, xl_scan_kind kind, size_t n, const float *in, const uint8_t *heads,
                  float *out)
{
    sum *level = bytes_for(n, sizeof *level), *before = bytes_for(n, sizeof *before);
    const sum start = {kind == XL_INCLUSIVE ? -0.0f : 0.0f, false};
    for (size_t i = 0; i < n; ++i)
        level[i] = (sum){in[i], heads && heads[i]};
    scan_level(blelloch, level, n, heads ? nothing : start, before);
    for (size_t i = 0; i < n; ++i) {
        const sum next = join(before[i], level[i]);
        if (kind == XL_INCLUSIVE)
            out[i] = next.value;
        else
            out[i] = level[i].head ? 0.0f : before[i].value;
    }
    free(level);
    free(before);
}

static uint64_t fnv1a(const void *bytes, size_t count)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; ++i)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

/* The hashes of results are written down: a model and a kernel that change together would
 * break a promise without being noticed. Input: ill_conditioned() from seed 7, LONG_RUNS. */
static const struct {
    xl_scan_algorithm algorithm;
    xl_scan_kind kind;
    xl_segments segments;
    size_t n;
    uint64_t hash;
} promised[] = {
    {XL_SCAN_BLELLOCH, XL_INCLUSIVE, XL_SEGMENTS_NONE, 1500, 0x649c0fa0c80881fdu},
    {XL_SCAN_BLELLOCH, XL_EXCLUSIVE, XL_SEGMENTS_HEAD_FLAGS, 1500, 0x0ba2a601e4af2ed8u},
    {XL_SCAN_KOGGE_STONE, XL_EXCLUSIVE, XL_SEGMENTS_NONE, 1500, 0x10adda2ecd397634u},
    {XL_SCAN_BLELLOCH, XL_EXCLUSIVE, XL_SEGMENTS_NONE, 100003, 0x166ab785b5bbde71u},
    {XL_SCAN_KOGGE_STONE, XL_INCLUSIVE, XL_SEGMENTS_HEAD_FLAGS, 100003, 0x05b08d72c070c165u},
    {XL_SCAN_BLELLOCH, XL_INCLUSIVE, XL_SEGMENTS_NONE, 1100000, 0x4a3f95c3d74469d5u},
};

static void bits_everywhere(void **state)
{
    (void)state;
    static const char *const masks[] = {NULL, "work-group=8", "width=1"};
    unsigned turn = 0;
    for (size_t p = 0; p < sizeof promised / sizeof promised[0]; ++p) {
        const size_t n = promised[p].n;
        job j;
        if (xlt_small() && n > 2000)
            continue;
        float *in = bytes_for(n, 4), *wanted = bytes_for(n, 4), *got = bytes_for(n, 4);
        xlt_random random = {7};
        for (size_t i = 0; i < n; ++i)
            in[i] = ill_conditioned(&random);
        job_make(&j, "reproducible", XL_F32, XL_SUM, promised[p].kind, NULL);
        j.desc.determinism = XL_REPRODUCIBLE;
        j.desc.algorithm = promised[p].algorithm;
        j.desc.segments = promised[p].segments;
        j.pattern = LONG_RUNS;
        segments s = segments_make(&j.desc, LONG_RUNS, n, 64, 2);
        model(promised[p].algorithm == XL_SCAN_BLELLOCH, promised[p].kind, n, in,
              s.bytes > 0 ? s.heads : NULL, wanted);
        if (fnv1a(wanted, n * 4) != promised[p].hash)
            XLT_FAIL("case %zu: the model's bits have the hash 0x%016llx, not the promised one", p,
                     (unsigned long long)fnv1a(wanted, n * 4));
        xl_context *ctx = open_context(NULL, masks[turn++ % 3]);
        xl_scan *plan = job_plan(ctx, &j);
        xlt_buffer a = xlt_buffer_make(in, n, 4, 0), h = {0};
        if (s.bytes > 0)
            h = xlt_buffer_make(s.array, n, 1, 0);
        ok(ctx,
           xl_scan_enqueue(
               plan, xlt_queue(),
               &(xl_scan_args){
                   .n = n, .in = xlt_view(&a), .segments = xlt_view(&h), .out = xlt_view(&a)},
               0, NULL, NULL),
           j.what);
        xlt_read(&a, got);
        for (size_t i = 0; i < n; ++i)
            if (!same_element(XL_F32, &got[i], &wanted[i]))
                XLT_FAIL("case %zu: element %zu is %a, not %a", p, i, (double)got[i],
                         (double)wanted[i]);
        xlt_buffer_free(&a);
        xlt_buffer_free(&h);
        xl_scan_destroy(plan);
        xl_context_destroy(ctx);
        segments_free(&s);
        free(in);
        free(wanted);
        free(got);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_repeat),
        cmocka_unit_test(bits_everywhere),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}
