/* SPDX-License-Identifier: MIT
 * Problem: count, for each lane, the ones before it within its segment of a sub-warp, at any width
 * and on any device. Code published earlier is wrong there; Park, "Correct implementation of
 * sub-warp parallel prefix operations based on GPU hardware architecture" (2017), corrects it.
 * Checks the worked example of the paper (figure 5) at every width. Then measures its table 4, 2^21
 * to 2^28 elements with several patterns of heads, by a kernel with the library's collective and by
 * xl_scan with XL_SEGMENTS_MASK, and compares both with a copy.
 *
 *   example_09_subwarp_prefix [FIRST_LOG2 [LAST_LOG2]]
 */
#include <crosslane/crosslane.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { GROUP = 512, EXAMPLE = 8 }; /* the paper's blocks have 512 threads */

static const char source[] =
    "#include <crosslane/lanes.cl>\n"
    "\n"
    "__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))\n"
    "void count(const __global uint *in, ulong heads, uint width, __global uint *out)\n"
    "{\n"
    "    __local uint bits[(GROUP + 31) / 32];\n"
    "    const size_t i = get_global_id(0);\n"
    "    out[i] = xl_group_subwarp_count_exclusive(in[i] != 0, heads, width, bits);\n"
    "}\n"
    "__kernel void copy(const __global uint *in, ulong heads, uint width, __global uint *out)\n"
    "{\n"
    "    out[get_global_id(0)] = in[get_global_id(0)];\n"
    "}\n";

typedef struct state {
    xl_context *ctx;
    cl_command_queue queue;
    cl_kernel count, copy;
    size_t group; /* work-items of a group: fewer where the device has no 512 */
    cl_mem in, out;
    cl_uint *host;
} state;

static void check(const state *s, int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "%s: %s\n", what, xl_context_error(s->ctx));
    exit(1);
}

static double milliseconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* ---- the runs ---- */

static void run_kernel(const state *s, cl_kernel kernel, cl_ulong heads, cl_uint width, size_t n)
{
    const size_t items = (n + s->group - 1) / s->group * s->group;
    clSetKernelArg(kernel, 0, sizeof s->in, &s->in);
    clSetKernelArg(kernel, 1, sizeof heads, &heads);
    clSetKernelArg(kernel, 2, sizeof width, &width);
    clSetKernelArg(kernel, 3, sizeof s->out, &s->out);
    check(s,
          clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &items, &s->group, 0, NULL, NULL) ==
              CL_SUCCESS,
          "kernel");
}

static xl_plan *make_scan(const state *s, cl_ulong heads, cl_uint width)
{
    xl_scan_desc desc;
    xl_plan *plan;
    xl_scan_desc_init(&desc); /* exclusive sums of u32 */
    desc.segments = XL_SEGMENTS_MASK;
    desc.segment_width = width;
    desc.segment_mask = heads;
    check(s, xl_scan_create(s->ctx, &desc, &plan) == XL_SUCCESS, "scan");
    return plan;
}

static void run_scan(const state *s, xl_plan *plan, size_t n)
{
    const xl_scan_args args = {.n = n, .in = xl_view_of(s->in, 0), .out = xl_view_of(s->out, 0)};
    check(s, xl_scan_enqueue(plan, s->queue, &args, 0, NULL, NULL) == XL_SUCCESS, "scan");
}

/* The least of 5 times, after one that is not counted: the paper warms up, too. */
static double time_of(const state *s, cl_kernel kernel, xl_plan *plan, cl_ulong heads, size_t n)
{
    double best = 1e30;
    for (int round = 0; round < 6; ++round) {
        clFinish(s->queue);
        const double since = milliseconds();
        if (kernel)
            run_kernel(s, kernel, heads, 32, n);
        else
            run_scan(s, plan, n);
        clFinish(s->queue);
        const double ms = milliseconds() - since;
        best = round > 0 && ms < best ? ms : best;
    }
    return best;
}

/* How many ones stand before element i in its segment: plain counting. */
static int is_right(const state *s, const cl_uint *ones, cl_ulong heads, cl_uint width, size_t n)
{
    cl_uint count = 0;
    clEnqueueReadBuffer(s->queue, s->out, CL_TRUE, 0, 4 * n, s->host, 0, NULL, NULL);
    for (size_t i = 0; i < n; ++i) {
        const cl_uint lane = (cl_uint)(i % width);
        if (lane == 0 || heads >> lane & 1)
            count = 0;
        if (s->host[i] != count)
            return 0;
        count += ones ? ones[i % EXAMPLE] : 1;
    }
    return 1;
}

/* ---- the worked example ---- */

