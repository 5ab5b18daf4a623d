#!/usr/bin/env python3
"""Logs into `tscope web` as MLflow's clients do, and as nobody should: mlflow_door.py BUILD [NAME...].

What needs the real client is skipped where PyPI cannot be reached, with a sentence; everything else is tried all the same."""
import html
import json
import os
import pwd
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from served import Store, Web, make_run, until  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
WANTED = "mlflow-skinny==3.17.0"
API = "/api/2.0/mlflow/"


def environment(build):
    """A Python with MLflow's client, made once in the build folder; None where PyPI cannot be reached."""
    folder = os.path.join(build, "mlflow-client")
    python = os.path.join(folder, "bin", "python")
    if os.path.exists(os.path.join(folder, "whole")):
        return python
    base = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
    try:
        subprocess.run([base, "-m", "venv", "--clear", folder], check=True, capture_output=True, timeout=120)
        subprocess.run([python, "-m", "pip", "install", "-q", WANTED], check=True, capture_output=True, timeout=400, stdin=subprocess.DEVNULL)
    except (subprocess.SubprocessError, OSError):
        return None
    with open(os.path.join(folder, "whole"), "w"):
        return python


class Client:
    """The calls themselves, without MLflow."""

    def __init__(self, web, **headers):
        self.web, self.headers = web, headers

    def ask(self, call, body=None, method=None, **query):
        path = API + call + ("?" + urllib.parse.urlencode(query) if query else "")
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        status, _, out = self.web.ask(path, method or ("GET" if body is None else "POST"), token=False, body=data,
                                      **{"Content_Type": "application/json", **self.headers})
        return status, out

    def call(self, call, body=None, **query):
        status, out = self.ask(call, body, **query)
        assert status == 200, (call, status, out)
        return json.loads(out)

    def error(self, call, body=None, method=None, **query):
        """The code of a refusal, whose document must be MLflow's."""
        status, out = self.ask(call, body, method, **query)
        said = json.loads(out)
        assert status >= 400 and said["message"], (call, status, out)
        return status, said["error_code"]

    def run(self, name="r", experiment="0"):
        return self.call("runs/create", {"experiment_id": experiment, "run_name": name, "start_time": 1700000000000})["run"]["info"]["run_id"]

    def history(self, run, key):
        return [(m["step"], m["value"]) for m in self.call("metrics/get-history", run_id=run, metric_key=key).get("metrics", [])]


def real(store, web, *words, check=True, uri=None):
    env = {**store.env, "MLFLOW_TRACKING_URI": uri or "http://" + web.host, "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1", "MLFLOW_ALLOW_FILE_STORE": "true",
           "GIT_PYTHON_REFRESH": "quiet"}
    done = subprocess.run([store.mlflow, os.path.join(HERE, "mlflow_client.py"), *words], cwd=store.work, env=env, capture_output=True, timeout=120)
    assert done.returncode == 0 or not check, done.stderr.decode()[-2000:]
    return done.stdout.decode().strip().splitlines()[-1] if done.stdout.strip() else ""


def listed(store):
    rows = json.loads(store.tscope("list", "--json").stdout)["rows"]
    return {row["name"].partition("/")[2]: row["values"] for row in rows}


def exported(store, name):
    """The rows of a run, and its facts by path."""
    folder = os.path.join(store.work, "out" + str(random.random()))
    store.tscope("export", name, folder)
    with open(os.path.join(folder, "steps.jsonl")) as rows:
        rows = [json.loads(line) for line in rows]
    facts = json.loads(store.tscope("facts", name, "--json").stdout)["facts"]
    return rows, {fact["path"]: fact["fact"] for fact in facts}


# -- with the real client --

def logs_as_people_do(store, web):
    """The functions that people call: what they log is in the store when they end, value by value."""
    ids = json.loads(real(store, web, "log"))
    assert until(60, lambda: listed(store).get("bert-fine-tune/first-run", {}).get("state") == "finished"), listed(store)
    assert until(60, lambda: listed(store)["bert-fine-tune/broken"]["state"] == "crashed")
    rows, facts = exported(store, "bert-fine-tune/first-run")
    assert [row["scalars"]["loss"] for row in rows] == [2 ** -step + (0.1 if step % 3 else 0) for step in range(20)]
    assert all(row["scalars"]["loss/train"] == row["scalars"]["loss"] / 2 for row in rows) and all(row["timestamp"] > 1.6e9 for row in rows)
    odd = [row["scalars"].get("odd") for row in rows[3:6]]
    assert str(odd) == "[nan, inf, -0.0]", odd
    values = {path: fact["value"] for path, fact in facts.items()}
    for path, value in {"config.lr": 0.001, "config.depth": 12, "config.bias": True, "config.model/name": "bert", "config.model": "b",
                        "session.name": "first run", "other.mlflow.experiment": "bert/fine tune", "other.mlflow.run_id": ids["run"]}.items():
        assert values[path] == value, (path, values)
    assert exported(store, "bert-fine-tune/child")[1]["lineage.nested_in"]["value"] == ids["run"]
    assert "<script>alert" not in web.page("/p/default/facts/bert-fine-tune/first-run")
    seen = json.loads(real(store, web, "look", ids["run"]))
    assert seen["status"] == "FINISHED" and seen["name"] == "first run" and seen["notes"] == "what was tried\n", seen
    assert seen["params"] == {"lr": "0.001", "depth": "12", "bias": "True", "model/name": "bert", "model": "b"}, seen["params"]
    assert seen["history"] == [[row["step"], row["scalars"]["loss"]] for row in rows] and seen["times"] == sorted(seen["times"])
    assert seen["minus"] == -1 and seen["metrics"]["odd"] == "-0.0" and seen["found"] == [ids["run"]] and seen["best"][0] == ids["run"], seen
    assert seen["artifacts"] == ["docs", "sub"] and seen["inside"] == ["sub/text.txt"] and seen["tags"]["note"].startswith("<script>")
    assert seen["refused"] == {"param": "INVALID_PARAMETER_VALUE", "run": "RESOURCE_DOES_NOT_EXIST", "filter": "INVALID_PARAMETER_VALUE",
                               "model": "ENDPOINT_NOT_FOUND", "experiment": "RESOURCE_ALREADY_EXISTS"}, seen["refused"]
    status, headers, _ = web.ask("/mlflow/" + ids["run"])
    assert status == 303 and headers["location"] == "/p/default/r/bert-fine-tune/first-run", headers
    real(store, web, "resume", ids["run"])
    # Steps are written while a run goes on, its end after them.
    assert until(60, lambda: [listed(store)["bert-fine-tune/first-run"][name] for name in ("steps", "state")] == [25, "finished"])
    real(store, web, "delete", ids["child"])
    assert "bert-fine-tune/child" not in listed(store)
    real(store, web, "restore", ids["child"])
    assert "bert-fine-tune/child" in listed(store)


