/* SPDX-License-Identifier: MIT
 * `crosslane sort`: sorts an array, alone or with values, or finds its order. */
#include "tool.h"

#include <stdlib.h>

static const char *const algorithm_names[] = {"auto", "bitonic", "radix", NULL};
static const xl_sort_algorithm algorithms[] = {XL_SORT_AUTO, XL_SORT_BITONIC, XL_SORT_RADIX};

typedef struct sort_options {
    int algorithm, axis;
    bool argsort, descending, stable, as_json;
    const char *values[2], *offsets, *device, *tune_file;
} sort_options;

static int make_order(size_t n, xli_npy *values)
{
    uint32_t *order = malloc(n ? n * sizeof *order : 1);
    if (!order)
        return tool_fail("sort: no memory for the order of %zu keys", n);
    *values = xli_npy_vector('u', sizeof *order, n, order);
    return TOOL_OK;
}

/* More than 2^32 - 1 keys are sorted by digits, as one array; an order has 32 bits. */
static int load_keys(const sort_options *o, const char *path, xli_npy *keys, slices *sl)
{
    const char *const few = o->argsort             ? "sort --argsort"
                            : o->offsets           ? "sort --offsets"
                            : o->axis != AXIS_NONE ? "sort --axis"
                            : algorithms[o->algorithm] == XL_SORT_BITONIC
                                ? "sort --algorithm bitonic"
                                : NULL;
    return array_read_slices(few ? few : "sort", path, few ? UINT32_MAX : SIZE_MAX, o->axis, keys,
                             sl);
}

/* Any type: values are moved, not compared. */
static int load_values(const sort_options *o, const xli_npy *keys, const slices *of_keys,
                       xli_npy *values)
{
    int result = TOOL_OK;
    slices sl;
    const char *path = o->values[0];
    if (o->argsort)
        return make_order(keys->count, values);
    if (!path)
        return TOOL_OK;
    TRY(array_read_slices("sort", path, SIZE_MAX, o->axis, values, &sl));
    if (values->count != keys->count)
        return tool_fail("%s: %zu values for %zu keys; must be one for each key", path,
                         values->count, keys->count);
    if (sl.length != of_keys->length)
        return tool_fail("%s: the values differ from the keys in shape; must be equal", path);
done:
    return result;
}

/* With --argsort only the order is read back. */
static int sort_on_device(const session *s, const sort_options *o, xl_plan *plan, xli_npy *keys,
                          xli_npy *values, segments *g, stage *st)
{
    int result;
    cl_mem key_buffer = NULL, value_buffer = NULL;
    cl_event event = NULL;
    size_t n = keys->count, key_bytes = n * keys->item_bytes, value_bytes = n * values->item_bytes;
    progress_say("sorting %zu keys", n);
    TRY(session_upload(s, keys->data, key_bytes, "keys", &key_buffer));
    if (o->argsort)
        TRY(session_buffer(s, value_bytes, "the order", &value_buffer));
    else if (values->data)
        TRY(session_upload(s, values->data, value_bytes, "values", &value_buffer));
    TRY(segments_upload(s, g));
    xl_view k = xl_view_of(key_buffer, 0), v = xl_view_of(value_buffer, 0);
    result = stage_begin(s, st, "sort");
    if (result == TOOL_OK)
        result =
            tool_check(s->ctx,
                       xl_sort_enqueue(plan, s->queue,
                                       &(xl_sort_args){.n = n,
                                                       .keys_in = k,
                                                       .values_in = o->argsort ? xl_no_view() : v,
                                                       .keys_out = o->argsort ? xl_no_view() : k,
                                                       .values_out = v,
                                                       .segments = segments_view(g)},
                                       0, NULL, &event),
                       "sort");
    TRY(stage_end(st, event, result));
    if (!o->argsort)
        TRY(session_read(s, key_buffer, key_bytes, keys->data));
    if (values->data)
        TRY(session_read(s, value_buffer, value_bytes, values->data));
done:
    session_release(&key_buffer);
    session_release(&value_buffer);
    return result;
}

/* Whether -0 and 0 must be equal, as in NumPy: if equal keys must keep their order. Otherwise a
 * sort by bits, which puts -0 first, is faster. The library has no such sort of more keys. */
static bool keeps_zeros(const sort_options *o, xl_type type, size_t n)
{
    const bool moves = o->argsort || o->values[0];
    const bool is_stable = o->stable || o->offsets || o->axis != AXIS_NONE ||
                           (moves && algorithms[o->algorithm] == XL_SORT_RADIX);
    return is_stable && type_kind(type) == 'f' && n <= UINT32_MAX;
}

/* More than 2^32 - 1 keys need other programs. */
static int make_plan(const session *s, const sort_options *o, xl_type type, size_t n,
                     const xli_npy *values, const segments *g, xl_plan **plan)
{
    xl_sort_desc desc;
    xl_sort_desc_init(&desc);
    desc.key = type;
    desc.value = o->argsort     ? XL_SORT_INDICES
                 : values->data ? XL_BYTES(values->item_bytes)
                                : XL_NONE;
    desc.values_only = o->argsort;
    desc.order = o->descending ? XL_DESCENDING : XL_ASCENDING;
    desc.algorithm = algorithms[o->algorithm];
    desc.stable = o->stable;
    desc.equal_zeros = keeps_zeros(o, type, n);
    desc.segments = g->form;
    desc.segment_type = g->type;
    desc.large = n > UINT32_MAX;
    progress_compiling();
    const xl_status created = xl_sort_create(s->ctx, &desc, plan);
    return session_prepare(s, created, plan, &(xl_sort_args){.n = n}, "sort");
}

