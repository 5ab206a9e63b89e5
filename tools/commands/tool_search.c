/* SPDX-License-Identifier: MIT
 * `crosslane search`: the places of numbers in a sorted array. */
#include "tool.h"

#include <stdlib.h>

typedef struct search_options {
    bool upper, descending, assume_sorted, as_json;
    const char *device, *tune_file;
} search_options;

static int search_on_device(const session *s, const search_options *o, const char *path,
                            xl_type type, const xli_npy *keys, const xli_npy *queries,
                            xli_npy *places, stage *st)
{
    int result;
    xl_plan *plan = NULL;
    xl_search_desc desc;
    cl_mem in = NULL, asked = NULL, found = NULL;
    cl_event event = NULL;
    const size_t bytes = places->count * places->item_bytes;
    xl_search_desc_init(&desc);
    desc.key = type;
    desc.order = o->descending ? XL_DESCENDING : XL_ASCENDING;
    desc.equal_zeros = 1;
    desc.kind = o->upper ? XL_SEARCH_UPPER : XL_SEARCH_LOWER;
    progress_compiling();
    const xl_status created = xl_search_create(s->ctx, &desc, &plan);
    TRY(session_prepare(s, created, &plan,
                        &(xl_search_args){.n = keys->count, .num_queries = queries->count},
                        "search"));
    TRY(session_upload(s, keys->data, keys->count * keys->item_bytes, "keys", &in));
    if (!o->assume_sorted)
        TRY(order_check(s, "search", path, keys, in, o->descending));
    progress_say("searching for %zu keys", queries->count);
    TRY(session_upload(s, queries->data, queries->count * queries->item_bytes, "queries", &asked));
    TRY(session_buffer(s, bytes, "the indices", &found));
    result = stage_begin(s, st, "search");
    if (result == TOOL_OK)
        result =
            tool_check(s->ctx,
                       xl_search_enqueue(plan, s->queue,
                                         &(xl_search_args){.n = keys->count,
                                                           .keys = xl_view_of(in, 0),
                                                           .num_queries = queries->count,
                                                           .queries = xl_view_of(asked, 0),
                                                           .indices_out = xl_view_of(found, 0)},
                                         0, NULL, &event),
                       "search");
    TRY(stage_end(st, event, result));
    TRY(session_read(s, found, bytes, places->data));
done:
    session_release(&in);
    session_release(&asked);
    session_release(&found);
    xl_plan_destroy(plan);
    return result;
}

static int search_files(const search_options *o, const char *const paths[3])
{
    int result;
    session s = {0};
    xli_npy keys = {0}, queries = {0}, places = {0};
    outputs files = {0};
    stage st = {0};
    xl_type type = XL_NONE;
    const named_output named[] = {{"OUT.npy", paths[2]}};
    TRY(outputs_check("search", named, TOOL_COUNT(named)));
    TRY(array_read_keys("search", paths[0], UINT32_MAX, &keys, &type));
    TRY(array_read_keys("search", paths[1], UINT32_MAX, &queries, &type));
    void *data = malloc(queries.count ? queries.count * sizeof(uint64_t) : 1);
    if (!data)
        TRY(tool_fail("search: no memory for the indices of %zu queries", queries.count));
    places = xli_npy_vector('u', sizeof(uint64_t), queries.count, data);
    TRY(session_open(&s, o->device, o->tune_file));
    TRY(search_on_device(&s, o, paths[0], type, &keys, &queries, &places, &st));
    TRY(outputs_npy(&files, paths[2], &places));
    TRY(outputs_commit(&files));
    if (o->as_json) {
        json j = json_begin(stdout);
        json_text(&j, "device", s.info.name);
        json_count(&j, "n", keys.count);
        json_count(&j, "queries", queries.count);
        json_text(&j, "type", xl_type_name(type));
        json_times(&j, &st);
        json_end(&j);
    }
done:
    outputs_abandon(&files);
    session_close(&s);
    xli_npy_free(&keys);
    xli_npy_free(&queries);
    xli_npy_free(&places);
    return result;
}

int tool_search(int argc, char **argv)
{
    search_options o = {0};
    const tool_option options[] = {
        FLAG_OPTION("upper", o.upper, "the index of the first key that is after the query"),
        FLAG_OPTION("descending", o.descending, "KEYS are in descending order"),
        ASSUME_SORTED_OPTION(o.assume_sorted), RUN_OPTIONS(o)};
    const tool_syntax syntax = {
        .name = "search",
        .files = "KEYS.npy QUERIES.npy OUT.npy",
        .min_files = 3,
        .max_files = 3,
        .about =
            "Finds the index (u64) of the first key that is not before each query, which is where\n"
            "the query would be inserted. Both arrays have one dimension and one type: i8 to u64,\n"
            "bool, f16, f32 or f64; -0 equals 0. KEYS that are not sorted are an error. With\n"
            "--assume-sorted they are not checked, and the indices may be wrong.",
        .options = options,
        .num_options = TOOL_COUNT(options)};
    const char *files[TOOL_MAX_FILES];
    int result = options_parse(&syntax, argc, argv, files);
    return result != TOOL_OK ? result : search_files(&o, files);
}
