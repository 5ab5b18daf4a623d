#!/usr/bin/env python3
"""TraceML's compare, as `tscope diff --as traceml` gives it, against TraceML's own answers.

    tests/parity/traceml_compare.py BUILD [--table]     BUILD is the folder with tscope

Every case of ../shared/corpus/traceml/compare_cases where that is present, else of tests/golden/traceml/compare.jsonl (the same
cases, reduced to the keys that the rule reads): two files as they lie there; and the same two pushed into a store, which must give
the same bytes. Every field of the index must agree. Files that TraceML refuses must be refused. --table prints how many agree, by
verdict."""
import collections
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CORPUS = os.path.join(os.path.dirname(ROOT), "shared/corpus/traceml")
GOLDEN = os.path.join(ROOT, "tests/golden/traceml/compare.jsonl")
FIELDS = ("status outcome severity primary_domain primary_metric finding_priorities comparability clock step_pct mem_pct "
          "warnings exit_code").split()
EXITS = {"EQUIVALENT": 0, "IMPROVEMENT": 0, "REGRESSION": 1, "MIXED": 1, "INCONCLUSIVE": 3}
bad = []


def fail(what):
    bad.append(what)
    print("FAILED", what)


def cases():
    """(expected, bytes of a, bytes of b)"""
    index = os.path.join(CORPUS, "compare_cases/index_min.json")
    if os.path.exists(index):
        with open(index, encoding="utf-8") as f:
            for case in json.load(f):
                yield case, *(open(os.path.join(CORPUS, case[side]), "rb").read() for side in "ab")
    else:
        with open(GOLDEN, encoding="utf-8") as f:
            first = None
            for line in f:
                case = json.loads(line)
                first = first or case["a"]
                yield case["expected"], json.dumps(case.get("a", first)).encode(), json.dumps(case["b"]).encode()


def answer_of(told, code):
    """Returns what --json says, in the words of the index. TraceML exits with 0 for every verdict."""
    theirs = told["traceml"]
    return {
        "status": theirs["status"], "outcome": theirs["outcome"], "severity": theirs["severity"],
        "primary_domain": theirs["primary_domain"], "primary_metric": theirs["primary_metric"],
        "finding_priorities": [f["priority"] for f in theirs["findings"]],
        "comparability": [theirs["comparability"][k] for k in ("overall", "step_time", "step_memory")],
        "clock": theirs["clock"], "step_pct": theirs["step_time"]["change_percent"],
        "mem_pct": theirs["peak_reserved"]["change_percent"], "warnings": len(theirs["warnings"]),
        "exit_code": 0 if code == EXITS[theirs["status"]] else code,
    }


def tscope(build, place, *words):
    env = {"PATH": "/usr/bin:/bin", "HOME": place, "TSCOPE_STORE": os.path.join(place, "store")}
    env.update({k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")})
    p = subprocess.run([os.path.join(build, "tscope"), *words], cwd=place, env=env, capture_output=True, timeout=120)
    return p.returncode, p.stdout, p.stderr.decode("utf-8", "replace")


def put(place, name, data):
    os.makedirs(os.path.join(place, name))
    with open(os.path.join(place, name, "final_summary.json"), "wb") as f:
        f.write(data)


def one(build, place, case, a, b, agreed):
    n = f"{case['id']:02}"
    put(place, "a" + n, a)
    put(place, "b" + n, b)
    code, out, err = tscope(build, place, "diff", "--as", "traceml", "--json", f"./a{n}/final_summary.json", f"./b{n}")
    if code == 2:
        return fail(f"{n} {case['name']}: {err.strip()}")
    got = answer_of(json.loads(out), code)
    wrong = [f"{k}: {got[k]!r}, TraceML {case[k]!r}" for k in FIELDS if got[k] != case[k]]
    if wrong:
        return fail(f"{n} {case['name']}: " + "; ".join(wrong))
    agreed[case["status"]] += 1
    return out


def refused(build, place):
    """Input that TraceML's compare refuses with an error is refused here too, and the error says where."""
    folder = os.path.join(CORPUS, "compare_cases/errors")
    n = 0
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        with open(os.path.join(folder, name), "rb") as f:
            put(place, "error-" + name, f.read())
        code, out, err = tscope(build, place, "diff", "--as", "traceml", f"./error-{name}", f"./error-{name}")
        want = 0 if name == "good.json" else 2
        n += code == want == 2
        if code != want or (want and ("final_summary.json" not in err or out)):
            fail(f"errors/{name}: exit {code}, wanted {want}: {err.strip()}")
    return n


def main():
    build = os.path.abspath(sys.argv[1])
    total, agreed, outs = collections.Counter(), collections.Counter(), {}
    with tempfile.TemporaryDirectory(prefix="tscope-traceml-") as place:
        for case, a, b in cases():
            total[case["status"]] += 1
            outs[case["id"]] = one(build, place, case, a, b, agreed)
        folders = sorted(n for n in os.listdir(place) if n[0] in "ab" and n[1:].isdigit())
        code, _, err = tscope(build, place, "push", "-q", *folders)
        if code:
            fail(f"push: exit {code}: {err[:500]}")
        same = 0
        for i, out in outs.items():
            b = f"./b{i:02}" if i % 2 else f"b{i:02}"
            _, stored, err = tscope(build, place, "diff", "--as", "traceml", "--json", f"a{i:02}", b)
            same += stored == out
            if out and stored != out:
                fail(f"{i:02}: two runs of a store give another answer than two files: {err.strip()}")
        n_refused = refused(build, place)
    if sum(total.values()) < 96:
        fail(f"only {sum(total.values())} cases")
    if "--table" in sys.argv:
        print("| TraceML says | cases | tscope agrees in every field |\n|---|---|---|")
        for status in sorted(total, key=lambda s: -total[s]):
            print(f"| {status} | {total[status]} | {agreed[status]} |")
    print(f"{sum(agreed.values())} of {sum(total.values())} cases agree in all of {len(FIELDS)} fields; "
          f"{same} give the same bytes from a store; {n_refused} bad files are refused")
    sys.exit(1 if bad else 0)


main()
