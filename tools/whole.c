/* SPDX-License-Identifier: MIT
 * Whole numbers from text. */
#include "tool.h"

#include <errno.h>
#include <stdlib.h>

bool whole_parse(const char *text, uint64_t *value)
{
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    const char first = digits[0];
    char *end;
    errno = 0;
    *value = strtoull(digits, &end, hex ? 16 : 10);
    return first != '-' && first != '+' && first != ' ' && first != '\t' && end != digits &&
           !*end && !errno;
}
