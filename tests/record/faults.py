#!/usr/bin/env python3
"""Does to the disk of a recorder what disks do, at any moment: training ends as without, and no step waits: faults.py BUILD [ROUNDS [FIRST]].

Each round is one training of some thousand steps, and one fault, drawn from a table by the number of the round, from FIRST (0) on. Where the disk
does not answer, every third training writes more than the memory for it holds. A training has to end with exit code 0 after all its steps, and
what is not in the file has to be counted, where the file can still be read. A step is delayed by what it slept and by what it ran; how long it
stood in the queue for a CPU is the machine's doing and not counted. Printed are the longest of both and of the end, and of how many trainings a step
slept or ran for more than 5 ms. What its CPU did for interrupts meanwhile counts as run: the row "no recording", the same loop without one and
as long as the longest, shows how often this machine does that by itself. Errors come from a library
that is preloaded into the recorder (bad_disk.c), and in the rows of "FUSE" from the kernel, by a file system of this test (fuse_disk.py); rows for
which this user may not mount are said not to be tried.
"""
import collections
import concurrent.futures
import contextlib
import errno
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import drive
import fuse_disk

DELAY_NS, CLOSE_NS = 5_000_000, 60_000_000_000  # the end promises 5 s; a busy machine may add to it
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
        shutil.rmtree(d.run, ignore_errors=True)  # the keeper may just make a file there


def set_disk(control, text):
    with open(control + ".new", "w", encoding="ascii") as f:
        f.write(text)
    os.rename(control + ".new", control)


def erring(name):
    return lambda _, __, control: set_disk(control, str(ERRORS[name]))


def remount(d, _, __):
    subprocess.run(["mount", "-o", "remount,ro", os.path.dirname(d.run)], check=False, capture_output=True)


def signalled(number):
    def do(d, _, __):
        keeper = keeper_of(d)
        if keeper is not None:
            os.kill(keeper, number)
    return do


def silence(d, rng, control):
    """Standard error, a file, takes nothing any more, when there is something to say: the keeper is gone."""
    set_disk(control, str(ERRORS["hang"]))
    signalled(signal.SIGKILL)(d, rng, control)


FAULTS = {
    "no recording": None, "no fault": None,  # the first two are none
    "truncation": truncate, "removal": remove, **{name: erring(name) for name in ERRORS}, "disk gets full": None, "read-only disk": remount,
    "keeper killed": signalled(signal.SIGKILL), "keeper stopped": signalled(signal.SIGSTOP), "stderr hangs": silence,
    **{f"FUSE {name}": erring(name) for name in ("EIO", "ESTALE", "hang")},
}
# What of the file can be read has to agree with what was counted.
WHOLE = {"no fault", "EIO", "ENOSPC", "EDQUOT", "EROFS", "disk gets full", "FUSE EIO", "FUSE ESTALE"}
# The kernel lets no process end whose thread waits for a file system that took its request: only a keeper that is a process is nobody's wait.
BY_PROCESS = {"keeper killed", "keeper stopped", "stderr hangs", "FUSE hang"}
UNANSWERED = {"hang", "FUSE hang", "keeper stopped", "stderr hangs"}
STEPS, SLOW_STEPS, STEPS_BEHIND = 60_000, 8000, 1_000_000  # the last are 100 MB, of which memory holds 64 MiB
NOT_TRIED = "not tried: this user may not mount such a file system"
Spent = collections.namedtuple("Spent", "slept ran close", defaults=(0, 0, 0))  # ns, at most


@contextlib.contextmanager
def disk_for(kind, directory, control):
    """Yields whether the disk that a kind of fault needs is in that directory; it is taken back at the end."""
    if kind.startswith("FUSE"):
        mounted = fuse_disk.Mounted(directory, control)
        try:
            yield mounted.works
        finally:
            mounted.end()
    elif kind in ("disk gets full", "read-only disk"):
        small = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", directory]
        try:
            yield subprocess.run(small, check=False, capture_output=True).returncode == 0
        finally:
            subprocess.run(["umount", "-l", directory], check=False, capture_output=True)
    else:
        yield True


def one(build, kind, seed):
    with tempfile.TemporaryDirectory() as top:
        control, disk = os.path.join(top, "control"), os.path.join(top, "disk")
        os.mkdir(disk)
        with disk_for(kind, disk, control) as there:
            return (kind, *trained(build, kind, random.Random(seed), top)) if there else (kind, NOT_TRIED, Spent())


