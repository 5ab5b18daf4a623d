"""Patches that are taken back."""

from typing import Any, Callable


class _Layer:
    """A patch: what stands in the place, what stood there before, and whether it is still wanted."""

    def __init__(self, new: Any, before: Any) -> None:
        self.new, self.before, self.wanted = new, before, True


# The patches of an attribute, the oldest first. One of which nobody wants to know stays below those that came later and lead to it.
_layers: dict[tuple[Any, str], list[_Layer]] = {}


def patched(owner: Any, name: str, new: Any) -> Callable[[], None]:
    """Puts something in the place of an attribute. Returns what takes it back.

    Patches may be taken back in any order: one that others stand upon goes with the last of them. One that somebody else has patched
    since, and calls, stays.

    >>> class Owner:
    ...     value = 1
    >>> first, second = patched(Owner, "value", 2), patched(Owner, "value", 3)
    >>> first()
    >>> Owner.value
    3
    >>> second()
    >>> Owner.value
    1
    """
    layer = _Layer(new, getattr(owner, name))
    layers = _layers.setdefault((owner, name), [])
    layers.append(layer)
    setattr(owner, name, new)

    def undo() -> None:
        layer.wanted = False
        while layers and not layers[-1].wanted and owner.__dict__.get(name) is layers[-1].new:
            setattr(owner, name, layers.pop().before)
        if not layers:
            _layers.pop((owner, name), None)

    return undo


def on_scalers(name: str, wrapped: Callable[[Any], Any]) -> list[Callable[[], None]]:
    """Has a method of every kind of GradScaler wrapped. Returns what takes that back.

    >>> import torch
    >>> on_scalers("no_such_method", print)
    []
    """
    import torch

    kinds = {torch.amp.GradScaler, torch.cuda.amp.GradScaler} if hasattr(torch.amp, "GradScaler") else set()
    return [patched(kind, name, wrapped(kind.__dict__[name])) for kind in kinds if name in kind.__dict__]
