#!/usr/bin/env python3
"""What `tscope diff` answers about the pairs of make_kinds.py: score_kinds.py BUILD FILE.xz [-v] [--form NAME] [--only WORD].

Prints by form how many answers are right, undecided, wrong, and wrong at medium and at high confidence; then, by truth, which classes
were answered, and of how many pairs one answer at least is wrong: forms of one pair are no trials of their own, so that bound is the
one to trust. An answer whose step lies before the change counts as wrong. Exit 1 where more than 1 % are wrong or one is wrong at high.
"""
import collections
import json
import lzma
import os
import subprocess
import sys
import tempfile

from label_kinds import judge, shown

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../quality"))
from lookalikes import clopper

KINDS = ("right", "undecided", "wrong", "medium", "high")


def write(ranks, form, folder):
    os.makedirs(folder)
    for i, rank in enumerate(ranks):
        at = folder if len(ranks) == 1 else os.path.join(folder, f"rank{i}")
        os.makedirs(at, exist_ok=True)
        rank = shown(rank, form)
        with open(os.path.join(at, "steps.jsonl"), "w") as f:
            for record in rank["steps"]:
                f.write(json.dumps(record, separators=(",", ":")) + "\n")
        for name in ("run", "facts"):
            if name in rank:
                with open(os.path.join(at, name + ".json"), "w") as f:
                    json.dump(rank[name], f)


def ask(tscope, a, b):
    done = subprocess.run([tscope, "--store", os.path.dirname(a) + "/no-such-store", "diff", "--json", a, b], capture_output=True)
    if done.returncode not in (0, 1, 3):
        return {"cause": f"exit {done.returncode}", "confidence": "high", "remaining": [], "step": None,
                "sentence": done.stderr.decode(errors="replace")[:200]}
    return json.loads(done.stdout)["diagnosis"]


def main():
    words = sys.argv[1:]
    form_only, only = (words.pop(words.index(w) + 1) if w in words else "" for w in ("--form", "--only"))
    with lzma.open(words[1], "rt") as f:
        data = json.load(f)
    tscope = os.path.join(os.path.abspath(words[0]), "tscope")
    by_form, by_truth = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    sure, failed, pairs = collections.Counter(), set(), set()
    with tempfile.TemporaryDirectory() as scratch:
        for form in data["pairs"][0]["labels"]:
            if form_only not in form:
                continue
            places = {}
            for pair in data["pairs"]:
                what = f"{pair['a']} {pair['b']} {pair['truth']}"
                if only not in what:
                    continue
                for name in (pair["a"], pair["b"]):
                    if name not in places:
                        places[name] = os.path.join(scratch, form.replace(" ", "-"), str(len(places)))
                        write(data["runs"][name], form, places[name])
                answer = ask(tscope, places[pair["a"]], places[pair["b"]])
                label = pair["labels"][form]
                kind = judge(label, answer)
                early = label["right"] != ["identical"] and answer["step"] is not None and answer["step"] < pair["at"]
                if early and kind in ("right", "undecided"):
                    kind = "wrong"
                by_form[form][kind] += 1
                pairs.add(what)
                if kind in KINDS[2:]:
                    failed.add(what)
                sure[answer["confidence"], kind] += 1
                by_truth[label["right"][0]][answer["cause"]] += 1
                if kind in KINDS[2:] or "-v" in words:
                    print(f"{kind:<9} {form:<14} {pair['truth']:<13} {pair['b']}: {answer['cause']} {answer['confidence']} at "
                          f"{answer['step']}{' TOO EARLY' if early else ''}; remaining {' '.join(answer['remaining'])}; {answer['sentence']}")
    print(f"\n{'form':<16} {'n':>5} " + " ".join(f"{k:>16}" for k in ("right", "undecided", "wrong, all", "wrong at medium", "wrong at high")))
    total = collections.Counter()
    for form, c in [*by_form.items(), ("all", None)]:
        c = total if c is None else c
        print(f"{form:<16} {sum(c.values()):>5} " + " ".join(f"{n:>16}" for n in (
            c["right"], c["undecided"], c["wrong"] + c["medium"] + c["high"], c["medium"], c["high"])))
        if c is not total:
            total.update(c)
    for level in ("high", "medium", "low", "none"):
        n = sum(v for (s, _), v in sure.items() if s == level)
        print(f"{level} confidence: {n}, right {sure[level, 'right']}, undecided {sure[level, 'undecided']}, "
              f"wrong {n - sure[level, 'right'] - sure[level, 'undecided']}")
    print(f"\n{'truth':<16} {'n':>4}  answers")
    for truth, c in sorted(by_truth.items()):
        print(f"{truth:<16} {sum(c.values()):>4}  " + ", ".join(f"{k} {v}" for k, v in c.most_common()))
    n, wrong = sum(total.values()), total["wrong"] + total["medium"] + total["high"]
    if n:
        low, high = 1 - clopper(n - total["right"], n), clopper(total["right"], n)
        print(f"\nright {100 * total['right'] / n:.1f} % [{100 * low:.1f}, {100 * high:.1f}], wrong {100 * wrong / n:.2f} % (at most "
              f"{100 * clopper(wrong, n):.2f}); {len(failed)} of {len(pairs)} pairs have a wrong answer (at most "
              f"{100 * clopper(len(failed), len(pairs)):.1f} %)")
    print(f"{n} answers: {'passed' if n and wrong * 100 <= n and not total['high'] else 'FAILED'}")
    return 0 if n and wrong * 100 <= n and not total["high"] else 1


if __name__ == "__main__":
    sys.exit(main())
