/* SPDX-License-Identifier: MIT
 * Sorts that may have more than 2^32 keys: their programs with few keys, whose places a tunable
 * moves to where they pass 2^32, and, where CROSSLANE_TEST_LARGE=1 asks for it and memory allows,
 * with as many, which the device makes and checks. */
#include "sort_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- few keys -------------------------------------------------------------- */

/* Places begin at so many below 2^32. */
enum { BELOW = 500, MOST_SMALL = 5001, FEW = 1001 };

/* How a plan takes its keys. Each row is another program. */
typedef struct way {
    const char *what;
    xl_tunable tunables[10];
} way;

#define COMMON                                                                                     \
    {"sort.inject_places", BELOW}, {"sort.radix_chunks", 200}, {"sort.radix_least", 1000},         \
    {                                                                                              \
        "sort.radix_most", 1000                                                                    \
    }
static const way ways[] = {
    {"buckets", {COMMON, {"sort.shape", 1}, {"sort.radix_alone", 0}}},
    {"all digits", {COMMON, {"sort.shape", 1}, {"sort.radix_alone", 0}, {"sort.radix_buckets", 0}}},
    {"one work-item", {COMMON, {"sort.shape", 1}}},
    {"groups", {COMMON, {"sort.shape", 0}, {"sort.sweep", 0}}},
    {"sweeps of three tiles",
     {COMMON,
      {"sort.shape", 0},
      {"sort.sweep_bytes", 8},
      {"sort.sweep_pair_bytes", 8},
      {"sort.sweep_wide_bytes", 16},
      {"sort.part_tiles", 3}}},
    {"sweeps of five tiles, of which two have room, every third late",
     {COMMON,
      {"sort.shape", 0},
      {"sort.sweep_bytes", 8},
      {"sort.part_tiles", 5},
      {"sort.ring_tiles", 2},
      {"sort.spin_limit", 3}}},
};
enum { WAYS = sizeof ways / sizeof ways[0], DIGITS = 1, GROUPS = 3, SWEEPS = 4, LATE = 5 };
static const xl_tunable late = {"sort.inject_delay", 3};

