"""Hugging Face Accelerate: a tracker."""

import functools
from typing import Any, Optional

import torch
from accelerate import Accelerator
from accelerate.tracking import GeneralTracker
from torch.optim.optimizer import register_optimizer_step_pre_hook

from tscope._auto import Auto, _waits
from tscope._backward import Seen
from tscope._run import Run
from tscope.integrations._recorded import Recorded, numbers, quiet, unwrapped


class TscopeTracker(Recorded, GeneralTracker):  # type: ignore[misc]
    """Records what a loop with an Accelerator does and logs: `Accelerator(log_with=TscopeTracker("runs/exp1"))`.

    Steps and their phases are those of the first model that is trained (see `tscope.auto`), or of those that `steps` names. What is
    logged counts for the step that is under way or ended last, on every rank. `save_state` and `load_state` are lineage. `options` are
    those of `tscope.start`.

    >>> tracker = TscopeTracker("runs/accelerated")
    """

    name = "tscope"
    requires_logging_directory = False
    main_process_only = False

    def __init__(
        self, directory: Any = None, run: Optional[Run] = None, digests_every: int = 100, *, hooks: bool = True, **options: Any
    ) -> None:
        Recorded.__init__(self, run, directory, **options)
        GeneralTracker.__init__(self)
        self._digests_every = digests_every
        self._hooks = hooks  # else something else sees the steps
        self._hooked = False
        self._loader: Any = None
        self._batch: Any = None  # that of the first step
        self._draw: Any = None  # which samples that has
        self._watches = False  # what an optimizer does, too

    @property
    def tracker(self) -> Run:
        """The run.

        >>> TscopeTracker("runs/accelerated").tracker.enabled
        False
        """
        return self.run

    @quiet
    def start(self) -> None:
        """Accelerator.init_trackers begins: the run itself begins when its configuration is known, or something is recorded."""
        self._take_back()
        if self._hooks:
            self._hooked = self._used = False
            self._batch = None
            self._at_end(self._look_for())
            _waits.add(self)
            self._at_end(lambda: _waits.remove(self))
        self._at_end(self._on_states())

    def begun(self, config: Any = None) -> Run:
        """Returns the run, which begins now if it has not.

        >>> TscopeTracker("runs/accelerated").begun({"lr": 0.1}).enabled
        True
        """
        if not self._used:
            self._begin(config)
        return self.run

    def _ready(self) -> bool:
        return self.run.enabled or (not self._used and self._begin())

    @quiet
    def store_init_configuration(self, values: Any) -> None:
        """Accelerator.init_trackers has a configuration."""
        if not self._used:
            self._begin(values)
        else:
            self.run.facts({"config": values})

    @quiet
    def log(self, values: Any, step: Optional[int] = None, **kwargs: Any) -> None:
        """The program logs."""
        if self._ready():
            self.run.log(numbers(values, besides=("step",)))

    @quiet
    def finish(self) -> None:
        """Accelerator.end_training."""
        self.run.finish()
        self._take_back()  # of a run that never began

    # --- steps ---

    @quiet
    def steps(self, model: Any, optimizer: Any = None) -> None:
        """Has the steps of a model recorded, and digests of what its optimizer does, instead of those of the first that is trained.

        >>> import torch
        >>> model = torch.nn.Linear(2, 1)
        >>> tracker = TscopeTracker("runs/accelerated")
        >>> tracker.steps(model, torch.optim.SGD(model.parameters(), lr=0.1))
        >>> tracker.finish()
        """
        if self._ready():
            self._hook(model, unwrapped(optimizer))

    def _hook(self, model: Any, optimizer: Any = None) -> Optional[Auto]:
        if self._hooked:
            return None
        self._hooked = True
        self._model = model
        if self._loader is not None:
            self.run._knows(self._loader)
        auto = Auto(self.run, model, [] if optimizer is None else [optimizer])
        self._at_end(auto.stop)
        self._at_end(Seen(auto, [] if optimizer is None else [optimizer]).take_back)
        self._at_end(register_optimizer_step_pre_hook(self._stepping).remove)
        self._watch(optimizer)
        draw, self._draw = self._draw, None
        self.run._drew(draw)
        return auto

    def waited(self, ns: int) -> None:
        """A DataLoader gave a batch after a wait, which is recorded by what records steps."""

    def loads(self, loader: Any) -> None:
        """A loop over a DataLoader begins: the first one before training is taken for that of the training."""
        self._loader = self._loader if self._loader is not None else loader

    def fed(self, batch: Any) -> None:
        """A DataLoader gave a batch. That of the first step comes before it is known what is watched."""
        if not self._hooked:
            self._batch = batch

    def drew(self, draw: Any) -> None:
        """The DataLoader drew these samples for that batch."""
        if not self._hooked:
            self._draw = draw

    def _watch(self, optimizer: Any) -> None:
        """The model is known, and then the first optimizer that steps."""
        run = self.run
        if self._digests_every > 0 and run._watched is None:
            run.watch(self._model, optimizer, every=self._digests_every)
            self._watches = optimizer is None and run._watched is not None
            if run._watched is not None:
                run._watched.awaits = True
                if self._batch is not None:
                    run._watched.batch(self._batch)
        elif self._watches and optimizer is not None:
            self._watches = False
            run._watched._follow(optimizer)
        self._batch = None

    @quiet
    def _stepping(self, optimizer: Any, *_: Any) -> None:
        self._watch(optimizer)

    def _look_for(self) -> Any:
        """Has the first model hooked whose forward begins in training."""
        from torch.nn.modules.module import register_module_forward_pre_hook

        def look(module: Any, _: Any) -> None:
            if not self._hooked and module.training and torch.is_grad_enabled():
                self._first(module)
            if self._hooked:
                handle.remove()

        handle = register_module_forward_pre_hook(look)
        return handle.remove

    @quiet
    def _first(self, module: Any) -> None:
        auto = self._hook(module) if self._ready() else None
        if auto is not None:
            # What stands around the module's call comes too late for the forward that is under way.
            auto.before_forward(module)
            handles: list[Any] = []

            def after(*_: Any) -> None:
                handles.pop().remove()
                auto.after_forward(module)

            handles.append(module.register_forward_hook(after))

    # --- checkpoints ---

    @quiet
    def _saved(self, path: Any) -> None:
        if path and self._ready():
            self.run.checkpoint(path)

    @quiet
    def _loaded(self, path: Any) -> None:
        if path and self._ready():
            self.run.resumed_from(path)

    def _on_states(self) -> Any:
        """Has Accelerator tell of the states that it saves and loads. Returns what takes that back."""
        save, load = Accelerator.save_state, Accelerator.load_state

        @functools.wraps(save)
        def save_state(accelerator: Any, *args: Any, **kwargs: Any) -> Any:
            path = save(accelerator, *args, **kwargs)
            self._saved(path)
            return path

        @functools.wraps(load)
        def load_state(accelerator: Any, *args: Any, **kwargs: Any) -> Any:
            paths: list[Any] = []
            hook = accelerator.register_load_state_pre_hook(lambda models, path: paths.append(path))
            try:
                given = load(accelerator, *args, **kwargs)
            finally:
                hook.remove()
            self._loaded(paths[0] if paths else None)
            return given

        def undo() -> None:
            if Accelerator.save_state is save_state:
                Accelerator.save_state, Accelerator.load_state = save, load

        Accelerator.save_state, Accelerator.load_state = save_state, load_state
        return undo
