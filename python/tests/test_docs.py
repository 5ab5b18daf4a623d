"""Every public name has a sentence and an example, and the examples are run."""

import contextlib
import doctest
import importlib
import importlib.util
import inspect
import io
import pkgutil
import re
import sys
import unittest

import support
import tscope

# What an integration is for: without it, it cannot be imported.
# Their examples ask the program: test_client.py runs them.
ASK = ("tscope._answers", "tscope._client", "tscope._serve", "tscope._trace", "tscope.testing", "tscope.plugin")
FRAMEWORKS = {"plugin": "pytest", "transformers": "transformers", "accelerate": "accelerate", "lightning": "lightning"}


def modules():
    """Yields the modules of the package whose frameworks are there."""
    for info in pkgutil.walk_packages(tscope.__path__, "tscope."):
        framework = FRAMEWORKS.get(info.name.rpartition(".")[2])
        if framework is None or importlib.util.find_spec(framework) is not None:
            yield importlib.import_module(info.name)


def documented():
    """Yields (name, docstring, module) of everything with a name that has no underscore in front, and of what it has."""
    for module in modules():
        for name, value in sorted(vars(module).items()):
            home = getattr(value, "__module__", None)
            if name.startswith("_") or not (inspect.isclass(value) or inspect.isfunction(value)) or home != module.__name__:
                continue
            yield f"{home}.{name}", value.__doc__, module
            if inspect.isclass(value):
                for part, member in sorted(vars(value).items()):
                    if not part.startswith("_") and (callable(member) or isinstance(member, property)):
                        yield f"{home}.{name}.{part}", inspect.getdoc(member), module
    for part in ("step", "begin_step", "end_step", "cancel_step", "mark", "log", "amount", "memory"):
        yield f"tscope.Run.{part}", inspect.getdoc(getattr(tscope.Run, part)), tscope


def public():
    """Returns the names that a program uses: those of the package, and the methods of a run."""
    return {f"tscope.{name}" for name in tscope.__all__} | {f"Run.{name}" for name in dir(tscope.Run) if not name.startswith("_")}


class Docs(support.Case):
    def test_examples_run(self):
        parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        said, examples = io.StringIO(), 0
        if "torch" in sys.modules:
            sys.modules["torch"].compiler.reset()  # what another test compiled is none of the examples'
        with contextlib.redirect_stdout(said):
            for i, (name, text, module) in enumerate(documented()):
                needed = re.findall(r">>> import (\w+)", text or "")
                if module.__name__ in ASK or any(importlib.util.find_spec(name) is None for name in needed):
                    continue
                run = self.start(f"runs/example{i}", name="exp1")
                test = parser.get_doctest(text or "", {**vars(module), "tscope": tscope, "run": run}, name, None, 0)
                examples += len(test.examples)
                runner.run(test, clear_globs=False)
                for value in (run, *test.globs.values()):
                    if isinstance(value, tscope.Run):
                        value.finish()
        self.assertEqual(runner.failures, 0, said.getvalue())
        self.assertGreater(examples, 60)

    def test_public_names_have_a_sentence_and_an_example(self):
        documents = {name.split(".")[-1]: text for name, text, _ in documented() if ".integrations." not in name}
        for name in public():
            text = documents.get(name.split(".")[-1]) or ""
            with self.subTest(name):
                self.assertRegex(text, r"^[A-Z][^\n]*(\n[^\n]+)*[.;:]")
                self.assertIn(">>> ", text)

    def test_readme_begins_in_sixty_words(self):
        import os

        path = os.environ.get("TSCOPE_README")
        if not path:
            self.skipTest("TSCOPE_README names no README.md")
        with open(path, encoding="utf-8") as file:
            begin = file.read().split("\n## ")[0]
        self.assertLess(len(re.findall(r"\S+", begin.split("\n", 1)[1])), 60)

        class Part:
            """A model, a loss, an optimizer and a schedule."""

            def __call__(self, batch):
                return self

            def item(self):
                return 0.5

            def get_last_lr(self):
                return [0.1]

            def step(self):
                pass

            backward = step

        code = "\n".join(line[4:] for line in begin.split("\n") if line.startswith("    "))
        names = {"cfg": {"lr": 0.1}, "loader": [1, 2, 3], "model": Part(), "opt": Part(), "sched": Part()}
        exec(code, names)
        names["run"].finish()
        cells = self.read().steps
        self.assertEqual([cells[i]["scalars.loss"] for i in range(3)], [0.5] * 3)


if __name__ == "__main__":
    unittest.main()
