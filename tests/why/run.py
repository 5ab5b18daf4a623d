#!/usr/bin/env python3
"""tscope why and tscope bisect from their command lines to the answer, on the training of place.py: run.py BUILD."""
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import lab  # noqa: E402
from place import CONFIG, Place, check, failures, is_there, wait_for  # noqa: E402


def paths(said, cause=0):
    return sorted(f["path"] for f in said["causes"][cause]["facts"])


def facts(p):
    for name, settings, env, truth in (("one", {"wd": 0.02}, {}, ["config.wd"]),
                                       ("pair", {"gate": True, "gate_scale": 2, "lr": 0.1}, {}, ["config.gate", "config.gate_scale"]),
                                       ("variable", {}, {"PYTHONHASHSEED": "3"}, ["determinism.env.PYTHONHASHSEED"])):
        p.record(name, env=env, note="y", tag=2, **settings)
        code, said, err = p.why(name)
        check(f"{name}: the facts are named and proved", code == 0 and said["proved"] and paths(said) == truth, (code, said, err))
    before = {t["folder"] for t in said["trials"]}
    code, again, err = p.why("variable")
    check("asked again, no run is made", {t["folder"] for t in again["trials"]} == before and all(t["took_s"] == 0 for t in again["trials"]) and
          "(from before)" in err, (again, err))
    code, said, err = p.why("pair", command=("{config-file}", "--x={config.gate}", "{}"))
    check("slots are parts of words, and other braces stay", code == 0, (said, err))
    code, out, err = p.run("list", "--json")
    check("experiments are runs of the store", code == 0 and "why-" in out, (out, err))


def stopped(p):
    p.record("pair2", gate=True, gate_scale=3, note="z", tag=5)
    code, said, err = p.why("pair2", "--budget", "4")
    check("a budget leaves what remains", code == 3 and not said["decided"] and said["run_count"] == 4 and
          {"config.gate", "config.gate_scale"} <= set(paths(said)), (code, said))
    code, said, err = p.why("pair2")
    check("it goes on where it was stopped", code == 0 and paths(said) == ["config.gate", "config.gate_scale"] and
          [t["took_s"] for t in said["trials"]][:4] == [0] * 4, (code, said))
    code, said, err = p.why("pair2", "--dry-run")
    check("a plan runs nothing", code == 3 and said["trials"] and all(t["result"] == "planned" for t in said["trials"]), (code, said))


def hidden(p):
    p.record("gone", env={"HIDDEN": "1"}, note="y")
    code, said, err = p.why("gone")
    check("what is gone is no one-off without a whole record", code == 3 and said["causes"][0]["found"] == "not_again" and
          "record" in said["sentence"], (code, said))
    code, said, err = p.why("gone", "-d", os.path.join(p.top, "here"), env={"HIDDEN": "1", "OTHER": "1", "THIRD": "x"})
    check("what is here is named", code == 1 and said["causes"][0]["found"] == "here" and paths(said) == ["HIDDEN"], (code, said))


def others(p):
    p.record("late", wd=0.02, late=1, note="y")
    code, said, err = p.why("late")
    check("a second cause that acts later", code == 0 and paths(said, 0) == ["config.wd"] and paths(said, 1) == ["config.late"] and
          said["causes"][1]["step"] == 20, (code, said))
    p.record("code", commit=12, note="y")
    code, said, err = p.why("code")
    check("the commit, past one that cannot be run", code == 0 and said["causes"][0]["commit"] == p.commits[8] and
          said["causes"][0]["commit_subject"] == "change 8", (code, said))
    p.record("parted", gpu=True, driver=True, wd=0.02)
    code, said, err = p.why("parted")
    check("what cannot be tested alone", code == 0 and paths(said) == ["config.wd"], (code, said))
    check("nothing of the clone is changed", lab.git(p.repo, "status", "--porcelain") == "" and lab.git(p.repo, "worktree", "list").count("\n") == 0 and
          lab.git(p.repo, "rev-parse", "HEAD") == p.commits[0], lab.git(p.repo, "worktree", "list"))


