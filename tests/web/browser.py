#!/usr/bin/env python3
"""Opens the pages of `tscope web` in headless Chromium: browser.py BUILD [FOLDER|- [NAME...]]. Pictures go into the folder. Exits 77 without Chromium."""
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chromium  # noqa: E402
from served import Store, Web, make_run, until  # noqa: E402
from sign_in import Team  # noqa: E402

PAGES = {"runs": "/p/default/runs", "run": "/p/default/r/a", "content": "/p/default/show/a", "facts": "/p/default/facts/a", "log": "/p/default/log/a",
         "diff": "/p/default/diff/a..b", "plot": "/p/default/plot/loss?run=a&run=b", "branch": "/p/default/b/main", "groups": "/p/default/groups?by=config.lr&columns=loss.last",
         "matrix": "/p/default/matrix?run=a&run=b&run=c", "projects": "/projects",
         "error": "/p/default/r/nothing", "change": "/p/default/change/a", "changes": "/p/default/change?run=a&run=b", "accept": "/p/default/change-branch/main", "gate": "/p/default/gate/b?baseline=main",
         "trace": "/p/files/r/trace-a", "timeline": "/p/files/timeline/trace-a?from=1000000&to=3000000", "snapshot": "/p/files/r/memory-a",
         "trace-diff": "/p/files/diff/trace-a..trace-b", "snapshot-diff": "/p/files/diff/memory-a..memory-b"}
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden")
FILES = {"trace-a": "trace/demo.json.gz", "trace-b": "trace/slower.json", "memory-a": "snapshot/oom.pickle", "memory-b": "snapshot/list.pickle"}
AXE = "axe-core@4.10.3"
SIZES = ((390, 844), (1200, 800), (2560, 1440))


def shows_every_page(store, web, browser, folder):
    """Light and dark, on a phone and on a desk: nothing is refused, nothing is wider than the window, everything has a name."""
    for name, path in PAGES.items():
        for width, height in SIZES:
            for dark in (False, True):
                browser.size(width, height, dark)
                browser.complaints.clear()
                browser.go("http://" + web.host + path)
                assert not [c for c in browser.complaints if "404" not in c], (name, browser.complaints)
                if name in ("run", "diff", "plot", "trace", "timeline"):
                    assert browser.becomes("document.querySelector('canvas.curve') && [...document.querySelectorAll('canvas.curve')]"
                                           ".every(c => c.getAttribute('aria-label'))", 60), name
                wide = browser.run("document.documentElement.scrollWidth - window.innerWidth")
                assert wide <= 0, f"{name} is {wide} pixels too wide at {width}"
                unnamed = browser.run("[...document.querySelectorAll('a,button,input:not([type=hidden])')].filter(e => !(e.textContent.trim() || "
                                      "e.getAttribute('aria-label') || (e.id && document.querySelector(`label[for=${e.id}]`)))).length")
                assert unnamed == 0, f"{name}: {unnamed} things to press have no name"
                assert browser.run("document.querySelectorAll('h1').length") == 1, name
                if folder:
                    browser.picture(os.path.join(folder, f"{name}-{width}{'-dark' if dark else ''}.png"))


def axe_of(build):
    """The text of axe-core, which npm brings once into the build folder; None where it cannot."""
    folder = os.path.join(build, "axe")
    path = os.path.join(folder, "node_modules", "axe-core", "axe.min.js")
    if not os.path.exists(path) and shutil.which("npm"):
        os.makedirs(folder, exist_ok=True)
        try:
            subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", AXE], cwd=folder, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            pass
    if not os.path.exists(path):
        return None
    with open(path) as text:
        return text.read()


def reads_aloud(store, web, browser, folder):
    """axe-core finds no violation on any page, light and dark, on a phone and on a desk."""
    axe = axe_of(store.build)
    if not axe:
        print(f"  skipped: npm cannot get {AXE} here, so that the pages are not looked at by it", flush=True)
        return
    rules, bad = 0, []
    for name, path in PAGES.items():
        for width, dark in ((390, False), (1200, True)):
            browser.size(width, 800, dark)
            browser.go("http://" + web.host + path)
            browser.run(axe + ";0")
            found = browser.run("axe.run(document, {resultTypes: ['violations']}).then(r => ({bad: r.violations.map(v => v.id + ': ' + v.help + ' ' + "
                                "v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join(' | ')), good: r.passes.length}))")
            bad += [(name, width, dark, said) for said in found["bad"]]
            rules += found["good"]
    assert not bad, bad
    assert rules > 20 * len(PAGES), rules
    print(f"  {2 * len(PAGES)} pages, {rules} rules passed, no violation", flush=True)


