/* SPDX-License-Identifier: MIT
 * The sort's descriptor: its checks, and the problem that it describes. */
#include "key.h"
#include "sort_plan.h"
#include "values.h"

#include <inttypes.h>

/* Indices count as values of u32. */
static xl_status read_values(const xl_context *ctx, const xl_sort_desc *desc, xli_values *values)
{
    return xli_values_read(ctx, desc->value == XL_SORT_INDICES ? XL_U32 : desc->value,
                           desc->more_values, values);
}

static xl_status check_values(const xl_context *ctx, const xl_sort_desc *desc)
{
    xli_values values;
    for (size_t a = 0; a < XL_MORE_VALUES; ++a)
        if (desc->more_values[a] == XL_SORT_INDICES)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.more_values[%zu]: XL_SORT_INDICES; only desc.value may be "
                            "XL_SORT_INDICES",
                            a);
    if (desc->values_only && desc->value == XL_NONE)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.values_only: %" PRIu32 "; must be 0 if desc.value is XL_NONE",
                        desc->values_only);
    return read_values(ctx, desc, &values);
}

/* Bits of a built-in key. */
static uint32_t key_bits(const xl_sort_desc *desc)
{
    return 8 * (uint32_t)xl_type_size((xl_type)desc->key);
}

static xl_status check_bits(const xl_context *ctx, const xl_sort_desc *desc)
{
    const uint32_t bits = key_bits(desc), end = desc->end_bit > 0 ? desc->end_bit : bits;
    if (desc->begin_bit >= end || end > bits)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.begin_bit, desc.end_bit: %" PRIu32 " to %" PRIu32
                        "; begin_bit must be less than end_bit, and end_bit at most %" PRIu32
                        ", the bits of a key",
                        desc->begin_bit, end, bits);
    if (end - desc->begin_bit < bits && desc->algorithm == XL_SORT_BITONIC)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.begin_bit, desc.end_bit: %" PRIu32 " to %" PRIu32
                        "; must be all bits of the key if desc.algorithm is XL_SORT_BITONIC",
                        desc->begin_bit, end);
    return XL_SUCCESS;
}

/* Fields that exclude each other. */
static xl_status check_pairs(const xl_context *ctx, const xl_sort_desc *desc)
{
    const bool compares = desc->comparator != NULL, segments = desc->segments != XL_SEGMENTS_NONE,
               zeros = desc->equal_zeros != 0, large = desc->large != 0;
    const bool bits = desc->begin_bit > 0 || desc->end_bit > 0;
    const bool some_bits =
        desc->begin_bit > 0 || (desc->end_bit > 0 && desc->end_bit < key_bits(desc));
    const bool bitonic = desc->algorithm == XL_SORT_BITONIC,
               radix = desc->algorithm == XL_SORT_RADIX;
    const struct {
        bool both;
        const char *text;
    } pairs[] = {
        {compares && (bitonic || radix),
         "desc.algorithm: not XL_SORT_AUTO; must be XL_SORT_AUTO if desc.comparator is given"},
        {compares && bits,
         "desc.begin_bit, desc.end_bit: given; must be 0 if desc.comparator is given"},
        {compares && zeros, "desc.equal_zeros: 1; must be 0 if desc.comparator is given, which "
                            "decides which keys are equal"},
        {zeros && some_bits, "desc.equal_zeros: 1; must be 0 if desc.begin_bit and desc.end_bit "
                             "select a range of bits"},
        {segments && radix, "desc.algorithm: XL_SORT_RADIX; must be XL_SORT_AUTO or "
                            "XL_SORT_BITONIC if desc.segments is XL_SEGMENTS_OFFSETS"},
        {segments && bits, "desc.begin_bit, desc.end_bit: given; must be 0 if desc.segments is "
                           "XL_SEGMENTS_OFFSETS"},
        {large && bitonic, "desc.algorithm: XL_SORT_BITONIC; must be XL_SORT_AUTO or "
                           "XL_SORT_RADIX if desc.large is 1"},
        {large && compares, "desc.comparator: given; must be NULL if desc.large is 1"},
        {large && segments,
         "desc.segments: XL_SEGMENTS_OFFSETS; must be XL_SEGMENTS_NONE if desc.large is 1"},
        {large && zeros, "desc.equal_zeros: 1; must be 0 if desc.large is 1"},
    };
    for (size_t i = 0; i < XLI_COUNT(pairs); ++i)
        if (pairs[i].both)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s", pairs[i].text);
    return XL_SUCCESS;
}

