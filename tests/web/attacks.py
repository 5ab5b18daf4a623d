#!/usr/bin/env python3
"""Attacks on `tscope web` by HTTP/1.1, each beside a client that asks every 50 ms: attacks.py BUILD [NAME...].

An attack passes where the other client is always answered, the memory of the program stays below a bound, and what is cut is cut in the
time that docs/web.md says. They are those of the guard of gRPC (docs/security.md) as far as HTTP/1.1 has them, and the ones of its own: requests
that two parsers may cut differently. Attacks that mostly wait run at the same time, each against a program of its own."""
import concurrent.futures
import http.client
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from served import Store, Web, make_run, until  # noqa: E402

MEMORY = 600 << 20  # bytes beyond those at the beginning: 128 MiB of requests on their way, as much being answered, twice by sanitizers


class Bystander:
    """A client that asks for a page again and again while something else happens; says how long the longest answer took."""

    def __init__(self, web):
        self.web, self.stops, self.n, self.worst, self.failed = web, False, 0, 0.0, None
        self.thread = threading.Thread(target=self.ask)

    def ask(self):
        while not self.stops and not self.failed:
            began = time.monotonic()
            try:
                status = self.web.ask("/p/default/runs.json?limit=1")[0]
            except (OSError, http.client.HTTPException) as why:
                self.failed = f"{why!r} after {time.monotonic() - began:.1f} s"
                return
            self.worst = max(self.worst, time.monotonic() - began)
            self.n += 1
            if status != 200:
                self.failed = status
            time.sleep(0.05)

    def __enter__(self):
        self.before = self.web.memory()
        self.thread.start()
        return self

    def waits_for_none(self, clients):
        """It has answers while the others, which are there already, are not cut yet."""
        enough = self.n + 3
        assert until(60, lambda: self.n >= enough or self.failed) and not any(is_cut(client) for client in clients), self.n

    def __exit__(self, *failure):
        self.stops = True
        self.thread.join()
        if failure[0]:
            return
        grown = self.web.memory() - self.before
        assert not self.failed, f"the other client got {self.failed}"
        assert self.n
        assert grown < MEMORY, grown
        print(f"  {self.web.attack}: {self.n} answers beside it, the slowest {1000 * self.worst:.0f} ms; {max(grown, 0) >> 20} MiB more", flush=True)


def head(web, path="/p/default/runs.json?limit=1", method="GET", *more):
    return (f"{method} {path} HTTP/1.1\r\nHost: {web.host}\r\nAuthorization: Bearer {web.token}\r\n" + "".join(line + "\r\n" for line in more)).encode()


def is_cut(client):
    client.setblocking(False)
    try:
        while True:
            if client.recv(65536) == b"":
                return True
    except BlockingIOError:
        return False
    except OSError:
        return True


def send(client, data):
    """False: it was cut."""
    try:
        client.sendall(data)
        return True
    except OSError:
        return False


def answers(client, seconds=10):
    """All that comes until nothing more does."""
    client.settimeout(seconds)
    out = b""
    try:
        while piece := client.recv(65536):
            out += piece
    except OSError:
        pass
    return out


def idle(web):
    """Connections that say nothing."""
    with Bystander(web) as other:
        clients = [web.raw() for _ in range(500)]
        other.waits_for_none(clients)
        assert until(60, lambda: all(is_cut(c) for c in clients)), "a client that says nothing is never cut"
        for client in clients:
            client.close()


def slow_headers(web):
    """A byte of a head each half second: the request has a time from its first byte to its last."""
    with Bystander(web) as other:
        clients = [web.raw() for _ in range(200)]
        text, cut = head(web) + b"X: " + b"a" * 1000, set()
        other.waits_for_none(clients)
        for i in range(120):
            for k, client in enumerate(clients):
                if k not in cut and not send(client, text[i:i + 1]):
                    cut.add(k)
            if len(cut) == len(clients):
                break
            time.sleep(0.5)
        assert len(cut) == len(clients), len(cut)
        for client in clients:
            client.close()


def slow_bodies(web):
    """The same with a body, of which nothing is kept for longer than the time."""
    with Bystander(web) as other:
        clients = [web.raw() for _ in range(100)]
        for client in clients:
            send(client, head(web, "/p/default/note/a", "POST", "Content-Length: 1000000") + b"\r\n" + b"a" * 100000)
        other.waits_for_none(clients)
        assert until(60, lambda: all(is_cut(c) or not send(c, b"a") for c in clients)), "a client that sends a body slowly is never cut"
        for client in clients:
            client.close()


