#!/usr/bin/env python3
"""What `tscope diff --json` answers for each labelled pair of real runs: score.py BUILD [-v] [--only WORD] [--set NAME].

Two sets: pairs, in runs/, and heldout, in heldout/, which was made later, when the logic had been mended by what the first one
showed. The labels of both stand in pairs.json.

Each pair is asked in four forms: full (as recorded), facts (no digests), scalars (neither digests nor facts) and coarse (scalars of
every fifth step, losses and gradient norm to four decimals). pairs.json says by label and form which classes are right and which
cannot honestly be told from them:

    right        the class is one of "right"
    inseparable  the class is one of "near"; or of "far" (a class that leaves the truth out), with the truth among what remains
    overclaimed  a right class at high confidence in a form that cannot support it (one that is not in "sure")
    none         unknown, not comparable, or no confidence; good enough for the form coarse, else not
    wrong        anything else; high: at high confidence, where an inseparable class is wrong as well

A form that shows no difference at all (every value kept in it is equal on both sides) has the right answer "identical". An answer
may not begin before what was changed. Fails where one is wrong at high confidence or begins too early, and where less than 85 % of
a form are right or inseparable. The cut-offs of the diagnosis must not be tuned on these runs.
"""
import collections
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SETS = {"pairs": "runs", "heldout": "heldout"}
FORMS = ("full", "facts", "scalars", "coarse")
# Four decimals of every fifth step say little about most causes: what is no more than wide is not wrong there.
WIDE = ("kernel_rng_or_data", "init_or_data", "jump", "quantization", "reduction_order", "precision", "nondeterminism",
        "platform", "data_order", "data_position", "data_set", "rng_stream")
# Classes that say that several causes cannot be told apart, with the truth among what remains.
INSEPARABLE = ("computation", "rounding", "order_or_set", "jump", "init_or_data", "kernel_rng_or_data", "unknown")
KINDS = ("right", "inseparable", "overclaimed", "none", "wrong", "high")
ENOUGH = 0.85


def lines(folder):
    with open(os.path.join(folder, "steps.jsonl")) as f:
        return [json.loads(line) for line in f]


def strip(source, target, form):
    """Copies a run without what its form leaves out; Python writes the doubles back with the same bits."""
    for folder, _, names in os.walk(source):
        to = os.path.join(target, os.path.relpath(folder, source))
        os.makedirs(to, exist_ok=True)
        if "steps.jsonl" not in names:
            continue
        with open(os.path.join(to, "steps.jsonl"), "w") as f:
            for record in lines(folder):
                del record["digests"]
                if form == "coarse":
                    if record["step"] % 5:
                        continue
                    for name in {"loss", "grad_norm", "val_loss"} & set(record["scalars"]):
                        record["scalars"][name] = round(record["scalars"][name], 4)
                f.write(json.dumps(record, separators=(",", ":")) + "\n")
        if form == "facts":
            for name in ("run.json", "facts.json"):
                shutil.copyfile(os.path.join(folder, name), os.path.join(to, name))


def values(folder):
    """What was computed, by step: the last record of a step counts. Text of the numbers, so that NaN equals NaN."""
    rank0 = os.path.join(folder, "rank0")
    kept = {}
    for record in lines(rank0 if os.path.isdir(rank0) else folder):
        kept[record["step"]] = json.dumps({k: v for k, v in record.items() if k not in ("timestamp", "phases")}, sort_keys=True)
    return kept


def ask(tscope, a, b):
    done = subprocess.run([tscope, "--store", os.path.join(HERE, "no-such-store"), "diff", "--json", a, b], capture_output=True)
    if done.returncode not in (0, 1, 3):
        sys.exit(f"tscope diff {a} {b}: exit {done.returncode}\n{done.stderr.decode(errors='replace')}")
    return json.loads(done.stdout)["diagnosis"]


def judge(label, form, answer, equal):
    asked, form = form, "scalars" if form == "coarse" else form
    right = ["identical"] if equal else label["right"][form]
    near = [] if equal else list(label["near"][form])
    if asked == "coarse" and not equal:
        near += ["quantization"] if form in label["sure"] else WIDE
    far = [] if equal or form == "full" else label["far"]
    cause, confidence = answer["cause"], answer["confidence"]
    if cause in right:
        earned = equal or confidence != "high" or form in label["sure"]
        return "right" if earned else "overclaimed"
    if cause in INSEPARABLE and confidence != "high" and set(right) & set(answer["remaining"]):
        return "inseparable"
    if cause in ("unknown", "not_comparable") or confidence == "none":
        return "none" if confidence != "high" else "high"
    if confidence == "high":
        return "high"
    if cause in near or (cause in far and set(right) & set(answer["remaining"])):
        return "inseparable"
    return "wrong"


