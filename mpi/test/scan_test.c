/* SPDX-License-Identifier: MIT
 * Scans across ranks: each result equals that of one core scan of the whole array, bit by bit. */
#include "mpi_segments.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 70000 };
static const size_t lengths[] = {0, 1, 5, 200, LONGEST};

/* A scan to compare. Data are bytes & mask, so that sums of floats do not round. */
typedef struct shape {
    xl_scan_desc desc;
    size_t in_bytes, out_bytes;
    void (*fill)(void *to, size_t n, uint64_t *random);
    const void *params[XL_PARAMS];
} shape;

static void fill_bytes(void *to, size_t bytes, uint64_t *random)
{
    for (size_t i = 0; i < bytes; ++i)
        ((unsigned char *)to)[i] = (unsigned char)test_random(random);
}

/* Whole numbers, so that sums do not round; also -0, and NaN if `odd`. */
static void fill_floats(float *to, size_t n, uint64_t *random, bool odd)
{
    for (size_t i = 0; i < n; ++i) {
        const uint64_t z = test_random(random);
        to[i] = z % 5 == 0 ? -0.0f : (float)(z % 64) - 31;
        if (odd && z % 3 == 0) {
            const uint32_t nan = 0x7fc00000;
            memcpy(&to[i], &nan, sizeof nan);
        }
    }
}

static void fill_whole_floats(void *to, size_t bytes, uint64_t *random)
{
    fill_floats(to, bytes / 4, random, false);
}

static void fill_odd_floats(void *to, size_t bytes, uint64_t *random)
{
    fill_floats(to, bytes / 4, random, true);
}

/* The scan of the whole array on one rank. */
static void expect(xl_plan *plan, const shape *s, size_t n, const void *data, const segments *whole,
                   void *to)
{
    const cl_mem in = test_buffer(n * s->in_bytes, data), out = test_buffer(n * s->out_bytes, NULL),
                 heads = test_buffer(whole->count * whole->bytes, whole->array);
    xl_scan_args args = {.n = n,
                         .in = xl_view_of(in, 0),
                         .segments = segments_view(whole, heads),
                         .out = xl_view_of(out, 0)};
    memcpy(args.params, s->params, sizeof args.params);
    const xl_status status = xl_scan_enqueue(plan, test_queue, &args, 0, NULL, NULL);
    if (!CHECK(status == XL_SUCCESS))
        fprintf(stderr, "%s\n", xl_context_error(test_ctx));
    test_read(out, n * s->out_bytes, to);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(heads);
}

static size_t first_difference(const void *a, const void *b, size_t bytes)
{
    size_t i = 0;
    while (i < bytes && ((const char *)a)[i] == ((const char *)b)[i])
        ++i;
    return i;
}

/* The scan of this rank's part, between elements that must stay as they are. */
static void compare(xl_mpi_plan *plan, const shape *s, size_t n, int way, const void *data,
                    const segments *whole, const void *expected, bool in_place, bool early)
{
    enum { GUARD = 3 };
    const size_t begin = test_begin(way, n, test_rank),
                 count = test_begin(way, n, test_rank + 1) - begin;
    const size_t room =
        (count + 2 * GUARD) * (s->out_bytes > s->in_bytes ? s->out_bytes : s->in_bytes);
    unsigned char *const host = malloc(room + 1);
    segments part = segments_part(whole, way, test_rank, early);
    cl_event event = NULL;
    memset(host, 0xa5, room);
    memcpy(host + GUARD * s->in_bytes, (const char *)data + begin * s->in_bytes,
           count * s->in_bytes);
    const cl_mem in = test_buffer(room, host);
    memset(host, 0xa5, room);
    const cl_mem out = in_place ? in : test_buffer(room, host),
                 heads = test_buffer(part.count * part.bytes, part.array);
    xl_scan_args args = {.n = count,
                         .in = xl_view_of(in, GUARD),
                         .segments = segments_view(&part, heads),
                         .out = xl_view_of(out, GUARD)};
    memcpy(args.params, s->params, sizeof args.params);
    if (SUCCEEDS(xl_mpi_scan(plan, test_queue, &args, 0, NULL, &event)) && CHECK(event != NULL)) {
        CHECK(clWaitForEvents(1, &event) == CL_SUCCESS);
        clReleaseEvent(event);
    }
    test_read(out, room, host);
    const size_t at = GUARD * s->out_bytes, bytes = count * s->out_bytes;
    bool kept = true;
    for (size_t i = 0; i < room; ++i)
        kept = kept && ((i >= at && i < at + bytes) || host[i] == 0xa5);
    CHECK(kept);
    if (!CHECK(bytes == 0 ||
               memcmp(host + at, (const char *)expected + begin * s->out_bytes, bytes) == 0))
        fprintf(stderr, "  n %zu, way %d, segments %u, in place %d, early %d, element %zu of %zu\n",
                n, way, (unsigned)whole->kind, in_place, early,
                first_difference(host + at, (const char *)expected + begin * s->out_bytes, bytes) /
                    s->out_bytes,
                count);
    clReleaseMemObject(in);
    if (!in_place)
        clReleaseMemObject(out);
    clReleaseMemObject(heads);
    segments_free(&part);
    free(host);
}