def readers_of_nothing(web):
    """Clients that ask for much and read nothing."""
    with Bystander(web):
        clients = [web.raw() for _ in range(100)]
        for client in clients:
            send(client, (head(web, "/static/live.js") + b"\r\n") * 30)
        time.sleep(5)
        for client in clients:
            client.close()


CROWD = """
import socket, sys
clients = []
try:
    while len(clients) < 700:
        clients.append(socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=5))
except OSError:
    pass
print(len(clients), flush=True)
sys.stdin.read()
"""


def many_connections(web):
    """More than there is room for, as fast as four programs make them: those that ask nothing make room, and never one that just asked."""
    with Bystander(web):
        for _ in range(2):
            crowd = [subprocess.Popen([sys.executable, "-c", CROWD, str(web.port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(4)]
            made = sum(int(one.stdout.readline()) for one in crowd)
            for one in crowd:
                one.communicate()
            assert made > 1792, f"{made} connections, where those that are idle make room from 1,792 on"


def churn(web):
    """Connections that come and go, with and without a reset."""
    with Bystander(web):
        end = time.monotonic() + 5
        n = 0
        while time.monotonic() < end:
            client = web.raw()
            if n % 2:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            send(client, head(web)[:n % 200])
            client.close()
            n += 1
        print(f"  {n} connections", flush=True)


def large_heads(web):
    """Headers without end, many of them, and 10 MB of query."""
    with Bystander(web):
        for piece, times in ((b"X: " + b"a" * 8000 + b"\r\n", 2000), (b"X: y\r\n", 200000), (b" folded\r\n", 100000), (b"a" * 65536, 160)):
            client = web.raw()
            alive = send(client, head(web))
            for _ in range(times):
                if not alive:
                    break
                alive = send(client, piece)
            got = answers(client)
            assert not got or got.split()[1] in (b"400", b"413", b"414", b"431", b"500"), got[:100]
            client.close()
        for size in (33 << 10, 1 << 20, 10 << 20):
            client = web.raw()
            send(client, b"GET /p/default/runs?q=" + b"a" * size + b" HTTP/1.1\r\nHost: " + web.host.encode() + b"\r\n\r\n")
            got = answers(client)
            assert not got or got.split()[1] in (b"400", b"413", b"414", b"431"), got[:100]
            client.close()


def large_bodies(web):
    """Bodies that are too long, that lie about their length, and many at once."""
    with Bystander(web):
        for length in (b"2000000", b"99999999999999999999", b"-1", b"1e9", b"0x10", b"+5", b""):
            client = web.raw()
            send(client, head(web, "/p/default/note/a", "POST") + b"Content-Length: " + length + b"\r\n\r\n")
            for _ in range(40):
                if not send(client, b"a" * 65536):
                    break
            got = answers(client, 3)
            assert not got or got.split()[1] in (b"400", b"403", b"413", b"501"), (length, got[:100])
            client.close()
        clients = [web.raw() for _ in range(60)]
        for client in clients:
            send(client, head(web, "/api/2.0/mlflow-artifacts/artifacts/0/x/artifacts/y", "PUT", "Content-Length: 16000000") + b"\r\n")

        def fill(client):
            for _ in range(200):
                if not send(client, b"a" * 65536):
                    return

        threads = [threading.Thread(target=fill, args=(client,)) for client in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for client in clients:
            client.close()


def pipelines(web):
    """A thousand requests in one piece: each is answered, in order, or the connection is cut; nobody else waits."""
    with Bystander(web):
        client = web.raw()
        sender = threading.Thread(target=send, args=(client, (head(web, "/static/live.js") + b"\r\n") * 1000))
        sender.start()
        got = answers(client, 5)
        sender.join()
        assert got.count(b"HTTP/1.1 200") >= 1 and got.count(b"HTTP/1.1 ") == got.count(b"HTTP/1.1 200"), got[:300]
        client.close()


SMUGGLED = b"GET /p/default/facts/a HTTP/1.1\r\nHost: evil.example\r\n\r\n"


def smuggled_requests(web):
    """Forms that a proxy and a server may cut differently: never is a second request answered that the first one hid."""
    n = len(SMUGGLED)
    forms = {
        "length and chunks": (b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n" % (n + 5), b"0\r\n\r\n" + SMUGGLED),
        "chunks and length": (b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n", b"0\r\n\r\n" + SMUGGLED),
        "two lengths": (b"Content-Length: 0\r\nContent-Length: %d\r\n\r\n" % n, SMUGGLED),
        "two equal lengths": (b"Content-Length: %d\r\nContent-Length: %d\r\n\r\n" % (n, n), SMUGGLED),
        "odd chunked": (b"Transfer-Encoding: xchunked\r\nContent-Length: %d\r\n\r\n" % n, SMUGGLED),
        "space before the colon": (b"Content-Length : %d\r\n\r\n" % n, SMUGGLED),
        "tab in the name": (b"Content-Length\t: %d\r\n\r\n" % n, SMUGGLED),
        "folded length": (b"Content-Length:\r\n %d\r\n\r\n" % n, SMUGGLED),
        "bare line feeds": (b"Content-Length: %d\n\n" % n, SMUGGLED),
        "bare return": (b"X: a\rContent-Length: %d\r\n\r\n" % n, SMUGGLED),
        "nul in a header": (b"X: a\0b\r\nContent-Length: %d\r\n\r\n" % n, SMUGGLED),
        "plus sign": (b"Content-Length: +%d\r\n\r\n" % n, SMUGGLED),
        "list of lengths": (b"Content-Length: %d, %d\r\n\r\n" % (n, n), SMUGGLED),
        "chunk extension": (b"Transfer-Encoding: chunked\r\n\r\n", b"%x;a=\r\n" % n + SMUGGLED + b"\r\n0\r\n\r\n"),
        "long chunk size": (b"Transfer-Encoding: chunked\r\n\r\n", b"0" * 40 + b"%x\r\n" % n + SMUGGLED + b"\r\n0\r\n\r\n"),
        "negative chunk": (b"Transfer-Encoding: chunked\r\n\r\n", b"-1\r\n" + SMUGGLED),
        "huge chunk": (b"Transfer-Encoding: chunked\r\n\r\n", b"ffffffffffffffff\r\n" + SMUGGLED),
    }
    for name, (framing, body) in forms.items():
        client = web.raw()
        send(client, head(web, "/p/default/note/a", "POST")[:-2] + b"\r\n" + framing + body)
        got = answers(client, 1.5)
        client.close()
        # The hidden request is for another host: its answer would be 421. Cut differently, it would be the second answer.
        second = got.split(b"HTTP/1.1 ")[2:]
        assert not second, (name, got[:600])
        assert b"config.note" not in got, name
        print(f"  {web.attack}, {name}: " + (", ".join(str(int(answer[:3])) for answer in got.split(b"HTTP/1.1 ")[1:]) or "cut"), flush=True)
    client = web.raw()
    send(client, b"GET http://evil.example/p/default/runs HTTP/1.1\r\nHost: " + web.host.encode() + b"\r\nAuthorization: Bearer " + web.token.encode() + b"\r\n\r\n")
    got = answers(client, 2)
    assert b" 200 " not in got.split(b"\r\n")[0], got[:200]
    for target in (b"*", b"/p/default/runs#x", b"p/default/runs", b"//evil.example/", b"/%00", b"/p/%2e%2e/default", b"\\\\x", b"/p/default/runs\x7f"):
        client = web.raw()
        send(client, b"GET " + target + b" HTTP/1.1\r\nHost: " + web.host.encode() + b"\r\n\r\n")
        got = answers(client, 2)
        assert not got or got.split()[1] in (b"400", b"401", b"404"), (target, got[:100])
        client.close()
    client = web.raw()
    send(client, b"GET /p/default/runs HTTP/1.1\r\nHost: evil.example\r\nHost: " + web.host.encode() + b"\r\nAuthorization: Bearer " + web.token.encode() + b"\r\n\r\n")
    assert answers(client, 2).split()[1:2] in ([b"421"], [b"400"], []), "of two hosts the first counts"
    client.close()


WAITING = (idle, slow_headers, slow_bodies, readers_of_nothing, smuggled_requests)
BUSY = (many_connections, churn, large_heads, large_bodies, pipelines)


def run(attacks, store):
    web = Web(store)
    for attack in attacks:
        web.attack = attack.__name__
        attack(web)
        assert web.process.poll() is None, "the program ended"
        print("ok " + web.attack, flush=True)
    assert web.end() == 0


def want_descriptors():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, hard), hard))


def main():
    want_descriptors()
    build, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    waiting, busy = ([attack for attack in attacks if not wanted or attack.__name__ in wanted] for attacks in (WAITING, BUSY))
    with tempfile.TemporaryDirectory(prefix="tscope-attack-") as work:
        store = Store(build, work)
        make_run(os.path.join(work, "runs", "a"), 1)
        store.tscope("push", "--name", "a", "./runs/a")
        with concurrent.futures.ThreadPoolExecutor(len(WAITING)) as pool:
            list(pool.map(lambda attack: run([attack], store), waiting))
        run(busy, store)


if __name__ == "__main__":
    main()
