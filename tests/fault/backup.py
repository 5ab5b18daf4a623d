#!/usr/bin/env python3
"""backup.py BUILD: backups of a store while clients push, restored; and backups that fail: killed, without room, restored by the wrong user."""
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import Pushers, Server, names_of  # noqa: E402

NOBODY = 65534


def backup(build, store, to, **more):
    env = {k: v for k, v in os.environ.items() if k not in ("XDG_RUNTIME_DIR", "TSCOPED_SOCKET")}
    return subprocess.run([os.path.join(build, "tscoped"), "--store", store, "--socket", "none", "--backup", to], env=env,
                          capture_output=True, text=True, **more)


def expect(condition, what):
    if not condition:
        sys.exit(f"backup.py: {what}")


def left(work):
    return sorted(n for n in os.listdir(work) if n.startswith("copy"))


def while_others_write(build, work, store):
    """Returns the names of the copy that was restored."""
    acked = {}
    server = Server(build, store, os.path.join(work, "s"))
    pushers = Pushers(server, work, 0, 3, lambda n, name, run: acked.__setitem__(name, run))
    try:
        while len(acked) < 20:
            time.sleep(0.05)
        before = dict(acked)
        done = backup(build, store, os.path.join(work, "copy"))
        expect(done.returncode == 0 and "event=backup" in done.stderr, f"backup: {done.stderr}")
        pushers.stop()
        expect(backup(build, store, os.path.join(work, "copy")).returncode == 2, "a backup overwrote another")
    finally:
        pushers.stop()
        server.process.terminate()
        server.process.wait()
    os.rename(store, store + ".old")
    os.rename(os.path.join(work, "copy"), store)
    server = Server(build, store, os.path.join(work, "s"))
    try:
        names = names_of(server.tscope)
        expect(all(names.get(name) == run for name, run in before.items()), "runs that were acknowledged before the backup are not in it")
        expect(server.tscope("verify").returncode == 0, "the restored store is damaged")
    finally:
        server.process.terminate()
        server.process.wait()
    return before


def that_fail(build, work, store):
    limit = os.path.getsize(os.path.join(store, "data.mdb")) // 2
    done = backup(build, store, os.path.join(work, "copy"), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    expect(done.returncode == 2 and "ulimit -f" in done.stderr and str(limit) in done.stderr, f"limited backup: {done.stderr}")
    expect(left(work) == [], f"a limited backup left {left(work)}")
    os.mkdir(os.path.join(work, "copy.incomplete"))  # what a backup leaves that was killed
    with open(os.path.join(work, "copy.incomplete", "data.mdb"), "wb") as f:
        f.write(b"half")
    done = backup(build, store, os.path.join(work, "copy"))
    expect(done.returncode == 0 and left(work) == ["copy"], f"backup after a killed one: {done.stderr}")


def of_another_user(build, work):
    """The copy belongs to root; root looks at it, and then its owner uses it."""
    if os.geteuid() != 0 or os.path.realpath(build).startswith("/root"):
        print("not root: what root restored was not tried")
        return
    copy = os.path.join(work, "copy")
    os.chmod(work, 0o755)
    verify = [os.path.join(build, "tscope"), "--store", copy, "verify"]
    env = {**os.environ, "HOME": work}

    def as_nobody():
        return subprocess.run(verify, env=env, capture_output=True, text=True, user=NOBODY, group=NOBODY, extra_groups=[])

    server = [os.path.join(build, "tscoped"), "--store", copy, "--socket", os.path.join(work, "of-nobody"), "--read-only"]
    done = subprocess.run(server, env=env, capture_output=True, text=True, user=NOBODY, group=NOBODY, extra_groups=[], timeout=60)
    expect(done.returncode == 2 and f"chown -R {NOBODY}:{NOBODY} {copy}" in done.stderr, f"the store of root: {done.stderr}")
    subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", copy], check=True)
    os.remove(os.path.join(copy, "lock.mdb"))
    expect(subprocess.run(verify, env=env, capture_output=True).returncode == 0, "verify by root")
    done = as_nobody()
    expect(done.returncode == 0, f"after root had read the store: {done.stderr}")


def main():
    build = os.path.abspath(sys.argv[1])
    work = tempfile.mkdtemp(prefix="tscope-backup-")
    store = os.path.join(work, "store")
    try:
        before = while_others_write(build, work, store)
        that_fail(build, work, store)
        of_another_user(build, work)
        print(f"a copy with all {len(before)} runs that were acknowledged before it, restored; limits, leftovers and owners as expected")
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