def equals_mlflows_own_store(store, web):
    """The same calls to MLflow's own store of files, pushed from there, give the same rows and the same facts but for ids."""
    real(store, web, "fixed")
    files = os.path.join(store.work, "own-files")
    real(store, web, "fixed", uri="file://" + files)
    store.tscope("push", "--name", "own", "--force", os.path.join(files, next(d for d in os.listdir(files) if d.isdigit() and d != "0")))
    assert until(60, lambda: listed(store).get("same/twin", {}).get("state") == "crashed")
    own = next(name for name in listed(store) if name.startswith("own"))
    (rows, facts), (rows_own, facts_own) = exported(store, "same/twin"), exported(store, own)
    assert len(rows) == 303 and str(rows) == str(rows_own)
    differ = {path for path in {*facts, *facts_own} if facts.get(path) != facts_own.get(path)}
    assert all(any(word in path for word in ("run_id", "experiment_id", "tscope", "runName", "user", "session.push", "source")) for path in differ), differ


# -- the calls themselves --

def is_live(store, web):
    """A run is in the store while it grows, and each of its steps within seconds."""
    client = Client(web)
    run = client.run("grows")
    assert listed(store)["Default/grows"]["state"] == "running"
    for step in range(3):
        client.call("runs/log-metric", {"run_id": run, "key": "loss", "value": 1.0 / (step + 1), "timestamp": 1700000000000 + step, "step": step})
        began = time.monotonic()
        assert until(60, lambda: listed(store)["Default/grows"]["steps"] == step + 1), step
        print(f"  in the store after {time.monotonic() - began:.1f} s", flush=True)
    again = client.run("grows")
    assert {name for name in listed(store) if name.startswith("Default/grows")} == {"Default/grows", f"Default/grows-{again[:6]}"}


def keeps_order_and_repeats(store, web):
    """Two values at one step are both kept; a batch that comes twice is there once; NaN comes and goes as a text."""
    client = Client(web)
    run = client.run("twice")
    batch = {"run_id": run, "metrics": [{"key": key, "value": value, "timestamp": at, "step": step}
                                        for at, (key, value, step) in enumerate([("b", 1, 0), ("a", 2.5, 0), ("b", 3, 0), ("b", "NaN", 1), ("b", "-Infinity", "2")])]}
    for _ in range(3):
        client.call("runs/log-batch", batch)
    assert client.history(run, "b") == [(0, 1.0), (0, 3.0), (1, "NaN"), (2, "-Infinity")] and client.history(run, "a") == [(0, 2.5)]
    client.call("runs/log-batch", {"run_id": run, "metrics": [{"key": "b", "value": 4, "timestamp": 9, "step": 3}]})
    assert client.history(run, "b")[-1] == (3, 4.0) and len(client.history(run, "b")) == 5
    last = {m["key"]: m["value"] for m in client.call("runs/get", run_id=run)["run"]["data"]["metrics"]}
    assert last == {"a": 2.5, "b": 4.0}, last
    page = client.call("metrics/get-history", run_id=run, metric_key="b", max_results=2)
    assert len(page["metrics"]) == 2 and page["next_page_token"] == "2"
    assert len(client.call("metrics/get-history", run_id=run, metric_key="b", page_token="2")["metrics"]) == 3


