/* SPDX-License-Identifier: MIT
 * The case runner: a case is one line of text. The runner draws it from a seed, runs it through the
 * public calls and compares the results with serial code that shares nothing with the library.
 *
 *   case_line.c     prints, parses and shrinks a case
 *   case_rules.c    which fields go with which
 *   case_draw.c     draws cases
 *   case_pairs.c    makes cases that cover all pairs of options
 *   case_element.c  types and operators in plain C
 *   case_data.c, case_values.c, case_keys.c
 *                   arrays and segments of a case
 *   case_expect.c   the results of scans and reductions, and their rounding errors
 *   case_device.c   contexts, queues, buffers between guards, plans
 *   case_arrays.c   calls whose results are known to the bit
 *   case_space.c    points in space, and grids of them
 *   case_wrap.c     points outside that a build moves inside
 *   case_systems.c  a cell for each system
 *   case_PRIMITIVE.c
 *                   the calls of each primitive
 *   case.h          for programs that run cases
 *   cases.c         such a program
 *   lists/          cases that are kept, by primitive */
#ifndef CASES_H
#define CASES_H

#include "case.h"

#include <crosslane/grid.h>

#include <stdarg.h>

/* ---- a case ------------------------------------------------------------------------ */

enum { COUNT_ON_HOST, COUNT_ON_DEVICE, COUNT_ABOVE };
enum { INIT_NONE, INIT_HOST, INIT_DEVICE };
enum { MAP_NONE, MAP_LOAD, MAP_STORE, MAP_BOTH };
enum { RANDOM, ZEROS, EQUAL, REAL, ODD, SORTED, REVERSED, MINUS_ZEROS, DATA_KINDS };
/* Keys of sorts and selections that a path needs: see make_keys_for(). */
enum { AS_DATA, RISING, FALLING, FEW, ONE_BIT, LOW_BITS, LATE_BEST, CROWDED, SAMPLED_BEST };
enum {
    WHOLE,
    SINGLETONS,
    SHORT_RUNS,
    LONG_RUNS,
    BORDERS,
    LAST_ALONE,
    MIXED,
    UNEVEN,
    CROWDS,
    PATTERNS
};
enum { UNBROKEN, FALLS, PASSES, LATE_START, EARLY_END, HUGE_OFFSETS, ZIGZAG, BREAKINGS };
/* A list with too little room, or with more than it needs. */
enum { CUT_NONE, CUT_HALF, CUT_UNSAID, CUT_MORE };
enum { IN_ORDER, OUT_OF_ORDER };
/* How the event ends that calls wait for: well, in an error, or in one before the call. */
enum { ENDS_WELL, ENDS_IN_ERROR, ENDED_BEFORE };
/* A call has no event; or its event is released last, or before the work begins, then the plan too.
 */
enum { NO_EVENT, LAST_OF_ALL, EVENT_FIRST, PLAN_FIRST };
enum { SCRATCH_GIVEN, SCRATCH_OWN };
/* Algorithms of sorts and grids, behind those of scans. */
enum { ALGORITHM_COUNTING = XL_SCAN_REDUCE_THEN_SCAN + 1, ALGORITHM_BITONIC, ALGORITHM_RADIX };
/* Without a box, in one, in one that repeats, in a triclinic cell that does, in any of these for
 * each system. */
enum { CELL_CHOSEN = 3, CELL_LONGER };
enum { SPACE_OPEN, SPACE_BOUNDED, SPACE_BOX, SPACE_CELL, SPACE_OWN };
enum { VALUES_NONE, VALUES_U32, VALUES_INDICES };
enum { CARRY_NONE, CARRY_BOTH, CARRY_ALONE };
/* In place; of sorts the keys alone, or the values alone, too. */
enum { PLACE_APART, PLACE_IN, PLACE_KEYS_IN, PLACE_VALUES_IN };
/* By no comparator, by the low bits of an integer, or by a word of a structure. */
enum { COMPARE_NONE, COMPARE_LOW, COMPARE_STRUCT };
/* A lower triangular cell, the same with a vector that points back, or with its axes exchanged. */
enum { TURN_NONE, TURN_LEFT, TURN_AXES };
/* The kind of index. */
enum { WAY_OWN, WAY_TABLE, WAY_ROWS, WAY_WALK };
/* How a cell's vectors lean. */
enum { SKEW_USUAL, SKEW_GREAT, MANY_PERIODS };
/* Where points are, and why a build must refuse some. */
enum { SPREAD_USUAL, ON_FACES, FAR_AWAY, TINY, ALONG_LINES, ON_A_PLANE, OTHER_PERIODS };
enum { FAILS_NOT, FAILS_NON_FINITE, FAILS_OUTSIDE, FAILS_SYSTEM };
/* How sorted keys are dealt out to the arrays of a merge, how long its runs are, or what order
 * queries come in. */
