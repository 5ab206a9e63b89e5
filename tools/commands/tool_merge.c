/* SPDX-License-Identifier: MIT
 * `crosslane merge`: merges two sorted arrays, or makes their union, intersection or difference. */
#include "tool.h"

#include <stdlib.h>

typedef struct merge_options {
    bool makes_union, intersection, difference; /* at most one */
    bool descending, assume_sorted, as_json;
    const char *device, *tune_file;
} merge_options;

static xl_merge_operation operation_of(const merge_options *o)
{
    return o->makes_union    ? XL_MERGE_UNION
           : o->intersection ? XL_MERGE_INTERSECTION
           : o->difference   ? XL_MERGE_DIFFERENCE
                             : XL_MERGE_ALL;
}

/* Elements that the result may have. */
static size_t room_of(const merge_options *o, size_t n_a, size_t n_b)
{
    if (o->intersection)
        return n_a < n_b ? n_a : n_b;
    return o->difference ? n_a : n_a + n_b;
}

static int upload(const session *s, const merge_options *o, const char *path, const xli_npy *in,
                  cl_mem *buffer)
{
    int result = session_upload(s, in->data, in->count * in->item_bytes, "keys", buffer);
    if (result == TOOL_OK && !o->assume_sorted)
        result = order_check(s, "merge", path, in, *buffer, o->descending);
    return result;
}

static int merge_on_device(const session *s, const merge_options *o, const char *const paths[2],
                           xl_type type, const xli_npy in[2], xli_npy *out, stage *st)
{
    int result;
    const bool counts = operation_of(o) != XL_MERGE_ALL;
    uint64_t count = out->count;
    xl_plan *plan = NULL;
    xl_merge_desc desc;
    cl_mem a = NULL, b = NULL, both = NULL, counted = NULL;
    cl_event event = NULL;
    const size_t bytes = out->count * out->item_bytes;
    xl_merge_desc_init(&desc);
    desc.key = type;
    desc.operation = operation_of(o);
    desc.order = o->descending ? XL_DESCENDING : XL_ASCENDING;
    desc.equal_zeros = 1;
    progress_compiling();
    const xl_status created = xl_merge_create(s->ctx, &desc, &plan);
    TRY(session_prepare(s, created, &plan, &(xl_merge_args){.n_a = in[0].count, .n_b = in[1].count},
                        "merge"));
    TRY(upload(s, o, paths[0], &in[0], &a));
    TRY(upload(s, o, paths[1], &in[1], &b));
    progress_say("merging %zu keys", in[0].count + in[1].count);
    if (counts)
        TRY(session_buffer(s, sizeof count, "the number of results", &counted));
    TRY(session_buffer(s, bytes, "the result", &both));
    result = stage_begin(s, st, "merge");
    if (result == TOOL_OK)
        result = tool_check(s->ctx,
                            xl_merge_enqueue(plan, s->queue,
                                             &(xl_merge_args){.n_a = in[0].count,
                                                              .n_b = in[1].count,
                                                              .keys_a = xl_view_of(a, 0),
                                                              .keys_b = xl_view_of(b, 0),
                                                              .keys_out = xl_view_of(both, 0),
                                                              .count_out = xl_view_of(counted, 0)},
                                             0, NULL, &event),
                            "merge");
    TRY(stage_end(st, event, result));
    if (counts)
        TRY(session_read(s, counted, sizeof count, &count));
    TRY(session_read(s, both, (size_t)count * out->item_bytes, out->data));
    *out = xli_npy_vector(out->kind, out->item_bytes, (size_t)count, out->data);
done:
    session_release(&a);
    session_release(&b);
    session_release(&both);
    session_release(&counted);
    xl_plan_destroy(plan);
    return result;
}

static int merge_files(const merge_options *o, const char *const paths[3])
{
    int result;
    session s = {0};
    xli_npy in[2] = {{0}}, out = {0};
    outputs files = {0};
    stage st = {0};
    xl_type type = XL_NONE;
    const named_output named[] = {{"OUT.npy", paths[2]}};
    TRY(outputs_check("merge", named, TOOL_COUNT(named)));
    const size_t most = operation_of(o) == XL_MERGE_ALL ? SIZE_MAX : UINT32_MAX;
    TRY(array_read_keys("merge", paths[0], most, &in[0], &type));
    TRY(array_read_keys("merge", paths[1], most, &in[1], &type));
    const size_t n = room_of(o, in[0].count, in[1].count);
    void *data = malloc(n ? n * in[0].item_bytes : 1);
    if (!data)
        TRY(tool_fail("merge: no memory for %zu keys", n));
    const char kind = in[0].kind == in[1].kind ? in[0].kind : 'u'; /* bool and u8 */
    out = xli_npy_vector(kind, in[0].item_bytes, n, data);
    TRY(session_open(&s, o->device, o->tune_file));
    TRY(merge_on_device(&s, o, paths, type, in, &out, &st));
    TRY(outputs_npy(&files, paths[2], &out));
    TRY(outputs_commit(&files));
    if (o->as_json) {
        json j = json_begin(stdout);
        json_text(&j, "device", s.info.name);
        json_count(&j, "n", out.count);
        json_text(&j, "type", xl_type_name(type));
        json_text(&j, "order", o->descending ? "descending" : "ascending");
        json_times(&j, &st);
        json_end(&j);
    }
done:
    outputs_abandon(&files);
    session_close(&s);
    xli_npy_free(&in[0]);
    xli_npy_free(&in[1]);
    xli_npy_free(&out);
    return result;
}

int tool_merge(int argc, char **argv)
{
    merge_options o = {0};
    const tool_option options[] = {
        FLAG_OPTION("union", o.makes_union, "max(m, n) of each element: see above"),
        FLAG_OPTION("intersection", o.intersection, "min(m, n) of each element"),
        FLAG_OPTION("difference", o.difference, "max(m - n, 0) of each element"),
        FLAG_OPTION("descending", o.descending, "all arrays are in descending order"),
        ASSUME_SORTED_OPTION(o.assume_sorted),
        RUN_OPTIONS(o)};
    const tool_syntax syntax = {
        .name = "merge",
        .files = "A.npy B.npy OUT.npy",
        .min_files = 3,
        .max_files = 3,
        .about =
            "Merges two sorted one-dimensional arrays of one type: i8 to u64, bool, f16, f32 or\n"
            "f64. An element that occurs m times in A and n times in B occurs m + n times in OUT.\n"
            "Equal elements of A come before those of B; -0 equals 0. An input that is not\n"
            "sorted is an error. With --assume-sorted it is not checked, and OUT may lack "
            "elements.",
        .options = options,
        .num_options = TOOL_COUNT(options)};
    const char *files[TOOL_MAX_FILES];
    int result = options_parse(&syntax, argc, argv, files);
    if (result == TOOL_OK && o.makes_union + o.intersection + o.difference > 1)
        result = tool_misuse("merge: --union, --intersection, --difference: only one may be given");
    return result != TOOL_OK ? result : merge_files(&o, files);
}
