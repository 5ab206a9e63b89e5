/* SPDX-License-Identifier: MIT
 * What tests of histograms share: values in patterns, and one histogram with all that is to be
 * checked of it. */
#ifndef HISTOGRAM_TRIAL_H
#define HISTOGRAM_TRIAL_H

#include "reference.h"
#include "xlt.h"

typedef enum histogram_pattern {
    HISTOGRAM_RANDOM, /* most of them in some bin */
    HISTOGRAM_BITS,   /* any bits: NaN and infinities too */
    HISTOGRAM_EQUAL,
    HISTOGRAM_TWO,  /* of two bins in turn */
    HISTOGRAM_HALF, /* every other one of one bin */
    HISTOGRAM_RISING,
    HISTOGRAM_BORDERS, /* where bins begin, and right before */
    HISTOGRAM_PATTERNS
} histogram_pattern;

typedef struct histogram_trial {
    const char *device; /* which variant of the device */
    const xl_histogram_desc *desc;
    xl_histogram *plan;
    cl_command_queue queue;
    size_t n, offset;
    size_t n_device; /* SIZE_MAX: not given */
    histogram_pattern pattern;
    uint64_t before; /* what each bin holds */
} histogram_trial;

/* EVEN bounds or levels are set for the type. */
xl_histogram_desc histogram_desc(xl_histogram_kind kind, xl_type type, uint64_t num_bins);
histogram_trial histogram_trial_of(const xl_histogram_desc *desc, xl_histogram *plan, size_t n,
                                   histogram_pattern p);
/* Counts and compares with the reference; checks guard bytes, and that inputs are as they were. */
void histogram_check(const histogram_trial *t);

/* The steps of that. The caller frees what they give. */
void *histogram_room(size_t bytes);
/* num_bins + 1 levels of the descriptor's type, which do not fall; some are equal. */
void *histogram_levels(const xl_histogram_desc *desc);
void histogram_fill(const xl_histogram_desc *desc, const void *levels, histogram_pattern p,
                    size_t n, void *values);
ref_histogram histogram_reference(const xl_histogram_desc *desc, const void *levels);

#endif