enum { DEAL_MIXED, DEAL_RISING, DEAL_FALLING, DEAL_RUNS, DEALS };
/* Outputs of selections and of lists that the call does not have, as bits. */
enum {
    NO_DISTANCES = 1,
    NO_VECTORS = 2,
    NO_SHIFTS = 4,
    NO_KEYS = 1,
    NO_VALUES = 2,
    NO_INDICES = 4,
    NO_COUNT = 8,
    NO_LENGTHS = 16,
    ALL_LEFT_OUT = 31
};

/* The library's status for the plan of an illegal case; XL_SUCCESS for other cases. */
xl_status case_refused(const fuzz_case *c);
/* Why case_normalise() would set the field to 0; NULL: it would not. */
const char *case_because(const fuzz_case *c, field f);
bool heeds(const fuzz_case *c, field f); /* whether the case's primitive has the field */
/* Representative values of a field: how many, and which. */
uint64_t count_levels(field f);
uint64_t level_of(field f, uint64_t k);
/* How many values a field has; 0: it is a number. */
uint64_t values_of(field f);
/* Elements that the arrays hold: n, or more where n is on the device. */
size_t case_most(const fuzz_case *c);
/* Of sorts, selections, merges and searches. */
bool has_keys(const fuzz_case *c);
/* Whether the primitive is one of NEAR to MORTON. */
bool has_space(const fuzz_case *c);

/* ---- types and operators -------------------------------------------------------------- */

/* `to` may be a or b. */
typedef void element_op(void *to, const void *a, const void *b);

typedef enum number_class { SIGNED, UNSIGNED, FLOATING, STRUCT } number_class;

typedef struct element {
    xl_type type;
    number_class numbers;          /* of a lane */
    size_t bytes;                  /* of an element */
    size_t lanes, lane_bytes;      /* a vector of 3 has 3 */
    const xl_user_type *user_type; /* or NULL */
    const xl_user_op *user_op;     /* or NULL: built-in operators */
    element_op *op;                /* user_op in C */
    const void *init;              /* with user_op */
    size_t known_bytes;            /* of a struct: those that an operator sets, from the start */
    void (*make)(xlt_random *random, size_t i, void *to); /* a struct's or user_op's elements */
} element;

enum { NUM_TYPES = 24, NUM_SCALARS = 11, FIRST_USER = 16, ELEMENT_MOST = 512 };
const element *element_of(const fuzz_case *c);
/* Elements for which expressions of selections and transforms differ. */
enum element_kind { INTEGERS, FLOATS, OTHERS };
enum element_kind kind_of(const fuzz_case *c);
const element *scalar_number(uint64_t k); /* in the order of TYPE */
/* The types of a histogram's bins and weights; NULL: no weights. */
const element *counter_of(const fuzz_case *c);
const element *weight_of(const fuzz_case *c);
xl_type segment_type_of(const fuzz_case *c);
/* Operators whose results depend on the order in which they are taken. */
bool case_rounds(const fuzz_case *c);
bool case_is_arg(const fuzz_case *c);
/* One lane as a number, and back. Half to double and back is exact where it can be. */
long double lane_number(const element *e, const void *lane);
void lane_set_number(const element *e, void *lane, long double x);
uint64_t lane_bits(const element *e, const void *lane); /* sign-extended where SIGNED */
/* Fields that descriptors of scans and reductions share. */
#define DESCRIBE_FOLD(desc, c)                                                                     \
    do {                                                                                           \
        const element *const e_ = element_of(c);                                                   \
        (desc).type = e_->type;                                                                    \
        (desc).op = e_->user_op ? XL_USER_OP : (xl_op)(XL_SUM + (c)->of[OP]);                      \
        (desc).user_type = e_->user_type;                                                          \
        (desc).user_op = e_->user_op;                                                              \
        (desc).determinism = (xl_determinism)(c)->of[DETERMINISM];                                 \
        (desc).segments = (xl_segments)(c)->of[SEGMENTS];                                          \
        (desc).segment_type = segment_type_of(c);                                                  \
        (desc).segment_width = (c)->of[WIDTH];                                                     \
        (desc).segment_mask = (c)->of[MASK];                                                       \
        if (maps_load(c)) {                                                                        \
            (desc).load = MAP_LOAD_TEXT;                                                           \
            (desc).load_type = XL_U8;                                                              \
        }                                                                                          \
        if ((c)->of[FROM])                                                                         \
            (desc).load_type = source_of(c)->type;                                                 \
        if ((c)->of[MAP] >= MAP_STORE)                                                             \
            (desc).store = MAP_STORE_TEXT;                                                         \
    } while (0)
