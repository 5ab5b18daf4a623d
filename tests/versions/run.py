#!/usr/bin/env python3
"""The last release and this tree, each as client of the other, and each on the store of the other: run.py BUILD WORK.

BUILD has tscope and tscoped of this tree; the release is built in WORK, once. Exits 77 where its commit is not here, as in a clone
without history. Prints a row for each command, and ends with 1 where one is broken.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GOLDEN, TRACES = os.path.join(ROOT, "tests/golden/demo/runs"), os.path.join(ROOT, "tests/golden/trace/pipeline")
# In order; each is asked of both servers, by both clients. NAME is different for each pair of versions.
COMMANDS = (
    "push -b main RUNS/base RUNS/order RUNS/lr RUNS/slow RUNS/rerun",
    "push -n NAME RUNS/slow", "push -n NAME-traced TRACES", "timeline NAME-traced --rank 0", "export NAME-traced NAME-files",
    "list", "list --names -a", "list -s loss.best --json", "list -c name,id,steps --csv",
    "show base", "show base --json", "facts base", "analyze base", "analyze slow --json",
    "diff base order", "diff base lr --json", "diff base order lr", "diff RUNS/base lr", "check-resume base order", "check-determinism base", "golden make NAME.json base --why first", "why base lr --dry-run", "plot loss base order", "plot loss base --json --cells 5", "plot loss base order --x epoch", "explain",
    "gate slow --baseline main", "gate rerun --baseline base order --json", "baseline slow --baseline main", "trend main", "scaling base rerun", "compare loss", "compare loss.last --by config.lr --json",
    "name base NAME-2", "tag base NAME-tag", "tag", "note NAME why=tried", "note NAME", "log NAME", "log NAME --notes", "rm NAME", "restore NAME", "restore", "restore --at 1h --dry-run",
    "export base --format csv", "watch --once base", "verify", "verify --new", "gc --dry-run", "projects", "token", "whoami", "serve", "version",
)
WITHOUT_A_SERVER = {"audit", "bisect", "login", "logout", "help", "repro-op", "reproduce", "run", "salvage"}
# Of tscope web, which goes on until it is ended.
PAGES = ("/p/default/runs", "/p/default/r/base", "/p/default/show/base", "/p/default/facts/base", "/p/default/log/base",
         "/p/default/plot/loss?run=base&run=order", "/p/default/diff/base..order", "/p/default/b/main", "/p/default/tags", "/projects")
NOT_YET = re.compile(r"there is no verb|unknown option|must be one of")
UPDATE = re.compile(r"update (the server|tscope here|the one that is older)|was made by a newer tscope")


def build_release(work):
    """Returns the version and the folder of programs of the last release."""
    with open(os.path.join(HERE, "releases"), encoding="utf-8") as file:
        version, commit = [line.split() for line in file if not line.startswith("#")][-1]
    tree, build = os.path.join(work, version, "tree"), os.path.join(work, version, "build")
    if not os.path.exists(os.path.join(build, "tscoped")):
        if subprocess.run(["git", "-C", ROOT, "cat-file", "-e", commit], capture_output=True).returncode:
            print(f"skipped: the commit of {version} is not in this clone")
            sys.exit(77)
        shutil.rmtree(os.path.join(work, version), ignore_errors=True)
        os.makedirs(tree)
        subprocess.run(f"git -C '{ROOT}' archive {commit} | tar -x -C '{tree}'", shell=True, check=True)
        # Its answers are compared, not its speed: unoptimised, it compiles in a third of the time.
        subprocess.run(["cmake", "-S", tree, "-B", build, "-G", "Ninja", "-DCMAKE_C_FLAGS=-O0", "-DCMAKE_BUILD_TYPE=None"], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", build, "--target", "tscope", "tscoped"], check=True, stdout=subprocess.DEVNULL)
    return version, build


class Side:
    """The programs of one version, with a store and a server of their own."""

    def __init__(self, version, build, top):
        self.version, self.build, self.store = version, os.path.abspath(build), os.path.join(top, version, "store")
        os.makedirs(os.path.dirname(self.store))
        self.socket, self.log, self.server = os.path.join(top, version, "s"), os.path.join(top, version, "log"), None

    def start(self):
        with open(self.log, "wb") as log:
            self.server = subprocess.Popen([f"{self.build}/tscoped", "--store", self.store, "--socket", self.socket], stdout=log, stderr=log)
        for _ in range(600):
            if self.client("version", of=self).returncode == 0 and "tscoped" in self.client("version", of=self).stdout:
                return
            time.sleep(0.05)
        with open(self.log, encoding="utf-8") as log:
            sys.exit(f"tscoped {self.version} does not start: {log.read()}")

    def stop(self):
        self.server.send_signal(signal.SIGTERM)
        if self.server.wait(60):
            sys.exit(f"tscoped {self.version} ended with {self.server.returncode}")

    def client(self, *words, of=None, store=None):
        where = {"TSCOPE_SERVER": f"unix:{of.socket}"} if of else {"TSCOPE_STORE": store}
        environment = {"HOME": os.path.dirname(self.store), "PATH": "/usr/bin:/bin", "LC_ALL": "C", "LOGNAME": "ada", **where}
        return subprocess.run([f"{self.build}/tscope", *words], env=environment, cwd=os.path.dirname(self.store), text=True, errors="replace",
                              capture_output=True, timeout=120, stdin=subprocess.DEVNULL)


def get(link, token):
    """Status and body of an address, as a program asks for it."""
    try:
        with urllib.request.urlopen(urllib.request.Request(link, headers={"Authorization": f"Bearer {token}"}), timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


def ask_pages(client, server):
    """What tscope web shows of a server, as JSON: a status and a text for each page; None: this version has no such verb."""
    with subprocess.Popen([f"{client.build}/tscope", "web", "--port", "0"], env={**os.environ, "TSCOPE_SERVER": f"unix:{server.socket}"}, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as web:
        found = re.search(r"(http://\S+?)/\S*\?token=(\w+)", web.stderr.readline())
        if not found:
            return None
        told = []
        for page in PAGES:
            path, _, query = page.partition("?")
            told.append(get(f"{found.group(1)}{path}.json?{query}", found.group(2)))
        web.terminate()
    return told


def words_of(command, name):
    return [word.replace("RUNS", GOLDEN).replace("TRACES", TRACES).replace("NAME", name) for word in command.split()]


def ask_all(client, server, name):
    return [client.client(*words_of(command, name), of=server) for command in COMMANDS]


def judge(got, same, older):
    """What a command of two versions came to, beside the same client with a server of its own version; older says whether the client is of the release."""
    if got.returncode == same.returncode != 2:
        return f"{got.returncode}, as with one version"
    if older and NOT_YET.search(same.stderr) and got.stderr == same.stderr:
        return "it does not have this"
    return "refused: update" if got.returncode == 2 and UPDATE.search(got.stderr) else "BROKEN"


def main():
    ours, top = sys.argv[1], tempfile.mkdtemp(prefix="tscope-versions-")
    version, build = build_release(os.path.abspath(sys.argv[2]))
    old, new = Side(version, build, top), Side("this", ours, top)
    broken = 0

    def check(what, right, *more):
        nonlocal broken
        broken += not right
        print(f"{what:64} {'yes' if right else 'BROKEN'}", *() if right else more)

    told = set(re.findall(r"^  ([a-z][a-z-]+)(?:  |$)", new.client("help", store=top).stdout.split("Verbs")[1].split("Begin with")[0], re.M))
    untried = told - WITHOUT_A_SERVER - {"web", *(command.split()[0] for command in COMMANDS)}
    check("every verb is tried", told and not untried, *untried)
    for side in (old, new):
        side.start()
    same = {side: ask_all(side, side, "own") for side in (old, new)}
    for side in (old, new):
        check(f"{side.version} pushes to its own server", same[side][0].returncode == 0, same[side][0].stderr)
    mixed = {(a, b): ask_all(a, b, "mixed") for a, b in ((old, new), (new, old))}
    print(f"{'command':64} {version + ' asks this':24} this asks {version}")
    for i, command in enumerate(COMMANDS):
        told = [judge(mixed[a, b][i], same[a][i], a is old) for a, b in ((old, new), (new, old))]
        broken += told.count("BROKEN")
        print(f"{command:64} {told[0]:24} {told[1]}")
        for (a, b), answers in mixed.items():
            if judge(answers[i], same[a][i], a is old) == "BROKEN":
                print(f"  {a.version} asks {b.version}: exit {answers[i].returncode}, not {same[a][i].returncode}: {answers[i].stderr[:300]}")
    # A server of the release has no name for what it lacks: this tree says it.
    for command, name in (("log NAME --notes", "note-history"), ("plot loss base --json --cells 5", "chart-cells"), ("verify --new", "verify-new")):
        refused = mixed[new, old][COMMANDS.index(command)].stderr
        check(f"'{command}' names what {version} lacks", f"it lacks {name}; the server is tscoped {version}" in refused and "update the server" in refused, refused)
    shown = {(client, server): ask_pages(client, server) for client, server in ((new, new), (new, old), (old, new))}
    check("the release has no tscope web", shown[old, new] is None)
    for page, one, two in zip(PAGES, shown[new, new], shown[new, old]):
        check(f"tscope web of this tree shows {page} of {version}", one[0] == 200 and (two[0] == 200 or UPDATE.search(two[1])), one, two)
    exported = COMMANDS.index("export base --format csv")
    texts = {answers[exported].stdout for answers in [*same.values(), *mixed.values()]}
    check("an exported run has the same bytes", len(texts) == 1 and "" not in texts)
    listed = COMMANDS.index("list -c name,id,steps --csv")
    texts = {tuple(row for row in answers[listed].stdout.split() if "own" not in row and "mixed" not in row)
             for answers in [*same.values(), *mixed.values()]}
    check("runs have the same ids", len(texts) == 1, *texts if len(texts) > 1 else ())
    for side in (old, new):
        side.stop()
    names = {side: side.client("list", "--names", "-a", store=side.store).stdout for side in (old, new)}
    took = new.client("list", "--names", "-a", store=old.store)
    check(f"this tree opens the store of {version}", took.returncode == 0 and took.stdout == names[old] != "", took.stderr)
    check("  and finds it sound", new.client("verify", store=old.store).returncode == 0)
    took = old.client("list", "--names", "-a", store=new.store)
    check(f"{version} opens the store of this tree, or says what to do",
          (took.returncode == 0 and took.stdout == names[new]) or (took.returncode == 2 and bool(UPDATE.search(took.stderr) or "reads formats up to" in took.stderr)), took.stderr)
    shutil.rmtree(top)
    print(f"{broken} broken" if broken else "0 broken")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
