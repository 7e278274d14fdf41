#!/usr/bin/python3
"""Host memory while answering over a small and a large CSV, side by side.

Makes two files of the same shape, asks the same question of both with a fresh store, and prints the peak resident memory of the
host process itself (guests are processes of their own and are not counted) and the ratio large to small.

    benchmarks/host_memory.py build/ci/bin/conclave [--large-mb 500] [--small-mb 5]
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time


def write_csv(path: pathlib.Path, megabytes: int) -> None:
    generator = random.Random(1)
    block = []
    for number in range(20_000):
        day = f"2024-{generator.randint(1, 12):02d}-{generator.randint(1, 28):02d}"
        block.append(
            f"{number:05d},{day},{generator.choice(['North', 'South', 'East', 'West'])},"
            f"{generator.randint(1, 40)},{generator.uniform(1, 900):.2f},\"item {generator.randint(1, 900)}, boxed\"\n"
        )
    text = "".join(block).encode()
    with open(path, "wb") as file:
        file.write(b"code,day,region,qty,price,product\n")
        while file.tell() < megabytes * 1_000_000:
            file.write(text)


def peak_of(pid: int) -> int:
    """VmHWM of one process in bytes; 0 once it is gone."""
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def ask(conclave: str, file: pathlib.Path, store: str) -> tuple[int, float]:
    started = time.monotonic()
    command = [conclave, "ask", "--quiet", "--store", store, str(file), "Average price per region"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak = 0
    while process.poll() is None:
        peak = max(peak, peak_of(process.pid))
        time.sleep(0.005)
    output = process.stdout.read()
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} exited with {process.returncode}:\n{output}")
    return peak, time.monotonic() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("conclave")
    parser.add_argument("--large-mb", type=int, default=500)
    parser.add_argument("--small-mb", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        peaks = {}
        for label, megabytes in (("small", options.small_mb), ("large", options.large_mb)):
            file = pathlib.Path(folder, f"{label}.csv")
            write_csv(file, megabytes)
            peaks[label], seconds = ask(options.conclave, file, os.path.join(folder, f"store-{label}"))
            size = file.stat().st_size / 1e6
            print(f"{label}: file {size:.0f} MB, host peak {peaks[label] / 2**20:.1f} MiB, {seconds:.1f} s")
            file.unlink()
        print(f"ratio large/small: {peaks['large'] / peaks['small']:.2f}")


if __name__ == "__main__":
    main()