static void report(const session *s, const sort_options *o, size_t n, xl_type type, const stage *st)
{
    if (!o->as_json)
        return;
    json j = json_begin(stdout);
    json_text(&j, "device", s->info.name);
    json_count(&j, "n", n);
    json_text(&j, "type", xl_type_name(type));
    json_text(&j, "order", o->descending ? "descending" : "ascending");
    json_text(&j, "output", o->argsort ? "order" : "keys");
    json_times(&j, st);
    json_end(&j);
}

static int sort_file(const sort_options *o, const char *in, const char *out)
{
    int result;
    session s = {0};
    xl_plan *plan = NULL;
    xli_npy keys = {0}, values = {0};
    segments g = segments_partial(o->offsets);
    outputs files = {0};
    stage st = {0};
    slices sl = {0};
    const named_output named[] = {{"OUT.npy", out}, {"the second file of --values", o->values[1]}};
    TRY(outputs_check("sort", named, TOOL_COUNT(named)));
    TRY(load_keys(o, in, &keys, &sl));
    const xl_type type = array_type(&keys);
    TRY(load_values(o, &keys, &sl, &values));
    TRY(segments_read("sort", &g, keys.count));
    TRY(slices_segments("sort", &sl, sl.count + 1, &g));
    TRY(session_open(&s, o->device, o->tune_file));
    TRY(make_plan(&s, o, type, keys.count, &values, &g, &plan));
    TRY(sort_on_device(&s, o, plan, &keys, &values, &g, &st));
    if (o->argsort)
        slices_indices(&sl, &values);
    TRY(slices_restore(&sl, in, sl.length, &keys));
    if (values.data)
        TRY(slices_restore(&sl, in, sl.length, &values));
    TRY(outputs_npy(&files, out, o->argsort ? &values : &keys));
    if (o->values[1])
        TRY(outputs_npy(&files, o->values[1], &values));
    TRY(outputs_commit(&files));
    report(&s, o, keys.count, type, &st);
done:
    outputs_abandon(&files);
    xl_plan_destroy(plan);
    segments_free(&g);
    session_close(&s);
    xli_npy_free(&keys);
    xli_npy_free(&values);
    return result;
}

int tool_sort(int argc, char **argv)
{
    sort_options o = {.axis = AXIS_NONE};
    const tool_option options[] = {
        {"values", OPTION_PAIR, o.values, "V.npy W.npy",
         "values that are moved with the keys, and their output", NULL},
        FLAG_OPTION("argsort", o.argsort, "OUT has the indices that sort IN, as u32"),
        FLAG_OPTION("descending", o.descending, "largest first"),
        FLAG_OPTION("stable", o.stable, "equal keys keep their order, as with --algorithm radix"),
        AXIS_OPTION(o.axis),
        TEXT_OPTION("offsets", o.offsets, "O.npy",
                    "the beginnings of segments, which are sorted separately"),
        {"algorithm", OPTION_CHOICE, &o.algorithm, "NAME", "algorithm", algorithm_names},
        RUN_OPTIONS(o)};
    const tool_syntax syntax = {
        .name = "sort",
        .files = "IN.npy OUT.npy",
        .min_files = 2,
        .max_files = 2,
        .about =
            "Sorts an array: i8 to u64, bool, f16, f32 or f64, of one dimension, or of two with\n"
            "--axis. NaN comes last. OUT may be IN.\n\n"
            "Without --stable, --offsets or --axis, equal keys may change places, and their "
            "values\n"
            "come in any order. With --stable -0 equals 0 if IN has at most 2^32 - 1 keys; "
            "otherwise\n"
            "-0 may come first. With --argsort, --offsets, --axis or --algorithm bitonic, IN has "
            "at\n"
            "most 2^32 - 1 keys.",
        .options = options,
        .num_options = TOOL_COUNT(options)};
    const char *files[TOOL_MAX_FILES];
    int result = options_parse(&syntax, argc, argv, files);
    if (result != TOOL_OK)
        return result;
    if (o.argsort && o.values[0])
        return tool_misuse("sort: --argsort and --values exclude each other; give one");
    if (o.offsets && o.axis != AXIS_NONE)
        return tool_misuse("sort: --axis and --offsets exclude each other; give one");
    if (o.axis != AXIS_NONE && algorithms[o.algorithm] == XL_SORT_RADIX)
        return tool_misuse("sort: --axis and --algorithm radix exclude each other; give one");
    if (o.offsets && algorithms[o.algorithm] == XL_SORT_RADIX)
        return tool_misuse("sort: --offsets and --algorithm radix exclude each other; give one");
    return sort_file(&o, files[0], files[1]);
}
