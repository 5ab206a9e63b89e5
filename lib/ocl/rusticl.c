/* SPDX-License-Identifier: MIT
 * What is different on rusticl. */
#include "private.h"

#include <string.h>

/* rusticl of Mesa 22.3 (November 2026): a clFinish() behind a clFlush() returns before the work
 * is done, and a queue that waits for an event of another waits forever if that was not
 * flushed. */
bool xli_rusticl_waits_badly(const xli_capabilities *capabilities)
{
    return strcmp(capabilities->info.platform, "rusticl") == 0;
}

/* llvmpipe of Mesa 22.3 (November 2026) ends the loops of a work-item after 65,535 rounds, without
 * an error. A loop of n rounds takes n + 1 of them, in whatever loop it stands; every loop behind
 * goes one round. The work-items of a vector of eight share them: what counts for each loop is the
 * one of them that goes most rounds. Mesa 26.2 does not do this. */
bool xli_rusticl_may_end_loops(const xli_capabilities *capabilities)
{
    return strcmp(capabilities->info.platform, "rusticl") == 0;
}

/* The compiler of Mesa 22.3 (LLVM 15, November 2026) ends the process where a work-item stores
 * one byte in a branch inside the textbook scans' and the serial scans' loops: carry_out. */
bool xli_rusticl_dies_of_byte_carries(const xli_capabilities *capabilities)
{
    return strcmp(capabilities->info.platform, "rusticl") == 0 &&
           strncmp(capabilities->info.driver, "22.", 3) == 0;
}

/* llvmpipe of Mesa 26.2 (LLVM 22, November 2026) reads what stands in a branch that no work-item
 * takes, where the address is one for all of them, and the process ends where that is in no memory:
 * `p ? p[0] : n` with a buffer argument of NULL, volatile or not. No probe can look for that. */
bool xli_rusticl_reads_null(const xli_capabilities *capabilities)
{
    return strcmp(capabilities->info.platform, "rusticl") == 0 &&
           strncmp(capabilities->info.name, "llvmpipe", 8) == 0 &&
           strncmp(capabilities->info.driver, "26.", 3) == 0;
}
