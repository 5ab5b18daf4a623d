#!/usr/bin/env python3
"""How many log-batch calls a second `tscope web` takes beside `mlflow server` on SQLite: mlflow_door.py BUILD [SECONDS].

Both servers run at the same time on this machine, and clients ask them in turn, SECONDS (default 3) each and five rounds, over connections that
stay open; a row for each kind of call, with the medians and the ratio of the rounds. Each call is answered when what it says is in a file (tscope)
or in the database (MLflow). MLflow's server is installed once from PyPI into BUILD/mlflow-server; where that cannot be had, the figures of tscope
stand alone, and a sentence says so."""
import http.client
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

WANTED = "mlflow==3.17.0"
ROUNDS = 5
KINDS = (("1 metric", 1, 1), ("20 metrics", 20, 1), ("1,000 metrics", 1000, 1), ("20 metrics, 8 clients", 20, 8))


def server_program(build):
    """The program mlflow; None where PyPI cannot be reached."""
    folder = os.path.join(build, "mlflow-server")
    program = os.path.join(folder, "bin", "mlflow")
    if not os.path.exists(os.path.join(folder, "whole")):
        try:
            subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True, capture_output=True, timeout=120)
            subprocess.run([os.path.join(folder, "bin", "pip"), "install", "-q", WANTED], check=True, capture_output=True, timeout=900, stdin=subprocess.DEVNULL)
        except (subprocess.SubprocessError, OSError):
            return None
        with open(os.path.join(folder, "whole"), "w"):
            pass
    return program


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A server that takes MLflow's calls."""

    def __init__(self, words, port, env):
        self.port = port
        self.process = subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
        if port == 0:
            self.port = int(re.search(rb"127\.0\.0\.1:(\d+)", self.process.stderr.readline()).group(1))
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        end = time.monotonic() + 300  # MLflow's server takes its time on a busy machine
        while True:
            try:
                self.experiment = self.call(self.connect(), "experiments/create", {"name": "bench"})["experiment_id"]
                return
            except (OSError, http.client.HTTPException, KeyError, ValueError):
                if time.monotonic() > end:
                    self.end()
                    raise
                time.sleep(0.3)

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    @staticmethod
    def call(connection, call, body):
        connection.request("POST", "/api/2.0/mlflow/" + call, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        said = json.loads(answer.read() or b"{}")
        if answer.status != 200:
            raise ValueError(f"{call}: {answer.status} {said}")
        return said

    def calls(self, n_metrics, clients, seconds):
        """Calls a second of so many clients, each with a run of its own."""
        connections = [self.connect() for _ in range(clients)]
        runs = [self.call(c, "runs/create", {"experiment_id": self.experiment, "run_name": "b", "start_time": 1})["run"]["info"]["run_id"] for c in connections]
        counts, began = [0] * clients, time.monotonic()

        def log(k):
            while not counts[k] or time.monotonic() < began + seconds:
                step = counts[k] * (1 + n_metrics // 20)
                batch = [{"key": f"m{i % 20}", "value": step + i / 1000, "timestamp": 1700000000000 + step, "step": step + i // 20} for i in range(n_metrics)]
                self.call(connections[k], "runs/log-batch", {"run_id": runs[k], "metrics": batch})
                counts[k] += 1

        threads = [threading.Thread(target=log, args=(k,)) for k in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.monotonic() - began
        for connection in connections:
            connection.close()
        return sum(counts) / took

    def end(self):
        os.killpg(self.process.pid, 15)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, 9)
            self.process.wait()


def main():
    build, seconds = os.path.abspath(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 3.0
    program = server_program(build)
    with tempfile.TemporaryDirectory(prefix="tscope-bench-") as work:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("TSCOPE_", "MLFLOW_"))}
        env.update(HOME=work, XDG_DATA_HOME=work)
        servers = {}
        if program:
            port = free_port()
            servers["MLflow"] = Server([program, "server", "--backend-store-uri", f"sqlite:///{work}/mlflow.db", "--artifacts-destination", work + "/artifacts",
                                        "--host", "127.0.0.1", "--port", str(port)], port, {**env, "PATH": os.path.dirname(program) + ":" + env["PATH"]})
        servers = {"tscope": Server([os.path.join(build, "tscope"), "web", "--port", "0"], 0, env), **servers}
        try:
            print(f"{'log-batch of':24}" + "".join(f"{name + ' calls/s':>18}" for name in servers) + (f"{'ratio':>10}" if program else ""))
            for title, n_metrics, clients in KINDS:
                rates = {name: [] for name in servers}
                for _ in range(ROUNDS):
                    for name, server in servers.items():
                        rates[name].append(server.calls(n_metrics, clients, seconds))
                row = f"{title:24}" + "".join(f"{statistics.median(rates[name]):18,.0f}" for name in servers)
                if program:
                    row += f"{statistics.median(a / b for a, b in zip(rates['tscope'], rates['MLflow'])):10.1f}"
                print(row, flush=True)
            if not program:
                print(f"MLflow's server is left out: pip cannot get {WANTED} here")
        finally:
            for server in servers.values():
                server.end()


if __name__ == "__main__":
    main()
