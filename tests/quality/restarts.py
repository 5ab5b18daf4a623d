#!/usr/bin/env python3
"""Restarts as each kind of log writes them, and clean logs that look like one: restarts.py BUILD [EACH [SEED]].

A training that was killed and restarted is written as steps.jsonl, as W&B's log (the steps given to run.log, and as a series that is the axis), as TensorBoard's
event files (with purge_step, without it, and into one file), as CSV, JSON Lines and what Megatron-LM prints. All have to give the rows that the rule says, and the
same answer of check-resume. Then EACH (20) logs of each kind below are written in which nothing was restarted: evaluations that come late, ranks in turn, second
writers, rows out of order, the newest row first, steps of each epoch, series on axes of their own. The test prints and fails on those in which a row is superseded,
or a value is lost that the log has once. At last steps are dropped from series of every step, of which analyze has to say the range. What is expected comes from the plan of the executions, and nothing of it from the program that is tested."""
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import clean_logs as logs  # noqa: E402

T0 = 1795877000.0


class Row(dict):
    """One execution of a step: step, loss, lr, and when it ended."""


def executions(plan, r, every=1, drift=0.0):
    """The rows of each execution: plan has (first step, last step). Losses are 64ths, which every format writes exactly; those of a later execution differ by `drift`."""
    now, out = T0, []
    for k, (first, last) in enumerate(plan):
        rows = []
        for step in range(first, last + 1, every):
            now += 2.5
            loss = round(64 * (2 + 6 / (1 + step / 40) + k * drift)) / 64 + (r.randrange(3) / 64 if r else 0)
            rows.append(Row(step=step, loss=loss, lr=0.001, now=now))
        out.append(rows)
        now += 600
    return out


def expected(parts):
    """What counts of each step, and what was superseded: by the first step of each later execution."""
    rows, lost = {}, []
    for k, part in enumerate(parts):
        for q in part:
            if any(later[0]["step"] <= q["step"] for later in parts[k + 1:]):
                lost.append((q["step"], k, q["loss"]))
            else:
                rows[q["step"]] = (k, q["loss"])
    return rows, sorted(lost)


# --- the ways to write them ---

def steps_jsonl(d, parts):
    lines = [{"step": q["step"], "timestamp": q["now"], "scalars": {"loss": q["loss"], "lr": q["lr"]}} for part in parts for q in part]
    logs.write(d + "/steps.jsonl", "".join(json.dumps(x) + "\n" for x in lines))
    return d


def table(d, parts):
    return logs.write(d + "/metrics.csv", "step,timestamp,loss,lr\n" + "".join(f"{q['step']},{q['now']},{q['loss']},{q['lr']}\n" for p in parts for q in p))


def json_lines(d, parts):
    return logs.write(d + "/metrics.jsonl",
                      "".join(json.dumps({"step": q["step"], "timestamp": q["now"], "loss": q["loss"], "lr": q["lr"]}) + "\n" for p in parts for q in p))


def megatron(d, parts):
    lines = [f" iteration {q['step']:8d}/{1000:8d} | consumed samples: {q['step'] * 8:12d} | elapsed time per iteration (ms): 2500.0 | "
             f"learning rate: {q['lr']:.6E} | global batch size: {8:5d} | lm loss: {q['loss']:.6E} | loss scale: 1.0 | grad norm: 1.250 | "
             f"number of skipped iterations: {0:3d} | number of nan iterations: {0:3d} |\n" for p in parts for q in p]
    return logs.write(d + "/train.log", "".join(lines))


def history(q, more=()):
    items = [("train/loss", q["loss"]), ("lr", q["lr"]), ("_timestamp", q["now"]), *more]
    return b"".join(logs.field(1, logs.field(2, key) + logs.field(16, json.dumps(v))) for key, v in items)


def wandb_log(path, rows, before=(), number=lambda i, q: i, more=lambda q: ()):
    run = logs.field(1, "abc") + logs.field(2, "e") + logs.field(3, "p")
    records = [logs.field(1, 1) + logs.field(17, run), *before]
    records += [logs.field(1, i + 2) + logs.field(2, history(q, more(q)) + logs.field(2, logs.field(1, number(i, q)))) for i, q in enumerate(rows)]
    return logs.write(path, logs.blocks(b":W&B\xe1\xbe\x00", records))


def wandb_steps(d, parts):
    for k, part in enumerate(parts):
        wandb_log(f"{d}/wandb/offline-run-20261121_00000{k + 1}-abc/run-abc.wandb", part, number=lambda i, q: q["step"])
    return d + "/wandb"


