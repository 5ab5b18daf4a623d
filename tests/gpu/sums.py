"""Digests and sketches of a device beside those of copies on the host, which C makes in one pass."""

import math
import os

import torch
from harmless import begin
from training import Training
from tscope import _digests, _recording, _sketches
from tscope._sketch_file import NAME


def digest_of_copy(tensor):
    """Returns the digest of a copy on the host, by the pass in C."""
    return _digests.of_host(tensor.detach().cpu())


def named_state(training):
    """Gives the tensors of the optimizer's state, as docs/digests.md names them."""
    names = {id(p): name for name, p in training.model.named_parameters()}
    for p, state in training.optimizer.state.items():
        for key, value in state.items():
            yield f"{names[id(p)]}.{key}", value if isinstance(value, torch.Tensor) else torch.tensor(float(value), dtype=torch.float64)


def odd_tensors(device):
    """Returns tensors of many types, lengths and strides: what is not a whole word, a row or a block is where a sum goes wrong."""
    draw = torch.Generator().manual_seed(5)
    found = []
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        for shape in ((), (1,), (7,), (255, 3), (4096 * 8 + 1,), (3, 4096 * 256 - 1), (2, 4096 * 256)):
            found.append(torch.randn(shape, generator=draw).to(dtype).to(device))
    found.append(torch.randn(600, 400, generator=draw).to(device).t())
    found.append(torch.randn(64, 8, 8, 6, generator=draw).to(device).to(memory_format=torch.channels_last))
    return found


def digests(context):
    """Digests of what a run watched, and of odd tensors, beside those of copies."""
    training, expected = Training(context.device), []
    run = begin(context, "digests")
    run.watch(training.model, training.optimizer, every=5)

    def copies():
        if run._step_now() % 5:
            return
        parameters = list(training.model.named_parameters())
        expected.append({
            "params": _digests.of_set([(name, digest_of_copy(p)) for name, p in parameters]),
            "grads": _digests.of_set([(name, digest_of_copy(p.grad)) for name, p in parameters]),
            "optimizer": _digests.of_set([(name, digest_of_copy(value)) for name, value in named_state(training)]),
        })

    training.record(run, 11, before_optimizer=copies)
    run.finish()
    steps = _recording.read(os.path.join(context.folder, "digests", "recording.tscope")).steps
    for name in ("params", "grads", "optimizer"):
        wrong = sum(steps[5 * i].get(f"digests.{name}") != found[name] for i, found in enumerate(expected))
        context.table.must(f"recorded digests of {name} that differ from those of copies on the host, of {len(expected)}", str(wrong),
                           "0", wrong == 0 and len(expected) == 3)
    tensors = [*odd_tensors(context.device), torch.arange(1001, device=context.device).to(torch.uint8)]
    wrong = 0
    for tensor in tensors:
        total, n = _digests.sum_of(tensor.detach())
        wrong += _digests.whole(int(total) & (2**64 - 1), n) != digest_of_copy(tensor)
    context.table.must(f"digests by torch's operations that differ from C's, of {len(tensors)} tensors of all types and strides",
                       str(wrong), "0", wrong == 0)


def distance(made, other):
    """Returns how far two sketches lie apart, as a share of the norm of the second. NaN where counts differ."""
    *a, counted, nonfinite = _sketches._STATE.unpack(made)
    *b, wanted, others = _sketches._STATE.unpack(other)
    if (counted, nonfinite) != (wanted, others):
        return math.nan
    apart = math.sqrt(sum((x - y) ** 2 for x, y in zip(a[:256], b[:256])) + (math.sqrt(a[256]) - math.sqrt(b[256])) ** 2)
    return apart / math.sqrt(b[256]) if b[256] else apart


def sketches(context):
    """Sketches of odd tensors beside those of copies, and again; and gradients of parameters as recorded."""
    worst, again, tensors = 0.0, 0, odd_tensors(context.device)
    for tensor in tensors:
        made = _sketches.on_device(tensor)
        again += not torch.equal(made, _sketches.on_device(tensor.clone()))
        apart = distance(_sketches.packed(made.tolist(), tensor.numel()), _sketches.sketched(tensor.cpu()))
        worst = apart if not apart <= worst else worst
    context.table.must(f"sketches by torch's operations, as far from C's on a copy, of {len(tensors)} tensors of all types and strides",
                       f"{worst:.1e}", "1e-12", worst <= 1e-12)
    context.table.must("of these, sketches that differ when they are made again", str(again), "0", again == 0)
    context.table.must("recorded sketches of gradients, as far from those of copies", *recorded_sketches(context))


def recorded_sketches(context):
    """Returns the greatest distance of what a run recorded from the sketches of copies, its limit, and whether it holds."""
    from test_sketches import parsed

    training, expected = Training(context.device), {}
    run = begin(context, "sketches")
    run.sketch(training.model, training.optimizer, every=4)

    def copies():
        if run._step_now() % 4 == 0:
            for name, p in training.model.named_parameters():
                expected[run._step_now(), name] = _sketches.sketched(p.grad.cpu())

    training.record(run, 5, before_optimizer=copies)
    run.finish()
    with open(os.path.join(context.folder, "sketches", NAME), "rb") as file:
        rows = {(row["step"], row["name"]): row for row in parsed(file.read()) if row["kind"] == "param_grad"}
    if not expected or set(rows) != set(expected):
        return f"{len(rows)} of {len(expected)} were recorded", "1e-12", False
    worst = 0.0
    for place, row in rows.items():
        made = _sketches._STATE.pack(*row["sums"], row["squares"], row["count"], row.get("nonfinite", 0))
        apart = distance(made, expected[place])
        worst = apart if not apart <= worst else worst
    return f"{worst:.1e}", "1e-12", worst <= 1e-12
