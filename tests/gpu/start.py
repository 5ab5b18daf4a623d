#!/usr/bin/env python3
"""start.py: finds a device and a torch for it, builds the package without the network, and starts check.py.

    start.py FOLDER [--ask] [--python PROGRAM] [--wheels PATH] [--program TSCOPE] [--device cuda|cpu]

PROGRAM is the Python that has torch, or for which PATH has wheels: of torch with all that it needs, of what it lacks to build
(setuptools), or of tscope itself, which is not built then. They are installed into FOLDER. TSCOPE reads the trace and the snapshot.
--ask only says whether there is a device. Exit 77: it cannot be done here, and why; 1: something does not hold, or took more than
eight minutes.
"""
import argparse
import glob
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MOST_S = 480
ASKS = """
import sys
try:
    import torch
except ImportError as error:
    sys.exit(f"it has no torch ({error}); --python names one that has it, or --wheels a folder with torch's wheels")
if sys.argv[1] == "cuda" and not torch.cuda.is_available():
    sys.exit(f"its torch {torch.__version__} sees no device of CUDA")
"""


def skip(why):
    """Ends as skipped."""
    print(f"skipped: {why}")
    sys.exit(77)


def run(python, site, *words, **how):
    """Runs a Python that sees what was installed into the folder, and returns what came of it."""
    paths = [site, *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.run([python, *words], env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}, text=True, **how)


def pip(python, site, *words):
    """Runs pip without the network. Returns what it said if it failed."""
    done = run(python, site, "-m", "pip", "--disable-pip-version-check", *words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout or "pip failed" if done.returncode else ""


def install(python, site, wheels):
    """Installs wheels into the folder. Returns what was said if that failed."""
    words = ("install", "-q", "--no-index", "--no-deps", "--no-compile", "--no-cache-dir", "--upgrade", "--target", site)
    return pip(python, site, *words, *wheels) if wheels else ""


def package(python, site, folder):
    """Returns the path of the package's wheel, which is built of a copy of the tree, or what was said instead."""
    sys.path.insert(0, os.path.join(ROOT, "python", "tests"))
    from run import copy

    tree, out = os.path.join(folder, "tree"), os.path.join(folder, "wheel")
    for at in (tree, out):
        shutil.rmtree(at, ignore_errors=True)
    said = pip(python, site, "wheel", "-q", "--no-build-isolation", "--no-deps", "--no-index", "-w", out, copy(tree))
    return (glob.glob(os.path.join(out, "*.whl")) or [""])[0], said


def main():
    p = argparse.ArgumentParser()
    p.add_argument("folder")
    p.add_argument("--ask", action="store_true")
    p.add_argument("--python", default=shutil.which("python3") or sys.executable)
    p.add_argument("--wheels", default="")
    p.add_argument("--program", default="")
    p.add_argument("--device", choices=("cuda", "cpu"), default="cuda", help=argparse.SUPPRESS)
    args = p.parse_args()
    if not shutil.which(args.python):
        p.error(f"{args.python} is no program")
    folder = os.path.abspath(args.folder)
    site = os.path.join(folder, "site")
    given = sorted(glob.glob(os.path.join(args.wheels, "*.whl"))) if args.wheels else []
    if args.wheels and not given:
        skip(f"{args.wheels} has no wheel")
    ours = [path for path in given if os.path.basename(path).startswith("tscope-")]
    if args.ask:
        shutil.rmtree(site, ignore_errors=True)
        said = install(args.python, site, [path for path in given if path not in ours])
        if said:
            skip(f"the wheels of {args.wheels} cannot be installed for {args.python}:\n{said}")
    found = run(args.python, site, "-c", ASKS, args.device, stderr=subprocess.PIPE)
    if found.returncode:
        skip(f"{args.python}: {(found.stderr.strip() or 'it does not run').splitlines()[-1]}")
    if args.ask:
        return
    if not ours:
        built, said = package(args.python, site, folder)
        if not built:
            skip(f"{args.python} cannot build the package, and --wheels names no wheel of it:\n{said}")
        ours = [built]
    said = install(args.python, site, ours[-1:])
    if said:
        skip(f"{ours[-1]} cannot be installed for {args.python}:\n{said}")
    try:
        words = [os.path.join(HERE, "check.py"), folder, "--device", args.device, "--program", args.program]
        sys.exit(run(args.python, site, *words, timeout=MOST_S).returncode)
    except subprocess.TimeoutExpired:
        sys.exit(f"it was ended after {MOST_S} s, which it must not take")


if __name__ == "__main__":
    main()
