/* SPDX-License-Identifier: MIT
 * Gather: fields move along an exchange. */
#include "exchange.h"
#include <stdio.h>

static xl_status check_field(xl_mpi_exchange *exchange, size_t number, const xl_mpi_field *field)
{
    xl_mpi *const mpi = exchange->mpi;
    char in[32], out[32];
    snprintf(in, sizeof in, "fields[%zu].in", number);
    snprintf(out, sizeof out, "fields[%zu].out", number);
    if (field->element_bytes == 0)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT,
                        "fields[%zu].element_bytes: 0; must be at least 1", number);
    xl_status status =
        xlm_check_view(mpi, in, &field->in, exchange->send.count, field->element_bytes);
    if (status == XL_SUCCESS)
        status = xlm_check_view(mpi, out, &field->out, exchange->recv.count, field->element_bytes);
    return status;
}

/* The output of a field overlaps no other view. */
static xl_status check_output(xl_mpi_exchange *exchange, size_t number, size_t num_fields,
                              const xl_mpi_field *fields)
{
    const xl_mpi_field *const mine = &fields[number];
    xl_status status = XL_SUCCESS;
    char out[32], name[32];
    snprintf(out, sizeof out, "fields[%zu].out", number);
    for (size_t f = 0; f < num_fields && status == XL_SUCCESS; ++f) {
        const xl_mpi_field *const other = &fields[f];
        snprintf(name, sizeof name, "fields[%zu].in", f);
        status = xlm_check_apart(exchange->mpi, name, &other->in, exchange->send.count,
                                 other->element_bytes, out, &mine->out, exchange->recv.count,
                                 mine->element_bytes);
        snprintf(name, sizeof name, "fields[%zu].out", f);
        if (status == XL_SUCCESS && f < number)
            status = xlm_check_apart(exchange->mpi, name, &other->out, exchange->recv.count,
                                     other->element_bytes, out, &mine->out, exchange->recv.count,
                                     mine->element_bytes);
    }
    return status;
}

static xl_status check_fields(xl_mpi_exchange *exchange, cl_command_queue queue, size_t num_fields,
                              const xl_mpi_field *fields, cl_uint num_waits, const cl_event *waits)
{
    xl_mpi *const mpi = exchange->mpi;
    xl_status status = xlm_check_queue(mpi, queue, num_waits, waits);
    if (status == XL_SUCCESS && num_fields > XLM_FIELDS)
        status = xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "num_fields: %zu; at most %d", num_fields,
                          XLM_FIELDS);
    if (status == XL_SUCCESS && num_fields > 0 && !fields)
        status = xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "fields: NULL with num_fields %zu",
                          num_fields);
    for (size_t f = 0; f < num_fields && status == XL_SUCCESS; ++f)
        status = check_field(exchange, f, &fields[f]);
    for (size_t f = 0; f < num_fields && status == XL_SUCCESS; ++f)
        status = check_output(exchange, f, num_fields, fields);
    return status;
}

/* COLLECTIVE. All ranks must move the same fields. */
static xl_status same_fields(xl_mpi *mpi, xl_status mine, size_t num_fields,
                             const xl_mpi_field *fields)
{
    char names[XLM_FIELDS][40];
    xlm_value values[XLM_FIELDS + 1] = {{"num_fields", num_fields}};
    for (size_t f = 0; f < XLM_FIELDS; ++f) {
        snprintf(names[f], sizeof names[f], "fields[%zu].element_bytes", f);
        values[f + 1].name = names[f];
        values[f + 1].value = mine == XL_SUCCESS && f < num_fields ? fields[f].element_bytes : 0;
    }
    return xlm_same(mpi, mine, values, XLM_FIELDS + 1);
}

xl_status xl_mpi_gather_begin(xl_mpi_exchange *exchange, cl_command_queue queue, size_t num_fields,
                              const xl_mpi_field *fields, cl_uint num_waits, const cl_event *waits)
{
    if (!exchange)
        return XL_ERROR_INVALID_ARGUMENT;
    xl_mpi *const mpi = exchange->mpi;
    xlm_transfer *const t = &exchange->transfer;
    xl_status status = xlm_transfer_idle(exchange);
    if (status != XL_SUCCESS)
        return status;
    status = check_fields(exchange, queue, num_fields, fields, num_waits, waits);
    status = same_fields(mpi, status, num_fields, fields);
    t->from = &exchange->send;
    t->to = &exchange->recv;
    t->queue = queue;
    t->num_fields = status == XL_SUCCESS ? num_fields : 0;
    for (size_t f = 0; f < t->num_fields; ++f)
        t->fields[f] = xlm_moved_of(fields[f].element_bytes, &fields[f].in, &fields[f].out);
    return xlm_transfer_begin(exchange, status, num_waits, waits);
}

static xl_status unpack(xl_mpi_exchange *exchange)
{
    return xlm_transfer_move(exchange, true);
}

xl_status xl_mpi_gather_end(xl_mpi_exchange *exchange, cl_event *event)
{
    if (event)
        *event = NULL;
    return exchange ? xlm_transfer_end(exchange, &exchange->send, "gather", unpack, event)
                    : XL_ERROR_INVALID_ARGUMENT;
}

xl_status xl_mpi_gather(xl_mpi_exchange *exchange, cl_command_queue queue, size_t num_fields,
                        const xl_mpi_field *fields, cl_uint num_waits, const cl_event *waits,
                        cl_event *event)
{
    if (event)
        *event = NULL;
    const xl_status status =
        xl_mpi_gather_begin(exchange, queue, num_fields, fields, num_waits, waits);
    return status == XL_SUCCESS ? xl_mpi_gather_end(exchange, event) : status;
}
