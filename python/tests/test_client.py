"""The package asks the program: tables, columns, reports, errors by kind, a child that dies, forks and threads."""

import contextlib
import doctest
import gc
import glob
import gzip
import importlib
import importlib.util
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
import threading
import unittest

import support
import tscope
from tscope import _recorder, _serve, _table

try:
    import numpy
except ImportError:
    numpy = None

PROGRAM = os.environ.get("TSCOPE_PROGRAM", "")
# The head of a program for another processor than this one: aarch64, or there s390x.
ELF = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\0" + bytes([22 if os.uname().machine == "aarch64" else 183, 0]) + bytes(44)


def write(path, n=60, start=0, ranks=1, lr=1e-3, slow=1.0, shift=0.0, **facts):
    """Writes a run of training that is a formula, so that each value is known."""
    for rank in range(ranks):
        folder = os.path.join(path, f"rank{rank}") if ranks > 1 else path
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "steps.jsonl"), "w", encoding="utf-8") as file:
            for step in range(start, n):
                scalars = {"loss": 2 / (step + 1) + shift * (step > start), "lr": lr, "who": f"s{step}é"}
                if step % 10 == 0:
                    scalars["val"] = step / 7
                times = {"timestamp": 1.79e9 + step * 0.1 * slow, "phases": {"forward": 0.05 * slow}}
                file.write(json.dumps({"step": step, **times, "scalars": scalars}) + "\n")
    with open(os.path.join(path, "run.json"), "w", encoding="utf-8") as file:
        json.dump({"name": os.path.basename(path), "config": {"lr": lr}, "world_size": ranks, "started": 1.79e9}, file)
    with open(os.path.join(path, "facts.json"), "w", encoding="utf-8") as file:
        json.dump({"session": {"id": os.path.basename(path), **facts}}, file)


