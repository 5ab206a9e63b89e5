/* SPDX-License-Identifier: MIT
 * Checks on the device that arrays are sorted. */
#include "tool.h"

static int find_unsorted(const session *s, xl_plan *plan, cl_mem keys, size_t n, cl_mem place,
                         uint64_t *first)
{
    cl_event event = NULL;
    const xl_search_args args = {
        .n = n, .keys = xl_view_of(keys, 0), .indices_out = xl_view_of(place, 0)};
    int result = tool_check(s->ctx, xl_search_enqueue(plan, s->queue, &args, 0, NULL, &event),
                            "checking the order");
    if (result == TOOL_OK)
        result = session_read(s, place, sizeof *first, first);
    if (event)
        clReleaseEvent(event);
    return result;
}

static int report_unsorted(const char *command, const char *path, const xli_npy *keys, size_t i,
                           bool descending)
{
    char text[2][ELEMENT_TEXT_BYTES];
    return tool_fail("%s: element %zu is %s after %s; %s requires %s order: sort the array with "
                     "crosslane sort, or give --assume-sorted",
                     path, i, element_text(keys, i, text[0]), element_text(keys, i - 1, text[1]),
                     command, descending ? "descending" : "ascending");
}

int order_check(const session *s, const char *command, const char *path, const xli_npy *keys,
                cl_mem buffer, bool descending)
{
    int result;
    xl_plan *plan = NULL;
    xl_search_desc desc;
    cl_mem place = NULL;
    uint64_t first = keys->count;
    if (keys->count < 2)
        return TOOL_OK;
    xl_search_desc_init(&desc);
    desc.key = array_type(keys);
    desc.order = descending ? XL_DESCENDING : XL_ASCENDING;
    desc.kind = XL_SEARCH_UNSORTED;
    desc.equal_zeros = 1;
    progress_compiling();
    const xl_status created = xl_search_create(s->ctx, &desc, &plan);
    TRY(session_prepare(s, created, &plan, &(xl_search_args){.n = keys->count}, command));
    progress_say("checking the order of %s", path);
    TRY(session_buffer(s, sizeof first, "the place", &place));
    TRY(find_unsorted(s, plan, buffer, keys->count, place, &first));
    if (first < keys->count)
        result = report_unsorted(command, path, keys, (size_t)first, descending);
done:
    session_release(&place);
    xl_plan_destroy(plan);
    return result;
}
