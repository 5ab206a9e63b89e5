/* SPDX-License-Identifier: MIT
 * crosslane-bench: times the library's primitives beside a copy kernel.
 *
 *   crosslane-bench [--only NAME] [--match TEXT] [--min-n 2^K] [--max-n 2^K]
 *       [--json FILE] [--cloud FILE.npy:RADIUS] [--quick] [--progress]
 *
 * --match: only rows whose name contains TEXT, or equals TEXT after a leading =.
 * --min-n, --max-n: only rows of these sizes.
 * --cloud: neighbour lists of these points too.
 * --only first: the first use of each kind of plan in new processes, with empty and with warm caches.
 *   It takes a minute or more and runs only if it is asked for. Not on Windows.
 *
 * Exits 0, or 1 if a result was wrong or a call failed, or 2 for a wrong option. */
#include "bench.h"
#include "bench_first.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "crosslane"

bool bench_wants(const bench *b, const char *variant)
{
    return bench_matches(b->options, variant);
}

cl_mem bench_buffer(bench *b, size_t bytes, void *host)
{
    cl_int code;
    return clCreateBuffer(xl_context_cl(b->ctx), host ? CL_MEM_COPY_HOST_PTR : 0, bytes, host,
                          &code);
}

/* The tuning file in effect, or "built-in" for the table of the library. */
static const char *tunables(char *text, size_t bytes)
{
    const char *path = getenv("CROSSLANE_TUNE_FILE");
    FILE *tune = path && *path ? fopen(path, "r") : NULL;
    if (!tune)
        return "built-in";
    text[fread(text, 1, bytes - 1, tune)] = '\0';
    fclose(tune);
    return text;
}

static bool write_json(const bench *b)
{
    char text[4096];
    if (!b->options->json)
        return true;
    const bench_place place = {.version = xl_version_string(),
                               .device = b->info.name,
                               .platform = b->info.platform,
                               .driver = b->info.driver,
                               .opencl_c = b->info.opencl_c,
                               .tunables = tunables(text, sizeof text),
                               .more = b->more,
                               .runs = b->runs};
    return bench_write_json(b->results, &place, b->options->json);
}

/* Shows a result, and keeps it should the run be stopped. */
static void show(const bench *b, const bench_result *r)
{
    bench_print(b->results, r);
    (void)write_json(b);
}

static void print_head(const bench *b)
{
    printf("device %s, %s, driver %s, OpenCL C %s, sub-group size %u (%s), Crosslane %s\n",
           b->info.name, b->info.platform, b->info.driver, b->info.opencl_c,
           (unsigned)b->info.sub_group_size, b->info.cross_lane, xl_version_string());
}

/* ---- timing --------------------------------------------------------------- */

typedef struct call {
    bench *b;
    bench_enqueue *enqueue;
    void *user;
    xl_status status;
} call;

static double end_of(cl_event event)
{
    cl_ulong ns = 0;
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ns, &ns, NULL);
    return (double)ns * 1e-6;
}

static double time_row(void *user, unsigned calls)
{
    call *c = user;
    cl_event first = NULL, last = NULL;
    c->status = c->enqueue(c->b, c->user, &first);
    for (unsigned i = 1; c->status == XL_SUCCESS && i < calls; ++i)
        c->status = c->enqueue(c->b, c->user, i + 1 == calls ? &last : NULL);
    clFinish(c->b->queue);
    const bool made = c->status == XL_SUCCESS;
    const double ms = made ? (end_of(last) - end_of(first)) / (calls - 1) : -1;
    if (first)
        clReleaseEvent(first);
    if (last)
        clReleaseEvent(last);
    return ms;
}

static double time_wall(void *user, unsigned calls)
{
    call *c = user;
    clFinish(c->b->queue);
    const double start = bench_now();
    c->status = XL_SUCCESS;
    for (unsigned i = 0; c->status == XL_SUCCESS && i < calls; ++i)
        c->status = c->enqueue(c->b, c->user, NULL);
    clFinish(c->b->queue);
    return c->status == XL_SUCCESS ? (bench_now() - start) / calls * 1e6 : -1;
}

double bench_copy_ms(bench *b, double bytes)
{
    const size_t n = (size_t)(bytes / 8);
    if (n < 16 || 4 * n > b->info.max_buffer_bytes)
        return 0;
    if (bench_least_copy(b->results, n) == 0)
        bench_copy_size(b, n);
    return bench_least_copy(b->results, n);
}

xl_status bench_case(bench *b, const char *name, const char *variant, size_t n, double bytes,
                     bench_enqueue *enqueue, void *user)
{
    call c = {.b = b, .enqueue = enqueue, .user = user};
    bench_result times = {.n = n, .bytes = bytes};
    bench_start(b->options, PROGRAM, name, variant, n);
    if (!bench_measure(&times, b->runs, time_row, time_wall, &c)) {
        bench_failed(b, name, variant, n, c.status);
        return c.status;
    }
    times.copy_ms = strcmp(name, "copy") == 0 ? 0 : bench_copy_ms(b, bytes);
    show(b, bench_add_times(b->results, PROGRAM, name, variant, &times));
    return XL_SUCCESS;
}

