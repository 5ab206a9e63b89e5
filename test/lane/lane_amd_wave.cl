/* SPDX-License-Identifier: MIT
 * AMD's waves emulated on this machine (lane_amd_wave.c, by lane_amd.sh): the builtins that
 * cl/lane/lane.cl uses, as AMD's instruction manuals define them, done by work-items that
 * synchronize and read each other's words.
 *
 * Asks for XL_LANES 32 or 64, XLT_GENERATION (8: gfx8 and gfx9, 10, 11, 0: not told) and XLT_KIND,
 * what to try: 0 scans of maps, 1 moves and scans of words, 2 a row of elements with flags. The
 * result is XLT_NOTHING if it is undefined or if the generation has no such instruction. */
#define XL_LANE_WAY 3
#define XL_E uint
#define XL_E_BYTES 4
#define XL_OP(a, b) ((a) + (b))
#define XL_COMMUTES 1
#define XL_HAS_IDENTITY 1
#define XL_KEEP_ORDER 0
#define XL_ACCUMULATOR (XLT_KIND == 2)
#if XLT_GENERATION == 8
#define __GFX9__ 1
#elif XLT_GENERATION == 10
#define __GFX10__ 1
#elif XLT_GENERATION == 11
#define __GFX11__ 1
#endif
#define XLT_NOTHING 0xdeadbeefu
/* No function of a work-group is called. */
#define barrier(fence) ((void)0)
#define atomic_or(word, bits) ((void)0)
#define XLT_LANE ((uint)get_local_id(0) % XL_LANES)

/* v of lane `from` of the wave; every lane's v is there when it returns. lane_amd_wave.c. */
uint xlt_read(uint v, uint from);

uint xlt_bpermute(int at, uint v)
{
    uint from = ((uint)at >> 2) % XL_LANES;
    if (XLT_GENERATION >= 10 && XL_LANES == 64) /* halves apart */
        from = from % 32 + XLT_LANE / 32 * 32;
    return xlt_read(v, from);
}

uint xlt_permlanex16(uint v, uint low, uint high)
{
    const uint k = XLT_LANE % 16, row = XLT_LANE / 16 ^ 1;
    const uint select = k < 8 ? low >> 4 * k : high >> 4 * (k - 8);
    const uint got = xlt_read(v, 16 * row + select % 16);
    return XLT_GENERATION < 10 ? XLT_NOTHING : got;
}

/* The lane that `control` reads from, 64 for none, 65 where there is no such control. */
uint xlt_dpp_from(uint control)
{
    const uint lane = XLT_LANE, k = lane % 16, row = lane - k, n = control % 16;
    if (control < 0x100)
        return lane - lane % 4 + (control >> 2 * (lane % 4) & 3);
    if (control > 0x100 && control < 0x110)
        return k + n < 16 ? lane + n : 64;
    if (control > 0x110 && control < 0x120)
        return k >= n ? lane - n : 64;
    if (control > 0x120 && control < 0x130)
        return row + (k - n) % 16;
    if (control == 0x140 || control == 0x141)
        return row + (k ^ (control == 0x140 ? 15 : 7));
    if (control >= 0x160 && control < 0x170 && XLT_GENERATION >= 10)
        return row + (k ^ n);
    if (control == 0x138 && XLT_GENERATION == 8)
        return lane > 0 ? lane - 1 : 64;
    if (control == 0x142 && XLT_GENERATION == 8)
        return row > 0 ? row - 1 : 64;
    return 65;
}

uint xlt_dpp(uint old, uint v, uint control, uint rows, uint banks, bool zero)
{
    const uint lane = XLT_LANE, from = xlt_dpp_from(control);
    const uint got = xlt_read(v, from);
    if (from == 65)
        return XLT_NOTHING;
    if ((rows >> lane / 16 & 1) == 0 || (banks >> lane % 16 / 4 & 1) == 0)
        return old;
    if (from == 64)
        return zero ? 0 : old;
    return got;
}

ulong xlt_ballot(bool p)
{
    ulong bits = 0;
    for (uint k = 0; k < XL_LANES; ++k)
        bits |= (ulong)xlt_read(p, k) << k;
    return bits;
}

uint xlt_count(uint mask, uint below) /* bits of the mask under bit `below` */
{
    return popcount(below >= 32 ? mask : mask & ((1u << below) - 1));
}