def runs_nothing_that_was_recorded(store, web, browser, folder):
    """Markup in every text that a run, a trace, a note, a tag and a query have stays text: nothing runs, and the policy is not even asked."""
    evil = "<img src=x onerror=\"window.hacked=1\"><script>window.hacked=1</script>'\"><svg onload=window.hacked=1>{{7*7}}"
    place = os.path.join(store.work, "runs", "evil")
    make_run(place, 4, config={"lr": 0.1, "note": evil, evil: evil})
    with open(os.path.join(place, "steps.jsonl")) as steps:
        rows = [json.loads(line) for line in steps]
    with open(os.path.join(place, "steps.jsonl"), "w") as steps:
        for row in rows:
            steps.write(json.dumps({**row, "tags": [evil], evil: row["step"], "scalars": {evil: 1.0, "loss/" + evil: 2.0}, "phases": {evil: 0.01, "forward": 0.02},
                                    "memory": {evil: 5}}) + "\n")
    with open(os.path.join(place, "facts.json")) as facts:
        known = json.load(facts)
    with open(os.path.join(place, "facts.json"), "w") as facts:
        json.dump({**known, "session": {"name": evil, "user": evil, "command": evil}, "code": {"commit": evil, "branch": evil, "remote": "javascript:alert(1)"},
                   "hardware": {"gpu": evil}, "other": {evil: {evil: evil}}}, facts)
    with open(os.path.join(place, "events.jsonl"), "w") as events:
        for step in range(5):
            events.write(json.dumps({"time": 1.7e9 + step, "kind": evil, "name": evil, "step": step, "message": evil}) + "\n")
    with gzip.open(os.path.join(GOLDEN, FILES["trace-a"]), "rt") as file:
        trace = json.load(file)
    with open(os.path.join(place, "trace.json"), "w") as file:  # what a kernel, an operator, a stream and a thread are called
        json.dump({**trace, "traceEvents": [{**event, "name": evil + event["name"] if event.get("ph") == "X" else event["name"], "args": {
            key: evil if key in ("name", "labels", "stream_name") else value for key, value in event.get("args", {}).items()}} for event in trace["traceEvents"]]}, file)
    store.tscope("push", "--name", "evil", "--branch", "main", "--message", evil, "./runs/evil")
    store.tscope("note", "evil", "why=" + evil)
    store.tscope("tag", "-m", evil, "evil", "evil-tag")
    q = urllib.parse.quote
    pages = ["runs", "runs?columns=name,config.note,notes", "r/evil", "show/evil", "facts/evil", "log/evil", "log/tag:evil-tag", "diff/evil..a", "b/main", "tags", "branches",
             "change/evil", "runs?q=" + q(evil), "runs?sort=" + q(evil), "plot/" + q(evil, safe="") + "?run=evil", "r/" + q(evil, safe=""), "plot/loss?run=evil&run=" + q(evil, safe=""),
             "change/" + q(evil, safe=""), q(evil, safe=""), "groups?by=config.note&columns=loss.last", "matrix?run=evil&run=a&run=b", "plot/loss?run=evil&run=a&run=b",
             "gate/evil?baseline=main", "check-resume/evil..a", "timeline/evil", "timeline/evil?trace=" + q(evil, safe="")]
    for path in pages:
        browser.complaints.clear()
        browser.go("http://" + web.host + "/p/default/" + path)
        assert "timeline/evil" != path or browser.becomes(f"!!{LANES} && document.body.innerText.includes('window.hacked=1')", 60), "the page names what the trace calls its events"
        assert browser.run("window.hacked === undefined && document.images.length === 0 && !document.querySelector('[onerror],[onload],a[href^=javascript]')"), path
        assert browser.run("[...document.scripts].every(s => s.src.startsWith(location.origin) || !s.textContent.includes('hacked'))"), path
        assert not [c for c in browser.complaints if "status of 40" not in c], (path, browser.complaints)
    assert "window.hacked=1" in browser.run("fetch('/p/default/facts/evil').then(r => r.text())"), "what was recorded is on the page"
    store.tscope("rm", "evil", "tag:evil-tag")
    store.tscope("push", "--name", "c", "--branch", "main", "./runs/c")


