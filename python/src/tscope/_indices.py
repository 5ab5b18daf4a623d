"""Which samples a DataLoader draws for each step: a digest of their indices in order, the indices themselves as far as two bytes
a sample hold them, and the sampler's epoch. Nothing is drawn by it.

The main process draws the indices, also for workers, which are given them some batches ahead. Batches come in the order in which their
indices were drawn, so those of a batch are the oldest that no batch has come for.
"""

import sys
from array import array
from collections import deque
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional

from tscope import _loading
from tscope._numbers import Cannot
from tscope._patches import patched
from tscope._recorder import digest_bytes

if TYPE_CHECKING:
    from tscope._run import Run

_QUEUE = "_tscope_drawn"  # of an iterator
_MIX, _MASK = 0x9E3779B97F4A7C15, (1 << 64) - 1
_WORDS, _EACH = 16, 16  # words of a step at most, and bits for each of its samples
_COUNT, _HEAD = 16, 22  # bits of the number of samples; and with those that say how many bits a sample has
_KEPT = 128  # samples of a step that are kept
_WIDEST = 48  # bits of a sample

_holders = 0
_undo: list[Callable[[], None]] = []


class Draw(NamedTuple):
    """What was drawn for a batch.

    >>> Draw(1, None, None).bits
    1
    """

    bits: int
    epoch: Optional[int]
    base_seed: Optional[int]  # of workers: worker k begins with this and k more
    samples: "Optional[array[int]]" = None  # the first of the indices; None: they are no integers
    drawn: int = 0  # how many they are
    by: Any = None  # the loader's sampler of batches, which drew them


def _integers(index: Any) -> "Optional[array[int]]":
    try:
        return array("q", index if isinstance(index, (list, tuple)) else [index])
    except (TypeError, OverflowError):
        return None


def of_indices(index: Any) -> int:
    """Returns the digest of what a sampler gave for a batch: of integers as 64-bit words in their order, else of what they look like.

    >>> of_indices([3, 1]) == of_indices([3, 1]) != of_indices([1, 3])
    True
    """
    found = _integers(index)
    return digest_bytes(repr(index).encode("utf-8", "replace") if found is None else found.tobytes())


