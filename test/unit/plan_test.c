/* SPDX-License-Identifier: MIT
 * The plan mechanism, by a primitive made for this test: its structures grew in a later version
 * than the headers that this test is compiled with, so that this is a program with shorter headers.
 */
#include "primitive.h"
#include "xlt_misuse.h"

#include <string.h>

enum { LATER = XL_VERSION_NUMBER + 1, N = 16, UNTOUCHED = 0x5a };
/* Values of desc.known. */
enum { STRICT = 8, OFFSETS = 20, ONE_OF = 21 };

/* As the library knows them, and as the caller does. */
typedef struct later_desc {
    uint32_t version, known;
    uint64_t added;
} later_desc;
typedef struct known_desc {
    uint32_t version, known;
} known_desc;
typedef struct known_args {
    size_t n;
    xl_view in, more, out, scratch;
} known_args;
typedef struct later_args {
    known_args known;
    uint64_t added;
} later_args;

enum { IN, MORE, OUT, ARRAYS };
typedef struct probe_plan {
    xl_plan base;
    later_desc desc;
    later_args args;
    xli_span spans[ARRAYS];
} probe_plan;

static int made, dropped;
static const xli_growth desc_grew[] = {{LATER, sizeof(known_desc)}, {0, 0}};
static const xli_growth args_grew[] = {{LATER, sizeof(known_args)}, {0, 0}};
static const later_desc defaults = {0, 7, 77};

static xl_status check(xl_context *ctx, const void *desc)
{
    const later_desc *const d = desc;
    return d->known != 13 ? XL_SUCCESS
                          : xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.known: 13; must not be");
}

static xl_status make(xl_plan *plan, const void *desc)
{
    ((probe_plan *)plan)->desc = *(const later_desc *)desc;
    ++made;
    return ((const later_desc *)desc)->known == 14
               ? xli_fail(plan->ctx, XL_ERROR_BUILD, "does not compile")
               : XL_SUCCESS;
}

static void drop(xl_plan *plan)
{
    (void)plan;
    ++dropped;
}

static void info(const xl_plan *plan, size_t n, xl_plan_details *details)
{
    (void)plan;
    details->tile_elements = n;
}

static xl_status count(const xl_plan *plan, const void *args)
{
    return ((const later_args *)args)->known.n <= N
               ? XL_SUCCESS
               : xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT, "args.n: must be at most 16");
}

static size_t arrays(const xl_plan *plan, const void *of, xli_array *arrays)
{
    const known_args *const args = &((const later_args *)of)->known;
    const uint32_t known = ((const probe_plan *)plan)->desc.known;
    arrays[IN] = xli_input("args.in", args->in, args->n, 4);
    arrays[MORE] = known == OFFSETS ? xli_offsets("args.more", args->more, 4)
                                    : xli_input("args.more", args->more, args->n, 4);
    arrays[MORE].optional = known != OFFSETS;
    if (known == STRICT)
        arrays[MORE].unused = "must not be given, because desc.known is 8";
    arrays[OUT] = xli_output("args.out", args->out, args->n, 4);
    arrays[OUT].in_place_of = "args.in";
    arrays[MORE].one_of = arrays[OUT].one_of = arrays[OUT].optional = known == ONE_OF;
    return ARRAYS;
}

static size_t scratch_bytes(const xl_plan *plan, const void *args)
{
    (void)plan;
    return ((const later_args *)args)->known.n * 4;
}

/* With desc.known 9 only a call with args.more needs scratch. */
static size_t scratch_used(const xl_plan *plan, const void *args, const xli_span *spans)
{
    const bool needs = ((const probe_plan *)plan)->desc.known != 9 || spans[1].buffer;
    return needs ? scratch_bytes(plan, args) : 0;
}

static xl_status launch(xl_plan *plan, xli_seq *seq, const void *args, const xli_span *spans,
                        const xli_span *scratch)
{
    probe_plan *const p = (probe_plan *)plan;
    (void)seq, (void)scratch;
    p->args = *(const later_args *)args;
    memcpy(p->spans, spans, sizeof p->spans);
    return XL_SUCCESS;
}

