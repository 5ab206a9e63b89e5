/* SPDX-License-Identifier: MIT; which of four points are closer than 1.5, on the best device. */
#include <crosslane/simple.h>
#include <stdio.h>
int main(void)
{
    const float points[4][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {9, 9, 9}};
    xl_neighbor_list list;
    if (xl_simple_neighbors(NULL, NULL, 4, points, 1.5, 0, &list) != XL_SUCCESS)
        return fprintf(stderr, "%s\n", xl_context_error(NULL)), 1;
    for (size_t i = 0; i < list.n; ++i) /* 0: 1, 1: 0 2, 2: 1, 3: none */
        for (uint64_t k = list.offsets[i]; k < list.offsets[i + 1]; ++k)
            printf("%zu has the neighbour %u\n", i, (unsigned)list.indices[k]);
    xl_simple_free(&list);
    return 0;
}