def packed(samples: "array[int]", drawn: int) -> list[int]:
    """Returns words of 64 bits, the lowest first: the number of samples that were drawn, how many bits each has, and as many of them as
    two bytes for each, and at most 128 bytes, hold, or 128.

    >>> packed(array("q", [3, 1]), 2) == [2 | 2 << 16 | 3 << 22 | 1 << 24]
    True
    """
    bits = max(max(samples).bit_length(), 1)
    if min(samples) < 0 or bits > _WIDEST:
        raise Cannot("an index that is negative, or has more than 48 bits")
    words = min(-(-(_HEAD + min(bits, _EACH) * min(drawn, _KEPT)) // 64), _WORDS)
    whole, at = min(drawn, (1 << _COUNT) - 1) | bits << _COUNT, _HEAD
    for sample in samples[: (64 * words - _HEAD) // bits]:
        whole |= sample << at
        at += bits
    return [whole >> 64 * i & _MASK for i in range(words)]


def _epoch(sampler: Any) -> Optional[int]:
    for _ in range(4):
        if sampler is None:
            break
        epoch = getattr(sampler, "epoch", None)
        if isinstance(epoch, int):
            return epoch
        sampler = getattr(sampler, "batch_sampler", None) or getattr(sampler, "sampler", None)
    return None


def _drawing(before: Any) -> Any:
    def _next_index(iterator: Any) -> Any:
        index = before(iterator)
        try:
            if iterator._dataset_kind == 0 and getattr(iterator, "_in_order", True):  # of a map: an iterable has no indices
                seed = iterator._base_seed if iterator._num_workers else None
                epoch, found = _epoch(iterator._index_sampler), _integers(index)
                draw = Draw(of_indices(index), epoch, seed, by=iterator._index_sampler)
                if found is not None:
                    draw = draw._replace(samples=found[:_KEPT], drawn=len(found))
                iterator.__dict__.setdefault(_QUEUE, deque(maxlen=4096)).append(draw)
        except Exception:
            iterator.__dict__.pop(_QUEUE, None)
        return index

    return _next_index


def _resetting(before: Any) -> Any:
    def _reset(iterator: Any, *args: Any, **kwargs: Any) -> Any:
        iterator.__dict__.pop(_QUEUE, None)  # what was drawn ahead of an epoch that was left
        return before(iterator, *args, **kwargs)

    return _reset


def hold() -> None:
    """Has what iterators of DataLoaders draw noted, and how long workers work that begin meanwhile, until `release` is called as often.

    >>> hold()
    >>> release()
    """
    global _holders
    _holders += 1
    module = sys.modules.get("torch.utils.data.dataloader")
    if module is not None and not _undo:
        kind = module._BaseDataLoaderIter
        for name, around in (("_next_index", _drawing), ("_reset", _resetting)):
            if name in kind.__dict__:
                _undo.append(patched(kind, name, around(kind.__dict__[name])))
        _undo.extend(_loading.patches(sys.modules.get("torch.utils.data._utils.fetch")))


def release() -> None:
    """Takes the patches back, if nobody else holds them.

    >>> hold()
    >>> release()
    """
    global _holders
    _holders -= 1
    while not _holders and _undo:
        _undo.pop()()


def taken(iterator: Any) -> Optional[Draw]:
    """Returns what was drawn for the batch that an iterator has just given, or None where that is not known.

    >>> taken(iter([1, 2]))
    """
    queue = getattr(iterator, "__dict__", {}).get(_QUEUE)
    return queue.popleft() if queue else None


class Indices:
    """Records `digests.indices` and the samples of the steps of a run, and as an event when the sampler's epoch changes.

    The indices of several batches of one step make one digest, as batches do. It is recorded when a batch of a later step comes, or at
    the end, if the last step that ended is the one for which the batches came; of others, such as those between two steps whose numbers
    do not follow one another, it is not known.

    >>> Indices(run).add(None)
    """

    def __init__(self, run: "Run") -> None:
        self._run = run
        self._fed = False
        self._step: Optional[int] = None  # for which batches came; None: the first one, whose number is not known before it begins
        self._bits = 0
        self._sure = False  # one of them came while it was open
        self._whole = True  # all batches of the step are known
        self._batches = 0  # of that step
        self._samples: array[int] = array("q")  # of it, the first of them
        self._drawn = 0  # how many they are; 0: not all of them are integers
        self._columns: list[str] = []
        self._ended = 0  # steps whose batches are known, up to 3
        self._epoch: Optional[int] = None
        self._seed: Optional[int] = None

    def add(self, draw: Optional[Draw]) -> None:
        """The loader gave a batch, for the step that is open or that comes next."""
        if draw is None:
            return
        run = self._run
        now, step = run._step_now(), run._step_fed()
        key = None if now is None else step
        if self._fed and self._step is None and key is not None and key == run._first_step:
            self._step = key
        if self._fed and self._step == key:
            self._bits = (self._bits * _MIX + draw.bits) & _MASK
            self._batches += 1
            self._keep(draw, bool(self._drawn))
            self._sure = self._sure or step == now
        else:
            known = not self._fed or self.end()
            strayed = not known and step == now  # it was for the step that is open, which has another number
            self._fed, self._step, self._bits, self._batches = True, key, draw.bits, 1
            self._samples, self._drawn = array("q"), 0
            self._keep(draw, True)
            self._sure, self._whole = step == now, not strayed
        self._note(draw)

    def _keep(self, draw: Draw, whole: bool) -> None:
        """Keeps the samples of another batch of the step, if all of its are known."""
        if not whole or draw.samples is None:
            self._drawn = 0
            return
        self._drawn += draw.drawn
        self._samples.extend(draw.samples[: max(_KEPT - len(self._samples), 0)])

    def _packed(self) -> dict[str, int]:
        """Returns the columns of the samples of the step; none where they are not known."""
        if not self._drawn:
            return {}
        try:
            words = packed(self._samples, self._drawn)
        except Exception as error:
            self._run._cannot(f"the samples of a batch: {error}")
            return {}
        if len(words) > len(self._columns):
            new = [f"samples_{i}" for i in range(len(self._columns), len(words))]
            self._columns += new
            self._run.facts({"columns": {f"digests.{name}": {"role": "observation"} for name in new}})
        return dict(zip(self._columns, words))

    def _note(self, draw: Draw) -> None:
        if draw.epoch is not None and draw.epoch != self._epoch:
            self._epoch = draw.epoch
            self._run.event("sampler epoch", draw.epoch)
        if draw.base_seed is not None and self._seed is None:
            self._seed = draw.base_seed
            self._run.facts({"work": {"loader": {"base_seed": draw.base_seed}}})

    def forget(self) -> None:
        """The step for which batches came is none."""
        self._fed = False

    def end(self) -> bool:
        """Records what is known of the step that ended last. Returns whether that was the one for which the batches came."""
        run, fed, self._fed = self._run, self._fed, False
        now, step = run._step_now(), self._step if self._step is not None else run._first_step
        is_open = now is not None and run._step_fed() == now
        known = now is not None and step == (now - 1 if is_open else now)
        known = known or (self._sure and not (is_open and step == now))
        if fed and step is not None and known and self._whole:
            run._late_digests(step, {"indices": self._bits, **self._packed()})
            self._count()
        return known

    def _count(self) -> None:
        """Says how many batches a step has, by the second one: to the first may count those that a resumed run passes over."""
        self._ended = min(self._ended + 1, 3)
        if self._ended == 2:
            self._run.facts({"work": {"loader": {"batches_per_step": self._batches}}})
