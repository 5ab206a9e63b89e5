/* SPDX-License-Identifier: MIT
 * Kernels over the points of a rank, in their scalar: cells and marks of halos, Morton codes, boxes of ranks,
 * and a survey of their coordinates. */
#include "points.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The size of a survey's groups, which all devices have, and the largest number of groups. */
enum { SURVEY_GROUP = 64, SURVEY_GROUPS = 1024 };

/* A cell is found by operations that are rounded once each and keep the order of coordinates, so all devices
 * find the same, and points between two others are in cells between theirs. */
static const char search[] =
    "#if XLM_WIDE\n"
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "typedef double real;\n"
    "typedef double4 real4;\n"
    "typedef long whole;\n"
    "#define LOWEST LONG_MIN\n"
    "#define BITS as_long\n"
    "#else\n"
    "typedef float real;\n"
    "typedef float4 real4;\n"
    "typedef int whole;\n"
    "#define LOWEST INT_MIN\n"
    "#define BITS as_int\n"
    "#endif\n"
    "#include <crosslane/morton.cl>\n"
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "#define POINTS                                                                           \\\n"
    "    ulong n, ulong stride, uint dimensions, global const real *points, ulong points_at\n"
    "#define CELLS real4 low, uint4 count, real edge, real inverse\n"
    "\n"
    "real4 point_at(global const real *point, uint dimensions)\n"
    "{\n"
    "    return (real4)(point[0], dimensions > 1 ? point[1] : 0, dimensions > 2 ? point[2] : 0, "
    "0);\n"
    "}\n"
    "\n"
    "/* The cell of coordinate x along an axis; outside, the nearest one. */\n"
    "uint cell_at(real x, real low, real inverse, uint count)\n"
    "{\n"
    "    const real number = floor((x - low) * inverse);\n"
    "    return number <= 0 ? 0u : number >= (real)(count - 1) ? count - 1 : (uint)number;\n"
    "}\n"
    "\n"
    "/* The distance from x to a cell along an axis. */\n"
    "real cell_gap(real x, real low, real edge, uint cell)\n"
    "{\n"
    "    const real begin = low + (real)cell * edge;\n"
    "    return fmax(fmax(begin - x, x - (begin + edge)), (real)0);\n"
    "}\n"
    "\n"
    "void set_bits(volatile global uint *words, ulong first, ulong last)\n"
    "{\n"
    "    for (ulong w = first / 32; w <= last / 32; ++w) {\n"
    "        const uint head = w == first / 32 ? ~0u << first % 32 : ~0u;\n"
    "        const uint bits = w == last / 32 ? head & ~0u >> (31 - last % 32) : head;\n"
    "        if ((words[w] & bits) != bits)\n"
    "            atomic_or(words + w, bits);\n"
    "    }\n"
    "}\n"
    "\n"
    "/* Marks the cells, from `low` on and with points up to `high`, that are within reach of "
    "moved\n"
    " * points. */\n"
    "kernel void mark(POINTS, CELLS, real4 high, real4 move, real reach, global uint *words)\n"
    "{\n"
    "    const ulong i = get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    const real4 p = point_at(points + points_at + i * stride, dimensions) + move;\n"
    "    const real4 gap = fmax(fmax(low - p, p - high), (real4)(0));\n"
    "    if (gap.x * gap.x + gap.y * gap.y + gap.z * gap.z > reach * reach)\n"
    "        return;\n"
    "    const uint last_z = cell_at(p.z + reach, low.z, inverse, count.z),\n"
    "               last_y = cell_at(p.y + reach, low.y, inverse, count.y);\n"
    "    for (uint z = cell_at(p.z - reach, low.z, inverse, count.z); z <= last_z; ++z)\n"
    "        for (uint y = cell_at(p.y - reach, low.y, inverse, count.y); y <= last_y; ++y) {\n"
    "            const real dz = cell_gap(p.z, low.z, edge, z), dy = cell_gap(p.y, low.y, edge, "
    "y);\n"
    "            const real square = reach * reach - dz * dz - dy * dy;\n"
    "            const ulong row = ((ulong)z * count.y + y) * count.x;\n"
    "            if (square >= 0)\n"
    "                set_bits(words, row + cell_at(p.x - sqrt(square), low.x, inverse, count.x),\n"
    "                         row + cell_at(p.x + sqrt(square), low.x, inverse, count.x));\n"
    "        }\n"
    "}\n";

