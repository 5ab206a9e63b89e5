/* SPDX-License-Identifier: MIT
 * The shape of a scan: how a problem is laid out on a device. A pure function of problem, facts
 * and tuning values: it calls no OpenCL, knows no context, and needs no device to be tested. */
#ifndef XLI_SCAN_SHAPE_H
#define XLI_SCAN_SHAPE_H

#include "problem.h"

/* The sizes that determine the order of operands if bits must be the same on every device
 * (cl/scan/scan_reproducible.cl). */
typedef struct xli_scan_tree {
    uint32_t size;   /* lanes of a tile, 32 times a power of two; 0: the order is the device's */
    uint32_t rows;   /* vectors of a lane */
    uint32_t vector; /* elements */
    uint32_t window; /* tiles of a look-back window */
} xli_scan_tree;

typedef struct xli_scan_shape {
    xl_scan_algorithm algorithm; /* of calls with more than one tile; never AUTO */
    xli_tune_scan tune;          /* as far as it fits */
    uint32_t units;              /* compute units of the device */
    uint32_t sub_group;          /* as xli_sub_group_of(); 0 if reproducible */
    uint32_t group_size;         /* work-items of every launch */
    uint32_t vector;             /* elements that a work-item moves at once */
    uint32_t items;              /* elements that it holds; 0: it walks a tile */
    bool pipelined;              /* look-back publishes each aggregate one tile early */
    bool bulk, packed;           /* asynchronous copies of tiles; elements stay as in memory */
    bool separate_in_place;      /* look-backs in place have another program */
    uint32_t registers;          /* the most of a work-item; 0: any number */
    uint32_t window;             /* tiles of a look-back window, if it is pipelined */
    uint32_t short_tile_vectors; /* of a work-item in shorter tiles, for few elements; or 0 */
    size_t tile;                 /* elements of one group's tile, the most */
    uint32_t heads_size;         /* with CSR offsets: work-items of a group of the launch before, */
    uint32_t heads_tile;         /* and elements, whose heads it finds; else 0 */
    xli_scan_tree tree;          /* computed by look-back or by scan_reproducible.c */
} xli_scan_shape;

/* Look-back has two files of kernels: one is pipelined. */
enum { XLI_FILE_LOOKBACK = 1, XLI_FILE_PIPELINED = 2, XLI_FILE_ANY = 3 };

/* Limits of a shape, beside the device and its tuning values. */
typedef struct xli_scan_limits {
    xl_scan_algorithm wish; /* may be AUTO */
    unsigned files;         /* of look-back that may be used: XLI_FILE_... */
    size_t most;            /* work-items of a group */
} xli_scan_limits;

/* Look-back becomes reduce-then-scan if neither of its files may be used. */
void xli_scan_shape_of(const xli_problem *problem, const xli_capabilities *capabilities,
                       const xli_tune_scan *tune, const xli_scan_limits *limits,
                       xli_scan_shape *shape);

/* Elements of a tile of the tree, and of the part of one that 32 lanes have. */
size_t xli_scan_tree_tile(const xli_scan_tree *tree);
size_t xli_scan_tree_sub_tile(const xli_scan_tree *tree);

/* The file that look-back of this shape takes: XLI_FILE_..., and its name. */
unsigned xli_scan_file(const xli_scan_shape *shape);
const char *xli_scan_file_name(unsigned file);

/* The most groups that look-back launches, and the tile of a call with n elements. Calls with few
 * elements have shorter tiles, at most `most_short`, if that gives the busiest group less work. */
size_t xli_scan_lookback_groups(const xli_scan_shape *shape);
size_t xli_scan_lookback_most_short(const xli_scan_shape *shape);
size_t xli_scan_lookback_tile(const xli_scan_shape *shape, size_t n);

/* A look-back has a program for each of these, if its shape has several: calls of many elements, of
 * few, and in place; and each of them for arrays that are not aligned to 16 bytes. */
typedef enum xli_scan_part {
    XLI_SCAN_MANY,
    XLI_SCAN_FEW,
    XLI_SCAN_IN_PLACE,
    XLI_SCAN_MISALIGNED, /* the first of the others */
    XLI_SCAN_PARTS = 2 * XLI_SCAN_MISALIGNED
} xli_scan_part;
typedef struct xli_scan_call {
    size_t n;
    bool in_place, misaligned;
} xli_scan_call;
xli_scan_part xli_scan_part_of(const xli_scan_shape *shape, const xli_scan_call *call);
/* Elements that a work-item holds in this part; 0: it walks a tile. */
uint32_t xli_scan_part_items(const xli_scan_shape *shape, xli_scan_part part);
size_t xli_scan_part_tile(const xli_scan_shape *shape, xli_scan_part part);

/* How a call of reduce-then-scan is cut into launches. */
typedef struct xli_scan_partition {
    size_t tiles;
    size_t groups; /* of a launch */
    size_t chunk;  /* elements of a group: whole tiles */
} xli_scan_partition;
/* The most groups that n elements are cut into; grows with n. */
size_t xli_scan_most_groups(const xli_problem *problem, const xli_scan_shape *shape, size_t n);
xli_scan_partition xli_scan_partition_of(const xli_problem *problem, const xli_scan_shape *shape,
                                         size_t n);

#endif
