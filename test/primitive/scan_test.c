/* SPDX-License-Identifier: MIT
 * Scan against the serial reference: sizes, types, operators, kinds, placement,
 * scratch, queues, threads, misuse, repeatability, tiles held back. */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#endif

#include "scan/scan_ref.h"
#include "xlt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A context beside the common one, with tuning values and features of its own. */
typedef struct setup {
    const char *name;
    const char *tune; /* lines of a tuning file */
    const char *mask;
    xl_scan_algorithm algorithm;
} setup;

static const char tune_path[] = "scan_test.tune";

static xl_context *open_context(const char *tune, const char *mask)
{
    xl_context *ctx = NULL;
    xl_context_desc desc;
    xl_context_desc_init(&desc);
    desc.mask = mask;
    if (tune) {
        FILE *file = fopen(tune_path, "w");
        assert_non_null(file);
        fputs(tune, file);
        fclose(file);
        desc.tune_file = tune_path;
    }
    xl_status status = xl_context_adopt(xl_context_cl(xlt_context()),
                                        xl_context_device(xlt_context()), &desc, &ctx);
    remove(tune_path);
    if (status != XL_SUCCESS)
        XLT_FAIL("no context with tuning \"%s\": %s", tune ? tune : "", xl_context_error(NULL));
    return ctx;
}

static void ok(xl_context *ctx, xl_status status, const char *what)
{
    if (status != XL_SUCCESS)
        XLT_FAIL("%s gave %s: %.700s", what, xl_status_name(status), xl_context_error(ctx));
}

/* Fails unless the call gave `wanted` and a text that holds `text`. */
static void refused(xl_context *ctx, xl_status got, xl_status wanted, const char *text)
{
    if (got != wanted || !strstr(xl_context_error(ctx), text))
        XLT_FAIL("got %s \"%.300s\", not %s with \"%s\"", xl_status_name(got),
                 xl_context_error(ctx), xl_status_name(wanted), text);
}

static bool has_fp64(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    return info.has_fp64;
}

/* ---- data ---------------------------------------------------------------- */

static double number(xlt_random *random, xl_op op)
{
    static const double odd[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e30, -1e-30};
    const uint32_t pick = xlt_below(random, 97);
    if (op != XL_SUM && pick < sizeof odd / sizeof odd[0])
        return odd[pick];
    /* Whole numbers whose sums are exact in f32 whatever the order. */
    return (double)xlt_below(random, 15) - 7.0;
}

static void fill(xlt_random *random, const xl_scan_desc *desc, size_t n, void *to)
{
    for (size_t i = 0; i < n; ++i) {
        if (desc->type == XL_F32)
            ((float *)to)[i] = (float)number(random, desc->op);
        else if (desc->type == XL_F64)
            ((double *)to)[i] = number(random, desc->op);
        else if (xl_type_size(desc->type) == 4)
            ((uint32_t *)to)[i] = (uint32_t)xlt_next(random);
        else
            ((uint64_t *)to)[i] = xlt_next(random);
    }
}

static bool same_element(xl_type type, const void *a, const void *b)
{
    float f, g;
    double d, e;
    if (memcmp(a, b, xl_type_size(type)) == 0)
        return true;
    if (type == XL_F32)
        return memcpy(&f, a, sizeof f), memcpy(&g, b, sizeof g), isnan(f) && isnan(g);
    if (type == XL_F64)
        return memcpy(&d, a, sizeof d), memcpy(&e, b, sizeof e), isnan(d) && isnan(e);
    return false;
}

static uint64_t bits_of(const unsigned char *at, size_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, at, size);
    return bits;
}

static void compare(const char *what, const xl_scan_desc *desc, size_t n, const unsigned char *got,
                    const unsigned char *wanted)
{
    const size_t size = xl_type_size(desc->type);
    if (memcmp(got, wanted, n * size) == 0)
        return;
    for (size_t i = 0; i < n; ++i)
        if (!same_element(desc->type, got + i * size, wanted + i * size))
            XLT_FAIL("%s: %s %s of %s, n %zu: element %zu is 0x%llx, not 0x%llx", what,
                     desc->kind == XL_INCLUSIVE ? "inclusive" : "exclusive", xl_op_name(desc->op),
                     xl_type_name(desc->type), n, i,
                     (unsigned long long)bits_of(got + i * size, size),
                     (unsigned long long)bits_of(wanted + i * size, size));
}

/* ---- one verified call --------------------------------------------------- */

typedef struct placing {
    size_t in_offset, out_offset;
    bool in_place, own_scratch;
} placing;

static const placing placings[] = {
    {0, 0, false, true},  {0, 0, true, false}, {1, 0, false, false},
    {0, 1, false, false}, {3, 3, true, true},  {2, 5, false, true},
};

