/* SPDX-License-Identifier: MIT
 * The k keys that come first, by radix select: the digits of the k-th key one after the other, the
 * highest first (AIR top-k, SC '23; RadiK, ICS '24; see include/crosslane/topk.h).
 *
 * The host launches the same whatever the keys are:
 *   xl_topk_begin      clears the counts
 * then, as often as a key has digits,
 *   xl_topk_count      finds the digit that the last pass counted, and counts the next one of each
 *                      chunk's candidates; a chunk that has none is not read
 * and then
 *   xl_topk_offsets    finds the last digit, and where the results of each chunk go
 *   xl_topk_write      writes them in the order of the input; a chunk that has none is not read
 * Passes return at once when all candidates are results. Where results are sorted there follow
 *   xl_topk_rank_keys  of keys of 8 bytes: pairs of a place and an index
 *   xl_topk_gather     the results from sorted pairs
 * Keys and scratch that somebody changes meanwhile give other results, and nothing is written
 * outside. */
#include "../prelude/prelude.cl"

/* Both shapes need it; embedding takes each file once, so not inside the condition. */
#include "topk_state.cl"

#if XL_TOPK_SHAPE == 0
#include "topk_group.cl"
#else
#include "topk_serial.cl"
#endif

#define XL_TOPK_REQUIRED __attribute__((reqd_work_group_size(XL_TOPK_GROUP, 1, 1)))

__kernel void xl_topk_begin(uint n, uint results, uint passes, __global uchar *scratch, ulong state)
{
    const xl_topk t = xl_topk_at(scratch, state, 0);
    for (uint i = (uint)get_local_id(0); i < passes * XL_DIGITS; i += (uint)get_local_size(0))
        t.counts[i] = 0;
    if (get_local_id(0) == 0) {
        /* One by one: rusticl 22.3 crashes as it compiles a structure of constants. */
        t.states[0].prefix = 0;
        t.states[0].left = results;
        t.states[0].candidates = n;
        t.states[0].bits = 0;
        t.states[0].unused = 0;
    }
}

/* `chunk`: keys of one; `chunks` of them. `state`: bytes into scratch. */
__kernel XL_TOPK_REQUIRED void xl_topk_count(uint pass, uint n, uint chunk, uint chunks,
                                             __global uchar *scratch, ulong state,
                                             __global const XL_KEY *keys, ulong keys_offset)
{
    XL_TOPK_DECLARE_LOCAL
    const xl_topk t = xl_topk_at(scratch, state, chunks);
    const uint c = (uint)get_group_id(0), begin = c * chunk, length = min(chunk, n - begin);
    __global uint *const sums = t.sums + (size_t)c * XL_DIGITS;
    xl_topk_state s = xl_topk_state_read(t.states + (pass > 0 ? pass - 1 : 0), XL_TOPK_LOCAL);
    const bool was_found = xl_topk_is_found(&s);
    uint better = 0, equal = length;
    if (pass > 0) {
        better = t.better[c];
        equal = t.equal[c];
    }
    if (pass > 0 && !was_found) {
        const uint digit = xl_topk_find(t.counts + (pass - 1) * XL_DIGITS, &s, XL_TOPK_LOCAL);
        xl_topk_settle(sums, digit, &better, &equal);
    }
    XL_TOPK_BARRIER();
    if (get_local_id(0) == 0) {
        t.better[c] = better;
        t.equal[c] = equal;
        if (c == 0 && pass > 0)
            t.states[pass] = s;
    }
    const bool is_asked = !xl_topk_is_found(&s) && equal > 0;
    xl_topk_count_keys(keys + keys_offset + begin, is_asked ? length : 0, &s, sums,
                       t.counts + pass * XL_DIGITS, XL_TOPK_LOCAL);
}

