"""Insights: how a question ended, with everything the answer rests on."""

import dataclasses
import html
import json
from typing import Any, Dict, List, Tuple

_EXCERPT = 100  # characters of a sentence in a repr

# A row of a table, or the value of an answer as Python has it.
Value = Any


def to_python(value: Value) -> Value:
    """A value of the plain JSON form as a Python object: dates stay ISO text, a table becomes a dict of columns and rows."""
    if isinstance(value, list):
        return [to_python(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        (key, inner), = value.items()
        if key == "$int":
            return _integer(inner)
        if key == "$num":
            return float(inner)
        if key == "$date":
            return inner
        if key == "$table":
            return {"columns": list(inner["columns"]), "rows": [to_python(row) for row in inner["rows"]]}
        if key == "$map":
            return {_hashable(to_python(name)): to_python(item) for name, item in inner}
    return {name: to_python(item) for name, item in value.items()}


def _integer(lexeme: str) -> Value:
    """The number, or its digits as text where Python refuses to read so many."""
    try:
        return int(lexeme)
    except ValueError:
        return lexeme


def _hashable(value: Value) -> Value:
    return value if value.__hash__ is not None else json.dumps(value, sort_keys=True)


@dataclasses.dataclass(frozen=True)
class Voice:
    """One persona's contribution: ``answer`` in the plain JSON form, ``why_not`` when it does not count."""

    persona: str
    lineage: str
    counts: bool
    why_not: str
    answer: Dict[str, Any]

    def __hash__(self) -> int:
        return hash((self.persona, self.lineage, self.counts, self.why_not))  # equal voices have equal hashes; a dict has none


@dataclasses.dataclass(frozen=True, repr=False)
class Insight:
    """How a question ended.

    ``outcome`` is "confirmed", "supported", "disputed" or "none"; the first two are delivered. Unless ``delivered``, nothing
    here states an answer: ``answer`` is None, ``sentence``, ``text`` and ``unit`` are "", and ``table`` has no rows. What the
    programs computed all the same is in ``voices`` and ``raw``.

    ``raw`` is everything, in the plain JSON form of conclave.v1.Insight. ``text`` is the value for people, with aligned lines
    for tables; "" unless delivered.

    Insights are equal when all of ``raw`` is, and can be members of sets and keys of dicts.
    """

    raw: Dict[str, Any]
    text: str = ""

    def __hash__(self) -> int:
        return hash(self.id)

    def __post_init__(self) -> None:
        if not self.delivered:
            object.__setattr__(self, "text", "")

    @property
    def id(self) -> str:
        """What ``Engine.recall`` finds it by."""
        return str(self.raw.get("id", ""))

    @property
    def question(self) -> str:
        return str(self.raw.get("question", ""))

    @property
    def outcome(self) -> str:
        return str(self.raw.get("outcome", {}).get("kind", "none"))

    @property
    def delivered(self) -> bool:
        """Whether programs agree, so that there is an answer to rely on."""
        return self.outcome in ("confirmed", "supported")

    @property
    def answer(self) -> Value:
        """The value: a number, text, bool, list, dict, or for tables ``{"columns": [...], "rows": [...]}``.

        Dates are ISO text ("2024-03-01", "2024-Q1"). None unless delivered, and for an answer without a value, such as the mean
        of no rows: ``sentence`` says which.
        """
        return to_python(self._answer().get("value"))

    @property
    def unit(self) -> str:
        """The unit of the value ("percent", "min"); "" where none was stated, and unless delivered."""
        return str(self._answer().get("unit", ""))

    @property
    def sentence(self) -> str:
        """The answer as a sentence; "" unless delivered. The rows of a table stand in ``text``."""
        return str(self.raw.get("sentence", "")) if self.delivered else ""

    @property
    def why(self) -> str:
        """Why the outcome is what it is."""
        return str(self.raw.get("outcome", {}).get("explanation", ""))

    @property
    def way_out(self) -> str:
        """What would change the outcome; "" when nothing is needed."""
        return str(self.raw.get("outcome", {}).get("way_out", ""))

    @property
    def reading(self) -> str:
        """The question as it was understood."""
        return str(self.raw.get("reading", ""))

    @property
    def assumptions(self) -> Tuple[str, ...]:
        """Each choice that was made where the question left one open."""
        return tuple(self.raw.get("assumptions", ()))

    @property
    def notes(self) -> Tuple[str, ...]:
        """What reading the file lost or changed in the columns that were used."""
        return tuple(self.raw.get("notes", ()))

    @property
    def voices(self) -> Tuple[Voice, ...]:
        """What each persona contributed, also when nothing is delivered."""
        return tuple(Voice(persona=str(ballot.get("persona", "")), lineage=str(ballot.get("lineage", "")),
                           counts=bool(ballot.get("counts", False)), why_not=str(ballot.get("why_not", "")),
                           answer=ballot.get("answer", {})) for ballot in self.raw.get("ballots", ()))

    @property
    def table(self) -> Any:
        """The answer as a pandas DataFrame, or as a list of dicts, one for each row, where pandas is not installed.

        A dict has each name once: of columns with one name, ``n``, the second is called ``n_2`` there. ``answer`` has them as
        they are.
        A single value is one cell in the column "answer"; the entries of a dict have the columns "key" and "answer". Dates are
        ISO text. Without rows unless delivered.
        """
        columns, rows = self._grid()
        try:
            import pandas  # type: ignore[import] # pylint: disable=import-outside-toplevel
        except ImportError:
            names = _distinct(columns)
            return [dict(zip(names, row)) for row in rows]
        return pandas.DataFrame(rows, columns=columns)

    def _answer(self) -> Dict[str, Any]:
        """The answer in the plain JSON form; empty unless delivered."""
        return dict(self.raw.get("answer", {})) if self.delivered else {}

    def _grid(self) -> Tuple[List[str], List[List[Value]]]:
        answer = self.answer
        if answer is None:
            return ["answer"], []
        if self._answer().get("kind") == "table":
            return list(answer["columns"]), list(answer["rows"])
        if isinstance(answer, dict):
            return ["key", "answer"], [[key, value] for key, value in answer.items()]
        if isinstance(answer, list):
            return ["answer"], [[value] for value in answer]
        return ["answer"], [[answer]]

    def __repr__(self) -> str:
        return f"<Insight {self.outcome}: {_excerpt(self.sentence or self.why)}>"

    def __str__(self) -> str:
        if self.delivered and self.text and self.text not in self.sentence:
            return f"{self.sentence}\n{self.text}"
        return self.sentence if self.delivered else f"{self.outcome}: {self.why}"

    def _repr_html_(self) -> str:
        parts = [f"<p><b>{html.escape(self.outcome)}</b> {html.escape(self.sentence or self.why)}</p>"]
        columns, rows = self._grid()
        if self.delivered and (len(rows) > 1 or len(columns) > 1):
            head = "".join(f"<th>{html.escape(str(column))}</th>" for column in columns)
            body = "".join("<tr>" + "".join(f"<td>{html.escape(_shown(cell))}</td>" for cell in row) + "</tr>"
                           for row in rows[:50])
            more = f"<p>{len(rows) - 50} more rows</p>" if len(rows) > 50 else ""
            parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}")
        for line in (*self.assumptions, *self.notes):
            parts.append(f"<p>{html.escape(line)}</p>")
        return "".join(parts)


def _distinct(columns: List[str]) -> List[str]:
    """The names, with a number behind those that were there before."""
    taken = set(columns)
    names: List[str] = []
    for column in columns:
        name, number = column, 2
        while name in names or (name != column and name in taken):
            name, number = f"{column}_{number}", number + 1
        names.append(name)
    return names


def _excerpt(line: str) -> str:
    return line if len(line) <= _EXCERPT else line[:_EXCERPT - 3] + "..."


def _shown(cell: Value) -> str:
    return "" if cell is None else str(cell)


def parse(data: bytes) -> Dict[str, Any]:
    """One JSON object of the library, whose integers may be longer than Python reads."""
    parsed: Dict[str, Any] = json.loads(data, parse_int=_integer)
    return parsed


def from_json(data: bytes, text: str) -> Insight:
    return Insight(raw=parse(data), text=text)
