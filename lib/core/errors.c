/* SPDX-License-Identifier: MIT
 * The last error text of each thread: a short list kept by a context, and a
 * fixed record per thread for failures that come before there is a context, or
 * when there is no memory to keep a text in. Tickets tell which of the two is newer. */
#include "core.h"

#include <stdio.h>
#include <string.h>

/* A thread is told by the address of its `spare`, which the next thread may get
 * when it has ended: that keeps the list as short as the most threads there ever
 * were at once. The serial number tells the two apart, so that no thread is shown
 * what happened to another. */
typedef struct record {
    struct record *next;
    const void *thread;
    uint64_t serial;
    uint64_t ticket;
    xli_text text;
} record;

struct xli_errors {
    xli_mutex *lock; /* guards the list and the records in it */
    record *first;
    uint64_t ticket; /* when it was made */
};

static XLI_THREAD_LOCAL struct {
    const xli_errors *owner; /* NULL: a failure without a context */
    uint64_t ticket;
    char text[8192];
} spare;

xli_errors *xli_errors_create(void)
{
    xli_errors *errors = xli_alloc(sizeof *errors);
    if (errors && !(errors->lock = xli_mutex_create())) {
        xli_free(errors);
        errors = NULL;
    }
    if (errors)
        errors->ticket = xli_os_ticket();
    return errors;
}

static void clear_spare(const xli_errors *owner)
{
    if (spare.owner != owner)
        return;
    spare.owner = NULL;
    spare.ticket = 0;
    spare.text[0] = '\0';
}

void xli_errors_destroy(xli_errors *errors)
{
    if (!errors)
        return;
    clear_spare(errors);
    for (record *r = errors->first, *next; r; r = next) {
        next = r->next;
        xli_text_free(&r->text);
        xli_free(r);
    }
    xli_mutex_destroy(errors->lock);
    xli_free(errors);
}

static record *find_locked(xli_errors *errors)
{
    record *r = errors->first;
    while (r && r->thread != &spare)
        r = r->next;
    if (r && r->serial != xli_os_thread_serial()) {
        xli_text_free(&r->text);
        r->serial = xli_os_thread_serial();
    }
    return r;
}

static record *find_or_make_locked(xli_errors *errors)
{
    record *r = find_locked(errors);
    if (!r && (r = xli_alloc(sizeof *r))) {
        r->thread = &spare;
        r->serial = xli_os_thread_serial();
        r->next = errors->first;
        errors->first = r;
    }
    return r;
}

/* The arguments may point into the old text, so the new one is made beside it. */
static void set_spare(const xli_errors *owner, const char *format, va_list args)
{
    char text[sizeof spare.text];
    vsnprintf(text, sizeof text, format, args);
    memcpy(spare.text, text, strlen(text) + 1);
    spare.owner = owner;
    spare.ticket = xli_os_ticket();
}

static bool set_record(xli_errors *errors, const char *format, va_list args)
{
    xli_text text = {0};
    xli_text_add_v(&text, format, args);
    xli_mutex_lock(errors->lock);
    record *r = text.failed ? NULL : find_or_make_locked(errors);
    if (r) {
        xli_text old = r->text;
        r->ticket = xli_os_ticket();
        r->text = text;
        text = old;
    }
    xli_mutex_unlock(errors->lock);
    xli_text_free(&text);
    return r != NULL;
}

void xli_errors_set(xli_errors *errors, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    if (errors && set_record(errors, format, args))
        clear_spare(errors);
    else
        set_spare(errors, format, again);
    va_end(again);
}

const char *xli_errors_get(xli_errors *errors)
{
    if (spare.owner == errors)
        return spare.text;
    if (!errors)
        return "";
    xli_mutex_lock(errors->lock);
    const record *r = find_locked(errors);
    const char *text = r ? r->text.data : NULL;
    const uint64_t ticket = text ? r->ticket : errors->ticket;
    xli_mutex_unlock(errors->lock);
    if (!spare.owner && spare.ticket > ticket)
        return spare.text;
    return text ? text : "";
}
