"""ProgramError: why a program has no answer, in the form of an `error` frame."""

import difflib
import errno

MESSAGE_BYTES = 4000
LINE_BYTES = 200


class ProgramError(Exception):
    """An error of the program, found by the runner rather than raised by Python.

    `repairable` is true when another draft by the same author could succeed.
    """

    def __init__(self, kind, message, line=0, repairable=True):
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.line = line
        self.repairable = repairable


# Modules whose refusals look like failures of the machine, and the rule that each of them met.
_NO_SOCKETS = "a program has no network and no sockets of any kind"
_NO_PROCESSES = "a program may not start processes beyond its limit, which is 1 unless the job says otherwise"
_NO_SHARED_MEMORY = "a program may not make shared memory, which would outlive it"
_RULES = {
    "asyncio": (_NO_SOCKETS + ", and the event loop of asyncio needs a pair of them", "call the functions in turn"),
    "socket": (_NO_SOCKETS, "answer from the columns that load() gives"),
    "subprocess": (_NO_PROCESSES, "do the work in this process"),
    "multiprocessing": (_NO_PROCESSES, "do the work in this process"),
}


def refuse_shared_memory():
    """Named segments stay in memory when the run has ended, because Python cannot start the process that would remove them."""
    try:
        import _posixshmem
    except ImportError:
        return

    def shm_open(path, flags, mode=0o777):
        raise PermissionError(errno.EPERM, "refused by a rule: %s: keep arrays in this process" % _NO_SHARED_MEMORY)

    _posixshmem.shm_open = shm_open


def broken_rule(error):
    """'; the rule and the way out' where the sandbox refused what the exception tells as a mere error number, or nothing."""
    if not isinstance(error, OSError) or error.errno not in (errno.EACCES, errno.EAGAIN):
        return ""
    modules = []
    step = error.__traceback__
    while step is not None:
        modules.append(step.tb_frame.f_globals.get("__name__") or "")
        step = step.tb_next
    wanted = ("asyncio", "socket") if error.errno == errno.EACCES else ("subprocess", "multiprocessing")
    for name in wanted:
        if any(isinstance(module, str) and module.split(".")[0] == name for module in modules):
            return "; refused by a rule: %s: %s" % _RULES[name]
    if error.errno == errno.EAGAIN and error.filename is None:
        return "; refused by a rule: %s: %s" % _RULES["subprocess"]  # os.fork() and its like
    return ""


def shown(text, size=60):
    """`text` quoted and cut, for a message."""
    text = text if isinstance(text, str) else repr(text)
    return '"' + (text if len(text) <= size else text[: size - 3] + "...") + '"'


def did_you_mean(name, known):
    """' (did you mean "fare"?)', or nothing."""
    known = [text for text in known if isinstance(text, str)]
    folded = {}
    for text in known:
        folded.setdefault(text.casefold().strip(), text)
    close = difflib.get_close_matches(str(name).casefold().strip(), list(folded), n=3, cutoff=0.6)
    if not close:
        return ""
    return " (did you mean " + " or ".join(shown(folded[text]) for text in close) + "?)"


def listing(names, most=12):
    """'"a", "b" and 7 more'."""
    names = list(names)
    text = ", ".join(shown(name) for name in names[:most])
    return text + (" and %d more" % (len(names) - most) if len(names) > most else "")


def cut(text, size):
    """`text` as valid Unicode of at most `size` bytes of UTF-8."""
    raw = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")
    if len(raw) <= size:
        return raw.decode("utf-8")
    return raw[: size - 3].decode("utf-8", "ignore") + "..."
