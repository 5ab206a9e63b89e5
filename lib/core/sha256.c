/* SPDX-License-Identifier: MIT
 * SHA-256 (FIPS 180-4): names for cached programs. */
#include "core.h"

#include <stdio.h>
#include <string.h>

static const uint32_t round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate_right(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Section 6.2.2: the message schedule, then 64 rounds. */
static void compress(uint32_t state[8], const uint8_t block[64])
{
    uint32_t w[64];
    for (int t = 0; t < 16; ++t)
        w[t] = big_endian(block + 4 * t);
    for (int t = 16; t < 64; ++t) {
        uint32_t x = w[t - 15], y = w[t - 2];
        uint32_t s0 = rotate_right(x, 7) ^ rotate_right(x, 18) ^ x >> 3;
        uint32_t s1 = rotate_right(y, 17) ^ rotate_right(y, 19) ^ y >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    uint32_t v[8]; /* a b c d e f g h of the standard */
    memcpy(v, state, sizeof v);
    for (int t = 0; t < 64; ++t) {
        uint32_t a = v[0], e = v[4];
        uint32_t s1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
        uint32_t choice = (e & v[5]) ^ (~e & v[6]);
        uint32_t t1 = v[7] + s1 + choice + round_constant[t] + w[t];
        uint32_t s0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
        uint32_t majority = (a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += t1;
        v[0] = t1 + s0 + majority;
    }
    for (int i = 0; i < 8; ++i)
        state[i] += v[i];
}

void xli_sha256_init(xli_sha256 *hash)
{
    *hash = (xli_sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                   0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void xli_sha256_add(xli_sha256 *hash, const void *bytes, size_t length)
{
    const uint8_t *at = bytes;
    while (length > 0) {
        size_t used = hash->length % 64;
        size_t take = xli_min(64 - used, length);
        memcpy(hash->block + used, at, take);
        hash->length += take;
        at += take;
        length -= take;
        if (hash->length % 64 == 0)
            compress(hash->state, hash->block);
    }
}

void xli_sha256_add_text(xli_sha256 *hash, const char *text)
{
    xli_sha256_add(hash, text, strlen(text) + 1);
}

void xli_sha256_hex(xli_sha256 *hash, char hex[65])
{
    static const uint8_t padding[64] = {0x80};
    uint64_t bits = hash->length * 8;
    size_t used = hash->length % 64;
    xli_sha256_add(hash, padding, used < 56 ? 56 - used : 120 - used);
    uint8_t tail[8];
    for (int i = 0; i < 8; ++i)
        tail[i] = (uint8_t)(bits >> (56 - 8 * i));
    xli_sha256_add(hash, tail, sizeof tail);
    for (int i = 0; i < 8; ++i)
        snprintf(hex + 8 * i, 9, "%08x", (unsigned)hash->state[i]);
}
