/* SPDX-License-Identifier: MIT
 * A fault that strikes once: the k-th OpenCL call of a kind that may fail, or the
 * k-th allocation of the library. */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdbool.h>
#include <stddef.h>

/* What the layer and the test share; the layer exports one as `xlt_faults`. */
typedef struct xlt_fault_state {
    bool counting;      /* calls are the library's, not the test's own */
    unsigned calls;     /* seen while counting */
    unsigned strike_at; /* 0: never */
    int code;           /* what the struck call returns */
    const char *only;   /* the calls of this name are the ones that count, or NULL: all are */
    bool no_groups;     /* kernels run in groups of no size, says the driver */
    const char *struck; /* its name, once it happened */
    /* Objects made and retained less those released, by whomever. */
    long devices, contexts, queues, buffers, programs, kernels, events;
} xlt_fault_state;

/* failing_alloc.c: the same for xli_alloc() and its kin. */
typedef struct xlt_alloc_state {
    bool counting;
    size_t at_least; /* those of so many bytes are the ones that count */
    bool for_good;   /* once struck, they all are */
    unsigned calls, strike_at;
    bool struck;
    long outstanding;
} xlt_alloc_state;
extern xlt_alloc_state xlt_allocs;

#endif
