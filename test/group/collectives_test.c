/* SPDX-License-Identifier: MIT
 * The collectives that a user's kernel includes (cl/include/collectives.cl), lane and
 * group, over element types of many sizes and operators that do not commute, against
 * plain loops. Values are integers, floating-point ones too, so that results are exact. */
#include "lane_ways.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITEMS = 256, MOST_PARTS = 10, MOST_BYTES = 40, GUARD_BYTES = 64 };

/* An element on the host: its parts, each an integer modulo 2^bits of a part. */
typedef struct value {
    uint64_t part[MOST_PARTS];
} value;

typedef void operator_of(value *to, const value *a, const value *b);

typedef struct element {
    const char *name;
    const char *text;     /* what defines T, OP and UNIT */
    operator_of *combine; /* of parts; the rest is cut off */
    uint64_t unit[3];     /* first parts of the identity */
    uint32_t limit;       /* random parts lie below */
    uint8_t parts, part_bytes, bytes;
    bool floating, needs_fp64, commutes;
} element;

static void add(value *to, const value *a, const value *b)
{
    for (int k = 0; k < MOST_PARTS; ++k)
        to->part[k] = a->part[k] + b->part[k];
}

static void larger(value *to, const value *a, const value *b)
{
    for (int k = 0; k < MOST_PARTS; ++k)
        to->part[k] = a->part[k] > b->part[k] ? a->part[k] : b->part[k];
}

/* {sum, least, most} */
static void summary(value *to, const value *a, const value *b)
{
    to->part[0] = a->part[0] + b->part[0];
    to->part[1] = a->part[1] < b->part[1] ? a->part[1] : b->part[1];
    to->part[2] = a->part[2] > b->part[2] ? a->part[2] : b->part[2];
}

/* {first that is not 0, last that is not 0, sum} */
static void ends(value *to, const value *a, const value *b)
{
    to->part[0] = a->part[0] ? a->part[0] : b->part[0];
    to->part[1] = b->part[1] ? b->part[1] : a->part[1];
    to->part[2] = a->part[2] + b->part[2];
}

/* The map x -> part[0] * x + part[1]; a is applied first. */
static void compose(value *to, const value *a, const value *b)
{
    to->part[0] = b->part[0] * a->part[0];
    to->part[1] = b->part[0] * a->part[1] + b->part[1];
}

/* {rows of a 2x2 matrix} */
static void multiply(value *to, const value *a, const value *b)
{
    const uint64_t *m = a->part, *n = b->part;
    to->part[0] = m[0] * n[0] + m[1] * n[2];
    to->part[1] = m[0] * n[1] + m[1] * n[3];
    to->part[2] = m[2] * n[0] + m[3] * n[2];
    to->part[3] = m[2] * n[1] + m[3] * n[3];
}

#define SUM_OF(type) "typedef " type " T;\n#define OP(a, b) ((T)((a) + (b)))\n#define UNIT ((T)0)\n"
#define VECTOR_OF(type)                                                                            \
    "typedef " type " T;\n#define OP(a, b) ((a) + (b))\n#define UNIT ((T)(0.0f))\n"
#define SUMMARY_OF(type)                                                                           \
    "typedef struct { " type " sum, least, most; } T;\nT join(T a, T b)\n{\n    T c;\n"            \
    "    c.sum = a.sum + b.sum;\n    c.least = min(a.least, b.least);\n"                           \
    "    c.most = max(a.most, b.most);\n    return c;\n}\n#define OP(a, b) join(a, b)\n"

static const char matrix_text[] =
    "typedef struct { uint m[4]; } T;\nT mul(T a, T b)\n{\n    T c;\n"
    "    for (int i = 0; i < 4; ++i)\n"
    "        c.m[i] = a.m[i & 2] * b.m[i & 1] + a.m[(i & 2) + 1] * b.m[(i & 1) + 2];\n"
    "    return c;\n}\nT one(void)\n{\n    T c = {{1, 0, 0, 1}};\n    return c;\n}\n"
    "#define OP(a, b) mul(a, b)\n#define UNIT one()\n";
