/* SPDX-License-Identifier: MIT
 * Workarounds for Oclgrind. */
#include "private.h"

#include <string.h>

static bool is_oclgrind(const char *platform)
{
    return strcmp(platform, "Oclgrind") == 0;
}

/* Oclgrind 21.10 (November 2026) simulates optimised code, some of which is wrong: exclusive scans
 * of bytes by flags give wrong sums, and segmented scans with a start value do not build. */
bool xli_oclgrind_must_not_optimise(const char *platform)
{
    return is_oclgrind(platform);
}

/* clFlush() is clFinish() there, so it never returns if a command waits for a user event that the
 * caller has not completed yet. */
bool xli_oclgrind_flush_blocks(const char *platform)
{
    return is_oclgrind(platform);
}
