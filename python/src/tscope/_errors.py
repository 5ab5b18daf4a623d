"""What goes wrong when tscope is asked, as exceptions by kind, with the text of the command."""


class TscopeError(Exception):
    """An answer that is none. `status` is the word of the documents: "not_found", "denied", "damaged", "unavailable", ...

    >>> TscopeError("the disk is full", "full").status
    'full'
    """

    def __init__(self, message: str, status: str = "internal") -> None:
        super().__init__(message)
        self.status = status


class NotFound(TscopeError, LookupError):
    """There is no such run, column or baseline.

    >>> issubclass(NotFound, LookupError)
    True
    """


class Denied(TscopeError):
    """The server knows who asks, and refuses.

    >>> Denied("bob may not read p", "denied").status
    'denied'
    """


class Damaged(TscopeError):
    """What is stored is not what was stored.

    >>> Damaged("an object has another digest", "damaged").status
    'damaged'
    """


class Unavailable(TscopeError):
    """Nobody answers: no program, no server, a store of another version, a time limit.

    >>> Unavailable("no server at unix:/run/s", "unavailable").status
    'unavailable'
    """


class Invalid(TscopeError, ValueError):
    """The question makes no sense to the program: half of a filter, an option that it does not have.

    >>> issubclass(Invalid, ValueError)
    True
    """


_KINDS = {
    "not_found": NotFound,
    "ambiguous": NotFound,
    "denied": Denied,
    "damaged": Damaged,
    "unavailable": Unavailable,
    "unsupported": Unavailable,
    "deadline": Unavailable,
    "io": Unavailable,
    "invalid": Invalid,
}


def error(status: str, message: str) -> TscopeError:
    """Returns the exception for a status of the documents.

    >>> error("not_found", "nothing is named x")
    NotFound('nothing is named x')
    """
    return _KINDS.get(status, TscopeError)(message, status)
