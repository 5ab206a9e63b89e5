/* SPDX-License-Identifier: MIT
 * Support of the tests of scans and reductions. */
#include "scan_support.h"

#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <process.h>
#else
#include <unistd.h>
#endif

/* ---- contexts ---------------------------------------------------------------- */

const char small_tiles[] = "scan.tile_bytes = 1024\nscan.item_bytes = 16\nscan.group_size = 64\n";

xl_context *open_context(const char *tune, const char *mask)
{
    char path[64];
    xl_context *ctx = NULL;
    xl_context_desc desc;
    xl_context_desc_init(&desc);
    desc.mask = mask;
    /* Tests of one folder may run side by side. */
    snprintf(path, sizeof path, "scan_test_%ld.tune", (long)getpid());
    if (tune) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(tune, file);
        fclose(file);
        desc.tune_file = path;
    }
    const xl_status status = xl_context_adopt(xl_context_cl(xlt_context()),
                                              xl_context_device(xlt_context()), &desc, &ctx);
    if (tune)
        remove(path);
    if (status != XL_SUCCESS)
        XLT_FAIL("no context with tuning \"%s\": %s", tune ? tune : "", xl_context_error(NULL));
    return ctx;
}

void ok(xl_context *ctx, xl_status status, const char *what)
{
    if (status != XL_SUCCESS)
        XLT_FAIL("%s gave %s: %.900s", what, xl_status_name(status), xl_context_error(ctx));
}

bool can_publish(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    if (!info.has_device_scope)
        print_message("%s: no messages between work-groups, look-back left out\n", xlt_device());
    return info.has_device_scope;
}

bool can_pipeline(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    const bool can = strcmp(info.cross_lane, "local") != 0 && info.sub_group_size >= 8;
    if (!can)
        print_message("%s: no sub-groups of 8 or more, pipelined look-back left out\n",
                      xlt_device());
    return can;
}

void *bytes_for(size_t n, size_t size)
{
    void *bytes = malloc(n * size + 1);
    assert_non_null(bytes);
    return bytes;
}

cl_mem plain_buffer(size_t bytes)
{
    cl_int code;
    cl_mem mem =
        clCreateBuffer(xl_context_cl(xlt_context()), CL_MEM_READ_WRITE, bytes, NULL, &code);
    XLT_CL(code);
    return mem;
}

unsigned large_log_or_skip(void)
{
    const char *wish = getenv("CROSSLANE_TEST_LARGE");
    const long number = wish ? strtol(wish, NULL, 10) : 0;
    if (number != 1 && (number < 20 || number > 32)) {
        print_message("CROSSLANE_TEST_LARGE=1 is not set: 2^32 elements left out\n");
        skip();
    }
    return number == 1 ? 32 : (unsigned)number;
}

/* ---- where segments begin ------------------------------------------------------ */

segments segments_make(const xl_scan_desc *desc, pattern p, size_t n, uint64_t seed)
{
    static const uint64_t patterns[] = {WHOLE,   SINGLETONS, SHORT_RUNS, LONG_RUNS,
                                        BORDERS, LAST_ALONE, MIXED};
    const bool has_array = desc->segments != XL_SEGMENTS_NONE && desc->segments < XL_SEGMENTS_WIDTH;
    fuzz_case c = {{[SEGMENTS] = desc->segments,
                    [WIDTH] = desc->segment_width,
                    [MASK] = desc->segment_mask,
                    [N] = n,
                    [SEED] = seed,
                    [PATTERN] = has_array ? patterns[p] : WHOLE}};
    while (desc->segment_type != XL_NONE && c.of[SEGMENT_TYPE] < 7 &&
           segment_type_of(&c) != desc->segment_type)
        ++c.of[SEGMENT_TYPE];
    const segmentation s = make_segments(&c);
    return (segments){
        .array = s.array, .count = s.array_n, .bytes = s.array_bytes, .heads = s.heads};
}

void segments_free(segments *s)
{
    free_bytes();
    *s = (segments){0};
}

/* ---- data ------------------------------------------------------------------------ */

/* Whole numbers, whose sums are exact whatever the order; beside sums some odd ones, too. */
static double number(xl_op op, xlt_random *random)
{
    static const double odd[] = {0.0, -0.0, INFINITY, -INFINITY, 3e4, -6e-4, NAN};
    const uint32_t pick = xlt_below(random, 97);
    if (op == XL_SUM)
        return (double)xlt_below(random, 15) - 7.0;
    return pick < sizeof odd / sizeof odd[0] ? odd[pick]
                                             : (double)xlt_below(random, 2000) / 16 - 60;
}