def patches(p):
    """B had changes that were not committed, whose text was recorded: it is shown, and run only where that is confirmed."""
    path = os.path.join(p.repo, "train.py")
    text = open(path, encoding="utf-8").read()
    lab.write(p.repo, {"train.py": text.replace("x = 1.0 +", "x = 1.001 +")})
    patch = lab.git(p.repo, "diff") + "\n"
    config = os.path.join(p.top, "patched.json")
    with open(config, "w", encoding="utf-8") as f:
        json.dump({**CONFIG, "note": "y"}, f)
    subprocess.run([sys.executable, "train.py", config, os.path.join(p.top, "patched")], cwd=p.repo, env=p.env, check=True)
    lab.git(p.repo, "checkout", "-q", "train.py")
    facts_json = os.path.join(p.top, "patched", "facts.json")
    recorded = json.load(open(facts_json, encoding="utf-8"))
    recorded["code"].update(dirty=True)
    recorded["session"] = {"patch": patch}
    json.dump(recorded, open(facts_json, "w", encoding="utf-8"))
    code, said, err = p.why("patched")
    check("a patch is shown, and not run unasked", code == 2 and "+x = 1.001" in err and "--yes" in err and "run 1" not in err, (code, err))
    code, said, err = p.why("patched", "--yes")
    check("a patch is a cause", code == 0 and paths(said) == ["code.patch_sha256"], (code, said, err))
    recorded["session"] = {}
    json.dump(recorded, open(facts_json, "w", encoding="utf-8"))
    code, said, err = p.why("patched", "-d", os.path.join(p.top, "lost"))
    check("a patch that is lost", code == 1 and said["causes"][0]["found"] == "patch", (code, said, err))


def refused(p):
    for words, text in ((("why", "../A", "../A", "--", "true"), "do not differ"),
                        (("why", "../A", "../one", "--clone", p.top, "--", "true"), "no clone"),
                        (("bisect", p.commits[12], p.commits[0], "--", "true"), "no ancestor"),
                        (("bisect", p.commits[0], p.commits[12]), "command that trains is missing"),
                        (("bisect", "1", "3", "--versions", "3,2,1", "--", "true"), "from good to bad")):
        code, out, err = p.run(*words)
        check(f"{' '.join(words)} is refused", code == 2 and text in err and not out, (code, out, err))
    code, said, err = p.why("one", command=("{config.nothing}",))
    check("a slot that no run has a value for is refused", code == 2 and "neither run recorded config.nothing" in err, (code, said, err))
    code, said, err = p.why("one", command=("{nothing}",))
    check("without slots nothing can be set", code == 3 and any("config.wd" in f for f in said["not_tried"]), (code, said, err))


def read_by_runs(p, command):
    """What the record of A says that it read of its repository is copied unasked, up to 256 MiB."""
    path = os.path.join(p.top, "A", "facts.json")
    recorded = open(path, encoding="utf-8").read()
    facts_json = json.loads(recorded)
    files = [os.path.join(p.repo, name) for name in ("data/one.bin", "data/more/two.bin", "train.py", "not-there.bin")] + [os.path.join(p.top, "A.json")]
    facts_json["session"] = {"working_directory": p.repo, "files_read": {"count": len(files), "list": "".join(f"{'0' * 16} 0 {name}\n" for name in files)}}
    json.dump(facts_json, open(path, "w", encoding="utf-8"))
    code, out, err = p.run("why", "--json", "-d", os.path.join(p.top, "read"), *command)
    check("what the runs read is copied unasked", code == 0 and "data/one.bin and 1 more" in err, (code, out, err))
    with open(os.path.join(p.repo, "data", "one.bin"), "wb") as f:
        f.truncate((256 << 20) + 1)
    code, out, err = p.run("why", "--json", "--dry-run", *command)
    check("but not if it is long", code == 3 and "only where --copy names it" in err, (code, out, err))
    with open(path, "w", encoding="utf-8") as f:
        f.write(recorded)


