/* SPDX-License-Identifier: MIT
 * A tile on its way into local memory while the tile before it is in work: values, and
 * flags or keys beside them.
 *
 * On NVIDIA GPUs from compute capability 9.0 on (XL_BULK 1) one work-item asks for a
 * bulk copy (PTX ISA, cp.async.bulk) that costs no registers and signals an mbarrier;
 * elsewhere the work-items copy when the tile is wanted. What a bulk copy cannot take,
 * which is arrays that are not aligned to 16 bytes and the last few bytes of an array,
 * they always copy themselves.
 *
 * Asks for what cl/tile/tile_load.cl asks for, and
 *   XL_BULK  1: bulk copies are there */
#ifndef XL_TILE_FETCH
#define XL_TILE_FETCH

#include "tile_load.cl"

#ifndef XL_BULK
#error "XL_BULK must be defined"
#endif

#define XL_STAGES_SEGMENTS (XL_SEGMENTS == 1 || XL_SEGMENTS == 3)

/* Where a tile arrives. */
typedef struct xl_stage {
    __local XL_IN *in;
#if XL_STAGES_SEGMENTS
    __local XL_SEG *segments;
#endif
    __local uint *heads;    /* bits of the tile, from xl_stage_heads() on */
    __local ulong *arrived; /* an mbarrier */
} xl_stage;

/* Declares the local memory of a stage, in a kernel. */
#if XL_STAGES_SEGMENTS
#define XL_STAGE_MAKE(stage)                                                                       \
    __local XL_IN stage##_in[XL_TILE] __attribute__((aligned(128)));                               \
    __local XL_SEG stage##_segments[XL_TILE] __attribute__((aligned(128)));                        \
    __local uint stage##_heads[XL_TILE / 32 + 1];                                                  \
    __local ulong stage##_arrived;                                                                 \
    const xl_stage stage = {stage##_in, stage##_segments, stage##_heads, &stage##_arrived}
#else
#define XL_STAGE_MAKE(stage)                                                                       \
    __local XL_IN stage##_in[XL_TILE] __attribute__((aligned(128)));                               \
    __local uint stage##_heads[XL_SEGMENTS == 0 ? 1 : XL_TILE / 32 + 1];                           \
    __local ulong stage##_arrived;                                                                 \
    const xl_stage stage = {stage##_in, stage##_heads, &stage##_arrived}
#endif

#if XL_BULK
#define XL_LOCAL_AT(p) ((uint)(size_t)(p))
/* Lines that will not be read again are the first to leave the L2 cache. */
ulong xl_evict_first(void)
{
    ulong policy;
    __asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

void xl_bulk_copy(__local void *to, const __global void *from, uint bytes, __local ulong *arrived)
{
    __asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                   ".L2::cache_hint [%0], [%1], %2, [%3], %4;"
                   :
                   : "r"(XL_LOCAL_AT(to)), "l"(from), "r"(bytes), "r"(XL_LOCAL_AT(arrived)),
                     "l"(xl_evict_first())
                   : "memory");
}
#endif

/* Before the first fetch, by one work-item. */
void xl_fetch_init(const xl_stage *stage)
{
#if XL_BULK
    __asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.proxy.async.shared::cta;"
                   :
                   : "r"(XL_LOCAL_AT(stage->arrived))
                   : "memory");
#endif
}

#define XL_FETCH_ALIGNED(p) (((size_t)(p)&15) == 0)

/* Whether tiles of these arrays come by bulk copies. */
bool xl_fetches(const xl_input *input)
{
#if !XL_BULK
    return false;
#elif XL_STAGES_SEGMENTS
    return XL_FETCH_ALIGNED(input->in) && XL_FETCH_ALIGNED(input->segments);
#else
    return XL_FETCH_ALIGNED(input->in);
#endif
}

/* Elements of a tile of `count` that a bulk copy brings: whole 16 bytes of each array. */
uint xl_fetch_count(uint count)
{
    return count == XL_TILE ? count : count / 16 * 16;
}

/* By one work-item: the tile at `base` sets out. Nobody may read the stage any more. */
void xl_fetch_start(const xl_stage *stage, const xl_input *input, ulong base)
{
#if XL_BULK
    const uint count = xl_fetch_count((uint)min(input->n - base, (ulong)XL_TILE));
    uint bytes = count * XL_IN_BYTES;
#if XL_STAGES_SEGMENTS
    bytes += count * (uint)sizeof(XL_SEG);
#endif
    __asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                   :
                   : "r"(XL_LOCAL_AT(stage->arrived)), "r"(bytes)
                   : "memory");
    if (count > 0) {
        xl_bulk_copy(stage->in, input->in + base, count * XL_IN_BYTES, stage->arrived);
#if XL_STAGES_SEGMENTS
        xl_bulk_copy(stage->segments, input->segments + base, count * (uint)sizeof(XL_SEG),
                     stage->arrived);
#endif
    }
#endif
}

