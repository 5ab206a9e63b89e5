/* SPDX-License-Identifier: MIT
 * Tunables of the sort. */
#ifndef XLI_TUNE_SORT_H
#define XLI_TUNE_SORT_H

#include "runtime.h"

/* How a tile of the bitonic sort is worked on. */
enum {
    XLI_SORT_BY_GROUP = 0, /* a work-group holds it in registers */
    XLI_SORT_BY_RUN = 1    /* one work-item walks it with wide vectors */
};

typedef struct xli_sort_tuning {
    uint32_t shape;
    uint32_t group_log; /* work-items of a group, by group only */
    uint32_t held_log;  /* elements that a work-item holds, by group only */
    uint32_t run_log;   /* elements of a tile, by run only */
    /* A cut is searched by 2^seek_log - 1 work-items, by group only: many of them need
     * fewer rounds, but each touches memory of its own, which shows when there are more
     * than `busy` groups to share the device. */
    uint32_t seek_log;
    uint32_t seek_busy_log;
    uint32_t busy;
} xli_sort_tuning;

/* What suits the device and the bytes of an element (key and value), within what the
 * device can do: work-group size and local memory. The override file may set
 * sort.shape, sort.group_log, sort.held_log, sort.run_log, sort.seek_log,
 * sort.seek_busy_log and sort.busy. */
void xli_tune_sort(const xl_context *ctx, const xli_facts *facts, size_t key_bytes,
                   size_t value_bytes, xli_sort_tuning *tuning);

#endif
