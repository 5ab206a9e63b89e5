/* SPDX-License-Identifier: MIT
 * Where the results of a scan go: the array, and the store expression.
 *
 * Asks for what cl/tile/tile_input.cl asks for, and
 *   XL_OUT, XL_OUT_BYTES  type of an element of the array, and its size
 *   XL_STORE  1: the caller's xl_user_store(x, i) makes an XL_OUT of an XL_R */
#ifndef XL_TILE_OUTPUT
#define XL_TILE_OUTPUT

#include "tile_input.cl"

#if !defined(XL_OUT) || !defined(XL_OUT_BYTES) || !defined(XL_STORE)
#error "XL_OUT, XL_OUT_BYTES and XL_STORE must be defined"
#endif

#if XL_E_KIND == 3
#define XL_AS_R(e) (e)
#elif XL_E_LANES > 1
#define XL_AS_R(e) XL_JOIN(as_, XL_R)(e)
#else
#define XL_AS_R(e) ((XL_R)(e))
#endif

/* What is stored for a result. */
XL_OUT xl_output(XL_E e, ulong i)
{
#if XL_OPERATOR == 8 || XL_OPERATOR == 9
    return e.index;
#elif XL_STORE
    return xl_user_store(XL_AS_R(e), i);
#else
    return XL_AS_R(e);
#endif
}

#endif