static void check(xl_context *ctx, xl_scan *plan, const xl_scan_desc *desc, const char *what,
                  size_t n, placing place)
{
    const size_t size = xl_type_size(desc->type);
    xlt_random random = {n + 1};
    unsigned char *in = malloc(n * size + 1), *wanted = malloc(n * size + 1);
    unsigned char *got = malloc(n * size + 1);
    size_t bytes, alignment;
    fill(&random, desc, n, in);
    xli_scan_reference(desc, n, in, NULL, 0, wanted);
    xlt_buffer a = xlt_buffer_make(in, n, size, place.in_offset);
    xlt_buffer b = place.in_place ? a : xlt_buffer_make(NULL, n, size, place.out_offset);
    ok(ctx, xl_scan_scratch(plan, n, &bytes, &alignment), "xl_scan_scratch");
    xlt_buffer scratch = place.own_scratch ? (xlt_buffer){0} : xlt_scratch_make(bytes, alignment);
    ok(ctx,
       xl_scan_enqueue(plan, xlt_queue(), n, xlt_view(&a), xl_no_view(), xlt_view(&b),
                       scratch.mem ? xlt_view(&scratch) : xl_no_view(), 0, NULL, NULL),
       what);
    xlt_read(&b, got);
    compare(what, desc, n, got, wanted);
    xlt_check_guards(&b, "out");
    if (scratch.mem)
        xlt_check_guards(&scratch, "scratch");
    if (!place.in_place) {
        xlt_read(&a, got);
        assert_memory_equal(got, in, n * size);
        xlt_buffer_free(&b);
    }
    xlt_buffer_free(&a);
    xlt_buffer_free(&scratch);
    free(in);
    free(wanted);
    free(got);
}

/* The most elements that need no scratch: what one group scans alone. */
static size_t tile_of(xl_context *ctx, const xl_scan *plan)
{
    size_t low = 0, high = (size_t)1 << 32, bytes, alignment;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        ok(ctx, xl_scan_scratch(plan, middle, &bytes, &alignment), "xl_scan_scratch");
        *(bytes > 0 ? &high : &low) = middle;
    }
    return low;
}

static void check_sizes(xl_context *ctx, xl_scan *plan, const xl_scan_desc *desc, const char *what,
                        bool all)
{
    const size_t tile = tile_of(ctx, plan);
    const size_t sizes[] = {0,
                            1,
                            2,
                            3,
                            31,
                            32,
                            33,
                            63,
                            64,
                            65,
                            255,
                            256,
                            257,
                            tile - 1,
                            tile,
                            tile + 1,
                            tile + tile / 3,
                            2 * tile - 1,
                            2 * tile,
                            2 * tile + 1,
                            65535,
                            65536,
                            65537,
                            7 * tile + 5,
                            37 * tile + 1};
    const size_t count = sizeof sizes / sizeof sizes[0];
    for (size_t i = 0; i < count; ++i)
        if ((all || i % 3 == 1) && (sizes[i] < 2500 || !xlt_small()))
            check(ctx, plan, desc, what, sizes[i],
                  placings[i % (sizeof placings / sizeof placings[0])]);
}

/* ---- every type, operator and kind --------------------------------------- */

static const xl_type types[] = {XL_U32, XL_I32, XL_F32, XL_U64, XL_I64, XL_F64};
static const xl_op ops[] = {XL_SUM, XL_MIN, XL_MAX};

/* A value to start from that is not the identity, as bytes of the type. */
static const void *odd_init(xl_type type)
{
    static const uint32_t u = 1000003;
    static const int32_t i = -77;
    static const float f = -5.0f;
    static const uint64_t ul = 0x123456789abcdefu;
    static const int64_t l = -1234567890123;
    static const double d = 3.0;
    static const void *const all[] = {
        [XL_U32] = &u, [XL_I32] = &i, [XL_F32] = &f, [XL_U64] = &ul, [XL_I64] = &l, [XL_F64] = &d};
    return all[type];
}

/* For every k-th combination of type, operator and kind. */
static void check_all(xl_context *ctx, const setup *s, unsigned every)
{
    unsigned turn = 0;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; ++t)
        for (size_t o = 0; o < sizeof ops / sizeof ops[0]; ++o)
            for (int kind = XL_EXCLUSIVE; kind <= XL_INCLUSIVE; ++kind) {
                xl_scan *plan;
                xl_scan_desc desc;
                if (turn++ % every != 0 || (types[t] == XL_F64 && !has_fp64()))
                    continue;
                xl_scan_desc_init(&desc);
                desc.type = types[t];
                desc.op = ops[o];
                desc.kind = (xl_scan_kind)kind;
                desc.algorithm = s->algorithm;
                desc.determinism = XL_UNORDERED;
                desc.init = turn / every % 2 ? odd_init(types[t]) : NULL;
                ok(ctx, xl_scan_create(ctx, &desc, &plan), s->name);
                check_sizes(ctx, plan, &desc, s->name, desc.type == XL_U32 || every == 1);
                xl_scan_destroy(plan);
            }
}

