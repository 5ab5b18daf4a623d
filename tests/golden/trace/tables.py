#!/usr/bin/env python3
"""tables.py BUILD [TRACE...]: the tables of `tscope export TRACE --table NAME` against the events of the file, which Python reads alone.

Of each event of phase X the name, the times, the kind, the stream and the correlation are compared, in the order of the file; of kernels
their grid, block and registers, of operators their shapes. Traces without events of phases B and E are those of the test.
"""
import csv
import decimal
import gzip
import io
import json
import os
import subprocess
import sys

KINDS = {"kernel": "kernel", "gpu_memcpy": "copy", "gpu_memset": "fill", "cpu_op": "operator", "python_function": "python",
         "user_annotation": "annotation", "cuda_runtime": "runtime", "cuda_driver": "runtime", "gpu_user_annotation": "device_annotation"}
csv.field_size_limit(1 << 30)


def rows_of(build, path, table):
    done = subprocess.run([os.path.join(build, "tscope"), "export", path, "--table", table], stdout=subprocess.PIPE, check=True)
    return list(csv.DictReader(io.StringIO(done.stdout.decode())))


def ns(text):
    return int((decimal.Decimal(text) * 1000).to_integral_value(decimal.ROUND_HALF_EVEN))


def packed(value):
    return json.dumps(value, separators=(",", ":")) if value is not None else ""


def text(value):
    return "" if value is None else str(value)


def events_of(path):
    with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as f:
        document = json.loads(f.read().decode("utf-8", "replace"), parse_float=decimal.Decimal)
    events = document["traceEvents"] if isinstance(document, dict) else document
    return [e for e in events if e.get("ph") == "X" and "ts" in e and "dur" in e and e.get("cat") in KINDS]


def check(build, path):
    """Returns how many cells were compared."""
    events, cells = events_of(path), 0

    def equal(row, column, want):
        nonlocal cells
        cells += 1
        if row[column] != want:
            raise SystemExit(f"{path}: {column} of {row}: {want!r} stands in the file")

    for table, kinds in (("events", set(KINDS.values())), ("kernels", {"kernel", "copy", "fill"}), ("operators", {"operator"})):
        rows = [r for r in rows_of(build, path, table) if r["kind"] in kinds]
        wanted = [e for e in events if KINDS[e["cat"]] in kinds]
        if len(rows) != len(wanted):
            raise SystemExit(f"{path}: {table} has {len(rows)} rows, the file {len(wanted)} such events")
        for row, e in zip(rows, wanted):
            args = e.get("args", {})
            equal(row, "kind", KINDS[e["cat"]])
            equal(row, "name", e["name"])
            equal(row, "start_ns", str(ns(e["ts"])))
            equal(row, "duration_ns", str(ns(e["dur"])))
            if table == "kernels":
                equal(row, "stream", text(args.get("stream")))
                equal(row, "correlation", text(args.get("correlation")))
            if table == "kernels" and e["cat"] == "kernel":
                equal(row, "grid", packed(args.get("grid")))
                equal(row, "block", packed(args.get("block")))
                equal(row, "registers", text(args.get("registers per thread")))
            if table == "operators":
                equal(row, "shapes", packed(args.get("Input Dims", args.get("Input dims"))))
    return len(events), cells


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    paths = sys.argv[2:] or [os.path.join(here, "demo.json.gz"), os.path.join(here, "..", "torch", "compiled.json.gz"),
                             os.path.join(here, "..", "torch", "cpu.json.gz")]
    for path in paths:
        events, cells = check(sys.argv[1], path)
        if not events:
            raise SystemExit(f"{path}: no event was compared")
        print(f"{os.path.basename(path)}: {events} events, {cells} cells agree")


if __name__ == "__main__":
    main()
