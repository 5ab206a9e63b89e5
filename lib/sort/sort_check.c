/* SPDX-License-Identifier: MIT
 * Checks of the sort's descriptor and arguments, before any side effect. */
#include "sort_check.h"

#include "key.h"

#include <inttypes.h>
#include <string.h>

/* Bytes of an element of values; 0 where there is none such. */
static size_t value_bytes(uint32_t value)
{
    enum { MOST = 0xffff };
    if (value > XL_SORT_BYTES(0) && value <= XL_SORT_BYTES(MOST))
        return value - XL_SORT_BYTES(0);
    return xl_type_size((xl_type)value);
}

static xl_status check_value(const xl_context *ctx, const char *field, uint32_t value)
{
    if (value == XL_NONE || value_bytes(value) > 0)
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                    "%s: %s (%" PRIu32 "); values are of a built-in type, of 1 to 65,535 bytes "
                    "(XL_SORT_BYTES) or none%s",
                    field, xl_type_name((xl_type)value), value,
                    value == XL_SORT_INDICES ? "; XL_SORT_INDICES is for desc.value alone" : "");
}

static xl_status check_values(const xl_context *ctx, const xl_sort_desc *desc)
{
    static const char *const names[] = {"desc.more_values[0]", "desc.more_values[1]",
                                        "desc.more_values[2]"};
    xl_status status = XL_SUCCESS;
    uint32_t before = desc->value;
    if (desc->value != XL_SORT_INDICES)
        XL_TRY(check_value(ctx, "desc.value", desc->value));
    for (size_t a = 0; a < XL_SORT_MORE_VALUES; ++a) {
        const uint32_t value = desc->more_values[a];
        XL_TRY(check_value(ctx, names[a], value));
        if (value != XL_NONE && before == XL_NONE)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "%s: given, but the array before it is none", names[a]);
        before = value;
    }
    if (desc->values_only && desc->value == XL_NONE)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.values_only: %u, but desc.value is XL_NONE: there would be no output",
                        (unsigned)desc->values_only);
done:
    return status;
}

static xl_status check_bits(const xl_context *ctx, const xl_sort_desc *desc)
{
    const unsigned bits = (unsigned)(8 * xl_type_size((xl_type)desc->key));
    const uint32_t end = desc->end_bit > 0 ? desc->end_bit : bits;
    if (desc->begin_bit >= end || end > bits)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.begin_bit, end_bit: %" PRIu32 " to %" PRIu32
                        "; the first is to be below the second, and that at most %u, the bits of "
                        "a key",
                        desc->begin_bit, end, bits);
    if (end - desc->begin_bit < bits && desc->algorithm == XL_SORT_BITONIC)
        return xli_fail(
            ctx, XL_ERROR_INVALID_ARGUMENT,
            "desc.algorithm: XL_SORT_BITONIC orders by all bits of a key, not by %" PRIu32
            " to %" PRIu32,
            desc->begin_bit, end);
    return XL_SUCCESS;
}

static xl_status check_comparator(const xl_context *ctx, const xl_sort_desc *desc)
{
    xl_status status;
    const char *const other = desc->algorithm != XL_SORT_AUTO ? "desc.algorithm: only XL_SORT_AUTO"
                              : desc->begin_bit > 0 || desc->end_bit > 0
                                  ? "desc.begin_bit, end_bit: all bits"
                                  : NULL;
    XL_TRY(xli_comparator_check(ctx, desc->comparator));
    if (other)
        XL_TRY(xli_fail(ctx, XL_ERROR_UNSUPPORTED, "%s, where there is a comparator", other));
done:
    return status;
}

static xl_status check_zeros(const xl_context *ctx, const xl_sort_desc *desc)
{
    const uint32_t bits = 8 * (uint32_t)xl_type_size((xl_type)desc->key);
    if (desc->equal_zeros && desc->comparator)
        return xli_fail(
            ctx, XL_ERROR_UNSUPPORTED,
            "desc.equal_zeros: 0, where there is a comparator, which says what is equal");
    if (desc->equal_zeros && (desc->begin_bit > 0 || (desc->end_bit > 0 && desc->end_bit < bits)))
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "desc.equal_zeros: 0, where some bits of the keys do not count");
    return XL_SUCCESS;
}

