/* SPDX-License-Identifier: MIT
 * The search of `crosslane tune` on a simulated device: functions here give the time of a plan
 * and the clock. */
#include "tune_search.h"
#include "xlt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The values that the made-up device knows, by their place in `values`. */
enum { SHAPE, TILE, OTHER, RUN, VALUES };
static const tune_value from[VALUES] = {
    {"scan.shape", .greatest = 1, .step = 1, .turn = 3, .gain = 1},
    {"scan.tile_bytes", .least = 256, .greatest = 1 << 20, .step = 2, .turn = 1, .before = 4096,
     .value = 4096, .gain = 1},
    {"scan.spin_limit", .greatest = 99, .before = 7, .value = 7, .gain = 1},
    {"sort.serial_tile_log", .least = 4, .greatest = 20, .step = 1, .turn = 2, .before = 12,
     .value = 12, .gain = 1}};

typedef struct plan {
    size_t kind;
    uint64_t value[VALUES];
} plan;

/* The simulated device. */
static struct {
    double now, create_ms;
    double (*time)(const plan *p);      /* of a call */
    bool (*fails)(const plan *p);       /* cannot be made, or is wrong */
    bool (*unsure)(size_t least_pairs); /* the pairs do not agree */
    /* The random gain of a plan in this comparison; in the last ones, of the chosen values. */
    double (*luck)(size_t compared, bool last);
    size_t tried, compared, alive;
    plan first_tried;
} device;

/* ---- replacements of the tool's other files ------------------------------------- */

double host_milliseconds(void)
{
    return device.now;
}

void progress_say(const char *format, ...)
{
    (void)format;
}

void progress_clear(void)
{
}

int tool_fail(const char *format, ...)
{
    (void)format;
    return TOOL_FAILED;
}

void session_close(session *s)
{
    *s = (session){0};
}

void workload_drop(const workload *c, xl_plan *p)
{
    if (p == c->first)
        return;
    device.alive -= p != NULL;
    free(p);
}

#define NONE                                                                                       \
    {                                                                                              \
        .name = "none", .prefix = "none."                                                          \
    }
const workload_kind workload_kinds[WORKLOADS] = {{.name = "scan", .prefix = "scan."},
                                                 {.name = "segmented scan", .prefix = "scan."},
                                                 {.name = "sort", .prefix = "sort."},
                                                 NONE,
                                                 NONE,
                                                 NONE,
                                                 NONE,
                                                 NONE,
                                                 NONE,
                                                 NONE,
                                                 NONE,
                                                 NONE,
                                                 NONE,
                                                 NONE,
                                                 NONE,
                                                 NONE};

static void *make(const workload_kind *kind)
{
    plan *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->kind = (size_t)(kind - workload_kinds);
    for (size_t v = 0; v < VALUES; ++v)
        p->value[v] = from[v].before;
    device.now += device.create_ms;
    ++device.alive;
    return p;
}

int workload_open(workload *c, const session *s, const workload_kind *kind, size_t n)
{
    assert_int_equal(n, 0);
    *c = (workload){.kind = kind, .s = s, .create_ms = device.create_ms};
    c->plan = c->first = (xl_plan *)make(kind);
    return TOOL_OK;
}

void workload_close(workload *c)
{
    xl_plan *const first = c->first;
    workload_drop(c, c->plan);
    c->first = NULL;
    workload_drop(c, first);
    *c = (workload){0};
}

bool workload_try(workload *c, const xl_tunable *values, uint32_t count, xl_plan **out)
{
    plan *p = make(c->kind);
    for (uint32_t i = 0; i < count; ++i)
        for (size_t v = 0; v < VALUES; ++v)
            if (strcmp(values[i].name, from[v].name) == 0)
                p->value[v] = values[i].value;
    if (device.tried++ == 0)
        device.first_tried = *p;
    *out = (xl_plan *)p;
    if (device.fails && device.fails(p)) {
        workload_drop(c, *out);
        *out = NULL;
    }
    return *out != NULL;
}

bool workload_compare(const workload *c, size_t least_pairs, xl_plan *before, xl_plan *after,
                      workload_gain *gain)
{
    const double luck = device.luck ? device.luck(device.compared, after == c->plan) : 1;
    ++device.compared;
    device.now += 100;
    *gain = (workload_gain){.before_ms = device.time((const plan *)before),
                            .after_ms = device.time((const plan *)after) / luck};
    gain->gain = gain->before_ms / gain->after_ms;
    gain->sure = !device.unsure || !device.unsure(least_pairs);
    return true;
}

/* ---- the tests ------------------------------------------------------------------- */

static tune_value values[VALUES];

/* Searches for so long, and checks that no plan is left. */
static tune_search search_for(double seconds)
{
    tune_search t = {.count = VALUES};
    memcpy(values, from, sizeof values);
    t.values = malloc(sizeof values);
    assert_non_null(t.values);
    memcpy(t.values, from, sizeof values);
    t.end = device.now + seconds * 1e3;
    assert_int_equal(tune_search_run(&t), TOOL_OK);
    memcpy(values, t.values, sizeof values);
    tune_search result = t;
    tune_search_close(&t);
    assert_int_equal(device.alive, 0);
    return result;
}

