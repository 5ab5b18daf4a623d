"""The states of the generators of random numbers that a program has, as digests."""

import random
import struct
import sys
from typing import Any, Callable

from tscope._recorder import Resting, digest_at, digest_bytes, digest_set, digest_words

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


_END = 64  # bytes of a state that are looked at: how many of its words were drawn is in its ends, and when all were, each is another


def _ends(at: int, told: bytes) -> list[tuple[int, int]]:
    """Returns the places of the ends of a state that lies at an address, where the memory there is what its library tells of it."""
    known = len(told) >= 4 * _KEY and digest_at(at, len(told)) == digest_bytes(told)
    return [(at, _END), (at + len(told) - _END, _END)] if known else []


def _memory_of_python() -> "tuple[list[tuple[int, int]], list[Any]]":
    """Returns the places in which Python's generator has its state, and what shows that it is still this one. Half of a pair of normal
    numbers may be left over, which is kept elsewhere."""
    _, words, gauss = random.getstate()
    one: Any = getattr(random, "_inst", None)
    size = object.__basicsize__
    kind = type(one).__mro__[-2]  # of C, whose object begins with the place and the words
    if sys.implementation.name != "cpython" or gauss is not None or kind.__basicsize__ < size + 4 * (_KEY + 1):
        return [], []
    told = struct.pack(f"={len(words)}I", words[-1], *words[:-1])
    return _ends(id(one) + size, told), [(random, "_inst", one), (one, "gauss_next", None)]


def _memory_of_numpy(numpy: Any) -> "tuple[list[tuple[int, int]], list[Any]]":
    """The same of NumPy's, where no half of a pair of normal numbers is left over."""
    kind = numpy.random.mtrand
    one = kind._rand
    bits = one._bit_generator  # which keeps the memory there
    state = numpy.random.get_state(legacy=False)
    if state["bit_generator"] != "MT19937" or state["has_gauss"]:
        return [], []
    told = state["state"]["key"].tobytes() + struct.pack("=i", state["state"]["pos"])
    return _ends(bits.ctypes.state_address, told), [(kind, "_rand", one), (one, "_bit_generator", bits)]


_OF_TORCH = 5056  # bytes of its state: a seed, places, words of 32 bits in 64, and what is left over of pairs of normal numbers
_BEFORE, _BEHIND = 24, 32  # bytes of places in front of the words, and of what is left over behind them


def _memory_of_torch(torch: Any) -> "tuple[list[tuple[int, int]], list[Any]]":
    """The same of torch's on the host, whose object in C++ has its words among the first bytes. One of CUDA is asked."""
    one = torch.default_generator
    state, object_at = one.get_state(), one._cdata
    told = struct.pack(f"={_KEY}I", *state[_BEFORE : _BEFORE + 8 * _KEY].view(torch.int64).tolist())
    for at in range(object_at + 64, object_at + 192, 4) if state.nbytes == _OF_TORCH else ():
        if digest_at(at, _END) == digest_bytes(told[:_END]):
            ends = _ends(at, told)
            rest = [(at - _BEFORE, _BEFORE), (at + len(told), _BEHIND)]
            return ends + rest if ends else [], [(torch, "default_generator", one), (torch.cuda, "_initialized", False)]
    return [], []


def _resting(memory_of: Any, *of: Any) -> Any:
    """Returns what tells whether generators surely have not been drawn from, by the memory of their states, since Python and NumPy make
    a number of each word to tell it, and torch a tensor; None where that memory is not what they tell, as in another release."""
    try:
        places, asked = memory_of(*of)
        return Resting(places, asked) if places else None
    except Exception:
        return None


def _asked(resting: Any, ask: Callable[[], int]) -> int:
    """Returns what is asked, and has it kept as long as the memory is what it was before."""
    if resting is not None:
        resting.look()
    found = ask()
    if resting is not None:
        resting.tell(found)
    return found


def _memory_of_all(numpy: Any, torch: Any) -> "tuple[list[tuple[int, int]], list[Any]]":
    found = [_memory_of_python(), _memory_of_numpy(numpy), _memory_of_torch(torch)]
    return [place for places, _ in found for place in places] if all(places for places, _ in found) else [], [
        one for _, asked in found for one in asked
    ]


class Generators:
    """The generators of torch, of Python and of NumPy. One that training does not draw from says nothing of it, and is seldom seeded:
    Python's and NumPy's are left out while their states are those that they had at the beginning.

    >>> Generators().digest() == Generators().digest()
    True
    """

    def __init__(self) -> None:
        numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
        self._python_rests, self._numpy_rests = _resting(_memory_of_python), _resting(_memory_of_numpy, numpy)
        self._python = _asked(self._python_rests, _of_python)
        self._numpy = _asked(self._numpy_rests, lambda: _of_numpy(numpy)) if numpy is not None else None
        self.resting = _resting(_memory_of_all, numpy, torch)  # which has the digest, as long as nobody draws

    def digest(self) -> int:
        """Returns the digest of their states."""
        resting = self.resting
        if resting is not None and resting.rests():
            return int(resting.value)
        if resting is not None:
            resting.look()
        found = digest_set(self._ask())
        if resting is not None and self._numpy_rests.rests():  # else half of a pair may be left over, which is kept elsewhere
            resting.tell(found)
        return found

    def _ask(self) -> list[tuple[str, int]]:
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
        return found
