/* SPDX-License-Identifier: MIT
 * An index as an object: its storage, builds and uses of it on any queues, and the status of the
 * last build. */
#include "grid_plan.h"

#include <stdio.h>
#include <string.h>

xl_status xl_grid_index_create(xl_context *ctx, xl_grid_index **index)
{
    xl_status status;
    xl_grid_index *made = NULL;
    if (index)
        *index = NULL;
    if (!ctx || !index)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", !ctx ? "ctx" : "index");
    XL_TRY(xli_check_process());
    made = xli_alloc(sizeof *made);
    if (!made)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for an index"));
    made->ctx = xli_context_retain(ctx);
    XL_TRY(xli_pool_create(ctx, &made->pool));
    made->lock = xli_mutex_create();
    if (!made->lock)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for an index"));
    /* Different for indices that use one storage in turn, so that each recognises its own builds.
     */
    made->stamp = (cl_uint)((uintptr_t)made >> 4) * 2654435761u;
    *index = made;
    made = NULL;
done:
    xl_grid_index_destroy(made);
    return status;
}

/* Releases the result of the last build. */
static void let_go(xl_grid_index *index)
{
    if (index->storage)
        clReleaseMemObject(index->storage);
    if (index->table.rows)
        clReleaseMemObject(index->table.rows);
    if (index->done)
        clReleaseEvent(index->done);
    if (index->queue)
        clReleaseCommandQueue(index->queue);
    index->storage = index->table.rows = NULL;
    index->done = NULL;
    index->queue = NULL;
    index->built = false;
}

void xl_grid_index_destroy(xl_grid_index *index)
{
    if (!index || xli_os_was_forked())
        return;
    let_go(index);
    xli_pool_destroy(&index->pool);
    xli_mutex_destroy(index->lock);
    xli_context_release(index->ctx);
    xli_free(index);
}

/* CL_COMPLETE; more: not yet; less: the build failed. Intel's CPU runtime (2026.22) reports a
 * failed command as complete, but a wait for it fails. */
static cl_int state_of(const xl_grid_index *index)
{
    cl_int state = CL_QUEUED;
    if (!index->done || clGetEventInfo(index->done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state,
                                       &state, NULL) != CL_SUCCESS)
        return CL_COMPLETE;
    return state == CL_COMPLETE ? clWaitForEvents(1, &index->done) : state;
}

static bool is_behind(const xl_grid_index *index, const xli_seq *seq)
{
    return seq->in_order && index->in_order && seq->queue == index->queue;
}

/* Makes a call on another queue run behind the build. */
static xl_status wait_for_build(xl_grid_index *index, xli_seq *seq)
{
    xl_status status = XL_SUCCESS;
    if (is_behind(index, seq) || state_of(index) == CL_COMPLETE)
        return XL_SUCCESS;
    if (seq->queue != index->queue) {
        if (index->pool.per_queue) {
            XL_TRY_CL(index->ctx, clWaitForEvents(1, &index->done));
            return XL_SUCCESS;
        }
        XL_TRY_CL(index->ctx, clFlush(index->queue));
    }
    XL_TRY(xli_seq_wait_for(seq, index->done));
done:
    return status;
}

/* Both, or none. */
static xl_status retain(xl_context *ctx, cl_mem storage, cl_mem cells_or_null)
{
    xl_status status;
    XL_TRY_CL(ctx, clRetainMemObject(storage));
    const cl_int code = cells_or_null ? clRetainMemObject(cells_or_null) : CL_SUCCESS;
    if (code != CL_SUCCESS)
        clReleaseMemObject(storage);
    XL_TRY_CL(ctx, code);
done:
    return status;
}

