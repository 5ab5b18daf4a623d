#!/usr/bin/env python3
"""A file system in memory that answers with an error, or not at all, from a moment on: fuse_disk.py DIRECTORY CONTROL.

It speaks the protocol of /dev/fuse (linux/fuse.h) itself, so that nothing is installed for it. CONTROL is a file whose text is read at each
request: an errno, or 0 for a good disk, or -1 for one that takes requests and gives no answer any more. When this process ends the kernel
answers what waits. Prints a line when it is mounted; exits with 77 where a file system cannot be mounted.
"""
import ctypes
import errno
import os
import stat
import struct
import subprocess
import sys

(LOOKUP, FORGET, GETATTR, SETATTR, MKDIR, UNLINK, RMDIR, RENAME, OPEN, READ, WRITE, STATFS, RELEASE, FSYNC, FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR,
 FSYNCDIR, CREATE, INTERRUPT, DESTROY, BATCH_FORGET, FALLOCATE, RENAME2) = (
    1, 2, 3, 4, 9, 10, 11, 12, 14, 15, 16, 17, 18, 20, 25, 26, 27, 28, 29, 30, 35, 36, 38, 42, 43, 45)
UNANSWERED, ALWAYS_WELL = {FORGET, BATCH_FORGET, INTERRUPT}, {INIT, DESTROY, RELEASE, RELEASEDIR}
HEADER, MOST, SIZE_IS_SET, DETACH = struct.Struct("<IIQQIIIHH"), 1 << 17, 1 << 3, 2


