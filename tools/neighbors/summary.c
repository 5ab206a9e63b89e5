/* SPDX-License-Identifier: MIT
 * Smallest, mean and largest of an array. */
#include "point_search.h"

#include <math.h>

summary summary_of_counts(const uint32_t *counts, size_t n)
{
    summary s = {n ? counts[0] : 0, 0, 0};
    double sum = 0;
    for (size_t i = 0; i < n; ++i) {
        s.min = counts[i] < s.min ? counts[i] : s.min;
        s.max = counts[i] > s.max ? counts[i] : s.max;
        sum += counts[i];
    }
    s.mean = n ? sum / (double)n : 0;
    return s;
}

static summary summary_of(const float *narrow, const double *wide, size_t n)
{
    summary s = {INFINITY, 0, -INFINITY};
    size_t non_finite = 0;
    double sum = 0;
    for (size_t i = 0; i < n; ++i) {
        const double v = wide ? wide[i] : (double)narrow[i];
        if (!isfinite(v)) {
            ++non_finite;
            continue;
        }
        s.min = fmin(s.min, v);
        s.max = fmax(s.max, v);
        sum += v;
    }
    size_t counted = n - non_finite;
    s.mean = counted ? sum / (double)counted : 0;
    if (!counted)
        s.min = s.max = 0;
    return s;
}

summary summary_of_floats(const float *values, size_t n)
{
    return summary_of(values, NULL, n);
}

summary summary_of_doubles(const double *values, size_t n)
{
    return summary_of(NULL, values, n);
}
