/* SPDX-License-Identifier: MIT
 * Transforms against plain C: maps of up to four inputs of several types, gathers and scatters with
 * indices out of range, neighbours in place and out of place; both shapes. */
#include "reference.h"
#include "xlt.h"

#include <stdlib.h>
#include <string.h>

static void *room(size_t bytes)
{
    void *memory = calloc(bytes + 1, 1);
    assert_non_null(memory);
    return memory;
}

static xl_transform *plan_of(const xl_transform_desc *desc)
{
    xl_transform *plan = NULL;
    if (xl_transform_create(xlt_context(), desc, &plan) != XL_SUCCESS)
        XLT_FAIL("%.600s", xl_context_error(xlt_context()));
    return plan;
}

static void run(xl_transform *plan, const xl_transform_args *args)
{
    cl_event event = NULL;
    if (xl_transform_enqueue(plan, xlt_queue(), args, 0, NULL, &event) != XL_SUCCESS)
        XLT_FAIL("n %zu: %.600s", args->n, xl_context_error(xlt_context()));
    XLT_CL(clWaitForEvents(1, &event));
    XLT_CL(clReleaseEvent(event));
}

/* What stands in a buffer, and that nothing beside it was written. */
static void holds(const xlt_buffer *b, const void *want, const char *what)
{
    unsigned char *got = room(b->n * b->size);
    xlt_read(b, got);
    for (size_t i = 0; i < b->n; ++i)
        if (memcmp(got + i * b->size, (const char *)want + i * b->size, b->size) != 0)
            XLT_FAIL("%s: element %zu of %zu is wrong", what, i, b->n);
    xlt_check_guards(b, what);
    free(got);
}

static const size_t sizes[] = {0, 1, 2, 15, 33, 255, 257, 1023, 1025, 4099, 70001};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static bool too_long(size_t n)
{
    return n > (xlt_on_oclgrind() ? 300u : xlt_small() ? 1100u : SIZE_MAX);
}

