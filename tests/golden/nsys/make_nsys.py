#!/usr/bin/env python3
"""make_nsys.py FILE [--seed N] [--schema 2022|2025]: a database as `nsys export --type sqlite` writes it, of a training that is drawn.

Tables, columns and types are those of NVIDIA's Nsight Systems User Guide, SQLite Schema Reference; 2022 lacks columns that came later,
and has the names of kernels by shortName alone where `demangledName` is not known.
"""
import argparse
import collections
import random
import sqlite3

KERNEL = ("start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, {green}"
          "streamId INTEGER NOT NULL, "
          "correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, "
          "launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, "
          "gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, "
          "staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL{node}")
WORK = ("start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, {green}"
        "streamId INTEGER NOT NULL, "
        "correlationId INTEGER, globalPid INTEGER, ")
NAMES = ["sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_execute_kernel__5x_cublas", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
         "void at::native::vectorized_elementwise_kernel<4, \"quoted\\name\">(int)", "flash_fwd_kernel é", "ampere_sgemm_128x64_nn"]
CALLS = ["cudaLaunchKernel_v7000", "cudaMemcpyAsync_v3020", "cudaMemsetAsync_ptsz_v7000", "cuLaunchKernelEx", "cudaGraphLaunch_v10000",
         "cudaStreamSynchronize_v3020"]


class Writer:
    def __init__(self, path, seed, schema):
        self.rng, self.new = random.Random(seed), schema >= 2024
        self.db = sqlite3.connect(path)
        self.strings, self.correlation = {}, collections.Counter()  # by process, as CUPTI counts
        green = "greenContextId INTEGER, " if self.new else ""
        for table, columns in (
                ("StringIds", "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL"),
                ("ThreadNames", "nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER"),
                ("TARGET_INFO_SESSION_START_TIME", "utcEpochNs INTEGER, utcTime TEXT, localTime TEXT"),
                ("TARGET_INFO_GPU", "vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, totalMemory INTEGER, smCount INTEGER"),
                ("CUPTI_ACTIVITY_KIND_RUNTIME", "start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, "
                 "globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER"),
                ("CUPTI_ACTIVITY_KIND_KERNEL", KERNEL.format(green=green, node=", graphNodeId INTEGER" if self.new else "")),
                ("CUPTI_ACTIVITY_KIND_MEMCPY", WORK.format(green=green) + "bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL"),
                ("CUPTI_ACTIVITY_KIND_MEMSET", WORK.format(green=green) + "value INTEGER NOT NULL, bytes INTEGER NOT NULL"),
                ("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", WORK.format(green=green) + "syncType INTEGER NOT NULL, eventId INTEGER NOT NULL"),
                ("NVTX_EVENTS", "start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, text TEXT, "
                 "globalTid INTEGER, textId INTEGER, domainId INTEGER")):
            self.db.execute(f"CREATE TABLE {table} ({columns})")
        self.db.execute("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000, '', '')")

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = len(self.strings) + 1
            self.db.execute("INSERT INTO StringIds VALUES (?, ?)", (self.strings[text], text))
        return self.strings[text]

    def put(self, table, **row):
        names = ", ".join(f'"{name}"' for name in row)
        self.db.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values()))

    def call(self, start, name, tid):
        self.correlation[tid >> 24] += 1
        self.put("CUPTI_ACTIVITY_KIND_RUNTIME", start=start, end=start + self.rng.randrange(2000, 9000), eventClass=0, globalTid=tid,
                 correlationId=self.correlation[tid >> 24], nameId=self.string(name), returnValue=0)
        return self.correlation[tid >> 24]

    def work(self, t, device, tid):
        """A call and what it launches; returns when it ends."""
        rng, stream = self.rng, self.rng.choice([7, 7, 7, 13])
        kind, length = rng.random(), rng.randrange(1000, 90000)
        at = {"start": t, "end": t + length, "deviceId": device, "contextId": 1, "streamId": stream, "globalPid": tid & ~0xFFFFFF}
        if kind < 0.15:
            self.put("CUPTI_ACTIVITY_KIND_MEMCPY", **at, correlationId=self.call(t - 9000, CALLS[1], tid), bytes=rng.randrange(1, 1 << 20),
                     copyKind=rng.choice([1, 2, 8, 10]))
        elif kind < 0.2:
            self.put("CUPTI_ACTIVITY_KIND_MEMSET", **at, correlationId=self.call(t - 9000, CALLS[2], tid), value=0, bytes=4096)
        else:
            name, node = rng.choice(NAMES), {"graphNodeId": rng.choice([None, (3 << 32) | rng.randrange(9)])} if self.new else {}
            self.put("CUPTI_ACTIVITY_KIND_KERNEL", **at, correlationId=self.call(t - 9000, rng.choice([CALLS[0], CALLS[3]]), tid),
                     demangledName=self.string(name), shortName=self.string(name.split("<")[0]), registersPerThread=rng.randrange(16, 255),
                     gridX=rng.randrange(1, 1 << 16), gridY=1, gridZ=1, blockX=128, blockY=1, blockZ=1, staticSharedMemory=0,
                     dynamicSharedMemory=rng.choice([0, 49152]), **node)
        return t + length + rng.randrange(-500, 4000)

    def train(self, steps, devices):
        for device in range(devices):
            pid, t = 4000 + device, 10_000_000
            tid = (1 << 48) | (pid << 24) | pid
            self.put("TARGET_INFO_GPU", vmId=0, id=device, name="NVIDIA H100 80GB HBM3", totalMemory=85 << 30, smCount=132)
            self.put("ThreadNames", nameId=self.string("python"), globalTid=tid)
            for step in range(steps):
                begin = t
                inner = t
                for _ in range(self.rng.randrange(20, 40)):
                    t = self.work(t + 100, device, tid)
                self.put("NVTX_EVENTS", start=begin, end=t, eventType=59, text=f"step {step}", globalTid=tid, domainId=0)
                self.put("NVTX_EVENTS", start=inner, end=inner + 400, eventType=59, globalTid=tid, domainId=0,
                         textId=self.string("aten::mm, seq = 3, op_id = 7, sizes = [[2, 3], [3, 4], []]"))
                self.put("NVTX_EVENTS", start=begin + 200, end=t + 5000, eventType=60, text="request", globalTid=tid, domainId=0)
                self.call(t, CALLS[5], tid)
                self.put("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", start=t, end=t + 5000, deviceId=device, contextId=1, streamId=0xFFFFFFFF,
                         correlationId=self.correlation[tid >> 24], globalPid=tid & ~0xFFFFFF, syncType=4, eventId=0)
            self.put("NVTX_EVENTS", start=5, eventType=75, text="NCCL", globalTid=tid, domainId=1)  # a domain, which is no range
            self.put("NVTX_EVENTS", start=t, eventType=59, text="never ended", globalTid=tid, domainId=0)
        self.db.commit()


def make(path, seed=1, schema=2025, steps=6, devices=2):
    Writer(path, seed, schema).train(steps, devices)


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("file")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--schema", type=int, default=2025)
    options.add_argument("--steps", type=int, default=6)
    asked = options.parse_args()
    make(asked.file, asked.seed, asked.schema, asked.steps)
