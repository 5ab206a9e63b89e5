/* SPDX-License-Identifier: MIT
 * The size and the alignment of a user's type on this device. */
__kernel void xl_type_size(__global uint *seen)
{
    seen[0] = (uint)sizeof(XL_TYPE);
    seen[1] = (uint)(sizeof(XL_AFTER_CHAR) - sizeof(XL_TYPE)); /* its alignment */
}
