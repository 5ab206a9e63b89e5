/* SPDX-License-Identifier: MIT
 * What kernels of a problem are given when they are built. */
#include "problem.h"

#include <stdio.h>

/* What kernels read: a launch before a scan makes bits of CSR offsets (cl/scan/scan_heads.cl). */
static xl_segments segments_read(const xli_problem *problem)
{
    return problem->segments == XL_SEGMENTS_OFFSETS && !problem->reduces ? XL_SEGMENTS_FLAG_BITMASK
                                                                         : problem->segments;
}

/* The type of an element of the segments' array. */
static const char *segment_type(xl_segments segments, const xl_scan_desc *desc)
{
    if (segments == XL_SEGMENTS_HEAD_FLAGS)
        return "uchar";
    if (segments == XL_SEGMENTS_KEYS || segments == XL_SEGMENTS_OFFSETS)
        return xli_lane_name(desc->segment_type);
    return "uint";
}

/* Scalars under a built-in operator, read and stored as they are. */
static bool is_built_in(const xli_problem *problem)
{
    return xli_element_is_scalar(&problem->element) && problem->op != XL_USER_OP &&
           !xli_operator_finds_index(problem->op) && !problem->loads && !problem->stores;
}

/* XL_INIT of cl/parameters.txt: the caller's init; of floating-point numbers the 0 that an
 * exclusive sum starts from, which makes 0 of -0, and the identity of minimum and maximum, which
 * skip a NaN here too. */
static size_t init_of(const xli_problem *problem)
{
    if (problem->has_init)
        return 2;
    if (problem->element.kind != XLI_KIND_FLOAT)
        return 0;
    return problem->op == XL_MIN || problem->op == XL_MAX ||
           (problem->op == XL_SUM && !problem->inclusive);
}

/* How accumulators hold a vector (cl/prelude/prelude_accumulator.cl): one of three as one of four, and components
 * below 32 bits as words. */
static void add_held(xli_text *text, const xli_problem *problem)
{
    const bool wraps = problem->op == XL_SUM || problem->op == XL_PROD,
               three = problem->element.lanes == 3;
    const xli_element e = wraps ? xli_element_wrapping(&problem->element) : problem->element;
    const unsigned lanes = three ? 4 : e.lanes;
    const size_t words = e.bytes / sizeof(cl_uint);
    char vector[96], held[96], four[224] = "(e)";
    if (lanes < 2)
        return;
    snprintf(vector, sizeof vector, "%s%u", e.scalar, lanes);
    if (e.bytes >= lanes * sizeof(cl_uint))
        snprintf(held, sizeof held, "%s", vector);
    else if (words > 1)
        snprintf(held, sizeof held, "uint%zu", words);
    else
        snprintf(held, sizeof held, "%s", words == 1 ? "uint" : "ushort");
    if (three)
        snprintf(four, sizeof four, "((%s)((e), (%s)0))", vector, e.scalar);
    xli_text_add(text,
                 "#define xl_held %s\n#define xl_hold(e) as_%s(%s)\n"
                 "#define xl_element_held(h) (as_%s(h)%s)\n",
                 held, held, four, vector, three ? ".xyz" : "");
}

xl_status xli_problem_text(const xl_context *ctx, const xli_problem *problem,
                           const xl_scan_desc *desc, const xli_capabilities *capabilities,
                           const xli_definition *shape, size_t num_shape, xli_text *text)
{
    static const char *const names[] = {"T", "XL_IN", "XL_OUT"};
    char load[XLI_CONVERSION_ROOM], store[XLI_CONVERSION_ROOM];
    const xli_element *types[] = {&problem->element, &problem->in, &problem->out};
    const xl_segments segments = segments_read(problem);
    const xli_definition lines[] = {
        {"XL_BUILT_IN", is_built_in(problem)},
        {segments != XL_SEGMENTS_NONE ? "XL_SEGMENTS" : NULL, (size_t)segments},
        {"XL_INIT", init_of(problem)},
    };
    xli_element_text(text, capabilities, types, XLI_COUNT(types), problem->op, desc->user_op);
    xli_params_text(text, &problem->params);
    xli_element_text_expression(
        text, "load", &problem->element,
        xli_element_conversion(desc->load, &problem->in, &problem->element, load), 1,
        &(xli_expression_argument){"x", &problem->in}, &problem->params);
    if (!xli_operator_finds_index(problem->op))
        xli_element_text_expression(
            text, "store", &problem->out,
            xli_element_conversion(desc->store, &problem->element, &problem->out, store), 1,
            &(xli_expression_argument){"x", &problem->element}, &problem->params);
    xli_text_add(text, "#line 1 \"plan\"\n");
    /* The user's text may have redefined even a type of OpenCL's. */
    for (size_t i = 0; i < XLI_COUNT(types); ++i)
        xli_text_add(text, "typedef char size_of_%s_is_not_%zu[sizeof(%s) == %zu ? 1 : -1];\n",
                     names[i], types[i]->bytes, types[i]->storage, types[i]->bytes);
    xli_text_add(text, "#define XL_IN %s\n#define XL_OUT %s\n", problem->in.storage,
                 problem->out.storage);
    xli_element_text_access(text, problem->op, types, problem->loads, problem->stores,
                            &problem->params);
    xli_text_add(text, "#define XL_SEG %s\n", segment_type(segments, desc));
    if (problem->state != XLI_ACCUMULATOR_PLAIN)
        add_held(text, problem);
    xli_text_define(text, lines, XLI_COUNT(lines));
    xli_text_define(text, shape, num_shape);
    if (text->failed)
        return xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a plan's definitions");
    return XL_SUCCESS;
}

xl_status xli_problem_program(xl_context *ctx, const xli_problem *problem,
                              const xli_capabilities *capabilities, const char *name,
                              const xli_text *text, uint32_t registers, xli_program **program)
{
    const xli_element *types[] = {&problem->element, &problem->in, &problem->out};
    const xl_status status = xli_program_get_limited(ctx, name, text->data, registers, program);
    return status == XL_ERROR_BUILD
               ? xli_element_explain(ctx, capabilities, types, XLI_COUNT(types))
               : status;
}
