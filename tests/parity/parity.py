#!/usr/bin/env python3
"""Every number that pytscope 0.2.1 computes for a run, beside ours: parity.py BUILD [--update] [-v].

Each leaf of an expected file has a row in TABLE: where ours lies and that it agrees to 1e-12 relative, or why it differs on purpose.
A leaf without a row is an error, so is a number that should agree and does not. docs/parity.md is the table; --update rewrites it.
Runs and expected files come from ../shared/corpus/pytscope where that is present, else from tests/golden.
"""
import fnmatch
import json
import math
import os
import subprocess
import sys

BUILD = os.path.abspath(sys.argv[1])
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CORPUS = os.path.join(ROOT, "../shared/corpus/pytscope")
TOLERANCE = 1e-12

# What of ours is the same number: "group/subject/key" of tscope analyze --json --warmup 0; {} is what the pattern's * matched.
# ABSENT: pytscope's 0 or null stands for "none"; ours is then unknown or absent, never 0.
AGREES = [
    ("timing.n_steps", "timing/step/count", "steps with phases"),
    ("timing.mean_step_time", "timing/step/mean_s", ""),
    ("timing.std_step_time", "timing/step/stddev_s", ""),
    ("timing.p50_step_time", "timing/step/median_s", ""),
    ("timing.p95_step_time", "timing/step/p95_s", ""),
    ("timing.steps_per_sec", "timing/step/rate_per_s", ""),
    ("timing.total_time", "timing/step/total_s", ""),
    ("timing.cv", "timing/step/cv_ratio", ""),
    ("timing.p95_p50_ratio", "timing/step/tail_ratio", ""),
    ("timing.phase_seconds.*", "timing/{}/mean_s", ""),
    ("timing.phase_fractions.*", "timing/{}/share_ratio", ""),
    ("memory.peak_alloc_bytes", "memory/peak_alloc/peak_bytes", ""),
    ("memory.peak_reserved_bytes", "memory/peak_reserved/peak_bytes", ""),
    ("memory.mean_alloc_bytes", "memory/alloc/mean_bytes", ""),
    ("convergence.final_loss", "convergence/loss/last", ""),
    ("convergence.best_loss", "convergence/loss/best", ""),
    ("convergence.diverged_at", "convergence/loss/first_nonfinite_step", ""),
    ("distributed.world_size", "ranks/all/present_count", "ranks that the analysis has"),
    ("distributed.n_steps", "ranks/all/aligned_steps_count", ""),
    ("distributed.imbalance_cv", "ranks/all/imbalance_cv_ratio", ""),
    ("distributed.sync_skew", "ranks/all/skew_s", ""),
    ("distributed.wall_frac_lost_to_imbalance", "ranks/all/lost_ratio", "of the slowest rank's own time, which pytscope calls wall"),
    ("distributed.ranks.*.mean_compute", "ranks/rank {}/own_s", ""),
    ("distributed.ranks.*.median_compute", "ranks/rank {}/own_median_s", ""),
    ("distributed.ranks.*.slowest_count", "ranks/rank {}/slowest_count", ""),
    ("distributed.ranks.*.slowest_fraction", "ranks/rank {}/slowest_ratio", ""),
    ("efficiency.n_steps", "timing/step/count", ""),
    ("efficiency.ideal_compute", "budget/useful_compute/seconds", "where the MFU is known"),
    ("efficiency.flops_per_step", "efficiency/mfu/flops_per_step_flops", ""),
    ("efficiency.peak_flops", "efficiency/mfu/peak_flops_per_s", ""),
    ("efficiency.lines.useful_compute.seconds", "budget/useful_compute/seconds", ""),
    ("efficiency.lines.compute_overhead.seconds", "budget/compute_overhead/seconds", ""),
    ("efficiency.lines.data_stall.seconds", "budget/data_stall/seconds", ""),
]

