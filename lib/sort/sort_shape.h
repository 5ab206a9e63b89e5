/* SPDX-License-Identifier: MIT
 * The shape of a sort: how a problem is laid out on a device. A pure function of problem,
 * capabilities and tuning values: it calls no OpenCL and needs no device to be tested. */
#ifndef XLI_SORT_SHAPE_H
#define XLI_SORT_SHAPE_H

#include "element.h"

#include <crosslane/sort.h>

/* Most arrays of values. */
enum { XLI_SORT_VALUES = 1 + XL_MORE_VALUES };

/* A checked descriptor. */
typedef struct xli_sort_problem {
    xl_type key,
        value;    /* value: travels with the keys; u32, in a large sort also u64, or XL_NONE */
    bool indices; /* kernels make the values: the places of the keys */
    bool hides_indices; /* and store them in scratch */
    bool descending;
    bool stable;                      /* with any algorithm */
    xl_type segments;                 /* type of the offsets; XL_NONE: one segment */
    uint32_t begin_bit, end_bit;      /* bits that are compared */
    size_t num_gathered;              /* arrays that are gathered by the places */
    size_t gathered[XLI_SORT_VALUES]; /* bytes of their elements */
    xl_sort_algorithm algorithm;      /* that the caller chose */
    bool equal_zeros;                 /* -0 equals +0, and keys have both */
    bool keeps_signs;                 /* of such zeros, because keys are an output */
    bool values_only;                 /* the caller has no keys_out */
    bool large;                       /* n may exceed 32 bits */
    bool compares; /* a comparator orders the keys, which are of type `element` */
    xli_element element;
    const xl_user_comparator *comparator; /* borrowed while a plan is made */
} xli_sort_problem;

size_t xli_sort_key_bytes(const xli_sort_problem *problem);

/* The first array of the caller's values that is gathered: 0, or 1 if array 0 travels with the keys
 * or is made. */
static inline size_t xli_sort_first_gathered(const xli_sort_problem *problem)
{
    return problem->hides_indices ? 0 : 1;
}

/* A radix sort has three launches a pass, in which each work-item or each group takes a chunk of
 * the keys (cl/sort/radix_*.cl), or one launch, a sweep (cl/sort/sort_onesweep.cl). */
typedef enum xli_radix_way {
    XLI_RADIX_NONE = 0,
    XLI_RADIX_CHUNKS = 1,
    XLI_RADIX_SWEEP = 2
} xli_radix_way;

/* How a group of a sort by samples holds a run or a bucket. There is a size for few elements and
 * one for more. */
typedef struct xli_sample_size {
    uint32_t group, tile_log, items_log;
} xli_sample_size;
enum { XLI_SAMPLE_SIZES = 2 };

/* How a group of a radix sort holds a tile. */
typedef struct xli_radix_size {
    uint32_t group;      /* work-items; 1: one work-item loops over a chunk */
    uint32_t items;      /* keys of a work-item */
    uint32_t sub_groups; /* most sub-groups of the group */
    uint32_t registers;  /* sweep: most registers of a work-item; 0: any */
    uint32_t depth;      /* sweep: tiles that it reads descriptors of at once */
} xli_radix_size;
enum { XLI_RADIX_SIZES = 2 };

typedef struct xli_sort_shape {
    xli_tune_sort tune;   /* reduced to what fits the device */
    uint32_t group_size;  /* work-items of every launch; 1: one work-item loops over a tile */
    uint32_t tile_log;    /* elements of a tile, as the exponent of 2 */
    uint32_t sub_group;   /* as xli_sub_group_of() */
    uint32_t units;       /* compute units */
    uint32_t list_groups; /* most groups of a launch over the tiles of long segments */
    bool queue;           /* one launch sorts all long segments */
    bool bitonic;         /* some calls run the bitonic sort */
    size_t samples;       /* most elements of a sort by samples; 0: no call is sorted so */
    xli_sample_size sample[XLI_SAMPLE_SIZES];
    xli_radix_way radix;
    bool buckets;  /* chunks: begins with the highest digit */
    uint32_t from; /* fewest keys of a radix sort */
    /* Most keys of a sweep with the second size, which has smaller tiles; 0: no second size. */
    size_t small_sweeps;
    xli_radix_size radix_size[XLI_RADIX_SIZES];
    uint32_t part_tiles;   /* tiles of a launch of a large sweep */
    uint32_t gather_group; /* work-items of a group that gathers values */
} xli_sort_shape;

