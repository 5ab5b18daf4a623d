#!/usr/bin/env python3
"""push_gc.py BUILD PUSHES: pushes beside gc with leases of no length, which frees objects of pushes that are under way. A server refuses such
a gc; where its settings allow it, a push whose objects are gone sends them again, and none fails."""
import os
import shutil
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import Server, names_of, write_run  # noqa: E402


def push_beside_gc(server, work, pushes):
    """Returns how many pushes failed, how many started over, and how many gcs ran."""
    over, failed, again, gcs = threading.Event(), [], [], []

    def collect():
        while not over.is_set():
            gcs.append(server.tscope("gc", "--lease", "0s").returncode)

    def push(first):
        for number in range(first, pushes, 3):
            folder = os.path.join(work, f"run{number}")
            write_run(folder, number)
            done = server.tscope("push", folder)
            shutil.rmtree(folder)
            if done.returncode:
                failed.append(done.stderr)
            if "sends it again" in done.stderr:
                again.append(number)

    collectors = [threading.Thread(target=collect) for _ in range(2)]
    pushers = [threading.Thread(target=push, args=(i,)) for i in range(3)]
    for t in collectors + pushers:
        t.start()
    for t in pushers:
        t.join()
    over.set()
    for t in collectors:
        t.join()
    return failed, again, gcs


def main():
    build, pushes = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    work = tempfile.mkdtemp(prefix="tscope-push-gc-")
    server = Server(build, os.path.join(work, "store"), os.path.join(work, "s"))
    try:
        refused = server.tscope("gc", "--lease", "0s")
        if refused.returncode != 2 or "gc-lease-min" not in refused.stderr:
            sys.exit(f"a server took gc --lease 0s: {refused.stdout}{refused.stderr}")
        early = server.tscope("gc", "--removed", "1d")
        if early.returncode != 2 or "keep-removed" not in early.stderr:
            sys.exit(f"a server took gc --removed 1d: {early.stdout}{early.stderr}")
        for fine in (("gc",), ("gc", "--lease", "2d"), ("gc", "--lease", "0s", "--dry-run")):
            if server.tscope(*fine).returncode:
                sys.exit(f"a server refused {fine}")
        server.process.terminate()
        server.process.wait()
        server = Server(build, os.path.join(work, "store"), os.path.join(work, "s"), {"TSCOPED_GC_LEASE_MIN": "0"})
        failed, again, gcs = push_beside_gc(server, work, pushes)
        if failed:
            sys.exit(f"{len(failed)} of {pushes} pushes failed, the first with: {failed[0]}")
        verify = server.tscope("verify")
        if verify.returncode or len(names_of(server.tscope)) != pushes:
            sys.exit(f"verify: {verify.stdout}{verify.stderr}; {len(names_of(server.tscope))} names of {pushes}")
        print(f"{pushes} pushes beside {len(gcs)} gcs with leases of no length: 0 failed, {len(again)} sent objects again")
    finally:
        server.process.kill()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
