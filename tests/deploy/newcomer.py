#!/usr/bin/env python3
"""A day as a new user on a bare Debian 12: newcomer.py RELEASE_BUILD CACHE. README.md's lines install the wheel, which has the recorder and the program,
its first loop records, its commands read what it recorded, and every command of docs/tutorial.md runs. It needs root and the Debian archive, and is
skipped without."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), "tests", "python/tests"]
import bare  # noqa: E402
import pasted  # noqa: E402
import readme  # noqa: E402
import run as package  # noqa: E402

build, cache = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
HOME = "/root/tscope"  # where the tree lies
NETWORK = ["/etc/resolv.conf", "/etc/hosts", "/usr/local/share/ca-certificates"]  # the network, and whom it trusts, are this machine's


def check(condition, *what):
    if not condition:
        sys.exit("newcomer: " + " ".join(str(w) for w in what))


def install_lines():
    """The commands of README.md's section, in order: packages of Debian, the environment, pip, and the program's package."""
    with open("README.md", encoding="utf-8") as f:
        section = re.search(r"^## Install\n(.*?)^## ", f.read(), re.S | re.M).group(1)
    lines = [line[4:] for line in section.split("\n") if line.startswith("    ")]
    wanted = ["sudo apt-get install", "./dev package", "python3 -m venv", "pip install"]
    check([w for w, line in zip(wanted, lines) if line.startswith(w)] == wanted, "README.md installs by other lines:", *lines)
    return lines[:len(wanted)]


class Newcomer:
    def __init__(self, machine):
        self.machine = machine

    def do(self, command, folder=HOME, expect=(0,), **env):
        inside = f". {HOME}/.venv/bin/activate 2>/dev/null; cd {folder} && {command}"
        ran = self.machine.run("bash", "-c", inside, check=False, NO_COLOR="1", PIP_DISABLE_PIP_VERSION_CHECK="1", **env)
        check(ran.returncode in expect, f"'{command}' ended with {ran.returncode}:\n{ran.stdout}{ran.stderr}")
        return ran.stdout

    def put(self, path, text):
        os.makedirs(os.path.dirname(self.machine.root + path), exist_ok=True)
        with open(self.machine.root + path, "w", encoding="utf-8") as f:
            f.write(text)


def install(user, top):
    packages, _, environment, pip = install_lines()
    # What ./dev package makes (tests/deploy/wheel.py), but by this machine's compiler, which needs no index of PyPI.
    wheel = package.wheel(top, "/usr/bin/python3", False, f"{build}/tscope")
    got = user.machine.run("sh", "-c", "apt-get update -qq && " + packages.replace("sudo ", "").replace("install", "install -y -qq"), check=False)
    if got.returncode:
        bare.skip("packages cannot be installed: " + (got.stdout + got.stderr).strip()[-300:])
    user.do(environment)
    folder = f"{user.machine.root}{HOME}/build/release/package"
    os.makedirs(folder)
    shutil.copy(wheel, folder)
    user.do(pip)


def first_lines(user):
    """The loop and the commands of README.md, with the model that it names."""
    loop, commands = pasted.blocks("README.md")
    for name, rate in (("exp1", 0.1), ("exp2", 0.2)):
        user.put("/root/work/train.py", pasted.PARTS + loop.replace("exp1", name) + "\n")
        user.do(f"python train.py {rate}", "/root/work")
    for command in commands.split("\n"):
        user.do(command, "/root/work", expect=(0, 1, 4))  # 4: the gate asks for pairs, as the steps of a busy machine differ
    return len(commands.split("\n"))


def tutorial(user):
    with open("docs/tutorial.md", encoding="utf-8") as f:
        text = f.read()
    user.put("/root/clock/sitecustomize.py", readme.CLOCK)
    for block, name in re.findall(r"^```python\n(# (\w+\.py) .*?)^```$", text, re.S | re.M):
        user.put(f"/root/hour/{name}", block)
    commands = [command for command, _, _ in readme.commands(text.split("\n"))]
    for command in commands:
        user.do(command, "/root/hour", expect=(0, 1), PYTHONPATH="/root/clock", HOME="/root/hour")
    return len(commands)


def main():
    with bare.Machine(cache) as machine, tempfile.TemporaryDirectory(prefix="tscope-newcomer-") as top:
        os.makedirs(machine.root + HOME)
        for path in NETWORK:
            if os.path.exists(path):
                subprocess.run(["cp", "-aL", "-T", path, machine.root + path], check=True)
        user = Newcomer(machine)
        install(user, top)
        pasted_lines, hour = first_lines(user), tutorial(user)
        print(f"on a bare Debian 12: {len(install_lines())} lines install, {pasted_lines} commands of README.md and {hour} of the tutorial run")


if __name__ == "__main__":
    main()
