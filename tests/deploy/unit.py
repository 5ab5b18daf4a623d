#!/usr/bin/env python3
"""The systemd units: what `systemd-analyze security` thinks of them, and that they say nothing that systemd does not know."""
import re
import subprocess
import sys

UNITS = ("tscoped", "tscope-web")
WORST = 1.2  # of 10; what is left is that a server has sockets and an allow list of addresses


def run(*words):
    out = subprocess.run(words, capture_output=True, text=True)
    return out.returncode, out.stdout + out.stderr


def check(name):
    unit = f"deploy/{name}.service"
    status, said = run("systemd-analyze", "--no-pager", "--offline=true", "security", unit)
    found = re.search(rf"exposure level for {name}.service: ([0-9.]+)", said)
    if not found:
        sys.exit(f"systemd-analyze: exit {status}\n{said}")
    if float(found.group(1)) > WORST:
        sys.exit(f"the exposure is {found.group(1)}, and was at most {WORST}:\n" + "\n".join(s for s in said.split("\n") if "✗" in s))
    odd = [line for line in run("systemd-analyze", "verify", unit)[1].split("\n") if re.search(r"\.service:\d+: ", line)]
    if odd:
        sys.exit("\n".join(odd))
    print(f"{name}: exposure {found.group(1)} of 10")


def main():
    for name in UNITS:
        check(name)


if __name__ == "__main__":
    main()
