/* SPDX-License-Identifier: MIT
 * A communicator with its device: creation, agreement on a status, comparison of arguments. */
#include "internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char creation_error[XLM_TEXT]; /* of the last xl_mpi_create() */

/* ---- failures ----------------------------------------------------------------------------- */

xl_status xlm_fail(xl_mpi *mpi, xl_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(mpi ? mpi->mine : creation_error, XLM_TEXT, format, list);
    va_end(list);
    return status;
}

xl_status xlm_core(xl_mpi *mpi, xl_status status)
{
    return status == XL_SUCCESS ? status : xlm_fail(mpi, status, "%s", xl_context_error(mpi->ctx));
}

xl_status xlm_cl(xl_mpi *mpi, cl_int code, const char *call)
{
    if (code == CL_SUCCESS)
        return XL_SUCCESS;
    const bool memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
                        code == CL_OUT_OF_HOST_MEMORY;
    return xlm_fail(mpi, memory ? XL_ERROR_OUT_OF_MEMORY : XL_ERROR_OPENCL, "%s: OpenCL error %d",
                    call, (int)code);
}

xl_status xlm_mpi(xl_mpi *mpi, int code, const char *call)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code == MPI_SUCCESS)
        return XL_SUCCESS;
    MPI_Error_string(code, text, &length);
    return xlm_fail(mpi, XL_ERROR_MPI, "%s: %s", call, text);
}

/* The message of a rank that failed to the others. */
typedef struct report {
    int status;
    char text[XLM_TEXT];
} report;

/* The status of the lowest rank of `comm` that failed, and its text in `error`. */
static xl_status agree(MPI_Comm comm, xl_status mine, const char *reason, char *error)
{
    report told = {(int)mine, ""};
    int rank, size, failed, first, code;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    failed = mine == XL_SUCCESS ? size : rank;
    code = MPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, comm);
    if (code == MPI_SUCCESS && first == size)
        return XL_SUCCESS;
    if (code == MPI_SUCCESS) {
        snprintf(told.text, sizeof told.text, "%s", reason);
        code = MPI_Bcast(&told, (int)sizeof told, MPI_BYTE, first, comm);
    }
    if (code != MPI_SUCCESS) {
        snprintf(error, XLM_TEXT, "the ranks could not agree on a status: MPI error %d", code);
        return XL_ERROR_MPI;
    }
    snprintf(error, XLM_TEXT, "rank %d: %.*s", first, XLM_TEXT - 32, told.text);
    return (xl_status)told.status;
}

xl_status xlm_agree(xl_mpi *mpi, xl_status mine)
{
    if (mpi->rank == mpi->fail_rank && mpi->steps == mpi->fail_step)
        mine = xlm_fail(mpi, XL_ERROR_OUT_OF_MEMORY, "a test makes agreement %ld fail", mpi->steps);
    ++mpi->steps;
    return agree(mpi->comm, mine, mpi->mine, mpi->error);
}

xl_status xl_mpi_agree(xl_mpi *mpi, xl_status mine, const char *text)
{
    if (!mpi)
        return XL_ERROR_INVALID_ARGUMENT;
    if (mine != XL_SUCCESS)
        xlm_fail(mpi, mine, "%s", text ? text : xl_status_name(mine));
    return xlm_agree(mpi, mine);
}

xl_status xlm_same(xl_mpi *mpi, xl_status mine, const xlm_value *values, size_t count)
{
    uint64_t first[64];
    for (size_t done = 0; done < count; done += 64) {
        const size_t part = count - done < 64 ? count - done : 64;
        for (size_t i = 0; i < part; ++i)
            first[i] = values[done + i].value;
        const xl_status status =
            xlm_mpi(mpi, MPI_Bcast(first, (int)part, MPI_UINT64_T, 0, mpi->comm), "MPI_Bcast");
        for (size_t i = 0; i < part && mine == XL_SUCCESS && status == XL_SUCCESS; ++i)
            if (values[done + i].value != first[i])
                mine = xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT,
                                "%s: differs from that of rank 0; must be the same on all ranks",
                                values[done + i].name);
        if (mine == XL_SUCCESS)
            mine = status;
    }
    return mine;
}

