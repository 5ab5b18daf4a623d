#!/usr/bin/env python3
"""Runs the fuzz targets of a build with TS_FUZZ, as many at once as there are processors: python3 tests/fuzz/fuzz.py BUILD SECONDS [REGEX]

Each target has SECONDS. A finding does not end it: it goes on with the time that is left, until the same input fails again or
there are FINDINGS_MAX. What a target prints goes to BUILD/log/TARGET.log, inputs that fail to BUILD/findings/TARGET/, inputs
that reached new code to BUILD/corpus/TARGET/. At the end there is a table; the exit status is 1 if there was a finding."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time

FINDINGS_MAX = 5
WRITTEN = re.compile(r"^artifact_prefix=.*Test unit written to (\S+/(?:crash|leak|timeout|oom)-\w+)$", re.M)
REASON = re.compile(r"^.*: runtime error: (.*)$|^==\d+== ?ERROR: (.*)$", re.M)
FRAME = re.compile(rf"^ *#\d+ \S+ in (\S+) ({re.escape(os.getcwd())}/\S+)$", re.M)


def why(text):
    """Returns the sanitizer's message and the innermost function of our own code."""
    reason, frame = REASON.search(text), FRAME.search(text)
    said = next((g for g in reason.groups() if g), "") if reason else ""
    return said + (f", in {frame[1]} ({os.path.relpath(os.path.normpath(frame[2]))})" if frame else "")


class Target:
    def __init__(self, build, path):
        self.path, self.name = path, path.name
        self.log = build / "log" / f"{self.name}.log"
        self.found = build / "findings" / self.name
        self.corpus = build / "corpus" / self.name
        self.seeds = pathlib.Path("tests/fuzz/corpus") / self.name
        self.inputs = self.edges = 0
        self.findings = {}  # file of the failing input: reason

    def round(self, seconds, log):
        """Runs the program once and returns its output."""
        begin = log.tell()
        subprocess.run([self.path, f"-max_total_time={max(1, round(seconds))}", "-timeout=10", "-rss_limit_mb=4096",
                        "-print_final_stats=1", f"-artifact_prefix={self.found}/", self.corpus, self.seeds],
                       stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        log.seek(begin)
        text = log.read().decode(errors="replace")
        self.inputs += sum(int(n) for n in re.findall(r"^stat::number_of_executed_units: (\d+)", text, re.M))
        self.edges = max([self.edges] + [int(n) for n in re.findall(r"\bcov: (\d+)", text)])
        return text

    def run(self, seconds):
        for folder in (self.log.parent, self.found, self.corpus):
            folder.mkdir(parents=True, exist_ok=True)
        begin, done = time.monotonic(), False
        with open(self.log, "wb+") as log:
            while not done:
                text = self.round(seconds - (time.monotonic() - begin), log)
                written = WRITTEN.findall(text)
                if not written and "stat::number_of_executed_units" not in text:
                    written = [str(self.log)]
                done = not written or any(w in self.findings for w in written)
                self.findings.update({w: why(text) for w in written if w not in self.findings})
                done = done or len(self.findings) >= FINDINGS_MAX or time.monotonic() - begin >= seconds
        self.seconds = time.monotonic() - begin
        return self


def main():
    build, seconds = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    wanted = re.compile(sys.argv[3] if len(sys.argv) > 3 else "")
    targets = [Target(build, p.resolve()) for p in sorted(build.glob("targets/fuzz_*")) if wanted.search(p.name)]
    os.environ["ASAN_OPTIONS"] = "detect_leaks=1"
    os.environ["LSAN_OPTIONS"] = f"suppressions={os.path.abspath('tests/lsan.supp')}:print_suppressions=0"
    os.environ["UBSAN_OPTIONS"] = "print_stacktrace=1"
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        done = list(pool.map(lambda t: t.run(seconds), targets))
    print(f"{'target':<20}{'seconds':>9}{'inputs':>14}{'edges':>9}{'findings':>10}")
    for t in done:
        print(f"{t.name:<20}{t.seconds:>9.0f}{t.inputs:>14,}{t.edges:>9,}{len(t.findings):>10}")
    for t in done:
        for path, reason in t.findings.items():
            print(f"{path}\n    {reason}")
    if not targets:
        print("no fuzz target was built, or none of that name")
    return 1 if not targets or any(t.findings for t in done) else 0


if __name__ == "__main__":
    sys.exit(main())
