/* SPDX-License-Identifier: MIT
 * A user's C++17 program: the headers and their macros compile, and the C names link. */
#include <crosslane/crosslane.h>

/* Each descriptor receives the version of these headers. */
#define INIT(X)                                                                                    \
    {                                                                                              \
        xl_##X##_desc desc;                                                                        \
        xl_##X##_desc_init(&desc);                                                                 \
        wrong += desc.version != XL_VERSION_NUMBER;                                                \
    }

int main()
{
    int wrong = xl_version() != XL_VERSION_NUMBER;
    INIT(context)
    INIT(scan)
    INIT(reduce)
    INIT(sort)
    INIT(top_k)
    INIT(merge)
    INIT(search)
    INIT(select)
    INIT(histogram)
    INIT(transform)
    INIT(grid)
    INIT(neighbors)
    INIT(nearest)
    INIT(nearest_approximate)
    INIT(morton)
    const xl_view view = xl_view_of(nullptr, 0);
    return wrong != 0 || view.buffer != nullptr;
}
