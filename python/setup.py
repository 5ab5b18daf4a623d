"""setup.py - builds the extension, with the recorder and what collects the facts of the host compiled in, the program that writes
recordings, the program tscope, and the one that asks a GPU's driver for it: from the sources of the tree, or of the archive of sources.

TSCOPE_WITH_PROGRAM in the environment: the path of a tscope that was built already and is taken, or "no", which leaves it out.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

try:
    from setuptools.command.build_scripts import build_scripts
except ImportError:
    from distutils.command.build_scripts import build_scripts

from distutils.ccompiler import new_compiler
from distutils.sysconfig import customize_compiler

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = next((p for p in (HERE, os.path.join(HERE, "..")) if os.path.isdir(os.path.join(p, "record"))), "")
WITH_PROGRAM = os.environ.get("TSCOPE_WITH_PROGRAM", "" if sys.platform == "linux" else "no")
NO_PART = ("test_", "fuzz_", "bench_", "make_")
INSTEAD = "; TSCOPE_WITH_PROGRAM=no installs the recorder without it"
KEEPER = "record/program/tscope_keeper.c"
GPUS = [f"launch/program/{name}.c" for name in ("gpu_library", "gpu_nvml", "gpu_rocm", "tscope_gpus")]
OTHER = "_posix.c" if sys.platform == "linux" else "_linux.c"  # of two sources, the one that is not for this system
# The facts of the host, and what they need; of base/digest.h the package has its own, since that one is OpenSSL's.
HOST = (
    "ingest/host/environment.c ingest/host/host.c ingest/host/spawn.c ingest/facts/facts_write.c ingest/facts/redact.c run/fact.c"
    " base/alloc.c base/arena.c"
    " base/budget.c base/buf.c base/clock.c base/error.c base/file.c base/grow.c base/json_writer.c base/number.c base/number_exact.c"
    " base/text.c"
).split()


def recorder():
    """Returns the sources of record/ that belong to the library."""
    found = [os.path.relpath(p, ROOT) for p in sorted(glob.glob(os.path.join(ROOT, "record", "*.c")))]
    if not found:
        raise SystemExit("tscope: the sources of record/ are neither here nor beside this folder")
    return [p for p in found if not os.path.basename(p).startswith(NO_PART)]


def headers(sources):
    """Returns the headers of the tree that these files include, and those that these include."""
    found, left = set(), list(sources)
    while left:
        with open(os.path.join(ROOT, left.pop()), encoding="utf-8") as file:
            new = {p for p in re.findall(r'^#include "([^"]+)"', file.read(), re.M) if os.path.exists(os.path.join(ROOT, p))}
        left += new - found
        found |= new
    return sorted(found)


def sources():
    """Returns the sources of the extension for every system, below ROOT."""
    of_systems = [f"base/{name}_{system}.c" for name in ("huge_pages", "system") for system in ("linux", "posix")]
    return [*recorder(), *HOST, *of_systems]


def own_sources():
    """Returns the sources of the package itself."""
    names = "_recorder _arrow _hooks _between _one _tensors _quiet _resident _resting _watched _digest _host _sha256".split()
    return [os.path.join("src", "tscope", f"{name}.c") for name in names]


def read(*path):
    """Returns the text of a file."""
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def commit():
    """Returns what of the version tells commits apart: "+g1a2b3c4d", or nothing where the sources came without git."""
    if os.environ.get("TSCOPE_COMMIT"):
        return "+g" + os.environ["TSCOPE_COMMIT"]
    if not os.path.exists(os.path.join(ROOT, ".git")):
        return ""
    try:
        done = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True)
    except OSError:
        return ""
    return "+g" + done.stdout.strip() if done.returncode == 0 else ""


def version():
    """Returns the version of the project, as base/version.h has it but in Python's form: of the tree, or what the archive says."""
    if os.path.exists(os.path.join(HERE, "record", "VERSION")):
        return read(HERE, "record", "VERSION").strip()
    number, stage = re.search(r'^project\(tscope VERSION (\S+).*\nset\(TS_STAGE "(.*)"\)', read(ROOT, "CMakeLists.txt"), re.M).groups()
    return number + ".dev0" + commit() if stage else number


def rooms():
    """Returns the folders of the tree that the program is built from."""
    found = [d for d in sorted(os.listdir(ROOT)) if d != "tests" and os.path.exists(os.path.join(ROOT, d, "CMakeLists.txt"))]
    return [*found, *(d for d in ("cmake", os.path.join("tests", "fuzz")) if os.path.isdir(os.path.join(ROOT, d)))]


def without_data(folder, names):
    """For shutil.copytree: leaves out what no compiler reads."""
    fuzz = os.path.basename(folder) == "fuzz"
    return [n for n in names if n in ("build", "__pycache__") or (fuzz and not n.endswith((".c", ".h")))]


def missing():
    """Returns the packages of Debian that the program is built with and that are not here; of another system nothing is known."""
    if not shutil.which("dpkg-query"):
        return []
    needed = re.search("^build: (.*)", read(ROOT, "deploy", "packages"), re.M).group(1).split()
    asked = subprocess.run(["dpkg-query", "-W", "-f=${Package} ${db:Status-Status}\\n", *needed], capture_output=True, text=True)
    there = {line.split()[0] for line in asked.stdout.splitlines() if line.endswith(" installed")}
    return [package for package in needed if package not in there]


