/* SPDX-License-Identifier: MIT
 * The descriptor of a scan or a reduction across ranks: comparison, sizes, the plans of its parts. */
#include "mpi_parts.h"
#include <stdlib.h>
#include <string.h>

xl_reduce_desc xlm_reduce_of(const xl_scan_desc *desc)
{
    return (xl_reduce_desc){.version = desc->version,
                            .type = desc->type,
                            .user_type = desc->user_type,
                            .load_type = desc->load_type,
                            .store_type = desc->store_type,
                            .user_load_type = desc->user_load_type,
                            .user_store_type = desc->user_store_type,
                            .op = desc->op,
                            .equal_zeros = 1,
                            .user_op = desc->user_op,
                            .init = desc->init,
                            .load = desc->load,
                            .store = desc->store,
                            .num_params = desc->num_params,
                            .params = desc->params,
                            .segments = desc->segments,
                            .segment_type = desc->segment_type,
                            .segment_width = desc->segment_width,
                            .segment_mask = desc->segment_mask,
                            .determinism = desc->determinism};
}

/* ---- comparison ---------------------------------------------------------------------------- */

static size_t bytes_of(uint32_t type, const xl_user_type *user)
{
    if (type == XL_USER_TYPE)
        return user ? user->size : 0;
    return xl_type_size((xl_type)type);
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    const uint64_t both[] = {a, b};
    return xlm_hash(both, sizeof both);
}

static uint64_t hash_type(const xl_user_type *type)
{
    if (!type)
        return 0;
    return mix(mix(xlm_hash_text(type->name), xlm_hash_text(type->source)),
               mix(type->size, type->alignment));
}

static uint64_t hash_op(const xl_user_op *op, size_t bytes)
{
    if (!op)
        return 0;
    return mix(mix(xlm_hash_text(op->name), xlm_hash_text(op->source)),
               mix(op->flags, op->identity ? xlm_hash(op->identity, bytes) : 0));
}

static uint64_t hash_params(const xl_reduce_desc *desc)
{
    uint64_t hash = 0;
    for (size_t k = 0; desc->params && k < desc->num_params && k < XL_PARAMS; ++k)
        hash = mix(hash, mix(xlm_hash_text(desc->params[k].name), desc->params[k].type));
    return hash;
}

xl_status xlm_same_desc(xl_mpi *mpi, xl_status mine, const xl_reduce_desc *desc,
                        const xlm_value *more, size_t count)
{
    static const xl_reduce_desc none = {0};
    const xl_reduce_desc *const d = desc ? desc : &none;
    const size_t bytes = bytes_of(d->type, d->user_type);
    const xlm_value values[] = {
        {"desc.type", d->type},
        {"desc.user_type", hash_type(d->user_type)},
        {"desc.load_type", d->load_type},
        {"desc.user_load_type", hash_type(d->user_load_type)},
        {"desc.store_type", d->store_type},
        {"desc.user_store_type", hash_type(d->user_store_type)},
        {"desc.op", d->op},
        {"desc.user_op", hash_op(d->user_op, bytes)},
        {"desc.equal_zeros", d->equal_zeros},
        {"desc.init", d->init ? xlm_hash(d->init, bytes) : 0},
        {"desc.load", xlm_hash_text(d->load)},
        {"desc.store", xlm_hash_text(d->store)},
        {"desc.num_params", d->num_params},
        {"desc.params", hash_params(d)},
        {"desc.segments", d->segments},
        {"desc.segment_type", d->segment_type},
        {"desc.segment_width", d->segment_width},
        {"desc.segment_mask", d->segment_mask},
        {"desc.determinism", d->determinism},
    };
    mine = xlm_same(mpi, mine, values, sizeof values / sizeof values[0]);
    return xlm_same(mpi, mine, more, count);
}

/* ---- the index in an expression ------------------------------------------------------------ */

