/* SPDX-License-Identifier: MIT
 * `crosslane histogram`: how many elements of an array are in each bin. */
#include "tool.h"

#include <stdlib.h>
#include <string.h>

typedef struct histogram_options {
    uint64_t bins;
    const char *range[2], *edges, *device, *tune_file;
    bool assume_sorted, as_json;
} histogram_options;

typedef struct histogram_job {
    const histogram_options *o;
    session s;
    xli_npy in, edges, counts;
    xl_type type;
    xl_histogram_desc desc;
    xl_plan *plan;
    cl_mem in_buffer, edge_buffer, count_buffer;
    stage st;
} histogram_job;

/* ---- options ---- */

static int check_options(const histogram_options *o)
{
    if (o->edges && (o->bins || o->range[0]))
        return tool_misuse("histogram: --edges and --%s exclude each other; give one",
                           o->bins ? "bins" : "range");
    if (!o->edges && !o->bins)
        return tool_misuse("histogram: --bins: missing or 0; give the number of bins, or --edges");
    if (o->assume_sorted && !o->edges)
        return tool_misuse("histogram: --assume-sorted: given; requires --edges");
    return TOOL_OK;
}

/* The upper end of an integer range may be one past the greatest i64. */
static bool parse_whole(const char *text, int64_t *value)
{
    uint64_t positive;
    if (element_parse(text, XL_I64, value))
        return true;
    if (!count_parse(text, &positive))
        return false;
    *value = (int64_t)positive;
    return true;
}

static int parse_range(histogram_job *job)
{
    const char *const *const range = job->o->range;
    const bool is_real = type_kind(job->type) == 'f';
    double *const real[2] = {&job->desc.lower, &job->desc.upper};
    int64_t *const whole[2] = {&job->desc.lower_integer, &job->desc.upper_integer};
    for (int end = 0; end < 2; ++end)
        if (!(is_real ? element_parse(range[end], XL_F64, real[end])
                      : parse_whole(range[end], whole[end])))
            return tool_misuse("histogram: --range: \"%s\"; elements of type %s require %s",
                               range[end], xl_type_name(job->type),
                               is_real ? "numbers" : "whole numbers");
    return TOOL_OK;
}

static int read_edges(histogram_job *job)
{
    int result;
    char text[ELEMENT_TEXT_BYTES];
    const char *const path = job->o->edges;
    TRY(array_read_keys("histogram", path, UINT32_MAX, &job->edges, &job->type));
    if (job->edges.count < 2)
        return tool_fail("%s: %zu edges; must be at least 2, the ends of the first bin", path,
                         job->edges.count);
    element_text(&job->edges, job->edges.count - 1, text);
    if (!job->o->assume_sorted && strncmp(text, "NaN", 3) == 0)
        return tool_fail("%s: element %zu is NaN; an edge must be a number", path,
                         job->edges.count - 1);
    job->desc.num_bins = job->edges.count - 1;
done:
    return result;
}

/* Sets the descriptor. */
static int describe(histogram_job *job)
{
    xl_histogram_desc *const desc = &job->desc;
    const histogram_options *const o = job->o;
    xl_histogram_desc_init(desc);
    desc->type = job->type;
    desc->counter = XL_U64;
    desc->num_bins = o->bins;
    desc->kind = o->edges      ? XL_HISTOGRAM_LEVELS
                 : o->range[0] ? XL_HISTOGRAM_EVEN
                               : XL_HISTOGRAM_KEYS;
    if (o->edges)
        return read_edges(job);
    if (o->range[0])
        return parse_range(job);
    if (type_kind(job->type) == 'f')
        return tool_misuse("histogram: --bins: given without --range for elements of type %s; "
                           "give --range LO HI or --edges",
                           xl_type_name(job->type));
    return TOOL_OK;
}

/* ---- the work ---- */

static int make_counts(histogram_job *job)
{
    const size_t bins = (size_t)job->desc.num_bins;
    void *const data = malloc(bins * sizeof(uint64_t));
    if (!data)
        return tool_fail("histogram: no memory for %zu bins", bins);
    job->counts = xli_npy_vector('u', sizeof(uint64_t), bins, data);
    return TOOL_OK;
}

static int upload(histogram_job *job)
{
    int result;
    const session *s = &job->s;
    const xli_npy *in = &job->in, *edges = &job->edges;
    TRY(session_upload(s, in->data, in->count * in->item_bytes, "elements", &job->in_buffer));
    TRY(session_buffer(s, job->counts.count * sizeof(uint64_t), "bins", &job->count_buffer));
    if (!edges->data)
        goto done;
    TRY(session_upload(s, edges->data, edges->count * edges->item_bytes, "edges",
                       &job->edge_buffer));
    if (!job->o->assume_sorted)
        TRY(order_check(s, "histogram", job->o->edges, edges, job->edge_buffer, false));
done:
    return result;
}