/* Texts are divided because a compiler need not take more than 4,095 characters. */
static const char selection[] =
    "/* The cell of each point. */\n"
    "kernel void number(POINTS, CELLS, global ulong *cells)\n"
    "{\n"
    "    const ulong i = get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    const real4 p = point_at(points + points_at + i * stride, dimensions);\n"
    "    cells[i] = ((ulong)cell_at(p.z, low.z, inverse, count.z) * count.y +\n"
    "                cell_at(p.y, low.y, inverse, count.y)) * count.x +\n"
    "               cell_at(p.x, low.x, inverse, count.x);\n"
    "}\n"
    "\n"
    "/* marks: the numbers of n words, and these words. */\n"
    "kernel void spread(ulong n, global const uint *marks, ulong marks_at, global uint *words)\n"
    "{\n"
    "    const ulong k = get_global_id(0);\n"
    "    if (k < n)\n"
    "        words[marks[marks_at + k]] = marks[marks_at + n + k];\n"
    "}\n"
    "\n"
    "/* Bit i: whether the cell of point i is marked. */\n"
    "kernel void select_marked(ulong n, global const ulong *cells, global const uint *words,\n"
    "                          global uint *bits, ulong bits_at)\n"
    "{\n"
    "    const ulong word = get_global_id(0);\n"
    "    uint found = 0;\n"
    "    for (ulong i = word * 32; i < n && i < word * 32 + 32; ++i)\n"
    "        found |= (words[cells[i] / 32] >> cells[i] % 32 & 1) << i % 32;\n"
    "    if (word * 32 < n)\n"
    "        bits[bits_at + word] = found;\n"
    "}\n"
    "\n"
    "uint cube_of(real x, uint bits)\n"
    "{\n"
    "    return x <= 0                          ? 0u\n"
    "           : x >= ldexp((real)1, (int)bits) ? (uint)((1ul << bits) - 1)\n"
    "                                            : (uint)x;\n"
    "}\n"
    "\n"
    "/* The Morton code of each point, of cubes with edges of 2^exponent from `low` on. */\n"
    "kernel void code(POINTS, real4 low, int exponent, uint bits, global ulong *codes)\n"
    "{\n"
    "    const ulong i = get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    const real4 p = point_at(points + points_at + i * stride, dimensions) - low;\n"
    "    const uint x = cube_of(ldexp(p.x, -exponent), bits),\n"
    "               y = cube_of(ldexp(p.y, -exponent), bits),\n"
    "               z = cube_of(ldexp(p.z, -exponent), bits);\n"
    "    codes[i] = dimensions == 1   ? x\n"
    "               : dimensions == 2 ? xl_morton_2d_wide(x, y)\n"
    "                                 : xl_morton_3d_wide(x, y, z);\n"
    "}\n";

static const char survey[] =
    "/* The box of each work-group's part of the points, and the lowest one that is not finite or\n"
    " * outside. */\n"
    "kernel void survey(POINTS, real4 lower, real4 upper, global real4 *boxes, global uint "
    "*lowest)\n"
    "{\n"
    "    local real4 lows[XLM_GROUP], highs[XLM_GROUP];\n"
    "    const uint item = (uint)get_local_id(0);\n"
    "    real4 low = (real4)(INFINITY), high = (real4)(-INFINITY);\n"
    "    const ulong part = (n + get_num_groups(0) - 1) / get_num_groups(0),\n"
    "                begin = part * get_group_id(0), end = min(n, begin + part);\n"
    "    for (ulong i = begin + item; i < end; i += XLM_GROUP) {\n"
    "        const real4 p = point_at(points + points_at + i * stride, dimensions);\n"
    "        if (!all(isfinite(p) & p >= lower & p <= upper))\n"
    "            atomic_min(lowest, (uint)i);\n"
    "        low = fmin(low, p);\n"
    "        high = fmax(high, p);\n"
    "    }\n"
    "    lows[item] = low;\n"
    "    highs[item] = high;\n"
    "    for (uint step = XLM_GROUP / 2; step > 0; step /= 2) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        if (item < step) {\n"
    "            lows[item] = fmin(lows[item], lows[item + step]);\n"
    "            highs[item] = fmax(highs[item], highs[item + step]);\n"
    "        }\n"
    "    }\n"
    "    if (item == 0) {\n"
    "        boxes[2 * get_group_id(0)] = lows[0];\n"
    "        boxes[2 * get_group_id(0) + 1] = highs[0];\n"
    "    }\n"
    "}\n";

