/* SPDX-License-Identifier: MIT
 * Merges of more than 2^32 keys, which the device makes and checks, if CROSSLANE_TEST_LARGE=1 asks
 * for them and memory allows. Cases of merge with large=yes have few keys, whose places a tunable
 * moves to where they pass 2^32.
 *
 * Two sorted arrays of u8 lie one behind the other in one buffer. So the result is known: a key is
 * as often in it as in both, and its values are those of the first array, then of the second. */
#include "scan_support.h"

#include <crosslane/merge.h>

/* Work-item w has elements [begin, end). */
static const char source[] =
    "#define BOUNDS const ulong w = get_global_id(0), all = get_global_size(0); \\\n"
    "    const ulong begin = n / all * w + min(w, n % all), \\\n"
    "                end = begin + n / all + (w < n % all ? 1 : 0);\n"
    "/* Keys x from starts[x] on, and as values all the same. */\n"
    "__kernel void fill(__global uchar *keys, __global uchar *values, ulong first, ulong n,\n"
    "                   __global const ulong *starts, uchar value)\n"
    "{\n"
    "    BOUNDS\n"
    "    uint key = 0;\n"
    "    for (ulong i = begin; i < end; ++i) {\n"
    "        while (key < 255 && starts[key + 1] <= i)\n"
    "            ++key;\n"
    "        keys[first + i] = key;\n"
    "        if (values)\n"
    "            values[first + i] = value;\n"
    "    }\n"
    "}\n"
    "/* Counts the wrong elements. */\n"
    "__kernel void look(__global const uchar *keys, __global const uchar *values, ulong n,\n"
    "                   __global const ulong *a, __global const ulong *b, __global ulong *faults)\n"
    "{\n"
    "    BOUNDS\n"
    "    ulong fault = 0;\n"
    "    uint key = 0;\n"
    "    for (ulong i = begin; i < end; ++i) {\n"
    "        while (key < 255 && a[key + 1] + b[key + 1] <= i)\n"
    "            ++key;\n"
    "        fault += keys[i] != key || (values && values[i] != (i >= a[key + 1] + b[key]));\n"
    "    }\n"
    "    faults[w] = fault;\n"
    "}\n";

enum { WALKERS = 1 << 14, KEYS = 256 };

/* Arrays a and b: n keys, of which key x begins at starts[x]. */
typedef struct side {
    size_t n;
    cl_mem starts;
} side;

typedef struct past {
    cl_program program;
    cl_kernel fill, look;
    cl_mem keys, values, keys_out, values_out, faults;
    side of[2];
    size_t n;
} past;

/* Every key is as frequent as the others, or small keys are rarer. */
static side side_make(size_t n, bool rises)
{
    cl_int code;
    cl_ulong starts[KEYS + 1];
    for (size_t x = 0; x <= KEYS; ++x)
        starts[x] = rises ? n / (KEYS * KEYS) * x * x : n / KEYS * x;
    starts[KEYS] = n;
    const side s = {n, clCreateBuffer(xl_context_cl(xlt_context()),
                                      CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof starts,
                                      starts, &code)};
    XLT_CL(code);
    return s;
}

static past past_make(size_t n, bool has_values)
{
    const char *text = source;
    const size_t n_a = n / 2 + 12345;
    cl_int code;
    past p = {.of = {side_make(n_a, false), side_make(n - n_a, true)}, .n = n};
    p.program = clCreateProgramWithSource(xl_context_cl(xlt_context()), 1, &text, NULL, &code);
    XLT_CL(code);
    XLT_CL(clBuildProgram(p.program, 0, NULL, "", NULL, NULL));
    p.fill = clCreateKernel(p.program, "fill", &code);
    XLT_CL(code);
    p.look = clCreateKernel(p.program, "look", &code);
    XLT_CL(code);
    p.keys = plain_buffer(n);
    p.keys_out = plain_buffer(n);
    p.values = has_values ? plain_buffer(n) : NULL;
    p.values_out = has_values ? plain_buffer(n) : NULL;
    p.faults = plain_buffer(WALKERS * sizeof(cl_ulong));
    return p;
}

static void past_free(past *p)
{
    const cl_mem all[] = {p->keys,   p->values,       p->keys_out,    p->values_out,
                          p->faults, p->of[0].starts, p->of[1].starts};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        if (all[i])
            XLT_CL(clReleaseMemObject(all[i]));
    XLT_CL(clReleaseKernel(p->fill));
    XLT_CL(clReleaseKernel(p->look));
    XLT_CL(clReleaseProgram(p->program));
}

static void past_arrays(cl_kernel kernel, cl_mem keys, cl_mem values)
{
    XLT_CL(clSetKernelArg(kernel, 0, sizeof keys, &keys));
    XLT_CL(clSetKernelArg(kernel, 1, sizeof values, values ? &values : NULL));
}

