#!/usr/bin/env python3
"""Asks `tscope web` as browsers, programs and attackers do: run.py BUILD [NAME...]."""
import gzip
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from served import Store, Web, make_run, until  # noqa: E402

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden")
HOSTILE = "<script>alert(1)</script>&\"'`"
READ = [("runs", ["list"]), ("tags", ["list", "--tags"]), ("branches", ["list", "--branches"]), ("r/a", ["analyze", "a"]), ("show/a", ["show", "a"]),
        ("facts/a", ["facts", "a"]), ("log/a", ["log", "a"]), ("diff/a..b", ["diff", "a", "b"]), ("b/main", ["trend", "main"]), ("gate/b?baseline=main", ["gate", "b", "--baseline", "main"]),
        ("plot/loss?run=a&run=b", ["plot", "loss", "a", "b"]), ("timeline/traced?rank=0&from=1000&cells=7", ["timeline", "traced", "--rank", "0", "--from", "1000", "--cells", "7"]), ("groups?by=config.lr", ["list", "--by", "config.lr"]),
        ("matrix?run=a&run=b&run=s%2Fc", ["diff", "a", "b", "s/c"]), ("runs?q=loss.last%3C9&sort=-loss.last", ["list", "loss.last<9", "--sort", "-loss.last"])]


def twin(path):
    """The address of a page's document."""
    at, mark, query = path.partition("?")
    return "/p/default/" + at + ".json" + mark + query


def answers_as_the_command_does(store, web):
    """The JSON at an address is what the command prints, byte for byte, however it is asked for."""
    for path, words in READ:
        printed = store.tscope(*words, "--json").stdout
        for status, headers, body in (web.ask(twin(path)), web.ask("/p/default/" + path, Accept="application/json")):
            assert status == 200 and headers["content-type"] == "application/json", (path, status, headers)
            if words[0] != "list" or b'"next"' not in printed:
                assert body == printed, (path, body[:400], printed[:400])
    status, _, body = web.ask("/p/default/r/nothing.json")
    assert status == 404 and json.loads(body)["error"]["status"] == "not_found", (status, body)


def draws_pages(store, web):
    """Every page is well-formed, has a policy that allows no script but ours, and links that lead to pages."""
    seen = set()
    for path in ["/p/default/" + path for path, _ in READ] + ["/projects"]:
        status, headers, body = web.ask(path)
        assert status == 200 and headers["content-type"].startswith("text/html"), (path, status)
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "script-src 'self'" in policy and "frame-ancestors 'none'" in policy, policy
        assert "unsafe" not in policy and b" style=" not in body, policy
        assert headers["x-content-type-options"] == "nosniff" and headers["cache-control"] == "no-store", headers
        root = xml.fromstring(body.decode().replace("<!DOCTYPE html>", ""))
        assert root.find(".//meta[@http-equiv]") is None, path
        for a in root.iter("a"):
            seen.add(urllib.parse.urljoin(path, a.get("href")))
    assert "/p/other/runs" in seen, "the page of projects leads to each of them"
    for path in sorted(p for p in seen if p.startswith("/")):
        status, _, body = web.ask(path)
        assert status == 200, (path, status, body[-200:])
    assert len(seen) > 40, seen


