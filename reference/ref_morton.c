/* SPDX-License-Identifier: MIT
 * Morton codes, bit by bit. */
#include "reference.h"

#include <math.h>

uint64_t ref_morton(size_t dimensions, size_t bits, const uint32_t *numbers)
{
    uint64_t code = 0;
    for (size_t b = 0; b < bits; ++b)
        for (size_t a = 0; a < dimensions; ++a)
            code |= (uint64_t)(numbers[a] >> b & 1) << (b * dimensions + a);
    return code;
}

uint64_t ref_morton_of(size_t dimensions, size_t bits, bool wide, const float *lower,
                       const float *edges, const float *point)
{
    double edge = 1;
    float longest = 0;
    uint32_t numbers[3];
    for (size_t a = 0; a < dimensions; ++a)
        longest = fmaxf(longest, edges[a]);
    while (edge < (double)longest)
        edge *= 2;
    while (edge / 2 >= (double)longest && edge > 0x1p-90) /* of a box that is a point, any */
        edge /= 2;
    for (size_t a = 0; a < dimensions; ++a) {
        const double cells = ldexp(1, (int)bits);
        const double number = (double)(point[a] - lower[a]) * (cells / edge);
        if (isnan(point[a]))
            return wide ? UINT64_MAX : UINT32_MAX;
        numbers[a] = (uint32_t)fmin(fmax(floor(number), 0), cells - 1);
    }
    return ref_morton(dimensions, bits, numbers);
}