static void past_launch(cl_kernel kernel)
{
    const size_t walkers = WALKERS;
    XLT_CL(clEnqueueNDRangeKernel(xlt_queue(), kernel, 1, NULL, &walkers, NULL, 0, NULL, NULL));
}

static void past_fill(const past *p)
{
    past_arrays(p->fill, p->keys, p->values);
    for (unsigned k = 0; k < 2; ++k) {
        const cl_ulong first = k ? p->of[0].n : 0, n = p->of[k].n;
        const cl_uchar value = (cl_uchar)k;
        XLT_CL(clSetKernelArg(p->fill, 2, sizeof first, &first));
        XLT_CL(clSetKernelArg(p->fill, 3, sizeof n, &n));
        XLT_CL(clSetKernelArg(p->fill, 4, sizeof(cl_mem), &p->of[k].starts));
        XLT_CL(clSetKernelArg(p->fill, 5, sizeof value, &value));
        past_launch(p->fill);
    }
}

static cl_ulong past_faults(const past *p)
{
    static cl_ulong each[WALKERS];
    const cl_ulong n = p->n;
    cl_ulong total = 0;
    past_arrays(p->look, p->keys_out, p->values_out);
    XLT_CL(clSetKernelArg(p->look, 2, sizeof n, &n));
    XLT_CL(clSetKernelArg(p->look, 3, sizeof(cl_mem), &p->of[0].starts));
    XLT_CL(clSetKernelArg(p->look, 4, sizeof(cl_mem), &p->of[1].starts));
    XLT_CL(clSetKernelArg(p->look, 5, sizeof(cl_mem), &p->faults));
    past_launch(p->look);
    XLT_CL(
        clEnqueueReadBuffer(xlt_queue(), p->faults, CL_TRUE, 0, sizeof each, each, 0, NULL, NULL));
    for (size_t w = 0; w < WALKERS; ++w)
        total += each[w];
    return total;
}

static void past_merge(const past *p, xl_plan *plan, bool runs)
{
    const cl_uchar nothing = 0;
    const size_t n_a = p->of[0].n, ends[] = {0, n_a, p->n};
    const xl_merge_args two = {.n_a = n_a,
                               .n_b = p->n - n_a,
                               .keys_a = xl_view_of(p->keys, 0),
                               .values_a = xl_view_of(p->values, 0),
                               .keys_b = xl_view_of(p->keys, n_a),
                               .values_b = xl_view_of(p->values, p->values ? n_a : 0),
                               .keys_out = xl_view_of(p->keys_out, 0),
                               .values_out = xl_view_of(p->values_out, 0)},
                        one = {.n_a = p->n,
                               .num_runs = 2,
                               .runs = ends,
                               .keys_a = xl_view_of(p->keys, 0),
                               .values_a = xl_view_of(p->values, 0),
                               .keys_out = xl_view_of(p->keys_out, 0),
                               .values_out = xl_view_of(p->values_out, 0)};
    XLT_CL(clEnqueueFillBuffer(xlt_queue(), p->keys_out, &nothing, 1, 0, p->n, 0, NULL, NULL));
    XLT_OK(xl_merge_enqueue(plan, xlt_queue(), runs ? &one : &two, 0, NULL, NULL));
    assert_int_equal(past_faults(p), 0);
}

/* Whether there is memory for n keys, with values or without; prints a line if not. */
static bool past_fits(size_t n, size_t arrays)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    if (info.max_buffer_bytes >= n && info.global_bytes / 21 * 20 >= arrays * n)
        return true;
    print_message("%s: no memory for %zu arrays of %zu bytes\n", xlt_device(), arrays, n);
    return false;
}

static void merge_both_ways(bool has_values)
{
    const size_t n = ((size_t)1 << large_log_or_skip()) + (1 << 20) + 7;
    xl_plan *plan;
    xl_merge_desc desc;
    xl_merge_desc_init(&desc);
    desc.key = XL_U8;
    desc.value = has_values ? XL_U8 : XL_NONE;
    if (!past_fits(n, has_values ? 4 : 2))
        skip();
    past p = past_make(n, has_values);
    XLT_OK(xl_merge_create(xlt_context(), &desc, &plan));
    past_fill(&p);
    past_merge(&p, plan, false);
    past_merge(&p, plan, true);
    xl_plan_destroy(plan);
    past_free(&p);
}

XLT_TEST(keys_past_2_to_32)
{
    merge_both_ways(false);
}

XLT_TEST(values_past_2_to_32)
{
    merge_both_ways(true);
}

XLT_MAIN(NULL, xlt_teardown)
