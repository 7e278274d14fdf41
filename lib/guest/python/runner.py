"""The Python runner: reads a request, runs one program over column stores, and sends its answer (docs/guest-protocol.md).

Runs in the sandbox, once per program. The program shares this process, so what is sent is a claim and no evidence; what is
done here to keep a program from disturbing the encoding only spares honest programs from their own accidents.
"""

import os
import platform
import sys

REQUEST_DESCRIPTOR = 4


def main():
    """Never returns."""
    exit_now = os._exit  # bound here: a program may replace what it likes
    status = 1
    try:
        _serve()
        status = 0  # a closing frame was sent, be it an answer or an error
    except BaseException as error:  # a defect of the runner, or memory ended before the program started
        _last_words(error)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            pass
    exit_now(status)


def _last_words(error):
    sys.__stderr__.write("conclave runner: %s: %s\n" % (type(error).__name__, error))
    sys.__stderr__.flush()


def _serve():
    from conclave_guest.channel import Channel

    channel = Channel()
    try:
        _serve_over(channel)
    except MemoryError:  # before the program started, which tells of its own
        channel.send("error", {"type": "MemoryError", "message": "memory ended before the program started", "limit": "memory"})


def _serve_over(channel):
    request = _read_request()
    from conclave_guest import canaries

    found = canaries.examine(request.get("canaries") or {})
    _settle()
    np, pd = _import_pandas(channel)
    if pd is None:
        return
    channel.send("engine", {"name": "pandas %s (python %s)" % (pd.__version__, platform.python_version())})
    for canary in found:
        channel.send("canary", canary)
    if request.get("probe"):
        channel.send("answer", {"answer": {"kind": "empty"}})
        return
    from conclave_guest.program import run_program

    run_program(request, channel, np, pd)


def _read_request():
    import json

    with open(REQUEST_DESCRIPTOR, "rb", closefd=False) as sealed:
        return json.load(sealed)


def _settle():
    """Puts the process into the state every run starts from."""
    os.environ["MPLCONFIGDIR"] = os.getcwd()  # the private folder of the run, as are HOME and TMPDIR
    sys.stdout.reconfigure(errors="backslashreplace", line_buffering=True)  # a killed run keeps what it printed
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    # The processor's name is looked up by running `uname -p`, which a run of one process may not.
    platform.processor = lambda: ""
    if hasattr(platform, "_Processor"):
        platform._Processor.from_subprocess = staticmethod(lambda: "")
    from conclave_guest.errors import refuse_shared_memory

    refuse_shared_memory()


def _import_pandas(channel):
    try:
        import numpy
        import pandas

        return numpy, pandas
    except MemoryError:
        channel.send("error", {"type": "MemoryError", "message": "memory ended while pandas was imported", "limit": "memory"})
    except Exception as error:
        channel.send("error", {"type": type(error).__name__, "message": "pandas cannot be imported: %s" % error})
    return None, None