static void every_type_operator_and_kind(void **state)
{
    (void)state;
    const setup s = {.name = "as tuned", .algorithm = XL_SCAN_AUTO};
    check_all(xlt_context(), &s, xlt_small() ? 5 : 1);
}

/* ---- every way a device may have to take ---------------------------------- */

static bool can_message(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    if (!info.has_device_scope)
        print_message("%s: no messages between work-groups, look-back left out\n", xlt_device());
    return info.has_device_scope;
}

static void every_way(void **state)
{
    (void)state;
    const xl_scan_algorithm two = XL_SCAN_REDUCE_THEN_SCAN, one = XL_SCAN_LOOKBACK;
    const setup setups[] = {
        {"serial", "scan.shape = 0\nscan.tile_bytes = 4096\n", NULL, two},
        {"serial, past the cache", "scan.shape = 0\nscan.stream_kib = 0\n", NULL, two},
        {"groups", "scan.shape = 1\n", NULL, two},
        {"groups without lanes", "scan.shape = 1\n", "width=1", two},
        {"groups of 8", "scan.shape = 1\n", "work-group=8", two},
        {"groups of 1", "scan.shape = 1\n", "work-group=1", two},
        {"many groups", "scan.shape = 1\nscan.run_groups = 64\nscan.item_bytes = 16\n", NULL, two},
        {"one group per unit", "scan.run_groups = 1\n", NULL, two},
        {"serial look-back", "scan.shape = 0\nscan.tile_bytes = 4096\n", NULL, one},
        {"serial look-back, past the cache",
         "scan.shape = 0\nscan.stream_kib = 0\nscan.tile_bytes = 4096\n", NULL, one},
        {"look-back", "scan.shape = 1\nscan.item_bytes = 32\n", NULL, one},
        {"look-back without lanes", "scan.shape = 1\n", "width=1", one},
        {"look-back in groups of 8", "scan.shape = 1\n", "work-group=8", one},
        {"look-back in groups of 1", "scan.shape = 1\n", "work-group=1", one},
    };
    const bool messages = can_message();
    /* Its check for uninitialised values ends the process on 16-element vectors. */
    const bool narrow = strstr(xlt_device(), "Oclgrind") != NULL;
    if (narrow)
        print_message("%s: one work-item per tile left out\n", xlt_device());
    for (size_t i = 0; i < sizeof setups / sizeof setups[0]; ++i) {
        if (narrow && (strstr(setups[i].name, "serial") || strstr(setups[i].name, "of 1")))
            continue;
        if (setups[i].algorithm == XL_SCAN_LOOKBACK && !messages)
            continue;
        xl_context *ctx = open_context(setups[i].tune, setups[i].mask);
        check_all(ctx, &setups[i], xlt_small() ? 13 : 5);
        xl_context_destroy(ctx);
    }
}

static void large(void **state)
{
    (void)state;
    const xl_type wide[] = {XL_U32, XL_U64};
    for (size_t t = 0; t < 2 && !xlt_small(); ++t) {
        xl_scan *plan;
        xl_scan_desc desc;
        xl_scan_desc_init(&desc);
        desc.type = wide[t];
        XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
        check(xlt_context(), plan, &desc, "large", ((size_t)1 << 20) + 1, placings[t]);
        check(xlt_context(), plan, &desc, "large", ((size_t)1 << 24) + 1, placings[1 - t]);
        xl_scan_destroy(plan);
    }
}

/* ---- tiles held back ------------------------------------------------------- */

/* How many tiles others re-reduced: counted in the header of the state, which the
 * scratch starts with (cl/tile/tile_state.cl). */
static cl_uint redone(const xlt_buffer *scratch)
{
    cl_uint words[4];
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), scratch->mem, CL_TRUE, xlt_view(scratch).offset,
                               sizeof words, words, 0, NULL, NULL));
    return words[3];
}

