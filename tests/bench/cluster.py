#!/usr/bin/env python3
"""cluster.py BUILD [RUNS]: a store in PostgreSQL on this machine beside LMDB, in one run: pushes a second of four clients through one server and through two, a
list, a diff, and transactions of the database for each push; and the same with packs in a bucket of S3 (a server for tests on this machine), with what 1,000 pushes
ask of it. All lies in memory where that can be, so that this is the cost of the way and not of the disk. Skipped where PostgreSQL's programs are not."""
import os
import shutil
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "engines"), os.path.join(HERE, "..", "fault")]
from postgres import Postgres, find, folder  # noqa: E402
from programs import Server, write_run  # noqa: E402
from s3 import SECRET, Bucket  # noqa: E402

BUILD = sys.argv[1]
RUNS = int(sys.argv[2]) if len(sys.argv) > 2 else 100
CLIENTS, ASKED = 4, 20


def push_all(servers, runs):
    """Pushes every run by one of the clients; returns the seconds that took."""
    waiting = list(enumerate(runs))
    lock = threading.Lock()

    def client():
        while True:
            with lock:
                if not waiting:
                    return
                number, run = waiting.pop()
            if not servers[number % len(servers)].push(run, f"run{number}"):
                raise RuntimeError("a push fails")

    began = time.monotonic()
    clients = [threading.Thread(target=client) for _ in range(CLIENTS)]
    for c in clients:
        c.start()
    for c in clients:
        c.join()
    return time.monotonic() - began


def asked(server, *words):
    """The median of some calls, in milliseconds, with the start of the client."""
    times = []
    for _ in range(ASKED):
        began = time.monotonic()
        done = server.tscope(*words)
        if done.returncode not in (0, 1):
            raise RuntimeError(done.stderr)
        times.append((time.monotonic() - began) * 1000)
    return sorted(times)[ASKED // 2]


def measure(what, work, store, n_servers, runs, transactions=None):
    servers = [Server(BUILD, store, os.path.join(work, f"{what.split()[0]}{n_servers}-{i}")) for i in range(n_servers)]
    before = transactions() if transactions else 0
    seconds = push_all(servers, runs)
    if transactions:
        time.sleep(1.5)  # until the database has counted
    each = f"{(transactions() - before) / len(runs):8.1f}" if transactions else f"{'-':>8}"
    times = asked(servers[0], "list", "--limit", "20"), asked(servers[-1], "diff", "run0", "run1")
    for s in servers:
        s.process.terminate()
        s.process.wait()
    print(f"{what:12} {n_servers:7} {len(runs) / seconds:8.1f} {times[0]:8.1f} {times[1]:8.1f} {each}", flush=True)


def main():
    programs = find()
    if not programs:
        print("cluster.py: skipped: PostgreSQL's programs are not on this machine (Debian's package postgresql has them)")
        return 77
    work = folder()
    postgres = Postgres(programs, work)
    runs = [os.path.join(work, "runs", str(i)) for i in range(RUNS)]
    for i, run in enumerate(runs):
        write_run(run, i)
    print(f"{RUNS} runs, {CLIENTS} clients, all on this machine; milliseconds are medians of {ASKED} with the start of tscope")
    print(f"{'store':12} {'servers':>7} {'pushes/s':>8} {'list ms':>8} {'diff ms':>8} {'transactions/push':>8}")
    try:
        measure("LMDB", work, tempfile.mkdtemp(dir=work), 1, runs)
        for n in (1, 2):
            postgres.sql(f"CREATE DATABASE tscope{n}", "postgres")
            count = f"SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'tscope{n}'"
            store = "cluster:" + postgres.conf(f"cluster{n}.conf", f"tscope{n}")
            measure("PostgreSQL", work, store, n, runs, lambda count=count: int(postgres.sql(count, "postgres")))
        bucket = Bucket()
        try:
            os.environ.update(AWS_ACCESS_KEY_ID="tester", AWS_SECRET_ACCESS_KEY=SECRET)
            postgres.sql("CREATE DATABASE tscope3", "postgres")
            store = "cluster:" + postgres.conf("cluster3.conf", "tscope3", f"bucket = {bucket.url()}\ncache = {work}/cache\nbundle_mib = 1\n")
            count = "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'tscope3'"
            begun = {}

            def transactions():
                if not begun:  # its server has started, and nobody has pushed
                    begun.update(bucket.ask("counts"))
                return int(postgres.sql(count, "postgres"))

            measure("and S3", work, store, 1, runs, transactions)
            counts = {name: (n - begun[name]) * 1000 / len(runs) for name, n in bucket.ask("counts").items()}
            print(f"S3, of 1,000 such pushes: {counts['PUT']:.0f} PUT with {counts['in'] / 1e6:.1f} MB, {counts['GET']:.0f} GET with {counts['out'] / 1e6:.1f} MB, "
                  f"{counts['HEAD'] + counts['DELETE']:.0f} others, where an object of the bucket has 1 MiB or more")
        finally:
            bucket.end()
    finally:
        postgres.kill()
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
