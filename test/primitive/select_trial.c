/* SPDX-License-Identifier: MIT
 * What tests of compaction share. */
#include "select_trial.h"

#include <stdlib.h>
#include <string.h>

const char *const select_pattern_names[SELECT_PATTERNS] = {"half", "few",   "most", "none",
                                                           "all",  "turns", "long", "last"};

/* ---- elements: numbers below 15, of which 0 to 4 are of class 0, to 9 of 1, and the others of 2,
 * in the first bytes of an element --------------------------------------------------------- */

enum { NUMBERS = 15, PER_CLASS = 5 };

/* f16 of a number below 16. */
static uint16_t half_of(unsigned x)
{
    unsigned exponent = 0;
    if (x == 0)
        return 0;
    while (x >> exponent > 1)
        ++exponent;
    return (uint16_t)((15 + exponent) << 10 | (x << (10 - exponent) & 0x3ff));
}

static void put_scalar(unsigned scalar, unsigned x, unsigned char *to)
{
    const float f = (float)x;
    const double d = x;
    const uint16_t h = half_of(x);
    if (scalar == XL_F32) {
        memcpy(to, &f, sizeof f);
    } else if (scalar == XL_F64) {
        memcpy(to, &d, sizeof d);
    } else if (scalar == XL_F16) {
        memcpy(to, &h, sizeof h);
    } else {
        memset(to, 0, xl_type_size((xl_type)scalar));
        to[0] = (unsigned char)x; /* the lowest byte: devices here are little-endian */
    }
}

/* The number in the element's first lane, or member, and what else it has at random. */
static void put(const xl_select_desc *desc, unsigned x, xlt_random *random, unsigned char *to)
{
    const bool runs = desc->kind == XL_SELECT_UNIQUE || desc->kind == XL_SELECT_RUNS;
    const size_t bytes = select_bytes(desc);
    const unsigned scalar = desc->type & 0xff, lanes = desc->type >> 8;
    for (size_t i = 0; i < bytes; ++i)
        to[i] = runs ? 0 : (unsigned char)xlt_next(random);
    if (desc->type == XL_USER_TYPE)
        to[0] = (unsigned char)x;
    else
        for (unsigned k = 0; k < (runs && lanes > 1 ? lanes : 1); ++k)
            put_scalar(scalar, x, to + k * xl_type_size((xl_type)scalar));
}

/* Whether the pattern has element i. */
static bool wants(select_pattern p, size_t i, size_t n, xlt_random *random)
{
    switch (p) {
    case SELECT_HALF:
        return xlt_below(random, 2) == 0;
    case SELECT_FEW:
        return xlt_below(random, 100) == 0;
    case SELECT_MOST:
        return xlt_below(random, 100) != 0;
    case SELECT_NONE:
        return false;
    case SELECT_ALL:
        return true;
    case SELECT_TURNS:
        return i % 2 == 0;
    case SELECT_LONG:
        return i / 3000 % 2 == 0;
    default:
        return i == n - 1;
    }
}

/* ---- one call ------------------------------------------------------------- */

size_t select_bytes(const xl_select_desc *desc)
{
    return desc->type == XL_USER_TYPE ? desc->user_type->size : xl_type_size((xl_type)desc->type);
}

xl_select_desc select_desc(xl_select_kind kind, xl_select_by by, xl_type type, uint32_t value)
{
    xl_select_desc desc;
    const bool vector = type > 0xff && type != XL_USER_TYPE, user = type == XL_USER_TYPE;
    xl_select_desc_init(&desc);
    desc.kind = kind;
    desc.by = by;
    desc.type = type;
    desc.value = value;
    if (kind <= XL_SELECT_PARTITION3 && by == XL_SELECT_BY_PREDICATE) {
        if (kind == XL_SELECT_PARTITION3)
            desc.predicate = vector ? "x.s0 < 5 ? 0 : x.s0 < 10 ? 1 : 3"
                             : user ? "x.key < 5 ? 0 : x.key < 10 ? 1 : 2"
                                    : "x < 5 ? 0 : x < 10 ? 1 : -1";
        else
            desc.predicate = vector ? "x.s0 >= 5" : user ? "x.key >= 5" : "x >= 5";
    }
    if (user && (kind == XL_SELECT_UNIQUE || kind == XL_SELECT_RUNS))
        desc.equal = "a.key == b.key";
    return desc;
}

