#!/usr/bin/env python3
"""job.py BUILD [CORPUS]: holds `tscope analyze FOLDER` to simulated jobs of which the truth is known (make_job.py), and, with a corpus of real
traces, to a second computation of who arrives last, which knows nothing of the first. Prints a line for each, and fails where one is off."""
import glob
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

from make_job import BASE, Job

TSCOPE = os.path.join(os.path.abspath(sys.argv[1]), "tscope")
MS = 1_000_000
bad = []


def ask(folder):
    done = subprocess.run([TSCOPE, "analyze", "--json", folder], capture_output=True, text=True)
    answer = json.loads(done.stdout)
    if done.returncode:
        raise SystemExit(f"{folder}: {answer}")
    return answer


def same(name, got, wanted):
    if got != wanted:
        bad.append(f"{name}: {got} and not {wanted}")
    return got == wanted


def within(name, got, least, most):
    if not least <= got <= most:
        bad.append(f"{name}: {got} is not in {least} to {most}")


class Case:
    def __init__(self, name, job, **how):
        self.name, self.job, self.errors = name, job, len(bad)
        with tempfile.TemporaryDirectory() as folder:
            job.write(folder, **how)
            self.answer = ask(folder)
        self.ranks = self.answer["ranks"]

    def said(self, what):
        print(f"{self.name:58} {'as it is' if len(bad) == self.errors else 'OFF'}: {what}")

    def exact(self):
        """Where clocks are one, every figure is right to the nanosecond."""
        last, caused, waited, lateness = self.job.waits()
        same(self.name + " last", [r["last_count"] for r in self.ranks], last)
        same(self.name + " caused", [r["caused_ns"] for r in self.ranks], caused)
        same(self.name + " waited", [r["waiting_ns"] for r in self.ranks], waited)
        same(self.name + " lateness", sorted(c["lateness_ns"] for c in self.answer["collectives"]), sorted(lateness))
        same(self.name + " violations", self.answer["violation_count"], 0)
        same(self.name + " exposed", [r["exposed_waiting_ns"] for r in self.ranks], [self.job.exposed(r) for r in range(self.job.ranks)])
        same(self.name + " corrected", any(r["clock"]["corrected"] for r in self.ranks), False)
        self.said(f"{len(lateness)} collectives, last {last}")

    def clocks(self, reach):
        """Offsets are right to `reach`, and within what the program says of them; so is what each rank waited."""
        worst = 0
        first = min(b for _, b, _, _, _ in self.job.events[0])
        for rank, r in enumerate(self.ranks):
            c = r["clock"]
            start = self.job.stamp(0, first)  # where the program counts from, by the clock of rank 0
            truth = self.job.offset[rank] - self.job.offset[0]
            drift = (self.job.drift[rank] - self.job.drift[0]) * 1e9
            truth += (self.job.drift[rank] - self.job.drift[0]) * start
            error = truth - c["offset_ns"]
            worst = max(worst, abs(error))
            within(f"{self.name} offset of rank {rank}", error, -reach, reach)
            if not any(self.job.drift):
                within(f"{self.name} bound of rank {rank}", error, c["error_low_ns"], c["error_high_ns"])
            within(f"{self.name} drift of rank {rank}", c["drift_ppb"] - drift, -1000, 1000)
        _, _, waited, lateness = self.job.waits()
        for rank, r in enumerate(self.ranks):
            within(f"{self.name} waiting of rank {rank}", r["waiting_ns"] - waited[rank], -reach * len(lateness), reach * len(lateness))
        same(self.name + " violations", self.answer["violation_count"], 0)
        self.said(f"offsets to {worst:.0f} ns, drift {[r['clock']['drift_ppb'] for r in self.ranks]}")


    def roots(self, exact, kinds):
        """What is said to wait did, and what did is at most that and the unknown; of those ranks and kinds in `exact` all is known."""
        said = 0
        for r in self.ranks:
            for kind in r["kinds"]:
                if not kind["kernel_count"]:
                    continue
                names = {"send_recv": ("send", "recv"), "all_reduce": ("allreduce",)}.get(kind["kind"], (kind["kind"],))
                true = sum(self.job.waited.get((r["rank"], name), 0) for name in names)
                what, waiting = f"{self.name} {kind['kind']} of rank {r['rank']}", kind["waiting_ns"]
                same(what + " matched", kind["matched_count"], kind["kernel_count"])
                same(what + " adds up", waiting + kind["transfer_ns"] + kind["unknown_ns"], kind["sum_ns"])
                within(what + " waiting", true, waiting, waiting + kind["unknown_ns"])
                if (r["rank"], kind["kind"]) in exact:
                    same(what + " is exact", waiting, true)
                said += waiting
        same(self.name + " violations", self.answer["violation_count"], 0)
        same(self.name + " kinds", sorted({c["kind"] for c in self.answer["collectives"]}), sorted(kinds))
        self.said(f"{said} ns of waiting, and {sum(k['unknown_ns'] for r in self.ranks for k in r['kinds'])} ns unknown")

    def nothing(self, kind, reason, whose):
        """Of the kind no waiting is said, but why."""
        for r in self.ranks:
            for row in r["kinds"]:
                if row["kind"] == kind and row["kernel_count"]:
                    same(f"{self.name} of rank {r['rank']}", row["waiting_ns"], None)
                    within(f"{self.name} unknown of rank {r['rank']}", row["unknown_ns"], 1, row["sum_ns"])
        counts = sum(row[reason] for row in whose(self.answer) if row)
        within(self.name + " " + reason, counts, 1, 10**6)
        self.said(f"{reason} {counts}")


