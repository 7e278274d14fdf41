"""The C interface as ctypes sees it: the only module that knows of pointers.

Handles are opaque, and no struct is laid out here, so that the package goes with every library of the same ABI version.
"""

import ctypes
import os
import pathlib
from ctypes import CFUNCTYPE, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Callable, Dict, List, Optional, Tuple

ABI_VERSION = 1

OK = 0
DEADLINE_EXCEEDED = 4
PROTO, JSON = 1, 2
ANALYSIS, EXECUTION, PROFILE = 1, 2, 3

EVENT_FUNCTION = CFUNCTYPE(c_int32, c_void_p, c_void_p, c_size_t)
MODEL_FUNCTION = CFUNCTYPE(None, c_void_p, c_uint64, c_void_p, c_size_t)
FINALIZER = CFUNCTYPE(None, c_void_p)

# The address of an object of the library, or of none.
Pointer = c_void_p

# Errors are read by address, so every `error` parameter is a pointer to a pointer.
_OUT = ctypes.POINTER(c_void_p)

# name -> (result, arguments), for every function of conclave.h. Engines are made from JSON here; the two functions that take
# a struct are listed so that the table is whole.
FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {
    "conclave_version_number": (c_uint32, []),
    "conclave_version_string": (c_char_p, []),
    "conclave_abi_version": (c_uint32, []),
    "conclave_features": (c_char_p, []),
    "conclave_code_name": (c_char_p, [c_int32]),
    "conclave_error_code": (c_int32, [c_void_p]),
    "conclave_error_message": (c_char_p, [c_void_p]),
    "conclave_error_detail_json": (c_char_p, [c_void_p]),
    "conclave_error_destroy": (None, [c_void_p]),
    "conclave_buffer_data": (c_void_p, [c_void_p]),
    "conclave_buffer_size": (c_size_t, [c_void_p]),
    "conclave_buffer_destroy": (None, [c_void_p]),
    "conclave_engine_options_init": (None, [c_void_p, c_size_t]),
    "conclave_engine_create": (c_int32, [c_void_p, _OUT, _OUT]),
    "conclave_engine_create_json": (c_int32, [c_void_p, c_size_t, _OUT, _OUT]),
    "conclave_engine_destroy": (None, [c_void_p]),
    "conclave_engine_examine": (c_int32, [c_void_p, _OUT, _OUT]),
    "conclave_engine_recall": (c_int32, [c_void_p, c_char_p, c_char_p, _OUT, _OUT]),
    "conclave_engine_add_model": (c_int32, [c_void_p, c_char_p, c_char_p, MODEL_FUNCTION, c_void_p, FINALIZER, _OUT]),
    "conclave_model_reply": (c_int32, [c_uint64, c_void_p, c_size_t, _OUT]),
    "conclave_model_wanted": (c_int32, [c_uint64]),
    "conclave_ask": (c_int32, [c_void_p, c_char_p, c_char_p, _OUT, _OUT]),
    "conclave_job_create": (c_int32, [c_void_p, c_int32, c_int32, c_void_p, c_size_t, _OUT, _OUT]),
    "conclave_job_on_event": (c_int32, [c_void_p, EVENT_FUNCTION, c_void_p, FINALIZER, _OUT]),
    "conclave_job_submit": (c_int32, [c_void_p, _OUT]),
    "conclave_job_wait": (c_int32, [c_void_p, c_int64, _OUT]),
    "conclave_job_descriptor": (c_int, [c_void_p]),
    "conclave_job_cancel": (None, [c_void_p]),
    "conclave_job_result": (c_int32, [c_void_p, _OUT, _OUT]),
    "conclave_job_destroy": (None, [c_void_p]),
    "conclave_result_delivered": (c_int32, [c_void_p]),
    "conclave_result_outcome": (c_int32, [c_void_p]),
    "conclave_result_sentence": (c_char_p, [c_void_p]),
    "conclave_result_answer": (c_char_p, [c_void_p]),
    "conclave_result_why": (c_char_p, [c_void_p]),
    "conclave_result_way_out": (c_char_p, [c_void_p]),
    "conclave_result_id": (c_char_p, [c_void_p]),
    "conclave_result_persona_count": (c_size_t, [c_void_p]),
    "conclave_result_persona_name": (c_char_p, [c_void_p, c_size_t]),
    "conclave_result_persona_counts": (c_int32, [c_void_p, c_size_t]),
    "conclave_result_persona_answer": (c_char_p, [c_void_p, c_size_t]),
    "conclave_result_encode": (c_int32, [c_void_p, c_int32, _OUT, _OUT]),
    "conclave_result_destroy": (None, [c_void_p]),
    "conclave_compare": (c_int32, [c_void_p, c_size_t, c_void_p, c_size_t, c_void_p, c_size_t, _OUT, _OUT]),
}


