#!/usr/bin/env python3
"""The client needs nothing that only Linux has, outside of files *_linux.c: portability.py BUILD [CC].

Every source of the client is compiled against POSIX and X/Open alone, with an undeclared function as an error. What glibc declares all
the same is looked for by name. Each *_linux.c has a *_posix.c with the same functions, which is compiled, too.
"""
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

from layers import is_test, strip

ROOMS = ("record/", "base/", "run/", "analysis/", "ingest/", "launch/", "store/", "proto/", "service/auth/", "service/handlers/", "service/rpc/", "cli/")
SERVER = {f"service/rpc/{name}.c" for name in ("health", "listen", "listen_socket", "meter", "pool", "reflection", "server", "server_call")}
HEADERS = re.compile(r"\s*#\s*include\s*<((?:linux|asm)/.*|sys/(?:epoll|eventfd|signalfd|timerfd|inotify|vfs|statfs|random|prctl|sendfile|sysinfo|"
                     r"sysmacros|auxv|fanotify|personality|ptrace|syscall|xattr|capability)\.h|(?:endian|byteswap|malloc|mntent|error|"
                     r"features|getopt|libintl|execinfo|values|pty|shadow)\.h)>")
# glibc has these without _GNU_SOURCE, and macOS has not.
NAMES = re.compile(r"\b(SOCK_CLOEXEC|SOCK_NONBLOCK|MSG_NOSIGNAL|MSG_CMSG_CLOEXEC|SO_PEERCRED|O_TMPFILE|O_PATH|O_DIRECT|MAP_POPULATE|fdatasync|"
                   r"posix_fallocate|posix_fadvise|POSIX_FADV_\w+|st_[amc]tim|sem_init|sem_timedwait|pthread_condattr_setclock|pthread_mutex_timedlock|"
                   r"pthread_barrier_\w+|pthread_spin_\w+|\w+_NP|pthread_\w+_np|sigtimedwait|sigwaitinfo|timer_create|timer_settime|mq_\w+|"
                   r"clock_nanosleep|getrandom|memfd_create|copy_file_range|prctl|epoll_\w+|eventfd|accept4|pipe2|CLOCK_BOOTTIME|"
                   r"CLOCK_MONOTONIC_\w+|syscall|EREMOTEIO|EBADFD|ENOMEDIUM|SIGPWR|SIGSTKFLT)\b")
PATHS = re.compile(r'"/(?:proc|sys)/')


def sources(build):
    """Returns {path: words of a compiler that are not ours to change} of the client's sources."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        entries = json.load(f)
    found = {}
    for entry in entries:
        path = os.path.relpath(entry["file"])
        if not path.startswith(ROOMS) or is_test(path) or path in SERVER or path.startswith("service/rpc/guard/"):
            continue
        words = shlex.split(entry["command"])
        found[path] = [w for i, w in enumerate(words) if w.startswith(("-I", "-DTS_")) or w == "-isystem" or words[i - 1] == "-isystem"]
    return found


def compile_error(cc, path, words):
    ran = subprocess.run([cc, "-std=c17", "-D_XOPEN_SOURCE=700", "-fsyntax-only", "-Werror=implicit-function-declaration", *words, path],
                         capture_output=True, text=True)
    return f"{path}: with {cc} and POSIX alone: {ran.stderr}" if ran.returncode else None


def lines_with(path):
    if path.endswith("_linux.c"):
        return
    with open(path, encoding="utf-8") as f:
        text = f.read()
    for number, line in enumerate(strip(text).split("\n"), 1):
        header = HEADERS.match(line)
        name = NAMES.search(re.sub(r'"(\\.|[^"\\])*"', '""', line))
        at = PATHS.search(line)
        if header or name or at:
            yield f"{path}:{number}: {(header or name).group(1) if header or name else at.group()} is Linux's alone: it belongs into a file *_linux.c"


def functions(path):
    with open(path, encoding="utf-8") as f:
        return set(re.findall(r"^(?!static\b|typedef\b|extern\b|enum \w+ \{)[a-z][\w \*]*?\b(\w+)\([^;{}]*\)\n\{", strip(f.read()), re.M))


def main():
    build = sys.argv[1]
    cc = sys.argv[2] if len(sys.argv) > 2 else shutil.which("clang") or "cc"
    files = sources(build)
    if len(files) < 300:
        sys.exit(f"portability: only {len(files)} sources in {build}/compile_commands.json")
    errors = [f"tests/portability.py: {path} is not there" for path in SERVER if not os.path.exists(path)]
    for path in [f for f in files if f.endswith("_linux.c")]:
        sibling = path.replace("_linux.c", "_posix.c")
        if not os.path.exists(sibling) or functions(path) != functions(sibling) or not functions(path):
            errors.append(f"{path}: {sibling} has not the same functions")
        files[sibling] = files.pop(path)
    headers = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *(f"{room}*.h" for room in ROOMS)], capture_output=True,
                             text=True, check=True).stdout.split()
    for path in sorted([*files, *(h for h in headers if os.path.exists(h) and not is_test(h))]):
        errors += lines_with(path)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        errors += filter(None, pool.map(lambda item: compile_error(cc, *item), sorted(files.items())))
    for error in errors:
        print(error)
    print(f"{len(files)} sources with {cc}, {len(errors)} errors")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
