/* SPDX-License-Identifier: MIT
 * Tuning values: one plain struct per primitive. Each is looked up in a built-in
 * table (a device's name, then its vendor, then its kind, then what suits every
 * device), and any single value may be overridden by a line of the context's
 * tuning file, under the name given beside the field. */
#ifndef XLI_TUNE_H
#define XLI_TUNE_H

#include "runtime.h"

/* How work-groups of a scan are shaped. */
enum { XLI_SCAN_SERIAL = 0, XLI_SCAN_GROUP = 1 };

typedef struct xli_tune_ahead {
    uint32_t size, bytes; /* work-items of a group, and what each holds */
} xli_tune_ahead;

typedef struct xli_tune_scan {
    uint32_t shape;      /* scan.shape: 0 one work-item walks a tile, 1 a work-group holds it */
    uint32_t group_size; /* scan.group_size: work-items of a group, shape 1 */
    uint32_t item_bytes; /* scan.item_bytes: bytes a work-item holds, shape 1 */
    uint32_t tile_bytes; /* scan.tile_bytes: bytes of a tile, shape 0 */
    uint32_t run_groups; /* scan.run_groups: reduce-then-scan groups per compute unit */
    /* scan.run_elements: the longest run of one of them, about. Rusticl 22.3 on llvmpipe
     * ends a work-item's loops after 65,535 rounds in all, without a word, and a work-item
     * that is a group takes up to 16 elements in a round. What counts is the longest way of
     * any lane of 8, and lanes that a group leaves over go through its loops as well: they
     * read zeros and write nothing. */
    uint32_t run_elements;
    /* scan.run_offsets: the same by CSR offsets, where an element of a run may cost some 45
     * rounds: empty segments before it are passed in 2 log2(their number) and a few more.
     * 0: runs are as long as others. */
    uint32_t run_offsets;
    uint32_t ring_groups; /* scan.ring_groups: look-back groups per compute unit */
    uint32_t share;       /* scan.share: tiles of a block for each who looks back in order */
    uint32_t look_back;   /* scan.look_back: 1 if AUTO takes look-back where it may */
    uint32_t stream_kib;  /* scan.stream_kib: results this large are written past the cache,
                             shape 0 */
    /* Look-back with sums posted ahead (cl/kernel/scan_ahead.cl), where there are sub-groups:
     * scan.ahead: 1 if it is taken; scan.ahead_block: tiles of a block; scan.ahead_groups:
     * groups per compute unit, of 256 work-items or as many of others as hold so many;
     * scan.ahead_few: vectors of a work-item where few elements are cut into shorter tiles;
     * and work-items of a group and bytes that each holds, of values of one word
     * (scan.ahead_size, scan.ahead_bytes), of two (scan.ahead_wide_size,
     * scan.ahead_wide_bytes) and of a word with flags (scan.ahead_flag_size,
     * scan.ahead_flag_bytes) */
    uint32_t ahead, ahead_block, ahead_groups, ahead_few;
    xli_tune_ahead ahead_plain, ahead_wide, ahead_flags;
    uint32_t spin_limit; /* scan.spin_limit: polls of a tile before its sum is made anew */
    uint32_t hold_back;  /* scan.hold_back: for tests: one in so many tiles is late to post
                            its sum, or never does; 0: none */
    uint32_t hold_half;  /* scan.hold_half: for tests: 1: of what such a tile posts in several
                            words every other one comes at once */
} xli_tune_scan;

/* The built-in values for a device. */
void xli_tune_scan_table(const xli_facts *facts, xli_tune_scan *tune);
/* The same, and over them what the context's tuning file says. */
void xli_tune_scan_get(const xl_context *ctx, const xli_facts *facts, xli_tune_scan *tune);

/* One row of a built-in table: fits a device if every given part does. A table is
 * ordered from particular to general and ends with a row that fits everything. */
typedef struct xli_tune_match {
    const char *device;  /* part of the device's name, any letter case; NULL: any */
    uint32_t vendor_id;  /* 0: any */
    uint32_t capability; /* NVIDIA's compute capability, the major number, or above */
    bool is_cpu;         /* only devices whose work-items take turns on a core */
} xli_tune_match;

bool xli_tune_fits(const xli_tune_match *match, const xli_facts *facts);

#endif
