#!/usr/bin/env python3
"""Two hosts and a server, each in a network namespace of its own, with TLS and tokens: hosts.py BUILD. One host pushes, the other compares;
the certificate changes while the server runs; the server starts again on a store that an older version made; a revoked token, no token and a
foreign CA are refused, and the refusal names what was used. Needs root and `ip`; skipped without."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

build = os.path.abspath(sys.argv[1])
NET = f"ts{os.getpid() % 100000}"
SERVERS = {"a": "10.213.7.1", "b": "10.213.8.1"}  # what each host calls the server
PORT = 7443


def check(condition, *what):
    if not condition:
        sys.exit("hosts: " + " ".join(str(w) for w in what))


def sh(*words):
    return subprocess.run(words, capture_output=True, text=True)


def make_network():
    """A cable from each host to the server."""
    # `ip netns exec` does this too, and what `ip netns add` mounts stays where that is not possible.
    if os.geteuid() != 0 or sh("unshare", "--mount", "--propagation", "slave", "true").returncode:
        print("skipped: network namespaces need root, and a root directory that is a mount")
        sys.exit(77)
    for host in ("s", "a", "b"):
        if sh("ip", "netns", "add", f"{NET}{host}").returncode:
            print("skipped: the kernel makes no network namespaces, or there is no `ip`")
            sys.exit(77)
        sh("ip", "-n", f"{NET}{host}", "link", "set", "lo", "up")
    for host, server in SERVERS.items():
        made = sh("ip", "link", "add", f"e{host}", "netns", f"{NET}{host}", "type", "veth", "peer", "name", f"p{host}", "netns", f"{NET}s")
        check(made.returncode == 0, made.stderr)
        for where, device, address in ((f"{NET}{host}", f"e{host}", server.removesuffix("1") + "2"), (f"{NET}s", f"p{host}", server)):
            sh("ip", "-n", where, "addr", "add", f"{address}/24", "dev", device)
            sh("ip", "-n", where, "link", "set", device, "up")


def remove_network():
    for host in ("s", "a", "b"):
        sh("ip", "netns", "del", f"{NET}{host}")


class Authority:
    def __init__(self, folder, name):
        self.pem, self.key, self.folder = f"{folder}/{name}.pem", f"{folder}/{name}.key", folder
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                     "-keyout", self.key, "-out", self.pem)

    def openssl(self, *words):
        done = sh("openssl", *words)
        check(done.returncode == 0, words, done.stderr)
        return done.stdout

    def server(self, serial):
        """Writes a certificate in place of the one that is there, as a renewal does."""
        at = f"{self.folder}/server"
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=server", "-addext",
                     "subjectAltName=" + ",".join(f"IP:{address}" for address in SERVERS.values()), "-keyout", f"{at}.key.new", "-out", f"{at}.csr")
        self.openssl("x509", "-req", "-in", f"{at}.csr", "-CA", self.pem, "-CAkey", self.key, "-days", "2", "-set_serial", str(serial),
                     "-copy_extensions", "copy", "-out", f"{at}.pem.new")
        os.rename(f"{at}.key.new", f"{at}.key")
        os.rename(f"{at}.pem.new", f"{at}.pem")


class Place:
    def __init__(self, top):
        self.top, self.authority = top, Authority(top, "ca")
        self.authority.server(1001)
        shutil.copytree("tests/golden/store-v1", f"{top}/store")
        self.process = None

    def start(self):
        words = ["--socket", f"{self.top}/s", "--store", f"{self.top}/store", "--listen", f"tls:0.0.0.0:{PORT}", "--tls-cert", f"{self.top}/server.pem", "--tls-key",
                 f"{self.top}/server.key"]
        with open(f"{self.top}/log", "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(["ip", "netns", "exec", f"{NET}s", f"{build}/tscoped", *words], stderr=log)
        for _ in range(200):
            if self.admin("version").returncode == 0 and self.admin("list").returncode == 0:
                return
            time.sleep(0.05)
        sys.exit("hosts: the server does not start: " + open(f"{self.top}/log", encoding="utf-8").read())

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        check(self.process.wait(timeout=30) == 0, "the server ended with", self.process.returncode)

    def kill(self):
        """Ends a server that a check which failed left; it would hold the output of this test open."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def admin(self, *words):
        return self.tscope(["ip", "netns", "exec", f"{NET}s"], words, TSCOPE_SERVER=f"unix:{self.top}/s")

    def host(self, host, token, *words, ca=None):
        more = {"TSCOPE_TOKEN": token} if token else {}
        return self.tscope(["ip", "netns", "exec", f"{NET}{host}"], words, TSCOPE_SERVER=f"tls:{SERVERS[host]}:{PORT}", TSCOPE_CA=ca or self.authority.pem, **more)

    def tscope(self, where, words, **env):
        return subprocess.run([*where, f"{build}/tscope", *words], capture_output=True, text=True, timeout=120,
                              env={"PATH": os.environ["PATH"], "HOME": self.top, "TSCOPE_PROJECT": "speed", "LOGNAME": "ann", **env,
                                   **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}})

    def token(self, name, role):
        made = self.admin("token", "make", name, "--role", role, "--for", "speed", "--expires", "1d")
        check(made.returncode == 0, made.stderr)
        return next(word for word in made.stdout.split() if word.startswith("tscope_"))

    def serial(self):
        shown = subprocess.run(["ip", "netns", "exec", f"{NET}a", "sh", "-c",
                                f"openssl s_client -connect {SERVERS['a']}:{PORT} -alpn h2 </dev/null 2>/dev/null | openssl x509 -noout -serial"],
                               capture_output=True, text=True)
        return int(shown.stdout.strip().split("=")[1], 16)


