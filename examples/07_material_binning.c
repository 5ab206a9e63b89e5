/* SPDX-License-Identifier: MIT
 * Problem: a renderer with a visibility buffer has the material of each pixel, and must shade all
 * pixels of one material together. Counts the pixels of each material (histogram), finds where its
 * pixels begin in a list (exclusive scan), fills the list once with atomic operations and once by a
 * sort of the ids, and shades each material by one launch. Compares the picture with one that is
 * shaded pixel by pixel. Then scans 1, 2, ..., 1024, whose last exclusive sum is 523,776, and times
 * a scan in one pass and one in several passes.
 *
 *   example_07_material_binning [--width W] [--height H] [--materials M] [--scan-log2 K] [--png
 * FILE]
 */
#include <crosslane/crosslane.h>

#include "image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COLUMNS = 32, ROWS = 18, TILE_VERTICES = (COLUMNS + 1) * (ROWS + 1), COVERS = 24 };

static const char source[] =
    "/* Twice the area of a triangle; its sign tells on which side of an edge a point is. */\n"
    "float side(float2 a, float2 b, float2 p)\n"
    "{\n"
    "    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);\n"
    "}\n"
    "bool inside(float2 a, float2 b, float2 c, float2 p)\n"
    "{\n"
    "    const float u = side(a, b, p), v = side(b, c, p), w = side(c, a, p);\n"
    "    return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);\n"
    "}\n"
    "\n"
    "/* A sheet of COLUMNS x ROWS crooked squares of two triangles each, behind COVERS large\n"
    "   triangles, of which later ones are nearer: the material that a pixel shows. */\n"
    "__kernel void rasterize(const __global float2 *sheet, const __global float2 *covers,\n"
    "                        uint width, uint height, uint materials, __global uint *ids)\n"
    "{\n"
    "    const uint pixel = (uint)get_global_id(0);\n"
    "    if (pixel >= width * height)\n"
    "        return;\n"
    "    const float2 p = (float2)((pixel % width + 0.5f) / width * COLUMNS,\n"
    "                              (pixel / width + 0.5f) / height * ROWS);\n"
    "    uint triangle = 0;\n"
    "    const int x = (int)p.x, y = (int)p.y;\n"
    "    for (int k = 0; k < 9; ++k) {\n"
    "        const int column = x + k % 3 - 1, row = y + k / 3 - 1;\n"
    "        if (column < 0 || column >= COLUMNS || row < 0 || row >= ROWS)\n"
    "            continue;\n"
    "        const __global float2 *v = sheet + row * (COLUMNS + 1) + column;\n"
    "        const uint first = 2 * (uint)(row * COLUMNS + column);\n"
    "        if (inside(v[0], v[1], v[COLUMNS + 1], p))\n"
    "            triangle = first;\n"
    "        if (inside(v[COLUMNS + 2], v[1], v[COLUMNS + 1], p))\n"
    "            triangle = first + 1;\n"
    "    }\n"
    "    for (uint k = 0; k < COVERS; ++k)\n"
    "        if (inside(covers[3 * k], covers[3 * k + 1], covers[3 * k + 2], p))\n"
    "            triangle = 2 * COLUMNS * ROWS + k;\n"
    "    ids[pixel] = (triangle * 2654435761u >> 8) % materials;\n"
    "}\n"
    "\n"
    "/* Puts each pixel into its material's part of the list. `cursors` start as the offsets. */\n"
    "__kernel void bin_pixels(const __global uint *ids, uint pixels, uint materials,\n"
    "                         volatile __global uint *cursors, __global uint *list)\n"
    "{\n"
    "    const uint pixel = (uint)get_global_id(0);\n"
    "    if (pixel < pixels)\n"
    "        list[atomic_inc(cursors + ids[pixel])] = pixel;\n"
    "}\n"
    "\n"
    "uchar4 shade(uint material, uint pixel, uint width)\n"
    "{\n"
    "    const uint hue = material * 2246822519u, x = pixel % width, y = pixel / width;\n"
    "    const uint pattern = material % 3 == 0 ? ((x >> 3) ^ (y >> 3)) & 1 : material % 3 == 1\n"
    "        ? (x + y) >> 3 & 1 : 1;\n"
    "    const uint light = 96 + 32 * pattern;\n"
    "    return (uchar4)((uchar)(light + (hue >> 8) % 128), (uchar)(light + (hue >> 16) % 128),\n"
    "                    (uchar)(light + (hue >> 24) % 128), 255);\n"
    "}\n"
    "/* One material's pixels; a renderer has a separate shader for each material. */\n"
    "__kernel void shade_bin(const __global uint *list, uint first, uint count, uint material,\n"
    "                        uint width, __global uchar4 *picture)\n"
    "{\n"
    "    const uint k = (uint)get_global_id(0);\n"
    "    if (k < count)\n"
    "        picture[list[first + k]] = shade(material, list[first + k], width);\n"
    "}\n"
    "__kernel void shade_all(const __global uint *ids, uint pixels, uint width,\n"
    "                        __global uchar4 *picture)\n"
    "{\n"
    "    const uint pixel = (uint)get_global_id(0);\n"
    "    if (pixel < pixels)\n"
    "        picture[pixel] = shade(ids[pixel], pixel, width);\n"
    "}\n";

