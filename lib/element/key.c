/* SPDX-License-Identifier: MIT
 * Keys as kernels order them. */
#include "key.h"
#include "user_text.h"

#include <crosslane/sort.h>

/* The XLI_KIND_... of a type of keys; -1 for other types. */
static int kind_of(xl_type type)
{
    return type > XL_NONE && type <= XL_F64 ? (int)xli_lane_kind(type) : -1;
}

xl_status xli_key_check(const xl_context *ctx, uint32_t key)
{
    if (kind_of((xl_type)key) >= 0)
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                    "desc.key: %s (%d); must be i8 to i64, u8 to u64, f16, f32 or f64",
                    xl_type_name((xl_type)key), (int)key);
}

xl_status xli_key_check_order(const xl_context *ctx, uint32_t order)
{
    if (order == XL_ASCENDING || order == XL_DESCENDING)
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                    "desc.order: %d; must be XL_ASCENDING or XL_DESCENDING", (int)order);
}

xl_status xli_key_check_segments(const xl_context *ctx, uint32_t segments, uint32_t type)
{
    const bool offsets = segments == XL_SEGMENTS_OFFSETS;
    if (!offsets && segments != XL_SEGMENTS_NONE)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.segments: %d; must be XL_SEGMENTS_NONE or XL_SEGMENTS_OFFSETS",
                        (int)segments);
    if (offsets ? type != XL_U32 && type != XL_U64 : type != XL_NONE)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.segment_type: %s (%d); %s",
                        xl_type_name((xl_type)type), (int)type,
                        offsets ? "must be u32 or u64"
                                : "must be XL_NONE if desc.segments is XL_SEGMENTS_NONE");
    return XL_SUCCESS;
}

bool xli_key_is_float(xl_type type)
{
    return kind_of(type) == XLI_KIND_FLOAT;
}

void xli_key_text(xli_text *text, xl_type type, bool descending, bool equal_zeros)
{
    enum { EQUAL_ZEROS = 4 };
    const bool zeros = equal_zeros && xli_key_is_float(type);
    xli_text_add(text,
                 "#define XL_KEY_BYTES %zu\n#define XL_KEY_KIND %d\n#define XL_KEY_DESCENDING %d\n",
                 xl_type_size(type), zeros ? EQUAL_ZEROS : kind_of(type), descending);
}

xl_status xli_comparator_check(const xl_context *ctx, const xl_user_comparator *comparator)
{
    if (!comparator->name)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.comparator->name: NULL; must be given");
    const xl_status status =
        xli_element_check_identifier(ctx, "desc.", "comparator", comparator->name);
    return status == XL_SUCCESS
               ? xli_check_source(ctx, "desc.comparator->source", comparator->source)
               : status;
}

void xli_comparator_text(xli_text *text, const xli_capabilities *capabilities,
                         const xli_element *key, const xl_user_comparator *comparator,
                         bool descending)
{
    xli_element_text_types(text, capabilities, &key, 1);
    if (comparator->source)
        xli_text_add(text, "#line 1 \"comparator %s\"\n%s\n", comparator->name, comparator->source);
    xli_text_add(text,
                 "#line 1 \"call of comparator %s\"\n"
                 "int xl_user_before(%s xl_a, %s xl_b) { return %s(%s(xl_a), %s(xl_b)) != 0; }\n",
                 comparator->name, key->storage, key->storage, comparator->name, key->open,
                 key->open);
    xli_element_text_signature(text, "comparator", comparator->name, comparator->source, key, NULL);
    xli_text_add(text,
                 "#line 1 \"plan\"\ntypedef %s xl_user_key;\n"
                 "#define XL_KEY_KIND %d\n#define XL_KEY_DESCENDING %d\n",
                 key->storage, XLI_KIND_USER, descending);
}
