/* SPDX-License-Identifier: MIT
 * Single elements of any type, from text and as text. */
#include "reference.h"
#include "tool.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const determinism_names[] = {[XL_DETERMINISTIC] = "deterministic",
                                         [XL_UNORDERED] = "unordered",
                                         [XL_REPRODUCIBLE] = "reproducible",
                                         NULL};

static bool parse_signed(const char *text, size_t bytes, int64_t *value)
{
    const int64_t high = INT64_MAX >> (64 - 8 * bytes);
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return end != text && !*end && !errno && *value <= high && *value >= -high - 1;
}

uint64_t element_bits(const void *from, size_t bytes)
{
    uint8_t one = 0;
    uint16_t two = 0;
    uint32_t four = 0;
    uint64_t eight = 0;
    memcpy(bytes == 1   ? (void *)&one
           : bytes == 2 ? (void *)&two
           : bytes == 4 ? (void *)&four
                        : (void *)&eight,
           from, bytes);
    return one | two | four | eight;
}

void element_put(uint64_t bits, size_t bytes, void *to)
{
    const uint8_t one = (uint8_t)bits;
    const uint16_t two = (uint16_t)bits;
    const uint32_t four = (uint32_t)bits;
    memcpy(to,
           bytes == 1   ? (const void *)&one
           : bytes == 2 ? (const void *)&two
           : bytes == 4 ? (const void *)&four
                        : (const void *)&bits,
           bytes);
}

/* "inf" is accepted; a finite number that would become infinite is not. */
static bool parse_real(const char *text, size_t bytes, void *out)
{
    char *end;
    errno = 0;
    const double wide = strtod(text, &end);
    const bool past_wide = isinf(wide) && errno == ERANGE;
    const float narrow = strtof(text, NULL); /* rounded once */
    const uint16_t half = ref_half_of(wide);
    const bool infinite = bytes == 2   ? (half & 0x7fff) == 0x7c00
                          : bytes == 4 ? isinf(narrow)
                                       : isinf(wide);
    memcpy(out,
           bytes == 2   ? (const void *)&half
           : bytes == 4 ? (const void *)&narrow
                        : (const void *)&wide,
           bytes);
    return end != text && !*end && !past_wide && (isinf(wide) || !infinite);
}

bool element_parse(const char *text, xl_type type, void *out)
{
    const size_t bytes = xl_type_size(type);
    uint64_t whole = 0;
    int64_t number = 0;
    if (type >= XL_F16)
        return parse_real(text, bytes, out);
    const bool is_signed = type == XL_I8 || type == XL_I16 || type == XL_I32 || type == XL_I64;
    const bool good = is_signed
                          ? parse_signed(text, bytes, &number)
                          : count_parse(text, &whole) && whole <= UINT64_MAX >> (64 - 8 * bytes);
    element_put(is_signed ? (uint64_t)number : whole, bytes, out);
    return good;
}

/* A NaN has its bits added, because they decide its place in an order. */
static void put_real_text(uint64_t bits, const void *from, size_t bytes, char *text)
{
    double wide = bytes == 2 ? ref_half_value((uint16_t)bits) : 0;
    float narrow = 0;
    if (bytes == sizeof narrow) {
        memcpy(&narrow, from, sizeof narrow);
        wide = (double)narrow;
    } else if (bytes == sizeof wide) {
        memcpy(&wide, from, sizeof wide);
    }
    if (isnan(wide))
        snprintf(text, ELEMENT_TEXT_BYTES, "NaN (bits 0x%0*" PRIx64 ")", (int)(2 * bytes), bits);
    else
        snprintf(text, ELEMENT_TEXT_BYTES, "%.*g", bytes == sizeof wide ? 17 : 9, wide);
}

const char *element_text(const xli_npy *array, size_t i, char text[ELEMENT_TEXT_BYTES])
{
    const size_t bytes = array->item_bytes;
    const unsigned unused = 64 - 8 * (unsigned)bytes;
    const void *from = (const char *)array->data + i * bytes;
    const uint64_t bits = element_bits(from, bytes);
    if (array->kind == 'f')
        put_real_text(bits, from, bytes, text);
    else if (array->kind == 'i')
        snprintf(text, ELEMENT_TEXT_BYTES, "%" PRId64, (int64_t)(bits << unused) >> unused);
    else
        snprintf(text, ELEMENT_TEXT_BYTES, "%" PRIu64, bits);
    return text;
}

bool count_parse(const char *text, uint64_t *value)
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
