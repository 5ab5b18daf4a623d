#!/usr/bin/env python3
"""rehearsal.py BUILD [--seconds N] [--pushers N] [--s3 ceph|stand-in]: a day at a company, in some minutes. Three servers share a
store in PostgreSQL and S3 while many clients push and others list; one server, the database and the gateway of S3 (with Ceph: also
its store) are killed with -9 in turn, and come back some seconds later.

Every push is tried again, at the next server, until it is acknowledged; every list is held against all that was acknowledged before
it (seen.py). At the end each server must list every acknowledged run, and verify must find nothing. The table says what lists took
before, while a part was away, and after. Without Ceph's programs the gateway is a server for tests, which keeps its buckets in files.
Skipped where PostgreSQL's programs are not."""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "engines"), os.path.join(HERE, "..", "fault")]
import ceph  # noqa: E402
from postgres import Postgres, find, folder  # noqa: E402
from programs import write_noise  # noqa: E402
from s3 import SECRET, Bucket  # noqa: E402
from seen import Push, Read, violations  # noqa: E402

SERVERS, READERS, PAGE = 3, 2, 1000
STEPS = 200  # some 25 KiB a run
READY_S, VERIFY_S, RETRY_S = 120, 600, 0.2
AGAIN = ("unavailable", "deadline")  # a call that says so may be made again


class StandIn:
    """The server of S3 for tests, as Ceph is here: kill() and start() of the gateway, end()."""

    parts = ("the gateway",)

    def __init__(self, work):
        self.keep, self.port = os.path.join(work, "buckets"), ceph.free_port()
        self.start()

    def start(self):
        self.bucket = Bucket("--keep", self.keep, "--port", str(self.port))

    def kill(self):
        self.bucket.process.kill()
        self.bucket.process.wait()

    def url(self):
        return self.bucket.url()

    def end(self):
        self.kill()


