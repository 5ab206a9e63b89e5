/* SPDX-License-Identifier: MIT
 * Frozen: the declarations of an older interface, in which each structure that may grow lacks its
 * last field. What is compiled with them must go on working. */
#ifndef CROSSLANE_GRID_H
#define CROSSLANE_GRID_H
#include <crosslane/context.h>
typedef struct xl_grid xl_grid;
typedef struct xl_grid_index xl_grid_index;
typedef struct xl_neighbors xl_neighbors;
typedef enum xl_grid_algorithm {
    XL_GRID_AUTO = 0,
    XL_GRID_COUNTING = 1,
    XL_GRID_BITONIC = 2
} xl_grid_algorithm;
typedef enum xl_neighbors_queries {
    XL_QUERIES_INDEXED = 0,
    XL_QUERIES_GIVEN = 1
} xl_neighbors_queries;
typedef struct xl_grid_desc {
    uint32_t struct_size;
    uint32_t num_tunables;
    uint32_t dimensions;
    uint32_t scalar;
    uint32_t stride;
    float cell_size;
    uint32_t bounded;
    float lower[3];
    float upper[3];
    uint32_t algorithm;
    uint32_t periodic;
} xl_grid_desc;
typedef struct xl_grid_report {
    uint32_t struct_size;
    uint32_t sparse;
    uint64_t points;
    uint64_t non_finite;
    uint64_t first_non_finite;
    uint64_t out_of_domain;
    uint64_t first_out_of_domain;
    float lower[3];
    float upper[3];
    uint32_t cells[3];
} xl_grid_report;
typedef struct xl_neighbors_desc {
    uint32_t struct_size;
    uint32_t num_tunables;
    float radius;
    uint32_t inclusive;
    uint32_t include_self;
    uint32_t sorted;
    uint32_t periodic;
    uint32_t queries;
    uint32_t dimensions;
    uint32_t query_stride;
    uint32_t radii;
    const char *visit;
} xl_neighbors_desc;
typedef struct xl_grid_build_args {
    size_t n;
    xl_view points;
} xl_grid_build_args;
typedef struct xl_grid_reorder_args {
    size_t element_bytes;
    xl_view in, out;
} xl_grid_reorder_args;
typedef struct xl_neighbors_count_args {
    xl_view counts;
    xl_view offsets;
    xl_view scratch;
    size_t num_queries;
    xl_view queries;
} xl_neighbors_count_args;
typedef struct xl_neighbors_fill_args {
    uint64_t capacity;
    xl_view offsets;
    xl_view indices;
    size_t num_queries;
    xl_view queries;
} xl_neighbors_fill_args;
typedef struct xl_neighbors_visit_args {
    float start;
    float params[4];
    xl_view out;
    size_t num_queries;
    xl_view queries;
} xl_neighbors_visit_args;
XL_EXTERN_C_BEGIN
XL_API void xl_grid_desc_init_sized(xl_grid_desc *desc, size_t size);
XL_NODISCARD XL_API xl_status xl_grid_create(xl_context *ctx, const xl_grid_desc *desc,
                                             xl_grid **grid);
XL_NODISCARD XL_API xl_status xl_grid_scratch(const xl_grid *grid, size_t n, size_t *bytes,
                                              size_t *alignment);
XL_NODISCARD XL_API xl_status xl_grid_index_create(xl_context *ctx, xl_grid_index **index);
XL_API void xl_grid_index_destroy(xl_grid_index *index);
XL_NODISCARD XL_API xl_status xl_grid_build_enqueue_sized(xl_grid *grid, xl_grid_index *index,
                                                          cl_command_queue queue,
                                                          const xl_grid_build_args *args,
                                                          size_t size, cl_uint num_waits,
                                                          const cl_event *waits, cl_event *event);
XL_NODISCARD XL_API xl_status xl_grid_index_status_sized(xl_grid_index *index,
                                                         cl_command_queue queue,
                                                         xl_grid_report *report, size_t size,
                                                         cl_uint num_waits, const cl_event *waits);
XL_NODISCARD XL_API xl_status xl_grid_reorder_enqueue_sized(xl_grid *grid, xl_grid_index *index,
                                                            cl_command_queue queue,
                                                            const xl_grid_reorder_args *args,
                                                            size_t size, cl_uint num_waits,
                                                            const cl_event *waits, cl_event *event);
