/* SPDX-License-Identifier: MIT
 * Look-back never hangs and is never wrong: tiles held back on purpose, one worker
 * thread, several processes on one device. */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#endif

#include "scan_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tiles held back -------------------------------------------------------------------- */

/* How many tiles others re-reduced: counted in the header of the state, which the
 * scratch starts with (cl/tile/tile_state.cl). */
static cl_uint redone(const xlt_buffer *scratch)
{
    cl_uint words[4];
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), scratch->mem, CL_TRUE, xlt_view(scratch).offset,
                               sizeof words, words, 0, NULL, NULL));
    return words[3];
}

/* Ones of u64 scanned with scratch given; gives how many tiles were re-reduced. */
static cl_uint run_held(xl_context *ctx, xl_scan *plan, size_t n, bool in_place, const char *what)
{
    size_t bytes, alignment;
    uint64_t *host = malloc(n * sizeof *host);
    for (size_t i = 0; i < n; ++i)
        host[i] = ((uint64_t)1 << 33) + 1;
    xlt_buffer a = xlt_buffer_make(host, n, 8, 0), b = a;
    if (!in_place)
        b = xlt_buffer_make(NULL, n, 8, 1);
    ok(ctx, xl_scan_scratch(plan, n, &bytes, &alignment), what);
    xlt_buffer scratch = xlt_scratch_make(bytes, alignment);
    ok(ctx,
       xl_scan_enqueue(plan, xlt_queue(), n, xlt_view(&a), xl_no_view(), xlt_view(&b),
                       xlt_view(&scratch), 0, NULL, NULL),
       what);
    xlt_read(&b, host);
    for (size_t i = 0; i < n; ++i)
        if (host[i] != i * (((uint64_t)1 << 33) + 1))
            XLT_FAIL("%s, %s place: element %zu of %zu is wrong", what, in_place ? "in" : "out of",
                     i, n);
    const cl_uint count = redone(&scratch);
    xlt_check_guards(&scratch, "scratch");
    xlt_buffer_free(&a);
    if (!in_place)
        xlt_buffer_free(&b);
    xlt_buffer_free(&scratch);
    free(host);
    return count;
}

static void held_back(void **state)
{
    (void)state;
    static const unsigned every[] = {512, 16, 2, 1};
    static const unsigned limits[] = {100, 0, 3, 0};
    char text[160];
    if (!can_message())
        return;
    for (unsigned i = 0; i < 8; ++i) {
        xl_scan *plan;
        xl_scan_desc desc;
        const unsigned k = every[i % 4], groups = i / 4;
        snprintf(text, sizeof text,
                 "scan.shape = %u\nscan.item_bytes = 16\nscan.tile_bytes = 1024\n"
                 "scan.hold_back = %u\nscan.spin_limit = %u\n",
                 groups, k, limits[i % 4]);
        xl_context *ctx = open_context(text, NULL);
        xl_scan_desc_init(&desc);
        desc.type = XL_U64;
        desc.algorithm = XL_SCAN_LOOKBACK;
        ok(ctx, xl_scan_create(ctx, &desc, &plan), text);
        const size_t tile = tile_of(ctx, plan), tiles = k == 1 || xlt_small() ? 70 : 1100;
        const cl_uint count = run_held(ctx, plan, tiles * tile + 3, false, text);
        /* A tile that never posts is re-reduced by whoever comes after it. */
        if (count == 0 && k < tiles)
            XLT_FAIL("no tile was re-reduced with %s", text);
        for (int round = 0; round < 3; ++round)
            (void)run_held(ctx, plan, tiles * tile + 3, true, text);
        xl_scan_destroy(plan);
        xl_context_destroy(ctx);
    }
}

/* Wide states, which do not fit a word, and states with flags; two of them share a plan
 * of each kind of arrays. */
static void matrix_op(void *to, const void *left, const void *right)
{
    uint32_t a[4], b[4], r[4];
    memcpy(a, left, sizeof a);
    memcpy(b, right, sizeof b);
    for (int i = 0; i < 4; ++i)
        r[i] = a[i & 2] * b[i & 1] + a[(i & 2) + 1] * b[(i & 1) + 2];
    memcpy(to, r, sizeof r);
}

static const uint32_t identity[4] = {1, 0, 0, 1};
static const xl_user_op matrices = {
    "mat2",
    "uint4 mat2(uint4 a, uint4 b)\n{\n"
    "    return (uint4)(a.x * b.x + a.y * b.z, a.x * b.y + a.y * b.w,\n"
    "                   a.z * b.x + a.w * b.z, a.z * b.y + a.w * b.w);\n}",
    identity, XL_OP_EXACT};

static const struct {
    const char *what;
    xl_type type;
    xl_segments segments;
    unsigned shape, every, spin;
} late[] = {
    {"matrices, 1 in 2", XL_U32X4, XL_SEGMENTS_NONE, 0, 2, 2},
    {"matrices, 1 in 7", XL_U32X4, XL_SEGMENTS_HEAD_FLAGS, 1, 7, 0},
    {"bytes, 1 in 2", XL_U8, XL_SEGMENTS_NONE, 1, 2, 1},
    {"flags, 1 in 3", XL_U32, XL_SEGMENTS_HEAD_FLAGS, 0, 3, 5},
    {"offsets, 1 in 2", XL_I64, XL_SEGMENTS_OFFSETS, 1, 2, 0},
    {"keys, 1 in 64", XL_F32, XL_SEGMENTS_KEYS, 0, 64, 20},
};

