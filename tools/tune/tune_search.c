/* SPDX-License-Identifier: MIT
 * The search of `crosslane tune`: from the initial values, one tunable after another, the most
 * promising ones first. Two measurements must agree before a value is taken. */
#include "tune_search.h"

#include <stdlib.h>
#include <string.h>

/* The least gain and loss that count; the share of the time for the last check. */
static const double GAIN = 1.03, LOSS = 0.97, LAST_SHARE = 0.1, LAST_MOST_MS = 3000;

enum { LAST_TURN = 3, MOST_GIVEN = 64 };

bool tune_is_of(const tune_value *v, const workload_kind *kind)
{
    return strncmp(v->name, kind->prefix, strlen(kind->prefix)) == 0;
}

/* ---- the list -------------------------------------------------------------- */

static void add_value(void *user, const xl_tunable_info *info)
{
    tune_search *t = user;
    t->values[t->count++] = (tune_value){.name = info->name,
                                         .least = info->least,
                                         .greatest = info->greatest,
                                         .zero = info->zero,
                                         .from_file = info->from_file,
                                         .step = info->step,
                                         .turn = info->turn,
                                         .before = info->value,
                                         .value = info->value,
                                         .gain = 1};
}

int tune_search_list(tune_search *t)
{
    const uint32_t count = xl_tunables_each(t->s.ctx, NULL, NULL);
    t->values = calloc(count ? count : 1, sizeof *t->values);
    t->count = 0;
    if (!t->values)
        return tool_fail("tune: no memory for %u tunables", (unsigned)count);
    if (xl_tunables_each(t->s.ctx, add_value, t) == 0)
        return tool_fail("tune: %s", xl_context_error(t->s.ctx));
    return TOOL_OK;
}

/* The values that differ from the initial ones, for a plan of that kind. */
static uint32_t gather(const tune_search *t, const workload_kind *kind,
                       xl_tunable given[MOST_GIVEN])
{
    uint32_t count = 0;
    for (size_t i = 0; i < t->count && count < MOST_GIVEN; ++i)
        if (tune_is_of(&t->values[i], kind) && t->values[i].value != t->values[i].before)
            given[count++] = (xl_tunable){t->values[i].name, t->values[i].value};
    return count;
}

/* ---- one value --------------------------------------------------------------- */

/* Whether there is time to create another plan. */
static bool has_time(tune_search *t, const workload *c)
{
    if (host_milliseconds() + 1.1 * c->create_ms >= t->end)
        t->out_of_time = true;
    return !t->out_of_time;
}

static int open_case(tune_search *t, size_t k)
{
    if (t->cases[k].kind)
        return TOOL_OK;
    progress_say("tune: preparing %s", workload_kinds[k].name);
    return workload_open(&t->cases[k], &t->s, &workload_kinds[k], 0);
}

/* New plans of all workloads of a primitive, compared with their current ones. */
typedef struct trial {
    xl_plan *plans[WORKLOADS]; /* NULL: not of the primitive */
    workload_gain gains[WORKLOADS];
} trial;

/* Whether no workload loses and at least one surely gains. *best: the one that gains most. */
static bool is_better(const trial *r, size_t *best)
{
    bool better = false;
    *best = WORKLOADS;
    for (size_t k = 0; k < WORKLOADS; ++k) {
        if (!r->plans[k])
            continue;
        if (r->gains[k].gain < LOSS)
            return false;
        better = better || (r->gains[k].gain > GAIN && r->gains[k].sure);
        if (*best == WORKLOADS || r->gains[k].gain > r->gains[*best].gain)
            *best = k;
    }
    return better;
}

static bool measure(tune_search *t, size_t least_pairs, trial *r, size_t *best)
{
    for (size_t k = 0; k < WORKLOADS; ++k) {
        workload *c = &t->cases[k];
        if (!r->plans[k])
            continue;
        if (!workload_compare(c, least_pairs, c->plan, r->plans[k], &r->gains[k]) ||
            r->gains[k].gain < LOSS)
            return false;
    }
    return is_better(r, best);
}

/* Creates plans of all workloads of the primitive with the current values. False if one fails or
 * time is over. */
static bool make_plans(tune_search *t, const tune_value *v, trial *r)
{
    xl_tunable given[MOST_GIVEN];
    for (size_t k = 0; k < WORKLOADS; ++k) {
        const workload_kind *kind = &workload_kinds[k];
        if (!tune_is_of(v, kind))
            continue;
        if (!has_time(t, &t->cases[k]))
            return false;
        if (!workload_try(&t->cases[k], given, gather(t, kind, given), &r->plans[k])) {
            ++t->failed;
            return false;
        }
    }
    return true;
}

/* Replaces the current plans by those of the trial, or destroys those of the trial. */
static void settle(tune_search *t, trial *r, bool taken)
{
    for (size_t k = 0; k < WORKLOADS; ++k) {
        workload *c = &t->cases[k];
        if (!r->plans[k])
            continue;
        xl_plan *old = taken ? c->plan : r->plans[k];
        if (taken)
            c->plan = r->plans[k];
        workload_drop(c, old);
    }
}

static void say(const tune_search *t, const tune_value *v)
{
    progress_say("tune: %s = %llu; %u tried, %u taken, %.0f s left", v->name,
                 (unsigned long long)v->value, t->tried, t->taken,
                 (t->end - host_milliseconds()) / 1e3);
}

