/* SPDX-License-Identifier: MIT
 * Reductions across ranks: each result equals that of one core reduction of the whole array, bit by
 * bit. */
#include "mpi_segments.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 70000, GUARD = 2 };
static const size_t lengths[] = {0, 1, 5, 200, LONGEST};

typedef struct shape {
    xl_reduce_desc desc;
    size_t in_bytes, out_bytes;
    void (*fill)(void *to, size_t n, uint64_t *random);
    const void *params[XL_PARAMS];
    bool numbered; /* a result is two u64, the second one the index in `out` */
    bool never_empty;
} shape;

static void fill_bytes(void *to, size_t bytes, uint64_t *random)
{
    for (size_t i = 0; i < bytes; ++i)
        ((unsigned char *)to)[i] = (unsigned char)test_random(random);
}

/* Few different whole numbers, zeros of both signs, and NaN: in all but one of 40 floats. */
static void fill_floats(void *to, size_t bytes, uint64_t *random)
{
    float *const x = to;
    for (size_t i = 0; i < bytes / 4; ++i) {
        const uint64_t z = test_random(random);
        x[i] = z % 40 ? NAN : z % 3 ? (float)(z % 4) - 1 : -0.0f;
        if (z % 7 == 0 && z % 5 == 0)
            x[i] = 0;
    }
}

static void fill_whole_floats(void *to, size_t bytes, uint64_t *random)
{
    float *const x = to;
    for (size_t i = 0; i < bytes / 4; ++i)
        x[i] = i % 5 ? -0.0f : (float)(test_random(random) % 64) - 31;
}

/* The outputs of one rank. */
typedef struct outputs {
    size_t room;
    unsigned char *out, *keys;
    uint64_t number;
} outputs;

static outputs outputs_new(size_t room)
{
    return (outputs){.room = room, .out = malloc(room * 16 + 1), .keys = malloc(room * 8 + 1)};
}

static void outputs_free(outputs *o)
{
    free(o->out);
    free(o->keys);
}

static bool has_number(uint32_t kind)
{
    return kind == XL_SEGMENTS_HEAD_FLAGS || kind == XL_SEGMENTS_FLAG_BITMASK ||
           kind == XL_SEGMENTS_KEYS;
}

/* Reduces by the core library, or across ranks if `core` is NULL. count: of the view of results. */
static void reduce(xl_plan *core, xl_mpi_plan *plan, const shape *s, size_t n, const void *data,
                   const segments *heads, size_t count, outputs *o)
{
    memset(o->out, 0xa5, o->room * 16);
    memset(o->keys, 0xa5, o->room * 8);
    const cl_mem in = test_buffer(n * s->in_bytes, data),
                 of = test_buffer(heads->count * heads->bytes, heads->array),
                 out = test_buffer(o->room * s->out_bytes, o->out),
                 keys = test_buffer(o->room * 8, o->keys), number = test_buffer(16, NULL);
    xl_reduce_args args = {.n = n,
                           .in = xl_view_of(in, 0),
                           .segments = segments_view(heads, of),
                           .out = xl_view_n(out, GUARD, count)};
    cl_event event = NULL;
    if (heads->kind == XL_SEGMENTS_KEYS)
        args.keys_out = xl_view_of(keys, GUARD);
    if (has_number(heads->kind))
        args.num_segments_out = xl_view_of(number, 1);
    memcpy(args.params, s->params, sizeof args.params);
    if (core) {
        const xl_status status = xl_reduce_enqueue(core, test_queue, &args, 0, NULL, NULL);
        if (!CHECK(status == XL_SUCCESS))
            fprintf(stderr, "%s\n", xl_context_error(test_ctx));
    } else if (SUCCEEDS(xl_mpi_reduce(plan, test_queue, &args, 0, NULL, &event)) &&
               CHECK(event != NULL)) {
        CHECK(clWaitForEvents(1, &event) == CL_SUCCESS);
        clReleaseEvent(event);
    }
    uint64_t two[2];
    test_read(out, o->room * s->out_bytes, o->out);
    test_read(keys, o->room * 8, o->keys);
    test_read(number, sizeof two, two);
    o->number = two[1];
    clReleaseMemObject(in);
    clReleaseMemObject(of);
    clReleaseMemObject(out);
    clReleaseMemObject(keys);
    clReleaseMemObject(number);
}

