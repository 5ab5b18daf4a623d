"""The states of the generators of random numbers that a program has, as digests."""

import random
import struct
import sys
from typing import Any

from tscope._recorder import digest_at, digest_bytes, digest_set, digest_words

_KEY = 624  # words of 32 bits: the state of a Mersenne Twister


def _of_python() -> int:
    version, words, gauss = random.getstate()
    return digest_words(version, words, repr(gauss).encode())


def _of_numpy(numpy: Any) -> int:
    state = numpy.random.get_state(legacy=False)
    rest = (state["state"]["pos"], state["has_gauss"], state["gauss"])
    return digest_bytes(state["state"]["key"].tobytes() + repr(rest).encode())


def _of_torch(state: Any) -> int:
    return digest_at(state.data_ptr(), state.nbytes)


class _Resting:
    """Whether a Mersenne Twister surely has not been drawn from since: by the memory of its state, since Python and NumPy make a number
    of each of its words to tell it. It is known where that memory has what they tell. Its ends are enough: how many of the words were
    drawn is in them, and when all were, every word is another."""

    _END = 64  # bytes

    def __init__(self, at: int, told: bytes) -> None:
        self._first, self._last = at, at + len(told) - self._END
        self._before = digest_bytes(told[: self._END]), digest_bytes(told[-self._END :])
        self.known = len(told) == 4 * (_KEY + 1) and digest_at(at, len(told)) == digest_bytes(told)

    def rests(self) -> bool:
        """Returns whether the memory is what it was."""
        return digest_at(self._first, self._END) == self._before[0] and digest_at(self._last, self._END) == self._before[1]


class _RestingPython:
    """The same of Python's generator. Half of a pair of normal numbers may be left over, which is kept elsewhere.

    >>> _RestingPython().rests()
    True
    """

    def __init__(self) -> None:
        _, words, gauss = random.getstate()
        self._one: Any = getattr(random, "_inst", None)
        size = object.__basicsize__
        kind = type(self._one).__mro__[-2]  # of C, whose object begins with the place and the words
        known = sys.implementation.name == "cpython" and gauss is None and kind.__basicsize__ >= size + 4 * (_KEY + 1)
        self._memory = _Resting(id(self._one) + size, struct.pack(f"={len(words)}I", words[-1], *words[:-1])) if known else None

    def rests(self) -> bool:
        """Returns whether it surely has not been drawn from."""
        memory = self._memory
        same = memory is not None and memory.known and getattr(random, "_inst", None) is self._one
        return same and self._one.gauss_next is None and memory.rests()  # type: ignore[union-attr]


class _RestingNumpy:
    """The same of NumPy's, where no half of a pair of normal numbers was left over as it was looked at first."""

    def __init__(self, numpy: Any) -> None:
        self._kind = numpy.random.mtrand
        self._bits = self._kind._rand._bit_generator  # which keeps the memory there
        state = numpy.random.get_state(legacy=False)
        told = state["state"]["key"].tobytes() + struct.pack("=i", state["state"]["pos"])
        known = state["bit_generator"] == "MT19937" and not state["has_gauss"]
        self._memory = _Resting(self._bits.ctypes.state_address, told) if known else None

    def rests(self) -> bool:
        """Returns whether it surely has not been drawn from."""
        memory = self._memory
        return memory is not None and memory.known and self._kind._rand._bit_generator is self._bits and memory.rests()


def _resting(kind: Any, *of: Any) -> Any:
    try:
        return kind(*of)
    except Exception:
        return None  # of another release: the state is asked for each time


class Generators:
    """The generators of torch, of Python and of NumPy. One that training does not draw from says nothing of it, and is seldom seeded:
    Python's and NumPy's are left out while their states are those that they had at the beginning.

    >>> Generators().digest() == Generators().digest()
    True
    """

    def __init__(self) -> None:
        numpy = sys.modules.get("numpy")
        self._python, self._python_rests = _of_python(), _resting(_RestingPython)
        self._numpy = _of_numpy(numpy) if numpy is not None else None
        self._numpy_rests = _resting(_RestingNumpy, numpy)

    def digest(self) -> int:
        """Returns the digest of their states."""
        found = []
        if not (self._python_rests and self._python_rests.rests()):
            state = _of_python()
            if state != self._python:
                found.append(("python", state))
        numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
        if numpy is not None and not (self._numpy_rests and self._numpy_rests.rests()):
            state = _of_numpy(numpy)
            if state != self._numpy:
                found.append(("numpy", state))
        if torch is not None:
            found.append(("torch", _of_torch(torch.default_generator.get_state())))
            if torch.cuda.is_initialized():
                found.append(("cuda", _of_torch(torch.cuda.get_rng_state())))
        return digest_set(found)
