/* SPDX-License-Identifier: MIT
 * Shared by the tests of scans and reductions: jobs that know their right result, arrays of
 * segments of every form, contexts with other tuning values. */
#ifndef SCAN_SUPPORT_H
#define SCAN_SUPPORT_H

#include "scan_order.h"
#include "xlt.h"

/* ---- contexts ---- */

/* A context beside the common one, on the same device. `tune`: lines of a tuning file, or
 * NULL; `mask`: features to do without, or NULL. */
xl_context *open_context(const char *tune, const char *mask);
/* Tuning lines with which a few hundred elements are several tiles. */
extern const char small_tiles[];
void ok(xl_context *ctx, xl_status status, const char *what);
/* False, with a line of why, where look-back has no messages to use. */
bool can_publish(void);
/* False, with a line of why, where there are no sub-groups for pipelined look-back. */
bool can_pipeline(void);

/* ---- where segments begin ---- */

typedef enum pattern {
    ONE_SEGMENT,
    HEADS_EVERYWHERE,
    HEADS_IN_7, /* about so */
    HEADS_IN_700,
    HEADS_AT_TILES, /* at, before and after multiples of 32 to 512 */
    HEAD_AT_END,    /* the last element, and nothing else */
    HEADS_MIXED,    /* stretches of one segment, of singletons, of short and of long runs */
    NUM_PATTERNS
} pattern;

typedef struct segments {
    void *array; /* NULL where the kind has none */
    size_t count, bytes;
    uint8_t *heads;
} segments;

/* Encodes a pattern as the descriptor's kind of segments, like the case runner. CSR offsets get empty
 * segments between others and behind. Kinds without an array ignore the pattern. Only one of these
 * exists at a time. */
segments segments_make(const xl_scan_desc *desc, pattern p, size_t n, uint64_t seed);
void segments_free(segments *s);

/* ---- jobs ---- */

/* Makes element i of an array. */
typedef void job_fill(xlt_random *random, size_t i, void *to);

typedef struct job {
    const char *what;
    xl_scan_desc desc;
    ref_flat ref;
    xl_type in_type, out_type; /* of the arrays, for built-in types: how to fill and compare */
    job_fill *fill;            /* or NULL: by type and operator */
    const scan_order *order;   /* of operands that round, or NULL: results are exact */
    pattern pattern;
    uint64_t seed; /* of data and segments, beside n */
} job;

/* A job of a scalar type with a sum, a least or a greatest; users change the rest. `job` must stay
 * where it is. */
void job_make(job *j, const char *what, xl_type type, xl_op op, xl_scan_kind kind,
              const void *init);
/* A value of the type that no operator has as identity; static storage. */
const void *odd_init(xl_type type);
/* Whether the device's compiler ends the process on the job's texts; then says so. */
bool job_ends_the_process(const job *j);
/* Its descriptor. Tests that go through forms of segments with one segment_type get it where
 * the form has one. */
xl_scan_desc job_desc(const job *j);
/* Creates the plan; NULL, with a line of why, where the device lacks the type. */
xl_plan *job_plan(xl_context *ctx, const job *j);

typedef struct placing {
    size_t in_offset, out_offset;
    bool in_place, own_scratch;
} placing;

extern const placing placings[];
enum { NUM_PLACINGS = 6 };

/* Scratch for one call of look-back, and where its tiles' states lie in it; of other plans just
 * scratch. */
xlt_buffer scan_scratch_make(xl_context *ctx, const xl_plan *plan, size_t n, xlt_tiles *tiles);

/* Runs the plan on n elements and compares with the reference; checks guard bytes, and
 * that inputs are as they were. */
void job_check(xl_context *ctx, xl_plan *plan, const job *j, size_t n, placing place);
/* The most elements that need no scratch, because one group scans them alone. */
size_t tile_of(xl_context *ctx, const xl_plan *plan);

/* Element by element, as the job says; fails with the first that differs. */
void job_compare(const job *j, size_t n, const void *got, const void *wanted);
/* n elements of its input. */
void *job_input(const job *j, size_t n);

/* Bytes of n elements, and one more; the caller frees them. */
void *bytes_for(size_t n, size_t size);
/* A buffer without guards. */
cl_mem plain_buffer(size_t bytes);
/* The power of two that CROSSLANE_TEST_LARGE asks tests of 2^32 elements for: 32 if it is 1, or 20
 * to 32 to try the test itself if memory is short. Skips the test if it is not set. */
unsigned large_log_or_skip(void);

#endif
