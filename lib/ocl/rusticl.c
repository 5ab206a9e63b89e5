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

/* The compiler of Mesa 22.3 (LLVM 15, November 2026) ends the process where a work-item stores
 * one byte in a branch inside the textbook scans' and the serial scans' loops: carry_out. */
bool xli_rusticl_dies_of_byte_carries(const xli_capabilities *capabilities)
{
    return strcmp(capabilities->info.platform, "rusticl") == 0 &&
           strncmp(capabilities->info.driver, "22.", 3) == 0;
}
