#!/usr/bin/env python3
"""Floods a tscoped, and holds it to what it promises: python3 tests/attack/attack.py BUILD [NAME...]

Each attack comes from another address (127.0.0.2, ...) by loopback TCP while an honest client asks by the unix socket. Every attack has to
be cut for its own cause, the honest client is answered all along, and afterwards the server's memory is within 64 MB of what it was.
Clients that work hard and behave are never cut. Prints one row for each."""
import os
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from h2 import (ACK, CONTINUATION, DATA, EMPTY, END_HEADERS, END_STREAM, HEADERS, INFO_HEADERS, INITIAL_WINDOW, PING, PREFACE, RST,
                SETTINGS, UNKNOWN_HEADERS, UPLOAD_HEADERS, WINDOW, Reader, call, calls, connect, farewell, frame, number, probe, setting)

FLOOD_SECONDS = 4
SLOW_SECONDS = 40  # the limits are 10 and 20 s
MEMORY_MB = 64
PROBE_MS = 2000  # of a loaded machine; the table shows what it was


def certificates(work):
    """Makes a CA, the server's certificate and one of a client named eve, for a day; returns what a client needs."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=work, check=True, capture_output=True)
    new = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    openssl(*new, "-x509", "-days", "1", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=a CA")
    with open(os.path.join(work, "names"), "w", encoding="ascii") as f:
        f.write("subjectAltName=DNS:localhost\n")
    for name in "server", "eve":
        openssl(*new, "-keyout", name + ".key", "-out", name + ".csr", "-subj", "/CN=" + name)
        openssl("x509", "-req", "-in", name + ".csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "1",
                "-out", name + ".pem", *(["-extfile", "names"] if name == "server" else []))
    context = ssl.create_default_context(cafile=os.path.join(work, "ca.pem"))
    context.set_alpn_protocols(["h2"])
    context.load_cert_chain(os.path.join(work, "eve.pem"), os.path.join(work, "eve.key"))
    return context


class Server:
    def __init__(self, build, work):
        context = certificates(work)
        self.unix, self.log = os.path.join(work, "s"), os.path.join(work, "log")
        env = dict(os.environ)
        # Freed memory that a sanitizer keeps is not the server's.
        env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1:allocator_release_to_os_interval_ms=500"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([os.path.join(build, "tscoped"), "--socket", self.unix, "--listen", "tcp:127.0.0.1:0,tls:127.0.0.1:0",
                                             "--tls-cert", work + "/server.pem", "--tls-key", work + "/server.key",
                                             "--tls-client-ca", work + "/ca.pem", "--tls-client-auth", "required",
                                             "--log-level", "warning", "--store", os.path.join(work, "store")],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env)
        for _ in range(600):
            if os.path.exists(self.unix) or self.process.poll() is not None:
                break
            time.sleep(0.1)
        tcp, tls = self.ports()
        self.tcp, self.tls = ("127.0.0.1", tcp), ("127.0.0.1", tls, context)

    def ports(self):
        """The ports are in no line at this level of the log, and the kernel knows them; the first has the lower descriptor."""
        folder = f"/proc/{self.process.pid}/fd"
        for _ in range(600):
            with open("/proc/net/tcp", encoding="ascii") as f:
                rows = [line.split() for line in f.readlines()[1:]]
            found = {int(row[9]): int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A"}
            mine = [os.stat(f"{folder}/{fd}").st_ino for fd in sorted(os.listdir(folder), key=int)] if os.path.exists(folder) else []
            ports = [found[inode] for inode in mine if inode in found]
            if len(ports) == 2:
                return ports
            time.sleep(0.1)
        raise SystemExit("tscoped does not start:\n" + self.said())

    def said(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()

    def memory(self, key="RssAnon"):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as f:
            return int(re.search(rf"{key}:\s+(\d+) kB", f.read())[1]) / 1024

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)


class Watch(threading.Thread):
    """Samples the memory, and asks as an honest client, until it is told to stop."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.peak, self.slowest, self.failed, self.over = server, 0, 0, None, threading.Event()
        self.start()

    def run(self):
        while True:
            try:
                self.peak = max(self.peak, self.server.memory())
                self.slowest = max(self.slowest, probe(self.server.unix))
            except OSError as error:
                self.failed = str(error)
            if self.over.wait(0.05):
                break

    def stop(self):
        self.over.set()
        self.join()


