#!/usr/bin/env python3
"""A person's tasks in `tscope web`, `mlflow ui` and `trackio show` on the same runs, by clicks alone: peers.py BUILD PYTHON. PYTHON is one that has mlflow and trackio. Prints for
each task and program the clicks and the seconds until the answer can be read, or that its pages do not have it. What the pages of mlflow and trackio show of compared runs counts as said:
settings and metrics side by side answer why a run is slower, if whoever asks knows with which runs of main to compare. No test: the pages of others change."""
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chromium  # noqa: E402
from browser import click, link, one  # noqa: E402
from served import Store, Web, make_run, until  # noqa: E402

RUNS = [(f"m{i}", 40 + i, 0, 0.1, {"lr": 1e-3, "workers": 4}) for i in range(8)] + [
    ("best", 60, -0.4, 0.1, {"lr": 2e-3, "workers": 4}), ("mine", 61, 0, 0.15, {"lr": 1e-3, "workers": 0}), ("twin", 40, 0.2, 0.1, {"lr": 1e-3, "workers": 4})]
LOG = """
import json, os, sys
def rows(folder):
    with open(os.path.join(folder, "steps.jsonl")) as steps:
        return [json.loads(line) for line in steps]
names, to = json.loads(sys.argv[1]), sys.argv[2]
if to == "mlflow":
    import mlflow
    from mlflow.entities import Metric, Param
    client = mlflow.MlflowClient()
    experiment = client.create_experiment("tasks")
    for name, config in names.items():
        run = client.create_run(experiment, run_name=name).info.run_id
        values = [Metric(key, value, int((1.7e9 + row["step"]) * 1000), row["step"]) for row in rows(name)
                  for key, value in (("loss", row["loss"]), ("step_time", row["phases"]["step"]))]
        client.log_batch(run, metrics=values, params=[Param(k, str(v)) for k, v in config.items()])
        if name != "mine":
            client.set_terminated(run)
else:
    import trackio
    for name, config in names.items():
        trackio.init(project="tasks", name=name, config=config, embed=False)
        for row in rows(name):
            trackio.log({"loss": row["loss"], "step_time": row["phases"]["step"]}, step=row["step"])
        trackio.finish()
"""


def pressed(text):
    """The innermost thing of this text that can be seen."""
    return ("[...document.querySelectorAll('a,button,[role=button],[role=tab],[role=menuitem],[role=option],[role=menuitemcheckbox],label,span,div')]"
            f".filter(e => e.textContent.trim() == {json.dumps(text)} && e.offsetWidth).at(-1)")


def box(name):
    """The box before the row of a run, in a table of rows or of what looks like one."""
    return f"[...document.querySelectorAll('[role=row],tr')].find(r => r.textContent.includes({json.dumps(name)}) && r.querySelector('input[type=checkbox]'))?.querySelector('input[type=checkbox]')"


SHOWN = "document.body.innerText"
TASKS = {
    "the best run of last week": {
        "tscope": ([link("last week"), link("loss")], "document.querySelector('main tbody a').textContent == 'best'"),
        "mlflow ui": ([pressed("tasks"), pressed("Model training"), pressed("All time"), pressed("Last 7 days"), pressed("Sort: Created"), pressed("loss")], SHOWN + ".includes('Sort: loss')"),
        "trackio": None},
    "why my run is slower than main": {
        "tscope": ([link("mine"), link("what differs from its newest run")], SHOWN + ".includes('config.workers') && " + SHOWN + ".includes('step time, median')"),
        "mlflow ui": ([pressed("tasks"), pressed("Model training"), box("mine"), box("m7"), pressed("Compare")], SHOWN + ".includes('workers') && " + SHOWN + ".includes('step_time')"),
        "trackio": ([pressed("Show run comparer")], SHOWN + ".includes('workers') && " + SHOWN + ".includes('step_time')")},
    "where two runs part, and why": {
        "tscope": ([one("input[value=m0]"), one("input[value=twin]"), link("Compare the chosen runs")], SHOWN + ".includes('step 100')"),
        "mlflow ui": ([pressed("tasks"), pressed("Model training"), box("m0"), box("twin"), pressed("Compare")], "/(step|at) 100\\b/.test(" + SHOWN + ")"),
        "trackio": ([], "/(step|at) 100\\b/.test(" + SHOWN + ")")},
    "both curves in one picture": {
        "tscope": ([one("input[value=m0]"), one("input[value=twin]"), link("Compare the chosen runs")], "!!document.querySelector('canvas.curve[aria-busy=false]')"),
        "mlflow ui": ([pressed("tasks"), pressed("Model training"), box("m0"), box("twin"), pressed("Compare")], SHOWN + ".includes('Comparing 2 Runs')"),
        "trackio": ([], "document.querySelectorAll('canvas').length > 0 || document.querySelectorAll('svg').length > 5")},
    "is my run still alive": {
        "tscope": ([], "[...document.querySelectorAll('main tbody tr')].some(r => r.textContent.includes('mine') && r.textContent.includes('running'))"),
        "mlflow ui": ([pressed("tasks"), pressed("Model training"), pressed("mine")], SHOWN + ".includes('Running')"),
        "trackio": None},
}


