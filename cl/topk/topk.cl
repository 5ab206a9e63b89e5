/* SPDX-License-Identifier: MIT
 * The k keys that come first, by radix select: the digits of the k-th key one after the other, the
 * highest first (AIR top-k, SC '23; RadiK, ICS '24; see include/crosslane/topk.h).
 *
 * The host launches the same whatever the keys are:
 *   xl_topk_begin      clears the counts
 * then, of many keys, as often as a key has digits,
 *   xl_topk_sample     counts the next digit of a sample, to find a bound in it
 * and once
 *   xl_topk_bound      makes each chunk's list of the keys within the bound where that is short,
 *                      and counts them
 * then, as often as a key has digits,
 *   xl_topk_count      finds the digit that the last pass counted, makes each chunk's list of what
 *                      may be a result where that is short, and counts the next digit of the
 *                      candidates, of the list or of the chunk
 * and then
 *   xl_topk_tally      finds the last digit, and counts each chunk's results and candidates
 *   xl_topk_write      adds up those of the chunks before, and writes the results in the order of
 *                      the input
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

/* Before the first pass over n keys of which so many are looked for. */
void xl_topk_state_begin(__global xl_topk_state *state, uint n, uint left)
{
    /* One by one: rusticl 22.3 crashes as it compiles a structure of constants. */
    state->prefix = 0;
    state->left = left;
    state->candidates = n;
    state->bits = 0;
    state->better = 0;
}

/* `sample`: keys of it, number `rank` of which is the bound; 0: there is none. */
__kernel void xl_topk_begin(uint n, uint results, uint passes, uint sample, uint rank,
                            __global uchar *scratch, ulong state)
{
    const xl_topk t = xl_topk_at(scratch, state, 0), sampled = xl_topk_of_sample(&t);
    for (uint i = (uint)get_local_id(0); i < passes * XL_DIGITS; i += (uint)get_local_size(0)) {
        t.counts[i] = 0;
        if (sample > 0)
            sampled.counts[i] = 0;
    }
    if (get_local_id(0) == 0) {
        xl_topk_state_begin(t.states, n, results);
        xl_topk_state_begin(sampled.states, sample, rank);
        t.bounded[0] = 0;
    }
}

/* The state before pass `pass`, for which a digit is looked up where the one before counted it.
 * `c`: the chunk; one of them leaves the state to the launches that follow. */
xl_topk_state xl_topk_state_find(const xl_topk *t, uint pass, uint c XL_TOPK_LOCAL_PARAMETER)
{
    xl_topk_state s = xl_topk_state_read(t->states + (pass > 0 ? pass - 1 : 0) XL_TOPK_LOCAL);
    if (pass > 0 && !xl_topk_is_found(&s))
        xl_topk_find(t->counts + (pass - 1) * XL_DIGITS, &s XL_TOPK_LOCAL);
    if (pass > 0 && c == 0 && get_local_id(0) == 0)
        t->states[pass] = s;
    return s;
}

/* `sample` keys are cut into parts of `chunk`; one of each `stride` of the array is in it. */
__kernel XL_TOPK_REQUIRED void xl_topk_sample(uint pass, uint sample, uint chunk, uint stride,
                                              __global uchar *scratch, ulong state,
                                              __global const XL_KEY *keys, ulong keys_offset)
{
    XL_TOPK_DECLARE_LOCAL
    const xl_topk all = xl_topk_at(scratch, state, 0), t = xl_topk_of_sample(&all);
    const uint c = (uint)get_group_id(0), first = c * chunk;
    const xl_topk_state s = xl_topk_state_find(&t, pass, c XL_TOPK_LOCAL);
    if (!xl_topk_is_found(&s)) {
        const xl_topk_keys mine =
            xl_topk_keys_sampled(keys + keys_offset, stride, first, min(chunk, sample - first));
        xl_topk_count_keys(&mine, &s, t.counts + pass * XL_DIGITS XL_TOPK_LOCAL);
    }
}

#if XL_TOPK_ROOM > 0
/* A chunk without a list has more keys within the bound than its room, or just as many. */
__kernel XL_TOPK_REQUIRED void xl_topk_bound(uint passes, uint n, uint chunk, uint chunks,
                                             __global uchar *scratch, ulong state,
                                             __global const XL_KEY *keys, ulong keys_offset)
{
    XL_TOPK_DECLARE_LOCAL
    const xl_topk t = xl_topk_at(scratch, state, chunks), sampled = xl_topk_of_sample(&t);
    const uint c = (uint)get_group_id(0), begin = c * chunk, length = min(chunk, n - begin);
    const xl_topk_state s = xl_topk_state_find(&sampled, passes, c XL_TOPK_LOCAL);
    const uint listed = xl_topk_make_list(keys + keys_offset + begin, length, &s,
                                          t.lists + (size_t)c * XL_TOPK_ROOM XL_TOPK_LOCAL);
    if (get_local_id(0) == 0) {
        t.listed[c] = listed;
        atomic_add(t.bounded, min(listed, (uint)XL_TOPK_ROOM));
    }
}
#endif

/* Whether lists hold all results, those of chunks that have one: from the first pass on, or, if
 * there was no sample or too few keys are within its bound, from the second. */
bool xl_topk_has_lists(const xl_topk *t, const xl_topk_state *s, uint pass XL_TOPK_LOCAL_PARAMETER)
{
    return pass > 0 || xl_topk_word_read(t->bounded XL_TOPK_LOCAL) >= s->left;
}

