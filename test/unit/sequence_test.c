/* SPDX-License-Identifier: MIT
 * Launches of one call: in order on every kind of queue, after the caller's
 * events, and one event for all of them. */
#define _GNU_SOURCE
#include "runtime.h"
#include "xlt_misuse.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Each step turns `from` into `to`, slowly: steps that overlap or change places
 * leave something else. */
static const char step_source[] =
    "__kernel void xlt_step(__global uint *x, uint from, uint to)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    uint v = x[i];\n"
    "    for (uint k = 0; k < ROUNDS; ++k)\n"
    "        v = (v * 5u + k) ^ (v >> 3), x[i] += v & 0u;\n"
    "    if (x[i] == from)\n"
    "        x[i] = to;\n"
    "}\n"
    "__kernel void xlt_bytes(__global uint *x, ulong a, ulong b, __local uint *t)\n"
    "{\n"
    "    t[get_local_id(0)] = (uint)(a + b);\n"
    "    x[get_global_id(0)] = t[get_local_id(0)];\n"
    "}\n";

enum { ITEMS = 256, GROUP = 8 };

static xli_kernel step, bytes;
static cl_mem words;

static void fill(cl_uint value)
{
    cl_uint host[ITEMS];
    for (int i = 0; i < ITEMS; ++i)
        host[i] = value;
    XLT_CL(clEnqueueWriteBuffer(xlt_queue(), words, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    XLT_CL(clFinish(xlt_queue())); /* else Intel's CPU runtime (2026) lets another queue overtake */
}

static void all_are(cl_uint value)
{
    cl_uint host[ITEMS];
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), words, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; ++i)
        if (host[i] != value)
            XLT_FAIL("word %d is %u, not %u", i, (unsigned)host[i], (unsigned)value);
}

/* An enqueue call as a primitive has it: steps first, first + 1, ..., last - 1. */
static xl_status walk(cl_command_queue queue, cl_uint first, cl_uint last, cl_uint num_waits,
                      const cl_event *waits, cl_event *event)
{
    xl_status status;
    xli_seq seq;
    XL_TRY(xli_seq_begin(&seq, xlt_context(), queue, num_waits, waits, event));
    for (cl_uint at = first; at < last; ++at)
        XL_TRY(XLI_LAUNCH(&seq, &step, ITEMS / GROUP, GROUP, XLI_MEM(words), XLI_U32(at),
                          XLI_U32(at + 1)));
done:
    return xli_seq_end(&seq, status, event);
}

/* 0 for complete, above 0 for not yet. */
static cl_int state_of(cl_event event)
{
    cl_int now = -1;
    XLT_CL(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL));
    return now;
}

static void finish(cl_event event)
{
    XLT_CL(clWaitForEvents(1, &event));
    XLT_CL(clReleaseEvent(event));
}

/* Oclgrind runs commands when it is flushed, on the thread that flushes: it would
 * wait for itself. */
static void skip_where_flushing_runs_commands(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    if (strcmp(info.platform, "Oclgrind") != 0)
        return;
    print_message("Oclgrind holds nothing back for a user event\n");
    skip();
}

/* The command after a call on an in-order queue waits for the call's events, even if the call
 * had no work and the caller wanted no event. */
XLT_TEST(nothing_to_do_still_waits)
{
    skip_where_flushing_runs_commands();
    cl_command_queue queue = xlt_queue_with(xlt_context(), 0);
    cl_event gate = xlt_user_event(), after;
    XLT_OK(walk(queue, 0, 0, 1, &gate, NULL));
    XLT_OK(walk(queue, 0, 1, 0, NULL, &after));
    XLT_CL(clFlush(queue));
    usleep(20000);
    assert_true(state_of(after) > 0);
    XLT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    finish(after);
    XLT_CL(clReleaseEvent(gate));
    XLT_CL(clReleaseCommandQueue(queue));
}

/* A call that ends in a nested one returns a marker. On an in-order queue the marker names the
 * caller's events, but must not complete before the work that is still running. */
XLT_TEST(a_marker_comes_last)
{
    skip_where_flushing_runs_commands();
    static const cl_command_queue_properties kinds[] = {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE};
    enum { STEPS = 100 };
    for (int kind = 0; kind < 2; ++kind) {
        cl_command_queue queue = xlt_queue_with(xlt_context(), kinds[kind]);
        cl_event gate = xlt_user_event(), event;
        xli_seq seq;
        fill(0);
        XLT_OK(xli_seq_begin(&seq, xlt_context(), queue, 1, &gate, &event));
        XLT_OK(xli_seq_nest(&seq));
        XLT_OK(walk(queue, 0, STEPS, XLI_NEST(&seq)));
        xli_seq_nested(&seq);
        XLT_OK(xli_seq_end(&seq, XL_SUCCESS, &event));
        XLT_CL(clFlush(queue));
        usleep(10000);
        assert_true(state_of(event) > 0);
        XLT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
        finish(event);
        all_are(STEPS);
        XLT_CL(clReleaseEvent(gate));
        XLT_CL(clReleaseCommandQueue(queue));
    }
}

