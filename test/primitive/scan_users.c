/* SPDX-License-Identifier: MIT
 * Jobs of types and operators of users. */
#include "scan_users.h"

#include "cases.h"

void user_job_make(job *j, const char *what, users_type which, xl_scan_kind kind, bool with_init)
{
    const element *const e = scalar_number(which);
    const void *const init = with_init || !e->user_op->identity ? e->init : NULL;
    job_make(j, what, e->type, XL_USER_OP, kind, init);
    j->desc.user_op = e->user_op;
    j->desc.user_type = e->user_type;
    j->fill = e->make;
    j->in_type = j->out_type = XL_NONE;
    j->ref = (ref_flat){.lanes = 1,
                        .bytes = e->bytes,
                        .in_bytes = e->bytes,
                        .out_bytes = e->bytes,
                        .op = e->op,
                        .identity = e->user_op->identity,
                        .init = init,
                        .inclusive = kind == XL_INCLUSIVE};
}
