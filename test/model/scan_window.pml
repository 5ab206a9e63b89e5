/* SPDX-License-Identifier: MIT
 * Look-back in a fixed order (XL_LOOKBACK_ORDERED 1 of cl/tile/tile_prefix.cl), shared by scan_ordered.pml
 * and scan_pipelined.pml: windows of tiles; AGGREGATE of every tile and PREFIX of a window's last; the
 * fallback for a tile, which publishes its result, and for the start of a window. With ROUNDS, a
 * prefix is right only if it is the one expression that the kernel promises.
 *
 * A group is one process that polls the tiles of a window one after the other. In a kernel, lanes
 * do this at once, and sub-groups may meet results that others of their work-group publish in the
 * fallback: such a tile is as if another group had published it.
 *
 *   ROUNDS=1
 *   WINDOW=2          tiles of a window, whose prefixes are fixed expressions
 * Only the defaults of these are correct:
 *   START_FALLBACK=1  0: waits for the PREFIX of the window before without bound
 *   SEES_PREFIX=1     0: the fallback for a start does not poll the PREFIX of a window's last tile
 *                     once more when it has that tile's aggregate
 *   PUBLISHES_LAST=0  1: the fallback publishes the aggregate of a window's last tile, too
 * The last two are wrong in place where AGGREGATE and PREFIX share a word: an AGGREGATE that is
 * missing need not have been EMPTY, and one that replaces a PREFIX hides that. */
#define ENDS_WINDOW(t) ((t) % WINDOW == WINDOW - 1)
/* Polls of one look-back: for the load of the window, for the wait with the second look of each
 * fallback, and for the start; then for the fallback of the start: back to the nearest PREFIX, and
 * in every window each AGGREGATE with a second look, and two polls of the PREFIX. */
#define READS                                                                                      \
    (WINDOW + (SPIN + 2) * (WINDOW - 1) + SPIN + (2 * WINDOW + 3) * (TILES / WINDOW))

#include "scan_descriptor.pml"

/* The state of a group that looks back: xl_window, and variables of the functions below. */
#define WINDOW_VARIABLES                                                                           \
    byte start, sum, part, last, at, i, got, made, polls, reads;                                   \
    byte value[WINDOW];                                                                            \
    bool there[WINDOW], ready, waits;                                                              \
    mtype seen = EMPTY

/* xl_tile_fallback() of a tile that stayed EMPTY. */
inline tile_fallback(t) {
#if !IN_PLACE || !SECOND_READ
  made = input[t]; seen = EMPTY;
#elif READS_FIRST
  descriptor_poll(t, AGGREGATE); made = input[t];
#else
  made = input[t]; descriptor_poll(t, AGGREGATE);
#endif
  STEP {
    if
    :: seen == EMPTY ->
       got = made;
       if
       :: !ENDS_WINDOW(t) || PUBLISHES_LAST -> descriptor_publish(t, AGGREGATE, made)
       :: else
       fi
    :: else
    fi;
    made = 0
  }
}

/* xl_aggregate_find(), for one lane. */
inline aggregate_find(t) {
  descriptor_poll(t, AGGREGATE);
  if :: seen == EMPTY -> tile_fallback(t) :: else fi
}

/* xl_prefix_poll(), or the same of xl_window.before: `start` becomes the PREFIX of a tile if that
 * is there, and `ready` whether it is. */
inline prefix_poll(t) {
  STEP {
    descriptor_poll(t, PREFIX);
    if
    :: seen == PREFIX -> start = got; ready = true
    :: else -> ready = false
    fi;
    got = 0; seen = EMPTY
  }
}

/* xl_window.aggregate[i] of the window of tile t is loaded. */
inline aggregate_load(t) {
  STEP {
    descriptor_poll(t - t % WINDOW + i, AGGREGATE);
    if
    :: seen != EMPTY -> there[i] = true; value[i] = got
    :: else -> waits = true
    fi;
    got = 0; seen = EMPTY; i++
  }
}

/* xl_window_load() */
inline window_load(t) {
  d_step { start = START; ready = (t < WINDOW) };
  if :: !ready -> prefix_poll(t - t % WINDOW - 1) :: else fi;
  do
  :: i < t % WINDOW -> aggregate_load(t)
  :: else -> i = 0; break
  od
}

/* xl_window_wait(): `sum` is the aggregates of the window's tiles before tile t. The poll after the
 * fallback finds all of them. */
inline window_wait(t) {
  do
  :: i = 0; waits = false;
     do
     :: i < t % WINDOW && !there[i] -> aggregate_load(t)
     :: i < t % WINDOW && there[i] -> i++
     :: else -> break
     od;
     if
     :: !waits -> break
     :: waits && FALLBACK && polls == SPIN ->
        i = 0;
        do
        :: i < t % WINDOW ->
           aggregate_find(t - t % WINDOW + i);
           d_step { got = 0; seen = EMPTY; i++ }
        :: else -> break
        od;
        polls++
     :: waits && !(FALLBACK && polls == SPIN) ->
        assert(polls <= SPIN);
        polls = (FALLBACK -> polls + 1 : 0)
     fi
  od;
  polls = 0; i = 0;
  do
  :: i < t % WINDOW -> d_step { op(sum, sum, value[i]); value[i] = 0; there[i] = false; i++ }
  :: else -> i = 0; break
  od
}

/* xl_window_combine(): `part` is the aggregates of all tiles of window w but the last, and `last`
 * that of the last one. */
inline window_combine(w) {
  do
  :: i < WINDOW ->
     aggregate_find(w * WINDOW + i);
     d_step {
       if
       :: i < WINDOW - 1 -> op(part, part, got)
       :: else -> last = got
       fi;
       got = 0; seen = EMPTY; i++
     }
  :: else -> i = 0; break
  od
}

/* xl_window_start_fallback(): from the nearest PREFIX there is, window by window. */
inline window_start_fallback(w) {
  start = START; at = w;
  do
  :: at > 0 -> prefix_poll(at * WINDOW - 1); if :: ready -> break :: else -> at-- fi
  :: else -> break
  od;
  do
  :: at < w ->
     window_combine(at);
     ready = false;
     if :: SEES_PREFIX -> prefix_poll(at * WINDOW + WINDOW - 1) :: else fi;
     if
     :: !ready -> d_step { op(start, start, part); op(start, start, last) }
     :: else
     fi;
     d_step { part = 0; last = 0; at++ }
  :: else -> at = 0; break
  od
}

/* xl_window_start(): `start` is the prefix of the first tile of the window of tile t. */
inline window_start(t) {
  do
  :: !ready && (polls < SPIN || !START_FALLBACK) ->
     prefix_poll(t - t % WINDOW - 1); polls = (START_FALLBACK -> polls + 1 : 0)
  :: else -> polls = 0; break
  od;
  if :: !ready -> window_start_fallback(t / WINDOW) :: else fi;
  ready = false; reads = 0
}
