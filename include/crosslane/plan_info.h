/* SPDX-License-Identifier: MIT
 * What a plan took of the values that it could choose from (xl_plan_info in types.h): for
 * people who tune, and for reports. */
#ifndef CROSSLANE_PLAN_INFO_H
#define CROSSLANE_PLAN_INFO_H

#include <crosslane/histogram.h>
#include <crosslane/knn.h>
#include <crosslane/knn_approximate.h>
#include <crosslane/merge.h>
#include <crosslane/morton.h>
#include <crosslane/neighbors.h>
#include <crosslane/reduce.h>
#include <crosslane/scan.h>
#include <crosslane/search.h>
#include <crosslane/select.h>
#include <crosslane/sort.h>
#include <crosslane/topk.h>
#include <crosslane/transform.h>

XL_EXTERN_C_BEGIN

/* Fills in `size` bytes of *info, of a call with n elements. Pure; does not block. The functions
 * below pass the size that the caller was compiled with. XL_ERROR_INVALID_ARGUMENT: a NULL, or a
 * size that is no structure's.
 *
 *   scan        algorithm "look-back", "reduce-then-scan", "kogge-stone", "blelloch"
 *   reduction   "reduce-then-fold"
 *   sort        "bitonic", "samples", "radix"
 *   top-k       "radix select"; the tile is a chunk, whose keys are counted together
 *   selection   "look-back", "reduce-then-scan"; of XL_SELECT_REPEAT "merge-path", n runs
 *   grid        "counting", "bitonic"; group, item and tile are those of the kernels that read the
 *               points; the scan or the sort inside has its own
 *   neighbours  "cells"; elements are points that are searched from
 *   nearest     "growing reach", approximate ones "shifted sorting"; elements are points that are
 *               searched from
 *   merge       "merge-path"; n is that of the result
 *   search      "binary-search", n queries; of XL_SEARCH_UNSORTED "chunks", n keys
 *   histogram   "private counters": of each work-group or work-item its own; "shared counters": the
 *               bins themselves; the tile is a chunk
 *   codes       "map", of Morton codes
 *   transform   "map", also of neighbours; "move", which has no tile */
XL_NODISCARD XL_API xl_status xl_scan_info_sized(const xl_scan *plan, size_t n, xl_plan_info *info,
                                                 size_t size);
XL_NODISCARD XL_API xl_status xl_reduce_info_sized(const xl_reduce *plan, size_t n,
                                                   xl_plan_info *info, size_t size);
XL_NODISCARD XL_API xl_status xl_sort_info_sized(const xl_sort *plan, size_t n, xl_plan_info *info,
                                                 size_t size);
XL_NODISCARD XL_API xl_status xl_topk_info_sized(const xl_topk *plan, size_t n, xl_plan_info *info,
                                                 size_t size);
XL_NODISCARD XL_API xl_status xl_grid_info_sized(const xl_grid *grid, size_t n, xl_plan_info *info,
                                                 size_t size);
XL_NODISCARD XL_API xl_status xl_neighbors_info_sized(const xl_neighbors *plan, size_t n,
                                                      xl_plan_info *info, size_t size);
XL_NODISCARD XL_API xl_status xl_knn_info_sized(const xl_knn *plan, size_t n, xl_plan_info *info,
                                                size_t size);
XL_NODISCARD XL_API xl_status xl_merge_info_sized(const xl_merge *plan, size_t n,
                                                  xl_plan_info *info, size_t size);

XL_NODISCARD XL_API xl_status xl_select_info_sized(const xl_select *plan, size_t n,
                                                   xl_plan_info *info, size_t size);
XL_NODISCARD XL_API xl_status xl_search_info_sized(const xl_search *plan, size_t n,
                                                   xl_plan_info *info, size_t size);
XL_NODISCARD XL_API xl_status xl_histogram_info_sized(const xl_histogram *plan, size_t n,
                                                      xl_plan_info *info, size_t size);
XL_NODISCARD XL_API xl_status xl_transform_info_sized(const xl_transform *plan, size_t n,
                                                      xl_plan_info *info, size_t size);
XL_NODISCARD XL_API xl_status xl_morton_info_sized(const xl_morton *plan, size_t n,
                                                   xl_plan_info *info, size_t size);

XL_NODISCARD XL_API xl_status xl_knn_approximate_info_sized(const xl_knn_approximate *plan,
                                                            size_t n, xl_plan_info *info,
                                                            size_t size);

XL_EXTERN_C_END

XL_NODISCARD static inline xl_status xl_scan_info(const xl_scan *plan, size_t n, xl_plan_info *info)
{
    return xl_scan_info_sized(plan, n, info, sizeof *info);
}

XL_NODISCARD static inline xl_status xl_reduce_info(const xl_reduce *plan, size_t n,
                                                    xl_plan_info *info)
{
    return xl_reduce_info_sized(plan, n, info, sizeof *info);
}

XL_NODISCARD static inline xl_status xl_sort_info(const xl_sort *plan, size_t n, xl_plan_info *info)
{
    return xl_sort_info_sized(plan, n, info, sizeof *info);
}

XL_NODISCARD static inline xl_status xl_topk_info(const xl_topk *plan, size_t n, xl_plan_info *info)
{
    return xl_topk_info_sized(plan, n, info, sizeof *info);
}

XL_NODISCARD static inline xl_status xl_select_info(const xl_select *plan, size_t n,
                                                    xl_plan_info *info)
{
    return xl_select_info_sized(plan, n, info, sizeof *info);
}

XL_NODISCARD static inline xl_status xl_grid_info(const xl_grid *grid, size_t n, xl_plan_info *info)
{
    return xl_grid_info_sized(grid, n, info, sizeof *info);
}

XL_NODISCARD static inline xl_status xl_neighbors_info(const xl_neighbors *plan, size_t n,
                                                       xl_plan_info *info)
{
    return xl_neighbors_info_sized(plan, n, info, sizeof *info);
}

XL_NODISCARD static inline xl_status xl_knn_info(const xl_knn *plan, size_t n, xl_plan_info *info)
{
    return xl_knn_info_sized(plan, n, info, sizeof *info);
}

XL_NODISCARD static inline xl_status xl_merge_info(const xl_merge *plan, size_t n,
                                                   xl_plan_info *info)
{
    return xl_merge_info_sized(plan, n, info, sizeof *info);
}

XL_NODISCARD static inline xl_status xl_search_info(const xl_search *plan, size_t n,
                                                    xl_plan_info *info)
{
    return xl_search_info_sized(plan, n, info, sizeof *info);
}

XL_NODISCARD static inline xl_status xl_histogram_info(const xl_histogram *plan, size_t n,
                                                       xl_plan_info *info)
{
    return xl_histogram_info_sized(plan, n, info, sizeof *info);
}

XL_NODISCARD static inline xl_status xl_transform_info(const xl_transform *plan, size_t n,
                                                       xl_plan_info *info)
{
    return xl_transform_info_sized(plan, n, info, sizeof *info);
}

XL_NODISCARD static inline xl_status xl_morton_info(const xl_morton *plan, size_t n,
                                                    xl_plan_info *info)
{
    return xl_morton_info_sized(plan, n, info, sizeof *info);
}

XL_NODISCARD static inline xl_status xl_knn_approximate_info(const xl_knn_approximate *plan,
                                                             size_t n, xl_plan_info *info)
{
    return xl_knn_approximate_info_sized(plan, n, info, sizeof *info);
}

#endif
