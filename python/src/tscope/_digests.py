"""Digests of tensors (docs/digests.md): sums of 64-bit words, on the device where they lie, in whatever order it adds."""

from collections.abc import Iterable, Mapping
from typing import Any, Callable, Optional

from tscope._numbers import Cannot, outside_capture, stream_of
from tscope._recorder import digest_at, digest_bytes, digest_set, digest_tensors

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_ROW = 4096  # words


def finish(z: int) -> int:
    """Mixes 64 bits, so that sums that are near each other give digests that are not (SplitMix64).

    >>> f"{finish(1):016x}"
    '5692161d100b05e5'
    """
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _MASK
    return z ^ (z >> 31)


def _factors(torch: Any, first: int, n: int, device: Any) -> Any:
    """Returns finish((i + 1) golden) for n numbers from `first` on, as the int64 of the same bits."""

    def shifted(z: Any, bits: int) -> Any:
        return (z >> bits) & ((1 << (64 - bits)) - 1)

    def signed(bits: int) -> int:
        return bits - (1 << 64) if bits >> 63 else bits

    z = (torch.arange(n, dtype=torch.int64, device=device) + (first + 1)) * signed(_GOLDEN)
    z = (z ^ shifted(z, 30)) * signed(0xBF58476D1CE4E5B9)
    z = (z ^ shifted(z, 27)) * signed(0x94D049BB133111EB)
    return z ^ shifted(z, 31)


class Factors:
    """The factors of columns and rows on one stream of a device, made once and longer when a longer tensor comes."""

    def __init__(self, torch: Any, device: Any) -> None:
        self._torch, self._device = torch, device
        self.columns = _factors(torch, 0, _ROW, device) | 1
        self._rows = _factors(torch, 1 << 32, 64, device) & -2

    def rows(self, n: int) -> Any:
        """Returns the factors of the first n rows."""
        if n > len(self._rows):
            self._rows = _factors(self._torch, 1 << 32, 2 * n, self._device) & -2
        return self._rows[:n]


_made: dict[Any, Factors] = {}


def _words(torch: Any, tensor: Any) -> tuple[Any, int]:
    """Returns the bytes of a tensor as 64-bit words, the last one filled with zeros, and how many bytes there are."""
    flat = torch.view_as_real(tensor).reshape(-1) if tensor.is_complex() else tensor.reshape(-1)
    if flat.numel() == 0:
        return torch.zeros(0, dtype=torch.int64, device=flat.device), 0
    flat = flat.view(torch.uint8)
    n = flat.numel()
    if n % 8:
        flat = torch.nn.functional.pad(flat, (0, 8 - n % 8))
    elif flat.storage_offset() % 8:
        flat = flat.clone()
    return flat.view(torch.int64), n


def sum_of(tensor: Any) -> tuple[Any, int]:
    """Returns, as a tensor of one int64 on the tensor's device, the sum that `whole` makes a digest of; and the number of its bytes.

    Two passes over memory: the sums of the columns of rows of 4,096 words, and the sums of the rows.
    """
    import torch

    outside_capture(torch, tensor.device)
    words, n = _words(torch, tensor)
    place = stream_of(torch, words.device)
    factors = _made.get(place)
    if factors is None:
        factors = _made[place] = Factors(torch, words.device)
    rows, rest = divmod(words.numel(), _ROW)
    total = torch.zeros((), dtype=torch.int64, device=words.device)
    row_factors = factors.rows(rows + 1)
    if rows:
        table = words[: rows * _ROW].view(rows, _ROW)
        total = (table.sum(0) * factors.columns).sum() + (table.sum(1) * row_factors[:rows]).sum()
    if rest:
        total = total + (words[rows * _ROW :] * (factors.columns[:rest] + row_factors[rows])).sum()
    return total, n


def whole(total: int, n: int) -> int:
    """Returns the digest of n bytes whose sum is `total`.

    >>> whole(0, 0)
    0
    """
    return finish((total + n * _GOLDEN) & _MASK)


def local(tensor: Any) -> Any:
    """Returns the tensor without its gradient; of a tensor that is spread over ranks, this rank's part."""
    tensor = tensor.detach()
    to_local = getattr(tensor, "to_local", None)
    tensor = to_local() if callable(to_local) else tensor
    if tensor.device.type == "meta" or tensor.is_sparse or tensor.is_quantized:
        raise Cannot("a sparse, quantized or meta tensor has no digest")
    return tensor


def of_set(digests: Iterable[tuple[str, int]]) -> int:
    """Returns the digest of named tensors, in whatever order they come.

    >>> of_set([("a", 1), ("b", 2)]) == of_set([("b", 2), ("a", 1)]) != of_set([("a", 2), ("b", 1)])
    True
    """
    return digest_set(digests)


_plain: tuple[Any, ...] = ()


def plain_types() -> tuple[Any, Any]:
    """Returns torch.Tensor and torch.nn.Parameter: what other types do, nobody knows."""
    global _plain
    if not _plain:
        import torch

        _plain = (torch.Tensor, torch.nn.Parameter)
    return _plain


def lies_plain(tensor: Any) -> bool:
    """Whether a tensor's numbers can be read where it lies: of the host, and one behind the other.

    >>> import torch
    >>> lies_plain(torch.ones(2, 3)), lies_plain(torch.ones(2, 3).T), lies_plain(torch.ones(2).to_sparse())
    (True, False, False)
    """
    return type(tensor) in plain_types() and tensor.is_cpu and not (tensor.is_sparse or tensor.is_quantized) and tensor.is_contiguous()