static int start(void **state)
{
    (void)state;
    memset(&device, 0, sizeof device);
    device.create_ms = 1000;
    return 0;
}

/* Best at a tile of 2^15 bytes, 10 % for each doubling from there; sorts do not care. */
static double by_tile(const plan *p)
{
    return p->kind == 2 ? 5 : pow(1.1, fabs(log2((double)p->value[TILE]) - 15));
}

static void nothing_else_changed(size_t but)
{
    for (size_t v = 0; v < VALUES; ++v)
        if (v != but)
            assert_true(values[v].value == values[v].before && values[v].gain == 1);
}

XLT_TEST_SETUP(the_best_value_is_found, start)
{
    device.time = by_tile;
    const tune_search t = search_for(1000);
    assert_int_equal(values[TILE].value, 1 << 15);
    assert_true(fabs(values[TILE].gain - 1.331) < 1e-9);
    assert_string_equal(values[TILE].where, "scan");
    assert_true(fabs(t.whole[1].before_ms / t.whole[1].after_ms - 1.331) < 1e-9);
    assert_false(t.out_of_time);
    assert_int_equal(device.first_tried.value[TILE], 8192); /* the first turn comes first */
    nothing_else_changed(TILE);
}

static double down_by_log(const plan *p)
{
    return p->kind == 2 ? pow(1.2, fabs((double)p->value[RUN] - 10)) : 1;
}

XLT_TEST_SETUP(steps_of_one_go_down, start)
{
    device.time = down_by_log;
    (void)search_for(1000);
    assert_int_equal(values[RUN].value, 10);
    assert_string_equal(values[RUN].where, "sort");
    nothing_else_changed(RUN);
}

static double hardly(const plan *p)
{
    return p->value[TILE] != from[TILE].before ? 1 / 1.025 : 1;
}

XLT_TEST_SETUP(three_percent_are_too_few, start)
{
    device.time = hardly;
    (void)search_for(1000);
    nothing_else_changed(VALUES);
}

static double always_one(const plan *p)
{
    (void)p;
    return 1;
}

/* Each first measurement of two cases shows a gain; each second shows none. */
static double lucky(size_t compared, bool last)
{
    (void)last;
    return compared % 4 < 2 ? 1.2 : 1;
}

XLT_TEST_SETUP(luck_does_not_last, start)
{
    device.time = always_one;
    device.luck = lucky;
    (void)search_for(9);
    assert_true(device.compared >= 4);
    assert_int_equal(values[TILE].value, from[TILE].value);
}

static bool never_sure(size_t least_pairs)
{
    return least_pairs == WORKLOAD_MANY_PAIRS;
}

XLT_TEST_SETUP(what_is_not_sure_is_left, start)
{
    device.time = by_tile;
    device.unsure = never_sure;
    (void)search_for(1000);
    nothing_else_changed(VALUES);
}

/* Larger tiles help scans, and cost segmented ones more than 3 %. */
static double divided(const plan *p)
{
    const double doublings = log2((double)p->value[TILE]) - 12;
    return p->kind == 0 ? pow(0.8, doublings) : p->kind == 1 ? pow(1.1, doublings) : 1;
}

XLT_TEST_SETUP(nobody_is_made_slower, start)
{
    device.time = divided;
    (void)search_for(1000);
    nothing_else_changed(VALUES);
}

static bool too_large(const plan *p)
{
    return p->value[TILE] > 1 << 13;
}

XLT_TEST_SETUP(what_fails_is_left, start)
{
    device.time = by_tile;
    device.fails = too_large;
    const tune_search t = search_for(1000);
    assert_true(values[TILE].value >= 1 << 13 && values[TILE].value <= 1 << 13);
    assert_true(t.failed >= 1);
}

XLT_TEST_SETUP(it_ends_in_time_with_what_it_has, start)
{
    device.time = by_tile;
    const tune_search t = search_for(8);
    assert_true(t.out_of_time);
    /* A tenth of the time is kept for the last check, and no plan was begun that would not have
     * been ready before. */
    assert_true(device.now <= 7200 + 200);
    assert_int_equal(values[TILE].value, 16384);
    assert_true(t.whole[0].gain > 1.2);
}

/* Each step seems to gain, and all of them together nothing. */
static double until_the_end(size_t compared, bool last)
{
    (void)compared;
    return last ? 1 : 1.2;
}

XLT_TEST_SETUP(all_values_together_must_be_faster, start)
{
    device.time = always_one;
    device.luck = until_the_end;
    const tune_search t = search_for(30);
    assert_true(t.taken > 2);
    nothing_else_changed(VALUES);
}

XLT_MAIN(NULL, NULL)