/* `count` results from number `from` of all on; nothing else is written. */
static bool is_right(const shape *s, const segments *whole, const outputs *all, size_t from,
                     outputs *o, size_t count)
{
    const size_t bytes = s->out_bytes, key = whole->kind == XL_SEGMENTS_KEYS ? whole->bytes : 0;
    for (size_t k = 0; s->numbered && k < count; ++k) {
        uint64_t number;
        memcpy(&number, o->out + (GUARD + k) * bytes + 8, 8);
        number += from;
        memcpy(o->out + (GUARD + k) * bytes + 8, &number, 8);
    }
    bool right =
        memcmp(o->out + GUARD * bytes, all->out + (GUARD + from) * bytes, count * bytes) == 0;
    right =
        right && memcmp(o->keys + GUARD * key, all->keys + (GUARD + from) * key, count * key) == 0;
    for (size_t i = 0; i < o->room * bytes; ++i)
        right = right && ((i >= GUARD * bytes && i < (GUARD + count) * bytes) || o->out[i] == 0xa5);
    return right;
}

static void compare(xl_mpi_plan *plan, const shape *s, size_t n, int way, const void *data,
                    const segments *whole, const outputs *all, bool early, size_t most)
{
    const size_t begin = test_begin(way, n, test_rank),
                 count = test_begin(way, n, test_rank + 1) - begin;
    const uint64_t width = s->desc.segment_width, mask = s->desc.segment_mask;
    segments part = segments_part(whole, way, test_rank, early);
    size_t from = 0, results = n > 0 || !s->never_empty;
    if (whole->kind != XL_SEGMENTS_NONE) {
        from = segments_before(whole, way, test_rank, early, width, mask);
        results = segments_before(whole, way, test_rank + 1, early, width, mask) - from;
        if (whole->kind == XL_SEGMENTS_OFFSETS)
            results = part.count - 1;
    }
    outputs o = outputs_new((results > count ? results : count) + 2 * GUARD + 1);
    const size_t kept = most > 0 && results > most ? most : results;
    reduce(NULL, plan, s, count, (const char *)data + begin * s->in_bytes, &part, most, &o);
    if (!CHECK(is_right(s, whole, all, from, &o, kept)) ||
        !CHECK(!has_number(whole->kind) || o.number == results))
        fprintf(stderr, "  n %zu, way %d, segments %u, early %d, %zu results from %zu\n", n, way,
                (unsigned)whole->kind, early, results, from);
    outputs_free(&o);
    segments_free(&part);
}

static void try(const shape *s, xl_mpi *mpi, size_t mean)
{
    uint64_t random = 7 + s->desc.segments * 100 + mean;
    xl_plan *core = NULL;
    xl_mpi_plan *plan = NULL;
    const xl_status status = xl_reduce_create(test_ctx, &s->desc, &core);
    if (!CHECK(status == XL_SUCCESS))
        fprintf(stderr, "%s\n", xl_context_error(test_ctx));
    if (!SUCCEEDS(xl_mpi_reduce_create(mpi, &s->desc, &plan)) || status != XL_SUCCESS)
        return;
    unsigned char *const data = malloc(LONGEST * s->in_bytes);
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; ++k) {
        const size_t n = lengths[k];
        segments whole = segments_draw(s->desc.segments, s->desc.segment_type, n, mean, &random);
        outputs all = outputs_new((whole.count > n ? whole.count : n) + 2 * GUARD + 1);
        s->fill(data, n * s->in_bytes, &random);
        reduce(core, NULL, s, n, data, &whole, 0, &all);
        for (int way = 0; way < TEST_WAYS; ++way) {
            compare(plan, s, n, way, data, &whole, &all, way % 2, 0);
            if (whole.kind == XL_SEGMENTS_OFFSETS)
                compare(plan, s, n, way, data, &whole, &all, !(way % 2), 0);
            if (has_number(whole.kind)) /* fewer than there are */
                compare(plan, s, n, way, data, &whole, &all, false, 2);
        }
        outputs_free(&all);
        segments_free(&whole);
    }
    free(data);
    xl_plan_destroy(core);
    xl_mpi_plan_destroy(plan);
}

