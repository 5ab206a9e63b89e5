/* SPDX-License-Identifier: MIT
 * Merges two sorted arrays of keys, or of keys with values, into one, or many sorted runs of one
 * array; or makes the union, intersection or difference of two. The simplest use:
 *
 *     xl_merge_desc desc;
 *     xl_merge_desc_init(&desc);  // ascending u32 keys, no values
 *     desc.key = XL_F32;
 *     xl_merge_create(ctx, &desc, &plan);
 *     xl_merge_args args = {.n_a = n_a, .n_b = n_b, .keys_a = a, .keys_b = b, .keys_out = out};
 *     xl_merge_enqueue(plan, queue, &args, 0, NULL, NULL);
 *     xl_plan_destroy(plan);
 *
 * docs/merge-and-search.md has a complete example.
 *
 * Sources: merge path, which finds the inputs of each part of the output, so that all parts are
 * merged at once (Odeh, Green et al., "Merge path - parallel merging made simple", IPDPS workshops
 * 2012; on GPUs Green, McColl and Bader, "GPU merge path", ICS 2012). For set operations the
 * balanced path, whose parts keep pairs of equal keys together (Baxter, "Modern GPU", 2013). */
#ifndef CROSSLANE_MERGE_H
#define CROSSLANE_MERGE_H

#include <crosslane/sort.h>

/* The result of a call on sorted arrays a and b. Each operation takes the elements, keys with their
 * values, that the named C++ function takes. If a key occurs m times in a and n times in b, it
 * occurs in the result: */
typedef enum xl_merge_operation {
    XL_MERGE_ALL = 0,          /* std::merge: m + n times, first all of a, then all of b */
    XL_MERGE_UNION = 1,        /* std::set_union: max(m, n) times, all of a, then the last
                                  max(n - m, 0) of b */
    XL_MERGE_INTERSECTION = 2, /* std::set_intersection: min(m, n) times, the first ones of a */
    XL_MERGE_DIFFERENCE = 3    /* std::set_difference: max(m - n, 0) times, the last ones of a */
} xl_merge_operation;

/* Describes a merge. Start from xl_merge_desc_init(). Floating-point keys are ordered as by xl_sort
 * (xl_sort_desc). */
typedef struct xl_merge_desc {
    uint32_t version; /* set by xl_merge_desc_init() */

    uint32_t key;   /* xl_type: any built-in scalar, even if the device does not compute with it */
    uint32_t value; /* the element that travels with each key: a built-in xl_type, XL_BYTES() or
                       XL_NONE */
    uint32_t more_values[XL_MORE_VALUES]; /* further arrays of values, up to the first XL_NONE:
                                             as value */

    uint32_t operation; /* xl_merge_operation */

    uint32_t order;       /* xl_sort_order of both inputs and of the output */
    uint32_t equal_zeros; /* 1: floating-point -0 and +0 are equal; 0: -0 comes before +0. Keys keep
                             their bits. No effect on integers */

    uint32_t num_tunables; /* elements of tunables */
    /* NULL, or values of merge.* for this plan (xl_tunable in types.h) */
    const xl_tunable *tunables;
} xl_merge_desc;

/* The arrays of a call. Inputs may overlap each other. An output must overlap no other array.
 * Outputs must have room for this number of elements, `room`, also with n_a_device: n_a + n_b for
 * XL_MERGE_ALL and XL_MERGE_UNION, min(n_a, n_b) for XL_MERGE_INTERSECTION, n_a for
 * XL_MERGE_DIFFERENCE. Elements behind the result are not written. */
typedef struct xl_merge_args {
    size_t n_a, n_b; /* keys of either input, together at most 2^48 - 1 for XL_MERGE_ALL and
                        2^32 - 1 for the others; may be 0 */

    /* 0: the inputs are a and b. Above 0, for XL_MERGE_ALL only: the inputs are num_runs sorted
     * runs of keys_a, which have n_a keys together. n_b is 0; n_a_device, n_b_device, keys_b,
     * values_b and more_values_b are not given */
    size_t num_runs;
    /* NULL if num_runs is 0; else num_runs + 1 numbers in host memory, ascending, from 0 to n_a,
     * read during the call: run k is keys_a[runs[k]] to keys_a[runs[k + 1] - 1]. Equal numbers: an
     * empty run */
    const size_t *runs;

    xl_view n_a_device; /* optional: one u64, the keys of a, read when the call runs. The call takes
                           min(n_a, it) keys */
    xl_view n_b_device; /* optional: the same for b */
    xl_view keys_a;     /* n_a sorted keys */
    xl_view values_a;   /* n_a values; not given for XL_NONE */
    xl_view more_values_a[XL_MORE_VALUES]; /* n_a values for each of desc.more_values */
    xl_view keys_b;                        /* n_b sorted keys */
    xl_view values_b; /* n_b values; not given for XL_NONE, XL_MERGE_INTERSECTION and
                         XL_MERGE_DIFFERENCE */
    xl_view more_values_b[XL_MORE_VALUES]; /* n_b values, if values_b is given */
    xl_view keys_out;                      /* room keys */
    xl_view values_out;                    /* room values; not given for XL_NONE */
    xl_view more_values_out[XL_MORE_VALUES];
    xl_view count_out; /* one u64, the elements of the result; required except for XL_MERGE_ALL,
                          where it is not given: the result has all elements of a and b */
    xl_view scratch;   /* not given, or xl_merge_scratch() bytes */
} xl_merge_args;

XL_EXTERN_C_BEGIN

/* The calls: crosslane/plan.h states their rules and errors. */
#define xl_merge_desc_init(desc) xl_merge_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_merge_desc_init_version(xl_merge_desc *desc, uint32_t version);

XL_NODISCARD XL_API xl_status xl_merge_create(xl_context *ctx, const xl_merge_desc *desc,
                                              xl_plan **plan);

/* Scratch, by n_a, n_b and num_runs. XL_MERGE_ALL: 0 bytes on CPUs and for few keys
 * (merge.search_tiles tiles); else 8 bytes a tile. Others: 12 bytes a tile.
 * If num_runs is above 2, it also holds one more copy of keys_a, values_a and more_values_a. */
XL_NODISCARD XL_API xl_status xl_merge_scratch(const xl_plan *plan, const xl_merge_args *args,
                                               size_t *bytes);

/* Stable: equal keys of a come before those of b, equal keys of one run before those of the next
 * one, and equal keys of one input or run stay in order. If an input or a run is not sorted, the
 * output is an unspecified selection of input elements, count_out is at most the room, and nothing
 * else is written.
 *
 * Runs are merged in pairs of neighbours: num_runs - 1 merges, one after the other, each of one or
 * two launches. If the runs have equal lengths, each element is moved log2(num_runs) times. If runs
 * have fewer than about 2^13 elements, or there are more than about 64, a stable xl_sort() of keys_a
 * is faster: docs/merge-and-search.md has figures. */
XL_NODISCARD XL_API xl_status xl_merge_enqueue(xl_plan *plan, cl_command_queue queue,
                                               const xl_merge_args *args, cl_uint num_waits,
                                               const cl_event *waits, cl_event *event);

XL_EXTERN_C_END

#endif
