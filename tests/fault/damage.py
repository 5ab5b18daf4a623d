#!/usr/bin/env python3
"""damage.py RELEASE_BUILD DAMAGES CUTS [RUNS]: whole pages of a store's data.mdb are damaged, DAMAGES times in five kinds (zeros,
random bytes, another page of the file, the page as it was before, turned bits), and the file is cut CUTS times, in copies of three
stores: a small one, one with every kind of record, and one of RUNS runs (300). Of each: no command may die by a signal; verify may not
say sound where a name, log, note, token or object differs from what was stored (P6 of store/engine.h); once a command has said that the
store is damaged, data.mdb stays as it is; and salvage makes a store that verify calls sound, with everything that the damaged store
itself still answers rightly: each run that it lists as it was stored and can export, and of these runs every tag, branch, entry of a
log, note and removed name, and every token. Where salvage says that nothing was lost, each of these and what each project uses is as it
was. Prints two tables: a row for each kind of damage, what was wrong in it (all of which has to be 0), and how many names salvage
brought back; and how many records of each sort. SIGTERM ends it early, with the tables of what was done. SEED says which pages (33)."""
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
# What a disk keeps is not tried here, and on one each store would wait for it. A container has 64 MiB often.
SHM = ("/dev/shm" if "TMPDIR" not in os.environ and os.access("/dev/shm", os.W_OK)
       and shutil.disk_usage("/dev/shm").free >= MEMORY_BYTES else None)


