"""What recording costs beside training: blocks of steps that take turns; and digests and sketches in passes over memory."""

import statistics
import time

import torch
from harmless import begin
from training import Training
from tscope import _digests, _sketches


class Stopwatch:
    """Times of stretches of work, by the device's clock where there is one."""

    def __init__(self, device):
        self.device, self.marks = device, []

    def mark(self):
        if self.device == "cuda":
            event = torch.cuda.Event(enable_timing=True)
            event.record()
            self.marks.append(event)
        else:
            self.marks.append(time.perf_counter())

    def times(self):
        """Returns the ms between marks, and forgets them. It waits for the device."""
        marks, self.marks = self.marks, []
        if self.device == "cuda":
            torch.cuda.synchronize()
            return [before.elapsed_time(after) for before, after in zip(marks, marks[1:])]
        return [(after - before) * 1e3 for before, after in zip(marks, marks[1:])]


def quantile(values, q):
    """Returns the value below which the share q of the values lies, the nearest of them.

    >>> quantile([4, 1, 3, 2], 0.5)
    3
    """
    return sorted(values)[min(int(q * len(values)), len(values) - 1)]


def sides(context):
    """Returns trainings that differ in what is recorded of them, each with its run or None."""
    found = {}
    for name, every in (("unrecorded", None), ("recorded", 0), ("digests every 100 steps", 100), ("digests of every step", 1)):
        training = Training(context.device)
        run = begin(context, f"cost {every}") if every is not None else None
        if every:
            run.watch(training.model, training.optimizer, every=every)
        found[name] = (training, run)
    return found


def block(context, training, run, n):
    """Makes n steps, and returns the ms of each."""
    watch = Stopwatch(context.device)
    watch.mark()
    if run is None:
        for batch in training.batches(n):
            training.step(batch)
            watch.mark()
    else:
        # The mark of a step lies in it, behind all but the sample of memory that each hundredth step has.
        training.record(run, n, in_step=watch.mark)
    return watch.times()


def steps(context):
    """The time of a step with and without a record and digests."""
    n, rounds = (10, 22) if context.device == "cuda" else (2, 4)
    found, times = sides(context), {}
    for i in range(rounds):
        for name, (training, run) in found.items():
            taken = block(context, training, run, n)
            if i >= 2:  # the first blocks warm up
                times.setdefault(name, []).extend(taken)
    for _, run in found.values():
        if run is not None:
            run.finish()
    plain, recorded = times["unrecorded"], times["recorded"]
    context.say(f"a step takes {quantile(plain, 0.5):.2f} ms at the median and {quantile(plain, 0.95):.2f} ms at p95 without a record "
                f"({len(plain)} steps of each kind, in blocks of {n} that take turns)")

    def added(name, base, q):
        return quantile(times[name], q) / quantile(base, q) - 1

    def row(what, share, limit):
        context.table.goal(what, f"{share:+.2%}", f"{limit:.1%}" if limit else "", share <= limit if limit else None)

    row("recording adds to the median step", added("recorded", plain, 0.5), 0)
    row("digests every 100 steps add to the median step", added("digests every 100 steps", recorded, 0.5), 0.003)
    row("digests every 100 steps add at p95", added("digests every 100 steps", recorded, 0.95), 0.007)
    row("digests of every step add to the median step", added("digests of every step", recorded, 0.5), 0)
    each = statistics.median(times["digests of every step"]) - statistics.median(recorded)
    context.table.goal("the digests of one step take", f"{each:.2f} ms", "", None)


def passes(context):
    """Digests and sketches of one large tensor, in the time of a sum over it."""
    elements, times = (64 << 20, 10) if context.device == "cuda" else (2 << 20, 2)
    for dtype in (torch.float32, torch.bfloat16):
        tensor = torch.randn(elements, device=context.device).to(dtype)
        # A sum of what is as long, but of a type that the device adds as fast as it reads.
        words = tensor.view(torch.float32)
        acts = {
            "sum": words.sum,
            "digest": lambda tensor=tensor: _digests.sum_of(tensor),
            "sketch": lambda tensor=tensor: _sketches.on_device(tensor),
        }
        took = {}
        for name, act in acts.items():
            act()
            watch = Stopwatch(context.device)
            for _ in range(times):
                watch.mark()
                act()
            watch.mark()
            took[name] = statistics.median(watch.times())
        size = f"{elements * tensor.element_size() >> 20} MiB of {str(dtype)[6:]}"
        for name, limit in (("digest", 2), ("sketch", 4)):
            share = took[name] / took["sum"]
            what = f"a {name} of {size}, in sums over it ({took['sum']:.2f} ms)"
            context.table.goal(what, f"{share:.1f}", str(limit), share <= limit)
