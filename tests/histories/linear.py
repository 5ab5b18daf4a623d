"""linear.py - whether a history of calls has an order that a specification allows."""
import math


class Call:
    """One call: what was asked, what was answered (None: nobody knows), and when it began and ended (math.inf: nobody knows)."""

    def __init__(self, op, args, begin):
        self.op, self.args, self.begin = op, args, begin
        self.answer, self.end = None, math.inf

    def done(self, answer, end):
        self.answer, self.end = answer, end

    def __repr__(self):
        end = "?" if self.end == math.inf else f"{self.end:.4f}"
        return f"{self.begin:.4f}..{end} {self.op}{self.args} -> {self.answer}"


def linearize(calls, state, step):
    """Returns an order of the calls (a list), or None where there is none. step(state, call) gives the states that the call may leave,
    none where the answer is not possible. Calls without an answer may be left out."""
    calls = sorted(calls, key=lambda c: c.begin)
    needed = sum(1 << i for i, c in enumerate(calls) if c.end != math.inf)
    seen, stack = set(), [(0, state, ())]
    while stack:
        done, state, order = stack.pop()
        if done & needed == needed:
            return [calls[i] for i in order]
        if (done, state) in seen:
            continue
        seen.add((done, state))
        # A call may come next if no other that is left ended before it began.
        first_end = min((c.end for i, c in enumerate(calls) if not done >> i & 1), default=math.inf)
        for i, call in enumerate(calls):
            if done >> i & 1:
                continue
            if call.begin > first_end:
                break
            for after in step(state, call):
                stack.append((done | 1 << i, after, (*order, i)))
    return None