static const char maximum_text[] =
    "typedef ushort T;\n#define OP(a, b) max(a, b)\n#define UNIT ((T)0)\n";
static const char bytes_text[] = SUMMARY_OF(
    "uchar") "T none(void)\n{\n    T c = {0, 255, 0};\n    return c;\n}\n#define UNIT none()\n";
static const char words_text[] = SUMMARY_OF("uint") "#define UNIT ((T){0, 0xffffffffu, 0})\n";
static const char ends_text[] =
    "typedef struct { ulong first, last, sum; } T;\nT join(T a, T b)\n{\n    T c;\n"
    "    c.first = a.first ? a.first : b.first;\n    c.last = b.last ? b.last : a.last;\n"
    "    c.sum = a.sum + b.sum;\n    return c;\n}\n"
    "#define OP(a, b) join(a, b)\n#define UNIT ((T){0, 0, 0})\n";
static const char ten_text[] =
    "typedef struct { uint part[10]; } T;\nT join(T a, T b)\n{\n"
    "    for (int i = 0; i < 10; ++i)\n        a.part[i] += b.part[i];\n    return a;\n}\n"
    "T none(void)\n{\n    T c;\n    for (int i = 0; i < 10; ++i)\n        c.part[i] = 0;\n"
    "    return c;\n}\n#define OP(a, b) join(a, b)\n#define UNIT none()\n";
static const char affine_text[] =
    "typedef struct { uint by, plus; } T;\nT then(T a, T b)\n{\n    T c;\n"
    "    c.by = b.by * a.by;\n    c.plus = b.by * a.plus + b.plus;\n    return c;\n}\n"
    "#define OP(a, b) then(a, b)\n#define UNIT ((T){1, 0})\n";

static const element elements[] = {
    {"u32", SUM_OF("uint"), add, {0}, 1000, 1, 4, 4, false, false, true},
    {"2x2 matrix of u32", matrix_text, multiply, {1}, 10, 4, 4, 16, false, false, false},
    {"u8", SUM_OF("uchar"), add, {0}, 256, 1, 1, 1, false, false, true},
    {"u16", maximum_text, larger, {0}, 65536, 1, 2, 2, false, false, true},
    {"f32", SUM_OF("float"), add, {0}, 1000, 1, 4, 4, true, false, true},
    {"u64", SUM_OF("ulong"), add, {0}, 1000, 1, 8, 8, false, false, true},
    {"f64", SUM_OF("double"), add, {0}, 1000, 1, 8, 8, true, true, true},
    {"float2", VECTOR_OF("float2"), add, {0}, 1000, 2, 4, 8, true, false, true},
    {"float3", VECTOR_OF("float3"), add, {0}, 1000, 3, 4, 16, true, false, true},
    {"float4", VECTOR_OF("float4"), add, {0}, 1000, 4, 4, 16, true, false, true},
    {"struct of 3 bytes", bytes_text, summary, {0, 255, 0}, 256, 3, 1, 3, false, false, true},
    {"struct of 12 bytes", words_text, summary, {0, ~0u, 0}, 100000, 3, 4, 12, false, false, true},
    {"struct of 24 bytes", ends_text, ends, {0}, 4, 3, 8, 24, false, false, false},
    {"struct of 40 bytes", ten_text, add, {0}, 1000, 10, 4, 40, false, false, true},
    {"affine map", affine_text, compose, {1}, 7, 2, 4, 8, false, false, false},
};

/* Results of each work-item; those from LANES on only if the work-group is whole sub-groups. */
enum { LANES = 10, RESULTS = 22 };

