#!/usr/bin/env python3
"""Prints what lives in each folder, from the first sentence of each file, and fails where a folder or a file does not say it.

    python3 tests/rooms.py [FOLDER...]     the folders and their files; all of them without a word
    python3 tests/rooms.py --check         what is missing or wrong:
        a README.md of a folder, whose first line is `# FOLDER: what lives here` and which says what it may include
        the sentence of a file
        a row in the table of docs/architecture.md (tests/layers.py holds both to its edges)
        a change in CHANGELOG.md that is not one line of at most 160 columns
        a room of which no walk in docs/architecture.md names a source
        a document of docs/ that docs/README.md does not list
        a source that README.md, CONTRIBUTING.md, docs/ or a README.md of a folder names, and that is not there

A file's sentence stands in its first comment, `/* name.c - sentence`. A .c beside a header of its name needs none: the header has it.
In tests/ the name may be missing, and Python says it in its docstring.
"""
import fnmatch
import glob
import os
import re
import signal
import subprocess
import sys
import textwrap

import layers

FOLDERS = ["record", "base", "run", "analysis", "experiment", "ingest", "store", "proto", "service", "cli", "tests"]
DATA = re.compile(r"tests/(golden|cli/runs|fuzz/corpus)/")  # their READMEs say where the data came from
NAMED = re.compile(r"(?<![\w./*<-])(?!\S*(?:_x|_NAME|thing)\.)[\w*][\w./*{},-]*\.(?:c|h|py|sh|inc|proto|tsv)\b(?!\.)")


def tracked(*folders):
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *folders], capture_output=True, text=True, check=True).stdout
    return sorted({p for p in out.split("\n") if p and os.path.exists(p)})


def is_source(path):
    return path.endswith((".c", ".h")) or (path.startswith("tests/") and path.endswith((".py", ".sh")))


def sentence(path):
    """Returns the first sentence of a file's first comment or docstring, or None if there is none."""
    with open(path, encoding="utf-8") as f:
        head = f.read(4000)
    tests = path.startswith("tests/")
    head = re.sub(r"^#!.*\n", "", head)
    name = re.escape(os.path.basename(path)) + r"(?: [^-\n]*)? - "
    if tests:
        name = rf"(?:\S+(?: [^-\n]*)? - |{re.escape(os.path.basename(path))}[^:\n]*: )?"
    opening = r'"""' if path.endswith(".py") else r"(?=# )" if path.endswith(".sh") else r"/\* "
    end = r"\*/|\"\"\"|\n ?\*?\n|\.\s|\n(?!#| \*|\w)"
    m = re.match(opening + (r"# " if path.endswith(".sh") else "") + name + r"(.*?)(?:" + end + ")", head, re.S)
    return re.sub(r"\s*\n (\*|#)? ?|\n(# )?", " ", m.group(1)).strip().rstrip(".:") if m else None


def is_test(stem):
    return stem.startswith(("test_", "fuzz_", "bench_", "make_"))


def nouns(files):
    """Returns (name, sentence or None) of each noun of a folder: a header and its .c are one noun."""
    stems = {}
    for path in files:
        stem = os.path.splitext(os.path.basename(path))[0]
        if path.startswith("tests/") or not is_test(stem):
            stems.setdefault(stem, []).append(path)
    for stem, paths in sorted(stems.items()):
        what = next((s for s in map(sentence, sorted(paths, reverse=True)) if s), None)
        if what or not is_test(stem):
            yield stem, what


def room_errors(folder):
    """Returns what is wrong with the README of a folder."""
    path = os.path.join(folder, "README.md")
    if not os.path.exists(path):
        yield f"{folder} has no README.md"
        return
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if not text.startswith(f"# {folder}: "):
        yield f"{path} does not begin with `# {folder}: `"
    if folder in layers.ROOMS and not re.search(r"^May include: [^.]*\.\s", text, re.M):
        yield f"{path} does not say what {folder} may include"


def house_errors(path=layers.HOUSE):
    """Yields the rooms that the table of rooms leaves out."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    rows = {m[2] for m in layers.HOUSE_ROW.finditer(text)}
    for room in FOLDERS[:-1]:
        if room not in rows:
            yield f"{path} has no row of {room}/"
        if room != "base" and not re.search(rf"^\d+\. .*(?:\n .*)*`{room}/[\w/]+\.c`", text, re.M):
            yield f"{path}: no walk goes through {room}/"


def shelf_errors(path="docs/README.md"):
    with open(path, encoding="utf-8") as f:
        listed = set(re.findall(r"^\| \[([\w./-]+)\]", f.read(), re.M))
    for document in tracked("docs/*.md"):
        if os.path.dirname(document) == "docs" and document != path and os.path.basename(document) not in listed:
            yield f"{path} does not list {os.path.basename(document)}"


def named_errors(documents, sources):
    """Sources that a document names and that are not there: by their path from the root or from the document, or by their unique name."""
    names = {os.path.basename(p) for p in sources}
    for path in documents:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for number, line in enumerate(text.split("\n"), 1):
            for word in NAMED.findall(line):
                word = re.sub("^ci/tscope/", "deploy/ci/", word)  # where gate --init writes them in a repository
                here = os.path.join(os.path.dirname(path), word)
                if "/" in word:
                    there = any(glob.glob(w) for w in (word, here))
                else:
                    there = fnmatch.filter(names, word) or glob.glob(here) or not word.endswith((".c", ".h"))
                if not there:
                    yield f"{path}:{number}: {word} is not there"


def change_errors(path="CHANGELOG.md"):
    """A heading, a change in one line, or one of the few sentences above the first change of a version."""
    changed = False
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f.read().split("\n"), 1):
            changed = line.startswith("* ") or (changed and not line.startswith("## "))
            if len(line) > 160:
                yield f"{path}:{number}: a change is one line of at most 160 columns, and this has {len(line)}"
            elif changed and line and not line.startswith(("* ", "#")):
                yield f"{path}:{number}: a change is one line, and this is a second one"


def first_line(folder):
    path = os.path.join(folder, "README.md")
    if not os.path.exists(path):
        return f"{folder}: ?"
    with open(path, encoding="utf-8") as f:
        return f.readline().strip().lstrip("# ")


def show(folder, files):
    print(f"\n{first_line(folder)}")
    for stem, what in nouns(files):
        print(textwrap.fill(f"{stem:20} {what or '?'}", 130, initial_indent="  ", subsequent_indent=" " * 23,
                            break_on_hyphens=False))


def check(folders):
    errors = []
    for folder, files in folders.items():
        errors += room_errors(folder)
        errors += [f"{folder}/{stem} opens without a sentence" for stem, what in nouns(files) if what is None]
    documents = [p for p in tracked("*.md") if not DATA.match(p) and p != "CHANGELOG.md"]
    errors += [*house_errors(), *shelf_errors(), *named_errors(documents, tracked()), *change_errors()]
    for e in errors:
        print(e)
    print(f"{len(folders)} folders, {len(documents)} documents, {len(errors)} errors")
    return 1 if errors else 0


def main(words):
    folders = {}
    for path in filter(is_source, tracked(*FOLDERS)):
        if not DATA.match(path):
            folders.setdefault(os.path.dirname(path), []).append(path)
    folders = dict(sorted(folders.items()))
    if words == ["--check"]:
        return check(folders)
    words = [w.rstrip("/") for w in words]
    chosen = [f for f in folders if not words or any(f == w or f.startswith(w + "/") for w in words)]
    for folder in chosen:
        show(folder, folders[folder])
    return 0 if chosen else f"no folder of sources is named {', '.join(words)}"


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main(sys.argv[1:]))
