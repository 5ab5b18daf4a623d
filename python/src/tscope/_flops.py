"""Counts the FLOPs of a step, and apart those that the backward pass computes again (activation checkpointing)."""

from typing import Any


class StepFlops:
    """Counts from `begin` to `end`, in the backward pass, too.

    A backward pass runs its formulas without recording a graph; what it computes again it records, because gradients go through it. So
    an operation inside of a backward pass that records a graph is one that is done again. A loop that differentiates a gradient
    (create_graph) records both: then nothing tells them apart, and only the sum is known.
    """

    def __init__(self) -> None:
        import torch
        from torch.utils._python_dispatch import TorchDispatchMode
        from torch.utils.flop_counter import FlopCounterMode, flop_registry

        class Apart(TorchDispatchMode):  # type: ignore[misc]  # torch is not there where types are checked
            again = 0
            formulas = 0

            def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                out = func(*args, **(kwargs or {}))
                count = flop_registry.get(func._overloadpacket)
                if count is not None and torch._C._current_graph_task_id() != -1:
                    flops = count(*args, **(kwargs or {}), out_val=out)
                    if torch.is_grad_enabled():
                        self.again += flops
                    else:
                        self.formulas += flops
                return out

        self._all = FlopCounterMode(display=False)
        self._apart = Apart()

    def begin(self) -> None:
        self._all.__enter__()
        self._apart.__enter__()

    def end(self) -> dict[str, Any]:
        """The facts of group `work`."""
        self._apart.__exit__(None, None, None)
        self._all.__exit__(None, None, None)
        total, again = int(self._all.get_total_flops()), int(self._apart.again)
        counted = "torch.utils.flop_counter, forward and backward of one step"
        if again and not self._apart.formulas:
            return {"hardware_flops_per_step": total, "flops_convention": counted}
        if not again:
            return {"flops_per_step": total, "flops_convention": counted, "recompute": "none"}
        counted += ", without what was computed again"
        return {"flops_per_step": total - again, "flops_convention": counted, "recompute_flops_per_step": again}