XLT_TEST(arguments_are_copied)
{
    xli_seq seq;
    XLT_OK(xli_seq_begin(&seq, xlt_context(), xlt_queue(), 0, NULL, NULL));
    cl_ulong a = 7, b = 35;
    XLT_OK(XLI_LAUNCH(&seq, &bytes, ITEMS / GROUP, GROUP, XLI_MEM(words), XLI_BYTES(&a, sizeof a),
                      XLI_BYTES(&b, sizeof b), XLI_LOCAL(GROUP * sizeof(cl_uint))));
    memset(&a, 0x5a, sizeof a);
    memset(&b, 0x5a, sizeof b);
    XLT_OK(xli_seq_end(&seq, XL_SUCCESS, NULL));
    all_are(42);
}

XLT_TEST(defects_are_reported)
{
    xli_seq seq;
    unsigned char long_argument[65] = {0};
    xli_arg many[XLI_MAX_ARGS + 1] = {{0}};
    XLT_OK(xli_seq_begin(&seq, xlt_context(), xlt_queue(), 0, NULL, NULL));
    XLT_FAILS(XLI_LAUNCH(&seq, &step, 0, GROUP, XLI_MEM(words)), XL_ERROR_INTERNAL);
    XLT_FAILS(XLI_LAUNCH(&seq, &step, 1, 0, XLI_MEM(words)), XL_ERROR_INTERNAL);
    XLT_FAILS(XLI_LAUNCH(&seq, &step, SIZE_MAX / 2, 4, XLI_MEM(words)), XL_ERROR_INTERNAL);
    XLT_FAILS(XLI_LAUNCH(&seq, &step, 1, 1, XLI_BYTES(long_argument, sizeof long_argument)),
              XL_ERROR_INTERNAL);
    XLT_FAILS(xli_seq_launch(&seq, &step, 1, 1, many, XLI_MAX_ARGS + 1), XL_ERROR_INTERNAL);
    /* A list that receives more than it can store: the bytes behind it do not change. */
    struct {
        xli_args args;
        unsigned char behind[sizeof(xli_arg)];
    } list = {{{{0}}, 0}, {0}};
    memset(list.behind, 0xA5, sizeof list.behind);
    for (int i = 0; i < XLI_MAX_ARGS; ++i)
        xli_args_add(&list.args, XLI_U32(i));
    xli_args_add_all(&list.args, (const xli_arg[]){XLI_U32(1), XLI_U64(2)}, 2);
    for (size_t i = 0; i < sizeof list.behind; ++i)
        assert_int_equal(list.behind[i], 0xA5);
    assert_int_equal(list.args.at[XLI_MAX_ARGS - 1].hold.u32, XLI_MAX_ARGS - 1);
    for (size_t first = 0; first < 3; ++first)
        XLT_FAILS(xli_seq_launch_args(&seq, &step, 1, 1, &list.args, first), XL_ERROR_INTERNAL);
    /* A launch that the device refuses: the sequence ends with that, without an event. */
    cl_event event = (cl_event)&step; /* anything but NULL */
    fill(0);
    XLT_OK(xli_seq_begin(&seq, xlt_context(), xlt_queue(), 0, NULL, &event));
    XLT_OK(XLI_LAUNCH(&seq, &step, 1, GROUP, XLI_MEM(words), XLI_U32(0), XLI_U32(1), XLI_U32(2)));
    XLT_FAILS(xli_seq_end(&seq, XL_SUCCESS, &event), XL_ERROR_OPENCL);
    assert_non_null(strstr(xl_context_error(xlt_context()), "clSetKernelArg"));
    assert_null(event);
    all_are(0);
}

static xl_status begin(cl_command_queue queue, cl_uint num_waits, const cl_event *waits)
{
    xli_seq seq;
    cl_event event = (cl_event)&step; /* anything but NULL */
    xl_status status = xli_seq_begin(&seq, xlt_context(), queue, num_waits, waits, &event);
    assert_null(event);
    assert_int_equal(xli_seq_end(&seq, status, &event), status);
    assert_true((status == XL_SUCCESS) == (event != NULL));
    if (event)
        finish(event);
    return status;
}

static void fails_with(xl_status got, const char *text)
{
    xlt_refused(xlt_context(), got, XL_ERROR_INVALID_ARGUMENT, text);
}

XLT_TEST(a_queue_of_the_device_is_refused)
{
    cl_command_queue_properties on_device = 0;
    clGetDeviceInfo(xl_context_device(xlt_context()), CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES,
                    sizeof on_device, &on_device, NULL);
    if (on_device == 0) {
        print_message("%s has no on-device queues\n", xlt_device());
        skip();
    }
    cl_command_queue queue =
        xlt_queue_with(xlt_context(), CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    fails_with(begin(queue, 0, NULL), "queue: one of the device's own");
    XLT_CL(clReleaseCommandQueue(queue));
}

static int setup(void **state)
{
    (void)state;
    xli_program *program;
    char source[sizeof step_source + 32];
    (void)xlt_context();
    /* Oclgrind is slow, and runs one kernel after the other. */
    snprintf(source, sizeof source, "#define ROUNDS %uu\n%s",
             strstr(xlt_device(), "Oclgrind") ? 10u : 200u, step_source);
    XLT_OK(xli_program_get(xlt_context(), "probe", source, &program));
    XLT_OK(xli_kernel_create(xlt_context(), program, "xlt_step", &step));
    XLT_OK(xli_kernel_create(xlt_context(), program, "xlt_bytes", &bytes));
    words = xlt_mem(xlt_context(), NULL, ITEMS * sizeof(cl_uint));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    clReleaseMemObject(words);
    xli_kernel_destroy(&step);
    xli_kernel_destroy(&bytes);
    xlt_finish();
    return 0;
}

XLT_MAIN(setup, teardown)
