"""Job descriptors: what callers say, as the JSON that the library reads."""

import io
import json
import math
import os
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _errors

Path = Union[str, "os.PathLike[str]"]
Source = Union[Path, Mapping[str, Any]]
Files = Union[Source, Iterable[Source]]

_ACCEPTED = 'a path, {"path": "sales.csv", "name": "..."}, {"descriptor": 7, "name": "sales.csv"}, or a list of these'


def datasets(files: Files) -> List[Dict[str, Any]]:
    """The datasets of a job, in the form of conclave.v1.DatasetSource."""
    if isinstance(files, (str, os.PathLike, Mapping)):
        return [_dataset("files", files)]
    several = isinstance(files, (Sequence, Iterator)) and not isinstance(files, (bytes, bytearray, memoryview))
    if not several or hasattr(files, "read"):
        raise _refused("files", files)
    return [_dataset(f"files[{index}]", source) for index, source in enumerate(files)]


def _dataset(place: str, source: Source) -> Dict[str, Any]:
    if not isinstance(source, Mapping):
        return {"path": _path(place, source)}
    dataset = dict(source)
    for field in ("path", "name"):
        if field in dataset:
            dataset[field] = _path(f'{place}["{field}"]', dataset[field])
    descriptor = dataset.get("descriptor", 0)
    if not isinstance(descriptor, int) or isinstance(descriptor, bool):
        named = _errors.named(descriptor)
        raise TypeError(f'{place}["descriptor"]: {named} is not the number of an open file: give file.fileno()')
    return dataset


def _path(place: str, path: Any) -> str:
    text = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(text, str):
        raise _refused(place, path)
    return text


def _refused(place: str, given: object) -> TypeError:
    message = f"{place}: {_errors.named(given)} is not accepted: give {_ACCEPTED}"
    if isinstance(given, (bytes, bytearray, memoryview, io.BytesIO, io.StringIO)):
        message += "; os.fsdecode() makes text of a path in bytes, and content has to be in a file"
    elif hasattr(given, "fileno"):
        message += '; for an open file {"descriptor": file.fileno(), "name": "sales.csv"}'
    return TypeError(message)


def levels(isolation: Union[None, int, Tuple[int, int]]) -> Tuple[Optional[int], Optional[int]]:
    """The required and the preferred level of isolation. Whether they are levels is for the library to say."""
    if isolation is None:
        return None, None
    pair = (isolation, isolation) if isinstance(isolation, int) else tuple(isolation) if isinstance(isolation, (list, tuple)) else ()
    if len(pair) != 2 or any(isinstance(level, bool) or not isinstance(level, int) for level in pair):
        raise TypeError(f"isolation: {_errors.named(isolation)} is not accepted: give a level such as 2, or (required, preferred)")
    return pair[0], pair[1]


def optional_path(place: str, path: Optional[Path]) -> Optional[str]:
    if path is None:
        return None
    return text(place, os.fspath(path) if isinstance(path, os.PathLike) else path)


def text(place: str, value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{place}: {_errors.named(value)} is not a str")
    return value


def encode(document: Mapping[str, Any], place: str = "") -> bytes:
    """A document as JSON. InvalidArgument names what has no such form: text without a UTF-8 form, such as a path with bytes of
    another encoding, and floats that are no number. ``place`` is what errors call the document."""
    try:
        return json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        for wrong_place, wrong in _leaves(place, document):
            if isinstance(wrong, float) and not math.isfinite(wrong):
                message = f"{wrong_place}: {wrong!r} is not a finite number"
                raise _errors.InvalidArgument(message, "INVALID_ARGUMENT", {"field": wrong_place}) from None
            if isinstance(wrong, str) and not _has_utf8(wrong):
                raise _not_utf8(wrong_place, wrong) from None
        raise


def name(place: str, value: object) -> bytes:
    """One name as the library takes it."""
    plain = text(place, value)
    if "\0" in plain:
        raise _errors.InvalidArgument(f"{place}: {plain!r} holds a NUL character", "INVALID_ARGUMENT", {"field": place})
    try:
        return plain.encode()
    except UnicodeEncodeError:
        raise _not_utf8(place, plain) from None


def optional_name(place: str, value: Optional[str]) -> Optional[bytes]:
    return None if value is None else name(place, value)


def _not_utf8(place: str, wrong: str) -> _errors.InvalidArgument:
    message = f"{place}: {wrong!r} has no UTF-8 form"
    if place.endswith("path"):
        message += '; rename the file, or open it and give {"descriptor": file.fileno(), "name": "..."}'
    return _errors.InvalidArgument(message, "INVALID_ARGUMENT", {"field": place})


def _has_utf8(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _leaves(place: str, value: Any) -> Iterator[Tuple[str, Any]]:
    """The texts and numbers within `value`, each with its place."""
    if isinstance(value, Mapping):
        for member, item in value.items():
            yield place or "member", member
            yield from _leaves(f"{place}.{member}" if place else str(member), item)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _leaves(f"{place}[{index}]", item)
    else:
        yield place, value
