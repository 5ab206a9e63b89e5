/* SPDX-License-Identifier: MIT
 * One call of a scan or a reduction across ranks: checks, heads and values of the parts, and their
 * exchange. */
#include "mpi_parts.h"
#include <stdlib.h>
#include <string.h>

/* ---- checks -------------------------------------------------------------------------------- */

size_t xlm_segment_elements(const xlm_problem *problem, size_t n, const xl_view *segments)
{
    if (problem->segment_bytes == 0)
        return 0;
    if (problem->segments == XL_SEGMENTS_OFFSETS)
        return segments->buffer ? segments->count : n > 0;
    return problem->segments == XL_SEGMENTS_FLAG_BITMASK ? (n + 31) / 32 : n;
}

static xl_status check_params(const xlm_problem *problem, const void *const *params)
{
    for (size_t k = 0; k < XL_PARAMS; ++k)
        if ((params[k] != NULL) != (k < problem->num_params))
            return xlm_fail(problem->mpi, XL_ERROR_INVALID_ARGUMENT,
                            "args.params[%zu]: %s; the plan has %zu", k,
                            params[k] ? "given" : "NULL", problem->num_params);
    return XL_SUCCESS;
}

xl_status xlm_check_arrays(const xlm_problem *problem, size_t n, const xl_view *in,
                           const xl_view *segments, const void *const *params)
{
    xl_mpi *const mpi = problem->mpi;
    xl_status status = xlm_check_view(mpi, "args.in", in, n, problem->load_bytes);
    if (status == XL_SUCCESS && problem->segment_bytes == 0)
        status = xlm_check_absent(mpi, "args.segments", segments->buffer != NULL);
    if (status == XL_SUCCESS && problem->segments == XL_SEGMENTS_OFFSETS && n > 0 &&
        segments->count == 0)
        status = xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT,
                          "args.segments: a count of 0; must be the number of offsets");
    if (status == XL_SUCCESS && problem->segment_bytes > 0)
        status = xlm_check_view(mpi, "args.segments", segments,
                                xlm_segment_elements(problem, n, segments), problem->segment_bytes);
    return status == XL_SUCCESS ? check_params(problem, params) : status;
}

/* ---- heads --------------------------------------------------------------------------------- */

