/* SPDX-License-Identifier: MIT
 * Segments that options of `crosslane scan`, `crosslane reduce` and `crosslane sort` describe:
 * read, checked, and uploaded. */
#include "tool.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_MASK_WIDTH = 64 };

const char *const segments_names[] = {
    [XL_SEGMENTS_NONE] = "none",         [XL_SEGMENTS_HEAD_FLAGS] = "flags",
    [XL_SEGMENTS_FLAG_BITMASK] = "bits", [XL_SEGMENTS_KEYS] = "keys",
    [XL_SEGMENTS_OFFSETS] = "offsets",   [XL_SEGMENTS_WIDTH] = "width",
    [XL_SEGMENTS_MASK] = "mask"};

static int check_width(const char *command, const segment_options *o, segments *g)
{
    if (!count_parse(o->width, &g->width) || g->width == 0)
        return tool_misuse("%s: --width: \"%s\"; must be a whole number from 1 to 2^64 - 1",
                           command, o->width);
    if (!o->mask)
        return TOOL_OK;
    if (g->width > MOST_MASK_WIDTH)
        return tool_misuse("%s: --width: %" PRIu64 "; must be 1 to 64 with --mask", command,
                           g->width);
    if (!count_parse(o->mask, &g->mask))
        return tool_misuse(
            "%s: --mask: \"%s\"; must be a whole number from 0 to 2^64 - 1, such as 0x29", command,
            o->mask);
    g->form = XL_SEGMENTS_MASK;
    return TOOL_OK;
}

int segments_choose(const char *command, const segment_options *o, int axis, segments *g)
{
    const struct {
        const char *given;
        xl_segments form;
    } ways[] = {{o->flags, XL_SEGMENTS_HEAD_FLAGS},
                {o->bits, XL_SEGMENTS_FLAG_BITMASK},
                {o->keys, XL_SEGMENTS_KEYS},
                {o->offsets, XL_SEGMENTS_OFFSETS},
                {o->width, XL_SEGMENTS_WIDTH}};
    *g = (segments){.form = XL_SEGMENTS_NONE};
    for (size_t i = 0; i < TOOL_COUNT(ways); ++i) {
        if (!ways[i].given)
            continue;
        if (g->form != XL_SEGMENTS_NONE)
            return tool_misuse("%s: --%s and --%s exclude each other; give one", command,
                               segments_names[g->form], segments_names[ways[i].form]);
        g->form = ways[i].form;
        g->path = ways[i].given;
    }
    if (axis != AXIS_NONE && g->form != XL_SEGMENTS_NONE)
        return tool_misuse("%s: --axis and --%s exclude each other; give one", command,
                           segments_names[g->form]);
    if (o->mask && !o->width)
        return tool_misuse("%s: --mask: given without --width; requires --width W, the number of "
                           "elements that the mask covers",
                           command);
    return o->width ? check_width(command, o, g) : TOOL_OK;
}

segments segments_partial(const char *path)
{
    return (segments){
        .form = path ? XL_SEGMENTS_OFFSETS : XL_SEGMENTS_NONE, .path = path, .partial = true};
}

/* Negative offsets become large ones. */
static uint64_t offset_at(const xli_npy *array, size_t i)
{
    uint32_t narrow;
    uint64_t wide;
    if (array->item_bytes == sizeof wide) {
        memcpy(&wide, (const char *)array->data + i * sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&narrow, (const char *)array->data + i * sizeof narrow, sizeof narrow);
    return narrow;
}

static int check_offsets(const segments *g, size_t n)
{
    const xli_npy *a = &g->array;
    char text[2][ELEMENT_TEXT_BYTES];
    if (a->count == 0)
        return tool_fail("%s: 0 offsets; must be %s", g->path,
                         g->partial ? "one for each segment" : "one more than there are segments");
    const uint64_t first = offset_at(a, 0), last = offset_at(a, a->count - 1);
    if (!g->partial && first != 0)
        return tool_fail("%s: offset 0 is %s; must be 0", g->path, element_text(a, 0, text[0]));
    for (size_t i = 1; i < a->count; ++i)
        if (offset_at(a, i) < offset_at(a, i - 1) || offset_at(a, i) > n)
            return tool_fail("%s: offset %zu is %s after %s; must not be less than the offset "
                             "before it or more than the number of elements, %zu",
                             g->path, i, element_text(a, i, text[0]),
                             element_text(a, i - 1, text[1]), n);
    if (g->partial ? last > n : last != n)
        return tool_fail("%s: the last offset is %s; must be %sthe number of elements, %zu",
                         g->path, element_text(a, a->count - 1, text[0]),
                         g->partial ? "at most " : "", n);
    return TOOL_OK;
}

static int check_count(const segments *g, size_t n)
{
    const bool bits = g->form == XL_SEGMENTS_FLAG_BITMASK;
    const size_t wanted = bits ? n / 32 + (n % 32 > 0) : n;
    if (g->array.count == wanted)
        return TOOL_OK;
    if (bits)
        return tool_fail("%s: %zu words of bits; must be %zu, one for each 32 of the %zu elements",
                         g->path, g->array.count, wanted, n);
    return tool_fail("%s: %zu %s for %zu elements; must be one for each element", g->path,
                     g->array.count, segments_names[g->form], n);
}

/* Checks the type of the array. */
static int check_kind(segments *g)
{
    const char kind = g->array.kind;
    const uint32_t bytes = g->array.item_bytes;
    const bool integer = kind != 'f';
    const struct {
        bool good;
        const char *wanted;
    } rules[] = {[XL_SEGMENTS_HEAD_FLAGS] = {bytes == 1 && kind != 'f', "bool, u8 or i8"},
                 [XL_SEGMENTS_FLAG_BITMASK] = {kind == 'u' && bytes == 4, "u32, 32 bits in each"},
                 [XL_SEGMENTS_KEYS] = {integer, "integers"},
                 [XL_SEGMENTS_OFFSETS] = {integer && bytes >= 4, "u32, u64, i32 or i64"}};
    if (!rules[g->form].good)
        return tool_fail("%s: elements of type %s; --%s requires %s", g->path,
                         array_type_name(&g->array), segments_names[g->form],
                         rules[g->form].wanted);
    if (g->form == XL_SEGMENTS_KEYS)
        g->type = array_type(&g->array);
    if (g->form == XL_SEGMENTS_OFFSETS)
        g->type = bytes == 4 ? XL_U32 : XL_U64;
    return TOOL_OK;
}

int segments_read(const char *command, segments *g, size_t n)
{
    int result = TOOL_OK;
    if (!g->path || g->form >= XL_SEGMENTS_WIDTH)
        return TOOL_OK;
    TRY(array_read(g->path, &g->array));
    TRY(array_check_vector(command, g->path, &g->array));
    TRY(check_kind(g));
    TRY(g->form == XL_SEGMENTS_OFFSETS ? check_offsets(g, n) : check_count(g, n));
done:
    return result;
}

int segments_upload(const session *s, segments *g)
{
    if (!g->array.data)
        return TOOL_OK;
    return session_upload(s, g->array.data, g->array.count * g->array.item_bytes, "segments",
                          &g->buffer);
}

xl_view segments_view(const segments *g)
{
    return g->buffer ? xl_view_n(g->buffer, 0, g->array.count) : xl_no_view();
}

void segments_free(segments *g)
{
    session_release(&g->buffer);
    xli_npy_free(&g->array);
}
