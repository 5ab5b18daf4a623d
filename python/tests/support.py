"""What the tests of the package share: a folder for a test, and a reader of recordings that checks every byte which has a sum."""

import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

import tscope
from tscope import _recording

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


def check_sums(path):
    """Fails where the header, a chunk or a frame of a recording has a wrong CRC. Returns how many frames there are."""
    with open(path, "rb") as file:
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

    def start(self, *args, **kwargs):
        run = tscope.start(*(args or ("runs/exp1",)), **kwargs)
        self.addCleanup(run.finish)
        return run

    def read(self, directory="runs/exp1"):
        path = os.path.join(directory, "recording.tscope")
        check_sums(path)
        return _recording.read(path)

    def ranks(self, n, text, *words, **environment):
        """Runs a script in n processes, as a launcher would, and returns what each printed."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        common = {**os.environ, "WORLD_SIZE": str(n), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "OMP_NUM_THREADS": "1"}
        started = [
            subprocess.Popen(
                [sys.executable, "-c", text, *words],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                env={**common, "RANK": str(rank), "LOCAL_RANK": str(rank), **environment},
            )
            for rank in range(n)
        ]
        said = [process.communicate()[0] for process in started]
        self.assertEqual([process.returncode for process in started], [0] * n, "\n".join(said))
        return said

    def script(self, text, *, expect=0, words=(), **environment):
        """Runs a script in the folder, and returns what it printed."""
        done = subprocess.run([sys.executable, "-c", text, *words], capture_output=True, text=True, env={**os.environ, **environment})
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done.stdout + done.stderr
