/* SPDX-License-Identifier: MIT
 * Codes of keys on the host: the same numbers as by cl/include/keys.cl on devices. */
#include "element.h"
#include <crosslane/sort.h>
#include <string.h>

/* The bits of the keys of one type. */
typedef struct key_bits {
    size_t bytes;
    unsigned kind;          /* XLI_KIND_... */
    uint64_t sign, ones;    /* the highest bit; all bits */
    uint64_t negative_nans; /* the number of negative NaN */
} key_bits;

static xl_status read_type(uint32_t type, const void *key, key_bits *bits)
{
    const uint64_t nans[] = {[2] = 0x3ff, [4] = 0x7fffff, [8] = 0xfffffffffffff};
    if (!key)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "key: NULL");
    if (type < XL_I8 || type > XL_F64)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "type: %u; must be a built-in scalar",
                        type);
    const size_t bytes = xl_type_size((xl_type)type);
    const unsigned kind = xli_lane_kind((xl_type)type);
    *bits = (key_bits){.bytes = bytes,
                       .kind = kind,
                       .sign = UINT64_C(1) << (8 * bytes - 1),
                       .ones = UINT64_MAX >> (64 - 8 * bytes),
                       .negative_nans = kind == XLI_KIND_FLOAT ? nans[bytes] : 0};
    return XL_SUCCESS;
}

static uint64_t load(const void *key, size_t bytes)
{
    uint8_t x1 = 0;
    uint16_t x2 = 0;
    uint32_t x4 = 0;
    uint64_t x8 = 0;
    memcpy(bytes == 1   ? &x1
           : bytes == 2 ? (void *)&x2
           : bytes == 4 ? (void *)&x4
                        : &x8,
           key, bytes);
    return x1 | x2 | x4 | x8;
}

static void store(uint64_t x, size_t bytes, void *key)
{
    const uint8_t x1 = (uint8_t)x;
    const uint16_t x2 = (uint16_t)x;
    const uint32_t x4 = (uint32_t)x;
    memcpy(key,
           bytes == 1   ? &x1
           : bytes == 2 ? (const void *)&x2
           : bytes == 4 ? (const void *)&x4
                        : &x,
           bytes);
}

xl_status xl_key_to_code(uint32_t type, const void *key, uint64_t *code)
{
    key_bits bits = {0};
    xl_status status = read_type(type, key, &bits);
    if (status == XL_SUCCESS && !code)
        status = xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "code: NULL");
    if (status != XL_SUCCESS)
        return status;
    uint64_t x = load(key, bits.bytes);
    if (bits.kind == XLI_KIND_FLOAT)
        x = ((x ^ (x & bits.sign ? bits.ones : bits.sign)) - bits.negative_nans) & bits.ones;
    else if (bits.kind == XLI_KIND_SIGNED)
        x ^= bits.sign;
    *code = x;
    return XL_SUCCESS;
}

xl_status xl_code_to_key(uint32_t type, uint64_t code, void *key)
{
    key_bits bits = {0};
    const xl_status status = read_type(type, key, &bits);
    if (status != XL_SUCCESS)
        return status;
    uint64_t x = code & bits.ones;
    if (bits.kind == XLI_KIND_FLOAT) {
        x = (x + bits.negative_nans) & bits.ones;
        x ^= x & bits.sign ? bits.sign : bits.ones;
    } else if (bits.kind == XLI_KIND_SIGNED)
        x ^= bits.sign;
    store(x, bits.bytes, key);
    return XL_SUCCESS;
}
