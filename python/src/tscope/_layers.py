"""Time and memory of a model's layers, at some steps: hooks are there in these steps alone.

A layer is a module without children. Forward is from its pre-hook to its hook. Backward is from when the gradient of its output is
there to when those of its inputs and parameters are; hooks on tensors see it, which change no graph and bear operations in place.
"""

from typing import TYPE_CHECKING, Any, Callable, Optional

from tscope._device import Events, cuda
from tscope._recorder import now_ns
from tscope._windows import ModuleHook, Window

if TYPE_CHECKING:
    from tscope._run import Run

_MOST = 1000  # layers: each has up to six columns


def tensors_in(torch: Any, value: Any) -> list[Any]:
    """Returns the tensors in a value, and in its lists and dictionaries, in their order.

    >>> import torch
    >>> len(tensors_in(torch, [torch.ones(1), {"x": torch.ones(2)}, 3]))
    2
    """
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors_in(torch, item)]
    return []


def _bytes(tensors: Any) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


class _Clock:
    """The host's clock: a time is a number of ns."""

    name = "host"

    def now(self) -> Any:
        return now_ns()

    def read(self, run: "Run", spans: list[tuple[Any, Any]], arrived: Callable[[float], None]) -> None:
        arrived(sum(end - begin for begin, end in spans) / 1e6)


class _DeviceClock:
    """CUDA's events: a time is an event, which is read when it is done."""

    name = "device"

    def __init__(self, there: Any) -> None:
        self._events = Events(there)

    def now(self) -> Any:
        return self._events.now()

    def read(self, run: "Run", spans: list[tuple[Any, Any]], arrived: Callable[[float], None]) -> None:
        def take() -> None:
            arrived(sum(begin.elapsed_time(end) for begin, end in spans))
            self._events.give(list({id(event): event for span in spans for event in span}.values()))

        if all(event is not None for span in spans for event in span):
            run._arrivals.event(spans[-1][1], take)


class _Layer:
    """What one layer did in the step that is open."""

    def __init__(self, name: str, module: Any) -> None:
        self.name, self.module = name, module
        self.begun: list[Any] = []  # forwards that have begun and not ended: a layer may call itself
        self.forwards: list[tuple[Any, Any]] = []
        self.backwards: list[tuple[Any, Any]] = []
        self.back: Any = None  # when the backward that is under way began, and when its last gradient came
        self.back_end: Any = None
        self.memory: dict[str, int] = {}

    def held(self) -> int:
        """Returns the bytes of its parameters and outputs."""
        return self.memory.get("parameters", 0) + self.memory.get("output", 0)


