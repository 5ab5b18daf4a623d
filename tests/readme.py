#!/usr/bin/env python3
"""The diff shown in README.md is what the programs print today: readme.py BUILD [--update]."""
import os
import re
import subprocess
import sys
import tempfile

build = os.path.abspath(sys.argv[1])
with tempfile.TemporaryDirectory() as store:
    env = {"PATH": os.environ["PATH"], "COLUMNS": "100", "NO_COLOR": "1", "TSCOPE_STORE": store}
    for words in (["push", "-q", "base", "order"], ["diff", "base", "order"]):
        out = subprocess.run([os.path.join(build, "tscope"), *words], cwd="tests/golden/demo/runs", capture_output=True, text=True, env=env)
if out.returncode != 1:
    sys.exit(f"readme: diff ended with {out.returncode}: {out.stderr}")
# The README shows one screen; the part behind the series is in docs/report.md.
screen = out.stdout.split("\nCURVES ")[0]
shown = "".join(f"    {line}".rstrip() + "\n" for line in screen.split("\n")).rstrip() + "\n    ...\n"
text = open("README.md", encoding="utf-8").read()
pattern = re.compile(r"(    \$ tscope diff base order\n)(.*?)(\n`base` and `order`)", re.S)
found = pattern.search(text)
if "--update" in sys.argv:
    text = text[:found.start(2)] + shown + text[found.end(2):]
    open("README.md", "w", encoding="utf-8").write(text)
elif found.group(2) != shown:
    sys.exit(f"README.md shows another diff than\n{shown}\nRewrite it by: python3 tests/readme.py BUILD --update")
