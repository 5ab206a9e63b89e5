/* SPDX-License-Identifier: MIT
 * Frozen: the declarations of an older interface, in which each structure that may grow lacks its
 * last field. What is compiled with them must go on working. */
#ifndef CROSSLANE_CROSSLANE_H
#define CROSSLANE_CROSSLANE_H
#include <crosslane/context.h>
#include <crosslane/grid.h>
#include <crosslane/plan_info.h>
#include <crosslane/program.h>
#include <crosslane/reduce.h>
#include <crosslane/scan.h>
#include <crosslane/sort.h>
#include <crosslane/status.h>
#include <crosslane/types.h>
#include <crosslane/version.h>
#endif