static shape u32_sum(void)
{
    shape s = {.in_bytes = 4, .out_bytes = 4, .fill = fill_bytes};
    xl_reduce_desc_init(&s.desc);
    return s;
}

/* ---- types and operators ---- */

static void a_sum_of_u32(void)
{
    shape s = u32_sum();
    try(&s, test_mpi, 0);
    s.desc.init = &(const uint32_t){1234};
    try(&s, test_mpi, 0);
}

static void floats_keep_the_rules_of_zero_and_nan(void)
{
    shape s = u32_sum();
    s.desc.type = XL_F32;
    s.fill = fill_whole_floats;
    try(&s, test_mpi, 0);
    s.desc.op = XL_MIN;
    s.fill = fill_floats;
    try(&s, test_mpi, 0);
    s.desc.equal_zeros = 0;
    try(&s, test_mpi, 0);
}

static void indices_are_those_in_the_whole_array(void)
{
    shape s = u32_sum();
    s.desc.type = XL_F32;
    s.fill = fill_floats;
    s.out_bytes = 8;
    s.desc.op = XL_ARG_MIN;
    try(&s, test_mpi, 0);
    s.desc.equal_zeros = 0;
    s.desc.op = XL_ARG_MAX;
    s.desc.load = "i % 1000 == 7 ? NAN : x";
    try(&s, test_mpi, 0);
    s.desc.segments = XL_SEGMENTS_HEAD_FLAGS;
    try(&s, test_mpi, 30);
    s.desc.segments = XL_SEGMENTS_OFFSETS;
    s.desc.segment_type = XL_U32;
    s.desc.op = XL_ARG_MIN;
    try(&s, test_mpi, 30000);
}

static void arrays_of_other_types_are_converted(void)
{
    shape s = u32_sum();
    s.desc.type = XL_U64;
    s.desc.load_type = XL_U8;
    s.desc.store_type = XL_U16;
    s.in_bytes = 1;
    s.out_bytes = 2;
    try(&s, test_mpi, 0);
}

static void expressions_see_indices(void)
{
    static const xl_param params[] = {{"scale", XL_U32}, {"plus", XL_U64}};
    shape s = u32_sum();
    s.desc.type = XL_U64;
    s.desc.load_type = XL_U8;
    s.desc.load = "x * i * scale";
    s.desc.store = "(ulong2)(x + plus, i)";
    s.desc.store_type = XL_U64X2;
    s.desc.num_params = 2;
    s.desc.params = params;
    s.params[0] = &(const uint32_t){77};
    s.params[1] = &(const uint64_t){5};
    s.in_bytes = 1;
    s.out_bytes = 16;
    s.numbered = true;
    try(&s, test_mpi, 0);
    s.desc.segments = XL_SEGMENTS_KEYS;
    s.desc.segment_type = XL_U16;
    try(&s, test_mpi, 3000);
}

static const xl_user_type line = {"line", 8, 4, "typedef struct { uint a, b; } line;"};
static const uint32_t line_identity[] = {1, 0};
static const xl_user_op then = {"then",
                                "line then(line f, line g)\n"
                                "{ line h = { f.a * g.a, g.a * f.b + g.b }; return h; }",
                                line_identity, XL_OP_STRICTLY_ASSOCIATIVE};
static const xl_user_op outer = {
    "outer", "line outer(line f, line g) { line h = { f.a, g.b }; return h; }", NULL, 2};

