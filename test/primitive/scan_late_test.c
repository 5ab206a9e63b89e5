/* SPDX-License-Identifier: MIT
 * Look-back never hangs and is never wrong: tiles held back on purpose, one worker
 * thread, several processes on one device. */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "scan_users.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- several processes ---------------------------------------------------------------------- */
/* First, while this process has not opened the device: where an NVIDIA GPU was seen to be lent through
 * a sandbox, children of a process that holds it could not open it. */

#ifndef _WIN32
static const char *program;
enum { LEFT_OUT = 77, PATIENCE = 300 /* seconds of the slowest step, which is to compile */ };

/* The work of each process of the crowd. SIGALRM ends one that makes no progress: on a busy machine
 * each step may take long. */
static int one_of_a_crowd(bool one_worker)
{
    job j;
    xl_device_info info;
    alarm(PATIENCE);
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    if (one_worker && !strstr(info.platform, "Portable Computing Language"))
        return LEFT_OUT;
    if (one_worker)
        XLT_TRUE(info.compute_units == 1);
    job_make(&j, "one of a crowd", XL_U32, XL_SUM, XL_EXCLUSIVE, NULL);
    xl_plan *plan = job_plan(xlt_context(), &j);
    for (j.seed = 0; j.seed < 25; ++j.seed) {
        alarm(PATIENCE);
        job_check(xlt_context(), plan, &j, 1000003,
                  (placing){.in_place = true, .own_scratch = true});
    }
    xl_plan_destroy(plan);
    xlt_finish();
    return 0;
}

static pid_t start(const char *how)
{
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    if (strcmp(how, "one-worker") == 0) { /* one for older PoCLs, one for newer */
        setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);
        setenv("POCL_CPU_MAX_CU_COUNT", "1", 1);
    }
    execl(program, program, "--one-of-a-crowd", how, (char *)NULL);
    _exit(127);
}

/* False if they found that this device has no look-back. */
static bool run_crowd(size_t count, const char *how)
{
    pid_t all[3];
    size_t failed = 0, left_out = 0;
    for (size_t p = 0; p < count; ++p)
        all[p] = start(how);
    for (size_t p = 0; p < count; ++p) {
        int status;
        assert_int_equal(waitpid(all[p], &status, 0), all[p]);
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        left_out += code == LEFT_OUT;
        if (code == 0 || code == LEFT_OUT)
            continue;
        ++failed;
        print_message("process %zu ended with %d%s\n", p, code,
                      code == -SIGALRM ? ": it made no progress" : "");
    }
    if (failed > 0)
        XLT_FAIL("%zu of %zu processes failed", failed, count);
    return left_out == 0;
}

XLT_TEST(several_processes)
{
    if (xlt_small()) {
        print_message("small sizes asked for: processes side by side left out\n");
        skip();
    }
    assert_true(run_crowd(3, "as-it-is"));
}

/* On PoCL: no work-group runs while another waits. The test is a separate process, because PoCL
 * reads the variables once. */
XLT_TEST(one_worker_thread)
{
    if (xlt_small()) {
        print_message("small sizes asked for: a process with one worker left out\n");
        skip();
    }
    if (!run_crowd(1, "one-worker")) {
        print_message("a number of workers is asked of PoCL only: left out\n");
        skip();
    }
}
#endif

/* ---- tiles held back -------------------------------------------------------------------- */

/* The shapes of tiles. Each line says whether they are pipelined, because some devices pipeline
 * tiles by default. */
enum { SERIAL, GROUPS, PIPELINED, WAYS, LINES = 512 };

/* Tuning lines of a way with small tiles. One in `every` is held back, or half of its state. */
static void write_lines(char *text, unsigned way, unsigned tile_bytes, unsigned every,
                        unsigned spin, bool half)
{
    snprintf(text, LINES,
             "scan.shape = %d\nscan.item_bytes = 16\nscan.tile_bytes = %u\nscan.group_size = 64\n"
             "scan.pipelined = %d\nscan.pipelined_window = 64\nscan.pipelined_size = "
             "64\nscan.pipelined_bytes = 16\n"
             "scan.pipelined_wide_size = 64\nscan.pipelined_wide_bytes = "
             "16\nscan.inject_delay = %u\nscan.spin_limit = %u\n"
             "scan.inject_tear = %d\n",
             way != SERIAL, tile_bytes, way == PIPELINED, every, spin, half);
}

/* How many aggregates others computed: counted in the header of the state, which the
 * scratch starts with (cl/tile/tile_prefix.cl). */
