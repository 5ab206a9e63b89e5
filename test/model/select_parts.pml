/* SPDX-License-Identifier: MIT
 * The partition in one launch (cl/select/select_parts.cl) as a model for spin: each group publishes
 * the sum of its chunk, a tile here, polls those of all chunks, also of later groups, and counts
 * those that are late. A group has one work-item here. scan_descriptor.pml describes the checks;
 * ci/model.sh runs them, with as many groups as tiles and IN_PLACE=0. */
#define READS (TILES * (SPIN + 1))

#include "scan_descriptor.pml"

/* xl_sums_wait() and xl_sums_repair() */
inline sums_find() {
  sum = START;
  do
  :: next < TILES ->
     STEP {
       descriptor_poll(next, AGGREGATE);
       if
       :: seen == EMPTY && polls < SPIN + !FALLBACK -> polls = polls + FALLBACK; late = false
       :: seen == EMPTY && polls >= SPIN + !FALLBACK -> got = input[next]; late = true
       :: else -> late = false
       fi
     };
     if :: late -> descriptor_publish(next, AGGREGATE, got) :: else fi;
     d_step {
       if
       :: seen == AGGREGATE || late ->
          prefix = (next == me -> sum : prefix);
          op(sum, sum, got);
          next++; polls = (late -> polls : 0)
       :: else
       fi;
       seen = EMPTY; got = 0; late = false
     }
  :: else -> break
  od
}

proctype Group(byte me) {
  byte now, mine, next, sum, got, made, polls, own, prefix, reads;
  mtype seen = EMPTY;
  bool late;
  d_step { now = epoch; mine = me };
  descriptor_publish(me, AGGREGATE, input[me]);
  sums_find();
  lookback_leave();
  d_step { /* the sum of all chunks is the prefix of a tile after the last */
    next = 0; own = START;
    do
    :: next < TILES -> op(own, own, input[next]); next++
    :: else -> break
    od;
    made = prefix; prefix = sum;
    assert(prefix == own);
    prefix = made
  };
  store_tile();
  goto leaves;
end_halted:
  false;
leaves:
  finished++
}

init {
  byte t, v, sum, start, missing;
  run_calls()
}
