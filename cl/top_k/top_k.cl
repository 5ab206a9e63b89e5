/* SPDX-License-Identifier: MIT
 * The k first keys of an array by radix select: the kernels find the digits of the k-th key one
 * after the other, the highest first (AIR top-k, SC '23; RadiK, ICS '24; see
 * include/crosslane/top_k.h).
 *
 * The host launches the same kernels whatever the keys are:
 *   xl_top_k_begin      clears the counts
 * If there are many keys, a sample supplies a bound (cl/top_k/top_k_sample.cl). For each digit
 *   xl_top_k_count      finds the digit that the last pass counted, makes the lists of chunks in
 *                      which few keys can be results, and counts the next digit of the candidates
 * Then
 *   xl_top_k_tally      finds the last digit, and counts the certain results and the candidates of
 *                      each chunk
 *   xl_top_k_write      adds up the counts of the chunks before, writes the results in the order
 *                      of the input
 * A pass ends at once if all candidates are results. If a few results are sorted, there follows
 *   xl_top_k_order      writes the results, each at the place that their comparison gives
 * If many are, there follow the sort and
 *   xl_top_k_gather     writes the results from sorted words
 * If another kernel changes keys or scratch at the same time, the results are undefined, but
 * nothing outside the arrays is accessed. */
#include "top_k_pass.cl"

/* The state before the first pass over `candidates` keys, `needed` of which are results. */
void xl_top_k_state_begin(__global xl_top_k_state *state, uint n, uint candidates, uint needed)
{
    /* One by one: rusticl 22.3 crashes as it compiles a structure of constants. */
    state->prefix = 0;
    state->n = n;
    state->known_bits = 0;
    state->certain = 0;
    state->needed = needed;
    state->candidates = candidates;
    state->unused = 0;
}

/* `sample`: the keys of the sample; 0: there is none. `rank`: the bound's rank in it if there are
 * n_most keys. It rises as n falls; few keys are all within the bound. */
__kernel void xl_top_k_begin(uint n_most, __global const ulong *length, ulong length_offset,
                             uint results, uint passes, uint sample, uint rank,
                             __global uchar *scratch, ulong state)
{
    const xl_top_k t = xl_top_k_at(scratch, state, 0), sampled = xl_top_k_of_sample(&t);
    for (uint i = (uint)get_local_id(0); i < passes * XL_DIGITS; i += (uint)get_local_size(0)) {
        t.counts[i] = 0;
        if (sample > 0)
            sampled.counts[i] = 0;
    }
    if (get_local_id(0) == 0) {
        const uint n = (uint)xl_length(n_most, length, length_offset);
        const ulong bound = n > sample ? (ulong)rank * n_most / n : sample;
        xl_top_k_state_begin(t.states, n, n, min(results, n));
        xl_top_k_state_begin(sampled.states, n, sample, (uint)min(bound, (ulong)sample));
        t.results[0] = min(results, n);
        t.bounded[0] = 0;
    }
}

/* Whether the lists, of the chunks that have one, contain all results: once a digit is known, or if
 * enough keys are within the sample's bound. */
bool xl_top_k_has_lists(const xl_top_k *t, const xl_top_k_state *s, __local xl_top_k_local *l)
{
    return s->known_bits > 0 || xl_top_k_word_read(t->bounded, l) >= max(s->needed, 1u);
}

/* The keys of chunk c that may be results. Makes the chunk's list if it is likely to have room. */
xl_top_k_keys xl_top_k_keys_find(const xl_top_k *t, const xl_top_k_state *s, uint c, uint chunks,
                                 __global const XL_KEY *keys, uint length,
                                 __local xl_top_k_local *l)
{
    __global uint *const list = t->lists + (size_t)c * XL_TOP_K_ROOM;
    uint listed = XL_TOP_K_UNLISTED;
    if (xl_top_k_has_lists(t, s, l))
        listed = xl_top_k_word_read(t->listed + c, l);
#if XL_TOP_K_ROOM > 0
    if (s->known_bits > 0 && listed == XL_TOP_K_UNLISTED && xl_top_k_is_listable(s, chunks))
        listed = xl_top_k_make_list(keys, length, s, list, l);
#endif
    if (get_local_id(0) == 0)
        t->listed[c] = listed;
    return xl_top_k_keys_of(keys, length, list, listed);
}

/* A group has one of `chunks` chunks. `state`: bytes into scratch. */
__kernel XL_TOP_K_REQUIRED void xl_top_k_count(uint pass, uint n, uint chunks,
                                               __global uchar *scratch, ulong state,
                                               __global const XL_KEY *keys, ulong keys_offset)
{
    __local xl_top_k_local l;
    const xl_top_k t = xl_top_k_at(scratch, state, chunks);
    const uint c = (uint)get_group_id(0);
    const xl_top_k_state s = xl_top_k_state_find(&t, pass, c, &l);
    const xl_top_k_range range = xl_top_k_range_of(&s, n, c, chunks);
    if (!xl_top_k_is_found(&s)) {
        const xl_top_k_keys mine = xl_top_k_keys_find(
            &t, &s, c, chunks, keys + keys_offset + range.begin, range.length, &l);
        xl_top_k_count_keys(&mine, &s, t.counts + pass * XL_DIGITS, &l);
    }
}