def write_trace(path):
    """Writes a trace of an operator, the call that it makes, a kernel and a copy."""
    events = [
        {"cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 2, "ts": 10, "dur": 5.125, "args": {"Input Dims": [[2, 3], [3, 4]]}},
        {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 2, "ts": 11, "dur": 1, "args": {"correlation": 7}},
        {"cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20, "dur": 3, "args": {"correlation": 7, "stream": 7, "device": 0}},
        {"cat": "gpu_memcpy", "name": "Memcpy é", "pid": 0, "tid": 7, "ts": 30.001, "dur": 2, "args": {"stream": 7, "bytes": 64}},
    ]
    with gzip.open(path, "wt", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "traceEvents": [{"ph": "X", **event} for event in events]}, file)


@unittest.skipUnless(PROGRAM, "TSCOPE_PROGRAM names no program")
class Client(support.Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(_serve._close_all)
        for name, value in (("TSCOPE", PROGRAM), ("TSCOPE_STORE", os.path.join(self.folder, "store")), ("TSCOPE_PROJECT", "default")):
            before = os.environ.get(name)
            os.environ[name] = value
            self.addCleanup(lambda n=name, b=before: os.environ.pop(n) if b is None else os.environ.__setitem__(n, b))
        os.environ.pop("COLUMNS", None)  # a pipe has no width
        write_trace("trace.json.gz")
        write("runs/exp1", ranks=2)
        write("runs/base", lr=2e-3)
        write("runs/resumed", start=50, n=80, parent="base", lr=2e-3)
        self.push("runs/exp1", "runs/base", "runs/resumed")

    def push(self, *paths):
        subprocess.run([PROGRAM, "push", "-q", *paths], check=True, stdout=subprocess.DEVNULL)

    def test_examples_run(self):
        parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        said, path = io.StringIO(), os.environ["PATH"]
        os.environ["PATH"] = os.path.dirname(PROGRAM) + ":" + path
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        test_docs = importlib.import_module("test_docs")
        with contextlib.redirect_stdout(said):
            for name, text, module in test_docs.documented():
                needed = re.findall(r">>> import (\w+)", text or "")
                if module.__name__ in test_docs.ASK and all(importlib.util.find_spec(package) for package in needed):
                    runner.run(parser.get_doctest(text or "", {**vars(module), "tscope": tscope}, name, None, 0))
        self.assertEqual(runner.failures, 0, said.getvalue())
        self.assertGreater(runner.tries, 20)

    def test_document(self):
        """What docs/python.md shows is what is printed."""
        where = os.environ.get("TSCOPE_DOCS", "")
        if not os.path.exists(os.path.join(where, "python.md")):
            self.skipTest("TSCOPE_DOCS names no folder of documents")
        os.environ["TSCOPE_STORE"] = os.path.join(self.folder, "document")
        write("shown/base", lr=1e-3)
        write("shown/slow", lr=1e-3, slow=1.5)
        write("shown/tuned", lr=2e-3, shift=0.01)
        write("shown/resumed", start=50, n=70, parent="base", lr=1e-3)
        self.push("shown/base", "shown/slow", "shown/tuned", "shown/resumed")
        with open(os.path.join(where, "python.md"), encoding="utf-8") as file:
            text = file.read()
        said, runner = io.StringIO(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        with contextlib.redirect_stdout(said):
            runner.run(doctest.DocTestParser().get_doctest(text, {}, "python.md", None, 0))
        self.assertEqual(runner.failures, 0, said.getvalue())
        self.assertGreater(runner.tries, 10)

    def test_runs_are_a_table(self):
        table = tscope.runs("config.lr>1e-3", columns=["name", "steps", "config.lr", "loss.last", "val.last"], sort="name")
        self.assertEqual(table.columns, ["name", "steps", "config.lr", "loss.last", "val.last"])
        self.assertEqual(table["name"], ["default/base", "default/resumed"])
        self.assertEqual(list(table["loss.last"]), [2 / 60, 2 / 80])
        self.assertEqual([row["steps"] for row in table.rows()], [60, 30])
        self.assertIn("default/base", repr(table))
        self.assertEqual(len(tscope.runs(limit=1)), 1)
        with self.assertRaisesRegex(tscope.NotFound, r"config.lrr \(the nearest name is config.lr\)"):
            tscope.runs(columns=["name", "config.lrr"])
        with self.assertRaises(tscope.Invalid):
            tscope.runs("loss.last <")
        with self.assertRaisesRegex(tscope.NotFound, "nearest name is name"):
            table["nam"]

    def test_what_no_run_records_is_said_of_filters_and_orders(self):
        for how in ({"filter": "config.lrr>0"}, {"sort": "config.lrr"}, {"filter": "steps>0 or config.lrr>0", "columns": "name"}):
            with self.subTest(str(how)), self.assertRaisesRegex(tscope.NotFound, r"config.lrr \(the nearest name is config.lr\)"):
                tscope.runs(**how)
        self.assertEqual(len(tscope.runs("sweep=x7")), 0)  # there may be such runs tomorrow
        self.assertEqual(tscope.runs(columns=["name", "sweep"])["sweep"], [None] * 3)
        self.assertEqual(len(tscope.runs("config.lr>9")), 0)
        os.environ["TSCOPE_PROJECT"] = "empty"
        self.assertEqual(len(tscope.runs("config.lrr>0")), 0)

    def test_columns_are_the_values(self):
        run = tscope.get("exp1")
        loss = [2 / (step + 1) for step in range(60)]
        self.assertEqual((run.ranks, list(run.steps), run.facts["config.lr"]), ([0, 1], list(range(60)), 1e-3))
        self.assertEqual(list(run.column("loss")), loss)
        self.assertEqual({rank: list(values) for rank, values in run.column("loss", ranks="all").items()}, {0: loss, 1: loss})
        self.assertEqual(list(run.series("val", rank=1).steps), [0, 10, 20, 30, 40, 50])
        self.assertEqual(run.column("who")[7], "s7é")
        self.assertIn("scalars.loss", run.columns)
        with self.assertRaisesRegex(tscope.NotFound, "records no los; the nearest name is loss"):
            run.column("los")
        with self.assertRaisesRegex(tscope.NotFound, "rank 7 of exp1 records no loss"):
            run.column("loss", ranks=7)
        with self.assertRaises(tscope.Invalid):
            run.column("loss", ranks="some")
        with self.assertRaisesRegex(tscope.NotFound, "nothing is named"):
            tscope.get("nowhere")
        self.assertEqual(list(tscope.get("./runs/base").column("lr"))[:2], [2e-3, 2e-3])

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_frames_join_on_steps(self):
        run = tscope.get("exp1")
        table = run.frame(["loss", "val"])
        self.assertEqual(table.columns, ["step", "loss", "val"])
        self.assertEqual([i for i, v in enumerate(table["val"]) if not math.isnan(v)], [0, 10, 20, 30, 40, 50])
        self.assertEqual(len(run.frame()), 60)
        self.assertIsInstance(run.column("loss"), numpy.ndarray)

    def test_a_trace_that_ends_too_early(self):
        shutil.copytree("runs/base", "runs/ended")
        with gzip.open("trace.json.gz") as whole, gzip.open("runs/ended/trace.json.gz", "wb") as cut:
            cut.write(whole.read()[:-2])
        self.push("runs/ended")
        self.assertFalse(tscope.trace("trace.json.gz").cut)
        self.assertTrue(tscope.trace("runs/ended/trace.json.gz").cut)
        self.assertTrue(tscope.trace("ended").cut)

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_tables_of_a_trace(self):
        trace = tscope.trace("trace.json.gz")
        self.assertEqual({name: rows for name, rows in trace.tables.items() if rows}, {"events": 4, "operators": 1, "kernels": 2})
        kernels = trace["kernels"]
        self.assertEqual(list(kernels["name"]), ["gemm", "Memcpy é"])
        self.assertEqual(list(kernels["start_ns"]), [20000, 30001])
        self.assertEqual([row["correlation"] for row in kernels.rows()], [7, None])
        self.assertEqual([row["shapes"] for row in trace["operators"].rows()], ["[[2,3],[3,4]]"])
        self.assertEqual(list(trace["operators"]["duration_ns"]), [5125])
        self.assertIn("gemm", repr(kernels))
        with self.assertRaisesRegex(tscope.NotFound, "a trace has no table kernel; it has events, operators, kernels"):
            trace["kernel"]
        with self.assertRaisesRegex(tscope.NotFound, "nowhere"):
            tscope.trace("nowhere")
        with self.assertRaisesRegex(tscope.NotFound, "base has no trace of a profiler"):
            tscope.trace("base")
        shutil.copytree("runs/base", "runs/traced")
        shutil.copy("trace.json.gz", "runs/traced/trace.json.gz")
        self.push("runs/traced")
        self.assertEqual(repr(tscope.trace("traced")["kernels"].rows()), repr(kernels.rows()))  # NaN is no equal of NaN
        self.assertEqual(len(tscope.trace("traced", file="trace.json.gz")["kernels"]), 2)
        for run, file in (("traced", None), ("traced", "trace.json.gz"), ("trace.json.gz", None)):
            with self.assertRaisesRegex(tscope.TscopeError, "of rank 5 that could be read|a rank is one of a run"):
                tscope.trace(run, file=file, rank=5)
        if importlib.util.find_spec("pyarrow"):
            arrow = kernels.to_arrow()
            arrow.validate(full=True)
            self.assertEqual(arrow.column("name").to_pylist(), ["gemm", "Memcpy é"])
            self.assertEqual(arrow.column("bytes").to_pylist(), [None, 64])
            self.assertEqual(trace["events"].to_arrow().column("category").to_pylist(), [None] * 4)
        if importlib.util.find_spec("pandas"):
            self.assertEqual(kernels.to_pandas()["name"].tolist(), ["gemm", "Memcpy é"])

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_digests_keep_their_bits_where_steps_lack_them(self):
        write("runs/digests", n=6)
        with open("runs/digests/steps.jsonl", encoding="utf-8") as file:
            steps = [json.loads(line) for line in file]
        for step in steps[::2]:
            step["digests"] = {"params": f"{2**64 - 1 - step['step']:016x}"}
        with open("runs/digests/steps.jsonl", "w", encoding="utf-8") as file:
            file.writelines(json.dumps(step) + "\n" for step in steps)
        table = tscope.get("./runs/digests").frame(["digests.params", "loss"])
        digests = [2**64 - 1, None, 2**64 - 3, None, 2**64 - 5, None]
        self.assertEqual([row["digests.params"] for row in table.rows()], digests)
        self.assertIn("18446744073709551613", repr(table))
        if importlib.util.find_spec("pyarrow"):
            arrow = table.to_arrow()
            arrow.validate(full=True)
            self.assertEqual(arrow.column("digests.params").to_pylist(), digests)
        if importlib.util.find_spec("pandas"):
            column = table.to_pandas()["digests.params"]
            self.assertEqual([None if missing else int(cell) for cell, missing in zip(column, column.isna())], digests)

    def test_reports_are_objects(self):
        diff = tscope.diff("exp1", "base")
        self.assertEqual((diff.verdict, diff.exit_code, diff.a.step_count), ("different", 1, 60))
        asked = {"capture_output": True, "env": dict(os.environ)}  # readline sets COLUMNS behind Python's back
        printed = subprocess.run([PROGRAM, "diff", "exp1", "base"], **asked).stdout.decode()
        self.assertEqual(str(diff), printed.rstrip("\n"))
        self.assertEqual(diff.to_dict(), json.loads(subprocess.run([PROGRAM, "diff", "exp1", "base", "--json"], **asked).stdout))
        page = diff._repr_html_()
        self.assertIn("prefers-color-scheme", page)
        self.assertNotIn("&lt;script", page)
        self.assertLessEqual(len(diff.brief().encode()), 4500)
        with self.assertRaisesRegex(AttributeError, "no member 'nothing'"):
            diff.nothing  # noqa: B018
        self.assertIsInstance(tscope.analyze("exp1").findings, list)
        self.assertIn(tscope.check_resume("resumed", "base").verdict, ("correct", "wrong", "unknown"))
        self.assertTrue(tscope.gate("exp1", baseline="base").sentence)
        self.assertIn("iframe", tscope.check_resume("resumed", "base")._repr_html_())
        self.assertEqual(tscope.ask("show", run="exp1").run.rank_count, 2)
        with self.assertRaises(tscope.Invalid):
            tscope.ask("show", runn="exp1")
        with self.assertRaises(tscope.Invalid):
            tscope.ask("push", paths=["runs/exp1"])

    def test_a_child_that_died_is_replaced(self):
        self.assertEqual(len(tscope.runs()), 3)
        child = _serve.serve()._child
        child.kill()
        child.wait()
        self.assertEqual(len(tscope.runs()), 3)
        self.assertEqual(len(tscope.get("exp1").column("loss")), 60)

    def test_forks_and_threads_ask(self):
        self.assertEqual(len(tscope.runs()), 3)
        took, gives = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.write(gives, str(len(tscope.get("exp1").column("loss"))).encode())
            os._exit(0)
        os.waitpid(pid, 0)
        os.close(gives)
        self.assertEqual(os.read(took, 9), b"60")
        os.close(took)
        found = []
        threads = [
            threading.Thread(target=lambda: found.append((tscope.diff("exp1", "base").verdict, len(tscope.get("base").column("loss")))))
            for _ in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [("different", 60)] * 6)

    def test_an_interrupt_is_no_wrong_answer(self):
        text = (
            "import signal, threading, os, tscope\n"
            "signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))\n"
            "for wait in (0.001, 0.004, 0.02, 0.05):\n"
            "    signal.setitimer(signal.ITIMER_REAL, wait)\n"
            "    try:\n"
            "        while True: tscope.get('exp1').column('loss', ranks='all')\n"
            "    except KeyboardInterrupt: pass\n"
            "    assert len(tscope.get('base').column('loss')) == 60\n"
        )
        self.script(text)

    def test_the_program_ends_with_this_one(self):
        said = self.script("import os, tscope; tscope.runs(); print(tscope._serve.serve()._child.pid)")
        self.assertFalse(os.path.exists(f"/proc/{said.strip()}"))
        text = "import os, tscope; tscope.runs(); print(tscope._serve.serve()._child.pid, flush=True); os.kill(os.getpid(), 9)"
        pid = self.script(text, expect=-9).strip()
        for _ in range(100):
            try:
                with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                    if file.read().split(") ")[1][0] == "Z":
                        return
            except FileNotFoundError:
                return
            threading.Event().wait(0.05)
        self.fail(f"{pid} is there still")

    def test_who_cannot_answer_says_why(self):
        old = os.path.join(self.folder, "old")
        with open(old, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\ncase "$*" in *--version) echo "tscope 0.1.0, format 3";;\n')
            file.write("*) echo \"tscope: there is no verb 'serve'\" >&2; exit 2;; esac\n")
        os.chmod(old, 0o755)
        os.environ["TSCOPE"] = old
        with self.assertRaisesRegex(tscope.Unavailable, f"{old} is tscope 0.1.0, which cannot be asked by the package tscope-ml"):
            tscope.runs()
        with open(old, "wb") as file:
            file.write(ELF)
        with self.assertRaisesRegex(tscope.Unavailable, f"{old} is for (s390x|aarch64), and this machine is {os.uname().machine}"):
            tscope.runs()
        os.environ["TSCOPE"] = os.path.join(self.folder, "none")
        with self.assertRaisesRegex(tscope.Unavailable, "there is no program tscope"):
            tscope.runs()
        os.environ["TSCOPE"] = PROGRAM
        os.environ["TSCOPE_SERVER"] = "unix:" + os.path.join(self.folder, "no-socket")
        self.addCleanup(os.environ.pop, "TSCOPE_SERVER", None)
        with self.assertRaises(tscope.Unavailable):
            tscope.runs()
        del os.environ["TSCOPE_SERVER"]
        with open(os.path.join(self.folder, "store", "data.mdb"), "r+b") as file:
            file.write(b"\xff" * 65536)
        _serve._close_all()
        with self.assertRaises((tscope.Damaged, tscope.Unavailable)):
            tscope.runs()
        os.environ["TSCOPE_STORE"] = os.path.join(self.folder, "never")
        with self.assertRaisesRegex(tscope.NotFound, "there is no store|nothing is named"):
            tscope.get("exp1")
        self.assertEqual(len(tscope.runs()), 0)


class Foreign(support.Case):
    def test_an_extension_for_another_processor(self):
        folder = os.path.join(self.folder, "elsewhere")
        shutil.copytree(os.path.dirname(tscope.__file__), os.path.join(folder, "tscope"), ignore=shutil.ignore_patterns("__pycache__"))
        (path,) = glob.glob(os.path.join(folder, "tscope", "_recorder*.so"))
        with open(path, "wb") as file:
            file.write(ELF)
        env = {**os.environ, "PYTHONPATH": folder}
        done = subprocess.run([sys.executable, "-c", "import tscope"], env=env, capture_output=True, text=True)
        self.assertRegex(done.stderr.splitlines()[-1], "_recorder.*is for (s390x|aarch64), and this machine is .*: install tscope-ml")


class Tables(support.Case):
    COLUMNS = {
        "n": [1, None, -(2**63), 2**63 - 1],
        "x": [0.5, None, "NaN", "-Infinity"],
        "t": ["a", "é", None, ""],
        "b": [True, None, False, True],
        "odd": [1, "a", None, True],
        "none": [None] * 4,
        "big": ["9007199254740993", 1, None, 2],
    }

    def test_kinds(self):
        self.assertEqual([_table._kind(column) for column in self.COLUMNS.values()], "int float text bool text text int".split())

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "pyarrow is not installed")
    def test_arrow_reads_it_back(self):
        import pyarrow

        for _ in range(50):
            got = pyarrow.table(_table.Table(dict(self.COLUMNS)))
            gc.collect()
        got.validate(full=True)
        self.assertEqual(got.column("n").to_pylist(), self.COLUMNS["n"])
        x = got.column("x").to_pylist()
        self.assertTrue(x[:2] == [0.5, None] and math.isnan(x[2]) and x[3] == -math.inf)
        self.assertEqual(got.column("t").to_pylist(), self.COLUMNS["t"])
        self.assertEqual(got.column("b").to_pylist(), self.COLUMNS["b"])
        self.assertEqual(got.column("odd").to_pylist(), ["1", "a", None, "true"])
        self.assertEqual(got.column("big").to_pylist(), [2**53 + 1, 1, None, 2])
        self.assertEqual(pyarrow.table(_table.Table({})).num_rows, 0)

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "pyarrow is not installed")
    def test_parquet_keeps_every_bit(self):
        import struct

        import pyarrow.parquet

        table = pyarrow.table(_table.Table(dict(self.COLUMNS)))
        pyarrow.parquet.write_table(table, "t.parquet")
        back = pyarrow.parquet.read_table("t.parquet")
        self.assertEqual(back.schema, table.schema)
        for name in ("n", "t", "b", "odd", "big"):
            self.assertEqual(back.column(name).to_pylist(), table.column(name).to_pylist())
        bits = [[v if v is None else struct.pack("d", v) for v in t.column("x").to_pylist()] for t in (back, table)]
        self.assertEqual(*bits)

    @unittest.skipUnless(numpy is not None and importlib.util.find_spec("pyarrow"), "numpy and pyarrow are not installed")
    def test_arrays_are_not_copied(self):
        import pyarrow

        array = numpy.arange(1000, dtype="f8")
        got = pyarrow.table(_table.Table({"a": array}))
        array[3] = -1
        self.assertEqual(got.column("a")[3].as_py(), -1)
        kept = got.column("a").chunk(0)
        del array, got
        gc.collect()
        self.assertEqual(kept[999].as_py(), 999)

    def test_a_stream_that_nobody_reads_is_freed(self):
        for _ in range(1000):
            _table.Table({"a": [0.5] * 100}).__arrow_c_stream__()
        with self.assertRaises(TypeError):
            _recorder.arrow_stream(1, (1,))


if __name__ == "__main__":
    unittest.main()
