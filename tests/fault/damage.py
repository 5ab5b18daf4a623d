#!/usr/bin/env python3
"""damage.py RELEASE_BUILD DAMAGES CUTS [RUNS]: whole pages of a store's data.mdb are damaged, DAMAGES times in five kinds (zeros, random bytes,
another page of the file, the page as it was before, turned bits), and the file is cut CUTS times, in copies of three stores: a small
one, one with every kind of record, and one of RUNS runs (300). Of each: no command may die by a signal; verify may not say sound where
a name, log, note, token or object differs from what was stored (P6 of store/engine.h); once a command has said that the store is
damaged, data.mdb stays as it is; and salvage makes a store that verify calls sound, with everything that the damaged store itself still
answers rightly: each run that it lists as it was stored and can export. Prints a table: a row for each kind of damage, what was wrong in
it (all of which has to be 0), and how much salvage brought back. SIGTERM ends it early, with the table of what was done."""
import collections
import hashlib
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import write_run  # noqa: E402

BUILD, DAMAGES, CUTS = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
RUNS = int(sys.argv[4]) if len(sys.argv) > 4 else 300
PAGE = 4096
MEMORY_BYTES = 4 << 30  # what the copies of a long trial take at most, roughly
KINDS = ("zeros", "random", "swapped", "older", "bits")
DAMAGE = "the store is damaged"


def tscope(store, *words):
    return subprocess.run([f"{BUILD}/tscope", *words], text=True, capture_output=True, timeout=300,
                          env={**os.environ, "TSCOPE_STORE": store, "TSCOPE_SERVER": "", "TSCOPE_PROJECT": "fault"})


def must(done):
    if done.returncode not in (0, 1):
        sys.exit(f"{done.args}: {done.returncode} {done.stdout}{done.stderr}")
    return done.stdout


def small(top, store, older):
    for n in range(4):
        write_run(f"{top}/small{n}", n)
        must(tscope(store, "push", f"{top}/small{n}", "--name", f"run{n}"))
        if n == 2:
            shutil.copy(f"{store}/data.mdb", older)


def full(top, store, older):
    """Every kind of record: tags, branches, notes, tokens, removed names, retired entries of none, a cache, extracts, unnamed objects."""
    for n in range(12):
        write_run(f"{top}/full{n}", n, steps=400)
        must(tscope(store, "push", f"{top}/full{n}", "--name", f"run{n}", "--branch", "main"))
        must(tscope(store, "note", f"run{n}", "tone=first"))
    for n in range(3):
        must(tscope(store, "tag", f"run{n}", f"v{n}"))
        must(tscope(store, "token", "make", f"token{n}", "--role", "read"))
    must(tscope(store, "rm", "run11"))
    must(tscope(store, "analyze", "run0"))
    shutil.copy(f"{store}/data.mdb", older)
    for n in range(8):
        must(tscope(store, "note", f"run{n}", "tone=second"))
    must(tscope(store, "tag", "run5", "v1", "--force"))
    must(tscope(store, "rm", "run10"))
    must(tscope(store, "analyze", "run1"))


def many(top, store, older):
    folders = []
    for n in range(RUNS):
        write_run(f"{top}/many/m{n}", n, steps=8)
        folders.append(f"{top}/many/m{n}")
    for at in range(0, RUNS, 200):
        must(tscope(store, "push", "--branch", "main", *folders[at:at + 200]))
        if at < RUNS // 2:
            shutil.copy(f"{store}/data.mdb", older)


def truth_of(store):
    """What a store says: names with their ids, the log of the branch, notes, tags, tokens, removed names, each by a command."""
    out = {}
    names, page = [], None
    while True:
        done = tscope(store, "list", "--json", "--columns", "name,id,note.tone", "--limit", "1000", "--all-projects", *(["--page", page] if page else []))
        if done.returncode:
            return done.returncode, None
        answer = json.loads(done.stdout)
        names += [(row["name"], row["id"], json.dumps(row, sort_keys=True)) for row in answer["rows"]]
        page = answer["next_page"]
        if not page:
            break
    out["names"] = sorted(names)
    for words in (("log", "branch:main", "--json", "--limit", "100000"), ("tag", "--json"), ("restore", "--json"), ("token", "list", "--json")):
        done = tscope(store, *words)
        out[words[0]] = done.stdout if done.returncode in (0, 1) else f"status {done.returncode}"
        if done.returncode < 0:
            return done.returncode, None
    return 0, out


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