select_trial select_trial_of(const xl_select_desc *desc, xl_select *plan, size_t n,
                             select_pattern pattern)
{
    return (select_trial){.device = "",
                          .desc = desc,
                          .plan = plan,
                          .queue = xlt_queue(),
                          .n = n,
                          .n_device = SIZE_MAX,
                          .longest = 7,
                          .pattern = pattern,
                          .outputs = SELECT_OUTPUTS,
                          .own_scratch = false};
}

static void *room(size_t bytes)
{
    void *memory = calloc(bytes + 1, 1);
    if (!memory)
        XLT_FAIL("no memory for %zu bytes", bytes);
    return memory;
}

static size_t value_bytes(uint32_t value)
{
    return value >= XL_SELECT_BYTES(0) ? value - XL_SELECT_BYTES(0) : xl_type_size((xl_type)value);
}

/* Elements, and their classes. */
static void fill(const select_trial *t, select_host *h, unsigned char *classes)
{
    const uint32_t kind = t->desc->kind;
    xlt_random random = {1 + 31 * t->n + t->pattern};
    unsigned x = 0;
    for (size_t i = 0; i < t->n; ++i) {
        const bool wanted = wants(t->pattern, i, t->n, &random);
        if (kind == XL_SELECT_UNIQUE || kind == XL_SELECT_RUNS)
            x = wanted ? (x + 1) % NUMBERS : x;
        else
            x = (kind == XL_SELECT_PARTITION3 ? (wanted ? xlt_below(&random, 2) : 2) : wanted) *
                    PER_CLASS +
                xlt_below(&random, PER_CLASS);
        classes[i] = (unsigned char)(x / PER_CLASS);
        put(t->desc, x, &random, h->in + i * h->in_bytes);
        for (size_t k = 0; k < h->num_values; ++k)
            for (size_t b = 0; b < h->values_bytes[k]; ++b)
                h->values[k][i * h->values_bytes[k] + b] = (unsigned char)xlt_next(&random);
    }
}

/* What says which elements are wanted, where elements do not. */
static void fill_flags(const select_trial *t, select_host *h, const unsigned char *classes)
{
    xlt_random random = {5 + t->n};
    uint32_t *const words = (uint32_t *)(void *)h->flags;
    for (size_t i = 0; i < t->n; ++i) {
        if (t->desc->kind == XL_SELECT_REPEAT) {
            const bool wanted = wants(t->pattern, i, t->n, &random);
            words[i] = !wanted                       ? 0
                       : xlt_below(&random, 40) == 0 ? 9 * t->longest
                                                     : xlt_below(&random, t->longest);
        } else if (t->desc->by == XL_SELECT_BY_BITMASK) {
            words[i / 32] |= (uint32_t)(classes[i] != 0) << i % 32;
        } else if (t->desc->by == XL_SELECT_BY_FLAGS) {
            h->flags[i] = classes[i];
            if (classes[i] == (t->desc->kind == XL_SELECT_PARTITION3 ? 2 : 1))
                h->flags[i] = (unsigned char)(h->flags[i] + xlt_below(&random, 200));
        }
    }
}

