#!/usr/bin/env python3
"""balancers.py BUILD: three servers of one store in PostgreSQL, reached by a client that names all of them, by HAProxy and by nginx with
the files of deploy/cluster. Each run is asked for several times: by every way one server alone has the calls about a run, and the runs
are divided; a push goes through; after one server is killed every run is still answered, and the runs of the two others stay where
they were. The client and each balancer are tried alone; a balancer that is not installed is left out, with a sentence, and
the test then exits with 77: not all of it was tried."""

import json
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "engines"), os.path.join(HERE, "..", "fault")]
from cluster import expect, free_ports, until  # noqa: E402
from postgres import Postgres, find, folder  # noqa: E402
from programs import write_run  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
RUNS, TIMES = 12, 3
CALL = re.compile(r"event=call method=GetRun ")


def certificates(top):
    """A CA and a certificate of this machine, as cluster.sh makes them."""
    tls = os.path.join(top, "tls")
    os.mkdir(tls)
    new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    with open(f"{tls}/ext", "w", encoding="utf-8") as f:
        f.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    for words in (["req", "-x509", *new, "-days", "2", "-subj", "/CN=test", "-keyout", "ca.key", "-out", "ca.pem"],
                  ["req", *new, "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr"],
                  ["x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "ext", "-out",
                   "server.pem"]):  # fmt: skip
        subprocess.run(["openssl", *words], cwd=tls, check=True, capture_output=True)
    with open(f"{tls}/both.pem", "w", encoding="utf-8") as f:
        for name in ("server.pem", "server.key"):
            with open(f"{tls}/{name}", encoding="utf-8") as part:
                f.write(part.read())


