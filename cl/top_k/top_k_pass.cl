/* SPDX-License-Identifier: MIT
 * Shared by the two programs of a selection from a whole array (cl/top_k/top_k.cl,
 * cl/top_k/top_k_sample.cl): the functions of a work-group or of a work-item that loops, and the
 * state before a pass. */
#ifndef XL_TOP_K_PASS
#define XL_TOP_K_PASS

/* Both shapes need it. Embedding takes each file once, so that it cannot be inside the
 * condition. */
#include "top_k_state.cl"

#if XL_TOP_K_SHAPE == 0
#include "top_k_group.cl"
#else
#include "top_k_serial.cl"
#endif

#define XL_TOP_K_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))

/* One work-item reads from the scratch for all, so that a concurrent write cannot make work-items
 * diverge at a barrier. */
xl_top_k_state xl_top_k_state_read(__global const xl_top_k_state *from, __local xl_top_k_local *l)
{
    if (get_local_id(0) == 0)
        l->state = *from;
    xl_local_barrier();
    return l->state;
}

xl_top_k_chunk xl_top_k_chunk_read(const xl_top_k *t, uint c, __local xl_top_k_local *l)
{
    if (get_local_id(0) == 0) {
        l->chunk.certain = t->certain[c];
        l->chunk.candidates = t->candidates[c];
        l->chunk.listed = t->listed[c];
    }
    xl_local_barrier();
    return l->chunk;
}

uint xl_top_k_word_read(__global const uint *from, __local xl_top_k_local *l)
{
    if (get_local_id(0) == 0)
        l->listed = *from;
    xl_local_barrier();
    const uint word = l->listed;
    xl_local_barrier();
    return word;
}

/* Adds the digit of the k-th key among the candidates that were counted. */
void xl_top_k_find_digit(__global const uint *counts, xl_top_k_state *s, __local xl_top_k_local *l)
{
    xl_top_k_digit(counts, XL_DIGITS, s->needed, l->rank, l->found);
    xl_top_k_add_digit(s, l->found[0], l->found[1], l->found[2]);
    xl_local_barrier();
}

/* The sums of two numbers over all work-items. */
void xl_top_k_add_up(uint *x, uint *y, __local xl_top_k_local *l)
{
    uint total;
    xl_top_k_rank(*x, &total, l->rank);
    *x = total;
    xl_top_k_rank(*y, &total, l->rank);
    *y = total;
}

/* Counts the certain results and the candidates. */
void xl_top_k_tally_keys(const xl_top_k_keys *mine, const xl_top_k_state *s, uint *certain,
                         uint *candidates, __local xl_top_k_local *l)
{
    const XL_ORDINAL mask = xl_top_k_mask(s), prefix = (XL_ORDINAL)s->prefix;
    uint lower = 0, same = 0;
    for (uint j = (uint)get_local_id(0); j < mine->count; j += XL_GROUP_SIZE) {
        const XL_ORDINAL known = xl_key_map(mine->keys[xl_top_k_place(mine, j)]) & mask;
        lower += known < prefix ? 1 : 0;
        same += known == prefix ? 1 : 0;
    }
    xl_top_k_add_up(&lower, &same, l);
    *certain = lower;
    *candidates = same;
}

/* The state before pass `pass`: that of the pass before and the digit which that pass counted. The
 * group of chunk 0 stores it for later kernels. */
xl_top_k_state xl_top_k_state_find(const xl_top_k *t, uint pass, uint c, __local xl_top_k_local *l)
{
    xl_top_k_state s = xl_top_k_state_read(t->states + (pass > 0 ? pass - 1 : 0), l);
    if (pass > 0 && !xl_top_k_is_found(&s))
        xl_top_k_find_digit(t->counts + (pass - 1) * XL_DIGITS, &s, l);
    if (pass > 0 && c == 0 && get_local_id(0) == 0)
        t->states[pass] = s;
    return s;
}

#endif
