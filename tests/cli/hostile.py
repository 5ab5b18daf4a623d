#!/usr/bin/env python3
"""What hostile runs say stays text in every output: hostile.py [BUILD].

Two runs whose facts, series, texts, operations, tags and notes hold commands of terminals, of GitHub's and Azure's runners and of HTML, are
pushed; then every verb shows them as text, JSON, pages and files for CI. In none of it may a harmful character stand as such, nor a
line begin a command of a runner; pages and XML must be well-formed. CSV is for other programs and tested with --no-formulas.
"""
import csv
import html.parser
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("TS_BUILD", "build/dev"))
HARMFUL = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]")
EVIL = ["::error ::x", "a\n::error title=b::c", "\u009b31m\x1b[31mred", "ab\u202ecba\u2066x", "zero\u200bwidth\ufeff\u2028line",
        "##[error]x ##vso[task.setvariable]x", "<script>alert(1)</script>&\"'", "=1+1", " ::warning::spaced", "@team | `x` [a](b) <!-- -->",
        "\U000e0041tag\xad", "long words " * 30 + "::error ::wrapped"]
# A GitHub runner trims a line before it looks for ::, and looks for ##[ anywhere, as Azure's does for ##vso[.
ORDER = re.compile(r"^\s*::|##[a-z]*\[", re.M)
failures = []


def make(path, lr):
    os.makedirs(path)
    names = {f"n{i}{text}": 1.0 / (i + 1) for i, text in enumerate(EVIL)}
    names.update({text: 2.0 for text in EVIL})
    with open(os.path.join(path, "steps.jsonl"), "w", encoding="utf-8") as f:
        for step in range(40):
            f.write(json.dumps({"step": step, "timestamp": 1.79e9 + step * 0.1, "phases": {"forward": 0.01, **{t[:40]: 0.001 for t in EVIL}},
                                "scalars": {"loss": 2 - lr * step, **{k: v * (1 + lr * step) for k, v in names.items()}},
                                "tags": EVIL, "note": EVIL[step % len(EVIL)] + str(lr if step > 20 else "")}, ensure_ascii=False) + "\n")
    with open(os.path.join(path, "digests.jsonl"), "w", encoding="utf-8") as f:
        for i, text in enumerate(EVIL):
            out = "%016x" % (i + (lr > 0.015))
            f.write(json.dumps({"step": 3, "name": text, "in": "%016x" % i, "out": out, "kind": text, "dtype": text}, ensure_ascii=False) + "\n")
    with open(os.path.join(path, "run.json"), "w", encoding="utf-8") as f:
        config = {text: text + str(lr) for text in EVIL}
        json.dump({"name": EVIL[0], "config": {**config, "lr": lr, "x": EVIL[0], "y": EVIL[7]}, "environment": {"gpu": EVIL[3], "python": EVIL[1]}}, f,
                  ensure_ascii=False)
    with open(os.path.join(path, "facts.json"), "w", encoding="utf-8") as f:
        json.dump({"code": {"commit": EVIL[0], "branch": EVIL[2]}, "work": {"workload": EVIL[5]}, "session": {"command": EVIL[1], "host": EVIL[4]},
                   "lineage": {"parent": EVIL[0]}, "seeds": {EVIL[0]: EVIL[3]}}, f, ensure_ascii=False)


def check(where, text, runner=False):
    found = HARMFUL.search(text)
    if found:
        failures.append(f"{where}: U+{ord(found.group()):04X} in {text[max(0, found.start() - 60):found.end() + 20]!r}")
    found = None if runner else ORDER.search(text)
    if found:
        failures.append(f"{where}: a command of a runner in {text[max(0, found.start() - 60):found.end() + 40]!r}")


SCRIPT = "".join(json.loads(line.strip().rstrip(","), strict=False) for line in open("cli/report/chart_script.inc", encoding="utf-8") if line.strip().startswith('"'))


