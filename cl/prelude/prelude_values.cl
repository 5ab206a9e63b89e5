/* SPDX-License-Identifier: MIT
 * Up to four arrays of values that travel with keys, or are moved with elements. The host defines
 * XL_VALUES, their number, and for each the type of a unit, xl_value0 and so on, and the units of an
 * element, xl_value0_units.
 *
 * XL_EACH_VALUE(X) is X(0) X(1) and so on, once for each array. */
#ifndef XL_PRELUDE_VALUES
#define XL_PRELUDE_VALUES

#include "prelude.cl"

#if XL_VALUES == 0
#define XL_EACH_VALUE(X)
#elif XL_VALUES == 1
#define XL_EACH_VALUE(X) X(0)
#elif XL_VALUES == 2
#define XL_EACH_VALUE(X) X(0) X(1)
#elif XL_VALUES == 3
#define XL_EACH_VALUE(X) X(0) X(1) X(2)
#else
#define XL_EACH_VALUE(X) X(0) X(1) X(2) X(3)
#endif

#endif
