#!/usr/bin/env python3
"""Signs in to `tscope web --sign-in` beside a tscoped, with tokens of several roles: sign_in.py BUILD [NAME...].

What the example for nginx says is tried with the nginx that is installed, or with Debian's, unpacked into the build folder; where there is neither, that is skipped with a sentence."""
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mlflow_door import Client  # noqa: E402
from served import Store, Web, make_run, until  # noqa: E402

PAGES = ("/p/default/runs", "/p/default/runs.json", "/p/default/r/a", "/p/default/facts/a.json", "/projects", "/p/default/compare?run=a", "/live/p/default/runs", "/")


class Team:
    """A tscoped with two projects and tokens, and a tscope web to which its users sign in."""

    def __init__(self, build, work):
        self.store = Store(build, work)
        self.path = os.path.join(work, "s")
        self.server = "unix:" + self.path
        for name in ("a", "b"):
            make_run(os.path.join(work, "runs", name), len(name))
        words = [os.path.join(build, "tscoped"), "--socket", self.path, "--store", os.path.join(work, "served")]
        self.process = subprocess.Popen(words, env=self.store.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert until(60, lambda: os.path.exists(self.path))
        self.as_root("push", "--name", "a", "--branch", "main", "./runs/a")
        self.as_root("push", "--name", "b", "./runs/b")
        self.as_root("push", "-p", "secret", "--name", "z", "./runs/b")
        self.tokens = {name: self.token(name, role, project) for name, role, project in
                       (("ann", "push", "default"), ("bob", "read", "default"), ("eve", "read", "secret"), ("max", "maintain", "default"))}
        self.web = Web(self.store, "--sign-in", "--server", self.server)

    def end(self):
        self.web.end()
        self.process.terminate()
        self.process.wait(30)

    def as_root(self, *words, **options):
        return self.store.tscope(*words, env={"TSCOPE_SERVER": self.server}, **options)

    def token(self, name, role, project):
        made = self.as_root("token", "make", name, "--role", role, "--for", project, "--expires", "1d").stdout.decode()
        return re.search(r"tscope_[a-z2-7]{58}", made).group(0)

    def sign_in(self, name, to="/", token=None, **headers):
        body = urllib.parse.urlencode({"token": token or self.tokens[name], "to": to}).encode()
        return self.web.ask("/sign-in", "POST", token=False, body=body, Content_Type="application/x-www-form-urlencoded",
                            **{"Origin": "http://" + self.web.host, **headers})

    def session(self, name):
        """The header of a browser that has signed in."""
        status, headers, body = self.sign_in(name)
        assert status == 303, (status, body[-500:])
        return headers["set-cookie"].split(";")[0]

    def ask(self, path, cookie=None, method="GET", body=None, **headers):
        if cookie:
            headers["Cookie"] = cookie
        return self.web.ask(path, method, token=False, body=body, **headers)


def leads_to_the_form(team):
    """Who has not signed in reads nothing, is led to the form, and from there to what was asked for."""
    for path in PAGES:
        status, headers, _ = team.ask(path, Accept="text/html,*/*")
        assert status == 303 and headers["location"].startswith("/sign-in?to=" + urllib.parse.quote(path)), (path, status, headers)
        assert team.ask(path)[0] == 401
        if path != "/" and "compare" not in path:  # these lead to pages, whatever there is
            assert team.ask(path, Authorization="Bearer nothing", Accept="text/html")[0] in (400, 401, 403), path
    status, _, page = team.ask("/sign-in?to=/p/default/r/a")
    assert status == 200 and b'type="password"' in page and b'value="/p/default/r/a"' in page, page[-900:]
    status, headers, _ = team.sign_in("ann", "/p/default/runs?q=a")
    assert status == 303 and headers["location"] == "/p/default/runs?q=a", headers
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie and team.tokens["ann"] not in cookie and "Max-Age=43200" in cookie, cookie
    for evil in ("//evil.example", "/\\evil.example", "http://evil.example", "javascript:alert(1)", "/\nSet-Cookie: x=y", "/sign-out", ""):
        assert team.sign_in("ann", evil)[1]["location"] == "/", evil
    page = team.ask('/sign-in?to=/"><script>alert(1)</script>')[2]
    assert b"<script>alert" not in page


def refuses_wrong_tokens(team):
    """A token that the server does not know, none, and one of another page's form begin no session."""
    good = team.tokens["ann"]
    for token in (good[:-1] + ("a" if good[-1] != "a" else "b"), "x", "tscope_" + "a" * 58, "a" * 127, "a" * 5000, "\0", "<script>", " "):
        status, headers, body = team.sign_in("ann", token=token)
        assert status in (400, 403) and "set-cookie" not in headers and b'role="alert"' in body, (token, status, headers)
        assert b"<script>alert" not in body and token.encode() not in body or len(token) < 10
    for origin in ("http://evil.example", "null"):
        assert team.sign_in("ann", Origin=origin)[0] == 403
    assert team.sign_in("ann", Host="evil.example")[0] == 421
    for cookie in (f"tscope_{team.web.port}=" + "0" * 64, f"tscope_{team.web.port}=", f"tscope_{team.web.port}=" + good):
        assert team.ask("/p/default/runs", cookie)[0] == 401


def gives_what_the_token_may(team):
    """Pages and documents are those of tscope with the same token, for each role and project."""
    cookies = {name: team.session(name) for name in team.tokens}
    for name, token in team.tokens.items():
        env = {"TSCOPE_SERVER": team.server, "TSCOPE_TOKEN": token}
        for path, words in (("/p/default/runs.json", ["list"]), ("/p/secret/runs.json", ["list", "-p", "secret"]), ("/p/default/r/a.json", ["analyze", "a"]),
                            ("/p/secret/show/z.json", ["show", "-p", "secret", "z"]), ("/projects.json", ["projects"])):
            done = team.store.tscope(*words, "--json", env=env, check=False)
            for asked in (team.ask(path, cookies[name]), team.ask(path, Authorization="Bearer " + token)):
                status, _, body = asked
                assert (status == 200) == (done.returncode != 2), (name, path, status, done)
                if status == 200:
                    assert body == done.stdout, (name, path, body[:300], done.stdout[:300])
                else:
                    assert json.loads(body)["error"]["status"] == json.loads(done.stdout or b'{"error":{"status":"denied"}}')["error"]["status"], (name, path, body)
    assert b"token:ann" in team.ask("/p/default/runs", cookies["ann"])[2] and b"Sign out" in team.ask("/p/default/runs", cookies["ann"])[2]
    assert b'value="a"' in team.ask("/p/default/runs", cookies["bob"])[2] and team.ask("/p/default/r/a", cookies["eve"])[0] in (403, 404)


def tells_each_his_own(team):
    """A stream of events is for those who may read what it tells of."""
    streams = {}
    for name in ("bob", "eve"):
        stream = team.web.raw()
        stream.sendall(f"GET /live/p/default/runs HTTP/1.1\r\nHost: {team.web.host}\r\nCookie: {team.session(name)}\r\n\r\n".encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += stream.recv(4096)
        assert b" 200 " in head
        streams[name] = stream
    team.as_root("tag", "a", "seen" + str(time.monotonic_ns()))
    make_run(os.path.join(team.store.work, "more"), 8)
    team.as_root("push", "./more")
    assert b"data: changed" in team.web.told(streams["bob"], 60)
    assert team.web.told(streams["eve"], 3) == b""
    for stream in streams.values():
        stream.close()


def lets_the_server_decide(team):
    """Forms do what the token may: a reader gets the server's refusal, a pusher tags, and only a maintainer accepts and marks others' runs."""
    def send(name, path, fields):
        status, _, body = team.ask("/p/default/" + path, team.session(name), "POST", urllib.parse.urlencode(fields).encode(), Accept="text/html",
                                   Origin="http://" + team.web.host, Content_Type="application/x-www-form-urlencoded")
        return status, body

    for path, fields in (("tag/a", {"tag": "t1"}), ("note/a", {"key": "k", "value": "v"}), ("rm/a", {"sure": "1"})):
        status, body = send("bob", path, fields)
        assert status == 403 and b'role="alert"' in body and b"bob" in body, (path, status, body[-400:])
        assert send("eve", path, fields)[0] in (403, 404), path
    assert send("ann", "tag/a", {"tag": "t1"})[0] == 403, "tags are a maintainer's"
    assert send("max", "tag/a", {"tag": "t1"})[0] == 303 and b"t1" in team.as_root("tag").stdout
    assert send("ann", "note/a", {"key": "remark", "value": "x"})[0] == 303 and b"remark" in team.as_root("note", "a").stdout
    assert send("ann", "note/a", {"key": "accepted", "value": "x"})[0] == 403 and send("max", "note/a", {"key": "accepted", "value": "x"})[0] == 303
    assert send("ann", "rm/a", {"sure": "1"})[0] == 403, "the run is another's"
    assert send("max", "rm/b", {"sure": "1"})[0] == 303 and send("max", "restore/b", {})[0] == 303
    log = team.as_root("log", "tag:t1").stdout.decode()
    assert "token:max" in log, log


def signs_out(team):
    """After it the cookie opens nothing; a revoked token neither, from the next request on."""
    cookie = team.session("bob")
    assert team.ask("/p/default/runs", cookie)[0] == 200
    assert team.ask("/sign-out", cookie, "POST", b"", Origin="http://evil.example")[0] == 403
    assert team.ask("/sign-out", cookie)[0] == 303 and team.ask("/p/default/runs", cookie)[0] == 200, "a link signs nobody out"
    status, headers, _ = team.ask("/sign-out", cookie, "POST", b"", Origin="http://" + team.web.host)
    assert status == 303 and "Max-Age=0" in headers["set-cookie"], headers
    assert team.ask("/p/default/runs", cookie)[0] == 401
    tokens = [team.token(f"gone{i}", "read", "default") for i in range(2)]
    team.tokens["gone"] = tokens[0]
    cookie = team.session("gone")
    assert team.ask("/p/default/runs", cookie)[0] == 200
    team.as_root("token", "revoke", "gone0")
    assert until(60, lambda: team.ask("/p/default/runs", cookie)[0] == 403), team.ask("/p/default/runs", cookie)
    del team.tokens["gone"]


def takes_runs_of_mlflow(team):
    """MLflow's clients log under the token of their user: into the store with its rights alone, seen by nobody else, gone with the token."""
    spool = os.path.join(team.store.work, "spool")
    team.tokens["leaves"] = team.token("leaves", "push", "default")
    web = Web(team.store, "--sign-in", "--server", team.server, "--spool", spool)

    def client(name, **headers):
        return Client(web, Authorization="Bearer " + team.tokens.get(name, name), **headers)

    for who in ("", "tscope_" + "a" * 58, "Bearer", team.tokens["ann"][:-1]):
        assert client(who).error("experiments/search", {})[1] == "PERMISSION_DENIED", who
    assert Client(web).error("experiments/search", {}) == (401, "PERMISSION_DENIED")
    cookie = web.ask("/sign-in", "POST", token=False, body=urllib.parse.urlencode({"token": team.tokens["ann"], "to": "/"}).encode(),
                     Content_Type="application/x-www-form-urlencoded", Origin="http://" + web.host)[1]["set-cookie"].split(";")[0]
    assert Client(web, Cookie=cookie).error("experiments/search", {})[0] == 401, "a browser's session logs nothing"
    assert not os.path.exists(spool) or not os.listdir(spool), "who is not known leaves nothing"
    ann, leaves = client("ann"), client("leaves")
    run = ann.run("trained")
    ann.call("runs/log-batch", {"run_id": run, "metrics": [{"key": "loss", "value": 1 / (n + 1), "timestamp": n, "step": n} for n in range(5)],
                                "params": [{"key": "lr", "value": "0.1"}]})
    ann.call("runs/update", {"run_id": run, "status": "FINISHED", "end_time": 1700000001000})

    def row(name):
        rows = json.loads(team.as_root("list", "--json", "--columns", "name,steps,who").stdout)["rows"]
        return next((row["values"] for row in rows if row["name"] == "default/" + name), {})

    assert until(60, lambda: row("Default/trained").get("steps") == 5), row("Default/trained")
    assert row("Default/trained")["who"] == "token:ann", row("Default/trained")
    for other in (leaves, client("bob"), client("eve"), client("max")):  # what others logged is not there, for reading and writing
        assert other.error("runs/get", run_id=run) == (404, "RESOURCE_DOES_NOT_EXIST")
        assert other.error("runs/log-metric", {"run_id": run, "key": "loss", "value": 0, "timestamp": 1, "step": 9})[0] == 404
        assert other.error("runs/delete", {"run_id": run})[0] == 404
    for reader in ("bob", "eve"):  # the server says so before anything is trained
        assert client(reader).error("runs/create", {"experiment_id": "0", "run_name": "not-mine", "start_time": 1})[1] in ("PERMISSION_DENIED", "RESOURCE_DOES_NOT_EXIST")
    assert not row("Default/not-mine")
    status, headers, _ = web.ask("/mlflow/" + run, token=False, Cookie=cookie)
    assert status == 303 and headers["location"] == "/p/default/r/Default/trained", headers
    gone = leaves.run("goes")
    team.as_root("token", "revoke", "leaves")
    assert until(60, lambda: leaves.ask("runs/get", run_id=gone)[0] == 401), "a token that was revoked still reads"
    folders = [os.path.join(spool, name) for name in os.listdir(spool)]
    assert all(os.stat(folder).st_mode & 0o77 == 0 for folder in (spool, *folders)) and not any(token in str(folders) for token in team.tokens.values())
    ann.call("runs/log-metric", {"run_id": run, "key": "loss", "value": 7, "timestamp": 9, "step": 9})  # resumed
    assert web.end() == 0
    web = Web(team.store, "--sign-in", "--server", team.server, "--spool", spool)
    again = Client(web, Authorization="Bearer " + team.tokens["ann"])
    assert again.history(run, "loss")[-1] == (9, 7.0)
    assert until(60, lambda: row("Default/trained").get("steps") == 6), row("Default/trained")
    assert web.end() == 0
    assert b"--spool" in team.ask("/api/2.0/mlflow/experiments/search", method="POST", body=b"{}", Authorization="Bearer " + team.tokens["ann"])[2]


def needs_a_server(team):
    """Without a server, or with one over plain TCP, nobody signs in; the program's own rights are never lent."""
    for words, said in (([], "--sign-in is for a server"), (["--server", "127.0.0.1:9"], "plain TCP")):
        done = team.store.tscope("web", "--sign-in", *words, check=False)
        assert done.returncode == 2 and said in done.stderr.decode(), done
    status, body = team.web.ask("/api/2.0/mlflow/experiments/search", "POST", token=False, body=b"{}")[::2]
    assert status in (401, 404) and json.loads(body)["error_code"], (status, body)
    web = Web(team.store, "--sign-in", "--server", team.server, env={"TSCOPE_TOKEN": team.tokens["max"]})
    assert web.ask("/p/default/runs", token=False)[0] == 401
    assert web.end() == 0


def nginx_of(build):
    """nginx as it is installed, else that of Debian's archive, unpacked once into the build folder; None where neither is."""
    installed = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
    folder = os.path.join(build, "nginx")
    unpacked = os.path.join(folder, "usr", "sbin", "nginx")
    if not installed and not os.path.exists(unpacked) and shutil.which("apt-get") and shutil.which("dpkg"):
        os.makedirs(folder, exist_ok=True)
        try:
            subprocess.run(["apt-get", "download", "nginx"], cwd=folder, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)
            for package in os.listdir(folder):
                if package.endswith(".deb"):
                    subprocess.run(["dpkg", "-x", package, "."], cwd=folder, capture_output=True, timeout=120)
        except subprocess.TimeoutExpired:
            pass
    runs = next((path for path in (installed, unpacked) if path and os.path.exists(path)), None)
    return runs if runs and subprocess.run([runs, "-v"], capture_output=True).returncode == 0 else None


def works_behind_nginx(team):
    """The example of deploy/, with TLS: a session is Secure, and pages, streams and writes pass."""
    nginx = nginx_of(team.store.build)
    if not nginx:
        print("  skipped: nginx is not installed, and apt-get cannot get it here, so that deploy/nginx.conf is not tried", flush=True)
        return
    work = os.path.join(team.store.work, "nginx")
    os.makedirs(work)
    web = Web(team.store, "--sign-in", "--server", team.server, "--host", "runs.example.com", "--spool", os.path.join(team.store.work, "spool-behind"))
    key, cert = os.path.join(work, "key.pem"), os.path.join(work, "cert.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "1", "-subj", "/CN=runs.example.com"],
                   check=True, capture_output=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with open("deploy/nginx.conf") as example:
        text = example.read()
    for old, new in (("listen 443 ssl http2", f"listen 127.0.0.1:{port} ssl"), ("listen [::]:443 ssl;", ""), ("127.0.0.1:8765", web.host),
                     ("/etc/ssl/runs.example.com.pem", cert), ("/etc/ssl/private/runs.example.com.key", key)):
        assert old in text, old
        text = text.replace(old, new)
    conf = os.path.join(work, "nginx.conf")
    with open(conf, "w") as out:
        out.write(f"daemon off;\n{'user root;' if os.geteuid() == 0 else ''}\npid {work}/pid;\nerror_log {work}/error.log;\nevents {{}}\nhttp {{\naccess_log off;\n" + "".join(
            f"{kind}_temp_path {work}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) + text + "}\n")
    process = subprocess.Popen([nginx, "-p", work, "-c", conf], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        trust = ssl.create_default_context(cafile=cert)
        trust.check_hostname = False

        def ask(method, path, body=b"", **headers):
            with trust.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=60), server_hostname="runs.example.com") as client:
                given = {"Host": "runs.example.com", "Connection": "close", "Content-Length": len(body), **{k.replace("_", "-"): v for k, v in headers.items()}}
                client.sendall((f"{method} {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in given.items()) + "\r\n").encode() + body)
                answer = b""
                while piece := client.recv(65536):
                    answer += piece
                    if b"text/event-stream" in answer and b"\r\n\r\n" in answer:
                        break
            return answer

        def listens():
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return True
            except OSError:
                return False

        assert until(60, listens), open(os.path.join(work, "error.log")).read()
        answer = ask("POST", "/sign-in", urllib.parse.urlencode({"token": team.tokens["bob"], "to": "/p/default/runs"}).encode(),
                     Origin="https://runs.example.com", Content_Type="application/x-www-form-urlencoded")
        assert b" 303 " in answer and b"; Secure" in answer and b"Location: /p/default/runs" in answer, answer
        cookie = re.search(rb"Set-Cookie: ([^;]*)", answer).group(1).decode()
        answer = ask("GET", "/p/default/runs", Cookie=cookie)
        assert b" 200 " in answer and b"Strict-Transport-Security" in answer and b'value="a"' in answer, answer[:600]
        assert b" 200 " in ask("GET", "/live/p/default/runs", Cookie=cookie)
        assert b" 403 " in ask("POST", "/sign-out", Cookie=cookie, Origin="https://evil.example")
        answer = ask("POST", "/api/2.0/mlflow/runs/create", json.dumps({"experiment_id": "0", "run_name": "proxied"}).encode(), Authorization="Bearer " + team.tokens["ann"])
        run = json.loads(answer.partition(b"\r\n\r\n")[2])["run"]["info"]["run_id"]
        at = f"/api/2.0/mlflow-artifacts/artifacts/0/{run}/artifacts/"
        for size, status in ((10 << 20, b" 200 "), ((16 << 20) + 1, b" 413 ")):
            answer = ask("PUT", at + "file", b"x" * size, Authorization="Bearer " + team.tokens["ann"])
            assert status in answer.partition(b"\r\n")[0] and (status == b" 200 " or b"INVALID_PARAMETER_VALUE" in answer), answer[:400]
        model = ask("POST", "/api/2.0/mlflow/logged-models", json.dumps({"experiment_id": "0", "name": "m", "source_run_id": run}).encode(), Authorization="Bearer " + team.tokens["ann"])
        model = json.loads(model.partition(b"\r\n\r\n")[2])["model"]["info"]["model_id"]
        assert b"LOGGED_MODEL_READY" in ask("PATCH", "/api/2.0/mlflow/logged-models/" + model, b'{"status": "LOGGED_MODEL_READY"}', Authorization="Bearer " + team.tokens["ann"])
    finally:
        process.terminate()
        process.wait(20)
        web.end()


CHECKS = (leads_to_the_form, refuses_wrong_tokens, gives_what_the_token_may, tells_each_his_own, lets_the_server_decide, signs_out, takes_runs_of_mlflow, needs_a_server, works_behind_nginx)


def main():
    build, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    with tempfile.TemporaryDirectory(prefix="tscope-team-") as work:
        team = Team(build, work)
        try:
            for check in CHECKS:
                if not wanted or check.__name__ in wanted:
                    check(team)
                    print("ok " + check.__name__, flush=True)
            assert team.web.end() == 0
        finally:
            team.end()


if __name__ == "__main__":
    main()
