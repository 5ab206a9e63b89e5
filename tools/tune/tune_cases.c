/* SPDX-License-Identifier: MIT
 * Plans of `crosslane tune` that are tried: made, checked, and timed beside another. */
#include "tune_cases.h"

#include <stdlib.h>
#include <string.h>

/* ---- what kinds share ---- */

int tune_no_memory(const tune_case *c)
{
    return tool_fail("tune: no memory for a %s of %zu elements", c->kind->name, c->n);
}

/* Room for what comes out, on both sides. */
int tune_open_output(tune_case *c, size_t bytes, size_t second_bytes)
{
    int result;
    c->bytes = bytes;
    c->second_bytes = second_bytes;
    c->got = calloc(1, bytes + second_bytes + 1);
    c->wanted = calloc(1, bytes + second_bytes + 1);
    if (!c->got || !c->wanted)
        return tune_no_memory(c);
    TRY(session_buffer(c->s, bytes, c->kind->name, &c->buffers[TUNE_OUT]));
    if (second_bytes)
        TRY(session_buffer(c->s, second_bytes, c->kind->name, &c->second));
done:
    return result;
}

bool check_equal(const tune_case *c, bool first)
{
    (void)first;
    return memcmp(c->got, c->wanted, c->bytes) == 0;
}

/* ---- plans ---- */

static void close_data(tune_case *c)
{
    for (size_t i = 0; i < TOOL_COUNT(c->buffers); ++i)
        session_release(&c->buffers[i]);
    session_release(&c->scratch);
    c->scratch_bytes = 0;
    session_release(&c->second);
    xl_grid_index_destroy(c->index);
    xl_plan_destroy(c->grid);
    cuts_free(&c->cuts);
    free(c->input);
    free(c->got);
    free(c->wanted);
    c->grid = NULL;
    c->input = NULL;
    c->got = c->wanted = NULL;
    c->known = false;
    c->bytes = c->second_bytes = 0;
}

void tune_case_close(tune_case *c)
{
    if (c->kind && c->plan != c->first)
        c->kind->destroy(c->plan);
    if (c->kind)
        c->kind->destroy(c->first);
    close_data(c);
    *c = (tune_case){0};
}

static bool create_plan(tune_case *c, const xl_tunable *values, uint32_t count, void **plan)
{
    const double start = host_milliseconds();
    const xl_status status = c->kind->create(c, values, count, plan);
    const double spent = host_milliseconds() - start;
    if (spent > c->create_ms)
        c->create_ms = spent;
    if (status != XL_SUCCESS)
        *plan = NULL;
    return status == XL_SUCCESS;
}

/* Scratch that is enough for this plan too. */
static bool take_scratch(tune_case *c, const void *plan)
{
    size_t bytes = 0;
    if (c->kind->scratch && c->kind->scratch(c, plan, &bytes) != XL_SUCCESS)
        return false;
    if (bytes <= c->scratch_bytes)
        return true;
    session_release(&c->scratch);
    c->scratch_bytes = bytes;
    return session_buffer(c->s, bytes, "scratch", &c->scratch) == TOOL_OK;
}

/* One call on results that are spoilt before it. */
static bool is_right(tune_case *c, void *plan)
{
    const cl_uint spoilt = 0xa5a5a5a5u;
    const session *s = c->s;
    const bool first = !c->known;
    const cl_mem out[2] = {c->buffers[TUNE_OUT], c->second};
    const size_t bytes[2] = {c->bytes, c->second_bytes};
    for (int k = 0; k < 2; ++k)
        if (bytes[k] && clEnqueueFillBuffer(s->queue, out[k], &spoilt, sizeof spoilt, 0, bytes[k],
                                            0, NULL, NULL) != CL_SUCCESS)
            return false;
    if (!take_scratch(c, plan) || c->kind->enqueue(c, plan) != XL_SUCCESS)
        return false;
    for (int k = 0; k < 2; ++k)
        if (bytes[k] &&
            clEnqueueReadBuffer(s->queue, out[k], CL_TRUE, 0, bytes[k], c->got + (k ? c->bytes : 0),
                                0, NULL, NULL) != CL_SUCCESS)
            return false;
    if (!c->kind->check(c, first))
        return false;
    if (first)
        memcpy(c->wanted, c->got, c->bytes + c->second_bytes);
    c->known = true;
    return true;
}

bool tune_case_try(tune_case *c, const xl_tunable *values, uint32_t count, void **plan)
{
    if (create_plan(c, values, count, plan) && is_right(c, *plan))
        return true;
    c->kind->destroy(*plan);
    *plan = NULL;
    return false;
}

/* Milliseconds of a call of several in a row; negative where one fails. */
static double time_calls(const tune_case *c, void *plan, unsigned calls)
{
    bool good = clFinish(c->s->queue) == CL_SUCCESS;
    const double start = host_milliseconds();
    for (unsigned i = 0; good && i < calls; ++i)
        good = c->kind->enqueue(c, plan) == XL_SUCCESS;
    good = clFinish(c->s->queue) == CL_SUCCESS && good;
    return good ? (host_milliseconds() - start) / calls : -1;
}

/* Whether two calls, one after the other, take so long each: one alone may have been held up. */
static bool takes(const tune_case *c, double ms)
{
    bool both = true;
    for (int k = 0; k < 2; ++k)
        both = both && time_calls(c, c->plan, 1) >= ms;
    return both;
}

int tune_case_open(tune_case *c, const session *s, const tune_kind *kind)
{
    enum { LEAST_ELEMENTS = 1 << 14 };
    const double enough_ms = 4;
    int result = TOOL_OK;
    *c = (tune_case){.kind = kind, .s = s};
    const size_t most = kind->most[(s->info.device_type & CL_DEVICE_TYPE_CPU) == 0];
    if (!create_plan(c, NULL, 0, &c->first))
        return tool_check(s->ctx, XL_ERROR_BUILD, kind->name);
    c->plan = c->first;
    for (c->n = LEAST_ELEMENTS;; c->n *= 4) {
        close_data(c);
        TRY(kind->open(c));
        if (!is_right(c, c->plan))
            return tool_fail(
                "tune: %s of %zu elements: wrong, or failed, with the values before: %s",
                kind->name, c->n, xl_context_error(s->ctx));
        if (c->n >= most || takes(c, enough_ms))
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

bool tune_case_compare(const tune_case *c, size_t least_pairs, void *before, void *after,
                       tune_gain *gain)
{
    const double least_ms = 1, enough_ms = 150, start = host_milliseconds();
    double a[TUNE_MANY_PAIRS] = {0}, b[TUNE_MANY_PAIRS] = {0};
    size_t pairs = 0, faster = 0;
    const double once = time_calls(c, before, 1);
    const unsigned calls = once > 0 && once < least_ms ? 1 + (unsigned)(least_ms / once) : 1;
    while (pairs < least_pairs ||
           (pairs < TUNE_MANY_PAIRS && host_milliseconds() - start < enough_ms)) {
        /* Each goes first by turns. */
        const bool swap = pairs % 2;
        const double x = time_calls(c, swap ? after : before, calls);
        const double y = time_calls(c, swap ? before : after, calls);
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
