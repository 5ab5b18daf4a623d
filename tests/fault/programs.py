"""What the fault drivers share: small runs that differ by their number, a tscoped, pushes that are acknowledged."""
import json
import os
import random
import shutil
import subprocess
import threading
import time


def write_run(folder, number, steps=40):
    os.makedirs(folder)
    with open(os.path.join(folder, "steps.jsonl"), "w") as f:
        for step in range(steps):
            f.write(json.dumps({"step": step, "phases": {"forward": (number * 1000 + step) / 1e9},
                                "scalars": {"loss": 1.0 / (step + 1 + number)}}) + "\n")
    with open(os.path.join(folder, "run.json"), "w") as f:
        json.dump({"name": f"run {number}", "config": {"number": number}, "wall_time": 1.0}, f)


def write_noise(folder, number, steps):
    """A run of 16 columns of numbers by chance, which nothing packs: 128 bytes a step."""
    os.makedirs(folder)
    chance = random.Random(number)
    with open(os.path.join(folder, "steps.jsonl"), "w", encoding="utf-8") as f:
        for step in range(steps):
            f.write(json.dumps({"step": step, "scalars": {f"x{k}": chance.random() for k in range(16)}}) + "\n")


class Server:
    def __init__(self, build, store, socket, env=None):
        self.build, self.socket = build, socket
        self.env = {**os.environ, "TSCOPE_SERVER": f"unix:{socket}", "TSCOPE_PROJECT": "fault"}
        self.process = subprocess.Popen(
            [os.path.join(build, "tscoped"), "--socket", socket, "--store", store],
            stderr=subprocess.DEVNULL, env={**os.environ, **(env or {})})
        for _ in range(1000):
            if self.tscope("list").returncode == 0:
                return
            if self.process.poll() is not None:
                raise RuntimeError(f"tscoped ended with {self.process.returncode}")
            time.sleep(0.01)
        raise RuntimeError("tscoped does not answer")

    def tscope(self, *words):
        return subprocess.run([os.path.join(self.build, "tscope"), *words], env=self.env, capture_output=True, text=True)

    def push(self, folder, name):
        """Returns the id if the push was acknowledged, else None."""
        done = self.tscope("push", folder, "--name", name, "--json")
        return json.loads(done.stdout)["pushes"][0]["run"]["id"] if done.returncode == 0 else None


class Pushers:
    """Threads that push new runs until stop(); acked(number, name, id) is called for each acknowledged one."""

    def __init__(self, server, work, first, threads, acked):
        self.server, self.work, self.acked = server, work, acked
        self.next, self.lock, self.over = first, threading.Lock(), threading.Event()
        self.threads = [threading.Thread(target=self.loop) for _ in range(threads)]
        for t in self.threads:
            t.start()

    def loop(self):
        while not self.over.is_set():
            with self.lock:
                number, self.next = self.next, self.next + 1
            folder = os.path.join(self.work, f"run{number}")
            write_run(folder, number)
            run = self.server.push(folder, f"run{number}")
            shutil.rmtree(folder)
            if run:
                self.acked(number, f"fault/run{number}", run)

    def stop(self):
        self.over.set()
        for t in self.threads:
            t.join()


def names_of(run_tscope):
    """Returns {name: id} of every run that list shows, page by page."""
    names, page = {}, None
    while True:
        words = ["list", "--json", "--limit", "1000", "--all-projects"] + (["--page", page] if page else [])
        done = run_tscope(*words)
        if done.returncode:
            raise RuntimeError(f"list failed: {done.stdout}{done.stderr}")
        answer = json.loads(done.stdout)
        names.update({row["name"]: row["id"] for row in answer["rows"]})
        page = answer["next_page"]
        if not page:
            return names
