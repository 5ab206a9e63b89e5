/* SPDX-License-Identifier: MIT
 * Tuning values of a context: what lib/tune has to know of the device, and its answers as
 * errors of the context. */
#include "private.h"

static xli_tune_device device_of(const xli_capabilities *capabilities)
{
    return (xli_tune_device){.vendor_id = capabilities->vendor_id,
                             .capability = capabilities->nv_capability,
                             .is_cpu = capabilities->is_cpu,
                             .has_lanes = capabilities->lane_way != XLI_LANE_LOCAL,
                             .most_rounds = capabilities->most_rounds,
                             .no_radix = xli_rusticl_compiles_no_radix(capabilities),
                             .compute_units = capabilities->info.compute_units,
                             .local_bytes = capabilities->info.local_bytes,
                             .max_work_group = xli_most_work_items(capabilities)};
}

xl_status xli_context_tune(const xl_context *ctx, const xli_capabilities *capabilities,
                           const xli_tune_wish *wish, xli_tune_device *device, xli_tune *tune)
{
    xli_text why = {0};
    *device = device_of(capabilities);
    const xl_status status = xli_tune_choose(device, ctx->tuning, wish, &why, tune);
    return xli_fail_text(ctx, status, &why);
}

/* The values that plans of the context start from; zeros without one. */
static xl_status learn_values(xl_context *ctx, xli_tune *tune)
{
    xl_status status = XL_SUCCESS;
    const xli_capabilities *capabilities;
    xli_tune_device device;
    *tune = (xli_tune){0};
    if (!ctx)
        return XL_SUCCESS;
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    XL_TRY(xli_context_tune(ctx, capabilities, &(xli_tune_wish){0}, &device, tune));
done:
    return status;
}

uint32_t xl_tunables_each(xl_context *ctx, xl_tunable_visitor *visit, void *user)
{
    xli_tune tune;
    uint32_t count = 0;
    if (learn_values(ctx, &tune) != XL_SUCCESS)
        return 0;
    for (size_t i = 0; i < XLI_TUNABLES; ++i) {
        const xli_tunable *t = &xli_tunables[i];
        const xl_tunable_info info = {.name = t->name,
                                      .meaning = t->meaning,
                                      .least = t->least,
                                      .greatest = t->greatest,
                                      .value = xli_tunable_value(t, &tune),
                                      .zero = t->zero,
                                      .from_file = ctx && ctx->tuning && ctx->tuning->given[i],
                                      .step = t->step,
                                      .turn = t->turn};
        if (t->for_tests)
            continue;
        ++count;
        if (visit)
            visit(user, &info);
    }
    return count;
}
