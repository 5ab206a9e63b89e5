/* SPDX-License-Identifier: MIT
 * The programs of a search within a radius. Creation builds that of the user's function or, if
 * there is none, that of counts and lists. A plan with a function builds the latter when a call
 * needs it. Given queries are checked by a kernel of the program that creation builds. */
#include "neighbors_plan.h"
#include "user_text.h"

/* The user's function, and a call that compiles only if the function has the plan's scalar. */
static void add_visit(const xli_neighbors_plan *plan, const char *visit, xli_text *defines)
{
    static const xli_signature
        narrow = {"visit", "", "float", "visit", "(float, float, uint, uint, float4)", ""},
        wide = {"visit", "", "double", "visit", "(double, double, uint, uint, double4)", ""};
    xli_signature signature = plan->form.scalar == XL_F64 ? wide : narrow;
    signature.source = visit;
    xli_text_add(defines,
                 "#pragma OPENCL FP_CONTRACT OFF\n#line 1 \"visit\"\n%s\n"
                 "#line 1 \"call of visit\"\n"
                 "typedef __typeof__(visit(0, 0, 0, 0, 0)) xl_visited;\n",
                 visit);
    xli_text_signature(defines, &signature);
}

static void add_text(const xli_neighbors_plan *plan, const char *visit, xli_text *text)
{
    const xli_search_form *const form = &plan->form;
    const xli_definition lines[] = {
        {"XL_GROUP", plan->tune.group},
        {"XL_STAGED", plan->tune.staged},
        {"XL_WALK", plan->tune.walk},
        {"XL_PLANES", form->planes},
        {"XL_RADIUS_INCLUSIVE", plan->inclusive},
        {"XL_KEEP_SELF", plan->includes_self || form->given},
        {"XL_REPEATS", form->repeats},
        {"XL_RADII", plan->radii},
        {"XL_HALF", plan->half},
        {"XL_DETAILS", plan->has_details},
        {"XL_ROW_ROOM", plan->keeps_nearest ? 2 : plan->row_capacity > 0},
        {"XL_F64", form->scalar == XL_F64},
        {"XL_SYSTEMS", form->batch},
        {form->wrap && plan->has_details ? "XL_WRAP" : NULL, 1},
        {form->given ? "XL_QUERY_STRIDE" : NULL, form->soa ? 0 : form->stride},
        {"XL_QUERY_DIMENSIONS", form->given ? form->dimensions : 0},
        {"XL_SORTED", plan->sorted},
        {"XL_VISIT", visit != NULL}};
    xli_text_define(text, lines, XLI_COUNT(lines));
    xli_text_add(text, "#define XL_TOGETHER %uu\n", plan->together);
}

/* The program of visits by the user's function or, if it is NULL, that of lists. */
static xl_status build_text(xli_neighbors_plan *plan, const char *visit)
{
    const bool lists = visit == NULL;
    const xli_wanted list[] = {
        {"xl_neighbors_count", &plan->count, lists},
        {"xl_neighbors_fill", &plan->fill, lists},
        {"xl_neighbors_visit", &plan->visit, !lists},
        {"xl_neighbors_details", &plan->details, lists && plan->has_details},
        {"xl_neighbors_check", &plan->check, lists != plan->visits && plan->form.given},
        {"xl_neighbors_longest", &plan->longest, lists && plan->row_capacity > 0}};
    xli_text defines = {0};
    add_text(plan, visit, &defines);
    if (visit)
        add_visit(plan, visit, &defines);
    const xl_status status =
        xli_kernels_build(plan->base.ctx, "neighbors", &defines, list, XLI_COUNT(list), NULL);
    xli_text_free(&defines);
    return status;
}

xl_status xli_near_build_visits(xli_neighbors_plan *plan, const char *visit)
{
    return build_text(plan, visit);
}

static xl_status build_lists(void *of, unsigned part)
{
    (void)part;
    return build_text(of, NULL);
}

xl_status xli_near_build_lists(xli_neighbors_plan *plan)
{
    return xli_parts_build(&plan->parts, 0, build_lists, plan);
}

/* Creation has built the program of sums. */
xl_status xli_near_prepare(xl_plan *base, const void *of, const xli_span *spans)
{
    (void)spans;
    return xli_near_gives_counts(of) || xli_near_gives_list(of)
               ? xli_near_build_lists((xli_neighbors_plan *)base)
               : XL_SUCCESS;
}
