#!/usr/bin/env python3
"""reworded.py BUILD [-v]: builds tscope with every sentence reworded, each place by itself, and holds its answers to those of BUILD, a
build by the preset release.

No rule, report or diff may go by the words of a sentence: who rewords one for people must not change a finding, a figure or a verdict.
Where one place compares a sentence with that of another place, the two differ now, and so does the answer. A word that several places
share stands in one table (analysis/answer/row_words.h), and is reworded once.

The compiler is called through this file (--compile), which puts a mark before each sentence of the sources of ROOMS, and takes the
objects of all others from BUILD. An answer without its marks must be the same, byte for byte. The programs lie in BUILD/reworded. -v prints the commands."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOMS = ("analysis/", "service/handlers/", "cli/report/", "cli/text/", "cli/trace/", "cli/snapshot/", "cli/gate/", "run/")
# Sentences are literals in which a small letter follows a space and two letters. What a file of training says is none, nor is a list
# of names that a loop takes apart.
SENTENCE = re.compile(r"[a-z]{2}[,;:]? (?:[a-z]|%)")
LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|\'(?:[^\'\\\n]|\\.)*\'|^[ \t]*#(?:[^\n\\]|\\.)*'
                     r'|"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', re.S | re.M)
# What is counted is a noun that gets its plural; what a table shows is a list of keys.
NO_SENTENCE = re.compile(r"plural\([^;]*$")
KEYS = re.compile(r'"[a-z0-9_ ]*"')
MARK = re.compile("\N{MATHEMATICAL LEFT WHITE SQUARE BRACKET}\\d+\N{MATHEMATICAL RIGHT WHITE SQUARE BRACKET}")
RECORD = re.compile(r'"record": ?"[^"]*"')
# Names that others write and that are looked for by these words; and lists of names.
FOREIGN = ("analysis/rank/logged.c", "analysis/rank/peaks.c", "analysis/diverge/setting_names.c", "run/role.c", "run/ending.c",
           "analysis/trace/device/kernel.c", "analysis/trace/host/", "analysis/trace/work/", "cli/report/report_unknown.c")


def reworded(text, path):
    """Puts a mark before each sentence of a source; the mark says from which place it is."""
    def mark(match):
        literal = match[0]
        if not literal.startswith('"') or not SENTENCE.search(literal) or NO_SENTENCE.search(text[:match.start()][-200:]):
            return literal
        if path.startswith("cli/") and KEYS.fullmatch(literal):
            return literal
        place = zlib.crc32(f"{path}:{match.start()}".encode()) % 10000
        return f'"\u27e6{place}\u27e7{literal[1:]}'

    return LITERAL.sub(mark, text)


def take(made, command):
    """Copies the object of a source that is not reworded, and says to ninja that it depends on the one of BUILD."""
    shutil.copy(made, command[command.index("-o") + 1])
    with open(command[command.index("-MF") + 1], "w", encoding="utf-8") as file:
        file.write(f"{command[command.index('-o') + 1]}: {made}\n")


def compile_one(build, command):
    """Compiles what the compiler was asked to, from a source whose sentences are reworded."""
    source, made = os.path.abspath(command[-1]), command[command.index("-o") + 1]
    path = os.path.relpath(source, ROOT)
    if not path.startswith(ROOMS) or path.startswith(FOREIGN) or not path.endswith(".c"):
        return take(os.path.join(build, made), command)
    with open(source, encoding="utf-8") as file:
        text = file.read()
    copy = made + ".reworded.c"
    with open(copy, "w", encoding="utf-8") as file:
        file.write(f'#line 1 "{source}"\n{reworded(text, path)}')
    cache = [shutil.which("ccache")] if shutil.which("ccache") else []
    command = [*cache, *command[:-1], "-Wno-format-truncation", "-x", "c", copy]
    os.execvp(command[0], command)


def build(folder, of):
    # -O0, since the programs run for a second, and compiling takes a minute.
    subprocess.run(["cmake", "--preset", "release", "-S", ROOT, "-B", folder, "-DCMAKE_C_FLAGS_RELEASE=-O0 -w",
                    f"-DCMAKE_C_COMPILER_LAUNCHER={sys.executable};-S;{os.path.abspath(__file__)};--compile;{of}"], check=True,
                   stdout=subprocess.DEVNULL)
    made = os.path.join(folder, "tscope")
    clean = ["--clean-first"] if os.path.exists(made) and os.path.getmtime(made) < os.path.getmtime(__file__) else []
    subprocess.run(["cmake", "--build", folder, "--target", "tscope", *clean], check=True, stdout=subprocess.DEVNULL)


def commands():
    """Commands whose answers have findings, figures and verdicts of every kind."""
    golden = os.path.join(ROOT, "tests/golden")
    runs = [*glob.glob(f"{golden}/pytscope/*/"), *glob.glob(f"{golden}/demo/runs/*/"), f"{golden}/recording/run",
            *glob.glob(f"{golden}/text/*.log")]
    others = [*glob.glob(f"{golden}/trace/*.json*"), f"{golden}/trace/job", f"{golden}/trace/pipeline",
              *glob.glob(f"{golden}/torch/*.json.gz"), *glob.glob(f"{golden}/snapshot/*.pickle")]
    for path in sorted(runs) + sorted(others):
        yield "analyze", "--json", path
    demo = sorted(glob.glob(f"{golden}/demo/runs/*/"))
    for a in demo:
        for b in demo:
            yield "diff", "--json", a, b
    for a in demo:
        yield "gate", "--json", a, *(f"--baseline={b}" for b in demo if b != a)
        yield "check-resume", "--json", a, demo[0]
    pickles = sorted(glob.glob(f"{golden}/snapshot/newest*.pickle"))
    yield "diff", "--json", *pickles[:2]
    traces = sorted(glob.glob(f"{golden}/torch/c*.json.gz"))
    yield "diff", "--json", *traces[:2]


def answer(program, command, work):
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": work, "XDG_DATA_HOME": work, "XDG_CONFIG_HOME": work,
           "TSCOPE_STORE": os.path.join(work, "store"), "TSCOPE_PROJECT": "reworded"}
    done = subprocess.run([program, *command], cwd=work, env=env, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def differs(want, got, at=""):
    """Yields where two values of JSON differ."""
    if isinstance(want, dict) and isinstance(got, dict):
        for key in sorted(set(want) | set(got)):
            yield from differs(want.get(key), got.get(key), f"{at}.{key}")
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for i, pair in enumerate(zip(want, got)):
            yield from differs(*pair, f"{at}[{i}]")
    elif want != got:
        yield f"{at}: {str(want)[:120]!r} and {str(got)[:120]!r}"


def main():
    if sys.argv[1] == "--compile":
        return compile_one(sys.argv[2], sys.argv[3:])
    folder, errors, n, marks = os.path.join(os.path.abspath(sys.argv[1]), "reworded"), 0, 0, 0
    build(folder, os.path.abspath(sys.argv[1]))
    with tempfile.TemporaryDirectory() as work:
        for command in commands():
            want, got = (answer(os.path.join(os.path.abspath(where), "tscope"), command, work) for where in (sys.argv[1], folder))
            n, marks = n + 1, marks + len(MARK.findall(got[1] + got[2]))
            same = (got[0], MARK.sub("", got[1]), MARK.sub("", got[2]))
            # The record of a gate is what it was asked, in base64.
            want, same = ((status, RECORD.sub("", out), err) for status, out, err in (want, same))
            if "-v" in sys.argv:
                print(want[0], *command)
            if same == want:
                continue
            errors += 1
            print(f"tests/reworded.py: 'tscope {' '.join(command)}' goes by the words of a sentence")
            try:
                for line in list(differs(json.loads(want[1]), json.loads(same[1])))[:5]:
                    print("   ", line)
            except ValueError:
                print(f"    exit {want[0]} and {got[0]}: {want[2][:200]} {same[2][:200]}")
    if not marks:
        errors += 1
        print("tests/reworded.py: no answer has a mark, so nothing was shown")
    print(f"{n} answers, {marks} sentences reworded, {errors} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
