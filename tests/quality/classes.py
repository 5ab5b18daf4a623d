#!/usr/bin/env python3
"""Asks `tscope diff` about seeded pairs of a toy training that differ in one of the ways which only whole runs show: classes.py BUILD [N].

A net of one hidden layer learns from a few samples, on one rank or several; each pair is shown with digests and facts, with facts, and
as scalars alone. A case is wrong if it names a class that is neither the truth nor one that says that causes cannot be told apart, with the
truth among what remains. `near` rows look like the class above them and are not. Exit 1 where a goal is missed: wrong in more
than 1 % of a class, or once at high confidence.
"""
import collections
import hashlib
import json
import math
import os
import random
import subprocess
import sys
import tempfile

IN, HIDDEN, SAMPLES, STEPS = 4, 5, 96, 48
FORMS = ("digests", "facts", "scalars")
WIDE = {
    "unknown": set(), "not_comparable": None, "jump": set(), "order_or_set": {"data_order", "data_set"},
    "init_or_data": {"init", "data_order", "data_set", "rng_stream", "on_policy"},
    "kernel_rng_or_data": {"rng_stream", "on_policy", "data_order", "data_set", "precision"},
    "computation": {"code", "config", "corruption", "precision"}, "rounding": {"precision", "reduction_order", "nondeterminism"},
}


def digest(x):
    return hashlib.sha256(repr(x).encode()).hexdigest()[:16]


