/* SPDX-License-Identifier: MIT
 * The models of scan_models.h: as slow and plain as they can be. */
#include "scan_models.h"

#include <stdlib.h>
#include <string.h>

/* ---- the textbook scans ------------------------------------------------------ */

partial join(const model *o, const partial *a, const partial *b)
{
    partial t = *b;
    if (!b->some)
        t = *a;
    else if (a->some && !b->head)
        o->m->op(t.value, a->value, b->value);
    t.head = a->head || b->head;
    return t;
}

model make_model(const monoid *m, xl_scan_algorithm algorithm, bool flags)
{
    model o = {.m = m, .algorithm = algorithm, .places = 128, .items = 8};
    const size_t bytes = flags ? m->accumulator_bytes : m->bytes;
    while (o.places > 1 && o.places * bytes > 1536)
        o.places /= 2;
    o.block = o.places * o.items;
    return o;
}

/* A balanced tree over `count` states. */
static partial tree_total(const model *o, const partial *x, size_t count)
{
    if (count == 1)
        return *x;
    const partial left = tree_total(o, x, count / 2);
    const partial right = tree_total(o, x + count / 2, count / 2);
    return join(o, &left, &right);
}

/* What comes before each of `count` places whose totals are in x. */
static void blelloch(const model *o, const partial *x, size_t count, const partial *before,
                     partial *out)
{
    if (count == 1) {
        *out = *before;
        return;
    }
    const partial left = tree_total(o, x, count / 2), middle = join(o, before, &left);
    blelloch(o, x, count / 2, before, out);
    blelloch(o, x + count / 2, count / 2, &middle, out + count / 2);
}

static void kogge_stone(const model *o, const partial *x, size_t count, const partial *before,
                        partial *out)
{
    partial *sums = malloc(count * sizeof *sums);
    memcpy(sums, x, count * sizeof *sums);
    for (size_t distance = 1; distance < count; distance *= 2)
        for (size_t k = count; k-- > distance;) /* from the right: in its own place */
            sums[k] = join(o, &sums[k - distance], &sums[k]);
    for (size_t k = 0; k < count; ++k)
        out[k] = k == 0 ? *before : join(o, before, &sums[k - 1]);
    free(sums);
}

/* The totals of a block's places; there may be fewer elements than places hold. */
static void place_totals(const model *o, const partial *x, size_t n, partial *totals)
{
    for (size_t p = 0; p < o->places; ++p) {
        totals[p] = (partial){0};
        for (size_t k = p * o->items; k < (p + 1) * o->items && k < n; ++k)
            totals[p] = join(o, &totals[p], &x[k]);
    }
}

void model_scan(const model *o, const partial *x, size_t n, const partial *start, partial *before)
{
    const size_t blocks = n / o->block + (n % o->block != 0);
    partial *totals = calloc(blocks, sizeof *totals), *above = calloc(blocks, sizeof *above);
    partial *places = malloc(o->places * sizeof *places),
            *fronts = malloc(o->places * sizeof *places);
    const partial nothing = {0};
    for (size_t b = 0; blocks > 1 && b < blocks; ++b) {
        const size_t base = b * o->block;
        place_totals(o, x + base, n - base, places);
        totals[b] = tree_total(o, places, o->places);
    }
    if (blocks > 1)
        model_scan(o, totals, blocks, &nothing, above);
    for (size_t b = 0; b < blocks; ++b) {
        const size_t base = b * o->block;
        const partial front = join(o, start, &above[b]);
        place_totals(o, x + base, n - base, places);
        (o->algorithm == XL_SCAN_BLELLOCH ? blelloch : kogge_stone)(o, places, o->places, &front,
                                                                    fronts);
        for (size_t k = base; k < n && k < base + o->block; ++k) {
            const size_t p = (k - base) / o->items;
            before[k] = fronts[p];
            fronts[p] = join(o, &fronts[p], &x[k]);
        }
    }
    free(totals);
    free(above);
    free(places);
    free(fronts);
}

/* ---- the model of cl/scan/scan_reproducible.cl -------------------------------- */

tree make_tree(const model *o, bool flags)
{
    const size_t bytes = o->m->bytes;
    tree t = {.o = o, .vector = bytes <= 4 ? 4 : bytes <= 8 ? 2 : 1};
    t.lanes = flags ? 512 : bytes <= 4 ? 256 : 128;
    t.rows = flags ? 3 : bytes <= 4 ? 11 : 15;
    t.items = t.rows * t.vector;
    t.sub_tile = ROW * t.items;
    t.sub_tiles = t.lanes / ROW;
    t.tile = t.sub_tiles * t.sub_tile;
    return t;
}

