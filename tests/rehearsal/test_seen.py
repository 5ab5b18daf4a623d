#!/usr/bin/env python3
"""test_seen.py: of random histories, right ones and such with a fault, the checker of lists says what a search over all orders says."""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "histories"))
from linear import Call, linearize  # noqa: E402
from seen import Push, Read, violations  # noqa: E402

HISTORIES = 4000


def expect(condition, what):
    if not condition:
        sys.exit(f"test_seen.py: {what}")


def draw(chance):
    """A history of a set that is right: each call takes effect at a moment between its begin and its end."""
    pushes, effects, reads = [], [], []
    for i in range(chance.randint(1, 4)):
        begin = chance.random()
        end = begin + chance.random() * 0.4
        p = Push(f"n{i}", begin)
        if chance.random() < 0.7:
            p.acknowledged(f"id{i}", end)
        pushes.append(p)
        if p.run or chance.random() < 0.5:  # whose answer was lost may have happened
            effects.append((begin + (end - begin) * chance.random(), p.name, f"id{i}"))
    for _ in range(chance.randint(1, 4)):
        begin = chance.random() * 1.3
        end = begin + chance.random() * 0.4
        at = begin + (end - begin) * chance.random()
        reads.append(Read(begin, end, {name: run for when, name, run in effects if when < at}))
    return pushes, reads


def spoil(pushes, reads, chance):
    """Takes a name out of a list, or puts one in, or changes its run: the history may still be right."""
    read, push = chance.choice(reads), chance.choice(pushes)
    if push.name not in read.names:
        read.names[push.name] = "id" + push.name[1:]
    elif chance.random() < 0.8:
        del read.names[push.name]
    else:
        read.names[push.name] = "another"


def step(state, call):
    """The specification of the search: a set of (name, run)."""
    if call.op == "read":
        return [state] if state == call.answer else []
    name, runs = call.args
    return [state | {(name, run)} for run in (runs if call.answer is None else [call.answer])]


def by_search(pushes, reads):
    calls = []
    for p in pushes:
        runs = {r.names[p.name] for r in reads if p.name in r.names} or {"unseen"}
        call = Call("push", (p.name, runs), p.begin)
        if p.run is not None:
            call.done(p.run, p.end)
        calls.append(call)
    for r in reads:
        call = Call("read", (), r.begin)
        call.done(frozenset(r.names.items()), r.end)
        calls.append(call)
    return linearize(calls, frozenset(), step) is not None


def main():
    chance, wrong = random.Random(7), 0
    for number in range(HISTORIES):
        pushes, reads = draw(chance)
        expect(not violations(pushes, reads), f"history {number} is right, and it finds {violations(pushes, reads)}")
        for _ in range(chance.randint(1, 3)):
            spoil(pushes, reads, chance)
        searched, found = by_search(pushes, reads), violations(pushes, reads)
        expect(searched == (not found), f"history {number}: a search finds {'an' if searched else 'no'} order, and it says {found}")
        wrong += not searched
    expect(HISTORIES // 4 < wrong < HISTORIES, f"{wrong} wrong histories show little")
    print(
        f"{HISTORIES} random histories that are right: nothing found; each spoilt: {wrong} have no order by a search, and the checker says the same of all"
    )


if __name__ == "__main__":
    main()
