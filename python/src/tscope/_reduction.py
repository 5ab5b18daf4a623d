"""The reduction of gradients by DistributedDataParallel: how long it takes, and how much of that training waits for.

The hook of DDP is called when a bucket of gradients is full on this rank, and the future that it returns is done when the sum of all
ranks is there: waiting for slower ranks is in that time. The region `comm overlapped` is what of it lies before the end of the backward
pass on this rank, and the phase `comm` what lies behind, for which training waits. Both are of the host's clock: with a backend whose
future is done as soon as its work is queued (NCCL) they say how long queueing took, and are not recorded.
"""

import contextlib
import functools
import gc
import threading
from typing import Any, Callable

from tscope._numbers import device_of
from tscope._ranks import distributed
from tscope._recorder import now_ns, reduce
from tscope._run import Run

_OWN = "the program gave DDP a communication hook, so the time of its reduction is not seen"


class Reduction:
    """The communication hook of one DDP: it does what DDP does without one, to the bit, and tells a run how long that took."""

    def __init__(self, run: Run, ddp: Any, is_open: Callable[[], bool]) -> None:
        import torch
        from torch.autograd import Variable

        self.run, self.is_open = run, is_open
        self.ddp: Any = ddp
        self.other: Any = None  # (state, hook) which the program registered later; ours is called first and then hands over
        self._queue = Variable._execution_engine.queue_callback
        self._in_backward = getattr(torch._C, "_current_graph_task_id", lambda: -1)
        self._future = torch.futures.Future
        self._part = 1.0 / ddp.process_group.size()
        self._reduce = ddp.reducer._run_allreduce_hook
        self._lock = threading.Lock()  # futures end in a thread of the backend
        self._recorded = self._ends = False
        self._forget()

    def _forget(self) -> None:
        self._pending = 0
        self._busy_since = 0  # when the reduction had something to do again
        self._overlapped = 0
        self._computed = 0  # when the backward pass of this rank ended
        self._reduced = 0  # when the last sum that was waited for was there
        self._given: dict[int, tuple[Any, Any]] = {}  # by the place of a bucket, what DDP waits for and its buffer
        self._failed: Any = None  # the future of the bucket that could not be reduced

    # --- a bucket: `reduce`, which is in C and has no frame in the traceback of what a reduction raises, calls before and after ---

    def before(self, bucket: Any) -> Callable[[Any], Any]:
        """A bucket is full. Returns what reduces it. Without a hook DDP divides gradients while it copies them; here the hook does."""
        if self.other is not None:
            state, hook = self.other
            return functools.partial(hook, state)
        self._begin(bucket)
        buffer = bucket.buffer()
        if buffer.is_sparse:
            buffer.div_(self.ddp.process_group.size())
        else:
            buffer.mul_(self._part)
        return self._reduce  # type: ignore[no-any-return]

    def _begin(self, bucket: Any) -> None:
        now = now_ns()
        with self._lock:
            if bucket.index() == 0:
                self._forget()  # of a backward pass that raised
                self._recorded = self.run.enabled and self.is_open()
                self._ends = self._in_backward() != -1
            self._pending += 1
            self._busy_since = self._busy_since or now
        if bucket.is_last() and self._ends:
            self._queue(self._end_of_backward)

    def after(self, bucket: Any, future: Any) -> Any:
        """The reduction of a bucket is under way. Returns the future that DDP waits for.

        What is chained to a future that fails fails with another text, which names us. So DDP's future never does: the backward pass
        ends with what the reduction raised, behind DDP's own last callback. Buckets that are still being reduced are not awaited then.
        """
        if self.other is not None:
            return future
        if not self._ends:  # DDP.join, whose reduction is of no backward pass
            return future.then(_first)
        given = self._future()
        with self._lock:
            if self._failed is None:
                self._given[bucket.index()] = given, bucket.buffer()
            else:
                given.set_result(bucket.buffer())
        future.add_done_callback(functools.partial(self._done, bucket.index()))
        return given

    def _done(self, place: int, future: Any) -> None:
        now = now_ns()
        try:
            failed, result = None, future.value()[0]
        except Exception:
            failed, result = future, None
        with self._lock:
            found = self._given.pop(place, None)
            done = [] if found is None else [(found[0], result if failed is None else found[1])]
            if failed is not None:
                self._failed = self._failed or failed
                done.extend(self._given.values())
                self._given.clear()
            self._pending = max(self._pending - 1, 0)
            if self._pending == 0:
                if self._computed:
                    self._reduced = now
                elif self._busy_since:
                    self._overlapped += now - self._busy_since
                self._busy_since = 0
        for given, buffer in done:
            given.set_result(buffer)

    def _end_of_backward(self) -> None:
        """The gradients of this rank are computed. DDP's own callback, which waits for the sums, comes next, and then ours."""
        self._queue(self._end_of_reduction)
        now = now_ns()
        with self._lock:
            self._computed = now
            if self._pending:
                self._overlapped += now - self._busy_since
            else:
                self._reduced = now
            if self._recorded:
                self.run._end_region("comm overlapped", now - self._overlapped)

    def _end_of_reduction(self) -> None:
        """DDP has the sums, or one of them could not be had. The thread that says so may come after us: then it is at most now."""
        with self._lock:
            failed, self._failed = self._failed, None
            if self._recorded:
                self.run._add_ns("comm", (self._reduced or now_ns()) - self._computed)
        if failed is not None:
            self._queue(failed.value)

    # --- what the program may do with the hooks of DDP afterwards: it has one, and thinks that it has none ---

    def register_comm_hook(self, state: object, hook: Callable[..., Any]) -> None:
        """Takes the place of DDP's method: the program's hook is called from now on."""
        self.ddp._check_comm_hook(hook)
        if self.other is not None:
            raise RuntimeError("register_comm_hook or register_builtin_comm_hook can only be called once.")
        self.ddp.logger._set_comm_hook_name(hook.__qualname__)
        self.ddp._comm_hooks.append((hook, state))
        self.other = (state, hook)
        self.run._cannot(_OWN)

    def _register_builtin_comm_hook(self, kind: Any) -> None:
        from torch.distributed.algorithms.ddp_comm_hooks import default_hooks

        halves = "FP16" in str(kind)
        self.register_comm_hook(self.ddp.process_group, default_hooks.fp16_compress_hook if halves else default_hooks.allreduce_hook)

    def __deepcopy__(self, memo: Any) -> None:
        return None

    def __reduce__(self) -> Any:
        return _none, ()


