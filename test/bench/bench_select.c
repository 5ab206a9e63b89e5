/* SPDX-License-Identifier: MIT
 * Benchmarks of compaction of u32: elements below a limit, two parts, runs of equal elements and
 * their repetition, beside the C++ standard library on one core. */
#include "bench_job.h"

#include <stdio.h>
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

/* Random elements are below this; those below `part` are wanted. */
enum { TOP = 1000 };

/* FLAGS has the lengths for a repeat. */
enum { IN, FLAGS, OUT, LENGTHS, COUNT, WANTED, WANTED_LENGTHS, HOST_END };

static bool repeats(const chooser *c)
{
    return c->kind == XL_SELECT_REPEAT;
}

static bool keeps_all(const chooser *c)
{
    return repeats(c) || c->kind == XL_SELECT_PARTITION;
}

static xl_status create(bench *b, bench_job *j)
{
    const chooser *c = j->kind;
    const size_t n = j->n, runs = (n - 1) / c->part + 1;
    char predicate[32];
    xl_select_desc desc;
    xl_select_desc_init(&desc);
    desc.kind = c->kind;
    desc.by = c->by;
    snprintf(predicate, sizeof predicate, "x < %u", (unsigned)c->part);
    if (c->kind <= XL_SELECT_PARTITION && c->by == XL_SELECT_BY_PREDICATE)
        desc.predicate = predicate;
    j->size[IN] = repeats(c) ? 4 * runs : 4 * n;
    j->size[FLAGS] = repeats(c) ? 4 * runs : c->by == XL_SELECT_BY_FLAGS ? n : 0;
    j->size[OUT] = j->size[WANTED] = 4 * n;
    j->size[LENGTHS] = c->kind == XL_SELECT_RUNS ? 4 * n : 0;
    j->size[WANTED_LENGTHS] = 4 * n;
    j->size[COUNT] = 8;
    return xl_select_create(b->ctx, &desc, &j->plan);
}

/* All runs but the last have `part` elements. */
static void fill_runs(bench_job *j)
{
    const chooser *c = j->kind;
    uint32_t *in = j->host[IN], *wanted = j->host[WANTED], *lengths = j->host[WANTED_LENGTHS];
    for (size_t i = 0; i < j->n; ++i) {
        const size_t run = i / c->part;
        const uint32_t length = (uint32_t)(i % c->part + 1);
        j->results = run + 1;
        lengths[run] = length;
        in[repeats(c) ? run : i] = (uint32_t)run;
        wanted[repeats(c) ? i : run] = (uint32_t)run;
        if (repeats(c))
            ((uint32_t *)j->host[FLAGS])[run] = length;
    }
}

static void fill_random(bench_job *j)
{
    const chooser *c = j->kind;
    uint32_t *in = j->host[IN], *wanted = j->host[WANTED];
    uint64_t state = BENCH_SEED;
    for (size_t i = 0; i < j->n; ++i) {
        in[i] = (uint32_t)((bench_random(&state) >> 33) % TOP);
        if (c->by == XL_SELECT_BY_FLAGS)
            ((unsigned char *)j->host[FLAGS])[i] = in[i] < c->part;
        if (in[i] < c->part)
            wanted[j->results++] = in[i];
    }
    for (size_t i = 0, at = j->results; i < j->n && c->kind == XL_SELECT_PARTITION; ++i)
        if (in[i] >= c->part)
            wanted[at++] = in[i];
}

/* Sets the bytes that must be read and written, which depend on the elements. */
static void fill(bench_job *j)
{
    const chooser *c = j->kind;
    (c->kind >= XL_SELECT_UNIQUE ? fill_runs : fill_random)(j);
    const double count = (double)j->results, n = (double)j->n;
    j->bytes = (double)(j->size[IN] + j->size[FLAGS]) + 4 * (keeps_all(c) ? n : count) +
               (c->kind == XL_SELECT_RUNS ? 4 * count : 0);
}

static xl_view view_if(bool given, cl_mem mem)
{
    return given ? xl_view_of(mem, 0) : xl_no_view();
}

static xl_status enqueue(bench *b, void *user, cl_event *event)
{
    const bench_job *j = user;
    const chooser *c = j->kind;
    const xl_select_args args = {.n = j->size[IN] / 4,
                                 .in = xl_view_of(j->mem[IN], 0),
                                 .flags = view_if(!repeats(c), j->mem[FLAGS]),
                                 .lengths_in = view_if(repeats(c), j->mem[FLAGS]),
                                 .capacity = j->n,
                                 .out = xl_view_of(j->mem[OUT], 0),
                                 .lengths_out = xl_view_of(j->mem[LENGTHS], 0),
                                 .count_out = xl_view_of(j->mem[COUNT], 0)};
    return xl_select_enqueue(j->plan, b->queue, &args, 0, NULL, event);
}

static const char *fault(bench_job *j)
{
    const chooser *c = j->kind;
    const uint64_t *count = j->host[COUNT];
    if (*count != (repeats(c) ? j->n : j->results))
        return "the count is wrong";
    if (memcmp(j->host[OUT], j->host[WANTED], 4 * (keeps_all(c) ? j->n : j->results)) != 0)
        return "elements are wrong";
    if (c->kind == XL_SELECT_RUNS &&
        memcmp(j->host[LENGTHS], j->host[WANTED_LENGTHS], 4 * j->results) != 0)
        return "lengths are wrong";
    return NULL;
}

#ifdef BENCH_HAS_STD
/* The same by std::copy_if and std::unique_copy. */
static void run_std(bench *b, bench_job *j)
{
    const chooser *c = j->kind;
    const unsigned runs = b->runs < 5 ? b->runs : 5;
    if (j->n > (size_t)1 << 26)
        return;
    if (c->kind == XL_SELECT_IF)
        bench_job_std(b, j, "std", NULL,
                      bench_std_copy_if(j->host[IN], j->host[OUT], j->n, c->part, runs));
    else if (c->kind == XL_SELECT_UNIQUE)
        bench_job_std(b, j, "std", NULL,
                      bench_std_unique_copy(j->host[IN], j->host[OUT], j->n, runs));
}
#endif

void bench_select(bench *b)
{
    static const bench_part part =
        BENCH_PART("select", OUT, WANTED, HOST_END, .peer = BENCH_STD(run_std));
    const uint32_t every_other = 0x15555400; /* from 2^10 to 2^28 */
    for (size_t s = 0; s < sizeof choosers / sizeof choosers[0]; ++s)
        bench_job_run(b, &part, &choosers[s], choosers[s].variant, bench_sizes_for(b, every_other));
}