static int count_on_device(histogram_job *job)
{
    int result;
    cl_event event = NULL;
    const session *s = &job->s;
    progress_compiling();
    const xl_status created = xl_histogram_create(s->ctx, &job->desc, &job->plan);
    TRY(session_prepare(s, created, &job->plan, &(xl_histogram_args){.n = job->in.count},
                        "histogram"));
    TRY(make_counts(job));
    TRY(upload(job));
    progress_say("counting %zu elements", job->in.count);
    const xl_histogram_args args = {.n = job->in.count,
                                    .in = xl_view_of(job->in_buffer, 0),
                                    .levels = xl_view_of(job->edge_buffer, 0),
                                    .bins = xl_view_of(job->count_buffer, 0)};
    result = stage_begin(s, &job->st, "histogram");
    if (result == TOOL_OK)
        result = tool_check(
            s->ctx, xl_histogram_enqueue(job->plan, s->queue, &args, 0, NULL, &event), "histogram");
    TRY(stage_end(&job->st, event, result));
    TRY(session_read(s, job->count_buffer, job->counts.count * sizeof(uint64_t), job->counts.data));
done:
    return result;
}

static void report(const histogram_job *job)
{
    const uint64_t *const counts = job->counts.data;
    uint64_t counted = 0;
    if (!job->o->as_json)
        return;
    for (size_t i = 0; i < job->counts.count; ++i)
        counted += counts[i];
    json j = json_begin(stdout);
    json_text(&j, "device", job->s.info.name);
    json_count(&j, "n", job->in.count);
    json_text(&j, "type", xl_type_name(job->type));
    json_count(&j, "bins", job->counts.count);
    json_count(&j, "counted", counted);
    json_times(&j, &job->st);
    json_end(&j);
}

static void job_free(histogram_job *job)
{
    session_release(&job->in_buffer);
    session_release(&job->edge_buffer);
    session_release(&job->count_buffer);
    xl_plan_destroy(job->plan);
    session_close(&job->s);
    xli_npy_free(&job->in);
    xli_npy_free(&job->edges);
    xli_npy_free(&job->counts);
}

static int histogram_file(const histogram_options *o, const char *in, const char *out)
{
    int result;
    histogram_job job = {.o = o};
    outputs files = {0};
    TRY(outputs_check("histogram", &(named_output){"OUT.npy", out}, 1));
    TRY(array_read_keys("histogram", in, SIZE_MAX, &job.in, &job.type));
    TRY(describe(&job));
    TRY(session_open(&job.s, o->device, o->tune_file));
    TRY(count_on_device(&job));
    TRY(outputs_npy(&files, out, &job.counts));
    TRY(outputs_commit(&files));
    report(&job);
done:
    outputs_abandon(&files);
    job_free(&job);
    return result;
}

static const char about[] =
    "Counts the elements of a one-dimensional array in each bin. OUT is u64, one count per bin.\n"
    "    --bins N                  an integer x is in bin x, 0 <= x < N\n"
    "    --bins N --range LO HI    N bins of equal width, LO <= x < HI\n"
    "    --edges E.npy             bin k has E[k] <= x < E[k + 1]; E is of the type of IN\n"
    "Other elements and NaN are not counted. IN: bool, i8 to u64, f32, and f16 or f64 if the\n"
    "device supports them.";

int tool_histogram(int argc, char **argv)
{
    histogram_options o = {0};
    const tool_option options[] = {
        {"bins", OPTION_COUNT, &o.bins, "N", "the number of bins, 1 to 1048576", NULL},
        {"range", OPTION_PAIR, o.range, "LO HI", "the ends of the bins", NULL},
        TEXT_OPTION("edges", o.edges, "E.npy", "the ends of each bin, in ascending order"),
        ASSUME_SORTED_OPTION(o.assume_sorted),
        RUN_OPTIONS(o)};
    const tool_syntax syntax = {.name = "histogram",
                                .files = "IN.npy OUT.npy",
                                .min_files = 2,
                                .max_files = 2,
                                .about = about,
                                .options = options,
                                .num_options = TOOL_COUNT(options)};
    const char *files[TOOL_MAX_FILES];
    int result = options_parse(&syntax, argc, argv, files);
    if (result == TOOL_OK)
        result = check_options(&o);
    return result == TOOL_OK ? histogram_file(&o, files[0], files[1]) : result;
}
