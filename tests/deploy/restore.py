#!/usr/bin/env python3
"""restore.py BUILD [ceph]: deploy/cluster/backup.py brings a store in PostgreSQL and S3 back to a moment. Runs are pushed, a base backup is
taken, more are pushed, and the moment is noted. Then runs are removed, gc frees them, their objects leave the bucket, and others are
pushed. The restored database has the names of the moment and no others; without the objects of the bucket verify finds what is
missing, and with them all is sound and every run can be read. The restored database archives again, and is itself brought back to a moment; take
refuses where that is off or fails. What cannot be read, reached or parsed is one sentence, before anything is written. With `ceph` the
bucket is Ceph's, else a server of S3 for tests. Skipped where PostgreSQL's programs are not."""

import contextlib
import datetime
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", name) for name in ("engines", "fault", "rehearsal")]
import ceph  # noqa: E402
from postgres import Postgres, find, folder  # noqa: E402
from programs import Server, names_of, write_noise  # noqa: E402
from s3 import SECRET, Bucket  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
SCRIPT = "deploy/cluster/backup.py"
WAIT_S = 120
STEPS = 1800  # of runs of which a bundle of 1 MiB is full soon


def expect(condition, *what):
    if not condition:
        raise SystemExit("restore: " + " ".join(str(w) for w in what))


def until(what, holds):
    end = time.monotonic() + WAIT_S
    while not holds():
        expect(time.monotonic() < end, what, "after", WAIT_S, "s")
        time.sleep(0.3)


class Store:
    """A database that archives its WAL, a bucket, and the file that servers have."""

    def __init__(self, programs, work, bucket):
        self.work, self.bucket, self.backups = work, bucket, os.path.join(work, "backups")
        self.postgres = Postgres(programs, work)
        os.makedirs(os.path.join(self.backups, "wal"))
        if self.postgres.user:
            for path in (self.backups, os.path.join(self.backups, "wal")):
                os.chown(path, self.postgres.user.pw_uid, self.postgres.user.pw_gid)
        at = os.path.join(self.backups, "wal")
        with open(os.path.join(self.postgres.data, "postgresql.auto.conf"), "a", encoding="utf-8") as f:
            f.write(f"archive_mode = on\narchive_command = 'test ! -f {at}/%f && cp %p {at}/%f.new && mv {at}/%f.new {at}/%f'\n")
        self.restart()
        self.postgres.sql("CREATE DATABASE tscope", "postgres")
        with open(os.path.join(work, "keys"), "w", encoding="utf-8") as f:
            f.write(f"aws_access_key_id = tester\naws_secret_access_key = {SECRET}\n")
        os.chmod(f.name, 0o600)
        self.conf = self.conf_of("cluster.conf")

    def conf_of(self, name):
        return self.postgres.conf(
            name,
            more=f"bucket = {self.bucket.url()}\ncredentials = {self.work}/keys\ncache = {self.work}/cache-{name}\nbundle_mib = 1\n",
        )

    def restart(self):
        self.postgres.kill()
        self.postgres.start()

    def script(self, *words, path=None, user=None):
        env = {**os.environ, "PATH": path or self.postgres.programs + ":" + os.environ["PATH"]}
        return subprocess.run([sys.executable, SCRIPT, *words], env=env, capture_output=True, text=True, user=user)

    def now(self):
        return self.postgres.sql("SELECT clock_timestamp()").strip()


class Strict(datetime.datetime):
    """As Python 3.9 and 3.10 read a moment: of a fraction they take three or six digits alone, and no Z."""

    @classmethod
    def fromisoformat(cls, text):
        if not re.fullmatch(r"[^.Z]*(\.(\d{3}|\d{6})([+-][\d:]+)?)?", text):
            raise ValueError(text)
        return super().fromisoformat(text)


def check_moments(work):
    """Moments as PostgreSQL and buckets write them, and a base backup whose moment nobody can read beside two others."""
    spec = importlib.util.spec_from_file_location("backup", SCRIPT)
    backup = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(backup)
    backup.datetime = types.SimpleNamespace(datetime=Strict, timezone=datetime.timezone, timedelta=datetime.timedelta)
    utc = datetime.timezone.utc
    for text, micros in (("14:00:00+00", 0), ("14:00:00.5+00", 500000), ("16:00:00.01234+02:00", 12340), ("14:00:00.123Z", 123000), ("14:00:00.123456789Z", 123456)):
        expect(backup.moment_of("2026-11-30 " + text) == datetime.datetime(2026, 11, 30, 14, 0, 0, micros, utc), text, "is read as another moment")
    for name, text in (("base-1", "2026-11-30 14:00:00.1+00\n"), ("base-2", "30/11/2026 14:00:01 UTC\n"), ("base-3", "2026-11-30 14:00:02\n")):
        os.makedirs(os.path.join(work, name))
        with open(os.path.join(work, name, "tscope-moment"), "w", encoding="utf-8") as f:
            f.write(text)
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        base = backup.base_before(work, backup.moment_of("2026-11-30 15:00:00+00"))
    expect(base.endswith("base-1") and said.getvalue().count("is left out") == 2, base, said.getvalue())
    shutil.rmtree(work)


