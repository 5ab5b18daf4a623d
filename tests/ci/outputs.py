#!/usr/bin/env python3
"""What a gate prints for CI, read as its readers do: outputs.py DIR checks every STATE-KIND.{xml,github,metrics,md,request} there.

JUnit: elements, attributes and order that Jenkins' junit-10.xsd and GitLab's reader have in common. GitHub: the runner's own rules
for commands. OpenMetrics: a line of text each, families whole, # EOF last. Markdown: foreign text is entities or stands in <code>.
"""
import glob
import html
import os
import re
import sys
import xml.etree.ElementTree

STATES = {"pass": 0, "regression": 1, "improvement": 0, "suspect": 4, "inconclusive": 3, "collecting": 0, "blind": 3}


def check(condition, *what):
    if not condition:
        sys.exit(f"outputs: {path}: " + " ".join(str(w)[:2000] for w in what))


# --- JUnit ---

# element: (attributes it must have, attributes it may have, children in their order)
JUNIT = {
    "testsuites": ({"name"}, {"tests", "failures", "errors", "skipped"}, ["testsuite"]),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped"}, set(), ["properties", "testcase", "system-out"]),
    "properties": (set(), set(), ["property"]),
    "property": ({"name", "value"}, set(), []),
    "testcase": ({"name", "classname"}, {"time"}, ["skipped", "error", "failure"]),
    "skipped": ({"message"}, set(), []),
    "error": ({"type", "message"}, set(), []),
    "failure": ({"type", "message"}, set(), []),
    "system-out": (set(), set(), []),
}


def element(e):
    check(e.tag in JUNIT, "element", e.tag)
    must, may, children = JUNIT[e.tag]
    check(must <= set(e.attrib) <= must | may, e.tag, e.attrib)
    at = 0
    for child in e:
        check(child.tag in children, child.tag, "in", e.tag)
        check(children.index(child.tag) >= at, child.tag, "out of order in", e.tag)
        at = children.index(child.tag)
        element(child)
    if "time" in e.attrib:  # SUREFIRE_TIME
        check(re.fullmatch(r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]{0,3})?", e.attrib["time"]) and float(e.attrib["time"]) > 0,
              e.attrib["time"])
    if e.tag not in ("failure", "error", "system-out"):
        check(not (e.text or "").strip(), "text in", e.tag)


def junit(state, kind, data):
    root = xml.etree.ElementTree.fromstring(data)
    element(root)
    suite = root.find("testsuite")
    cases = suite.findall("testcase")
    check(len(cases) == 13 and len({(c.get("classname"), c.get("name")) for c in cases}) == 13, "cases")
    for outcome, count in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        n = sum(1 for c in cases if c.find(outcome) is not None)
        check(int(suite.get(count)) == n == int(root.get(count)), count)
    properties = {p.get("name"): p.get("value") for p in suite.iter("property")}
    check(len(properties) == len(list(suite.iter("property"))), "a property twice")
    check(properties["tscope.state"] == state and int(properties["tscope.exit_code"]) == STATES[state], properties)
    check(re.fullmatch("[0-9a-f]{64}", properties["tscope.candidate.1"]), "candidate")
    first = next(c for c in cases if c.get("name") == "step_time")
    want = {"regression": "failure", "suspect": "error", "inconclusive": "skipped", "collecting": "skipped", "blind": "skipped"}.get(state)
    check([c.tag for c in first] == ([want] if want else []), "step_time is", [c.tag for c in first])
    if kind == "evil" and want and state != "blind":  # of what is blind the message has numbers alone
        text = first[0].get("message") + (first[0].text or "")
        check("]]>" in text and "<b>" in text and "&amp;" in text, "what was escaped does not come back", text)


# --- GitHub ---

def github(state, kind, data):
    """As the runner reads a line: "::" command [properties] "::" data, then the escapes undone."""
    lines = data.decode("utf-8").split("\n")
    check(lines.pop() == "", "no newline at the end")
    check(not any(0xD == b or 0x1B == b for b in data), "a control character")
    for i, line in enumerate(lines):
        found = re.fullmatch(r"::(error|warning|notice) title=([^:,]*)::(.*)", line)
        check(found, "no command:", line)
        for part, escapes in ((found.group(2), r"%25|%0D|%0A|%3A|%2C"), (found.group(3), r"%25|%0D|%0A")):
            check(not re.search("%", re.sub(escapes, "", part)), "a bare % in", line)
        if i == 0:
            level = {"pass": "notice", "improvement": "notice", "regression": "error"}.get(state, "warning")
            check(found.group(1) == level and found.group(2) == "tscope gate%3A " + state, line)
    for level in ("error", "warning", "notice"):
        check(sum(line.startswith("::" + level) for line in lines) <= 10, "more of a kind than are shown")


