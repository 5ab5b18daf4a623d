#!/usr/bin/env python3
"""Reads every include and fails on an edge that ROOMS forbids or that nobody uses, on a document that says other edges, on a file name
that is there twice, on a header that does not compile alone or whose guard is not its path, on a source that its folder's
CMakeLists.txt does not list once, in order, and on circles of sources: files that call each other in a loop, of which there are
CIRCLES_MOST at most, none of them of two rooms.
Run from the root: python3 tests/layers.py [--headers CC | --write]; --write has README.md of each room and the table of
docs/architecture.md say the edges of ROOMS."""
import os
import re
import subprocess
import sys

# room or sub-room: what it may include. A room's own top level may include its sub-rooms; a sub-room only what its row names
# ("a room" stands for all of it). The longest prefix of a path is its room. The lower ones stand first; documents say them in the
# opposite order. Each edge is written here alone: `--write` says it elsewhere.
ROOMS = {
    "base": set(),
    "record": set(),
    "record/example": {"record"},
    "run": {"base"},
    "analysis": {"run", "base", "analysis"},
    "analysis/stats": {"run", "base"},
    "analysis/answer": {"run", "base", "analysis/stats"},
    "analysis/rank": {"run", "base", "analysis/stats", "analysis/answer"},
    "analysis/ranks": {"run", "base", "analysis/stats", "analysis/answer", "analysis/rank"},
    "analysis/snapshot": {"run", "base", "analysis/answer", "analysis/rules"},
    "analysis/rules": {"run", "base", "analysis/stats", "analysis/answer"},
    "analysis/diverge": {"run", "base", "record", "analysis/stats", "analysis/answer", "analysis/rank"},
    "analysis/gate": {"run", "base", "analysis/stats", "analysis/answer", "analysis/rank", "analysis/ranks"},
    "analysis/retention": {"base", "analysis/answer"},
    "analysis/trace": set(),  # its folders, and what their tests share
    "analysis/trace/device": {"run", "base"},
    "analysis/trace/work": {"base", "analysis/rank", "analysis/trace/device"},
    "analysis/trace/host": {"run", "base", "analysis/trace/device"},
    "analysis/trace/path": {"run", "base", "analysis/trace/device"},
    "analysis/trace/ranks": {"run", "base", "analysis/stats", "analysis/answer", "analysis/ranks", "analysis/trace/device"},
    "analysis/trace/diff": {"run", "base", "analysis/stats", "analysis/trace/device", "analysis/trace/ranks"},
    "analysis/trace/advice": {"base", "analysis/answer", "analysis/rules", "analysis/trace/device", "analysis/trace/work",
                              "analysis/trace/host", "analysis/trace/path", "analysis/trace/ranks", "analysis/trace/diff"},
    "analysis/traceml": {"run", "base", "analysis/answer", "analysis/gate"},
    "analysis/worlds": {"analysis/stats", "analysis/answer", "base"},
    "analysis/settings": {"analysis/stats", "base"},
    "analysis/machine": {"run", "analysis/stats", "analysis/answer"},
    "analysis/determinism": {"run", "base", "analysis/answer", "analysis/diverge", "analysis/stats"},
    "experiment": {"base"},
    "ingest": {"base", "ingest"},
    "ingest/formats": {"base"},
    "ingest/core": {"run", "base"},
    "ingest/facts": {"run", "base", "ingest/core"},
    "ingest/rows": {"run", "base", "ingest/core", "ingest/facts", "ingest/kept"},
    "ingest/recording": {"run", "base", "record", "ingest/core", "ingest/rows"},
    "ingest/snapshot": {"run", "base", "ingest/core"},
    "ingest/flight": {"base", "ingest/core", "ingest/snapshot"},
    "ingest/kept": {"run", "base", "record", "ingest/core", "ingest/snapshot", "ingest/trace"},
    "ingest/rundir": {"run", "base", "ingest/kept", "ingest/core", "ingest/facts", "record", "ingest/rows", "ingest/recording", "ingest/text"},
    "ingest/logs": {"base", "ingest/core", "ingest/formats", "ingest/facts", "ingest/rows"},
    "ingest/text": {"run", "base", "ingest/core", "ingest/formats", "ingest/facts", "ingest/logs", "ingest/rows"},
    "ingest/trackers": {"base", "ingest/core", "ingest/formats", "ingest/logs", "ingest/wandb"},
    "ingest/wandb": {"base", "ingest/core", "ingest/facts", "ingest/rows"},
    "ingest/mlflow": {"base", "ingest/core", "ingest/kept", "ingest/formats", "ingest/rows", "run"},
    "ingest/tensorboard": {"run", "base", "record", "ingest/core", "ingest/facts", "ingest/rows"},
    "ingest/traceml": {"base", "ingest/core", "ingest/facts", "ingest/rows"},
    "ingest/trace": {"run", "base", "ingest/core"},
    "ingest/nsys": {"base", "ingest/formats", "ingest/trace"},
    "ingest/export": {"run", "base", "ingest/core", "ingest/formats", "ingest/facts", "ingest/rows", "ingest/logs", "ingest/rundir"},
    "ingest/host": {"run", "base", "ingest/facts"},
    "launch": {"record", "base"},
    "launch/program": {"launch"},
    "web": {"base", "web"},
    "web/mlflow": {"base"},
    "store": {"base"},
    "store/bucket": {"base"},
    "store/cluster": {"store", "store/bucket", "base"},
    "proto": {"base", "analysis", "store"},
    "proto/shape": {"run", "base", "analysis", "proto"},
    "service/audit": {"base"},
    "service/auth": {"store", "base"},
    "service/handlers": {"store", "base", "service/handlers"},
    "service/handlers/core": {"service/audit", "service/auth", "store", "proto", "analysis", "run", "base"},
    "service/handlers/runs": {"store", "proto", "run", "base", "service/handlers/core"},
    "service/handlers/store": {"store", "proto", "analysis", "run", "base", "service/handlers/core"},
    "service/handlers/analyze": {"proto", "analysis", "run", "base", "service/handlers/core"},
    "service/handlers/diff": {"proto", "analysis", "run", "base", "service/handlers/core", "service/handlers/analyze"},
    "service/handlers/gate": {"proto", "analysis", "run", "base", "service/handlers/core", "service/handlers/analyze",
                              "service/handlers/diff"},
    "service/rpc": {"service/auth", "service/handlers", "service/rpc/guard", "proto", "base"},
    "service/rpc/guard": {"service/auth", "base"},
    "service": {"service/audit", "service/auth", "service/handlers", "service/rpc", "store", "proto", "base"},
    "cli": {"base", "cli"},
    "cli/core": {"base", "run", "analysis", "ingest", "store", "proto", "service/handlers", "service/rpc"},
    "cli/view": {"base", "run", "analysis", "store", "proto", "cli/core"},
    "cli/text": {"base", "run", "analysis", "ingest", "proto", "cli/core", "cli/view"},
    "cli/json": {"base", "run", "analysis", "proto", "cli/core", "cli/view", "cli/text"},
    "cli/report": {"base", "run", "analysis", "cli/core", "cli/view", "cli/text"},
    "cli/gate": {"base", "run", "analysis", "proto", "service/handlers", "cli/core", "cli/view", "cli/text"},
    "cli/traceml": {"run", "analysis", "cli/core", "cli/view", "cli/text", "cli/json"},
    "cli/snapshot": {"base", "run", "analysis", "ingest", "proto", "cli/core", "cli/view", "cli/text", "cli/json", "cli/report"},
    "cli/trace": {"base", "run", "analysis", "ingest", "proto", "cli/core", "cli/view", "cli/text", "cli/json", "cli/report"},
    "cli/serve": {"base", "cli/core"},
    "cli/watch": {"base", "record", "run", "analysis", "ingest", "launch", "cli/core", "cli/view", "cli/report"},
    "cli/why": {"base", "run", "analysis", "ingest", "experiment", "launch", "cli/core", "cli/view", "cli/text"},
    "cli/verbs": {"base", "run", "analysis", "experiment", "ingest", "launch", "web", "proto", "service/audit", "service/auth", "service/handlers", "service/rpc", "cli"},
}
# Whole headers and foreign libraries: (pattern of the include, rooms where it may stand).
FOREIGN = [
    (r"protobuf-c/|.*\.pb-c\.h$", {"proto"}),
    (r"grpc/", {"service/rpc"}),
    (r"lmdb\.h", {"store"}),
    (r"openssl/", {"base", "service/rpc/guard"}),
    (r"zstd\.h|xxhash\.h", {"store", "ingest"}),
    (r"zlib\.h", {"ingest"}),
    (r"sqlite3\.h|yaml\.h", {"ingest"}),
]
# store/ may not know gRPC or runs, and outside of it only engine.h and sealed.h are its face.
STORE_FACE = {"store/engine.h", "store/sealed.h", "store/cluster/cluster.h"}
# proto's face is wire.h and health.h, by the same reason.
PURE = {"base", "run", "analysis", "experiment"}  # no sockets, and (run, analysis, experiment) no files, clocks or environment
IMPURE_HEADERS = {"base/below.h", "base/clock.h", "base/denied.h", "base/file.h", "base/listed.h", "base/log.h", "base/user.h"}
# What lies below a path that somebody named is opened by base/below.h alone, which follows no link there. Export makes files.
OPENS = re.compile(r"\b(ts_file_open|ts_file_read|ts_list_dir|open|openat|fopen|opendir|fdopendir|readlink)\s*\(")
MAY_OPEN = ("ingest/export/export.c", "ingest/host/")
BANNED = re.compile(r"\b(sscanf|strtok|strtod|atoi|atof|setlocale|gets|sprintf|strcpy|strcat|getenv)\s*\(")
LONG_LONG = re.compile(r'\blong long\b|"[^"]*%[-0-9 #+*.]*ll[dioux]')  # int64_t and uint64_t, printed by PRId64 and PRIu64
FOREIGN_BUILD = "python/"  # setup.py lists its sources, and CPython's interface has long long
# A function or an object that other files see.
DEFINED = re.compile(r"^(?!static\b|typedef\b|extern\b)[a-z][\w *]*?\b((?:ts|tscope)_\w+)(?:\([^;{}]*\)\s*\{|(?:\[[^\]]*\])*\s*=)",
                     re.M)