xl_status xli_sort_check_desc(const xl_context *ctx, const xl_sort_desc *desc)
{
    xl_status status;
    XL_TRY(desc->comparator ? xli_comparator_check(ctx, desc->comparator)
                            : xli_key_check(ctx, desc->key));
    XL_TRY(check_values(ctx, desc));
    XL_TRY(xli_key_check_order(ctx, desc->order));
    if (desc->algorithm > XL_SORT_RADIX)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.algorithm: %" PRIu32 "; must be an xl_sort_algorithm",
                        desc->algorithm));
    if (desc->large > 1)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.large: %" PRIu32 "; must be 0 or 1",
                        desc->large));
    if (!desc->comparator)
        XL_TRY(check_bits(ctx, desc));
    XL_TRY(xli_key_check_segments(ctx, desc->segments, desc->segment_type));
    XL_TRY(check_pairs(ctx, desc));
done:
    return status;
}

/* The limit lets a tile of two work-items fit into any device's local memory. */
static xl_status resolve_key(const xl_context *ctx, const xli_capabilities *capabilities,
                             const xl_sort_desc *desc, xli_element *element)
{
    enum { MOST = 512 };
    xl_status status;
    XL_TRY(
        xli_element_resolve(ctx, capabilities, "key", (xl_type)desc->key, desc->user_key, element));
    if (element->bytes > MOST)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.key: %zu bytes; must be at most %d if desc.comparator is given",
                        element->bytes, MOST));
done:
    return status;
}

/* The value that travels with the keys; `hides`: the places of the keys, in scratch. */
static xl_type value_of(const xl_sort_desc *desc, size_t bytes, bool hides)
{
    const bool wide = hides || bytes == sizeof(cl_ulong);
    if (desc->value == XL_NONE && !hides)
        return XL_NONE;
    return desc->large && wide ? XL_U64 : XL_U32;
}

/* One array travels with the keys if its elements have 4 bytes, or 8 in a large sort. All others
 * are gathered by the places of the keys. */
xl_status xli_sort_problem_of(const xl_context *ctx, const xli_capabilities *capabilities,
                              const xl_sort_desc *desc, xli_sort_problem *problem)
{
    xl_status status = XL_SUCCESS;
    xli_values values;
    XL_TRY(read_values(ctx, desc, &values));
    const bool asked = desc->value == XL_SORT_INDICES;
    const bool zeros = desc->equal_zeros && xli_key_is_float((xl_type)desc->key);
    const bool none = desc->value == XL_NONE;
    const size_t bytes = values.bytes[0];
    const bool moves = values.count < 2 &&
                       (bytes == sizeof(cl_uint) || (desc->large && bytes == sizeof(cl_ulong)));
    const bool signs = zeros && !desc->values_only; /* are restored by the places of the keys */
    const bool hides = !asked && (signs || (!none && !moves));
    *problem = (xli_sort_problem){
        .key = (xl_type)desc->key,
        .value = value_of(desc, bytes, hides),
        .indices = asked || hides,
        .hides_indices = hides,
        .descending = desc->order == XL_DESCENDING,
        .begin_bit = desc->begin_bit,
        .end_bit = desc->end_bit > 0 ? desc->end_bit : 8 * (uint32_t)xl_type_size(desc->key),
        .stable = desc->stable || desc->segments || zeros,
        .equal_zeros = zeros,
        .keeps_signs = signs,
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
    for (size_t a = hides ? 0 : 1; a < values.count; ++a)
        problem->gathered[problem->num_gathered++] = values.bytes[a];
done:
    return status;
}