static const xli_primitive probe = {.name = "probe",
                                    .plan_bytes = sizeof(probe_plan),
                                    .desc = {"desc", sizeof(later_desc), desc_grew},
                                    .args = {"args", sizeof(later_args), args_grew},
                                    .scratch_at = offsetof(later_args, known.scratch),
                                    .defaults = &defaults,
                                    .check = check,
                                    .make = make,
                                    .drop = drop,
                                    .info = info,
                                    .count = count,
                                    .arrays = arrays,
                                    .scratch = scratch_bytes,
                                    .scratch_used = scratch_used,
                                    .launch = launch};
static const xli_primitive other = {.name = "other"};

static void refused(xl_status got, xl_status wanted, const char *text)
{
    xlt_refused(xlt_context(), got, wanted, text);
}

static xl_plan *plan_of(uint32_t known)
{
    const known_desc desc = {XL_VERSION_NUMBER, known};
    xl_plan *plan;
    XLT_OK(xli_plan_create(&probe, xlt_context(), &desc, &plan));
    return plan;
}

static xl_status enqueue(xl_plan *plan, const known_args *args)
{
    return xli_plan_enqueue(&probe, plan, xlt_queue(), args, 0, NULL, NULL);
}

XLT_TEST(shorter_headers_work)
{
    struct {
        known_desc desc;
        unsigned char behind[16];
    } given;
    struct {
        known_args args;
        uint64_t behind;
    } call = {.behind = UINT64_MAX};
    memset(&given, UNTOUCHED, sizeof given);
    xli_plan_desc_init(&probe, &given.desc, XL_VERSION_NUMBER);
    assert_int_equal(given.desc.version, XL_VERSION_NUMBER);
    assert_int_equal(given.desc.known, 7);
    for (size_t i = 0; i < sizeof given.behind; ++i)
        assert_int_equal(given.behind[i], UNTOUCHED);
    given.desc.known = 9;
    xl_plan *plan;
    XLT_OK(xli_plan_create(&probe, xlt_context(), &given, &plan));
    const probe_plan *const p = (const probe_plan *)plan;
    assert_int_equal(p->desc.known, 9);
    assert_int_equal(p->desc.added, 77); /* the default, not the bytes behind the caller's */
    XLT_OK(enqueue(plan, &call.args));
    assert_int_equal(p->args.added, 0);
    assert_ptr_equal(xl_plan_context(plan), xlt_context());
    xl_plan_destroy(plan);
}

/* A caller with the library's own headers, by the functions below the plans. */
XLT_TEST(all_fields_are_read)
{
    later_desc desc = {0}, read = defaults;
    xli_structure_init(&probe.desc, &desc, LATER, &defaults);
    assert_int_equal(desc.version, LATER);
    assert_int_equal(desc.added, 77);
    desc.added = 5;
    XLT_OK(xli_structure_read(xlt_context(), &probe.desc, LATER, &desc, &read));
    assert_int_equal(read.added, 5);
    xli_structure_write(&probe.desc, XL_VERSION_NUMBER, &desc, &defaults);
    assert_int_equal(desc.known, 7);
    assert_int_equal(desc.added, 5);
}

XLT_TEST(other_versions_are_refused)
{
    static const uint32_t wrong[] = {0, 99, LATER, UINT32_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        const later_desc desc = {wrong[i], 7, 0};
        xl_plan *plan = (xl_plan *)&plan;
        refused(xli_plan_create(&probe, xlt_context(), &desc, &plan), XL_ERROR_INVALID_ARGUMENT,
                "desc.version: ");
        assert_null(plan);
    }
}

XLT_TEST(failures_end_the_plan)
{
    const known_desc bad = {XL_VERSION_NUMBER, 13}, worse = {XL_VERSION_NUMBER, 14};
    const int before[] = {made, dropped};
    xl_plan *plan;
    refused(xli_plan_create(&probe, xlt_context(), &bad, &plan), XL_ERROR_INVALID_ARGUMENT,
            "desc.known: 13");
    assert_int_equal(made, before[0]);
    refused(xli_plan_create(&probe, xlt_context(), &worse, &plan), XL_ERROR_BUILD, "compile");
    assert_null(plan);
    assert_int_equal(made, before[0] + 1);
    assert_int_equal(dropped, before[1] + 1);
}

