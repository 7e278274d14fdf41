"""Tables: the `load` function that a program reads its data with."""

import pandas as pd

from conclave_guest.columns import ColumnStore
from conclave_guest.errors import did_you_mean, listing, shown


class Tables:
    """The tables of one request. `told` is called with a table and the columns that were loaded for the first time."""

    def __init__(self, names, time_zone, told):
        """`names` holds (name, descriptor) pairs, the first being the default table."""
        self._stores = {name: ColumnStore(descriptor) for name, descriptor in names}
        self._first = names[0][0] if names else None
        self._time_zone = time_zone
        self._told = told
        self._loaded = {}
        self.notes = {}

    @property
    def used(self):
        return bool(self._loaded)

    @property
    def most_rows(self):
        """Rows of the longest table that was loaded."""
        return max([self._stores[name].rows for name in self._loaded] or [0])

    def known_columns(self):
        return [column for store in self._stores.values() for column in store.columns]

    def load(self, columns=None, table=None):
        """The named columns (all of them by default) of a table (the first by default) as a fresh DataFrame.

        Raises KeyError with the closest names when there is no such table or column.
        """
        if isinstance(columns, str):
            if table is None and columns in self._stores and columns not in self._default_store().columns:
                columns, table = None, columns  # load("orders") means the table
            else:
                columns = [columns]
        name = self._table(table)
        store = self._stores[name]
        wanted = list(store.columns) if columns is None else list(dict.fromkeys(columns))
        for column in wanted:
            if column not in store.columns:
                raise KeyError(
                    "table %s has no column %s%s; its columns are %s"
                    % (shown(name), shown(column), did_you_mean(column, store.columns), listing(store.columns))
                )
        arrays = {}
        for column in wanted:
            arrays[column], note = store.array(store.columns[column], self._time_zone)
            if note:
                self.notes["dates of " + column[:40]] = note
        self._tell(name, wanted)
        return pd.DataFrame(arrays, index=pd.RangeIndex(store.rows), copy=False)

    def _default_store(self):
        return self._stores[self._table(None)]

    def _table(self, table):
        if table is None:
            if self._first is None:
                raise KeyError("there is no table: the run was given no data")
            return self._first
        if table in self._stores:
            return table
        raise KeyError(
            "there is no table %s%s; the tables are %s" % (shown(table), did_you_mean(table, self._stores), listing(self._stores))
        )

    def _tell(self, table, columns):
        seen = self._loaded.setdefault(table, set())
        new = [column for column in columns if column not in seen]
        if new or not seen:
            seen.update(new)
            self._told(table, new)
