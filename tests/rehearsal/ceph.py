"""ceph.py - a Ceph that a driver starts for itself in a folder of its own, by Debian's packages ceph-mon, ceph-osd, ceph-common and
radosgw, without systemd: one monitor, one store on a file (bluestore), and a gateway that speaks S3. It ends by end()."""

import datetime
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "engines"))
from s3 import SECRET, sign  # noqa: E402

PROGRAMS = ("ceph-mon", "monmaptool", "ceph-osd", "ceph", "radosgw", "radosgw-admin")
READY_S = 240
KEY, REGION = "tester", "us-east-1"
VERSIONS = b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"


def find():
    """None: this machine has no Ceph."""
    return PROGRAMS if all(shutil.which(p) for p in PROGRAMS) else None


def missing(postgres, wanted):
    """What to install, in one sentence; None: PostgreSQL's programs are there, and Ceph's where they are wanted."""
    packages = "" if postgres else " postgresql"
    packages += " ceph-mon ceph-osd ceph-common radosgw" if wanted and not find() else ""
    return f"not on this machine: apt-get install --no-install-recommends{packages}" if packages else None


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Ceph:
    parts = ("the gateway", "the store")

    def __init__(self, work, gib=8):
        self.work, self.fsid, self.daemons = work, str(uuid.uuid4()), {}
        self.mon_port, self.port = free_port(), free_port()
        os.makedirs(work, exist_ok=True)
        self.log = open(os.path.join(work, "log"), "ab")
        self.conf = os.path.join(work, "ceph.conf")
        with open(self.conf, "w", encoding="utf-8") as f:
            f.write(self.settings(gib))
        for name in ("mon", "osd", "rgw"):
            os.makedirs(os.path.join(work, name))
        self.make_monitor()
        self.make_osd()
        self.make_gateway()

    def settings(self, gib):
        return f"""[global]
fsid = {self.fsid}
mon host = v1:127.0.0.1:{self.mon_port}
auth cluster required = none
auth service required = none
auth client required = none
run dir = {self.work}
admin socket = {self.work}/$name.asok
log file = /dev/null
mon cluster log file = /dev/null
pid file =
osd pool default size = 1
osd pool default min size = 1
mon allow pool size one = true
osd pool default pg num = 8
osd pool default pg autoscale mode = off
mon warn on pool no redundancy = false
osd crush chooseleaf type = 0
[mon]
mon data = {self.work}/mon
mon initial members = a
[osd]
osd data = {self.work}/osd
osd objectstore = bluestore
bluestore block size = {gib << 30}
bluestore block create = true
osd memory target = 1073741824
ms bind msgr2 = false
public addr = 127.0.0.1
cluster addr = 127.0.0.1
[client.rgw]
rgw data = {self.work}/rgw
rgw frontends = beast endpoint=127.0.0.1:{self.port} tcp_nodelay=1
rgw enable usage log = false
"""

    def words(self, program, *words):
        return [program, "-c", self.conf, *words]

    def run(self, program, *words, check=True):
        done = subprocess.run(self.words(program, *words), capture_output=True, text=True)
        if check and done.returncode:
            raise RuntimeError(f"{program} {' '.join(words)}: {done.stdout}{done.stderr}")
        return done

    def begin(self, name):
        words = {
            "mon": ("ceph-mon", "-f", "-i", "a"),
            "osd": ("ceph-osd", "-f", "-i", "0"),
            "rgw": ("radosgw", "-f", "-n", "client.rgw"),
        }[name]
        self.daemons[name] = subprocess.Popen(self.words(*words), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

    def until(self, what, holds):
        end = time.monotonic() + READY_S
        while not holds():
            if time.monotonic() > end:
                self.end()
                raise RuntimeError(f"Ceph: {what} after {READY_S} s; {self.log.name} says more")
            time.sleep(0.2)

    def make_monitor(self):
        at = os.path.join(self.work, "monmap")
        subprocess.run(
            ["monmaptool", "--create", "--fsid", self.fsid, "--addv", "a", f"[v1:127.0.0.1:{self.mon_port}]", at],
            check=True,
            stdout=self.log,
            stderr=self.log,
        )
        self.run("ceph-mon", "--mkfs", "-i", "a", "--monmap", at)
        self.begin("mon")
        self.until("no monitor answers", lambda: self.run("ceph", "--connect-timeout", "3", "mon", "stat", check=False).returncode == 0)

    def make_osd(self):
        own = str(uuid.uuid4())
        # Without keys, who asks before it was told the number of the cluster is refused: it asks again.
        self.until("no new store", lambda: self.run("ceph", "osd", "new", own, check=False).returncode == 0)
        self.run("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", own, "--no-mon-config")
        self.begin("osd")
        self.until("no store", self.is_store_up)

    def is_store_up(self):
        """A store that asks its monitor before it knows the cluster's number is told that it has the wrong one, and ends: it begins again."""
        if self.daemons["osd"].poll() is not None:
            self.begin("osd")
        return "1 up" in self.run("ceph", "osd", "stat", check=False).stdout

    def make_gateway(self):
        self.run(
            "radosgw-admin", "user", "create", "--uid", "tscope", "--display-name", "tscope", "--access-key", KEY, "--secret", SECRET
        )
        self.start()
        self.make_bucket("packs")

    def start(self):
        """Starts the gateway."""
        self.begin("rgw")
        self.until("the gateway does not answer", self.answers)

    def answers(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return True
        except OSError:
            return False

    def ask(self, method, path, query="", body=b""):
        """One signed request to the gateway, as its owner: to make a bucket."""
        stamp = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        host, digest = f"127.0.0.1:{self.port}", hashlib.sha256(body).hexdigest()
        names = {"host": host, "x-amz-content-sha256": digest, "x-amz-date": stamp}
        canonical = "\n".join([method, path, query, *(f"{n}:{v}" for n, v in names.items()), "", ";".join(names), digest])
        text = "\n".join(
            ["AWS4-HMAC-SHA256", stamp, f"{stamp[:8]}/{REGION}/s3/aws4_request", hashlib.sha256(canonical.encode()).hexdigest()]
        )
        signature = sign(SECRET, stamp[:8], REGION, text)
        scope = f"AWS4-HMAC-SHA256 Credential={KEY}/{stamp[:8]}/{REGION}/s3/aws4_request, SignedHeaders={';'.join(names)}, Signature={signature}"
        url = f"http://{host}{path}" + (f"?{query}" if query else "")
        request = urllib.request.Request(url, data=body, method=method, headers={**names, "Authorization": scope})
        with urllib.request.urlopen(request, timeout=READY_S) as answer:
            return answer.read()

    def make_bucket(self, name):
        self.ask("PUT", f"/{name}")
        self.ask("PUT", f"/{name}", "versioning=", VERSIONS)

    def kill(self):
        """Kills the gateway."""
        self.kill_daemon("rgw")

    def kill_daemon(self, name):
        self.daemons[name].send_signal(signal.SIGKILL)
        self.daemons[name].wait()

    def url(self, bucket="packs/team"):
        return f"http://127.0.0.1:{self.port}/{bucket}"

    def end(self):
        for process in self.daemons.values():
            process.kill()
            process.wait()
        self.log.close()
