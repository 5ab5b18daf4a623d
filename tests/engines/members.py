#!/usr/bin/env python3
"""members.py BUILD: three servers of one store in PostgreSQL, which name each other, themselves and one that is away as members. A trend has the bytes of
the answer of a server that knows no members: when all are there, and when one is killed with -9, or stopped, in the middle. Servers that have cached
nothing do the work each time. Skipped where PostgreSQL's programs are not."""
import os
import shutil
import signal
import socket
import sys
import threading
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fault"))
from postgres import Postgres, find, folder  # noqa: E402
from programs import Server, write_run  # noqa: E402

BUILD = sys.argv[1]
RUNS, SERVERS, PATIENCE_S = 300, 3, 60


def expect(condition, what):
    if not condition:
        raise SystemExit(f"members.py: {what}")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cluster:
    """Servers that were just started, and have nothing in their caches."""

    def __init__(self, postgres, work, members):
        conf = "cluster:" + postgres.conf("members.conf")
        paths = [os.path.join(work, f"m{i}") for i in range(SERVERS)]
        names = ",".join(f"unix:{p}" for p in [*paths, os.path.join(work, "away")])
        self.port, self.servers = free_port(), []
        for path in paths:
            env = {"TSCOPED_MEMBERS": names if members else "", "TSCOPED_METRICS_PORT": "0" if self.servers else str(self.port)}
            self.servers.append(Server(BUILD, conf, path, env))

    def trend(self):
        done = self.servers[0].tscope("trend", "main", "--json")
        expect(done.returncode in (0, 1), f"trend: {done.stderr}")
        return done.stdout

    def trend_while(self, act):
        """The answer of a trend during which act() is called, the seconds it took, and whether it still ran when act had ended."""
        answer = []
        began = time.monotonic()
        asking = threading.Thread(target=lambda: answer.append(self.trend()))
        asking.start()
        time.sleep(0.1)
        act()
        ran = asking.is_alive()
        asking.join(PATIENCE_S)
        expect(not asking.is_alive(), "a trend waits for a member that does not answer")
        expect(answer, "a trend fails")
        return answer[0], time.monotonic() - began, ran

    def counter(self, name):
        """What the first server counts of each member."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics") as page:
            lines = [line for line in page.read().decode().split("\n") if line.startswith(name + "{")]
        return {line[line.index('"') + 1:line.rindex('"')]: int(line.split()[-1]) for line in lines}

    def end(self):
        """What is only cached is lost."""
        for server in self.servers:
            server.process.kill()
            server.process.wait()


def push(postgres, work):
    cluster = Cluster(postgres, work, False)
    folders = [os.path.join(work, "runs", f"r{i}") for i in range(RUNS)]
    for i, run in enumerate(folders):
        write_run(run, i)
    for i in range(0, RUNS, 100):
        done = cluster.servers[0].tscope("push", *folders[i:i + 100], "--branch", "main")
        expect(done.returncode == 0, f"push: {done.stderr}")
    cluster.end()


def main():
    programs = find()
    if not programs:
        print("members.py: skipped: PostgreSQL's programs are not on this machine (Debian's package postgresql has them)")
        return 77
    work = folder()
    postgres = Postgres(programs, work)
    cluster = None
    try:
        postgres.sql("CREATE DATABASE tscope", "postgres")
        push(postgres, work)
        cluster = Cluster(postgres, work, False)
        began = time.monotonic()
        alone = cluster.trend()
        seconds = time.monotonic() - began
        cluster.end()

        cluster = Cluster(postgres, work, True)
        expect(cluster.trend() == alone, "a trend with members says something else than one without")
        runs, failures = cluster.counter("tscoped_member_runs_total"), cluster.counter("tscoped_member_failures_total")
        away = f"unix:{work}/away"
        others = [f"unix:{work}/m{i}" for i in (1, 2)]
        expect(all(runs[name] > 0 and failures[name] == 0 for name in others), f"members do nothing: {runs} {failures}")
        expect(runs[away] == 0 and failures[away] > 0, f"one that is away counts {runs[away]} runs, {failures[away]} failures")
        expect(f"unix:{work}/m0" not in runs, "the first server does not find itself among its members")
        print(f"{RUNS} runs: {runs[others[0]]} and {runs[others[1]]} were reduced by the others, the same bytes")
        cluster.end()

        for what, number in (("killed", signal.SIGKILL), ("stopped", signal.SIGSTOP)):
            for i in (1, 2):
                cluster = Cluster(postgres, work, True)
                answer, took, ran = cluster.trend_while(lambda: cluster.servers[i].process.send_signal(number))
                expect(answer == alone, f"server {i} was {what} in the middle, and the trend says something else")
                print(f"server {i} {what}{'' if ran else ', but the trend had ended'}: the same bytes in {took:.1f} s, without members {seconds:.1f} s")
                cluster.end()
    finally:
        if cluster:
            cluster.end()
        postgres.kill()
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
