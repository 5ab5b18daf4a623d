#!/usr/bin/env python3
"""Opens the pages of `tscope web` in headless Chromium: browser.py BUILD [FOLDER]. Pictures go into the folder. Exits 77 without Chromium."""
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chromium  # noqa: E402
from served import Store, Web, make_run  # noqa: E402

PAGES = {"runs": "/p/default/runs", "run": "/p/default/r/a", "content": "/p/default/show/a", "facts": "/p/default/facts/a", "log": "/p/default/log/a",
         "diff": "/p/default/diff/a..b", "plot": "/p/default/plot/loss?run=a&run=b", "branch": "/p/default/b/main", "projects": "/projects",
         "error": "/p/default/r/nothing"}
SIZES = ((390, 844), (1200, 800))


def shows_every_page(store, web, browser, folder):
    """Light and dark, on a phone and on a desk: nothing is refused, nothing is wider than the window, everything has a name."""
    for name, path in PAGES.items():
        for width, height in SIZES:
            for dark in (False, True):
                browser.size(width, height, dark)
                browser.complaints.clear()
                browser.go("http://" + web.host + path)
                assert not [c for c in browser.complaints if "404" not in c], (name, browser.complaints)
                wide = browser.run("document.documentElement.scrollWidth - window.innerWidth")
                assert wide <= 0, f"{name} is {wide} pixels too wide at {width}"
                unnamed = browser.run("[...document.querySelectorAll('a,button,input:not([type=hidden])')].filter(e => !(e.textContent.trim() || "
                                      "e.getAttribute('aria-label') || (e.id && document.querySelector(`label[for=${e.id}]`)))).length")
                assert unnamed == 0, f"{name}: {unnamed} things to press have no name"
                assert browser.run("document.querySelectorAll('h1').length") == 1, name
                if folder:
                    browser.picture(os.path.join(folder, f"{name}-{width}{'-dark' if dark else ''}.png"))


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
    assert browser.becomes("location.search.includes('q=loss.last') && !!document.querySelector('td a')", 10)
    assert browser.load(lambda: browser.run("document.querySelector('td a').click()")).startswith("/p/default/r/")
    browser.load(lambda: browser.run("location.reload()"))


def renews_itself(store, web, browser, folder):
    """A push is on the page within three seconds; what was chosen and typed stays. A server that ends is said, and so is its return."""
    browser.size(1200, 800)
    browser.go("http://" + web.host + "/p/default/runs")
    browser.run("document.querySelector('input[value=a]').click()")
    assert browser.becomes("document.getElementById('live').textContent == 'live'", 10)
    time.sleep(2.5)
    make_run(os.path.join(store.work, "fresh"), 7)
    store.tscope("push", "./fresh")
    began = time.monotonic()
    assert browser.becomes("!!document.querySelector('input[value=fresh]')", 10), "the page did not renew itself"
    print(f"  on the page {time.monotonic() - began:.1f} s after the push", flush=True)
    assert browser.run("document.querySelector('input[value=a]').checked")


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


CHECKS = (shows_every_page, is_used_by_keys, renews_itself, is_sent_to_nobody)


def main():
    if not chromium.PROGRAM:
        print("skipped: there is no Chromium")
        sys.exit(77)
    build, folder = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    if folder:
        os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tscope-web-") as work:
        store = Store(build, work)
        for name, seed, bump in (("a", 1, 0), ("b", 1, 0.3), ("c", 2, 0)):
            make_run(os.path.join(work, "runs", name), seed, bump)
            store.tscope("push", "--name", name, "--branch", "main", "./runs/" + name)
        web, browser = Web(store), chromium.Chromium()
        try:
            browser.go(web.link)
            for check in CHECKS:
                check(store, web, browser, folder)
                print("ok " + check.__name__, flush=True)
        finally:
            browser.end()
            web.end()


if __name__ == "__main__":
    main()
