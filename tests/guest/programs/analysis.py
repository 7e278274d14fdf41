"""A day's honest work in one process: tables, matrices, threads, a database, copies, a plot where there is matplotlib."""

import importlib.util
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile
import threading

import numpy
import pandas


def tables(folder):
    frame = pandas.DataFrame({"region": ["north", "south"] * 500, "amount": range(1000)})
    frame.to_csv(folder / "sales.csv", index=False)
    sums = pandas.read_csv(folder / "sales.csv").groupby("region")["amount"].sum()
    assert sums.to_dict() == {"north": 249500, "south": 250000}, sums


def matrices():
    square = numpy.random.rand(400, 400)
    assert numpy.allclose(square @ numpy.linalg.inv(square), numpy.eye(400), atol=1e-4)


def threads():
    seen = []
    workers = [threading.Thread(target=seen.append, args=(number,)) for number in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(10)
    assert sorted(seen) == list(range(8)), seen


def database(folder):
    connection = sqlite3.connect(folder / "sales.db")
    assert connection.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)
    with connection:
        connection.execute("CREATE TABLE sales (amount INTEGER)")
        connection.executemany("INSERT INTO sales VALUES (?)", [(number,) for number in range(1000)])
    assert connection.execute("SELECT sum(amount) FROM sales").fetchone() == (499500,)
    connection.close()


def files(folder):
    shutil.copy2(folder / "sales.csv", folder / "copy.csv")
    os.rename(folder / "copy.csv", folder / "moved.csv")
    os.chmod(folder / "moved.csv", 0o600)
    os.utime(folder / "moved.csv")
    shutil.copytree(folder, folder / "tree", ignore=shutil.ignore_patterns("tree"))
    shutil.rmtree(folder / "tree")


def plot(folder):
    if importlib.util.find_spec("matplotlib") is None:
        return
    os.environ["MPLCONFIGDIR"] = str(folder)
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.plot([1, 2, 3], [3, 1, 2])
    pyplot.savefig(folder / "plot.png")
    assert (folder / "plot.png").stat().st_size > 1000


def no_processes():
    try:
        subprocess.run(["/bin/true"], check=False)
    except OSError:
        return
    raise AssertionError("a process was started")


with tempfile.TemporaryDirectory() as name:
    tables(pathlib.Path(name))
    matrices()
    threads()
    database(pathlib.Path(name))
    files(pathlib.Path(name))
    plot(pathlib.Path(name))
no_processes()
