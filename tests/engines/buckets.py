#!/usr/bin/env python3
"""buckets.py BUILD: two servers share one store in PostgreSQL and S3 while clients push to both. The bucket answers one of ten requests with a failure, then none at
all, then stands still; a server is killed with -9, then the database. Every run that was acknowledged is there for both, and verify finds nothing; what the cache of a
server has is read while the bucket is away. Then a bundle is lost, of which a verify of what is new says that it was not read, and verify names the runs that it takes. A store gets a bucket while a server goes on that was told of none, which may write nothing more.
The disk of a cache is full, and all is read. Then what a server refuses
to start on: one sentence each, nothing changed, and no key in any line. Skipped where PostgreSQL's programs are not."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "fault")]
from postgres import Postgres, find, folder  # noqa: E402
from programs import Server, names_of, write_noise  # noqa: E402
from s3 import SECRET, Bucket  # noqa: E402

BUILD = sys.argv[1]
RUNS, STEPS, FULL_RUNS = 10, 4000, 4  # a run has half a MiB
READY_S = 120


def expect(condition, what):
    if not condition:
        raise SystemExit(f"buckets.py: {what}")


def wait_until(what, holds):
    until = time.monotonic() + READY_S
    while not holds():
        expect(time.monotonic() < until, f"{what} after {READY_S} s")
        time.sleep(0.2)



def verify_new(server):
    done = server.tscope("verify", "--new", "--json")
    expect(done.stdout, f"verify --new: {done.stderr}")
    return done.returncode, json.loads(done.stdout)


def lose(servers, bucket, run):
    """Loses a bundle that a verify of all has read. A later verify of what is new reads by either server what came since, and does not say of
    the rest that it is sound: it says when it was. Returns how many objects it read, and how many it did not."""
    wait_until("packs still move", lambda: verify_new(servers[0])[1]["object_count"] == 0)
    old, first = sorted(bucket.bundles())[0], verify_new(servers[0])[1]
    expect(first["unread_count"] > 0, f"where nothing is new: {first}")
    bucket.ask("lose?key=" + old)
    write_noise(run, RUNS, STEPS)
    expect(servers[1].push(run, "since"), "a push after a verify is not acknowledged")
    code, found = verify_new(servers[1])  # packs that came into a bundle meanwhile are read once more
    expect(code == 0 and found["unread_count"] > 0 and found["object_count"] + found["unread_count"] > first["unread_count"] and found["drift_count"] is None,
           f"what came since, beside a lost bundle that is old: {found}")
    expect(found["sound_at"] == first["sound_at"], f"the rest was read at {first['sound_at']}, and the answer says {found['sound_at']}")
    said = servers[1].tscope("verify", "--new").stdout
    expect("not read: sound when last read, at " in said, f"verify --new says: {said}")
    return found["object_count"], found["unread_count"]


begun = []  # of the servers; those that are left are killed at the end


def share(postgres, bucket, work):
    def store(i):
        return "cluster:" + postgres.conf(f"c{i}.conf", more=f"bucket = {bucket.url()}\ncache = {work}/cache{i}\ncache_mib = 64\nbundle_mib = 1\n")

    def begin(i):
        server = Server(BUILD, store(i), os.path.join(work, f"s{i}"))
        begun.append(server.process)
        return server

    servers, acked = [begin(0), begin(1)], {}

    def push(number):
        run = servers[number % 2].push(os.path.join(work, f"run{number}"), f"run{number}")
        if run:
            acked[f"run{number}"] = run

    for number in range(RUNS):
        write_noise(os.path.join(work, f"run{number}"), number, STEPS)
    bucket.ask("fault?kind=500,503,cut,deaf,half&share=0.1")
    for number in range(0, 4):
        push(number)
    wait_until("no bundle is there", bucket.bundles)
    expect(len(acked) == 4, f"of four pushes beside a bucket that fails at times, {len(acked)} were acknowledged")
    bucket.ask("fault?kind=503&times=1000000")  # away: a push may need of it what earlier runs have, too
    push(4)
    push(5)
    read = servers[0].tscope("diff", "run0", "run1", "--json")
    expect(read.returncode == 3, f"while the bucket is away, a run that a cache has is not read: {read.returncode} {read.stderr}")
    bucket.ask("fault?kind=503&times=0")
    servers[0].process.kill()
    servers[0].process.wait()
    if os.path.exists(os.path.join(work, "s0")):
        os.unlink(os.path.join(work, "s0"))
    servers[0] = begin(0)
    bucket.process.send_signal(signal.SIGSTOP)
    threading.Timer(3, bucket.process.send_signal, (signal.SIGCONT,)).start()
    push(6)
    push(7)
    postgres.kill()
    away = servers[1].tscope("list")
    expect(away.returncode != 0 and "may be asked again" in away.stderr, f"a server whose database is away says: {away.stderr}")
    postgres.start()
    for number in range(8, RUNS):
        push(number)
    expect(len(acked) >= RUNS - 4, f"only {len(acked)} runs were pushed")
    for server in servers:
        names = names_of(server.tscope)
        for name, run in acked.items():
            expect(names.get(f"fault/{name}", names.get(name)) == run, f"{name} was acknowledged as {run}; a server has {names}")
        verified = server.tscope("verify")
        expect(verified.returncode == 0 and "all sound" in verified.stdout, f"verify: {verified.stdout}{verified.stderr}")
    checked = subprocess.run([os.path.join(BUILD, "tscoped"), "--check", "--socket", os.path.join(work, "s9"), "--store", store(0)], capture_output=True, text=True)
    expect(f"{len(acked)} names" in checked.stdout, f"beside a server that runs, --check says: {checked.stdout}{checked.stderr}")
    new, left = lose(servers, bucket, os.path.join(work, "since"))
    counts = bucket.ask("counts")
    verified = servers[1].tscope("verify")
    expect(verified.returncode == 1 and "cannot be read whole" in verified.stdout and "run fault/run" in verified.stdout and "is not there" in verified.stdout,
           f"verify of a store that lost a bundle: {verified.returncode} {verified.stdout}{verified.stderr}")
    again, found = verify_new(servers[0])
    expect(again == 1 and found["unread_count"] == 0 and found["sound_at"] is None, f"once damage was found, verify --new does not read all: {found}")
    for server in servers:
        server.process.terminate()
        expect(server.process.wait() == 0, "a server does not end as it should")
    print(f"two servers, a bucket that fails, is away and stands still, a server and the database killed: {len(acked)} runs acknowledged, all found by both; "
          f"{counts['requests']} requests, {counts['failed']} of them failed; verify: all sound; of what was new {new} objects, {left} not read; then names the runs of a lost "
          "bundle")


def late(postgres, bucket, work):
    """A store gets a bucket while a server goes on that was told of none."""
    postgres.sql("CREATE DATABASE late")
    write_noise(os.path.join(work, "late"), 77, STEPS)
    write_noise(os.path.join(work, "later"), 78, STEPS)
    old = Server(BUILD, "cluster:" + postgres.conf("old.conf", "late"), os.path.join(work, "old"))
    begun.append(old.process)
    expect(old.push(os.path.join(work, "late"), "first"), "a store without a bucket takes no push")
    more = f"bucket = {bucket.url('packs/late')}\ncache = {work}/late-cache\nbundle_mib = 1\n"
    new = Server(BUILD, "cluster:" + postgres.conf("new.conf", "late", more), os.path.join(work, "new"))
    begun.append(new.process)
    for words in (("push", os.path.join(work, "later"), "--name", "second"), ("gc",)):
        said = old.tscope(*words)
        expect(said.returncode != 0 and "of which this server was told nothing" in said.stderr,
               f"{words[0]} by a server that knows no bucket: {said.returncode} {said.stdout}{said.stderr}")
    expect(new.push(os.path.join(work, "later"), "second"), "the server with the bucket takes no push")
    verified = new.tscope("verify")
    expect(verified.returncode == 0 and "all sound" in verified.stdout, f"verify: {verified.stdout}{verified.stderr}")
    copied = subprocess.run([os.path.join(BUILD, "tscoped"), "migrate", "cluster:" + postgres.conf("new.conf", "late", more), os.path.join(work, "copy")],
                            capture_output=True, text=True, timeout=READY_S)
    expect(copied.returncode == 0, f"a copy while a server goes on, whose cache is in use: {copied.stderr}")
    for server in (old, new):
        server.process.terminate()
        expect(server.process.wait() == 0, "a server does not end as it should")
    print("a store that got a bucket while another server went on: that one writes nothing more, and says why; verify: all sound")


def refused(store, env):
    """What a server says that does not start."""
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run([os.path.join(BUILD, "tscoped"), "--socket", os.path.join(place, "s"), "--store", store],
                              capture_output=True, text=True, timeout=120, env={**os.environ, **env})
    expect(done.returncode != 0, f"a server starts on {store}")
    expect(SECRET not in done.stderr, f"a key in a line: {done.stderr}")
    return done.stderr


def refuse(postgres, bucket, work):
    skewed, region = Bucket("--skew", "-1800"), Bucket("--region", "eu-central-1")
    before = postgres.sql("SELECT count(*) || ' ' || coalesce(sum(hashtextextended(r::text, 0)), 0) FROM tscope.record r")
    postgres.sql("CREATE DATABASE fresh")
    cache = f"cache = {work}/other\n"
    there = {"AWS_ACCESS_KEY_ID": "tester"}
    cases = [  # what the file says, as whom, a part of the sentence
        ("fresh", f"bucket = {bucket.url()}\n", there, "cache = /var/cache/tscope"),
        ("fresh", f"bucket = {bucket.url()}\n{cache}bukcet = x\n", there, "no setting 'bukcet'"),
        ("fresh", f"bucket = s3.example.org/x\n{cache}", there, "a bucket is named by an address"),
        ("fresh", f"bucket = {bucket.url('nowhere')}\n{cache}", there, "there is no such bucket: make it"),
        ("fresh", f"bucket = {bucket.url('plain')}\n{cache}", there, "keeps no versions"),
        ("fresh", f"bucket = {bucket.url()}\n{cache}", {"AWS_ACCESS_KEY_ID": "keeper"}, "may not delete"),
        ("fresh", f"bucket = {bucket.url()}\n{cache}", {"AWS_ACCESS_KEY_ID": "nobody"}, "does not know the key"),
        ("fresh", f"bucket = {bucket.url()}\n{cache}", {"AWS_SECRET_ACCESS_KEY": "wrong", **there}, "the secret does not belong to the key"),
        ("fresh", f"bucket = {region.url()}\n{cache}", there, "it is of another region than region= says; it says eu-central-1"),
        ("fresh", f"bucket = {skewed.url()}\n{cache}", there, "the clock of this machine differs"),
        ("fresh", f"bucket = {bucket.url()}\ncache = /usr\n", there, "/usr holds something else"),
        ("fresh", f"bucket = {bucket.url()}\n{cache}credentials = {work}/none\n", there, "cannot be read"),
        ("tscope", f"bucket = {bucket.url('packs/elsewhere')}\n{cache}", there, "is not the bucket that holds the packs of this store"),
        ("tscope", "", there, "say which by bucket ="),
    ]
    keys = bucket.ask("keys")
    for database, more, env, word in cases:
        said = refused("cluster:" + postgres.conf("refused.conf", database, more), env)
        expect(word in said and said.count("\n") == 1, f"{more}: {said}")
    expect(bucket.ask("keys") == keys and not skewed.ask("keys")["packs"] and not region.ask("keys")["packs"], "a server that refused to start changed a bucket")
    expect(postgres.sql("SELECT count(*) || ' ' || coalesce(sum(hashtextextended(r::text, 0)), 0) FROM tscope.record r") == before,
           "a server that refused to start changed the store")
    for server in (skewed, region):
        server.end()
    print(f"{len(cases)} stores refused in one sentence each, nothing changed, and no key said")


def full(postgres, bucket, work):
    """The cache of a server lies on a disk of 256 KiB, and bundles have 1 MiB: all runs are read, each from the bucket."""
    cache = os.path.join(work, "full")
    os.mkdir(cache)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", cache], capture_output=True).returncode:
        print("a full disk of a cache: left out: nothing can be mounted here")
        return
    try:
        postgres.sql("CREATE DATABASE small", "postgres")
        conf = postgres.conf("full.conf", "small", f"bucket = {bucket.url('packs/full')}\ncache = {cache}\ncache_mib = 64\nbundle_mib = 1\n")
        server = Server(BUILD, "cluster:" + conf, os.path.join(work, "small"))
        begun.append(server.process)
        for number in range(FULL_RUNS):
            write_noise(os.path.join(work, f"full{number}"), number, STEPS)
            expect(server.push(os.path.join(work, f"full{number}"), f"full{number}"), "a push beside a cache whose disk is full is not acknowledged")
        wait_until("no bundle is there", lambda: any(k.startswith("full/") for k in bucket.bundles()))
        for number in range(FULL_RUNS):
            expect(server.tscope("analyze", f"full{number}").returncode in (0, 1), f"full{number} is not read beside a cache whose disk is full")
        verified = server.tscope("verify")
        expect(verified.returncode == 0 and "all sound" in verified.stdout, f"verify: {verified.stdout}{verified.stderr}")
        server.process.terminate()
        expect(server.process.wait() == 0, "a server with a full cache does not end as it should")
    finally:
        subprocess.run(["umount", "-l", cache], check=True)
    print(f"a cache whose disk is full: {FULL_RUNS} runs pushed and read; verify: all sound")


def main():
    programs = find()
    if not programs:
        print("buckets.py: skipped: PostgreSQL's programs are not on this machine (Debian's package postgresql has them)")
        return 77
    os.environ.update(AWS_ACCESS_KEY_ID="tester", AWS_SECRET_ACCESS_KEY=SECRET)
    work = folder()
    postgres, bucket = Postgres(programs, work), Bucket()
    try:
        postgres.sql("CREATE DATABASE tscope", "postgres")
        own = tempfile.mkdtemp(dir=work)
        share(postgres, bucket, own)
        late(postgres, bucket, own)
        full(postgres, bucket, own)
        refuse(postgres, bucket, own)
    finally:
        for process in begun:
            process.kill()
        bucket.process.kill()
        postgres.kill()
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
