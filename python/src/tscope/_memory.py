"""Samples of memory, in bytes: of the device by its allocator, and of the process."""

import sys
from typing import Any, Callable

from tscope._recorder import resident


def sampler(reset_peaks: bool) -> Callable[[Any], None]:
    """Returns what samples memory into a run. Peaks are set back only where every step is sampled: programs read them, too."""
    state = {"statm": True}

    def sample(run: Any) -> None:
        try:
            if state["statm"]:
                run.memory(rss=resident())
        except OSError:
            state["statm"] = False
        torch = sys.modules.get("torch")
        if torch is None:
            return
        if torch.cuda.is_initialized():
            stats = torch.cuda.memory_stats()
            run.memory(
                alloc=stats.get("allocated_bytes.all.current", 0),
                reserved=stats.get("reserved_bytes.all.current", 0),
                peak_alloc=stats.get("allocated_bytes.all.peak", 0),
                peak_reserved=stats.get("reserved_bytes.all.peak", 0),
            )
            if reset_peaks:
                torch.cuda.reset_peak_memory_stats()
        elif sys.platform == "darwin" and torch.backends.mps.is_available():
            run.memory(alloc=torch.mps.current_allocated_memory(), reserved=torch.mps.driver_allocated_memory())

    return sample
