/* SPDX-License-Identifier: MIT
 * Tables of wrong descriptors and wrong calls, one for each primitive: misuse_tables.c. The test
 * misuse_test.c tries each row, and the errors that every primitive has. */
#ifndef MISUSE_TABLES_H
#define MISUSE_TABLES_H

#include "xlt.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* An array of a call. */
typedef struct misuse_array {
    const char *name;
    size_t at;      /* where its view is in the arguments */
    size_t n, size; /* elements of the right call, and bytes of each */
    enum { READ = 1, WRITTEN = 2, NEEDED = 4 } use;
} misuse_array;

/* A change of the right arguments: a number is set, a view is another one's, or it is not given. */
typedef struct misuse_change {
    enum { NO_CHANGE, NUMBER, OTHER_VIEW, NO_VIEW } what;
    size_t at, value;
} misuse_change;

typedef struct misuse_call {
    xl_status status;
    const char *text; /* part of the error's text */
    misuse_change changes[5];
    bool other; /* a call on the second plan */
} misuse_call;

typedef struct misuse_desc {
    const char *text;
    void *desc; /* without its size */
    xl_status status;
} misuse_desc;

enum { MISUSE_ARRAYS = 9, MISUSE_NUMBERS = 5, MISUSE_ROOM = 1024 };

typedef struct misuse {
    const char *name;
    size_t desc_bytes;
    void (*describe)(void *desc, bool other);
    xl_status (*create)(xl_context *ctx, const void *desc, void **plan);
    void (*destroy)(void *plan);
    xl_status (*enqueue)(void *plan, cl_command_queue queue, const void *args, cl_uint num_waits,
                         const cl_event *waits, cl_event *event);
    xl_status (*scratch)(const void *plan, size_t *bytes);
    const void *args; /* of the right call, but for its arrays */
    size_t args_bytes;
    size_t scratch_at;
    misuse_array arrays[MISUSE_ARRAYS];
    size_t numbers[MISUSE_NUMBERS]; /* where the numbers of elements are; SIZE_MAX: the end */
    const misuse_desc *descs;
    size_t num_descs;
    const misuse_call *calls;
    size_t num_calls;
} misuse;

extern const misuse misuses[];
extern const size_t num_misuses;

/* Indices for searches: of 100 points in 3 dimensions, of points in 2, of a space that repeats, and
 * one that is not built. */
enum { USUAL, FLAT, PERIODIC, UNBUILT, INDICES };
extern xl_grid_index *misuse_indices[INDICES];

#endif
