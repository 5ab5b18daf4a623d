"""Windows: steps at whose beginning and end more is done, such as timing layers or tracing. Other steps cost one comparison."""

from typing import TYPE_CHECKING, Any, Callable, Optional

if TYPE_CHECKING:
    from tscope._run import Run


class Window:
    """What is done at some steps. `next` is the first step at whose beginning it wants to be called, or None."""

    next: Optional[int] = 0

    def begin(self, step: int) -> None:
        """A step has begun that is `next` or a later one.

        >>> Window().begin(0)
        """

    def back(self, step: int) -> None:
        """Training went back to this step, before `begin` is asked for.

        >>> Window().back(0)
        """

    def end(self, step: int) -> None:
        """The step of the last `begin` ends.

        >>> Window().end(0)
        """

    def stop(self) -> None:
        """The run ends, or the window is given up.

        >>> Window().stop()
        """


def _nothing(*_: Any, **__: Any) -> None:
    """What the hooks of a copied or saved model do."""


class ModuleHook:
    """A hook of a module, which raises nothing into training. In a copy of the module, and in one that was saved, it does nothing.

    >>> hook = ModuleHook(run, None, print)
    >>> hook(None, "given")
    given
    """

    def __init__(self, run: "Run", module: Any, act: Callable[..., None]) -> None:
        self._run, self._module, self._act = run, module, act

    def __call__(self, module: Any, *rest: Any) -> None:
        if module is not self._module:
            return
        try:
            self._act(*rest)
        except Exception as error:
            self._run._cannot(f"a hook of a layer: {type(error).__name__}: {error}")

    def __deepcopy__(self, memo: Any) -> Callable[..., None]:
        return _nothing

    def __reduce__(self) -> Any:
        return _get_nothing, ()


def _get_nothing() -> Callable[..., None]:
    return _nothing


class Windows:
    """The windows of a run. What one of them raises is said once, and that window is given up.

    >>> Windows(run).add(Window())
    """

    def __init__(self, run: "Run") -> None:
        self._run = run
        self._all: list[Window] = []
        self._open: list[Window] = []

    def add(self, window: Window) -> None:
        """Adds a window, which begins with the next step at the earliest.

        >>> Windows(run).add(Window())
        """
        self._all.append(window)
        self._wake()

    def _wake(self) -> None:
        steps = [window.next for window in self._all if window.next is not None]
        self._run._wake(max(min(steps), 0) if steps else -1, bool(self._open))

    def _do(self, window: Window, act: Callable[..., None], *args: Any) -> bool:
        try:
            act(*args)
            return True
        except Exception as error:
            self._run._cannot(f"{type(window).__name__.lower()}: {type(error).__name__}: {error}")
        if window in self._all:
            self._all.remove(window)
            self._do(window, window.stop)
        return False

    def begins(self, step: int, back: bool = False) -> None:
        """A step has begun, which has a lower number than the one before if training went `back`.

        >>> Windows(run).begins(0)
        """
        self.ends(step)  # of a step that another one ended
        for window in list(self._all) if back else ():
            self._do(window, window.back, step)
        for window in list(self._all):
            if window.next is not None and step >= window.next and self._do(window, window.begin, step):
                self._open.append(window)
        self._wake()

    def ends(self, step: int) -> None:
        """The step ends.

        >>> Windows(run).ends(0)
        """
        if not self._open:
            return
        ended, self._open = self._open, []
        for window in reversed(ended):
            self._do(window, window.end, step)
        self._wake()

    def stop(self) -> None:
        """The run ends.

        >>> Windows(run).stop()
        """
        for window in reversed(self._all):
            self._do(window, window.stop)
        self._all, self._open = [], []
        self._wake()
