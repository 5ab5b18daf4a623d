#!/usr/bin/env python3
"""Printed texts, read without a template: text_logs.py BUILD [EACH [SEED]] writes EACH (7) texts of each kind below that is no log of a
training, with numbers drawn from SEED (0), and prints how many are read as a run; then EACH logs of each trainer, as its format is public,
and prints of how many each value is read at its step, equal to what was written.

The test fails on one text that is read though it is no log, on fewer than 300 such texts, and on a log that is not read equal. Nothing
here is taken from the program that is tested."""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

from clean_logs import bound

WORDS = ["core", "parser", "loader", "train", "util", "model", "step", "epoch", "main", "loss", "batch", "net", "io", "graph", "index"]


# --- texts that are no log of a training: functions of a generator of random numbers, which give lines ---

def pip(r):
    for k in range(r.randint(3, 20)):
        size = r.uniform(0.1, 800)
        yield f"Collecting {r.choice(WORDS)}{k}>={r.randint(0, 9)}.{r.randint(0, 20)}.{r.randint(0, 9)}"
        yield f"  Downloading {r.choice(WORDS)}-{r.randint(0, 9)}.{r.randint(0, 9)}-cp311-manylinux_2_17_x86_64.whl ({size:.1f} MB)"
        for part in range(1, 5):
            yield f"     {'━' * part * 8} {size * part / 4:.1f}/{size:.1f} MB {r.uniform(1, 90):.1f} MB/s eta 0:00:{20 - part * 4:02d}"
    yield "Successfully installed " + " ".join(f"{w}-{r.randint(0, 9)}.{r.randint(0, 9)}" for w in WORDS[:5])


def ninja(r):
    n = r.randint(40, 400)
    for k in range(1, n + 1):
        yield f"[{k}/{n}] Building CXX object src/CMakeFiles/{r.choice(WORDS)}.dir/{r.choice(WORDS)}_{k}.cpp.o"


def make_percent(r):
    for k in range(1, 101, r.randint(1, 4)):
        yield f"[{k:3d}%] Building C object CMakeFiles/{r.choice(WORDS)}.dir/{r.choice(WORDS)}.c.o"


def compiler(r):
    for _ in range(r.randint(10, 60)):
        yield f"src/{r.choice(WORDS)}.c:{r.randint(1, 900)}:{r.randint(1, 80)}: warning: unused variable '{r.choice(WORDS)}' [-Wunused-variable]"
        yield f"  {r.randint(1, 900)} |         int {r.choice(WORDS)} = {r.randint(0, 99)};"
        yield "      |             ^~~~~"


def dmesg(r):
    t = 0.0
    for _ in range(r.randint(40, 200)):
        t += r.uniform(0, 0.3)
        yield f"[{t:12.6f}] {r.choice(['usb 1-1', 'nvme nvme0', 'eth0', 'ACPI', 'pci 0000:00:1f.2'])}: {r.choice(['link up', 'reset', 'BAR 6: assigned', 'irq'])} {r.randint(0, 4096)}"


def syslog(r):
    for k in range(r.randint(40, 120)):
        yield f"Nov 28 {10 + k // 60:02d}:{k % 60:02d}:{r.randint(0, 59):02d} host {r.choice(['systemd', 'sshd', 'cron', 'kernel'])}[{r.randint(100, 9999)}]: {r.choice(['Started', 'Accepted', 'session'])} {r.choice(WORDS)} {k} in {r.uniform(0, 3):.3f}s"


def nginx(r):
    for k in range(r.randint(40, 120)):
        yield f'10.0.{r.randint(0, 9)}.{r.randint(1, 254)} - - [28/Nov/2026:10:{k % 60:02d}:00 +0000] "GET /{r.choice(WORDS)}?step={k} HTTP/1.1" {r.choice([200, 304, 404])} {r.randint(100, 90000)} {r.uniform(0, 2):.3f}'


def docker(r):
    n = r.randint(5, 20)
    for k in range(1, n + 1):
        yield f"Step {k}/{n} : RUN pip install {r.choice(WORDS)}=={r.uniform(0, 9):.1f}"
        yield f" ---> {r.getrandbits(48):012x}"


def git(r):
    n = r.randint(500, 9000)
    for p in range(0, 101, 3):
        yield f"Receiving objects: {p:3d}% ({n * p // 100}/{n}), {p / 10:.2f} MiB | {r.uniform(1, 20):.2f} MiB/s"


def rsync(r):
    for k in range(r.randint(10, 60)):
        yield f"{r.choice(WORDS)}/{k}.bin"
        yield f"  {r.randint(1000, 9999999):,} 100%  {r.uniform(1, 90):.2f}MB/s    0:00:{r.randint(0, 59):02d} (xfr#{k + 1}, to-chk={100 - k}/{120})"


def ffmpeg(r):
    for k in range(r.randint(20, 80)):
        yield f"frame={k * 30:5d} fps={r.randint(20, 60)} q={r.uniform(20, 31):.1f} size={k * 256:8d}kB time=00:00:{k % 60:02d}.{r.randint(0, 99):02d} bitrate={r.uniform(400, 900):.1f}kbits/s speed={r.uniform(0.8, 2):.2f}x"


def pytest(r):
    n = r.randint(20, 90)
    for k in range(n):
        yield f"tests/test_{r.choice(WORDS)}.py::test_{r.choice(WORDS)}[{k}-{r.uniform(0, 1):.2f}] PASSED [{100 * (k + 1) // n:3d}%]"
    yield f"==== {n} passed in {r.uniform(1, 90):.2f}s ===="


def nvidia(r):
    for _ in range(r.randint(5, 20)):
        yield "|   0  NVIDIA H100 80GB HBM3    On  | 00000000:18:00.0 Off |                    0 |"
        yield f"| N/A   {r.randint(30, 80)}C    P0    {r.randint(60, 700)}W / 700W |  {r.randint(0, 81559)}MiB / 81559MiB |    {r.randint(0, 100)}%      Default |"


def vmstat(r):
    yield "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----"
    yield " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st"
    for _ in range(r.randint(20, 60)):
        yield "".join(f"{r.randint(0, 99999):7d}" for _ in range(17))


def ping(r):
    for k in range(r.randint(20, 90)):
        yield f"64 bytes from 10.0.0.1: icmp_seq={k + 1} ttl=64 time={r.uniform(0.2, 40):.3f} ms"
    yield f"{k} packets transmitted, {k} received, 0% packet loss, time {k * 1001}ms"


def readme(r):
    yield f"# {r.choice(WORDS)} {r.choice(WORDS)}"
    for k in range(r.randint(60, 200)):
        yield r.choice(["", f"## {k}. {r.choice(WORDS)}", f"Set the learning rate to {r.uniform(0, 1):.4f} and the batch size to {2 ** r.randint(3, 9)}.",
                        f"- version {r.randint(0, 9)}.{r.randint(0, 9)}: {r.choice(WORDS)} is {r.randint(2, 9)}x faster", f"    python train.py --lr {r.uniform(0, 1):.5f} --epochs {r.randint(1, 300)}",
                        f"The accuracy is {r.uniform(50, 99):.1f} % after {r.randint(10, 300)} epochs, see table {k}."])


def changelog(r):
    for k in range(r.randint(10, 60), 0, -1):
        yield f"## {k // 10}.{k % 10}.0 (2026-{r.randint(1, 12):02d}-{r.randint(1, 28):02d})"
        yield f"* fix loss of {r.choice(WORDS)} in step {r.randint(1, 9)} (#{r.randint(1, 9000)})"


