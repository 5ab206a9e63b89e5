/* SPDX-License-Identifier: MIT
 * The scan that looks back in a fixed order (cl/scan/scan_lookback.cl with xl_tile_prefix() of
 * cl/tile/tile_prefix.cl, XL_LOOKBACK_ORDERED 1) as a model for spin. scan_window.pml models the look-back;
 * scan_descriptor.pml describes the checks; ci/model.sh runs them.
 *
 * Only the defaults are correct:
 *   EVERY_PREFIX=0         1: every tile publishes its PREFIX. Wrong in place where that shares a
 *                          word with the AGGREGATE, for which others poll
 *   SKIPS_START=(!COUNTS)  whether a head in the window's aggregate makes the start needless: not
 *                          if segments are counted (COUNTS)
 *   STORES_FIRST=0         1: a tile's AGGREGATE is published after its results, as without the
 *                          fence between them */

#include "scan_window.pml"

/* xl_lookback_prefix() */
inline lookback_prefix() {
  window_load(mine);
  window_wait(mine);
  if
  :: SKIPS_START && (sum & HEAD) != 0 -> d_step { prefix = sum; start = 0; ready = false }
  :: else -> window_start(mine); d_step { op(prefix, start, sum); start = 0 }
  fi
}

/* xl_tile_prefix() */
inline tile_prefix() {
  if :: !STORES_FIRST -> descriptor_publish(mine, AGGREGATE, own) :: else fi;
  prefix = START;
  if :: mine > 0 -> lookback_prefix() :: else fi;
  if
  :: EVERY_PREFIX || ENDS_WINDOW(mine) ->
     op(sum, prefix, own);
     descriptor_publish(mine, PREFIX, sum)
  :: else
  fi
}

proctype Group(byte me) {
  byte now, mine, next, own, prefix;
  WINDOW_VARIABLES;
  ticket_take(mine);
next_tile:
  if :: mine >= TILES -> goto leaves :: else fi;
  own = input[mine];
  tile_prefix();
#if STORES_FIRST
  last = own; store_tile(); descriptor_publish(mine, AGGREGATE, last); last = 0; ticket_take(mine);
#else
  store_and_go_on();
#endif
  goto next_tile;
end_halted:
  false;
leaves:
  atomic { lookback_leave(); finished++ }
}

init {
  byte t, v, sum, start, missing;
  run_calls()
}
