/* SPDX-License-Identifier: MIT
 * What a device makes of a user's type: its size and its alignment. */
__kernel void xl_type_size(__global uint *seen)
{
    seen[0] = (uint)sizeof(XL_TYPE);
    seen[1] = (uint)(sizeof(XL_AFTER_CHAR) - sizeof(XL_TYPE)); /* its alignment */
}
