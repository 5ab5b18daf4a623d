"""Sketches of tensors (docs/sketches.md): 256 signed sums, on the device where they lie, added in a fixed order."""

import math
import struct
from typing import Any, Optional

from tscope._digests import in_memory
from tscope._numbers import Cannot, outside_capture, stream_of
from tscope._recorder import sketch_at
from tscope._shards import is_dtensor

SUMS = 256
_BLOCK = 4096  # rows of 256 elements that are sketched at once on a device: 1 Mi elements
_KEPT = 16  # blocks whose pattern stays on a device: 17 MiB
_FORMS = {"torch.float64": 0, "torch.float32": 1, "torch.bfloat16": 2, "torch.float16": 3}
_STATE = struct.Struct(f"={SUMS + 1}d2Q")


def _mix(torch: Any, z: Any) -> Any:
    """Returns SplitMix64 of the int64 of the same bits."""

    def shifted(z: Any, bits: int) -> Any:
        return (z >> bits) & ((1 << (64 - bits)) - 1)

    def signed(bits: int) -> int:
        return bits - (1 << 64) if bits >> 63 else bits

    z = z + signed(0x9E3779B97F4A7C15)
    z = (z ^ shifted(z, 30)) * signed(0xBF58476D1CE4E5B9)
    z = (z ^ shifted(z, 27)) * signed(0x94D049BB133111EB)
    return z ^ shifted(z, 31)


class Pattern:
    """The signs of all elements and the turns of all rows of 256, on one stream of a device; the first blocks are kept."""

    def __init__(self, torch: Any, device: Any) -> None:
        self._torch, self._device = torch, device
        self._kept: dict[int, tuple[Any, Any]] = {}
        self._order: dict[int, tuple[Any, Any]] = {}

    def block(self, number: int) -> tuple[Any, Any]:
        """Returns the signs (rows x 256, -1 or 1) of a block, and by how much each of its rows is turned."""
        found = self._kept.get(number)
        if found is not None:
            return found
        torch = self._torch
        rows = torch.arange(number * _BLOCK, (number + 1) * _BLOCK, dtype=torch.int64, device=self._device)
        index = rows.unsqueeze(1) * SUMS + torch.arange(SUMS, dtype=torch.int64, device=self._device)
        negative = _mix(torch, index + -(1 << 63)) < 0
        made = (1 - 2 * negative.to(torch.int8), _mix(torch, rows) & (SUMS - 1))
        if len(self._kept) < _KEPT:
            self._kept[number] = made
        return made

    def order(self, number: int) -> tuple[Any, Any]:
        """Returns the rows of a whole block in order of their turns, and where each of the 256 turns begins in that order."""
        found = self._order.get(number)
        if found is not None:
            return found
        torch = self._torch
        # Not by bincount, which waits for the device to learn the largest number.
        turns, rows = torch.sort(self.block(number)[1], stable=True)
        made = (rows, torch.searchsorted(turns, torch.arange(SUMS, dtype=torch.int64, device=self._device)))
        if len(self._order) < _KEPT:
            self._order[number] = made
        return made


_made: dict[Any, Pattern] = {}


def whole_block(torch: Any, pattern: Pattern, number: int, part: Any, total: Any) -> None:
    """Adds a block of all its rows: elements times their signs, rows of one turn added up, and those sums turned to where they lie."""
    clean = torch.nan_to_num(part, 0.0, 0.0, 0.0)
    total[SUMS + 1] += (clean != part).sum()
    rows, begins = pattern.order(number)
    signed = torch.empty(_BLOCK, SUMS, dtype=torch.float64, device=part.device)
    torch.mul(clean.view(_BLOCK, SUMS), pattern.block(number)[0], out=signed)
    total[SUMS] += torch.dot(signed.view(-1), signed.view(-1))
    by_turn = torch.nn.functional.embedding_bag(rows, signed, begins, mode="sum")
    places = torch.arange(SUMS, dtype=torch.int64, device=part.device)
    total[:SUMS] += torch.gather(by_turn, 1, (places - places.unsqueeze(1)) & (SUMS - 1)).sum(0)


