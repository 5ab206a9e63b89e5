/* SPDX-License-Identifier: MIT
 * The scan that looks back in no fixed order (cl/scan/scan_lookback.cl with xl_tile_prefix() of
 * cl/tile/tile_prefix.cl, XL_LOOKBACK_ORDERED 0) as a model for spin: bounded polling, the fallback for an
 * empty tile, in-place output, and the early PREFIX of a tile in which a segment begins.
 * scan_descriptor.pml describes the checks; ci/model.sh runs them.
 *
 *   LANES=1  of a sub-group that looks back; 1: a work-item. They poll one after the other, each
 *            its tile
 * Only the default is correct:
 *   AGGREGATE_IS_PREFIX=(!COUNTS)  whether a tile in which a segment begins publishes its aggregate
 *                                  as its PREFIX: not if segments are counted (COUNTS) */
/* The most polls of LANES tiles, if each needs the fallback: before each fallback the polls of all
 * tiles that are still EMPTY, and then a second look. */
#define READS                                                                                      \
    (((TILES + LANES - 2) / LANES) * ((SPIN + 1) * (LANES * (LANES + 1) / 2) + LANES))

#include "scan_descriptor.pml"

#define IS_PREFIX(v) (AGGREGATE_IS_PREFIX && ((v) & HEAD) != 0)
#define FIRST_STATE(t, v) ((t) == 0 || IS_PREFIX(v) -> PREFIX : AGGREGATE)

/* xl_tile_fallback() of a tile that stayed EMPTY. It publishes nothing. */
inline tile_fallback(t) {
#if !IN_PLACE || !SECOND_READ
  made = input[t]; seen = EMPTY;
#elif READS_FIRST
  descriptor_read(t); made = input[t];
#else
  made = input[t]; descriptor_read(t);
#endif
  d_step {
    if
    :: seen == EMPTY && t == 0 -> op(got, START, made); seen = PREFIX
    :: seen == EMPTY && t > 0 -> got = made; seen = FIRST_STATE(t, made)
    :: else
    fi;
    made = 0
  }
}

/* A lane keeps the state and value of its tile. */
inline lane_takes(k) {
  d_step { state[k] = seen; value[k] = got; seen = EMPTY; got = 0 }
}

/* xl_lookback_prefix(): lane k polls the k-th tile before those that are combined already. */
inline lookback_prefix() {
  before = mine;
  do
  :: do
     :: lane < LANES ->
        STEP {
          if
          :: lane < before && state[lane] == EMPTY ->
             descriptor_read(before - 1 - lane); lane_takes(lane)
          :: else
          fi;
          lane++
        }
     :: else ->
        d_step {
          nearest_empty = LANES; nearest = LANES;
          do
          :: lane > 0 ->
             lane--;
             nearest_empty = (lane < before && state[lane] == EMPTY -> lane : nearest_empty);
             nearest = (lane < before && state[lane] == PREFIX -> lane : nearest)
          :: else -> break
          od
        };
        if
        :: nearest_empty == LANES || nearest_empty > nearest -> break
        :: else ->
           if
           :: polls < SPIN || !FALLBACK -> polls = (FALLBACK -> polls + 1 : 0)
           :: else -> tile_fallback(before - 1 - nearest_empty); lane_takes(nearest_empty); polls = 0
           fi
        fi
     od;
     skip;
     d_step {
       do
       :: lane < LANES ->
          if :: lane < before && lane <= nearest -> op(sum, value[lane], sum) :: else fi;
          state[lane] = EMPTY; value[lane] = 0; lane++
       :: else -> break
       od;
       lane = 0; polls = 0; nearest_empty = 0; before = (before > LANES -> before - LANES : 0)
     };
     if :: nearest < LANES || before == 0 -> break :: else fi
  od;
  skip;
  d_step { before = 0; nearest = 0; prefix = sum; op(sum, prefix, own) }
}

/* xl_tile_prefix() */
inline tile_prefix() {
  if
  :: mine == 0 ->
     d_step { prefix = START; op(sum, prefix, own) };
     descriptor_publish(mine, PREFIX, sum)
  :: else ->
     descriptor_publish(mine, FIRST_STATE(mine, own), own);
     lookback_prefix();
     if
     :: !IS_PREFIX(own) -> descriptor_publish(mine, PREFIX, sum)
     :: else
     fi
  fi
}

proctype Group(byte me) {
  byte now, mine, next, before, lane, nearest_empty, nearest, sum, got, made, polls, own, prefix, reads;
  byte value[LANES];
  mtype state[LANES] = EMPTY, seen = EMPTY;
  ticket_take(mine);
next_tile:
  if :: mine >= TILES -> goto leaves :: else fi;
  own = input[mine];
  tile_prefix();
  store_and_go_on();
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