# ---- floods: what is sent again and again on one connection ----

def rapid(n):
    return b"".join(frame(HEADERS, END_HEADERS, 2 * i + 1, INFO_HEADERS) + number(RST, 2 * i + 1, 8) for i in range(n, n + 200)), 200


def made(n):
    """The server resets: it announces how many streams may be open."""
    return b"".join(frame(HEADERS, END_HEADERS, 2 * i + 1, UPLOAD_HEADERS) for i in range(n, n + 100)), 100


def continuation(n):
    return (b"" if n else frame(HEADERS, 0, 1, INFO_HEADERS)) + frame(CONTINUATION, 0, 1, b"\0\x01x\x7f\0" + b"a" * 127) * 100, 100


def empty(n):
    return (b"" if n else frame(HEADERS, END_HEADERS, 1, UPLOAD_HEADERS)) + frame(DATA, 0, 1) * 500, 500


FLOODS = {  # name: (makes the n-th piece, whether the attacker reads, the cause that the log names)
    "rapid reset": (rapid, True, "resets"),
    "made reset": (made, True, "resets"),
    "CONTINUATION": (continuation, True, "headers"),
    "PING": (lambda n: (frame(PING, 0, 0, b"12345678") * 500, 500), True, "pings"),
    "PING, unread": (lambda n: (frame(PING, 0, 0, b"12345678") * 500, 500), False, "pings"),
    "PING answers": (lambda n: (frame(PING, ACK, 0, b"12345678") * 500, 500), True, "pings"),
    "SETTINGS": (lambda n: (setting(INITIAL_WINDOW, 65535) * 500, 500), False, "settings"),
    "empty DATA": (empty, True, "odd-frames"),
    "PRIORITY": (lambda n: (frame(2, 0, 1, b"\0\0\0\0\x10") * 500, 500), True, "odd-frames"),
    "WINDOW_UPDATE": (lambda n: (number(WINDOW, 0, 1) * 500, 500), True, "windows"),
    "calls, unread": (lambda n: (b"".join(call(2 * i + 1) for i in range(n, n + 100)), 100), False, "resets"),
}


BY_CORE = dict.fromkeys(("PING", "PING, unread", "PING, TLS"))  # C-core, too, ends a connection for its pings, if they come to it first

TLS_FLOODS = {  # the same, with a certificate of a client
    "rapid reset, TLS": (rapid, False, "resets"),
    "PING, TLS": (FLOODS["PING"][0], False, "pings"),
}


def drain(sock):
    try:
        while sock.recv(1 << 16):
            pass
    except OSError:
        pass


def flood(address, source, make, read):
    """Returns how much was sent in how many seconds, and whether the server ended it."""
    sock, n, began, cut = connect(address, source), 0, time.monotonic(), False
    sock.sendall(PREFACE + frame(SETTINGS, 0, 0))
    if read:
        threading.Thread(target=drain, args=(sock,), daemon=True).start()
    try:
        while time.monotonic() - began < FLOOD_SECONDS:
            piece, k = make(n)
            sock.sendall(piece)
            n += k
    except OSError as error:
        cut = not isinstance(error, TimeoutError)
    sock.close()
    return f"{n} in {time.monotonic() - began:.1f} s", cut


# ---- connections: what many of them do, or do not do ----

def churn(server, source):
    """Resets, and connects again whenever it is cut."""
    resets = connections = 0
    until = time.monotonic() + FLOOD_SECONDS
    while time.monotonic() < until:
        try:
            with connect(server.tcp, source, 2) as sock:
                sock.sendall(PREFACE + frame(SETTINGS, 0, 0))
                connections += 1
                for n in range(0, 2000, 200):
                    sock.sendall(rapid(n)[0])
                    resets += 200
        except OSError:
            pass
    return f"{resets} on {connections} connections", True


def ended(sock):
    """Whether the server has closed it; what it sent before is read."""
    sock.setblocking(False)
    try:
        while sock.recv(1 << 16):
            pass
        return True
    except BlockingIOError:
        return False
    except OSError:
        return True