# Different on purpose: the defect of pytscope (numbers as in its list of known weaknesses, in our own words), and what ours is.
DIFFERS = [
    ("n_loaded", "what was read is counted and named by push; a record behind a torn one on the same line is kept", "show: steps"),
    ("memory.n_steps", "the number of records, with memory or not", "timing/step/count"),
    ("convergence.n_steps", "the number of records, with a loss or not", "convergence/loss/count"),
    ("memory.fragmentation", "allocation at the end of a step is a trough: a healthy run shows 60 %", "memory/fragmentation/ratio, from the peaks inside steps"),
    ("memory.growth_bytes_per_step", "biased low: medians of first and last tenth over n - 1 steps", "memory/growth/slope_bytes_per_step: Theil-Sen with its interval"),
    ("convergence.loss_trend", "compares first and last tenth alone, without uncertainty", "convergence/loss/trend"),
    ("convergence.loss_spikes*", "a threshold a step: false ones grow with length; spikes enter their own baseline; upward only", "events of kind spike and dip"),
    ("convergence.grad_norm_spikes*", "as above", "events of kind spike and dip"),
    ("distributed.mean_step_wall", "adds the slowest rank's work to the fastest rank's wait", "ranks/all/wall_s: the longest step of any rank"),
    ("distributed.mean_comm_fraction", "wait for slower ranks is counted as communication", "ranks/all/transfer_ratio and wait_ratio"),
    ("distributed.ranks.*.straggler_z", "no valid test: finds stragglers among equal ranks", "ranks/rank K/p_value, by permutation, Holm-adjusted"),
    ("distributed.ranks.*.rel_slowdown", "compares with a median that the rank itself is part of", "ranks/rank K/slowdown_ratio, against the others"),
    ("distributed.straggler*", "named only when there is exactly one", "findings DIST.STRAGGLER with every rank"),
    ("efficiency.wall", "the sum of known phases, not the time that passed", "budget/wall/seconds: by timestamps where there are any"),
    ("efficiency.compute_measured", "kept as two lines", "budget/useful_compute + compute_overhead"),
    ("efficiency.mfu", "over the sum of known phases", "efficiency/mfu/ratio: over wall time"),
    ("efficiency.efficiency", "over the sum of known phases", "efficiency/goodput/ratio"),
    ("efficiency.lines.*.fraction", "of the sum of known phases", "budget/LINE/share_ratio: of wall time"),
    ("efficiency.lines.communication.seconds", "holds the wait for slower ranks", "budget/communication/seconds and budget/wait/seconds"),
    ("efficiency.lines.other.seconds", "phases of unknown names vanish", "budget/other/seconds and budget/unclassified/seconds"),
    ("trace*", "overlap from kernel traces is not built yet", "-"),
]

# These are words, lists and flags, not numbers.
SKIPPED = ["*.has_*", "findings*", "exit_code", "efficiency.recoverable_order*", "efficiency.lines.*.name", "efficiency.lines.*.recoverable",
           "timing.phase_order*", "distributed.ranks.*.rank"]