def noisy(seed, base=2 * MS, spread=0.2, slow=None, by=0.0):
    rng = random.Random(seed)
    return lambda rank, step, k: base * (1 + spread * rng.random()) * (1 + by * (rank == slow))


def one_clock():
    for seed in range(4):
        Case(f"one clock, seed {seed}", Job(4, 5, [[0, 1, 2, 3]], noisy(seed), jitter=20_000, seed=seed)).exact()
    mesh = [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2, 4, 6], [1, 3, 5, 7]]
    Case("groups of a mesh, by number", Job(8, 5, mesh, noisy(1), kinds=("allreduce", "_allgather_base"), jitter=5000)).exact()
    Case("groups of a mesh, by order", Job(8, 5, mesh, noisy(2), jitter=5000), numbered=False).exact()
    Case("an unnamed group", Job(4, 5, [[0, 1, 2, 3]], noisy(3)), named=False).exact()
    Case("collectives that only operators describe", Job(8, 5, mesh, noisy(6), jitter=5000), by_operator=True).exact()
    Case("collectives that begin before the computation ends", Job(4, 5, [[0, 1, 2, 3]], noisy(7, spread=0.9), overlap=MS)).exact()
    Case("bases that differ", Job(3, 5, [[0, 1, 2]], noisy(8)), bases=[BASE, 0, BASE - 7776000 * 10**9]).exact()
    Case("a broadcast has no waiting", Job(3, 5, [[0, 1, 2], [0, 1, 2]], noisy(4), kinds=("allreduce", "broadcast"))).exact()
    Case("microseconds apart on one clock", Job(2, 5, [[0, 1]], noisy(5), jitter=40_000)).exact()


