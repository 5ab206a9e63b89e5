/* SPDX-License-Identifier: MIT
 * Elements of XL_MOVE_BYTES that a kernel copies and does not look into. They are copied in units
 * of up to 16 bytes: the largest to which all elements of an array are aligned. */
#ifndef XL_PRELUDE_UNIT
#define XL_PRELUDE_UNIT

#if XL_MOVE_BYTES % 16 == 0
#define XL_UNIT uint4
#define XL_UNIT_BYTES 16
#elif XL_MOVE_BYTES % 8 == 0
#define XL_UNIT uint2
#define XL_UNIT_BYTES 8
#elif XL_MOVE_BYTES % 4 == 0
#define XL_UNIT uint
#define XL_UNIT_BYTES 4
#elif XL_MOVE_BYTES % 2 == 0
#define XL_UNIT ushort
#define XL_UNIT_BYTES 2
#else
#define XL_UNIT uchar
#define XL_UNIT_BYTES 1
#endif
#define XL_UNITS (XL_MOVE_BYTES / XL_UNIT_BYTES)

#endif
