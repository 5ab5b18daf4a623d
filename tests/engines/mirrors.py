#!/usr/bin/env python3
"""mirrors.py BUILD: read-only copies of a store by `tscoped mirror`, of all of it and of a project, a branch and a filter, from a folder, from a server
and, where its programs are, from and into PostgreSQL. It is killed with -9 on the way and goes on; what a mirror holds is what the other store
has, run by run and object by object; it says what it is a copy of; and nobody else can write to it."""
import json
import os
import random
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fault"))
from postgres import Postgres, find, folder  # noqa: E402
from programs import Server, names_of, write_run  # noqa: E402

BUILD = sys.argv[1]
WAIT_S = 240


def expect(condition, what):
    if not condition:
        raise SystemExit(f"mirrors.py: {what}")


def mirror(*words):
    return subprocess.run([os.path.join(BUILD, "tscoped"), "mirror", *words], capture_output=True, text=True, timeout=WAIT_S)


def here(store):
    """tscope on a store without a server."""
    env = {**{k: v for k, v in os.environ.items() if not k.startswith("TSCOPE_")}, "TSCOPE_PROJECT": "fault"}
    return lambda *words: subprocess.run([os.path.join(BUILD, "tscope"), "--store", store, *words], env=env, capture_output=True, text=True)


def last_line(done):
    return dict(part.split("=", 1) for part in done.stderr.splitlines()[-1].split() if "=" in part)


def mirrors(words, what):
    done = mirror(*words)
    expect(done.returncode == 0 and last_line(done)["event"] == "mirrored", f"{what}: {done.stderr}")
    return last_line(done)


def everything(tscope, name):
    """What a user sees of a run, with its notes, and all that it recorded."""
    shown, facts = tscope("show", name, "--json"), tscope("facts", name, "--json")
    expect(shown.returncode == 0 and facts.returncode == 0, f"show {name}: {shown.stderr}{facts.stderr}")
    run = json.loads(shown.stdout)
    return run["run"], run["notes"], run["series"], json.loads(facts.stdout)


def same(tscope, other, names, what):
    for name in names:
        expect(everything(tscope, name) == everything(other, name), f"{what}: {name} is not what it is in the other store")


def branch_log(tscope, name):
    done = tscope("log", name, "--json")
    expect(done.returncode == 0, f"log {name}: {done.stderr}")
    return [(e["id"], e["moved"], e["who"], e["message"]) for e in json.loads(done.stdout)["entries"]]


def sound(tscope, what):
    done = tscope("verify")
    expect(done.returncode == 0 and "all sound" in done.stdout, f"verify of {what}: {done.stdout}{done.stderr}")


def refuses(tscope, store, word):
    """Nothing can be written, and the sentence says where it can."""
    run = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../golden/demo/runs/base")
    for words in (("push", run, "--name", "own"), ("note", "fault/run1", "why=tried"), ("rm", "fault/run1"), ("gc",), ("tag", "fault/run1", "t")):
        said = tscope(*words)
        expect(said.returncode == 2 and "read-only copy" in said.stderr and word in said.stderr, f"{' '.join(words)} on {store}: {said.returncode} {said.stderr}")


def says(tscope, of):
    shown, listed = tscope("show", "fault/run1"), tscope("list")
    expect("copy of" in shown.stdout and of in shown.stdout, f"show says {shown.stdout}")
    expect(f"read-only copy of {of}" in listed.stderr, f"list says {listed.stderr}")
    expect(json.loads(tscope("list", "--json").stdout)["copy_of"].startswith(of), "list --json does not say whose copy it is")


def fill(tscope, work):
    for number in range(1, 13):
        run = os.path.join(work, f"r{number}")
        write_run(run, number)
        words = ["push", run, "--name", f"run{number}"] + (["--branch", "main"] if number % 3 == 0 else [])
        done = tscope(*words) if number < 11 else tscope(*words, "--project", "away")
        expect(done.returncode == 0, f"push: {done.stderr}")
    for words in (("note", "fault/run2", "why=tried, twice"), ("tag", "fault/run3", "best"), ("tag", "fault/run4", "worst")):
        done = tscope(*words)
        expect(done.returncode == 0, f"{words}: {done.stderr}")


