/* SPDX-License-Identifier: MIT
 * What is different on rusticl. */
#include "private.h"

#include <string.h>

/* rusticl of Mesa 22.3 (November 2026): a clFinish() behind a clFlush() returns before the work
 * is done, and a queue that waits for an event of another waits forever if that was not
 * flushed. */
bool xli_rusticl_waits_badly(const xli_facts *facts)
{
    return strcmp(facts->info.platform, "rusticl") == 0;
}