def leads_on_from_a_branch(store, web):
    """The page of a branch leads to the run of every dot and row, and to the diff of the two runs beside a change; a page that stands
    alone leads nowhere."""
    for i in range(14):
        make_run(os.path.join(store.work, "runs", f"t{i}"), 20 + i, step_time=0.12 if i >= 9 else 0.1)
        store.tscope("push", "--name", f"t{i}", "--branch", "steps", f"./runs/t{i}")
    page = web.page("/p/default/b/steps")
    rows = json.loads(store.tscope("log", "branch:steps", "--json").stdout)["entries"]
    assert len(rows) == 14
    for row in rows:
        assert page.count(f'<a href="/p/default/r/{row["id"]}"') >= 3, (row, "its dot, its row of the gate and its row of the log")
    assert f'<a href="/p/default/diff/{rows[5]["id"]}..{rows[4]["id"]}">' in page, "a change leads to the diff of the runs beside it"
    assert "THE GATE OF ITS NEWEST RUN" in page and "step time of default/t13 shows no regression" in page, page
    store.tscope("push", "--name", "resumed", "--fact", "lineage.parent=t0", "./runs/t1")
    child = json.loads(store.tscope("log", "resumed", "--json").stdout)["entries"][0]["id"]
    for path, links in (("r/resumed", ["r/" + rows[13]["id"], f'check-resume/{child}..{rows[13]["id"]}']),
                        ("diff/t0..t1", ["r/" + row["id"] for row in rows[12:]]), ("matrix?run=t0&run=t1", ["r/" + row["id"] for row in rows[12:]])):
        page = web.page("/p/default/" + path)
        for link in links:
            assert f'<a href="/p/default/{link}">' in page, (path, link)
            web.page("/p/default/" + link)
    page = web.page("/p/default/b/steps?metric=lr&better=higher&limit=13&across=hardware&exclude=phase:x%22y&like=")
    form = re.search(r'<form class="filter" method="get">.*?</form>', page, re.S).group()
    sent = re.findall(r'<input [^>]*?name="([^"]*)"[^>]*? value="([^"]*)"', form)
    assert sorted(sent) == [("across", "hardware"), ("better", "higher"), ("exclude", "phase:x&quot;y"), ("like", ""), ("limit", "13"), ("metric", "lr")], form
    alone = os.path.join(store.work, "alone.html")
    store.tscope("trend", "steps", "--html", alone)
    with open(alone) as text:
        assert "<a " not in text.read()


def leads_to_where_a_rank_was_late(store, web):
    """The page of a job links each of its latest arrivals to the timeline of the rank that came last, at the begin of a collective by that rank's own clock."""
    begins = []
    for name in ("a_33.2.pt.trace.json", "b_70.1.pt.trace.json.gz", "b_71.1.pt.trace.json", "c/profiler_trace.json"):
        path = os.path.join(GOLDEN, "trace", "job", name)
        with (gzip.open if name.endswith(".gz") else open)(path, "rt") as text:
            trace = json.load(text)
        rank = trace["distributedInfo"]["rank"]
        place = os.path.join(store.work, "job", f"rank{rank}")
        os.makedirs(place)
        shutil.copy(path, os.path.join(place, "trace.json" + (".gz" if name.endswith(".gz") else "")))
        if rank == 2:
            begins = [round(e["ts"] * 1000) for e in trace["traceEvents"] if e.get("cat") == "kernel" and "nccl" in e["name"]]
    store.tscope("push", "--name", "job", "./job")
    links = re.findall(r'<a href="/p/default/timeline/job\?trace=trace.json&amp;rank=2&amp;at=(\d+)">Timeline of rank 2, which came [0-9.]+ ms late', web.page("/p/default/r/job"))
    assert len(links) == 5 and all(min(abs(int(at) - begin) for begin in begins) < 1000 for at in links), (links, begins)
    answer = json.loads(web.ask("/p/default/timeline/job.json?trace=trace.json&rank=2&at=" + links[0])[2])
    assert answer["from_ns"] < answer["mark_ns"] < answer["from_ns"] + answer["cell_count"] * answer["cell_ns"], answer


