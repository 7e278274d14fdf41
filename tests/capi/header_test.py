#!/usr/bin/env python3
"""Compiles conclave.h alone in every dialect of C and C++ that hosts use, with every warning on.

usage: header_test.py SOURCE_FOLDER
"""

import pathlib
import shutil
import subprocess
import sys

GCC = ["-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-Wpadded", "-Wshadow", "-Wconversion"]
# What -Weverything says of the test itself or of every C++98 program, not of the header.
CLANG = ["-Weverything", "-Werror", "-Wno-c++98-compat-pedantic", "-Wno-unused-local-typedef", "-Wno-unused-macros"]


def dialects():
    for standard in ("c99", "c11", "c17"):
        yield ["gcc", "-x", "c", f"-std={standard}", *GCC, "-Wstrict-prototypes"]
        yield ["clang", "-x", "c", f"-std={standard}", *CLANG]
    for standard in ("c++98", "c++11", "c++14", "c++17", "c++20"):
        yield ["g++", "-x", "c++", f"-std={standard}", *GCC, "-Wnon-virtual-dtor", "-Wold-style-cast"]
        yield ["clang++", "-x", "c++", f"-std={standard}", *CLANG]


def main(source):
    folder = pathlib.Path(source)
    failed = 0
    for command in dialects():
        if shutil.which(command[0]) is None:
            print(f"header_test: {command[0]} is not installed: scripts/deps --test installs it", file=sys.stderr)
            return 1
        run = subprocess.run([*command, "-fsyntax-only", "-I", folder / "capi", folder / "tests/capi/headers/header.c"],
                             capture_output=True, text=True, check=False)
        if run.returncode != 0:
            failed += 1
            print(" ".join(command), run.stderr, sep="\n", file=sys.stderr)
    for standard in ("c++17", "c++20"):
        run = subprocess.run(["g++", "-x", "c++", f"-std={standard}", *GCC[:4], "-fsyntax-only", folder / "capi/conclave.hpp"],
                             capture_output=True, text=True, check=False)
        # A header as the main file: "#pragma once in main file" and the like would be errors of their own.
        if run.returncode != 0:
            failed += 1
            print(run.stderr, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
