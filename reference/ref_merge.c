/* SPDX-License-Identifier: MIT
 * Serial reference of the merge and of set operations: takes one run of equal keys after the other
 * and counts it in both arrays. */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

/* An array and the part of it that has not been taken. */
typedef struct rest {
    xl_type key;
    const unsigned char *keys;
    size_t at, n;
} rest;

static uint64_t rank_at(const rest *r, size_t i)
{
    return ref_key_rank(r->key, r->keys + i * ref_type_size(r->key));
}

/* How often `rank` comes next. */
static size_t run_of(const rest *r, uint64_t rank)
{
    size_t i = r->at;
    while (i < r->n && rank_at(r, i) == rank)
        ++i;
    return i - r->at;
}

/* Whether the next key of `r` comes before the next one of `other`. */
static bool is_next(const rest *r, const rest *other, bool descending)
{
    if (r->at == r->n || other->at == other->n)
        return r->at < r->n;
    const uint64_t rank = rank_at(r, r->at), than = rank_at(other, other->at);
    return descending ? rank > than : rank < than;
}

static size_t excess(size_t m, size_t n)
{
    return m > n ? m - n : 0;
}

/* Appends the places of `count` elements of `r` that follow `skipped` others. */
static size_t take(const rest *r, size_t skipped, size_t count, uint64_t first, uint64_t *places)
{
    for (size_t i = 0; i < count; ++i)
        places[i] = first + r->at + skipped + i;
    return count;
}

size_t ref_set(xl_type key, bool descending, ref_operation operation, const ref_run *a,
               const ref_run *b, uint64_t *places)
{
    rest x = {key, a->keys, 0, a->n}, y = {key, b->keys, 0, b->n};
    size_t at = 0;
    while (x.at < x.n || y.at < y.n) {
        const uint64_t rank = is_next(&y, &x, descending) ? rank_at(&y, y.at) : rank_at(&x, x.at);
        const size_t m = run_of(&x, rank), n = run_of(&y, rank);
        const size_t of_a[] = {m, m, m < n ? m : n, excess(m, n)}, of_b[] = {n, excess(n, m), 0, 0};
        const size_t skipped = operation == REF_DIFFERENCE ? m - of_a[operation] : 0;
        at += take(&x, skipped, of_a[operation], 0, places + at);
        at += take(&y, n - of_b[operation], of_b[operation], a->n, places + at);
        x.at += m;
        y.at += n;
    }
    return at;
}

void ref_merge(xl_type key, bool descending, const ref_run *a, const ref_run *b, void *keys_out)
{
    const size_t size = ref_type_size(key), n = a->n + b->n;
    uint64_t *const places = malloc((n + 1) * sizeof *places);
    if (!places)
        abort();
    (void)ref_set(key, descending, REF_ALL, a, b, places);
    for (size_t i = 0; i < n; ++i) {
        const size_t place = (size_t)places[i];
        const unsigned char *const from =
            place < a->n ? (const unsigned char *)a->keys + place * size
                         : (const unsigned char *)b->keys + (place - a->n) * size;
        memcpy((unsigned char *)keys_out + i * size, from, size);
    }
    free(places);
}
