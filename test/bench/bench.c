/* SPDX-License-Identifier: MIT
 * crosslane-bench: times the library's primitives beside a copy kernel.
 *
 *   crosslane-bench [--only NAME] [--max-n 2^K] [--json FILE] [--quick]
 *
 * Exits 0, or 1 if a result was wrong or a call failed, or 2 for a wrong option. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct bench_result {
    char name[32], variant[48];
    size_t n;
    double bytes, device_ms, spread, wall_us, copy_ms;
    char wrong[160]; /* "" for a right result */
} bench_result;

struct bench_results {
    bench_result *list;
    size_t count, capacity;
    bool wrong;
};

double bench_now(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- results -------------------------------------------------------------- */

static bench_result *file_result(bench *b, const char *name, const char *variant, size_t n)
{
    struct bench_results *all = b->results;
    if (all->count == all->capacity) {
        all->capacity = all->capacity > 0 ? 2 * all->capacity : 64;
        all->list = realloc(all->list, all->capacity * sizeof *all->list);
        if (!all->list) {
            fputs("crosslane-bench: out of memory\n", stderr);
            exit(1);
        }
    }
    bench_result *r = &all->list[all->count++];
    *r = (bench_result){.n = n};
    snprintf(r->name, sizeof r->name, "%s", name);
    snprintf(r->variant, sizeof r->variant, "%s", variant);
    return r;
}

static void print_size(size_t n)
{
    unsigned k = 0;
    while (k < 63 && (size_t)1 << k < n)
        ++k;
    if ((size_t)1 << k == n)
        printf("       2^%-2u", k);
    else
        printf("%11zu", n);
}

static void print_result(const bench_result *r)
{
    printf("%-6s %-28s ", r->name, r->variant);
    print_size(r->n);
    if (r->wrong[0]) {
        printf("  WRONG: %s\n", r->wrong);
        return;
    }
    printf(" %10.4f %5.1f%% ", r->device_ms, 100 * r->spread);
    if (r->wall_us > 0)
        printf("%11.1f", r->wall_us);
    else
        printf("          -");
    printf(" %9.1f", r->bytes / r->device_ms * 1e-6);
    if (r->copy_ms > 0)
        printf(" %7.2f\n", r->copy_ms / r->device_ms);
    else
        printf("       -\n");
    fflush(stdout);
}

static void print_head(const bench *b)
{
    printf("device %s, %s, driver %s, OpenCL C %s, lane width %u (%s), Crosslane %s\n",
           b->info.name, b->info.platform, b->info.driver, b->info.opencl_c,
           (unsigned)b->info.lane_width, b->info.lane_way, xl_version_string());
    printf("%-6s %-28s %11s %10s %6s %11s %9s %7s\n", "name", "variant", "n", "device ms", "spread",
           "wall us", "GB/s", "of copy");
}

static void json_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text; ++text) {
        if (*text == '"' || *text == '\\')
            fprintf(f, "\\%c", *text);
        else if ((unsigned char)*text < 32)
            fprintf(f, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            fputc(*text, f);
    }
    fputc('"', f);
}

static void json_field(FILE *f, const char *name, const char *text)
{
    fprintf(f, "  \"%s\": ", name);
    json_text(f, text);
    fputs(",\n", f);
}

/* The tuning file in effect, or "" for the built-in table. */
static void json_tunables(FILE *f)
{
    char text[4096] = "";
    const char *path = getenv("CROSSLANE_TUNE_FILE");
    FILE *tune = path && *path ? fopen(path, "r") : NULL;
    if (tune) {
        text[fread(text, 1, sizeof text - 1, tune)] = '\0';
        fclose(tune);
    }
    json_field(f, "tunables", tune ? text : "built-in");
}

static bool write_json(const bench *b, const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f) {
        perror(path);
        return false;
    }
    fputs("{\n", f);
    json_field(f, "crosslane", xl_version_string());
    json_field(f, "device", b->info.name);
    json_field(f, "platform", b->info.platform);
    json_field(f, "driver", b->info.driver);
    json_field(f, "opencl_c", b->info.opencl_c);
    json_tunables(f);
    fprintf(f, "  \"runs\": %u,\n  \"results\": [", b->runs);
    for (size_t i = 0; i < b->results->count; ++i) {
        const bench_result *r = &b->results->list[i];
        fprintf(f, "%s\n    {\"name\": ", i > 0 ? "," : "");
        json_text(f, r->name);
        fputs(", \"variant\": ", f);
        json_text(f, r->variant);
        fprintf(f,
                ", \"n\": %zu, \"bytes\": %.0f, \"device_ms\": %.6f, \"spread\": %.4f, "
                "\"wall_us\": %.3f, \"copy_ms\": %.6f, \"wrong\": ",
                r->n, r->bytes, r->device_ms, r->spread, r->wall_us, r->copy_ms);
        json_text(f, r->wrong);
        fputc('}', f);
    }
    fputs("\n  ]\n}\n", f);
    return fclose(f) == 0;
}

