#!/usr/bin/env python3
"""Draws the pictures of the documents again: pictures.py BUILD [NAME...]. Needs chromium; look at each picture before you commit it.

Each is the top of a page that tscope writes or serves of data in tests/golden, or of ranks made here. Fonts and the browser are the machine's,
so no test compares pictures. Colours are cut to a palette of 256, which makes a picture half as large.
"""
import collections
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests/web"))
import chromium  # noqa: E402
from served import Store, Web  # noqa: E402

PAIRS, PYTSCOPE = "tests/golden/pairs/runs/", "tests/golden/pytscope/"

# name, width and height, the command, and the folder of each run that it names; None: the one made here
PICTURES = {
    "report-cross": (1100, 2160, "analyze cross", {"cross": PYTSCOPE + "cross"}),
    "report-phone": (390, 2300, "analyze ddp", {"ddp": PYTSCOPE + "ddp_manual"}),
    "report-ranks": (1200, 2200, "analyze ranks64", {"ranks64": None}),
    "diff-page": (1200, 1700, "diff conv-base conv-threads2", {"conv-base": PAIRS + "conv/base", "conv-threads2": PAIRS + "conv/threads2"}),
    "diff-phone": (390, 2200, "diff base order40", {n: PAIRS + "chars32/" + n for n in ("base", "order40")}),
    "plot-page": (1200, 790, "plot loss base lr40 lr1001 spike50 order40 --smooth 5",
                  {n: PAIRS + "chars32/" + n for n in ("base", "lr40", "lr1001", "spike50", "order40")}),
}

# Pages of tscope web over these runs: width and height, whether it is dark, the address, and what is there once it is drawn.
SERVED = {n: PAIRS + "chars32/" + n for n in ("base", "lr40", "lr1001", "spike50", "order40")}
WEB = {
    "web-runs": (1200, 560, False, "/p/p/runs", "document.querySelector('td a')"),
    "web-phone": (390, 760, True, "/p/p/plot/loss?run=base&run=lr40&run=spike50", "document.querySelector('canvas.curve[aria-label]')"),
    "web-diff": (1200, 1150, False, "/p/p/diff/base..order40?from=20&to=70", "document.querySelector('canvas.curve[aria-label]')"),
}


def make_ranks(folder):
    """64 ranks that wait for each other; 3 and 40 compute for half as long again."""
    noise = random.Random(64)
    files = []
    for rank in range(64):
        os.makedirs(os.path.join(folder, f"rank{rank}"))
        files.append(open(os.path.join(folder, f"rank{rank}", "steps.jsonl"), "w", encoding="utf-8"))
    now = 1795167217.0
    for step in range(200):
        own = [(15.0 if rank in (3, 40) else 10.0) * noise.gauss(1, 0.01) / 1e3 for rank in range(64)]
        now += max(own) + 1e-3
        for rank, f in enumerate(files):
            phases = {"forward": own[rank] * 0.4, "backward": own[rank] * 0.6, "comm": max(own) - own[rank] + 1e-3}
            f.write(json.dumps({"step": step, "timestamp": round(now, 6), "phases": {k: round(v, 9) for k, v in phases.items()}}) + "\n")
    for f in files:
        f.close()


def read_png(path):
    """The rows of an 8-bit picture without interlacing, as tuples of red, green and blue."""
    with open(path, "rb") as f:
        data = f.read()
    at, packed = 8, b""
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + n]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
        packed += body if kind == b"IDAT" else b""
        at += 12 + n
    assert depth == 8 and colour in (2, 6)
    size = 3 if colour == 2 else 4
    raw, line, before, rows = zlib.decompress(packed), width * size, bytearray(width * size), []
    for y in range(height):
        filtered, row = raw[y * (line + 1)], bytearray(raw[y * (line + 1) + 1 : (y + 1) * (line + 1)])
        for x in range(line if filtered else 0):
            a, b, c = (row[x - size] if x >= size else 0), before[x], (before[x - size] if x >= size else 0)
            p = a + b - c
            nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            row[x] = (row[x] + (0, a, b, (a + b) // 2, nearest)[filtered]) & 255
        before = row
        rows.append([tuple(row[x : x + 3]) for x in range(0, line, size)])
    return rows


def choose(counts):
    """256 colours: the frequent ones, then always the one whose pixels are farthest from all others, so that no hue is lost."""
    palette = [colour for colour, _ in counts.most_common(32)]
    far = {c: min(distance(c, p) for p in palette) for c in counts}
    while len(palette) < 256 and max(far.values()):
        palette.append(max(counts, key=lambda c: counts[c] * far[c]))
        far = {c: min(d, distance(c, palette[-1])) for c, d in far.items()}
    return palette


def distance(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b))


def write_png(path, rows):
    counts = collections.Counter(pixel for row in rows for pixel in row)
    palette = choose(counts)
    places = {c: min(range(len(palette)), key=lambda i: distance(c, palette[i])) for c in counts}
    packed = zlib.compress(b"".join(b"\0" + bytes(places[pixel] for pixel in row) for row in rows), 9)
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n")
        for kind, body in (
            (b"IHDR", struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 3, 0, 0, 0)),
            (b"PLTE", b"".join(map(bytes, palette))),
            (b"IDAT", packed),
            (b"IEND", b""),
        ):
            f.write(struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)))


def draw(build, name, folder):
    width, height, command, runs = PICTURES[name]
    env = dict(os.environ, TSCOPE_STORE=os.path.join(folder, "store-" + name), TSCOPE_SERVER="", TSCOPE_PROJECT="p", TZ="UTC", LC_ALL="C.UTF-8")
    tscope, page, shot = os.path.join(build, "tscope"), os.path.join(folder, name + ".html"), os.path.join(folder, name + ".png")
    for run, path in runs.items():
        if path is None:
            path = os.path.join(folder, run)
            make_ranks(path)
        subprocess.run([tscope, "push", "--quiet", "--name", run, path], cwd=ROOT, env=env, check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run([tscope, *command.split(), "--html", page], cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode == 2:
        sys.exit(done.stderr.decode())
    subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/browser",
                    f"--screenshot={shot}", f"--window-size={width},{height}", "file://" + page], check=True, stderr=subprocess.DEVNULL)
    write_png(os.path.join(ROOT, "docs", name + ".png"), read_png(shot))


def draw_web(build, name, folder):
    width, height, dark, path, there = WEB[name]
    store, shot = Store(build, os.path.join(folder, name)), os.path.join(folder, name + ".png")
    os.makedirs(store.work)
    for run, lies in SERVED.items():
        store.tscope("push", "--quiet", "-p", "p", "--name", run, os.path.join(ROOT, lies))
    web, browser = Web(store, "-p", "p"), chromium.Chromium()
    try:
        browser.go(web.link)
        browser.size(width, height, dark)
        browser.go("http://" + web.host + path)
        if not browser.becomes("!!" + there, 20):
            sys.exit(f"{path} is not drawn")
        time.sleep(1)  # the curves below
        browser.picture(shot)
    finally:
        browser.end()
        web.end()
    write_png(os.path.join(ROOT, "docs", name + ".png"), read_png(shot))


def main():
    build = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[2:] or [*PICTURES, *WEB]:
            (draw_web if name in WEB else draw)(build, name, folder)
            print(f"docs/{name}.png: {os.path.getsize(os.path.join(ROOT, 'docs', name + '.png'))} bytes")


if __name__ == "__main__":
    main()
