/* SPDX-License-Identifier: MIT
 * Calls of the case runner whose results are known to the bit: their arrays are made,
 * checked and released here. */
#include "cases.h"

#include <string.h>

void close_array_plan(open_plan *plan)
{
    xl_plan_destroy(plan->of.array_plan);
}

xl_view array_view(const call_array *a)
{
    return a->name ? xlt_view(&a->buffer) : xl_no_view();
}

call_array input_array(const char *name, const void *host, size_t n, size_t size, size_t at)
{
    return (call_array){.name = name, .host = host, .n = n, .size = size, .at = at};
}

call_array output_array(const char *name, const void *wanted, size_t n, size_t size, size_t at)
{
    return (call_array){.name = name, .wanted = wanted, .n = n, .size = size, .at = at};
}

call_array in_place_array(const char *name, const void *host, const void *wanted, size_t n,
                          size_t size, size_t at)
{
    return (call_array){.name = name,
                        .host = host,
                        .wanted = wanted,
                        .changes = true,
                        .n = n,
                        .size = size,
                        .at = at};
}

call_array count_array(const fuzz_case *c, const uint64_t *count)
{
    return input_array(c->of[COUNT] == COUNT_ON_HOST ? NULL : "n_device", count, 1, sizeof *count,
                       1);
}

uint64_t count_of(const fuzz_case *c)
{
    return c->of[COUNT] == COUNT_ABOVE ? c->of[N] + 1000 : c->of[N];
}

call_array segments_array(const fuzz_case *c, const segmentation *s)
{
    return input_array(s->array ? "segments" : NULL, s->array, s->array_n, s->array_bytes,
                       (size_t)c->of[SEGMENTS_AT]);
}

call_array scratch_array(const fuzz_case *c, size_t bytes)
{
    const bool given = c->of[SCRATCH] == SCRATCH_GIVEN && bytes > 0;
    return (call_array){
        .name = given ? "scratch" : NULL, .n = bytes, .size = 1, .is_scratch = true};
}

static void make_arrays(call_array arrays[CALL_ARRAYS], const call_array *from, size_t shift)
{
    for (size_t k = 0; k < CALL_ARRAYS; ++k) {
        call_array *a = &arrays[k];
        *a = from[k];
        a->at += a->shifts ? shift : 0;
        if (a->name)
            a->buffer = a->is_scratch ? xlt_scratch_make(a->n)
                                      : xlt_buffer_make(a->host, a->n, a->size, a->at);
    }
}

static bool same_elements(outcome *o, const call_array *a, const unsigned char *got)
{
    const unsigned char *wanted = a->wanted;
    for (size_t i = 0; i < a->n; ++i) {
        unsigned long long x = 0, y = 0;
        size_t at = i * a->size, end = at + a->size;
        if (memcmp(got + at, wanted + at, a->size) == 0 ||
            (a->will_do && a->will_do(got + at, wanted + at)))
            continue;
        while (end - at > sizeof x && memcmp(got + at, wanted + at, sizeof x) == 0)
            at += sizeof x;
        memcpy(&x, got + at, end - at < sizeof x ? end - at : sizeof x);
        memcpy(&y, wanted + at, end - at < sizeof y ? end - at : sizeof y);
        return failed(o, "%s: %zu of %zu is 0x%llx, not 0x%llx (from byte %zu)", a->name, i, a->n,
                      x, y, at - i * a->size);
    }
    return true;
}

/* `undone`: the call must not have run. */
static bool check_array(outcome *o, call_array *a, bool undone)
{
    if (!a->name)
        return true;
    if (undone || (a->host && !a->changes))
        return unchanged(o, &a->buffer, a->name, a->host);
    if (a->is_scratch)
        return read_guarded(o, &a->buffer, a->name, NULL);
    a->got = make_bytes(a->n, a->size);
    return read_guarded(o, &a->buffer, a->name, a->got) &&
           (!a->wanted || same_elements(o, a, a->got));
}

void run_alike(outcome *o, const fuzz_case *c, const open_plan *plan, const exact_call *call,
               const call_array *arrays, calls_agree *agree)
{
    const size_t calls = c->of[TWICE] ? 2 : 1;
    const bool undone = stays_undone(c);
    call_array made[2][CALL_ARRAYS];
    flight f;
    bool good = take_off(o, c, &f);
    memset(made, 0, sizeof made);
    for (size_t k = 0; good && k < calls; ++k) {
        make_arrays(made[k], arrays, k);
        good = departed(o, &f, k, plan->ctx, call->enqueue(c, plan, made[k], &f), call->name);
    }
    good = land(o, &f) && good;
    for (size_t k = 0; k < calls; ++k) {
        for (size_t i = 0; good && i < CALL_ARRAYS; ++i)
            good = check_array(o, &made[k][i], undone);
        good = good && (undone || !call->holds || call->holds(o, c, made[k]));
    }
    if (good && calls == 2 && !undone && agree)
        agree(o, c, made[0], made[1]);
    for (size_t k = 0; k < 2 * CALL_ARRAYS; ++k)
        xlt_buffer_free(&made[k / CALL_ARRAYS][k % CALL_ARRAYS].buffer);
}

void run_exact(outcome *o, const fuzz_case *c, const open_plan *plan, const exact_call *call,
               const call_array *arrays)
{
    run_alike(o, c, plan, call, arrays, NULL);
}
