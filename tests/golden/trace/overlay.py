#!/usr/bin/env python3
"""overlay.py BUILD FOLDER: writes a trace with its critical path for every trace below FOLDER, and checks what was written.

By the Chrome trace format: an object or a list; every event an object with a known `ph`, numbers for times, `dur` of no less than 0 for X,
`pid` and `tid`; every arrow an `s` and an `f` of one id and category, the tail not after the head, each inside of a slice of its track. By
what is promised: every event of the source is there as it was and in its order, and so is the metadata; the path's stretches lie end to
end and add up to the path that the answer has; who analyzes the copy gets the same answer. Files that are no whole traces must give one,
too; a file that exists is not overwritten."""
import bisect
import decimal
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile

TSCOPE = os.path.join(os.path.abspath(sys.argv[1]), "tscope")
PHASES = set("BEXisfCMbneStTFNODPRcvI(),")


def read(path):
    data = open(path, "rb").read()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    return json.loads(data.decode("utf-8-sig", errors="replace"), parse_float=decimal.Decimal)


def events(document):
    return document["traceEvents"] if isinstance(document, dict) else document


def ns(number):
    return int(decimal.Decimal(number) * 1000)


def number(value):
    return int(value)  # beyond 2^53 JSON has text


def check_event(e):
    assert e["ph"] in PHASES, e
    if e["ph"] in "Xsf":
        assert isinstance(e["ts"], (int, decimal.Decimal)) and "pid" in e and "tid" in e, e
    if e["ph"] == "X":
        assert e["dur"] >= 0 and isinstance(e["name"], str), e


def check_arrows(all_events, arrows):
    """Each end lies inside of a slice of its track: where Perfetto binds it."""
    tracks, ids = {}, {}
    for e in all_events:
        if e.get("ph") == "X" and e.get("cat") != "critical_path" and "dur" in e:
            tracks.setdefault((e["pid"], e["tid"]), []).append((ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])))
    longest = {k: max(b - a for a, b in v) for k, v in tracks.items()}
    for v in tracks.values():
        v.sort()
    for a in arrows:
        track, at = tracks[a["pid"], a["tid"]], ns(a["ts"])
        i = bisect.bisect_right(track, (at, 1 << 80))
        while i > 0 and not track[i - 1][0] <= at <= track[i - 1][1]:
            i -= 1
            assert track[i][0] >= at - longest[a["pid"], a["tid"]], a
        assert i > 0, a
        ids.setdefault(a["id"], []).append(a)
    for pair in ids.values():
        assert [p["ph"] for p in pair] == ["s", "f"] and ns(pair[0]["ts"]) <= ns(pair[1]["ts"]), pair


def check(source, copy, answer):
    """source: None where the file is no whole trace."""
    document = read(copy)
    path = [e for e in events(document) if e.get("cat") == "critical_path"]
    rest = [e for e in events(document) if e.get("cat") != "critical_path"]
    pieces, arrows = [e for e in path if e["ph"] == "X"], [e for e in path if e["ph"] in "sf"]
    for e in path:
        check_event(e)
    assert [e["args"]["name"] for e in rest[:2] if e["name"] == "process_name"] == (["Critical path"] if rest[:1] else []), rest[:2]
    if source is not None:
        assert rest[2:] == events(source), "the events are not those of the source"
        if isinstance(source, dict):
            assert {k: v for k, v in document.items() if k != "traceEvents"} == {k: v for k, v in source.items() if k != "traceEvents"}
    for a, b in zip(pieces, pieces[1:]):
        assert ns(a["ts"]) + ns(a["dur"]) == ns(b["ts"]), (a, b)
    assert sum(ns(p["dur"]) for p in pieces) == number(answer["critical_path"]["length_ns"])
    assert not {p["pid"] for p in pieces} & {e.get("pid") for e in rest[2:]}
    check_arrows(rest, arrows)
    return len(pieces), len(arrows) // 2


def ask(path, *options):
    done = subprocess.run([TSCOPE, "analyze", "--json", path, *options], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout)


def same(a, b):
    """What is said of the copy is what was said of the source, but for how many events there are and which of them stand where."""
    left_out = ("trace", "cut", "event_count", "notices", "flow_count", "findings")
    return {k: v for k, v in a.items() if k not in left_out} == {k: v for k, v in b.items() if k not in left_out}


def one(path, work):
    try:
        source = read(path)
        events(source)
    except (ValueError, KeyError, TypeError, EOFError, OSError, RecursionError):
        source = None
    copy = os.path.join(work, "copy.json" + (".gz" if path.endswith(".gz") else ""))
    if os.path.exists(copy):
        os.unlink(copy)
    rc, answer = ask(path, "--overlay", copy)
    if "error" in answer:
        assert not os.path.exists(copy) and not os.listdir(work), os.listdir(work)
        return f"no trace: {answer['error']['message'][:60]}"
    assert rc in (0, 1), rc
    assert (open(copy, "rb").read(2) == b"\x1f\x8b") == path.endswith(".gz")
    try:
        read(copy)
    except ValueError:
        assert source is None and not answer["cut"]  # every byte is as it was
        return "a copy that is no better JSON than the file"
    pieces, arrows = check(source, copy, answer)
    _, again = ask(copy)
    assert same(answer, again), [k for k in answer if answer[k] != again.get(k)]
    before = os.stat(copy).st_mtime_ns
    rc, refused = ask(path, "--overlay", copy)
    assert rc == 2 and "exists already" in refused["error"]["message"] and os.stat(copy).st_mtime_ns == before
    assert os.listdir(work) == [os.path.basename(copy)]
    os.unlink(copy)
    return f"{pieces} stretches, {arrows} arrows{'' if source is not None else ', of a file that is no whole trace'}"


def main():
    failed = 0
    for path in sorted(glob.glob(os.path.join(os.path.abspath(sys.argv[2]), "**", "*.json*"), recursive=True)):
        if os.path.basename(path).startswith("exact_"):
            continue
        with tempfile.TemporaryDirectory() as work:
            try:
                said = one(path, work)
            except AssertionError as e:
                failed += 1
                said = f"FAILED {str(e)[:300]}"
        print(f"{os.path.basename(path)[:70]:70} {said}")
    sys.exit(1 if failed else 0)


main()
