#!/usr/bin/env python3
"""A Python process that knows a newer conclave.v1, through the protobuf package, and loads the library as well.

usage: newer_schema_test.py SOURCE_FOLDER
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1])
WEATHER = SOURCE / "examples/data/seattle-weather.csv"

USE_SCHEMA = """
from conclave.v1 import job_pb2
job = job_pb2.AnalysisJob(question="How many days had rain?", newer="yes")
assert job_pb2.AnalysisJob.FromString(job.SerializeToString()).newer == "yes"
"""

# The package of the bindings and that of the generated code have one name, so the library is called without the bindings.
USE_LIBRARY = """
import ctypes, os
library = ctypes.CDLL(os.environ["CONCLAVE_LIBRARY"])
library.conclave_result_answer.restype = ctypes.c_char_p
library.conclave_result_answer.argtypes = [ctypes.c_void_p]
engine, result = ctypes.c_void_p(), ctypes.c_void_p()
assert library.conclave_engine_create(None, ctypes.byref(engine), None) == 0
assert library.conclave_ask(engine, os.environ["WEATHER"].encode(), b"How many days had rain?", ctypes.byref(result), None) == 0
assert library.conclave_result_answer(result) == b"641"
"""


class NewerSchema(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        protos = self.folder / "proto/conclave/v1"
        protos.mkdir(parents=True)
        for proto in (SOURCE / "include/conclave/v1").glob("*.proto"):
            text = proto.read_text(encoding="utf-8").replace("message AnalysisJob {", "message AnalysisJob {\n  string newer = 1000;")
            (protos / proto.name).write_text(text, encoding="utf-8")
        subprocess.run(["protoc", f"-I{self.folder / 'proto'}", f"--python_out={self.folder}",
                        *map(str, sorted(protos.glob("*.proto")))], check=True)

    def run_python(self, code):
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "WEATHER": str(WEATHER)}
        run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_schema_first(self):
        self.run_python(USE_SCHEMA + USE_LIBRARY + USE_SCHEMA)

    def test_library_first(self):
        self.run_python(USE_LIBRARY + USE_SCHEMA + USE_LIBRARY)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