XLT_TEST(another_primitive_is_named)
{
    xl_plan *const plan = plan_of(7);
    const known_args args = {0};
    size_t bytes = UNTOUCHED;
    refused(xli_plan_enqueue(&other, plan, xlt_queue(), &args, 0, NULL, NULL),
            XL_ERROR_INVALID_ARGUMENT, "plan: of xl_probe; must be a plan of xl_other");
    refused(xli_plan_scratch(&other, plan, &args, &bytes), XL_ERROR_INVALID_ARGUMENT, "xl_other");
    assert_int_equal(bytes, UNTOUCHED);
    XLT_FAILS(xli_plan_check(&probe, NULL), XL_ERROR_INVALID_ARGUMENT);
    XLT_OK(xli_plan_check(&probe, plan));
    xl_plan_destroy(plan);
}

XLT_TEST(arrays_are_checked)
{
    xl_plan *const plan = plan_of(7), *const strict = plan_of(STRICT);
    xlt_buffer a = xlt_buffer_make(NULL, 4 * N, 4, 0), room = xlt_scratch_make(4 * N);
    const xl_view in = xlt_view(&a), beside = xl_view_of(in.buffer, in.offset + N);
    const known_args good = {N, in, xl_no_view(), beside, xlt_view(&room)};
    known_args args = good;
    XLT_OK(enqueue(plan, &args));
    assert_null(((probe_plan *)plan)->spans[1].buffer);
    args.more = args.in; /* both are read */
    XLT_OK(enqueue(plan, &args));
    refused(enqueue(strict, &args), XL_ERROR_INVALID_ARGUMENT,
            "args.more: given; must not be given, because desc.known is 8");
    args.more = beside;
    refused(enqueue(plan, &args), XL_ERROR_OVERLAP, "args.more and args.out overlap");
    args = good;
    args.out = in; /* in place */
    XLT_OK(enqueue(plan, &args));
    args.out.offset += 1;
    refused(enqueue(plan, &args), XL_ERROR_OVERLAP, "args.in and args.out overlap");
    args = good;
    args.scratch =
        xl_view_of(in.buffer, in.offset * 4 / XL_SCRATCH_ALIGNMENT * XL_SCRATCH_ALIGNMENT);
    refused(enqueue(plan, &args), XL_ERROR_OVERLAP, "scratch and args.in overlap");
    args = good;
    args.in = xl_no_view();
    refused(enqueue(plan, &args), XL_ERROR_INVALID_ARGUMENT, "args.in: no buffer");
    args = good;
    args.n = N + 1;
    refused(enqueue(plan, &args), XL_ERROR_INVALID_ARGUMENT, "args.n: must be at most 16");
    refused(enqueue(plan, NULL), XL_ERROR_INVALID_ARGUMENT, "args: NULL");
    xlt_buffer_free(&room);
    xlt_buffer_free(&a);
    xl_plan_destroy(strict);
    xl_plan_destroy(plan);
}

XLT_TEST(calls_may_use_less_scratch)
{
    size_t bytes;
    xl_plan *const plan = plan_of(9);
    xlt_buffer a = xlt_buffer_make(NULL, 4 * N, 4, 0), room = xlt_scratch_make(4 * N);
    const xl_view in = xlt_view(&a), out = xl_view_of(in.buffer, in.offset + N);
    known_args args = {N, in, xl_no_view(), out, xl_view_n(room.mem, xlt_view(&room).offset, N)};
    XLT_OK(xli_plan_scratch(&probe, plan, &args, &bytes));
    assert_int_equal(bytes, 4 * N);
    XLT_OK(enqueue(plan, &args));
    args.more = in;
    refused(enqueue(plan, &args), XL_ERROR_SCRATCH_TOO_SMALL, "scratch: 16 bytes given");
    xlt_buffer_free(&room);
    xlt_buffer_free(&a);
    xl_plan_destroy(plan);
}