static const char owning[] =
    "/* Numbers in the order of coordinates, also on devices that take subnormal ones for 0. NaN "
    "is beyond\n"
    " * both infinities. */\n"
    "whole ordered(real x)\n"
    "{\n"
    "    return BITS(x) < 0 ? LOWEST - BITS(x) : BITS(x);\n"
    "}\n"
    "\n"
    "bool contains(global const real *box, global const real *p, uint dimensions)\n"
    "{\n"
    "    for (uint a = 0; a < dimensions; ++a)\n"
    "        if (ordered(p[a]) < ordered(box[a]) || ordered(p[a]) >= ordered(box[4 + a]))\n"
    "            return false;\n"
    "    return true;\n"
    "}\n"
    "\n"
    "/* The rank of the first box that contains each point, and the lowest point that is in none. "
    "A box has 4\n"
    " * numbers for each corner. */\n"
    "kernel void own(POINTS, uint count, global const uint *ranks, global const real *boxes,\n"
    "                global uint *owners, global uint *lowest)\n"
    "{\n"
    "    const ulong i = get_global_id(0);\n"
    "    uint k = 0;\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    while (k < count && !contains(boxes + 8 * k, points + points_at + i * stride, "
    "dimensions))\n"
    "        ++k;\n"
    "    if (k < count)\n"
    "        owners[i] = ranks[k];\n"
    "    else\n"
    "        atomic_min(lowest, (uint)i);\n"
    "}\n";

/* Whether the device computes with the scalar of the points. */
static xl_status check_device(xl_mpi *mpi, const char *structure, bool wide)
{
    cl_device_fp_config has = 0;
    if (wide && (clGetDeviceInfo(xl_context_device(mpi->ctx), CL_DEVICE_DOUBLE_FP_CONFIG,
                                 sizeof has, &has, NULL) != CL_SUCCESS ||
                 has == 0))
        return xlm_fail(mpi, XL_ERROR_UNSUPPORTED,
                        "%s.scalar: XL_F64; the device has no cl_khr_fp64", structure);
    return XL_SUCCESS;
}

xl_status xlm_points_build(xl_mpi *mpi, const char *structure, const xlm_points *points)
{
    const bool wide = xlm_points_are_wide(points);
    char source[sizeof search + sizeof selection + sizeof survey + sizeof owning], options[64];
    if (mpi->points[wide])
        return XL_SUCCESS;
    const xl_status status = xlm_agree(mpi, check_device(mpi, structure, wide));
    memcpy(source, search, sizeof search);
    strcat(source, selection);
    strcat(source, survey);
    strcat(source, owning);
    snprintf(options, sizeof options, "-DXLM_WIDE=%d -DXLM_GROUP=%d", wide, SURVEY_GROUP);
    return status == XL_SUCCESS ? xlm_build_once(mpi, source, options, &mpi->points[wide]) : status;
}

xlm_reals xlm_reals_of(const xlm_points *points, const double v[3])
{
    xlm_reals r = {.wide = {{0}}};
    for (int a = 0; a < 3; ++a)
        if (xlm_points_are_wide(points))
            r.wide.s[a] = v[a];
        else
            r.narrow.s[a] = (float)v[a];
    return r;
}

xlm_argument xlm_real_argument(const xlm_points *points, const xlm_reals *r, bool vector)
{
    return (xlm_argument){(vector ? 4 : 1) * points->scalar_bytes, r};
}

xl_status xlm_points_launch(xl_mpi *mpi, cl_command_queue queue, const xlm_points *points,
                            const char *name, const xlm_argument *all, size_t count, uint64_t n)
{
    return xlm_run(mpi, queue, mpi->points[xlm_points_are_wide(points)], name, all, count, 0, n);
}

