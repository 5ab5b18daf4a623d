#!/usr/bin/env python3
"""details.py BUILD FOLDER: holds the tables of details of each trace in a folder, row by row, to what json.load gives of the file."""
import glob
import gzip
import json
import os
import subprocess
import sys

INT, REAL, TEXT, LIST = int, float, str, list
CALLS = ("cuda_runtime", "cuda_driver", "hip_runtime", "Runtime", "runtime")  # of which the kernel that they launch is kept alone
# Of each table: the kinds of spans that have rows (none: all), and its columns: argument, type.
DETAILS = {
    "operators": (None, (("Sequence number", INT), ("Fwd thread id", INT), ("Call stack", TEXT), ("Module Hierarchy", TEXT),
                         ("Input type", LIST), ("Concrete Inputs", LIST))),
    "frames": (None, (("Python id", INT), ("Python parent id", INT), ("Python module id", INT))),
    "kernels": (("kernel", "Kernel", *CALLS), (("grid", LIST), ("block", LIST), ("est. achieved occupancy %", REAL), ("warps per SM", REAL),
                                       ("registers per thread", INT), ("shared memory", INT), ("graph id", INT), ("graph node id", INT),
                                              ("kernel", TEXT))),
    "collectives": (None, (("In msg nelems", INT), ("Out msg nelems", INT), ("Group size", INT), ("Seq", INT), ("Rank", INT), ("Src Rank", INT),
                           ("Dst Rank", INT), ("dtype", TEXT), ("Process Group Ranks", TEXT), ("Process Group Description", TEXT))),
    "syncs": (None, (("cuda_sync_kind", TEXT), ("wait_on_stream", INT), ("wait_on_cuda_event_id", INT),
                     ("wait_on_cuda_event_record_corr_id", INT))),
}


def compact(v):
    return json.dumps(v, separators=(",", ":"), ensure_ascii=False)


def cell(args, key, kind):
    v = args.get(key)
    if kind == LIST:
        return compact(v) if isinstance(v, list) else None
    if kind == REAL:
        return float(v) if isinstance(v, (int, float)) else None
    if kind == INT:
        # What has more than 53 bits is a text in our JSON.
        return None if not isinstance(v, int) else v if abs(v) < 1 << 53 else str(v)
    return v or None if isinstance(v, str) else None


def rows_of(path):
    """The rows of the tables of details that the file has, as dump_trace prints them."""
    with (gzip.open if open(path, "rb").read(2) == b"\x1f\x8b" else open)(path, "rt", encoding="utf-8", errors="replace") as f:
        trace = json.load(f)
    out, span = {table: [] for table in DETAILS}, -1
    for e in trace if isinstance(trace, list) else trace["traceEvents"]:
        if not isinstance(e, dict) or e.get("ph") != "X" or "ts" not in e or "dur" not in e:
            continue
        span += 1
        args = e["args"] if isinstance(e.get("args"), dict) else {}
        shapes = args.get("Input Dims", args.get("Input dims"))
        for table, (kinds, columns) in DETAILS.items():
            row = [cell(args, key, kind) for key, kind in columns]
            if table == "kernels":
                row = [v if (columns[i][0] == "kernel") == (e.get("cat") in CALLS) else None for i, v in enumerate(row)]
            if any(v is not None for v in row) and (not kinds or e.get("cat") in kinds):
                out[table].append([table, span, compact(shapes) if isinstance(shapes, list) else None, *row])
    return out


def dumped(build, path):
    done = subprocess.run([os.path.join(build, "dump_trace"), path], stdout=subprocess.PIPE, check=True)
    out = {table: [] for table in DETAILS}
    for line in done.stdout.decode().split("\n")[:-1]:
        row = json.loads(line)
        out[row[0]].append(row)
    return out


def differ(path, wanted, got):
    """Sentences, three of a table at most."""
    name = os.path.basename(path)
    for table in DETAILS:
        if len(got[table]) != len(wanted[table]):
            yield f"{name}: {len(got[table])} rows of {table} and not {len(wanted[table])}"
        yield from [f"{name}: {a} and not {b}" for a, b in zip(got[table], wanted[table]) if a != b][:3]


def compare(build, folder):
    """Prints the counts, and returns what does not agree."""
    bad, rows = [], {table: 0 for table in DETAILS}
    paths = sorted(p for p in glob.glob(os.path.join(folder, "**", "*.json*"), recursive=True)
                   if "variants" not in p and not os.path.basename(p).startswith("exact"))
    for path in paths:
        wanted = rows_of(path)
        bad += differ(path, wanted, dumped(build, path))
        for table in DETAILS:
            rows[table] += len(wanted[table])
    print(f"{len(paths)} files, {', '.join(f'{n} rows of {table}' for table, n in rows.items())}: {len(bad)} do not agree")
    return bad


if __name__ == "__main__":
    wrong = compare(sys.argv[1], sys.argv[2])
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)
