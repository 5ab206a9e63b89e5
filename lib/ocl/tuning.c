/* SPDX-License-Identifier: MIT
 * Tuning values of a context: what lib/tune has to know of the device, and its answers as
 * errors of the context. */
#include "private.h"

static xli_tune_device device_of(const xli_capabilities *capabilities)
{
    return (xli_tune_device){.name = capabilities->info.name,
                             .vendor_id = capabilities->vendor_id,
                             .capability = capabilities->nv_capability,
                             .is_cpu = capabilities->is_cpu,
                             .has_lanes = capabilities->lane_way != XLI_LANE_LOCAL,
                             .most_rounds = capabilities->most_rounds,
                             .no_radix = xli_rusticl_compiles_no_radix(capabilities),
                             .compute_units = capabilities->info.compute_units,
                             .local_bytes = capabilities->info.local_bytes,
                             .max_work_group = xli_most_work_items(capabilities)};
}

/* Takes over the text. */
static xl_status report(const xl_context *ctx, xl_status status, xli_text *why)
{
    if (status != XL_SUCCESS && why->failed)
        status = xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY,
                          "no memory for what is wrong with a "
                          "tuning value");
    else if (status != XL_SUCCESS)
        status = xli_fail(ctx, status, "%s", why->data);
    xli_text_free(why);
    return status;
}

xl_status xli_settings_read_tuning(const char *path, xli_tuning **tuning)
{
    xli_text why = {0};
    const xl_status status = xli_tuning_read(path, &why, tuning);
    return report(NULL, status, &why);
}

xl_status xli_context_tune(const xl_context *ctx, const xli_capabilities *capabilities,
                           const xli_tune_wish *wish, xli_tune_device *device, xli_tune *tune)
{
    xli_text why = {0};
    *device = device_of(capabilities);
    const xl_status status = xli_tune_choose(device, ctx->tuning, wish, &why, tune);
    return report(ctx, status, &why);
}