/* One shape on arrays of several lengths, divided in all ways. */
static void try(const shape *s, xl_mpi *mpi, size_t mean)
{
    uint64_t random = 7 + s->desc.segments * 100 + mean;
    xl_plan *core = NULL;
    xl_mpi_plan *plan = NULL;
    const xl_status status = xl_scan_create(test_ctx, &s->desc, &core);
    if (!CHECK(status == XL_SUCCESS))
        fprintf(stderr, "%s\n", xl_context_error(test_ctx));
    if (!SUCCEEDS(xl_mpi_scan_create(mpi, &s->desc, &plan)) || status != XL_SUCCESS)
        return;
    unsigned char *const data = malloc(LONGEST * s->in_bytes), *const expected =
                                                                   malloc(LONGEST * s->out_bytes);
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; ++k) {
        const size_t n = lengths[k];
        segments whole = segments_draw(s->desc.segments, s->desc.segment_type, n, mean, &random);
        s->fill(data, n * s->in_bytes, &random);
        expect(core, s, n, data, &whole, expected);
        for (int way = 0; way < TEST_WAYS; ++way) {
            compare(plan, s, n, way, data, &whole, expected, false, way % 2);
            if (s->in_bytes == s->out_bytes && n > 1)
                compare(plan, s, n, way, data, &whole, expected, true, !(way % 2));
        }
        segments_free(&whole);
    }
    free(data);
    free(expected);
    xl_plan_destroy(core);
    xl_mpi_plan_destroy(plan);
}

static shape u32_sum(void)
{
    shape s = {.in_bytes = 4, .out_bytes = 4, .fill = fill_bytes};
    xl_scan_desc_init(&s.desc);
    return s;
}

/* ---- types and operators ---- */

