#!/usr/bin/env python3
"""tscope as a client over TLS, against a server of grpcio: whom it believes, what it shows, and where it keeps quiet.

Exits 77 where python3-grpcio or openssl is missing."""
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent import futures

try:
    import grpc
except ImportError as missing:
    print(f"skipped: no Python package {missing.name}")
    sys.exit(77)
if not shutil.which("openssl"):
    print("skipped: no openssl")
    sys.exit(77)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TSCOPE = os.path.join(os.path.abspath(os.environ.get("TS_BUILD", os.path.join(ROOT, "build", "dev"))), "tscope")
TOKEN = "tscope_aaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dyp2myq7jy"  # service/auth/test_token.c has it, too
OK = b"\x08\x01"  # HealthCheckResponse: SERVING; ServerInfoReply never looks at it


def openssl(*args):
    subprocess.run(["openssl", *args], check=True, capture_output=True)


def make_ca(name):
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", name + ".key", "-out", name + ".pem", "-days",
            "2", "-subj", "/CN=" + name)


def make_cert(name, ca, subject):
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", name + ".key", "-out", name + ".csr", "-subj",
            "/CN=" + name)
    with open("ext", "w", encoding="utf-8") as file:
        file.write("subjectAltName=" + subject)
    openssl("x509", "-req", "-in", name + ".csr", "-CA", ca + ".pem", "-CAkey", ca + ".key", "-CAcreateserial", "-days", "2", "-extfile", "ext", "-out",
            name + ".pem")


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Server(grpc.GenericRpcHandler):
    """Answers every call, and notes which methods came with which tokens."""

    def __init__(self, credentials=None, refuse=False):
        self.seen, self.refuse = [], refuse
        self.server = grpc.server(futures.ThreadPoolExecutor(2), handlers=[self])
        self.port = self.server.add_secure_port("localhost:0", credentials) if credentials else self.server.add_insecure_port("localhost:0")
        self.server.start()

    def service(self, call):
        method = call.method.split("/")[-1]
        self.seen.append((method, [v for k, v in call.invocation_metadata if k == "authorization"]))

        def answer(request, context):
            if self.refuse and method != "Check":
                context.set_trailing_metadata([("tscope-status", "denied")])
                context.abort(grpc.StatusCode.PERMISSION_DENIED, "no such token")
            return OK if method == "Check" else b""
        return grpc.unary_unary_rpc_method_handler(answer)


def tscope(*args, stdin="", **env):
    base = {"PATH": "/usr/bin:/bin", "HOME": os.getcwd(), "LC_ALL": "C", "TSCOPE_STORE": ""}
    keep = {k: v for k, v in os.environ.items() if k in ("ASAN_OPTIONS", "LSAN_OPTIONS", "GRPC_VERBOSITY")}
    got = subprocess.run([TSCOPE, *args], input=stdin, capture_output=True, text=True, timeout=60, env={**base, **keep, **env}, check=False)
    assert TOKEN[7:] not in got.stdout + got.stderr, "a token was printed"
    return got.returncode, got.stdout, got.stderr


def check_belief():
    server = Server(grpc.ssl_server_credentials([(read("server.key"), read("server.pem"))]))
    at = f"tls:localhost:{server.port}"
    rc, out, err = tscope("--server", at, "whoami", TSCOPE_CA="ca.pem", TSCOPE_TOKEN=TOKEN)
    assert rc == 0 and "of TSCOPE_TOKEN" in out, (rc, out, err)
    assert server.seen and all(tokens == ["Bearer " + TOKEN] for _, tokens in server.seen), server.seen
    server.seen.clear()
    for where, ca in ((at, ""), (at, "other.pem"), (f"tls:127.0.0.1:{server.port}", "ca.pem")):
        rc, out, err = tscope("--server", where, "whoami", TSCOPE_CA=ca, TSCOPE_TOKEN=TOKEN)
        assert rc == 2 and "no tscoped answers over TLS" in err and not server.seen, (where, ca, rc, out, err, server.seen)
    for ca, why in (("nothing.pem", "No such file"), ("server.key.txt", "is no PEM file")):
        rc, out, err = tscope("--server", at, "whoami", TSCOPE_CA=ca)
        assert rc == 2 and why in err, (ca, rc, err)
    return at, server


def check_login(at, server):
    rc, out, err = tscope("login", "--ca", "ca.pem", at, stdin=TOKEN + "\n")
    file = os.path.join(".config", "tscope", "credentials")
    assert rc == 0 and os.stat(file).st_mode & 0o777 == 0o600 and TOKEN in read(file).decode(), (rc, out, err)
    server.seen.clear()
    rc, out, err = tscope("whoami")
    assert rc == 0 and at in out and all(tokens == ["Bearer " + TOKEN] for _, tokens in server.seen), (rc, out, err, server.seen)
    kept = read(file)
    server.refuse = True
    rc, out, err = tscope("login", "--ca", "ca.pem", at, stdin=TOKEN + "\n")
    assert rc == 2 and "no such token (asked with the token of this login)" in err and read(file) == kept, (rc, out, err)
    rc, out, err = tscope("whoami")
    assert rc == 2 and "no such token (asked with the token of " in err and ".config/tscope/credentials)" in err, (rc, out, err)
    rc, out, err = tscope("logout")
    assert rc == 0 and TOKEN not in read(file).decode(), (rc, out, err)


def check_own_certificate():
    server = Server(grpc.ssl_server_credentials([(read("server.key"), read("server.pem"))], read("ca.pem"), True))
    at = f"tls:localhost:{server.port}"
    rc, out, err = tscope("--server", at, "whoami", TSCOPE_CA="ca.pem")
    assert rc == 2 and not server.seen, (rc, out, err)
    rc, out, err = tscope("--server", at, "whoami", TSCOPE_CA="ca.pem", TSCOPE_CERT="client.pem")
    assert rc == 2 and "a client certificate needs its key" in err, (rc, out, err)
    rc, out, err = tscope("--server", at, "whoami", TSCOPE_CA="ca.pem", TSCOPE_CERT="client.pem", TSCOPE_KEY="client.key")
    assert rc == 0 and server.seen, (rc, out, err)


def check_plain():
    server = Server(refuse=True)
    rc, out, err = tscope("--server", f"localhost:{server.port}", "whoami", TSCOPE_TOKEN=TOKEN)
    assert rc == 2 and "was not sent, because others can read plain TCP" in err, (rc, out, err)
    assert server.seen and not any(tokens for _, tokens in server.seen), server.seen


def main():
    with tempfile.TemporaryDirectory(prefix="tscope-tls-") as folder:
        os.chdir(folder)
        make_ca("ca")
        make_ca("other")
        make_cert("server", "ca", "DNS:localhost")
        make_cert("client", "ca", "DNS:client")
        with open("server.key.txt", "w", encoding="utf-8") as file:
            file.write("no certificate\n")
        at, server = check_belief()
        check_login(at, server)
        check_own_certificate()
        check_plain()
        os.chdir(ROOT)
    print("tscope believes whom it should, and shows its token to nobody else")


main()