bool maps_load(const fuzz_case *c); /* whether an expression loads the elements */
/* The descriptor's init in `to`; false if the case has none. */
bool case_init(const fuzz_case *c, void *to);
/* The type of `in` that is converted to the case's, or NULL. */
const element *source_of(const fuzz_case *c);
/* An element of the case's type that is made of one of source_of(). */
void convert_element(const fuzz_case *c, void *to, const void *from);
/* Bytes of an element of in and of out, which load and store may change. */
size_t in_bytes_of(const fuzz_case *c);
size_t out_bytes_of(const fuzz_case *c);
#define MAP_LOAD_TEXT "(x + i) % 5"
#define MAP_STORE_TEXT "(i & 1) ? x : x + x"

/* ---- data ------------------------------------------------------------------------------- */

/* Zeros. Memory of a case lasts until the next case. */
void *make_bytes(size_t n, size_t size);
/* The same for memory that malloc() gave. Returns it. */
void *keep_bytes(void *bytes);
void free_bytes(void);
/* n elements of `in` of a scan or a reduction, or keys. */
void *make_input(const fuzz_case *c, size_t n);
/* n numbers, of which no two are alike. */
uint32_t *make_values(size_t n);
/* A copy of n keys for references, in which zeros have no sign if the case has them equal. */
unsigned char *ranked_keys(const fuzz_case *c, size_t n, const void *keys);
/* Keys for one path of a sort or a selection, as KEYS_FOR says. */
void make_keys_for(const fuzz_case *c, size_t n, void *keys);
/* Puts keys in the order of the case, then `breaks` of them somewhere else. */
void order_keys(const fuzz_case *c, size_t n, void *keys, uint64_t breaks);
bool descends(const fuzz_case *c);

/* Up to four arrays of values that follow keys: how many, the size of each, the arrays. */
enum { MOST_VALUES = 1 + XL_MORE_VALUES };
extern const char *const values_in_name[MOST_VALUES], *const values_out_name[MOST_VALUES];
size_t count_values(const fuzz_case *c);
/* The types for a descriptor. */
void describe_values(const fuzz_case *c, uint32_t *value, uint32_t more_values[XL_MORE_VALUES]);
size_t value_size(const fuzz_case *c, size_t k);
unsigned char *make_value_array(const fuzz_case *c, size_t k, size_t n);
typedef struct value_arrays {
    unsigned char *of[MOST_VALUES];
} value_arrays;
value_arrays make_value_arrays(const fuzz_case *c, size_t n);
unsigned char *make_untouched(size_t n, size_t size); /* as buffers before a call */
void gather_elements(unsigned char *to, const void *from, size_t size, const size_t *places,
                     size_t n);

typedef struct segmentation {
    uint8_t *heads;    /* of `most` elements */
    uint64_t *begin;   /* segment s of the first n is [begin[s], begin[s + 1]) */
    size_t count;      /* segments of the first n */
    size_t most_count; /* and of `most` */
    void *array;       /* as the call takes it, or NULL */
    size_t array_n, array_bytes;
} segmentation;
segmentation make_segments(const fuzz_case *c);

