/* SPDX-License-Identifier: MIT
 * Plans of a workload: created, checked, timed, and compared with another. */
#include "workload.h"

#include <stdlib.h>
#include <string.h>

/* ---- shared by kinds ---- */

int workload_no_memory(const workload *w)
{
    return tool_fail("%s: no memory for %zu elements", w->kind->name, w->n);
}

int workload_open_output(workload *w, size_t bytes, size_t second_bytes)
{
    int result;
    w->bytes = bytes;
    w->second_bytes = second_bytes;
    w->got = calloc(1, bytes + second_bytes + 1);
    w->wanted = calloc(1, bytes + second_bytes + 1);
    if (!w->got || !w->wanted)
        return workload_no_memory(w);
    TRY(session_buffer(w->s, bytes, w->kind->name, &w->buffers[WORKLOAD_OUT]));
    if (second_bytes)
        TRY(session_buffer(w->s, second_bytes, w->kind->name, &w->second));
done:
    return result;
}

bool check_equal(const workload *w, bool first)
{
    (void)first;
    return memcmp(w->got, w->wanted, w->bytes) == 0;
}

/* ---- plans ---- */

static void close_data(workload *w)
{
    for (size_t i = 0; i < TOOL_COUNT(w->buffers); ++i)
        session_release(&w->buffers[i]);
    session_release(&w->scratch);
    w->scratch_bytes = 0;
    session_release(&w->second);
    xl_grid_index_destroy(w->index);
    xl_plan_destroy(w->grid);
    cuts_free(&w->cuts);
    free(w->input);
    free(w->got);
    free(w->wanted);
    w->grid = NULL;
    w->input = NULL;
    w->got = w->wanted = NULL;
    w->known = false;
    w->bytes = w->second_bytes = 0;
}

void workload_drop(const workload *w, xl_plan *plan)
{
    if (plan != w->first)
        xl_plan_destroy(plan);
}

void workload_close(workload *w)
{
    workload_drop(w, w->plan);
    xl_plan_destroy(w->first);
    close_data(w);
    *w = (workload){0};
}

static bool create_plan(workload *w, const xl_tunable *values, uint32_t count, xl_plan **plan)
{
    const double start = host_milliseconds();
    const xl_status status = w->kind->create(w, values, count, plan);
    const double spent = host_milliseconds() - start;
    if (spent > w->create_ms)
        w->create_ms = spent;
    if (status != XL_SUCCESS)
        *plan = NULL;
    return status == XL_SUCCESS;
}

/* Makes the scratch large enough for this plan, too. */
static bool take_scratch(workload *w, const xl_plan *plan)
{
    size_t bytes = 0;
    if (w->kind->scratch && w->kind->scratch(w, plan, &bytes) != XL_SUCCESS)
        return false;
    if (bytes <= w->scratch_bytes)
        return true;
    session_release(&w->scratch);
    w->scratch_bytes = bytes;
    return session_buffer(w->s, bytes, "scratch", &w->scratch) == TOOL_OK;
}

/* Checks one call. The outputs are overwritten before it, so that old results do not count. */
static bool is_right(workload *w, xl_plan *plan)
{
    const cl_uint spoilt = 0xa5a5a5a5u;
    const session *s = w->s;
    const bool first = !w->known;
    const cl_mem out[2] = {w->buffers[WORKLOAD_OUT], w->second};
    const size_t bytes[2] = {w->bytes, w->second_bytes};
    for (int k = 0; k < 2; ++k)
        if (bytes[k] && clEnqueueFillBuffer(s->queue, out[k], &spoilt, sizeof spoilt, 0, bytes[k],
                                            0, NULL, NULL) != CL_SUCCESS)
            return false;
    if (!take_scratch(w, plan) || w->kind->enqueue(w, plan) != XL_SUCCESS)
        return false;
    for (int k = 0; k < 2; ++k)
        if (bytes[k] &&
            clEnqueueReadBuffer(s->queue, out[k], CL_TRUE, 0, bytes[k], w->got + (k ? w->bytes : 0),
                                0, NULL, NULL) != CL_SUCCESS)
            return false;
    if (!w->kind->check(w, first))
        return false;
    if (first)
        memcpy(w->wanted, w->got, w->bytes + w->second_bytes);
    w->known = true;
    return true;
}

