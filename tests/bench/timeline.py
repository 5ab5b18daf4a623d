#!/usr/bin/env python3
"""How fast the timeline of a long trace is zoomed in tscope web: timeline.py BUILD [EVENTS [VIEWS]] (default 2000000 and 200). Makes a trace of 8 streams and 2 threads, pushes
it, and asks for 1,200 cells of stretches of random lengths and places. Prints the first question, which reads the trace, and all later ones, with what of it the server has used
of a core."""
import json
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from web import Store, Web, cpu_s, ms, row, times  # noqa: E402

STREAMS, CELLS = 8, 1200


def make(path, events):
    """Kernels that follow each other on their streams, most short and some long; on each of two threads an operator with its call."""
    draw = random.Random(1)
    spans = 0
    with open(path, "w") as out:
        out.write('{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "made"}], "traceEvents": [\n')
        at = [0.0] * (STREAMS + 2)
        rows = []
        while spans < events:
            i = draw.randrange(len(at))
            took = round(draw.expovariate(1 / 8) + (200 if draw.random() < 0.001 else 0), 3) + 0.1
            begin = at[i] + round(draw.expovariate(1 / 4), 3)
            at[i] = begin + took
            if i < STREAMS:
                rows.append({"ph": "X", "cat": "kernel", "name": f"kernel_{draw.randrange(400)}", "pid": 0, "tid": i, "ts": round(begin, 3), "dur": round(took, 3),
                             "args": {"device": 0, "stream": i}})
                spans += 1
            else:
                rows.append({"ph": "X", "cat": "cpu_op", "name": f"aten::op{draw.randrange(100)}", "pid": 9, "tid": i, "ts": round(begin, 3), "dur": round(took, 3)})
                rows.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": i, "ts": round(begin + took / 4, 3), "dur": round(took / 4, 3)})
                spans += 2
            if len(rows) > 10000 or spans >= events:
                out.write(",\n".join(json.dumps(r) for r in rows) + (",\n" if spans < events else "\n"))
                rows = []
        out.write("]}\n")


def main():
    build, events, views = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2000000, int(sys.argv[3]) if len(sys.argv) > 3 else 200
    draw = random.Random(2)
    with tempfile.TemporaryDirectory(prefix="tscope-timeline-") as work:
        store = Store(build, work)
        os.makedirs(os.path.join(work, "long"))
        make(os.path.join(work, "long", "trace.json"), events)
        store.tscope("push", "--name", "long", "./long")
        web = Web(store)
        try:
            address = f"/p/default/timeline/long.json?cells={CELLS}"
            began = cpu_s(web)
            took, body = ms(web, address)
            row(f"the first view of {events:,} events", f"{took:.0f} ms", f"{(cpu_s(web) - began) * 1000:.0f} ms of a core")
            length = json.loads(body)["length_ns"]
            row("all of it again", *times(web, [address] * 20))
            paths = []
            for _ in range(views):
                wide = max(1000, int(length * 10 ** -draw.uniform(0, 6)))
                begin = draw.randrange(max(1, length - wide))
                paths.append(f"{address}&from={begin}&to={begin + wide}")
            row("stretches of a millionth of it to all of it", *times(web, paths))
            row("an answer has at most", f"{max(len(web.ask(p)[2]) for p in paths[:40] + [address]) / 1024:.0f} KiB")
        finally:
            web.end()


if __name__ == "__main__":
    main()
