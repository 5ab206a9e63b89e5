/* SPDX-License-Identifier: MIT
 * User types and operators that tests of scans and reductions share. */
#ifndef SCAN_USERS_H
#define SCAN_USERS_H

#include "scan_support.h"

typedef struct user_case {
    const char *what;
    xl_type type;
    const xl_user_type *user_type; /* or NULL */
    const xl_user_op *op;
    ref_op *function; /* the same in C */
    job_fill *fill;
    const void *init; /* an element to start from */
} user_case;

enum { SMALL_MAPS, SPANS /* 12 bytes, no identity */, TEXT_HASHES, MATRICES, NUM_USER_CASES };
extern const user_case user_cases[NUM_USER_CASES];

/* A job of one of them. `job` must stay where it is. */
void user_case_make(job *j, const user_case *c, xl_scan_kind kind, bool with_init);

#endif