/* A second family in the same program: the template must not leave anything behind. */
static const char kernel_text[] =
    "#if XL_HAS_FP64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n"
    "%s"
    "#define XL_GROUP_SIZE %u\n"
    "#define XL_NAME most\n#define XL_T uint\n#define XL_OP(a, b) max(a, b)\n"
    "#define XL_IDENTITY 0u\n#define XL_COMMUTES 1\n"
    "#include <crosslane/collectives.cl>\n"
    "#define XL_NAME t\n#define XL_T T\n#define XL_OP(a, b) OP(a, b)\n"
    "#define XL_IDENTITY UNIT\n#define XL_COMMUTES %d\n"
    "#include <crosslane/collectives.cl>\n"
    "#ifndef XLT_WIDTH\n#define XLT_WIDTH\n#endif\n"
    "__kernel __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1))) XLT_WIDTH\n"
    "void collect(const __global T *in, const __global uchar *heads, ulong mask, uint width,\n"
    "             __global T *out, __global uint *seen)\n"
    "{\n"
    "    __local T scratch[XL_GROUP_SCRATCH];\n"
    "    __local uint bits[XL_GROUP_BITS];\n"
    "    __local uint most_scratch[XL_GROUP_SCRATCH];\n"
    "    const uint i = (uint)get_local_id(0), n = XL_GROUP_SIZE;\n"
    "    const T x = in[i];\n"
    "    const bool head = heads[i] != 0;\n"
    "    __global T *o = out + 22 * i;\n"
    "    T all, all_too;\n"
    "    o[0] = t_group_scan_inclusive(x, scratch, &all);\n"
    "    o[2] = all;\n"
    "    o[1] = t_group_scan_exclusive(x, scratch, &all_too);\n"
    "    o[3] = all_too;\n"
    "    o[4] = t_group_reduce(x, scratch);\n"
    "    o[5] = t_group_shuffle_from(x, (i * 7 + 3) %% n, scratch);\n"
    "    o[6] = t_group_segmented_scan_inclusive(x, head, scratch, bits);\n"
    "    o[7] = t_group_segmented_scan_exclusive(x, head, scratch, bits);\n"
    "    o[8] = t_group_subwarp_scan_inclusive(x, mask, width, scratch);\n"
    "    o[9] = t_group_subwarp_scan_exclusive(x, mask, width, scratch);\n"
    "    const uint lane = xl_lane_id(), lanes = xl_lane_width();\n"
    "    const bool whole = xl_lanes_whole() || lanes == 1;\n"
    "    if (whole) {\n"
    "        const uint row = min(width, lanes);\n"
    "        o[10] = t_lane_scan_inclusive(x);\n"
    "        o[11] = t_lane_scan_exclusive(x);\n"
    "        o[12] = t_lane_reduce(x);\n"
    "        o[13] = t_lane_reduce_down(x);\n"
    "        o[14] = t_lane_segmented_scan_inclusive(x, head);\n"
    "        o[15] = t_lane_segmented_scan_exclusive(x, head);\n"
    "        o[16] = t_shuffle_from(x, lanes - 1 - lane);\n"
    "        T up = t_shuffle_up(x, 1), down = t_shuffle_down(x, 1);\n"
    "        if (lane == 0)\n"
    "            up = x;\n"
    "        if (lane == lanes - 1)\n"
    "            down = x;\n"
    "        o[17] = up;\n"
    "        o[18] = down;\n"
    "        o[19] = t_shuffle_xor(x, lanes - 1);\n"
    "        o[20] = t_subwarp_scan_inclusive(x, mask, row);\n"
    "        o[21] = t_subwarp_scan_exclusive(x, mask, row);\n"
    "    }\n"
    "    seen[4 * i] = lane;\n"
    "    seen[4 * i + 1] = lanes;\n"
    "    seen[4 * i + 2] = whole;\n"
    "    seen[4 * i + 3] = most_group_reduce(i * 5 %% n, most_scratch);\n"
    "}\n";

typedef struct trial {
    const element *e;
    uint32_t items, width;
    uint64_t mask;
    uint8_t heads[MOST_ITEMS];
    value in[MOST_ITEMS];
    uint8_t in_bytes[MOST_ITEMS * MOST_BYTES];
    uint8_t out_bytes[MOST_ITEMS * RESULTS * MOST_BYTES + GUARD_BYTES];
    uint32_t seen[4 * MOST_ITEMS];
} trial;

