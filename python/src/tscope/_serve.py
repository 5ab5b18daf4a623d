"""The one child, `tscope serve`, that this package asks: it is started when something is asked first, and again if it died."""

import atexit
import json
import os
import subprocess
import tempfile
import threading
from typing import IO, Any, Optional

from tscope._errors import Invalid, TscopeError, Unavailable, error
from tscope._program import foreign

_PIPE_BYTES = 1 << 20  # so that the child need not wait for each 64 KiB
_PATIENCE_S = 5  # for the child to end by itself
_ERROR = 0xFFFFFFFF  # in the place of a chunk's length


def _number(version: str) -> str:
    """Returns the released part of a version: of "0.2.0~dev+f928f074", and of "0.2.0.dev0+gf928f074" as Python writes it, 0.2.0."""
    return ".".join(part for part in version.replace("~", ".").replace("+", ".").split(".")[:3])


class Values:
    """The values of a column and its steps, as they came: buffers that numpy takes without a copy.

    >>> Values({"name": "scalars.loss", "rank": 0, "type": "f64", "rows": 0}).rank
    0
    """

    def __init__(self, about: dict[str, Any]) -> None:
        self.asked: str = about.get("asked") or about["name"]
        self.name: str = about["name"]
        self.rank: int = about["rank"]
        self.type: str = about["type"]
        self.rows: int = int(about["rows"])
        self.steps: Any = None
        self.values: Any = None


def _room(rows: int, kind: str) -> "tuple[Any, memoryview]":
    """Returns room for so many words and its bytes: an array of numpy, or without numpy a view of them."""
    try:
        import numpy
    except ImportError:
        view = memoryview(bytearray(rows * 8))
        return view.cast("d") if kind == "f8" else view.cast("q") if kind == "i8" else view.cast("Q"), view
    array: Any = numpy.empty(rows, dtype=kind)
    return array, memoryview(array).cast("B")


