#!/usr/bin/env python3
"""How fast the pages of tscope web are: web.py BUILD [RUNS [STEPS [PAGES]]] (default 100000, 10000000 and 1000). Prints a row for a page of a list of RUNS runs; for views of a
curve of STEPS steps, beside a picture of the whole, which reads every step; for PAGES pages that are open at once; for the time from a recorded step to the page; and, in
Chromium, for drawing 20 curves of 2,000 cells, beside dygraphs of Debian where libjs-dygraphs is installed (or DYGRAPHS names its folder)."""
import json
import os
import random
import select
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../web"))
import chromium  # noqa: E402
from served import Store, Web, until  # noqa: E402

DRAWN = 50000  # steps of each run that is drawn
DYGRAPHS = os.environ.get("DYGRAPHS", "/usr/share/javascript/dygraphs")


def row(what, value, about=""):
    print(f"  {what:<58} {value:>16}  {about}", flush=True)


def ms(web, path):
    """Milliseconds of one request, on a connection of its own, and the bytes of the answer."""
    began = time.perf_counter()
    status, _, body = web.ask(path)
    took = (time.perf_counter() - began) * 1000
    assert status == 200, (path, status, body[-300:])
    return took, body


def cpu_s(web):
    """Seconds of a core that the server has used."""
    total, tasks = 0, f"/proc/{web.process.pid}/task"
    for task in os.listdir(tasks):
        with open(f"{tasks}/{task}/schedstat") as stat:
            total += int(stat.read().split()[0])
    return total / 1e9


def times(web, paths):
    """Asks for each, and says how long that took, and what of it the server has used of a core."""
    cpu = cpu_s(web)
    took = [ms(web, path)[0] for path in paths]
    value, about = shown(took)
    return value, f"{about}; {(cpu_s(web) - cpu) * 1000 / len(took):.1f} ms of a core"


def shown(took):
    return f"{statistics.median(took):.1f} ms", f"{len(took)} times, {min(took):.1f} to {max(took):.1f} ms"


def of_many_runs(build, work, runs):
    store = Store(build, os.path.join(work, "many"))
    os.makedirs(store.work)
    subprocess.run([os.path.join(build, "bench_list"), os.path.join(store.work, "store"), str(runs), "1"], check=True, stdout=subprocess.DEVNULL)
    project = json.loads(store.tscope("projects", "--json").stdout)["projects"][0]["project"]
    web = Web(store)
    base = f"/p/{project}/runs"
    ms(web, base)
    row(f"first page of {runs:,} runs", *times(web, [base] * 15))
    row("  its document", *times(web, [base + ".json"] * 15))
    row("  sorted by a metric", *times(web, [base + ".json?sort=-val_acc.best"] * 15))
    row("  filtered by a metric", *times(web, [base + ".json?q=loss.last%3C0.5"] * 15))
    pages, path = [], base + ".json"
    for _ in range(15):
        took, body = ms(web, path)
        pages.append(took)
        path = f"{base}.json?page={json.loads(body)['next_page']}"
    row("  one page after the other", *shown(pages))
    web.end()


def write_steps(path, steps, seed=1):
    rng = random.Random(seed)
    os.makedirs(path)
    with open(os.path.join(path, "steps.jsonl"), "w") as out:
        for step in range(steps):
            out.write(f'{{"step":{step},"timestamp":{1.7e9 + step / 10:.1f},"scalars":{{"loss":{2 + rng.random() / 10:.5f}}}}}\n')