static value unit_of(const element *e)
{
    value v = {{e->unit[0], e->unit[1], e->unit[2]}};
    if (e->combine == multiply)
        v.part[3] = 1;
    return v;
}

static void store(const element *e, const value *v, uint8_t *to)
{
    memset(to, 0, e->bytes);
    for (int k = 0; k < e->parts; ++k, to += e->part_bytes) {
        const float single = (float)v->part[k];
        const double twice = (double)v->part[k];
        const void *from = e->floating && e->part_bytes == 4 ? (const void *)&single
                           : e->floating                     ? (const void *)&twice
                                                             : &v->part[k]; /* little endian */
        memcpy(to, from, e->part_bytes);
    }
}

/* Parts only: what pads an element may hold anything. */
static bool same(const element *e, const value *v, const uint8_t *got)
{
    uint8_t wanted[MOST_BYTES];
    store(e, v, wanted);
    return memcmp(wanted, got, (size_t)e->parts * e->part_bytes) == 0;
}

static const char *hex(const element *e, const uint8_t *bytes, char *text)
{
    for (int k = 0; k < e->parts * e->part_bytes; ++k)
        sprintf(text + 2 * k, "%02x", bytes[k]);
    return text;
}

static void wrong(const element *e, const value *v, const uint8_t *got, const char *what)
{
    uint8_t wanted[MOST_BYTES];
    char text[2][2 * MOST_BYTES + 1];
    store(e, v, wanted);
    XLT_FAIL("%s is %s, not %s", what, hex(e, got, text[0]), hex(e, wanted, text[1]));
}

/* in[from] op ... op in[to - 1], the identity for none. */
static value fold(const trial *t, uint32_t from, uint32_t to)
{
    value sum = unit_of(t->e);
    for (uint32_t i = from; i < to; ++i) {
        const value left = sum;
        t->e->combine(&sum, &left, &t->in[i]);
    }
    return sum;
}

static value fold_down(const trial *t, uint32_t from, uint32_t to)
{
    value sum = unit_of(t->e);
    for (uint32_t i = to; i > from; --i) {
        const value left = sum;
        t->e->combine(&sum, &left, &t->in[i - 1]);
    }
    return sum;
}

/* The first item of the segment of item i among those from `first` on. */
static uint32_t flagged_start(const trial *t, uint32_t first, uint32_t i)
{
    while (i > first && !t->heads[i])
        --i;
    return i;
}

static uint32_t masked_start(const trial *t, uint32_t width, uint32_t i)
{
    while (i % width > 0 && !(t->mask >> i % width & 1))
        --i;
    return i;
}