static void operands_keep_their_order(void)
{
    shape s = u32_sum();
    s.desc.type = XL_USER_TYPE;
    s.desc.user_type = &line;
    s.desc.op = XL_USER_OP;
    s.desc.user_op = &then;
    s.in_bytes = s.out_bytes = 8;
    try(&s, test_mpi, 0);
    s.desc.segments = XL_SEGMENTS_FLAG_BITMASK;
    try(&s, test_mpi, 5000);
    s.desc.user_op = &outer;
    try(&s, test_mpi, 5000);
    s.desc.segments = XL_SEGMENTS_NONE;
    s.never_empty = true;
    try(&s, test_mpi, 0);
}

/* ---- segments ---- */

static void by_kind(uint32_t kind, uint32_t type)
{
    static const size_t means[] = {0, 9, 20000};
    shape s = u32_sum();
    s.desc.segments = kind;
    s.desc.segment_type = type;
    s.desc.init = &(const uint32_t){1000};
    for (size_t k = 0; k < 3; ++k)
        try(&s, test_mpi, means[k]);
}

static void segments_by_flags(void)
{
    by_kind(XL_SEGMENTS_HEAD_FLAGS, XL_NONE);
}

static void segments_by_bits(void)
{
    by_kind(XL_SEGMENTS_FLAG_BITMASK, XL_NONE);
}

static void segments_by_keys(void)
{
    by_kind(XL_SEGMENTS_KEYS, XL_U32);
    by_kind(XL_SEGMENTS_KEYS, XL_U64);
}

static void segments_by_offsets(void)
{
    by_kind(XL_SEGMENTS_OFFSETS, XL_U32);
    by_kind(XL_SEGMENTS_OFFSETS, XL_U64);
}

static void segments_by_width_and_mask(void)
{
    shape s = u32_sum();
    s.desc.segments = XL_SEGMENTS_WIDTH;
    s.desc.segment_width = 3;
    try(&s, test_mpi, 0);
    s.desc.segment_width = 30011;
    try(&s, test_mpi, 0);
    s.desc.segments = XL_SEGMENTS_MASK;
    s.desc.segment_width = 61;
    s.desc.segment_mask = UINT64_C(0x1000000800) | UINT64_C(1) << 62;
    try(&s, test_mpi, 0);
}

/* ---- reproducible ---- */

static void fill_fractions(void *to, size_t bytes, uint64_t *random)
{
    for (size_t i = 0; i < bytes / 4; ++i)
        ((float *)to)[i] = (float)(test_random(random) % 1000003) / 1000003.0f;
}

enum { UNIT = 1 << 18 }; /* as docs/mpi.md says */
static const size_t unit_lengths[] = {0, 1000, 2 * UNIT, 2 * UNIT + 777};

/* The floats with which results begin are within 0.1 %: of operands in another order. */
static bool is_near(const shape *s, const outputs *a, const outputs *b, size_t n)
{
    bool near = true;
    for (size_t i = 0; i < n; ++i) {
        float x, y;
        memcpy(&x, a->out + (GUARD + i) * s->out_bytes, 4);
        memcpy(&y, b->out + (GUARD + i) * s->out_bytes, 4);
        near = near && fabsf(x - y) <= 1e-3f * fabsf(y);
    }
    return near;
}

