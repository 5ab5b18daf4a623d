#!/usr/bin/env python3
"""backup.py - backup and restore of a store in PostgreSQL and S3 to one moment. CONF is the file that servers have as cluster:CONF.

    backup.py take CONF FOLDER                  a base backup of the database, in FOLDER/base-TIME; prints the moment from which on
                                                it can be restored
    backup.py restore CONF FOLDER MOMENT DATA   makes of the newest base backup before MOMENT and of FOLDER/wal a data folder for
                                                PostgreSQL, which recovers to MOMENT when it is started on it, and brings back what
                                                the bucket lost since
    backup.py undelete CONF MOMENT              brings back what was deleted of the bucket after MOMENT, alone

The database says which objects of the bucket belong to the store, and what was put is never altered, so the bucket needs no copy of
its own for this: it keeps versions, and what gc deleted after a moment comes back when its delete marker is removed. The database is
restored first. For any moment, not only those of base backups, the database archives its WAL:

    archive_mode = on
    archive_command = 'test ! -f FOLDER/wal/%f && cp %p FOLDER/wal/%f.new && mv FOLDER/wal/%f.new FOLDER/wal/%f'

MOMENT is as PostgreSQL writes it: 2026-11-30 14:00:00+00. A lifecycle of the bucket that removes old versions must keep them as long
as backups are kept. Against the loss of the bucket itself, replicate it (S3 replication, rclone): a copy that was made after the base
backup has all that this one needs. Python 3.9 or newer, PostgreSQL's pg_basebackup and psql; only names, never keys, are printed."""

import datetime
import glob
import hashlib
import hmac
import os
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
import xml.etree.ElementTree as ElementTree

WAIT_S = 60


def die(sentence):
    sys.exit(f"backup.py: {sentence}")


def settings(path):
    """The settings of a file for cluster:, as texts."""
    found = {"region": "us-east-1"}
    with open(path, encoding="utf-8") as f:
        for line in f:
            if "=" in line and not line.lstrip().startswith("#"):
                key, value = line.split("=", 1)
                found[key.strip()] = value.strip()
    if "postgresql" not in found:
        die(f"{path} does not say where the database is: postgresql = ...")
    return found


