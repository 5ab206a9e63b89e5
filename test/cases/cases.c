/* SPDX-License-Identifier: MIT
 * The case runner: cases of the public calls against plain C.
 *
 *   cases --case LINE [--case LINE ...]   the cases given, in this order
 *   cases --file FILE                     one case a line; '#' starts a comment
 *   cases --pairs NAME,NAME...|all        cases that cover all legal pairs of options
 *   cases --excluded NAME,NAME...|all     prints the illegal pairs, and why they are illegal
 *   cases --list N                        prints random cases, or those of --pairs
 *   cases --cases N                       random cases
 *
 *   --seed S        1
 *   --only NAMES    random cases of these primitives; all by default
 *   --plans P       random cases are of P plans, which do not depend on the seed
 *   --programs P    --pairs ends after P plans if CROSSLANE_TEST_PROGRAMS=few; the first plans
 * cover the most pairs
 *   --calls N       --pairs adds N random calls on each plan (an eighth if CROSSLANE_TEST_SMALL=1)
 *   --share K/N     this process has the K-th part of the plans, from 0
 *   --from I        starts at case I
 *   --most N        the largest n of a random case
 *   --seconds T     ends after T seconds, which the primitives of --pairs share equally
 *   --failures F    ends after F failures; 1 by default
 *   --watchdog T    a case that takes T seconds is a failure; 300 by default
 *
 * A failure is printed as a line, with the line of the case before it on the same plan and with a
 * smaller case that fails (not if CROSSLANE_TEST_SHRINK=0). The exit code is 1 after a failure, 3
 * if the device no longer works. */
#include "case.h"

#include <inttypes.h>
#include <math.h>
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

/* Calls in a row on one plan, and the default numbers of cases and plans. */
enum { BURST = 16, CASES = 21600, PLANS = 75 };

/* Tries that a failure's case is made smaller with, and the exit code of a device that no longer
 * works. */
enum { SHRINK_TRIES = 120, DEVICE_LOST = 3 };

static uint64_t watchdog = 300; /* compiling on a busy machine takes a minute */
static uint64_t refusals;

/* Results of a run. */
typedef struct tally {
    uint64_t cases, failures;
    double seconds, building;
} tally;
static tally tallies[PRIMITIVES];
static bool device_lost;

/* ---- messages if a process ends in the middle of a case ------------------------------------- */

static char running[LINE + 32];
static uint64_t number; /* of the case */

static void say(const char *text)
{
#ifdef _WIN32
    fputs(text, stderr);
#else
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return;
#endif
}