/* Takes the value if two measurements find it better than the current one. */
static bool try_value(tune_search *t, tune_value *v, uint64_t value)
{
    trial r = {.plans = {NULL}};
    const uint64_t old = v->value;
    size_t best = 0, again = 0;
    v->value = value;
    say(t, v);
    const bool made = make_plans(t, v, &r);
    t->tried += !t->out_of_time;
    bool taken = made && measure(t, WORKLOAD_FEW_PAIRS, &r, &best);
    const double gain = taken ? r.gains[best].gain : 1;
    taken = taken && measure(t, WORKLOAD_MANY_PAIRS, &r, &again);
    if (taken) {
        /* The lower gain of both, in the workload that gained most the first time. */
        v->gain *= r.gains[best].gain < gain ? r.gains[best].gain : gain;
        v->where = workload_kinds[best].name;
        ++t->taken;
    } else {
        v->value = old;
    }
    settle(t, &r, taken);
    return taken;
}

/* ---- one tunable ---------------------------------------------------------------- */

static bool is_legal(const tune_value *v, uint64_t value)
{
    return (v->zero && value == 0) || (value >= v->least && value <= v->greatest);
}

/* The value one step up or down; the same value if there is none. */
static uint64_t next_value(const tune_value *v, bool up)
{
    uint64_t next = up ? 2 * v->value : v->value / 2;
    if (v->step == 1)
        next = up ? v->value + 1 : v->value - (v->value > 0);
    if (!up && next < v->least)
        next = v->zero ? 0 : v->least;
    if (up && next > v->greatest)
        next = v->greatest;
    return is_legal(v, next) ? next : v->value;
}

/* Walks up, or else down, while the time improves. */
static void walk(tune_search *t, tune_value *v)
{
    bool moved = false;
    for (int up = 1; up >= 0 && !moved; --up) {
        for (bool on = true; on && !t->out_of_time;) {
            const uint64_t next = next_value(v, up);
            on = next != v->value && try_value(t, v, next);
            moved = moved || on;
        }
    }
}

/* Tries the values between the steps of walk(). */
static void walk_between(tune_search *t, tune_value *v)
{
    const uint64_t up = v->value / 2 * 3, down = v->value / 4 * 3;
    if (v->step != 2 || v->value < 4)
        return;
    if (!(is_legal(v, up) && try_value(t, v, up)) && !t->out_of_time && is_legal(v, down))
        (void)try_value(t, v, down);
}

/* ---- all tunables ------------------------------------------------------------------ */

static int search_turn(tune_search *t, uint32_t turn, void (*step)(tune_search *, tune_value *))
{
    int result = TOOL_OK;
    for (size_t i = 0; i < t->count && !t->out_of_time; ++i) {
        tune_value *v = &t->values[i];
        bool measured = false;
        if (v->turn != turn)
            continue;
        for (size_t k = 0; k < WORKLOADS && !t->out_of_time; ++k) {
            if (!tune_is_of(v, &workload_kinds[k]))
                continue;
            if (!has_time(t, &t->cases[k]))
                break;
            TRY(open_case(t, k));
            measured = true;
        }
        if (measured && !t->out_of_time)
            step(t, v);
    }
done:
    return result;
}

static bool is_touched(const tune_search *t, const workload_kind *kind)
{
    for (size_t i = 0; i < t->count; ++i)
        if (tune_is_of(&t->values[i], kind) && t->values[i].value != t->values[i].before)
            return true;
    return false;
}

static void take_back(tune_search *t, const workload_kind *kind)
{
    for (size_t i = 0; i < t->count; ++i) {
        tune_value *v = &t->values[i];
        if (tune_is_of(v, kind) && v->value != v->before) {
            v->value = v->before;
            v->gain = 1;
        }
    }
}

/* Compares all values of a primitive together with the initial ones, because single gains may be
 * chance. */
static void check_whole(tune_search *t, const workload_kind *kind)
{
    trial r = {.plans = {NULL}};
    size_t best;
    bool good = true;
    if (!is_touched(t, kind))
        return;
    for (size_t k = 0; k < WORKLOADS; ++k) {
        workload *c = &t->cases[k];
        if (strcmp(workload_kinds[k].prefix, kind->prefix) != 0 || !c->kind)
            continue;
        progress_say("tune: checking %s", workload_kinds[k].name);
        r.plans[k] = c->plan;
        good = good && workload_compare(c, WORKLOAD_FEW_PAIRS, c->first, c->plan, &r.gains[k]);
        t->whole[k] = r.gains[k];
    }
    if (!good || !is_better(&r, &best))
        take_back(t, kind);
}

int tune_search_run(tune_search *t)
{
    int result = TOOL_OK;
    const double start = host_milliseconds(), all = t->end - start;
    const double last = all * LAST_SHARE < LAST_MOST_MS ? all * LAST_SHARE : LAST_MOST_MS;
    t->end -= last;
    for (uint32_t turn = 1; turn <= LAST_TURN; ++turn)
        TRY(search_turn(t, turn, walk));
    for (uint32_t turn = 1; turn <= LAST_TURN; ++turn)
        TRY(search_turn(t, turn, walk_between));
    for (size_t k = 0; k < WORKLOADS; ++k)
        if (k == 0 || strcmp(workload_kinds[k].prefix, workload_kinds[k - 1].prefix) != 0)
            check_whole(t, &workload_kinds[k]);
done:
    progress_clear();
    return result;
}

void tune_search_close(tune_search *t)
{
    for (size_t k = 0; k < WORKLOADS; ++k)
        workload_close(&t->cases[k]);
    free(t->values);
    session_close(&t->s);
}
