/* SPDX-License-Identifier: MIT
 * What a device makes of a user's type: XL_T, and XL_AFTER_CHAR, a struct of a char and an XL_T. */
#if !defined(XL_T) || !defined(XL_AFTER_CHAR)
#error "XL_T and XL_AFTER_CHAR must be defined"
#endif

__kernel void xl_type_size(__global uint *seen)
{
    seen[0] = (uint)sizeof(XL_T);
    seen[1] = (uint)(sizeof(XL_AFTER_CHAR) - sizeof(XL_T)); /* its alignment */
}