typedef struct form {
    xl_type key;
    uint32_t value, more; /* more_values[0] */
    xl_sort_order order;
    uint32_t end_bit;
} form;
static const form forms[] = {
    {XL_U32, XL_NONE, XL_NONE, XL_ASCENDING, 0},
    {XL_U16, XL_U32, XL_NONE, XL_DESCENDING, 0},
    {XL_U8, XL_SORT_BYTES(12), XL_U64, XL_ASCENDING, 0},
    {XL_F32, XL_SORT_INDICES, XL_SORT_BYTES(12), XL_ASCENDING, 0},
    {XL_U64, XL_U64, XL_NONE, XL_ASCENDING, 0},
    {XL_I32, XL_U64, XL_NONE, XL_DESCENDING, 0},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

/* A plan with its descriptor, which borrows the tunables. */
typedef struct large_plan {
    xl_tunable tunables[11];
    xl_sort_desc desc;
    xl_sort *plan; /* NULL: the device has no such sort */
} large_plan;

static void plan_make(large_plan *p, const form *f, const way *w)
{
    memset(p, 0, sizeof *p);
    p->desc = sort_desc(f->key, (xl_type)f->value, f->order, XL_SORT_AUTO);
    p->desc.more_values[0] = f->more;
    p->desc.end_bit = f->end_bit;
    p->desc.large = 1;
    p->desc.tunables = p->tunables;
    for (size_t t = 0; t < 10 && w->tunables[t].name; ++t)
        p->tunables[p->desc.num_tunables++] = w->tunables[t];
    if (w == &ways[LATE])
        p->tunables[p->desc.num_tunables++] = late;
    p->plan = sort_plan_by_digits(xlt_context(), &p->desc, w->what);
}

/* Values of `bytes`: the place of each key, and that again. */
static unsigned char *places_of(size_t n, size_t bytes)
{
    unsigned char *const values = bytes_for(n, bytes);
    for (size_t i = 0; i < n; ++i)
        for (size_t b = 0; b < bytes; ++b)
            values[i * bytes + b] = (unsigned char)(i >> 8 * (b % 3));
    return values;
}

/* Each value has its key, all are whole, and equal keys have stayed in order. */
static void check_places(const char *what, const large_plan *p, size_t n, const void *keys,
                         const void *sorted, const unsigned char *values, size_t bytes)
{
    const size_t size = xl_type_size((xl_type)p->desc.key);
    const char *const before = keys, *const after = sorted;
    size_t last = 0;
    for (size_t i = 0; i < n; ++i) {
        const unsigned char *const v = values + i * bytes;
        const size_t at = v[0] | (size_t)v[1] << 8 | (size_t)v[2] << 16;
        for (size_t b = 3; b < bytes; ++b)
            if (v[b] != v[b % 3] && !(bytes == 4 && b == 3))
                XLT_FAIL("%s, n %zu: value %zu is in pieces", what, n, i);
        if (at >= n || memcmp(before + at * size, after + i * size, size) != 0)
            XLT_FAIL("%s, n %zu: value %zu has lost its key", what, n, i);
        if (i > 0 && last >= at && memcmp(after + (i - 1) * size, after + i * size, size) == 0)
            XLT_FAIL("%s, n %zu: equal keys have changed places at %zu", what, n, i);
        last = at;
    }
}

/* One sort, with up to two arrays of values. */
static void sort_once(const way *w, const large_plan *p, size_t n, sort_pattern keys_are,
                      bool in_place)
{
    const xl_sort_desc *const d = &p->desc;
    const bool makes = d->value == XL_SORT_INDICES;
    const size_t key = xl_type_size((xl_type)d->key);
    const uint32_t kinds[2] = {d->value, d->more_values[0]};
    size_t scratch_bytes, alignment;
    void *const keys = bytes_for(n, key), *const sorted = bytes_for(n, key);
    unsigned char *values[2] = {NULL, NULL};
    xlt_buffer in[2] = {{0}}, out[2] = {{0}};
    sort_fill(keys, keys_are, (xl_type)d->key, n, 11);
    xlt_buffer keys_in = xlt_buffer_make(keys, n, key, 3);
    xlt_buffer keys_out = in_place ? keys_in : xlt_buffer_make(NULL, n, key, 5);
    for (size_t a = 0; a < 2 && kinds[a] != XL_NONE; ++a) {
        const size_t bytes = sort_value_bytes(kinds[a]);
        values[a] = places_of(n, bytes);
        in[a] = xlt_buffer_make(values[a], n, bytes, 1);
        out[a] = in_place ? in[a] : xlt_buffer_make(NULL, n, bytes, 2);
    }
    XLT_OK(xl_sort_scratch(p->plan, n, &scratch_bytes, &alignment));
    xlt_buffer scratch = xlt_scratch_make(scratch_bytes, alignment);
    XLT_OK(xl_sort_enqueue(p->plan, xlt_queue(),
                           &(xl_sort_args){.n = n,
                                           .keys_in = xlt_view(&keys_in),
                                           .values_in = makes ? xl_no_view() : xlt_view(&in[0]),
                                           .keys_out = xlt_view(&keys_out),
                                           .values_out = xlt_view(&out[0]),
                                           .more_values_in = {xlt_view(&in[1])},
                                           .more_values_out = {xlt_view(&out[1])},
                                           .scratch = xlt_view(&scratch)},
                           0, NULL, NULL));
    const sort_trial t = sort_trial_of(d, p->plan, n, keys_are);
    void *const wanted = sort_wanted(&t, keys);
    xlt_read(&keys_out, sorted);
    if (memcmp(sorted, wanted, n * key) != 0)
        XLT_FAIL("%s, %s keys, n %zu: wrong keys", w->what, xl_type_name((xl_type)d->key), n);
    for (size_t a = 0; a < 2 && kinds[a] != XL_NONE; ++a) {
        xlt_read(&out[a], values[a]);
        check_places(w->what, p, n, keys, sorted, values[a], sort_value_bytes(kinds[a]));
        xlt_check_guards(&out[a], "values_out");
        if (!in_place)
            xlt_buffer_free(&out[a]);
        xlt_buffer_free(&in[a]);
        free(values[a]);
    }
    xlt_check_guards(&keys_out, "keys_out");
    if (scratch.mem)
        xlt_check_guards(&scratch, "scratch");
    if (!in_place)
        xlt_buffer_free(&keys_out);
    xlt_buffer_free(&keys_in);
    xlt_buffer_free(&scratch);
    free(wanted);
    free(keys);
    free(sorted);
}

/* Each way with some of the forms, in place and not, from no key to several chunks and parts. */
static void places_past_2_to_32(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 2, 255, FEW, 4097, BELOW, BELOW + 1, MOST_SMALL, 20011, 70001};
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    const size_t most = xlt_on_oclgrind() ? FEW : xlt_small() ? MOST_SMALL : 70001;
    /* One work-item of a GPU, which takes no such sort by itself, is slow. */
    const size_t most_serial = info.device_type & CL_DEVICE_TYPE_CPU ? most : FEW;
    const size_t step = xlt_few_programs() ? FORMS : 1;
    const size_t num_ways = sort_takes_sweeps() ? WAYS : SWEEPS; /* else these are groups, too */
    size_t plans = 0;
    for (size_t w = 0; w < num_ways; ++w)
        for (size_t f = w % step; f < FORMS; f += step) {
            large_plan p;
            plan_make(&p, &forms[f], &ways[w]);
            if (!p.plan)
                continue;
            ++plans;
            for (size_t i = 0; i < 2 * sizeof sizes / sizeof sizes[0]; ++i)
                if (sizes[i / 2] <= (w < GROUPS ? most_serial : most))
                    sort_once(&ways[w], &p, sizes[i / 2], (sort_pattern)(i % SORT_PATTERNS),
                              i % 4 < 2);
            xl_sort_destroy(p.plan);
        }
    if (plans == 0) {
        print_message("%s: no radix sort\n", xlt_device());
        skip();
    }
}

