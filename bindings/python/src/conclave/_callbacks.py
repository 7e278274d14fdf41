"""Callbacks from the library into Python.

The library gets a number as user data, never a Python object, and two trampolines that live as long as this module: a caller
who forgets his function cannot make the library call freed memory. An exception never leaves a trampoline.
"""

import inspect
import itertools
import json
import queue
import threading
from typing import Any, Callable, Dict, Mapping, Optional, Set, Union

from . import _errors, _ffi

Event = Dict[str, Any]
ModelFunction = Callable[["ModelRequest"], Union[str, Mapping[str, Any]]]

_keys = itertools.count(1)
_entries: Dict[int, Any] = {}


class EventQueue:
    """The events of one job, in order; ``function`` sees each first."""

    def __init__(self, function: Optional[Callable[[Event], object]]) -> None:
        self.events: "queue.SimpleQueue[Event]" = queue.SimpleQueue()
        self.failure: Optional[BaseException] = None
        self.listeners: Set[Callable[[], None]] = set()  # called after each event, on a thread of the library
        self._function = function

    def take(self, data: bytes) -> int:
        try:
            event = json.loads(data)
            self.events.put(event)
            for listener in self.listeners.copy():
                listener()
            if self._function is not None and self.failure is None:
                self._function(event)
        except BaseException as error:  # pylint: disable=broad-except
            self.failure = error
            return 1
        return 0


class ModelRequest(Dict[str, Any]):
    """What a model is asked. It sees only what it is sent: send both ``instructions`` and ``prompt``.

    Further members, for providers that take them: ``temperature``, ``max_output_tokens``, ``seed``, and ``deadline_ms``, after
    which nobody waits for the reply.
    """

    @property
    def instructions(self) -> str:
        """The rules: what a reply looks like and what a program may do. The "system" message."""
        return str(self["instructions"])

    @property
    def prompt(self) -> str:
        """The tables and the question: the "user" message."""
        return str(self["prompt"])

    @property
    def language(self) -> str:
        """What the program is to be written in, and its block tagged with: "sql" or "python"."""
        return str(self["language"])


class HostModel:
    """A callable that completes prompts, each on a thread of its own."""

    def __init__(self, function: ModelFunction) -> None:
        self._function = function

    def take(self, token: int, data: bytes) -> None:
        try:
            threading.Thread(target=self._answer, args=(token, data), name="conclave-model", daemon=True).start()
        except RuntimeError as error:  # the process may have no more threads
            _reply_error(token, error)

    def _answer(self, token: int, data: bytes) -> None:
        try:
            reply = _reply_of(self._function(ModelRequest(json.loads(data))))
            # What has no UTF-8 form, such as half of a surrogate pair, is no reason to lose a reply.
            encoded = json.dumps(reply, ensure_ascii=False).encode("utf-8", "replace")
        except BaseException as error:  # pylint: disable=broad-except
            _reply_error(token, error)
            return
        try:
            _reply(token, encoded)
        except _ffi.Failure:
            pass  # the library has told the persona why the reply was refused


def _reply_of(said: object) -> Dict[str, Any]:
    if isinstance(said, str):
        return {"text": said}
    if isinstance(said, Mapping):
        return dict(said)
    if inspect.iscoroutine(said):
        said.close()
        raise TypeError("the model's function is async, which nobody awaits: give a function that returns the text")
    raise TypeError(f"the model's function returned {_errors.named(said)}: a reply is the text of the completion as str, or a "
                    'mapping with it, {"text": "..."}')


def _reply(token: int, data: bytes) -> None:
    _ffi.call(_ffi.library.conclave_model_reply, token, data, len(data))


def _reply_error(token: int, error: BaseException) -> None:
    try:
        said = str(error)
    except Exception:  # pylint: disable=broad-except
        said = "(its message could not be written)"
    _reply(token, json.dumps({"error": f"{type(error).__name__}: {said}"}).encode())


def register(entry: Any) -> int:
    key = next(_keys)
    _entries[key] = entry
    return key


def _on_event(key: int, address: int, size: int) -> int:
    entry = _entries.get(key)
    return int(entry.take(_ffi.read(address, size))) if entry is not None else 1


def _on_model(key: int, token: int, address: int, size: int) -> None:
    entry = _entries.get(key)
    if entry is not None:
        entry.take(token, _ffi.read(address, size))


def _on_end(key: int) -> None:
    _entries.pop(key, None)


on_event = _ffi.EVENT_FUNCTION(_on_event)
on_model = _ffi.MODEL_FUNCTION(_on_model)
on_end = _ffi.FINALIZER(_on_end)
