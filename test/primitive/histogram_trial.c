/* SPDX-License-Identifier: MIT
 * What tests of histograms share. */
#include "histogram_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const pattern_names[HISTOGRAM_PATTERNS] = {"random", "bits",   "equal",  "two",
                                                              "half",   "rising", "borders"};
static const char *const kind_names[] = {"even", "keys", "levels"};

void *histogram_room(size_t bytes)
{
    void *memory = calloc(bytes + 1, 1);
    assert_non_null(memory);
    return memory;
}

static bool is_real(xl_type type)
{
    return type == XL_F16 || type == XL_F32 || type == XL_F64;
}

/* A number as an element of a type. */
static void put_real(xl_type type, double x, void *to)
{
    const uint16_t half = ref_half_of(x);
    const float single = (float)x;
    memcpy(to,
           type == XL_F16   ? (const void *)&half
           : type == XL_F32 ? (const void *)&single
                            : (const void *)&x,
           ref_type_size(type));
}

static void put_integer(xl_type type, uint64_t x, void *to)
{
    const uint8_t u8 = (uint8_t)x;
    const uint16_t u16 = (uint16_t)x;
    const uint32_t u32 = (uint32_t)x;
    const size_t size = ref_type_size(type);
    memcpy(to,
           size == 1   ? (const void *)&u8
           : size == 2 ? (const void *)&u16
           : size == 4 ? (const void *)&u32
                       : (const void *)&x,
           size);
}

xl_histogram_desc histogram_desc(xl_histogram_kind kind, xl_type type, uint64_t num_bins)
{
    xl_histogram_desc desc;
    xl_histogram_desc_init(&desc);
    desc.kind = kind;
    desc.type = type;
    desc.num_bins = num_bins;
    if (kind == XL_HISTOGRAM_EVEN && is_real(type)) {
        desc.lower = -3.25;
        desc.upper = 17.5;
    } else if (kind == XL_HISTOGRAM_EVEN) {
        const bool has_sign = type == XL_I8 || type == XL_I16 || type == XL_I32 || type == XL_I64;
        desc.lower_integer = has_sign ? -100 : 3;
        desc.upper_integer = ref_type_size(type) == 1 ? 121 : 30011;
    }
    return desc;
}

void *histogram_levels(const xl_histogram_desc *desc)
{
    const xl_type type = (xl_type)desc->type;
    const size_t size = ref_type_size(type), count = (size_t)desc->num_bins + 1;
    const bool has_sign = type == XL_I8 || type == XL_I16 || type == XL_I32 || type == XL_I64;
    char *levels = histogram_room(count * size);
    for (size_t k = 0; k < count; ++k) {
        const size_t step = k / 3 * 2 + k % 3 / 2; /* of three, two are equal */
        if (is_real(type))
            put_real(type, -20.0 + 0.375 * (double)step, levels + k * size);
        else
            put_integer(type, (has_sign ? (uint64_t)0 - 50 : 2) + step, levels + k * size);
    }
    return levels;
}

/* Where bin k begins, about. */
static void put_border(const xl_histogram_desc *desc, const void *levels, uint64_t k, int off,
                       void *to)
{
    const xl_type type = (xl_type)desc->type;
    const size_t size = ref_type_size(type);
    uint64_t bits = 0;
    if (desc->kind == XL_HISTOGRAM_LEVELS) {
        memcpy(to, (const char *)levels + k * size, size);
    } else if (desc->kind == XL_HISTOGRAM_KEYS) {
        put_integer(type, k, to);
    } else if (is_real(type)) {
        const double width = (desc->upper - desc->lower) / (double)desc->num_bins;
        put_real(type, desc->lower + width * (double)k, to);
    } else {
        const uint64_t span = (uint64_t)desc->upper_integer - (uint64_t)desc->lower_integer;
        const uint64_t step = span / desc->num_bins, rest = span % desc->num_bins;
        put_integer(type, (uint64_t)desc->lower_integer + step * k + rest * k / desc->num_bins, to);
    }
    memcpy(&bits, to, size); /* a little further on or back, of floats by the last bit */
    put_integer(size == 1   ? XL_U8
                : size == 2 ? XL_U16
                : size == 4 ? XL_U32
                            : XL_U64,
                bits + (uint64_t)(int64_t)off, to);
}

void histogram_fill(const xl_histogram_desc *desc, const void *levels, histogram_pattern p,
                    size_t n, void *values)
{
    const size_t size = ref_type_size((xl_type)desc->type);
    xlt_random random = {1 + 91 * n + p};
    for (size_t i = 0; i < n; ++i) {
        char *const to = (char *)values + i * size;
        const uint64_t some = xlt_next(&random) % (desc->num_bins + 1);
        const int off = (int)(xlt_next(&random) % 3) - 1;
        const uint64_t one = desc->num_bins / 3;
        const uint64_t at[HISTOGRAM_PATTERNS] = {some,
                                                 some,
                                                 one,
                                                 i % 2 ? one : desc->num_bins - 1,
                                                 i % 2 ? one : some,
                                                 i * desc->num_bins / (n + 1),
                                                 some};
        if (p == HISTOGRAM_BITS)
            put_integer(size == 1   ? XL_U8
                        : size == 2 ? XL_U16
                        : size == 4 ? XL_U32
                                    : XL_U64,
                        xlt_next(&random), to);
        else
            put_border(desc, levels, at[p],
                       p == HISTOGRAM_BORDERS || p == HISTOGRAM_RANDOM ? off : 0, to);
    }
}

