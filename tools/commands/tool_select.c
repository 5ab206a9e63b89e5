/* SPDX-License-Identifier: MIT
 * `crosslane select`: the elements that meet a condition, a partition, or the runs of an array. */
#include "tool.h"

#include <stdlib.h>

typedef struct select_options {
    bool partition, unique, as_json;
    const char *where, *flags, *runs, *indices, *values[2], *device, *tune_file;
} select_options;

/* The arrays of a call: inputs and outputs. */
typedef struct select_files {
    xli_npy in, flags, values;
    xli_npy out, values_out, indices, lengths;
    uint64_t count;
} select_files;

static int check_flags(const select_options *o, const select_files *f)
{
    if (f->flags.count != f->in.count)
        return tool_fail("%s: %zu flags for %zu elements; must be one for each element", o->flags,
                         f->flags.count, f->in.count);
    if (f->flags.item_bytes != 1)
        return tool_fail("%s: flags of type %s; must be bool, u8 or i8", o->flags,
                         array_type_name(&f->flags));
    return TOOL_OK;
}

static int read_files(const select_options *o, const char *in, select_files *f)
{
    int result;
    TRY(array_read(in, &f->in));
    TRY(array_check_vector("select", in, &f->in));
    if (o->flags) {
        TRY(array_read(o->flags, &f->flags));
        TRY(array_check_vector("select", o->flags, &f->flags));
        TRY(check_flags(o, f));
    }
    if (o->values[0]) {
        TRY(array_read(o->values[0], &f->values));
        TRY(array_check_vector("select", o->values[0], &f->values));
        if (f->values.count != f->in.count)
            TRY(tool_fail("%s: %zu values for %zu elements; must be one for each element",
                          o->values[0], f->values.count, f->in.count));
    }
done:
    return result;
}

/* An output of as many elements as the input. */
static int make_room(const xli_npy *like, uint32_t item_bytes, char kind, xli_npy *out)
{
    const size_t n = like->count;
    void *data = malloc(n ? n * item_bytes : 1);
    if (!data)
        return tool_fail("select: no memory for %zu elements", n);
    *out = xli_npy_vector(kind, item_bytes, n, data);
    return TOOL_OK;
}

static int make_outputs(const select_options *o, select_files *f)
{
    int result;
    TRY(make_room(&f->in, f->in.item_bytes, f->in.kind, &f->out));
    if (o->values[0])
        TRY(make_room(&f->in, f->values.item_bytes, f->values.kind, &f->values_out));
    if (o->indices)
        TRY(make_room(&f->in, sizeof(uint64_t), 'u', &f->indices));
    if (o->runs)
        TRY(make_room(&f->in, sizeof(uint32_t), 'u', &f->lengths));
done:
    return result;
}

static xl_select_kind kind_of(const select_options *o)
{
    return o->runs        ? XL_SELECT_RUNS
           : o->unique    ? XL_SELECT_UNIQUE
           : o->partition ? XL_SELECT_PARTITION
                          : XL_SELECT_IF;
}

static int make_plan(const session *s, const select_options *o, const select_files *f,
                     xl_plan **plan)
{
    xl_select_desc desc;
    xl_select_desc_init(&desc);
    desc.kind = kind_of(o);
    desc.by = o->flags ? XL_SELECT_BY_FLAGS : XL_SELECT_BY_PREDICATE;
    desc.type = array_type(&f->in);
    desc.index = XL_U64;
    desc.predicate = o->where;
    if (f->values.data)
        desc.value = XL_BYTES(f->values.item_bytes);
    if (o->where) /* the library's error repeats the compiler's messages */
        host_hold_errors();
    progress_compiling();
    const xl_status created = xl_select_create(s->ctx, &desc, plan);
    progress_clear();
    if (o->where)
        host_release_errors(created != XL_ERROR_BUILD);
    progress_compiling();
    return session_prepare(s, created, plan, &(xl_select_args){.n = f->in.count}, "select");
}

enum { IN, FLAGS, VALUES, OUT, VALUES_OUT, INDICES, LENGTHS, COUNT, BUFFERS };

static int enqueue(const session *s, const select_files *f, xl_plan *plan, const cl_mem *mem,
                   stage *st)
{
    cl_event event = NULL;
    const xl_select_args args = {.n = f->in.count,
                                 .in = xl_view_of(mem[IN], 0),
                                 .flags = xl_view_of(mem[FLAGS], 0),
                                 .values_in = xl_view_of(mem[VALUES], 0),
                                 .out = xl_view_of(mem[OUT], 0),
                                 .values_out = xl_view_of(mem[VALUES_OUT], 0),
                                 .indices_out = xl_view_of(mem[INDICES], 0),
                                 .lengths_out = xl_view_of(mem[LENGTHS], 0),
                                 .count_out = xl_view_of(mem[COUNT], 0)};
    int result = stage_begin(s, st, "select");
    if (result == TOOL_OK)
        result =
            tool_check(s->ctx, xl_select_enqueue(plan, s->queue, &args, 0, NULL, &event), "select");
    return stage_end(st, event, result);
}

