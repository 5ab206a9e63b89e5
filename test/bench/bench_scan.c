/* SPDX-License-Identifier: MIT
 * Scans: of the whole array for several types by every algorithm, of segments in every form; beside
 * std::exclusive_scan on one core and on all. */
#include "bench_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVERY_OTHER 0x15555400u /* from 2^10 to 2^28 */
#define SMALL (BENCH_SIZE(23) - BENCH_SIZE(16))
#define FEW (BENCH_SIZE(16) | BENCH_SIZE(20) | BENCH_LARGE)
#define MANY (SMALL | BENCH_LARGE)

typedef struct scanner {
    const char *variant;
    xl_type type;
    uint32_t sizes;
    xl_scan_algorithm algorithm;
    xl_determinism determinism;
    bool in_place;
    size_t at; /* elements of the buffers before the views begin */
    xl_segments segments;
    size_t run; /* elements of a segment; 0: there is one segment */
} scanner;

#define PLAIN(width, text, sizes_of, ...)                                                          \
    {                                                                                              \
        .variant = width " exclusive sum" text, .sizes = (sizes_of), __VA_ARGS__                   \
    }
#define U32(text, ...) PLAIN("u32", text, FEW, .type = XL_U32, __VA_ARGS__)
#define BY_KEY(text, length) U32(" by key, " text, .segments = XL_SEGMENTS_KEYS, .run = length)
#define BY(form, kind, length)                                                                     \
    PLAIN("u32", " by " form ", segments of " #length, BENCH_SIZE(24), .type = XL_U32,             \
          .segments = XL_SEGMENTS_##kind, .run = length)

static const scanner scanners[] = {
    PLAIN("u32", "", EVERY_OTHER | SMALL, .type = XL_U32),
    U32(" (reduce-then-scan)", .algorithm = XL_SCAN_REDUCE_THEN_SCAN),
    U32(" (in place)", .in_place = true),
    U32(" (misaligned)", .at = 1),
    PLAIN("f32", "", MANY, .type = XL_F32, .determinism = XL_DETERMINISTIC),
    PLAIN("f32", " (unordered)", FEW, .type = XL_F32, .determinism = XL_UNORDERED),
    PLAIN("f32", " (reproducible)", FEW, .type = XL_F32, .determinism = XL_REPRODUCIBLE),
    PLAIN("i64", "", MANY, .type = XL_I64),
    PLAIN("u8", "", FEW, .type = XL_U8),
    PLAIN("u8", " (misaligned)", FEW, .type = XL_U8, .at = 3),
    PLAIN("i16", "", FEW, .type = XL_I16),
    BY_KEY("runs of 1", 1),
    BY_KEY("runs of 32", 32),
    BY_KEY("runs of 1000", 1000),
    BY_KEY("one run", 0),
    PLAIN("i64", " by key, runs of 100", BENCH_SIZE(24), .type = XL_I64,
          .segments = XL_SEGMENTS_KEYS, .run = 100),
    BY("flags", HEAD_FLAGS, 1),
    BY("flags", HEAD_FLAGS, 32),
    BY("bits", FLAG_BITMASK, 1),
    BY("bits", FLAG_BITMASK, 32),
    BY("width", WIDTH, 1),
    BY("width", WIDTH, 32),
    BY("offsets", OFFSETS, 1),
    BY("offsets", OFFSETS, 8),
    BY("offsets", OFFSETS, 32),
    BY("offsets", OFFSETS, 100),
    BY("offsets", OFFSETS, 1000),
};

enum { IN, SEGMENTS, OUT, HOST_END };

/* Elements of the segments' array. */
static size_t num_segments(const scanner *s, size_t n)
{
    switch (s->segments) {
    case XL_SEGMENTS_HEAD_FLAGS:
    case XL_SEGMENTS_KEYS:
        return n;
    case XL_SEGMENTS_FLAG_BITMASK:
        return (n + 31) / 32;
    case XL_SEGMENTS_OFFSETS:
        return (n + s->run - 1) / s->run + 1;
    default:
        return 0;
    }
}

static xl_status create(bench *b, bench_job *j)
{
    const scanner *s = j->kind;
    const bool has_type = s->segments == XL_SEGMENTS_KEYS || s->segments == XL_SEGMENTS_OFFSETS;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.type = s->type;
    desc.algorithm = s->algorithm;
    desc.determinism = s->determinism;
    desc.segments = s->segments;
    desc.segment_type = has_type ? XL_U32 : XL_NONE;
    if (s->segments == XL_SEGMENTS_WIDTH)
        desc.segment_width = s->run;
    j->in_place = s->in_place;
    j->size[IN] = j->size[OUT] = (j->n + s->at) * xl_type_size(s->type);
    j->size[SEGMENTS] = num_segments(s, j->n) * (s->segments == XL_SEGMENTS_HEAD_FLAGS ? 1 : 4);
    j->bytes = (double)(2 * j->n * xl_type_size(s->type) + j->size[SEGMENTS]);
    return xl_scan_create(b->ctx, &desc, &j->plan);
}

/* Random bits; of f32 small multiples of a half, whose sums are nearly independent of the order. */
static void fill_elements(void *to, xl_type type, size_t n)
{
    uint64_t state = BENCH_SEED;
    for (size_t i = 0; i < n; ++i) {
        const uint64_t x = bench_random(&state);
        if (type == XL_F32)
            ((float *)to)[i] = (float)(x >> 40 & 7) - 3.5f;
        else if (type == XL_U32)
            ((uint32_t *)to)[i] = (uint32_t)(x >> 32);
        else if (type == XL_U8)
            ((uint8_t *)to)[i] = (uint8_t)(x >> 32);
        else if (type == XL_I16)
            ((uint16_t *)to)[i] = (uint16_t)(x >> 32);
        else
            ((uint64_t *)to)[i] = x;
    }
}

static void fill(bench_job *j)
{
    const scanner *s = j->kind;
    const size_t count = num_segments(s, j->n);
    uint32_t *const words = j->host[SEGMENTS];
    fill_elements(j->host[IN], s->type, j->n + s->at);
    for (size_t i = 0; i < j->n && words; ++i) {
        const bool head = s->run > 0 && i % s->run == 0;
        if (s->segments == XL_SEGMENTS_HEAD_FLAGS)
            ((uint8_t *)j->host[SEGMENTS])[i] = head;
        else if (s->segments == XL_SEGMENTS_KEYS)
            words[i] = s->run > 0 ? (uint32_t)(i / s->run) : 7;
        else if (s->segments == XL_SEGMENTS_FLAG_BITMASK)
            words[i / 32] |= (uint32_t)head << i % 32;
    }
    for (size_t k = 0; s->segments == XL_SEGMENTS_OFFSETS && k < count; ++k)
        words[k] = (uint32_t)(k + 1 < count ? k * s->run : j->n);
}

static xl_status enqueue(bench *b, void *user, cl_event *event)
{
    const bench_job *j = user;
    const scanner *s = j->kind;
    const xl_scan_args args = {.n = j->n,
                               .in = xl_view_of(j->mem[IN], s->at),
                               .segments = xl_view_n(j->mem[SEGMENTS], 0, num_segments(s, j->n)),
                               .out = xl_view_of(j->mem[OUT], s->at)};
    return xl_scan_enqueue(j->plan, b->queue, &args, 0, NULL, event);
}

/* The bits of an integer of any of the types, as an unsigned number. */
static uint64_t integer_at(xl_type type, const void *from, size_t i)
{
    switch (xl_type_size(type)) {
    case 1:
        return ((const uint8_t *)from)[i];
    case 2:
        return ((const uint16_t *)from)[i];
    case 4:
        return ((const uint32_t *)from)[i];
    default:
        return ((const uint64_t *)from)[i];
    }
}

/* Compares with a loop; f32 sums may be rounded, the others must be equal. */
static bool is_right(const scanner *s, size_t n, const void *in, const void *got)
{
    const unsigned unused = 64 - 8 * (unsigned)xl_type_size(s->type);
    double sum = 0, size = 1;
    uint64_t whole = 0;
    for (size_t i = s->at; i < n + s->at; ++i) {
        if (s->run > 0 && (i - s->at) % s->run == 0)
            whole = 0;
        if (s->type == XL_F32) {
            const double difference = ((const float *)got)[i] - sum, x = ((const float *)in)[i];
            if (!(difference <= 1e-5 * size && difference >= -1e-5 * size))
                return false;
            sum += x;
            size += x < 0 ? -x : x;
        } else if (integer_at(s->type, got, i) != whole << unused >> unused) {
            return false;
        } else {
            whole += integer_at(s->type, in, i);
        }
    }
    return true;
}

static const char *fault(bench_job *j)
{
    return is_right(j->kind, j->n, j->host[IN], j->host[OUT]) ? NULL : "differs from a plain loop";
}

/* ---- the C++ standard library ------------------------------------------------ */

#ifdef BENCH_HAS_STD
static void run_std_size(bench *b, const char *program,
                         double (*time)(const uint32_t *, uint32_t *, size_t, unsigned),
                         const uint32_t *in, uint32_t *out, size_t n)
{
    const bench_part part = {.name = "scan"};
    const scanner plain = PLAIN("u32", "", 0, .type = XL_U32);
    const bench_job j = {.part = &part, .variant = plain.variant, .n = n, .bytes = 8.0 * (double)n};
    memset(out, 0xA5, n * sizeof *out);
    const double ms = time(in, out, n, b->runs);
    bench_job_std(b, &j, program, is_right(&plain, n, in, out) ? NULL : "not the running sums", ms);
}
#endif

static void run_peers(bench *b)
{
#ifdef BENCH_HAS_STD
    for (size_t n = (size_t)1 << 16; n <= b->max_n; n *= 4) {
        uint32_t *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);
        if (in && out) {
            fill_elements(in, XL_U32, n);
            run_std_size(b, "std", bench_std_exclusive_scan, in, out, n);
#ifdef BENCH_HAS_PAR
            run_std_size(b, "std par_unseq", bench_par_exclusive_scan, in, out, n);
#endif
        }
        free(in);
        free(out);
    }
#else
    printf("scan   std left out: built without a C++ compiler\n");
    (void)b;
#endif
#ifndef BENCH_HAS_PAR
    printf("scan   std par_unseq left out: built without TBB\n");
#endif
}

void bench_scan(bench *b)
{
    static const bench_part part =
        BENCH_PART("scan", OUT, HOST_END, HOST_END, .left_out_if_unsupported = true);
    for (size_t i = 0; i < sizeof scanners / sizeof scanners[0]; ++i)
        bench_job_run(b, &part, &scanners[i], scanners[i].variant, scanners[i].sizes);
    if (!b->options->match)
        run_peers(b);
}
