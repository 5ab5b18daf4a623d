"""What an experiment asks of the recorder, by the environment, so that no script is touched: where to record, and at which step to end.

TSCOPE_DIRECTORY=DIR: the first run of the program is recorded there, whatever the script names, and further ones in DIR-2, ...
TSCOPE_STOP=STEP: when a step behind STEP begins, the run is ended and the program with exit code 0.
TSCOPE_WATCH=FIRST-LAST: digests in each of these steps. TSCOPE_OPERATIONS=FIRST-LAST[:aten]: those of their operations, too.
TSCOPE_INPUTS=STEP:OPERATION[#N]: what that call of torch was given and gave is saved (tscope repro-op --inputs).
TSCOPE_DETERMINISTIC=1: torch, where it is there, is told to use deterministic algorithms; an operation that has none fails then.
"""

import os
import re
import sys
import threading
from typing import TYPE_CHECKING, Any, NoReturn, Optional

from tscope._say import say
from tscope._windows import Window

if TYPE_CHECKING:
    from tscope._run import Run

_GRACE_S = 30.0  # so long the program may take to end, once it was told
_SEEKS = 100  # steps after which a loop that torch has no part in is taken for one
_CALL = re.compile(r"(\d{1,18}):([\w.]{1,200})(?:#(\d{1,9}))?")
_STEPS = re.compile(r"(\d{1,18})(?:-(\d{1,18}))?(:aten)?")


def steps_of(text: str) -> Optional[tuple[int, int, bool]]:
    """Returns the first and the last of some steps, and whether each operation of torch is meant; None where the text is wrong.

    >>> steps_of("3-7"), steps_of("12:aten"), steps_of("7-3"), steps_of("all")
    ((3, 7, False), (12, 12, True), None, None)
    """
    found = _STEPS.fullmatch(text.strip())
    if found is None:
        return None
    first = int(found[1])
    last = int(found[2]) if found[2] else first
    return (first, last, found[3] is not None) if last >= first else None


def call_of(text: str) -> Optional[tuple[int, str, int]]:
    """Returns the step, the operation and which of its calls there is meant; None where the text is wrong.

    >>> call_of("2:aten.mm.default#3"), call_of("2:aten.mm.default"), call_of("aten.mm.default")
    ((2, 'aten.mm.default', 3), (2, 'aten.mm.default', 0), None)
    """
    found = _CALL.fullmatch(text.strip())
    return None if found is None else (int(found[1]), found[2], int(found[3] or 0))


def _inputs() -> Optional[tuple[int, str, int]]:
    text = os.environ.get("TSCOPE_INPUTS", "")
    found = call_of(text) if text else None
    if text and found is None:
        say(f"TSCOPE_INPUTS={text!r} names no call: it is STEP:OPERATION, or STEP:OPERATION#N")
    return found


def _variable(name: str) -> Optional[tuple[int, int, bool]]:
    text = os.environ.get(name, "")
    if not text:
        return None
    found = steps_of(text)
    if found is None:
        say(f"{name}={text!r} names no steps: it is FIRST-LAST, or STEP")
    return found


class Asked:
    """What the environment asks of the runs of this program."""

    def __init__(self) -> None:
        self.directory = os.environ.get("TSCOPE_DIRECTORY", "")
        self.stop, self.watch = _variable("TSCOPE_STOP"), _variable("TSCOPE_WATCH")
        self.operations = _variable("TSCOPE_OPERATIONS")
        self.inputs = _inputs()
        self._pid = os.getpid()
        self._begun = False  # the program has begun a run

    def place(self, directory: Any, exist: Optional[str]) -> tuple[Any, Optional[str]]:
        """Returns where a run is recorded, and what is done where that holds one.

        >>> Asked().place("runs/exp1", "error")
        ('runs/exp1', 'error')
        """
        if not self.directory:
            return directory, exist
        again, self._begun = self._begun, True
        return self.directory, "new" if again else "error" if exist is None else exist

    def of(self, run: "Run") -> None:
        """A run has begun: of a program, the first one is meant.

        >>> Asked().of(run)
        """
        if os.getpid() != self._pid:
            return
        deterministic()
        stop, self.stop = self.stop, None
        if stop is not None:
            run._add_window(Stop(run, stop[1]))
        if self.watch or self.operations or self.inputs:
            run._add_window(Seek(run, self))

    def watched(self, run: "Run", model: Any) -> None:
        """The run watches a model and an optimizer.

        >>> Asked().watched(run, None)
        """
        if self.watch is not None:
            run._add_window(Every(run, *self.watch[:2]))
        if self.operations is not None and not self.operations[2] and model is not None:
            first, last, _ = self.operations
            self.operations = None
            run.operations(model, range(first, last + 1), "modules")


