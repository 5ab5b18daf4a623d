#!/usr/bin/env python3
"""push --also: also.py [BUILD].

The id is the same in all stores, also with the facts of this host; a run that is written to between two of them is not pushed to the second
under another id; a server whose port was forgotten becomes no folder; and --dry-run says of a store that is away that nothing was compared.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("TS_BUILD", "build/dev"))
WAIT_S = 240
ENV = {**{k: v for k, v in os.environ.items() if not k.startswith("TSCOPE_")}, "TSCOPE_PROJECT": "p"}


def expect(holds, what):
    if not holds:
        raise SystemExit(f"also.py: {what}")


def command(store, *words):
    return [os.path.join(BUILD, "tscope"), "--store", store, *words]


def tscope(store, *words, cwd=None):
    return subprocess.run(command(store, *words), env=ENV, cwd=cwd, capture_output=True, text=True, timeout=WAIT_S)


def id_of(store, name):
    """None: there is no such run, or no store."""
    done = tscope(store, "show", name, "--json")
    return json.loads(done.stdout)["run"]["id"] if done.returncode == 0 else None


def write(run, steps):
    with open(os.path.join(run, "steps.jsonl"), "a", encoding="utf-8") as f:
        for step in steps:
            f.write(json.dumps({"step": step, "scalars": {"loss": 1 / (step + 1)}}) + "\n")


def full_pipe():
    """A pipe whose writers wait."""
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    try:
        while True:
            os.write(writes, b" " * 4096)
    except BlockingIOError:
        os.set_blocking(writes, True)
    return reads, writes


def same_id(first, second, run):
    for more in ([], ["--host-facts"], ["--fact", "config.lr=0.5"]):
        name = f"same{len(more)}{len(''.join(more))}"
        done = tscope(first, "push", run, "--name", name, *more, "--also", second)
        expect(done.returncode == 0 and f"also to {second}" in done.stdout, f"push {more}: {done.returncode} {done.stderr}")
        expect(id_of(first, name) and id_of(first, name) == id_of(second, name), f"{more}: {id_of(first, name)} and {id_of(second, name)}")


def changed_between(first, second, run):
    """The push waits between its stores, because nobody reads what it says of a line that it left out."""
    with open(os.path.join(run, "steps.jsonl"), "a", encoding="utf-8") as f:
        f.write("no step\n")
    words = ("push", run, "--name", "changing", "--also", second)
    reads, writes = full_pipe()
    push = subprocess.Popen(command(first, *words), env=ENV, stdout=subprocess.DEVNULL, stderr=writes)
    os.close(writes)
    until = time.monotonic() + WAIT_S
    while not id_of(first, "changing"):
        expect(time.monotonic() < until and push.poll() is None, "nothing is in the first store")
        time.sleep(0.1)
    write(run, [40])
    with os.fdopen(reads) as said:
        text = said.read().strip()
    expect(push.wait() == 2 and "would have another id" in text, f"a run that changed: {push.returncode} {text}")
    expect(not id_of(second, "changing"), "a run that changed is in the second store, too")
    done = tscope(first, *words)
    expect(done.returncode == 0 and id_of(first, "changing") == id_of(second, "changing"), f"the same command: {done.stderr}")


def words_that_are_wrong(first, run, top):
    port = tscope(first, "push", run, "--name", "port", "--also", "tscope.example.org", cwd=top)
    expect(port.returncode == 2 and "with its port" in port.stderr, f"no port: {port.returncode} {port.stderr}")
    expect(not os.path.exists(os.path.join(top, "tscope.example.org")) and not id_of(first, "port"), "a host without a port was taken for a folder")
    begun = tscope(first, "push", run, "--name", "begun", "--also", "./begun", cwd=top)
    expect(begun.returncode == 0 and id_of(os.path.join(top, "begun"), "begun"), f"a new folder: {begun.returncode} {begun.stderr}")
    again = tscope(first, "push", run, "--name", "begun", "--also", "begun", cwd=top)
    expect(again.returncode == 0, f"a folder that is there: {again.returncode} {again.stderr}")
    dry = tscope(first, "push", run, "--dry-run", "--also", f"unix:{top}/none")
    expect(dry.returncode == 2 and "pushed, but" not in dry.stderr and "compared with" in dry.stderr, f"--dry-run: {dry.returncode} {dry.stderr}")


def main():
    top = tempfile.mkdtemp(prefix="tscope-test-")
    first, second, run = (os.path.join(top, name) for name in ("first", "second", "run"))
    try:
        os.mkdir(run)
        write(run, range(40))
        same_id(first, second, run)
        changed_between(first, second, run)
        words_that_are_wrong(first, run, top)
    finally:
        shutil.rmtree(top, ignore_errors=True)


main()
