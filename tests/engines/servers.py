#!/usr/bin/env python3
"""servers.py BUILD: two servers share one store in PostgreSQL, while clients push to both; one of them is killed with -9, then the database, then all of its
connections are cut. Every run that was acknowledged by either is there for both, and verify finds nothing. One is stopped in the middle of a
write, while the other one writes: nothing of it comes late. The tables become those of a newer release beside one. A database does not say which
one it is, and verify reads all of it. Then what a server refuses to start on: one sentence each, and the database is as it was. Skipped where
PostgreSQL's programs are not."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fault"))
from postgres import Postgres, find, folder  # noqa: E402
from programs import Pushers, Server, names_of, write_run  # noqa: E402

BUILD = sys.argv[1]
PAUSE_WAIT_S, FENCE_WAIT_S = 60, 180


def expect(condition, what):
    if not condition:
        raise SystemExit(f"servers.py: {what}")


def found_by_all(servers, acked):
    """Everything that was acknowledged is there for each server, and verify finds nothing; then they end."""
    for server in servers:
        names = names_of(server.tscope)
        for name, run in acked.items():
            expect(names.get(name) == run, f"{name} was acknowledged as {run}, and a server has {names.get(name)}")
        verified = server.tscope("verify")
        expect(verified.returncode == 0 and "all sound" in verified.stdout, f"verify: {verified.stdout}{verified.stderr}")
    for server in servers:
        server.process.terminate()
        expect(server.process.wait() == 0, "a server does not end as it should")


def share(postgres, work):
    """Pushes to both servers, whatever ends meanwhile."""
    store = "cluster:" + postgres.conf("cluster.conf")
    sockets = [os.path.join(work, f"s{i}") for i in range(2)]
    servers = [Server(BUILD, store, s) for s in sockets]
    acked = {}
    pushers = [Pushers(server, work, 1000 * i, 2, lambda number, name, run: acked.__setitem__(name, run)) for i, server in enumerate(servers)]
    time.sleep(3)
    servers[0].process.kill()
    servers[0].process.wait()
    os.unlink(sockets[0]) if os.path.exists(sockets[0]) else None
    servers[0] = Server(BUILD, store, sockets[0])
    time.sleep(1)
    postgres.kill()
    time.sleep(0.5)
    away = servers[1].tscope("list")
    postgres.start()
    time.sleep(1)
    postgres.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tscoped'")
    time.sleep(2)
    for p in pushers:
        p.stop()
    expect(away.returncode != 0 and "may be asked again" in away.stderr, f"a server whose database is away says: {away.stderr}")
    expect(len(acked) >= 4, f"only {len(acked)} runs were pushed")
    found_by_all(servers, acked)
    print(f"two servers, one killed, the database killed and cut off: {len(acked)} runs acknowledged, all found by both; verify: all sound")


def holder(postgres):
    """The client's process that holds the lock of all writes, by what its connection is called; empty: nobody does now."""
    return postgres.sql("SELECT a.pid FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory' AND l.granted "
                        "AND a.state = 'idle in transaction'").strip()


def pause_in_a_write(server, postgres):
    """Stops a server while it holds the lock of all writes; None: it was never caught there."""
    until = time.monotonic() + PAUSE_WAIT_S
    while time.monotonic() < until:
        os.kill(server.process.pid, signal.SIGSTOP)
        time.sleep(0.02)  # what it has sent is done by then
        pid = holder(postgres)
        if pid:
            return pid
        os.kill(server.process.pid, signal.SIGCONT)
        time.sleep(0.003)
    return None


def write_beside(servers, postgres, work):
    """Stops the first server in a write until the second one has pushed; returns the run of that push."""
    held = pause_in_a_write(servers[0], postgres)
    expect(held, "a server was never caught in a write")
    run, until = None, time.monotonic() + FENCE_WAIT_S
    write_run(os.path.join(work, "beside"), 4999)
    while run is None and time.monotonic() < until:
        run = servers[1].push(os.path.join(work, "beside"), "beside")
    expect(run, "a server that stands still keeps all others from writing")
    expect(holder(postgres) != held, "the connection of a server that stands still keeps the lock")
    os.kill(servers[0].process.pid, signal.SIGCONT)
    return run


