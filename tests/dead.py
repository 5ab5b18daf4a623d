#!/usr/bin/env python3
"""Fails on a function of the product that no file of the product uses: what only tests call is no product, and a test should use what
the product uses. Run from the root: python3 tests/dead.py"""
import collections
import os
import re
import subprocess
import sys

from layers import is_test, strip

# A name or the end of a name, and the reason why the product may have it although no program uses it.
ALLOWED = {
    "_markdown": "prints a table of docs/, which a test holds to the table in the code",
    "recvmsg": "C-core calls it in place of libc's",
    "sendmsg": "C-core calls it in place of libc's",
    "ts_alloc_fail_at": "makes the n-th allocation fail: only a test wants that",
    "ts_helpers_allow": "has work cut in two on one core, or left whole on many: a test holds both to the same",
    "ts_shape_schema": "writes the schemas of docs/schemas, which make_schemas.c prints and a test compares",
    "ts_random_normal": "the noise of tests, from the generator that permutation tests draw from",
    "ts_wire_pack_health_request": "the client's half of grpc.health.v1, which tests ask the server with",
    "ts_wire_unpack_health_reply": "the client's half of grpc.health.v1, which tests ask the server with",
}
FACES = ["record/tscope.h"]  # what they declare is for programs of others
DEFINITION = re.compile(r"^(?!static\b|typedef\b|extern\b|else\b)[a-z][\w \*]*?\b(\w+)\([^;{}]*\)\s*\{", re.M)


def code_of(path):
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', strip(open(path, encoding="utf-8").read()))


def is_product(path):
    return path.endswith(".c") and not is_test(path)


def allowance(name):
    return next((end for end in ALLOWED if (name.endswith(end) if end.startswith("_") else name == end)), None)


def main():
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.c", "*.h"], capture_output=True, text=True,
                           check=True).stdout.split()
    files = [f for f in files if os.path.exists(f) and not is_test(f)]
    text = {f: code_of(f) for f in files}
    words = {f: collections.Counter(re.findall(r"\w+", t)) for f, t in text.items()}
    # Macros make names: TS_REPLIER(objects_reply) uses ts_wire_pack_objects_reply.
    pasted = set(re.findall(r"\b(\w+_)##", "\n".join(text.values())))
    total, errors = sum((words[f] for f in files if is_product(f)), collections.Counter()), 0
    headers = sum((words[f] for f in files if f.endswith(".h")), collections.Counter())
    faces = {name for f in FACES for name in re.findall(r"\b(\w+)\(", text[f])}
    unused = set(ALLOWED)
    for path in filter(is_product, files):
        for name in DEFINITION.findall(text[path]):
            made = any(name.startswith(p) and total[name[len(p):]] for p in pasted)
            if total[name] > 1 or headers[name] > 1 or made or name in faces:
                continue
            unused.discard(allowance(name))
            if not allowance(name):
                print(f"{path}: nothing of the product uses {name}")
                errors += 1
    for name in unused:
        print(f"tests/dead.py: {name} needs no exception")
        errors += 1
    print(f"{len(files)} files, {errors} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