ref_histogram histogram_reference(const xl_histogram_desc *desc, const void *levels)
{
    return (ref_histogram){.kind = (ref_bins)desc->kind,
                           .type = (xl_type)desc->type,
                           .num_bins = desc->num_bins,
                           .lower = desc->lower,
                           .upper = desc->upper,
                           .lower_integer = desc->lower_integer,
                           .upper_integer = desc->upper_integer,
                           .levels = levels};
}

static const char *describe(const histogram_trial *t)
{
    static char text[300];
    snprintf(text, sizeof text, "%s, %s, %llu bins of u%u, n %zu%s, %s, offset %zu%s, %s",
             kind_names[t->desc->kind], xl_type_name((xl_type)t->desc->type),
             (unsigned long long)t->desc->num_bins, 8 * (unsigned)ref_type_size(t->desc->counter),
             t->n, t->n_device != SIZE_MAX ? " at most" : "", pattern_names[t->pattern], t->offset,
             t->desc->accumulate ? ", added" : "", t->device);
    return text;
}

histogram_trial histogram_trial_of(const xl_histogram_desc *desc, xl_histogram *plan, size_t n,
                                   histogram_pattern p)
{
    return (histogram_trial){.device = "device as it is",
                             .desc = desc,
                             .plan = plan,
                             .queue = xlt_queue(),
                             .n = n,
                             .n_device = SIZE_MAX,
                             .pattern = p};
}

static void check_bins(const histogram_trial *t, const xlt_buffer *bins, const uint64_t *want)
{
    const size_t num = (size_t)t->desc->num_bins, size = ref_type_size((xl_type)t->desc->counter);
    char *got = histogram_room(num * size);
    xlt_read(bins, got);
    for (size_t k = 0; k < num; ++k) {
        uint64_t now = 0;
        uint32_t low;
        memcpy(&low, got + k * size, sizeof low);
        if (size == 4)
            now = low;
        else
            memcpy(&now, got + k * size, sizeof now);
        if (now != (size == 4 ? (uint32_t)want[k] : want[k]))
            XLT_FAIL("%s: bin %zu has %llu, not %llu", describe(t), k, (unsigned long long)now,
                     (unsigned long long)want[k]);
    }
    xlt_check_guards(bins, "bins");
    free(got);
}

/* Bins that hold something before the call. */
static xlt_buffer make_bins(const histogram_trial *t)
{
    const size_t num = (size_t)t->desc->num_bins, size = ref_type_size((xl_type)t->desc->counter);
    if (!t->desc->accumulate)
        return xlt_buffer_make(NULL, num, size, t->offset + 1);
    char *before = histogram_room(num * size);
    for (size_t k = 0; k < num; ++k)
        put_integer((xl_type)t->desc->counter, t->before + k, before + k * size);
    xlt_buffer bins = xlt_buffer_make(before, num, size, t->offset + 1);
    free(before);
    return bins;
}

void histogram_check(const histogram_trial *t)
{
    const xl_histogram_desc *d = t->desc;
    const size_t size = ref_type_size((xl_type)d->type), num = (size_t)d->num_bins;
    const size_t counted = t->n_device < t->n ? t->n_device : t->n;
    const uint64_t length = t->n_device;
    const bool has_levels = d->kind == XL_HISTOGRAM_LEVELS;
    cl_event event = NULL;
    void *levels = has_levels ? histogram_levels(d) : NULL;
    char *values = histogram_room(t->n * size), *after = histogram_room(t->n * size);
    uint64_t *want = histogram_room(num * sizeof *want);
    histogram_fill(d, levels, t->pattern, t->n, values);
    for (size_t k = 0; k < num && d->accumulate; ++k)
        want[k] = t->before + k;
    const ref_histogram reference = histogram_reference(d, levels);
    ref_histogram_count(&reference, counted, values, want);
    xlt_buffer in = xlt_buffer_make(values, t->n, size, t->offset), level_buffer = {0},
               bins = make_bins(t), n_device = {0};
    if (has_levels)
        level_buffer = xlt_buffer_make(levels, num + 1, size, t->offset + 2);
    if (t->n_device != SIZE_MAX)
        n_device = xlt_buffer_make(&length, 1, 8, t->offset);
    const xl_status status =
        xl_histogram_enqueue(t->plan, t->queue,
                             &(xl_histogram_args){.n = t->n,
                                                  .n_device = xlt_view(&n_device),
                                                  .in = xlt_view(&in),
                                                  .levels = xlt_view(&level_buffer),
                                                  .bins = xlt_view(&bins)},
                             0, NULL, &event);
    if (status != XL_SUCCESS)
        XLT_FAIL("%s: %.500s", describe(t), xl_context_error(xlt_context()));
    XLT_CL(clWaitForEvents(1, &event));
    XLT_CL(clReleaseEvent(event));
    check_bins(t, &bins, want);
    xlt_read(&in, after);
    assert_memory_equal(values, after, t->n * size + 1);
    xlt_check_guards(&in, "in");
    xlt_buffer *const all[] = {&in, &level_buffer, &bins, &n_device};
    for (size_t i = 0; i < 4; ++i)
        if (all[i]->mem)
            xlt_buffer_free(all[i]);
    free(levels);
    free(values);
    free(after);
    free(want);
}