_WAY_OUT = "install a package and a library of the same release"


def _candidates() -> List[str]:
    """Where the library may be, the first that exists wins: CONCLAVE_LIBRARY, this package's folder, the system's search."""
    named = os.environ.get("CONCLAVE_LIBRARY")
    if named:
        return [named]
    here = pathlib.Path(__file__).resolve().parent
    beside = [str(path) for path in (here / "libconclave.so", here / "libconclave.so.0.1") if path.exists()]
    return beside or ["libconclave.so.0.1"]


def _declare(library: ctypes.CDLL, path: str) -> None:
    """Tells ctypes of every function. ImportError unless the library is one for this package."""
    if not hasattr(library, "conclave_abi_version"):
        raise ImportError(f"{path} is no Conclave library: it has no function conclave_abi_version", path=path)
    library.conclave_abi_version.restype = c_uint32
    found = library.conclave_abi_version()
    if found != ABI_VERSION:
        raise ImportError(f"{path} has version {found} of the C interface, and this package needs {ABI_VERSION}: {_WAY_OUT}",
                          path=path)
    missing = [name for name in FUNCTIONS if not hasattr(library, name)]
    if missing:
        library.conclave_version_string.restype = c_char_p
        number = text(library.conclave_version_string()) if "conclave_version_string" not in missing else "of an unknown number"
        raise ImportError(f"{path} is the library of release {number}, which is older than this package: it has no "
                          f"{', '.join(missing)}: {_WAY_OUT}", path=path)
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments


def text(value: Optional[bytes]) -> str:
    return (value or b"").decode("utf-8", "replace")


def _load() -> ctypes.CDLL:
    problems = []
    for candidate in _candidates():
        try:
            library = ctypes.CDLL(candidate)
        except OSError as error:
            problems.append(str(error))
            continue
        _declare(library, candidate)
        return library
    raise ImportError(f"the Conclave library was not found ({'; '.join(problems)}): install it, or set CONCLAVE_LIBRARY to the "
                      "path of libconclave.so")


library = _load()


class Failure(Exception):
    """What the library reported, before it becomes a ConclaveError."""

    def __init__(self, code: int, message: str, detail_json: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.detail_json = detail_json


def call(function: Callable[..., int], *arguments: Any) -> None:
    """Calls a function whose last parameter is an error; raises Failure unless it returns OK."""
    error = c_void_p()
    code = function(*arguments, ctypes.byref(error))
    if code == OK:
        return
    try:
        raise Failure(code, text(library.conclave_error_message(error)), text(library.conclave_error_detail_json(error)))
    finally:
        library.conclave_error_destroy(error)


def make(pointer: Pointer, function: Callable[..., int], *arguments: Any) -> None:
    """The same for a function that makes an object: the library itself writes its address to ``pointer``."""
    call(function, *arguments, ctypes.byref(pointer))


def release(pointer: Pointer, destroy: Callable[[Pointer], None]) -> None:
    """Destroys the object, if there is one. Whoever uses ``pointer`` afterwards passes NULL, which the library refuses."""
    address, pointer.value = pointer.value, None
    if address is not None:
        destroy(Pointer(address))


def bytes_of(buffer: Pointer) -> bytes:
    return ctypes.string_at(library.conclave_buffer_data(buffer), library.conclave_buffer_size(buffer))


def read(address: int, size: int) -> bytes:
    return ctypes.string_at(address, size)


def name_of_code(code: int) -> str:
    return text(library.conclave_code_name(code))


def version() -> str:
    return text(library.conclave_version_string())


__all__ = [name for name in dir() if not name.startswith("_") and name not in ("os", "pathlib", "sys")]