def leads_to_what_differs(store, web):
    """The page of a diff links to the longest product of matrices on each side: one of the longest kernels of its file, but for the first step's."""
    begins = {}
    for side, name in (("before", "demo.json.gz"), ("after", "slower.json")):
        os.makedirs(os.path.join(store.work, side))
        path = os.path.join(GOLDEN, "trace", name)
        with (gzip.open if name.endswith(".gz") else open)(path, "rt") as text:
            trace = json.load(text)
        with open(os.path.join(store.work, side, "trace.json"), "w") as out:
            json.dump(trace, out)
        store.tscope("push", "--name", side, "./" + side)
        kernels = [e for e in trace["traceEvents"] if e.get("cat") == "kernel" and "gemm" in e["name"]]
        longest = max(float(e["dur"]) for e in kernels)
        begins[side] = {round(float(e["ts"]) * 1000) for e in kernels if float(e["dur"]) == longest}
    page = web.page("/p/default/diff?a=before&b=after")
    for side, letter in (("before", "A"), ("after", "B")):
        links = re.findall(rf'<a href="/p/default/timeline/{side}\?trace=trace.json&amp;rank=1&amp;at=(\d+)">The longest gemm of {letter}: [0-9.]+ ms', page)
        assert len(links) == 1 and int(links[0]) in begins[side], (links, begins)
        answer = json.loads(web.ask(f"/p/default/timeline/{side}.json?trace=trace.json&rank=1&at=" + links[0])[2])
        assert answer["from_ns"] < answer["mark_ns"] < answer["from_ns"] + answer["cell_count"] * answer["cell_ns"], answer


def has_all_of_a_run(store, web):
    """The page of a run has what show, facts, log and diff --reproduce say of it; that of a branch has its runs."""
    page = web.page("/p/default/r/a")
    for said in ("WHAT IT HOLDS", "TO RUN IT AGAIN", "there is no fact code.commit", "FACTS", "config.lr", "WHAT THE NAME POINTED AT"):
        assert said in page, said
    assert "WHAT IT PRINTED LAST" not in page, "the run was not started by tscope run"
    assert page.index("VERDICT") < page.index("FINDINGS") < page.index("WHAT IT HOLDS")
    facts = os.path.join(store.work, "told", "facts.json")
    make_run(os.path.dirname(facts))
    with open(facts, "w") as out:
        json.dump({"session": {"command": "python train.py --lr 1e-3 <b>"}, "code": {"commit": "0123abcd"}}, out)
    store.tscope("push", "./told")
    page = web.page("/p/default/r/told")
    assert "python train.py --lr 1e-3 &lt;b&gt;" in page and "<b>" not in page, page[-3000:]
    assert "ITS RUNS, NEWEST FIRST" in web.page("/p/default/b/main")


def finds_and_compares(store, web):
    """The forms of the list: a filter, an order, a next page, and chosen runs."""
    page = web.page("/p/default/runs?q=name%3D%3Da&sort=-name")
    assert page.count('name="run"') == 1 and 'aria-sort="descending"' in page, page
    page = web.page("/p/default/runs?limit=2&columns=name%2Csteps")
    following = re.search(r'rel="next" href="([^"]+)"', page).group(1).replace("&amp;", "&")
    assert "columns=name%2Csteps" in following
    other = web.page("/p/default/runs" + following)
    both = re.findall(r'name="run" value="([^"]*)"', page + other)
    assert len(both) == len(set(both)) and len(both) > 2, both
    for query, leads in (("run=a", "/p/default/r/a"), ("run=a&run=b", "/p/default/diff?a=a&b=b"), ("run=a&run=b&run=s%2Fc", "/p/default/plot/loss?run=a"),
                         ("", "/p/default/runs")):
        status, headers, _ = web.ask("/p/default/compare?" + query)
        assert status == 303 and headers["location"].startswith(leads), (query, headers)
        assert web.ask(headers["location"])[0] == 200, headers["location"]
    status, _, body = web.ask("/p/default/runs?q=%3C%3C")
    assert status == 400 and b"role=\"alert\"" in body, body[-300:]
    assert web.ask("/p/default/runs?color=always")[0] == 400


