/* SPDX-License-Identifier: MIT
 * The shape of a selection: how a problem is laid out on a device. A pure function of problem,
 * capabilities and tuning values: it calls no OpenCL and needs no device to be tested. */
#ifndef XLI_SELECT_SHAPE_H
#define XLI_SELECT_SHAPE_H

#include "element.h"
#include "values.h"

#include <crosslane/select.h>

/* A checked descriptor. */
typedef struct xli_select_problem {
    xl_select_kind kind;
    xl_select_by by;
    xli_element element; /* as kernels store it */
    xli_values values;
    bool wide;                     /* indices of 64 bits */
    const char *predicate, *equal; /* borrowed while a plan is made; NULL: not needed */
    xli_params params;             /* of these expressions */
} xli_select_problem;

/* Whether the kernels read elements to decide, not only to move them. */
bool xli_select_looks(const xli_select_problem *problem);

/* Bytes of the state that a tile passes on. */
size_t xli_select_state_bytes(const xli_select_problem *problem);

typedef struct xli_select_shape {
    xli_tune_select tune;
    bool look_back;  /* one launch, which reads once; else, unless resident, three */
    size_t resident; /* groups of a partition in one launch, which wait for each other; else 0 */
    bool staged;     /* elements are collected in local memory */
    bool ordered;    /* look-back is by whole groups, in windows of tiles */
    uint32_t group_size; /* 1: one work-item walks a tile */
    uint32_t items;      /* elements of a tile for each work-item of a group */
    uint32_t vector;     /* adjacent ones that it loads together */
    uint32_t registers;  /* of a work-item, at most; 0: any */
    uint32_t units;      /* compute units */
    size_t tile;         /* elements */
    size_t piece;        /* elements of a launch that looks back, at most */
    size_t most_rounds;  /* as in xli_tune_device */
} xli_select_shape;

/* `most`: work-items that the kernels allow in a group. */
void xli_select_shape_of(const xli_select_problem *problem, const xli_capabilities *capabilities,
                         const xli_tune_select *tune, size_t most, xli_select_shape *shape);

/* Elements that each output of a call has room for. */
size_t xli_select_room(const xli_select_problem *problem, size_t n, size_t capacity);

/* Chunks of adjacent elements: the elements of one, and the number of chunks. */
typedef struct xli_select_chunks {
    size_t elements, count;
} xli_select_chunks;
xli_select_chunks xli_select_chunks_of(const xli_select_shape *shape, size_t n);

/* Groups of a launch that share `work` elements to read or write. */
size_t xli_select_groups(const xli_select_shape *shape, size_t work);

/* Words of the carry of look-back (cl/select/select_sweep.cl), and of the state of that number of
 * tiles, or of chunks, which follows it. */
enum { XLI_SELECT_CARRY_WORDS = 8 };
size_t xli_select_state_words(const xli_select_problem *problem, size_t tiles);

/* Bytes of a call's scratch; rises with n. */
size_t xli_select_scratch_bytes(const xli_select_problem *problem, const xli_select_shape *shape,
                                size_t n);

#endif
