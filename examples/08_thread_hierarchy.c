/* SPDX-License-Identifier: MIT
 * Problem: run a kernel over a picture of any size, and make a blur fast by sharing pixels. Groups
 * of 32 x 32 work-items paint a checkerboard with a palette from the numbers of the group and of
 * the work-item. Then a separable blur of radius 5 runs, with and without local memory: each group
 * first loads its row of pixels and 5 more on both sides. Groups may exceed the border of the
 * picture, so the kernels test for it. Compares the blur with a serial one, and the speeds with a
 * copy.
 *
 *   example_08_thread_hierarchy [IN.png | WIDTHxHEIGHT] [OUT.png]
 */
#include <crosslane/crosslane.h>

#include "image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RADIUS = 5, TAPS = 2 * RADIUS + 1, ROUNDS = 5 };

/* The tutorial's weights, divided by their sum of 1.1, which would brighten the picture. */
static const float weights[TAPS] = {0.05f, 0.05f, 0.1f, 0.1f,  0.1f, 0.2f,
                                    0.1f,  0.1f,  0.1f, 0.05f, 0.05f};

static const char source[] =
    "#define RADIUS 5\n"
    "#define PIXEL(x, y) (min(max((y), 0), height - 1) * width + min(max((x), 0), width - 1))\n"
    "\n"
    "/* A cosine palette: a + b cos(2 pi (c t + d)). */\n"
    "float3 palette(float t)\n"
    "{\n"
    "    return 0.5f + 0.5f * cos(6.28318f * (t + (float3)(0.0f, 0.33f, 0.67f)));\n"
    "}\n"
    "__kernel void checkerboard(__global uchar4 *out, int width, int height)\n"
    "{\n"
    "    const int x = (int)get_global_id(0), y = (int)get_global_id(1);\n"
    "    const float3 color = get_group_id(0) % 2 == 0 ^ get_group_id(1) % 2 == 0\n"
    "        ? palette(x / 640.0f) : (float3)(0.9f);\n"
    "    if (x < width && y < height)\n"
    "        out[y * width + x] = convert_uchar4_sat_rte((float4)(color, 1.0f) * 255.0f);\n"
    "}\n"
    "\n"
    "/* Along one axis: step is (1, 0) or (0, 1), and a work-item goes along dimension 0. */\n"
    "__kernel void blur_plain(const __global uchar4 *in, __global uchar4 *out,\n"
    "                         __constant float *weights, int width, int height, int across)\n"
    "{\n"
    "    const int x = (int)get_global_id(across ? 0 : 1), y = (int)get_global_id(across ? 1 : "
    "0);\n"
    "    float4 sum = 0.0f;\n"
    "    for (int k = -RADIUS; k <= RADIUS; ++k)\n"
    "        sum += weights[k + RADIUS] * convert_float4(across ? in[PIXEL(x + k, y)]\n"
    "                                                           : in[PIXEL(x, y + k)]);\n"
    "    if (x < width && y < height)\n"
    "        out[y * width + x] = convert_uchar4_sat_rte(sum);\n"
    "}\n"
    "\n"
    "/* The same from a tile in local memory: GROUP pixels and RADIUS more on both sides. */\n"
    "__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))\n"
    "void blur_tile(const __global uchar4 *in, __global uchar4 *out, __constant float *weights,\n"
    "               int width, int height, int across)\n"
    "{\n"
    "    __local uchar4 tile[GROUP + 2 * RADIUS];\n"
    "    const int first = (int)(get_group_id(0) * GROUP) - RADIUS, item = (int)get_local_id(0);\n"
    "    const int line = (int)get_global_id(1), place = first + RADIUS + item;\n"
    "    for (int k = item; k < GROUP + 2 * RADIUS; k += GROUP)\n"
    "        tile[k] = across ? in[PIXEL(first + k, line)] : in[PIXEL(line, first + k)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    float4 sum = 0.0f;\n"
    "    for (int k = 0; k <= 2 * RADIUS; ++k)\n"
    "        sum += weights[k] * convert_float4(tile[item + k]);\n"
    "    const int x = across ? place : line, y = across ? line : place;\n"
    "    if (x < width && y < height)\n"
    "        out[y * width + x] = convert_uchar4_sat_rte(sum);\n"
    "}\n"
    "__kernel void copy(const __global uchar4 *in, __global uchar4 *out, __constant float "
    "*weights,\n"
    "                   int width, int height, int across)\n"
    "{\n"
    "    const int x = (int)get_global_id(0), y = (int)get_global_id(1);\n"
    "    if (x < width && y < height)\n"
    "        out[y * width + x] = in[y * width + x];\n"
    "}\n";

