#!/usr/bin/env python3
"""Writes peaks.inc from peaks.tsv: the table of peaks that is compiled in. Says what is wrong with a row, and fails.

    python3 analysis/rank/peaks.py > analysis/rank/peaks.inc
"""

import os
import re
import sys

DTYPES = ("fp16", "bf16", "tf32", "fp32", "fp8", "int8", "memory", "bandwidth", "capability")
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peaks.tsv")


def rows():
    seen = set()
    for number, line in enumerate(open(TABLE, encoding="ascii"), 1):
        if line.startswith("#"):
            continue
        cells = line.rstrip("\n").split("\t")
        if len(cells) != 5 or not all(cells) or cells[1] not in DTYPES or not 0 < float(cells[2]) < 1e17:
            sys.exit("%s:%d: not names, one of %s, a value, source, year" % (TABLE, number, " ".join(DTYPES)))
        if not re.fullmatch(r"20\d\d(-\d\d)?", cells[4]):
            sys.exit("%s:%d: the source has no year" % (TABLE, number))
        for name in cells[0].split(" | "):
            tokens = " ".join(re.findall("[a-z0-9]+", name.lower()))
            if (tokens, cells[1]) in seen:
                sys.exit("%s:%d: %s %s is there twice" % (TABLE, number, name, cells[1]))
            seen.add((tokens, cells[1]))
            yield tokens, cells[0].split(" | ")[0], cells[1], cells[2], (cells[3], cells[4])


def main():
    table = list(rows())
    sources = []
    for row in table:
        if row[4] not in sources:
            sources.append(row[4])
    print("/* Made by peaks.py from peaks.tsv. */")
    print("static const struct source {\n\tconst char *document;\n\tconst char *date;\n} sources[] = {")
    for document, date in sources:
        print('\t{"%s",\n\t "%s"},' % (document, date))
    print("};\n\nstatic const struct row {")
    print("\tconst char *tokens; /* of one of its names */\n\tconst char *name;")
    print("\tconst char *dtype;\n\tdouble value; /* operations or bytes a second, GiB, or the version of a capability */\n\tint source;\n} rows[] = {")
    for tokens, name, dtype, flops, source in table:
        print('\t{"%s", "%s", "%s", %s, %d},' % (tokens, name, dtype, flops, sources.index(source)))
    print("};")


main()
