"""Sketches every so many steps: of modules' outputs, of the gradients of these, and of the gradients and updates of parameters."""

import contextlib
import fnmatch
import functools
import os
import weakref
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

from tscope import _recording
from tscope._names import name_of
from tscope._numbers import Cannot
from tscope._shards import is_counted, is_dtensor, place_of
from tscope._sketch_file import NAME, SketchFile
from tscope._sketches import difference, elements, packed, sketched, squares_of

if TYPE_CHECKING:
    from tscope._run import Run

Place = tuple[Iterable[int], Iterable[int]]  # of a shard: the shape of the whole, and where it begins in each dimension
Shards = Union[None, Mapping[str, Place], Callable[[str, str, Any], Optional[Place]]]

Row = tuple[dict[str, Any], Any, int]  # what a tensor is, its sketch (None: that of another), how many elements

def first_floating(value: Any) -> Any:
    """Returns the first tensor of floating point among what a module gave, or None.

    >>> first_floating({"loss": None, "hidden": [1, 2]}) is None
    True
    """
    if hasattr(value, "is_floating_point"):
        return value if value.is_floating_point() else None
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
    for part in parts:
        found = first_floating(part)
        if found is not None:
            return found
    return None


def in_tf32(torch: Any) -> bool:
    """Whether matrix products of float32 are computed in TF32 on CUDA.

    >>> import torch
    >>> in_tf32(torch)
    False
    """
    matmul = torch.backends.cuda.matmul
    try:
        return bool(matmul.fp32_precision == "tf32")  # once a program has set this, torch raises where the older name is asked
    except AttributeError:  # torch before 2.9
        return bool(matmul.allow_tf32)


class Given:
    """The tensors that modules gave in a forward pass, none of which it keeps alive: a container gives what its last module gave, and
    dropout that is off gives its input."""

    def __init__(self) -> None:
        self.names: dict[int, tuple[Any, int, str]] = {}  # by address: the tensor, its version, and who gave it

    def by(self, tensor: Any) -> Optional[str]:
        """Returns the module that gave the tensor as it is, or None."""
        found = self.names.get(id(tensor))
        return found[2] if found and found[0]() is tensor and found[1] == tensor._version else None

    def add(self, name: str, tensor: Any) -> None:
        """Remembers who gave a tensor."""
        self.names[id(tensor)] = (weakref.ref(tensor), tensor._version, name)


class Sample:
    """The sketches of one step, in the order of execution; those of a device are copied aside together."""

    def __init__(self, sketching: "Sketching", step: int) -> None:
        self.sketching, self.step = sketching, step
        self.rows: list[Row] = []
        self.closed = False

    def add(self, name: str, kind: str, tensor: Any) -> None:
        """Sketches a tensor."""
        if not self.closed:
            self.take(name, kind, tensor, self.sketching.sketch_of(name, kind, tensor))

    def take(self, name: str, kind: str, tensor: Any, made: Any) -> None:
        """Takes the sketch of a tensor."""
        if is_dtensor(tensor) and not is_counted(tensor):
            return
        head: dict[str, Any] = {"name": name, "kind": kind, "dtype": self.sketching.dtype_of(tensor)}
        if self.sketching.place(name, kind, tensor) is not None:
            head["shard"] = True
        self.rows.append((head, made, elements(tensor)))

    def repeat(self, name: str, same: str, idle: bool) -> None:
        """A module gave what another one had given."""
        if not self.closed:
            head = {"name": name, "kind": "output", "same": same}
            self.rows.append(({**head, "idle": True} if idle else head, None, 0))

    def close(self) -> None:
        """Has the sketches recorded, when they have arrived."""
        if self.closed:
            return
        self.closed = True
        waiting: dict[Any, list[int]] = {}
        for i, (_, made, _) in enumerate(self.rows):
            if made is not None and not isinstance(made, bytes):
                waiting.setdefault(made.device, []).append(i)
        left = len(waiting)
        if not left:
            self.sketching.write(self.step, self.rows)
            return
        import torch

        def arrived(places: list[int], all_numbers: list[list[float]]) -> None:
            nonlocal left
            for i, found in zip(places, all_numbers):
                head, _, count = self.rows[i]
                self.rows[i] = (head, packed(found, count), count)
            left -= 1
            if not left:
                self.sketching.write(self.step, self.rows)

        for places in waiting.values():
            stack = torch.stack([self.rows[i][1] for i in places])
            self.sketching.run._arrivals.words(stack, functools.partial(arrived, places))