def searches(store, web):
    """Filters, orders and pages, against the same done in Python."""
    client = Client(web)
    experiment = client.call("experiments/create", {"name": "searched"})["experiment_id"]
    rng, runs = random.Random(3), {}
    for i in range(24):
        run = client.run(f"s{i}", experiment)
        loss, kind = rng.random(), rng.choice("abc")
        client.call("runs/log-batch", {"run_id": run, "params": [{"key": "kind", "value": kind}], "tags": [{"key": "my.tag", "value": f"t{i % 5}"}],
                                       "metrics": [{"key": "loss", "value": loss, "timestamp": 1, "step": 0}] if i % 6 else []})
        if i % 4 == 0:
            client.call("runs/update", {"run_id": run, "status": "FINISHED", "end_time": 1700000001000})
        runs[run] = {"loss": loss if i % 6 else None, "kind": kind, "tag": f"t{i % 5}", "done": i % 4 == 0, "i": i}

    def found(text, **more):
        answer = client.call("runs/search", {"experiment_ids": [experiment], "filter": text, **more})
        return [run["info"]["run_id"] for run in answer.get("runs", [])]

    def those(holds):
        return {run for run, about in runs.items() if holds(about)}

    for text, holds in (("", lambda r: True), ("metrics.loss < 0.5", lambda r: r["loss"] is not None and r["loss"] < 0.5),
                        ("metrics.loss >= 0.5 AND params.kind = 'a'", lambda r: r["loss"] is not None and r["loss"] >= 0.5 and r["kind"] == "a"),
                        ("params.kind != \"b\" and tags.`my.tag` = 't1'", lambda r: r["kind"] != "b" and r["tag"] == "t1"),
                        ("status = 'FINISHED'", lambda r: r["done"]), ("attributes.status IN ('RUNNING', 'FAILED')", lambda r: not r["done"]),
                        ("params.kind LIKE '%'", lambda r: True), ("tags.\"my.tag\" ILIKE 'T_'", lambda r: True), ("params.kind LIKE 'a_'", lambda r: False),
                        ("run_name LIKE 's1%'", lambda r: str(r["i"]).startswith("1")), ("metrics.loss IS NULL", lambda r: r["loss"] is None),
                        ("params.nothing = 'x'", lambda r: False), ("start_time > 5", lambda r: True)):
        assert set(found(text)) == those(holds), text
    by_loss = found("metrics.loss > 0", order_by=["metrics.loss DESC"])
    assert by_loss == sorted(by_loss, key=lambda run: -runs[run]["loss"])
    assert {run for run in found("", order_by=["metrics.loss"])[-4:]} == those(lambda r: r["loss"] is None), "runs without the value stand last"
    first = client.call("runs/search", {"experiment_ids": [experiment], "max_results": 10})
    second = client.call("runs/search", {"experiment_ids": [experiment], "max_results": 100, "page_token": first["next_page_token"]})
    assert {r["info"]["run_id"] for r in first["runs"] + second["runs"]} == set(runs) and "next_page_token" not in second
    for text in ("metrics.loss <", "metrics.loss < 'a'", "loss < 1", "metrics.loss < 1 or metrics.loss > 2", "metrics.loss < 1 and", "tags.x = 'a", "a b c",
                 "params.x IN ('a'", "'" * 5000, " and ".join(["metrics.a < 1"] * 65)):
        assert client.error("runs/search", {"experiment_ids": [experiment], "filter": text}) == (400, "INVALID_PARAMETER_VALUE"), text


def refuses_what_is_wrong(store, web):
    """Hostile bodies, keys and paths get MLflow's own error document, and change nothing."""
    client = Client(web)
    run = client.run("kept")
    client.call("runs/log-parameter", {"run_id": run, "key": "p", "value": "1"})
    for body in (b"{", b"[]", b"null", b"\xff", b'{"run_id": 1, "metrics": 5}', b"[" * 100000, b'{"a":' * 5000, b'{"run_id": {"a": 1}}',
                 b'{"metrics": [1]}', b'{"run_id": "x", "metrics": [{"key": "a", "value": "abc"}]}', b"{} {}", b'{"timestamp": 1.5}', b"\0" * 1000,
                 json.dumps({"run_id": run, "metrics": [{"key": "a", "value": 1, "timestamp": 1, "step": 0}] * 1001}).encode()):
        assert client.error("runs/log-batch", body) == (400, "INVALID_PARAMETER_VALUE"), body[:80]
    keys = ["", ".", "..", "../x", "a/../b", "/etc/passwd", "a//b", "a%2Fb", "a\nb", "a\0b", "k" * 251, "a/" * 200 + "a", "tscope.name", "a'b", "<b>", "a;b"]
    for key in keys:
        for call, body in (("runs/log-metric", {"value": 1, "timestamp": 1}), ("runs/log-parameter", {"value": "x"}), ("runs/set-tag", {"value": "x"})):
            if not (key == "tscope.name" and call == "runs/log-metric"):
                assert client.error(call, {"run_id": run, "key": key, **body}) == (400, "INVALID_PARAMETER_VALUE"), (call, key)
    for call, body in (("runs/log-metric", {"run_id": run, "key": "a", "timestamp": 1}), ("runs/log-parameter", {"run_id": run, "key": "p", "value": "2"}),
                       ("runs/create", {"experiment_id": "0", "run_name": "x" * 600}), ("runs/update", {"run_id": run, "status": "GOOD"}),
                       ("experiments/create", {"name": ""}), ("runs/log-parameter", {"run_id": run, "key": "q", "value": "x" * 6001}), ("runs/get", None)):
        assert client.error(call, body) == (400, "INVALID_PARAMETER_VALUE"), call
    for call, body in (("runs/log-metric", {"run_id": "0" * 32, "key": "a", "value": 1}), ("runs/log-metric", {"run_id": "../" + run, "key": "a", "value": 1}),
                       ("runs/create", {"experiment_id": "77"}), ("runs/delete-tag", {"run_id": run, "key": "none"})):
        assert client.error(call, body) == (404, "RESOURCE_DOES_NOT_EXIST"), call
    for call, body in (("registered-models/create", {"name": "m"}), ("logged-models/x/y", {}), ("runs/get", {"run_id": run}), ("", {}), ("runs/log-model", {})):
        assert client.error(call, body) == (404, "ENDPOINT_NOT_FOUND"), call
    assert web.ask("/api/3.0/mlflow/traces/search", "POST", token=False, body=b"{}")[0] == 404
    data = client.call("runs/get", run_id=run)["run"]["data"]
    assert not data["metrics"] and data["params"] == [{"key": "p", "value": "1"}], data
    at = f"/api/2.0/mlflow-artifacts/artifacts/0/{run}/artifacts"
    for path in ("/../x", "/%2e%2e/x", "/a/../../x", "//x", "/a%00b", "/..%2fx", "/%2fetc/passwd", "/" + "a" * 300, "", "/", "/a%0ab"):
        status, _, out = web.ask(at + path, "PUT", token=False, body=b"x")
        assert status in (400, 404) and json.loads(out)["error_code"], (path, status, out)
    assert web.ask(at + "/a/b.txt", "PUT", token=False, body=b"\0\xff" * 1000000)[0] == 200
    status, headers, out = web.ask(at + "/a/b.txt", token=False)
    assert status == 200 and out == b"\0\xff" * 1000000 and headers["content-disposition"] == "attachment", headers
    assert "sandbox" in headers["content-security-policy"] and headers["x-content-type-options"] == "nosniff" and "html" not in headers["content-type"]
    for path, method, size in ((at + "/big", "PUT", (16 << 20) + 1), (API + "runs/log-batch", "POST", (1 << 20) + 1)):
        status, headers, out = web.ask(path, method, token=False, body=b"x" * size)
        assert status == 413 and json.loads(out)["error_code"] == "INVALID_PARAMETER_VALUE" and "16 MiB" in json.loads(out)["message"], out
    inside = [os.path.join(top, name) for top, _, names in os.walk(store.work + "/store.mlflow") for name in names]
    assert not [path for path in inside if path.endswith(("/x", "/passwd", "/big"))], inside
    rng = random.Random(8)
    whole = json.dumps({"run_id": run, "metrics": [{"key": "f", "value": 1.5, "timestamp": 17, "step": 3}], "params": [{"key": "z", "value": "v"}]}).encode()
    for _ in range(400):
        body = bytearray(whole)
        for _ in range(rng.randrange(1, 4)):
            body[rng.randrange(len(body))] = rng.randrange(256)
        status, out = client.ask("runs/log-batch", bytes(body))
        assert status in (200, 400, 404) and isinstance(json.loads(out), dict), (status, out, bytes(body))


