#!/usr/bin/env python3
"""Counts mechanisms that base/ has once and that stand elsewhere by hand, and fails where one has become more: an order, an array that
grows, a search, a table of hashes, the words of an enum. Also fails on a value of an enum for which TS_WORDS has no word.
Run from the root: python3 tests/mechanisms.py [-v]; -v prints the places."""
import collections
import os
import re
import subprocess
import sys

from layers import is_test, strip

# What is counted, the file of base/ that has it, a pattern, and how often it may stand elsewhere. Fewer is written here as well, so
# that it stays so. The recorder has no base.
MECHANISMS = [
    ("comparators of qsort", "order", r"^(?:static )?int \w+\(const void \*\w+, const void \*\w+\)\n\{", 0),
    ("calls of qsort", "order", r"\bqsort\(", 1),  # of items whose size is known when the program runs
    ("arrays that double", "grow|map", r"\b(\w+(?:(?:->|\.)\w+)*) \? (?:\1 \* 2|2 \* \1)\b|\bcap\w* \*= 2;", 5),  # with a ceiling, or of a table of hashes
    ("calls of ts_realloc", "grow", r"\bts_realloc\(", 7),  # windows of bytes, columns of one cap
    ("searches by halves", "bisect", r"\b(?:size_t|unsigned|u?int\d*_t|int) \w+ = (?:\w+ \+ )?\(\w+ [-+] \w+\) / 2;", 0),
    ("clocks of conditions", "system_linux", r"\bpthread_condattr_setclock\(", 0),
    # Random numbers, and keys that a store keeps.
    ("functions that mix a hash", "map", r"\^ [^;\n]*\) ?\* ?(?:UINT64_C\()?0x(?:100000001[bB]3|9[eE]3779|[bB][fF]58)|1099511628211", 2),
    # What training writes: the names of events, and the last lines of a log. tests/reworded.py looks for the others.
    ("comparisons with a sentence", "words",
     r'\b(?:strn?cmp|strstr|strncasecmp|ts_span_(?:is|starts|ends|has|contains))\((?:[^;"()]|\([^()"]*\))*'
     r'(?:ts_span_str\()?"[^"\n]*[a-z]{2} [a-z]', 8),
    ("switches over words", "words", r"^(?:static )?const char \*\w+\(enum \w+ \w+\)\n\{\n\tswitch", 2),  # several values a word
]
ENUM = re.compile(r"\benum (\w+) \{(.*?)\}", re.S)
WORDS = re.compile(r"\bTS_WORDS\(\w+, enum (\w+), (.*?)\)\n", re.S)


def sources():
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.c", "*.h"], capture_output=True, text=True,
                           check=True).stdout.split()
    return {f: strip(open(f, encoding="utf-8").read()) for f in files if os.path.exists(f) and not is_test(f)}


def places(files, home, pattern):
    """Returns where the pattern stands in the product, but for the recorder and the file of base/ that is for it."""
    found = []
    for path, text in files.items():
        if not path.startswith(("record/", "python/")) and not re.fullmatch(rf"base/(?:{home}|alloc)\.[ch]", path):
            found += [f"{path}:{text.count(chr(10), 0, m.start()) + 1}" for m in re.finditer(pattern, text, re.M)]
    return found


def wordless(files):
    """Yields the values of enums without a word in a list of them. A value may have none that
    only says how many there are: the last one, and one from which others count on."""
    values, counts = collections.defaultdict(list), set()
    for text in files.values():
        for name, body in ENUM.findall(text):
            counts |= set(re.findall(r"= (\w+)", body))
            values[name].append(re.findall(r"^\s*(\w+)", body.replace(",", "\n"), re.M))
    for path, text in files.items():
        for name, body in WORDS.findall(text):
            said = set(re.findall(r"\[(\w+)\]", body))
            all_of = next((v for v in values[name] if said <= set(v)), [])
            yield from (f"{path}: {v} of enum {name} has no word" for v in all_of[:-1] if v not in said and v not in counts)


def main():
    files, errors = sources(), 0
    for what, home, pattern, most in MECHANISMS:
        found = places(files, home, pattern)
        print(f"{what + ' by hand':40} {len(found):4}")
        if "-v" in sys.argv[1:]:
            print("\n".join(f"    {place}" for place in found))
        if len(found) != most:
            print(f"tests/mechanisms.py: {what}: {most} were counted before; "
                  + (f"use base/{home.split('|')[0]}.h" if len(found) > most else "write the new number"))
            errors += 1
    for line in wordless(files):
        print(line)
        errors += 1
    print(f"{len(files)} files, {errors} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
