/* SPDX-License-Identifier: MIT
 * Declarations for scan and reduction across ranks. The whole array is divided into parts: one for each rank,
 * or units of XLM_UNIT elements if results must not depend on the ranks. One core call computes a part.
 * Each part tells the others its carry (a scan), or the reduction of its elements before its first segment
 * head (a reduction), and facts about its segments. */
#ifndef XLM_PARTS_H
#define XLM_PARTS_H

#include "internal.h"

/* Elements of a unit of XL_REPRODUCIBLE with an operator that rounds. Units are parts of the whole array
 * that one core call computes; so results depend on this number, and not on the ranks. */
#define XLM_UNIT ((uint64_t)1 << 18)

/* The plans and sizes of a scan or a reduction. */
typedef struct xlm_problem {
    xl_mpi *mpi;
    size_t type_bytes, load_bytes, store_bytes, segment_bytes;
    uint32_t op, segments;
    uint64_t width, mask;
    size_t num_params;
    bool loads;       /* desc.load is given: `partial` takes the parameters */
    bool counts;      /* `partial` takes the index of its first element as a last parameter */
    bool units;       /* parts are units */
    bool finds;       /* XL_ARG_MIN, XL_ARG_MAX: `partial` finds an index, `pick` its value */
    xl_plan *carry;   /* a scan: the carry of a part, without init; then there are no other plans */
    xl_plan *partial; /* the reduction of a range of a part */
    xl_plan *pick;
    xl_plan *heads; /* the last and the first head of a part; NULL if the host finds them */
} xlm_problem;

typedef struct xlm_part {
    uint64_t first; /* elements of the whole array before it */
    size_t n;
    xl_view in, segments, out;
    bool heads;      /* a segment begins in it, or at its end (offsets) */
    size_t lead;     /* elements before the first head; n if there is none */
    size_t last;     /* where the last segment begins; 0 if there is no head */
    uint64_t key[2]; /* XL_SEGMENTS_KEYS: the bytes of its first and its last key */
} xlm_part;

/* What all ranks know of a part. The value follows it. */
typedef struct xlm_told {
    uint64_t n, heads, lead, key[2];
    uint64_t count; /* elements in the value; 0: there is none */
    uint64_t index; /* XL_ARG_MIN, XL_ARG_MAX: that of the value in the whole array */
} xlm_told;

/* The parts of one call. */
typedef struct xlm_parts {
    const xlm_problem *problem;
    cl_command_queue queue;
    const void *const *params;  /* of the caller */
    uint64_t *at;               /* rank r has the elements from at[r] to at[r + 1] */
    size_t count, before, all;  /* parts of this rank, of lower ranks, of all ranks */
    xlm_part *part;             /* [count] */
    unsigned char *mine, *told; /* records of this rank and of all ranks */
    int *bytes;                 /* of the records of each rank, and where they begin */
    /* Units: elements that this rank sends to another one and gets from others, where those of each rank
     * begin, and the unit that is divided between ranks: elements, segments, results. */
    size_t sent, received;
    uint64_t *send_at; /* 4 arrays of size + 1: sent, received, and both in bytes */
    cl_mem unit[3];
} xlm_parts;

/* The fields of a scan that a reduction has, too. */
xl_reduce_desc xlm_reduce_of(const xl_scan_desc *desc);

/* COLLECTIVE. As xlm_same(), of all fields of desc, and of `more` values. desc may be NULL. */
xl_status xlm_same_desc(xl_mpi *mpi, xl_status mine, const xl_reduce_desc *desc,
                        const xlm_value *more, size_t count);

/* Whether there is room for the parameter that an expression `text` with i needs. */
xl_status xlm_check_params(xl_mpi *mpi, const xl_reduce_desc *desc, const char *field,
                           const char *text);

/* Whether parts are units: with XL_REPRODUCIBLE, if the operator rounds. */
bool xlm_in_units(const xl_reduce_desc *desc);

/* Makes sizes and plans of a descriptor that the core library has checked. Local. Records no reason:
 * call it within xl_mpi_in_turn(). */
void xlm_problem_init(xlm_problem *problem, xl_mpi *mpi, const xl_reduce_desc *desc);
xl_status xlm_problem_plans(xlm_problem *problem, const xl_reduce_desc *desc);
void xlm_problem_drop(xlm_problem *problem);

/* Text with each i replaced by (i+NAME); NULL if there is no memory. *found: whether there is one. */
char *xlm_shift_index(const char *text, const char *name, bool *found);
/* The same for *text, which is a field of desc; if there is an i, NAME becomes the last parameter of desc.
 * The caller frees the result, when desc is no longer needed. */
char *xlm_add_index(xl_reduce_desc *desc, const char **text, const char *name,
                    xl_param params[XL_PARAMS + 1], bool *found);

/* Elements of the array of segments. */
size_t xlm_segment_elements(const xlm_problem *problem, size_t n, const xl_view *segments);

/* Checks arrays of a call: the checks of the core library that must not fail later. */
xl_status xlm_check_arrays(const xlm_problem *problem, size_t n, const xl_view *in,
                           const xl_view *segments, const void *const *params);

/* The steps of a call. Between two of them the ranks agree. */
xl_status xlm_parts_reserve(xlm_parts *parts); /* memory for the ranks' sizes; local */
/* COLLECTIVE, agreed: the parts. `mine`: n and the arrays of this rank. */
xl_status xlm_parts_divide(xlm_parts *parts, xlm_part mine, bool scans);
xl_status xlm_parts_tell(xlm_parts *parts);   /* heads, values and records of the parts; local */
xl_status xlm_parts_gather(xlm_parts *parts); /* COLLECTIVE: the records of all ranks */
void xlm_parts_drop(xlm_parts *parts);

/* XL_SEGMENTS_OFFSETS: sets heads, lead and last of a part, or fails if offsets are wrong. Local. */
xl_status xlm_heads_by_offsets(const xlm_parts *parts, xlm_part *part);

/* XL_SEGMENTS_WIDTH and XL_SEGMENTS_MASK: the heads of elements 0 to end - 1 of the whole array. */
uint64_t xlm_heads_before(const xlm_problem *problem, uint64_t end);

/* The parts of rank r: one, or those of the units that begin on it. */
size_t xlm_parts_of(const xlm_parts *parts, int r);
/* Units. `mine`: the arrays of this rank, which begin with its first element. divide(): local, sets the
 * parts. The others: COLLECTIVE, their status is agreed. return() moves results to the ranks that have the
 * elements. */
void xlm_units_divide(xlm_parts *parts, const xlm_part *mine);
xl_status xlm_units_fetch(xlm_parts *parts, const xlm_part *mine, bool scans);
xl_status xlm_units_return(xlm_parts *parts, xl_status mine, const xl_view *out);

/* Units: where the first one of rank r begins; the end of the array for r = size. */
uint64_t xlm_parts_unit(const xlm_parts *parts, int r);

/* Part k of all, its value, and whether its first element begins a segment. */
const xlm_told *xlm_parts_at(const xlm_parts *parts, size_t k);
const void *xlm_parts_value(const xlm_parts *parts, size_t k);
bool xlm_parts_begins(const xlm_parts *parts, size_t k);

/* Reduces elements [from, to) of a part to `value`, an element of the type on the host, and *index. */
xl_status xlm_partial(const xlm_parts *parts, const xlm_part *part, size_t from, size_t to,
                      void *value, uint64_t *index);

#endif