def becomes(browser, script, seconds=40):
    """A page that is being replaced answers by an error, which is no answer yet."""
    def true():
        try:
            return browser.run(f"!!({script})")
        except AssertionError:
            return False

    return until(seconds, true)


def tried(browser, home, task):
    """(clicks, seconds), or what did not come."""
    steps, answer = task
    clicks = f"{len(steps)} click{'' if len(steps) == 1 else 's'}"
    browser.go("about:blank")
    browser.go(home)
    began = time.monotonic()
    for step in steps:
        if browser.run("location.port != ''") and browser.run("!!" + pressed("Got it")):
            click(browser, pressed("Got it"))
        if not becomes(browser, f"!!({step})"):
            return "a thing to press did not come: " + step[-60:]
        click(browser, step)
    if not becomes(browser, answer):
        return f"the page that is nearest, after {clicks}, does not say it"
    return f"{clicks}, {time.monotonic() - began:.1f} s"


def main():
    build, python = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="tscope-peers-", ignore_cleanup_errors=True) as work:
        store = Store(build, work)
        for name, seed, bump, step_time, config in RUNS:
            make_run(os.path.join(work, name), seed, bump, config=config, step_time=step_time)
            more = ("--branch", "main") if name.startswith("m") and name != "mine" else ("--state", "running") if name == "mine" else ()
            store.tscope("push", "-q", "--project", "tasks", "--name", name, *more, "./" + name)
        env = {**os.environ, "HOME": work, "MLFLOW_TRACKING_URI": f"sqlite:///{work}/m.db", "BROWSER": "true", "TRACKIO_DIR": os.path.join(work, "trackio")}
        names = json.dumps({name: config for name, _, _, _, config in RUNS})
        for to in ("mlflow", "trackio"):
            subprocess.run([python, "-c", LOG, names, to], cwd=work, env=env, check=True, stdout=subprocess.DEVNULL, timeout=600)
        beside = os.path.dirname(python)
        peers = [subprocess.Popen(words, cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
                 for words in ([os.path.join(beside, "mlflow"), "ui", "--backend-store-uri", f"sqlite:///{work}/m.db", "--port", "8931", "--workers", "1"],
                               [os.path.join(beside, "trackio"), "show", "--project", "tasks"])]
        web, browser = Web(store, "--project", "tasks"), chromium.Chromium()
        homes = {"tscope": f"http://{web.host}/p/tasks/runs", "mlflow ui": "http://127.0.0.1:8931/", "trackio": "http://127.0.0.1:7860/?project=tasks"}
        try:
            browser.size(1600, 1000)
            browser.go(web.link)

            def answers(home):
                try:
                    browser.go(home)
                    return not browser.run("location.href").startswith("chrome-error")
                except AssertionError:
                    return False

            for name, home in homes.items():
                assert until(240, lambda home=home: answers(home)), name
            print("| task | " + " | ".join(homes) + " |\n|---|" + "---|" * len(homes), flush=True)
            for task, ways in TASKS.items():
                print(f"| {task} | " + " | ".join("its pages do not say it" if ways[name] is None else tried(browser, home, ways[name]) for name, home in homes.items()) + " |", flush=True)
        finally:
            browser.end()
            web.end()
            for peer in peers:
                os.killpg(peer.pid, 9)
                peer.wait()


if __name__ == "__main__":
    main()
