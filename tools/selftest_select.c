/* SPDX-License-Identifier: MIT
 * `crosslane selftest`: compaction against the serial reference. */
#include "selftest.h"

#include <stdlib.h>
#include <string.h>

static const size_t sizes[] = {1, 33, 257, 4097, 70001};

/* What one call starts from and has to give: numbers below 15 in runs, of which those from 5 on are
 * wanted, or which are repeated 0 to 6 times. */
typedef struct trial {
    size_t n, room, given;
    uint32_t *in, *lengths, *want, *got;
    uint64_t *places, counts[2];
    unsigned char *classes;
} trial;

static bool make_trial(trial *t, xl_select_kind kind, size_t n)
{
    uint64_t seed = 7 + n;
    const bool repeats = kind == XL_SELECT_REPEAT;
    *t = (trial){.n = n, .room = repeats ? 7 * n : n};
    t->in = malloc(4 * n);
    t->lengths = malloc(4 * n);
    t->want = malloc(4 * t->room);
    t->got = malloc(4 * t->room);
    t->places = malloc(8 * t->room);
    t->classes = malloc(n);
    if (!t->in || !t->lengths || !t->want || !t->got || !t->places || !t->classes)
        return false;
    for (size_t i = 0; i < n; ++i) {
        const bool goes_on = i > 0 && selftest_random(&seed) % 3 == 0;
        t->in[i] = goes_on ? t->in[i - 1] : (uint32_t)(selftest_random(&seed) % 15);
        t->lengths[i] = (uint32_t)(selftest_random(&seed) % 7);
        t->classes[i] = t->in[i] >= 5;
    }
    if (kind == XL_SELECT_UNIQUE)
        ref_run_heads(XL_U32, n, t->in, t->classes);
    t->given = repeats ? (size_t)ref_repeat(n, t->lengths, t->room, t->places)
                       : ref_select(kind == XL_SELECT_PARTITION ? 2 : 1, n, t->classes, t->places,
                                    t->counts);
    for (size_t i = 0; i < t->given; ++i)
        t->want[i] = t->in[t->places[i]];
    return true;
}

static void free_trial(trial *t)
{
    free(t->in);
    free(t->lengths);
    free(t->want);
    free(t->got);
    free(t->places);
    free(t->classes);
}

static void check_call(const selftest *t, family *f, xl_select *plan, xl_select_kind kind, size_t n)
{
    trial r;
    uint64_t count = 0;
    cl_mem mem[4] = {NULL, NULL, NULL, NULL};
    const bool repeats = kind == XL_SELECT_REPEAT;
    ++f->cases;
    if (!make_trial(&r, kind, n)) {
        family_note(f, "no memory for %zu elements", n);
        goto done;
    }
    mem[0] = selftest_array(t, f, r.in, 4 * n);
    mem[1] = selftest_array(t, f, r.lengths, 4 * n);
    mem[2] = selftest_array(t, f, NULL, 4 * r.room);
    mem[3] = selftest_array(t, f, NULL, 8);
    const xl_select_args args = {.n = n,
                                 .in = xl_view_of(mem[0], 0),
                                 .lengths_in = repeats ? xl_view_of(mem[1], 0) : xl_no_view(),
                                 .capacity = r.room,
                                 .out = xl_view_of(mem[2], 0),
                                 .count_out = xl_view_of(mem[3], 0)};
    if (!family_passed(t, f, xl_select_enqueue(plan, t->s.queue, &args, 0, NULL, NULL), "select",
                       n) ||
        !selftest_read(t, f, mem[2], 4 * r.room, r.got) || !selftest_read(t, f, mem[3], 8, &count))
        goto done;
    if (count != (repeats ? r.given : r.counts[0]))
        family_note(f, "n %zu: the count is wrong", n);
    else if (memcmp(r.got, r.want, 4 * r.given) != 0)
        family_note(f, "n %zu: an element is wrong", n);
done:
    for (size_t i = 0; i < TOOL_COUNT(mem); ++i)
        session_release(&mem[i]);
    free_trial(&r);
}

void selftest_compaction(selftest *t)
{
    static const struct {
        xl_select_kind kind;
        const char *name, *predicate;
    } kinds[] = {{XL_SELECT_IF, "if", "x >= 5"},
                 {XL_SELECT_PARTITION, "partition", "x >= 5"},
                 {XL_SELECT_UNIQUE, "unique", NULL},
                 {XL_SELECT_REPEAT, "repeat", NULL}};
    for (size_t i = 0; i < TOOL_COUNT(kinds); ++i) {
        family f;
        xl_select *plan = NULL;
        xl_select_desc d;
        xl_select_desc_init(&d);
        d.kind = kinds[i].kind;
        d.predicate = kinds[i].predicate;
        if (!family_begin(t, &f, "select %s", kinds[i].name))
            continue;
        if (family_passed(t, &f, xl_select_create(t->s.ctx, &d, &plan), "plan", 0))
            for (size_t k = 0; k < TOOL_COUNT(sizes); ++k)
                check_call(t, &f, plan, kinds[i].kind, sizes[k]);
        else
            f.cases += !f.unsupported;
        xl_select_destroy(plan);
        family_end(t, &f);
    }
}