static void a_sum_of_u32(void)
{
    shape s = u32_sum();
    try(&s, test_mpi, 0);
    s.desc.kind = XL_INCLUSIVE;
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
    s.desc.kind = XL_INCLUSIVE;
    s.fill = fill_odd_floats;
    try(&s, test_mpi, 0);
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

static void vectors_are_scanned_lane_by_lane(void)
{
    shape s = u32_sum();
    s.desc.type = XL_I16X4;
    s.desc.op = XL_MAX;
    s.in_bytes = s.out_bytes = 8;
    try(&s, test_mpi, 0);
}

/* i counts the whole array; a member named i and a literal are no index. */
static void expressions_see_the_index_in_the_whole_array(void)
{
    static const xl_user_type cell = {"cell", 8, 4, "typedef struct { uint i, k; } cell;"};
    static const xl_param params[] = {{"scale", XL_U32}, {"plus", XL_I64}};
    shape s = u32_sum();
    s.desc.type = XL_U64;
    s.desc.load_type = XL_USER_TYPE;
    s.desc.user_load_type = &cell;
    s.desc.load = "x . i * scale + i * (x.k & 0xff) + (i % 3 == 0 ? 'i' : (ulong)plus)";
    s.desc.store = "x ^ (i << 7) ^ plus";
    s.desc.num_params = 2;
    s.desc.params = params;
    s.params[0] = &(const uint32_t){77};
    s.params[1] = &(const int64_t){-5};
    s.in_bytes = s.out_bytes = 8;
    try(&s, test_mpi, 0);
    s.desc.load = "x.k";
    try(&s, test_mpi, 0);
}

/* x -> a x + b modulo 2^32: does not commute. */
static const xl_user_type line = {"line", 8, 4, "typedef struct { uint a, b; } line;"};
static const uint32_t line_identity[] = {1, 0};
static const xl_user_op then = {"then",
                                "line then(line f, line g)\n"
                                "{ line h = { f.a * g.a, g.a * f.b + g.b }; return h; }",
                                line_identity, XL_OP_STRICTLY_ASSOCIATIVE};

static shape lines(void)
{
    shape s = u32_sum();
    s.desc.type = XL_USER_TYPE;
    s.desc.user_type = &line;
    s.desc.op = XL_USER_OP;
    s.desc.user_op = &then;
    s.in_bytes = s.out_bytes = 8;
    return s;
}

static void operands_keep_their_order(void)
{
    shape s = lines();
    try(&s, test_mpi, 0);
    s.desc.init = &(const uint32_t[]){3, 4};
    try(&s, test_mpi, 0);
    s.desc.segments = XL_SEGMENTS_HEAD_FLAGS;
    s.desc.kind = XL_INCLUSIVE;
    try(&s, test_mpi, 4000);
}

/* The first of a, the last of b: no identity. The flag of a carry is as wide as the alignment. */
static void operators_without_identity(void)
{
    static const xl_user_type ends[] = {{"ends1", 2, 1, "typedef struct { uchar a, b; } ends1;"},
                                        {"ends2", 4, 2, "typedef struct { ushort a, b; } ends2;"},
                                        {"ends4", 8, 4, "typedef struct { uint a, b; } ends4;"}};
    static const xl_user_op outer[] = {
        {"outer", "ends1 outer(ends1 f, ends1 g) { ends1 h = { f.a, g.b }; return h; }", NULL, 2},
        {"outer", "ends2 outer(ends2 f, ends2 g) { ends2 h = { f.a, g.b }; return h; }", NULL, 2},
        {"outer", "ends4 outer(ends4 f, ends4 g) { ends4 h = { f.a, g.b }; return h; }", NULL, 2}};
    for (size_t k = 0; k < 3; ++k) {
        shape s = lines();
        s.desc.user_type = &ends[k];
        s.desc.user_op = &outer[k];
        s.desc.kind = XL_INCLUSIVE;
        s.in_bytes = s.out_bytes = ends[k].size;
        try(&s, test_mpi, 0);
        s.desc.segments = XL_SEGMENTS_HEAD_FLAGS;
        if (k == 1)
            try(&s, test_mpi, 3000);
        s.desc.init = &(const uint32_t[]){3, 4};
        s.desc.kind = XL_EXCLUSIVE;
        if (k == 2)
            try(&s, test_mpi, 3000);
    }
}

static void init_may_be_on_the_device(void)
{
    shape s = u32_sum();
    const uint32_t init[] = {0, 99};
    const cl_mem buffer = test_buffer(sizeof init, init);
    s.desc.init_view = xl_view_of(buffer, 1);
    s.desc.segments = XL_SEGMENTS_HEAD_FLAGS;
    try(&s, test_mpi, 3000);
    clReleaseMemObject(buffer);
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
    by_kind(XL_SEGMENTS_KEYS, XL_I8);
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

enum { UNIT = 1 << 18 }; /* as docs/mpi.md says */
static const size_t unit_lengths[] = {0, 1000, 2 * UNIT, 2 * UNIT + 777};

static void fill_fractions(void *to, size_t bytes, uint64_t *random)
{
    for (size_t i = 0; i < bytes / 4; ++i)
        ((float *)to)[i] = (float)(test_random(random) % 1000003) / 1000003.0f;
}

/* Results of floats within 0.1 %: sums in another order. */
static bool is_near(const float *a, const float *b, size_t n)
{
    bool near = true;
    for (size_t i = 0; i < n; ++i)
        near = near && fabsf(a[i] - b[i]) <= 1e-3f * fabsf(b[i]);
    return near;
}

/* The bits are those of one rank, which has the communicator MPI_COMM_SELF, for all divisions. Those of one
 * unit are those of the core library, unless init is given and the first element has no head. */
static void try_units(shape *s, size_t mean)
{
    uint64_t random = 3 + s->desc.segments;
    const bool other_bits =
        s->desc.segments == XL_SEGMENTS_HEAD_FLAGS || s->desc.segments == XL_SEGMENTS_KEYS;
    xl_mpi *self = NULL;
    xl_plan *core = NULL;
    xl_mpi_plan *one = NULL, *plan = NULL;
    s->desc.determinism = XL_REPRODUCIBLE;
    CHECK(xl_scan_create(test_ctx, &s->desc, &core) == XL_SUCCESS);
    CHECK(xl_mpi_create(test_ctx, MPI_COMM_SELF, NULL, &self) == XL_SUCCESS);
    CHECK(xl_mpi_scan_create(self, &s->desc, &one) == XL_SUCCESS);
    if (!SUCCEEDS(xl_mpi_scan_create(test_mpi, &s->desc, &plan)) || !one || !core)
        return;
    for (size_t k = 0; k < sizeof unit_lengths / sizeof unit_lengths[0]; ++k) {
        const size_t n = unit_lengths[k];
        unsigned char *const data = malloc(n * s->in_bytes + 1),
                             *const expected = malloc(n * s->out_bytes + 1),
                             *const rough = malloc(n * s->out_bytes + 1);
        segments whole = segments_draw(s->desc.segments, s->desc.segment_type, n, mean, &random);
        s->fill(data, n * s->in_bytes, &random);
        expect(core, s, n, data, &whole, rough);
        const cl_mem in = test_buffer(n * s->in_bytes, data),
                     heads = test_buffer(whole.count * whole.bytes, whole.array);
        xl_scan_args args = {.n = n,
                             .in = xl_view_of(in, 0),
                             .segments = segments_view(&whole, heads),
                             .out = xl_view_of(in, 0)};
        CHECK(xl_mpi_scan(one, test_queue, &args, 0, NULL, NULL) == XL_SUCCESS);
        test_read(in, n * s->out_bytes, expected);
        CHECK(s->desc.type != XL_F32 || is_near((void *)expected, (void *)rough, n));
        CHECK(n > UNIT || other_bits || memcmp(expected, rough, n * s->out_bytes) == 0);
        for (int way = 0; way < TEST_WAYS; ++way)
            compare(plan, s, n, way, data, &whole, expected, way % 2, way > 1);
        clReleaseMemObject(in);
        clReleaseMemObject(heads);
        segments_free(&whole);
        free(data);
        free(expected);
        free(rough);
    }
    xl_plan_destroy(core);
    xl_mpi_plan_destroy(one);
    xl_mpi_plan_destroy(plan);
    xl_mpi_destroy(self);
}

static void bits_do_not_depend_on_ranks(void)
{
    shape s = u32_sum();
    s.desc.type = XL_F32;
    s.fill = fill_fractions;
    try_units(&s, 0);
    s.desc.kind = XL_INCLUSIVE;
    s.desc.load = "x + (i >> 16) * 0.1f";
    s.desc.init = &(const float){0.3f};
    s.desc.segments = XL_SEGMENTS_KEYS;
    s.desc.segment_type = XL_U32;
    try_units(&s, 200000);
    s.desc.segments = XL_SEGMENTS_HEAD_FLAGS;
    s.desc.segment_type = XL_NONE;
    try_units(&s, 100000);
    s.desc.segments = XL_SEGMENTS_WIDTH;
    s.desc.segment_width = 300007;
    try_units(&s, 0);
    s.desc.segment_width = 0;
    s.desc.segments = XL_SEGMENTS_FLAG_BITMASK;
    try_units(&s, 0);
    try_units(&s, 100000);
    s.desc.segments = XL_SEGMENTS_OFFSETS;
    s.desc.segment_type = XL_U32;
    try_units(&s, 9);
    s.desc.segment_type = XL_U64;
    s.desc.kind = XL_EXCLUSIVE;
    try_units(&s, 100000);
}

/* An operator without identity that rounds: the sum of a weight, and the last value. */
static void units_of_an_operator_without_identity(void)
{
    static const xl_user_type pair = {"pair", 8, 4, "typedef struct { float a, b; } pair;"};
    static const xl_user_op op = {
        "add", "pair add(pair f, pair g) { pair h = { f.a + g.a, g.b }; return h; }", NULL, 0};
    shape s = lines();
    s.desc.user_type = &pair;
    s.desc.user_op = &op;
    s.desc.kind = XL_INCLUSIVE;
    s.fill = fill_fractions;
    try_units(&s, 0);
}

/* ---- settings and failures ---- */

static void messages_may_be_short(void)
{
    xl_mpi *mpi = NULL;
    xl_mpi_desc desc;
    shape s = u32_sum();
    xl_mpi_desc_init(&desc);
    desc.chunk_bytes = 1000;
    if (SUCCEEDS(xl_mpi_create(test_ctx, MPI_COMM_WORLD, &desc, &mpi)))
        try(&s, mpi, 0);
    xl_mpi_destroy(mpi);
}

/* Whether the last error is of `rank` and begins with `text`. */
static void descriptors_are_compared_and_checked(void)
{
    const int last = test_size - 1;
    const bool here = test_rank == last;
    xl_mpi_plan *plan = NULL;
    shape s = u32_sum();
    s.desc.carry = here;
    CHECK(xl_mpi_scan_create(test_mpi, &s.desc, &plan) == XL_ERROR_INVALID_ARGUMENT);
    CHECK(plan == NULL && test_says(test_mpi, last, "desc.carry: 1"));
    CHECK(xl_mpi_scan_create(test_mpi, here ? NULL : &s.desc, &plan) == XL_ERROR_INVALID_ARGUMENT);
    CHECK(xl_mpi_scan_create(test_mpi, &s.desc, here ? NULL : &plan) == XL_ERROR_INVALID_ARGUMENT);
    s = u32_sum();
    s.desc.type = XL_NONE;
    CHECK(xl_mpi_scan_create(test_mpi, &s.desc, &plan) == XL_ERROR_INVALID_ARGUMENT);
    CHECK(plan == NULL && test_says(test_mpi, 0, "desc.type"));
    if (test_size == 1)
        return;
    static const struct {
        const char *name, *load;
        uint32_t type, kind;
    } other[] = {{"desc.type:", NULL, XL_I32, 0},
                 {"desc.kind:", NULL, XL_U32, 1},
                 {"desc.load:", "x * 2", XL_U32, 0}};
    for (size_t k = 0; k < 3; ++k) {
        s = u32_sum();
        s.desc.type = here ? other[k].type : XL_U32;
        s.desc.kind = here ? other[k].kind : XL_EXCLUSIVE;
        s.desc.load = here ? other[k].load : NULL;
        CHECK(xl_mpi_scan_create(test_mpi, &s.desc, &plan) == XL_ERROR_INVALID_ARGUMENT);
        CHECK(plan == NULL && test_says(test_mpi, last, other[k].name));
    }
}

/* One argument is wrong on the last rank; no rank's output is written. */
static void arguments_are_checked(void)
{
    enum { N = 100, CASES = 11 };
    static const char *const texts[CASES] = {
        "args.first_index", "args.n_device", "args.carry_in",  "args.scratch", "args.in",
        "args.out",         "args.segments", "args.params[0]", "queue",        "args.head_out",
        "args.carry_out",
    };
    uint32_t zeros[2 * N] = {0}, ones[2 * N];
    xl_mpi_plan *plan = NULL;
    shape s = u32_sum();
    cl_event event;
    for (size_t i = 0; i < 2 * N; ++i)
        ones[i] = 1;
    const cl_mem in = test_buffer(sizeof ones, ones), out = test_buffer(sizeof zeros, zeros);
    if (!SUCCEEDS(xl_mpi_scan_create(test_mpi, &s.desc, &plan)))
        return;
    for (int k = 0; k < CASES; ++k) {
        xl_scan_args args = {.n = N, .in = xl_view_of(in, 0), .out = xl_view_of(out, 0)};
        cl_command_queue queue = test_queue;
        if (test_rank == test_size - 1) {
            args.first_index = k == 0;
            args.n_device = k == 1 ? args.in : xl_no_view();
            args.carry_in = k == 2 ? args.in : xl_no_view();
            args.scratch = k == 3 ? args.in : xl_no_view();
            args.in = k == 4 ? xl_no_view() : args.in;
            args.out = k == 5 ? xl_view_of(out, N + 1) : args.out;
            args.segments = k == 6 ? args.in : xl_no_view();
            args.params[0] = k == 7 ? zeros : NULL;
            queue = k == 8 ? NULL : queue;
            args.head_out = k == 9 ? xl_view_of(in, 0) : xl_no_view();
            args.carry_out = k == 10 ? xl_view_of(in, 0) : xl_no_view();
        }
        CHECK(xl_mpi_scan(plan, queue, &args, 0, NULL, &event) == XL_ERROR_INVALID_ARGUMENT);
        CHECK(event == NULL && test_says(test_mpi, test_size - 1, texts[k]));
    }
    xl_scan_args args = {.n = N, .in = xl_view_of(in, 0), .out = xl_view_of(out, 0)};
    if (test_rank == test_size - 1)
        args.out = xl_view_of(in, 1);
    CHECK(xl_mpi_scan(plan, test_queue, &args, 0, NULL, NULL) == XL_ERROR_OVERLAP);
    test_read(out, sizeof ones, ones);
    CHECK(memcmp(ones, zeros, sizeof ones) == 0);
    CHECK(xl_mpi_scan(NULL, test_queue, &args, 0, NULL, NULL) == XL_ERROR_INVALID_ARGUMENT);
    xl_mpi_plan_destroy(plan);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

static void offsets_must_end_at_n(void)
{
    shape s = u32_sum();
    xl_mpi_plan *plan = NULL;
    const uint32_t offsets[] = {0, 7, 9};
    const cl_mem data = test_buffer(400, NULL), heads = test_buffer(sizeof offsets, offsets);
    s.desc.segments = XL_SEGMENTS_OFFSETS;
    s.desc.segment_type = XL_U32;
    if (test_size > 1 && SUCCEEDS(xl_mpi_scan_create(test_mpi, &s.desc, &plan))) {
        const xl_scan_args args = {.n = test_rank == 0 ? 8 : 9,
                                   .in = xl_view_of(data, 0),
                                   .segments = xl_view_n(heads, 0, 3),
                                   .out = xl_view_of(data, 0)};
        CHECK(xl_mpi_scan(plan, test_queue, &args, 0, NULL, NULL) == XL_ERROR_INVALID_ARGUMENT);
        CHECK(test_says(test_mpi, 0, "args.segments: offsets from 0 to 7, then 9"));
        xl_mpi_plan_destroy(plan);
    }
    clReleaseMemObject(data);
    clReleaseMemObject(heads);
}

typedef struct attempt {
    cl_mem in, out;
    bool units;
} attempt;

/* Creation and one call on `mpi`. */
static xl_status create_and_scan(xl_mpi *mpi, void *user)
{
    const attempt *const a = user;
    const bool units = a->units;
    xl_mpi_plan *plan = NULL;
    xl_scan_desc desc;
    cl_event event = NULL;
    xl_scan_desc_init(&desc);
    desc.segments = XL_SEGMENTS_KEYS;
    desc.segment_type = XL_U32;
    desc.type = units ? XL_F32 : XL_U32;
    desc.determinism = units ? XL_REPRODUCIBLE : XL_DETERMINISTIC;
    xl_status status = xl_mpi_scan_create(mpi, &desc, &plan);
    CHECK((status == XL_SUCCESS) == (plan != NULL));
    if (status != XL_SUCCESS)
        return status;
    const xl_view view = xl_view_of(a->in, 0);
    status = xl_mpi_scan(
        plan, test_queue,
        &(xl_scan_args){.n = 10, .in = view, .segments = view, .out = xl_view_of(a->out, 0)}, 0,
        NULL, &event);
    CHECK((status == XL_SUCCESS) == (event != NULL));
    if (event)
        clReleaseEvent(event);
    xl_mpi_plan_destroy(plan);
    return status;
}

static void each_step_may_fail_of(bool units)
{
    attempt a = {test_buffer(40, NULL), test_buffer(40, NULL), units};
    const int failed = test_each_failure(test_size - 1, create_and_scan, &a);
    CHECK(failed >= 4 && failed < 39);
    clReleaseMemObject(a.in);
    clReleaseMemObject(a.out);
}

static void each_step_may_fail(void)
{
    each_step_may_fail_of(false);
    each_step_may_fail_of(true);
}

/* On a queue that is out of order, behind an event that is not complete. */
static void waits_and_events(void)
{
    enum { N = 5000 };
    static uint32_t data[N], result[N];
    xl_mpi_plan *plan = NULL;
    shape s = u32_sum();
    cl_event written = NULL, scanned = NULL;
    cl_int code;
    const cl_command_queue queue =
        clCreateCommandQueue(xl_context_cl(test_ctx), xl_context_device(test_ctx),
                             CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code != CL_SUCCESS)
        return;
    const cl_mem buffer = test_buffer(sizeof data, NULL);
    for (size_t i = 0; i < N; ++i)
        data[i] = 1;
    if (SUCCEEDS(xl_mpi_scan_create(test_mpi, &s.desc, &plan))) {
        const xl_view view = xl_view_of(buffer, 0);
        CHECK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof data, data, 0, NULL,
                                   &written) == CL_SUCCESS);
        SUCCEEDS(xl_mpi_scan(plan, queue, &(xl_scan_args){.n = N, .in = view, .out = view}, 1,
                             &written, &scanned));
        CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof result, result, 1, &scanned,
                                  NULL) == CL_SUCCESS);
        CHECK(result[0] == N * (uint32_t)test_rank && result[N - 1] == result[0] + N - 1);
        clReleaseEvent(written);
        clReleaseEvent(scanned);
    }
    xl_mpi_plan_destroy(plan);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
}

