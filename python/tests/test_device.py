"""What goes to a device of CUDA, on fakes of it: nothing waits for it, and everything is on the right stream and outside of graphs."""

import contextlib
import importlib.util
import io
import unittest
from unittest import mock

import support
from tscope import _digests, _numbers, _sketches

TORCH = importlib.util.find_spec("torch") is not None


class Number:
    """What torch shows of one number on a device."""

    def __init__(self, device, dtype="torch.bfloat16", value=1.5):
        import torch

        self.device, self.dtype, self.value = torch.device(device), dtype, value

    def numel(self):
        return 1

    def detach(self):
        return self

    def reshape(self, *_):
        return self

    def to(self, dtype):
        return Number(self.device, str(dtype), self.value)

    def data_ptr(self):
        raise AssertionError("that is asked of what lies on the host")

    def item(self):
        raise AssertionError("that would wait for the device")

    __float__ = __int__ = item


class Slot:
    """A place in pinned memory, to which a device copies."""

    dtype = "torch.float64"

    def __init__(self, copies):
        self.copies = copies

    def copy_(self, source, non_blocking):
        self.copies.append((source.dtype, non_blocking))
        self.value = source.value

    def __float__(self):
        return self.value


class Event:
    """An event, which belongs to the device on which it is recorded first; it has come when `come` says so."""

    come = True
    made = 0

    def __init__(self):
        Event.made += 1
        self.device = None

    def record(self, stream):
        assert self.device in (None, stream.device), f"an event of {self.device} is recorded on {stream.device}"
        self.device = stream.device

    def query(self):
        return Event.come


