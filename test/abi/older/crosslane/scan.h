/* SPDX-License-Identifier: MIT
 * Frozen: the declarations of an older interface, in which each structure that may grow lacks its
 * last field. What is compiled with them must go on working. */
#ifndef CROSSLANE_SCAN_H
#define CROSSLANE_SCAN_H
#include <crosslane/context.h>
typedef struct xl_scan xl_scan;
typedef enum xl_scan_kind { XL_EXCLUSIVE = 0, XL_INCLUSIVE = 1 } xl_scan_kind;
typedef enum xl_scan_algorithm {
    XL_SCAN_AUTO = 0,
    XL_SCAN_LOOKBACK = 1,
    XL_SCAN_REDUCE_THEN_SCAN = 2,
    XL_SCAN_KOGGE_STONE = 3,
    XL_SCAN_BLELLOCH = 4
} xl_scan_algorithm;
typedef struct xl_scan_desc {
    uint32_t struct_size;
    uint32_t num_tunables;
    uint32_t type;
    uint32_t op;
    uint32_t kind;
    uint32_t algorithm;
    uint32_t determinism;
    uint32_t segments;
    uint32_t segment_type;
    uint32_t load_type;
    uint32_t store_type;
    uint32_t carry;
    const void *init;
    const xl_user_type *user_type;
    const xl_user_op *user_op;
    xl_view init_view;
    uint64_t segment_width;
    uint64_t segment_mask;
    const char *load;
    const char *store;
    const xl_user_type *user_load_type;
    const xl_user_type *user_store_type;
} xl_scan_desc;
typedef struct xl_scan_args {
    size_t n;
    xl_view n_device;
    xl_view in;
    xl_view segments;
    xl_view out;
    xl_view scratch;
    xl_view carry_in;
    xl_view carry_out;
} xl_scan_args;
XL_EXTERN_C_BEGIN
XL_API void xl_scan_desc_init_sized(xl_scan_desc *desc, size_t size);
XL_NODISCARD XL_API xl_status xl_scan_create(xl_context *ctx, const xl_scan_desc *desc,
                                             xl_scan **plan);
XL_NODISCARD XL_API xl_status xl_scan_scratch(const xl_scan *plan, size_t n, size_t *bytes,
                                              size_t *alignment);
XL_NODISCARD XL_API xl_status xl_scan_enqueue_sized(xl_scan *plan, cl_command_queue queue,
                                                    const xl_scan_args *args, size_t size,
                                                    cl_uint num_waits, const cl_event *waits,
                                                    cl_event *event);
XL_API xl_scan_algorithm xl_scan_algorithm_used(const xl_scan *plan, size_t n);
XL_API void xl_scan_destroy(xl_scan *plan);
XL_EXTERN_C_END
static inline void xl_scan_desc_init(xl_scan_desc *desc)
{
    xl_scan_desc_init_sized(desc, sizeof *desc);
}
XL_NODISCARD static inline xl_status xl_scan_enqueue(xl_scan *plan, cl_command_queue queue,
                                                     const xl_scan_args *args, cl_uint num_waits,
                                                     const cl_event *waits, cl_event *event)
{
    return xl_scan_enqueue_sized(plan, queue, args, sizeof *args, num_waits, waits, event);
}
#endif