xl_status xli_grid_index_enter(xl_grid_index *index, xli_seq *seq, const xli_grid_plan *grid,
                               size_t n, xl_view storage, const xli_grid_table *table,
                               const xli_span in[4], xli_span *span)
{
    xl_status status;
    xli_grid_layout layout;
    XL_TRY(xli_grid_plan_layout(grid, n, &layout));
    if (storage.buffer) {
        if (index->queue && state_of(index) >= 0)
            XL_TRY(wait_for_build(index, seq));
    } else if (index->queue && (index->elsewhere || !is_behind(index, seq))) {
        xli_mutex_lock(index->pool.lock);
        xli_pool_drop(&index->pool);
        xli_mutex_unlock(index->pool.lock);
    }
    XL_TRY(xli_seq_scratch(seq, &index->pool, storage, layout.bytes, XLI_SCRATCH_ALIGN, span));
    span->name = "storage of the index";
    for (int a = 0; a < 4; ++a)
        XL_TRY(xli_check_apart(index->ctx, &in[a], span, false));
    XL_TRY(retain(index->ctx, span->buffer, table->rows));
    let_go(index);
    index->table = *table;
    index->storage = span->buffer;
    index->storage_at = span->offset;
    index->storage_span = *span;
    index->layout = layout;
    index->n = n;
    index->dimensions = grid->space.dimensions;
    index->planes = grid->tune.planes;
    index->scalar = grid->space.scalar;
    index->num_systems = grid->space.num_systems;
    index->bounded = grid->space.bounded;
    index->wrap = grid->space.wrap;
    index->period = xli_grid_period_of(&grid->space, grid->lower, grid->upper);
    index->box = grid->box;
    index->lattice = grid->lattice;
    ++index->stamp;
done:
    return status;
}

xl_status xli_grid_index_leave(xl_grid_index *index, xli_seq *seq, xl_status status,
                               cl_event *event_or_null)
{
    cl_event done = NULL;
    const cl_command_queue queue = seq->queue;
    const bool in_order = seq->in_order;
    status = xli_seq_end(seq, status, index ? &done : event_or_null);
    if (!index || status != XL_SUCCESS)
        return status;
    const cl_int code = clRetainCommandQueue(queue);
    if (code != CL_SUCCESS)
        clReleaseEvent(done);
    XL_TRY_CL(index->ctx, code);
    index->queue = queue;
    index->in_order = in_order;
    index->elsewhere = !in_order;
    index->done = done;
    index->built = true;
    if (event_or_null) {
        XL_TRY_CL(index->ctx, clRetainEvent(done));
        *event_or_null = done;
    }
done:
    return status;
}

xl_status xli_grid_index_check(xl_context *ctx, const xl_grid_index *index)
{
    if (!index)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "index: NULL");
    const xl_status status = xli_check_process();
    if (status != XL_SUCCESS)
        return status;
    if (index->ctx != ctx)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "index: of another context than the plan");
    if (!index->built)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "index: not built; xl_grid_build_enqueue() comes first");
    return XL_SUCCESS;
}

static xl_status fail_of_waits(xl_context *ctx)
{
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                    "index: its build has not run, since an event that it waited for failed; "
                    "build it again");
}

static void note_elsewhere(xl_grid_index *index)
{
    xli_mutex_lock(index->lock);
    index->elsewhere = true;
    xli_mutex_unlock(index->lock);
}

xl_status xli_grid_index_use(xl_grid_index *index, xli_seq *seq, const xli_span *spans,
                             size_t count, const xli_span *scratch)
{
    xl_status status;
    for (size_t k = 0; k < count; ++k)
        XL_TRY(xli_check_apart(index->ctx, &spans[k], &index->storage_span, false));
    if (scratch)
        XL_TRY(xli_check_apart(index->ctx, scratch, &index->storage_span, false));
    if (is_behind(index, seq))
        return XL_SUCCESS;
    if (state_of(index) < 0)
        return fail_of_waits(index->ctx);
    note_elsewhere(index);
    XL_TRY(wait_for_build(index, seq));
done:
    return status;
}

