#!/usr/bin/env python3
"""Holds the table of docs/http.md to the table of addresses: document.py MAKE_HTTP [--write]."""
import re
import subprocess
import sys

PATH = "docs/http.md"
TABLE = re.compile(r"\| address \|.*?\n(?=\n|\Z)", re.S)

table = subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout
with open(PATH) as document:
    text = document.read()
wanted = TABLE.sub(lambda _: table, text, count=1)
if "--write" in sys.argv:
    with open(PATH, "w") as document:
        document.write(wanted)
elif wanted != text:
    sys.exit(f"{PATH} has another table than web/routes.c; {sys.argv[0]} {sys.argv[1]} --write writes it anew")
