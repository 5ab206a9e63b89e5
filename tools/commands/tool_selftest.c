/* SPDX-License-Identifier: MIT
 * `crosslane selftest`: calls of every primitive on one device, compared with serial code. */
#include "tool.h"

#include "case.h"

#include <inttypes.h>
#include <string.h>

/* For each primitive: plans of the list that covers all pairs of options, and random calls on each
 * plan. */
typedef struct effort {
    uint64_t plans, calls;
} effort;
static const effort quick = {2, 30}, usual = {8, 60}, all = {UINT64_MAX, 100};

/* Sums that round. `hash` is that of PoCL's results; XL_REPRODUCIBLE promises the same bits on
 * every device. */
static const char *const reproducible[] = {
    "scan type=f32 determinism=reproducible n=150001 data=real twice=yes seed=1 "
    "hash=0x7798b503eb88638d",
    "reduce type=f32 determinism=reproducible n=150001 data=real twice=yes seed=1 "
    "hash=0x25290e28a5eee341",
    "reduce type=f32 segments=width width=3000 determinism=reproducible n=150001 data=real seed=1 "
    "hash=0x5d6dbdf4d415ac5e",
};

/* The results of one primitive, or of all. */
typedef struct tally {
    const char *name;
    uint64_t cases, failures, refused;
    fuzz_case failed; /* the first */
    outcome how;
    bool lost; /* the device no longer works */
} tally;

static bool check(const fuzz_case *c, tally *t)
{
    outcome o;
    progress_say("checking %s: %" PRIu64 " cases", t->name, t->cases);
    run_case(c, &o, NULL);
    ++t->cases;
    t->refused += o.refused && !c->of[ILLEGAL];
    if (!o.failed)
        return true;
    if (t->failures++ == 0) {
        t->failed = *c;
        t->how = o;
    }
    t->lost = !device_works();
    return false;
}

/* With the tuning values of the device and of the user's file. */
static bool check_own_tuning(const fuzz_case *given, void *of_tally)
{
    fuzz_case c = *given;
    c.of[TUNE] = 0;
    case_normalise(&c);
    fit_device(&c);
    return check(&c, of_tally);
}

static void check_lines(tally *t, uint64_t which)
{
    char why[LINE];
    for (size_t i = 0; i < TOOL_COUNT(reproducible) && !t->lost; ++i) {
        fuzz_case c;
        if (case_parse(reproducible[i], &c, why) && c.of[PRIMITIVE] == which)
            (void)check(&c, t);
    }
}

/* A failure ends its plan. */
static void check_pairs(tally *t, uint64_t which, const effort *e)
{
    case_list list = case_pairs(which, 1, NULL);
    for (size_t k = 0; k < list.count && list.plans[k] < e->plans && !t->lost; ++k)
        if (k == 0 || list.plans[k - 1] != list.plans[k])
            (void)each_case_of_plan(&list, k, 1, e->calls, check_own_tuning, t);
    free_case_list(&list);
}

/* The line of a primitive, and how to repeat its first failure. */
static void report(const tally *t, size_t plans, double seconds)
{
    char line[LINE], text[sizeof t->how.text];
    progress_clear();
    printf("%-12s %-12s %6" PRIu64 " cases %4zu plans %7.1f s", t->failures ? "FAILED" : "ok",
           t->name, t->cases, plans, seconds);
    if (t->refused)
        printf(", %" PRIu64 " cases unsupported", t->refused);
    if (t->failures) {
        text_one_line(text, sizeof text, t->how.text);
        printf(", %" PRIu64 " failures; the first: %s\n  crosslane selftest --case \"%s\"",
               t->failures, text, case_print(&t->failed, line));
    }
    putchar('\n');
    fflush(stdout);
}

static void add(tally *sum, const tally *t)
{
    sum->cases += t->cases;
    sum->failures += t->failures;
    sum->refused += t->refused;
    sum->lost = sum->lost || t->lost;
}

static bool is_wanted(const char *const *names, const char *name)
{
    bool wanted = !names[0];
    for (size_t i = 0; i < TOOL_MAX_FILES && names[i]; ++i)
        wanted = wanted || strcmp(names[i], name) == 0;
    return wanted;
}

