#!/usr/bin/env python3
"""Golden transcripts of tscope, the schemas of its JSON, and the same answers whichever way they are asked.

    tests/cli/run.py [--update] [NAME...]     TS_BUILD=build/dev names the folder with tscope and tscoped

A case (cases/NAME.t) is a list of commands and what they print:

    # why
    $ tscope list
    | a line of stdout
    ! a line of stderr
    [2]                 the exit status, when it is not 0

Each case runs in a folder of its own with the runs of tests/cli/runs as runs/, those of tests/golden/demo/runs as demo/,
those of tests/golden/wandb as wandb/, of mlflow as mlruns/ and mlflow.db.sql, of huggingface as output/, of files as logs/,
of text as printed/, of recording as recorded/, of trace as traced/, of snapshot as memory/, an empty store, and no terminal. --update
rewrites cases, man pages, completion and what tables say in schemas; read the difference before you commit it.
Normalised: the version (VERSION), times since the case began (NOW), sizes that depend on how well something compresses (SIZE), the folder (TMP).
"""
import datetime
import functools
import grp
import html.parser
import json
import os
import pwd
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
import xml.etree.ElementTree

import jsonschema

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("TS_BUILD", os.path.join(ROOT, "build", "dev"))
VERBS = ("push list show facts analyze plot explain diff why bisect reproduce check-resume check-determinism gate golden baseline trend scaling compare name tag note log rm restore export verify salvage gc projects "
         "audit token login logout whoami version help").split()
NO_JSON = ["run", "repro-op", "watch", "web", "serve"]  # of run the command prints, repro-op prints a script, watch draws, web prints a link, serve is asked
failures = []


def fail(where, what):
    failures.append(where)
    print(f"FAILED {where}\n{what}\n", flush=True)


@functools.cache
def version():
    return subprocess.run([os.path.join(BUILD, "tscope"), "--version"], capture_output=True, text=True, check=True).stdout.split()[1].rstrip(",")


