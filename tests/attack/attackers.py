"""The attackers, one to a process: attackers.py NAME ADDRESS WORK. Each prints "attacking" and goes on until it is killed, or ends."""
import os
import socket
import struct
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "interop"))
import format_v1 as f  # noqa: E402
import sealed_v1  # noqa: E402
from client import Client  # noqa: E402

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SERVICE = "/tscope.v1.Tscope/"
ROWS, BLOCK = 12_000_000, 16384


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def headers(path):
    pairs = ((":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "x"), ("content-type", "application/grpc"),
             ("te", "trailers"))
    return b"".join(b"\0" + bytes([len(k)]) + k.encode() + bytes([len(v)]) + v.encode() for k, v in pairs)


def connect(address):
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(address.removeprefix("unix:"))
    sock.sendall(PREFACE + frame(4, 0, 0))
    return sock


def streams(address, path, body):
    """270 streams on 3 connections; body is what each sends and ends with, None: nothing, and it stays open."""
    kept = []
    for _ in range(3):
        sock, out = connect(address), b""
        for i in range(90):
            out += frame(1, 4, 2 * i + 1, headers(path))
            if body is not None:
                out += frame(0, 1, 2 * i + 1, body)
        sock.sendall(out)
        kept.append(sock)
    return kept


def idle(address, work):
    return streams(address, SERVICE + "PutObjects", None)


def watches(address, work):
    return streams(address, "/grpc.health.v1.Health/Watch", b"\0\0\0\0\0")


def stalled(address, work):
    """40 downloads of 16,000 objects whose clients take nothing; the run `bomb` has them."""
    client = Client(address, work)
    head = client.GetRun(spec="run:demo/bomb").head
    ids = head[16:48] * 16000  # the id of its index
    body = client.m.GetObjectsRequest(ids=ids).SerializeToString()
    body, kept = b"\0" + struct.pack(">I", len(body)) + body, []

    def read_nothing():
        sock = connect(address)
        kept.append(sock)
        sock.sendall(frame(1, 4, 1, headers(SERVICE + "GetObjects")))
        for i in range(0, len(body), 16000):
            sock.sendall(frame(0, 1 if i + 16000 >= len(body) else 0, 1, body[i:i + 16000]))
            time.sleep(0.05)  # within the window of the server, whose updates are not read

    threads = [threading.Thread(target=read_nothing, daemon=True) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    return kept


def copies(address, work):
    """16,384 copies of one chunk of zeros in a message of 1.9 MB, from 4 clients again and again."""
    raw = f.frame(f.CHUNK, b"\0" * 1048560)
    client = Client(address, work)
    one = sealed_v1.fill(client.m.SealedObject(), raw, sealed_v1.ZSTD)
    message = client.m.PutObjectsRequest(objects=[one] * 16384)

    def send(number):
        mine = Client(address, f"{work}/{number}")
        while True:
            try:
                mine.PutObjects(iter([message]))
            except Exception:  # the server ends
                time.sleep(0.2)

    for number in range(4):
        os.makedirs(f"{work}/{number}", exist_ok=True)
        threading.Thread(target=send, args=(number,), daemon=True).start()


def bomb_objects(rows=ROWS, columns=12):
    """{id: (object, sealed bytes)} of a run of so many steps whose columns are zeros: some 200 KB to send."""
    objects = {}

    def put(raw, data=None):
        objects.setdefault(f.identity(raw), (raw, data))
        return f.identity(raw)

    def keys(first, n):
        raw = f.frame(f.KEYS, struct.pack(f"<{n}q", *range(first, first + n)))
        # Differences of order 2 are all 0: no plane.
        return put(raw, raw[:16] + struct.pack("<BBBBQ", 255, 2, 0, 0, 0) + struct.pack("<QQ", first, 1))

    spans = [(first, min(BLOCK, rows - first)) for first in range(0, rows, BLOCK)]
    zeros = {n: put(f.values_block(f.C_F64, [0] * n)) for _, n in spans[-1:] + spans[:1]}
    names = sorted([b"scalars.loss", b"scalars.grad_norm", b"phases.forward", b"phases.backward", b"phases.data", b"memory.alloc"] +
                   [b"scalars.extra%d" % i for i in range(columns - 6)])

    def records():
        yield struct.pack("<BBB", 2, f.STEPS, 14), [], None
        yield 3, [keys(*span) for span in spans], [struct.pack("<qqI", first, first + n - 1, n) for first, n in spans]
        for name in names:
            yield struct.pack("<BBBBH", 4, f.C_F64, 0, 0, len(name)) + name, [], None
            yield 5, [zeros[n] for _, n in spans], [b""] * len(spans)

    index = f.pack_index(0, records(), put)
    head = put(f.frame(f.HEAD, struct.pack("<Ii", 1, 0) + struct.pack("<H", 0) + struct.pack("<I", 0), [index]))
    return head, objects


def push_bomb(client, rows=ROWS):
    """Returns how many bytes were sent."""
    head, objects = bomb_objects(rows)
    sent = []

    def messages():
        message, raw_bytes = client.m.PutObjectsRequest(), 0
        for raw, data in objects.values():
            one = sealed_v1.fill(message.objects.add(), raw, sealed_v1.ZSTD if data is None else sealed_v1.RAW)
            if data is not None:
                one.codec, one.data, one.checksum = sealed_v1.WORDS, data, sealed_v1.xxhash.xxh3_64_intdigest(data)
            raw_bytes += len(raw)
            if raw_bytes > 32 << 20:
                sent.append(message.ByteSize())
                yield message
                message, raw_bytes = client.m.PutObjectsRequest(), 0
        sent.append(message.ByteSize())
        yield message

    client.PutObjects(messages())
    client.CommitRun(head=head, name="demo/bomb")
    return sum(sent)


def analyses(address, work):
    """8 clients that ask for fresh analyses of 12 million steps, one after another."""
    def ask(number):
        client = Client(address, f"{work}/{number}")
        while True:
            try:
                client.Analyze(spec="run:demo/bomb", fresh=True)
            except Exception:
                time.sleep(0.05)

    for number in range(8):
        os.makedirs(f"{work}/{number}", exist_ok=True)
        threading.Thread(target=ask, args=(number,), daemon=True).start()


def everything(address, work):
    """Every lane is busy: copies, stalled downloads, analyses, one that verifies and collects garbage again and again, and one that says to follow
    the server and makes up what it holds."""
    def sweep():
        client = Client(address, f"{work}/sweep")
        while True:
            try:
                list(client.Verify())
                client.CollectGarbage()
            except Exception:
                time.sleep(0.05)

    def follow():
        client = Client(address, f"{work}/follow")
        while True:
            for holds in (bytes(24), bytes(24) + os.urandom(4000), os.urandom(1 << 20)):
                try:
                    list(client.Follow(holds=holds))
                except Exception:
                    time.sleep(0.01)

    os.makedirs(f"{work}/sweep", exist_ok=True)
    os.makedirs(f"{work}/follow", exist_ok=True)
    kept = stalled(address, work)
    copies(address, work)
    analyses(address, work)
    threading.Thread(target=sweep, daemon=True).start()
    threading.Thread(target=follow, daemon=True).start()
    return kept


def reads(address, work):
    """HasObjects of 16,384 ids that nobody has, six at a time, with the token in TSCOPE_TOKEN."""
    body, by = os.urandom(32 * 16384), (("authorization", "Bearer " + os.environ["TSCOPE_TOKEN"]),)
    client = Client(address, work)

    def ask():
        while True:
            try:
                client.HasObjects(ids=body, metadata=by)
            except Exception:  # refused, or the server ends
                time.sleep(0.05)

    for _ in range(6):
        threading.Thread(target=ask, daemon=True).start()


if __name__ == "__main__":
    holds = globals()[sys.argv[1]](sys.argv[2], sys.argv[3])
    print("attacking", flush=True)
    time.sleep(120)
