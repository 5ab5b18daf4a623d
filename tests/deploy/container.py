#!/usr/bin/env python3
"""Runs the steps of deploy/Containerfile in a bare Debian 12, then its entry point, its health check and its stop signal:
container.py RELEASE_BUILD CACHE. There is no container engine in it, so what an engine adds (the isolation) is not tested."""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bare  # noqa: E402

build, cache = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


def steps(path):
    with open(path, encoding="utf-8") as f:
        lines = [line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")]
    return [line.split(" ", 1) for line in lines]


def package(into):
    out = subprocess.run(["cpack", "-G", "DEB", "-B", into, "--config", f"{build}/CPackConfig.cmake"], capture_output=True, text=True)
    if out.returncode:
        sys.exit(f"cpack: {out.stdout}{out.stderr}")


def healthy(machine, command, user):
    for _ in range(100):
        last = machine.run(*command, user=user, check=False)
        if last.returncode == 0:
            return
        time.sleep(0.1)
    sys.exit(f"the health check fails: {last}")


def main():
    image = {"USER": "", "STOPSIGNAL": "SIGTERM"}
    with tempfile.TemporaryDirectory(prefix="tscope-image-") as context, bare.Machine(cache) as machine:
        package(context)
        for word, rest in steps("deploy/Containerfile"):
            if word == "COPY":
                pattern, place = rest.split()
                for file in glob.glob(f"{context}/{pattern}"):
                    shutil.copy(file, machine.root + place)
            elif word == "RUN":
                machine.run("sh", "-c", rest, user=image["USER"])
            elif word in ("FROM", "USER", "VOLUME", "STOPSIGNAL", "ENTRYPOINT", "HEALTHCHECK"):
                image[word] = rest
            else:
                sys.exit(f"deploy/Containerfile: this test does not know {word}")
        if not re.search(r"debian:12", image["FROM"]):
            sys.exit("the base of the image is not the system that is tested here: " + image["FROM"])
        server = machine.start(*json.loads(image["ENTRYPOINT"]), user=image["USER"])
        healthy(machine, json.loads(image["HEALTHCHECK"].removeprefix("CMD ")), image["USER"])
        server.send_signal(getattr(signal, image["STOPSIGNAL"]))
        status = server.wait(timeout=30)
        if status or not os.path.exists(f"{machine.root}{image['VOLUME']}/store/data.mdb"):
            sys.exit(f"the server ended with {status}: {server.stdout.read()}")
    print("container: the steps of the Containerfile, its entry point, health check and stop signal worked in a bare Debian 12")


if __name__ == "__main__":
    main()
