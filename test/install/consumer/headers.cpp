/* SPDX-License-Identifier: MIT
 * A user's C++17 program: the headers compile, the C names link. */
#include <crosslane/crosslane.h>

int main()
{
    return xl_version() == XL_VERSION_MAJOR * 10000 + XL_VERSION_MINOR * 100 + XL_VERSION_PATCH ? 0
                                                                                                : 1;
}
