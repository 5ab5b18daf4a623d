#!/usr/bin/env python3
"""Prints what lives in each folder, from the first sentence of each file, and fails where a folder or a file does not say it.

    python3 tests/rooms.py [FOLDER...]     the folders and their files; all rooms without a word
    python3 tests/rooms.py --check         what is missing: a README.md of a folder, the sentence of a file

A file's sentence stands in its first comment, `/* name.c - sentence`. A .c beside a header of its name needs none: the header has it.
"""
import os
import re
import subprocess
import sys

ROOMS = ["base", "run", "analysis", "ingest", "store", "proto", "service", "cli"]


def tracked():
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *ROOMS], capture_output=True, text=True, check=True).stdout
    return sorted({p for p in out.split("\n") if p and os.path.exists(p)})


def sentence(path):
    """The first sentence of a file's first comment, None without one."""
    with open(path, encoding="utf-8") as f:
        head = f.read(4000)
    m = re.match(r"/\* " + re.escape(os.path.basename(path)) + r" - (.*?)(?:\*/|\n \*\n|\.\s)", head, re.S)
    return re.sub(r"\s*\n \* ?", " ", m.group(1)).strip().rstrip(".") if m else None


def is_test(name):
    return name.startswith(("test_", "fuzz_", "bench_", "make_"))


def nouns(files):
    """(name, sentence or None) of each noun of a folder: a header and its .c are one."""
    stems = {}
    for path in files:
        stem, extension = os.path.splitext(os.path.basename(path))
        if extension in (".c", ".h") and not is_test(stem):
            stems.setdefault(stem, []).append(path)
    for stem, paths in sorted(stems.items()):
        yield stem, next((s for s in map(sentence, sorted(paths, reverse=True)) if s), None)


def first_line(folder):
    with open(os.path.join(folder, "README.md"), encoding="utf-8") as f:
        return f.readline().strip().lstrip("# ")


def main(words):
    check = words[:1] == ["--check"]
    folders = {}
    for path in tracked():
        if path.endswith((".c", ".h")):
            folders.setdefault(os.path.dirname(path), []).append(path)
    errors = []
    for folder, files in sorted(folders.items()):
        if words and not check and not any(folder == w or folder.startswith(w.rstrip("/") + "/") for w in words):
            continue
        if not os.path.exists(os.path.join(folder, "README.md")):
            errors.append(f"{folder} has no README.md")
        elif not check:
            print(f"\n{first_line(folder)}")
        for stem, what in nouns(files):
            if what is None:
                errors.append(f"{folder}/{stem} opens without a sentence")
            elif not check:
                print(f"    {stem:22} {what}")
    for e in errors:
        print(e)
    if check:
        print(f"{len(folders)} folders, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
