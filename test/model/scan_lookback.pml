/* SPDX-License-Identifier: MIT
 * The messages of the single-pass scan (cl/tile/tile_descriptor.cl and xl_lookback_prefix() of
 * cl/tile/tile_prefix.cl, XL_ORDERED 0) as a model for spin: bounded polling,
 * re-reduction of a silent tile, in-place output, and the early PREFIX of a tile in which a
 * segment begins. What is checked, and with what, stands in scan_descriptor.pml; ci/model.sh
 * does it.
 *
 *   ENDS_CHAIN  1: a tile in which a segment begins posts its sum as its PREFIX. Wrong where
 *               segments are counted (COUNTS) */
#ifndef AGGREGATE_IS_PREFIX
#define AGGREGATE_IS_PREFIX (!COUNTS)
#endif
#define READS ((SPIN + 2) * TILES)

#include "scan_descriptor.pml"

#define ENDS(v) (AGGREGATE_IS_PREFIX && ((v) & HEAD) != 0)
#define FIRST_STATE(t, v) ((t) == 0 || ENDS(v) -> PREFIX : AGGREGATE)

/* xl_tile_fallback(): reduces a silent tile, then, in place, looks again. */
inline fall_back(t) {
  made = input[t];
#if IN_PLACE && SECOND_READ
  look(t);
#endif
  d_step {
    if
    :: seen == EMPTY && t == 0 -> op(got, START, made); seen = PREFIX
    :: seen == EMPTY && t > 0 -> got = made; seen = FIRST_STATE(t, made)
    :: else
    fi
  }
}

/* xl_lookback_prefix(), by one work-item. */
inline lookback_prefix() {
  p = mine;
  do
  :: p--;
     look(p);
     polls = 0;
     do
     :: seen == EMPTY && polls < SPIN -> look(p); polls++
     :: else -> break
     od;
     if :: seen == EMPTY -> fall_back(p) :: else fi;
     d_step { made = sum; op(sum, got, made); made = 0 };
     if :: seen == PREFIX -> break :: else fi
  od;
  skip;
  d_step { p = 0; polls = 0; prefix = sum; op(sum, prefix, own) }
}

proctype Group(byte me) {
  byte now, mine, next, p, sum, got, made, polls, own, prefix, reads;
  mtype seen = EMPTY;
  ticket_take(mine);
next_tile:
  if :: mine >= TILES -> goto last :: else fi;
  own = input[mine];
  if
  :: mine == 0 ->
     d_step { prefix = START; op(sum, prefix, own) };
     publish(mine, PREFIX, sum)
  :: else ->
     publish(mine, FIRST_STATE(mine, own), own);
     lookback_prefix();
     if
     :: !ENDS(own) -> publish(mine, PREFIX, sum)
     :: else
     fi
  fi;
  store_and_go_on();
  goto next_tile;
end_halted:
  false;
last:
  atomic { leave(); finished++ }
}

init {
  byte t, v, sum, start, missing;
  run_calls()
}
