/* SPDX-License-Identifier: MIT
 * Counts of predicates in the segments of rows of 1 to 64 lanes (group_ballot.cl,
 * group_ballot.cl): the worked example of Park's paper at every width, and heads
 * anywhere, against plain loops. */
#include "lane_ways.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 256, RESULTS = 8 };

/* Results of each work-item; those that only sub-groups give are left out where the
 * work-group is not whole sub-groups. */
enum { GROUP, GROUP_TOO, COUNT, TOTAL, LANES, LANES_TOO, BALLOT_LOW, BALLOT_HIGH };

static const char text[] =
    "#include <crosslane/lanes.cl>\n"
    "#ifndef XLT_WIDTH\n#define XLT_WIDTH\n#endif\n"
    "__kernel XLT_WIDTH void count(const __global uchar *p, const __global ulong *heads, uint "
    "width,\n"
    "                    __local uint *bits, __global uint *out)\n"
    "{\n"
    "    const uint i = (uint)get_local_id(0);\n"
    "    const bool yes = p[i] != 0;\n"
    "    const ulong mask = heads[i / width];\n"
    "    __global uint *o = out + 10 * i;\n"
    "    uint total;\n"
    "    o[0] = xl_group_subwarp_count_exclusive(yes, mask, width, bits);\n"
    "    o[1] = xl_group_subwarp_count_inclusive(yes, mask, width, bits);\n"
    "    o[2] = xl_group_count_exclusive(yes, bits, &total);\n"
    "    o[3] = total;\n"
    "    if (xl_lanes_whole() || xl_lane_width() == 1) {\n"
    "        const uint row = min(width, xl_lane_width());\n"
    "        const ulong votes = xl_lane_ballot(yes);\n"
    "        o[4] = xl_subwarp_count_exclusive(yes, mask, row);\n"
    "        o[5] = xl_subwarp_count_inclusive(yes, mask, row);\n"
    "        o[6] = (uint)votes;\n"
    "        o[7] = (uint)(votes >> 32);\n"
    "    }\n"
    "    o[8] = xl_lane_id();\n"
    "    o[9] = xl_lanes_whole() || xl_lane_width() == 1 ? xl_lane_width() : 0;\n"
    "}\n";

typedef struct counter {
    xl_context *ctx;
    cl_kernel kernel;
    uint32_t asked; /* sub-groups must be that wide; 0: any */
} counter;

typedef struct trial {
    uint32_t items, width;
    uint8_t p[MOST];
    uint64_t heads[MOST]; /* of each row */
    uint32_t out[MOST][RESULTS + 2];
} trial;

