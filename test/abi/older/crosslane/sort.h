/* SPDX-License-Identifier: MIT
 * Frozen: the declarations of an older interface, in which each structure that may grow lacks its
 * last field. What is compiled with them must go on working. */
#ifndef CROSSLANE_SORT_H
#define CROSSLANE_SORT_H
#include <crosslane/context.h>
typedef struct xl_sort xl_sort;
typedef enum xl_sort_order { XL_ASCENDING = 0, XL_DESCENDING = 1 } xl_sort_order;
typedef enum xl_sort_algorithm { XL_SORT_AUTO = 0, XL_SORT_BITONIC = 1 } xl_sort_algorithm;
typedef struct xl_sort_desc {
    uint32_t struct_size;
    uint32_t num_tunables;
    uint32_t key;
    uint32_t value;
    uint32_t order;
    uint32_t algorithm;
} xl_sort_desc;
typedef struct xl_sort_args {
    size_t n;
    xl_view keys_in;
    xl_view values_in;
    xl_view keys_out;
    xl_view values_out;
} xl_sort_args;
XL_EXTERN_C_BEGIN
XL_API void xl_sort_desc_init_sized(xl_sort_desc *desc, size_t size);
XL_NODISCARD XL_API xl_status xl_sort_create(xl_context *ctx, const xl_sort_desc *desc,
                                             xl_sort **plan);
XL_NODISCARD XL_API xl_status xl_sort_scratch(const xl_sort *plan, size_t n, size_t *bytes,
                                              size_t *alignment);
XL_NODISCARD XL_API xl_status xl_sort_enqueue_sized(xl_sort *plan, cl_command_queue queue,
                                                    const xl_sort_args *args, size_t size,
                                                    cl_uint num_waits, const cl_event *waits,
                                                    cl_event *event);
XL_API void xl_sort_destroy(xl_sort *plan);
XL_EXTERN_C_END
static inline void xl_sort_desc_init(xl_sort_desc *desc)
{
    xl_sort_desc_init_sized(desc, sizeof *desc);
}
XL_NODISCARD static inline xl_status xl_sort_enqueue(xl_sort *plan, cl_command_queue queue,
                                                     const xl_sort_args *args, cl_uint num_waits,
                                                     const cl_event *waits, cl_event *event)
{
    return xl_sort_enqueue_sized(plan, queue, args, sizeof *args, num_waits, waits, event);
}
#endif
