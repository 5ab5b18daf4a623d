"""sketches.tscope (docs/sketches.md): frames of sketches, which a thread of its own writes, so that no step waits for a disk."""

import os
import queue
import struct
import threading
from typing import Any, Callable, Optional

from tscope._recorder import crc32c

Row = tuple[dict[str, Any], Optional[bytes]]  # what a tensor is, and its sketch; None: another module gave it
NAME = "sketches.tscope"
KINDS = ("output", "grad", "param_grad", "update")
TYPES = ("", "float64", "float32", "tf32", "bfloat16", "float16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
MAGIC = b"tssketch" + struct.pack("<2I", 1, 0)
SHARD, IDLE, NONFINITE = 1, 2, 4
_HEAD = struct.Struct("<4B2H")
_STATE = struct.Struct("=257d2Q")
_FRAME = 4 << 20  # bytes after which a step goes on in another frame
_WAITING = 64 << 20  # bytes that may wait for a disk; a step beyond is dropped
_PATIENCE = 5.0  # seconds that the end of a run waits for the disk


def tensor(head: dict[str, Any], made: Optional[bytes]) -> bytes:
    """Returns a tensor as a frame holds it.

    >>> len(tensor({"name": "fc", "kind": "output", "dtype": "float32"}, bytes(2072)))
    2074
    """
    name: bytes = head["name"].encode()
    same: bytes = head.get("same", "").encode()
    kind = KINDS.index(head["kind"])
    dtype = TYPES.index(head["dtype"]) if head.get("dtype") in TYPES else 0
    flags = SHARD * bool(head.get("shard")) | IDLE * bool(head.get("idle"))
    if made is None:
        return _HEAD.pack(kind, dtype, flags, 0, len(name), len(same)) + name + same
    *sums, squares, count, nonfinite = _STATE.unpack(made)
    numbers = struct.pack("<Qd", count, squares) + (struct.pack("<Q", nonfinite) if nonfinite else b"")
    flags |= NONFINITE * bool(nonfinite)
    return _HEAD.pack(kind, dtype, flags, 0, len(name), 0) + name + numbers + struct.pack("<256d", *sums)


def frames(step: int, rows: list[Row]) -> bytes:
    """Returns the frames of a step.

    >>> len(frames(3, [({"name": "drop", "kind": "output", "same": "fc"}, None)]))
    30
    """
    out, payload = b"", struct.pack("<q", step)
    for i, row in enumerate(rows):
        payload += tensor(*row)
        if len(payload) >= _FRAME or i == len(rows) - 1:
            length = struct.pack("<I", len(payload))
            out += length + struct.pack("<I", crc32c(length + payload)) + payload
            payload = struct.pack("<q", step)
    return out


class SketchFile:
    """The file of a rank, which a thread makes when the first step comes. Steps that the disk is too slow for are dropped and counted;
    an error ends it, and is said once by `cannot`."""

    def __init__(self, path: str, cannot: Callable[[str], None]) -> None:
        self.path, self.cannot = path, cannot
        self.dropped = 0
        self.failed = False
        self.pid = os.getpid()
        self._waiting = 0  # bytes
        self._lock = threading.Lock()
        self._steps: queue.SimpleQueue[Optional[tuple[int, list[Row], int]]] = queue.SimpleQueue()
        self._thread: Optional[threading.Thread] = None
        self._file: Optional[int] = None

    def put(self, step: int, rows: list[Row]) -> None:
        """Hands a step to the thread, and returns at once."""
        if not rows or self.failed or os.getpid() != self.pid:
            return
        size = sum(2200 if made else 100 for _, made in rows)
        with self._lock:
            if self._waiting + size > _WAITING:
                self.dropped += 1
                return
            self._waiting += size
        if self._thread is None:
            self._thread = threading.Thread(target=self._write_all, name="tscope-sketches", daemon=True)
            self._thread.start()
        self._steps.put((step, rows, size))

    def _write_all(self) -> None:
        while True:
            item = self._steps.get()
            if item is None:
                break
            step, rows, size = item
            try:
                if not self.failed:
                    self._write(frames(step, rows))
            except OSError as error:
                self.failed = True
                self.cannot(f"sketches: {self.path}: {error.strerror}; no more of them are recorded")
            except Exception as error:
                self.cannot(f"the sketches of step {step}: {type(error).__name__}: {error}")
            finally:
                with self._lock:
                    self._waiting -= size
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _write(self, text: bytes) -> None:
        """Appends frames, by one write where the system takes all: what it took outlives the process."""
        if self._file is None:
            self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o666)
            text = MAGIC + text
        while text:
            text = text[os.write(self._file, text) :]

    def close(self) -> None:
        """Waits for what is handed over, but not for a disk that hangs, and says what was dropped."""
        thread, self._thread = self._thread, None
        if thread is not None and os.getpid() == self.pid:
            self._steps.put(None)
            thread.join(_PATIENCE)
            if thread.is_alive():
                self.cannot(f"sketches: {self.path}: the disk does not answer, and the last of them may be lost")
        self.failed = True
        if self.dropped:
            self.cannot(f"sketches: {self.path}: the disk was too slow for {self.dropped} steps, which are left out")
