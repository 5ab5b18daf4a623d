#!/usr/bin/env python3
"""bit_flips.py RELEASE_BUILD FLIPS: one bit of a store's data.mdb is turned, FLIPS times, each in a fresh copy. What is read from the damaged store
must be what was stored or an error (P6 of store/engine.h). A list may lack a name or a note whose key is damaged, since nobody looks for
the key that it has become; then verify must say so: a wrong answer that verify calls sound is the one thing that must not happen.
Prints how many flips verify found, how many lay where nothing is stored, how many stopped a command with an error, and how many ended one
by a signal, which none may."""
import collections
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import write_run  # noqa: E402

BUILD, FLIPS = os.path.abspath(sys.argv[1]), int(sys.argv[2])
QUESTIONS = [("list", "--json"), ("show", "run0", "--json"), ("analyze", "run1", "--json"), ("diff", "run0", "run1", "--json"), ("export", "run2")]


def tscope(store, *words):
    return subprocess.run([f"{BUILD}/tscope", *words], text=True, capture_output=True, timeout=120,
                          env={**os.environ, "TSCOPE_STORE": store, "TSCOPE_SERVER": "", "TSCOPE_PROJECT": "fault"})


def ask(top, store):
    """The answers of a store: exit status and what was printed or written."""
    answers = []
    for words in QUESTIONS:
        out = f"{top}/out"
        shutil.rmtree(out, ignore_errors=True)
        done = tscope(store, *words, *([out] if words[0] == "export" else []))
        said = done.stdout
        if words[0] == "export":
            said = {f: open(os.path.join(folder, f), "rb").read() for folder, _, names in os.walk(out) for f in names}
        answers.append((done.returncode, said, done.stderr))
    return answers


def planted(top, first, data, what, pattern):
    """A bit of a key is turned, in each page that has it: some are free, and one is read. Nobody finds the record any more, and verify says so."""
    ends = [m.end() for m in re.finditer(pattern, data, re.S)]
    if not ends:
        sys.exit(f"the store has no {what}")
    store = f"{top}/planted"
    shutil.rmtree(store, ignore_errors=True)
    shutil.copytree(first, store)
    with open(f"{store}/data.mdb", "r+b") as f:
        for end in ends:
            f.seek(end - 1)
            f.write(bytes([data[end - 1] ^ 1]))
    verify = tscope(store, "verify")
    if verify.returncode != 2 or "the store is damaged" not in verify.stderr:
        sys.exit(f"{what}: verify says {verify.stdout}{verify.stderr}")


def main():
    rnd, counts, wrong = random.Random(41), collections.Counter(), []
    with tempfile.TemporaryDirectory(prefix="tscope-flips-") as top:
        first, store = f"{top}/first", f"{top}/store"
        for n in range(6):
            write_run(f"{top}/run{n}", n, steps=400)
            tscope(first, "push", f"{top}/run{n}", "--name", f"run{n}")
        truth = ask(top, first)
        if any(status not in (0, 1) for status, _, _ in truth):
            sys.exit(f"the sound store does not answer: {truth}")
        with open(f"{first}/data.mdb", "rb") as f:
            data = f.read()
        planted(top, first, data, "note", rb"fault/run1\0state")
        planted(top, first, data, "place in the order", rb"r.{8}fault/run2")
        for _ in range(FLIPS):
            bit = rnd.randrange(len(data) * 8)
            shutil.rmtree(store, ignore_errors=True)
            shutil.copytree(first, store)
            with open(f"{store}/data.mdb", "r+b") as f:
                f.seek(bit // 8)
                f.write(bytes([data[bit // 8] ^ 1 << bit % 8]))
            verify, answers = tscope(store, "verify"), ask(top, store)
            found = verify.returncode != 0
            kinds = {"by a signal" if status < 0 else "as it was" if (status, said) == (sound, true) else "with an error" if status == 2 else "WRONG"
                     for (status, said, _), (sound, true, _) in zip(answers, truth)}
            counts["verify found it"] += found
            counts["every answer as it was"] += kinds == {"as it was"}
            counts["an answer ended with an error"] += "with an error" in kinds
            counts["an answer ended by a signal"] += "by a signal" in kinds
            counts["a wrong answer, and verify found why"] += "WRONG" in kinds and found
            counts["a wrong answer that verify calls sound"] += "WRONG" in kinds and not found
            if "WRONG" in kinds and not found:
                wrong.append(f"bit {bit}: " + " ".join(w[0] for w, a, t in zip(QUESTIONS, answers, truth) if a[0] >= 0 and a[0] != 2 and a[:2] != t[:2]))
    print(f"{FLIPS} flips of one bit in {len(data)} bytes: " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    if counts["an answer ended by a signal"]:
        wrong.append("an answer ended by a signal")
    if wrong:
        sys.exit("\n".join(wrong[:20]))


if __name__ == "__main__":
    main()
