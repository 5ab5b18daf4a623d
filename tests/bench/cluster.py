#!/usr/bin/env python3
"""cluster.py BUILD [RUNS [NAMES]]: a store in PostgreSQL on this machine, and one with packs in a bucket of S3 (a server for tests on this
machine), beside LMDB, in one run: pushes a second of some clients through one, two and four servers, a list, a diff, an analysis, cold
and warm, transactions of the database and bytes of its log for each push, and what 1,000 pushes ask of S3. Then a trend, a list and a matrix over many
runs, with one, two and four servers that are members of each other, and lists over NAMES runs (100,000; 0: none), cold and warm. All lies in memory where
that can be, so that this is the cost of the way and not of the disk. Skipped where PostgreSQL's programs are not."""
import os
import shutil
import subprocess
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
NAMES = int(sys.argv[3]) if len(sys.argv) > 3 else 100_000
CLIENTS, ASKED, SERVERS = 8, 11, (1, 2, 4)
SHARED = 600  # runs of a branch, for what servers share
LISTS = (
    ("a page, the newest", "list", "--all-projects"),
    ("a part of names as filter", "list", "--all-projects", "run-0000"),
    ("a metric as filter", "list", "--all-projects", "val_acc.best>0.9"),
    ("sorted by a metric", "list", "--all-projects", "--sort", "-val_acc.best"),
)


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


def one(server, *words):
    """Milliseconds of one call that nobody made before: the server reads what it needs from the store."""
    began = time.monotonic()
    if server.tscope(*words).returncode not in (0, 1, 3):
        raise RuntimeError("a call fails")
    return (time.monotonic() - began) * 1000


def measure(what, work, store_of, n_servers, runs, database=None, bucket=None):
    """Prints a row: store_of(i) is the store of server i; database(): transactions and bytes of the log so far, or None."""
    tag = what.split()[-1]
    servers = [Server(BUILD, store_of(i), os.path.join(work, f"{tag}{n_servers}-{i}")) for i in range(n_servers)]
    before = database() if database else None
    begun = bucket.ask("counts") if bucket else None
    seconds = push_all(servers, runs)
    if database:
        time.sleep(1.5)  # until the database has counted
    each = [(now - then) / len(runs) for now, then in zip(database(), before)] if database else None
    for s in servers:  # the next ones have read nothing yet
        s.process.terminate()
        s.process.wait()
    servers = [Server(BUILD, store_of(i), os.path.join(work, f"{tag}{n_servers}-{i}")) for i in range(n_servers)]
    cold = one(servers[-1], "diff", "run0", "run1")
    times = [asked(servers[0], "list", "--limit", "20"), asked(servers[-1], "diff", "run0", "run1"), asked(servers[-1], "analyze", "run0")]
    for s in servers:
        s.process.terminate()
        s.process.wait()
    tail = f"{each[0]:8.1f} {each[1] / 1024:8.1f}" if each else f"{'-':>8} {'-':>8}"
    print(f"{what:12} {n_servers:7} {len(runs) / seconds:8.1f} {times[0]:8.1f} {cold:8.1f} {times[1]:8.1f} {times[2]:8.1f} {tail}", flush=True)
    if bucket:
        counts = {name: (n - begun[name]) * 1000 / len(runs) for name, n in bucket.ask("counts").items()}
        print(f"{'':12} {'':7} S3, of 1,000 such pushes: {counts['PUT']:.0f} PUT with {counts['in'] / 1e6:.1f} MB, {counts['GET']:.0f} GET with "
              f"{counts['out'] / 1e6:.1f} MB, {counts['HEAD'] + counts['DELETE']:.0f} others; a bundle has 1 MiB or more here")  # fmt: skip


def in_database(postgres, work, runs, n, bucket):
    name = f"{'packs' if bucket else 'rows'}{n}"
    postgres.sql(f"CREATE DATABASE {name}", "postgres")

    def store_of(i):
        more = f"bucket = {bucket.url('packs/' + name)}\ncache = {work}/cache-{name}-{i}\nbundle_mib = 1\n" if bucket else ""
        return "cluster:" + postgres.conf(f"{name}-{i}.conf", name, more)

    def counted():
        return [int(postgres.sql(f"SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = '{name}'", "postgres")),
                int(postgres.sql("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')", "postgres"))]  # fmt: skip

    measure("and S3" if bucket else "PostgreSQL", work, store_of, n, runs, counted, bucket)


def cpu_of(server):
    """Seconds of CPU of a server so far."""
    with open(f"/proc/{server.process.pid}/stat", encoding="utf-8") as f:
        words = f.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def ask_cold(servers, words):
    """Milliseconds of a call that nobody made before, of the same call once more, and the CPU of each server for the first."""
    before = [cpu_of(s) for s in servers]
    cold = one(servers[0], *words)
    spent = [cpu_of(s) - then for s, then in zip(servers, before)]
    return cold, one(servers[0], *words), spent


