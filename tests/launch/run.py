#!/usr/bin/env python3
"""tscope run changes nothing of what it starts: run.py BUILD [NAME...] starts commands with and without a terminal, and holds them to what
they do alone. Prints a line a check, and exits with 1 where one does not hold."""
import fcntl
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
import time

TSCOPE = os.path.abspath(os.path.join(sys.argv[1], "tscope"))
BUILD = os.path.abspath(sys.argv[1])
STEADY = os.path.abspath(os.path.join(sys.argv[1], "tests", "launch", "steady"))
WAIT = 60
failed = []


def check(what, holds, *more):
    print(f"{what:86} {'holds' if holds else 'BROKEN'}", *([] if holds else map(repr, more)), flush=True)
    if not holds:
        failed.append(what)


class Place:
    """A folder for one check."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="tscope-launch-")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def words(self, *command, options=()):
        return [TSCOPE, "run", "-d", "run", *options, "--", *command]

    def run(self, *command, options=(), **how):
        return subprocess.run(self.words(*command, options=options), cwd=self.path, capture_output=True, timeout=60, **how)

    def end(self):
        with open(os.path.join(self.path, "run", "launch.json"), encoding="utf-8") as file:
            return json.load(file)["session"]["launch"]["end"]

    def kept(self, name="output.txt"):
        with open(os.path.join(self.path, "run", name), "rb") as file:
            return file.read()

    def wait_for(self, holds):
        until = time.monotonic() + WAIT
        while time.monotonic() < until:
            try:
                if holds():
                    return True
            except (OSError, ValueError, KeyError):
                pass
            time.sleep(0.02)
        return False


class Terminal:
    """A terminal of 24 lines and 80 columns with a program in its foreground."""

    def __init__(self, words, cwd):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.environ.update(TERM="xterm", PS1="$ ")
            os.execvp(words[0], words)
        self.size(24, 80)
        self.text = b""

    def size(self, lines, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def read(self, wait):
        if select.select([self.fd], [], [], wait)[0]:
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                return False
            self.text += data
            return bool(data)
        return None

    def until(self, text):
        """Whether it says so in time; what was said before is forgotten."""
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            at = self.text.find(text)
            if at >= 0:
                self.text = self.text[at + len(text):]
                return True
            if self.read(0.1) is False:
                break
        return text in self.text

    def type(self, text):
        os.write(self.fd, text)

    def end(self):
        """Returns the exit code as a shell gives it."""
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            while self.read(0.02):
                pass
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while self.read(0):
                    pass
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return None


def exit_codes():
    wrong = []
    with Place() as place:
        for code in range(256):
            ran = subprocess.run([TSCOPE, "run", "-q", "-d", f"run{code}", "--no-patch", "--", "sh", "-c", f"exit {code}"], cwd=place.path, capture_output=True)
            if ran.returncode != code:
                wrong.append((code, ran.returncode))
    check("exit codes 0 to 255 pass through", not wrong, wrong)


def deaths():
    wrong = []
    for name in "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM XCPU XFSZ".split():
        number = signal.Signals["SIG" + name]
        with Place() as place:
            ran = place.run("sh", "-c", f"ulimit -c 0; kill -{name} $$")
            said = place.end()
        if ran.returncode != 128 + number or said.get("state") != "killed" or said.get("signal") != "SIG" + name:
            wrong.append((name, ran.returncode, said, ran.stderr))
    check("a signal that ends the command: 128 and its number, and its name is kept", not wrong, wrong)


def passed_on():
    program = ("import os, signal, sys, time\n"
               "for name in sys.argv[1:]: signal.signal(getattr(signal, name), lambda n, f: os.write(1, (signal.Signals(n).name + '\\n').encode()))\n"
               "os.write(1, b'%d\\n' % os.getpid())\n"
               "while True: time.sleep(0.01)\n")
    names = "SIGINT SIGTERM SIGHUP SIGQUIT SIGUSR1 SIGUSR2".split()
    with Place() as place:
        job = subprocess.Popen(place.words(sys.executable, "-c", program, *names), cwd=place.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        child, heard = int(job.stdout.readline()), []
        for name in [*names, "SIGINT"]:
            job.send_signal(getattr(signal, name))
            heard.append(job.stdout.readline().decode().strip())
        job.send_signal(signal.SIGINT)
        os.kill(child, signal.SIGKILL)
        code = job.wait(WAIT)
        check("signals to tscope run reach the command, each as often as it comes", heard == [*names, "SIGINT"] and code == 137, heard, code)
        job.stdout.close(), job.stderr.close()


def cannot():
    for what, command, code, says in (
        ("a command that is not there", ["no-such-command"], 127, "there is no command no-such-command in PATH"),
        ("a path that is not there", ["./no-such"], 127, "./no-such cannot be executed: No such file or directory"),
        ("a file that may not be executed", ["./plain"], 126, "./plain cannot be executed: Permission denied; chmod +x"),
        ("a folder", ["./folder"], 126, "./folder cannot be executed: Permission denied"),
        ("a script without an interpreter", ["./lost"], 127, "or its interpreter is not there"),
    ):
        with Place() as place:
            os.mkdir(os.path.join(place.path, "folder"))
            for name, data, mode in (("plain", b"echo\n", 0o644), ("lost", b"#!/no/such\n", 0o755)):
                with open(os.path.join(place.path, name), "wb") as file:
                    file.write(data)
                os.chmod(file.name, mode)
            ran = place.run(*command)
            check(f"{what}: exit code {code}, one sentence", ran.returncode == code and says in ran.stderr.decode() and ran.stderr.count(b"\n") == 1,
                  ran.returncode, ran.stderr)


def twice():
    with Place() as place:
        first = place.run("true")
        again = place.run("true")
        check("a second start in one folder is refused in a sentence", first.returncode == 0 and again.returncode == 2 and
              b"holds a run already" in again.stderr and again.stderr.count(b"\n") == 1, again.stderr)
    with Place() as place:
        jobs = [subprocess.Popen(place.words("sleep", "0.3"), cwd=place.path, stderr=subprocess.PIPE) for _ in range(4)]
        codes = sorted((job.communicate()[1], job.returncode)[1] for job in jobs)
        check("of four that start in one folder at once, one does", codes == [0, 2, 2, 2], codes)


def bytes_through():
    data = os.urandom(3_000_001)
    with Place() as place:
        with open(os.path.join(place.path, "data"), "wb") as file:
            file.write(data)
        ran = place.run("cat", "data")
        check("binary bytes through a pipe are the same", ran.stdout == data and ran.returncode == 0)
        check("the last 64 KiB of them are kept", place.kept() == data[-65536:], len(place.kept()))
    with Place() as place:
        with open(os.path.join(place.path, "data"), "wb") as file:
            file.write(data)
        place.run("cat", "data", options=["--log"])
        check("all of them with --log", place.kept() == data, len(place.kept()))
    with Place() as place:
        ran = subprocess.run(place.words("sh", "-c", "i=0; while [ $i -lt 500 ]; do echo $i; echo $i >&2; i=$((i+1)); done"), cwd=place.path,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        wanted = "".join(f"{i}\n{i}\n" for i in range(500)).encode()
        check("stdout and stderr of one pipe keep their order", ran.stdout.startswith(wanted), ran.stdout[:200])
    with Place() as place:
        ran = place.run("cat", input=b"typed")
        check("stdin is as it is", ran.stdout == b"typed", ran.stdout)


def files():
    with Place() as place:
        with open(os.path.join(place.path, "out"), "wb") as file:
            subprocess.run(place.words("sh", "-c", "stat -L -c %i /proc/self/fd/1; echo two"), cwd=place.path, stdout=file, stderr=subprocess.PIPE)
        with open(file.name, "rb") as file:
            text = file.read()
        check("a regular file is given as it is, and its end is kept", text == f"{os.stat(file.name).st_ino}\ntwo\n".encode() and place.kept() == text,
              text, place.kept())


def broken_pipe():
    with Place() as place:
        ran = subprocess.run(["bash", "-c", f"{TSCOPE} run -q -d run -- yes | head -n 1; echo ${{PIPESTATUS[0]}}"], cwd=place.path, capture_output=True, timeout=60)
        check("a reader that goes: the command finds its pipe broken, 141", ran.stdout == b"y\n141\n", ran.stdout, ran.stderr)


def left_behind():
    with Place() as place:
        begun = time.monotonic()
        job = subprocess.Popen(place.words("sh", "-c", "(sleep 1.5; echo late) & echo soon"), cwd=place.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        job.wait(WAIT)
        took = time.monotonic() - begun
        text, said = job.stdout.read(), job.stderr.read()
        check("a command that forks away is over at once, and what it left prints on", took < 1.4 and text == b"soon\nlate\n" and
              b"left behind" in said, took, text, said)


NOTHING = "import os, sys; print('ISATTY', [os.isatty(i) for i in range(3)], os.getpgrp() == os.tcgetpgrp(0), os.get_terminal_size())"


def terminal():
    with Place() as place:
        t = Terminal(place.words(sys.executable, "-c", NOTHING), place.path)
        code = t.end()
        check("a terminal stays a terminal, of the same size, with the foreground", b"ISATTY [True, True, True] True os.terminal_size(columns=80, lines=24)\r\n" in t.text
              and code == 0, t.text, code)
        check("what is printed to a terminal is kept", b"ISATTY [True" in place.kept(), place.kept())
    program = ("import os, signal, time\n"
               "signal.signal(signal.SIGWINCH, lambda n, f: os.write(1, b'SIZE %d\\n' % os.get_terminal_size().columns))\n"
               "print('ready', flush=True)\nfor _ in range(500): time.sleep(0.01)\n")
    with Place() as place:
        t = Terminal(place.words(sys.executable, "-c", program), place.path)
        ready = t.until(b"ready")
        t.size(30, 132)
        check("the size of the window follows", ready and t.until(b"SIZE 132"), t.text)
        t.type(b"\x03")
        t.end()
    with Place() as place:
        t = Terminal(["bash", "--norc", "-c", f"stty -a > before; {' '.join(place.words('true'))}; stty -a > after"], place.path)
        t.end()
        before, after = (open(os.path.join(place.path, name), encoding="utf-8").read() for name in ("before", "after"))
        check("the terminal is as before when it is over", before == after and before, after)
    with Place() as place:
        t = Terminal(["bash", "--norc", "-c", f"{TSCOPE} run -q -d run -- {sys.executable} -c 'print(input())' > out"], place.path)
        time.sleep(0.5)
        t.type(b"typed\n")
        code = t.end()
        text = open(os.path.join(place.path, "out"), encoding="utf-8").read()
        check("stdin of a terminal with stdout in a file", text == "typed\n" and code == 0, text, code)
    with Place() as place:
        t = Terminal(["bash", "--norc", "-c", f"echo piped | {TSCOPE} run -q -d run -- sh -c 'cat; test -t 1 && echo yes'"], place.path)
        code = t.end()
        check("stdin of a pipe with stdout on a terminal", t.text == b"piped\r\nyes\r\n", t.text)


WAITS = ("import signal, time\n"
         "try:\n    print('ready', flush=True)\n    while True: time.sleep(0.01)\n"
         "except KeyboardInterrupt:\n    print('once', flush=True)\n    time.sleep(30)\n")


def interrupts():
    with Place() as place:
        t = Terminal(place.words(sys.executable, "-c", WAITS), place.path)
        ready = t.until(b"ready")
        t.type(b"\x03")
        once = t.until(b"once")
        t.type(b"\x03")
        code = t.end()
        check("^C once and twice", ready and once and code == 130 and b"KeyboardInterrupt" in t.text, ready, once, code, t.text)
    with Place() as place:
        t = Terminal(place.words("sh", "-c", "trap '' INT; echo ready; sleep 1; exit 9"), place.path)
        t.until(b"ready")
        t.type(b"\x03")
        check("^C that the command ignores", t.end() == 9)
    with Place() as place:
        t = Terminal(place.words("sleep", "30"), place.path)
        time.sleep(0.5)
        t.type(b"\x1c")
        check("^\\", t.end() == 131, t.text)
    with Place() as place:
        t = Terminal(place.words("sh", "-c", "echo ready; sleep 30"), place.path)
        t.until(b"ready")
        os.close(t.fd)
        ended = place.wait_for(lambda: place.end().get("state") == "killed")
        os.waitpid(t.pid, 0)
        check("a terminal that goes away hangs the command up", ended and place.end()["signal"] == "SIGHUP", place.end())


# Takes down what it gets when its terminal goes away: argv is a file, what it does at SIGHUP, and how often it prints after the first time that it cannot.
HUNG_UP = """
import os, signal, sys, time
got, errors, left = open(sys.argv[1], "a", buffering=1), set(), int(sys.argv[3])
def hear(number, frame):
    got.write(f"{signal.Signals(number).name}\\n")
    if sys.argv[2] == "save":
        time.sleep(0.3)
        sys.exit(7)