def changes(tscope, work):
    """What a store becomes while its mirrors do not look."""
    run = os.path.join(work, "r20")
    write_run(run, 20)
    for words in (("push", run, "--name", "run20", "--branch", "main"), ("rm", "fault/run5"), ("note", "fault/run2", "why="), ("note", "fault/run6", "bad=no")):
        done = tscope(*words)
        expect(done.returncode == 0, f"{words}: {done.stderr}")


def parts(source, tscope, work, tag):
    """A project, a branch and a filter, each brought up to date after a change. Returns the stores."""
    stores = {part: os.path.join(work, f"{tag}-{part}") for part in ("project", "branch", "filter")}
    words = {"project": ("--project", "fault"), "branch": ("--branch", "fault/main"), "filter": ("--filter", "config.number < 4")}
    for turn in range(2):
        if turn:
            changes(tscope, os.path.join(work, tag))
        all_names = names_of(tscope)
        mains = {e[0] for e in branch_log(tscope, "fault/main")}
        wanted = {"project": {n for n in all_names if n.startswith("fault/")}, "branch": {n for n, run in all_names.items() if run in mains},
                  "filter": {"fault/run1", "fault/run2", "fault/run3"}}
        for part, store in stores.items():
            came = mirrors((source, store, *words[part]), f"{part} of {source}")
            again = mirrors((source, store, *words[part]), f"{part} once more")
            expect(again["names"] == again["objects"] == again["removed"] == "0", f"{part} once more: {again}")
            own = here(store)
            expect(set(names_of(own)) == wanted[part], f"the {part} has {sorted(names_of(own))} instead of {sorted(wanted[part])}")
            same(tscope, own, wanted[part], part)
            sound(own, part)
            expect(turn == 0 or part == "filter" or int(came["names"]) > 0, f"{part} after a change: {came}")
        expect(branch_log(here(stores["project"]), "fault/main") == branch_log(here(stores["branch"]), "fault/main") == branch_log(tscope, "fault/main"),
               "the log of a branch is another one")
    return stores


def killed(words, after_s):
    process = subprocess.Popen([os.path.join(BUILD, "tscoped"), "mirror", *words], stderr=subprocess.DEVNULL)
    time.sleep(after_s)
    process.kill()
    return process.wait() != 0


def push_into_two(work, server):
    """One push into three stores: the same names and ids in each; where one does not answer, the others have it, and the same command goes on."""
    stores, run = [os.path.join(work, name) for name in ("one", "two")], os.path.join(work, "twice")
    write_run(run, 77)
    words = ("push", run, "--name", "twice", "--also", stores[1], "--also", f"unix:{server.socket}")
    done = here(stores[0])(*words)
    expect(done.returncode == 0 and f"also to {stores[1]}" in done.stdout, f"push into three stores: {done.stdout}{done.stderr}")
    names = [names_of(tscope)["fault/twice"] for tscope in (here(stores[0]), here(stores[1]), server.tscope)]
    expect(names[0] == names[1] == names[2], f"the run is {names} in the three stores")
    again = here(stores[0])(*words, "--json")
    expect(again.returncode == 0 and [p["outcome"] for p in json.loads(again.stdout)["pushes"]] == ["unchanged"], f"once more: {again.stdout}{again.stderr}")
    away = here(stores[0])("push", run, "--name", "else", "--also", f"unix:{work}/none", "--also", stores[1])
    expect(away.returncode == 2 and "pushed, but not to" in away.stderr, f"a store that is away: {away.returncode} {away.stderr}")
    expect("outcome   created" in away.stdout and "also to" not in away.stdout, f"what the first store answered is lost: {away.stdout}")
    away = here(stores[0])("push", run, "--name", "else", "--json", "--also", f"unix:{work}/none")
    expect(away.returncode == 2 and "pushed, but not to" in away.stderr and [p["outcome"] for p in json.loads(away.stdout)["pushes"]] == ["unchanged"],
           f"as JSON: {away.returncode} {away.stdout}{away.stderr}")
    expect("fault/else" in names_of(here(stores[0])), "what was pushed before a store that is away is not there")
    shutil.rmtree(run)


