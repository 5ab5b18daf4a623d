#!/usr/bin/env python3
"""cluster.py BUILD: deploy/cluster/cluster.sh brings up PostgreSQL, Ceph, three servers and HAProxy; a run is pushed through the
balancer and listed by each server; with one server killed pushes go on, and status says which; each server is replaced by itself
while a client pushes, and no push fails; no socket lets other users in; stop leaves no process, also of a start that hung half way; a
start goes on with what was there. Skipped where Debian's packages are missing, with the script's own sentence."""

import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "fault"))
from programs import write_run  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
SCRIPT = "deploy/cluster/cluster.sh"
WAIT_S = 120


def expect(condition, *what):
    if not condition:
        raise SystemExit("cluster: " + " ".join(str(w) for w in what))


def free_ports():
    """The first of six ports that nobody has now."""
    for first in range(20000, 60000, 37):
        try:
            for port in range(first, first + 6):
                with socket.socket() as s:
                    s.bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
    raise SystemExit("cluster: no free ports")


class Cluster:
    def __init__(self, top):
        self.top, self.folder, self.port = top, os.path.join(top, "cluster"), free_ports()
        self.env = {**os.environ, "TSCOPE_PORT": str(self.port), "TSCOPE_PROGRAMS": BUILD, "XDG_CONFIG_HOME": os.path.join(top, "config"),
                    "XDG_DATA_HOME": os.path.join(top, "data")}  # fmt: skip

    def script(self, word):
        return subprocess.run([SCRIPT, word, self.folder], env=self.env, capture_output=True, text=True)

    def tscope(self, *words, server=None, stdin=""):
        own = {"TSCOPE_SERVER": f"unix:{self.folder}/run/tscoped{server}.sock"} if server else {}
        return subprocess.run([f"{BUILD}/tscope", *words], env={**self.env, **own}, input=stdin, capture_output=True, text=True)

    def push(self, number):
        """The id of a new run, pushed through the balancer; None: the push failed."""
        path = os.path.join(self.top, f"r{number}")
        write_run(path, number)
        done = self.tscope("push", path, "--name", f"r{number}", "--json")
        shutil.rmtree(path)
        return json.loads(done.stdout)["pushes"][0]["run"]["id"] if done.returncode == 0 else None

    def pid(self, name):
        with open(f"{self.folder}/run/{name}.pid", encoding="utf-8") as f:
            return int(f.read())

    def names(self, server):
        answer = self.tscope("list", "--json", "--limit", "1000", server=server)
        expect(answer.returncode == 0, answer.stderr)
        return {row["name"].split("/")[-1]: row["id"] for row in json.loads(answer.stdout)["rows"]}


def until(what, holds):
    end = time.monotonic() + WAIT_S
    while not holds():
        expect(time.monotonic() < end, what, "after", WAIT_S, "s")
        time.sleep(0.2)


def open_sockets(top):
    """Sockets below a folder that any user of the machine may connect to."""
    found = []
    for folder, folders, files in os.walk(top):
        folders[:] = [f for f in folders if os.lstat(os.path.join(folder, f)).st_mode & stat.S_IXOTH]
        modes = {f: os.lstat(os.path.join(folder, f)).st_mode for f in files}
        found += [f for f, mode in modes.items() if stat.S_ISSOCK(mode) and mode & stat.S_IWOTH]
    return found


def processes_of(folder):
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline", "rb") as f:
                words = f.read().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if folder in words:
            found.append(words)
    return found


def stop_half_way(cluster):
    """A start hangs at the gateway's user and gets SIGTERM, and its child goes on; another one fails there. stop ends what both left.
    The sentence of the script where packages are missing."""
    fake = os.path.join(cluster.top, "fake")
    os.mkdir(fake)
    for way in ("touch $TSCOPE_FAKE; sleep 600", "exit 3"):
        with open(f"{fake}/radosgw-admin", "w", encoding="utf-8") as f:
            f.write(f"#!/bin/sh\n# of {cluster.folder}\n{way}\n")
        os.chmod(f.name, 0o755)
        env = {**cluster.env, "PATH": fake + ":" + os.environ["PATH"], "TSCOPE_FAKE": f"{fake}/asked"}
        with open(f"{cluster.top}/half", "w", encoding="utf-8") as log:
            start = subprocess.Popen([SCRIPT, "start", cluster.folder], env=env, stdout=log, stderr=log)
        if "touch" in way:
            until("radosgw-admin is not asked", lambda: os.path.exists(f"{fake}/asked") or start.poll() is not None)
            start.terminate()
        failed = start.wait()
        with open(log.name, encoding="utf-8") as f:
            said = f.read()
        if "not on this machine" in said:
            return said.strip()
        expect(failed and cluster.script("status").stdout.count(": runs as") == 3, "a start does not fail half way:", said)
        stopped = cluster.script("stop")
        expect(stopped.returncode == 0 and not processes_of(cluster.top), "stop leaves", processes_of(cluster.top), stopped.stderr)
    shutil.rmtree(fake)
    return None


