#!/usr/bin/env python3
"""Records, profiles and snapshots a small real training on one device, and prints what holds.

    check.py FOLDER [--device cuda|cpu] [--program TSCOPE]
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import time
import traceback
from dataclasses import dataclass, field
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "python", "tests")]
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # before CUDA begins: what deterministic algorithms ask for

import costs  # noqa: E402
import harmless  # noqa: E402
import sums  # noqa: E402
import torch  # noqa: E402
import windows  # noqa: E402
from table import Table  # noqa: E402
from tscope._facts import version  # noqa: E402

PARTS = (
    harmless.control, harmless.synchronizations, harmless.no_wait_is_allowed, harmless.bit_for_bit, harmless.phases, harmless.peaks,
    sums.digests, sums.sketches, windows.trace, windows.snapshot, costs.steps, costs.passes,
    harmless.nothing_is_missing,
)


@dataclass
class Context:
    """What each part is given: where to record, on which device, who reads traces and snapshots, the table, and the runs so far."""

    folder: str
    device: str
    program: str
    table: Any
    runs: list = field(default_factory=list)

    def synchronize(self):
        """Waits for the device."""
        if self.device == "cuda":
            torch.cuda.synchronize()

    def say(self, text):
        """Says something beside the table."""
        print(text, flush=True)


def driver():
    """Returns the version of the driver, as nvidia-smi says it."""
    try:
        words = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        return subprocess.run(words, capture_output=True, text=True, timeout=30).stdout.split("\n")[0].strip() or "not known"
    except (OSError, subprocess.SubprocessError):
        return "not known"


def heading(device):
    """Says on what all of it was measured."""
    if device == "cuda":
        properties = torch.cuda.get_device_properties(0)
        capability = f"{properties.major}.{properties.minor}"
        print(f"device   {properties.name}, {properties.total_memory / 2**30:,.0f} GiB, capability {capability}")
        print(f"driver   {driver()}, CUDA {torch.version.cuda}")
    else:
        print(f"device   none: a rehearsal on the host, {platform.machine()}")
    print(f"torch    {torch.__version__}, Python {platform.python_version()}, tscope {version()}")


def main(words=None):
    p = argparse.ArgumentParser()
    p.add_argument("folder")
    p.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    p.add_argument("--program", default="")
    args = p.parse_args(words)
    folder = os.path.join(os.path.abspath(args.folder), "runs")
    shutil.rmtree(folder, ignore_errors=True)
    begin = time.monotonic()
    if args.device == "cpu":
        torch.set_num_threads(1)  # a rehearsal is beside other tests
    heading(args.device)
    context = Context(folder, args.device, args.program and os.path.abspath(args.program), Table(args.device))
    for part in PARTS:
        at = time.monotonic()
        try:
            part(context)
        except Exception:
            traceback.print_exc()
            context.table.must(f"{part.__module__}.{part.__name__} ends", "an exception", "none", False)
        context.say(f"  {part.__module__}.{part.__name__}: {time.monotonic() - at:.1f} s")
    print(context.table.text())
    print(f"{context.table.wrong} of {len(context.table.rows)} rows do not hold; {time.monotonic() - begin:.0f} s")
    return 1 if context.table.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
