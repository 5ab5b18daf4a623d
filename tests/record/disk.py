#!/usr/bin/env python3
"""Fills the disk of a recorder, limits its files, cuts and removes its file: training goes on, and it is said once: disk.py BUILD."""
import contextlib
import os
import subprocess
import sys
import tempfile

import drive

STEPS = 60000  # 6.5 MB


@contextlib.contextmanager
def small_disk(top, size):
    """Yields a directory on a disk of its own, or None if this process may not mount."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", top], capture_output=True).returncode == 0
    try:
        yield top if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", top], check=True)


def finish(d, said, reason, steps):
    """Holds the end of a recording that stopped to what was promised, and returns how many steps it has."""
    out, err = d.process.communicate()
    assert d.process.returncode == 0, (d.process.returncode, err)
    assert d.said()[0] == steps, "training stopped"
    lines = [line for line in err.splitlines() if line.startswith("tscope:")]
    assert len(lines) == 1 and said in lines[0], err
    assert "stopped 1" in out and said in out, out
    if reason is None:
        return None
    parsed, seen = drive.parse(d.bytes())
    lost = int(out.split()[1])
    assert seen == set(range(len(seen))) and len(seen) + lost == steps, (len(seen), lost)
    assert parsed.end[1] == len(seen) and parsed.end[2] == lost and parsed.end[4] == reason, parsed.end
    assert not parsed.bad
    return len(seen)


def full_disk(build, keeper):
    with tempfile.TemporaryDirectory() as top, tempfile.TemporaryDirectory() as other, small_disk(top, "3m") as disk:
        if disk is None:
            return "full disk: not tried, since this user may not mount"
        d = drive.Drive(build, other, STEPS, directory=os.path.join(disk, "run"), stderr=subprocess.PIPE, keeper=keeper)
        kept = finish(d, "No space left on device", 2, STEPS)
        return f"full disk of 3 MiB: {kept} of {STEPS} steps kept"


def no_space_at_all(build, keeper):
    with tempfile.TemporaryDirectory() as top, tempfile.TemporaryDirectory() as other, small_disk(top, "56k") as disk:
        if disk is None:
            return "disk that is full at the beginning: not tried"
        d = drive.Drive(build, other, 10, directory=os.path.join(disk, "run"), stderr=subprocess.PIPE, keeper=keeper)
        err = d.process.communicate()[1]
        assert d.process.returncode == 1 and "No space left on device" in err, err
        assert not os.path.exists(d.file)
        return "disk that is full at the beginning: an error, and no file is left"


def limit(build, keeper):
    with tempfile.TemporaryDirectory() as top:
        d = drive.Drive(build, top, STEPS, limit=3 << 20, stderr=subprocess.PIPE, keeper=keeper)
        return f"RLIMIT_FSIZE of 3 MiB: {finish(d, 'File too large', 2, STEPS)} of {STEPS} steps kept"


def damage(build, keeper, what):
    with tempfile.TemporaryDirectory() as top:
        d = drive.Drive(build, top, 12, pause_us=150000, flush_ms=20, stderr=subprocess.PIPE, keeper=keeper)
        d.wait(0, 2)
        if what == "cut":
            os.truncate(d.file, 0)
        else:
            os.unlink(d.file)
        finish(d, "the file was cut or removed", None, 12)
        return f"file {what}: said, and training went on"


def main():
    for keeper in ("process", "thread"):
        print(f"the keeper is a {keeper}:")
        for line in (full_disk(sys.argv[1], keeper), no_space_at_all(sys.argv[1], keeper), limit(sys.argv[1], keeper),
                     damage(sys.argv[1], keeper, "cut"), damage(sys.argv[1], keeper, "removed")):
            print("  " + line)


if __name__ == "__main__":
    main()
