"""Facts of the host that trains, as `tscope facts` collects them (ingest/host/host.c): git, CI, SLURM, GPUs, environment."""

import hashlib
import os
import re
import shlex
import socket
import subprocess
import sys
import time
from typing import Any, Optional

_LIMIT_S = 5
_PATCH_MOST = 1 << 20
# A test compares these lists with those of ingest/host/host.c.
CI = (
    "CI GITHUB_ACTIONS GITHUB_REPOSITORY GITHUB_REF GITHUB_SHA GITHUB_RUN_ID GITHUB_RUN_NUMBER GITHUB_RUN_ATTEMPT GITHUB_WORKFLOW"
    " GITHUB_JOB GITHUB_EVENT_NAME CI_PIPELINE_ID CI_JOB_ID CI_JOB_NAME CI_COMMIT_SHA CI_COMMIT_REF_NAME CI_PROJECT_PATH BUILD_ID"
    " BUILD_NUMBER JOB_NAME BUILDKITE_BUILD_ID CIRCLE_BUILD_NUM"
).split()
SLURM = (
    "SLURM_JOB_ID SLURM_JOB_NAME SLURM_JOB_PARTITION SLURM_JOB_NODELIST SLURM_JOB_NUM_NODES SLURM_NTASKS SLURM_CLUSTER_NAME"
    " SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID SLURM_RESTART_COUNT SLURM_GPUS SLURM_GPUS_ON_NODE"
).split()
DETERMINISM = (
    "PYTHONHASHSEED CUBLAS_WORKSPACE_CONFIG OMP_NUM_THREADS MKL_NUM_THREADS MKL_CBWR CUDA_LAUNCH_BLOCKING CUDA_VISIBLE_DEVICES"
    " NVIDIA_TF32_OVERRIDE TORCH_ALLOW_TF32_CUBLAS_OVERRIDE PYTORCH_CUDA_ALLOC_CONF TF_DETERMINISTIC_OPS TF_CUDNN_DETERMINISTIC"
    " XLA_FLAGS FLASH_ATTENTION_DETERMINISTIC NCCL_ALGO NCCL_PROTO NCCL_MIN_NCHANNELS NCCL_MAX_NCHANNELS NCCL_NTHREADS NCCL_BUFFSIZE"
    " NCCL_NVLS_ENABLE NCCL_COLLNET_ENABLE NCCL_IB_DISABLE NCCL_P2P_DISABLE NCCL_SHM_DISABLE NCCL_CROSS_NIC NCCL_SOCKET_IFNAME"
    " NCCL_TOPO_FILE"
).split()
# Launchers' own, which say where a rank lies.
_TOPOLOGY = ("LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "NODE_RANK", "SLURM_NODEID", "SLURM_LOCALID")
_SECRET = re.compile(r"(pass(word|wd)?|token|secret|(api|access|private)[_-]?key|credential|auth)", re.I)


def _run(*words: str) -> Optional[bytes]:
    """Returns what a program printed, or None if it is missing, failed or took too long."""
    try:
        return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=_LIMIT_S, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None


def _ask(*words: str) -> str:
    out = _run(*words)
    try:
        return out.decode("utf-8").strip() if out else ""
    except UnicodeDecodeError:
        return ""


def _git(at: str, patch: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    git = ("git", "-C", at)
    head = _ask(*git, "rev-parse", "--verify", "HEAD")
    if not re.fullmatch("[0-9a-f]{40,64}", head):
        return {}, {}
    code: dict[str, Any] = {"commit": head, "branch": _ask(*git, "symbolic-ref", "--short", "-q", "HEAD")}
    code["ancestors"] = "\n".join(_ask(*git, "rev-list", "--max-count=201", "HEAD").split("\n")[1:])
    shallow = _ask(*git, "rev-parse", "--is-shallow-repository")
    if shallow in ("true", "false"):
        code["shallow"] = shallow == "true"
    session: dict[str, Any] = {"directory": _ask(*git, "rev-parse", "--show-prefix").rstrip("/")}
    how = ("-c", "core.fsmonitor=false", "diff", "--binary", "--no-ext-diff", "--no-textconv", "--no-color", "--no-relative", "HEAD")
    diff = _run(*git, *how)
    if diff is not None:
        code["dirty"] = bool(diff)
    if diff:
        code["patch_sha256"] = hashlib.sha256(diff).hexdigest()
        if patch and len(diff) <= _PATCH_MOST and b"\0" not in diff and not _SECRET.search(diff.decode("utf-8", "replace")):
            session["patch"] = diff.decode("utf-8", "replace")
    return code, session


def _gpus() -> dict[str, Any]:
    text = _ask("nvidia-smi", "--query-gpu=name,uuid,driver_version,memory.total", "--format=csv,noheader,nounits")
    gpus = []
    for line in text.splitlines():
        fields = [field.strip() for field in line.split(",")]
        gpu: dict[str, Any] = dict(zip(("name", "uuid", "driver"), fields))
        if len(fields) == 4 and fields[3].isdigit():
            gpu["memory"] = int(fields[3]) << 20
        gpus.append(gpu)
    if not gpus:
        return {}
    return {"gpus": gpus, "gpu_topology": re.sub(r"\x1b\[[^A-Za-z]*[A-Za-z]", "", _ask("nvidia-smi", "topo", "-m")).strip()}


def _environment(names: Any) -> dict[str, str]:
    return {name: os.environ[name] for name in names if os.environ.get(name)}


def _file(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except (OSError, ValueError):
        return ""


def _container() -> str:
    """Returns the kind of container that this process runs in: of its marks, or of its control group."""
    if os.path.exists("/.dockerenv"):
        return "docker"
    if os.path.exists("/run/.containerenv"):
        return "podman"
    for name in ("APPTAINER_CONTAINER", "SINGULARITY_CONTAINER"):
        if os.environ.get(name):
            return "apptainer"
    if os.environ.get("KUBERNETES_SERVICE_HOST"):
        return "kubernetes"
    return os.environ.get("container", "")


def _command() -> dict[str, Any]:
    """Returns the command line. What stands behind a word that looks secret is left out."""
    words = list(getattr(sys, "orig_argv", None) or [sys.executable, *sys.argv])
    for i, word in enumerate(words):
        key, equals, _ = word.partition("=")
        if equals and _SECRET.search(key):
            words[i] = f"{key}=<redacted>"
        elif word.startswith("-") and _SECRET.search(word) and i + 1 < len(words):
            words[i + 1] = "<redacted>"
    return {"command": shlex.join(words)}


def _without_empty(group: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in group.items() if value not in ("", {}, [], None)}


def facts(patch: bool) -> dict[str, Any]:
    """Returns the facts of this host, in groups; what cannot be found out is absent.

    >>> "collected_at" in facts(patch=False)["session"]
    True
    """
    code, session = _git(os.getcwd(), patch)
    session.update(
        _command(),
        host=socket.gethostname(),
        boot_id=_file("/proc/sys/kernel/random/boot_id"),
        collected_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        container=_container(),
        ci=_environment(CI),
        slurm=_environment(SLURM),
        topology=_environment(_TOPOLOGY),
    )
    groups = {"code": code, "session": session, "determinism": {"env": _environment(DETERMINISM)}, "hardware": _gpus()}
    return _without_empty({name: _without_empty(group) for name, group in groups.items()})
