/* SPDX-License-Identifier: MIT
 * A watch over calls that may hang: a wait that lasts too long becomes a failure that prints the
 * states of a scan's tiles. */
#include "xlt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long patience(void)
{
    const char *wish = getenv("CROSSLANE_TEST_PATIENCE");
    const long seconds = wish ? strtol(wish, NULL, 10) : 0;
    if (seconds > 0)
        return seconds;
    return xlt_on_oclgrind() ? 600 : 30;
}

/* ---- the tiles of a scan (cl/tile/tile_prefix.cl) ---------------------------------------- */

enum { HEADER_WORDS = 8, EPOCH_BITS = 30, AGGREGATE = 1, PREFIX = 2 };

/* Words of a descriptor that carry a state of this epoch. */
static unsigned published(const volatile uint64_t *descriptor, unsigned words, unsigned state,
                          uint32_t epoch)
{
    unsigned count = 0;
    for (unsigned k = 0; k < words; ++k)
        count += (uint32_t)descriptor[k] == ((uint32_t)state << EPOCH_BITS | epoch);
    return count;
}

/* A tile of `words` words in all: one is a descriptor for either state, else each has one. */
static void describe(const volatile uint64_t *tile, size_t words, uint32_t epoch, char *text,
                     size_t room)
{
    const bool one = words == 1;
    const unsigned most = one ? 1 : (unsigned)(words / 2);
    const unsigned prefix = published(tile, most, PREFIX, epoch);
    const unsigned sum = published(one ? tile : tile + most, most, AGGREGATE, epoch);
    const uint32_t last = (uint32_t)tile[0] & (((uint32_t)1 << EPOCH_BITS) - 1);
    if (tile[0] == 0xa5a5a5a5a5a5a5a5u) /* what scratch is filled with: behind the last tile */
        snprintf(text, room, "never written");
    else if (prefix == most)
        snprintf(text, room, "prefix");
    else if (sum == most)
        snprintf(text, room, "aggregate");
    else if (prefix + sum > 0)
        snprintf(text, room, "empty, with %u of %u words of its prefix, %u of its aggregate",
                 prefix, most, sum);
    else if ((uint32_t)tile[0] != 0)
        snprintf(text, room, "empty, last published in epoch %u", (unsigned)last);
    else
        snprintf(text, room, "empty");
}

/* A line for each stretch of tiles in one state. */
static void print_tiles(const xlt_tiles *tiles)
{
    enum { MOST_LINES = 40 };
    const volatile uint64_t *words = tiles->memory;
    const volatile uint32_t *header = tiles->memory;
    char text[96], next[96] = "";
    unsigned lines = 0;
    if (!words) {
        print_error("where the tiles' states lie cannot be read while a kernel runs\n");
        return;
    }
    print_error("ticket %u, done %u, epoch %u, fallbacks %u\n", (unsigned)header[0],
                (unsigned)header[1], (unsigned)header[2], (unsigned)header[3]);
    for (size_t from = 0, t = 0; t < tiles->count && lines < MOST_LINES; from = t, ++lines) {
        describe(words + HEADER_WORDS + t * tiles->words, tiles->words, header[2], text,
                 sizeof text);
        do {
            if (++t < tiles->count)
                describe(words + HEADER_WORDS + t * tiles->words, tiles->words, header[2], next,
                         sizeof next);
        } while (t < tiles->count && strcmp(text, next) == 0);
        print_error("tiles %zu to %zu: %s\n", from, t - 1, text);
    }
}

/* ---- the watch ------------------------------------------------------------------------------ */

#ifdef _WIN32
/* There a test that hangs is left to ctest's own limit. */
void xlt_watch_start(const char *what, const xlt_tiles *tiles_or_null)
{
    (void)what;
    (void)tiles_or_null;
    (void)patience;
    (void)print_tiles;
}

void xlt_watch_stop(void)
{
}
#else
#include <errno.h>
#include <pthread.h>
#include <time.h>

static struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool over;
    long seconds;
    char what[512];
    xlt_tiles tiles;
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

/* Ends the process: a kernel cannot be stopped, and destroying its context would wait for it. */
static void give_up(void)
{
    print_error("on %s: no end after %ld s and more: %s\n", xlt_device(), watch.seconds,
                watch.what);
    print_tiles(&watch.tiles);
    print_error("[  FAILED  ] the watch\n");
    fflush(NULL);
    _Exit(1);
}

/* A machine with much to do keeps even a short kernel waiting: what counts is processor time too,
 * which a kernel that hangs takes on CPUs and most waits for a GPU do. */
static void *keep_watch(void *nothing)
{
    enum { AT_LAST = 10 };
    const clock_t begin = clock();
    struct timespec tick;
    pthread_mutex_lock(&watch.lock);
    timespec_get(&tick, TIME_UTC);
    for (long waited = 0; !watch.over;) {
        ++tick.tv_sec;
        if (pthread_cond_timedwait(&watch.ended, &watch.lock, &tick) != ETIMEDOUT)
            continue;
        const double worked = (double)(clock() - begin) / CLOCKS_PER_SEC;
        if (++waited >= watch.seconds &&
            (worked >= (double)watch.seconds || waited >= AT_LAST * watch.seconds))
            give_up();
    }
    pthread_mutex_unlock(&watch.lock);
    return nothing;
}

void xlt_watch_start(const char *what, const xlt_tiles *tiles_or_null)
{
    watch.over = false;
    watch.seconds = patience();
    watch.tiles = tiles_or_null ? *tiles_or_null : (xlt_tiles){0};
    snprintf(watch.what, sizeof watch.what, "%s", what);
    assert_int_equal(pthread_create(&watch.thread, NULL, keep_watch, NULL), 0);
}

void xlt_watch_stop(void)
{
    pthread_mutex_lock(&watch.lock);
    watch.over = true;
    pthread_cond_signal(&watch.ended);
    pthread_mutex_unlock(&watch.lock);
    pthread_join(watch.thread, NULL);
}
#endif