/* ---- expected results --------------------------------------------------------------------- */

/* `after`: a result includes its element, as a carry does in every scan. `slack` takes one float per
 * lane of each result: how far it may be off; 0: not a bit. */
void expect_scan(const fuzz_case *c, size_t n, const void *in, const uint8_t *heads, bool after,
                 void *out, float *slack);
/* A result that nothing is written to, as of no elements without an identity, is left. */
void expect_reduce(const fuzz_case *c, const void *in, const segmentation *s, void *out,
                   float *slack);

/* ---- running ------------------------------------------------------------------------------ */

/* Notes the first failure. Returns false. */
bool failed(outcome *o, const char *format, ...)
#if defined(__GNUC__) && !defined(_WIN32)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* False if a call of the library did not succeed. */
bool succeeded(outcome *o, xl_context *ctx, xl_status status, const char *call);
bool cl_succeeded(outcome *o, cl_int code, const char *call);

typedef struct open_plan {
    uint64_t key[PLAN_FIELDS];
    xl_context *ctx; /* of its tuning; borrowed */
    union {
        xl_plan *array_plan; /* of a primitive whose cases have no points in space */
        struct {
            xl_plan *near; /* or one of these, or none */
            xl_plan *nearest;
            cl_program program; /* with a kernel of the case's own, or NULL */
            cl_kernel kernel;
            /* The last case's; NULL before the first. Each case builds the same index. */
            xl_plan *grid;
            xl_grid_index *index;
            xl_system_cell *cells; /* of its systems, or NULL */
            xl_plan *morton;
        } space;
    } of;
    xlt_buffer init;
    bool refused, ended; /* not made; closed before its work began */
    uint64_t last_used;
    fuzz_case before; /* the last case on it, where `used` */
    bool used;
} open_plan;

typedef struct primitive {
    xl_status (*open)(const fuzz_case *c, open_plan *plan);
    void (*run)(const fuzz_case *c, open_plan *plan, outcome *o);
    void (*close)(open_plan *plan);
} primitive;
extern const primitive scan_primitive, reduce_primitive, sort_primitive, top_k_primitive,
    merge_primitive, search_primitive, near_primitive, nearest_primitive, moved_primitive,
    morton_primitive, select_primitive, histogram_primitive, transform_primitive,
    approximate_primitive;

void close_array_plan(open_plan *plan);

/* ---- for those that call -------------------------------------------------------------------- */

extern const char *const tunings[];
enum { BY_QUEUE = 5, NUM_TUNINGS };

enum { UNTOUCHED = 0xa5 }; /* bytes of outputs before a call */
/* Reads n elements into `to` (NULL: nowhere); false if a byte around them has changed. */
bool read_guarded(outcome *o, const xlt_buffer *buffer, const char *name, void *to);
/* False if the elements are not those of `host` any more, either. */
bool unchanged(outcome *o, const xlt_buffer *buffer, const char *name, const void *host);
xl_view counted_view(const xlt_buffer *buffer); /* one that says how many elements it has */

typedef struct flight {
    cl_command_queue queue;
    cl_event gate;   /* the calls wait for it; or NULL */
    cl_event *event; /* of the next call, or NULL */
    cl_event events[2];
    uint64_t ending, released;
    bool all_wait; /* each part of a call waits for the gate, as an error may not pass on */
} flight;
bool take_off(outcome *o, const fuzz_case *c, flight *f);
/* Whether call `k` was enqueued, or refused because of an event that has failed. */
bool departed(outcome *o, flight *f, size_t k, xl_context *ctx, xl_status status, const char *call);
/* Opens the gate and waits for the queue. */
bool land(outcome *o, flight *f);
/* Whether the calls of a case must not run. */
bool stays_undone(const fuzz_case *c);
cl_uint num_waits(const flight *f);
const cl_event *waits(const flight *f);