def escapes_what_was_recorded(store, web):
    """No text of a run becomes markup, in a page or in a header."""
    for path in ("runs?q=" + urllib.parse.quote(HOSTILE), "facts/a", "r/" + urllib.parse.quote(HOSTILE, safe=""), "show/a", "diff/a..b",
                 "runs?columns=name,config.note"):
        _, headers, body = web.ask("/p/default/" + path)
        assert b"<script>alert" not in body, path
        xml.fromstring(body.decode().replace("<!DOCTYPE html>", ""))
        assert "alert" not in str(headers), headers
    assert b"alert(1)" in web.ask("/p/default/facts/a")[2]
    name = "odd.json"
    assert f'href="r/{name.replace(".json", "%2Ejson")}"' in web.page("/p/default/runs")
    assert "odd.json" in web.page("/p/default/show/odd%2Ejson")


def reads_no_files(store, web):
    """A name in an address never stands for a path of the machine that serves."""
    for name in ("runs/a", "./runs/a", "../x", "/etc/passwd", os.path.join(store.work, "runs/a"), "runs/a/steps.jsonl", "runs/*", "~/x"):
        for route in ("r", "show", "facts", "timeline"):
            status, _, body = web.ask(f"/p/default/{route}/" + urllib.parse.quote(name, safe=""))
            assert status in (400, 404), (route, name, status, body[-300:])
        for path in ("diff?a=a&b=" + urllib.parse.quote(name, safe=""), "plot/loss?run=" + urllib.parse.quote(name, safe="")):
            assert web.ask("/p/default/" + path)[0] in (400, 404), path
    for field in ("html=/tmp/x", "store=/tmp", "server=unix:/x", "policy=/etc/passwd", "json=1", "trace=/etc/passwd"):
        assert web.ask("/p/default/r/a?" + field)[0] == 400, field
    for path in ("/static/../web.c", "/static/", "/static/..%2f..%2fetc/passwd"):
        assert web.ask(path)[0] == 404, path


def lets_in_who_has_the_link(store, web):
    """Without the token nothing is read; the link gives a cookie and leaves the address without it."""
    for path in ("/", "/p/default/runs", "/p/default/runs.json", "/live/p/default/runs", "/static/live.js", "/projects", "/p/default/r/nothing"):
        assert web.ask(path, token=False)[0] == 401, path
        assert web.ask(path, token=False, Authorization="Bearer " + "0" * 64)[0] == 401
        assert web.ask(path, token=False, Cookie=f"tscope_{web.port}=" + web.token[:-1])[0] == 401
    status, headers, _ = web.ask("/p/default/runs?q=a&token=" + web.token, token=False)
    cookie = headers["set-cookie"]
    assert status == 303 and headers["location"] == "/p/default/runs?q=a", headers
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie and headers["referrer-policy"] == "no-referrer", headers
    assert web.ask("/p/default/runs", token=False, Cookie=cookie.split(";")[0])[0] == 200
    for path in ("//evil.example/x", "/\\evil.example"):
        status, headers, _ = web.ask(path + "?token=" + web.token, token=False)
        assert status in (303, 400) and not headers.get("location", "/").startswith(("//", "/\\")), headers
    for host in ("evil.example", f"localhost.evil.example:{web.port}", f"127.0.0.1:{web.port + 1}"):
        assert web.ask("/p/default/runs", Host=host)[0] == 421, host
    assert web.ask("/p/default/runs", Host=f"localhost:{web.port}")[0] == 200
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{web.port + 1}"):
        assert web.ask("/p/default/note/a", "POST", body=b"x=1", Origin=origin)[0] == 403, origin
    assert web.ask("/p/default/runs", "POST", body=b"x=1", Origin="http://" + web.host)[0] == 405
    assert web.ask("/p/default/tag/a", "PUT", body=b"x=1")[0] == 405
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE"):
        assert web.ask("/p/default/runs", method)[0] in (405, 501), method


