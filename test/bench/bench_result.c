/* SPDX-License-Identifier: MIT
 * The benchmark's options, protocol, table and JSON file, shared with its peers. */
#include "bench_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_RUNS = 64 };

double bench_now(void)
{
    struct timespec now;
#ifdef CLOCK_MONOTONIC
    clock_gettime(CLOCK_MONOTONIC, &now);
#else
    timespec_get(&now, TIME_UTC);
#endif
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- options --------------------------------------------------------------- */

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

static bool parse(int argc, char **argv, bench_options *o)
{
    const struct {
        const char *name, **to;
    } texts[] = {
        {"--only", &o->only}, {"--match", &o->match}, {"--json", &o->json}, {"--cloud", &o->cloud}};
    for (int i = 1; i < argc; ++i) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        size_t k = 0;
        if (strcmp(argv[i], "--quick") == 0 || strcmp(argv[i], "--progress") == 0) {
            *(argv[i][2] == 'q' ? &o->quick : &o->progress) = true;
            continue;
        }
        while (k < 4 && strcmp(argv[i], texts[k].name) != 0)
            ++k;
        if (!value)
            return false;
        if (k < 4)
            *texts[k].to = value;
        else if (strcmp(argv[i], "--max-n") == 0)
            o->max_n = parse_size(value);
        else if (strcmp(argv[i], "--min-n") == 0)
            o->min_n = parse_size(value);
        else
            return false;
        ++i;
    }
    return o->max_n > 0;
}

bool bench_parse(int argc, char **argv, const char *const *names, size_t num_names,
                 bench_options *o)
{
    bool known = parse(argc, argv, o), found = !o->only;
    for (size_t k = 0; k < num_names; ++k)
        found = found || strcmp(o->only, names[k]) == 0;
    if (known && found)
        return true;
    fprintf(stderr,
            "usage: %s [--only NAME] [--match TEXT] [--min-n 2^K] [--max-n 2^K] [--json FILE] "
            "[--cloud FILE.npy:RADIUS] [--quick] [--progress]\nnames:",
            argv[0]);
    for (size_t k = 0; k < num_names; ++k)
        fprintf(stderr, " %s", names[k]);
    fputc('\n', stderr);
    return false;
}

bool bench_has_part(const bench_options *o, const char *name)
{
    return !o->only || strcmp(o->only, name) == 0;
}

bool bench_matches(const bench_options *o, const char *variant)
{
    return !o->match || (o->match[0] == '=' ? strcmp(variant, o->match + 1) == 0
                                            : strstr(variant, o->match) != NULL);
}

unsigned bench_runs(const bench_options *o)
{
    return o->quick ? 5 : 15;
}

/* ---- results --------------------------------------------------------------- */

bench_result *bench_add(bench_results *all, const char *program, const char *name,
                        const char *variant, size_t n)
{
    if (all->count == all->capacity) {
        all->capacity = all->capacity > 0 ? 2 * all->capacity : 64;
        all->list = (bench_result *)realloc(all->list, all->capacity * sizeof *all->list);
        if (!all->list) {
            fputs("out of memory for results\n", stderr);
            exit(1);
        }
    }
    bench_result *r = &all->list[all->count++];
    memset(r, 0, sizeof *r);
    r->n = n;
    snprintf(r->program, sizeof r->program, "%s", program);
    snprintf(r->name, sizeof r->name, "%s", name);
    snprintf(r->variant, sizeof r->variant, "%s", variant);
    return r;
}

bench_result *bench_add_times(bench_results *all, const char *program, const char *name,
                              const char *variant, const bench_result *times)
{
    bench_result *r = bench_add(all, program, name, variant, times->n);
    r->bytes = times->bytes;
    r->device_ms = times->device_ms;
    r->spread = times->spread;
    r->wall_us = times->wall_us;
    r->copy_ms = times->copy_ms;
    return r;
}

double bench_least_copy(const bench_results *all, size_t n)
{
    double least = 0;
    for (size_t i = 0; i < all->count; ++i) {
        const bench_result *r = &all->list[i];
        const bool kernel = strcmp(r->name, "copy") == 0 && strncmp(r->variant, "kernel", 6) == 0;
        if (kernel && r->n == n && r->device_ms > 0 && (least == 0 || r->device_ms < least))
            least = r->device_ms;
    }
    return least;
}

