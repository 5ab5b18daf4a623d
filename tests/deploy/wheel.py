#!/usr/bin/env python3
"""What a release gives away: wheel.py RELEASE_BUILD. deploy/artifacts.py makes it twice, with the same bytes; the wheel gives an empty environment
the recorder and tscope; the archive of sources says in one line what the program's build lacks. It needs the index of PyPI, and is skipped without."""
import glob
import hashlib
import json
import os
import subprocess
import sys
import tempfile

build = os.path.abspath(sys.argv[1])
LARGEST = 12 << 20  # bytes of a wheel
LOOP = ("import tscope\nprint(tscope.__version__)\nrun = tscope.start('exp1')\nfor i in range(20):\n    with run.step():\n        run.log(loss=1 / (i + 1))\n"
        "run.finish()\n")


def check(condition, *what):
    if not condition:
        sys.exit("wheel: " + " ".join(str(w) for w in what))


def ask(*words, wanted=0, **how):
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, **how)
    check(done.returncode == wanted, *words, "ended with", done.returncode, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout + done.stderr


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def made(top, name):
    out = os.path.join(top, name)
    ask(sys.executable, "deploy/artifacts.py", build, out)
    return {os.path.basename(path): open(path, "rb").read() for path in glob.glob(f"{out}/*")}


def first_of(files, end):
    (name,) = [name for name in files if name.endswith(end)]
    return name


def installed(top, wheel):
    """An empty environment: nothing but the wheel is there, and nothing of the system's PATH but what every system has."""
    ask("/usr/bin/python3", "-m", "venv", f"{top}/venv")
    plain = {"PATH": f"{top}/venv/bin:/usr/bin:/bin", "HOME": top, "LC_ALL": "C.UTF-8"}
    ask(f"{top}/venv/bin/pip", "install", "-q", "--no-index", "--disable-pip-version-check", wheel, env=plain)
    said = ask("tscope", "--version", env=plain, cwd=top, executable=f"{top}/venv/bin/tscope")
    check(said == ask(f"{build}/tscope", "--version"), "the wheel's program says", said)
    said = ask("tscope", "run", "-d", "seen", "--", "sleep", "3.2", env={**plain, "LD_LIBRARY_PATH": f"{build}/fake_nvidia"}, cwd=top,
               executable=f"{top}/venv/bin/tscope")
    ask("tscope", "push", "seen", env=plain, cwd=top, executable=f"{top}/venv/bin/tscope")
    check("gpu1" in ask("tscope", "show", "seen", "--machine", env=plain, cwd=top, executable=f"{top}/venv/bin/tscope"), "the wheel's program sees no GPU", said)
    # What uvx and pipx start by the name of the distribution is the same program.
    check(ask("tscope-ml", "--version", env=plain, cwd=top, executable=f"{top}/venv/bin/tscope-ml") == ask(f"{build}/tscope", "--version"), "tscope-ml is another program")
    check("-m MODULE" in ask(f"{top}/venv/bin/python", "-m", "tscope", env=plain, cwd=top), "python -m tscope shows no help")
    said = ask(f"{top}/venv/bin/python", "-c", LOOP, env=plain, cwd=top)
    check(said.startswith("0."), said)
    check("20 steps" in ask("tscope", "analyze", "exp1", env=plain, cwd=top, executable=f"{top}/venv/bin/tscope"), "the recording is not read")
    packages = ask(f"{top}/venv/bin/python", "-c", "import tscope, os; print(os.path.dirname(os.path.dirname(tscope.__file__)))", env=plain).strip()
    check(glob.glob(f"{packages}/tscope_ml-*.dist-info/**/LICENSE", recursive=True), "the wheel has no license")
    os.mkdir(f"{packages}/tscope-0.1.4.dist-info")
    said = ask(f"{top}/venv/bin/python", "-c", "import tscope", env=plain, cwd=top)
    check(said.count("\n") == 1 and "pip uninstall tscope" in said, "another package of the same name:", said)
    os.rename(f"{packages}/tscope/__init__.py", f"{packages}/tscope/ours.py")  # what the other one does that was installed later
    open(f"{packages}/tscope/__init__.py", "w", encoding="utf-8").close()
    for asks in (("-c", "import tscope.testing"), ("-m", "tscope", "-c")):
        done = subprocess.run([f"{top}/venv/bin/python", *asks], env=plain, cwd=top, capture_output=True, text=True)
        check(done.stderr.count("pip uninstall tscope") == 1, *asks, "beside another package that was installed later:", done.stderr)
    os.remove(f"{packages}/tscope/__init__.py")
    os.rename(f"{packages}/tscope/ours.py", f"{packages}/tscope/__init__.py")


def sources(top, archive):
    """The archive holds what the program is built from, and names Debian's packages that are missing."""
    os.mkdir(f"{top}/sources")
    ask("tar", "-xzf", archive, "-C", f"{top}/sources")
    (tree,) = glob.glob(f"{top}/sources/*")
    ask("cmake", "--preset", "static", "-B", f"{top}/program", cwd=tree)
    ask("cmake", "--build", f"{top}/program", "--target", "ts_version_text", cwd=tree)
    with open(f"{top}/program/version/base/version_text.h", encoding="utf-8") as file:
        check(ask(f"{build}/tscope", "--version").split()[1].rstrip(",") in file.read(), "the archive builds another version")
    os.mkdir(f"{top}/bin")
    with open(f"{top}/bin/dpkg-query", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nshift 2\nfor p; do [ $p = libgrpc-dev ] || echo $p installed; done\n")
    os.chmod(f"{top}/bin/dpkg-query", 0o755)
    wanted = "tscope: to build the program, install libgrpc-dev; TSCOPE_WITH_PROGRAM=no installs the recorder without it"
    for command in ("build", "build_scripts"):
        words = ["/usr/bin/python3", "setup.py", "-q", command]
        done = subprocess.run(words, cwd=tree, env={**os.environ, "PATH": f"{top}/bin:{os.environ['PATH']}"}, capture_output=True, text=True)
        check(done.returncode == 1 and done.stderr.strip().split("\n")[-1] == wanted, done.stderr)
        check(not glob.glob(f"{tree}/build/**/*.o", recursive=True), f"{command} compiles before it says what is missing")


def main():
    for part in ("static/tscope", "fake_nvidia"):
        if not os.path.exists(f"{build}/{part}"):
            skip(f"there is no {build}/{part}; ./dev test makes it")
    with tempfile.TemporaryDirectory(prefix="tscope-wheel-") as top:
        index = subprocess.run([sys.executable, "-m", "venv", f"{top}/index"], capture_output=True).returncode or subprocess.run(
            [f"{top}/index/bin/pip", "download", "-q", "--no-deps", "-d", f"{top}/none", "-r", "python/package.txt"], capture_output=True).returncode
        if index:
            skip("there is no index of PyPI")
        first, second = made(top, "first"), made(top, "second")
        differ = [name for name in first if first[name] != second.get(name)]
        check(set(first) == set(second) and not differ, "made twice, these differ:", *differ)
        wheel = first_of(first, ".whl")
        check(len(first[wheel]) < LARGEST and "-cp39-abi3-manylinux_2_28_" in wheel, wheel, len(first[wheel]))
        for line in first["SHA256SUMS"].decode().splitlines():
            digest, name = line.split("  ")
            check(hashlib.sha256(first[name]).hexdigest() == digest, "the checksum of", name)
        check(len(first["SHA256SUMS"].splitlines()) == len(first) - 1, "SHA256SUMS lists other files")
        inside = json.loads(first[first_of(first, ".spdx.json")])
        linked = {p["name"] for p in inside["packages"]}
        check({"tscope", "libgrpc-dev", "liblmdb-dev", "libssl-dev", "libc6-dev"} <= linked, "the list of what is inside lacks a library:", *linked)
        check({os.path.basename(f["fileName"]) for f in inside["files"]} == set(first) - {"SHA256SUMS", first_of(first, ".spdx.json")}, "files")
        for listed in inside["files"]:  # SPDX 2.3 wants SHA1 of each, whatever else there is
            data = first[os.path.basename(listed["fileName"])]
            wanted = {"SHA1": hashlib.sha1(data).hexdigest(), "SHA256": hashlib.sha256(data).hexdigest()}
            check({sum["algorithm"]: sum["checksumValue"] for sum in listed["checksums"]} == wanted, "checksums of", listed["fileName"])
        check("CONTAINS" not in {r["relationshipType"] for r in inside["relationships"]}, "a package whose files are not analyzed contains none")
        installed(top, f"{top}/first/{wheel}")
        sources(top, f"{top}/first/{first_of(first, '.tar.gz')}")
        print(f"{len(first)} files, the same twice; the wheel, {len(first[wheel]) / 2**20:.1f} MiB, gives an empty environment the recorder and tscope")


if __name__ == "__main__":
    main()
