#!/usr/bin/env python3
"""agree_host.py BUILD CORPUS: holds what tscope says of the host to figures that this program computes from the JSON itself, in integers.

Of each trace: launch delays (HTA's definition, and below 0), depths of queues, and waits, for each device and stream. What it computes, it
computes plainly: depths from a list of changes, what is outstanding at a wait by asking each event."""
import decimal
import glob
import gzip
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict

TSCOPE, CORPUS = os.path.join(os.path.abspath(sys.argv[1]), "tscope"), os.path.abspath(sys.argv[2])
DEVICE = {"kernel": "kernel", "gpu_memcpy": "copy", "gpu_memset": "fill", "Kernel": "kernel", "Memcpy": "copy", "Memset": "fill"}
CALLS = {"cuda_runtime", "cuda_driver", "Runtime"}
WAITS = {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize", "hipDeviceSynchronize", "hipStreamSynchronize",
         "hipEventSynchronize", "cudaMemcpy", "hipMemcpy", "hipMemcpyWithStream", "cudaFree", "hipFree"}


def ns(value):
    return int((decimal.Decimal(value) * 1000).to_integral_value(decimal.ROUND_HALF_EVEN))


def load(path):
    opened = gzip.open(path, "rt", encoding="utf-8", errors="replace") if path.endswith(".gz") else open(path, encoding="utf-8")
    with opened as f:
        whole = json.load(f, parse_float=decimal.Decimal)
    events = whole if isinstance(whole, list) else whole["traceEvents"]
    spans = []
    for e in events:
        if e.get("ph") == "X" and "ts" in e and "dur" in e:
            begin = ns(e["ts"])
            spans.append((begin, begin + max(ns(e["dur"]), 0), e))
    return spans


def stream_of(e):
    args, tid = e.get("args", {}), e.get("tid")
    return args.get("stream", int(tid[7:]) if isinstance(tid, str) and tid.startswith("stream ") else tid)


def launched(spans):
    """(place, event, call) of each event of a device; call None where the trace lacks it."""
    calls = {}
    for begin, end, e in spans:
        correlation = e.get("args", {}).get("correlation")
        if e.get("cat") in CALLS and correlation is not None:
            calls.setdefault(int(correlation), (begin, end, e))
    out = []
    for begin, end, e in spans:
        if e.get("cat") in DEVICE:
            args = e.get("args", {})
            out.append(((args.get("device", e.get("pid")), stream_of(e)), (begin, end, e), calls.get(args.get("correlation"))))
    return out


