/* SPDX-License-Identifier: MIT
 * Scans of u32 by every algorithm, of f32 and i64, and std::exclusive_scan on one
 * core and on all. */
#include "bench.h"
#include "bench_std.h"
#include "scan/scan_ref.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scan_case {
    xl_scan *plan;
    size_t n;
    cl_mem in, out;
} scan_case;

typedef struct variant {
    const char *name;
    xl_type type;
    xl_scan_algorithm algorithm;
    bool in_place;
    unsigned first, step; /* sizes 2^first, 2^(first + step), ... */
} variant;

static const variant variants[] = {
    {"u32 exclusive sum", XL_U32, XL_SCAN_AUTO, false, 10, 2},
    {"u32 exclusive sum (look-back)", XL_U32, XL_SCAN_LOOKBACK, false, 16, 4},
    {"u32 exclusive sum (reduce-then-scan)", XL_U32, XL_SCAN_REDUCE_THEN_SCAN, false, 16, 4},
    {"u32 exclusive sum (in place)", XL_U32, XL_SCAN_AUTO, true, 16, 4},
    {"f32 exclusive sum", XL_F32, XL_SCAN_AUTO, false, 20, 4},
    {"i64 exclusive sum", XL_I64, XL_SCAN_AUTO, false, 20, 4},
};

static xl_status enqueue(bench *b, void *user, cl_event *event)
{
    const scan_case *c = user;
    return xl_scan_enqueue(c->plan, b->queue, c->n, xl_view_of(c->in, 0), xl_no_view(),
                           xl_view_of(c->out, 0), xl_no_view(), 0, NULL, event);
}

/* Random bits; small whole numbers where sums must not depend on their order. */
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
        else
            ((uint64_t *)to)[i] = x;
    }
}

/* The largest difference allowed is 0, but for f32, where partial sums round. */
static bool verify(const xl_scan_desc *desc, size_t n, const void *in, void *got, void *wanted)
{
    xli_scan_reference(desc, n, in, wanted);
    if (desc->type != XL_F32)
        return memcmp(got, wanted, n * xl_type_size(desc->type)) == 0;
    double sum = 0, size = 1;
    for (size_t i = 0; i < n; ++i) {
        const double difference = ((const float *)got)[i] - sum;
        if (difference > 1e-5 * size || difference < -1e-5 * size)
            return false;
        const double x = ((const float *)in)[i];
        sum += x;
        size += x < 0 ? -x : x;
    }
    return true;
}

static xl_status check(bench *b, const variant *v, const xl_scan_desc *desc, scan_case *c)
{
    const size_t bytes = c->n * xl_type_size(desc->type);
    void *in = malloc(bytes), *got = malloc(bytes), *wanted = malloc(bytes);
    xl_status status = in && got && wanted ? XL_SUCCESS : XL_ERROR_OUT_OF_MEMORY;
    if (status == XL_SUCCESS) {
        fill(in, desc->type, c->n);
        clEnqueueWriteBuffer(b->queue, c->in, CL_TRUE, 0, bytes, in, 0, NULL, NULL);
        status = enqueue(b, c, NULL);
        clEnqueueReadBuffer(b->queue, c->out, CL_TRUE, 0, bytes, got, 0, NULL, NULL);
    }
    if (status != XL_SUCCESS) {
        bench_failed(b, "scan", v->name, c->n, status);
    } else if (!verify(desc, c->n, in, got, wanted)) {
        bench_wrong(b, "scan", v->name, c->n, "differs from the serial reference");
        status = XL_ERROR_INTERNAL;
    }
    free(in);
    free(got);
    free(wanted);
    return status;
}

static void run_size(bench *b, const variant *v, const xl_scan_desc *desc, scan_case *c)
{
    cl_context cl = xl_context_cl(b->ctx);
    const size_t bytes = c->n * xl_type_size(desc->type);
    c->in = clCreateBuffer(cl, CL_MEM_READ_WRITE, bytes, NULL, NULL);
    c->out = v->in_place ? c->in : clCreateBuffer(cl, CL_MEM_READ_WRITE, bytes, NULL, NULL);
    if (!c->in || !c->out)
        bench_failed(b, "scan", v->name, c->n, XL_ERROR_OUT_OF_MEMORY);
    else if (check(b, v, desc, c) == XL_SUCCESS)
        (void)bench_case(b, "scan", v->name, c->n, 2.0 * (double)bytes, enqueue, c);
    if (c->out && !v->in_place)
        clReleaseMemObject(c->out);
    if (c->in)
        clReleaseMemObject(c->in);
}

static void run_variant(bench *b, const variant *v)
{
    scan_case c = {0};
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.type = v->type;
    desc.algorithm = v->algorithm;
    const xl_status status = xl_scan_create(b->ctx, &desc, &c.plan);
    if (status == XL_ERROR_UNSUPPORTED) {
        printf("scan   %-44s left out: %s\n", v->name, xl_context_error(b->ctx));
        return;
    }
    if (status != XL_SUCCESS) {
        bench_failed(b, "scan", v->name, 0, status);
        return;
    }
    const size_t most = b->max_n / (xl_type_size(v->type) / 4);
    for (unsigned k = v->first; (size_t)1 << k <= most; k += v->step) {
        c.n = (size_t)1 << k;
        run_size(b, v, &desc, &c);
    }
    xl_scan_destroy(c.plan);
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

static bool is_exclusive_sum(const uint32_t *in, const uint32_t *out, size_t n)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < n; sum += in[i++])
        if (out[i] != sum)
            return false;
    return true;
}

static void run_std_size(bench *b, const std_peer *peer, const uint32_t *in, uint32_t *out,
                         size_t n)
{
    memset(out, 0xA5, n * sizeof *out);
    const double ms = peer->time(in, out, n, b->runs);
    if (is_exclusive_sum(in, out, n))
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
        run_variant(b, &variants[i]);
    run_peers(b);
}
