#!/usr/bin/env python3
"""agree.py BUILD CORPUS: holds tscope to a corpus of real traces that is not in the repository, and prints a table.

CORPUS/exact_timeline.json has the figures of traces, as another program computed them in integer nanoseconds; CORPUS/variants has valid and
damaged forms of one trace. Each figure is compared, and none may be off by a nanosecond. Tables of details are compared by details.py."""
import glob
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # transcripts read this folder
import details

TSCOPE, CORPUS = os.path.join(os.path.abspath(sys.argv[1]), "tscope"), os.path.abspath(sys.argv[2])
FIGURES = {"gpu_events": "event_count", "raw_sum_ns": "sum_ns", "total_ns": "span_ns", "busy_ns": "busy_ns", "idle_ns": "idle_ns",
           "computation_ns": "computation_ns", "comm_ns": "communication_ns", "overlap_comm_comp_ns": "overlapped_communication_ns",
           "exposed_comm_ns": "exposed_communication_ns", "memcpy_ns": "memory_ns", "exposed_memcpy_ns": "exposed_memory_ns",
           "n_comm": "communication_count", "n_comp": "computation_count", "n_memcpy": "copy_count"}
# What a variant may do to the figures of the base: "same", a notice that it gives, or a part of the error.
VARIANTS = {
    "01": "same", "02": "same", "03": "same", "04": "trace_unclosed", "05": "trace_cut", "06": "trace_cut", "07": "same", "08": "fraction",
    "09": "same", "10": "same", "11": "same", "12": "same", "13": "same", "14": "trace_name", "15": "trace_name", "16": "same", "17": "same",
    "18": "trace_negative", "19": "byte 3572: expected a number", "20": "byte 86: expected at most 64 levels", "21": "empty",
    "22": "no run in it", "23": "no run in it", "24": "ok", "25": "ok", "30": "same", "31": "same", "32": "trace_cut",
    "33": "trace_packed", "34": "same", "35": "same", "36": "ok",
}


def ask(path):
    done = subprocess.run([TSCOPE, "analyze", "--json", path], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout)


def number(v):
    return int(v)  # beyond 2^53 JSON has text


def compare(timeline, wanted):
    return [f"{k}: {timeline[ours]} and not {wanted[k]}" for k, ours in FIGURES.items() if number(timeline[ours]) != wanted[k]]


def causes(answer):
    """Idle times by cause must add up to the idle time of the row."""
    rows = {(p["device"], p["stream"], p["all_streams"]): number(p["timeline"]["idle_ns"]) for p in answer["devices"] + answer["streams"]}
    return [f"idle of {r['device']}/{r['stream']}" for r in answer["idle"]
            if sum(number(r[k]) for k in ("host_ns", "launch_ns", "behind_ns", "queued_ns", "unknown_ns")) != rows[r["device"], r["stream"], r["all_streams"]]]


def critical_path(answer):
    """The critical path must add up to its windows, which lie end to end, and a replay of it without a change to what was recorded."""
    critical = answer["critical_path"]
    windows, length = critical["windows"], number(critical["length_ns"])
    wrong = [f"window {w['step']} of the critical path" for w in windows
             if sum(number(v) for k, v in w.items() if k.endswith("_ns") and k not in ("begin_ns", "length_ns")) != number(w["length_ns"])]
    wrong += [f"window {b['step']} does not begin where the one before ends" for a, b in zip(windows, windows[1:])
              if number(a["begin_ns"]) + number(a["length_ns"]) != number(b["begin_ns"])]
    wrong += ["length of the critical path"] * (sum(number(w["length_ns"]) for w in windows) != length)
    wrong += ["rows of the critical path"] * (sum(number(r["length_ns"]) for r in critical["rows"]) != length)
    return wrong + ["a replay of the critical path"] * (number(critical["error_ns"]) != 0)


def traces():
    exact = json.load(open(os.path.join(CORPUS, "exact_timeline.json"), encoding="utf-8"))
    files = {os.path.basename(p): p for p in glob.glob(os.path.join(CORPUS, "**", "*json*"), recursive=True)}
    agreed, bad = 0, []
    for name, wanted in exact.items():
        path = files.get(name) or files[name + ".gz"]
        _, answer = ask(path)
        wrong = compare(answer["timeline"], wanted) + causes(answer) + critical_path(answer)
        figures = len(FIGURES)
        if "only_events_launched_in_window" in wanted:
            wrong += ["launched " + w for w in compare(answer["launched_timeline"], wanted["only_events_launched_in_window"])]
            figures += len(FIGURES)
        agreed += figures - len(wrong)
        bad += [f"{name}: {w}" for w in wrong]
        print(f"{name[:64]:64} {wanted['gpu_events']:6} events {answer['timeline']['span_ns']:>13} ns  {figures - len(wrong):2} of {figures:2} agree")
    print(f"{len(exact)} traces: {agreed} figures agree, {len(bad)} do not")
    return bad


def shown(answer):
    return {k: answer[k] for k in ("operator_count", "runtime_count", "kernel_count", "copy_count", "flow_count", "kernels", "idle")} | {
        "timeline": {k: v for k, v in answer["timeline"].items() if k not in ("begin_ns", "end_ns")}}


def judge(outcome, rc, answer, base):
    if "error" in answer:
        return rc == 2 and outcome in answer["error"]["message"]
    codes = [n["code"] for n in answer["notices"]]
    if outcome == "same":
        return same(answer, base)
    if outcome == "trace_cut":
        return outcome in codes and 0 < answer["event_count"] < base["event_count"]
    if outcome.startswith("trace_"):
        return outcome in codes and answer["timeline"]["event_count"] == base["timeline"]["event_count"]
    if outcome == "fraction":  # each event is 1 ns longer
        return number(answer["timeline"]["sum_ns"]) == number(base["timeline"]["sum_ns"]) + base["timeline"]["event_count"]
    if outcome == "empty":
        return answer["event_count"] == 0
    return rc == 0


def same(answer, base):
    a, b = shown(answer), shown(base)
    for rows in (a["idle"], b["idle"]):
        for row in rows:
            row.pop("longest_at_ns", None)
    return a == b


def variants():
    bad = []
    paths = sorted(glob.glob(os.path.join(CORPUS, "variants", "[0-9]*")))
    _, base = ask(paths[0])
    for path in paths[1:]:
        name = os.path.basename(path)
        outcome = VARIANTS[name[:2]]
        rc, answer = ask(path)
        ok = judge(outcome, rc, answer, json.loads(json.dumps(base)))
        what = answer["error"]["message"].replace(CORPUS, "") if "error" in answer else ", ".join(n["code"] for n in answer["notices"])
        print(f"{name:36} {outcome:36} {'as expected' if ok else 'NOT AS EXPECTED'}: {what}")
        bad += [] if ok else [name]
    print(f"{len(paths) - 1} variants: {len(paths) - 1 - len(bad)} as expected, {len(bad)} not")
    return bad


wrong = traces() + variants() + details.compare(sys.argv[1], CORPUS)
for line in wrong:
    print(line)
sys.exit(1 if wrong else 0)