CIRCLES_MOST = 8  # no new one; to be lowered with each that goes
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
GETENV_OK = re.compile(r"^(cli|service|ingest/(host|rows/spill)|base/(log|user)|store/bucket/s3_keyring|record/recorder|tests)")


def room_of(path):
    return max((r for r in ROOMS if path.startswith(r + "/")), key=len, default=None)


def is_test(path):
    name = os.path.basename(path)
    return name.startswith(("test_", "testing.", "fuzz_", "bench_", "make_")) or path.startswith("tests/")


def top_room(room):
    """Returns the room that a sub-room belongs to: rules for whole rooms (PURE, FOREIGN) also hold for its sub-rooms."""
    return room.split("/")[0] if room.split("/")[0] in ROOMS and room.split("/")[0] != "service" else room


def may_include(room, other):
    return any(other == allowed or other.startswith(allowed + "/") for allowed in ROOMS[room])


HOUSE = "docs/architecture.md"
HOUSE_ROW = re.compile(r"^(\| (\S+)/ \| [^|]* \| )[^|]*( \| [^|]*\|)$", re.M)  # | room/ | what lives there | may include | libraries |


def edges_in_words(room, whole):
    """Returns what a document says of a room: its edges, and those of the sub-rooms that are not themselves among the `whole` rooms."""
    whole = {*whole, room}
    mine = [r for r in ROOMS if max((w for w in whole if f"{r}/".startswith(f"{w}/")), key=len, default=None) == room]
    others = set().union(*(ROOMS[r] for r in mine))
    words = ["its sub-folders"] if room in ROOMS[room] else []
    return ", ".join(words + [r for r in reversed(ROOMS) if r in others - {*mine}]) or "nothing of tscope"


