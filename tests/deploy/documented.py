#!/usr/bin/env python3
"""Every command of the documents for administrators, run where an administrator would: documented.py RELEASE_BUILD CACHE. A bare Debian 12 that
systemd started gets the packages; its service runs with the hardened unit; users push, log in by TLS with a token and with certificates; the
store is backed up, restored and upgraded. A command that is neither run here nor in NOT_HERE fails the test, and so does one of these that no
document has any more."""
import datetime
import glob
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bare  # noqa: E402

build, cache = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
DOCUMENTS = ["deploy/README.md", "docs/operations.md", "docs/security.md", "deploy/Containerfile", "deploy/kubernetes.yaml"]
PROGRAM = r"(?:tscoped?|\./dev|systemctl|systemd-analyze|dpkg|usermod|useradd|groupadd|runuser|install|mkdir|printf|mv|cp|chown|kubectl|podman)\s+\S"
SOCKET = "unix:/run/tscope/tscoped.sock"
CHECK = "runuser -u tscoped -- tscoped --config /etc/tscope/tscoped.conf --check"

NOT_HERE = {
    "systemd-analyze security": "tests/deploy/unit.py runs it",
    "tscoped --check": "it is run with the file of the machine",
    "tscoped --config FILE --check": "it is run with the file of the machine",
    "./dev install": "tests/install.py runs what it calls; here it stands with its prefix",
    "./dev uninstall": "tests/install.py runs what it calls",
    "TSCOPE_SERVER=ssh://HOST": "service/rpc/test_ssh.c runs it, with a daemon of ssh",
    'TSCOPE_SSH="ssh -i key"': "service/rpc/test_ssh.c runs it",
    "podman build -f deploy/Containerfile -t tscoped build/release/package": "no container engine is here; tests/deploy/container.py runs its steps",
    "podman run --rm -v tscope:/var/lib/tscope -v /run/tscope:/run/tscope --memory 4g --ulimit nofile=65536 tscoped":
        "no container engine is here; tests/deploy/container.py runs the entry point",
    "kubectl create secret tls tscope-tls --cert server.pem --key server.key": "no cluster is here; tests/deploy/kubernetes.py holds the names together",
    "tscope login": "it names a verb",
    "tscope restore --at 2h --dry-run": "tests/cli/cases/rewind.t runs it",
    "tscope restore --at 2026-11-20T11:27:00Z": "tests/cli/cases/rewind.t runs it",
    "tscope salvage": "it names a verb",
    "tscope audit FILE": "it names an option; service/audit/test_audit.c reads what it reads",
    "tscope token list": "tests/fault/damage.py asks it of stores that salvage made",
    "tscope login HOST": "it is run with the CA of the machine",
    "./dev attack shares": "the test `attack` runs its short form",
    "./dev attack floods": "the test `attack` runs its short form",
    "./dev attack walls": "the test `attack_walls` runs its short form",
    "./dev bench load": "it takes minutes, and measures",
    "./dev bench": "it takes minutes, and measures",
    "tscoped (policy)": "it names an author",
    "tscoped --backup": "it names an option",
    "tscoped --read-only": "it names an option; service/test_tscoped.c runs it",
    "tscoped --keep-removed": "it names an option",
    "tscoped --store /var/lib/tscope/store --follow tls:leader:7717 --follow-token /etc/tscope/leader.token":
        "no second machine is here; tests/fault/follow.py runs two servers",
    "tscoped --reserve": "it names an option; tests/fault runs it on a full disk",
}


def check(condition, *what):
    if not condition:
        sys.exit("documented: " + " ".join(str(w) for w in what))


# ---- what the documents have ----

def kind(line):
    if re.match(PROGRAM, line):
        return "command"
    if re.match(r"[a-z-]+ = \S", line):
        return "setting"
    if re.match(r"RETENTION\.[a-z]+ = \S", line):
        return "policy"
    if re.match(r"(?:[\d*]+ ){5}tscope ", line):
        return "crontab"
    return {"#": "remark", "e": "log"}.get(line[0]) if re.match(r"#|event=", line) else None