xl_status xl_grid_index_event(xl_grid_index *index, cl_event *event)
{
    xl_status status;
    if (event)
        *event = NULL;
    if (!index || !event)
        return xli_fail(index ? index->ctx : NULL, XL_ERROR_INVALID_ARGUMENT, "%s: NULL",
                        index ? "event" : "index");
    XL_TRY(xli_grid_index_check(index->ctx, index));
    if (state_of(index) < 0)
        return fail_of_waits(index->ctx);
    note_elsewhere(index);
    if (index->pool.per_queue)
        XL_TRY_CL(index->ctx, clWaitForEvents(1, &index->done));
    else
        XL_TRY_CL(index->ctx, clFlush(index->queue));
    XL_TRY_CL(index->ctx, clRetainEvent(index->done));
    *event = index->done;
done:
    return status;
}

/* The box: of floats; or in double precision, given or found by the device. */
static void report_box(xl_grid_report *report, const xl_grid_index *index,
                       const xli_grid_header *header)
{
    for (int a = 0; a < 3; ++a) {
        const bool wide = index->scalar == XL_F64;
        report->lower[a] = !wide            ? (double)header->lower[a]
                           : index->bounded ? index->box.lower.s[a]
                                            : header->box[a];
        report->upper[a] = !wide            ? (double)header->upper[a]
                           : index->bounded ? index->box.upper.s[a]
                                            : header->box[a + 3];
    }
}

static void fill_report(xl_grid_report *report, const xl_grid_index *index,
                        const xli_grid_header *header)
{
    *report = (xl_grid_report){
        .points = header->points,
        .non_finite = header->non_finite,
        .first_non_finite = header->non_finite ? header->first_non_finite : UINT64_MAX,
        .out_of_domain = header->out_of_domain,
        .first_out_of_domain = header->out_of_domain ? header->first_out_of_domain : UINT64_MAX,
        .table_cells = header->sparse ? header->rows : header->table,
        .sparse = header->sparse != 0};
    report_box(report, index, header);
    memcpy(report->cells, header->cells, sizeof report->cells);
}

/* The text about systems, if there are any. */
static const char *or_systems(char text[64], uint32_t num_systems)
{
    text[0] = '\0';
    if (num_systems > 0)
        snprintf(text, 64, ", or of no system from 0 to %u", (unsigned)num_systems - 1);
    return text;
}

/* The coordinates of a place as text. */
static const char *place_of(const xl_grid_index *index, const double p[3], char text[96])
{
    size_t at = 0;
    for (uint32_t a = 0; a < index->dimensions && at < 96; ++a)
        at += (size_t)snprintf(text + at, 96 - at, "%s%.*g", a == 0 ? "(" : ", ",
                               index->scalar == XL_F64 ? 17 : 9, p[a]);
    if (at < 95)
        snprintf(text + at, 96 - at, ")");
    return text;
}

/* ---- the first point that is wrong ----------------------------------------------------------- */

/* Words of the sorted points. */
static xl_status read_words(const xl_grid_index *index, cl_command_queue queue, size_t word,
                            size_t count, void *to)
{
    return xli_read_blocking(index->ctx, queue, index->storage,
                             index->storage_at + index->layout.sorted + word * sizeof(cl_uint),
                             count * sizeof(cl_uint), to, 0, NULL);
}

/* The place of point `first` among the sorted points, whose layout is in cl/grid/grid_map.cl; n if
 * it is not there. */
static size_t find_sorted(const xl_grid_index *index, cl_command_queue queue, size_t first)
{
    enum { AT_ONCE = 1024 };
    cl_uint words[4 * AT_ONCE];
    const size_t each = index->planes ? 1 : 4, offset = index->planes ? 0 : 3;
    const size_t begin = index->planes ? 3 * xli_grid_pitch(index->n) : 0;
    for (size_t k = 0; k < index->n; k += AT_ONCE) {
        const size_t count = xli_min(AT_ONCE, index->n - k);
        if (read_words(index, queue, begin + k * each, count * each, words) != XL_SUCCESS)
            return index->n;
        for (size_t j = 0; j < count; ++j)
            if (words[j * each + offset] == first)
                return k + j;
    }
    return index->n;
}