def with_edges(path, text, whole):
    """Returns a document with the edges of ROOMS in it."""
    if path == HOUSE:
        return HOUSE_ROW.sub(lambda m: m[1] + edges_in_words(m[2], whole) + m[3], text)
    words = edges_in_words(os.path.dirname(path), whole)
    return re.sub(r"^(May include: )[^.]*(?=\.\s)", lambda m: m[1] + words, text, count=1, flags=re.M)


def check_documents(write, errors):
    """README.md of a room says what it may include, and the table of docs/architecture.md says it of a whole room."""
    with open(HOUSE, encoding="utf-8") as f:
        whole = [m[2] for m in HOUSE_ROW.finditer(f.read())]
    for path in filter(os.path.exists, [*(f"{room}/README.md" for room in ROOMS), HOUSE]):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        wanted = with_edges(path, text, whole)
        if wanted != text and write:
            with open(path, "w", encoding="utf-8") as f:
                f.write(wanted)
        elif wanted != text:
            errors.append(f"{path}: says other edges than ROOMS; python3 tests/layers.py --write writes them")


def check_unused(files, errors):
    """An edge that no file uses is a door that nobody asked for."""
    used = set()
    for path in (f for f in files if room_of(f) and not is_test(f)):
        with open(path, encoding="utf-8") as f:
            used |= {(room_of(path), room_of(target)) for target in INCLUDE.findall(strip(f.read()))}
    for room, others in ROOMS.items():
        for other in sorted(others):
            if not any(r == room and o != room and f"{o}/".startswith(other + "/") for r, o in used):
                errors.append(f"tests/layers.py: nothing of {room} includes {other}")


