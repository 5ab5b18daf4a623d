"""HTTP/2 by hand: frames that no honest client sends, and an honest call to time beside them."""
import socket
import struct
import time

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST, SETTINGS, PING, GOAWAY, WINDOW, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
INITIAL_WINDOW = 4
INFO, UNKNOWN, UPLOAD = "/tscope.v1.Tscope/ServerInfo", "/tscope.v1.Tscope/Nothing", "/tscope.v1.Tscope/PutObjects"
EMPTY = b"\0\0\0\0\0"  # a gRPC message without bytes


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def number(kind, stream, value):
    return frame(kind, 0, stream, struct.pack(">I", value))


def setting(key, value):
    return frame(SETTINGS, 0, 0, struct.pack(">HI", key, value))


def headers(path):
    """Literals without an index (RFC 7541, 6.2.2), so that every block stands alone."""
    fields = ((b":method", b"POST"), (b":scheme", b"http"), (b":path", path.encode()), (b":authority", b"localhost"),
              (b"content-type", b"application/grpc"), (b"te", b"trailers"))
    return b"".join(b"\0" + bytes([len(k)]) + k + bytes([len(v)]) + v for k, v in fields)


INFO_HEADERS, UNKNOWN_HEADERS, UPLOAD_HEADERS = headers(INFO), headers(UNKNOWN), headers(UPLOAD)


def call(stream):
    return frame(HEADERS, END_HEADERS, stream, INFO_HEADERS) + frame(DATA, END_STREAM, stream, EMPTY)


class Reader:
    """The frames that come back, however they are cut."""

    def __init__(self, sock):
        self.sock, self.bytes = sock, b""

    def frames(self):
        """Reads once, and returns the frames that are whole; None at the end of the connection."""
        more = self.sock.recv(1 << 16)
        if not more:
            return None
        self.bytes += more
        found, at = [], 0
        while len(self.bytes) - at >= 9:
            n = int.from_bytes(self.bytes[at:at + 3], "big")
            if len(self.bytes) - at < 9 + n:
                break
            found.append((self.bytes[at + 3], self.bytes[at + 4], int.from_bytes(self.bytes[at + 5:at + 9], "big"),
                          self.bytes[at + 9:at + 9 + n]))
            at += 9 + n
        self.bytes = self.bytes[at:]
        return found


def farewell(frames):
    """Returns the text of a GOAWAY among the frames, or None."""
    return next((payload[8:].decode() for kind, _, _, payload in frames or () if kind == GOAWAY), None)


ANSWER = 400  # bytes by which a client opens its window for each call: no answer of ServerInfo has as many


def calls(sock, seconds, streams=1, most=None):
    """Makes small calls, `streams` at a time, as gRPC's clients make them: they acknowledge, and open windows. Returns how many were
    answered; raises OSError when the server ends the connection."""
    reader, begun, answered, until = Reader(sock), 0, 0, time.monotonic() + seconds
    sock.sendall(PREFACE + frame(SETTINGS, 0, 0))
    while answered < begun or not begun or (time.monotonic() < until and (most is None or begun < most)):
        out = b""
        while begun - answered < streams and time.monotonic() < until and (most is None or begun < most):
            out += call(2 * begun + 1) + number(WINDOW, 0, ANSWER)
            begun += 1
        sock.sendall(out)
        frames = reader.frames()
        if frames is None:
            raise ConnectionError("the server ended the connection")
        for kind, flags, _, payload in frames:
            if kind == GOAWAY:
                raise ConnectionError("GOAWAY: " + payload[8:].decode())
            if kind in (SETTINGS, PING) and not flags & ACK:
                sock.sendall(frame(kind, ACK, 0, payload if kind == PING else b""))
            answered += kind == HEADERS and flags & END_STREAM
    return answered


def connect(address, source=None, timeout=10):
    """address: a path, (host, port), or (host, port, context of TLS)."""
    sock = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
    sock.settimeout(timeout)
    if source:
        sock.bind((source, 0))
    sock.connect(address if isinstance(address, str) else address[:2])
    return sock if isinstance(address, str) or len(address) == 2 else address[2].wrap_socket(sock, server_hostname="localhost")


def probe(address, source=None):
    """Milliseconds from connect to the answer of ServerInfo."""
    began = time.monotonic()
    with connect(address, source, 30) as sock:
        calls(sock, 30, most=1)
    return 1e3 * (time.monotonic() - began)