/* An array of a call whose results are known to the bit. */
typedef struct call_array {
    const char *name;   /* NULL: not given */
    const void *host;   /* elements of an input, before and after; NULL: an output */
    const void *wanted; /* expected elements of an output; NULL: see exact_call.holds */
    bool changes;       /* an array that a call works on in place: `host` before, then `wanted` */
    bool shifts;        /* the second of two calls has it one element further on */
    size_t n, size, at; /* elements, bytes of each, and elements before them */
    bool is_scratch;
    xlt_buffer buffer; /* made by run_exact(), once for each call */
    void *got;         /* of an output with no `wanted` */
    /* Whether an element will do that has other bits than the one that is wanted; or NULL. */
    bool (*will_do)(const void *got, const void *wanted);
} call_array;
xl_view array_view(const call_array *a); /* no view if the array is not given */
/* If the name is NULL, the array is not given. */
call_array input_array(const char *name, const void *host, size_t n, size_t size, size_t at);
call_array output_array(const char *name, const void *wanted, size_t n, size_t size, size_t at);
call_array in_place_array(const char *name, const void *host, const void *wanted, size_t n,
                          size_t size, size_t at);
/* The number that n_device holds, and its array. */
uint64_t count_of(const fuzz_case *c);
call_array count_array(const fuzz_case *c, const uint64_t *count);
call_array segments_array(const fuzz_case *c, const segmentation *s);
call_array scratch_array(const fuzz_case *c, size_t bytes);

enum { CALL_ARRAYS = 23 };
typedef struct exact_call {
    const char *name; /* of what enqueue calls */
    xl_status (*enqueue)(const fuzz_case *c, const open_plan *plan, const call_array *arrays,
                         const flight *f);
    /* Checks outputs without `wanted`; or NULL. */
    bool (*holds)(outcome *o, const fuzz_case *c, const call_array *arrays);
} exact_call;
/* Makes the call, twice at once if the case says so, with buffers for the CALL_ARRAYS `arrays`, and
 * checks each element of the buffers and the guards around them. */
void run_exact(outcome *o, const fuzz_case *c, const open_plan *plan, const exact_call *call,
               const call_array *arrays);
/* The same; agree() compares the outputs of two calls that have no `wanted`. */
typedef bool calls_agree(outcome *o, const fuzz_case *c, const call_array *a, const call_array *b);
void run_alike(outcome *o, const fuzz_case *c, const open_plan *plan, const exact_call *call,
               const call_array *arrays, calls_agree *agree);

/* ---- points in space ------------------------------------------------------------------------ */

/* The cell of a system, or of all. */
typedef struct scene_cell {
    uint32_t periodic;
    bool skewed;
    double lower[3], upper[3]; /* of a box; of a cell where its vectors begin, and nothing */
    double cell[3][3];
    double repeats[9];         /* the vectors that repeat; the others are 0 */
    double period[3], tilt[3]; /* as the reference has them */
} scene_cell;

/* The points of a case of NEAR, NEAREST or MOVED. Coordinates are float or, if `wide`, double. */
typedef struct scene {
    size_t n, rows;    /* points; rows of a search */
    size_t first, num; /* the part of the rows that is filled */
    size_t stride;     /* of points and queries, in scalars */
    size_t bytes;      /* of a scalar */
    uint32_t dimensions, periodic, num_systems;
    bool wide;
    double radius, lower[3], upper[3], cell[3][3];
    double period[3], tilt[3];     /* as the reference has them, but for turned cells */
    double repeats[9];             /* the vectors that repeat; the others are 0 */
    float narrow[9];               /* the same */
    void *points, *queries;        /* queries: NULL, or of each row */
    void *radii, *point_radii;     /* NULL, or of each row, and of each point */
    uint32_t *types, *point_types; /* the same */
    void *given;                   /* the points that a build gets: `points`, or others that it
                                          moves there by `moves`, three numbers each */
    int32_t *moves;                /* or NULL */
    scene_cell all;                /* the cell of all systems */
    scene_cell *own;               /* or NULL: that of each */
    double *own_repeats;           /* nine numbers each, and the same as floats */
    float *own_narrow;
    uint32_t *systems, *query_systems; /* or NULL */
    size_t spoilt, bad[3];             /* points that a build must refuse */
    bool non_finite;                   /* why */
    void *axes[9];                     /* of arrays with an axis each */
    size_t num_axes;
} scene;
scene make_scene(const fuzz_case *c);
/* case_radii.c: the radii or types of a scene that has all else; the table of types; the
 * arrays. */
