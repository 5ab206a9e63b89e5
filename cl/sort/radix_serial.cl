/* SPDX-License-Identifier: MIT
 * A radix sort's kernels where a work-item walks a chunk by itself. It begins with the highest
 * digit, of keys that lie between those of a sample: after one pass through memory each bucket fits
 * into a cache, where one work-item sorts it (cl/sort/radix_run.cl).
 *   xl_radix_sample         the digit whose values are the buckets
 *   xl_radix_bucket_count   of each chunk: its keys of each bucket
 *   xl_radix_bucket_starts  where they go; buckets that are not for one work-item are given up
 *   xl_radix_bucket_scatter moves keys and values there, into the spare arrays
 *   xl_radix_buckets        sorts each bucket into the output
 * Where the buckets were given up the kernels of cl/sort/radix_passes.cl sort by all digits, which
 * else return at once. Few keys are sorted by one work-item, xl_radix_alone. */
#include "radix_lines.cl"
#include "radix_run.cl"

#define XL_REQUIRED __attribute__((reqd_work_group_size(1, 1, 1)))

/* ---- by buckets ------------------------------------------------------------------------------ */

bool xl_has_buckets(const xl_radix *radix)
{
    return XL_RADIX_BUCKETS && radix->state->has_buckets == 1;
}

xl_digit xl_bucket_digit(const xl_radix *radix)
{
    const xl_digit digit = {(XL_ORDINAL)radix->state->bucket_first, radix->state->bucket_shift,
                            XL_DIGITS - 1};
    return digit;
}

/* Without its first and last key, so that few far from all others do no harm, and a little more,
 * so that what is evenly spread lies in it. The keys of a sample are not equally far from each
 * other: they may repeat. */
__kernel XL_REQUIRED void xl_radix_sample(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    enum { SAMPLE = 128, MORE = 32 };
    XL_ORDINAL sample[SAMPLE];
    for (uint k = 0; k < SAMPLE; ++k) {
        const uint at = mul_hi((k << 25) + (k * 0x9e3779b9u >> 7), n);
        const XL_ORDINAL key = xl_key_map(radix.in.keys[at]);
        uint i = k;
        for (; i > 0 && sample[i - 1] > key; --i)
            sample[i] = sample[i - 1];
        sample[i] = key;
    }
    const XL_ORDINAL first = sample[1], last = sample[SAMPLE - 2], more = (last - first) / MORE;
    const XL_ORDINAL greatest = XL_KEY_ONES;
    const XL_ORDINAL from = first - min(first, more), to = last + min(greatest - last, more);
    const xl_digit digit = xl_digit_between(from, to);
    radix.state->bucket_first = digit.first;
    radix.state->bucket_shift = digit.shift;
}

__kernel XL_REQUIRED void xl_radix_bucket_count(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    uint counts[XL_DIGITS];
    xl_digits_count(radix.in.keys + radix.begin, radix.end - radix.begin, xl_bucket_digit(&radix),
                    true, true, counts);
    for (uint d = 0; d < XL_DIGITS; ++d)
        radix.counts[get_group_id(0) * XL_DIGITS + d] = counts[d];
}

/* Counts of all chunks become places: digit by digit, and chunk by chunk within one. Gives how many
 * elements the greatest digit has. */
uint xl_counts_to_starts(const xl_radix *radix, uint chunks)
{
    uint sum = 0, greatest = 0;
    for (uint d = 0; d < XL_DIGITS; ++d) {
        const uint start = sum;
        for (uint k = 0; k < chunks; ++k) {
            const uint count = radix->counts[k * XL_DIGITS + d];
            radix->counts[k * XL_DIGITS + d] = sum;
            sum += count;
        }
        greatest = max(greatest, sum - start);
    }
    return greatest;
}

/* `most`: elements of a bucket that one work-item may sort while others have none. */
__kernel XL_REQUIRED void xl_radix_bucket_starts(uint most, XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    radix.state->has_buckets = xl_counts_to_starts(&radix, chunks) <= most;
}

__kernel XL_REQUIRED void xl_radix_bucket_scatter(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    if (!xl_has_buckets(&radix))
        return;
    uint starts[XL_DIGITS];
    for (uint d = 0; d < XL_DIGITS; ++d)
        starts[d] = radix.counts[get_group_id(0) * XL_DIGITS + d];
    xl_lines_scatter(radix.in, radix.begin, radix.end, radix.spare, n, xl_bucket_digit(&radix),
                     true, starts, true, true);
}

xl_sort_in xl_sort_read(const xl_sort_out arrays)
{
    xl_sort_in in;
    in.keys = arrays.keys;
#if XL_SORT_VALUES
    in.values = arrays.values;
#endif
    return in;
}

/* Parts a long bucket again, from `spare` to `out`, by what its keys are between. starts[d]: where
 * part d begins, the last one ends. */
