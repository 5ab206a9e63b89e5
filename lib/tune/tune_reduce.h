/* SPDX-License-Identifier: MIT
 * Tunables of the reduction. */
#ifndef XLI_TUNE_REDUCE_H
#define XLI_TUNE_REDUCE_H

#include "runtime.h"

typedef struct xli_tune_reduce {
    uint32_t serial;      /* reduce.serial: 1 one work-item takes a run, 0 a work-group */
    uint32_t group_size;  /* reduce.group_size: work-items of a group, serial 0, with segments */
    uint32_t whole_size;  /* reduce.whole_size: the same, without segments */
    uint32_t item_bytes;  /* reduce.item_bytes: bytes a work-item holds of a tile, serial 0, with
                            segments */
    uint32_t whole_bytes; /* reduce.whole_bytes: the same, without segments */
    uint32_t run_groups;  /* reduce.run_groups: runs per compute unit, without segments */
    uint32_t part_groups; /* reduce.part_groups: runs per compute unit, with segments */
    /* reduce.run_elements: the longest run, about, where elements are taken one by one;
     * rusticl 22.3 on llvmpipe ends a work-item's loops after 65,535 rounds in all. */
    uint32_t run_elements;
    /* reduce.run_offsets: the same by CSR offsets where rounds are counted, as tune.h says, of
     * which a run costs up to 4 a step; 0: they are not. */
    uint32_t run_offsets;
    uint32_t ahead;       /* reduce.ahead: 1 a tile is loaded while the one before is scanned */
    uint32_t alone_tiles; /* reduce.alone_tiles: so many tiles are left to one group */
} xli_tune_reduce;

/* What suits the device; the tuning file may set each. */
void xli_tune_reduce_get(const xl_context *ctx, const xli_facts *facts, xli_tune_reduce *tune);

#endif