def sensors(r):
    for k in range(r.randint(30, 120)):
        yield f"sample {k}: temperature {r.uniform(18, 30):.2f} C, humidity {r.uniform(20, 80):.1f} %, pressure {r.uniform(990, 1030):.1f}"


def csv_of_prices(r):
    yield "date,open,high,low,close,volume"
    for k in range(r.randint(30, 120)):
        yield f"2026-{1 + k // 28 % 12:02d}-{1 + k % 28:02d},{r.uniform(90, 110):.2f},{r.uniform(110, 120):.2f},{r.uniform(80, 90):.2f},{r.uniform(90, 110):.2f},{r.randint(1000, 9999999)}"


def app_json(r):
    for k in range(r.randint(20, 90)):
        yield json.dumps({"level": r.choice(["info", "warn"]), "ts": 1795877000 + k, "msg": r.choice(WORDS), "step": k, "took_ms": round(r.uniform(0, 90), 2)})


def kubernetes(r):
    for k in range(r.randint(20, 90)):
        yield f"{k}m         Normal    {r.choice(['Scheduled', 'Pulled', 'Created'])}   pod/{r.choice(WORDS)}-{r.getrandbits(20):05x}   took {r.uniform(0, 9):.2f}s"


def google_benchmark(r):
    yield "Benchmark                  Time             CPU   Iterations"
    for k in range(r.randint(10, 50)):
        yield f"BM_{r.choice(WORDS)}/{2 ** (k % 20):<10d} {r.uniform(1, 9999):10.1f} ns {r.uniform(1, 9999):12.1f} ns {r.randint(100, 9999999):12d}"


def latency(r):
    for k in range(r.randint(20, 200)):
        yield f"iter {k}: latency {r.uniform(1, 9):.3f} ms, throughput {r.uniform(100, 900):.1f} req/s"


def solver(r):
    x = 1.0
    for k in range(r.randint(20, 200)):
        x *= r.uniform(0.5, 0.99)
        yield f"Iteration {k:4d}  residual {x:.6e}  objective {10 + x:.8f}"


def thermo(r):
    yield "   Step          Temp          E_pair         TotEng         Press     "
    for k in range(r.randint(20, 90)):
        yield f"{k * 100:9d}   {300 + r.uniform(-9, 9):.5f}   {-6.77 + r.uniform(-1, 1):.7f}   {-4.6 + r.uniform(-1, 1):.7f}   {-5 + r.uniform(-1, 1):.7f}"


def scf(r):
    for k in range(1, r.randint(10, 40)):
        yield f"     iteration #{k:3d}     ecut=    30.00 Ry     beta= 0.70"
        yield f"     total energy              = {-15.8 - math.exp(-k):16.8f} Ry"
        yield f"     estimated scf accuracy    < {math.exp(-k):16.8f} Ry"


def sampler(r):
    for k in range(0, 2001, 100):
        yield f"Chain 1: Iteration: {k:4d} / 2000 [{k // 20:3d}%]  (Warmup)"


def chain(r):
    slot = r.randint(10 ** 6, 10 ** 7)
    for k in range(r.randint(30, 120)):
        yield f"Nov 28 10:{k % 60:02d}:07.000 INFO Synced slot: {slot + k}, block: 0x{r.getrandbits(32):08x}, epoch: {(slot + k) // 32}, finalized_epoch: {(slot + k) // 32 - 2}, peers: {r.randint(20, 90)}"


def sql(r):
    yield " id | name | total | price "
    yield "----+------+-------+-------"
    for k in range(r.randint(20, 90)):
        yield f" {k} | {r.choice(WORDS)} | {r.randint(0, 999)} | {r.uniform(0, 99):.2f}"


def requirements(r):
    for k in range(r.randint(10, 90)):
        yield f"{r.choice(WORDS)}{k}=={r.randint(0, 9)}.{r.randint(0, 99)}.{r.randint(0, 9)}"


def config(r):
    for k in range(r.randint(20, 90)):
        yield f"{r.choice(WORDS)}_{k}: {r.choice([r.uniform(0, 1), r.randint(0, 512), 'true', 'adamw'])}"
    yield "learning_rate: 0.001"
    yield "loss: cross_entropy"


def model_summary(r):
    yield "Layer (type)                 Output Shape              Param #"
    yield "=" * 65
    for k in range(r.randint(10, 60)):
        yield f"conv2d_{k} (Conv2D)            (None, {r.randint(7, 224)}, {r.randint(7, 224)}, {2 ** r.randint(3, 9)})        {r.randint(0, 999999)}"
    yield f"Total params: {r.randint(10 ** 6, 10 ** 8):,}"


def download(r):
    n = r.randint(100, 900)
    for k in range(0, n, 9):
        yield f"model.safetensors: {100 * k // n:3d}%|{'█' * (10 * k // n):10}| {k}/{n} [00:{k % 60:02d}<00:{(n - k) % 60:02d}, {r.uniform(1, 90):.1f}MB/s]"


def loading(r):
    for part in range(1, r.randint(5, 60)):
        yield f"Loading checkpoint shards: {part}/60, memory {r.uniform(1, 80):.1f} GB, elapsed {part * 1.7:.1f}s"


def transcript(r):
    for k in range(r.randint(20, 90)):
        yield f"00:{k:02d}:{r.randint(0, 59):02d} --> 00:{k:02d}:59"
        yield f"We lost {r.randint(1, 9)} of {r.randint(10, 90)} in step {r.randint(1, 9)}."


def game(r):
    for k in range(r.randint(20, 90)):
        yield f"Round {k + 1}: player {r.randint(1, 4)} has {r.randint(0, 900)} points, {r.uniform(0, 1):.2f} of the board"


def evaluation(r):
    yield "              precision    recall  f1-score   support"
    for k in range(r.randint(5, 40)):
        yield f"{r.choice(WORDS) + str(k):>14}       {r.uniform(0, 1):.2f}      {r.uniform(0, 1):.2f}      {r.uniform(0, 1):.2f}      {r.randint(10, 999)}"


def numbers(r):
    for _ in range(r.randint(30, 200)):
        yield " ".join(f"{r.uniform(-1, 1):.6f}" for _ in range(r.randint(2, 8)))


def steps_of_a_recipe(r):
    for k in range(1, r.randint(6, 20)):
        yield f"Step {k}: mix {r.randint(1, 900)} g of flour with {r.uniform(0, 1):.2f} l of water for {r.randint(1, 20)} min"


def ci(r):
    n = r.randint(6, 30)
    for k in range(1, n):
        yield f"Step {k}/{n}: {r.choice(WORDS)} finished in {r.uniform(0, 99):.1f}s, coverage {r.uniform(50, 100):.2f}%"


def backup(r):
    for k in range(r.randint(20, 90)):
        yield f"[{k + 1}/{200}] copied {r.choice(WORDS)}{k}.tar, {r.uniform(1, 900):.1f} MB, ratio {r.uniform(0, 1):.3f}"


def speed_of_a_disk(r):
    for k in range(r.randint(20, 90)):
        yield f"pass {k}: write {r.uniform(100, 900):.1f} MB/s, read {r.uniform(100, 900):.1f} MB/s, lost {r.randint(0, 3)}"


def network_loss(r):
    yield f"packet loss: {r.uniform(0, 3):.2f} %"
    for k in range(r.randint(20, 90)):
        yield f"[  5]  {k}.00-{k + 1}.00   sec  {r.uniform(100, 120):.0f} MBytes   {r.uniform(900, 999):.0f} Mbits/sec    {r.randint(0, 9)}   {r.randint(100, 900)} KBytes"