def wandb_axis(d, parts):
    metric = logs.field(1, 9) + logs.field(12, logs.field(2, "*") + logs.field(4, "train/global_step"))
    return wandb_log(d + "/run-abc.wandb", [q for p in parts for q in p], before=[metric], more=lambda q: [("train/global_step", q["step"])])


def event(fields):
    import struct
    mask = lambda data: struct.pack("<I", ((c := logs.recording.crc32c(data)) >> 15 | c << 17 & 0xFFFFFFFF) + 0xA282EAD8 & 0xFFFFFFFF)  # noqa: E731
    head = struct.pack("<Q", len(fields))
    return head + mask(head) + fields + mask(fields)


def scalar(now, step, name, value):
    import struct
    body = logs.field(1, name) + logs.varint(2 << 3 | 5) + struct.pack("<f", value)
    return event(logs.field(1, float(now)) + logs.field(2, step) + logs.field(5, logs.field(1, body)))


def events(rows, purge=None, names=(("Loss/train", "loss"), ("lr", "lr"))):
    out = [event(logs.field(1, T0) + logs.field(3, "brain.Event:2"))]
    if purge is not None:
        out.append(event(logs.field(1, rows[0]["now"]) + logs.field(2, purge) + logs.field(7, logs.field(1, 1))))
    out += [scalar(q["now"], q["step"], name, q[key]) for q in rows for name, key in names]
    return b"".join(out)


def event_file(d, k, data):
    return logs.write(f"{d}/events.out.tfevents.{int(T0) + k}.host.{k}.0", data)


def board_purged(d, parts):
    for k, part in enumerate(parts):
        event_file(d, k, events(part, purge=part[0]["step"] if k else None))
    return d


def board_files(d, parts):
    for k, part in enumerate(parts):
        event_file(d, k, events(part))
    return d


def board_one(d, parts):
    event_file(d, 0, events([q for p in parts for q in p]))
    return d


WAYS = [steps_jsonl, wandb_steps, wandb_axis, board_purged, board_files, board_one, table, json_lines, megatron]
PLANS = {
    "one restart": [(0, 150), (100, 250)],
    "it has just begun": [(0, 150), (100, 110)],
    "three in a row": [(1, 90), (60, 95), (60, 80), (60, 200)],
    "from the beginning": [(0, 99), (0, 99)],
    "at an earlier one": [(1, 80), (60, 120), (40, 160)],
}


# --- clean logs that look like one ---

def late_rows(q):
    """The row, and behind every 20th one an evaluation of an earlier step."""
    return [dict(step=q["step"], values={"loss": q["loss"], "lr": q["lr"]}, now=q["now"])] + (
        [dict(step=q["step"] - 15, values={"eval_loss": q["loss"] + 0.5}, now=q["now"] + 1)] if q["step"] % 20 == 0 and q["step"] else [])


def flat(rows, way, d):
    """Rows of any values, as one of the ways writes them."""
    if way == "steps.jsonl":
        logs.write(d + "/steps.jsonl", "".join(json.dumps({"step": q["step"], "timestamp": q["now"], **({"epoch": q["epoch"]} if "epoch" in q else {}),
                                                           "scalars": q["values"]}) + "\n" for q in rows))
        return d
    if way == "JSON Lines":
        return logs.write(d + "/metrics.jsonl", "".join(json.dumps({"step": q["step"], "timestamp": q["now"], **({"epoch": q["epoch"]} if "epoch" in q else {}),
                                                                    **q["values"]}) + "\n" for q in rows))
    if way == "TensorBoard":
        event_file(d, 0, b"".join([event(logs.field(1, T0) + logs.field(3, "brain.Event:2"))] + [
            scalar(q["now"], q["step"], name, v) for q in rows for name, v in [*q["values"].items(), *([("epoch", q["epoch"])] if "epoch" in q else [])]]))
        return d
    metric = logs.field(1, 9) + logs.field(12, logs.field(2, "*") + logs.field(4, "global_step"))
    records = [logs.field(1, 1) + logs.field(17, logs.field(1, "abc")), metric]
    for i, q in enumerate(rows):
        items = [*q["values"].items(), ("_timestamp", q["now"]), ("global_step", q["step"]), *([("epoch", q["epoch"])] if "epoch" in q else [])]
        records.append(logs.field(1, i + 2) + logs.field(2, b"".join(logs.field(1, logs.field(2, k) + logs.field(16, json.dumps(v))) for k, v in items)))
    return logs.write(d + "/run-abc.wandb", logs.blocks(b":W&B\xe1\xbe\x00", records))


def plain(q, **more):
    return dict(step=q["step"], now=q["now"], values={"loss": q["loss"], "lr": q["lr"], **more})


def late(rows, r):
    return [x for q in rows for x in late_rows(q)]