def lines_of(path):
    """Kind and text of each line of a block, each command within a sentence, and each that a comment shows."""
    block = False
    with open(path, encoding="utf-8") as f:
        for line in f.read().split("\n"):
            if not path.endswith(".md"):
                found = re.match(r"#   (\S.*)$", line)
                command = found and re.split(r"\s{3,}", found.group(1))[0]
                if command and re.match(PROGRAM, command):
                    yield "command", command
            elif line.startswith("    "):
                block = True
                found = kind(line.strip())
                check(found, f"{path}: this line of a block is no command, setting or line of a log:", line)
                yield found, line.strip()
            else:
                check(not block or not line, f"{path}: text follows a block without an empty line:", line)
                block = False
                for span in re.findall(r"`([^`]+)`", line):
                    if re.match(PROGRAM + r"|TSCOPE_[A-Z]+=", span):
                        yield "command", span


class Documents:
    def __init__(self):
        self.left = {line for path in DOCUMENTS for line in lines_of(path) if line[0] != "remark"}
        self.all = set(self.left)

    def take(self, what, line):
        check((what, line) in self.all, f"no document has the {what}:", line)
        self.left.discard((what, line))
        return line

    def end(self):
        for command in NOT_HERE:
            self.take("command", command)
        check(not self.left, "these are neither run here nor said not to be:", *(f"\n    {text}" for _, text in sorted(self.left)))


class Site:
    """A machine, and the documents that its administrator reads."""

    def __init__(self, machine, documents):
        self.machine, self.documents = machine, documents

    def do(self, command, becomes=None, user="root", **more):
        """Runs a command of a document; `becomes`: what stands in it for what the reader has to put there."""
        text = self.documents.take("command", command)
        for word, other in (becomes or {}).items():
            check(word in text, word, "is not in", text)
            text = text.replace(word, other)
        return self.machine.run("sh", "-c", text, user=user, **more)

    def configure(self, *lines):
        with open(f"{self.machine.root}/etc/tscope/tscoped.conf", "a", encoding="utf-8") as f:
            f.writelines(self.documents.take("setting", line) + "\n" for line in lines)

    def edit(self, old, new):
        path = f"{self.machine.root}/etc/tscope/tscoped.conf"
        with open(path, encoding="utf-8") as f:
            text = f.read()
        check(old in text, old, "is not in the configuration")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text.replace(old, new))

    def put(self, files, folder, owner="root"):
        for file in files:
            subprocess.run(["cp", file, f"{self.machine.root}{folder}"], check=True)
            self.machine.run("chown", owner, f"{folder}/{os.path.basename(file)}")

    def journal(self, what):
        for _ in range(100):
            log = self.machine.run("journalctl", "-u", "tscoped", "-o", "cat", "--no-pager").stdout
            if what in log:
                return log
            time.sleep(0.1)
        sys.exit(f"documented: the log does not have {what}:\n{log[-3000:]}")


# ---- certificates ----

class Authority:
    """A CA in a folder, with a list of the certificates that it revoked."""

    def __init__(self, folder):
        self.folder = folder
        for name, text in (("index", ""), ("serial", "1000\n"), ("crlnumber", "01\n"), ("conf", self.conf())):
            with open(f"{folder}/{name}", "w", encoding="utf-8") as f:
                f.write(text)
        self.openssl("req", "-x509", *self.key("ca"), "-days", "2", "-subj", "/CN=our CA", "-out", f"{folder}/ca.pem")
        subprocess.run(["cp", f"{folder}/ca.pem", f"{folder}/client-ca.pem"], check=True)
        self.list()

    def conf(self):
        return (f"[ca]\ndefault_ca=a\n[a]\ndatabase={self.folder}/index\nserial={self.folder}/serial\ncrlnumber={self.folder}/crlnumber\n"
                f"new_certs_dir={self.folder}\ncertificate={self.folder}/ca.pem\nprivate_key={self.folder}/ca.key\ndefault_md=sha256\ndefault_days=2\n"
                f"default_crl_days=2\npolicy=p\ncopy_extensions=copy\n[p]\ncommonName=supplied\n")

    def key(self, name):
        return "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{self.folder}/{name}.key"

    def openssl(self, *words):
        done = subprocess.run(["openssl", *words], capture_output=True, text=True)
        check(done.returncode == 0, words, done.stderr)

    def sign(self, name, *more):
        at = f"{self.folder}/{name}"
        self.openssl("req", *self.key(name), "-subj", f"/CN={name}", *more, "-out", f"{at}.csr")
        self.openssl("ca", "-config", f"{self.folder}/conf", "-batch", "-notext", "-in", f"{at}.csr", "-out", f"{at}.pem")
        return [f"{at}.pem", f"{at}.key"]

    def list(self):
        self.openssl("ca", "-config", f"{self.folder}/conf", "-gencrl", "-out", f"{self.folder}/client-crl.pem")
        return f"{self.folder}/client-crl.pem"

    def revoke(self, name):
        self.openssl("ca", "-config", f"{self.folder}/conf", "-revoke", f"{self.folder}/{name}.pem")
        return self.list()


