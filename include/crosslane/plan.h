/* SPDX-License-Identifier: MIT
 * Plans, and the rules of all calls. A plan is a primitive made ready for one device: the checked
 * descriptor, the layout of the work and the compiled kernels. Each primitive X has the same calls,
 * here for xl_scan:
 *
 *     xl_scan_desc desc;
 *     xl_scan_desc_init(&desc);                            the defaults; then set fields
 *     xl_scan_create(ctx, &desc, &plan);                   checks and compiles
 *     xl_scan_scratch(plan, &args, &bytes);                optional: memory of the caller's
 *     xl_scan_enqueue(plan, queue, &args, 0, NULL, NULL);  any number of times
 *     xl_plan_destroy(plan);
 *
 * Each header states what its primitive adds to the rules below. xl_grid and xl_neighbors have more
 * calls.
 *
 * xl_X_desc_init(&desc) stores the defaults, and the version of the caller's headers in
 *     desc.version. The library reads the descriptor, and later the argument structures of its
 *     plan, as that version laid them out. So structures may grow at their ends. NULL is ignored.
 *
 * xl_X_create(ctx, &desc, &plan) makes a plan. It blocks: it compiles the plan's kernels or loads
 *     them from the cache. ctx is made by xl_context_create() (crosslane/context.h); the plan
 *     retains it. Strings and arrays of the descriptor are copied. On failure *plan is NULL. May be
 *     called from any thread.
 *     XL_ERROR_INVALID_ARGUMENT: a NULL; a field has an unknown value, or contradicts another one.
 *     XL_ERROR_UNSUPPORTED: the device lacks something that the type or the algorithm needs.
 *     XL_ERROR_BUILD: the device's compiler refuses the caller's text; xl_context_error() has its
 *     log.
 *     XL_ERROR_OUT_OF_MEMORY, XL_ERROR_OPENCL: there is no memory, or an OpenCL call failed.
 *
 * xl_X_scratch(plan, &args, &bytes) stores in *bytes the scratch that a call with the sizes of args
 *     needs; it is enough for smaller sizes, too. If it is 0, leave scratch out: the call allocates
 *     nothing either. Other arguments are ignored. Does not block.
 *     XL_ERROR_INVALID_ARGUMENT: a NULL, a plan of another primitive, or more bytes than a size_t
 *     counts.
 *
 * xl_X_enqueue(plan, queue, &args, num_waits, waits, &event) enqueues the work. It never waits for
 *     the device, and allocates nothing if scratch is given. Before it enqueues, it builds what this
 *     call needs and the plan lacks: see xl_plan_prepare(). args is not needed after the call. May
 *     be called from any thread.
 *     queue    in order or out of order, of the plan's context and device
 *     args     a view that is left out (all zeros) is not given. args.scratch, if given: the bytes
 *              that xl_X_scratch() says; its offset is in bytes, a multiple of
 *              XL_SCRATCH_ALIGNMENT; it overlaps no other view. Calls with different scratch may
 *              run at the same time. If scratch is not given, the call uses the plan's own, which
 *              grows on demand. Calls that use it run one after another, on any queues: each waits
 *              for the one before, and fails if that one fails before it ends
 *     waits    num_waits events to wait for, or 0 and NULL. If one of them fails, nothing of the
 *              call runs and `event` fails, too. If one has failed before: XL_ERROR_OPENCL
 *     event    NULL, or receives an event that completes when all of the work has, also if there is
 *              none. The caller releases it. On failure it is NULL
 *     A call that is refused writes nothing. If OpenCL fails halfway, a part of the outputs may be
 *     written.
 *     XL_ERROR_INVALID_ARGUMENT: a NULL; a plan of another primitive; a view that is too short, not
 *     of a buffer of this context, or of one whose flags (CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY)
 *     forbid its use; a view that is missing or must not be given; CSR offsets without their count;
 *     a queue or an event of another context.
 *     XL_ERROR_OVERLAP: views overlap that must not.
 *     XL_ERROR_SCRATCH_TOO_SMALL, XL_ERROR_MISALIGNED: see scratch.
 *     XL_ERROR_OUT_OF_MEMORY: no memory for the plan's own scratch, or in OpenCL.
 *     XL_ERROR_OPENCL: an OpenCL call failed. */
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

/* Builds the programs that a call needs and that `plan` does not have yet: such an enqueue then
 * compiles nothing. `args`: the structure that xl_X_scratch() takes; only its sizes are read, and of
 * a scan the views `in` and `out`. An enqueue prepares itself, so this call only moves the time of
 * compiling, up to seconds where no cache has the programs. Creation builds what every call of a plan
 * needs, and compiles the caller's text. A sort without segments and comparator chooses among several
 * algorithms by n. A scan by look-back chooses among programs for many elements, for few, and in
 * place, and on some devices others for arrays that are not aligned to 16 bytes. Each is built at
 * its first use. Preparing a scan without views builds those for in place and for out of place.
 * Blocks while it compiles. Threads may call it at once: a program is built once.
 * XL_ERROR_INVALID_ARGUMENT: a NULL or a size that the call does not take. Others: as creation. */
XL_NODISCARD XL_API xl_status xl_plan_prepare(xl_plan *plan, const void *args);

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