def commit_gone(p):
    """The commit of both runs is in no clone here."""
    for name in ("A", "one"):
        shutil.copytree(os.path.join(p.top, name), os.path.join(p.top, "gone-" + name))
        path = os.path.join(p.top, "gone-" + name, "facts.json")
        text = open(path, encoding="utf-8").read()
        with open(path, "w", encoding="utf-8") as f:
            f.write(text.replace(p.commits[0], "5f" * 20))
    code, out, err = p.run("why", "../gone-A", "../gone-one", "--", sys.executable, "train.py", "{config-file}", "x")
    check("a commit that is gone is named, and no output that is not there", code == 3 and "there is no commit 5f5f5f5f5f5f" in out and "output.txt" not in out,
          (code, out, err))


def unable(p):
    """What a run needs and is not here, a training that never ends, a search that is killed."""
    need = os.path.join(p.top, "needed.bin")
    command = ("-q", "../A", "../one", "--", "sh", "-c", f"cat {need} && exec {sys.executable} train.py $0 x", "{config-file}")
    code, out, err = p.run("why", "--json", *command)
    said = json.loads(out) if out else {}
    check("why a run cannot be made is said in its own words", code == 3 and said["causes"][0]["undecided"] == "untestable" and
          "needed.bin: No such file" in said["trials"][0]["problem"], (code, said, err))
    lab.write(p.top, {"needed.bin": ""})
    code, out, err = p.run("why", "--json", *command)
    said = json.loads(out) if out else {}
    check("when it is here, the runs are made anew", code == 0 and paths(said) == ["config.wd"], (code, said, err))
    lab.write(p.repo, {"data.bin": ""})  # git does not track it
    command = ("../A", "../one", "--", "sh", "-c", f"cat data.bin && exec {sys.executable} train.py $0 x", "{config-file}")
    code, out, err = p.run("why", "--json", "-d", os.path.join(p.top, "no-data"), *command)
    check("a file that git does not track is not there, and the option that brings it is said", code == 3 and "data.bin: No such file" in out and
          "git does not track data.bin, and --copy data.bin gives runs a copy" in out, (code, out, err))
    code, out, err = p.run("why", "--json", "-d", os.path.join(p.top, "no-data"), "--copy", "data.bin", *command)
    said = json.loads(out) if out else {}
    check("but where --copy names it", code == 0 and paths(said) == ["config.wd"], (code, said, err))
    code, out, err = p.run("bisect", p.commits[0], p.commits[12], "--json", "--copy", "data.bin", "--", "sh", "-c",
                           f"cat data.bin && exec {sys.executable} train.py {p.top}/A.json x")
    said = json.loads(out) if out else {}
    check("and in a bisection", code == 0 and said["first"] == p.commits[8], (code, said, err))
    os.remove(os.path.join(p.repo, "data.bin"))
    os.makedirs(os.path.join(p.repo, "data", "more"))
    lab.write(p.repo, {"data/one.bin": "", "data/more/two.bin": ""})
    command = ("../A", "../one", "--", "sh", "-c", f"cat data/one.bin data/more/two.bin && exec {sys.executable} train.py $0 x", "{config-file}")
    code, out, err = p.run("why", "--json", "-d", os.path.join(p.top, "folder"), "--copy", "data", *command)
    check("a folder is copied with all files that git does not track", code == 0, (code, out, err))
    os.makedirs(os.path.join(p.repo, "empty"))
    code, out, err = p.run("why", "-d", os.path.join(p.top, "folder"), "--copy", "empty", *command)
    check("a folder without such a file is refused", code == 2 and "nothing in the folder empty" in err, (code, out, err))
    os.rmdir(os.path.join(p.repo, "empty"))
    read_by_runs(p, command)
    shutil.rmtree(os.path.join(p.repo, "data"))
    long = "x" * 199 + "\u20ac"  # of which 200 bytes are shown
    code, out, err = p.run("why", "--json", "-d", os.path.join(p.top, "long"), "../A", "../one", "--", "sh", "-c", f"echo {long}; exit 125", "{config-file}")
    said = json.loads(out) if out else {}
    check("no character of what a run printed is cut in two", said["trials"][0]["problem"].endswith(": " + "x" * 199), (code, said, err))
    code, out, err = p.run("why", "--json", "--limit", "1s", "-d", os.path.join(p.top, "never"), "../A", "../one", "--", "sh", "-c", "sleep 1000", "{config-file}")
    said = json.loads(out) if out else {}
    check("a training that never ends is ended", code == 3 and said["trials"][0]["result"] == "untestable", (code, said, err))
    pid = os.path.join(p.top, "pid")
    search = p.begin("why", "-d", os.path.join(p.top, "killed"), "../A", "../one", "--", "sh", "-c", f"echo $$ > {pid}; sleep 1000", "{config-file}")
    wait_for(lambda: os.path.exists(pid) and open(pid, encoding="ascii").read().strip())
    training = int(open(pid, encoding="ascii").read())
    search.kill()
    search.wait()
    check("the training of a search that is killed ends", wait_for(lambda: not is_there(training)), training)
    check("and so does its worktree", wait_for(lambda: lab.git(p.repo, "worktree", "list").count("\n") == 0), lab.git(p.repo, "worktree", "list"))


