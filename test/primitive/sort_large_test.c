/* SPDX-License-Identifier: MIT
 * Sorts of more than 2^32 keys, which the device makes and checks, if CROSSLANE_TEST_LARGE=1 asks
 * for them and memory allows. Cases of sort with large=yes have few keys, whose places a tunable
 * moves to where they pass 2^32. */
#include "scan_support.h"

#include <crosslane/sort.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Kernels for keys and values of some bits. Work-item w has elements [begin, end). */
static const char source[] =
    "ulong mixed(ulong x)\n"
    "{\n"
    "    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ul;\n"
    "    return x ^ x >> 29;\n"
    "}\n"
    "#define BOUNDS const ulong w = get_global_id(0), all = get_global_size(0); \\\n"
    "    const ulong begin = n / all * w + min(w, n % all), \\\n"
    "                end = begin + n / all + (w < n % all ? 1 : 0);\n"
    "__kernel void fill(__global KEY *keys, __global VALUE *values, ulong n)\n"
    "{\n"
    "    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {\n"
    "        keys[i] = (KEY)mixed(i + 1);\n"
    "        if (values)\n"
    "            values[i] = (VALUE)(sizeof(VALUE) == 8 ? i : mixed(i) >> 16);\n"
    "    }\n"
    "}\n"
    "/* The sum over all elements, and how many come before the one before, or have lost their\n"
    " * key. */\n"
    "__kernel void look(__global const KEY *keys, __global const VALUE *values, ulong n,\n"
    "                   __global ulong *sums, __global ulong *faults)\n"
    "{\n"
    "    BOUNDS\n"
    "    ulong sum = 0, fault = 0;\n"
    "    for (ulong i = begin; i < end; ++i) {\n"
    "        const ulong value = values ? values[i] : 0;\n"
    "        sum += mixed(keys[i] + mixed(value + 1));\n"
    "        if (i > 0)\n"
    "            fault += keys[i - 1] > keys[i] || (keys[i - 1] == keys[i] && values &&\n"
    "                     sizeof(VALUE) == 8 && values[i - 1] >= value);\n"
    "        if (values && sizeof(VALUE) == 8)\n"
    "            fault += value >= n || (KEY)mixed(value + 1) != keys[i];\n"
    "    }\n"
    "    sums[w] = sum;\n"
    "    faults[w] = fault;\n"
    "}\n";

enum { WALKERS = 1 << 16 };

typedef struct past {
    cl_program program;
    cl_kernel fill, look;
    cl_mem keys, values, keys_out, values_out, scratch, sums, faults;
    size_t n, key, value; /* bytes */
} past;

static past past_make(size_t n, size_t key, size_t value)
{
    past p = {.n = n, .key = key, .value = value};
    const char *text = source;
    char options[100];
    cl_int code;
    snprintf(options, sizeof options, "-DKEY=%s -DVALUE=%s", key == 1 ? "uchar" : "uint",
             value == 8 ? "ulong" : "uint");
    p.program = clCreateProgramWithSource(xl_context_cl(xlt_context()), 1, &text, NULL, &code);
    XLT_CL(code);
    XLT_CL(clBuildProgram(p.program, 0, NULL, options, NULL, NULL));
    p.fill = clCreateKernel(p.program, "fill", &code);
    XLT_CL(code);
    p.look = clCreateKernel(p.program, "look", &code);
    XLT_CL(code);
    p.keys = plain_buffer(n * key);
    p.values = value ? plain_buffer(n * value) : NULL;
    p.sums = plain_buffer(WALKERS * sizeof(cl_ulong));
    p.faults = plain_buffer(WALKERS * sizeof(cl_ulong));
    return p;
}

static void past_free(past *p)
{
    cl_mem *const all[] = {&p->keys,    &p->values, &p->keys_out, &p->values_out,
                           &p->scratch, &p->sums,   &p->faults};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        if (*all[i])
            XLT_CL(clReleaseMemObject(*all[i]));
    clReleaseKernel(p->fill);
    clReleaseKernel(p->look);
    clReleaseProgram(p->program);
}

static void past_run(const past *p, cl_kernel kernel, cl_mem keys, cl_mem values)
{
    const size_t walkers = WALKERS;
    const cl_ulong n = p->n;
    XLT_CL(clSetKernelArg(kernel, 0, sizeof keys, &keys));
    XLT_CL(clSetKernelArg(kernel, 1, sizeof values, values ? &values : NULL));
    XLT_CL(clSetKernelArg(kernel, 2, sizeof n, &n));
    if (kernel == p->look) {
        XLT_CL(clSetKernelArg(kernel, 3, sizeof p->sums, &p->sums));
        XLT_CL(clSetKernelArg(kernel, 4, sizeof p->faults, &p->faults));
    }
    XLT_CL(clEnqueueNDRangeKernel(xlt_queue(), kernel, 1, NULL, &walkers, NULL, 0, NULL, NULL));
}

