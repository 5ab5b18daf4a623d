"""Which rank of how many this process is, and what is known of the others."""

import os
import sys
from typing import Any, Optional

# The variables of launchers, in the order in which they are believed: torchrun, SLURM, Open MPI.
_RANKS = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK")
_WORLDS = ("WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE")
# What one job's processes have in common, and another job's have not.
_JOB = ("TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "SLURM_JOB_ID", "SLURM_RESTART_COUNT", "MASTER_ADDR", "MASTER_PORT")


def _number(names: tuple[str, ...]) -> Optional[int]:
    for name in names:
        text = os.environ.get(name, "")
        if text.isascii() and text.isdigit():
            return int(text)
    return None


def distributed() -> Any:
    """Returns torch.distributed if the program has initialised it, else None; it is never imported here."""
    module = sys.modules.get("torch.distributed")
    try:
        return module if module and module.is_available() and module.is_initialized() else None
    except Exception:
        return None


def here(rank: Optional[int], world_size: Optional[int]) -> tuple[int, int]:
    """Returns rank and world size: as given, else of torch.distributed, else of the environment, else 0 and 1."""
    group = distributed() if rank is None or world_size is None else None
    if rank is None:
        rank = group.get_rank() if group else _number(_RANKS)
    if world_size is None:
        world_size = group.get_world_size() if group else _number(_WORLDS)
    rank = rank or 0
    return rank, max(world_size or 1, rank + 1 if world_size is None else 1)


def job() -> str:
    """Returns a word that all processes of this job share; empty if it is one process or nothing tells."""
    return ",".join(f"{name}={os.environ[name]}" for name in _JOB if name in os.environ)
