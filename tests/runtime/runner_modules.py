"""Makes the Python runner's modules importable as they are in a run: as the package conclave_guest."""

import pathlib
import sys
import types

RUNNER = pathlib.Path(__file__).resolve().parents[2] / "lib" / "guest" / "python"

sys.dont_write_bytecode = True
package = types.ModuleType("conclave_guest")
package.__path__ = [str(RUNNER)]
sys.modules["conclave_guest"] = package
if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)  # as the runner does
