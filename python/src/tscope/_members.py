"""The parameters and buffers of a model by name, as torch's named_parameters and named_buffers give them, looked up quickly again."""

import sys
from typing import Any

from tscope._names import name_of
from tscope._recorder import members

_KINDS = ("_parameters", "_buffers")
_WALKS = ("named_modules", "named_parameters", "named_buffers", "_named_members", "__getattribute__")


class Members:
    """What a model has. No part of it is held: a walk over its modules finds all anew, and names are known by their places.

    >>> import torch
    >>> [name for name, _ in Members(torch.nn.Linear(2, 3)).parameters()]
    ['weight', 'bias']
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._places: tuple[Any, ...] = ()
        self._usual: set[type] = set()

    def parameters(self) -> list[tuple[str, Any]]:
        """Returns the parameters with their names, without those of wrappers.

        >>> import torch
        >>> len(Members(torch.nn.Linear(2, 3, bias=False)).parameters())
        1
        """
        return self._of(0)

    def buffers(self) -> list[tuple[str, Any]]:
        """Returns running statistics and their like, which forward passes change, also those of an evaluation in training mode.

        >>> import torch
        >>> [name for name, _ in Members(torch.nn.BatchNorm1d(2)).buffers()]
        ['running_mean', 'running_var', 'num_batches_tracked']
        """
        return self._of(1)

    def _of(self, kind: int) -> list[tuple[str, Any]]:
        if self._usual:
            found = members(self._model, self._places[kind], _KINDS[kind], self._usual)
            if found is not None:
                return found
        self._learn()
        named = self._model.named_buffers() if kind else self._model.named_parameters()
        return [(name_of(path), tensor) for path, tensor in named]

    def _learn(self) -> None:
        """Learns the places of names, where no module has a way of its own to name what it has."""
        Module = sys.modules["torch"].nn.Module
        usual = {type(module) for module in self._model.modules()}
        own = any(not _walks_as(kind, Module) for kind in usual) or not vars(self._model).keys().isdisjoint(_WALKS)
        self._usual = set() if own else usual
        self._places = () if own else tuple(_place(self._model, "", kind, set()) for kind in _KINDS)


def _walks_as(kind: Any, Module: Any) -> bool:
    return all(getattr(kind, name, None) is getattr(Module, name, None) for name in _WALKS)


def _place(module: Any, path: str, kind: str, above: set[int]) -> tuple[dict[str, str], dict[str, Any]]:
    """Returns the names of a module's own members and the places of its modules, by their keys."""
    if id(module) in above:
        return {}, {}
    above = {*above, id(module)}
    names = {key: name_of(f"{path}{key}") for key in vars(module).get(kind, {})}
    inner = vars(module).get("_modules", {}).items()
    return names, {key: _place(child, f"{path}{key}.", kind, above) for key, child in inner if child is not None}
