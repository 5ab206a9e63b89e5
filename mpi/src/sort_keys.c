/* SPDX-License-Identifier: MIT */
#include "sort_keys.h"

static uint64_t core_code(uint32_t type, const void *key)
{
    uint64_t code = 0;
    (void)!xl_key_to_code(type, key, &code); /* it fails for other types alone */
    return code;
}

xlm_key_order xlm_key_order_of(const xl_sort_desc *desc)
{
    const unsigned bytes = (unsigned)xl_type_size((xl_type)desc->key);
    const unsigned end = desc->end_bit > 0 ? desc->end_bit : 8 * bytes;
    const uint64_t plus_zero = 0; /* of every type */
    return (xlm_key_order){
        .type = desc->key,
        .bytes = bytes,
        .begin_bit = desc->begin_bit,
        .bits = end - desc->begin_bit,
        .zero = desc->equal_zeros && xlm_is_float(desc->key) ? core_code(desc->key, &plus_zero) : 0,
        .flip = desc->order == XL_DESCENDING ? UINT64_MAX >> (64 - 8 * bytes) : 0,
        .mask = UINT64_MAX >> (64 - (end - desc->begin_bit))};
}

static uint64_t code_of(const xlm_host_keys *host, uint64_t i)
{
    const xlm_key_order *const order = host->order;
    uint64_t code = core_code(order->type, host->keys + i * order->bytes);
    if (order->zero > 0 && code == order->zero - 1)
        code = order->zero;
    return (code ^ order->flip) >> order->begin_bit & order->mask;
}

/* Each search begins at the place that the one before it found, with steps that double (Bentley and
 * Yao, 1976), because most places are near the one before. */
xl_status xlm_find_codes(void *user, size_t count, const uint64_t *codes, uint64_t *at)
{
    const xlm_host_keys *const host = user;
    uint64_t first = 0;
    for (size_t k = 0; k < count; ++k) {
        uint64_t last = first, step = 1; /* all keys before `first` have smaller codes */
        while (last < host->n && code_of(host, last) < codes[k]) {
            first = last + 1;
            last = host->n - last > step ? last + step : host->n;
            step *= 2;
        }
        while (first < last) {
            const uint64_t middle = first + (last - first) / 2;
            if (code_of(host, middle) < codes[k])
                first = middle + 1;
            else
                last = middle;
        }
        at[k] = first;
    }
    return XL_SUCCESS;
}