static void other_states_held_back(void **state)
{
    (void)state;
    char text[160];
    if (!can_message())
        return;
    for (size_t c = 0; c < sizeof late / sizeof late[0]; ++c) {
        job j;
        snprintf(text, sizeof text,
                 "scan.shape = %u\nscan.item_bytes = 16\nscan.tile_bytes = 512\n"
                 "scan.group_size = 64\nscan.hold_back = %u\nscan.spin_limit = %u\n",
                 late[c].shape, late[c].every, late[c].spin);
        xl_context *ctx = open_context(text, NULL);
        job_make(&j, late[c].what, late[c].type, XL_SUM, c % 2 ? XL_INCLUSIVE : XL_EXCLUSIVE, NULL);
        if (late[c].type == XL_U32X4) {
            j.desc.op = XL_USER_OP;
            j.desc.user_op = &matrices;
            j.ref.op = matrix_op;
            j.ref.lanes = 1;
            j.ref.identity = identity;
        }
        j.desc.algorithm = XL_SCAN_LOOKBACK;
        j.desc.segments = late[c].segments;
        j.desc.segment_type = XL_U32;
        xl_scan *plan = job_plan(ctx, &j);
        const size_t tile = tile_of(ctx, plan), tiles = xlt_small() ? 9 : 200;
        for (int p = 0; p < NUM_PATTERNS; p += 2) {
            j.pattern = (pattern)p;
            job_check(ctx, plan, &j, tiles * tile + 1, placings[p]);
            job_check(ctx, plan, &j, tiles * tile - 1, placings[p + 1]);
        }
        xl_scan_destroy(plan);
        xl_context_destroy(ctx);
    }
}

/* ---- several processes ---------------------------------------------------------------------- */

#ifndef _WIN32
static const char *program;

/* What each process of the crowd does: scans, in place and not, and looks at the results. */
static int one_of_a_crowd(void)
{
    const size_t n = 1000003;
    size_t wrong = 0;
    xl_context *ctx;
    xl_scan *plan = NULL;
    xl_scan_desc desc;
    cl_int code;
    xl_scan_desc_init(&desc);
    cl_uint *host = malloc(n * sizeof *host);
    if (!host || xl_context_create(NULL, &ctx) != XL_SUCCESS ||
        xl_scan_create(ctx, &desc, &plan) != XL_SUCCESS) {
        fprintf(stderr, "%s\n", xl_context_error(NULL));
        free(host);
        return 1;
    }
    cl_command_queue queue = xl_context_queue(ctx);
    cl_mem data = clCreateBuffer(xl_context_cl(ctx), CL_MEM_READ_WRITE, n * 4, NULL, &code);
    for (cl_uint round = 0; code == CL_SUCCESS && round < 25; ++round) {
        for (size_t i = 0; i < n; ++i)
            host[i] = round + 1;
        code = clEnqueueWriteBuffer(queue, data, CL_TRUE, 0, n * 4, host, 0, NULL, NULL);
        if (xl_scan_enqueue(plan, queue, n, xl_view_of(data, 0), xl_no_view(), xl_view_of(data, 0),
                            xl_no_view(), 0, NULL, NULL) != XL_SUCCESS)
            ++wrong;
        code |= clEnqueueReadBuffer(queue, data, CL_TRUE, 0, n * 4, host, 0, NULL, NULL);
        for (size_t i = 0; i < n; ++i)
            wrong += host[i] != (round + 1) * (cl_uint)i;
    }
    if (data)
        clReleaseMemObject(data);
    xl_scan_destroy(plan);
    xl_context_destroy(ctx);
    free(host);
    return code == CL_SUCCESS && wrong == 0 ? 0 : 1;
}

static pid_t start(const char *name, const char *value)
{
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (name)
            setenv(name, value, 1);
        execl(program, program, "--one-of-a-crowd", (char *)NULL);
        _exit(127);
    }
    return pid;
}

/* Exit code of a child, or -1 if it had to be ended. */
static int wait_for(pid_t pid, int *seconds_left)
{
    int status = 0;
    const struct timespec tick = {0, 50000000};
    for (int ticks = 0; waitpid(pid, &status, WNOHANG) == 0; ++ticks) {
        if (ticks % 20 == 19 && --*seconds_left <= 0) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            return -1;
        }
        nanosleep(&tick, NULL);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void run_crowd(int count, const char *name, const char *value)
{
    pid_t pids[3];
    int seconds_left = 120, failed = 0, late_ones = 0;
    for (int p = 0; p < count; ++p)
        pids[p] = start(name, value);
    for (int p = 0; p < count; ++p) {
        const int code = wait_for(pids[p], &seconds_left);
        late_ones += code == -1;
        failed += code != 0;
    }
    if (failed > 0)
        XLT_FAIL("%d of %d processes failed, %d of them did not end in time", failed, count,
                 late_ones);
}

static void several_processes(void **state)
{
    (void)state;
    if (xlt_small()) {
        print_message("small sizes asked for: processes side by side left out\n");
        skip();
    }
    run_crowd(3, NULL, NULL);
}

/* Where the device is PoCL: no work-group runs while another waits. */
static void one_worker_thread(void **state)
{
    (void)state;
    if (xlt_small()) {
        print_message("small sizes asked for: a process with one worker left out\n");
        skip();
    }
    run_crowd(1, "POCL_MAX_PTHREAD_COUNT", "1");
}
#endif

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
/* First, while this process has not opened the device: where an NVIDIA GPU was seen to be
 * lent through a sandbox, children of a process that holds it could not open it. */
#ifndef _WIN32
        cmocka_unit_test(several_processes),
        cmocka_unit_test(one_worker_thread),
#endif
        cmocka_unit_test(held_back),
        cmocka_unit_test(other_states_held_back),
    };
#ifndef _WIN32
    program = argv[0];
    if (argc > 1 && strcmp(argv[1], "--one-of-a-crowd") == 0)
        return one_of_a_crowd();
#endif
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}
