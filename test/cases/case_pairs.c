/* SPDX-License-Identifier: MIT
 * Cases of one primitive that cover every pair of values of two fields, where the rules allow the
 * pair: a covering array, made greedily (Cohen, Dalal, Fredman and Patton, "The AETG system", IEEE
 * Trans. Software Eng. 23, 1997). Because a plan costs a compiler's run, few plans cover the pairs
 * of a plan's own fields, and many calls on these cover all others. */
#include "cases.h"

#include <stdlib.h>
#include <string.h>

enum { TRIES = 400, PLANS_TRIED = 12, CANDIDATES = 16 };

/* A value of a field: `number` counts the values of all fields of a primitive. */
typedef struct level {
    field f;
    uint64_t value;
} level;

typedef struct cover {
    uint64_t which; /* primitive */
    size_t count;
    level *levels;
    size_t first[FIELDS + 1]; /* the number of a field's first value */
    uint8_t *state;           /* of each pair of numbers, in either order */
    uint16_t *open;           /* for each number, its open pairs with the values of a case so far */
    xlt_random random;
    case_list list;
    size_t *plan_of; /* of each case of the list */
    size_t plans;
} cover;

enum { OPEN, COVERED, EXCLUDED };

static uint8_t state_of(const cover *v, size_t a, size_t b)
{
    return v->state[a * v->count + b];
}

static void set_state(const cover *v, size_t a, size_t b, uint8_t state)
{
    v->state[a * v->count + b] = v->state[b * v->count + a] = state;
}

