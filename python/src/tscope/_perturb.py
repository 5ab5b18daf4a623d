"""A run whose input is perturbed by a unit of its last place, so that it shows how far rounding goes (docs/sketches.md)."""

from collections.abc import Mapping
from typing import Any, Callable, Union

_SEED = 0x75C09E  # of the signs: the same on every rank, and no draw of the program's generators


def precision(torch: Any, device: str, dtype: Any) -> float:
    """Returns the unit of the last place of 1 in a type, or in the precision that autocast computes in on this kind of device.

    >>> import torch
    >>> precision(torch, "cpu", torch.float32) == 2**-23
    True
    """
    try:
        if torch.is_autocast_enabled(device):
            dtype = torch.get_autocast_dtype(device)
    except TypeError:  # torch before 2.4
        if device == "cuda" and torch.is_autocast_enabled():
            dtype = torch.get_autocast_gpu_dtype()
        elif device == "cpu" and torch.is_autocast_cpu_enabled():
            dtype = torch.get_autocast_cpu_dtype()
    return float(torch.finfo(dtype).eps)


class Perturbing:
    """Multiplies what the model is given by 1 + e or 1 - e, signs at random: its floating-point arguments, or where it is given none
    (tokens), the first output of floating point of a module in it.

    `perturb` is e, or True for the unit of the last place of the precision in which the model computes; `found` is told e once.
    """

    def __init__(self, model: Any, perturb: Union[bool, float], found: Callable[[float], None]) -> None:
        import torch

        self.torch, self.model, self.found = torch, model, found
        self.size = 0.0 if perturb is True else float(perturb)  # 0: not known before the first forward
        if not 0 <= self.size < 1:
            raise ValueError(f"perturb is True or a size between 0 and 1, not {perturb!r}")
        self.told = False
        self.generators: dict[Any, Any] = {}
        self.waiting = False  # for the first output of floating point
        self.handles = [model.register_forward_pre_hook(self.before, with_kwargs=True)]
        for part in model.modules():
            if part is not model:
                self.handles.append(part.register_forward_hook(self.after))

    def perturbed(self, tensor: Any) -> Any:
        """Returns the tensor times 1 + e or 1 - e."""
        torch, device = self.torch, tensor.device
        if not self.size:
            parameters = (p.dtype for p in self.model.parameters() if p.is_floating_point())
            self.size = precision(torch, device.type, next(parameters, tensor.dtype))
        if not self.told:
            self.told = True
            self.found(self.size)
        generator = self.generators.get(device)
        if generator is None:
            generator = self.generators[device] = torch.Generator(device=device).manual_seed(_SEED)
        signs = torch.randint(0, 2, tensor.shape, generator=generator, device=device, dtype=torch.int8)
        return tensor * (1 + (2 * signs - 1).to(tensor.dtype) * self.size)

    def _all(self, value: Any) -> Any:
        if hasattr(value, "is_floating_point"):
            if not value.is_floating_point():
                return value
            self.waiting = False
            return self.perturbed(value)
        if isinstance(value, Mapping) and type(value) is dict:
            return {key: self._all(item) for key, item in value.items()}
        if type(value) in (list, tuple):
            return type(value)(self._all(item) for item in value)
        return value

    def before(self, module: Any, args: Any, kwargs: Any) -> Any:
        """The model's forward begins."""
        if not self.torch.is_grad_enabled():
            return None
        self.waiting = True
        args, kwargs = self._all(args), self._all(kwargs)
        return None if self.waiting else (args, kwargs)

    def after(self, module: Any, args: Any, output: Any) -> Any:
        """A module in the model has given what it gives."""
        if not self.waiting or not hasattr(output, "is_floating_point") or not output.is_floating_point():
            return None
        self.waiting = False
        return self.perturbed(output)

    def remove(self) -> None:
        """Takes its hooks off the model."""
        for handle in self.handles:
            handle.remove()
        self.handles.clear()
