/* SPDX-License-Identifier: MIT
 * The messages of the single-pass scan (cl/tile/tile_state.cl and xl_look_back() of
 * cl/tile/tile_lookback.cl, XL_ORDERED 0) as a model for spin: bounded polling,
 * re-reduction of a silent tile, in-place output, and the early PREFIX of a tile in which a
 * segment begins. What is checked, and with what, stands in scan_state.pml; ci/model.sh
 * does it.
 *
 *   ENDS_CHAIN  1: a tile in which a segment begins posts its sum as its PREFIX. Wrong where
 *               segments are counted (COUNTS) */
#ifndef ENDS_CHAIN
#define ENDS_CHAIN (!COUNTS)
#endif
#define LOOKS ((SPIN + 2) * TILES)

#include "scan_state.pml"

#define ENDS(v) (ENDS_CHAIN && ((v) & HEAD) != 0)
#define FIRST_POST(t, v) ((t) == 0 || ENDS(v) -> PREFIX : AGGREGATE)

/* xl_tile_fall_back(): reduces a silent tile, then, in place, looks again. */
inline fall_back(t) {
  made = input[t];
#if IN_PLACE && SECOND_LOOK
  look(t);
#endif
  d_step {
    if
    :: seen == EMPTY && t == 0 -> op(got, START, made); seen = PREFIX
    :: seen == EMPTY && t > 0 -> got = made; seen = FIRST_POST(t, made)
    :: else
    fi
  }
}

/* xl_look_back(), by one work-item. */
inline look_back() {
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
  byte now, mine, next, p, sum, got, made, polls, own, prefix, looks;
  mtype seen = EMPTY;
  take_ticket(mine);
next_tile:
  if :: mine >= TILES -> goto last :: else fi;
  own = input[mine];
  if
  :: mine == 0 ->
     d_step { prefix = START; op(sum, prefix, own) };
     post(mine, PREFIX, sum)
  :: else ->
     post(mine, FIRST_POST(mine, own), own);
     look_back();
     if
     :: !ENDS(own) -> post(mine, PREFIX, sum)
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