class Stop(Window):
    """Ends the program when the first step behind the last one that is wanted begins.

    >>> Stop(run, 16).next
    17
    """

    def __init__(self, run: "Run", last: int) -> None:
        self._run, self._last, self.next = run, last, last + 1

    def begin(self, step: int) -> None:
        """The step begins that is one too many: nothing of it is recorded."""
        run = self._run
        run.cancel_step()
        run._stopped = {"state": "finished", "stopped_behind": self._last, "asked_by": "TSCOPE_STOP"}
        run.finish()
        leave()


def deterministic() -> None:
    """Has torch use deterministic algorithms where the environment asks for them.

    >>> deterministic()
    """
    torch = sys.modules.get("torch")
    if os.environ.get("TSCOPE_DETERMINISTIC") != "1" or torch is None:
        return
    torch.use_deterministic_algorithms(True)
    torch.backends.cudnn.benchmark = False


def leave() -> NoReturn:
    """Ends the program with exit code 0, by SystemExit where that does it, and by force where the program goes on nevertheless."""
    if threading.current_thread() is not threading.main_thread():
        _force()
    timer = threading.Timer(_GRACE_S, _force)
    timer.daemon = True
    timer.start()
    sys.exit(0)


def _force() -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            continue
    os._exit(0)


class Every(Window):
    """Has digests taken in each of some steps, by what takes them every so many.

    >>> run.watch(every=50)
    >>> Every(run, 3, 7).next
    2
    """

    def __init__(self, run: "Run", first: int, last: int) -> None:
        self._run, self._last = run, last
        self.next = max(first - 1, 0)  # what is begun in a step is for the next one
        self._before = 0

    def begin(self, step: int) -> None:
        """The steps begin, or are over."""
        watched = self._run._watched
        if watched is None:
            self.next = None
        elif step <= self._last:
            self._before = watched.take_every(1)
            self.next = self._last + 1
        else:
            if self._before:
                watched.take_every(self._before)
            self.next = None


class Seek(Window):
    """Finds the model and the optimizer of a program that has no digests taken, and has them taken.

    >>> import torch
    >>> Seek(run, Asked()).next
    0
    """

    def __init__(self, run: "Run", asked: Asked) -> None:
        self._run, self._asked = run, asked
        self._model: Any = None
        self._handles: list[Any] = []
        self._looked = 0
        inputs, asked.inputs = asked.inputs, None
        if inputs is not None:
            run._operations(None, [inputs[0]], "aten", inputs[1:])
        if asked.operations is not None and asked.operations[2]:
            first, last, _ = asked.operations
            asked.operations = None
            run.operations(None, (step for step in range(first, last + 1) if inputs is None or step != inputs[0]), "aten")

    def begin(self, step: int) -> None:
        """A step has begun: where torch is there, and nobody watches, hooks on all modules and optimizers see the first."""
        torch = sys.modules.get("torch")
        self._looked += 1
        self.next = step + 1 if self._looked < _SEEKS else None
        if self._run._watched is not None:
            self.next = None
        elif torch is not None and hasattr(torch, "optim"):
            self.next = None
            from torch.nn.modules.module import register_module_forward_pre_hook
            from torch.optim.optimizer import register_optimizer_step_pre_hook

            self._handles = [register_module_forward_pre_hook(self._forward), register_optimizer_step_pre_hook(self._steps)]

    def _forward(self, module: Any, _: Any) -> None:
        """The first module that is called in a step with gradients is the whole."""
        if self._model is None and module.training and sys.modules["torch"].is_grad_enabled():
            self._model = module

    def _steps(self, optimizer: Any, *_: Any) -> None:
        self.stop()
        run = self._run
        if run.enabled and run._watched is None:
            of = {id(p) for p in self._model.parameters()} if self._model is not None else set()
            known = any(id(p) in of for group in optimizer.param_groups for p in group["params"])
            run.watch(self._model if known else None, optimizer)
            if run._watched is not None:
                run._watched.take()

    def stop(self) -> None:
        """Takes the hooks back."""
        for handle in self._handles:
            handle.remove()
        self._handles = []


asked = Asked()
