/* SPDX-License-Identifier: MIT
 * The scan with sums posted one tile ahead (cl/scan/scan_pipelined.cl with
 * cl/tile/tile_prefix.cl) as a model for spin: two tiles in hand and a ticket for a third,
 * AGGREGATE of every tile and PREFIX of a block's last, a silent tile re-reduced and
 * posted by whoever waits for it, the start of a block made by hand where its PREFIX does
 * not come. What is checked, and with what, stands in scan_descriptor.pml; ci/model.sh does it.
 * A prefix is right only if it is the one expression that the kernel promises.
 *
 * A group is one process, which looks at the tiles of a block one after the other: its
 * work-items post only behind barriers for which all of them have made up their minds.
 * Where there are no more tiles than groups, no ticket is taken; a group that stops then
 * keeps its tile from everybody, even before its first step.
 *
 * Right only with their defaults:
 *   BY_HAND       0: waits for the PREFIX of the block before, however long
 *   REDOES        0: waits for the AGGREGATE of a tile, however long
 *   LOOKS_FIRST   1: the second look at a tile before its re-reduction, as if the fence
 *                 between them were not there
 *   STORES_FIRST  1: a tile's sum posted behind its results, as if the fence between them
 *                 were not there
 *   POSTS_LAST    1: the last tile of a block is posted for its owner, too
 *   SEES_PREFIX   0: by hand, no look for the PREFIX of a block's last tile behind the one
 *                 for its AGGREGATE
 *   TICKETS       0: none are taken, though there are more tiles than groups
 *   LEAVES_TICKET 1: a ticket is taken beyond the last tile, too, for which a group does
 *                 not wait when it leaves */
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef WINDOW
#define WINDOW 2
#endif
#ifndef START_FALLBACK
#define START_FALLBACK 1
#endif
#ifndef FALLBACK
#define FALLBACK 1
#endif
#ifndef READS_FIRST
#define READS_FIRST 0
#endif
#ifndef STORES_FIRST
#define STORES_FIRST 0
#endif
#ifndef PUBLISHES_LAST
#define PUBLISHES_LAST 0
#endif
#ifndef SEES_PREFIX
#define SEES_PREFIX 1
#endif
#ifndef TICKETS
#define TICKETS (TILES > GROUPS)
#endif
#ifndef LEAVES_TICKET
#define LEAVES_TICKET 0
#endif
#define HOLDS 3
#define ENDS_WINDOW(t) ((t) % WINDOW == WINDOW - 1)
/* Of one look-back: all tiles at once, the polls, the second looks, the polls for the
 * start; by hand, the way back and then every tile, with a second look, and every PREFIX. */
#define READS (WINDOW + (SPIN + 2) * (WINDOW - 1) + SPIN + (2 * WINDOW + 3) * (TILES / WINDOW))

#include "scan_descriptor.pml"

/* One look is one step, with all that a group makes of it by itself. */
#if WORDS == 1
#define STEP atomic
#else
#define STEP
#endif

/* xl_descriptor_poll(), xl_descriptor_load() and xl_descriptor_is(): one slot, whose words all say
 * `want`, or EMPTY. */
inline poll(t, want) {
  d_step {
    reads++;
    assert(reads <= READS);
    load_first(t, FIRST_OF(want));
    if :: seen != want -> seen = EMPTY; got = 0 :: else fi
  };
#if WORDS == 2
  if :: seen != EMPTY -> d_step { load_next(t, FIRST_OF(want) + 1) } :: else fi
#endif
}

/* xl_descriptor_fallback() of a tile that is not there. */
inline descriptor_fallback(t) {
#if !IN_PLACE || !SECOND_READ
  made = input[t]; seen = EMPTY;
#elif READS_FIRST
  poll(t, AGGREGATE); made = input[t];
#else
  made = input[t]; poll(t, AGGREGATE);
#endif
  STEP {
    if
    :: seen == EMPTY ->
       got = made;
       if :: !ENDS_WINDOW(t) || PUBLISHES_LAST -> publish(t, AGGREGATE, made) :: else fi
    :: else
    fi;
    made = 0
  }
}

/* xl_window_prefix_poll() */
inline window_prefix_poll(t) {
  STEP {
    poll(t, PREFIX);
    if
    :: seen == PREFIX -> start = got; ready = true
    :: else -> ready = false
    fi;
    got = 0; seen = EMPTY
  }
}

