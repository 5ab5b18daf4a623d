"""setup.py - builds the extension, with the sources of record/ compiled in: those of the tree, or of the archive of sources."""
import glob
import os
import re
import shutil
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = next((p for p in (os.path.join(HERE, "record"), os.path.join(HERE, "..", "record")) if os.path.isdir(p)), "")
NO_PART = ("test_", "fuzz_", "bench_", "make_")
OTHER = "_posix.c" if sys.platform == "linux" else "_linux.c"  # of two sources, the one that is not for this system


def recorder():
    """Returns the files of record/ that belong to the library."""
    found = sorted(glob.glob(os.path.join(RECORD, "*.[ch]")))
    if not found:
        raise SystemExit("tscope: the sources of record/ are neither here nor beside this folder")
    return [p for p in found if not os.path.basename(p).startswith(NO_PART) and not p.endswith(OTHER)]


def version():
    """Returns the version of the project: that of CMakeLists.txt in the tree, or what the archive says."""
    for path in (os.path.join(HERE, "record", "VERSION"), os.path.join(HERE, "..", "CMakeLists.txt")):
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return re.search(r"(?:VERSION )?(\d+\.\d+\.\d+)", file.read())[1]
    raise SystemExit("tscope: no version")


class Build(build_ext):
    """Copies record/ below the folder of the build, so that no object file is written beside the tree's sources."""

    def build_extension(self, ext):
        at = os.path.join(self.build_temp, "record")
        os.makedirs(at, exist_ok=True)
        copies = [shutil.copy(path, at) for path in recorder()]
        ext.sources = [*ext.sources, *(p for p in copies if p.endswith(".c"))]
        ext.include_dirs = [at, self.build_temp, *ext.include_dirs]
        super().build_extension(ext)


class Archive(sdist):
    """Puts record/ into the archive of sources."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        at = os.path.join(base_dir, "record")
        os.makedirs(at, exist_ok=True)
        for path in recorder():
            shutil.copy(path, at)
        with open(os.path.join(at, "VERSION"), "w", encoding="utf-8") as file:
            file.write(version() + "\n")


setup(
    version=version(),
    cmdclass={"build_ext": Build, "sdist": Archive},
    ext_modules=[
        Extension(
            "tscope._recorder",
            ["src/tscope/_recorder.c", "src/tscope/_hooks.c", "src/tscope/_digest.c"],
            depends=["src/tscope/_digest.h", "src/tscope/_hooks.h", "src/tscope/_recorder.h"],
            include_dirs=["src/tscope"],
            define_macros=[("_GNU_SOURCE", "1")],
            extra_compile_args=["-std=gnu11", "-O3", "-fvisibility=hidden"],
            extra_link_args=["-pthread"],
            py_limited_api=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
)
