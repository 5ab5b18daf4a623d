"""spec.py - what a name and a token are: states, and what each call may answer in them (docs/protocol.md)."""
from collections import namedtuple

# head: what the name points at, or None; note: its note, or None; entries: of its log; removed: what was removed under it, last first.
Name = namedtuple("Name", "head note entries removed")
NO_NAME = Name(None, None, 0, ())


def name(state, call):
    """The states after a call, of which the answer is one that this state gives. An answer of None fits all."""
    answer, there = call.answer, state.head is not None

    def if_told(told, after):
        return [after] if answer is None or answer == told else []

    def moved(head):
        if head == state.head:
            return if_told(("moved", state.head, state.entries), state)
        after = state._replace(head=head, entries=state.entries + 1)
        if not there and state.removed and state.removed[0][0] == head:  # the run that was removed is back, and so are its notes
            after = after._replace(note=state.removed[0][1], removed=state.removed[1:])
        return if_told(("moved", state.head, state.entries + 1), after)

    if call.op == "put":
        return moved(call.args[0])
    if call.op == "create":
        return if_told(("conflict",), state) if there else moved(call.args[0])
    if call.op == "swap":
        return moved(call.args[1]) if state.head == call.args[0] else if_told(("conflict",), state)
    if call.op == "read":
        return if_told(("is", state.head, state.note, state.entries) if there else ("not_found",), state)
    if call.op == "note":
        return if_told(("noted",), state._replace(note=call.args[0])) if there else if_told(("not_found",), state)
    if call.op == "remove":
        if not there:
            return if_told(("not_found",), state)
        gone = (state.head, state.note, state.entries)
        # A name that others move at that moment may be left where it is: what was to go was another run.
        return if_told(("removed", state.head), Name(None, None, 0, (gone, *state.removed))) + if_told(("conflict",), state)
    if call.op == "restore":
        if there:
            return if_told(("conflict",), state) + ([] if state.removed else if_told(("not_found",), state))
        if not state.removed:
            return if_told(("not_found",), state)
        return if_told(("restored", state.removed[0][0]), Name(*state.removed[0], state.removed[1:]))
    raise ValueError(call.op)


def token(state, call):
    """A token is there (True) or not."""
    def if_told(told, after):
        return [after] if call.answer is None or call.answer == told else []

    if call.op == "make":
        return if_told(("conflict",), state) if state else if_told(("made",), True)
    if call.op == "revoke":
        return if_told(("revoked",), False) if state else if_told(("not_found",), state)
    return if_told(("is", state), state)
