/* SPDX-License-Identifier: MIT
 * The queue of long segments (cl/sort/segment_queue.cl) as a model for spin. Work-groups take the
 * tiles of two segments and then the merges that the queue has. A group begins at any time, but only
 * if fewer than RESIDENT others run; one that runs makes progress.
 *
 * Each execution, with any timing, is checked for
 *   order  each job runs once (twice), after all jobs that it needs (early), and all run (missing)
 *   ends   no group polls a slot more than POLLS times (reads), so that no group waits for another,
 *          and no group is stuck
 *
 * Parameters and their defaults; ci/model.sh reads them here and defines them:
 *   FIRST=3     tiles of the first segment
 *   SECOND=0    tiles of the second one; at most 6 tiles in all
 *   GROUPS=3
 *   RESIDENT=2  groups that run at the same time
 *   POLLS=1
 * Only the defaults of these are correct:
 *   ENDS=1      0: a group polls an empty slot without bound
 *   RETIRES=1   0: a group leaves an empty slot without a mark
 *   PASSES=1    0: a job for a retired slot does not go into the next one
 *   SIBLINGS=1  0: a node is queued as soon as one of its children is done
 *   COUNTS=1    0: a node counts as done with its first job
 *   ROOM=GROUPS slots besides those of the jobs; a group retires at most one
 *
 * The model is sequentially consistent; the kernel has fences between a job and its count, and
 * between taking a job and running it. A job is one step. */
#define TILES (FIRST + SECOND)
#define MERGES(tiles) ((tiles > 1) + (tiles > 2) + (tiles > 4))
#define JOBS (FIRST * MERGES(FIRST) + SECOND * MERGES(SECOND))
#define SLOTS (JOBS + ROOM)

/* A slot, as xl_queue_take() reads it: a tile and a level, or one of these. */
#define EMPTY 0
#define RETIRED 4
#define SLOT(tile, level) ((tile) * 4 + (level))

byte ticket, filled;
byte slot[24];
byte counted[6];   /* jobs that are done of nodes that begin with a tile */
bool child[6];     /* one child is done of the node whose second run begins with a tile */
byte ran[4];       /* of each level: a bit for each tile */
byte running, finished;

/* The tiles of a job's segment: the first one, and how many. */
#define BASE(tile) (tile < FIRST -> 0 : FIRST)
#define LENGTH(tile) (tile < FIRST -> FIRST : SECOND)
#define NODE(number, level) ((number) >> (level) << (level))
#define MIN(a, b) ((a) < (b) -> (a) : (b))

/* xl_queue_take() */
inline queue_take() {
  d_step { at = ticket; ticket++; tile = at; level = 0; reads = 0; exists = at < TILES };
  if
  :: exists || at - TILES >= SLOTS -> skip
  :: else ->
     at = at - TILES; word = EMPTY;
     do
     :: word == EMPTY && (!ENDS || reads < (at < JOBS -> POLLS : 0)) ->
        d_step { word = slot[at]; reads++; assert(reads<=POLLS) }
     :: else -> break
     od;
     skip;
     d_step {
       if
       :: word == EMPTY ->
          word = slot[at];
          slot[at] = (word == EMPTY && RETIRES -> RETIRED : word)
       :: else
       fi;
       tile = word / 4; level = word % 4; exists = level > 0; word = 0
     }
  fi
}

/* The tile's job; all jobs of the node's children must have run. */
inline job_run() {
  d_step {
    base = BASE(tile); tiles = LENGTH(tile); node = NODE(tile - base, level); k = node;
    early = 0;
    twice = ran[level] >> tile & 1;
    do
    :: level > 0 && k < MIN(node + (1 << level), tiles) ->
       early = early + 1 - (ran[level - 1] >> (base + k) & 1); k++
    :: else -> break
    od;
    assert(early<=0);
    assert(twice<=0);
    ran[level] = ran[level] | (1 << tile)
  }
}

/* xl_queue_count(); `count`: the jobs of the parent, if they go into the queue now. */
inline queue_count() {
  d_step {
    wanted = 0; k = 0; count = 0;
    do
    :: k <= level -> wanted = wanted + MIN(1 << k, tiles - node); k++
    :: else -> break
    od;
    counted[base + node]++;
    wanted = (COUNTS -> wanted : wanted + 1 - MIN(1 << level, tiles - node));
    above = NODE(tile - base, level + 1); second = above + (1 << level);
    exists = counted[base + node] == wanted && level < MERGES(tiles)
  };
  if
  :: exists && second < tiles ->
     d_step {
       exists = child[base + second] || !SIBLINGS;
       child[base + second] = true
     }
  :: else
  fi;
  if
  :: exists ->
     d_step {
       count = MIN(2 << level, tiles - above);
       at = filled; filled = filled + count
     }
  :: else
  fi;
  k = 0
}

/* xl_queue_done(), xl_queue_fill_next() */
inline queue_fill() {
  do
  :: k < count ->
     d_step { next = at + k; word = EMPTY };
     do
     :: next < SLOTS ->
        d_step { word = slot[next]; slot[next] = SLOT(base + above + k, level + 1) };
        if
        :: word != EMPTY && PASSES -> d_step { next = filled; filled++ }
        :: else -> break
        fi
     :: else -> break
     od;
     k++
  :: else -> break
  od
}

proctype Group() {
  byte at, tile, level, reads, word, base, tiles, node, k, wanted, above, second, count, next;
  byte early, twice;
  bool exists;
  d_step { running < RESIDENT -> running++ };
  do
  :: true ->
     queue_take();
     if
     :: exists
     :: else -> break
     fi;
     job_run();
     skip;
     queue_count();
     queue_fill();
     skip;
     d_step { at = 0; tile = 0; base = 0; node = 0; k = 0; wanted = 0; above = 0; second = 0;
              count = 0; next = 0; word = 0; tiles = 0; level = 0 }
  od;
  skip;
  d_step { running--; finished++ }
}

init {
  byte g, missing, level;
  atomic {
    do
    :: g < GROUPS -> run Group(); g++
    :: else -> break
    od
  };
  finished == GROUPS;
  d_step {
    g = 0;
    do
    :: g < TILES ->
       level = 0;
       do
       :: level <= MERGES(LENGTH(g)) ->
          missing = missing + 1 - (ran[level] >> g & 1);
          level++
       :: else -> break
       od;
       g++
    :: else -> break
    od;
    assert(missing<=0)
  }
}