def at_least(k, n):
    """Lower end of the one-sided 95 % interval of a rate, exact (Clopper and Pearson)."""
    low, high = 0.0, k / n
    for _ in range(60):
        p = (low + high) / 2
        tail = math.fsum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))
        low, high = (p, high) if tail < 0.05 else (low, p)
    return low


def table(name, form, rows):
    print(f"{name}, {form}: {len(rows)} pairs")
    by_truth = collections.defaultdict(list)
    for row in rows:
        by_truth[row["truth"]].append(row)
    print(f"  {'truth':<16} {'n':>3}  " + " ".join(f"{k:>11}" for k in KINDS) + "  answers")
    for truth, some in sorted(by_truth.items()):
        kinds = collections.Counter(r["kind"] for r in some)
        causes = collections.Counter(f"{r['answer']['cause']} {r['answer']['confidence']}" for r in some)
        print(f"  {truth:<16} {len(some):>3}  " + " ".join(f"{kinds[k] or '.':>11}" for k in KINDS) + "  "
              + ", ".join(f"{c} {n}" for c, n in causes.most_common()))
    kinds = collections.Counter(r["kind"] for r in rows)
    good, n = kinds["right"] + kinds["inseparable"] + (kinds["none"] if form == "coarse" else 0), len(rows)
    print(f"  {'all':<16} {n:>3}  " + " ".join(f"{kinds[k] or '.':>11}" for k in KINDS))
    early = sum(r["early"] for r in rows)
    print(f"  right or inseparable{' or none' if form == 'coarse' else ''} {100 * good / n:.1f} %"
          f" (95 %: at least {100 * at_least(good, n):.1f} %), right {100 * kinds['right'] / n:.1f} %,"
          f" wrong at high confidence {kinds['high']}, begun too early {early}")
    return good >= ENOUGH * n and not kinds["high"] and not early


def score(tscope, name, labels, only, verbose):
    """One set; how many answers, and whether they will do."""
    with open(os.path.join(HERE, name + ".json")) as f:
        spec = json.load(f)
    rows, ok, source = collections.defaultdict(list), True, os.path.join(HERE, SETS[name])
    with tempfile.TemporaryDirectory() as scratch:
        for form in FORMS:
            root = source
            if form != "full":
                root = os.path.join(scratch, form)
                for run in {p[side] for p in spec["pairs"] for side in "ab"}:
                    strip(os.path.join(source, run), os.path.join(root, run), form)
            for pair in spec["pairs"]:
                if only not in f"{pair['a']} {pair['b']} {pair['label']}":
                    continue
                label = labels[pair["label"]]
                a, b = os.path.join(root, pair["a"]), os.path.join(root, pair["b"])
                answer, equal = ask(tscope, a, b), values(a) == values(b)
                kind = judge(label, form, answer, equal)
                truth = "identical" if equal else label["right"]["full"][0]
                began = pair["began"]
                early = not equal and began is not None and answer["step"] is not None and answer["step"] < began
                rows[form].append({"truth": truth, "kind": kind, "answer": answer, "early": early})
                cause = f"{answer['cause']} {answer['confidence']} at step {answer['step']}{' TOO EARLY' if early else ''}"
                if verbose or kind not in ("right", "inseparable") or early:
                    print(f"{kind:<11} {form:<7} {pair['a']} {pair['b']}: {pair['what']}; from step {began}")
                    print(f"            {cause}; remaining: {' '.join(answer['remaining']) or 'none'}; {answer['sentence']}")
    for form in FORMS:
        if rows[form]:
            ok &= table(name, form, rows[form])
    return sum(len(r) for r in rows.values()), ok


def main():
    words = sys.argv[1:]
    only, one = (words.pop(words.index(w) + 1) if w in words else "" for w in ("--only", "--set"))
    with open(os.path.join(HERE, "pairs.json")) as f:
        labels = json.load(f)["labels"]
    n, ok = 0, True
    for name in [one] if one else SETS:
        more, good = score(os.path.join(os.path.abspath(words[0]), "tscope"), name, labels, only, "-v" in words)
        n, ok = n + more, ok and good
    print(f"{n} answers: {'passed' if ok and n else 'FAILED'}")
    return 0 if ok and n else 1


if __name__ == "__main__":
    sys.exit(main())
