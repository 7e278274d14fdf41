"""ColumnStore: maps a column store (lib/guest/columns/column_format.h) and gives its columns as pandas arrays.

The file is hostile, since a process that read a user's file wrote it: every place and size is checked before it is mapped, and
what is read from it (codes, offsets) is checked before it is used as an index. Fixed-width numbers are mapped privately and
not copied, so that a program may write to them; only columns that are asked for are touched at all.
"""

import datetime
import mmap
import os
import stat
import struct

import numpy as np
import pandas as pd

INTEGER, REAL, BOOLEAN, TEXT, DATE, TIMESTAMP, TIMESTAMPTZ = range(1, 8)
FIXED, DICTIONARY, PLAIN = range(3)

_HEADER = struct.Struct("<8sIIQQQQQ")
_RECORD = struct.Struct("<IIQQQQQQQQQQQQ24x")
_ALIGNMENT = 64
_MOST_COLUMNS = 1000000
_MOST_ROWS = 1 << 48
_TEXT_ROWS_AT_A_TIME = 65536

# What datetime64[ns] can hold, in microseconds since 1970; and what Python's own dates can.
_NS_FIRST, _NS_LAST = -9223372036854775, 9223372036854775
_DAY_FIRST, _DAY_LAST = -62135596800000000, 253402300799999999


class DamagedStore(Exception):
    """The column store is not what its format says."""


class Column:
    """Where one column lies. Buffers are (offset, size) pairs that were checked against the file."""

    def __init__(self, name, kind, layout, nulls, entries, validity, values, offsets, text):
        self.name = name
        self.kind = kind
        self.layout = layout
        self.nulls = nulls
        self.entries = entries
        self.validity = validity
        self.values = values
        self.offsets = offsets
        self.text = text


