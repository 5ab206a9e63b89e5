/* SPDX-License-Identifier: MIT
 * Tuning of the grid and of the searches on it. */
#ifndef XLI_TUNE_GRID_H
#define XLI_TUNE_GRID_H

#include "runtime.h"

typedef struct xli_tune_grid {
    uint32_t group;         /* work-items of a work-group that builds */
    uint32_t items;         /* points per work-item that builds */
    uint32_t bounds_groups; /* work-groups that look for the box, at least */
    uint32_t crowd;         /* more points than this in one cell are sorted by a work-group */
    uint32_t crowd_groups;  /* work-groups that sort crowded cells */
    uint32_t crowd_group;   /* work-items of each */
    uint32_t search_group;  /* work-items of a work-group that searches */
    uint32_t search_items;  /* points per work-item that searches */
    uint32_t staged;        /* rows up to this long are sorted in local memory */
} xli_tune_grid;

/* The values for a context's device; any of them is right on any device. */
void xli_tune_grid_get(const xl_context *ctx, const xli_facts *facts, xli_tune_grid *tune);

#endif
