/* SPDX-License-Identifier: MIT
 * #include <crosslane/morton.cl>: Morton codes (Morton 1966), which interleave the bits of two or
 * three whole numbers, x the lowest. After a sort by code, points that are near each other in
 * memory are often near in space as well. It may be included more than once.
 *
 *   uint  xl_morton_2d(uint x, uint y)                16 bits of each: 32
 *   ulong xl_morton_2d_wide(uint x, uint y)           32 bits of each: 64
 *   uint  xl_morton_3d(uint x, uint y, uint z)        10 bits of each: 30
 *   ulong xl_morton_3d_wide(uint x, uint y, uint z)   21 bits of each: 63
 *         Higher bits are ignored.
 *   uint4 xl_morton_2d_place(uint code), _2d_wide_place(ulong), _3d_place, _3d_wide_place
 *         the numbers of a code; the other components are 0
 *   uint  xl_morton_cell(float x, float lower, float scale, uint bits)
 *         the number of a coordinate, 0 to 2^bits - 1 (bits at most 32): (x - lower) * scale,
 *         rounded down. Below the range it is 0, above the range and for NaN it is the largest
 *         number. It is monotone in x. If scale is a power of two, the product does not round */
#ifndef XL_MORTON
#define XL_MORTON

/* Inserts a zero above each bit. */
ulong xl_morton_spread_2(uint x)
{
    ulong v = x;
    v = (v | v << 16) & 0x0000ffff0000ffffUL;
    v = (v | v << 8) & 0x00ff00ff00ff00ffUL;
    v = (v | v << 4) & 0x0f0f0f0f0f0f0f0fUL;
    v = (v | v << 2) & 0x3333333333333333UL;
    return (v | v << 1) & 0x5555555555555555UL;
}

uint xl_morton_gather_2(ulong v)
{
    v &= 0x5555555555555555UL;
    v = (v | v >> 1) & 0x3333333333333333UL;
    v = (v | v >> 2) & 0x0f0f0f0f0f0f0f0fUL;
    v = (v | v >> 4) & 0x00ff00ff00ff00ffUL;
    v = (v | v >> 8) & 0x0000ffff0000ffffUL;
    return (uint)(v | v >> 16);
}

/* Inserts two zeros above each of 21 bits. */
ulong xl_morton_spread_3(uint x)
{
    ulong v = x & 0x1fffffu;
    v = (v | v << 32) & 0x001f00000000ffffUL;
    v = (v | v << 16) & 0x001f0000ff0000ffUL;
    v = (v | v << 8) & 0x100f00f00f00f00fUL;
    v = (v | v << 4) & 0x10c30c30c30c30c3UL;
    return (v | v << 2) & 0x1249249249249249UL;
}

uint xl_morton_gather_3(ulong v)
{
    v &= 0x1249249249249249UL;
    v = (v | v >> 2) & 0x10c30c30c30c30c3UL;
    v = (v | v >> 4) & 0x100f00f00f00f00fUL;
    v = (v | v >> 8) & 0x001f0000ff0000ffUL;
    v = (v | v >> 16) & 0x001f00000000ffffUL;
    return (uint)(v | v >> 32) & 0x1fffffu;
}

ulong xl_morton_2d_wide(uint x, uint y)
{
    return xl_morton_spread_2(x) | xl_morton_spread_2(y) << 1;
}

uint xl_morton_2d(uint x, uint y)
{
    return (uint)xl_morton_2d_wide(x & 0xffffu, y & 0xffffu);
}

ulong xl_morton_3d_wide(uint x, uint y, uint z)
{
    return xl_morton_spread_3(x) | xl_morton_spread_3(y) << 1 | xl_morton_spread_3(z) << 2;
}

uint xl_morton_3d(uint x, uint y, uint z)
{
    return (uint)xl_morton_3d_wide(x & 0x3ffu, y & 0x3ffu, z & 0x3ffu);
}

uint4 xl_morton_2d_wide_place(ulong code)
{
    return (uint4)(xl_morton_gather_2(code), xl_morton_gather_2(code >> 1), 0u, 0u);
}

uint4 xl_morton_2d_place(uint code)
{
    return xl_morton_2d_wide_place(code);
}

uint4 xl_morton_3d_wide_place(ulong code)
{
    return (uint4)(xl_morton_gather_3(code), xl_morton_gather_3(code >> 1),
                   xl_morton_gather_3(code >> 2), 0u);
}

uint4 xl_morton_3d_place(uint code)
{
    return xl_morton_3d_wide_place(code & 0x3fffffffu);
}

/* Compared before the conversion, which is undefined for NaN and for numbers that are too large. */
uint xl_morton_cell(float x, float lower, float scale, uint bits)
{
    const float number = (x - lower) * scale, end = (float)(1UL << bits);
    const uint last = (uint)((1UL << bits) - 1UL);
    if (!(number < end))
        return last;
    return number > 0.0f ? (uint)number : 0u;
}

#endif
