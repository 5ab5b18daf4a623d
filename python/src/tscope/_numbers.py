"""Numbers that are no Python numbers: what has .item() is read at once on the host, and copied aside where it lies on a device."""

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, Callable

_MOST = 4096  # values that wait to be read; beyond that the oldest are given up and counted


class Cannot(Exception):
    """Why a value is not recorded; it is counted and said once, and never reaches training."""


def flat(numbers: Mapping[Any, Any], other: Callable[[str, Any], None], before: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yields names and numbers; tables in a table are written with a dot. `other` is given what is no number.

    >>> list(flat({"loss": 0.5, "eval": {"accuracy": 0.9}}, print))
    [('loss', 0.5), ('eval.accuracy', 0.9)]
    """
    for key, value in numbers.items():
        name = f"{before}{key}"
        if isinstance(value, Mapping) and depth < 8:
            yield from flat(value, other, name + ".", depth + 1)
        elif isinstance(value, (bool, int, float)) or (not isinstance(value, str) and is_number(value)):
            yield name, value
        else:
            other(name, value)


def is_number(value: Any) -> bool:
    """Whether a tensor, an array or a number of another library holds one number.

    >>> is_number([0.5]), is_number(complex(0, 1))
    (False, False)
    """
    if not (hasattr(value, "item") or hasattr(value, "__float__")):
        return False
    count = getattr(value, "numel", None) or getattr(value, "size", 1)
    return bool((count() if callable(count) else count) == 1)


def outside_capture(torch: Any, device: Any) -> None:
    """Raises Cannot while a CUDA graph is captured: what is launched then belongs to the graph and runs with each replay, and to ask
    for pinned memory or for an event would end the capture.

    >>> import torch
    >>> outside_capture(torch, torch.device("cpu"))
    """
    if device.type == "cuda" and torch.cuda.is_current_stream_capturing():
        raise Cannot("it was asked for while a CUDA graph was captured")


def stream_of(torch: Any, device: Any) -> Any:
    """Returns what tells a device and the stream in use there from others: what was made on one stream is not there yet for another.

    >>> import torch
    >>> stream_of(torch, torch.device("cpu"))
    device(type='cpu')
    """
    return (device, torch.cuda.current_stream(device).cuda_stream) if device.type == "cuda" else device


class Late:
    """Values that are on their way from a device, in the order in which they were asked for. Nothing here waits for the device."""

    def __init__(self) -> None:
        self.given_up = 0
        self._waiting: deque[tuple[Any, Any, Callable[[Any], None]]] = deque()
        self._events: dict[Any, list[Any]] = {}  # by device: an event stays with the one on which it was recorded first
        self._slots: list[Any] = []

    def number(self, tensor: Any, arrived: Callable[[float], None]) -> None:
        """Has a tensor of one number read later."""
        import torch

        if tensor.numel() != 1:
            raise Cannot(f"a tensor of {tensor.numel()} numbers is no single number")
        value = tensor.detach().reshape(())
        if value.device.type != "cuda":
            self._add(value.clone(), lambda copy: arrived(float(copy)))
            return
        outside_capture(torch, value.device)
        if not self._slots:
            block = torch.empty(64, dtype=torch.float64, pin_memory=True)
            self._slots.extend(block[i] for i in range(64))
        slot = self._slots.pop()

        def take(copy: Any) -> None:
            arrived(float(copy))
            self._slots.append(copy)

        self._add(slot, take, value.to(torch.float64))  # torch before 2.4 would convert on the host, and wait for the device

    def words(self, tensor: Any, arrived: Callable[[list[Any]], None]) -> None:
        """Has a tensor of 64-bit integers or floats read later, as lists."""
        import torch

        if tensor.device.type == "cuda":
            outside_capture(torch, tensor.device)
            self._add(torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True), lambda copy: arrived(copy.tolist()), tensor)
        else:
            self._add(tensor, lambda copy: arrived(copy.tolist()))

    def _add(self, copy: Any, arrived: Callable[[Any], None], source: Any = None) -> None:
        import torch

        device = (copy if source is None else source).device
        self.read()
        if source is not None:
            copy.copy_(source, non_blocking=True)
        pool = self._events.setdefault(device, [])
        event = pool.pop() if pool else _new_event(torch, device.type)
        if device.type == "cuda":
            event.record(torch.cuda.current_stream(device))  # where the copy is, which may be another device than the current one
        else:
            event.record()

        def taken(copy: Any) -> None:
            pool.append(event)
            arrived(copy)

        if len(self._waiting) >= _MOST:
            self._waiting.popleft()
            self.given_up += 1
        self._waiting.append((event, copy, taken))

    def event(self, event: Any, arrived: Callable[[], None]) -> None:
        """Has something done when an event of the device has come."""
        self.read()
        self._waiting.append((event, None, lambda _: arrived()))

    def array(self, value: Any, arrived: Callable[[float], None]) -> None:
        """Has an array of JAX of one number read when it has been computed: JAX returns it before."""
        if value.size != 1:
            raise Cannot(f"an array of {value.size} numbers is no single number")
        value.copy_to_host_async()
        self.event(_Computed(value), lambda: arrived(float(value)))

    def read(self, wait: bool = False) -> None:
        """Hands on what has arrived; `wait` is for the end of a run alone."""
        while self._waiting:
            event, copy, arrived = self._waiting[0]
            if wait:
                event.synchronize()
            elif not event.query():
                return
            self._waiting.popleft()
            arrived(copy)


class _Computed:
    """What an array of JAX says of itself, as an event."""

    def __init__(self, value: Any) -> None:
        self.query, self.synchronize = value.is_ready, value.block_until_ready


def _new_event(torch: Any, kind: str) -> Any:
    backend = getattr(torch, kind, None)
    make = getattr(backend, "Event", None) or getattr(getattr(backend, "event", None), "Event", None)
    if make is None:
        raise Cannot(f"a tensor lies on {kind}, which has no events")
    return make()


def on_host(value: Any) -> float:
    """Returns the number that a value of the host holds.

    >>> import fractions
    >>> on_host(fractions.Fraction(1, 4))
    0.25
    """
    if isinstance(value, (str, bytes)) or value is None:
        raise Cannot(f"a value of type {type(value).__name__} is no number")
    item = getattr(value, "item", None)
    try:
        return float(item() if callable(item) else value)
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise Cannot(f"a value of type {type(value).__name__} is no single number") from error


def device_of(value: Any) -> str:
    """Returns the kind of device on which a tensor lies: "cpu" for everything that is none."""
    kind = getattr(getattr(value, "device", None), "type", None)
    return kind if isinstance(kind, str) else "cpu"