def on_device(tensor: Any, first: int = 0) -> Any:
    """Returns, of elements whose indices begin with `first`, as 258 float64 on the tensor's device, the sums, the sum of squares
    and how many elements are not finite.

    Elements are multiplied by their signs, rows of 256 are turned to where their sums lie, and added up: no two threads of the device
    add to one place, so that the same tensor gives the same bits.
    """
    import torch

    outside_capture(torch, tensor.device)
    skipped, before = divmod(first, _BLOCK * SUMS)
    flat = torch.nn.functional.pad(tensor.reshape(-1), (before, 0)) if before else tensor.reshape(-1)
    place = stream_of(torch, flat.device)
    pattern = _made.get(place)
    if pattern is None:
        pattern = _made[place] = Pattern(torch, flat.device)
    places = torch.arange(SUMS, dtype=torch.int64, device=flat.device)
    total = torch.zeros(SUMS + 2, dtype=torch.float64, device=flat.device)
    for number, begin in enumerate(range(0, flat.numel(), _BLOCK * SUMS), skipped):
        part = flat[begin : begin + _BLOCK * SUMS]
        if part.numel() == _BLOCK * SUMS:
            whole_block(torch, pattern, number, part, total)
            continue
        part = part.to(torch.float64)
        finite = torch.isfinite(part)
        part = torch.where(finite, part, 0.0)
        total[SUMS] += (part * part).sum()
        total[SUMS + 1] += (~finite).sum()
        rows = -(-part.numel() // SUMS)
        part = torch.nn.functional.pad(part, (0, rows * SUMS - part.numel())).view(rows, SUMS)
        signs, turns = pattern.block(number)
        where = (places - turns[:rows].unsqueeze(1)) & (SUMS - 1)
        total[:SUMS] += torch.gather(part * signs[:rows], 1, where).sum(0)
    return total


def packed(numbers: list[float], count: int) -> bytes:
    """Returns what `on_device` gave, in the form of the extension: 256 sums and the squares, and the two counts.

    >>> len(packed([0.0] * 258, 5))
    2072
    """
    return _STATE.pack(*numbers[: SUMS + 1], count, int(numbers[SUMS + 1]))


def placed(tensor: Any, shard: Optional[tuple[Any, Any]]) -> tuple[Any, int]:
    """Returns elements and the index of the first of them: the tensor; its shard, where that is one stretch of the whole; else
    its shard in a whole of zeros, where its elements have the indices that they have in the whole."""
    tensor = tensor.detach()
    if is_dtensor(tensor):
        tensor = tensor.to_local()
    if tensor.device.type in ("meta", "mps") or tensor.is_sparse or tensor.is_quantized:
        raise Cannot("a sparse, quantized or meta tensor, and one on MPS, which has no float64, has no sketch")
    if tensor.is_complex() or not tensor.is_floating_point():
        raise Cannot("a tensor that is not of floating point has no sketch")
    if tensor.element_size() == 1:
        tensor = tensor.float()
    if shard is None:
        return tensor, 0
    shape, offsets = (tuple(int(n) for n in numbers) for numbers in shard)
    ends = tuple(o + n for o, n in zip(offsets, tensor.shape))
    if not len(shape) == len(offsets) == tensor.dim() or any(o < 0 or e > n for o, e, n in zip(offsets, ends, shape)):
        raise Cannot(f"a shard of shape {tuple(tensor.shape)} at {offsets} does not lie in a whole of shape {shape}")
    if tuple(tensor.shape[1:]) == shape[1:]:
        return tensor, offsets[0] * math.prod(shape[1:]) if shape else 0
    whole = tensor.new_zeros(shape)
    whole[tuple(slice(o, e) for o, e in zip(offsets, ends))] = tensor
    return whole, 0


def sketched(tensor: Any, shard: Optional[tuple[Any, Any]] = None) -> Any:
    """Returns the sketch of a tensor, or of a shard at (shape of the whole, offsets): bytes where it lies on the host, made by one pass
    in C; else 258 numbers on its device, for `packed`.

    >>> import torch
    >>> len(sketched(torch.ones(3, 4)))
    2072
    """
    whole, first = placed(tensor, shard)
    if whole.device.type != "cpu":
        return on_device(whole, first)
    flat = in_memory(whole)
    if str(flat.dtype) not in _FORMS:
        flat = flat.double()
    made = sketch_at(_FORMS[str(flat.dtype)], flat.data_ptr(), flat.numel(), first)
    return made if shard is None else with_count(made, elements(tensor))


def elements(tensor: Any) -> int:
    """Returns how many elements of a tensor this rank has.

    >>> import torch
    >>> elements(torch.ones(3, 4))
    12
    """
    return int((tensor.to_local() if is_dtensor(tensor) else tensor).numel())


def with_count(made: bytes, count: int) -> bytes:
    """Returns a sketch of a shard with the number of the shard's own elements.

    >>> _STATE.unpack(with_count(packed([0.0] * 258, 5), 3))[-2]
    3
    """
    *values, _, nonfinite = _STATE.unpack(made)
    return _STATE.pack(*values, count, nonfinite)


def squares_of(made: bytes) -> float:
    """Returns the sum of squares of a sketch.

    >>> squares_of(packed([0.0] * 256 + [4.0, 0.0], 5))
    4.0
    """
    return float(_STATE.unpack(made)[SUMS])


def difference(after: Any, before: Any, least: float) -> Any:
    """Returns the sketch of a difference. Its sum of squares is estimated from the sums: -1 where the norm is below the share `least`
    of that before, and not 0: no update at all is no rounding.

    >>> [squares_of(difference(packed([2.0] * 258, 5), packed([1.0] * 258, 5), least)) for least in (1, 20)]
    [256.0, -1.0]
    """
    if isinstance(after, bytes):
        a, b = _STATE.unpack(after), _STATE.unpack(before)
        sums = [x - y for x, y in zip(a[:SUMS], b[:SUMS])]
        squares = sum(x * x for x in sums)
        return _STATE.pack(*sums, -1.0 if 0 < squares < least * least * b[SUMS] else squares, a[-2], max(a[-1], b[-1]))
    import torch

    made = after - before
    squares = (made[:SUMS] * made[:SUMS]).sum()
    made[SUMS] = torch.where((squares > 0) & (squares < least * least * before[SUMS]), -1.0, squares)
    made[SUMS + 1] = after[SUMS + 1]
    return made