uint64_t xlm_hash(const void *bytes, size_t count)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < count; ++i)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

uint64_t xlm_hash_text(const char *text)
{
    return text ? xlm_hash(text, strlen(text)) : 0;
}

/* ---- creation ----------------------------------------------------------------------------- */

void xl_mpi_desc_init_version(xl_mpi_desc *desc, uint32_t version)
{
    if (desc)
        *desc = (xl_mpi_desc){.version = version, .chunk_bytes = UINT64_C(1) << 30};
}

static xl_status check_creation(xl_context *ctx, const xl_mpi_desc *desc)
{
    if (!ctx)
        return xlm_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "ctx: NULL");
    if (desc && desc->version / 100 != XL_VERSION_NUMBER / 100)
        return xlm_fail(NULL, XL_ERROR_INVALID_ARGUMENT,
                        "desc.version: %u; start from xl_mpi_desc_init()", (unsigned)desc->version);
    if (desc && (desc->chunk_bytes < 1 || desc->chunk_bytes > UINT64_C(1) << 30))
        return xlm_fail(NULL, XL_ERROR_INVALID_ARGUMENT,
                        "desc.chunk_bytes: %llu; must be 1 to 2^30",
                        (unsigned long long)desc->chunk_bytes);
    return XL_SUCCESS;
}

static void read_failure(xl_mpi *mpi)
{
    const char *text = getenv("CROSSLANE_TEST_MPI_FAIL");
    mpi->fail_rank = mpi->fail_step = -1;
    if (text && sscanf(text, "%ld,%ld", &mpi->fail_rank, &mpi->fail_step) != 2)
        mpi->fail_rank = mpi->fail_step = -1;
}

xl_status xl_mpi_create(xl_context *ctx, MPI_Comm comm, const xl_mpi_desc *desc, xl_mpi **out)
{
    xl_mpi *mpi = NULL;
    xl_status status = check_creation(ctx, desc);
    if (out)
        *out = NULL;
    else
        status = xlm_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "mpi: NULL");
    if (status == XL_SUCCESS && !(mpi = calloc(1, sizeof *mpi)))
        status = xlm_fail(NULL, XL_ERROR_OUT_OF_MEMORY, "no memory for an xl_mpi");
    status = agree(comm, status, creation_error, creation_error);
    if (status != XL_SUCCESS) {
        free(mpi);
        return status;
    }
    mpi->ctx = ctx;
    if (desc)
        mpi->desc = *desc;
    else
        xl_mpi_desc_init(&mpi->desc);
    mpi->node = MPI_COMM_NULL;
    int code = MPI_Comm_dup(comm, &mpi->comm);
    if (code != MPI_SUCCESS) {
        free(mpi);
        return xlm_fail(NULL, XL_ERROR_MPI, "MPI_Comm_dup: MPI error %d", code);
    }
    MPI_Comm_set_errhandler(mpi->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(mpi->comm, &mpi->rank);
    MPI_Comm_size(mpi->comm, &mpi->size);
    read_failure(mpi);
    code =
        MPI_Comm_split_type(mpi->comm, MPI_COMM_TYPE_SHARED, mpi->rank, MPI_INFO_NULL, &mpi->node);
    status = xlm_mpi(mpi, code, "MPI_Comm_split_type");
    if (status == XL_SUCCESS) {
        MPI_Comm_set_errhandler(mpi->node, MPI_ERRORS_RETURN);
        MPI_Comm_rank(mpi->node, &mpi->node_rank);
    }
    const xlm_value values[] = {{"desc.chunk_bytes", mpi->desc.chunk_bytes},
                                {"desc.message_buffer", mpi->desc.message_buffer != NULL}};
    status = xlm_agree(mpi, xlm_same(mpi, status, values, 2));
    if (status == XL_SUCCESS)
        status = xlm_probe(mpi);
    if (status == XL_SUCCESS) {
        *out = mpi;
        return status;
    }
    snprintf(creation_error, sizeof creation_error, "%s", mpi->error);
    xl_mpi_destroy(mpi);
    return status;
}

