/* SPDX-License-Identifier: MIT; running totals of five numbers, on the best device. */
#include <crosslane/simple.h>
#include <stdio.h>
int main(void)
{
    uint32_t x[5] = {3, 1, 4, 1, 5};
    if (xl_simple_inclusive_sum(NULL, XL_U32, XL_U32, 5, x, x) != XL_SUCCESS)
        return fprintf(stderr, "%s\n", xl_context_error(NULL)), 1;
    printf("%u %u %u %u %u\n", x[0], x[1], x[2], x[3], x[4]); /* 3 4 8 9 14 */
    return x[4] == 14 ? 0 : 1;
}
