/* SPDX-License-Identifier: MIT
 * Shared by the models of the single-pass scan: the state memory of cl/tile/tile_prefix.cl
 * (tickets, epochs, descriptors published word by word), values, consecutive calls on the same
 * memory, and a group that may stop forever.
 *
 * Each execution, with any timing, is checked for
 *   values  the prefix of every tile is the expected one, whichever group computed it
 *   ends    no group makes more than READS polls for one tile, so that each wait is bounded and no
 *           group depends on another one's progress; no group is stuck; and if one group stops
 *           forever, all others still finish every tile that they hold a ticket of
 *
 * Parameters and their defaults; ci/model.sh reads them here and defines them:
 *   TILES=3
 *   GROUPS=2
 *   CALLS=2
 *   WORDS=1           64-bit words per value: 1 for a built-in scalar of up to 32 bits, else 2
 *   DESCRIPTORS=WORDS of a tile. 1: AGGREGATE and PREFIX share one; 2: each has one
 *   IN_PLACE=1        1: the output overwrites the input
 *   HALT=1            1: group 0 may stop forever, after any step that others can see
 *   SPIN=1            polls of an EMPTY tile before the fallback
 *   HEADS=0           bit t: a segment begins in tile t
 *   COUNTS=0          1: values count the segments that began (XL_ACCUMULATOR 2)
 *   ROUNDS=0          1: the operator is not associative, so that the value of an expression shows
 *                     how it was bracketed
 *   EARLY=0           1: a group takes its next ticket before it stores a tile
 *   HOLDS=(1+EARLY)   the most tiles that a group holds
 *   RING=TILES        tiles that the state has room for (XL_RING), as for a column of a sort's
 *                     digits, one by one and out of place; a later tile replaces an earlier one
 * Only the defaults of these are correct:
 *   SECOND_READ=1     0: in place, no second look at a tile once its aggregate is computed
 *   READS_FIRST=0     1: the second look comes first, as without the fence between them
 *   FALLBACK=1        0: waits for a tile without bound
 *   ALL_WORDS=1       0: a descriptor counts as published once its first word is there
 *   EPOCHS=1          0: values published in an earlier call count
 *   RING_EPOCHS=1     0: values that another tile published in this place count
 *
 * The model is sequentially consistent; the kernel has fences where that matters (in place: between
 * publishing and the first store; between computing an aggregate and the second look at the
 * descriptor). Storing a tile is one step, and so is computing its aggregate. */

/* XL_TILE_PLACE(), XL_TILE_EPOCH() */
#define PLACE(t) ((t) % RING)
#define EPOCH_OF(t) (now + RING_EPOCHS * ((t) / RING))

mtype = { EMPTY, AGGREGATE, PREFIX };

/* A word as it is stored: state, epoch, and its share of the value. The last share is
 * the whole value here: a group that takes it too early takes an older one. */
typedef Word { mtype state; byte epoch; byte value }
typedef Tile { Word word[DESCRIPTORS * WORDS] }
Tile tile[TILES];

byte ticket, done, epoch;    /* the header in the state memory */
byte input[TILES];           /* the aggregate of a tile, until its owner stores */
byte expected[TILES];        /* its prefix; 0 once it is stored */
byte finished, calls;
bool halted;

/* A value is a head flag, how many heads there were, and a number; 0 is the identity. */
#define HEAD 128
#define COUNT_OF(v) (COUNTS * ((v) & 96))
#define NUMBER (COUNTS -> 31 : 127)
#define START 9 /* what tile 0 starts from */
#define SPOILED 21

/* to = a op b. */
inline op(to, a, b) {
  if
  :: a == 0 -> to = b
  :: b == 0 -> to = a
  :: else ->
     to = ((b & HEAD) -> (b & (NUMBER | HEAD)) :
           (a & HEAD) | (ROUNDS -> (3 * (a & NUMBER) + 5 * (b & NUMBER) + 7) % (NUMBER - 1) + 1
                                 : (a + b) & NUMBER)) |
          (COUNTS * ((COUNT_OF(a) + COUNT_OF(b)) & 96))
  fi
}

#define STALL                                                                                      \
    if                                                                                             \
    :: HALT && me == 0 && !halted -> halted = true; goto end_halted                                \
    :: skip                                                                                        \
    fi

/* The first word of the descriptor of a state. */
#define FIRST_OF(s) ((DESCRIPTORS == 2 && (s) == AGGREGATE) -> WORDS : 0)

inline publish_word(t, s, v, w) {
  atomic {
    tile[PLACE(t)].word[FIRST_OF(s) + w].state = s;
    tile[PLACE(t)].word[FIRST_OF(s) + w].epoch = EPOCH_OF(t);
    tile[PLACE(t)].word[FIRST_OF(s) + w].value = v;
    STALL
  }
}

/* xl_descriptor_publish(): word after word in any order; another group may poll in between. */
inline descriptor_publish(t, s, v) {
#if WORDS == 1
  publish_word(t, s, v, 0)
#else
  if
  :: publish_word(t, s, v, 0); publish_word(t, s, v, 1)
  :: publish_word(t, s, v, 1); publish_word(t, s, v, 0)
  fi
#endif
}

