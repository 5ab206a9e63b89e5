/* SPDX-License-Identifier: MIT
 * What the parts of the self-test share: families of checks, and arrays on the device. */
#ifndef SELFTEST_H
#define SELFTEST_H

#include "tool_reference.h"

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
bool family_begin(selftest *t, family *f, const char *format, ...) TOOL_PRINTF(3, 4);
void family_end(selftest *t, const family *f); /* prints the line */

/* Notes a failed case; the first one's text is kept. False. */
bool family_note(family *f, const char *format, ...) TOOL_PRINTF(2, 3);
/* True for XL_SUCCESS. A feature that the device lacks is no failure. */
bool family_passed(const selftest *t, family *f, xl_status status, const char *what, size_t n);

/* A buffer with `data`, or where that is NULL filled with 0xA5, so that what is not
 * written shows. */
cl_mem selftest_array(const selftest *t, family *f, const void *data, size_t bytes);
bool selftest_read(const selftest *t, family *f, cl_mem mem, size_t bytes, void *data);

/* ---- selftest_scan.c, selftest_reduce.c ---- */
void selftest_scans(selftest *t);
void selftest_reductions(selftest *t);

#endif
