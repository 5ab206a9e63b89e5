/* SPDX-License-Identifier: MIT
 * Calls of many launches release every object that they make, except the caller's event: the layer
 * counts objects while cases of the case runner run a second time on their plans. */
#define _GNU_SOURCE
#include "case.h"
#include "faults.h"
#include "private.h"

#include <stdio.h>
#include <unistd.h>

/* Each call waits for an event; with and without returning one. `launches` is the least number. */
#define WITHOUT " queue=out-of-order gate=yes"
#define WITH WITHOUT " released=last"
#define BOTH(line, launches)                                                                       \
    {line WITHOUT, launches},                                                                      \
    {                                                                                              \
        line WITH, launches                                                                        \
    }
static const struct {
    const char *line;
    unsigned launches;
} rows[] = {
    BOTH("scan n=262144 scratch=own", 1),
    BOTH("scan algorithm=look-back n=262144", 2),
    BOTH("scan algorithm=reduce-then-scan n=262144", 2),
    BOTH("scan type=f32 determinism=reproducible n=16384", 3),
    BOTH("scan segments=flags algorithm=reduce-then-scan n=262144", 2),
    BOTH("reduce n=262144", 2),
    BOTH("reduce segments=flags n=262144", 3),
    BOTH("sort n=65537", 3),
    BOTH("sort values=u32 n=65537", 3),
    {"near visits=yes n=600" WITHOUT, 7},
    {"moved n=3000" WITHOUT, 5},
    {"moved algorithm=bitonic n=3000" WITHOUT, 5},
};

/* After a call the library may hold its plan only. On PoCL it holds events for longer. */
static bool run(const fuzz_case *c, outcome *o)
{
    enum { TRIES = 1000 };
    run_case(c, o, NULL);
    for (int i = 0; i < TRIES && xli_held_sweep() > 0; ++i)
        usleep(1000);
    return !o->failed && !o->refused;
}

static int check(const xlt_fault_state *layer, size_t row)
{
    fuzz_case c;
    outcome o;
    char why[LINE];
    if (!case_parse(rows[row].line, &c, why))
        return printf("FAILED: %s: %s\n", rows[row].line, why), 1;
    if (!run(&c, &o))
        return printf("%s: %s: %s\n", o.failed ? "FAILED" : "left out", rows[row].line, o.text),
               o.failed;
    const xlt_fault_state before = *layer;
    if (!run(&c, &o))
        return printf("FAILED: %s, again: %s\n", rows[row].line, o.text), 1;
    const unsigned launches = layer->launches - before.launches;
    if (launches >= rows[row].launches && xlt_same_objects(layer, &before))
        return 0;
    printf("FAILED: %s: %u launches; held since: %ld events, %ld buffers, %ld kernels\n",
           rows[row].line, launches, layer->events - before.events, layer->buffers - before.buffers,
           layer->kernels - before.kernels);
    return 1;
}

int main(void)
{
    int failed = 0;
    const xlt_fault_state *layer = xlt_layer_load();
    if (!layer)
        return printf("skipped: the OpenCL loader knows no layers\n"), 77;
    for (size_t i = 0; i < XLI_COUNT(rows); ++i)
        failed += check(layer, i);
    close_plans();
    xlt_finish();
    return failed > 0;
}