static uint64_t low_bits(uint64_t count)
{
    return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

uint64_t xlm_heads_before(const xlm_problem *problem, uint64_t end)
{
    const uint64_t row = problem->mask & low_bits(problem->width),
                   rest = problem->mask & low_bits(end % problem->width);
    uint64_t in_row = 0, in_rest = 0;
    for (uint64_t k = 0; k < 64; ++k) {
        in_row += row >> k & 1;
        in_rest += rest >> k & 1;
    }
    return end / problem->width * in_row + in_rest;
}

static bool is_head(const xlm_problem *problem, uint64_t i)
{
    const uint64_t column = i % problem->width;
    return problem->segments == XL_SEGMENTS_WIDTH ? column == 0 : problem->mask >> column & 1;
}

/* The first head of [from, to), or `to`; the last one, or to. A row of a mask has at most 64 columns. */
static uint64_t first_head(const xlm_problem *problem, uint64_t from, uint64_t to)
{
    const uint64_t row = (problem->width - from % problem->width) % problem->width;
    if (problem->segments == XL_SEGMENTS_WIDTH)
        return row < to - from ? from + row : to;
    while (from < to && !is_head(problem, from))
        ++from;
    return from;
}

static uint64_t last_head(const xlm_problem *problem, uint64_t from, uint64_t to)
{
    if (problem->segments == XL_SEGMENTS_WIDTH)
        return (to - 1) / problem->width * problem->width;
    uint64_t head = to - 1;
    while (head > from && !is_head(problem, head))
        --head;
    return head;
}

static void heads_by_width(const xlm_problem *problem, xlm_part *part)
{
    const uint64_t end = part->first + part->n;
    if (part->n == 0)
        return;
    const uint64_t lead = first_head(problem, part->first, end);
    part->heads = lead < end;
    part->lead = (size_t)(lead - part->first);
    part->last = part->heads ? (size_t)(last_head(problem, part->first, end) - part->first) : 0;
}

static xl_status read_offset(const xlm_parts *parts, const xlm_part *part, size_t k, uint64_t *to)
{
    const size_t bytes = parts->problem->segment_bytes;
    uint32_t narrow = 0;
    const xl_status status = xlm_read(parts->problem->mpi, parts->queue, part->segments.buffer,
                                      (part->segments.offset + k) * bytes, bytes,
                                      bytes == 4 ? (void *)&narrow : to, 0, NULL);
    if (bytes == 4)
        *to = narrow;
    return status;
}

/* Each offset but the last one begins a segment. */
xl_status xlm_heads_by_offsets(const xlm_parts *parts, xlm_part *part)
{
    uint64_t lead = part->n, last = 0, end = part->n;
    const size_t count = part->segments.buffer ? part->segments.count : 0;
    xl_status status = XL_SUCCESS;
    if (count > 0)
        status = read_offset(parts, part, count - 1, &end);
    if (status == XL_SUCCESS && count > 1)
        status = read_offset(parts, part, 0, &lead);
    if (status == XL_SUCCESS && count > 1)
        status = read_offset(parts, part, count - 2, &last);
    if (status != XL_SUCCESS)
        return status;
    if (end != part->n || last > end || lead > end || (count > 1 && lead > last))
        return xlm_fail(parts->problem->mpi, XL_ERROR_INVALID_ARGUMENT,
                        "args.segments: offsets from %llu to %llu, then %llu; they must ascend, "
                        "and the last one must be n, %zu",
                        (unsigned long long)lead, (unsigned long long)last, (unsigned long long)end,
                        part->n);
    part->heads = count > 1;
    part->lead = (size_t)lead;
    part->last = (size_t)last;
    return XL_SUCCESS;
}

static xl_status read_keys(const xlm_parts *parts, xlm_part *part)
{
    const size_t bytes = parts->problem->segment_bytes;
    xl_status status = XL_SUCCESS;
    for (size_t k = 0; k < 2 && status == XL_SUCCESS; ++k)
        status = xlm_read(parts->problem->mpi, parts->queue, part->segments.buffer,
                          (part->segments.offset + (k ? part->n - 1 : 0)) * bytes, bytes,
                          &part->key[k], 0, NULL);
    return status;
}

/* Flags, bits and keys: by a reduction on the device. */
static xl_status heads_on_device(const xlm_parts *parts, xlm_part *part)
{
    const xlm_problem *const problem = parts->problem;
    xl_mpi *const mpi = problem->mpi;
    uint64_t found[2] = {0, 0}, n = part->n;
    const bool keys = problem->segments == XL_SEGMENTS_KEYS,
               bits = problem->segments == XL_SEGMENTS_FLAG_BITMASK;
    cl_mem out = NULL;
    xl_status status;
    xl_reduce_args args = {.n = bits ? (part->n + 31) / 32 : part->n, .in = part->segments};
    for (size_t k = 0; keys && k < 2; ++k)
        args.params[k] = &part->key[k];
    if (bits)
        args.params[0] = &n;
    args.in.count = 0;
    status = xlm_buffer(mpi, sizeof found, &out);
    args.out = xl_view_of(out, 0);
    if (status == XL_SUCCESS)
        status =
            xlm_core(mpi, xl_reduce_enqueue(problem->heads, parts->queue, &args, 0, NULL, NULL));
    if (status == XL_SUCCESS)
        status = xlm_finish(mpi, parts->queue);
    if (status == XL_SUCCESS)
        status = xlm_read(mpi, parts->queue, out, 0, sizeof found, found, 0, NULL);
    xlm_release(out);
    part->heads = found[0] > 0;
    part->last = part->heads ? (size_t)found[0] - 1 : 0;
    part->lead = part->heads ? (size_t)~found[1] : part->n;
    return status;
}

/* For a scan, where segments begin is found here only for offsets, widths and masks: with flags, bits and
 * keys its carry says so. */
static xl_status find_heads(const xlm_parts *parts, xlm_part *part)
{
    const xlm_problem *const problem = parts->problem;
    xl_status status = XL_SUCCESS;
    part->heads = false;
    part->lead = part->n;
    part->last = 0;
    if (problem->segments == XL_SEGMENTS_OFFSETS)
        return xlm_heads_by_offsets(parts, part);
    if (problem->width > 0)
        heads_by_width(problem, part);
    if (problem->segments == XL_SEGMENTS_KEYS && part->n > 0)
        status = read_keys(parts, part);
    if (status == XL_SUCCESS && problem->heads && part->n > 0)
        status = heads_on_device(parts, part);
    return status;
}

/* ---- values -------------------------------------------------------------------------------- */

static xl_status reduce_range(const xlm_parts *parts, const xlm_part *part, xl_plan *plan,
                              size_t from, size_t count, size_t bytes, void *to)
{
    const xlm_problem *const problem = parts->problem;
    const uint64_t first = part->first + from;
    cl_mem out = NULL;
    xl_status status = xlm_buffer(problem->mpi, bytes, &out);
    xl_reduce_args args = {.n = count,
                           .in = xl_view_of(part->in.buffer, part->in.offset + from),
                           .out = xl_view_of(out, 0)};
    for (size_t k = 0; problem->loads && k < problem->num_params; ++k)
        args.params[k] = parts->params[k];
    if (problem->counts)
        args.params[problem->num_params] = &first;
    if (status == XL_SUCCESS)
        status =
            xlm_core(problem->mpi, xl_reduce_enqueue(plan, parts->queue, &args, 0, NULL, NULL));
    if (status == XL_SUCCESS)
        status = xlm_finish(problem->mpi, parts->queue);
    if (status == XL_SUCCESS)
        status = xlm_read(problem->mpi, parts->queue, out, 0, bytes, to, 0, NULL);
    xlm_release(out);
    return status;
}

xl_status xlm_partial(const xlm_parts *parts, const xlm_part *part, size_t from, size_t to,
                      void *value, uint64_t *index)
{
    const xlm_problem *const problem = parts->problem;
    const size_t count = to - from;
    if (!problem->finds)
        return reduce_range(parts, part, problem->partial, from, count, problem->type_bytes, value);
    const xl_status status =
        reduce_range(parts, part, problem->partial, from, count, sizeof *index, index);
    if (status != XL_SUCCESS || *index == UINT64_MAX)
        return status;
    const size_t at = from + (size_t)*index;
    *index = part->first + at;
    return reduce_range(parts, part, problem->pick, at, 1, problem->type_bytes, value);
}

/* The carry of a part, without the parts before it, and whether a segment begins in it. */
static xl_status read_carry(const xlm_parts *parts, const xlm_part *part, xlm_told *told)
{
    const xlm_problem *const problem = parts->problem;
    xl_mpi *const mpi = problem->mpi;
    const size_t carry = (2 * problem->type_bytes + 3) / 4; /* words, with room for a flag */
    cl_mem out = NULL;
    cl_uint head = 0;
    xl_scan_args args = {
        .n = part->n, .first_index = part->first, .in = part->in, .segments = part->segments};
    for (size_t k = 0; problem->loads && k < problem->num_params; ++k)
        args.params[k] = parts->params[k];
    xl_status status = xlm_buffer(mpi, (carry + 1) * sizeof head, &out);
    args.carry_out = xl_view_of(out, 0);
    args.head_out = xl_view_of(out, carry);
    if (status == XL_SUCCESS)
        status = xlm_core(mpi, xl_scan_enqueue(problem->carry, parts->queue, &args, 0, NULL, NULL));
    if (status == XL_SUCCESS)
        status = xlm_finish(mpi, parts->queue);
    if (status == XL_SUCCESS)
        status = xlm_read(mpi, parts->queue, out, 0, problem->type_bytes, told + 1, 0, NULL);
    if (status == XL_SUCCESS)
        status = xlm_read(mpi, parts->queue, out, carry * sizeof head, sizeof head, &head, 0, NULL);
    xlm_release(out);
    told->heads = told->heads || head;
    return status;
}

/* ---- records ------------------------------------------------------------------------------- */

static size_t record_bytes(const xlm_problem *problem)
{
    return (sizeof(xlm_told) + problem->type_bytes + 7) / 8 * 8;
}

const xlm_told *xlm_parts_at(const xlm_parts *parts, size_t k)
{
    return (const void *)(parts->told + k * record_bytes(parts->problem));
}

const void *xlm_parts_value(const xlm_parts *parts, size_t k)
{
    return xlm_parts_at(parts, k) + 1;
}

bool xlm_parts_begins(const xlm_parts *parts, size_t k)
{
    const xlm_told *const told = xlm_parts_at(parts, k);
    size_t before = k;
    if (told->heads && told->lead == 0)
        return true;
    while (before > 0 && xlm_parts_at(parts, before - 1)->n == 0)
        --before;
    if (before == 0)
        return told->n > 0 && parts->problem->segments != XL_SEGMENTS_OFFSETS;
    return parts->problem->segments == XL_SEGMENTS_KEYS && told->n > 0 &&
           told->key[0] != xlm_parts_at(parts, before - 1)->key[1];
}

xl_status xlm_parts_reserve(xlm_parts *parts)
{
    xl_mpi *const mpi = parts->problem->mpi;
    xl_status status = xlm_alloc(mpi, (size_t)mpi->size + 1, sizeof *parts->at, &parts->at);
    if (status == XL_SUCCESS)
        status = xlm_alloc(mpi, 2 * (size_t)mpi->size, sizeof *parts->bytes, &parts->bytes);
    if (status == XL_SUCCESS)
        status =
            xlm_alloc(mpi, 4 * ((size_t)mpi->size + 1), sizeof *parts->send_at, &parts->send_at);
    return status;
}

size_t xlm_parts_of(const xlm_parts *parts, int r)
{
    if (!parts->problem->units)
        return 1;
    const uint64_t owned = xlm_parts_unit(parts, r + 1) - xlm_parts_unit(parts, r);
    return (size_t)((owned + XLM_UNIT - 1) / XLM_UNIT);
}

/* Sets count, before, all, and reserves the parts. */
static xl_status count_parts(xlm_parts *parts)
{
    xl_mpi *const mpi = parts->problem->mpi;
    parts->before = parts->all = 0;
    for (int r = 0; r < mpi->size; ++r) {
        parts->before = r == mpi->rank ? parts->all : parts->before;
        parts->all += xlm_parts_of(parts, r);
    }
    parts->count = xlm_parts_of(parts, mpi->rank);
    return xlm_alloc(mpi, parts->count, sizeof *parts->part, &parts->part);
}

xl_status xlm_parts_divide(xlm_parts *parts, xlm_part mine, bool scans)
{
    xl_mpi *const mpi = parts->problem->mpi;
    xl_status status = xlm_sizes(mpi, mine.n, parts->at);
    status = xlm_agree(mpi, status == XL_SUCCESS ? count_parts(parts) : status);
    if (status != XL_SUCCESS)
        return status;
    mine.first = parts->at[mpi->rank];
    if (!parts->problem->units) {
        parts->part[0] = mine;
        return XL_SUCCESS;
    }
    xlm_units_divide(parts, &mine);
    return xlm_units_fetch(parts, &mine, scans);
}

static xl_status tell(const xlm_parts *parts, xlm_part *part, xlm_told *told)
{
    const xlm_problem *const problem = parts->problem;
    xl_status status = find_heads(parts, part);
    *told = (xlm_told){.n = part->n,
                       .heads = part->heads,
                       .lead = part->lead,
                       .key = {part->key[0], part->key[1]},
                       .count = problem->carry ? part->n - part->last : part->lead};
    if (status == XL_SUCCESS && told->count > 0)
        status = problem->carry ? read_carry(parts, part, told)
                                : xlm_partial(parts, part, 0, part->lead, told + 1, &told->index);
    if (problem->finds && told->index == UINT64_MAX)
        told->count = 0; /* all elements are NaN */
    return status;
}

xl_status xlm_parts_tell(xlm_parts *parts)
{
    xl_mpi *const mpi = parts->problem->mpi;
    const size_t bytes = record_bytes(parts->problem);
    xl_status status = xlm_alloc(mpi, parts->all, bytes, &parts->told);
    if (status == XL_SUCCESS)
        status = xlm_alloc(mpi, parts->count, bytes, &parts->mine);
    if (status == XL_SUCCESS && parts->all > INT32_MAX / bytes)
        status =
            xlm_fail(mpi, XL_ERROR_UNSUPPORTED, "args.n: %zu units of %llu elements; at most %zu",
                     parts->all, (unsigned long long)XLM_UNIT, INT32_MAX / bytes);
    for (size_t k = 0; k < parts->count && status == XL_SUCCESS; ++k) {
        memset(parts->mine + k * bytes, 0, bytes);
        status = tell(parts, &parts->part[k], (void *)(parts->mine + k * bytes));
    }
    return status;
}

xl_status xlm_parts_gather(xlm_parts *parts)
{
    xl_mpi *const mpi = parts->problem->mpi;
    int *const bytes = parts->bytes, *const at = bytes + mpi->size;
    const int record = (int)record_bytes(parts->problem);
    for (int r = 0; r < mpi->size; ++r) {
        bytes[r] = record * (int)xlm_parts_of(parts, r);
        at[r] = r > 0 ? at[r - 1] + bytes[r - 1] : 0;
    }
    return xlm_mpi(mpi,
                   MPI_Allgatherv(parts->mine, bytes[mpi->rank], MPI_BYTE, parts->told, bytes, at,
                                  MPI_BYTE, mpi->comm),
                   "MPI_Allgatherv");
}

void xlm_parts_drop(xlm_parts *parts)
{
    free(parts->at);
    free(parts->bytes);
    free(parts->part);
    free(parts->mine);
    free(parts->told);
    free(parts->send_at);
    for (size_t k = 0; k < 3; ++k)
        xlm_release(parts->unit[k]);
}
