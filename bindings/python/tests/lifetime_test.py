#!/usr/bin/env python3
"""Interpreters that end, fork and are interrupted at bad moments."""

import os
import signal
import subprocess
import sys
import textwrap
import time
import unittest

from support import FOREVER, WEATHER, run_script

BEGIN = """
    import os, sys, conclave
    engine = conclave.Engine()
    job = engine.submit_program(sys.argv[1], sys.argv[2], language="python",
                                on_event=lambda event: print(event["phase"], event["state"], flush=True))
"""


class Lifetime(unittest.TestCase):
    def test_the_interpreter_ends_while_a_job_goes_on(self):
        for ending in ("", "sys.exit(0)", "del engine", "os._exit(0)"):
            out = run_script(BEGIN + f"    print('bye')\n    {ending}\n", WEATHER, FOREVER)
            self.assertIn("bye", out)

    def test_the_interpreter_ends_while_a_model_is_asked(self):
        run_script("""
            import sys, time, conclave
            engine = conclave.Engine()
            engine.add_model("slow", lambda request: time.sleep(100) or "")
            job = engine.submit(sys.argv[1], "How many rows are there?")
            time.sleep(1)
        """, WEATHER)

    def test_a_forked_child_makes_its_own_engine(self):
        out = run_script(BEGIN + """
    child = os.fork()
    if child == 0:
        try:
            engine.ask(sys.argv[1], "How many rows are there?")
        except conclave.FailedPrecondition as error:
            assert "after fork()" in str(error), error
        print("child", conclave.ask(sys.argv[1], "How many rows are there?").answer, flush=True)
        sys.exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert not job.done()
    print("parent", engine.ask(sys.argv[1], "How many rows are there?").answer)
""", WEATHER, FOREVER)
        self.assertIn("child 1461", out)
        self.assertIn("parent 1461", out)

    def test_ctrl_c_ends_the_wait_and_the_programs(self):
        process = subprocess.Popen([sys.executable, "-c", textwrap.dedent("""
            import sys, conclave
            engine = conclave.Engine()
            try:
                engine.run(sys.argv[1], sys.argv[2], language="python",
                           on_event=lambda event: print(event["phase"], event["state"], flush=True))
            except KeyboardInterrupt:
                print("interrupted", engine.ask(sys.argv[1], "How many rows are there?").answer)
        """), str(WEATHER), FOREVER], stdout=subprocess.PIPE, text=True, env=os.environ)
        with process:
            for line in process.stdout:
                if line.startswith("run started"):
                    break
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            rest = process.stdout.read()
        self.assertEqual(process.returncode, 0)
        self.assertIn("interrupted 1461", rest)


class Loading(unittest.TestCase):
    def test_a_missing_library_is_named(self):
        out = run_script("""
            import os
            os.environ["CONCLAVE_LIBRARY"] = "/nonexistent/libconclave.so"
            try:
                import conclave
            except ImportError as error:
                print(error)
        """)
        self.assertIn("/nonexistent/libconclave.so", out)
        self.assertIn("set CONCLAVE_LIBRARY", out)


if __name__ == "__main__":
    unittest.main()