#define __has_builtin(name) 1
#define __builtin_amdgcn_mbcnt_lo(mask, more) (xlt_count((mask), XLT_LANE) + (more))
#define __builtin_amdgcn_mbcnt_hi(mask, more)                                                      \
    (xlt_count((mask), XLT_LANE < 32 ? 0 : XLT_LANE - 32) + (more))
#define __builtin_amdgcn_ds_bpermute(at, v) xlt_bpermute((at), (uint)(v))
#define __builtin_amdgcn_readlane(v, from) xlt_read((uint)(v), (uint)(from))
#define __builtin_amdgcn_readfirstlane(v) xlt_read((uint)(v), 0)
#define __builtin_amdgcn_permlane64(v)                                                             \
    (XLT_GENERATION < 11 ? XLT_NOTHING : xlt_read((uint)(v), XLT_LANE ^ 32))
#define __builtin_amdgcn_permlanex16(old, v, low, high, inactive, bound)                           \
    xlt_permlanex16((uint)(v), (low), (high))
#define __builtin_amdgcn_mov_dpp(v, control, rows, banks, zero)                                    \
    xlt_dpp(XLT_NOTHING, (uint)(v), (control), (rows), (banks), (zero))
#define __builtin_amdgcn_update_dpp(old, v, control, rows, banks, zero)                            \
    xlt_dpp((uint)(old), (uint)(v), (control), (rows), (banks), (zero))
#define __builtin_amdgcn_ballot_w32(p) xlt_ballot(p)
#define __builtin_amdgcn_ballot_w64(p) xlt_ballot(p)

uint xl_identity_e(void)
{
    return 0;
}

#if XLT_KIND == 0
enum { map_commutes = 0 };

ulong map_identity(void)
{
    return 1ul;
}

/* x -> a x + b, first the left one then the right one: not commutative, and of two words. */
ulong map_op(ulong f, ulong g)
{
    const uint2 l = as_uint2(f), r = as_uint2(g);
    return as_ulong((uint2)(l.x * r.x, l.y * r.x + r.y));
}
#define XL_NAME map
#define XL_T ulong
#endif
#if XLT_KIND == 2
#define XL_SCANS_ROWS 1
#include "../../cl/group/group_scan.cl"
#else
#include "../../cl/group/group_segmented.cl"
#endif

/* 32 words for each work-item, of 128. */
__kernel void xl_test_wave(const __global ulong *in, const __global uchar *heads,
                           const __global ulong *masks, __global ulong *out)
{
    const uint i = (uint)get_local_id(0);
    out += 32 * i;
#if XLT_KIND == 0
    const ulong x = in[i], mask = masks[i / XL_LANES];
    out[0] = map_lane_scan_inclusive(x);
    out[1] = map_lane_scan_exclusive(x);
    out[2] = map_lane_reduce(x);
    out[3] = map_lane_reduce_down(x);
    out[4] = map_lane_segmented_scan_inclusive(x, heads[i] != 0);
    out[5] = map_lane_segmented_scan_exclusive(x, heads[i] != 0);
    for (uint width = 1, at = 6; width <= XL_LANES; width *= 2, ++at)
        out[at] = map_subwarp_scan_inclusive(x, mask, width);
#elif XLT_KIND == 1
    const uint v = (uint)in[i];
    out[0] = xl_lane_width();
    out[1] = xl_lane_id();
    out[2] = xl_lane_group();
    out[3] = xl_lane_groups();
    out[4] = xl_lane_ballot(heads[i] != 0);
    out[5] = xl_lane_shuffle_up(v, 1);
    out[6] = xl_lane_shuffle_up(v, 5);
    out[7] = xl_lane_shuffle_down(v, 1);
    out[8] = xl_lane_shuffle_down(v, 17);
    out[9] = xl_lane_shuffle(v, XL_LANES - 1);
    out[10] = xl_lane_shuffle(v, (7 * xl_lane_id() + 3) % XL_LANES);
    out[11] = xl_lane_scan_inclusive(v);
    out[12] = xl_lane_reduce(v);
#pragma unroll
    for (uint k = 1, at = 13; k < XL_LANES; k *= 2, at += 2) {
        out[at] = xl_lane_shuffle_xor(v, k);
        out[at + 1] = xl_lane_shuffle_xor(v, 2 * k - 1);
    }
#else
    xl_accumulator all;
    const xl_accumulator mine = xl_accumulator_of((XL_E)in[i], heads[i] != 0);
    const xl_accumulator before = xl_lane_scan_total(mine, &all);
    out[0] = before.value;
    out[1] = before.flags;
    out[2] = all.value;
    out[3] = all.flags;
#endif
}