void xli_sort_shape_of(const xli_sort_problem *problem, const xli_capabilities *capabilities,
                       const xli_tune_device *device, const xli_tune_sort *tune,
                       xli_sort_shape *shape);

size_t xli_sort_tile(const xli_sort_shape *shape);

/* The number of times that a tile must be doubled to reach n. */
unsigned xli_sort_merges(const xli_sort_shape *shape, size_t n);

/* The number of work-items that search for a merge-path partition in a launch of `groups`, as the
 * exponent of 2. */
uint32_t xli_sort_search_log(const xli_sort_shape *shape, size_t groups);

/* Whether a call of n elements is sorted by samples. */
bool xli_sort_by_samples(const xli_sort_shape *shape, size_t n);

/* How it divides them (cl/sort/sort_samples.cl): into runs of `length`. Every `gap`-th key of a run
 * is a sample, and every `share`-th sample begins a bucket. `bytes` of scratch hold samples and,
 * from splitters_at on, splitters. With a single run, gap is 0 and there are no buckets. */
typedef struct xli_sort_samples {
    size_t length, runs, gap, share, buckets;
    size_t splitters_at, bytes;
    unsigned size; /* of shape.sample */
} xli_sort_samples;
xli_sort_samples xli_sort_samples_of(const xli_sort_problem *problem, const xli_sort_shape *shape,
                                     size_t n);

/* Whether a call of n elements runs the radix sort. */
bool xli_sort_by_radix(const xli_sort_shape *shape, size_t n);

/* The index in shape.radix_size of the size for n keys. */
unsigned xli_sort_radix_size(const xli_sort_shape *shape, size_t n);

/* Keys of a tile, for a radix sort of n keys. */
size_t xli_sort_radix_tile(const xli_sort_shape *shape, size_t n);

/* The chunks of a radix sort: adjacent elements. A work-group of a sweep counts the digits of one.
 */
typedef struct xli_sort_chunks {
    size_t elements, count;
} xli_sort_chunks;
xli_sort_chunks xli_sort_chunks_of(const xli_sort_shape *shape, size_t n);

/* Whether only some bits of the keys are compared. */
bool xli_sort_has_range(const xli_sort_problem *problem);

/* Most passes of a radix sort. */
unsigned xli_sort_digits(const xli_sort_problem *problem);

/* Whether a single work-item sorts n elements by digits. */
bool xli_sort_is_alone(const xli_sort_shape *shape, size_t n);

/* Buckets by the highest digit: the most elements of one, and the number of elements above which a
 * bucket is divided again. */
typedef struct xli_sort_buckets {
    size_t most, split;
} xli_sort_buckets;
xli_sort_buckets xli_sort_buckets_of(const xli_sort_problem *problem, const xli_sort_shape *shape,
                                     size_t n);

/* Bounds for the segments of a call: the windows, each half a tile, and the most
 * tiles of segments that are longer (cl/sort/segment_windows.cl). */
typedef struct xli_sort_segments {
    size_t windows, capacity;
    size_t slots, queue_words; /* cl/sort/segment_queue.cl */
    size_t state_bytes;
} xli_sort_segments;
xli_sort_segments xli_sort_segments_of(const xli_sort_shape *shape, size_t n);

/* The scratch of a call: n keys, the values, and the state of a sort; after the sort the same bytes
 * hold values that are gathered in place. Behind them are the places of the keys, the sorted
 * keys if the caller wants none, and the signs of zeros. SIZE_MAX bytes: too many for a size_t. */
typedef struct xli_sort_layout {
    size_t values_at, state_at, state_bytes, places_at, keys_at, signs_at, bytes;
    bool has_keys; /* sorted keys are at keys_at */
} xli_sort_layout;
xli_sort_layout xli_sort_layout_of(const xli_sort_problem *problem, const xli_sort_shape *shape,
                                   size_t n);

#endif
