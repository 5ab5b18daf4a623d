#!/usr/bin/env python3
"""Writes the traces of this folder as Kineto writes them, from figures that were chosen first: python3 make_trace.py, here.

Each of 6 steps of 10 ms has 8 ms of matrix products on stream 7 and, from 4 ms after its begin on, 6 ms of all-reduce on stream 20. So of all
60 ms, communication takes 36.0 ms, of which 24 ms are overlapped and 12.0 ms exposed, 20 % of the span; the device is never idle. The copy
of the last step, 1 ms long, lies 2 ms behind it, and was launched 0.5 ms before it began.

In slower.json the products are another kernel's, which takes 8.6 ms, and the all-reduces begin and end 0.6 ms later, up to 40 us more or
less: a step takes 10.6 ms, which is 0.6 ms of products more, and nothing else has changed."""
import gzip
import json

BASE = 1727743122000000000


def event(cat, name, pid, tid, ts, dur, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}


def launch(correlation, call, ts):
    return event("cuda_runtime", call, 100, 100, ts, 5, cbid=211, correlation=correlation)


def work(cat, name, stream, ts, dur, correlation, **args):
    return event(cat, name, 0, stream, ts, dur, device=0, context=1, stream=stream, correlation=correlation, **args)


def events(product="volta_sgemm_128x64_nt", more=0, jitter=(0, 0, 0, 0, 0, 0)):
    out = []
    for step in range(6):
        at = 1000000.0 + (10000 + more) * step
        late = more + jitter[step]
        out.append(event("user_annotation", f"ProfilerStep#{step + 1}", 100, 100, at - 500, 10000 + more))
        out.append(event("cpu_op", "aten::mm", 100, 100, at - 400, 50, **{"External id": step + 1, "Input Dims": [[1024, 512], [512, 64]]}))
        out.append(launch(2 * step, "cudaLaunchKernel", at - 390))
        out.append(work("kernel", product, 7, at, 8000 + late, 2 * step, **{"External id": step + 1}))
        out.append(launch(2 * step + 1, "cudaLaunchKernel", at - 300))
        out.append(work("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)", 20, at + 4000 + late, 6000,
                        2 * step + 1, **{"Collective name": "allreduce", "Process Group Name": "0"}))
    out.append(launch(12, "cudaMemcpyAsync", 1061500.0 + 6 * more))
    out.append(work("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", 7, 1062000.0 + 6 * more, 1000, 12, bytes=4096))
    return out


def main():
    head = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Tesla V100-SXM2-32GB", "totalGlobalMem": 34079899648, "numSms": 80}],
            "distributedInfo": {"backend": "nccl", "rank": 1, "world_size": 2}}
    whole = json.dumps({**head, "traceEvents": events(), "baseTimeNanoseconds": BASE, "traceName": "demo.json"}, indent=1)
    slower = events("cutlass_80_simt_sgemm_128x64_8x5_nt_align1", 600, (0, 20, -40, 30, -10, 40))
    cpu = [e for e in events() if e["cat"] in ("cpu_op", "user_annotation")]
    with open("trace.json", "w", encoding="ascii") as f:
        f.write(whole + "\n")
    with open("demo.json.gz", "wb") as f:
        f.write(gzip.compress(whole.encode(), mtime=0))
    with open("cut.json", "w", encoding="ascii") as f:
        f.write(whole[:whole.index("ProfilerStep#3") - 40])
    with open("cpu.json", "w", encoding="ascii") as f:
        f.write(json.dumps({"traceEvents": cpu}) + "\n")
    with open("slower.json", "w", encoding="ascii") as f:
        f.write(json.dumps({**head, "traceEvents": slower, "baseTimeNanoseconds": BASE, "traceName": "slower.json"}, indent=1) + "\n")
    with open("bad.json", "w", encoding="ascii") as f:
        f.write(whole.replace('"distributedInfo": {', '"distributedInfo" {', 1))


main()
