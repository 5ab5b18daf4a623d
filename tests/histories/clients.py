"""clients.py - calls of one client to a tscoped, each kept with its times and its answer."""
import time

import grpc
import sealed_v1

from linear import Call

RUN = 1  # RefKind
ABSENT, ID = 1, 2  # Expect
# The call may have happened, and nobody knows.
UNKNOWN = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN)
# No state gives the last one: what was acknowledged is gone.
REFUSED = {"conflict": ("conflict",), "not_found": ("not_found",), "damaged": ("damaged",)}


class Asker:
    """One client, whose calls go into histories[name]."""

    def __init__(self, client, rng, histories):
        self.client, self.rng, self.histories = client, rng, histories

    def ask(self, name, op, args, ask, answer_of):
        """Makes a call, keeps it, and returns it."""
        call = Call(op, args, time.monotonic())
        self.histories[name].append(call)
        try:
            reply = ask()
            call.done(answer_of(reply), time.monotonic())
        except grpc.RpcError as error:
            word = dict(error.trailing_metadata() or ()).get("tscope-status")
            if word in REFUSED:
                call.done(REFUSED[word], time.monotonic())
            elif error.code() not in UNKNOWN:
                raise
        return call

    def limit(self):
        return self.rng.choice((0.05, 0.5, 5, 5, 5))

    def push(self, name, op, run, expect, expected=b""):
        """Sends what is missing of a run, and commits. A gc may free objects in between: then it sends them again."""
        head, objects = run
        for _ in range(20):
            try:
                missing = self.client.HasObjects(ids=b"".join(objects)).missing
                ids = [missing[i:i + 32] for i in range(0, len(missing), 32)]
                if ids:
                    self.client.PutObjects(self.client.messages(ids, objects, lambda raw: sealed_v1.RAW))
            except grpc.RpcError as error:
                if error.code() not in UNKNOWN:
                    raise
                time.sleep(0.01)
                continue
            limit = self.limit()
            args = (expected, head) if op == "swap" else (head,)
            call = self.ask(name, op, args,
                            lambda: self.client.CommitRun(timeout=limit, name=name, head=head, force=op != "create", expect=expect, expected=expected),
                            lambda reply: ("moved", reply.previous or None, reply.seq))
            if call.answer != ("not_found",):
                return
            self.histories[name].remove(call)  # the run is not complete, and nothing was changed

    def act(self, name, runs):
        """Makes one call of chance."""
        op, run = self.rng.choice(("put", "create", "swap", "read", "read", "read", "note", "remove", "restore")), self.rng.choice(runs)
        limit, value = self.limit(), f"{self.rng.random():.6f}"
        if op == "put":
            self.push(name, op, run, 0)
        elif op == "create":
            self.push(name, op, run, ABSENT)
        elif op == "swap":
            self.push(name, op, run, ID, self.rng.choice(runs)[0])
        elif op == "read":
            self.ask(name, op, (), lambda: self.client.GetRun(timeout=limit, spec=name), self.seen)
        elif op == "note":
            self.ask(name, op, (value,), lambda: self.client.SetNote(timeout=limit, name=name, key="why", value=value), lambda _: ("noted",))
        elif op == "remove":
            self.ask(name, op, (), lambda: self.client.UpdateRef(timeout=limit, kind=RUN, name=name, remove=True), lambda r: ("removed", r.ref.id))
        else:
            self.ask(name, op, (), lambda: self.client.RestoreRef(timeout=limit, kind=RUN, name=name), lambda r: ("restored", r.ref.id))

    @staticmethod
    def seen(reply):
        return ("is", reply.run.id, next((n.value for n in reply.notes if n.key == "why"), None), reply.ref.seq)

    def act_on_token(self, name):
        op, limit = self.rng.choice(("make", "revoke", "see", "see")), self.limit()
        if op == "make":
            self.ask(name, op, (), lambda: self.client.MakeToken(timeout=limit, name=name, role="read", projects="*"), lambda _: ("made",))
        elif op == "revoke":
            self.ask(name, op, (), lambda: self.client.RevokeToken(timeout=limit, token=name), lambda _: ("revoked",))
        else:
            self.ask(name, op, (), lambda: self.client.ListTokens(timeout=limit), lambda r: ("is", any(t.name == name for t in r.tokens)))