static void *zeros(size_t n, size_t size)
{
    void *bytes = calloc(n * size + 1, 1);
    XLT_TRUE(bytes);
    return bytes;
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* Keys for one path are for lists and for random calls. */
static bool is_paired(field f)
{
    return f != PRIMITIVE && f != SEED && f != ILLEGAL && f != KEYS_FOR;
}

static void list_levels(cover *v)
{
    const fuzz_case c = {{[PRIMITIVE] = v->which}};
    size_t room = 0;
    for (field f = 0; f < FIELDS; ++f)
        room += (size_t)count_levels(f);
    v->levels = zeros(room, sizeof *v->levels);
    for (field f = 0; f < FIELDS; ++f) {
        v->first[f] = v->count;
        for (uint64_t k = 0; is_paired(f) && heeds(&c, f) && k < count_levels(f); ++k)
            v->levels[v->count++] = (level){f, level_of(f, k)};
    }
    v->first[FIELDS] = v->count;
    v->state = zeros(v->count * v->count, 1);
    v->open = zeros(v->count, sizeof *v->open);
}

static size_t width(const cover *v, field f)
{
    return v->first[f + 1] - v->first[f];
}

/* The number of a case's value of a field, or `count` if the value is no level. */
static size_t number_of(const cover *v, const fuzz_case *c, field f)
{
    for (size_t a = v->first[f]; a < v->first[f + 1]; ++a)
        if (v->levels[a].value == c->of[f])
            return a;
    return v->count;
}

static void set_level(const cover *v, fuzz_case *c, size_t a)
{
    c->of[v->levels[a].f] = v->levels[a].value;
}

static bool has_level(const cover *v, const fuzz_case *c, size_t a)
{
    return c->of[v->levels[a].f] == v->levels[a].value;
}

/* ---- filling --------------------------------------------------------------------------------- */

/* A case takes value b. */
static void count_open(cover *v, size_t b)
{
    const uint8_t *const state = v->state + b * v->count;
    for (size_t a = 0; a < v->count; ++a)
        v->open[a] = (uint16_t)(v->open[a] + (state[a] == OPEN));
}

static void count_all_open(cover *v, const size_t *numbers)
{
    memset(v->open, 0, v->count * sizeof *v->open);
    for (field f = 0; f < FIELDS; ++f)
        if (numbers[f] < v->count)
            count_open(v, numbers[f]);
}

static size_t best_level(cover *v, field f)
{
    size_t best = v->first[f], most = 0;
    const size_t start = xlt_below(&v->random, (uint32_t)width(v, f));
    for (size_t k = 0; k < width(v, f); ++k) {
        const size_t a = v->first[f] + (start + k) % width(v, f), open = v->open[a];
        if (k == 0 || open > most) {
            best = a;
            most = open;
        }
    }
    return best;
}

/* Values for the fields from `from` to before `to` that `numbers` has none of: those that cover the
 * most, or any. */
static void fill(cover *v, fuzz_case *c, size_t *numbers, field from, field to, bool greedily)
{
    const unsigned count = to - from, start = xlt_below(&v->random, count);
    if (greedily)
        count_all_open(v, numbers);
    for (unsigned k = 0; k < count; ++k) {
        const field f = (field)(from + (start + k) % count);
        if (width(v, f) == 0 || numbers[f] < v->count)
            continue;
        numbers[f] = greedily ? best_level(v, f)
                              : v->first[f] + xlt_below(&v->random, (uint32_t)width(v, f));
        set_level(v, c, numbers[f]);
        if (greedily)
            count_open(v, numbers[f]);
    }
}

static void forget(const cover *v, size_t *numbers)
{
    for (field f = 0; f < FIELDS; ++f)
        numbers[f] = v->count;
}

/* A case with both values, on the plan given or any; false if the rules change one of them. */
static bool make_case(cover *v, size_t a, size_t b, const fuzz_case *plan, bool greedily,
                      fuzz_case *c)
{
    size_t numbers[FIELDS];
    forget(v, numbers);
    *c = (fuzz_case){{[PRIMITIVE] = v->which}};
    for (field f = TYPE; plan && f < PLAN_FIELDS; ++f) {
        c->of[f] = plan->of[f];
        numbers[f] = width(v, f) > 0 ? number_of(v, plan, f) : v->count;
    }
    set_level(v, c, a);
    set_level(v, c, b);
    numbers[v->levels[a].f] = a;
    numbers[v->levels[b].f] = b;
    if (!plan)
        fill(v, c, numbers, TYPE, PLAN_FIELDS, greedily);
    fill(v, c, numbers, PLAN_FIELDS, SEED, greedily);
    c->of[SEED] = v->list.count + 1;
    case_normalise(c);
    for (field f = TYPE; plan && f < PLAN_FIELDS; ++f)
        if (c->of[f] != plan->of[f])
            return false;
    return has_level(v, c, a) && has_level(v, c, b);
}

/* ---- the list -------------------------------------------------------------------------------- */

/* How many open pairs of fields before `end` a case covers. With `keep` they are covered then. */
static size_t count_new(const cover *v, const fuzz_case *c, field end, bool keep)
{
    size_t numbers[FIELDS], count = 0;
    for (field f = 0; f < end; ++f)
        numbers[f] = width(v, f) > 0 ? number_of(v, c, f) : v->count;
    for (field f = 0; f < end; ++f)
        for (field g = (field)(f + 1); g < end; ++g) {
            if (numbers[f] == v->count || numbers[g] == v->count)
                continue;
            count += state_of(v, numbers[f], numbers[g]) == OPEN;
            if (keep)
                set_state(v, numbers[f], numbers[g], COVERED);
        }
    return count;
}

static bool same_plan(const fuzz_case *a, const fuzz_case *b)
{
    return memcmp(a->of, b->of, PLAN_FIELDS * sizeof a->of[0]) == 0;
}

static void append(cover *v, const fuzz_case *c)
{
    case_list *const l = &v->list;
    size_t plan = v->plans;
    if ((l->count & (l->count - 1)) == 0) {
        const size_t room = l->count > 0 ? 2 * l->count : 1;
        l->cases = realloc(l->cases, room * sizeof *l->cases);
        v->plan_of = realloc(v->plan_of, room * sizeof *v->plan_of);
        XLT_TRUE(l->cases && v->plan_of);
    }
    for (size_t k = 0; k < l->count && plan == v->plans; ++k)
        if (same_plan(&l->cases[k], c))
            plan = v->plan_of[k];
    v->plans += plan == v->plans;
    v->plan_of[l->count] = plan;
    l->cases[l->count++] = *c;
    if (!c->of[ILLEGAL])
        count_new(v, c, FIELDS, true);
}

/* On a plan that is there already, if one will do. */
static bool reuse_plan(cover *v, size_t a, size_t b, fuzz_case *c)
{
    const size_t count = v->list.count;
    const size_t start = count > 0 ? xlt_below(&v->random, (uint32_t)count) : 0;
    size_t tried = 0;
    for (size_t k = 0; k < count && tried < PLANS_TRIED; ++k) {
        const fuzz_case *const plan = &v->list.cases[(start + k) % count];
        if (plan->of[ILLEGAL] || (v->levels[a].f < PLAN_FIELDS && !has_level(v, plan, a)) ||
            (v->levels[b].f < PLAN_FIELDS && !has_level(v, plan, b)))
            continue;
        const fuzz_case kept = *plan;
        if (make_case(v, a, b, &kept, true, c))
            return true;
        ++tried;
    }
    return false;
}

/* A case with both values that the library must refuse, if there is one. */
static void append_illegal(cover *v, size_t a, size_t b)
{
    size_t numbers[FIELDS];
    for (int k = 0; k < TRIES / 8; ++k) {
        fuzz_case c = {{[PRIMITIVE] = v->which, [ILLEGAL] = 1}};
        forget(v, numbers);
        set_level(v, &c, a);
        set_level(v, &c, b);
        numbers[v->levels[a].f] = a;
        numbers[v->levels[b].f] = b;
        fill(v, &c, numbers, TYPE, PLAN_FIELDS, false);
        case_normalise(&c);
        if (c.of[ILLEGAL] && has_level(v, &c, a) && has_level(v, &c, b)) {
            append(v, &c);
            ++v->list.illegal;
            return;
        }
    }
}

/* Why the rules do not allow both values. */
static void exclude(cover *v, size_t a, size_t b)
{
    const level x = v->levels[a], y = v->levels[b];
    const char *because = NULL;
    for (int k = 0; k < TRIES && !because; ++k) {
        size_t numbers[FIELDS];
        fuzz_case c = {{[PRIMITIVE] = v->which}};
        forget(v, numbers);
        set_level(v, &c, a);
        set_level(v, &c, b);
        numbers[x.f] = a;
        numbers[y.f] = b;
        fill(v, &c, numbers, TYPE, SEED, false);
        because = case_because(&c, x.f);
        because = because ? because : case_because(&c, y.f);
    }
    set_state(v, a, b, EXCLUDED);
    ++v->list.excluded;
    if (x.f < PLAN_FIELDS && y.f < PLAN_FIELDS)
        append_illegal(v, a, b);
    if (v->list.tell)
        v->list.tell(x.f, x.value, y.f, y.value, because);
}

/* Makes some cases and keeps the one whose plan covers the most. */
static bool make_plan(cover *v, size_t a, size_t b, fuzz_case *c)
{
    size_t most = 0, made = 0;
    for (int k = 0; k < TRIES && made < CANDIDATES; ++k) {
        fuzz_case tried;
        if (!make_case(v, a, b, NULL, k < TRIES / 4, &tried))
            continue;
        const size_t count = count_new(v, &tried, PLAN_FIELDS, false);
        if (made++ == 0 || count > most) {
            *c = tried;
            most = count;
        }
    }
    return made > 0;
}

static void cover_pair(cover *v, size_t a, size_t b)
{
    fuzz_case c;
    if (reuse_plan(v, a, b, &c) || make_plan(v, a, b, &c))
        append(v, &c);
    else
        exclude(v, a, b);
}

/* Pairs of fields of a plan first, then all. */
static void cover_all(cover *v, size_t limit)
{
    for (size_t a = 0; a < limit; ++a)
        for (size_t b = v->first[v->levels[a].f + 1]; b < limit; ++b)
            if (state_of(v, a, b) == OPEN)
                cover_pair(v, a, b);
}

/* The first case of each plan. */
static const fuzz_case **plan_cases(const cover *v)
{
    const fuzz_case **first = zeros(v->plans + 1, sizeof *first);
    for (size_t k = v->list.count; k-- > 0;)
        first[v->plan_of[k]] = &v->list.cases[k];
    return first;
}

/* The place of each plan: the next is the one that covers the most new pairs of a plan's fields.
 * The gain of a plan only falls as others come before it, so that most need not be counted again.
 */
static size_t *rank_plans(cover *v)
{
    const size_t last = v->first[PLAN_FIELDS];
    const fuzz_case **first = plan_cases(v);
    size_t *gains = zeros(v->plans + 1, sizeof *gains),
           *places = zeros(v->plans + 1, sizeof *places);
    for (size_t k = 0; k < last * v->count; ++k)
        if (k % v->count < last && v->state[k] == COVERED)
            v->state[k] = OPEN;
    memset(gains, 0xff, v->plans * sizeof *gains);
    memset(places, 0xff, v->plans * sizeof *places);
    for (size_t place = 0; place < v->plans; ++place) {
        size_t best = v->plans;
        for (size_t k = 0; k < v->plans; ++k)
            if (places[k] == SIZE_MAX && (best == v->plans || gains[k] > gains[best])) {
                gains[k] = first[k]->of[ILLEGAL] ? 0 : count_new(v, first[k], PLAN_FIELDS, false);
                if (best == v->plans || gains[k] > gains[best])
                    best = k;
            }
        places[best] = place;
        if (!first[best]->of[ILLEGAL])
            count_new(v, first[best], PLAN_FIELDS, true);
    }
    free(gains);
    free(first);
    return places;
}

/* So that cases of one plan follow each other. */
static void order_by_plan(cover *v)
{
    case_list *const l = &v->list;
    fuzz_case *ordered = zeros(l->count, sizeof *ordered);
    size_t at = 0, *places = rank_plans(v);
    l->plans = zeros(l->count, sizeof *l->plans);
    for (size_t place = 0; place < v->plans; ++place)
        for (size_t k = 0; k < l->count; ++k)
            if (places[v->plan_of[k]] == place) {
                l->plans[at] = place;
                ordered[at++] = l->cases[k];
            }
    free(places);
    free(l->cases);
    l->cases = ordered;
}

case_list case_pairs(uint64_t which, uint64_t seed, told_pair *tell)
{
    cover v = {.which = which, .random = random_of(seed, 100 + which), .list = {.tell = tell}};
    list_levels(&v);
    cover_all(&v, v.first[PLAN_FIELDS]);
    cover_all(&v, v.count);
    order_by_plan(&v);
    for (size_t a = 0; a < v.count; ++a)
        for (size_t b = v.first[v.levels[a].f + 1]; b < v.count; ++b)
            v.list.pairs += state_of(&v, a, b) == COVERED;
    v.list.num_plans = v.plans;
    free(v.levels);
    free(v.state);
    free(v.open);
    free(v.plan_of);
    return v.list;
}

void free_case_list(case_list *list)
{
    free(list->cases);
    free(list->plans);
    *list = (case_list){0};
}

bool each_case_of_plan(const case_list *list, size_t k, uint64_t seed, uint64_t calls,
                       case_each *each, void *self)
{
    const fuzz_case *const plan = &list->cases[k];
    for (size_t i = k; i < list->count && list->plans[i] == list->plans[k]; ++i)
        if (!each(&list->cases[i], self))
            return false;
    for (uint64_t i = 0; i < calls && !plan->of[ILLEGAL]; ++i) {
        xlt_random random = random_of(seed, (uint64_t)k << 20 | i);
        fuzz_case c = *plan;
        fit_device(&c);
        case_draw_call(&c, &random);
        if (!each(&c, self))
            return false;
    }
    return true;
}
