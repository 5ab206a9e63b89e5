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
    ref_op *function; /* the same in C; NULL: the built-in operator that is like it */
    job_fill *fill;   /* or NULL: by type */
    const void *init; /* an element to start from, or NULL */
    job_same *same;   /* or NULL: every byte counts */
} user_case;

enum { NUM_USER_CASES = 12, USER_CASE_SPAN = 1 /* 12 bytes, no identity */ };
extern const user_case user_cases[NUM_USER_CASES];

/* A job of one of them. `job` must stay where it is. */
void user_case_make(job *j, const user_case *c, xl_scan_kind kind, bool with_init);

#endif
