#!/usr/bin/env python3
"""Asks the program about seeded runs that look like what a claim is about, and are not: lookalikes.py BUILD [N].

`diff` says `reporting` where a logged loss differs and the training does not. Here the trainings differ, and beside the losses stand
columns that agree because no weight is in them: labels, difficulties, rates, epochs, counts, clocks and names that nobody has seen.
They must never be taken for the training. The same columns stand beside pairs of which only the report differs, with and without a
column that the weights make: the first show how often the claim is made where it can be.

`analyze` says CONVERGENCE.EQUAL_BATCHES where replicas train on the same batches. Here are jobs in which batches are equal on purpose or
by nature, and jobs whose sampler forgot the rank. Exit 1 where a goal is missed.
"""
import collections
import json
import math
import os
import random
import subprocess
import sys
import tempfile

import classes

SEEN = ("label_mean", "labels/positive", "difficulty", "curriculum/difficulty", "teacher_momentum", "ema_decay", "lr", "epoch", "tokens",
        "num_samples", "seq_len", "temperature", "kl_coef", "mask_ratio", "noise_level", "beta", "target_mean", "sampling_prob",
        "batch_size", "global_step", "progress", "t", "weight_decay", "consumed_tokens", "entropy_coef", "pad_fraction", "loss_weight",
        "kl_target", "max_grad_norm", "grad_clip", "aux_loss_coef")
CLOCKS = ("elapsed_s", "tokens_per_sec", "iter_ms")
WEIGHTS = ("grad_norm", "params", "grads", "value_loss")  # what the weights make: one of them proves that a training agrees


def clopper(k, n, tail=0.025):
    """The upper bound of a rate of which k of n were seen."""
    def at_most(p):
        ways = (math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) for i in range(k + 1))
        return sum(math.exp(w + i * math.log(p) + (n - i) * math.log1p(-p)) for i, w in enumerate(ways))
    if k == n:
        return 1.0
    low, high = k / n, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if at_most(middle) > tail else (low, middle)
    return high


def row(what, k, n, goal, at_least=False):
    low, high = 1 - clopper(n - k, n), clopper(k, n)
    ok = k >= goal * n if at_least else k <= goal * n
    print(f"{what:<70} {k:>4} of {n:<4} {100 * k / n:6.2f} % [{100 * low:6.2f}, {100 * high:6.2f}]  {'>=' if at_least else '<='} "
          f"{100 * goal:.1f} %  {'yes' if ok else 'NO'}", flush=True)
    return ok


def word(r):
    return "".join(r.choice("bdfgklmnprstvz") + r.choice("aeiou") for _ in range(r.randint(2, 3))) + r.choice(("", "_x", "/rate", "_sum"))