/* The bits are those of one rank, which has the communicator MPI_COMM_SELF, for all divisions. */
static void try_units(shape *s, size_t mean)
{
    uint64_t random = 3 + s->desc.segments;
    xl_mpi *self = NULL;
    xl_plan *core = NULL;
    xl_mpi_plan *one = NULL, *plan = NULL;
    s->desc.determinism = XL_REPRODUCIBLE;
    CHECK(xl_reduce_create(test_ctx, &s->desc, &core) == XL_SUCCESS);
    CHECK(xl_mpi_create(test_ctx, MPI_COMM_SELF, NULL, &self) == XL_SUCCESS);
    CHECK(xl_mpi_reduce_create(self, &s->desc, &one) == XL_SUCCESS);
    if (!SUCCEEDS(xl_mpi_reduce_create(test_mpi, &s->desc, &plan)) || !one || !core)
        return;
    for (size_t k = 0; k < sizeof unit_lengths / sizeof unit_lengths[0]; ++k) {
        const size_t n = unit_lengths[k];
        segments whole = segments_draw(s->desc.segments, s->desc.segment_type, n, mean, &random);
        const size_t room = (whole.count > n ? whole.count : n) + 2 * GUARD + 1;
        outputs all = outputs_new(room), rough = outputs_new(room);
        unsigned char *const data = malloc(n * s->in_bytes + 1);
        s->fill(data, n * s->in_bytes, &random);
        reduce(core, NULL, s, n, data, &whole, 0, &rough);
        reduce(NULL, one, s, n, data, &whole, 0, &all);
        CHECK(all.number == rough.number);
        CHECK(is_near(s, &all, &rough, room - 2 * GUARD));
        for (int way = 0; way < TEST_WAYS; ++way)
            compare(plan, s, n, way, data, &whole, &all, way > 1,
                    way == 1 && has_number(whole.kind) ? 2 : 0);
        outputs_free(&all);
        outputs_free(&rough);
        segments_free(&whole);
        free(data);
    }
    xl_plan_destroy(core);
    xl_mpi_plan_destroy(one);
    xl_mpi_plan_destroy(plan);
    xl_mpi_destroy(self);
}

static shape fractions(void)
{
    shape s = u32_sum();
    s.desc.type = XL_F32;
    s.fill = fill_fractions;
    return s;
}

static void bits_do_not_depend_on_ranks(void)
{
    shape s = fractions();
    s.desc.load = "x + (i >> 16) * 0.1f";
    s.desc.init = &(const float){0.3f};
    try_units(&s, 0);
    s.desc.segments = XL_SEGMENTS_KEYS;
    s.desc.segment_type = XL_U16;
    try_units(&s, 200000);
    s.desc.segments = XL_SEGMENTS_OFFSETS;
    s.desc.segment_type = XL_U32;
    try_units(&s, 100000);
    s = fractions();
    s.desc.segments = XL_SEGMENTS_HEAD_FLAGS;
    try_units(&s, 200000);
    s.desc.segments = XL_SEGMENTS_FLAG_BITMASK;
    try_units(&s, 9);
    s.desc.type = XL_F32X4;
    s.in_bytes = s.out_bytes = 16;
    s.desc.segments = XL_SEGMENTS_WIDTH;
    s.desc.segment_width = 300007;
    try_units(&s, 0);
    s.desc.segments = XL_SEGMENTS_MASK;
    s.desc.segment_width = 61;
    s.desc.segment_mask = 1 << 11;
    try_units(&s, 0);
}

/* An empty segment has the identity; i of `store` counts the results of a rank. */
static void units_of_products_and_own_operators(void)
{
    static const xl_user_type pair = {"pair", 8, 4, "typedef struct { float a, b; } pair;"};
    static const xl_user_op op = {
        "add", "pair add(pair f, pair g) { pair h = { f.a + g.a, g.b }; return h; }", NULL, 0};
    static const xl_param params[] = {{"by", XL_F32}};
    shape s = fractions();
    s.desc.op = XL_PROD;
    s.desc.load = "1.0f + (x - 0.5f) * by";
    s.desc.store = "(ulong2)(as_uint(x), i)";
    s.desc.store_type = XL_U64X2;
    s.desc.num_params = 1;
    s.desc.params = params;
    s.params[0] = &(const float){0.001f};
    s.out_bytes = 16;
    s.numbered = true;
    s.desc.segments = XL_SEGMENTS_OFFSETS;
    s.desc.segment_type = XL_U64;
    try_units(&s, 1000);
    s = u32_sum();
    s.desc.type = XL_USER_TYPE;
    s.desc.user_type = &pair;
    s.desc.op = XL_USER_OP;
    s.desc.user_op = &op;
    s.desc.segments = XL_SEGMENTS_HEAD_FLAGS;
    s.desc.store = "x.a";
    s.desc.store_type = XL_F32;
    s.in_bytes = 8;
    s.fill = fill_fractions;
    try_units(&s, 100000);
}

