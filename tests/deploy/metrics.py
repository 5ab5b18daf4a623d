#!/usr/bin/env python3
"""What a server tells Prometheus: metrics.py BUILD. The text has the form that Prometheus reads; docs/metrics.md names every metric
and no other; the boards of Grafana and the rules of deploy ask only for metrics that there are; counters say what was done."""
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

build = os.path.abspath(sys.argv[1])
SUFFIX = re.compile(r"_(bucket|sum|count)$")
LABEL = r'[a-z]+="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"([a-z_]+)(\{{{LABEL}(?:,{LABEL})*\}})? (-?[0-9.e+-]+|NaN|\+Inf)")


def check(condition, *what):
    if not condition:
        sys.exit("metrics: " + " ".join(str(w) for w in what))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def fetch(port, path, token=""):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Authorization": f"Bearer {token}"} if token else {})
    for _ in range(200):
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.read().decode()
        except urllib.error.URLError:
            time.sleep(0.1)
    sys.exit("metrics: nobody answers")


def parse(text):
    """Name of a family -> {labels: value}. Each family stands together, after its HELP and TYPE."""
    families, name = {}, None
    for line in text.rstrip("\n").split("\n"):
        if line.startswith("# HELP "):
            name = line.split()[2]
            check(name not in families, "twice:", name)
            families[name] = {}
        elif line.startswith("# TYPE "):
            check(line.split()[2] == name and line.split()[3] in ("counter", "gauge", "histogram"), line)
        else:
            found = SAMPLE.fullmatch(line)
            check(found, "not a sample:", line)
            check(found.group(1) == name or SUFFIX.sub("", found.group(1)) == name, line, "under", name)
            key = found.group(1) + (found.group(2) or "")
            check(key not in families[name], "twice:", key)
            families[name][key] = float(found.group(3))
    return families


def metrics_in(text):
    return {SUFFIX.sub("", n) for n in re.findall(r"\b((?:tscoped|process)_[a-z_]+)", text)}


def wanted_by_grafana(path):
    with open(path, encoding="utf-8") as f:
        board = json.load(f)
    return metrics_in(" ".join(target["expr"] for panel in board["panels"] for target in panel["targets"]))


def wanted_by_rules():
    """Of the rules of Prometheus: every metric, and the recorded series that alerts ask for."""
    with open("deploy/cluster/rules.yaml", encoding="utf-8") as f:
        text = f.read()
    expressions = re.findall(r"^    expr: (.*)$", text, re.M)
    check(len(expressions) == text.count("expr:") > 5, "an expression of several lines is not looked at")
    recorded = set(re.findall(r"^  - record: (\S+)$", text, re.M))
    asked = set(re.findall(r"\btscoped:[a-z_:0-9]+", " ".join(expressions)))
    check(asked <= recorded, "nothing records", asked - recorded)
    return metrics_in(" ".join(expressions))


def one(families, name):
    return families[name][name]


def check_store(first, then):
    """Five runs were pushed, and then again; one more twice, and one that a quota kept from having a name."""
    new = [one(f, "tscoped_store_new_bytes_total") for f in (first, then)]
    asked = [one(f, "tscoped_store_asked_bytes_total") for f in (first, then)]
    check(new[0] == one(first, "tscoped_store_object_bytes") and new[1] == one(then, "tscoped_store_object_bytes"), new)
    check(asked[0] >= new[0] and asked[1] >= asked[0] + new[0], "the second push asks for what the first stored:", asked, new)
    check(one(first, "tscoped_store_leased_bytes") == 0 and 0 < one(then, "tscoped_store_leased_bytes") < new[1] - new[0])
    check(one(then, "tscoped_store_leased_objects") > 1)
    check(then["tscoped_quota_refused_total"]['tscoped_quota_refused_total{quota="names"}'] == 2, then["tscoped_quota_refused_total"])
    check(then["tscoped_refused_total"]['tscoped_refused_total{cause="too_large"}'] == 2, then["tscoped_refused_total"])
    check(one(then, "tscoped_store_reader_slots") >= 126 and one(then, "tscoped_store_oldest_reader_seconds") == 0)
    check(one(then, "process_max_fds") >= one(then, "process_open_fds") > 0)
    check(0 <= one(then, "tscoped_arena_bytes") < one(then, "tscoped_arena_limit_bytes"))


