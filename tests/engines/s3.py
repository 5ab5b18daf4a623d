#!/usr/bin/env python3
"""A server of S3 for tests, in memory, written from Amazon's documentation: PUT (with If-None-Match), GET (with ranges), HEAD, DELETE, versioning, and Signature
Version 4, which is computed here anew and compared. It fails on demand.

    s3.py [--skew SECONDS] [--region R] [--keep FOLDER] [--port PORT]    prints its port, and ends when its standard input does; with
                                           a folder its buckets are as they were when it is started again

Buckets: `packs` keeps versions, `plain` keeps none. Keys: `tester` may everything, `keeper` may not delete, `blind` may not list, so what is
absent is denied to it, `session` needs the token `token`; the secret of all is xyzzy/plugh+1. What stands below /-/ is for the test and needs no signature:

    /-/fault?kind=500&times=3&method=GET   the next times requests of a method fail so: 500, 503, 429, 409, slow, hold (until /-/release), half, short, wrong, cut,
                                           deaf (done, and cut before the answer); times=0: none does; share=0.1 in place of times: so many of all, by chance
    /-/lose?key=, /-/flip?key=&at=, /-/cut?key=   an object goes, has another bit, or loses its end; an empty key: the first one
    /-/clear    /-/counts    /-/keys        empties the buckets; JSON of requests and bytes; JSON of what there is
    /-/instance?seconds=60&held=1           the keys of an instance expire so soon from now on, and its metadata is silent until /-/release; JSON of how often
                                            it was asked for a token
    /-/revoke?key=tester&new=fresh          the key is not valid any more, and another one with the same secret is
    /latest/...                             the metadata of an instance, whose keys are `session`'s"""
import argparse
import datetime
import hashlib
import hmac
import http.server
import json
import os
import random
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request

SLOW_S = 10.0
HOLD_S = 45.0
SECRET = "xyzzy/plugh+1"
SKEW_MOST_S = 900


