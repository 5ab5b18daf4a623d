"""What makes two runs comparable: facts that are recorded without asking, in the groups of facts.json (docs/run-directory.md)."""

import contextlib
import json
import os
import platform
import random
import shlex
import sys
from typing import Any, Callable

from tscope import _needs, _sweeps
from tscope._paths import program_of
from tscope._ranks import distributed
from tscope._recorder import digest_bytes, host_facts
from tscope._say import say

# Libraries whose versions change what is computed; only those that the program has imported are named.
_LIBRARIES = (
    "torch torchvision torchaudio numpy transformers accelerate lightning pytorch_lightning deepspeed jax jaxlib flax triton"
    " flash_attn xformers bitsandbytes peft datasets tokenizers apex transformer_engine"
).split()


GROUPS = frozenset("code config seeds determinism libraries hardware parallelism data lineage work session columns other".split())


def checked(facts: Any) -> Any:
    """Returns facts whose groups are those of facts.json, and raises ValueError for others.

    >>> checked({"seeds": {"torch": 1}})
    {'seeds': {'torch': 1}}
    """
    wrong = [str(name) for name in facts if name not in GROUPS]
    if wrong:
        raise ValueError(f"{wrong[0]!r} is no group of facts; the groups are {', '.join(sorted(GROUPS))}")
    return facts


def merge(below: Any, above: Any) -> Any:
    """Returns two trees of facts as one; where both say something, the second counts.

    >>> merge({"seeds": {"torch": 1}}, {"seeds": {"torch": 2, "data": 3}})
    {'seeds': {'torch': 2, 'data': 3}}
    """
    if not isinstance(below, dict) or not isinstance(above, dict):
        return above
    return {key: merge(below[key], above[key]) if key in below and key in above else above.get(key, below.get(key))
            for key in (*below, *(key for key in above if key not in below))}


def _hex(data: bytes) -> str:
    return f"{digest_bytes(data):016x}"


def _generators() -> dict[str, str]:
    """Returns the digests of the states of the generators of random numbers that the program has."""
    found = {"python": _hex(repr(random.getstate()).encode())}
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None:
        with contextlib.suppress(Exception):
            state = numpy.random.get_state(legacy=False)
            found["numpy"] = _hex(repr((state["bit_generator"], state["state"]["key"].tobytes(), state["state"]["pos"])).encode())
    if torch is not None:
        with contextlib.suppress(Exception):
            found["torch"] = _hex(torch.get_rng_state().numpy().tobytes())
        with contextlib.suppress(Exception):
            if torch.cuda.is_initialized():
                found["cuda"] = _hex(torch.cuda.get_rng_state().numpy().tobytes())
    return found


def _libraries() -> dict[str, str]:
    found = {"python": platform.python_version(), "tscope": version()}
    for name in _LIBRARIES:
        text = getattr(sys.modules.get(name), "__version__", None)
        if isinstance(text, str):
            found[name] = text
    torch = sys.modules.get("torch")
    if torch is not None:
        with contextlib.suppress(Exception):
            if torch.version.cuda:
                found["cuda"] = torch.version.cuda
            if getattr(torch.version, "hip", None):
                found["rocm"] = torch.version.hip
        with contextlib.suppress(Exception):
            if torch.backends.cudnn.version():
                found["cudnn"] = str(torch.backends.cudnn.version())
        with contextlib.suppress(Exception):
            if torch.cuda.is_initialized():
                found["nccl"] = ".".join(map(str, torch.cuda.nccl.version()))
    return found


def version() -> str:
    """Returns the version of this package.

    >>> version().split(".")[0].isdigit()
    True
    """
    from importlib import metadata

    try:
        return metadata.version("tscope-ml")
    except metadata.PackageNotFoundError:
        return ""


def determinism(torch: Any) -> dict[str, Any]:
    """Returns the flags that decide which kernels run, and with how many bits.

    >>> import torch
    >>> determinism(torch)["use_deterministic_algorithms"]
    False
    """
    asked: dict[str, Callable[[], Any]] = {
        "use_deterministic_algorithms": torch.are_deterministic_algorithms_enabled,
        "deterministic_warn_only": torch.is_deterministic_algorithms_warn_only_enabled,
        "cudnn_deterministic": lambda: torch.backends.cudnn.deterministic,
        "cudnn_benchmark": lambda: torch.backends.cudnn.benchmark,
        "cudnn_allow_tf32": lambda: torch.backends.cudnn.allow_tf32,
        "matmul_allow_tf32": lambda: torch.backends.cuda.matmul.allow_tf32,
        "matmul_fp16_reduced_precision_reduction": lambda: torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction,
        "matmul_bf16_reduced_precision_reduction": lambda: torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction,
        "float32_matmul_precision": torch.get_float32_matmul_precision,
        "flash_sdp": torch.backends.cuda.flash_sdp_enabled,
        "mem_efficient_sdp": torch.backends.cuda.mem_efficient_sdp_enabled,
        "math_sdp": torch.backends.cuda.math_sdp_enabled,
        "cudnn_sdp": lambda: torch.backends.cuda.cudnn_sdp_enabled(),
        "cudnn_enabled": lambda: torch.backends.cudnn.enabled,
        "mkldnn_enabled": lambda: torch.backends.mkldnn.enabled,
        "fp32_precision": lambda: torch.backends.fp32_precision,
        "matmul_fp32_precision": lambda: torch.backends.cuda.matmul.fp32_precision,
        "cudnn_conv_fp32_precision": lambda: torch.backends.cudnn.conv.fp32_precision,
        "cudnn_rnn_fp32_precision": lambda: torch.backends.cudnn.rnn.fp32_precision,
        **(_of_cuda(torch) if torch.cuda.is_initialized() else {}),
        "anomaly_mode": torch.is_anomaly_enabled,
        "num_threads": torch.get_num_threads,
        "default_dtype": lambda: str(torch.get_default_dtype()),
    }
    found = {}
    for name, ask in asked.items():
        with contextlib.suppress(Exception):
            value = ask()
            if isinstance(value, (bool, int, str)):
                found[name] = value
    return found


