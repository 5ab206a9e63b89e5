/* SPDX-License-Identifier: MIT
 * The operations of one sub-group, whichever way the device has them: identity, shuffles of 32-bit
 * words, ballots. Wider values are moved as several words.
 *
 *   uint xl_lane_width(void)    the width: work-items of a full sub-group; 1 for XL_LANE_WAY 0
 *   uint xl_lane_id(void)       the lane of this work-item, 0 to width - 1
 *   uint xl_lane_group(void)    the number of its sub-group in the work-group
 *   uint xl_lane_groups(void)   number of sub-groups in the work-group
 *   uint xl_lane_shuffle(uint v, uint from)      v of lane `from`
 *   uint xl_lane_shuffle_up(uint v, uint by)     v of lane id - by; undefined in the lowest `by`
 *                                                lanes
 *   uint xl_lane_shuffle_xor(uint v, uint mask)  v of lane id ^ mask
 *   uint xl_lane_shuffle_down(uint v, uint by)   v of lane id + by; undefined in the highest `by`
 *                                                lanes
 *   ulong xl_lane_ballot(bool p)                 bit k: p of lane k; 0 beyond the width
 *   bool xl_lanes_whole(void)   the work-group consists of whole sub-groups of a power of two lanes
 *   and xl_lane_shuffle64, xl_lane_shuffle_up64 and so on for 64 bits
 *
 * All lanes of a sub-group must call these together, in control flow that is the same for all of
 * them. If XL_LANE_WAY is 0, the width is 1, a lane shuffles only with itself, and groups exchange
 * through local memory with barriers (cl/group). A work-group is a multiple of the width, or one
 * partial sub-group that uses only identity and moves from existing lanes. Work-items are numbered
 * along dimension 0. */
#ifndef XL_LANE
#define XL_LANE

#include "../prelude/prelude.cl"

/* The name of a function in the family of an element type, whose name is XL_NAME. */
#define XL_FN(function) XL_JOIN(XL_JOIN(XL_NAME, _), function)

#if XL_LANE_WAY >= 2
uint xl_lane_width(void)
{
    return XL_LANES;
}

uint xl_lane_groups(void)
{
    return ((uint)get_local_size(0) + XL_LANES - 1) / XL_LANES;
}
#endif

#if XL_LANE_WAY == 3
/* Lanes by builtins of AMD's compiler, whose OpenCL has sub-groups without shuffles and ballots.
 * XL_LANES is the wavefront size that the device reports, 32 or 64. A kernel that was compiled for
 * the other size numbers its lanes differently, which the lane probe detects.
 *
 * ds_bpermute moves a word between any two lanes. It takes an address, a trip through the crossbar
 * of local memory, and a wait. Cheaper are moves that are known at compile time, as operands of an
 * instruction (DPP) or as one instruction:
 *   row_ror, row_shr, quad_perm, row_mirror    within rows of 16 lanes
 *   row_xmask, permlanex16                     from gfx10 on; the latter swaps two rows
 *   row_bcast15, wave_shr                      only gfx8 and gfx9
 *   permlane64                                 from gfx11 on: swaps the halves of 64 lanes
 *   readlane                                   from one lane to all: the value becomes a scalar
 * __builtin_constant_p() is evaluated after functions are inlined and loops unrolled.
 *
 * Scans and reductions use xl_lane_below(), in two stages that such moves can do: within rows, then
 * from row to row. The instructions of a kernel that loads, reduces or scans, and stores a uint,
 * and how many of them go through local memory, each waiting for the one before (clang 19):
 *                          gfx90a, gfx942   gfx1030          gfx1100, 32 lanes
 *   reduce  ds_bpermute    35 with 6        29 with 5        30 with 5
 *           as here        18 with 0        16 with 0        17 with 0
 *   scan    ds_bpermute    52 with 6        43 with 5        42 with 5
 *           as here        35 with 0        30 with 0        31 with 0
 * From gfx10 on, ds_bpermute serves each half of 64 lanes separately.
 *
 * If the compiler does not report the generation (before LLVM 15), or reports one that is not
 * listed here, only ds_bpermute and readlane are used, which every generation has. */

#if XL_LANES != 32 && XL_LANES != 64
#error "XL_LANES must be 32 or 64, the sizes of AMD's wavefronts"
#endif
#if defined(__AMDGCN_WAVEFRONT_SIZE) && __AMDGCN_WAVEFRONT_SIZE != XL_LANES
#error "the compiler's wavefront size differs from XL_LANES, which the device reported"
#endif

