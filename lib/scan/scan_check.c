/* SPDX-License-Identifier: MIT
 * Checks of a scan's descriptor and of its calls, before any side effect. */
#include "scan_plan.h"

#include <string.h>

/* CROSSLANE_SCAN, which speaks where the descriptor says AUTO. */
static xl_status read_wish(const xl_context *ctx, const xl_scan_desc *desc, xl_scan_algorithm *wish)
{
    static const struct {
        const char *word;
        xl_scan_algorithm algorithm;
    } words[] = {{"auto", XL_SCAN_AUTO},
                 {"look-back", XL_SCAN_LOOKBACK},
                 {"reduce-then-scan", XL_SCAN_REDUCE_THEN_SCAN},
                 {"kogge-stone", XL_SCAN_KOGGE_STONE},
                 {"blelloch", XL_SCAN_BLELLOCH}};
    const char *word = xli_context_scan_setting(ctx);
    *wish = desc->algorithm;
    if (*wish != XL_SCAN_AUTO || !word)
        return XL_SUCCESS;
    for (size_t i = 0; i < XLI_COUNT(words); ++i) {
        if (strcmp(word, words[i].word) == 0) {
            *wish = words[i].algorithm;
            return XL_SUCCESS;
        }
    }
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                    "CROSSLANE_SCAN: \"%s\" is not one of auto, look-back, reduce-then-scan, "
                    "kogge-stone, blelloch",
                    word);
}

/* Where an operator rounds only trees that no device changes round everywhere alike: those of the
 * textbook scans, and the one that AUTO takes (shape_tree() in scan_shape.c), by whatever launches.
 */
static xl_status heed_reproducible(const xl_context *ctx, const xli_problem *problem,
                                   const xl_scan_desc *desc, xl_scan_algorithm *wish)
{
    if (!xli_problem_is_reproducible(problem) || xli_scan_is_textbook(*wish))
        return XL_SUCCESS;
    if (desc->algorithm != XL_SCAN_AUTO)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "algorithm: %s applies an operator that rounds in an order that depends "
                        "on the device; XL_REPRODUCIBLE needs XL_SCAN_AUTO, "
                        "XL_SCAN_KOGGE_STONE or XL_SCAN_BLELLOCH",
                        desc->algorithm == XL_SCAN_LOOKBACK ? "look-back" : "reduce-then-scan");
    if (!xli_scan_has_tree(problem))
        *wish = XL_SCAN_KOGGE_STONE;
    return XL_SUCCESS;
}

/* What a descriptor asks for by name is had, or refused. */
static xl_status check_messages(const xl_context *ctx, const xl_scan_desc *desc,
                                const xli_capabilities *capabilities)
{
    if (desc->algorithm != XL_SCAN_LOOKBACK || capabilities->can_publish)
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                    "algorithm: look-back needs 64-bit messages between work-groups (relaxed "
                    "atomics of device scope), which this device does not promise");
}

xl_status xli_scan_check(const xl_context *ctx, const xl_scan_desc *desc,
                         const xli_capabilities *capabilities, xli_problem *problem,
                         xl_scan_algorithm *wish)
{
    xl_status status;
    XL_TRY(xli_problem_resolve(ctx, desc, false, capabilities, problem));
    XL_TRY(read_wish(ctx, desc, wish));
    XL_TRY(heed_reproducible(ctx, problem, desc, wish));
    XL_TRY(check_messages(ctx, desc, capabilities));
done:
    return status;
}

/* The views of an array that is a part of a longer one. */
static xl_status check_carry(const xl_context *ctx, const xli_problem *problem,
                             const xl_scan_args *call, xli_spans *spans)
{
    xl_status status;
    const size_t bytes = problem->element.bytes, carry = xli_problem_carry(problem);
    const xli_span *const others[] = {&spans->in,          &spans->segments, &spans->n_device,
                                      &problem->init_view, &spans->carry_in, &spans->out};
    if (!problem->carries && (call->carry_in.buffer || call->carry_out.buffer || call->first_index))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s: given, but the plan was made without desc.carry",
                        call->carry_in.buffer    ? "carry_in"
                        : call->carry_out.buffer ? "carry_out"
                                                 : "first_index");
    if (problem->segments == XL_SEGMENTS_KEYS && call->carry_in.buffer && call->n > 0 &&
        call->segments.offset == 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "segments: with carry_in the key before the view's first is read; pass an "
                        "offset of 1 or more");
    XL_TRY(xli_check_view(ctx, "carry_in", call->carry_in, call->carry_in.buffer ? carry : 0, bytes,
                          XLI_READ, &spans->carry_in));
    XL_TRY(xli_check_view(ctx, "carry_out", call->carry_out, call->carry_out.buffer ? carry : 0,
                          bytes, XLI_WRITE, &spans->carry_out));
    XL_TRY(xli_check_apart(ctx, &spans->carry_in, &spans->out, false));
    for (size_t i = 0; i < XLI_COUNT(others); ++i)
        XL_TRY(xli_check_apart(ctx, others[i], &spans->carry_out, false));
    spans->first_index = call->first_index;
done:
    return status;
}

xl_status xli_scan_check_call(const xl_context *ctx, const xli_problem *problem,
                              const xl_scan_args *call, xli_spans *spans)
{
    xl_status status;
    const size_t in = problem->in.bytes, out = problem->out.bytes;
    XL_TRY(xli_params_read(ctx, &problem->params, call->params, &spans->params));
    XL_TRY(xli_problem_check_source(ctx, problem, call, spans));
    XL_TRY(xli_check_view(ctx, "out", call->out, call->n, out, XLI_WRITE, &spans->out));
    XL_TRY(xli_check_apart(ctx, &spans->in, &spans->out, in == out));
    XL_TRY(xli_check_apart(ctx, &spans->segments, &spans->out, false));
    XL_TRY(xli_check_apart(ctx, &spans->n_device, &spans->out, false));
    XL_TRY(xli_check_apart(ctx, &problem->init_view, &spans->out, false));
    XL_TRY(check_carry(ctx, problem, call, spans));
    spans->in_place = spans->in.root == spans->out.root && spans->in.begin == spans->out.begin;
done:
    return status;
}