def keeps_artifacts(store, web):
    """Artifacts are files of the run in the store: the command and the page list them and give them back, byte for byte, and no page runs what is in them."""
    client = Client(web)
    run = client.run("with-files")
    at = f"/api/2.0/mlflow-artifacts/artifacts/0/{run}/artifacts/"
    files = {"model/MLmodel": b"flavors: {}\n", "model/data/rank3 model.pkl": bytes(range(256)) * 5000, "plain.html": b"<script>alert(1)</script>",
             "100%/a%2Fb": b"", "\u00e9t\u00e9.json": b"{}"}
    for path, data in files.items():
        assert web.ask(at + urllib.parse.quote(path), "PUT", token=False, body=data)[0] == 200, path
    client.call("runs/update", {"run_id": run, "status": "FINISHED", "end_time": 1700000009000})
    assert until(60, lambda: listed(store)["Default/with-files"]["state"] == "finished")
    kept = {file["name"]: file["size_bytes"] for file in json.loads(store.tscope("show", "--json", "Default/with-files").stdout)["files"]}
    assert kept == {"artifacts%2F" + path.replace("%", "%25").replace("/", "%2F"): len(data) for path, data in files.items()}, kept
    page = html.unescape(web.page("/p/default/r/Default/with-files"))
    for path, data in files.items():
        assert store.tscope("export", "Default/with-files", "--file", "artifacts/" + path).stdout == data, path
        link = re.search(r'href="([^"]*/file/[0-9a-f]{64}\?file=' + re.escape(urllib.parse.quote("artifacts/" + path, safe="/-._~")) + '[^"]*)"', page)
        assert link, (path, page[page.find("file/"):][:300])
        status, headers, out = web.ask(link.group(1))
        assert status == 200 and out == data, (path, status)
        assert headers["content-type"] == "application/octet-stream" and headers["x-content-type-options"] == "nosniff" and "sandbox" in headers["content-security-policy"]
        assert re.fullmatch(r'attachment; filename="[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}"', headers["content-disposition"]), headers
    for query, wanted in (("file=artifacts/none", 404), ("file=../../etc/passwd", 404), ("file=/etc/passwd", 404), ("", 400), ("file=artifacts/plain.html&rank=7", 404),
                          ("file=a&output=/tmp/x", 400), ("file=a&format=csv", 400)):
        status, headers, out = web.ask("/p/default/file/Default/with-files?" + query, Accept="text/html")
        assert status == wanted and headers["content-type"].startswith("text/html"), (query, status, out[-200:])
        for path, accept in (("", "application/json"), (".json", "*/*")):
            status, headers, out = web.ask(f"/p/default/file/Default/with-files{path}?{query}", Accept=accept)
            assert status == wanted and headers["content-type"] == "application/json" and json.loads(out)["error"], (query, status, out[-200:])
    assert web.ask("/p/default/file/Default/with-files?file=artifacts/plain.html", token=False)[0] == 401
    out = os.path.join(store.work, "exported")
    store.tscope("export", "Default/with-files", out)
    store.tscope("push", "--name", "again", out)
    rows = {row["name"].partition("/")[2]: row["id"] for row in json.loads(store.tscope("list", "--json").stdout)["rows"]}
    assert rows["again"] == rows["Default/with-files"], "a run that was exported and pushed has the same id"


