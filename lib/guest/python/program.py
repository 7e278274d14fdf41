"""run_program: checks and executes one program, and sends its answer or its error."""

import builtins
import random
import re

from conclave_guest import answers, rules, values
from conclave_guest.columns import DamagedStore
from conclave_guest.errors import LINE_BYTES, MESSAGE_BYTES, ProgramError, broken_rule, cut, did_you_mean, listing, shown
from conclave_guest.tables import Tables

PROGRAM_FILE = "<program>"
_BALLAST_BYTES = 16 << 20
_MISSING = object()


def run_program(request, channel, np, pd):
    """Sends exactly one `answer` or `error` frame, whatever the program does."""
    source = request["code"]
    names = [(table["name"], table["descriptor"]) for table in request["tables"]]
    try:
        tables = Tables(names, request.get("time_zone") or "UTC", lambda table, columns: _tell(channel, table, columns))
    except DamagedStore as error:
        _send_error(channel, "DatasetError", "a column store cannot be used: %s" % error, repairable=False)
        return
    ballast = [bytearray(_BALLAST_BYTES)]  # address space for encoding, and for reporting the end of memory
    try:
        body = _answer(source, tables, request, np, pd, ballast.clear)
    except MemoryError as error:
        ballast.clear()
        _send_memory_error(channel, error, source, tables)
    except ProgramError as error:
        _send_error(channel, error.kind, error.message, error.line, source, error.repairable)
    except DamagedStore as error:
        _send_error(channel, "DatasetError", "a column store cannot be used: %s" % error, repairable=False)
    except BaseException as error:
        ballast.clear()
        kind, message = _describe(error, tables)
        _send_error(channel, kind, message, _program_line(error), source)
    else:
        channel.send_raw(body)


def _tell(channel, table, columns):
    channel.send("loaded", {"table": table, "columns": columns})


def _answer(source, tables, request, np, pd, make_room):
    """The bytes of the answer frame."""
    tree, result_line = rules.check(source)
    rules.refuse_sql_imports()
    values.name_keys()
    seed = int(request.get("seed", 0))
    random.seed(seed)
    np.random.seed(seed % (1 << 32))
    namespace = {"__name__": "__main__", "__builtins__": builtins, "load": tables.load, "pd": pd, "np": np}
    exec(compile(tree, PROGRAM_FILE, "exec", dont_inherit=True), namespace)
    if not tables.used:
        raise ProgramError("ProgramRefused", "the program never loaded a column, so its answer cannot come from the data")
    result = namespace.get("result", _MISSING)
    if result is _MISSING:
        raise ProgramError("ProgramRefused", "the program ended without a value in `result`; assign it on every path")
    meta = namespace.get("result_meta")
    make_room()
    try:
        return answers.answer_frame(result, meta, request.get("shape"), tables.notes, tables.most_rows)
    except ProgramError as error:
        error.line = error.line or result_line
        raise


def _send_error(channel, kind, message, line=0, source="", repairable=True, limit=None):
    lines = re.split("\r\n|\r|\n", source)
    frame = {
        "type": cut(kind, 200),
        "message": cut(message, MESSAGE_BYTES),
        "line": line if 0 < line <= len(lines) else 0,
        "source_line": cut(lines[line - 1].strip(), LINE_BYTES) if 0 < line <= len(lines) else "",
        "repairable": repairable,
    }
    if limit:
        frame["limit"] = limit
    channel.send("error", frame)


def _send_memory_error(channel, error, source, tables):
    line = _program_line(error)
    what = _text_of(error) or "no memory was left"
    error.__traceback__ = None  # frees what the program held
    message = what + "; load only the columns that are needed, or aggregate before joining"
    _send_error(channel, "MemoryError", message, line, source, limit="memory")


def _program_line(error):
    """The line of the program that was executing; 0 when it was not the program."""
    line = 0
    if isinstance(error, SyntaxError) and error.filename == PROGRAM_FILE:
        line = error.lineno or 0
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == PROGRAM_FILE:
            line = step.tb_lineno
        step = step.tb_next
    return line


def _describe(error, tables):
    """The type and message of an exception, for whoever writes the next draft."""
    kind = type(error).__name__
    text = _text_of(error)
    if isinstance(error, SystemExit):
        return kind, "the program called exit(); let it run to its end and assign `result`"
    if isinstance(error, KeyboardInterrupt):
        return kind, "the program was interrupted"
    if isinstance(error, RecursionError):
        return kind, "the program calls itself too deeply"
    if isinstance(error, EOFError) and not text.strip():
        return kind, "there is no input to read"
    if isinstance(error, ModuleNotFoundError):
        return kind, text + "; pandas, numpy and the standard library are there"
    if isinstance(error, KeyError) and len(error.args) == 1 and isinstance(error.args[0], str):
        key = error.args[0]
        if re.search(r"\s(has no|is no) ", key):
            return kind, key  # a sentence already, as load() raises it
        known = tables.known_columns()
        return kind, "no key or column %s%s; the data has the columns %s" % (shown(key), did_you_mean(key, known), listing(known))
    return kind, (text or "(no message)") + broken_rule(error)


def _text_of(error):
    try:
        return str(error)
    except BaseException:
        return ""
