#!/usr/bin/env python3
"""White space of C and CMake sources: no trailing blanks, tabs to indent C, a final newline, no line over WIDTH columns (a tab is 8), which .clang-format has too."""
import re
import subprocess
import sys

files = subprocess.run(["git", "ls-files", "*.c", "*.h", "CMakeLists.txt", "*.cmake", "*.py", "*.sh"], capture_output=True,
                       text=True, check=True).stdout.split()
WIDTH = int(re.search(r"^ColumnLimit: (\d+)$", open(".clang-format").read(), re.M)[1])
bad = 0
for path in files:
    text = open(path, encoding="utf-8").read()
    if text and not text.endswith("\n"):
        print(f"{path}: no newline at the end")
        bad += 1
    for number, line in enumerate(text.split("\n"), 1):
        why = None
        if line != line.rstrip():
            why = "trailing blank"
        elif path.endswith((".c", ".h")) and line.startswith("        ") and line.strip() != "\\":
            why = "spaces where tabs indent"
        elif path.endswith((".c", ".h")) and len(line.expandtabs(8)) > WIDTH:
            why = f"{len(line.expandtabs(8))} columns"
        if why:
            print(f"{path}:{number}: {why}")
            bad += 1
print(f"{len(files)} files, {bad} errors")
sys.exit(1 if bad else 0)
