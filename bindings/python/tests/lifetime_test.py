#!/usr/bin/env python3
"""Interpreters that end, fork and are interrupted at bad moments."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest
import unittest.mock

from support import FOREVER, WEATHER, run_script

import conclave
from conclave import _ffi

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


def patched(name, function):
    """Puts `function(real, *arguments)` in the place of a function of the library."""
    real = getattr(_ffi.library, name)
    return unittest.mock.patch.object(_ffi.library, name, lambda *arguments: function(real, *arguments))


class Ownership(unittest.TestCase):
    def test_an_interrupt_right_behind_a_call_loses_nothing(self):
        def interrupted(real, *arguments):
            real(*arguments)
            raise KeyboardInterrupt
        destroyed = []
        engine = conclave.Engine()
        for kind, make, call in (
                ("engine", "conclave_engine_create_json", conclave.Engine),
                ("job", "conclave_job_create", lambda: engine.submit(WEATHER, "How many rows are there?")),
                ("job", "conclave_job_submit", lambda: engine.submit(WEATHER, "How many rows are there?")),
                ("buffer", "conclave_engine_examine", engine.examine),
                ("result", "conclave_job_result", lambda: engine.ask(WEATHER, "How many rows are there?"))):
            def destroy(real, pointer):
                destroyed.append(pointer.value)
                real(pointer)
            del destroyed[:]
            with patched(make, interrupted), patched(f"conclave_{kind}_destroy", destroy):
                with self.assertRaises(KeyboardInterrupt):
                    call()
                gc.collect()
            self.assertEqual(len(destroyed), 1, make)
            self.assertTrue(destroyed[0], make)
        engine.close()

    def test_an_engine_is_closed_between_the_calls_of_other_threads(self):
        begun, go_on = threading.Event(), threading.Event()
        order = []

        def examine(real, *arguments):
            begun.set()
            go_on.wait(60)
            code = real(*arguments)
            order.append("examined")
            return code

        def destroy(real, pointer):
            order.append("destroyed")
            real(pointer)

        reports = []
        with patched("conclave_engine_examine", examine), patched("conclave_engine_destroy", destroy):
            engine = conclave.Engine()
            caller = threading.Thread(target=lambda: reports.append(engine.examine()))
            caller.start()
            begun.wait(60)
            closer = threading.Thread(target=engine.close)
            closer.start()
            closer.join(0.2)
            self.assertTrue(closer.is_alive())
            with self.assertRaisesRegex(conclave.FailedPrecondition, "the engine was closed"):
                engine.profile(WEATHER)
            go_on.set()
            caller.join(60)
            closer.join(60)
        self.assertEqual(order, ["examined", "destroyed"])
        self.assertIn("findings", reports[0])

    def test_a_handler_that_closes_does_not_wait_for_the_call_it_interrupted(self):
        engine = conclave.Engine()

        def examine(real, *arguments):
            engine.close()
            return real(*arguments)
        with patched("conclave_engine_examine", examine):
            self.assertIn("findings", engine.examine())
        with self.assertRaises(conclave.FailedPrecondition):
            engine.examine()

    def test_many_threads_may_begin_while_one_closes(self):
        def begin(engine, ends):
            try:
                while True:
                    engine.submit(WEATHER, "How many rows are there?").close()
            except conclave.FailedPrecondition:
                ends.append("closed")
        for _ in range(10):
            engine, ends = conclave.Engine(), []
            threads = [threading.Thread(target=begin, args=(engine, ends)) for _ in range(4)]
            for thread in threads:
                thread.start()
            time.sleep(0.02)
            engine.close()
            for thread in threads:
                thread.join(60)
            self.assertEqual(ends, ["closed"] * 4)

    def test_a_child_does_not_wait_for_threads_it_has_not(self):
        run_script("""
            import os, threading, conclave
            from conclave import _ffi
            begun, go_on = threading.Event(), threading.Event()
            real = _ffi.library.conclave_engine_examine
            def examine(*arguments):
                begun.set()
                go_on.wait(60)
                return real(*arguments)
            _ffi.library.conclave_engine_examine = examine
            engine = conclave.Engine()
            thread = threading.Thread(target=engine.examine)
            thread.start()
            begun.wait(60)
            child = os.fork()
            if child == 0:
                engine.close()
                os._exit(0)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            go_on.set()
            thread.join()
        """)


class Loading(unittest.TestCase):
    def test_what_is_no_library_of_conclave_is_named(self):
        out = run_script("""
            import os
            os.environ["CONCLAVE_LIBRARY"] = "libc.so.6"
            try:
                import conclave
            except ImportError as error:
                print(error)
        """)
        self.assertIn("libc.so.6 is no Conclave library", out)

    def test_an_older_library_is_named_with_its_release_and_what_it_lacks(self):
        newer = {"conclave_engine_dream": (None, []), "conclave_engine_wake": (None, [])}
        with unittest.mock.patch.dict(_ffi.FUNCTIONS, newer), self.assertRaises(ImportError) as caught:
            _ffi._load()
        self.assertIn(os.path.basename(os.environ["CONCLAVE_LIBRARY"]), caught.exception.path)
        self.assertRegex(str(caught.exception), r"libconclave\S* is the library of release \d+\.\d+\.\d+, which is older than "
                         "this package: it has no conclave_engine_dream, conclave_engine_wake: install a package and a library")

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
