"""A client of docs/protocol.md over grpcio, with messages straight from the .proto files."""
import os
import re
import signal
import subprocess
import time

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

import sealed_v1

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
IDS, MESSAGE_BYTES = 16384, 1 << 20


class Client:
    """client.HasObjects(ids=...) calls; client.m.Fact() makes a message. Streams are returned as iterators."""

    def __init__(self, address, work, options=()):
        found = os.path.join(work, "protos")
        subprocess.run(["protoc", "-I", os.path.join(ROOT, "proto"), "--include_imports", "-o", found,
                        "tscope/v1/tscope.proto", "grpc/health/v1/health.proto", "grpc/reflection/v1/reflection.proto"], check=True, cwd=os.path.join(ROOT, "proto"))
        files, pool = descriptor_pb2.FileDescriptorSet(), descriptor_pool.DescriptorPool()
        with open(found, "rb") as file:
            files.ParseFromString(file.read())
        for file in files.file:
            pool.Add(file)
        self.files = {f"{file.package}": file for file in files.file}
        factory = message_factory.MessageFactory(pool)
        self.channel = grpc.insecure_channel(address, options=options)
        self.replies, self.m = {}, type("Messages", (), {})
        for file in files.file:
            for message in file.message_type:
                setattr(self.m, message.name, factory.GetPrototype(pool.FindMessageTypeByName(f"{file.package}.{message.name}")))
            for service in file.service:
                for method in pool.FindServiceByName(f"{file.package}.{service.name}").methods:
                    self.add(method, factory)

    def add(self, method, factory):
        request, reply = factory.GetPrototype(method.input_type), factory.GetPrototype(method.output_type)
        service, self.replies[method.name] = method.containing_service, reply
        proto = descriptor_pb2.MethodDescriptorProto()
        method.CopyToProto(proto)
        kind = ("stream" if proto.client_streaming else "unary") + "_" + ("stream" if proto.server_streaming else "unary")
        call = getattr(self.channel, kind)(f"/{service.full_name}/{method.name}", request_serializer=request.SerializeToString,
                                           response_deserializer=reply.FromString)
        if proto.client_streaming:
            setattr(self, method.name, lambda messages, **k: call(messages, timeout=60, **k))
        else:
            setattr(self, method.name, lambda timeout=60, metadata=(), **fields: call(request(**fields), timeout=timeout, metadata=metadata))

    def push(self, run, objects, codec_of, **commit):
        """Calls have, want, put and commit. Returns (reply of the put or None, reply of the commit, how many were missing)."""
        ids, missing = list(objects), b""
        for i in range(0, len(ids), IDS):
            missing += self.HasObjects(ids=b"".join(ids[i:i + IDS])).missing
        wanted = [missing[i:i + 32] for i in range(0, len(missing), 32)]
        put = self.PutObjects(self.messages(wanted, objects, codec_of)) if wanted else None
        return put, self.CommitRun(head=run, **commit), len(wanted)

    def messages(self, ids, objects, codec_of):
        message, size = self.m.PutObjectsRequest(), 0
        for i in ids:
            sealed_v1.fill(message.objects.add(), objects[i], codec_of(objects[i]))
            size += len(message.objects[-1].data)
            if size >= MESSAGE_BYTES:
                yield message
                message, size = self.m.PutObjectsRequest(), 0
        yield message

    def objects(self, ids, codecs=sealed_v1.DEFLATE):
        """{id: (object, codec)} in the order asked for, which is checked; codecs: the greatest that may come, 0 where nothing is said."""
        ids, got = list(ids), []
        for i in range(0, len(ids), IDS):
            for reply in self.GetObjects(ids=b"".join(ids[i:i + IDS]), codecs=codecs):
                got += [(o.id, sealed_v1.open_sealed(o), o.codec) for o in reply.objects]
        assert [g[0] for g in got] == ids, "GetObjects has another order"
        return {g[0]: g[1:] for g in got}


def refused(call):
    """(status word, gRPC code, text) of a call that fails."""
    try:
        reply = call()
        list(reply) if hasattr(reply, "__next__") else reply
    except grpc.RpcError as error:
        trailers = {key: value for key, value in error.trailing_metadata() or ()}
        return trailers.get("tscope-status"), error.code().name, error.details()
    return "ok", "OK", ""


class Server:
    """A tscoped on a unix socket and an ephemeral port of loopback TCP."""

    def __init__(self, build, work, *flags):
        self.socket, self.log = os.path.join(work, "s"), os.path.join(work, "log")
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([os.path.join(build, "tscoped"), "--socket", self.socket, "--listen", "tcp:127.0.0.1:0",
                                             "--store", os.path.join(work, "store"), *flags],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.ready()

    def ready(self):
        for _ in range(600):
            with open(self.log, encoding="utf-8") as log:
                found = re.search(r"127\.0\.0\.1:(\d+)", "".join(line for line in log if "ready" in line))
            if found:
                self.port = int(found.group(1))
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        with open(self.log, encoding="utf-8") as log:
            raise SystemExit("tscoped does not start:\n" + log.read())

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)
