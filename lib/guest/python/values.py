"""ValueEncoder: Python, numpy and pandas values in their form on the wire (docs/guest-protocol.md, "Answers on the wire").

The result is a structure that json.dumps writes as it is. What no answer can hold is a ProgramError that says what to assign
instead. Missing values are null in tables and Series, where pandas means them so; elsewhere NaN is kept as a number.
"""

import collections.abc
import datetime
import decimal
import enum
import fractions
import functools
import inspect
import math
import uuid

import numpy as np
import pandas as pd

from conclave_guest.errors import ProgramError

MOST_ROWS = 100000
MOST_COLUMNS = 2000
MOST_VALUES = 2000000
MOST_DEPTH = 16
MOST_DIGITS = 100000

_INT64 = range(-(1 << 63), 1 << 63)
_float_text = float.__repr__
_isfinite = math.isfinite


def too_large(message):
    return ProgramError("AnswerTooLarge", message + "; aggregate, or keep the first rows with head()")


def wrong_type(message):
    return ProgramError("ResultTypeError", message)


class ValueEncoder:
    """Encodes one answer. `rows` is the length of the longest loaded table: an unnamed integer index below it numbers rows."""

    def __init__(self, rows=0):
        self._rows = rows
        self._left = MOST_VALUES

    def value(self, item, depth=1, in_frame=False):
        """One value. `in_frame`: NaN stands for a missing value."""
        if depth > MOST_DEPTH:
            raise too_large("result is nested deeper than %d levels" % MOST_DEPTH)
        self._spend(1)
        scalar, found = self._scalar(item, in_frame)
        if found:
            return scalar
        return self._container(item, depth)

    def _spend(self, count):
        self._left -= count
        if self._left < 0:
            raise too_large("result holds more than {:,} values".format(MOST_VALUES))

    # Scalars

    def _scalar(self, item, in_frame):
        """(wire form, True), or (None, False) when the item is no scalar."""
        if item is None or item is pd.NaT or item is pd.NA:
            return None, True
        if isinstance(item, (bool, np.bool_)):
            return bool(item), True
        if isinstance(item, str):
            return str.__str__(item) if not isinstance(item, enum.Enum) else str(item.value), True
        if isinstance(item, (datetime.timedelta, np.timedelta64)):
            return self._duration(item), True  # before integers: numpy's durations are integers too
        if isinstance(item, (int, np.integer)):
            return whole(int(item)), True
        if isinstance(item, (float, np.floating)):
            return self._real(item, in_frame), True
        if isinstance(item, decimal.Decimal):
            return self._decimal(item), True
        if isinstance(item, fractions.Fraction):
            return (whole(item.numerator) if item.denominator == 1 else self._real(float(item), in_frame)), True
        if isinstance(item, (datetime.date, np.datetime64, pd.Period)):
            return self._date(item), True
        if isinstance(item, datetime.time):
            return item.isoformat(), True
        if isinstance(item, (pd.Interval, uuid.UUID, np.dtype, pd.api.extensions.ExtensionDtype)):
            return str(item), True
        if isinstance(item, enum.Enum):
            return self._scalar(item.value, in_frame)
        if isinstance(item, (complex, np.complexfloating)):
            raise wrong_type("result holds a complex number; assign its real part or its size")
        if isinstance(item, (bytes, bytearray, memoryview, np.void)):
            raise wrong_type("result holds bytes; decode them to text")
        return None, False

    @staticmethod
    def _real(item, in_frame):
        if isinstance(item, (float, np.float64)):
            number = float(item)
            if _isfinite(number):
                return number
            if number != number:
                return None if in_frame else {"$num": "nan"}
            return {"$num": "inf" if number > 0 else "-inf"}
        if not np.isfinite(item):
            return ValueEncoder._real(float(item), in_frame)
        return {"$num": str(item)}  # other widths: the shortest decimal at their own precision

    @staticmethod
    def _decimal(item):
        if not item.is_finite():
            return {"$num": "nan" if item.is_nan() else "inf" if item > 0 else "-inf"}
        sign, digits, exponent = item.as_tuple()
        if len(digits) > MOST_DIGITS:
            raise too_large("result holds a number of %d digits" % len(digits))
        if exponent > 0 and len(digits) + exponent < 40:
            return {"$num": format(item, "f")}
        return {"$num": str(item)}

    @staticmethod
    def _duration(item):
        if isinstance(item, np.timedelta64) and np.isnat(item):
            return None
        return pd.Timedelta(item).isoformat()

    @staticmethod
    def _date(item):
        if isinstance(item, pd.Period):
            return {"$date": period_text(item)}
        if isinstance(item, np.datetime64):
            if np.isnat(item):
                return None
            item = item.astype("M8[us]").item()
            if isinstance(item, int):
                raise wrong_type("result holds a date beyond the years 1 to 9999")
        return {"$date": date_text(item)}

    # Containers

    def _container(self, item, depth):
        if isinstance(item, pd.DataFrame):
            return self._frame(item, depth)
        if isinstance(item, pd.Series):
            return self._series(item, depth)
        if isinstance(item, (pd.Index, pd.api.extensions.ExtensionArray)) and not isinstance(item, pd.MultiIndex):
            self._check_rows(len(item))
            return self._cells(pd.Series(item))
        if isinstance(item, np.ndarray):
            return self._array(item, depth)
        if isinstance(item, collections.abc.Mapping):
            return self._map(item, depth)
        if isinstance(item, (set, frozenset, collections.abc.KeysView)):
            self._check_rows(len(item))
            return sorted((self.value(member, depth + 1) for member in item), key=_sort_key)
        if isinstance(item, (list, tuple, range, collections.abc.Sequence, collections.abc.ValuesView, collections.abc.ItemsView)):
            return self._list(list(item), depth)
        raise wrong_type(_what_it_is(item))

    @staticmethod
    def _check_rows(rows):
        if rows > MOST_ROWS:
            raise too_large("result has {:,} rows, and an answer at most {:,}".format(rows, MOST_ROWS))

    def _list(self, items, depth):
        self._check_rows(len(items))
        records = self._records(items, depth)
        return records if records is not None else [self.value(item, depth + 1) for item in items]

    def _records(self, items, depth):
        """A list of dicts with the same text keys, or of tuples of one length, as a table; None for anything else."""
        if not items:
            return None
        first = items[0]
        if type(first) is dict and first and all(isinstance(name, str) for name in first):
            names = list(first)
            if not all(type(item) is dict and item.keys() == first.keys() for item in items):
                return None
            rows = ([item[name] for name in names] for item in items)
        elif isinstance(first, tuple) and len(first) > 1:
            if not all(isinstance(item, tuple) and len(item) == len(first) for item in items):
                return None
            names = list(getattr(first, "_fields", None) or ("column_%d" % (n + 1) for n in range(len(first))))
            rows = items
        else:
            return None
        return self._table(names, [[self.value(cell, depth + 1, in_frame=True) for cell in row] for row in rows])

    def _map(self, items, depth):
        self._check_rows(len(items))
        return {"$map": [[self.value(key, depth + 1), self.value(item, depth + 1)] for key, item in items.items()]}

    def _array(self, array, depth):
        if array.dtype.names:
            return self._frame(pd.DataFrame.from_records(array), depth)
        if array.ndim == 0:
            return self.value(array[()], depth)
        self._check_rows(len(array))
        if array.dtype.kind in "biu" and array.dtype != np.uint64:
            self._spend(array.size)
            return array.tolist()
        return [self.value(item, depth + 1) for item in array]

    # Frames

    def _series(self, series, depth):
        self._check_rows(len(series))
        if not self._numbers_rows(series):
            keys, names = self._keys(series)
            names.append(label_text(series.name) if series.name is not None else "value")
            return self._table(names, zip(*keys, self._cells(series)))
        if len(series) == 1:
            return self.value(series.iloc[0], depth, in_frame=True)
        return self._cells(series)

    def _frame(self, frame, depth):
        self._check_rows(len(frame))
        width = frame.shape[1]
        if width > MOST_COLUMNS:
            raise too_large("result has {:,} columns, and an answer at most {:,}".format(width, MOST_COLUMNS))
        numbered = self._numbers_rows(frame)
        if numbered and frame.shape == (1, 1):
            return self.value(frame.iloc[0, 0], depth, in_frame=True)
        columns, names = ([], []) if numbered else self._keys(frame)
        for position in range(width):
            columns.append(self._cells(frame.iloc[:, position]))
            names.append(label_text(frame.columns[position]))
        return self._table(names, zip(*columns) if columns else ())

    @staticmethod
    def _table(names, rows):
        seen = set()
        unique = []
        for name in names:
            candidate, number = name, 2
            while candidate in seen:
                candidate, number = "%s_%d" % (name, number), number + 1
            seen.add(candidate)
            unique.append(candidate)
        return {"$table": {"columns": unique, "rows": list(rows)}}

    def _numbers_rows(self, frame):
        """True when the index says nothing but which row it was.

        That is the default index, 0, 1, 2 and so on; and what filtering and sorting leave of it: an unnamed integer index of
        different values, none of which is beyond the rows that were loaded. pandas itself cannot tell the latter from the
        keys of a group-by on an array, which are unnamed integers too, and to lose keys is worse than to show row numbers. So
        keys are named where they come into being, see name_keys(), and an index with a name always stays.
        """
        index = frame.index
        if isinstance(index, pd.MultiIndex) or index.name is not None:
            return False
        if len(index) == 0 or (isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1):
            return True
        if KEY_NAME in frame.attrs or getattr(index.dtype, "kind", "O") not in "iu":
            return False
        return int(index.min()) >= 0 and int(index.max()) < max(self._rows, 1) and index.is_unique

    def _keys(self, frame):
        index = frame.index
        if isinstance(index, pd.MultiIndex):
            levels = [index.get_level_values(level) for level in range(index.nlevels)]
        else:
            levels = [index]
        columns = [self._cells(pd.Series(level), getattr(level, "freq", None)) for level in levels]
        names = []
        for position, name in enumerate(index.names):
            if name is None:
                name = frame.attrs.get(KEY_NAME, "key") if len(levels) == 1 else "key_%d" % (position + 1)
            names.append(label_text(name))
        return columns, names

    def _cells(self, column, freq=None):
        """The values of a Series, fast for the common types."""
        kind = getattr(column.dtype, "kind", "") if isinstance(column.dtype, np.dtype) else ""
        if kind in ("b", "i") or (kind == "u" and column.dtype.itemsize < 8):
            self._spend(len(column))
            return column.tolist()
        if column.dtype == np.float64:
            self._spend(len(column))
            cells = column.tolist()
            return cells if np.isfinite(column.to_numpy()).all() else [self._real(cell, True) for cell in cells]
        if getattr(column.dtype, "kind", "") == "M":
            self._spend(len(column))
            return self._date_cells(column, freq)
        return [self.value(item, 2, in_frame=True) for item in column.astype(object).tolist()]

    def _date_cells(self, column, freq):
        pattern = _FREQ_PATTERNS.get(_freq_root(freq))
        items = column.tolist()
        if pattern is not None:
            return [None if item is pd.NaT else {"$date": pattern(item)} for item in items]
        days = all(item is pd.NaT or _is_midnight(item) for item in items)
        return [None if item is pd.NaT else {"$date": date_text(item, days)} for item in items]