static cl_uint redone(const xlt_buffer *scratch)
{
    cl_uint words[4];
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), scratch->mem, CL_TRUE, xlt_view(scratch).offset,
                               sizeof words, words, 0, NULL, NULL));
    return words[3];
}

/* Equal numbers of u64, others in each round, scanned with scratch given; gives how many tiles
 * were computed by others. */
static cl_uint run_held(xl_context *ctx, xl_plan *plan, size_t n, unsigned round, bool in_place,
                        const char *what)
{
    const uint64_t step = ((uint64_t)1 << 33) * (round + 1) + 1;
    uint64_t *host = bytes_for(n, sizeof *host);
    xlt_tiles tiles;
    for (size_t i = 0; i < n; ++i)
        host[i] = step;
    xlt_buffer a = xlt_buffer_make(host, n, 8, 0), b = a;
    if (!in_place)
        b = xlt_buffer_make(NULL, n, 8, 1);
    xlt_buffer scratch = scan_scratch_make(ctx, plan, n, &tiles);
    xlt_watch_start(what, &tiles);
    ok(ctx,
       xl_scan_enqueue(
           plan, xlt_queue(),
           &(xl_scan_args){
               .n = n, .in = xlt_view(&a), .out = xlt_view(&b), .scratch = xlt_view(&scratch)},
           0, NULL, NULL),
       what);
    xlt_read(&b, host);
    xlt_watch_stop();
    for (size_t i = 0; i < n; ++i)
        if (host[i] != i * step)
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

XLT_TEST(held_back)
{
    static const unsigned every[] = {2, 1, 16, 512};
    static const unsigned limits[] = {3, 0, 0, 100};
    const unsigned rows = xlt_few_programs() ? 1 : 4;
    char text[LINES];
    if (!can_publish())
        skip();
    const unsigned ways = can_pipeline() ? WAYS : PIPELINED;
    for (unsigned i = 0; i < rows * ways; ++i) {
        xl_plan *plan;
        xl_scan_desc desc;
        const unsigned k = every[i % rows];
        write_lines(text, i / rows, 1024, k, limits[i % rows], false);
        xl_context *ctx = open_context(text, NULL);
        xl_scan_desc_init(&desc);
        desc.type = XL_U64;
        desc.algorithm = XL_SCAN_LOOKBACK;
        ok(ctx, xl_scan_create(ctx, &desc, &plan), text);
        const size_t tile = tile_of(ctx, plan), tiles = k == 1 || xlt_small() ? 70 : 1100;
        const cl_uint count = run_held(ctx, plan, tiles * tile + 3, 0, false, text);
        /* If a tile never publishes, a later tile computes its aggregate. */
        if (count < tiles / k)
            XLT_FAIL("only %u aggregates were computed by others with %s", (unsigned)count, text);
        for (unsigned round = 1; round < 4; ++round)
            (void)run_held(ctx, plan, tiles * tile + 3, round, true, text);
        xl_plan_destroy(plan);
        xl_context_destroy(ctx);
    }
}

/* Wide states, which do not fit a word, and states with flags; two of them share a plan
 * of each kind of arrays. */
typedef struct late_case {
    const char *what;
    xl_type type; /* XL_USER_TYPE: `user` */
    xl_segments segments;
    unsigned way, every, spin;
    users_type user;
    bool init, half; /* starts from no identity; half of a held state is published */
} late_case;

static unsigned late_turn; /* cases so far */

static void late_job(job *j, const late_case *c, xl_scan_kind kind)
{
    if (c->type == XL_USER_TYPE)
        user_job_make(j, c->what, c->user, kind, c->init);
    else
        job_make(j, c->what, c->type, XL_SUM, kind, c->init ? odd_init(c->type) : NULL);
    j->what = c->what;
    j->desc.algorithm = XL_SCAN_LOOKBACK;
    j->desc.segments = c->segments;
    j->desc.segment_type = XL_U32;
    j->desc.segment_width = c->segments == XL_SEGMENTS_WIDTH ? 700 : 0;
}

/* Each place is another kernel, of those that take longest to compile: of few programs a case has
 * arrays apart or one in place, in turn. */
static placing late_placing(int p)
{
    size_t k = (size_t)(p + 1) % NUM_PLACINGS;
    while (xlt_few_programs() && placings[k].in_place != (late_turn % 2 == 1))
        k = (k + 1) % NUM_PLACINGS;
    return placings[k];
}

static void check_late(const late_case *c, xl_scan_kind kind, size_t tiles)
{
    char text[LINES];
    job j;
    write_lines(text, c->way, 512, c->every, c->spin, c->half);
    xl_context *ctx = open_context(text, NULL);
    late_job(&j, c, kind);
    xl_plan *plan = job_plan(ctx, &j);
    const size_t tile = tile_of(ctx, plan);
    for (int p = 0; p < NUM_PATTERNS; ++p) {
        j.pattern = (pattern)p;
        j.seed = (uint64_t)p * 7;
        job_check(ctx, plan, &j, p % 2 ? tiles * tile - 1 : tiles * tile + 1, late_placing(p));
    }
    ++late_turn;
    xl_plan_destroy(plan);
    xl_context_destroy(ctx);
}

static const late_case late[] = {
    {"matrices, 1 in 2", XL_USER_TYPE, XL_SEGMENTS_NONE, SERIAL, 2, 2, .user = MATRICES},
    {"matrices, 1 in 7", XL_USER_TYPE, XL_SEGMENTS_HEAD_FLAGS, GROUPS, 7, 0, .user = MATRICES},
    {"bytes, 1 in 2", XL_U8, XL_SEGMENTS_NONE, GROUPS, 2, .spin = 1},
    {"flags, 1 in 3", XL_U32, XL_SEGMENTS_HEAD_FLAGS, SERIAL, 3, .spin = 5},
    {"offsets, 1 in 2", XL_I64, XL_SEGMENTS_OFFSETS, GROUPS, 2, .spin = 0},
    {"offsets, 1 in 3", XL_U32, XL_SEGMENTS_OFFSETS, SERIAL, 3, .spin = 1},
    {"keys, 1 in 64", XL_F32, XL_SEGMENTS_KEYS, SERIAL, 64, .spin = 20},
    {"pipelined: matrices, 1 in 2", XL_USER_TYPE, XL_SEGMENTS_NONE, PIPELINED, 2, 1,
     .user = MATRICES},
    {"pipelined: bytes, 1 in 3", XL_U8, XL_SEGMENTS_NONE, PIPELINED, 3, .spin = 0},
    {"pipelined: flags, 1 in 2", XL_U32, XL_SEGMENTS_HEAD_FLAGS, PIPELINED, 2, .spin = 0},
    {"pipelined: bits, 1 in 512", XL_I64, XL_SEGMENTS_FLAG_BITMASK, PIPELINED, 512, .spin = 3},
    {"pipelined: keys, 1 in 64", XL_F32, XL_SEGMENTS_KEYS, PIPELINED, 64, .spin = 20},
};

XLT_TEST(other_states_held_back)
{
    if (!can_publish())
        skip();
    const unsigned ways = can_pipeline() ? WAYS : PIPELINED;
    for (size_t c = 0; c < sizeof late / sizeof late[0]; ++c) {
        /* In nine tiles, one in ten or fewer would hold none back. */
        if (late[c].way >= ways ||
            (xlt_few_programs() && (late[c].every > 9 || (late[c].way != PIPELINED && c % 2))))
            continue;
        check_late(&late[c], c % 2 ? XL_INCLUSIVE : XL_EXCLUSIVE,
                   xlt_small()           ? 9
                   : late[c].every > 200 ? 600
                                         : 200);
    }
}

/* A push takes every fourth case, beginning with number `first`, and every other one of those that
 * only some devices can do. */
static void check_cases(const late_case *cases, size_t count, size_t first, size_t tiles)
{
    if (!can_publish())
        skip();
    const unsigned ways = can_pipeline() ? WAYS : PIPELINED;
    for (size_t c = 0; c < count; ++c) {
        const bool pipelined = cases[c].way == PIPELINED;
        if (cases[c].way < ways && (!xlt_few_programs() || c % (pipelined ? 2 : 4) == first))
            check_late(&cases[c], c % 2 ? XL_INCLUSIVE : XL_EXCLUSIVE, pipelined ? 70 : tiles);
    }
}

/* Every tile is held back, the first as well: who makes it anew has to begin as it does. */
XLT_TEST(starts_held_back)
{
    static const late_case cases[] = {
        {"plain", XL_U32, XL_SEGMENTS_NONE, SERIAL, 1, 0, .init = true},
        {"plain", XL_U32, XL_SEGMENTS_NONE, GROUPS, 1, 0, .init = true},
        {"in order", XL_F32, XL_SEGMENTS_NONE, SERIAL, 1, 1, .init = true},
        {"in order", XL_F32, XL_SEGMENTS_NONE, GROUPS, 1, 1, .init = true},
        {"strings", XL_USER_TYPE, XL_SEGMENTS_NONE, SERIAL, 1, 0, TEXTS, .init = true},
        {"flags", XL_U32, XL_SEGMENTS_HEAD_FLAGS, SERIAL, 1, 0, .init = true},
        {"bits", XL_I64, XL_SEGMENTS_FLAG_BITMASK, GROUPS, 1, 0, .init = true},
        {"keys", XL_U32, XL_SEGMENTS_KEYS, GROUPS, 1, 0, .init = true},
        {"offsets", XL_I64, XL_SEGMENTS_OFFSETS, SERIAL, 1, 0, .init = true},
        {"width", XL_F32, XL_SEGMENTS_WIDTH, GROUPS, 1, 0, .init = true},
        {"pipelined", XL_U32, XL_SEGMENTS_NONE, PIPELINED, 1, 0, .init = true},
        {"pipelined, flags", XL_U32, XL_SEGMENTS_HEAD_FLAGS, PIPELINED, 1, 0, .init = true},
    };
    check_cases(cases, sizeof cases / sizeof cases[0], 0, 7);
}

/* A state of several words of which only some are there is not there yet. */
XLT_TEST(states_half_posted)
{
    static const late_case cases[] = {
        {"u64", XL_U64, XL_SEGMENTS_NONE, SERIAL, 1, 1, .half = true},
        {"u64", XL_U64, XL_SEGMENTS_NONE, GROUPS, 2, 1, .half = true},
        {"in order, f64", XL_F64, XL_SEGMENTS_NONE, SERIAL, 2, 1, .half = true},
        {"value and flag", XL_U32, XL_SEGMENTS_HEAD_FLAGS, SERIAL, 2, 1, .half = true},
        {"value and flag", XL_I32, XL_SEGMENTS_KEYS, GROUPS, 1, 0, .half = true},
        {"in order, value and flag", XL_F32, XL_SEGMENTS_FLAG_BITMASK, GROUPS, 2, 0, .half = true},
        {"wide value and flag", XL_I64, XL_SEGMENTS_OFFSETS, SERIAL, 1, 0, .half = true},
        {"3 bytes and flag", XL_USER_TYPE, XL_SEGMENTS_HEAD_FLAGS, SERIAL, 2, 0, MAPS,
         .half = true},
        {"12 bytes", XL_USER_TYPE, XL_SEGMENTS_NONE, GROUPS, 2, 1, SPANS, .half = true},
        {"24 bytes", XL_USER_TYPE, XL_SEGMENTS_HEAD_FLAGS, SERIAL, 1, 0, TEXTS, .half = true},
        {"pipelined: u64", XL_U64, XL_SEGMENTS_NONE, PIPELINED, 2, 1, .half = true},
        {"pipelined: value and flag", XL_U32, XL_SEGMENTS_HEAD_FLAGS, PIPELINED, 1, 0,
         .half = true},
    };
    check_cases(cases, sizeof cases / sizeof cases[0], 1, 11);
}

/* Nobody publishes: each group computes all tiles before its own. Rows of several vectors, without
 * which PoCL 3.1 did right. */
XLT_TEST(nobody_posts)
{
    static const char lines[] =
        "scan.shape = 1\nscan.item_bytes = 64\nscan.group_size = 64\nscan.pipelined = 0\n"
        "scan.inject_delay = 1\nscan.spin_limit = 0\n";
    static const xl_type types[] = {XL_U32, XL_F32, XL_U64};
    if (!can_publish())
        skip();
    xl_context *ctx = open_context(lines, NULL);
    for (size_t t = 0; t < sizeof types / sizeof types[0]; ++t) {
        job j;
        job_make(&j, "no tile publishes", types[t], XL_SUM, XL_EXCLUSIVE, NULL);
        j.desc.algorithm = XL_SCAN_LOOKBACK;
        /* A plan that is refused, for its self-test came out wrong, is a failure too. */
        xl_plan *plan;
        ok(ctx, xl_scan_create(ctx, &j.desc, &plan), j.what);
        const size_t n = 6 * tile_of(ctx, plan) + 5;
        for (size_t p = 0; p < 2; ++p)
            if (!xlt_few_programs() || p == t % 2)
                job_check(ctx, plan, &j, n, placings[p]);
        xl_plan_destroy(plan);
    }
    xl_context_destroy(ctx);
}

int main(int argc, char **argv)
{
#ifndef _WIN32
    program = argv[0];
    if (argc > 2 && strcmp(argv[1], "--one-of-a-crowd") == 0)
        return one_of_a_crowd(strcmp(argv[2], "one-worker") == 0);
#endif
    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    return xlt_run_tests(NULL, xlt_teardown);
}
