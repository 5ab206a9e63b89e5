/* SPDX-License-Identifier: MIT
 * Shared by the two programs of a selection from a whole array (cl/top_k/top_k.cl,
 * cl/top_k/top_k_sample.cl): the functions of a work-group or of a work-item that loops, and the
 * state before a pass. */
#ifndef XL_TOP_K_PASS
#define XL_TOP_K_PASS

/* Both shapes need it. Embedding takes each file once, so that it cannot be inside the
 * condition. */
#include "top_k_length.cl"
#include "top_k_state.cl"

#if XL_TOP_K_SHAPE == 0
#include "top_k_group.cl"
#else
#include "top_k_serial.cl"
#endif

#define XL_TOP_K_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))

/* The state before pass `pass`: that of the pass before and the digit which that pass counted. The
 * group of chunk 0 stores it for later kernels. */
xl_top_k_state xl_top_k_state_find(const xl_top_k *t, uint pass, uint c XL_TOP_K_LOCAL_PARAMETER)
{
    xl_top_k_state s = xl_top_k_state_read(t->states + (pass > 0 ? pass - 1 : 0) XL_TOP_K_LOCAL);
    if (pass > 0 && !xl_top_k_is_found(&s))
        xl_top_k_find_digit(t->counts + (pass - 1) * XL_DIGITS, &s XL_TOP_K_LOCAL);
    if (pass > 0 && c == 0 && get_local_id(0) == 0)
        t->states[pass] = s;
    return s;
}

#endif
