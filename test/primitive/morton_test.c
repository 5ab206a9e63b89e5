/* SPDX-License-Identifier: MIT
 * Morton codes by <crosslane/morton.cl> in a kernel: known ones, and others that the host makes bit
 * by bit. The cases have those of points. The boxes of ranges of codes, against all ways to divide
 * short ranges, and against the codes that the device gives points in them. */
#include "reference.h"
#include "xlt.h"

#include <crosslane/morton.h>
#include <math.h>
#include <string.h>

static const char text[] =
    "#include <crosslane/morton.cl>\n"
    "#include <crosslane/morton.cl>\n"
    "__kernel void codes(__global const uint *in, __global ulong *out)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    uint x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];\n"
    "    out[8 * i] = xl_morton_2d(x, y);\n"
    "    out[8 * i + 1] = xl_morton_2d_wide(x, y);\n"
    "    out[8 * i + 2] = xl_morton_3d(x, y, z);\n"
    "    out[8 * i + 3] = xl_morton_3d_wide(x, y, z);\n"
    "    uint4 a = xl_morton_2d_place((uint)out[8 * i]);\n"
    "    uint4 b = xl_morton_2d_wide_place(out[8 * i + 1]);\n"
    "    uint4 c = xl_morton_3d_place((uint)out[8 * i + 2]);\n"
    "    uint4 d = xl_morton_3d_wide_place(out[8 * i + 3]);\n"
    "    out[8 * i + 4] = a.x == (x & 0xffffu) && a.y == (y & 0xffffu) && a.z == 0 ? 1 : 0;\n"
    "    out[8 * i + 5] = b.x == x && b.y == y && b.z == 0 ? 1 : 0;\n"
    "    out[8 * i + 6] = c.x == (x & 1023u) && c.y == (y & 1023u) && c.z == (z & 1023u) ? 1 : 0;\n"
    "    out[8 * i + 7] = d.x == (x & 0x1fffffu) && d.y == (y & 0x1fffffu) &&\n"
    "                     d.z == (z & 0x1fffffu) ? 1 : 0;\n"
    "}\n"
    "__kernel void cells(__global const float *in, __global uint *out)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    out[i] = xl_morton_cell(in[4 * i], in[4 * i + 1], in[4 * i + 2], (uint)in[4 * i + 3]);\n"
    "}\n";

