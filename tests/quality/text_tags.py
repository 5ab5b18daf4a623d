#!/usr/bin/env python3
"""Lines between the steps of a printed log, by which a step is told to follow a checkpoint or an evaluation: text_tags.py BUILD [N [SEED]]
puts each line of tag_lines.tsv, which programs print, between two steps of a log and prints how many are taken for what they are, and how
many of those that say neither are taken for one; then it writes N (200) logs whose training saves and evaluates at steps drawn from SEED (0),
with such lines among others, and prints how many of the steps behind are tagged, and how many others.

The test fails where a line that says neither is taken for one in more than 3 % of all, or less than 90 % of the others are found."""
import json
import os
import random
import subprocess
import sys
import tempfile

from clean_logs import bound

HERE = os.path.dirname(os.path.abspath(__file__))
WHAT = {"checkpoint", "evaluation"}


def table():
    """Two lists of rows (tag, source, line), of lines that the rule was made by and of lines held back; tag is "" where the line says neither."""
    with open(os.path.join(HERE, "tag_lines.tsv"), encoding="utf-8") as f:
        parts = f.read().split("# held back", 1)
    rows = [[line.split("\t", 2) for line in part.splitlines()[k:] if not line.startswith("#")] for k, part in enumerate(parts)]
    return [[(tag if tag in WHAT else "", source, line) for tag, source, line in part] for part in rows]


def step(s, r):
    return f"step {s} loss {3 - s / 1000 + r.gauss(0, 0.01):.4f} lr 1.0e-03"


def tags_of(program, top, lines):
    """{step: tags} of the log as it is read."""
    path, store = f"{top}/train.log", f"{top}/store"
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    subprocess.run([program, "--store", store, "push", "--quiet", "--force", "--name", "log", path], capture_output=True, check=True)
    text = subprocess.run([program, "--store", store, "export", "log", "--format", "jsonl"], capture_output=True, text=True, check=True).stdout
    rows = [json.loads(line) for line in text.splitlines()]
    return {row["step"]: " ".join(row["tags"]) if isinstance(row.get("tags"), list) else row.get("tags", "") for row in rows}


def of_lines(program, top, rows, steps=20):
    """How each line is taken, alone between two steps."""
    got = []
    for _, _, line in rows:
        r = random.Random(0)
        got.append(tags_of(program, top, [step(s, r) for s in range(steps // 2)] + [line] + [step(s, r) for s in range(steps // 2, steps)]).get(steps // 2, ""))
    return got


def of_logs(program, top, rows, n, seed, steps=60):
    """Steps behind a line that says so: found, all; steps behind others that are tagged, all."""
    said, silent = [x for x in rows if x[0]], [x for x in rows if not x[0]]
    found = all_said = false = others = 0
    for k in range(n):
        r, lines, want = random.Random(f"{seed} {k}"), [], {}
        for s in range(steps):
            tag = ""
            if s and r.random() < 0.1:
                tag, _, line = r.choice(said)
                lines.append(line)
            elif s and r.random() < 0.2:
                lines.append(r.choice(silent)[2])
            want[s] = tag
            lines.append(step(s, r))
        got = tags_of(program, top, lines)
        for s, tag in want.items():
            if tag:
                all_said, found = all_said + 1, found + (got.get(s, "") == tag)
            else:
                others, false = others + 1, false + bool(got.get(s, ""))
    return found, all_said, false, others


def count_lines(program, top, rows, which):
    """Prints what the lines are taken for, and returns (right, said, wrong, silent)."""
    got = of_lines(program, top, rows)
    said = [(x, g) for x, g in zip(rows, got) if x[0]]
    silent = [(x, g) for x, g in zip(rows, got) if not x[0]]
    right, wrong = sum(x[0] == g for x, g in said), sum(bool(g) for _, g in silent)
    print(f"lines {which}, that say that a checkpoint is saved or an evaluation runs: {right} of {len(said)} are taken so")
    print(f"lines {which}, that say neither, but are about checkpoints, models and evaluations: {wrong} of {len(silent)} are taken for one (95 % bound {100 * bound(wrong, len(silent)):.1f} %)")
    for (tag, source, line), g in said + silent:
        if tag != g:
            print(f"    {tag or '-'}, not {g or '-'}: {source}: {line[:110]}")
    return right, len(said), wrong, len(silent)


def main():
    build, n, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200, int(sys.argv[3]) if len(sys.argv) > 3 else 0
    program, (rows, held) = os.path.join(build, "tscope"), table()
    with tempfile.TemporaryDirectory() as top:
        right, said, wrong, silent = count_lines(program, top, rows, "by which the rule was made")
        count_lines(program, top, held, "held back")
        found, all_said, false, others = of_logs(program, top, rows, n, seed)
        print(f"{n} logs with such lines: of {all_said} steps behind one, {found} have its tag; of {others} others, {false} have one (95 % bound {100 * bound(false, others):.2f} %)")
    return 1 if wrong > 0.03 * silent or right < 0.9 * said else 0


if __name__ == "__main__":
    sys.exit(main())