def writes_by_forms(store, web):
    """Tags, notes, removal and its undoing, as a browser sends them from our own pages; nothing from others'."""
    def send(path, fields, accept="text/html", **headers):
        given = {"Origin": "http://" + web.host, "Content_Type": "application/x-www-form-urlencoded", "Accept": accept, **headers}
        return web.ask("/p/default/" + path, "POST", body=urllib.parse.urlencode(fields).encode(), **given)

    page = web.page("/p/default/change/s/c")
    root = xml.fromstring(page.replace("<!DOCTYPE html>", ""))
    forms = [form.get("action") for form in root.iter("form") if form.get("method") == "post"]
    assert forms == [f"/p/default/{word}/s/c" for word in ("tag", "note", "rm", "restore")], forms
    status, headers, _ = send("tag/s/c", {"tag": "written", "message": "by a form"})
    assert status == 303 and headers["location"] == "/p/default/r/s/c", headers
    assert b"written" in store.tscope("tag").stdout
    assert send("note/s/c", {"key": "why", "value": HOSTILE})[0] == 303
    said = json.loads(store.tscope("note", "s/c", "--json").stdout)
    assert HOSTILE in [n["value"] for n in said["notes"]], said
    status, _, body = send("note/s/c", {"key": "seen", "value": "yes"}, accept="application/json")
    assert status == 200 and {n["key"] for n in json.loads(body)["notes"]} >= {"why", "seen"}, body
    assert send("rm/s/c", {})[0] == 400 and send("rm/s/c", {"sure": "1"})[1]["location"] == "/p/default/runs"
    assert web.ask("/p/default/r/s/c")[0] == 404
    assert send("restore/s/c", {"as": ""})[0] == 303 and web.ask("/p/default/r/s/c")[0] == 200
    for path, fields, status in (("tag/a", {"tag": "written"}, 409), ("tag/nothing", {"tag": "x"}, 404), ("tag/s/c", {}, 400), ("note/s/c", {"key": "a=b", "value": "c"}, 400),
                                 ("tag/s/c", {"tag": "--force", "force": "1"}, 400), ("tag/s/c", {"tag": "x/../../y z"}, 400), ("accept/main", {"commit": "abc"}, 400),
                                 ("rm//etc/passwd", {"sure": "1"}, 404), ("tag/" + urllib.parse.quote("--server=unix:x", safe=""), {"tag": "t"}, 400),
                                 ("accept/main", {"commit": "abcdef1", "reason": "meant"}, 404)):
        got, _, body = send(path, fields)
        assert got == status and b'role="alert"' in body and b"<script>alert" not in body, (path, fields, got, body[-300:])
    assert send("tag/s/c", {"tag": "y"}, Content_Type="text/plain")[0] == 400 and send("runs", {"tag": "y"})[0] == 405 and send("tag/", {"tag": "y"})[0] == 405
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:1"}):
        assert send("tag/s/c", {"tag": "evil"}, **headers)[0] == 403
    cookie = f"tscope_{web.port}={web.token}"
    assert web.ask("/p/default/tag/s/c", "POST", token=False, body=b"tag=evil", Cookie=cookie, Content_Type="application/x-www-form-urlencoded")[0] == 403
    assert web.ask("/p/default/tag/s/c", "POST", token=False, body=b"tag=evil", Content_Type="application/x-www-form-urlencoded", Origin="http://" + web.host)[0] == 401
    assert web.ask("/p/default/tag/s/c?tag=evil")[0] == 404 and b"evil" not in store.tscope("tag").stdout
    store.tscope("rm", "tag:written")


def tells_what_is_new(store, web):
    """A page that is open hears of a push, and a page of one run only of that run."""
    streams = {path: web.follow("/p/default/" + path) for path in ("runs", "r/live", "r/a")}
    other = web.follow("/p/elsewhere/runs")
    make_run(os.path.join(store.work, "live"), 9)
    began = time.monotonic()
    store.tscope("push", "--name", "live", "--state", "running", "./live")
    took = {}
    for path in ("runs", "r/live"):
        told = web.told(streams[path], 60)
        took[path] = time.monotonic() - began
        assert told.count(b"data: changed") == 1, (path, told)
    assert web.told(streams["r/a"], 2.5) == b"" and web.told(other, 0.1) == b""
    store.tscope("note", "live", "state=finished")
    assert b"data: changed" in web.told(streams["r/live"], 60)
    for stream in (*streams.values(), other):
        stream.close()
    print(f"  told after {max(took.values()):.1f} s", flush=True)
    assert web.ask("/live/p/default/diff/a..b")[0] == 404 and web.ask("/live/nothing")[0] == 404


