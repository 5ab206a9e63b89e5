/* SPDX-License-Identifier: MIT
 * Host memory: one door, so that tests can make it fail. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

void *xli_alloc(size_t bytes)
{
    return calloc(1, bytes > 0 ? bytes : 1);
}

void *xli_realloc(void *old, size_t bytes)
{
    return realloc(old, bytes > 0 ? bytes : 1);
}

void xli_free(void *memory)
{
    free(memory);
}

char *xli_strdup(const char *text_or_null)
{
    if (!text_or_null)
        return NULL;
    size_t bytes = strlen(text_or_null) + 1;
    char *copy = xli_alloc(bytes);
    if (copy)
        memcpy(copy, text_or_null, bytes);
    return copy;
}
