#!/usr/bin/env python3
"""Does to the disk of a recorder what disks do, at any moment: training ends as without, and no step sleeps: faults.py BUILD [ROUNDS].

Each round is one training of some thousand steps, and one fault, drawn from a table. It has to end with exit code 0 after all its steps,
and what is not in the file has to be counted, where the file can still be read. How long a call of a step slept (what the machine kept from
it is not counted) and what the end took is printed, with the number of trainings of which a step slept for more than 5 ms. The row "no
recording" is the same loop without one: so often this machine itself lets a step sleep.
"""
import collections
import concurrent.futures
import contextlib
import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import drive

SLEEP_NS, CLOSE_NS = 5_000_000, 60_000_000_000  # the end promises 5 s; a busy machine may add to it
ERRORS = {"EIO": errno.EIO, "ESTALE": errno.ESTALE, "ENOSPC": errno.ENOSPC, "EDQUOT": errno.EDQUOT, "EROFS": errno.EROFS, "hang": -1}


def keeper_of(d):
    """Returns the process that holds the recording."""
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == d.process.pid:
            continue
        try:
            if any(os.readlink(f"/proc/{name}/fd/{fd}") == os.path.realpath(d.file) for fd in os.listdir(f"/proc/{name}/fd")):
                return int(name)
        except OSError:
            continue
    return None


def truncate(d, rng, _):
    os.truncate(d.file, rng.choice([0, 1, 4096, 100_000]))


def remove(d, rng, _):
    if rng.random() < 0.5:
        os.unlink(d.file)
    else:
        shutil.rmtree(d.run)


def erring(name):
    def do(_, __, control):
        with open(control + ".new", "w", encoding="ascii") as f:
            f.write(str(ERRORS[name]))
        os.rename(control + ".new", control)
    return do


def remount(d, _, __):
    subprocess.run(["mount", "-o", "remount,ro", os.path.dirname(d.run)], check=False, capture_output=True)


def signalled(number):
    def do(d, _, __):
        keeper = keeper_of(d)
        if keeper is not None:
            os.kill(keeper, number)
    return do


FAULTS = {
    "no recording": None, "no fault": None,
    "truncation": truncate, "removal": remove, **{name: erring(name) for name in ERRORS}, "disk gets full": None, "read-only disk": remount,
    "keeper killed": signalled(signal.SIGKILL), "keeper stopped": signalled(signal.SIGSTOP),
}
WHOLE = {"no fault", "EIO", "ENOSPC", "EDQUOT", "EROFS", "disk gets full"}  # what of the file can be read has to agree with what was counted


def one(build, kind, seed):
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as top:
        control, disk = os.path.join(top, "control"), os.path.join(top, "disk")
        os.mkdir(disk)
        small = kind in ("disk gets full", "read-only disk")
        if small and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], capture_output=True).returncode:
            return kind, "may not mount", 0, 0
        keeper = None
        try:
            pause = rng.choice([0, 20, 100])
            os.environ.pop("TS_NO_RUN", None)
            if kind == "no recording":
                os.environ["TS_NO_RUN"] = "1"
            os.environ.update(TS_MEASURE="1", TS_BAD_DISK=control, LD_PRELOAD=os.path.abspath(f"{build}/tests/record/libbad_disk.so"),
                              ASAN_OPTIONS="verify_asan_link_order=0")
            d = drive.Drive(build, top, 60000 if pause == 0 else 8000, pause_us=pause, threads=rng.choice([0, 2]),
                            flush_ms=rng.choice([20, 1000]), directory=os.path.join(disk, "run"), stderr=subprocess.PIPE,
                            keeper="process" if kind.startswith("keeper") or rng.random() < 0.7 else "thread")
            d.wait(0, 1)
            time.sleep(rng.random() * 0.02)
            if FAULTS[kind]:
                keeper = keeper_of(d)
                FAULTS[kind](d, rng, control)
            out, err = d.process.communicate(timeout=120)
            return kind, *judge(d, kind, out, err)
        finally:
            if keeper is not None:
                with contextlib.suppress(OSError):
                    os.kill(keeper, signal.SIGKILL)
            if small:
                subprocess.run(["umount", "-l", disk], check=False, capture_output=True)


def judge(d, kind, out, err):
    """Returns what is wrong, the ns that a step slept at most, and those of the end."""
    words = out.split()
    if d.process.returncode or "slept" not in words:
        return f"exit {d.process.returncode} {err[-200:]}", 0, 0
    slept, took = int(words[words.index("slept") + 1]), int(words[words.index("close") + 1])
    steps, lost = d.said()[0], int(words[1])
    if took > CLOSE_NS:
        return f"the end took {took / 1e9:.1f} s", slept, took
    if sum(line.startswith("tscope:") for line in err.splitlines()) > 1:
        return f"said more than once: {err}", slept, took
    if kind in WHOLE:
        data = d.bytes()
        seen = drive.parse(data)[1] if data else set()  # the fault came before the first turn of the keeper
        if len(seen) + lost < steps or not seen <= set(range(steps)):
            return f"{steps} steps, {len(seen)} in the file, {lost} counted", slept, took
    return "", slept, took


def main():
    build, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    kinds, wrong, worst = list(FAULTS), collections.defaultdict(list), collections.defaultdict(lambda: [0, 0, 0, 0])
    with concurrent.futures.ProcessPoolExecutor(4) as pool:
        for kind, why, slept, took in pool.map(one, *zip(*((build, kinds[i % len(kinds)], i) for i in range(rounds)))):
            if why:
                wrong[kind].append(why)
            n, most, longest, over = worst[kind]
            worst[kind] = [n + 1, max(most, slept), max(longest, took), over + (slept > SLEEP_NS)]
    print(f"{'fault':16} rounds  wrong  over 5 ms  a step slept at most  the end took at most")
    for kind in kinds:
        n, slept, took, over = worst[kind]
        print(f"{kind:16} {n:6}  {len(wrong[kind]):5}  {over:9}  {slept / 1e6:17.2f} ms  {took / 1e9:18.2f} s")
        for why in wrong[kind][:3]:
            print("   ", why)
    return bool(any(why != "may not mount" for found in wrong.values() for why in found))


if __name__ == "__main__":
    sys.exit(main())