def balance(r):
    for year in range(2026 - r.randint(5, 15), 2027):
        yield f"{year}: revenue {r.uniform(1, 90):.1f}M, loss {r.uniform(0, 9):.1f}M"


def league(r):
    for k in range(1, r.randint(10, 20)):
        yield f"{k:2d} | {r.choice(WORDS)} United | played {r.randint(1, 30)} | wins {r.randint(1, 30)} | losses {r.randint(1, 30)}"


def race(r):
    for k in range(1, r.randint(10, 60)):
        yield f"Lap {k}: {r.uniform(70, 90):.3f}s, gap {r.uniform(0, 3):.3f}s, top {r.uniform(200, 300):.1f} km/h"


def orders(r):
    first = r.randint(1000, 9000)
    for k in range(r.randint(20, 90)):
        yield f"Order {first + k}; items: {r.randint(1, 9)}; total: {r.uniform(1, 900):.2f}; discount: {r.uniform(0, 1):.2f}"


def survey_answers(r):
    for k in range(1, r.randint(6, 12)):
        yield f"Question {k}, mean {r.uniform(1, 5):.2f}, loss of answers {r.uniform(0, 9):.1f} %"


def chapters(r):
    for k in range(1, r.randint(20, 60)):
        yield f"{k}. {r.choice(WORDS)} {r.choice(WORDS)} ... {k * 12 + r.randint(0, 9)}"


def queue(r):
    for k in range(r.randint(20, 90)):
        yield f"[{1000 + k}, {r.uniform(0, 1):.3f}] worker {r.randint(0, 9)} waited {r.uniform(0, 9):.2f}s"


def health(r):
    for _ in range(r.randint(20, 90)):
        yield f"heartbeat ok, latency={r.uniform(0, 90):.1f}ms, dropped={r.randint(0, 3)}, loss={r.uniform(0, 3):.1f}%, jitter={r.uniform(0, 9):.2f}ms"


def averages(r):
    yield "# Time-averaged data for fix out"
    yield "# TimeStep v_temp v_press"
    for k in range(r.randint(20, 90)):
        yield f"{k * 100} {300 + r.uniform(-9, 9):.4f} {-5 + r.uniform(-1, 1):.6f}"


def csv_in_a_text(r):
    yield "step,elapsed,items,note"
    for k in range(r.randint(20, 90)):
        yield f"{k},{r.uniform(0, 9):.3f},{r.randint(100, 999)},{r.choice(WORDS)}"


def prose_with_commas(r):
    yield "Epoch, step and loss are words"
    for k in range(r.randint(20, 90)):
        yield f"{k}, {r.choice(WORDS)}, {r.randint(1, 99)}, {r.choice(WORDS)}"


def trains(r):
    for k in range(r.randint(20, 90)):
        yield f"Line {k}: seats {r.uniform(10, 99):.1f}% taken, delay of this train {r.uniform(0, 20):.1f} min, on time {r.uniform(50, 99):.1f}%"


def findings(r):
    for k in range(1, r.randint(20, 60)):
        yield f"Sample {k}: the mean is {r.uniform(0, 9):.2f}, its error is {r.uniform(0, 1):.3f} and the loss of water is {r.uniform(0, 9):.1f} ml"


def parts(r):
    n = r.randint(10, 60)
    for k in range(1, n):
        yield f"[{k} of {n}] Fetching part[{k * 100}-{k * 100 + 99}]: {r.uniform(1, 90):.1f} MB at {r.uniform(1, 90):.2f} MB/s"


def matches(r):
    for k in range(r.randint(20, 90)):
        yield f"{k} [Home goals: {r.randint(0, 5)}, shots: {r.uniform(0, 20):.1f}] [Away goals: {r.randint(0, 5)}]"


def table_of_a_shop(r):
    yield "item\tprice\tstock"
    for k in range(r.randint(20, 90)):
        yield f"{k}\t{r.uniform(0, 99):.2f}\t{r.randint(0, 50)}"


def tests_so_far(r):
    for k in range(r.randint(20, 90)):
        yield f"Epoch {r.choice(WORDS)}: the number of tests so far is {k * 3}, time so far is {k * 1.5:.1f} s"


def shards(r):
    n = r.randint(4, 30)
    for k in range(1, n + 1):
        yield f"Epoch shards (num_proc={r.randint(2, 8)}): {100 * k // n:3d}%|{'█' * (k * 10 // n)}| {k}/{n} [00:{k:02d}<00:09,  4.43 examples/s]"


def three_words(r):
    for k in range(r.randint(20, 90)):
        yield f"{k} {r.choice(['files', 'users', 'seats', 'tests'])} {r.uniform(0, 99):.2f}"


def percents(r):
    n = r.randint(20, 90)
    for k in range(1, n + 1):
        yield f"{k}s (- {n - k}s) ({k * 100} {100 * k // n}%) {r.uniform(1, 90):.2f}"


def rounds(r):
    for k in range(1, r.randint(10, 40)):
        yield f"Round {k}/40: home {r.uniform(0, 9):.1f}, away {r.uniform(0, 9):.1f}, test of courage {r.uniform(0, 9):.1f}"


def halves(r):
    for k in range(1, r.randint(10, 60)):
        yield f"[test] part {k}"
        yield f"Eval of part {k}: price {r.uniform(0, 99):.2f}, weight: {r.uniform(0, 9):.3f}"


OTHERS = [three_words, percents, rounds, halves, table_of_a_shop, tests_so_far, shards, findings, parts, matches, averages, csv_in_a_text, prose_with_commas, trains, pip, ninja, make_percent, compiler, dmesg, syslog, nginx, docker, git, rsync, ffmpeg, pytest, nvidia, vmstat, ping, readme, changelog, sensors,
          csv_of_prices, app_json, kubernetes, google_benchmark, latency, solver, thermo, scf, sampler, chain, sql, requirements, config, model_summary,
          download, loading, transcript, game, evaluation, numbers, steps_of_a_recipe, ci, backup, speed_of_a_disk, network_loss,
          balance, league, race, orders, survey_answers, chapters, queue, health]


# --- logs of trainers: functions of a generator that give lines, and the loss as it is written at each step ---

class Log:
    """The lines of a log, and what is written in it: {step: {name: value}}."""

    def __init__(self, r):
        self.r, self.lines, self.want = r, [], {}
        self.n, self.floor, self.start = r.choice([20, 40, 90]), r.uniform(0.1, 2), r.uniform(1, 9)

    def loss(self, x):
        return self.floor + self.start * math.exp(-4 * x) * math.exp(self.r.gauss(0, 0.02))

    def add(self, step, line, **values):
        self.lines.append(line)
        if step is not None:
            self.want.setdefault(step, {}).update({k: float(v.replace(",", "")) for k, v in values.items()})