/* Ones of u64 scanned with scratch given; gives how many tiles were re-reduced. */
static cl_uint run_held(xl_context *ctx, xl_scan *plan, size_t n, bool in_place, const char *what)
{
    size_t bytes, alignment;
    uint64_t *host = malloc(n * sizeof *host);
    for (size_t i = 0; i < n; ++i)
        host[i] = ((uint64_t)1 << 33) + 1;
    xlt_buffer a = xlt_buffer_make(host, n, 8, 0), b = a;
    if (!in_place)
        b = xlt_buffer_make(NULL, n, 8, 1);
    ok(ctx, xl_scan_scratch(plan, n, &bytes, &alignment), what);
    xlt_buffer scratch = xlt_scratch_make(bytes, alignment);
    ok(ctx,
       xl_scan_enqueue(plan, xlt_queue(), n, xlt_view(&a), xl_no_view(), xlt_view(&b),
                       xlt_view(&scratch), 0, NULL, NULL),
       what);
    xlt_read(&b, host);
    for (size_t i = 0; i < n; ++i)
        if (host[i] != i * (((uint64_t)1 << 33) + 1))
            XLT_FAIL("%s, %s place: element %zu of %zu is wrong", what, in_place ? "in" : "out of",
                     i, n);
    const cl_uint count = redone(&scratch);
    xlt_check_guards(&scratch, "scratch");
    xlt_buffer_free(&a);
    if (!in_place)
        xlt_buffer_free(&b);
    xlt_buffer_free(&scratch);
    free(host);
    return count;
}

static void held_back(void **state)
{
    (void)state;
    static const unsigned every[] = {512, 16, 2, 1};
    static const unsigned limits[] = {100, 0, 3, 0};
    char text[160];
    if (!can_message())
        return;
    for (unsigned i = 0; i < 8; ++i) {
        xl_scan *plan;
        xl_scan_desc desc;
        const unsigned k = every[i % 4], groups = i / 4;
        snprintf(text, sizeof text,
                 "scan.shape = %u\nscan.item_bytes = 16\nscan.tile_bytes = 1024\n"
                 "scan.hold_back = %u\nscan.spin_limit = %u\n",
                 groups, k, limits[i % 4]);
        xl_context *ctx = open_context(text, NULL);
        xl_scan_desc_init(&desc);
        desc.type = XL_U64;
        desc.algorithm = XL_SCAN_LOOKBACK;
        ok(ctx, xl_scan_create(ctx, &desc, &plan), text);
        const size_t tile = tile_of(ctx, plan), tiles = k == 1 || xlt_small() ? 70 : 1100;
        const cl_uint count = run_held(ctx, plan, tiles * tile + 3, false, text);
        /* A tile that never posts is re-reduced by whoever comes after it. */
        if (count == 0 && k < tiles)
            XLT_FAIL("no tile was re-reduced with %s", text);
        for (int round = 0; round < 3; ++round)
            (void)run_held(ctx, plan, tiles * tile + 3, true, text);
        xl_scan_destroy(plan);
        xl_context_destroy(ctx);
    }
}

/* ---- one plan, many calls -------------------------------------------------- */

/* The plan's own state is used again and again, in any order of sizes. In the second
 * round every other tile posts late, so that whoever comes after it meets what the call
 * before left there, which must count as EMPTY. */
static void calls_in_any_order(void **state)
{
    (void)state;
    static const char *const tunings[] = {
        "scan.tile_bytes = 1024\nscan.item_bytes = 16\n",
        "scan.tile_bytes = 1024\nscan.item_bytes = 16\nscan.hold_back = 2\n"};
    const size_t tiles[] = {3, 40, 2, 39, 1, 40, 90, 5, 90, 60};
    for (size_t t = 0; t < sizeof tunings / sizeof tunings[0]; ++t) {
        const bool late = t == 1;
        xl_context *ctx = open_context(tunings[t], NULL);
        xl_scan *plan;
        xl_scan_desc desc;
        xl_scan_desc_init(&desc);
        ok(ctx, xl_scan_create(ctx, &desc, &plan), "xl_scan_create");
        const size_t tile = tile_of(ctx, plan);
        for (size_t i = 0; i < 40; ++i)
            check(ctx, plan, &desc, "calls in any order", tiles[i % 10] * tile + i % 7,
                  (placing){0, 0, late || i % 2 == 1, late || i % 9 != 8});
        xl_scan_destroy(plan);
        xl_context_destroy(ctx);
    }
}

static void published_example(void **state)
{
    (void)state;
    cl_uint host[1024];
    xl_scan *plan;
    xl_scan_desc desc;
    for (cl_uint i = 0; i < 1024; ++i)
        host[i] = i + 1;
    xlt_buffer a = xlt_buffer_make(host, 1024, 4, 0);
    xl_scan_desc_init(&desc);
    XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
    XLT_OK(xl_scan_enqueue(plan, xlt_queue(), 1024, xlt_view(&a), xl_no_view(), xlt_view(&a),
                           xl_no_view(), 0, NULL, NULL));
    xlt_read(&a, host);
    assert_int_equal(host[0], 0);
    assert_int_equal(host[1023], 523776);
    xlt_buffer_free(&a);
    xl_scan_destroy(plan);
}

