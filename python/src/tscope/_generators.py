"""The states of the generators of random numbers that a program has, as digests."""

import random
import struct
import sys
from typing import Any, Optional

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
    """Whether NumPy's generator has been drawn from since: by the memory of its state, since NumPy makes a number of each of its words
    to tell it. Where the memory does not look as it is known to, or half of a pair of normal numbers is left over, it is not known."""

    def __init__(self, numpy: Any) -> None:
        self._kind = numpy.random.mtrand
        self._bits = self._kind._rand._bit_generator  # which keeps the memory there
        state = numpy.random.get_state(legacy=False)
        self._at = self._bits.ctypes.state_address
        expected = state["state"]["key"].tobytes() + struct.pack("=i", state["state"]["pos"])
        self._before = digest_bytes(expected)
        known = state["bit_generator"] == "MT19937" and len(expected) == 4 * (_KEY + 1) and not state["has_gauss"]
        self._known = known and self.rests(True)

    def rests(self, known: Optional[bool] = None) -> bool:
        """Returns whether it surely has not."""
        same = self._kind._rand._bit_generator is self._bits
        return same and (known or self._known) and digest_at(self._at, 4 * (_KEY + 1)) == self._before


class Generators:
    """The generators of torch, of Python and of NumPy. One that training does not draw from says nothing of it, and is seldom seeded:
    Python's and NumPy's are left out while their states are those that they had at the beginning.

    >>> Generators().digest() == Generators().digest()
    True
    """

    def __init__(self) -> None:
        numpy = sys.modules.get("numpy")
        self._python = _of_python()
        self._numpy = _of_numpy(numpy) if numpy is not None else None
        self._resting: Optional[_Resting] = None
        try:
            self._resting = _Resting(numpy) if numpy is not None else None
        except Exception:
            pass  # of another NumPy: its state is asked for each time

    def digest(self) -> int:
        """Returns the digest of their states."""
        found = []
        python = _of_python()
        if python != self._python:
            found.append(("python", python))
        numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
        if numpy is not None and not (self._resting is not None and self._resting.rests()):
            state = _of_numpy(numpy)
            if state != self._numpy:
                found.append(("numpy", state))
        if torch is not None:
            found.append(("torch", _of_torch(torch.get_rng_state())))
            if torch.cuda.is_initialized():
                found.append(("cuda", _of_torch(torch.cuda.get_rng_state())))
        return digest_set(found)