# What fails a trial, by the word that heads its column.
WRONG = {"died": "a command ended by a signal", "false": "called sound, but something differs", "written": "data.mdb was written to afterwards",
         "taken": "a push was acknowledged afterwards", "refused": "a push was refused though verify said sound", "unsaved": "salvage failed, or what it made is not sound",
         "lost": "salvage lacks what the damaged store still answers", "silent": "salvage called all saved, and a name is missing or another"}


class Trial:
    def __init__(self, top, pushed):
        self.top, self.store, self.saved, self.pushed = top, f"{top}/trial", f"{top}/saved", pushed
        self.counts = collections.defaultdict(collections.Counter)
        self.row, self.wrong = self.counts[""], []

    def run(self, kind, what, first, truth, change):
        self.row = self.counts[kind]
        shutil.rmtree(self.store, ignore_errors=True)
        shutil.copytree(first, self.store)
        change(f"{self.store}/data.mdb")
        data = f"{self.store}/data.mdb"
        status, seen = truth_of(self.store)  # a list first: it writes nothing, and meets the damage as it comes
        verify = tscope(self.store, "verify")
        before = digest(data)
        push = tscope(self.store, "push", self.pushed, "--name", "pushed")
        note = tscope(self.store, "note", truth["names"][0][0].split("/")[1], "tone=third")
        after = digest(data)
        died = [s for s in (status, verify.returncode, push.returncode, note.returncode) if s < 0]
        sound = verify.returncode == 0
        self.row["trials"] += 1
        self.row["sound"] += sound
        if died:
            self.fail("died", what, died)
        if sound and (status or seen != truth):
            self.fail("false", what, "")
        if not sound and before != after:
            self.fail("written", what, verify.stdout + verify.stderr)
        if not sound and not push.returncode:
            self.fail("taken", what, push.stdout)
        if sound and push.returncode:
            self.fail("refused", what, push.stderr)
        if not sound:
            self.save(what, truth, seen if not status else None)

    def save(self, what, truth, still):
        shutil.rmtree(self.saved, ignore_errors=True)
        done = tscope(self.store, "salvage", self.store, self.saved)
        if done.returncode not in (0, 1):
            self.fail("died" if done.returncode < 0 else "unsaved", what, done.stdout + done.stderr)
            return
        verify = tscope(self.saved, "verify")
        if verify.returncode:
            self.fail("unsaved", what, verify.stdout + verify.stderr)
        status, seen = truth_of(self.saved)
        if status:
            self.fail("died" if status < 0 else "unsaved", what, f"list: status {status}")
            return
        names, back = ({name: run for name, run, _ in of["names"]} for of in (truth, seen))
        self.row["salvaged"] += 1
        self.row["names"] += len(names)
        self.row["kept"] += sum(back.get(n) == run for n, run in names.items())
        if names != back and done.returncode == 0:
            self.fail("silent", what, sorted(n for n in set(names) | set(back) if names.get(n) != back.get(n))[:3])
        self.still(what, truth, still or {}, seen)

    def still(self, what, truth, still, saved):
        """What the damaged store still answers as it was stored has to be in the saved one. Of many lost names some are tried."""
        have = set(saved["names"])
        for name, _, row in [n for n in set(still.get("names", ())) & set(truth["names"]) - have][:5]:
            out = f"{self.top}/out"
            shutil.rmtree(out, ignore_errors=True)
            if tscope(self.store, "export", name.split("/", 1)[1], out).returncode == 0:
                self.fail("lost", what, row)

    def fail(self, how, what, why):
        self.row[how] += 1
        self.wrong.append(f"{how}: {what}: {str(why)[:300]}")
        print(self.wrong[-1], flush=True)


