/* SPDX-License-Identifier: MIT
 * Reductions as plain C: one loop over each segment. */
#include "reference.h"

#include <math.h>
#include <string.h>

static bool is_nan(xl_type scalar, const unsigned char *x)
{
    float f;
    double d;
    uint16_t half;
    if (scalar == XL_F16)
        return memcpy(&half, x, sizeof half), isnan(ref_half_value(half));
    if (scalar == XL_F32)
        return memcpy(&f, x, sizeof f), isnan(f);
    return scalar == XL_F64 && (memcpy(&d, x, sizeof d), isnan(d));
}

/* The index of the first least (or greatest) element of [begin, end). */
static uint64_t best_of(const ref_flat *ref, const void *in, uint64_t begin, uint64_t end)
{
    ref_op *choose = ref_op_of(ref->scalar, ref->op_name == XL_ARG_MIN ? XL_MIN : XL_MAX);
    unsigned char best[REF_MOST_BYTES], x[REF_MOST_BYTES], kept[REF_MOST_BYTES];
    uint64_t index = UINT64_MAX;
    for (uint64_t i = begin; i < end; ++i) {
        ref_take(ref, in, (size_t)i, x);
        if (is_nan(ref->scalar, x))
            continue;
        if (index != UINT64_MAX) {
            choose(kept, best, x);
            if (memcmp(kept, best, ref->bytes) == 0)
                continue;
        }
        memcpy(best, x, ref->bytes);
        index = i;
    }
    return index;
}

void ref_reduce(const ref_flat *ref, const void *in, const uint64_t *begin, size_t count, void *out)
{
    const void *start = ref->init ? ref->init : ref->identity;
    unsigned char x[REF_MOST_BYTES], sum[REF_MOST_BYTES] = {0};
    for (size_t s = 0; s < count; ++s) {
        bool some = start != NULL;
        if (ref->op_name == XL_ARG_MIN || ref->op_name == XL_ARG_MAX) {
            ((uint64_t *)out)[s] = best_of(ref, in, begin[s], begin[s + 1]);
            continue;
        }
        if (start)
            memcpy(sum, start, ref->bytes);
        /* An empty sum is 0, not the identity -0. */
        if (begin[s] == begin[s + 1] && !ref->init && ref->op_name == XL_SUM)
            memset(sum, 0, ref->bytes);
        for (uint64_t i = begin[s]; i < begin[s + 1]; ++i) {
            ref_take(ref, in, (size_t)i, x);
            if (some)
                ref_combine(ref, sum, sum, x);
            else
                memcpy(sum, x, ref->bytes);
            some = true;
        }
        ref_give(ref, sum, s, out);
    }
}
