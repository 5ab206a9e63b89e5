/* SPDX-License-Identifier: MIT
 * Scans of u32 by every algorithm, of f32 and i64, and std::exclusive_scan. */
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
    {"u32 auto", XL_U32, XL_SCAN_AUTO, false, 10, 2},
    {"u32 look-back", XL_U32, XL_SCAN_LOOKBACK, false, 16, 4},
    {"u32 reduce-then-scan", XL_U32, XL_SCAN_REDUCE_THEN_SCAN, false, 16, 4},
    {"u32 auto, in place", XL_U32, XL_SCAN_AUTO, true, 16, 4},
    {"f32 auto", XL_F32, XL_SCAN_AUTO, false, 20, 4},
    {"i64 auto", XL_I64, XL_SCAN_AUTO, false, 20, 4},
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
        printf("scan   %-28s left out: %s\n", v->name, xl_context_error(b->ctx));
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

static void run_std(bench *b)
{
#ifdef BENCH_HAS_STD
    for (size_t n = (size_t)1 << 20; n <= b->max_n; n *= 4) {
        uint32_t *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);
        if (in && out) {
            fill(in, XL_U32, n);
            memset(out, 0, n * sizeof *out);
            bench_host_case(b, "scan", "std::exclusive_scan u32", n, 8.0 * (double)n,
                            bench_std_exclusive_scan(in, out, n, b->runs));
        }
        free(in);
        free(out);
    }
#else
    printf("scan   std::exclusive_scan left out: built without a C++ compiler\n");
    (void)b;
#endif
}

void bench_scan(bench *b)
{
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; ++i)
        run_variant(b, &variants[i]);
    run_std(b);
}
