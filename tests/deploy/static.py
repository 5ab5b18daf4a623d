#!/usr/bin/env python3
"""The static client, in a root directory that holds nothing but it and a run: static.py STATIC_BUILD. What works there needs no library, no
locale, no list of users and no /proc, so it works on any Linux of this processor."""
import os
import shutil
import subprocess
import sys
import tempfile

build = os.path.abspath(sys.argv[1])


def main():
    if not os.path.exists(f"{build}/tscope"):
        print(f"skipped: there is no {build}/tscope; ./dev test makes it")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="tscope-static-") as top:
        shutil.copy(f"{build}/tscope", top)
        shutil.copytree("tests/golden/demo/runs", f"{top}/runs")
        enter = ["chroot", top] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "chroot", top]
        if subprocess.run([*enter, "/tscope", "--version"], capture_output=True).returncode:
            print("skipped: this user may not change its root directory")
            sys.exit(77)

        def tscope(*words, wanted=0):
            done = subprocess.run([*enter, "/tscope", *words], capture_output=True, text=True, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/", "TSCOPE_STORE": "/store"})
            if done.returncode != wanted:
                sys.exit(f"tscope {' '.join(words)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
            return done.stdout

        tscope("push", "/runs")
        listed = tscope("list")
        if "base" not in listed or "160" not in listed:
            sys.exit(listed)
        if "step 80" not in tscope("diff", "base", "order", wanted=1):
            sys.exit("diff does not find the step")
        tscope("analyze", "base")
        tscope("plot", "loss", "base", "order")
        tscope("verify")
    print("static: push, list, diff, analyze, plot and verify in an empty root directory")


if __name__ == "__main__":
    main()