def fence(postgres, work):
    """A server stands still in the middle of a write for longer than the database waits for it. Another one writes meanwhile, and what the
    first one had begun is not written when it goes on."""
    store = "cluster:" + postgres.conf("fence.conf")
    servers = [Server(BUILD, store, os.path.join(work, f"f{i}")) for i in range(2)]
    acked = {}
    pushers = Pushers(servers[0], work, 5000, 3, lambda number, name, run: acked.__setitem__(name, run))
    try:
        run = write_beside(servers, postgres, work)
        before, until = len(acked), time.monotonic() + FENCE_WAIT_S
        while len(acked) < before + 2 and time.monotonic() < until:
            time.sleep(0.1)
        pushers.stop()
    except BaseException:
        for server in servers:  # pushers end when nobody answers
            server.process.kill()
        pushers.stop()
        raise
    expect(len(acked) >= before + 2, "a server that stood still does not write again")
    acked["fault/beside"] = run
    found_by_all(servers, acked)
    print(f"a server stopped while it wrote: another one wrote, and nothing came late; {len(acked)} runs acknowledged, all found; verify: all sound")


# What a newer release does to the tables when its first server starts, played by hand: no release has had other tables yet. What it adds has a
# default, so that servers which do not know it can go on writing.
MIGRATES = """BEGIN;
SELECT pg_advisory_xact_lock(128038938308709);
ALTER TABLE tscope.record ADD COLUMN since timestamptz NOT NULL DEFAULT now();
CREATE TABLE tscope.later (x int);
UPDATE tscope.about SET value = '2' WHERE key = 'schema';
COMMIT;"""


def beside_newer(postgres, work):
    """Tables get what a newer release needs while an older server is pushed to: it goes on, another one of that release may start, and all is there
    for both. Once the tables say that they need the newer one, none of the older release starts."""
    postgres.sql("CREATE DATABASE newer", "postgres")
    store = "cluster:" + postgres.conf("newer.conf", "newer")
    servers, acked = [Server(BUILD, store, os.path.join(work, "n0"))], {}
    pushers = Pushers(servers[0], work, 7000, 2, lambda number, name, run: acked.__setitem__(name, run))
    try:
        for migrates in (False, True):
            before, until = len(acked), time.monotonic() + PAUSE_WAIT_S
            if migrates:
                postgres.sql(MIGRATES, "newer")
                servers.append(Server(BUILD, store, os.path.join(work, "n1")))
            while len(acked) < before + 4:
                expect(time.monotonic() < until, f"{len(acked) - before} pushes {'beside newer tables' if migrates else 'before'} in {PAUSE_WAIT_S} s")
                time.sleep(0.1)
    finally:
        if len(servers) < 2:
            servers[0].process.kill()  # pushers end when nobody answers
        pushers.stop()
    found_by_all(servers, acked)
    postgres.sql("UPDATE tscope.about SET value = '2' WHERE key = 'needs'", "newer")
    said = refused(store)
    expect("schema 2" in said and "update this server" in said, f"tables that need a newer server: {said}")
    print(f"tables of a newer release beside an older server: {len(acked)} runs acknowledged, all found, also by one that started later; verify: all sound")


def untold(postgres, work):
    """A database that somebody else runs may not say which one it is: verify --new reads all of it then, as of a copy, and says nothing else."""
    postgres.sql("CREATE ROLE plain LOGIN", "postgres")
    postgres.sql("CREATE DATABASE untold OWNER plain", "postgres")
    with open(os.path.join(work, "untold.conf"), "w", encoding="utf-8") as f:
        f.write(f"postgresql = host={postgres.work} dbname=untold user=plain\n")
    server = Server(BUILD, "cluster:" + f.name, os.path.join(work, "u"))
    run = os.path.join(work, "run")
    write_run(run, 1, 20)
    expect(server.tscope("push", run).returncode == 0, "a push")
    for tells in (True, False):
        if not tells:
            postgres.sql("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC", "untold")
        whole, new = server.tscope("verify"), server.tscope("verify", "--new")
        expect(whole.returncode == new.returncode == 0, f"verify: {whole.stderr}{new.stderr}")
        expect(("were not read" in new.stdout) == tells, f"verify --new where the database tells {'which it is' if tells else 'nothing'}: {new.stdout}")
    server.process.terminate()
    expect(server.process.wait() == 0, "a server does not end as it should")
    print("a database that does not say which one it is: verify --new reads all of it")