def _of_cuda(torch: Any) -> dict[str, Callable[[], Any]]:
    """Returns what to ask where the program uses CUDA: by how much memory and by which library kernels are chosen."""
    cuda, cudnn = torch.backends.cuda, torch.backends.cudnn
    return {
        "cublas_workspace_size": lambda: cuda.cublas_workspace_size(),
        "cublaslt_workspace_size": lambda: cuda.cublaslt_workspace_size(),
        "cudnn_benchmark_limit": lambda: cudnn.benchmark_limit,
        "blas_library": lambda: cuda.preferred_blas_library().name,
        "linalg_library": lambda: cuda.preferred_linalg_library().name,
    }


def _devices(torch: Any) -> dict[str, Any]:
    """Returns what torch says of its devices. A program that has not begun to use CUDA is not made to by this."""
    if not torch.cuda.is_initialized():
        return {}
    found = []
    for i in range(torch.cuda.device_count()):
        device = torch.cuda.get_device_properties(i)
        found.append({"name": device.name, "memory": device.total_memory, "capability": f"{device.major}.{device.minor}"})
    return {"cuda_available": True, "gpu": found[0]["name"] if found else "", "gpu_count": len(found), "gpus": found}


def _seeds(torch: Any) -> dict[str, int]:
    seeds = {"torch": torch.initial_seed()}
    if torch.cuda.is_initialized():
        seeds["cuda"] = torch.cuda.initial_seed()
    return {name: seed for name, seed in seeds.items() if isinstance(seed, int)}


def _parallelism(torch: Any) -> dict[str, Any]:
    """Returns what the ranks talk by. Whoever asks has torch.distributed begin nothing."""
    group = distributed()
    return {"backend": str(group.get_backend())} if group else {}


def _place(torch: Any) -> dict[str, Any]:
    """Returns where this rank works: on which of the devices that it sees."""
    return {"device": f"cuda:{torch.cuda.current_device()}"} if torch.cuda.is_initialized() else {}


def of_torch() -> dict[str, Any]:
    """Returns what torch says, or {} without it. Flags may be set after a run began, so it is asked twice."""
    torch = sys.modules.get("torch")
    if torch is None:
        return {}
    groups: dict[str, Any] = {"libraries": _libraries()}
    for name, ask in (("determinism", determinism), ("hardware", _devices), ("seeds", _seeds),
                      ("parallelism", _parallelism), ("session", _place)):
        with contextlib.suppress(Exception):
            groups[name] = ask(torch)
    return groups


def _here() -> dict[str, Any]:
    return {
        "libraries": _libraries(),
        "hardware": {
            "platform": platform.platform(),
            "machine": platform.machine(),
            "processor": platform.processor() or _processor(),
            "cpu_count": os.cpu_count(),
        },
        "session": {"generators": _generators(), "program": program_of(sys.argv)},
    }


def _processor() -> str:
    with contextlib.suppress(OSError, ValueError), open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return ""


def of_host(patch: bool) -> dict[str, Any]:
    """Returns the facts of this host, by the code of `tscope facts`: git, CI, SLURM, launcher, container, GPUs, environment, command.

    >>> "collected_at" in of_host(patch=False)["session"]
    True
    """
    words = list(getattr(sys, "orig_argv", None) or [sys.executable, *sys.argv])
    command = shlex.join(words).encode("utf-8", "replace").decode("utf-8").replace("\0", "?")
    text, why_not = host_facts(os.getcwd(), command, patch)
    if why_not:
        say(f"the patch is left out, and only its digest is recorded: {why_not}")
    return {name: group for name, group in json.loads(text).items() if name in GROUPS}


def at_start(patch: bool) -> dict[str, Any]:
    """Returns the facts that are known when a run begins; one that cannot be found out is absent, and nothing is raised.

    >>> at_start(patch=False)["libraries"]["python"].count(".")
    2
    """
    found: dict[str, Any] = {}
    for part in (_here, _needs.at_start, _sweeps.at_start, of_torch, lambda: of_host(patch)):
        with contextlib.suppress(Exception):
            found = merge(found, part())
    return found
