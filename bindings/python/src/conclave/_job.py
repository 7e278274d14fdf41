"""Jobs: work that goes on while the caller does something else."""

import asyncio
import math
import numbers
import os
import queue
import select
import time
from typing import Any, AsyncIterator, Callable, Generator, Generic, Iterator, Optional, TypeVar

from . import _callbacks, _errors, _ffi, _handle

R = TypeVar("R")

_LONGEST_POLL_MS = 3_600_000  # poll() takes an int; a wait may be longer


class Job(Generic[R]):
    """One piece of work, begun when it is made; ``R`` is what it gives.

    ``wait()`` blocks, ``await job`` does not. ``for event in job`` and ``async for event in job`` give the events as they come,
    each event once, whoever iterates. Leaving the ``with`` block, or dropping the last reference, cancels the job. One thread
    at a time, but any thread may ``cancel()``.

    A task that is cancelled while it awaits the job, or its next event, cancels the job: so does ``asyncio.wait_for(job, 5)``
    when the time is over. Around ``asyncio.shield(asyncio.ensure_future(job))`` it lets the job go on.
    """

    def __init__(self, handle: _handle.Handle, finish: Callable[[_ffi.Pointer], R],
                 on_event: Optional[Callable[[_callbacks.Event], object]] = None) -> None:
        self._handle = handle
        self._finish = finish
        self._queue = _callbacks.EventQueue(on_event)
        with handle.held() as job:
            key = _callbacks.register(self._queue)
            _errors.call(_ffi.call, _ffi.library.conclave_job_on_event, job, _callbacks.on_event, key, _callbacks.on_end)
            _errors.call(_ffi.call, _ffi.library.conclave_job_submit, job)

    def fileno(self) -> int:
        """A descriptor that is readable once the job has ended, for select and the like."""
        with self._handle.held() as job:
            return int(_ffi.library.conclave_job_descriptor(job))

    def done(self) -> bool:
        """Whether the job has ended, however it ended."""
        return self._ended_within(0)

    def cancel(self) -> None:
        """Asks the job to end soon; it then ends with Cancelled unless it was done."""
        try:
            with self._handle.held() as job:
                _ffi.library.conclave_job_cancel(job)
        except _errors.FailedPrecondition:
            pass  # it was closed, and thereby cancelled

    def wait(self, timeout: Optional[float] = None) -> R:
        """Waits for the end and gives the result. DeadlineExceeded when ``timeout`` seconds pass before; the job goes on.

        ``timeout`` is at least 0; None and ``math.inf`` are no limit.
        """
        if not self._ended_within(timeout):
            raise _errors.DeadlineExceeded(f"the job has not ended after {timeout} s; it goes on", "DEADLINE_EXCEEDED")
        return self._result()

    def _ended_within(self, timeout: Optional[float]) -> bool:
        """Waits like ``wait``, and only says whether the job has ended."""
        limit = seconds(timeout)
        end = math.inf if limit is None else time.monotonic() + limit
        poll = select.poll()
        poll.register(self.fileno(), select.POLLIN)
        while True:
            left = max(0.0, end - time.monotonic())
            if poll.poll(min(_LONGEST_POLL_MS, left * 1000)):
                return True
            if time.monotonic() >= end:
                return False

    def __await__(self) -> Generator[Any, None, R]:
        return self._wait_async().__await__()

    async def _wait_async(self) -> R:
        await self._change(self.done)
        return self._result()

    async def __aiter__(self) -> AsyncIterator[_callbacks.Event]:
        while True:
            ended = self.done()
            try:
                event = self._queue.events.get_nowait()
            except queue.Empty:
                if ended:
                    return
                await self._change(lambda: self.done() or not self._queue.events.empty())
            else:
                yield event

    async def _change(self, happened: Callable[[], bool]) -> None:
        """Waits until there is an event, or the end, that makes ``happened`` true."""
        loop = asyncio.get_running_loop()
        changed = asyncio.Event()

        def wake() -> None:
            try:
                loop.call_soon_threadsafe(changed.set)
            except RuntimeError:
                pass  # the loop was closed: nobody waits any more

        # One of its own, because a loop watches a descriptor for one reader only.
        descriptor = os.dup(self.fileno())
        try:
            loop.add_reader(descriptor, changed.set)
            self._queue.listeners.add(wake)
            while not happened():
                changed.clear()
                if happened():
                    break
                await changed.wait()
        except asyncio.CancelledError:
            self.cancel()
            raise
        finally:
            self._queue.listeners.discard(wake)
            loop.remove_reader(descriptor)
            os.close(descriptor)

    def __iter__(self) -> Iterator[_callbacks.Event]:
        """The events so far and to come, each once, until the job has ended."""
        while True:
            ended = self.done()
            try:
                yield self._queue.events.get(block=not ended, timeout=None if ended else 0.05)
            except queue.Empty:
                if ended:
                    return

    def close(self) -> None:
        """Cancels the job if it goes on and waits until its programs are dead."""
        self._handle.close()

    def __enter__(self) -> "Job[R]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _result(self) -> R:
        try:
            with self._handle.held() as job:
                made = _handle.result(_ffi.library.conclave_job_result, job)
        except _errors.Cancelled:
            if self._queue.failure is not None:
                raise self._queue.failure from None
            raise
        with made as pointer:
            result = self._finish(pointer)
        if self._queue.failure is not None:
            raise self._queue.failure
        return result


def seconds(timeout: Optional[float]) -> Optional[float]:
    """A timeout as a number of seconds, None without a limit. What is none is InvalidArgument."""
    if timeout is None:
        return None
    if not isinstance(timeout, numbers.Real):
        raise TypeError(f"timeout: {timeout!r} is not a number of seconds")
    if not timeout >= 0:
        raise _errors.InvalidArgument(f"timeout: {timeout!r} is no length of time: give 0 or more seconds, or None for no "
                                      "limit", "INVALID_ARGUMENT", {"field": "timeout"})
    return None if timeout == math.inf else float(timeout)