class Place:
    """A folder of its own, with an environment that has none of this machine's variables."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="tscope-cli-")
        self.path = os.path.join(self.folder, "lab")  # a run's name may hold it
        os.chmod(self.folder, 0o711)  # for the tests of permissions, which run as another user
        shutil.copytree(os.path.join(HERE, "runs"), os.path.join(self.path, "runs"))
        shutil.copytree(os.path.join(ROOT, "tests/golden/demo/runs"), os.path.join(self.path, "demo"))
        shutil.copytree(os.path.join(ROOT, "tests/golden/wandb/wandb"), os.path.join(self.path, "wandb"))
        shutil.copytree(os.path.join(ROOT, "tests/golden/mlflow/mlruns"), os.path.join(self.path, "mlruns"))
        shutil.copy(os.path.join(ROOT, "tests/golden/mlflow/mlflow.db.sql"), self.path)
        shutil.copytree(os.path.join(ROOT, "tests/golden/huggingface"), os.path.join(self.path, "output"))
        shutil.copytree(os.path.join(ROOT, "tests/golden/files"), os.path.join(self.path, "logs"))
        shutil.copytree(os.path.join(ROOT, "tests/golden/text"), os.path.join(self.path, "printed"))
        shutil.copytree(os.path.join(ROOT, "tests/golden/recording"), os.path.join(self.path, "recorded"))
        shutil.copytree(os.path.join(ROOT, "tests/golden/trace"), os.path.join(self.path, "traced"))
        shutil.copytree(os.path.join(ROOT, "tests/golden/snapshot"), os.path.join(self.path, "memory"), ignore=shutil.ignore_patterns("*.py", "*.txt", "newest2*", "newest3*"))
        keep = {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
        self.env = dict(keep, PATH=os.path.abspath(BUILD) + ":/usr/bin:/bin", HOME=self.path, LOGNAME="ada", TERM="xterm", LC_ALL="C", TZ="UTC0",
                        TSCOPE_STORE=os.path.join(self.path, "store"))
        self.began = datetime.datetime.now(datetime.timezone.utc).replace(second=0, microsecond=0)

    def run(self, command, **env):
        p = subprocess.run(["bash", "-c", command], cwd=self.path, env=dict(self.env, **env), stdin=subprocess.DEVNULL,
                           capture_output=True, timeout=120)
        return p.returncode, p.stdout, p.stderr

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def normal(self, command, text):
        def now(match):
            stamp = match.group(0)
            form = "%Y-%m-%d %H:%M" if len(stamp) == 17 else "%Y-%m-%d %H:%M:%S"
            when = datetime.datetime.strptime(stamp[:-1].replace("T", " ").split(".")[0], form)
            recent = when.replace(tzinfo=datetime.timezone.utc) >= self.began
            return "NOW".ljust(len(stamp), "_") if recent else stamp

        text = text.replace(self.path, "TMP").replace(version(), "VERSION")
        text = re.sub(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?Z", now, text)
        text = re.sub(r"NOW_+", "NOW", text) if "--json" in command else text
        if re.search(r"tscope (push|verify|gc|facts -o)", command):
            text = re.sub(r" *\b[1-9][\d.]* (B|KiB|MiB)\b", " SIZE", text)
            text = re.sub(r'(_bytes": )[1-9]\d*', r"\1SIZE", text)
        return text


def parse(path):
    """[(comment lines, command, expected lines)]"""
    steps, comments = [], []
    for line in open(path, encoding="utf-8").read().split("\n"):
        if line.startswith("$ "):
            steps.append((comments, line[2:], []))
            comments = []
        elif line[:1] in ("|", "!", "["):
            steps[-1][2].append(line)
        elif line or comments:
            comments.append(line)
    return steps, comments


def lines_of(mark, data):
    text = data.decode("utf-8", "backslashreplace")
    if not text:
        return []
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    else:
        lines[-1] += "\\"  # no newline at the end
    return [(mark + " " + line).rstrip() if line.rstrip() == line else mark + " " + line + "$" for line in lines]


def case(path, update):
    place, out, bad = Place(), [], False
    steps, tail = parse(path)
    for comments, command, expected in steps:
        rc, stdout, stderr = place.run(command)
        if re.fullmatch(r"tscope [^|&;<>]* --json( [^|&;<>]*)?", command):
            hold_to_schema(command, rc, stdout)
        got = lines_of("|", place.normal(command, stdout.decode("utf-8", "backslashreplace")).encode())
        got += lines_of("!", place.normal(command, stderr.decode("utf-8", "backslashreplace")).encode())
        got += [f"[{rc}]"] if rc else []
        if got != expected and not update:
            bad = True
            fail(f"{os.path.basename(path)}: $ {command}", "\n".join(["expected:"] + expected + ["got:"] + got))
        out += comments + ["$ " + command] + got
    place.close()
    if update:
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(out + tail).rstrip("\n") + "\n")
    return not bad


@functools.lru_cache(maxsize=None)
def schema_of(verb):
    """Returns a validator for the draft that the schema names. The schema is checked against the schema of that draft."""
    with open(os.path.join(ROOT, "docs/schemas", verb + ".schema.json"), encoding="utf-8") as f:
        schema = json.load(f)
    draft = jsonschema.validators.validator_for(schema, default=None)
    draft.check_schema(schema)
    return draft(schema)


def no_key_twice(pairs):
    keys = [k for k, _ in pairs]
    if len(set(keys)) < len(keys):
        raise ValueError("a key stands twice: " + ", ".join(sorted({k for k in keys if keys.count(k) > 1})))
    return dict(pairs)


def no_constant(word):
    raise ValueError(f"{word} is no JSON")  # Python would take NaN and Infinity


def hold_to_schema(command, rc, stdout):
    """Checks stdout against the schema of the verb. Returns whether it is an error, or None."""
    try:
        value = json.loads(stdout, object_pairs_hook=no_key_twice, parse_constant=no_constant)
        schema_of(re.search(r"[a-z]+(-[a-z]+)*", command[len("tscope "):]).group()).validate(value)
        if stdout.count(b"\x1b"):
            raise ValueError("an escape character in the output")
        if "error" in value and rc != 2:
            raise ValueError(f"an error and exit status {rc}")
        return "error" in value
    except (ValueError, jsonschema.ValidationError) as error:
        return fail(f"schemas: {command}", f"exit {rc}\n{stdout.decode()[:2000]}\n{str(error)[:1500]}")


def closed(schema, where, bad):
    """Lists the objects of a schema that do not say which other members are allowed."""
    if isinstance(schema, dict):
        if schema.get("type") == "object" and "additionalProperties" not in schema:
            bad.append(where)
        for key, value in schema.items():
            closed(value, f"{where}/{key}", bad)
    elif isinstance(schema, list):
        for i, value in enumerate(schema):
            closed(value, f"{where}/{i}", bad)


# Every verb, once with success and once refused. Later commands need the earlier ones.
JSON_COMMANDS = """
scaling ./demo/base ./demo/rerun
why ./demo/base ./demo/lr --dry-run
check-determinism ./demo/base
golden make golden.json ./demo/base --why first
why ./demo/base ./demo/base
bisect one two
reproduce ./demo/base --dry-run
whoami
token list
list
version
help
help diff
push runs/base
push runs/base
push runs/rerun runs/parts runs/longer runs/mood runs/mood2 runs/apart runs/evil runs/joined demo/base demo/order
push runs/cut
push runs/cut runs/empty
push --strict runs/cut
push --dry-run runs/base
push --join --name half runs/joined/rank0
push --branch nightly --name base2 runs/base
push runs/empty
push nothing-there
list
compare loss.last
compare loss --by config.lr
compare loss 'name=none'
list --all-projects --columns name,config.lr,config.nothing,seeds.torch,started,ranks --sort -config.lr
list 'steps>=8 and config.lr>1e-3'
list 'steps>='
list --tags
list --branches
list --limit 2
show base
show ./runs/evil
show mood
show nothing
facts base
facts ./runs/evil
facts default/joined 'config*'
facts
analyze base
analyze --warmup 2 default/joined --rank 1
analyze ./demo/base
analyze --rank 7 base
analyze --fail-on low --flops-per-step 6e12 --peak-tflops 312 --dtype bf16 --microbatches 4 --fresh ./runs/joined
analyze ./runs/evil
analyze ./traced/demo.json.gz
analyze --fail-on high ./traced/cut.json
analyze ./traced/cpu.json
analyze ./traced/bad.json
analyze ./traced/job
timeline ./traced/demo.json.gz --cells 40
timeline ./traced/demo.json.gz --from 7 --to 7
diff ./traced/demo.json.gz ./traced/slower.json
diff ./traced/demo.json.gz ./traced/trace.json
diff ./traced/cut.json ./traced/slower.json --all
diff ./traced/cpu.json ./traced/cpu.json
diff ./traced/job ./traced/job
diff ./memory/oom.pickle ./memory/list.pickle
analyze ./memory/oom.pickle
analyze --device-memory 1GiB ./memory/newest4.pickle.gz
analyze ./memory/list.pickle
analyze --rows ./memory/list.pickle
plot loss base parts ./runs/mood
plot loss 'ba*' 'steps>=8' --x time --log --logx --smooth 3 --by config.lr
plot nothing base
plot loss nothing
explain
explain TIMING.JITTER
explain TIMING.JITER
diff base rerun
diff base parts
diff base longer
diff base apart
diff mood mood2
diff base ./runs/evil
diff default/joined base
diff --first base parts
diff --curves --reproduce base parts
diff base rerun parts longer mood mood2 apart
diff base rerun base
diff base parts --repeats rerun --repeats longer
diff base mood --repeats "re*" --repeats parts --repeats base
diff base parts --repeats rerun
diff base parts --repeats nothing*
push runs/summaries/before
diff --as traceml summaries/before ./runs/summaries/hidden
diff --as traceml ./runs/summaries/cpu ./runs/summaries/slower
diff --as traceml before base
diff base
check-resume ./runs/whole ./runs/resumed
check-resume ./runs/whole ./runs/rewound
show ./runs/resumed
check-resume base ./runs/restarted
check-resume ./runs/restarted
check-resume --tolerance 1e-4 base parts
check-resume base nothing
gate base --baseline longer
gate ./runs/joined --baseline branch:nightly
gate base --baseline nothing
gate base --baseline longer --metric lr --metric scalars.loss
gate base --baseline longer --metric val_bpb
trend nightly --metric scalars.loss --better lower
baseline --baseline branch:nightly
trend nightly
trend nightly --metric loss --like base --limit 5
trend branch:nightly --metric stall_share --exit-code
trend nothing
trend base
baseline base --baseline rerun
push --branch nightly --name base3 --fact code.commit="abcdef0123" runs/parts
baseline accept abcdef0 --branch nightly --reason why
baseline accept abcdef9 --branch nightly --reason why
name base other
name parts other
name --force parts other
tag base v1
tag
tag parts v1
note base bad='it smells' accepted=no
note base bad=
note base
note v1
log base
log branch:nightly
log nothing
export base TMP-export
export base TMP-export
export base --format csv -o out.csv
export base --format csv
rm other tag:v1
rm nothing
salvage store saved
salvage nowhere saved2
restore
restore --at 1h --dry-run
restore other
restore other
restore nothing
verify
gc
gc --dry-run --lease 0s
list --by config.lr --columns loss.last,config.none
list --by config.lr --columns name
gc --lease soon
projects
""".strip().split("\n")


def schemas(_update):
    place = Place()
    bad, seen = [], set()
    for verb in VERBS:
        closed(schema_of(verb).schema, verb, bad)
    if bad:
        fail("schemas", "objects without additionalProperties: " + ", ".join(bad))
    for command in JSON_COMMANDS:
        rc, stdout, _ = place.run(f"tscope {command} --json")
        seen.add((command.split()[0], hold_to_schema(f"tscope {command} --json", rc, stdout)))
    place.run("tscoped --store served --socket $PWD/served.sock --audit-log $PWD/audit.log >served.log 2>&1 & echo $! >pid; for i in $(seq 200); do "
              "test -S served.sock || sleep 0.05; done")
    for command in ("login --no-token unix:$PWD/served.sock", "token make t", "whoami", "projects", "verify", "audit audit.log", "audit nothing.log", "logout"):
        rc, stdout, _ = place.run(f"{'' if 'log' in command else 'TSCOPE_SERVER=unix:$PWD/served.sock '}tscope {command} --json")
        seen.add((command.split()[0], hold_to_schema(f"tscope {command} --json", rc, stdout)))
    asked = "TSCOPE_SERVER=unix:$PWD/served.sock tscope verify"
    rc, stdout, _ = place.run(asked)
    if rc != 0 or b"The server's audit log, 4 lines: each follows the one before" not in stdout:
        fail("verify: audit", f"exit {rc}\n{stdout.decode()}")
    place.run("sed -i '4s/token/taken/' audit.log")
    rc, stdout, _ = place.run(asked)
    if rc != 1 or b"The server's audit log, 4 lines: line 4 does not follow the one before" not in stdout:
        fail("verify: audit that was changed", f"exit {rc}\n{stdout.decode()}")
    rc, stdout, _ = place.run(asked + " --json")
    if json.loads(stdout)["sound"] or json.loads(stdout)["audit"]["broken_line"] != 4:
        fail("verify --json: audit that was changed", stdout.decode())
    place.run("kill $(cat pid)")
    for verb in VERBS:  # no verb takes this word
        rc, stdout, _ = place.run(f"tscope {verb} --no-such-option --json")
        seen.add((verb, hold_to_schema(f"tscope {verb} --no-such-option --json", rc, stdout)))
    seen.add(("bisect", False))  # tests/why/run.py does it, in a clone
    never = [v for v in VERBS if not {(v, False), (v, True)} <= seen]
    if never:
        fail("schemas", "no good answer and no error seen from: " + ", ".join(never))
    place.close()


class Page(html.parser.HTMLParser):
    """Parses a page as a browser would: checks that every tag is closed, and collects tags and attributes."""
    VOID = {"meta", "br", "hr", "link", "img", "input"}

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.bad = [], set(), []
        self.feed(text)
        self.close()
        if self.open:
            self.bad.append(f"left open: {self.open}")

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.bad += [f"{tag} {k}={v}" for k, v in attributes if k.startswith("on") or k in ("src", "xlink:href") or
                     k == "href" and (tag, v) != ("use", "#curves")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.bad.append(f"closes {tag} which is not open")


def contrast(a, b):
    """The contrast of two colours, as WCAG 2.1 defines it."""
    def luminance(colour):
        colour = "".join(c * 2 for c in colour) if len(colour) == 3 else colour
        channels = [int(colour[i:i + 2], 16) / 255 for i in (0, 2, 4)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def evil_trace():
    """A trace whose names would leave a page, deeper stacks than a page shows, and more of them."""
    evil = "</div></title><script src=x>'\"><img onerror=x>&\x1b]0;x\x07]]>\u202e" * 9
    events = [{"ph": "X", "cat": "python_function", "name": f"{i}{evil}", "pid": 1, "tid": 1, "ts": i, "dur": 2000 - 2 * i} for i in range(900)]
    for i in range(3000):
        name, at = f"{i}{evil}", 10000 + 10 * i
        events += [{"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": at, "dur": 9},
                   {"ph": "X", "cat": "cuda_runtime", "name": name, "pid": 1, "tid": 1, "ts": at + 1, "dur": 5, "args": {"correlation": i}},
                   {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at + 3, "dur": 4, "args": {"correlation": i, "stream": 7}}]
    return {"traceEvents": events}


def pages(_update):
    """analyze, diff, trend, plot and list --html: one page, well-formed, without a request, legible; without a script but those of
    flame graphs and plots; whole or not there."""
    place = Place()
    named = "named'<script src=x>&"  # a page shows the words that named its runs
    shutil.copytree(os.path.join(place.path, "demo/base"), os.path.join(place.path, named))
    shutil.copytree(os.path.join(place.path, "runs/base"), os.path.join(place.path, "<b>&"))
    with open(os.path.join(place.path, "evil.json"), "w", encoding="utf-8") as f:
        json.dump(evil_trace(), f)
    place.run("python3 -c \"import pickle; f = [{'filename': '/x/<script src=x>&.py', 'line': 3, 'name': '<script src=x>&'}]; pickle.dump({'segments': "
              "[{'total_size': 512, 'allocated_size': 512, 'active_size': 512, 'address': 0, 'blocks': [{'size': 512, 'requested_size': 500, 'state': "
              "'active_allocated', 'frames': f}]}], 'device_traces': [[{'action': 'alloc', 'addr': 0, 'size': 500, 'time_us': 5, 'frames': f}, {'action': 'oom', "
              "'size': 9, 'device_free': 1, 'time_us': 6, 'frames': f}]], 'external_annotations': [{'stage': 'START', 'name': '<script src=x>&', 'device': 0, "
              "'time_us': 1}]}, open('hostile.pickle', 'wb'))\"")
    place.run("mkdir stored && cp traced/demo.json.gz stored/trace.json.gz && TSCOPE_PROJECT=other tscope push -q --name stored stored; "
              "mkdir stored2 && cp traced/slower.json stored2/trace.json && TSCOPE_PROJECT=other tscope push -q --name stored2 stored2")
    place.run("tscope push -q --branch trunk runs/base runs/rerun runs/longer runs/evil && tscope push -q --branch trunk demo/base")
    singles = ("demo/base", "demo/slow", "runs/base", "runs/evil", "runs/joined", named)
    pairs = (("demo/base", "demo/order"), ("demo/base", "demo/lr"), ("runs/base", "runs/parts"), ("runs/base", "runs/evil"), (named, "demo/order"))
    for run, command, want in [(r, f"analyze --html - {shlex.quote('./' + r)}", (0,)) for r in singles] + \
            [(f"{a} {b}", f"diff --reproduce --html - {shlex.quote('./' + a)} ./{b}", (1, 3)) for a, b in pairs] + \
            [("listed", "list --columns name,config.lr,steps,own_name --html -", (0,)),
             ("memory", "analyze --html - ./memory/oom.pickle", (0,)), ("named memory", "analyze --html - ./hostile.pickle", (0,)),
             ("trunk", "trend trunk --metric loss --like base --html -", (0,)), ("several", "plot loss base ./demo/base './<b>&' --html -", (0,)),
             ("all", "plot loss 'steps>0' --bands --by config.lr --log --html -", (0,)),
             ("traced", "analyze --html - ./traced/demo.json.gz", (0,)), ("traced evil", "analyze --html - ./evil.json", (0,)),
             ("traced stored", "analyze --trace trace.json.gz --html - other/stored", (0,)), ("a job", "analyze --html - ./traced/job", (0,)),
             ("two traces", "diff --html - ./traced/demo.json.gz ./traced/slower.json", (0, 1, 3)), ("two jobs", "diff --html - ./traced/job ./traced/job", (0, 1, 3)),
             ("two snapshots", "diff --html - ./memory/oom.pickle ./memory/list.pickle", (1,)),
             ("hostile snapshots", "diff --all --html - ./memory/oom.pickle ./hostile.pickle", (1,)),
             ("hostile traces", "diff --all --html - ./traced/demo.json.gz ./evil.json", (0, 1, 3)),
             ("stored traces", "diff --html - other/stored other/stored2", (0, 1, 3))]:
        rc, stdout, stderr = place.run(f"tscope {command}")
        page = stdout.decode()
        seen = Page(page)
        if rc not in want:
            fail(f"pages: {run}", stderr.decode())
        try:
            xml.etree.ElementTree.fromstring(page)
        except xml.etree.ElementTree.ParseError as error:
            seen.bad.append(str(error))
        seen.bad += [word for word in ("http://", "https://", "@import", "url(") if word in page]
        traced = run.startswith("traced")
        figures = set() if traced or run == "a job" else {"svg", "desc"} if command.startswith(("analyze", "trend", "plot")) or rc == 1 else set()
        if seen.bad or not {"title", "section"} | figures <= seen.tags or seen.tags & ({"link", "img", "iframe"} | (set() if traced or command.startswith("plot") else {"script"})):
            fail(f"pages: {run}", f"{seen.bad}\n{sorted(seen.tags)}")
        if run.startswith("named") and "&lt;script src=x&gt;" not in page:
            fail("pages: named", page[:2000])
        if run == "demo/base demo/order" and not re.search(r'class="sample a".*?</svg> a {1,2}\./demo/base<.*class="sample b".*?</svg> b {1,2}\./demo/order<', page):
            fail("pages: legend", re.findall(r"<figcaption>.*", page)[0])
        if run == "listed" and (page.count('<svg class="spark"') != 4 or page.count("<tr>") != 5):
            fail("pages: listed", page[-4000:])
        if traced and (page.count("<script") != 1 or page.count('class="flame"') != 2 or page.count("<h2>Timeline") != 1 or not page.index("<h2>Findings") < page.index("<h2>Timeline") or len(page) > 2 << 20):
            fail(f"pages: {run}", page[-4000:])
        if run == "several" and "&lt;b&gt;&amp;" not in page:
            fail("pages: several", page[:2000])
        for mode, of in (("light", 0), ("dark", 1)):
            colours = [dict(re.findall(r"--(\w+):#([0-9a-f]{3,6})", block)) for block in re.findall(r":root\{([^}]*)\}", page)][of]
            poor = [k for k in ("ink", "dim", "high", "medium", "low", "clear", "accent", "ca", "cb", *(f"l{i}" for i in range(8))) if contrast(colours[k], colours["card"]) < 4.5]
            if poor or contrast(colours["dim"], colours["bg"]) < 4.5:
                fail(f"pages: {mode}", f"poor contrast: {poor}")
    place.run("echo old > page.html; tscope analyze --html page.html ./runs/base > kept; tscope analyze --html page.html --force ./runs/base > text")
    if os.path.getsize(os.path.join(place.path, "kept")):
        fail("pages: a file that exists", "was replaced")
    written = open(os.path.join(place.path, "page.html"), encoding="utf-8").read()
    place.run("mkdir site && tscope list --html site/index.html && tscope analyze base --html site/base.html; tscope diff base ./demo/base --html 'site/a b.html'; "
              "tscope plot loss base ./demo/base --html site/loss.html")
    files = sorted(os.listdir(os.path.join(place.path, "site")))
    for name in files:  # each page links to the others, and to nothing else
        page = open(os.path.join(place.path, "site", name), encoding="utf-8").read()
        links = [urllib.parse.unquote(a) for a in re.findall(r'<a href="([^"]*)"', page)]
        if len(files) != 4 or links != [f for f in files if f != name]:
            fail(f"pages: side by side: {name}", f"{links} of {files}")
        xml.etree.ElementTree.fromstring(page)
    if not written.startswith("<!DOCTYPE html>") or not written.endswith("</html>\n") or "TIMING" not in open(os.path.join(place.path, "text")).read():
        fail("pages: a file", written[:200])
    for arguments in ("analyze --html no-such-folder/page.html ./runs/base", "analyze --html runs ./runs/base", "analyze --html '' ./runs/base",
                      "analyze --html - --json ./runs/base", "analyze --html - --rows ./runs/base",
                      "diff --html no-such-folder/page.html ./runs/base ./runs/parts", "diff --html '' ./runs/base ./runs/parts",
                      "list --html no-such-folder/page.html", "list --html ''", "list --html - --json", "list --html - --names",
                      "plot loss --html no-such-folder/page.html ./runs/base", "plot loss --html '' ./runs/base", "plot loss --html - --json ./runs/base",
                      "diff --html - --json ./runs/base ./runs/parts", "diff --html - --json ./traced/demo.json.gz ./traced/slower.json",
                      "diff --html - --json ./memory/oom.pickle ./memory/list.pickle", "diff --html x.html ./runs/base ./runs/parts ./runs/rerun", "diff --html - --first ./runs/base ./runs/parts"):
        rc, stdout, stderr = place.run(f"tscope {arguments}")
        if rc != 2 or (stdout and b'"error"' not in stdout) or not stderr:
            fail(f"pages: {arguments}", f"exit {rc}\n{stdout.decode()[:300]}{stderr.decode()}")
    place.close()


QUERIES = """
diff {base} {parts}
diff {base} {rerun}
diff {base} {longer}
diff {base} {parts} {longer} {mood}
diff --repeats rerun --repeats longer {base} {parts}
diff --repeats ./runs/rerun --repeats ./runs/longer {base} {parts}
diff {mood} {mood2}
diff --curves --reproduce {demo} {order}
diff {demo} {order}
diff --all {demo} {order}
diff --as traceml {before} {hidden}
check-resume {base} {longer}
check-resume {parts}
plot loss {base} {parts} {demo}
plot loss --x time --bands {base} {longer} {mood}
analyze {base}
analyze {demo} --rank 2
facts {evil}
facts {demo}
show {base2}
""".strip().split("\n")
RUNS = {"base": "runs/base", "parts": "runs/parts", "rerun": "runs/rerun", "longer": "runs/longer", "mood": "runs/mood",
        "mood2": "runs/mood2", "evil": "runs/evil", "demo": "demo/base", "order": "demo/order", "base2": "runs/base", "before": "runs/summaries/before",
        "hidden": "runs/summaries/hidden"}


class Server:
    def __init__(self, place, name):
        path = os.path.join(place.path, name)
        self.address, self.log = "unix:" + path + ".sock", path + ".log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(["tscoped", "--store", path + "-store", "--socket", path + ".sock"], env=place.env,
                                            cwd=place.path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        for _ in range(200):
            if os.path.exists(path + ".sock") or self.process.poll() is not None:
                break
            time.sleep(0.05)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        rc = self.process.wait(30)
        if rc:
            fail("tscoped", f"ended with {rc}\n" + open(self.log).read()[-3000:])


def same_everywhere(_update):
    """Names in a local store, names on a server, paths with neither, paths beside each: byte-identical JSON."""
    place = Place()
    full, half, bare = (Server(place, name) for name in ("full", "half", "bare"))
    names = {k: os.path.basename(v) if k != "demo" else "demo-base" for k, v in RUNS.items()}
    paths = {k: "./" + v for k, v in RUNS.items()}
    mixed = {k: paths[k] if i % 2 else names[k] for i, k in enumerate(RUNS)}
    ways = {"local names": (names, {}), "server names": (names, {"TSCOPE_SERVER": full.address}),
            "paths, no store": (paths, {"TSCOPE_STORE": os.path.join(place.path, "no-store")}),
            "paths that the server has": (paths, {"TSCOPE_SERVER": full.address}),
            "paths that it has not": (paths, {"TSCOPE_SERVER": bare.address}),
            "mixed, local": (mixed, {}), "mixed, server": (mixed, {"TSCOPE_SERVER": half.address})}
    for env, some in (({}, names), ({"TSCOPE_SERVER": full.address}, names),
                      ({"TSCOPE_SERVER": half.address}, [k for k in mixed if mixed[k] == names[k]])):
        for k in some:
            rc, _, stderr = place.run(f"tscope push --name {names[k]} {RUNS[k]}", **env)
            if rc:
                fail("same_everywhere: push", stderr.decode())
    for query in QUERIES:
        answers = {}
        for way, (words, env) in ways.items():
            if "show" in query and words is not names:
                continue  # notes belong to the name that was asked for, names to runs that were pushed
            if "--repeats rerun" in query and way in ("paths, no store", "paths that it has not", "mixed, server"):
                continue  # repeats are found by their names
            rc, stdout, stderr = place.run(f"tscope {query.format(**words)} --json", **env)
            answers[way] = re.sub(rb'"at": "[^"]*"|"who": "[^"]*"', b"", stdout) + b"exit %d" % rc
            if rc == 2:
                fail(f"same_everywhere: {way}: {query}", stderr.decode())
        if len(set(answers.values())) != 1:
            first = answers["local names"]
            for way, answer in answers.items():
                if answer != first:
                    fail(f"same_everywhere: {way}: {query}", answer.decode()[:3000] + "\n--- local names:\n" + first.decode()[:3000])
    if os.path.exists(os.path.join(place.path, "no-store")):
        fail("same_everywhere", "reading made a store")
    # A path whose run the server has: its names are known, though a directory was named. One that it has not has none.
    for server, want in ((full, ["default/base"]), (bare, [])):
        rc, stdout, stderr = place.run("tscope show ./runs/base --json", TSCOPE_SERVER=server.address)
        if rc or [n["name"] for n in json.loads(stdout)["names"]] != want:
            fail("same_everywhere: names of a path", f"exit {rc}\n{stdout.decode()}{stderr.decode()}")
    for server in (full, half, bare):
        server.stop()
    rc, stdout, stderr = place.run("tscope list", TSCOPE_SERVER=full.address)
    if rc != 2 or stdout or not stderr:
        fail("same_everywhere: stopped server", f"exit {rc}, stdout {stdout!r}, stderr {stderr!r}")
    place.close()


def resume(_update):
    """A server that is killed while a run arrives and comes back: the push goes on where it was."""
    place = Place()
    os.mkdir(os.path.join(place.path, "long"))
    with open(os.path.join(place.path, "long/steps.jsonl"), "w") as f:
        x = 1
        for step in range(120000):
            x = x * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1  # these values do not compress
            f.write('{"step":%d,"scalars":{"loss":%r,"grad_norm":%r}}\n' % (step, x / 2**64, (x >> 7) / 2**60))
    server = Server(place, "server")
    data = os.path.join(place.path, "server-store/data.mdb")
    empty = os.path.getsize(data)
    push = subprocess.Popen(["tscope", "push", "--json", "long"], cwd=place.path, env=dict(place.env, TSCOPE_SERVER=server.address),
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while push.poll() is None and os.path.getsize(data) < empty + (1 << 19):
        time.sleep(0.001)
    server.process.send_signal(signal.SIGSTOP)  # from here on the server does not answer, so the push cannot end
    caught = push.poll() is None
    server.process.kill()
    server.process.wait()
    os.unlink(server.address[len("unix:"):])
    server = Server(place, "server")
    stdout, stderr = push.communicate(timeout=120)
    if push.returncode or (caught and b"push tries again (1 of 3)" not in stderr):
        fail("resume", f"exit {push.returncode}, stopped in time: {caught}\n{stdout.decode()}{stderr.decode()}")
    elif caught:
        answer = json.loads(stdout)["pushes"][0]
        whole = json.loads(place.run("tscope push --json long")[1])["pushes"][0]
        if answer["run"]["id"] != whole["run"]["id"] or not 0 < answer["sent_object_count"] <= whole["sent_object_count"]:
            fail("resume", f"{answer}\n{whole}")
    rc, stdout, stderr = place.run("tscope verify && tscope diff long ./long", TSCOPE_SERVER=server.address)
    if rc:
        fail("resume", f"exit {rc}\n{stdout.decode()}{stderr.decode()}")
    server.stop()
    place.close()


def damaged(_update):
    """Bytes that changed on disk are found: verify says so and ends with 1, and what needs them with 2."""
    place = Place()
    place.run("tscope push runs/base demo/order")
    path = os.path.join(place.path, "store/data.mdb")
    with open(path, "rb") as f:
        data = bytearray(f.read())
    hits = [m.start() for m in re.finditer(b"tsob\x04", data)]  # columns of numbers; their header is stored as it is
    for at in hits:
        data[at + 20] ^= 1
    with open(path, "r+b") as f:
        f.write(data)
    rc, stdout, _ = place.run("tscope verify --json")
    report = json.loads(stdout)
    schema_of("verify").validate(report)
    if not hits or rc != 1 or report.get("sound") is not False or not report["damaged_count"] or not report["ids"]:
        fail("damaged: verify --json", f"{len(hits)} places, exit {rc}\n{stdout.decode()}")
    rc, stdout, _ = place.run("tscope verify")
    if rc != 1 or b"damaged" not in stdout:
        fail("damaged: verify", f"exit {rc}\n{stdout.decode()}")
    rc, stdout, stderr = place.run("tscope analyze order")
    if rc != 2 or stdout or b"checksum" not in stderr:
        fail("damaged: analyze", f"exit {rc}\n{stdout.decode()}{stderr.decode()}")
    os.truncate(path, 8192)  # the file is cut short: reading its map raises SIGBUS
    for verb in ("list", "show base", "verify", "push runs/base"):
        rc, stdout, stderr = place.run(f"tscope {verb} --json")
        if rc != 2 or json.loads(stdout or "{}").get("error", {}).get("status") != "damaged" or stderr.count(b"\n") != 1:
            fail(f"damaged: {verb} of a store cut short", f"exit {rc}\n{stdout.decode()}{stderr.decode()[:500]}")
    rc, stdout, stderr = place.run("timeout 3 tscoped --store store --socket ./s")  # what is sound can be read
    if rc != 124 or b"event=damaged" not in stderr:
        fail("damaged: tscoped on a store cut short", f"exit {rc}\n{stdout.decode()}{stderr.decode()[:500]}")
    place.close()


def denied(_update):
    """A store that may only be read is read; one that may not be looked at is not taken for an empty one."""
    place = Place()
    user = "" if os.getuid() else "setpriv --reuid 65534 --regid 65534 --clear-groups "
    place.run("tscope push runs/base runs/parts && chmod 755 . && chmod -R a+rX,a-w store && chmod a+w store/lock.mdb")
    for command, code in (("list", 0), ("diff base parts", 1), ("analyze base", 0), ("verify", 0), ("push runs/rerun", 2), ("rm base", 2)):
        rc, stdout, stderr = place.run(f"{user}tscope {command}")
        if rc != code or (rc == 2 and b"is for %s alone (mode" % pwd.getpwuid(os.getuid()).pw_name.encode() not in stderr):
            fail(f"denied: {command} on a store to be read", f"exit {rc}\n{stdout.decode()}{stderr.decode()}")
    place.run("mkdir shut && mv store shut/ && chmod 700 shut/store")
    for mode, of in (("0", "shut"), ("0", "shut/store")):
        place.run(f"chmod 755 shut shut/store; chmod {mode} {of}")
        for command in ("list", "show base", "verify", "push runs/rerun"):
            rc, stdout, stderr = place.run(f"{user}tscope {command}", TSCOPE_STORE=place.path + "/shut/store")
            if rc != 2 or stdout or b"Permission denied" not in stderr:
                fail(f"denied: {command} where {of} may not be entered", f"exit {rc}\n{stdout.decode()}{stderr.decode()}")
    place.run("chmod 755 shut shut/store; chmod 750 shut")
    rc, _, stderr = place.run(f"{user}tscope list", TSCOPE_STORE=place.path + "/shut/store")
    if rc != 2 or b"shut is for %s and the members of group %s (mode 750)" % (
            pwd.getpwuid(os.getuid()).pw_name.encode(), grp.getgrgid(os.getgid()).gr_name.encode()) not in stderr:
        fail("denied: the group is named", f"exit {rc}\n{stderr.decode()}")
    place.run("chmod 755 shut; chmod 0 runs/joined/rank1")
    rc, stdout, stderr = place.run(f"{user}tscope push --dry-run runs/joined")
    if rc != 2 or b"rank1: Permission denied" not in stderr:
        fail("denied: a rank that may not be entered is not an empty one", f"exit {rc}\n{stdout.decode()}{stderr.decode()}")
    place.run("chmod 755 runs/joined/rank1")
    place.close()


def generated(update):
    """Man pages, completion and the document of rules are what the tables make today."""
    place = Place()
    wanted = {"docs/man/tscope.1": "tscope help --man", "docs/man/tscoped.8": "tscoped --manual",
              "deploy/completion/tscope.bash": "tscope help --completion bash", "deploy/completion/_tscope": "tscope help --completion zsh",
              "docs/findings.md": "tscope explain --markdown"}
    wanted.update({f"docs/man/tscope-{verb}.1": f"tscope help --man {verb}" for verb in [*NO_JSON, *VERBS]})
    for path, command in wanted.items():
        rc, stdout, stderr = place.run(command)
        full = os.path.join(ROOT, path)
        if rc:
            fail(f"generated: {path}", stderr.decode())
        elif update:
            with open(full, "wb") as f:
                f.write(stdout)
        elif not os.path.exists(full) or open(full, "rb").read() != stdout:
            fail(f"generated: {path}", f"not what '{command}' prints; tests/cli/run.py --update writes it")
    rc, stdout, stderr = place.run("bash -n " + os.path.join(ROOT, "deploy/completion/tscope.bash"))
    if rc:
        fail("generated: bash", stderr.decode())
    if shutil.which("zsh"):
        rc, stdout, stderr = place.run("zsh -n " + os.path.join(ROOT, "deploy/completion/_tscope"))
        if rc or stderr:
            fail("generated: zsh", stderr.decode())
    place.close()


def referred(schema, names):
    """Returns the names of the definitions that a schema refers to."""
    if isinstance(schema, dict):
        if schema.get("$ref", "").startswith("#/$defs/"):
            names.add(schema["$ref"][len("#/$defs/"):])
        schema = list(schema.values())
    for value in schema if isinstance(schema, list) else []:
        referred(value, names)
    return names


def definitions(update):
    """What tables say of an answer (proto/shape) stands so in its schema; the rest of a schema is written by hand."""
    place = Place()
    rc, stdout, stderr = place.run("make_schemas")
    place.close()
    if rc:
        return fail("definitions", stderr.decode())
    for verb, made in json.loads(stdout, object_pairs_hook=no_key_twice).items():
        path = os.path.join(ROOT, "docs/schemas", verb + ".schema.json")
        with open(path, encoding="utf-8") as f:
            schema = json.load(f)
        wanted = referred({k: v for k, v in schema.items() if k != "$defs"}, set())
        while True:  # collect the definitions that the answers, and other definitions, refer to
            kept = {**{k: v for k, v in schema["$defs"].items() if k in wanted}, **{k: v for k, v in made.items() if k in wanted}}
            more = referred(kept, set(wanted))
            if more == wanted:
                break
            wanted = more
        if update:
            with open(path, "w", encoding="utf-8") as f:
                f.write(json.dumps({**schema, "$defs": kept}, indent=2, ensure_ascii=False) + "\n")
        elif kept != schema["$defs"]:
            bad = sorted(k for k in {*kept, *schema["$defs"]} if kept.get(k) != schema["$defs"].get(k))
            fail(f"definitions: {verb}", f"{', '.join(bad)}: not as the tables of proto/shape have them; tests/cli/run.py --update writes them")
    return None


COMPLETE = r"""
complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _tscope; echo "${COMPREPLY[*]}"; }
complete_words tscope di
complete_words tscope diff --ex
complete_words tscope diff --exit-on t
complete_words tscope diff --exit-on = t
complete_words tscope diff ba
complete_words tscope help ver
complete_words tscope explain MEMORY.F
complete_words tscope push runs/jo
complete_words tscope push runs/not; echo ${#COMPREPLY[@]}
complete_words tscope --color al
complete_words tscope show ""
complete_words tscope rm ""
complete_words tscope show tag :
complete_words tscope show branch : m
complete_words tscope trend ""
complete_words tscope push --branch ""
complete_words tscope list -p ""
complete_words tscope show --project = o
complete_words tscope -p other push -b ""
complete_words tscope -p other show ""
complete_words tscope --server unix : /nowhere show ""
complete_words tscope list --columns na
complete_words tscope list --columns name,config.o
complete_words tscope list --columns "name,other."
complete_words tscope list --sort -st
complete_words tscope list --sort = config.b
complete_words tscope plot lo
complete_words tscope plot --log
complete_words tscope plot loss ba
complete_words tscope plot loss base --x to
"""
COMPLETED = """diff
--exit-on
times
times
base
verify version
MEMORY.FORECAST MEMORY.FRAGMENTATION MEMORY.FRAGMENTS
runs/joined
runs/not name!
1
always
base v1.0 main
base tag:v1.0 branch:main
v1.0
main
main
main
default other
other
night
rerun night

name
name,config.optimizer.lr
name,other.$(touch${IFS}hacked)
-started -state -steps
config.batch
loss
--log --logx
base
tokens
"""

# What the completion system of zsh does with a prefix; then a function, the words before the cursor, and what is completed.
COMPLETE_ZSH = r"""
compset() { [[ $PREFIX == ${~2}* ]] || return 1; PREFIX=${PREFIX##${~2}}; }
compadd() { while [[ $1 != -- ]]; do shift; done; shift; local w; for w; do [[ $w != "$PREFIX"* ]] || found+=("$w"); done; }
_arguments() { return 1; }
complete_word() { found=() PREFIX=$2 words=("${@:3}" "$2"); $1; print -r -- ${(j: :)found}; }
state=
source %s
complete_word _tscope_runs "" tscope show
complete_word _tscope_refs "" tscope rm
complete_word _tscope_refs tag: tscope rm
complete_word _tscope_refs branch:m tscope log
complete_word _tscope_branches "" tscope trend
complete_word _tscope_projects o tscope list -p
complete_word _tscope_runs "" tscope -p other show
complete_word _tscope_runs "" tscope --project=other show
complete_word _tscope_runs "" tscope --store /nowhere show
complete_word _tscope_columns name,sta tscope list -c
complete_word _tscope_columns other. tscope list -c
complete_word _tscope_sort_keys -config.b tscope list -s
"""
COMPLETED_ZSH = """base v1.0 main
base tag:v1.0 branch:main
v1.0
main
main
other
rerun night
rerun night

started state
other.$(touch${IFS}hacked)
config.batch
"""


def completion(_update):
    place = Place()
    place.run("tscope push --branch main --fact 'other.$(touch${IFS}hacked)=1' --fact config.batch=8 --fact config.optimizer.lr=1 runs/base &&"
              " tscope tag base v1.0 && tscope push -p other --branch night runs/rerun")
    rc, stdout, stderr = place.run("source " + os.path.join(ROOT, "deploy/completion/tscope.bash") + COMPLETE)
    if stdout.decode() != COMPLETED:
        fail("completion", f"wanted:\n{COMPLETED}got:\n{stdout.decode()}{stderr.decode()}")
    if shutil.which("zsh"):
        with open(os.path.join(place.path, "complete.zsh"), "w", encoding="utf-8") as f:
            f.write(COMPLETE_ZSH % os.path.join(ROOT, "deploy/completion/_tscope"))
        rc, stdout, stderr = place.run("zsh -f complete.zsh")
        if stdout.decode() != COMPLETED_ZSH:
            fail("completion: zsh", f"wanted:\n{COMPLETED_ZSH}got:\n{stdout.decode()}{stderr.decode()}")
    if os.path.exists(os.path.join(place.path, "hacked")):
        fail("completion", "a name of a fact was executed")
    place.close()


def wrong_arguments(_update):
    """Whatever is wrong, stdout stays empty, stderr says what, and the exit status is 2."""
    place = Place()
    commands = ["", "frobnicate", "--frobnicate", "--store", "push", "push --name", "push --fact x runs/base", "push --state odd x",
                "push --name a runs/base runs/parts", "push --expose runs/base", "list a b", "list --limit x", "list --limit 0", "log --limit 0 a", "list --sort",
                "list --columns ''", "list --columns a,,b", "list --tags --branches", "list --by a,,b", "list --by config.lr --page 00", "list 'steps>'", "show", "show a b", "show ''",
                "facts a b c", "facts a -o f", "analyze", "analyze --warmup -1 a", "analyze --rank x a", "explain a b",
                "analyze --flops-per-step 0 a", "analyze --peak-tflops -1 a", "analyze --peak-tflops 1e300 a", "analyze --microbatches 0 a",
                "analyze --device-memory 80 a",
                "analyze --dtype '' a", "analyze --policy no-such-file runs/base", "analyze --policy runs a", "analyze --fail-on terrible a",
                "explain TIMING.JITER", "explain --markdown TIMING.JITTER", "plot", "plot loss", "plot '' a", "plot loss a --x place", "plot loss a --smooth 0", "plot loss a --smooth 1e300", "plot loss a --rank -1",
                "plot loss 'steps>'", "plot loss './nothing*'", "plot loss 'nothing*'", "diff a", "diff --first a b c", "diff --repeats", "diff --repeats x a b c",
                "diff --exit-on weather a b", "trend", "trend a b", "trend ''", "trend a --metric speed", "trend a --limit 0", "trend a --limit 10001", "trend a --across colour", "trend run:a",
                "gate", "gate a", "gate a --baseline b --policy no-such-file", "gate a --baseline b --metric speed",
                "gate a --baseline b --across colour", "gate a --baseline b --exclude x", "gate a --baseline ''", "gate --replay no-such-file",
                "gate --replay runs", "gate a --bundle no-such-file", "gate a --baseline b --inconclusive maybe", "gate a --baseline './nothing*'",
                "baseline", "baseline a b --baseline c", "baseline accept", "baseline accept abcdef0", "baseline accept abcdef0 --reason ''",
                "baseline accept xyz --reason r", "baseline accept abcdef0 --reason r --bundle f", "baseline --baseline b --reason r", "name a", "name a 'b c'", "name ./runs/base b", "tag a", "tag a b c", "note",
                "note a b", "log", "log a b", "log ./runs/base", "rm", "rm ./runs/base", "export", "export a",
                "export a --format x", "export a --format npz", "export a b -o c", "verify x", "gc x", "gc --lease 1y",
                "version x", "help frobnicate", "help --completion fish", "list --color sometimes", "list -p 'a b'",
                "list --json=yes", "list -z", "diff --nothing a b", "list --server nowhere", "list --server unix:/nonexistent/s"]
    for command in commands:
        for json_too in ("", " --json"):
            rc, stdout, stderr = place.run(f"tscope {command}{json_too}")
            if rc != 2 or not stderr or b"\n" in stderr.rstrip(b"\n"):
                fail(f"wrong arguments: tscope {command}{json_too}", f"exit {rc}, stderr {stderr!r}")
            if json_too:
                verb = command.split(" ")[0]
                if not hold_to_schema(f"tscope {command if verb in VERBS else 'help'} --json", rc, stdout):
                    fail(f"wrong arguments: tscope {command} --json", f"stdout {stdout!r}")
            elif stdout:
                fail(f"wrong arguments: tscope {command}", f"stdout {stdout!r}")
    if os.path.exists(os.path.join(place.path, "store")):
        fail("wrong arguments", "a store was made")
    place.close()


def narrow(_update):
    """No line is wider than the terminal, unless one word is; nothing foreign moves the cursor."""
    import unicodedata

    def width(text):
        return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)

    place = Place()
    place.run("tscope push --branch trunk runs/base runs/parts runs/rerun runs/longer runs/evil && tscope push --branch trunk demo/base")
    commands = ["list", "list --by config.lr --columns loss.last,steps", "list --columns name,id,state,steps,ranks,started,pushed,config.lr,seeds.torch", "show evil", "facts evil",
                "facts base", "analyze base", "diff base parts", "diff --curves --reproduce base parts", "diff base evil", "diff --all base longer",
                "diff base rerun parts longer evil", "diff base parts --repeats rerun --repeats longer", "log base", "help",
                "help push", "help diff", "explain", "explain DIST.STRAGGLER", "explain CONVERGENCE.DIVERGED", "push runs/base runs/mood", "note base",
                "gate parts --baseline base --baseline rerun", "baseline evil --baseline base", "help gate", "trend trunk", "help trend"]
    for columns in (40, 60, 80):
        for command in commands:
            rc, stdout, stderr = place.run(f"COLUMNS={columns} tscope {command}")
            text = stdout.decode("utf-8")
            for line in text.split("\n"):
                words = [w for w in line.split() if width(w) > columns - 16]
                copied = line.startswith("  tscope ")  # an example that is copied as a whole
                if width(line) > columns and not words and not copied:
                    fail(f"narrow: COLUMNS={columns} tscope {command}", f"{width(line)} columns: {line!r}")
            if "\n\n\n" in text:
                fail(f"narrow: COLUMNS={columns} tscope {command}", "two blank lines after each other")
            if any(ord(c) < 32 and c != "\n" or 0x7f <= ord(c) < 0xa0 or 0x202a <= ord(c) <= 0x202e for c in text):
                fail(f"narrow: tscope {command}", f"control characters in {text!r}")
            if rc == 2:
                fail(f"narrow: tscope {command}", stderr.decode())
    place.close()


def list_screens(_update):
    """Plain list has a line a run, as wide as the terminal at most, with the name and the loss; a pipe gets lines for 80 columns. Pages that
    follow each other's tokens have every run once, in every order, also if the last run of a page is removed or pushed in between."""
    place = Place()
    long = "llama-8b-pretrain-fineweb-lr3e-4-bs1024-cosine-seed42-node"
    place.run(f"tscope push runs/base demo/lr && tscope push --name {long}17 --state crashed runs/base && tscope push --name {long}18 runs/parts && "
              "tscope push --name default/sweep/lr/a runs/longer")
    for width in (0, 40, 60, 80, 120, 200):
        rc, stdout, _ = place.run(f"{f'COLUMNS={width}' if width else ''} tscope list", LC_ALL="C.UTF-8")
        lines = stdout.decode().splitlines()
        heads = lines[0].split()
        losses = sorted(line.split()[heads.index("loss")] for line in lines[1:]) if "loss" in heads else None
        if rc or len(lines) != 6 or losses != sorted(["0.25", "0.25", "0.25001", "0.166667", "1.73953"]):
            fail(f"list at {width} columns", stdout.decode())
        if width and max(map(len, lines)) > width or width >= 60 and len({line.split()[0] for line in lines}) < 6:
            fail(f"list at {width} columns: too wide, or two names alike", stdout.decode())
    for order in ("", "-s name", "-s -name", "-s -loss.last", "-s config.lr", "-s pushed"):
        all_names = place.run(f"tscope list --names --all {order}")[1]
        seen, page = b"", ""
        for _ in range(9):
            _, stdout, stderr = place.run(f"tscope list --names --limit 2 {order} {page}")
            seen += stdout
            page = re.search(r"--page [0-9a-z]{16}(?= )", stderr.decode())
            if not page:
                break
            page = page[0]
        if seen != all_names or seen.count(b"\n") != 5:
            fail(f"pages of list {order}", f"{seen!r} and not {all_names!r}")
    page = json.loads(place.run("tscope list --names --limit 2 --json")[1])["next_page"]
    sorted_page = json.loads(place.run("tscope list --limit 2 --sort -name --json")[1])["next_page"]
    rest = place.run(f"tscope list --names --page {page}")[1]
    second = place.run("tscope list --names --limit 2")[1].decode().split()[1]
    place.run(f"tscope rm {second} && tscope push --name new runs/mood")
    if place.run(f"tscope list --names --page {page}")[1] != rest:
        fail("pages of list", "a page changed as the run before it was removed")
    last = place.run("tscope list --names --sort -name")[1].decode().split()
    place.run(f"tscope rm {' '.join(last)}")
    for token, says in ((sorted_page, "removed or pushed again"), (page, "of a list with another"), ("6e" * 20, "older versions"), ("9" * 4000, "older versions")):
        rc, stdout, stderr = place.run(f"tscope list --sort -name --page {token}")
        if rc != 2 or stdout or says not in stderr.decode():
            fail(f"tscope list --page {token[:20]}", f"exit {rc}, {stderr.decode()}")
    place.close()


def help_screens(_update):
    """-h is one screen of 24 lines: the usage, ten options, two examples; on a narrow terminal its lines are wrapped, and nothing is cut.
    --help has every option and comes to the prose last."""
    place = Place()
    tables = json.loads(place.run("tscope help --json")[1])
    for width in (60, 80, 120):
        for verb in ["", *NO_JSON, *VERBS]:
            rc, stdout, stderr = place.run(f"COLUMNS={width} tscope {verb} -h")
            lines = stdout.decode().splitlines()
            wide = [line for line in lines if len(line) > width and not line.startswith("  tscope ")]  # an example is copied as a whole
            most = 24 if width >= 80 else 36
            if any(line.endswith(" ...") for line in lines):
                fail(f"tscope {verb} -h at {width} columns cuts what it says", stdout.decode())
            if rc or stderr or wide or not 12 <= len(lines) <= most or not any(line.startswith("Usage: tscope " + verb.replace("help", "")) for line in lines):
                fail(f"tscope {verb} -h at {width} columns", f"{len(lines)} lines, too wide: {wide}\n{stdout.decode()}")
    first = re.findall(r"^  ([a-z-]+)  ", place.run("tscope -h")[1].decode(), re.M)
    if len(first) != 10 or not {"push", "diff", "gate"} <= set(first) <= {verb["name"] for verb in tables["verbs"]}:
        fail("tscope -h", f"verbs {first}")
    for verb in (v for v in tables["verbs"] if v["name"] != "help"):  # whose help is that of the program
        brief, whole = (place.run(f"tscope {verb['name']} {option}")[1].decode() for option in ("-h", "--help"))
        own, common = ([o["name"] for o in options] for options in (verb["options"], tables["common_options"]))
        shown = re.findall(r"^  (?:-.,|   ) --([a-z-]+)", brief, re.M)
        if len(shown) != min(10, len(own + common)) or len(set(shown)) != len(shown) or not set(shown[:len(own)]) <= set(own):
            fail(f"tscope {verb['name']} -h", f"options {shown}")
        if len(re.findall("^  tscope ", brief, re.M)) != min(2, len(re.findall("^  tscope ", whole, re.M))):
            fail(f"tscope {verb['name']} -h", f"examples\n{brief}")
        if sorted(re.findall(r"^  (?:-.,|   ) --([a-z-]+)", whole, re.M)) != sorted(own + common) or whole.find("\nOptions") > whole.find("\nMore\n"):
            fail(f"tscope {verb['name']} --help", whole)
        if place.run(f"tscope help {verb['name']}")[1].decode() != whole or place.run(f"tscope -h --help {verb['name']}")[1].decode() != whole:
            fail(f"tscope {verb['name']} --help", "help VERB, or --help beside -h, is another text")
    place.close()


# The script writes down its arguments, and steps that depend on them.
TRAIN = """import json, os, sys
BASE = 1.0
with open(os.path.join(sys.argv[1], "steps.jsonl"), "w") as f:
    for i in range(4):
        f.write(json.dumps({"step": i, "timestamp": 100.0 + i, "phases": {}, "scalars": {"loss": BASE + float(sys.argv[2]) / (i + 1)}, "memory": {}}) + "\\n")
with open(os.path.join(sys.argv[1], "given"), "w") as f:
    json.dump([sys.argv[2:], os.environ.get("OMP_NUM_THREADS"), os.environ.get("NCCL_ALGO")], f)
"""


def reproduced(_update):
    """What diff --reproduce prints, pasted into a fresh clone, runs the same code with the same words, variables and changes."""
    place = Place()
    git = "git -c user.name=n -c user.email=e@x -c init.defaultBranch=trunk"
    os.makedirs(os.path.join(place.path, "code/exp one"))
    with open(os.path.join(place.path, "code/exp one/train.py"), "w") as f:
        f.write(TRAIN)
    place.run(f"cd code && {git} init -q . && printf 'a\\n' > top.txt && git add . && {git} commit -qm one")
    place.run(f"cp -r code later && cd later && {git} commit -q --allow-empty -m two")  # the clone is in another folder
    # The uncommitted changes are a word in a lower folder, a file of bytes, quotes, and a file without a newline at its end.
    place.run("cd code && sed -i 's/BASE = 1.0/BASE = 3.25  # it'\"'\"'s \\\\ \\xc3\\xa9/' 'exp one/train.py' && "
              "printf '\\0\\1\\377' > 'exp one/b.bin' && git add -N . && printf 'b' >> top.txt")
    lines = {"a": "python3 train.py ../../run-a 0.5 'two words' \"it's\" --name=x",
             "b": "N=0.75; for i in 1; do\n  python3 train.py ../../run-b \"$N\" $OMP_NUM_THREADS; done  # the second"}
    env = {"OMP_NUM_THREADS": "2", "NCCL_ALGO": "it's; a 'ring'"}
    for side, line in lines.items():
        os.makedirs(os.path.join(place.path, "run-" + side))
        place.env["LINE"] = line
        rc, out, err = place.run(f"cd 'code/exp one' && eval \"$LINE\" && tscope facts -q --with-patch --command \"$LINE\" -o ../../run-{side}/facts.json",
                                 **env)
        if rc or err:
            fail("reproduced", f"{side}: exit {rc}, {err!r}")
    place.run("tscope push -q run-a run-b && cp -r run-a first-a && cp -r run-b first-b")
    for how, json_too in (("run-a run-b", True), ("./first-a ./first-b", False)):
        rc, stdout, _ = place.run(f"tscope diff --reproduce {how}" + (" --json" if json_too else ""))
        if json_too:
            sides = json.loads(stdout)["reproduce"]
            for side in "ab":
                if sides[side]["missing"]:
                    fail("reproduced", f"missing: {sides[side]['missing']}")
            commands = {side: sides[side]["commands"] for side in "ab"}
        else:
            text = stdout.decode().split("REPRODUCE\n")[1].split("\n")
            at = next(i for i, line in enumerate(text) if line.split()[:1] == ["b"])
            commands = {side: [line[6:] for line in part if line.startswith("      ")]
                        for side, part in (("a", text[:at]), ("b", text[at:]))}
        for side in "ab":
            place.run(f"rm -rf run-{side} clone; mkdir run-{side}; cp -r later clone")
            with open(os.path.join(place.path, "pasted"), "w") as f:
                f.write("\n".join(commands[side]) + "\n")
            # A directory is named as it was typed, from where it was typed.
            place.run("cp -r first-a first-b clone" if not json_too else "true")
            rc, out, err = place.run("cd clone && bash -e ../pasted")
            if rc:
                fail(f"reproduced: {how}, {side}", "\n".join(commands[side]) + f"\nexit {rc} {err.decode()}")
            for name in ("given", "steps.jsonl"):
                rc, out, err = place.run(f"cmp run-{side}/{name} first-{side}/{name}")
                if rc:
                    fail(f"reproduced: {how}, {side}", "\n".join(commands[side]) + f"\n{err.decode()}{out.decode()}")
            rc, out, err = place.run("rm -rf clone/first-*; diff -r -x .git -x __pycache__ code clone && cd clone && test $(git rev-parse HEAD) = $(cd ../code; git rev-parse HEAD)")
            if rc:
                fail(f"reproduced: {how}, {side}", f"other code: {out.decode()}{err.decode()}")
    # Refused: what is about this host with a run, and --raw without one fact of a run.
    for command in ("facts --with-patch run-a", "facts --command x run-a", "facts --raw", "facts --raw run-a", "facts --raw --json run-a a",
                    "facts --raw run-a no.such", "facts --command ''"):
        rc, stdout, stderr = place.run(f"tscope {command}")
        if rc != 2 or not stderr or (stdout and "--json" not in command):
            fail(f"reproduced: tscope {command}", f"exit {rc}, stdout {stdout!r}, stderr {stderr!r}")
    place.close()


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    update = "--update" in sys.argv[1:]
    checks = {f.__name__: f for f in (generated, definitions, completion, wrong_arguments, narrow, list_screens, help_screens, schemas, pages, same_everywhere,
                                           resume, damaged, denied, reproduced)}
    for name, check in checks.items():
        if not arguments or name in arguments:
            check(update)
    for name in sorted(os.listdir(os.path.join(HERE, "cases"))):
        if name.endswith(".t") and (not arguments or name[:-2] in arguments):
            case(os.path.join(HERE, "cases", name), update)
    print(f"{len(failures)} failures" if failures else "all as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