static void end_in_case(int code)
{
    signal(code, SIG_DFL);
#ifndef _WIN32
    say(code == SIGALRM ? "\nnot done in time: " : "\ncrashed: ");
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

/* Before each case, because a driver may install other handlers. */
static void catch_signals(void)
{
    signal(SIGSEGV, end_in_case);
    signal(SIGABRT, end_in_case);
    signal(SIGFPE, end_in_case);
    signal(SIGILL, end_in_case);
#ifndef _WIN32
    signal(SIGBUS, end_in_case);
    signal(SIGALRM, end_in_case);
#endif
}

static void run_watched(const fuzz_case *c, outcome *o, char before[LINE])
{
    char line[LINE];
    snprintf(running, sizeof running, "case %" PRIu64 ": %s\n", number, case_print(c, line));
    catch_signals();
    alarm((unsigned)watchdog);
    run_case(c, o, before);
    alarm(0);
    running[0] = '\0';
}

/* ---- one case ------------------------------------------------------------------------------- */

static bool still_fails(const fuzz_case *c)
{
    outcome o;
    run_watched(c, &o, NULL);
    return o.failed && device_works();
}

static bool shrinks(void)
{
    const char *const text = getenv("CROSSLANE_TEST_SHRINK");
    return !text || strcmp(text, "0") != 0;
}

static void report(const fuzz_case *c, const outcome *o, const char *before)
{
    char line[LINE];
    fuzz_case small = *c;
    printf("FAILED: %s\n  %s\n", case_print(c, line), o->text);
    if (*before)
        printf("  before it, on this plan: %s\n", before);
    fflush(stdout);
    if (!device_works() || !shrinks())
        return;
    if (!still_fails(c)) {
        printf("  alone it does not fail: try both lines\n");
        return;
    }
    case_shrink(&small, still_fails, SHRINK_TRIES / (int)tallies[c->of[PRIMITIVE]].failures);
    outcome again;
    run_watched(&small, &again, NULL);
    printf("  smaller: %s\n  %s\n", case_print(&small, line), again.text);
    fflush(stdout);
}

/* True if the case holds. */
static bool check(const fuzz_case *c)
{
    outcome o;
    char before[LINE];
    tally *t = &tallies[c->of[PRIMITIVE]];
    const double start = seconds_now(), built = plans_made.seconds;
    run_watched(c, &o, before);
    t->seconds += seconds_now() - start;
    t->building += plans_made.seconds - built;
    t->cases += !o.refused;
    refusals += o.refused;
    t->failures += o.failed;
    if (o.failed)
        report(c, &o, before);
    return !o.failed;
}

/* A case that is kept is changed to one that the device has. */
static bool check_line(const char *line, bool kept)
{
    fuzz_case c;
    char why[LINE];
    if (case_parse(line, &c, why)) {
        if (kept)
            fit_device(&c);
        return check(&c);
    }
    printf("no case: %s\n  %s\n", line, why);
    return false;
}

/* ---- many ------------------------------------------------------------------------------------ */

typedef struct settings {
    uint64_t cases, seed, seconds, plans, from, failures;
    uint64_t share, shares;
    uint64_t programs, calls; /* 0 programs: no limit */
    unsigned only;            /* bits of the primitives that are drawn */
    bool listing, pairs, telling;
} settings;

/* All primitives that are asked for in turn. */
static void draw(const settings *s, uint64_t k, fuzz_case *c)
{
    uint64_t names[PRIMITIVES], count = 0;
    const uint64_t burst = k / BURST;
    xlt_random random = random_of(s->seed, k + 1);
    for (uint64_t p = 0; p < PRIMITIVES; ++p)
        if (s->only >> p & 1)
            names[count++] = p;
    const uint64_t pool = (s->plans + count - 1) / count, plan = burst / count % pool;
    case_draw_plan_of(c, names[burst % count], plan * s->shares + s->share);
    fit_device(c);
    case_draw_call(c, &random);
}

static void progress(uint64_t k, uint64_t cases, time_t since)
{
    static time_t last;
    const time_t now = time(NULL);
    if (now != last && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%" PRIu64 " of %" PRIu64 " cases, %zu plans, %ld s ", k, cases,
                plans_made.opened, (long)(now - since));
    last = now;
}

static double ends; /* of seconds_now(): no case begins later */

static bool goes_on(const settings *s, uint64_t failures)
{
    return failures < s->failures && !device_lost && seconds_now() < ends;
}

static double end_of(const settings *s)
{
    return s->seconds == 0 ? (double)INFINITY : seconds_now() + (double)s->seconds;
}

/* After a failure the rest of the cases on its plan are left out. */
static bool check_many(const settings *s)
{
    uint64_t failures = 0;
    const time_t started = time(NULL);
    ends = end_of(s);
    printf("%" PRIu64 " cases from seed %" PRIu64 ", %" PRIu64 " plans\n", s->cases, s->seed,
           s->plans);
    fflush(stdout);
    for (number = s->from; number < s->cases && goes_on(s, failures); ++number) {
        fuzz_case c;
        draw(s, number, &c);
        if (!check(&c)) {
            ++failures;
            number |= BURST - 1;
            device_lost = !device_works();
        }
        progress(number, s->cases, started);
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    return failures == 0;
}

/* ---- all pairs ------------------------------------------------------------------------------- */

static uint64_t told_of; /* primitive */

static void tell_pair(field f, uint64_t x, field g, uint64_t y, const char *because)
{
    const char *const a = value_name(f, x), *const b = value_name(g, y);
    char numbers[2][24];
    snprintf(numbers[0], sizeof numbers[0], "%" PRIu64, x);
    snprintf(numbers[1], sizeof numbers[1], "%" PRIu64, y);
    printf("%s: %s=%s with %s=%s: %s\n", primitive_name(told_of), field_name(f), a ? a : numbers[0],
           field_name(g), b ? b : numbers[1], because ? because : "a number is out of range");
}

static bool prints_or_holds(const fuzz_case *given, void *of_settings)
{
    const settings *const s = of_settings;
    char line[LINE];
    fuzz_case c = *given;
    if (s->listing) {
        puts(case_print(&c, line));
        return true;
    }
    fit_device(&c);
    return check(&c);
}

/* Checks or prints the cases of this process's share of the plans. A failure ends its plan. */
static bool check_list(settings *s, const case_list *list, uint64_t *failures)
{
    const uint64_t calls = xlt_small() ? s->calls / 8 : s->calls;
    for (size_t k = 0; k < list->count && goes_on(s, *failures); ++k, ++number) {
        const size_t plan = list->plans[k];
        if ((k > 0 && list->plans[k - 1] == plan) || number < s->from ||
            plan % s->shares != s->share ||
            (s->programs > 0 && xlt_few_programs() && plan >= s->programs) ||
            each_case_of_plan(list, k, s->seed, calls, prints_or_holds, s))
            continue;
        ++*failures;
        device_lost = !device_works();
    }
    return *failures == 0;
}

/* Each primitive has an equal share of the time that is left when it begins. */
static bool check_pairs(settings *s)
{
    uint64_t failures = 0, left = 0;
    const double end = end_of(s);
    for (uint64_t p = 0; p < PRIMITIVES; ++p)
        left += s->only >> p & 1;
    for (uint64_t p = 0; p < PRIMITIVES; ++p) {
        if (!(s->only >> p & 1))
            continue;
        const double now = seconds_now();
        ends = now + (end - now) / (double)left--;
        if (!goes_on(s, failures))
            break;
        told_of = p;
        case_list list = case_pairs(p, s->seed, s->telling ? tell_pair : NULL);
        printf(
            "%s: %zu cases on %zu plans cover %zu pairs; the rules exclude %zu; %zu of the cases "
            "must be refused\n",
            primitive_name(p), list.count, list.num_plans, list.pairs, list.excluded, list.illegal);
        fflush(stdout);
        if (!s->telling)
            check_list(s, &list, &failures);
        free_case_list(&list);
    }
    return failures == 0;
}

static bool check_file(const char *path)
{
    char line[LINE];
    bool good = true;
    FILE *file = fopen(path, "r");
    if (!file)
        printf("cannot open %s\n", path);
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "#\r\n")] = '\0';
        if (line[0] != '\0')
            good = check_line(line, true) && good;
    }
    if (file)
        fclose(file);
    return good && file;
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
    tally all = {0};
    printf("%-12s %9s %8s %9s %9s\n", "primitive", "cases", "failed", "seconds", "building");
    for (uint64_t p = 0; p < PRIMITIVES; ++p) {
        const tally *t = &tallies[p];
        if (t->seconds > 0)
            printf("%-12s %9" PRIu64 " %8" PRIu64 " %9.1f %9.1f\n", primitive_name(p), t->cases,
                   t->failures, t->seconds, t->building);
        all.cases += t->cases;
        all.failures += t->failures;
        all.seconds += t->seconds;
        all.building += t->building;
    }
    printf("%-12s %9" PRIu64 " %8" PRIu64 " %9.1f %9.1f\n", "all", all.cases, all.failures,
           all.seconds, all.building);
    printf("%" PRIu64 " refused; %zu plans, %zu of them refused, on %s; the next case is %" PRIu64
           "\n",
           refusals, plans_made.opened, plans_made.refused, xlt_device(), number);
}

