/* SPDX-License-Identifier: MIT
 * The messages of the single-pass scan (cl/tile/tile_state.cl,
 * cl/tile/tile_lookback.cl) as a model for spin: tickets, epochs, posted states,
 * bounded polling, re-reduction of a silent tile, in-place output, and the reset by
 * the last group. Two calls run one after the other on the same state memory.
 *
 * Checked for every interleaving of small sizes (ci/model.sh):
 *   values   every tile's prefix is right, whoever supplied it
 *   progress with HALT=1 one group may stop for ever at any step: all others still
 *            finish every tile they hold a ticket of (no wait without bound)
 *
 *   TILES, GROUPS  sizes
 *   WORDS          64-bit words per value: 1 for up to 32 bits, 2 for 64
 *   SLOTS          1: aggregate and prefix share their words; 2: words of their own
 *   IN_PLACE       1: the output overwrites the input
 *   HALT           1: group 0 may stop for ever
 *
 * The model is sequentially consistent; the kernel has fences where that matters
 * (in place: between the post and the first store; between the re-reduction and the
 * second look at the state). */

#ifndef TILES
#define TILES 3
#endif
#ifndef GROUPS
#define GROUPS 2
#endif
#ifndef WORDS
#define WORDS 1
#endif
#ifndef SLOTS
#define SLOTS 1
#endif
#ifndef IN_PLACE
#define IN_PLACE 1
#endif
#ifndef HALT
#define HALT 0
#endif
#define CALLS 2
#define SPIN 1

mtype = { EMPTY, AGGREGATE, PREFIX };

/* A word as it is stored: state, epoch, and its share of the value. Both shares
 * are the whole value here: a reader that mixes two posts is caught by assert. */
typedef Word { mtype state; byte epoch; byte value }
typedef Slot { Word word[WORDS] }
typedef Tile { Slot slot[SLOTS] }
Tile tile[TILES];

byte ticket, done, epoch;        /* the header in the state memory */
byte input[TILES];               /* tile t sums up to t + 1 ... */
bool overwritten[TILES];         /* ... until its owner has begun to store */
byte finished, calls;
bool halted;

#define RIGHT(t) (((t) * ((t) + 1)) / 2) /* sum of tiles before t */
#define STALL    if :: HALT && me == 0 && !halted -> halted = true; false :: skip fi

#define SLOT_OF(s) ((SLOTS == 2 && (s) == PREFIX) -> 1 : 0)

/* Posts word after word; another group may look in between. */
inline post(t, s, v) {
  w = 0;
  do
  :: w < WORDS ->
     atomic {
       tile[t].slot[SLOT_OF(s)].word[w].state = s;
       tile[t].slot[SLOT_OF(s)].word[w].epoch = now;
       tile[t].slot[SLOT_OF(s)].word[w].value = v;
       w++
     };
     STALL
  :: else -> break
  od
}

/* Reads one slot word after word: `seen` is the state on which all words of this
 * epoch agree, else EMPTY; `missing` says that a word was not posted at all. */
inline look(t, k) {
  w = 0; seen = EMPTY; missing = false; agree = true;
  do
  :: w < WORDS ->
     atomic {
       if
       :: tile[t].slot[k].word[w].state == EMPTY || tile[t].slot[k].word[w].epoch != now ->
          missing = true; agree = false
       :: else ->
          if
          :: w == 0 -> seen = tile[t].slot[k].word[w].state; got = tile[t].slot[k].word[w].value
          :: else ->
             if
             :: tile[t].slot[k].word[w].state != seen -> agree = false
             :: else -> assert(!agree || tile[t].slot[k].word[w].value == got)
             fi
          fi
       fi;
       w++
     }
  :: else -> break
  od;
  if :: !agree -> seen = EMPTY :: else fi
}

/* The prefix slot first where there is one, then the aggregate. */
inline look_all(t) {
  if
  :: SLOTS == 2 -> look(t, SLOTS - 1); if :: seen == EMPTY -> look(t, 0) :: else fi
  :: else -> look(t, 0)
  fi
}

proctype Group(byte me) {
  byte now, mine, p, sum, got, w, polls, own, redone;
  mtype seen; bool missing, agree, last;
next_tile:
  atomic { mine = ticket; ticket++; now = epoch };
  if :: mine >= TILES -> goto leave :: else fi;
  STALL;
  own = input[mine]; assert(!overwritten[mine]);
  if
  :: mine == 0 -> post(mine, PREFIX, own); sum = 0
  :: else ->
     post(mine, AGGREGATE, own);
     sum = 0; p = mine - 1; polls = 0;
     do
     :: look_all(p);
        if
        :: seen == PREFIX -> sum = sum + got; break
        :: seen == AGGREGATE -> sum = sum + got; p--; polls = 0
        :: seen == EMPTY && polls < SPIN -> polls++
        :: else -> /* silent for too long: reduce its tile, then look again */
           redone = input[p];
           bool spoiled = overwritten[p];
           look_all(p);
           if
           :: seen == PREFIX -> sum = sum + got; break
           :: seen == AGGREGATE -> sum = sum + got; p--; polls = 0
           :: !IN_PLACE || missing ->
              /* The owner has not posted all of a state, so it has not stored. */
              assert(!IN_PLACE || !spoiled);
              sum = sum + redone;
              polls = 0;
              if
              :: p == 0 -> break /* tile 0: its sum is its prefix */
              :: else -> p--
              fi
           :: else -> skip /* posted, but not readable: only with shared slots */
           fi
        fi
     od;
     post(mine, PREFIX, sum + own)
  fi;
  assert(sum == RIGHT(mine));
  STALL;
  if
  :: IN_PLACE -> overwritten[mine] = true; input[mine] = 99
  :: else
  fi;
  goto next_tile;
leave:
  atomic {
    done++;
    last = done == GROUPS;
    if
    :: last -> ticket = 0; done = 0; epoch = epoch + 1
    :: else
    fi;
    finished++
  }
}

init {
  byte t, g;
  calls = 0; epoch = 1;
  t = 0;
  do
  :: t < TILES -> /* state memory starts as EMPTY of no epoch */
     g = 0;
     do
     :: g < WORDS ->
        tile[t].slot[0].word[g].state = EMPTY;
        tile[t].slot[SLOTS - 1].word[g].state = EMPTY;
        g++
     :: else -> break
     od;
     t++
  :: else -> break
  od;
  do
  :: calls < CALLS ->
     atomic {
       t = 0;
       do
       :: t < TILES -> input[t] = t + 1; overwritten[t] = false; t++
       :: else -> break
       od;
       finished = 0; g = 0;
       do
       :: g < GROUPS -> run Group(g); g++
       :: else -> break
       od
     };
     if
     :: finished == GROUPS -> calls++
     :: halted && finished == GROUPS - 1 -> break
     fi
  :: else -> break
  od
}

/* Group 0 may be halted; every other group finishes each call. */
ltl progress { [] (halted -> <> (finished == GROUPS - 1)) && <> (halted || calls == CALLS) }