typedef struct options {
    cl_uint width, height, materials, scan_log2;
    const char *png;
} options;

typedef enum kernel_name { RASTERIZE, BIN_PIXELS, SHADE_BIN, SHADE_ALL, KERNELS } kernel_name;
typedef enum buffer_name {
    SHEET,
    COVER,
    IDS,
    COUNTS,
    OFFSETS,
    CURSORS,
    LIST,
    SORTED_IDS,
    SORTED_LIST,
    BINNED,
    DIRECT,
    BUFFERS
} buffer_name;

typedef struct scene {
    options o;
    cl_uint pixels;
    xl_context *ctx;
    cl_command_queue queue;
    cl_kernel kernels[KERNELS];
    cl_mem mem[BUFFERS];
    xl_plan *histogram;
    xl_plan *scan;
    xl_plan *sort;
    cl_uint *offsets, *picture, *other;
} scene;

static void end_with(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void must(const scene *s, xl_status status, const char *what)
{
    if (status != XL_SUCCESS)
        end_with(what, xl_context_error(s->ctx));
}

static void must_cl(cl_int code, const char *what)
{
    char text[32];
    snprintf(text, sizeof text, "OpenCL error %d", (int)code);
    if (code != CL_SUCCESS)
        end_with(what, text);
}

static double milliseconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* In [0, 1). */
static float some(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / (float)(1 << 24);
}

/* ---- what there is ---- */

static cl_mem make_buffer(const scene *s, size_t bytes, const void *host)
{
    cl_int code;
    void *copy = NULL;
    if (host && (copy = malloc(bytes)) != NULL)
        memcpy(copy, host, bytes);
    cl_mem mem =
        clCreateBuffer(xl_context_cl(s->ctx),
                       CL_MEM_READ_WRITE | (host ? CL_MEM_COPY_HOST_PTR : 0u), bytes, copy, &code);
    must_cl(code, "clCreateBuffer");
    free(copy);
    return mem;
}

static void make_scene(scene *s)
{
    static cl_float2 sheet[TILE_VERTICES], covers[3 * COVERS];
    unsigned state = 7;
    for (int k = 0; k < TILE_VERTICES; ++k) {
        const int column = k % (COLUMNS + 1), row = k / (COLUMNS + 1);
        const float dx = 0.7f * some(&state) - 0.35f, dy = 0.7f * some(&state) - 0.35f;
        const int border = column == 0 || column == COLUMNS || row == 0 || row == ROWS;
        sheet[k].s[0] = (float)column + (border ? 0 : dx);
        sheet[k].s[1] = (float)row + (border ? 0 : dy);
    }
    for (int k = 0; k < COVERS; ++k) {
        const float x = some(&state) * (float)COLUMNS, y = some(&state) * (float)ROWS;
        for (int corner = 0; corner < 3; ++corner) {
            covers[3 * k + corner].s[0] = x + 6 * some(&state) - 3;
            covers[3 * k + corner].s[1] = y + 6 * some(&state) - 3;
        }
    }
    s->mem[SHEET] = make_buffer(s, sizeof sheet, sheet);
    s->mem[COVER] = make_buffer(s, sizeof covers, covers);
}

static void make_plans(scene *s)
{
    xl_histogram_desc histogram;
    xl_scan_desc scan;
    xl_sort_desc sort;
    xl_histogram_desc_init(&histogram); /* an integer is its bin */
    histogram.type = XL_U32;
    histogram.num_bins = s->o.materials;
    must(s, xl_histogram_create(s->ctx, &histogram, &s->histogram), "histogram");
    xl_scan_desc_init(&scan); /* exclusive sums of u32 */
    must(s, xl_scan_create(s->ctx, &scan, &s->scan), "scan");
    xl_sort_desc_init(&sort); /* of ids the pixels: those of one material stay in order */
    sort.value = XL_SORT_INDICES;
    sort.stable = 1;
    must(s, xl_sort_create(s->ctx, &sort, &s->sort), "sort");
}

static void make(scene *s)
{
    static const char *const names[] = {"rasterize", "bin_pixels", "shade_bin", "shade_all"};
    cl_program program;
    char text[64];
    s->pixels = s->o.width * s->o.height;
    if (xl_context_create(NULL, &s->ctx) != XL_SUCCESS)
        end_with("device", xl_context_error(NULL));
    s->queue = xl_context_queue(s->ctx);
    snprintf(text, sizeof text, "-DCOLUMNS=%d -DROWS=%d -DCOVERS=%d", COLUMNS, ROWS, COVERS);
    must(s, xl_program_create(s->ctx, source, text, &program), "kernels");
    for (int k = 0; k < KERNELS; ++k) {
        cl_int code;
        s->kernels[k] = clCreateKernel(program, names[k], &code);
        must_cl(code, names[k]);
    }
    clReleaseProgram(program);
    make_scene(s);
    make_plans(s);
    for (int k = IDS; k < BUFFERS; ++k)
        s->mem[k] = make_buffer(
            s, 4 * (size_t)(k >= COUNTS && k <= CURSORS ? s->o.materials : s->pixels), NULL);
    s->offsets = (cl_uint *)calloc(s->o.materials + (size_t)1, 4);
    s->picture = (cl_uint *)calloc(s->pixels, 4);
    s->other = (cl_uint *)calloc(s->pixels, 4);
    if (!s->offsets || !s->picture || !s->other)
        end_with("host", "no memory");
}

static void end(scene *s)
{
    for (int k = 0; k < KERNELS; ++k)
        clReleaseKernel(s->kernels[k]);
    for (int k = 0; k < BUFFERS; ++k)
        clReleaseMemObject(s->mem[k]);
    free(s->offsets);
    free(s->picture);
    free(s->other);
    xl_plan_destroy(s->histogram);
    xl_plan_destroy(s->sort);
    xl_plan_destroy(s->scan);
    xl_context_destroy(s->ctx);
}

/* ---- the frame ---- */

typedef struct argument {
    size_t size;
    const void *value;
} argument;
#define ARGUMENT(x)                                                                                \
    {                                                                                              \
        sizeof(x), &(x)                                                                            \
    }

static void launch(const scene *s, kernel_name name, size_t items, const argument *list,
                   cl_uint count)
{
    for (cl_uint k = 0; k < count; ++k)
        must_cl(clSetKernelArg(s->kernels[name], k, list[k].size, list[k].value), "clSetKernelArg");
    must_cl(
        clEnqueueNDRangeKernel(s->queue, s->kernels[name], 1, NULL, &items, NULL, 0, NULL, NULL),
        "clEnqueueNDRangeKernel");
}

static size_t all_pixels(const scene *s)
{
    return ((size_t)s->pixels + 255) / 256 * 256;
}

static void rasterize(scene *s)
{
    const argument list[] = {ARGUMENT(s->mem[SHEET]),  ARGUMENT(s->mem[COVER]),
                             ARGUMENT(s->o.width),     ARGUMENT(s->o.height),
                             ARGUMENT(s->o.materials), ARGUMENT(s->mem[IDS])};
    launch(s, RASTERIZE, all_pixels(s), list, 6);
}

static void count_materials(scene *s)
{
    const xl_histogram_args args = {
        .n = s->pixels, .in = xl_view_of(s->mem[IDS], 0), .bins = xl_view_of(s->mem[COUNTS], 0)};
    must(s, xl_histogram_enqueue(s->histogram, s->queue, &args, 0, NULL, NULL), "histogram");
}

static void find_offsets(scene *s)
{
    const xl_scan_args args = {.n = s->o.materials,
                               .in = xl_view_of(s->mem[COUNTS], 0),
                               .out = xl_view_of(s->mem[OFFSETS], 0)};
    must(s, xl_scan_enqueue(s->scan, s->queue, &args, 0, NULL, NULL), "scan");
    must_cl(clEnqueueCopyBuffer(s->queue, s->mem[OFFSETS], s->mem[CURSORS], 0, 0,
                                4 * (size_t)s->o.materials, 0, NULL, NULL),
            "clEnqueueCopyBuffer");
}

static void bin_pixels(scene *s)
{
    const argument list[] = {ARGUMENT(s->mem[IDS]), ARGUMENT(s->pixels), ARGUMENT(s->o.materials),
                             ARGUMENT(s->mem[CURSORS]), ARGUMENT(s->mem[LIST])};
    launch(s, BIN_PIXELS, all_pixels(s), list, 5);
}

/* The same list by the library: a stable sort of the ids that gives where each was. */
static void sort_pixels(scene *s)
{
    const xl_sort_args args = {.n = s->pixels,
                               .keys_in = xl_view_of(s->mem[IDS], 0),
                               .keys_out = xl_view_of(s->mem[SORTED_IDS], 0),
                               .values_out = xl_view_of(s->mem[SORTED_LIST], 0)};
    must(s, xl_sort_enqueue(s->sort, s->queue, &args, 0, NULL, NULL), "sort");
}

/* A launch for each material; the host knows their sizes from the offsets. */
static void shade_list(scene *s, cl_mem pixels)
{
    must_cl(clEnqueueReadBuffer(s->queue, s->mem[OFFSETS], CL_TRUE, 0, 4 * (size_t)s->o.materials,
                                s->offsets, 0, NULL, NULL),
            "offsets");
    s->offsets[s->o.materials] = s->pixels;
    for (cl_uint m = 0; m < s->o.materials; ++m) {
        const cl_uint first = s->offsets[m], count = s->offsets[m + 1] - first;
        const argument list[] = {ARGUMENT(pixels), ARGUMENT(first),      ARGUMENT(count),
                                 ARGUMENT(m),      ARGUMENT(s->o.width), ARGUMENT(s->mem[BINNED])};
        if (count > 0)
            launch(s, SHADE_BIN, ((size_t)count + 63) / 64 * 64, list, 6);
    }
}

static void shade_bins(scene *s)
{
    shade_list(s, s->mem[SORTED_LIST]);
}

static void shade_directly(scene *s)
{
    const argument list[] = {ARGUMENT(s->mem[IDS]), ARGUMENT(s->pixels), ARGUMENT(s->o.width),
                             ARGUMENT(s->mem[DIRECT])};
    launch(s, SHADE_ALL, all_pixels(s), list, 4);
}

static void run_frame(scene *s)
{
    static const struct {
        const char *name;
        void (*run)(scene *s);
    } stages[] = {
        {"visibility buffer", rasterize},          {"pixels of each material", count_materials},
        {"where they begin", find_offsets},        {"list by atomics", bin_pixels},
        {"list by xl_sort", sort_pixels},          {"shading by material", shade_bins},
        {"shading pixel by pixel", shade_directly}};
    for (size_t k = 0; k < sizeof stages / sizeof stages[0]; ++k) {
        double best = 1e30;
        for (int round = 0; round < 3; ++round) {
            if (stages[k].run == bin_pixels) /* cursors start anew */
                find_offsets(s);
            clFinish(s->queue);
            const double since = milliseconds();
            stages[k].run(s);
            must_cl(clFinish(s->queue), stages[k].name);
            const double ms = milliseconds() - since;
            best = ms < best ? ms : best;
        }
        printf("%-24s %9.3f ms\n", stages[k].name, best);
    }
}

/* Whether pixels shaded by material from a list are those shaded one by one. */
static int is_equal(scene *s, cl_mem pixels)
{
    const size_t bytes = 4 * (size_t)s->pixels;
    static const cl_uint nothing = 0;
    must_cl(clEnqueueFillBuffer(s->queue, s->mem[BINNED], &nothing, 4, 0, bytes, 0, NULL, NULL),
            "clEnqueueFillBuffer");
    shade_list(s, pixels);
    must_cl(
        clEnqueueReadBuffer(s->queue, s->mem[BINNED], CL_TRUE, 0, bytes, s->picture, 0, NULL, NULL),
        "picture");
    must_cl(
        clEnqueueReadBuffer(s->queue, s->mem[DIRECT], CL_TRUE, 0, bytes, s->other, 0, NULL, NULL),
        "picture");
    return memcmp(s->picture, s->other, bytes) == 0;
}

static int check_frame(scene *s)
{
    const size_t bytes = 4 * (size_t)s->pixels;
    const int same = is_equal(s, s->mem[LIST]) && is_equal(s, s->mem[SORTED_LIST]);
    cl_uint shown = 0;
    for (cl_uint m = 0; m < s->o.materials; ++m)
        shown += s->offsets[m + 1] > s->offsets[m];
    printf("%u x %u pixels, %u of %u materials are seen; pictures are %s\n", (unsigned)s->o.width,
           (unsigned)s->o.height, (unsigned)shown, (unsigned)s->o.materials,
           same ? "equal in every pixel" : "DIFFERENT");
    printf("list of pixels: %.1f MB; room for all pixels of each material would take %.1f MB\n",
           (double)bytes * 1e-6, (double)bytes * s->o.materials * 1e-6);
    const image picture = {s->o.width, s->o.height, s->picture};
    return same && (!s->o.png || image_write(&picture, s->o.png));
}

/* ---- the scan alone ---- */

static double time_scan(scene *s, xl_plan *plan, cl_mem in, cl_mem out, size_t n)
{
    const xl_scan_args args = {.n = n, .in = xl_view_of(in, 0), .out = xl_view_of(out, 0)};
    double best = 1e30;
    for (int round = 0; round < 6; ++round) {
        clFinish(s->queue);
        const double since = milliseconds();
        must(s, xl_scan_enqueue(plan, s->queue, &args, 0, NULL, NULL), "scan");
        must_cl(clFinish(s->queue), "scan");
        const double ms = milliseconds() - since;
        best = ms < best ? ms : best;
    }
    return best;
}

static cl_uint last_of(const scene *s, cl_mem out, size_t n)
{
    cl_uint last = 0;
    must_cl(clEnqueueReadBuffer(s->queue, out, CL_TRUE, 4 * (n - 1), 4, &last, 0, NULL, NULL),
            "result");
    return last;
}

static int run_scans(scene *s)
{
    static const struct {
        const char *name;
        xl_scan_algorithm algorithm;
    } ways[] = {{"one pass (decoupled look-back)", XL_SCAN_LOOKBACK},
                {"three passes (reduce, then scan)", XL_SCAN_REDUCE_THEN_SCAN}};
    const size_t n = (size_t)1 << s->o.scan_log2, most = n > 1024 ? n : 1024;
    cl_uint *numbers = (cl_uint *)malloc(4 * most);
    int right = 1;
    for (size_t i = 0; numbers && i < most; ++i)
        numbers[i] = (cl_uint)i + 1;
    if (!numbers)
        end_with("host", "no memory");
    cl_mem in = make_buffer(s, 4 * most, numbers), out = make_buffer(s, 4 * most, NULL);
    /* The sum of 1 to n - 1, modulo 2^32. */
    const cl_uint want = (cl_uint)((uint64_t)n * (n - 1) / 2);
    printf("\n%-34s %14s %14s\n", "exclusive sums of 1, 2, 3, ...", "last of 1,024", "2^k, ms");
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; ++k) {
        xl_scan_desc desc;
        xl_plan *plan;
        xl_scan_desc_init(&desc);
        desc.algorithm = ways[k].algorithm;
        const xl_status status = xl_scan_create(s->ctx, &desc, &plan);
        if (status == XL_ERROR_UNSUPPORTED) {
            printf("%-34s the device cannot\n", ways[k].name);
            continue;
        }
        must(s, status, ways[k].name);
        (void)time_scan(s, plan, in, out, 1024);
        const cl_uint last = last_of(s, out, 1024);
        const double ms = time_scan(s, plan, in, out, n);
        right = right && last == 523776 && last_of(s, out, n) == want;
        printf("%-34s %14u %14.3f%s\n", ways[k].name, (unsigned)last, ms, right ? "" : "  WRONG");
        xl_plan_destroy(plan);
    }
    printf("k = %u\n", (unsigned)s->o.scan_log2);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    free(numbers);
    return right;
}