def rooted():
    """Broadcasts, reduces, sends: what must wait is exact, what may is bounded, whether buffers take what is not waited for or not."""
    groups, kinds = [[0, 1, 2, 3]] * 3, ("allreduce", "broadcast", "reduce")
    of_kinds = lambda answer: [k for r in answer["ranks"] for k in r["kinds"]]
    of_groups = lambda answer: [g["unmatched_kernels"] for g in answer["groups"]]
    for eager in (True, False):
        how = "buffers take it" if eager else "all stay"
        for root in (0, 2):
            job = Job(4, 6, groups, noisy(50 + root, spread=2.0), kinds=kinds, roots={1: root, 2: root}, eager=eager, seed=root)
            exact = {(r, "broadcast") for r in range(4) if r != root and eager} | {(root, "reduce")}
            Case(f"broadcast and reduce, root {root}, {how}", job).roots(exact, ["all_reduce", "broadcast", "reduce"])
        pipe = [[0, 1, 2, 3], [0, 1], [1, 2], [2, 3], [3, 2], [2, 1], [1, 0]]
        for wide in (False, True):
            job = Job(4, 6, pipe, noisy(60, spread=2.0), kinds=("allreduce",) + ("send",) * 6, eager=eager)
            exact = {(0, "all_reduce")} | {(r, "send_recv") for r in range(4) if eager}
            case = Case(f"a pipeline of sends{' in one group' if wide else ''}, {how}", job, wide=wide)
            case.roots(exact, ["all_reduce", "send_recv"])
            same(case.name + " pairs", sum(g["pair_count"] for g in case.answer["groups"]), 36)
    job = Job(4, 5, [[1, 3], [0, 1, 2, 3]], noisy(70, spread=2.0), kinds=("broadcast", "allreduce"), roots={0: 3}, offset=[0, 0, 0, 4 * MS])
    Case("a broadcast in a group of two, clocks aligned", job).roots(set(), ["all_reduce", "broadcast"])
    job = Job(4, 5, [[0, 1, 2, 3], [0, 2]], noisy(71), kinds=("allreduce", "send"))
    Case("a send that does not say with whom, of two", job, peers=False).roots(set(), ["all_reduce", "send_recv"])
    Case("a send that does not say with whom, of four", job, peers=False, wide=True).nothing("send_recv", "no_peer", of_groups)
    Case("a broadcast whose root is not said", Job(3, 5, [[0, 1, 2]] * 2, noisy(72), kinds=("allreduce", "broadcast"))
         ).nothing("broadcast", "no_root_count", of_kinds)
    job = Job(2, 5, [[0, 1]], noisy(73), kinds=("send",))
    Case("sends of clocks that nothing aligns", job).nothing("send_recv", "no_clock_count", of_kinds)
    Case("sends on one host", job, host="a").roots({(1, "send_recv")}, ["send_recv"])
    job.events[1].remove([e for e in job.events[1] if e[0] == "recv"][2])
    case = Case("a receive less", job, host="a")
    same(case.name, sum(g["pair_count"] for g in case.answer["groups"]), 4)
    case.said([g["example"] for g in case.answer["groups"]])


def clocks():
    for seed in range(4):
        rng = random.Random(seed)
        offset = [rng.randint(-50 * MS, 50 * MS) for _ in range(8)]
        Case(f"offsets, seed {seed}", Job(8, 20, [list(range(8))], noisy(seed), offset=offset, jitter=20_000, seed=seed)).clocks(25_000)
    mesh = [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2, 4, 6], [1, 3, 5, 7]]
    host = [0, 0, 0, 0, -7 * MS, -7 * MS, -7 * MS, -7 * MS]
    Case("two hosts, groups of a mesh", Job(8, 20, mesh, noisy(9), offset=host, jitter=10_000)).clocks(25_000)
    Case("offsets, by order", Job(4, 20, [[0, 1, 2, 3]], noisy(11), offset=[0, 3 * MS, 300_000, -90_000], jitter=4000), numbered=False
         ).clocks(25_000)
    drift = [0, 2e-5, -3e-5, 4e-5]
    Case("drift", Job(4, 200, [[0, 1, 2, 3]], noisy(12, 20 * MS), offset=[0, 3 * MS, 0, -9 * MS], drift=drift, jitter=10_000)).clocks(60_000)
    Case("drift from one clock", Job(2, 200, [[0, 1]], noisy(13, 20 * MS), drift=[0, 5e-5], jitter=5000)).clocks(60_000)


def unmatched():
    """A kernel less on one rank: without numbers its step is not matched, with numbers it alone; everything else is."""
    for numbered, left in ((False, 8), (True, 9)):
        job = Job(2, 5, [[0, 1], [0, 1]], noisy(20))
        kernels = [e for e in job.events[1] if e[4]]
        job.events[1].remove(kernels[4])
        name = f"a kernel less, {'by number' if numbered else 'by order'}"
        case = Case(name, job, numbered=numbered)
        same(name, sum(g["matched_count"] for g in case.answer["groups"]), left + (0 if numbered else 1))
        case.said([g["example"] for g in case.answer["groups"] if g["example"]])
    job = Job(4, 5, [[0, 1], [2, 3]], noisy(21, spread=3.0))
    case = Case("two unnamed groups that look like one", job, named=False)
    same(case.name, sum(g["matched_count"] for g in case.answer["groups"]), 0)
    case.said(case.answer["groups"][0]["unmatched_kernels"])


