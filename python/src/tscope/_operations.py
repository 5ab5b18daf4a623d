"""Digests of what a model's modules, or torch's operations, were given and gave, in the order of execution, at some steps.

`tscope diff` names the first operation whose inputs agree and whose output differs. Digests of a device are waited for, so these steps
are slow.
"""

import contextlib
import json
import os
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Optional

from tscope._digests import bits_of, local, of_set
from tscope._layers import tensors_in
from tscope._numbers import Cannot
from tscope._say import say, why
from tscope._windows import ModuleHook, Window

if TYPE_CHECKING:
    from tscope._run import Run


# Of operations that give memory as it is: whatever lay there is their output, and differs between runs that are equal.
_UNDEFINED = frozenset("empty empty_like empty_permuted empty_strided new_empty new_empty_strided".split())
_LINES_MOST = 2000  # of code that are kept
_CALLS_MOST = 200_000  # characters of the calls of a step


class Lines:
    """The lines of the program that called operations, "NAME<tab>OCCURRENCE<tab>FILE:LINE" each; torch's own are passed over.

    >>> import torch
    >>> Lines(torch).text()
    ''
    """

    def __init__(self, torch: Any) -> None:
        # a folder of site-packages, as both are; a program may lie beside them
        self._others = tuple({os.path.join(os.path.dirname(path), "") for path in (torch.__file__, __file__)})
        self._seen: dict[str, int] = {}
        self._all: dict[tuple[str, int], str] = {}

    def begin(self) -> None:
        """A step begins: occurrences are counted anew."""
        self._seen.clear()

    def add(self, name: str) -> None:
        """The operation of this name was called."""
        occurrence = self._seen.get(name, 0)
        self._seen[name] = occurrence + 1
        if len(self._all) >= _LINES_MOST:
            return
        frame = sys._getframe(1)
        while frame is not None and (frame.f_code.co_filename.startswith(self._others) or frame.f_code.co_filename.startswith("<")):
            frame = frame.f_back  # type: ignore[assignment]
        if frame is not None:
            path, here = frame.f_code.co_filename, os.path.join(os.getcwd(), "")
            self._all[name, occurrence] = f"{path[len(here):] if path.startswith(here) else path}:{frame.f_lineno}"

    def text(self) -> str:
        """Returns them in the order of execution."""
        return "".join(f"{name}\t{occurrence}\t{line}\n" for (name, occurrence), line in self._all.items())


def told(torch: Any, value: Any) -> Any:
    """Returns an argument of an operation as JSON can hold it: of a tensor its type, shape and device, and the range of whole numbers.

    >>> import torch
    >>> told(torch, [torch.zeros(2, 3), 1.5, torch.tensor([4, 7])])
    [{'type': 'float32', 'shape': [2, 3], 'device': 'cpu'}, 1.5, {'type': 'int64', 'shape': [2], 'device': 'cpu', 'range': [4, 7]}]
    """
    if isinstance(value, torch.Tensor):
        found = {"type": str(value.dtype)[6:], "shape": list(value.shape), "device": value.device.type}
        whole = not value.dtype.is_floating_point and not value.dtype.is_complex and value.dtype != torch.bool
        if whole and value.numel():
            found["range"] = [int(value.min()), int(value.max())]
        return found
    if isinstance(value, (list, tuple)):
        return [told(torch, item) for item in value]
    if isinstance(value, torch.dtype):
        return {"dtype": str(value)[6:]}
    if isinstance(value, torch.device):
        return {"torch.device": value.type}
    return value if value is None or isinstance(value, (bool, int, float, str)) else {"repr": repr(value)[:100]}


def _digest(tensors: Iterable[Any]) -> int:
    """Returns the digest of tensors in their order."""
    return of_set((str(i), bits_of(local(tensor))) for i, tensor in enumerate(tensors))


