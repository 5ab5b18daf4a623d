#!/usr/bin/env python3
"""run.py: builds the package's wheel, installs it into an empty environment, and runs the tests of the package there.

    python3 python/tests/run.py FOLDER [--python PROGRAM] [--program PROGRAM] [--archive] [--having LIST [--keep]] [TEST...]

FOLDER is where the wheel and the environment are made; --archive builds from the archive of sources instead of from the tree. The
tests that need torch are skipped unless LIST names it (python/frameworks.txt). Exit 77: what LIST names cannot be had here.
"""
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.dirname(HERE)


def do(*words, **how):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **how)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def copy(tree):
    """Copies what the package is made of, so that building writes nothing into the tree. Returns where the package lies."""
    top = os.path.dirname(PACKAGE)
    ignore = shutil.ignore_patterns("build", "*.egg-info", "__pycache__", ".*cache")
    for name in ("python", "record", "base", "run", "ingest", "launch"):
        shutil.copytree(os.path.join(top, name), os.path.join(tree, name), ignore=ignore)
    for name in ("CMakeLists.txt", "CMakePresets.json", "LICENSE", os.path.join("deploy", "packages")):
        os.makedirs(os.path.dirname(os.path.join(tree, name)), exist_ok=True)
        shutil.copy(os.path.join(top, name), os.path.join(tree, name))
    return os.path.join(tree, "python")


def wheel(folder, python, archive, program=None):
    """Returns the path of the wheel that pip makes of the package, without the network; with the program inside where there is one."""
    build, out, tree = (os.path.join(folder, name) for name in ("build", "wheel", "tree"))
    for at in (build, out, tree):
        shutil.rmtree(at, ignore_errors=True)
    do(python, "-m", "venv", "--system-site-packages", build)
    source = copy(tree)
    if archive:
        do(os.path.join(build, "bin", "python"), "setup.py", "-q", "sdist", "-d", out, cwd=source)
        (source,) = glob.glob(os.path.join(out, "*.tar.gz"))
    do(os.path.join(build, "bin", "pip"), "wheel", "-q", "--no-build-isolation", "--no-deps", "--no-index", "-w", out, source,
       env={**os.environ, "TSCOPE_WITH_PROGRAM": os.path.abspath(program) if program else "no"})
    (found,) = glob.glob(os.path.join(out, "*.whl"))
    return found


def unwanted(pip, having):
    """Ends as skipped (77) where the packages cannot be had, or only with gigabytes for a device that the tests do not use."""
    try:
        asked = subprocess.run([pip, "install", "-q", "--dry-run", "--report", "-", "-r", having], stdin=subprocess.DEVNULL,
                               capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        asked = None
    if not asked or asked.returncode:
        print(f"skipped: pip cannot get what {having} lists" + (f"\n{asked.stderr}" if asked else ""))
        sys.exit(77)
    names = [found["metadata"]["name"] for found in json.loads(asked.stdout)["install"]]
    if any(name.startswith(("nvidia-", "cuda-", "triton")) for name in names):
        print(f"skipped: pip would install {', '.join(names)}; "
              "name a folder or an index with torch's build for CPUs in PIP_FIND_LINKS or PIP_INDEX_URL")
        sys.exit(77)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("folder")
    p.add_argument("--python", default="/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable)
    p.add_argument("--program", help="tscope itself, for the tests that ask it")
    p.add_argument("--archive", action="store_true")
    p.add_argument("--having", help="a list of packages from PyPI that the environment has, too")
    p.add_argument("--keep", action="store_true", help="use the environment of the last time, if there is one")
    p.add_argument("tests", nargs="*")
    args = p.parse_intermixed_args()
    folder = os.path.abspath(args.folder)
    made = wheel(folder, args.python, args.archive, args.program)
    clean = os.path.join(folder, "clean")
    if not args.keep:
        shutil.rmtree(clean, ignore_errors=True)
    if not os.path.exists(clean):
        do(args.python, "-m", "venv", clean)
    pip = os.path.join(clean, "bin", "pip")
    if args.having:
        unwanted(pip, args.having)
        do(pip, "install", "-q", "-r", args.having)
    do(pip, "uninstall", "-q", "-y", "tscope", "tscope-ml")  # the former is what this package was called
    do(pip, "install", "-q", "--no-index", made)
    environment = {
        **os.environ,
        "PYTHONDONTWRITEBYTECODE": "1",
        "TSCOPE_README": os.path.join(PACKAGE, "README.md"),
        "TSCOPE_DOCS": os.path.join(PACKAGE, "..", "docs"),
        "TSCOPE_PROGRAM": os.path.abspath(args.program) if args.program else "",
    }
    what = args.tests or ["discover", "-s", HERE]
    sys.exit(subprocess.run([os.path.join(clean, "bin", "python"), "-m", "unittest", *what], cwd=HERE, env=environment).returncode)


if __name__ == "__main__":
    main()
