/* SPDX-License-Identifier: MIT
 * The differential runner: cases of the public calls against plain C.
 *
 *   differential [--cases N] [--seed S] [--seconds T] [--plans P] [--watchdog T]
 *   differential --case 'LINE' [--case 'LINE' ...]     cases that a run printed, in this order
 *   differential --corpus FILE                         one case a line, '#' starts a comment
 *   differential --list N                              prints cases and runs nothing
 *
 * Plans come from a pool of P that the seed does not change, so that what was compiled once is
 * found again; everything else is drawn from the seed. The first failure ends the run: its line
 * is printed, that of the case before it on the same plan, and a smaller one that fails. */
#include "differential.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef _WIN32
#include <io.h>
#define isatty _isatty
#define alarm(seconds) ((void)(seconds))
#define STDERR_FILENO 2
#else
#include <unistd.h>
#endif

/* Calls in a row on one plan, of which each ninth is of points in space; cases and plans of a push,
 * and of CROSSLANE_TEST_SMALL. */
enum { BURST = 16, NINTH = 9, CASES = 22500, PLANS = 70, SMALL_CASES = 1125, SMALL_PLANS = 31 };

static unsigned watchdog = 60;
static uint64_t counts[PRIMITIVES], refusals;

/* ---- what is said when a process ends in the middle of a case ------------------------------- */

static char running[LINE + 2];

static void say(const char *text)
{
#ifdef _WIN32
    fputs(text, stderr);
#else
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return;
#endif
}

static void end_in_case(int number)
{
    signal(number, SIG_DFL);
#ifndef _WIN32
    say(number == SIGALRM ? "\nnot done in time: " : "\ncrashed: ");
#endif
    say(running);
    _Exit(1);
}

static void exit_in_case(void)
{
    if (running[0]) {
        say("\nended in: ");
        say(running);
    }
}

static void watch(void)
{
    signal(SIGSEGV, end_in_case);
    signal(SIGABRT, end_in_case);
    signal(SIGFPE, end_in_case);
    signal(SIGILL, end_in_case);
#ifndef _WIN32
    signal(SIGBUS, end_in_case);
    signal(SIGALRM, end_in_case);
#endif
    atexit(exit_in_case);
}

static void run_watched(const fuzz_case *c, outcome *o, char before[LINE])
{
    char line[LINE];
    snprintf(running, sizeof running, "%s\n", case_print(c, line));
    alarm(watchdog);
    run_case(c, o, before);
    alarm(0);
    running[0] = '\0';
}

/* ---- one case ------------------------------------------------------------------------------- */

static bool still_fails(const fuzz_case *c)
{
    outcome o;
    run_watched(c, &o, NULL);
    return o.failed;
}

static void report(const fuzz_case *c, const outcome *o, const char *before)
{
    char line[LINE];
    fuzz_case small = *c;
    printf("FAILED: %s\n  %s\n", case_print(c, line), o->text);
    if (*before)
        printf("  before it, on this plan: %s\n", before);
    fflush(stdout);
    if (!still_fails(c)) {
        printf("  alone it does not fail: try both lines\n");
        return;
    }
    case_shrink(&small, still_fails, 120);
    outcome again;
    run_watched(&small, &again, NULL);
    printf("  smaller: %s\n  %s\n", case_print(&small, line), again.text);
}

/* True if the case holds. */
static bool check(const fuzz_case *c)
{
    outcome o;
    char before[LINE];
    run_watched(c, &o, before);
    if (o.refused)
        ++refusals;
    else
        ++counts[c->of[PRIMITIVE]];
    if (o.failed)
        report(c, &o, before);
    return !o.failed;
}

static bool check_line(const char *line)
{
    fuzz_case c;
    char why[LINE];
    if (case_parse(line, &c, why))
        return check(&c);
    printf("no case: %s\n  %s\n", line, why);
    return false;
}

/* ---- many ------------------------------------------------------------------------------------ */

typedef struct settings {
    uint64_t cases, seed, seconds, plans;
} settings;