def tells_what_came_before_it_listened(store, web):
    """A page carries what it has seen, and its stream tells what came since, also one of another process that has looked at nothing yet;
    a page that has seen all is told nothing, and one of a run nothing of others."""
    def stream_of(path, word="live", status=200):
        return re.search(f' data-{word}="/live([^"]+)"', web.page("/p/default/" + path, status)).group(1)

    told = [stream_of("runs"), stream_of("r/early", status=404), stream_of("b/main"), stream_of("diff/a..b", "follow")]
    quiet = [stream_of("r/a")]
    make_run(os.path.join(store.work, "early"), 11)
    store.tscope("push", "--name", "early", "--branch", "main", "./early")
    other = Web(store)
    for process in (web, other):
        for address in told:
            stream = process.follow(address)
            assert b"data: changed" in web.told(stream, 60), address
            stream.close()
    streams = [process.follow(address) for process in (web, other) for address in (*quiet, stream_of("runs"), stream_of("r/early"), stream_of("b/main"))]
    time.sleep(3)  # some looks
    heard = [web.told(stream, 0.1) for stream in streams]
    assert heard == [b""] * len(streams), heard
    for stream in streams:
        stream.close()
    assert other.end() == 0


def bears_hostile_clients(store, web):
    """Half requests, floods, garbage and what is too large cost others nothing."""
    half = [web.raw() for _ in range(300)]
    for i, client in enumerate(half):
        client.sendall(b"GET /p/default/runs HTTP/1.1\r\nHost: " if i % 2 else b"G")
    assert web.ask("/p/default/runs")[0] == 200 and not any(is_cut(client) for client in half), "the others waited for the end of these"
    for size in (40 << 10, 10 << 20):
        client = web.raw()
        try:
            client.sendall(b"GET /p/default/runs?q=" + b"a" * size + b" HTTP/1.1\r\nHost: " + web.host.encode() + b"\r\n\r\n")
            answer = client.recv(100)
        except OSError:
            answer = b""
        assert not answer or answer.split()[1] in (b"400", b"413", b"414", b"431", b"503"), answer
        client.close()
    client = web.raw()
    client.sendall(f"POST /p/default/runs HTTP/1.1\r\nHost: {web.host}\r\nContent-Length: {1 << 40}\r\n\r\n".encode())
    assert client.recv(100).split()[1] in (b"400", b"413"), "a body of a terabyte"
    client.close()
    rng = random.Random(5)
    whole = f"GET /p/default/runs?q=a&sort=name HTTP/1.1\r\nHost: {web.host}\r\nAuthorization: Bearer {web.token}\r\nAccept: text/html\r\n\r\n".encode()
    for _ in range(1500):
        request = bytearray(whole)
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(request))
            kind = rng.randrange(3)
            if kind == 0:
                request[at] = rng.randrange(256)
            elif kind == 1:
                del request[at:at + rng.randrange(1, 9)]
            else:
                request[at:at] = rng.randbytes(rng.randrange(1, 9))
            if not request:
                break
        client = web.raw()
        try:
            client.sendall(bytes(request))
            client.shutdown(socket.SHUT_WR)
            client.settimeout(5)
            client.recv(200)
        except OSError:
            pass
        client.close()
    assert web.ask("/p/default/runs")[0] == 200 and web.process.poll() is None
    assert until(60, lambda: all(is_cut(client) for client in half)), "a client that sends half a request is never cut"
    for client in half:
        client.close()