def click(browser, what):
    """Presses what an expression finds, with the mouse: where it is, and nothing lies over it."""
    x, y = browser.run(f"(e => (e.scrollIntoView({{block: 'center'}}), (r => [r.left + r.width / 2, r.top + r.height / 2])(e.getBoundingClientRect())))({what})")
    for kind in ("mousePressed", "mouseReleased"):
        browser.page("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)


def one(selector):
    return f"document.querySelector({json.dumps(selector)})"


def chooses_by_clicks(store, web, browser, folder):
    """Columns of a list, and runs to compare, draw, tag and note, by clicks alone, from any place of a long list; none is lost when the page renews itself."""
    browser.size(1200, 500)
    browser.go("http://" + web.host + "/p/default/runs")
    click(browser, one("form.filter summary"))
    assert browser.becomes("document.querySelectorAll('form.filter fieldset').length >= 3", 60)
    click(browser, one("input[value='config.lr'][type=checkbox]"))
    click(browser, one("input[value=id][type=checkbox]"))
    make_run(os.path.join(store.work, "meanwhile"), 9)
    store.tscope("push", "./meanwhile")
    assert browser.becomes("!!document.querySelector('input[name=run][value=meanwhile]')", 60)
    assert browser.run(one("input[value='config.lr'][type=checkbox]") + ".checked && document.querySelector('form.filter details').open")
    if folder:
        browser.size(1200, 900)
        browser.picture(os.path.join(folder, "columns-1200.png"))
        browser.size(1200, 500)
    at = browser.load(lambda: click(browser, "[...document.querySelectorAll('form.filter button')].find(b => b.textContent == 'Show these columns')"))
    assert "config.lr" in at and "name" in at, at
    heads = browser.run("[...document.querySelectorAll('thead th')].map(head => head.textContent)")
    assert "config.lr" in heads and "id" not in heads and heads[-1] == "loss", heads
    for name, leads in (("Compare the chosen runs", "/p/default/diff?a=a&b=b"), ("Draw", "/p/default/plot/loss?run="), ("Tag or note", "/p/default/change?")):
        browser.go("http://" + web.host + "/p/default/runs?sort=name")
        for run in "ab":
            click(browser, one(f"input[name=run][value={run}]"))
        browser.run("window.scrollTo(0, 0)")
        button = f"[...document.querySelectorAll('.picked button')].find(b => b.textContent == {json.dumps(name)})"
        assert browser.run(f"(r => r.bottom <= innerHeight)({button}.getBoundingClientRect())"), "the buttons are out of the window"
        at = browser.load(lambda: click(browser, button))
        assert at.startswith(leads), at
    browser.run("document.getElementById('note-key-1').value = 'why'; document.getElementById('note-value-1').value = 'chosen'")
    at = browser.load(lambda: click(browser, "document.getElementById('note-key-1').form.querySelector('button')"))
    assert at.startswith("/p/default/r/"), at
    assert "chosen" in store.tscope("note", at.removeprefix("/p/default/r/")).stdout.decode()
    browser.go("http://" + web.host + "/p/default/draw?run=a&run=b&column=lr")
    assert browser.run("location.pathname + location.search") == "/p/default/plot/lr?run=a&run=b"
    store.tscope("rm", "meanwhile")


def by_clicks(browser, task, steps):
    """Presses one after the other; a step is an expression, and whether it leads to another page. Prints how many, and how long."""
    began = time.monotonic()
    for what, leads in steps:
        assert browser.becomes(f"!!({what})", 60), (task, what)
        if leads:
            browser.load(lambda what=what: click(browser, what))
        else:
            click(browser, what)
    print(f"  {task}: {len(steps)} click{'' if len(steps) == 1 else 's'}, {time.monotonic() - began:.1f} s", flush=True)


def link(text):
    return f"[...document.querySelectorAll('a, button')].find(e => e.textContent.trim() == {json.dumps(text)})"


def does_what_a_person_wants(store, web, browser, folder):
    """The tasks of a person, by clicks alone, from the page of the printed link: each ends where the answer can be read."""
    def push(name, seed, *words, **about):
        make_run(os.path.join(store.work, "tasks", name), seed, **about)
        store.tscope("push", "-q", "--project", "tasks", "--name", name, *words, os.path.join("tasks", name))

    for i in range(12):
        push(f"m{i}", 40 + i, "--branch", "main", config={"lr": 1e-3, "workers": 4})
    push("best", 60, bump=-0.4, config={"lr": 2e-3, "workers": 4})
    push("mine", 61, "--state", "running", step_time=0.15, config={"lr": 1e-3, "workers": 0})
    push("slow", 62, step_time=0.15, config={"lr": 1e-3, "workers": 4})
    push("twin", 40, bump=0.2, config={"lr": 1e-3, "workers": 4})
    browser.size(1200, 800)
    home = f"http://{web.host}/p/tasks/runs"
    text = "document.querySelector('main').textContent"
    browser.go(home)
    by_clicks(browser, "the best run of last week", [(link("last week"), True), (link("loss"), True)])
    assert browser.run("document.querySelector('main tbody a').textContent") == "best"
    browser.go(home)
    by_clicks(browser, "why my run is slower than main", [(link("mine"), True), (link("what differs from its newest run"), True)])
    said = browser.run(text)
    assert "config.workers" in said and "step time, median" in said and ("+49" in said or "+50" in said), said[:2000]
    browser.go(home)
    by_clicks(browser, "whether a run is slower than main's", [(link("slow"), True), (link("whether it is slower than its runs"), True)])
    assert "may have regressed" in browser.run(text), browser.run(text)[:500]
    browser.go(home)
    by_clicks(browser, "where two runs part, and why", [(one("input[value=m0]"), False), (one("input[value=twin]"), False), (link("Compare the chosen runs"), True)])
    assert "step 100" in browser.run("document.body.textContent"), browser.run(text)[:500]
    by_clicks(browser, "  and that place in the curve", [(one("#part"), False)])
    assert browser.becomes(f"{CURVE}?.includes('from 50 to 150')", 60), browser.run(CURVE)
    assert browser.becomes("location.search.includes('from=50')", 60)
    sent = browser.run("location.href")
    browser.go(home)
    by_clicks(browser, "whether my run is alive", [])
    row = browser.run("[...document.querySelectorAll('main tbody tr')].find(r => r.textContent.includes('mine')).textContent")
    assert "running" in row, row
    other = chromium.Chromium()
    try:  # who has access, too: by the link that was printed, and then the address that was sent
        other.go(web.link)
        other.size(1200, 800)
        other.go(sent)
        assert other.becomes(f"{CURVE}?.includes('from 50 to 150')", 60), other.run(CURVE)
        assert "step 100" in other.run("document.body.textContent")
    finally:
        other.end()
    browser.run("history.back()")
    assert browser.becomes("location.pathname.startsWith('/p/tasks/diff')", 60)


def scrolls_through_many(store, web, browser, folder):
    """The rows of a long list come as one scrolls, each once and in order; a push while they are there keeps them."""
    for i in range(60):
        store.tscope("push", "-q", "--project", "many", "--name", f"n{i:02}", "--fact", f"config.n={i}", "./runs/a")
    shown = "[...document.querySelectorAll('main tbody tr td:first-child a')].map(a => a.textContent)"
    browser.size(1200, 400, False)
    browser.go(f"http://{web.host}/p/many/runs?limit=20&columns=name&sort=name")
    assert browser.run("document.querySelector('h1').textContent") == "Runs of project many"
    assert browser.becomes(f"(window.scrollTo(0, document.body.scrollHeight), {shown}.length === 60)", 60), browser.run(shown + ".length")
    assert browser.run(shown) == [f"n{i:02}" for i in range(60)]
    assert browser.run("!document.querySelector('a[rel=next]')")
    store.tscope("push", "-q", "--project", "many", "--name", "n10a", "--fact", "config.n=100", "./runs/a")
    assert browser.becomes(f"(window.scrollTo(0, document.body.scrollHeight), {shown}.length === 61)", 60), browser.run(shown)
    assert browser.run(shown) == sorted([*(f"n{i:02}" for i in range(60)), "n10a"])


def is_used_by_keys(store, web, browser, folder):
    """A filter is typed, two runs are chosen and compared, and back leads back, without a mouse."""
    browser.size(1200, 800)
    browser.go("http://" + web.host + "/p/default/runs")
    browser.run("document.getElementById('q').focus()")
    browser.page("Input.insertText", text="loss.last<9")
    assert "q=loss.last" in browser.load(lambda: browser.key("Enter", 13, "\r"))
    for name in ("a", "b"):
        browser.run(f"document.querySelector('input[value={name}]').focus()")
        browser.key(" ", 32, " ")
    browser.run("document.querySelector('button[form=pick]').focus()")
    at = browser.load(lambda: browser.key("Enter", 13, "\r"))
    assert at.startswith("/p/default/diff"), at
    assert "first differ" in browser.run("document.body.textContent") or "differ" in browser.run("document.body.textContent")
    browser.run("history.back()")
    assert browser.becomes("location.search.includes('q=loss.last') && !!document.querySelector('td a')", 60)
    assert browser.load(lambda: browser.run("document.querySelector('td a').click()")).startswith("/p/default/r/")
    browser.load(lambda: browser.run("location.reload()"))


def tab_to(browser, what, presses=120):
    """Presses Tab until an expression in e, the element that has the focus, is true."""
    for _ in range(presses):
        browser.key("Tab", 9)
        if browser.run(f"(e => {what})(document.activeElement)"):
            return
    raise AssertionError(f"Tab does not come to {what}")


def needs_no_mouse(store, web, browser, folder):
    """Sort, filter, group, columns, compare, draw, tag, note, curves and the branch: each by Tab, Space, Enter and letters alone, from the top of its page."""
    home = f"http://{web.host}/p/default/runs"
    push_enter = lambda: browser.key("Enter", 13, "\r")  # noqa: E731
    names = "[...document.querySelectorAll('tbody td:first-child a')].map(a => a.textContent)"
    browser.size(1200, 800)

    def begin(address=home):
        browser.go(address)
        browser.page("Page.bringToFront")

    begin()
    tab_to(browser, "e.matches('thead a') && e.textContent == 'name'")
    assert "sort=-name" in browser.load(push_enter) or "sort=name" in browser.run("location.search")
    rows = browser.run(names)
    assert rows in (sorted(rows), sorted(rows, reverse=True)) and len(rows) > 2, rows
    begin()
    tab_to(browser, "e.id == 'q'")
    browser.page("Input.insertText", text="loss.last<0.7")
    assert "q=loss.last" in browser.load(push_enter)
    begin()
    tab_to(browser, "e.id == 'by'")
    browser.page("Input.insertText", text="config.lr")
    assert "groups?" in browser.load(push_enter)
    begin()
    tab_to(browser, "e.matches('form.filter summary')")
    push_enter()
    assert browser.becomes("document.querySelectorAll('form.filter fieldset').length >= 3", 60)
    tab_to(browser, "e.value == 'config.lr' && e.type == 'checkbox'", 200)
    browser.key(" ", 32, " ")
    tab_to(browser, "e.textContent == 'Show these columns'", 200)
    assert "config.lr" in browser.load(push_enter)
    for button, leads in (("Compare the chosen runs", "/p/default/diff"), ("Draw", "/p/default/plot/loss"), ("Tag or note", "/p/default/change?")):
        begin(home + "?sort=name")
        for name in "ab":
            tab_to(browser, f"e.name == 'run' && e.value == '{name}'", 200)
            browser.key(" ", 32, " ")
        tab_to(browser, f"e.textContent == {json.dumps(button)}", 300)
        at = browser.load(push_enter)
        assert at.startswith(leads), at
    tab_to(browser, "e.id == 'note-key-1'")
    browser.page("Input.insertText", text="keys")
    tab_to(browser, "e.id == 'note-value-1'", 1)
    browser.page("Input.insertText", text="alone")
    browser.load(push_enter)
    assert "alone" in store.tscope("note", "a").stdout.decode() + store.tscope("note", "b").stdout.decode()
    begin(f"http://{web.host}/p/default/change/a")
    tab_to(browser, "e.name == 'tag'")
    browser.page("Input.insertText", text="by-keys")
    browser.load(push_enter)
    assert "by-keys" in store.tscope("list", "--tags").stdout.decode()
    store.tscope("rm", "tag:by-keys")
    begin(f"http://{web.host}/p/default/r/a")
    assert browser.becomes(f"!!{CURVE}", 60)
    tab_to(browser, "e.id == 'curve-x'")
    browser.key("t", 84, "t")
    assert browser.becomes("location.search.includes('x=time')", 60), browser.run("location.search")
    browser.key("ArrowUp", 38)  # back to steps: this run has no times
    assert browser.becomes("!location.search.includes('x=')", 60), browser.run("location.search")
    tab_to(browser, "e.id == 'curve-smooth'")
    browser.page("Input.insertText", text="5")
    assert browser.becomes("location.search.includes('smooth=')", 60)
    tab_to(browser, "e.id == 'curve-log'")
    browser.key(" ", 32, " ")
    assert browser.becomes("location.search.includes('log=1')", 60)
    tab_to(browser, "e.matches('canvas.curve')")
    assert browser.becomes(f"!!{CURVE}", 60)
    browser.key("+", 187, "+")
    assert browser.becomes("location.search.includes('from=')", 60)
    begin(f"http://{web.host}/p/default/b/main")
    tab_to(browser, "e.id == 'metric'")
    browser.page("Input.insertText", text="loss")
    assert "metric=loss" in browser.load(push_enter) and "loss" in browser.run("document.querySelector('h1').textContent")
    assert browser.run("document.getElementById('metric').value") == "loss"
    begin(f"http://{web.host}/p/default/b/main")
    tab_to(browser, "e.textContent == 'Accept'")
    assert browser.load(push_enter) == "/p/default/change-branch/main"


def compares_a_hundred(store, web, browser, folder):
    """A hundred runs in one picture, with settings and outcomes of all, and the matrix of them, by the link below."""
    for i in range(100):
        make_run(os.path.join(store.work, "hundred", f"h{i:03}"), i, i / 100, steps=30, config={"lr": 0.001 * (i + 1), "optimizer": ("adam", "sgd", "lion")[i % 3]})
    store.tscope("push", "-q", "--project", "hundred", "./hundred")
    browser.size(1200, 900)
    runs = urllib.parse.urlencode([("run", f"h{i:03}") for i in range(100)])
    browser.go(f"http://{web.host}/p/hundred/plot/loss?{runs}")
    assert browser.becomes("document.querySelectorAll('#compare circle').length == 100", 60), browser.run("document.querySelector('main').textContent")[:500]
    assert browser.run("document.querySelectorAll('#compare path.run').length") == 100
    assert browser.run("document.getElementById('compare').getBoundingClientRect().top + scrollY < 1000"), "the legend scrolls by itself"
    if folder:
        browser.size(1200, 4000)
        browser.picture(os.path.join(folder, "hundred-1200.png"))
        browser.size(1200, 900)
    at = browser.load(lambda: browser.run("[...document.querySelectorAll('#compare a')].at(-1).click()"))
    assert at.startswith("/p/hundred/matrix?run=h000"), at[:100]
    assert browser.run("document.querySelector('main').textContent.includes('4,950')"), browser.run("document.querySelector('main').textContent")[:300]
    assert browser.run("document.documentElement.scrollWidth - window.innerWidth") <= 0


def renews_itself(store, web, browser, folder):
    """A push comes onto the page that is open; what was chosen and typed stays. A server that ends is said, and so is its return."""
    browser.size(1200, 800)
    browser.go("http://" + web.host + "/p/default/runs")
    browser.run("document.querySelector('input[value=a]').click()")
    assert browser.becomes("document.getElementById('live').textContent == 'live'", 60)
    make_run(os.path.join(store.work, "fresh"), 7)
    store.tscope("push", "./fresh")
    began = time.monotonic()
    assert browser.becomes("!!document.querySelector('input[value=fresh]')", 60), "the page did not renew itself"
    print(f"  on the page {time.monotonic() - began:.1f} s after the push", flush=True)
    assert browser.run("document.querySelector('input[value=a]').checked")


CURVE = "document.querySelector('canvas.curve[aria-busy=false]')?.getAttribute('aria-label')"  # once it has the values of what it shows


def zooms_and_holds_it_in_the_address(store, web, browser, folder):
    """Keys zoom down to single values and move; the address has the view, and a reload shows the same. A drag zooms, too."""
    browser.size(1200, 800)
    browser.go("http://" + web.host + "/p/default/plot/loss?run=a&run=b")
    assert browser.becomes(f"!!{CURVE}", 60)
    whole = browser.run(CURVE)
    assert whole.startswith("loss by step, from 0 to 299. a: "), whole
    browser.run("document.querySelector('canvas.curve').focus()")
    for _ in range(4):
        browser.key("+", 187, "+")
    browser.key("ArrowRight", 39)
    # four halvings of 0 to 299, and a quarter of what is left to the right: in the address and in the picture
    assert browser.becomes("(f => f.get('from') > 142 && f.get('to') - f.get('from') < 19)(new URLSearchParams(location.search))", 60)
    assert browser.becomes(f"(n => n && n[1] > 142 && n[2] - n[1] < 19)(/from ([0-9.]+) to ([0-9.]+)[.] /.exec({CURVE}))", 60), browser.run(CURVE)
    assert browser.becomes("document.querySelector('figure.plot .dim').textContent.includes('Each value is drawn')", 60)
    assert browser.becomes(f"!!{CURVE}", 60)
    zoomed, at = browser.run(CURVE), browser.run("location.search")
    assert zoomed and zoomed != whole
    browser.load(lambda: browser.run("location.reload()"))
    assert browser.becomes(f"{CURVE} == {json.dumps(zoomed)}", 60), (zoomed, browser.run(CURVE))
    assert browser.run("location.search") == at
    browser.run("document.querySelector('canvas.curve').focus()")
    browser.key("0", 48, "0")
    assert browser.becomes(f"{CURVE} == {json.dumps(whole)}", 60)
    box = browser.run("(r => [r.left, r.top, r.width])(document.querySelector('canvas.curve').getBoundingClientRect())")
    for kind, x in (("mousePressed", 0.4), ("mouseMoved", 0.5), ("mouseReleased", 0.6)):
        browser.page("Input.dispatchMouseEvent", type=kind, x=box[0] + box[2] * x, y=box[1] + 80, button="left", buttons=1, clickCount=1)
    assert browser.becomes(f"{CURVE} != {json.dumps(whole)} && location.search.includes('from=')", 60)
    browser.run("(s => { s.value = 10; s.dispatchEvent(new Event('input')) })(document.getElementById('curve-smooth'))")
    assert browser.becomes("location.search.includes('smooth=10')", 60)
    assert not [c for c in browser.complaints if "404" not in c], browser.complaints


LANES = "document.querySelector('canvas.curve[aria-busy=false]')?.getAttribute('aria-label')"


def zooms_a_timeline(store, web, browser, folder):
    """Keys zoom the lanes of a trace down to single events, and the address has the stretch; a button leads to the longest event of a lane, which the picture then names."""
    browser.size(1200, 800)
    browser.go("http://" + web.host + "/p/files/timeline/trace-a")
    assert browser.becomes(f"!!{LANES} && document.querySelector('.lanes').offsetHeight === 0", 60)
    whole = browser.run(LANES)
    assert whole.startswith("Timeline from 0 ns to ") and "device 0, stream 7: " in whole and "host, main thread" in whole, whole
    browser.run("document.querySelector('canvas.curve').focus()")
    for key in (("+", 187, "+"), ("+", 187, "+"), ("ArrowRight", 39)):  # each is in the address before the next, however far apart they come
        before = browser.run("location.search")
        browser.key(*key)
        assert browser.becomes(f"location.search != {json.dumps(before)} && location.search.includes('from=') && location.search.includes('to=')", 60), before
    assert browser.becomes(f"{LANES} && {LANES} != {json.dumps(whole)}", 60)
    zoomed = browser.run(LANES)
    browser.go("http://" + web.host + "/p/files/timeline/trace-a" + browser.run("location.search"))
    assert browser.becomes(f"{LANES} == {json.dumps(zoomed)}", 60), (zoomed, browser.run(LANES))
    click(browser, one("#timeline-whole"))
    assert browser.becomes(f"{LANES} == {json.dumps(whole)} && !location.search", 60), browser.run(LANES)
    click(browser, one("table button"))
    row = browser.run("[...document.querySelector('table tbody tr').cells].map(c => c.textContent)")
    answer = json.loads(web.ask("/p/files/timeline/trace-a.json?cells=1")[2])
    first = answer["lanes"][0]
    assert row[1] == answer["names"][first["cell_name"][0]][:120], row
    assert browser.becomes(f"location.search == '?from={max(0, first['cell_begin_ns'][0] - first['cell_duration_ns'][0])}"
                           f"&to={min(answer['length_ns'], first['cell_begin_ns'][0] + 2 * first['cell_duration_ns'][0])}'", 60), browser.run("location.search")
    page = web.page("/p/files/diff/trace-a..trace-b")
    for run, trace in (("trace-a", "demo.json.gz"), ("trace-b", "slower.json")):
        assert f'<a href="/p/files/timeline/{run}?trace={trace}' in page, "the page of a difference leads to both timelines"
    browser.go("http://" + web.host + "/p/files/r/trace-a")
    assert browser.becomes("[...document.querySelectorAll('#timelines a')].some(a => a.getAttribute('href').startsWith('/p/files/timeline/trace-a?trace=demo.json.gz'))", 60)


def shows_where_runs_part(store, web, browser, folder):
    """The step at which two runs part stands in the curve, and one click zooms there."""
    browser.size(1200, 800)
    browser.go("http://" + web.host + "/p/default/diff/a..b")
    assert browser.becomes("!!document.getElementById('part')", 60)
    assert "step 100" in browser.run("document.getElementById('part').textContent")
    browser.run("document.getElementById('part').click()")
    assert browser.becomes(f"{CURVE}?.includes('from 50 to 150')", 60), browser.run(CURVE)


def shows_what_is_not_finite(store, web, browser, folder):
    """A column of NaN is said to be one, and what of another is not finite is counted."""
    lost = os.path.join(store.work, "lost")
    os.makedirs(lost)
    with open(os.path.join(lost, "steps.jsonl"), "w") as out:
        for step in range(400):
            out.write(f'{{"step": {step}, "scalars": {{"loss": {"NaN" if step % 4 == 0 else 1}, "gone": NaN}}}}\n')
    store.tscope("push", "./lost")
    browser.go("http://" + web.host + "/p/default/r/lost?columns=scalars.loss,scalars.gone")
    assert browser.becomes("document.querySelectorAll('figure.plot').length == 2", 60)
    said = "[...document.querySelectorAll('figure.plot > .dim')].map(p => p.textContent).join()"
    assert browser.becomes(said + ".includes('none of its values is a finite number')", 60), browser.run(said)
    assert browser.becomes(said + ".includes('100 of 400 values are not finite')", 60), browser.run(said)


def compares_many(store, web, browser, folder):
    """Three runs: parallel coordinates, and a scatter of a setting against the outcome."""
    for i in range(3):
        make_run(os.path.join(store.work, "sweep", f"s{i}"), i, i / 10, config={"lr": 0.1 * (i + 1), "seed": i, "optimizer": ("adam", "sgd")[i % 2], "same": 1,
                                                                               "place": f"/data/{i}"})
    store.tscope("push", "./sweep")
    browser.go("http://" + web.host + "/p/default/plot/loss?run=s0&run=s1&run=s2")
    assert browser.becomes("document.querySelectorAll('#compare svg.compare').length == 2", 60)
    assert browser.run("document.querySelectorAll('#compare path.run').length") == 3
    assert browser.run("document.querySelectorAll('#compare circle').length") == 3
    offered = browser.run("[...document.getElementById('compare-x').options].map(option => option.textContent)")
    assert offered == ["config.lr", "config.optimizer", "config.seed"], "settings that differ, also those that are texts, and no names"
    browser.run("(s => { s.value = 'config.optimizer'; s.dispatchEvent(new Event('change')) })(document.getElementById('compare-x'))")
    dots = browser.run("[...document.querySelectorAll('#compare circle')].map(dot => dot.getAttribute('cx'))")
    assert dots[0] == dots[2] != dots[1] and browser.run("[...document.querySelectorAll('#compare svg')][1].textContent.includes('adam')"), dots
    for width in (390, 1200):  # letters are as large on a phone as on a desk
        browser.size(width, 844)
        assert browser.becomes("[...document.querySelectorAll('svg.compare')].every(e => Math.abs(e.getBoundingClientRect().width - e.getAttribute('width')) < 1)", 60), width
        assert browser.run("document.documentElement.scrollWidth - window.innerWidth") <= 0
    if folder:
        browser.size(1200, 1300)
        browser.picture(os.path.join(folder, "compare-1200.png"))


def has_room_for_names(store, web, browser, folder):
    """A name as long as one may be leaves the other columns in the window; a project without runs says how it gets one, and a run how it stands."""
    long = "n" * 100
    store.tscope("push", "-q", "--project", "names", "--name", long, "--state", "crashed", "./runs/a")
    store.tscope("push", "-q", "--project", "names", "--name", "short", "./runs/b")
    for width in (1200, 800, 390):
        browser.size(width, 800)
        browser.go(f"http://{web.host}/p/names/runs")
        assert browser.run("[...document.querySelectorAll('thead a')].every(head => head.getBoundingClientRect().height > 0)"), "one sorts by the heads"
        assert browser.run("[...document.querySelectorAll('tbody td')].every(cell => cell.getBoundingClientRect().right <= innerWidth)"), width
    for width in (1200, 390):
        browser.size(width, 800)
        browser.go(f"http://{web.host}/p/names/matrix?run={long}&run=short")
        assert browser.run("[...document.querySelectorAll('td, th')].every(cell => cell.getBoundingClientRect().right <= innerWidth)"), width
    browser.go(f"http://{web.host}/p/names/r/{long}")
    assert browser.run("document.querySelector('header #state').textContent") == "state: crashed"
    browser.go(f"http://{web.host}/p/names/runs?q=loss.last%3C-5")
    assert "Nothing matches the filter." in browser.run("document.querySelector('main').textContent")
    browser.go(f"http://{web.host}/p/default/b/main")
    assert browser.run("document.querySelector('h1 .light').className") == "light unchecked", "three runs are too few to say that nothing changed"
    for page, word in (("runs", "tscope push --project nobody"), ("tags", "tscope tag"), ("branches", "--branch main")):
        browser.go(f"http://{web.host}/p/nobody/{page}")
        assert word in browser.run("document.querySelector('main').textContent"), page


def curves_grow(store, web, browser, folder):
    """The curve of a run that trains goes on after a push; when the run is removed the page says so."""
    browser.size(1200, 800)
    make_run(os.path.join(store.work, "grows"), 4, steps=100)
    store.tscope("push", "./grows")
    browser.go("http://" + web.host + "/p/default/r/grows")
    assert browser.becomes(f"{CURVE}?.includes('from 0 to 99')", 60), browser.run(CURVE)
    with open(os.path.join(store.work, "grows", "steps.jsonl"), "a") as out:
        for step in range(100, 150):
            out.write(json.dumps({"step": step, "loss": 0.5}) + "\n")
    store.tscope("push", "./grows")
    began = time.monotonic()
    assert browser.becomes(f"{CURVE}?.includes('from 0 to 149')", 60), browser.run(CURVE)
    print(f"  in the curve {time.monotonic() - began:.1f} s after the push", flush=True)
    store.tscope("rm", "grows")
    assert browser.becomes("document.getElementById('live').textContent == 'this is not there any more'", 60)


def outlives_a_server(store, web, browser, folder):
    """Over a tscoped that ends: the page keeps what it shows and says so, and is alive again when it is back."""
    path = os.path.join(store.work, "s")
    words = [os.path.join(store.build, "tscoped"), "--socket", path, "--store", os.path.join(store.work, "served")]

    def start():
        process = subprocess.Popen(words, env=store.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert until(60, lambda: os.path.exists(path))
        return process

    server = start()
    env = {"TSCOPE_SERVER": "unix:" + path}
    store.tscope("push", "./runs/a", env=env)
    other = Web(store, env=env)
    try:
        browser.go(other.link)
        assert browser.becomes("!!document.querySelector('input[value=a]') && document.getElementById('live').textContent == 'live'", 60)
        server.kill()
        server.wait()
        os.unlink(path)
        assert browser.becomes("document.getElementById('live').textContent.includes('does not answer')", 60)
        assert browser.run("!!document.querySelector('input[value=a]')")
        server = start()
        store.tscope("push", "./runs/b", env=env)
        assert browser.becomes("!!document.querySelector('input[value=b]') && document.getElementById('live').textContent == 'live'", 60)
    finally:
        other.end()
        server.kill()
        server.wait()


LIVE = "document.getElementById('live').textContent"


def says_when_it_is_not_let_in(store, web, browser, folder):
    """A tscope web that ends and begins anew at the same port has another link: the page says so, keeps what it shows, and is live again once that link was opened."""
    other = Web(store)
    try:
        browser.go(other.link)
        assert browser.becomes(LIVE + " == 'live' && !!document.querySelector('input[value=a]')", 60)
        other.end()
        assert browser.becomes(LIVE + ".includes('does not answer')", 60), browser.run(LIVE)
        other = Web(store, port=other.port)
        browser.run("window.dispatchEvent(new Event('online'))")
        assert browser.becomes(LIVE + ".includes('asks who you are')", 60), browser.run(LIVE)
        assert browser.run("!!document.querySelector('input[value=a]')"), "what was shown stays"
        browser.go(other.link)
        assert browser.becomes(LIVE + " == 'live'", 60)
    finally:
        other.end()


def stays_after_signing_out(store, web, browser, folder):
    """Who signs out in another tab has the page as it was, which says so, also when something is pushed; signing in makes it live again."""
    with tempfile.TemporaryDirectory(prefix="tscope-team-") as work:
        team = Team(store.build, work)
        try:
            browser.go("http://" + team.web.host + "/sign-in?to=/p/default/runs")
            browser.run(f"document.querySelector('input[name=token]').value = {json.dumps(team.tokens['ann'])}")
            browser.load(lambda: browser.run("document.querySelector('input[name=token]').form.querySelector('button').click()"))
            assert browser.becomes(LIVE + " == 'live' && !!document.querySelector('input[value=b]')", 60)
            fetch = "fetch('/sign-out', {method: 'POST'}).then(() => true)"
            assert browser.run(fetch)
            team.as_root("push", "--name", "c", "./runs/b")
            assert browser.becomes(LIVE + ".includes('asks who you are')", 60), browser.run(LIVE)
            assert browser.run("!!document.querySelector('input[value=b]') && !document.querySelector('input[name=token]')")
            body = urllib.parse.urlencode({"token": team.tokens["ann"], "to": "/"})
            browser.run(f"fetch('/sign-in', {{method: 'POST', body: new URLSearchParams({json.dumps(body)})}}).then(() => true)")
            browser.run("window.dispatchEvent(new Event('online'))")
            assert browser.becomes(LIVE + " == 'live' && !!document.querySelector('input[value=c]')", 60), browser.run(LIVE)
        finally:
            team.end()


def is_sent_to_nobody(store, web, browser, folder):
    """The link without the token opens nothing in another browser, and says how it is opened."""
    other = chromium.Chromium()
    try:
        other.go("http://" + web.host + "/p/default/runs")
        assert "token" in other.run("document.body.textContent") and not other.run("document.querySelector('td')")
        other.go("http://" + web.host + "/p/default/r/a?token=" + web.token)
        assert other.run("location.search") == "" and other.run("document.querySelector('h1').textContent")
    finally:
        other.end()


CHECKS = (shows_every_page, reads_aloud, runs_nothing_that_was_recorded, is_used_by_keys, chooses_by_clicks, does_what_a_person_wants, needs_no_mouse, compares_a_hundred, scrolls_through_many, zooms_and_holds_it_in_the_address, zooms_a_timeline, shows_where_runs_part, shows_what_is_not_finite, compares_many, has_room_for_names, curves_grow,
          renews_itself, outlives_a_server, says_when_it_is_not_let_in, stays_after_signing_out, is_sent_to_nobody)


def main():
    if not chromium.PROGRAM:
        print("skipped: there is no Chromium")
        sys.exit(77)
    build, folder, wanted = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 and sys.argv[2] != "-" else None, sys.argv[3:]
    if folder:
        os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tscope-web-") as work:
        store = Store(build, work)
        for name, seed, bump in (("a", 1, 0), ("b", 1, 0.3), ("c", 2, 0)):
            make_run(os.path.join(work, "runs", name), seed, bump)
            store.tscope("push", "--name", name, "--branch", "main", "./runs/" + name)
        for name, file in FILES.items():  # runs that have nothing else
            place = os.path.join(work, name)
            os.makedirs(place)
            shutil.copy(os.path.join(GOLDEN, file), os.path.join(place, os.path.basename(file)))
            store.tscope("push", "--name", name, "./" + name, env={"TSCOPE_PROJECT": "files"})
        web, browser = Web(store), chromium.Chromium()
        try:
            browser.go(web.link)
            for check in CHECKS:
                if wanted and check.__name__ not in wanted:
                    continue
                check(store, web, browser, folder)
                print("ok " + check.__name__, flush=True)
        finally:
            browser.end()
            web.end()


if __name__ == "__main__":
    main()
