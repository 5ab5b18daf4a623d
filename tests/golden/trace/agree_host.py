#!/usr/bin/env python3
"""agree_host.py BUILD CORPUS: holds what tscope says of the host to figures that this program computes from the JSON itself, in integers.

Of each trace: launch delays (HTA's definition, and below 0), depths of queues, and waits, for each device and stream; operators and Python
functions with their count, self and total time; and what the host did during each step. What it computes, it computes plainly: depths from
a list of changes, what is outstanding at a wait by asking each event, the innermost span by a heap of those that are open."""
import decimal
import glob
import gzip
import heapq
import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict

TSCOPE, CORPUS = os.path.join(os.path.abspath(sys.argv[1]), "tscope"), os.path.abspath(sys.argv[2])
DEVICE = {"kernel": "kernel", "gpu_memcpy": "copy", "gpu_memset": "fill", "Kernel": "kernel", "Memcpy": "copy", "Memset": "fill"}
KINDS = {"cpu_op": "operator", "Operator": "operator", "python_function": "python", "user_annotation": "annotation", "cuda_runtime": "call",
         "cuda_driver": "call", "mtia_runtime": "call", "Runtime": "call"}
OUTWARD = {"annotation": 0, "other": 1, "python": 2, "operator": 3, "call": 4}
NO_HOST = set(DEVICE) | {"cuda_sync", "overhead", "Trace", "gpu_user_annotation"}
CALLS = {"cuda_runtime", "cuda_driver", "mtia_runtime", "Runtime"}
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


# --- the host ---


class Span:
    def __init__(self, at, begin, end, e):
        self.begin, self.end, self.name = begin, end, e.get("name", "")
        self.kind = KINDS.get(e.get("cat"), "other")
        if self.kind == "operator" and self.name.startswith("ProfilerStep#"):
            self.kind = "annotation"
        self.key = (begin, -end, OUTWARD[self.kind], at)
        self.backward = self.kind == "operator" and (self.name.startswith("autograd::engine::evaluate_function") or
                                                     int(e.get("args", {}).get("Fwd thread id", 0)) > 0)
        self.stack = e.get("args", {}).get("Call stack") or ""
        self.waits, self.parent, self.children = self.kind == "call" and self.name in WAITS, None, []


def host(spans, work):
    """The spans of each thread of the host, in order, with their parents."""
    found = {id(c[2]) for _, e, c in work if c and DEVICE[e[2]["cat"]] == "copy" and e[1] <= c[1] and "Pageable" in e[2]["name"]}
    threads = defaultdict(list)
    for at, (begin, end, e) in enumerate(spans):
        if e.get("cat") not in NO_HOST:
            span = Span(at, begin, end, e)
            span.waits |= id(e) in found
            threads[e["pid"], e["tid"]].append(span)
    for of in threads.values():
        of.sort(key=lambda s: s.key)
        around = []
        for s in of:
            around = [a for a in around if a.end >= s.end and a.end > s.begin]
            if around:
                s.parent = around[-1]
                s.parent.children.append(s)
            around.append(s)
    return threads


def within(s, what):
    while s and not what(s):
        s = s.parent
    return s is not None


def loads(s):
    return s.kind in ("annotation", "operator") and (s.name.startswith(("enumerate(DataLoader)", "enumerate(DataPipe)")) or
                                                     (s.name.startswith("[") and s.name.endswith("_dataloader_next")))


def self_time(s):
    covered, until = 0, s.begin
    for c in s.children:
        covered, until = covered + max(c.end - max(c.begin, until), 0), max(until, c.end)
    return s.end - s.begin - covered


def sums(threads, kind):
    out = defaultdict(Counter)
    for of in threads.values():
        for s in of:
            if s.kind == kind:
                name = re.sub(r" at 0x[0-9a-fA-F]+>$", ">", s.name)
                inner = within(s.parent, lambda a, name=name: a.kind == kind and re.sub(r" at 0x[0-9a-fA-F]+>$", ">", a.name) == name)
                out[name].update(count=1, self_ns=self_time(s), total_ns=0 if inner else s.end - s.begin)
    return out


def is_step(s):
    return s.kind == "annotation" and re.fullmatch(r"ProfilerStep#\d+", s.name)


def union(intervals):
    out = []
    for begin, end in sorted(intervals):
        if out and begin <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([begin, end])
    return out


def part(s):
    if within(s, loads):
        return "loading_ns"
    if within(s, lambda a: a.waits):
        return "waits_ns"
    return {"call": "calls_ns", "operator": "operators_ns", "python": "python_ns"}.get(s.kind)


