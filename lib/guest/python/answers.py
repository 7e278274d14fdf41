"""answer_frame: the `result` and `result_meta` of a program as the bytes of an `answer` frame."""

import collections.abc
import numbers

from conclave_guest.channel import to_json
from conclave_guest.errors import ProgramError, cut, listing
from conclave_guest.values import ValueEncoder, too_large

MOST_BYTES = 16 << 20
MOST_DECIMALS = 100
MOST_NOTES = 64
_META = ("unit", "decimals", "ordered", "notes")


def answer_frame(result, meta, shape, notes, rows):
    """`meta` is what the program assigned to `result_meta`, or None; `shape` holds defaults for it. `rows` as for ValueEncoder.

    Raises ProgramError when the result or its meta can be no answer.
    """
    answer = envelope(ValueEncoder(rows).value(result))
    described = dict(_check_meta(shape or {}, "shape"))
    described.update(_check_meta({} if meta is None else meta, "result_meta"))
    described["notes"] = dict(notes, **described.get("notes", {}))
    answer.update((name, value) for name, value in described.items() if value not in ("", None, {}))
    body = to_json({"frame": "answer", "answer": answer})
    if len(body) > MOST_BYTES:
        raise too_large("result takes {:,} bytes, and an answer at most {:,}".format(len(body), MOST_BYTES))
    return body


def envelope(value):
    """The kind of answer that a value on the wire is, and the value."""
    if value is None or value == {"$num": "nan"}:
        return {"kind": "undefined"}
    if value == [] or value == {"$map": []} or (_tag(value) == "$table" and not value["$table"]["rows"]):
        return {"kind": "empty"}
    return {"kind": _kind(value), "value": value}


def _tag(value):
    return next(iter(value)) if isinstance(value, dict) else None


def _kind(value):
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, list):
        return "list"
    return {"$int": "integer", "$num": "number", "$date": "date", "$map": "map", "$table": "table"}[_tag(value)]


def _check_meta(meta, what):
    if not isinstance(meta, collections.abc.Mapping):
        raise _wrong(what + " must be a dict")
    unknown = [name for name in meta if name not in _META]
    if unknown:
        raise _wrong("%s has no member %s; it has %s" % (what, listing(unknown), listing(_META)))
    checked = {}
    if meta.get("unit") is not None:
        if not isinstance(meta["unit"], str) or len(meta["unit"].encode("utf-8", "replace")) > 64:
            raise _wrong(what + '["unit"] must be text of at most 64 bytes')
        checked["unit"] = str.__str__(meta["unit"])
    if meta.get("decimals") is not None:
        decimals = meta["decimals"]
        if isinstance(decimals, bool) or not isinstance(decimals, numbers.Integral) or not 0 <= decimals <= MOST_DECIMALS:
            raise _wrong('%s["decimals"] must be an integer from 0 to %d' % (what, MOST_DECIMALS))
        checked["decimals"] = int(decimals)
    if meta.get("ordered") is not None:
        if type(meta["ordered"]).__name__ not in ("bool", "bool_"):
            raise _wrong(what + '["ordered"] must be True or False')
        checked["ordered"] = bool(meta["ordered"])
    if meta.get("notes") is not None:
        checked["notes"] = _check_notes(meta["notes"], what)
    return checked


def _check_notes(notes, what):
    if not isinstance(notes, collections.abc.Mapping) or len(notes) > MOST_NOTES // 2:
        raise _wrong('%s["notes"] must be a dict of at most %d texts' % (what, MOST_NOTES // 2))
    for name, note in notes.items():
        if not isinstance(name, str) or not isinstance(note, (str, bool, numbers.Number)):
            raise _wrong('%s["notes"] must hold texts or numbers under names' % what)
    return {cut(name, 60): cut(str(note), 1000) for name, note in notes.items()}


def _wrong(message):
    return ProgramError("ResultMetaError", message)