class Operations(Window):
    """Records digests at the steps that it is given.

    >>> import torch
    >>> model = torch.nn.Linear(2, 1)
    >>> operations = Operations(run, model, [0], "modules")
    >>> operations.begin(0)
    >>> y = model(torch.ones(4, 2))
    >>> operations.end(0)
    """

    def __init__(self, run: "Run", model: Any, steps: Iterable[int], of: str, inputs: Optional[tuple[str, int]] = None) -> None:
        import torch

        if of not in ("modules", "aten"):
            raise ValueError(f'of is "modules" or "aten", not {of!r}')
        if of == "modules" and model is None:
            raise ValueError("digests of modules need the model")
        self._torch, self._run, self._model, self._of = torch, run, model, of
        self._left = sorted({int(step) for step in steps})
        self._handles: list[Any] = []
        self._given: list[Any] = []
        self._mode: Any = None
        self._saved: Optional[Saved] = None
        self._lines = Lines(torch)
        self._calls: list[str] = []
        self._inputs = inputs  # an operation, and which of its calls in the step is saved
        self._await(0)

    def _await(self, step: int) -> None:
        self._left = [wanted for wanted in self._left if wanted >= step]
        self.next = self._left[0] if self._left else None

    def begin(self, step: int) -> None:
        """A step has begun; if it is one of those that are wanted, digests are taken until it ends.

        >>> import torch
        >>> Operations(run, torch.nn.Linear(2, 1), [3], "modules").begin(0)
        """
        wanted = step in self._left
        self._await(step + 1)
        if not wanted:
            return
        self._lines.begin()
        if self._of == "aten":
            self._calls = []
            self._saved = Saved(self._torch, self._run, step, *self._inputs) if self._inputs else None
            self._mode = _mode(self._torch, self._run, self._lines, self._calls, self._saved)
            self._mode.__enter__()
            return
        self._given = []
        for name, module in self._model.named_modules():
            if module is not self._model:  # the step begins within its forward
                before = ModuleHook(self._run, module, lambda args, kwargs, module=module: self._before(module, args, kwargs))
                after = ModuleHook(self._run, module, lambda _, out, name=name, module=module: self._after(name, module, out))
                self._handles.append(module.register_forward_pre_hook(before, with_kwargs=True))
                self._handles.append(module.register_forward_hook(after))

    def _before(self, module: Any, args: Any, kwargs: Any) -> None:
        self._given.append(None)  # where it cannot be had
        self._given[-1] = _digest([*tensors_in(self._torch, (args, kwargs)), *self._own(module)])

    def _own(self, module: Any) -> Iterator[Any]:
        yield from module.parameters(recurse=True)
        yield from module.buffers(recurse=True)

    def _after(self, name: str, module: Any, out: Any) -> None:
        given = self._given.pop()
        gave = _digest(tensors_in(self._torch, out))
        name = f"{name} ({type(module).__name__})"
        self._run._digest_row(name, "activation", given is not None, given or 0, gave)
        self._lines.add(name)

    def end(self, step: int) -> None:
        """The step ends.

        >>> import torch
        >>> Operations(run, torch.nn.Linear(2, 1), [3], "modules").end(0)
        """
        self.stop()
        saved, self._saved = self._saved, None
        if saved is not None:
            saved.end()
        calls, self._calls = self._calls, []
        if calls:
            self._run.facts({"session": {"operations": {str(step): "\n".join(calls)}}})

    def stop(self) -> None:
        """Takes the hooks back.

        >>> import torch
        >>> Operations(run, torch.nn.Linear(2, 1), [3], "modules").stop()
        """
        for handle in self._handles:
            handle.remove()
        self._handles.clear()
        mode, self._mode = self._mode, None
        if mode is not None:
            mode.__exit__(None, None, None)
        text = self._lines.text()
        if text:
            self._run.facts({"session": {"operations": {"lines": text}}})


def copied(torch: Any, value: Any) -> Any:
    """Returns an argument of an operation as it is now, for torch.save: tensors with their strides in memory of the host. What
    cannot be given back as it was is refused.

    >>> import torch
    >>> copied(torch, [torch.ones(2), 1.5, 2 + 3j])
    [tensor([1., 1.]), 1.5, (2+3j)]
    >>> copied(torch, [slice(None)])
    Traceback (most recent call last):
    tscope._numbers.Cannot: a slice cannot be saved
    """
    if isinstance(value, torch.Tensor):
        return local(value).detach().to("cpu", copy=True, memory_format=torch.preserve_format)
    if isinstance(value, (list, tuple)):
        return [copied(torch, item) for item in value]
    if isinstance(value, torch.device):
        return value.type
    if value is None or isinstance(value, (bool, int, float, complex, str, torch.dtype)):
        return value
    raise Cannot(f"a {type(value).__name__} cannot be saved")