/* The coordinates of that point, as they were given. */
static bool read_first(const xl_grid_index *index, cl_command_queue queue, uint64_t first,
                       double p[3])
{
    const size_t k = find_sorted(index, queue, (size_t)first), pitch = xli_grid_pitch(index->n);
    const bool wide = index->scalar == XL_F64;
    xl_status status = k < index->n ? XL_SUCCESS : XL_ERROR_INTERNAL;
    for (size_t a = 0; a < 3 && status == XL_SUCCESS; ++a) {
        cl_float narrow = 0;
        const size_t at = index->planes ? a * pitch + k : (wide ? 3 : 4) * k + a;
        status = wide ? read_words(index, queue, 4 * pitch + 2 * at, 2, &p[a])
                      : read_words(index, queue, at, 1, &narrow);
        p[a] = wide ? p[a] : (double)narrow;
    }
    return status == XL_SUCCESS;
}

/* The coordinates of the point as text, "" if they could not be read. */
static const char *first_of(const xl_grid_index *index, const double p[3], bool found,
                            char text[104])
{
    char place[96];
    text[0] = '\0';
    if (found)
        snprintf(text, 104, ": %s", place_of(index, p, place));
    return text;
}

/* Where points must be. */
static const char *domain_of(const xl_grid_index *index, const xl_grid_report *report,
                             char text[216])
{
    char low[96], high[96];
    if (index->period.repeats == XLI_REPEATS_CELLS)
        return "box of their system";
    snprintf(text, 216, "box %s to %s", place_of(index, report->lower, low),
             place_of(index, report->upper, high));
    return text;
}

static xl_status judge(const xl_grid_index *index, const xl_grid_report *report, const double p[3],
                       bool found)
{
    xl_context *const ctx = index->ctx;
    char systems[64], domain[216], first[104];
    (void)first_of(index, p, found, first);
    if (report->non_finite > 0)
        return xli_fail(ctx, XL_ERROR_NON_FINITE,
                        "points: %llu of %llu are not finite, the first at index %llu%s",
                        (unsigned long long)report->non_finite, (unsigned long long)report->points,
                        (unsigned long long)report->first_non_finite, first);
    if (report->out_of_domain > 0)
        return xli_fail(ctx, XL_ERROR_OUT_OF_DOMAIN,
                        "points: %llu of %llu are outside the %s%s, the first at index %llu%s",
                        (unsigned long long)report->out_of_domain,
                        (unsigned long long)report->points, domain_of(index, report, domain),
                        or_systems(systems, index->num_systems),
                        (unsigned long long)report->first_out_of_domain, first);
    return XL_SUCCESS;
}

xl_status xl_grid_index_status(xl_grid_index *index, cl_command_queue queue, xl_grid_report *report,
                               cl_uint num_waits, const cl_event *waits)
{
    static const xli_structure structure = {"report", sizeof(xl_grid_report), NULL};
    xl_status status;
    xli_seq seq = {0};
    xli_grid_header header;
    xl_grid_report found;
    double first[3] = {0, 0, 0};
    bool read = false;
    if (!index)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "index: NULL");
    XL_TRY(xli_seq_begin(&seq, index->ctx, queue, num_waits, waits, NULL));
    XL_TRY(xli_grid_index_check(index->ctx, index));
    XL_TRY(xli_grid_index_use(index, &seq, NULL, 0, NULL));
    XL_TRY(xli_read_blocking(index->ctx, queue, index->storage,
                             index->storage_at + index->layout.header, sizeof header, &header,
                             xli_seq_num_waits(&seq), xli_seq_waits(&seq)));
    if (header.stamp != index->stamp)
        XL_TRY(
            xli_fail(index->ctx, XL_ERROR_INVALID_ARGUMENT,
                     "index: its build has not run, since an event that it waited for failed or is "
                     "still to come, or its storage was overwritten; build it again"));
    fill_report(&found, index, &header);
    xli_structure_write(&structure, xli_context_version(index->ctx), report, &found);
    if (found.non_finite > 0 || found.out_of_domain > 0)
        read = read_first(index, queue,
                          found.non_finite > 0 ? found.first_non_finite : found.first_out_of_domain,
                          first);
    status = judge(index, &found, first, read);
done:
    return xli_seq_end(&seq, status, NULL);
}