static void fill_element(xl_type type, xl_op op, xlt_random *random, void *to)
{
    const double x = type == XL_F32 || type == XL_F64 ? number(op, random) : 0;
    const float single = (float)x;
    const uint64_t bits = xlt_next(random);
    memcpy(to,
           type == XL_F32   ? (const void *)&single
           : type == XL_F64 ? (const void *)&x
                            : &bits,
           xl_type_size(type));
}

/* Mesa's compilers take x + 0 for x, also where x is -0 (rusticl 22.3): on llvmpipe a zero
 * is a zero. */
static bool same_element(xl_type type, const void *a, const void *b)
{
    float f, g;
    double d, e;
    if (type == XL_F32)
        return memcpy(&f, a, sizeof f), memcpy(&g, b, sizeof g),
               (isnan(f) && isnan(g)) || (f == 0 && g == 0 && strstr(xlt_device(), "llvmpipe"));
    if (type == XL_F64)
        return memcpy(&d, a, sizeof d), memcpy(&e, b, sizeof e), isnan(d) && isnan(e);
    return false;
}

const void *odd_init(xl_type type)
{
    static const uint64_t bits = 0x123456789abcdefu;
    static const float single = -5.0f;
    static const double wide = 3.0;
    return type == XL_F32 ? (const void *)&single : type == XL_F64 ? (const void *)&wide : &bits;
}

/* ---- jobs -------------------------------------------------------------------------- */

void job_make(job *j, const char *what, xl_type type, xl_op op, xl_scan_kind kind, const void *init)
{
    *j = (job){.what = what, .in_type = type, .out_type = type, .pattern = HEADS_IN_7};
    xl_scan_desc_init(&j->desc);
    j->desc.type = type;
    j->desc.op = op;
    j->desc.kind = kind;
    j->desc.init = init;
    ref_flat_of(&j->ref, type, op, kind == XL_INCLUSIVE, init);
}

/* Mesa 22.3 (rusticl) crashes in a compiler pass over functions that return vectors, or
 * structs of bytes. */
bool job_ends_the_process(const job *j)
{
    const xl_user_type *type = j->desc.user_type;
    const bool crashes = type ? type->alignment < 4 : (unsigned)j->desc.type >> 8 != 0;
    (void)xlt_context();
    if (j->desc.op != XL_USER_OP || !crashes || !strstr(xlt_device(), "llvmpipe"))
        return false;
    print_message("%s: its compiler ends the process on %s, left out\n", xlt_device(), j->what);
    return true;
}

xl_scan_desc job_desc(const job *j)
{
    xl_scan_desc desc = j->desc;
    if (desc.segments != XL_SEGMENTS_KEYS && desc.segments != XL_SEGMENTS_OFFSETS)
        desc.segment_type = XL_NONE;
    return desc;
}

xl_plan *job_plan(xl_context *ctx, const job *j)
{
    xl_plan *plan;
    const xl_scan_desc desc = job_desc(j);
    if (job_ends_the_process(j))
        return NULL;
    const xl_status status = xl_scan_create(ctx, &desc, &plan);
    if (status == XL_ERROR_UNSUPPORTED && strstr(xl_context_error(ctx), "cl_khr_fp")) {
        print_message("left out: %s\n", xl_context_error(ctx));
        return NULL;
    }
    /* One that gave wrong results when it was tried is a failure. */
    if (status == XL_ERROR_UNSUPPORTED && j->desc.algorithm == XL_SCAN_LOOKBACK &&
        strstr(xl_context_error(ctx), "does not promise")) {
        print_message("left out: %s\n", xl_context_error(ctx));
        return NULL;
    }
    ok(ctx, status, j->what);
    return plan;
}

const placing placings[NUM_PLACINGS] = {
    {0, 0, false, true},  {0, 0, true, false}, {1, 0, false, false},
    {0, 1, false, false}, {3, 3, true, true},  {2, 5, false, true},
};

void job_compare(const job *j, size_t n, const void *got, const void *wanted)
{
    const size_t size = j->ref.out_bytes;
    const unsigned char *a = got, *b = wanted;
    if (memcmp(a, b, n * size) == 0)
        return;
    for (size_t i = 0; i < n; ++i, a += size, b += size) {
        unsigned long long x = 0, y = 0; /* the first bytes */
        if (memcmp(a, b, size) == 0 || (j->out_type && same_element(j->out_type, a, b)))
            continue;
        memcpy(&x, a, size < sizeof x ? size : sizeof x);
        memcpy(&y, b, size < sizeof y ? size : sizeof y);
        XLT_FAIL("%s: %s, op %d, type %s, segments %d, pattern %d, n %zu: element %zu of %zu bytes "
                 "is 0x%llx, not 0x%llx",
                 j->what, j->desc.kind == XL_INCLUSIVE ? "inclusive" : "exclusive", (int)j->desc.op,
                 xl_type_name(j->desc.type), (int)j->desc.segments, (int)j->pattern, n, i, size, x,
                 y);
    }
}