def bisect(p):
    config = os.path.join(p.top, "A.json")
    command = ("--", sys.executable, "train.py", config, "x")
    code, out, err = p.run("bisect", p.commits[0], p.commits[12], "--json", *command)
    said = json.loads(out) if out else {}
    check("bisect by diff", code == 0 and said["first"] == said["last"] == p.commits[8] and said["subject"] == "change 8", (code, said, err))
    # It prints the level of its version, and noise of 1 %, drawn once for each commit, so that this test is the same each time.
    judge = os.path.join(p.top, "judge")
    with open(judge, "w", encoding="utf-8") as f:
        f.write(f"#!{sys.executable}\nimport json, random, sys\ncommit = json.load(open(sys.argv[1] + '/facts.json'))['code']['commit']\n"
                f"i = {p.commits!r}.index(commit)\nprint((1.05 if i >= 9 else 1.0) * (1 + 0.01 * random.Random(i).gauss(0, 1)))\n")
    os.chmod(judge, 0o755)
    code, out, err = p.run("bisect", p.commits[0], p.commits[12], "--json", "--judge", judge, "--noise", "0.01", "--steps", "3", *command)
    said = json.loads(out) if out else {}
    check("bisect by a number that scatters", code == 0 and said["first"] == p.commits[9], (code, said, err))
    # Steps take 6 % longer from change 10 on, and runs scatter by 0.3 %, so 12 standard deviations lie between them.
    code, out, err = p.run("bisect", p.commits[0], p.commits[12], "--json", "--judge", "gate", *command)
    said = json.loads(out) if out else {}
    check("bisect by the gate", code == 0 and said["first"] == said["last"] == p.commits[10] and all(0.9 < r["value"] < 1.2 for r in said["judged"] if r["value"]),
          (code, said, err))
    check("it makes the baselines that the gate needs", said and said["run_count"] >= 8 + 3 + 2, said)
    code, out, err = p.run("bisect", p.commits[0], p.commits[12], "--json", "--judge", "gate", "-d", os.path.join(p.top, "drift"), *command,
                           env={"DRIFT": os.path.join(p.top, "runs-made")})
    check("a machine that drifts is no answer", code == 2 and "has drifted while it was searched: at the end the good version" in out + err, (code, out, err))
    code, out, err = p.run("bisect", p.commits[0], p.commits[9], "--json", "--judge", "gate", *command)
    check("ends that the gate does not tell apart are refused", code == 2 and "does not tell the good version from the bad one by 8 runs" in out + err, (code, out, err))
    code, out, err = p.run("bisect", p.commits[0], p.commits[12], "--json", "--judge", "diff", "--metric", "loss", *command)
    check("a metric is the gate's", code == 2 and "--metric is for --judge gate" in out + err, (code, out, err))
    code, out, err = p.run("bisect", "1", "4", "--versions", "0,1,2,3,4", "--judge", "diff", "--json", "--", "sh", "-c",
                           f"sed 's/\"lr\": 0.1/\"lr\": 0.'$((1 + ($1 > 2)))'/' {config} > $TSCOPE_DIRECTORY.c && exec {sys.executable} train.py $TSCOPE_DIRECTORY.c x", "sh", "{version}")
    said = json.loads(out) if out else {}
    check("bisect by a list of versions", code == 0 and said["first"] == "3", (code, said, err))


