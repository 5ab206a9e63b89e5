/* SPDX-License-Identifier: MIT
 * Your own kernels, with Crosslane's collectives of lanes and work-groups, neighbour search and
 * Morton codes in them. The simplest use:
 *
 *     const char *source = "#include <crosslane/lanes.cl>\n"
 *                          "kernel void f(global uint *x) { ... }";
 *     xl_program_create(ctx, source, NULL, &program);
 *     cl_kernel kernel = clCreateKernel(program, "f", NULL);
 *
 * The page is docs/collectives.md. */
#ifndef CROSSLANE_PROGRAM_H
#define CROSSLANE_PROGRAM_H

#include <crosslane/context.h>

XL_EXTERN_C_BEGIN

/* Builds OpenCL C for the context's device. The library replaces each line
 *     #include <crosslane/NAME.cl>
 * of `source` by a text that it contains; it reads no file. The texts are
 *     lanes.cl        width, shuffles, votes and sub-warp counts, of sub-groups and work-groups
 *     collectives.cl  scans, segmented scans, reductions and shuffles for your type and operator;
 *                     include it once for each
 *     neighbors.cl    visits the points of an xl_grid_index within a radius (crosslane/neighbors.h)
 *     keys.cl         keys as unsigned numbers in the order of a sort
 *     morton.cl       Morton codes of two or three numbers, and of coordinates
 * The top of each text lists its functions, the macros that you must define before it, and the
 * work-items that must call together (cl/include in the source tree, kernel-includes beside the
 * installed README). All its names begin with xl_, XL_ or the prefix that you choose. The compiler
 * handles all other #include lines.
 *
 *   source   OpenCL C, copied; errors call it the file "user"
 *   options  for clBuildProgram ("-DN=3 -cl-fast-relaxed-math -Ifolder"), or NULL. -cl-std is not
 *            allowed: the dialect is the device's newest, as in xl_device_info. Warnings are off
 *            unless the context writes dumps
 *   program  receives the program; NULL on failure. The caller releases it, before or after the
 *            context. Calls with the same source may receive the same program: create kernels of
 *            it, but do not build it again
 *
 * The context keeps compiled programs and compiles the same source and options once. If it has a
 * cache folder, they are compiled once on the machine, unless the source includes your own files,
 * which may change.
 *
 * These macros are defined before the source: XL_LANE_WAY (0: no cross-lane operations),
 * XL_HAS_FP64, XL_HAS_INT64_ATOMICS, XL_IS_CPU and XL_OPENCL3 (0: OpenCL C 1.2). The included texts
 * enable the extensions that they need.
 *
 * Blocks while it compiles. Thread-safe. XL_ERROR_INVALID_ARGUMENT: a NULL, an unknown text (the
 * error lists the known ones), -cl-std, or more than 64 operators in a row without an operand,
 * which crash compilers. XL_ERROR_BUILD: the source does not compile; xl_context_error() has the
 * compiler's messages. */
XL_NODISCARD XL_API xl_status xl_program_create(xl_context *ctx, const char *source,
                                                const char *options, cl_program *program);

XL_EXTERN_C_END

#endif
