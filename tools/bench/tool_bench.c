/* SPDX-License-Identifier: MIT
 * `crosslane bench`: times the main primitives on a device, next to copies of the same arrays. */
#include "workload.h"

#include <inttypes.h>
#include <string.h>

typedef struct bench_options {
    const char *device, *tune_file;
    const char *names[TOOL_MAX_FILES]; /* primitives, then NULL; none: all */
    uint64_t n;                        /* 0: the sizes of each row */
    bool as_json;
} bench_options;

enum { SIZES = 3 };

/* The rows of the table. `kind` is the name of a workload. */
static const struct {
    const char *name, *kind;
    size_t sizes[SIZES];
} rows[] = {{"scan", "scan", {1 << 16, 1 << 20, 1 << 24}},
            {"scan", "segmented scan", {1 << 16, 1 << 20, 1 << 24}},
            {"reduce", "reduction", {1 << 16, 1 << 20, 1 << 24}},
            {"sort", "sort", {1 << 16, 1 << 20, 1 << 24}},
            {"topk", "top-k", {1 << 16, 1 << 20, 1 << 24}},
            {"select", "selection", {1 << 16, 1 << 20, 1 << 24}},
            {"merge", "merge", {1 << 16, 1 << 20, 1 << 24}},
            {"search", "search", {1 << 16, 1 << 20, 1 << 22}},
            {"histogram", "histogram", {1 << 16, 1 << 20, 1 << 24}},
            {"neighbors", "neighbour search", {1 << 14, 1 << 17, 1 << 20}},
            {"neighbors", "nearest points", {1 << 14, 1 << 17, 1 << 20}}};

static const workload_kind *kind_of(const char *name)
{
    const workload_kind *kind = workload_kinds;
    while (strcmp(kind->name, name) != 0)
        ++kind;
    return kind;
}

static size_t row_name(size_t k, const char **name)
{
    *name = k < TOOL_COUNT(rows) ? rows[k].name : NULL;
    return *name ? strlen(*name) : 0;
}

/* ---- one measurement ---- */

typedef struct timing {
    const char *name;
    size_t n;
    double ms, bytes; /* bytes: that a call must read and write; 0: unknown */
    double copy_ms;   /* of a copy of n u32 */
} timing;

static double gigabytes(double bytes, double ms)
{
    return bytes / ms * 1e-6;
}

static double copy_bytes(size_t n)
{
    return 2.0 * sizeof(cl_uint) * (double)n;
}

/* The best of several copies of n u32, each of several in a row. */
static int time_copy(const session *s, size_t n, double *ms)
{
    enum { ROUNDS = 9, IN_A_ROW = 8 };
    int result;
    const size_t bytes = n * sizeof(cl_uint);
    cl_mem from = NULL, to = NULL;
    TRY(session_buffer(s, bytes, "copy", &from));
    TRY(session_buffer(s, bytes, "copy", &to));
    for (int round = 0; round <= ROUNDS; ++round) { /* the first one also moves the buffers */
        const double start = host_milliseconds();
        for (int i = 0; i < IN_A_ROW; ++i)
            TRY(tool_check_cl(clEnqueueCopyBuffer(s->queue, from, to, 0, 0, bytes, 0, NULL, NULL),
                              "copy"));
        TRY(tool_check_cl(clFinish(s->queue), "copy"));
        const double spent = (host_milliseconds() - start) / IN_A_ROW;
        if (round <= 1 || spent < *ms)
            *ms = spent;
    }
done:
    session_release(&from);
    session_release(&to);
    return result;
}

static int time_workload(const session *s, const workload_kind *kind, timing *t)
{
    int result;
    workload w = {0};
    progress_say("bench: %s of %zu elements", kind->name, t->n);
    TRY(workload_open(&w, s, kind, t->n));
    if (!workload_time(&w, &t->ms))
        result =
            tool_fail("bench: %s of %zu elements: %s", kind->name, t->n, xl_context_error(s->ctx));
done:
    workload_close(&w);
    progress_clear();
    return result;
}

/* ---- the report ---- */

static void print_head(const session *s)
{
    printf("%s, driver %s\n", s->info.name, s->info.driver);
    printf("%-18s %10s %10s %12s %9s %9s\n", "", "elements", "ms", "elements/us", "GB/s",
           "of a copy");
}

static void print_row(const timing *t)
{
    printf("%-18s %10zu %10.4f %12.1f", t->name, t->n, t->ms, (double)t->n / t->ms * 1e-3);
    if (t->bytes > 0)
        printf(" %9.2f %7.0f %%", gigabytes(t->bytes, t->ms),
               100 * gigabytes(t->bytes, t->ms) / gigabytes(copy_bytes(t->n), t->copy_ms));
    putchar('\n');
    fflush(stdout);
}