@unittest.skipUnless(TORCH, "torch is not installed")
class Device(support.Case):
    def setUp(self):
        super().setUp()
        import torch

        self.copies, self.capturing, self.streams = [], False, []

        def stream(device=None):
            self.streams.append(device)
            return mock.Mock(device=device, cuda_stream=len(self.streams))

        Event.come, Event.made = True, 0
        patches = (
            mock.patch.object(torch.cuda, "is_current_stream_capturing", lambda: self.capturing),
            mock.patch.object(torch.cuda, "current_stream", stream),
            mock.patch.object(torch.cuda, "Event", Event),
        )
        for patch in patches:
            patch.start()
            self.addCleanup(patch.stop)

    def late(self, slots=64):
        late = _numbers.Late()
        late._slots = [Slot(self.copies) for _ in range(slots)]
        return late

    def test_a_number_is_converted_where_it_lies(self):
        """A copy between types is made on the host by older versions of torch, which wait for the device to make it."""
        late, found = self.late(), []
        late.number(Number("cuda:0"), found.append)
        late.read()
        self.assertEqual((self.copies, found), ([("torch.float64", True)], [1.5]))

    def test_events_are_of_the_tensor_s_device(self):
        import torch

        late, found = self.late(), []
        for i, device in enumerate(("cuda:1", "cuda:0", "cuda:1", "cuda:0")):
            late.number(Number(device, value=float(i)), found.append)
            late.read()
        self.assertEqual(found, [0.0, 1.0, 2.0, 3.0])
        self.assertEqual(self.streams, [torch.device(name) for name in ("cuda:1", "cuda:0", "cuda:1", "cuda:0")])
        self.assertEqual(Event.made, 2, "events are used again, each on its device")

    def test_nothing_is_asked_of_a_device_whose_graph_is_captured(self):
        import torch

        self.capturing, late = True, self.late(slots=0)
        with mock.patch.object(torch, "empty", side_effect=AssertionError("pinned memory is asked for")):
            with self.assertRaises(_numbers.Cannot):
                late.number(Number("cuda:0"), print)
            with self.assertRaises(_numbers.Cannot):
                late.words(Number("cuda:0"), print)
        for act in (_digests.sum_of, _sketches.on_device):
            with self.assertRaises(_numbers.Cannot):
                act(Number("cuda:0"))
        self.capturing = False
        self.assertEqual(self.streams, [])

    def test_a_number_of_a_captured_graph_is_counted(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.start() as run:
            self.capturing = True
            with run.step():
                run.log(loss=Number("cuda:0"))
            self.capturing = False
        self.assertIn("CUDA graph", said.getvalue())
        self.assertEqual(run.trouble["cannot"], 1)

    def test_nothing_is_asked_that_waits(self):
        """Operations of torch whose result, or its size, depends on numbers of a tensor wait for the device to have these."""
        import torch
        from torch.utils._python_dispatch import TorchDispatchMode

        waits = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}

        class Watched(TorchDispatchMode):
            asked = 0

            def __torch_dispatch__(self, op, types, args=(), kwargs=None):
                assert not waits & set(op.tags), f"{op} waits"
                Watched.asked += 1
                return op(*args, **(kwargs or {}))

        with self.assertRaises(AssertionError), Watched():
            torch.bincount(torch.arange(3))
        tensor = torch.randn(3, 4096 * 256)
        with mock.patch.dict(_digests._made, clear=True), mock.patch.dict(_sketches._made, clear=True), Watched():
            _digests.sum_of(tensor)
            _sketches.difference(_sketches.on_device(tensor), _sketches.on_device(tensor[:2]), 1.0)
        self.assertGreater(Watched.asked, 20)

    def test_what_one_stream_has_made_no_other_uses(self):
        import torch

        self.assertNotEqual(*(_numbers.stream_of(torch, torch.device("cuda:0")) for _ in range(2)))
        tensor = torch.arange(5000)
        for module in (_digests, _sketches):
            act = _digests.sum_of if module is _digests else _sketches.on_device
            with mock.patch.dict(module._made, clear=True):
                for stream in (1, 2, 1):
                    with mock.patch.object(module, "stream_of", lambda torch, device, stream=stream: (device, stream)):
                        act(tensor.double())
                self.assertEqual([stream for _, stream in module._made], [1, 2])

    def test_batches_on_a_device_are_left_out(self):
        """Wherever in a batch they lie; else their digest would wait for the device."""
        number = Number("cuda:0")
        with self.start() as run:
            run.watch(every=1)
            for batch in (number, [number], {"ids": number}, [{"ids": [1, number]}], {"ids": 1}):
                with run.step():
                    run._watched.batch(batch)
        found = [cells.get("digests.batch") for _, cells in sorted(self.read().steps.items())]
        self.assertEqual(found, [None] * 4 + [_digests.of_batch({"ids": 1})])
        self.assertEqual(run.trouble["cannot"], 0)

    def test_phases_whose_events_have_no_time(self):
        """As where a step ends on another stream than it began on: they are counted, and what is recorded besides arrives."""
        from tscope import _device

        class Timed:
            def __init__(self, enable_timing):
                pass

            def record(self):
                pass

            def query(self):
                return True

            def elapsed_time(self, other):
                raise RuntimeError("Both events must be completed before calculating elapsed time.")

        cuda = mock.Mock(Event=Timed, is_current_stream_capturing=lambda: False)
        said = io.StringIO()
        with contextlib.redirect_stderr(said), mock.patch.object(_device.phases_of, "__defaults__", (lambda: cuda,)), \
                self.start(device_phases=True) as run:
            run._arrivals._slots = [Slot(self.copies) for _ in range(4)]
            for _ in range(3):
                with run.step():
                    run.mark("forward")
                    run.log(loss=Number("cuda:0"))
        self.assertEqual([cells["scalars.loss"] for _, cells in sorted(self.read().steps.items())], [1.5] * 3)
        self.assertIn("device's phases", said.getvalue())
        self.assertEqual(run.trouble["cannot"], 3)

    def test_events_that_cannot_be_recorded_are_counted(self):
        from tscope import _device

        cuda = mock.Mock(is_current_stream_capturing=mock.Mock(side_effect=RuntimeError("CUDA error: an illegal memory access")))
        said = io.StringIO()
        with contextlib.redirect_stderr(said), mock.patch.object(_device.phases_of, "__defaults__", (lambda: cuda,)), \
                self.start(device_phases=True) as run, run.step():
            run.mark("forward")
        self.assertIn("an event of the device: RuntimeError: CUDA error", said.getvalue())
        self.assertEqual(run.trouble["cannot"], 3, "two events, and the phases between them")

    def test_precision_by_either_name(self):
        """torch raises where a program sets TF32 by the newer name and somebody asks by the older."""
        text = "import torch; from tscope._sketching import in_tf32\n{}\nprint(in_tf32(torch))"
        for line, expected in (("", False), ("torch.backends.cuda.matmul.allow_tf32 = True", True),
                               ("if hasattr(torch.backends, 'fp32_precision'): torch.backends.fp32_precision = 'tf32'\n"
                                "else: torch.backends.cuda.matmul.allow_tf32 = True", True)):
            self.assertEqual(self.script(text.format(line)).split()[-1], str(expected), line)


if __name__ == "__main__":
    unittest.main()
