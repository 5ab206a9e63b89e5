/* SPDX-License-Identifier: MIT
 * Problem: compute the balance of several accounts after each event, where the events of all
 * accounts are in one array, account after account, and an event is a payment or interest. CSR
 * offsets give where an account begins; the operator is a function of your own. A scan gives the
 * balance after each event, a reduction the last balance of each account, also of those without
 * events. */
#include <crosslane/crosslane.h>
#include <math.h>
#include <stdio.h>

enum { ACCOUNTS = 5, EVENTS = 9 };

/* balance -> factor * balance + add: interest, or a payment; or `count` of them in a row. */
typedef struct event {
    float factor, add;
    cl_uint count;
} event;

static const event events[EVENTS] = {
    {1, 100, 1},  {1.5f, 0, 1}, {1, -30, 1},                 /* account 0 */
    {1, 8, 1},                                               /* account 2 */
    {1, 1000, 1}, {1, -200, 1}, {2, 0, 1},   {0.25f, 60, 1}, /* account 3 */
    {1, -5, 1},                                              /* account 4 */
};
static const cl_uint offsets[ACCOUNTS + 1] = {0, 3, 3, 4, 8, 9};

/* First a, then b: two events in a row are one event. The order counts. */
static const char then_source[] = "event then(event a, event b)\n"
                                  "{\n"
                                  "    event both;\n"
                                  "    both.factor = a.factor * b.factor;\n"
                                  "    both.add = a.add * b.factor + b.add;\n"
                                  "    both.count = a.count + b.count;\n"
                                  "    return both;\n"
                                  "}\n";
static const event nothing = {1, 0, 0};
static const xl_user_type event_type = {"event", sizeof(event), sizeof(float),
                                        "typedef struct { float factor, add; uint count; } event;"};
static const xl_user_op then_op = {"then", then_source, &nothing, 0};

static xl_status make_plans(xl_context *ctx, xl_plan **scan, xl_plan **reduce)
{
    xl_scan_desc s;
    xl_reduce_desc r;
    xl_scan_desc_init(&s);
    xl_reduce_desc_init(&r);
    s.type = r.type = XL_USER_TYPE;
    s.user_type = r.user_type = &event_type;
    s.op = r.op = XL_USER_OP;
    s.user_op = r.user_op = &then_op;
    s.kind = XL_INCLUSIVE;
    s.segments = r.segments = XL_SEGMENTS_OFFSETS;
    s.segment_type = r.segment_type = XL_U32;
    const xl_status status = xl_scan_create(ctx, &s, scan);
    return status ? status : xl_reduce_create(ctx, &r, reduce);
}

/* The same on the host. Accounts start at 0, so the balance is the sum of all changes. */
static int right(const event *balances, const event *last)
{
    for (int account = 0; account < ACCOUNTS; ++account) {
        float balance = 0;
        for (cl_uint i = offsets[account]; i < offsets[account + 1]; ++i) {
            balance = events[i].factor * balance + events[i].add;
            if (fabsf(balances[i].add - balance) > 1e-3f)
                return 0;
        }
        if (last[account].count != offsets[account + 1] - offsets[account] ||
            fabsf(last[account].add - balance) > 1e-3f)
            return 0;
    }
    return 1;
}

int main(void)
{
    event balances[EVENTS], last[ACCOUNTS];
    xl_context *ctx = NULL;
    xl_plan *scan = NULL;
    xl_plan *reduce = NULL;
    if (xl_context_create(NULL, &ctx) || make_plans(ctx, &scan, &reduce))
        return fprintf(stderr, "%s\n", xl_context_error(ctx)), 1;
    cl_context cl = xl_context_cl(ctx);
    cl_command_queue queue = xl_context_queue(ctx);
    const cl_mem_flags given = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
    cl_mem in = clCreateBuffer(cl, given, sizeof events, (void *)events, NULL);
    cl_mem cuts = clCreateBuffer(cl, given, sizeof offsets, (void *)offsets, NULL);
    cl_mem all = clCreateBuffer(cl, CL_MEM_READ_WRITE, sizeof balances, NULL, NULL);
    cl_mem ends = clCreateBuffer(cl, CL_MEM_READ_WRITE, sizeof last, NULL, NULL);
    /* Only the view knows how many offsets there are. */
    const xl_view by = xl_view_n(cuts, 0, ACCOUNTS + 1);
    const xl_scan_args scan_args = {
        .n = EVENTS, .in = {.buffer = in}, .segments = by, .out = {.buffer = all}};
    const xl_reduce_args reduce_args = {
        .n = EVENTS, .in = {.buffer = in}, .segments = by, .out = {.buffer = ends}};
    if (xl_scan_enqueue(scan, queue, &scan_args, 0, NULL, NULL) ||
        xl_reduce_enqueue(reduce, queue, &reduce_args, 0, NULL, NULL))
        return fprintf(stderr, "%s\n", xl_context_error(ctx)), 1;
    clEnqueueReadBuffer(queue, all, CL_TRUE, 0, sizeof balances, balances, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, ends, CL_TRUE, 0, sizeof last, last, 0, NULL, NULL);
    for (int account = 0; account < ACCOUNTS; ++account) {
        printf("account %d:", account);
        for (cl_uint i = offsets[account]; i < offsets[account + 1]; ++i)
            printf(" %g", (double)balances[i].add);
        printf("; after %u events %g\n", (unsigned)last[account].count, (double)last[account].add);
    }
    clReleaseMemObject(in);
    clReleaseMemObject(cuts);
    clReleaseMemObject(all);
    clReleaseMemObject(ends);
    xl_plan_destroy(reduce);
    xl_plan_destroy(scan);
    xl_context_destroy(ctx);
    return right(balances, last) ? 0 : 1;
}