static xl_status launch_over(xl_mpi *mpi, cl_command_queue queue, const xlm_points *points,
                             const xl_view *view, const char *name, const xlm_argument *own,
                             size_t count, size_t group, uint64_t items)
{
    const cl_ulong n = points->n, stride = points->stride, at = view->offset;
    const cl_uint dimensions = points->dimensions;
    xlm_argument all[XLM_POINTS_ARGUMENTS + XLM_POINTS_OWN] = {{sizeof n, &n},
                                                               {sizeof stride, &stride},
                                                               {sizeof dimensions, &dimensions},
                                                               {sizeof view->buffer, &view->buffer},
                                                               {sizeof at, &at}};
    for (size_t k = 0; k < count; ++k)
        all[XLM_POINTS_ARGUMENTS + k] = own[k];
    return xlm_run(mpi, queue, mpi->points[xlm_points_are_wide(points)], name, all,
                   XLM_POINTS_ARGUMENTS + count, group, items);
}

xl_status xlm_points_launch_over(xl_mpi *mpi, cl_command_queue queue, const xlm_points *points,
                                 const xl_view *view, const char *name, const xlm_argument *own,
                                 size_t count)
{
    return launch_over(mpi, queue, points, view, name, own, count, 0, points->n);
}

/* The boxes of the work-groups become one. */
static void unite(const xlm_points *points, const xlm_reals *boxes, size_t groups,
                  xlm_survey *found)
{
    const size_t bytes = 4 * points->scalar_bytes;
    for (size_t g = 0; g < groups; ++g) {
        xlm_reals low, high;
        memcpy(&low, (const unsigned char *)boxes + 2 * g * bytes, bytes);
        memcpy(&high, (const unsigned char *)boxes + (2 * g + 1) * bytes, bytes);
        for (int a = 0; a < 3; ++a) {
            const bool wide = xlm_points_are_wide(points);
            found->lower[a] = fmin(found->lower[a], wide ? low.wide.s[a] : (double)low.narrow.s[a]);
            found->upper[a] =
                fmax(found->upper[a], wide ? high.wide.s[a] : (double)high.narrow.s[a]);
        }
    }
}

xl_status xlm_points_survey(xl_mpi *mpi, cl_command_queue queue, const xlm_points *points,
                            const xl_view *view, const double lower[3], const double upper[3],
                            xlm_survey *found)
{
    const xlm_reals low = xlm_reals_of(points, lower), high = xlm_reals_of(points, upper);
    const size_t most = SURVEY_GROUP * SURVEY_GROUPS, items = points->n < most ? points->n : most,
                 groups = (items + SURVEY_GROUP - 1) / SURVEY_GROUP,
                 bytes = groups * 8 * points->scalar_bytes;
    const cl_uint none = XLM_NO_INDEX;
    cl_uint lowest = none;
    cl_mem boxes = NULL, index = NULL;
    xlm_reals *read = NULL;
    *found = (xlm_survey){.lower = {INFINITY, INFINITY, INFINITY},
                          .upper = {-INFINITY, -INFINITY, -INFINITY},
                          .lowest = XLM_NO_INDEX};
    if (points->n == 0)
        return XL_SUCCESS;
    xl_status status = xlm_alloc(mpi, bytes, 1, &read);
    if (status == XL_SUCCESS)
        status = xlm_buffer(mpi, bytes, &boxes);
    if (status == XL_SUCCESS)
        status = xlm_buffer_of(mpi, sizeof none, &none, &index);
    const xlm_argument own[] = {xlm_real_argument(points, &low, true),
                                xlm_real_argument(points, &high, true),
                                {sizeof boxes, &boxes},
                                {sizeof index, &index}};
    if (status == XL_SUCCESS)
        status = launch_over(mpi, queue, points, view, "survey", own, sizeof own / sizeof own[0],
                             SURVEY_GROUP, items);
    if (status == XL_SUCCESS)
        status = xlm_read(mpi, queue, boxes, 0, bytes, read, 0, NULL);
    if (status == XL_SUCCESS)
        status = xlm_read(mpi, queue, index, 0, sizeof lowest, &lowest, 0, NULL);
    if (status == XL_SUCCESS)
        unite(points, read, groups, found);
    found->lowest = lowest;
    xlm_release(boxes);
    xlm_release(index);
    free(read);
    return status;
}
