#!/usr/bin/env python3
"""Simulates jobs of several ranks, whose truth is then known, and writes their traces as Kineto does: python3 make_job.py, here, writes job/ and pipeline/.

Every rank computes and then comes to a collective of a process group, steps by steps. A collective ends when its transfer is over, which begins
when its last rank has come. Each rank stamps times by a clock of its own: to read t where the true time is `t + offset + drift * t`."""
import gzip
import json
import os
import random

BASE = 1727743122000000000
KERNELS = {"allreduce": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
           "_allgather_base": "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
           "broadcast": "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
           "reduce": "ncclDevKernel_Reduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
           "send": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
           "recv": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"}


class Job:
    """groups: lists of ranks, all of which a step goes through in turn (a rank takes part in those that list it); compute(rank, step, k): ns
    before the k-th collective of the step; jitter: ns by which ends differ; offset, drift: of each rank's clock; roots: of each group of a broadcast
    or reduce. "send" is from the first rank of the group to the second. eager: who need not wait leaves its data in buffers and goes on, else
    it stays until the last has come."""

    def __init__(self, ranks, steps, groups, compute, transfer=200_000, jitter=0, offset=None, drift=None, kinds=("allreduce",), overlap=0,
                 seed=0, roots=None, eager=True):
        self.ranks, self.steps, self.groups, self.compute, self.transfer = ranks, steps, groups, compute, transfer
        self.offset, self.drift, self.kinds, self.overlap = offset or [0] * ranks, drift or [0] * ranks, kinds, overlap
        self.random, self.jitter, self.roots, self.eager = random.Random(seed), jitter, roots or {}, eager
        self.waited = {}  # (rank, kind): what the rank waited, in truth
        self.now = [1_000_000] * ranks
        self.events = [[] for _ in range(ranks)]
        self.collectives = []  # (group, step, {rank: (begin, end)})
        self.sequence = [0] * len(groups)
        for step in range(steps):
            self.step(step)

    def step(self, step):
        begins = list(self.now)
        for k, members in enumerate(self.groups):
            kind = self.kinds[k % len(self.kinds)]
            self.sequence[k] += 1
            arrive = {}
            for rank in members:
                work = int(self.compute(rank, step, k))
                self.events[rank].append(("gemm", self.now[rank], self.now[rank] + work, step, None))
                arrive[rank] = self.now[rank] + max(0, work - self.overlap)
                self.now[rank] += work
            free = {rank: self.awaits(k, rank, arrive) for rank in members}
            ends = {rank: free[rank] + self.transfer + self.random.randint(0, self.jitter) for rank in members}
            for rank in members:
                what = "recv" if kind == "send" and rank == members[1] else kind
                self.waited[rank, what] = self.waited.get((rank, what), 0) + free[rank] - arrive[rank]
                self.events[rank].append((what, arrive[rank], ends[rank], step, (k, self.sequence[k])))
                self.now[rank] = max(self.now[rank], ends[rank])
            self.collectives.append((k, step, {rank: (arrive[rank], ends[rank]) for rank in members}))
        for rank in range(self.ranks):
            self.events[rank].append(("step", begins[rank] - 50_000, self.now[rank] - 50_000, step, None))

    def awaits(self, k, rank, arrive):
        """When the rank has what it needs of the others in this collective."""
        kind, latest = self.kinds[k % len(self.kinds)], max(arrive.values())
        if k not in self.roots and kind != "send" or not self.eager:
            return latest
        if kind == "reduce":
            return latest if rank == self.roots[k] else arrive[rank]
        return max(arrive[rank], arrive[self.needs(k)])

    def needs(self, k):
        """The rank without which the others have nothing; of a reduce none."""
        kind = self.kinds[k % len(self.kinds)]
        return self.groups[k][0] if kind == "send" else self.roots[k] if kind == "broadcast" else None

    def stamp(self, rank, true):
        return round((true - self.offset[rank]) / (1 + self.drift[rank]))

    def is_awaited(self, k):
        return self.kinds[k % len(self.kinds)] not in ("broadcast", "reduce", "send") and len(self.groups[k]) > 1

    def exposed(self, rank):
        """What the rank waited while it computed nothing, in ns; no two of its collectives may overlap."""
        gemms, waited = [(b, e) for what, b, e, _, _ in self.events[rank] if what == "gemm"], 0
        for k, _, members in self.collectives:
            if rank in members and self.is_awaited(k):
                begin, latest = members[rank][0], max(b for b, _ in members.values())
                waited += latest - begin - sum(max(0, min(latest, e) - max(begin, b)) for b, e in gemms)
        return waited

    def trace(self, rank, named=True, numbered=True, base=BASE, by_operator=False, wide=False, peers=True, host=None):
        """wide: sends stand in one group of all ranks; peers: they say with whom."""
        out, correlation = [], 1
        for what, begin, end, step, of in self.events[rank]:
            begin, end = self.stamp(rank, begin) + BASE - base, self.stamp(rank, end) + BASE - base
            at = {"ts": begin, "dur": end - begin}
            if what == "step":
                out.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step + 1}", "pid": 9, "tid": 9, **at, "args": {}})
                continue
            out.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": begin - 10_000, "dur": 5_000,
                        "args": {"correlation": correlation}})
            args = {"device": rank, "stream": 20 if of else 7, "correlation": correlation}
            if of and named:
                args.update({"Collective name": what, "Process Group Name": str(of[0]), "Process Group Ranks": str(self.groups[of[0]]),
                             "Group size": len(self.groups[of[0]]), "In msg nelems": 1024, "Out msg nelems": 1024, "dtype": "Float"})
                args.update({"Seq": of[1]} if numbered else {})
            if of and what in ("send", "recv"):
                first, second = self.groups[of[0]]
                if peers:
                    args["Dst Rank" if what == "send" else "Src Rank"] = second if what == "send" else first
                if wide:
                    args.update({"Process Group Name": "all", "Process Group Ranks": str(list(range(self.ranks))), "Group size": self.ranks})
            if of and of[0] in self.roots and named:  # only the operator says the root, as a place in the group
                said = {k: v for k, v in args.items() if k not in ("device", "stream", "correlation")}
                out.append({"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 9, "tid": 9, "ts": begin - 11_000, "dur": 7_000,
                            "args": {**said, "Rank": self.groups[of[0]].index(self.roots[of[0]])}})
            if of and by_operator:  # as the profiler wrote it at first
                out.append({"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 9, "tid": 9, "ts": begin - 11_000, "dur": 7_000,
                            "args": {k: v for k, v in args.items() if k not in ("device", "stream", "correlation")}})
                args = {k: args[k] for k in ("device", "stream", "correlation")}
            out.append({"ph": "X", "cat": "kernel", "name": KERNELS.get(what, "sm80_xmma_gemm_f32"), "pid": rank, "tid": args["stream"], **at,
                        "args": args})
            correlation += 1
        head = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}],
                "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": self.ranks}}
        head.update({"host_name": host} if host else {})
        return {**head, "traceEvents": out, "baseTimeNanoseconds": base}

    def write(self, folder, names=None, bases=None, **how):
        os.makedirs(folder, exist_ok=True)
        for rank in range(self.ranks):
            how["base"] = bases[rank] if bases else BASE
            path = os.path.join(folder, names[rank] if names else f"part{self.ranks - rank}.pt.trace.json")
            text = dump(self.trace(rank, **how)).encode()
            with open(path, "wb") as f:
                f.write(gzip.compress(text, mtime=0) if path.endswith(".gz") else text)

    def waits(self):
        """What is true of each rank: how often last, what the others waited for it, what it waited; then lateness by collective."""
        last, caused, waited, lateness = [0] * self.ranks, [0] * self.ranks, [0] * self.ranks, []
        for k, _, members in self.collectives:
            if not self.is_awaited(k):
                continue
            latest = max(begin for begin, _ in members.values())
            who = min(rank for rank, (begin, _) in members.items() if begin == latest)
            for rank, (begin, _) in members.items():
                waited[rank] += latest - begin
                caused[who] += latest - begin
            lateness.append(latest - min(begin for begin, _ in members.values()))
            last[who] += lateness[-1] > 0
        return last, caused, waited, lateness


