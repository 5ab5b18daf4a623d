"""A bare Debian 12 to try packages in: made by debootstrap once, copied for each use, and thrown away. It needs root and the
archive that this machine's own apt uses; ctest shows a test that cannot have it as skipped."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIP)


def mirror():
    for path in glob.glob("/etc/apt/sources.list.d/*") + glob.glob("/etc/apt/sources.list"):
        with open(path, encoding="utf-8", errors="replace") as f:
            for line in f:
                found = re.match(r"(?:URIs:\s*|deb\s+(?:\[[^]]*\]\s*)?)(https?://\S+/debian/?)(?:\s|$)", line)
                if found:
                    return found.group(1)
    return "http://deb.debian.org/debian"


def propagation():
    """What a new mount namespace does with mounts: keeps them to itself, but where / is no mount (in a chroot), which cannot be said there."""
    tried = subprocess.run(["unshare", "--mount", "--propagation", "private", "true"], capture_output=True)
    return "unchanged" if tried.returncode else "private"


def base(cache):
    """The pristine system, in the folder `cache`."""
    if os.geteuid() != 0:
        skip("a bare Debian is made by root")
    if not shutil.which("debootstrap"):
        skip("debootstrap is not installed")
    if not os.path.exists(f"{cache}/.complete"):
        shutil.rmtree(cache, ignore_errors=True)
        made = subprocess.run(["debootstrap", "--variant=minbase", "bookworm", cache, mirror()], capture_output=True, text=True)
        if made.returncode:
            skip("debootstrap failed: " + (made.stdout + made.stderr).strip()[-300:])
        open(f"{cache}/.complete", "w", encoding="utf-8").close()
    return cache


class Machine:
    """A copy of the bare system. run() and start() execute in it; leaving the `with` removes it."""

    def __init__(self, cache):
        self.cache, self.propagation = cache, propagation()

    def __enter__(self):
        self.root = tempfile.mkdtemp(prefix="tscope-bare-")
        subprocess.run(["cp", "-a", "--reflink=auto", base(self.cache) + "/.", self.root], check=True)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root)

    def words(self, words, user):
        # A mount namespace of its own: /proc, which dpkg and the server ask, is gone with the last process.
        inside = 'mount -t proc proc "$0/proc" && exec chroot ${USER_IN:+--userspec="$USER_IN"} "$0" "$@"'
        return ["env", f"USER_IN={user}", "unshare", "--mount", "--propagation", self.propagation, "sh", "-c", inside, self.root, *words]

    def run(self, *words, user="", check=True, **env):
        out = subprocess.run(self.words(words, user), capture_output=True, text=True, env=self.env(env))
        if check and out.returncode:
            sys.exit(f"{' '.join(words)}: exit {out.returncode}\n{out.stdout}{out.stderr}")
        return out

    def start(self, *words, user="", **env):
        return subprocess.Popen(self.words(words, user), env=self.env(env), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def env(self, more):
        return {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", **more}