def leaves(value, path=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            name = str(i)
            if isinstance(inner, dict):
                name = str(inner.get("rank", inner.get("name", i)))
            yield from leaves(inner, f"{path}.{name}")
    else:
        yield path, value


def find(rows, path):
    for row in rows:
        if fnmatch.fnmatchcase(path, row[0]):
            return row
    return None


def star(pattern, path):
    """Returns the component that the * of the pattern matches."""
    for a, b in zip(pattern.split("."), path.split(".")):
        if a == "*":
            return b
    return ""


def same(a, b):
    if a is None or b is None:
        return a is None and b is None
    a, b = float(a), float(b)
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b or abs(a - b) <= TOLERANCE * max(abs(a), abs(b))


def ours_of(analysis, where):
    group, subject, key = where.split("/")
    return analysis["measures"].get(group, {}).get(subject, {}).get(key)


def cases():
    for name in sorted(n[:-5] for n in os.listdir(os.path.join(CORPUS, "expected"))) if os.path.isdir(CORPUS) else []:
        yield name, os.path.join(CORPUS, "runs", name), os.path.join(CORPUS, "expected", name + ".json")
    if os.path.isdir(CORPUS):
        return
    for name in sorted(os.listdir(os.path.join(ROOT, "tests/golden/pytscope-expected"))):
        base = os.path.join(ROOT, "tests/golden/pytscope-expected", name)
        if os.path.isdir(base):
            yield name, base, os.path.join(base, "expected.json")


def analysis_of(run):
    out = subprocess.run([os.path.join(BUILD, "tscope"), "--store", os.path.join(BUILD, "no-such-store"), "analyze", "--json", "--warmup", "0", run],
                         capture_output=True, text=True)
    if out.returncode not in (0, 1):
        sys.exit(f"parity: analyze {run} ended with {out.returncode}: {out.stdout} {out.stderr}")
    return json.loads(out.stdout)


def check(name, run, expected_path, counts, wrong):
    analysis = analysis_of(run)
    with open(expected_path, encoding="utf-8") as file:
        expected = json.load(file)
    for path, want in leaves(expected):
        if any(fnmatch.fnmatchcase(path, p) for p in SKIPPED):
            continue
        row = find(AGREES, path)
        if row is None:
            other = find(DIFFERS, path)
            if other is None and want is not None:
                wrong.append(f"{name}: {path} has no row in the table")
            elif other:
                counts[other[0]] = counts.get(other[0], 0) + 1
            continue
        ours = ours_of(analysis, row[1].format(star(row[0], path)))
        if isinstance(ours, str):
            ours = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}[ours]
        # If a value was never recorded, pytscope says 0 or null; tscope says that it is unknown.
        if ours is None and (want is None or want == 0):
            counts[row[0], "unknown"] = counts.get((row[0], "unknown"), 0) + 1
        elif same(want, ours):
            counts[row[0]] = counts.get(row[0], 0) + 1
        elif not excused(name, path, expected):
            wrong.append(f"{name}: {path} is {want!r}, ours {row[1]} is {ours!r}")


def excused(name, path, expected):
    """Of glue pytscope loses two records that stand on one line; without an MFU there is no ideal time and no overhead to tell."""
    mfu = (expected.get("efficiency") or {}).get("mfu")
    return name == "glue" or (path in ("efficiency.lines.compute_overhead.seconds", "efficiency.ideal_compute") and mfu is None)


def table(counts):
    lines = ["# Beside pytscope 0.2.1", "",
             "Every number that pytscope computes for a run, and where `tscope analyze --json --warmup 0` has it. Written by",
             "`python3 tests/parity/parity.py BUILD --update`, which a test runs without `--update`: a number that should agree to 1e-12",
             "(relative) and does not, or one without a row here, is an error. The runs are those that pytscope's own figures are kept for.", "",
             "## The same", "", "| pytscope | tscope | numbers compared | unknown here, 0 or null there | |", "|---|---|---|---|---|"]
    for pattern, where, why in AGREES:
        lines.append(f"| {pattern} | {where.format('*')} | {counts.get(pattern, 0)} | {counts.get((pattern, 'unknown'), 0)} | {why} |")
    lines += ["", "## Different on purpose", "", "| pytscope | what is wrong with it | tscope |", "|---|---|---|"]
    for pattern, why, where in DIFFERS:
        lines.append(f"| {pattern} | {why} | {where} |")
    return "\n".join(lines) + "\n"


def main():
    counts, wrong = {}, []
    for case in cases():
        if not case[0].startswith("diff_"):
            check(*case, counts, wrong)
    print(f"parity: {sum(n for k, n in counts.items() if not isinstance(k, tuple))} numbers looked at, {len(wrong)} wrong")
    for line in wrong[:200]:
        print("  " + line)
    text, path = table(counts), os.path.join(ROOT, "docs/parity.md")
    if "--update" in sys.argv:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    elif os.path.isdir(CORPUS) and open(path, encoding="utf-8").read() != text:
        wrong.append("docs/parity.md")
        print("docs/parity.md is not what this prints; rewrite it by --update")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