static xl_status check_segments(const xl_context *ctx, const xl_sort_desc *desc)
{
    const bool offsets = desc->segments == XL_SEGMENTS_OFFSETS;
    const uint32_t type = desc->segment_type;
    if (!offsets && desc->segments != XL_SEGMENTS_NONE)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.segments: %u; sorts take XL_SEGMENTS_NONE or _OFFSETS",
                        (unsigned)desc->segments);
    if (offsets ? type != XL_U32 && type != XL_U64 : type != XL_NONE)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.segment_type: %s (%u), not %s",
                        xl_type_name((xl_type)type), (unsigned)type,
                        offsets ? "u32 or u64" : "XL_NONE, as there are no offsets");
    if (offsets && desc->algorithm == XL_SORT_RADIX)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "desc.algorithm: XL_SORT_RADIX; segments take XL_SORT_AUTO or "
                        "XL_SORT_BITONIC");
    if (offsets && (desc->begin_bit > 0 || desc->end_bit > 0))
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "desc.begin_bit, end_bit: segments are sorted by all bits of the keys");
    return XL_SUCCESS;
}

/* What no program counts in 64 bits. */
static xl_status check_large(const xl_context *ctx, const xl_sort_desc *desc)
{
    const char *const other = desc->algorithm == XL_SORT_BITONIC ? "desc.algorithm: XL_SORT_BITONIC"
                              : desc->comparator                 ? "desc.comparator: one"
                              : desc->segments                   ? "desc.segments: some"
                              : desc->equal_zeros                ? "desc.equal_zeros: 1"
                                                                 : NULL;
    if (desc->large > 1)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.large: %" PRIu32 ", not 0 or 1",
                        desc->large);
    if (desc->reserved != 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.reserved: %" PRIu32 ", but must be 0",
                        desc->reserved);
    if (desc->large && other)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "%s, but desc.large: 1, which takes the radix sort of whole arrays; "
                        "without it n is at most 4294967295",
                        other);
    return XL_SUCCESS;
}

xl_status xli_sort_check_desc(const xl_context *ctx, const xl_sort_desc *desc)
{
    xl_status status;
    if (desc->comparator)
        XL_TRY(check_comparator(ctx, desc));
    else
        XL_TRY(xli_key_check(ctx, desc->key));
    XL_TRY(check_values(ctx, desc));
    XL_TRY(xli_key_check_order(ctx, desc->order));
    if (desc->algorithm > XL_SORT_RADIX)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.algorithm: unknown value %d",
                        (int)desc->algorithm));
    if (!desc->comparator)
        XL_TRY(check_bits(ctx, desc));
    XL_TRY(check_zeros(ctx, desc));
    XL_TRY(check_segments(ctx, desc));
    XL_TRY(check_large(ctx, desc));
done:
    return status;
}

/* A tile of two work-items is to fit into any device's local memory. */
static xl_status resolve_key(const xl_context *ctx, const xli_capabilities *capabilities,
                             const xl_sort_desc *desc, xli_element *element)
{
    enum { MOST = 512 };
    xl_status status;
    XL_TRY(
        xli_element_resolve(ctx, capabilities, "key", (xl_type)desc->key, desc->user_key, element));
    if (element->bytes > MOST)
        XL_TRY(xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "desc.key: %zu bytes; a comparator's keys have at most %d", element->bytes,
                        MOST));
done:
    return status;
}

/* The value that travels with the keys; `makes`: which are made, as places. */
static xl_type value_of(const xl_sort_desc *desc, bool hides)
{
    const bool wide = hides || value_bytes(desc->value) == sizeof(cl_ulong);
    if (desc->value == XL_NONE && !hides)
        return XL_NONE;
    return desc->large && wide ? XL_U64 : XL_U32;
}

/* One array of words of 32 bits, or in a large sort of 64, goes along with the keys. All others are
 * gathered. */