static int read_options(int argc, char **argv, options *o)
{
    for (int k = 1; k + 1 < argc; k += 2) {
        const cl_uint number = (cl_uint)strtoul(argv[k + 1], NULL, 10);
        if (strcmp(argv[k], "--width") == 0)
            o->width = number;
        else if (strcmp(argv[k], "--height") == 0)
            o->height = number;
        else if (strcmp(argv[k], "--materials") == 0)
            o->materials = number;
        else if (strcmp(argv[k], "--scan-log2") == 0)
            o->scan_log2 = number;
        else if (strcmp(argv[k], "--png") == 0)
            o->png = argv[k + 1];
        else
            return 0;
    }
    return argc % 2 == 1 && o->width - 1 < 1 << 14 && o->height - 1 < 1 << 14 &&
           o->materials - 1 < 1 << 20 && o->scan_log2 <= 28;
}

int main(int argc, char **argv)
{
    scene s = {.o = {3840, 2160, 300, 24, NULL}};
    if (!read_options(argc, argv, &s.o)) {
        fprintf(stderr,
                "usage: %s [--width W] [--height H] [--materials M] [--scan-log2 K] "
                "[--png FILE]\n",
                argv[0]);
        return 2;
    }
    make(&s);
    run_frame(&s);
    const int frame = check_frame(&s), scans = run_scans(&s);
    end(&s);
    return frame && scans ? 0 : 1;
}
