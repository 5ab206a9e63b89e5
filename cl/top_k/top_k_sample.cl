/* SPDX-License-Identifier: MIT
 * The bound that a sample supplies to the selection of cl/top_k/top_k.cl, if there are many keys:
 * the rank of a key in the sample is known, so that few more keys than needed are likely to be
 * within it. A separate program, which is built when the first call needs it; chunks have lists
 * then. The host launches, once for each digit,
 *   xl_top_k_sample     counts the next digit of the sample
 * and then once
 *   xl_top_k_bound      makes short lists of each chunk's keys within the bound */
#include "top_k_pass.cl"

/* The `sample` keys of the sample are cut into parts of `part` keys. */
__kernel XL_TOP_K_REQUIRED void xl_top_k_sample(uint pass, uint n, uint sample, uint part,
                                                __global uchar *scratch, ulong state,
                                                __global const XL_KEY *keys, ulong keys_offset)
{
    __local xl_top_k_local l;
    const xl_top_k all = xl_top_k_at(scratch, state, 0), t = xl_top_k_of_sample(&all);
    const uint c = (uint)get_group_id(0), first = c * part;
    const xl_top_k_state s = xl_top_k_state_find(&t, pass, c, &l);
    if (!xl_top_k_is_found(&s)) {
        const uint stride = max(min(s.n, n) / sample, 1u);
        const xl_top_k_keys mine =
            xl_top_k_keys_sampled(keys + keys_offset, stride, first, min(part, sample - first));
        xl_top_k_count_keys(&mine, &s, t.counts + pass * XL_DIGITS, &l);
    }
}

/* A chunk has no list if more keys are within the bound than its list has room for. */
__kernel XL_TOP_K_REQUIRED void xl_top_k_bound(uint passes, uint n, uint chunks,
                                               __global uchar *scratch, ulong state,
                                               __global const XL_KEY *keys, ulong keys_offset)
{
    __local xl_top_k_local l;
    const xl_top_k t = xl_top_k_at(scratch, state, chunks), sampled = xl_top_k_of_sample(&t);
    const uint c = (uint)get_group_id(0);
    const xl_top_k_state s = xl_top_k_state_find(&sampled, passes, c, &l);
    const xl_top_k_range range = xl_top_k_range_of(&s, n, c, chunks);
    const uint listed = xl_top_k_make_list(keys + keys_offset + range.begin, range.length, &s,
                                           t.lists + (size_t)c * XL_TOP_K_ROOM, &l);
    if (get_local_id(0) == 0) {
        t.listed[c] = listed;
        atomic_add(t.bounded, min(listed, (uint)XL_TOP_K_ROOM));
    }
}
