/* SPDX-License-Identifier: MIT
 * The last error text of each thread: a short list kept by a context, and a
 * fixed record per thread for failures that come before there is a context. */
#include "core.h"

#include <stdio.h>

#if defined(_MSC_VER)
#define THREAD_LOCAL __declspec(thread)
#else
#define THREAD_LOCAL _Thread_local
#endif

typedef struct record {
    struct record *next;
    uint64_t thread;
    xli_text text;
} record;

struct xli_errors {
    xli_mutex *lock;
    record *first;
};

static THREAD_LOCAL char without_context[8192];

xli_errors *xli_errors_create(void)
{
    xli_errors *errors = xli_alloc(sizeof *errors);
    if (errors && !(errors->lock = xli_mutex_create())) {
        xli_free(errors);
        errors = NULL;
    }
    return errors;
}

void xli_errors_destroy(xli_errors *errors)
{
    if (!errors)
        return;
    for (record *r = errors->first, *next; r; r = next) {
        next = r->next;
        xli_text_free(&r->text);
        xli_free(r);
    }
    xli_mutex_destroy(errors->lock);
    xli_free(errors);
}

/* Records are never removed before the end, so one that is found stays valid
 * without the lock; only its own thread touches its text. */
static record *record_of_thread(xli_errors *errors, bool make)
{
    uint64_t thread = xli_os_thread_id();
    xli_mutex_lock(errors->lock);
    record *r = errors->first;
    while (r && r->thread != thread)
        r = r->next;
    if (!r && make && (r = xli_alloc(sizeof *r))) {
        r->thread = thread;
        r->next = errors->first;
        errors->first = r;
    }
    xli_mutex_unlock(errors->lock);
    return r;
}

void xli_errors_set(xli_errors *errors, const char *format, va_list args)
{
    if (!errors) {
        vsnprintf(without_context, sizeof without_context, format, args);
        return;
    }
    record *r = record_of_thread(errors, true);
    if (!r)
        return;
    xli_text fresh = {0};
    xli_text_add_v(&fresh, format, args);
    if (fresh.failed) {
        xli_text_free(&fresh);
        return;
    }
    xli_text_free(&r->text);
    r->text = fresh;
}

const char *xli_errors_get(xli_errors *errors)
{
    if (!errors)
        return without_context;
    record *r = record_of_thread(errors, false);
    return r && r->text.data ? r->text.data : "";
}