def of_many_steps(build, work, steps):
    store = Store(build, os.path.join(work, "long"))
    write_steps(os.path.join(store.work, "runs", "long"), steps)
    store.env["TSCOPE_STORE"] = os.path.join(store.work, "store")
    subprocess.run([store.program, "push", "./runs/long"], cwd=store.work, env=store.env, check=True, capture_output=True)
    web = Web(store)
    base, rng = "/p/default/plot/loss.json?run=long", random.Random(2)
    row(f"a picture of {steps:,} steps, which reads them all", *times(web, [base] * 5))
    row("  the first view of cells", f"{ms(web, base + '&cells=2000')[0]:.1f} ms", "sums of blocks are made and remembered")
    for axis, unit in (("step", 1), ("time", 0.1)):
        ms(web, f"{base}&cells=2000&x={axis}")
        for part in (1, 10, 1000, 100000):
            wide = steps * unit / part
            begins = [rng.random() * (steps * unit - wide) for _ in range(15)]
            row(f"  a view of 1/{part:,} of it, by {axis}",
                *times(web, [f"{base}&cells=2000&x={axis}&from={begin}&to={begin + wide}" for begin in begins]))
    web.end()


def of_many_pages(build, work, pages):
    store = Store(build, os.path.join(work, "open"))
    write_steps(os.path.join(store.work, "runs", "a"), 1000)
    store.tscope("push", "./runs/a")
    web = Web(store)
    web.page("/p/default/r/a")
    before = web.memory()
    streams = [web.follow("/p/default/" + ("r/a" if i % 2 else "runs")) for i in range(pages)]
    time.sleep(3)
    cpu, seconds = cpu_s(web), 10
    time.sleep(seconds)
    row(f"{pages:,} open pages: memory of the server", f"{web.memory() / 2**20:.0f} MiB", f"{before / 2**20:.0f} MiB before them")
    row("  a core that waits", f"{(cpu_s(web) - cpu) / seconds * 100:.1f} %")
    with open(os.path.join(store.work, "runs", "a", "steps.jsonl"), "a") as out:
        out.write('{"step":1000,"scalars":{"loss":1}}\n')
    store.tscope("push", "./runs/a")
    began, told, cpu = time.monotonic(), 0, cpu_s(web)
    waiting = {stream.fileno(): stream for stream in streams}
    while waiting and time.monotonic() < began + 20:
        for fd in select.select(list(waiting), [], [], 1)[0]:
            if b"data: changed" in waiting[fd].recv(4096):
                told += 1
                del waiting[fd]
    row(f"  a push is told to {told:,} of them after", f"{(time.monotonic() - began) * 1000:.0f} ms", f"{(cpu_s(web) - cpu) * 1000:.0f} ms of a core")
    for stream in streams:
        stream.close()
    web.end()


def of_a_step(build, work):
    store = Store(build, os.path.join(work, "grows"))
    steps = os.path.join(store.work, "runs", "a", "steps.jsonl")
    write_steps(os.path.dirname(steps), 1000)
    web, took = Web(store, "./runs"), []
    ends = "/p/default/plot/loss.json?run=a&cells=100"
    assert until(20, lambda: web.ask(ends)[0] == 200)
    stream = web.follow("/p/default/r/a")
    time.sleep(3)
    for step in range(1000, 1010):
        time.sleep(random.Random(step).random())
        began = time.monotonic()
        with open(steps, "a") as out:
            out.write(f'{{"step":{step},"scalars":{{"loss":1}}}}\n')
        while json.loads(web.ask(ends)[2])["high"] < step:
            assert web.told(stream, 10), "nothing was told"
        took.append((time.monotonic() - began) * 1000)
    row("a step written into an open folder is in the document after", *shown(took))
    stream.close()
    web.end()


PEER = """<!DOCTYPE html><link rel="stylesheet" href="dygraph.css"><script src="dygraph.js"></script><div id="d" style="width:1116px;height:280px"></div><script>
const n = 2000, rows = [];
for (let i = 0; i < n; i++) rows.push([i * 100, ...Array.from({length: 20}, (_, k) => [Math.exp(-i / 500) + k / 50, Math.exp(-i / 500) + k / 50 + .02, Math.exp(-i / 500) + k / 50 + .04])]);
const began = performance.now();
window.g = new Dygraph(document.getElementById("d"), rows, {customBars: true, labels: ["x", ...Array.from({length: 20}, (_, k) => "r" + k)]});
window.first = performance.now() - began;
window.zoom = (a, b) => { const began = performance.now(); g.updateOptions({dateWindow: [a, b]}); return performance.now() - began; };
</script>"""


