/* SPDX-License-Identifier: MIT
 * Scans and reductions as plain C: one loop over elements of any size, written for being
 * right. Tests compile it; the library does not hold it. */
#ifndef XLI_SCAN_REF_H
#define XLI_SCAN_REF_H

#include <crosslane/reduce.h>
#include <crosslane/scan.h>
#include <stdbool.h>

/* to = a op b; `to` may be a or b. */
typedef void xli_ref_op(void *to, const void *a, const void *b);
/* to = f(x, i): what a load or store expression does. */
typedef void xli_ref_map(void *to, const void *x, uint64_t i);

/* What is computed, in C. xli_ref_of() fills it in for the built-in types and operators;
 * user types, operators and expressions are the caller's to fill in. */
typedef struct xli_ref {
    xl_op op_name;     /* XL_ARG_MIN and XL_ARG_MAX are done apart */
    xl_type scalar;    /* of a lane; XL_NONE for user types */
    size_t lanes;      /* that the operator is applied to one by one; a vector of 3 has 3 */
    size_t lane_bytes; /* between them */
    size_t bytes;      /* of an element of what is scanned */
    size_t in_bytes;   /* of the arrays */
    size_t out_bytes;
    xli_ref_op *op;
    const void *identity;      /* an element; NULL: there is none, or nobody needs it */
    const void *init;          /* an element, or NULL */
    xli_ref_map *load, *store; /* or NULL */
    bool inclusive;
    unsigned char room[64]; /* where the identities of built-in operators stand */
} xli_ref;

/* Room for one element, a user type's too. */
enum { XLI_REF_MOST_BYTES = 64 };

/* The operator of a scalar type; NULL if there is none, as of XL_AND of floats. */
xli_ref_op *xli_ref_op_of(xl_type scalar, xl_op op);

/* For a descriptor with built-in type and operator; `init` and `kind` are taken over. The
 * structure must stay where it is: it points into itself. */
void xli_ref_of(xli_ref *ref, xl_type type, xl_op op, xl_scan_kind kind, const void *init);

/* heads[i] = 1 where element i of n begins a segment, as the descriptor's kind and the
 * array say. `count` is the number of CSR offsets. */
void xli_ref_heads(xl_segments kind, xl_type segment_type, uint64_t width, uint64_t mask,
                   const void *segments, size_t count, size_t n, uint8_t *heads);

/* Scans n elements one after another; heads NULL: one segment. in == out is fine where
 * their elements have one size. */
void xli_ref_scan(const xli_ref *ref, size_t n, const void *in, const uint8_t *heads, void *out);

/* Reduces n elements that lie in segments [begin[s], begin[s + 1]) for s < count; u64
 * indices for XL_ARG_MIN and XL_ARG_MAX. */
void xli_ref_reduce(const xli_ref *ref, const void *in, const uint64_t *begin, size_t count,
                    void *out);

/* The scan of a descriptor of built-in type and operator without expressions; `segments`
 * is the array, `count` its elements. False if the descriptor asks for more. */
bool xli_scan_reference(const xl_scan_desc *desc, size_t n, const void *in, const void *segments,
                        size_t count, void *out);

#endif