# ---- the story ----

def write_run(site, user, name, loss):
    folder = f"{site.machine.root}/home/{user}/{name}"
    os.mkdir(folder)
    with open(f"{folder}/steps.jsonl", "w", encoding="utf-8") as f:
        f.writelines(f'{{"step": {i}, "scalars": {{"loss": {loss / (i + 1)}}}}}\n' for i in range(200))


def ask(site, user, *words, status=0, says="", **env):
    out = site.machine.run("tscope", *words, user=user, check=False, wd=f"/home/{user}", **env)
    check(out.returncode == status and says in out.stdout + out.stderr, user, words, "has to end with", status, "and say", repr(says), out)


def hardened(site):
    """The process has what the unit says."""
    pid = site.machine.run("systemctl", "show", "tscoped", "-p", "MainPID", "--value").stdout.strip()
    status = site.machine.run("cat", f"/proc/{pid}/status").stdout
    owner = site.machine.run("id", "-u", "tscoped").stdout.strip()
    for want in (r"^Seccomp:\s+2$", r"^NoNewPrivs:\s+1$", r"^CapEff:\s+0+$", r"^CapBnd:\s+0+$", rf"^Uid:\s+{owner}\s"):
        check(re.search(want, status, re.M), "the service runs without", want, status)


def packages(site):
    made = subprocess.run(site.documents.take("command", "./dev package"), shell=True, capture_output=True, text=True)
    check(made.returncode == 0, made.stdout, made.stderr)
    folder = f"{site.machine.root}/root/build/release/package"
    os.makedirs(folder)
    for deb in glob.glob(f"{build}/package/*.deb"):
        subprocess.run(["cp", deb, folder], check=True)
    site.machine.run("useradd", "--create-home", "ann")
    site.machine.run("useradd", "--create-home", "bob")
    site.do("dpkg -i build/release/package/tscope_*.deb build/release/package/tscoped_*.deb")
    check(site.machine.run("systemctl", "is-active", "tscoped").stdout.strip() == "active")
    hardened(site)
    site.do("usermod -aG tscope ann")
    for name, loss in (("exp1", 4), ("exp2", 5), ("old-run", 6)):
        write_run(site, "ann", name, loss)
    here = site.documents.take("command", "TSCOPE_SERVER=unix:/run/tscope/tscoped.sock").split("=", 1)[1]
    ask(site, "ann", "push", "exp1", TSCOPE_SERVER=here, says="created")
    ask(site, "ann", "list", TSCOPE_SERVER=here, says="exp1")
    ask(site, "bob", "list", TSCOPE_SERVER=here, status=2, says="group tscope")


def tls(site, authority):
    site.put(authority.sign("server", "-addext", "subjectAltName=DNS:localhost"), "/root")
    site.configure("listen = tls:0.0.0.0:7443", "tls-cert = /etc/tscope/server.pem", "tls-key = /etc/tscope/server.key")
    site.do("install -m 644 server.pem /etc/tscope/server.pem")
    site.machine.run("install", "-m", "600", "server.key", "/etc/tscope/server.key")
    check("tls-key /etc/tscope/server.key" in failed_check(site), "a key that the server may not read is well")
    site.do("install -m 600 -o tscoped server.key /etc/tscope/server.key")
    said = site.do(CHECK).stdout
    for word in ("settings", "address", "tls-cert", "tls-clients", "grants", "store", "disk", "descriptors"):
        check(re.search(rf"^{word}\s+ok ", said, re.M), f"the check says nothing of '{word}':", said)
    site.do("systemctl restart tscoped")
    site.journal("address=tls:0.0.0.0:7443")
    site.do("mkdir -p /etc/systemd/system/tscoped.service.d")
    site.do(r"printf '[Service]\nIPAddressAllow=10.0.0.0/8\n' >/etc/systemd/system/tscoped.service.d/network.conf")
    site.do("systemctl daemon-reload")
    site.do("systemctl restart tscoped")
    check("10.0.0.0/8" in site.machine.run("systemctl", "show", "tscoped", "-p", "IPAddressAllow").stdout, "the drop-in is not read")


