/* SPDX-License-Identifier: MIT
 * Points that are moved into a periodic box, and where points are in a cell. */
#include "reference.h"

#include <math.h>

#define WRAP(name, real, fused)                                                                    \
    long name(real x, real lower, real upper, real period, real *moved)                            \
    {                                                                                              \
        long w = (long)floor(((double)x - (double)lower) / (double)period);                        \
        while (fused(-(real)w, period, x) < lower)                                                 \
            --w;                                                                                   \
        while (fused(-(real)(w + 1), period, x) >= lower)                                          \
            ++w;                                                                                   \
        const real at = fused(-(real)w, period, x);                                                \
        *moved = at > upper ? upper : at;                                                          \
        return w;                                                                                  \
    }
WRAP(ref_wrap, float, fmaf)
WRAP(ref_wrap_f64, double, fma)

static double minor_of(const double *a, const double *b, int k)
{
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    return a[i] * b[j] - a[j] * b[i];
}

/* By Cramer's rule. */
void ref_fractions(const double *cell, const double *d, double *fractions)
{
    for (int row = 0; row < 3; ++row) {
        const double *const a = cell + (row + 1) % 3 * 3, *const b = cell + (row + 2) % 3 * 3;
        double along = 0, volume = 0;
        for (int k = 0; k < 3; ++k) {
            along += d[k] * minor_of(a, b, k);
            volume += cell[3 * row + k] * minor_of(a, b, k);
        }
        fractions[row] = along / volume;
    }
}