XL_API void xl_grid_destroy(xl_grid *grid);
XL_API void xl_neighbors_desc_init_sized(xl_neighbors_desc *desc, size_t size);
XL_NODISCARD XL_API xl_status xl_neighbors_create(xl_context *ctx, const xl_neighbors_desc *desc,
                                                  xl_neighbors **plan);
XL_NODISCARD XL_API xl_status xl_neighbors_scratch(const xl_neighbors *plan, size_t n,
                                                   size_t *bytes, size_t *alignment);
XL_NODISCARD XL_API xl_status
xl_neighbors_count_enqueue_sized(xl_neighbors *plan, xl_grid_index *index, cl_command_queue queue,
                                 const xl_neighbors_count_args *args, size_t size,
                                 cl_uint num_waits, const cl_event *waits, cl_event *event);
XL_NODISCARD XL_API xl_status
xl_neighbors_fill_enqueue_sized(xl_neighbors *plan, xl_grid_index *index, cl_command_queue queue,
                                const xl_neighbors_fill_args *args, size_t size, cl_uint num_waits,
                                const cl_event *waits, cl_event *event);
XL_NODISCARD XL_API xl_status
xl_neighbors_visit_enqueue_sized(xl_neighbors *plan, xl_grid_index *index, cl_command_queue queue,
                                 const xl_neighbors_visit_args *args, size_t size,
                                 cl_uint num_waits, const cl_event *waits, cl_event *event);
XL_API void xl_neighbors_destroy(xl_neighbors *plan);
XL_EXTERN_C_END
static inline void xl_grid_desc_init(xl_grid_desc *desc)
{
    xl_grid_desc_init_sized(desc, sizeof *desc);
}
XL_NODISCARD static inline xl_status xl_grid_build_enqueue(xl_grid *grid, xl_grid_index *index,
                                                           cl_command_queue queue,
                                                           const xl_grid_build_args *args,
                                                           cl_uint num_waits, const cl_event *waits,
                                                           cl_event *event)
{
    return xl_grid_build_enqueue_sized(grid, index, queue, args, sizeof *args, num_waits, waits,
                                       event);
}
XL_NODISCARD static inline xl_status xl_grid_index_status(xl_grid_index *index,
                                                          cl_command_queue queue,
                                                          xl_grid_report *report, cl_uint num_waits,
                                                          const cl_event *waits)
{
    return xl_grid_index_status_sized(index, queue, report, sizeof *report, num_waits, waits);
}
XL_NODISCARD static inline xl_status xl_grid_reorder_enqueue(xl_grid *grid, xl_grid_index *index,
                                                             cl_command_queue queue,
                                                             const xl_grid_reorder_args *args,
                                                             cl_uint num_waits,
                                                             const cl_event *waits, cl_event *event)
{
    return xl_grid_reorder_enqueue_sized(grid, index, queue, args, sizeof *args, num_waits, waits,
                                         event);
}
static inline void xl_neighbors_desc_init(xl_neighbors_desc *desc)
{
    xl_neighbors_desc_init_sized(desc, sizeof *desc);
}
XL_NODISCARD static inline xl_status
xl_neighbors_count_enqueue(xl_neighbors *plan, xl_grid_index *index, cl_command_queue queue,
                           const xl_neighbors_count_args *args, cl_uint num_waits,
                           const cl_event *waits, cl_event *event)
{
    return xl_neighbors_count_enqueue_sized(plan, index, queue, args, sizeof *args, num_waits,
                                            waits, event);
}
XL_NODISCARD static inline xl_status
xl_neighbors_fill_enqueue(xl_neighbors *plan, xl_grid_index *index, cl_command_queue queue,
                          const xl_neighbors_fill_args *args, cl_uint num_waits,
                          const cl_event *waits, cl_event *event)
{
    return xl_neighbors_fill_enqueue_sized(plan, index, queue, args, sizeof *args, num_waits, waits,
                                           event);
}
XL_NODISCARD static inline xl_status
xl_neighbors_visit_enqueue(xl_neighbors *plan, xl_grid_index *index, cl_command_queue queue,
                           const xl_neighbors_visit_args *args, cl_uint num_waits,
                           const cl_event *waits, cl_event *event)
{
    return xl_neighbors_visit_enqueue_sized(plan, index, queue, args, sizeof *args, num_waits,
                                            waits, event);
}
#endif
