/* SPDX-License-Identifier: MIT
 * What the engine tells its kernels: definitions when they are built, arguments when
 * they run. */
#include "flat.h"

/* The caller's expression as a function, and the call of it. The expression stands alone on its
 * lines, so that the columns of messages are the caller's. */
static void add_expression(xli_text *text, const char *field, const xli_element *result,
                           const xli_element *argument, const char *expression)
{
    if (!expression)
        return;
    xli_text_add(text,
                 "#line 1 \"call of %s\"\n%s xl_%s_by(%s x, ulong i) { return (\n"
                 "#line 1 \"%s\"\n%s\n#line 1 \"end of %s\"\n); }\n",
                 field, result->name, field, argument->name, field, expression, field);
    xli_text_add(text,
                 "#line 1 \"call of %s\"\n"
                 "%s xl_user_%s(%s xl_x, ulong xl_i) { return %s(xl_%s_by(%s(xl_x), xl_i)); }\n",
                 field, result->held, field, argument->held, result->close, field, argument->open);
}

/* The type of an element of the segments' array. */
static const char *segment_type(const xl_scan_desc *desc)
{
    static const char *const names[] = {
        [XL_I8] = "char", [XL_U8] = "uchar", [XL_I16] = "short", [XL_U16] = "ushort",
        [XL_I32] = "int", [XL_U32] = "uint", [XL_I64] = "long",  [XL_U64] = "ulong"};
    if (desc->segments == XL_SEGMENTS_HEAD_FLAGS)
        return "uchar";
    if (desc->segments == XL_SEGMENTS_KEYS || desc->segments == XL_SEGMENTS_OFFSETS)
        return names[desc->segment_type];
    return "uint";
}

xl_status xli_flat_text(const xli_flat *flat, const xl_scan_desc *desc, const xli_facts *facts,
                        xli_text *text)
{
    const xli_flat_source *source = &flat->source;
    const xli_element *types[] = {&source->element, &source->in, &flat->out};
    const bool serial = flat->items == 0;
    const struct {
        const char *name;
        size_t value;
    } lines[] = {
        {"XL_STATE", source->state},
        {"XL_IN_BYTES", source->in.bytes},
        {"XL_OUT_BYTES", flat->out.bytes},
        {"XL_LOAD", source->loads},
        {"XL_STORE", flat->stores},
        {"XL_SEGMENTS", (size_t)source->segments},
        {"XL_HAS_INIT", source->has_init},
        {"XL_CARRY", source->carries},
        {"XL_INCLUSIVE", flat->inclusive},
        {"XL_SERIAL", serial},
        {"XL_TILE", flat->tile},
        {"XL_GROUP_SIZE", flat->group_size},
        {"XL_ITEMS", flat->items},
        {"XL_VLEN", flat->vector},
        {"XL_ORDERED", source->rounds && flat->determinism != XL_UNORDERED},
        {"XL_SHARE",
         flat->ahead ? xli_max(1, flat->tune.ahead_block / flat->group_size) : flat->tune.share},
        {"XL_BULK", flat->bulk},
        {"XL_FEW", flat->few},
        {"XL_APART", flat->apart},
        {"XL_SPIN_LIMIT", flat->tune.spin_limit},
        {"XL_BLELLOCH", flat->algorithm == XL_SCAN_BLELLOCH},
        {"XL_HOLD_BACK", flat->tune.hold_back},
        {"XL_HOLD_HALF", flat->tune.hold_half},
    };
    xli_element_text(text, facts, types, XLI_COUNT(types), source->op, desc->user_op);
    add_expression(text, "load", &source->element, &source->in, desc->load);
    add_expression(text, "store", &flat->out, &source->element, desc->store);
    xli_text_add(text, "#line 1 \"plan\"\n");
    /* The user's text may have redefined even a type of OpenCL's. */
    static const char *const names[] = {"XL_R", "XL_IN", "XL_OUT"};
    for (size_t i = 0; i < XLI_COUNT(types); ++i)
        xli_text_add(text,
                     "#define %s %s\n"
                     "typedef char size_of_%s_is_not_%zu[sizeof(%s) == %zu ? 1 : -1];\n",
                     names[i], types[i]->held, names[i], types[i]->bytes, names[i],
                     types[i]->bytes);
    xli_text_add(text, "#define XL_SEG %s\n", segment_type(desc));
    for (size_t i = 0; i < XLI_COUNT(lines); ++i)
        xli_text_add(text, "#define %s %zu\n", lines[i].name, lines[i].value);
    if (text->failed)
        return xli_fail(flat->ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a plan's definitions");
    return XL_SUCCESS;
}

xl_status xli_flat_program(const xli_flat *flat, const xli_facts *facts, const char *name,
                           const xli_text *text, xli_program **program)
{
    const xli_element *types[] = {&flat->source.element, &flat->source.in, &flat->out};
    const xl_status status = xli_program_get(flat->ctx, name, text->data, program);
    return status == XL_ERROR_BUILD ? xli_element_explain(flat->ctx, facts, types, XLI_COUNT(types))
                                    : status;
}

size_t xli_flat_input_args(const xli_flat_source *source, const xli_flat_places *places, size_t n,
                           xli_arg *args)
{
    size_t k = 0;
    args[k++] = XLI_MEM(places->in.buffer);
    args[k++] = XLI_U64(places->in.offset);
    args[k++] = XLI_U64(n);
    args[k++] = XLI_MEM(places->n_device.buffer); /* or NULL */
    args[k++] = XLI_U64(places->n_device.offset);
    if (source->has_init) {
        args[k++] = XLI_MEM(source->init);
        args[k++] = XLI_U64(source->init_offset);
    }
    if (source->carries) {
        args[k++] = XLI_MEM(places->carry_in.buffer); /* or NULL */
        args[k++] = XLI_U64(places->carry_in.offset);
        args[k++] = XLI_MEM(places->carry_out.buffer); /* or NULL */
        args[k++] = XLI_U64(places->carry_out.offset);
        args[k++] = XLI_U64(places->first_index);
    }
    if (source->segment_bytes > 0) {
        args[k++] = XLI_MEM(places->segments.buffer);
        args[k++] = XLI_U64(places->segments.offset);
        args[k++] = XLI_U64(places->segment_count);
    } else if (source->segments != XL_SEGMENTS_NONE) {
        args[k++] = XLI_U64(source->width);
        args[k++] = XLI_U64(source->mask);
    }
    return k;
}