def _first(future: Any) -> Any:
    return future.value()[0]


def _none() -> None:
    """Returns what a copy of a DDP has of its hook: nothing."""


def _why_not(ddp: Any) -> str:
    """Returns why a reduction is left alone, or "" where it may be hooked."""
    size = ddp.process_group.size()
    if ddp._comm_hooks:
        return _OWN
    if getattr(ddp, "_use_python_reducer", False):
        return "DDP is compiled, so the time of its reduction is not seen"
    if not getattr(ddp, "_divide_by_initial_world_size", True):
        return "DDP divides by the ranks that have not joined, so the time of its reduction is not seen"
    if ddp.gradient_as_bucket_view and size & (size - 1):
        # x / 3 and x * (1 / 3) differ, and from here cannot be told which of them DDP does.
        return f"DDP keeps gradients as views of buckets on {size} ranks, so the time of its reduction is not seen"
    if device_of(ddp) != "cpu":
        return "the gradients of DDP lie on a device, whose clock would be needed, so the time of its reduction is not seen"
    return ""


def attach(run: Run, ddp: Any, is_open: Callable[[], bool]) -> None:
    """Has the reduction of a DDP recorded into a run; where that is not possible, it is said."""
    import torch.distributed as dist

    known = ddp.__dict__.get("register_comm_hook")
    known = getattr(known, "__self__", None)
    if isinstance(known, Reduction) and known.other is None:
        known.run, known.is_open = run, is_open
        return
    why = _why_not(ddp)
    if why:
        run._cannot(why)
        return
    reduction = Reduction(run, ddp, is_open)
    try:
        dist._register_comm_hook(ddp.reducer, reduction, reduce)
    except RuntimeError:  # a builtin hook, of which DDP keeps no list
        run._cannot(_OWN)
        return
    ddp.__dict__["register_comm_hook"] = reduction.register_comm_hook
    ddp.__dict__["_register_builtin_comm_hook"] = reduction._register_builtin_comm_hook


def _around(model: Any, kind: type) -> Any:
    """Returns the DDP that holds a model which is called without it, or None. Looks at all that is alive, so it is asked once; at
    types, since what stands for something else (a proxy, torch.distributed.reduce_op) warns or fails when it is asked for its class."""
    return next((found for found in gc.get_objects() if issubclass(type(found), kind) and found.module is model), None)


def _promise(run: Run, ddp: Any) -> None:
    """Records that all ranks hold copies of one model, which DDP keeps equal: all of its parameters, over all ranks, and no hook of the
    program's communicates otherwise."""
    import torch.distributed as dist

    if ddp.process_group.size() == dist.get_world_size() > 1 and not ddp._comm_hooks and not ddp.parameters_to_ignore:
        run.facts({"session": {"replicas": "DistributedDataParallel"}})


def look_for(run: Run, model: Any, is_open: Callable[[], bool]) -> Callable[[], None]:
    """Attaches to the DDP that is the model or wraps it, at its first forward: what the program does with it before comes first.

    Returns what takes the search back.
    """
    group = distributed()
    if group is None:
        return lambda: None
    from torch.nn.modules.module import register_module_forward_pre_hook
    from torch.nn.parallel import DistributedDataParallel

    def look(module: Any, _: Any) -> None:
        called = isinstance(module, DistributedDataParallel) and (module is model or module.module is model)
        if not called and module is not model:
            return
        handle.remove()
        with contextlib.suppress(Exception):
            ddp = module if called else _around(model, DistributedDataParallel)
            if ddp is not None:
                _promise(run, ddp)
            if called:
                attach(run, ddp, is_open)

    handle = register_module_forward_pre_hook(look)
    return handle.remove  # type: ignore[no-any-return]
