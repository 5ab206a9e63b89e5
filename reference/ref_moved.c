/* SPDX-License-Identifier: MIT
 * How many points have moved, in single precision. */
#define REAL float
#define OF_REAL(name) name
#include "ref_moved_of.h"
