"""The engine: the whole library behind one object."""

import inspect
import json
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

from . import _callbacks, _descriptor, _errors, _ffi, _handle, _insight, _job
from ._callbacks import Event, ModelFunction
from ._descriptor import Files, Path, optional_path
from ._insight import Insight
from ._job import Job

R = TypeVar("R")
OnEvent = Optional[Callable[[Event], object]]


class Engine:
    """Asks questions about files, runs programs over them and describes them.

    Threads may share an engine. Jobs go on when it is closed. All options have defaults: ``store_folder`` keeps column stores
    and answers (default: a private temporary folder), ``scope`` is the tenant, ``python`` the interpreter for programs,
    ``guest_folder`` where the guest programs are, ``budget_*`` what all runs together may use at a time, ``isolation`` how
    strongly each is isolated: a level from 0 to 3 below which none takes place, or a pair (required, preferred) of them, which
    also tries the stronger ones (default: (1, 2)). A run that cannot have the required level is FailedPrecondition.

    >>> with Engine() as engine:
    ...     insight = engine.ask("examples/data/seattle-weather.csv", "How many days had snow?")
    >>> insight.delivered
    True
    """

    def __init__(self, *, store_folder: Optional[Path] = None, scope: Optional[str] = None, python: Optional[Path] = None,
                 guest_folder: Optional[Path] = None, budget_memory_bytes: Optional[int] = None,
                 budget_disk_bytes: Optional[int] = None, budget_processes: Optional[int] = None,
                 budget_cpus: Optional[float] = None, isolation: Union[None, int, Tuple[int, int]] = None) -> None:
        required, preferred = _descriptor.levels(isolation)
        options = {
            "store_folder": optional_path("store_folder", store_folder), "scope": scope,
            "python": optional_path("python", python), "guest_folder": optional_path("guest_folder", guest_folder),
            "budget_memory_bytes": budget_memory_bytes, "budget_disk_bytes": budget_disk_bytes,
            "budget_processes": budget_processes, "budget_cpus": budget_cpus,
            "isolation_required": required, "isolation_preferred": preferred,
        }
        data = _descriptor.encode({name: value for name, value in options.items() if value is not None})
        self._handle = _handle.Handle("engine", _ffi.library.conclave_engine_destroy,
                                      _ffi.library.conclave_engine_create_json, data, len(data))

    # -- questions --

    def ask(self, files: Files, question: str, *, on_event: OnEvent = None, personas: Optional[Sequence[str]] = None,
            timeout: Optional[float] = None, **context: Any) -> Insight:
        """Asks and waits. However the question ends, the result is an Insight; unusable files raise.

        ``files`` is a path, ``{"path": ..., "name": ...}``, ``{"descriptor": 7, "name": "sales.csv"}`` (open for reading until
        the job has ended), or a list of these. ``timeout`` in seconds: beyond it the job is cancelled and DeadlineExceeded is
        raised. ``on_event`` is called with each event, on a thread of the library. The rest: see submit.
        """
        return _wait(lambda: self.submit(files, question, on_event=on_event, personas=personas, **context), timeout)

    def submit(self, files: Files, question: str, *, on_event: OnEvent = None, personas: Optional[Sequence[str]] = None,
               **context: Any) -> "Job[Insight]":
        """Begins a question. ``personas`` are names of those to ask (default: all).

        ``context`` are the fields of conclave.v1.JobContext: ``scope``, ``as_of``, ``time_zone``, ``locale``, ``seed``,
        ``deadline_ms``, ``run_limits`` (a dict such as ``{"memory_bytes": 2**30}``).
        """
        descriptor: Dict[str, Any] = {"question": _descriptor.text("question", question)}
        if personas is not None:
            descriptor["personas"] = list(personas)
        return self._begin(_ffi.ANALYSIS, descriptor, files, context, _finish_insight, on_event)

    def recall(self, insight_id: str, *, scope: Optional[str] = None) -> Insight:
        """A finished question by its id, or the first four or more digits of it."""
        names = _descriptor.optional_name("scope", scope), _descriptor.name("insight_id", insight_id)
        with self._handle.held() as engine:
            made = _handle.result(_ffi.library.conclave_engine_recall, engine, *names)
        with made as result:
            return _finish_insight(result)

    # -- programs and files --

    def run(self, files: Files, code: str, *, language: str = "sql", on_event: OnEvent = None,
            timeout: Optional[float] = None, **context: Any) -> Dict[str, Any]:
        """Runs one program in the sandbox and gives its conclave.v1.Execution: ``answer``, ``end_reason``, ``usage``, ...

        ``language`` is "sql" or "python". How the program ended is a value, not an exception. A table is named after its file.
        A program in Python gets it with ``load()`` and assigns ``result``. ``files``, ``timeout``: see ask; ``context``: see
        submit.
        """
        return _wait(lambda: self.submit_program(files, code, language=language, on_event=on_event, **context), timeout)

    def submit_program(self, files: Files, code: str, *, language: str = "sql", on_event: OnEvent = None,
                       **context: Any) -> "Job[Dict[str, Any]]":
        """Begins what ``run`` does; the job gives the conclave.v1.Execution."""
        descriptor = {"language": language, "code": _descriptor.text("code", code)}
        return self._begin(_ffi.EXECUTION, descriptor, files, context, _finish_json, on_event)

    def profile(self, files: Files, *, on_event: OnEvent = None, timeout: Optional[float] = None,
                **context: Any) -> List[Dict[str, Any]]:
        """Reads files and describes them: one conclave.v1.Profile for each."""
        return _wait(lambda: self.submit_profile(files, on_event=on_event, **context), timeout)

    def submit_profile(self, files: Files, *, on_event: OnEvent = None, **context: Any) -> "Job[List[Dict[str, Any]]]":
        """Begins what ``profile`` does; the job gives one conclave.v1.Profile for each file."""
        return self._begin(_ffi.PROFILE, {}, files, context, _finish_profiles, on_event)

    # -- the panel and the machine --

    def add_model(self, name: str, function: ModelFunction, *, family: Optional[str] = None) -> None:
        """Adds a language model to the panel, as two authors: one writes SQL, one writes Python.

        ``function(request)`` gets a ModelRequest and returns the completion: its text, or a mapping with ``text`` and, where
        known, ``model`` (as the provider names it), ``truncated``, ``input_tokens`` and ``output_tokens``. Send both
        ``request.instructions``, the rules, and ``request.prompt``, the tables and the question. The text has to hold a block
        tagged json with the members ``reading`` and ``assumptions`` (or ``decline``, which says why there is no program), and
        then a block with the program, tagged with ``request.language``; what stands around the blocks is ignored.

        The function is called on threads of its own, several at a time. What it raises, or a reply that is none, is the reason
        why its personas have no answer (``Voice.why_not``). Models of one ``family`` (default: the name) count as one reader.
        A name that is taken is AlreadyExists.
        """
        if not callable(function) or inspect.iscoroutinefunction(function):
            raise TypeError(f"function: {_errors.named(function)} is no function that returns the text of a completion")
        names = _descriptor.name("name", name), _descriptor.optional_name("family", family)
        with self._handle.held() as engine:
            key = _callbacks.register(_callbacks.HostModel(function))
            _errors.call(_ffi.call, _ffi.library.conclave_engine_add_model, engine, *names, _callbacks.on_model, key,
                         _callbacks.on_end)

    def examine(self) -> Dict[str, Any]:
        """Checks everything the engine depends on: ``{"good": True, "findings": [...]}``."""
        with self._handle.held() as engine:
            report = _handle.buffer(_ffi.library.conclave_engine_examine, engine)
        parsed: Dict[str, Any] = json.loads(report)
        return parsed

    def close(self) -> None:
        """Lets go of the engine. Jobs that were begun go on."""
        self._handle.close()

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begin(self, kind: int, descriptor: Dict[str, Any], files: Files, context: Mapping[str, Any],
               finish: Callable[[_ffi.Pointer], R], on_event: OnEvent) -> "Job[R]":
        descriptor["datasets"] = _descriptor.datasets(files)
        if context:
            descriptor["context"] = dict(context)
        data = _descriptor.encode(descriptor)
        with self._handle.held() as engine:
            handle = _handle.Handle("job", _ffi.library.conclave_job_destroy, _ffi.library.conclave_job_create, engine, kind,
                                    _ffi.JSON, data, len(data))
        return _job.Job(handle, finish, on_event)