# --- OpenMetrics ---

def metrics(state, kind, data):
    lines = data.decode("ascii").split("\n")
    check(lines[-2:] == ["# EOF", ""], "end")
    seen, family = set(), None
    for line in lines[:-2]:
        comment = re.fullmatch(r"# (TYPE|UNIT|HELP) ([a-z0-9_]+) (.+)", line)
        if comment:
            word, name, rest = comment.groups()
            if word == "TYPE":
                check(name not in seen and rest == "gauge", "family twice", name)
                seen.add(name)
                family = name
            check(name == family, "a comment of another family", line)
            check(word != "UNIT" or name.endswith("_" + rest), "unit", line)
            check("\\" not in rest, "an escape in help", line)
            continue
        sample = re.fullmatch(r'([a-z0-9_]+)\{workload="([^"\\]+)"(,metric="[a-z0-9_]+")?\} (-?[0-9.]+(e[+-][0-9]+)?)', line)
        check(sample and sample.group(1) == family, "sample", line)
        check(len(re.sub(r"e.*|[^0-9]", "", sample.group(4)).strip("0")) <= 3, "more than three digits", line)


# --- Markdown ---

TAGS = r"</?code>|</?details>|</?summary>"


def table_rows(text):
    """GFM cuts a row at every | that no backslash stands before, also inside code."""
    rows = []
    for line in text.split("\n"):
        if line.startswith("|"):
            check(line.endswith("|") and "\\" not in line, "row", line)
            rows.append(len(line.split("|")) - 2)
        elif rows:
            check(len(rows) >= 2 and len(set(rows)) == 1, "table", rows)
            rows = []


def markdown(state, kind, data):
    text = data.decode("utf-8")
    check(len(text) <= 65536, "too long")
    first, rest = text.split("\n", 1)
    check(re.fullmatch(r"<!-- tscope-gate:(?!-)((?!--)[A-Za-z0-9._/%-])+ -->", first), "marker", first)
    check(rest.startswith(f"### tscope gate: {state}\n"), "head")
    table_rows(text)
    prose = re.sub(r"(?ms)^(`{3,})\n.*?^\1\n", "", rest)
    check("`" not in prose, "a backtick")
    check("<" not in re.sub(TAGS, "", prose) and "-->" not in prose, "a tag")
    for tag in ("code", "details", "summary"):
        check(prose.count(f"<{tag}>") == prose.count(f"</{tag}>"), tag)
    check("\\" not in prose and "[" not in prose and "_" not in re.sub(r"&#95;", "", prose), "structure")
    outside = re.sub(r"<code>.*?</code>", "", prose)
    shown = html.unescape(re.sub(TAGS, "", outside))
    found = re.search(r".{0,20}([@!~$]\w|#\d|://).{0,9}", shown)
    check(not found, "somebody is addressed:", found)
    check("www." not in prose, "a link")
    check(not re.search(r"(?m)^/", html.unescape(prose)), "a quick action")
    if kind == "evil":
        check("]]>" in html.unescape(prose), "what was escaped does not come back")
        check(not re.search(r"(?m)^(===|---|\d+[.)]) ", prose), "a heading or a list")


# --- the request ---

def request(state, kind, data):
    lines = data.decode("utf-8").split("\n")
    check(lines.pop() == "" and lines[0].startswith("# "), "lines")
    runs = [line for line in lines if not line.startswith("#")]
    check(len(runs) == (8 if state == "suspect" and kind != "blank" else 0), "runs", runs)
    for i, line in enumerate(runs):
        side, pair, commit, name = line.split(" ")
        check(side == "base candidate candidate base".split()[i % 4] and int(pair) == 3 + i // 2, line)
        check(re.fullmatch("[0-9a-f]{7,64}|-", commit) and name == f"pair-cacacacacaca-{pair}-{side}", line)


READERS = {"xml": junit, "github": github, "metrics": metrics, "md": markdown, "request": request}
files = sorted(glob.glob(os.path.join(sys.argv[1], "*")))
for path in files:
    stem, tail = os.path.basename(path).split(".")
    with open(path, "rb") as f:
        READERS[tail](*stem.split("-"), f.read())
path = sys.argv[1]
check(len(files) == 5 * (3 * len(STATES) + 1), len(files), "files")
print(f"outputs: {len(files)} files are what their readers want")