/* By all: the tile at `base` is there when this returns, and whoever reads it has passed a
 * barrier if any work-item had to copy. `phase`: 0, 1, 0, ... from fetch to fetch. */
void xl_fetch_end(const xl_stage *stage, const xl_input *input, ulong base, bool fetches,
                  uint phase)
{
    const uint count = (uint)min(input->n - base, (ulong)XL_TILE);
    uint done = 0;
#if XL_BULK
    if (fetches) {
        uint there;
        do
            __asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"
                           " selp.u32 %0, 1, 0, p; }"
                           : "=r"(there)
                           : "r"(XL_LOCAL_AT(stage->arrived)), "r"(phase)
                           : "memory");
        while (!there);
        done = xl_fetch_count(count);
    }
#endif
    if (done < count) {
#pragma unroll 4
        for (uint i = done + (uint)get_local_id(0); i < count; i += XL_GROUP_SIZE) {
            stage->in[i] = input->in[base + i];
#if XL_STAGES_SEGMENTS
            stage->segments[i] = input->segments[base + i];
#endif
        }
        XL_LOCAL_BARRIER();
    }
}

#if XL_SEGMENTS == 0
#define xl_stage_heads(stage, input, base)
#define xl_staged_heads(stage, at) 0u
#else
/* The bits of a whole sub-group, for its elements from `at` on. */
void xl_heads_put(__local uint *heads, uint at, ulong bits)
{
    if (xl_lane_id() != 0)
        return;
    if (xl_lane_width() >= 32)
        heads[at / 32] = (uint)bits;
    if (xl_lane_width() == 64)
        heads[at / 32 + 1] = (uint)(bits >> 32);
    else if (xl_lane_width() == 16)
        ((__local ushort *)heads)[at / 16] = (ushort)bits;
    else if (xl_lane_width() == 8)
        ((__local uchar *)heads)[at / 8] = (uchar)bits;
}

/* Finds the heads of the tile at `base`, which is there; ends with a barrier. */
void xl_stage_heads(const xl_stage *stage, xl_input *input, ulong base)
{
#if XL_SEGMENTS == 4
    xl_heads_prepare(input, stage->heads, base);
    if (base == 0 && get_local_id(0) == 0)
        stage->heads[0] |= 1u;
#elif XL_SEGMENTS == 2
    for (uint k = (uint)get_local_id(0); k < XL_TILE / 32; k += XL_GROUP_SIZE) {
        const ulong at = base + 32ul * k;
        stage->heads[k] = (at < input->n ? input->segments[at / 32] : 0u) | (at == 0 ? 1u : 0u);
    }
#else
    const uint count = (uint)min(input->n - base, (ulong)XL_TILE);
#if XL_SEGMENTS == 3
    const XL_SEG last = input->segments[base > 0 ? base - 1 : 0];
#endif
    for (uint k = 0; k < XL_ITEMS; ++k) {
        const uint at = k * XL_GROUP_SIZE + (uint)get_local_id(0);
        bool head = base + at == 0;
#if XL_SEGMENTS == 1
        head = head || (at < count && stage->segments[at] != 0);
#elif XL_SEGMENTS == 3
        const XL_SEG before = at > 0 ? stage->segments[at - 1] : last;
        head = head || (at < count && stage->segments[at] != before);
#else
        head = head || (xl_heads(input, base + at, 1) & 1) != 0;
#endif
        xl_heads_put(stage->heads, k * XL_GROUP_SIZE + xl_lane_group() * xl_lane_width(),
                     xl_lane_ballot(head));
    }
#endif
    XL_LOCAL_BARRIER();
}

/* The bits of XL_VLEN elements from `at` on. */
uint xl_staged_heads(const xl_stage *stage, uint at)
{
    return stage->heads[at / 32] >> at % 32 & ((1u << XL_VLEN) - 1u);
}
#endif

/* The states of XL_VLEN elements from `at` on of the tile at `base`, of which there are
 * `count`; XL_IDENTITY past the last. */
void xl_staged_row(XL_T *to, const xl_stage *stage, const xl_input *input, ulong base, uint at,
                   uint count)
{
    XL_IN x[XL_VLEN];
    const uint heads = xl_staged_heads(stage, at);
#if XL_VLEN > 1
    XL_UNPACK(*(const __local xl_in_vec *)(stage->in + at), x);
#else
    x[0] = stage->in[at];
#endif
#pragma unroll
    for (uint v = 0; v < XL_VLEN; ++v) {
        to[v] = XL_IDENTITY;
        if (at + v < count)
            to[v] = xl_input_state(input, x[v], base + at + v, (heads >> v & 1) != 0);
    }
}

#endif
