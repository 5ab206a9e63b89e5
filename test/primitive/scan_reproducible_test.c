/* SPDX-License-Identifier: MIT
 * XL_REPRODUCIBLE: sums that round give the bits of the documented order, for elements of every
 * size and by groups of every shape. */
#include "scan_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- structures of words, which are added one by one ------------------------------------------ */

static size_t words;

static void add(void *to, const void *left, const void *right)
{
    for (size_t k = 0; k < words; ++k) {
        float a, b;
        memcpy(&a, (const char *)left + 4 * k, 4);
        memcpy(&b, (const char *)right + 4 * k, 4);
        a += b;
        memcpy((char *)to + 4 * k, &a, 4);
    }
}

/* The same, but the last word is the right one's: operands must not change places. */
static void add_in_order(void *to, const void *left, const void *right)
{
    float last;
    memcpy(&last, (const char *)right + 4 * (words - 1), 4);
    add(to, left, right);
    memcpy((char *)to + 4 * (words - 1), &last, 4);
}

static void fill(xlt_random *random, size_t i, void *to)
{
    for (size_t k = 0; k < words; ++k) {
        const float x = (xlt_unit(random) - 0.25f) * 16 + (float)(i % 3) / 7;
        memcpy((char *)to + 4 * k, &x, 4);
    }
}

static void fill_number(xlt_random *random, size_t i, void *to)
{
    const double x = (double)xlt_unit(random) / 3 + (double)(i % 2);
    memcpy(to, &x, sizeof x);
}

static void fill_numbers(xlt_random *random, size_t i, void *to)
{
    for (size_t k = 0; k < 4; ++k)
        fill_number(random, i, (char *)to + 8 * k);
}

/* ---- jobs -------------------------------------------------------------------------------------- */

typedef struct row {
    size_t words; /* of a structure; 0: XL_F64X4 */
    bool identity;
    xl_segments segments;
    xl_scan_kind kind;
    scan_order order;
    size_t n, few; /* few: on a simulator */
} row;

/* Several windows, as far as that takes little time; more than 512 chunks, whose totals are then
 * scanned. */
static const row rows[] = {
    {5, true, XL_SEGMENTS_NONE, XL_EXCLUSIVE, {128, 3, 1, 512}, 203005, 900},
    {6, false, XL_SEGMENTS_HEAD_FLAGS, XL_INCLUSIVE, {128, 3, 1, 512}, 9001, 500},
    {0, true, XL_SEGMENTS_KEYS, XL_EXCLUSIVE, {64, 3, 1, 256}, 50001, 300},
    {16, true, XL_SEGMENTS_NONE, XL_INCLUSIVE, {64, 3, 1, 256}, 7003, 300},
    {16, false, XL_SEGMENTS_NONE, XL_EXCLUSIVE, {32, 1, 1, 128}, 8300, 100},
    {31, true, XL_SEGMENTS_OFFSETS, XL_INCLUSIVE, {32, 1, 1, 128}, 4500, 100},
    {33, true, XL_SEGMENTS_NONE, XL_EXCLUSIVE, {0, 0, 0, 0}, 131500, 600},
    {64, false, XL_SEGMENTS_FLAG_BITMASK, XL_INCLUSIVE, {0, 0, 0, 0}, 3001, 300},
    {1024, true, XL_SEGMENTS_WIDTH, XL_EXCLUSIVE, {0, 0, 0, 0}, 700, 300},
};

static const struct {
    const char *tune, *mask;
} settings[] = {{"scan.shape = 0\n", NULL},
                {"scan.shape = 1\n", NULL},
                {"scan.shape = 1\n", "width=1,work-group=32"}};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

/* A job, and the texts and numbers that it refers to. */
typedef struct texts {
    char name[32], type[96], op[256];
    xl_user_type user_type;
    xl_user_op user_op;
    float identity[1024], init[1024];
} texts;

static void user_job(job *j, texts *t, const row *r)
{
    const size_t bytes = 4 * r->words;
    words = r->words;
    snprintf(t->name, sizeof t->name, "words%zu", words);
    snprintf(t->type, sizeof t->type, "typedef struct { float x[%zu]; } %s;", words, t->name);
    snprintf(
        t->op, sizeof t->op,
        "%s plus(%s a, %s b)\n{\n    for (int k = 0; k < %zu; ++k)\n        a.x[k] += b.x[k];\n"
        "%s    return a;\n}",
        t->name, t->name, t->name, words - !r->identity,
        r->identity ? "" : "    a.x[sizeof a.x / 4 - 1] = b.x[sizeof a.x / 4 - 1];\n");
    t->user_type = (xl_user_type){t->name, bytes, 4, t->type};
    t->user_op = (xl_user_op){"plus", t->op, r->identity ? t->identity : NULL, 0};
    for (size_t k = 0; k < words; ++k)
        t->init[k] = 0.1f * (float)k;
    const void *const init = r->identity ? NULL : t->init;
    job_make(j, t->name, XL_USER_TYPE, XL_USER_OP, r->kind, init);
    j->desc.user_type = &t->user_type;
    j->desc.user_op = &t->user_op;
    j->in_type = j->out_type = XL_NONE;
    j->fill = fill;
    j->ref = (ref_flat){.lanes = 1,
                        .bytes = bytes,
                        .in_bytes = bytes,
                        .out_bytes = bytes,
                        .op = r->identity ? add : add_in_order,
                        .identity = t->user_op.identity,
                        .init = init,
                        .inclusive = r->kind == XL_INCLUSIVE};
}