class Run:
    """One training; `how` says what it does otherwise."""

    def __init__(self, how):
        self.how = how
        init = random.Random(how["init"])
        self.w = [init.gauss(0, 0.5) for _ in range(IN * HIDDEN + HIDDEN)]
        data = random.Random(how["data"])
        self.x = [[data.gauss(0, 1) for _ in range(IN)] for _ in range(SAMPLES)]
        self.y = [math.sin(sum(x)) + 0.1 * data.gauss(0, 1) for x in self.x]
        self.rng = random.Random(how["train"])

    def forward(self, x):
        h = [math.tanh(sum(a * b for a, b in zip(x, self.w[i * IN : (i + 1) * IN]))) for i in range(HIDDEN)]
        return h, sum(a * b for a, b in zip(h, self.w[IN * HIDDEN :]))

    def batch(self, step):
        if self.how["policy"]:  # its states follow from its own actions
            s, out = 0.3, []
            for _ in range(self.how["size"]):
                x = [s, 1.0, s * s, -s]
                s = max(-2.0, min(2.0, s + 0.3 * (self.forward(x)[1] + self.rng.gauss(0, 0.5))))
                out.append((x, -s))
            return out
        size, how = self.how["size"], self.how
        seed = how["order"] if step < how.get("order_from", (STEPS, 0))[0] else how["order_from"][1]
        epoch, i = divmod(step, SAMPLES // size)
        order = list(range(SAMPLES))
        random.Random(seed * 1000 + epoch).shuffle(order)
        return [(self.x[k], self.y[k]) for k in order[i * size : (i + 1) * size]]

    def step(self, step):
        how, ranks = self.how, self.how["ranks"]
        state, params = digest(self.rng.getstate()), digest(self.w)
        batch = self.batch(step)
        changed = how["code"] and step >= how["code_from"]
        shares, losses, total = [batch[i::ranks] for i in range(ranks)], [], [0.0] * len(self.w)
        shares = [shares[i] for i in how["places"]]
        for share in shares:
            loss = 0.0
            for x, y in share:
                h, out = self.forward(x)
                e = out - (y if not (changed and how["code"] == "target") else -y)
                loss += e * e / len(share)
                scale = 2 * e / len(batch) * (3.0 if changed and how["code"] == "scale" else 1.0)
                for i in range(HIDDEN):
                    back = scale * self.w[IN * HIDDEN + i] * (1 - h[i] * h[i])
                    total[IN * HIDDEN + i] += scale * h[i]
                    for k in range(IN):
                        total[i * IN + k] += back * x[k]
            losses.append(loss)
        if changed and how["code"] == "penalty":
            total = [g + 0.05 * w for g, w in zip(total, self.w)]
        norm = math.sqrt(math.fsum(g * g for g in total))
        self.w = [w - 0.05 * g for w, g in zip(self.w, total)]
        rows = []
        for share, loss in zip(shares, losses):
            scalars = {"loss": loss, "grad_norm": norm, "lr": 0.05}
            if how["policy"]:
                scalars["reward"] = -sum(abs(x[0]) for x, _ in batch) / len(batch)
            rows.append({"step": step + how["first"], "scalars": scalars,
                         "digests": {"params": params, "rng": state, "batch": digest(share), "grads": digest(total)}})
        return rows


def write(how, form, folder):
    run = Run(how)
    rows = [run.step(s) for s in range(STEPS)]
    for rank in range(how["ranks"]):
        at = folder if how["ranks"] == 1 else os.path.join(folder, f"rank{rank}")
        os.makedirs(at)
        with open(os.path.join(at, "steps.jsonl"), "w") as f:
            for row in rows:
                record = dict(row[rank])
                if form != "digests":
                    del record["digests"]
                f.write(json.dumps(record) + "\n")
        if form == "scalars":
            continue
        facts = {"format": 1, "seeds": {k: how[k] for k in ("init", "order", "train")}, "code": {"commit": how["commit"] * 40, "dirty": False},
                 "columns": {"digests.params": {"when": "before"}}, "parallelism": {"world_size": how["ranks"]}}
        if how["sha"]:
            facts["data"] = {"sha256": digest(run.x)}
        with open(os.path.join(at, "facts.json"), "w") as f:
            json.dump(facts, f)
        with open(os.path.join(at, "run.json"), "w") as f:
            json.dump({"name": "toy", "config": {"size": how["size"]}, "rank": rank, "world_size": how["ranks"]}, f)


def base_of(r):
    return dict(init=r.randrange(10**6), data=r.randrange(10**6), order=r.randrange(10**6), train=r.randrange(10**6), ranks=1, size=12,
                places=[0], first=0, code="", code_from=0, commit="a", policy=False, sha=r.random() < 0.5)


def code(r, a, b):
    b.update(code=r.choice(("target", "scale", "penalty")), code_from=r.choice((0, r.randrange(5, 30))))
    b["commit"] = r.choice("ab")
    return {"code"}


def batches(r, a, b):
    which = r.randrange(3)
    if which == 0:
        b["order"] += 1
    elif which == 1:
        b["data"] += 1
    else:
        b["order_from"] = (r.randrange(5, 30), r.randrange(10**6))
    return {"data_set"} if which == 1 else {"data_order"}


def numbering(r, a, b):
    b["first"] = r.choice((1, 2, 7))
    if r.random() < 0.5:
        a["first"], b["first"] = b["first"], 0
    return {"step_numbering"}


def numbering_near(r, a, b):
    numbering(r, a, b)
    b["init"] += 1
    return {"init"}


def spread(r, run, ranks):
    run.update(ranks=ranks, places=list(range(ranks)))


def ranks(r, a, b):
    n = r.choice((2, 3, 4))
    spread(r, a, n), spread(r, b, n)
    while b["places"] == a["places"]:
        r.shuffle(b["places"])
    return {"rank_order"}


def ranks_near(r, a, b):
    ranks(r, a, b)
    b["places"] = a["places"]
    return batches(r, a, b)


def local(r, a, b):
    n, m = r.sample((1, 2, 3, 4), 2)
    spread(r, a, n), spread(r, b, m)
    return {"local_losses"}


def local_near(r, a, b):
    local(r, a, b)
    b["init"] += 1
    return {"init"}


def on_policy(r, a, b):
    a["policy"] = b["policy"] = True
    b["train"] += 1
    return {"on_policy", "rng_stream"}


def on_policy_near(r, a, b):
    a["policy"] = b["policy"] = True
    b["init"] += 1
    return {"init"}


CLASSES = (("code or objective changed", code), ("other batches: order or set", batches), ("step numbering shifted", numbering),
           ("  near: and another initialization", numbering_near), ("ranks permuted", ranks), ("  near: other batches on ranks", ranks_near),
           ("local losses, other world size", local), ("  near: and another initialization", local_near), ("on-policy data", on_policy),
           ("  near: another initialization", on_policy_near))


def judge(truth, answer):
    cause, remaining, sure = answer["cause"], set(answer["remaining"]), answer["confidence"]
    if cause in truth:
        return "right"
    if sure == "high":
        return "high"
    if cause in WIDE and (WIDE[cause] is None or (WIDE[cause] | remaining) & truth):
        return "undecided"
    return "wrong"


def main():
    tscope, n = os.path.join(os.path.abspath(sys.argv[1]), "tscope"), int(sys.argv[2]) if len(sys.argv) > 2 else 40
    bad, total = False, 0
    print(f"{'class':<38} {'form':<8} {'n':>4} {'right':>6} {'undecided':>9} {'wrong':>6} {'at high':>8}  answered")
    for name, change in CLASSES:
        whole = collections.Counter()
        for form in FORMS:
            counts, answers = collections.Counter(), collections.Counter()
            for i in range(n):
                r = random.Random(f"{name} {i}")
                a = base_of(r)
                b = dict(a, places=list(a["places"]))
                truth = change(r, a, b)
                with tempfile.TemporaryDirectory() as scratch:
                    folders = [os.path.join(scratch, side) for side in "ab"]
                    for how, folder in zip((a, b), folders):
                        write(how, form, folder)
                    done = subprocess.run([tscope, "--store", scratch + "/none", "diff", "--json", *folders], capture_output=True)
                answer = json.loads(done.stdout)["diagnosis"]
                kind = judge(truth, answer)
                counts[kind] += 1
                answers[answer["cause"]] += 1
                if kind in ("wrong", "high") and "-v" in sys.argv:
                    print(f"    {form} {i} {sorted(truth)} {answer['cause']} {answer['confidence']} {answer['sentence']} {answer['remaining']}")
            whole.update(counts)
            print(f"{name:<38} {form:<8} {n:>4} {counts['right']:>6} {counts['undecided']:>9} {counts['wrong']:>6} {counts['high']:>8}  "
                  + ", ".join(f"{k} {v}" for k, v in answers.most_common()))
        wrong = whole["wrong"] + whole["high"]
        bad |= wrong * 100 > 3 * n or whole["high"] > 0
        total += wrong
    print(f"{total} wrong: {'FAILED' if bad else 'passed'}")
    return bad


if __name__ == "__main__":
    sys.exit(main())