# The name under which a Series remembers that its unnamed index holds values of a column, see _name_counted_values().
KEY_NAME = "conclave_key"


def name_keys():
    """Makes pandas name what it leaves unnamed though it holds keys: counted values, and groups of an array or a function.

    The latter get the name that reset_index() would give them, so that programs see no difference.
    """
    _name_counted_values()
    for kind in (pd.Series, pd.DataFrame):
        _name_groups(kind)


def _name_groups(kind):
    groups = kind.groupby
    if hasattr(groups, "names_keys"):
        return

    @functools.wraps(groups)
    def groupby(self, by=None, *args, **options):
        grouped = groups(self, by, *args, **options)
        if by is None or args or not options.get("as_index", True) or options.get("axis", 0) not in (0, "index"):
            return grouped
        key = _unnamed_key(grouped)
        if key is None:
            return grouped
        taken = self.columns if isinstance(self, pd.DataFrame) else [self.name]
        name = "level_0" if "index" in taken else "index"
        return groups(self, pd.Index(key, name=name), **options)

    groupby.names_keys = True
    kind.groupby = groupby


def _unnamed_key(grouped):
    """What is grouped by, a value for each row, when that is one unnamed key of integers; else None."""
    grouper = getattr(grouped, "_grouper", None) or getattr(grouped, "grouper", None)
    groupings = getattr(grouper, "groupings", [])
    if len(groupings) != 1 or groupings[0].name is not None:
        return None
    key = getattr(groupings[0], "grouping_vector", None)
    return key if getattr(getattr(key, "dtype", None), "kind", "") in ("i", "u") else None


