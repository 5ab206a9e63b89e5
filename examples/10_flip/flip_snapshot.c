/* SPDX-License-Identifier: MIT
 * Snapshots: a head of text and the particles as they lie in memory, so that a run that goes on
 * from one gives the same bytes as one that was never interrupted. For machines of one byte
 * order. */
#include "flip.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct head {
    char magic[16];
    uint32_t order; /* 1, as this machine writes it */
    uint32_t head_bytes;
    uint64_t steps;
    double time;
    flip_settings settings;
} head;

static const char magic[] = "crosslane flip 1";

static bool complain(char *error, size_t bytes, const char *path, const char *what)
{
    snprintf(error, bytes, "%s: %s", path, what);
    return false;
}

bool flip_snapshot_write(const char *path, const flip_snapshot *from, char *error, size_t bytes)
{
    const size_t count = 4 * (size_t)from->settings.particles;
    head h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof h.magic);
    h.order = 1;
    h.head_bytes = (uint32_t)sizeof h;
    h.steps = from->steps;
    h.time = from->time;
    h.settings = from->settings;
    const size_t room = strlen(path) + sizeof ".part";
    char *partial = (char *)malloc(room);
    if (!partial)
        return complain(error, bytes, path, "no memory");
    snprintf(partial, room, "%s.part", path);
    FILE *stream = fopen(partial, "wb");
    bool good = stream && fwrite(&h, sizeof h, 1, stream) == 1 &&
                fwrite(from->positions, sizeof(float), count, stream) == count &&
                fwrite(from->velocities, sizeof(float), count, stream) == count;
    if (stream && fclose(stream) != 0)
        good = false;
    if (good)
        remove(path); /* rename() of some systems does not replace */
    good = good && rename(partial, path) == 0;
    if (!good) {
        complain(error, bytes, path, strerror(errno));
        remove(partial);
    }
    free(partial);
    return good;
}

static bool settings_are_sound(const flip_settings *s)
{
    const cl_int sides[3] = {s->size.nx, s->size.ny, s->size.nz};
    for (size_t axis = 0; axis < 3; ++axis)
        if (sides[axis] < 2 || sides[axis] > FLIP_MOST_CELLS)
            return false;
    return s->particles > 0 && s->particles <= FLIP_MOST_PARTICLES &&
           s->preconditioner <= FLIP_SSOR && s->gravity >= 0 && s->longest_step > 0 && s->cfl > 0 &&
           s->tolerance > 0 && s->omega > 0 && s->omega < 2;
}

bool flip_snapshot_read(const char *path, flip_snapshot *to, char *error, size_t bytes)
{
    static const flip_snapshot none = {.steps = 0};
    head h;
    const char *wrong = NULL;
    *to = none;
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return complain(error, bytes, path, strerror(errno));
    if (fread(&h, sizeof h, 1, stream) != 1 || memcmp(h.magic, magic, sizeof h.magic) != 0)
        wrong = "is no snapshot of this program";
    else if (h.order != 1 || h.head_bytes != sizeof h || !settings_are_sound(&h.settings))
        wrong = "is a snapshot of another machine, or damaged";
    if (!wrong) {
        const size_t count = 4 * (size_t)h.settings.particles;
        to->settings = h.settings;
        to->time = h.time;
        to->steps = h.steps;
        to->positions = (float *)malloc(count * sizeof(float));
        to->velocities = (float *)malloc(count * sizeof(float));
        if (!to->positions || !to->velocities)
            wrong = "no memory for its particles";
        else if (fread(to->positions, sizeof(float), count, stream) != count ||
                 fread(to->velocities, sizeof(float), count, stream) != count ||
                 fgetc(stream) != EOF)
            wrong = "does not have as many particles as it says";
    }
    fclose(stream);
    if (!wrong)
        return true;
    free(to->positions);
    free(to->velocities);
    *to = none;
    return complain(error, bytes, path, wrong);
}