static void run(const counter *c, trial *t)
{
    cl_command_queue queue = xl_context_queue(c->ctx);
    cl_context cl = xl_context_cl(c->ctx);
    const size_t items = t->items, out_bytes = items * sizeof t->out[0];
    cl_int code;
    cl_mem p = clCreateBuffer(cl, CL_MEM_COPY_HOST_PTR, items, t->p, &code);
    XLT_CL(code);
    cl_mem heads = clCreateBuffer(cl, CL_MEM_COPY_HOST_PTR, sizeof t->heads, t->heads, &code);
    XLT_CL(code);
    cl_mem out = clCreateBuffer(cl, CL_MEM_READ_WRITE, out_bytes, NULL, &code);
    XLT_CL(code);
    XLT_CL(clSetKernelArg(c->kernel, 0, sizeof p, &p));
    XLT_CL(clSetKernelArg(c->kernel, 1, sizeof heads, &heads));
    XLT_CL(clSetKernelArg(c->kernel, 2, sizeof t->width, &t->width));
    XLT_CL(clSetKernelArg(c->kernel, 3, (items + 31) / 32 * sizeof(cl_uint), NULL));
    XLT_CL(clSetKernelArg(c->kernel, 4, sizeof out, &out));
    XLT_CL(clEnqueueNDRangeKernel(queue, c->kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    XLT_CL(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, out_bytes, t->out, 0, NULL, NULL));
    for (size_t i = 0; i < items && c->asked; ++i)
        assert_int_equal(t->out[i][9], c->asked);
    clReleaseMemObject(p);
    clReleaseMemObject(heads);
    clReleaseMemObject(out);
}

/* Yes-votes before work-item i in its segment of its row. The rows' masks were given
 * out by `width`, rows may be narrower. */
static uint32_t before(const trial *t, uint32_t row, uint32_t i)
{
    const uint64_t heads = t->heads[i / t->width];
    uint32_t count = 0;
    while (i % row > 0 && !(heads >> i % row & 1))
        count += t->p[--i];
    return count;
}

static void expect(const trial *t, uint32_t i, const char *what, uint64_t got, uint64_t wanted)
{
    if (got != wanted)
        XLT_FAIL("%s of work-item %u of %u, rows of %u, heads %" PRIx64 ", is %" PRIx64
                 ", not %" PRIx64,
                 what, i, t->items, t->width, t->heads[i / t->width], got, wanted);
}

static void check_lanes(const trial *t, uint32_t i)
{
    const uint32_t *o = t->out[i], lanes = o[9], first = i - o[8];
    const uint32_t row = t->width < lanes ? t->width : lanes;
    uint64_t votes = 0;
    for (uint32_t k = 0; k < lanes; ++k)
        votes |= (uint64_t)t->p[first + k] << k;
    expect(t, i, "exclusive count of lanes", o[LANES], before(t, row, i));
    expect(t, i, "inclusive count of lanes", o[LANES_TOO], before(t, row, i) + t->p[i]);
    expect(t, i, "ballot", (uint64_t)o[BALLOT_HIGH] << 32 | o[BALLOT_LOW], votes);
}

static void check(const trial *t)
{
    uint32_t total = 0, so_far = 0;
    for (uint32_t i = 0; i < t->items; ++i)
        total += t->p[i];
    for (uint32_t i = 0; i < t->items; ++i) {
        const uint32_t *o = t->out[i];
        expect(t, i, "exclusive count", o[GROUP], before(t, t->width, i));
        expect(t, i, "inclusive count", o[GROUP_TOO], before(t, t->width, i) + t->p[i]);
        expect(t, i, "group's count", o[COUNT], so_far);
        expect(t, i, "group's total", o[TOTAL], total);
        if (o[9] > 0)
            check_lanes(t, i);
        so_far += t->p[i];
    }
}

/* p of the paper's example and its heads, over and over: eight lanes to a pattern. */
static const uint8_t example_p[8] = {1, 0, 1, 1, 1, 0, 0, 1};
static const uint32_t example_right[8] = {0, 1, 1, 0, 1, 2, 0, 0};
static const uint32_t example_wrong[8] = {0, 1, 1, 2, 1, 2, 2, 0};
static const uint64_t example_heads = UINT64_C(0x4949494949494949); /* lanes 0, 3, 6 of 8 */

static void the_example(const counter *c, uint32_t items)
{
    static trial t;
    t.items = items;
    for (t.width = 1; t.width <= 64; t.width *= 2) {
        uint32_t differ = 0;
        for (uint32_t i = 0; i < items; ++i) {
            t.p[i] = example_p[i % t.width % 8];
            t.heads[i] = example_heads;
        }
        run(c, &t);
        check(&t);
        for (uint32_t i = 0; i < items; ++i) {
            expect(&t, i, "the example's count", t.out[i][GROUP], example_right[i % t.width % 8]);
            if (t.out[i][9] >= t.width)
                expect(&t, i, "the example's count of lanes", t.out[i][LANES],
                       example_right[i % t.width % 8]);
            differ += t.out[i][GROUP] != example_wrong[i % t.width % 8];
        }
        if (t.width >= 4 && items >= 4) /* lane 3 tells them apart */
            assert_true(differ > 0);
    }
}

/* No head, all, the first lane, the last, only past the row, some. */
static uint64_t heads_of(int round, uint32_t width, xlt_random *random)
{
    const uint64_t last = UINT64_C(1) << (width - 1), past = ~(last | (last - 1));
    const uint64_t kinds[] = {0, ~UINT64_C(0), 1, last, past, last | past};
    const uint64_t some = xlt_next(random);
    return round < 6 ? kinds[round] : some & xlt_next(random);
}

static void heads_anywhere(const counter *c, uint32_t items)
{
    static trial t;
    xlt_random random = {items};
    t.items = items;
    for (t.width = 1; t.width <= 64; t.width *= 2)
        for (int round = 0; round < (xlt_small() ? 8 : 20); ++round) {
            for (uint32_t i = 0; i < items; ++i) {
                t.p[i] = (uint8_t)(round == 7 || xlt_below(&random, 2));
                t.heads[i] = heads_of(round, t.width, &random);
            }
            run(c, &t);
            check(&t);
        }
}

/* asked: the width of sub-groups to ask for; 0: none. */
static void run_sizes(xl_context *ctx, uint32_t asked)
{
    static const uint32_t sizes[] = {64, 128, 256, 1, 5, 8, 16, 32, 33, 96, 100};
    counter c = {.ctx = ctx};
    char options[100];
    xl_device_info info;
    cl_program program;
    cl_int code;
    XLT_OK(xl_context_device_info(ctx, &info));
    snprintf(options, sizeof options, XLT_WIDTH_OPTION, asked);
    XLT_OK(xl_program_create(ctx, text, asked ? options : NULL, &program));
    c.kernel = clCreateKernel(program, "count", &code);
    XLT_CL(code);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
        if (sizes[i] <= info.max_work_group_size) {
            c.asked = sizes[i] % (asked ? asked : 1) == 0 ? asked : 0;
            the_example(&c, sizes[i]);
            heads_anywhere(&c, sizes[i]);
        }
    clReleaseKernel(c.kernel);
    clReleaseProgram(program);
}

int main(void)
{
    return run_lane_ways(run_sizes);
}