def slow(server, source, begin, step, n):
    """n connections that begin so and then do `step` once a second; returns when the last was ended."""
    socks, began = [], time.monotonic()
    for i in range(n):
        sock = connect(server.tcp, source)
        sock.sendall(begin(i))
        socks.append(sock)
    while socks and time.monotonic() - began < SLOW_SECONDS:
        time.sleep(0.5)
        for sock in socks:
            try:
                sock.setblocking(False)
                step(sock)
            except OSError:
                pass
        socks = [sock for sock in socks if not ended(sock)]
    return f"{n - len(socks)} of {n} ended within {time.monotonic() - began:.0f} s", not socks


def nothing(sock):
    pass


def closed_window(i):
    return PREFACE + setting(INITIAL_WINDOW, 0) + call(1)


SLOW = {  # name: (what is sent first, what each second, connections, cause)
    "silent": (lambda i: b"", nothing, 100, "slow-begin"),
    "slow preface": (lambda i: PREFACE[:20], nothing, 100, "slow-begin"),
    "garbage": (lambda i: b"GET / HTTP/1.1\r\n\r\n", nothing, 100, "preface"),
    "slow headers": (lambda i: PREFACE + frame(SETTINGS, 0, 0) + frame(HEADERS, 0, 1, INFO_HEADERS), nothing, 100, "slow-headers"),
    "takes nothing": (closed_window, nothing, 5, "slow-reader"),
    "takes a trickle": (closed_window, lambda sock: sock.send(number(WINDOW, 1, 1)), 5, "slow-reader"),
}


def idle(server, source):
    """1,024 connections that speak HTTP/2 and do nothing, while one from another address connects."""
    socks, began = [], time.monotonic()
    for _ in range(1024):
        try:
            sock = connect(server.tcp, source)
            sock.sendall(PREFACE + frame(SETTINGS, 0, 0))
            socks.append(sock)
        except OSError:
            pass
    opened = time.monotonic() - began
    other = probe(server.tcp, "127.0.0.250")
    left = sum(not ended(sock) for sock in socks)
    for sock in socks:
        sock.close()
    return f"1024 in {opened:.1f} s, {left} left; another address is answered in {other:.0f} ms", left <= 256


def told_why(server, source):
    """The connection over the limit learns why it is refused."""
    socks = [connect(server.tcp, source) for _ in range(256)]
    for sock in socks:
        sock.sendall(PREFACE + frame(SETTINGS, 0, 0))
    time.sleep(0.5)
    frames, more = [], connect(server.tcp, source)
    reader = Reader(more)
    try:
        while (some := reader.frames()) is not None:
            frames += some
    except OSError:
        pass
    for sock in (*socks, more):
        sock.close()
    return f"the client reads: {farewell(frames)}", "peer-connections" in (farewell(frames) or "")


MANY = {"churn": (churn, "connect-rate resets"), "1024 idle": (idle, "connect-rate peer-connections"), "one too many": (told_why, "peer-connections")}


# ---- clients that behave ----

def small_calls(server, source):
    with connect(server.tcp, source) as sock:
        n = calls(sock, FLOOD_SECONDS, streams=64)
    return f"{n} calls on 64 streams in {FLOOD_SECONDS} s", True


def small_calls_tls(server, source):
    with connect(server.tls, source) as sock:
        n = calls(sock, FLOOD_SECONDS, streams=64)
    return f"{n} calls on 64 streams in {FLOOD_SECONDS} s", True


def one_call_each(server, source):
    n, until = 0, time.monotonic() + FLOOD_SECONDS
    while time.monotonic() < until or n < 700:
        probe(server.tcp, source)
        n += 1
    return f"{n} connections with a call each", True


def refused_calls(server, source):
    """Calls that fail, of a method that is not there, count as calls."""
    with connect(server.tcp, source) as sock:
        sock.sendall(PREFACE + frame(SETTINGS, 0, 0))
        reader, answered = Reader(sock), 0
        for i in range(3000):
            sock.sendall(frame(HEADERS, END_HEADERS, 2 * i + 1, UNKNOWN_HEADERS) + frame(DATA, END_STREAM, 2 * i + 1, EMPTY))
            while answered <= i:
                frames = reader.frames()
                if frames is None:
                    return f"cut after {answered} calls", False
                answered += sum(kind == HEADERS and flags & END_STREAM for kind, flags, _, _ in frames)
    return f"{answered} calls of an unknown method", True


