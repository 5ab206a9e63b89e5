/* SPDX-License-Identifier: MIT
 * `crosslane selftest`: top-k selections against the serial reference. */
#include "selftest.h"

#include <stdlib.h>
#include <string.h>

static const size_t sizes[] = {1, 2, 33, 257, 4097, 65537};

/* One selection of keys that are there several times each: the places are what the reference has,
 * and the keys those that stand there. */
static void check_call(const selftest *t, family *f, xl_topk *plan, const xl_topk_desc *d, size_t n,
                       size_t k)
{
    const size_t size = xl_type_size((xl_type)d->key), results = k < n ? k : n;
    char *in = malloc(n * size + 1), *got = malloc(results * size + 1);
    uint32_t *places = malloc(results * 4 + 1), *want = malloc(n * 4 + 1);
    cl_mem mem[3] = {NULL, NULL, NULL};
    ++f->cases;
    if (in && got && places && want)
        selftest_fill((xl_type)d->key, XL_MIN, n + 3, n, in);
    if (!in || !got || !places || !want ||
        !ref_topk((xl_type)d->key, d->largest != 0, d->sorted != 0, n, k, in, want)) {
        family_note(f, "no memory for %zu keys", n);
        goto done;
    }
    mem[0] = selftest_array(t, f, in, n * size);
    mem[1] = selftest_array(t, f, NULL, results * size);
    mem[2] = selftest_array(t, f, NULL, results * 4);
    const xl_topk_args args = {.n = n,
                               .k = k,
                               .keys_in = xl_view_of(mem[0], 0),
                               .keys_out = xl_view_of(mem[1], 0),
                               .indices_out = xl_view_of(mem[2], 0)};
    if (!family_passed(t, f, xl_topk_enqueue(plan, t->s.queue, &args, 0, NULL, NULL), "top-k", n) ||
        !selftest_read(t, f, mem[1], results * size, got) ||
        !selftest_read(t, f, mem[2], results * 4, places))
        goto done;
    for (size_t i = 0; i < results; ++i)
        if (places[i] != want[i] || memcmp(got + i * size, in + want[i] * size, size) != 0) {
            family_note(f, "n %zu, k %zu: result %zu is wrong", n, k, i);
            break;
        }
done:
    for (size_t i = 0; i < 3; ++i)
        session_release(&mem[i]);
    free(in);
    free(got);
    free(places);
    free(want);
}

static bool check_plan(const selftest *t, family *f, xl_type key, uint32_t largest, uint32_t sorted)
{
    xl_topk *plan = NULL;
    xl_topk_desc d;
    xl_topk_desc_init(&d);
    d.key = key;
    d.largest = largest;
    d.sorted = sorted;
    if (!family_passed(t, f, xl_topk_create(t->s.ctx, &d, &plan), "plan", 0)) {
        f->cases += !f->unsupported;
        return !f->unsupported;
    }
    for (size_t i = 0; i < TOOL_COUNT(sizes); ++i) {
        const size_t n = sizes[i], ks[] = {1, n / 3 + 1, n};
        for (size_t k = 0; k < TOOL_COUNT(ks); ++k)
            check_call(t, f, plan, &d, n, ks[k]);
    }
    xl_topk_destroy(plan);
    return true;
}

void selftest_selections(selftest *t)
{
    static const xl_type keys[] = {XL_U32, XL_I16, XL_F32, XL_U64};
    for (size_t i = 0; i < TOOL_COUNT(keys); ++i) {
        family f;
        if (!family_begin(t, &f, "top-k %s", xl_type_name(keys[i])))
            continue;
        if (check_plan(t, &f, keys[i], i % 2, 0))
            (void)check_plan(t, &f, keys[i], 1 - i % 2, 1);
        family_end(t, &f);
    }
}
