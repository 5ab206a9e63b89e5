/* SPDX-License-Identifier: MIT
 * Host memory between pages that must not be touched, for buffers of tests. A touch ends the
 * process with a line that states the distance and the end. */
#ifndef XLT_PAGES_H
#define XLT_PAGES_H

#include <stddef.h>

typedef struct xlt_pages {
    unsigned char *map; /* a closed page, open ones, a closed page; NULL: none */
    size_t map_bytes;
    unsigned char *data;
    size_t bytes;
} xlt_pages;

/* `bytes` that end where the open pages end, or start where they start; the remaining bytes of
 * these pages are filled with `fill`. Fails the test if there is no memory. */
xlt_pages xlt_pages_make(size_t bytes, int at_end, unsigned char fill);
/* Bytes from the data to the nearest one beside it that is not `fill` any more, below 0 if it is
 * in front; 0 if there is none. */
ptrdiff_t xlt_pages_touched(const xlt_pages *pages, unsigned char fill);
void xlt_pages_free(xlt_pages *pages);
/* Calls end(SIGSEGV) behind the line of a touch; end() does not return. */
void xlt_pages_end_by(void (*end)(int));

/* `bytes` of zeros that cost memory only where they are written; free as pages. */
xlt_pages xlt_pages_sparse(size_t bytes);

#endif
