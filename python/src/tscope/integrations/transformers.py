"""Hugging Face transformers: a callback of Trainer."""

import os
import sys
from typing import Any, Optional

from transformers import TrainerCallback

from tscope._auto import Auto
from tscope._backward import Backward
from tscope._rates import rates_of
from tscope._run import Run
from tscope.integrations._recorded import Recorded, numbers, quiet, unwrapped

# What Trainer logs under another name than everybody, and what a callback knows at every step.
_NAMES = {"learning_rate": "lr"}


class TscopeCallback(Recorded, TrainerCallback):  # type: ignore[misc]
    """Records the training of a Trainer: `Trainer(..., callbacks=[TscopeCallback(directory="runs/exp1")])`.

    A step is one of Trainer's, with its number: loss (what its backward passes began with, added up) and those of its micro-batches,
    learning rates, epoch, samples and tokens of this rank, and whatever Trainer logs when it logs it. Phases are data, forward,
    backward (with clipping), optimizer and comm; evaluation is a region. `options` are those of `tscope.start`; `digests_every` is that
    of `tscope.auto`.

    >>> callback = TscopeCallback(directory="runs/trainer")
    """

    def __init__(self, run: Optional[Run] = None, directory: Any = None, digests_every: int = 100, **options: Any) -> None:
        super().__init__(run, directory, **options)
        self._digests_every = digests_every
        self._auto: Any = None
        self._fresh = False  # a step has begun, and no forward in it
        self._losses: Optional[Backward] = None
        self._has_loss = False

    # --- the run ---

    @quiet
    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, optimizer: Any = None, **kwargs: Any) -> None:
        """Trainer begins to train."""
        self._take_back()
        if not self._begin(_config(args, model)):
            return
        run, step = self.run, int(state.global_step)
        run.facts({"work": {"max_steps": state.max_steps, "epochs": state.num_train_epochs,
                            "gradient_accumulation_steps": args.gradient_accumulation_steps}})
        loader = kwargs.get("train_dataloader")
        if loader is not None:
            run._knows(loader)
        if step > 0:
            path = _loaded_from() or os.path.join(args.output_dir, f"checkpoint-{step}")
            if os.path.exists(path):
                run.resumed_from(path, step=step + 1)
            else:
                run.facts({"lineage": {"resumed_step": step + 1}})
        self._has_loss = False
        self._hook(model, unwrapped(optimizer))
        self._evaluating(bool(args.eval_on_start))

    def _hook(self, model: Any, optimizer: Any) -> None:
        handle = model.register_forward_pre_hook(self._forward, with_kwargs=True)
        self._at_end(handle.remove)
        self._auto = Auto(self.run, model, [], scoped=True)
        self._at_end(self._auto.stop)
        self._on_backward()
        if self._digests_every > 0 and optimizer is not None:
            self.run.watch(model, optimizer, every=self._digests_every)

    def _on_backward(self) -> None:
        self._losses = _Backward(self)
        self._at_end(self._losses.take_back)

    @quiet
    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Trainer has trained. The run goes on for what is evaluated afterwards, and ends with the program or by `run.finish`."""
        self._end_step()
        self._take_back()

    # --- a step ---

    @quiet
    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """A step begins; its batches have been fetched."""
        self.run.begin_step(int(state.global_step) + 1)
        self._fresh = True

    @quiet
    def _forward(self, module: Any, args: Any, kwargs: Any) -> None:
        auto = self._auto
        if auto is None or module is not auto.model:
            return  # a copy of the model has copies of its hooks
        if self._fresh:
            self._fresh = False
            self.run.mark("data")  # to the device, and into training mode
            auto.open = True
        if auto.open:
            self._count(kwargs)

    def _count(self, batch: Any) -> None:
        inputs = batch.get("input_ids")
        first = inputs if inputs is not None else next(iter(batch.values()), None)
        shape: Any = getattr(first, "shape", ())
        if len(shape) > 0:
            self._samples += shape[0]
        if inputs is not None:
            self._tokens += inputs.numel()

    @quiet
    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, optimizer: Any = None, **kwargs: Any) -> None:
        """The optimizer's step begins."""
        self.run.log(rates_of(unwrapped(optimizer)))

    @quiet
    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """A step ends."""
        run = self.run
        taken = self._losses.losses.take(parts=True) if self._losses is not None else None
        if taken is not None:  # Trainer's are parts of the step's loss, however it divided it
            self._has_loss = True
            taken.record(run)
        run.log(epoch=state.epoch)
        self._end_step()
        self._evaluating(bool(control.should_evaluate))

    def _end_step(self) -> None:
        if self._samples:
            self.run.amount(samples=self._samples)
        if self._tokens:
            self.run.amount(tokens=self._tokens)
        self._samples = self._tokens = 0
        self._fresh = False
        if self._auto is not None and self._auto.open:
            self._auto.open = False
            self.run.end_step()

    _samples = _tokens = 0

    # --- between steps ---

    def _evaluating(self, does: bool) -> None:
        """The model is in training mode from its first forward on only: waits are training's unless an evaluation was announced."""
        if self._auto is not None:
            self._auto.trains_in_eval = not does

    @quiet
    def on_epoch_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """An epoch ends."""
        if control.should_evaluate:
            self._evaluating(True)

    @quiet
    def on_prediction_step(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """A batch was evaluated."""
        self._evaluating(True)

    @quiet
    def on_evaluate(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """An evaluation has ended."""
        self._evaluating(False)

    @quiet
    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        """Trainer logs. Its `loss` is a mean since it logged last, and is recorded where that of every step is not known."""
        found = numbers(logs, besides=("epoch", "loss") if self._has_loss else ("epoch",))
        self.run.log({_NAMES.get(name, name): value for name, value in found.items()})

    @quiet
    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """A checkpoint was written."""
        path = os.path.join(args.output_dir, f"checkpoint-{state.global_step}")
        if os.path.isdir(path):
            self.run.checkpoint(path, step=int(state.global_step))


def _config(args: Any, model: Any) -> dict[str, Any]:
    """Returns what Trainer was told, and the model's own configuration."""
    config: dict[str, Any] = args.to_sanitized_dict()
    of_model: Any = getattr(model, "config", None)
    if callable(getattr(of_model, "to_dict", None)):
        config["model"] = of_model.to_dict()
    return config


def _loaded_from() -> Optional[str]:
    """Returns the checkpoint that Trainer goes on from, which it tells no callback: it is a variable of the call under way."""
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code.co_name in ("train", "_inner_training_loop"):
            path = frame.f_locals.get("resume_from_checkpoint")
            if isinstance(path, str):
                return path
        frame = frame.f_back  # type: ignore[assignment]
    return None


class _Backward(Backward):
    """What backward is called on while a step is open."""

    def __init__(self, callback: TscopeCallback) -> None:
        super().__init__(callback.run)
        self._auto = callback._auto

    def wanted(self) -> bool:
        """Whether a step is open."""
        return bool(self._auto.open)

    def discards(self) -> bool:
        """Trainer throws no gradients away within a step."""
        return False
