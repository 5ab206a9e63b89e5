/* SPDX-License-Identifier: MIT
 * How a row of a built-in table is found. */
#include "tune.h"

bool xli_tune_fits(const xli_tune_match *match, const xli_facts *facts)
{
    return (!match->device || xli_text_contains_nocase(facts->info.name, match->device)) &&
           (match->vendor_id == 0 || match->vendor_id == facts->vendor_id) &&
           match->capability <= facts->nv_capability && (!match->is_cpu || facts->is_cpu);
}
