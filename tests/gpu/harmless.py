"""That recording does nothing to training: no synchronization, the same bits; and that phases and peaks of memory are torch's own."""

import collections
import contextlib
import os
import statistics
import time

import torch
import tscope
from training import Training
from tscope import _recording

# Calls with which the host waits, as the profiler names them; and copies that wait, since their memory of the host is not pinned.
WAITS = {
    "cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize", "cudaMemcpy", "cuCtxSynchronize", "cuStreamSynchronize",
    "cuEventSynchronize", "Memcpy DtoH (Device -> Pageable)", "Memcpy HtoD (Pageable -> Device)",
}


def begin(context, name, **options):
    """Begins a run in the test's folder."""
    run = tscope.start(os.path.join(context.folder, name), strict=True, **options)
    context.runs.append(run)
    return run


def everything(context, name, training, every):
    """Begins a run that records all that it can without a window of the profiler, and returns it."""
    run = begin(context, name, device_phases=context.device == "cuda", memory_every=1)
    run.watch(training.model, training.optimizer, every=every)
    run.sketch(training.model, training.optimizer, every=every)
    run.layers(training.model, every=every)
    return run


def nothing_is_missing(context):
    """What all runs of the test could not record."""
    found = [missing(run) for run in context.runs]
    said = ", ".join(what for n, what in found if n) or "0"
    context.table.must(f"what the {len(found)} runs of this test could not record", said, "0", bool(found) and said == "0")


def missing(run):
    """Returns what a run could not record: how much, and one cause."""
    trouble = run.trouble
    n = trouble["cannot"] + trouble["lost_frames"]
    return n, f"{n}" if not n else f"{n}: {min(run._said, default='frames were lost')}"


def waits_of(names):
    """Returns how many of these names of a profiler's events are waits.

    >>> waits_of(["cudaLaunchKernel", "cudaStreamSynchronize", "Memcpy DtoH (Device -> Pinned)", "Memcpy DtoH (Device -> Pageable)"])
    2
    """
    return sum(name in WAITS for name in names)


def profiled(act):
    """Returns the names of all events that torch's profiler sees while something is done."""
    with torch.profiler.profile() as prof:
        act()
    return [event.name for event in prof.events()]


def control(context):
    """Waits on purpose: what counts waits must see it, or that it counts none says nothing."""
    if context.device != "cuda":
        context.table.leave_out("a wait that is planted is seen", "no read of a host waits for a device")
        return
    training = Training(context.device)
    loss = training.train(3)[-1]
    counted = waits_of(profiled(loss.item))
    raised = 0
    with waiting_is_an_error(context.device):
        try:
            loss.item()
        except RuntimeError:
            raised = 1
    # The profiler itself waits as it ends; one more is the read.
    without = waits_of(profiled(loss.numel))
    seen = counted - without
    # A read of one number is a copy to memory that is not pinned and a wait for the stream, or either.
    context.table.must('a wait that is planted is seen, by the profiler and by set_sync_debug_mode("error")', f"{seen}, {raised}",
                       "1 or more, 1", seen >= 1 and raised == 1)


def synchronizations(context):
    """Counts the waits of ten steps, with and without a record of everything; in two there are digests, sketches and layers."""
    found = {}
    for recorded in (False, True):
        training = Training(context.device)
        run = everything(context, "waits", training, 5) if recorded else None
        act = (lambda n, run=run, training=training: training.record(run, n)) if recorded else training.train
        act(10)
        context.synchronize()
        found[recorded] = collections.Counter(profiled(lambda act=act: act(10)))
        if run is not None:
            run.finish()
    with_record, without = (waits_of(found[recorded].elements()) for recorded in (True, False))
    context.table.must("synchronizations of 10 steps: recorded less unrecorded, by the profiler", f"{with_record} - {without}", "0",
                       with_record == without, device_only="a host has none")


@contextlib.contextmanager
def waiting_is_an_error(device):
    """Has torch raise wherever it waits for the device."""
    if device == "cuda":
        torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        if device == "cuda":
            torch.cuda.set_sync_debug_mode("default")


def no_wait_is_allowed(context):
    """Trains where each wait is an error: what we raise we swallow and count, what training raises ends it."""
    training = Training(context.device)
    training.train(3)
    with waiting_is_an_error(context.device):
        try:
            training.train(3)
        except RuntimeError as error:
            context.table.must('steps under set_sync_debug_mode("error")', f"the training itself waits: {error}", "0", False)
            return
    run = everything(context, "errors", training, 3)
    training.record(run, 7)  # what is made once, such as pinned memory, is made here
    with waiting_is_an_error(context.device):
        try:
            training.record(run, 10)
            raised = 0
        except RuntimeError as error:
            raised = 1
            context.say(f"recording raised: {error}")
    run.finish()
    lost, said = missing(run)
    context.table.must('exceptions under set_sync_debug_mode("error"): raised, swallowed', f"{raised}, {said}", "0, 0",
                       raised + lost == 0, device_only="torch knows this mode for CUDA alone")