/* ---- timing --------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double end_of(cl_event event)
{
    cl_ulong ns = 0;
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ns, &ns, NULL);
    return (double)ns * 1e-6;
}

/* Milliseconds per call in a row of `calls` >= 2. */
static xl_status time_row(bench *b, bench_enqueue *enqueue, void *user, unsigned calls, double *ms)
{
    cl_event first = NULL, last = NULL;
    xl_status status = enqueue(b, user, &first);
    for (unsigned i = 1; status == XL_SUCCESS && i < calls; ++i)
        status = enqueue(b, user, i + 1 == calls ? &last : NULL);
    clFinish(b->queue);
    if (status == XL_SUCCESS)
        *ms = (end_of(last) - end_of(first)) / (calls - 1);
    if (first)
        clReleaseEvent(first);
    if (last)
        clReleaseEvent(last);
    return status;
}

static xl_status time_wall(bench *b, bench_enqueue *enqueue, void *user, unsigned calls, double *us)
{
    xl_status status = XL_SUCCESS;
    clFinish(b->queue);
    const double start = bench_now();
    for (unsigned i = 0; status == XL_SUCCESS && i < calls; ++i)
        status = enqueue(b, user, NULL);
    clFinish(b->queue);
    *us = (bench_now() - start) / calls * 1e6;
    return status;
}

/* Fills in device time, its spread (half the middle 80 %, of the median), wall. */
static xl_status time_case(bench *b, bench_result *r, bench_enqueue *enqueue, void *user)
{
    xl_status status = XL_SUCCESS;
    double us = 0, rows[64] = {0};
    const unsigned runs = b->runs < 64 ? b->runs : 64;
    for (int warm = 0; status == XL_SUCCESS && warm < 2; ++warm)
        status = time_wall(b, enqueue, user, 1, &us);
    const unsigned calls = us < 2e3 ? 9 : us < 2e4 ? 4 : 2;
    for (unsigned i = 0; status == XL_SUCCESS && i < runs; ++i)
        status = time_row(b, enqueue, user, calls, &rows[i]);
    if (status != XL_SUCCESS)
        return status;
    qsort(rows, runs, sizeof rows[0], by_value);
    r->device_ms = rows[runs / 2];
    r->spread = (rows[runs - 1 - runs / 10] - rows[runs / 10]) / 2 / r->device_ms;
    return time_wall(b, enqueue, user, us < 1e4 ? 100 : us < 1e5 ? 10 : 2, &r->wall_us);
}

static double least_copy(const bench *b, size_t n)
{
    double least = 0;
    for (size_t i = 0; i < b->results->count; ++i) {
        const bench_result *r = &b->results->list[i];
        const bool kernel = strcmp(r->name, "copy") == 0 && strncmp(r->variant, "kernel", 6) == 0;
        if (kernel && r->n == n && r->device_ms > 0 && (least == 0 || r->device_ms < least))
            least = r->device_ms;
    }
    return least;
}

double bench_copy_ms(bench *b, double bytes)
{
    const size_t n = (size_t)(bytes / 8);
    if (n < 16 || 4 * n > b->info.max_buffer_bytes)
        return 0;
    if (least_copy(b, n) == 0)
        bench_copy_size(b, n);
    return least_copy(b, n);
}

xl_status bench_case(bench *b, const char *name, const char *variant, size_t n, double bytes,
                     bench_enqueue *enqueue, void *user)
{
    bench_result r = {.n = n, .bytes = bytes};
    const xl_status status = time_case(b, &r, enqueue, user);
    if (status != XL_SUCCESS) {
        bench_failed(b, name, variant, n, status);
        return status;
    }
    r.copy_ms = strcmp(name, "copy") == 0 ? 0 : bench_copy_ms(b, bytes);
    bench_result *filed = file_result(b, name, variant, n);
    memcpy(r.name, filed->name, sizeof r.name);
    memcpy(r.variant, filed->variant, sizeof r.variant);
    *filed = r;
    print_result(filed);
    return XL_SUCCESS;
}

