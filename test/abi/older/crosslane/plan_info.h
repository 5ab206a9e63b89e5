/* SPDX-License-Identifier: MIT
 * Frozen: the declarations of an older interface, in which each structure that may grow lacks its
 * last field. What is compiled with them must go on working. */
#ifndef CROSSLANE_PLAN_INFO_H
#define CROSSLANE_PLAN_INFO_H
#include <crosslane/grid.h>
#include <crosslane/reduce.h>
#include <crosslane/scan.h>
#include <crosslane/sort.h>
XL_EXTERN_C_BEGIN
XL_NODISCARD XL_API xl_status xl_scan_info_sized(const xl_scan *plan, size_t n, xl_plan_info *info,
                                                 size_t size);
XL_NODISCARD XL_API xl_status xl_reduce_info_sized(const xl_reduce *plan, size_t n,
                                                   xl_plan_info *info, size_t size);
XL_NODISCARD XL_API xl_status xl_sort_info_sized(const xl_sort *plan, size_t n, xl_plan_info *info,
                                                 size_t size);
XL_NODISCARD XL_API xl_status xl_grid_info_sized(const xl_grid *grid, size_t n, xl_plan_info *info,
                                                 size_t size);
XL_NODISCARD XL_API xl_status xl_neighbors_info_sized(const xl_neighbors *plan, size_t n,
                                                      xl_plan_info *info, size_t size);
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
XL_NODISCARD static inline xl_status xl_grid_info(const xl_grid *grid, size_t n, xl_plan_info *info)
{
    return xl_grid_info_sized(grid, n, info, sizeof *info);
}
XL_NODISCARD static inline xl_status xl_neighbors_info(const xl_neighbors *plan, size_t n,
                                                       xl_plan_info *info)
{
    return xl_neighbors_info_sized(plan, n, info, sizeof *info);
}
#endif