def epochs(log, form, first=0, size=None, shift=0, every=10):
    """Rows of three epochs: form(epoch, step within it, loss, share)."""
    size = size or log.n * every
    for e in range(3):
        for k in range(log.n // 2):
            s = k * every + shift
            loss = f"{log.loss((e + k / log.n) / 3):.4f}"
            log.add(e * size + s, form(e + first, s, size, loss), loss=loss)


def nanogpt(log):
    log.lines += ["tokens per iteration will be: 491,520", "number of parameters: 123.59M"]
    for s in range(log.n):
        loss = f"{log.loss(s / log.n):.4f}"
        if s % 10 == 0:
            value = f"{log.loss(s / log.n):.4f}"
            log.add(s, f"step {s}: train loss {value}, val loss {value}", **{"eval_loss": value})
        log.add(s, f"iter {s}: loss {loss}, time {log.r.uniform(90, 110):.2f}ms, mfu {log.r.uniform(30, 40):.2f}%", loss=loss)


def nanochat(log):
    for s in range(log.n):
        loss = f"{log.loss(s / log.n):.6f}"
        log.add(s, f"step {s:05d}/{log.n:05d} ({100 * s / log.n:.2f}%) | loss: {loss} | lrm: 1.00 | dt: 104.17ms | tok/sec: {log.r.randint(400000, 500000):,} | bf16_mfu: 41.20 | epoch: 1 | total time: {s / 60:.2f}m", loss=loss)


def modded_nanogpt(log):
    for s in range(log.n):
        loss = f"{log.loss(s / log.n):.4f}"
        log.add(s, f"step:{s}/{log.n} train_loss:{loss} train_time:{s * 97}ms step_avg:97.31ms", loss=loss)


def gpt2_in_c(log):
    for s in range(1, log.n):
        loss = f"{log.loss(s / log.n):.6f}"
        log.add(s, f"step {s:4d}/{log.n} | loss {loss} (+0.21z)| norm 1.0312 (-0.33z)| lr 3.00e-04 | 1342.51 ms | 42.3% bf16 MFU | 390571 tok/s", loss=loss)


def mnist(log):
    size = log.n * 640
    for e in (1, 2, 3):
        for k in range(log.n // 2):
            loss = f"{log.loss((e - 1 + k / log.n) / 3):.6f}"
            log.add((e - 1) * size + k * 640, f"Train Epoch: {e} [{k * 640}/{size} ({100 * k / log.n:.0f}%)]\tLoss: {loss}", loss=loss)
        log.lines += ["", f"Test set: Average loss: {log.loss(e / 3):.4f}, Accuracy: {9000 + e}/10000 ({90 + e / 10:.0f}%)", ""]


def imagenet(log):
    epochs(log, lambda e, s, size, loss: f"Epoch: [{e}][{s:4d}/{size}]\tTime  0.520 ( 0.531)\tData  0.001 ( 0.040)\tLoss {loss} ({loss})\tAcc@1  10.10 ( 10.20)\tAcc@5  30.30 ( 30.40)")


def tutorial(log):
    epochs(log, lambda e, s, size, loss: f"Epoch [{e}/3], Step [{s}/{size}], Loss: {loss}", first=1, shift=10)


def keras(log):
    for e in range(1, log.n):
        loss = f"{log.loss(e / log.n):.4f}"
        log.lines.append(f"Epoch {e}/{log.n}")
        log.add(e, f"100/100 - 1s - 12ms/step - accuracy: 0.8125 - loss: {loss} - val_accuracy: 0.8001 - val_loss: {log.loss(e / log.n):.4f}", loss=loss)


def keras_bars(log):
    for e in range(1, log.n):
        loss = f"{log.loss(e / log.n):.4f}"
        log.lines.append(f"Epoch {e}/{log.n}")
        log.add(e, f"32/32 [{'=' * 30}] - 3s 40ms/step - loss: {loss} - accuracy: 0.5050", loss=loss)


def torchtune(log):
    for s in range(1, log.n):
        loss = repr(log.loss(s / log.n))
        log.add(s, f"Step {s} | loss:{loss} lr:2e-05 tokens_per_second_per_gpu:{log.r.uniform(500, 600)} peak_memory_active:23.1 ", loss=loss)


def timm(log):
    epochs(log, lambda e, s, size, loss: f"Train: {e} [{s:4d}/{size} ({100 * s / size:3.0f}%)]  Loss: {loss} ({loss})  Time: 0.321s,  797.51/s  (0.324s,  790.12/s)  LR: 1.000e-03  Data: 0.010 (0.011)")


def deepspeed(log):
    for s in range(10, log.n * 10, 10):
        lr = f"{1e-4 * (1 - s / log.n / 11):.6g}"
        log.add(s, f"[2026-11-28 14:00:{s % 60:02d},123] [INFO] [logging.py:128:log_dist] [Rank 0] step={s}, skipped=0, lr=[{lr}], mom=[(0.9, 0.95)]", lr=lr)
        log.lines.append(f"[2026-11-28 14:00:{s % 60:02d},124] [INFO] [logging.py:128:log_dist] [Rank 0] time (ms) | fwd: 212.18 | bwd: 431.20 | step: 18.40")


def olmo(log):
    for s in range(1, log.n):
        loss = f"{log.loss(s / log.n):.3f}"
        log.lines.append(f"2026-03-19 02:40:{s % 60:02d}.640\thost:0\tolmo.train:850\tINFO\t[step={s}/739328]")
        log.add(s, f"    train/CrossEntropyLoss={loss}", loss=loss)
        log.lines += [f"    train/Perplexity={math.exp(float(loss)):,.0f}", f"    throughput/total_tokens={s * 4194304:,}", f"    optim/total_grad_norm={log.r.uniform(1, 3):.4f}"]


def mmengine(log):
    epochs(log, lambda e, s, size, loss: f"11/28 14:00:{s % 60:02d} - mmengine - INFO - Epoch(train) [{e}][{s:4d}/{size}]  lr: 1.9985e-04  eta: 2:46:39  time: 0.2893  data_time: 0.0043  memory: 10762  loss: {loss}  grad_norm: 2.6864", first=1, shift=10)


def mmcv(log):
    epochs(log, lambda e, s, size, loss: f"2026-11-28 14:00:{s % 60:02d},697 - mmdet - INFO - Epoch [{e}][{s}/{size}]\tlr: 2.500e-03, eta: 1 day, 0:04:25, time: 0.914, data_time: 0.236, memory: 2790, loss_cls: 0.5377, acc: 81.6211, loss: {loss}", first=1, shift=10)


def detectron2(log):
    for s in range(19, 20 * log.n, 20):
        loss = f"{log.loss(s / log.n / 20):.3f}"
        log.add(s, f"[11/28 10:01:33 d2.utils.events]:  eta: 1 day, 2:03:04  iter: {s}  total_loss: {loss}  loss_cls: 1.939  time: 0.2608  last_time: 0.2511  data_time: 0.0123  lr: 5.0000e-06  max_mem: 2519M", loss=loss)


def metric_logger(log):
    epochs(log, lambda e, s, size, loss: f"Epoch: [{e}]  [{s:4d}/{size}]  eta: 0:10:00  lr: 0.001435  loss: {loss} ({loss})  time: 0.5001  data: 0.0001  max mem: 19152")


def levanter(log):
    for s in range(1, log.n):
        loss = f"{log.loss(s / log.n):.2f}"
        log.add(s, f"2026-10-01T10:01:00 - 0 - levanter.callbacks - train.py:88 - INFO :: Progress on:train {s}.0it/{log.n}.0it rate:1.0it/s remaining:01:01 elapsed:00:01 postfix:loss={loss}", loss=loss)


def clu(log):
    for s in range(0, 100 * log.n, 100):
        loss = f"{log.loss(s / log.n / 100):.5f}"
        log.add(s, f"I1128 14:00:{s // 100 % 60:02d}.123456 140000000000000 logging_writer.py:48] [{s}] accuracy=0.5125, loss={loss}, learning_rate=0.001", loss=loss)


def mlx(log):
    for s in range(25, 25 * log.n, 25):
        loss = f"{log.loss(s / log.n / 25):.3f}"
        if s % 100 == 0:
            log.add(s, f"Iter {s}: Val loss {loss}, Val took 17.177s", eval_loss=loss)
        log.add(s, f"Iter {s}: Train loss {loss}, Learning Rate 7.000e-05, It/sec 0.999, Tokens/sec 387.697, Trained Tokens {388 * s}, Peak mem 8.104 GB", loss=loss)


def verl(log):
    for s in range(1, log.n):
        loss = f"{log.loss(s / log.n)}"
        log.add(s, f"(TaskRunner pid=123) step:{s} - global_seqlen/min:1234 - actor/entropy:0.5 - actor/loss:{loss} - critic/rewards/mean:0.51 - timing_s/step:12.3", **{"actor/loss": loss})


def prime(log):
    for s in range(1, log.n):
        loss = f"{log.loss(s / log.n):.4f}"
        log.add(s, f"17:45:{s % 60:02d} [INFO] [Rank 0] step: {s}, loss: {loss}, tokens_per_second: 626000.12, mfu: 50.61", loss=loss)


def slim(log):
    for s in range(500, 500 + log.n):
        loss = f"{log.loss((s - 500) / log.n):.4f}"
        log.add(s, f"INFO:tensorflow:global step {s}: loss = {loss} (2.{s % 1000:03d} sec/step)", loss=loss)


def slurm(log):
    log.lines.append("srun: job 12345 queued and waiting for resources")
    for s in range(log.n):
        loss = f"{log.loss(s / log.n):.4f}"
        log.add(s, f"step {s} | train_loss {loss} | lr 1.0e-03 | 123.4 ms", loss=loss)


def tensors(log):
    for s in range(log.n):
        loss = f"{log.loss(s / log.n):.4f}"
        log.add(s, f"step {s}: loss tensor({loss}, device='cuda:0', grad_fn=<NllLossBackward0>)", loss=loss)


def boosting(log):
    for s in range(log.n):
        loss = f"{log.loss(s / log.n):.5f}"
        log.add(s, f"[{s}]\ttrain-rmse:{loss}\teval-rmse:{loss}", **{"train-rmse": loss})


def fastai(log):
    log.lines.append("epoch     train_loss  valid_loss  accuracy  time    ")
    for e in range(log.n):
        loss = f"{log.loss(e / log.n):.6f}"
        log.add(e, f"{e:<10}{loss:<12}{log.loss(e / log.n):<12.6f}0.481700  04:21", loss=loss)


def baselines3(log):
    for s in range(2048, 2048 * log.n, 2048):
        reward = f"{200 - 100 * log.loss(s / log.n / 2048):.1f}"
        log.lines += ["-" * 41, "| rollout/                |             |"]
        log.add(s, f"|    ep_rew_mean          | {reward:<11} |", ep_rew_mean=reward)
        log.lines += ["| time/                   |             |", f"|    total_timesteps      | {s:<11} |", "| train/                  |             |", "|    explained_variance   | 0.4         |"]
    log.lines.append("-" * 41)


def caffe(log):
    for s in range(0, 40 * log.n, 40):
        loss = f"{log.loss(s / log.n / 40):.6f}"
        log.add(s, f"I0411 20:19:{s // 40 % 60:02d}.141243  9236 solver.cpp:218] Iteration {s} (3.47398 iter/s, 11.5142s/40 iters), loss = {loss}", loss=loss)
        log.lines += [f"I0411 20:19:{s // 40 % 60:02d}.141318  9236 solver.cpp:238]     Train net output #0: loss = {loss} (* 1 = {loss} loss)",
                      f"I0411 20:19:{s // 40 % 60:02d}.300858  9236 sgd_solver.cpp:106] Iteration {s}, lr = 0.001"]


def icefall(log):
    for k in range(log.n):
        loss, total = f"{log.loss(k / log.n):.4f}", f"{log.loss(k / log.n) + 1:.4f}"
        log.add(k * 50, f"2026-06-08 08:{k % 60:02d}:22,072 INFO [train.py:815] Epoch 1, batch {k * 50}, loss[loss={loss}, simple_loss=1.206, over 5392.00 frames.], tot_loss[loss={total}, simple_loss=1.489, over 31213.18 frames.], batch size: 18, lr: 3.00e-03", loss=loss, **{"tot_loss/loss": total})


def agents(log):
    for s in range(1000, 1000 * log.n, 1000):
        reward = f"{9 - log.loss(s / log.n / 1000):.3f}"
        log.add(s, f"INFO:mlagents.trainers: a-0: Brain: Step: {s}. Time Elapsed: {s / 200:.3f} s Mean Reward: {reward}. Std of Reward: 0.471. Training.", **{"Mean Reward": reward})


def catboost(log):
    for s in range(log.n):
        learn = f"{log.loss(s / log.n):.7f}"
        log.add(s, f"{s}:\tlearn: {learn}\ttest: 0.8235312\tbest: 0.8235312 (1)\ttotal: {s / 2 + 0.5:.3g}s\tremaining: 1h {s % 60}m 38s", learn=learn)


def cut_epochs(log):
    """Steps that begin again, without the number of steps of an epoch."""
    last = 0
    for e in range(3):
        for k in range(1, log.n // 2):
            loss = f"{log.loss((e + k / log.n) / 3):.4f}"
            log.add(last + k, f"epoch {e} step {k} loss {loss} acc {50 + e}.{k % 10}%", loss=loss)
        last += log.n // 2 - 1


def espnet(log):
    for e in (1, 2, 3):
        for k in range(log.n // 2):
            loss = f"{log.loss((e - 1 + k / log.n) / 3):.3f}"
            log.add((e - 1) * log.n // 2 * 100 + (k + 1) * 100, f"[gpu01:0/2] 2026-07-19 08:{k % 60:02d}:04,080 (trainer:464) INFO: {e}epoch:train:{k * 100 + 1}-{(k + 1) * 100}batch: iter_time=2.878e-04, forward_time=0.134, loss={loss}, acc=0.{e}13, optim_step_time=0.030, lr_0=3.460e-06, train_time=1.816", loss=loss)
        log.lines.append(f"[gpu01:0/2] 2026-07-19 09:00:04,080 (trainer:243) INFO: {e}epoch results: [train] iter_time=0.001, loss={log.loss(e / 3):.3f}, [valid] loss={log.loss(e / 3):.3f}")


def marian(log):
    for s in range(1, log.n):
        cost = f"{log.loss(s / log.n):.8f}"
        log.add(s * 100, f"[2026-07-17 12:{s % 60:02d}:33] Ep. {1 + 3 * s // log.n} : Up. {s * 100} : Sen. {s * 12800:,} : Cost {cost} : Time {log.r.uniform(30, 40):.2f}s : {log.r.uniform(3000, 9000):.2f} words/s", Cost=cost)


def episodes(log):
    for s in range(10, log.n * 10, 10):
        score = f"{10 - log.loss(s / log.n / 10):.2f}"
        log.add(s, f"Episode {s}\tAverage Score: {score}\tScore: {log.r.uniform(0, 20):.2f}", **{"Average Score": score})


def coqui(log):
    for k in range(1, log.n):
        loss = f"{log.loss(k / log.n):.5f}"
        log.lines.append(f"   --> STEP: {k * 25 % 377}/377 -- GLOBAL_STEP: {1000 + k * 25}")
        log.add(1000 + k * 25, f"     | > loss_disc: {loss}  ({loss})", loss_disc=loss)
        log.lines += ["     | > current_lr_0: 0.00018 ", "     | > step_time: 0.55960  (0.62170)", ""]


def darknet(log):
    for s in range(1, log.n):
        loss = f"{log.loss(s / log.n):.6f}"
        log.add(s, f" {s}: {log.loss(s / log.n):.6f}, {loss} avg loss, 0.004000 rate, 1.429193 seconds, {s * 64} images, 30.824708 hours left", loss=loss)
        log.lines += [f"v3 (iou loss, Normalizer: (iou: 0.07, cls: 1.00) Region {n} Avg (IOU: 0.{log.r.randint(100000, 999999)}), count: {n}, class_loss = 3.023438, total_loss = 8.452942 " for n in (133, 144)]
        log.lines.append(f"Loaded: 0.{log.r.randint(100000, 999999)} seconds")


def rvc(log):
    for k in range(1, log.n):
        loss = f"{log.loss(k / log.n):.3f}"
        log.lines += [f"INFO:model:Train Epoch: {k // 3} [{k % 3 * 33}%]", f"INFO:model:[{k * 200}, 9.990004373906418e-05]"]
        log.add(k * 200, f"INFO:model:loss_disc=3.959, loss_gen=3.062, loss_mel={loss}, loss_kl=1.535", loss_mel=loss)


def fasttext(log):
    for k in range(log.n):
        loss = f"{log.loss(k / log.n):.6f}"
        log.add(k, f"Progress: {100 * k / log.n:.1f}%  words/sec/thread: {log.r.randint(10 ** 6, 2 * 10 ** 6)}  lr: {0.1 * (1 - k / log.n):.6f}  loss: {loss}  eta: 0h11m ", loss=loss)


def tesseract(log):
    for s in range(100, 100 * log.n, 100):
        rate = f"{10 * log.loss(s / log.n / 100):.3f}"
        log.add(s, f"At iteration {s}/{s}/{s + s // 20}, Mean rms=4.144%, delta=43.655%, char train={rate}%, word train=99.867%, skip ratio=4.5%,  wrote checkpoint.", **{"char train(%)": rate})


def kaldi(log):
    for s in range(0, 100 * log.n, 100):
        objf = f"{log.loss(s / log.n / 100):.6f}"
        log.add(s, f"2020-01-31 16:17:{s // 100 % 60:02d},536 INFO [train.py:102] Process {s}/{100 * log.n}({s / log.n:.6f}%) global average objf: {objf} over {6400 + s}.0 frames, current batch average objf: -0.457086 over 6400 frames, epoch 0", **{"global average objf": objf})


def deepmd(log):
    log.lines.append("#  step      rmse_trn    rmse_e_trn    rmse_f_trn         lr")
    for s in range(0, 100 * log.n, 100):
        rmse = f"{log.loss(s / log.n / 100):.2e}"
        log.add(s, f"{s:7d}      {rmse}      6.40e-01      8.74e-01    1.0e-03", rmse_trn=rmse)


def commas(log):
    """A table of CSV within what is printed: a whole number behind a comma is no part of the one before."""
    log.lines += ["seed 1", "epoch,finished,loss,seen"]
    for e in range(log.n):
        loss = f"{log.loss(e / log.n):.4f}" if e % 3 else f"{e + 100}"
        log.add(e, f"{e},04.29_0{e % 10}:45:54,{loss},{e + 100}", loss=loss, seen=f"{e + 100}")


def spaced_commas(log):
    log.lines.append("Epoch ,LR    ,RMSE_Train ,RMSE_Val")
    for e in range(log.n):
        rmse = f"{100 * log.loss(e / log.n):9.4f}"
        log.add(e, f"{e:5d} ,0.001 ,{rmse} ,1103.956", RMSE_Train=rmse)


def sockeye(log):
    for s in range(50, 50 * log.n, 50):
        speed, tokens = f"{log.r.uniform(50, 80):.2f}", f"{log.r.uniform(1900, 2000):.2f}"
        value = f"{log.loss(s / log.n / 50):.6f}"
        log.add(s, f"[2019-03-17:14:36:36:INFO:sockeye.training:__call__] Epoch[0] Batch [{s}]\tSpeed: {speed} samples/sec {tokens} tokens/sec 1.27 updates/sec\tperplexity={value}",
                **{"perplexity": value, "Speed(samples/sec)": speed, "tokens_per_second": tokens, "updates/sec": "1.27"})


def gan(log):
    for s in range(log.n):
        loss, other = f"{log.loss(s / log.n):.6f}", f"{log.loss(s / log.n) + 1:.6f}"
        log.add(s, f"{s} [D loss: {loss}, acc.: {50 + s / 10:.2f}%] [G loss: {other}]", **{"D loss": loss, "G loss": other, "acc(%)": f"{50 + s / 10:.2f}"})


def cntk(log):
    for k in range(log.n):
        value = f"{log.loss(k / log.n):.8f}"
        log.add((k + 1) * 100, f" Epoch[ 1 of 50]-Minibatch[{k * 100 + 1:5d}-{(k + 1) * 100:5d}]: cr = {value} * 80000; Err = 0.6277 * 80000; time = 22.3754s; samplesPerSecond = 3575.4", cr=value)


def fssd(log):
    for k in range(log.n):
        value = f"{log.loss(k / log.n):.4f}"
        log.add(k * 10, f"Epoch:{k * 10 // 15 + 1} || epochiter: {k * 10 % 15}/15|| Totel iter {k * 10} || L: {value} C: {value}||Batch time: 0.4946 sec. ||LR: 0.00001000", L=value, C=value)


def indices(log):
    epochs(log, lambda e, s, size, loss: f"[epoch_index: {e}/3][batch_index:{s}/{size}] [D loss: 0.140700, acc:  54%] [G loss: 4.895703, adv: 0.535407, loss: {loss}]")


def bigdl(log):
    for s in range(1, log.n):
        loss = f"{log.loss(s / log.n):.8f}"
        log.add(s, f"[Epoch 1 {s * 512}/{log.n * 512}][Iteration {s}][Wall Clock {s * 1.5:.6f}s] Train 512 in 1.236008372seconds. Throughput is 414.66 records/second. Loss is {loss}.", loss=loss, Throughput="414.66")


def first_darknet(log):
    for s in range(1, log.n):
        mean = f"{log.loss(s / log.n):.6f}"
        log.lines.append(f"Region Avg IOU: 0.{log.r.randint(100000, 999999)}, Class: 0.095791, Obj: 0.067929, No Obj: 0.002373, .5R: 0.500000, .75R: 0.000000,  count: 2")
        log.add(s, f"{s}: {log.loss(s / log.n):.6f}, {mean} avg, 0.001000 rate, 841.615188 seconds, {s * 64} images", avg=mean, rate="0.001")
        log.lines.append("Loaded: 0.000050 seconds")


def denoiser(log):
    """Train and Valid have the same counters; only the former are the steps of the training."""
    for e in range(1, 4):
        for s in range(10, log.n * 10, 10):
            loss = f"{log.loss((e - 1 + s / log.n / 10) / 3):.4f}"
            log.add((e - 1) * log.n * 10 + s, f"Train | Epoch {e} | {s}/{log.n * 10} | 1.5 it/sec | Loss {loss}", loss=loss)
        log.lines += [f"Train Summary | Epoch {e} | Loss={log.loss(1):.4f}"] + [f"Valid | Epoch {e} | {k}/3 | 0.4 it/sec | Loss {log.loss(0):.4f}" for k in (1, 2)]


def paddle_rec(log):
    for e in range(3):
        for s in range(log.n // 2):
            loss = f"{log.loss((e + s / log.n) / 3):.7f}"
            log.add(e * (log.n // 2) + s, f"2026-04-12 20:3{e}:34,140 - INFO - epoch: {e}, batch_id: {s}, AUC:0.9393, ACC:0.8921, loss:{loss}, avg_batch_cost: 0.57679 sec, ips: 1775.34232 ins/s", loss=loss)
        log.lines.append(f"2026-04-12 20:44:17,361 - INFO - epoch: {e} done, AUC: 0.9393, ACC: 0.8919, loss:0.1074, epoch time: 1093.17 s")


def so_far(log):
    for e in range(3):
        log.lines.append(f"Starting epoch {e} current lr is 0.001")
        for s in range(25, log.n * 25, 25):
            loss = f"{log.loss((e + s / log.n / 25) / 3):.17f}"
            log.add(e * (log.n - 1) * 25 + s, f"Epoch {e}, Step {s}, total used time {e * 900 + s * 0.27:.13f} (s), avg loss so far is {loss}", loss=loss)


def tabs(log):
    log.lines.append("step\tloss\tlr")
    for s in range(10, log.n * 10, 10):
        loss = f"{log.loss(s / log.n / 10):.6f}"
        log.add(s, f"{s}\t{loss}\t0.001", loss=loss)


def running_time(log):
    """The time since the beginning is none of a step."""
    for e in range(3):
        for s in range(10, log.n * 10, 10):
            loss = f"{log.loss((e + s / log.n / 10) / 3):.4f}"
            elapsed = f"{(e * log.n * 10 + s) * 0.35:.4f}"
            log.add(e * log.n * 10 + s, f"2026-06-12 20:44:36,477 - INFO - Epoch: [{e}/200] Iter [{s:4d}/{log.n * 10}] || Time: {elapsed} sec || lr: 0.00771861 || Loss: {loss}", loss=loss, elapsed=elapsed)


def rsl_rl(log):
    for s in range(log.n):
        loss = f"{log.loss(s / log.n):.4f}"
        log.lines += ["#" * 80, f"                       Learning iteration {s}/1500", "", f"                       Computation: {45000 + s} steps/s (collection: 1.234s, learning 0.345s)"]
        log.add(s, f"               Value function loss: {loss}", **{"Value function loss": loss})
        log.lines += [f"                       Mean reward: {log.r.uniform(0, 20):.2f}", "-" * 80, f"                   Total timesteps: {(s + 1) * 98304}", "                    Iteration time: 2.15s", "                               ETA: 00:40:00", ""]


def mindspore(log):
    for s in range(1, log.n):
        loss, time = f"{log.loss(s / log.n):.6f}", f"{log.r.uniform(100, 900):.3f}"
        log.add(s, f"epoch: {s} step: 195, loss is {loss}", loss=loss)
        log.lines.append(f"epoch time: {float(time) * 195:.3f} ms, per step time: {time} ms")


def build_nanogpt(log):
    for s in range(log.n + 10):
        loss = f"{log.loss(s / (log.n + 10)):.6f}"
        if s % 10 == 0:
            value = f"{log.loss(s / log.n) + 0.5:.4f}"
            log.add(s, f"{s} val {value}", val=value)
        log.add(s, f"{s} train {loss}", train=loss)


def both(log, form, twice=True):
    """A line of the training and one of its evaluation, whose values are those of "val_"; form: (what, step, loss, accuracy)."""
    for s in range(1, log.n):
        loss, acc = f"{log.loss(s / log.n):.4f}", f"{log.r.uniform(0, 1):.3f}"
        log.add(s, form("train", s, loss, acc), loss=loss, acc=acc)
        loss, acc = f"{log.loss(s / log.n) + 0.5:.4f}", f"{log.r.uniform(0, 1):.3f}"
        if twice or s % 5 == 0:
            log.add(s, form("val", s, loss, acc), eval_loss=loss, val_acc=acc)


def phase_before(log):
    both(log, lambda what, s, loss, acc: f"[{what.title()}] Epoch {s} loss {loss} acc {acc}")


def phase_behind(log):
    both(log, lambda what, s, loss, acc: f"Epoch {s}/99 | {what} | loss: {loss} | acc: {acc}")


def phase_of_step(log):
    both(log, lambda what, s, loss, acc: f"INFO {what} step {s}: loss={loss} acc={acc}", twice=False)


def phase_in_name(log):
    both(log, lambda what, s, loss, acc: f"epoch {s} {what}_loss: {loss} acc: {acc}")


def transfer(log):
    for s in range(log.n):
        log.lines += [f"Epoch {s}/{log.n - 1}", "----------"]
        for what in ("train", "val"):
            loss, acc = f"{log.loss(s / log.n):.4f}", f"{log.r.uniform(0, 1):.4f}"
            values = {"loss": loss, "Acc": acc} if what == "train" else {"eval_loss": loss, "val_Acc": acc}
            log.add(s, f"{what} Loss: {loss} Acc: {acc}", **values)
        log.lines.append("")
    log.lines += ["Training complete in 1m 7s", "Best val Acc: 0.947712"]


def evaluated_behind(log):
    for s in range(1, log.n):
        loss = f"{log.loss(s / log.n):.4f}"
        log.add(s * 10, f"Step {s * 10}, loss: {loss}, lr: 0.001", loss=loss)
        if s % 4 == 0:
            loss = f"{log.loss(s / log.n) + 0.5:.4f}"
            log.add(s * 10, f"Validation: loss: {loss}, time: 3", eval_loss=loss)


def psnr(log):
    for s in range(1, log.n):
        value = f"{30 + 10 * s / log.n:.2f}"
        log.add(s, f"Time_Cost: {90 + s}s, Epoch: [{s}/{log.n}],Val_PSNR: {value}, Val_SSIM: 0.9434", Val_PSNR=value)


def described_bar(log):
    for s in range(1, log.n):
        d, g = f"{log.r.uniform(-9, 9):.3f}", f"{log.r.uniform(0, 1):.3f}"
        log.add(s, f"d: {d};gen: {g}: {100 * s // 500:3d}%|{'█' * (s // 50)}{' ' * (10 - s // 50)}| {s}/500 [00:18<19:55:02,  3.59s/it]", d=d, gen=g)


def slowfast(log):
    for e in (1, 2, 3):
        for k in range(1, log.n // 2):
            s, loss = (e - 1) * log.n * 10 + k * 10, f"{log.loss(k / log.n):.5f}"
            log.add(s, f'[05/03 12:00:12][INFO] logging.py:  99: json_stats: {{"_type": "train_iter", "dt": 0.55199, "epoch": "{e}/3", "eta": "1:12:41", "gpu_mem": "5.22G", "iter": "{k * 10}/{log.n * 10}", "loss": {loss}, "lr": 0.01}}', loss=loss)


def mlperf(log):
    def event(key, value, more="", kind="POINT_IN_TIME"):
        return f':::MLLOG {{"namespace": "", "time_ms": 1725490438668, "event_type": "{kind}", "key": "{key}", "value": {value}, "metadata": {{"file": "train.py", "lineno": 9{more}}}}}'
    log.lines += [event("global_batch_size", 256), event("run_start", "null", kind="INTERVAL_START")]
    for s in range(10, 10 * log.n, 10):
        loss, value = f"{log.loss(s / log.n / 10):.4f}", f"{log.r.uniform(0, 1):.5f}"
        log.add(s, event("train_loss", loss, f', "step_num": {s}, "lr": 0.001'), loss=loss)
        if s % 50 == 0:
            log.add(s, event("eval_accuracy", value, f', "step_num": {s}'), eval_accuracy=value)
    log.lines.append(event("run_stop", "null", ', "status": "success"', "INTERVAL_END"))


def dllogger(log):
    for s in range(log.n):
        loss = f"{log.loss(s / log.n):.4f}"
        log.add(s, f'DLLL {{"timestamp": "{1600000000 + s}.1", "datetime": "2020-09-13 12:26:40.1", "elapsedtime": "9.5", "type": "LOG", "step": [0, {s}], "data": {{"train_loss": {loss}, "lr": 0.5}}}}', loss=loss)


def vowpal_wabbit(log):
    log.lines += ["Num weight bits = 18", "learning rate = 0.5", "average  since         example        example  current  current  current", "loss     last          counter         weight    label  predict features"]
    for k in range(12):
        loss = f"{log.loss(k / 12):.6f}"
        log.add(2 ** k, f"{loss} 0.500000 {2 ** k:12d} {2 ** k:14d}.0  -1.0000  -0.9268       38", **{"average loss": loss})


def graph_embedding(log):
    for s in range(100, 100 * log.n, 100):
        loss = f"{log.loss(s / log.n / 100):.15f}"
        for what in ("pos_loss", "neg_loss", "loss"):
            log.add(s, f"[proc 0][Train]({s}/{100 * log.n}) average {what}: {loss}", **{f"average {what}": loss})


def center(log):
    for e in (1, 2, 3):
        for k in range(log.n // 2):
            loss = f"{log.loss(k / log.n):.4f}"
            log.add((e - 1) * log.n + k, f"ctdet/default |{'#' * (k % 30):30}| train: [{e}][{k}/{log.n}]|Tot: 0:00:{k % 60:02d} |ETA: 0:00:40 |loss {loss} |hm_loss 1.1234 |Data 0.001s(0.010s) |Net 0.501s", loss=loss)


def tacotron(log):
    for s in range(log.n):
        loss = f"{log.loss(s / log.n):.6f}"
        log.add(s, f"Train loss {s} {loss} Grad Norm {log.r.uniform(0, 1):.6f} 1.23s/it", loss=loss)


def trax(log):
    for s in range(100, 100 * log.n, 100):
        loss, acc = f"{log.loss(s / log.n / 100):.8f}", f"{log.r.uniform(0, 1):.8f}"
        log.add(s, f"Step {s:6d}: Ran 100 train steps in 12.51 secs\nStep {s:6d}: train CrossEntropyLoss |  {loss}\nStep {s:6d}: eval          Accuracy |  {acc}", loss=loss, **{"eval Accuracy": acc})
    log.lines = [one for line in log.lines for one in line.split("\n")]


TRAINERS = [slowfast, mlperf, dllogger, vowpal_wabbit, graph_embedding, center, tacotron, trax, build_nanogpt, phase_before, phase_behind, phase_of_step, phase_in_name, transfer, evaluated_behind, psnr, described_bar, denoiser, paddle_rec, so_far, tabs, running_time, rsl_rl, mindspore, first_darknet, sockeye, gan, cntk, fssd, indices, bigdl, tesseract, kaldi, deepmd, commas, spaced_commas, nanogpt, nanochat, modded_nanogpt, gpt2_in_c, mnist, imagenet, tutorial, keras, keras_bars, torchtune, timm, deepspeed, olmo, mmengine, mmcv,
            detectron2, metric_logger, levanter, clu, mlx, verl, prime, slim, slurm, tensors, boosting, fastai, baselines3, caffe, icefall, agents, catboost, cut_epochs,
            espnet, marian, episodes, coqui, darknet, rvc, fasttext]


def dressed(log, k):
    """The lines as a launcher or a terminal leaves them: plain, coloured, with returns, or of several ranks, each of which must be read so."""
    lines = log.lines
    if k % 6 == 4:
        lines = [f"{rank}: {line}" for line in lines for rank in (2, 0, 1)]
    elif k % 6 == 5:
        lines = [f"[Rank {rank}] {line}" for line in lines for rank in (0, 2, 1)]
    elif k % 4 == 1:
        lines = [f"\x1b[32m{line}\x1b[0m" for line in lines]
    elif k % 4 == 2:
        lines = [line + "\r" for line in lines]
    elif k % 4 == 3:
        lines = [f"[rank{rank}]: {line}" for line in lines for rank in (1, 0)]
    return "\n".join(lines) + "\n"


def values(text):
    """{rank: {step: {name: value}}} of an export in JSON Lines."""
    out = {}
    for line in text.splitlines():
        row = json.loads(line)
        out.setdefault(row["rank"], {})[row["step"]] = {**row.get("scalars", {}), **row.get("phases", {})}
    return out


def read_equal(program, top, path, log, ranks):
    """What is wrong; None: each value stands at its step."""
    store = f"{top}/store"
    pushed = subprocess.run([program, "--store", store, "push", "--quiet", "--force", "--name", "log", path], capture_output=True, text=True)
    if pushed.returncode:
        return pushed.stderr.strip()[-300:]
    got = values(subprocess.run([program, "--store", store, "export", "log", "--format", "jsonl"], capture_output=True, text=True).stdout)
    if set(got) != set(range(ranks)):
        return f"ranks {sorted(got)}, not {ranks}"
    for rank, rows in got.items():
        for step, want in log.want.items():
            for name, value in want.items():
                if rows.get(step, {}).get(name) != value:
                    return f"rank {rank}, step {step}, {name}: {rows.get(step, {}).get(name)}, not {value}"
        extra = sorted(set(rows) - set(log.want))
        if extra:
            return f"rank {rank}, steps that the log does not have: {extra[:5]}"
    return None


def main():
    build, each, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7, int(sys.argv[3]) if len(sys.argv) > 3 else 0
    program, wrong, lost = os.path.join(build, "tscope"), [], []
    with tempfile.TemporaryDirectory() as top:
        for make in OTHERS:
            for k in range(each):
                path = f"{top}/{make.__name__}{k}.log"
                with open(path, "w", encoding="utf-8") as f:
                    f.write("\n".join(make(random.Random(f"{seed} {make.__name__} {k}"))) + "\n")
                got = subprocess.run([program, "--store", top + "/none", "push", "--dry-run", path], capture_output=True, text=True)
                if got.returncode == 0 or "no run in it" not in got.stderr:
                    wrong.append(f"{make.__name__} {k}: {got.stdout or got.stderr}")
        for make in TRAINERS:
            for k in range(each):
                log = Log(random.Random(f"{seed} {make.__name__} {k}"))
                make(log)
                path = f"{top}/{make.__name__}{k}.log"
                with open(path, "w", encoding="utf-8", newline="") as f:
                    f.write(dressed(log, k))
                why = read_equal(program, top, path, log, 3 if k % 6 >= 4 else 2 if k % 4 == 3 else 1)
                if why:
                    lost.append(f"{make.__name__} {k}: {why}")
    n, m = len(OTHERS) * each, len(TRAINERS) * each
    print(f"texts of {len(OTHERS)} kinds that are no log of a training: {len(wrong)} of {n} are read (95 % bound {100 * bound(len(wrong), n):.2f} %)")
    print(f"logs of {len(TRAINERS)} trainers, plain, coloured, with returns and of two or three ranks: {m - len(lost)} of {m} are read equal to what was written")
    for line in wrong + lost:
        print(line)
    return 1 if wrong or lost or n < 300 else 0


if __name__ == "__main__":
    sys.exit(main())