signal.signal(signal.SIGHUP, signal.SIG_IGN if sys.argv[2] == "ignore" else hear)
os.write(1, b"ready\\n")
while left:
    time.sleep(0.05)
    try:
        os.write(1, b"turn\\n")
    except OSError as error:
        errors.add(f"a write: {error.strerror}")
        left -= 1
try:
    errors.add(f"a read: {os.read(0, 9) or 'over'}")
except OSError:
    errors.add("a read: over")
got.write("\\n".join([*errors, "end\\n"]))
"""


def closed(place, name, words):
    """What a command got whose terminal goes away, and its exit code."""
    t = Terminal([word.replace("GOT", name) for word in words], place.path)
    t.until(b"ready")
    os.close(t.fd)
    code = []
    place.wait_for(lambda: code.extend(os.waitpid(t.pid, os.WNOHANG)) or code[-2])
    if not code[-2]:
        os.kill(t.pid, signal.SIGKILL)
        code += os.waitpid(t.pid, 0)
    with open(os.path.join(place.path, name), encoding="utf-8") as file:
        return sorted(set(file.read().splitlines())), os.waitstatus_to_exitcode(code[-1])


def closes():
    """A window that is closed: the command gets what it gets alone, also one that goes on."""
    for does, turns, what, state in (("save", 1000, "saves and ends", "crashed"), ("ignore", 10, "ignores SIGHUP and prints", "finished"),
                                     ("hear", 10, "hears of it and prints", "finished"), ("ignore", 0, "ignores SIGHUP and reads", "finished")):
        with Place() as place:
            words = [sys.executable, "-c", HUNG_UP, "GOT", does, str(turns)]
            alone, under = closed(place, "alone", words), closed(place, "under", place.words(*words))
            ended = place.wait_for(lambda: place.end()["state"] == state)
            check(f"a terminal that goes away, and a command that {what}", alone == under and alone[0] and ended, alone, under, place.end())
    with Place() as place:
        words = place.words("sh", "-c", "echo ready; exec sleep 60", options=("--push=60",))
        t = Terminal(["env", "TSCOPE_STORE=" + os.path.join(place.path, "store"), *words], place.path)
        t.until(b"ready")
        os.close(t.fd)
        os.waitpid(t.pid, 0)
        listed = stored(place, "list", "--columns", "state")[1]
        check("a terminal that goes away keeps nothing from the last push", b"killed" in listed, listed)


def suspends():
    count = "import time\ni = 0\nwhile True:\n    i += 1; print('turn', i, flush=True); time.sleep(0.05)\n"
    for what, to in (("", ""), (" with stdout in a file", " > out")):
        with Place() as place:
            with open(os.path.join(place.path, "count.py"), "w", encoding="utf-8") as file:
                file.write(count)
            def turns():
                with open(os.path.join(place.path, "out" if to else "run/output.txt"), "rb") as file:
                    return file.read().count(b"turn")
            t = Terminal(["bash", "--norc", "-i"], place.path)
            t.until(b"$ ")
            t.type(f"{TSCOPE} run -d run -- {sys.executable} count.py{to}\n".encode())
            begun = t.until(b"turn 3") if not to else place.wait_for(lambda: turns() > 3)
            t.type(b"\x1a")
            stopped = t.until(b"Stopped") and t.until(b"$ ")
            before = turns()
            time.sleep(0.5)
            still = turns()
            t.text = b""
            t.type(b"fg\n")
            goes_on = place.wait_for(lambda: turns() > still + 2)
            t.type(b"\x03")
            back = t.until(b"$ ")
            t.type(b"echo code $?\n")
            t.until(b"\rcode ")
            t.read(1)
            check(f"^Z stops it and fg goes on{what}", begun and stopped and before == still and goes_on and back and t.text.startswith(b"130"),
                  begun, stopped, before, still, goes_on, back, t.text)
            t.type(b"exit\n")
            t.end()


def debugger():
    with Place() as place:
        with open(os.path.join(place.path, "bug.py"), "w", encoding="utf-8") as file:
            file.write("x = 41\nbreakpoint()\nprint('x is', x)\n")
        t = Terminal(place.words(sys.executable, "bug.py"), place.path)
        at = t.until(b"(Pdb) ")
        t.type(b"x = 43\n")
        t.until(b"(Pdb) ")
        t.type(b"c\n")
        code = t.end()
        check("pdb", at and b"x is 43" in t.text and code == 0, t.text, code)


def launcher_killed():
    count = ("import sys, time\nfor i in range(60):\n    print('turn', i, flush=True); print('err', i, file=sys.stderr, flush=True); time.sleep(0.02)\n"
             "    if i == 9: open('began', 'w').close()\n"
             "open('survived', 'w').close()\nsys.exit(5)\n")
    wanted = [f"turn {i}" for i in range(60)]
    for what in ("a pipe", "a file", "a terminal"):
        with Place() as place:
            with open(os.path.join(place.path, "count.py"), "w", encoding="utf-8") as file:
                file.write(count)
            words = place.words(sys.executable, "count.py")
            if what == "a terminal":
                t = Terminal(words, place.path)
                t.until(b"turn 9")
                os.kill(t.pid, signal.SIGKILL)
                t.text = b"turn 9" + t.text
                os.waitpid(t.pid, 0)
                while t.read(1.5):
                    pass
                seen = t.text.decode()
                wanted_here = wanted[9:]
            else:
                out = os.path.join(place.path, "out")
                sink = subprocess.PIPE if what == "a pipe" else open(out, "wb")
                job = subprocess.Popen(words, cwd=place.path, stdout=sink, stderr=subprocess.DEVNULL)
                place.wait_for(lambda: os.path.exists(os.path.join(place.path, "began")))
                job.kill()
                job.wait()
                if what == "a pipe":
                    seen = job.stdout.read().decode()
                    job.stdout.close()
                else:
                    sink.close()
                    place.wait_for(lambda: os.path.exists(os.path.join(place.path, "survived")))
                    seen = open(out, encoding="utf-8").read()
                wanted_here = wanted
            survived = place.wait_for(lambda: os.path.exists(os.path.join(place.path, "survived")))
            lines = [line for line in re.split(r"\r?\n", seen) if line.startswith("turn")]
            told = place.wait_for(lambda: place.end().get("exit") == 5)
            check(f"kill -9 of the launcher, output to {what}: the command and its output go on, its end is kept", survived and lines == wanted_here and told,
                  survived, lines[-3:], place.end())


def disk_full():
    with Place() as place:
        ran = subprocess.run(["bash", "-c", f"ulimit -f 64; {TSCOPE} run --log -d run -- sh -c 'head -c 500000 /dev/zero; exit 4' | wc -c; echo ${{PIPESTATUS[0]}}"],
                             cwd=place.path, capture_output=True, timeout=60)
        check("a file of the output that cannot grow: the command goes on, and a sentence says it", ran.stdout.split() == [b"500000", b"4"] and
              b"could not be kept" in ran.stderr, ran.stdout, ran.stderr)


def shown(place):
    """Returns what tscope show says of the end."""
    ran = subprocess.run([TSCOPE, "show", "--json", "./run"], cwd=place.path, capture_output=True)
    told = json.loads(ran.stdout)
    return told["run"].get("state"), (told.get("ending") or {}).get("sentence")


def what_ended():
    with Place() as place:
        with open(os.path.join(place.path, "bug.py"), "w", encoding="utf-8") as file:
            file.write("import json\n\ndef load():\n    return json.loads('{')\n\nload()\n")
        ran = place.run(sys.executable, "bug.py", options=["--no-auto"])
        end = place.end()
        check("Python's last exception with file and line of the program's own code", ran.returncode == 1 and end["type"] == "json.decoder.JSONDecodeError" and
              end["at"].endswith("bug.py:4") and b"bug.py:4" in ran.stderr.splitlines()[-1], end, ran.stderr)
        check("and show says it", "bug.py:4" in (shown(place)[1] or ""), shown(place))
    with Place() as place:
        os.makedirs(os.path.join(place.path, "site-packages"))
        with open(os.path.join(place.path, "site-packages", "lib.py"), "w", encoding="utf-8") as file:
            file.write("def save():\n    try:\n        raise RuntimeError('iostream error')\n    finally:\n        raise RuntimeError('unexpected pos')\n")
        with open(os.path.join(place.path, "bug.py"), "w", encoding="utf-8") as file:
            file.write("import sys\nsys.path.insert(0, 'site-packages')\nimport lib\nlib.save()\n")
        place.run(sys.executable, "bug.py", options=["--no-auto"])
        check("of an exception that a library answered by another the first, and the program's own line", place.end()["message"] == "iostream error" and
              place.end()["at"].endswith("bug.py:4"), place.end())
    for what, script, ends in (
            ("a class of the program's own", "class Stop(Exception): pass\nraise Stop('asked')", lambda end: end["type"] == "Stop" and end["message"] == "asked"),
            ("the exception that the program answered another one by", "try:\n    {}['k']\nexcept KeyError as e:\n    raise RuntimeError('no key') from e",
             lambda end: end["type"] == "RuntimeError" and end["at"].endswith("end.py:4")),
            ("the exception of one of several processes, behind which another goes on", "import subprocess, sys\n"
             "code = subprocess.call([sys.executable, '-c', 'raise ValueError(\"bad batch\")'])\nprint('step 2 loss 2', file=sys.stderr)\nsys.exit(code)",
             lambda end: end["exit"] == 1 and "type" not in end and "ValueError: bad batch, and the last line that it printed is step 2" in end["message"]),
            ("the rank that torchrun names, behind which another goes on", "import subprocess, sys\n"
             "subprocess.call([sys.executable, '-c', 'raise ValueError(\"bad batch\")'])\nprint('step 2 loss 2\\nRoot Cause (first observed failure):\\n'\n"
             "      '  rank      : 1 (local_rank: 1)\\n  exitcode  : 1 (pid: 7)', file=sys.stderr)\nsys.exit(1)",
             lambda end: end["type"] == "ValueError" and end["message"] == "bad batch" and end["ranks"] == [1]),
            ("what does not compile", "def f(:", lambda end: end["type"] == "SyntaxError" and end["at"].endswith("end.py:1")),
            ("a program that caught an exception, went on, and ended later", "import sys, traceback\ntry:\n    raise ValueError('caught')\nexcept ValueError:\n"
             "    traceback.print_exc()\nprint('step 1 loss 2.0', file=sys.stderr)\nsys.exit(3)", lambda end: end["exit"] == 3 and "type" not in end),
            ("what says nothing of its own exit code", "import os, traceback\ntry:\n    raise ValueError('caught')\nexcept ValueError:\n    traceback.print_exc()\nos._exit(7)",
             lambda end: end["exit"] == 7 and "type" not in end and "ValueError: caught" in end["message"]),
            ("what a program says when it exits", "import sys\nsys.exit('no data here')", lambda end: end["exit"] == 1 and "no data here" in end["message"]),
            ("a signal without a name", "import os\nos.kill(os.getpid(), 34)", lambda end: end["signal"] == "signal 34")):
        with Place() as place:
            with open(os.path.join(place.path, "end.py"), "w", encoding="utf-8") as file:
                file.write(script + "\n")
            ran = place.run(sys.executable, "end.py", options=["--no-auto"])
            check(f"{what} is what ended it", ends(place.end()), place.end(), ran.stderr)
    with Place() as place:
        with open(os.path.join(place.path, "full.py"), "w", encoding="utf-8") as file:
            file.write("import sys\nprint('tscope: run/recording.tscope: cannot write facts.json: No space left on device; training goes on', file=sys.stderr)\n"
                       "raise OSError(28, 'No space left on device')\n")
        place.run(sys.executable, "full.py", options=["--no-auto"])
        check("a full disk is told by the training's own exception, not by a line of the recorder", place.end()["cause"] == "disk_full" and place.end()["type"] == "OSError" and
              place.end()["at"].endswith("full.py:3") and "tscope:" not in (shown(place)[1] or ""), place.end(), shown(place))
    with Place() as place:
        job = subprocess.Popen(place.words("sleep", "30"), cwd=place.path, stderr=subprocess.PIPE)
        running = place.wait_for(lambda: place.end()["state"] == "running" and os.path.exists(os.path.join(place.path, "run", "output.txt")))
        time.sleep(0.3)
        first = shown(place)
        job.terminate()
        said = job.communicate(timeout=WAIT)[1].decode()
        check("a run that goes on is running", running and "still went on" in (first[1] or ""), first)
        check("a signal, and who sent it", job.returncode == 143 and f"process {os.getpid()}" in said and "SIGTERM" in (shown(place)[1] or ""), said, shown(place))
    with Place() as place:
        said = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 79.15 GiB"
        place.run("sh", "-c", f"echo '{said}' >&2; exit 1")
        check("memory of the device that ran out", place.end()["cause"] == "out_of_memory" and "out of memory" in (shown(place)[1] or ""), place.end(), shown(place))
    with Place() as place:
        line = ("[Rank {}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={}, OpType=ALLREDUCE, NumelIn=1, Timeout(ms)=600000) ran for 600012 "
                "milliseconds before timing out.")
        place.run("sh", "-c", f"echo '{line.format(0, 41)}'; echo '{line.format(1, 40)}'; exit 1")
        check("the watchdog of collectives, and who is behind", place.end()["cause"] == "collective_timeout" and place.end()["ranks"] == [1] and
              "rank 1 waits at collective 40" in (shown(place)[1] or ""), place.end(), shown(place))
    with Place() as place:
        golden = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden", "flight")
        os.environ["TORCH_FR_DUMP_TEMP_FILE"] = os.path.join(place.path, "dump_")
        place.run("sh", "-c", f"for rank in 0 1 2; do cat {golden}/late_rank_$rank >dump_$rank; done; echo '{line.format(0, 4)}'; exit 1")
        del os.environ["TORCH_FR_DUMP_TEMP_FILE"]
        check("dumps of the Flight Recorder, and who is behind", place.end()["cause"] == "collective_timeout" and place.end()["ranks"] == [1] and
              "rank 1 called no collective of the group default_pg after number 3" in (shown(place)[1] or ""), place.end(), shown(place))
    with Place() as place:
        script = ("echo step 1 loss 2; test $RANK = 1 && sleep 20; sleep 0.3; echo 'Traceback (most recent call last):'; echo '  File \"a.py\", line 2, in f'; "
                  "echo 'RuntimeError: [gloo/transport/tcp/pair.cc:1] Timed out waiting 5000ms for recv operation to complete'; exit 1")
        place.run("sh", "-c", script, options=["--nproc-per-node", "2"])
        check("a timeout of one rank, whatever steps another reported", place.end()["cause"] == "collective_timeout" and
              place.end()["type"] == "RuntimeError", place.end())
    with Place() as place:
        ran = place.run("sh", "-c", "sleep 0.2; test $RANK = 1 && kill -9 $$; sleep 20", options=["--nproc-per-node", "3"])
        check("of several ranks the one that died first, and the others are ended", ran.returncode == 137 and b"rank 1 was the first" in ran.stderr and
              place.end()["ranks"] == [1] and "SIGKILL" in (shown(place)[1] or "") and "rank 1" in shown(place)[1], ran.stderr, place.end(), shown(place))
    with Place() as place:
        ran = place.run("sh", "-c", "echo $RANK $LOCAL_RANK $WORLD_SIZE $MASTER_ADDR; test $MASTER_PORT -gt 0", options=["--nproc-per-node", "2"])
        kept = [place.kept(f"output.rank{rank}.txt") for rank in range(2)]
        check("each rank is told its rank, and its output is kept", ran.returncode == 0 and kept == [b"0 0 2 127.0.0.1\n", b"1 1 2 127.0.0.1\n"], kept)
    with Place() as place:
        job = [subprocess.Popen(place.words("sh", "-c", "echo mine $OMPI_COMM_WORLD_RANK"), cwd=place.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**os.environ, "OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": "2"}) for rank in range(2)]
        codes = [(one.communicate(), one.returncode)[1] for one in job]
        check("processes that mpirun started join one run", codes == [0, 0] and [place.kept(f"rank{rank}/output.txt") for rank in range(2)] ==
              [b"mine 0\n", b"mine 1\n"] and shown(place)[1] in ("", None), codes, shown(place))


def pushes():
    with Place() as place:
        env = {**os.environ, "TSCOPE_STORE": os.path.join(place.path, "store")}
        env.pop("TSCOPE_SERVER", None)
        job = subprocess.Popen(place.words("sleep", "4", options=["--push=1", "--name", "seen"]), cwd=place.path, stderr=subprocess.PIPE, env=env)

        def state():
            ran = subprocess.run([TSCOPE, "list", "--json"], cwd=place.path, capture_output=True, env=env)
            return [row["values"]["state"] for row in json.loads(ran.stdout)["rows"]]
        while_it_goes = place.wait_for(lambda: "running" in str(state()))
        said = job.communicate(timeout=60)[1].decode()
        check("--push: the run is there while it goes on, and when it is over", while_it_goes and "the run is pushed" in said and "finished" in str(state()), said, state())
    with Place() as place:
        begun = time.monotonic()
        ran = place.run("sh", "-c", "sleep 1.2; exit 3", options=["--push=1", "--server", "unix:/no/such/socket"])
        check("--push to a server that is down: said once, at the end", ran.returncode == 3 and ran.stderr.count(b"not pushed") == 1 and
              time.monotonic() - begun < 30, ran.stderr)


def stored(place, *words):
    """Runs tscope on the store of the place, and returns what it printed."""
    env = {**os.environ, "TSCOPE_STORE": os.path.join(place.path, "store")}
    env.pop("TSCOPE_SERVER", None)
    ran = subprocess.run([TSCOPE, *words], cwd=place.path, capture_output=True, env=env, timeout=60)
    return ran.returncode, ran.stdout + (ran.stderr if ran.returncode else b"")


def printed():
    with Place() as place:
        place.run("sh", "-c", "printf 'one\\ntwo \\033[31mred\\033[0m\\n10%%\\r20%%\\nbell \\a\\n'; exit 3")
        shown_here = stored(place, "show", "./run", "--output")
        pushed = stored(place, "push", "run", "--name", "seen")
        there = stored(place, "show", "seen", "--output")
        check("what was printed is pushed with the run, and show has it", shown_here == there == (0, b"one\ntwo red\n20%\nbell \\x07\n"), shown_here, pushed, there)
        kept = json.loads(stored(place, "show", "seen", "--output", "--json")[1])["output"]
        check("and as JSON", [(one["name"], one["rank"]) for one in kept] == [("output.txt", 0)] and kept[0]["size_bytes"] == len(place.kept("output.txt")), kept)
        stored(place, "export", "seen", "back")
        stored(place, "push", "back", "--name", "again")
        seen, again = (json.loads(stored(place, "show", name, "--json")[1])["run"]["id"] for name in ("seen", "again"))
        with open(os.path.join(place.path, "back", "output.txt"), "rb") as file:
            check("export gives it back, and a push of that is the same run", file.read() == place.kept("output.txt") and seen == again)
    with Place() as place:
        place.run("sh", "-c", "echo kept", options=["--push", "--no-output", "--store", "store", "--name", "quiet"])
        left = stored(place, "show", "quiet", "--output")
        check("--no-output leaves it out", left[0] == 2 and b"no kept output" in left[1] and b"kept" not in stored(place, "show", "quiet")[1], left)
    with Place() as place:
        os.makedirs(os.path.join(place.path, "other"))
        with open(os.path.join(place.path, "other", "steps.jsonl"), "w", encoding="utf-8") as file:
            file.write('{"step": 0, "scalars": {"loss": 1.0}}\n')
        with open(os.path.join(place.path, "other", "output.txt"), "w", encoding="utf-8") as file:
            file.write("nobody asked\n")
        stored(place, "push", "other")
        check("an output.txt that tscope run did not write is nobody's to publish", stored(place, "show", "other", "--output")[0] == 2)
    with Place() as place:
        place.run("sh", "-c", "echo of $RANK", options=["--nproc-per-node", "3"])
        stored(place, "push", "run", "--name", "three")
        one, whole = stored(place, "show", "three", "--output", "--rank", "1"), stored(place, "show", "three", "--output")
        check("of several ranks, and of one", one == (0, b"of 1\n") and all(b"of %d\n" % rank in whole[1] and b"output.rank%d.txt" % rank in whole[1] for rank in range(3)), one, whole)
    with Place() as place:
        for variables in ({"OMPI_COMM_WORLD_RANK": "{}", "OMPI_COMM_WORLD_SIZE": "2"}, {"SLURM_PROCID": "{}", "SLURM_NTASKS": "2", "SLURM_JOB_ID": "7"}):
            folder = "mpi" if "SLURM_PROCID" not in variables else "slurm"
            jobs = [subprocess.Popen([TSCOPE, "run", "-q", "-d", folder, "--", "sh", "-c", f"echo mine {rank}"], cwd=place.path, stdout=subprocess.PIPE,
                                     env={**os.environ, **{key: text.format(rank) for key, text in variables.items()}}) for rank in range(2)]
            for job in jobs:
                job.communicate(timeout=WAIT)
            stored(place, "push", folder)
            told = [stored(place, "show", folder, "--output", "--rank", str(rank)) for rank in range(2)]
            check(f"of ranks under {folder}", told == [(0, b"mine 0\n"), (0, b"mine 1\n")], told)
    with Place() as place:
        place.run("sh", "-c", "yes 0123456789 | head -c 6000000; echo the end", options=["--log"])
        stored(place, "push", "run", "--name", "long")
        kept = json.loads(stored(place, "show", "long", "--output", "--json")[1])["output"][0]
        check("of a long log its last 4 MiB", 3 << 20 <= kept["size_bytes"] <= 4 << 20 and kept["text"].endswith("the end\n"), kept["size_bytes"])
    with Place() as place:
        script = "import sys, time\nprint('Traceback (most recent call last):\\n  File \"train.py\", line 12, in f\\nValueError: no such layer', flush=True)\ntime.sleep(30)\n"
        job = subprocess.Popen(place.words(sys.executable, "-c", script), cwd=place.path, stdout=subprocess.PIPE)
        job.stdout.readline()
        place.wait_for(lambda: b"ValueError" in place.kept("output.txt"))
        minder = children(job.pid)
        for pid in minder + [job.pid]:
            os.kill(pid, signal.SIGSTOP)
        for pid in minder + [job.pid]:
            for child in children(pid):
                if child not in minder:
                    os.kill(child, signal.SIGKILL)
        for pid in minder + [job.pid]:
            os.kill(pid, signal.SIGKILL)
        job.wait()
        job.stdout.close()
        check("where nobody saw the end, the last lines say it", "no such layer, at train.py:12" in (shown(place)[1] or ""), shown(place))


def hangs():
    options = ["--hang-after", "2", "--store", "store", "--push=1", "--name", "slow"]
    with Place() as place:
        job = subprocess.Popen(place.words(STEADY, "run", "60", "50", "30", options=options), cwd=place.path, stderr=subprocess.PIPE)
        begun = time.monotonic()
        said = place.wait_for(lambda: place.end()["state"] == "hung")
        took = time.monotonic() - begun
        sentence = shown(place)[1] or ""
        check(f"a run without a step hangs; said after {took:.0f} s", said and "hangs after step 29: no step for" in sentence and "(steady) sleeps" in sentence, place.end(), sentence)
        pushed = place.wait_for(lambda: b"hung" in stored(place, "list")[1])
        check("and list has it, as it is pushed", pushed and "hung" in json.loads(stored(place, "list", "state=hung", "--json")[1])["rows"][0]["values"]["state"], stored(place, "list"))
        for pid in descendants(job.pid):
            if named(pid) == "steady":
                os.kill(pid, signal.SIGUSR1)
        told = job.communicate(timeout=WAIT)[1]
        check("stderr has it meanwhile, with what the process waits in, and that it goes on",
              re.search(rb"tscope: it hangs: no step for [^\n]*\ntscope:     process \d+ \(steady\) sleeps[^\n]*\ntscope: it goes on: a step was made after ", told) is not None, told)
        check("once it goes on it hangs no more, and finishes", place.end()["state"] == "finished" and "message" not in place.end() and b"finished" in stored(place, "list")[1],
              place.end())
    with Place() as place:
        begun = time.monotonic()
        job = subprocess.Popen(place.words("sh", "-c", f"exec {STEADY} run 2000 50 $((RANK == 1 ? 30 : 100000))", options=["--hang-after", "2", "--nproc-per-node", "3", "--launcher", "own"]),
                               cwd=place.path, stderr=subprocess.PIPE)
        place.wait_for(lambda: time.monotonic() - begun > 3)
        apart = place.end()["state"]
        stopped = [pid for pid in descendants(job.pid) if named(pid) == "steady" and environment(pid, "RANK") != "1"]
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        said = place.wait_for(lambda: place.end()["state"] == "hung")
        message = place.end().get("message", "")
        check("of several ranks all have to stand, and the one that is behind comes first", apart == "running" and said and "rank 1 is behind, after step 29" in message and
              message.index("rank 1: process") < message.index("rank 0: process") and message.count("is stopped") == 2, apart, message)
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
        check("nor does the launcher stop with a process that SIGSTOP stops", state(job.pid) != "T", state(job.pid))
        job.terminate()
        told = job.communicate(timeout=WAIT)[1]
        check("and stderr has it, a line a rank", re.search(rb"it hangs: [^\n]*rank 1 is behind[^\n]*\ntscope:     rank 1: process[^\n]*\ntscope:     rank 0: process[^\n]*is stopped", told) is not None, told)
    with Place() as place:
        terminal = Terminal(place.words("sh", "-c", f"printf bar; exec {STEADY} run 60 50 30", options=["--hang-after", "2"]), place.path)
        check("of a terminal it begins at the left, below what was printed", terminal.until(b"bar\r\ntscope: it hangs: no step for ") and terminal.until(b"\r\ntscope:     process "), terminal.text)
        terminal.type(b"\x03")
        check("and keys still reach the command", terminal.end() == 130, terminal.text)
    with Place() as place:
        job = subprocess.Popen(place.words(STEADY, "run", "60", "50", "30", options=["-q", "--hang-after", "2"]), cwd=place.path, stderr=subprocess.PIPE)
        place.wait_for(lambda: place.end()["state"] == "hung")
        job.terminate()
        check("with --quiet nothing is said", job.communicate(timeout=WAIT)[1] == b"", place.end())
    with Place() as place:
        gone, there = os.pipe()
        fcntl.fcntl(there, fcntl.F_SETFL, os.O_NONBLOCK)
        try:
            while True:
                os.write(there, b"x" * 4096)
        except BlockingIOError:
            pass
        job = subprocess.Popen(place.words(STEADY, "run", "60", "50", "30", options=["--hang-after", "2", "--kill-hung"]), cwd=place.path, stderr=there)
        ended = place.wait_for(lambda: place.end()["state"] not in ("running", "hung"))
        check("stderr that nobody reads keeps nothing from being seen and ended", ended and "no step for" in place.end().get("hang", ""), place.end())
        os.set_blocking(gone, False)
        until = time.monotonic() + WAIT
        while job.poll() is None and time.monotonic() < until:
            try:
                os.read(gone, 65536)
            except BlockingIOError:
                time.sleep(0.02)
        check("and the launcher ends with it", job.poll() == 143, job.poll())
        os.close(gone), os.close(there)
    with Place() as place:
        ran = place.run(STEADY, "run", "60", "20", "30", options=["--hang-after", "2", "--kill-hung"])
        check("--kill-hung ends it, and says why", ran.returncode == 143 and "it hung: no step for" in (shown(place)[1] or "") and b"it hung" in ran.stderr, ran.returncode, shown(place), ran.stderr)
    with Place() as place:
        ran = place.run("sleep", "4", options=["--hang-after", "1"])
        check("what records no steps does not hang", ran.returncode == 0 and place.end()["state"] == "finished", place.end())


def machine():
    with Place() as place:
        place.run("sh", "-c", "sleep 3.5")
        rows = place.kept("machine.tscope").decode().splitlines()
        columns = rows[0].split(",")
        check("the machine is observed each second", len(rows) in (3, 4, 5) and columns[0] == "seconds" and all(row.count(",") == rows[0].count(",") for row in rows), rows)
        stored(place, "push", "run", "--name", "seen")
        told = json.loads(stored(place, "show", "seen", "--machine", "--json")[1])["machine"]
        known = {column["name"]: column for column in told["columns"] if column["known_count"]}
        with open("/proc/meminfo", encoding="utf-8") as file:
            total = 1024 * int(file.read().split()[1])
        check("and the observations are pushed; show has them", told["observation_count"] == len(rows) - 1 and set(columns) - {"seconds"} == {column["name"] for column in told["columns"]} and
              0 < known["memory_bytes"]["most"] <= known["memory_limit_bytes"]["most"] <= total and known["cpu_quota_cores"]["most"] <= os.cpu_count() and
              0 <= known["cpu_cores"]["most"] <= os.cpu_count() * 1.1, told)
        check("in words, too", b"cpu quota cores" in stored(place, "show", "seen", "--machine")[1])
        stored(place, "push", "run", "--name", "quiet", "--no-output")
        check("also where the output is left out", stored(place, "show", "quiet", "--machine")[0] == 0 and stored(place, "show", "quiet", "--output")[0] == 2)
    with Place() as place:
        job = subprocess.Popen(place.words("sh", "-c", "sleep 30"), cwd=place.path, stderr=subprocess.PIPE)
        place.wait_for(lambda: len(place.kept("machine.tscope").splitlines()) > 2)
        steward = [pid for pid in children(job.pid) if not [1 for child in children(pid) if named(child) == "sleep" or named(child) == "sh"]]
        for pid in steward:
            os.kill(pid, signal.SIGKILL)
        job.terminate()
        job.communicate(timeout=WAIT)
        check("where the process that looks is killed, the run ends as ever", steward and job.returncode == 143 and place.end()["state"] == "killed", steward, job.returncode)


FORKS = """
import os, time
parent = os.getpid()
for _ in range(2):
    if os.getpid() == parent and os.fork() == 0:
        break