class Forks(threading.local):
    """A ts_fault_forks of each thread: a start of tscope takes longer than most of the commands here."""

    def __init__(self):
        env = {**os.environ, "TSCOPE_SERVER": "", "TSCOPE_PROJECT": "fault"}
        self.process = subprocess.Popen([f"{BUILD}/tests/fault/ts_fault_forks"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
        self.said, self.complained = tempfile.NamedTemporaryFile(dir=SHM), tempfile.NamedTemporaryFile(dir=SHM)

    def tscope(self, store, *words):
        request = (store, self.said.name, self.complained.name, *words, "")
        self.process.stdin.write("".join(word + "\0" for word in request).encode())
        self.process.stdin.flush()
        status = int(self.process.stdout.readline())
        with open(self.said.name) as said, open(self.complained.name) as complained:
            return subprocess.CompletedProcess(words, status, said.read(), complained.read())


FORKS = Forks()


def tscope(store, *words):
    return FORKS.tscope(store, *words)


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
    """Every kind of record: tags, branches, notes, tokens, removed names, a cache, extracts, unnamed objects."""
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


# A record as a command shows it: the sort, the run that it needs (or None), and all that is said of it.
Row = collections.namedtuple("Row", "sort run said")
SORTS = ("name", "tag", "branch", "entry", "note", "removed", "token", "account")
LISTED = {"run": "name", "tag": "tag", "branch": "branch"}
LOGS = 6  # the logs of so many runs are read: each is a process, which costs more than its answer


def rows_of_list(answer):
    return [Row(LISTED[answer["kind"]], row["id"], json.dumps(row)) for row in answer["rows"]]


def rows_of_log(answer):
    """A note stays while its name does, whatever the name points at."""
    last = answer["entries"][0]["id"] if answer["entries"] else None
    return ([Row("entry", entry["id"], answer["kind"] + answer["name"] + json.dumps(entry)) for entry in answer["entries"]]
            + [Row("note", last, answer["name"] + json.dumps(note)) for note in answer["notes"]])


def rows_of_restore(answer):
    return [Row("removed", row["id"], json.dumps(row)) for row in answer["removed"]]


def rows_of_tokens(answer):
    return [Row("token", None, json.dumps(row)) for row in answer["tokens"]]


def rows_of_projects(answer):
    return [Row("account", None, json.dumps(row)) for row in answer["projects"] + answer["senders"]]


def ask(store, rows_of, *words):
    """The status of a command and the rows of all pages of its answer; a command that fails has none."""
    rows, page = [], None
    while True:
        done = tscope(store, *words, "--json", *(["--page", page] if page else []))
        if done.returncode:
            return done.returncode, rows
        answer = json.loads(done.stdout)
        rows += rows_of(answer)
        page = answer.get("next_page")
        if not page:
            return 0, rows


def truth_of(store, logs=()):
    """What a store says, each by a command: the status of listing its names, or of the command that ended by a signal, and all rows."""
    every = ("--limit", "1000", "--all-projects")
    status, rows = ask(store, rows_of_list, "list", "--columns", "name,id,note.tone", *every)
    if status:
        return status, set()
    for rows_of, words in ((rows_of_list, ("list", "--tags", *every)), (rows_of_list, ("list", "--branches", *every)),
                           (rows_of_restore, ("restore",)), (rows_of_tokens, ("token", "list")), (rows_of_projects, ("projects",)),
                           *((rows_of_log, ("log", name, "--notes", "--limit", "100000")) for name in ("branch:main", *logs))):
        of, more = ask(store, rows_of, *words)
        rows += more
        if of < 0:
            status = of
    return status, set(rows)


def names_of(rows):
    return {json.loads(row.said)["name"]: row.run for row in rows if row.sort == "name"}


def store_of(name, path, older):
    """A sound store, what it says, and its data file as it was before."""
    _, rows = truth_of(path)
    logs = sorted(name.split("/", 1)[1] for name in names_of(rows))[:LOGS]
    status, truth = truth_of(path, logs)
    if status or tscope(path, "verify").returncode:
        sys.exit(f"the sound store {name} does not answer")
    with open(older, "rb") as f:
        return Store(name, path, logs, truth, f.read(), os.path.getsize(f"{path}/data.mdb"))


Store = collections.namedtuple("Store", "name path logs truth older size")


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


# What fails a trial, by the word that heads its column.
WRONG = {
    "died": "a command ended by a signal",
    "false": "called sound, but something differs",
    "written": "data.mdb was written to afterwards",
    "taken": "a push was acknowledged afterwards",
    "refused": "a push was refused though verify said sound",
    "unsaved": "salvage failed, or what it made is not sound",
    "lost": "salvage lacks what the damaged store still answers",
    "silent": "salvage called all saved, and something is missing or another",
}


class Trial:
    def __init__(self, top, pushed):
        self.top, self.store, self.saved, self.pushed = top, f"{top}/trial", f"{top}/saved", pushed
        self.counts = collections.defaultdict(collections.Counter)
        self.row, self.wrong = self.counts[""], []

    def run(self, kind, what, first, change):
        self.row = self.counts[kind]
        shutil.rmtree(self.store, ignore_errors=True)
        shutil.copytree(first.path, self.store)
        change(f"{self.store}/data.mdb")
        data = f"{self.store}/data.mdb"
        status, seen = truth_of(self.store, first.logs)  # a list first: it writes nothing, and meets the damage as it comes
        verify = tscope(self.store, "verify")
        before = digest(data)
        push = tscope(self.store, "push", self.pushed, "--name", "pushed")
        note = tscope(self.store, "note", first.logs[0], "tone=third")
        after = digest(data)
        died = [s for s in (status, verify.returncode, push.returncode, note.returncode) if s < 0]
        sound = verify.returncode == 0
        self.row["trials"] += 1
        self.row["sound"] += sound
        if died:
            self.fail("died", what, died)
        if sound and (status or seen != first.truth):
            self.fail("false", what, sorted(seen ^ first.truth)[:3])
        if not sound and before != after:
            self.fail("written", what, verify.stdout + verify.stderr)
        if not sound and not push.returncode:
            self.fail("taken", what, push.stdout)
        if sound and push.returncode:
            self.fail("refused", what, push.stderr)
        if not sound:
            self.save(what, first, seen)

    def save(self, what, first, seen):
        shutil.rmtree(self.saved, ignore_errors=True)
        done = tscope(self.store, "salvage", self.store, self.saved)
        if done.returncode not in (0, 1):
            self.fail("died" if done.returncode < 0 else "unsaved", what, done.stdout + done.stderr)
            return
        verify = tscope(self.saved, "verify")
        if verify.returncode:
            self.fail("unsaved", what, verify.stdout + verify.stderr)
        status, back = truth_of(self.saved, first.logs)
        if status:
            self.fail("died" if status < 0 else "unsaved", what, f"list: status {status}")
            return
        self.row["salvaged"] += 1
        for sort in SORTS:
            was = {row for row in first.truth if row.sort == sort}
            self.row[sort] += len(was)
            self.row[sort, "kept"] += len(was & back)
        if back != first.truth and done.returncode == 0:
            self.fail("silent", what, sorted(back ^ first.truth, key=str)[:3])
        self.still(what, (seen & first.truth) - back, names_of(seen))

    def still(self, what, missing, names):
        """What the damaged store still answers as it was stored has to be in the saved one, unless its run is not whole. Of many runs
        some are tried."""
        by_run = {run: name.split("/", 1)[1] for name, run in names.items()}
        tried, whole = [run for run in dict.fromkeys(row.run for row in sorted(missing, key=str)) if run in by_run][:5], set()
        for run in tried:
            out = f"{self.top}/out"
            shutil.rmtree(out, ignore_errors=True)
            if tscope(self.store, "export", by_run[run], out).returncode == 0:
                whole.add(run)
        lost = [row for row in missing if row.sort == "token" or row.run in whole]
        if lost:
            self.fail("lost", what, lost[:3])

    def fail(self, how, what, why):
        self.row[how] += 1
        self.wrong.append(f"{how}: {what}: {str(why)[:300]}")
        print(self.wrong[-1], flush=True)


def plural(sort):
    return {"branch": "branches", "entry": "entries of logs", "removed": "removed names"}.get(sort, sort + "s")


def table(trials):
    counts = {kind: sum((trial.counts[kind] for trial in trials), collections.Counter()) for kind in (*KINDS, "cut")}
    print(f"{'kind':8} {'trials':>7} {'sound':>6}" + "".join(f" {how:>8}" for how in WRONG) + f" {'salvaged':>9}   names as they were")
    for kind, row in [*counts.items(), ("all", sum(counts.values(), collections.Counter()))]:
        print(f"{kind:8} {row['trials']:7,} {row['sound']:6,}" + "".join(f" {row[how]:8,}" for how in WRONG)
              + f" {row['salvaged']:9,}   {row['name', 'kept']:,} of {row['name']:,}")
    for how, what in WRONG.items():
        print(f"  {how}: {what}")
    every = sum(counts.values(), collections.Counter())
    print("records as they were in what salvage made:")
    for sort in SORTS:
        print(f"  {plural(sort):15} {every[sort, 'kept']:9,} of {every[sort]:9,}")


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
        store = stores[n % len(stores)]
        cut = rnd.choice((0, 1, PAGE, 2 * PAGE, store.size - 1, store.size - PAGE, rnd.randrange(store.size)))
        trial.run("cut", f"{store.name} cut to {cut}", store, lambda path: os.truncate(path, cut))
    else:
        # A store of thousands of runs takes seconds to ask, so it gets a twentieth.
        store = stores[n // len(KINDS) % len(stores) if RUNS <= 300 else 2 if n % 100 < len(KINDS) else n // len(KINDS) % 2]
        kind = KINDS[n % len(KINDS)]
        page, change = damage(rnd, kind, store.size // PAGE, store.older)
        trial.run(kind, f"{store.name} {kind} page {page}", store, change)


def main():
    began, numbers, over = time.time(), itertools.count(), threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: over.set())
    with tempfile.TemporaryDirectory(prefix="tscope-damage-", dir=SHM) as top:
        stores, failed = [], []
        for make in (small, full, many):
            store, older = f"{top}/{make.__name__}", f"{top}/{make.__name__}.older"
            make(top, store, older)
            stores.append(store_of(make.__name__, store, older))

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
    if over.is_set():
        print("ended early")
    sizes = ", ".join(f"{store.name} {store.size // PAGE:,} pages" for store in stores)
    print(f"{DAMAGES:,} damaged pages and {CUTS} cuts were asked for, of three stores ({sizes}) in {time.time() - began:.0f} s")
    table(trials)
    if failed:
        raise failed[0]
    if any(trial.wrong for trial in trials):
        sys.exit(1)


if __name__ == "__main__":
    main()