def folders():
    """Cycles of one rank; a copy; ranks that are missing; a trace that is none."""
    with tempfile.TemporaryDirectory() as folder:
        first, second = Job(2, 3, [[0, 1]], noisy(30)), Job(2, 3, [[0, 1]], noisy(31))
        second.offset = [-100 * MS, -100 * MS]
        first.write(folder, ["a.pt.trace.json", "b.pt.trace.json.gz"])
        second.write(folder, ["c.pt.trace.json", "d.pt.trace.json"], numbered=True)
        shutil.copy(os.path.join(folder, "a.pt.trace.json"), os.path.join(folder, "z.pt.trace.json"))
        answer = ask(folder)
    errors = len(bad)
    same("cycles", [r["file_count"] for r in answer["ranks"]], [2, 2])
    same("cycles: files", sorted(f["state"] for f in answer["files"]), ["read"] * 4 + ["same_time"])
    same("cycles: waiting", [r["waiting_ns"] for r in answer["ranks"]],
         [a + b for a, b in zip(first.waits()[2], second.waits()[2])])
    print(f"{'cycles of a profiler, and a copy':58} {'as it is' if len(bad) == errors else 'OFF'}: {[f['reason'] for f in answer['files'] if f['reason']]}")


def stragglers():
    """Own time names the slow rank, though steps are as long on all; equal ranks are not named; few steps decide nothing."""
    for name, steps, slow, by, named, decidable in (("a slow rank of 8", 40, 5, 0.2, [5], True), ("8 equal ranks", 40, None, 0, [], True),
                                                    ("a slow rank of 8, in 4 steps", 4, 5, 0.2, [], False)):
        case = Case(name, Job(8, steps, [list(range(8))] * 2, noisy(40, slow=slow, by=by), jitter=3000))
        same(name, [r["rank"] for r in case.ranks if r["straggler"]], named)
        same(name + " decided", case.answer["stragglers_decidable"], decidable)
        if not decidable:
            same(name + " needs", case.answer["steps_needed"], 8)
        case.said(f"{steps} steps, slow {named}, {case.answer['stragglers_undecided'] or 'decided'}")


def corpus(folder):
    """The jobs of the corpus, all of one group and on one clock: the k-th collective of each rank, by its begin."""
    for what in ("astrasim*", "dlrm8/*"):
        files = sorted(glob.glob(os.path.join(folder, what)))
        ranks = {}
        for path in files:
            with gzip.open(path, "rt", encoding="utf-8") as f:
                trace = json.load(f)
            kernels = [e for e in trace["traceEvents"] if e.get("cat") == "kernel" and "nccl" in e["name"].lower()]
            ranks[trace["distributedInfo"]["rank"]] = sorted((e["ts"] * 1000, e["dur"] * 1000) for e in kernels)
        with tempfile.TemporaryDirectory() as job:
            for path in files:
                shutil.copy(path, job)
            answer = ask(job)
        errors, n = len(bad), len(ranks)
        last, caused, waited = [0] * n, [0] * n, [0] * n
        for row in zip(*(ranks[r] for r in range(n))):
            latest = max(b for b, _ in row)
            who = [b for b, _ in row].index(latest)
            last[who] += latest > min(b for b, _ in row)
            for r, (begin, duration) in enumerate(row):
                waited[r] += min(latest - begin, duration)
                caused[who] += min(latest - begin, duration)
        same(what + " last", [r["last_count"] for r in answer["ranks"]], last)
        same(what + " caused", [r["caused_ns"] for r in answer["ranks"]], caused)
        same(what + " waited", [r["waiting_ns"] for r in answer["ranks"]], waited)
        exact = json.load(open(os.path.join(folder, "exact_timeline.json"), encoding="utf-8"))
        for r in answer["ranks"]:
            wanted = exact.get(r["file"][:-3]) or exact.get(r["file"])
            for ours, theirs in (("span_ns", "total_ns"), ("busy_ns", "busy_ns"), ("communication_ns", "comm_ns"),
                                 ("computation_ns", "computation_ns"), ("exposed_communication_ns", "exposed_comm_ns")):
                if wanted:
                    same(f"{r['file']} {ours}", r[ours], wanted[theirs])
        print(f"{what:58} {'as it is' if len(bad) == errors else 'OFF'}: last {last}, caused {sum(caused)} ns")


one_clock()
rooted()
clocks()
unmatched()
folders()
stragglers()
if len(sys.argv) > 2:
    corpus(sys.argv[2])
for line in bad:
    print(line)
print(f"{len(bad)} errors")
sys.exit(1 if bad else 0)
