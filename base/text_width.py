#!/usr/bin/env python3
"""Writes text_width.inc: which code points take two columns of a terminal and which take none.

    python3 base/text_width.py > base/text_width.inc
"""

import sys
import unicodedata


def ranges(wanted):
    out = []
    for point in range(0x80, sys.maxunicode + 1):
        if not wanted(chr(point)):
            continue
        if out and out[-1][1] == point - 1:
            out[-1][1] = point
        else:
            out.append([point, point])
    return out


def write(name, wanted):
    print("static const struct range %s[] = {" % name)
    line = "\t"
    for first, last in ranges(wanted):
        item = "{0x%X, 0x%X}, " % (first, last)
        if len(line) + len(item) > 104:
            print(line.rstrip())
            line = "\t"
        line += item
    print(line.rstrip())
    print("};")


print("/* Made by text_width.py from Unicode %s. */" % unicodedata.unidata_version)
print("struct range {\n\tuint32_t first;\n\tuint32_t last;\n};\n")
write("wide", lambda c: unicodedata.east_asian_width(c) in "WF" and unicodedata.category(c) not in ("Mn", "Me"))
print()
write("empty", lambda c: unicodedata.category(c) in ("Mn", "Me", "Cf") and c != "\u00ad")
