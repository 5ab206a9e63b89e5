/* SPDX-License-Identifier: MIT
 * Look-back in a fixed order (XL_ORDERED 1 of cl/tile/tile_prefix.cl) as a model for
 * spin: blocks of tiles, AGGREGATE of every tile and PREFIX of a block's last, the start of
 * a block made by hand where its PREFIX does not come. What is checked, and with what,
 * stands in scan_descriptor.pml; ci/model.sh does it. With ROUNDS, the default here, a prefix is
 * right only if it is the one expression that the kernel promises.
 *
 * Right only with their defaults:
 *   BY_HAND       0: waits for the PREFIX of the block before, however long
 *   SEES_PREFIX   0: by hand, the PREFIX of a block's last tile is taken for its AGGREGATE
 *   EVERY_PREFIX  1: every tile posts its PREFIX
 *   HEAD_STARTS   whether a tile takes any start once a segment began before it in its block:
 *                 not where segments are counted (COUNTS) */
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef WINDOW
#define WINDOW 2
#endif
#ifndef START_FALLBACK
#define START_FALLBACK 1
#endif
#ifndef SEES_PREFIX
#define SEES_PREFIX 1
#endif
#ifndef EVERY_PREFIX
#define EVERY_PREFIX 0
#endif
#ifndef HEAD_STARTS
#define HEAD_STARTS (!COUNTS)
#endif
/* Looks at one block's tiles, and for a start, in block_sum(); then by hand. */
#define WINDOW_READS (((WINDOW - 1) * (SPIN + 1) + 1) * WINDOW + WINDOW - 1)
#define READS ((WINDOW_READS + 3) * (TILES / WINDOW + 1) + SPIN)

#include "scan_descriptor.pml"

/* xl_tile_fallback(): reduces a silent tile, then, in place, looks again. */
inline fall_back(t) {
  made = input[t];
#if IN_PLACE && SECOND_READ
  look(t);
#endif
  d_step {
    if
    :: seen == EMPTY -> got = made; seen = AGGREGATE
    :: else
    fi;
    made = 0
  }
}

/* xl_prefix_poll() */
inline prefix_poll(t) {
  look(t);
  if
  :: seen == PREFIX -> start = got; ready = true
  :: else
  fi
}

/* xl_window_reduce(): looks at all tiles that are not there yet, and for the start in passing. */
inline window_reduce(b, count) {
  d_step {
    s = 0;
    do
    :: s < WINDOW - 1 -> value[s] = 0; there[s] = (s >= count); s++
    :: else -> break
    od;
    polls = 0
  };
  do
  :: if :: !ready -> prefix_poll(b * WINDOW - 1) :: else fi;
     s = 0; late = WINDOW;
     do
     :: s < WINDOW - 1 ->
        if
        :: !there[s] ->
           look(b * WINDOW + s);
           d_step {
             if
             :: seen != EMPTY -> there[s] = true; value[s] = got
             :: seen == EMPTY && late == WINDOW -> late = s
             :: else
             fi
           }
        :: else
        fi;
        s++
     :: else -> break
     od;
     if
     :: late == WINDOW -> break
     :: late < WINDOW && polls < SPIN -> polls++
     :: else ->
        fall_back(b * WINDOW + late);
        d_step { there[late] = true; value[late] = got; polls = 0 }
     fi
  od;
  skip;
  d_step {
    s = 0; sum = 0;
    do
    :: s < WINDOW - 1 -> made = sum; op(sum, made, value[s]); value[s] = 0; there[s] = false; s++
    :: else -> break
    od;
    made = 0; s = 0; late = 0; polls = 0
  }
}

/* xl_window_start_fallback(): from the nearest PREFIX there is, block by block. */
inline window_start_fallback() {
  own_sum = sum;
  start = START; at = mine / WINDOW;
  do
  :: at > 0 -> prefix_poll(at * WINDOW - 1); if :: ready -> break :: else -> at-- fi
  :: else -> break
  od;
  do
  :: at < mine / WINDOW ->
     ready = true;
     window_reduce(at, WINDOW - 1);
     look(at * WINDOW + WINDOW - 1);
     if :: seen == EMPTY -> fall_back(at * WINDOW + WINDOW - 1) :: else fi;
     d_step {
       if
       :: seen == PREFIX && SEES_PREFIX -> start = got
       :: else -> op(made, start, sum); op(start, made, got); made = 0
       fi
     };
     at++
  :: else -> break
  od;
  sum = own_sum; own_sum = 0; at = 0
}

inline lookback_prefix() {
  ready = (mine < WINDOW);
  start = START;
  window_reduce(mine / WINDOW, mine % WINDOW);
  ready = ready || (HEAD_STARTS && (sum & HEAD) != 0);
  do
  :: !ready && (polls < SPIN || !START_FALLBACK) ->
     prefix_poll((mine / WINDOW) * WINDOW - 1); polls = (START_FALLBACK -> polls + 1 : 0)
  :: else -> break
  od;
  polls = 0;
  if :: !ready -> window_start_fallback() :: else fi;
  d_step { op(prefix, start, sum); op(sum, prefix, own); start = 0; ready = false }
}

proctype Group(byte me) {
  byte now, mine, next, sum, got, made, polls, own, own_sum, prefix, reads, start, at, s, late;
  byte value[WINDOW];
  bool there[WINDOW], ready;
  mtype seen = EMPTY;
  ticket_take(mine);
next_tile:
  if :: mine >= TILES -> goto last :: else fi;
  own = input[mine];
  publish(mine, AGGREGATE, own);
  if
  :: mine == 0 -> d_step { prefix = START; op(sum, prefix, own) }
  :: else -> lookback_prefix()
  fi;
  if
  :: EVERY_PREFIX || mine % WINDOW == WINDOW - 1 -> publish(mine, PREFIX, sum)
  :: else
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
