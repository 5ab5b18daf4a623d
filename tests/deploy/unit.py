#!/usr/bin/env python3
"""The systemd unit: what `systemd-analyze security` thinks of it, and that it says nothing that systemd does not know."""
import re
import subprocess
import sys

UNIT = "deploy/tscoped.service"
WORST = 1.2  # of 10; what is left is that a server has sockets and an allow list of addresses


def run(*words):
    out = subprocess.run(words, capture_output=True, text=True)
    return out.returncode, out.stdout + out.stderr


def main():
    status, said = run("systemd-analyze", "--no-pager", "--offline=true", "security", UNIT)
    found = re.search(r"exposure level for tscoped.service: ([0-9.]+)", said)
    if not found:
        sys.exit(f"systemd-analyze: exit {status}\n{said}")
    if float(found.group(1)) > WORST:
        sys.exit(f"the exposure is {found.group(1)}, and was at most {WORST}:\n" + "\n".join(s for s in said.split("\n") if "✗" in s))
    odd = [line for line in run("systemd-analyze", "verify", UNIT)[1].split("\n") if re.search(r"\.service:\d+: ", line)]
    if odd:
        sys.exit("\n".join(odd))
    print(f"unit: exposure {found.group(1)} of 10")


if __name__ == "__main__":
    main()
