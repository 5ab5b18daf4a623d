"""A PostgreSQL that a driver starts for itself in a folder of its own, as another user where it is root; it ends by kill()."""
import glob
import os
import pwd
import shutil
import subprocess
import tempfile
import time

READY_S = 60
MEMORY_BYTES = 2 << 30


def find():
    """The folder of the newest version's programs, as Debian installs them; None: there is none."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    return os.path.dirname(found[-1]) if found else None


def folder():
    """A new folder, in memory where that has room (a container has 64 MiB often): no test here cuts the power."""
    roomy = os.access("/dev/shm", os.W_OK) and shutil.disk_usage("/dev/shm").free >= MEMORY_BYTES
    work = tempfile.mkdtemp(prefix="tscope-test-", dir="/dev/shm" if roomy else None)
    os.chmod(work, 0o755)
    return work


class Postgres:
    def __init__(self, programs, work):
        self.programs, self.work, self.data = programs, work, os.path.join(work, "data")
        self.user = None
        if os.geteuid() == 0:  # it refuses to run as root
            names = [u.pw_name for u in pwd.getpwall()]
            self.user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
            os.chown(work, self.user.pw_uid, self.user.pw_gid)
        self.log = open(os.path.join(work, "log"), "a", encoding="utf-8")
        self.fill()
        self.start()

    def fill(self):
        if self.run("initdb", "-D", self.data, "-U", "tscope", "-A", "trust", "--no-locale", "-E", "UTF8", "--no-sync"):
            raise RuntimeError("initdb fails")

    def words(self, program, *words):
        return [os.path.join(self.programs, program), *words]

    def run(self, program, *words):
        return subprocess.run(self.words(program, *words), stdout=self.log, stderr=self.log, cwd=self.work, **self.owner()).returncode

    def owner(self):
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}

    def begin(self):
        self.process = subprocess.Popen(self.words("postgres", "-D", self.data, "-k", self.work, "-c", "listen_addresses=", "-c", "max_connections=60"),
                                        stdout=self.log, stderr=self.log, cwd=self.work, **self.owner())

    def start(self):
        self.begin()
        until = time.monotonic() + READY_S
        while self.run("psql", "-X", "-h", self.work, "-U", "tscope", "-c", "SELECT 1", "postgres"):
            if time.monotonic() > until:
                self.kill()
                raise RuntimeError(f"PostgreSQL is not ready after {READY_S} s")
            if self.process.poll() is not None:  # beside what is left of one that was killed it does not start
                self.begin()
            time.sleep(0.1)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def sql(self, command, database="tscope"):
        done = subprocess.run(self.words("psql", "-X", "-A", "-t", "-q", "-h", self.work, "-U", "tscope", "-c", command, database),
                              capture_output=True, text=True, cwd=self.work, check=True)
        return done.stdout

    def conf(self, name, database="tscope", more=""):
        return self.conf_of(self.work, name, database, more)

    def conf_of(self, hosts, name, database="tscope", more=""):
        path = os.path.join(self.work, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(f"postgresql = host={hosts} dbname={database} user=tscope\n{more}")
        return path


class Standby(Postgres):
    """A replica of another one, without which that one acknowledges nothing from then on if it is synchronous."""

    def __init__(self, primary, work, synchronous=True):
        self.primary, self.synchronous = primary, synchronous
        os.makedirs(work)
        super().__init__(primary.programs, work)
        if synchronous:
            primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
            primary.sql("SELECT pg_reload_conf()")
        self.wait("a replica does not follow", lambda: ("sync" if synchronous else "async") in primary.sql("SELECT sync_state FROM pg_stat_replication").split())

    def wait(self, what, holds):
        until = time.monotonic() + READY_S
        while not holds():
            if time.monotonic() > until:
                self.kill()
                raise RuntimeError(f"{what} after {READY_S} s")
            time.sleep(0.1)

    def fill(self):
        if self.run("pg_basebackup", "-D", self.data, "-h", self.primary.work, "-U", "tscope", "-R", "--no-sync", "-c", "fast"):
            raise RuntimeError("pg_basebackup fails")

    def cut_off(self):
        """From now on nothing reaches it."""
        self.sql("ALTER SYSTEM SET primary_conninfo = 'host=/nowhere'", "postgres")
        self.sql("SELECT pg_reload_conf()", "postgres")
        self.wait("a replica still follows", lambda: not self.primary.sql("SELECT pid FROM pg_stat_replication").strip())

    def promote(self):
        self.sql("SELECT pg_promote()")
