/* SPDX-License-Identifier: MIT
 * Lanes by inline PTX, for NVIDIA's OpenCL, which has no sub-groups. The instructions are those of
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

uint xl_lane_width(void)
{
    return XL_LANES;
}

uint xl_lane_id(void)
{
    return (uint)get_local_id(0) % XL_LANES;
}

uint xl_lane_group(void)
{
    return (uint)get_local_id(0) / XL_LANES;
}

uint xl_lane_groups(void)
{
    return ((uint)get_local_size(0) + XL_LANES - 1) / XL_LANES;
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
