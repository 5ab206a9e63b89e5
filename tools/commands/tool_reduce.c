/* SPDX-License-Identifier: MIT
 * `crosslane reduce`: the sum, minimum ... of an array or of each of its segments. */
#include "tool.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const op_names[] = {"sum", "prod", "min",     "max",     "and",
                                       "or",  "xor",  "arg-min", "arg-max", NULL};
static const xl_op ops[] = {XL_SUM, XL_PROD, XL_MIN,     XL_MAX,    XL_AND,
                            XL_OR,  XL_XOR,  XL_ARG_MIN, XL_ARG_MAX};

typedef struct reduce_options {
    int op, determinism, axis;
    bool count, as_json;
    const char *init, *device, *tune_file, *keys_out;
    segment_options where;
    accumulator_options total;
} reduce_options;

typedef struct reduce_job {
    const reduce_options *o;
    session s;
    xli_npy array, results, keys;
    segments segments;
    slices slices;
    accumulator total;
    xl_plan *plan;
    cl_mem in, out, keys_out, count;
    stage st;
} reduce_job;

static bool gives_index(const reduce_job *job)
{
    return ops[job->o->op] == XL_ARG_MIN || ops[job->o->op] == XL_ARG_MAX;
}

/* Whether only the device knows how many segments there are. */
static bool is_counted(const reduce_job *job)
{
    const xl_segments form = job->segments.form;
    return form == XL_SEGMENTS_HEAD_FLAGS || form == XL_SEGMENTS_FLAG_BITMASK ||
           form == XL_SEGMENTS_KEYS;
}

/* The number of segments that begin in the first n bits of a mask. */
static size_t heads_in(uint64_t mask, size_t n)
{
    size_t heads = 0;
    for (size_t i = 0; i < n; ++i)
        heads += i == 0 || (mask >> i & 1);
    return heads;
}

/* The number of results; if the device counts them, the maximum. */
static size_t most_results(const reduce_job *job)
{
    const segments *g = &job->segments;
    const size_t n = job->array.count;
    const uint64_t whole = g->width ? n / g->width : 0, rest = g->width ? n % g->width : 0;
    switch (g->form) {
    case XL_SEGMENTS_NONE:
        return 1;
    case XL_SEGMENTS_OFFSETS:
        return g->array.count - 1;
    case XL_SEGMENTS_WIDTH:
        return (size_t)whole + (rest > 0);
    case XL_SEGMENTS_MASK:
        return (size_t)whole * heads_in(g->mask, (size_t)g->width) +
               heads_in(g->mask, (size_t)rest);
    default:
        return n;
    }
}

static int settle_types(reduce_job *job)
{
    const int result = accumulator_open("reduce", &job->s, &job->array, &job->total);
    job->results.kind = gives_index(job) ? 'u' : type_kind(job->total.out);
    job->results.item_bytes = gives_index(job) ? sizeof(uint64_t) : job->total.item_bytes;
    return result;
}

static int make_plan(reduce_job *job)
{
    const reduce_options *o = job->o;
    xl_reduce_desc desc;
    xl_reduce_desc_init(&desc);
    ACCUMULATOR_DESCRIBE(&desc, &job->total);
    desc.determinism = (xl_determinism)o->determinism;
    desc.segments = job->segments.form;
    desc.segment_type = job->segments.type;
    desc.segment_width = job->segments.width;
    desc.segment_mask = job->segments.mask;
    progress_compiling();
    const xl_status created = xl_reduce_create(job->s.ctx, &desc, &job->plan);
    return session_prepare(&job->s, created, &job->plan, &(xl_reduce_args){.n = job->array.count},
                           "reduce");
}

static int make_buffers(reduce_job *job, size_t most)
{
    int result;
    const session *s = &job->s;
    const xli_npy *array = &job->array;
    TRY(session_upload(s, array->data, array->count * array->item_bytes, "reduce", &job->in));
    TRY(segments_upload(s, &job->segments));
    TRY(session_buffer(s, most * job->results.item_bytes, "results", &job->out));
    if (job->o->keys_out)
        TRY(session_buffer(s, most * job->keys.item_bytes, "keys", &job->keys_out));
    if (is_counted(job))
        TRY(session_buffer(s, sizeof(uint64_t), "count", &job->count));
done:
    return result;
}

static int run(reduce_job *job)
{
    const session *s = &job->s;
    cl_event event = NULL;
    progress_say("reducing %zu elements", job->array.count);
    int result = stage_begin(s, &job->st, "reduce");
    if (result == TOOL_OK)
        result = tool_check(
            s->ctx,
            xl_reduce_enqueue(job->plan, s->queue,
                              &(xl_reduce_args){.n = job->array.count,
                                                .in = xl_view_of(job->in, 0),
                                                .segments = segments_view(&job->segments),
                                                .out = xl_view_of(job->out, 0),
                                                .keys_out = xl_view_of(job->keys_out, 0),
                                                .num_segments_out = xl_view_of(job->count, 0)},
                              0, NULL, &event),
            "reduce");
    return stage_end(&job->st, event, result);
}

/* Reads `count` elements of an array whose kind and size of element are set. */
static int read_results(const session *s, cl_mem buffer, size_t count, xli_npy *array)
{
    const size_t bytes = count * array->item_bytes;
    void *data = malloc(bytes ? bytes : 1);
    if (!data)
        return tool_fail("reduce: no memory for %zu results", count);
    *array = xli_npy_vector(array->kind, array->item_bytes, count, data);
    return session_read(s, buffer, bytes, data);
}