void xl_bucket_split(const xl_sort_out spare, const xl_sort_out out, uint n, uint *starts)
{
    XL_ORDINAL first = spare.keys[0], last = first;
    for (uint i = 1; i < n; ++i) {
        const XL_ORDINAL key = spare.keys[i];
        first = min(first, key);
        last = max(last, key);
    }
    const xl_digit digit = xl_digit_between(first, last);
    xl_digits_count(spare.keys, n, digit, true, false, starts);
    uint sum = 0;
    for (uint d = 0; d < XL_DIGITS; ++d) {
        const uint count = starts[d];
        starts[d] = sum;
        sum += count;
    }
    starts[XL_DIGITS] = n;
    xl_lines_scatter(xl_sort_read(spare), 0, n, out, n, digit, true, starts, false, false);
}

/* Sorts a bucket each. `most`: elements of one that is not parted again. */
__kernel XL_REQUIRED void xl_radix_buckets(uint most, XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    if (!xl_has_buckets(&radix))
        return;
    const uint bucket = (uint)get_group_id(0);
    const uint begin = min(radix.counts[bucket], n);
    const uint end = bucket + 1 < XL_DIGITS ? min(radix.counts[bucket + 1], n) : n;
    if (begin >= end)
        return;
    const xl_sort_out spare = xl_sort_from(radix.spare, begin),
                      out = xl_sort_from(radix.out, begin);
    const uint count = end - begin;
    const bool is_long = count > most;
    uint starts[XL_DIGITS + 1] = {0};
    if (is_long)
        xl_bucket_split(spare, out, count, starts);
    starts[is_long ? XL_DIGITS : 1] = count;
    for (uint d = 0; d < (is_long ? XL_DIGITS : 1); ++d) {
        const uint at = min(starts[d], count), next = min(starts[d + 1], count);
        const xl_sort_out to = xl_sort_from(out, at), other = xl_sort_from(spare, at);
        xl_run_sort(is_long ? to : other, to, other, next - min(at, next));
    }
}

__kernel XL_REQUIRED void xl_radix_alone(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    for (uint i = 0; i < n; ++i)
        radix.spare.keys[i] = xl_key_map(radix.in.keys[i]);
#if XL_SORT_VALUES
    for (uint i = 0; i < n; ++i)
        radix.spare.values[i] = xl_sort_value(radix.in, i, true);
#endif
    xl_run_sort(radix.spare, radix.out, radix.spare, n);
}

/* ---- by all digits --------------------------------------------------------------------------- */

__kernel XL_REQUIRED void xl_radix_bits(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    if (xl_has_buckets(&radix))
        return;
    const __global XL_KEY *const keys = radix.in.keys;
    const XL_ORDINAL first = xl_key_map(keys[0]);
    XL_ORDINAL bits = 0;
    for (uint i = radix.begin; i < radix.end; ++i)
        bits |= xl_key_map(keys[i]) ^ first;
    radix.bits[get_group_id(0)] = bits;
}

__kernel XL_REQUIRED void xl_radix_begin(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    ulong bits = 0;
    for (uint k = 0; k < chunks && !xl_has_buckets(&radix); ++k)
        bits |= radix.bits[k];
    xl_passes_find(&radix, bits);
}

/* The digit of a pass. */
xl_digit xl_pass_digit(const xl_radix *radix, uint pass)
{
    const xl_digit digit = {0, radix->state->shift[pass], xl_radix_mask(radix, pass)};
    return digit;
}

__kernel XL_REQUIRED void xl_radix_count(uint pass, XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    if (pass >= radix.state->passes)
        return;
    uint counts[XL_DIGITS];
    xl_digits_count(xl_radix_source(&radix, pass).keys + radix.begin, radix.end - radix.begin,
                    xl_pass_digit(&radix, pass), false, false, counts);
    for (uint d = 0; d < XL_DIGITS; ++d)
        radix.counts[get_group_id(0) * XL_DIGITS + d] = counts[d];
}

__kernel XL_REQUIRED void xl_radix_offsets(uint pass, XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    if (pass < radix.state->passes)
        (void)xl_counts_to_starts(&radix, chunks);
}

__kernel XL_REQUIRED void xl_radix_scatter(uint pass, XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    if (pass >= radix.state->passes)
        return;
    uint starts[XL_DIGITS];
    for (uint d = 0; d < XL_DIGITS; ++d)
        starts[d] = radix.counts[get_group_id(0) * XL_DIGITS + d];
    xl_lines_scatter(xl_radix_source(&radix, pass), radix.begin, radix.end,
                     xl_radix_target(&radix, pass), n, xl_pass_digit(&radix, pass), false, starts,
                     pass == 0, true);
}

__kernel XL_REQUIRED void xl_radix_end(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    const uint passes = radix.state->passes;
    if (xl_has_buckets(&radix) || (passes > 0 && !xl_radix_to_spare(&radix, passes - 1, passes)))
        return;
    const xl_sort_in from = xl_radix_source(&radix, passes);
    for (uint i = radix.begin; i < radix.end; ++i) {
        radix.out.keys[i] = from.keys[i];
#if XL_SORT_VALUES
        radix.out.values[i] = xl_sort_value(from, i, passes == 0);
#endif
    }
}
