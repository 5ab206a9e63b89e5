/* SPDX-License-Identifier: MIT
 * PoCL's peculiarities: events are held until their commands have ended.
 *
 * When a command fails because an event that it waits for has failed, PoCL 3.1 releases its own
 * reference of the command's event, and then locks that event. The process ends if the event has no
 * other reference. The same happens to each command behind it, also to one that waits for it only
 * because the queue is in order. So the library holds the event of each of its commands, in one
 * list of the process, because commands may end after their context. Each call adds to the list;
 * from time to time one releases the events that are no longer needed. Nothing waits. */
#include "private.h"

#include <string.h>

struct xli_held {
    xli_held *next;
    cl_event event;
    bool failed; /* when it was looked at last */
};

static struct {
    xli_held *first;
    size_t count, sweep_at; /* each event is looked at about twice */
} list;

static xli_mutex *lock(void)
{
    return xli_mutex_of_process(XLI_PROCESS_EVENTS);
}

bool xli_pocl_must_hold_events(const char *platform)
{
    return strcmp(platform, "Portable Computing Language") == 0;
}

xl_status xli_held_make(const xl_context *ctx, xli_held **held)
{
    *held = ctx->holds_events ? xli_alloc(sizeof **held) : NULL;
    if (ctx->holds_events && !*held)
        return xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory to hold an event");
    return XL_SUCCESS;
}

/* Takes all of the list, or puts some back. */
static xli_held *take_list(void)
{
    xli_mutex_lock(lock());
    xli_held *const taken = list.first;
    list.first = NULL;
    list.count = 0;
    xli_mutex_unlock(lock());
    return taken;
}

/* `end` is where the last of them points to the next: `first` itself if there is none. */
static size_t put_back(xli_held **first, xli_held **end, size_t count)
{
    enum { FEWEST = 64 };
    xli_mutex_lock(lock());
    *end = list.first;
    list.first = *first;
    list.count += count;
    list.sweep_at = 2 * list.count + FEWEST;
    count = list.count;
    xli_mutex_unlock(lock());
    return count;
}

/* A command that failed may still be in PoCL's hands. That has ended when PoCL has released its
 * reference, and locked the event once more: the next time that this is called. */
static bool is_needed(xli_held *held)
{
    cl_int state = CL_QUEUED;
    cl_uint references = 0;
    const bool failed_before = held->failed;
    if (clGetEventInfo(held->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                       NULL) != CL_SUCCESS ||
        clGetEventInfo(held->event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references,
                       NULL) != CL_SUCCESS)
        return true;
    held->failed = state < 0 && references == 1;
    return state != CL_COMPLETE && !(held->failed && failed_before);
}

size_t xli_held_sweep(void)
{
    xli_held *kept = NULL, **end = &kept;
    size_t count = 0;
    for (xli_held *held = take_list(), *next; held; held = next) {
        next = held->next;
        if (is_needed(held)) {
            *end = held;
            end = &held->next;
            ++count;
        } else {
            clReleaseEvent(held->event);
            xli_free(held);
        }
    }
    return put_back(&kept, end, count);
}

void xli_held_add(xli_held *held, cl_event event)
{
    if (!held)
        return;
    if (!event || clRetainEvent(event) != CL_SUCCESS) {
        xli_free(held);
        return;
    }
    held->event = event;
    xli_mutex_lock(lock());
    held->next = list.first;
    list.first = held;
    const bool is_time = ++list.count > list.sweep_at;
    xli_mutex_unlock(lock());
    if (is_time)
        (void)xli_held_sweep();
}
