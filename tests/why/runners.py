#!/usr/bin/env python3
"""Experiments whose runs are made elsewhere, by Slurm's srun or in a container of podman: runners.py BUILD srun|podman.

A cluster of one node is started for the test, with munged, slurmctld and slurmd of its own in a folder of its own; the container has the machine's /usr in an
image that is empty otherwise. Where the programs are not here, or do not start, the test is skipped and says which."""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from place import Place, check, failures, is_there, wait_for  # noqa: E402

SKIP = 77
PYTHON = "/usr/bin/python3"  # of the machine, which a container has, too


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIP)


def need(*programs):
    for name in programs:
        if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            skip(f"{name} is not installed")


def free_ports(n):
    held = [socket.socket() for _ in range(n)]
    for s in held:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in held]
    for s in held:
        s.close()
    return ports


class Slurm:
    """A cluster whose only node is this machine."""
    runner = "srun -N1 -Q"
    where = "echo $SLURM_JOB_ID"  # in a shell of the run: never empty, and another one in each

    def __init__(self, folder):
        need("srun", "slurmctld", "slurmd", "munged", PYTHON)
        if os.geteuid():
            skip("slurmd has to be started by root")
        self.folder, (control, node) = folder, free_ports(2)
        os.makedirs(os.path.join(folder, "state"))
        os.makedirs(os.path.join(folder, "spool"))
        key, self.socket, conf = (os.path.join(folder, name) for name in ("key", "munge.socket", "slurm.conf"))
        with open(key, "wb") as f:
            f.write(os.urandom(64))
        os.chmod(key, 0o600)
        with open(conf, "w", encoding="utf-8") as f:
            f.write(f"ClusterName=tscope\nSlurmctldHost=localhost(127.0.0.1)\nSlurmUser=root\nSlurmdUser=root\nAuthType=auth/munge\nAuthInfo=socket={self.socket}\n"
                    f"SlurmctldPort={control}\nSlurmdPort={node}\nStateSaveLocation={folder}/state\nSlurmdSpoolDir={folder}/spool\n"
                    f"SlurmctldPidFile={folder}/slurmctld.pid\nSlurmdPidFile={folder}/slurmd.pid\nSlurmctldLogFile={folder}/slurmctld.log\nSlurmdLogFile={folder}/slurmd.log\n"
                    "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nJobAcctGatherType=jobacct_gather/none\n"
                    "SwitchType=switch/none\nMpiDefault=none\nReturnToService=2\nSlurmdParameters=config_overrides\nKillWait=2\n"
                    f"NodeName=here NodeHostname=localhost NodeAddr=127.0.0.1 Port={node} CPUs=2 State=UNKNOWN\nPartitionName=all Nodes=ALL Default=YES State=UP\n")
        self.env = {"SLURM_CONF": conf, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
        self.began = []

    def start(self):
        folder = self.folder
        self.begin("munged", "--foreground", "--force", f"--key-file={folder}/key", f"--socket={self.socket}", f"--pid-file={folder}/munged.pid",
                   f"--seed-file={folder}/munged.seed", f"--log-file={folder}/munged.log")
        if not wait_for(lambda: os.path.exists(self.socket)):
            skip("munged did not start")
        self.begin("slurmctld", "-D", "-c")
        self.begin("slurmd", "-D", "-N", "here")
        if not wait_for(lambda: "idle" in self.ask("sinfo", "-h", "-o", "%T")):
            skip("slurmctld and slurmd did not start: " + self.ask("sinfo", "-h", "-o", "%T"))

    def begin(self, *words):
        self.began.append(subprocess.Popen(words, env={**os.environ, **self.env}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def ask(self, *words):
        ran = subprocess.run(words, env={**os.environ, **self.env}, capture_output=True, text=True)
        return (ran.stdout + ran.stderr).strip()

    def left(self):
        """What still runs, in words."""
        return self.ask("squeue", "-h")

    def close(self):
        for process in reversed(self.began):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


class Podman:
    """Containers of an image that has nothing but folders and links into /usr, which is the machine's."""
    where = "cat /proc/sys/kernel/hostname && test -e /run/.containerenv"  # a container's name is its own

    def __init__(self, folder):
        need("podman", PYTHON)
        self.folder = folder
        root = os.path.join(folder, "root")
        for name in ("usr", "etc", "tmp", "proc", "sys", "dev", "run"):
            os.makedirs(os.path.join(root, name))
        for name in ("bin", "sbin", "lib", "lib32", "lib64"):
            if os.path.islink("/" + name):
                os.symlink(os.readlink("/" + name), os.path.join(root, name))
        with open(os.path.join(folder, "storage.conf"), "w", encoding="utf-8") as f:
            f.write(f'[storage]\ndriver = "vfs"\ngraphroot = "{folder}/images"\nrunroot = "{folder}/run"\n')
        self.env = {"CONTAINERS_STORAGE_CONF": os.path.join(folder, "storage.conf"), "MORE": "--volume /usr:/usr:ro --network none", "PATH": os.environ["PATH"]}
        # A machine that is a container or a small virtual one itself may let nobody raise limits, and crun none of its groups of processes.
        with open(os.path.join(folder, "runc.conf"), "w", encoding="utf-8") as f:
            f.write('[engine]\nruntime = "runc"\n[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n')
        self.runner = os.path.join(HERE, "..", "..", "deploy", "in-container.sh") + " tscope-test"

    def start(self):
        subprocess.run(f"tar -C {self.folder}/root -c . | podman import - tscope-test", shell=True, env={**os.environ, **self.env}, capture_output=True)
        said = ""
        for more in ({}, {"CONTAINERS_CONF": os.path.join(self.folder, "runc.conf")}):
            self.env.update(more)
            said = self.ask("podman", "run", "--rm", "--init", *self.env["MORE"].split(), "tscope-test", PYTHON, "-c", "print('it runs')")
            if "it runs" in said:
                break
        else:
            skip("podman makes no container here: " + said.replace("\n", " ")[-200:])

    def ask(self, *words):
        ran = subprocess.run(words, env={**os.environ, **self.env}, capture_output=True, text=True)
        return (ran.stdout + ran.stderr).strip()

    def left(self):
        return self.ask("podman", "ps", "-a", "-q")

    def close(self):
        self.ask("podman", "rm", "-a", "-f")
        self.ask("podman", "rmi", "-a", "-f")


def trials(p, place):
    """why, reproduce, and a run that cannot be tested."""
    words = ("--", "sh", "-c", f'({place.where}) > "$TSCOPE_DIRECTORY.where" && exec {PYTHON} train.py "$0" x', "{config-file}")
    code, out, err = p.run("why", "--json", "--no-push", "--runner", place.runner, "-d", os.path.join(p.top, "why"), "../A", "../one", *words, env=place.env)
    said = json.loads(out) if out else {}
    check("the cause is found and proved", code == 0 and said["proved"] and [f["path"] for f in said["causes"][0]["facts"]] == ["config.wd"], (code, said, err))
    folders = {t["folder"] for t in said.get("trials", [])}
    where = [open(folder + ".where", encoding="utf-8").read().strip() for folder in folders if os.path.exists(folder + ".where")]
    check("each run was made there", len(where) == len(folders) > 3 and all(where) and len(set(where)) == len(where), (where, folders))
    code, out, err = p.run("reproduce", "../again", "--yes", "--runner", place.runner, "-d", os.path.join(p.top, "again-run"), env=place.env)
    check("reproduce", code == 0 and "Bit for bit the same in 40 steps" in out, (code, out, err))
    code, out, err = p.run("why", "--json", "--no-push", "--runner", place.runner, "-d", os.path.join(p.top, "cannot"), "../A", "../one", "--", "sh", "-c", "exit 125",
                           "{config-file}", env=place.env)
    said = json.loads(out) if out else {}
    check("125 says that it cannot be tested", code == 3 and said["trials"][0]["result"] == "untestable", (code, said, err))
    check("nothing is left of them", wait_for(lambda: not place.left()) and not place.left(), place.left())


def ended(p, place):
    """A training that never ends, and a search that is killed: what runs there ends, too."""
    begun = os.path.join(p.top, "begun")
    os.makedirs(begun)
    words = ("../A", "../one", "--", "sh", "-c", 'touch "$TSCOPE_DIRECTORY.begun" && exec sleep 1000', "{config-file}")
    code, out, err = p.run("why", "--json", "--no-push", "--runner", place.runner, "--limit", "5s", "-d", os.path.join(begun, "never"), *words, env=place.env)
    said = json.loads(out) if out else {}
    check("a training that never ends is ended", code == 3 and said["trials"][0]["result"] == "untestable" and "longer than 5 s" in err, (code, said, err))
    check("and nothing of it is left", wait_for(lambda: not place.left(), 60), place.left())
    for name, number in (("terminated", signal.SIGTERM), ("killed", signal.SIGKILL)):
        folder = os.path.join(begun, name)
        search = subprocess.Popen([p.tscope, "why", "--no-push", "--runner", place.runner, "-d", folder, *words], cwd=p.repo, env={**p.env, **place.env},
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        check(f"{name}: it begins", wait_for(lambda: any(n.endswith(".begun") for n in (os.listdir(folder) if os.path.isdir(folder) else [])), 60), folder)
        search.send_signal(number)
        search.wait()
        check(f"{name}: nothing of it is left", wait_for(lambda: not place.left() and not sleeping(begun), 60), (place.left(), sleeping(begun)))
    check("no worktree is left", wait_for(lambda: os.listdir(os.path.join(p.top, ".local/state/tscope/runner")) == [".worktrees.lock"]), p.top)


def sleeping(folder):
    """The trainings that still run, by the folder of their run."""
    found, mark = [], f"TSCOPE_DIRECTORY={folder}/".encode()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                if mark in f.read() and is_there(int(pid)):
                    found.append(int(pid))
        except OSError:
            pass
    return found


def main():
    p = Place(sys.argv[1])
    place = None
    try:
        place = {"srun": Slurm, "podman": Podman}[sys.argv[2]](os.path.join(p.top, "there"))
        place.start()
        p.record("A")
        p.record("one", wd=0.02, note="y", tag=2)
        p.record_to_run_again("again", PYTHON)
        began = time.monotonic()
        trials(p, place)
        ended(p, place)
        print(f"{time.monotonic() - began:.0f} s")
    finally:
        if place:
            place.close()
        p.close()
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
