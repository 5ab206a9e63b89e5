/* SPDX-License-Identifier: MIT
 * Tuning values: numbers that change how fast a plan is. This folder holds the one registry of
 * their names, the built-in tables by device, and the reading of tuning files; it calls no
 * OpenCL.
 *
 * A tunable in a plan's descriptor overrides a line of the context's tuning file, which overrides
 * the built-in table (tune.c). Each of the files below uses only those above it:
 *     registry.c      names, ranges, meanings
 *     tune_file.c     reads and checks a file
 *     tune_tables.c, tune_scan.c and the like: the built-in tables
 *     tune.c          the values of a plan */
#ifndef XLI_TUNE_H
#define XLI_TUNE_H

#include "core.h"

#include <crosslane/types.h>

/* The device, as built-in tables see it. */
typedef struct xli_tune_device {
    uint32_t vendor_id;
    uint32_t capability; /* of NVIDIA's OpenCL: the major compute capability; else 0 */
    bool is_cpu;         /* work-items take turns on a core */
    bool has_lanes;      /* those of a sub-group exchange values without local memory */
    bool no_radix;       /* its compiler takes minutes for a radix sort: there is none */
    uint32_t compute_units;
    uint64_t local_bytes;
    size_t max_work_group;
    /* The most rounds of all loops of a work-item: SIZE_MAX, or half of the driver's limit, because
     * shapes only estimate the rounds of an element (lib/ocl/rusticl.c). */
    size_t most_rounds;
} xli_tune_device;

/* ---- the values -----------------------------------------------------------
 * A field is the tunable of that name: scan.group_size is the group_size of xli_tune_scan.
 * registry.c has its meaning and range. */

enum { XLI_SCAN_SERIAL = 0, XLI_SCAN_GROUP = 1 };   /* scan.shape */
enum { XLI_SORT_GROUP = 0, XLI_SORT_SERIAL = 1 };   /* sort.shape */
enum { XLI_TOP_K_GROUP = 0, XLI_TOP_K_SERIAL = 1 }; /* top_k.shape */

typedef struct xli_tune_scan {
    uint32_t shape, group_size, item_bytes, tile_bytes;
    uint32_t chunk_groups, chunk_elements;
    uint32_t lookback_groups, tiles_per_lane, look_back, stream_kib;
    /* Pipelined look-back (cl/scan/scan_pipelined.cl): of values of one word, and of two. */
    uint32_t pipelined, pipelined_window, pipelined_groups, pipelined_short_vectors;
    uint32_t pipelined_size, pipelined_bytes;
    uint32_t pipelined_wide_size, pipelined_wide_bytes;
    uint32_t pipelined_packed_bytes, pipelined_registers;
    uint32_t spin_limit, inject_delay, inject_tear;
} xli_tune_scan;

typedef struct xli_tune_reduce {
    uint32_t serial;
    uint32_t group_size, item_bytes;             /* with segments */
    uint32_t whole_size, whole_bytes;            /* without */
    uint32_t segment_chunk_groups, chunk_groups; /* with; without */
    uint32_t chunk_elements,
        chunk_elements_csr; /* as of scans; an offset costs a run up to 4 rounds */
    uint32_t single_group_tiles;
    uint32_t single_group_vectors, chunk_vectors, single_launch; /* without segments */
} xli_tune_reduce;

typedef struct xli_tune_sort {
    uint32_t shape, group_log, items_log;
    uint32_t segment_group_log, segment_items_log; /* of a segmented sort; 0: as others */
    uint32_t segment_queue;
    uint32_t serial_tile_log;
    /* A sort by samples (cl/sort/sort_samples.cl): the most elements; the most runs; work-items
     * of a group and elements of each, for few elements and for more. */
    uint32_t sample_most, sample_wide_most, sample_pair_most, sample_runs;
    uint32_t sample_group_log, sample_items_log;
    uint32_t sample_large_from, sample_large_group_log, sample_large_items_log;
    /* More work-items that search a cut need fewer rounds, but read more memory, which matters if
     * more than `busy` groups share the device. */
    uint32_t search_log, search_busy_log, busy;
    /* A radix sort: the fewest elements, for keys of up to 4 bytes, of 8, and with values; the most
     * elements that one work-item sorts; chunks for each compute unit, elements of a chunk. */
    uint32_t radix_from, radix_wide_from, radix_pair_from;
    uint32_t radix_alone, radix_buckets, radix_bucket_bytes;
    uint32_t radix_chunks, radix_least, radix_most;
    uint32_t radix_group, radix_bytes;
    /* One launch a pass (cl/sort/sort_onesweep.cl): of keys alone, and with values. */
    uint32_t sweep, sweep_from, sweep_wide_from, sweep_pair_from;
    uint32_t sweep_group, sweep_bytes, sweep_registers;
    uint32_t sweep_wide_group, sweep_wide_bytes, sweep_wide_registers;
    uint32_t sweep_pair_group, sweep_pair_bytes, sweep_pair_registers;
    /* For few keys of up to 4 bytes. */
    uint32_t sweep_small_most, sweep_small_pair_most;
    uint32_t sweep_small_group, sweep_small_bytes, sweep_small_registers, sweep_small_depth;
    uint32_t ring_tiles, sweep_depth, spin_limit, inject_delay;
    uint32_t part_tiles, inject_places; /* of a large sort */
} xli_tune_sort;

