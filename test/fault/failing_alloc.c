/* SPDX-License-Identifier: MIT
 * Stands in for lib/core/alloc.c when a test is linked: a library's object is only
 * drawn in for names that are still missing, so the library itself carries nothing
 * for this. One thread only. */
#include "core.h"
#include "faults.h"

#include <stdlib.h>
#include <string.h>

xlt_alloc_state xlt_allocs;

static bool struck(size_t bytes)
{
    if (!xlt_allocs.counting || bytes < xlt_allocs.at_least)
        return false;
    if (++xlt_allocs.calls != xlt_allocs.strike_at && !(xlt_allocs.struck && xlt_allocs.for_good))
        return false;
    xlt_allocs.struck = true;
    return true;
}

void *xli_alloc(size_t bytes)
{
    void *memory = struck(bytes) ? NULL : calloc(1, bytes > 0 ? bytes : 1);
    xlt_allocs.outstanding += memory != NULL;
    return memory;
}

void *xli_realloc(void *old, size_t bytes)
{
    void *memory = struck(bytes) ? NULL : realloc(old, bytes > 0 ? bytes : 1);
    xlt_allocs.outstanding += memory && !old;
    return memory;
}

void xli_free(void *memory)
{
    xlt_allocs.outstanding -= memory != NULL;
    free(memory);
}

char *xli_strdup(const char *text_or_null)
{
    size_t bytes = text_or_null ? strlen(text_or_null) + 1 : 0;
    char *copy = text_or_null ? xli_alloc(bytes) : NULL;
    if (copy)
        memcpy(copy, text_or_null, bytes);
    return copy;
}
