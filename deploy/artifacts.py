#!/usr/bin/env python3
"""artifacts.py: makes what a release gives away, beside Debian's packages: artifacts.py BUILD FOLDER

BUILD is a build by the preset release, with tscope_static. Into FOLDER go the wheel for Python (the recorder, and the static program), the archive
of sources for Python, the static program alone, a list of what is inside (SPDX 2.3, JSON), and the checksums of all files of FOLDER. The same
commit gives the same bytes: every time in them is the commit's. Tools come from PyPI (python/package.txt) into BUILD/package-tools.
"""
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GLIBC = "2.28"  # the oldest that the wheel runs on: memfd_create came with 2.27, and manylinux has 2.28 next


def do(*words, **how):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **how)
    if done.returncode:
        sys.exit(f"artifacts.py: {' '.join(words)}: exit {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def moment():
    """Returns the time that every file gets: of the commit, in seconds since 1970."""
    return os.environ.get("SOURCE_DATE_EPOCH") or do("git", "-C", ROOT, "log", "-1", "--format=%ct").strip()


def tools(folder):
    """Returns the python of an environment that has what python/package.txt lists."""
    wanted = os.path.join(ROOT, "python", "package.txt")
    kept, python = os.path.join(folder, "package.txt"), os.path.join(folder, "bin", "python")
    if not os.path.exists(kept) or open(kept, encoding="utf-8").read() != open(wanted, encoding="utf-8").read():
        shutil.rmtree(folder, ignore_errors=True)
        do("/usr/bin/python3", "-m", "venv", folder)
        do(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", wanted)
        shutil.copy(wanted, kept)
    return python


def compiler(python, folder, processor):
    """Returns the environment by which setuptools compiles for an old glibc, with the headers of Python but none of this system's libc."""
    headers = os.path.join(folder, "include")
    multiarch = f"{processor}-linux-gnu"
    shutil.rmtree(headers, ignore_errors=True)
    os.makedirs(headers)
    if os.path.isdir(f"/usr/include/{multiarch}"):
        os.makedirs(f"{headers}/{multiarch}")
        for found in glob.glob(f"/usr/include/{multiarch}/python3*"):
            os.symlink(found, f"{headers}/{multiarch}/{os.path.basename(found)}")
    cc = f"{python} -m ziglang cc -target {multiarch}.{GLIBC}"
    return {"CC": cc, "LDSHARED": f"{cc} -shared", "CFLAGS": f"-I{headers} -g0 -ffile-prefix-map={ROOT}=.", "LDFLAGS": "-Wl,-s"}


def copy_of_tree(folder):
    """Copies the tree as it is committed or about to be, so that building leaves nothing in it. Returns the folder of the package."""
    shutil.rmtree(folder, ignore_errors=True)
    names = do("git", "-C", ROOT, "ls-files", "-z").split("\0")[:-1]
    for name in names:
        if name.startswith("tests/") and not re.fullmatch(r"tests/fuzz/\w+\.[ch]", name):
            continue
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        shutil.copy(os.path.join(ROOT, name), os.path.join(folder, name))
    return os.path.join(folder, "python")


def wheel_and_archive(build, out, epoch):
    python = tools(os.path.join(build, "package-tools"))
    processor = os.uname().machine
    package = copy_of_tree(os.path.join(build, "package-tree"))
    commit = do("git", "-C", ROOT, "rev-parse", "--short=8", "HEAD").strip()
    env = {**os.environ, **compiler(python, os.path.join(build, "package-tools"), processor), "SOURCE_DATE_EPOCH": epoch, "TSCOPE_COMMIT": commit,
           "TSCOPE_WITH_PROGRAM": os.path.join(build, "static", "tscope"), "PYTHONHASHSEED": "0"}
    do(python, "setup.py", "-q", "bdist_wheel", "--plat-name", f"manylinux_{GLIBC.replace('.', '_')}_{processor}", "-d", out, cwd=package, env=env)
    do(python, "setup.py", "-q", "sdist", "-d", out, cwd=package, env=env)
    (wheel,) = glob.glob(os.path.join(out, "tscope_ml-*.whl"))
    (archive,) = glob.glob(os.path.join(out, "tscope_ml-*.tar.gz"))
    settle(archive, int(epoch))
    said = do(python, "-m", "auditwheel", "show", wheel)
    found = re.search(r'platform tag:\s*"manylinux_2_(\d+)_', said) or re.search(r"manylinux_2_(\d+)_", said)
    if not found or int(found.group(1)) > int(GLIBC.split(".")[1]):
        sys.exit(f"artifacts.py: the wheel needs a newer system than it says:\n{said}")
    return wheel, archive


def settle(archive, epoch):
    """Gives the members of an archive one order, one owner and one time."""
    import gzip
    import io
    import tarfile

    with tarfile.open(archive) as old:
        members = sorted(((m, old.extractfile(m).read() if m.isfile() else b"") for m in old.getmembers()), key=lambda pair: pair[0].name)
    text = io.BytesIO()
    with tarfile.open(fileobj=text, mode="w", format=tarfile.PAX_FORMAT) as new:
        for m, data in members:
            m.mtime, m.uid, m.gid, m.uname, m.gname, m.pax_headers = epoch, 0, 0, "", "", {}
            new.addfile(m, io.BytesIO(data))
    with open(archive, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=epoch) as packed:
        packed.write(text.getvalue())


def libraries(build):
    """Returns the packages of Debian whose archives are linked into the static program, with their versions."""
    command = do("ninja", "-C", build, "-t", "commands", "tscope_static").strip().split("\n")[-1]
    names = set(re.findall(r"\s-l(\S+)", command)) | {os.path.basename(p)[3:-2] for p in re.findall(r"\s(/usr/lib/\S+\.a)", command)}
    places = [p for n in sorted(names | {"c", "m"}) for p in glob.glob(f"/usr/lib/*/lib{n}.a") + glob.glob(f"/usr/lib/gcc/*/*/lib{n}.a")]
    found = {}
    for place in places:
        asked = subprocess.run(["dpkg-query", "-S", place], capture_output=True, text=True)
        if asked.returncode == 0:
            package = asked.stdout.split(":")[0]
            found[package] = do("dpkg-query", "-W", "-f=${Version}", package)
    return sorted(found.items())


def contents(build, out, version, epoch, files):
    """Writes what is inside: each file, and each library of Debian that is linked into the program (SPDX 2.3)."""
    def package(identity, name, at, more):
        return {"SPDXID": f"SPDXRef-{identity}", "name": name, "versionInfo": at, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION", **more}

    parts = [package("tscope", "tscope", version, {"licenseDeclared": "Apache-2.0"})]
    for name, at in libraries(build):
        where = {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": f"pkg:deb/debian/{name}@{at}"}
        parts.append(package("lib-" + re.sub("[^A-Za-z0-9.-]", "-", name), name, at, {"licenseDeclared": "NOASSERTION", "externalRefs": [where]}))
    listed = []
    for i, path in enumerate(sorted(files)):
        sums = [{"algorithm": of.upper(), "checksumValue": digest(path, of)} for of in ("sha1", "sha256")]
        listed.append({"SPDXID": f"SPDXRef-file-{i}", "fileName": "./" + os.path.basename(path), "checksums": sums,
                       "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION"})
    related = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-tscope")]
    related += [("SPDXRef-tscope", "STATIC_LINK", p["SPDXID"]) for p in parts[1:]] + [(f["SPDXID"], "GENERATED_FROM", "SPDXRef-tscope") for f in listed]
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"tscope-{version}",
        "documentNamespace": f"https://tscope.invalid/spdx/tscope-{version}-{os.uname().machine}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(epoch))), "creators": ["Tool: tscope-artifacts"]},
        "packages": parts, "files": listed,
        "relationships": [{"spdxElementId": a, "relationshipType": how, "relatedSpdxElement": b} for a, how, b in related],
    }
    with open(os.path.join(out, f"tscope-{version}.spdx.json"), "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")


def digest(path, of="sha256"):
    with open(path, "rb") as file:
        return hashlib.new(of, file.read()).hexdigest()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, out = (os.path.abspath(path) for path in sys.argv[1:])
    os.makedirs(out, exist_ok=True)
    program, epoch = os.path.join(build, "static", "tscope"), moment()
    version = do(program, "--version").split()[1].rstrip(",")
    for old in glob.glob(f"{out}/tscope_ml-*") + glob.glob(f"{out}/tscope-*") + [f"{out}/SHA256SUMS"]:
        if os.path.exists(old):
            os.remove(old)
    single = os.path.join(out, f"tscope-{version}-linux-{os.uname().machine}")
    shutil.copy(program, single)
    do("strip", single)
    made = [single, *wheel_and_archive(build, out, epoch), *glob.glob(os.path.join(out, "*.deb"))]
    contents(build, out, version, epoch, made)
    names = sorted(name for name in os.listdir(out) if os.path.isfile(os.path.join(out, name)))
    with open(os.path.join(out, "SHA256SUMS"), "w", encoding="utf-8") as file:
        file.writelines(f"{digest(os.path.join(out, name))}  {name}\n" for name in names)
    for name in names:
        print(f"{os.path.getsize(os.path.join(out, name)) / 2**20:8.2f} MiB  {os.path.join(os.path.relpath(out), name)}")


if __name__ == "__main__":
    main()