def beside(p):
    """Runs side by side: two of them wait for each other, so that one alone would never end."""
    meet = os.path.join(p.top, "meet")
    os.makedirs(meet)
    p.record("beside", gate=True, gate_scale=5, note="y", tag=2)
    code, one, err = p.why("beside", "-d", os.path.join(p.top, "alone"))
    code, said, err = p.why("beside", "--jobs", "3", "-d", os.path.join(p.top, "jobs"), env={"MEET": meet})
    check("runs side by side give the same answer", code == 0 and said["causes"] == one["causes"] and
          [t["stop"] for t in said["trials"]] == [t["stop"] for t in one["trials"]], (code, said, err))
    check("what was begun ahead and not needed is said", "begun ahead, and not needed" in err, err)
    command = ("--", sys.executable, "train.py", os.path.join(p.top, "A.json"), "x")
    shutil.rmtree(meet)
    os.makedirs(meet)
    code, out, err = p.run("bisect", p.commits[0], p.commits[12], "--jobs", "2", "-d", os.path.join(p.top, "bisect-jobs"), "--json", *command, env={"MEET": meet})
    said = json.loads(out) if out else {}
    check("bisect side by side", code == 0 and said["first"] == said["last"] == p.commits[8], (code, said, err))
    # One judgement of change 8, by another machine, leaves 95 %: one run more says it, and another is begun that would be needed if that one were good.
    shared = {"TSCOPE_STORE": os.path.join(p.top, "beside-shared")}
    said = [p.run("bisect", p.commits[7], p.commits[9], "--wrong", "0.05", *more, "-d", os.path.join(p.top, f"beside-{i}"), "--json", *command, env=shared)
            for i, more in enumerate((("--budget", "1"), ("--jobs", "2")))]
    check("what others judged is no run of this machine's", said[1][0] == 0 and json.loads(said[1][1])["run_count"] == 3 and
          ": 1 run was begun ahead, and not needed" in said[1][2], said)
    code, out, err = p.run("bisect", p.commits[0], p.commits[12], "--jobs", "2", "--judge", "gate", *command)
    check("times are not measured side by side", code == 2 and "one after the other" in err, (code, out, err))
    check("nothing is left of them", lab.git(p.repo, "worktree", "list").count("\n") == 0, lab.git(p.repo, "worktree", "list"))


