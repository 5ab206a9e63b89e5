/* SPDX-License-Identifier: MIT
 * Arrays of values that follow keys or elements, in the case runner: of several sizes, up
 * to four of them. */
#include "cases.h"

#include <crosslane/select.h>
#include <crosslane/sort.h>
#include <string.h>

static const uint32_t types[] = {XL_U32,       XL_U8,    XL_U16,       XL_U64,
                                 XL_BYTES(12), XL_U32X4, XL_BYTES(100)};
static const uint8_t sizes[] = {4, 1, 2, 8, 12, 16, 100};
static const uint32_t more_types[] = {XL_U64, XL_U16, XL_BYTES(12)};
static const uint8_t more_sizes[] = {8, 2, 12};

const char *const values_in_name[MOST_VALUES] = {"values_in", "more values_in 0",
                                                 "more values_in 1", "more values_in 2"},
                  *const values_out_name[MOST_VALUES] = {"values_out", "more values_out 0",
                                                         "more values_out 1", "more values_out 2"};

size_t count_values(const fuzz_case *c)
{
    return c->of[VALUES] ? 1 + (size_t)c->of[MORE] : 0;
}

static uint32_t value_type(const fuzz_case *c, size_t k)
{
    if (k >= count_values(c))
        return XL_NONE;
    if (k > 0)
        return more_types[k - 1];
    return c->of[VALUES] == VALUES_INDICES ? XL_SORT_INDICES : types[c->of[VALUE_BYTES]];
}

void describe_values(const fuzz_case *c, uint32_t *value, uint32_t more_values[XL_MORE_VALUES])
{
    *value = value_type(c, 0);
    for (size_t k = 0; k < XL_MORE_VALUES; ++k)
        more_values[k] = value_type(c, k + 1);
}

size_t value_size(const fuzz_case *c, size_t k)
{
    return k > 0 ? more_sizes[k - 1] : sizes[c->of[VALUE_BYTES]];
}

unsigned char *make_value_array(const fuzz_case *c, size_t k, size_t n)
{
    const size_t bytes = n * value_size(c, k);
    xlt_random random = random_of(c->of[SEED], 20 + k);
    unsigned char *values = make_bytes(n, value_size(c, k));
    for (size_t i = 0; i < bytes; i += 8) {
        const uint64_t x = xlt_next(&random);
        memcpy(values + i, &x, bytes - i < 8 ? bytes - i : 8);
    }
    return values;
}

value_arrays make_value_arrays(const fuzz_case *c, size_t n)
{
    value_arrays values = {{0}};
    for (size_t k = 0; k < count_values(c); ++k)
        values.of[k] = make_value_array(c, k, n);
    return values;
}

unsigned char *make_untouched(size_t n, size_t size)
{
    unsigned char *bytes = make_bytes(n, size);
    memset(bytes, UNTOUCHED, n * size);
    return bytes;
}

void gather_elements(unsigned char *to, const void *from, size_t size, const size_t *places,
                     size_t n)
{
    for (size_t i = 0; i < n; ++i)
        memcpy(to + i * size, (const unsigned char *)from + places[i] * size, size);
}
