#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: packaging/recipes-test.py [PART...]

Runs the steps of the recipes that packaging/release.sh filled in build/release/recipes: checks the
checksum, unpacks, configures, builds, installs and tests, for each PART of spack, conda and vcpkg
(default: all). Stand-ins provide the functions of Spack and vcpkg that the recipes call; the
dependencies are those of this machine. Needs jinja2 and yaml for conda; exits with 77 without them.
"""
import glob
import hashlib
import json
import os
import shutil
import subprocess
import sys
import types

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RELEASE = os.path.join(TOP, "build/release")
WORK = os.path.join(TOP, "build/recipes")
JOBS = str(min(2, os.cpu_count()))


def run(*command, **more):
    print("+", *command, flush=True)
    subprocess.run(command, check=True, **more)


def unpack(url, sha256, folder):
    """The tarball must be the one of the recipe."""
    path = url.removeprefix("file://")
    with open(path, "rb") as file:
        assert hashlib.sha256(file.read()).hexdigest() == sha256, path
    os.makedirs(folder)
    run("tar", "-xzf", path, "--strip-components=1", "-C", folder)


def spack(recipe, work):
    """Executes package.py for each value of its variants; the names that it imports are recorded or done here."""
    directives = {}

    def directive(name):
        return lambda *values, **options: directives.setdefault(name, []).append((values, options))

    class CMakePackage:
        def define(self, name, value):
            return f"-D{name}:BOOL={'ON' if value else 'OFF'}"

        def define_from_variant(self, name, variant):
            return self.define(name, f"+{variant}" in self.spec)

    names = {name: directive(name) for name in ("license", "version", "variant", "depends_on")}
    names |= {"run_after": lambda when: lambda f: f,
              "on_package_attributes": lambda **given: lambda f: f, "join_path": os.path.join,
              "Executable": lambda path: lambda *arguments: run(path, *arguments)}
    # Since version 1.0, Spack's build systems are in its repository of packages, and spack.package does not have them.
    for place, values in ("spack.package", names), ("spack_repo.builtin.build_systems.cmake", {"CMakePackage": CMakePackage}):
        parts = place.split(".")
        for i in range(1, len(parts) + 1):
            sys.modules.setdefault(".".join(parts[:i]), types.ModuleType(".".join(parts[:i])))
        sys.modules[place].__dict__.update(values)
    space = {}
    with open(os.path.join(recipe, "package.py"), encoding="utf-8") as file:
        exec(compile(file.read(), "package.py", "exec"), space)
    package = space["Crosslane"]()
    (version, options), = directives["version"]
    assert f"-{version[0]}." in package.url
    unpack(package.url, options["sha256"], f"{work}/source")
    variants = [values[0] for values, _ in directives["variant"]]
    for sign in "+~":
        package.spec = " ".join(sign + variant for variant in variants)
        package.prefix = types.SimpleNamespace(bin=f"{work}/prefix{sign}/bin")
        run("cmake", "-S", f"{work}/source", "-B", f"{work}/build{sign}", *package.cmake_args(),
            f"-DCMAKE_INSTALL_PREFIX={work}/prefix{sign}")
        run("cmake", "--build", f"{work}/build{sign}", "--parallel", JOBS, "--target", "install")
        package.check_install()
        assert bool(glob.glob(f"{work}/prefix{sign}/lib/**/libcrosslane.so*", recursive=True)) == (sign == "+")


def conda(recipe, work):
    try:
        import jinja2
        import yaml
    except ImportError as error:
        print(error.name, "is not installed")
        sys.exit(77)
    with open(os.path.join(recipe, "meta.yaml"), encoding="utf-8") as file:
        lines = [line for line in file if "# [win]" not in line and "# [osx]" not in line]
    text = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string("".join(lines)).render(
        compiler=lambda language: f"{language}_compiler", stdlib=lambda language: f"{language}_stdlib",
        pin_subpackage=lambda name, max_pin: name)
    meta = yaml.safe_load(text)
    unpack(meta["source"]["url"], meta["source"]["sha256"], f"{work}/source")
    environment = dict(os.environ, PREFIX=f"{work}/prefix", CPU_COUNT=JOBS, CMAKE_ARGS="",
                       PATH=f"{work}/prefix/bin:{os.environ['PATH']}")
    assert os.path.exists(f"{work}/source/{meta['about']['license_file']}")
    for line in meta["build"]["script"] + meta["test"]["commands"]:
        run("bash", "-ec", line, cwd=f"{work}/source", env=environment)


VCPKG = r"""
function(vcpkg_download_distfile out)
  cmake_parse_arguments(given "" "URLS;FILENAME;SHA512" "" ${ARGN})
  file(DOWNLOAD "${given_URLS}" "${WORK}/${given_FILENAME}" EXPECTED_HASH SHA512=${given_SHA512})
  set(${out} "${WORK}/${given_FILENAME}" PARENT_SCOPE)
