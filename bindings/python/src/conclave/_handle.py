"""Handles: objects of the library, each owned by one Python object."""

import contextlib
import os
import threading
import time
import weakref
from typing import Any, Callable, Dict, Iterator

from . import _errors, _ffi

_PAUSE_S = 0.001  # between two looks at the calls that another thread is in the middle of


class Handle:
    """One object of the library: ``make`` makes it, ``destroy`` ends it, exactly once, with the last reference at the latest.

    Nothing is lost to an exception that comes between two lines, as Ctrl-C does: the library writes the address to where the
    finalizer looks for it. Any thread may ``close()`` while others call: the object is destroyed between calls, never within.
    """

    def __init__(self, noun: str, destroy: Callable[[Any], None], make: Callable[..., int], *arguments: Any) -> None:
        self._noun = noun
        self._process = os.getpid()
        self._calls: Dict[object, int] = {}  # those that go on -> the thread of each
        self._closing = False
        self._left_to_call = False
        pointer = _ffi.Pointer()
        self._pointer = pointer
        self._release = weakref.finalize(self, _ffi.release, pointer, destroy)
        _errors.call(_ffi.make, pointer, make, *arguments)

    @contextlib.contextmanager
    def held(self) -> "Iterator[_ffi.Pointer]":
        """The pointer, for calls that end with the block. FailedPrecondition once it is closed."""
        call = object()
        try:
            # Written down first and looked after: close() does it the other way round, so that one of the two sees the other.
            self._calls[call] = threading.get_ident()
            if self._closing:
                raise _errors.FailedPrecondition(f"the {self._noun} was closed", "FAILED_PRECONDITION")
            yield self._pointer
        finally:
            self._calls.pop(call, None)
            if self._left_to_call and not self._calls:
                self._release()

    def close(self) -> None:
        """Destroys the object, after the calls of other threads. Repeatable."""
        self._closing = True
        me = threading.get_ident()
        # In a child of fork() the other threads do not exist.
        while os.getpid() == self._process and any(thread != me for thread in list(self._calls.values())):
            time.sleep(_PAUSE_S)
        if me in list(self._calls.values()):  # within a call of this thread, such as in a signal handler
            self._left_to_call = True
        else:
            self._release()

    def __enter__(self) -> "_ffi.Pointer":
        return self._pointer

    def __exit__(self, *_: object) -> None:
        self.close()


def result(make: Callable[..., int], *arguments: Any) -> Handle:
    return Handle("result", _ffi.library.conclave_result_destroy, make, *arguments)


def buffer(make: Callable[..., int], *arguments: Any) -> bytes:
    """The bytes of a buffer that ``make`` makes and nobody keeps."""
    with Handle("buffer", _ffi.library.conclave_buffer_destroy, make, *arguments) as made:
        return _ffi.bytes_of(made)
