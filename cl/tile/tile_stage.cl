/* SPDX-License-Identifier: MIT
 * Block load through local memory: a tile is loaded while the tile before it is processed.
 *
 * On NVIDIA GPUs of compute capability 9.0 or later (XL_BULK 1 or 2), one work-item starts a bulk
 * copy (PTX ISA, cp.async.bulk), which takes no registers and signals an mbarrier. On other devices
 * the work-items copy when the tile is needed. A bulk copy takes whole, aligned units of 16 bytes,
 * so the work-items copy the last few bytes of a tile themselves. If an array is not aligned, the
 * copy begins up to 15 bytes early and the work-items move the data to its place (XL_BULK 2), or
 * they copy the whole tile (XL_BULK 1, in programs for calls whose arrays are aligned: they are a
 * third shorter). */
#ifndef XL_TILE_STAGE
#define XL_TILE_STAGE

#define XL_SEGMENTS 0 /* heads of segments cannot be staged */
#include "tile_load.cl"

/* The place of a tile in local memory. */
typedef struct xl_stage {
    __local XL_IN *in;
    __local ulong *arrived; /* an mbarrier */
} xl_stage;

/* The local memory of a stage. Data that is not yet moved to its place takes up to 32 bytes
 * more. */
typedef struct xl_stage_storage {
    XL_IN in[XL_TILE + (31 + sizeof(XL_IN)) / sizeof(XL_IN)] __attribute__((aligned(128)));
    ulong arrived;
} xl_stage_storage;

xl_stage xl_stage_make(__local xl_stage_storage *storage)
{
    xl_stage stage;
    stage.in = storage->in;
    stage.arrived = &storage->arrived;
    return stage;
}

#if XL_BULK
#define XL_LOCAL_AT(p) ((uint)(size_t)(p))
/* Lines that will not be read again should leave the L2 cache first. */
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

/* Called by one work-item, before the first fetch. */
void xl_fetch_init(const xl_stage *stage)
{
#if XL_BULK
    __asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.proxy.async.shared::cta;"
                   :
                   : "r"(XL_LOCAL_AT(stage->arrived))
                   : "memory");
#endif
}

/* How many bytes early a bulk copy begins, and how many it takes in all. */
#define XL_BULK_SKEW(p) ((uint)(size_t)(p)&15u)
#define XL_BULK_BYTES(p, bytes)                                                                    \
    (XL_BULK == 1 && XL_BULK_SKEW(p) > 0 ? 0u : (XL_BULK_SKEW(p) + (bytes)) & ~15u)

/* The number of elements in the tile at `base`. */
uint xl_stage_count(const xl_input *input, ulong base)
{
    return (uint)min(input->n - base, (ulong)XL_TILE);
}

/* Starts to load the tile at `base`. Called by one work-item; none may still read the stage. */
void xl_fetch_start(const xl_stage *stage, const xl_input *input, ulong base)
{
#if XL_BULK
    const uint count = xl_stage_count(input, base);
    const __global XL_IN *const in = input->in + base;
    const uint in_bytes = XL_BULK_BYTES(in, count * (uint)sizeof(XL_IN));
    __asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                   :
                   : "r"(XL_LOCAL_AT(stage->arrived)), "r"(in_bytes)
                   : "memory");
    if (in_bytes > 0)
        xl_bulk_copy(stage->in, (const __global char *)in - XL_BULK_SKEW(in), in_bytes,
                     stage->arrived);
#endif
}

#if XL_BULK == 2
/* Moves data that arrived `skew` > 0 bytes after its place, of `bytes` in all. Called by all
 * work-items. It goes row by row, so that few registers hold data that others will overwrite. */
void xl_stage_move(__local void *stage, uint skew, uint bytes)
{
    __local uint *const word = (__local uint *)stage;
    const uint by = skew / 4, bits = skew % 4 * 8;
    for (uint row = 0; row < bytes; row += 16 * XL_GROUP_SIZE) {
        const uint at = row / 4 + 4 * (uint)get_local_id(0);
        uint w[4];
        if (4 * at < bytes) {
#pragma unroll
            for (uint k = 0; k < 4; ++k) {
                w[k] = word[at + by + k];
                if (bits > 0)
                    w[k] = w[k] >> bits | word[at + by + k + 1] << (32 - bits);
            }
        }
        xl_local_barrier();
        if (4 * at < bytes) {
#pragma unroll
            for (uint k = 0; k < 4; ++k)
                word[at + k] = w[k];
        }
    }
    /* These accesses must be complete before a later bulk copy. */
    __asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    xl_local_barrier();
}
#endif

/* Waits until the tile at `base` is loaded. Called by all work-items; ends with a barrier if
 * work-items had to copy. `phase`: 0, 1, 0, ... from fetch to fetch. */
void xl_fetch_end(const xl_stage *stage, const xl_input *input, ulong base, uint phase)
{
    const uint count = xl_stage_count(input, base);
    const __global XL_IN *const in = input->in + base;
    uint done = 0;
#if XL_BULK
    uint there;
    do
        __asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"
                       " selp.u32 %0, 1, 0, p; }"
                       : "=r"(there)
                       : "r"(XL_LOCAL_AT(stage->arrived)), "r"(phase)
                       : "memory");
    while (!there);
    const uint skew = XL_BULK_SKEW(in), bytes = XL_BULK_BYTES(in, count * (uint)sizeof(XL_IN));
    done = bytes > skew ? (bytes - skew) / (uint)sizeof(XL_IN) : 0;
