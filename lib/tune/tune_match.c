/* SPDX-License-Identifier: MIT
 * How a row of a built-in table is found. */
#include "tune.h"

bool xli_tune_fits(const xli_tune_match *match, const xli_tune_device *device)
{
    return (!match->device || xli_text_contains_nocase(device->name, match->device)) &&
           (match->vendor_id == 0 || match->vendor_id == device->vendor_id) &&
           match->capability <= device->capability && (!match->is_cpu || device->is_cpu);
}
