"""Steps, numbers, regions, events and the folder of a run, as they stand in the file."""

import asyncio
import contextlib
import decimal
import io
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
import unittest

import support
import tscope

PROGRAM = os.environ.get("TSCOPE_PROGRAM", "")


class Steps(support.Case):
    def test_step_has_what_was_marked_and_logged(self):
        with self.start() as run:
            for i in range(3):
                with run.step():
                    time.sleep(0.002)
                    run.mark("forward")
                    run.mark("backward")
                    time.sleep(0.001)
                    run.mark("forward")
                    run.log(loss=1.5 - i, count=7, right=True)
                    run.amount(tokens=8192)
                    run.memory(alloc=1 << 40)
        recording = self.read()
        self.assertEqual(sorted(recording.times), [0, 1, 2])
        cells = recording.steps[2]
        self.assertEqual((cells["scalars.loss"], cells["scalars.count"], cells["scalars.right"]), (-0.5, 7.0, 1.0))
        self.assertEqual((cells["tokens"], cells["memory.alloc"]), (8192.0, float(1 << 40)))
        self.assertGreaterEqual(cells["phases.forward"], 3_000_000)
        inside = sum(ns for name, ns in cells.items() if name.startswith("phases.") and name != "phases.between")
        self.assertEqual(inside, recording.times[2][1], "the phases of a step add up to it")
        self.assertEqual(recording.end["steps"], 3)
        self.assertEqual(recording.end["reason"], 1)

    def test_numbers_of_steps(self):
        with self.start() as run:
            with run.step(10):
                pass
            with run.step():
                pass
            run.begin_step(step=20)
            run.end_step()
            run.begin_step()
            run.cancel_step()
            run.begin_step()  # ends when the next one begins
            run.begin_step()
            run.end_step()
        self.assertEqual(sorted(self.read().times), [10, 11, 20, 21, 22])

    def test_exception_passes_and_step_stays(self):
        run = self.start()
        with self.assertRaisesRegex(ZeroDivisionError, "division"), run.step():
            run.log(loss=1)
            run.log(loss=1 / 0)
        run.finish()
        recording = self.read()
        self.assertEqual(recording.steps[0]["scalars.loss"], 1.0)
        self.assertEqual(recording.events, [("events.exception", 0, "ZeroDivisionError")])

    def end(self):
        with open("run/facts.json", encoding="utf-8") as file:
            return json.load(file)["session"]["end"]

    def test_how_a_run_ends(self):
        steps = (
            "import sys, tscope\nrun = tscope.start('run', exist='new')\n"
            "for i in range(5):\n    with run.step():\n        run.log(loss=i)\n"
        )
        ends = (
            ("", 0, {"state": "finished"}),
            ("        if i == 3: raise ValueError('no\\n batch')\n", 1, {"type": "ValueError", "message": "no batch", "step": 3}),
            ("        if i == 3: sys.exit(7)\n", 7, {"exit": 7, "step": 3}),
            ("        if i == 3: sys.exit()\n", 0, {"state": "finished"}),
            ("raise KeyError('lr')\n", 1, {"type": "KeyError", "message": "'lr'", "step": 4}),
            (
                "try:\n    1 / 0\nfinally:\n    run.finish()\n",
                1,
                {"type": "ZeroDivisionError", "message": "division by zero", "step": 4},
            ),
            ("try:\n    1 / 0\nexcept ZeroDivisionError:\n    pass\nrun.finish()\n", 0, {"state": "finished"}),
        )
        for more, code, expected in ends:
            with self.subTest(more=more):
                shutil.rmtree("run", ignore_errors=True)
                self.script(steps + more, expect=code)
                self.assertEqual(self.end(), expected)

    def test_an_exception_that_is_caught_is_no_end(self):
        run = self.start()
        for i in range(4):
            with contextlib.suppress(ValueError), run.step():
                if i == 1:
                    raise ValueError("a batch that is skipped")
        run.finish()
        with open(os.path.join(run.directory, "facts.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["session"]["end"], {"state": "finished"})

    def test_names_by_value(self):
        with self.start() as run:
            for _ in range(3):
                with run.step():
                    for i in range(600):
                        run.mark("".join(["phase ", str(i)]))
                        run.log({"".join(["eval/", str(i)]): i})
        recording = self.read()
        for cells in recording.steps.values():
            self.assertEqual([cells[f"scalars.eval/{i}"] for i in range(600)], list(range(600)))
            self.assertEqual(sum(name.startswith("phases.phase ") for name in cells), 600)

    def test_step_makes_no_object(self):
        run = self.start(memory_every=0)

        def train(n):
            for _ in range(n):
                with run.step():
                    run.mark("forward")
                    run.log(loss=1.5, lr=0.1)

        train(200)
        before = sys.getallocatedblocks()
        train(5000)
        self.assertLess(sys.getallocatedblocks() - before, 500)

    def test_memory_is_sampled(self):
        for every, sampled in ((2, [0, 2, 4]), (1, [0, 1, 2, 3, 4]), (0, [])):
            with self.start(f"runs/every{every}", memory_every=every) as run:
                for _ in range(5):
                    with run.step():
                        pass
            steps = self.read(f"runs/every{every}").steps
            self.assertEqual([step for step, cells in sorted(steps.items()) if cells.get("memory.rss", 0) > 1e6], sampled)

    def test_killed_program_keeps_its_steps(self):
        self.script(
            "import os, signal, tscope\n"
            "run = tscope.start('runs/exp1')\n"
            "for i in range(5000):\n"
            "    with run.step():\n"
            "        run.log(loss=i)\n"
            "os.kill(os.getpid(), signal.SIGKILL)\n",
            expect=-signal.SIGKILL,
        )
        recording = self.read()
        self.assertEqual(len(recording.times), 5000)
        self.assertEqual(recording.steps[4999]["scalars.loss"], 4999.0)
        self.assertIsNone(recording.end)

    def test_program_that_ends_ends_its_run(self):
        self.script("import tscope\nrun = tscope.start('runs/exp1')\nrun.begin_step()\nrun.end_step()\n")
        self.assertEqual(self.read().end["reason"], 1)

    def test_child_does_not_record(self):
        run = self.start()
        with run.step():
            run.log(loss=1)
        child = os.fork()
        if child == 0:
            with run.step():
                run.log(loss=2)
            run.finish()
            os._exit(0)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        with run.step():
            run.log(loss=3)
        run.finish()
        self.assertEqual([cells["scalars.loss"] for cells in self.read().steps.values()], [1.0, 3.0])


class NotRecorded(support.Case):
    """What the recorder cannot do is counted and said once; training hears nothing of it."""

    def heard(self, run, act):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), run.step():
            act()
            act()
        return said.getvalue()

    def test_what_is_no_number(self):
        run = self.start()
        cases = {
            "a text": lambda: run.log(loss="nan"),
            "none": lambda: run.log(loss=None),
            "a list": lambda: run.log(loss=[1, 2]),
            "a huge integer": lambda: run.log(loss=10**400),
            "a number for a phase": lambda: run.mark(5),
            "a position": lambda: run.log(1.5),
            "a name that is no text": lambda: run.log({5: 1.5}),
            "a number of a step": lambda: run.begin_step("one"),
            "a name of 300 bytes": lambda: run.log({"x" * 300: 1}),
            "half a surrogate": lambda: run.mark("\ud800"),
            "a zero byte": lambda: run.mark("a\0b"),
            "an event": lambda: run.event("e", [1, 2]),
            "a digest": lambda: run.digest("d", out=object()),
            "facts of no group": lambda: run.facts({"colour": {"sky": "blue"}}),
        }
        for name, act in cases.items():
            with self.subTest(name):
                before = run.trouble["cannot"]
                self.heard(run, act)
                self.assertEqual(run.trouble["cannot"], before + 2)
        said = self.heard(self.start("runs/other"), lambda: run.log(loss="high"))
        self.assertEqual(said, "", "each cause is said once")

    def test_numbers_outside_of_steps(self):
        """They are of the step that ended last, and before the first one of that."""
        with self.start() as run:
            run.log({"parameters": 9.0})
            run.amount(samples=9)
            for i in range(2):
                with run.step():
                    run.log(loss=i)
                tscope.log(loss=i + 0.5, evaluation=i)
        self.assertEqual(run.trouble["cannot"], 0)
        steps = self.read().steps
        cells = [steps[i] for i in sorted(steps)]
        found = [(c["scalars.loss"], c["scalars.evaluation"], c.get("samples"), c.get("scalars.parameters")) for c in cells]
        self.assertEqual(found, [(0.5, 0, 9.0, 9.0), (1.5, 1, None, None)])

    def test_help_says_units_and_when(self):
        for name, words in {
            "mark": "open step.*seconds", "region": "seconds.*step that is open", "event": "unit.*step that is open",
            "memory": "bytes.*rss", "amount": "counts", "log": "unit.*ended last",
        }.items():  # fmt: skip
            self.assertRegex(" ".join(getattr(tscope.Run, name).__doc__.split()), words)

    def test_said_once(self):
        run = self.start()
        said = self.heard(run, lambda: run.log(loss="high"))
        self.assertEqual(said.count("loss: a value of type str is no number; it is not recorded, and training goes on"), 1)

    def test_what_has_a_number(self):
        class Item:
            def item(self):
                return 2.5

        with self.start() as run, run.step():
            run.log(item=Item(), decimal=decimal.Decimal("0.25"))
        cells = self.read().steps[0]
        self.assertEqual((cells["scalars.item"], cells["scalars.decimal"]), (2.5, 0.25))
        self.assertEqual(run.trouble["cannot"], 0)

    def test_interrupt_gets_through(self):
        class Item:
            def item(self):
                raise KeyboardInterrupt

        run = self.start()
        with self.assertRaises(KeyboardInterrupt), run.step():
            run.log(loss=Item())

    def test_after_the_end(self):
        run = self.start()
        run.finish()
        run.finish()
        with run.step():
            run.mark("forward")
            run.log(loss=1)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            run.log({"loss": 2})
            run.event("late")
        run.facts({"seeds": {"torch": 1}})
        self.assertEqual(len(self.read().times), 0)
        self.assertEqual((said.getvalue(), run.cannot), ("", 3), "it was said by the first")


class Around(support.Case):
    """Loaders, regions, events and digests."""

    def test_wait_for_the_loader(self):
        class Loader:
            drop_last = True

            def __iter__(self):
                for i in range(3):
                    time.sleep(0.05)
                    yield i

            def __len__(self):
                return 3

            def set_epoch(self, epoch):
                self.epoch = epoch

        loader = Loader()
        with self.start() as run:
            data = run.data(loader)
            data.set_epoch(4)
            self.assertEqual((len(data), loader.epoch), (3, 4))
            for _ in range(2):
                for _ in data:
                    with run.step():
                        run.mark("forward")
        recording = self.read()
        self.assertEqual(len(recording.times), 6)
        for cells in recording.steps.values():
            self.assertGreaterEqual(cells["phases.data"], 50_000_000)
            self.assertLess(cells.get("phases.between", 0), 50_000_000, "the wait is not counted twice")
        with open("runs/exp1/facts.json", encoding="utf-8") as file:
            text = file.read()
        self.assertIn("drop_last", text)

    def test_exception_of_the_loader_passes(self):
        def loader():
            yield 1
            raise OSError("the disk")

        run = self.start()
        with self.assertRaisesRegex(OSError, "the disk"):
            for _ in run.data(loader()):
                pass

    @unittest.skipUnless(os.path.exists("/proc/thread-self/schedstat"), "the system does not say how long a thread waits for a CPU")
    def test_waits_for_a_cpu(self):
        """A step that other processes hold up is told from one that sleeps, and from the others."""
        cpus = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, cpus)
        os.sched_setaffinity(0, {min(cpus)})

        def compute(seconds):
            end = time.thread_time() + seconds
            while time.thread_time() < end:
                pass

        run = self.start()
        for i in range(60):
            others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3 * (i == 40))]
            with run.step():
                compute(0.15 if i == 40 else 0.005)
                if i == 20:
                    time.sleep(0.5)
            for other in others:
                other.kill()
                other.wait()
        run.finish()
        recording = self.read()
        waited = {step: cells.get("regions.cpu_wait", 0) for step, cells in recording.steps.items()}
        self.assertLess(waited[20], 0.25 * recording.times[20][1], "it slept")
        self.assertGreater(waited[40], 0.4 * recording.times[40][1], waited)
        if PROGRAM:
            done = subprocess.run([PROGRAM, "analyze", "./runs/exp1", "--json"], capture_output=True, text=True)
            found = {finding["code"]: finding["detail"] for finding in json.loads(done.stdout)["findings"]}
            self.assertIn("The process waited", found["TIMING.CPU_WAIT"])
            self.assertIn("the longest, step 20, took", found["TIMING.STALLS"])

    def test_regions(self):
        run = self.start()

        @run.region("tokenize")
        def tokenize(text):
            "Splits."
            return text.split()

        @run.region("fetch")
        async def fetch():
            await asyncio.sleep(0.002)
            return 5

        with run.step():
            self.assertEqual(tokenize("a b"), ["a", "b"])
            tokenize("c")
        with self.assertRaises(KeyError), run.region("evaluate"):
            raise KeyError("x")
        self.assertEqual(asyncio.run(fetch()), 5)
        self.assertEqual((tokenize.__name__, tokenize.__doc__), ("tokenize", "Splits."))
        run.finish()
        regions = self.read().regions
        self.assertEqual([(name, step) for name, step, _ in regions[:2]], [("regions.tokenize", 0)] * 2)
        self.assertEqual([name for name, _, _ in regions[2:]], ["regions.evaluate", "regions.fetch"])
        self.assertGreaterEqual(regions[3][2], 2_000_000)

    def test_events(self):
        with self.start() as run:
            run.event("begin")
            with run.step(7):
                run.event("halved", 0.5)
                run.event("text", "grün")
        self.assertEqual([e[0] for e in self.read().events], ["events.begin", "events.halved", "events.text"])
        self.assertEqual(self.read().events[1:], [("events.halved", 7, 0.5), ("events.text", 7, "grün")])

    def test_digests(self):
        with self.start() as run, run.step():
            run.digest("attention", out=2, given=b"abc", kind="activation")
            run.digest("attention", out=(1 << 64) - 1)
        first, second = self.read().digests
        self.assertEqual((first["name"], first["out"], first["kind"], first["occurrence"]), ("attention", 2, 3, 0))
        self.assertEqual(first["in"], tscope._recorder.digest_bytes(b"abc"))
        self.assertEqual((second["out"], second["in"], second["occurrence"]), ((1 << 64) - 1, None, 1))

    def test_summary_is_flat(self):
        with self.start() as run:
            for loss in (3.0, 1.0):
                with run.step():
                    run.mark("forward")
                    run.log(loss=loss)
            summary = run.summary()
        self.assertEqual((summary["steps"], summary["scalars.loss"]), (2, 1.0))
        self.assertTrue(all(isinstance(value, (int, float, str)) for value in summary.values()))
        self.assertGreater(summary["phases.forward.share"], 0)


