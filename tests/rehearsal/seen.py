"""seen.py - whether the lists that readers saw are those of one set of names that only grows, while several push to it at once.

Pushes add names, and nothing takes them away. So a history is right exactly where some order of its calls, which is the order of time
where calls do not overlap, gives each list the names that were pushed before it. Lists of such a set lie in each other, so no search
over orders is needed: what is looked for here is linear in the calls. test_seen.py holds it against a search
(tests/histories/linear.py)."""

import bisect
import math


class Push:
    """A push of one name. run: what was acknowledged; None: nobody knows whether it happened. end: math.inf until it was acknowledged."""

    def __init__(self, name, begin):
        self.name, self.begin, self.end, self.run = name, begin, math.inf, None

    def acknowledged(self, run, end):
        self.run, self.end = run, end


class Read:
    """A list of all names: {name: run}, as it was answered."""

    def __init__(self, begin, end, names):
        self.begin, self.end, self.names = begin, end, names


def violations(pushes, reads):
    """Sentences, one for each thing that no order of these calls gives; none: there is such an order. Each name is pushed by one Push."""
    return of_pushes(pushes, reads) + of_order(reads) + of_runs(pushes, reads)


def of_pushes(pushes, reads):
    """A list has all that was acknowledged before it, or before anything that it has was begun; and nothing that was begun after it."""
    found, begins = [], {p.name: p.begin for p in pushes}
    by_end = sorted((p for p in pushes if p.run is not None), key=lambda p: p.end)
    ends = [p.end for p in by_end]
    for read in reads:
        for name in read.names:
            if begins.get(name, math.inf) > read.end:
                found.append(f"{name} is in a list that was answered at {read.end:.3f}, and nobody had begun to push it")
        at = max([read.begin, *(begins[name] for name in read.names if name in begins)])
        for push in by_end[: bisect.bisect_left(ends, at)]:
            if push.name not in read.names:
                found.append(f"{push.name} was acknowledged at {push.end:.3f}, and is not in a list that shows what was so at {at:.3f}")
    return found


def of_order(reads):
    """Of two lists the smaller one lies in the larger one, and no list lacks what one showed that was answered before it was asked for."""
    found, chain = [], sorted(reads, key=lambda r: (len(r.names), r.begin))
    for small, large in zip(chain, chain[1:]):
        for name in small.names.keys() - large.names.keys():
            found.append(
                f"{name} is in a list of {small.begin:.3f} and not in one of {large.begin:.3f}, which has what the first one lacks"
            )
    most, answered = 0, sorted(reads, key=lambda r: r.end)
    ended = 0
    for read in sorted(reads, key=lambda r: r.begin):
        while ended < len(answered) and answered[ended].end < read.begin:
            most, ended = max(most, len(answered[ended].names)), ended + 1
        if len(read.names) < most:
            found.append(f"a list that was asked for at {read.begin:.3f} has {len(read.names)} names, and an earlier one had {most}")
    return found


def of_runs(pushes, reads):
    """A name is one run for all who see it."""
    found, runs = [], {p.name: p.run for p in pushes if p.run is not None}
    for read in reads:
        for name, run in read.names.items():
            if runs.setdefault(name, run) != run:
                found.append(f"{name} is {runs[name]}, and in a list that was asked for at {read.begin:.3f} it is {run}")
    return found