/* Of user types the first byte alone is compared; of vectors the lanes are the same. */
static void find_heads(const select_trial *t, const select_host *h, size_t n, unsigned char *heads)
{
    const uint32_t type = t->desc->type;
    if (type < 0x100) {
        ref_run_heads((xl_type)type, n, h->in, heads);
        return;
    }
    const size_t scalar = type == XL_USER_TYPE ? 1 : xl_type_size((xl_type)(type & 0xff));
    unsigned char *const keys = room(n * scalar);
    for (size_t i = 0; i < n; ++i)
        memcpy(keys + i * scalar, h->in + i * h->in_bytes, scalar);
    ref_run_heads(type == XL_USER_TYPE ? XL_U8 : (xl_type)(type & 0xff), n, keys, heads);
    free(keys);
}

/* What has to come out, of the first n elements. */
static void expect(const select_trial *t, select_host *h, size_t n, unsigned char *classes)
{
    const uint32_t kind = t->desc->kind;
    uint64_t count;
    if (kind == XL_SELECT_REPEAT) {
        h->places = room(h->room * sizeof *h->places);
        count = h->counts[0] =
            ref_repeat(n, (const uint32_t *)(void *)h->flags, h->room, h->places);
    } else {
        h->places = room(n * sizeof *h->places);
        h->lengths = room(n * sizeof *h->lengths);
        if (kind == XL_SELECT_UNIQUE || kind == XL_SELECT_RUNS) {
            find_heads(t, h, n, classes);
            ref_run_lengths(n, classes, h->lengths);
        }
        count = ref_select(kind == XL_SELECT_PARTITION    ? 2
                           : kind == XL_SELECT_PARTITION3 ? 3
                                                          : 1,
                           n, classes, h->places, h->counts);
    }
    h->given = count < h->room ? (size_t)count : h->room;
}

select_host select_host_make(const select_trial *t)
{
    const xl_select_desc *d = t->desc;
    const size_t n = t->n_device < t->n ? t->n_device : t->n;
    const uint32_t values[] = {d->value, d->more_values[0], d->more_values[1], d->more_values[2]};
    const bool bits = d->by == XL_SELECT_BY_BITMASK, repeats = d->kind == XL_SELECT_REPEAT;
    unsigned char *classes = room(t->n);
    select_host h = {.in_bytes = select_bytes(d), .room = t->capacity > 0 ? t->capacity : t->n};
    if (!repeats && h.room > t->n)
        h.room = t->n;
    h.in = room(t->n * h.in_bytes);
    while (h.num_values < sizeof values / sizeof values[0] && values[h.num_values] != XL_NONE) {
        h.values_bytes[h.num_values] = value_bytes(values[h.num_values]);
        h.values[h.num_values] = room(t->n * h.values_bytes[h.num_values]);
        ++h.num_values;
    }
    if (repeats || d->by != XL_SELECT_BY_PREDICATE) {
        h.flags_count = bits ? (t->n + 31) / 32 : t->n;
        h.flags_bytes = bits || repeats ? sizeof(uint32_t) : 1;
        h.flags = room((h.flags_count + 1) * h.flags_bytes);
    }
    fill(t, &h, classes);
    if (h.flags)
        fill_flags(t, &h, classes);
    if (d->kind != XL_SELECT_PARTITION3)
        for (size_t i = 0; i < t->n; ++i)
            classes[i] = classes[i] != 0;
    expect(t, &h, n, classes);
    free(classes);
    return h;
}

void select_host_free(select_host *h)
{
    free(h->in);
    free(h->flags);
    free(h->places);
    free(h->lengths);
    for (size_t k = 0; k < h->num_values; ++k)
        free(h->values[k]);
}

static bool gives(const select_trial *t, unsigned output)
{
    if (output == SELECT_VALUES && t->desc->value == XL_NONE)
        return false;
    if (output == SELECT_LENGTHS && t->desc->kind != XL_SELECT_RUNS)
        return false;
    return (t->outputs & output) != 0;
}

