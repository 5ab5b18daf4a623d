#!/usr/bin/env python3
"""Holds what is said of a count of one to the grammar of one: counts.py [FILE...]. It reads the transcripts of tests/cli, or the files. Wrong are a noun of many behind it ("1 files",
"1 other states") and a verb of many behind its noun ("1 value of 2 series agree"). denied.py asks the same of the answers to the golden pairs. Prints what is wrong, and fails if
something is."""
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ONE = r"(?:^|[:;,(] |\b(?:in|of|from|and|with|has|have|to|by|than|but|only) )1 "
ALIKE = r"(?!(?:series|times|is|has|was|us|ms|less)\b)"
NOUN = re.compile(ONE + r"(?:(?:other|more|further|recorded|common) )?" + ALIKE + r"[a-z]+s\b(?![./=_-])")
VERBS = "are|were|have|differ|agree|pass|hold|need|lie|do|part|show|stand|match|fail|repeat|count|say"
VERB = re.compile(rf"{ONE}(?:(?:other|more|further|recorded|common) )?[a-z]+(?: of [\d,]+ [a-z]+)? (?:{VERBS})\b(?![./=_-])")


def wrong(text):
    """What stands beside a count of one as beside a greater one."""
    return [m[0].strip() for pattern in (NOUN, VERB) for m in pattern.finditer(text)]


def main():
    files, bad = sys.argv[1:] or sorted(glob.glob(os.path.join(HERE, "../cli/cases/*.t"))), 0
    for path in files:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                for words in wrong(line):
                    print(f"{os.path.relpath(path)}:{number}: {words}")
                    bad += 1
    print(f"{len(files)} files, {bad} counts of one that are said as of many")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
