/* SPDX-License-Identifier: MIT
 * Accumulators of `crosslane scan` and `crosslane reduce`: the type of sums and products, and the
 * check that results fit it. If a result might not fit, the device computes 128 bits. */
#include "tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Indexed by xl_type. */
const char *const accumulator_dtypes[] = {[XL_NONE] = "auto",
                                          [XL_I8] = "i8",
                                          [XL_U8] = "u8",
                                          [XL_I16] = "i16",
                                          [XL_U16] = "u16",
                                          [XL_I32] = "i32",
                                          [XL_U32] = "u32",
                                          [XL_I64] = "i64",
                                          [XL_U64] = "u64",
                                          [XL_F16] = "f16",
                                          [XL_F32] = "f32",
                                          [XL_F64] = "f64",
                                          NULL};

/* Sum: 128 bits in two's complement. Product: `low` is the magnitude modulo 2^64; in `high`, bit 0
 * is the sign and bit 1 is set if the magnitude is 2^64 or more. Both are associative. */
typedef struct exact {
    uint64_t low, high;
} exact;

static const xl_user_type exact_type = {
    "crosslane_exact", sizeof(exact), sizeof(uint64_t),
    "typedef struct crosslane_exact { ulong low, high; } crosslane_exact;\n"};

static const exact zero = {0, 0}, one = {1, 0};

static const xl_user_op exact_sum = {
    "crosslane_exact_sum",
    "crosslane_exact crosslane_exact_sum(crosslane_exact a, crosslane_exact b)\n"
    "{\n"
    "    crosslane_exact r;\n"
    "    r.low = a.low + b.low;\n"
    "    r.high = a.high + b.high + (r.low < a.low);\n"
    "    return r;\n"
    "}\n",
    &zero, XL_OP_COMMUTATIVE | XL_OP_STRICTLY_ASSOCIATIVE};

static const xl_user_op exact_product = {
    "crosslane_exact_product",
    "crosslane_exact crosslane_exact_product(crosslane_exact a, crosslane_exact b)\n"
    "{\n"
    "    const ulong beyond = (a.high | b.high) & 2;\n"
    "    const bool none = (a.low | (a.high & 2)) == 0 || (b.low | (b.high & 2)) == 0;\n"
    "    crosslane_exact r;\n"
    "    r.low = none ? 0 : a.low * b.low;\n"
    "    r.high = none ? 0 : ((a.high ^ b.high) & 1) | beyond | (mul_hi(a.low, b.low) ? 2 : 0);\n"
    "    return r;\n"
    "}\n",
    &one, XL_OP_COMMUTATIVE | XL_OP_STRICTLY_ASSOCIATIVE};

/* Converts an element to an exact value; indexed by [product][signed]. */
static const char *const exact_loads[2][2] = {
    {"(crosslane_exact){x, 0}", "(crosslane_exact){(ulong)(long)x, (ulong)((long)x >> 63)}"},
    {"(crosslane_exact){x, 0}",
     "(crosslane_exact){x < 0 ? -(ulong)(long)x : (ulong)(long)x, x < 0}"}};

/* ---- types ---- */

static bool is_real(xl_type type)
{
    return type >= XL_F16;
}

char type_kind(xl_type type)
{
    return xl_type_name(type)[0];
}

static bool has_sign(xl_type type)
{
    return type_kind(type) == 'i';
}

static bool is_total(xl_op op)
{
    return op == XL_SUM || op == XL_PROD;
}

static xl_type widest_like(xl_type type)
{
    return is_real(type) ? XL_F64 : has_sign(type) ? XL_I64 : XL_U64;
}

static uint64_t greatest(xl_type type)
{
    return UINT64_MAX >> (64 - 8 * xl_type_size(type) + has_sign(type));
}

static int parse_init(const char *command, accumulator *t)
{
    if (!t->init_text || element_parse(t->init_text, t->out, t->init))
        return TOOL_OK;
    return tool_misuse("%s: --init: \"%s\"; must be a value of type %s", command, t->init_text,
                       xl_type_name(t->out));
}

/* Chooses the types of elements and results. Real elements require real results. */
int accumulator_choose(const char *command, const accumulator_options *o, xl_op op,
                       const char *init, const xli_npy *array, accumulator *t)
{
    *t = (accumulator){.op = op, .in = array_type(array), .wraps = o->wrap, .init_text = init};
    t->out = !is_total(op) ? t->in : o->dtype ? (xl_type)o->dtype : widest_like(t->in);
    t->is_chosen = o->dtype != XL_NONE;
    if ((o->dtype || o->wrap) && !is_total(op))
        return tool_misuse("%s: --%s: given with --op %s; requires --op sum or prod", command,
                           o->dtype ? "dtype" : "wrap", xl_op_name(op));
    if (is_real(t->in) && !is_real(t->out))
        return tool_misuse("%s: --dtype: %s; elements of type %s require f16, f32 or f64", command,
                           xl_type_name(t->out), xl_type_name(t->in));
    return parse_init(command, t);
}

/* ---- whether all results fit ---- */

/* An integer, sign-extended to 64 bits. */
static uint64_t whole_at(const void *data, xl_type type, size_t i)
{
    const size_t bytes = xl_type_size(type);
    const unsigned unused = 64 - 8 * (unsigned)bytes;
    const uint64_t bits = element_bits((const char *)data + i * bytes, bytes);
    return has_sign(type) ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits;
}

static uint64_t magnitude(uint64_t bits, xl_type type)
{
    return has_sign(type) && (int64_t)bits < 0 ? 0 - bits : bits;
}

