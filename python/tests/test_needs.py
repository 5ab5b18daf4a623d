"""What a training needs to be run again: which files it read, by digests that change with them, the packages and the interpreter."""

import json
import os
import subprocess
import sys
import unittest
import unittest.mock

import support
from tscope import _data, _needs

PROGRAM = """
import json, tscope
config = json.load(open("config.json"))
open("out.txt", "w").write("1")
open("out.txt").read()
run = tscope.start("runs/a")
with run.step():
    open("late.bin", "rb").read()
"""


class Needs(support.Case):
    def facts(self):
        subprocess.run([sys.executable, "train.py"], check=True, timeout=60)
        with open("runs/a/facts.json", encoding="utf-8") as file:
            return json.load(file)["session"]

    def test_files_that_are_read_and_not_those_that_are_written(self):
        for name, text in (("config.json", "{}"), ("late.bin", "x" * 100), ("train.py", PROGRAM)):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        session = self.facts()
        lines = session["files_read"]["list"].splitlines()
        here = os.path.realpath(".")
        self.assertEqual([line.split(" ", 2)[1:] for line in lines], [["2", f"{here}/config.json"], ["100", f"{here}/late.bin"]])
        self.assertEqual(session["files_read"]["count"], 2)
        self.assertEqual(session["interpreter"]["program"], sys.executable)
        self.assertEqual(os.path.realpath(session["working_directory"]), here)

    def test_only_data_is_left_out(self):
        files = _needs.Files()
        files.read = {os.__file__: None, "data": None, "none": None}
        with open("data", "w", encoding="utf-8") as file:
            file.write("x")
        self.assertEqual(files.facts(-1)["session"]["files_read"], {"left_out": 2})
        said = files.facts()["session"]["files_read"]
        self.assertEqual((said["count"], said["left_out"]), (1, 0))  # else the first figure would stay

    def test_another_thread_opens_files_meanwhile(self):
        files, real = _needs.Files(), os.path.realpath
        files.read, files.written = {"none": None, "nothing": None}, {"a", "b"}

        def opens(path):
            files._opens(f"{path}+", "w", None)
            files._opens(f"{path}-", "r", None)
            return real(path)

        with unittest.mock.patch("os.path.realpath", opens):
            files.facts()
        self.assertEqual(len(files.written), 8)  # for each of the two that were read, and then for each of the four

    def test_that_no_file_was_read_is_known(self):
        with open("train.py", "w", encoding="utf-8") as file:
            file.write("import tscope\nrun = tscope.start('runs/a')\nwith run.step():\n    pass\n")
        self.assertEqual(self.facts()["files_read"], {"count": 0})

    def test_a_digest_is_of_the_size_and_of_blocks(self):
        size = 3 << 20
        with open("data", "wb") as file:
            file.write(bytes(size))
        first = _needs.digest_of("data")
        self.assertEqual(first[0], size)
        for at in (0, size - 1, _needs.blocks_of(size)[7] + 5):
            with open("data", "r+b") as file:
                file.seek(at)
                file.write(b"x")
            self.assertNotEqual(_needs.digest_of("data"), first, at)
            with open("data", "r+b") as file:
                file.seek(at)
                file.write(b"\0")
            self.assertEqual(_needs.digest_of("data"), first)
        os.truncate("data", size - 1)
        self.assertNotEqual(_needs.digest_of("data")[1], first[1])
        self.assertIsNone(_needs.digest_of("/dev/null"))
        self.assertIsNone(_needs.digest_of("none"))

    def test_packages_are_those_that_are_imported(self):
        for folder, version in (("one", "1.0"), ("two", "2.0")):
            os.makedirs(f"{folder}/Lab_Ops-{version}.dist-info")
        os.makedirs("two/other-3.dist-info")
        with open("two/other-3.dist-info/direct_url.json", "w", encoding="utf-8") as file:
            json.dump({"url": "https://lab/other.git", "vcs_info": {"vcs": "git", "commit_id": "abc123"}}, file)
        self.assertEqual(_needs.packages(["one", "two"]), "Lab_Ops==1.0\nother==3 @ https://lab/other.git@abc123\n")

    def test_the_image_of_a_container(self):
        with open("about", "w", encoding="utf-8") as file:
            file.write('engine="podman-4.9"\nname="x"\nimage="docker.io/lab/train:3"\nimageid="4f1c0ffee"\nrootless=1\n')
        with open("train.sif", "wb") as file:
            file.write(b"0123456789")
        environment = {"APPTAINER_CONTAINER": os.path.realpath("train.sif"), "NVIDIA_BUILD_ID": "77", "TSCOPE_IMAGE": "sha256:ab"}
        with unittest.mock.patch.dict(os.environ, environment):
            found = _needs.image("about")
        self.assertEqual(found, {"name": "docker.io/lab/train:3", "id": "4f1c0ffee", "file": environment["APPTAINER_CONTAINER"],
                                 "digest": "0a8328c47369bc78 10", "nvidia_build": "77", "said": "sha256:ab"})

    def test_the_fingerprint_of_a_data_set(self):
        class Set(list):
            pass

        class Within:
            pass

        data, subset, loader = Set([1, 2]), Within(), Within()
        data._fingerprint, subset.dataset, loader.dataset = "ab12", data, data
        self.assertEqual(_data.settings(loader)["data"]["fingerprint"], "ab12")
        loader.in_order, loader.num_workers = False, 0  # nothing comes out of order without workers
        self.assertNotIn("in_order", _data.settings(loader)["data"])
        loader.num_workers = 2
        self.assertIs(_data.settings(loader)["data"]["in_order"], False)
        self.assertEqual(_data.fingerprint_of(subset), "ab12")
        loader.dataset = [1]
        self.assertNotIn("fingerprint", _data.settings(loader).get("data", {}))

    def test_a_list_that_is_too_long_is_a_digest(self):
        self.assertEqual(sorted(_needs._listed("x" * (256 << 10))), ["list", "sha256"])
        self.assertEqual(sorted(_needs._listed("x" * (256 << 10) + "x")), ["sha256"])


if __name__ == "__main__":
    unittest.main()
