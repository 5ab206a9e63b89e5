/* SPDX-License-Identifier: MIT
 * Crosslane: portable parallel primitives on OpenCL. Includes the whole public
 * interface: make a context, make a plan from a descriptor, enqueue it. */
#ifndef CROSSLANE_CROSSLANE_H
#define CROSSLANE_CROSSLANE_H

#include <crosslane/context.h>
#include <crosslane/grid.h>
#include <crosslane/histogram.h>
#include <crosslane/merge.h>
#include <crosslane/morton.h>
#include <crosslane/nearest.h>
#include <crosslane/nearest_approximate.h>
#include <crosslane/neighbors.h>
#include <crosslane/plan.h>
#include <crosslane/program.h>
#include <crosslane/reduce.h>
#include <crosslane/scan.h>
#include <crosslane/search.h>
#include <crosslane/select.h>
#include <crosslane/simple.h>
#include <crosslane/sort.h>
#include <crosslane/split.h>
#include <crosslane/status.h>
#include <crosslane/top_k.h>
#include <crosslane/transform.h>
#include <crosslane/types.h>
#include <crosslane/version.h>

#endif