/* Some bits of the keys, of as many keys as the device says, and values alone. */
static void with_all_the_rest(void **state)
{
    (void)state;
    enum { N = 3000, THERE = 2111 };
    static const form f = {XL_U32, XL_U64, XL_NONE, XL_ASCENDING, 13};
    uint32_t keys[N];
    uint64_t values[N], got[N];
    xlt_random random = {9};
    size_t bytes, alignment;
    large_plan p;
    plan_make(&p, &f, &ways[xlt_few_programs() ? DIGITS : SWEEPS]);
    xl_sort_destroy(p.plan);
    p.desc.values_only = 1;
    p.plan = sort_plan_by_digits(xlt_context(), &p.desc, "values alone");
    if (!p.plan)
        skip();
    for (size_t i = 0; i < N; ++i) {
        keys[i] = (uint32_t)xlt_next(&random);
        values[i] = ((uint64_t)keys[i] % (1 << 13)) << 32 | i;
    }
    XLT_OK(xl_sort_scratch(p.plan, N, &bytes, &alignment));
    const uint64_t there = THERE;
    xlt_buffer keys_in = xlt_buffer_make(keys, N, 4, 0), n = xlt_buffer_make(&there, 1, 8, 0);
    xlt_buffer inout = xlt_buffer_make(values, N, 8, 0),
               scratch = xlt_scratch_make(bytes, alignment);
    XLT_OK(xl_sort_enqueue(p.plan, xlt_queue(),
                           &(xl_sort_args){.n = N,
                                           .keys_in = xlt_view(&keys_in),
                                           .values_in = xlt_view(&inout),
                                           .values_out = xlt_view(&inout),
                                           .n_device = xlt_view(&n),
                                           .scratch = xlt_view(&scratch)},
                           0, NULL, NULL));
    xlt_read(&inout, got);
    for (size_t i = 1; i < THERE; ++i) /* by the bits that count, and then by places */
        if (got[i - 1] >= got[i])
            XLT_FAIL("value %zu is not in order", i);
    for (size_t i = THERE; i < N; ++i)
        assert_int_equal(got[i], values[i]);
    sort_check_unchanged(&keys_in, keys);
    xlt_buffer_free(&keys_in);
    xlt_buffer_free(&n);
    xlt_buffer_free(&inout);
    xlt_buffer_free(&scratch);
    xl_sort_destroy(p.plan);
}

/* ---- past 2^32 keys ---------------------------------------------------------- */

/* As in scan_large_test.c. */
static unsigned large_log(void)
{
    const char *wish = getenv("CROSSLANE_TEST_LARGE");
    const long number = wish ? strtol(wish, NULL, 10) : 0;
    if (number == 1)
        return 32;
    return number >= 20 && number <= 32 ? (unsigned)number : 0;
}

