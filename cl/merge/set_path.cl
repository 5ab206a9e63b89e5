/* SPDX-License-Identifier: MIT
 * The path of a set operation through two sorted arrays. The serial algorithm compares the next
 * element of both, passes the smaller one alone, and passes two equal ones together, as a pair. So
 * element r of a run of equal keys is paired with element r of the same run in the other array, and
 * the remaining elements of the longer run are passed alone. Each part of the path can be walked on
 * its own once its first state is known (Green et al., "GPU merge path", ICS 2012; Baxter,
 * "Modern GPU", 2013, where it is the balanced path). */
#ifndef XL_MERGE_SET_PATH
#define XL_MERGE_SET_PATH

#include "../prelude/prelude_key.cl"

/* A state: the elements of each array that have been passed. */
typedef struct xl_set_cut {
    uint first, second;
} xl_set_cut;

/* The state after `passed` elements of a run of equal keys that begins at (first, second). The run
 * has `in_first` and `in_second` elements in the arrays; a number above half of `passed` may be any
 * number above it. A pair is passed only if both of its elements may be passed. */
xl_set_cut xl_set_balance(uint first, uint second, uint passed, uint in_first, uint in_second)
{
    const uint pairs = min(passed / 2u, min(in_first, in_second)), alone = passed - 2u * pairs;
    xl_set_cut cut;
    cut.first = first + pairs + (in_second > pairs ? 0 : alone);
    cut.second = second + pairs + (in_first > pairs ? 0 : alone);
    return cut;
}

/* Defines, for arrays in one address space, whose elements ORDINAL() maps to ordinals:
 *   NAME_bound  the first of the elements [low, high) that is not before x, or, `after`, that is
 *               after x
 *   NAME        the state after d elements, or after d - 1 if the last one begins a pair
 * If an array is not sorted, the result is some state that lies within both arrays. */
#define XL_SET_PATH(NAME, ELEMENT, ORDINAL)                                                        \
    uint NAME##_bound(const ELEMENT *keys, uint low, uint high, XL_ORDINAL x, bool after)          \
    {                                                                                              \
        while (low < high) {                                                                       \
            const uint middle = low + (high - low) / 2u;                                           \
            const XL_ORDINAL key = ORDINAL(keys[middle]);                                          \
            if (key < x || (after && key == x))                                                    \
                low = middle + 1u;                                                                 \
            else                                                                                   \
                high = middle;                                                                     \
        }                                                                                          \
        return low;                                                                                \
    }                                                                                              \
    /* Where the run of x begins that ends before element i. */                                    \
    uint NAME##_run(const ELEMENT *keys, uint i, XL_ORDINAL x)                                     \
    {                                                                                              \
        return i == 0 || ORDINAL(keys[i - 1u]) != x ? i : NAME##_bound(keys, 0, i, x, false);      \
    }                                                                                              \
    xl_set_cut NAME(const ELEMENT *first, uint in_first, const ELEMENT *second, uint in_second,    \
                    uint d)                                                                        \
    {                                                                                              \
        uint i = (uint)max((long)d - (long)in_second, 0L), high = min(d, in_first);                \
        while (i < high) {                                                                         \
            const uint middle = i + (high - i) / 2u;                                               \
            if (ORDINAL(first[middle]) <= ORDINAL(second[d - 1u - middle]))                        \
                i = middle + 1u;                                                                   \
            else                                                                                   \
                high = middle;                                                                     \
        }                                                                                          \
        const uint j = d - i;                                                                      \
        const bool from_first = i < in_first;                                                      \
        if (!from_first && j >= in_second)                                                         \
            return xl_set_balance(i, j, 0, 0, 0);                                                  \
        XL_ORDINAL x = ORDINAL(*(from_first ? first + i : second + j));                            \
        if (from_first && j < in_second)                                                           \
            x = min(x, (XL_ORDINAL)ORDINAL(second[j]));                                            \
        const uint first_run = NAME##_run(first, i, x), second_run = NAME##_run(second, j, x);     \
        const uint passed = (i - first_run) + (j - second_run), half_passed = passed / 2u;         \
        const uint end = second_run + min(half_passed + 1u, in_second - second_run);               \
        return xl_set_balance(first_run, second_run, passed, i - first_run,                        \
                              NAME##_bound(second, j, max(j, end), x, true) - second_run);         \
    }

#endif