def extra(r, n):
    """Columns that no weight is in: of the batch, of the step, or of a schedule."""
    columns = {}
    names = r.sample(SEEN, r.randint(0, 6)) + [word(r) for _ in range(r.randint(0, 3))]
    for name in names or [word(r)]:
        kind = r.randrange(4)
        if kind == 0:
            columns[name] = [r.gauss(0.5, 0.1) for _ in range(n)]
        elif kind == 1:
            columns[name] = [round(r.random(), 2) for _ in range(n)]
        elif kind == 2:
            columns[name] = [0.9 + 0.1 * i / n for i in range(n)]
        else:
            columns[name] = [float(i * 512 // r.choice((1, 7))) for i in range(n)]
    return columns


def table(run, other, r, weights):
    """The rows of a run as a table of columns: the loss, what agrees, clocks, and those of `weights`."""
    columns = {"loss": [row["scalars"]["loss"] for row in run]}
    columns.update(other)
    for name in CLOCKS:
        if r.random() < 0.3:
            columns[name] = [abs(r.gauss(1, 0.1)) for _ in run]
    if "grad_norm" in weights:
        columns["grad_norm"] = [row["scalars"]["grad_norm"] for row in run]
    if "value_loss" in weights:
        columns["value_loss"] = [row["scalars"]["grad_norm"] ** 0.5 + 1 for row in run]
    return columns


def write(folder, run, columns, weights):
    os.makedirs(folder)
    with open(os.path.join(folder, "steps.jsonl"), "w") as f:
        for i, record in enumerate(run):
            record = {"step": record["step"], "scalars": {k: v[i] for k, v in columns.items()}, "digests": {
                k: record["digests"][k] for k in ("params", "grads") if k in weights}}
            f.write(json.dumps({k: v for k, v in record.items() if v != {}}) + "\n")


def ask(program, verb, scratch, *runs):
    done = subprocess.run([program, "--store", scratch + "/none", verb, "--json", *runs], capture_output=True)
    if done.returncode not in (0, 1, 3):
        sys.exit(f"{verb} {runs}: exit {done.returncode}\n{done.stderr.decode(errors='replace')}")
    return json.loads(done.stdout)


def rows_of(how):
    run = classes.Run(how)
    return [run.step(s)[0] for s in range(classes.STEPS)]


def reported(r, rows):
    """The same training, whose loss is written otherwise, in one of the ways that people meet."""
    kind, out, mean = r.randrange(3), [], None
    for row in rows:
        loss = row["scalars"]["loss"]
        mean = loss if mean is None else 0.9 * mean + 0.1 * loss
        shown = (mean, loss + 0.01, loss + 0.02 * row["scalars"]["grad_norm"])[kind]
        out.append({**row, "scalars": {**row["scalars"], "loss": shown}})
    return out


def pair(r, differs, weights):
    """Two tables that agree in all but the loss, and in what the weights make where the training differs."""
    a = classes.base_of(r)
    b = dict(a)
    rows_a = rows_of(a)
    if differs:
        r.choice((lambda: b.update(init=b["init"] + 1), lambda: b.update(code=r.choice(("target", "scale", "penalty")), code_from=r.randrange(30)),
                  lambda: classes.batches(r, a, b)))()
        rows_b = rows_of(b)
    else:
        rows_b = reported(r, rows_a)
    other = extra(r, classes.STEPS)
    return (rows_a, table(rows_a, other, r, weights)), (rows_b, table(rows_b, other, r, weights))


def says_reporting(program, differs, weights, seed):
    r = random.Random(seed)
    sides = pair(r, differs, weights)
    with tempfile.TemporaryDirectory() as scratch:
        at = [os.path.join(scratch, side) for side in "ab"]
        for folder, (rows, columns) in zip(at, sides):
            write(folder, rows, columns, weights)
        answer = ask(program, "diff", scratch, *at)
    return answer["diagnosis"]["cause"] == "reporting" or answer["verdict"] == "same", answer


def reporting(program, n):
    ok, said = True, collections.Counter()
    for i in range(n):
        hit, answer = says_reporting(program, True, (), f"differs {i}")
        said["false"] += hit
        if hit and "-v" in sys.argv:
            print(f"    {i} {answer['diagnosis']['confidence']} {answer['diagnosis']['sentence']} {answer['diagnosis']['evidence_for']}")
    ok &= row("reporting, the training differs beside columns without a weight", said["false"], n, 0.0)
    for name in WEIGHTS:
        for i in range(n // 4):
            said[name] += says_reporting(program, False, (name,), f"{name} {i}")[0]
        ok &= row(f"reporting, only the loss is written otherwise, {name} agrees", said[name], n // 4, 0.95, at_least=True)
    return ok


def share(kind, rank, step, r):
    """Which batch a rank has at a step."""
    if kind == "one batch to learn by heart":
        return "the batch"
    if kind in ("tiny data, several epochs", "tiny data in a fixed order"):
        at = step % 3 if kind.endswith("order") else random.Random(f"{r} {step // 3}").sample(range(3), 3)[step % 3]
        return f"{at} {rank}"
    if kind == "data that do not fill the ranks":  # the sampler pads from the beginning
        return f"{(2 * (step % 3) + rank) % 5}"
    if kind == "validation in the steps" and step % 4 == 3:
        return "validation"
    if kind in ("tensor parallel, said", "tensor parallel, not said", "the sampler forgot the rank", "the same seed on each rank"):
        return f"{step}"
    if kind == "the ranks begin apart" and step == 0:
        return "first"
    return f"{step} {rank}"


INNOCENT = ("own shares", "constant labels", "one batch to learn by heart", "tiny data, several epochs", "tiny data in a fixed order",
            "data that do not fill the ranks", "validation in the steps", "tensor parallel, said", "tensor parallel, not said",
            "the ranks begin apart")
PLANTED = ("the sampler forgot the rank", "the same seed on each rank")


def job(kind, r, folder):
    world, n, every, salt = r.choice((2, 2, 3, 4)), r.randrange(6, 60), r.choice((1, 1, 2, 5)), r.random()
    lr = r.choice((0.1, 0.01))
    for rank in range(world):
        at = os.path.join(folder, f"rank{rank}")
        os.makedirs(at)
        with open(os.path.join(at, "steps.jsonl"), "w") as f:
            for step in range(n * every):
                record = {"step": step, "scalars": {"loss": 2 / (1 + 0.05 * step) + 0.01 * random.Random(f"{salt} {step}").random(), "lr": lr}}
                if step % every == 0:
                    own = rank if kind == "tensor parallel, not said" else 0
                    record["digests"] = {"params": classes.digest((salt, step, own)), "batch": classes.digest((salt, share(kind, rank, step // every, salt)))}
                    if kind == "constant labels":
                        record["digests"]["labels"] = classes.digest(1)
                f.write(json.dumps(record) + "\n")
        facts = {"format": 1, "parallelism": {"world_size": world}, "columns": {"digests.params": {"when": "before"}}}
        if kind == "tensor parallel, said":
            facts["parallelism"]["tensor_parallel_size"] = world
        with open(os.path.join(at, "facts.json"), "w") as f:
            json.dump(facts, f)
        with open(os.path.join(at, "run.json"), "w") as f:
            json.dump({"name": "job", "rank": rank, "world_size": world}, f)


def equal_batches(program, n):
    ok, alarms = True, collections.Counter()
    for i in range(n):
        kind = INNOCENT[i % len(INNOCENT)]
        alarms[kind] += says_equal(program, kind, f"clean {i}")
    print("\n".join(f"    said of {kind}: {k}" for kind, k in alarms.items() if k and "-v" in sys.argv))
    ok &= row("EQUAL_BATCHES, jobs whose batches are equal on purpose, or never", sum(alarms.values()), n, 0.01)
    hits = sum(says_equal(program, PLANTED[i % len(PLANTED)], f"planted {i}") for i in range(n // 3))
    return ok & row("EQUAL_BATCHES, ranks that read the same batches", hits, n // 3, 0.95, at_least=True)


def says_equal(program, kind, seed):
    with tempfile.TemporaryDirectory() as scratch:
        job(kind, random.Random(seed), scratch + "/job")
        found = ask(program, "analyze", scratch, scratch + "/job")["findings"]
    return any(finding["code"].endswith("EQUAL_BATCHES") for finding in found)


def main():
    words = [w for w in sys.argv[1:] if w != "-v"]
    program, n = os.path.join(os.path.abspath(words[0]), "tscope"), int(words[1]) if len(words) > 1 else 300
    ok = reporting(program, n)
    ok &= equal_batches(program, n)
    return not ok


if __name__ == "__main__":
    sys.exit(main())