def while_served(work, disk):
    """A store becomes a mirror, and is none any more, while a server has it open: each push is answered by what it is then."""
    store, run = os.path.join(work, "becomes"), os.path.join(work, "becomes-run")
    write_run(run, 78)
    served = Server(BUILD, store, store + ".s")
    mirrors((disk, store, "--project", "fault"), "of a store that is served")
    for tscope in (served.tscope, here(store)):
        says(tscope, disk)
        refuses(tscope, store, disk)
    expect("fault/own" not in names_of(served.tscope), "a mirror took a push")
    ended = mirror("--end", store)
    expect(ended.returncode == 0, f"--end: {ended.stderr}")
    pushed = served.tscope("push", run, "--name", "own")
    expect(pushed.returncode == 0 and "copy of" not in served.tscope("show", "fault/run1").stdout, f"push into what was a mirror: {pushed.stderr}")
    expect(mirror(disk, store, "--project", "fault").returncode == 2 and "fault/own" in names_of(served.tscope), "what was a mirror was taken again")
    served.process.terminate()
    expect(served.process.wait() == 0, "a server of what was a mirror does not end as it should")
    shutil.rmtree(run)


def takes_nothing_away(work):
    """An answer without names, another part, and another store in the place of the first one leave a mirror as it is; a long log is no matter."""
    store, copy, main_copy = (os.path.join(work, name) for name in ("own", "own-copy", "own-main"))
    runs = [os.path.join(work, f"own{number}") for number in (1, 2)]
    for number, run in enumerate(runs):
        write_run(run, number + 90)
        done = here(store)("push", run, "--name", f"own{number}")
        expect(done.returncode == 0, f"push: {done.stderr}")
    for turn in range(12):
        done = here(store)("push", runs[turn % 2], "--name", f"own{turn % 2}", "--branch", "main", "--force")
        expect(done.returncode == 0, f"push to a branch: {done.stderr}")
    mirrors((store, copy, "--project", "fault"), "a project")
    mirrors((store, main_copy, "--branch", "fault/main"), "a branch that goes to and fro")
    expect(len(branch_log(here(main_copy), "fault/main")) == 12 and branch_log(here(main_copy), "fault/main") == branch_log(here(store), "fault/main"),
           "the log of a branch that goes to and fro is another one")
    had, typo = names_of(here(copy)), os.path.join(work, "typo")
    said = mirror(store, typo, "--project", "fualt")
    expect(said.returncode == 2 and "no project fualt" in said.stderr, f"a project that is not there: {said.returncode} {said.stderr}")
    mirrors((store, typo, "--project", "fault"), "what was spelled wrong at first")
    refused = [((store, copy, "--project", "fualt"), "another part"), ((store, copy), "another part")]
    for name in had:
        expect(here(store)("rm", name).returncode == 0, f"rm {name}")
    expect(here(store)("rm", "branch:fault/main").returncode == 0, "rm of the branch")
    refused.append(((store, copy, "--project", "fault"), "shows no name"))
    for words, word in refused:
        said = mirror(*words)
        expect(said.returncode == 2 and word in said.stderr, f"mirror {words}: {said.returncode} {said.stderr}")
    shutil.rmtree(store)
    expect(here(store)("push", runs[0], "--name", "other").returncode == 0, "push into a store in the place of another one")
    said = mirror(store, copy, "--project", "fault")
    expect(said.returncode == 2 and "another store is there now" in said.stderr, f"another store: {said.returncode} {said.stderr}")
    expect(names_of(here(copy)) == had, "names went though each copying was refused")
    for run in runs:
        shutil.rmtree(run)


