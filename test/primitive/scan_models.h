/* SPDX-License-Identifier: MIT
 * Plain models of the trees in which scans put operands together: the textbook scans, and the one
 * of cl/scan/scan_reproducible.cl. */
#ifndef SCAN_MODELS_H
#define SCAN_MODELS_H

#include <crosslane/crosslane.h>

#include <stdbool.h>
#include <stddef.h>

enum { MOST_BYTES = 16 };
typedef void combine(void *to, const void *a, const void *b);

/* What is scanned. The model never calls `op` on an identity. */
typedef struct monoid {
    const char *name;
    size_t bytes, accumulator_bytes; /* of an element in an array, and with flags beside it */
    combine *op;
    const void *first; /* what an exclusive scan begins with */
} monoid;

/* Of an element only the first bytes are told; the others are 0. */
typedef struct partial {
    bool some, head;
    unsigned char value[MOST_BYTES];
} partial;

typedef struct model {
    const monoid *m;
    xl_scan_algorithm algorithm;
    size_t places, items, block;
} model;

/* a, then b; nothing before a head counts. */
partial join(const model *o, const partial *a, const partial *b);

/* The textbook scan of elements with flags beside them, or without. */
model make_model(const monoid *m, xl_scan_algorithm algorithm, bool flags);

/* Gives what comes before each of n states, beginning with nothing. `start` comes
 * before them all, but on the lowest level only: the totals above do without. */
void model_scan(const model *o, const partial *x, size_t n, const partial *start, partial *before);

/* The reproducible scan: the sizes that the head of cl/scan/scan_reproducible.cl names; `items` are
 * a lane's elements. */
typedef struct tree {
    const model *o;
    size_t lanes, rows, vector, items, sub_tile, sub_tiles, tile;
} tree;
enum { ROW = 32, WINDOW = 512 };

tree make_tree(const model *o, bool flags);

/* What comes before each of n elements, and up to it, from `start` on. */
void tree_scan(const tree *t, const partial *x, size_t n, const partial *start, partial *before,
               partial *sums);

#endif