/* Of a KEY each and a VALUE, of so many bits. Work-item w has elements [begin, end). */
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

static cl_mem past_buffer(size_t bytes)
{
    cl_int code;
    cl_mem mem =
        clCreateBuffer(xl_context_cl(xlt_context()), CL_MEM_READ_WRITE, bytes, NULL, &code);
    XLT_CL(code);
    return mem;
}

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
    p.keys = past_buffer(n * key);
    p.values = value ? past_buffer(n * value) : NULL;
    p.sums = past_buffer(WALKERS * sizeof(cl_ulong));
    p.faults = past_buffer(WALKERS * sizeof(cl_ulong));
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
    xl_sort *plan;
    size_t bytes, alignment;
    XLT_OK(xl_sort_create(xlt_context(), desc, &plan));
    XLT_OK(xl_sort_scratch(plan, p->n, &bytes, &alignment));
    p->scratch = past_buffer(bytes);
    if (!in_place) {
        p->keys_out = past_buffer(p->n * p->key);
        p->values_out = p->value ? past_buffer(p->n * p->value) : NULL;
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
    for (int run = 0; run < 2; ++run) { /* the second knows all memory */
        XLT_CL(clFinish(xlt_queue()));
        const double start = seconds_now();
        XLT_OK(xl_sort_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
        XLT_CL(clFinish(xlt_queue()));
        const double seconds = seconds_now() - start;
        print_message("%s, %zu keys of %zu bytes, values of %zu%s: %.3f ms, %.2f Gkey/s\n",
                      xlt_device(), p->n, p->key, p->value, in_place ? ", in place" : "",
                      1e3 * seconds, 1e-9 * (double)p->n / seconds);
        if (in_place || xlt_small())
            break;
    }
    past_run(p, p->look, keys, values);
    assert_int_equal(past_total(p->faults), 0);
    assert_int_equal(past_total(p->sums), sum);
    xl_sort_destroy(plan);
}

/* Whether there is memory for so many arrays of n keys with values; says so if not. */
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

static void large_or_skip(void)
{
    if (large_log() > 0)
        return;
    print_message("CROSSLANE_TEST_LARGE=1 is not set: 2^32 keys left out\n");
    skip();
}

static void keys_past_2_to_32(void **state)
{
    (void)state;
    static const struct {
        xl_type key, value;
        bool in_place;
    } cases[] = {{XL_U8, XL_NONE, false},
                 {XL_U32, XL_NONE, false},
                 {XL_U32, XL_U32, true},
                 {XL_U8, XL_U64, true}};
    const size_t n = ((size_t)1 << large_log()) + (1 << 20) + 7;
    size_t done = 0;
    large_or_skip();
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        const size_t key = xl_type_size(cases[c].key), value = xl_type_size(cases[c].value);
        const size_t arrays = cases[c].in_place ? 2 : 3;
        xl_sort_desc desc = sort_desc(cases[c].key, cases[c].value, XL_ASCENDING, XL_SORT_AUTO);
        desc.large = 1;
        if (!past_fits(n, key, value, arrays))
            continue;
        past p = past_make(n, key, value);
        past_sort(&p, &desc, cases[c].in_place);
        past_free(&p);
        ++done;
    }
    if (done == 0)
        skip();
}

/* Of 2^31 keys places end with the sign of 32 bits, of 2^32 with the last of them. */
static void keys_at_powers_of_two(void **state)
{
    (void)state;
    size_t done = 0;
    large_or_skip();
    const size_t limit = (size_t)1 << large_log();
    const struct {
        size_t n;
        uint32_t large;
    } cases[] = {{limit / 2, 0}, {limit / 2, 1}, {limit - 1, 0}, {limit, 1}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        xl_sort_desc desc = sort_desc(XL_U8, XL_NONE, XL_ASCENDING, XL_SORT_AUTO);
        desc.large = cases[c].large;
        if (!past_fits(cases[c].n, 1, 0, 2))
            continue;
        past p = past_make(cases[c].n, 1, 0);
        past_sort(&p, &desc, true);
        past_free(&p);
        ++done;
    }
    if (done == 0)
        skip();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_past_2_to_32),
        cmocka_unit_test(with_all_the_rest),
        cmocka_unit_test(keys_past_2_to_32),
        cmocka_unit_test(keys_at_powers_of_two),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}