def together(p):
    """Two machines that share a server, which here are two folders that share a store; and a run that was recorded before."""
    place = [os.path.join(p.top, "machine-1"), os.path.join(p.top, "machine-2")]
    command = ("--", sys.executable, "train.py", os.path.join(p.top, "A.json"), "x")
    env = {**p.env, "TSCOPE_STORE": os.path.join(p.top, "shared")}
    running = [subprocess.Popen([p.tscope, "bisect", p.commits[0], p.commits[12], "--json", "--part", f"{i + 1}/2", "-d", place[i], *command], cwd=p.repo, env=env,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL) for i in range(2)]
    said = [(*one.communicate(timeout=300), one.returncode) for one in running]
    answers = [json.loads(out) if out else {} for out, err, code in said]
    check("machines that search together find the same", all(a.get("first") == a.get("last") == p.commits[8] for a in answers), said)
    # One that comes later has nothing to run but its own ends.
    code, out, err = p.run("bisect", p.commits[0], p.commits[12], "--json", "-d", os.path.join(p.top, "machine-3"), *command, env={"TSCOPE_STORE": env["TSCOPE_STORE"]})
    answer = json.loads(out) if out else {}
    check("what others found is not run again", code == 0 and answer["first"] == p.commits[8] and answer["run_count"] == 2 and "bad, by the run" in err, (code, answer, err))
    with p.served(env["TSCOPE_STORE"]) as server:
        code, out, err = p.run("bisect", p.commits[0], p.commits[12], "--json", "-d", os.path.join(p.top, "machine-4"), *command, env={"TSCOPE_SERVER": server})
        answer = json.loads(out) if out else {}
        check("nor is it by a server", code == 0 and answer["first"] == p.commits[8] and answer["run_count"] == 2 and "bad, by the run" in err, (code, answer, err))
    code, out, err = p.run("bisect", p.commits[0], p.commits[12], "--part", "1/2", "--judge", "gate", *command)
    check("times of two machines are not held together", code == 2 and "says nothing of another one" in err, (code, out, err))
    # GOOD is a run: others of its command and its settings, which were recorded from commits between, are judged without a run.
    for commit in (6, 7, 8, 11):
        p.record(f"before-{commit}", commit=commit)
    for name, commit in (("A", 0), *((f"before-{c}", c) for c in (6, 7, 8, 11))):
        path = os.path.join(p.top, name, "facts.json")
        facts_json = json.load(open(path, encoding="utf-8"))
        facts_json["session"] = {"command": "python train.py A.json"}
        json.dump(facts_json, open(path, "w", encoding="utf-8"))
        code, out, err = p.run("push", os.path.join(p.top, name), "--name", name, env={"TSCOPE_STORE": os.path.join(p.top, "before")})
        check(f"{name} is pushed", code == 0, err)
    # They lie behind the first page of a list, whatever it is sorted by: runs of other commands are newer, and their names come first.
    for i in range(1001):
        path = os.path.join(p.top, "many", f"0-{i}")
        os.makedirs(path)
        for name, text in (("run.json", {"name": f"0-{i}"}), ("facts.json", {"code": {"commit": "0" * 40, "dirty": False}}),
                           ("steps.jsonl", {"step": 0, "timestamp": 1e9, "scalars": {"loss": i}})):
            with open(os.path.join(path, name), "w", encoding="utf-8") as f:
                f.write(json.dumps(text) + "\n")
    many = os.path.join(p.top, "many")
    code, out, err = p.run("push", *(os.path.join(many, name) for name in os.listdir(many)), env={"TSCOPE_STORE": os.path.join(p.top, "before")})
    check("many are pushed", code == 0, err)
    code, out, err = p.run("bisect", "A", p.commits[12], "--json", "-d", os.path.join(p.top, "machine-4"), *command, env={"TSCOPE_STORE": os.path.join(p.top, "before")})
    answer = json.loads(out) if out else {}
    check("stored runs come first", code == 0 and answer["first"] == answer["last"] == p.commits[8] and answer["run_count"] == 2, (code, answer, err))


