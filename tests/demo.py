#!/usr/bin/env python3
"""The demo fits three screens and says of each command what it is for and what its answer means: demo.py BUILD."""
import re
import subprocess
import sys

LINES, COLUMNS = 150, 100

out = subprocess.run(["tests/demo.sh", sys.argv[1]], stdout=subprocess.PIPE, text=True, check=True, encoding="utf-8").stdout
lines = out.rstrip("\n").split("\n")
wide = [line for line in lines if len(line) > COLUMNS]
if len(lines) > LINES or wide:
    sys.exit(f"demo: {len(lines)} lines, and these are wider than {COLUMNS} columns: {wide}")
steps = re.split(r"\n(?=# )", out)[1:]
for step in steps:
    if not re.match(r"# .+\n\$ .+\n(?!-> )(.*\n)+-> .+\n", step):
        sys.exit("demo: a command without its point, its answer or its meaning:\n" + step)
if len(steps) < 11:
    sys.exit(f"demo: only {len(steps)} commands")
