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

A restored database goes on to archive, on a timeline of its own. A restore follows the timeline of its base backup: take one as soon
as the restored database is right, for moments after it. A database that is only a try is started with -c archive_mode=off. take
refuses where the WAL is not archived.

take and restore run as root: FOLDER and FOLDER/wal belong to PostgreSQL's user, who archives, and the keys of the bucket are for the
servers' user. Give DATA to PostgreSQL's user before it is started. Keys come from the file of credentials or from AWS_ACCESS_KEY_ID and
AWS_SECRET_ACCESS_KEY; the role that a cloud gives to the machine is not asked for.

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


def read(path):
    try:
        with open(path, encoding="utf-8") as f:
            return f.read()
    except OSError as e:
        return die(f"{path} cannot be read: {e.strerror}")


def settings(path):
    """The settings of a file for cluster:, as texts."""
    found = {"region": "us-east-1"}
    for line in read(path).splitlines():
        if "=" in line and not line.lstrip().startswith("#"):
            key, value = line.split("=", 1)
            found[key.strip()] = value.strip()
    if "postgresql" not in found:
        die(f"{path} does not say where the database is: postgresql = ...")
    return found


def keys(conf):
    """(key, secret, token of a session or None), from the file or the variables that servers have, not of the role of a machine."""
    if "credentials" in conf:
        own = dict(re.findall(r"^(aws_\w+)\s*=\s*(\S+)", read(conf["credentials"]), re.M))
    else:
        own = {
            name.lower(): os.environ[name]
            for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
            if os.environ.get(name)
        }
    if "aws_access_key_id" not in own or "aws_secret_access_key" not in own:
        die("no keys for the bucket: credentials = FILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; the role of a machine is not asked for")
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
                    yield text(marker, "Key"), text(marker, "VersionId"), moment_of(text(marker, "LastModified"))
            if text(page, "IsTruncated") != "true":
                return
            at = [("key-marker", text(page, "NextKeyMarker")), ("version-id-marker", text(page, "NextVersionIdMarker"))]


def parsed(text):
    """A moment; ValueError where it is none. PostgreSQL drops zeros at the end of a fraction, which Python takes of 3.11 on only."""
    text = re.sub(r"([+-]\d\d)$", r"\1:00", text.strip().replace("Z", "+00:00"))
    text = re.sub(r"\.(\d+)", lambda fraction: "." + fraction[1][:6].ljust(6, "0"), text)
    moment = datetime.datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text} does not say in which zone")
    return moment


def moment_of(text):
    try:
        return parsed(text)
    except ValueError:
        return die(f"{text} is no moment with its zone; write it as 2026-11-30 14:00:00+00, which is of UTC")


class Deleted:
    """What the bucket lost of a second before the moment on: S3 keeps whole seconds. What is too much is deleted again by gc."""

    def __init__(self, conf, moment):
        self.bucket, self.moment = Bucket(conf), moment
        since = moment - datetime.timedelta(seconds=1)
        self.markers = [(name, version) for name, version, at in self.bucket.markers() if at >= since]

    def bring_back(self):
        for name, version in self.markers:
            self.bucket.ask("DELETE", f"/{self.bucket.bucket}/{name}", [("versionId", version)])
        print(f"{len(self.markers)} objects of the bucket are back that were deleted after {self.moment}")


def run(words, **more):
    try:
        return subprocess.run(words, text=True, **more)
    except FileNotFoundError:
        return die(f"{words[0]} is not on this machine: Debian's packages postgresql-client and postgresql have it, the latter in /usr/lib/postgresql/*/bin")


def sql(conf, command):
    done = run(["psql", "-X", "-A", "-t", "-q", "-c", command, conf["postgresql"]], capture_output=True)
    if done.returncode:
        die(f"the database cannot be asked: {done.stderr.strip()}")
    return done.stdout.strip()


def check_archive(conf, folder):
    """A base backup alone is of no moment: PostgreSQL recovers up to one by the WAL that was archived after it."""
    if not os.path.isdir(os.path.join(folder, "wal")):
        die(f"{folder} has no folder wal, into which PostgreSQL's user archives: make it for that user")
    mode = sql(conf, "SHOW archive_mode")
    if mode == "off":
        die("the database archives no WAL: ALTER SYSTEM SET archive_mode = on, and restart it")
    failed = sql(conf, "SELECT last_failed_wal FROM pg_stat_archiver WHERE last_failed_time > coalesce(last_archived_time, '-infinity')")
    if failed:
        die(f"the database could not archive {failed} when it last tried: its log says why; nothing after that could be restored")


def take(conf, folder):
    check_archive(conf, folder)
    at = os.path.join(folder, "base-" + datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ"))
    if run(["pg_basebackup", "-d", conf["postgresql"], "-D", at, "-X", "stream", "-c", "fast"]).returncode:
        die("pg_basebackup fails: its user needs REPLICATION, and the database wal_level = replica")
    moment = sql(conf, "SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || '+00'")
    with open(os.path.join(at, "tscope-moment"), "w", encoding="utf-8") as f:
        f.write(moment + "\n")
    print(moment)


def base_before(folder, moment):
    """The newest base backup that had ended by the moment."""
    fit = []
    for at in glob.glob(os.path.join(glob.escape(folder), "base-*")):
        try:
            with open(os.path.join(at, "tscope-moment"), encoding="utf-8") as f:
                ended = parsed(f.read())
        except FileNotFoundError:
            continue  # it was not finished
        except (OSError, ValueError) as e:
            print(f"backup.py: {at} is left out, its moment cannot be read: {e}", file=sys.stderr)
            continue
        if ended <= moment:
            fit.append((ended, at))
    if not fit:
        die(f"no base backup in {folder} had ended by {moment}")
    return max(fit)[1]


def restore(conf, folder, moment, data):
    if os.path.exists(data) and os.listdir(data):
        die(f"{data} is not empty: a restore writes over nothing")
    if "bucket" in conf:
        keys(conf)
    base = base_before(folder, moment)
    deleted = Deleted(conf, moment) if "bucket" in conf else None  # what fails there fails before anything is written
    try:
        shutil.copytree(base, data, dirs_exist_ok=True)
        os.chmod(data, 0o700)
    except (OSError, shutil.Error) as e:
        die(f"{base} cannot be copied to {data}: {e}")
    wal = os.path.abspath(os.path.join(folder, "wal"))
    with open(os.path.join(data, "postgresql.auto.conf"), "a", encoding="utf-8") as f:
        f.write(f"restore_command = 'cp \"{wal}/%f\" \"%p\"'\nrecovery_target_time = '{moment.isoformat(' ')}'\nrecovery_target_action = 'promote'\n"
                "recovery_target_timeline = 'current'\n")  # fmt: skip
    open(os.path.join(data, "recovery.signal"), "w", encoding="utf-8").close()
    print(f"{data} is of {os.path.basename(base)}, and recovers to {moment} when PostgreSQL is started on it")
    if os.geteuid() == 0:
        print(f"first give it to PostgreSQL's user: chown -R postgres {data}")
    print("for a try alone start it with -c archive_mode=off; else take a base backup when it is right: moments after this need one")
    if deleted:
        deleted.bring_back()


def main():
    words = sys.argv[1:]
    if len(words) == 3 and words[0] == "take":
        take(settings(words[1]), words[2])
    elif len(words) == 5 and words[0] == "restore":
        restore(settings(words[1]), words[2], moment_of(words[3]), words[4])
    elif len(words) == 3 and words[0] == "undelete":
        Deleted(settings(words[1]), moment_of(words[2])).bring_back()
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