def _wait(begin: Callable[[], "Job[R]"], timeout: Optional[float]) -> R:
    """The result of a job of ours alone, which therefore does not outlive the wait."""
    limit = _job.seconds(timeout)
    with begin() as job:
        if job._ended_within(limit):
            return job.wait()
    raise _errors.DeadlineExceeded(f"there was no result after {timeout} s (timeout), and the job was cancelled: allow more "
                                   "time, or submit() a job, which goes on when a wait ends", "DEADLINE_EXCEEDED")


def _encoded(result: _ffi.Pointer) -> bytes:
    return _handle.buffer(_ffi.library.conclave_result_encode, result, _ffi.JSON)


def _finish_insight(result: _ffi.Pointer) -> Insight:
    return _insight.from_json(_encoded(result), _ffi.text(_ffi.library.conclave_result_answer(result)))


def _finish_json(result: _ffi.Pointer) -> Dict[str, Any]:
    return _insight.parse(_encoded(result))


def _finish_profiles(result: _ffi.Pointer) -> List[Dict[str, Any]]:
    return list(_finish_json(result).get("profiles", []))


def ask(files: Files, question: str, *, on_event: OnEvent = None, personas: Optional[Sequence[str]] = None,
        timeout: Optional[float] = None, **context: Any) -> Insight:
    """Asks one question about one or several files, with an engine of its own. The parameters are those of Engine.ask.

    >>> insight = ask("examples/data/seattle-weather.csv", "What is the highest wind?")
    >>> insight.outcome, insight.answer
    ('supported', 9.5)
    """
    with Engine() as engine:
        return engine.ask(files, question, on_event=on_event, personas=personas, timeout=timeout, **context)


def compare(a: Mapping[str, Any], b: Mapping[str, Any], expectation: Optional[Mapping[str, Any]] = None) -> Dict[str, Any]:
    """Whether two typed answers say the same.

    >>> compare({"kind": "number", "value": 34.65}, {"kind": "number", "value": 34.6544}, {"decimals": 2})["agree"]
    True
    """
    first, second = _descriptor.encode(a, "a"), _descriptor.encode(b, "b")
    expected = None if expectation is None else _descriptor.encode(expectation, "expectation")
    verdict = _handle.buffer(_ffi.library.conclave_compare, first, len(first), second, len(second), expected,
                             len(expected or b""))
    parsed: Dict[str, Any] = json.loads(verdict)
    return parsed