#if defined(__GFX8__) || defined(__GFX9__)
#define XL_AMD_DPP 8
#elif defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
#define XL_AMD_DPP 10
#else
#define XL_AMD_DPP 0
#endif

#if XL_AMD_DPP == 10 && XL_LANES == 64
#if defined(__GFX10__) || !__has_builtin(__builtin_amdgcn_permlane64)
#error "this GPU has no shuffle between the halves of 64 lanes"
#endif
#define XL_AMD_HALVES 1
#else
#define XL_AMD_HALVES 0
#endif

/* v, moved within rows of 16 lanes as `control` says. No lane reads a missing lane. */
#define XL_AMD_MOVE(v, control) ((uint)__builtin_amdgcn_mov_dpp((int)(v), control, 0xf, 0xf, true))
#define XL_AMD_ROR(by) (0x120 + (by))

uint xl_lane_id(void)
{
    const uint low = __builtin_amdgcn_mbcnt_lo(~0u, 0);
    return XL_LANES == 64 ? __builtin_amdgcn_mbcnt_hi(~0u, low) : low;
}

/* readfirstlane tells the compiler that the result is the same for all lanes. */
uint xl_lane_group(void)
{
    return __builtin_amdgcn_readfirstlane((uint)get_local_id(0) / XL_LANES);
}

/* v of any lane; lane numbers wrap at the width. */
uint xl_amd_permute(uint v, uint from)
{
    const int at = (int)(from << 2);
    const uint near = (uint)__builtin_amdgcn_ds_bpermute(at, (int)v);
#if XL_AMD_HALVES
    const uint far = (uint)__builtin_amdgcn_ds_bpermute(at, (int)__builtin_amdgcn_permlane64(v));
    return ((from ^ xl_lane_id()) & 32) == 0 ? near : far;
#else
    return near;
#endif
}

uint xl_lane_shuffle(uint v, uint from)
{
    if (__builtin_constant_p(from))
        return (uint)__builtin_amdgcn_readlane((int)v, (int)from);
    return xl_amd_permute(v, from);
}

/* v of the lane before; undefined in lane 0. */
uint xl_amd_before(uint v)
{
#if XL_AMD_DPP == 8
    return XL_AMD_MOVE(v, 0x138); /* wave_shr:1 */
#elif XL_AMD_DPP == 10
    /* The last lane of the other row of two; then each row's shift on top of it. */
    uint last = __builtin_amdgcn_permlanex16(v, v, ~0u, ~0u, false, false);
#if XL_LANES == 64
    const uint carry = (uint)__builtin_amdgcn_readlane((int)v, 31);
    last = xl_lane_id() == 32 ? carry : last;
#endif
    return (uint)__builtin_amdgcn_update_dpp((int)last, (int)v, 0x111, 0xf, 0xf, false);
#else
    return xl_amd_permute(v, xl_lane_id() - 1);
#endif
}

uint xl_lane_shuffle_up(uint v, uint by)
{
    if (__builtin_constant_p(by) && by == 1)
        return xl_amd_before(v);
    return xl_amd_permute(v, xl_lane_id() - by);
}

uint xl_lane_shuffle_down(uint v, uint by)
{
    return xl_amd_permute(v, xl_lane_id() + by);
}

/* For the steps of butterflies, whose masks are constants in an unrolled loop. */
uint xl_lane_shuffle_xor(uint v, uint mask)
{
#if XL_AMD_DPP > 0
    if (__builtin_constant_p(mask)) {
        switch (mask) {
        case 1:
            return XL_AMD_MOVE(v, 0xb1); /* quad_perm:[1,0,3,2] */
        case 2:
            return XL_AMD_MOVE(v, 0x4e); /* quad_perm:[2,3,0,1] */
        case 3:
            return XL_AMD_MOVE(v, 0x1b); /* quad_perm:[3,2,1,0] */
#if XL_AMD_DPP == 10
        case 4:
            return XL_AMD_MOVE(v, 0x164); /* row_xmask:4 */
        case 16:
            return __builtin_amdgcn_permlanex16(v, v, 0x76543210u, 0xfedcba98u, false, false);
#endif
        case 7:
            return XL_AMD_MOVE(v, 0x141); /* row_half_mirror */
        case 8:
            return XL_AMD_MOVE(v, XL_AMD_ROR(8));
        case 15:
            return XL_AMD_MOVE(v, 0x140); /* row_mirror */
#if XL_AMD_HALVES
        case 32:
            return (uint)__builtin_amdgcn_permlane64(v);
#endif
        default:
            break;
        }
    }
#endif
    return xl_amd_permute(v, xl_lane_id() ^ mask);
}