def token(site, authority):
    made = site.do("tscope token make ci --role push --for speed --expires 30d", TSCOPE_SERVER=SOCKET).stdout
    secret = re.search(r"tscope_[a-z2-7]{58}", made).group(0)
    site.put([f"{authority.folder}/ca.pem"], "/home/ann", "ann")
    ask(site, "ann", "list", TSCOPE_SERVER="tls:localhost:7443", TSCOPE_CA="ca.pem", status=2, says="token")
    site.do("tscope login --ca ca.pem tls:HOST:7443", {"HOST": "localhost"}, user="ann", wd="/home/ann", stdin=secret + "\n")
    ask(site, "ann", "push", "exp1", "exp2", "-p", "speed")
    ask(site, "ann", "diff", "exp1", "exp2", "-p", "speed", status=1, says="step 0")
    site.machine.run("tscope", "token", "revoke", "ci", TSCOPE_SERVER=SOCKET)
    ask(site, "ann", "list", "-p", "speed", status=2, says="revoked")


def certificates(site, authority):
    certs = authority.sign("ann") + authority.sign("bob")
    site.put(certs[:2], "/home/ann", "ann")
    site.put(certs[2:] + [f"{authority.folder}/ca.pem"], "/home/bob", "bob")
    site.put([f"{authority.folder}/client-ca.pem", authority.revoke("bob")], "/etc/tscope")
    site.configure("tls-client-ca = /etc/tscope/client-ca.pem", "tls-client-auth = optional", "tls-crl = /etc/tscope/client-crl.pem",
                   "grant = group:tscope maintain *", "grant = cert:CN=ann push speed")
    site.machine.run("systemctl", "restart", "tscoped")
    login = "tscope login --ca ca.pem --cert ann.pem --key ann.key --no-token tls:HOST:7443"
    site.do(login, {"HOST": "localhost"}, user="ann", wd="/home/ann")
    ask(site, "ann", "whoami", "-p", "speed", says="CN=ann")
    ask(site, "ann", "list", "-p", "speed", says="exp2")
    refused = site.do(login, {"HOST": "localhost", "ann": "bob"}, user="bob", wd="/home/bob", check=False)
    check(refused.returncode == 2 and "its log says why it refuses" in refused.stderr and "bob.pem" in refused.stderr, "a revoked certificate:", refused)
    site.journal('certificate="CN=bob: certificate revoked"')
    # A list that has ann, too, is read without a restart.
    site.put([authority.revoke("ann")], "/etc/tscope")
    site.do("systemctl reload tscoped")
    site.journal("event=tls_reload")
    ask(site, "ann", "list", "-p", "speed", status=2)
    site.journal('certificate="CN=ann: certificate revoked"')
    ask(site, "ann", "logout")


def settings(site):
    ask(site, "ann", "list", TSCOPE_SERVER=SOCKET, says="exp1")
    site.edit("grant = group:tscope maintain *\n", "log-level = debug\nthreads = 2\n")
    site.do("systemctl reload tscoped")
    site.journal(site.documents.take("log", "event=reload changed=grant,log-level needs_restart=threads"))
    ask(site, "ann", "list", TSCOPE_SERVER=SOCKET, status=2)
    site.edit("log-level = debug\nthreads = 2\n", "grant = group:tscope maintain *\n")
    site.machine.run("systemctl", "restart", "tscoped")


