#!/usr/bin/env python3
"""standby.py BUILD: two servers share one store in a PostgreSQL that is synchronous with a replica, and clients push to both. The replica is cut off, the database is
killed with -9 and does not come back; the replica takes its place. The servers, which are told of both hosts, find it by themselves: every run that was acknowledged
before, meanwhile and after is there for both, writes say that they may be tried again as long as there is no database, and verify finds nothing. The same once more without
waiting for the replica must lose runs that were acknowledged, else the first time shows nothing. Skipped where PostgreSQL's programs are not."""
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
THREADS, LEAST, WAIT_S, CUT_S = 4, 6, 120, 2


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
    """Returns how many were acknowledged before, how many of these beside a replica that was cut off, and for how long nobody could write."""
    wait_for(acked, LEAST, "two servers before a database that has a replica")
    standby.cut_off()
    cut = len(acked)
    if standby.synchronous:
        time.sleep(CUT_S)
    else:
        wait_for(acked, LEAST, "beside a replica that nobody waits for")
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
    return before, before - cut, until


def lost_of(server, acked):
    names = names_of(server.tscope)
    return [name for name, run in acked.items() if names.get(name) != run]


def check(servers, acked):
    for server in servers:
        lost = lost_of(server, acked)
        expect(not lost, f"{lost} were acknowledged, and a server has none or others")
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
        before, beside, away_s = fail_over(primary, standby, servers, pushers, acked)
        if not standby.synchronous:
            lost = lost_of(servers[0], acked)
            expect(lost, f"{beside} runs were acknowledged while the replica was cut off, and all are there")
            print(f"the same without waiting for the replica: {before} runs acknowledged before, and {len(lost)} of them lost")
            return
        check(servers, acked)
    finally:
        for server in servers:  # pushers end when nobody answers
            server.process.kill()
        for p in pushers:
            p.stop()
    print(f"the database killed and its replica promoted: {before} runs acknowledged before, {beside} of them while the replica was cut off, and {len(acked) - before} after, "
          f"the first of these {away_s:.1f} s later; all found by both servers; verify: all sound")  # fmt: skip


def fail_once(programs, synchronous):
    work = folder()
    primary, standby = Postgres(programs, work), None
    try:
        primary.sql("CREATE DATABASE tscope", "postgres")
        standby = Standby(primary, os.path.join(work, "standby"), synchronous)
        share(primary, standby, tempfile.mkdtemp(dir=work))
    finally:
        for postgres in filter(None, (standby, primary)):
            postgres.kill()
        shutil.rmtree(work, ignore_errors=True)


def main():
    programs = find()
    if not programs:
        print("standby.py: skipped: PostgreSQL's programs are not on this machine (Debian's package postgresql has them)")
        return 77
    for synchronous in (True, False):
        fail_once(programs, synchronous)
    return 0


if __name__ == "__main__":
    sys.exit(main())
