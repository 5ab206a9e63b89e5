/* SPDX-License-Identifier: MIT
 * SHA-256 by the examples of FIPS 180-4 (NIST, "Example algorithms" and the secure hash test
 * vectors), and text that cannot grow. */
#include "core.h"
#include "xlt.h"

#include <string.h>

XLT_TEST(a_failure_of_text_sticks)
{
    xli_text text = {0};
    xli_text_add(&text, "before");
    xli_text_add_bytes(&text, "x", SIZE_MAX - 3); /* cannot be had */
    assert_true(text.failed);
    xli_text_add(&text, "after");
    assert_true(text.failed);
    assert_string_equal(text.data, "before");
    xli_text_free(&text);
    assert_false(text.failed);
}

static void hash_is(const char *message, size_t length, const char *wanted)
{
    char hex[65];
    xli_sha256 hash;
    xli_sha256_init(&hash);
    xli_sha256_add(&hash, message, length);
    xli_sha256_hex(&hash, hex);
    assert_string_equal(hex, wanted);
}

XLT_TEST(standard_vectors)
{
    hash_is("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    hash_is("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    hash_is("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    hash_is("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
            "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            112, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    char *many = xli_alloc(1000000);
    assert_non_null(many);
    memset(many, 'a', 1000000);
    hash_is(many, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    xli_free(many);
}

/* Every length over two blocks, fed in every pair of pieces, gives one hash. */
XLT_TEST(pieces_do_not_matter)
{
    char message[130], whole[65], pieces[65];
    for (size_t i = 0; i < sizeof message; ++i)
        message[i] = (char)(i * 37);
    for (size_t n = 0; n <= sizeof message; ++n) {
        for (size_t cut = 0; cut <= n; ++cut) {
            xli_sha256 a, b;
            xli_sha256_init(&a);
            xli_sha256_add(&a, message, n);
            xli_sha256_hex(&a, whole);
            xli_sha256_init(&b);
            xli_sha256_add(&b, message, cut);
            xli_sha256_add(&b, message + cut, n - cut);
            xli_sha256_hex(&b, pieces);
            assert_string_equal(whole, pieces);
        }
    }
}

XLT_MAIN(NULL, NULL)