def names_packages(cluster):
    """With next to nothing on a machine, the script says in one sentence which packages are missing."""
    few = os.path.join(cluster.top, "few")
    os.mkdir(few)
    for program in ("bash", "dirname", "readlink", "mkdir", "id", "sort", "tail"):
        os.symlink(shutil.which(program), os.path.join(few, program))
    said = subprocess.run([SCRIPT, "start", cluster.folder], env={**cluster.env, "PATH": few}, capture_output=True, text=True)
    expect(said.returncode == 1 and said.stderr.count("\n") == 1 and "ceph-mon ceph-osd ceph-common radosgw" in said.stderr, said.stderr)


def log_in(cluster):
    made = cluster.tscope("token", "make", "me", "--role", "maintain", "--for", "*", "--expires", "1d", server=1)
    token = re.search(r"tscope_[a-z2-7]{58}", made.stdout)
    expect(token, made.stdout, made.stderr)
    done = cluster.tscope("login", "--ca", f"{cluster.folder}/tls/ca.pem", f"tls:127.0.0.1:{cluster.port}", stdin=token.group())
    expect(done.returncode == 0, done.stdout, done.stderr)


def replace_each(cluster, acked):
    """An upgrade: each server gets SIGTERM, ends what it has begun, and another one is started, while a client pushes all the time."""
    over, failed, number = threading.Event(), [], 100

    def push_on():
        nonlocal number
        while not over.is_set():
            number += 1
            run = cluster.push(number)
            acked.update({f"r{number}": run}) if run else failed.append(f"r{number}")

    thread = threading.Thread(target=push_on)
    thread.start()
    try:
        for server in (1, 2, 3):
            before = len(acked)
            until("no push", lambda before=before: len(acked) > before or failed)
            os.kill(cluster.pid(f"tscoped{server}"), 15)
            until("a server does not end", lambda server=server: f"tscoped{server}: does not run" in cluster.script("status").stdout)
            started = cluster.script("start")
            expect(started.returncode == 0, started.stdout, started.stderr)
        before = len(acked)
        until("no push", lambda: len(acked) > before or failed)
    finally:
        over.set()
        thread.join()
    expect(not failed, "pushes failed while servers were replaced:", failed)


def use(cluster):
    names_packages(cluster)
    missing = stop_half_way(cluster)
    if missing:
        print("skipped: " + missing)
        return 77
    started = cluster.script("start")
    expect(started.returncode == 0, started.stdout, started.stderr)
    expect(cluster.script("status").returncode == 0, cluster.script("status").stdout)
    expect(not open_sockets(cluster.folder), "every user of the machine may connect to", open_sockets(cluster.folder))
    log_in(cluster)
    acked = {"r1": cluster.push(1)}
    expect(acked["r1"], "no push through the balancer")
    os.kill(cluster.pid("tscoped2"), 9)
    for number in range(2, 6):
        until(
            "no push beside a server that was killed",
            lambda number=number: acked.update({f"r{number}": cluster.push(number)}) or acked[f"r{number}"],
        )
    said = cluster.script("status")
    expect(said.returncode == 1 and "tscoped2: does not run" in said.stdout, said.stdout)
    expect(cluster.script("start").returncode == 0)
    replace_each(cluster, acked)
    for server in (1, 2, 3):
        expect(cluster.names(server) == acked, f"server {server} lists", cluster.names(server), "and acknowledged was", acked)
    stopped = cluster.script("stop")
    expect(stopped.returncode == 0 and cluster.script("status").stdout.count("does not run") == 8, stopped.stderr)
    expect(cluster.script("start").returncode == 0)
    expect(cluster.names(3) == acked, "after a stop and a start other runs are there")
    print(
        f"cluster: {len(acked)} runs pushed through HAProxy, one server killed, each replaced beside pushes, all stopped and started: all listed by all"
    )
    return 0


def main():
    top = tempfile.mkdtemp(prefix="tscope-cluster-")
    os.chmod(top, 0o755)
    cluster = Cluster(top)
    try:
        return use(cluster)
    finally:
        cluster.script("stop")
        shutil.rmtree(top)


if __name__ == "__main__":
    sys.exit(main())
