#!/usr/bin/env python3
"""tscope watch shows what happens while it happens: run.py BUILD [NAME...] lets runs grow, in steps.jsonl, in recordings and through a server's store, and
holds what is shown of them, in a terminal and without, to what was written. Prints a line a check, and exits with 1 where one does not hold."""
import fcntl
import http.server
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

BUILD = os.path.abspath(sys.argv[1])
TSCOPE = os.path.join(BUILD, "tscope")
WAIT = 20
failed = []


def check(what, holds, *more):
    print(f"{what:98} {'holds' if holds else 'BROKEN'}", *([] if holds else map(repr, more)), flush=True)
    if not holds:
        failed.append(what)


class Place:
    """A folder with a store of its own."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="tscope-watch-")
        self.env = {**os.environ, "TSCOPE_STORE": os.path.join(self.path, "store"), "LC_ALL": "C.UTF-8", "TERM": "xterm"}
        for name in ("NO_COLOR", "COLUMNS", "TSCOPE_SERVER"):
            self.env.pop(name, None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def run(self, *words, given=None, **env):
        return subprocess.run([TSCOPE, *words], cwd=self.path, capture_output=True, timeout=60, input=given, env={**self.env, **env})

    def file(self, name):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def steps(self, name, steps, loss=lambda i: 1 / (i + 1), apart=0.1, since=None, **more):
        """Appends steps to a steps.jsonl, the last of them now."""
        now = time.time() if since is None else since
        with open(self.file(name), "a", encoding="utf-8") as file:
            for i in steps:
                file.write(json.dumps({"step": i, "timestamp": now - (steps[-1] - i) * apart, "scalars": {"loss": loss(i), "lr": 0.1},
                                       **{key: value(i) for key, value in more.items()}}) + "\n")

    def declare(self, path, /, **facts):
        with open(self.file(path), "w", encoding="utf-8") as file:
            json.dump(facts, file)


class Terminal:
    """A terminal with watch in its foreground, and a screen that understands what watch writes."""

    def __init__(self, place, *words, lines=40, columns=80, **env):
        self.lines, self.columns = lines, columns
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(place.path)
            os.environ.clear()
            os.environ.update({**place.env, **env})
            os.execvp(TSCOPE, [TSCOPE, *words])
        self.size(lines, columns)
        self.text = b""

    def size(self, lines, columns):
        self.lines, self.columns = lines, columns
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def read(self, seconds):
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and select.select([self.fd], [], [], left)[0]:
            try:
                piece = os.read(self.fd, 65536)
            except OSError:
                return False
            if not piece:
                return False
            self.text += piece
        return True

    def frame(self):
        """The lines of the last whole frame."""
        frames = self.text.decode("utf-8", "replace").split("\033[H")
        last = next((f for f in reversed(frames) if "\033[J" in f), "").split("\033[J")[0]
        return [re.sub(r"\033\[[0-9;?]*[A-Za-z]", "", line).rstrip("\r") for line in last.split("\n")]

    def shows(self, pattern, wait=WAIT):
        until = time.monotonic() + wait
        while time.monotonic() < until:
            alive = self.read(0.2)
            if re.search(pattern, "\n".join(self.frame())):
                return True
            if not alive:
                break
        return False

    def press(self, keys):
        os.write(self.fd, keys)

    def end(self, wait=WAIT):
        """Waits for the end; returns the code, or minus the signal."""
        until = time.monotonic() + wait
        while time.monotonic() < until:
            self.read(0.1)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.read(0.2)
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)
        return None

    def is_put_back(self):
        """Whether the cursor is shown again and the first screen is back, last of all."""
        return self.text.rfind(b"\033[?1049l") > self.text.rfind(b"\033[?1049h") and self.text.rfind(b"\033[?25h") > self.text.rfind(b"\033[?25l")


def shown_once():
    with Place() as place:
        place.steps("a/steps.jsonl", range(200), phases=lambda i: {"data": 0.02, "forward": 0.07})
        place.declare("a/run.json", name="first", config={"max_steps": 1000})
        out = place.run("watch", "a", "--once")
        text = out.stdout.decode()
        check("one frame has the step, of how many, the pace and the time that is left",
              out.returncode == 0 and "step 199 of 1,000 (19.9 %)" in text and "10 steps/s" in text and re.search(r"ETA 1 min 20 s", text), text, out.stderr)
        check("it has the last value, what parts of a step take, and braille", re.search(r"loss +0\.005", text) and re.search(r"data +20\.0 ms", text)
              and re.search("[\u2801-\u28ff]", text), text)
        check("it has no colour in a pipe, and none of the terminal's orders", b"\033" not in out.stdout, out.stdout)
        ascii_only = place.run("watch", "a", "--once", LC_ALL="C").stdout
        check("without UTF-8 the curves are ASCII", b"****" in ascii_only and not re.search("[\u2801-\u28ff]", ascii_only.decode()), ascii_only)
        for columns in (60, 80, 120, 200):
            lines = place.run("watch", "a", "--once", COLUMNS=str(columns)).stdout.decode().splitlines()
            check(f"no line is wider than {columns} columns", lines and max(map(len, lines)) <= columns, max(lines, key=len))
        check("--columns chooses the curves", b"lr " not in place.run("watch", "a", "--once", "-c", "loss").stdout)
        check("a run without a number of steps says that its end is not known", "ETA unknown" in unknown_total(place))
        check("a folder without a run is refused, and so are options that do not go together",
              place.run("watch", "nowhere", "--once").returncode == 2 and place.run("watch", "a", "--once", "--until", "end").returncode == 2
              and place.run("watch", "a", "--interval", "0").returncode == 2 and place.run("watch", "a", "--once", "--json").returncode == 2)


def unknown_total(place):
    place.steps("b/steps.jsonl", range(50))
    return place.run("watch", "b", "--once").stdout.decode()


def ranks():
    with Place() as place:
        for rank in range(4):
            place.steps(f"a/rank{rank}/steps.jsonl", range(150 + rank), phases=lambda i, r=rank: {"forward": 0.08 if r == 2 else 0.05}, since=time.time())
        text = place.run("watch", "a", "--once").stdout.decode()
        check("of several ranks median, worst and who stand there, over the last 100 steps that all have",
              re.search(r"forward +50\.0 ms +80\.0 ms +rank 2 +\+60 %", text) and "means of the last 100 steps that all ranks have, up to step 149" in
              text.replace("\n", " "), text)


def sources():
    with Place() as place:
        place.steps("a/steps.jsonl", range(60))
        place.run("push", "a", "--name", "exp1", "--state", "running")
        text = place.run("watch", "exp1", "--once").stdout.decode()
        check("a run of the store is shown", "step 59" in text and "exp1" in text, text)
        with open(place.file("log.csv"), "w", encoding="utf-8") as file:
            file.write("step,loss,lr\n" + "".join(f"{i},{2 - i / 100},0.1\n" for i in range(80)))
        text = place.run("watch", "./log.csv", "--once").stdout.decode()
        check("a file of another tool is shown", "step 79" in text and re.search(r"loss +1\.21", text), text)
        text = place.run("watch", "-", "--once", given=b"step 1 loss 2.5\nstep: 2 | loss: 2.25 | lr: 0.1\nnoise\n").stdout.decode()
        check("lines of text from a pipe are shown", "step 2" in text and re.search(r"loss +2\.25", text), text)
        lines = "".join(json.dumps({"step": i, "loss": 3 - i}) + "\n" for i in range(3)).encode()
        text = place.run("watch", "-", "--once", given=lines).stdout.decode()
        check("and so are JSON Lines", "step 2" in text and re.search(r"loss +1", text), text)
        text = place.run("watch", "-", "--once", given=os.urandom(100000) + b"\nstep 7 loss 1\n").stdout.decode()
        check("bytes that are no text harm nothing", "step" in text, text)


def hostile():
    with Place() as place:
        evil = "x\033[31m\033]0;title\007\u202ey\r\n::error::z"
        place.steps("a/steps.jsonl", range(40), phases=lambda i: {evil: 0.01}, memory=lambda i: {"alloc": 1e9})
        place.declare("a/run.json", name=evil)
        out = place.run("watch", "a", "--once", "-c", "loss," + evil.replace(",", ""))
        check("what a run says of itself gives the terminal no orders", out.returncode == 0 and b"\033" not in out.stdout and b"\007" not in out.stdout
              and "\u202e".encode() not in out.stdout, out.stdout)
        screen = Terminal(place, "watch", "a")
        ok = screen.shows("step 39")
        orders = set(re.findall(rb"\033(?:\[[0-9;?]*[A-Za-z]|.)", screen.text))
        screen.press(b"q")
        check("nor in a terminal", ok and screen.end() == 0 and all(re.fullmatch(rb"\033\[(\?1049[hl]|\?25[hl]|2J|H|K|J|[0-9;]*m)", o) for o in orders), orders)


def terminal():
    with Place() as place:
        for rank in range(2):
            place.steps(f"a/rank{rank}/steps.jsonl", range(100), loss=lambda i, r=rank: 5.0 + r)
        screen = Terminal(place, "watch", "a")
        check("a frame appears", screen.shows("step 99"), screen.frame())
        place.steps("a/rank0/steps.jsonl", range(100, 131))
        check("a step that comes is shown", screen.shows("step 130", 5), screen.frame())
        screen.press(b"\033[C")
        check("an arrow goes to the next rank", screen.shows(r"rank 1 of 2 ranks\n.*\n?loss +6\b|rank 1 of 2 ranks\nloss +6", 3), screen.frame())
        screen.press(b"?")
        check("? shows the keys", screen.shows("left, right", 3), screen.frame())
        screen.press(b"?")
        screen.size(30, 100)
        check("a window that becomes wider is filled", screen.shows(r"(?m)^loss.{90,}", 3), screen.frame())
        screen.size(12, 60)
        ok = screen.shows(r"step 130", 3) and screen.read(1.5)
        check("one that becomes smaller is not overrun", ok and len(screen.frame()) <= 12 and max(map(len, screen.frame())) <= 60, screen.frame())
        screen.press(b"q")
        check("q leaves, and puts the terminal back", screen.end() == 0 and screen.is_put_back(), screen.text[-80:])
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            screen = Terminal(place, "watch", "a")
            ok = screen.shows("step")
            os.kill(screen.pid, number)
            check(f"so does {number.name}, which ends it", ok and screen.end() == -number and screen.is_put_back(), screen.text[-80:])
        screen = Terminal(place, "watch", "a")
        ok = screen.shows("step")
        os.kill(screen.pid, signal.SIGTSTP)
        time.sleep(1)
        screen.read(0.2)
        put_back = screen.is_put_back()
        os.kill(screen.pid, signal.SIGCONT)
        screen.text = b""
        ok &= put_back and screen.shows("step")
        screen.press(b"q")
        check("stopped it has put the terminal back, and goes on", ok and screen.end() == 0)
        screen = Terminal(place, "watch", "a", NO_COLOR="1")
        ok = screen.shows("step")
        screen.press(b"q")
        check("NO_COLOR has no colour", screen.end() == 0 and ok and not re.search(rb"\033\[[0-9;]*m", screen.text))
        screen = Terminal(place, "watch", "a", "--until", "end", TERM="dumb")
        place.declare("a/rank0/run.json", wall_time=13.1, n_steps=131)
        place.declare("a/rank1/run.json", wall_time=13.1, n_steps=131)
        code = screen.end(40)
        check("a dumb terminal gets lines, and no orders", code == 1 and b"end at step 130" in screen.text and b"\033" not in screen.text, code, screen.text)


def events():
    with Place() as place:
        place.steps("golden/steps.jsonl", range(100))
        place.run("push", "golden")
        place.steps("a/steps.jsonl", range(50))
        watch = subprocess.Popen([TSCOPE, "watch", "a", "--baseline", "golden", "--exec", "cat >>events"], cwd=place.path, env=place.env,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(3)
        began = time.monotonic()
        place.steps("a/steps.jsonl", range(50, 60), loss=lambda i: 1 / (i + 1) + (1e-9 if i >= 55 else 0))
        while time.monotonic() - began < WAIT and not os.path.exists(place.file("events")):
            time.sleep(0.05)
        took = time.monotonic() - began
        place.steps("a/steps.jsonl", range(60, 62), loss=lambda i: float("nan"))
        time.sleep(2)
        place.declare("a/run.json", wall_time=6.2, n_steps=62)
        out, _ = watch.communicate(timeout=60)
        with open(place.file("events"), encoding="utf-8") as file:
            told = [json.loads(line) for line in file]
        check("the first step that differs from a baseline is said, and that the learning rate is the same",
              told[0]["event"] == "divergence" and told[0]["detail"] == "first differs from golden at step 55: loss; the learning rate is the same", told)
        slow = 10 if "sanitize" in build_flags() else 3
        check("within two refreshes", took < slow, took)
        check("a loss that is NaN is a finding at once", any(e.get("code") == "CONVERGENCE.DIVERGED" and e["severity"] == "high" for e in told), told)
        check("the end is said, and each of them once", [e["event"] for e in told].count("end") == 1 and len(told) == 3 and watch.returncode == 0, told, out)
        place.steps("c/steps.jsonl", range(50), loss=lambda i: float("nan") if i > 45 else 1.0)
        check("--until ends with 1", place.run("watch", "c", "--until", "CONVERGENCE.*").returncode == 1)


class Hook(http.server.ThreadingHTTPServer):
    """A server that keeps what is posted to it, and answers as its path says."""

    def __init__(self):
        taken = self.taken = []

        class Taker(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                taken.append((self.path, self.headers["Content-Type"], self.rfile.read(int(self.headers["Content-Length"]))))
                if self.path == "/elsewhere":
                    self.send_response(307)
                    self.send_header("Location", "/stolen")
                else:
                    self.send_response(500 if self.path == "/broken" else 204)
                self.end_headers()

            def log_message(self, *_):
                pass
        super().__init__(("127.0.0.1", 0), Taker)
        threading.Thread(target=self.serve_forever, daemon=True).start()


def webhook():
    if not shutil.which("curl"):
        print("no curl: --webhook is not tried")
        return
    hook = Hook()
    for path in ("/hook", "/broken", "/elsewhere"):
        with Place() as place:
            place.steps("a/steps.jsonl", range(50), loss=lambda i: float("nan") if i > 45 else 1.0)
            watch = subprocess.Popen([TSCOPE, "watch", "a", "--webhook", f"http://127.0.0.1:{hook.server_address[1]}{path}"], cwd=place.path,
                                     env={**place.env, "no_proxy": "*"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(4)
            place.declare("a/run.json", wall_time=5, n_steps=50)
            _, said = watch.communicate(timeout=60)
            until = time.monotonic() + WAIT
            while time.monotonic() < until and not [body for at, _, body in hook.taken if at == path and b'"end"' in body]:
                time.sleep(0.05)
            told = [json.loads(body) for at, kind, body in hook.taken if at == path and kind == "application/json"]
            check(f"what happens is posted once each, {path}", told and told[0].get("code") == "CONVERGENCE.DIVERGED" and told[-1]["event"] == "end" and
                  len({one["event"] for one in told}) == len(told) and watch.returncode == 0, told, watch.returncode, said)
            check("and what is refused is said", (b"not taken by the web hook" in said) == (path != "/hook"), said)
    check("no redirect is followed", not [at for at, *_ in hook.taken if at == "/stolen"], hook.taken)
    hook.shutdown()
    with Place() as place:
        place.steps("a/steps.jsonl", range(5))
        told = place.run("watch", "a", "--webhook", "file:///etc/passwd")
        check("what is no address of the web is refused", told.returncode == 2 and b"http://" in told.stderr, told)
        told = place.run("watch", "a", "--webhook", "http://127.0.0.1:1/", PATH="/nowhere")
        check("where there is no curl, it is said", told.returncode == 2 and b"curl, which is not installed" in told.stderr, told)


def build_flags():
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as file:
        return "sanitize" if re.search(r"^TS_SANITIZE:\w+=\S", file.read(), re.M) else ""


def stands_still():
    with Place() as place:
        place.steps("a/steps.jsonl", range(100), since=time.time() - 28)
        out = place.run("watch", "a", "--until", "hang")
        check("a run without a step for far longer than usual stands still", out.returncode == 1 and b"hang at step 99" in out.stdout, out.stdout, out.stderr)
        place.steps("b/steps.jsonl", range(100), since=time.time() - 28)
        place.declare("b/run.json", wall_time=1.0, n_steps=100)
        out = place.run("watch", "b", "--until", "hang")
        check("one that has ended does not", out.returncode == 0 and b"end at step 99" in out.stdout and b"hang" not in out.stdout, out.stdout)


def begins():
    """A run that is not there yet is waited for, and one that has ended without a step says so."""
    with Place() as place:
        watches = {name: subprocess.Popen([TSCOPE, "watch", name], cwd=place.path, env=place.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for name in ("runs/a", "b", "./c")}
        for watch in watches.values():
            check("a run that is not there is waited for", watch.stderr.readline().endswith(b"it is waited for\n"))
        place.run("run", "-q", "-d", "runs/a", "--", "sh", "-c", "exit 3")
        place.steps("b/steps.jsonl", range(9))
        place.declare("b/run.json", wall_time=1.0, n_steps=9)
        place.steps("c/steps.jsonl", range(7))
        place.declare("c/run.json", wall_time=1.0, n_steps=7)
        for name, told in (("runs/a", b"exit code 3"), ("b", b"end at step 8"), ("./c", b"end at step 6")):
            out, err = watches[name].communicate(timeout=60)
            check(f"and shown once it is: {name}", told in out and watches[name].returncode == 0, out, err)
        out = place.run("watch", "runs/c", "--wait", "0s")
        check("and without a wait it is none", out.returncode == 2 and b"nothing is named runs/c" in out.stderr and b"waited" not in out.stderr, out)
        for words in (("./runs/c", "--once"), ("./runs/c", "--wait", "0s"), ("b", "--baseline", "./runs/c"), ("b", "--repeats", "./runs/c")):
            out = place.run("watch", *words)
            check(f"nor is a path: {words}", out.returncode == 2 and out.stderr == b"tscope: ./runs/c: no such file or directory\n", out)


def recordings():
    """By the recorder's own example, where it was built."""
    trainer = next((p for p in (os.path.join(BUILD, "record/example/train_bigram"), os.path.join(BUILD, "train_bigram")) if os.path.exists(p)), None)
    if not trainer:
        print("recordings: skipped, record/example/train_bigram is not built")
        return
    with Place() as place:
        subprocess.run([trainer, "run"], cwd=place.path, capture_output=True, timeout=60, check=True)
        text = place.run("watch", "run", "--once").stdout.decode()
        shown = json.loads(place.run("show", "./run", "--json").stdout)
        check("a recording is shown to its last step", f"step {shown['run']['last_step']:,}" in text and "finished" in text, text)