/* Those of points are of an eighth as many plans. */
static void draw(const settings *s, uint64_t k, fuzz_case *c)
{
    const uint64_t burst = k / BURST, spaces = burst / NINTH, place = k % BURST;
    if (burst % NINTH == NINTH - 1) {
        xlt_random random = random_of(~s->seed, spaces * BURST + place);
        case_draw_space_plan(c, (spaces + s->seed - 1) % (s->plans / 8 + 1));
        fit_device(c);
        case_draw_call(c, &random);
        return;
    }
    xlt_random random = random_of(s->seed, (burst - spaces) * BURST + place + 1);
    case_draw_plan(c, (burst - spaces + s->seed) % s->plans);
    fit_device(c);
    case_draw_call(c, &random);
}

static void progress(uint64_t k, uint64_t cases, time_t since)
{
    static time_t last;
    const time_t now = time(NULL);
    if (now != last && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%" PRIu64 " of %" PRIu64 " cases, %zu plans, %ld s ", k, cases,
                plans_opened(), (long)(now - since));
    last = now;
}

static bool check_many(const settings *s)
{
    const time_t since = time(NULL);
    bool good = true;
    printf("%" PRIu64 " cases from seed %" PRIu64 ", %" PRIu64 " plans\n", s->cases, s->seed,
           s->plans);
    fflush(stdout);
    for (uint64_t k = 0; good && k < s->cases; ++k) {
        fuzz_case c;
        if (s->seconds > 0 && (uint64_t)(time(NULL) - since) >= s->seconds)
            break;
        draw(s, k, &c);
        good = check(&c);
        progress(k, s->cases, since);
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    return good;
}

static bool check_corpus(const char *path)
{
    char line[LINE];
    bool good = true;
    size_t lines = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "#\r\n")] = '\0';
        if (line[0] == '\0' || (xlt_few_programs() && lines++ % 4 != 0))
            continue;
        good = check_line(line) && good;
        ++lines;
    }
    if (!file || lines == 0)
        printf("no cases in %s\n", path);
    if (file)
        fclose(file);
    return good && lines > 0;
}

static void list(const settings *s)
{
    for (uint64_t k = 0; k < s->cases; ++k) {
        fuzz_case c;
        char line[LINE];
        draw(s, k, &c);
        puts(case_print(&c, line));
    }
}

static void summary(void)
{
    for (int p = 0; p < PRIMITIVES; ++p)
        printf("%s %" PRIu64 ", ", primitive_name((uint64_t)p), counts[p]);
    printf("%" PRIu64 " refused; %zu plans, %zu of them refused, on %s\n", refusals, plans_opened(),
           plans_refused(), xlt_device());
}

static int usage(void)
{
    fputs("usage: differential [--cases N] [--seed S] [--seconds T] [--plans P] [--watchdog T]\n"
          "       differential --case 'LINE' [--case 'LINE' ...]\n"
          "       differential --corpus FILE\n"
          "       differential --list N\n",
          stderr);
    return 2;
}

static bool take_number(settings *s, const char *name, const char *text)
{
    char *end;
    const uint64_t x = strtoull(text, &end, 0);
    if (*text < '0' || *text > '9' || *end)
        return false;
    if (strcmp(name, "--cases") == 0 || strcmp(name, "--list") == 0)
        s->cases = x;
    else if (strcmp(name, "--seed") == 0)
        s->seed = x;
    else if (strcmp(name, "--seconds") == 0)
        s->seconds = x;
    else if (strcmp(name, "--plans") == 0 && x > 0)
        s->plans = x;
    else if (strcmp(name, "--watchdog") == 0)
        watchdog = (unsigned)x;
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    settings s = {.cases = xlt_small() ? SMALL_CASES : CASES,
                  .seed = 1,
                  .plans = xlt_few_programs() ? SMALL_PLANS : PLANS};
    bool good = true, listing = false, many = true;
    if (argc % 2 == 0)
        return usage();
    for (int i = 1; i + 1 < argc; i += 2) {
        const bool given = strcmp(argv[i], "--case") == 0 || strcmp(argv[i], "--corpus") == 0;
        if (!given && !take_number(&s, argv[i], argv[i + 1]))
            return usage();
        listing = listing || strcmp(argv[i], "--list") == 0;
        many = many && !given;
    }
    watch();
    (void)xlt_context();
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--case") == 0)
            good = check_line(argv[i + 1]) && good;
        else if (strcmp(argv[i], "--corpus") == 0)
            good = check_corpus(argv[i + 1]) && good;
    }
    if (listing)
        list(&s);
    else if (many)
        good = check_many(&s);
    if (!listing)
        summary();
    close_plans();
    xlt_finish();
    return !good;
}
