"""Patches that are taken back."""

from typing import Any, Callable


def patched(owner: Any, name: str, new: Any) -> Callable[[], None]:
    """Puts something in the place of an attribute. Returns what takes it back, unless somebody has patched it since and calls this one.

    >>> class Owner:
    ...     value = 1
    >>> undo = patched(Owner, "value", 2)
    >>> undo()
    >>> Owner.value
    1
    """
    before = getattr(owner, name)
    setattr(owner, name, new)

    def undo() -> None:
        if owner.__dict__.get(name) is new:
            setattr(owner, name, before)

    return undo