static void row_job(job *j, texts *t, const row *r)
{
    *t = (texts){0};
    if (r->words > 0) {
        user_job(j, t, r);
    } else {
        job_make(j, "f64x4", XL_F64X4, XL_SUM, r->kind, NULL);
        j->in_type = j->out_type = XL_NONE;
        j->fill = fill_numbers;
    }
    j->desc.determinism = XL_REPRODUCIBLE;
    j->desc.segments = r->segments;
    j->desc.segment_type = XL_U32;
    j->desc.segment_width = r->segments == XL_SEGMENTS_WIDTH ? 5 : 0;
    j->order = &r->order;
    j->pattern = HEADS_IN_700;
}

static void skip_if_slow(void)
{
    (void)xlt_context();
    if (!strstr(xlt_device(), "llvmpipe"))
        return;
    print_message("%s: its compiler takes a minute for each structure, left out\n", xlt_device());
    skip();
}

XLT_TEST(bits_of_the_documented_order)
{
    static texts t;
    skip_if_slow();
    for (size_t s = 0; s < SETTINGS; ++s) {
        xl_context *ctx = open_context(settings[s].tune, settings[s].mask);
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
            job j;
            if (s > 0 && rows[r].order.size == 0) /* these have one shape */
                continue;
            row_job(&j, &t, &rows[r]);
            xl_plan *plan = job_plan(ctx, &j);
            if (plan)
                job_check(ctx, plan, &j, xlt_small() ? rows[r].few : rows[r].n,
                          placings[(r + s) % NUM_PLACINGS]);
            xl_plan_destroy(plan);
        }
        xl_context_destroy(ctx);
    }
}

/* Elements of at most 16 bytes, which look-back scans on some devices. */
XLT_TEST(bits_of_words)
{
    static const struct {
        xl_type type;
        xl_segments segments;
        scan_order order;
        size_t n;
    } forms[] = {{XL_F32, XL_SEGMENTS_NONE, {256, 11, 4, 512}, 30001},
                 {XL_F32, XL_SEGMENTS_HEAD_FLAGS, {512, 3, 4, 512}, 13001},
                 {XL_F64, XL_SEGMENTS_NONE, {128, 15, 2, 512}, 9001}};
    for (size_t s = 0; s < SETTINGS; ++s) {
        xl_context *ctx = open_context(settings[s].tune, settings[s].mask);
        for (size_t f = 0; f < sizeof forms / sizeof forms[0]; ++f) {
            job j;
            job_make(&j, "words", forms[f].type, XL_SUM, XL_INCLUSIVE, NULL);
            words = 1;
            j.fill = forms[f].type == XL_F64 ? fill_number : fill;
            j.desc.determinism = XL_REPRODUCIBLE;
            j.desc.segments = forms[f].segments;
            j.order = &forms[f].order;
            j.pattern = HEADS_IN_700;
            xl_plan *plan = job_plan(ctx, &j);
            if (plan)
                job_check(ctx, plan, &j, xlt_small() ? 600 : forms[f].n, placings[0]);
            xl_plan_destroy(plan);
        }
        xl_context_destroy(ctx);
    }
}

/* Parts of an array: each is scanned in this order from the carry of the part before. */
static void scan_parts(const row *r)
{
    static const size_t ends[] = {0, 333, 333, 900};
    static texts t;
    job j;
    row_job(&j, &t, r);
    j.desc.carry = 1;
    xl_plan *plan = job_plan(xlt_context(), &j);
    const size_t n = ends[3], bytes = j.ref.bytes;
    unsigned char *const in = job_input(&j, n), *const wanted = bytes_for(n, bytes),
                         *const got = bytes_for(n, bytes), *const carry = bytes_for(1, bytes);
    segments s = segments_make(&j.desc, j.pattern, n, 5);
    xlt_buffer a = xlt_buffer_make(in, n, bytes, 1), b = xlt_buffer_make(NULL, n, bytes, 0),
               heads = xlt_buffer_make(s.heads, n, 1, 0),
               carries = xlt_buffer_make(NULL, 3, bytes, 0);
    memcpy(carry, j.ref.init, bytes);
    for (size_t k = 0; k < 3; ++k) {
        const size_t at = ends[k], part = ends[k + 1] - at;
        xl_scan_args args = {.n = part, .in = xlt_view(&a), .out = xlt_view(&b)};
        args.in.offset += at;
        args.out.offset += at;
        args.first_index = at;
        if (r->segments) {
            args.segments = xlt_view(&heads);
            args.segments.offset += at;
        }
        args.carry_out = xlt_view(&carries);
        args.carry_out.offset += k;
        if (k > 0) {
            args.carry_in = xlt_view(&carries);
            args.carry_in.offset += k - 1;
        }
        XLT_OK(xl_scan_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
        scan_in_order(&j.ref, &r->order, part, in + at * bytes, r->segments ? s.heads + at : NULL,
                      k > 0, carry, wanted + at * bytes);
    }
    xlt_read(&b, got);
    job_compare(&j, n, got, wanted);
    unsigned char *const last = bytes_for(3, bytes);
    xlt_read(&carries, last);
    job_compare(&j, 1, last + 2 * bytes, carry);
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xlt_buffer_free(&heads);
    xlt_buffer_free(&carries);
    segments_free(&s);
    free(in);
    free(wanted);
    free(got);
    free(carry);
    free(last);
    xl_plan_destroy(plan);
}

XLT_TEST(parts_of_an_array)
{
    skip_if_slow();
    scan_parts(&(row){7, false, XL_SEGMENTS_HEAD_FLAGS, XL_EXCLUSIVE, {128, 3, 1, 512}, 0, 0});
    scan_parts(&(row){40, false, XL_SEGMENTS_NONE, XL_INCLUSIVE, {0, 0, 0, 0}, 0, 0});
}

XLT_MAIN(NULL, xlt_teardown)