xl_status xli_sort_problem_of(const xl_context *ctx, const xli_capabilities *capabilities,
                              const xl_sort_desc *desc, xli_sort_problem *problem)
{
    xl_status status = XL_SUCCESS;
    const bool asked = desc->value == XL_SORT_INDICES;
    const bool zeros = desc->equal_zeros && xli_key_is_float((xl_type)desc->key);
    const bool none = desc->value == XL_NONE;
    const size_t bytes = value_bytes(desc->value);
    const bool moves = desc->more_values[0] == XL_NONE &&
                       (bytes == sizeof(cl_uint) || (desc->large && bytes == sizeof(cl_ulong)));
    /* Zeros are put into order by their places, which all travel. */
    const bool hides = !asked && (zeros || (!none && !moves));
    *problem = (xli_sort_problem){
        .key = (xl_type)desc->key,
        .value = value_of(desc, hides),
        .indices = asked || hides,
        .hides_indices = hides,
        .descending = desc->order == XL_DESCENDING,
        .begin_bit = desc->begin_bit,
        .end_bit = desc->end_bit > 0 ? desc->end_bit : 8 * (uint32_t)xl_type_size(desc->key),
        .stable = desc->stable || desc->segments || zeros,
        .equal_zeros = zeros,
        .values_only = desc->values_only != 0,
        .large = desc->large != 0,
        .segments = (xl_type)desc->segment_type,
        .algorithm = (xl_sort_algorithm)desc->algorithm,
        .compares = desc->comparator != NULL,
        .comparator = desc->comparator};
    if (problem->compares) {
        XL_TRY(resolve_key(ctx, capabilities, desc, &problem->element));
        problem->end_bit = 8 * (uint32_t)problem->element.bytes;
    }
    if (hides && !none)
        problem->gathered[problem->num_gathered++] = value_bytes(desc->value);
    for (size_t a = 0; a < XL_SORT_MORE_VALUES && desc->more_values[a] != XL_NONE; ++a)
        problem->gathered[problem->num_gathered++] = value_bytes(desc->more_values[a]);
done:
    return status;
}

/* Places have 32 bits on the device, of large sorts 48, but indices as the caller's; 16 bytes are
 * more than an element has. */
xl_status xli_sort_check_n(const xl_context *ctx, const xli_sort_problem *problem, size_t n)
{
    const bool ends = problem->large && problem->indices && problem->value == XL_U32;
    const uint64_t counted = ends             ? (uint64_t)UINT32_MAX + 1
                             : problem->large ? (UINT64_C(1) << 48) - 1
                                              : UINT32_MAX;
    const size_t most = (size_t)(counted < SIZE_MAX / 16 ? counted : SIZE_MAX / 16);
    if (n > most)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "n: %zu, at most %zu elements are sorted%s",
                        n, most,
                        ends             ? ": indices (XL_SORT_INDICES) have 32 bits"
                        : problem->large ? ""
                                         : "; with desc.large = 1 more are");
    return XL_SUCCESS;
}

static xl_status check_not_given(const xl_context *ctx, const char *name, xl_view view,
                                 const char *why)
{
    if (!view.buffer)
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: given, but the plan %s", name, why);
}

/* An array of values as the caller names it, and what is to become of it. */
typedef struct values {
    const char *in_name, *out_name;
    xl_view in, out;
    size_t bytes; /* 0: there is none */
    bool made;
    xli_span *in_span, *out_span;
} values;

static xl_status check_one(const xl_context *ctx, const values *v, size_t n)
{
    static const char *const none = "has no such values", *const makes = "makes the values itself";
    xl_status status;
    if (v->bytes == 0 || v->made)
        XL_TRY(check_not_given(ctx, v->in_name, v->in, v->made ? makes : none));
    else
        XL_TRY(xli_check_view(ctx, v->in_name, v->in, n, v->bytes, XLI_READ, v->in_span));
    if (v->bytes == 0)
        XL_TRY(check_not_given(ctx, v->out_name, v->out, none));
    else
        XL_TRY(xli_check_view(ctx, v->out_name, v->out, n, v->bytes, XLI_READ | XLI_WRITE,
                              v->out_span));
done:
    return status;
}

static xl_status check_values_views(const xl_context *ctx, const xli_sort_problem *problem,
                                    const xl_sort_args *args, xli_sort_spans *s)
{
    static const char *const names[][2] = {{"more_values_in[0]", "more_values_out[0]"},
                                           {"more_values_in[1]", "more_values_out[1]"},
                                           {"more_values_in[2]", "more_values_out[2]"}};
    xl_status status;
    size_t gathered = 0;
    values v = {"values_in",
                "values_out",
                args->values_in,
                args->values_out,
                xl_type_size(problem->value),
                problem->indices,
                &s->values_in,
                &s->values_out};
    if (problem->hides_indices && problem->num_gathered == 0) {
        v.bytes = 0;
        v.made = false;
    } else if (problem->hides_indices) {
        v.bytes = problem->gathered[gathered];
        v.made = false;
        v.in_span = &s->gather_in[gathered];
        v.out_span = &s->gather_out[gathered++];
    }
    XL_TRY(check_one(ctx, &v, args->n));
    for (size_t a = 0; a < XL_SORT_MORE_VALUES; ++a, ++gathered) {
        const bool is_there = gathered < problem->num_gathered;
        v = (values){names[a][0],
                     names[a][1],
                     args->more_values_in[a],
                     args->more_values_out[a],
                     is_there ? problem->gathered[gathered] : 0,
                     false,
                     is_there ? &s->gather_in[gathered] : NULL,
                     is_there ? &s->gather_out[gathered] : NULL};
        XL_TRY(check_one(ctx, &v, args->n));
    }
done:
    return status;
}