def after_all(rows, r):
    return [plain(q) for q in rows] + [dict(step=q["step"], now=rows[-1]["now"] + q["step"], values={"accuracy": 0.5}) for q in rows]


def out_of_order(rows, r):
    out = [plain(q) for q in rows]
    for i in range(5, len(out) - 5, r.randrange(7, 20)):
        out[i], out[i + 1] = out[i + 1], out[i]
    return out


def newest_first(rows, r):
    return [plain(q) for q in reversed(rows)]


def each_epoch(rows, r):
    size = r.randrange(10, 40)
    return [dict(plain(q), step=i % size, epoch=i // size) for i, q in enumerate(rows)]


def own_axis(rows, r):
    out = []
    for q in rows:
        out.append(plain(q))
        if q["step"] % 25 == 0:
            out.append(dict(step=q["step"] // 25, now=q["now"] + 1, values={"val/accuracy": 0.5}))
    return out


def in_turn(rows, r):
    """Two ranks of which one is a step behind the other; both write everything."""
    out = []
    for i, q in enumerate(rows):
        out.append(plain(q))
        if i:
            out.append(dict(plain(rows[i - 1]), now=q["now"] + 0.5))
    return out


LOOKS = [late, after_all, out_of_order, newest_first, each_epoch, own_axis, in_turn]
FORMS = ["steps.jsonl", "JSON Lines", "TensorBoard", "W&B"]


def beside(d, rows, r):
    """TensorBoard's files of two ranks, which wrote at the same time; the second is a little behind."""
    event_file(d, 0, events(rows))
    event_file(d, 1, events([Row(q, now=q["now"] + r.uniform(0.1, 9)) for q in rows]))
    return d


def header_again(d, rows, r):
    """Lightning writes hp_metric at step 0 into each file of a run; the second goes on behind the first."""
    at = r.randrange(10, len(rows) - 10)
    for k, part in enumerate((rows[:at], rows[at:])):
        event_file(d, k, events(part[:1], names=())[:0] + event(logs.field(1, T0) + logs.field(3, "brain.Event:2")) +
                   scalar(part[0]["now"] - 1, 0, "hp_metric", -1.0) + events(part)[len(event(logs.field(1, T0) + logs.field(3, "brain.Event:2"))):])
    return d


# --- asking the program ---

def push(program, path, folder):
    store = ["--store", folder + "/store"]
    got = subprocess.run([program, *store, "push", "--json", "-n", "a", "-p", "default", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if got.returncode:
        raise AssertionError(got.stderr)
    push = json.loads(got.stdout)["pushes"][0]
    return dict(push, step_count=push["run"]["step_count"])


def exported(program, folder, name):
    """(step, segment, loss) of all rows, from the run directory that export writes: a line {"restart": true} stands between executions."""
    out, segment = [], 0
    got = subprocess.run([program, "--store", folder + "/store", "export", name, folder + "/out"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if got.returncode:
        raise AssertionError(got.stderr)
    for line in open(folder + "/out/steps.jsonl"):
        q = json.loads(line)
        segment += "restart" in q
        if "step" in q:
            out.append((q["step"], segment, q.get("scalars", {}).get("loss"), q.get("timestamp")))
    return out


def answer(program, folder, name):
    got = subprocess.run([program, "--store", folder + "/store", "check-resume", "--json", name], stdout=subprocess.PIPE, text=True)
    a = json.loads(got.stdout)
    return got.returncode, a["verdict"], a["diagnosis"]["cause"], a["diagnosis"]["step"]


def check_restart(program, top, name, plan, drift, wrong):
    """Returns how many ways give the rows and the answer of the first one."""
    parts, answers = executions(plan, None, drift=drift), {}
    rows, lost = expected(parts)
    times = {(q["step"], k): q["now"] for k, part in enumerate(parts) for q in part}
    for way in WAYS:
        folder = tempfile.mkdtemp(dir=top)
        run = push(program, way(folder + "/log", parts), folder)
        got = exported(program, folder, run["name"])
        want = sorted([(s, k, loss) for s, (k, loss) in rows.items()] + lost)
        if sorted((s, k, loss) for s, k, loss, _ in got) != want:
            wrong.append(f"{name}, {way.__name__}: other rows: {sorted(set((s, k, x) for s, k, x, _ in got) ^ set(want))[:4]}")
        elif run["superseded_row_count"] != len(lost) or run["segment_count"] != len(parts):
            wrong.append(f"{name}, {way.__name__}: {run['superseded_row_count']} superseded in {run['segment_count']} executions")
        elif way is not megatron and any(abs(t - times[s, k]) > 1e-3 for s, k, _, t in got):
            wrong.append(f"{name}, {way.__name__}: the time of a row is of another execution")
        else:
            answers[way.__name__] = answer(program, folder, run["name"])
    if len(set(answers.values())) > 1:
        wrong.append(f"{name}: answers differ: {answers}")
    return len(answers), next(iter(answers.values()), None)


def gaps(program, path):
    """The sentences of analyze about steps that a series lacks."""
    got = subprocess.run([program, "--store", path + ".none", "analyze", "--json", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return [note for note in json.loads(got.stdout)["notes"] if " has no value from step " in note]


def check_gap(program, top, r, form, wrong):
    """Whether the steps that a logger dropped are said, in a series of every step or of every tenth; their rows are there in half of the logs."""
    every, folder = r.choice([1, 10]), tempfile.mkdtemp(dir=top)
    rows = executions([(0, 200 * every)], r, every=every)[0]
    at, n = r.randrange(20, 150), r.randrange(1, 18)
    kept = [dict(plain(q), values={"eval_loss": 1.0} if at <= i < at + n else plain(q)["values"]) for i, q in enumerate(rows)]
    kept = kept if r.random() < 0.5 else [q for q in kept if "loss" in q["values"]]
    said = gaps(program, flat(kept, form, folder + "/log"))
    want = f"loss has no value from step {at * every} to {(at + n - 1) * every} ({n} missing)"
    if len(said) != 1 or not said[0].startswith(want):
        wrong.append(f"{form}: {said} where {want} belongs")
        return False
    return True


def check_clean(program, top, what, make, want, wrong):
    """Whether nothing is superseded, and as many steps are there as the log has."""
    folder = tempfile.mkdtemp(dir=top)
    try:
        run = push(program, make(folder + "/log"), folder)
    except AssertionError as e:
        wrong.append(f"{what}: {e}")
        return False
    if run["superseded_row_count"] or run["segment_count"] != 1 or run["step_count"] != want:
        wrong.append(f"{what}: {run['superseded_row_count']} superseded, {run['segment_count']} executions, {run['step_count']} steps of {want}")
        return False
    return True


def main():
    build, each, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5, int(sys.argv[3]) if len(sys.argv) > 3 else 0
    program, wrong, false, n, made = os.path.join(build, "tscope"), [], 0, 0, 0
    gapped = dropped = found = 0
    with tempfile.TemporaryDirectory() as top:
        for name, plan in PLANS.items():
            for drift in (0.0, 0.5):
                good, said = check_restart(program, top, name, plan, drift, wrong)
                made += len(WAYS)
                print(f"{name + (', other values' if drift else ''):34}  {good} of {len(WAYS)} ways give the rows; check-resume: {said[1] if said else '-'}")
        cases = [(f"{look.__name__.replace('_', ' ')}, {form}", lambda d, rows, r, look=look, form=form: flat(look(rows, r), form, d), look)
                 for look in LOOKS for form in FORMS]
        cases += [("two ranks beside each other, TensorBoard", beside, None), ("hp_metric again, TensorBoard", header_again, None)]
        for what, make, look in cases:
            for k in range(each):
                r = random.Random(f"{seed} {what} {k}")
                rows = executions([(0, r.choice([60, 120, 250]))], r)[0]
                steps = {q["step"] for q in look(rows, random.Random(0))} if look not in (None, each_epoch) else {q["step"] for q in rows}
                n += 1
                false += not check_clean(program, top, what, lambda d: make(d, rows, r), len(steps), wrong)
        for make in logs.FORMATS:
            for k in range(each):
                n += 1
                t = logs.Training(random.Random(f"{seed} {make.__name__} {k}"))
                folder = tempfile.mkdtemp(dir=top)
                os.makedirs(folder + "/log")
                path = make(folder + "/log", t)
                run, said = push(program, path, folder), gaps(program, path)
                gapped += bool(said)
                if said or run["superseded_row_count"] or run["segment_count"] > 1:
                    false += not said
                    wrong.append(f"clean {make.__name__}: {run['superseded_row_count']} superseded, {said}")
        for form in FORMS:
            for k in range(each):
                dropped += 1
                found += check_gap(program, top, random.Random(f"{seed} gap {form} {k}"), form, wrong)
    print(f"restarts: {made} logs; clean logs: {false} of {n} have a restart that was none (95 %: at most {100 * logs.bound(false, n):.2f} %)")
    clean = each * len(logs.FORMATS)
    print(f"dropped steps: said in {found} of {dropped} logs; clean logs: {gapped} of {clean} have a gap that is none (95 %: at most "
          f"{100 * logs.bound(gapped, clean):.2f} %)")
    print("\n".join(wrong[:40]))
    sys.exit(bool(wrong) or n < 100)


if __name__ == "__main__":
    main()
