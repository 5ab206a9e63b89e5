/* SPDX-License-Identifier: MIT
 * The shape of a sort: how a problem is laid out on a device. A pure function of problem,
 * capabilities and tuning values: it calls no OpenCL and needs no device to be tested. */
#ifndef XLI_SORT_SHAPE_H
#define XLI_SORT_SHAPE_H

#include "element.h"

#include <crosslane/sort.h>

/* Arrays of values, at most. */
enum { XLI_SORT_VALUES = 1 + XL_SORT_MORE_VALUES };

/* A checked descriptor. */
typedef struct xli_sort_problem {
    xl_type key, value; /* of what travels with the keys: u32, of large sorts also u64, or XL_NONE:
                           keys alone */
    bool indices;       /* it is made: the keys' places */
    bool hides_indices; /* and in scratch */
    bool descending;
    bool stable;                      /* whatever is taken */
    xl_type segments;                 /* of the offsets where segments begin; XL_NONE: one */
    uint32_t begin_bit, end_bit;      /* that count */
    size_t num_gathered;              /* arrays that are gathered by the places */
    size_t gathered[XLI_SORT_VALUES]; /* bytes of their elements */
    xl_sort_algorithm algorithm;      /* as asked for */
    bool equal_zeros;                 /* -0 and +0 stay in order */
    bool values_only;                 /* the keys in order are not asked for */
    bool large;                       /* of more keys than 32 bits count */
    bool compares;                    /* a comparator orders the keys, which are elements */
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

/* How a radix sort goes: in three launches a pass, each work-item or each group with a chunk of the
 * keys (cl/sort/radix_*.cl), or in one (cl/sort/sort_onesweep.cl). */
typedef enum xli_radix_way {
    XLI_RADIX_NONE = 0,
    XLI_RADIX_CHUNKS = 1,
    XLI_RADIX_SWEEP = 2
} xli_radix_way;

/* How a group of a sort by samples holds a run, or what stands between two splitters: for few
 * elements, and for more of them. */
typedef struct xli_sample_size {
    uint32_t group, tile_log, items_log;
} xli_sample_size;
enum { XLI_SAMPLE_SIZES = 2 };

/* How a group of a radix sort holds a tile: work-items, 1: one walks a chunk; keys of each;
 * sub-groups, at most; of a sweep also the registers of a work-item, at most, 0: any, and the tiles
 * that it asks for at once. */
typedef struct xli_radix_size {
    uint32_t group, items, sub_groups, registers, depth;
} xli_radix_size;
enum { XLI_RADIX_SIZES = 2 };

typedef struct xli_sort_shape {
    xli_tune_sort tune;   /* as far as it fits */
    uint32_t group_size;  /* work-items of every launch; 1: one walks a tile */
    uint32_t tile_log;    /* elements of a tile, as the exponent of 2 */
    uint32_t sub_group;   /* as xli_sub_group_of() */
    uint32_t units;       /* compute units */
    uint32_t list_groups; /* at most, of a launch over the tiles of long segments */
    bool queue;           /* by one launch */
    bool bitonic;         /* what a call may take */
    size_t samples;       /* up to so many elements, by samples; 0: none */
    xli_sample_size sample[XLI_SAMPLE_SIZES];
    xli_radix_way radix;
    bool buckets;  /* by chunks: begins with the highest digit */
    uint32_t from; /* of so many keys on it is taken */
    /* Of up to so many keys a sweep takes the second size, of smaller tiles; 0: there is none. */
    size_t small_sweeps;
    xli_radix_size radix_size[XLI_RADIX_SIZES];
    uint32_t part_tiles;   /* of a launch of a large sweep */
    uint32_t gather_group; /* work-items where values are gathered */
} xli_sort_shape;

/* What kernels allow: work-items of a group. */
typedef struct xli_sort_limits {
    size_t most, most_radix[XLI_RADIX_SIZES], most_samples;
} xli_sort_limits;

void xli_sort_shape_of(const xli_sort_problem *problem, const xli_capabilities *capabilities,
                       const xli_tune_device *device, const xli_tune_sort *tune,
                       const xli_sort_limits *limits, xli_sort_shape *shape);

size_t xli_sort_tile(const xli_sort_shape *shape);

/* How often runs of tiles must be doubled to reach n. */
unsigned xli_sort_merges(const xli_sort_shape *shape, size_t n);

/* How many work-items of a launch of `groups` search for a merge-path partition, as a power of two
 * above them: a group of one has one. */
uint32_t xli_sort_search_log(const xli_sort_shape *shape, size_t groups);

/* Work-items of the larger group of a sort by samples. */
uint32_t xli_sort_sample_group(const xli_sort_shape *shape);

/* Whether a call of n elements is sorted by samples. */
bool xli_sort_by_samples(const xli_sort_shape *shape, size_t n);

/* How it cuts them (cl/sort/sort_samples.cl): runs of `length`, every `gap`-th key of which is a
 * sample; every `share`-th of these begins a bucket. What it knows of these, behind keys and values
 * in the scratch: samples, then splitters. Of one run there is no more to do, and gap is 0. */
typedef struct xli_sort_samples {
    size_t length, runs, gap, share, buckets;
    size_t splitters_at, bytes;
    unsigned size; /* of shape.sample */
} xli_sort_samples;
xli_sort_samples xli_sort_samples_of(const xli_sort_problem *problem, const xli_sort_shape *shape,
                                     size_t n);

/* Whether a call of n elements is sorted by digits. */
bool xli_sort_by_radix(const xli_sort_shape *shape, size_t n);

/* Which of shape.radix_size a radix sort of n keys takes. */
unsigned xli_sort_radix_size(const xli_sort_shape *shape, size_t n);

/* Keys of a tile of a radix sort of n keys by groups. */
size_t xli_sort_radix_tile(const xli_sort_shape *shape, size_t n);

/* A radix sort's chunks of neighbours: elements of one, and how many. Those of a sweep are counted
 * by a work-group each. */
typedef struct xli_sort_chunks {
    size_t elements, count;
} xli_sort_chunks;
xli_sort_chunks xli_sort_chunks_of(const xli_sort_shape *shape, size_t n);

/* Whether the last launch, of a sort whose keys nobody asked for, writes none. To make zeros equal
 * they are read once more. */
bool xli_sort_drops_keys(const xli_sort_problem *problem);

/* Whether not all bits of the keys count. */
bool xli_sort_has_range(const xli_sort_problem *problem);

/* Passes of a radix sort, at most. */
unsigned xli_sort_digits(const xli_sort_problem *problem);

/* Whether one work-item sorts n elements by digits. */
bool xli_sort_is_alone(const xli_sort_shape *shape, size_t n);

/* Of a sort that begins with the highest digit, elements of a bucket: at most, and beyond which it
 * is parted again. */
typedef struct xli_sort_buckets {
    size_t most, split;
} xli_sort_buckets;
xli_sort_buckets xli_sort_buckets_of(const xli_sort_problem *problem, const xli_sort_shape *shape,
                                     size_t n);

/* What a call with segments knows of them: windows of half a tile, and tiles of segments that are
 * longer, at most (cl/sort/segment_windows.cl). */
typedef struct xli_sort_segments {
    size_t windows, capacity;
    size_t slots, queue_words; /* cl/sort/segment_queue.cl */
    size_t state_bytes;
} xli_sort_segments;
xli_sort_segments xli_sort_segments_of(const xli_sort_shape *shape, size_t n);

/* Where in the scratch, in bytes, zeros' places are put into order; before these their keys. */
size_t xli_sort_zeros_places_at(const xli_sort_problem *problem, size_t n);

/* The scratch of a call: n keys, the values, and what a radix sort counts or what is known of
 * segments, in the place of which comes what is gathered in place; then the places of the keys, and
 * the keys that nobody asked for. SIZE_MAX bytes: more than that. */
typedef struct xli_sort_layout {
    size_t values_at, state_at, state_bytes, places_at, keys_at, bytes;
    bool has_keys; /* at keys_at */
} xli_sort_layout;
xli_sort_layout xli_sort_layout_of(const xli_sort_problem *problem, const xli_sort_shape *shape,
                                   size_t n);

#endif