/* The built-in shape, work-groups, and one work-item with short chunks. */
static const xl_tunable shapes[][4] = {
    {{"transform.stream_kib", 8192},
     {"transform.stream_kib", 8192},
     {"transform.stream_kib", 8192},
     {"transform.stream_kib", 8192}},
    {{"transform.serial", 0},
     {"transform.group", 64},
     {"transform.items", 2},
     {"transform.stream_kib", 0}},
    {{"transform.serial", 1},
     {"transform.chunk", 600},
     {"transform.items", 1},
     {"transform.stream_kib", 1}},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void set_shape(xl_transform_desc *desc, size_t shape)
{
    desc->tunables = shapes[shape];
    desc->num_tunables = 4;
}

/* ---- maps ---- */

/* A copy of each element type, at any offset. */
static void copies_of_every_type(void **state)
{
    (void)state;
    static const xl_user_type three = {"three", 3, 1, "typedef struct { uchar a[3]; } three;"};
    const xl_type types[] = {XL_U8,  XL_I16,  XL_F32,   XL_U64,   XL_F64,
                             XL_F16, XL_U8X3, XL_F32X4, XL_U16X2, XL_USER_TYPE};
    const size_t bytes[] = {1, 2, 4, 8, 8, 2, 4, 16, 4, 3};
    for (size_t t = 0; t < sizeof types / sizeof types[0] * SHAPES; ++t) {
        const xl_type type = types[t / SHAPES];
        const size_t size = bytes[t / SHAPES];
        if (xlt_few_programs() && t / SHAPES % SHAPES != t % SHAPES)
            continue;
        xl_transform_desc desc;
        xl_transform *plan;
        xl_transform_desc_init(&desc);
        desc.types[0] = type;
        desc.user_types[0] = type == XL_USER_TYPE ? &three : NULL;
        set_shape(&desc, t % SHAPES);
        const xl_status status = xl_transform_create(xlt_context(), &desc, &plan);
        if (status == XL_ERROR_UNSUPPORTED)
            continue;
        if (status != XL_SUCCESS)
            XLT_FAIL("%s: %.900s", xl_type_name(type), xl_context_error(xlt_context()));
        for (size_t s = 0; s < SIZES && !too_long(sizes[s]); ++s) {
            unsigned char *values = room(sizes[s] * size);
            for (size_t i = 0; i < sizes[s] * size; ++i)
                values[i] = (unsigned char)(type == XL_U8X3 && i % 4 == 3 ? 0 : i * 7 + i / 251);
            for (size_t i = 0; i < sizes[s] * size && size < 16; ++i)
                values[i] &= 0x3f; /* no NaN, whose bits may change */
            xlt_buffer in = xlt_buffer_make(values, sizes[s], size, s % 5),
                       out = xlt_buffer_make(NULL, sizes[s], size, s % 3);
            run(plan, &(xl_transform_args){
                          .n = sizes[s], .in = {xlt_view(&in)}, .out = {xlt_view(&out)}});
            if (type != XL_U8X3) /* what stands in the fourth byte is nobody's */
                holds(&out, values, xl_type_name(type));
            xlt_buffer_free(&in);
            xlt_buffer_free(&out);
            free(values);
        }
        xl_transform_destroy(plan);
    }
}

/* Four inputs of four types, and the index; the last of them in place. */
static void four_inputs(void **state)
{
    (void)state;
    for (size_t shape = 0; shape < SHAPES; ++shape) {
        xl_transform_desc desc;
        xl_transform_desc_init(&desc);
        desc.num_arrays = 4;
        const uint32_t types[4] = {XL_U8, XL_I32, XL_U64, XL_U32};
        memcpy(desc.types, types, sizeof types);
        desc.out_type = XL_U32;
        desc.expression = "(uint)x + (uint)(y * 3) + (uint)(z >> 7) + w * 5u + (uint)i";
        set_shape(&desc, shape);
        xl_transform *plan = plan_of(&desc);
        for (size_t s = 0; s < SIZES && !too_long(sizes[s]); ++s) {
            const size_t n = sizes[s];
            const bool in_place = s % 2, cut = s % 3 == 2;
            const uint64_t length = n / 2;
            uint8_t *x = room(n);
            int32_t *y = room(4 * n);
            uint64_t *z = room(8 * n);
            uint32_t *w = room(4 * n), *want = room(4 * n);
            xlt_random random = {7 + s};
            for (size_t i = 0; i < n; ++i) {
                const uint64_t some = xlt_next(&random);
                x[i] = (uint8_t)some;
                y[i] = (int32_t)(some >> 40) - 1000000;
                z[i] = some * 977;
                w[i] = (uint32_t)(some >> 8);
                want[i] =
                    x[i] + (uint32_t)(y[i] * 3) + (uint32_t)(z[i] >> 7) + w[i] * 5u + (uint32_t)i;
            }
            xlt_buffer in[4] = {xlt_buffer_make(x, n, 1, s % 4), xlt_buffer_make(y, n, 4, 0),
                                xlt_buffer_make(z, n, 8, s % 2), xlt_buffer_make(w, n, 4, s % 3)},
                       other = xlt_buffer_make(w, n, 4, 0),
                       number = xlt_buffer_make(&length, 1, 8, 0);
            xlt_buffer *out = in_place ? &in[3] : &other;
            run(plan, &(xl_transform_args){.n = n,
                                           .n_device = cut ? xlt_view(&number) : xl_no_view(),
                                           .in = {xlt_view(&in[0]), xlt_view(&in[1]),
                                                  xlt_view(&in[2]), xlt_view(&in[3])},
                                           .out = {xlt_view(out)}});
            if (cut)
                memcpy(want + length, w + length, 4 * (n - length));
            holds(out, want, "four inputs");
            for (size_t k = 0; k < 4; ++k)
                xlt_buffer_free(&in[k]);
            xlt_buffer_free(&other);
            xlt_buffer_free(&number);
            free(x), free(y), free(z), free(w), free(want);
        }
        xl_transform_destroy(plan);
    }
}

/* No input at all, and one of a struct. */
static void numbers_from_the_index(void **state)
{
    (void)state;
    enum { N = 1000 };
    xl_transform_desc desc;
    uint64_t want[N];
    xl_transform_desc_init(&desc);
    desc.num_arrays = 0;
    desc.types[0] = XL_NONE;
    desc.out_type = XL_U64;
    desc.expression = "i * i + 1";
    xl_transform *plan = plan_of(&desc);
    xlt_buffer out = xlt_buffer_make(NULL, N, 8, 1);
    for (uint64_t i = 0; i < N; ++i)
        want[i] = i * i + 1;
    run(plan, &(xl_transform_args){.n = N, .out = {xlt_view(&out)}});
    holds(&out, want, "squares");
    xl_transform_destroy(plan);
    xlt_buffer_free(&out);
}

typedef struct point {
    float x, y;
    uint32_t id;
} point;

static void structs_by_an_expression(void **state)
{
    (void)state;
    static const xl_user_type type = {"point", sizeof(point), 4,
                                      "typedef struct { float x, y; uint id; } point;"};
    enum { N = 700 };
    point points[N];
    uint32_t want[N];
    xl_transform_desc desc;
    xl_transform_desc_init(&desc);
    desc.types[0] = XL_USER_TYPE;
    desc.user_types[0] = &type;
    desc.out_type = XL_U32;
    desc.expression = "x.y > x.x ? x.id : 0u";
    for (uint32_t i = 0; i < N; ++i) {
        points[i] = (point){(float)(i % 7), (float)(i % 5), i};
        want[i] = points[i].y > points[i].x ? i : 0;
    }
    xl_transform *plan = plan_of(&desc);
    xlt_buffer in = xlt_buffer_make(points, N, sizeof *points, 1),
               out = xlt_buffer_make(NULL, N, 4, 0);
    run(plan, &(xl_transform_args){.n = N, .in = {xlt_view(&in)}, .out = {xlt_view(&out)}});
    holds(&out, want, "structs");
    xl_transform_destroy(plan);
    xlt_buffer_free(&in);
    xlt_buffer_free(&out);
    desc.expression = "x.no_such";
    XLT_FAILS(xl_transform_create(xlt_context(), &desc, &plan), XL_ERROR_BUILD);
    assert_non_null(strstr(xl_context_error(xlt_context()), "no_such"));
}

/* ---- moves ---- */

/* Elements of 4, 8, 24 and 3 bytes by one list of indices, some of which lead nowhere. */
static void gathers_and_scatters(void **state)
{
    (void)state;
    static const xl_user_type big = {"big", 24, 8, ""}, odd = {"odd", 3, 1, ""};
    for (size_t p = 0; p < 4; ++p) {
        const bool wide = p % 2, gather = p / 2;
        xl_transform_desc desc;
        xl_transform_desc_init(&desc);
        const uint32_t types[4] = {XL_F32, XL_F64, XL_USER_TYPE, XL_USER_TYPE};
        const size_t bytes[4] = {4, 8, 24, 3};
        desc.kind = gather ? XL_TRANSFORM_GATHER : XL_TRANSFORM_SCATTER;
        desc.num_arrays = 4;
        desc.index_type = wide ? XL_U64 : XL_U32;
        memcpy(desc.types, types, sizeof types);
        desc.user_types[2] = &big;
        desc.user_types[3] = &odd;
        xl_transform *plan = plan_of(&desc);
        for (size_t s = 0; s < SIZES && !too_long(sizes[s]); ++s) {
            const size_t n = sizes[s], range = n + n / 3 + 1;
            uint64_t *indices = room(8 * n);
            uint32_t *narrow = room(4 * n);
            /* A permutation of the lower places, of which every seventh leads nowhere. */
            for (size_t i = 0; i < n; ++i) {
                indices[i] = i % 7 == 3 ? range + i * (wide ? UINT64_C(1) << 40 : 1)
                                        : (i * 2 < n ? i * 2 : (i - (n + 1) / 2) * 2 + 1);
                narrow[i] = (uint32_t)indices[i];
            }
            xlt_buffer index =
                xlt_buffer_make(wide ? (void *)indices : (void *)narrow, n, wide ? 8 : 4, s % 3);
            xlt_buffer in[4], out[4];
            unsigned char *want[4];
            const size_t from = gather ? range : n, to = gather ? n : range;
            for (size_t k = 0; k < 4; ++k) {
                unsigned char *values = room(from * bytes[k]);
                want[k] = room(to * bytes[k]);
                for (size_t i = 0; i < from * bytes[k]; ++i)
                    values[i] = (unsigned char)(i * 11 + i / 250 + k);
                memset(want[k], 0x5a, to * bytes[k]);
                in[k] = xlt_buffer_make(values, from, bytes[k], k);
                out[k] = xlt_buffer_make(want[k], to, bytes[k], s % 4);
                if (gather)
                    ref_gather(bytes[k], n, indices, range, values, want[k]);
                else
                    ref_scatter(bytes[k], n, indices, range, values, want[k]);
                free(values);
            }
            xl_transform_args args = {.n = n, .range = range, .indices = xlt_view(&index)};
            for (size_t k = 0; k < 4; ++k) {
                args.in[k] = xlt_view(&in[k]);
                args.out[k] = xlt_view(&out[k]);
            }
            run(plan, &args);
            for (size_t k = 0; k < 4; ++k) {
                holds(&out[k], want[k], gather ? "gathered" : "scattered");
                xlt_buffer_free(&in[k]);
                xlt_buffer_free(&out[k]);
                free(want[k]);
            }
            xlt_buffer_free(&index);
            free(indices);
            free(narrow);
        }
        xl_transform_destroy(plan);
    }
}

/* ---- neighbours ---- */

static void difference(void *to, const void *x, const void *p, uint64_t i)
{
    uint32_t a, b;
    (void)i;
    memcpy(&a, x, 4);
    memcpy(&b, p, 4);
    a -= b;
    memcpy(to, &a, 4);
}

static void mixed(void *to, const void *x, const void *p, uint64_t i)
{
    uint64_t a, b;
    memcpy(&a, x, 8);
    memcpy(&b, p, 8);
    a = a * 3 ^ (b + i);
    memcpy(to, &a, 8);
}

/* Each size in place and out of place, with scratch given and the plan's own. */
static void neighbours(void **state)
{
    (void)state;
    for (size_t p = 0; p < 2 * SHAPES; ++p) {
        const bool wide = p % 2;
        const size_t size = wide ? 8 : 4;
        xl_transform_desc desc;
        xl_transform_desc_init(&desc);
        desc.kind = XL_TRANSFORM_ADJACENT;
        desc.types[0] = wide ? XL_U64 : XL_U32;
        desc.expression = wide ? "(x * 3) ^ (p + i)" : NULL;
        set_shape(&desc, p / 2);
        xl_transform *plan = plan_of(&desc);
        for (size_t s = 0; s < 2 * SIZES && !too_long(sizes[s / 2]); ++s) {
            const size_t n = sizes[s / 2];
            const bool in_place = s % 2, given = s % 4 == 1;
            size_t bytes, alignment;
            unsigned char *values = room(n * size), *want = room(n * size);
            for (size_t i = 0; i < n * size; ++i)
                values[i] = (unsigned char)(i * i + i / 253);
            ref_adjacent(size, n, wide ? mixed : difference, values, want);
            xlt_buffer in = xlt_buffer_make(values, n, size, s % 3),
                       other = xlt_buffer_make(NULL, n, size, 1);
            xlt_buffer *out = in_place ? &in : &other;
            XLT_OK(xl_transform_scratch(plan, n, &bytes, &alignment));
            assert_true(bytes <= n * size / 100 + 1024);
            xlt_buffer scratch = xlt_scratch_make(bytes, alignment);
            run(plan, &(xl_transform_args){.n = n,
                                           .in = {xlt_view(&in)},
                                           .out = {xlt_view(out)},
                                           .scratch = given ? xlt_view(&scratch) : xl_no_view()});
            holds(out, want, in_place ? "neighbours in place" : "neighbours");
            if (scratch.mem) {
                xlt_check_guards(&scratch, "scratch");
                xlt_buffer_free(&scratch);
            }
            xlt_buffer_free(&in);
            xlt_buffer_free(&other);
            free(values);
            free(want);
        }
        xl_transform_destroy(plan);
    }
}

/* Another type than the input's: the first element stands before itself. */
static void neighbours_of_another_type(void **state)
{
    (void)state;
    enum { N = 300 };
    uint8_t values[N], want[N];
    xl_transform_desc desc;
    xl_transform_desc_init(&desc);
    desc.kind = XL_TRANSFORM_ADJACENT;
    desc.types[0] = XL_U32;
    desc.out_type = XL_U8;
    desc.expression = "i == 0 || x != p";
    uint32_t keys[N];
    for (uint32_t i = 0; i < N; ++i) {
        keys[i] = i * i / 977;
        values[i] = want[i] = i == 0 || keys[i] != keys[i - 1];
    }
    xl_transform *plan = plan_of(&desc);
    xlt_buffer in = xlt_buffer_make(keys, N, 4, 0), out = xlt_buffer_make(NULL, N, 1, 3);
    run(plan, &(xl_transform_args){.n = N, .in = {xlt_view(&in)}, .out = {xlt_view(&out)}});
    holds(&out, values, "head flags");
    xl_transform_destroy(plan);
    xlt_buffer_free(&in);
    xlt_buffer_free(&out);
}

/* Arrays of just the bytes that they need. */
static void at_the_edges_of_memory(void **state)
{
    (void)state;
    for (size_t p = 0; xlt_place_closely(p); ++p)
        for (size_t s = 1; s < 8 && !too_long(sizes[s]); ++s) {
            const size_t n = sizes[s];
            uint32_t *values = room(4 * n), *want = room(4 * n);
            xl_transform_desc desc;
            xl_transform_desc_init(&desc);
            desc.types[0] = XL_U32;
            desc.kind = s % 2 ? XL_TRANSFORM_ADJACENT : XL_TRANSFORM_MAP;
            set_shape(&desc, s % SHAPES);
            for (size_t i = 0; i < n; ++i)
                values[i] = want[i] = (uint32_t)(i * i);
            if (s % 2)
                ref_adjacent(4, n, difference, values, want);
            xl_transform *plan = plan_of(&desc);
            xlt_buffer in = xlt_buffer_make(values, n, 4, 0), out = xlt_buffer_make(NULL, n, 4, 0);
            run(plan, &(xl_transform_args){.n = n, .in = {xlt_view(&in)}, .out = {xlt_view(&out)}});
            holds(&out, want, "edges");
            xl_transform_destroy(plan);
            xlt_buffer_free(&in);
            xlt_buffer_free(&out);
            free(values);
            free(want);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_every_type),       cmocka_unit_test(four_inputs),
        cmocka_unit_test(numbers_from_the_index),     cmocka_unit_test(structs_by_an_expression),
        cmocka_unit_test(gathers_and_scatters),       cmocka_unit_test(neighbours),
        cmocka_unit_test(neighbours_of_another_type), cmocka_unit_test(at_the_edges_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