typedef struct xli_tune_grid {
    uint32_t group, items, bounds_groups;
    uint32_t overfull_points, overfull_groups, overfull_group_size;
    uint32_t table, thin, planes;
    uint32_t sampled, sampled_alone, bucket, window;
} xli_tune_grid;

typedef struct xli_tune_neighbors {
    uint32_t group, staged, walk, together;
} xli_tune_neighbors;

typedef struct xli_tune_nearest {
    uint32_t group, items, aim, together, walk;
} xli_tune_nearest;

typedef struct xli_tune_top_k {
    uint32_t shape, group_log, items, chunks, chunk, sample, sampled, ranked;
} xli_tune_top_k;

typedef struct xli_tune_select {
    uint32_t serial, group, item_bytes, tile_bytes;
    uint32_t lookback_groups, resident, chunk_groups, look_back, window, piece, registers;
    uint32_t spin_limit, inject_delay, inject_tear;
} xli_tune_select;

/* For tests: which tiles are late (xl_is_late() of cl/tile/tile_prefix.cl): one in `delay`, which
 * publishes half of its value first if `tear`. */
static inline uint32_t xli_late(uint32_t delay, uint32_t tear)
{
    return delay > 0 && tear ? delay | UINT32_C(1) << 31 : delay;
}

typedef struct xli_tune_merge {
    uint32_t serial, group, item_bytes, set_bytes, chunk, search_tiles;
    uint32_t inject_places;
} xli_tune_merge;

typedef struct xli_tune_search {
    uint32_t serial, group, items, queries;
} xli_tune_search;

typedef struct xli_tune_histogram {
    uint32_t serial, group, copies, local_kib, passes, vectors, chunks, chunk;
} xli_tune_histogram;

typedef struct xli_tune_transform {
    uint32_t serial, group, items, chunk, stream_kib;
} xli_tune_transform;

typedef struct xli_tune_morton {
    uint32_t group, items;
} xli_tune_morton;

typedef struct xli_tune_nearest_approximate {
    uint32_t group;
} xli_tune_nearest_approximate;

typedef struct xli_tune {
    xli_tune_scan scan;
    xli_tune_reduce reduce;
    xli_tune_sort sort;
    xli_tune_grid grid;
    xli_tune_neighbors neighbors;
    xli_tune_nearest nearest;
    xli_tune_top_k top_k;
    xli_tune_select select;
    xli_tune_merge merge;
    xli_tune_search search;
    xli_tune_histogram histogram;
    xli_tune_transform transform;
    xli_tune_morton morton;
    xli_tune_nearest_approximate nearest_approximate;
} xli_tune;

/* ---- registry.c: what there is -------------------------------------------- */

/* Whose a value is; a descriptor takes those of one or more. */
enum {
    XLI_TUNE_SCAN = 1,
    XLI_TUNE_REDUCE = 2,
    XLI_TUNE_SORT = 4,
    XLI_TUNE_GRID = 8,
    XLI_TUNE_NEIGHBORS = 16,
    XLI_TUNE_TOP_K = 32,
    XLI_TUNE_MERGE = 64,
    XLI_TUNE_SEARCH = 128,
    XLI_TUNE_HISTOGRAM = 256,
    XLI_TUNE_TRANSFORM = 512,
    XLI_TUNE_SELECT = 1024,
    XLI_TUNE_NEAREST = 2048,
    XLI_TUNE_MORTON = 4096,
    XLI_TUNE_NEAREST_APPROXIMATE = 8192
};

typedef struct xli_tunable {
    unsigned primitive; /* one of those above */
    const char *name;
    size_t at;                /* bytes from the start of xli_tune */
    uint32_t least, greatest; /* the widest range that any device may take */
    bool zero;                /* 0 is allowed too: none, or no limit */
    /* The step of a search by measurement, or XLI_STEP_DOUBLE: the value is doubled; 0: it is not
     * searched. Tunables with a lower turn are searched first. */
    uint32_t step, turn;
    bool for_tests;      /* not listed, and unknown to users */
    const char *meaning; /* one sentence */
} xli_tunable;

enum { XLI_STEP_NONE = 0, XLI_STEP_ONE = 1, XLI_STEP_DOUBLE = 2 };

/* Every field of xli_tune has an entry, in the same order. */
enum { XLI_TUNABLES = sizeof(xli_tune) / sizeof(uint32_t) };
extern const xli_tunable xli_tunables[XLI_TUNABLES];