static void expect_all(const trial *t, uint32_t i)
{
    const uint32_t n = t->items, lane = t->seen[4 * i], lanes = t->seen[4 * i + 1];
    const uint32_t row = t->width < lanes ? t->width : lanes, first = i - lane;
    const uint32_t segment = flagged_start(t, 0, i), wide = masked_start(t, t->width, i);
    const uint32_t lane_segment = flagged_start(t, first, i), narrow = masked_start(t, row, i);
    const struct {
        const char *name;
        value wanted;
    } results[RESULTS] = {
        {"group_scan_inclusive", fold(t, 0, i + 1)},
        {"group_scan_exclusive", fold(t, 0, i)},
        {"total of the inclusive scan", fold(t, 0, n)},
        {"total of the exclusive scan", fold(t, 0, n)},
        {"group_reduce", fold(t, 0, n)},
        {"group_shuffle_from", t->in[(i * 7 + 3) % n]},
        {"group_segmented_scan_inclusive", fold(t, segment, i + 1)},
        {"group_segmented_scan_exclusive", fold(t, segment, i)},
        {"group_subwarp_scan_inclusive", fold(t, wide, i + 1)},
        {"group_subwarp_scan_exclusive", fold(t, wide, i)},
        {"lane_scan_inclusive", fold(t, first, i + 1)},
        {"lane_scan_exclusive", fold(t, first, i)},
        {"lane_reduce", fold(t, first, first + lanes)},
        {"lane_reduce_down", fold_down(t, first, first + lanes)},
        {"lane_segmented_scan_inclusive", fold(t, lane_segment, i + 1)},
        {"lane_segmented_scan_exclusive", fold(t, lane_segment, i)},
        {"shuffle_from", t->in[first + lanes - 1 - lane]},
        {"shuffle_up", t->in[lane > 0 ? i - 1 : i]},
        {"shuffle_down", t->in[lane < lanes - 1 ? i + 1 : i]},
        {"shuffle_xor", t->in[first + (lane ^ (lanes - 1))]},
        {"subwarp_scan_inclusive", fold(t, narrow, i + 1)},
        {"subwarp_scan_exclusive", fold(t, narrow, i)},
    };
    for (int r = 0; r < (t->seen[4 * i + 2] ? RESULTS : LANES); ++r) {
        const uint8_t *got = t->out_bytes + ((size_t)i * RESULTS + (size_t)r) * t->e->bytes;
        char what[300];
        if (same(t->e, &results[r].wanted, got))
            continue;
        snprintf(what, sizeof what,
                 "%s of %s, work-item %u of %u (lane %u of %u), rows of %u, heads %" PRIx64,
                 results[r].name, t->e->name, i, n, lane, lanes, t->width, t->mask);
        wrong(t->e, &results[r].wanted, got, what);
    }
}

static void check(const trial *t)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < t->items; ++i)
        most = i * 5 % t->items > most ? i * 5 % t->items : most;
    for (uint32_t i = 0; i < t->items; ++i) {
        if (t->seen[4 * i + 3] != most)
            XLT_FAIL("the other family's maximum is %u, not %u", t->seen[4 * i + 3], most);
        expect_all(t, i);
    }
}

/* Heads at random, none, and all of them. */
static void make_input(trial *t, xlt_random *random, int round)
{
    const uint64_t some = xlt_next(random);
    t->mask = round == 0 ? 0 : round == 1 ? ~UINT64_C(0) : some & xlt_next(random);
    for (uint32_t i = 0; i < t->items; ++i) {
        t->heads[i] = round == 0 ? 0 : round == 1 ? 1 : xlt_below(random, 10) == 0;
        for (int k = 0; k < t->e->parts; ++k)
            t->in[i].part[k] = xlt_below(random, t->e->limit);
        store(t->e, &t->in[i], t->in_bytes + i * t->e->bytes);
    }
}

static void run_kernel(xl_context *ctx, cl_kernel kernel, trial *t)
{
    cl_int code;
    cl_command_queue queue = xl_context_queue(ctx);
    const size_t in_bytes = t->items * t->e->bytes, out_bytes = in_bytes * RESULTS;
    const size_t seen_bytes = t->items * 4 * sizeof *t->seen, items = t->items;
    cl_mem mem[4];
    const struct {
        void *host;
        size_t bytes;
    } buffers[4] = {{t->in_bytes, in_bytes},
                    {t->heads, items},
                    {t->out_bytes, out_bytes + GUARD_BYTES},
                    {t->seen, seen_bytes}};
    const cl_uint place[4] = {0, 1, 4, 5};
    memset(t->out_bytes, 0xA5, out_bytes + GUARD_BYTES);
    for (int k = 0; k < 4; ++k) {
        mem[k] = clCreateBuffer(xl_context_cl(ctx), CL_MEM_COPY_HOST_PTR, buffers[k].bytes,
                                buffers[k].host, &code);
        XLT_CL(code);
        XLT_CL(clSetKernelArg(kernel, place[k], sizeof mem[k], &mem[k]));
    }
    XLT_CL(clSetKernelArg(kernel, 2, sizeof t->mask, &t->mask));
    XLT_CL(clSetKernelArg(kernel, 3, sizeof t->width, &t->width));
    XLT_CL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    for (int k = 2; k < 4; ++k)
        XLT_CL(clEnqueueReadBuffer(queue, mem[k], CL_TRUE, 0, buffers[k].bytes, buffers[k].host, 0,
                                   NULL, NULL));
    for (size_t i = out_bytes; i < out_bytes + GUARD_BYTES; ++i)
        if (t->out_bytes[i] != 0xA5)
            XLT_FAIL("%s, %u items: a byte %zu past the results was written", t->e->name, t->items,
                     i - out_bytes);
    for (int k = 0; k < 4; ++k)
        clReleaseMemObject(mem[k]);
}

