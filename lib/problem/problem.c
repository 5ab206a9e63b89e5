/* SPDX-License-Identifier: MIT
 * What follows from a problem alone, for shapes of every primitive. */
#include "problem.h"

bool xli_problem_is_ordered(const xli_problem *problem)
{
    return problem->rounds && problem->determinism != XL_UNORDERED;
}

bool xli_problem_is_reproducible(const xli_problem *problem)
{
    return problem->rounds && problem->determinism == XL_REPRODUCIBLE;
}

size_t xli_problem_carry(const xli_problem *problem)
{
    if (!problem->carries)
        return 0;
    return problem->has_identity || problem->has_init ? 1 : 2;
}

uint32_t xli_problem_vector(const xli_problem *problem, size_t bytes)
{
    const bool scalars = xli_element_is_scalar(&problem->element) &&
                         xli_element_is_scalar(&problem->in) &&
                         xli_element_is_scalar(&problem->out);
    return scalars ? (uint32_t)(16 / xli_max(bytes, 1)) : 1;
}

bool xli_problem_goes_by_vectors(const xli_problem *problem)
{
    return problem->state == XLI_ACCUMULATOR_PLAIN && xli_element_is_scalar(&problem->element) &&
           problem->op < XL_ARG_MIN && !problem->loads && !problem->stores;
}