class ColumnStore:
    def __init__(self, descriptor):
        self._descriptor = descriptor
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise DamagedStore("not a regular file")
        self._size = status.st_size
        header = os.pread(descriptor, _HEADER.size, 0)
        if len(header) < _HEADER.size:
            raise DamagedStore("only %d bytes" % len(header))
        magic, version, count, self.rows, offset, size, file_size, _ = _HEADER.unpack(header)
        if magic != b"CNCLCOL1" or version != 1:
            raise DamagedStore("not a column store of version 1")
        if file_size != self._size:
            raise DamagedStore("it says %d bytes and has %d" % (file_size, self._size))
        if count > _MOST_COLUMNS or self.rows > _MOST_ROWS or (count == 0 and self.rows > 0):
            raise DamagedStore("%d columns of %d rows" % (count, self.rows))
        records = self._read(self._part((offset, size), count * _RECORD.size, "records"))
        self.columns = {}
        for index in range(count):
            column = self._column(_RECORD.unpack_from(records, index * _RECORD.size), "column %d" % (index + 1))
            if column.name in self.columns:
                raise DamagedStore("two columns named %r" % column.name[:60])
            self.columns[column.name] = column

    def _part(self, buffer, size, what):
        """Checks that a buffer has exactly `size` bytes inside the file."""
        if size == 0:
            return (0, 0)
        if buffer[1] != size or buffer[0] % _ALIGNMENT != 0 or buffer[0] > self._size or size > self._size - buffer[0]:
            raise DamagedStore(what + " out of place")
        return (buffer[0], size)

    def _column(self, record, what):
        kind, layout, name_at, name_size, nulls, entries = record[:6]
        validity, values, offsets, text = record[6:8], record[8:10], record[10:12], record[12:14]
        if kind < INTEGER or kind > TIMESTAMPTZ:
            raise DamagedStore(what + ": unknown type")
        if (layout == FIXED) == (kind == TEXT) or layout > PLAIN:
            raise DamagedStore(what + ": layout does not fit the type")
        if nulls > self.rows or entries > _MOST_ROWS:
            raise DamagedStore(what + ": more nulls than rows, or too many entries")
        name = self._read(self._part((name_at, name_size), name_size, what + ": name")).decode("utf-8", "replace")
        validity = self._part(validity, (self.rows + 7) // 8 if nulls else 0, what + ": validity")
        width = 1 if kind == BOOLEAN else {FIXED: 8, DICTIONARY: 4, PLAIN: 0}[layout]
        values = self._part(values, self.rows * width, what + ": values")
        texts = {FIXED: -1, DICTIONARY: entries, PLAIN: self.rows}[layout]
        offsets = self._part(offsets, (texts + 1) * 8, what + ": offsets")
        text = self._part(text, text[1], what + ": bytes") if layout != FIXED else (0, 0)
        return Column(name, kind, layout, nulls, entries, validity, values, offsets, text)

    def _read(self, part):
        parts = []
        at, left = part
        while left > 0:
            parts.append(os.pread(self._descriptor, min(left, 1 << 30), at))
            if not parts[-1]:
                raise DamagedStore("the file ends early")
            at += len(parts[-1])
            left -= len(parts[-1])
        return b"".join(parts)

    def _map(self, part, dtype):
        """One buffer as an array over a private mapping; writing to it changes this process only."""
        offset, size = part
        if size == 0:
            return np.empty(0, dtype)
        start = offset - offset % mmap.ALLOCATIONGRANULARITY
        mapping = mmap.mmap(
            self._descriptor,
            offset - start + size,
            flags=mmap.MAP_PRIVATE,
            prot=mmap.PROT_READ | mmap.PROT_WRITE,
            offset=start,
        )
        return np.frombuffer(mapping, dtype, size // np.dtype(dtype).itemsize, offset - start)

    def array(self, column, time_zone="UTC"):
        """The column as an array for a DataFrame, and a note for the answer or ''."""
        if column.kind == REAL:
            return self._map(column.values, "<f8"), ""
        if column.kind == INTEGER:
            values = self._map(column.values, "<i8")
            return (pd.arrays.IntegerArray(values, self._missing(column)) if column.nulls else values), ""
        if column.kind == BOOLEAN:
            values = self._map(column.values, "u1") != 0
            return (pd.arrays.BooleanArray(values, self._missing(column)) if column.nulls else values), ""
        if column.kind == TEXT:
            return (self._dictionary(column) if column.layout == DICTIONARY else self._plain(column)), ""
        return self._times(column, time_zone)

    def _missing(self, column):
        """True where the row is null."""
        bits = self._map(column.validity, "u1")
        return np.unpackbits(bits, count=self.rows, bitorder="little") == 0

    def _places(self, column):
        """Offsets of the texts, checked to ascend inside the bytes."""
        places = self._map(column.offsets, "<i8")
        if places[0] < 0 or places[-1] > column.text[1] or (len(places) > 1 and bool((places[1:] < places[:-1]).any())):
            raise DamagedStore("column %r: texts out of place" % column.name[:60])
        return places

    def _dictionary(self, column):
        codes = self._map(column.values, "<i4")
        if len(codes) and (int(codes.min()) < -1 or int(codes.max()) >= column.entries):
            raise DamagedStore("column %r: code out of range" % column.name[:60])
        entries = np.empty(column.entries + 1, object)
        entries[: column.entries] = self._texts(column, self._places(column), 0, column.entries)
        entries[column.entries] = np.nan  # taken for code -1
        return entries.take(codes)

    def _plain(self, column):
        places = self._places(column)
        texts = np.empty(self.rows, object)
        for start in range(0, self.rows, _TEXT_ROWS_AT_A_TIME):
            end = min(start + _TEXT_ROWS_AT_A_TIME, self.rows)
            texts[start:end] = self._texts(column, places, start, end)
        if column.nulls:
            texts[self._missing(column)] = np.nan
        return texts

    def _texts(self, column, places, start, end):
        """Texts `start` to `end` as a list of str."""
        first = int(places[start])
        at = (places[start : end + 1] - first).tolist()
        raw = self._read((column.text[0] + first, at[-1]))
        if raw.isascii():  # then byte positions are character positions
            text = raw.decode("ascii")
            return [text[a:b] for a, b in zip(at, at[1:])]
        return [raw[a:b].decode("utf-8", "replace") for a, b in zip(at, at[1:])]

    def _times(self, column, time_zone):
        micros = self._map(column.values, "<i8")
        missing = self._missing(column) if column.nulls else None
        present = micros if missing is None else micros[~missing]
        low, high = (int(present.min()), int(present.max())) if len(present) else (0, 0)
        if low < _DAY_FIRST or high > _DAY_LAST:
            raise DamagedStore("column %r: date beyond the calendar" % column.name[:60])
        if low < _NS_FIRST or high > _NS_LAST:
            return self._far_times(column, micros, missing)
        nanos = micros * 1000
        if missing is not None:
            nanos[missing] = np.iinfo("i8").min  # NaT
        times = nanos.view("M8[ns]")
        if column.kind != TIMESTAMPTZ:
            return times, ""
        return pd.DatetimeIndex(times).tz_localize("UTC").tz_convert(time_zone).array, ""

    def _far_times(self, column, micros, missing):
        """Dates that datetime64[ns] cannot hold, as Python objects."""
        zone = datetime.timezone.utc if column.kind == TIMESTAMPTZ else None
        epoch = datetime.datetime(1970, 1, 1, tzinfo=zone)
        times = np.empty(len(micros), object)
        for row, value in enumerate(micros.tolist()):
            time = epoch + datetime.timedelta(microseconds=value)
            times[row] = time.date() if column.kind == DATE else time
        if missing is not None:
            times[missing] = pd.NaT
        return times, (
            "column %s holds dates before 1678 or after 2261; it is a column of Python %s objects"
            % (column.name[:60], "date" if column.kind == DATE else "datetime")
        )