def in_memory(tensor: Any) -> Any:
    """Returns a tensor of the host whose numbers lie in memory, one behind the other. One that wraps another, as what a collective
    gives that is still under way, is asked for it, and waited for.

    >>> import torch
    >>> in_memory(torch.ones(2, 3).T).is_contiguous()
    True
    """
    found = tensor
    if not tensor.data_ptr() and tensor.numel() and type(tensor) not in plain_types():
        found = tensor.clone()
    if not found.data_ptr() and found.numel():  # the memory was given back, or nobody knows what the wrapper wraps
        raise Cannot(f"a tensor of type {type(tensor).__name__} whose numbers do not lie in memory is not read")
    return found.contiguous()


def of_host(tensor: Any) -> int:
    """Returns the digest of a tensor of the host: one pass in C."""
    flat = in_memory(tensor if lies_plain(tensor) else local(tensor))
    return digest_at(flat.data_ptr(), flat.nbytes)


def bits_of(value: Any) -> int:
    """Returns the digest of an integer (itself), of bytes, or of a tensor or an array; a tensor of a device is waited for.

    >>> bits_of(b"bytes") == bits_of(bytearray(b"bytes"))
    True
    """
    if isinstance(value, int):
        return value & _MASK
    if isinstance(value, (bytes, bytearray, memoryview)):
        return digest_bytes(bytes(value))
    if hasattr(value, "data_ptr"):
        if value.device.type == "cpu":
            return of_host(value)
        total, n = sum_of(local(value))
        return whole(int(total), n)
    if hasattr(value, "tobytes"):
        return digest_bytes(value.tobytes())
    raise Cannot(f"a value of type {type(value).__name__} has no digest")


def leaves(value: Any, path: str) -> Iterable[tuple[str, Any]]:
    """Returns what lies in the lists and dictionaries of a batch, each with its place.

    >>> list(leaves({"ids": [1, 2]}, ""))
    [('.ids[0]', 1), ('.ids[1]', 2)]
    """
    if isinstance(value, Mapping):
        for key in value:
            yield from leaves(value[key], f"{path}.{key}")
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from leaves(item, f"{path}[{i}]")
    elif value is not None:
        yield path, value


def of_batch(batch: Any) -> int:
    """Returns the digest of a batch: of all tensors, arrays, numbers and texts in its lists and dictionaries, by their places.

    >>> of_batch({"ids": [1, 2], "text": "a"}) == of_batch({"text": "a", "ids": [1, 2]}) != of_batch({"ids": [2, 1], "text": "a"})
    True
    """
    return of_set((path, bits) for path, bits, _ in leaves_of(batch))


def leaves_of(batch: Any) -> list[tuple[str, int, bool]]:
    """Returns the place and digest of each part of a batch, and whether it is a tensor or array of several real numbers.

    >>> leaves_of({"x": 0.5})[0][0]
    '.x'
    """
    found = []
    for path, leaf in leaves(batch, ""):
        if hasattr(leaf, "data_ptr") or hasattr(leaf, "tobytes") or isinstance(leaf, (bytes, bytearray, memoryview)):
            real = "float" in str(getattr(leaf, "dtype", "")) and len(getattr(leaf, "shape", ())) > 0
            found.append((path, bits_of(leaf), real))
        else:
            found.append((path, digest_bytes(repr(leaf).encode("utf-8", "replace")), False))
    return found


def of_tensors(
    tensors: list[tuple[str, Any]],
    late: Any,
    arrived: Callable[[int], None],
    each: Optional[Callable[[list[tuple[str, int]]], None]] = None,
    doubt: Optional[Callable[[list[str]], None]] = None,
) -> None:
    """Has the digest of named tensors made: those of the host at once, those of a device there, and read when they are done. `each` is
    given the names and digests of the tensors before. A number counts as a float64. `doubt` is given at once the names of those on the
    host that may be zero in every element, if there are any."""
    doubtful: Optional[list[str]] = None if doubt is None else []
    digest, known, elsewhere = digest_tensors(tensors, plain_types(), doubtful)
    if not elsewhere:
        if doubtful and doubt is not None:
            doubt(doubtful)
        if each is not None:
            each(known)
        arrived(digest)
        return
    asked: dict[Any, list[tuple[str, Any, int]]] = {}
    for name, given in elsewhere:
        tensor = local(given)
        if tensor.device.type != "cpu":
            asked.setdefault(tensor.device, []).append((name, *sum_of(tensor)))
            continue
        known.append((name, of_host(tensor)))
        if doubtful is not None:
            doubtful.append(name)
    if doubtful and doubt is not None:
        doubt(doubtful)
    left = len(asked)

    def done() -> None:
        if each is not None:
            each(known)
        arrived(of_set(known))

    if not left:
        done()
        return

    def take(part: list[tuple[str, Any, int]], sums: list[int]) -> None:
        nonlocal left
        known.extend((name, whole(total & _MASK, n)) for (name, _, n), total in zip(part, sums))
        left -= 1
        if not left:
            done()

    import torch

    for part in asked.values():
        late.words(torch.stack([total for _, total, _ in part]), lambda sums, part=part: take(part, sums))