static int select_on_device(const session *s, const select_options *o, select_files *f,
                            xl_plan *plan, stage *st)
{
    int result;
    cl_mem mem[BUFFERS] = {NULL};
    const xli_npy *const in[] = {&f->in, &f->flags, &f->values};
    xli_npy *const out[] = {&f->out, &f->values_out, &f->indices, &f->lengths};
    static const char *const names[] = {"elements", "flags", "values"};
    progress_say("selecting from %zu elements", f->in.count);
    for (int i = 0; i < 3; ++i)
        if (in[i]->data)
            TRY(session_upload(s, in[i]->data, in[i]->count * in[i]->item_bytes, names[i],
                               &mem[IN + i]));
    for (int i = 0; i < 4; ++i)
        if (out[i]->data)
            TRY(session_buffer(s, out[i]->count * out[i]->item_bytes, "the results",
                               &mem[OUT + i]));
    TRY(session_buffer(s, sizeof f->count, "the count", &mem[COUNT]));
    TRY(enqueue(s, f, plan, mem, st));
    TRY(session_read(s, mem[COUNT], sizeof f->count, &f->count));
    for (int i = 0; i < 4; ++i) {
        if (!out[i]->data)
            continue;
        if (!o->partition) {
            out[i]->count = (size_t)f->count;
            out[i]->shape[0] = f->count;
        }
        TRY(session_read(s, mem[OUT + i], out[i]->count * out[i]->item_bytes, out[i]->data));
    }
done:
    for (int i = 0; i < BUFFERS; ++i)
        session_release(&mem[i]);
    return result;
}

static void report(const session *s, const select_options *o, const select_files *f,
                   const stage *st)
{
    if (!o->as_json)
        return;
    json j = json_begin(stdout);
    json_text(&j, "device", s->info.name);
    json_count(&j, "n", f->in.count);
    json_text(&j, "type", array_type_name(&f->in));
    json_count(&j, "count", f->count);
    json_times(&j, st);
    json_end(&j);
}

static int select_file(const select_options *o, const char *in, const char *out)
{
    int result;
    session s = {0};
    xl_plan *plan = NULL;
    select_files f = {0};
    outputs files = {0};
    stage st = {0};
    const named_output named[] = {{"OUT.npy", out},
                                  {"the second file of --values", o->values[1]},
                                  {"the file of --indices", o->indices},
                                  {"the file of --runs", o->runs}};
    TRY(outputs_check("select", named, TOOL_COUNT(named)));
    TRY(read_files(o, in, &f));
    TRY(make_outputs(o, &f));
    TRY(session_open(&s, o->device, o->tune_file));
    TRY(make_plan(&s, o, &f, &plan));
    TRY(select_on_device(&s, o, &f, plan, &st));
    TRY(outputs_npy(&files, out, &f.out));
    if (o->values[1])
        TRY(outputs_npy(&files, o->values[1], &f.values_out));
    if (o->indices)
        TRY(outputs_npy(&files, o->indices, &f.indices));
    if (o->runs)
        TRY(outputs_npy(&files, o->runs, &f.lengths));
    TRY(outputs_commit(&files));
    report(&s, o, &f, &st);
done:
    outputs_abandon(&files);
    xl_plan_destroy(plan);
    session_close(&s);
    xli_npy *const arrays[] = {&f.in,         &f.flags,   &f.values, &f.out,
                               &f.values_out, &f.indices, &f.lengths};
    for (size_t i = 0; i < TOOL_COUNT(arrays); ++i)
        xli_npy_free(arrays[i]);
    return result;
}

int tool_select(int argc, char **argv)
{
    select_options o = {0};
    const tool_option options[] = {
        TEXT_OPTION("where", o.where, "EXPR",
                    "the condition in OpenCL C, of the element x and its index i: \"x > 0\""),
        TEXT_OPTION("flags", o.flags, "F.npy",
                    "keep each element whose flag (bool, u8, i8) is not 0"),
        FLAG_OPTION("partition", o.partition, "these elements, then all others"),
        FLAG_OPTION("unique", o.unique, "the first of each run of equal elements"),
        TEXT_OPTION("runs", o.runs, "L.npy", "the same, and the lengths of the runs, as u32"),
        {"values", OPTION_PAIR, o.values, "V.npy W.npy",
         "values that are moved with the elements, and their output", NULL},
        TEXT_OPTION("indices", o.indices, "I.npy", "the indices of the elements in IN, as u64"),
        RUN_OPTIONS(o)};
    const tool_syntax syntax = {
        .name = "select",
        .files = "IN.npy OUT.npy",
        .min_files = 2,
        .max_files = 2,
        .about =
            "Keeps elements of a one-dimensional array, in order: those that meet a condition\n"
            "(--where, --flags) or begin a run (--unique, --runs). Without these options, those\n"
            "that are not 0. OUT may be IN.",
        .options = options,
        .num_options = TOOL_COUNT(options)};
    const char *files[TOOL_MAX_FILES];
    int result = options_parse(&syntax, argc, argv, files);
    if (result != TOOL_OK)
        return result;
    if (o.where && o.flags)
        return tool_misuse("select: --where and --flags exclude each other; give one");
    if ((o.unique || o.runs) && (o.where || o.flags || o.partition))
        return tool_misuse("select: --%s and --%s exclude each other; give one",
                           o.runs ? "runs" : "unique",
                           o.where   ? "where"
                           : o.flags ? "flags"
                                     : "partition");
    return select_file(&o, files[0], files[1]);
}
