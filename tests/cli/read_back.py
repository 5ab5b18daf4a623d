#!/usr/bin/env python3
"""What tscope prints, read back by parsers that are not its own, with runs whose texts try to leave their place.

    tests/cli/read_back.py      TS_BUILD=build/dev names the folder with tscope

Lists: cut at the columns of their heads, compared with --json of the same command. CSV: Python's csv module, compared with JSON Lines of the same
run. The files of a gate, written by the program in every state: junit.xsd and GitHub's Markdown parser (tests/ci/outputs.py).
"""
import csv
import io
import json
import os
import re
import sys
import unicodedata

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "ci")]
import outputs  # noqa: E402
from run import Place  # noqa: E402

TEXTS = ["plain", "a,b", 'say "hi"', "it's", "one\ntwo\r\n", "a\tb", "  two  blanks  ", "in  between", "日本語のとても長い値です", "é", "::error::x", "=1+1",
         "-", "8", "1e3", "", "true", "null", '"quoted"', "\x1b[31mred", "a\u202eb", "a|b`<b>_*[x](http://y.z)", "@team #12 www.z.w", "nul\0byte",
         "a ::b", "std::x", "##[error]x", "##vso[x]y", "zero\u200bwidth\ufeff", "a\u2066b"]


def check(condition, *what):
    if not condition:
        sys.exit("read_back: " + "\n".join(str(w)[:3000] for w in what))


def ran(place, command, status=0, **env):
    rc, stdout, stderr = place.run(command, **env)
    check(rc == status, f"$ {command}", f"exit {rc}", stdout.decode(), stderr.decode())
    return stdout.decode()


def write_run(place, name, config=None, scalars=None):
    """Writes a run of four steps."""
    folder = os.path.join(place.path, name)
    os.mkdir(folder)
    with open(os.path.join(folder, "run.json"), "w", encoding="utf-8") as f:
        json.dump({"name": (config or {}).get("value", name), "config": config or {}}, f)
    with open(os.path.join(folder, "steps.jsonl"), "w", encoding="utf-8") as f:
        for i in range(4):
            row = {"loss": 1 / (i + 3), **{key: values[i] for key, values in (scalars or {}).items() if values[i] is not None}}
            f.write(json.dumps({"step": i, "timestamp": 100.0 + i, "phases": {"forward": 0.5}, "scalars": row}) + "\n")


# --- lists ---


def places(line):
    """[(column of the terminal, character)], as a terminal counts: wide characters take two, combining ones none."""
    at, found = 0, []
    for c in line:
        found.append((at, c))
        at += 0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
    return found


def cut(line, starts):
    """Returns the text from each of these columns to the next one."""
    cells = [""] * len(starts)
    for at, c in places(line):
        cells[sum(at >= start for start in starts) - 1] += c
    return [cell.rstrip(" ") for cell in cells]


def grid(text, heads, numeric):
    """Reads rows below a head. A column of numbers is aligned right: its cells end where its head ends and have no blanks."""
    lines = text.split("\n")
    check(lines.pop() == "" and lines[0].split() == heads, "heads", heads, text)
    at, ends = 0, []
    for head in heads:
        at = lines[0].index(head, at) + len(head)
        ends.append(at)
    rows = []
    for line in lines[1:]:
        shown, row, end = places(line), [], len(line) * 2
        for head, head_end in reversed(list(zip(heads, ends))):
            start = head_end - len(head)
            if head in numeric:
                check(head_end == end or all(c == " " for at, c in shown if head_end <= at < end), f"{head} is not set to the right", text)
                start = max([at + 1 for at, c in shown if c == " " and at < head_end - 1], default=0)
                end = head_end
            row.insert(0, "".join(c for at, c in shown if start <= at < end).rstrip(" "))
            end = start
        rows.append(row)
    return rows