def make_token(asked, projects):
    """The secret of a token that may read these projects."""
    made = subprocess.run([f"{build}/tscope", "token", "make", f"of-{len(projects)}", "--role", "read", "--for", projects, "--expires", "1d"],
                          env=asked, check=True, capture_output=True, text=True)
    return re.search(r"tscope_[a-z2-7]{58}", made.stdout).group()


def main():
    with tempfile.TemporaryDirectory(prefix="tscope-metrics-") as top:
        port = free_port()
        server = subprocess.Popen([f"{build}/tscoped", "--socket", f"{top}/s", "--store", f"{top}/store", "--metrics-port", str(port), "--quota", "small names 1"],
                                  stderr=subprocess.DEVNULL)
        try:
            check(fetch(port, "/ready") == "ready\n")
            asked = dict(os.environ, TSCOPE_SERVER=f"unix:{top}/s")
            subprocess.run([f"{build}/tscope", "push", "tests/golden/demo"], env=asked, check=True, capture_output=True)
            again = parse(fetch(port, "/metrics"))
            subprocess.run([f"{build}/tscope", "push", "tests/golden/demo"], env=asked, check=True, capture_output=True)
            one = "tests/cli/runs/base"
            subprocess.run([f"{build}/tscope", "push", one, "--name", "small/a"], env=asked, check=True, capture_output=True)
            above = subprocess.run([f"{build}/tscope", "push", one, "--name", "small/b"], env=asked, capture_output=True)
            check(above.returncode == 2 and b"the quota 'names' of project small" in above.stderr, above)
            above = subprocess.run([f"{build}/tscope", "push", "tests/cli/runs/longer", "--name", "small/c"], env=asked, capture_output=True)
            check(above.returncode == 2, above)
            missing = subprocess.run([f"{build}/tscope", "show", "nothing"], env=asked, capture_output=True)
            check(missing.returncode == 2, missing)
            for token in ("", make_token(asked, "small"), "tscope_" + "a" * 58):
                check("caller" not in fetch(port, "/metrics", token), "names are told to who may not read every project")
            families = parse(fetch(port, "/metrics", make_token(asked, "*")))
            check(families["tscoped_store_names"]["tscoped_store_names"] == 6, families["tscoped_store_names"])
            calls = families["tscoped_calls_total"]
            check(calls['tscoped_calls_total{method="CommitRun",status="ok"}'] == 11, calls)
            check_store(again, families)
            check(calls['tscoped_calls_total{method="CommitRun",status="too_large"}'] == 2, calls)
            check(calls['tscoped_calls_total{method="FindNames",status="ok"}'] > 0, calls)
            ended = families["tscoped_call_seconds"]
            check(ended['tscoped_call_seconds_count{method="PutObjects"}'] == 7 and ended['tscoped_call_seconds_sum{method="PutObjects"}'] > 0, ended)
            check(families["tscoped_disk_free_bytes"]["tscoped_disk_free_bytes"] > 0)
        finally:
            server.terminate()
            check(server.wait(timeout=30) == 0, "the server ended with", server.returncode)
        with open("docs/metrics.md", encoding="utf-8") as f:
            documented = set(re.findall(r"`((?:tscoped|process)_[a-z_]+)`", f.read()))
        check("tscoped_bucket_failures_total" not in families, "a store without a bucket counts what its bucket refused")
        documented -= {"tscoped_bucket_failures_total"}  # of a store with a bucket alone
        documented -= {"tscoped_member_runs_total", "tscoped_member_failures_total"}  # tests/engines/members.py
        documented -= {"tscoped_follow_behind_seconds", "tscoped_follow_records_total", "tscoped_follow_failures_total"}  # tests/fault/follow.py
        check(documented == set(families), "docs/metrics.md differs:", documented ^ set(families))
        for where, wanted in (("deploy/grafana.json", wanted_by_grafana("deploy/grafana.json")), ("deploy/cluster/rules.yaml", wanted_by_rules()),
                              ("deploy/cluster/grafana.json", wanted_by_grafana("deploy/cluster/grafana.json"))):  # fmt: skip
            check(wanted and wanted <= set(families), "no such metric:", wanted - set(families), "of", where)
    print(f"metrics: {len(families)} metrics, as documented")


if __name__ == "__main__":
    main()
