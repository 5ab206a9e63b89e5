/* SPDX-License-Identifier: MIT
 * A fault that strikes once: the k-th OpenCL call of a kind that may fail, the k-th
 * allocation of the library, or a word of the k-th array that is read back. And counts
 * of the layer: objects that are held, launches, and the thread that set the arguments of a kernel. */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdbool.h>
#include <stddef.h>

/* Shared by the layer and the test; the layer exports one as `xlt_faults`. */
typedef struct xlt_fault_state {
    bool counting;      /* calls are the library's, not the test's own */
    unsigned calls;     /* seen while counting */
    unsigned strike_at; /* 0: never */
    int code;           /* the result of the struck call */
    const char *only;   /* the calls of this name are the ones that count, or NULL: all are */
    bool no_groups;     /* kernels run in groups of no size, says the driver */
    const char *struck; /* its name, once it happened */

    unsigned reads;     /* arrays read back while counting */
    unsigned flip_at;   /* the read that comes back with a word flipped; 0: none */
    bool flip_on;       /* and every read after it */
    long flip_word;     /* which word of four bytes; from -1 down: from the end */
    unsigned flip_mask; /* the bits of it */
    unsigned flipped;   /* reads so far */

    unsigned launches; /* kernels enqueued, counting or not */
    unsigned delay_us; /* sleep after each argument that is set */

    /* Objects made and retained less those released, by whomever. */
    long devices, contexts, queues, buffers, programs, kernels, events;
} xlt_fault_state;

/* An argument set or a launch. The layer exports the last ones as `xlt_steps`. */
typedef struct xlt_step {
    const void *kernel;
    unsigned long thread;
    bool launch;
} xlt_step;
enum { XLT_STEPS = 1 << 14 };
typedef struct xlt_step_log {
    unsigned used; /* more than XLT_STEPS: some were not kept */
    xlt_step steps[XLT_STEPS];
} xlt_step_log;

/* layer.c: loads the layer, before anything else asks the OpenCL loader; NULL where the
 * loader knows no layers. */
xlt_fault_state *xlt_layer_load(void);
xlt_step_log *xlt_layer_steps(void);
/* As many objects are held in both. */
bool xlt_same_objects(const xlt_fault_state *a, const xlt_fault_state *b);

/* failing_alloc.c: the same for xli_alloc() and its kin. */
typedef struct xlt_alloc_state {
    bool counting;
    size_t at_least; /* smaller ones do not count */
    bool for_good;   /* once struck, they all are */
    unsigned calls, strike_at;
    bool struck;
    long outstanding;
} xlt_alloc_state;
extern xlt_alloc_state xlt_allocs;

#endif
