#!/usr/bin/env python3
"""The templates of deploy/ci, their shell steps executed: run.py with TS_BUILD naming the build folder.

A scratch repository stands for GitHub's and GitLab's, workflow.py for the runner, stub.py for gh and curl, train.py for the
training; tscope and tscoped are the built ones. Commits say how fast they are, so what the gate has to answer is known.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CI = os.path.join(ROOT, "deploy/ci")
BUILD = os.path.abspath(os.environ.get("TS_BUILD", os.path.join(ROOT, "build", "dev")))
sys.path.insert(0, HERE)
import outputs  # noqa: E402
import workflow  # noqa: E402

BASELINES = 5


def check(condition, *what):
    if not condition:
        raise AssertionError("\n".join(str(w) for w in what))


class Place:
    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="tscope-ci-")
        self.origin = os.path.join(self.path, "origin")
        self.stub = os.path.join(self.path, "stub")
        self.jobs = 0
        os.makedirs(os.path.join(self.path, "bin"))
        for name in ("gh", "curl"):
            os.symlink(os.path.join(HERE, "stub.py"), os.path.join(self.path, "bin", name))
        keep = {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
        self.env = dict(keep, PATH=f"{self.path}/bin:{BUILD}:/usr/bin:/bin", HOME=self.path, LC_ALL="C", STUB=self.stub, TRAINER=HERE,
                        GIT_AUTHOR_NAME="n", GIT_AUTHOR_EMAIL="e@x", GIT_COMMITTER_NAME="n", GIT_COMMITTER_EMAIL="e@x",
                        GIT_AUTHOR_DATE="2026-01-01T00:00:00Z", GIT_COMMITTER_DATE="2026-01-01T00:00:00Z", GIT_CONFIG_NOSYSTEM="1")
        self.server = None
        self.socket = f"unix:{self.path}/sock"

    def git(self, *args):
        return subprocess.run(["git", "-C", self.origin, *args], env=self.env, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, branch, forward, layers, note, loss=(1, 0)):
        """Makes a commit on the branch (which starts at main) whose training takes that long and has these losses."""
        if self.git("branch", "--list"):
            known = self.git("branch", "--list", branch)
            self.git("checkout", "--quiet", *([branch] if known else ["-b", branch, "main"]))
        with open(os.path.join(self.origin, "train.json"), "w", encoding="utf-8") as f:
            json.dump({"phases": {"data": 0.005, "forward": forward, "backward": 0.025}, "config": {"layers": layers}, "noise": 0.003, "loss": loss}, f)
        with open(os.path.join(self.origin, "NOTE"), "w", encoding="utf-8") as f:
            f.write(note)
        self.git("add", "-A")
        self.git("commit", "--quiet", "-m", note)
        return self.git("rev-parse", "HEAD")

    def init(self, what):
        """What tscope gate --init says about the repository, line by line; the files are those that the jobs of this test run."""
        return subprocess.run(["tscope", "gate", "--init", what], cwd=self.origin, env=self.env, check=True, capture_output=True, text=True).stdout

    def workflow(self, file):
        return workflow.load(os.path.join(self.origin, "ci/tscope" if file.startswith("gitlab") else ".github/workflows", file))

    def begin(self):
        subprocess.run(["git", "init", "--quiet", "-b", "main", self.origin], env=self.env, check=True)
        for what in ("github", "gitlab", "github-same", "gitlab-same"):
            self.init(what)
        with open(os.path.join(self.origin, "train.sh"), "w", encoding="utf-8") as f:
            f.write('#!/bin/sh\n[ -z "$NEEDS_DATA" ] || [ -e data/corpus ] || exit 7\n[ "$1" = --run-dir ] && exec python3 "$TRAINER/train.py" train.json "$2"\n')
        os.chmod(os.path.join(self.origin, "train.sh"), 0o755)
        self.git("config", "uploadpack.allowAnySHA1InWant", "true")
        os.makedirs(os.path.join(self.stub, "artifacts"))
        for name in ("comments", "pulls", "runs"):
            self.answer(name, [])
        log = open(os.path.join(self.path, "log"), "wb")
        self.server = subprocess.Popen(["tscoped", "--socket", self.socket[5:], "--store", self.path + "/store"], env=self.env, stderr=log)
        for _ in range(400):
            if os.path.exists(self.socket[5:]):
                return
            time.sleep(0.05)
        raise AssertionError("tscoped does not start")

    def answer(self, name, value):
        with open(os.path.join(self.stub, name + ".json"), "w", encoding="utf-8") as f:
            json.dump(value, f)

    def comments(self):
        with open(os.path.join(self.stub, "comments.json"), encoding="utf-8") as f:
            return json.load(f)

    def calls(self):
        with open(os.path.join(self.stub, "calls.jsonl"), encoding="utf-8") as f:
            return [json.loads(line) for line in f]

    def job(self, jobs, name, contexts, secrets=True, index=0):
        """Runs a job of a workflow, the one of this index of a matrix. Returns (ok, steps, folder, artifacts, number of the run)."""
        self.jobs += 1
        number = 5000 + self.jobs
        folder = os.path.join(self.path, f"job{number}")
        artifacts = os.path.join(self.stub, "artifacts", str(number))
        summary = os.path.join(self.path, f"summary{number}")
        env = dict(self.env, GITHUB_ACTIONS="true", GITHUB_RUN_ID=str(number), GITHUB_RUN_ATTEMPT="1", GITHUB_REPOSITORY="o/r",
                   GITHUB_WORKFLOW="tscope gate", GITHUB_STEP_SUMMARY=summary)
        contexts = {"strategy": {"job-index": index}, "github": {"job": name, "repository": "o/r", "token": "ghs_token", "sha": self.git("rev-parse", "main"), **contexts},
                    "secrets": {"TSCOPE_SERVER": self.socket} if secrets else {}}
        ok, steps = workflow.run_job(self.workflow(jobs) if isinstance(jobs, str) else jobs, name, contexts, folder, self.origin, env, artifacts)
        return ok, steps, folder, artifacts, number

    def listed(self):
        return subprocess.run(["tscope", "list", "--json", "--columns", "name,code.commit", "--all"],
                              env=dict(self.env, TSCOPE_SERVER=self.socket), capture_output=True, text=True, check=True).stdout

    def end(self):
        if self.server:
            self.server.terminate()
            self.server.wait()
        shutil.rmtree(self.path, ignore_errors=True)


def told(steps):
    return "\n".join(f"--- {name} ({status})\n{output}" for name, status, output in steps)


def pull_request(number, head, repository="o/r", base=""):
    pull = {"number": number, "head": {"sha": head, "repo": {"full_name": repository}}, "base": {"sha": base}}
    return {"event_name": "pull_request", "event": {"pull_request": pull}}


def case_names(path, outcome):
    with open(path, "rb") as f:
        return [c.get("name") for c in outputs.junit_report(f.read()).iter("testcase") if c.find(outcome) is not None]


# --- what the files say ---


def test_templates_are_what_the_forges_read():
    actions = workflow.load(os.path.join(CI, "github-actions.yml"))
    forks = workflow.load(os.path.join(CI, "github-actions-forks.yml"))
    same = workflow.load(os.path.join(CI, "github-same.yml"))
    check(set(actions["on"]) == {"pull_request", "push"}, actions["on"])
    check(forks["on"] == {"workflow_run": {"workflows": [actions["name"]], "types": ["completed"]}}, forks["on"])
    for text in (open(os.path.join(CI, f), encoding="utf-8").read() for f in ("github-actions.yml", "github-actions-forks.yml", "github-same.yml")):
        check("pull_request_target" not in text, "runs a fork's code with secrets")
    for job in [*actions["jobs"].values(), *forks["jobs"].values(), *same["jobs"].values()]:
        for step in job["steps"]:
            check("${{" not in step.get("run", ""), "foreign text in a script", step)
            if step.get("uses", "").startswith("actions/checkout"):
                check(step["with"]["persist-credentials"] is False, step)
            # Two jobs of a matrix cannot leave artifacts of one name.
            check("upload-artifact" not in step.get("uses", "") or "strategy.job-index" in step["with"]["name"], step)
    checkout = actions["jobs"]["gate"]["steps"][0]["with"]
    check(checkout["ref"] == "${{ github.event.pull_request.head.sha }}", "the merge commit is gated")
    # 200 ancestors are recorded with a commit (ingest/host/host.c).
    check(checkout["fetch-depth"] >= 201 and actions["jobs"]["baseline"]["steps"][0]["with"]["fetch-depth"] >= 201)
    check("ref" not in forks["jobs"]["judge"]["steps"][0]["with"], "a fork's scripts would run with secrets")
    check("secrets." not in open(os.path.join(CI, "github-same.yml"), encoding="utf-8").read(), "the code of a fork would run with secrets")
    gitlab = workflow.load(os.path.join(CI, "gitlab-ci.yml"))
    check(int(gitlab[".tscope"]["variables"]["GIT_DEPTH"]) >= 201)
    check(gitlab["tscope-gate"]["artifacts"]["reports"] == {"junit": "tscope-out/junit.xml", "metrics": "tscope-out/metrics.txt"})


# --- GitHub ---


def github(place):
    for i in range(BASELINES):
        place.commit("main", 0.070, 12, f"main {i}")
        ok, steps, folder, artifacts, number = place.job("tscope-gate.yml", "baseline", {"event_name": "push"})
        check(ok, told(steps))
        place.answer("runs", [{"databaseId": number}])
    check(os.path.getsize(os.path.join(artifacts, "tscope-baselines-0/tscope-baselines")) > 0, "no bundle")
    check("::notice title=tscope gate%3A pass::" in told(steps), told(steps))  # the fifth run, compared with four
    check(place.job("tscope-gate.yml", "gate", {"event_name": "push"})[0] is None, "the gate ran on a push")

    # A clean change passes, says what it could have missed, and has one comment however often it runs.
    stranger = {"id": 7, "user": {"login": "mallory"}, "author": {"id": 8}, "body": ""}
    head = place.commit("clean", 0.070, 12, "clean")
    for _ in range(2):
        ok, steps, folder, artifacts, number = place.job("tscope-gate.yml", "gate", pull_request(7, head))
        check(ok, told(steps))
        mine = [c for c in place.comments() if c["user"]["login"] != "mallory"]
        check(len(mine) == 1, place.comments())
        marker = mine[0]["body"].split("\n")[0]
        place.answer("comments", [dict(stranger, body=marker + "\nnot yours"), *mine])
    check(re.fullmatch("<!-- tscope-gate:[0-9a-f]{12} -->", marker), marker)
    outputs.comment(mine[0]["body"])
    check("### tscope gate: pass" in mine[0]["body"] and "could have missed" in mine[0]["body"], mine[0]["body"])
    check([c["body"] for c in place.comments() if c["id"] == 7] == [marker + "\nnot yours"], "somebody else's comment was written over")
    check(case_names(os.path.join(artifacts, "tscope-gate-gate-0/junit.xml"), "failure") == [], "failures")
    check(not os.path.exists(os.path.join(artifacts, "tscope-runs-gate-0")), "runs are left although there is a server")
    check("::notice title=tscope gate%3A pass::" in told(steps), told(steps))
    with open(os.path.join(place.path, f"summary{number}"), encoding="utf-8") as f:
        check(f.read().count("### tscope gate: pass") == 1, "summary")

    # The second job of a matrix leaves artifacts of its own, and the names of its runs tell which job they are of.
    ok, steps, folder, artifacts, number = place.job("tscope-gate.yml", "gate", pull_request(7, head), index=1)
    check(ok and os.path.exists(os.path.join(artifacts, "tscope-gate-gate-1/junit.xml")), told(steps))
    check(f"ci-{head[:12]}-{number}-1-gate-1-" in place.listed(), place.listed())

    # A change that is 8 % slower runs again in turn with its base on the same machine. It fails, and the phase is named.
    head = place.commit("slow", 0.078, 12, "slow")
    ok, steps, folder, artifacts, number = place.job("tscope-gate.yml", "gate", pull_request(8, head))
    check(not ok and [s[1] for s in steps if s[0].startswith("Train")] == [1], told(steps))
    base = place.git("rev-parse", "main")
    trained = re.findall(r"training ([0-9a-f]{12}) into tscope-out/(\S+)", told(steps))
    check(trained[0] == (head[:12], "run") and len(trained) >= 5, trained)
    for i, (commit, where) in enumerate(trained[1:]):
        side = "base candidate candidate base".split()[i % 4]
        check(commit == (base if side == "base" else head)[:12] and where == f"pairs/{i // 2 + 1}-{side}", trained)
    body = [c["body"] for c in place.comments() if c["user"]["login"] != "mallory"][0]
    check("### tscope gate: regression" in body and "| phase | <code>forward</code> |" in body, body)
    check("step_time" in case_names(os.path.join(artifacts, "tscope-gate-gate-0/junit.xml"), "failure"), "no failure")
    check("::error title=tscope gate%3A regression::" in told(steps), told(steps))

    # Another run of the same job counts together with the first: it does not pass by luck.
    check(place.job("tscope-gate.yml", "gate", pull_request(8, head))[0] is False, "a rerun passed")

    # Another workload cannot be compared, so it does not pass.
    head = place.commit("other", 0.070, 24, "other")
    ok, steps, *_ = place.job("tscope-gate.yml", "gate", pull_request(9, head))
    check(not ok and [s[1] for s in steps if s[0].startswith("Train")] == [3], told(steps))


def forks(place):
    head = place.commit("fork", 0.078, 12, "of a fork")
    place.answer("comments", [])
    ok, steps, folder, artifacts, number = place.job("tscope-gate.yml", "gate", pull_request(10, head, "mallory/r"), secrets=False)
    check(not ok and [s[1] for s in steps if s[0].startswith("Train")] == [1], told(steps))
    check(place.comments() == [], "a comment without the right to")
    left = os.path.join(artifacts, "tscope-runs-gate-0")
    check(os.path.exists(os.path.join(left, "run/steps.jsonl")) and os.path.exists(os.path.join(left, "pairs/1-base/steps.jsonl")), left)
    place.answer("pulls", [{"number": 9, "head": {"sha": "0" * 40}}, {"number": 10, "head": {"sha": head}}])
    # The run claims to be of main's commit and leaves a script where ours would be. Neither has an effect.
    with open(os.path.join(left, "run/facts.json"), encoding="utf-8") as f:
        facts = json.load(f)
    facts["code"]["commit"] = place.git("rev-parse", "main")
    with open(os.path.join(left, "run/facts.json"), "w", encoding="utf-8") as f:
        json.dump(facts, f)
    run = {"event": "pull_request", "id": number, "head_sha": head, "head_repository": {"full_name": "mallory/r"}}
    place.git("checkout", "--quiet", "main")
    context = {"event_name": "workflow_run", "event": {"workflow_run": run}}
    ok, steps, folder, artifacts, _ = place.job("tscope-gate-forks.yml", "judge", context)
    check(not ok and [s[1] for s in steps if s[0] == "Push and gate"] == [1], told(steps))
    posted = [c for c in place.calls() if c["program"] == "gh" and ("POST" in c["args"] or "PATCH" in c["args"])][-1]
    check(posted["token"] == "ghs_token", posted)
    check("### tscope gate: regression" in place.comments()[-1]["body"], place.comments()[-1])
    check(f"fork-ci-{head[:12]}" in place.listed(), place.listed())
    run["head_repository"]["full_name"] = "o/r"
    check(place.job("tscope-gate-forks.yml", "judge", context)[0] is None, "a branch of ours was taken for a fork")


# --- GitLab ---


def gitlab(place):
    config = place.workflow("gitlab-ci.yml")
    place.answer("comments", [{"id": i, "user": {"login": "x"}, "author": {"id": 5}, "body": "hm"} for i in range(120)])
    seen = set()
    for i, (branch, forward, wanted) in enumerate((("gl-clean", 0.070, 0), ("gl-slow", 0.078, 1))):
        head = place.commit(branch, forward, 12, branch)
        folder = os.path.join(place.path, branch)
        workflow.checkout(place.origin, folder, place.git("rev-parse", branch), 201)
        variables = {"CI": "true", "CI_JOB_ID": str(900 + i), "CI_COMMIT_SHA": head, "CI_API_V4_URL": "https://gitlab.example/api/v4", "CI_PROJECT_ID": "6",
                     "CI_MERGE_REQUEST_PROJECT_ID": "5", "CI_MERGE_REQUEST_IID": "3", "CI_JOB_TOKEN": "job-token", "TSCOPE_SERVER": place.socket,
                     "TSCOPE_GITLAB_TOKEN": "glpat-secret", "NEEDS_DATA": "1", "TSCOPE_LINK": "data"}
        # The base of a pair is trained in a checkout of its own, which has this data only by the link.
        os.makedirs(os.path.join(folder, "data"))
        with open(os.path.join(folder, "data/corpus"), "w", encoding="utf-8") as f:
            f.write("words")
        ok, steps = workflow.gitlab_job(config, "tscope-gate", variables, folder, place.env)
        check(ok == (wanted == 0) and steps[0][1] == wanted and steps[1][1] == 0, told(steps))
        strangers = [c["body"] for c in place.comments() if c["author"]["id"] != 77]
        check(all("### tscope gate" not in body for body in strangers), "somebody else's note was written over")
        notes = [c for c in place.comments() if c["author"]["id"] == 77]
        check(len(notes) == 1, notes)
        marker = notes[0]["body"].split("\n")[0]
        place.answer("comments", [{"id": 1, "user": {"login": "x"}, "author": {"id": 5}, "body": marker + "\nmine"}, *place.comments()])
        seen.add(re.search("### tscope gate: (.*)", notes[0]["body"]).group(1))
        for report in config["tscope-gate"]["artifacts"]["reports"].values():
            check(os.path.getsize(os.path.join(folder, report)) > 0, report)
    check(seen == {"pass", "regression"}, seen)
    p = subprocess.run(["ci/tscope/gate.sh", "candidate"], cwd=folder, capture_output=True, text=True, timeout=120,
                       env=dict(place.env, TSCOPE_TRAIN='./train.sh --run-dir "$RUN_DIR"', TSCOPE_SERVER=place.socket, NEEDS_DATA="1"))
    check(p.returncode == 2 and "data/" in p.stderr and "TSCOPE_LINK can name data" in p.stderr, p.returncode, p.stderr)
    check(not any("glpat-secret" in a for c in place.calls() for a in c["args"]), "the token is seen among the processes")

    variables.update(NEEDS_DATA="", TSCOPE_LINK="")

    # Without the server, the baselines are those that the job on main left. A fork's job has no token, so it writes no comment.
    os.makedirs(os.path.join(place.stub, "jobs/tscope-baseline"))
    folder = os.path.join(place.path, "gl-main")
    workflow.checkout(place.origin, folder, place.git("rev-parse", "main"), 201)
    ok, steps = workflow.gitlab_job(config, "tscope-baseline", {**variables, "CI_JOB_ID": "910"}, folder, place.env)
    check(ok, told(steps))
    check(os.path.getsize(os.path.join(folder, config["tscope-baseline"]["artifacts"]["reports"]["metrics"])) > 0, "metrics")
    shutil.copy(os.path.join(folder, config["tscope-baseline"]["artifacts"]["paths"][0]), os.path.join(place.stub, "jobs/tscope-baseline"))
    folder = os.path.join(place.path, "gl-fork")
    workflow.checkout(place.origin, folder, place.git("rev-parse", "gl-clean"), 201)
    variables.update(CI_JOB_ID="911", CI_COMMIT_SHA=place.git("rev-parse", "gl-clean"), TSCOPE_SERVER="", TSCOPE_GITLAB_TOKEN="")
    ok, steps = workflow.gitlab_job(config, "tscope-gate", variables, folder, place.env)
    check(ok, told(steps))


# --- the files that gate --init writes ---


def init(place):
    """They are those of deploy/ci; what is there stays; what is left to do names every secret that the files read."""
    written = {os.path.relpath(os.path.join(folder, f), place.origin) for top in (".github", "ci")
               for folder, _, files in os.walk(os.path.join(place.origin, top)) for f in files}
    moved = {".github/workflows/tscope-gate.yml": "github-actions.yml", ".github/workflows/tscope-gate-forks.yml": "github-actions-forks.yml",
             ".github/workflows/tscope-same.yml": "github-same.yml"}
    check({moved.get(path, os.path.basename(path)) for path in written} == set(os.listdir(CI)) - {"README.md"}, sorted(written))
    for path in written:
        here, there = os.path.join(place.origin, path), os.path.join(CI, moved.get(path, os.path.basename(path)))
        with open(here, "rb") as a, open(there, "rb") as b:
            check(a.read() == b.read() and os.access(here, os.X_OK) == path.endswith(".sh"), path)
    with open(os.path.join(CI, "README.md"), encoding="utf-8") as f:
        readme = f.read()
    for what in ("github", "gitlab", "github-same", "gitlab-same"):
        said = place.init(what)
        lines = [line.split() for line in said.split("\n\n")[0].split("\n")]
        check(all(line[:2] == ["the", "same"] for line in lines), said)
        read = set()
        for line in lines:
            if line[2].endswith(".yml"):
                with open(os.path.join(place.origin, line[2]), encoding="utf-8") as f:
                    read |= set(re.findall(r"secrets\.(\w+)|\$\{(TSCOPE_\w+):-\}", f.read()))
        for name in {a or b for a, b in read}:
            check(name in said and name in readme, name, said)
        check(f"tscope gate --init {what}\n" in readme, readme)
    path = os.path.join(place.origin, "ci/tscope/same.sh")
    with open(path, "a", encoding="utf-8") as f:
        f.write("# ours\n")
    said = place.init("github-same")
    check(re.search("^kept +ci/tscope/same.sh ", said, re.M) and "\nWhat was kept" in said, said)
    with open(path, encoding="utf-8") as f:
        check(f.read().endswith("# ours\n"), "the file of the user was written over")
    os.remove(path)
    check(re.search("^written +ci/tscope/same.sh ", place.init("github-same"), re.M))
    for words, wanted in ((["run"], "takes no candidate"), (["--baseline", "main"], "--init and --baseline"), (["--json"], "--init and --json")):
        p = subprocess.run(["tscope", "gate", "--init", "github", *words], cwd=place.origin, env=place.env, capture_output=True, text=True)
        check(p.returncode == 2 and wanted in p.stdout + p.stderr, words, p.stdout, p.stderr)
    p = subprocess.run(["tscope", "gate", "--init", "github"], cwd=place.path, env=place.env, capture_output=True, text=True)
    check(p.returncode == 2 and "at its root" in p.stderr and not os.path.exists(os.path.join(place.path, "ci")), p.stderr)


# --- the gate that keeps the numbers ---


def same(place):
    """What a change does to the losses is known, so is the answer: (branch, losses, trailer, tolerance, exit, heading, words of the comment)."""
    place.answer("comments", [])
    cases = (("kept", (1, 0), "", "", 0, "the numbers stay", "agree bit for bit"),
             ("moved", (1.5, 0), "", "", 1, "the numbers change", "From step 20 on"),
             ("hidden", (1.5, 0), "Numbers-change:  ", "", 1, "the numbers change", "From step 20 on"),
             ("meant", (1.5, 0), "Numbers-change: a <b>new</b> @loss", "", 0, "the numbers change, on purpose", "a &lt;b&gt;new&lt;/b&gt; @loss"),
             ("little", (1 + 1e-7, 0), "", "1e-6", 0, "the numbers stay", "within a relative difference of 1e-6"),
             ("more", (1 + 1e-5, 0), "", "1e-6", 1, "the numbers change", "do not agree within a relative difference of 1e-6"))
    for number, (branch, loss, trailer, tolerance, status, heading, words) in enumerate(cases):
        head = place.commit("same-" + branch, 0.070, 12, f"{branch}\n\n{trailer}", loss)
        place.commit("main", 0.070, 12, "main went on before " + branch, (7, 0))  # is no part of the change
        place.env["TSCOPE_TOLERANCE"] = tolerance
        jobs = place.workflow("tscope-same.yml")
        check(jobs["env"].pop("TSCOPE_TOLERANCE") == "", jobs)
        ok, steps, folder, artifacts, job = place.job(jobs, "same", pull_request(20, head, base=place.git("rev-parse", "main")))
        check(ok == (status == 0) and steps[0][1] == status, branch, told(steps))
        check(len(place.comments()) == 1, place.comments())
        body = place.comments()[0]["body"]
        check(body.startswith(f"<!-- tscope-gate:same:same-0 -->\n### tscope same: {heading}\n") and words in body, body)
        check("50 steps (0 to 49)" in body and "@loss" not in re.sub("(?s)<pre>.*?</pre>", "", body), body)
        check(os.path.exists(os.path.join(artifacts, "tscope-same-0/tscope-out/report.txt")), artifacts)
        place.commit("main", 0.070, 12, "as before " + branch)
    with open(os.path.join(place.path, f"summary{job}"), encoding="utf-8") as f:
        check(f.read() == body, "summary")

    # A training that does not repeat itself is not held against a change. A fork has no comment.
    place.env["TSCOPE_TOLERANCE"] = ""
    place.commit("main", 0.070, 12, "drawn anew", (1, 1e-3))
    base = place.git("rev-parse", "main")
    head = place.commit("same-noisy", 0.070, 12, "noisy", (1, 1e-3))
    ok, steps, *_ = place.job(jobs, "same", pull_request(21, head, "mallory/r", base=base))
    check(not ok and [s[1] for s in steps] == [3] and "Two trainings of" in told(steps), told(steps))
    check(place.comments()[0]["body"] == body, "a comment without the right to")
    place.env["TSCOPE_TOLERANCE"] = "0.01"
    ok, steps, *_ = place.job(jobs, "same", pull_request(22, head, base=base))
    check(ok, told(steps))

    # GitLab: the same script.
    config = place.workflow("gitlab-same.yml")
    head = place.commit("same-gitlab", 0.070, 12, "gitlab", (1.5, 0))
    folder = os.path.join(place.path, "same-gitlab")
    workflow.checkout(place.origin, folder, head, 201)
    variables = {"CI_COMMIT_SHA": head, "CI_API_V4_URL": "https://gitlab.example/api/v4", "CI_PROJECT_ID": "5", "CI_MERGE_REQUEST_IID": "3",
                 "CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "TSCOPE_GITLAB_TOKEN": "glpat-secret", "TSCOPE_TOLERANCE": "0.01"}
    ok, steps = workflow.gitlab_job(config, "tscope-same", variables, folder, place.env)
    check(not ok and steps[0][1] == 1 and steps[1][1] == 0, told(steps))
    check("### tscope same: the numbers change\n" in place.comments()[-1]["body"], place.comments())
    del place.env["TSCOPE_TOLERANCE"]


# --- what does not work is said ---


def refusals(place):
    folder = os.path.join(place.path, "refusals")
    workflow.checkout(place.origin, folder, place.git("rev-parse", "main"), 201)

    def gate(words, **env):
        p = subprocess.run(["ci/tscope/" + words.split()[0], *words.split()[1:]], cwd=folder, env=dict(place.env, GITHUB_REPOSITORY="o/r", **env),
                           capture_output=True, text=True, timeout=60)
        return p.returncode, p.stderr

    # A key is there while the script runs, for its owner alone, and no host is believed that the job does not name.
    ssh = os.path.join(place.path, "bin/ssh")
    with open(ssh, "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\nprintf '%s\\n' \"$*\" >>$STUB/ssh\nstat -c %a $2 >>$STUB/ssh\ncat $2 >>$STUB/ssh\nexit 1\n")
    os.chmod(ssh, 0o755)
    train = 'python3 "$TRAINER/train.py" train.json "$RUN_DIR"'
    status, error = gate("gate.sh candidate", TSCOPE_TRAIN=train, TSCOPE_SERVER="ssh://host", TSCOPE_SSH_KEY="PRIVATE", TSCOPE_KNOWN_HOSTS="host k")
    with open(os.path.join(place.stub, "ssh"), encoding="utf-8") as f:
        line, mode, key = f.read().split("\n")[:3]
    check(status == 2 and mode == "600" and key == "PRIVATE", status, error, mode, key)
    check(line.startswith("-i ") and "StrictHostKeyChecking=yes" in line and "UserKnownHostsFile=" in line, line)
    check(not os.path.exists(line.split()[1]), "the key is left behind")
    for wanted, words, env in (
            ("usage", "gate.sh", {}), ("usage", "gate.sh judge", {}), ("usage", "gate.sh candidate x", {}), ("TSCOPE_TRAIN", "gate.sh candidate", {}),
            ("failed", "gate.sh candidate", {"TSCOPE_TRAIN": "false"}), ("TSCOPE_SERVER is empty", "gate.sh baseline", {"TSCOPE_TRAIN": train}),
            ("nothing was trained", "gate.sh candidate", {"TSCOPE_TRAIN": train, "TSCOPE_SERVER": "unix:/nowhere"}),
            ("no path below", "gate.sh candidate", {"TSCOPE_TRAIN": train, "TSCOPE_LINK": "../x"}),
            ("not there", "gate.sh candidate", {"TSCOPE_TRAIN": train, "TSCOPE_LINK": "nowhere"}),
            ("below this one", "gate.sh candidate", {"TSCOPE_OUT": "/x"}), ("TSCOPE_SERVER", "gate.sh judge x", {}),
            ("TSCOPE_COMMIT", "gate.sh judge x", {"TSCOPE_SERVER": "unix:/x"}), ("no number", "github.sh comment NOTE 7;x", {"GH_TOKEN": "t"}),
            ("does not begin with a marker", "github.sh comment NOTE 7", {"GH_TOKEN": "t"}), ("no commit", "github.sh number HEAD", {"GH_TOKEN": "t"})):
        status, error = gate(words, **env)
        check(status == 2 and wanted in error, words, env, status, error)
    # Neither a server nor a bundle yet: the first week, which is green and leaves its reports.
    status, error = gate("gate.sh candidate", TSCOPE_TRAIN=train)
    check(status == 0 and "nothing to compare with yet" in error, status, error)
    out = os.path.join(folder, "tscope-out")
    with open(os.path.join(out, "verdict.json"), encoding="utf-8") as f:
        check(json.load(f)["verdict"] == "collecting" and os.path.exists(os.path.join(out, "junit.xml")), "no verdict")


def main():
    test_templates_are_what_the_forges_read()
    place = Place()
    try:
        place.begin()
        for part in (init, github, forks, gitlab, same, refusals):
            began = time.time()
            part(place)
            print(f"ci: {part.__name__} {time.time() - began:.1f} s", flush=True)
    finally:
        place.end()


if __name__ == "__main__":
    main()