static void write_row(json *j, const timing *t)
{
    json_open(j, NULL, '{');
    json_text(j, "name", t->name);
    json_count(j, "n", t->n);
    json_number(j, "ms", t->ms);
    if (t->bytes > 0)
        json_number(j, "gigabytes_per_second", gigabytes(t->bytes, t->ms));
    json_close(j, '}');
}

static void report(json *j, const timing *t)
{
    if (j)
        write_row(j, t);
    else
        print_row(t);
}

/* ---- the command ---- */

/* One size of a row, or of a copy if `kind` is NULL. */
static int run_size(const session *s, const workload_kind *kind, size_t n, json *j, double *ms)
{
    int result;
    timing t = {.name = kind ? kind->name : "copy", .n = n};
    TRY(time_copy(s, n, &t.copy_ms));
    t.ms = t.copy_ms;
    t.bytes = kind ? kind->moved_bytes * (double)n : copy_bytes(n);
    if (kind)
        TRY(time_workload(s, kind, &t));
    report(j, &t);
    *ms = t.ms;
done:
    return result;
}

static int run_sizes(const session *s, const bench_options *o, const char *kind,
                     const size_t sizes[SIZES], json *j)
{
    const double slow_ms = 100;
    int result = TOOL_OK;
    double ms = 0;
    for (int i = 0; i < (o->n ? 1 : SIZES) && ms < slow_ms; ++i)
        TRY(run_size(s, kind ? kind_of(kind) : NULL, o->n ? (size_t)o->n : sizes[i], j, &ms));
done:
    return result;
}

static int run_rows(const session *s, const bench_options *o, json *j)
{
    int result;
    TRY(run_sizes(s, o, NULL, rows[0].sizes, j));
    for (size_t r = 0; r < TOOL_COUNT(rows); ++r)
        if (names_include(o->names, rows[r].name, strlen(rows[r].name)))
            TRY(run_sizes(s, o, rows[r].kind, rows[r].sizes, j));
done:
    return result;
}

static int bench(const bench_options *o)
{
    int result;
    session s = {0};
    json j = {0};
    TRY(session_open(&s, o->device, o->tune_file));
    if (!o->as_json) {
        print_head(&s);
        TRY(run_rows(&s, o, NULL));
    } else {
        j = json_begin(stdout);
        json_text(&j, "version", xl_version_string());
        json_text(&j, "device", s.info.name);
        json_text(&j, "driver", s.info.driver);
        json_open(&j, "rows", '[');
        result = run_rows(&s, o, &j);
        json_close(&j, ']');
        json_end(&j);
    }
done:
    session_close(&s);
    return result;
}

static const char about[] =
    "Times the main primitives on random data: u32 for arrays, f32 points with about 30\n"
    "neighbours each. Every result is compared with serial code before the call is timed. A\n"
    "time is the median of several calls and excludes transfers. GB/s counts the bytes that a\n"
    "call must read and write; \"of a copy\" compares it with a copy of as many u32 on the same\n"
    "device. If a call takes more than 100 ms, larger sizes are skipped. Run no other program\n"
    "meanwhile.\n\n"
    "NAME: only these primitives: scan, reduce, sort, topk, select, merge, search, histogram,\n"
    "neighbors.";

int tool_bench(int argc, char **argv)
{
    enum { LEAST = 64, MOST = 1 << 28 };
    bench_options o = {0};
    const tool_option options[] = {
        {"n", OPTION_COUNT, &o.n, "N", "elements of each call; default: three sizes", NULL},
        DEVICE_OPTION(o.device),
        TUNE_FILE_OPTION(o.tune_file),
        JSON_OPTION(o.as_json, "the times")};
    const tool_syntax syntax = {.name = "bench",
                                .files = "[NAME...]",
                                .max_files = TOOL_MAX_FILES - 1,
                                .about = about,
                                .options = options,
                                .num_options = TOOL_COUNT(options)};
    int result = options_parse(&syntax, argc, argv, o.names);
    if (result == TOOL_OK)
        result = names_check("bench", "NAME", o.names, row_name);
    if (result != TOOL_OK)
        return result;
    if (o.n && (o.n < LEAST || o.n > MOST))
        return tool_misuse("bench: --n: %" PRIu64 "; must be %d to %d", o.n, LEAST, MOST);
    return bench(&o);
}