#define IN_EPOCH(t, k) (!EPOCHS || tile[PLACE(t)].word[k].epoch == EPOCH_OF(t))

inline load_first(t, k) {
  if
  :: IN_EPOCH(t, k) -> seen = tile[PLACE(t)].word[k].state; got = tile[PLACE(t)].word[k].value
  :: else -> seen = EMPTY
  fi
}

inline load_next(t, k) {
  if
  :: !ALL_WORDS || (IN_EPOCH(t, k) && tile[PLACE(t)].word[k].state == seen) ->
     got = tile[PLACE(t)].word[k].value
  :: else -> seen = EMPTY
  fi
}

/* One poll is one step, together with the local computation that follows. */
#if WORDS == 1
#define STEP atomic
#else
#define STEP
#endif

/* xl_descriptor_poll(), or xl_descriptor_load() and xl_descriptor_is(): `seen` is `want` if all
 * words of that state's descriptor say so, else EMPTY. */
inline descriptor_poll(t, want) {
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

/* xl_descriptor_read(): word after word, the descriptor of PREFIX first. `seen` is the state on
 * which all words of a descriptor agree, else EMPTY. */
inline descriptor_read(t) {
  d_step { reads++; assert(reads <= READS); load_first(t, 0) };
#if WORDS == 2
  if :: seen != EMPTY -> d_step { load_next(t, 1) } :: else fi;
#endif
#if DESCRIPTORS == 2
  if
  :: seen == EMPTY ->
     d_step { load_first(t, WORDS) };
#if WORDS == 2
     if :: seen != EMPTY -> d_step { load_next(t, WORDS + 1) } :: else fi
#endif
  :: else
  fi
#endif
}

/* Takes a ticket; it is past the last tile if none is left. */
inline ticket_take(to) {
  atomic { to = ticket; ticket++; now = epoch; reads = 0; STALL }
}

/* With its prefix, a group stores the tile and continues with the next one, whose ticket it may
 * take first. */
inline store_and_go_on() {
#if EARLY
  ticket_take(next);
  store_tile();
  d_step { mine = next; next = 0 };
#else
  store_tile();
  ticket_take(mine);
#endif
}

/* The owner of a tile has its prefix and stores the tile. */
inline store_tile() {
  atomic {
    assert(prefix == expected[mine]);
    expected[mine] = 0;
    input[mine] = (IN_PLACE -> SPOILED : input[mine]);
    prefix = 0; sum = 0; own = 0; got = 0; made = 0; seen = EMPTY; reads = 0;
    STALL
  }
}

/* xl_lookback_leave() */
inline lookback_leave() {
  d_step {
    done++;
    if
    :: done == GROUPS -> ticket = 0; done = 0; epoch = epoch + (TILES + RING - 1) / RING
    :: else
    fi
  }
}

#ifdef WINDOW
/* prefix(t) = start(w) op (the aggregates of the tiles of w before t, from the left);
 * start(w + 1) = prefix(last) op aggregate(last). */
inline expect() {
  t = 0; start = START; sum = 0;
  do
  :: t < TILES ->
     op(expected[t], start, sum);
     if
     :: t % WINDOW == WINDOW - 1 -> op(start, expected[t], input[t]); sum = 0
     :: else -> v = sum; op(sum, v, input[t])
     fi;
     t++
  :: else -> break
  od
}
#else
/* Every prefix is all aggregates before the tile, from the left. */
inline expect() {
  t = 0; sum = START;
  do
  :: t < TILES -> expected[t] = sum; op(sum, expected[t], input[t]); t++
  :: else -> break
  od
}
#endif

/* The aggregates of tiles in call `calls`, and their prefixes. */
inline begin_call() {
  d_step {
    t = 0;
    do
    :: t < TILES ->
       input[t] = 2 * t + 1 + 11 * calls;
       input[t] = (input[t] & NUMBER) |
                  (((HEADS >> t) & 1) -> (HEAD | (COUNTS -> 32 : 0)) : 0);
       t++
    :: else -> break
    od;
    expect();
    t = 0; v = 0; sum = 0; start = 0; finished = 0
  };
  atomic {
    do
    :: t < GROUPS -> run Group(t); t++
    :: else -> t = 0; break
    od
  }
}

/* After a call: how many tiles are not stored. */
inline end_call() {
  d_step {
    t = 0;
    do
    :: t < TILES -> missing = missing + (expected[t] != 0); t++
    :: else -> break
    od;
    assert(missing <= (halted -> HOLDS : 0));
    t = 0; missing = 0
  }
}

/* All of init; each model has its own `Group`. */
inline run_calls() {
  d_step {
    epoch = 1;
    do
    :: t < TILES -> /* state memory starts as EMPTY of no epoch */
       v = 0;
       do
       :: v < DESCRIPTORS * WORDS -> tile[t].word[v].state = EMPTY; v++
       :: else -> break
       od;
       t++
    :: else -> break
    od
  };
  do
  :: calls < CALLS ->
     begin_call();
     if
     :: finished == GROUPS -> end_call(); calls++
     :: halted && finished == GROUPS - 1 -> end_call(); break
     fi
  :: else -> break
  od
}