/* asked: the width of sub-groups to ask for; 0: none. */
static void run(xl_context *ctx, const element *e, uint32_t items, uint32_t asked)
{
    static trial t;
    char text[sizeof kernel_text + 1000], options[100];
    cl_program program;
    cl_int code;
    xlt_random random = {items + e->bytes};
    t.e = e;
    t.items = items;
    snprintf(text, sizeof text, kernel_text, e->text, items, e->commutes);
    snprintf(options, sizeof options, XLT_WIDTH_OPTION, asked);
    XLT_OK(xl_program_create(ctx, text, asked ? options : NULL, &program));
    cl_kernel kernel = clCreateKernel(program, "collect", &code);
    XLT_CL(code);
    /* Rows of every width, which the kernel is told; in a small run for two types. */
    const uint32_t factor = xlt_small() && e - elements >= 2 ? 8 : 2;
    for (t.width = 1; t.width <= 64; t.width *= factor)
        for (int round = 0; round < (xlt_small() ? 3 : 6); ++round) {
            make_input(&t, &random, round);
            run_kernel(ctx, kernel, &t);
            check(&t);
            if (asked > 0 && items % asked == 0)
                assert_int_equal(t.seen[1], asked);
        }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

/* Errors of a driver that we cannot avoid; for rusticl a kernel that stores elements in
 * local memory and reads them back shows it. */
static bool driver_errs(const xl_device_info *info, const element *e, uint32_t items)
{
    const char *why = NULL;
    if (e->bytes == 3 && strcmp(info->platform, "rusticl") == 0)
        why = "Mesa 22.3 lays structs of bytes in local memory out with members upon each other";
    if (e->bytes == 3 && strstr(info->platform, "Intel"))
        why = "Intel's CPU runtime reads back 3 bytes, kept across a barrier, in steps of 4";
    if (strcmp(e->name, "float3") == 0 && getenv("OCLGRIND_UNINITIALIZED"))
        why = "Oclgrind ends when it tracks values of vectors of three";
    if (why)
        print_message("%s in groups of %u left out: %s\n", e->name, items, why);
    return why != NULL;
}

/* Every type, two of them in groups that are whole sub-groups and in groups that are not. */
static void run_all(xl_context *ctx, size_t num_elements)
{
    static const uint32_t sizes[] = {100, 64, 1, 256};
    xl_device_info info;
    XLT_OK(xl_context_device_info(ctx, &info));
    for (size_t i = 0; i < num_elements; ++i) {
        if (elements[i].needs_fp64 && !info.has_fp64)
            continue;
        const size_t num_sizes = i < 2 && !xlt_few_programs() ? sizeof sizes / sizeof sizes[0] : 1;
        for (size_t k = 0; k < num_sizes; ++k) {
            /* The others in whole sub-groups, where there are any. */
            const uint32_t items = i >= 2 && info.sub_group_size > 1 ? 64 : sizes[k];
            if (items <= info.max_work_group_size && !driver_errs(&info, &elements[i], items))
                run(ctx, &elements[i], items, 0);
        }
    }
}

static void run_width(xl_context *ctx, uint32_t asked)
{
    /* A device without lanes runs all types; with a mask a few are enough. */
    if (asked == 0)
        run_all(ctx, ctx == xlt_context() ? sizeof elements / sizeof elements[0] : 4);
    for (size_t k = 0; asked > 0 && k < 2; ++k)
        run(ctx, &elements[k], 128, asked);
}

int main(void)
{
    return run_lane_ways(run_width);
}