static void check_primitives(const char *const *names, const effort *e, tally *sum)
{
    for (uint64_t which = 0; which < PRIMITIVES && !sum->lost; ++which) {
        tally t = {.name = primitive_name(which)};
        const size_t plans = plans_made.opened;
        const double start = seconds_now();
        if (!is_wanted(names, t.name))
            continue;
        check_lines(&t, which);
        check_pairs(&t, which, e);
        report(&t, plans_made.opened - plans, seconds_now() - start);
        add(sum, &t);
    }
}

static void check_given(const fuzz_case *c, tally *sum)
{
    tally t = {.name = primitive_name(c->of[PRIMITIVE])};
    const double start = seconds_now();
    (void)check(c, &t);
    report(&t, plans_made.opened, seconds_now() - start);
    add(sum, &t);
}

static int parse(const char *line, fuzz_case *c)
{
    char why[LINE];
    if (!line || case_parse(line, c, why))
        return TOOL_OK;
    return tool_misuse("selftest: --case: %s", why);
}

static int check_names(const char *const *names)
{
    char known[256] = "";
    size_t used = 0;
    for (uint64_t which = 0; which < PRIMITIVES; ++which)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", which ? ", " : "",
                                 primitive_name(which));
    for (size_t i = 0; i < TOOL_MAX_FILES && names[i]; ++i) {
        uint64_t which = 0;
        while (which < PRIMITIVES && strcmp(primitive_name(which), names[i]) != 0)
            ++which;
        if (which == PRIMITIVES)
            return tool_misuse("selftest: NAME: \"%s\"; must be one of %s", names[i], known);
    }
    return TOOL_OK;
}

/* `given` or, if that is NULL, the primitives of these names. */
static int run(const session *s, const fuzz_case *given, const char *const *names, const effort *e)
{
    int result;
    tally sum = {.cases = 0};
    printf("%s, %s, sub-group size %" PRIu32 " by %s\n", s->info.name, s->info.opencl_c,
           s->info.sub_group_size, s->info.cross_lane);
    TRY(tool_flush()); /* before minutes of work */
    if (given)
        check_given(given, &sum);
    else
        check_primitives(names, e, &sum);
    printf("%" PRIu64 " cases: %" PRIu64 " failures, %" PRIu64 " unsupported\n", sum.cases,
           sum.failures, sum.refused);
    if (sum.lost)
        result = tool_fail("selftest: the device no longer works");
    else if (sum.failures)
        result = tool_fail("selftest: %" PRIu64 " cases failed", sum.failures);
done:
    return result;
}

int tool_selftest(int argc, char **argv)
{
    const char *device = NULL, *tune_file = NULL, *line = NULL;
    bool is_quick = false, is_all = false;
    const tool_option options[] = {
        FLAG_OPTION("quick", is_quick, "fewer options and calls: about a minute"),
        FLAG_OPTION("all", is_all, "all pairs of options: hours on a CPU"),
        TEXT_OPTION("case", line, "LINE", "only this case; a failure prints its line"),
        DEVICE_OPTION(device), TUNE_FILE_OPTION(tune_file)};
    const tool_syntax syntax = {
        .name = "selftest",
        .files = "[NAME...]",
        .max_files = TOOL_MAX_FILES,
        .about =
            "Calls every primitive on a device with many options, sizes and kinds of data, and\n"
            "compares the results with serial code. Prints a line for each primitive. A case is\n"
            "unsupported if the device lacks a feature. The exit status is 1 if a case fails.\n\n"
            "NAME: only these primitives: scan, reduce, sort, topk, merge, search, near,\n"
            "nearest, moved, morton, select, histogram, transform, approximate.",
        .options = options,
        .num_options = TOOL_COUNT(options)};
    const char *names[TOOL_MAX_FILES];
    session s;
    fuzz_case given;
    int result = options_parse(&syntax, argc, argv, names);
    if (result == TOOL_OK && is_quick && is_all)
        result = tool_misuse("selftest: --quick and --all exclude each other; give one");
    if (result == TOOL_OK)
        result = check_names(names);
    if (result == TOOL_OK)
        result = parse(line, &given);
    if (result == TOOL_OK)
        result = session_open(&s, device, tune_file);
    if (result != TOOL_OK)
        return result;
    xlt_use_context(s.ctx);
    result = run(&s, line ? &given : NULL, names, is_quick ? &quick : is_all ? &all : &usual);
    close_plans();
    xlt_finish();
    session_close(&s);
    return result;
}