class Saved:
    """Saves what one call of a step was given and gave, as a file in the folder of the run: of several ranks, in that of each.

    >>> import torch
    >>> saved = Saved(torch, run, 0, "aten.mm.default", 0)
    >>> saved.before("aten.relu.default", (), {})
    >>> saved.after(None)
    """

    def __init__(self, torch: Any, run: "Run", step: int, name: str, occurrence: int) -> None:
        self._torch, self._run, self._name, self._left = torch, run, name, occurrence
        folder = os.path.join(run.directory, f"rank{run.rank}") if run.world_size > 1 else run.directory
        self._path = os.path.join(folder, f"operation-{step}-{name}-{occurrence}.pt")
        self._step, self._occurrence = step, occurrence
        self._given: Any = None

    def before(self, name: str, args: Any, kwargs: Any) -> None:
        """An operation is about to run: it may write to what it was given."""
        if name != self._name:
            return
        self._left -= 1
        if self._left == -1:
            try:
                where = [tensor.device.type for tensor in tensors_in(self._torch, (args, kwargs))]
                named = {key: copied(self._torch, value) for key, value in kwargs.items()}
                self._given = {"name": name, "device": where[0] if where else "cpu", "args": copied(self._torch, args), "kwargs": named}
            except Exception as error:
                self._refuse(error)

    def after(self, out: Any) -> None:
        """It has run."""
        given, self._given = self._given, None
        if given is None:
            return
        part = f"{self._path}.{os.getpid()}.part"
        try:
            os.makedirs(os.path.dirname(part), exist_ok=True)
            self._torch.save({**given, "out": copied(self._torch, out)}, part)
            os.replace(part, self._path)
        except Exception as error:
            with contextlib.suppress(OSError):
                os.remove(part)
            self._refuse(error)

    def _refuse(self, error: Exception) -> None:
        say(f"the call {self._name}#{self._occurrence} of step {self._step} is not saved: {type(error).__name__}: {why(error)}")

    def end(self) -> None:
        """The step ends: a call that did not come is said.

        >>> Saved(torch, run, 0, "aten.mm.default", 0).end()  # doctest: +SKIP
        """
        if self._left >= 0:
            had = self._occurrence - self._left
            say(f"step {self._step} had {had} calls of {self._name}: #{self._occurrence} did not come, and nothing of it is saved")


def _mode(torch: Any, run: "Run", lines: Lines, calls: list[str], saved: Optional[Saved]) -> Any:
    """Returns the mode in which every operation of torch is recorded, those of the backward pass and of the optimizer, too.

    What each was called with is appended to calls: its name and its arguments, a line each. The call that saved means is saved.
    """
    from torch.utils._python_dispatch import TorchDispatchMode

    room = _CALLS_MOST
    unwritten = _Unwritten()

    class Recorded(TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, op: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            nonlocal room
            given = _maybe(torch, run, (args, kwargs), unwritten)
            if room > 0:
                call = _call(torch, run, op, args, kwargs or {})
                room -= len(call) + 1
                if room > 0:
                    calls.append(call)
            if saved is not None:
                saved.before(str(op), args, kwargs or {})
            out = op(*args, **(kwargs or {}))
            unwritten.follow(torch, op, (args, kwargs), out)
            wrote = out
            if out is None and op._schema.is_mutable:  # as those of optimizers on lists, it gives what it wrote to what it was given
                wrote = [*args, *(kwargs or {}).values()]
            if saved is not None:
                saved.after(wrote)
            # A storage has no digest: what set_ was given would seem to be equal where it differs.
            gave = None if op._schema.name == "aten::set_" else _maybe(torch, run, wrote, unwritten)
            if gave is not None:
                run._digest_row(str(op), None, given is not None, given or 0, gave)
                lines.add(str(op))
            return out

    return Recorded()


class _Unwritten:
    """Where memory lies that nothing was written to yet. Whatever is there differs between runs that are equal, so it has no digest."""

    def __init__(self) -> None:
        self._at: set[int] = set()

    def has(self, tensor: Any) -> bool:
        """Says whether this tensor's values are what lay there before."""
        return bool(self._at) and tensor.data_ptr() in self._at

    def follow(self, torch: Any, op: Any, given: Any, out: Any) -> None:
        """An operation has run: it may have made such memory, or views of it, or have written to it."""
        try:
            made = {tensor.data_ptr() for tensor in tensors_in(torch, out)} - {0}
            if str(op).split(".")[1] in _UNDEFINED:
                self._at |= made
            elif self._at:
                had = {tensor.data_ptr() for tensor in tensors_in(torch, given)}
                # What it was given and may write is written. What it gives and was not given is new, at a place that was free again.
                self._at -= had | made if op._schema.is_mutable else made - had
        except Exception:
            self._at.clear()


def _call(torch: Any, run: "Run", op: Any, args: Any, kwargs: Any) -> str:
    """Returns the line of a call; one whose arguments cannot be told has the name alone."""
    try:
        return f"{op} {json.dumps([told(torch, args), {name: told(torch, value) for name, value in kwargs.items()}])}"
    except Exception as error:
        run._cannot(f"operations: {type(error).__name__}: {error}")
        return str(op)


def _maybe(torch: Any, run: "Run", value: Any, unwritten: _Unwritten) -> Any:
    """Returns the digest of the tensors in a value that were written; None if there are none or they have none."""
    try:
        tensors = [tensor for tensor in tensors_in(torch, value) if not unwritten.has(tensor)]
        return _digest(tensors) if tensors else None
    except Exception as error:
        run._cannot(f"operations: {type(error).__name__}: {error}")
        return None
