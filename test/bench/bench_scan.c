/* SPDX-License-Identifier: MIT
 * Scans: plain ones of several types by every algorithm, segmented ones by every form of
 * segments, and std::exclusive_scan on one core and on all. */
#include "bench.h"
#include "bench_std.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets of sizes: bit k means 2^k. */
#define SIZE(k) (1u << (k))
#define USUAL 0x15555400u /* every other one from 2^10 to 2^28 */
#define SMALL (SIZE(16) | SIZE(17) | SIZE(18) | SIZE(19) | SIZE(20) | SIZE(21) | SIZE(22))
#define FEW (SIZE(16) | SIZE(20) | SIZE(24) | SIZE(28))
#define MANY (SMALL | SIZE(24) | SIZE(28))

typedef struct variant {
    const char *name;
    xl_type type;
    xl_scan_algorithm algorithm;
    uint32_t sizes;
    xl_determinism determinism;
    bool in_place;
    xl_segments segments;
    size_t run; /* elements of a segment; 0: there is one only */
    size_t at;  /* elements of the buffers before the views begin */
} variant;

static const variant variants[] = {
    {"u32 exclusive sum", XL_U32, XL_SCAN_AUTO, USUAL | SMALL, 0, false, 0, 0, 0},
    {"u32 exclusive sum (reduce-then-scan)", XL_U32, XL_SCAN_REDUCE_THEN_SCAN, FEW, 0, false, 0, 0,
     0},
    {"u32 exclusive sum (kogge-stone)", XL_U32, XL_SCAN_KOGGE_STONE, FEW, 0, false, 0, 0, 0},
    {"u32 exclusive sum (blelloch)", XL_U32, XL_SCAN_BLELLOCH, FEW, 0, false, 0, 0, 0},
    {"u32 exclusive sum (in place)", XL_U32, XL_SCAN_AUTO, FEW, 0, true, 0, 0, 0},
    {"u32 exclusive sum (misaligned)", XL_U32, XL_SCAN_AUTO, FEW, 0, false, 0, 0, 1},
    {"f32 exclusive sum", XL_F32, XL_SCAN_AUTO, MANY, XL_DETERMINISTIC, false, 0, 0, 0},
    {"f32 exclusive sum (unordered)", XL_F32, XL_SCAN_AUTO, FEW, XL_UNORDERED, false, 0, 0, 0},
    {"f32 exclusive sum (reproducible)", XL_F32, XL_SCAN_AUTO, FEW, XL_REPRODUCIBLE, false, 0, 0,
     0},
    {"i64 exclusive sum", XL_I64, XL_SCAN_AUTO, MANY, 0, false, 0, 0, 0},
    {"u8 exclusive sum", XL_U8, XL_SCAN_AUTO, FEW, 0, false, 0, 0, 0},
    {"u8 exclusive sum (misaligned)", XL_U8, XL_SCAN_AUTO, FEW, 0, false, 0, 0, 3},
    {"i16 exclusive sum", XL_I16, XL_SCAN_AUTO, FEW, 0, false, 0, 0, 0},
#define BY_KEY(text, run)                                                                          \
    {                                                                                              \
        "u32 exclusive sum by key, " text, XL_U32, XL_SCAN_AUTO, FEW, 0, false, XL_SEGMENTS_KEYS,  \
            run, 0                                                                                 \
    }
    BY_KEY("runs of 1", 1),
    BY_KEY("runs of 32", 32),
    BY_KEY("runs of 1000", 1000),
    BY_KEY("one run", 0),
#define BY(form, text, kind, run)                                                                  \
    {                                                                                              \
        "u32 exclusive sum by " form ", segments of " text, XL_U32, XL_SCAN_AUTO, SIZE(24), 0,     \
            false, kind, run, 0                                                                    \
    }
    {"i64 exclusive sum by key, runs of 100", XL_I64, XL_SCAN_AUTO, SIZE(24), 0, false,
     XL_SEGMENTS_KEYS, 100, 0},
    BY("flags", "1", XL_SEGMENTS_HEAD_FLAGS, 1),
    BY("flags", "32", XL_SEGMENTS_HEAD_FLAGS, 32),
    BY("bits", "1", XL_SEGMENTS_FLAG_BITMASK, 1),
    BY("bits", "32", XL_SEGMENTS_FLAG_BITMASK, 32),
    BY("width", "1", XL_SEGMENTS_WIDTH, 1),
    BY("width", "32", XL_SEGMENTS_WIDTH, 32),
    BY("offsets", "1", XL_SEGMENTS_OFFSETS, 1),
    BY("offsets", "8", XL_SEGMENTS_OFFSETS, 8),
    BY("offsets", "32", XL_SEGMENTS_OFFSETS, 32),
    BY("offsets", "100", XL_SEGMENTS_OFFSETS, 100),
    BY("offsets", "1000", XL_SEGMENTS_OFFSETS, 1000),
};