void xl_mpi_destroy(xl_mpi *mpi)
{
    if (!mpi)
        return;
    const cl_program programs[] = {mpi->program, mpi->points[0], mpi->points[1]};
    for (int k = 0; k < 3; ++k)
        if (programs[k])
            clReleaseProgram(programs[k]);
    for (int k = 0; k < XLM_CORE_PLANS; ++k)
        xl_plan_destroy(mpi->plans[k]);
    for (int k = 0; k < XLM_SPARES; ++k)
        xlm_host_end(mpi, &mpi->spare[k]);
    if (mpi->node != MPI_COMM_NULL)
        MPI_Comm_free(&mpi->node);
    MPI_Comm_free(&mpi->comm);
    free(mpi);
}

int xl_mpi_rank(const xl_mpi *mpi)
{
    return mpi ? mpi->rank : -1;
}

int xl_mpi_size(const xl_mpi *mpi)
{
    return mpi ? mpi->size : 0;
}

const char *xl_mpi_error(const xl_mpi *mpi)
{
    return mpi ? mpi->error : creation_error;
}

xl_status xl_mpi_in_turn(xl_mpi *mpi, xl_status (*create)(void *user), void *user)
{
    xl_status status = XL_SUCCESS;
    if (!mpi)
        return XL_ERROR_INVALID_ARGUMENT;
    if (!create)
        status = xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "create: NULL");
    else if (mpi->node_rank == 0)
        status = xlm_core(mpi, create(user));
    const xl_status turn = xlm_mpi(mpi, MPI_Barrier(mpi->node), "MPI_Barrier");
    if (create && mpi->node_rank != 0)
        status = xlm_core(mpi, create(user));
    return xlm_agree(mpi, status == XL_SUCCESS ? turn : status);
}

/* ---- plans --------------------------------------------------------------------------------- */

typedef struct making {
    xl_mpi_plan *plan;
    const void *desc;
} making;

static xl_status make_plan(void *user)
{
    const making *const m = user;
    return m->plan->kind->create(m->plan, m->desc);
}

xl_status xlm_plan_create(xl_mpi *mpi, xl_status mine, size_t bytes, const xlm_plan_kind *kind,
                          const void *desc, xl_mpi_plan **out)
{
    making m = {NULL, desc};
    if (out)
        *out = NULL;
    if (mine == XL_SUCCESS && !(m.plan = calloc(1, bytes)))
        mine = xlm_fail(mpi, XL_ERROR_OUT_OF_MEMORY, "no memory for a plan");
    if (m.plan)
        *m.plan = (xl_mpi_plan){kind, mpi};
    mine = xlm_agree(mpi, mine);
    if (mine == XL_SUCCESS)
        mine = xl_mpi_in_turn(mpi, make_plan, &m);
    if (mine == XL_SUCCESS)
        *out = m.plan;
    else
        xl_mpi_plan_destroy(m.plan);
    return mine;
}

