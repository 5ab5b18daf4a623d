#!/usr/bin/env python3
"""tscope why, bisect and reproduce, killed at many moments: kills.py BUILD [--moments N] [--seed N] prints how often something of them was left.

Each is killed at moments that are spread over the time that it takes undisturbed: by SIGTERM and SIGKILL, of which its helper processes clean up, and by
SIGKILL of the helpers, too, of which the next start does. Then no process, no worktree and no lock of it may be there, and each file of the user's clone, whose
tree is dirty, has to be as it was, those of .git too."""
import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import lab  # noqa: E402
from place import Place, is_there, wait_for  # noqa: E402

CLEAN_S = 30


def processes(p):
    """The processes that have this place's home folder in their environment: tscope, git and trainings."""
    mark, found = f"HOME={p.top}".encode(), []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                if mark in f.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:
            pass
    return found


def state(p):
    """Each file of the clone: its kind, time and content. .git/worktrees is git's own list of worktrees."""
    found = {}
    for folder, folders, names in os.walk(p.repo):
        if folder == os.path.join(p.repo, ".git"):
            folders[:] = [f for f in folders if f != "worktrees"]
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as f:
                found[path] = (os.stat(path).st_mode, os.stat(path).st_mtime_ns, hashlib.sha256(f.read()).hexdigest())
    return found


def left(p):
    """What is left of experiments, in words; empty: nothing."""
    runner, worktrees = os.path.join(p.top, ".local/state/tscope/runner"), os.path.join(p.repo, ".git/worktrees")
    said = [f"process {pid}" for pid in processes(p)]
    said += [f"{name} of the runner" for name in os.listdir(runner) if name != ".worktrees.lock"] if os.path.isdir(runner) else []
    said += [f"worktree {name}" for name in os.listdir(worktrees)] if os.path.isdir(worktrees) else []
    return said


def make_dirty(p):
    """What a user's tree may hold: changes that are staged, that are not, files that git does not track or ignores, and a stash."""
    lab.write(p.repo, {"train.py": open(os.path.join(p.repo, "train.py"), encoding="utf-8").read() + "# for later\n"})
    lab.git(p.repo, "stash")
    lab.write(p.repo, {".gitignore": "*.ckpt\n", "staged.py": "x = 1\n"})
    lab.git(p.repo, "add", "-A")
    lab.write(p.repo, {"train.py": open(os.path.join(p.repo, "train.py"), encoding="utf-8").read() + "# not committed\n", "new.txt": "not tracked\n", "a.ckpt": "ignored\n"})
    lab.git(p.repo, "status")  # so that the index has the times of all files


def commands(p):
    """Each command by its name, as words that take a folder for its runs."""
    config, train = os.path.join(p.top, "A.json"), (sys.executable, "train.py")
    return {"why": lambda folder: ("why", "--no-push", "-d", folder, "../A", "../pair", "--", *train, "{config-file}", "x"),
            "bisect": lambda folder: ("bisect", "--no-push", "-d", folder, p.commits[0], p.commits[12], "--", *train, config, "x"),
            "reproduce": lambda folder: ("reproduce", "../again", "--yes", "-d", folder + "-run")}


def make(build):
    p = Place(build)
    p.record("A")
    p.record("pair", gate=True, gate_scale=2, note="y")
    p.record_to_run_again("again", sys.executable, env={"SLOW": "0.02"})
    make_dirty(p)
    return p


def exe(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""


def kill(p, command, how):
    """Kills a command, and returns once it is gone. `all` takes its helpers as well, but neither git nor a training that they began."""
    if how == "SIGTERM":
        command.terminate()
    elif how == "SIGKILL":
        command.kill()
    else:
        ours = [pid for pid in processes(p) if os.path.basename(exe(pid)) == "tscope"]
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in ours:
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    pass
        wait_for(lambda: not any(is_there(pid) for pid in ours))  # what is dying still holds its lock
    command.wait()


def clear(p):
    """Takes away what was left, so that it is counted once."""
    for pid in processes(p):
        os.kill(pid, signal.SIGKILL)
    shutil.rmtree(os.path.join(p.top, ".local"), ignore_errors=True)
    subprocess.run(["git", "-C", p.repo, "worktree", "prune"], check=True, env=p.env)


def kill_at(p, words, folder, seconds, how):
    """Kills a command after some seconds. Returns whether git or a training of it ran then, and what is left once it had time, or a next start, to clean up."""
    command = p.begin(*words(folder))
    time.sleep(seconds)
    inside = command.poll() is None and any(os.path.basename(exe(pid)) != "tscope" for pid in processes(p))
    kill(p, command, how)
    if how == "all":
        p.run("reproduce", "../again")  # it opens the runner, shows what it would run, and asks
    wait_for(lambda: not left(p), CLEAN_S)
    shutil.rmtree(folder, ignore_errors=True)
    return inside, left(p)


def row(p, name, words, how, seconds, before):
    """Kills a command once at each moment, and prints a row of the table. Returns whether something was left or touched."""
    inside, dirty, touched = 0, 0, 0
    for i, moment in enumerate(seconds):
        ran, said = kill_at(p, words, os.path.join(p.top, f"{name}-{how}-{i}"), moment, how)
        inside += ran
        dirty += bool(said)
        touched += state(p) != before
        if said:
            print(f"FAILED {name} {how}: {', '.join(said)}", flush=True)
            clear(p)
    print(f"{name:<12}{how:<12}{len(seconds):>8}{inside:>10}{dirty:>6}{touched:>9}", flush=True)
    return dirty + touched > 0


def main():
    options = argparse.ArgumentParser()
    options.add_argument("build")
    options.add_argument("--moments", type=int, default=6, help="of each command and each way to kill it")
    options.add_argument("--seed", type=int, default=0)
    options = options.parse_args()
    draw, p, bad = random.Random(options.seed), make(options.build), 0
    before = state(p)
    try:
        print(f"{'command':<12}{'killed by':<12}{'moments':>8}{'in a run':>10}{'left':>6}{'touched':>9}")
        for name, words in commands(p).items():
            began = time.monotonic()
            code, took = p.begin(*words(os.path.join(p.top, "undisturbed-" + name))).wait(), time.monotonic() - began
            if code:
                print(f"FAILED {name} undisturbed ended with {code}")
            bad += code != 0
            for how in ("SIGTERM", "SIGKILL", "all"):
                bad += row(p, name, words, how, [(i + draw.random()) / options.moments * took for i in range(options.moments)], before)
    finally:
        p.close()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