def trained(build, kind, rng, top):
    control, keeper = os.path.join(top, "control"), None
    try:
        pause = rng.choice([0, 20, 100])
        os.environ.pop("TS_NO_RUN", None)
        if kind == "no recording":
            os.environ["TS_NO_RUN"] = "1"
        os.environ.update(TS_MEASURE="1", TS_BAD_DISK="" if kind.startswith("FUSE") else control, ASAN_OPTIONS="verify_asan_link_order=0",
                          LD_PRELOAD=os.path.abspath(f"{build}/tests/record/libbad_disk.so"))
        steps = SLOW_STEPS if pause else STEPS_BEHIND if kind in UNANSWERED or kind == "no recording" else STEPS
        with open(os.path.join(top, "recording.said"), "w", encoding="utf-8") as said:
            d = drive.Drive(build, top, steps, pause_us=pause, threads=rng.choice([0, 2]),
                            flush_ms=rng.choice([20, 1000]), directory=os.path.join(top, "disk", "run"),
                            stderr=said if FAULTS[kind] is silence else subprocess.PIPE,
                            keeper="process" if rng.random() < 0.7 or kind in BY_PROCESS else "thread")
        d.wait(0, 1)
        time.sleep(rng.random() * 0.02)
        if FAULTS[kind]:
            keeper = keeper_of(d)
            FAULTS[kind](d, rng, control)
        out, err = d.process.communicate(timeout=120)
        if kind in WHOLE:
            set_disk(control, "0")  # what was written can be read again
        return judge(d, kind, out, err or "")
    finally:
        if keeper is not None:
            with contextlib.suppress(OSError):
                os.kill(keeper, signal.SIGKILL)


def judge(d, kind, out, err):
    """Returns what is wrong, and what a step and the end took."""
    words = out.split()
    if d.process.returncode or "slept" not in words:
        return f"exit {d.process.returncode} {err[-200:]}", Spent()
    at_end = re.search(r"(\d+) frames? (?:is|are) not in the file", err)  # which nobody can ask for behind the end
    spent = Spent(*(int(words[words.index(name) + 1]) for name in Spent._fields))
    return wrong(d, kind, err, spent.close, int(at_end.group(1)) if at_end else int(words[1])), spent


def wrong(d, kind, err, close_ns, lost):
    """Returns what is wrong with a training that ended, "": nothing."""
    steps = d.said()[0]
    if close_ns > CLOSE_NS:
        return f"the end took {close_ns / 1e9:.1f} s"
    if sum(line.startswith("tscope:") for line in err.splitlines()) > 1:
        return f"said more than once: {err}"
    if kind in WHOLE:
        data = d.bytes()
        try:
            seen = drive.parse(data)[1] if data.strip(b"\0") else set()  # the fault came before the first turn of the keeper
        except (AssertionError, ValueError) as error:
            return f"the file: {error}"
        if len(seen) + lost < steps or not seen <= set(range(steps)):
            return f"{steps} steps, {len(seen)} in the file, {lost} counted"
    return ""


def delayed(spent):
    return [s for s in spent if max(s.slept, s.ran) > DELAY_NS]


def row(kind, spent, errors):
    slept, ran, close = (max(of) for of in zip(*spent))
    return (f"{kind:14} {len(spent):6} {len(errors):6} {len(delayed(spent)):10} {slept / 1e6:10.2f} ms {ran / 1e6:7.2f} ms {close / 1e9:7.2f} s"
            + "".join(f"\n    {why}" for why in errors[:3]))


def main():
    build = sys.argv[1]
    rounds, first = (int(sys.argv[i]) if len(sys.argv) > i else usual for i, usual in ((2, 1000), (3, 0)))
    kinds, errors, spent, not_tried = list(FAULTS), collections.defaultdict(list), collections.defaultdict(list), set()
    numbers = range(first, first + rounds)
    with concurrent.futures.ProcessPoolExecutor(4) as pool:
        for kind, why, took in pool.map(one, *zip(*((build, kinds[i % len(kinds)], i) for i in numbers))):
            if why == NOT_TRIED:
                not_tried.add(kind)
                continue
            spent[kind].append(took)
            if why:
                errors[kind].append(why)
    print("fault          rounds  wrong  over 5 ms  slept at most     ran at most    the end")
    for kind in kinds:
        print(f"{kind:14} {NOT_TRIED}" if kind in not_tried else row(kind, spent[kind], errors[kind]))
    faulty = kinds[2:]
    print(f"of {sum(len(spent[kind]) for kind in faulty)} trainings with a fault {sum(len(errors[kind]) for kind in faulty)} ended otherwise, and "
          f"{sum(len(delayed(spent[kind])) for kind in faulty)} had a step that slept or ran for more than 5 ms")
    return any(errors.values())


if __name__ == "__main__":
    sys.exit(main())