def keeps_models(store, web):
    """A model that a client logs (MLflow 3) is a folder of its run's artifacts, and is found by its id."""
    client = Client(web)
    run = client.run("with-model")
    info = client.call("logged-models", {"experiment_id": "0", "name": "my model", "source_run_id": run, "model_type": "Agent",
                                         "params": [{"key": "lr", "value": "1"}], "tags": [{"key": "a", "value": "1"}]})["model"]["info"]
    model, place = info["model_id"], info["artifact_uri"]
    assert info["status"] == "LOGGED_MODEL_PENDING" and place == f"mlflow-artifacts:/0/{run}/artifacts/my model", info
    status, out = client.ask("logged-models/" + model, {"model_id": model, "status": "LOGGED_MODEL_READY"}, "PATCH")
    assert status == 200 and json.loads(out)["model"]["info"]["status"] == "LOGGED_MODEL_READY", out
    client.call(f"logged-models/{model}/params", {"params": [{"key": "lr", "value": "2"}, {"key": "n", "value": "3"}]})
    assert client.ask(f"logged-models/{model}/tags", {"tags": [{"key": "a", "value": "2"}]}, "PATCH")[0] == 200
    client.call("runs/outputs", {"run_id": run, "models": [{"model_id": model, "step": 0}]})
    assert client.ask("runs/outputs", {"run_id": "0" * 32, "models": []})[0] == 404
    got = client.call("logged-models/" + model)["model"]
    assert {p["key"]: p["value"] for p in got["data"]["params"]} == {"lr": "1", "n": "3"} and got["info"]["tags"] == [{"key": "a", "value": "2"}], got
    assert got["info"]["status"] == "LOGGED_MODEL_READY" and got["info"]["model_type"] == "Agent" and got["info"]["source_run_id"] == run
    other = client.call("logged-models", {"experiment_id": "0", "name": "my model", "source_run_id": run})["model"]["info"]
    assert other["model_id"] != model and other["artifact_uri"] not in ("", place), "two models of one name have a folder each"
    for name in ("../x", ".", "", "a/b", "%2e%2e", "x" * 300, "a?b#c d"):
        at = client.call("logged-models", {"experiment_id": "0", "name": name, "source_run_id": run})["model"]["info"]["artifact_uri"]
        assert at.startswith(f"mlflow-artifacts:/0/{run}/artifacts/") and "/" not in at.partition("/artifacts/")[2], at
        assert "?" not in at and "#" not in at, "a client would cut it there"
    data = b"flavors: {}"
    assert web.ask("/api/2.0/mlflow-artifacts/artifacts/" + urllib.parse.quote(place.partition(":/")[2]) + "/MLmodel", "PUT", token=False, body=data)[0] == 200
    client.call("runs/update", {"run_id": run, "status": "FINISHED", "end_time": 1700000009000})
    assert until(60, lambda: store.tscope("export", "Default/with-model", "--file", "artifacts/my model/MLmodel", check=False).stdout == data)
    assert client.error("logged-models", {"experiment_id": "0", "name": "alone"}) == (400, "INVALID_PARAMETER_VALUE")
    for wrong in ("m-" + "0" * 40, model[:-1] + "!", model[:-8] + "../../..", "m-", "x", model + "0"):
        assert client.ask("logged-models/" + urllib.parse.quote(wrong, safe=""), None)[0] == 404, wrong
    assert client.error("logged-models/" + model, {}, "POST") == (404, "ENDPOINT_NOT_FOUND")
    assert client.error("logged-models/search", {"experiment_ids": ["0"]}) == (404, "ENDPOINT_NOT_FOUND"), "none found would be wrong"
    for asked in ("name = 'my model'", "name='my model'"):
        assert client.call("logged-models/search", {"experiment_ids": ["0"], "filter": asked})["models"] == []
    for asked in ("name='x' AND metrics.a > 3", "name = 'x", "name = '", "name = 'x' OR name = 'y'", "name = 'x' 'y", "names = 'x'"):
        assert client.error("logged-models/search", {"experiment_ids": ["0"], "filter": asked}) == (404, "ENDPOINT_NOT_FOUND"), asked
    for call in ("registered-models/create", "registered-models/search", "model-versions/create", "registered-models/get", "experiments/set-experiment-tag", "traces"):
        assert client.error(call, {"name": "m"}) == (404, "ENDPOINT_NOT_FOUND"), call
        assert client.error(call, name="m") == (404, "ENDPOINT_NOT_FOUND"), call