def checkpoints(p):
    """A difference deep in the run: runs begin at the nearest checkpoint before it, and where that does not do, at the beginning."""
    saved = os.path.join(p.top, "saved")
    os.makedirs(saved)
    p.record("saving", env={"SAVE": saved})
    p.record("deep", late=3, note="y", tag=7)
    given = [w for step in (4, 12, 17, 30) for w in ("--checkpoint", f"{step}:{saved}/{step}.ckpt")]
    code, said, err = p.why("deep", *given, "--resume", "--load {checkpoint}", "-d", os.path.join(p.top, "from-17"))
    check("runs begin at the nearest checkpoint", code == 0 and said["proved"] and paths(said) == ["config.late"] and "begin at step 18" in err and
          all(t["run_step_count"] in (6, 22) for t in said["trials"]), (code, said, err))
    some = os.path.join(p.top, "some")
    os.makedirs(some)
    for step in (4, 12, 17, 30):
        os.link(f"{saved}/{step}.ckpt", f"{some}/{step}.ckpt")
    os.link(f"{saved}/19.ckpt", f"{some}/19.ckpt.tmp")
    code, said, err = p.why("deep", "--checkpoint", some + "/{step}.ckpt", "--resume", "--load {checkpoint}", "--dry-run")
    check("the nearest of all checkpoints of a name", "begin at step 18" in err and "17.ckpt" in err, (code, said, err))
    code, said, err = p.why("deep", "--checkpoint", "{step}/last.ckpt", "--resume", "--load {checkpoint}", "--dry-run")
    check("a checkpoint's step stands in the name of its file", code == 2 and "in the name of the file" in err, (code, said, err))
    with open(os.path.join(saved, "lame.ckpt"), "w", encoding="utf-8") as f:
        json.dump({**json.load(open(os.path.join(saved, "17.ckpt"), encoding="utf-8")), "lame": 0.5}, f)
    code, said, err = p.why("deep", "--checkpoint", f"17:{saved}/lame.ckpt", "--resume", "--load={checkpoint}", "-d", os.path.join(p.top, "unread"))
    check("words that the program does not know are not hidden", code == 0 and paths(said) == ["config.late"], (code, said, err))
    code, said, err = p.why("deep", "--checkpoint", f"17:{saved}/lame.ckpt", "--resume", "--load {checkpoint}", "-d", os.path.join(p.top, "lame"))
    check("a checkpoint that does not restore all is left", code == 0 and paths(said) == ["config.late"] and "do not come out as they were recorded" in err and
          all(t["run_step_count"] >= 24 for t in said["trials"]), (code, said, err))
    code, said, err = p.why("deep", "--checkpoint", f"17:{saved}/17.ckpt")
    check("both options belong together", code == 2 and "belong together" in err, (code, err))
    code, said, err = p.why("deep", "--checkpoint", "17.ckpt", "--resume", "--load {checkpoint}")
    check("a checkpoint has a step", code == 2 and "400:step400.pt" in err, (code, err))


PODMAN = '''#!/bin/sh
# Stands for podman: it begins with an empty environment, and takes what --env names.
echo "$@" >> "$0.said"
set_=
while [ "$1" != image ]; do
	if [ "$1" = --env ]; then
		eval "value=\\$$2"
		set_="$set_ $2='$value'"
	fi
	shift
done
shift
for word in "$@"; do set_="$set_ '$word'"; done
eval "exec env -i PATH='$PATH' $set_"
'''


def elsewhere(p):
    """Runs that a program makes: srun, and a container."""
    tools = os.path.join(p.top, "tools")
    os.makedirs(tools)
    for name, text in (("srun", '#!/bin/sh\necho "$@" >> "$0.said"\nshift\nexec "$@"\n'), ("podman", PODMAN)):
        with open(os.path.join(tools, name), "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(os.path.join(tools, name), 0o755)
    env = {"PATH": tools + ":" + os.environ["PATH"]}
    container = os.path.join(os.path.dirname(HERE), "..", "deploy", "in-container.sh")
    for name, runner in (("srun", "srun -N1"), ("podman", f"{container} image")):
        code, said, err = p.why("one", "--runner", runner, "-d", os.path.join(p.top, "by-" + name), env=env)
        check(f"runs by {name}", code == 0 and said["proved"] and paths(said) == ["config.wd"], (code, said, err))
        lines = open(os.path.join(tools, name + ".said"), encoding="utf-8").read().splitlines()
        check(f"each of them by {name}", len(lines) == said["run_count"] and all("train.py" in line for line in lines), (lines, said))
    check("a container has the folders of the run", "--volume" in lines[0] and "TSCOPE_STOP" in lines[0] and "image " + sys.executable in lines[0], lines[:1])
    code, out, err = p.run("why", "--runner", "srun | cat", "../A", "../one", "--", "true")
    check("no shell reads it", code == 2 and "no shell reads it" in err, (code, out, err))
    code, out, err = p.run("why", "--runner", "./none", "../A", "../one", "--", "true")
    check("a program that is not there", code == 2 and "./none is not there" in err, (code, out, err))


def main():
    p = Place(sys.argv[1])
    try:
        p.record("A")
        for part in (facts, stopped, hidden, others, patches, refused, unable, commit_gone, bisect, together, checkpoints, beside, elsewhere):
            part(p)
    finally:
        p.close()
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
