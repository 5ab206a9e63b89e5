/* SPDX-License-Identifier: MIT
 * Checks of a scan's descriptor. */
#include "scan_plan.h"

#include <string.h>

/* The algorithm of the descriptor, or of CROSSLANE_SCAN if that is AUTO. */
static xl_status read_wish(const xl_context *ctx, const xl_scan_desc *desc, xl_scan_algorithm *wish)
{
    static const struct {
        const char *word;
        xl_scan_algorithm algorithm;
    } words[] = {{"auto", XL_SCAN_AUTO},
                 {"look-back", XL_SCAN_LOOKBACK},
                 {"reduce-then-scan", XL_SCAN_REDUCE_THEN_SCAN}};
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
                    "CROSSLANE_SCAN: \"%s\"; must be auto, look-back or reduce-then-scan", word);
}

/* If the operator rounds, AUTO has an order of operands that is the same on every device
 * (shape_reproducible() in scan_shape.c). The algorithms by name have other orders. */
static xl_status check_reproducible(const xl_context *ctx, const xli_problem *problem,
                                    const xl_scan_desc *desc)
{
    if (!xli_problem_is_reproducible(problem) || desc->algorithm == XL_SCAN_AUTO)
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                    "desc.algorithm: %s; must be XL_SCAN_AUTO if desc.determinism is "
                    "XL_REPRODUCIBLE and the operator rounds",
                    desc->algorithm == XL_SCAN_LOOKBACK ? "XL_SCAN_LOOKBACK"
                                                        : "XL_SCAN_REDUCE_THEN_SCAN");
}

/* A carry alone is a reduction. An algorithm that the descriptor names is never replaced by
 * another. */
static xl_status check_look_back(const xl_context *ctx, const xl_scan_desc *desc,
                                 const xli_capabilities *capabilities)
{
    if (desc->algorithm == XL_SCAN_LOOKBACK && desc->carry == 2)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.algorithm: XL_SCAN_LOOKBACK; must be another one if desc.carry is 2");
    if (desc->algorithm != XL_SCAN_LOOKBACK || capabilities->can_publish)
        return XL_SUCCESS;
    return xli_fail(
        ctx, XL_ERROR_UNSUPPORTED,
        "desc.algorithm: XL_SCAN_LOOKBACK; requires 64-bit messages between work-groups "
        "(relaxed atomics of device scope), which this device does not promise");
}

xl_status xli_scan_check(const xl_context *ctx, const xl_scan_desc *desc,
                         const xli_capabilities *capabilities, xli_problem *problem,
                         xl_scan_algorithm *wish)
{
    xl_status status;
    XL_TRY(xli_problem_resolve(ctx, desc, false, capabilities, problem));
    XL_TRY(read_wish(ctx, desc, wish));
    XL_TRY(check_reproducible(ctx, problem, desc));
    XL_TRY(check_look_back(ctx, desc, capabilities));
    if (problem->carry_alone)
        *wish = XL_SCAN_REDUCE_THEN_SCAN;
done:
    return status;
}
