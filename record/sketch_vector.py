#!/usr/bin/env python3
"""Writes record/sketch_vector.inc: the sums of a tensor of whole numbers, computed from the definition in sketch.h alone.
python3 record/sketch_vector.py > record/sketch_vector.inc"""

FIRST, COUNT = 12_345, 5_000
MASK = (1 << 64) - 1


def mix(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & MASK
    return x ^ x >> 31


def value(index):
    return index * index % 1009 - 500


sums = [0] * 256
for index in range(FIRST, FIRST + COUNT):
    q, r = divmod(index, 256)
    sign = -1 if mix(2**63 + index) >> 63 else 1
    sums[(r + mix(q)) % 256] += sign * value(index)

print("/* Written by sketch_vector.py: elements %d to %d are i^2 mod 1009 - 500. */" % (FIRST, FIRST + COUNT - 1))
for row in range(0, 256, 16):
    print("\t" + " ".join("%d," % s for s in sums[row : row + 16]))