/* ---- timing ---------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *numbers, unsigned count)
{
    qsort(numbers, count, sizeof *numbers, by_value);
    return numbers[count / 2];
}

bool bench_measure(bench_result *r, unsigned runs, bench_row *row, bench_wall *wall, void *user)
{
    double us = 0, rows[MOST_RUNS];
    if (runs > MOST_RUNS)
        runs = MOST_RUNS;
    for (int warm = 0; us >= 0 && warm < 2; ++warm)
        us = wall(user, 1);
    if (us < 0)
        return false;
    const unsigned calls = us < 2e3 ? 9 : us < 2e4 ? 4 : 2;
    for (unsigned i = 0; i < runs; ++i)
        if ((rows[i] = row(user, calls)) < 0)
            return false;
    r->device_ms = bench_median(rows, runs);
    r->spread = (rows[runs - 1 - runs / 10] - rows[runs / 10]) / 2 / r->device_ms;
    r->wall_us = wall(user, us < 1e4 ? 100 : us < 1e5 ? 10 : 2);
    return r->wall_us >= 0;
}

/* ---- the table ------------------------------------------------------------- */

/* The k of n = 2^k, or 64. */
static unsigned power_of(size_t n)
{
    unsigned k = 0;
    while (k < 63 && (size_t)1 << k < n)
        ++k;
    return (size_t)1 << k == n ? k : 64;
}

static void print_size(size_t n)
{
    if (power_of(n) < 64)
        printf("       2^%-2u", power_of(n));
    else
        printf("%11zu", n);
}

void bench_start(const bench_options *o, const char *program, const char *name, const char *variant,
                 size_t n)
{
    char size[32];
    if (!o->progress)
        return;
    snprintf(size, sizeof size, power_of(n) < 64 ? "2^%zu" : "%zu",
             power_of(n) < 64 ? (size_t)power_of(n) : n);
    fprintf(stderr, "%s: %s, %s, n %s\n", program, name, variant, size);
}

void bench_print_columns(void)
{
    printf("%-6s %-44s %11s %10s %6s %11s %9s %7s\n", "name", "variant", "n", "device ms", "spread",
           "wall us", "GB/s", "of copy");
}

void bench_print(const bench_results *all, const bench_result *r)
{
    char what[96];
    const bool own = strcmp(r->program, all->program) == 0;
    snprintf(what, sizeof what, "%s%s%s", r->variant, own ? "" : ", ", own ? "" : r->program);
    printf("%-6s %-44s ", r->name, what);
    print_size(r->n);
    if (r->wrong[0]) {
        printf("  WRONG: %s\n", r->wrong);
        fflush(stdout);
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

/* ---- the file -------------------------------------------------------------- */

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
    if (!text)
        return;
    fprintf(f, "  \"%s\": ", name);
    json_text(f, text);
    fputs(",\n", f);
}

static void json_result(FILE *f, const bench_result *r)
{
    fputs("\n    {\"program\": ", f);
    json_text(f, r->program);
    fputs(", \"name\": ", f);
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

static void json_all(FILE *f, const bench_results *all, const bench_place *place)
{
    fputs("{\n", f);
    json_field(f, "program", all->program);
    json_field(f, "version", place->version);
    json_field(f, "device", place->device);
    json_field(f, "platform", place->platform);
    json_field(f, "driver", place->driver);
    json_field(f, "opencl_c", place->opencl_c);
    json_field(f, "tunables", place->tunables);
    fprintf(f, "  \"runs\": %u,\n  \"results\": [", place->runs);
    for (size_t i = 0; i < all->count; ++i) {
        if (i > 0)
            fputc(',', f);
        json_result(f, &all->list[i]);
    }
    fputs("\n  ]", f);
    if (place->more)
        fprintf(f, ",\n  %s", place->more);
    fputs("\n}\n", f);
}

bool bench_write_json(const bench_results *all, const bench_place *place, const char *path)
{
    char fresh[4096];
    snprintf(fresh, sizeof fresh, "%.4000s.new", path);
    FILE *f = fopen(fresh, "w");
    if (!f) {
        perror(fresh);
        return false;
    }
    json_all(f, all, place);
    const bool written = fclose(f) == 0;
#ifdef _WIN32 /* where rename() replaces nothing */
    remove(path);
#endif
    return written && rename(fresh, path) == 0;
}
