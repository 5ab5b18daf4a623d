"""chromium.py - a headless Chromium that is driven over its pipe (Chrome DevTools Protocol: a JSON object and a zero byte a message)."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

PROGRAM = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)


class Chromium:
    """A browser with one page. Errors of its console and refusals of its policy are kept in `complaints`."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="tscope-chromium-", ignore_cleanup_errors=True)
        to_us, its_out = os.pipe()
        its_in, to_it = os.pipe()

        def place():
            low, high = os.dup(its_in), os.dup(its_out)
            os.dup2(low, 3)
            os.dup2(high, 4)

        words = [PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
                 "--remote-debugging-pipe", "--user-data-dir=" + self.profile.name, "about:blank"]
        # A descriptor of the pipe that is 3 or 4 already would be closed by the other's copy; none of them is, behind stdio and the profile.
        self.process = subprocess.Popen(words, preexec_fn=place, pass_fds=(3, 4, its_in, its_out), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(its_in)
        os.close(its_out)
        self.to_it, self.to_us, self.rest, self.number, self.complaints, self.loads = to_it, to_us, b"", 0, [], 0
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.page(domain + ".enable")

    def message(self):
        while b"\0" not in self.rest:
            got = os.read(self.to_us, 1 << 16)
            if not got:
                raise AssertionError("the browser ended")
            self.rest += got
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def take(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Page.loadEventFired":
            self.loads += 1
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.complaints.append(params["entry"]["text"] + " " + params["entry"].get("url", ""))
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(params["exceptionDetails"]))

    def call(self, method, session=None, **params):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": params, **({"sessionId": session} if session else {})}
        os.write(self.to_it, json.dumps(message).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == number:
                if "error" in message:
                    raise AssertionError(f"{method}: {message['error']}")
                return message["result"]
            self.take(message)

    def page(self, method, **params):
        return self.call(method, self.session, **params)

    def size(self, width, height, dark=False):
        self.page("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self.page("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def run(self, script):
        """The value of an expression in the page."""
        result = self.page("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def load(self, act):
        """Does what leads to another page, and waits until that is there."""
        before = self.loads
        act()
        end = time.monotonic() + 60
        while self.loads == before:
            if time.monotonic() > end:
                raise AssertionError("no page was loaded")
            time.sleep(0.02)
            self.page("Page.getFrameTree")  # its answer comes behind what the page has told
        return self.run("location.pathname + location.search")

    def go(self, address):
        return self.load(lambda: self.page("Page.navigate", url=address))

    def key(self, key, code, text=""):
        for kind in ("keyDown", "keyUp"):
            self.page("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **({"text": text} if kind == "keyDown" else {}))

    def becomes(self, script, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if self.run(script):
                    return True
            except AssertionError as left:
                if "navigated" not in str(left):
                    raise
            time.sleep(0.05)
        return False

    def picture(self, path):
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.page("Page.captureScreenshot", format="png")["data"]))

    def end(self):
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except (AssertionError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to_it)
        os.close(self.to_us)
        self.profile.cleanup()