/* Sums of numbers of very different size: whatever the order, the bits must be the
 * same each time. */
static void float_sums_repeat(void **state)
{
    (void)state;
    const size_t n = xlt_small() ? 5000 : 200001;
    const int repeats = xlt_small() ? 5 : 200;
    float *in = malloc(n * sizeof *in), *first = malloc(n * sizeof *in);
    float *got = malloc(n * sizeof *in);
    double exact = 0, size = 0;
    xlt_random random = {7};
    xl_scan *plan;
    xl_scan_desc desc;
    for (size_t i = 0; i < n; ++i)
        in[i] = ldexpf(xlt_unit(&random) - 0.5f, (int)xlt_below(&random, 60) - 30);
    xl_scan_desc_init(&desc);
    desc.type = XL_F32;
    desc.kind = XL_INCLUSIVE;
    XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
    xlt_buffer a = xlt_buffer_make(in, n, 4, 0), b = xlt_buffer_make(NULL, n, 4, 0);
    for (int round = 0; round < repeats; ++round) {
        XLT_OK(xl_scan_enqueue(plan, xlt_queue(), n, xlt_view(&a), xl_no_view(), xlt_view(&b),
                               xl_no_view(), 0, NULL, NULL));
        xlt_read(&b, round == 0 ? first : got);
        if (round > 0 && memcmp(first, got, n * sizeof *in) != 0)
            XLT_FAIL("run %d of a deterministic sum differs from the first", round);
    }
    for (size_t i = 0; i < n; ++i) {
        exact += in[i];
        size += fabs(in[i]);
        if (!(fabs(first[i] - exact) <= 1e-5 * size))
            XLT_FAIL("element %zu is %g, not %g", i, first[i], exact);
    }
    xl_scan_destroy(plan);
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    free(in);
    free(first);
    free(got);
}

/* ---- algorithms ------------------------------------------------------------- */

static void algorithms(void **state)
{
    (void)state;
    xl_scan *plan;
    xl_scan_desc desc;
    xl_context *without = open_context(NULL, "no-look-back");
    xl_scan_desc_init(&desc);
    desc.algorithm = XL_SCAN_LOOKBACK;
    refused(without, xl_scan_create(without, &desc, &plan), XL_ERROR_UNSUPPORTED, "messages");
    assert_null(plan);
    desc.algorithm = XL_SCAN_AUTO;
    ok(without, xl_scan_create(without, &desc, &plan), "AUTO without look-back");
    assert_int_equal(xl_scan_algorithm_used(plan, 1000000), XL_SCAN_REDUCE_THEN_SCAN);
    xl_scan_destroy(plan);
    xl_context_destroy(without);
    desc.algorithm = XL_SCAN_REDUCE_THEN_SCAN;
    XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
    assert_int_equal(xl_scan_algorithm_used(plan, 1000000), XL_SCAN_REDUCE_THEN_SCAN);
    xl_scan_destroy(plan);
    if (!can_message())
        return;
    desc.algorithm = XL_SCAN_LOOKBACK;
    XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
    assert_int_equal(xl_scan_algorithm_used(plan, 1000000), XL_SCAN_LOOKBACK);
    xl_scan_destroy(plan);
    desc.type = XL_F32;
    desc.determinism = XL_UNORDERED;
    XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
    xl_scan_destroy(plan);
    assert_int_equal(xl_scan_algorithm_used(NULL, 1), XL_SCAN_AUTO);
}

#ifndef _WIN32
static void environment_is_heeded(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        xl_scan_algorithm used;
    } cases[] = {{"reduce-then-scan", XL_SCAN_REDUCE_THEN_SCAN}, {"look-back", XL_SCAN_LOOKBACK}};
    const char *before = getenv("CROSSLANE_SCAN");
    char *kept = before ? strdup(before) : NULL;
    xl_scan *plan;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    for (size_t i = 0; i < 2; ++i) {
        setenv("CROSSLANE_SCAN", cases[i].word, 1);
        xl_context *ctx = open_context(NULL, NULL);
        ok(ctx, xl_scan_create(ctx, &desc, &plan), cases[i].word);
        if (cases[i].used == XL_SCAN_REDUCE_THEN_SCAN || can_message())
            assert_int_equal(xl_scan_algorithm_used(plan, 1000000), cases[i].used);
        xl_scan_destroy(plan);
        xl_context_destroy(ctx);
    }
    setenv("CROSSLANE_SCAN", "sideways", 1);
    xl_context *ctx = open_context(NULL, NULL);
    refused(ctx, xl_scan_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, "\"sideways\"");
    xl_context_destroy(ctx);
    if (kept)
        setenv("CROSSLANE_SCAN", kept, 1);
    else
        unsetenv("CROSSLANE_SCAN");
    free(kept);
}
#endif