def dump(trace):
    """JSON with times in microseconds of three places, as Kineto writes them: no double has the digits."""
    def us(ns):
        return f"{'-' if ns < 0 else ''}{abs(ns) // 1000}.{abs(ns) % 1000:03d}"

    lines = []
    for e in trace["traceEvents"]:
        rest = {k: v for k, v in e.items() if k not in ("ts", "dur")}
        lines.append(json.dumps(rest)[:-1] + f', "ts": {us(e["ts"])}, "dur": {us(e["dur"])}}}')
    head = {k: v for k, v in trace.items() if k != "traceEvents"}
    return json.dumps(head)[:-1] + ', "traceEvents": [\n' + ",\n".join(lines) + "\n]}\n"


def golden():
    """Four ranks of five, of which rank 2 computes 3 ms longer; ranks 2 and 3 are on a host whose clock is 5 ms behind."""
    job = Job(4, 3, [[0, 1], [2, 3], [0, 1, 2, 3]], lambda rank, step, k: 2_000_000 + 3_000_000 * (rank == 2) + 1000 * rank + 100 * k,
              transfer=300_000, offset=[0, 0, 5_000_000, 5_000_000])
    for rank in range(4):  # of five, one of which wrote no trace
        trace = job.trace(rank)
        trace["distributedInfo"]["world_size"] = 5
        yield trace, ["b_70.1.pt.trace.json.gz", "b_71.1.pt.trace.json", "c/profiler_trace.json", "a_33.2.pt.trace.json"][rank]


def pipeline():
    """Three stages that pass work on, of which the second is slow; then its rank broadcasts, and a reduce whose root no trace names."""
    return Job(3, 3, [[0, 1], [1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 2]], lambda rank, step, k: 1_000_000 + 500_000 * (rank == 1) + 1000 * rank + 100 * k,
               kinds=("send", "send", "allreduce", "broadcast", "reduce"), roots={3: 1})


def main():
    os.makedirs("job/c", exist_ok=True)
    pipeline().write("pipeline", [f"rank{rank}.pt.trace.json.gz" for rank in range(3)], wide=True)
    first = None
    for trace, name in golden():
        with open(os.path.join("job", name), "wb") as f:
            f.write(gzip.compress(dump(trace).encode(), mtime=0) if name.endswith(".gz") else dump(trace).encode())
        first = first or trace
    with open("job/copy.pt.trace.json", "w", encoding="ascii") as f:
        f.write(dump(first))
    del first["distributedInfo"]
    with open("job/kineto.json", "w", encoding="ascii") as f:
        f.write(dump(first))
    with open("job/trace.json", "w", encoding="ascii") as f:
        f.write('{"traceEvents": [{"ph": "X", "ts": }]}\n')
    with open("job/notes.txt", "w", encoding="ascii") as f:
        f.write("what we tried\n")


if __name__ == "__main__":
    main()
