/* SPDX-License-Identifier: MIT
 * Types: xl_place, the place of a key in the array, or a number of keys; xl_value, the value of a
 * key. */
#ifndef XL_SORT_PLACE
#define XL_SORT_PLACE

#if XL_LARGE
typedef ulong xl_place;
#else
typedef uint xl_place;
#endif
#if XL_LARGE == 2
typedef ulong xl_value;
typedef ulong16 xl_value_vector;
#else
typedef uint xl_value;
typedef uint16 xl_value_vector;
#endif

#endif