def strip(text):
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    return text


def check_file(path, errors):
    room = room_of(path)
    if room is None or is_test(path):
        return
    raw = open(path, encoding="utf-8").read()
    for number, line in enumerate(strip(raw).split("\n"), 1):
        where = f"{path}:{number}"
        m = INCLUDE.match(line)
        if m:
            check_include(where, room, m.group(1), errors)
            continue
        b = BANNED.search(re.sub(r'"(\\.|[^"\\])*"', '""', line))
        if b and not (b.group(1) == "getenv" and GETENV_OK.match(path)):
            errors.append(f"{where}: {b.group(1)} is banned here")
        o = path.startswith("ingest/") and not is_test(path) and not path.startswith(MAY_OPEN) and OPENS.search(line)
        if o:
            errors.append(f"{where}: {o.group(1)} follows links; base/below.h opens what a reader reads")


def check_include(where, room, target, errors):
    for pattern, rooms in FOREIGN:
        if re.match(pattern, target):
            if top_room(room) not in rooms:
                errors.append(f"{where}: {room} may not include {target}")
            return
    other = room_of(target)
    if other is None or other == room:
        return
    if not may_include(room, other):
        errors.append(f"{where}: {room} may not use {other} ({target})")
    elif other == "store" and top_room(room) != "store" and target not in STORE_FACE:
        errors.append(f"{where}: {target} is store's own; its face is {', '.join(sorted(STORE_FACE))}")
    elif top_room(room) in ("run", "analysis", "experiment") and target in IMPURE_HEADERS:
        errors.append(f"{where}: {room} is pure: no {target}")


def calls(files):
    """Returns for each source the other ones that define a function or an object which it names."""
    code = {f: re.sub(r'"(\\.|[^"\\\n])*"', '""', strip(open(f, encoding="utf-8").read())) for f in files}
    definers = {}
    for path, text in code.items():
        for name in DEFINED.findall(text):
            definers.setdefault(name, set()).add(path)
    names = {f: set(re.findall(r"\w+", re.sub(r"\b(struct|enum|union) \w+", "", text))) & set(definers) for f, text in code.items()}
    return {f: set().union(*(definers[n] for n in names[f] if f not in definers[n])) for f in files}