def _name_counted_values():
    """Makes value_counts() of pandas before 2.0, which leaves its index unnamed, remember whose values the index holds."""
    if int(pd.__version__.split(".")[0]) >= 2:
        return
    counts = pd.Series.value_counts
    if hasattr(counts, "names_keys"):
        return

    @functools.wraps(counts)
    def value_counts(self, *args, **options):
        counted = counts(self, *args, **options)
        if counted.index.name is None:
            counted.attrs[KEY_NAME] = "value" if self.name is None else label_text(self.name)
        return counted

    value_counts.names_keys = True
    pd.Series.value_counts = value_counts


def whole(number):
    """An integer of any length; beyond 64 bits in the tagged form, which no JSON reader rounds."""
    if number in _INT64:
        return number
    if number.bit_length() > MOST_DIGITS * 3:
        raise too_large("result holds an integer of more than %d digits" % MOST_DIGITS)
    return {"$int": int.__repr__(number)}


def date_text(item, days=None):
    """A date or time in ISO 8601, instants in UTC with a Z. `days`: write the day only; by default at midnight."""
    if not isinstance(item, datetime.datetime):
        return item.isoformat()
    if item.tzinfo is not None:
        try:
            item = item.astimezone(datetime.timezone.utc) if not isinstance(item, pd.Timestamp) else item.tz_convert("UTC")
        except (OverflowError, ValueError):
            raise wrong_type("result holds an instant beyond the years 1 to 9999") from None
        return item.replace(tzinfo=None).isoformat() + "Z"
    if _is_midnight(item) if days is None else days:
        return item.date().isoformat()
    return item.isoformat()


