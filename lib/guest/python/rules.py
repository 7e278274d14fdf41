"""Rules that a program must keep: no SQL, no files, data through load() only, an answer in `result`.

They catch honest mistakes early, with a message that says what to write instead. They are no security boundary: a program that
wants to get around them can, and then meets the sandbox.
"""

import ast
import sys

from conclave_guest.errors import ProgramError

SQL_MODULES = frozenset(
    "sqlite3 _sqlite3 apsw duckdb sqlalchemy pandasql psycopg psycopg2 pymysql MySQLdb mysql pyodbc cx_Oracle oracledb asyncpg "
    "peewee ibis chdb clickhouse_driver clickhouse_connect pyspark datafusion dask_sql trino snowflake".split()
)
SQL_CALLS = frozenset("read_sql read_sql_query read_sql_table read_gbq to_sql".split())
FILE_READERS = frozenset(
    "read_csv read_table read_fwf read_excel read_json read_parquet read_feather read_orc read_pickle read_hdf read_html read_xml "
    "read_stata read_sas read_spss read_clipboard loadtxt genfromtxt fromfile memmap read_text read_bytes".split()
)

USE_LOAD = "use load() to get the data, for example load([\"column\"])"
USE_PANDAS = "answer with pandas instead: load() gives the table as a DataFrame"


def check(source):
    """The parsed program and the line that last assigns `result`. Raises ProgramError naming the line that breaks a rule."""
    try:
        tree = ast.parse(source, "<program>")
    except SyntaxError as error:
        raise ProgramError("SyntaxError", error.msg or "invalid syntax", error.lineno or 0) from None
    except ValueError as error:  # a NUL byte, or a lone surrogate
        raise ProgramError("SyntaxError", str(error)) from None
    except (RecursionError, MemoryError):
        raise ProgramError("SyntaxError", "the program is nested too deeply to be read") from None
    walk = _Walk()
    try:
        walk.visit(tree)
    except RecursionError:
        raise ProgramError("SyntaxError", "the program is nested too deeply to be read") from None
    if not walk.loads:
        raise _refused(0, "the program never calls load(), so its answer cannot come from the data; " + USE_LOAD)
    if not walk.result_line:
        raise _refused(0, "the program never assigns `result`; end it with result = ...")
    return tree, walk.result_line


def refuse_sql_imports():
    """Makes imports of SQL modules fail from now on, also those that the check of the source could not see."""
    for name in list(sys.modules):
        if name.split(".")[0] in SQL_MODULES:
            del sys.modules[name]
    sys.meta_path.insert(0, _SqlRefusal())


class _SqlRefusal:
    @staticmethod
    def find_spec(name, path=None, target=None):
        root = name.split(".")[0]
        if root in SQL_MODULES:
            raise ImportError("%s is not available to Python programs; %s" % (root, USE_PANDAS), name=name)
        return None


def _refused(line, message):
    return ProgramError("ProgramRefused", message, line)


class _Walk(ast.NodeVisitor):
    def __init__(self):
        self.loads = False
        self.result_line = 0

    def visit_Import(self, node):
        for name in node.names:
            self._module(node, name.name)
            self._bound(node, name.asname or name.name.split(".")[0])

    def visit_ImportFrom(self, node):
        self._module(node, node.module or "")
        for name in node.names:
            self._member(node, name.name)
            self._bound(node, name.asname or name.name)

    def visit_Attribute(self, node):
        if node.attr == "load" and isinstance(node.value, ast.Name) and node.value.id in ("np", "numpy"):
            raise _refused(node.lineno, "np.load reads a file; " + USE_LOAD)
        self._member(node, node.attr)
        self.generic_visit(node)

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Store):
            self._bound(node, node.id)
        elif node.id == "load":
            self.loads = True

    def visit_FunctionDef(self, node):
        self._bound(node, node.name)
        self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef
    visit_ClassDef = visit_FunctionDef

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id == "open" and _reads(node):
            raise _refused(node.lineno, "open() reads a file; " + USE_LOAD)
        self.generic_visit(node)

    def _module(self, node, name):
        root = name.split(".")[0]
        if root in SQL_MODULES:
            raise _refused(node.lineno, "%s runs SQL, which a Python program may not; %s" % (root, USE_PANDAS))

    def _member(self, node, name):
        if name in SQL_CALLS:
            raise _refused(node.lineno, "%s runs SQL, which a Python program may not; %s" % (name, USE_PANDAS))
        if name in FILE_READERS:
            raise _refused(node.lineno, "%s reads a file, and a program is given none; %s" % (name, USE_LOAD))

    def _bound(self, node, name):
        if name == "load":
            raise _refused(node.lineno, "load is how the data is read and must not be redefined; pick another name")
        if name == "result":
            self.result_line = max(self.result_line, node.lineno)


def _reads(call):
    """False only when the mode is a constant that writes."""
    mode = call.args[1] if len(call.args) > 1 else next((word.value for word in call.keywords if word.arg == "mode"), None)
    if isinstance(mode, ast.Constant) and isinstance(mode.value, str):
        return not any(letter in mode.value for letter in "wax")
    return True
