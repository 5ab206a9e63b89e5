/* SPDX-License-Identifier: MIT
 * Binds an index to a user's kernel that includes <crosslane/neighbors.cl>. */
#include "neighbors_plan.h"

#include <math.h>

/* Bits of the last of `numbers`, as in cl/include/neighbors.cl. The upper half detects a program
 * that was compiled with the text of another version, and another parameter of the same type. */
enum { REPEATS = 1, INCLUSIVE = 2, TRICLINIC = 8, WIDE = 16, OF_BATCH = 32 };
#define LAYOUT UINT32_C(0x4e330000)

static xl_status check_kernel(xl_context *ctx, cl_kernel kernel)
{
    cl_context cl = NULL;
    if (!kernel)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "args.kernel: NULL");
    const cl_int code = clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof cl, &cl, NULL);
    if (code != CL_SUCCESS)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "args.kernel: not a kernel: %s (%d)",
                        xli_cl_name(code), (int)code);
    if (cl != xl_context_cl(ctx))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.kernel: of another OpenCL context; must be of the index's");
    return XL_SUCCESS;
}

/* The text expects sorted points in the layout of the device's default tunables. */
static xl_status check_planes(xl_context *ctx, const xl_grid_index *index, bool is_cpu)
{
    const uint32_t planes = is_cpu ? 1 : 0;
    if (index->planes != planes)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "index: built by a plan with grid.planes %u; kernels of your own require "
                        "%u on this device",
                        (unsigned)index->planes, (unsigned)planes);
    return XL_SUCCESS;
}

static xl_status check_rooms(xl_context *ctx, cl_kernel kernel, cl_uint first, cl_uint count)
{
    xl_status status;
    cl_uint has = 0;
    XL_TRY_CL(ctx, clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof has, &has, NULL));
    if (has < count || first > has - count)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.first: %u; the kernel has %u parameters, and an index needs %u",
                        (unsigned)first, (unsigned)has, (unsigned)count);
done:
    return status;
}

static xl_status set(xl_grid_index *index, const xl_neighbors_kernel_args *args, cl_uint *next)
{
    xl_status status;
    const bool wide = index->scalar == XL_F64;
    const xli_grid_period *const p = &index->period;
    const xli_grid_box_args space = xli_grid_box_args_of(index);
    const size_t at = index->storage_at;
    const xli_grid_layout *const layout = &index->layout;
    const xli_grid_cell_args cell = xli_grid_cell_args_of(&index->lattice);
    const cl_ulong parts[4] = {
        (at + layout->header) / sizeof(cl_uint), (at + layout->starts) / sizeof(cl_uint),
        (at + layout->begins) / sizeof(cl_uint), (at + layout->sorted) / sizeof(cl_uint)};
    const cl_uint kind = (p->repeats != XLI_REPEATS_NOT ? REPEATS : 0u) |
                         (p->repeats == XLI_REPEATS_CELL ? TRICLINIC : 0u) |
                         (args->inclusive ? INCLUSIVE : 0u) | (wide ? WIDE : 0u) |
                         (index->num_systems > 0 ? OF_BATCH : 0u);
    const cl_uint numbers[4] = {(cl_uint)index->n, layout->table, index->stamp, LAYOUT | kind};
    const float narrow = (float)args->radius;
    const cl_float radius[4] = {narrow, xli_neighbors_reach(narrow), narrow * narrow, p->extent};
    const cl_double radius_f64[4] = {args->radius, xli_neighbors_reach_f64(args->radius),
                                     args->radius * args->radius, index->box.extent};
    const xli_arg all[] = {XLI_MEM(index->storage),
                           XLI_BYTES(parts, sizeof parts),
                           XLI_BYTES(numbers, sizeof numbers),
                           wide ? XLI_BYTES(radius_f64, sizeof radius_f64)
                                : XLI_BYTES(radius, sizeof radius),
                           space.lower,
                           space.upper,
                           space.period,
                           cell.at[0],
                           cell.at[1],
                           cell.at[2],
                           cell.at[3],
                           cell.at[4],
                           cell.at[5]};
    XL_TRY(check_rooms(index->ctx, args->kernel, args->first, XLI_COUNT(all)));
    XL_TRY(xli_args_set(index->ctx, args->kernel, args->first, all, XLI_COUNT(all)));
    if (next)
        *next = args->first + (cl_uint)XLI_COUNT(all);
done:
    return status;
}

xl_status xl_grid_index_set_kernel_args(xl_grid_index *index, const xl_neighbors_kernel_args *args,
                                        cl_uint *next)
{
    static const xli_structure structure = {"args", sizeof(xl_neighbors_kernel_args), NULL};
    xl_status status;
    xl_neighbors_kernel_args given = {0};
    const xli_capabilities *capabilities;
    if (!index)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "index: NULL");
    xl_context *const ctx = index->ctx;
    XL_TRY(xli_structure_read(ctx, &structure, xli_context_version(ctx), args, &given));
    XL_TRY(xli_grid_index_check(ctx, index));
    if (index->period.repeats == XLI_REPEATS_CELLS)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "index: with cells per system (XL_BOUNDS_PER_SYSTEM); kernels of your own "
                        "require one cell for all systems");
    XL_TRY(check_kernel(ctx, given.kernel));
    XL_TRY(xli_grid_check_radius(ctx, "args.radius", index->scalar, given.radius));
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    XL_TRY(xli_grid_check_periods(ctx, index, "args.radius", given.radius));
    XL_TRY(check_planes(ctx, index, capabilities->is_cpu));
    XL_TRY(set(index, &given, next));
done:
    return status;
}