def steps(threads):
    """What the thread of each step did, moment by moment; backward time is taken from Python and from nothing."""
    mains = {t for t, of in threads.items() if any(is_step(s) for s in of)}
    busy = union([(s.begin, s.end) for t, of in threads.items() if t not in mains and any(s.backward for s in of) for s in of
                  if s.kind in ("operator", "call")])
    out = []
    for thread in mains:
        marks = [(s, part(s)) for s in threads[thread] if s.kind in ("python", "operator", "call") or loads(s)]
        for step in (s for s in threads[thread] if is_step(s)):
            cuts = sorted({t for s, _ in marks for t in (s.begin, s.end) if step.begin < t < step.end} |
                          {t for i in busy for t in i if step.begin < t < step.end} | {step.begin, step.end})
            parts, open_, i, b = Counter(), [], 0, 0
            for begin, end in zip(cuts, cuts[1:]):
                while i < len(marks) and marks[i][0].begin <= begin:
                    heapq.heappush(open_, (-i, marks[i][0].end, marks[i][1]))
                    i += 1
                while open_ and open_[0][1] <= begin:
                    heapq.heappop(open_)
                while b < len(busy) and busy[b][1] <= begin:
                    b += 1
                what = open_[0][2] if open_ else "nothing_ns"
                if what in ("python_ns", "nothing_ns") and b < len(busy) and busy[b][0] <= begin:
                    what = "backward_ns"
                parts[what] += end - begin
            out.append((step.begin, int(step.name[13:]), {"wall_ns": step.end - step.begin, **parts}))
    return [(number_, parts) for _, number_, parts in sorted(out, key=lambda o: o[0])]


PARTS = ("wall_ns", "loading_ns", "waits_ns", "calls_ns", "operators_ns", "backward_ns", "python_ns", "nothing_ns")


def torch_s(frame):
    """Whether a Python frame is torch's own, built in, or without a file."""
    return "(" not in frame or frame.startswith(("<", "nn.Module: ")) or "/torch/" in "/" + frame


def source(s):
    stack = ""
    while s:
        if s.kind == "python" and not torch_s(s.name):
            return s.name
        if s.kind == "operator":
            stack = stack or next((f for f in s.stack.split(";") if f and not torch_s(f)), "")
        s = s.parent
    return stack


def askers(threads, work):
    """Calls, time and what they cost: idle time behind them, as long as they took at most; by call, operators and source."""
    waits_ = [s for of in threads.values() for s in of if s.waits and not within(s.parent, lambda a: a.waits)]
    live = [(min(c[0], e[0]) if c else e[0], e[0], e[1]) for _, e, c in work]
    live = [i for i in live if i[0] < i[2]]
    out, taken = defaultdict(Counter), set()
    for s in sorted(waits_, key=lambda s: s.end):
        operators, up = [], s.parent
        while up:
            operators, up = operators + ([up.name] if up.kind == "operator" else []), up.parent
        row = out[s.name, operators[0] if operators else None, operators[-1] if operators else None, source(s) or None]
        row.update(call_count=1, sum_ns=s.end - s.begin)
        before, behind = [i for i in live if i[0] < s.end], [i[1] for i in live if i[0] >= s.end]
        last = max((i[2] for i in before), default=None)
        outstanding = any(i[0] < s.begin < i[2] for i in live)
        if outstanding and last <= s.end and behind and len(before) not in taken:
            taken.add(len(before))
            row["idle_ns"] += min(min(behind) - max(last, s.begin), s.end - s.begin)
    return out


def compare_askers(threads, work, got):
    ours = defaultdict(Counter)
    for row in got["by_asker"]:
        key = tuple(row[k] for k in ("call", "operator", "outer_operator", "source"))
        ours[key].update({k: number(row["waited"][k]) for k in ("call_count", "sum_ns", "idle_ns")})
    wanted = askers(threads, work)
    wrong = [f"wait {key} {k}: {ours[key][k]} and not {wanted[key][k]}" for key in set(ours) | set(wanted)
             for k in ("call_count", "sum_ns", "idle_ns") if ours[key][k] != wanted[key][k]]
    return 3 * len(wanted), wrong


def compare_host(spans, work, got):
    """How many figures there are, and those that are wrong."""
    threads = host(spans, work)
    n, wrong = compare_askers(threads, work, got["waits"])
    for key, kind in (("operators", "operator"), ("python", "python")):
        ours, wanted = defaultdict(Counter), sums(threads, kind)
        for row in got[key]:
            ours[row["name"]].update({k: number(row[k]) for k in ("count", "self_ns", "total_ns")})
        for name in set(ours) | set(wanted):
            n += 3
            wrong += [f"{kind} {name[:60]} {k}: {ours[name][k]} and not {wanted[name][k]}" for k in ("count", "self_ns", "total_ns")
                      if ours[name][k] != wanted[name][k]]
    wanted = steps(threads)
    ours = [(s["step"], {k: number(s[k]) for k in PARTS}) for s in got["time"]["steps"]]
    n += len(wanted) * len(PARTS)
    for (a, x), (b, y) in zip(ours, wanted):
        wrong += [f"step {a} {b} {k}: {x[k]} and not {y.get(k, 0)}" for k in PARTS if a != b or x[k] != y.get(k, 0)]
    return n, wrong + ([] if len(ours) == len(wanted) else [f"{len(ours)} steps and not {len(wanted)}"])


# --- all of it ---


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
        count, host_wrong = compare_host(spans, work, answer["host"])
        wrong += host_wrong
        count += figures(wanted) + figures(waited)
        agreed += count - len(wrong)
        name = os.path.basename(path)
        bad += [f"{name}: {w}" for w in wrong]
        print(f"{name[:72]:72} {len(work):6} events {waited['call_count']:4} waits  {count - len(wrong):5} of {count:5} agree", flush=True)
    print(f"{agreed} figures agree, {len(bad)} do not")
    for line in bad:
        print(line)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