until = time.monotonic() + 4.5
while time.monotonic() < until:
    time.sleep(0.01 if os.getpid() == parent else 0)
"""


def processes():
    with Place() as place:
        place.run(sys.executable, "-c", FORKS)
        names, *rows = [line.split(",") for line in place.kept("machine.tscope").decode().splitlines()]
        last = dict(zip(names, rows[-2]))
        check("what the training's processes take: those that it forked are workers, which have all", last["processes"] == "3" and last["workers"] == "2" and
              0.05 < float(last["worker_cores"]) <= 1.1 and float(last["busiest_cores"]) < 0.5 and 2 * float(last["worker_cores"]) <= float(last["job_cores"]) * 1.1 + 0.05 and
              float(last["job_memory_bytes"]) > 1 << 20 and float(last["workers_blocked"]) <= 1, last)
        ready = [row[names.index("threads_ready")] for row in rows]
        check("how many threads could run is asked now and then", 1 <= sum(map(bool, ready)) < len(rows) and max(float(value) for value in ready if value) <= 3, ready)
    with Place() as place:
        place.run("sh", "-c", "(sleep 3; true) & sleep 3.2; true")
        names, *rows = [line.split(",") for line in place.kept("machine.tscope").decode().splitlines()]
        check("what a shell starts is no worker", [row[names.index("workers")] for row in rows] == ["0"] * len(rows), rows)


def observed(fake, does, seconds="4.2"):
    """Runs a command beside a library of tests/launch/fake_gpu.c. Returns how it ended, and each column of GPUs with its values, "" where it is not known."""
    with Place() as place:
        began = time.monotonic()
        env = {**os.environ, "LD_LIBRARY_PATH": os.path.join(BUILD, f"fake_{fake}"), "FAKE_GPU": does}
        ran = place.run("sh", "-c", f"sleep {seconds}; echo out", env=env)
        took, stray = time.monotonic() - began, [name for name in os.listdir(place.path) if name != "run"]
        check("no process stays behind", place.wait_for(lambda: not living_in(place.path)), living_in(place.path))
        columns, names, uneven = {}, [], []
        for line in place.kept("machine.tscope").decode().splitlines():
            cells = line.split(",")
            if cells[0] == "seconds":
                names = cells
                continue
            uneven += [line] if len(cells) != len(names) else []
            for name, cell in zip(names, cells):
                columns.setdefault(name, []).append(cell)
        stored(place, "push", "run", "--name", "seen")
        told = json.loads(stored(place, "show", "seen", "--machine", "--json")[1])["machine"]["columns"]
        check("show knows all columns", {column["name"] for column in told} == set(columns) - {"seconds"}, set(columns) ^ {column["name"] for column in told})
        sound = not uneven and ran.returncode == 0 and ran.stdout == b"out\n" and b"noise" not in ran.stderr and not stray and took < float(seconds) + 4 and columns["cpu_cores"][-1] != ""
        return sound, {name: values for name, values in columns.items() if name.startswith("gpu")}, stored(place, "show", "seen", "--machine")[1].decode()


def gpus():
    """By libraries that only have the names of those of drivers (fake_gpu.c)."""
    def is_all(values, *expected):
        known = [float(value) for value in values if value]
        return len(known) >= 2 and any(abs(known[-1] - value) <= 0.006 * value for value in expected)

    sound, seen, said = observed("nvidia", "print xid")
    expected = {"busy": 0.97, "memory_busy": 0.4, "memory_bytes": 20 << 30, "memory_limit_bytes": 80 << 30, "sm_clock_mhz": 1980, "sm_clock_limit_mhz": 1980, "memory_clock_mhz": 2619,
                "power_w": 650, "power_limit_w": 700, "power_default_w": 700, "temperature_c": 55, "throttled_by_power": 0, "throttled_by_heat": 0, "throttled_by_others": 0, "pcie_received_bytes_per_s": 5e6,
                "pcie_sent_bytes_per_s": 1e6, "ecc_corrected": 0, "ecc_uncorrected": 0, "xid": 0}
    check("NVML: what each GPU does is observed", sound and all(is_all(seen[f"gpu0_{name}"], value) for name, value in expected.items()), sound, seen)
    slower = {"memory_busy": 0.2, "sm_clock_mhz": 1410, "power_w": (302, 301), "power_limit_w": 300, "temperature_c": 86, "throttled_by_power": 1, "throttled_by_heat": 1, "throttled_by_others": 0}
    check("and that the second is held", all(is_all(seen[f"gpu1_{name}"], *(value if isinstance(value, tuple) else (value,))) for name, value in slower.items()), seen)
    rates = [float(value) for value in seen["gpu0_nvlink_sent_bytes_per_s"] if value]
    check("NVLink: the rate of a counter of KiB, over a second", rates and all(0.7 * 1024e6 < rate < 1.3 * 1024e6 for rate in rates), rates)
    check("ECC: what is new", set(seen["gpu1_ecc_corrected"]) <= {"", "2", "4"} and "2" in seen["gpu1_ecc_corrected"] and "0" in seen["gpu0_ecc_corrected"], seen["gpu1_ecc_corrected"])
    check("an Xid is of its GPU and its moment", [value for value in seen["gpu1_xid"] if value not in ("", "0")] == ["79"] and set(seen["gpu0_xid"]) <= {"", "0"}, seen["gpu1_xid"])
    check("show says it with units", all(word in said for word in ("gpu1 power limit", "300 W", "1980 MHz", "86 C", "gpu0 busy", "97 %")), said)
    sound, seen, _ = observed("nvidia", "lack")
    check("what a driver lacks is not known, and is no zero", sound and not any(seen["gpu0_pcie_sent_bytes_per_s"] + seen["gpu0_nvlink_sent_bytes_per_s"] + seen["gpu1_ecc_corrected"]) and
          is_all(seen["gpu0_busy"], 0.97), sound, seen)
    sound, seen, _ = observed("nvidia", "nonsense")
    check("what cannot be is not known", sound and not any(seen["gpu0_busy"] + seen["gpu0_memory_bytes"] + seen["gpu0_sm_clock_mhz"] + seen["gpu0_temperature_c"]) and
          is_all(seen["gpu0_power_w"], 650), sound, seen)
    for does in ("hang-init", "crash-init", "none"):
        sound, seen, _ = observed("nvidia", does + " print", "2.2")
        check(f"NVML, {does}: the training sees nothing of it", sound and not seen, sound, seen)
    for does in ("hang-look", "crash-look", "exit-look"):
        sound, seen, _ = observed("nvidia", does, "2.2")
        check(f"NVML, {does}: the training sees nothing of it", sound and not any(cell for cells in seen.values() for cell in cells), sound, seen)
    for does in ("", "old"):
        sound, seen, _ = observed("rocm", does)
        expected = {"gpu0_busy": 0.99, "gpu1_busy": 0.5, "gpu0_memory_bytes": 30 << 30, "gpu0_memory_limit_bytes": 192 << 30, "gpu0_sm_clock_mhz": 2100, "gpu1_sm_clock_mhz": 132,
                    "gpu1_sm_clock_limit_mhz": 2100, "gpu0_memory_clock_mhz": 1300, "gpu0_power_w": 700, "gpu1_power_limit_w": 750, "gpu1_power_default_w": 1000, "gpu1_temperature_c": 91, "gpu1_ecc_corrected": 0}
        check(f"ROCm SMI {does}: what each GPU does is observed", sound and all(is_all(seen[name], value) for name, value in expected.items()), sound, seen)
        check("and what it does not say is not known", not any(seen["gpu0_xid"] + seen["gpu0_throttled_by_heat"] + seen["gpu0_pcie_sent_bytes_per_s"]), seen)
    with Place() as place:
        shutil.copy(TSCOPE, os.path.join(place.path, "tscope"))
        env = {**os.environ, "LD_LIBRARY_PATH": os.path.join(BUILD, "fake_nvidia")}
        ran = subprocess.run(["./tscope", "run", "-d", "run", "--", "sleep", "2.2"], cwd=place.path, capture_output=True, env=env, timeout=60)
        check("a program that was copied alone records no GPU, and all else", ran.returncode == 0 and b"gpu0" not in place.kept("machine.tscope"), ran)
    sound, seen, _ = observed("rocm", "nonsense")
    check("what cannot be is not known there either", sound and not any(seen["gpu0_busy"] + seen["gpu0_memory_bytes"] + seen["gpu0_sm_clock_mhz"]) and is_all(seen["gpu0_power_w"], 700), sound, seen)
    for does in ("hang-init", "crash-look"):
        sound, seen, _ = observed("rocm", does, "2.2")
        check(f"ROCm SMI, {does}: the training sees nothing of it", sound and not any(cell for cells in seen.values() for cell in cells), sound, seen)


def machine_rules():
    """What is observed of machines is found by analyze: of one rank, and of several on one machine."""
    def table(heat):
        rows = "".join(f"{second},1980,{heat},1,88,0.02\n" for second in range(1, 101))
        return "seconds,gpu0_sm_clock_limit_mhz,gpu0_throttled_by_heat,gpu0_busy,gpu0_temperature_c,cpu_steal\n" + rows

    def launched(folder, text):
        with open(os.path.join(folder, "launch.json"), "w", encoding="utf-8") as file:
            json.dump({"format": 1, "session": {"launch": {"by": "tscope run", "end": {"state": "finished"}}}}, file)
        with open(os.path.join(folder, "machine.tscope"), "w", encoding="utf-8") as file:
            file.write(text)

    for ranks in (1, 2):
        for heat in (0, 0.25):
            with Place() as place:
                folder = os.path.join(place.path, "run")
                for rank in range(ranks):
                    at = folder if ranks == 1 else os.path.join(folder, f"rank{rank}")
                    os.makedirs(at)
                    with open(os.path.join(at, "steps.jsonl"), "w", encoding="utf-8") as file:
                        file.write("".join(f'{{"step": {step}, "phases": {{"forward": 0.1}}}}\n' for step in range(20)))
                launched(folder, table(heat))
                stored(place, "push", "run", "--name", "seen")
                answer = json.loads(stored(place, "analyze", "seen", "--json")[1])
                said = {finding["code"]: finding for finding in answer["findings"] if finding["code"].startswith("MACHINE.")}
                expected = {"MACHINE.GPU_THROTTLED"} if heat else set()
                check(f"analyze: {ranks} ranks, held by heat for {heat} of the time", set(said) == expected and
                      (not heat or "GPU 0 was held by heat for 25 %" in said["MACHINE.GPU_THROTTLED"]["detail"]), said, answer["unchecked"] if "unchecked" in answer else "")
                text = stored(place, "analyze", "seen")[1].decode()
                check("and its report has the machine", "MACHINE" in text and "88 C" in text and ("held by heat" in text) == bool(heat), text)
    with Place() as place:
        folder, began = os.path.join(place.path, "run"), 1.7e9
        os.makedirs(folder)
        with open(os.path.join(folder, "steps.jsonl"), "w", encoding="utf-8") as file:
            file.write("".join(f'{{"step": {step}, "timestamp": {began + (step + 1) / 2}, "phases": {{"forward": 0.5}}}}\n' for step in range(400)))
        launched(folder, "seconds,machine_cores,machine_cores_all,job_cores,cpu_waiting\n" +
                 "".join(f"{second},{4 if second > 160 else 1},4,0.9,{0.6 if second > 160 else 0.01}\n" for second in range(1, 201)))
        with open(os.path.join(folder, "launch.json"), "w", encoding="utf-8") as file:
            json.dump({"format": 1, "session": {"launch": {"by": "tscope run", "began": began, "end": {"state": "finished"}}}}, file)
        stored(place, "push", "run", "--name", "late")
        found = ["MACHINE.NEIGHBOURS" in [finding["code"] for finding in json.loads(stored(place, "analyze", "late", "--json", *more)[1])["findings"]]
                 for more in ((), ("--warmup", "330"), ("--warmup", "100"))]
        check("others that came late are found in the steps that they were there for, and not in the whole", found == [False, True, False], found)
    with Place() as place:
        for name, watts in (("base", 400), ("same", 400), ("slow", 300)):
            folder = os.path.join(place.path, name)
            os.makedirs(folder)
            with open(os.path.join(folder, "steps.jsonl"), "w", encoding="utf-8") as file:
                file.write("".join(f'{{"step": {step}, "phases": {{"forward": {0.1 * 400 / watts}}}}}\n' for step in range(200)))
            launched(folder, "seconds,gpu0_power_limit_w,gpu0_busy\n" + "".join(f"{second},{watts},0.9\n" for second in range(1, 41)))
            stored(place, "push", name, "--name", name)
        told = {name: json.loads(stored(place, "diff", "base", name, "--json")[1]) for name in ("same", "slow")}
        text = stored(place, "diff", "base", "slow")[1].decode()
        check("diff says in what the machines differ, as what may explain a time", told["slow"].get("machines") == "limit of power of GPUs 300 W against 400 W" and
              told["same"].get("machines") is None and "This may explain" in " ".join(text.split()), told["slow"].get("machines"), told["same"].get("machines"), text[-900:])
        for number in range(6):
            os.rename(os.path.join(place.path, "same" if number == 0 else f"same{number - 1}"), os.path.join(place.path, f"same{number}"))
            with open(os.path.join(place.path, f"same{number}", "steps.jsonl"), "w", encoding="utf-8") as file:
                file.write("".join(f'{{"step": {step}, "phases": {{"forward": {0.1 + number * 1e-5}}}}}\n' for step in range(200)))
            stored(place, "push", f"same{number}", "--name", f"same{number}", "--branch", "main")
        ended, said = stored(place, "gate", "slow", "--baseline", "main")
        check("gate says it, too, behind where the time went", ended != 0 and b"limit of power of GPUs 300 W against 400 W" in b" ".join(said.split()) and b"proves nothing" in b" ".join(said.split()), ended, said)
        slow = os.path.join(place.path, "slow")
        for number in range(6, 18):
            with open(os.path.join(slow if number >= 12 else os.path.join(place.path, "same5"), "steps.jsonl"), "w", encoding="utf-8") as file:
                file.write("".join(f'{{"step": {step}, "phases": {{"forward": {(0.133 if number >= 12 else 0.1) + number * 1e-5}}}}}\n' for step in range(200)))
            stored(place, "push", "slow" if number >= 12 else "same5", "--name", f"later{number}", "--branch", "main")
        trend = json.loads(stored(place, "trend", "main", "--json")[1])
        text = b" ".join(stored(place, "trend", "main")[1].split())
        check("trend says it of the change", [change["machines"] for change in trend["changes"]] == ["limit of power of GPUs 300 W against 400 W"] and
              b"limit of power of GPUs 300 W against 400 W. This may explain it, and proves nothing" in text, trend["changes"], text)
    with Place() as place:
        os.makedirs(os.path.join(place.path, "run"))
        with open(os.path.join(place.path, "run", "steps.jsonl"), "w", encoding="utf-8") as file:
            file.write('{"step": 1, "phases": {"forward": 0.1}}\n')
        launched(os.path.join(place.path, "run"), "no table\n")
        stored(place, "push", "run", "--name", "seen")
        ended, said = stored(place, "analyze", "seen")
        check("a table that is none is said, and the rest is analyzed", ended == 0 and b"no table of observations" in said, ended, said)


def lost():
    """Takes more than a minute, as that is after how long a run is lost."""
    with Place() as place:
        os.makedirs(os.path.join(place.path, "run"))
        with open(os.path.join(place.path, "run", "steps.jsonl"), "w", encoding="utf-8") as file:
            file.write("".join(f'{{"step": {step}, "scalars": {{"loss": 1.0}}}}\n' for step in range(9)))
        for name, launch in (("pushed", {"push_every": 1}), ("by_hand", {})):
            with open(os.path.join(place.path, "run", "facts.json"), "w", encoding="utf-8") as file:
                json.dump({"format": 1, "session": {"end": {"state": "running"}, "launch": launch}}, file)
            stored(place, "push", "run", "--name", name)

        def states():
            rows = json.loads(stored(place, "list", "--columns", "state", "--json")[1])["rows"]
            return {row["name"].split("/")[-1]: row["values"]["state"] for row in rows}
        before = states()
        time.sleep(62)
        said = stored(place, "show", "pushed")[1]
        name = json.loads(stored(place, "show", "pushed", "--json")[1])["run"]["id"]
        by_id = [stored(place, verb, name)[1] for verb in ("show", "analyze")]
        check("also of its id", all(b"Nothing was heard of the run" in text for text in by_id), by_id)
        listed = stored(place, "list", f"id={name[:12]}*", "--columns", "name,state")[1]
        check("and in a list of that id", b"pushed  lost" in listed, listed)
        check("nothing heard for a minute of a run that --push pushed: it is lost, and one that was pushed by hand is not",
              before == {"pushed": "running", "by_hand": "running"} and states() == {"pushed": "lost", "by_hand": "running"} and
              b"Nothing was heard of the run" in said and b"Nothing was heard" in stored(place, "analyze", "pushed")[1] and
              b"pushed" in stored(place, "list", "state=lost")[1] and b"still went on" in stored(place, "show", "by_hand")[1], before, states(), said)


def descendants(pid):
    found = []
    for child in children(pid):
        found += [child, *descendants(child)]
    return found


def living_in(folder):
    """The processes whose working directory is this."""
    living = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{name}/cwd") == folder:
                living.append(int(name))
        except OSError:
            pass
    return living


def named(pid):
    with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
        return file.read().strip()


def state(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rsplit(")", 1)[1].split()[0]


def environment(pid, name):
    with open(f"/proc/{pid}/environ", "rb") as file:
        return dict(pair.split("=", 1) for pair in file.read().decode().split("\0") if "=" in pair).get(name)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        return [int(word) for word in file.read().split()]


CHECKS = (what_ended, pushes, printed, hangs, machine, processes, gpus, machine_rules, lost, exit_codes, deaths, passed_on, cannot, twice, bytes_through, files, broken_pipe, left_behind, terminal, interrupts, closes, suspends, debugger,
          launcher_killed, disk_full)


def main():
    for what in CHECKS:
        if len(sys.argv) < 3 or what.__name__ in sys.argv[2:]:
            what()
    print(f"{len(failed)} checks do not hold")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
