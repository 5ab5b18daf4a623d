#!/usr/bin/env python3
"""backup.py BUILD [KILLS]: backups of a store while clients push, whole and of what changed since one, restored; and backups that fail: killed,
without room, restored by the wrong user."""
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


def words(build, store, to, since=None):
    return [os.path.join(build, "tscoped"), "--store", store, "--socket", "none", "--backup", to, *(["--since", since] if since else [])]


def environment():
    return {k: v for k, v in os.environ.items() if k not in ("XDG_RUNTIME_DIR", "TSCOPED_SOCKET")}


def backup(build, store, to, since=None, **more):
    return subprocess.run(words(build, store, to, since), env=environment(), capture_output=True, text=True, **more)


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


def local(build, store):
    return lambda *args: subprocess.run([os.path.join(build, "tscope"), "--store", store, *args], env=environment(), capture_output=True, text=True)


def chain_while_others_write(build, work, kills):
    """Increments, one on the other, while clients push and names go; of those that are killed nothing is left that is taken for one, and the
    last that is whole brings back every run that was acknowledged before it began. Returns how many were made."""
    store, acked, made = os.path.join(work, "chained"), {}, [os.path.join(work, "link-0")]
    server = Server(build, store, os.path.join(work, "c"))
    pushers = Pushers(server, work, 100000, 2, lambda n, name, run: acked.__setitem__(name, run))
    try:
        while len(acked) < 10:
            time.sleep(0.05)
        done = backup(build, store, made[0])
        expect(done.returncode == 0, f"the first of a chain: {done.stderr}")
        took = 0.05
        for n in range(kills):
            to, dead = os.path.join(work, f"link-{len(made)}"), os.path.join(work, "link-killed")
            killed = subprocess.Popen(words(build, store, dead, made[-1]), env=environment(), stderr=subprocess.DEVNULL)
            time.sleep(took * n / kills)
            killed.kill()
            killed.wait()
            shutil.rmtree(dead, ignore_errors=True)  # it was faster than the kill
            began, before = time.monotonic(), dict(acked)
            done = backup(build, store, to, made[-1])
            expect(done.returncode == 0 and f"since={made[-1]}" in done.stderr, f"increment {n}: {done.stderr}")
            took = time.monotonic() - began
            made.append(to)
            if n == kills // 2:
                gone = next(iter(acked))
                expect(server.tscope("rm", gone.split("/")[1]).returncode == 0, "rm")
                acked.pop(gone)
        pushers.stop()
    finally:
        pushers.stop()
        server.process.terminate()
        server.process.wait()
    expect(local(build, made[-1])("verify").returncode == 0, "verify of a chain")
    shown = names_of(local(build, made[-1]))
    expect(all(shown.get(name) == run for name, run in before.items() if name in acked), "a chain lacks runs that were acknowledged before it")
    done = backup(build, made[-1], os.path.join(work, "from-chain"))
    expect(done.returncode == 0, f"a store of a chain: {done.stderr}")
    expect(names_of(local(build, os.path.join(work, "from-chain"))) == shown, "the store of a chain has other names than the chain")
    expect(local(build, made[-1])("tag", "t", next(iter(before))).returncode != 0, "a backup was written")
    os.rename(made[1], made[1] + ".away")
    done = backup(build, made[-1], os.path.join(work, "without"))
    expect(done.returncode == 2 and "builds on the backup link-1, which is neither beside it" in done.stderr, f"without a link: {done.stderr}")
    return len(made) - 1


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
        chained = chain_while_others_write(build, work, int(sys.argv[2]) if len(sys.argv) > 2 else 6)
        that_fail(build, work, store)
        of_another_user(build, work)
        print(f"a copy with all {len(before)} runs that were acknowledged before it, restored; {chained} increments between kills, restored; "
              "limits, leftovers and owners as expected")
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
