#!/usr/bin/env python3
"""Asks one question about one file, and shows progress meanwhile.

usage: ask.py FILE QUESTION
"""

import sys

import conclave


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__.strip().splitlines()[-1], file=sys.stderr)
        return 2
    with conclave.Engine() as engine, engine.submit(sys.argv[1], sys.argv[2]) as job:
        for event in job:
            print(event["phase"], event["state"], event.get("persona", ""), file=sys.stderr)
        insight = job.wait()
    print(insight)
    print(insight.why)
    for voice in insight.voices:
        print(f"{voice.persona} ({voice.lineage})", "counts" if voice.counts else voice.why_not)
    return 0 if insight.delivered else 3


if __name__ == "__main__":
    try:
        sys.exit(main())
    except conclave.ConclaveError as problem:
        sys.exit(f"ask: {problem}")
