/* SPDX-License-Identifier: MIT
 * Serial references of selection, by classes of elements: 0 for elements that are not selected;
 * in a partition in three the class. */
#include "reference.h"

#include <string.h>

/* Appends the places of one class. */
static size_t append(unsigned char class, size_t n, const unsigned char *classes, uint64_t *places,
                     size_t count)
{
    for (size_t i = 0; i < n; ++i)
        if (classes[i] == class)
            places[count++] = i;
    return count;
}

size_t ref_select(unsigned parts, size_t n, const unsigned char *classes, uint64_t *places,
                  uint64_t counts[2])
{
    const unsigned char order[] = {parts == 3 ? 0 : 1, parts == 3 ? 1 : 0, 2};
    size_t count = append(order[0], n, classes, places, 0);
    counts[0] = count;
    for (unsigned part = 1; part < parts; ++part) {
        count = append(order[part], n, classes, places, count);
        if (part == 1)
            counts[1] = count - counts[0];
    }
    return count;
}

/* Equal as C's == has it. */
static bool equal(xl_type type, const unsigned char *a, const unsigned char *b)
{
    float f[2];
    double d[2];
    if (type == XL_F32) {
        memcpy(&f[0], a, sizeof f[0]);
        memcpy(&f[1], b, sizeof f[1]);
        return f[0] == f[1];
    }
    if (type == XL_F64) {
        memcpy(&d[0], a, sizeof d[0]);
        memcpy(&d[1], b, sizeof d[1]);
        return d[0] == d[1];
    }
    return memcmp(a, b, ref_type_size(type)) == 0;
}

void ref_run_heads(xl_type type, size_t n, const void *elements, unsigned char *heads)
{
    const unsigned char *at = elements;
    const size_t size = ref_type_size(type);
    for (size_t i = 0; i < n; ++i)
        heads[i] = i == 0 || !equal(type, at + (i - 1) * size, at + i * size);
}

void ref_run_lengths(size_t n, const unsigned char *heads, uint32_t *lengths)
{
    size_t runs = 0;
    for (size_t i = 0; i < n; ++i) {
        if (heads[i])
            lengths[runs++] = 0;
        ++lengths[runs - 1];
    }
}

uint64_t ref_repeat(size_t n, const uint32_t *lengths, size_t capacity, uint64_t *places)
{
    uint64_t total = 0;
    for (size_t i = 0; i < n; ++i)
        for (uint32_t k = 0; k < lengths[i]; ++k, ++total)
            if (total < capacity)
                places[total] = i;
    return total;
}