class Node:
    """A file, which has bytes, or a folder, which has names."""

    def __init__(self, number, mode):
        self.number, self.mode, self.links = number, mode, 1
        self.bytes, self.names = bytearray(), {}

    def attributes(self):
        size = len(self.bytes)
        return struct.pack("<6Q10I", self.number, size, size // 512, 0, 0, 0, 0, 0, 0, self.mode, self.links, 0, 0, 0, 4096, 0)


class Disk:
    """Answers requests: each method returns the bytes of an answer, or raises an OSError."""

    def __init__(self):
        self.nodes = {1: Node(1, stat.S_IFDIR | 0o755)}

    def make(self, parent, name, mode):
        node = Node(len(self.nodes) + 1, mode)
        self.nodes[node.number] = self.nodes[parent].names[name] = node
        return self.entry(node)

    @staticmethod
    def entry(node):
        return struct.pack("<4Q2I", node.number, 0, 0, 0, 0, 0) + node.attributes()

    def lookup(self, at, body):
        node = self.nodes[at].names.get(body.rstrip(b"\0"))
        if node is None:
            raise OSError(errno.ENOENT, "")
        return self.entry(node)

    def get_attributes(self, at, _):
        return struct.pack("<QII", 0, 0, 0) + self.nodes[at].attributes()  # valid for no time: each fstat asks

    def set_attributes(self, at, body):
        valid, _, _, size = struct.unpack_from("<IIQQ", body)
        if valid & SIZE_IS_SET:
            self.resize(at, size)
        return self.get_attributes(at, body)

    def resize(self, at, size):
        kept = self.nodes[at].bytes
        kept[size:] = bytes(max(size - len(kept), 0))

    def mkdir(self, at, body):
        return self.make(at, body[8:].rstrip(b"\0"), stat.S_IFDIR | 0o755)

    def create(self, at, body):
        return self.make(at, body[16:].rstrip(b"\0"), stat.S_IFREG | 0o644) + self.open(at, body)

    def remove(self, at, body):
        self.nodes[at].names.pop(body.rstrip(b"\0")).links = 0
        return b""

    def move(self, at, body, head):
        old, new = body[head:].rstrip(b"\0").split(b"\0")
        to = self.nodes[struct.unpack_from("<Q", body)[0]].names
        if new in to:
            to[new].links = 0
        to[new] = self.nodes[at].names.pop(old)
        return b""

    def open(self, _, __):
        return struct.pack("<QII", 0, 0, 0)

    def read(self, at, body):
        _, offset, size = struct.unpack_from("<QQI", body)
        return bytes(self.nodes[at].bytes[offset:offset + size])

    def write(self, at, body):
        _, offset, size = struct.unpack_from("<QQI", body)
        kept = self.nodes[at].bytes
        if offset > len(kept):
            self.resize(at, offset)
        kept[offset:offset + size] = body[40:40 + size]
        return struct.pack("<II", size, 0)

    def allocate(self, at, body):
        _, offset, length = struct.unpack_from("<QQQ", body)
        if offset + length > len(self.nodes[at].bytes):
            self.resize(at, offset + length)
        return b""

    def list(self, at, body):
        _, offset, size = struct.unpack_from("<QQI", body)
        answer = b""
        for i, (name, node) in list(enumerate(self.nodes[at].names.items()))[offset:]:
            one = struct.pack("<QQII", node.number, i + 1, len(name), node.mode >> 12) + name
            one += bytes(-len(one) % 8)
            if len(answer) + len(one) > size:
                break
            answer += one
        return answer


def answers(disk):
    def well(_, __):
        return b""

    return {
        INIT: lambda _, body: struct.pack("<4IHHII", 7, 31, 0, 0, 16, 12, MOST - 4096, 1) + bytes(36),
        LOOKUP: disk.lookup, GETATTR: disk.get_attributes, SETATTR: disk.set_attributes, MKDIR: disk.mkdir, CREATE: disk.create,
        UNLINK: disk.remove, RMDIR: disk.remove, RENAME: lambda at, body: disk.move(at, body, 8), RENAME2: lambda at, body: disk.move(at, body, 16),
        OPEN: disk.open, OPENDIR: disk.open, READ: disk.read, WRITE: disk.write, READDIR: disk.list, FALLOCATE: disk.allocate,
        STATFS: lambda _, __: struct.pack("<5Q4I", 1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, 4096, 255, 4096, 0) + bytes(24),
        RELEASE: well, RELEASEDIR: well, FSYNC: well, FSYNCDIR: well, FLUSH: well, DESTROY: well,
    }


def fault(control):
    try:
        with open(control, encoding="ascii") as f:
            return int(f.read() or 0)
    except OSError:
        return 0


def serve(device, control):
    by_kind = answers(Disk())
    while True:
        try:
            request = os.read(device, MOST + 4096)
        except InterruptedError:
            continue
        except OSError:  # it is not mounted any more
            return
        _, kind, unique, at, *_ = HEADER.unpack_from(request)
        failing = 0 if kind in ALWAYS_WELL else fault(control)
        if kind in UNANSWERED or failing < 0:
            continue
        code, body = failing, b""
        if not failing:
            try:
                body = by_kind[kind](at, request[HEADER.size:])
            except KeyError as unknown:  # a kind of request, or a name
                code = errno.ENOSYS if unknown.args[0] == kind else errno.ENOENT
            except OSError as error:
                code = error.errno
        try:
            os.write(device, struct.pack("<IiQ", 16 + len(body), -code, unique) + body)
        except OSError as error:
            if error.errno != errno.ENOENT:  # who asked is gone
                return


def mount(directory):
    """Returns the descriptor over which the kernel asks, or None where nothing can be mounted."""
    try:
        device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    options = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
    if ctypes.CDLL(None).mount(b"fuse_disk", os.fsencode(directory), b"fuse", 0, options.encode()):
        os.close(device)
        return None
    return device


class Mounted:
    """The file system of a process of its own, in a directory. `works` is False where nothing can be mounted."""

    def __init__(self, directory, control):
        self.directory = directory
        self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__), directory, control], stdout=subprocess.PIPE, text=True)
        self.works = self.process.stdout.readline() == "mounted\n"

    def end(self):
        """Answers what waits, and takes the directory back."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        if self.works:
            ctypes.CDLL(None).umount2(os.fsencode(self.directory), DETACH)


def main():
    device = mount(sys.argv[1])
    if device is None:
        return 77
    print("mounted", flush=True)
    serve(device, sys.argv[2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