/* Inputs of a call, and its outputs, each at the place of the input that it may be. Spans that are
 * not given overlap nothing. */
enum { NUM_SPANS = 2 + XLI_SORT_ARRAYS };
static void list_spans(const xli_sort_spans *s, const xli_span *in[NUM_SPANS],
                       const xli_span *out[NUM_SPANS])
{
    in[0] = &s->keys_in;
    out[0] = &s->keys_out;
    in[1] = &s->values_in;
    out[1] = &s->values_out;
    for (size_t a = 0; a < XLI_SORT_ARRAYS; ++a) {
        in[2 + a] = &s->gather_in[a];
        out[2 + a] = &s->gather_out[a];
    }
}

/* The offsets, and that nothing writes them. */
static xl_status check_offsets(const xl_context *ctx, const xli_sort_problem *problem,
                               const xl_sort_args *args, xli_sort_spans *s)
{
    xl_status status;
    const xl_view view = args->segments;
    if (problem->segments == XL_NONE && view.buffer)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "segments: given, but the plan sorts the whole array");
    if (problem->segments == XL_NONE || (args->n == 0 && !view.buffer))
        return XL_SUCCESS;
    if (view.count == 0 || view.count > UINT32_MAX)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "segments: %zu CSR offsets, not 1 to 2^32 - 1; pass xl_view_n() with their "
                        "number",
                        view.count);
    s->segment_count = view.count;
    XL_TRY(xli_check_view(ctx, "segments", view, view.count, xl_type_size(problem->segments),
                          XLI_READ, &s->segments));
done:
    return status;
}

xl_status xli_sort_check_views(const xl_context *ctx, const xli_sort_problem *problem,
                               const xl_sort_args *args, xli_sort_spans *s)
{
    xl_status status;
    const size_t n = args->n, key = xli_sort_key_bytes(problem);
    const xli_span *in[NUM_SPANS], *out[NUM_SPANS];
    memset(s, 0, sizeof *s);
    XL_TRY(xli_check_view(ctx, "keys_in", args->keys_in, n, key, XLI_READ, &s->keys_in));
    if (problem->values_only)
        XL_TRY(check_not_given(ctx, "keys_out", args->keys_out, "gives values only"));
    else
        XL_TRY(xli_check_view(ctx, "keys_out", args->keys_out, n, key, XLI_READ | XLI_WRITE,
                              &s->keys_out));
    XL_TRY(check_values_views(ctx, problem, args, s));
    if (args->n_device.buffer)
        XL_TRY(xli_check_view(ctx, "n_device", args->n_device, 1, sizeof(cl_ulong), XLI_READ,
                              &s->n_device));
    XL_TRY(check_offsets(ctx, problem, args, s));
    list_spans(s, in, out);
    for (size_t i = 0; i < NUM_SPANS; ++i)
        XL_TRY(xli_check_apart(ctx, in[i], out[i], true));
    for (size_t i = 0; i < NUM_SPANS; ++i) {
        for (size_t k = 0; k < NUM_SPANS; ++k) {
            if (k < i)
                XL_TRY(xli_check_apart(ctx, out[k], out[i], false));
            if (k != i)
                XL_TRY(xli_check_apart(ctx, in[k], out[i], false));
        }
        XL_TRY(xli_check_apart(ctx, &s->n_device, out[i], false));
        XL_TRY(xli_check_apart(ctx, &s->segments, out[i], false));
    }
done:
    return status;
}

xl_status xli_sort_check_scratch(const xl_context *ctx, const xli_sort_spans *s,
                                 const xli_span *scratch)
{
    const xli_span *in[NUM_SPANS], *out[NUM_SPANS];
    xl_status status;
    list_spans(s, in, out);
    XL_TRY(xli_check_apart_from(ctx, scratch, in, NUM_SPANS));
    XL_TRY(xli_check_apart_from(ctx, scratch, out, NUM_SPANS));
    XL_TRY(xli_check_apart(ctx, scratch, &s->n_device, false));
    XL_TRY(xli_check_apart(ctx, scratch, &s->segments, false));
done:
    return status;
}