def refuse_missing():
    """Ends with one line where packages are missing that the program is built with."""
    if missing():
        raise SystemExit(f"tscope: to build the program, install {' '.join(missing())}{INSTEAD}")


def build_program(folder):
    """Builds the program below the folder, with no library left to be found at run time. Returns its path."""
    refuse_missing()
    at = os.path.abspath(os.path.join(folder, "program"))
    for command in (["cmake", "--preset", "static", "-B", at], ["cmake", "--build", at, "--target", "tscope", "--parallel"]):
        try:
            done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        except FileNotFoundError:
            raise SystemExit(f"tscope: to build the program, install {command[0]}{INSTEAD}") from None
        if done.returncode:
            raise SystemExit(f"{done.stdout[-4000:]}\ntscope: the program cannot be built here{INSTEAD}")
    return os.path.join(at, "tscope")


def copy_to(folder, files, readers=()):
    """Copies files of the tree, each to its own place below the folder, with what they and their readers include."""
    for path in {*files, *headers([*files, *readers])}:
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        shutil.copy(os.path.join(ROOT, path), os.path.join(folder, path))


class Build(build_ext):
    """Copies the sources of the tree below the folder of the build, so that no object file is written beside them."""

    def run(self):
        if not WITH_PROGRAM:
            refuse_missing()  # before minutes of compiling, and the lines that pip prints of it
        super().run()

    def build_extension(self, ext):
        at = os.path.join(self.build_temp, "tree")
        copy_to(at, [*sources(), KEEPER], [os.path.relpath(os.path.join(HERE, p), ROOT) for p in own_sources()])
        ext.sources = [*ext.sources, *(os.path.join(at, p) for p in sources() if not p.endswith(OTHER))]
        ext.include_dirs = [at, *ext.include_dirs]
        super().build_extension(ext)
        if sys.platform == "linux":
            beside = os.path.dirname(os.path.abspath(self.get_ext_fullpath(ext.name)))
            build_small(at, "tscope-keeper", [p for p in [*recorder(), KEEPER] if not p.endswith(OTHER)], beside)


def build_small(at, name, files, folder):
    """Builds a program of a few files of the tree, which lie below `at`, into the folder. Returns its path."""
    compiler = new_compiler()
    customize_compiler(compiler)
    objects = compiler.compile(
        [os.path.join(at, p) for p in files], output_dir=os.path.join(at, os.pardir, name), macros=[("_GNU_SOURCE", "1")],
        include_dirs=[at], extra_postargs=["-std=gnu11", "-O2"],
    )
    compiler.link_executable(objects, name, output_dir=folder, extra_postargs=["-pthread", "-s"], libraries=["dl", "m"])
    return os.path.join(folder, name)


class Program(build_scripts):
    """Puts the programs where pip puts programs; they are no text, as setuptools takes them to be."""

    def get_source_files(self):
        return []

    def copy_scripts(self):
        self.mkpath(self.build_dir)
        found = WITH_PROGRAM or build_program(self.get_finalized_command("build").build_temp)
        made = os.path.join(self.build_dir, "tscope")
        shutil.copyfile(found, made)
        os.chmod(made, 0o755)
        if sys.platform != "linux":
            return [made], [made]
        if shutil.which("strip"):
            subprocess.run(["strip", made], check=True)
        at = os.path.join(self.get_finalized_command("build").build_temp, "small")
        copy_to(at, GPUS)
        beside = build_small(at, "tscope-gpus", GPUS, self.build_dir)
        return [made, beside], [made, beside]


class Archive(sdist):
    """Puts the sources of the tree into the archive of sources."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for room in rooms():
            shutil.copytree(os.path.join(ROOT, room), os.path.join(base_dir, room), ignore=without_data)
        os.makedirs(os.path.join(base_dir, "deploy"), exist_ok=True)
        for folder in (os.path.join("docs", "schemas"), os.path.join("deploy", "ci")):  # the program has these files inside
            if os.path.isdir(os.path.join(ROOT, folder)):
                shutil.copytree(os.path.join(ROOT, folder), os.path.join(base_dir, folder))
        for name in ("CMakeLists.txt", "CMakePresets.json", "LICENSE", os.path.join("deploy", "packages")):
            shutil.copy(os.path.join(ROOT, name), os.path.join(base_dir, name))
        with open(os.path.join(base_dir, "record", "VERSION"), "w", encoding="utf-8") as file:
            file.write(version() + "\n")


setup(
    version=version(),
    cmdclass={"build_ext": Build, "build_scripts": Program, "sdist": Archive},
    scripts=[] if WITH_PROGRAM == "no" else ["tscope"],
    ext_modules=[
        Extension(
            "tscope._recorder",
            own_sources(),
            depends=sorted(os.path.relpath(path, HERE) for path in glob.glob(os.path.join(HERE, "src", "tscope", "*.h"))),
            include_dirs=["src/tscope"],
            define_macros=[("_GNU_SOURCE", "1")],
            extra_compile_args=["-std=gnu11", "-O3", "-fvisibility=hidden"],
            extra_link_args=["-pthread"],
            py_limited_api=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
)
