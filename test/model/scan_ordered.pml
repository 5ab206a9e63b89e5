/* SPDX-License-Identifier: MIT
 * Look-back in a fixed order (XL_ORDERED 1 of cl/tile/tile_lookback.cl) as a model for
 * spin: blocks of tiles, AGGREGATE of every tile and PREFIX of a block's last, the start of
 * a block made by hand where its PREFIX does not come. What is checked, and with what,
 * stands in scan_state.pml; ci/model.sh does it. With ROUNDS, the default here, a prefix is
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
#ifndef BLOCK
#define BLOCK 2
#endif
#ifndef BY_HAND
#define BY_HAND 1
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
#define BLOCK_LOOKS (((BLOCK - 1) * (SPIN + 1) + 1) * BLOCK + BLOCK - 1)
#define LOOKS ((BLOCK_LOOKS + 3) * (TILES / BLOCK + 1) + SPIN)

#include "scan_state.pml"

/* xl_tile_fall_back(): reduces a silent tile, then, in place, looks again. */
inline fall_back(t) {
  made = input[t];
#if IN_PLACE && SECOND_LOOK
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

/* xl_prefix_look() */
inline prefix_look(t) {
  look(t);
  if
  :: seen == PREFIX -> start = got; ready = true
  :: else
  fi
}

/* xl_block_sum(): looks at all tiles that are not there yet, and for the start in passing. */
inline block_sum(b, count) {
  d_step {
    s = 0;
    do
    :: s < BLOCK - 1 -> value[s] = 0; there[s] = (s >= count); s++
    :: else -> break
    od;
    polls = 0
  };
  do
  :: if :: !ready -> prefix_look(b * BLOCK - 1) :: else fi;
     s = 0; late = BLOCK;
     do
     :: s < BLOCK - 1 ->
        if
        :: !there[s] ->
           look(b * BLOCK + s);
           d_step {
             if
             :: seen != EMPTY -> there[s] = true; value[s] = got
             :: seen == EMPTY && late == BLOCK -> late = s
             :: else
             fi
           }
        :: else
        fi;
        s++
     :: else -> break
     od;
     if
     :: late == BLOCK -> break
     :: late < BLOCK && polls < SPIN -> polls++
     :: else ->
        fall_back(b * BLOCK + late);
        d_step { there[late] = true; value[late] = got; polls = 0 }
     fi
  od;
  skip;
  d_step {
    s = 0; sum = 0;
    do
    :: s < BLOCK - 1 -> made = sum; op(sum, made, value[s]); value[s] = 0; there[s] = false; s++
    :: else -> break
    od;
    made = 0; s = 0; late = 0; polls = 0
  }
}

/* xl_start_by_hand(): from the nearest PREFIX there is, block by block. */
inline start_by_hand() {
  own_sum = sum;
  start = START; at = mine / BLOCK;
  do
  :: at > 0 -> prefix_look(at * BLOCK - 1); if :: ready -> break :: else -> at-- fi
  :: else -> break
  od;
  do
  :: at < mine / BLOCK ->
     ready = true;
     block_sum(at, BLOCK - 1);
     look(at * BLOCK + BLOCK - 1);
     if :: seen == EMPTY -> fall_back(at * BLOCK + BLOCK - 1) :: else fi;
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

inline look_back() {
  ready = (mine < BLOCK);
  start = START;
  block_sum(mine / BLOCK, mine % BLOCK);
  ready = ready || (HEAD_STARTS && (sum & HEAD) != 0);
  do
  :: !ready && (polls < SPIN || !BY_HAND) ->
     prefix_look((mine / BLOCK) * BLOCK - 1); polls = (BY_HAND -> polls + 1 : 0)
  :: else -> break
  od;
  polls = 0;
  if :: !ready -> start_by_hand() :: else fi;
  d_step { op(prefix, start, sum); op(sum, prefix, own); start = 0; ready = false }
}

proctype Group(byte me) {
  byte now, mine, next, sum, got, made, polls, own, own_sum, prefix, looks, start, at, s, late;
  byte value[BLOCK];
  bool there[BLOCK], ready;
  mtype seen = EMPTY;
  take_ticket(mine);
next_tile:
  if :: mine >= TILES -> goto last :: else fi;
  own = input[mine];
  post(mine, AGGREGATE, own);
  if
  :: mine == 0 -> d_step { prefix = START; op(sum, prefix, own) }
  :: else -> look_back()
  fi;
  if
  :: EVERY_PREFIX || mine % BLOCK == BLOCK - 1 -> post(mine, PREFIX, sum)
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
