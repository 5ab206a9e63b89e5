/* SPDX-License-Identifier: MIT
 * Indices and queues: an index that is built on one queue and searched on another, without an event
 * of the caller; one that is built again during a search; and builds that never ran. */
#include "grid_support.h"

#include <stdlib.h>
#include <string.h>

enum { N = 600 };

static cl_command_queue queue_of(cl_command_queue_properties properties)
{
    cl_int code;
    const cl_queue_properties all[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_command_queue q = clCreateCommandQueueWithProperties(
        xl_context_cl(xlt_context()), xl_context_device(xlt_context()), all, &code);
    return code == CL_SUCCESS ? q : NULL;
}

/* See lib/ocl/rusticl.c, lib/ocl/oclgrind.c: there calls on other queues than the build's block. */
static bool blocks(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    return strstr(info.platform, "rusticl") || xlt_on_oclgrind();
}

typedef struct stand {
    cloud clouds[2];
    xlt_buffer points[2], counts;
    xl_plan *grid;
    xl_plan *plan;
    uint32_t wanted[2][N];
} stand;

static stand stand_make(void)
{
    stand s = {.clouds = {cloud_uniform(N, 0.0f, 1.0f, 1), cloud_uniform(N, -3.0f, 2.0f, 2)}};
    const xl_grid_desc grid = grid_desc_of(&s.clouds[0], 0.25f);
    const xl_neighbors_desc search = search_desc_of(0.25f);
    XLT_OK(xl_grid_create(xlt_context(), &grid, &s.grid));
    XLT_OK(xl_neighbors_create(s.grid, &search, &s.plan));
    for (int c = 0; c < 2; ++c) {
        list l = list_by_brute_force(&s.clouds[c], &search);
        for (size_t i = 0; i < N; ++i)
            s.wanted[c][i] = (uint32_t)(l.offsets[i + 1] - l.offsets[i]);
        list_free(&l);
        s.points[c] = xlt_buffer_make(s.clouds[c].xyz, 3 * N, 4, 0);
    }
    assert_memory_not_equal(s.wanted[0], s.wanted[1], sizeof s.wanted[0]);
    s.counts = xlt_buffer_make(NULL, N, 4, 0);
    return s;
}

static void stand_free(stand *s)
{
    for (int c = 0; c < 2; ++c) {
        xlt_buffer_free(&s->points[c]);
        cloud_free(&s->clouds[c]);
    }
    xlt_buffer_free(&s->counts);
    xl_plan_destroy(s->plan);
    xl_plan_destroy(s->grid);
}

static void build(stand *s, xl_grid_index *index, int which, cl_command_queue q, cl_uint num,
                  const cl_event *waits)
{
    XLT_OK(xl_grid_build_enqueue(
        s->grid, index, q, &(xl_grid_build_args){.n = N, .points = xlt_view(&s->points[which])},
        num, waits, NULL));
}

static void count(stand *s, xl_grid_index *index, const xlt_buffer *to, cl_command_queue q,
                  cl_event *event)
{
    XLT_OK(xl_neighbors_count_enqueue(
        s->plan, index, q, &(xl_neighbors_args){.counts = xlt_view(to)}, 0, NULL, event));
}

static void expect(stand *s, const xlt_buffer *from, int which)
{
    uint32_t got[N];
    xlt_read(from, got);
    assert_memory_equal(got, s->wanted[which], sizeof got);
}

/* The build waits for an event that completes only after the search was enqueued: on another queue,
 * and on the queue of the build if it is out of order. If calls block, only the latter. */
XLT_TEST(a_search_waits_for_the_build)
{
    stand s = stand_make();
    for (int unordered = blocks() ? 1 : 0; unordered < 2; ++unordered) {
        cl_event search = NULL;
        const cl_command_queue_properties out = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        cl_command_queue builds = queue_of(unordered ? out : 0), searches = queue_of(0);
        if (!builds)
            continue;
        cl_event gate = xlt_user_event();
        xl_grid_index *index;
        XLT_OK(xl_grid_index_create(xlt_context(), &index));
        build(&s, index, 1, builds, 1, &gate);
        count(&s, index, &s.counts, unordered ? builds : searches, &search);
        XLT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
        XLT_CL(clWaitForEvents(1, &search));
        expect(&s, &s.counts, 1);
        XLT_CL(clReleaseEvent(search));
        XLT_CL(clReleaseEvent(gate));
        xl_grid_index_destroy(index);
        XLT_CL(clFinish(builds));
        XLT_CL(clReleaseCommandQueue(builds));
        XLT_CL(clReleaseCommandQueue(searches));
    }
    stand_free(&s);
}

/* A search of the old index is held back on its queue while the index is built again on another
 * queue, and searched there. */
XLT_TEST(a_new_build_leaves_old_searches_alone)
{
    if (blocks())
        skip();
    stand s = stand_make();
    cl_event old = NULL, fresh = NULL;
    cl_command_queue builds = queue_of(0), searches = queue_of(0);
    xlt_buffer second = xlt_buffer_make(NULL, N, 4, 0);
    xl_grid_index *index;
    XLT_OK(xl_grid_index_create(xlt_context(), &index));
    for (int round = 0; round < 3; ++round) {
        cl_event gate = xlt_user_event();
        build(&s, index, 0, builds, 0, NULL);
        XLT_CL(clFinish(builds));
        XLT_OK(xl_neighbors_count_enqueue(s.plan, index, searches,
                                          &(xl_neighbors_args){.counts = xlt_view(&s.counts)}, 1,
                                          &gate, &old));
        build(&s, index, 1, builds, 0, NULL);
        count(&s, index, &second, builds, &fresh);
        XLT_CL(clWaitForEvents(1, &fresh));
        XLT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
        XLT_CL(clWaitForEvents(1, &old));
        expect(&s, &s.counts, 0);
        expect(&s, &second, 1);
        XLT_CL(clReleaseEvent(gate));
        XLT_CL(clReleaseEvent(old));
        XLT_CL(clReleaseEvent(fresh));
    }
    xl_grid_index_destroy(index);
    xlt_buffer_free(&second);
    XLT_CL(clReleaseCommandQueue(builds));
    XLT_CL(clReleaseCommandQueue(searches));
    stand_free(&s);
}

/* On all devices: builds and searches alternate between two queues. */
XLT_TEST(two_queues_take_turns)
{
    stand s = stand_make();
    cl_command_queue queues[2] = {queue_of(0), queue_of(0)};
    xl_grid_index *index;
    XLT_OK(xl_grid_index_create(xlt_context(), &index));
    for (int round = 0; round < 6; ++round) {
        build(&s, index, round % 2, queues[round / 3], 0, NULL);
        count(&s, index, &s.counts, queues[(round / 3 + 1) % 2], NULL);
        XLT_CL(clFinish(queues[(round / 3 + 1) % 2]));
        XLT_OK(xl_grid_index_status(index, queues[round % 2], NULL, 0, NULL));
        expect(&s, &s.counts, round % 2);
    }
    xl_grid_index_destroy(index);
    for (int q = 0; q < 2; ++q) {
        XLT_CL(clFinish(queues[q]));
        XLT_CL(clReleaseCommandQueue(queues[q]));
    }
    stand_free(&s);
}

/* An event that a build waits for fails: no call uses the index that was there before. */
XLT_TEST(a_build_that_never_ran)
{
    if (blocks())
        skip();
    stand s = stand_make();
    cl_command_queue other = queue_of(0);
    xl_grid_index *index;
    XLT_OK(xl_grid_index_create(xlt_context(), &index));
    XLT_FAILS(xl_grid_index_status(index, xlt_queue(), NULL, 0, NULL), XL_ERROR_INVALID_ARGUMENT);
    build(&s, index, 0, xlt_queue(), 0, NULL);
    cl_event gate = xlt_user_event();
    build(&s, index, 1, xlt_queue(), 1, &gate);
    XLT_CL(clSetUserEventStatus(gate, -1));
    (void)clFinish(xlt_queue());
    XLT_FAILS(xl_grid_index_status(index, xlt_queue(), NULL, 0, NULL), XL_ERROR_INVALID_ARGUMENT);
    XLT_FAILS(xl_grid_index_status(index, other, NULL, 0, NULL), XL_ERROR_INVALID_ARGUMENT);
    XLT_FAILS(xl_neighbors_count_enqueue(s.plan, index, other,
                                         &(xl_neighbors_args){.counts = xlt_view(&s.counts)}, 0,
                                         NULL, NULL),
              XL_ERROR_INVALID_ARGUMENT);
    const xl_grid_moved_args now = {.points = xlt_view(&s.points[1]), .moved = xlt_view(&s.counts)};
    uint32_t moved[N];
    XLT_FAILS(xl_grid_moved_enqueue(s.grid, index, other, &now, 0, NULL, NULL),
              XL_ERROR_INVALID_ARGUMENT);
    XLT_OK(xl_grid_moved_enqueue(s.grid, index, xlt_queue(), &now, 0, NULL, NULL));
    xlt_read(&s.counts, moved);
    assert_true(moved[0] == UINT32_MAX);
    build(&s, index, 1, other, 0, NULL);
    count(&s, index, &s.counts, xlt_queue(), NULL);
    expect(&s, &s.counts, 1);
    XLT_CL(clReleaseEvent(gate));
    xl_grid_index_destroy(index);
    XLT_CL(clFinish(other));
    XLT_CL(clReleaseCommandQueue(other));
    stand_free(&s);
}

XLT_MAIN_WITH_GRIDS(NULL, xlt_teardown)