#if XL_BULK == 2
    if (skew > 0)
        xl_stage_move(stage->in, skew, bytes);
#endif
#endif
    if (done < count) {
#pragma unroll 4
        for (uint i = done + (uint)get_local_id(0); i < count; i += XL_GROUP_SIZE)
            stage->in[i] = in[i];
        xl_local_barrier();
    }
}

/* Whether elements after the last one may have any value: built-in operators accept any, and no
 * result depends on it, except a carry. */
enum { xl_any_tail = XL_BUILT_IN && !XL_CARRY };

/* The accumulators of XL_VLEN elements from `at` on, in the tile at `base`. All must exist, or
 * xl_any_tail. */
void xl_staged_vector(XL_T *to, const xl_stage *stage, const xl_input *input, ulong base, uint at)
{
    XL_IN x[XL_VLEN];
    xl_in_unpack(*(const __local xl_in_vec *)(stage->in + at), x);
#pragma unroll
    for (uint v = 0; v < XL_VLEN; ++v)
        to[v] = xl_input_accumulator(input, x[v], base + at + v, false);
}

/* The same if only `count` elements of the tile exist; xl_identity() after them. */
void xl_staged_few(XL_T *to, const xl_stage *stage, const xl_input *input, ulong base, uint at,
                   uint count)
{
#pragma unroll
    for (uint v = 0; v < XL_VLEN; ++v)
        to[v] = xl_identity();
    if (at >= count)
        return;
#pragma unroll
    for (uint v = 0; v < XL_VLEN; ++v)
        if (at + v < count)
            to[v] = xl_input_accumulator(input, stage->in[at + v], base + at + v, false);
}

/* c plus the dot product of the four bytes of a with those of b. One instruction if the device has it:
 * dp4a (PTX ISA 5.0), udot4 of AMD's gfx906 and later, elsewhere cl_khr_integer_dot_product. */
#if XL_LANE_WAY == 3
#if __clang_major__ >= 15 && __has_builtin(__builtin_amdgcn_udot4) /* older: always true */
#define XL_AMD_DOT4
#endif
#endif

uint xl_dot4(uint a, uint b, uint c)
{
#if XL_LANE_WAY == 2 && XL_NV_CAPABILITY >= 7
    uint r;
    __asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
#elif defined(XL_AMD_DOT4)
    return __builtin_amdgcn_udot4(a, b, c, false);
#elif defined(__opencl_c_integer_dot_product_input_4x8bit_packed)
    return dot_4x8packed_uu_uint(a, b) + c;
#else
    return (a & 0xff) * (b & 0xff) + (a >> 8 & 0xff) * (b >> 8 & 0xff) +
           (a >> 16 & 0xff) * (b >> 16 & 0xff) + (a >> 24) * (b >> 24) + c;
#endif
}

#if XL_PACKED == 2
/* The sum of the 16 bytes of a vector: four instructions instead of 31. Sums of bytes wrap, so a
 * wider sum has the right low byte. */
uint xl_bytes_sum(xl_in_vec x)
{
    const uint4 w = as_uint4(x);
    const uint low = xl_dot4(w.y, 0x01010101u, xl_dot4(w.x, 0x01010101u, 0));
    return xl_dot4(w.w, 0x01010101u, xl_dot4(w.z, 0x01010101u, low));
}
#endif

/* XL_VLEN elements from `at` on, in the tile at `base`, reduced. All must exist, or xl_any_tail. */
XL_T xl_staged_vector_total(const xl_stage *stage, const xl_input *input, ulong base, uint at)
{
#if XL_PACKED == 2
    return (XL_T)xl_bytes_sum(*(const __local xl_in_vec *)(stage->in + at));
#else
    XL_T x[XL_VLEN];
    xl_staged_vector(x, stage, input, base, at);
    return xl_vector_reduce(x, 0);
#endif
}

/* This work-item's part of the staged tile, reduced by the same operations as in
 * xl_source_aggregate() (cl/scan/scan_source.cl). */
XL_T xl_staged_total(const xl_stage *stage, const xl_input *input, ulong base)
{
    const uint count = xl_stage_count(input, base);
    const uint at = xl_blocked_at((uint)get_local_id(0));
    XL_T total = xl_identity();
    if (xl_any_tail || count == XL_TILE) {
#pragma unroll
        for (uint row = 0; row < XL_VECTORS; ++row)
            total = xl_op(total, xl_staged_vector_total(stage, input, base, at + row * XL_VLEN));
    } else {
#pragma unroll 1
        for (uint row = 0; row < XL_VECTORS; ++row) {
            XL_T x[XL_VLEN];
            xl_staged_few(x, stage, input, base, at + row * XL_VLEN, count);
            total = xl_op(total, xl_vector_reduce(x, 0));
        }
    }
    return total;
}

/* This work-item's rows of the staged tile, as in cl/tile/tile_load.cl. */
void xl_staged_load(XL_T *item, const xl_stage *stage, const xl_input *input, ulong base)
{
    const uint count = xl_stage_count(input, base);
    const uint step = xl_row_step(), at = xl_tile_at(xl_sub_tile(), 0);
    if (xl_any_tail || count == XL_TILE) {
#pragma unroll
        for (uint row = 0; row < XL_VECTORS; ++row)
            xl_staged_vector(item + row * XL_VLEN, stage, input, base, at + row * step);
    } else {
#pragma unroll
        for (uint row = 0; row < XL_VECTORS; ++row)
            xl_staged_few(item + row * XL_VLEN, stage, input, base, at + row * step, count);
    }
}

#endif
