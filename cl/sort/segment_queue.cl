/* SPDX-License-Identifier: MIT
 * Segmented sort, second part, if work-groups may pass messages: does in one launch what
 * cl/sort/segment_long.cl does in as many launches as there may be merges. The merges of a segment
 * are a tree. A node is a pair of runs, or one run without a partner, which is copied; each tile of
 * a node is a job. The work-group that finishes the last job of a node whose sibling is done puts
 * the jobs of their parent into the queue.
 *
 * A work-group takes jobs by ticket: first the tiles of the list, which must be sorted, then the
 * slots of the queue. If a slot is empty, the group polls it, so that it is ready when there is
 * work again; after too many polls it marks the slot as retired and returns. A producer that finds
 * a retired slot fills the next one instead. No job is lost, because a producer then takes tickets
 * itself, until it draws a slot that no producer fills. Nothing waits for a work-group that does
 * not run.
 *
 * For each listed tile the queue has a word: the number of jobs that are done in all nodes that
 * begin with this tile; and, in the highest bit, whether one of the two children is done of the
 * node whose second run begins with this tile. After these come the slots. If another kernel
 * changes the scratch concurrently, the order is wrong, but nothing outside the arrays is accessed,
 * and the launch ends. test/model/segment_queue.pml checks the order for every interleaving of small
 * sizes, with the same names. */
#include "segment_windows.cl"

/* Words of the state. */
#define XL_STATE_TICKET 3
#define XL_STATE_FILLED 4

#define XL_CHILD_DONE (1u << 31)
/* A slot: a tile of the list and, in the low bits, the level of the job: 0: sort the tile;
 * otherwise: merge runs of 2^(level - 1) tiles. Only merges are queued, so a filled slot has no
 * level 0. */
#define XL_LEVEL_BITS 5
#define XL_SLOT_RETIRED 32u

typedef struct xl_segment_job {
    uint tile, level;
    bool exists;
} xl_segment_job;

/* Local memory of a group: its job, and the node whose jobs go into the queue. */
typedef struct xl_queue_local {
    xl_segment_job job;
    uint first, count, level, slot;
} xl_queue_local;

__global uint *xl_queue_slots(const xl_csr *csr)
{
    return xl_csr_queue(csr) + csr->capacity;
}

/* Called by one work-item. */
xl_segment_job xl_queue_take(const xl_csr *csr, uint slots, uint polls)
{
    const uint tiles = xl_csr_tiles(csr), ticket = atomic_inc(csr->state + XL_STATE_TICKET);
    const uint at = ticket - tiles;
    xl_segment_job job = {ticket, 0, ticket < tiles};
    if (job.exists || at >= slots)
        return job;
    __global uint *const slot = xl_queue_slots(csr) + at;
    uint word = 0;
    for (uint left = at < csr->state[xl_state_jobs] ? polls : 0; left > 0 && word == 0; --left)
        word = atomic_or(slot, 0u);
    if (word == 0)
        word = atomic_cmpxchg(slot, 0u, XL_SLOT_RETIRED);
    xl_device_fence();
    job.tile = min(word >> XL_LEVEL_BITS, csr->capacity - 1u);
    job.level = word & ((1u << XL_LEVEL_BITS) - 1u);
    job.exists = job.level > 0;
    return job;
}

void xl_queue_fill_next(const xl_csr *csr, uint slots, uint word)
{
    uint at;
    do {
        at = atomic_inc(csr->state + XL_STATE_FILLED);
    } while (at < slots && atomic_xchg(xl_queue_slots(csr) + at, word) != 0);
}

/* Counts a job as done; called by one work-item. `local_` gets the node that can be merged now, or
 * none. */
void xl_queue_count(const xl_csr *csr, const xl_segment_job *job, const xl_segment_tile *t,
                    __local xl_queue_local *local_)
{
    __global uint *const done = xl_csr_queue(csr);
    const uint tiles = XL_CEIL_DIV(t->end - t->begin, XL_SORT_TILE), level = job->level;
    const uint node = t->number >> level << level, above = t->number >> (level + 1u)
                                                                            << (level + 1u);
    const uint second = above + (1u << level), base = job->tile - t->number;
    uint wanted = 0;
    local_->count = 0;
    if (t->count == 0 || t->number > job->tile || base + min(second, tiles - 1u) >= csr->capacity)
        return;
    for (uint k = 0; k <= level; ++k)
        wanted += min(1u << k, tiles - node);
    xl_device_fence();
    if ((atomic_inc(done + base + node) & ~XL_CHILD_DONE) + 1u != wanted || level >= t->merges)
        return;
    if (second < tiles && (atomic_or(done + base + second, XL_CHILD_DONE) & XL_CHILD_DONE) == 0)
        return;
    xl_device_fence();
    local_->first = base + above;
    local_->count = min(2u << level, tiles - above);
    local_->level = level + 1u;
    local_->slot = atomic_add(csr->state + XL_STATE_FILLED, local_->count);
}

/* The same by all work-items of a group, which then fill the queue. */
void xl_queue_done(const xl_csr *csr, const xl_segment_job *job, const xl_segment_tile *t,
                   uint slots, __local xl_queue_local *local_)
{
    XL_FULL_BARRIER();
    if (get_local_id(0) == 0)
        xl_queue_count(csr, job, t, local_);
    XL_FULL_BARRIER();
    const uint slot = local_->slot, count = local_->count;
    for (uint k = (uint)get_local_id(0); k < count; k += XL_SORT_GROUP) {
        const uint word = (local_->first + k) << XL_LEVEL_BITS | local_->level;
        const uint at = slot + k; /* wraps if `slot`, from the scratch, is very large */
        if (at < slots && atomic_xchg(xl_queue_slots(csr) + at, word) != 0)
            xl_queue_fill_next(csr, slots, word);
    }
    XL_LOCAL_BARRIER();
}

__kernel __attribute__((reqd_work_group_size(XL_SORT_GROUP, 1, 1))) void
xl_segment_all(uint slots, uint polls, uint search_log, XL_CSR, XL_SEGMENT_SPARE)
{
    XL_SORT_DECLARE_LOCAL
    __local xl_segment_tile shared;
    __local uint shared_tiles;
    __local xl_queue_local queue;
    __local uint search[XL_SORT_SEARCH];
    XL_CSR_MAKE
    XL_SEGMENT_SPARE_MAKE
    const uint tiles = xl_csr_tiles_read(&csr, 0, &shared_tiles);
    for (uint turn = 0; tiles > 0 && turn < slots + capacity; ++turn) {
        if (get_local_id(0) == 0)
            queue.job = xl_queue_take(&csr, slots, polls);
        XL_FULL_BARRIER();
        const xl_segment_job job = queue.job;
        if (!job.exists)
            break;
        const xl_segment_tile t = xl_segment_tile_read(&csr, job.tile, &shared);
        const bool sorts = t.count > 0 && job.level == 0;
        const bool merges = t.count > 0 && job.level > 0 && job.level <= t.merges;
        if (sorts)
            xl_tile_sort(in, xl_segment_side(out, spare, t.merges), t.first, t.count, tile);
        XL_LOCAL_BARRIER();
        if (merges)
            xl_segment_tile_merge(out, spare, &t, job.level - 1u, search_log, tile, search);
        xl_queue_done(&csr, &job, &t, slots, &queue);
    }
}
