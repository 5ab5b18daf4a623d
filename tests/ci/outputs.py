#!/usr/bin/env python3
"""What a gate prints for CI, read as its readers do: outputs.py DIR checks every STATE-KIND.{xml,github,metrics,md,request} there.

JUnit: valid by junit.xsd, which says whose definition it follows. GitHub: the runner's own rules for commands. OpenMetrics: a line of
text each, families whole, # EOF last. Markdown: the tree that GitHub's own parser makes of it, cmark-gfm, which Debian has.
"""
import glob
import html
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

import lxml.etree

STATES = {"pass": 0, "regression": 1, "improvement": 0, "suspect": 4, "inconclusive": 3, "collecting": 0, "blind": 3}
path = "-"


def check(condition, *what):
    if not condition:
        sys.exit(f"outputs: {path}: " + " ".join(str(w)[:2000] for w in what))


# --- JUnit ---

SCHEMA = lxml.etree.XMLSchema(file=os.path.join(os.path.dirname(os.path.abspath(__file__)), "junit.xsd"))


def junit_report(data):
    """Returns the testsuites of a report, which must be valid and have the right counts of its cases."""
    try:
        root = lxml.etree.fromstring(data)
        SCHEMA.assertValid(root)
    except (lxml.etree.XMLSyntaxError, lxml.etree.DocumentInvalid) as error:
        check(False, error)
    suite = root.find("testsuite")
    cases = suite.findall("testcase")
    check(len({(c.get("classname"), c.get("name")) for c in cases}) == len(cases), "a case twice")
    check(int(root.get("tests")) == int(suite.get("tests")) == len(cases), "tests")
    for outcome, count in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        n = sum(1 for c in cases if c.find(outcome) is not None)
        check(int(suite.get(count)) == n == int(root.get(count, n)), count)
    check(all(float(c.get("time", 1)) > 0 for c in cases), "a case that took no time")
    properties = [p.get("name") for p in suite.iter("property")]
    check(len(properties) == len(set(properties)), "a property twice")
    return root


def junit(state, kind, data):
    suite = junit_report(data).find("testsuite")
    cases = suite.findall("testcase")
    check(len(cases) == 15, "cases")
    properties = {p.get("name"): p.get("value") for p in suite.iter("property")}
    check(properties["tscope.state"] == state and int(properties["tscope.exit_code"]) == STATES[state], properties)
    check(re.fullmatch("[0-9a-f]{64}", properties["tscope.candidate.1"]), "candidate")
    first = next(c for c in cases if c.get("name") == "step_time")
    want = {"regression": "failure", "suspect": "error", "inconclusive": "skipped", "collecting": "skipped", "blind": "skipped"}.get(state)
    check([c.tag for c in first] == ([want] if want else []), "step_time is", [c.tag for c in first])
    if kind == "evil" and want and state != "blind":  # the message of a blind verdict has only numbers
        text = first[0].get("message") + (first[0].text or "")
        check("]]>" in text and "<b>" in text and "&amp;" in text, "what was escaped does not come back", text)


# --- GitHub ---

def github(state, kind, data):
    """Reads a line as the runner does: "::" command [properties] "::" data. Then the escapes are decoded."""
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

BLOCKS = {"document", "html_block", "heading", "paragraph", "list", "item", "table", "table_header", "table_row", "table_cell", "code_block"}
INLINES = {"text", "softbreak", "strong", "html_inline"}  # no link, image, code or emphasis is allowed
HTML = r"<!-- tscope-gate:(?!-)((?!--)[A-Za-z0-9._/%-])+ -->|<details><summary>Runs and policy</summary>|</details>"
HEADINGS = {"Where the time went", "What holds more memory", "What changed since the newest baseline", "How the workloads differ", "What to do"}
EVIL = r'''a"b'c\n\x3A:error::d%0A|e`f`]]>--><b>&amp;@team #12 !7 http:'''  # a test's names begin so; outputs cut them


