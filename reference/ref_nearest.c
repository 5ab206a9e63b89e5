/* SPDX-License-Identifier: MIT
 * The k nearest points in single precision. */
#define REAL float
#define OF_REAL(name) name
#include "ref_nearest_of.h"