def refused(store, *words):
    """What a server says that does not start."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([os.path.join(BUILD, "tscoped"), "--socket", os.path.join(folder, "s"), "--store", store, *words],
                              capture_output=True, text=True, timeout=120)
    expect(done.returncode != 0, f"a server starts on {store}")
    return done.stderr


def refuse(postgres, work):
    holds = "SELECT count(*) || ' ' || coalesce(sum(hashtextextended(r::text, 0)), 0) FROM tscope.record r"
    before = postgres.sql(holds)
    postgres.sql("CREATE DATABASE other")
    postgres.sql("CREATE TABLE accounts (x int)", "other")
    postgres.sql("CREATE DATABASE empty")
    secret = postgres.conf("secret.conf", more="")
    with open(secret, "w", encoding="utf-8") as f:
        f.write("postgresql = host=/nowhere password=xyzzy plugh\n")
    os.chmod(secret, 0o644)
    said = refused("cluster:" + secret)
    expect("chmod 600" in said and "xyzzy" not in said, f"a password that others may read: {said}")
    with open(postgres.conf("uri.conf"), "w", encoding="utf-8") as f:
        f.write("postgresql = postgresql://tscope:xyzzy@/nowhere\n")
    os.chmod(f.name, 0o644)
    said = refused("cluster:" + f.name)
    expect("chmod 600" in said and "xyzzy" not in said, f"a password in a URI that others may read: {said}")
    os.chmod(secret, 0o600)
    said = refused("cluster:" + secret)
    expect("no connection as PostgreSQL has them" in said and "xyzzy" not in said and "plugh" not in said, f"a connection that is none: {said}")
    good = "cluster:" + postgres.conf("cluster.conf")
    for store, word in (("cluster:" + postgres.conf("key.conf", more="pail = x\n"), "no setting 'pail'"),
                        ("cluster:" + os.path.join(work, "absent"), "No such file"),
                        ("cluster:" + postgres.conf("other.conf", "other"), "public.accounts, which is not tscope's"),
                        ("cluster:" + postgres.conf("none.conf", "none"), "cannot be reached")):
        said = refused(store)
        expect(word in said and said.count("\n") == 1, f"{store}: {said}")
        expect(said.count("cluster:") <= 1, f"the file of a cluster is named twice: {said}")
    said = refused("cluster:" + postgres.conf("empty.conf", "empty"), "--read-only")
    expect("a read-only server makes no store in it" in said, f"an empty database: {said}")
    said = refused(good, "--backup", os.path.join(work, "backup"))
    expect("pg_dump" in said and not os.path.exists(os.path.join(work, "backup")), f"a backup: {said}")
    said = refused(good, "--follow", "unix:/nowhere")
    expect("leave follow out" in said, f"following: {said}")
    postgres.sql("UPDATE tscope.about SET value = '9' WHERE key IN ('schema', 'needs')")
    said = refused(good)
    expect("schema 9" in said and "update this server" in said, f"a newer schema: {said}")
    postgres.sql("UPDATE tscope.about SET value = '1' WHERE key IN ('schema', 'needs')")
    postgres.sql("ALTER DATABASE tscope SET synchronous_commit = off")
    said = refused(good)
    expect("loses what it acknowledged" in said, f"a database that does not sync: {said}")
    postgres.sql("ALTER DATABASE tscope RESET synchronous_commit")
    expect(postgres.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'tscope'", "other").strip() == "0", "a foreign database got tables")
    expect(postgres.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'tscope'", "empty").strip() == "0", "a read-only server made tables")
    expect(postgres.sql(holds) == before, "a server that refused to start changed the store")
    postgres.sql("CREATE DATABASE watched")
    postgres.sql("CREATE EXTENSION pg_stat_statements", "watched")
    checked = subprocess.run([os.path.join(BUILD, "tscoped"), "--check", "--socket", os.path.join(work, "w"), "--store",
                              "cluster:" + postgres.conf("watched.conf", "watched")], capture_output=True, text=True, timeout=120)
    expect("has an empty database" in checked.stdout and "which is not tscope" not in checked.stdout, f"views of an extension: {checked.stdout}")
    print("twelve stores refused in one sentence each, and nothing changed")


def main():
    programs = find()
    if not programs:
        print("servers.py: skipped: PostgreSQL's programs are not on this machine (Debian's package postgresql has them)")
        return 77
    work = folder()
    postgres = Postgres(programs, work)
    try:
        postgres.sql("CREATE DATABASE tscope", "postgres")
        share(postgres, tempfile.mkdtemp(dir=work))
        fence(postgres, tempfile.mkdtemp(dir=work))
        beside_newer(postgres, tempfile.mkdtemp(dir=work))
        untold(postgres, tempfile.mkdtemp(dir=work))
        refuse(postgres, work)
    finally:
        postgres.kill()
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
