/* SPDX-License-Identifier: MIT
 * What the parts of the self-test share: families of checks, arrays on the device, and
 * data. */
#ifndef SELFTEST_H
#define SELFTEST_H

#include "reference.h"
#include "tool.h"

/* One line of the report. */
typedef struct family {
    char name[64];
    unsigned cases, failures;
    char text[512]; /* the first failure, or why the device cannot do this */
    bool unsupported;
} family;

typedef struct selftest {
    session s;
    const char *const *names;   /* parts of the names of the families to check, or none: all */
    bool known[TOOL_MAX_FILES]; /* which of them are part of a family's name */
    unsigned families, cases, failures, unsupported;
} selftest;

/* False where it is not to be checked. */
bool family_begin(selftest *t, family *f, const char *format, ...) XLI_PRINTF(3, 4);
void family_end(selftest *t, const family *f); /* prints the line */

/* Notes a failed case; the first one's text is kept. False. */
bool family_note(family *f, const char *format, ...) XLI_PRINTF(2, 3);
/* True for XL_SUCCESS. A feature that the device lacks is no failure. */
bool family_passed(const selftest *t, family *f, xl_status status, const char *what, size_t n);

/* A buffer with `data`, or where that is NULL filled with 0xA5, so that what is not
 * written shows. */
cl_mem selftest_array(const selftest *t, family *f, const void *data, size_t bytes);
bool selftest_read(const selftest *t, family *f, cl_mem mem, size_t bytes, void *data);

/* ---- selftest_data.c, which `crosslane tune` takes too ---- */

/* xorshift64*: test data that is the same everywhere. */
uint64_t selftest_random(uint64_t *state);

/* n random elements of `type`. For sums and products of floating-point numbers whatever
 * part of them is combined comes out exact; else also NaN, infinities and zeros of
 * either sign. */
void selftest_fill(xl_type type, xl_op op, uint64_t seed, size_t n, void *out);

/* Segments of n elements: segment s is [at[s], at[s + 1]), and `array` what a call takes for
 * them. */
typedef struct cuts {
    xl_segments form;
    xl_type type; /* of keys and offsets */
    uint64_t width, mask;
    void *array;
    size_t array_count, array_bytes;
    uint64_t *at;
    size_t count;
    uint8_t *heads; /* 1 where an element begins a segment, of which none is empty */
} cuts;
/* Makes segments of many lengths, empty ones where the form has them. False: no memory. */
bool cuts_make(xl_segments form, size_t n, cuts *c);
void cuts_free(cuts *c);

/* Numbers of all sizes and both signs: a sum in any other order has other bits. */
void selftest_fill_rounding(size_t n, float *out);

/* FNV-1a over the numbers' bits, low byte first; of all zeros alike. */
uint64_t selftest_hash(size_t n, const float *x);

/* A small whole number as an element. */
void selftest_whole(xl_type type, int value, void *out);

/* Whether two elements hold the same bits, or both a NaN. */
bool selftest_same(xl_type type, const void *a, const void *b);

/* The same, but that a zero of either sign is a zero: some devices add 0 and -0 to -0. */
bool selftest_same_sum(xl_type type, const void *a, const void *b);

/* ---- selftest_scan.c and the others of that name ---- */
void selftest_scans(selftest *t);
void selftest_reductions(selftest *t);
void selftest_sorts(selftest *t);
void selftest_segmented_sorts(selftest *t);
void selftest_selections(selftest *t);
void selftest_compaction(selftest *t);
void selftest_merges(selftest *t);
void selftest_searches(selftest *t);
void selftest_histograms(selftest *t);
void selftest_transforms(selftest *t);
void selftest_nearest(selftest *t);
void selftest_nearest_approximate(selftest *t);

#endif
