#!/usr/bin/env python3
"""What deploy/install.sh installs works where it lies, and --remove takes away that and nothing else: install.py BUILD."""
import os
import re
import subprocess
import sys
import tempfile

build = os.path.abspath(sys.argv[1])


def run(*words, **env):
    out = subprocess.run(words, capture_output=True, text=True, env=dict(os.environ, **env))
    return out.returncode, out.stdout + out.stderr


def check(condition, *what):
    if not condition:
        sys.exit("install: " + " ".join(str(w) for w in what))


def files(top):
    return {os.path.relpath(os.path.join(folder, name), top) for folder, _, names in os.walk(top) for name in names}


def placed(top, prefix):
    """Installs below top (DESTDIR), next to a file of somebody else, and removes it again."""
    at = top + prefix
    os.makedirs(at + "/bin")
    with open(at + "/bin/other", "w", encoding="utf-8") as f:
        f.write("not ours")
    for _ in range(2):  # the second time is an upgrade
        status, said = run("deploy/install.sh", build, prefix, DESTDIR=top)
        check(status == 0 and "--remove " + prefix in said, said)
    here = files(at)
    check(files(top) == {os.path.join(prefix[1:], f) for f in here}, "a file outside of the prefix")
    verbs = run(at + "/bin/tscope", "help")[1]
    pages = {f"tscope-{verb}.1" for verb in re.findall(r"^  ([a-z-]+)(?:  |$)", verbs, re.M)} | {"tscope.1"}
    check(len(pages) > 20 and {os.path.basename(f) for f in here if f.startswith("share/man/man1/")} == pages, sorted(here))
    check({"bin/tscoped", "share/man/man8/tscoped.8", "share/bash-completion/completions/tscope", "share/zsh/site-functions/_tscope",
           "lib/systemd/system/tscoped.service", "share/doc/tscoped/tscoped.conf"} <= here, sorted(here))
    for program in ("tscope", "tscoped"):
        status, said = run(f"{at}/bin/{program}", "--version")
        check(status == 0 and said.startswith(program), said)
    with open(at + "/lib/systemd/system/tscoped.service", encoding="utf-8") as f:
        unit = f.read()
    check(re.search(f"^ExecStart={prefix}/bin/tscoped ", unit, re.M) and os.access(at + "/bin/tscoped", os.X_OK), unit)
    status, said = run("deploy/install.sh", "--remove", prefix, DESTDIR=top)
    check(status == 0 and files(top) == {os.path.join(prefix[1:], "bin/other")}, said, files(top))


def main():
    with tempfile.TemporaryDirectory(prefix="tscope-install-") as top:
        placed(top, "/usr/local")
        placed(top + "/a b", "/opt/tscope")
        status, said = run("deploy/install.sh", build, DESTDIR=top + "/default")
        check(status == 0 and os.path.exists(top + "/default/usr/local/bin/tscope"), said)
        for words, wanted in (([], "usage"), (["a", "b", "c"], "usage"), ([build, "relative"], "a path from /"), (["nowhere"], "no program")):
            status, said = run("deploy/install.sh", *words, DESTDIR=top)
            check(status == 2 and wanted in said, words, said)


if __name__ == "__main__":
    main()