def main():
    seed = random.randrange(1 << 30)
    rng = random.Random(seed)
    print(f"seed {seed}", flush=True)
    work = folder()
    programs = find()
    postgres = Postgres(programs, work) if programs else None
    try:
        disk = os.path.join(work, "disk")
        os.mkdir(os.path.join(work, "disk-runs"))
        fill(here(disk), os.path.join(work, "disk-runs"))
        os.mkdir(os.path.join(work, "d"))
        stores = parts(disk, here(disk), work, "d")
        whole = os.path.join(work, "whole")
        kills = sum(killed((disk, whole), rng.uniform(0.01, 0.3)) for _ in range(4))
        mirrors((disk, whole), "all of a folder")
        expect(mirrors((disk, whole), "once more")["records"] == "0", "records came though nothing had changed")
        names = names_of(here(disk))
        expect(names_of(here(whole)) == names, "the mirror of all has other names")
        same(here(disk), here(whole), names, "all")
        for store in (whole, stores["project"]):
            says(here(store), disk)
            refuses(here(store), store, disk)
        print(f"folder: {len(names)} runs; all of them, a project, a branch and a filter; {kills} times killed", flush=True)

        while_served(work, disk)
        takes_nothing_away(work)
        server = Server(BUILD, disk, os.path.join(work, "s"))
        address = f"unix:{os.path.join(work, 's')}"
        for store, words in ((os.path.join(work, "from-server"), ()), (os.path.join(work, "project-from-server"), ("--project", "fault"))):
            kills = sum(killed((address, store, *words), rng.uniform(0.01, 0.3)) for _ in range(3))
            mirrors((address, store, *words), "of a server")
            same(server.tscope, here(store), {n for n in names if not words or n.startswith("fault/")}, "of a server")
            served = Server(BUILD, store, store + ".s")
            says(served.tscope, address)
            refuses(served.tscope, store, address)
            changed = here(disk)("note", "fault/run7", f"turn={len(words)}")
            expect(changed.returncode == 0, changed.stderr)
            mirrors((address, store, *words), "beside a server of the mirror")
            same(server.tscope, served.tscope, ["fault/run7"], "beside a server of the mirror")
            served.process.terminate()
            expect(served.process.wait() == 0, "a server of a mirror does not end as it should")
        for words in ((), ("--project", "fault")):  # of servers of one store, the first of which is away
            store = os.path.join(work, f"from-several-{len(words)}")
            several = f"unix:{os.path.join(work, 'absent')},{address}"
            mirrors((several, store, *words), "of several servers")
            same(server.tscope, here(store), ["fault/run7"], "of several servers")
            says(here(store), several)
        push_into_two(work, server)
        server.process.terminate()
        expect(server.process.wait() == 0, "a server does not end as it should")
        print(f"server: all and a project; {kills} times killed; read by servers of the mirrors meanwhile", flush=True)

        if postgres:
            postgres.sql("CREATE DATABASE tscope", "postgres")
            cluster = "cluster:" + postgres.conf("cluster.conf")
            mirrors((disk, cluster), "into a database")
            served = Server(BUILD, cluster, os.path.join(work, "c"))
            says(served.tscope, disk)
            refuses(served.tscope, cluster, disk)
            same(here(disk), served.tscope, names, "in a database")
            served.process.terminate()
            expect(served.process.wait() == 0, "a server of a mirror does not end as it should")
            mirrors((cluster, os.path.join(work, "again"), "--branch", "fault/main"), "of a mirror in a database")
            sound(here(os.path.join(work, "again")), "of a mirror in a database")
            print("PostgreSQL: all into a database, served, and a branch out of it", flush=True)

        absent, filled = os.path.join(work, "absent"), disk
        for words, word in (((disk, filled), "both are one store"), ((whole, filled), "holds what is no mirror"), ((absent, whole), "absent"),
                            ((whole, stores["project"]), "is a mirror of"), ((disk,), "say from where"), ((disk, whole, "--porject", "x"), "say from where"),
                            ((disk, absent, "--branch", "main"), "with its project"), ((disk, absent, "--branch", "fault/none"), "fault/none"),
                            ((disk, absent, "--filter", "loss <"), "filter"), ((disk, whole, "--ca", "x"), "are for a server"), (("--end", disk), "is no mirror"),
                            ((f"unix:{absent}", absent), "absent")):
            said = mirror(*words)
            expect(said.returncode == 2 and word in said.stderr and said.stderr.count("\n") == 1, f"mirror {words}: {said.stderr}")
        ended = mirror("--end", whole)
        expect(ended.returncode == 0 and here(whole)("note", "fault/run1", "why=own").returncode == 0, f"--end: {ended.stderr}")
        said = mirror(disk, whole)
        expect(said.returncode == 2 and "holds what is no mirror" in said.stderr, f"into what was a mirror: {said.stderr}")
        print("12 refused in a sentence each; one became a store of its own")
    finally:
        if postgres:
            postgres.kill()
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