xl_status xlm_check_plan(const xl_mpi_plan *plan, const xlm_plan_kind *kind, const char *field,
                         const void *given)
{
    if (plan->kind != kind)
        return xlm_fail(plan->mpi, XL_ERROR_INVALID_ARGUMENT, "plan: a %s; must be a %s",
                        plan->kind->name, kind->name);
    return given ? XL_SUCCESS : xlm_fail(plan->mpi, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", field);
}

bool xlm_is_float(uint32_t type)
{
    const uint32_t lane = type & 0xff;
    return type < XL_USER_TYPE && lane >= XL_F16 && lane <= XL_F64;
}

const char *xlm_scalar_name(uint32_t type)
{
    static const char *const names[] = {
        [XL_I8] = "char",  [XL_U8] = "uchar",  [XL_I16] = "short", [XL_U16] = "ushort",
        [XL_I32] = "int",  [XL_U32] = "uint",  [XL_I64] = "long",  [XL_U64] = "ulong",
        [XL_F16] = "half", [XL_F32] = "float", [XL_F64] = "double"};
    return names[type & 0xff];
}

void xl_mpi_plan_destroy(xl_mpi_plan *plan)
{
    if (plan)
        plan->kind->destroy(plan);
}

/* ---- the device of a rank ------------------------------------------------------------------ */

/* Devices of one platform with one name, in the order of the library. */
typedef struct same_devices {
    cl_device_id chosen;
    cl_platform_id platform;
    char name[256];
    char selector[64][32];
    int count, first; /* first: the number of the chosen one */
} same_devices;

static void note_device(void *user, uint32_t platform, uint32_t device, cl_platform_id pid,
                        cl_device_id did)
{
    same_devices *same = user;
    char name[256] = "";
    if (pid != same->platform || same->count == 64 ||
        clGetDeviceInfo(did, CL_DEVICE_NAME, sizeof name, name, NULL) != CL_SUCCESS ||
        strcmp(name, same->name) != 0)
        return;
    if (did == same->chosen)
        same->first = same->count;
    snprintf(same->selector[same->count++], sizeof same->selector[0], "%u:%u", (unsigned)platform,
             (unsigned)device);
}

static bool names_one_device(const char *selector)
{
    unsigned platform, device;
    char rest;
    return selector && sscanf(selector, "%u:%u%c", &platform, &device, &rest) == 2;
}

/* Replaces *ctx by one on the device of rank `turn` of the node. */
static xl_status take_turn(const xl_context_desc *desc, int turn, xl_context **ctx)
{
    same_devices same = {.chosen = xl_context_device(*ctx)};
    xl_context_desc other;
    if (clGetDeviceInfo(same.chosen, CL_DEVICE_PLATFORM, sizeof same.platform, &same.platform,
                        NULL) != CL_SUCCESS ||
        clGetDeviceInfo(same.chosen, CL_DEVICE_NAME, sizeof same.name, same.name, NULL) !=
            CL_SUCCESS)
        return XL_ERROR_OPENCL;
    xl_devices_each(note_device, &same);
    if (same.count < 2 || (same.first + turn) % same.count == same.first)
        return XL_SUCCESS;
    xl_context_desc_init(&other);
    if (desc)
        other = *desc;
    other.device = same.selector[(same.first + turn) % same.count];
    xl_context_destroy(*ctx);
    return xl_context_create(&other, ctx);
}

xl_status xl_mpi_context_create(MPI_Comm comm, const xl_context_desc *desc, xl_context **ctx)
{
    MPI_Comm node;
    int turn = 0;
    char unused[XLM_TEXT];
    xl_context *made = NULL;
    const char *selector = desc && desc->device ? desc->device : getenv("CROSSLANE_DEVICE");
    if (ctx)
        *ctx = NULL;
    if (MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) == MPI_SUCCESS) {
        MPI_Comm_rank(node, &turn);
        MPI_Comm_free(&node);
    }
    xl_status status = ctx ? xl_context_create(desc, &made) : XL_ERROR_INVALID_ARGUMENT;
    if (status == XL_SUCCESS && !names_one_device(selector))
        status = take_turn(desc, turn, &made);
    const xl_status agreed =
        agree(comm, status, ctx ? xl_context_error(NULL) : "ctx: NULL", unused);
    if (agreed == XL_SUCCESS)
        *ctx = made;
    else
        xl_context_destroy(made);
    return agreed;
}