def share(postgres, bucket, work):
    """Prints how long questions about many runs take when more servers are members of each other. What servers have cached is lost between."""
    postgres.sql("CREATE DATABASE shared", "postgres")
    more = f"bucket = {bucket.url('packs/shared')}\ncache = {work}/cache-shared-%d\nbundle_mib = 1\n"

    def begin(n, name):
        sockets = [os.path.join(work, f"{name}{n}-{i}") for i in range(n)]
        members = ",".join(f"unix:{s}" for s in sockets) if n > 1 else ""
        return [Server(BUILD, "cluster:" + postgres.conf(f"shared-{i}.conf", "shared", more % i), s, {"TSCOPED_MEMBERS": members})
                for i, s in enumerate(sockets)]  # fmt: skip

    def end(servers):
        for i, s in enumerate(servers):
            s.process.kill()
            s.process.wait()
            shutil.rmtree(f"{work}/cache-shared-{i}", ignore_errors=True)

    servers = begin(1, "push")
    for at in range(0, SHARED, 100):
        folders = [os.path.join(work, "shared", f"s{i}") for i in range(at, at + 100)]
        for i, run in enumerate(folders):
            write_run(run, at + i, 300)
        if servers[0].tscope("push", *folders, "--branch", "main").returncode:
            raise RuntimeError("a push fails")
    time.sleep(3)  # until packs have moved to the bucket
    end(servers)
    questions = {f"trend of {SHARED}": ["trend", "main", "--json"], f"list of {SHARED}, a fact": ["list", "--json", "--columns", "name,config.number", "--limit", str(SHARED)],
                 "matrix of 256": ["diff", *(f"s{i}" for i in range(256)), "--json"]}  # fmt: skip
    print(f"\nmembers, with PostgreSQL and S3 (on {os.cpu_count()} processors the CPU of each server is what shows the split)")
    print(f"{'question':22} {'servers':>7} {'cold ms':>8} {'warm ms':>8}  CPU s of each server, cold")
    for question, words in questions.items():
        for n in SERVERS:
            servers = begin(n, question.split()[0])
            cold, warm, spent = ask_cold(servers, words)
            end(servers)
            print(f"{question:22} {n:7} {cold:8.0f} {warm:8.0f}  {' '.join(f'{s:.2f}' for s in spent)}", flush=True)


def lists_of(what, store, work):
    """Prints of each list the first call of a server that has just started, and the median of those that follow, in ms."""
    for name, *words in LISTS:
        server = Server(BUILD, store, os.path.join(work, "lists"))
        print(f"{what:12} {name:28} {one(server, *words):8.1f} {asked(server, *words):8.1f}", flush=True)
        server.process.terminate()
        server.process.wait()


def lists(postgres, work):
    """Lists over many names: a store is filled on disk, without a server, and moved into the database as its users do."""
    disk = os.path.join(work, "names")
    postgres.sql("CREATE DATABASE names", "postgres")
    store = "cluster:" + postgres.conf("names.conf", "names")
    began = time.monotonic()
    subprocess.run([os.path.join(BUILD, "bench_list"), disk, str(NAMES)], check=True, stdout=subprocess.DEVNULL)
    filled = time.monotonic()
    subprocess.run([os.path.join(BUILD, "tscoped"), "migrate", disk, store], check=True, stderr=subprocess.DEVNULL)
    print(f"\n{NAMES:,} runs, filled on disk in {filled - began:.0f} s and moved into PostgreSQL, with all verified, in {time.monotonic() - filled:.0f} s; milliseconds with the start of "
          "tscope; goal: < 50")  # fmt: skip
    print(f"{'store':12} {'list':28} {'cold':>8} {'warm':>8}")
    lists_of("LMDB", disk, work)
    lists_of("PostgreSQL", store, work)


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
    print(f"{RUNS} runs, {CLIENTS} clients, all on this machine with {os.cpu_count()} processors; milliseconds are medians of {ASKED} with the start of tscope, "
          "cold: the first diff of servers that have just started; WAL: of the database, for each push")  # fmt: skip
    print(f"{'store':12} {'servers':>7} {'pushes/s':>8} {'list ms':>8} {'cold ms':>8} {'diff ms':>8} {'analyze':>8} {'tx/push':>8} {'WAL KiB':>8}")
    try:
        own = tempfile.mkdtemp(dir=work)
        measure("LMDB", work, lambda i: own, 1, runs)
        for n in SERVERS:
            in_database(postgres, work, runs, n, None)
        bucket = Bucket()
        try:
            os.environ.update(AWS_ACCESS_KEY_ID="tester", AWS_SECRET_ACCESS_KEY=SECRET)
            for n in SERVERS:
                in_database(postgres, work, runs, n, bucket)
            share(postgres, bucket, work)
        finally:
            bucket.end()
        if NAMES:
            lists(postgres, work)
    finally:
        postgres.kill()
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