XLT_TEST(offsets_are_counted)
{
    xl_plan *const plan = plan_of(OFFSETS);
    xlt_buffer a = xlt_buffer_make(NULL, 4 * N, 4, 0);
    const xl_view in = xlt_view(&a);
    known_args args = {.n = 1, .in = in, .out = in};
    static const char text[] = "args.more: 0 CSR offsets; must be 1 to 4294967295, counted";
    refused(enqueue(plan, &args), XL_ERROR_INVALID_ARGUMENT, text);
    args.more = xl_view_of(in.buffer, in.offset + 1);
    refused(enqueue(plan, &args), XL_ERROR_INVALID_ARGUMENT, text);
    args.more.count = 3;
    XLT_OK(enqueue(plan, &args));
    assert_int_equal(
        ((probe_plan *)plan)->spans[MORE].end - ((probe_plan *)plan)->spans[MORE].begin, 12);
#if SIZE_MAX > UINT32_MAX
    args.more.count = (size_t)1 << 32;
    refused(enqueue(plan, &args), XL_ERROR_INVALID_ARGUMENT, "args.more: 4294967296 CSR offsets");
#endif
    xlt_buffer_free(&a);
    xl_plan_destroy(plan);
}

/* A separate call, which takes an index and has no scratch. */
typedef struct indexed_call {
    later_args args;
    xl_grid_index *index;
} indexed_call;

static xl_grid_index *seen;

static xl_status count_indexed(const xl_plan *plan, const void *of)
{
    seen = ((const indexed_call *)of)->index;
    return seen ? count(plan, of) : xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT, "index: NULL");
}

static size_t no_arrays(const xl_plan *plan, const void *of, xli_array *arrays)
{
    (void)plan, (void)of, (void)arrays;
    return 0;
}

static xl_status launch_indexed(xl_plan *plan, xli_seq *seq, const void *of, const xli_span *spans,
                                const xli_span *scratch)
{
    (void)seq, (void)spans;
    assert_ptr_equal(((const indexed_call *)of)->index, seen);
    assert_null(scratch->buffer);
    ((probe_plan *)plan)->args = ((const indexed_call *)of)->args;
    return XL_SUCCESS;
}

XLT_TEST(a_call_takes_an_index)
{
    static const xli_call call = {.args = {"args", sizeof(later_args), args_grew},
                                  .index_at = offsetof(indexed_call, index),
                                  .count = count_indexed,
                                  .arrays = no_arrays,
                                  .launch = launch_indexed};
    xl_plan *const plan = plan_of(7);
    xl_grid_index *const index = (xl_grid_index *)&call;
    const known_args args = {.n = 3}, many = {.n = N + 1};
#define CALL(primitive, index, args)                                                               \
    xli_plan_call(&(primitive), &call, plan, (index), xlt_queue(), (args), 0, NULL, NULL)
    XLT_OK(CALL(probe, index, &args));
    assert_ptr_equal(seen, index);
    assert_int_equal(((probe_plan *)plan)->args.known.n, 3);
    assert_int_equal(((probe_plan *)plan)->args.added, 0);
    refused(CALL(probe, NULL, &args), XL_ERROR_INVALID_ARGUMENT, "index: NULL");
    refused(CALL(probe, index, &many), XL_ERROR_INVALID_ARGUMENT, "args.n: must be");
    refused(CALL(probe, index, NULL), XL_ERROR_INVALID_ARGUMENT, "args: NULL");
    refused(CALL(other, index, &args), XL_ERROR_INVALID_ARGUMENT, "must be a plan of xl_other");
#undef CALL
    xl_plan_destroy(plan);
}

XLT_TEST(one_of_several_is_given)
{
    xl_plan *const plan = plan_of(ONE_OF);
    xlt_buffer a = xlt_buffer_make(NULL, 4 * N, 4, 0);
    known_args args = {.n = 1, .in = xlt_view(&a)};
    refused(enqueue(plan, &args), XL_ERROR_INVALID_ARGUMENT,
            "args.more, args.out: none given; at least one must be");
    args.out = args.in;
    XLT_OK(enqueue(plan, &args));
    args.more = args.in;
    args.out = xl_no_view();
    XLT_OK(enqueue(plan, &args));
    xlt_buffer_free(&a);
    xl_plan_destroy(plan);
}

XLT_MAIN(NULL, xlt_teardown)