def circles(edges):
    """Returns the sets of two and more nodes of which each leads to each other one (Tarjan, 1972)."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in sorted(edges[node]):
            if other not in number:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == number[node]:
            found.append(sorted(stack[stack.index(node):]))
            del stack[stack.index(node):]

    for node in sorted(edges):
        if node not in number:
            visit(node)
    return sorted(c for c in found if len(c) > 1)


def check_circles(files, errors):
    found = circles(calls([f for f in files if f.endswith(".c") and room_of(f) and not is_test(f)]))
    errors += [f"files of several rooms call each other in a circle: {' '.join(c)}" for c in found if len({room_of(f) for f in c}) > 1]
    if len(found) > CIRCLES_MOST:
        errors += [f"a circle of files, of which {CIRCLES_MOST} are allowed: {' '.join(c)}" for c in found]


def check_list(folder, names, errors):
    """Every source of a folder stands in its CMakeLists.txt once; of several in a row each has its line, and they are sorted."""
    path = os.path.join(folder, "CMakeLists.txt")
    lines = open(path, encoding="utf-8").read().split("\n") if os.path.exists(path) else []
    before, listed = (0, ""), []
    for number, line in enumerate(lines, 1):
        words = [] if line.startswith(("ts_test(", "ts_fuzz(")) else re.findall(r"(?<![\w/])\w+\.c\b", line)
        here = [n for n in words if n in names]
        if len(here) > 1 and "$<IF" not in line or here and before[0] == number - 1 and before[1] > here[0]:
            errors.append(f"{path}:{number}: sources stand one a line, sorted")
        before = (number, here[0]) if here else before
        listed += here
    errors += [f"{path}: lists {name} {listed.count(name)} times" for name in names if listed.count(name) != 1]


def check_guard(path, errors):
    """The guard of a header is its path: a header that moves takes no name along that another one may get."""
    guard = "TSCOPE_" + re.sub(r"\W", "_", path).upper()
    if f"#ifndef {guard}\n#define {guard}\n" not in open(path, encoding="utf-8").read():
        errors.append(f"{path}: its guard is not {guard}")


def included_first(files):
    """Returns the headers that stand alone, since a source that the build compiles has nothing before them."""
    first = set()
    for path in files:
        if path.endswith(".c") and room_of(path) and not path.endswith("_posix.c"):
            directive = re.search(r"^[ \t]*#.*", strip(open(path, encoding="utf-8").read()), re.M)
            name = directive and re.match(r'\s*#\s*include "(.*)"', directive[0])
            first |= {name[1]} if name else set()
    return first


def main():
    files = [f for f in subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True,
                                       check=True).stdout.split("\n") if f.endswith((".c", ".h"))]
    files = [f for f in files if os.path.exists(f)]
    errors, names = [], {}
    for path in files:
        check_file(path, errors)
        names.setdefault(os.path.basename(path), []).append(path)
        if path.endswith(".h"):
            check_guard(path, errors)
    check_unused(files, errors)
    check_circles(files, errors)
    check_documents(sys.argv[1:] == ["--write"], errors)
    for name, paths in names.items():
        if len(paths) > 1:
            errors.append(f"{name} is there {len(paths)} times: {', '.join(paths)}")
    sources = [f for f in files if f.endswith(".c") and not is_test(f) and not f.startswith(FOREIGN_BUILD)]
    for folder in sorted({os.path.dirname(f) for f in sources}):
        check_list(folder, [os.path.basename(f) for f in sources if os.path.dirname(f) == folder], errors)
    for path in files:
        for number, line in enumerate(open(path, encoding="utf-8").read().split("\n"), 1):
            if LONG_LONG.search(line) and not path.startswith(FOREIGN_BUILD):
                errors.append(f"{path}:{number}: int64_t or uint64_t, and PRId64 or PRIu64, not long long")
    headers = [f for f in files if f.endswith(".h") and room_of(f) and not is_test(f)]
    if len(sys.argv) > 2 and sys.argv[1] == "--headers":
        for header in sorted(set(headers) - included_first(files)):
            r = subprocess.run([sys.argv[2], "-std=c17", "-D_GNU_SOURCE", "-I.", f"-I{os.environ.get('TS_BUILD', 'build/dev')}/proto/gen", "-Wall", "-Wextra", "-fsyntax-only", "-x", "c", "-"],
                               input=f'#include "{header}"\n#include "{header}"\nint alone(void);\n', capture_output=True, text=True)
            if r.returncode:
                errors.append(f"{header} does not stand alone: " + r.stderr.split("\n", 2)[1])
    for e in errors:
        print(e)
    print(f"{len(files)} files, {len(headers)} headers, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