select_arrays select_arrays_make(const select_trial *t, const select_host *h)
{
    const xl_select_desc *d = t->desc;
    const size_t index = d->index == XL_U64 ? 8 : 4, at = t->offset;
    const uint64_t n_device = t->n_device;
    select_arrays a;
    memset(&a, 0, sizeof a);
    a.at[SELECT_AT_IN] = xlt_buffer_make(h->in, t->n, h->in_bytes, at);
    if (h->flags)
        a.at[SELECT_AT_FLAGS] = xlt_buffer_make(h->flags, h->flags_count, h->flags_bytes, at);
    if (t->n_device != SIZE_MAX)
        a.at[SELECT_AT_N] = xlt_buffer_make(&n_device, 1, sizeof n_device, at % 2);
    if (gives(t, SELECT_OUT))
        a.at[SELECT_AT_OUT] = xlt_buffer_make(NULL, h->room, h->in_bytes, 2 * at);
    if (gives(t, SELECT_INDICES))
        a.at[SELECT_AT_INDICES] = xlt_buffer_make(NULL, h->room, index, at);
    if (gives(t, SELECT_LENGTHS))
        a.at[SELECT_AT_LENGTHS] = xlt_buffer_make(NULL, h->room, sizeof(uint32_t), at);
    if (gives(t, SELECT_COUNT))
        a.at[SELECT_AT_COUNT] =
            xlt_buffer_make(NULL, d->kind == XL_SELECT_PARTITION3 ? 2 : 1, sizeof(uint64_t), at);
    for (size_t k = 0; k < h->num_values && gives(t, SELECT_VALUES); ++k) {
        xlt_buffer *const pair = &a.at[SELECT_AT_VALUES + 2 * k];
        pair[0] = xlt_buffer_make(h->values[k], t->n, h->values_bytes[k], at + k);
        pair[1] = xlt_buffer_make(NULL, h->room, h->values_bytes[k], at);
    }
    const bool repeats = d->kind == XL_SELECT_REPEAT;
    a.args = (xl_select_args){
        .n = t->n,
        .n_device = xlt_view(&a.at[SELECT_AT_N]),
        .in = xlt_view(&a.at[SELECT_AT_IN]),
        .flags = repeats ? xl_no_view() : xlt_view(&a.at[SELECT_AT_FLAGS]),
        .lengths_in = repeats ? xlt_view(&a.at[SELECT_AT_FLAGS]) : xl_no_view(),
        .capacity = t->capacity,
        .out = xlt_view(&a.at[SELECT_AT_OUT]),
        .indices_out = xlt_view(&a.at[SELECT_AT_INDICES]),
        .lengths_out = xlt_view(&a.at[SELECT_AT_LENGTHS]),
        .count_out = xlt_view(&a.at[SELECT_AT_COUNT]),
        .values_in = xlt_view(&a.at[SELECT_AT_VALUES]),
        .values_out = xlt_view(&a.at[SELECT_AT_VALUES + 1]),
    };
    for (size_t k = 0; k < XL_SELECT_MORE_VALUES; ++k) {
        a.args.more_values_in[k] = xlt_view(&a.at[SELECT_AT_VALUES + 2 * k + 2]);
        a.args.more_values_out[k] = xlt_view(&a.at[SELECT_AT_VALUES + 2 * k + 3]);
    }
    if (t->own_scratch)
        return a;
    size_t bytes, alignment;
    XLT_OK(xl_select_scratch(t->plan, t->n, &bytes, &alignment));
    a.scratch = xlt_scratch_make(bytes, alignment);
    a.args.scratch = xlt_view(&a.scratch);
    return a;
}

void select_arrays_free(select_arrays *a)
{
    for (size_t i = 0; i < SELECT_BUFFERS; ++i)
        xlt_buffer_free(&a->at[i]);
    xlt_buffer_free(&a->scratch);
}

#define FAILS(t, what, i)                                                                          \
    XLT_FAIL("%s kind %u by %u type %s pattern %s n %zu capacity %zu offset %zu outputs %u: %s "   \
             "%zu is wrong",                                                                       \
             (t)->device, (t)->desc->kind, (t)->desc->by, xl_type_name((xl_type)(t)->desc->type),  \
             select_pattern_names[(t)->pattern], (t)->n, (t)->capacity, (t)->offset, (t)->outputs, \
             (what), (size_t)(i))

