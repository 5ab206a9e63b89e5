/* SPDX-License-Identifier: MIT
 * Neighbour search in double precision. */
#define REAL double
#define OF_REAL(name) name##_f64
#include "ref_search_of.h"
