"""ProgramError: why a program has no answer, in the form of an `error` frame."""

import difflib

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
