#!/usr/bin/env python3
"""trend_peer.py SERIES: what Apache Otava finds in the series that bench_trend_peer printed, beside what tscope claims.

Otava has its defaults (window 50, p 0.001), and the least change of 2 % that tscope has. It sees values alone, because it has no
place for hosts and weekdays. Prints one JSON object: for each kind of series how many there are, the number with a claimed change
where there is none, the number in which the true step was found (at most two runs from its place), and changes too many."""
import json
import sys

from otava.analysis import compute_change_points
from otava.series import AnalysisOptions

OFF, LEAST = 2, 0.02


def peer_of(values):
    options = AnalysisOptions()
    points, _ = compute_change_points(values, window_len=options.window_len, max_pvalue=options.max_pvalue, min_magnitude=LEAST)
    return [p.index for p in points]


def count(at, found, runs):
    """A change at the end of a series that has no step (at is the number of its runs) is one too many, and none that was found."""
    hit = at < runs and any(abs(i - at) <= OFF for i in found)
    return {"found": int(hit), "extra": len(found) - int(hit), "any": int(bool(found))}


def main():
    kinds = {}
    for line in open(sys.argv[1]):
        one = json.loads(line)
        empty = {f"{who}_{what}": 0 for who in ("ours", "peer") for what in ("found", "extra", "any", "drift")}
        sums = kinds.setdefault(one["kind"], {"n": 0, "step": one["at"] < len(one["values"]), "drift": one["drift"], **empty})
        sums["n"] += 1
        sums["ours_drift"] += one["ours_drift"]
        sums["ours_extra"] += one["ours_drift"] and not one["drift"]
        for who, found in (("ours", one["ours"]), ("peer", peer_of(one["values"]))):
            for what, value in count(one["at"], found, len(one["values"])).items():
                sums[f"{who}_{what}"] += value
    print(json.dumps(kinds))


if __name__ == "__main__":
    main()
