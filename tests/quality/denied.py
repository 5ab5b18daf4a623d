#!/usr/bin/env python3
"""Reads what `tscope diff --json` says of labelled pairs, and finds sentences that a row of the same answer denies: denied.py BUILD [-v]

The pairs are those of tests/golden/pairs, each in the forms full, facts and scalars (score.py), and those of kinds1.xz and kinds2.xz as
they were recorded. A sentence is denied where

    first      "X first differs at step N" beside rows of X none of which first differs, or visibly differs, at N
    agrees     a name in a list of what agrees beside a row of it that differs no later than the list says
    digest     "has no digest", "were not recorded" beside a digest of that in both runs
    rounding   a cause that says no more than rounding beside a tensor above rounding
    same       the verdict "same" beside a row of the trajectory that differs
    setting    a setting as the cause, for certain, where no fact differs
    batches    data among the causes where every digest of a batch is the same, and there is one for each step
    start      the initialization among the causes where every digest of the parameters is the same
    explains   "nothing recorded explains it" beside a fact that the same sentence names
    training   "the training itself agrees" beside a digest of the parameters or gradients that differs
    only       "differs only from step N on" beside a row that is not known to agree where the loss first differs
    indices    "the same indices" beside digests of indices that differ no later
    begins     "with the same loss" at the first step of a run beside a loss that differs there
    noise      batches that are the same, or others, by the noise of the losses beside digests of batches that say the contrary
    rule       a loss that is computed from the other run's beside a gradient norm or a learning rate that differs
    restored   "the same parameters" at the first step of a run beside digests of them that differ there
    counts     a count of one that is said as a greater one is (counts.py); no row denies it

It also asks whether more record gives a worse answer: a class that is right without digests, or without facts, and is neither right nor
listed with them. Prints a table; fails where a sentence is denied, or where a richer form loses what a poorer one named.
"""
import collections
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PAIRS = os.path.join(HERE, "..", "golden", "pairs")
sys.path.insert(0, PAIRS)
import counts  # noqa: E402
import score  # noqa: E402
import score_kinds  # noqa: E402

FORMS = ("full", "facts", "scalars")
SMALL = ("rounding", "nondeterminism", "reduction_order")
DATA = ("data_order", "data_position", "data_set", "order_or_set", "resume_data")
DIGESTS = {"optimizer state": "digests.optimizer", "batches": "digests.batch", "random generators": "digests.rng"}
STEP = re.compile(r"(-?[\d,]+)")


def ask(tscope, a, b):
    done = subprocess.run([tscope, "--store", os.path.join(HERE, "no-such-store"), "diff", "--json", a, b], capture_output=True)
    if done.returncode not in (0, 1, 3):
        sys.exit(f"tscope diff {a} {b}: exit {done.returncode}\n{done.stderr.decode(errors='replace')}")
    return json.loads(done.stdout)


def said(name):
    return name[len("scalars."):] if name.startswith("scalars.") and name != "scalars." else name


def firsts(rows, name):
    """The steps at which rows of this name first differ, in bits or visibly."""
    steps = set()
    for row in rows:
        if said(row["name"]) == name and row["state"] == "parts":
            steps |= {row["first_step"], (row["gap"] or {}).get("visible_step")}
    return steps - {None}


def sentences(answer):
    d = answer["diagnosis"]
    yield from d["evidence_for"]
    yield from d["evidence_against"]
    yield d["sentence"] or ""
    for tier in d["tiers"].values():
        yield tier["why"] or ""


def denied_first(answer, text):
    for m in re.finditer(r"(?:^|; |, )([\w./()\[\]%-]+)(?: on rank \d+)? (?:first )?differs at step (-?\d+)", text):
        found = firsts(answer["series"], m[1])
        if found and int(m[2]) not in found:
            return True
    return False


def denied_agrees(answer, text):
    m = re.search(r"agrees? bit for bit(?: over [\d,]+ common steps?| up to step (-?\d+)[^:]*)?: (.*)", text)
    if not m:
        return False
    last = int(m[1]) if m[1] else None
    for name in re.sub(r" \([^)]*\)", "", m[2]).split(", "):
        found = firsts(answer["series"], name)
        if found and (last is None or min(found) <= last):
            return True
    return False


# What a sentence says of one step, and the rows that must not differ by then.
AT_STEP = (("indices", re.compile(r"the sampler draws the same indices at step (-?\d+)"), "digests.indices"),
           ("begins", re.compile(r"begins at step (-?\d+), where the other was under way, with the same loss"), "loss"),
           ("restored", re.compile(r"begins at step (-?\d+), where the other was under way, with the same parameters"), "digests.params"))


def denied_at_step(answer, text):
    for kind, pattern, name in AT_STEP:
        m = pattern.search(text)
        found = firsts(answer["series"], name) if m else ()
        if found and min(found) <= int(m[1]):
            yield kind


def denied_only(answer, text):
    m = re.match(r"(digests\.[\w.]+) differs only from step (-?\d+) on, when the training already differed", text)
    if not m:
        return False
    began = min(firsts(answer["series"], "loss") | firsts(answer["series"], "grad_norm"), default=int(m[2]))
    agreed = [row["after_step"] for row in answer["series"] if row["name"] == m[1] and row["first_step"] == int(m[2])]
    return any(step is None or step < began for step in agreed) and began < int(m[2])


def both_have(answer, have, name):
    return all(name in side for side in have)


