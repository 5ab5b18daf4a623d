#!/usr/bin/env python3
"""tscope serve answers programs: serve.py [BUILD].

It is asked as a program asks it, over pipes: the documents are the bytes of --json and hold to docs/schemas, briefs keep to their bound,
every tool has the options that its schema names and no other, hostile lines get errors of JSON-RPC and never end it, what is cancelled gets
no answer, and its memory stays bounded. Nothing on disk is changed by any call.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

import jsonschema

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("TS_BUILD", "build/dev"))
TSCOPE = os.path.join(BUILD, "tscope")
BRIEF_BYTES = 4500  # 1,500 tokens of three bytes
failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)
        print(f"FAILED {what}")


class Serve:
    """A child that answers, and the lines that go to and fro."""

    def __init__(self, place):
        self.place, self.n = place, 0
        self.child = subprocess.Popen([TSCOPE, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=place.env, cwd=place.folder)

    def line(self, data):
        self.child.stdin.write(data + b"\n")
        self.child.stdin.flush()

    def read(self):
        return json.loads(self.child.stdout.readline())

    def ask(self, method, /, **params):
        self.n += 1
        self.line(json.dumps({"jsonrpc": "2.0", "id": self.n, "method": method, "params": params}).encode())
        answer = self.read()
        expect(answer.get("id") == self.n, f"{method} is answered by its id: {str(answer)[:200]}")
        return answer

    def call(self, tool, /, **arguments):
        return self.ask("tools/call", name=tool, arguments=arguments)

    def text(self, tool, /, **arguments):
        return self.call(tool, **arguments)["result"]["content"][0]["text"]

    def memory(self):
        with open(f"/proc/{self.child.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))

    def end(self):
        self.child.stdin.close()
        rc = self.child.wait(timeout=120)
        said = self.child.stderr.read().decode()
        self.child.stdout.close()
        self.child.stderr.close()
        return rc, said


class Place:
    """A folder with a store of the golden runs."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="tscope-serve-")
        shutil.copytree(os.path.join(ROOT, "tests/golden/demo/runs"), os.path.join(self.folder, "demo"))
        keep = {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
        self.env = dict(keep, PATH="/usr/bin:/bin", HOME=self.folder, LC_ALL="C", TSCOPE_STORE=os.path.join(self.folder, "store"))
        self.run("push", "-q", "-b", "main", *(os.path.join("demo", name) for name in ("base", "rerun", "order", "lr", "slow")))

    def run(self, *words):
        return subprocess.run([TSCOPE, *words], capture_output=True, env=self.env, cwd=self.folder)

    def files(self):
        """Returns the names below the folder, beside those of the store, whose database readers register in."""
        return sorted(os.path.join(at, name) for at, _, names in os.walk(self.folder) for name in names if "/store" not in at)


def handshake(serve):
    for wanted, got in (("2025-11-25",) * 2, ("2025-06-18",) * 2, ("2024-11-05",) * 2, ("2025-03-26", "2025-11-25"), ("1999-01-01", "2025-11-25")):
        result = serve.ask("initialize", protocolVersion=wanted, capabilities={}, clientInfo={"name": "t", "version": "1"})["result"]
        expect(result["protocolVersion"] == got, f"{wanted} is answered by {got}")
        expect(result["serverInfo"]["name"] == "tscope" and result["serverInfo"]["version"], "the server says its name and version")
    serve.line(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')  # no answer
    expect(serve.ask("ping")["result"] == {}, "ping is answered")


def revisions(serve):
    """A request that names its revision gets what that asks for, without a handshake; one that is not known is refused with those that are."""
    def meta(version):
        return {"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": {}}

    found = serve.ask("server/discover", _meta=meta("2026-07-28"))["result"]
    expect(found["supportedVersions"] == ["2026-07-28"] and set(found["capabilities"]) == {"tools", "resources"}, f"it says what it knows: {found}")
    expect(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "tscope", "it says its name")
    for method, params in (("server/discover", {}), ("tools/list", {}), ("resources/list", {}), ("resources/templates/list", {}), ("resources/read", {"uri": "tscope:schemas/diff"})):
        result = serve.ask(method, _meta=meta("2026-07-28"), **params)["result"]
        expect((result["resultType"], result["cacheScope"]) == ("complete", "private") and result["ttlMs"] >= 0, f"{method} says how long it may be kept")
        if method != "server/discover":
            plain = serve.ask(method, **params)["result"]
            expect(plain == {k: v for k, v in result.items() if k not in ("resultType", "ttlMs", "cacheScope")}, f"{method} of a session is the same without that")
    called = serve.ask("tools/call", name="version", arguments={}, _meta=meta("2026-07-28"))["result"]
    expect(called["resultType"] == "complete" and "ttlMs" not in called and not called["isError"], f"a tool is called: {called}")
    for version in ("2025-11-25", "2099-01-01", 7):
        error = serve.ask("tools/list", _meta=meta(version))["error"]
        expect((error["code"], error["data"]["supported"]) == (-32022, ["2026-07-28"]), f"{version} is refused: {error}")


def tools(serve, place):
    listed = serve.ask("tools/list")["result"]["tools"]
    names = {tool["name"] for tool in listed}
    expect(names >= {"list", "show", "facts", "analyze", "plot", "diff", "check-resume", "gate", "trend"}, "the reading verbs are tools")
    expect(not names & {"push", "rm", "tag", "note", "name", "gc", "run", "why", "bisect", "reproduce", "export", "restore", "token", "login", "web", "serve"},
           "no verb that writes or executes is a tool")
    for tool in listed:
        jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
        writes = {"html", "force", "junit", "markdown", "verdict", "request", "github", "gitlab", "init", "overlay", "output", "reason", "exec"}
        found = writes & {name for name, has in tool["inputSchema"]["properties"].items() if has.get("type") != "boolean"}
        expect(not found, f"{tool['name']} has no option that writes: {found}")
        expect(tool["annotations"]["readOnlyHint"] is True, f"{tool['name']} says that it reads alone")
    for tool, option in (("gate", "junit"), ("gate", "init"), ("baseline", "bundle"), ("analyze", "html"), ("analyze", "overlay"), ("diff", "html"),
                         ("facts", "output"), ("baseline", "reason"), ("analyze", "store"), ("list", "server")):
        text = serve.text(tool, **{option: "x"})
        expect("has no argument" in text, f"{tool} refuses {option}: {text}")
    expect("baseline accept" in serve.text("baseline", run="accept"), "baseline accepts nothing")
    expect(b"accepted" not in place.run("show", "base").stdout, "no note was written")


def documents(serve, place):
    cases = ((("list",), {}), (("show", "base"), {"run": "base"}), (("facts", "base"), {"run": "base"}), (("analyze", "slow"), {"run": "slow"}),
             (("diff", "base", "lr"), {"runs": ["base", "lr"]}), (("diff", "base", "lr", "slow"), {"runs": ["base", "lr", "slow"]}),
             (("check-resume", "base", "lr"), {"parent": "base", "run": "lr"}), (("gate", "slow", "--baseline", "base"), {"candidates": ["slow"], "baseline": ["base"]}),
             (("baseline", "--baseline", "main"), {"baseline": "main"}), (("trend", "main"), {"branch": "main"}), (("plot", "loss", "base", "lr"), {"column": "loss", "runs": ["base", "lr"]}),
             (("log", "base"), {"name": "base"}), (("projects",), {}), (("explain",), {}), (("version",), {}), (("show", "./demo/base"), {"run": "./demo/base"}),
             (("show", "nothing"), {"run": "nothing"}), (("analyze", "./nowhere"), {"run": "./nowhere"}))
    for words, arguments in cases:
        printed = place.run(*words, "--json")
        answer = serve.call(words[0], **arguments)["result"]
        expect(answer["content"][0]["text"].encode() == printed.stdout, f"{words} answers the bytes of --json")
        expect(answer["_meta"]["tscope/exit_code"] == printed.returncode, f"{words} has the exit code {printed.returncode}")
        expect(answer["isError"] == (printed.returncode == 2), f"{words} says whether it failed")
        with open(os.path.join(ROOT, f"docs/schemas/{words[0]}.schema.json"), encoding="utf-8") as file:
            schema = file.read()
        got = serve.ask("resources/read", uri=f"tscope:schemas/{words[0]}")["result"]["contents"][0]["text"]
        expect(got == schema, f"the schema of {words[0]} is that of docs/schemas")
        jsonschema.validate(json.loads(answer["content"][0]["text"]), json.loads(schema))
        short = serve.call(words[0], answer="brief", **arguments)["result"]["content"][0]["text"]
        expect(0 < len(short.encode()) <= BRIEF_BYTES, f"the brief of {words} has {len(short.encode())} bytes")
        expect(answer["isError"] or "\nall of it: tscope " in short, f"the brief of {words} says what gives all of it")
    for words in (("diff", "base", "lr"), ("gate", "slow", "--baseline", "base"), ("check-resume", "base", "lr"), ("analyze", "slow")):
        document = json.loads(place.run(*words, "--json").stdout)
        holder = document.get("diagnosis") or document.get("bound") or document
        if words[0] == "check-resume":
            holder = document["diagnosis"]
        arguments = next(a for w, a in cases if w == words)
        expect(f"sentence: {holder['sentence']}" in serve.text(words[0], answer="brief", **arguments), f"the brief of {words} keeps the sentence")
    expect(serve.text("diff", runs=["base", "lr"], answer="text") == place.run("diff", "base", "lr").stdout.decode(), "text is what the command prints")
    page = serve.text("diff", runs=["base", "lr"], answer="page")
    made = serve.text("check-resume", parent="base", run="lr", answer="page")
    expect(made.startswith("<!DOCTYPE html>") and "</html>" in made and "<script" not in made, "a verb that draws no page has one")
    expect(page.startswith("<!DOCTYPE html>") and page == place.run("diff", "base", "lr", "--html", "-").stdout.decode(), "a page is what --html - prints")


def hostile(serve):
    deep = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + b"[" * 100000 + b"]" * 100000 + b"}}"
    cases = ((b"", None, None), (b"   ", None, None), (b"{", -32700, None), (b"\xff\xfe", -32700, None), (b"[]", -32600, None), (b"7", -32600, None),
             (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600, None), (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
             (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None), (b'{"jsonrpc":"2.0","id":"a","method":"nope"}', -32601, "a"),
             (b'{"jsonrpc":"2.0","id":9007199254740993,"method":"nope"}', -32601, 9007199254740993), (b'{"id":3,"method":"ping"}', -32600, 3),
             (b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"push"}}', -32602, 4), (b'{"jsonrpc":"2.0","id":5,"method":"tools/call"}', -32602, 5),
             (b'{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":["diff"]}}', -32602, 6), (b'{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}', -32602, 7),
             (b'{"jsonrpc":"2.0","id":8,"method":"ping","params":[1]}', -32600, 8), (deep, -32700, 1), (b"x" * (3 << 20), -32600, None),
             (b'{"jsonrpc":"2.0","id":"' + b"a" * 5000 + b'","method":"ping"}', -32600, None), (b'{"jsonrpc":"2.0","id":1,"method":"ping"}' * 2, -32600, 1))
    for line, code, number in cases:
        serve.line(line)
        if code is None:
            continue
        answer = serve.read()
        expect(answer.get("error", {}).get("code") == code and answer.get("id") == number, f"{line[:60]} is answered by {code}: {str(answer)[:200]}")
    for arguments in ({"runs": "base"}, {"runs": []}, {"runs": [1, {}]}, {"runs": ["a\0b", "c"]}, {"runs": ["base"] * 1000}, {"answer": "xml", "runs": ["a", "b"]},
                      {"runs": ["--store=/tmp/x", "base"]}, {"runs": ["base", "lr"], "project": "../x"}, {"runs": ["base", "lr"], "policy": "/etc/shadow-"}):
        answer = serve.call("diff", **arguments)
        expect(answer["result"]["isError"] is True, f"diff of {str(arguments)[:80]} is refused: {str(answer)[:200]}")
    expect(serve.ask("ping")["result"] == {}, "it goes on after all of that")


def cancelled(serve):
    """Many questions at once, of which all but a few are cancelled: those are not answered, and the others are. It stands still until all of them
    are written, so that it reads them at once, however busy the machine is."""
    os.kill(serve.child.pid, signal.SIGSTOP)
    for i in range(200):
        serve.line(json.dumps({"jsonrpc": "2.0", "id": f"c{i}", "method": "tools/call", "params": {"name": "analyze", "arguments": {"run": "slow", "fresh": True}}}).encode())
    for i in range(10, 200):
        serve.line(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": f"c{i}"}}).encode())
    serve.line(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":1}}}')
    os.kill(serve.child.pid, signal.SIGCONT)
    serve.line(json.dumps({"jsonrpc": "2.0", "id": "last", "method": "tools/call", "params": {"name": "version", "arguments": {}}}).encode())
    got = []
    while len(set(got) & {f"c{i}" for i in range(10)}) < 10 or "last" not in got:  # what is asked last is begun last
        got.append(serve.read()["id"])
    serve.line(b'{"jsonrpc":"2.0","id":"end","method":"ping"}')
    while (answered := serve.read()["id"]) != "end":
        got.append(answered)
    expect(len(got) == len(set(got)) and len(got) < 100, f"what is cancelled is not answered: {len(got)} answers")


def projects(place):
    """The project of the command holds for calls that name none."""
    place.run("push", "-q", "-p", "other", "-n", "alone", "demo/base")
    ask = [json.dumps({"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": {"name": "show", "arguments": a}}) for i, a in
           enumerate(({"run": "alone"}, {"run": "alone", "project": "default"}, {"run": "base", "project": "default"}))]
    done = subprocess.run([TSCOPE, "serve", "-p", "other"], input="\n".join(ask).encode(), capture_output=True, env=place.env)
    failed = {a["id"]: a["result"]["isError"] for a in map(json.loads, done.stdout.splitlines())}
    expect(failed == {0: False, 1: True, 2: False}, f"projects hold: {failed}")


def ends(place):
    """Too many questions are refused; the end of stdin ends it after what was asked; a broken pipe ends it, too."""
    serve = Serve(place)
    n = 400
    for i in range(n):
        serve.line(json.dumps({"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": {"name": "analyze", "arguments": {"run": "slow", "fresh": True}}}).encode())
    serve.child.stdin.close()
    answers = [json.loads(line) for line in serve.child.stdout]
    expect(sorted(a["id"] for a in answers) == list(range(n)), "each question has an answer")
    busy = [a for a in answers if a.get("error", {}).get("code") == -32000]
    expect(all("result" in a or a in busy for a in answers), "an answer, or that too many wait")
    expect(serve.child.wait(timeout=60) == 0, "it ends with its input")
    serve.child.stdout.close()
    serve.child.stderr.close()
    serve = Serve(place)
    serve.child.stdout.close()
    serve.line(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    expect(serve.child.wait(timeout=60) != 0, "nobody reads, and it ends")
    serve.child.stdin.close()
    serve.child.stderr.close()
    done = subprocess.run([TSCOPE, "serve"], input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}', capture_output=True, env=place.env)
    expect(done.stdout == b'{"jsonrpc":"2.0","id":1,"result":{}}\n', "a last line without its end is read")


def grows(serve):
    """The hundredth of the same questions takes no more memory than the tenth, and a huge line is not kept."""
    for i in range(100):
        serve.text("show", run="./demo/base")
        serve.line(b"y" * (1 << 21))
        serve.read()
        if i == 10:
            before = serve.memory()
    after = serve.memory()
    sanitized = any(k.endswith("SAN_OPTIONS") for k in os.environ)
    expect(after < before * 1.3 or sanitized, f"memory stays: {before} kB, then {after} kB")


def main():
    place = Place()
    try:
        before = place.files()
        serve = Serve(place)
        for part in (handshake, revisions, hostile, cancelled, grows):
            part(serve)
        tools(serve, place)
        documents(serve, place)
        rc, said = serve.end()
        expect(rc == 0 and not said, f"it ends well and says nothing: {rc} {said}")
        ends(place)
        projects(place)
        expect(place.files() == before, "no file was written")
    finally:
        shutil.rmtree(place.folder, ignore_errors=True)
    print(f"serve: {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
