/* SPDX-License-Identifier: MIT
 * Where the results of a scan go: the array, and the store expression. */
#ifndef XL_TILE_OUTPUT
#define XL_TILE_OUTPUT

#include "tile_input.cl"

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