def table(trials):
    counts = {kind: sum((trial.counts[kind] for trial in trials), collections.Counter()) for kind in (*KINDS, "cut")}
    print(f"{'kind':8} {'trials':>7} {'sound':>6}" + "".join(f" {how:>8}" for how in WRONG) + f" {'salvaged':>9}   names as they were")
    for kind, row in [*counts.items(), ("all", sum(counts.values(), collections.Counter()))]:
        print(f"{kind:8} {row['trials']:7,} {row['sound']:6,}" + "".join(f" {row[how]:8,}" for how in WRONG)
              + f" {row['salvaged']:9,}   {row['kept']:,} of {row['names']:,}")
    for how, what in WRONG.items():
        print(f"  {how}: {what}")


def damage(rnd, kind, pages, older):
    page, other = rnd.randrange(pages), rnd.randrange(pages)

    def change(path):
        with open(path, "r+b") as f:
            f.seek(page * PAGE)
            was = f.read(PAGE)
            if kind == "zeros":
                now = bytes(PAGE)
            elif kind == "random":
                now = rnd.randbytes(PAGE)
            elif kind == "swapped":
                f.seek(other * PAGE)
                now = f.read(PAGE)
                f.seek(other * PAGE)
                f.write(was)
            elif kind == "older":
                now = older[page * PAGE:(page + 1) * PAGE] or was
            else:
                now = bytearray(was)
                for _ in range(rnd.choice((1, 1, 8, 64))):
                    now[rnd.randrange(PAGE)] ^= 1 << rnd.randrange(8)
            f.seek(page * PAGE)
            f.write(now)
    return page, change


def one(trial, stores, n):
    """The trial of number n, whoever makes it: the cuts come first."""
    rnd = random.Random(f"{os.environ.get('SEED', '33')} {n}")
    if n < CUTS:
        name, store, truth, older, size = stores[n % len(stores)]
        cut = rnd.choice((0, 1, PAGE, 2 * PAGE, size - 1, size - PAGE, rnd.randrange(size)))
        trial.run("cut", f"{name} cut to {cut}", store, truth, lambda path: os.truncate(path, cut))
    else:
        # A store of thousands of runs takes seconds to ask, so it gets a twentieth.
        name, store, truth, older, size = stores[n // len(KINDS) % len(stores) if RUNS <= 300 else 2 if n % 100 < len(KINDS) else n // len(KINDS) % 2]
        kind = KINDS[n % len(KINDS)]
        page, change = damage(rnd, kind, size // PAGE, older)
        trial.run(kind, f"{name} {kind} page {page}", store, truth, change)


def main():
    began, numbers, over = time.time(), itertools.count(), threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: over.set())
    # What a disk keeps is not tried here, and on one each store would wait for it.
    shm = "/dev/shm" if "TMPDIR" not in os.environ and os.access("/dev/shm", os.W_OK) else None
    if shm and shutil.disk_usage(shm).free < MEMORY_BYTES:  # a container has 64 MiB often
        shm = None
    with tempfile.TemporaryDirectory(prefix="tscope-damage-", dir=shm) as top:
        stores, failed = [], []
        for make in (small, full, many):
            store, older = f"{top}/{make.__name__}", f"{top}/{make.__name__}.older"
            make(top, store, older)
            status, truth = truth_of(store)
            if status or tscope(store, "verify").returncode:
                sys.exit(f"the sound store {make.__name__} does not answer")
            stores.append((make.__name__, store, truth, open(older, "rb").read(), os.path.getsize(f"{store}/data.mdb")))

        def work(trial):
            try:
                while not over.is_set() and (n := next(numbers)) < DAMAGES + CUTS:
                    if n % 1000 == 999:
                        print(f"{n + 1:,} of {DAMAGES + CUTS:,} in {time.time() - began:.0f} s", file=sys.stderr, flush=True)
                    one(trial, stores, n)
            except BaseException as e:
                failed.append(e)
                over.set()

        trials = [Trial(f"{top}/by{n}", f"{top}/small0") for n in range(os.cpu_count() or 1)]
        threads = [threading.Thread(target=work, args=(trial,)) for trial in trials]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failed:
            raise failed[0]
    if over.is_set():
        print("ended early")
    print(f"{DAMAGES:,} damaged pages and {CUTS} cuts were asked for, of three stores ({', '.join(f'{s[0]} {s[4] // PAGE:,} pages' for s in stores)}) in {time.time() - began:.0f} s")
    table(trials)
    if any(trial.wrong for trial in trials):
        sys.exit(1)


if __name__ == "__main__":
    main()
