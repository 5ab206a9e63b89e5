/* SPDX-License-Identifier: MIT
 * Data of workloads: random numbers, and segments of many lengths. */
#include "workload.h"

#include <stdlib.h>

uint64_t random_next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

void random_fill(size_t n, uint32_t *out)
{
    uint64_t state = 3;
    for (size_t i = 0; i < n; ++i)
        out[i] = (uint32_t)(random_next(&state) >> 32);
}

/* Whether a segment begins at element i. Parts with short and with long segments alternate. */
static bool is_head(xl_segments form, size_t i, uint64_t r)
{
    return i == 0 || (form != XL_SEGMENTS_NONE && r % (i % 8192 < 3000 ? 3 : 2500) == 0);
}

bool cuts_make(xl_segments form, size_t n, cuts *c)
{
    uint64_t state = n + 29;
    *c = (cuts){.heads = calloc(n + 1, 1),
                .at = calloc(n + 2, sizeof *c->at),
                .offsets = calloc(n + 2, sizeof *c->offsets)};
    if (!c->heads || !c->at || !c->offsets)
        return false;
    for (size_t i = 0; i < n; ++i) {
        c->heads[i] = is_head(form, i, random_next(&state));
        if (c->heads[i]) {
            c->offsets[c->count] = (uint32_t)i;
            c->at[c->count++] = i;
        }
    }
    c->offsets[c->count] = (uint32_t)n;
    c->at[c->count] = n;
    return true;
}

void cuts_free(cuts *c)
{
    free(c->heads);
    free(c->at);
    free(c->offsets);
    *c = (cuts){.count = 0};
}
