/* SPDX-License-Identifier: MIT
 * `crosslane scan`: prefix sums, minima and maxima of an array in a file. */
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const op_names[] = {"sum", "min", "max", NULL};
static const xl_op ops[] = {XL_SUM, XL_MIN, XL_MAX};
/* By the numbers of xl_scan_algorithm. */
static const char *const algorithm_names[] = {[XL_SCAN_AUTO] = "auto",
                                              [XL_SCAN_LOOKBACK] = "look-back",
                                              [XL_SCAN_REDUCE_THEN_SCAN] = "reduce-then-scan",
                                              [XL_SCAN_KOGGE_STONE] = "kogge-stone",
                                              [XL_SCAN_BLELLOCH] = "blelloch",
                                              NULL};

typedef struct scan_options {
    int op, algorithm;
    bool exclusive, inclusive, as_json;
    const char *init, *device;
} scan_options;

typedef union element {
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
} element;

static bool parse_signed(const char *text, int64_t low, int64_t high, int64_t *value)
{
    char *end;
    errno = 0;
    long long parsed = strtoll(text, &end, 10);
    *value = parsed;
    return end != text && !*end && !errno && parsed >= low && parsed <= high;
}

static bool parse_unsigned(const char *text, uint64_t high, uint64_t *value)
{
    char *end;
    errno = 0;
    unsigned long long parsed = strtoull(text, &end, 10);
    *value = parsed;
    return text[0] >= '0' && text[0] <= '9' && !*end && !errno && parsed <= high;
}

static bool parse_element(const char *text, xl_type type, element *e)
{
    int64_t i = 0;
    uint64_t u = 0;
    char *end = NULL;
    bool good = true;
    switch ((int)type) {
    case XL_I32:
        good = parse_signed(text, INT32_MIN, INT32_MAX, &i);
        e->i32 = (int32_t)i;
        break;
    case XL_I64:
        good = parse_signed(text, INT64_MIN, INT64_MAX, &e->i64);
        break;
    case XL_U32:
        good = parse_unsigned(text, UINT32_MAX, &u);
        e->u32 = (uint32_t)u;
        break;
    case XL_U64:
        good = parse_unsigned(text, UINT64_MAX, &e->u64);
        break;
    case XL_F32:
        e->f32 = strtof(text, &end);
        break;
    default:
        e->f64 = strtod(text, &end);
        break;
    }
    return end ? end != text && !*end : good;
}

static int check_type(const char *path, const xli_npy *array, xl_type *type)
{
    static const xl_type known[] = {XL_I32, XL_U32, XL_I64, XL_U64, XL_F32, XL_F64};
    *type = array_type(array);
    for (size_t i = 0; i < TOOL_COUNT(known); ++i)
        if (known[i] == *type)
            return TOOL_OK;
    return tool_fail("%s: elements of type %c%u; scan takes i32, u32, i64, u64, f32 or f64", path,
                     array->kind, (unsigned)(array->item_bytes * 8));
}

static int make_plan(const session *s, const scan_options *o, xl_type type, const element *init,
                     xl_scan **plan)
{
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.type = type;
    desc.op = ops[o->op];
    desc.kind = o->inclusive ? XL_INCLUSIVE : XL_EXCLUSIVE;
    desc.init = o->init ? init : NULL;
    desc.algorithm = (xl_scan_algorithm)o->algorithm;
    if (desc.algorithm == XL_SCAN_LOOKBACK) /* who asks for it by name takes what it gives */
        desc.determinism = XL_UNORDERED;
    progress_say("compiling for %s", s->info.name);
    return tool_check(s->ctx, xl_scan_create(s->ctx, &desc, plan), "scan");
}

static int scan_on_device(const session *s, xl_scan *plan, xli_npy *array, stage *st)
{
    int result;
    cl_mem buffer = NULL;
    cl_event event = NULL;
    size_t bytes = array->count * array->item_bytes;
    progress_say("scanning %zu elements", array->count);
    TRY(session_upload(s, array->data, bytes, "scan", &buffer));
    result = stage_begin(s, st, "scan");
    if (result == TOOL_OK)
        result = tool_check(s->ctx,
                            xl_scan_enqueue(plan, s->queue, array->count, xl_view_of(buffer, 0),
                                            xl_no_view(), xl_view_of(buffer, 0), xl_no_view(), 0,
                                            NULL, &event),
                            "scan");
    TRY(stage_end(st, event, result));
    TRY(session_read(s, buffer, bytes, array->data));
done:
    session_release(&buffer);
    return result;
}

static void report(const session *s, const scan_options *o, const xl_scan *plan,
                   const xli_npy *array, xl_type type, const stage *st)
{
    if (!o->as_json)
        return;
    json j = json_begin(stdout);
    json_text(&j, "device", s->info.name);
    json_count(&j, "n", array->count);
    json_text(&j, "type", xl_type_name(type));
    json_text(&j, "op", op_names[o->op]);
    json_text(&j, "kind", o->inclusive ? "inclusive" : "exclusive");
    json_text(&j, "algorithm", algorithm_names[xl_scan_algorithm_used(plan, array->count)]);
    json_times(&j, st);
    json_end(&j);
}

static int scan_file(const scan_options *o, const char *in, const char *out)
{
    int result;
    session s = {0};
    xl_scan *plan = NULL;
    xli_npy array = {0};
    outputs files = {0};
    stage st = {0};
    xl_type type;
    element init = {0};
    TRY(array_read(in, &array));
    TRY(array_check_vector("scan", in, &array));
    TRY(check_type(in, &array, &type));
    if (o->init && !parse_element(o->init, type, &init)) {
        result =
            tool_misuse("scan: --init: \"%s\" is no value of type %s", o->init, xl_type_name(type));
        goto done;
    }
    TRY(session_open(&s, o->device));
    TRY(make_plan(&s, o, type, &init, &plan));
    TRY(scan_on_device(&s, plan, &array, &st));
    TRY(outputs_npy(&files, out, &array));
    TRY(outputs_commit(&files));
    report(&s, o, plan, &array, type, &st);
done:
    outputs_abandon(&files);
    xl_scan_destroy(plan);
    session_close(&s);
    xli_npy_free(&array);
    return result;
}

int tool_scan(int argc, char **argv)
{
    scan_options o = {0};
    const tool_option options[] = {
        {"op", OPTION_CHOICE, &o.op, "OP", "operator", op_names},
        {"exclusive", OPTION_FLAG, &o.exclusive, NULL, "what comes before each element (default)",
         NULL},
        {"inclusive", OPTION_FLAG, &o.inclusive, NULL, "up to and with each element", NULL},
        {"init", OPTION_TEXT, &o.init, "V", "start value; default: the operator's identity", NULL},
        {"algorithm", OPTION_CHOICE, &o.algorithm, "NAME", "algorithm", algorithm_names},
        {"device", OPTION_TEXT, &o.device, "SEL", "which device; see crosslane devices", NULL},
        {"json", OPTION_FLAG, &o.as_json, NULL, "what was done, as one JSON object", NULL}};
    const tool_syntax syntax = {
        .name = "scan",
        .files = "IN.npy OUT.npy",
        .min_files = 2,
        .max_files = 2,
        .about =
            "Prefix scan of an array of one dimension: i32, u32, i64, u64, f32, or f64 where\n"
            "the device has double precision. OUT may be IN. Integer sums wrap. Sums of\n"
            "floating-point numbers have the same bits on every run, unless look-back is asked\n"
            "for, which rounds in an order that depends on timing.",
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
