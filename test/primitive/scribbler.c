/* SPDX-License-Identifier: MIT
 * Somebody else who writes the arrays of calls while these run. */
#include "scribbler.h"

#include <string.h>

static uint64_t odd_number(xlt_random *random, size_t n)
{
    /* Times 2^8 it is small again in 32 bits. */
    const uint64_t wraps = xlt_below(random, 16) | xlt_next(random) << 24;
    const uint64_t numbers[] = {0,
                                UINT64_MAX,
                                n,
                                n + 1,
                                xlt_below(random, (uint32_t)n),
                                xlt_next(random),
                                xlt_next(random) >> xlt_below(random, 64),
                                1,
                                wraps};
    return numbers[xlt_below(random, sizeof numbers / sizeof numbers[0])];
}

/* One number, again and again: anywhere, or near the beginning, where scratch has its state. */
static void write_once(const scribbler *s, const xlt_buffer *to, xlt_random *random)
{
    enum { NEAR = 64 };
    unsigned char bytes[256];
    const size_t width = (size_t)1 << xlt_below(random, 4), whole = to->n * to->size;
    const bool is_near = xlt_below(random, 2);
    const size_t all = is_near && whole > NEAR ? NEAR : whole;
    const uint64_t number = odd_number(random, s->n);
    const size_t most = all < sizeof bytes ? all : sizeof bytes;
    const uint32_t shorter = is_near ? xlt_below(random, 8) : 0;
    const size_t length = 1 + (xlt_below(random, (uint32_t)most) >> shorter);
    const size_t at = xlt_below(random, (uint32_t)(all - length + 1)) / width * width;
    for (size_t k = 0; k < length; ++k)
        bytes[k] = (unsigned char)(number >> 8 * (k % width));
    if (s->queue)
        clEnqueueWriteBuffer(s->queue, to->mem, CL_TRUE, at, length, bytes, 0, NULL, NULL);
    else
        memcpy(to->pages.data + at, bytes, length);
}

static void *scribble(void *user)
{
    scribbler *const s = user;
    xlt_random random = {s->n + 17};
    while (!atomic_load(&s->stop)) {
        write_once(s, s->targets[xlt_below(&random, (uint32_t)s->num_targets)], &random);
        atomic_fetch_add(&s->writes, 1);
    }
    return NULL;
}

void aim(scribbler *s, const xlt_buffer *target)
{
    if (target->mem && target->n > 0)
        s->targets[s->num_targets++] = target;
}

void scribbler_start(scribbler *s, size_t n)
{
    cl_int code = CL_SUCCESS;
    assert_true(s->num_targets > 0);
    s->n = n;
    s->queue = NULL;
    if (s->targets[0] && !s->targets[0]->pages.data)
        s->queue = clCreateCommandQueueWithProperties(
            xl_context_cl(xlt_context()), xl_context_device(xlt_context()), NULL, &code);
    XLT_CL(code);
    atomic_init(&s->stop, false);
    atomic_init(&s->writes, 0);
    s->runs = false;
}

void scribbler_stop(scribbler *s)
{
    atomic_store(&s->stop, true);
    assert_int_equal(pthread_join(s->thread, NULL), 0);
    if (s->queue)
        clReleaseCommandQueue(s->queue);
    if (atomic_load(&s->writes) == 0)
        XLT_FAIL("nothing was written meanwhile");
}

bool goes_on(scribbler *s, size_t k)
{
    const size_t rounds = xlt_small() ? 10 : 60;
    if (k > 0 && !s->runs) {
        assert_int_equal(pthread_create(&s->thread, NULL, scribble, s), 0);
        s->runs = true;
    }
    return k < rounds || (atomic_load(&s->writes) < 20 * rounds && k < 1000 * rounds);
}

void check_and_free(xlt_buffer *const *buffers, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (buffers[i]->mem)
            xlt_check_guards(buffers[i], "an array");
        xlt_buffer_free(buffers[i]);
    }
}
