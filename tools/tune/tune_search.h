/* SPDX-License-Identifier: MIT
 * The search of `crosslane tune`: one tunable after the other, as far as the time goes. */
#ifndef TUNE_SEARCH_H
#define TUNE_SEARCH_H

#include "tune_cases.h"

/* A tunable of the library, and what was found. */
typedef struct tune_value {
    const char *name;
    uint64_t least, greatest;
    bool zero, from_file;
    bool is_kept; /* the output file had it, and the file that was begun from did not */
    uint32_t step, turn;
    uint64_t before, value, kept;
    double gain;       /* of all steps, where most was gained; 1: none */
    const char *where; /* the name of that case */
} tune_value;

typedef struct tune_search {
    session s;
    tune_value *values;
    size_t count;
    tune_case cases[TUNE_KINDS];
    tune_gain whole[TUNE_KINDS]; /* all values of a case's primitive together */
    double end;                  /* of the time for it, in host_milliseconds() */
    bool out_of_time;
    unsigned tried, failed, taken; /* values */
} tune_search;

/* Lists the tunables of an open session. */
int tune_search_list(tune_search *t);
/* Searches; ends in time with what was found. */
int tune_search_run(tune_search *t);
void tune_search_close(tune_search *t);

/* Whether a tunable is one of that kind's primitive. */
bool tune_is_of(const tune_value *v, const tune_kind *kind);

#endif
