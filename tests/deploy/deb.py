#!/usr/bin/env python3
"""The Debian packages, installed and used in a bare Debian 12: deb.py RELEASE_BUILD CACHE. The programs need nothing but libc; the
server's package brings group, configuration and service; an upgrade keeps an edited configuration; removal leaves nothing but
configuration, and a purge nothing but the runs."""
import glob
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bare  # noqa: E402

build, cache = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


def check(condition, *what):
    if not condition:
        sys.exit("deb: " + " ".join(str(w) for w in what))


with open("CMakeLists.txt", encoding="utf-8") as tree:
    version = re.search(r"VERSION ([\d.]+)", tree.read().split("project(")[1])[1]


def package(into, version):
    out = subprocess.run(["cpack", "-G", "DEB", "-B", into, "-R", version, "--config", f"{build}/CPackConfig.cmake"], capture_output=True, text=True)
    check(out.returncode == 0, out.stdout, out.stderr)
    debs = sorted(glob.glob(f"{into}/*.deb"))
    check([os.path.basename(d).split("_")[0] for d in debs] == ["tscope", "tscoped"], debs)
    return debs


def field(deb, name):
    return subprocess.run(["dpkg-deb", "-f", deb, name], capture_output=True, text=True, check=True).stdout.strip()


def install(machine, debs):
    for deb in debs:
        subprocess.run(["cp", deb, f"{machine.root}/tmp"], check=True)
    return machine.run("dpkg", "-i", *[f"/tmp/{os.path.basename(d)}" for d in debs])


def files_of(machine, *packages):
    listed = machine.run("dpkg", "-L", *packages).stdout.split("\n")
    return {f for f in listed if f and not os.path.isdir(machine.root + f)}


def serve(machine):
    """The server as the unit starts it, but for systemd: a user of its own in the group, its folders, the packaged configuration."""
    machine.run("install", "-d", "-o", "tscoped", "-g", "tscope", "-m", "700", "/var/lib/tscope")
    machine.run("install", "-d", "-o", "tscoped", "-g", "tscope", "-m", "755", "/run/tscope")
    server = machine.start("/usr/bin/tscoped", "--config", "/etc/tscope/tscoped.conf", user="tscoped:tscope")
    for _ in range(100):
        if os.path.exists(f"{machine.root}/run/tscope/tscoped.sock") or server.poll() is not None:
            return server
        time.sleep(0.1)
    return server


def use(machine):
    machine.run("useradd", "--create-home", "--groups", "tscope", "ann")
    run = f"{machine.root}/home/ann/exp1"
    os.mkdir(run)
    with open(f"{run}/steps.jsonl", "w", encoding="utf-8") as f:
        f.writelines(f'{{"step": {i}, "scalars": {{"loss": {4 / (i + 1)}}}}}\n' for i in range(200))
    asked = {"TSCOPE_SERVER": "unix:/run/tscope/tscoped.sock", "LOGNAME": "ann", "HOME": "/home/ann"}
    server = serve(machine)
    machine.run("tscope", "push", "/home/ann/exp1", user="ann:ann", **asked)
    listed = machine.run("tscope", "list", user="ann:ann", **asked).stdout
    check("exp1" in listed and "200" in listed, listed)
    denied = machine.run("tscope", "list", user="nobody:nogroup", check=False, **asked)
    check(denied.returncode == 2 and "tscope" in denied.stderr, "a user outside of the group:", denied)
    server.terminate()
    server.wait(timeout=30)


def main():
    with tempfile.TemporaryDirectory(prefix="tscope-deb-") as top, bare.Machine(cache) as machine:
        old, new = package(f"{top}/old", "0.0.9"), package(f"{top}/new", "0.99.0")
        for deb in new:
            check(field(deb, "Depends").split(" ")[0] == "libc6" and "," not in field(deb, "Depends"), deb, field(deb, "Depends"))
        install(machine, old)
        config = f"{machine.root}/etc/tscope/tscoped.conf"
        with open(config, "a", encoding="utf-8") as f:
            f.write("drain = 7\n")
        install(machine, new)
        with open(config, encoding="utf-8") as f:
            check(f.read().endswith("drain = 7\n"), "the upgrade replaced an edited configuration")
        check(machine.run("tscope", "--version").stdout.startswith(f"tscope {version}"))
        machine.run("/usr/bin/tscoped", "--config", "/etc/tscope/tscoped.conf", "--check")
        check(machine.run("getent", "group", "tscope").stdout.startswith("tscope:"))
        use(machine)
        ours = files_of(machine, "tscope", "tscoped")
        check(len(ours) > 30, sorted(ours))
        machine.run("dpkg", "-r", "tscope", "tscoped")
        left = {f for f in ours if os.path.exists(machine.root + f)}
        check(left == {"/etc/tscope/tscoped.conf"}, "removal left", left)
        purged = machine.run("dpkg", "-P", "tscoped").stdout
        check(not os.path.exists(config) and "runs in /var/lib/tscope/store stay" in purged, purged)
        check(os.path.exists(f"{machine.root}/var/lib/tscope/store/data.mdb"), "a purge removed the runs")
    print("deb: both packages were installed, upgraded, used, removed and purged in a bare Debian 12")


if __name__ == "__main__":
    main()