static int worked_example(const state *s)
{
    static const cl_uint ones[EXAMPLE] = {1, 0, 1, 1, 1, 0, 0, 1};
    static const cl_ulong heads = 0x4949494949494949u; /* lanes 0, 3 and 6 of each 8 */
    cl_uint numbers[GROUP];
    int right = 1;
    for (size_t i = 0; i < s->group; ++i)
        numbers[i] = ones[i % EXAMPLE];
    clEnqueueWriteBuffer(s->queue, s->in, CL_TRUE, 0, 4 * s->group, numbers, 0, NULL, NULL);
    printf(
        "p = 1 0 1 1 1 0 0 1, segments begin at lanes 0, 3 and 6; the paper has 0 1 1 0 1 2 0 0\n");
    for (cl_uint width = EXAMPLE; width <= 64; width *= 2) {
        run_kernel(s, s->count, heads, width, s->group);
        const int good = is_right(s, ones, heads, width, s->group);
        printf("rows of %2u:", (unsigned)width);
        for (int i = 0; i < EXAMPLE; ++i)
            printf(" %u", (unsigned)s->host[i]);
        printf("%s\n", good ? "" : "  WRONG");
        right = right && good;
    }
    return right;
}

/* ---- table 4 ---- */

static int table(const state *s, size_t first, size_t last)
{
    static const struct {
        const char *name;
        cl_ulong heads;
    } patterns[] = {
        {"none", 0}, {"every 3rd", 0x49249249u}, {"uneven", 0x80810105u}, {"all", 0xffffffffu}};
    int right = 1;
    printf("\nrows of 32, all ones; ms, and how many times a copy takes\n");
    printf("%6s %-10s %10s %7s %10s %7s %10s\n", "size", "heads", "collective", "", "xl_scan", "",
           "copy");
    for (size_t k = first; k <= last; ++k) {
        const size_t n = (size_t)1 << k;
        const double copy = time_of(s, s->copy, NULL, 0, n);
        for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; ++p) {
            const cl_ulong heads = patterns[p].heads;
            xl_plan *plan = make_scan(s, heads, 32);
            const double kernel = time_of(s, s->count, NULL, heads, n);
            int good = is_right(s, NULL, heads, 32, n);
            const double scan = time_of(s, NULL, plan, 0, n);
            good = good && is_right(s, NULL, heads, 32, n);
            printf("  2^%-2zu %-10s %10.3f %7.2f %10.3f %7.2f %10.3f%s\n", k, patterns[p].name,
                   kernel, kernel / copy, scan, scan / copy, copy, good ? "" : "  WRONG");
            right = right && good;
            xl_plan_destroy(plan);
        }
    }
    return right;
}

static void make(state *s, size_t last)
{
    cl_program program;
    cl_int code;
    xl_device_info info;
    char options[32];
    const size_t n = (size_t)1 << last;
    if (xl_context_create(NULL, &s->ctx) != XL_SUCCESS ||
        xl_context_device_info(s->ctx, &info) != XL_SUCCESS) {
        fprintf(stderr, "%s\n", xl_context_error(s->ctx));
        exit(1);
    }
    s->queue = xl_context_queue(s->ctx);
    s->group = info.max_work_group_size < GROUP ? (size_t)info.max_work_group_size : GROUP;
    snprintf(options, sizeof options, "-DGROUP=%u", (unsigned)s->group);
    check(s, xl_program_create(s->ctx, source, options, &program) == XL_SUCCESS, "program");
    s->count = clCreateKernel(program, "count", &code);
    s->copy = clCreateKernel(program, "copy", &code);
    clReleaseProgram(program);
    s->in = clCreateBuffer(xl_context_cl(s->ctx), 0, 4 * n, NULL, &code);
    s->out = clCreateBuffer(xl_context_cl(s->ctx), 0, 4 * n, NULL, &code);
    s->host = (cl_uint *)malloc(4 * n);
    if (!s->count || !s->copy || !s->in || !s->out || !s->host) {
        fprintf(stderr, "no memory for 2^%zu elements\n", last);
        exit(1);
    }
}

/* All elements are 1, as in the paper. */
static void fill(const state *s, size_t last)
{
    const size_t n = (size_t)1 << last;
    for (size_t i = 0; i < n; ++i)
        s->host[i] = 1;
    clEnqueueWriteBuffer(s->queue, s->in, CL_TRUE, 0, 4 * n, s->host, 0, NULL, NULL);
}

int main(int argc, char **argv)
{
    const size_t first = argc > 1 ? strtoul(argv[1], NULL, 10) : 21;
    const size_t last = argc > 2 ? strtoul(argv[2], NULL, 10) : argc > 1 ? first : 28;
    state s = {0};
    if (first < 10 || last > 30 || first > last || argc > 3) {
        fprintf(stderr, "usage: %s [FIRST_LOG2 [LAST_LOG2]], from 10 to 30\n", argv[0]);
        return 2;
    }
    make(&s, last);
    int right = worked_example(&s);
    fill(&s, last);
    right = table(&s, first, last) && right;
    clReleaseMemObject(s.in);
    clReleaseMemObject(s.out);
    clReleaseKernel(s.count);
    clReleaseKernel(s.copy);
    free(s.host);
    xl_context_destroy(s.ctx);
    return right ? 0 : 1;
}
