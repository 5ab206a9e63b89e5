/* SPDX-License-Identifier: MIT
 * Workarounds for Oclgrind. */
#include "private.h"

#include <string.h>

static bool is_oclgrind(const char *platform)
{
    return strcmp(platform, "Oclgrind") == 0;
}

/* Oclgrind 21.10 (November 2026) simulates what its optimiser leaves, and gets some of that
 * wrong: exclusive scans of bytes by flags give wrong sums, and segmented scans with a start
 * value do not build. */
const char *xli_oclgrind_options(const xli_capabilities *capabilities)
{
    return is_oclgrind(capabilities->info.platform) ? " -cl-opt-disable" : "";
}

/* There, a clFlush() is a clFinish(): behind a user's event that its caller has yet to complete
 * it never returns. */
bool xli_oclgrind_flushes_badly(const char *platform)
{
    return is_oclgrind(platform);
}
