/* SPDX-License-Identifier: MIT
 * `crosslane scan`: running sums, products, minima ... of an array or of each of its segments. */
#include "tool.h"

#include <stdlib.h>

static const char *const op_names[] = {"sum", "prod", "min", "max", "and", "or", "xor", NULL};
static const xl_op ops[] = {XL_SUM, XL_PROD, XL_MIN, XL_MAX, XL_AND, XL_OR, XL_XOR};
/* By the numbers of xl_scan_algorithm. */
static const char *const algorithm_names[] = {[XL_SCAN_AUTO] = "auto",
                                              [XL_SCAN_LOOKBACK] = "look-back",
                                              [XL_SCAN_REDUCE_THEN_SCAN] = "reduce-then-scan",
                                              NULL};

typedef struct scan_options {
    int op, algorithm, determinism, axis;
    bool exclusive, inclusive, as_json;
    const char *init, *device, *tune_file;
    segment_options where;
    accumulator_options total;
} scan_options;

typedef struct scan_job {
    const scan_options *o;
    session s;
    xli_npy array;
    const char *type; /* of the elements of the file */
    segments segments;
    slices slices;
    accumulator total;
    xl_plan *plan;
    stage st;
} scan_job;

static int make_plan(scan_job *job)
{
    const scan_options *o = job->o;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    ACCUMULATOR_DESCRIBE(&desc, &job->total);
    desc.kind = o->inclusive ? XL_INCLUSIVE : XL_EXCLUSIVE;
    desc.algorithm = (xl_scan_algorithm)o->algorithm;
    desc.determinism = (xl_determinism)o->determinism;
    desc.segments = job->segments.form;
    desc.segment_type = job->segments.type;
    desc.segment_width = job->segments.width;
    desc.segment_mask = job->segments.mask;
    progress_compiling();
    const xl_status created = xl_scan_create(job->s.ctx, &desc, &job->plan);
    progress_clear();
    return tool_check(job->s.ctx, created, "scan");
}

/* Builds the other programs, too. xl_plan_prepare() would build those of a scan in place and of
 * one that is not, but a call needs only one of them. */
static xl_status enqueue(const scan_job *job, cl_mem in, cl_mem out, cl_event *event)
{
    const xl_scan_args args = {.n = job->array.count,
                               .in = xl_view_of(in, 0),
                               .segments = segments_view(&job->segments),
                               .out = xl_view_of(out, 0)};
    progress_compiling();
    const xl_status status = xl_scan_enqueue(job->plan, job->s.queue, &args, 0, NULL, event);
    progress_clear();
    return status;
}

/* The results replace the elements, which are on the device. */
static int make_room(xli_npy *array, const accumulator *t)
{
    const size_t n = array->count;
    void *data =
        n > SIZE_MAX / t->item_bytes ? NULL : realloc(array->data, n ? n * t->item_bytes : 1);
    if (!data)
        return tool_fail("scan: no memory for %zu results", n);
    *array = xli_npy_vector(type_kind(t->out), t->item_bytes, n, data);
    return TOOL_OK;
}

static int scan_on_device(scan_job *job)
{
    int result;
    const session *s = &job->s;
    cl_mem in = NULL, results = NULL;
    cl_event event = NULL;
    const bool in_place = job->array.item_bytes == job->total.item_bytes;
    const size_t n = job->array.count;
    TRY(session_upload(s, job->array.data, n * job->array.item_bytes, "scan", &in));
    TRY(segments_upload(s, &job->segments));
    TRY(make_room(&job->array, &job->total));
    if (!in_place)
        TRY(session_buffer(s, n * job->total.item_bytes, "results", &results));
    const cl_mem out = in_place ? in : results;
    result = stage_begin(s, &job->st, "scan");
    if (result == TOOL_OK)
        result = tool_check(s->ctx, enqueue(job, in, out, &event), "scan");
    progress_say("scanning %zu elements", n);
    TRY(stage_end(&job->st, event, result));
    TRY(session_read(s, out, n * job->array.item_bytes, job->array.data));
done:
    session_release(&in);
    session_release(&results);
    return result;
}