class Page(html.parser.HTMLParser):
    """A page has no script but the one of plots, to the letter: nothing that was recorded is in it."""
    inside = False

    def handle_starttag(self, tag, attrs):
        self.inside = tag == "script"

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside and data.strip() != SCRIPT.strip():
            failures.append(f"a page has a script: {data[:100]!r}")


def main():
    place = tempfile.mkdtemp(prefix="tscope-hostile-")
    env = {"PATH": os.environ["PATH"], "HOME": place, "TSCOPE_STORE": os.path.join(place, "store"), "COLUMNS": "80"}

    def run(*words, runner=False, data=False, fails=False):
        ran = subprocess.run([os.path.join(BUILD, "tscope"), *words], cwd=place, env=env, capture_output=True)
        out, err = ran.stdout.decode("utf-8"), ran.stderr.decode("utf-8")
        if (ran.returncode == 2) != fails or ran.returncode not in range(5):
            failures.append(f"{words}: exit {ran.returncode}: {err}")
        if not data:
            check(" ".join(words), out.replace("\t", " ") if "--first" in words else out.replace(SCRIPT, ""), runner)
        check(" ".join(words) + " (stderr)", err)
        return out

    make(os.path.join(place, "a"), 0.01)
    make(os.path.join(place, "b"), 0.02)
    run("push", "a", "b", "--message", EVIL[1])
    run("note", "a", "why=" + EVIL[0])
    run("note", "b", "who=" + EVIL[3])
    run("tag", "a", "v1")
    run("name", "a", "again")
    columns = "name,config.x,session.name,session.host,code.commit,note.why," + "config.lr"
    many = [("list",), ("list", "-c", columns), ("list", "--by", "config.x", "-c", "loss.last"), ("show", "a"), ("facts", "a"), ("facts", "a", "b"),
            ("log", "a"), ("note", "a"), ("analyze", "a"), ("diff", "a", "b"), ("diff", "a", "b", "--reproduce"), ("diff", "a", "b", "--first"),
            ("diff", "a", "b", "again"), ("check-resume", "a", "b"), ("plot", "loss", "a", "b"), ("plot", EVIL[0], "a", "b"), ("tag",),
            ("gate", "b", "--baseline", "a", "--across", "config"), ("verify",)]
    for words in many:
        run(*words)
        if words[0] not in ("plot",) and "--first" not in words and "--reproduce" not in words:
            json.loads(run(*words, "--json"))
    for words in (("list",), ("analyze", "a"), ("diff", "a", "b"), ("plot", "loss", "a", "b")):
        page = run(*words, "--html", "-")
        Page().feed(page)
        xml.etree.ElementTree.fromstring(page[page.index("<html"):])
    gate = ("gate", "b", "--baseline", "a", "--across", "config")
    for form in ("junit", "markdown", "gitlab", "request", "verdict"):
        path = os.path.join(place, "out." + form)
        run(*gate, f"--{form}", path)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        check(f"gate --{form}", text)
        if form == "junit":
            xml.etree.ElementTree.fromstring(text)
    own = re.compile(r"::(stop-commands::)?[0-9a-f]{32}(::)?$|::(error|warning|notice) title=[^:]*::")
    for line in run(*gate, "--github", runner=True).split("\n"):
        message = own.sub("", line, count=1) if own.match(line) else line
        if ORDER.search(message):
            failures.append(f"gate --github: {line!r}")
    for words in (("list", "-c", columns + ",config.y", "--csv", "--no-formulas"), ("export", "a", "--format", "csv", "--no-formulas")):
        for row in csv.reader(io.StringIO(run(*words, data=True), newline="")):
            failures.extend(f"{words}: {cell!r} is a formula" for cell in row if re.match(r"[=@\t]|[+-](?![0-9.e+-]*$)", cell) and cell != "-Infinity")
    for name in (EVIL[0], EVIL[2], EVIL[3], EVIL[5]):
        run("show", name, fails=True)
        run("push", "./" + name, fails=True)
    shutil.rmtree(place)
    for line in failures:
        print(line)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