/* The least b with 2^b >= number; 0 for 0. */
static uint64_t bits_of_factor(uint64_t number)
{
    uint64_t bits = 0;
    for (uint64_t rest = number ? number - 1 : 0; rest; rest >>= 1)
        ++bits;
    return bits;
}

/* Whether every sum of init and up to n elements of at most this magnitude fits. */
static bool sums_fit(const accumulator *t, uint64_t most, uint64_t init, size_t n)
{
    const uint64_t limit = greatest(t->out);
    return init <= limit && (n == 0 || most <= (limit - init) / n);
}

/* Whether bounds prove that the sums or products of any elements fit. */
static bool all_fit(const accumulator *t, const xli_npy *array)
{
    const uint64_t init = t->init_text ? magnitude(whole_at(t->init, t->out, 0), t->out) : 0;
    const uint64_t room = 8 * xl_type_size(t->out) - has_sign(t->out);
    uint64_t most = 0, factors = bits_of_factor(init);
    if (t->op == XL_SUM && has_sign(t->in) <= has_sign(t->out) &&
        sums_fit(t, greatest(t->in) + has_sign(t->in), init, array->count))
        return true;
    for (size_t i = 0; i < array->count; ++i) {
        const uint64_t bits = whole_at(array->data, t->in, i), size = magnitude(bits, t->in);
        if (size != bits && !has_sign(t->out))
            return false;
        most = size > most ? size : most;
        factors += bits_of_factor(size);
    }
    return t->op == XL_SUM ? sums_fit(t, most, init, array->count) : factors < room;
}

static void make_exact(accumulator *t)
{
    const uint64_t bits = whole_at(t->init, t->out, 0), size = magnitude(bits, t->out);
    const bool negative = size != bits, product = t->op == XL_PROD;
    t->is_exact = true;
    t->user_type = &exact_type;
    t->user_op = product ? &exact_product : &exact_sum;
    t->load = exact_loads[product][has_sign(t->in)];
    t->init[0] = product ? size : bits;
    t->init[1] = product ? negative : negative ? UINT64_MAX : 0;
}

/* Converts an element to an accumulator; NULL: the library does. llvmpipe of Mesa 22.3 (LLVM 15,
 * 2026-11) converts integers of 8 and 16 bits wrongly to real numbers in a reduction, but not those
 * of 32 bits. */
static const char *conversion(const accumulator *t)
{
    const bool is_narrow = !is_real(t->in) && xl_type_size(t->in) < sizeof(cl_int);
    return is_narrow && is_real(t->out) ? "(int)x" : NULL;
}

int accumulator_open(const char *command, const session *s, const xli_npy *array, accumulator *t)
{
    int result = TOOL_OK;
    if (t->out == XL_F64 && t->in != XL_F64 && !t->is_chosen && is_total(t->op) &&
        !s->info.has_fp64) {
        t->out = XL_F32;
        tool_note("%s: %s has no fp64; sums and products accumulate in f32", command, s->info.name);
        TRY(parse_init(command, t));
    }
    t->load = conversion(t);
    if (is_total(t->op) && !is_real(t->out) && !t->wraps && !all_fit(t, array))
        make_exact(t);
    t->type = t->is_exact ? XL_USER_TYPE : t->out;
    t->item_bytes = (uint32_t)(t->is_exact ? sizeof(exact) : xl_type_size(t->out));
done:
    return result;
}

/* ---- results ---- */

/* Sign and magnitude; false if the magnitude has more than 64 bits. */
static bool take_apart(exact value, xl_op op, bool *negative, uint64_t *size)
{
    *negative = op == XL_PROD ? value.high & 1 : value.high >> 63;
    *size = op == XL_SUM && *negative ? 0 - value.low : value.low;
    if (op == XL_PROD)
        return !(value.high & 2);
    return (*negative ? ~value.high + (value.low == 0) : value.high) == 0;
}

static int take(const accumulator *t, const char *path, size_t i, exact value, uint64_t *bits)
{
    bool negative;
    uint64_t size;
    char text[48] = "a number of more than 64 bits";
    const bool known = take_apart(value, t->op, &negative, &size);
    const uint64_t limit = has_sign(t->out) ? greatest(t->out) + negative
                           : negative       ? 0
                                            : greatest(t->out);
    *bits = negative ? 0 - size : size;
    if (known && size <= limit)
        return TOOL_OK;
    if (known)
        snprintf(text, sizeof text, "%s%" PRIu64, negative ? "-" : "", size);
    return tool_fail("%s: the %s at index %zu of the result is %s, out of the range of %s; give "
                     "another --dtype, such as f64, or --wrap for results modulo 2^%zu",
                     path, t->op == XL_SUM ? "sum" : "product", i, text, xl_type_name(t->out),
                     8 * xl_type_size(t->out));
}

/* Works in place: a result is never longer than its accumulator. */
int accumulator_results(const accumulator *t, const char *path, xli_npy *results)
{
    int result = TOOL_OK;
    const size_t bytes = xl_type_size(t->out);
    char *data = results->data;
    for (size_t i = 0; t->is_exact && i < results->count; ++i) {
        exact value;
        uint64_t bits = 0;
        memcpy(&value, data + i * sizeof value, sizeof value);
        TRY(take(t, path, i, value, &bits));
        element_put(bits, bytes, data + i * bytes);
    }
    results->item_bytes = (uint32_t)bytes;
done:
    return result;
}
