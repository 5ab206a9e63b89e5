/* SPDX-License-Identifier: MIT
 * Precedes each source of the library that strike_test.c links: allocations and calls of OpenCL fail if the test
 * says so. */
#ifndef MPI_TEST_STRIKE_H
#define MPI_TEST_STRIKE_H

#include <crosslane/types.h>
#include <stdbool.h>
#include <stdlib.h>

/* Whether this call fails. */
bool test_strikes(void);
/* Counts memory, buffers and kernels that are held; may be NULL. made() returns `object`. */
void *test_made(void *object);
void test_free(void *memory);
extern long test_held;

#define malloc(bytes) (test_strikes() ? NULL : test_made(malloc(bytes)))
#define calloc(count, bytes) (test_strikes() ? NULL : test_made(calloc(count, bytes)))
#define free(memory) test_free(memory)

#define TEST_FAILED(code) (*(code) = CL_OUT_OF_RESOURCES, NULL)
#define clCreateBuffer(context, flags, bytes, from, code)                                          \
    (test_strikes() ? TEST_FAILED(code)                                                            \
                    : test_made(clCreateBuffer(context, flags, bytes, from, code)))
#define clCreateKernel(program, name, code)                                                        \
    (test_strikes() ? TEST_FAILED(code) : test_made(clCreateKernel(program, name, code)))
#define clEnqueueMapBuffer(queue, buffer, block, flags, at, bytes, num, waits, event, code)        \
    (test_strikes()                                                                                \
         ? TEST_FAILED(code)                                                                       \
         : clEnqueueMapBuffer(queue, buffer, block, flags, at, bytes, num, waits, event, code))
#define clRetainMemObject(buffer) (++test_held, clRetainMemObject(buffer))
#define clReleaseMemObject(buffer) (--test_held, clReleaseMemObject(buffer))
#define clReleaseKernel(kernel) (--test_held, clReleaseKernel(kernel))

#define TEST_DONE(call) (test_strikes() ? CL_OUT_OF_RESOURCES : (call))
#define clEnqueueReadBuffer(...) TEST_DONE(clEnqueueReadBuffer(__VA_ARGS__))
#define clEnqueueWriteBuffer(...) TEST_DONE(clEnqueueWriteBuffer(__VA_ARGS__))
#define clEnqueueCopyBuffer(...) TEST_DONE(clEnqueueCopyBuffer(__VA_ARGS__))
#define clEnqueueFillBuffer(...) TEST_DONE(clEnqueueFillBuffer(__VA_ARGS__))
#define clEnqueueNDRangeKernel(...) TEST_DONE(clEnqueueNDRangeKernel(__VA_ARGS__))
#define clEnqueueBarrierWithWaitList(...) TEST_DONE(clEnqueueBarrierWithWaitList(__VA_ARGS__))
#define clEnqueueMarkerWithWaitList(...) TEST_DONE(clEnqueueMarkerWithWaitList(__VA_ARGS__))
#define clSetKernelArg(...) TEST_DONE(clSetKernelArg(__VA_ARGS__))
#define clWaitForEvents(...) TEST_DONE(clWaitForEvents(__VA_ARGS__))
#define clFinish(...) TEST_DONE(clFinish(__VA_ARGS__))
#define clFlush(...) TEST_DONE(clFlush(__VA_ARGS__))

#endif