/* Counts the certain results and the candidates of each chunk. If no digit is known, all keys are
 * results, and candidates. */
__kernel XL_TOP_K_REQUIRED void xl_top_k_tally(uint passes, uint n, uint chunks,
                                               __global uchar *scratch, ulong state,
                                               __global const XL_KEY *keys, ulong keys_offset)
{
    __local xl_top_k_local l;
    const xl_top_k t = xl_top_k_at(scratch, state, chunks);
    const uint c = (uint)get_group_id(0);
    const xl_top_k_state s = xl_top_k_state_find(&t, passes, c, &l);
    const xl_top_k_range range = xl_top_k_range_of(&s, n, c, chunks);
    const xl_top_k_keys mine =
        xl_top_k_keys_find(&t, &s, c, chunks, keys + keys_offset + range.begin, range.length, &l);
    uint certain = 0, candidates = range.length;
    if (s.known_bits > 0)
        xl_top_k_tally_keys(&mine, &s, &certain, &candidates, &l);
    if (get_local_id(0) == 0) {
        t.certain[c] = certain;
        t.candidates[c] = candidates;
    }
}

/* `words`, `places`: bytes into scratch, for results that are sorted next. */
__kernel XL_TOP_K_REQUIRED void xl_top_k_write(uint outputs, uint passes, uint results, uint n,
                                               uint chunks, __global uchar *scratch, ulong state,
                                               ulong words, ulong places, XL_TOP_K_ARRAYS)
{
    __local xl_top_k_local l;
    XL_TOP_K_ARRAYS_MAKE
    const xl_top_k t = xl_top_k_at(scratch, state, chunks);
    const uint c = (uint)get_group_id(0);
    const xl_top_k_state s = xl_top_k_state_read(t.states + passes, &l);
    const xl_top_k_chunk mine = xl_top_k_chunk_read(&t, c, &l);
    const xl_top_k_range range = xl_top_k_range_of(&s, n, c, chunks);
    uint certain = 0, candidates = 0; /* of all chunks before this one */
    for (uint d = (uint)get_local_id(0); d < c; d += XL_GROUP_SIZE) {
        certain += t.certain[d];
        candidates += t.candidates[d];
    }
    xl_top_k_add_up(&certain, &candidates, &l);
    xl_top_k_writer w;
    w.arrays = arrays;
    w.pairs.words = (__global ulong *)(scratch + words);
    w.pairs.places = (__global uint *)(scratch + places);
    w.mask = xl_top_k_mask(&s);
    w.prefix = (XL_ORDINAL)s.prefix;
    w.results = results;
    /* The first `needed` candidates of the array are results. */
    w.first = certain + min(s.needed, candidates);
    w.taken = min(s.needed, candidates + mine.candidates) - min(s.needed, candidates);
    w.total = mine.certain + w.taken;
    w.begin = range.begin;
    w.keys = xl_top_k_keys_of(arrays.keys_in + w.begin, range.length,
                              t.lists + (size_t)c * XL_TOP_K_ROOM, mine.listed);
    xl_top_k_write_keys(&w, &l);
}

/* The number of results, at most `results`. */
uint xl_top_k_results(uint results, __global uchar *scratch, ulong state)
{
    const xl_top_k t = xl_top_k_at(scratch, state, 0);
    return (uint)min((ulong)results, t.results[0]);
}

/* Writes results that are stored as pairs, in the order of the input. The place of a result is the
 * number of results before it; of equal keys the one with the lower index is before the other.
 * `words`, `places`: as for xl_top_k_write. */
__kernel void xl_top_k_order(uint outputs, uint results, uint n, __global uchar *scratch,
                             ulong state, ulong words, ulong places, XL_TOP_K_ARRAYS)
{
    XL_TOP_K_ARRAYS_MAKE
    const __global ulong *const word = (const __global ulong *)(scratch + words);
    const uint count = xl_top_k_results(results, scratch, state), p = (uint)get_global_id(0);
    uint place = 0;
    if (p >= count)
        return;
    const ulong mine = word[p];
#if XL_KEY_BYTES == 8
    const uint i = ((const __global uint *)(scratch + places))[p];
#else
    const uint i = (uint)mine;
#endif
    for (uint q = 0; q < count; ++q)
        place += word[q] < mine || (word[q] == mine && q < p) ? 1 : 0;
    if (i < n && place < count) /* another kernel may change the pairs */
        xl_top_k_store(&arrays, place, i);
}

__kernel void xl_top_k_gather(uint outputs, uint results, uint n, __global uchar *scratch,
                              ulong state, ulong words, ulong places, XL_TOP_K_ARRAYS)
{
    XL_TOP_K_ARRAYS_MAKE
    const size_t p = get_global_id(0);
    if (p >= xl_top_k_results(results, scratch, state))
        return;
#if XL_KEY_BYTES == 8
    const uint i = ((__global const uint *)(scratch + places))[p];
#else
    const uint i = (uint)((__global const ulong *)(scratch + words))[p];
#endif
    if (i < n) /* if another kernel changes the keys, there may be fewer pairs */
        xl_top_k_store(&arrays, (uint)p, i);
}

__kernel void xl_top_k_store_count(ulong results, uint n_most, __global const ulong *length,
                                   ulong length_offset, __global ulong *count, ulong count_offset)
{
    count[count_offset] = min(results, xl_length(n_most, length, length_offset));
}
