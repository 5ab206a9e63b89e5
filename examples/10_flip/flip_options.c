/* SPDX-License-Identifier: MIT
 * The program's options. */
#include "flip_program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "Usage: %s [OPTION...]\n"
    "A column of water in a box of 4 m breaks down.\n"
    "  --scene KIND      dam: the column is 1 m wide, 2 m high, and as deep as the box; cube: 2 m\n"
    "                    each way, in a corner (dam)\n"
    "  --grid N          cells along each axis of the box, a multiple of 4, 8 to 512 (64)\n"
    "  --particles N     1 to 16777216 (N^3 of --grid: eight in each cell of the column)\n"
    "  --steps N         how many steps (100, or as --seconds says)\n"
    "  --seconds T       goes on until the water has moved for so long\n"
    "  --pcg KIND        preconditioner of the pressure's solver: ssor or plain (ssor)\n"
    "  --tolerance X     largest residual, in units of the largest right side (1e-4)\n"
    "  --png FOLDER      pictures FOLDER/flip_0000.png, ..., coloured by speed; the folder is "
    "there\n"
    "  --every K         a picture of each K-th step (4); --width W: pixels (640)\n"
    "  --animation FILE  all pictures as one animated PNG; needs --png and --steps\n"
    "  --snapshot FILE   writes the state at the end; --restart FILE goes on from it\n"
    "  --csv FILE        a line for each step: times, iterations\n"
    "  --device SEL      as the variable CROSSLANE_DEVICE\n"
    "  --quiet           prints nothing but errors\n";

/* A number in its range. */
static bool number(const char *text, double low, double high, double *value)
{
    char *end = NULL;
    *value = strtod(text, &end);
    return end != text && !*end && *value >= low && *value <= high;
}

static bool whole(const char *text, double low, double high, double *value)
{
    return number(text, low, high, value) && *value == floor(*value);
}

static bool take_number(flip_options *o, const char *name, const char *text, bool *known)
{
    double value = 0;
    bool good = false;
    *known = true;
    if (strcmp(name, "--grid") == 0) {
        good = whole(text, 8, FLIP_MOST_CELLS, &value) && fmod(value, 4) == 0;
        o->grid = (int)value;
    } else if (strcmp(name, "--particles") == 0) {
        good = whole(text, 1, FLIP_MOST_PARTICLES, &value);
        o->particles = (uint32_t)value;
    } else if (strcmp(name, "--steps") == 0) {
        good = whole(text, 1, 1e9, &value);
        o->steps = (uint64_t)value;
    } else if (strcmp(name, "--every") == 0) {
        good = whole(text, 1, 1e9, &value);
        o->every = (uint32_t)value;
    } else if (strcmp(name, "--width") == 0) {
        good = whole(text, 64, 4096, &value);
        o->width = (uint32_t)value;
    } else if (strcmp(name, "--seconds") == 0) {
        good = number(text, 1e-6, 1e6, &o->seconds);
    } else if (strcmp(name, "--tolerance") == 0) {
        good = number(text, 1e-7, 0.5, &o->tolerance);
    } else {
        *known = false;
    }
    return good;
}

static bool take_text(flip_options *o, const char *name, const char *text)
{
    const struct {
        const char *name;
        const char **to;
    } texts[] = {{"--png", &o->pictures},      {"--animation", &o->animation},
                 {"--snapshot", &o->snapshot}, {"--restart", &o->restart},
                 {"--csv", &o->csv},           {"--device", &o->device}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i)
        if (strcmp(name, texts[i].name) == 0) {
            *texts[i].to = text;
            return true;
        }
    if (strcmp(name, "--pcg") == 0) {
        o->preconditioner = strcmp(text, "ssor") == 0 ? FLIP_SSOR : FLIP_PLAIN;
        return strcmp(text, "ssor") == 0 || strcmp(text, "plain") == 0;
    }
    o->cube = strcmp(text, "cube") == 0;
    return strcmp(name, "--scene") == 0 && (o->cube || strcmp(text, "dam") == 0);
}

static bool complain(const char *program, const char *what)
{
    fprintf(stderr, "%s: %s\n", program, what);
    fprintf(stderr, usage, program);
    return false;
}

bool flip_options_parse(int argc, char **argv, flip_options *o)
{
    const flip_options defaults = {
        .grid = 64, .preconditioner = FLIP_SSOR, .every = 4, .width = 640, .tolerance = 1e-4};
    *o = defaults;
    for (int i = 1; i < argc; ++i) {
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        bool known = false;
        if (strcmp(argv[i], "--help") == 0) {
            o->help = true;
            printf(usage, argv[0]);
            return true;
        }
        if (strcmp(argv[i], "--quiet") == 0) {
            o->quiet = true;
            continue;
        }
        if (!next ||
            (!take_number(o, argv[i], next, &known) && (known || !take_text(o, argv[i], next))))
            return complain(argv[0], argv[i]);
        ++i;
    }
    if (o->animation && (!o->pictures || o->steps == 0))
        return complain(argv[0], "--animation needs --png and --steps");
    if (o->steps == 0 && !(o->seconds > 0))
        o->steps = 100;
    if (o->particles == 0)
        o->particles = (uint32_t)fmin((double)o->grid * o->grid * o->grid, FLIP_MOST_PARTICLES);
    return true;
}