__kernel XL_TOPK_REQUIRED void xl_topk_offsets(uint passes, uint n, uint chunk, uint chunks,
                                               __global uchar *scratch, ulong state)
{
    XL_TOPK_DECLARE_LOCAL
    const xl_topk t = xl_topk_at(scratch, state, chunks);
    const uint each = XL_CEIL_DIV(chunks, XL_TOPK_GROUP);
    const uint begin = min((uint)get_local_id(0) * each, chunks), end = min(begin + each, chunks);
    xl_topk_state s = xl_topk_state_read(t.states + (passes > 0 ? passes - 1 : 0), XL_TOPK_LOCAL);
    const bool was_found = xl_topk_is_found(&s);
    uint digit = 0, all_better = 0, all_equal = 0;
    if (!was_found)
        digit = xl_topk_find(t.counts + (passes - 1) * XL_DIGITS, &s, XL_TOPK_LOCAL);
    for (uint c = begin; c < end; ++c) {
        uint better = 0, equal = min(chunk, n - c * chunk);
        if (passes > 0) {
            better = t.better[c];
            equal = t.equal[c];
        }
        if (!was_found)
            xl_topk_settle(t.sums + (size_t)c * XL_DIGITS, digit, &better, &equal);
        t.better[c] = better;
        t.equal[c] = equal;
        all_better += better;
        all_equal += equal;
    }
    xl_topk_chunk_sums(&all_better, &all_equal, XL_TOPK_LOCAL);
    for (uint c = begin; c < end; ++c) {
        t.first[c] = all_better + min(s.left, all_equal);
        t.before[c] = all_equal;
        all_better += t.better[c];
        all_equal += t.equal[c];
    }
    if (get_local_id(0) == 0 && passes > 0)
        t.states[passes] = s;
}

/* The caller's arrays, each with the element that it begins at. */
#define XL_TOPK_ARRAYS                                                                             \
    __global const XL_KEY *keys_in, ulong keys_in_offset, __global const uint *values_in,          \
        ulong values_in_offset, __global XL_KEY *keys_out, ulong keys_out_offset,                  \
        __global uint *values_out, ulong values_out_offset, __global uint *indices_out,            \
        ulong indices_out_offset
#define XL_TOPK_ARRAYS_MAKE                                                                        \
    xl_topk_arrays arrays;                                                                         \
    arrays.keys_in = keys_in + keys_in_offset;                                                     \
    arrays.values_in = values_in + values_in_offset;                                               \
    arrays.keys_out = keys_out + keys_out_offset;                                                  \
    arrays.values_out = values_out + values_out_offset;                                            \
    arrays.indices_out = indices_out + indices_out_offset;                                         \
    arrays.gives = gives;

/* `words`, `places`: bytes into scratch, for results that are to be sorted. */
__kernel XL_TOPK_REQUIRED void xl_topk_write(uint gives, uint passes, uint results, uint n,
                                             uint chunk, uint chunks, __global uchar *scratch,
                                             ulong state, ulong words, ulong places, XL_TOPK_ARRAYS)
{
    XL_TOPK_DECLARE_LOCAL
    XL_TOPK_ARRAYS_MAKE
    const xl_topk t = xl_topk_at(scratch, state, chunks);
    const uint c = (uint)get_group_id(0);
    const xl_topk_state s = xl_topk_state_read(t.states + passes, XL_TOPK_LOCAL);
    const xl_topk_chunk mine = xl_topk_chunk_read(&t, c, XL_TOPK_LOCAL);
    xl_topk_writer w;
    w.arrays = arrays;
    w.pairs.words = (__global ulong *)(scratch + words);
    w.pairs.places = (__global uint *)(scratch + places);
    w.mask = xl_topk_mask(&s);
    w.prefix = (XL_ORDINAL)s.prefix;
    w.results = results;
    w.first = mine.first;
    w.taken = xl_topk_taken(s.left, mine.before, mine.equal);
    w.total = mine.better + w.taken;
    w.begin = c * chunk;
    w.length = min(chunk, n - w.begin);
    xl_topk_write_keys(&w, XL_TOPK_LOCAL);
}

/* Of ordinals in order, with indices beside them: pairs of the first place that has the same
 * ordinal and the index. */
__kernel void xl_topk_rank_keys(uint results, __global uchar *scratch, ulong ordinals, ulong places,
                                ulong pairs)
{
    const __global ulong *const keys = (const __global ulong *)(scratch + ordinals);
    const size_t p = get_global_id(0);
    if (p >= results)
        return;
    const ulong key = keys[p];
    uint low = 0, high = (uint)p;
    while (low < high) {
        const uint middle = low + (high - low) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    ((__global ulong *)(scratch + pairs))[p] =
        (ulong)low << 32 | ((const __global uint *)(scratch + places))[p];
}

__kernel void xl_topk_gather(uint gives, uint results, uint n, __global const uchar *scratch,
                             ulong pairs, XL_TOPK_ARRAYS)
{
    XL_TOPK_ARRAYS_MAKE
    const size_t p = get_global_id(0);
    if (p >= results)
        return;
    const uint i = (uint)((__global const ulong *)(scratch + pairs))[p];
    if (i < n) /* of keys that were changed meanwhile there may be fewer pairs */
        xl_topk_give(&arrays, (uint)p, i);
}

__kernel void xl_topk_say(ulong results, __global ulong *count, ulong count_offset)
{
    count[count_offset] = results;
}