class Team:
    """Three servers of one store."""

    def __init__(self, build, store_of, work):
        self.build, self.store_of, self.work, self.processes = build, store_of, work, [None] * SERVERS
        for i in range(SERVERS):
            self.start(i)
        for i in range(SERVERS):
            self.until_ready(i)

    def socket(self, i):
        return os.path.join(self.work, f"s{i}")

    def start(self, i):
        if os.path.exists(self.socket(i)):
            os.unlink(self.socket(i))
        with open(os.path.join(self.work, f"log{i}"), "ab") as log:
            self.processes[i] = subprocess.Popen(
                [os.path.join(self.build, "tscoped"), "--socket", self.socket(i), "--store", self.store_of(i)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def until_ready(self, i):
        until = time.monotonic() + READY_S
        while self.ask(i, "fault", "list", "--names", "--limit", "1")[0]:
            if time.monotonic() > until or self.processes[i].poll() is not None:
                raise SystemExit(f"rehearsal: server {i} does not answer; {self.work}/log{i} says more")
            time.sleep(0.1)

    def kill(self, i):
        self.processes[i].kill()
        self.processes[i].wait()

    def ask(self, i, project, *words):
        """Exit status, standard output and what went wrong, of one command."""
        env = {**os.environ, "TSCOPE_SERVER": "unix:" + self.socket(i), "TSCOPE_PROJECT": project}
        done = subprocess.run([os.path.join(self.build, "tscope"), *words], env=env, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def end(self):
        for process in self.processes:
            if process:
                process.kill()
                process.wait()


def status_of(stdout, stderr):
    """The status of a command that failed, by its JSON."""
    try:
        said = json.loads(stdout)
    except ValueError:
        return "none: " + stderr.strip()[-200:]
    found = said.get("error") or next((p["error"] for p in said.get("pushes", ()) if p.get("error")), None)
    return found["status"] if found else "none: " + stderr.strip()[-200:]


class History:
    """What clients did, by project, and how long lists took."""

    def __init__(self, projects):
        self.pushes, self.reads = {p: [] for p in projects}, {p: [] for p in projects}
        self.lists, self.refused, self.unexpected = [], [], []  # (begin, seconds or None: it may be asked again); (time); sentences
        self.over = threading.Event()

    def projects(self):
        return list(self.pushes)


def push_on(history, team, first, project, work):
    """One client: pushes one run after another, each until it is acknowledged."""
    number, server = first * 1000000, first
    while not history.over.is_set():
        number += 1
        path, name = os.path.join(work, f"r{number}"), f"r{number}"
        write_noise(path, number, STEPS)
        push = Push(f"{project}/{name}", time.monotonic())
        history.pushes[project].append(push)
        while not history.over.is_set():
            code, out, err = team.ask(server % SERVERS, project, "push", path, "--name", name, "--json")
            if code == 0:
                push.acknowledged(json.loads(out)["pushes"][0]["run"]["id"], time.monotonic())
                break
            if status_of(out, err) not in AGAIN:
                history.unexpected.append(f"push {name}: {status_of(out, err)}")
            history.refused.append(time.monotonic())
            server += 1
            time.sleep(RETRY_S)
        shutil.rmtree(path)


def listed(team, server, project):
    """(begin, end, {name: run}) of a project; a status in place of the last one where the call failed."""
    begin = time.monotonic()
    code, out, err = team.ask(server, project, "list", "--json", "--limit", str(PAGE))
    end = time.monotonic()
    if code:
        return begin, end, status_of(out, err)
    answer = json.loads(out)
    if answer["next_page"]:
        raise SystemExit(f"rehearsal: more than {PAGE} runs in a project; fewer seconds, please")
    return begin, end, {row["name"]: row["id"] for row in answer["rows"]}


def read_on(history, team, seed):
    """One reader: the page that a user sees, timed, and a whole project, for the checker."""
    chance = random.Random(seed)
    while not history.over.is_set():
        project, server = chance.choice(history.projects()), chance.randrange(SERVERS)
        begin = time.monotonic()
        code, out, err = team.ask(server, project, "list", "--json", "--limit", "20")
        if code and status_of(out, err) not in AGAIN:
            history.unexpected.append(f"list: {status_of(out, err)}")
        history.lists.append((begin, None if code else time.monotonic() - begin))
        begin, end, names = listed(team, server, project)
        if isinstance(names, dict):
            history.reads[project].append(Read(begin, end, names))
        elif names not in AGAIN:
            history.unexpected.append(f"list: {names}")
        history.over.wait(0.05)


def turns(team, postgres, s3):
    """(what, how it is killed, how it comes back), again and again."""

    def again(i):
        team.start(i)
        team.until_ready(i)

    i = 0
    while True:
        yield f"server {i % SERVERS + 1} is away", lambda i=i: team.kill(i % SERVERS), lambda i=i: again(i % SERVERS)
        yield "the database is away", postgres.kill, postgres.start
        yield "the gateway is away", s3.kill, s3.start
        if "the store" in s3.parts:
            yield "Ceph's store is away", lambda: s3.kill_daemon("osd"), lambda: s3.begin("osd")
        i += 1


def disturb(seconds, away_s, next_turn):
    """Lets time pass, and kills; returns [(what, begin, end)]. Between two turns things have as long to be well as they were away."""
    phases, start = [], time.monotonic()

    def wait(what, length):
        begin = time.monotonic()
        time.sleep(length)
        phases.append((what, begin, time.monotonic()))

    wait("before", seconds / 6)
    while time.monotonic() - start + 2 * away_s < seconds * 5 / 6:
        what, kill, again = next(next_turn)
        begin = time.monotonic()
        kill()
        time.sleep(away_s)
        again()
        phases.append((what, begin, time.monotonic()))
        wait("between", away_s)
    wait("after", max(seconds / 6, seconds - (time.monotonic() - start)))
    return phases


def percentile(values, share):
    ordered = sorted(values)
    return f"{ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000:8.0f}" if ordered else f"{'-':>8}"


def table(history, phases):
    kinds = list(
        dict.fromkeys(
            "a server is away" if w.startswith("server") else w for w, _, _ in phases if w not in ("before", "after", "between")
        )
    )
    print(f"{'':22} {'times':>5} {'seconds':>8} {'pushes':>7} {'again':>6} {'lists':>6} {'p50 ms':>8} {'p99 ms':>8} {'again':>6}")
    for kind in ("before", *kinds, "between", "after"):
        spans = [(b, e) for w, b, e in phases if w == kind or (kind == "a server is away" and w.startswith("server"))]

        def inside(t, spans=spans):
            return any(b <= t < e for b, e in spans)

        pushed = sum(inside(p.end) for ps in history.pushes.values() for p in ps)
        lists = [s for t, s in history.lists if inside(t)]
        took = [s for s in lists if s is not None]
        print(
            f"{kind:22} {len(spans):5} {sum(e - b for b, e in spans):8.1f} {pushed:7} {sum(map(inside, history.refused)):6} {len(took):6} "
            f"{percentile(took, 0.5)} {percentile(took, 0.99)} {len(lists) - len(took):6}"
        )


def judge(history, team):
    """What is wrong, in sentences."""
    wrong = list(dict.fromkeys(history.unexpected))
    for project, pushes in history.pushes.items():
        for server in range(SERVERS):  # the last lists of all: each acknowledged run is in them
            begin, end, names = listed(team, server, project)
            if not isinstance(names, dict):
                wrong.append(f"server {server + 1} does not list {project} at the end: {names}")
            else:
                history.reads[project].append(Read(begin, end, names))
        wrong += violations(pushes, history.reads[project])
    return wrong


def verify(team):
    """What verify finds, as sentences. It reads the whole bucket, and where that was slow for once it says that it may be asked again."""
    until = time.monotonic() + VERIFY_S
    while True:
        code, out, err = team.ask(SERVERS - 1, "fault", "verify")
        if code == 0 and "all sound" in out:
            return []
        if "may be asked again" not in err or time.monotonic() > until:
            return [f"verify: {out}{err}"]


def rehearse(words, work, postgres, s3):
    os.environ.update(AWS_ACCESS_KEY_ID=ceph.KEY, AWS_SECRET_ACCESS_KEY=SECRET)
    postgres.sql("CREATE DATABASE tscope", "postgres")
    own = tempfile.mkdtemp(dir=work)
    team = Team(
        words.build,
        lambda i: (
            "cluster:"
            + postgres.conf(f"c{i}.conf", more=f"bucket = {s3.url()}\ncache = {own}/cache{i}\ncache_mib = 64\nbundle_mib = 1\n")
        ),
        own,
    )
    try:
        projects = [f"p{i}" for i in range(max(1, words.pushers // 4))]
        history = History(projects)
        threads = [
            threading.Thread(target=push_on, args=(history, team, i, projects[i % len(projects)], own)) for i in range(words.pushers)
        ]
        threads += [threading.Thread(target=read_on, args=(history, team, i)) for i in range(READERS)]
        for t in threads:
            t.start()
        try:
            phases = disturb(words.seconds, max(1.5, min(5.0, words.seconds / 12)), turns(team, postgres, s3))
        finally:
            history.over.set()
            for t in threads:
                t.join()
        table(history, phases)
        wrong = judge(history, team)
        acked = sum(p.run is not None for ps in history.pushes.values() for p in ps)
        lost = sum(len(ps) for ps in history.pushes.values()) - acked
        lists, names = sum(map(len, history.reads.values())), sum(len(r.names) for rs in history.reads.values() for r in rs)
        print(
            f"{acked} pushes acknowledged, {lost} without an answer at the end; {lists} lists with {names} names held against them: "
            f"{len(wrong)} violations",
            flush=True,
        )
        unsound = verify(team)
        print(f"verify: {'not sound' if unsound else 'all sound'}")
        wrong += unsound
        for sentence in wrong[:20]:
            print("  " + sentence)
        return 1 if wrong or not acked else 0
    finally:
        team.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--pushers", type=int, default=64)
    parser.add_argument("--s3", choices=("ceph", "stand-in"), default="ceph" if ceph.find() else "stand-in")
    words = parser.parse_args()
    words.build = os.path.abspath(words.build)
    programs = find()
    missing = ceph.missing(programs, words.s3 == "ceph")
    if missing:
        print(f"rehearsal: skipped: {missing}")
        return 77
    work = folder()
    postgres, s3 = Postgres(programs, work), None
    disk = tempfile.mkdtemp(prefix="tscope-rehearsal-") if words.s3 == "ceph" else work
    try:
        s3 = ceph.Ceph(disk) if words.s3 == "ceph" else StandIn(work)
        print(
            f"{SERVERS} servers, PostgreSQL, {'Ceph 16 (radosgw)' if words.s3 == 'ceph' else 'a server of S3 for tests'}, {words.pushers} pushers, {READERS} readers, "
            f"{words.seconds:.0f} s on {os.cpu_count()} processors; a list includes the start of tscope",
            flush=True,
        )
        return rehearse(words, work, postgres, s3)
    finally:
        if s3:
            s3.end()
        postgres.kill()
        shutil.rmtree(work, ignore_errors=True)
        shutil.rmtree(disk, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