static int usage(void)
{
    fputs(
        "usage: cases --case LINE | --file FILE | --pairs NAMES | --excluded NAMES | --list N |\n"
        "             --cases N [--seed S] [--only NAMES] [--plans P] [--programs P] [--calls N]\n"
        "             [--share K/N] [--from I] [--most N] [--seconds T] [--failures F] "
        "[--watchdog T]\n"
        "NAMES: primitives, with commas between them, or `all`. The head of cases.c says more.\n",
        stderr);
    return 2;
}

static bool number_of(const char *text, uint64_t *x)
{
    char *end;
    *x = strtoull(text, &end, 0);
    return *text >= '0' && *text <= '9' && *end == '\0';
}

static bool take_number(settings *s, const char *name, const char *text)
{
    const struct {
        const char *name;
        uint64_t *to;
        uint64_t least;
    } numbers[] = {{"--cases", &s->cases, 0},       {"--list", &s->cases, 0},
                   {"--seed", &s->seed, 0},         {"--seconds", &s->seconds, 0},
                   {"--plans", &s->plans, 1},       {"--from", &s->from, 0},
                   {"--failures", &s->failures, 1}, {"--most", &draw_most, 1},
                   {"--watchdog", &watchdog, 0},    {"--calls", &s->calls, 0},
                   {"--programs", &s->programs, 1}};
    uint64_t x;
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k)
        if (strcmp(name, numbers[k].name) == 0)
            return number_of(text, &x) && x >= numbers[k].least && (*numbers[k].to = x, true);
    return false;
}