void bench_host_case(bench *b, const char *program, const char *name, const char *variant, size_t n,
                     double bytes, double milliseconds)
{
    const bench_result times = {.n = n,
                                .bytes = bytes,
                                .device_ms = milliseconds,
                                .wall_us = 1e3 * milliseconds,
                                .copy_ms = bench_copy_ms(b, bytes)};
    show(b, bench_add_times(b->results, program, name, variant, &times));
}

void bench_host_wrong(bench *b, const char *program, const char *name, const char *variant,
                      size_t n, const char *why)
{
    bench_result *r = bench_add(b->results, program, name, variant, n);
    snprintf(r->wrong, sizeof r->wrong, "%s", why);
    b->results->wrong = true;
    show(b, r);
}

void bench_wrong(bench *b, const char *name, const char *variant, size_t n, const char *why)
{
    bench_host_wrong(b, PROGRAM, name, variant, n, why);
}

void bench_failed(bench *b, const char *name, const char *variant, size_t n, xl_status status)
{
    char why[160];
    snprintf(why, sizeof why, "%s: %.120s", xl_status_name(status), xl_context_error(b->ctx));
    bench_wrong(b, name, variant, n, why);
}

bool bench_right(bench *b, const char *name, const char *variant, size_t n, xl_status status,
                 const char *fault)
{
    if (status != XL_SUCCESS)
        bench_failed(b, name, variant, n, status);
    else if (fault)
        bench_wrong(b, name, variant, n, fault);
    return status == XL_SUCCESS && !fault;
}

/* ---- the program ----------------------------------------------------------- */

/* Two buffers of 4-byte elements must fit a quarter of the device's memory each. */
static size_t fitting(const xl_device_info *info)
{
    size_t n = (size_t)1 << 28;
    while (n > 1024 && (4 * n > info->max_buffer_bytes || 16 * n > info->global_bytes))
        n /= 2;
    return n;
}

#define FIRST "first"
#define NAME(part) #part
static const char *const names[] = {BENCH_PARTS(NAME), FIRST};
static bench_function *const parts[] = {BENCH_PARTS(BENCH_FUNCTION)};
enum { PARTS = sizeof parts / sizeof parts[0] };

static bool begin(bench *b)
{
    if (xl_context_create(NULL, &b->ctx) != XL_SUCCESS) {
        fprintf(stderr, "crosslane-bench: %s\n", xl_context_error(NULL));
        return false;
    }
    b->queue = xl_context_queue(b->ctx);
    if (!b->queue || xl_context_device_info(b->ctx, &b->info) != XL_SUCCESS) {
        fprintf(stderr, "crosslane-bench: %s\n", xl_context_error(b->ctx));
        xl_context_destroy(b->ctx);
        return false;
    }
    b->max_n = b->options->max_n < fitting(&b->info) ? b->options->max_n : fitting(&b->info);
    print_head(b);
    return true;
}

static int run(const bench_options *o)
{
    bench_results results = {.program = PROGRAM};
    bench b = {.runs = bench_runs(o), .results = &results, .options = o};
    if (!begin(&b))
        return 1;
    bench_print_columns();
    for (size_t i = 0; i < PARTS; ++i)
        if (bench_has_part(o, names[i]))
            parts[i](&b);
    const bool written = write_json(&b);
    free(results.list);
    xl_context_destroy(b.ctx);
    return results.wrong || !written;
}

/* The children come first: this process then has not started the driver. */
static int run_first(const bench_options *o, const char *program)
{
    bench_results results = {.program = PROGRAM};
    bench b = {.runs = 1, .results = &results, .options = o};
    first_table table = {0};
    bool good = first_measure(program, o, &table) && begin(&b);
    if (good) {
        char *const json = first_json(&table);
        b.more = json;
        first_print(&table);
        good = json && write_json(&b) && !table.wrong;
        free(json);
        xl_context_destroy(b.ctx);
    }
    free(table.rows);
    return !good;
}

int main(int argc, char **argv)
{
    bench_options o = {.max_n = SIZE_MAX};
    if (argc > 1 && strcmp(argv[1], FIRST_CHILD) == 0)
        return first_child(argc, argv);
    if (!bench_parse(argc, argv, names, PARTS + 1, &o)) {
        fputs(FIRST ": first use, in new processes; runs only with --only " FIRST "\n", stderr);
        return 2;
    }
    return o.only && strcmp(o.only, FIRST) == 0 ? run_first(&o, argv[0]) : run(&o);
}