class Layers(Window):
    """Layers of a model, which are timed every so many steps.

    >>> import torch
    >>> model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))
    >>> layers = Layers(run, model, every=1)
    >>> layers.begin(0)
    >>> model(torch.ones(4, 2)).sum().backward()
    >>> layers.end(0)
    >>> [row["layer"] for row in sorted(layers.heaviest(), key=lambda row: row["layer"])]
    ['0', '1']
    """

    def __init__(self, run: "Run", model: Any, every: int, there: Callable[[], Any] = cuda) -> None:
        import torch

        self._torch, self._run, self._model = torch, run, model
        self._every = max(int(every), 1)
        found = [(name, module) for name, module in model.named_modules() if next(module.children(), None) is None]
        if len(found) > _MOST:
            run._cannot(f"the model has {len(found):,} layers; the time of those behind the first {_MOST:,}")
        self._layers = [_Layer(name or "model", module) for name, module in found[:_MOST]]
        on_device = any(p.device.type == "cuda" for p in model.parameters())
        self._cuda = there() if on_device else None
        self._clock: Any = _Clock() if self._cuda is None else _DeviceClock(self._cuda)
        self._handles: list[Any] = []
        self._known: dict[str, dict[str, float]] = {}  # what `heaviest` tells
        self.last_backward: Optional[str] = None
        run.facts({"work": {"layers_every": self._every, "layers_clock": self._clock.name}})

    def begin(self, step: int) -> None:
        """A step has begun whose layers are timed.

        >>> import torch
        >>> Layers(run, torch.nn.Linear(2, 1), 1).begin(0)
        """
        self.next = step + self._every - step % self._every
        self.last_backward = None
        for layer in self._layers:
            add = self._handles.append
            if layer.module is self._model:  # its hooks of this forward have been called: the step began in one of them
                layer.begun.append(self._clock.now())
            before = ModuleHook(self._run, layer.module, lambda given, layer=layer: self._before(layer))
            after = ModuleHook(self._run, layer.module, lambda given, out, layer=layer: self._after(layer, given, out))
            add(layer.module.register_forward_pre_hook(before))
            add(layer.module.register_forward_hook(after))
            for p in layer.module.parameters(recurse=False):
                if p.requires_grad and hasattr(p, "register_post_accumulate_grad_hook"):
                    add(p.register_post_accumulate_grad_hook(self._on_tensor(self._back_end, layer)))

    # --- hooks: each returns None, and changes nothing ---

    def _on_tensor(self, act: Callable[[_Layer], None], layer: _Layer) -> Callable[[Any], None]:
        def hook(_: Any) -> None:
            try:
                act(layer)
            except Exception as error:
                self._run._cannot(f"a hook of a layer: {type(error).__name__}: {error}")

        return hook

    def _before(self, layer: _Layer) -> None:
        if self._cuda is not None:
            layer.memory["before"] = self._cuda.memory_allocated()
            layer.memory["highest"] = self._cuda.max_memory_allocated()
        layer.begun.append(self._clock.now())

    def _after(self, layer: _Layer, given: Any, out: Any) -> None:
        if not layer.begun:
            return
        layer.forwards.append((layer.begun.pop(), self._clock.now()))
        outputs, parameters = tensors_in(self._torch, out), list(layer.module.parameters(recurse=False))
        if parameters:
            layer.memory["parameters"] = _bytes(parameters)
        layer.memory["output"] = layer.memory.get("output", 0) + _bytes(outputs)
        if self._cuda is not None:
            layer.memory["after"] = self._cuda.memory_allocated()
            highest = self._cuda.max_memory_allocated()
            if highest > layer.memory.pop("highest", highest):  # else the peak lay elsewhere, and this layer's is not known
                layer.memory["peak"] = highest
        for tensor in outputs:
            if tensor.requires_grad and not tensor.is_leaf:
                tensor.register_hook(self._on_tensor(self._back_begin, layer))
        for tensor in tensors_in(self._torch, given):
            if tensor.requires_grad:
                handle = tensor.register_hook(self._on_tensor(self._back_end, layer))
                if tensor.is_leaf:
                    self._handles.append(handle)

    def _back_begin(self, layer: _Layer) -> None:
        if layer.back is not None and layer.back_end is not None:
            layer.backwards.append((layer.back, layer.back_end))
            layer.back = layer.back_end = None
        self.last_backward = f"{layer.name} ({type(layer.module).__name__})"
        if layer.back is None:
            layer.back = self._clock.now()

    def _back_end(self, layer: _Layer) -> None:
        if layer.back is not None:
            layer.back_end = self._clock.now()

    # --- the end of the step ---

    def end(self, step: int) -> None:
        """The step ends: its times and bytes are recorded, and the hooks go.

        >>> import torch
        >>> Layers(run, torch.nn.Linear(2, 1), 1).end(0)
        """
        self._unhook()
        for layer in self._layers:
            if layer.back is not None and layer.back_end is not None:
                layer.backwards.append((layer.back, layer.back_end))
            if layer.forwards:
                self._record(step, layer)
            layer.begun, layer.forwards, layer.backwards = [], [], []
            layer.back = layer.back_end = None
            layer.memory = {}

    def _record(self, step: int, layer: _Layer) -> None:
        layer.memory.pop("highest", None)
        self._known.setdefault(layer.name, {})["memory"] = layer.held()
        self._run.memory({f"layers/{layer.name}/{name}": n for name, n in layer.memory.items()})
        for what, spans in (("forward_ms", layer.forwards), ("backward_ms", layer.backwards)):
            if spans:
                self._clock.read(self._run, spans, lambda ms, what=what: self._timed(step, layer.name, what, ms))

    def _timed(self, step: int, layer: str, what: str, ms: float) -> None:
        column = f"layers/{layer}/{what}"
        self._known[layer][what] = ms
        if self._clock.name == "host":
            self._run.log({column: ms})
        else:
            self._run._late(step, 1, column, ms)

    def heaviest(self, n: int = 5, by: str = "time") -> list[dict[str, Any]]:
        """Returns the n layers that took most in the last step that was timed: by "time", or by "memory" (parameters and outputs),
        which counts as soon as a forward has ended.

        >>> import torch
        >>> Layers(run, torch.nn.Linear(2, 1), 1).heaviest()
        []
        """
        now = {layer.name: {"memory": layer.held()} for layer in self._layers if layer.memory}
        names = {**self._known, **now}
        rows: list[dict[str, Any]] = [{"layer": name, **self._known.get(name, {}), **now.get(name, {})} for name in names]
        if by == "time":
            rows.sort(key=lambda row: row.get("forward_ms", 0) + row.get("backward_ms", 0), reverse=True)
        else:
            rows.sort(key=lambda row: row["memory"], reverse=True)
        return rows[:n]

    def _unhook(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def stop(self) -> None:
        """Takes the hooks back.

        >>> import torch
        >>> Layers(run, torch.nn.Linear(2, 1), 1).stop()
        """
        self._unhook()


class NoLayers:
    """What a run that records nothing knows of layers."""

    def heaviest(self, n: int = 5, by: str = "time") -> list[dict[str, Any]]:
        """Returns no layer.

        >>> NoLayers().heaviest()
        []
        """
        return []