/* An output of elements of so many bytes: of `from` those at the places, then what was there. */
static void check_moved(const select_trial *t, const select_host *h, const xlt_buffer *out,
                        const char *what, const unsigned char *from)
{
    if (!out->mem)
        return;
    const size_t size = out->size;
    unsigned char *const got = room(h->room * size);
    xlt_read(out, got);
    for (size_t i = 0; i < h->given; ++i)
        if (memcmp(got + i * size, from + h->places[i] * size, size) != 0)
            FAILS(t, what, i);
    for (size_t i = h->given * size; i < h->room * size; ++i)
        if (got[i] != 0xa5)
            FAILS(t, "what is behind the results at byte", i);
    xlt_check_guards(out, what);
    free(got);
}

static void check_indices(const select_trial *t, const select_host *h, const xlt_buffer *out)
{
    if (!out->mem)
        return;
    uint32_t *const got = room(h->room * out->size);
    uint64_t *const wide = (uint64_t *)(void *)got;
    xlt_read(out, got);
    for (size_t i = 0; i < h->given; ++i)
        if ((out->size == 8 ? wide[i] : got[i]) != h->places[i])
            FAILS(t, "index", i);
    xlt_check_guards(out, "indices_out");
    free(got);
}

static void check_lengths(const select_trial *t, const select_host *h, const xlt_buffer *out)
{
    if (!out->mem)
        return;
    uint32_t *const got = room(h->room * sizeof *got);
    xlt_read(out, got);
    for (size_t i = 0; i < h->room; ++i)
        if (got[i] != (i < h->given ? h->lengths[i] : 0xa5a5a5a5u))
            FAILS(t, "length", i);
    xlt_check_guards(out, "lengths_out");
    free(got);
}

static void check_unchanged(const select_trial *t, const xlt_buffer *in, const char *name,
                            const void *was)
{
    if (!in->mem)
        return;
    unsigned char *const now = room(in->n * in->size);
    xlt_read(in, now);
    if (memcmp(now, was, in->n * in->size) != 0)
        FAILS(t, name, 0);
    xlt_check_guards(in, name);
    free(now);
}

void select_check_result(const select_trial *t, const select_arrays *a, const select_host *h)
{
    const xlt_buffer *const count = &a->at[SELECT_AT_COUNT];
    uint64_t counts[2] = {0, 0};
    if (count->mem) {
        xlt_read(count, counts);
        for (size_t k = 0; k < count->n; ++k)
            if (counts[k] != h->counts[k])
                FAILS(t, "count", k);
        xlt_check_guards(count, "count_out");
    }
    check_moved(t, h, &a->at[SELECT_AT_OUT], "element", h->in);
    check_indices(t, h, &a->at[SELECT_AT_INDICES]);
    check_lengths(t, h, &a->at[SELECT_AT_LENGTHS]);
    check_unchanged(t, &a->at[SELECT_AT_IN], "in", h->in);
    check_unchanged(t, &a->at[SELECT_AT_FLAGS], "flags", h->flags);
    for (size_t k = 0; k < h->num_values; ++k) {
        check_moved(t, h, &a->at[SELECT_AT_VALUES + 2 * k + 1], "value", h->values[k]);
        check_unchanged(t, &a->at[SELECT_AT_VALUES + 2 * k], "values_in", h->values[k]);
    }
    if (a->scratch.mem)
        xlt_check_guards(&a->scratch, "scratch");
}

void select_check(const select_trial *t)
{
    select_host h = select_host_make(t);
    select_arrays a = select_arrays_make(t, &h);
    XLT_OK(xl_select_enqueue(t->plan, t->queue, &a.args, 0, NULL, NULL));
    XLT_CL(clFinish(t->queue));
    select_check_result(t, &a, &h);
    select_arrays_free(&a);
    select_host_free(&h);
}