static void report(const scan_job *job)
{
    const scan_options *o = job->o;
    const size_t n = job->array.count;
    if (!o->as_json)
        return;
    xl_plan_details details = {0};
    (void)!xl_plan_info(job->plan, n, &details);
    json j = json_begin(stdout);
    json_text(&j, "device", job->s.info.name);
    json_count(&j, "n", n);
    json_text(&j, "type", job->type);
    json_text(&j, "dtype", xl_type_name(job->total.out));
    json_text(&j, "op", op_names[o->op]);
    json_text(&j, "kind", o->inclusive ? "inclusive" : "exclusive");
    json_text(&j, "segments", segments_names[job->segments.form]);
    json_text(&j, "algorithm", details.algorithm);
    json_text(&j, "determinism", determinism_names[o->determinism]);
    json_times(&j, &job->st);
    json_end(&j);
}

static int check_determinism(const scan_options *o, xl_type type)
{
    const bool rounds = (type == XL_F16 || type == XL_F32 || type == XL_F64) &&
                        (ops[o->op] == XL_SUM || ops[o->op] == XL_PROD);
    if (o->determinism != XL_REPRODUCIBLE || !rounds || o->algorithm == XL_SCAN_AUTO)
        return TOOL_OK;
    return tool_misuse("scan: --algorithm: %s; --determinism reproducible requires auto",
                       algorithm_names[o->algorithm]);
}

static int scan_file(const scan_options *o, const char *in, const char *out)
{
    int result;
    scan_job job = {.o = o};
    outputs files = {0};
    TRY(segments_choose("scan", &o->where, o->axis, &job.segments));
    TRY(outputs_check("scan", &(named_output){"OUT.npy", out}, 1));
    TRY(array_read(in, &job.array));
    TRY(slices_take("scan", in, o->axis, &job.array, &job.slices));
    TRY(slices_segments("scan", &job.slices, job.slices.count + 1, &job.segments));
    job.type = array_type_name(&job.array);
    TRY(accumulator_choose("scan", &o->total, ops[o->op], o->init, &job.array, &job.total));
    TRY(check_determinism(o, job.total.out));
    TRY(segments_read("scan", &job.segments, job.array.count));
    TRY(session_open(&job.s, o->device, o->tune_file));
    TRY(accumulator_open("scan", &job.s, &job.array, &job.total));
    TRY(make_plan(&job));
    TRY(scan_on_device(&job));
    TRY(accumulator_results(&job.total, in, &job.array));
    TRY(slices_restore(&job.slices, in, job.slices.length, &job.array));
    TRY(outputs_npy(&files, out, &job.array));
    TRY(outputs_commit(&files));
    report(&job);
done:
    outputs_abandon(&files);
    xl_plan_destroy(job.plan);
    segments_free(&job.segments);
    session_close(&job.s);
    xli_npy_free(&job.array);
    return result;
}

int tool_scan(int argc, char **argv)
{
    scan_options o = {.axis = AXIS_NONE};
    const tool_option options[] = {
        {"op", OPTION_CHOICE, &o.op, "OP", "operator", op_names},
        FLAG_OPTION("exclusive", o.exclusive, "a result does not include its element (default)"),
        FLAG_OPTION("inclusive", o.inclusive, "a result includes its element"),
        TEXT_OPTION("init", o.init, "V",
                    "initial value of each segment; default: the identity of OP"),
        ACCUMULATOR_OPTIONS(o.total),
        AXIS_OPTION(o.axis),
        SEGMENT_OPTIONS(o.where),
        {"algorithm", OPTION_CHOICE, &o.algorithm, "NAME", "algorithm", algorithm_names},
        {"determinism", OPTION_CHOICE, &o.determinism, "WHICH", "whether results may differ",
         determinism_names},
        RUN_OPTIONS(o)};
    const tool_syntax syntax = {
        .name = "scan",
        .files = "IN.npy OUT.npy",
        .min_files = 2,
        .max_files = 2,
        .about =
            "Prefix scan of an array, or of each of its segments. OUT may be IN.\n\n"
            "IN: i8 to u64, bool (as u8), f32, and f16 or f64 if the device supports them; one\n"
            "dimension, or two with --axis. Sums and products accumulate in 64 bits. A result "
            "that\n"
            "its type cannot hold is an error unless --wrap is given. Minima and maxima skip NaN.\n"
            "and, or and xor require integers.\n\n"
            "Floating-point sums and products have the same bits on every run on one device; with\n"
            "--determinism reproducible on every device; with unordered they may differ.",
        .options = options,
        .num_options = TOOL_COUNT(options)};
    const char *files[TOOL_MAX_FILES];
    int result = options_parse(&syntax, argc, argv, files);
    if (result != TOOL_OK)
        return result;
    if (o.exclusive && o.inclusive)
        return tool_misuse("scan: --exclusive and --inclusive exclude each other; give one");
    return scan_file(&o, files[0], files[1]);
}