def denied(answer, have, steps):
    """The kinds of denials in an answer. have: names of the digests of each run; steps: how many steps have a batch in both, or None."""
    d, rows = answer["diagnosis"], answer["series"]
    apart = {row["name"] for row in rows if row["state"] == "parts"}
    causes = [d["cause"], *d["remaining"]]
    for text in sentences(answer):
        if denied_first(answer, text):
            yield "first", text
        if denied_agrees(answer, text):
            yield "agrees", text
        if denied_only(answer, text):
            yield "only", text
        if "the training itself agrees" in text and apart & {"digests.params", "digests.grads"}:
            yield "training", text
        if "as where the batches are the same" in text and "digests.batch" in apart:
            yield "noise", text
        if "as where the batches are other ones" in text and both_have(answer, have, "digests.batch") and "digests.batch" not in apart:
            yield "noise", text
        if "losses of a training that differs would not follow" in text and apart & {"grad_norm", "scalars.grad_norm", "lr", "scalars.lr"}:
            yield "rule", text
        for kind in denied_at_step(answer, text):
            yield kind, text
        for what, column in DIGESTS.items():
            if re.search(rf"{what}( has no digest| were not recorded$)", text) and both_have(answer, have, column):
                yield "digest", text
    if d["cause"] in SMALL and any(t.get("state") == "above" for t in (answer["tensors"] or {}).get("rows", [])):
        yield "rounding", d["sentence"]
    if answer["verdict"] == "same" and any(r["role"] == "trajectory" and r["state"] == "parts" for r in rows):
        yield "same", d["sentence"]
    if d["cause"] == "config" and d["confidence"] == "high" and not answer["facts"]:
        yield "setting", d["sentence"]
    if steps and both_have(answer, have, "digests.batch") and "digests.batch" not in apart and d["step"] is not None:
        for cause in set(causes) & set(DATA):
            yield "batches", f"{cause} in {causes}"
    if both_have(answer, have, "digests.params") and "digests.params" not in apart and "init" in causes and d["step"] is not None:
        yield "start", f"{causes}"
    if "nothing recorded explains it" in (d["sentence"] or "") and "no record excludes it" in d["sentence"]:
        yield "explains", d["sentence"]


def digests_of(folder):
    names, every = set(), True
    at = os.path.join(folder, "rank0") if os.path.isdir(os.path.join(folder, "rank0")) else folder
    with open(os.path.join(at, "steps.jsonl")) as f:
        for line in f:
            record = json.loads(line)
            found = {"digests." + k for k in record.get("digests", {})}
            names |= found
            every = every and "digests.batch" in found
    return names, every


class Count:
    def __init__(self, verbose):
        self.answers = self.sentences = 0
        self.kinds = collections.Counter()
        self.verbose = verbose

    def read(self, tscope, a, b, what):
        answer = ask(tscope, a, b)
        (names_a, every_a), (names_b, every_b) = digests_of(a), digests_of(b)
        self.answers += 1
        self.sentences += sum(1 for _ in sentences(answer))
        for kind, text in denied(answer, (names_a, names_b), every_a and every_b):
            self.kinds[kind] += 1
            print(f"denied    {kind:<10} {what}: {text[:240]}")
        for words in (words for text in (answer["reason"], *sentences(answer)) for words in counts.wrong(text)):
            self.kinds["counts"] += 1
            print(f"denied    counts     {what}: {words}")
        return answer


def of_pairs(tscope, count, scratch):
    lost, asked = 0, 0
    with open(os.path.join(PAIRS, "pairs.json")) as f:
        labels = json.load(f)["labels"]
    for name, runs in score.SETS.items():
        with open(os.path.join(PAIRS, f"{name}.json")) as f:
            spec = json.load(f)
        for pair in spec["pairs"]:
            label = labels[pair["label"]]
            answers = {}
            for form in FORMS:
                at = []
                for side in ("a", "b"):
                    source = os.path.join(PAIRS, runs, pair[side])
                    target = os.path.join(scratch, form, name, pair[side])
                    if form == "full":
                        target = source
                    elif not os.path.isdir(target):
                        score.strip(source, target, form)
                    at.append(target)
                answers[form] = count.read(tscope, *at, f"{form} {name} {pair['a']} {pair['b']}")["diagnosis"]
            for poor, rich in (("scalars", "facts"), ("facts", "full")):
                asked += 1
                right = label["right"][poor]
                named = [answers[rich]["cause"], *answers[rich]["remaining"]]
                if answers[poor]["cause"] in right and not set(named) & set(label["right"][rich] + label["near"][rich] + right):
                    lost += 1
                    print(f"lost      {poor} named {answers[poor]['cause']}, {rich} does not: {pair}: {named}")
    return lost, asked


def of_kinds(tscope, count, scratch, name):
    with lzma.open(os.path.join(PAIRS, name), "rt") as f:
        data = json.load(f)
    places = {}
    for pair in data["pairs"]:
        for side in (pair["a"], pair["b"]):
            if side not in places:
                places[side] = os.path.join(scratch, name, str(len(places)))
                score_kinds.write(data["runs"][side], "full", places[side])
        count.read(tscope, places[pair["a"]], places[pair["b"]], f"{name} {pair['truth']} {pair['b']}")


def main():
    words = [w for w in sys.argv[1:] if w != "-v"]
    tscope = os.path.join(os.path.abspath(words[0]), "tscope")
    count = Count("-v" in sys.argv)
    with tempfile.TemporaryDirectory() as scratch:
        lost, asked = of_pairs(tscope, count, scratch)
        for name in ("kinds1.xz", "kinds2.xz"):
            of_kinds(tscope, count, scratch, name)
    total = sum(count.kinds.values())
    print(f"{count.answers} answers, {count.sentences} sentences: {total} denied by a row of their own answer "
          f"({', '.join(f'{k} {n}' for k, n in count.kinds.items()) or 'none'})")
    print(f"{asked} times a record was added: {lost} times it lost what was named without it")
    return 1 if total or lost else 0


if __name__ == "__main__":
    sys.exit(main())