void make_radii(const fuzz_case *c, scene *s, xlt_random *random);
uint32_t types_of(const fuzz_case *c);
double *make_pair_radii(const fuzz_case *c);
void add_radii(const scene *s, size_t at, call_array *arrays);
/* Makes `own`, and moves the points into their cells; then the queries (case_systems.c). */
void make_own_cells(const fuzz_case *c, scene *s, xlt_random *random);
void put_queries_in_cells(scene *s, xlt_random *random);
/* The cells as the library takes them. */
xl_system_cell *list_own_cells(const scene *s);
/* Edges and vectors of a space (case_space.c). */
void make_space(const fuzz_case *c, scene *s, xlt_random *random);
/* A coordinate of a point that is that far along the vectors. */
double coordinate(const scene *s, bool in_cell, const double part[3], uint32_t axis, bool around);
double part_along(const fuzz_case *c, xlt_random *random, size_t i, size_t axis);
/* The cell of point i. */
const scene_cell *cell_of_point(const scene *s, size_t i);
/* Makes `given` and `moves` of points inside (case_wrap.c). */
void put_points_out(scene *s, xlt_random *random);
/* Where a build must move the point that begins at scalar `at`, and by which whole vectors. False
 * if rounding may decide it, or if there is no such place. */
bool wrap_point(const scene *s, const scene_cell *of, const void *points, size_t at, double *moved,
                int32_t *whole);
uint32_t nearest_of(const fuzz_case *c);
double scene_radius(const fuzz_case *c); /* of searches in it */
float cell_size_of(const fuzz_case *c);
/* A plan of a grid for the searches of a plan of cases: the cell of each case is another one. */
xl_status make_kind(const fuzz_case *c, const open_plan *plan, xl_plan **grid);
/* Number `i` of an array of such scalars, set, rounded to one. */
void set_scalar(const scene *s, void *array, size_t i, double x);
double scalar_of(const scene *s, const void *array, size_t i);
/* Makes the plan's grid for it, and its index if there is none. */
bool make_grid(outcome *o, const fuzz_case *c, open_plan *plan, const scene *s);
void close_space(open_plan *plan);

/* The arrays that calls on a scene have; each has more from there on. */
enum {
    POINTS,
    POINTS_Y,
    POINTS_Z,
    OF_SYSTEMS,
    STORAGE,
    QUERY_POINTS,
    QUERY_Y,
    QUERY_Z,
    QUERY_RADII,
    POINT_RADII,
    QUERY_TYPES,
    POINT_TYPES,
    OF_QUERY_SYSTEMS,
    SCENE_ARRAYS
};
void add_scene(const fuzz_case *c, const open_plan *plan, scene *s, call_array *arrays);
/* One array of points, or, `apart`, an array for each axis, from arrays[0] on; of no name: none. */
void add_points(scene *s, call_array *arrays, const char *name, const void *points, size_t n,
                size_t stride, bool apart, size_t at);
xl_status build_status(const scene *s); /* the right one for the points */
bool check_build(outcome *o, const open_plan *plan, const scene *s);
xl_status build_scene(const fuzz_case *c, const open_plan *plan, const call_array *arrays,
                      const flight *f, cl_event *built);
/* Tunables that make grids and searches of another kind than the device's own, as for GPUs. */
typedef struct tuned_way {
    const xl_tunable *grid, *search;
    uint32_t num_grid, num_search;
} tuned_way;
tuned_way way_of(const fuzz_case *c);
/* Floats that are equal where -0 may be 0. */
bool is_alike(const void *got, const void *wanted);

/* Compares `count` results; says which is wrong. */
bool same_results(outcome *o, const fuzz_case *c, size_t count, const void *got, const void *wanted,
                  const float *slack);
/* The results of two runs; padding is not compared. */
bool same_bits(outcome *o, const fuzz_case *c, size_t count, const void *first, const void *second);
/* False if the case has a hash, and the `count` results have another. */
bool same_hash(outcome *o, const fuzz_case *c, size_t count, const void *results);
/* Whether a device takes -0 for 0 (llvmpipe: x + 0 is x to its compiler). */
bool zeros_are_alike(void);

#endif