def keys(conf):
    """(key, secret, token of a session or None), from where servers have them."""
    if "credentials" in conf:
        with open(conf["credentials"], encoding="utf-8") as f:
            own = dict(re.findall(r"^(aws_\w+)\s*=\s*(\S+)", f.read(), re.M))
    else:
        own = {
            name.lower(): os.environ[name]
            for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
            if os.environ.get(name)
        }
    if "aws_access_key_id" not in own or "aws_secret_access_key" not in own:
        die("no keys for the bucket: credentials = FILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
    return own["aws_access_key_id"], own["aws_secret_access_key"], own.get("aws_session_token")


class Bucket:
    """Asks S3, with Signature Version 4."""

    def __init__(self, conf):
        if "bucket" not in conf:
            die("the configuration names no bucket: there is nothing to bring back in it")
        url = urllib.parse.urlsplit(conf["bucket"])
        parts = url.path.strip("/").split("/", 1)
        self.base, self.host = f"{url.scheme}://{url.netloc}", url.netloc
        self.bucket, self.prefix = parts[0], parts[1] + "/" if len(parts) > 1 else ""
        self.region, self.keys = conf["region"], keys(conf)

    def ask(self, method, path, query):
        """The body of an answer. query: a list of names and values."""
        key, secret, token = self.keys
        stamp = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        path = urllib.parse.quote(path)
        text = "&".join(f"{urllib.parse.quote(n, safe='')}={urllib.parse.quote(v, safe='')}" for n, v in sorted(query))
        empty = hashlib.sha256(b"").hexdigest()
        headers = {
            "host": self.host,
            "x-amz-content-sha256": empty,
            "x-amz-date": stamp,
            **({"x-amz-security-token": token} if token else {}),
        }
        names = ";".join(headers)
        canonical = "\n".join([method, path, text, *(f"{n}:{v}" for n, v in headers.items()), "", names, empty])
        scope = f"{stamp[:8]}/{self.region}/s3/aws4_request"
        signed = ("AWS4" + secret).encode()
        for part in (*scope.split("/"), "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])):
            signed = hmac.new(signed, part.encode(), hashlib.sha256).digest()
        headers["Authorization"] = f"AWS4-HMAC-SHA256 Credential={key}/{scope}, SignedHeaders={names}, Signature={signed.hex()}"
        request = urllib.request.Request(f"{self.base}{path}?{text}", method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=WAIT_S) as answer:
                return answer.read()
        except urllib.error.HTTPError as e:
            return die(f"{self.base}/{self.bucket}: {method} is answered by {e.code} {e.reason}")
        except urllib.error.URLError as e:
            return die(f"{self.base}/{self.bucket} cannot be reached: {e.reason}")

    def markers(self):
        """(name, version, moment) of each delete marker that hides an object now."""
        at = []
        while True:
            page = ElementTree.fromstring(self.ask("GET", f"/{self.bucket}", [("prefix", self.prefix), ("versions", ""), *at]))
            space = page.tag[: page.tag.index("}") + 1] if "}" in page.tag else ""

            def text(node, name, space=space):
                return node.findtext(space + name) or ""

            for marker in page.iter(space + "DeleteMarker"):
                if text(marker, "IsLatest") == "true":
                    moment = datetime.datetime.fromisoformat(text(marker, "LastModified").replace("Z", "+00:00"))
                    yield text(marker, "Key"), text(marker, "VersionId"), moment
            if text(page, "IsTruncated") != "true":
                return
            at = [("key-marker", text(page, "NextKeyMarker")), ("version-id-marker", text(page, "NextVersionIdMarker"))]


def moment_of(text):
    text = re.sub(r"([+-]\d\d)$", r"\1:00", text.strip().replace("Z", "+00:00"))
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        die(f"{text} is no moment; write it as 2026-11-30 14:00:00+00")
    if moment.tzinfo is None:
        die(f"{text} does not say in which zone: add +00 for UTC")
    return moment


def undelete(conf, moment):
    """Removes markers of a second before the moment on: S3 keeps whole seconds. What is too much is deleted again by gc."""
    bucket, back = Bucket(conf), 0
    since = moment - datetime.timedelta(seconds=1)
    for name, version, at in list(bucket.markers()):
        if at >= since:
            bucket.ask("DELETE", f"/{bucket.bucket}/{name}", [("versionId", version)])
            back += 1
    print(f"{back} objects of the bucket are back that were deleted after {moment}")


def sql(conf, command):
    done = subprocess.run(["psql", "-X", "-A", "-t", "-q", "-c", command, conf["postgresql"]], capture_output=True, text=True)
    if done.returncode:
        die(f"the database cannot be asked: {done.stderr.strip()}")
    return done.stdout.strip()


def take(conf, folder):
    os.makedirs(os.path.join(folder, "wal"), exist_ok=True)
    at = os.path.join(folder, "base-" + datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ"))
    if subprocess.run(["pg_basebackup", "-d", conf["postgresql"], "-D", at, "-X", "stream", "-c", "fast"]).returncode:
        die("pg_basebackup fails: its user needs REPLICATION, and the database wal_level = replica")
    moment = sql(conf, "SELECT now()")
    with open(os.path.join(at, "tscope-moment"), "w", encoding="utf-8") as f:
        f.write(moment + "\n")
    print(moment)


def base_before(folder, moment):
    """The newest base backup that had ended by the moment."""
    fit = []
    for at in glob.glob(os.path.join(glob.escape(folder), "base-*")):
        try:
            with open(os.path.join(at, "tscope-moment"), encoding="utf-8") as f:
                ended = moment_of(f.read())
        except FileNotFoundError:
            continue  # it was not finished
        if ended <= moment:
            fit.append((ended, at))
    if not fit:
        die(f"no base backup in {folder} had ended by {moment}")
    return max(fit)[1]


def restore(conf, folder, moment, data):
    if os.path.exists(data) and os.listdir(data):
        die(f"{data} is not empty: a restore writes over nothing")
    base = base_before(folder, moment)
    shutil.copytree(base, data, dirs_exist_ok=True)
    os.chmod(data, 0o700)
    wal = os.path.abspath(os.path.join(folder, "wal"))
    with open(os.path.join(data, "postgresql.auto.conf"), "a", encoding="utf-8") as f:
        f.write(f"restore_command = 'cp \"{wal}/%f\" \"%p\"'\nrecovery_target_time = '{moment.isoformat(' ')}'\nrecovery_target_action = 'promote'\n"
                "archive_mode = off\n")  # fmt: skip
    open(os.path.join(data, "recovery.signal"), "w", encoding="utf-8").close()
    print(f"{data} is of {os.path.basename(base)}, and recovers to {moment} when PostgreSQL is started on it")
    if "bucket" in conf:
        undelete(conf, moment)


def main():
    words = sys.argv[1:]
    if len(words) == 3 and words[0] == "take":
        take(settings(words[1]), words[2])
    elif len(words) == 5 and words[0] == "restore":
        restore(settings(words[1]), words[2], moment_of(words[3]), words[4])
    elif len(words) == 3 and words[0] == "undelete":
        undelete(settings(words[1]), moment_of(words[2]))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