/* ---- failures ---- */

static void descriptors_are_compared_and_checked(void)
{
    const int last = test_size - 1;
    xl_mpi_plan *plan = NULL;
    shape s = u32_sum();
    CHECK(xl_mpi_reduce_create(test_mpi, test_rank == last ? NULL : &s.desc, &plan) ==
          XL_ERROR_INVALID_ARGUMENT);
    CHECK(plan == NULL && test_says(test_mpi, last, "desc"));
    s.desc.op = 77;
    CHECK(xl_mpi_reduce_create(test_mpi, &s.desc, &plan) == XL_ERROR_INVALID_ARGUMENT);
    CHECK(plan == NULL && test_says(test_mpi, 0, "desc.op"));
    s.desc.op = test_rank == last ? XL_MAX : XL_SUM;
    if (test_size > 1) {
        CHECK(xl_mpi_reduce_create(test_mpi, &s.desc, &plan) == XL_ERROR_INVALID_ARGUMENT);
        CHECK(plan == NULL && test_says(test_mpi, last, "desc.op: differs"));
    }
}

static void arguments_are_checked(void)
{
    enum { N = 100, CASES = 8 };
    static const char *const texts[CASES] = {
        "args.n_device", "args.scratch",          "args.in",       "args.out",
        "args.keys_out", "args.num_segments_out", "args.segments", "args.params[0]"};
    uint32_t ones[2 * N], result = 0, five = 5;
    xl_mpi_plan *plan = NULL;
    shape s = u32_sum();
    cl_event event;
    for (size_t i = 0; i < 2 * N; ++i)
        ones[i] = 1;
    const cl_mem in = test_buffer(sizeof ones, ones), out = test_buffer(4, &five);
    if (!SUCCEEDS(xl_mpi_reduce_create(test_mpi, &s.desc, &plan)))
        return;
    for (int k = 0; k < CASES; ++k) {
        xl_reduce_args args = {.n = N, .in = xl_view_of(in, 0), .out = xl_view_of(out, 0)};
        const xl_view none = xl_no_view();
        if (test_rank == test_size - 1) {
            args.n_device = k == 0 ? args.in : none;
            args.scratch = k == 1 ? args.in : none;
            args.in = k == 2 ? none : args.in;
            args.out = k == 3 ? xl_view_of(out, 1) : args.out;
            args.keys_out = k == 4 ? args.in : none;
            args.num_segments_out = k == 5 ? args.in : none;
            args.segments = k == 6 ? args.in : none;
            args.params[0] = k == 7 ? &five : NULL;
        }
        CHECK(xl_mpi_reduce(plan, test_queue, &args, 0, NULL, &event) == XL_ERROR_INVALID_ARGUMENT);
        CHECK(event == NULL && test_says(test_mpi, test_size - 1, texts[k]));
    }
    const xl_reduce_args args = {.n = N, .in = xl_view_of(in, 0), .out = xl_view_of(in, 1)};
    CHECK(xl_mpi_reduce(plan, test_queue, &args, 0, NULL, NULL) == XL_ERROR_OVERLAP);
    test_read(out, 4, &result);
    CHECK(result == 5);
    xl_mpi_plan_destroy(plan);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* The first offset of the whole array must be 0. */
static void elements_before_the_first_offset(void)
{
    const uint32_t offsets[] = {4, 10};
    shape s = u32_sum();
    xl_mpi_plan *plan = NULL;
    const cl_mem data = test_buffer(40, NULL), out = test_buffer(40, NULL),
                 heads = test_buffer(sizeof offsets, offsets);
    s.desc.segments = XL_SEGMENTS_OFFSETS;
    s.desc.segment_type = XL_U32;
    if (SUCCEEDS(xl_mpi_reduce_create(test_mpi, &s.desc, &plan))) {
        const xl_reduce_args args = {.n = 10,
                                     .in = xl_view_of(data, 0),
                                     .segments = xl_view_n(heads, 0, 2),
                                     .out = xl_view_of(out, 0)};
        CHECK(xl_mpi_reduce(plan, test_queue, &args, 0, NULL, NULL) == XL_ERROR_INVALID_ARGUMENT);
        CHECK(test_says(test_mpi, 0, "args.segments: 4 elements before the first offset"));
        xl_mpi_plan_destroy(plan);
    }
    clReleaseMemObject(data);
    clReleaseMemObject(out);
    clReleaseMemObject(heads);
}

typedef struct attempt {
    cl_mem in, out;
    uint32_t kind;
    bool units;
} attempt;

static xl_status create_and_reduce(xl_mpi *mpi, void *user)
{
    const attempt *const a = user;
    const uint32_t kind = a->kind;
    xl_mpi_plan *plan = NULL;
    shape s = u32_sum();
    cl_event event = NULL;
    s.desc.segments = kind;
    s.desc.segment_type = kind == XL_SEGMENTS_KEYS ? XL_U32 : XL_NONE;
    s.desc.type = a->units ? XL_F32 : XL_U32;
    s.desc.determinism = a->units ? XL_REPRODUCIBLE : XL_DETERMINISTIC;
    xl_status status = xl_mpi_reduce_create(mpi, &s.desc, &plan);
    CHECK((status == XL_SUCCESS) == (plan != NULL));
    if (status != XL_SUCCESS)
        return status;
    xl_reduce_args args = {.n = 10, .in = xl_view_of(a->in, 0), .out = xl_view_of(a->out, 0)};
    if (kind != XL_SEGMENTS_NONE)
        args.segments = args.in;
    status = xl_mpi_reduce(plan, test_queue, &args, 0, NULL, &event);
    CHECK((status == XL_SUCCESS) == (event != NULL));
    if (event)
        clReleaseEvent(event);
    xl_mpi_plan_destroy(plan);
    return status;
}

static void each_step_may_fail_for(uint32_t kind, bool units)
{
    attempt a = {test_buffer(40, NULL), test_buffer(40, NULL), kind, units};
    const int failed = test_each_failure(test_size - 1, create_and_reduce, &a);
    CHECK(failed >= 5 && failed < 99);
    clReleaseMemObject(a.in);
    clReleaseMemObject(a.out);
}

static void each_step_may_fail(void)
{
    each_step_may_fail_for(XL_SEGMENTS_NONE, false);
    each_step_may_fail_for(XL_SEGMENTS_KEYS, false);
    each_step_may_fail_for(XL_SEGMENTS_FLAG_BITMASK, true);
}

MPI_TEST_MAIN({"a_sum_of_u32", a_sum_of_u32},
              {"floats_keep_the_rules_of_zero_and_nan", floats_keep_the_rules_of_zero_and_nan},
              {"indices_are_those_in_the_whole_array", indices_are_those_in_the_whole_array},
              {"arrays_of_other_types_are_converted", arrays_of_other_types_are_converted},
              {"expressions_see_indices", expressions_see_indices},
              {"operands_keep_their_order", operands_keep_their_order},
              {"segments_by_flags", segments_by_flags}, {"segments_by_bits", segments_by_bits},
              {"segments_by_keys", segments_by_keys}, {"segments_by_offsets", segments_by_offsets},
              {"segments_by_width_and_mask", segments_by_width_and_mask},
              {"bits_do_not_depend_on_ranks", bits_do_not_depend_on_ranks},
              {"units_of_products_and_own_operators", units_of_products_and_own_operators},
              {"descriptors_are_compared_and_checked", descriptors_are_compared_and_checked},
              {"arguments_are_checked", arguments_are_checked},
              {"elements_before_the_first_offset", elements_before_the_first_offset},
              {"each_step_may_fail", each_step_may_fail})
