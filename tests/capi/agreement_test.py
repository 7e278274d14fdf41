#!/usr/bin/env python3
"""Holds the five places that name the functions of the C interface against each other, and what the library loads.

usage: agreement_test.py SOURCE_FOLDER LIBRARY
"""

import ast
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(sys.argv[1])
LIBRARY = pathlib.Path(sys.argv[2])


def read(path):
    return (SOURCE / path).read_text(encoding="utf-8")


def declared():
    return set(re.findall(r"^CONCLAVE_API[^;]*?\b(conclave_\w+)\(", read("capi/conclave.h"), re.MULTILINE))


def exported_by_list():
    return set(re.findall(r"^\s+(conclave_\w+);", read("capi/conclave.map"), re.MULTILINE))


def dynamic_symbols():
    lines = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in lines.splitlines() if line.split()[-2] != "A"}


def ctypes_table():
    for node in ast.walk(ast.parse(read("bindings/python/src/conclave/_ffi.py"))):
        if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "FUNCTIONS":
            return {ast.literal_eval(key) for key in node.value.keys}
    raise AssertionError("_ffi.py has no FUNCTIONS")


def documented():
    return set(re.findall(r"^\| `(conclave_\w+)` \|", read("docs/c-api.md"), re.MULTILINE))


class Agreement(unittest.TestCase):
    maxDiff = None

    def test_everybody_names_the_same_functions(self):
        for name, found in (("conclave.map", exported_by_list()), ("the library", dynamic_symbols()),
                            ("bindings/python", ctypes_table()), ("docs/c-api.md", documented())):
            self.assertEqual(sorted(found), sorted(declared()), f"{name} against conclave.h")

    def test_everybody_has_the_same_version(self):
        parts = re.findall(r"^#define CONCLAVE_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", read("capi/conclave.h"), re.MULTILINE)
        version = re.escape(".".join(parts))
        self.assertEqual(len(parts), 3)
        self.assertRegex(read("bindings/python/pyproject.toml"), rf'(?m)^version = "{version}"$')
        self.assertRegex(read("CMakeLists.txt"), rf"project\(conclave VERSION {version} ")

    def test_the_c_test_calls_every_function(self):
        files = sorted((SOURCE / "tests/capi").glob("*.c"))
        called = {name for file in files for name in re.findall(r"\b(conclave_\w+)\(", file.read_text(encoding="utf-8"))}
        self.assertEqual(sorted(declared() - called), [])

    def test_the_library_can_stay_loaded(self):
        flags = subprocess.run(["readelf", "-d", LIBRARY], capture_output=True, text=True, check=True).stdout
        self.assertIn("NODELETE", flags)
        self.assertIn("BIND_NOW", flags)
        self.assertIn("Library soname: [libconclave.so.0.1]", flags)
        self.assertNotIn("TEXTREL", flags)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
