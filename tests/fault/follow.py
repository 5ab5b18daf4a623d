#!/usr/bin/env python3
"""follow.py BUILD [KILLS]: a server follows another one, while clients push, note and remove there and either is killed with -9. After each
kill the follower has, within a minute, every name, log and note of the leader, and nothing else; it refuses writes with the leader's name."""
import json
import os
import random
import shutil
import socket as sockets
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import Pushers, Server, names_of  # noqa: E402

WITHIN = 60


def expect(condition, what):
    if not condition:
        sys.exit(f"follow.py: {what}")


class Follower:
    def __init__(self, build, work, leader):
        self.build, self.socket, self.store = build, os.path.join(work, "f"), os.path.join(work, "follower")
        self.env = {**os.environ, "TSCOPE_SERVER": f"unix:{self.socket}", "TSCOPE_PROJECT": "fault"}
        self.log = open(os.path.join(work, "follower.log"), "a", encoding="utf-8")
        with sockets.create_server(("127.0.0.1", 0)) as free:
            self.port = str(free.getsockname()[1])
        self.words = [os.path.join(build, "tscoped"), "--socket", self.socket, "--store", self.store, "--follow", f"unix:{leader}", "--follow-interval", "1",
                      "--metrics-port", self.port]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.words, stderr=self.log)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.start()

    def tscope(self, *words):
        return subprocess.run([os.path.join(self.build, "tscope"), *words], env=self.env, capture_output=True, text=True)

    def behind(self):
        # what only a server that follows another one tells (docs/metrics.md)
        page = urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=5).read().decode()
        for name in ("tscoped_follow_records_total", "tscoped_follow_failures_total"):
            expect(f"\n{name} " in page, f"{name} is missing")
        return next((float(line.split()[1]) for line in page.split("\n") if line.startswith("tscoped_follow_behind_seconds ")), None)


def everything(tscope):
    """The names, and of the newest and the oldest their logs and notes."""
    names = names_of(tscope)
    seen = {"names": names, "removed": json.loads(tscope("restore", "--json").stdout)}
    for name in (*sorted(names)[:3], *sorted(names)[-3:]):
        seen[name] = json.loads(tscope("log", name.split("/")[1], "--notes", "--json").stdout)
    return seen


def catches_up(leader, follower, what):
    """Nobody writes meanwhile. Returns how long it took."""
    began, wanted, got = time.monotonic(), everything(leader.tscope), None
    while time.monotonic() - began < WITHIN:
        try:
            got = everything(follower.tscope)
        except (RuntimeError, json.JSONDecodeError, OSError):
            got = None  # it is being started
        if got == wanted:
            return time.monotonic() - began
        time.sleep(0.2)
    sys.exit(f"follow.py: {what}: after {WITHIN} s the follower has {len(got['names']) if got else 'no'} of {len(wanted['names'])} names")


def main():
    build, kills = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 6
    work = tempfile.mkdtemp(prefix="tscope-follow-")
    rng, acked, slowest, number = random.Random(7), {}, 0.0, 0
    store, socket = os.path.join(work, "leader"), os.path.join(work, "l")
    leader = Server(build, store, socket)
    follower = Follower(build, work, socket)
    try:
        for n in range(kills):
            pushers = Pushers(leader, work, number, 2, lambda _, name, run: acked.__setitem__(name, run))
            time.sleep(rng.uniform(0.2, 1.5))
            if n % 2:
                follower.kill()
            else:
                leader.process.kill()
                leader.process.wait()
            time.sleep(rng.uniform(0, 0.5))
            pushers.stop()
            number = pushers.next
            if n % 2 == 0:
                leader = Server(build, store, socket)
            if acked and n:
                gone = rng.choice(sorted(acked))
                expect(leader.tscope("note", gone.split("/")[1], f"tried={n}").returncode == 0, "note")
                expect(leader.tscope("rm", gone.split("/")[1]).returncode == 0, "rm")
                acked.pop(gone)
            slowest = max(slowest, catches_up(leader, follower, f"kill {n}"))
            expect(acked.items() <= names_of(follower.tscope).items(), f"kill {n}: the follower lacks what was acknowledged")
        refused = follower.tscope("tag", next(iter(acked)).split("/")[1], "t")
        expect(refused.returncode == 2 and f"this server follows unix:{socket} and is only read; write there" in refused.stderr, refused.stderr)
        status = json.loads(follower.tscope("whoami", "--json").stdout)
        expect(status["leader"] == f"unix:{socket}" and status["held"], status)
        expect(0 <= follower.behind() < WITHIN, f"it is said to be {follower.behind()} s behind")
        expect(follower.tscope("verify").returncode == 0, "the follower's store is damaged")
        # It takes the leader's place: the same store, without --follow.
        follower.process.terminate()
        follower.process.wait()
        names = names_of(leader.tscope)
        follower = Server(build, follower.store, os.path.join(work, "new"))
        expect(names_of(follower.tscope) == names, "what took the leader's place has other names")
        expect(follower.tscope("tag", next(iter(acked)).split("/")[1], "t").returncode == 0, "what took the leader's place is not written")
        print(f"{kills} kills, {len(acked)} runs: all on the follower, {slowest:.1f} s after the last write at most; refused, verified, took the leader's place")
    finally:
        for process in (leader.process, follower.process):
            process.terminate()
            process.wait()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
