/* SPDX-License-Identifier: MIT
 * The k nearest points in double precision. */
#define REAL double
#define OF_REAL(name) name##_f64
#include "ref_nearest_of.h"
