#!/usr/bin/env python3
"""Stands for gh and for curl, whichever it is called as: records what it was asked, and answers from the folder $STUB as the servers would.

    $STUB/calls.jsonl        a line a call: program, arguments, token
    $STUB/comments.json      [{"id", "user": {"login"}, "author": {"id"}, "body"}]: comments of GitHub and notes of GitLab alike
    $STUB/pulls.json         [{"number", "head": {"sha"}}]
    $STUB/runs.json          [{"databaseId": N}] of the base branch; $STUB/artifacts/N/NAME/ what they left
    $STUB/jobs/NAME/FILE     what the last job NAME of GitLab's base branch left
"""
import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys

STUB = os.environ["STUB"]
args = sys.argv[1:]


def load(name):
    with open(os.path.join(STUB, name), encoding="utf-8") as f:
        return json.load(f)


def save(name, value):
    with open(os.path.join(STUB, name), "w", encoding="utf-8") as f:
        json.dump(value, f)


def record(token):
    with open(os.path.join(STUB, "calls.jsonl"), "a", encoding="utf-8") as f:
        f.write(json.dumps({"program": os.path.basename(sys.argv[0]), "args": args, "token": token}) + "\n")


def option(name):
    return args[args.index(name) + 1] if name in args else None


def jq(value):
    print(subprocess.run(["jq", "-r", option("--jq")], input=json.dumps(value), capture_output=True, text=True, check=True).stdout, end="")


def write_comment(number, body):
    comments = load("comments.json")
    if number is None:
        me = {"user": {"login": "github-actions[bot]"}, "author": {"id": 77}}
        comments.append({"id": 1000 + len(comments), **me, "body": body})
    else:
        [c for c in comments if c["id"] == number][0]["body"] = body
    save("comments.json", comments)


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def gh():
    record(os.environ.get("GH_TOKEN"))
    if not os.environ.get("GH_TOKEN"):
        sys.exit("gh: no token")
    if args[:2] == ["run", "list"]:
        return jq(load("runs.json"))
    if args[:2] == ["run", "download"]:
        left = os.path.join(STUB, "artifacts", args[2])
        if option("--pattern"):
            for name in fnmatch.filter(os.listdir(left), option("--pattern")):
                shutil.copytree(os.path.join(left, name), os.path.join(option("--dir"), name))
            return None
        source = os.path.join(left, option("--name"))
        if not os.path.isdir(source):
            sys.exit(f"gh: no artifact {option('--name')}")
        return shutil.copytree(source, option("--dir"), dirs_exist_ok=True)
    path = [a for a in args[1:] if a.startswith("repos/")][0]
    body = option("-F")
    if body is None:
        return jq(load("pulls.json" if "/pulls?" in path else "comments.json"))
    if not body.startswith("body=@"):
        sys.exit(f"gh: {body}")
    number = re.fullmatch(r"repos/o/r/issues/comments/(\d+)", path)
    if option("--method") != ("PATCH" if number else "POST") or not (number or re.fullmatch(r"repos/o/r/issues/\d+/comments", path)):
        sys.exit(f"gh: {option('--method')} {path}")
    return write_comment(int(number.group(1)) if number else None, read(body[6:]))


def curl():
    header = re.fullmatch(r'header = "(PRIVATE|JOB)-TOKEN: (.+)"\n', read(option("--config")))
    record(header.group(2))
    url = [a for a in args if a.startswith("https://")][0]
    if "/jobs/artifacts/" in url:
        name, job = re.fullmatch(r".*/projects/5/jobs/artifacts/main/raw/(.+)\?job=(.+)", url).groups()
        source = os.path.join(STUB, "jobs", job, name)
        if not os.path.exists(source):
            sys.exit("curl: (22) The requested URL returned error: 404")
        return shutil.copy(source, option("--output"))
    if url.endswith("/user"):
        return print(json.dumps({"id": 77}))
    form = option("--form")
    if form is None:
        page = int(re.search(r"[?&]page=(\d+)", url).group(1))
        return print(json.dumps(load("comments.json")[(page - 1) * 100:page * 100]))
    number = re.fullmatch(r".*/projects/5/merge_requests/3/notes/(\d+)", url)
    if not form.startswith("body=<") or option("--request") != ("PUT" if number else "POST"):
        sys.exit(f"curl: {args}")
    return write_comment(int(number.group(1)) if number else None, read(form[6:]))


{"gh": gh, "curl": curl}[os.path.basename(sys.argv[0])]()
