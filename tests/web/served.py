"""served.py - a tscope web over runs made for a test, and how to ask it."""
import http.client
import json
import math
import os
import random
import re
import socket
import subprocess
import time


def make_run(folder, seed=0, bump=0.0, steps=300, config=None, step_time=0.1):
    """A run directory of some steps of about step_time seconds; bump is added to the loss from step 100 on."""
    os.makedirs(folder)
    rng = random.Random(seed)
    with open(os.path.join(folder, "steps.jsonl"), "w") as out:
        for step in range(steps):
            loss = 4 * math.exp(-step / 150) + rng.random() * 0.1 + (bump if step >= 100 else 0)
            out.write(json.dumps({"step": step, "loss": loss, "lr": 1e-3, "phases": {"step": step_time * (1 + rng.random() / 20)}}) + "\n")
    with open(os.path.join(folder, "facts.json"), "w") as out:
        json.dump({"config": config or {"lr": 1e-3}}, out)


class Store:
    """A store of its own below a folder, and a tscope that works on it."""

    def __init__(self, build, work):
        self.build, self.work, self.program = build, work, os.path.join(build, "tscope")
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("TSCOPE_")}
        self.env.update(HOME=work, XDG_DATA_HOME=work, TSCOPE_STORE=os.path.join(work, "store"), LC_ALL="C.UTF-8", COLUMNS="80")

    def tscope(self, *words, check=True, env=None):
        done = subprocess.run([self.program, *words], cwd=self.work, env={**self.env, **(env or {})}, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120)
        if check and done.returncode not in (0, 1, 3):
            raise AssertionError(f"tscope {' '.join(words)}: {done.returncode}: {done.stderr.decode()}")
        return done


class Web:
    """A tscope web, and requests to it."""

    def __init__(self, store, *options, env=None, port=0):
        self.process = subprocess.Popen([store.program, "web", "--port", str(port), *options], cwd=store.work, env={**store.env, **(env or {})},
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said, found = "", None
        while not found:
            line = self.process.stderr.readline().decode()
            if not line:
                raise AssertionError("no link: " + said)
            said += line
            found = re.search(r"http://127\.0\.0\.1:(\d+)(/[^?\s]*)(?:\?token=([0-9a-f]{64}))?$", line.strip())
            if found and not found.group(3) and "--sign-in" not in options:
                found = None
        self.link = found.group(0)
        self.port, self.begin, self.token = int(found.group(1)), found.group(2), found.group(3)
        self.host = f"127.0.0.1:{self.port}"

    def ask(self, path, method="GET", token=True, body=None, **headers):
        """(status, headers, body) of one request; headers are given with _ for -."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            given.setdefault("Authorization", "Bearer " + self.token)
        try:
            connection.request(method, path, body=body, headers=given)
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def page(self, path, status=200):
        got, _, body = self.ask(path)
        assert got == status, f"{path}: {got}, not {status}: {body[-300:]!r}"
        return body.decode()

    def raw(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def follow(self, path):
        """A stream of events: a socket, past the head of the answer."""
        stream = self.raw()
        stream.sendall(f"GET /live{path} HTTP/1.1\r\nHost: {self.host}\r\nAuthorization: Bearer {self.token}\r\n\r\n".encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += stream.recv(4096)
        assert head.startswith(b"HTTP/1.1 200") and b"text/event-stream" in head, head
        return stream

    @staticmethod
    def told(stream, seconds):
        """What is told within so many seconds; empty: nothing, but for signs that the stream is open."""
        end, got = time.monotonic() + seconds, b""
        while b"data:" not in got and (left := end - time.monotonic()) > 0:
            stream.settimeout(left)
            try:
                piece = stream.recv(4096)
            except TimeoutError:
                break
            if not piece:
                raise AssertionError("the stream ended")
            got += piece
        return got if b"data:" in got else b""

    def memory(self):
        with open(f"/proc/{self.process.pid}/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def end(self):
        """Ends it as ^C does; returns its exit code."""
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(60)
        self.process.stderr.close()
        return code


def until(seconds, true):
    """Whether it becomes true within so many seconds."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