typedef struct scan_case {
    const variant *v;
    xl_plan *plan;
    size_t n;
    cl_mem in, out, segments; /* NULL: none */
    size_t num_segments;      /* elements of that array */
    double bytes;
} scan_case;

static xl_status enqueue(bench *b, void *user, cl_event *event)
{
    const scan_case *c = user;
    return xl_scan_enqueue(c->plan, b->queue,
                           &(xl_scan_args){.n = c->n,
                                           .in = xl_view_of(c->in, c->v->at),
                                           .segments = xl_view_n(c->segments, 0, c->num_segments),
                                           .out = xl_view_of(c->out, c->v->at)},
                           0, NULL, event);
}

/* Random bits; small multiples of a half where sums must not depend on their order. */
static void fill(void *to, xl_type type, size_t n)
{
    uint64_t x = 88172645463325252u;
    for (size_t i = 0; i < n; ++i) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
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

/* Element i of a result, and the right value, by a plain loop; f32 sums may round,
 * the others must be equal. */
static bool verify(const variant *v, size_t n, const void *in, const void *got)
{
    double sum = 0, size = 1;
    uint64_t whole = 0;
    for (size_t i = 0, left = 0; i < n; ++i) {
        if (v->run > 0 && left-- == 0) {
            left = v->run - 1;
            whole = 0;
        }
        if (v->type == XL_F32) {
            const double difference = ((const float *)got)[i] - sum;
            const double x = ((const float *)in)[i];
            if (difference > 1e-5 * size || difference < -1e-5 * size)
                return false;
            sum += x;
            size += x < 0 ? -x : x;
        } else if (v->type == XL_U32) {
            if (((const uint32_t *)got)[i] != (uint32_t)whole)
                return false;
            whole += ((const uint32_t *)in)[i];
        } else if (v->type == XL_U8) {
            if (((const uint8_t *)got)[i] != (uint8_t)whole)
                return false;
            whole += ((const uint8_t *)in)[i];
        } else if (v->type == XL_I16) {
            if (((const uint16_t *)got)[i] != (uint16_t)whole)
                return false;
            whole += ((const uint16_t *)in)[i];
        } else {
            if (((const uint64_t *)got)[i] != whole)
                return false;
            whole += ((const uint64_t *)in)[i];
        }
    }
    return true;
}

/* Elements of the segments' array, and the bytes of each. */
static size_t segment_array(const variant *v, size_t n, size_t *bytes)
{
    *bytes = v->segments == XL_SEGMENTS_HEAD_FLAGS ? 1 : 4;
    switch (v->segments) {
    case XL_SEGMENTS_HEAD_FLAGS:
    case XL_SEGMENTS_KEYS:
        return n;
    case XL_SEGMENTS_FLAG_BITMASK:
        return (n + 31) / 32;
    case XL_SEGMENTS_OFFSETS:
        return (n + v->run - 1) / v->run + 1;
    default:
        return 0;
    }
}

static void fill_segments(const variant *v, size_t n, size_t count, void *to)
{
    uint32_t *const words = to;
    if (v->segments == XL_SEGMENTS_FLAG_BITMASK)
        memset(words, 0, count * 4);
    for (size_t i = 0; i < n; ++i) {
        const bool head = v->run > 0 && i % v->run == 0;
        if (v->segments == XL_SEGMENTS_HEAD_FLAGS)
            ((uint8_t *)to)[i] = head;
        else if (v->segments == XL_SEGMENTS_KEYS)
            words[i] = v->run > 0 ? (uint32_t)(i / v->run) : 7;
        else if (v->segments == XL_SEGMENTS_FLAG_BITMASK)
            words[i / 32] |= (uint32_t)head << i % 32;
    }
    for (size_t s = 0; v->segments == XL_SEGMENTS_OFFSETS && s < count; ++s)
        words[s] = (uint32_t)(s + 1 < count ? s * v->run : n);
}

static xl_status make_segments(bench *b, scan_case *c)
{
    size_t bytes;
    c->num_segments = segment_array(c->v, c->n, &bytes);
    if (c->num_segments == 0)
        return XL_SUCCESS;
    void *host = malloc(c->num_segments * bytes);
    if (!host)
        return XL_ERROR_OUT_OF_MEMORY;
    fill_segments(c->v, c->n, c->num_segments, host);
    c->segments = clCreateBuffer(xl_context_cl(b->ctx), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                 c->num_segments * bytes, host, NULL);
    free(host);
    c->bytes += (double)(c->num_segments * bytes);
    return c->segments ? XL_SUCCESS : XL_ERROR_OUT_OF_MEMORY;
}

static xl_status check(bench *b, scan_case *c)
{
    const size_t bytes = c->n * xl_type_size(c->v->type), at = c->v->at * xl_type_size(c->v->type);
    void *in = malloc(bytes), *got = malloc(bytes);
    xl_status status = in && got ? XL_SUCCESS : XL_ERROR_OUT_OF_MEMORY;
    if (status == XL_SUCCESS) {
        fill(in, c->v->type, c->n);
        clEnqueueWriteBuffer(b->queue, c->in, CL_TRUE, at, bytes, in, 0, NULL, NULL);
        status = enqueue(b, c, NULL);
        clEnqueueReadBuffer(b->queue, c->out, CL_TRUE, at, bytes, got, 0, NULL, NULL);
    }
    if (status != XL_SUCCESS) {
        bench_failed(b, "scan", c->v->name, c->n, status);
    } else if (!verify(c->v, c->n, in, got)) {
        bench_wrong(b, "scan", c->v->name, c->n, "differs from a plain loop");
        status = XL_ERROR_INTERNAL;
    }
    free(in);
    free(got);
    return status;
}

static void run_size(bench *b, scan_case *c)
{
    cl_context cl = xl_context_cl(b->ctx);
    const variant *v = c->v;
    const size_t bytes = c->n * xl_type_size(v->type), room = bytes + v->at * xl_type_size(v->type);
    c->bytes = 2.0 * (double)bytes;
    c->segments = NULL;
    c->in = clCreateBuffer(cl, CL_MEM_READ_WRITE, room, NULL, NULL);
    c->out = v->in_place ? c->in : clCreateBuffer(cl, CL_MEM_READ_WRITE, room, NULL, NULL);
    if (!c->in || !c->out || make_segments(b, c) != XL_SUCCESS)
        bench_failed(b, "scan", v->name, c->n, XL_ERROR_OUT_OF_MEMORY);
    else if (check(b, c) == XL_SUCCESS)
        (void)bench_case(b, "scan", v->name, c->n, c->bytes, enqueue, c);
    if (c->segments)
        clReleaseMemObject(c->segments);
    if (c->out && !v->in_place)
        clReleaseMemObject(c->out);
    if (c->in)
        clReleaseMemObject(c->in);
}

static void run_variant(bench *b, const variant *v)
{
    scan_case c = {.v = v};
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.type = v->type;
    desc.algorithm = v->algorithm;
    desc.determinism = v->determinism;
    desc.segments = v->segments;
    if (v->segments == XL_SEGMENTS_KEYS || v->segments == XL_SEGMENTS_OFFSETS)
        desc.segment_type = XL_U32;
    if (v->segments == XL_SEGMENTS_WIDTH)
        desc.segment_width = v->run;
    const xl_status status = xl_scan_create(b->ctx, &desc, &c.plan);
    if (status == XL_ERROR_UNSUPPORTED) {
        printf("scan   %-44s left out: %s\n", v->name, xl_context_error(b->ctx));
        return;
    }
    if (status != XL_SUCCESS) {
        bench_failed(b, "scan", v->name, 0, status);
        return;
    }
    for (unsigned k = 0; k < 32 && (size_t)1 << k <= b->max_n; ++k) {
        c.n = (size_t)1 << k;
        if (c.n >= b->options->min_n && (v->sizes & SIZE(k)))
            run_size(b, &c);
    }
    xl_plan_destroy(c.plan);
}

#ifdef BENCH_HAS_STD
typedef struct std_peer {
    const char *program;
    double (*time)(const uint32_t *in, uint32_t *out, size_t n, unsigned runs);
} std_peer;

static const std_peer std_peers[] = {
    {"std", bench_std_exclusive_scan},
#ifdef BENCH_HAS_PAR
    {"std par_unseq", bench_par_exclusive_scan},
#endif
};

static void run_std_size(bench *b, const std_peer *peer, const uint32_t *in, uint32_t *out,
                         size_t n)
{
    memset(out, 0xA5, n * sizeof *out);
    const double ms = peer->time(in, out, n, b->runs);
    if (verify(&(variant){.type = XL_U32}, n, in, out))
        bench_host_case(b, peer->program, "scan", "u32 exclusive sum", n, 8.0 * (double)n, ms);
    else
        bench_host_wrong(b, peer->program, "scan", "u32 exclusive sum", n, "not the running sums");
}

static void run_std(bench *b)
{
    for (size_t n = (size_t)1 << 16; n <= b->max_n; n *= 4) {
        uint32_t *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);
        if (in && out) {
            fill(in, XL_U32, n);
            for (size_t k = 0; k < sizeof std_peers / sizeof std_peers[0]; ++k)
                run_std_size(b, &std_peers[k], in, out, n);
        }
        free(in);
        free(out);
    }
}
#endif

static void run_peers(bench *b)
{
#ifdef BENCH_HAS_STD
    run_std(b);
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
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; ++i)
        if (bench_wants(b, variants[i].name))
            run_variant(b, &variants[i]);
    if (!b->options->match)
        run_peers(b);
}
