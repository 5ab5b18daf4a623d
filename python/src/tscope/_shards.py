"""Where the local part of a DTensor lies in its whole: what FSDP2 and tensor parallelism of torch shard, without any communication."""

from typing import Any, Optional

from tscope._numbers import Cannot

Part = tuple[int, int]  # where a part of a dimension begins, and how long it is


def part_of(length: int, parts: int, number: int) -> Part:
    """Returns the part of a dimension that a rank holds, cut as torch.chunk cuts.

    >>> [part_of(10, 4, i) for i in range(4)]
    [(0, 3), (3, 3), (6, 3), (9, 1)]
    """
    full = -(-length // parts)
    begin = min(full * number, length)
    return begin, min(full, length - begin)


def is_dtensor(tensor: Any) -> bool:
    """Whether a tensor is a DTensor.

    >>> is_dtensor(3)
    False
    """
    return hasattr(tensor, "placements") and hasattr(tensor, "device_mesh")


def place_of(tensor: Any) -> Optional[tuple[list[int], list[int]]]:
    """Returns the shape of the whole of a DTensor and where the local part begins; None: the local part is the whole."""
    shape = [int(n) for n in tensor.shape]
    offsets, lengths, cut = [0] * len(shape), list(shape), False
    where = tensor.device_mesh.get_coordinate()
    if where is None:
        raise Cannot("a DTensor of a mesh that this rank is not in has no part here")
    for dimension, placement in enumerate(tensor.placements):
        if type(placement).__name__ not in ("Shard", "Replicate"):
            raise Cannot(f"a DTensor that is placed as {type(placement).__name__} has no sketch: "
                         "its parts are no stretches of its whole, or no parts")
        if placement.is_shard():
            begin, length = part_of(lengths[placement.dim], tensor.device_mesh.size(dimension), where[dimension])
            offsets[placement.dim] += begin
            lengths[placement.dim], cut = length, True
    if list(tensor.to_local().shape) != lengths:
        found = tuple(tensor.to_local().shape)
        raise Cannot(f"the local part of a DTensor is of shape {found}, and not {tuple(lengths)} as its placements say")
    return (shape, offsets) if cut else None


def is_counted(tensor: Any) -> bool:
    """Whether this rank's part of a DTensor counts: of ranks that hold the same shard the first, since shards are added up."""
    where = tensor.device_mesh.get_coordinate()
    return where is not None and all(at == 0 for at, placement in zip(where, tensor.placements) if placement.is_replicate())
