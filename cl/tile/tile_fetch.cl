/* SPDX-License-Identifier: MIT
 * A tile on its way into local memory while the tile before it is in work: values, and
 * flags beside them. Keys and CSR offsets have no place in it.
 *
 * On NVIDIA GPUs from compute capability 9.0 on (XL_BULK 1) one work-item asks for a
 * bulk copy (PTX ISA, cp.async.bulk) that costs no registers and signals an mbarrier;
 * elsewhere the work-items copy when the tile is wanted. What a bulk copy cannot take,
 * which is arrays that are not aligned to 16 bytes and the last few bytes of an array,
 * they always copy themselves. */
#ifndef XL_TILE_FETCH
#define XL_TILE_FETCH

#include "tile_load.cl"

#if XL_SEGMENTS == 3 || XL_SEGMENTS == 4
#error "keys and CSR offsets are not staged"
#endif
/* What tells the heads of a staged tile: a byte per element, or a bit. */
#define XL_MARKS (XL_SEGMENTS == 1)

/* Where a tile arrives. */
typedef struct xl_stage {
    uint tile; /* elements of one: XL_TILE or fewer, whole vectors of 16 */
    __local XL_IN *in;
#if XL_MARKS
    __local uchar *marks;
#elif XL_SEGMENTS != 0
    __local uint *heads; /* a bit per element */
#endif
    __local ulong *arrived; /* an mbarrier */
} xl_stage;

/* Declares the local memory of a stage, in a kernel. */
#if XL_MARKS
#define XL_STAGE_MARKS(stage)                                                                      \
    __local uchar stage##_marks[XL_TILE] __attribute__((aligned(128)));                            \
    stage.marks = stage##_marks;
#elif XL_SEGMENTS != 0
#define XL_STAGE_MARKS(stage)                                                                      \
    __local uint stage##_heads[XL_TILE / 32 + 1];                                                  \
    stage.heads = stage##_heads;
#else
#define XL_STAGE_MARKS(stage)
#endif
#define XL_STAGE_MAKE(stage)                                                                       \
    xl_stage stage;                                                                                \
    __local XL_IN stage##_in[XL_TILE] __attribute__((aligned(128)));                               \
    __local ulong stage##_arrived;                                                                 \
    stage.in = stage##_in;                                                                         \
    stage.arrived = &stage##_arrived;                                                              \
    XL_STAGE_MARKS(stage)

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
#elif XL_MARKS
    return XL_FETCH_ALIGNED(input->in) && XL_FETCH_ALIGNED(input->segments);
#else
    return XL_FETCH_ALIGNED(input->in);
#endif
}

/* Elements of the tile at `base`. */
uint xl_stage_count(const xl_stage *stage, const xl_input *input, ulong base)
{
    return (uint)min(input->n - base, (ulong)stage->tile);
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
    const uint count = xl_fetch_count(xl_stage_count(stage, input, base));
    uint bytes = count * XL_IN_BYTES;
#if XL_MARKS
    bytes += count;
#endif
    __asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                   :
                   : "r"(XL_LOCAL_AT(stage->arrived)), "r"(bytes)
                   : "memory");
    if (count == 0)
        return;
    xl_bulk_copy(stage->in, input->in + base, count * XL_IN_BYTES, stage->arrived);
#if XL_MARKS
    xl_bulk_copy(stage->marks, input->segments + base, count, stage->arrived);
#endif
#endif
}

/* By all: the tile at `base` is there when this returns, and whoever reads it has passed a
 * barrier if any work-item had to copy. `phase`: 0, 1, 0, ... from fetch to fetch. */
void xl_fetch_end(const xl_stage *stage, const xl_input *input, ulong base, bool fetches,
                  uint phase)
{
    const uint count = xl_stage_count(stage, input, base);
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
#if XL_MARKS
            stage->marks[i] = input->segments[base + i];
#endif
        }
        XL_LOCAL_BARRIER();
    }
}

/* By all: makes the bits of the tile at `base`, unless marks come with it. It
 * need not be there yet. Whoever reads them has passed a barrier. */
#if XL_SEGMENTS == 2 || XL_SEGMENTS >= 5
void xl_stage_heads(const xl_stage *stage, const xl_input *input, ulong base)
{
    for (uint k = (uint)get_local_id(0); k < XL_CEIL_DIV(stage->tile, 32); k += XL_GROUP_SIZE) {
        const ulong at = base + 32ul * k;
#if XL_SEGMENTS == 2
        stage->heads[k] = at < input->n ? input->segments[at / 32] : 0u;
#else
        stage->heads[k] = xl_periodic_heads(input, XL_INDEX(input, at) % input->width);
#endif
    }
}
#else
#define xl_stage_heads(stage, input, base)
#endif

#if XL_SEGMENTS == 0
#define xl_staged_heads(stage, input, base, at) 0u
#else
/* The bits of XL_VLEN elements from `at` on of the tile at `base`. */
uint xl_staged_heads(const xl_stage *stage, const xl_input *input, ulong base, uint at)
{
    uint bits = base + at == 0 && XL_BEGINS(input);
#if XL_MARKS
    uchar mark[XL_VLEN];
#if XL_VLEN > 1
    XL_UNPACK(*(const __local XL_JOIN(uchar, XL_VLEN) *)(stage->marks + at), mark);
#else
    mark[0] = stage->marks[at];
#endif
#pragma unroll
    for (uint v = 0; v < XL_VLEN; ++v)
        bits |= (uint)(mark[v] != 0) << v;
#else
    bits |= stage->heads[at / 32] >> at % 32 & ((1u << XL_VLEN) - 1u);
#endif
    return bits;
}
#endif

/* The states of XL_VLEN elements from `at` on of the tile at `base`, all of which are there. */
void xl_staged_vector(XL_T *to, const xl_stage *stage, const xl_input *input, ulong base, uint at)
{
    XL_IN x[XL_VLEN];
    const uint heads = xl_staged_heads(stage, input, base, at);
#if XL_VLEN > 1
    XL_UNPACK(*(const __local xl_in_vec *)(stage->in + at), x);
#else
    x[0] = stage->in[at];
#endif
#pragma unroll
    for (uint v = 0; v < XL_VLEN; ++v)
        to[v] = xl_input_accumulator(input, x[v], base + at + v, (heads >> v & 1) != 0);
}

/* The same where only `count` elements of the tile are there; XL_IDENTITY past them. */
void xl_staged_few(XL_T *to, const xl_stage *stage, const xl_input *input, ulong base, uint at,
                   uint count)
{
#pragma unroll
    for (uint v = 0; v < XL_VLEN; ++v)
        to[v] = XL_IDENTITY;
    if (at >= count)
        return;
    const uint heads = xl_staged_heads(stage, input, base, at);
#pragma unroll
    for (uint v = 0; v < XL_VLEN; ++v)
        if (at + v < count)
            to[v] = xl_input_accumulator(input, stage->in[at + v], base + at + v,
                                         (heads >> v & 1) != 0);
}

#endif
