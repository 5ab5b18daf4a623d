#!/usr/bin/env python3
"""planted.py FOLDER [HISTORIES] [SEED]: whether histories find faults of the store that are planted on purpose.

Each fault stands beside the same slow-down of the store without it: a commit, or a sweep, that takes as long as it does on a slow disk or in a
large store. Histories have to find the fault, and nothing without it. FOLDER is where the tree is copied to and built (preset release), as
for tests/mutants.py; it is used again. Prints a row for each, and ends with 1 where a fault was missed or something was found without one."""
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What, a file, and its texts with what stands in their places.
SLOW_COMMIT = ("store/lmdb_lane.c", "rc = ts_env_commit(env, txn);\n\treturn rc", "usleep(20000);\n\trc = ts_env_commit(env, txn);\n\treturn rc")
# The first job of a group stays, so that its leader waits for the commit; those behind it are answered, and their memory is not touched again.
EARLY = ("store/lmdb_lane.c", "usleep(20000);\n", """pthread_mutex_lock(&env->lane.lock);
	for (struct ts_lmdb_job *job = jobs->next, *next; job; job = next) {
		next = job->next;
		job->done = true;
	}
	jobs->next = NULL;
	pthread_cond_broadcast(&env->lane.turn);
	pthread_mutex_unlock(&env->lane.lock);
	usleep(20000);
""")
SLOW_SWEEP = ("store/store_sweep.c", "decide(s, err) || settle_all(s, err)", "decide(s, err) || usleep(50000) || settle_all(s, err)")
# What a commit names while a sweep goes on keeps the lease that it had, which the sweep does not honour.
NEVER = ("store/store_ref.c", "if (!ts_sweeping_honours(&commit->sweeping, record.lease_ns, commit->now_ns))", "if (false)")
TRIALS = (
    ("a slow commit", (SLOW_COMMIT,), False),
    ("a commit is acknowledged before it is made", (SLOW_COMMIT, EARLY), True),
    ("a slow sweep", (SLOW_SWEEP,), False),
    ("a lease is renewed too late for the sweep that goes on", (SLOW_SWEEP, NEVER), True),
)


def copy_tree(folder):
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for file in files:
        source, copy = os.path.join(ROOT, file), os.path.join(folder, file)
        if os.path.isfile(source) and not (os.path.exists(copy) and open(copy, "rb").read() == open(source, "rb").read()):
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copy(source, copy)


def plant(folder, changes):
    """Puts the changes into the copy, and returns what its files were."""
    were = {}
    for file, old, new in changes:
        path = os.path.join(folder, file)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        were.setdefault(path, text)
        if text.count(old) != 1:
            sys.exit(f"{file}: what a fault takes the place of is there {text.count(old)} times: {old}")
        if "<unistd.h>" not in text:
            text = text.replace('#include "base/', '#include <unistd.h>\n\n#include "base/', 1)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text.replace(old, new))
    return were


def build(folder):
    for command in (["cmake", "--preset", "release"], ["cmake", "--build", "build/release", "--target", "tscoped"]):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, "CCACHE_BASEDIR": folder})
        if done.returncode:
            sys.exit(f"{' '.join(command)}: {done.stdout[-2000:]}{done.stderr[-2000:]}")


def main():
    folder, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 60
    seed, wrong = int(sys.argv[3]) if len(sys.argv) > 3 else 1, 0
    copy_tree(folder)
    for what, changes, is_fault in TRIALS:
        were = plant(folder, changes)
        try:
            build(folder)
            done = subprocess.run([sys.executable, os.path.join(ROOT, "tests/histories/run.py"), os.path.join(folder, "build/release"), str(count), str(seed)],
                                  capture_output=True, text=True)
        finally:
            for path, text in were.items():
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
        if done.returncode == 77:
            print(done.stdout, end="")
            return 77
        told = re.search(r"^(\d+) histories, (\d+) calls, .*: (\d+) violations$", done.stdout, re.M)
        found = int(told[3]) if told else -1
        right = found > 0 if is_fault else found == 0 and not done.returncode
        wrong += not right
        first = re.search(r"^history (\d+)", done.stdout, re.M)
        print(f"{what:58} {told[0] if told else done.stdout[-300:] + done.stderr[-300:]}"
              f"{f', the first in history {first[1]}' if first else ''}{'' if right else ': WRONG'}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
