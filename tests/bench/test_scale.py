#!/usr/bin/env python3
"""test_scale.py: the simulation of the lock of writes against what can be said by hand: alone a push takes its hold and its commit; a lock
that is asked for more than its time has an ever longer queue, with any number of servers; the rate at which that begins is that of
the holds alone, since a full queue waits for one commit for many pushes; a mean wait is that of a queue with equal services."""

import os
import sys

sys.argv = [sys.argv[0], "."]
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import scale  # noqa: E402


def expect(condition, *what):
    if not condition:
        sys.exit("test_scale.py: " + " ".join(map(str, what)))


def main():
    hold, commit = 0.010, scale.COMMIT_MS / 1000
    alone = scale.simulate(0.5, hold, 3, 2000)
    expect(abs(alone[0] - hold - commit) < 1e-9, "alone a push takes", alone)
    for servers in (1, 8):
        expect(scale.simulate(130, hold, servers, 1000) is None, "130 a second of 10 ms each pass a lock with", servers, "servers")
        most = scale.saturation(hold, servers)
        expect(80 < most < 105, f"with {servers} servers {most} a second are the most, and 1 s / 10 ms are 100")
    # With no commit to wait for it is a queue with Poisson arrivals and equal services (M/D/1), whose mean wait is rho/(2(1 - rho)) services
    # (Pollaczek and Khinchine), whatever the number of servers where each writes for one push at a time, as nearly all do at half the load.
    scale.COMMIT_MS = 0.0
    median, p99 = scale.simulate(50, hold, 1000, 1000)
    expect(hold <= median < 1.5 * hold and 3 * hold < p99 < 6 * hold, "at half the load a push takes", median, p99)
    print("the lock of writes: alone, above its time, at its most and at half of it as by hand")


if __name__ == "__main__":
    main()