def is_cut(client):
    client.setblocking(False)
    try:
        return client.recv(1000) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def says_what_is_wrong(store, web):
    """A port that is taken, an address that is none, words that are too many."""
    for words, said in ((["--port", str(web.port)], "is taken by another program"), (["--address", "203.0.113.7"], "no address of this machine"),
                        (["--port", "99999"], "--port"), (["two", "words"], "one word too many")):
        done = subprocess.run([store.program, "web", *words], cwd=store.work, env=store.env, capture_output=True, timeout=120)
        assert done.returncode == 2 and said in done.stderr.decode() and not done.stdout, (words, done)
    done = store.tscope("web", "--server", "unix:/nowhere/s", check=False)
    assert done.returncode == 2 and b"/nowhere/s" in done.stderr, done
    empty = Store(store.build, os.path.join(store.work, "empty"))
    os.makedirs(empty.work)
    web = Web(empty)
    assert "0 runs" in web.page("/p/default/runs")
    for page in ("runs", "branches"):
        assert "DIRECTORY</code>, with --server or --store" in web.page("/p/default/" + page)
    make_run(os.path.join(empty.work, "first"))
    empty.tscope("push", "./first")
    assert "1 run " in web.page("/p/default/runs")  # a store that was not there is found when it is
    assert web.end() == 0