/* The keys of chunk c that may be results, from its list, which is made if it is likely to be
 * short enough; `pass`: 0 where no digit is known. */
xl_topk_keys xl_topk_keys_find(const xl_topk *t, const xl_topk_state *s, uint pass, uint c,
                               uint chunks, __global const XL_KEY *keys,
                               uint length XL_TOPK_LOCAL_PARAMETER)
{
    __global uint *const list = t->lists + (size_t)c * XL_TOPK_ROOM;
    uint listed = XL_TOPK_UNLISTED;
    if (xl_topk_has_lists(t, s, pass XL_TOPK_LOCAL))
        listed = xl_topk_word_read(t->listed + c XL_TOPK_LOCAL);
#if XL_TOPK_ROOM > 0
    if (s->bits > 0 && listed == XL_TOPK_UNLISTED && xl_topk_is_listable(s, chunks))
        listed = xl_topk_make_list(keys, length, s, list XL_TOPK_LOCAL);
#endif
    if (get_local_id(0) == 0)
        t->listed[c] = listed;
    return xl_topk_keys_of(keys, length, list, listed);
}

/* `chunk`: keys of one; `chunks` of them. `state`: bytes into scratch. */
__kernel XL_TOPK_REQUIRED void xl_topk_count(uint pass, uint n, uint chunk, uint chunks,
                                             __global uchar *scratch, ulong state,
                                             __global const XL_KEY *keys, ulong keys_offset)
{
    XL_TOPK_DECLARE_LOCAL
    const xl_topk t = xl_topk_at(scratch, state, chunks);
    const uint c = (uint)get_group_id(0), begin = c * chunk, length = min(chunk, n - begin);
    const xl_topk_state s = xl_topk_state_find(&t, pass, c XL_TOPK_LOCAL);
    if (!xl_topk_is_found(&s)) {
        const xl_topk_keys mine = xl_topk_keys_find(
            &t, &s, pass, c, chunks, keys + keys_offset + begin, length XL_TOPK_LOCAL);
        xl_topk_count_keys(&mine, &s, t.counts + pass * XL_DIGITS XL_TOPK_LOCAL);
    }
}

/* How many keys of each chunk are results by known digits, and how many are candidates. Where all
 * keys are results (`passes` is 0) no digit is known. */
__kernel XL_TOPK_REQUIRED void xl_topk_tally(uint passes, uint n, uint chunk, uint chunks,
                                             __global uchar *scratch, ulong state,
                                             __global const XL_KEY *keys, ulong keys_offset)
{
    XL_TOPK_DECLARE_LOCAL
    const xl_topk t = xl_topk_at(scratch, state, chunks);
    const uint c = (uint)get_group_id(0), begin = c * chunk, length = min(chunk, n - begin);
    const xl_topk_state s = xl_topk_state_find(&t, passes, c XL_TOPK_LOCAL);
    const xl_topk_keys mine = xl_topk_keys_find(&t, &s, passes, c, chunks,
                                                keys + keys_offset + begin, length XL_TOPK_LOCAL);
    uint better = 0, equal = length;
    if (s.bits > 0)
        xl_topk_tally_keys(&mine, &s, &better, &equal XL_TOPK_LOCAL);
    if (get_local_id(0) == 0) {
        t.better[c] = better;
        t.equal[c] = equal;
    }
}

/* What stands in the chunks before chunk c: the results by known digits, and the candidates. */
xl_topk_before xl_topk_before_find(const xl_topk *t, uint c XL_TOPK_LOCAL_PARAMETER)
{
    xl_topk_before before;
    uint better = 0, equal = 0;
    for (uint d = (uint)get_local_id(0); d < c; d += XL_TOPK_GROUP) {
        better += t->better[d];
        equal += t->equal[d];
    }
    xl_topk_add_up(&better, &equal XL_TOPK_LOCAL);
    before.better = better;
    before.equal = equal;
    return before;
}

/* `words`, `places`: bytes into scratch, for results that are to be sorted. */
__kernel XL_TOPK_REQUIRED void xl_topk_write(uint gives, uint passes, uint results, uint n,
                                             uint chunk, uint chunks, __global uchar *scratch,
                                             ulong state, ulong words, ulong places, XL_TOPK_ARRAYS)
{
    XL_TOPK_DECLARE_LOCAL
    XL_TOPK_ARRAYS_MAKE
    const xl_topk t = xl_topk_at(scratch, state, chunks);
    const uint c = (uint)get_group_id(0);
    const xl_topk_state s = xl_topk_state_read(t.states + passes XL_TOPK_LOCAL);
    const xl_topk_chunk mine = xl_topk_chunk_read(&t, c XL_TOPK_LOCAL);
    const xl_topk_before before = xl_topk_before_find(&t, c XL_TOPK_LOCAL);
    xl_topk_writer w;
    w.arrays = arrays;
    w.pairs.words = (__global ulong *)(scratch + words);
    w.pairs.places = (__global uint *)(scratch + places);
    w.mask = xl_topk_mask(&s);
    w.prefix = (XL_ORDINAL)s.prefix;
    w.results = results;
    w.first = before.better + min(s.left, before.equal);
    w.taken = xl_topk_taken(s.left, before.equal, mine.equal);
    w.total = mine.better + w.taken;
    w.begin = c * chunk;
    w.keys = xl_topk_keys_of(arrays.keys_in + w.begin, min(chunk, n - w.begin),
                             t.lists + (size_t)c * XL_TOPK_ROOM, mine.listed);
    xl_topk_write_keys(&w XL_TOPK_LOCAL);
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