def many(place, names):
    threads = [threading.Thread(target=lambda n=n: place.steps(n, range(500))) for n in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def grows_late():
    with Place() as place:
        many(place, ["a/rank0/steps.jsonl"])
        screen = Terminal(place, "watch", "a")
        ok = screen.shows("step 499")
        place.steps("a/rank1/steps.jsonl", range(500))
        check("a rank that comes later is found", ok and screen.shows("rank 0 of 2 ranks", 15), screen.frame())
        with open(place.file("a/rank0/steps.jsonl"), "a", encoding="utf-8") as file:
            file.write('{"step": 500, "timestamp": 1')
        screen.read(1.5)
        with open(place.file("a/rank0/steps.jsonl"), "a", encoding="utf-8") as file:
            file.write('795000000.5, "scalars": {"loss": 0.25}}\n')
        check("a line that comes in two pieces is one step", screen.shows(r"loss +0\.25", 5), screen.frame())
        screen.press(b"q")
        check("and q leaves", screen.end() == 0)


def begins_later():
    """Watching begins before any rank records."""
    with Place() as place:
        place.declare("a/launch.json", format=1, session={"launch": {"by": "tscope run", "end": {"state": "running"}}})
        screen = Terminal(place, "watch", "a")
        check("a run that is started and records nothing yet is waited for", screen.shows("waiting for the first step"), screen.frame())
        for rank in range(2):
            place.steps(f"a/rank{rank}/steps.jsonl", range(30))
        check("and all of its ranks are found when they come, rank 0, too", screen.shows("rank 0 of 2 ranks"), screen.frame())
        screen.press(b"q")
        screen.end()


def without_times():
    """Logs whose steps have no times: their pace is that at which they come."""
    with Place() as place:
        names = {"log.txt": "step {} loss 2.5\n", "a/steps.jsonl": '{{"step": {}, "scalars": {{"loss": 2.5}}}}\n'}

        def grow(steps):
            for name, line in names.items():
                with open(place.file(name), "a", encoding="utf-8") as file:
                    file.write("".join(line.format(i) for i in steps))
        grow(range(200))
        screens = [Terminal(place, "watch", path) for path in ("./log.txt", "a")]
        first = [screen.shows("step 199   steps/s unknown") for screen in screens]
        shown, step, until = [False, False], 200, time.monotonic() + 2 * WAIT
        while not all(shown) and time.monotonic() < until:
            grow(range(step, step + 5))
            step += 5
            shown = [known or screen.shows(r"about [0-9.]+ steps/s[^$]*last step came [0-9.]+ s ago", 0.3) for known, screen in zip(shown, screens)]
        check("steps without times have the pace at which they come, and none before they do", all(first) and all(shown), first, shown, [s.frame() for s in screens])
        for screen in screens:
            screen.press(b"q")
            screen.end()


def forecast():
    with Place() as place:
        for name, grows in (("a", 1e6), ("b", 0)):
            place.steps(f"{name}/steps.jsonl", range(1000), memory=lambda i, g=grows: {"peak_alloc": 5e9 + g * i + 1e5 * (i * 7919 % 13)})
            place.declare(f"{name}/facts.json", format=1, hardware={"gpus": [{"memory": 8 * 10 ** 9}]})
        text, level = (" ".join(place.run("watch", name, "--once").stdout.decode().split()) for name in "ab")
        full = re.search(r"the device is full at about step ([0-9,]+) \(([0-9,]+) to ([0-9,]+)\), in 3 min", text)
        check("memory that grows has a forecast, and what does not has none", full and abs(int(full.group(1).replace(",", "")) - 3000) <= 5 and
              "is full at about" not in level and "63 %" in level, text, level)


CHECKS = (shown_once, ranks, sources, hostile, terminal, events, webhook, stands_still, begins, recordings, grows_late, begins_later, without_times, forecast)


def main():
    for one in CHECKS:
        if not sys.argv[2:] or one.__name__ in sys.argv[2:]:
            one()
    if failed:
        sys.exit(f"{len(failed)} of the checks do not hold")


if __name__ == "__main__":
    main()
