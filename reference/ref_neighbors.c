/* SPDX-License-Identifier: MIT
 * Neighbour search in single precision. */
#define REAL float
#define OF_REAL(name) name
#include "ref_search_of.h"
