/* SPDX-License-Identifier: MIT
 * Radii of queries and of pairs, of the case runner. */
#include "cases.h"

#include <crosslane/neighbors.h>
#include <math.h>

/* Some are above the largest one, some are not above 0, and some are no number. */
static void *radii_of(const scene *s, size_t n, bool numbers, xlt_random *random)
{
    void *const radii = make_bytes(n, s->bytes);
    for (size_t i = 0; i < n; ++i) {
        const double own = s->radius * (1.4 * (double)xlt_unit(random) - 0.1);
        set_scalar(s, radii, i, numbers || i % 16 != 7 ? own : (double)NAN);
    }
    return radii;
}

uint32_t types_of(const fuzz_case *c)
{
    static const uint32_t numbers[][2] = {{3, 2}, {5, 1}, {256, 17}};
    return numbers[c->of[RADIUS]][c->of[UNSORTED] != 0];
}

/* Some do not exist. */
static uint32_t *make_types(const fuzz_case *c, size_t n, xlt_random *random)
{
    const uint32_t last = types_of(c);
    uint32_t *const types = make_bytes(n, sizeof *types);
    for (size_t i = 0; i < n; ++i) {
        types[i] =
            xlt_below(random, 10) > 0 ? xlt_below(random, last) : last + xlt_below(random, 2);
        if (i % 64 == 63)
            types[i] = UINT32_MAX;
    }
    return types;
}

void make_radii(const fuzz_case *c, scene *s, xlt_random *random)
{
    const bool points_too = c->of[AROUND] != 0;
    const uint64_t radii = c->of[RADII];
    if (radii == XL_RADII_QUERY || radii == XL_RADII_LARGER)
        s->radii = radii_of(s, s->rows, radii == XL_RADII_QUERY, random);
    if (radii == XL_RADII_LARGER && points_too)
        s->point_radii = radii_of(s, s->n, false, random);
    if (radii == XL_RADII_TYPES)
        s->types = make_types(c, s->rows, random);
    if (radii == XL_RADII_TYPES && points_too)
        s->point_types = make_types(c, s->n, random);
}

/* Half of the pairs need a symmetric table; the others have none. The pairs of the first and the
 * last type have the largest radius. */
double *make_pair_radii(const fuzz_case *c)
{
    static const double parts[] = {0.3, 0.9, 0, 0.55, 1, -1, 0.75};
    const size_t n = types_of(c);
    double *const table = make_bytes(n * n, sizeof *table);
    for (size_t a = 0; a < n; ++a)
        for (size_t b = 0; b < n; ++b) {
            const size_t low = c->of[HALF] && b < a ? b : a, high = low == a ? b : a;
            table[a * n + b] = scene_radius(c) * parts[(low * 5 + high * 3) % 7];
        }
    table[n - 1] = table[(n - 1) * n] = scene_radius(c);
    return table;
}

void add_radii(const scene *s, size_t at, call_array *arrays)
{
    arrays[QUERY_RADII] =
        input_array(s->radii ? "radii" : NULL, s->radii, s->rows, s->bytes, at / 4);
    arrays[POINT_RADII] =
        input_array(s->point_radii ? "point_radii" : NULL, s->point_radii, s->n, s->bytes, at / 6);
    arrays[QUERY_TYPES] = input_array(s->types ? "types" : NULL, s->types, s->rows, 4, at / 4);
    arrays[POINT_TYPES] =
        input_array(s->point_types ? "point_types" : NULL, s->point_types, s->n, 4, at / 6);
}
