/* SPDX-License-Identifier: MIT
 * The case runner's types and operators of users, as jobs. */
#ifndef SCAN_USERS_H
#define SCAN_USERS_H

#include "scan_support.h"

/* Structures of 3, 12 and 24 bytes and matrices, in the case runner's order of types. Those of
 * 12 and 24 bytes have no identity. */
typedef enum users_type { MAPS = 16, SPANS = 17, TEXTS = 18, MATRICES = 20 } users_type;

/* A job of one of them, which starts from an init if it is to, or if there is no identity. `job`
 * must stay where it is. */
void user_job_make(job *j, const char *what, users_type which, xl_scan_kind kind, bool with_init);

#endif