def loses_no_change(store, web):
    """What several clients say of one model, or of one run, at once is all kept."""
    client = Client(web)
    run = client.run("shared")
    model = client.call("logged-models", {"experiment_id": "0", "name": "m", "source_run_id": run})["model"]["info"]["model_id"]

    def say(k):
        for i in range(25):
            if k == 0:
                client.call("runs/update", {"run_id": run, "run_name": f"shared {i}"})
            elif k == 1:
                client.call("runs/update", {"run_id": run, "status": "FAILED" if i % 2 else "RUNNING", "end_time": 1700000000000 + i})
            else:
                client.call(f"logged-models/{model}/params", {"params": [{"key": f"p{k}-{i}", "value": str(i)}]})

    threads = [threading.Thread(target=say, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    params = {p["key"] for p in client.call("logged-models/" + model)["model"]["data"]["params"]}
    assert params == {f"p{k}-{i}" for k in range(2, 6) for i in range(25)}, len(params)
    info = client.call("runs/get", run_id=run)["run"]["info"]
    assert (info["run_name"], info["status"], info["end_time"]) == ("shared 24", "RUNNING", 1700000000024), info


def begins_a_project(store, web):
    """Runs of a server with a project that the store has no run of yet are runs of that project."""
    fresh = Store(store.build, os.path.join(store.work, "fresh"))
    os.makedirs(fresh.work)
    door = Web(fresh, "--project", "zz")
    try:
        client = Client(door)
        first, second = client.run("n1"), client.run("n1")
        rows = json.loads(fresh.tscope("list", "--project", "zz", "--json").stdout)["rows"]
        assert {row["name"] for row in rows} == {"zz/Default/n1", f"zz/Default/n1-{second[:6]}"}, rows
        assert [p["project"] for p in json.loads(fresh.tscope("projects", "--json").stdout)["projects"]] == ["zz"]
        client.call("runs/delete", {"run_id": first})
        assert [row["name"] for row in json.loads(fresh.tscope("list", "--project", "zz", "--json").stdout)["rows"]] == [f"zz/Default/n1-{second[:6]}"]
    finally:
        door.end()


def finds_experiments(store, web):
    """Experiments by filter and order, as Accelerate asks for them."""
    client = Client(web)
    for name in ("find a", "find b", "find'c"):
        client.call("experiments/create", {"name": name})

    def found(text, **more):
        return [e["name"] for e in client.call("experiments/search", {"filter": text, "max_results": 100, **more}).get("experiments", [])]

    assert found("name = 'find a'") == ["find a"] and found("name = 'find'") == []
    assert found("name LIKE 'find %'", order_by=["name ASC"]) == ["find a", "find b"] and found("name ILIKE 'FIND%'", order_by=["name DESC"]) == ["find'c", "find b", "find a"]
    assert set(found("name != 'find a' AND name LIKE 'find%'")) == {"find b", "find'c"} and "Default" in found("")
    assert found("creation_time < 5") == [] and found("tags.team = 'x'") == [] and found("", view_type="DELETED_ONLY") == []
    for text in ("status = 'x'", "name", "metrics.a < 'x'", "run_name = 'a'"):
        assert client.error("experiments/search", {"filter": text}) == (400, "INVALID_PARAMETER_VALUE"), text


def tells_names_apart(store, web):
    """Two servers over one store, whose clients begin runs of one name at once: each run has a name of its own, and none takes another's."""
    other = Web(store, "--spool", os.path.join(store.work, "second"))
    try:
        clients, begun = [Client(web), Client(other)], []
        for turn in range(12):
            gate = threading.Barrier(2)

            def begin(client, turn=turn, gate=gate):
                gate.wait()
                run = client.run(f"twins-{turn}")
                name = next(t["value"] for t in client.call("runs/get", run_id=run)["run"]["data"]["tags"] if t["key"] == "tscope.name")
                begun.append((name.partition("/")[2], run))

            threads = [threading.Thread(target=begin, args=(client,)) for client in clients]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert len(begun) == len(dict(begun)) == 24, sorted(begun)
        for name, run in begun:
            facts = json.loads(store.tscope("facts", name, "--json").stdout)["facts"]
            assert next(f["fact"]["value"] for f in facts if f["path"] == "other.mlflow.run_id") == run, name
    finally:
        other.end()


def keeps_its_name(store, web):
    """A first push whose answer was lost: the name in the store is the run's own, and the next push goes there, under no second name."""
    other = Store(store.build, os.path.join(store.work, "other"))
    os.makedirs(other.work)
    make_run(os.path.join(other.work, "one"), steps=3)
    other.tscope("push", "one")
    place = other.env["TSCOPE_STORE"]
    door = Web(other, "--spool", os.path.join(other.work, "spool"))
    try:
        client = Client(door)
        os.rename(place, place + "-away")
        with open(place, "w"):  # no store can be made here
            pass
        run = client.run("once")
        name = next(t["value"] for t in client.call("runs/get", run_id=run)["run"]["data"]["tags"] if t["key"] == "tscope.name")
        os.unlink(place)
        os.rename(place + "-away", place)
        other.tscope("push", "--artifacts", "--state", "running", "--name", name, os.path.join(other.work, "spool", "0", run))
        client.call("runs/log-metric", {"run_id": run, "key": "loss", "value": 1, "timestamp": 1, "step": 0})
        client.call("runs/update", {"run_id": run, "status": "FINISHED", "end_time": 1700000009000})
        assert until(60, lambda: any(name.startswith("Default/") and values["state"] == "finished" for name, values in listed(other).items())), listed(other)
        assert [name for name in listed(other) if name.startswith("Default/")] == [name.partition("/")[2]], listed(other)
    finally:
        door.end()


def leaves_after_days(store, web):
    """With --spool-days a run that ended and was pushed long ago leaves the folder at the next start, which says so. What the store did not get stays."""
    spool = os.path.join(store.work, "days")
    first = Web(store, "--spool", spool)
    client = Client(first)
    names = ("old", "young", "still", "long-path", "with-own-model", "deleted", "of-before")
    runs = dict(zip(names, (client.run(name) for name in names)))
    for run in runs.values():
        client.call("runs/log-metric", {"run_id": run, "key": "loss", "value": 1, "timestamp": 1, "step": 0})
    at = f"/api/2.0/mlflow-artifacts/artifacts/0/{runs['long-path']}/artifacts/checkpoints/{'x' * 240}"
    assert first.ask(at, "PUT", token=False, body=b"weights")[0] == 200
    client.call("logged-models", {"experiment_id": "0", "name": "m", "source_run_id": runs["with-own-model"], "params": [{"key": "lr", "value": "1"}]})
    for name, run in runs.items():
        if name != "still":
            client.call("runs/update", {"run_id": run, "status": "FINISHED", "end_time": 1700000009000})
    client.call("runs/delete", {"run_id": runs["deleted"]})
    folder = {name: os.path.join(spool, "0", run) for name, run in runs.items()}
    assert until(60, lambda: all(os.path.exists(folder[name] + "/pushed") for name in names if name not in ("still", "deleted")))
    assert until(60, lambda: os.path.exists(folder["young"] + "/stored") and os.path.exists(folder["old"] + "/stored"))
    assert not os.path.exists(folder["still"] + "/pushed") and not os.path.exists(folder["long-path"] + "/stored")
    first.process.terminate()
    said = first.process.stderr.read().decode()
    first.process.wait(60)
    first.process.stderr.close()
    assert f"the push of default/Default/long-path left out 1 file; it is in {folder['long-path']} alone" in said, said
    assert said.count("left out") == 1, said
    if os.path.exists(folder["of-before"] + "/stored"):
        os.unlink(folder["of-before"] + "/stored")  # as a version left it whose marker said nothing of what was left out
    long_ago = time.time() - 31 * 86400
    for name in names:
        for top, _, files in os.walk(folder[name]):
            for file in files:
                if name != "young":
                    os.utime(os.path.join(top, file), (long_ago, long_ago))
    for days in ((), ("--spool-days", "0")):
        kept = Web(store, "--spool", spool, *days)
        time.sleep(1.5)
        assert Client(kept).history(runs["old"], "loss") == [(0, 1.0)], "it stays"
        kept.end()
    second = Web(store, "--spool", spool, "--spool-days", "30")
    client = Client(second)
    assert until(60, lambda: client.ask("runs/get", run_id=runs["old"])[0] == 404)
    for name in names[1:]:
        assert client.history(runs[name], "loss") == [(0, 1.0)], name
    status, _, out = second.ask(at, token=False)
    assert status == 200 and out == b"weights"
    found = client.call("runs/search", {"experiment_ids": ["0"], "run_view_type": "ALL"})["runs"]
    assert {r["info"]["run_id"] for r in found} == {runs[name] for name in names[1:]}
    assert until(60, lambda: not [name for name in os.listdir(spool) if name.startswith(".gone")])
    second.process.terminate()
    assert b"1 run that ended and was pushed 30 days ago or more left" in second.process.stderr.read()
    second.process.wait(60)
    second.process.stderr.close()
    assert listed(store)["Default/old"]["steps"] == 1


def deletes_with_all_of_it(store, web):
    """What was logged just before a run is deleted is in the store, so that `tscope restore` gives all of it back."""
    client = Client(web)
    for turn in range(3):
        run = client.run(f"goes-{turn}")
        for step in range(5):
            client.call("runs/log-metric", {"run_id": run, "key": "loss", "value": step, "timestamp": step, "step": step})
        client.call("runs/delete", {"run_id": run})
        assert f"Default/goes-{turn}" not in listed(store)
        store.tscope("restore", f"Default/goes-{turn}")
        assert listed(store)[f"Default/goes-{turn}"]["steps"] == 5


def bounds_answers_that_nobody_reads(store, web):
    """Clients that ask for large files and read none of them get 503 before the server has more than 256 MiB of answers; when they go, it answers again."""
    client = Client(web)
    run = client.run("large")
    at = f"/api/2.0/mlflow-artifacts/artifacts/0/{run}/artifacts/large.bin"
    assert web.ask(at, "PUT", token=False, body=b"x" * (16 << 20))[0] == 200
    held, statuses = [], []
    try:
        for _ in range(40):
            one = socket.socket()
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.settimeout(120)
            one.connect(("127.0.0.1", web.port))
            held.append(one)
            one.sendall(f"GET {at} HTTP/1.1\r\nHost: {web.host}\r\n\r\n".encode())
            statuses.append(one.recv(12))
    finally:
        for one in held:
            one.close()
    assert statuses[:8] == [b"HTTP/1.1 200"] * 8 and statuses[-1] == b"HTTP/1.1 503", statuses
    assert until(60, lambda: web.ask(at, token=False)[0] == 200)


def goes_on_without_room_for_artifacts(store, web):
    """Where a quota has no room for a run's artifacts its metrics are in the store all the same, and the command says what is not."""
    own = Store(store.build, os.path.join(store.work, "full"))
    os.makedirs(own.work)
    config, socket_path = os.path.join(own.work, "config"), os.path.join(own.work, "s")
    with open(config, "w") as out:
        out.write("quota = * sealed 4MiB\n")
    server = subprocess.Popen([os.path.join(own.build, "tscoped"), "--config", config, "--socket", socket_path, "--store", os.path.join(own.work, "served")],
                              env=own.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    own.env["TSCOPE_SERVER"] = "unix:" + socket_path
    try:
        assert until(60, lambda: os.path.exists(socket_path))
        door = Web(own, "--spool", os.path.join(own.work, "spool"))
        client = Client(door)
        run = client.run("fills")
        at = f"/api/2.0/mlflow-artifacts/artifacts/0/{run}/artifacts/weights"
        assert door.ask(at, "PUT", token=False, body=random.Random(5).randbytes(8 << 20))[0] == 200
        client.call("runs/log-metric", {"run_id": run, "key": "loss", "value": 1, "timestamp": 1, "step": 0})
        client.call("runs/update", {"run_id": run, "status": "FINISHED", "end_time": 1700000009000})
        assert until(60, lambda: listed(own)["Default/fills"]["steps"] == 1 and listed(own)["Default/fills"]["state"] == "finished"), listed(own)
        assert not os.path.exists(os.path.join(own.work, "spool", "0", run, "stored"))
        door.process.terminate()
        said = door.process.stderr.read().decode()
        door.process.wait(60)
        door.process.stderr.close()
        assert "default/Default/fills is pushed without its artifacts, which stay in the folder: " in said and "quota" in said, said
    finally:
        server.terminate()
        server.wait(60)


def asked_as_nobody(web):
    """The status that another user of the machine gets."""
    ends = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgid(pwd.getpwnam("nobody").pw_gid)
        os.setuid(pwd.getpwnam("nobody").pw_uid)
        client = web.raw()
        client.sendall(f"GET {API}experiments/get?experiment_id=0 HTTP/1.1\r\nHost: {web.host}\r\n\r\n".encode())
        os.write(ends[1], client.recv(100).split()[1])
        os._exit(0)
    os.close(ends[1])
    with os.fdopen(ends[0], "rb") as told:
        status = told.read()
    os.waitpid(child, 0)
    return int(status)


def lets_in_its_own_user(store, web):
    """A program of the same user needs no token; a page, a proxy and another user of the machine do."""
    client = Client(web)
    assert client.ask("experiments/search", {})[0] == 200
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "http://" + web.host}, {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "none"},
                    {"X_Forwarded_For": "192.0.2.1"}, {"Forwarded": "for=192.0.2.1"}, {"Cookie": "a=b"}):
        assert Client(web, **headers).ask("experiments/search", {})[0] == 401, headers
        assert Client(web, **headers).ask("runs/search", None)[0] == 401, headers
    assert Client(web, X_Forwarded_For="192.0.2.1", Authorization="Bearer " + web.token).ask("experiments/search", {})[0] == 200
    assert Client(web, Authorization="Bearer " + "0" * 64, Origin="x").ask("experiments/search", {})[0] == 401
    assert web.ask(API + "experiments/search", "POST", token=False, body=b"{}", Host="evil.example")[0] == 421
    assert web.ask("/p/default/runs", token=False)[0] == 401, "pages need the token"
    if os.geteuid() == 0:
        assert asked_as_nobody(web) == 401
    else:
        print("  not tried: what another user of the machine gets, since only root can become one", flush=True)
    other = Web(store)
    try:
        assert Client(other).error("experiments/search", {}) == (400, "INVALID_STATE"), "two servers do not write into one folder"
    finally:
        other.end()


def loses_nothing_by_a_kill(store, web):
    """What was acknowledged is there after SIGKILL at any moment, and is pushed by the next start."""
    lost = 0
    for turn in range(4):
        victim = Web(store, "--spool", os.path.join(store.work, "killed"))
        client = Client(victim)
        run = client.run(f"killed-{turn}")
        done = []

        def log(client=client, run=run, done=done):
            try:
                for n in range(100000):
                    client.call("runs/log-batch", {"run_id": run, "metrics": [{"key": f"m/{k}", "value": n + k / 8, "timestamp": n, "step": n} for k in range(8)],
                                                   "tags": [{"key": "last", "value": str(n)}]})
                    done.append(n)
            except (OSError, ValueError, AssertionError, __import__("http.client").client.HTTPException):
                pass

        thread = threading.Thread(target=log)
        thread.start()
        until(60, lambda: len(done) > 20 + 30 * turn)
        victim.process.send_signal(signal.SIGKILL)
        victim.process.wait()
        thread.join()
        victim.process.stderr.close()
        after = Web(store, "--spool", os.path.join(store.work, "killed"))
        try:
            client = Client(after)
            for k in range(8):
                seen = client.history(run, f"m/{k}")
                assert [value for _, value in seen][:len(done)] == [n + k / 8 for n in done], (turn, k, len(done), seen[-3:])
                assert len(seen) - len(done) in (0, 1)
            # the batch whose answer never came is sent again, and goes on
            n = len(done)
            client.call("runs/log-batch", {"run_id": run, "metrics": [{"key": f"m/{k}", "value": n + k / 8, "timestamp": n, "step": n} for k in range(8)]})
            assert all(len(client.history(run, f"m/{k}")) == n + 1 for k in range(8))
            assert until(60, lambda: listed(store)[f"Default/killed-{turn}"]["steps"] == n + 1)
            lost += len(done)
        finally:
            assert after.end() == 0
    print(f"  {lost} batches were acknowledged before 4 kills, and all are there", flush=True)
    with open(os.path.join(store.work, "killed", "0", run, "metrics", "m%2F0"), "ab") as torn:
        torn.write(b"17 0.")  # as a write that was cut off
    after = Web(store, "--spool", os.path.join(store.work, "killed"))
    client = Client(after)
    client.call("runs/log-metric", {"run_id": run, "key": "m/0", "value": 5, "timestamp": 7, "step": 10 ** 6})
    assert client.history(run, "m/0")[-1] == (10 ** 6, 5.0) and len(client.history(run, "m/0")) == n + 2
    assert after.end() == 0


REAL = (logs_as_people_do, equals_mlflows_own_store)
CHECKS = (keeps_artifacts, keeps_models, loses_no_change, begins_a_project, finds_experiments, tells_names_apart, keeps_its_name, leaves_after_days, deletes_with_all_of_it, bounds_answers_that_nobody_reads, goes_on_without_room_for_artifacts, is_live, keeps_order_and_repeats, searches, refuses_what_is_wrong, lets_in_its_own_user, loses_nothing_by_a_kill)


def main():
    build, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    with tempfile.TemporaryDirectory(prefix="tscope-mlflow-") as work:
        store = Store(build, work)
        store.mlflow = environment(build)
        web = Web(store)
        for check in CHECKS + (REAL if store.mlflow else ()):
            if not wanted or check.__name__ in wanted:
                check(store, web)
                print("ok " + check.__name__, flush=True)
        assert web.end() == 0
        if not store.mlflow:
            print(f"skipped: what needs {WANTED}, which pip cannot get here: " + ", ".join(check.__name__ for check in REAL))


if __name__ == "__main__":
    main()
