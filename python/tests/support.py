"""What the tests of the package share: a folder for a test, and a reader of recordings that checks every byte which has a sum."""

import contextlib
import fcntl
import functools
import io
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import unittest
import warnings

import tscope
from tscope import _digests, _patches, _recording

_TABLE = []
for _byte in range(256):
    _crc = _byte
    for _ in range(8):
        _crc = _crc >> 1 ^ (0x82F63B78 if _crc & 1 else 0)
    _TABLE.append(_crc)


def crc32c(data):
    """Returns the CRC-32C of bytes, a byte at a time."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


def samples(row):
    """Returns how many samples a step drew, and which: a stream of bits, as docs/digests.md has it; (0, []) of a step that has none."""
    words = []
    while f"digests.samples_{len(words)}" in row:
        words.append(row[f"digests.samples_{len(words)}"])
    if not words:
        return 0, []
    stream = "".join(f"{word:064b}"[::-1] for word in words)
    n, width = int(stream[:16][::-1], 2), int(stream[16:22][::-1], 2)
    return n, [int(stream[at : at + width][::-1], 2) for at in range(22, len(stream) - width + 1, width)][: min(n, 128)]


def check_sums(path):
    """Fails where the header, a chunk or a frame of a recording has a wrong CRC. Returns how many frames there are."""
    with open(path, "rb") as file:
        if not tscope._run._open:
            fcntl.lockf(file, fcntl.LOCK_SH, 1)  # a program that was killed leaves its keeper, which may write still
        data = file.read()
    assert struct.unpack_from("<I", data, 124)[0] == crc32c(data[:124]), "header"
    frames = 0
    for at in range(0, len(data), 65536):
        head = at + (128 if at == 0 else 0)
        if data[head : head + 4] != b"CHNK":
            continue
        assert struct.unpack_from("<I", data, head + 4)[0] == crc32c(data[head + 8 : head + 32]), f"chunk at {at}"
        for _, frame in _recording._frames(data[at : at + 65536], head + 32 - at):
            assert struct.unpack_from("<I", frame, 4)[0] == crc32c(frame[:4] + frame[8:]), "frame"
            frames += 1
    return frames


LEAVES = """
import atexit, os, sys
atexit._run_exitfuncs()
sys.stdout.flush()
sys.stderr.flush()
os._exit(0)
"""


class Case(unittest.TestCase):
    """A test in a folder of its own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tscope-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        launched = ("RANK", "WORLD_SIZE", "SLURM_PROCID", "SLURM_NTASKS", "MASTER_PORT")
        variables = {name: os.environ.pop(name) for name in launched if name in os.environ}
        self.addCleanup(os.environ.update, variables)
        self.addCleanup(self.finish_all)

    def finish_all(self):
        """Ends the runs that a test left open. Fails where a patch of theirs stays, which the next test would see."""
        for run in list(tscope._run._open):
            run.finish()
        self.assertEqual(list(_patches._layers), [])

    def start(self, *args, **kwargs):
        run = tscope.start(*(args or ("runs/exp1",)), **kwargs)
        self.addCleanup(run.finish)
        return run

    def synced(self):
        """Waits until what was recorded is in the files."""
        for run in list(tscope._run._open):
            self.assertTrue(run._sync(60000))

    def facts(self, directory="runs/exp1"):
        self.synced()
        with open(os.path.join(directory, "facts.json"), encoding="utf-8") as file:
            return json.load(file)

    def read(self, directory="runs/exp1"):
        self.synced()
        path = os.path.join(directory, "recording.tscope")
        check_sums(path)
        return _recording.read(path)

    def ranks(self, n, text, *words, expect=None, **environment):
        """Runs a script in n processes, as a launcher would, and returns what each printed.

        Each leaves before torch is torn down, where gloo's threads now and then abort a program that has ended, with or without us.
        """
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        common = {**os.environ, "WORLD_SIZE": str(n), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "OMP_NUM_THREADS": "1"}
        started = [
            subprocess.Popen(
                [sys.executable, "-c", text + LEAVES, *words],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                env={**common, "RANK": str(rank), "LOCAL_RANK": str(rank), **environment},
            )
            for rank in range(n)
        ]
        said = [process.communicate()[0] for process in started]
        self.assertEqual([process.returncode for process in started], list(expect or [0] * n), "\n".join(said))
        return said

    def assert_batches(self, recording, fed, first=0, every=1):
        """Fails where the digest of a step is not that of the batches which it was fed: a list of batches for each step."""
        for step, batches in enumerate(fed, first):
            digests = [_digests.of_batch(batch) for batch in batches]
            expected = functools.reduce(lambda x, y: (x * 0x9E3779B97F4A7C15 + y) % 2**64, digests)
            found = recording.steps[step].get("digests.batch")
            self.assertEqual(found, expected if step % every == 0 else None, step)

    def script(self, text, *, expect=0, words=(), **environment):
        """Runs a script in the folder, and returns what it printed."""
        done = subprocess.run([sys.executable, "-c", text, *words], capture_output=True, text=True, env={**os.environ, **environment})
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done.stdout + done.stderr


class Frameworks(Case):
    """Tests of integrations, which train with the real library."""

    program = os.environ.get("TSCOPE_PROGRAM", "")

    def quietly(self, function):
        """Calls a function, and returns what was printed."""
        with io.StringIO() as said, contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function()
            return said.getvalue()

    def digest(self, model):
        """Returns what tells the parameters of two models apart, to the bit."""
        import torch

        return [bytes(p.detach().contiguous().view(torch.uint8).numpy()) for p in model.parameters()]

    def broken(self, besides=()):
        """Returns a run on which everything raises that an integration calls, besides some."""

        def fails(*args, **kwargs):
            raise RuntimeError("the recording is broken")

        calls = "begin_step end_step log amount facts checkpoint resumed_from event watch _end_region".split()
        run = type("Broken", (tscope.Run,), {name: fails for name in calls if name not in besides})()
        run.enabled = True
        self.addCleanup(setattr, run, "enabled", False)
        return run

    def check_resume(self, name, *directories, expect=(0, "The run resumed correctly")):
        """Asks tscope, if it is there, whether a run resumed rightly: it finds the parent itself."""
        if not self.program:
            return
        for words in (*(["push", at] for at in directories), ["check-resume", name]):
            done = subprocess.run([self.program, *words], capture_output=True, text=True, env={**os.environ, "HOME": self.folder})
            self.assertEqual(done.returncode, expect[0] if words[0] == "check-resume" else 0, done.stdout + done.stderr)
        self.assertTrue(done.stdout.startswith(expect[1]), done.stdout)

    def example(self, word, names):
        """Runs the indented block of the README in which a word stands."""
        path = os.environ.get("TSCOPE_README")
        if not path:
            self.skipTest("TSCOPE_README names no README.md")
        with open(path, encoding="utf-8") as file:
            blocks = re.findall(r"(?m)(?:^    .*\n)+", file.read())
        (block,) = [block for block in blocks if word in block]
        exec(re.sub(r"(?m)^    ", "", block), names)
