#!/usr/bin/env python3
"""What a server tells Prometheus: metrics.py BUILD. The text has the form that Prometheus reads; docs/metrics.md names every metric
and no other; deploy/grafana.json asks only for metrics that there are; counters say what was done."""
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


def fetch(port, path):
    for _ in range(200):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
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


def wanted_by_grafana():
    with open("deploy/grafana.json", encoding="utf-8") as f:
        board = json.load(f)
    asked = " ".join(target["expr"] for panel in board["panels"] for target in panel["targets"])
    return {SUFFIX.sub("", n) for n in re.findall(r"\b((?:tscoped|process)_[a-z_]+)", asked)}


def main():
    with tempfile.TemporaryDirectory(prefix="tscope-metrics-") as top:
        port = free_port()
        server = subprocess.Popen([f"{build}/tscoped", "--socket", f"{top}/s", "--store", f"{top}/store", "--metrics-port", str(port)],
                                  stderr=subprocess.DEVNULL)
        try:
            check(fetch(port, "/ready") == "ready\n")
            asked = dict(os.environ, TSCOPE_SERVER=f"unix:{top}/s")
            subprocess.run([f"{build}/tscope", "push", "tests/golden/demo"], env=asked, check=True, capture_output=True)
            missing = subprocess.run([f"{build}/tscope", "show", "nothing"], env=asked, capture_output=True)
            check(missing.returncode == 2, missing)
            families = parse(fetch(port, "/metrics"))
            check(families["tscoped_store_names"]["tscoped_store_names"] == 5, families["tscoped_store_names"])
            calls = families["tscoped_calls_total"]
            check(calls['tscoped_calls_total{method="CommitRun",status="ok"}'] == 5, calls)
            check(calls['tscoped_calls_total{method="GetRun",status="not_found"}'] == 1, calls)
            ended = families["tscoped_call_seconds"]
            check(ended['tscoped_call_seconds_count{method="PutObjects"}'] == 5 and ended['tscoped_call_seconds_sum{method="PutObjects"}'] > 0, ended)
            check(families["tscoped_disk_free_bytes"]["tscoped_disk_free_bytes"] > 0)
        finally:
            server.terminate()
            check(server.wait(timeout=30) == 0, "the server ended with", server.returncode)
        with open("docs/metrics.md", encoding="utf-8") as f:
            documented = set(re.findall(r"`((?:tscoped|process)_[a-z_]+)`", f.read()))
        check(documented == set(families), "docs/metrics.md differs:", documented ^ set(families))
        check(wanted_by_grafana() <= set(families), "no such metric:", wanted_by_grafana() - set(families))
    print(f"metrics: {len(families)} metrics, as documented")


if __name__ == "__main__":
    main()