class Folders(support.Case):
    """Ranks, folders, and what a run goes on from."""

    def test_a_copy_of_a_callback(self):
        """It records into the same folder, with the same options, when training begins where it was copied to."""
        from tscope.integrations._recorded import Recorded

        copy = pickle.loads(pickle.dumps(Recorded(directory="runs/exp1", memory_every=0)))
        self.addCleanup(lambda: copy.run.finish())
        self.assertTrue(copy._begin())
        self.assertEqual((copy.run.directory, copy.run._memory), ("runs/exp1", None))
        copy.run.finish()
        self.assertTrue(os.path.exists("runs/exp1/recording.tscope"))

    def test_folder_with_a_run(self):
        self.start().finish()
        with self.assertRaisesRegex(FileExistsError, 'holds a run already.*exist="new".*exist="resume"'):
            tscope.start("runs/exp1", strict=True)
        self.assertEqual(self.start("runs/exp1", exist="new").directory, "runs/exp1-2")
        self.assertEqual(self.start("runs/exp1", exist="new").directory, "runs/exp1-3")
        with self.assertRaises(ValueError):
            tscope.start("runs/exp2", exist="append")

    def test_folder_that_cannot_be(self):
        with open("file", "w", encoding="utf-8"):
            pass
        with self.assertRaises(OSError):
            tscope.start("file/run", strict=True)

    HOSTILE = """
class Hostile:
    def __str__(self):
        raise ValueError('hostile')
class Deep(dict):
    def items(self):
        raise ZeroDivisionError
"""

    def test_what_cannot_be_recorded_is_said_once_and_training_goes_on(self):
        self.start("runs/held").finish()
        with open("file", "w", encoding="utf-8"):
            pass
        os.mkdir("closed")
        os.chmod("closed", 0o500)
        trains = (
            "import os, sys, tscope\n" + self.HOSTILE + "run = {}\n"
            "for batch in run.data([1, 2, 3]):\n"
            "    with run.step(), run.region('all'):\n"
            "        run.mark('forward'); run.log(loss=1.0); run.amount(samples=1); run.memory(alloc=1)\n"
            "        tscope.log(loss=2.0); run.event('e', 1); run.digest('d', b'x'); run.facts({{'work': {{}}}})\n"
            "print(run.enabled, run.summary(), run.trouble['cannot'], run.layers(None).heaviest(), run.finish())\n"
        )
        said = "False {} 0 [] None"
        ways = [
            ("tscope.start('runs/held')", r'holds a run already .*: exist="new" records .*, exist="resume" goes on'),
            ("tscope.start('file/run')", "file"),
            ("tscope.start('/proc/run')", "/proc/run"),
            ("tscope.start('')", "."),
            ("tscope.start(None)", "None"),
            ("tscope.start(os.environ.get('NOT_THERE'))", "None"),
            ("tscope.start('runs/a', config=Hostile())", "hostile"),
            ("tscope.start('runs/b', config=Deep(x=1))", "ZeroDivisionError"),
            ("tscope.start('runs/c', config=5)", "object"),
            ("tscope.start('runs/d', facts={'nonsense': 1})", "no group of facts"),
            ("tscope.start('runs/e', rank=3, world_size=2)", "rank"),
            ("tscope.start('runs/f', memory_every='often')", "str"),
            ("tscope.start('runs/g', flush_ms='often')", "str"),
        ]
        if os.geteuid():
            ways.append(("tscope.start('closed/run')", "closed"))
        for way, why in ways:
            with self.subTest(way):
                out = self.script(trains.format(way)).splitlines()
                self.assertEqual(len(out), 2, out)
                self.assertIn(said, out)
                (line,) = [line for line in out if line != said]
                self.assertRegex(line, f"^tscope: .*{why}.*; nothing is recorded, and training goes on$")
                self.script(trains.format(way[:-1] + ", strict=True)"), expect=1)

    def test_memory_that_is_not_there(self):
        said = self.script(
            "import resource, tscope\n"
            "from tscope import _facts\n"
            "def none(*_): raise MemoryError\n"
            "_facts.at_start = none\n"
            "run = tscope.start('runs/exp1')\n"
            "print(run.enabled)\n"
            "try:\n    tscope.start('runs/exp1', strict=True)\n"
            "except MemoryError:\n    print('raised')\n"
        )  # fmt: skip
        line = "tscope: MemoryError; nothing is recorded, and training goes on"
        self.assertEqual(sorted(said.splitlines()), ["False", "raised", line])

    def test_a_standard_error_that_is_not_there(self):
        pipe = "import os; r, w = os.pipe(); os.close(r); sys.stderr = open(w, 'w', 1)"
        for gone in ("sys.stderr.close()", "sys.stderr = None", pipe):
            with self.subTest(gone):
                said = self.script(
                    f"import sys; import tscope; {gone}\n"
                    "run = tscope.start('/proc/run'); print(run.enabled)\n"
                    "run = tscope.start('runs/exp1', exist='new', verdict=True)\n"
                    "with run.step():\n    run.log(loss=object()); run.event('x', object())\n"
                    "print(run.trouble['cannot']); run.finish(); sys.stderr = sys.__stderr__ if 'w' in dir() else sys.stderr\n"
                )
                self.assertEqual(said.split(), ["False", "2"])

    def test_nobody_waits_for_who_reads_standard_error(self):
        said = self.script(
            "import os, signal; import tscope; r, w = os.pipe(); os.set_blocking(w, False)\n"
            "try:\n    while True:\n        os.write(w, bytes(4096))\nexcept BlockingIOError:\n    pass\n"
            "os.set_blocking(w, True); os.dup2(w, 2); signal.alarm(60)\n"
            "run = tscope.start('/proc/run'); print(run.enabled)\n"
            "run = tscope.start('runs/exp1')\n"
            "with run.step():\n    run.log(loss=object())\n"
            "print(run.trouble['cannot'])\n"
        )
        self.assertEqual(said.split(), ["False", "1"])

    def test_the_run_that_could_not_begin_takes_no_numbers_of_another(self):
        before = self.start("runs/first")
        with before.step():
            pass
        with contextlib.redirect_stderr(io.StringIO()):
            tscope.start("runs/first")
        tscope.log(loss=0.5)
        before.finish()
        self.assertNotIn("scalars.loss", self.read("runs/first").steps[0])

    def test_ranks_of_one_job_share_a_new_folder(self):
        train = "import tscope; print(tscope.start('runs/exp1', exist='new').directory)"
        for port, expected in (("1", "runs/exp1"), ("2", "runs/exp1-2"), ("3", "runs/exp1-3")):
            for rank in ("1", "0", "2"):
                said = self.script(train, RANK=rank, WORLD_SIZE="3", MASTER_PORT=port)
                self.assertEqual(said.strip(), expected)
        self.assertTrue(os.path.exists("runs/exp1-3/rank2/recording.tscope"))

    def test_rank_from_the_environment(self):
        say = "import tscope; run = tscope.start('runs/exp1'); print(run.rank, run.world_size)"
        self.assertEqual(self.script(say, RANK="3", WORLD_SIZE="8").split(), ["3", "8"])
        self.assertEqual(self.script(say, SLURM_PROCID="2", SLURM_NTASKS="8").split(), ["2", "8"])
        recording = tscope._recording.read("runs/exp1/rank3/recording.tscope")
        self.assertEqual((recording.rank, recording.world_size), (3, 8))

    def test_rank_that_does_not_record(self):
        run = self.start("runs/exp1", rank=1, world_size=2, ranks=0)
        with run.step():
            run.mark("forward")
            run.log(loss=object())
        self.assertEqual(list(run.data(iter("ab"))), ["a", "b"])
        run.watch()
        run.event("e")
        run.checkpoint("x")
        with run.region("r"):
            pass
        self.assertEqual(run.summary(), {})
        run.finish()
        self.assertFalse(os.path.exists("runs"))

    def test_a_run_has_so_few_attributes_that_its_methods_are_found_fast(self):
        """CPython shares the keys of at most 30 attributes, and finds the methods of an object with more of them slower."""
        off = self.start("runs/off", rank=1, world_size=2, ranks=0)
        run = self.start("runs/exp1")
        for _ in run.data(range(200)):
            with run.step():
                run.mark("forward")
                run.log(loss=1.0)
        run.watch(every=10)
        run.checkpoint("x")
        self.assertLessEqual(len(vars(off)), 30)
        self.assertLessEqual(len(vars(run)), 30)
        run.finish()

    def test_lineage(self):
        with self.start("runs/exp1") as run:
            with run.step(40):
                pass
            run.checkpoint("step40.pt")
        with self.start("runs/exp2") as run:
            run.resumed_from("step40.pt")
            for _ in range(2):
                with run.step():
                    pass
        self.assertEqual(sorted(self.read("runs/exp2").times), [41, 42])
        with open("runs/exp2/facts.json", encoding="utf-8") as file:
            lineage = json.load(file)["lineage"]
        self.assertEqual(lineage, {"checkpoint": "step40.pt", "parent": "exp1", "resumed_step": 41})
        with self.start("runs/exp3") as run:
            run.resumed_from("runs/exp1", step=12)
        with open("runs/exp3/facts.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["lineage"], {"parent": "exp1", "resumed_step": 12})

    def test_name_of_a_folder(self):
        from tscope._paths import name_of

        os.makedirs("lab/.git")
        for path, name in (
            ("runs/exp1", "exp1"),
            ("lab/runs/gpt/exp1", "gpt/exp1"),
            ("lab/gpt/exp1", "gpt/exp1"),
            ("lab/gpt/version_0", "gpt/version_0"),
            ("outputs/my run", "my-run"),
        ):
            self.assertEqual(name_of(path), name)
        self.assertEqual(name_of("/nowhere/gpt/lightning_logs/version_0"), "gpt/lightning_logs/version_0")


if __name__ == "__main__":
    unittest.main()