def escaped(text):
    """As base/text.h promises: what could move a cursor, break a line or hide is written out, and what may be an order to a runner."""
    named = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
    text = re.sub(r"(?:(?<=\s)|^):(?=:)", "\0c", text.replace("\0", "\0z"))
    text = re.sub(r"(?<=#)#(?=[A-Za-z]*\[)", "\0h", text)
    out = "".join(named.get(c) or (f"\\x{ord(c):02X}" if ord(c) < 0x80 else f"\\u{{{ord(c):04X}}}")
                  if c != "\0" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") else c for c in text)
    return out.replace("\0c", "\\x3A").replace("\0h", "\\x23").replace("\0z", "\\x00")


def check_value(cell, value, where):
    """A cell says what JSON says: not recorded is a dash, and no text looks like it or like a number."""
    if value is None or isinstance(value, (int, float)) and not isinstance(value, bool):
        check(cell == "-" if value is None else cell != "-" and float(cell) == value, where, cell, value)
    elif isinstance(value, str):
        quoted = re.fullmatch(r'"(.*)"', cell)
        check((quoted.group(1) if quoted else cell) == escaped(value), where, cell, repr(value))
        check(quoted or not re.fullmatch(r"-|true|false|null|NaN|-?Infinity|[-+0-9.eE]+|", cell), f"{where}: text that looks like something else", cell)


def lists():
    place = Place()
    for i, text in enumerate(TEXTS):
        write_run(place, f"r{i}", {"value": text, "n": 10 ** (i % 15) if i % 3 else 1 / (i + 1)})
        ran(place, f"tscope push -q {'--branch b.' + str(i) if i % 2 else ''} r{i}")
        ran(place, f"tscope tag r{i} v{i}.a+b_c-d")
    ran(place, "tscope push -q runs/base")  # this run records none of these facts
    columns = ["name", "config.n", "config.value", "id", "own_name", "config.none", "state", "steps", "config.value"]
    for what, heads, extra in (("", columns, ""), ("--tags", ["name", "id", "config.value"], ""), ("--branches", ["name", "config.n", "id"], ""),
                               ("", ["name", "config.value"], "'config.value ~ \"*a*\"'")):
        command = f"tscope list {what} --sort name --columns {','.join(heads)} {extra}"
        answer = json.loads(ran(place, command + " --json"))
        values = [{**row["values"], "name": row["name"].split("/", 1)[1], "id": row["id"][:12]} for row in answer["rows"]]
        check(len(values) > 1, command, answer)
        numeric = {h for h in heads if h not in ("name", "id") and not any(isinstance(v.get(h), str) for v in values)}
        rows = grid(ran(place, command), heads, numeric)
        check(len(rows) == len(values), command, rows)
        for row, value in zip(rows, values):
            for head, cell in zip(heads, row):
                check_value(cell, value[head], f"{command}: {head}") if head not in ("name", "id") else check(cell == value[head], command, cell, value)
        names = ran(place, f"tscope list {what} --sort name --names {extra}").split("\n")
        check(names == [v["name"] for v in values] + [""], command, names)
    for i, text in enumerate(TEXTS):
        facts = json.loads(ran(place, f"tscope facts r{i} --json"))["facts"]
        lines = ran(place, f"tscope facts r{i}").split("\n")[:-1]
        drawn = [dict(places(line)) for line in lines]
        starts = [0] + [at for at in range(2, 400) if all(d.get(at - 2) == d.get(at - 1) == " " != d.get(at, " ") for d in drawn)]
        check(len(lines) == len(facts) and len(starts) == 4, lines, facts, starts)
        for line, fact in zip(lines, facts):
            path, value, kind, source = cut(line, starts)
            check([path, kind, source] == [fact["path"], fact["fact"]["type"], fact["source"]], line, fact)
            check_value(value, fact["fact"]["value"], f"facts r{i}: {path}")
    place.close()
    return len(TEXTS)


# --- CSV ---


def tables():
    place = Place()
    nan, infinite = float("nan"), float("inf")
    write_run(place, "odd", {}, {text or "empty": [i + 0.1, None, 1e-300, -0.0] for i, text in enumerate(TEXTS) if "\0" not in text})
    write_run(place, "numbers", {}, {"x": [nan, infinite, -infinite, 0.1 + 0.2], "none": [None, None, 5e-324, 1.7976931348623157e308]})
    n = 0
    for name in ("odd", "numbers", "runs/evil", "runs/joined", "runs/mood", "runs/longer", "demo/order"):
        records = [json.loads(line) for line in ran(place, f"tscope export ./{name} --format jsonl").split("\n")[:-1]]
        rows = list(csv.reader(io.StringIO(ran(place, f"tscope export ./{name} --format csv"), newline=""), strict=True))
        head = rows.pop(0)
        check(len(rows) == len(records) > 0 and len(set(head)) == len(head), name, head, len(rows), len(records))
        for row, record in zip(rows, records):
            flat = {group + "." + re.sub(r"([\\.\[\]])", r"\\\1", key) if isinstance(of, dict) else group: v
                    for group, of in record.items() for key, v in (of.items() if isinstance(of, dict) else [(None, of)])}
            check(len(row) == len(head) and flat.keys() <= set(head), name, head, row, flat)
            for key, cell in zip(head, row):
                if not isinstance(flat.get(key), (str, list)):
                    check(cell == "" if key not in flat else repr(float(cell)) == repr(float(flat[key])), name, key, cell, flat.get(key))
                else:
                    check(cell == flat[key] if isinstance(flat[key], str) else json.loads(cell) == flat[key], name, key, cell, flat[key])
            n += 1
    place.close()
    return n


# --- the files of a gate ---

EVIL = "a|b`<b>_*[x](http://y.z)@team]]>"  # a phase, a key and a value that break tables, HTML, XML and links where they are not escaped


def train(place, name, at, time, side=None, value=EVIL):
    """Pushes a run. side names the commit and the machine of a run that is not on the branch main."""
    session, commit = (f"pair{at}", {"slow": "ca", "fast": "fa"}.get(side, "ba") * 20) if side else (name, (f"{at:02d}" + "c" * 38))
    ran(place, f"python3 runs/gate.py {name} time={time} commit={commit} session={session} started={1700000000 + 1000 * at}")
    for rank in (0, 1):
        path = os.path.join(place.path, name, f"rank{rank}")
        with open(path + "/run.json", "r+", encoding="utf-8") as f:
            head = json.load(f)
            head["config"].update({EVIL: value, "comment": f"{EVIL} {name}"})
            f.seek(0)
            json.dump(head, f)
        with open(path + "/steps.jsonl", "r+", encoding="utf-8") as f:
            steps = f.read().replace('"forward"', json.dumps(EVIL))
            f.seek(0)
            f.write(steps)


# The run that is gated, the expected state, and the exit status.
GATES = (("same --baseline main", "pass", 0), ("slow --baseline main", "suspect", 4), ("fast --baseline main", "pass", 0),
         ("other --baseline main", "inconclusive", 3), ("other --baseline main --inconclusive fail", "inconclusive", 1),
         ("same --baseline branch:few", "collecting", 0), ("slow --baseline main --paired 'pair*'", "regression", 1),
         ("fast --baseline main --paired 'quick*'", "improvement", 0))


def gates():
    place = Place()
    for at, time in enumerate((0.1000, 0.1003, 0.0998, 0.1001, 0.1005, 0.0997, 0.1002, 0.0999)):
        train(place, f"m{at}", at, time)
        ran(place, f"tscope push -q --branch main ./m{at}")
    for at, (name, time, side, value) in enumerate((("alone", 0.1, None, EVIL), ("same", 0.1001, None, EVIL), ("slow", 0.108, "slow", EVIL),
                                                    ("fast", 0.092, "fast", EVIL), ("other", 0.1, None, EVIL + "!")), 20):
        train(place, name, at, time, side, value)
        ran(place, f"tscope push -q {'--branch few' if name == 'alone' else ''} ./{name}")
    for at in range(30, 34):
        for side in ("base", "slow"):
            train(place, f"pair{at}-{side}", at, 0.1 if side == "base" else 0.108, side)
        ran(place, f"tscope push -q ./pair{at}-base ./pair{at}-slow")
    for at in range(40, 44):
        for side in ("base", "fast"):
            train(place, f"quick{at}-{side}", at, 0.1 if side == "base" else 0.092, side)
        ran(place, f"tscope push -q ./quick{at}-base ./quick{at}-fast")
    told = 0
    for words, state, status in GATES:
        answer = json.loads(ran(place, f"tscope gate {words} --junit j.xml --markdown c.md --json", status))
        with open(os.path.join(place.path, "j.xml"), "rb") as f:
            report = outputs.junit_report(f.read())
        with open(os.path.join(place.path, "c.md"), encoding="utf-8") as f:
            comment = outputs.comment(f.read())
        check(answer["verdict"] == state == report.find(".//property[@name='tscope.state']").get("value"), words, answer["verdict"])
        failed = [case.get("name") for case in report.iter("testcase") if case.find("failure") is not None]
        check(("step_time" in failed) == (status == 1) and (status == 1 or not failed), words, failed)
        cells = [outputs.shown(cell) for cell in comment.iter("table_cell")]
        check(any(cell.startswith(EVIL) for cell in cells), words, cells)  # the name comes back whole, in one cell
        told += 2
    for words in ("same --baseline nothing", "nothing --baseline main", "same", "same --baseline main --junit"):
        ran(place, f"tscope gate --junit none.xml --markdown none.md {words}", 2)
        check(not os.path.exists(os.path.join(place.path, "none.xml")) and not os.path.exists(os.path.join(place.path, "none.md")), words)
    place.close()
    return told


def main():
    for part, of in ((lists, "texts in lists"), (tables, "rows of CSV"), (gates, "files of a gate")):
        print(f"read_back: {part()} {of}", flush=True)


if __name__ == "__main__":
    main()