/* xl_windows_fallback(): from the nearest PREFIX there is, block by block. */
inline windows_fallback(b) {
  start = START; at = b;
  do
  :: at > 0 -> window_prefix_poll(at * WINDOW - 1); if :: ready -> break :: else -> at-- fi
  :: else -> break
  od;
  do
  :: at < b ->
     do
     :: i < WINDOW - 1 ->
        poll(at * WINDOW + i, AGGREGATE);
        if :: seen == EMPTY -> descriptor_fallback(at * WINDOW + i) :: else fi;
        d_step { made = part; op(part, made, got); made = 0; got = 0; seen = EMPTY; i++ }
     :: else -> i = 0; break
     od;
     window_prefix_poll(at * WINDOW + WINDOW - 1);
     if
     :: !ready ->
        poll(at * WINDOW + WINDOW - 1, AGGREGATE);
        if :: seen == EMPTY -> descriptor_fallback(at * WINDOW + WINDOW - 1) :: else fi;
        last = got; got = 0; seen = EMPTY;
        if :: SEES_PREFIX -> window_prefix_poll(at * WINDOW + WINDOW - 1) :: else fi;
        if
        :: !ready -> d_step { op(made, start, part); op(start, made, last); made = 0 }
        :: else
        fi;
        last = 0
     :: else
     fi;
     part = 0; at++
  :: else -> at = 0; break
  od
}

/* Looks for the i-th tile of the block of tile t. */
inline look_at(t) {
  STEP {
    poll(t - t % WINDOW + i, AGGREGATE);
    if
    :: seen != EMPTY -> there[i] = true; value[i] = got
    :: else -> waits = true
    fi;
    got = 0; seen = EMPTY; i++
  }
}

/* xl_window_load(), xl_window_wait() and xl_window_fold(): `start` op `sum` is the prefix of tile t. */
inline lookback_prefix(t) {
  start = START; ready = true;
  if :: t >= WINDOW -> window_prefix_poll(t - t % WINDOW - 1) :: else fi;
  do
  :: i < t % WINDOW -> look_at(t)
  :: else -> break
  od;
  do
  :: i = 0; waits = false;
     do
     :: i < t % WINDOW && !there[i] -> look_at(t)
     :: i < t % WINDOW && there[i] -> i++
     :: else -> break
     od;
     if
     :: waits && (polls < SPIN || !FALLBACK) -> polls = (FALLBACK -> polls + 1 : 0)
     :: else -> break
     fi
  od;
  polls = 0; waits = false; i = 0;
  do
  :: i < t % WINDOW ->
     if
     :: !there[i] -> descriptor_fallback(t - t % WINDOW + i); value[i] = got; got = 0; seen = EMPTY
     :: else
     fi;
     d_step { made = sum; op(sum, made, value[i]); made = 0; value[i] = 0; there[i] = false; i++ }
  :: else -> i = 0; break
  od;
  do
  :: !ready && (polls < SPIN || !START_FALLBACK) ->
     window_prefix_poll(t - t % WINDOW - 1); polls = (START_FALLBACK -> polls + 1 : 0)
  :: else -> polls = 0; break
  od;
  if :: !ready -> windows_fallback(t / WINDOW) :: else fi;
  ready = false; reads = 0
}

/* xl_ticket_next(): the ticket for the tile after the next; there is none after the last. */
inline ticket_next() {
#if TICKETS
  if :: next < TILES || LEAVES_TICKET -> ticket_take(after) :: else fi
#else
  after = TILES
#endif
}

/* xl_publish_next(): `early` is the prefix of the last tile of a block. */
inline publish_next() {
  own = input[next];
  if :: !STORES_FIRST -> publish(next, AGGREGATE, own) :: else fi;
  if
  :: ENDS_WINDOW(next) ->
     lookback_prefix(next);
     d_step { op(early, start, sum); op(sum, early, own); start = 0 };
     publish(next, PREFIX, sum)
  :: else
  fi;
  sum = 0; own = 0
}

/* xl_scan_current(): `prefix` is that of the tile in registers. */
inline scan_mine() {
  if
  :: !ENDS_WINDOW(mine) ->
     lookback_prefix(mine);
     d_step { op(prefix, start, sum); start = 0 }
  :: else -> prefix = known
  fi;
  known = 0
}

/* xl_pipelined_scan() */
proctype Group(byte me) {
  byte now, mine = TILES, next, after, sum, own, got, made, polls, reads;
  byte early, known, prefix, start, part, last, at, i;
  byte value[WINDOW];
  bool there[WINDOW], ready, waits;
  mtype seen = EMPTY;
  STALL;
#if TICKETS
  ticket_take(next);
#else
  d_step { next = me; now = epoch };
#endif
  ticket_next();
next_turn:
  skip;
  d_step { known = early; early = 0 };
  if :: next < TILES -> publish_next() :: else fi;
  if
  :: mine < TILES ->
     scan_mine();
#if STORES_FIRST
     last = input[mine]; store_tile(); publish(mine, AGGREGATE, last); last = 0
#else
     store_tile()
#endif
  :: else
  fi;
  if :: next >= TILES -> goto leaves :: else fi;
  mine = next; next = after;
  ticket_next();
  goto next_turn;
end_halted:
  false;
leaves:
#if LEAVES_TICKET
  /* The ticket counts when it suits the memory. (The last group's before the reset: they
   * are of one place.) */
  atomic { last = done < GROUPS - 1; leave() };
  atomic { ticket = ticket + last; finished++ }
#else
  atomic { leave(); finished++ }
#endif
}

init {
  byte t, v, sum, start, missing;
  run_calls()
}