def story(place):
    place.start()
    names = place.admin("list", "--all-projects", "--names").stdout.split()
    check(names, "the store of the older version is empty")
    pusher, reader = place.token("ci", "push"), place.token("eyes", "read")
    pushed = place.host("a", pusher, "push", "tests/golden/demo/runs")
    check(pushed.returncode == 0 and "5 created" in pushed.stdout, pushed)
    found = place.host("b", reader, "diff", "base", "order")
    check(found.returncode == 1 and "step 80" in found.stdout, found)
    refused = place.host("b", reader, "rm", "base")
    check(refused.returncode == 2 and "push" in refused.stderr and "eyes" in refused.stderr, refused)
    hidden = place.host("b", reader, "list", "--all-projects", "--names").stdout.split()
    check(hidden and all(name.startswith("speed/") for name in hidden), "a reader of one project sees", hidden)
    check(place.serial() == 1001)
    place.authority.server(1002)
    place.process.send_signal(signal.SIGHUP)
    for _ in range(100):
        if place.serial() == 1002:
            break
        time.sleep(0.1)
    check(place.serial() == 1002, "the new certificate is not served")
    check(place.host("b", reader, "show", "base").returncode == 0, "the new certificate is not believed")
    place.stop()
    place.start()
    check(place.host("a", pusher, "push", "tests/golden/demo/runs/base").returncode == 0, "the restarted server does not know the token")
    check(place.admin("token", "revoke", "ci").returncode == 0)
    revoked = place.host("a", pusher, "push", "tests/golden/demo/runs/base")
    check(revoked.returncode == 2 and "TSCOPE_TOKEN" in revoked.stderr and "revoked" in revoked.stderr, revoked)
    check(pusher not in revoked.stderr and pusher not in open(f"{place.top}/log", encoding="utf-8").read(), "a token is shown")
    nobody = place.host("a", None, "list")
    check(nobody.returncode == 2 and "without a token" in nobody.stderr, nobody)
    foreign = place.host("a", reader, "list", ca=Authority(place.top, "other").pem)
    check(foreign.returncode == 2 and "other.pem" in foreign.stderr, foreign)
    check(place.admin("verify").returncode == 0)
    place.stop()
    for said in (refused, revoked, nobody, foreign):
        print(said.stderr.strip())


def main():
    with tempfile.TemporaryDirectory(prefix="tscope-hosts-") as top:
        try:
            make_network()
            place = Place(top)
            try:
                story(place)
            finally:
                place.kill()
        finally:
            remove_network()
    print("hosts: pushed from one host, compared on the other; a new certificate, a restart on an older store; refusals as they should be")


if __name__ == "__main__":
    main()
