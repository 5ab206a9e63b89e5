/* SPDX-License-Identifier: MIT
 * The scan whose aggregates are published one tile early (cl/scan/scan_pipelined.cl) as a model
 * for spin: two tiles in registers and a ticket for a third. scan_window.pml models the look-back;
 * scan_descriptor.pml describes the checks; ci/model.sh runs them.
 *
 * If there are no more tiles than groups, no ticket is taken; a group that stops then keeps its
 * tile from all others, even before its first step.
 *
 *   HOLDS=3
 * Only the defaults of these are correct:
 *   STORES_FIRST=0            1: a tile's AGGREGATE is published after its results, as without the
 *                             fence between them
 *   TICKETS=(TILES>GROUPS)    0: none are taken, although there are more tiles than groups
 *   LEAVES_TICKET=0           1: a ticket is taken beyond the last tile, too, for which a group
 *                             does not wait when it leaves */

#include "scan_window.pml"

/* xl_ticket_next(): the ticket for the tile after the next; there is none after the last. */
inline ticket_next() {
#if TICKETS
  if :: next < TILES || LEAVES_TICKET -> ticket_take(after) :: else fi
#else
  after = TILES
#endif
}

/* xl_window_prefix() of tile t, for which window_load() was called. */
inline window_prefix(to, t) {
  window_wait(t);
  window_start(t);
  d_step { op(to, start, sum); start = 0; sum = 0 }
}

/* xl_publish_next() */
inline publish_next() {
  own = input[next];
  if :: !STORES_FIRST -> descriptor_publish(next, AGGREGATE, own) :: else fi
}

/* xl_scan_current(): `prefix` is that of the tile in registers, `early` that of the next one if it is
 * the last tile of a window, and `own` the aggregate of the next one. */
inline scan_current() {
  if
  :: mine < TILES && !ENDS_WINDOW(mine) -> window_load(mine); window_prefix(prefix, mine)
  :: else
  fi;
  if
  :: next < TILES && ENDS_WINDOW(next) ->
     window_load(next);
     window_prefix(early, next);
     op(sum, early, own);
     descriptor_publish(next, PREFIX, sum);
     sum = 0
  :: else
  fi;
  own = 0
}

/* xl_pipelined_scan() */
proctype Group(byte me) {
  byte now, mine = TILES, next, after, own, early, prefix;
  WINDOW_VARIABLES;
  STALL;
#if TICKETS
  ticket_take(next);
#else
  d_step { next = me; now = epoch };
#endif
  ticket_next();
next_turn:
  skip;
  d_step { prefix = early; early = 0 };
  if :: next < TILES -> publish_next() :: else fi;
  scan_current();
  if
  :: mine < TILES ->
#if STORES_FIRST
     last = input[mine]; store_tile(); descriptor_publish(mine, AGGREGATE, last); last = 0
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
  /* The ticket may count at any later time (the last group's: before the reset, which is at the
   * same place). */
  atomic { last = done < GROUPS - 1; lookback_leave() };
  atomic { ticket = ticket + last; finished++ }
#else
  atomic { lookback_leave(); finished++ }
#endif
}

init {
  byte t, v, sum, start, missing;
  run_calls()
}