class Serve:
    """A child and what goes to and fro; a question at a time, from any thread.

    >>> Serve("/bin/false").ask("ping")
    Traceback (most recent call last):
        ...
    tscope._errors.Unavailable: ...
    """

    def __init__(self, program: str, words: "tuple[str, ...]" = ()) -> None:
        self._child: Optional[subprocess.Popen[bytes]] = None
        self._numbers: Optional[IO[bytes]] = None
        self._said: Optional[IO[bytes]] = None
        self.program, self.words = program, words
        self.lock = threading.RLock()
        self.version = ""
        self._n = 0

    # -- the child --

    def _start(self) -> None:
        took, gives = os.pipe()
        self._widen(took)
        self._said = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._child = subprocess.Popen(
                [self.program, *self.words, "serve", "--values", str(gives)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                pass_fds=(gives,),
                start_new_session=True,  # ^C in a terminal is for Python alone
            )
        except OSError as why:
            os.close(took)
            self._said.close()
            said = f"{self.program} cannot be started: {why.strerror}"
            raise Unavailable(foreign(self.program) or said, "unavailable") from None
        finally:
            os.close(gives)
        self._numbers = os.fdopen(took, "rb", buffering=0)
        me = {"name": "tscope-ml", "version": ""}
        told = self._exchange("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": me})
        self.version = told["serverInfo"]["version"]
        self._compare_versions()

    @staticmethod
    def _widen(descriptor: int) -> None:
        import fcntl

        try:
            fcntl.fcntl(descriptor, getattr(fcntl, "F_SETPIPE_SZ", 1031), _PIPE_BYTES)
        except OSError:
            pass  # a limit of the user's, or another system: slower

    def _compare_versions(self) -> None:
        from tscope._facts import version
        from tscope._say import say

        mine = version()
        if mine and _number(mine) != _number(self.version):
            say(f"{self.program} is tscope {self.version}, and the package tscope-ml {mine}: update the one that is older")

    def _died(self) -> TscopeError:
        """Returns why there is no answer, from what the child said last, and lets go of it."""
        child, said = self._child, self._said
        text = ""
        if child is not None:
            try:
                child.wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:
                child.kill()
        if said is not None:
            said.seek(0)
            text = said.read(65536).decode("utf-8", "replace").strip()
        code = child.returncode if child is not None else None
        self.close()
        if "there is no verb 'serve'" in text or "unknown option" in text:
            from tscope._facts import version

            done = subprocess.run([self.program, "--version"], capture_output=True, text=True, errors="replace")
            old = done.stdout.split(",")[0].strip() or "an older tscope"
            how = "update it, or name another one in TSCOPE"
            return Unavailable(
                f"{self.program} is {old}, which cannot be asked by the package tscope-ml {version()}: {how}", "unsupported"
            )
        text = text.splitlines()[-1].removeprefix("tscope: ") if text else f"{self.program} ended with {code}"
        return error("damaged" if "cut short" in text else "unavailable", text)

    def close(self) -> None:
        """Ends the child, which a later question starts again.

        >>> Serve("/bin/cat").close()
        """
        child, self._child = self._child, None
        for pipe in (child and child.stdin, child and child.stdout, self._numbers, self._said):
            try:
                if pipe:
                    pipe.close()
            except OSError:
                pass
        self._numbers = self._said = None
        if child is not None:
            try:
                child.wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

    def forget(self) -> None:
        """Lets go of the child in a fork of this process: it belongs to the parent, who may be asking it.

        >>> Serve("/bin/cat").forget()
        """
        self.lock = threading.RLock()
        child, self._child = self._child, None
        if child is not None:
            child.returncode = 0  # nobody here waits for it
            for pipe in (child.stdin, child.stdout, self._numbers, self._said):
                # What is buffered is the parent's, too: only the descriptors are closed.
                if pipe is not None:
                    null = os.open(os.devnull, os.O_RDWR)
                    os.dup2(null, pipe.fileno())
                    os.close(null)
                    pipe.close()
        self._numbers = self._said = None

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:
            pass  # the interpreter is being torn down

    # -- questions --

    def _exchange(self, method: str, params: dict[str, Any]) -> Any:
        child = self._child
        assert child is not None and child.stdin is not None and child.stdout is not None
        self._n += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self._n, "method": method, "params": params})
        try:
            child.stdin.write(line.encode() + b"\n")
            child.stdin.flush()
            got = child.stdout.readline()
        except (BrokenPipeError, ConnectionError):
            got = b""
        if not got.endswith(b"\n"):
            raise self._died()
        answer = json.loads(got)
        if "error" in answer:
            raise Invalid(answer["error"]["message"], "invalid")
        return answer["result"]

    def _asked(self, method: str, params: dict[str, Any]) -> Any:
        """Asks; a child that died since the last question is replaced once."""
        for again in (True, False):
            fresh = self._child is None
            if fresh:
                self._start()
            try:
                return self._exchange(method, params)
            except Unavailable:
                if fresh or not again:
                    raise
        raise AssertionError

    def ask(self, method: str, **params: Any) -> Any:
        """Returns the result of a method.

        >>> Serve("tscope").ask("ping")
        {}
        """
        with self.lock:
            try:
                return self._asked(method, params)
            except TscopeError:
                raise
            except BaseException:
                self.close()  # an interrupt in the midst: what comes next would be the answer to this
                raise

    def call(self, tool: str, arguments: dict[str, Any]) -> "tuple[str, int, str]":
        """Returns the text of an answer, the exit code of its command, and what that says on stderr.

        >>> Serve("tscope").call("version", {"answer": "text"})[1]
        0
        """
        result = self.ask("tools/call", name=tool, arguments=arguments)
        text: str = result["content"][0]["text"]
        meta = result["_meta"]
        if not result["isError"]:
            return text, meta["tscope/exit_code"], meta["tscope/remarks"]
        if arguments.get("answer", "document") == "document":
            text = json.loads(text)["error"]["message"]
        raise error(meta["tscope/status"], text.strip())

    # -- numbers --

    def columns(self, run: str, names: "list[str]", ranks: "int | str | None", steps: bool, project: Optional[str]) -> "list[Values]":
        """Returns columns of a run with their values; without names what columns there are.

        >>> Serve("tscope").columns("nowhere", [], None, False, None)
        Traceback (most recent call last):
            ...
        tscope._errors.NotFound: ...
        """
        params: dict[str, Any] = {"run": run, "columns": names, "ranks": ranks, "steps": steps}
        if project is not None:
            params["project"] = project
        with self.lock:
            result = self.ask("tscope/columns", **params)
            if "error" in result:
                raise error(result["error"]["status"], result["error"]["message"])
            try:
                found = [Values(about) for about in result["columns"]]
                for values in found if names else ():
                    if steps:
                        values.steps = self._words(values.rows, "i8")
                    values.values = self._of_type(values)
                return found
            except BaseException:
                self.close()
                raise

    def trace(self, run: str, table: Optional[str], file: Optional[str], rank: Optional[int], project: Optional[str]) -> Any:
        """Returns how many rows a table of a trace has, and its columns by their names: arrays, and of texts the numbers of words and
        the words. Without a table, how many rows each has, and whether the file of the trace ended too early.

        >>> Serve("tscope").trace("nowhere", None, None, None, None)
        Traceback (most recent call last):
            ...
        tscope._errors.NotFound: ...
        """
        given = {"run": run, "table": table, "file": file, "rank": rank, "project": project}
        with self.lock:
            result = self.ask("tscope/trace", **{name: value for name, value in given.items() if value is not None})
            if "error" in result:
                raise error(result["error"]["status"], result["error"]["message"])
            if table is None:
                return {each["name"]: int(each["rows"]) for each in result["tables"]}, bool(result["cut"])
            try:
                rows = int(result["rows"])
                return rows, {each["name"]: self._traced(each["type"], rows) for each in result["columns"]}
            except BaseException:
                self.close()
                raise

    def _traced(self, kind: str, rows: int) -> Any:
        if kind != "text":
            return self._words(rows, {"f64": "f8", "i64": "i8"}[kind])
        words = self._packed_texts()
        return self._words(rows, "i8"), words

    def _of_type(self, values: Values) -> Any:
        if values.type in ("text", "json"):
            return self._texts(values.rows)
        return self._words(values.rows, {"f64": "f8", "u64": "u8"}[values.type])

    def _into(self, view: memoryview) -> None:
        assert self._numbers is not None
        at = 0
        while at < len(view):
            n = self._numbers.readinto(view[at:])  # type: ignore[attr-defined]
            if not n:
                raise self._died()
            at += n

    def _chunk(self) -> int:
        head = bytearray(4)
        self._into(memoryview(head))
        n = int.from_bytes(head, "little")
        if n != _ERROR:
            return n
        self._into(memoryview(head))
        text = bytearray(int.from_bytes(head, "little"))
        self._into(memoryview(text))
        status, _, message = text.decode("utf-8", "replace").partition(": ")
        raise error(status, message)

    def _words(self, rows: int, kind: str) -> Any:
        array, view = _room(rows, kind)
        at = 0
        while at < len(view):
            n = self._chunk()
            self._into(view[at : at + n])
            at += n
        return array

    def _texts(self, rows: int) -> "list[str]":
        texts: list[str] = []
        while len(texts) < rows:
            texts += self._packed_texts()
        return texts

    def _packed_texts(self) -> "list[str]":
        texts: list[str] = []
        lengths = memoryview(bytearray(self._chunk()))
        self._into(lengths)
        data = bytearray(self._chunk())
        self._into(memoryview(data))
        at = 0
        for n in lengths.cast("Q"):
            texts.append(data[at : at + n].decode("utf-8", "replace"))
            at += n
        return texts


