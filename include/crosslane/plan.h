/* SPDX-License-Identifier: MIT
 * Plans. A plan is a primitive made ready for one device: the checked descriptor, the layout of the
 * work and the compiled kernels. Each primitive has the same four calls, here for xl_scan:
 *
 *     xl_scan_desc desc;
 *     xl_scan_desc_init(&desc);                            the defaults; then set fields
 *     xl_scan_create(ctx, &desc, &plan);                   checks and compiles
 *     xl_scan_scratch(plan, &args, &bytes);                optional: memory of the caller's
 *     xl_scan_enqueue(plan, queue, &args, 0, NULL, NULL);  any number of times
 *
 * ctx is made by xl_context_create() (crosslane/context.h); NULL is an error here. The queue is the
 * caller's, of the context's device. crosslane/scan.h states the rules and the errors of all calls.
 * and all plans end with xl_plan_destroy(). xl_grid and xl_neighbors have more calls: see their
 * headers.
 *
 * Versions: xl_X_desc_init() is a macro that stores the version of the caller's headers in
 * desc.version. The library reads the descriptor, and later the argument structures of its plan, as
 * that version laid them out. So structures may grow at their ends. */
#ifndef CROSSLANE_PLAN_H
#define CROSSLANE_PLAN_H

#include <crosslane/context.h>

/* A plan of any primitive. Threads may share it. */
typedef struct xl_plan xl_plan;

/* Scratch that a caller gives must start at a multiple of this many bytes. */
#define XL_SCRATCH_ALIGNMENT 256

/* How a plan runs a call: for tuning and for reports. A field that does not apply is 0. */
typedef struct xl_plan_details {
    uint32_t sub_group_size;  /* work-items that exchange values without local memory; 0: none do */
    uint32_t work_group_size; /* work-items in a group */
    uint32_t item_elements;   /* elements that a work-item holds at once; 0: it loops over a tile */
    uint64_t tile_elements;   /* elements that a group processes at a time */
    char algorithm[32];       /* "look-back", "bitonic", "counting", ...: the primitive's page lists
                                 its names */
} xl_plan_details;

XL_EXTERN_C_BEGIN

/* Describes how `plan` runs a call with n elements; for a merge n is n_a + n_b, for a search the
 * queries (XL_SEARCH_UNSORTED: the keys), for a neighbour search the points or queries. Does not
 * block.
 * XL_ERROR_INVALID_ARGUMENT: a NULL. */
XL_NODISCARD XL_API xl_status xl_plan_info(const xl_plan *plan, size_t n, xl_plan_details *details);

/* The context of a plan; NULL for NULL. Borrowed: valid as long as the plan. */
XL_API xl_context *xl_plan_context(const xl_plan *plan);

/* Destroys a plan; must be the last call on it. NULL is ignored. Does not block: enqueued work
 * still completes. */
XL_API void xl_plan_destroy(xl_plan *plan);

XL_EXTERN_C_END

#endif