def outlives_its_server(store, web):
    """Over a tscoped: the page says that it is gone, and comes back when it does."""
    path = os.path.join(store.work, "s")
    server = [os.path.join(store.build, "tscoped"), "--socket", path, "--store", os.path.join(store.work, "served")]

    def start():
        process = subprocess.Popen(server, env=store.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert until(60, lambda: os.path.exists(path))
        return process

    process = start()
    store.tscope("push", "./runs/a", env={"TSCOPE_SERVER": "unix:" + path})
    web = Web(store, env={"TSCOPE_SERVER": "unix:" + path})
    assert 'value="a"' in web.page("/p/default/runs")
    process.kill()
    process.wait()
    os.unlink(path)
    status, _, body = web.ask("/p/default/runs")
    assert status == 503 and b'role="alert"' in body, (status, body[-300:])
    process = start()
    assert until(60, lambda: web.ask("/p/default/runs")[0] == 200)
    store.tscope("rm", "a", env={"TSCOPE_SERVER": "unix:" + path})
    assert web.ask("/p/default/r/a")[0] == 404
    assert web.end() == 0
    process.terminate()
    process.wait()


def shows_a_folder(store, web):
    """Runs that nobody pushed: they are read, grow, come and go, and nothing stays behind."""
    work = os.path.join(store.work, "unpushed")
    temporary = os.path.join(work, "tmp")
    os.makedirs(temporary)
    own = Store(store.build, work)
    for name, seed in (("x", 1), ("y", 2)):
        make_run(os.path.join(work, "runs", name), seed, steps=50)
    web = Web(own, "./runs", env={"TMPDIR": temporary})
    assert web.begin == "/p/default/runs", web.begin

    def steps():
        rows = json.loads(web.ask("/p/default/runs.json?columns=name,steps")[2])["rows"]
        return {row["name"]: row["values"]["steps"] for row in rows}

    assert until(60, lambda: steps() == {"default/x": 50, "default/y": 50}), steps()
    (kept,) = os.listdir(temporary)
    assert os.stat(os.path.join(temporary, kept)).st_mode & 0o77 == 0, "others may read it"
    stream = web.follow("/p/default/r/x")
    with open(os.path.join(work, "runs", "x", "steps.jsonl"), "a") as out:
        out.write(json.dumps({"step": 50, "loss": 0.5}) + "\n" + '{"step": 51, "lo')  # the second is half written
    assert b"data: changed" in web.told(stream, 60)
    stream.close()
    assert until(60, lambda: steps() == {"default/x": 51, "default/y": 50}), steps()
    make_run(os.path.join(work, "runs", "z"), 3, steps=7)
    shutil.rmtree(os.path.join(work, "runs", "y"))
    assert until(60, lambda: steps() == {"default/x": 51, "default/z": 7}), steps()
    assert web.ask("/p/default/r/y")[0] == 404
    shutil.rmtree(os.path.join(work, "runs", "x"))
    shutil.rmtree(os.path.join(work, "runs", "z"))
    assert until(60, lambda: steps() == {}), steps()
    assert web.end() == 0 and os.listdir(temporary) == [] and not os.path.exists(os.path.join(work, "store"))
    for words, said in ((["./nothing"], "no such file"), (["./tmp"], "no run"), (["./runs", "--store", "s"], "--store and --server")):
        done = subprocess.run([own.program, "web", *words], cwd=work, env=own.env, capture_output=True, timeout=120)
        assert done.returncode == 2 and said in done.stderr.decode(), (words, done)


def opens_at_a_page(store, web):
    """A word leads to the page of a run, a tag, a branch, or of the only run in a folder."""
    for word, begin in (("a", "/p/default/r/a"), ("s/c", "/p/default/r/s/c"), ("tag:v1", "/p/default/r/tag%3Av1"), ("main", "/p/default/b/main"),
                        ("odd.json", "/p/default/r/odd%2Ejson"), ("other/z", "/p/other/r/z"), ("./runs/a", "/p/default/r/a")):
        web = Web(store, word)
        assert web.begin == begin, (word, web.begin)
        status, headers, _ = web.ask("/")
        assert status == 303 and headers["location"] == begin, headers
        assert web.ask(begin)[0] == 200, word
        assert web.end() == 0
    done = subprocess.run([store.program, "web", "nothing"], cwd=store.work, env=store.env, capture_output=True, timeout=120)
    assert done.returncode == 2 and b"nothing" in done.stderr, done


def ends_as_asked(store, web):
    """SIGTERM and ^C end it with 0, also while pages are open."""
    for number in (signal.SIGTERM, signal.SIGINT):
        web = Web(store)
        streams = [web.follow("/p/default/runs") for _ in range(50)]
        web.process.send_signal(number)
        assert web.end() == 0
        for stream in streams:
            stream.close()


CHECKS = (answers_as_the_command_does, draws_pages, leads_on_from_a_branch, leads_to_where_a_rank_was_late, leads_to_what_differs, has_all_of_a_run, writes_by_forms, finds_and_compares, escapes_what_was_recorded, reads_no_files,
          lets_in_who_has_the_link, tells_what_is_new, tells_what_came_before_it_listened, says_what_is_wrong, outlives_its_server, shows_a_folder, opens_at_a_page, ends_as_asked,
          bears_hostile_clients)


def main():
    build, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    with tempfile.TemporaryDirectory(prefix="tscope-web-") as work:
        store = Store(build, work)
        for name, seed, bump in (("a", 1, 0), ("b", 1, 0.3), ("s/c", 2, 0), ("odd.json", 3, 0)):
            make_run(os.path.join(work, "runs", name), seed, bump, config={"lr": 1e-3, "note": HOSTILE})
            store.tscope("push", "--name", name, "./runs/" + name)
        for name in ("a", "b", "s/c"):
            store.tscope("push", "--name", name, "--branch", "main", "./runs/" + name)
        store.tscope("tag", "a", "v1")
        os.makedirs(os.path.join(work, "runs", "traced", "rank0"))
        shutil.copy(os.path.join(GOLDEN, "trace", "demo.json.gz"), os.path.join(work, "runs", "traced", "rank0", "trace.json.gz"))
        store.tscope("push", "--name", "traced", "./runs/traced")
        store.tscope("push", "-p", "other", "--name", "z", "./runs/a")
        web = Web(store)
        for check in CHECKS:
            if not wanted or check.__name__ in wanted:
                check(store, web)
                print("ok " + check.__name__, flush=True)
        assert web.end() == 0


if __name__ == "__main__":
    main()
