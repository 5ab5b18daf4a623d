#!/usr/bin/env python3
"""standby.py BUILD: two servers share one store in a PostgreSQL that is synchronous with a replica, and clients push to both. The database is killed with -9 and does not
come back; the replica takes its place. The servers, which are told of both hosts, find it by themselves: every run that was acknowledged before, meanwhile and after is
there for both, writes say that they may be tried again as long as there is no database, and verify finds nothing. Skipped where PostgreSQL's programs are not."""
import os
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "fault")]
from postgres import Postgres, Standby, find, folder  # noqa: E402
from programs import Pushers, Server, names_of  # noqa: E402

BUILD = sys.argv[1]
THREADS, LEAST, WAIT_S = 4, 6, 120


def expect(condition, what):
    if not condition:
        raise SystemExit(f"standby.py: {what}")


def wait_for(acked, n, what):
    """Until n runs more were acknowledged."""
    n, until = n + len(acked), time.monotonic() + WAIT_S
    while len(acked) < n:
        expect(time.monotonic() < until, f"{what}: {len(acked)} runs acknowledged after {WAIT_S} s, and {n} were to be")
        time.sleep(0.1)


def fail_over(primary, standby, servers, pushers, acked):
    """Returns how many were acknowledged before, and for how long nobody could write."""
    wait_for(acked, LEAST, "two servers before a database that is synchronous with a replica")
    primary.kill()
    began, before = time.monotonic(), len(acked)
    away = servers[1].tscope("list")
    expect(away.returncode != 0 and "may be asked again" in away.stderr, f"a server whose database is away says: {away.stderr}")
    standby.promote()
    wait_for(acked, 1, "after the replica took its place")
    until = time.monotonic() - began
    wait_for(acked, LEAST, "after the replica took its place")
    for p in pushers:
        p.stop()
    return before, until


def check(servers, acked):
    for server in servers:
        names = names_of(server.tscope)
        for name, run in acked.items():
            expect(names.get(name) == run, f"{name} was acknowledged as {run}, and a server has {names.get(name)}")
        verified = server.tscope("verify")
        expect(verified.returncode == 0 and "all sound" in verified.stdout, f"verify: {verified.stdout}{verified.stderr}")
        server.process.terminate()
        expect(server.process.wait() == 0, "a server does not end as it should")


def share(primary, standby, work):
    store = "cluster:" + primary.conf_of(f"{primary.work},{standby.work} target_session_attrs=read-write", "cluster.conf")
    servers, pushers, acked = [], [], {}
    try:
        servers = [Server(BUILD, store, os.path.join(work, f"s{i}")) for i in range(2)]
        pushers = [Pushers(server, work, 1000 * i, THREADS, lambda number, name, run: acked.__setitem__(name, run)) for i, server in enumerate(servers)]
        before, away_s = fail_over(primary, standby, servers, pushers, acked)
        check(servers, acked)
    except BaseException:
        for server in servers:  # pushers end when nobody answers
            server.process.kill()
        for p in pushers:
            p.stop()
        raise
    print(f"the database killed and its replica promoted: {before} runs acknowledged before and {len(acked) - before} after, the first of these {away_s:.1f} s later; "
          "all found by both servers; verify: all sound")


def main():
    programs = find()
    if not programs:
        print("standby.py: skipped: PostgreSQL's programs are not on this machine (Debian's package postgresql has them)")
        return 77
    work = folder()
    primary, standby = Postgres(programs, work), None
    try:
        primary.sql("CREATE DATABASE tscope", "postgres")
        standby = Standby(primary, os.path.join(work, "standby"))
        share(primary, standby, tempfile.mkdtemp(dir=work))
    finally:
        for postgres in filter(None, (standby, primary)):
            postgres.kill()
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
