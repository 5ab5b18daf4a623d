#!/usr/bin/env python3
"""Runs on which pytscope's analyze ends in a traceback or says nonsense: hostile.py BUILD. Ours answers, in every form, and says what it skipped.

Each input is analyzed as text, as JSON and as a page; the answer is 0 (or 1 with --fail-on), or 2 with a message that names the file.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
TSCOPE = os.path.join(BUILD, "tscope")


def record(step, **more):
    return json.dumps({"step": step, "timestamp": 100.0 + step, "phases": {"forward": 0.01}, "scalars": {"loss": 1.0 / (step + 1)}, **more})


GOOD = [record(i) for i in range(30)]


def with_line(line):
    return {"steps.jsonl": "\n".join(GOOD[:15] + [line] + GOOD[16:]) + "\n"}


def with_run_json(text):
    return {"steps.jsonl": "\n".join(GOOD) + "\n", "run.json": text}


CASES = {
    "loss is Infinity": with_line('{"step":15,"scalars":{"loss":Infinity}}'),
    "loss is -Infinity": with_line('{"step":15,"scalars":{"loss":-Infinity}}'),
    "every loss is NaN": {"steps.jsonl": "".join('{"step":%d,"phases":{"forward":0.01},"scalars":{"loss":NaN}}\n' % i for i in range(60))},
    "a phase is Infinity": with_line('{"step":15,"phases":{"forward":Infinity}}'),
    "a phase is NaN": with_line('{"step":15,"phases":{"forward":NaN}}'),
    "every phase is NaN": {"steps.jsonl": "".join('{"step":%d,"phases":{"forward":NaN}}\n' % i for i in range(60))},
    "a phase of 1e308 seconds": with_line('{"step":15,"phases":{"forward":1e308,"backward":1e308}}'),
    "a negative phase": with_line('{"step":15,"phases":{"forward":-5.0}}'),
    "every phase is 0": {"steps.jsonl": "".join('{"step":%d,"phases":{"forward":0.0}}\n' % i for i in range(60))},
    "null loss": with_line('{"step":15,"scalars":{"loss":null}}'),
    "a loss that is text": with_line('{"step":15,"scalars":{"loss":"oops"}}'),
    "a phase that is text": with_line('{"step":15,"phases":{"forward":"0.5"}}'),
    "null phases": with_line('{"step":15,"phases":null}'),
    "phases is a list": with_line('{"step":15,"phases":[1,2]}'),
    "a line that is a number": with_line("42"),
    "a line that is a list": with_line("[1,2,3]"),
    "a record without step": with_line('{"phases":{"forward":0.5}}'),
    "a step that is text": with_line('{"step":"fifteen"}'),
    "a step beyond 64 bits": with_line('{"step":123456789012345678901234567890}'),
    "steps at both ends of int64": {"steps.jsonl": '{"step":-9223372036854775808,"phases":{"forward":1}}\n{"step":9223372036854775807,"phases":{"forward":1}}\n'},
    "bytes that are not UTF-8": {"steps.jsonl": ("\n".join(GOOD) + "\n").encode() + b'{"step":99,"scalars":{"l\xff":1}}\n'},
    "deep nesting": with_line('{"step":15,"x":' + "[" * 5000 + "]" * 5000 + "}"),
    "two records on one line": with_line(record(15) + record(16)),
    "negative memory": with_line('{"step":15,"memory":{"alloc":-1e9,"reserved":0,"peak_alloc":NaN,"peak_reserved":Infinity}}'),
    "memory of infinities": {"steps.jsonl": "".join('{"step":%d,"memory":{"alloc":Infinity,"reserved":-Infinity}}\n' % i for i in range(60))},
    "one step": {"steps.jsonl": GOOD[0] + "\n"},
    "two equal steps": {"steps.jsonl": GOOD[0] + "\n" + GOOD[0] + "\n"},
    "no step at all": {"steps.jsonl": ""},
    "timestamps that go back": {"steps.jsonl": "".join('{"step":%d,"timestamp":%d,"phases":{"forward":0.01}}\n' % (i, 1000 - i) for i in range(60))},
    "timestamps of 1e300": {"steps.jsonl": "".join('{"step":%d,"timestamp":%de300,"phases":{"forward":0.01}}\n' % (i, i) for i in range(60))},
    "run.json is a list": with_run_json("[1,2]"),
    "run.json is cut": with_run_json('{"name": "x"'),
    "run.json is not UTF-8": {**with_run_json(""), "run.json": b'{"name": "\xff"}'},
    "flops that are text": with_run_json('{"flops_per_step": "6e12", "peak_flops": "fast"}'),
    "flops below 0": with_run_json('{"flops_per_step": -6e12, "peak_flops": 0}'),
    "flops of 1e308": with_run_json('{"flops_per_step": 1e308, "peak_flops": 1e-308}'),
    "a world of 10 with one rank": with_run_json('{"world_size": 10, "rank": 0}'),
    "a name with escapes": with_run_json('{"name": "\\u001b[31mred\\u0007<script>alert(1)</script>"}'),
    "a phase called <script>": {"steps.jsonl": "".join('{"step":%d,"phases":{"<script>\\u001b[2J":0.01}}\n' % i for i in range(60))},
    "rank 0 empty": {"rank0/steps.jsonl": "", "rank1/steps.jsonl": "\n".join(GOOD) + "\n", "rank2/steps.jsonl": "\n".join(GOOD) + "\n"},
    "ranks with no step in common": {"rank0/steps.jsonl": "\n".join(GOOD[:10]) + "\n", "rank1/steps.jsonl": "\n".join(GOOD[20:]) + "\n"},
    "ranks of one step": {f"rank{r}/steps.jsonl": GOOD[0] + "\n" for r in range(16)},
    "a rank of NaN": {"rank0/steps.jsonl": "\n".join(GOOD) + "\n",
                      "rank1/steps.jsonl": "".join('{"step":%d,"phases":{"forward":NaN,"comm":Infinity}}\n' % i for i in range(30))},
    "ranks with other phases": {"rank0/steps.jsonl": "\n".join(GOOD) + "\n",
                                "rank1/steps.jsonl": "".join('{"step":%d,"phases":{"eval":1,"comm":0.1}}\n' % i for i in range(30))},
    "a cut trace": {**with_run_json("{}"), "trace.json.gz": gzip.compress(b'{"traceEvents": []}')[:10]},
    "a trace of nonsense": {**with_run_json("{}"), "trace.json": '{"traceEvents": 5}'},
    "pipeline events of nonsense": {"steps.jsonl": "\n".join(GOOD) + "\n",
                                    "pipeline.jsonl": '{"stage":-1,"start":2,"end":1}\n{"stage":NaN,"start":"x","end":null}\n{"stage":1e300,"start":0,"end":1}\n7\n'},
    "digests of nonsense": {"steps.jsonl": "\n".join(GOOD) + "\n",
                            "digests.jsonl": '{"step":1e300,"name":"x","out":"00000000000000ff"}\n{"step":0,"name":"\\u001b[31m","in":"0","out":7}\n'
                                             '{"step":0,"name":"\\u001b[31m","occurrence":1,"out":"00000000000000ff"}\n7\n'},
}


def write(base, files):
    for name, content in files.items():
        path = os.path.join(base, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())


def run(*args):
    return subprocess.run([TSCOPE, "--store", os.path.join(BUILD, "no-such-store"), "analyze", *args], capture_output=True,
                          env={**os.environ, "COLUMNS": "60", "FORCE_COLOR": "1"})


def check(name, path, page):
    text, data, html = run(path), run("--json", "--flops-per-step", "1e12", "--peak-tflops", "1", path), run("--html", page, "--fail-on", "low", path)
    for what, out, allowed in (("text", text, (0, 2)), ("json", data, (0, 2)), ("html", html, (0, 1, 2))):
        if out.returncode not in allowed:
            return f"{name}: {what} ended with {out.returncode}: {out.stderr[-400:]!r}"
        if out.returncode == 2 and not out.stderr and not out.stdout:
            return f"{name}: {what} failed without a word"
    for line in text.stdout.decode().split("\n"):
        if "\x1b[2J" in line or "\x07" in line:
            return f"{name}: foreign escapes reach the screen"
    json.loads(data.stdout)
    if html.returncode != 2:
        with open(page, encoding="utf-8") as file:
            if "<script>alert" in file.read():
                return f"{name}: foreign markup reaches the page"
    return None


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as base:
        for i, (name, files) in enumerate(CASES.items()):
            path = os.path.join(base, str(i), "run")
            os.makedirs(path)
            write(path, files)
            problem = check(name, path, os.path.join(base, str(i), "page.html"))
            if problem:
                wrong.append(problem)
    print(f"hostile: {len(CASES)} inputs, {len(wrong)} wrong")
    for line in wrong:
        print("  " + line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