MPI_TEST_MAIN({"a_sum_of_u32", a_sum_of_u32},
              {"floats_keep_the_rules_of_zero_and_nan", floats_keep_the_rules_of_zero_and_nan},
              {"arrays_of_other_types_are_converted", arrays_of_other_types_are_converted},
              {"vectors_are_scanned_lane_by_lane", vectors_are_scanned_lane_by_lane},
              {"expressions_see_the_index_in_the_whole_array",
               expressions_see_the_index_in_the_whole_array},
              {"operands_keep_their_order", operands_keep_their_order},
              {"operators_without_identity", operators_without_identity},
              {"init_may_be_on_the_device", init_may_be_on_the_device},
              {"segments_by_flags", segments_by_flags}, {"segments_by_bits", segments_by_bits},
              {"segments_by_keys", segments_by_keys}, {"segments_by_offsets", segments_by_offsets},
              {"segments_by_width_and_mask", segments_by_width_and_mask},
              {"bits_do_not_depend_on_ranks", bits_do_not_depend_on_ranks},
              {"units_of_an_operator_without_identity", units_of_an_operator_without_identity},
              {"messages_may_be_short", messages_may_be_short},
              {"descriptors_are_compared_and_checked", descriptors_are_compared_and_checked},
              {"arguments_are_checked", arguments_are_checked},
              {"offsets_must_end_at_n", offsets_must_end_at_n},
              {"each_step_may_fail", each_step_may_fail}, {"waits_and_events", waits_and_events})
