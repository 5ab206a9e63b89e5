/* SPDX-License-Identifier: MIT
 * Memory of the host for lists. Large arrays of a list that is released are kept for the next list:
 * new memory costs more than the copy into it, because the system must make its pages. */
#include "simple_call.h"

enum {
    KEPT = 10,        /* the arrays of two lists; the one that was kept first makes room */
    LEAST = 1 << 17,  /* bytes; malloc() keeps smaller blocks itself */
    HEADER_BYTES = 64 /* the array begins after the header, on a multiple of 16 */
};

typedef struct header {
    xli_simple_pool *pool;
    struct header *next; /* the one that was kept before; of a kept block */
    size_t room;         /* bytes of the array */
} header;

/* It ends with the context and the last array. */
struct xli_simple_pool {
    xli_mutex *lock;
    header *kept; /* the last one first */
    bool ended;
    size_t used; /* arrays of lists */
};

static void destroy(xli_simple_pool *pool)
{
    xli_mutex_destroy(pool->lock);
    xli_free(pool);
}

xli_simple_pool *xli_simple_pool_create(void)
{
    xli_simple_pool *const pool = xli_alloc(sizeof *pool);
    if (!pool)
        return NULL;
    pool->lock = xli_mutex_create();
    if (pool->lock)
        return pool;
    xli_free(pool);
    return NULL;
}

void xli_simple_pool_end(xli_simple_pool *pool)
{
    if (!pool)
        return;
    xli_mutex_lock(pool->lock);
    for (header *block = pool->kept; block;) {
        header *const next = block->next;
        xli_free(block);
        block = next;
    }
    pool->kept = NULL;
    pool->ended = true;
    const bool last = pool->used == 0;
    xli_mutex_unlock(pool->lock);
    if (last)
        destroy(pool);
}

/* A kept block that has room and is less than twice as large, or NULL. */
static header *reuse(xli_simple_pool *pool, size_t bytes)
{
    for (header **at = &pool->kept; *at; at = &(*at)->next) {
        header *const block = *at;
        if (block->room >= bytes && block->room / 2 < bytes) {
            *at = block->next;
            return block;
        }
    }
    return NULL;
}

void *xli_simple_array_of(xli_simple_pool *pool, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    const size_t room = bytes < LEAST ? bytes : bytes + bytes / 8; /* the next list may be longer */
    xli_mutex_lock(pool->lock);
    header *block = bytes < LEAST ? NULL : reuse(pool, bytes);
    if (!block) {
        block = xli_realloc(NULL, HEADER_BYTES + room);
        if (block)
            *block = (header){.pool = pool, .room = room};
    }
    pool->used += block != NULL;
    xli_mutex_unlock(pool->lock);
    return block ? (unsigned char *)block + HEADER_BYTES : NULL;
}

/* The last of more than KEPT blocks, taken out of the pool; NULL if there are not as many. */
static header *surplus(xli_simple_pool *pool)
{
    header **at = &pool->kept;
    for (size_t k = 0; *at && k < KEPT; ++k)
        at = &(*at)->next;
    header *const block = *at;
    *at = NULL;
    return block;
}

void xli_simple_array_free(void *array)
{
    if (!array)
        return;
    header *block = (header *)(void *)((unsigned char *)array - HEADER_BYTES);
    xli_simple_pool *const pool = block->pool;
    if (xli_os_was_forked()) { /* another thread of the parent may have held the lock */
        xli_free(block);
        return;
    }
    xli_mutex_lock(pool->lock);
    if (!pool->ended && block->room >= LEAST) {
        block->next = pool->kept;
        pool->kept = block;
        block = surplus(pool);
    }
    const bool last = --pool->used == 0 && pool->ended;
    xli_mutex_unlock(pool->lock);
    xli_free(block);
    if (last)
        destroy(pool);
}
