/* SPDX-License-Identifier: MIT
 * Benchmarks of compaction: u32 elements below a limit, two parts, runs of equal elements and the
 * way back, verified before they are timed, beside the C++ standard library on one core. */
#include "bench.h"
#ifdef BENCH_HAS_STD
#include "bench_std.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct chooser {
    const char *variant;
    xl_select_kind kind;
    xl_select_by by;
    uint32_t part; /* per thousand that are wanted, or the length of runs */
} chooser;

static const chooser choosers[] = {
    {"u32, 50 % kept", XL_SELECT_IF, XL_SELECT_BY_PREDICATE, 500},
    {"u32, 1 % kept", XL_SELECT_IF, XL_SELECT_BY_PREDICATE, 10},
    {"u32, 99 % kept", XL_SELECT_IF, XL_SELECT_BY_PREDICATE, 990},
    {"u32, 50 % kept, by flags", XL_SELECT_IF, XL_SELECT_BY_FLAGS, 500},
    {"u32, two parts, 50 %", XL_SELECT_PARTITION, XL_SELECT_BY_PREDICATE, 500},
    {"u32, unique, runs of 32", XL_SELECT_UNIQUE, XL_SELECT_BY_PREDICATE, 32},
    {"u32, run lengths, runs of 1", XL_SELECT_RUNS, XL_SELECT_BY_PREDICATE, 1},
    {"u32, run lengths, runs of 32", XL_SELECT_RUNS, XL_SELECT_BY_PREDICATE, 32},
    {"u32, run lengths, runs of 1000", XL_SELECT_RUNS, XL_SELECT_BY_PREDICATE, 1000},
    {"u32, repeat, runs of 32", XL_SELECT_REPEAT, XL_SELECT_BY_PREDICATE, 32},
};

/* Elements are below this; in front of the limit stand those that are wanted. */
enum { TOP = 1000 };

enum { IN, FLAGS, OUT, LENGTHS, COUNT, BUFFERS };

typedef struct job {
    const chooser *chooser;
    xl_plan *plan;
    size_t n, count; /* elements of the input, or of the output of a repeat; results */
    size_t bytes[BUFFERS];
    cl_mem mem[BUFFERS];
    unsigned char *host[BUFFERS], *want, *want_lengths;
} job;

static bool repeats(const job *j)
{
    return j->chooser->kind == XL_SELECT_REPEAT;
}

/* What goes in and has to come out. Runs have that length but for the last. */
static void fill(job *j)
{
    uint32_t *in = (uint32_t *)(void *)j->host[IN], *want = (uint32_t *)(void *)j->want;
    uint32_t *lengths = (uint32_t *)(void *)j->want_lengths;
    const chooser *c = j->chooser;
    const bool runs = c->kind >= XL_SELECT_UNIQUE;
    uint64_t state = 88172645463325252u;
    size_t rest = 0;
    for (size_t i = 0; i < j->n; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        in[i] = runs ? (uint32_t)(i / c->part) : (uint32_t)((state >> 33) % TOP);
        const bool wanted = runs ? i % c->part == 0 : in[i] < c->part;
        if (c->by == XL_SELECT_BY_FLAGS)
            j->host[FLAGS][i] = wanted;
        if (wanted)
            want[j->count++] = in[i];
        else if (c->kind == XL_SELECT_PARTITION)
            want[j->n - ++rest] = in[i];
        if (runs)
            lengths[j->count - 1] = (uint32_t)(i % c->part + 1);
    }
    for (size_t k = 0; k < rest / 2; ++k) { /* they stand the wrong way round */
        const uint32_t last = want[j->n - 1 - k];
        want[j->n - 1 - k] = want[j->n - rest + k];
        want[j->n - rest + k] = last;
    }
}

/* The way back: what came out goes in. */
static void turn_round(job *j)
{
    memcpy(j->host[OUT], j->host[IN], j->bytes[OUT]);
    memcpy(j->host[IN], j->want, j->bytes[IN]);
    memcpy(j->want, j->host[OUT], j->bytes[OUT]);
    memcpy(j->host[FLAGS], j->want_lengths, j->bytes[FLAGS]);
}

static bool make_buffers(bench *b, job *j)
{
    const size_t n = j->n, runs = (n - 1) / j->chooser->part + 1;
    j->bytes[IN] = 4 * n;
    j->bytes[FLAGS] = repeats(j) ? 4 * runs : j->chooser->by == XL_SELECT_BY_FLAGS ? n : 4;
    j->bytes[OUT] = 4 * n;
    j->bytes[LENGTHS] = j->chooser->kind == XL_SELECT_RUNS ? 4 * n : 4;
    j->bytes[COUNT] = 8;
    j->want = malloc(4 * n);
    j->want_lengths = malloc(4 * n);
    for (int i = 0; i < BUFFERS; ++i)
        if (!(j->host[i] = malloc(j->bytes[i] + 4)))
            return false;
    if (!j->want || !j->want_lengths)
        return false;
    fill(j);
    if (repeats(j)) {
        j->bytes[IN] = 4 * j->count;
        turn_round(j);
    }
    for (int i = 0; i < BUFFERS; ++i) {
        const bool given = i <= FLAGS;
        cl_int code;
        j->mem[i] =
            clCreateBuffer(xl_context_cl(b->ctx), given ? CL_MEM_COPY_HOST_PTR : 0,
                           j->bytes[i] + (j->bytes[i] == 0), given ? j->host[i] : NULL, &code);
        if (!j->mem[i])
            return false;
    }
    return true;
}