static cl_ulong past_total(cl_mem mem)
{
    static cl_ulong each[WALKERS];
    cl_ulong total = 0;
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), mem, CL_TRUE, 0, sizeof each, each, 0, NULL, NULL));
    for (size_t w = 0; w < WALKERS; ++w)
        total += each[w];
    return total;
}

static double seconds_now(void)
{
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void past_sort(past *p, const xl_sort_desc *desc, bool in_place)
{
    xl_plan *plan;
    size_t bytes;
    XLT_OK(xl_sort_create(xlt_context(), desc, &plan));
    XLT_OK(xl_sort_scratch(plan, &(xl_sort_args){.n = p->n}, &bytes));
    p->scratch = plain_buffer(bytes);
    if (!in_place) {
        p->keys_out = plain_buffer(p->n * p->key);
        p->values_out = p->value ? plain_buffer(p->n * p->value) : NULL;
    }
    past_run(p, p->fill, p->keys, p->values);
    past_run(p, p->look, p->keys, p->values);
    const cl_ulong sum = past_total(p->sums);
    const cl_mem keys = in_place ? p->keys : p->keys_out;
    const cl_mem values = in_place ? p->values : p->values_out;
    const xl_sort_args args = {.n = p->n,
                               .keys_in = xl_view_of(p->keys, 0),
                               .values_in = xl_view_of(p->values, 0),
                               .keys_out = xl_view_of(keys, 0),
                               .values_out = xl_view_of(values, 0),
                               .scratch = xl_view_of(p->scratch, 0)};
    for (int run = 0; run < (in_place || xlt_small() ? 1 : 2); ++run) { /* 1 knows all memory */
        XLT_CL(clFinish(xlt_queue()));
        const double start = seconds_now();
        XLT_OK(xl_sort_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
        XLT_CL(clFinish(xlt_queue()));
        print_message("%s, %zu keys of %zu bytes, values of %zu: %.3f ms\n", xlt_device(), p->n,
                      p->key, p->value, 1e3 * (seconds_now() - start));
    }
    past_run(p, p->look, keys, values);
    assert_int_equal(past_total(p->faults), 0);
    assert_int_equal(past_total(p->sums), sum);
    xl_plan_destroy(plan);
}

/* Whether there is memory for `arrays` arrays of n keys with values; prints a line if not. */
static bool past_fits(size_t n, size_t key, size_t value, size_t arrays)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    if (info.max_buffer_bytes >= n * (key > value ? key : value) &&
        info.global_bytes / 21 * 20 >= arrays * n * (key + value))
        return true;
    print_message("%s: no memory for %zu keys of %zu bytes with values of %zu\n", xlt_device(), n,
                  key, value);
    return false;
}

typedef struct large_case {
    size_t n;
    xl_type key, value;
    uint32_t large;
    bool in_place;
} large_case;

static void sort_cases(size_t count, const large_case *cases)
{
    size_t done = 0;
    for (const large_case *c = cases; c < cases + count; ++c) {
        const size_t key = xl_type_size(c->key), value = xl_type_size(c->value);
        xl_sort_desc desc;
        xl_sort_desc_init(&desc);
        desc.key = c->key;
        desc.value = c->value;
        desc.large = c->large;
        if (!past_fits(c->n, key, value, c->in_place ? 2 : 3))
            continue;
        past p = past_make(c->n, key, value);
        past_sort(&p, &desc, c->in_place);
        past_free(&p);
        ++done;
    }
    if (done == 0)
        skip();
}

XLT_TEST(keys_past_2_to_32)
{
    const size_t n = ((size_t)1 << large_log_or_skip()) + (1 << 20) + 7;
    const large_case cases[] = {{n, XL_U8, XL_NONE, 1, false},
                                {n, XL_U32, XL_NONE, 1, false},
                                {n, XL_U32, XL_U32, 1, true},
                                {n, XL_U8, XL_U64, 1, true}};
    sort_cases(sizeof cases / sizeof *cases, cases);
}

/* Of 2^31 keys places end with the sign of 32 bits, of 2^32 with the last of them. */
XLT_TEST(keys_at_powers_of_two)
{
    const size_t limit = (size_t)1 << large_log_or_skip();
    const large_case cases[] = {{limit / 2, XL_U8, XL_NONE, 0, true},
                                {limit / 2, XL_U8, XL_NONE, 1, true},
                                {limit - 1, XL_U8, XL_NONE, 0, true},
                                {limit, XL_U8, XL_NONE, 1, true}};
    sort_cases(sizeof cases / sizeof *cases, cases);
}

XLT_MAIN(NULL, xlt_teardown)