/* One step of a scan or a reduction, which doubles the lanes covered, for by = 1, 2, 4, ...:
 *   by < 16   v of lane id - by; in the first `by` lanes of a row of 16, v of another lane of
 *             the row
 *   else      v of the last of the `by` lanes before this lane's `by` lanes, if these are the upper
 *             half of 2 * by lanes; elsewhere v of any lane */
uint xl_lane_below(uint v, uint by)
{
    const uint first = xl_lane_id() & ~(by - 1);
#if XL_AMD_DPP > 0
    if (__builtin_constant_p(by)) {
        switch (by) {
        case 1:
            return XL_AMD_MOVE(v, XL_AMD_ROR(1));
        case 2:
            return XL_AMD_MOVE(v, XL_AMD_ROR(2));
        case 4:
            return XL_AMD_MOVE(v, XL_AMD_ROR(4));
        case 8:
            return XL_AMD_MOVE(v, XL_AMD_ROR(8));
        case 16:
#if XL_AMD_DPP == 8 /* row_bcast15, into the upper row of two */
            return (uint)__builtin_amdgcn_update_dpp((int)v, (int)v, 0x142, 0xa, 0xf, false);
#else
            return __builtin_amdgcn_permlanex16(v, v, ~0u, ~0u, false, false);
#endif
        default:
            break;
        }
    }
#endif
    if (__builtin_constant_p(by) && by == 32)
        return (uint)__builtin_amdgcn_readlane((int)v, 31);
    return xl_amd_permute(v, by < 16 ? xl_lane_id() - by : first - 1);
}

ulong xl_lane_ballot(bool p)
{
#if XL_LANES == 64 && __has_builtin(__builtin_amdgcn_ballot_w64)
    return __builtin_amdgcn_ballot_w64(p);
#elif XL_LANES == 32 && __has_builtin(__builtin_amdgcn_ballot_w32)
    return __builtin_amdgcn_ballot_w32(p);
#else
    return __builtin_amdgcn_uicmp(p ? 1u : 0u, 0u, 33); /* 33: not equal */
#endif
}
#elif XL_LANE_WAY == 2
/* Lanes by inline PTX, for NVIDIA's OpenCL, which has no sub-groups. The instructions are those of
 * PTX ISA 6.0 and later (shfl.sync, vote.sync); all lanes of the warp take part. XL_LANES is the
 * warp size that the device reports. */

#if XL_LANES > 32
#error "XL_LANES: at most 32, because masks of PTX shuffles have 32 bits"
#endif

/* A mask of all XL_LANES lanes, made without a shift by the full width. */
uint xl_lane_all(void)
{
    return (uint)((1UL << XL_LANES) - 1UL);
}

/* The "clamp" operand of shfl, for sub-groups as wide as the warp. */
#define XL_LANE_CLAMP (XL_LANES - 1)

uint xl_lane_id(void)
{
    return (uint)get_local_id(0) % XL_LANES;
}

uint xl_lane_group(void)
{
    return (uint)get_local_id(0) / XL_LANES;
}

/* Code before the call is executed before code after it, in all lanes. */
void xl_lanes_meet(void)
{
    __asm volatile("bar.warp.sync %0;" : : "r"(xl_lane_all()) : "memory");
}

uint xl_lane_shuffle(uint v, uint from)
{
    uint r;
    __asm volatile("shfl.sync.idx.b32 %0, %1, %2, %3, %4;"
                   : "=r"(r)
                   : "r"(v), "r"(from), "r"(XL_LANE_CLAMP), "r"(xl_lane_all()));
    return r;
}

uint xl_lane_shuffle_up(uint v, uint by)
{
    uint r;
    __asm volatile("shfl.sync.up.b32 %0, %1, %2, 0, %3;"
                   : "=r"(r)
                   : "r"(v), "r"(by), "r"(xl_lane_all()));
    return r;
}

uint xl_lane_shuffle_down(uint v, uint by)
{
    uint r;
    __asm volatile("shfl.sync.down.b32 %0, %1, %2, %3, %4;"
                   : "=r"(r)
                   : "r"(v), "r"(by), "r"(XL_LANE_CLAMP), "r"(xl_lane_all()));
    return r;
}

uint xl_lane_shuffle_xor(uint v, uint mask)
{
    uint r;
    __asm volatile("shfl.sync.bfly.b32 %0, %1, %2, %3, %4;"
                   : "=r"(r)
                   : "r"(v), "r"(mask), "r"(XL_LANE_CLAMP), "r"(xl_lane_all()));
    return r;
}