static bool take_share(settings *s, const char *text)
{
    char first[24] = "";
    const char *slash = strchr(text, '/');
    if (!slash || slash - text >= (ptrdiff_t)sizeof first)
        return false;
    memcpy(first, text, (size_t)(slash - text));
    return number_of(first, &s->share) && number_of(slash + 1, &s->shares) && s->share < s->shares;
}

static bool take_names(settings *s, const char *text)
{
    if (strcmp(text, "all") == 0)
        return true;
    s->only = 0;
    while (*text) {
        const size_t length = strcspn(text, ",");
        uint64_t p = 0;
        while (p < PRIMITIVES && (strlen(primitive_name(p)) != length ||
                                  strncmp(primitive_name(p), text, length) != 0))
            ++p;
        if (p == PRIMITIVES)
            return false;
        s->only |= 1u << p;
        text += length + (text[length] == ',');
    }
    return s->only != 0;
}

static bool take_setting(settings *s, const char *name, const char *text)
{
    if (strcmp(name, "--share") == 0)
        return take_share(s, text);
    s->pairs = s->pairs || strcmp(name, "--pairs") == 0;
    s->telling = s->telling || strcmp(name, "--excluded") == 0;
    s->listing = s->listing || strcmp(name, "--list") == 0;
    if (strcmp(name, "--only") == 0 || strcmp(name, "--pairs") == 0 ||
        strcmp(name, "--excluded") == 0)
        return take_names(s, text);
    return take_number(s, name, text);
}

int main(int argc, char **argv)
{
    settings s = {.cases = CASES,
                  .seed = 1,
                  .failures = 1,
                  .only = (1u << PRIMITIVES) - 1,
                  .plans = PLANS,
                  .shares = 1};
    bool good = true, many = true;
    if (argc % 2 == 0)
        return usage();
    for (int i = 1; i + 1 < argc; i += 2) {
        const bool given = strcmp(argv[i], "--case") == 0 || strcmp(argv[i], "--file") == 0;
        if (!given && !take_setting(&s, argv[i], argv[i + 1]))
            return usage();
        many = many && !given;
    }
    xlt_pages_end_by(end_in_case);
    atexit(exit_in_case);
    (void)xlt_context();
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--case") == 0)
            good = check_line(argv[i + 1], false) && good;
        else if (strcmp(argv[i], "--file") == 0)
            good = check_file(argv[i + 1]) && good;
    }
    if (s.pairs || s.telling)
        good = check_pairs(&s) && good;
    else if (s.listing)
        list(&s);
    else if (many)
        good = check_many(&s) && good;
    if (!s.listing && !s.telling)
        summary();
    close_plans();
    xlt_finish();
    return device_lost ? DEVICE_LOST : !good;
}