void *job_input(const job *j, size_t n)
{
    xlt_random random = {n + 1 + j->seed};
    unsigned char *in = bytes_for(n, j->ref.in_bytes);
    for (size_t i = 0; i < n; ++i) {
        if (j->fill)
            j->fill(&random, i, in + i * j->ref.in_bytes);
        else
            fill_element(j->in_type, j->desc.op, &random, in + i * j->ref.in_bytes);
    }
    return in;
}

static void check_unchanged(const xlt_buffer *buffer, const void *wanted, const char *name)
{
    void *got = bytes_for(buffer->n, buffer->size);
    xlt_read(buffer, got);
    if (!wanted || memcmp(got, wanted, buffer->n * buffer->size) != 0)
        XLT_FAIL("the call changed %s", name);
    free(got);
}

/* Finds the bytes of a tile from the scratch that calls of many tiles need. */
xlt_buffer scan_scratch_make(xl_context *ctx, const xl_plan *plan, size_t n, xlt_tiles *tiles)
{
    enum { MANY = 1 << 14, HEADER = 64 };
    size_t bytes, most;
    const size_t tile = tile_of(ctx, plan);
    *tiles = (xlt_tiles){0};
    ok(ctx, xl_scan_scratch(plan, &(xl_scan_args){.n = n}, &bytes), "xl_scan_scratch");
    ok(ctx, xl_scan_scratch(plan, &(xl_scan_args){.n = MANY * tile}, &most), "xl_scan_scratch");
    if (bytes == 0 || xlt_scan_algorithm(plan, n) != XL_SCAN_LOOKBACK)
        return xlt_scratch_make(bytes);
    tiles->words = (most - HEADER) / 8 / MANY; /* the rest is for alignment */
    if (tiles->words == 0)                     /* long calls take longer tiles, as on GPUs */
        return xlt_scratch_make(bytes);
    tiles->count = (bytes - HEADER) / 8 / tiles->words;
    return xlt_scratch_make_open(bytes, &tiles->memory);
}

void job_check(xl_context *ctx, xl_plan *plan, const job *j, size_t n, placing place)
{
    const bool in_place = place.in_place && j->ref.in_bytes == j->ref.out_bytes;
    void *in = job_input(j, n), *wanted = bytes_for(n, j->ref.out_bytes);
    void *got = bytes_for(n, j->ref.out_bytes);
    xlt_tiles tiles = {0};
    segments s = segments_make(&j->desc, j->pattern, n, n + j->seed);
    if (j->order)
        scan_in_order(&j->ref, j->order, n, in, j->desc.segments ? s.heads : NULL, false, NULL,
                      wanted);
    else
        ref_scan(&j->ref, n, in, s.heads, wanted);
    xlt_buffer a = xlt_buffer_make(in, n, j->ref.in_bytes, place.in_offset);
    xlt_buffer b = in_place ? a : xlt_buffer_make(NULL, n, j->ref.out_bytes, place.out_offset);
    xlt_buffer heads = {0};
    if (s.bytes > 0)
        heads = xlt_buffer_make(s.array, s.count, s.bytes, place.out_offset % 2);
    xlt_buffer scratch = {0};
    if (!place.own_scratch)
        scratch = scan_scratch_make(ctx, plan, n, &tiles);
    xlt_watch_start(j->what, &tiles);
    ok(ctx,
       xl_scan_enqueue(
           plan, xlt_queue(),
           &(xl_scan_args){.n = n,
                           .in = xlt_view(&a),
                           .segments = s.bytes > 0
                                           ? xl_view_n(heads.mem, xlt_view(&heads).offset, s.count)
                                           : xl_no_view(),
                           .out = xlt_view(&b),
                           .scratch = xlt_view(&scratch)},
           0, NULL, NULL),
       j->what);
    xlt_read(&b, got);
    xlt_watch_stop();
    job_compare(j, n, got, wanted);
    xlt_check_guards(&b, "out");
    if (scratch.mem)
        xlt_check_guards(&scratch, "scratch");
    if (heads.mem)
        check_unchanged(&heads, s.array, "segments");
    if (!in_place) {
        check_unchanged(&a, in, "in");
        xlt_buffer_free(&b);
    }
    xlt_buffer_free(&a);
    xlt_buffer_free(&heads);
    xlt_buffer_free(&scratch);
    segments_free(&s);
    free(in);
    free(wanted);
    free(got);
}

size_t tile_of(xl_context *ctx, const xl_plan *plan)
{
    size_t low = 0, high = (size_t)1 << 32, bytes;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        ok(ctx, xl_scan_scratch(plan, &(xl_scan_args){.n = middle}, &bytes), "xl_scan_scratch");
        *(bytes > 0 ? &high : &low) = middle;
    }
    return low > 0 ? low : 1;
}