/* ---- queues and events ------------------------------------------------------- */

static cl_int progress(cl_event event)
{
    cl_int status = -1;
    XLT_CL(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

/* On a queue without order only events order a write, two scans of it and a read. */
static void out_of_order(void **state)
{
    (void)state;
    const size_t n = xlt_small() ? 3000 : 300001;
    cl_int code;
    cl_command_queue queue = xlt_out_of_order_queue();
    xl_scan *plan;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
    cl_uint *host = malloc(n * sizeof *host), *got = malloc(n * sizeof *host);
    xlt_buffer a = xlt_buffer_make(NULL, n, 4, 0), b = xlt_buffer_make(NULL, n, 4, 0);
    for (size_t i = 0; i < n; ++i)
        host[i] = (cl_uint)i * 2654435761u;
    cl_event gate = clCreateUserEvent(xl_context_cl(xlt_context()), &code), e[5] = {NULL};
    XLT_CL(code);
    XLT_CL(clEnqueueWriteBuffer(queue, a.mem, CL_FALSE, xlt_view(&a).offset * 4, n * 4, host, 1,
                                &gate, &e[0]));
    XLT_OK(xl_scan_enqueue(plan, queue, n, xlt_view(&a), xl_no_view(), xlt_view(&b), xl_no_view(),
                           1, &e[0], &e[1]));
    XLT_OK(xl_scan_enqueue(plan, queue, n, xlt_view(&b), xl_no_view(), xlt_view(&b), xl_no_view(),
                           1, &e[1], &e[2]));
    XLT_OK(xl_scan_enqueue(plan, queue, 0, xl_no_view(), xl_no_view(), xl_no_view(), xl_no_view(),
                           1, &e[2], &e[3]));
    XLT_CL(clEnqueueReadBuffer(queue, b.mem, CL_FALSE, xlt_view(&b).offset * 4, n * 4, got, 1,
                               &e[3], &e[4]));
    for (int i = 0; i < 5; ++i)
        assert_true(progress(e[i]) > CL_COMPLETE);
    XLT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    XLT_CL(clWaitForEvents(1, &e[4]));
    xli_scan_reference(&desc, n, host, NULL, 0, host);
    xli_scan_reference(&desc, n, host, NULL, 0, host);
    compare("out of order", &desc, n, (unsigned char *)got, (unsigned char *)host);
    for (int i = 0; i < 5; ++i)
        clReleaseEvent(e[i]);
    clReleaseEvent(gate);
    clReleaseCommandQueue(queue);
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xl_scan_destroy(plan);
    free(host);
    free(got);
}

/* ---- threads ------------------------------------------------------------------ */

#ifndef _WIN32
typedef struct worker {
    xl_scan *plan;
    cl_uint seed;
    size_t n;
    xl_status status;
    size_t wrong;
} worker;

/* One thread's share: its own queue and buffers, the common plan. No cmocka here. */
static void *work(void *argument)
{
    worker *w = argument;
    cl_int code;
    size_t bytes = 0, alignment = 0;
    cl_context cl = xl_context_cl(xlt_context());
    cl_uint *host = malloc(w->n * sizeof *host);
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(cl, xl_context_device(xlt_context()), NULL, &code);
    w->status = xl_scan_scratch(w->plan, w->n, &bytes, &alignment);
    cl_mem data = clCreateBuffer(cl, CL_MEM_READ_WRITE, w->n * sizeof *host, NULL, &code);
    cl_mem scratch = clCreateBuffer(cl, CL_MEM_READ_WRITE, bytes + 1, NULL, &code);
    for (int round = 0; round < 10 && w->status == XL_SUCCESS; ++round) {
        const cl_uint step = w->seed + (cl_uint)round;
        for (size_t i = 0; i < w->n; ++i)
            host[i] = step;
        clEnqueueWriteBuffer(queue, data, CL_TRUE, 0, w->n * sizeof *host, host, 0, NULL, NULL);
        w->status = xl_scan_enqueue(w->plan, queue, w->n, xl_view_of(data, 0), xl_no_view(),
                                    xl_view_of(data, 0), xl_view_of(scratch, 0), 0, NULL, NULL);
        clEnqueueReadBuffer(queue, data, CL_TRUE, 0, w->n * sizeof *host, host, 0, NULL, NULL);
        for (size_t i = 0; i < w->n; ++i)
            w->wrong += host[i] != step * (cl_uint)i;
    }
    clReleaseMemObject(data);
    clReleaseMemObject(scratch);
    clReleaseCommandQueue(queue);
    free(host);
    return NULL;
}

static void threads_share_a_plan(void **state)
{
    (void)state;
    pthread_t threads[2];
    xl_scan *plan;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    xlt_needs_threads();
    XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
    const size_t n = xlt_small() ? 3000 : 100003;
    worker workers[2] = {{.plan = plan, .seed = 3, .n = n}, {.plan = plan, .seed = 70, .n = n / 2}};
    for (int i = 0; i < 2; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (int i = 0; i < 2; ++i)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(workers[i].status, XL_SUCCESS);
        assert_int_equal(workers[i].wrong, 0);
    }
    xl_scan_destroy(plan);
}
#endif

/* ---- misuse --------------------------------------------------------------- */

static void create_refuses(void **state)
{
    (void)state;
    xl_context *ctx = xlt_context();
    const struct {
        xl_scan_desc desc;
        const char *text;
    } cases[] = {
        {{.struct_size = 1}, "struct_size is 1"},
        {{.struct_size = sizeof(xl_scan_desc), .type = XL_F32, .op = XL_XOR}, "op: xor"},
        {{.struct_size = sizeof(xl_scan_desc), .type = (xl_type)99, .op = XL_SUM}, "99"},
        {{.struct_size = sizeof(xl_scan_desc), .type = XL_U32, .op = XL_ARG_MIN}, "op: arg-min"},
        {{.struct_size = sizeof(xl_scan_desc),
          .type = XL_U32,
          .op = XL_SUM,
          .kind = (xl_scan_kind)2},
         "kind: 2"},
        {{.struct_size = sizeof(xl_scan_desc),
          .type = XL_U32,
          .op = XL_SUM,
          .algorithm = (xl_scan_algorithm)5},
         "algorithm: 5"},
        {{.struct_size = sizeof(xl_scan_desc),
          .type = XL_U32,
          .op = XL_SUM,
          .determinism = (xl_determinism)3},
         "determinism: 3"},
    };
    xl_scan_desc desc;
    xl_scan *plan = (xl_scan *)&desc;
    xl_scan_desc_init(NULL);
    xl_scan_desc_init(&desc);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        plan = (xl_scan *)&desc;
        refused(ctx, xl_scan_create(ctx, &cases[i].desc, &plan), XL_ERROR_INVALID_ARGUMENT,
                cases[i].text);
        assert_null(plan);
    }
    refused(ctx, xl_scan_create(ctx, NULL, &plan), XL_ERROR_INVALID_ARGUMENT, "desc: NULL");
    refused(ctx, xl_scan_create(ctx, &desc, NULL), XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    refused(NULL, xl_scan_create(NULL, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, "ctx: NULL");
    if (!has_fp64()) {
        desc.type = XL_F64;
        refused(ctx, xl_scan_create(ctx, &desc, &plan), XL_ERROR_UNSUPPORTED, "cl_khr_fp64");
    }
    xl_scan_destroy(NULL);
}

/* A call whose arguments are right, to be spoilt one at a time. */
typedef struct call {
    xl_scan *plan;
    cl_command_queue queue;
    size_t n;
    xl_view in, segments, out, scratch;
    cl_uint num_waits;
    const cl_event *waits;
} call;

static xl_status enqueue(const call *c, cl_event *event)
{
    return xl_scan_enqueue(c->plan, c->queue, c->n, c->in, c->segments, c->out, c->scratch,
                           c->num_waits, c->waits, event);
}

static void expect_refusal(const call *good, const call *bad, xl_status wanted, const char *text)
{
    cl_event event = (cl_event)(uintptr_t)good;
    refused(good->plan && bad->plan ? xlt_context() : NULL, enqueue(bad, &event), wanted, text);
    assert_null(event);
}

static void enqueue_refuses(void **state)
{
    (void)state;
    xl_context *ctx = xlt_context();
    xl_scan_desc desc;
    call good = {.queue = xlt_queue()}, bad;
    size_t bytes, alignment;
    cl_event none = NULL;
    xl_scan_desc_init(&desc);
    ok(ctx, xl_scan_create(ctx, &desc, &good.plan), "xl_scan_create");
    good.n = 3 * tile_of(ctx, good.plan) + 1;
    XLT_OK(xl_scan_scratch(good.plan, good.n, &bytes, &alignment));
    xlt_buffer a = xlt_buffer_make(NULL, 2 * good.n, 4, 0);
    xlt_buffer b = xlt_buffer_make(NULL, good.n, 4, 0);
    xlt_buffer s = xlt_scratch_make(bytes + alignment, alignment);
    cl_context other = NULL;
    cl_int code;
    cl_device_id device = xl_context_device(ctx);
    other = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    XLT_CL(code);
    cl_mem foreign = clCreateBuffer(other, CL_MEM_READ_WRITE, 4 * good.n, NULL, &code);
    XLT_CL(code);
    cl_mem constant = clCreateBuffer(xl_context_cl(ctx), CL_MEM_READ_ONLY, 4 * good.n, NULL, &code);
    XLT_CL(code);
    cl_mem small = clCreateBuffer(xl_context_cl(ctx), CL_MEM_READ_WRITE, bytes - 1, NULL, &code);
    XLT_CL(code);
    good.in = xlt_view(&a);
    good.out = xlt_view(&b);
    good.scratch = xlt_view(&s);
#define REFUSED(field, spoilt, status, text)                                                       \
    do {                                                                                           \
        bad = good;                                                                                \
        bad.field = (spoilt);                                                                      \
        expect_refusal(&good, &bad, (status), (text));                                             \
    } while (0)
    REFUSED(plan, NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    REFUSED(queue, NULL, XL_ERROR_INVALID_ARGUMENT, "queue: NULL");
    REFUSED(in, xl_no_view(), XL_ERROR_INVALID_ARGUMENT, "in: no buffer");
    REFUSED(out, xl_no_view(), XL_ERROR_INVALID_ARGUMENT, "out: no buffer");
    REFUSED(out, xl_view_of(constant, 0), XL_ERROR_INVALID_ARGUMENT, "out: a read-only buffer");
    REFUSED(in, xl_view_of(foreign, 0), XL_ERROR_INVALID_ARGUMENT, "in: a buffer of another");
    REFUSED(segments, good.in, XL_ERROR_INVALID_ARGUMENT, "segments: given");
    REFUSED(in.offset, 2 * good.n, XL_ERROR_INVALID_ARGUMENT, "in a buffer that holds");
    REFUSED(n, SIZE_MAX, XL_ERROR_INVALID_ARGUMENT, "in a buffer that holds");
    REFUSED(out, xl_view_of(a.mem, good.in.offset + 1), XL_ERROR_OVERLAP, "in and out overlap");
    REFUSED(scratch.offset, good.scratch.offset + 8, XL_ERROR_MISALIGNED, "scratch: byte offset");
    REFUSED(scratch, xl_view_of(small, 0), XL_ERROR_SCRATCH_TOO_SMALL, "bytes given");
    REFUSED(scratch, xl_view_of(a.mem, 512), XL_ERROR_OVERLAP, "scratch and in overlap");
    REFUSED(scratch, xl_view_of(b.mem, 512), XL_ERROR_OVERLAP, "scratch and out overlap");
    REFUSED(num_waits, 1, XL_ERROR_INVALID_ARGUMENT, "waits: NULL with num_waits 1");
    REFUSED(waits, &none, XL_ERROR_INVALID_ARGUMENT, "waits: a list with num_waits 0");
    bad = good;
    bad.num_waits = 1;
    bad.waits = &none;
    expect_refusal(&good, &bad, XL_ERROR_INVALID_ARGUMENT, "waits[0]");
    refused(ctx, xl_scan_scratch(good.plan, 1, NULL, &alignment), XL_ERROR_INVALID_ARGUMENT,
            "bytes: NULL");
    /* After all of that the right call works, and nothing had been written. */
    xlt_check_guards(&a, "in");
    xlt_check_guards(&b, "out");
    ok(ctx, enqueue(&good, NULL), "the right call");
    XLT_CL(clFinish(xlt_queue()));
    clReleaseMemObject(foreign);
    clReleaseMemObject(constant);
    clReleaseMemObject(small);
    clReleaseContext(other);
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xlt_buffer_free(&s);
    xl_scan_destroy(good.plan);
}

/* scan_test [PATTERN]: only the tests whose names match. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_example),
        cmocka_unit_test(every_type_operator_and_kind),
        cmocka_unit_test(every_way),
        cmocka_unit_test(large),
        cmocka_unit_test(held_back),
        cmocka_unit_test(calls_in_any_order),
        cmocka_unit_test(float_sums_repeat),
        cmocka_unit_test(algorithms),
        cmocka_unit_test(out_of_order),
#ifndef _WIN32
        cmocka_unit_test(environment_is_heeded),
        cmocka_unit_test(threads_share_a_plan),
#endif
        cmocka_unit_test(create_refuses),
        cmocka_unit_test(enqueue_refuses),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}