def rank(values, percent):
    return sorted(values)[(len(values) * percent + 99) // 100 - 1]


def depth(intervals, window):
    changes = Counter()
    for begin, end in intervals:
        if begin < end:
            changes[begin] += 1
            changes[end] -= 1
    most = total = now = busy = full = 0
    last = None
    for at in sorted(changes):
        if last is not None:
            total, busy, full = total + now * (at - last), busy + (at - last) * (now > 0), full + (at - last) * (now >= 1024)
        now, last = now + changes[at], at
        most = max(most, now)
    return {"most_count": most, "sum_ns": total, "empty_ns": window - busy, "full_ns": full}


def launch_row(rows, firsts):
    known = [(e, c) for _, e, c in rows if c]
    first = [(e, c) for _, e, c in rows if c and id(e[2]) in firsts]
    out = {"event_count": len(rows), "launched_count": len(known), "call_count": len(first),
           "before_call_count": sum(e[0] < c[0] for e, c in known), "window_ns": 0}
    if not known:
        return out
    delays = [e[0] - c[1] for e, c in first]
    hta = [max(d, 0) for d in delays]
    out["window_ns"] = max(e[1] for e, _ in known) - min(min(e[0], c[0]) for e, c in known)
    out |= {"delay_sum_ns": sum(hta), "early_count": sum(d < 0 for d in delays), "long_delay_count": sum(d > 100000 for d in hta),
            "long_call_count": sum(c[1] - c[0] > 50000 for _, c in first), "call_ns": sum(c[1] - c[0] for _, c in first),
            "short_kernel_count": sum(DEVICE[e[2]["cat"]] == "kernel" and e[1] - e[0] < c[1] - c[0] for e, c in first),
            "queued": depth([(c[0], e[0]) for e, c in known], out["window_ns"]),
            "outstanding": depth([(c[0], e[1]) for e, c in known], out["window_ns"])}
    if delays:
        for key, values in (("delay", hta), ("unclipped_delay", delays)):
            out[key] = {"least_ns": min(values), "median_ns": rank(values, 50), "p95_ns": rank(values, 95), "longest_ns": max(values)}
    return out


def launch_rows(work):
    """A row for each device and each stream."""
    first = {}
    for _, event, call in sorted((w for w in work if w[2]), key=lambda w: w[1][0]):
        first.setdefault(id(call[2]), id(event[2]))
    firsts, rows = set(first.values()), defaultdict(list)
    for w in work:
        rows[w[0]].append(w)
        rows[w[0][0], None].append(w)
    return {place: launch_row(of, firsts) for place, of in rows.items()}


def waits(spans, work):
    """Calls, time, and what was outstanding and drained, of all waits together."""
    found = {id(c[2]) for _, e, c in work if c and DEVICE[e[2]["cat"]] == "copy" and e[1] <= c[1] and "Pageable" in e[2]["name"]}
    calls = [s for s in spans if s[2].get("cat") in CALLS and (s[2]["name"] in WAITS or id(s[2]) in found)]
    threads = defaultdict(list)
    for c in calls:
        threads[c[2]["pid"], c[2]["tid"]].append(c)
    outer = [c for of in threads.values() for c in of if not any(o is not c and o[0] <= c[0] and c[1] <= o[1] for o in of)]
    live = [(min(c[0], e[0]) if c else e[0], e[1]) for _, e, c in work]
    live = [i for i in live if i[0] < i[1]]
    out = Counter(call_count=len(outer), sum_ns=sum(c[1] - c[0] for c in outer))
    for begin, end, _ in outer:
        left = [until for asked, until in live if asked < begin < until]
        out["outstanding_count"] += len(left)
        out["outstanding_ns"] += max(left) - begin if left else 0
        then = [until for asked, until in live if asked < end]
        out["drained_count"] += bool(then) and max(then) <= end
    return dict(out)


def number(v):
    return int(v) if isinstance(v, str) else v


def compare(what, wanted, got):
    wrong = []
    for key, value in wanted.items():
        if isinstance(value, dict):
            wrong += compare(f"{what} {key}", value, got[key])
        elif number(got[key]) != value:
            wrong.append(f"{what} {key}: {got[key]} and not {value}")
    return wrong


def figures(wanted):
    return sum(figures(v) if isinstance(v, dict) else 1 for v in wanted.values())


def main():
    agreed, bad = 0, []
    for path in sorted(glob.glob(os.path.join(CORPUS, "**", "*.json.gz"), recursive=True)):
        if "variants" in path:
            continue
        answer = json.loads(subprocess.run([TSCOPE, "analyze", "--json", path], capture_output=True, text=True, check=False).stdout)
        spans = load(path)
        work = launched(spans)
        wanted = launch_rows(work)
        got = {(r["device"], r["stream"]): r for r in answer["host"]["launches"]}
        wrong = [] if set(got) == set(wanted) else [f"rows {sorted(map(str, set(got) ^ set(wanted)))}"]
        for place in set(got) & set(wanted):
            wrong += compare(f"{place}", wanted[place], got[place])
        waited = waits(spans, work)
        wrong += compare("waits", waited, answer["host"]["waits"]["all"])
        count = figures(wanted) + figures(waited)
        agreed += count - len(wrong)
        name = os.path.basename(path)
        bad += [f"{name}: {w}" for w in wrong]
        print(f"{name[:72]:72} {len(work):6} events {waited['call_count']:4} waits  {count - len(wrong):4} of {count:4} agree", flush=True)
    print(f"{agreed} figures agree, {len(bad)} do not")
    for line in bad:
        print(line)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