def tree_of(text):
    """Returns the tree of GitHub's parser: elements have the names of its nodes, without their namespace."""
    extensions = [word for name in ("table", "autolink", "strikethrough", "tasklist") for word in ("-e", name)]
    made = subprocess.run(["cmark-gfm", "--to", "xml", *extensions], input=text.encode(), capture_output=True, check=True)
    # Markdown may hold the two characters that XML may not.
    root = xml.etree.ElementTree.fromstring(re.sub("[\ufffe\uffff]", "\ufffd", made.stdout.decode()))
    for e in root.iter():
        e.tag = e.tag.split("}")[1]
    return root


def texts(leaf):
    """[(text, does it stand in <code>)] of a paragraph, a heading or a cell; in it, <code> opens and closes."""
    found, inside = [], False
    for e in leaf.iter():
        if e.tag == "html_inline":
            check(e.text == ("</code>" if inside else "<code>"), "a tag", e.text, "in", "".join(leaf.itertext()))
            inside = not inside
        elif e.tag in ("text", "softbreak"):
            found.append((e.text or "\n", inside))
    check(not inside, "<code> is left open in", "".join(leaf.itertext()))
    return found


def shown(leaf):
    return "".join(text for text, _ in texts(leaf))


def check_tables(text):
    """Every row has the cells of its head: a cell that is put behind every row stands in one column, the last."""
    lines = [line + ("---|" if re.fullmatch(r"\|[-:|]+", line) else " END |") if line.startswith("|") else line for line in text.split("\n")]
    tables = list(tree_of("\n".join(lines)).iter("table"))
    rows = 0
    for table in tables:
        head = [shown(cell) for cell in table[0]]
        for row in table:
            cells = [shown(cell) for cell in row]
            check(len(cells) == len(head) and [i for i, c in enumerate(cells) if c == "END"] == [len(head) - 1], "row", cells, "of", head)
        rows += len(table)
    check(rows + len(tables) == sum(line.startswith("|") for line in text.split("\n")), "a line of a table that is no row")


def comment(text):
    """The tree of a comment whose structure is ours alone: what is foreign in it is text."""
    check(len(text) <= 65536, "too long")
    root = tree_of(text)
    for e in root.iter():
        check(e.tag in BLOCKS | INLINES, e.tag, e.attrib, "".join(e.itertext()))
        if e.tag == "html_block":
            check(re.fullmatch(HTML, e.text.strip()), "HTML", e.text)
        if e.tag == "code_block":
            check("info" not in e.attrib, "what language a command is in")
    headings = [shown(e) for e in root.iter("heading")]
    check(re.fullmatch("tscope gate: (" + "|".join(STATES) + ")", headings[0]) and len(headings) == len(set(headings)), "headings", headings)
    check(set(headings[1:]) <= HEADINGS, "headings", headings)
    for leaf in root.iter():
        if leaf.tag in ("paragraph", "heading", "table_cell"):
            outside = "".join("<>" if code else t for t, code in texts(leaf))
            found = re.search(r".{0,20}([@!~$]\w|#\d|://).{0,9}", outside)
            check(not found, "somebody is addressed:", found)
    check(not re.search(r"(?m)^/", html.unescape(text)), "a quick action")
    check_tables(text)
    return root


def markdown(state, kind, data):
    text = data.decode("utf-8")
    root = comment(text)
    check(root[0].tag == "html_block" and shown(root[1]) == f"tscope gate: {state}", "head")
    facts = [[shown(cell) for cell in row] for table in root.iter("table") if shown(table[0][0]) == "fact" for row in table[1:]]
    if kind in ("plain", "evil"):
        name = EVIL + "..." if kind == "evil" else "p/exp9"
        check(facts == [[name, name, "not recorded"]], "what was escaped does not come back:", facts)


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


def main():
    global path
    files = sorted(glob.glob(os.path.join(sys.argv[1], "*")))
    for path in files:
        stem, tail = os.path.basename(path).split(".")
        with open(path, "rb") as f:
            READERS[tail](*stem.split("-"), f.read())
    path = sys.argv[1]
    check(len(files) == 5 * (3 * len(STATES) + 1), len(files), "files")
    print(f"outputs: {len(files)} files are what their readers want")


if __name__ == "__main__":
    main()