def refused(store, word, *words, path=None, user=None):
    """The script ends with one sentence, which has a word."""
    said = store.script(*words, path=path, user=user)
    expect(said.returncode == 1 and word in said.stderr and said.stderr.count("\n") == 1, words, "is answered by", said.stdout, said.stderr)


def check_refusals(store, moment, data):
    """What a restore needs is asked for before it writes; the keys of the bucket and programs may be missing."""
    for name, credentials, word in (("without.conf", f"{store.work}/nothing", "No such file"), ("other.conf", f"{store.work}/other", "answered by 403")):
        with open(os.path.join(store.work, "other"), "w", encoding="utf-8") as f:
            f.write("aws_access_key_id = somebody\naws_secret_access_key = else\n")
        with open(store.conf, encoding="utf-8") as f:
            conf = f.read().replace(f"{store.work}/keys", credentials)
        with open(os.path.join(store.work, name), "w", encoding="utf-8") as f:
            f.write(conf)
        refused(store, word, "restore", f.name, store.backups, moment, data)
        expect(not os.path.exists(data), "a restore without the keys of the bucket leaves", data)
    if store.postgres.user:
        refused(store, "Permission denied", "restore", store.conf, store.backups, moment, data, user=store.postgres.user.pw_name)
    refused(store, "Debian's packages postgresql", "take", store.conf, store.backups, path="/nowhere")


def archives_again(store, conf, data):
    """What was restored archives as before, so a backup of it goes back to a moment, too. take refuses where the WAL is not archived."""
    postgres, wal = store.postgres, os.path.join(store.backups, "wal")
    until("the WAL is not archived again", lambda: os.path.exists(os.path.join(wal, "00000002.history")))
    taken = store.script("take", store.conf, store.backups)
    expect(taken.returncode == 0 and re.fullmatch(r"[\d-]+ [\d:]+\.\d{6}\+00\n", taken.stdout), taken.stdout, taken.stderr)
    postgres.sql("CREATE DATABASE before")
    moment = store.now()
    postgres.sql("CREATE DATABASE after")
    ended = postgres.sql("SELECT pg_walfile_name(pg_switch_wal())").strip()
    until("the WAL is not archived again", lambda: os.path.exists(os.path.join(wal, ended)))
    postgres.sql("ALTER SYSTEM SET archive_command = 'false'")
    postgres.sql("SELECT pg_reload_conf()")
    postgres.sql("CREATE DATABASE more")
    postgres.sql("SELECT pg_switch_wal()")
    until("no failure", lambda: postgres.sql("SELECT failed_count > 0 FROM pg_stat_archiver").strip() == "t")
    refused(store, "could not archive 00000002", "take", store.conf, store.backups)
    postgres.sql("ALTER SYSTEM SET archive_mode = off")
    store.restart()
    refused(store, "archives no WAL", "take", store.conf, store.backups)
    postgres.kill()
    done = store.script("restore", conf, store.backups, moment, data)
    expect(done.returncode == 0, done.stdout, done.stderr)
    started(store, data)
    names = postgres.sql("SELECT datname FROM pg_database").split()
    expect("before" in names and "after" not in names, "the database that was restored twice has", names)


def push(server, work, first, n):
    for number in range(first, first + n):
        path = os.path.join(work, f"run{number}")
        write_noise(path, number, STEPS)
        expect(server.push(path, f"run{number}"), "a push fails")
        shutil.rmtree(path)