static bool is_letter(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Characters of the token that begins at `text`: a word, a comment, a literal in quotes, or one other
 * character. */
static size_t token_length(const char *text)
{
    size_t length = 1;
    if (is_letter(text[0])) {
        while (is_letter(text[length]))
            ++length;
    } else if (text[0] == '/' && text[1] == '*') {
        const char *const end = strstr(text + 2, "*/");
        length = end ? (size_t)(end - text) + 2 : strlen(text);
    } else if (text[0] == '\'' || text[0] == '"') {
        while (text[length] && text[length] != text[0])
            length += text[length] == '\\' && text[length + 1] ? 2 : 1;
        length += text[length] != '\0';
    }
    return length;
}

char *xlm_shift_index(const char *text, const char *name, bool *found)
{
    const size_t longest = strlen(text) * (strlen(name) + 4) + 1; /* if each character is an i */
    char *const shifted = malloc(longest), *end = shifted;
    bool member = false; /* .i and ->i are members of a structure */
    *found = false;
    while (shifted && *text) {
        const size_t length = token_length(text);
        if (length == 1 && *text == 'i' && !member) {
            *found = true;
            *end++ = '(';
            memcpy(end, "i+", 2);
            memcpy(end + 2, name, strlen(name));
            end += 2 + strlen(name);
            *end++ = ')';
        } else {
            memcpy(end, text, length);
            end += length;
        }
        if (*text != ' ' && *text != '\n' && *text != '\t')
            member = *text == '.' || (*text == '>' && end - shifted > 1 && end[-2] == '-');
        text += length;
    }
    if (shifted)
        *end = '\0';
    return shifted;
}

/* ---- plans --------------------------------------------------------------------------------- */

bool xlm_in_units(const xl_reduce_desc *desc)
{
    const bool rounds =
        desc->op == XL_USER_OP
            ? desc->user_op && !(desc->user_op->flags & XL_OP_STRICTLY_ASSOCIATIVE)
            : (desc->op == XL_SUM || desc->op == XL_PROD) && xlm_is_float(desc->type);
    return rounds && desc->determinism == XL_REPRODUCIBLE;
}

void xlm_problem_init(xlm_problem *problem, xl_mpi *mpi, const xl_reduce_desc *desc)
{
    static const size_t fixed[] = {
        [XL_SEGMENTS_HEAD_FLAGS] = 1, [XL_SEGMENTS_FLAG_BITMASK] = 4, [XL_SEGMENTS_MASK] = 0};
    const bool typed = desc->segments == XL_SEGMENTS_KEYS || desc->segments == XL_SEGMENTS_OFFSETS;
    problem->mpi = mpi;
    problem->type_bytes = bytes_of(desc->type, desc->user_type);
    problem->load_bytes =
        desc->load_type ? bytes_of(desc->load_type, desc->user_load_type) : problem->type_bytes;
    problem->store_bytes =
        desc->store_type ? bytes_of(desc->store_type, desc->user_store_type) : problem->type_bytes;
    problem->segment_bytes =
        typed ? xl_type_size((xl_type)desc->segment_type) : fixed[desc->segments];
    problem->op = desc->op;
    problem->segments = desc->segments;
    problem->width = desc->segment_width;
    problem->mask = desc->segment_mask | 1; /* a row begins with a head */
    problem->num_params = desc->num_params;
    problem->loads = desc->load != NULL;
    problem->units = xlm_in_units(desc);
    problem->finds = desc->op == XL_ARG_MIN || desc->op == XL_ARG_MAX;
}

xl_status xlm_check_params(xl_mpi *mpi, const xl_reduce_desc *desc, const char *field,
                           const char *text)
{
    bool counts = false;
    size_t bytes = sizeof(uint64_t);
    if (!text || desc->num_params > XL_PARAMS || (desc->num_params > 0 && !desc->params))
        return XL_SUCCESS; /* an error of the core library */
    char *const shifted = xlm_shift_index(text, "xlm_first", &counts);
    free(shifted);
    for (size_t k = 0; k < desc->num_params; ++k)
        bytes += (xl_type_size((xl_type)desc->params[k].type) + 3) / 4 * 4;
    if (!shifted)
        return xlm_fail(mpi, XL_ERROR_OUT_OF_MEMORY, "no memory for %s", field);
    if (counts && (desc->num_params == XL_PARAMS || bytes > 64))
        return xlm_fail(mpi, XL_ERROR_UNSUPPORTED,
                        "desc.num_params: %zu; if %s uses i, at most %d parameters of at most 56 "
                        "bytes together, because the first index of a part is one, too",
                        desc->num_params, field, XL_PARAMS - 1);
    return XL_SUCCESS;
}

/* A plan for a range of a part: without init, store and segments. */
static xl_status create_partial(const xl_reduce_desc *desc, xl_mpi *mpi, xl_plan **plan)
{
    xl_reduce_desc partial = *desc;
    partial.init = NULL;
    partial.store = NULL;
    partial.store_type = XL_NONE;
    partial.user_store_type = NULL;
    partial.segments = XL_SEGMENTS_NONE;
    partial.segment_type = XL_NONE;
    partial.segment_width = partial.segment_mask = 0;
    partial.num_tunables = 0;
    partial.tunables = NULL;
    if (!desc->load) {
        partial.num_params = 0;
        partial.params = NULL;
    }
    return xl_reduce_create(mpi->ctx, &partial, plan);
}

static xl_status create_partials(xlm_problem *problem, const xl_reduce_desc *desc)
{
    xl_reduce_desc pick = *desc;
    xl_status status = create_partial(desc, problem->mpi, &problem->partial);
    if (status == XL_SUCCESS && problem->finds) {
        pick.op = XL_MIN; /* of one element */
        status = create_partial(&pick, problem->mpi, &problem->pick);
    }
    return status;
}

/* The last head + 1 in .x, ~ the first one in .y; 0: there is none. The greatest of each is kept. */
static xl_status create_heads(xlm_problem *problem, const xl_reduce_desc *desc)
{
#define XLM_WORD "(i * 32 + 32 > n ? x & ((1u << (n & 31)) - 1) : x)"
    static const char *const loads[] = {
        [XL_SEGMENTS_HEAD_FLAGS] = "(ulong2)(x ? i + 1 : 0ul, x ? ~i : 0ul)",
        [XL_SEGMENTS_FLAG_BITMASK] =
            "(ulong2)(" XLM_WORD " ? i * 32 + 32 - clz(" XLM_WORD ") : 0ul, " XLM_WORD
            " ? ~(i * 32 + popcount(~" XLM_WORD " & (" XLM_WORD " - 1))) : 0ul)",
        [XL_SEGMENTS_KEYS] = "(ulong2)(x != last ? i + 2 : 0ul, x != first ? ~i : 0ul)",
        [XL_SEGMENTS_MASK] = NULL};
    const xl_param keys[] = {{"first", desc->segment_type}, {"last", desc->segment_type}},
                   bits[] = {{"n", XL_U64}};
    xl_reduce_desc heads;
    xl_reduce_desc_init(&heads);
    if (desc->segments > XL_SEGMENTS_MASK || !loads[desc->segments])
        return XL_SUCCESS;
    heads.type = XL_U64X2;
    heads.op = XL_MAX;
    heads.load = loads[desc->segments];
    heads.load_type = XL_U8;
    if (desc->segments == XL_SEGMENTS_KEYS) {
        heads.load_type = desc->segment_type;
        heads.num_params = 2;
        heads.params = keys;
    } else if (desc->segments == XL_SEGMENTS_FLAG_BITMASK) {
        heads.load_type = XL_U32;
        heads.num_params = 1;
        heads.params = bits;
    }
    return xl_reduce_create(problem->mpi->ctx, &heads, &problem->heads);
}

char *xlm_add_index(xl_reduce_desc *desc, const char **text, const char *name,
                    xl_param params[XL_PARAMS + 1], bool *found)
{
    *found = false;
    char *const shifted = *text ? xlm_shift_index(*text, name, found) : NULL;
    if (!*found)
        return shifted;
    for (size_t k = 0; k < desc->num_params; ++k)
        params[k] = desc->params[k];
    params[desc->num_params++] = (xl_param){name, XL_U64};
    desc->params = params;
    *text = shifted;
    return shifted;
}

xl_status xlm_problem_plans(xlm_problem *problem, const xl_reduce_desc *desc)
{
    xl_reduce_desc shifted = *desc;
    xl_param params[XL_PARAMS + 1];
    char *const load =
        xlm_add_index(&shifted, &shifted.load, "xlm_first", params, &problem->counts);
    xl_status status = desc->load && !load ? XL_ERROR_OUT_OF_MEMORY : XL_SUCCESS;
    if (status == XL_SUCCESS)
        status = create_partials(problem, &shifted);
    if (status == XL_SUCCESS)
        status = create_heads(problem, desc);
    free(load);
    return status;
}

void xlm_problem_drop(xlm_problem *problem)
{
    xl_plan_destroy(problem->carry);
    xl_plan_destroy(problem->partial);
    xl_plan_destroy(problem->pick);
    xl_plan_destroy(problem->heads);
}