class Sketching:
    """What a run sketches. Between two steps that are sketched, one hook of the model looks at the number of the step."""

    def __init__(
        self,
        run: "Run",
        model: Any,
        optimizer: Any,
        every: int,
        modules: Optional[Iterable[str]],
        shards: Shards,
        perturb: Union[bool, float],
    ) -> None:
        self.run, self.model, self.optimizer, self.every = run, model, optimizer, max(int(every), 1)
        self.wanted = None if modules is None else [modules] if isinstance(modules, str) else list(modules)
        self.shards = shards
        self.sample: Optional[Sample] = None
        self.inside = 0  # forwards of the whole model that are open
        self.given = Given()
        self.before: dict[str, Any] = {}  # sketches of parameters before the optimizer's step
        self.hooks: list[Any] = []
        self.fine: list[Any] = []  # hooks of modules, while a step is sketched
        self.whole: Any = None  # what is done behind the forward of the whole model then
        self.file = SketchFile(os.path.join(os.path.dirname(_recording.at(run.directory, run.rank, run.world_size)), NAME), run._cannot)
        self.hooks.append(model.register_forward_pre_hook(self.before_forward))
        try:
            self.hooks.append(model.register_forward_hook(self.after_forward, always_call=True))
        except TypeError:  # torch before 2.1: a forward that raises is put right by the next optimizer's step
            self.hooks.append(model.register_forward_hook(self.after_forward))
        if optimizer is not None:
            self.hooks.append(optimizer.register_step_pre_hook(self.before_optimizer))
            self.hooks.append(optimizer.register_step_post_hook(self.after_optimizer))
        run.facts({"work": {"sketches_every": self.every}})
        if perturb:
            from tscope._perturb import Perturbing

            self.hooks.append(Perturbing(model, perturb, lambda size: run.facts({"work": {"perturbation": size}})))

    # --- which and how ---

    def chosen(self, name: str) -> bool:
        """Whether the modules and parameters of this name are sketched."""
        return self.wanted is None or any(fnmatch.fnmatchcase(name, pattern) for pattern in self.wanted)

    def place(self, name: str, kind: str, tensor: Any) -> Optional[Place]:
        """Where a shard lies in its whole; None: the tensor is the whole. A DTensor says so itself."""
        if is_dtensor(tensor):
            return place_of(tensor)
        if self.shards is None:
            return None
        return self.shards(name, kind, tensor) if callable(self.shards) else self.shards.get(name)

    def sketch_of(self, name: str, kind: str, tensor: Any) -> Any:
        """Returns the sketch of a tensor, or of a shard under its indices in the whole."""
        import torch

        with torch.no_grad():
            return sketched(tensor, self.place(name, kind, tensor))

    def dtype_of(self, tensor: Any) -> str:
        """Returns the name of the precision that a tensor was computed in."""
        import torch

        word = str(tensor.dtype).replace("torch.", "")
        return "tf32" if word == "float32" and tensor.device.type == "cuda" and in_tf32(torch) else word

    def cannot(self, name: str, error: Exception) -> None:
        """Counts a tensor that has no sketch."""
        self.run._cannot(f"the sketch of {name}: {error}" if isinstance(error, Cannot) else
                         f"the sketch of {name}: {type(error).__name__}: {error}")

    # --- the forward and the backward ---

    def before_forward(self, module: Any, *_: Any) -> None:
        """The model's forward begins."""
        if module is not self.model or not self.run.enabled:
            return
        self.inside += 1
        if self.inside > 1:
            return
        with contextlib.suppress(Exception):
            self.begin()

    def begin(self) -> None:
        import torch

        step = self.run._step_fed()
        if self.sample is not None and self.sample.step != step:
            self.end()
        if self.sample is not None or step % self.every or not torch.is_grad_enabled():
            return
        if torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing():
            return
        self.sample = Sample(self, step)
        for path, part in self.model.named_modules():
            name = name_of(path)
            if not self.chosen(name) or len(name.encode()) > 512:
                continue
            if part is self.model:
                self.whole = self.hook_of(name)
            else:
                self.fine.append(part.register_forward_hook(self.hook_of(name)))

    def hook_of(self, name: str) -> Callable[..., None]:
        """Returns the forward hook of a module."""

        def after(_: Any, given: Any, output: Any) -> None:
            sample = self.sample
            if sample is None:
                return
            try:
                tensor = first_floating(output)
                if tensor is None:
                    return
                same = self.given.by(tensor)
                if same is not None:
                    if self.inside:
                        sample.repeat(name, same, first_floating(given) is tensor)
                    return
                self.given.add(name, tensor)
                if self.inside:  # else a checkpoint's module is computed once more, for its gradients
                    sample.add(name, "output", tensor)
                if tensor.requires_grad:
                    tensor.register_hook(lambda grad: self.gradient(sample, name, grad))
            except Exception as error:
                self.cannot(name, error)

        return after

    def gradient(self, sample: Sample, name: str, grad: Any) -> None:
        """The gradient of a module's output was computed."""
        try:
            sample.add(name, "grad", grad)
        except Exception as error:
            self.cannot(name, error)

    def after_forward(self, module: Any, given: Any, output: Any) -> None:
        """The model's forward ends."""
        if module is not self.model or not self.inside:
            return
        if self.inside == 1 and self.whole is not None:
            self.whole(module, given, output)
        self.inside -= 1
        self.given = Given()

    # --- the optimizer ---

    def parameters(self) -> Iterator[tuple[str, Any]]:
        """The model's parameters that are sketched."""
        for path, p in self.model.named_parameters():
            name = name_of(path)
            if self.chosen(name) or self.chosen(name.rpartition(".")[0]):
                yield name, p

    def before_optimizer(self, *_: Any) -> None:
        """The optimizer's step begins: the gradients are there."""
        self.inside = 0
        sample = self.sample
        if sample is None:
            return
        self.before = {}
        for name, p in self.parameters():
            try:
                if p.grad is not None:
                    sample.add(name, "param_grad", p.grad)
                    self.before[name] = self.sketch_of(name, "update", p)
            except Exception as error:
                self.cannot(name, error)

    def after_optimizer(self, *_: Any) -> None:
        """The optimizer's step ends. A sketch is linear: that of the update is the difference of two."""
        sample = self.sample
        if sample is None:
            return
        import torch

        for name, p in self.parameters():
            try:
                if name in self.before:
                    after = self.sketch_of(name, "update", p)
                    # Below 256 units of its parameter an update is mostly rounding, and is left out.
                    sample.take(name, "update", p, difference(after, self.before[name], 256 * torch.finfo(p.dtype).eps))
            except Exception as error:
                self.cannot(name, error)
        self.end()

    # --- the file ---

    def end(self) -> None:
        """Ends the sample that is open."""
        for hook in self.fine:
            hook.remove()
        self.fine.clear()
        self.whole = None
        self.before = {}
        self.given = Given()
        sample, self.sample = self.sample, None
        if sample is not None:
            try:
                sample.close()
            except Exception as error:
                self.cannot(f"step {sample.step}", error)

    def write(self, step: int, rows: list[Row]) -> None:
        """Hands the sketches of a step to the file; an update that is lost in rounding is left out."""
        self.file.put(step, [(head, made) for head, made, _ in rows if made is None or squares_of(made) >= 0])

    def stop(self) -> None:
        """Takes everything back, and records what is there."""
        self.end()
        for hook in self.hooks:
            hook.remove()
        self.hooks.clear()
        self.run._arrivals.read(wait=True)
        self.file.close()