static void run(const char *name, const void *in, size_t in_bytes, size_t items, size_t out_bytes,
                void *out)
{
    cl_int code;
    cl_program program;
    XLT_OK(xl_program_create(xlt_context(), text, NULL, &program));
    cl_kernel kernel = clCreateKernel(program, name, &code);
    XLT_CL(code);
    xlt_place(XLT_EXACT); /* the kernels know no offsets */
    xlt_buffer from = xlt_buffer_make(in, in_bytes, 1, 0),
               to = xlt_buffer_make(NULL, out_bytes, 1, 0);
    XLT_CL(clSetKernelArg(kernel, 0, sizeof from.mem, &from.mem));
    XLT_CL(clSetKernelArg(kernel, 1, sizeof to.mem, &to.mem));
    XLT_CL(clEnqueueNDRangeKernel(xlt_queue(), kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    xlt_read(&to, out);
    xlt_buffer_free(&from);
    xlt_buffer_free(&to);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

XLT_TEST(codes_in_a_kernel)
{
    enum { KNOWN = 8, N = 64 };
    static const uint32_t known[KNOWN][3] = {{1, 2, 3},       {3, 2, 1},
                                             {5, 9, 1},       {1023, 1023, 1023},
                                             {1023, 0, 0},    {0x1fffff, 0x1fffff, 0x1fffff},
                                             {~0u, ~0u, ~0u}, {0x155555, 0x0AAAAA, 0x1FFFFF}};
    uint32_t in[N][3];
    uint64_t out[N][8];
    xlt_random random = {3};
    for (size_t i = 0; i < N; ++i)
        for (size_t a = 0; a < 3; ++a)
            in[i][a] = i < KNOWN ? known[i][a] : (uint32_t)xlt_next(&random);
    run("codes", in, sizeof in, N, sizeof out, out);
    assert_int_equal(out[0][2], 53);
    assert_int_equal(out[1][2], 29);
    assert_int_equal(out[2][2], 1095);
    assert_int_equal(out[3][2], 0x3fffffff);
    assert_int_equal(out[4][2], 0x09249249);
    assert_true(out[5][3] == UINT64_C(0x7fffffffffffffff));
    assert_true(out[7][3] == UINT64_C(0x5d75d75d75d75d75));
    assert_int_equal(out[0][0], 9); /* 1 and 2: bits 0 and 3 */
    assert_true(out[6][1] == UINT64_MAX);
    for (size_t i = 0; i < N; ++i) {
        assert_true(out[i][0] == ref_morton(2, 16, in[i]));
        assert_true(out[i][1] == ref_morton(2, 32, in[i]));
        assert_true(out[i][2] == ref_morton(3, 10, in[i]));
        assert_true(out[i][3] == ref_morton(3, 21, in[i]));
        for (size_t k = 4; k < 8; ++k)
            assert_int_equal(out[i][k], 1);
    }
}

/* Coordinates that are NaN, and those that no whole number holds. */
XLT_TEST(cells_in_a_kernel)
{
    static const struct {
        float x, lower, scale, bits;
        uint32_t cell;
    } cases[] = {{0, 0, 1, 10, 0},
                 {1023.5f, 0, 1, 10, 1023},
                 {1024, 0, 1, 10, 1023},
                 {-0.5f, 0, 1, 10, 0},
                 {-1e30f, 0, 1, 10, 0},
                 {1e30f, 0, 1e9f, 10, 1023},
                 {NAN, 0, 1, 10, 1023},
                 {INFINITY, 0, 1, 21, 0x1fffff},
                 {-INFINITY, 0, 1, 21, 0},
                 {4294967040.0f, 0, 1, 32, 4294967040u},
                 {4294967296.0f, 0, 1, 32, 4294967295u},
                 {-2, -2.5f, 4, 16, 2}};
    enum { N = sizeof cases / sizeof *cases };
    float in[N][4];
    uint32_t out[N];
    for (size_t i = 0; i < N; ++i) {
        in[i][0] = cases[i].x;
        in[i][1] = cases[i].lower;
        in[i][2] = cases[i].scale;
        in[i][3] = cases[i].bits;
    }
    run("cells", in, sizeof in, N, sizeof out, out);
    for (size_t i = 0; i < N; ++i)
        assert_int_equal(out[i], cases[i].cell);
}

/* ---- boxes ----------------------------------------------------------------------------------- */

enum { MOST_BOXES = 2 * 7 * 21 };

static const struct {
    uint32_t dimensions, bits;
    xl_type code;
} grids[] = {{2, 16, XL_U32}, {2, 32, XL_U64}, {3, 10, XL_U32}, {3, 21, XL_U64}};
enum { GRIDS = sizeof grids / sizeof *grids };

static uint64_t largest(size_t grid)
{
    return UINT64_MAX >> (64 - grids[grid].dimensions * grids[grid].bits);
}

/* Cells of edge 2^-3 that begin at -1, 5 and 0. */
static xl_morton_desc desc_of(size_t grid)
{
    xl_morton_desc desc;
    xl_morton_desc_init(&desc);
    desc.space.dimensions = grids[grid].dimensions;
    desc.code = grids[grid].code;
    desc.space.origin[0] = -1;
    desc.space.origin[1] = 5;
    desc.space.cell[0][0] = ldexp(1, (int)grids[grid].bits - 4); /* not the longest */
    desc.space.cell[1][1] = 0.75 * ldexp(1, (int)grids[grid].bits - 3);
    return desc;
}

static size_t boxes_of(size_t grid, uint64_t first, uint64_t last, xl_morton_box *boxes)
{
    const xl_morton_desc desc = desc_of(grid);
    size_t count = 0;
    XLT_OK(xl_morton_boxes(&desc, first, last, MOST_BOXES, boxes, &count));
    assert_true(count > 0 && count <= MOST_BOXES);
    assert_true(boxes[0].first == first && boxes[count - 1].last == last);
    for (size_t i = 1; i < count; ++i)
        assert_true(boxes[i].first == boxes[i - 1].last + 1);
    return count;
}

/* The least number of aligned cubes for first to last, found from all that can come first. */
static size_t fewest(unsigned axes, uint64_t first, uint64_t last)
{
    size_t found[65] = {0};
    for (uint64_t at = last + 1; at-- > first;) {
        size_t *const best = &found[at - first];
        *best = SIZE_MAX;
        for (uint64_t size = 1; at % size == 0 && size <= last + 1 - at; size <<= axes)
            if (1 + found[at + size - first] < *best)
                *best = 1 + found[at + size - first];
    }
    return found[0];
}

/* Whether cell `numbers`, by its centre, is in the box. */
static bool holds(const xl_morton_box *box, uint32_t axes, const uint32_t numbers[3])
{
    static const double origin[] = {-1, 5, 0};
    bool inside = true;
    for (uint32_t a = 0; a < axes; ++a) {
        const double x = origin[a] + (numbers[a] + 0.5) / 8;
        inside = inside && x > box->lower[a] && x < box->upper[a];
    }
    return inside;
}

/* Each range of the first 64 codes: the fewest boxes, of which one holds each cell of the range, and
 * none any other. */
XLT_TEST(boxes_of_short_ranges)
{
    enum { CODES = 64, SIDE = 8 };
    xl_morton_box boxes[MOST_BOXES];
    for (size_t grid = 0; grid < GRIDS; ++grid)
        for (uint64_t first = 0; first < CODES; ++first)
            for (uint64_t last = first; last < CODES; ++last) {
                const uint32_t axes = grids[grid].dimensions;
                const size_t count = boxes_of(grid, first, last, boxes);
                assert_int_equal(count, fewest(axes, first, last));
                for (uint32_t cell = 0; cell < (axes == 3 ? SIDE * SIDE * SIDE : SIDE * SIDE);
                     ++cell) {
                    const uint32_t numbers[] = {cell % SIDE, cell / SIDE % SIDE,
                                                cell / SIDE / SIDE};
                    const uint64_t code = ref_morton(axes, grids[grid].bits, numbers);
                    size_t found = 0;
                    for (size_t i = 0; i < count; ++i)
                        if (holds(&boxes[i], axes, numbers)) {
                            assert_true(code >= boxes[i].first && code <= boxes[i].last);
                            ++found;
                        }
                    assert_int_equal(found, code >= first && code <= last);
                }
            }
}

XLT_TEST(boxes_of_all_codes)
{
    xl_morton_box boxes[MOST_BOXES];
    for (size_t grid = 0; grid < GRIDS; ++grid) {
        const uint32_t axes = grids[grid].dimensions;
        const double side = ldexp(1, (int)grids[grid].bits - 3);
        assert_int_equal(boxes_of(grid, 0, largest(grid), boxes), 1);
        assert_true(boxes[0].lower[0] == -1 && boxes[0].upper[0] == side - 1);
        assert_true(boxes[0].lower[1] == 5 && boxes[0].upper[1] == side + 5);
        assert_true(boxes[0].lower[2] == 0 && boxes[0].upper[2] == (axes == 3 ? side : 0));
        /* all but both ends: on each level but the highest 2^axes - 1 boxes at either end */
        assert_int_equal(boxes_of(grid, 1, largest(grid) - 1, boxes),
                         2 * ((1u << axes) - 1) * grids[grid].bits - (1u << axes));
        assert_int_equal(boxes_of(grid, largest(grid), largest(grid), boxes), 1);
        assert_true(boxes[0].upper[1] == side + 5 && boxes[0].lower[1] == side + 5 - 0.125);
    }
}

/* The smallest float that is not below x. */
static float float_from(double x)
{
    const float near = (float)x;
    return (double)near < x ? nextafterf(near, INFINITY) : near;
}

/* The device gives the codes of a box to its lowest and highest points, and others to points at and
 * before its faces. */
XLT_TEST(boxes_on_the_device)
{
    enum { POINTS = 4 };
    xl_morton_box boxes[MOST_BOXES];
    xlt_random random = {5};
    for (size_t grid = 0; grid < GRIDS; ++grid) {
        const uint32_t axes = grids[grid].dimensions;
        const bool wide = grids[grid].code == XL_U64;
        xl_morton_desc desc = desc_of(grid);
        xl_plan *plan;
        memset(desc.space.origin, 0, sizeof desc.space.origin); /* x - origin is exact */
        XLT_OK(xl_morton_create(xlt_context(), &desc, &plan));
        for (int round = 0; round < 20; ++round) {
            const uint64_t a = xlt_next(&random) & largest(grid),
                           b = xlt_next(&random) & largest(grid), first = a < b ? a : b,
                           last = a < b ? b : a;
            float points[MOST_BOXES][POINTS][3];
            uint64_t codes[MOST_BOXES][POINTS] = {{0}};
            uint32_t narrow[MOST_BOXES][POINTS];
            size_t count = 0;
            XLT_OK(xl_morton_boxes(&desc, first, last, MOST_BOXES, boxes, &count));
            for (size_t i = 0; i < count; ++i)
                for (uint32_t k = 0; k < 3; ++k) {
                    points[i][0][k] = float_from(boxes[i].lower[k]);
                    points[i][1][k] = nextafterf(float_from(boxes[i].upper[k]), -INFINITY);
                    points[i][2][k] =
                        k == 0 ? nextafterf(points[i][0][k], -INFINITY) : points[i][0][k];
                    points[i][3][k] = k == 0 ? float_from(boxes[i].upper[k]) : points[i][1][k];
                }
            xlt_buffer in = xlt_buffer_make(points, count * POINTS * 3, 4, 0),
                       out = xlt_buffer_make(NULL, count * POINTS, wide ? 8 : 4, 0);
            XLT_OK(xl_morton_enqueue(plan, xlt_queue(),
                                     &(xl_morton_args){.n = count * POINTS,
                                                       .points = xlt_view(&in),
                                                       .codes = xlt_view(&out)},
                                     0, NULL, NULL));
            xlt_read(&out, wide ? (void *)codes : narrow);
            for (size_t i = 0; i < count; ++i) {
                const xl_morton_box *const box = &boxes[i];
                bool exact = true;
                for (size_t p = 0; p < POINTS && !wide; ++p)
                    codes[i][p] = narrow[i][p];
                for (uint32_t k = 0; k < axes; ++k)
                    exact = exact && (double)(float)box->lower[k] == box->lower[k] &&
                            (double)(float)box->upper[k] == box->upper[k];
                if (!exact) /* no float is at some face */
                    continue;
                assert_true(codes[i][0] == box->first && codes[i][1] <= box->last);
                assert_true(codes[i][1] == box->last || grids[grid].bits > 24); /* of a float */
                assert_true(box->lower[0] == 0 || codes[i][2] < box->first);
                assert_true(box->upper[0] == ldexp(1, (int)grids[grid].bits - 3) ||
                            codes[i][3] > box->last);
            }
            xlt_buffer_free(&in);
            xlt_buffer_free(&out);
        }
        xl_plan_destroy(plan);
    }
}

static void refused(xl_status status, xl_status wanted, const char *error)
{
    XLT_FAILS(status, wanted);
    if (!strstr(xl_context_error(NULL), error))
        fail_msg("\"%s\" does not have \"%s\"", xl_context_error(NULL), error);
}

XLT_TEST(boxes_that_are_refused)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    xl_morton_desc desc = desc_of(2), wide = desc, flat = desc;
    xl_morton_box boxes[2] = {{.last = 7}, {.last = 7}};
    size_t count = 9;
    wide.space.scalar = XL_F64;
    flat.space.dimensions = 1;
    refused(xl_morton_boxes(NULL, 0, 1, 2, boxes, &count), bad, "desc: NULL");
    assert_int_equal(count, 0);
    refused(xl_morton_boxes(&desc, 0, 1, 2, boxes, NULL), bad, "count: NULL");
    refused(xl_morton_boxes(&desc, 0, 1, 2, NULL, &count), bad, "boxes: NULL");
    refused(xl_morton_boxes(&wide, 0, 1, 2, boxes, &count), bad, "desc.space.scalar: f64");
    refused(xl_morton_boxes(&flat, 0, 1, 2, boxes, &count), bad, "desc.space.dimensions: 1");
    refused(xl_morton_boxes(&desc, 2, 1, 2, boxes, &count), bad,
            "first: 2; must be at most last, 1");
    refused(xl_morton_boxes(&desc, 0, 1 << 30, 2, boxes, &count), bad,
            "last: 1073741824; must be at most 1073741823, the largest code");
    assert_true(boxes[0].last == 7 && count == 0);
    refused(xl_morton_boxes(&desc, 7, 9, 1, boxes, &count), XL_ERROR_CAPACITY,
            "capacity: 1; the range has 3 boxes");
    assert_true(count == 3 && boxes[0].first == 7 && boxes[1].first == 0 && boxes[1].last == 7);
    refused(xl_morton_boxes(&desc, 7, 9, 0, NULL, &count), XL_ERROR_CAPACITY, "capacity: 0");
    assert_int_equal(count, 3);
}

XLT_MAIN(NULL, xlt_teardown)
