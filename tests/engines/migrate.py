#!/usr/bin/env python3
"""migrate.py BUILD: a store on disk moves into PostgreSQL while clients push to it, and back onto a disk. `tscoped migrate` is killed with -9 on the way
and goes on where it was; afterwards every run that was acknowledged is in the copy, and verify finds nothing. Then what it refuses, and
that nothing was changed by that. Skipped where PostgreSQL's programs are not."""
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fault"))
from postgres import Postgres, find, folder  # noqa: E402
from programs import Pushers, Server, names_of  # noqa: E402

BUILD = sys.argv[1]
WAIT_S = 240


def expect(condition, what):
    if not condition:
        raise SystemExit(f"migrate.py: {what}")


def migrate(*words):
    return subprocess.run([os.path.join(BUILD, "tscoped"), "migrate", *words], capture_output=True, text=True, timeout=WAIT_S)


def killed(source, target, after_s):
    """Begins to copy, and kills that."""
    process = subprocess.Popen([os.path.join(BUILD, "tscoped"), "migrate", source, target], stderr=subprocess.DEVNULL)
    time.sleep(after_s)
    process.kill()
    return process.wait() != 0


def last_line(done):
    return dict(part.split("=", 1) for part in done.stderr.splitlines()[-1].split() if "=" in part)


def serve_and_look(store, socket, acked, push=False):
    """A server on a copy has all that was acknowledged, and nothing is damaged."""
    server = Server(BUILD, store, socket)
    names = names_of(server.tscope)
    for name, run in acked.items():
        expect(names.get(name) == run, f"{name} was acknowledged as {run}, and {store} has {names.get(name)}")
    verified = server.tscope("verify")
    expect(verified.returncode == 0 and "all sound" in verified.stdout, f"verify of {store}: {verified.stdout}{verified.stderr}")
    pushed = server.push(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../golden/demo/runs/base"), "own") if push else None
    server.process.terminate()
    expect(server.process.wait() == 0, "a server does not end as it should")
    return names, pushed


def main():
    programs = find()
    if not programs:
        print("migrate.py: skipped: PostgreSQL's programs are not on this machine (Debian's package postgresql has them)")
        return 77
    seed = random.randrange(1 << 30)
    rng = random.Random(seed)
    print(f"seed {seed}", flush=True)
    work = folder()
    postgres = Postgres(programs, work)
    try:
        postgres.sql("CREATE DATABASE tscope", "postgres")
        here = tempfile.mkdtemp(dir=work)
        disk, cluster, other = os.path.join(here, "disk"), "cluster:" + postgres.conf("cluster.conf"), os.path.join(here, "other")
        server, acked = Server(BUILD, disk, os.path.join(here, "s")), {}
        pushers = Pushers(server, here, 0, 2, lambda number, name, run: acked.__setitem__(name, run))
        time.sleep(2)
        kills = sum(killed(disk, cluster, rng.uniform(0.1, 2)) for _ in range(4))
        beside = migrate(disk, cluster)
        expect(beside.returncode == 0 or "is written to" in beside.stderr, f"beside pushes: {beside.stderr}")
        before = len(acked)
        until = time.monotonic() + WAIT_S
        while len(acked) < before + 3 and time.monotonic() < until:
            time.sleep(0.1)
        pushers.stop()
        server.process.terminate()
        expect(server.process.wait() == 0, "a server does not end as it should")
        done = migrate(disk, cluster)
        expect(done.returncode == 0 and last_line(done)["event"] == "migrated", f"the end of the move: {done.stderr}")
        again = migrate(disk, cluster)
        expect(again.returncode == 0 and last_line(again)["records"] == "0", f"a second time: {again.stderr}")
        names, own = serve_and_look(cluster, os.path.join(here, "c"), acked, push=True)
        print(f"disk to PostgreSQL: {len(acked)} runs acknowledged, {kills} times killed, all found; verify: all sound", flush=True)

        refused = ((disk, cluster, "holds what is not of that store"), (disk, disk, "both are one store"), (disk, "", "say from where"),
                   (os.path.join(here, "absent"), other, "absent"), (disk, "--now", "say from where"))
        for source, target, word in refused:
            said = migrate(*(w for w in (source, target) if w))
            expect(said.returncode == 2 and word in said.stderr and said.stderr.count("\n") == 1, f"migrate {source} {target}: {said.stderr}")
        postgres.sql("CREATE DATABASE served")
        served = "cluster:" + postgres.conf("served.conf", "served")
        server = Server(BUILD, served, os.path.join(here, "v"))
        said = migrate(disk, served)
        expect(said.returncode == 2 and "has been served" in said.stderr, f"into an empty store that is served: {said.stderr}")
        server.process.terminate()
        expect(server.process.wait() == 0, "a server does not end as it should")
        done = migrate(cluster, other)
        expect(done.returncode == 0, f"back onto a disk: {done.stderr}")
        third = migrate(disk, other)
        expect(third.returncode == 2 and "holds what is not of that store" in third.stderr, f"into a copy of another store: {third.stderr}")
        by_hand = os.path.join(here, "h")
        expect(migrate(disk, by_hand).returncode == 0, "onto another disk")
        wrote = subprocess.run([os.path.join(BUILD, "tscope"), "--store", by_hand, "note", next(iter(acked)), "why=tried"], capture_output=True, text=True)
        fourth = migrate(disk, by_hand)
        expect(wrote.returncode == 0 and fourth.returncode == 2 and "holds what is not of that store" in fourth.stderr,
               f"into a copy that was written to without a server: {wrote.stderr}{fourth.stderr}")
        there, _ = serve_and_look(other, os.path.join(here, "o"), {**names, "fault/own": own})
        expect(len(there) == len(names) + 1, f"{len(there)} names instead of {len(names) + 1}")
        print(f"PostgreSQL to disk: {len(there)} names, all found; verify: all sound; {len(refused) + 3} refused in a sentence each")
    finally:
        postgres.kill()
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
