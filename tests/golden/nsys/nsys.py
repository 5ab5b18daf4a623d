#!/usr/bin/env python3
"""nsys.py BUILD [FILE...]: what tscope says of exports of Nsight Systems against what SQL says of the same files.

Of each file: every kernel, copy and fill with its times, name, place, grid, registers and bytes; every call and every range that ended;
which call launched what, by process; and of each device how long it was busy (the length of the union). Without FILE, of files that make_nsys.py draws, of two versions.
"""
import collections
import csv
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

import make_nsys

COPIES = {1: "HtoD", 2: "DtoH", 3: "HtoA", 4: "AtoH", 5: "AtoA", 6: "AtoD", 7: "DtoA", 8: "DtoD", 9: "HtoH", 10: "PtoP"}
csv.field_size_limit(1 << 30)


def tscope(build, *words):
    done = subprocess.run([os.path.join(build, "tscope"), *words], stdout=subprocess.PIPE, check=True)
    return done.stdout.decode()


def rows_of(build, path, table):
    return list(csv.DictReader(io.StringIO(tscope(build, "export", path, "--table", table))))


def asked(db, sql):
    try:
        return db.execute(sql).fetchall()
    except sqlite3.OperationalError as why:
        if "no such table" in str(why):
            return []
        raise


def columns(db, table):
    return {row[1] for row in db.execute(f"PRAGMA table_info({table})")}


def cells(row, names):
    """A correlation has the process in front, behind which CUPTI's 32 bits are as the file has them."""
    return tuple(str(int(row[name]) & 0xFFFFFFFF) if name == "correlation" and row[name] else row[name] for name in names)


def texts(row):
    return tuple("" if cell is None else str(cell) for cell in row)


def same(path, what, ours, theirs):
    if collections.Counter(ours) != collections.Counter(theirs):
        a, b = collections.Counter(ours), collections.Counter(theirs)
        raise SystemExit(f"{path}: {what} differ: only here {list(a - b)[:2]}, only in the file {list(b - a)[:2]}")
    return len(theirs)


def union(intervals):
    busy, end = 0, None
    for a, b in sorted(intervals):
        busy += b - a if end is None or a >= end else max(0, b - end)
        end = b if end is None else max(end, b)
    return busy


def check(build, path):
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    work, n = rows_of(build, path, "kernels"), 0
    by_kind = collections.defaultdict(list)
    for row in work:
        by_kind[row["kind"]].append(row)
    node = "graphNodeId" if "graphNodeId" in columns(db, "CUPTI_ACTIVITY_KIND_KERNEL") else "NULL"
    theirs = asked(db, f"SELECT start, end - start, deviceId, streamId, correlationId, s.value, "
                       f"'[' || gridX || ',' || gridY || ',' || gridZ || ']', registersPerThread, staticSharedMemory + dynamicSharedMemory, {node} FROM CUPTI_ACTIVITY_KIND_KERNEL k "
                       f"LEFT JOIN StringIds s ON s.id = k.demangledName")
    names = ("start_ns", "duration_ns", "device", "stream", "correlation", "name", "grid", "registers", "shared_bytes", "node")
    n += same(path, "kernels", [cells(r, names) for r in by_kind["kernel"]], [texts(r) for r in theirs])
    theirs = asked(db, "SELECT start, end - start, deviceId, streamId, correlationId, copyKind, bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY")
    names = ("start_ns", "duration_ns", "device", "stream", "correlation", "name", "bytes")
    n += same(path, "copies", [cells(r, names) for r in by_kind["copy"]],
              [texts((*r[:5], "Memcpy " + COPIES.get(r[5], "Unknown"), r[6])) for r in theirs])
    theirs = asked(db, "SELECT start, end - start, deviceId, streamId, correlationId, 'Memset', bytes FROM CUPTI_ACTIVITY_KIND_MEMSET")
    n += same(path, "fills", [cells(r, names) for r in by_kind["fill"]], [texts(r) for r in theirs])
    events = rows_of(build, path, "events")
    theirs = asked(db, "SELECT start, end - start, globalTid & 0xFFFFFF, s.value, correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME r "
                       "LEFT JOIN StringIds s ON s.id = r.nameId")
    names = ("start_ns", "duration_ns", "tid", "name", "correlation")
    n += same(path, "calls", [cells(r, names) for r in events if r["kind"] == "runtime"],
              [texts((*r[:3], re.sub(r"(_ptsz|_ptds)?(_v[0-9]+)?$", "", r[3]), r[4])) for r in theirs])
    theirs = asked(db, " UNION ALL ".join(
        f"SELECT w.start, w.deviceId, r.start, r.globalTid >> 24 & 0xFFFFFF FROM CUPTI_ACTIVITY_KIND_{table} w JOIN CUPTI_ACTIVITY_KIND_RUNTIME r "
        f"ON r.correlationId = w.correlationId AND r.globalTid >> 24 = w.globalPid >> 24" for table in ("KERNEL", "MEMCPY", "MEMSET")))
    calls = collections.defaultdict(list)
    for row in events:
        if row["kind"] == "runtime" and row["correlation"]:
            calls[row["correlation"]].append(row)
    n += same(path, "launches", [(w["start_ns"], w["device"], c["start_ns"], c["pid"]) for w in work for c in calls[w["correlation"]]],
              [texts(r) for r in theirs])
    theirs = asked(db, "SELECT start, end - start, CASE eventType WHEN 59 THEN globalTid & 0xFFFFFF END, "
                       "coalesce(text, s.value) FROM NVTX_EVENTS e "
                       "LEFT JOIN StringIds s ON s.id = e.textId WHERE eventType IN (59, 60) AND end >= start")
    n += same(path, "ranges", [cells(r, names[:4]) for r in events if r["kind"] in ("annotation", "operator")],
              [texts((*r[:3], r[3].split(",")[0] if (r[3] or "").startswith("aten::") else r[3])) for r in theirs])
    answer = json.loads(tscope(build, "analyze", path, "--json"))
    times = collections.defaultdict(list)
    for table in ("KERNEL", "MEMCPY", "MEMSET"):
        for start, end, device in asked(db, f"SELECT start, end, deviceId FROM CUPTI_ACTIVITY_KIND_{table}"):
            times[device].append((start, end))
    said = {row["device"]: row["timeline"]["busy_ns"] for row in answer["devices"]}
    wanted = {device: union(intervals) for device, intervals in times.items()}
    if {d: said.get(d) for d in wanted} != wanted:
        raise SystemExit(f"{path}: busy {said}, by SQL {wanted}")
    return n, len(wanted)


def main():
    build, paths = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory(prefix="ts-nsys-") as folder:
        for seed, schema in ((1, 2022), (2, 2025), (3, 2025)) if not paths else ():
            paths.append(os.path.join(folder, f"drawn{seed}-{schema}.sqlite"))
            make_nsys.make(paths[-1], seed, schema, devices=1 + seed % 2)
        for path in paths:
            n, devices = check(build, path)
            print(f"{os.path.basename(path)}: {n} rows and {devices} devices agree")


if __name__ == "__main__":
    main()