def use(store, work):
    server = Server(BUILD, "cluster:" + store.conf, os.path.join(work, "s"))
    try:
        push(server, work, 0, 4)
        taken = store.script("take", store.conf, store.backups)
        expect(taken.returncode == 0, taken.stdout, taken.stderr)
        push(server, work, 4, 4)
        until("no bundle is there", lambda: bundles_of(store))
        kept = names_of(server.tscope)
        whole = server.tscope("verify", "--new")  # what it says to have read counts for this database alone, and not for what is restored of it
        expect(whole.returncode == 0, whole.stdout, whole.stderr)
        time.sleep(1.1)  # S3 keeps whole seconds
        moment = store.now()
        time.sleep(1.1)
        for number in (0, 2, 5):
            removed = server.tscope("rm", f"run{number}")
            expect(removed.returncode == 0, removed.stdout, removed.stderr)
        freed = server.tscope("gc", "--lease", "0s", "--removed", "0s")
        push(server, work, 20, 3)
    finally:
        server.process.terminate()
        server.process.wait()
    expect(freed.returncode in (0, 2), freed.stdout, freed.stderr)
    deleted = bundles_of(store)
    for name in deleted:  # as gc does, a day after
        delete(store, name)
    store.postgres.sql("SELECT pg_switch_wal()")
    until("the WAL is not archived", lambda: store.postgres.sql("SELECT archived_count > 0 AND last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1) "
                                                                "OR last_archived_time > now() - interval '1 s' FROM pg_stat_archiver").strip() == "t")  # fmt: skip
    time.sleep(1)
    store.postgres.kill()
    return kept, moment, deleted


def bundles_of(store):
    if isinstance(store.bucket, Bucket):
        return sorted(store.bucket.bundles())
    listed = store.bucket.ask("GET", "/packs").decode()
    return sorted(part.split("</Key>")[0] for part in listed.split("<Key>")[1:] if ".bundle</Key>" in part)


def delete(store, name):
    if isinstance(store.bucket, Bucket):
        ceph.Ceph.ask(store.bucket, "DELETE", f"/packs/{name}")
    else:
        store.bucket.ask("DELETE", f"/packs/{name}")


def started(store, data):
    """PostgreSQL on a restored folder, when it has recovered."""
    if store.postgres.user:
        subprocess.run(["chown", "-R", store.postgres.user.pw_name, data], check=True)
    store.postgres.data = data
    store.postgres.start()
    until("the database does not end its recovery", lambda: store.postgres.sql("SELECT pg_is_in_recovery()").strip() == "f")


def verified(store, name):
    server = Server(BUILD, "cluster:" + store.conf_of(name), os.path.join(store.work, "s"))
    try:
        said, names = server.tscope("verify", "--new", "--json"), names_of(server.tscope)
        shown = [server.tscope("show", n.split("/")[-1]).returncode for n in names]
        expect(not json.loads(said.stdout)["unread_count"], "verify of what is new goes by what was read of another database:", said.stdout)
        return said.returncode == 0, names, shown
    finally:
        server.process.terminate()
        server.process.wait()


def main():
    programs = find()
    missing = ceph.missing(programs, "ceph" in sys.argv)
    if missing:
        print(f"restore: skipped: {missing}")
        return 77
    work, disk = folder(), tempfile.mkdtemp(prefix="tscope-restore-")
    bucket = ceph.Ceph(disk) if "ceph" in sys.argv else Bucket()
    store = None
    try:
        check_moments(os.path.join(disk, "moments"))
        store = Store(programs, work, bucket)
        own = tempfile.mkdtemp(dir=work)
        kept, moment, deleted = use(store, own)
        conf = store.conf.replace("cluster.conf", "alone.conf")
        with open(store.conf, encoding="utf-8") as f, open(conf, "w", encoding="utf-8") as alone:
            alone.write("".join(line for line in f if line.startswith("postgresql")))
        data = os.path.join(work, "data2")
        for wrong, word in ((("restore", conf, store.backups, "2001-01-01 00:00:00+00", data), "had ended by"),
                            (("restore", conf, store.backups, "yesterday", data), "is no moment"),
                            (("restore", conf, store.backups, moment, work), "writes over nothing")):  # fmt: skip
            refused(store, word, *wrong)
        check_refusals(store, moment, data)
        done = store.script("restore", conf, store.backups, moment, data)
        expect(done.returncode == 0, done.stdout, done.stderr)
        started(store, data)
        sound, names, _ = verified(store, "before.conf")
        expect(names == kept, "the restored names are", names, "and were", kept)
        expect(not sound, "objects were deleted of the bucket, and verify finds nothing")
        back = store.script("undelete", store.conf, moment)
        expect(
            back.returncode == 0 and f"{len(deleted)} objects" in back.stdout and SECRET not in back.stdout + back.stderr,
            back.stdout,
            back.stderr,
        )
        sound, names, shown = verified(store, "after.conf")
        expect(
            sound and names == kept and not any(shown), f"after the restore: sound {sound}, {len(names)} names of {len(kept)}, {shown}"
        )
        archives_again(store, conf, os.path.join(work, "data3"))
        print(
            f"restore: {len(kept)} runs back as they were, also three that were removed, and none of those that came later; {len(deleted)} objects of the bucket brought "
            "back, without which verify finds damage; all sound, and archived again"
        )
    finally:
        if store:
            store.postgres.kill()
        bucket.end()
        shutil.rmtree(work, ignore_errors=True)
        shutil.rmtree(disk, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