static void end_job(job *j)
{
    for (int i = 0; i < BUFFERS; ++i)
        if (j->mem[i])
            clReleaseMemObject(j->mem[i]);
    for (int i = 0; i < BUFFERS; ++i)
        free(j->host[i]);
    free(j->want);
    free(j->want_lengths);
    xl_plan_destroy(j->plan);
}

static xl_view view_if(bool given, cl_mem mem)
{
    return given ? xl_view_of(mem, 0) : xl_no_view();
}

static xl_status enqueue(bench *b, void *user, cl_event *event)
{
    const job *j = user;
    const xl_select_args args = {
        .n = repeats(j) ? j->count : j->n,
        .in = xl_view_of(j->mem[IN], 0),
        .flags = view_if(j->chooser->by == XL_SELECT_BY_FLAGS, j->mem[FLAGS]),
        .lengths_in = view_if(repeats(j), j->mem[FLAGS]),
        .capacity = j->n,
        .out = xl_view_of(j->mem[OUT], 0),
        .lengths_out = view_if(j->chooser->kind == XL_SELECT_RUNS, j->mem[LENGTHS]),
        .count_out = xl_view_of(j->mem[COUNT], 0)};
    return xl_select_enqueue(j->plan, b->queue, &args, 0, NULL, event);
}

static const char *fault(bench *b, const job *j)
{
    const bool all = repeats(j) || j->chooser->kind == XL_SELECT_PARTITION;
    for (int i = OUT; i <= COUNT; ++i)
        clEnqueueReadBuffer(b->queue, j->mem[i], CL_TRUE, 0, j->bytes[i], j->host[i], 0, NULL,
                            NULL);
    uint64_t count;
    memcpy(&count, j->host[COUNT], sizeof count);
    if (count != (repeats(j) ? j->n : j->count))
        return "the count is wrong";
    if (memcmp(j->host[OUT], j->want, 4 * (all ? j->n : j->count)) != 0)
        return "elements are wrong";
    if (j->chooser->kind == XL_SELECT_RUNS &&
        memcmp(j->host[LENGTHS], j->want_lengths, 4 * j->count) != 0)
        return "lengths are wrong";
    return NULL;
}

static bool right(bench *b, job *j)
{
    const xl_status status = enqueue(b, j, NULL);
    if (status != XL_SUCCESS) {
        bench_failed(b, "select", j->chooser->variant, j->n, status);
        return false;
    }
    const char *why = fault(b, j);
    if (why)
        bench_wrong(b, "select", j->chooser->variant, j->n, why);
    return !why;
}

/* The same by std::copy_if and std::unique_copy. */
static void run_std(bench *b, const job *j, double bytes)
{
#ifdef BENCH_HAS_STD
    const uint32_t *in = (const uint32_t *)(const void *)j->host[IN];
    uint32_t *out = (uint32_t *)(void *)j->host[OUT];
    const chooser *c = j->chooser;
    const unsigned runs = b->runs < 5 ? b->runs : 5;
    double ms;
    if (c->kind == XL_SELECT_IF)
        ms = bench_std_copy_if(in, out, j->n, c->part, runs);
    else if (c->kind == XL_SELECT_UNIQUE)
        ms = bench_std_unique_copy(in, out, j->n, runs);
    else
        return;
    bench_host_case(b, "std", "select", c->variant, j->n, bytes, ms);
#else
    (void)b, (void)j, (void)bytes;
#endif
}

/* Bytes that must be read and written at least. */
static double bytes_of(const job *j)
{
    const bool all = repeats(j) || j->chooser->kind == XL_SELECT_PARTITION;
    const double n = (double)j->n, count = (double)j->count;
    const double read =
        repeats(j) ? 8 * count : (j->chooser->by == XL_SELECT_BY_FLAGS ? 5 * n : 4 * n);
    return read + 4 * (all ? n : count) + (j->chooser->kind == XL_SELECT_RUNS ? 4 * count : 0);
}

static void run(bench *b, const chooser *c, size_t n)
{
    job j = {.chooser = c, .n = n};
    char predicate[32];
    xl_select_desc desc;
    xl_select_desc_init(&desc);
    desc.kind = c->kind;
    desc.by = c->by;
    snprintf(predicate, sizeof predicate, "x < %u", (unsigned)c->part);
    if (c->kind <= XL_SELECT_PARTITION && c->by == XL_SELECT_BY_PREDICATE)
        desc.predicate = predicate;
    const xl_status status = xl_select_create(b->ctx, &desc, &j.plan);
    if (status != XL_SUCCESS) {
        bench_failed(b, "select", c->variant, n, status);
    } else if (!make_buffers(b, &j)) {
        bench_wrong(b, "select", c->variant, n, "no memory");
    } else if (right(b, &j)) {
        (void)bench_case(b, "select", c->variant, n, bytes_of(&j), enqueue, &j);
        if (n <= (size_t)1 << 26)
            run_std(b, &j, bytes_of(&j));
    }
    end_job(&j);
}

void bench_select(bench *b)
{
    const bool is_cpu = (b->info.device_type & CL_DEVICE_TYPE_CPU) != 0;
    const size_t most = is_cpu ? (size_t)1 << 24 : (size_t)1 << 28;
    for (size_t s = 0; s < sizeof choosers / sizeof choosers[0]; ++s)
        for (size_t n = (size_t)1 << 10; n <= b->max_n && n <= most; n *= 4)
            if (n >= b->options->min_n && bench_wants(b, choosers[s].variant))
                run(b, &choosers[s], n);
}