typedef struct state {
    xl_context *ctx;
    cl_command_queue queue;
    cl_program program;
    size_t group; /* work-items of a row */
    image picture;
    size_t pixels;
    float taps[TAPS];
    cl_mem in, middle, out, weights;
} state;

static void must(const state *s, int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "%s: %s\n", what, s->ctx ? xl_context_error(s->ctx) : xl_context_error(NULL));
    exit(1);
}

static double milliseconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* ---- kernels ---- */

static size_t up(size_t n, size_t step)
{
    return (n + step - 1) / step * step;
}

static void paint(const state *s)
{
    const cl_int width = (cl_int)s->picture.width, height = (cl_int)s->picture.height;
    cl_kernel kernel = clCreateKernel(s->program, "checkerboard", NULL);
    xl_device_info info;
    must(s, xl_context_device_info(s->ctx, &info) == XL_SUCCESS, "device");
    size_t group[2] = {32, 32};
    while (group[0] * group[1] > info.max_work_group_size) /* its squares come out lower */
        group[1] /= 2;
    const size_t items[2] = {up(s->picture.width, group[0]), up(s->picture.height, group[1])};
    clSetKernelArg(kernel, 0, sizeof s->in, &s->in);
    clSetKernelArg(kernel, 1, sizeof width, &width);
    clSetKernelArg(kernel, 2, sizeof height, &height);
    must(s,
         clEnqueueNDRangeKernel(s->queue, kernel, 2, NULL, items, group, 0, NULL, NULL) ==
             CL_SUCCESS,
         "checkerboard");
    clReleaseKernel(kernel);
}

/* Rows, or columns: dimension 0 goes along the blur, so that a group has a piece of a line. */
static void run_pass(const state *s, cl_kernel kernel, cl_mem in, cl_mem out, cl_int across)
{
    const cl_int width = (cl_int)s->picture.width, height = (cl_int)s->picture.height;
    const size_t along = across ? s->picture.width : s->picture.height;
    const size_t items[2] = {up(along, s->group), across ? s->picture.height : s->picture.width};
    const size_t group[2] = {s->group, 1};
    clSetKernelArg(kernel, 0, sizeof in, &in);
    clSetKernelArg(kernel, 1, sizeof out, &out);
    clSetKernelArg(kernel, 2, sizeof s->weights, &s->weights);
    clSetKernelArg(kernel, 3, sizeof width, &width);
    clSetKernelArg(kernel, 4, sizeof height, &height);
    clSetKernelArg(kernel, 5, sizeof across, &across);
    must(s,
         clEnqueueNDRangeKernel(s->queue, kernel, 2, NULL, items, group, 0, NULL, NULL) ==
             CL_SUCCESS,
         "kernel");
}

/* ---- the serial blur ---- */

static void blur_line(const state *s, const unsigned char *in, unsigned char *out, int across)
{
    const int width = (int)s->picture.width, height = (int)s->picture.height;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (int c = 0; c < 4; ++c) {
                float sum = 0.5f;
                for (int k = -RADIUS; k <= RADIUS; ++k) {
                    int i = across ? x + k : x, j = across ? y : y + k;
                    i = i < 0 ? 0 : i >= width ? width - 1 : i;
                    j = j < 0 ? 0 : j >= height ? height - 1 : j;
                    sum += s->taps[k + RADIUS] *
                           in[4 * ((size_t)j * (size_t)width + (size_t)i) + (size_t)c];
                }
                out[4 * ((size_t)y * (size_t)width + (size_t)x) + (size_t)c] =
                    (unsigned char)(sum > 255 ? 255 : sum);
            }
}

/* The largest difference of a byte. */
static int difference(const unsigned char *a, const unsigned char *b, size_t bytes)
{
    int most = 0;
    for (size_t i = 0; i < bytes; ++i)
        most = abs(a[i] - b[i]) > most ? abs(a[i] - b[i]) : most;
    return most;
}

/* ---- output ---- */

/* Two passes of one kernel, along rows and then columns; the largest difference from the serial
 * blur. In a copy (want is NULL) both go along rows. */
