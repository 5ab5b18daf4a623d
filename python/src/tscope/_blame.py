"""Which module was running when memory ran out: the innermost one on the stack of the exception, which costs nothing before."""

import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Optional

from tscope._say import write

if TYPE_CHECKING:
    from tscope._run import Run

_SAID = re.compile(r"out of memory|can't allocate memory|not enough memory", re.I)
_ASKED = re.compile(r"tried to allocate ([0-9.]+ ?(?:[KMGT]i?B|bytes?))", re.I)
_SHOWN = 3  # layers whose memory is said


def is_out_of_memory(error: Optional[BaseException]) -> bool:
    """Whether an exception says that memory ran out: that of a device, or the host's.

    >>> is_out_of_memory(MemoryError()), is_out_of_memory(RuntimeError("MPS backend out of memory")), is_out_of_memory(ValueError())
    (True, True, False)
    """
    if isinstance(error, MemoryError) or any(kind.__name__ == "OutOfMemoryError" for kind in type(error).__mro__):
        return True
    return isinstance(error, RuntimeError) and _SAID.search(str(error)) is not None


def asked_for(error: BaseException) -> str:
    """Returns how much an exception says was asked for, or "an amount that is not known".

    >>> asked_for(RuntimeError("CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has ..."))
    '20.00 MiB'
    """
    found = _ASKED.search(str(error))
    return found[1] if found else "an amount that is not known"


def _frames(error: BaseException) -> Iterator[Any]:
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


def module_of(error: BaseException) -> "tuple[Optional[str], Any]":
    """Returns the name and the module whose forward was running when an exception was raised; (None, None) if none of torch's was.

    >>> module_of(ValueError())
    (None, None)
    """
    torch = sys.modules.get("torch")
    if torch is None:
        return None, None
    running = []
    for frame in _frames(error):
        module = frame.f_locals.get("self") if frame.f_code.co_varnames[:1] == ("self",) else None
        if isinstance(module, torch.nn.Module):
            running.append(module)
    if not running:
        return None, None
    for name, module in running[0].named_modules():
        if module is running[-1]:
            return name, module
    return "", running[-1]


def _where(error: BaseException, last: Optional[str]) -> str:
    name, module = module_of(error)
    if module is not None:
        return f"the forward of {name or 'the model'} ({type(module).__name__})"
    if any(frame.f_code.co_name == "backward" for frame in _frames(error)):
        return f"the backward of {last}" if last else "a backward pass; run.layers(model, every=1) would name the layer"
    return "a part of the program that is no module"


def size(n: float) -> str:
    """Returns bytes as people read them.

    >>> size(20 * 2**20)
    '20.0 MiB'
    """
    for unit in ("B", "KiB", "MiB", "GiB"):
        if n < 1024:
            return f"{n:.0f} B" if unit == "B" else f"{n:.1f} {unit}"
        n /= 1024
    return f"{n:.1f} TiB"


def _memory(layers: Any) -> str:
    heaviest = layers.heaviest(_SHOWN, "memory") if layers is not None else []
    if not heaviest:
        return "the memory of layers is not known; run.layers(model) records it"
    return "layers that held most: " + ", ".join(f"{row['layer']} {size(row['memory'])}" for row in heaviest)


def blame(run: "Run", error: Optional[BaseException]) -> None:
    """Records and says, once for an exception, in which module memory ran out; of any other exception nothing.

    >>> blame(run, ValueError())
    """
    this = (id(error), run._step_now())
    if error is None or this == run._blamed or not is_out_of_memory(error):
        return
    run._blamed = this
    layers = run._layers
    where, memory = _where(error, layers.last_backward if layers is not None else None), _memory(layers)
    what = f"in {where}, which asked for {asked_for(error)}"
    run._event_text("out of memory", f"{what}; {memory}")
    at = "before the first step" if this[1] is None else f"at step {this[1]}"
    write(f"tscope: out of memory {at}, {what}\ntscope: {memory}")
