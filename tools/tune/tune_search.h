/* SPDX-License-Identifier: MIT
 * The search of `crosslane tune`: one tunable after another, until the time is over. */
#ifndef TUNE_SEARCH_H
#define TUNE_SEARCH_H

#include "workload.h"

/* A tunable of the library and the best value so far. */
typedef struct tune_value {
    const char *name;
    uint64_t least, greatest;
    bool zero, from_file;
    bool is_kept; /* only the output file has it, not the initial file */
    uint32_t step, turn;
    uint64_t before, value, kept;
    double gain;       /* of all steps, in the workload that gained most; 1: none */
    const char *where; /* the name of that workload */
} tune_value;

typedef struct tune_search {
    session s;
    tune_value *values;
    size_t count;
    workload cases[WORKLOADS];
    workload_gain whole[WORKLOADS]; /* of all values together */
    double end;                     /* of the search, in host_milliseconds() */
    bool out_of_time;
    unsigned tried, failed, taken; /* values */
} tune_search;

/* Lists the tunables of an open session. */
int tune_search_list(tune_search *t);
/* Searches until t->end. */
int tune_search_run(tune_search *t);
void tune_search_close(tune_search *t);

/* Whether a tunable belongs to the primitive of that kind. */
bool tune_is_of(const tune_value *v, const workload_kind *kind);

#endif