/* The entry of that name, or NULL. */
const xli_tunable *xli_tunable_find(const char *name);
/* The same for a name that a user gives: an entry for tests is found only if the environment
 * variable CROSSLANE_TEST_TUNABLES is set. */
const xli_tunable *xli_tunable_of_user(const char *name);
/* "a number from 1 to 64", or "0 or a number from 1 to 64". */
enum { XLI_RANGE_BYTES = 64 };
const char *xli_tunable_range(const xli_tunable *tunable, char text[XLI_RANGE_BYTES]);
bool xli_tunable_takes(const xli_tunable *tunable, uint64_t value);
uint32_t xli_tunable_value(const xli_tunable *tunable, const xli_tune *tune);
void xli_tunable_set(const xli_tunable *tunable, xli_tune *tune, uint32_t value);

/* ---- tune_file.c: lines "name = number", '#' starts a comment -------------- */

/* The values of a file. */
typedef struct xli_tuning {
    bool given[XLI_TUNABLES];
    xli_tune tune; /* where given */
} xli_tuning;
/* Reads and checks a whole file, whichever plans follow, so that a slip of the pen is an error
 * and not a default. *tuning is freed with xli_free(), and not set on failure: then `why` says
 * what, with file and line. */
xl_status xli_tuning_read(const char *path, xli_text *why, xli_tuning **tuning);
/* The same of a terminated text, which it cuts up; `path` is for `why`. */
xl_status xli_tuning_parse(const char *path, char *text, size_t length, xli_text *why,
                           xli_tuning **tuning);

/* ---- the built-in tables, by primitive --------------------------------------- */

enum { XLI_VENDOR_NVIDIA = 0x10de };

void xli_tune_scan_table(const xli_tune_device *device, xli_tune_scan *tune);
void xli_tune_reduce_table(const xli_tune_device *device, xli_tune_reduce *tune);
void xli_tune_sort_table(const xli_tune_device *device, xli_tune_sort *tune);
void xli_tune_grid_table(const xli_tune_device *device, xli_tune_grid *tune);
void xli_tune_neighbors_table(const xli_tune_device *device, xli_tune_neighbors *tune);
void xli_tune_nearest_table(const xli_tune_device *device, xli_tune_nearest *tune);
void xli_tune_top_k_table(const xli_tune_device *device, xli_tune_top_k *tune);
void xli_tune_select_table(const xli_tune_device *device, xli_tune_select *tune);
void xli_tune_merge_table(const xli_tune_device *device, xli_tune_merge *tune);
void xli_tune_search_table(const xli_tune_device *device, xli_tune_search *tune);
void xli_tune_histogram_table(const xli_tune_device *device, xli_tune_histogram *tune);
void xli_tune_transform_table(const xli_tune_device *device, xli_tune_transform *tune);
void xli_tune_morton_table(const xli_tune_device *device, xli_tune_morton *tune);
void xli_tune_nearest_approximate_table(const xli_tune_device *device,
                                        xli_tune_nearest_approximate *tune);

/* Reduce values to the work-group size and local memory of the device. element_bytes: key and value
 * of a sort. Shapes of scans and reductions do this themselves. */
void xli_tune_sort_fit(const xli_tune_device *device, uint64_t element_bytes, xli_tune_sort *tune);
void xli_tune_grid_fit(const xli_tune_device *device, xli_tune_grid *tune);
void xli_tune_neighbors_fit(const xli_tune_device *device, xli_tune_neighbors *tune);
void xli_tune_nearest_fit(const xli_tune_device *device, xli_tune_nearest *tune);

/* ---- tune.c: the values of a plan --------------------------------------------- */

/* Reduces values on a driver that limits loops. */
void xli_tune_limit_loops(const xli_tune_device *device, xli_tune *tune);
/* The most groups of a launch over a list whose length only the device knows: a few for each
 * unit, or one for each entry if the driver limits loops. */
static inline size_t xli_tune_list_groups(const xli_tune_device *device)
{
    enum { PER_UNIT = 8 };
    return device->most_rounds < SIZE_MAX ? SIZE_MAX
                                          : xli_mul(xli_max(1, device->compute_units), PER_UNIT);
}

/* Names and values of a descriptor, for a plan that takes those of `primitives`. */
typedef struct xli_tune_wish {
    unsigned primitives;
    const xl_tunable *tunables;
    uint32_t count;
} xli_tune_wish;

/* The values for a device: built-in, then those of the file (may be NULL), then those of the
 * descriptor; last, xli_tune_limit_loops(). XL_ERROR_INVALID_ARGUMENT with a text in `why` if a
 * tunable is unknown, out of range or of another primitive. */
xl_status xli_tune_choose(const xli_tune_device *device, const xli_tuning *file,
                          const xli_tune_wish *wish, xli_text *why, xli_tune *tune);

/* Those of a checked wish that are of one primitive: for a plan that makes another. `part` has
 * room for all; their number. */
uint32_t xli_tune_part(const xli_tune_wish *wish, unsigned primitive, xl_tunable *part);

#endif