static int reduce_on_device(reduce_job *job)
{
    int result;
    uint64_t count = most_results(job);
    TRY(make_buffers(job, (size_t)count));
    TRY(run(job));
    if (job->count)
        TRY(session_read(&job->s, job->count, sizeof count, &count));
    TRY(read_results(&job->s, job->out, (size_t)count, &job->results));
    if (job->o->keys_out)
        TRY(read_results(&job->s, job->keys_out, (size_t)count, &job->keys));
done:
    return result;
}

static void report(const reduce_job *job)
{
    const reduce_options *o = job->o;
    if (o->count && !o->as_json)
        printf("%zu\n", job->results.count);
    if (!o->as_json)
        return;
    json j = json_begin(stdout);
    json_text(&j, "device", job->s.info.name);
    json_count(&j, "n", job->array.count);
    json_text(&j, "type", array_type_name(&job->array));
    json_text(&j, "dtype", xl_type_name(gives_index(job) ? XL_U64 : job->total.out));
    json_text(&j, "op", op_names[o->op]);
    json_text(&j, "segments", segments_names[job->segments.form]);
    json_count(&j, "count", job->results.count);
    json_text(&j, "determinism", determinism_names[o->determinism]);
    json_times(&j, &job->st);
    json_end(&j);
}

static int read_input(reduce_job *job, const char *in, const char *out)
{
    int result;
    const reduce_options *o = job->o;
    const named_output files[] = {{"OUT.npy", out}, {"--keys-out", o->keys_out}};
    TRY(segments_choose("reduce", &o->where, o->axis, &job->segments));
    if (o->keys_out && job->segments.form != XL_SEGMENTS_KEYS)
        return tool_misuse("reduce: --keys-out: given without --keys; requires --keys K.npy");
    if (o->init && gives_index(job))
        return tool_misuse("reduce: --init: given with --op %s; requires an operator other than "
                           "arg-min and arg-max",
                           op_names[o->op]);
    TRY(outputs_check("reduce", files, TOOL_COUNT(files)));
    TRY(array_read(in, &job->array));
    TRY(slices_take("reduce", in, o->axis, &job->array, &job->slices));
    TRY(slices_segments("reduce", &job->slices, job->slices.count + 1, &job->segments));
    TRY(accumulator_choose("reduce", &o->total, ops[o->op], o->init, &job->array, &job->total));
    TRY(segments_read("reduce", &job->segments, job->array.count));
    job->keys.kind = job->segments.array.kind;
    job->keys.item_bytes = job->segments.array.item_bytes;
done:
    return result;
}

static void job_free(reduce_job *job)
{
    cl_mem *buffers[] = {&job->in, &job->out, &job->keys_out, &job->count};
    for (size_t i = 0; i < TOOL_COUNT(buffers); ++i)
        session_release(buffers[i]);
    xl_plan_destroy(job->plan);
    segments_free(&job->segments);
    session_close(&job->s);
    xli_npy_free(&job->array);
    xli_npy_free(&job->results);
    xli_npy_free(&job->keys);
}

static int reduce_file(const reduce_options *o, const char *in, const char *out)
{
    int result;
    reduce_job job = {.o = o};
    outputs files = {0};
    TRY(read_input(&job, in, out));
    TRY(session_open(&job.s, o->device, o->tune_file));
    TRY(settle_types(&job));
    TRY(make_plan(&job));
    TRY(reduce_on_device(&job));
    if (gives_index(&job))
        slices_indices(&job.slices, &job.results);
    else
        TRY(accumulator_results(&job.total, in, &job.results));
    TRY(outputs_npy(&files, out, &job.results));
    if (o->keys_out)
        TRY(outputs_npy(&files, o->keys_out, &job.keys));
    TRY(outputs_commit(&files));
    report(&job);
done:
    outputs_abandon(&files);
    job_free(&job);
    return result;
}

int tool_reduce(int argc, char **argv)
{
    reduce_options o = {.axis = AXIS_NONE};
    const tool_option options[] = {
        {"op", OPTION_CHOICE, &o.op, "OP", "operator", op_names},
        TEXT_OPTION("init", o.init, "V", "initial value of every result; default: none"),
        ACCUMULATOR_OPTIONS(o.total),
        AXIS_OPTION(o.axis),
        SEGMENT_OPTIONS(o.where),
        TEXT_OPTION("keys-out", o.keys_out, "K2.npy", "with --keys: the key of each segment"),
        FLAG_OPTION("count", o.count, "print the number of segments"),
        {"determinism", OPTION_CHOICE, &o.determinism, "WHICH", "as in crosslane scan --help",
         determinism_names},
        RUN_OPTIONS(o)};
    const tool_syntax syntax = {
        .name = "reduce",
        .files = "IN.npy OUT.npy",
        .min_files = 2,
        .max_files = 2,
        .about =
            "Reduces an array, or each of its segments, to one element. arg-min and arg-max give "
            "the\n"
            "index (u64) of the first minimum or maximum, 2^64 - 1 if all elements are NaN; with\n"
            "--axis the index along the axis.\n\n"
            "IN: i8 to u64, bool (as u8), f32, and f16 or f64 if the device supports them; one\n"
            "dimension, or two with --axis. Types of results, NaN and the bits of floating-point\n"
            "sums: as in crosslane scan --help.",
        .options = options,
        .num_options = TOOL_COUNT(options)};
    const char *files[TOOL_MAX_FILES];
    const int result = options_parse(&syntax, argc, argv, files);
    return result == TOOL_OK ? reduce_file(&o, files[0], files[1]) : result;
}
