/* SPDX-License-Identifier: MIT
 * Somebody else who writes the arrays of calls while these run. */
#ifndef SCRIBBLER_H
#define SCRIBBLER_H

#include "xlt.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MOST_TARGETS = 6 };

typedef struct scribbler {
    const xlt_buffer *targets[MOST_TARGETS];
    size_t num_targets, n;  /* n: what makes a number a plausible one */
    cl_command_queue queue; /* NULL: kernels touch host memory, and so does this */
    atomic_bool stop;
    bool runs;
    atomic_ulong writes;
    pthread_t thread;
} scribbler;

/* Adds an array that the thread may write. One without a buffer, or empty, is ignored. */
void aim(scribbler *s, const xlt_buffer *target);
/* Between these two a thread writes numbers into any of the targets; many are plausible for arrays
 * of n elements. The second one fails if nothing was written. */
void scribbler_start(scribbler *s, size_t n);
void scribbler_stop(scribbler *s);
/* Whether there is a round k: until there were enough, and enough was written. The thread starts
 * after round 0, in which the device's compiler may take long. */
bool goes_on(scribbler *s, size_t k);
/* Fails if anything beside the buffers was written. */
void check_and_free(xlt_buffer *const *buffers, size_t count);

#endif
