"""Lightning, as lightning or as pytorch_lightning: a callback of its Trainer."""

import functools
import sys
from collections import deque
from typing import TYPE_CHECKING, Any, Callable, Optional

from tscope._auto import _waits
from tscope._losses import Losses, Part
from tscope._rates import placed, rates_of
from tscope._recorder import now_ns
from tscope._reduction import look_for
from tscope._run import Run
from tscope.integrations._recorded import Recorded, numbers, quiet, unwrapped


def _bases() -> tuple[type, ...]:
    """Returns the Callback of each of the two packages that the program has imported; of lightning, if it has none."""
    found = []
    for name in ("lightning.pytorch", "pytorch_lightning"):
        module = sys.modules.get(name)
        if module is not None:
            found.append(module.Callback)
    if not found:
        try:
            from lightning.pytorch import Callback
        except ImportError:
            from pytorch_lightning import Callback
        found.append(Callback)
    return tuple(found)


if TYPE_CHECKING:

    class _Base:
        pass

else:
    _Base = type("_Base", _bases(), {})


class TscopeCallback(Recorded, _Base):
    """Records a fit of a Trainer: `Trainer(..., callbacks=[TscopeCallback(directory="runs/exp1")])`.

    A step is one for which Lightning's loggers have a number, and has that number: the loss (of several micro-batches their part of
    it, added up), those of its micro-batches, learning rates, epoch, and whatever the module logs, when Lightning logs it. Phases are
    data, forward, backward, optimizer (with clipping) and comm; validation is the region `evaluation`. `options` are those of
    `tscope.start`; `digests_every` is that of `tscope.auto`.

    >>> callback = TscopeCallback(directory="runs/fit")
    """

    def __init__(self, run: Optional[Run] = None, directory: Any = None, digests_every: int = 100, **options: Any) -> None:
        super().__init__(run, directory, **options)
        self._digests_every = digests_every
        self._open = False
        self._losses = Losses()
        self._validating = 0  # ns when the validation began
        self._sampler: Any = None  # that of the training's one loader; None: there are several, or the module fetches by itself
        self._drawn: deque[Any] = deque(maxlen=4096)  # of its batches that were fetched and have not begun

    # --- the run ---

    @quiet
    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        """A fit begins."""
        self._take_back()
        config = dict(getattr(pl_module, "hparams", None) or {})
        if not self._begin(config or None):
            return
        self.run.facts({"work": {"max_steps": trainer.max_steps, "epochs": trainer.max_epochs,
                                 "gradient_accumulation_steps": trainer.accumulate_grad_batches}})
        _waits.add(self)  # type: ignore[arg-type]
        self._at_end(lambda: _waits.remove(self))  # type: ignore[arg-type]
        self._at_end(look_for(self.run, pl_module, lambda: self._open))
        # What Lightning tells its loggers, and where it writes checkpoints, it tells no callback.
        self._at_end(_on_call(trainer._logger_connector, "log_metrics", self._log))
        self._at_end(_on_call(trainer, "save_checkpoint", self._checkpoint))

    @quiet
    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Training begins; optimizers and loaders are there, and a checkpoint has been loaded."""
        run = self.run
        loader = getattr(trainer, "train_dataloader", None)
        if loader is not None:
            run._knows(loader)
        self._sampler = getattr(_only(trainer), "_index_sampler", None)
        self._drawn.clear()
        fetched = getattr(getattr(trainer.fit_loop, "_data_fetcher", None), "batches", None)
        self._drawn.extend([None] * len(fetched or ()))  # before anybody looked, where a loader does not know its length
        if trainer.ckpt_path:
            run.resumed_from(trainer.ckpt_path)
        optimizers = [unwrapped(optimizer) for optimizer in trainer.optimizers]
        for optimizer in optimizers:
            self._at_end(optimizer.register_step_post_hook(self._stepped).remove)
        if self._digests_every > 0 and len(optimizers) == 1:
            run._begun_by = pl_module  # its training_step is the pass, not its forward
            run.watch(pl_module, optimizers[0], every=self._digests_every)

    @quiet
    def teardown(self, trainer: Any, pl_module: Any, stage: Any) -> None:
        """A fit ends. The run goes on for what is tested afterwards, and ends with the program or by `run.finish`."""
        self._end_step()
        self._take_back()

    @quiet
    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Something is raised that Lightning passes on."""
        self.run.event("exception", type(exception).__name__)
        self._end_step()
        self._take_back()

    # --- a step ---

    @staticmethod
    def _number(trainer: Any) -> int:
        """Returns the number of the step that is under way or comes next, as loggers have it: one with two optimizers is one."""
        loop = trainer.fit_loop.epoch_loop
        return int(getattr(loop, "_batches_that_stepped", trainer.global_step))

    @quiet
    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        """A batch begins; the first of a step begins it."""
        if not self._open:
            self.run.begin_step(self._number(trainer))
            self._open = True
        if self._drawn:
            self.run._drew(self._drawn.popleft())
        if self.run._watched is not None:
            self.run._watched.batch(batch)

    @quiet
    def on_before_backward(self, trainer: Any, pl_module: Any, loss: Any) -> None:
        """The forward pass has ended."""
        self.run.mark("forward")

    @quiet
    def on_after_backward(self, trainer: Any, pl_module: Any) -> None:
        """The backward pass has ended."""
        self.run.mark("backward")

    @quiet
    def on_before_optimizer_step(self, trainer: Any, pl_module: Any, optimizer: Any) -> None:
        """The gradients are there."""
        self.run.mark("backward")
        optimizer, several = unwrapped(optimizer), [unwrapped(other) for other in trainer.optimizers]
        self.run.log(placed(rates_of(optimizer), several.index(optimizer) if len(several) > 1 and optimizer in several else None))

    @quiet
    def _stepped(self, *_: Any) -> None:
        if self._open:
            self.run.mark("optimizer")

    @quiet
    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        """A batch ends; the one with which the optimizer stepped ends the step."""
        loss = outputs.get("loss") if isinstance(outputs, dict) else outputs
        if loss is not None and numbers({"loss": loss}):
            self._losses.add(self.run, [(loss.detach(), Part(float(trainer.accumulate_grad_batches)))])
        if not trainer.fit_loop._should_accumulate():
            self._end_step(trainer)

    def _end_step(self, trainer: Any = None) -> None:
        if not self._open:
            return
        self._open = False
        taken = self._losses.take(parts=True)
        if taken is not None:
            taken.record(self.run)
        if trainer is not None:
            self.run.log(epoch=trainer.current_epoch)
        self.run.end_step()

    @quiet
    def _log(self, metrics: Any, step: Any = None) -> None:
        """Lightning logs. With a step it is the number of a batch that is evaluated, whose mean comes later."""
        if step is None:
            self.run.log(numbers(metrics, besides=("epoch", "step", "loss")))

    # --- between steps ---

    def waited(self, ns: int) -> None:
        """A DataLoader gave a batch after a wait."""
        if self._validating:
            self.run._end_region("evaluation data", now_ns() - ns)
        else:
            self.run._add_ns("data", ns)

    def loads(self, loader: Any) -> None:
        """A loop over a DataLoader begins; `on_train_start` has Lightning's own. What was fetched of its last epoch and not used is
        left."""
        if self._sampler is not None and not self._validating and getattr(loader, "_index_sampler", None) is self._sampler:
            self._drawn.clear()

    def fed(self, batch: Any) -> None:
        """A DataLoader gave a batch, to Lightning, which fetches ahead: `on_train_batch_start` has the one of the step."""

    def drew(self, draw: Any) -> None:
        """A DataLoader drew these samples for a batch. Those of training come in the order in which Lightning begins them."""
        if draw is not None and self._sampler is not None and draw.by is self._sampler and not self._validating:
            self._drawn.append(draw)

    @quiet
    def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
        """A validation begins."""
        self._validating = now_ns()

    @quiet
    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        """A validation has ended; what it logged is there."""
        if self._validating:
            self.run._end_region("evaluation", self._validating)
        self._validating = 0
        if not self._undo:  # no fit is under way
            self._log(trainer.callback_metrics)

    @quiet
    def on_test_end(self, trainer: Any, pl_module: Any) -> None:
        """A test has ended."""
        self._log(trainer.callback_metrics)

    @quiet
    def _checkpoint(self, filepath: Any, *_: Any, **__: Any) -> None:
        self.run.checkpoint(filepath)


def _only(trainer: Any) -> Any:
    """Returns the loader of a training that has one, whose batches Lightning fetches; else None: a module that is given the iterator
    fetches within its step."""
    loop = trainer.fit_loop
    loaders: list[Any] = getattr(getattr(loop, "_combined_loader", None), "flattened", None) or []
    given_away = type(getattr(loop, "_data_fetcher", None)).__name__ == "_DataLoaderIterDataFetcher"
    return loaders[0] if len(loaders) == 1 and not given_away else None


def _on_call(owner: Any, name: str, called: Callable[..., None]) -> Callable[[], None]:
    """Has a method of one object tell what it is called with, when it returns. Returns what takes that back."""
    before = getattr(owner, name)

    @functools.wraps(before)
    def method(*args: Any, **kwargs: Any) -> Any:
        given = before(*args, **kwargs)
        called(*args, **kwargs)
        return given

    setattr(owner, name, method)
    return lambda: owner.__dict__.pop(name, None)