endfunction()
function(vcpkg_extract_source_archive out)
  cmake_parse_arguments(given "" "ARCHIVE" "" ${ARGN})
  file(ARCHIVE_EXTRACT INPUT "${given_ARCHIVE}" DESTINATION "${WORK}/source")
  file(GLOB found "${WORK}/source/*")
  set(${out} "${found}" PARENT_SCOPE)
endfunction()
function(vcpkg_check_features)
  cmake_parse_arguments(given "" "OUT_FEATURE_OPTIONS" "FEATURES" ${ARGN})
  list(GET given_FEATURES 0 feature)
  list(GET given_FEATURES 1 option)
  set(value OFF)
  if(feature IN_LIST FEATURES)
    set(value ON)
  endif()
  set(${given_OUT_FEATURE_OPTIONS} -D${option}=${value} PARENT_SCOPE)
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(given "" "SOURCE_PATH" "OPTIONS" ${ARGN})
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${given_SOURCE_PATH} -B ${WORK}/build ${given_OPTIONS} -DCMAKE_INSTALL_LIBDIR=lib
                          -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_install)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK}/build --parallel ${JOBS} --target install COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(given "" "CONFIG_PATH" "" ${ARGN})
  if(NOT EXISTS "${CURRENT_PACKAGES_DIR}/${given_CONFIG_PATH}/crosslane-config.cmake")
    message(FATAL_ERROR "no CMake package in ${given_CONFIG_PATH}")
  endif()
endfunction()
function(vcpkg_fixup_pkgconfig)
endfunction()
function(vcpkg_copy_tools)
  execute_process(COMMAND ${CURRENT_PACKAGES_DIR}/bin/crosslane version COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(given "" "FILE_LIST" "" ${ARGN})
  file(COPY_FILE "${given_FILE_LIST}" "${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright")
endfunction()
include(${RECIPE}/portfile.cmake)
"""


def vcpkg(recipe, work):
    with open(os.path.join(recipe, "vcpkg.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    os.makedirs(work)
    with open(f"{work}/functions.cmake", "w", encoding="utf-8") as file:
        file.write("cmake_minimum_required(VERSION 3.21)\n" + VCPKG)
    run("cmake", f"-DWORK={work}", f"-DRECIPE={recipe}", f"-DCURRENT_PACKAGES_DIR={work}/packages", f"-DPORT={manifest['name']}",
        f"-DFEATURES={';'.join(manifest['features'])}", f"-DJOBS={JOBS}", "-P", f"{work}/functions.cmake")
    run("cmake", "-S", f"{TOP}/test/install/consumer", "-B", f"{work}/consumer", "-DWAY=find_package",
        f"-DCMAKE_PREFIX_PATH={work}/packages")
    run("cmake", "--build", f"{work}/consumer", "--target", "consumer")
    run(f"{work}/consumer/consumer")


PARTS = {"spack": spack, "conda": conda, "vcpkg": vcpkg}
if __name__ == "__main__":
    if not set(sys.argv[1:]) <= set(PARTS):
        sys.exit(__doc__)
    os.environ["CMAKE_GENERATOR"] = "Ninja"
    for part in sys.argv[1:] or PARTS:
        folder = os.path.join(WORK, part)
        shutil.rmtree(folder, ignore_errors=True)
        PARTS[part](os.path.join(RELEASE, "recipes", part), folder)
        print(f"recipes: {part} builds, installs and works", flush=True)
