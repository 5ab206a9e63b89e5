/* SPDX-License-Identifier: MIT
 * Shared by the files of tool_oracle. */
#ifndef TOOL_ORACLE_H
#define TOOL_ORACLE_H

#include "npy.h"

void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
xli_npy load(const char *path);
void save(const char *path, const xli_npy *a);
void *memory(size_t bytes); /* zeros */
uint64_t next_random(uint64_t *state);
/* Dies unless the array is one-dimensional, and of that type and length. */
void check_like(const xli_npy *a, char kind, uint32_t bytes, size_t n, const char *name);

/* The commands about points; false: argv names none of them. */
bool oracle_points(int argc, char **argv);

#endif