bool workload_try(workload *w, const xl_tunable *values, uint32_t count, xl_plan **plan)
{
    if (create_plan(w, values, count, plan) && is_right(w, *plan))
        return true;
    xl_plan_destroy(*plan);
    *plan = NULL;
    return false;
}

/* Milliseconds of one of several calls in a row; negative if one fails. */
static double time_calls(const workload *w, xl_plan *plan, unsigned calls)
{
    bool good = clFinish(w->s->queue) == CL_SUCCESS;
    const double start = host_milliseconds();
    for (unsigned i = 0; good && i < calls; ++i)
        good = w->kind->enqueue(w, plan) == XL_SUCCESS;
    good = clFinish(w->s->queue) == CL_SUCCESS && good;
    return good ? (host_milliseconds() - start) / calls : -1;
}

/* Whether each of two calls takes at least that long: the system may have delayed one. */
static bool takes(const workload *w, double ms)
{
    bool both = true;
    for (int k = 0; k < 2; ++k)
        both = both && time_calls(w, w->plan, 1) >= ms;
    return both;
}

static int open_data(workload *w, size_t n)
{
    int result;
    close_data(w);
    w->n = n;
    TRY(w->kind->open(w));
    if (!is_right(w, w->plan)) {
        const char *const error = xl_context_error(w->s->ctx);
        result = tool_fail("%s of %zu elements: %s", w->kind->name, n,
                           *error ? error : "the result differs from that of serial code");
    }
done:
    return result;
}

int workload_open(workload *w, const session *s, const workload_kind *kind, size_t n)
{
    enum { LEAST_ELEMENTS = 1 << 14 };
    const double enough_ms = 4;
    int result = TOOL_OK;
    *w = (workload){.kind = kind, .s = s};
    const size_t most = kind->most[(s->info.device_type & CL_DEVICE_TYPE_CPU) == 0];
    if (!create_plan(w, NULL, 0, &w->first))
        return tool_check(s->ctx, XL_ERROR_BUILD, kind->name);
    w->plan = w->first;
    if (n > 0)
        return open_data(w, n);
    for (n = LEAST_ELEMENTS;; n *= 4) {
        TRY(open_data(w, n));
        if (n >= most || takes(w, enough_ms))
            break;
    }
done:
    return result;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, size_t count)
{
    qsort(times, count, sizeof *times, by_size);
    return times[count / 2];
}

/* How many calls in a row take a millisecond; 1 if one takes longer. */
static unsigned calls_in_a_row(const workload *w, xl_plan *plan)
{
    const double least_ms = 1, once = time_calls(w, plan, 1);
    return once > 0 && once < least_ms ? 1 + (unsigned)(least_ms / once) : 1;
}

static const double ENOUGH_MS = 150;

bool workload_time(const workload *w, double *ms)
{
    const double start = host_milliseconds();
    double times[WORKLOAD_MANY_PAIRS];
    size_t count = 0;
    const unsigned calls = calls_in_a_row(w, w->plan);
    while (count < WORKLOAD_FEW_PAIRS ||
           (count < WORKLOAD_MANY_PAIRS && host_milliseconds() - start < ENOUGH_MS)) {
        times[count] = time_calls(w, w->plan, calls);
        if (times[count++] < 0)
            return false;
    }
    *ms = median(times, count);
    return true;
}

bool workload_compare(const workload *w, size_t least_pairs, xl_plan *before, xl_plan *after,
                      workload_gain *gain)
{
    const double start = host_milliseconds();
    double a[WORKLOAD_MANY_PAIRS] = {0}, b[WORKLOAD_MANY_PAIRS] = {0};
    size_t pairs = 0, faster = 0;
    const unsigned calls = calls_in_a_row(w, before);
    while (pairs < least_pairs ||
           (pairs < WORKLOAD_MANY_PAIRS && host_milliseconds() - start < ENOUGH_MS)) {
        /* The plans take turns in going first. */
        const bool swap = pairs % 2;
        const double x = time_calls(w, swap ? after : before, calls);
        const double y = time_calls(w, swap ? before : after, calls);
        a[pairs] = swap ? y : x;
        b[pairs] = swap ? x : y;
        if (x < 0 || y < 0)
            return false;
        faster += b[pairs] < a[pairs];
        ++pairs;
    }
    gain->before_ms = median(a, pairs);
    gain->after_ms = median(b, pairs);
    gain->gain = gain->after_ms > 0 ? gain->before_ms / gain->after_ms : 1;
    gain->sure = 4 * faster >= 3 * pairs;
    return true;
}