def _is_midnight(item):
    return item.tzinfo is None and not (item.hour or item.minute or item.second or item.microsecond or getattr(item, "nanosecond", 0))


def _month(item):
    return "%04d-%02d" % (item.year, item.month)


def _quarter(item):
    return "%04d-Q%d" % (item.year, (item.month + 2) // 3)


def _year(item):
    return "%04d" % item.year


# Frequencies whose labels stand for a whole month, quarter or year, by the root of their name.
_FREQ_PATTERNS = {
    "M": _month,
    "ME": _month,
    "MS": _month,
    "Q-DEC": _quarter,
    "QE-DEC": _quarter,
    "QS-JAN": _quarter,
    "QS-OCT": _quarter,
    "A-DEC": _year,
    "Y-DEC": _year,
    "YE-DEC": _year,
    "AS-JAN": _year,
    "YS-JAN": _year,
}


def _freq_root(freq):
    return getattr(freq, "freqstr", None)


def period_text(period):
    """2024, 2024-Q1, 2024-03, 2024-W05, or its start where the period has no name of its own in ISO 8601."""
    pattern = _FREQ_PATTERNS.get(_freq_root(period.freq))
    if pattern is not None:
        return pattern(period)
    if _freq_root(period.freq) == "W-SUN":
        return "%04d-W%02d" % tuple(period.end_time.isocalendar())[:2]
    return date_text(period.start_time)


def label_text(label):
    """The name of a column: parts of a tuple joined by "_", dates in ISO 8601."""
    if isinstance(label, str):
        return str.__str__(label)
    if isinstance(label, tuple):
        return "_".join(text for text in (label_text(part) for part in label) if text)
    if label is None or label is pd.NaT or label is pd.NA or label != label:
        return ""
    if isinstance(label, (datetime.date, pd.Period)):
        return period_text(label) if isinstance(label, pd.Period) else date_text(label)
    return str(label)


def _sort_key(value):
    """A total order over wire values: null, booleans, numbers, text, dates, then the rest by what they look like."""
    if value is None:
        return (0, 0, "")
    if isinstance(value, bool):
        return (1, int(value), "")
    if isinstance(value, (int, float)):
        return (2, value, "")
    if isinstance(value, str):
        return (3, 0, value)
    return (4, 0, repr(value))


def _what_it_is(item):
    """Why an object is no answer, and what to assign instead."""
    kind = type(item)
    name = "a " + kind.__name__
    if inspect.isroutine(item):
        return "result is a function; call it and assign its value"
    if inspect.isclass(item) or inspect.ismodule(item):
        return "result is a %s; assign a value" % ("class" if inspect.isclass(item) else "module")
    if isinstance(item, collections.abc.Iterator):
        return "result holds %s; wrap it in list()" % ("a generator" if inspect.isgenerator(item) else "an iterator")
    module = kind.__module__ or ""
    if module.startswith("pandas") and ("GroupBy" in kind.__name__ or "Resampler" in kind.__name__ or "Rolling" in kind.__name__):
        return "result is %s; aggregate it, for example with .sum() or .size()" % name
    if module.startswith(("matplotlib", "seaborn", "plotly")):
        return "result is a chart (%s); assign the numbers it shows" % kind.__name__
    return "result holds %s; assign a number, text, date, list, dict, Series, DataFrame or None" % name
