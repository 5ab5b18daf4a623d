#!/usr/bin/env python3
"""Writes small snapshots of every form that ingest/snapshot reads, and beside each, as NAME.txt, the rows that it has: python3 make.py.

    python3 make.py --check PROGRAM FILE...               pickle.load's rows of each FILE against what PROGRAM --dump FILE prints
    python3 make.py --check-replay PROGRAM JSON FILE...   the figures of JSON for each FILE against what PROGRAM --print FILE prints
    python3 make.py --check-moments TSCOPE FILE...        what tscope show --at EVENT says of events of each FILE, against a replay backwards

The rows come from pickle.load and this file alone. The shapes follow torch/csrc/cuda/memory_snapshot.cpp of torch 2.7 and, for the list,
c10 of torch 1.13; the numbers are made up, but every event fits the blocks."""
import glob
import gzip
import json
import os
import pickle
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ACTIONS = ["alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "segment_map", "segment_unmap", "snapshot", "oom"]
STATES = {"inactive": "inactive", "active_allocated": "active", "active_pending_free": "pending", "active_awaiting_free": "pending"}


# --- the rows of a snapshot, as text ---

def stack_of(frames, memo={}):
    if not frames:
        return "-"
    key = tuple(id(f) for f in frames)
    if key not in memo:
        h = 0xcbf29ce484222325
        for f in frames:
            f = f if isinstance(f, tuple) else (f["filename"], f["line"], f["name"])
            for byte in f"{f[0]}\t{f[1]}\t{f[2]}\n".encode():
                h = (h ^ byte) * 0x100000001b3 & 0xffffffffffffffff
        memo[key] = (f"{len(frames)}:{h:016x}", frames)  # kept, so that no other frames get their ids
    return memo[key][0]


def note(e, key):
    return e[key] if isinstance(e.get(key), str) else "-"


def setting(value):
    return "true" if value is True else "false" if value is False else "none" if value is None else str(value)


def rows(snapshot):
    if isinstance(snapshot, list):
        snapshot = {"segments": snapshot}
    for s in snapshot["segments"]:
        pool = s.get("segment_pool_id", (0, 0))
        yield (f"segment {s.get('device', 0)} {s['address']} {s['total_size']} {s['allocated_size']} {s['active_size']} "
               f"{s.get('requested_size', 0)} {s.get('stream', 0)} {pool[0]},{pool[1]} {s['segment_type']} "
               f"{'expandable' if s.get('is_expandable') else 'fixed'} {stack_of(s.get('frames'))} {len(s['blocks'])}")
        at = s["address"]
        for b in s["blocks"]:
            newest = (b.get("history") or [{}])[0]
            requested = b.get("requested_size", newest.get("real_size", b["size"]))
            at = b.get("address", at)
            yield (f"block {at} {b['size']} {requested} {STATES.get(b['state'], 'other')} "
                   f"{stack_of(b.get('frames') or newest.get('frames') if newest.get('real_size', requested) == requested else [])}")
            at += b["size"]
    traces = snapshot.get("device_traces", [])
    devices = max([len(traces)] + [s.get("device", 0) + 1 for s in snapshot["segments"]])
    for device, events in enumerate(traces + [[]] * (devices - len(traces)) if traces else []):
        yield f"device {device} {len(events)}"
        for e in events:
            yield (f"event {ACTIONS.index(e['action']) if e['action'] in ACTIONS else len(ACTIONS)} {e.get('addr', e.get('device_free', 0))} "
                   f"{e.get('size', 0)} {e.get('stream', 0) % 2**64} {e.get('time_us', '-')} [{note(e, 'compile_context')}] "
                   f"[{note(e, 'user_metadata')}] {stack_of(e.get('frames'))}" + (f" {e['pool_id'][0]},{e['pool_id'][1]}" if "pool_id" in e else ""))
    for name, value in snapshot.get("allocator_settings", {}).items():
        for inner, v in value.items() if isinstance(value, dict) else [(None, value)]:
            yield f"setting {name}{'' if inner is None else f'.{inner}'}={setting(v)}"
    for m in snapshot.get("external_annotations", []):
        yield f"mark {m['device'] % 2**16} {m['time_us']} {m['stage']} {m['name']}"


def text(snapshot):
    return "".join(line + "\n" for line in rows(snapshot))


# --- the replay of a snapshot, in the terms of an exact_replay.json ---

def replay(snapshot, device):
    traces = snapshot["device_traces"]
    events = traces[device] if device < len(traces) else []
    segments = [s for s in snapshot["segments"] if s.get("device", 0) == device]
    used = [b for s in segments for b in s["blocks"] if b["state"] != "inactive"]
    live, net, top, top_at, before, n_before, ops = {}, 0, 0, -1, 0, 0, {}
    for i, e in enumerate(events):
        ops[e["action"]] = ops.get(e["action"], 0) + 1
        if e["action"] == "alloc":
            live[e["addr"]] = e["size"]
            net += e["size"]
        elif e["action"] == "free_completed":
            if live.pop(e["addr"], None) is None:
                before, n_before = before + e["size"], n_before + 1
            net -= e["size"]
        if net > top:
            top, top_at = net, i
    shown = {b["address"]: b["requested_size"] for b in used}
    requested = sum(shown.values())
    whole = [s["total_size"] for s in segments if all(b["state"] == "inactive" for b in s["blocks"])]
    return {"reserved": sum(s["total_size"] for s in segments), "allocated": sum(s["allocated_size"] for s in segments),
            "active": sum(s["active_size"] for s in segments), "requested_active": requested, "segments": len(segments),
            "fully_free_segments": len(whole), "fully_free_bytes": sum(whole),
            "inactive_in_used_segments": sum(b["size"] for s in segments for b in s["blocks"] if b["state"] == "inactive") - sum(whole),
            "internal_rounding": sum(b["size"] - b["requested_size"] for b in used), "events": len(events), "ops": ops, "net_traced": net,
            "frees_of_preexisting_bytes": before, "frees_of_preexisting": n_before, "baseline_before_trace_requested": requested - net,
            "peak_total_requested": requested - net + top, "peak_event_idx": top_at, "live_at_end_by_trace": len(live),
            "live_at_end_confirmed_by_blocks": sum(shown.get(a) == n for a, n in live.items()), "addr_reused_without_free": 0, "size_mismatch": 0}


def check_replay(program, expected, files):
    """The figures that PROGRAM --print FILE gives against those of a JSON of NAME#DEVICE."""
    bad = n = 0
    for path in files:
        out = subprocess.run([program, "--print", path], capture_output=True, text=True)
        got = json.loads(out.stdout)
        for key, want in expected.items():
            if key.split("#")[0] != os.path.basename(path):
                continue
            have = got[key.split("#")[1]]
            wrong = [f"{k}: {have.get(k)}, not {v}" for k, v in want.items() if have.get(k) != v]
            n, bad = n + len(want), bad + len(wrong)
            print(f"{len(want) - len(wrong):3} of {len(want)} figures  {key} {'; '.join(wrong)}")
    print(f"{n - bad} of {n} figures agree")
    return bad


# --- a device's memory after an event, in the terms of tscope show --at EVENT --json ---

def moment(snapshot, device, at):
    """By undoing the events behind `at`, from the last: what is in use, by address, and the bytes of segments."""
    segments = [s for s in snapshot["segments"] if s["device"] == device]
    events = snapshot["device_traces"][device]
    live = {b["address"]: b["requested_size"] for s in segments for b in s["blocks"] if b["state"] != "inactive"}
    reserved = sum(s["total_size"] for s in segments)
    for e in reversed(events[at + 1:]):
        if e["action"] == "alloc":
            del live[e["addr"]]
        elif e["action"] == "free_completed":
            live[e["addr"]] = e["size"]
        elif e["action"] in ("segment_alloc", "segment_map"):
            reserved -= e["size"]
        elif e["action"] in ("segment_free", "segment_unmap"):
            reserved += e["size"]
    return {"requested_bytes": sum(live.values()), "in_use_count": len(live), "reserved_bytes": reserved}


def check_moments(program, files):
    """What PROGRAM show --at EVENT --json says of 9 events of each device against moment() above, and its rows against its own sums."""
    bad = n = 0
    for path in files:
        with open(path, "rb") as f:
            snapshot = pickle.load(f)
        for device, events in enumerate(snapshot["device_traces"]):
            for at in sorted({len(events) * k // 8 - (k == 8) for k in range(9)}) if events else []:
                out = subprocess.run([program, "show", "--json", "--device", str(device), "--at", str(at), os.path.abspath(path)], capture_output=True, text=True)
                got, want = json.loads(out.stdout), moment(snapshot, device, at)
                wrong = [f"{k}: {got.get(k)}, not {v}" for k, v in want.items() if got.get(k) != v]
                if sum(k["bytes"] for k in got["kinds"]) != want["requested_bytes"]:
                    wrong.append("kinds do not add up")
                n, bad = n + 4, bad + len(wrong)
                if wrong:
                    print(f"{os.path.basename(path)}#{device} event {at}: {'; '.join(wrong)}")
    print(f"{n - bad} of {n} figures of moments agree")
    return bad


# --- the fixtures ---

def frame(file, line, name):
    return {"filename": file, "line": line, "name": name}


FORWARD = [frame("??", 0, "at::empty_cuda"), frame("C:\\models\\net.py", 41, "forward"), frame("train.py", 12, "step")]
BACKWARD = [frame("??", 0, "torch::autograd::Engine::thread_main"), frame("über/größe.py", 7, "backward")]
DEEP = [frame("deep.py", i % 50, f"f{i % 50}") for i in range(1500)]  # more than pickle writes at once


def event(action, addr, size, time, frames, **more):
    e = {"action": action, "addr": addr, "size": size, "stream": 0, "time_us": time, "compile_context": "N/A", "user_metadata": "",
         "frames": frames}
    e.update(more)
    return e


def block(address, size, requested, state, frames):
    return {"address": address, "size": size, "requested_size": requested, "state": state, "frames": frames}


def segment(device, address, blocks, **more):
    active = [b for b in blocks if b["state"] != "inactive"]
    s = {"device": device, "address": address, "total_size": sum(b["size"] for b in blocks),
         "allocated_size": sum(b["size"] for b in active if b["state"] == "active_allocated"),
         "active_size": sum(b["size"] for b in active), "requested_size": sum(b["requested_size"] for b in active), "stream": 0,
         "segment_type": "large", "segment_pool_id": (0, 0), "is_expandable": False, "frames": FORWARD, "blocks": blocks}
    s.update(more)
    return s


def newest():
    rng, base, time, events, live = random.Random(17), 0x7f0000000000, 1_700_000_000_000_000, [], {}
    for i in range(700):  # 1,000 events are a batch of pickle
        time += rng.randrange(1, 50)
        if live and rng.random() < 0.45:
            addr = rng.choice(sorted(live))
            events += [event("free_requested", addr, live[addr], time, BACKWARD), event("free_completed", addr, live.pop(addr), time, BACKWARD)]
        else:
            addr = base + 512 * i
            live[addr] = rng.randrange(1, 512)
            events.append(event("alloc", addr, live[addr], time, [FORWARD, BACKWARD, DEEP][rng.randrange(3) if i % 100 == 0 else i % 2]))
    blocks = [block(base + 512 * i, 512, live.get(base + 512 * i, 99), "active_allocated" if base + 512 * i in live else "inactive",
                    FORWARD if base + 512 * i in live else []) for i in range(700)]
    high = 0xfff0000000000000  # above 2^63
    second = [event("segment_alloc", high, 4 << 20, time, FORWARD), event("segment_map", high, 2 << 20, time - 5, []),
              event("alloc", high, 1 << 20, time, DEEP, compile_context="0/0", user_metadata="layer 1"),
              {"action": "oom", "device_free": 12345, "size": 8 << 30, "stream": 7, "time_us": time, "frames": BACKWARD},
              event("segment_unmap", high, 2 << 20, time, []), event("workspace_snapshot", 0, 0, time, []), event("snapshot", 0, 0, time, [], stream=-2, user_metadata={"k": 1})]
    return {"segments": [segment(0, base, blocks, segment_type="small"),
                         segment(1, high, [block(high, 1 << 20, 1 << 20, "active_allocated", DEEP), block(high + (1 << 20), 1 << 20, 3, "active_pending_free", []),
                                           block(high + (2 << 20), 2 << 20, 7, "inactive", [])], is_expandable=True, segment_pool_id=(0, 3), stream=2**63 + 9)],
            "device_traces": [events, second, []],
            "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1, "below": -(1 << 40), "garbage_collection_threshold": 0.5, "expandable_segments": True,
                                   "nothing": None, "roundup_power2_divisions": {"1": 0, "2": 4}},
            "external_annotations": [{"stage": "START", "name": "Optimizer.step#AdamW.step", "device": 0, "time_us": time - 9},
                                     {"stage": "END", "name": "Optimizer.step#AdamW.step", "device": 0, "time_us": time},
                                     {"stage": "INSTANT", "name": "note", "device": -1, "time_us": time}]}


def early_dict():
    """torch 2.0: neither times nor settings; and a key that no table has."""
    full = newest()
    events = [{k: v for k, v in e.items() if k in ("action", "addr", "size", "stream", "frames")} | {"odd": 1} for e in full["device_traces"][0][:20]]
    blocks = [{"size": 512, "requested_size": 300, "state": "active_allocated", "history": [{"addr": 1 << 40, "real_size": 300, "frames": FORWARD}, {"addr": 1 << 40, "real_size": 9}]},
              {"size": 512, "requested_size": 40, "state": "active_allocated", "history": [{"addr": (1 << 40) + 512, "real_size": 500, "frames": BACKWARD}]},  # allocated unrecorded
              {"size": (2 << 20) - 1024, "requested_size": 0, "state": "inactive"}]
    return {"segments": [full["segments"][1], segment(0, 1 << 40, blocks)], "device_traces": [events]}


def old_list():
    """torch 1.13: a list of segments; blocks have no addresses, and frames are tuples in a history, the newest first, as in _memory_viz.py."""
    history = [{"addr": 4096, "real_size": 300, "frames": [("b.py", 2, "g"), ("a.py", 1, "f")]}, {"addr": 4608, "real_size": 100, "frames": [("a.py", 1, "f")]}]
    return [{"device": 0, "address": 4096, "total_size": 2 << 20, "allocated_size": 512, "active_size": 512, "segment_type": "small",
             "blocks": [{"size": 512, "state": "active_allocated", "history": history}, {"size": (2 << 20) - 512, "state": "inactive"}]},
            {"device": 2, "address": 1 << 40, "total_size": 20 << 20, "allocated_size": 0, "active_size": 1024, "segment_type": "large",
             "blocks": [{"size": 1024, "state": "active_awaiting_free"}, {"size": (20 << 20) - 1024, "state": "inactive", "history": []}]}]


class Heap:
    """An allocator of one device: best fit in segments of 20 MiB, or of a size of their own from 10 MiB on; it may have `capacity` bytes of them."""

    def __init__(self, capacity):
        self.capacity, self.segments, self.used, self.events, self.time = capacity, [], {}, [], 1_750_000_000_000_000
        self.next = 0x7e0000000000

    def say(self, action, addr, size, frames):
        self.time += 25
        self.events.append(event(action, addr, size, self.time, frames) if action != "oom" else
                           {"action": "oom", "device_free": addr, "size": size, "stream": 0, "time_us": self.time, "frames": frames})

    def gaps(self):
        for base, total in self.segments:
            at = base
            for addr in sorted(a for a in self.used if base <= a < base + total) + [base + total]:
                if addr > at:
                    yield addr - at, at
                at = addr + self.used[addr][0] if addr in self.used else addr

    def left(self):
        return self.capacity - sum(t for _, t in self.segments)

    def give_back(self, frames):
        """What a retry does: every segment in which nothing is in use."""
        for base, total in list(self.segments):
            if not any(base <= a < base + total for a in self.used):
                self.segments.remove((base, total))
                self.say("segment_free", base, total, frames)

    def alloc(self, size, frames):
        need = (size + 511) // 512 * 512
        fits = sorted(g for g in self.gaps() if g[0] >= need)
        if not fits:
            total = 20 << 20 if need < 10 << 20 else (need + (2 << 20) - 1) >> 21 << 21  # kMinLargeAlloc
            if total > self.left():
                self.give_back(frames)
            if total > self.left():
                return self.say("oom", self.left(), size, frames)
            base = self.next
            self.next += 1 << 32
            self.segments.append((base, total))
            self.say("segment_alloc", base, total, frames)
            fits = [(total, base)]
        self.used[fits[0][1]] = (need, size, frames)
        self.say("alloc", fits[0][1], size, frames)
        return fits[0][1]

    def free(self, addr, frames):
        for action in ("free_requested", "free_completed"):
            self.say(action, addr, self.used[addr][1], frames)
        del self.used[addr]

    def snapshot(self):
        segments = []
        for base, total in self.segments:
            blocks, at = [], base
            for addr in sorted(a for a in self.used if base <= a < base + total) + [base + total]:
                if addr > at:
                    blocks.append(block(at, addr - at, 0, "inactive", []))
                if addr in self.used:
                    size, requested, frames = self.used[addr]
                    blocks.append(block(addr, size, requested, "active_allocated", frames))
                    at = addr + size
            segments.append(segment(0, base, blocks))
        return {"segments": segments, "device_traces": [self.events], "allocator_settings": {"expandable_segments": False}, "external_annotations": []}


def training():
    """Three steps of a net, each of which keeps small tensors for a plot, one in each segment; then a longer batch, for which no gap is large enough."""
    torch, call = "/venv/lib/python3.12/site-packages/torch/", frame("/venv/lib/python3.12/site-packages/torch/nn/modules/module.py", 1790, "_call_impl")
    main = frame("/home/ada/lab/train.py", 88, "<module>")
    setup = [frame(torch + "nn/modules/module.py", 1325, "convert"), frame(torch + "nn/modules/module.py", 915, "_apply"), main]
    forward = [frame("/home/ada/lab/net.py", 31, "forward"), call, main]
    attention = [frame("/home/ada/lab/net.py", 54, "attention"), frame("/home/ada/lab/net.py", 29, "forward"), call, main]
    backward = [frame("??", 0, "torch::autograd::generated::MmBackward0::apply(std::vector<at::Tensor>&&)"), frame("??", 0, "torch::autograd::Engine::evaluate_function()")]
    grad = [frame("??", 0, "torch::autograd::AccumulateGrad::apply(std::vector<at::Tensor>&&)"), backward[1]]
    step = [frame(torch + "optim/adamw.py", 134, "_init_group"), frame(torch + "optim/optimizer.py", 493, "wrapper"), main]
    zero = [frame(torch + "optim/optimizer.py", 955, "zero_grad"), main]
    keep = [frame("/home/ada/lab/plots.py", 9, "remember"), main]
    heap, mib, grads = Heap(128 << 20), 1 << 20, []
    weights = [heap.alloc(n * mib, setup) for n in (6, 6, 3)]
    for number in range(3):
        saved = []
        for n in (12, 8, 12, 8):
            saved.append(heap.alloc(n * mib, attention if n == 12 else forward))
            heap.alloc(3 * mib // 2, keep)
        loss = heap.alloc(4, forward)
        for a in reversed(saved):
            g = heap.alloc(5 * mib, backward)
            heap.free(a, backward)
            heap.free(g, backward)
        grads = [heap.alloc(n * mib, grad) for n in (6, 6, 3)]
        if number == 0:
            for n in (12, 12, 6):
                heap.alloc(n * mib, step)
        scratch = heap.alloc(3 * mib, step)
        heap.free(scratch, step)
        heap.free(loss, forward)
        for g in grads:
            heap.free(g, zero)
    for n in (12, 8):
        heap.alloc(n * mib, attention if n == 12 else forward)
    heap.alloc(24 * mib, attention)
    assert weights and heap.events[-1]["action"] == "oom"
    return heap.snapshot()


def batch(n):
    """Two steps of a training whose needs are known: 8 MiB of parameters, 16 of optimizer state, and of each sample 4 MiB saved for backward and 1 in it."""
    torch, call = "/venv/lib/python3.12/site-packages/torch/", frame("/venv/lib/python3.12/site-packages/torch/nn/modules/module.py", 1790, "_call_impl")
    main = frame("/home/ada/lab/train.py", 88, "<module>")
    setup = [frame(torch + "nn/modules/module.py", 1325, "convert"), frame(torch + "nn/modules/module.py", 915, "_apply"), main]
    forward = [frame("/home/ada/lab/net.py", 31, "forward"), call, main]
    backward = [frame("??", 0, "torch::autograd::generated::MmBackward0::apply(std::vector<at::Tensor>&&)"), frame("??", 0, "torch::autograd::Engine::evaluate_function()")]
    grad = [frame("??", 0, "torch::autograd::AccumulateGrad::apply(std::vector<at::Tensor>&&)"), backward[1]]
    step = [frame(torch + "optim/adamw.py", 134, "_init_group"), frame(torch + "optim/optimizer.py", 493, "wrapper"), main]
    zero = [frame(torch + "optim/optimizer.py", 955, "zero_grad"), main]
    heap, mib = Heap(1 << 40), 1 << 20
    heap.alloc(8 * mib, setup)
    for number in range(2):
        saved = [heap.alloc(2 * n * mib, forward) for _ in range(2)]
        for a in reversed(saved):
            g = heap.alloc(n * mib, backward)
            heap.free(a, backward)
            heap.free(g, backward)
        grads = heap.alloc(8 * mib, grad)
        if number == 0:
            heap.alloc(16 * mib, step)
        heap.free(heap.alloc(4 * mib, step), step)
        heap.free(grads, zero)
    return heap.snapshot()


def pools():
    """torch 2.10: each event says its pool. A graph's pool has 64 MiB, of which 24 are free, when 32 MiB are asked of it; 40 MiB lie in the common cache."""
    mib, ask, low, high, then = 1 << 20, [frame("graph.py", 7, "capture")], 0x7f0000000000, 0x7f1000000000, 1_760_000_000_000_000
    def said(action, addr, size, pool):
        return event(action, addr, size, then, ask, pool_id=pool)
    events = [said("segment_alloc", low, 40 * mib, (0, 0)), said("alloc", low, 40 * mib, (0, 0)),
              said("free_requested", low, 40 * mib, (0, 0)), said("free_completed", low, 40 * mib, (0, 0)),
              said("segment_alloc", high, 64 * mib, (0, 1)), said("alloc", high, 40 * mib, (0, 1)),
              {"action": "oom", "device_free": 4 * mib, "size": 32 * mib, "stream": 0, "time_us": then, "frames": ask, "pool_id": (0, 1)},
              said("snapshot", 0, 0, (0, 0))]
    return {"segments": [segment(0, low, [block(low, 40 * mib, 0, "inactive", [])], registration_counter=-1),
                         segment(0, high, [block(high, 40 * mib, 40 * mib, "active_allocated", ask), block(high + 40 * mib, 24 * mib, 0, "inactive", [])],
                                 segment_pool_id=(0, 1), registration_counter=2)],
            "device_traces": [events], "allocator_settings": {"expandable_segments": False}, "external_annotations": []}


def check(program, files):
    bad = 0
    for path in files:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as f:
            want = text(pickle.load(f))
        r = subprocess.run([program, "--dump", path], capture_output=True, text=True)
        same = r.returncode == 0 and r.stdout == want
        bad += not same
        print(f"{'same' if same else 'DIFFERENT'} {want.count(chr(10)):7} rows  {os.path.basename(path)} {r.stderr.strip()[-200:]}")
    return bad


def main():
    if sys.argv[1:2] == ["--check"]:
        return 1 if check(sys.argv[2], sys.argv[3:]) else 0
    if sys.argv[1:2] == ["--check-moments"]:
        return 1 if check_moments(sys.argv[2], sorted(f for pattern in sys.argv[3:] for f in glob.glob(pattern))) else 0
    if sys.argv[1:2] == ["--check-replay"]:
        return 1 if check_replay(sys.argv[2], json.load(open(sys.argv[3], encoding="utf-8")), sys.argv[4:]) else 0
    full = newest()
    made = {f"newest{n}.pickle": pickle.dumps(full, n) for n in (2, 3, 4, 5)}
    made |= {"early.pickle": pickle.dumps(early_dict(), 4), "list.pickle": pickle.dumps(old_list(), 2), "oom.pickle": pickle.dumps(training(), 4),
             "pools.pickle": pickle.dumps(pools(), 4)}
    made |= {f"batch{n}.pickle": pickle.dumps(batch(n), 4) for n in (2, 4, 8)}
    half = len(made["newest4.pickle"]) // 2  # two members, as `cat a.gz b.gz` makes them
    made["newest4.pickle.gz"] = b"".join(gzip.compress(part, 9, mtime=0) for part in (made["newest4.pickle"][:half], made["newest4.pickle"][half:]))
    for name, data in made.items():
        open(os.path.join(HERE, name), "wb").write(data)
    for name, snapshot in (("newest", full), ("early", early_dict()), ("list", old_list()), ("oom", training()), ("pools", pools())):
        open(os.path.join(HERE, name + ".txt"), "w", encoding="utf-8").write(text(snapshot))
    figures = {f"newest4.pickle#{d}": replay(full, d) for d in range(3)} | {"oom.pickle#0": replay(training(), 0)}
    json.dump(figures, open(os.path.join(HERE, "replay.json"), "w", encoding="utf-8"), indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