static int run_blur(const state *s, const char *name, const char *said, const unsigned char *want)
{
    cl_kernel kernel = clCreateKernel(s->program, name, NULL);
    double best = 1e30;
    unsigned char *got = (unsigned char *)malloc(4 * s->pixels);
    must(s, kernel && got, name);
    for (int round = 0; round <= ROUNDS; ++round) {
        clFinish(s->queue);
        const double since = milliseconds();
        run_pass(s, kernel, s->in, s->middle, 1);
        run_pass(s, kernel, s->middle, s->out, want ? 0 : 1);
        clFinish(s->queue);
        const double ms = milliseconds() - since;
        best = round > 0 && ms < best ? ms : best;
    }
    clEnqueueReadBuffer(s->queue, s->out, CL_TRUE, 0, 4 * s->pixels, got, 0, NULL, NULL);
    const int off = want ? difference(got, want, 4 * s->pixels) : 0;
    printf("%-28s %9.3f ms %8.2f GB/s", said, best, 16e-6 * (double)s->pixels / best);
    printf(want ? "   differs by at most %d\n" : "\n", off);
    clReleaseKernel(kernel);
    free(got);
    return off;
}

static void make(state *s, const char *input)
{
    xl_device_info info;
    char options[32];
    unsigned width = 1280, height = 720;
    if (input && sscanf(input, "%ux%u", &width, &height) != 2 && !image_read(input, &s->picture))
        exit(1);
    must(s, xl_context_create(NULL, &s->ctx) == XL_SUCCESS, "device");
    must(s, xl_context_device_info(s->ctx, &info) == XL_SUCCESS, "device");
    s->queue = xl_context_queue(s->ctx);
    s->group = info.max_work_group_size < 256 ? (size_t)info.max_work_group_size : 256;
    snprintf(options, sizeof options, "-DGROUP=%u", (unsigned)s->group);
    must(s, xl_program_create(s->ctx, source, options, &s->program) == XL_SUCCESS, "kernels");
    const int given = s->picture.pixels != NULL;
    if (!given && width - 1 < 1 << 14 && height - 1 < 1 << 14) {
        s->picture.width = width;
        s->picture.height = height;
        s->picture.pixels = (uint32_t *)calloc((size_t)width * height, 4);
    }
    if (!s->picture.pixels) {
        fprintf(stderr, "%s: sizes are 1x1 to 16384x16384\n", input ? input : "picture");
        exit(2);
    }
    s->pixels = (size_t)s->picture.width * s->picture.height;
    for (int k = 0; k < TAPS; ++k)
        s->taps[k] = weights[k] / 1.1f;
    cl_context cl = xl_context_cl(s->ctx);
    s->in = clCreateBuffer(cl, CL_MEM_COPY_HOST_PTR, 4 * s->pixels, s->picture.pixels, NULL);
    s->middle = clCreateBuffer(cl, 0, 4 * s->pixels, NULL, NULL);
    s->out = clCreateBuffer(cl, 0, 4 * s->pixels, NULL, NULL);
    s->weights = clCreateBuffer(cl, CL_MEM_COPY_HOST_PTR, sizeof s->taps, s->taps, NULL);
    must(s, s->in && s->middle && s->out && s->weights, "buffers");
    if (given)
        return;
    paint(s);
    clEnqueueReadBuffer(s->queue, s->in, CL_TRUE, 0, 4 * s->pixels, s->picture.pixels, 0, NULL,
                        NULL);
}

static void end(state *s)
{
    clReleaseMemObject(s->in);
    clReleaseMemObject(s->middle);
    clReleaseMemObject(s->out);
    clReleaseMemObject(s->weights);
    clReleaseProgram(s->program);
    free(s->picture.pixels);
    xl_context_destroy(s->ctx);
}

int main(int argc, char **argv)
{
    state s = {0};
    make(&s, argc > 1 ? argv[1] : NULL);
    unsigned char *half = (unsigned char *)malloc(4 * s.pixels);
    unsigned char *want = (unsigned char *)malloc(4 * s.pixels);
    must(&s, half && want, "host");
    blur_line(&s, (const unsigned char *)s.picture.pixels, half, 1);
    blur_line(&s, half, want, 0);
    printf("%u x %u pixels, two passes each\n", (unsigned)s.picture.width,
           (unsigned)s.picture.height);
    (void)run_blur(&s, "copy", "copy", NULL);
    const int plain = run_blur(&s, "blur_plain", "blur from global memory", want);
    const int tile = run_blur(&s, "blur_tile", "blur from a tile", want);
    int right = plain <= 1 && tile <= 1;
    if (argc > 2) {
        clEnqueueReadBuffer(s.queue, s.out, CL_TRUE, 0, 4 * s.pixels, s.picture.pixels, 0, NULL,
                            NULL);
        right = image_write(&s.picture, argv[2]) && right;
    }
    free(half);
    free(want);
    end(&s);
    return right ? 0 : 1;
}
