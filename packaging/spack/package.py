# SPDX-License-Identifier: MIT
# For Spack 1.0 and later.
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Crosslane(CMakePackage):
    """Parallel primitives on OpenCL in C11: scan, reduce, sort, top-k, select, merge, search, histogram,
    transform, and exact neighbour search in 1, 2 and 3 dimensions."""

    url = "@url@"

    license("MIT")

    version("@version@", sha256="@sha256@")

    variant("shared", default=True, description="Build the shared library, not the static one")
    variant("tools", default=True, description="Build the program crosslane")

    depends_on("c", type="build")
    depends_on("cmake@3.20:", type="build")
    # Not the virtual package opencl, which may be CUDA.
    depends_on("opencl-icd-loader")
    depends_on("opencl-headers")
    depends_on("pocl", type="test")

    def cmake_args(self):
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("XL_TOOL", "tools"),
            self.define("XL_TESTS", False),
            self.define("XL_BENCH", False),
            self.define("XL_EXAMPLES", False),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_PNG", True),
        ]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        if "+tools" in self.spec:
            Executable(join_path(self.prefix.bin, "crosslane"))("selftest", "search", "merge", "--quick")
