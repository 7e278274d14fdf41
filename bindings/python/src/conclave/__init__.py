"""Conclave answers questions about data files with programs that are run in isolation and checked against each other.

>>> import conclave
>>> insight = conclave.ask("examples/data/seattle-weather.csv", "What is the average wind by weather?")
>>> insight.delivered
True
>>> insight.answer["columns"]
['weather', 'mean_wind']
"""

from ._callbacks import Event, ModelRequest
from ._engine import Engine, ask, compare
from ._errors import (AlreadyExists, Cancelled, ConclaveError, DeadlineExceeded, FailedPrecondition, InvalidArgument, NotFound,
                      ResourceExhausted, Unavailable)
from ._ffi import version as _version
from ._insight import Insight, Voice
from ._job import Job

__version__ = _version()

__all__ = [
    "AlreadyExists", "Cancelled", "ConclaveError", "DeadlineExceeded", "Engine", "Event", "FailedPrecondition", "Insight",
    "InvalidArgument", "Job", "ModelRequest", "NotFound", "ResourceExhausted", "Unavailable", "Voice", "ask", "compare",
]
