/* SPDX-License-Identifier: MIT
 * A child by fork() of a process that has used the library: each call returns an error with a text,
 * what ends an object returns, and nothing hangs, whatever other threads of the parent were doing.
 * The parent goes on as before. */
#define _GNU_SOURCE
#include "xlt.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1000, SECONDS = 300 };

typedef struct objects {
    xl_context *ctx;
    cl_command_queue queue;
    xl_plan *scan;
    xl_plan *reduce;
    xl_plan *sort;
    xl_plan *select;
    xl_plan *grid;
    xl_grid_index *index;
    xl_plan *neighbors;
    xlt_buffer words, out;
} objects;

static objects o;

static xl_status scan_once(void)
{
    return xl_scan_enqueue(
        o.scan, o.queue, &(xl_scan_args){.n = N, .in = xlt_view(&o.words), .out = xlt_view(&o.out)},
        0, NULL, NULL);
}

/* In the child, where cmocka may not be used. */
static void refused(xl_status status, const char *call)
{
    if (status == XL_ERROR_UNSUPPORTED && strstr(xl_context_error(o.ctx), "fork()"))
        return;
    printf("%s: %s: %s\n", call, xl_status_name(status), xl_context_error(o.ctx));
    fflush(stdout);
    _exit(1);
}
#define REFUSED(call) refused((call), #call)

static void call_everything(void)
{
    xl_context *ctx;
    xl_device_info info;
    xl_plan *scan;
    xl_scan_desc desc;
    xl_grid_index *index;
    cl_program program;
    cl_event event;
    xl_scan_desc_init(&desc);
    REFUSED(scan_once());
    REFUSED(xl_scan_create(o.ctx, &desc, &scan));
    REFUSED(xl_grid_index_create(o.ctx, &index));
    REFUSED(xl_grid_build_enqueue(o.grid, o.index, o.queue,
                                  &(xl_grid_build_args){.n = N / 3, .points = xlt_view(&o.words)},
                                  0, NULL, NULL));
    REFUSED(xl_neighbors_count_enqueue(o.neighbors, o.index, o.queue,
                                       &(xl_neighbors_args){.offsets = xlt_view(&o.out)}, 0, NULL,
                                       NULL));
    REFUSED(xl_grid_index_status(o.index, o.queue, NULL, 0, NULL));
    REFUSED(xl_grid_index_event(o.index, &event));
    REFUSED(xl_context_device_info(o.ctx, &info));
    REFUSED(xl_program_create(o.ctx, "__kernel void k(void) {}\n", NULL, &program));
    REFUSED(xl_context_adopt(xl_context_cl(o.ctx), xl_context_device(o.ctx), NULL, &ctx));
    REFUSED(xl_context_create(NULL, &ctx));
    REFUSED(xl_context_queue(o.ctx) ? XL_SUCCESS : XL_ERROR_UNSUPPORTED);
    REFUSED(xl_devices_each(NULL, NULL) > 0 ? XL_SUCCESS : XL_ERROR_UNSUPPORTED);
    REFUSED(xl_tunables_each(o.ctx, NULL, NULL) > 0 ? XL_SUCCESS : XL_ERROR_UNSUPPORTED);
}

static void destroy_plans(void)
{
    xl_plan_destroy(o.scan);
    xl_plan_destroy(o.reduce);
    xl_plan_destroy(o.sort);
    xl_plan_destroy(o.select);
    xl_plan_destroy(o.neighbors);
    xl_grid_index_destroy(o.index);
    xl_plan_destroy(o.grid);
}

/* A child that hangs is ended by a signal. */
static void child_is_refused(void)
{
    int status = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(SECONDS);
        call_everything();
        destroy_plans();
        xl_context_destroy(o.ctx);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        XLT_FAIL("the child ended by signal %d", WTERMSIG(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

XLT_TEST(a_child_is_refused)
{
    child_is_refused();
    XLT_OK(scan_once());
    XLT_CL(clFinish(o.queue));
}

static atomic_bool stop;

/* Takes the library's locks all the time. */
static void *keep_busy(void *user)
{
    (void)user;
    while (!atomic_load(&stop)) {
        xl_plan *none;
        xl_scan_desc desc;
        xl_scan_desc_init(&desc);
        desc.type = (xl_type)100;
        (void)xl_devices_each(NULL, NULL);
        if (xl_scan_create(o.ctx, &desc, &none) == XL_SUCCESS || scan_once() != XL_SUCCESS)
            return "a call of the parent";
        if (clFinish(o.queue) != CL_SUCCESS)
            return "clFinish";
    }
    return NULL;
}

XLT_TEST(locks_of_other_threads_do_not_matter)
{
    enum { THREADS = 2 };
    pthread_t threads[THREADS];
    xlt_needs_threads();
    atomic_store(&stop, false);
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, keep_busy, NULL), 0);
    for (int i = 0; i < 20; ++i)
        child_is_refused();
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; ++i) {
        void *failed;
        pthread_join(threads[i], &failed);
        if (failed)
            XLT_FAIL("%s", (const char *)failed);
    }
}

#define MAKE(kind, to)                                                                             \
    do {                                                                                           \
        kind##_desc desc;                                                                          \
        kind##_desc_init(&desc);                                                                   \
        XLT_OK(kind##_create(o.ctx, &desc, (to)));                                                 \
    } while (0)

static int setup(void **state)
{
    (void)state;
    xl_grid_desc grid;
    xl_neighbors_desc near;
    o.ctx = xlt_context();
    o.queue = xl_context_queue(o.ctx);
    MAKE(xl_scan, &o.scan);
    MAKE(xl_reduce, &o.reduce);
    MAKE(xl_sort, &o.sort);
    MAKE(xl_select, &o.select);
    xl_grid_desc_init(&grid);
    grid.cell_size = 1;
    XLT_OK(xl_grid_create(o.ctx, &grid, &o.grid));
    XLT_OK(xl_grid_index_create(o.ctx, &o.index));
    xl_neighbors_desc_init(&near);
    near.radius = 1;
    XLT_OK(xl_neighbors_create(o.grid, &near, &o.neighbors));
    o.words = xlt_buffer_make(NULL, N, 4, 0);
    o.out = xlt_buffer_make(NULL, 2 * N, 4, 0);
    XLT_OK(scan_once());
    XLT_OK(xl_grid_build_enqueue(o.grid, o.index, o.queue,
                                 &(xl_grid_build_args){.n = N / 3, .points = xlt_view(&o.words)}, 0,
                                 NULL, NULL));
    XLT_CL(clFinish(o.queue));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    destroy_plans();
    xlt_buffer_free(&o.words);
    xlt_buffer_free(&o.out);
    xlt_finish();
    return 0;
}

int main(void)
{
    return xlt_has_grids() ? xlt_run_tests(setup, teardown) : XLT_SKIPPED;
}