void bench_host_case(bench *b, const char *name, const char *variant, size_t n, double bytes,
                     double milliseconds)
{
    const double copy_ms = bench_copy_ms(b, bytes);
    bench_result *r = file_result(b, name, variant, n);
    r->bytes = bytes;
    r->device_ms = milliseconds;
    r->copy_ms = copy_ms;
    print_result(r);
}

void bench_wrong(bench *b, const char *name, const char *variant, size_t n, const char *why)
{
    bench_result *r = file_result(b, name, variant, n);
    snprintf(r->wrong, sizeof r->wrong, "%s", why);
    b->results->wrong = true;
    print_result(r);
}

void bench_failed(bench *b, const char *name, const char *variant, size_t n, xl_status status)
{
    char why[160];
    snprintf(why, sizeof why, "%s: %.120s", xl_status_name(status), xl_context_error(b->ctx));
    bench_wrong(b, name, variant, n, why);
}

/* ---- the program ----------------------------------------------------------- */

typedef struct options {
    const char *only, *json;
    size_t max_n;
    bool quick;
} options;

static size_t parse_size(const char *text)
{
    char *end;
    unsigned long long base = strtoull(text, &end, 10), power = 1;
    if (*end == '^') {
        power = strtoull(end + 1, &end, 10);
        if (base != 2 || power > 40)
            return 0;
        base = 1ull << power;
    }
    return *end == '\0' ? (size_t)base : 0;
}

static bool parse(int argc, char **argv, options *o)
{
    for (int i = 1; i < argc; ++i) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--quick") == 0) {
            o->quick = true;
            continue;
        }
        if (!value)
            return false;
        if (strcmp(argv[i], "--only") == 0)
            o->only = value;
        else if (strcmp(argv[i], "--json") == 0)
            o->json = value;
        else if (strcmp(argv[i], "--max-n") == 0)
            o->max_n = parse_size(value);
        else
            return false;
        ++i;
    }
    return o->max_n > 0;
}

/* Two buffers of 4-byte elements must fit a quarter of the device's memory each. */
static size_t fitting(const xl_device_info *info)
{
    size_t n = (size_t)1 << 28;
    while (n > 1024 && (4 * n > info->max_buffer_bytes || 16 * n > info->global_bytes))
        n /= 2;
    return n;
}

typedef struct part {
    const char *name;
    void (*run)(bench *b);
} part;

static const part parts[] = {
    {"copy", bench_copy},
#ifdef BENCH_HAS_SCAN
    {"scan", bench_scan},
#endif
#ifdef BENCH_HAS_SORT
    {"sort", bench_sort},
#endif
#ifdef BENCH_HAS_GRID
    {"grid", bench_grid},
#endif
};

static bool is_part(const char *name)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i)
        if (strcmp(parts[i].name, name) == 0)
            return true;
    return false;
}

static int run(const options *o)
{
    struct bench_results results = {0};
    bench b = {.runs = o->quick ? 5 : 15, .results = &results};
    if (xl_context_create(NULL, &b.ctx) != XL_SUCCESS) {
        fprintf(stderr, "crosslane-bench: %s\n", xl_context_error(NULL));
        return 1;
    }
    b.queue = xl_context_queue(b.ctx);
    if (!b.queue || xl_context_device_info(b.ctx, &b.info) != XL_SUCCESS) {
        fprintf(stderr, "crosslane-bench: %s\n", xl_context_error(b.ctx));
        xl_context_destroy(b.ctx);
        return 1;
    }
    b.max_n = o->max_n < fitting(&b.info) ? o->max_n : fitting(&b.info);
    print_head(&b);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i)
        if (!o->only || strcmp(o->only, parts[i].name) == 0)
            parts[i].run(&b);
    const bool written = !o->json || write_json(&b, o->json);
    free(results.list);
    xl_context_destroy(b.ctx);
    return results.wrong || !written;
}

int main(int argc, char **argv)
{
    options o = {.max_n = SIZE_MAX};
    if (!parse(argc, argv, &o) || (o.only && !is_part(o.only))) {
        fputs("usage: crosslane-bench [--only NAME] [--max-n 2^K] [--json FILE] [--quick]\nnames:",
              stderr);
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i)
            fprintf(stderr, " %s", parts[i].name);
        fputc('\n', stderr);
        return 2;
    }
    return run(&o);
}
