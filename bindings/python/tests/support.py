"""What the tests of the package share."""

import os
import pathlib
import subprocess
import sys
import textwrap

SOURCE = pathlib.Path(__file__).resolve().parents[3]
WEATHER = SOURCE / "examples/data/seattle-weather.csv"
FOREVER = "df = load()\nwhile True: pass\nresult = 1"


def run_script(code, *arguments, timeout=120, expect=0):
    """Runs `code` in an interpreter of its own and returns what it printed."""
    run = subprocess.run([sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(code), *map(str, arguments)],
                         capture_output=True, text=True, timeout=timeout, env=os.environ, check=False)
    if run.returncode != expect:
        raise AssertionError(f"ended with {run.returncode}\n{run.stdout}\n{run.stderr}")
    return run.stdout