class Kept(dict):
    """Objects of a bucket that are files of a folder, too. What was answered is whole after a kill: a file is renamed to its name."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        for name in os.listdir(folder):
            if not name.startswith("~"):
                with open(os.path.join(folder, name), "rb") as f:
                    super().__setitem__(urllib.parse.unquote(name), f.read())

    def path(self, name, prefix=""):
        return os.path.join(self.folder, prefix + urllib.parse.quote(name, safe=""))

    def __setitem__(self, name, body):
        with open(self.path(name, "~"), "wb") as f:
            f.write(body)
        os.rename(f.name, self.path(name))
        super().__setitem__(name, body)

    def pop(self, name, *default):
        if name in self:
            os.unlink(self.path(name))
        return super().pop(name, *default)


class State:
    def __init__(self, skew, region, keep):
        self.lock = threading.Lock()
        self.skew, self.region = skew, region
        self.objects = {b: Kept(os.path.join(keep, b)) if keep else {} for b in ("packs", "plain")}
        self.versions = {"packs": [], "plain": []}  # oldest first: [name, number, moment, bytes; None: a delete marker]
        self.keys = {"tester": SECRET, "keeper": SECRET, "blind": SECRET, "session": SECRET}
        self.fault = None  # kind, method, times, share
        self.gate = threading.Event()
        self.instance_s, self.instance_held, self.instance_asked = 3600, False, 0
        self.counts = {"requests": 0, "PUT": 0, "GET": 0, "HEAD": 0, "DELETE": 0, "in": 0, "out": 0, "failed": 0, "unsigned": 0}
        self.chance = random.Random(1)

    def next_fault(self, method):
        with self.lock:
            f = self.fault
            if not f or (f["method"] and f["method"] != method):
                return None
            if f["share"]:
                hit = self.chance.random() < f["share"]
                kind = self.chance.choice(f["kind"].split(",")) if hit else None
            else:
                kind = f["kind"] if f["times"] > 0 else None
                f["times"] -= 1
            self.counts["failed"] += kind is not None
            return kind


def sign(secret, date, region, text):
    key = ("AWS4" + secret).encode()
    for part in (date, region, "s3", "aws4_request", text):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key.hex()


class Refused(Exception):
    def __init__(self, status, code, headers=()):
        super().__init__(code)
        self.status, self.code, self.headers = status, code, headers


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    state = None

    def log_message(self, format, *args):
        pass

    def answer(self, status, body=b"", headers=(), head=False):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if not head:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not head:
            self.wfile.write(body)
        self.state.counts["out"] += 0 if head else len(body)

    # ---- who asks ----

    def check_signature(self, path, query, body):
        state, got = self.state, self.headers.get("Authorization", "")
        state.counts["unsigned"] += not got
        if not got.startswith("AWS4-HMAC-SHA256 "):
            raise Refused(403, "AccessDenied")
        fields = dict(f.strip().split("=", 1) for f in got[17:].split(","))
        key, date, region, service, end = fields["Credential"].split("/")
        if key not in state.keys:
            raise Refused(403, "InvalidAccessKeyId")
        if region != state.region:
            raise Refused(400, "AuthorizationHeaderMalformed", [("x-amz-bucket-region", state.region)])
        stamp = self.headers["x-amz-date"]
        at = datetime.datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
        if abs((datetime.datetime.now(datetime.timezone.utc) - at).total_seconds() + state.skew) > SKEW_MOST_S:
            raise Refused(403, "RequestTimeTooSkewed")
        names = fields["SignedHeaders"].split(";")
        if "host" not in names or any(n.lower().startswith("x-amz-") and n.lower() not in names for n in self.headers):
            raise Refused(403, "AccessDenied")
        payload = self.headers["x-amz-content-sha256"]
        canonical = "\n".join([self.command, path, "&".join(sorted(q if "=" in q else q + "=" for q in query.split("&"))) if query else "",
                               *(f"{n}:{' '.join(self.headers[n].split())}" for n in names), "", ";".join(names), payload])
        text = "\n".join(["AWS4-HMAC-SHA256", stamp, f"{date}/{region}/{service}/{end}", hashlib.sha256(canonical.encode()).hexdigest()])
        if not hmac.compare_digest(sign(state.keys[key], date, region, text), fields["Signature"]):
            raise Refused(403, "SignatureDoesNotMatch")
        if hashlib.sha256(body).hexdigest() != payload:
            raise Refused(400, "XAmzContentSHA256Mismatch")
        if key == "session" and self.headers.get("x-amz-security-token") != "token":
            raise Refused(403, "InvalidToken")
        return key

    # ---- what is asked ----

    def serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = urllib.parse.urlsplit(self.path)
        if parts.path.startswith("/-/"):
            return self.control(parts.path[3:], dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True)))
        if parts.path.startswith("/latest/"):
            return self.instance(parts.path)
        state = self.state
        state.counts["requests"] += 1
        state.counts[self.command] = state.counts.get(self.command, 0) + 1
        state.counts["in"] += len(body)
        fault = state.next_fault(self.command)
        if fault == "slow":
            time.sleep(SLOW_S)
        if fault == "hold":
            state.gate.wait(HOLD_S)
        if fault == "cut":
            return self.cut()
        try:
            if fault in ("500", "503", "429", "409"):
                raise Refused(int(fault), {"500": "InternalError", "503": "SlowDown", "429": "TooManyRequests",
                                              "409": "ConditionalRequestConflict"}[fault])
            key = self.check_signature(parts.path, parts.query, body)
            status, answer, headers = self.act(key, parts.path, parts.query, body)
        except Refused as e:
            text = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{e.code}</Code><Message>It is refused.</Message></Error>'.encode()
            return self.answer(e.status, text, e.headers, self.command == "HEAD")
        if fault == "deaf":
            return self.cut()
        if fault == "half" and answer:
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer[: len(answer) // 2])
            return self.cut()
        if fault == "short":
            answer = answer[: len(answer) // 2]
        if fault == "wrong" and answer:
            answer = bytes([answer[0] ^ 1]) + answer[1:]
        return self.answer(status, answer, headers, self.command == "HEAD")

    def cut(self):
        self.wfile.flush()
        self.close_connection = True
        self.connection.shutdown(2)

    def act(self, key, path, query, body):
        bucket, _, name = path[1:].partition("/")
        objects = self.state.objects.get(bucket)
        if objects is None:
            raise Refused(404, "NoSuchBucket")
        with self.state.lock:
            if not name:
                if self.command == "GET" and "versions" in dict(urllib.parse.parse_qsl(query, keep_blank_values=True)):
                    return 200, self.versions_of(bucket, dict(urllib.parse.parse_qsl(query)).get("prefix", "")), []
                if self.command != "GET" or query != "versioning":
                    raise Refused(405, "MethodNotAllowed")
                status = "<Status>Enabled</Status>" if bucket == "packs" else ""
                return 200, f"<VersioningConfiguration>{status}</VersioningConfiguration>".encode(), []
            if self.command == "PUT":
                if self.headers.get("If-None-Match") == "*" and name in objects:
                    raise Refused(412, "PreconditionFailed")
                objects[name] = body
                self.note_version(bucket, name, body)
                return 200, b"", [("ETag", f'"{hashlib.md5(body).hexdigest()}"')]
            if self.command == "DELETE":
                if key == "keeper":
                    raise Refused(403, "AccessDenied")
                number = dict(urllib.parse.parse_qsl(query)).get("versionId")
                if number:
                    self.drop_version(bucket, name, number)
                else:
                    objects.pop(name, None)
                    self.note_version(bucket, name, None)
                return 204, b"", []
            if name not in objects:
                raise Refused(*((403, "AccessDenied") if key == "blind" else (404, "NoSuchKey")))
            whole = objects[name]
            if self.command == "HEAD":
                return 200, b"", [("Content-Length", str(len(whole)))]
            return self.part(whole)

    # ---- versions of the bucket that keeps them ----

    def note_version(self, bucket, name, body):
        if bucket == "packs":
            self.state.versions[bucket].append([name, str(len(self.state.versions[bucket])), datetime.datetime.now(datetime.timezone.utc), body])

    def drop_version(self, bucket, name, number):
        """Without its newest version an object is what the one before made of it."""
        versions, objects = self.state.versions[bucket], self.state.objects[bucket]
        versions[:] = [v if v[1] != number else [None, number, v[2], None] for v in versions]
        left = [v for v in versions if v[0] == name]
        objects.pop(name, None)
        if left and left[-1][3] is not None:
            objects[name] = left[-1][3]

    def versions_of(self, bucket, prefix):
        rows, newest = [], {v[0]: v[1] for v in self.state.versions[bucket]}
        for name, number, at, body in self.state.versions[bucket]:
            if name and name.startswith(prefix):
                kind = "DeleteMarker" if body is None else "Version"
                rows.append(f"<{kind}><Key>{name}</Key><VersionId>{number}</VersionId><IsLatest>{'true' if newest[name] == number else 'false'}</IsLatest>"
                            f"<LastModified>{at.strftime('%Y-%m-%dT%H:%M:%S.000Z')}</LastModified></{kind}>")
        return ('<ListVersionsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>false</IsTruncated>' + "".join(rows) +
                "</ListVersionsResult>").encode()

    def part(self, whole):
        asked = self.headers.get("Range")
        if not asked:
            return 200, whole, []
        first, last = (int(x) for x in asked.removeprefix("bytes=").split("-"))
        if first >= len(whole):
            raise Refused(416, "InvalidRange")
        last = min(last, len(whole) - 1)
        return 206, whole[first : last + 1], [("Content-Range", f"bytes {first}-{last}/{len(whole)}")]

    # ---- what the test asks ----

    def control(self, what, query):
        state, objects = self.state, self.state.objects["packs"]
        with state.lock:
            name = query.get("key") or next((k for k in sorted(objects) if len(objects[k]) > 64), None)
            if what == "fault":
                state.gate.clear()
                state.fault = {"kind": query["kind"], "method": query.get("method"), "times": int(query.get("times", 0)), "share": float(query.get("share", 0))}
            elif what == "lose":
                objects.pop(name)
            elif what == "flip":
                at = int(query.get("at", len(objects[name]) - 1))
                objects[name] = objects[name][:at] + bytes([objects[name][at] ^ 4]) + objects[name][at + 1 :]
            elif what == "cut":
                objects[name] = objects[name][:-10]
            elif what == "clear":
                for bucket in state.objects.values():
                    bucket.clear()
                state.fault = None
            elif what == "release":
                state.gate.set()
            elif what == "instance":
                if "seconds" in query:
                    state.gate.clear()
                    state.instance_s, state.instance_held = int(query["seconds"]), "held" in query
            elif what == "revoke":
                state.keys[query["new"]] = state.keys.pop(query["key"])
            said = {"keys": {b: {k: len(v) for k, v in o.items()} for b, o in state.objects.items()}, "counts": state.counts,
                    "instance": {"asked": state.instance_asked}}.get(what, {})
            text = json.dumps(said).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def instance(self, path):
        with self.state.lock:
            self.state.instance_asked += path == "/latest/api/token"
            held = self.state.instance_held
        if held:
            self.state.gate.wait(HOLD_S)
        said = {"/latest/api/token": "t0", "/latest/meta-data/iam/security-credentials/": "role"}.get(path)
        if path.endswith("/role"):
            until = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=self.state.instance_s)
            said = json.dumps({"Code": "Success", "AccessKeyId": "session", "SecretAccessKey": SECRET, "Token": "token",
                               "Expiration": until.strftime("%Y-%m-%dT%H:%M:%SZ")})
        known = said and (self.command == "PUT" or self.headers.get("X-aws-ec2-metadata-token") == "t0")
        self.answer(200 if known else 401, said.encode() if known else b"")

    do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = serve


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        pass  # a client that went away


class Bucket:
    """This program as a process, and what a test asks of it."""

    def __init__(self, *words):
        self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())

    def ask(self, what):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/-/{what}") as answer:
            return json.load(answer)

    def url(self, path="packs/team"):
        return f"http://127.0.0.1:{self.port}/{path}"

    def bundles(self):
        return [k for k in self.ask("keys")["packs"] if k.endswith(".bundle")]

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--skew", type=float, default=0)
    parser.add_argument("--region", default="us-east-1")
    parser.add_argument("--keep")
    parser.add_argument("--port", type=int, default=0)
    words = parser.parse_args()
    Handler.state = State(words.skew, words.region, words.keep)
    server = Server(("127.0.0.1", words.port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