def grants(site):
    """The lines of docs/security.md, in a file of their own: users and groups that the machine does not have are said."""
    lines = [site.documents.take("setting", "grant = " + grant) for grant in (
        "group:ml read *", "user:ada push speed", "cert:spiffe://example.org/ci push speed", "user:bea admin *", "anyone read public")]
    with open(f"{site.machine.root}/root/grants.conf", "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    asked = ["tscoped", "--config", "grants.conf", "--check"]
    check("grants.conf:1: grant 'group:ml read *': this machine has no group ml" in site.machine.run(*asked, check=False).stdout)
    site.machine.run("sh", "-c", "groupadd ml && useradd ada && useradd bea")
    said = site.machine.run(*asked).stdout
    check(re.search(r"^grants\s+ok\s+5$", said, re.M), said)


def space(site):
    ask(site, "ann", "push", "old-run", TSCOPE_SERVER=SOCKET)
    site.do("tscope rm 'old-run' ...", {" ...": ""}, user="ann", TSCOPE_SERVER=SOCKET)
    site.do("tscope restore", {"restore": "restore old-run"}, user="ann", TSCOPE_SERVER=SOCKET)
    ask(site, "ann", "list", TSCOPE_SERVER=SOCKET, says="old-run")
    ask(site, "ann", "rm", "old-run", TSCOPE_SERVER=SOCKET)
    refused = site.do("tscope gc --removed 0s --lease 0s", TSCOPE_SERVER=SOCKET, check=False)
    check(refused.returncode == 2 and "gc-lease-min" in refused.stderr, "the server frees what is leased:", refused)
    freed = site.do("tscope --store DIR gc ...", {"tscope --store DIR": "runuser -u tscoped -- tscope --store /var/lib/tscope/store", "...": "--removed 0s --lease 0s"})
    check(re.search(r"[1-9]\d* objects", freed.stdout), "nothing is freed:", freed.stdout)
    site.do("tscope gc", TSCOPE_SERVER=SOCKET)
    site.do("tscope verify", TSCOPE_SERVER=SOCKET)
    ask(site, "ann", "restore", "old-run", TSCOPE_SERVER=SOCKET, status=2)
    # A disk on which less is free than the reserve.
    site.machine.run("sh", "-c", "mkdir /small && mount -t tmpfs -o size=8m tmpfs /small && head -c 7900000 /dev/zero >/small/other")
    said = site.machine.run("tscoped", "--store", "/small/store", "--check").stdout
    check(re.search(r"^disk\s+unsure .* free of 8.* less than the reserve", said, re.M), "the check says nothing of a disk that is nearly full:", said)


def limits(site):
    """Quotas and retention. The policy of the document, by hand, by the server and by a line of a crontab."""
    quotas = ["quota = * sealed 50GiB, * names 20000", "quota = speed sealed 500GiB", "quota = scratch sealed none",
              "quota = * unnamed 20GiB, token:ci unnamed 100GiB"]
    policy = [site.documents.take("policy", "RETENTION." + rule) for rule in (
        "branch = */release*: all", "branch = */main: last 200, younger 90d", "runs = *: younger 30d", "notes = accepted, keep")]
    site.configure(*quotas)
    site.put(["deploy/keep.policy"], "/etc/tscope")
    with open(f"{site.machine.root}/etc/tscope/tscoped.conf", "a", encoding="utf-8") as f:
        f.write("retention = /etc/tscope/keep.policy\n")
    said = site.do(CHECK).stdout
    check(re.search(r"^quotas\s+ok ", said, re.M) and re.search(r"^retention\s+ok\s+/etc/tscope/keep.policy", said, re.M), said)
    site.machine.run("systemctl", "restart", "tscoped")
    check(re.search(r"^speed .* of 500 GiB", site.do("tscope projects", TSCOPE_SERVER=SOCKET).stdout, re.M), "no quota is shown")
    for folder in ("/root", "/home/ann"):
        with open(f"{site.machine.root}{folder}/keep.policy", "w", encoding="utf-8") as f:
            f.write("\n".join(policy) + "\n")
    said = site.do("tscope gc --policy keep.policy            # shows what would go, and why the rest stays; changes nothing", TSCOPE_SERVER=SOCKET).stdout
    check("nothing goes by this policy" in said or "would let go" in said, said)
    site.do("tscope gc --policy keep.policy --apply    # lets it go, and frees what is free", TSCOPE_SERVER=SOCKET)
    line = site.documents.take("crontab", "20 4 * * * tscope --store $HOME/.local/share/tscope/store gc --policy $HOME/keep.policy --apply")
    ask(site, "ann", "--store", "/home/ann/.local/share/tscope/store", "push", "exp1")
    site.machine.run("sh", "-c", line.split(" ", 5)[5], user="ann", HOME="/home/ann")
    ask(site, "ann", "push", "exp2", "--branch", "main", TSCOPE_SERVER=SOCKET)
    site.do("tscope log BRANCH", {"BRANCH": "branch:main"}, user="ann", TSCOPE_SERVER=SOCKET)
    site.do("tscope whoami", user="ann", TSCOPE_SERVER=SOCKET)
    site.do("tscope note RUN keep='for the paper'", {"RUN": "default/exp1"}, user="ann", TSCOPE_SERVER=SOCKET)
    check("for the paper" in site.do("tscope log RUN --notes", {"RUN": "default/exp1"}, user="ann", TSCOPE_SERVER=SOCKET).stdout)


def failed_check(site):
    out = site.do(CHECK, check=False)
    check(out.returncode == 2, "the check finds nothing:", out.stdout, out.stderr)
    return next((line for line in out.stdout.split("\n") if " failed " in line), out.stdout)


def increment(site, today):
    """What came since the whole backup, listed as it lies and made a store."""
    since, here = {"2026-11-20": today}, {"2026-11-21-06": f"{today}-{site.machine.run('date', '+%H').stdout.strip()}"}
    said = site.do("tscoped --store /var/lib/tscope/store --backup /backup/tscope-$(date +%F-%H) --since /backup/tscope-2026-11-20", since)
    check("since=" in said.stderr, said)
    site.do("tscope --store /backup/tscope-2026-11-21-06 verify", here)
    listed = site.do("tscope --store /backup/tscope-2026-11-21-06 list --all-projects --names", here).stdout
    check("exp1" in listed and "exp2" in listed, listed)
    site.do("tscoped --store /backup/tscope-2026-11-21-06 --backup /backup/restored", here)
    check(site.machine.run("tscope", "--store", "/backup/restored", "list", "--all-projects", "--names").stdout == listed, "what was restored")


def backup(site):
    before = site.do("tscope list", TSCOPE_SERVER=SOCKET).stdout
    check("exp1" in before, before)
    today = datetime.date.fromisoformat(site.machine.run("date", "+%F").stdout.strip())
    site.do("mkdir -p -m 700 /backup")
    said = site.do("tscoped --store /var/lib/tscope/store --backup /backup/tscope-$(date +%F)")
    check("event=backup" in said.stderr, said)
    site.do("tscope --store /backup/tscope-2026-11-20 verify", {"2026-11-20": str(today)})
    ask(site, "ann", "push", "exp2", TSCOPE_SERVER=SOCKET)
    increment(site, str(today))
    site.do("systemctl stop tscoped")
    site.do("mv /var/lib/tscope/store /var/lib/tscope/store.old")
    site.do("cp -r /backup/tscope-2026-11-20 /var/lib/tscope/store", {"2026-11-20": str(today)})
    site.machine.run("systemctl", "reset-failed", "tscoped")
    denied = site.machine.run("runuser", "-u", "tscoped", "--", "tscoped", "--config", "/etc/tscope/tscoped.conf", check=False)
    check(denied.returncode == 2 and "chown" in denied.stderr, "a copy of root's is served, or nothing says what to do:", denied)
    site.machine.run("chown", "tscoped", "/var/lib/tscope/store")
    check("/var/lib/tscope/store/data.mdb is for root" in failed_check(site), "a file of the store that is not the server's is well")
    site.do("chown -R --reference=/var/lib/tscope /var/lib/tscope/store")
    site.do("systemctl start tscoped")
    check(site.machine.run("tscope", "list", TSCOPE_SERVER=SOCKET).stdout == before, "the restored store is not what was backed up")


def salvage(site):
    """What is saved of a store in which nothing is damaged is all of it."""
    before = site.machine.run("tscope", "list", TSCOPE_SERVER=SOCKET).stdout
    site.do("systemctl stop tscoped")
    site.do("tscope salvage /var/lib/tscope/store /var/lib/tscope/saved")
    site.do("tscope --store /var/lib/tscope/saved verify")
    site.do("mv /var/lib/tscope/store /var/lib/tscope/store.damaged")
    site.do("mv /var/lib/tscope/saved /var/lib/tscope/store")
    site.do("chown -R --reference=/var/lib/tscope /var/lib/tscope/store")
    site.do("systemctl start tscoped")
    check(site.machine.run("tscope", "list", TSCOPE_SERVER=SOCKET).stdout == before, "the saved store has other runs")


def upgrade(site, top):
    """The store is one that the first version made; the packages are ones with a greater number."""
    made = subprocess.run(["cpack", "-G", "DEB", "-B", top, "-R", "0.99.0", "--config", f"{build}/CPackConfig.cmake"], capture_output=True, text=True)
    check(made.returncode == 0, made.stderr)
    subprocess.run(["cp", *glob.glob(f"{top}/*.deb"), f"{site.machine.root}/root"], check=True)
    site.do("systemctl stop tscoped")
    site.machine.run("rm", "-r", "/var/lib/tscope/store")
    subprocess.run(["cp", "-r", "tests/golden/store-v1", f"{site.machine.root}/var/lib/tscope/store"], check=True)
    site.machine.run("chown", "-R", "--reference=/var/lib/tscope", "/var/lib/tscope/store")
    site.do("tscoped --store /var/lib/tscope/store --backup /backup/before-upgrade")
    site.machine.run("sh", "-c", "dpkg -i tscope_0.99.0_*.deb tscoped_0.99.0_*.deb")
    site.do("systemctl start tscoped")
    names = site.machine.run("tscope", "list", "--all-projects", "--names", TSCOPE_SERVER=SOCKET).stdout.split()
    older = site.machine.run("tscope", "--store", "/backup/before-upgrade", "list", "--all-projects", "--names").stdout.split()
    check(names and names == older, "names before and after the upgrade:", older, names)
    check("cert:CN=ann" in site.machine.run("cat", "/etc/tscope/tscoped.conf").stdout, "the upgrade replaced the configuration")
    site.machine.run("tscope", "verify", TSCOPE_SERVER=SOCKET)
    hardened(site)


def by_hand(site):
    """Without packages: what `./dev install` calls, with the programs of this build."""
    site.documents.take("command", "./dev install /usr")
    done = subprocess.run(["deploy/install.sh", build, "/usr"], capture_output=True, text=True, env=dict(os.environ, DESTDIR=site.machine.root))
    check(done.returncode == 0, done.stderr)
    os.mkdir(f"{site.machine.root}/root/deploy")
    site.put(["deploy/tscoped.conf"], "/root/deploy")
    for command in ("groupadd -r tscope", "useradd -r -g tscope -d /var/lib/tscope -M -s /usr/sbin/nologin tscoped",
                    "install -D -m 644 deploy/tscoped.conf /etc/tscope/tscoped.conf", "systemctl daemon-reload", "systemctl enable --now tscoped"):
        site.do(command)
    hardened(site)
    site.machine.run("tscope", "list", TSCOPE_SERVER=SOCKET)


def main():
    documents = Documents()
    with tempfile.TemporaryDirectory(prefix="tscope-documented-") as top:
        os.mkdir(f"{top}/ca")
        authority = Authority(f"{top}/ca")
        with bare.Booted(cache) as machine:
            site = Site(machine, documents)
            packages(site)
            tls(site, authority)
            token(site, authority)
            certificates(site, authority)
            settings(site)
            grants(site)
            space(site)
            limits(site)
            backup(site)
            salvage(site)
            upgrade(site, f"{top}/new")
        with bare.Booted(cache) as machine:
            by_hand(Site(machine, documents))
    documents.end()
    print(f"documented: {len(documents.all) - len(NOT_HERE)} lines of {len(DOCUMENTS)} documents were run under systemd, and {len(NOT_HERE)} elsewhere")


if __name__ == "__main__":
    main()