_lock = threading.Lock()
_serves: "dict[tuple[Any, ...], Serve]" = {}
_used: "dict[str, Optional[str]]" = {"store": None, "server": None, "project": None}


def use(*, store: Optional[str] = None, server: Optional[str] = None, project: Optional[str] = None) -> None:
    """Says which store or server is asked from here on, and which project names without one are in; as the options of the command do.
    Without it, TSCOPE_STORE, TSCOPE_SERVER, TSCOPE_PROJECT and `tscope login` say it.

    >>> tscope.use(project="default")
    >>> tscope.use()
    """
    _used.update(store=store, server=server, project=project)


def _key() -> "tuple[Any, ...]":
    named = tuple(sorted((k, v) for k, v in os.environ.items() if k.startswith("TSCOPE")))
    return (tuple(_used.values()), named, os.getcwd())


def serve() -> Serve:
    """Returns the child to ask: one for each store, server and folder in which this process is.

    >>> serve() is serve()
    True
    """
    from tscope._program import program

    key = _key()
    with _lock:
        found = _serves.get(key)
        if found is None:
            path = program()
            if path is None:
                raise Unavailable("there is no program tscope: 'pip install tscope-ml' brings it, or TSCOPE names one", "unavailable")
            while len(_serves) >= 4:
                _serves.pop(next(iter(_serves))).close()
            words = tuple(f"--{name}={value}" for name, value in _used.items() if value is not None)
            found = _serves[key] = Serve(path, words)
        return found


def _close_all() -> None:
    while _serves:
        _serves.popitem()[1].close()


def _forget_all() -> None:
    global _lock
    _lock = threading.Lock()
    while _serves:
        _serves.popitem()[1].forget()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_forget_all)