ulong xl_lane_ballot(bool p)
{
    uint bits, vote = p ? 1u : 0u;
    __asm volatile("{ .reg .pred q; setp.ne.u32 q, %1, 0; vote.sync.ballot.b32 %0, q, %2; }"
                   : "=r"(bits)
                   : "r"(vote), "r"(xl_lane_all()));
    return bits;
}
#elif XL_LANE_WAY == 1
/* Lanes by cl_khr_subgroups with cl_khr_subgroup_shuffle, _shuffle_relative and _ballot. The width
 * is the kernel's, queried at run time. */

uint xl_lane_width(void)
{
    return get_max_sub_group_size();
}

uint xl_lane_id(void)
{
    return get_sub_group_local_id();
}

uint xl_lane_group(void)
{
    return get_sub_group_id();
}

uint xl_lane_groups(void)
{
    return get_num_sub_groups();
}

uint xl_lane_shuffle(uint v, uint from)
{
    return sub_group_shuffle(v, from);
}

uint xl_lane_shuffle_up(uint v, uint by)
{
    return sub_group_shuffle_up(v, by);
}

uint xl_lane_shuffle_down(uint v, uint by)
{
    return sub_group_shuffle_down(v, by);
}

uint xl_lane_shuffle_xor(uint v, uint mask)
{
    return sub_group_shuffle_xor(v, mask);
}

ulong xl_lane_ballot(bool p)
{
    uint4 bits = sub_group_ballot(p ? 1 : 0);
    /* Bits beyond the width are undefined: they are masked, without a shift by the whole width. */
    return ((ulong)bits.y << 32 | bits.x) & (((1UL << (xl_lane_width() - 1)) - 1) << 1 | 1);
}
#else
/* Lanes for devices without cross-lane operations: each work-item is a separate sub-group, which
 * can only shuffle with itself. Groups exchange through local memory with barriers. */

uint xl_lane_width(void)
{
    return 1;
}

uint xl_lane_id(void)
{
    return 0;
}

uint xl_lane_group(void)
{
    return (uint)get_local_id(0);
}

uint xl_lane_groups(void)
{
    return (uint)get_local_size(0);
}

uint xl_lane_shuffle(uint v, uint from)
{
    return v;
}

uint xl_lane_shuffle_up(uint v, uint by)
{
    return v;
}

uint xl_lane_shuffle_down(uint v, uint by)
{
    return v;
}

uint xl_lane_shuffle_xor(uint v, uint mask)
{
    return v;
}

ulong xl_lane_ballot(bool p)
{
    return p ? 1 : 0;
}
#endif

bool xl_lanes_whole(void)
{
    const uint width = xl_lane_width();
    return XL_LANE_WAY != 0 && width <= 64 && (width & (width - 1)) == 0 &&
           get_local_size(0) % width == 0;
}

/* Sets of up to 64 lanes as bits of a word, and the segments into which head bits divide a row of
 * lanes. A shift count wraps in OpenCL C: x << 64 is x. So no mask here is made by a shift by the
 * number of bits of the word or lanes of the row. */

/* Bits 0 to k - 1, for k from 0 to 63. */
ulong xl_bits_below(uint k)
{
    return (1UL << k) - 1;
}

/* Bits 0 to k, for k from 0 to 63. */
ulong xl_bits_through(uint k)
{
    return xl_bits_below(k) << 1 | 1;
}

/* The lane at which the segment of lane k starts: the nearest head at or below it. Lane 0 is always
 * a head; heads above k are ignored. */
uint xl_segment_start(ulong heads, uint k)
{
    return 63 - (uint)clz((heads | 1) & xl_bits_through(k));
}

/* 64-bit values as two words. */
#define XL_LANE_MOVE_64(mover)                                                                     \
    ulong mover##64(ulong v, uint k)                                                               \
    {                                                                                              \
        const uint2 w = as_uint2(v);                                                               \
        return as_ulong((uint2)(mover(w.x, k), mover(w.y, k)));                                    \
    }
XL_LANE_MOVE_64(xl_lane_shuffle)
XL_LANE_MOVE_64(xl_lane_shuffle_up)
XL_LANE_MOVE_64(xl_lane_shuffle_down)
XL_LANE_MOVE_64(xl_lane_shuffle_xor)
#if XL_LANE_WAY == 3
XL_LANE_MOVE_64(xl_lane_below)
#endif

#endif