def drawn_after(browser, script, seconds=60):
    """Whether it becomes true; a picture has a browser without a screen draw."""
    def look():
        browser.page("Page.captureScreenshot", format="jpeg", quality=1)
        return browser.run(script)

    return until(seconds, look)


def of_drawing(build, work):
    if not chromium.PROGRAM:
        row("drawing", "-", "there is no Chromium")
        return
    store = Store(build, os.path.join(work, "draws"))
    for k in range(20):
        write_steps(os.path.join(store.work, "runs", f"r{k}"), DRAWN, k)
    subprocess.run([store.program, "push", "./runs"], cwd=store.work, env=store.env, check=True, capture_output=True)
    web, browser = Web(store), chromium.Chromium()
    paint = "+(document.querySelector('canvas.curve')?.dataset.paint ?? 0)"
    paints = "+(document.querySelector('canvas.curve')?.dataset.paints ?? 0)"
    try:
        browser.go(web.link)
        browser.page("Emulation.setDeviceMetricsOverride", width=1200, height=900, deviceScaleFactor=1.8, mobile=False)  # 2,000 dots wide
        browser.go(f"http://{web.host}/p/default/plot/loss?" + "&".join(f"run=r{k}" for k in range(20)))
        assert drawn_after(browser, paint + " > 0")
        came = browser.run("performance.getEntriesByType('resource').find((e) => e.name.includes('cells=')).responseEnd")
        row(f"20 curves of {DRAWN:,} steps: from the address to their cells", f"{came:.0f} ms")
        row("  its first drawing, a canvas of our own", f"{browser.run(paint):.1f} ms", browser.run("document.querySelector('figure.plot > .dim').textContent"))
        browser.run("document.querySelector('canvas.curve').focus()")
        drawn = []
        for key in "++++----":
            before = browser.run(paints)
            browser.key(key, ord(key), key)
            assert drawn_after(browser, f"{paints} > {before}")
            time.sleep(0.3)
            drawn.append(browser.run(paint))
        row("  drawing a zoom", *shown(drawn))
        peer = os.path.join(work, "peer")
        os.makedirs(peer)
        if not os.path.exists(os.path.join(DYGRAPHS, "dygraph.js")):
            row("  dygraphs", "-", "libjs-dygraphs is not installed, and DYGRAPHS names no folder with it")
            return
        for name in ("dygraph.js", "dygraph.css"):
            with open(os.path.join(DYGRAPHS, name), "rb") as source, open(os.path.join(peer, name), "wb") as copy:
                copy.write(source.read())
        with open(os.path.join(peer, "index.html"), "w") as page:
            page.write(PEER)
        browser.go("file://" + os.path.join(peer, "index.html"))
        row("  its first drawing, dygraphs with 2,000 cells", f"{browser.run('first'):.1f} ms")
        row("  drawing a zoom, dygraphs", *shown([browser.run(f"zoom({a}, {200000 - a})") for a in (20000, 50000, 80000, 90000, 0, 0, 10000, 60000)]))
    finally:
        browser.end()
        web.end()


def main():
    build = os.path.abspath(sys.argv[1])
    runs, steps, pages = ([int(word) for word in sys.argv[2:]] + [100000, 10000000, 1000][len(sys.argv) - 2:])[:3]
    with tempfile.TemporaryDirectory(prefix="tscope-bench-web-") as work:
        of_many_runs(build, work, runs)
        of_many_steps(build, work, steps)
        of_many_pages(build, work, pages)
        of_a_step(build, work)
        of_drawing(build, work)


if __name__ == "__main__":
    main()
