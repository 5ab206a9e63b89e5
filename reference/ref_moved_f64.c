/* SPDX-License-Identifier: MIT
 * How many points have moved, in double precision. */
#define REAL double
#define OF_REAL(name) name##_f64
#include "ref_moved_of.h"