static partial fold(const model *o, const partial *x, size_t count)
{
    partial sum = {0};
    for (size_t k = 0; k < count; ++k)
        sum = join(o, &sum, &x[k]);
    return sum;
}

/* The vector at element i of n. */
static partial vector_total(const tree *t, const partial *x, size_t n, size_t i)
{
    return fold(t->o, x + i, i >= n ? 0 : n - i < t->vector ? n - i : t->vector);
}

static partial sub_tile_total(const tree *t, const partial *x, size_t n, size_t base)
{
    partial lanes[ROW];
    for (size_t l = 0; l < ROW; ++l) {
        lanes[l] = (partial){0};
        for (size_t r = 0; r < t->rows; ++r) {
            const partial v = vector_total(t, x, n, base + l * t->items + r * t->vector);
            lanes[l] = join(t->o, &lanes[l], &v);
        }
    }
    return tree_total(t->o, lanes, ROW);
}

/* The first `count` tiles of a window, whose totals are in x. */
static partial window_total(const tree *t, const partial *x, size_t count)
{
    const size_t each = WINDOW / t->lanes;
    partial leaves[ROW], sum = {0};
    for (size_t base = 0; base < t->lanes; base += ROW) {
        for (size_t l = 0; l < ROW; ++l) {
            const size_t first = (base + l) * each;
            leaves[l] = fold(t->o, x + first,
                             first >= count         ? 0
                             : count - first < each ? count - first
                                                    : each);
        }
        const partial total = tree_total(t->o, leaves, ROW);
        sum = join(t->o, &sum, &total);
    }
    return sum;
}

/* What comes before each element of the sub-tile at `base`, and up to it. */
static void sub_tile_scan(const tree *t, const partial *x, size_t n, size_t base,
                          const partial *front, partial *before, partial *sums)
{
    partial carry = {0};
    for (size_t r = 0; r < t->rows; ++r) {
        partial v[ROW + 1] = {{0}}, leaves[ROW + 1];
        for (size_t l = 0; l < ROW; ++l)
            v[l] = vector_total(t, x, n, base + (r * ROW + l) * t->vector);
        kogge_stone(t->o, v, ROW, &carry, leaves);
        for (size_t e = 0; e < ROW * t->vector; ++e) {
            const size_t i = base + r * ROW * t->vector + e;
            if (i >= n)
                return;
            partial *const own = &leaves[e / t->vector];
            before[i] = join(t->o, front, own);
            *own = join(t->o, own, &x[i]);
            sums[i] = join(t->o, front, own);
        }
        for (size_t distance = 1; distance < ROW; distance *= 2)
            for (size_t k = ROW; k-- > distance;)
                v[k] = join(t->o, &v[k - distance], &v[k]);
        carry = join(t->o, &carry, &v[ROW - 1]);
    }
}

void tree_scan(const tree *t, const partial *x, size_t n, const partial *start, partial *before,
               partial *sums)
{
    const size_t tiles = n / t->tile + (n % t->tile != 0);
    partial *units = calloc(tiles * t->sub_tiles + 1, sizeof *units);
    partial *totals = calloc(tiles + WINDOW, sizeof *totals), front = *start;
    for (size_t u = 0; u < tiles * t->sub_tiles; ++u)
        units[u] = sub_tile_total(t, x, n, u * t->sub_tile);
    for (size_t i = 0; i < tiles; ++i) {
        const partial *const mine = units + i * t->sub_tiles;
        const size_t first = i / WINDOW * WINDOW;
        totals[i] = fold(t->o, mine, t->sub_tiles);
        const partial sum = window_total(t, totals + first, i - first);
        const partial prefix = join(t->o, &front, &sum);
        for (size_t k = 0; k < t->sub_tiles; ++k) {
            const partial inside = fold(t->o, mine, k);
            const partial all = join(t->o, &prefix, &inside);
            sub_tile_scan(t, x, n, i * t->tile + k * t->sub_tile, &all, before, sums);
        }
        if (i % WINDOW == WINDOW - 1)
            front = join(t->o, &prefix, &totals[i]);
    }
    free(units);
    free(totals);
}