def state_of(training):
    """Returns all tensors that training changes."""
    found = list(training.model.parameters())
    for state in training.optimizer.state.values():
        found += [value for value in state.values() if isinstance(value, torch.Tensor)]
    return [tensor.detach().cpu() for tensor in found]


def same_bits(a, b):
    """Whether two lists of tensors have the same bits."""
    return len(a) == len(b) and all(torch.equal(x.reshape(-1).view(torch.uint8), y.reshape(-1).view(torch.uint8)) for x, y in zip(a, b))


def bit_for_bit(context):
    """Trains twice from one seed under deterministic algorithms, with and without a record of everything."""
    torch.use_deterministic_algorithms(True)
    try:
        ends = []
        for recorded in (False, True):
            training = Training(context.device)
            n = training.size.steps
            if recorded:
                run = everything(context, "bits", training, 20)
                losses = training.record(run, n)
                run.finish()
            else:
                losses = training.train(n)
            ends.append([torch.stack(losses).cpu(), *state_of(training)])
    finally:
        torch.use_deterministic_algorithms(False)
    first, last = ends[0][0][0], ends[0][0][-1]
    context.table.must(f"{n} steps under deterministic algorithms, to the bit as without a record (loss {first:.3f} to {last:.3f})",
                       "equal" if same_bits(*ends) else "different", "equal", same_bits(*ends))
    # The last values arrive when the run ends; a loss that is a tensor is recorded with its own bits.
    steps = _recording.read(os.path.join(context.folder, "bits", "recording.tscope")).steps
    wrong = sum(steps[i].get("scalars.loss") != float(loss) for i, loss in enumerate(ends[1][0]))
    context.table.must("losses that were copied aside and differ from training's own", str(wrong), "0", wrong == 0)


class Own:
    """The script's own clock: events of the device, else the host's time. One list of (mark, when) a step."""

    def __init__(self, device):
        self.device, self.steps = device, []

    def mark(self, name):
        if not name:
            self.steps.append([])
        if self.device == "cuda":
            when = torch.cuda.Event(enable_timing=True)
            when.record()
        else:
            when = time.perf_counter_ns()
        self.steps[-1].append((name, when))

    def phases(self, step):
        """Returns the ns of each phase of a step, whose events have come."""
        found, marks = {}, self.steps[step]
        for (_, before), (name, after) in zip(marks, marks[1:]):
            found[name] = before.elapsed_time(after) * 1e6 if self.device == "cuda" else after - before
        return found


def phases(context):
    """Phases as recorded beside the script's own events, which are recorded right before each mark."""
    training, own = Training(context.device), Own(context.device)
    training.train(3)
    run = begin(context, "phases", device_phases=context.device == "cuda")
    training.record(run, 30, own_mark=own.mark)
    context.synchronize()
    run.finish()
    steps = _recording.read(os.path.join(context.folder, "phases", "recording.tscope")).steps
    for name in ("copy", "forward", "backward", "optimizer"):
        theirs = [own.phases(i)[name] for i in range(30)]
        apart = statistics.median(abs(steps[i].get(f"phases.{name}", 0) - theirs[i]) for i in range(30))
        middle = statistics.median(theirs)
        limit = max(0.01 * middle, 50_000)  # between our event and the script's own a device that is idle waits for the host
        clock = "events" if context.device == "cuda" else "clock"
        context.table.must(f"phase {name}: {middle / 1e3:,.0f} us by the script's own {clock}; apart", f"{apart / 1e3:,.1f} us",
                           f"{limit / 1e3:,.1f} us", apart <= limit)


def peaks(context):
    """Peaks of memory as recorded in each step beside torch's own, asked right before the step ends."""
    training, own = Training(context.device), []
    training.train(3)

    def ask():
        own.append((torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()) if context.device == "cuda" else (0, 0))

    run = begin(context, "peaks", memory_every=1)
    if context.device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    training.record(run, 10, in_step=ask)
    run.finish()
    steps = _recording.read(os.path.join(context.folder, "peaks", "recording.tscope")).steps
    found = [tuple(steps[i].get(f"memory.{name}") for name in ("peak_alloc", "peak_reserved")) for i in range(10)]
    wrong = sum(a != b for a, b in zip(own, found))
    context.table.must("steps of 10 whose peaks of memory, allocated and reserved, differ from torch's", str(wrong), "0", wrong == 0,
                       device_only="a host has no allocator of torch that counts")