HONEST = {"small calls": small_calls, "small calls, TLS": small_calls_tls, "commands": one_call_each, "unknown method": refused_calls}


# ---- all of them ----

class Bench:
    def __init__(self, server):
        self.server, self.errors, self.last = server, [], 1

    def source(self):
        self.last += 1
        return f"127.0.0.{self.last}"

    def settle(self, before):
        """Waits until memory is back; at most 20 s."""
        for _ in range(40):
            if self.server.memory() - before < MEMORY_MB / 4:
                break
            time.sleep(0.5)
        return self.server.memory()

    def row(self, name, cause, act):
        server, source, said = self.server, self.source(), len(self.server.said())
        before, watch = server.memory(), Watch(server)
        try:
            did, fine = act(server, source)
        except OSError as error:
            did, fine = f"failed: {error}", False
        watch.stop()
        time.sleep(0.2)
        after = self.settle(before)
        causes = sorted(set(re.findall(rf'event=connection_\w+ peer=(?:{re.escape(source)}:\S+|"CN=eve") cause=(\S+)', server.said()[said:])))
        print(f"{name:<18} {'cut: ' + ', '.join(causes) if causes else 'not cut':<34} {before:5.0f} {watch.peak:5.0f} {after:5.0f}   "
              f"{watch.slowest:5.0f}   {did}", flush=True)
        self.check(name, fine, "it did not end as it should: " + did)
        # The log has a line a second of each cause; those of attacks that run together may be another's. All are counted at the end.
        self.check(name, causes == (cause or "").split() or (name in {**SLOW, **MANY, **BY_CORE} and set(causes) <= set(cause.split())),
                   f"the log names {causes or 'no cause'}, and not {cause}")
        self.check(name, after - before < MEMORY_MB, f"{after - before:.0f} MB more than before")
        self.check(name, not watch.failed, f"the honest client failed: {watch.failed}")
        self.check(name, watch.slowest < PROBE_MS, f"the honest client waited {watch.slowest:.0f} ms")

    def check(self, name, fine, text):
        if not fine:
            self.errors.append(f"{name}: {text}")

    def slow(self, names):
        """All of these at the same time, because each waits for a limit; they share a peak of memory."""
        threads = [threading.Thread(target=self.row, args=(name, SLOW[name][3], lambda server, source, row=SLOW[name]:
                                                           slow(server, source, *row[:3]))) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def main():
    build, wanted = sys.argv[1], sys.argv[2:]

    def picked(table):
        return [name for name in table if not wanted or name in wanted]
    with tempfile.TemporaryDirectory() as work:
        server = Server(build, work)
        bench = Bench(server)
        for _ in range(20):
            probe(server.unix)
        print(f"{'attack':<18} {'what the server did':<34} {'MB before, peak, after':<17}  honest ms  what was sent")
        for name in picked(FLOODS):
            make, read, cause = FLOODS[name]
            bench.row(name, cause, lambda server, source, make=make, read=read: flood(server.tcp, source, make, read))
        for name in picked(TLS_FLOODS):
            make, read, cause = TLS_FLOODS[name]
            bench.row(name, cause, lambda server, source, make=make, read=read: flood(server.tls, source, make, read))
        for name in picked(MANY):
            bench.row(name, MANY[name][1], MANY[name][0])
        for name in picked(HONEST):
            bench.row(name, None, HONEST[name])
        bench.slow(picked(SLOW))
        code = server.stop()
        bench.check("server", code == 0, f"exit {code}")
        counts = {word: int(n) for line in server.said().splitlines() if "event=guard" in line for word, n in re.findall(r"(\S+)=(\d+)(?!\S)", line)}
        print("ended in all: " + ", ".join(f"{word} {n}" for word, n in counts.items()))
        for name in picked(MANY):
            for word in MANY[name][1].split():
                bench.check(name, counts.get(word, 0) > 0, f"none was ended for {word}")
        for name in picked(SLOW):
            bench.check(name, counts.get(SLOW[name][3], 0) >= SLOW[name][2], "fewer were ended for that cause than there were")
    for error in bench.errors:
        print("FAILED:", error)
    return 1 if bench.errors else 0


if __name__ == "__main__":
    sys.exit(main())
