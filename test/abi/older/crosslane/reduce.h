/* SPDX-License-Identifier: MIT
 * Frozen: the declarations of an older interface, in which each structure that may grow lacks its
 * last field. What is compiled with them must go on working. */
#ifndef CROSSLANE_REDUCE_H
#define CROSSLANE_REDUCE_H
#include <crosslane/context.h>
typedef struct xl_reduce xl_reduce;
typedef struct xl_reduce_desc {
    uint32_t struct_size;
    uint32_t num_tunables;
    uint32_t type;
    uint32_t op;
    uint32_t determinism;
    uint32_t segments;
    uint32_t segment_type;
    uint32_t load_type;
    uint32_t store_type;
    const void *init;
    const xl_user_type *user_type;
    const xl_user_op *user_op;
    uint64_t segment_width;
    uint64_t segment_mask;
    const char *load;
    const char *store;
    const xl_user_type *user_load_type;
    const xl_user_type *user_store_type;
} xl_reduce_desc;
typedef struct xl_reduce_args {
    size_t n;
    xl_view n_device;
    xl_view in;
    xl_view segments;
    xl_view out;
    xl_view keys_out;
    xl_view num_segments_out;
} xl_reduce_args;
XL_EXTERN_C_BEGIN
XL_API void xl_reduce_desc_init_sized(xl_reduce_desc *desc, size_t size);
XL_NODISCARD XL_API xl_status xl_reduce_create(xl_context *ctx, const xl_reduce_desc *desc,
                                               xl_reduce **plan);
XL_NODISCARD XL_API xl_status xl_reduce_scratch(const xl_reduce *plan, size_t n, size_t *bytes,
                                                size_t *alignment);
XL_NODISCARD XL_API xl_status xl_reduce_enqueue_sized(xl_reduce *plan, cl_command_queue queue,
                                                      const xl_reduce_args *args, size_t size,
                                                      cl_uint num_waits, const cl_event *waits,
                                                      cl_event *event);
XL_API void xl_reduce_destroy(xl_reduce *plan);
XL_EXTERN_C_END
static inline void xl_reduce_desc_init(xl_reduce_desc *desc)
{
    xl_reduce_desc_init_sized(desc, sizeof *desc);
}
XL_NODISCARD static inline xl_status xl_reduce_enqueue(xl_reduce *plan, cl_command_queue queue,
                                                       const xl_reduce_args *args,
                                                       cl_uint num_waits, const cl_event *waits,
                                                       cl_event *event)
{
    return xl_reduce_enqueue_sized(plan, queue, args, sizeof *args, num_waits, waits, event);
}
#endif