class Three:
    """Three servers of one store, and how many calls about runs each has had."""

    def __init__(self, top, conf):
        self.top, self.conf, self.port = top, conf, free_ports()
        self.processes, self.token = [None] * 3, ""
        for i in range(3):
            self.start(i)

    def start(self, i):
        with open(f"{self.top}/log{i}", "ab") as log:
            self.processes[i] = subprocess.Popen(
                [f"{BUILD}/tscoped", "--socket", f"{self.top}/s{i}", "--store", "cluster:" + self.conf, "--listen", f"tls:127.0.0.1:{self.port + 1 + i}",
                 "--tls-cert", f"{self.top}/tls/server.pem", "--tls-key", f"{self.top}/tls/server.key"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)  # fmt: skip
        until("a server does not answer", lambda: self.tscope(f"unix:{self.top}/s{i}", "list", "--names").returncode == 0)

    def kill(self, i):
        self.processes[i].kill()
        self.processes[i].wait()
        os.unlink(f"{self.top}/s{i}")

    def end(self):
        for process in self.processes:
            process.terminate()
        expect([process.wait() for process in self.processes] == [0] * 3, "a server does not end as it should")

    def tscope(self, server, *words):
        env = {**os.environ, "TSCOPE_SERVER": server, "TSCOPE_CA": f"{self.top}/tls/ca.pem", "XDG_CONFIG_HOME": self.top}
        if self.token and not server.startswith("unix:"):
            env["TSCOPE_TOKEN"] = self.token
        return subprocess.run([f"{BUILD}/tscope", *words], env=env, capture_output=True, text=True)

    def calls(self):
        """Of each server, how many calls asked for a run."""
        counts = []
        for i in range(3):
            with open(f"{self.top}/log{i}", encoding="utf-8") as f:
                counts.append(len(CALL.findall(f.read())))
        return counts


def homes(three, server, runs):
    """{run: the server that answered for it}; each run is asked for several times, and always by the same one."""
    home = {}
    for run in runs:
        before = three.calls()
        for _ in range(TIMES):
            shown = three.tscope(server, "show", run)
            expect(shown.returncode == 0, f"{server}: show {run}: {shown.stderr}")
        until("calls are not in the logs", lambda before=before: sum(three.calls()) >= sum(before) + TIMES)
        who = [i for i in range(3) if three.calls()[i] > before[i]]
        expect(len(who) == 1, f"{server}: {run} was asked of servers {who}")
        home[run] = who[0]
    return home


def through(three, what, server, number):
    """Pushes runs and asks for them by this way, with all servers and with one less."""
    names = [f"{what}{i}" for i in range(RUNS)]
    for i, name in enumerate(names):
        write_run(f"{three.top}/{name}", number + i)
        pushed = three.tscope(server, "push", f"{three.top}/{name}", "--name", name, "--json")
        expect(
            pushed.returncode == 0 and json.loads(pushed.stdout)["pushes"][0]["run"]["id"], f"{what}: {pushed.stdout}{pushed.stderr}"
        )
    whole = homes(three, server, names)
    expect(len(set(whole.values())) > 1, f"{what}: one server has all runs")
    lost = whole[names[0]]
    three.kill(lost)
    until(
        f"{what}: nobody answers for the runs of a server that was killed",
        lambda: three.tscope(server, "show", names[0]).returncode == 0,
    )
    time.sleep(3)  # until a balancer that looks each second has seen it
    left = homes(three, server, names)
    moved = [n for n in names if left[n] != whole[n]]
    expect(
        all(whole[n] == lost for n in moved) and lost not in left.values(),
        f"{what}: without server {lost} runs moved from {whole} to {left}",
    )
    three.start(lost)
    parts = [sum(h == i for h in whole.values()) for i in range(3)]
    print(
        f"{what}: {RUNS} runs, of which the servers have {parts}, each asked of one server alone; with server {lost} killed {len(moved)} moved, and no other",
        flush=True,
    )


def fill(three, name, path):
    """A file of deploy/cluster with the ports of the test."""
    with open(f"deploy/cluster/{name}", encoding="utf-8") as f:
        text = f.read()
    for word, value in {"@FOLDER@": three.top, "@PORT@": three.port, **{f"@PORT{i}@": three.port + i for i in (1, 2, 3)}}.items():
        text = text.replace(word, str(value))
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def balance(three, program, config, words, number):
    """Whether the program is there."""
    os.environ["PATH"] += ":/usr/sbin"
    if not shutil.which(program):
        print(
            f"{program}: left out: it is not on this machine (deploy/packages, group cluster)"
        )
        return False
    path = os.path.join(three.top, config)
    fill(three, config, path)
    with open(f"{three.top}/{program}.log", "w", encoding="utf-8") as log:
        process = subprocess.Popen([program, *words, path], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    server = f"tls:127.0.0.1:{three.port}"
    try:
        until(f"{program} passes no call on", lambda: three.tscope(server, "list", "--names").returncode == 0)
        through(three, program, server, number)
    finally:
        process.terminate()
        process.wait()
    return True


def main():
    programs = find()
    if not programs:
        print("balancers: skipped: PostgreSQL's programs are not on this machine (deploy/packages, group cluster)")
        return 77
    top = folder()
    postgres, three = Postgres(programs, top), None
    try:
        postgres.sql("CREATE DATABASE tscope", "postgres")
        certificates(top)
        three = Three(top, postgres.conf("cluster.conf"))
        made = three.tscope(f"unix:{top}/s0", "token", "make", "me", "--role", "maintain", "--for", "*", "--expires", "1d")
        three.token = re.search(r"tscope_[a-z2-7]{58}", made.stdout).group()
        through(three, "client", ",".join(f"tls:127.0.0.1:{three.port + 1 + i}" for i in range(3)), 0)
        whole = balance(three, "haproxy", "haproxy.cfg", ["-db", "-f"], 100)
        whole &= balance(three, "nginx", "nginx.conf", ["-p", top, "-c"], 200)
        three.end()
    finally:
        for process in three.processes if three else ():
            process.kill()
            process.wait()
        postgres.kill()
        shutil.rmtree(top, ignore_errors=True)
    return 0 if whole else 77


if __name__ == "__main__":
    sys.exit(main())
