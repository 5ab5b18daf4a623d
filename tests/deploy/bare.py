"""A bare Debian 12 to try packages in: made by debootstrap once, copied for each use, and thrown away. It needs root and the
archive that this machine's own apt uses; ctest shows a test that cannot have it as skipped."""
import fcntl
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

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


def environment(more):
    return {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", **more}


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
        out = subprocess.run(self.words(words, user), capture_output=True, text=True, env=environment(env))
        if check and out.returncode:
            sys.exit(f"{' '.join(words)}: exit {out.returncode}\n{out.stdout}{out.stderr}")
        return out

    def start(self, *words, user="", **env):
        return subprocess.Popen(self.words(words, user), env=environment(env), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class Booted:
    """The bare system with systemd as its first process, in a container of systemd-nspawn. run() executes in it, and `root` is its root folder.
    What is written there is in memory, and gone when leaving the `with` has powered it off."""

    PACKAGES = ["systemd", "systemd-sysv", "dbus", "openssl"]

    def __init__(self, cache):
        self.cache = cache

    def base(self):
        """The pristine system with systemd in it, beside that without."""
        bare, booting = base(self.cache), self.cache + "-systemd"
        if not os.path.exists(f"{booting}/.complete"):
            shutil.rmtree(booting, ignore_errors=True)
            subprocess.run(["cp", "-a", "--reflink=auto", bare, booting], check=True)
            os.remove(f"{booting}/.complete")
            get = "apt-get update -qq && apt-get install -y -qq --no-install-recommends " + " ".join(self.PACKAGES)
            made = subprocess.run(["chroot", booting, "sh", "-c", get], capture_output=True, text=True, env=environment({}))
            if made.returncode:
                skip("systemd cannot be installed: " + (made.stdout + made.stderr).strip()[-300:])
            open(f"{booting}/.complete", "w", encoding="utf-8").close()
        return booting

    def __enter__(self):
        if not shutil.which("systemd-nspawn"):
            skip("systemd-nspawn is not installed")
        # Where no systemd runs, the container lies in the control group of this process, as any other that is started so.
        self.lock = open("/run/lock/tscope-booted", "w", encoding="utf-8")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        scope = [] if os.path.isdir("/run/systemd/system") else ["--keep-unit"]
        # A test that is killed takes its container along.
        words = ["setpriv", "--pdeathsig", "TERM", "systemd-nspawn", "--quiet", "--register=no", *scope, f"--machine=tscope-{os.getpid()}",
                 "--private-network", "--volatile=overlay", "--console=read-only", "-D", self.base(), "--boot"]
        self.nspawn = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        self.said = []
        threading.Thread(target=lambda: self.said.extend(self.nspawn.stdout), daemon=True).start()
        for _ in range(300):
            if self.is_up():
                self.root = f"/proc/{self.init}/root"
                with open(f"{self.root}/etc/hosts", "w", encoding="utf-8") as f:
                    f.write("127.0.0.1 localhost\n")  # which the installer writes, and not debootstrap
                return self
            if self.nspawn.poll() is not None:
                break
            time.sleep(0.2)
        self.__exit__()
        skip("systemd does not start in a container here: " + "".join(self.said)[-300:].strip())

    def is_up(self):
        try:
            with open(f"/proc/{self.nspawn.pid}/task/{self.nspawn.pid}/children", encoding="utf-8") as f:
                self.init = f.read().split()[0]
        except (OSError, IndexError):
            return False
        state = subprocess.run(["nsenter", "-t", self.init, "-a", "systemctl", "is-system-running"], capture_output=True, text=True).stdout
        return state.strip() in ("running", "degraded")

    def __exit__(self, *_):
        if self.nspawn.poll() is None and hasattr(self, "init"):
            subprocess.run(["nsenter", "-t", self.init, "-a", "systemctl", "poweroff"], capture_output=True)
        try:
            self.nspawn.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.nspawn.kill()
            self.nspawn.wait()
        self.lock.close()

    def run(self, *words, user="root", wd="/root", check=True, stdin="", **env):
        asked = ["nsenter", "-t", self.init, "-a", f"--wdns={wd}", "runuser", "-u", user, "--", *words]
        out = subprocess.run(asked, capture_output=True, text=True, input=stdin, env=environment({"HOME": "/root" if user == "root" else f"/home/{user}", **env}))
        if check and out.returncode:
            log = subprocess.run(["nsenter", "-t", self.init, "-a", "journalctl", "-u", "tscoped", "-n", "20", "--no-pager"], capture_output=True, text=True).stdout
            sys.exit(f"{' '.join(words)}: exit {out.returncode}\n{out.stdout}{out.stderr}\n{log}")
        return out
