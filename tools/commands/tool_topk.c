/* SPDX-License-Identifier: MIT
 * `crosslane topk`: the k largest or smallest elements of an array, and their indices. */
#include "tool.h"

#include <stdlib.h>

typedef struct top_k_options {
    uint64_t k;
    int axis;
    bool smallest, in_place_order, as_json;
    const char *indices, *device, *tune_file;
} top_k_options;

static int make_array(const char *what, size_t n, const xli_npy *like, xli_npy *made)
{
    void *data = malloc(n ? n * (like ? like->item_bytes : sizeof(uint32_t)) : 1);
    if (!data)
        return tool_fail("topk: no memory for %zu %s", n, what);
    *made = like ? xli_npy_vector(like->kind, like->item_bytes, n, data)
                 : xli_npy_vector('u', sizeof(uint32_t), n, data);
    return TOOL_OK;
}

static int make_plan(const session *s, const top_k_options *o, xl_type type, size_t n, size_t k,
                     const segments *g, xl_plan **plan)
{
    xl_top_k_desc desc;
    xl_top_k_desc_init(&desc);
    desc.key = type;
    desc.largest = !o->smallest;
    desc.equal_zeros = 1;
    desc.sorted = !o->in_place_order;
    desc.segments = g->form;
    desc.segment_type = g->type;
    progress_compiling();
    const xl_status created = xl_top_k_create(s->ctx, &desc, plan);
    return session_prepare(s, created, plan, &(xl_top_k_args){.n = n, .k = k}, "topk");
}

static int select_on_device(const session *s, size_t k, xl_plan *plan, const xli_npy *keys,
                            segments *g, xli_npy *best, xli_npy *places, stage *st)
{
    int result;
    cl_mem in = NULL, out = NULL, indices = NULL;
    cl_event event = NULL;
    const size_t n = keys->count, best_bytes = best->count * best->item_bytes,
                 place_bytes = places->count * places->item_bytes;
    progress_say("looking at %zu keys", n);
    TRY(session_upload(s, keys->data, n * keys->item_bytes, "keys", &in));
    TRY(segments_upload(s, g));
    TRY(session_buffer(s, best_bytes, "the results", &out));
    TRY(session_buffer(s, place_bytes, "their places", &indices));
    result = stage_begin(s, st, "topk");
    if (result == TOOL_OK)
        result =
            tool_check(s->ctx,
                       xl_top_k_enqueue(plan, s->queue,
                                        &(xl_top_k_args){.n = n,
                                                         .k = k,
                                                         .keys_in = xl_view_of(in, 0),
                                                         .segments = segments_view(g),
                                                         .keys_out = xl_view_of(out, 0),
                                                         .indices_out = xl_view_of(indices, 0)},
                                        0, NULL, &event),
                       "topk");
    TRY(stage_end(st, event, result));
    TRY(session_read(s, out, best_bytes, best->data));
    TRY(session_read(s, indices, place_bytes, places->data));
done:
    session_release(&in);
    session_release(&out);
    session_release(&indices);
    return result;
}

static void report(const session *s, const top_k_options *o, size_t n, size_t k, xl_type type,
                   const stage *st)
{
    if (!o->as_json)
        return;
    json j = json_begin(stdout);
    json_text(&j, "device", s->info.name);
    json_count(&j, "n", n);
    json_count(&j, "k", k);
    json_text(&j, "type", xl_type_name(type));
    json_text(&j, "keys", o->smallest ? "smallest" : "largest");
    json_times(&j, st);
    json_end(&j);
}

static int top_k_file(const top_k_options *o, const char *in, const char *out)
{
    int result;
    session s = {0};
    xl_plan *plan = NULL;
    xli_npy keys = {0}, best = {0}, places = {0};
    outputs files = {0};
    stage st = {0};
    slices sl = {0};
    segments g = {.form = XL_SEGMENTS_NONE};
    const named_output named[] = {{"OUT.npy", out}, {"--indices", o->indices}};
    TRY(outputs_check("topk", named, TOOL_COUNT(named)));
    TRY(array_read_slices("topk", in, UINT32_MAX, o->axis, &keys, &sl));
    const xl_type type = array_type(&keys);
    const size_t k = o->k < sl.length ? (size_t)o->k : sl.length;
    if (keys.count > 0)
        TRY(slices_segments("topk", &sl, sl.count, &g));
    TRY(make_array("results", sl.count * k, &keys, &best));
    TRY(make_array("indices", sl.count * k, NULL, &places));
    TRY(session_open(&s, o->device, o->tune_file));
    TRY(make_plan(&s, o, type, keys.count, k, &g, &plan));
    TRY(select_on_device(&s, k, plan, &keys, &g, &best, &places, &st));
    slices_indices(&sl, &places);
    TRY(slices_restore(&sl, in, k, &best));
    TRY(slices_restore(&sl, in, k, &places));
    TRY(outputs_npy(&files, out, &best));
    if (o->indices)
        TRY(outputs_npy(&files, o->indices, &places));
    TRY(outputs_commit(&files));
    report(&s, o, keys.count, k, type, &st);
done:
    outputs_abandon(&files);
    xl_plan_destroy(plan);
    segments_free(&g);
    session_close(&s);
    xli_npy_free(&keys);
    xli_npy_free(&best);
    xli_npy_free(&places);
    return result;
}

int tool_topk(int argc, char **argv)
{
    top_k_options o = {.axis = AXIS_NONE};
    const tool_option options[] = {
        {"k", OPTION_COUNT, &o.k, "K", "the number of results, 1 or more", NULL},
        AXIS_OPTION(o.axis),
        FLAG_OPTION("smallest", o.smallest, "the smallest instead of the largest"),
        FLAG_OPTION("input-order", o.in_place_order,
                    "in the order of IN instead of the best first"),
        TEXT_OPTION("indices", o.indices, "I.npy",
                    "their indices in IN (with --axis along the axis), as u32"),
        RUN_OPTIONS(o)};
    const tool_syntax syntax = {
        .name = "topk",
        .files = "IN.npy OUT.npy --k K",
        .min_files = 2,
        .max_files = 2,
        .about =
            "Finds the K largest elements of an array: i8 to u64, bool, f16, f32 or f64, of one\n"
            "dimension, or of two with --axis. NaN is larger than every number, -0 equals 0. Of\n"
            "equal elements the one with the lower index comes first.",
        .options = options,
        .num_options = TOOL_COUNT(options)};
    const char *files[TOOL_MAX_FILES];
    int result = options_parse(&syntax, argc, argv, files);
    if (result != TOOL_OK)
        return result;
    if (o.k == 0)
        return tool_misuse("topk: --k: missing or 0; must be 1 or more");
    return top_k_file(&o, files[0], files[1]);
}
