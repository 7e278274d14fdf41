"""Errors of the package: one class for each kind that a caller may want to tell apart."""

import json
from typing import Any, Callable, Dict, Type, TypeVar

from . import _ffi

T = TypeVar("T")


class ConclaveError(Exception):
    """Conclave could not do its work.

    ``code`` is the name of the code, ``field`` the part of the job concerned ("datasets[0].path") or "", ``detail`` everything
    the library said.
    """

    def __init__(self, message: str, code: str = "UNKNOWN", detail: "Dict[str, Any] | None" = None) -> None:
        super().__init__(message)
        self.code = code
        self.detail: Dict[str, Any] = detail or {}
        self.field: str = str(self.detail.get("field", ""))


class InvalidArgument(ConclaveError, ValueError):
    """The job or an argument makes no sense."""


class NotFound(ConclaveError, LookupError):
    """There is no such file, answer or token."""


class AlreadyExists(ConclaveError):
    """There is something of that name already, such as a model."""


class Cancelled(ConclaveError):
    """The job was cancelled."""


class DeadlineExceeded(ConclaveError, TimeoutError):
    """Time ran out."""


class ResourceExhausted(ConclaveError):
    """Memory, disk, descriptors or threads ran out, or a bound of the library was met."""


class FailedPrecondition(ConclaveError):
    """Isolation or a part of the installation is missing, or the call came at the wrong moment."""


class Unavailable(ConclaveError):
    """An engine or interpreter is missing, or the machine forbids processes."""


_CLASSES: Dict[str, Type[ConclaveError]] = {
    "INVALID_ARGUMENT": InvalidArgument,
    "OUT_OF_RANGE": InvalidArgument,
    "NOT_FOUND": NotFound,
    "ALREADY_EXISTS": AlreadyExists,
    "CANCELLED": Cancelled,
    "DEADLINE_EXCEEDED": DeadlineExceeded,
    "RESOURCE_EXHAUSTED": ResourceExhausted,
    "FAILED_PRECONDITION": FailedPrecondition,
    "UNAVAILABLE": Unavailable,
}


def from_failure(failure: "_ffi.Failure") -> ConclaveError:
    code = _ffi.name_of_code(failure.code)
    try:
        detail = json.loads(failure.detail_json)
    except ValueError:
        detail = {}
    return _CLASSES.get(code, ConclaveError)(failure.message or code, code, detail)


def call(function: Callable[..., T], *arguments: Any) -> T:
    """Calls ``function``; what the library reports is raised as a ConclaveError."""
    try:
        return function(*arguments)
    except _ffi.Failure as failure:
        raise from_failure(failure) from None


def named(value: object) -> str:
    """A value for people: its type, and what it is as far as that is short."""
    if value is None:
        return "None"
    shown = repr(value)
    return f"{type(value).__name__} {shown if len(shown) <= 60 else shown[:57] + '...'}"
