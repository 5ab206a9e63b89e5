/* SPDX-License-Identifier: MIT
 * The part `first`: runs each case of first use in a new process with empty caches, then in another
 * one with the caches that the first one left. The caches of the library and of the drivers are
 * folders below a temporary one. */
#define _GNU_SOURCE
#include "bench_first.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32

bool first_measure(const char *program, const bench_options *options, first_table *table)
{
    (void)program, (void)options, (void)table;
    fputs("crosslane-bench: --only first is not supported on Windows\n", stderr);
    return false;
}

#else

#include <ftw.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- folders ------------------------------------------------------------------------------------ */

static const char *const caches[][2] = {{"CROSSLANE_CACHE_DIR", "crosslane"},
                                        {"POCL_CACHE_DIR", "pocl"},
                                        {"CUDA_CACHE_PATH", "cuda"},
                                        {"MESA_SHADER_CACHE_DIR", "mesa"},
                                        {"XDG_CACHE_HOME", "others"}};
enum { CACHES = sizeof caches / sizeof *caches };

static bool make_folder(char *folder, size_t bytes)
{
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, bytes, "%s/crosslane-first-XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    if (mkdtemp(folder))
        return true;
    perror(folder);
    return false;
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)about, (void)type, (void)where;
    (void)remove(path);
    return 0;
}

static void remove_folder(const char *folder)
{
    (void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- children ----------------------------------------------------------------------------------- */

static void become(const char *folder, int out, char **argv)
{
    char path[4200];
    for (int k = 0; k < CACHES; ++k) {
        snprintf(path, sizeof path, "%s/%s", folder, caches[k][1]);
        mkdir(path, 0700);
        setenv(caches[k][0], path, 1);
    }
    dup2(out, STDOUT_FILENO);
    execvp(argv[0], argv);
    _exit(127);
}

/* The child's first line, without its end. False: it failed, or said nothing. */
static bool child(const char *folder, char **argv, char *line, size_t bytes)
{
    int ends[2], status = -1;
    line[0] = '\0';
    if (pipe(ends) != 0)
        return false;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        become(folder, ends[1], argv);
    }
    close(ends[1]);
    FILE *const from = pid > 0 ? fdopen(ends[0], "r") : NULL;
    if (from && fgets(line, (int)bytes, from))
        line[strcspn(line, "\n")] = '\0';
    while (from && fgetc(from) != EOF)
        ;
    if (from)
        fclose(from);
    else
        close(ends[0]);
    if (pid > 0)
        waitpid(pid, &status, 0);
    if (!line[0])
        snprintf(line, bytes, "the process ended without a result, status %d", status);
    return status == 0;
}

static bool run(const char *program, const char *name, const char *device, const char *folder,
                first_times *times, char *why, size_t bytes)
{
    char option[] = FIRST_CHILD, line[512];
    char *argv[] = {(char *)(uintptr_t)program, option, (char *)(uintptr_t)name,
                    (char *)(uintptr_t)device, NULL};
    if (child(folder, argv, line, sizeof line) &&
        sscanf(line, "%lf %lf %lf %u %u", &times->driver_ms, &times->library_ms, &times->again_ms,
               &times->programs, &times->kernels) == 5)
        return true;
    snprintf(why, bytes, "%.*s", (int)bytes - 1, line);
    return false;
}

static void run_case(const char *program, const char *device, const bench_options *o,
                     first_row *row)
{
    char folder[4096];
    if (!make_folder(folder, sizeof folder)) {
        snprintf(row->wrong, sizeof row->wrong, "no temporary folder");
        return;
    }
    bench_start(o, "crosslane", "first", row->name, FIRST_N);
    row->is_known =
        run(program, row->name, device, folder, &row->cold, row->wrong, sizeof row->wrong) &&
        run(program, row->name, device, folder, &row->warm, row->wrong, sizeof row->wrong);
    if (strcmp(row->wrong, FIRST_UNSUPPORTED) == 0)
        row->wrong[0] = '\0';
    remove_folder(folder);
}

/* Its numbers, PLATFORM:DEVICE. */
static bool find_device(const char *program, char device[32], unsigned *has_fp64)
{
    char folder[4096], option[] = FIRST_CHILD, what[] = "device", line[512];
    char *argv[] = {(char *)(uintptr_t)program, option, what, NULL};
    if (!make_folder(folder, sizeof folder))
        return false;
    const bool found =
        child(folder, argv, line, sizeof line) && sscanf(line, "%31s %u", device, has_fp64) == 2;
    remove_folder(folder);
    if (!found)
        fprintf(stderr, "crosslane-bench: %s\n", line);
    return found;
}

bool first_measure(const char *program, const bench_options *options, first_table *table)
{
    char device[32];
    unsigned has_fp64;
    if (!find_device(program, device, &has_fp64))
        return false;
    table->rows = calloc(first_num_cases, sizeof *table->rows);
    for (size_t k = 0; table->rows && k < first_num_cases; ++k) {
        const first_case *const c = &first_cases[k];
        first_row *const row = &table->rows[k];
        row->name = c->name;
        if (bench_matches(options, c->name) && (has_fp64 || c->limit != FIRST_POINTS_F64))
            run_case(program, device, options, row);
        table->wrong = table->wrong || row->wrong[0];
    }
    return table->rows != NULL;
}

#endif

/* ---- the table and the file --------------------------------------------------------------------- */

void first_print(const first_table *table)
{
    printf("first use, %d elements or points\n%-12s %15s %10s %10s %14s %9s %8s\n", FIRST_N, "case",
           "driver start ms", "cold ms", "warm ms", "plan again ms", "programs", "kernels");
    for (size_t k = 0; k < first_num_cases; ++k) {
        const first_row *const r = &table->rows[k];
        if (r->wrong[0])
            printf("%-12s  WRONG: %s\n", r->name, r->wrong);
        else if (r->is_known)
            printf("%-12s %15.1f %10.1f %10.1f %14.3f %9u %8u\n", r->name, r->cold.driver_ms,
                   r->cold.library_ms, r->warm.library_ms, r->cold.again_ms, r->cold.programs,
                   r->cold.kernels);
    }
    fflush(stdout);
}

static void add(char **text, size_t *left, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(*text, *left, format, list);
    va_end(list);
    *text += length;
    *left -= (size_t)length;
}

char *first_json(const first_table *table)
{
    size_t left = 512 * (first_num_cases + 1);
    char *const text = malloc(left), *end = text;
    const char *comma = "";
    if (!text)
        return NULL;
    add(&end, &left, "\"first\": [");
    for (size_t k = 0; k < first_num_cases; ++k) {
        const first_row *const r = &table->rows[k];
        if (!r->is_known)
            continue;
        add(&end, &left,
            "%s\n    {\"case\": \"%s\", \"n\": %d, \"driver_ms\": %.3f, \"cold_ms\": %.3f, "
            "\"warm_ms\": %.3f, \"again_ms\": %.4f, \"programs\": %u, \"kernels\": %u}",
            comma, r->name, FIRST_N, r->cold.driver_ms, r->cold.library_ms, r->warm.library_ms,
            r->cold.again_ms, r->cold.programs, r->cold.kernels);
        comma = ",";
    }
    add(&end, &left, "\n  ]");
    return text;
}
