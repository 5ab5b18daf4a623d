#!/usr/bin/env python3
"""Writes test_number_repr.h: doubles by their bits, and what Python's repr makes of them.

    python3 base/test_number.py > base/test_number_repr.h
"""

import random
import struct


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def double(b):
    return struct.unpack("<d", struct.pack("<Q", b))[0]


random.seed(20261120)
values = [0.0, -0.0, 1.0, -1.0, 0.1, 0.3, 1e-4, 1e-5, 12345.0, 1e15, 1e16, 1e17, 123456789012345680.0, 9007199254740993.0]
values += [1e22, 1e23, 1e-7, 5e-324, 1e-323, 2.2250738585072014e-308, 2.225073858507201e-308, 1.7976931348623157e308]
values += [0.002486455, 2.3281565356979175, 1795167217.5226645, 7025475072.0, 0.0001220703125, 100.0, 1234.5]
values += [2.0 ** k for k in range(-1074, 1024, 13)]
values += [2.0 ** k for k in (-44, -1022, -1021, -24, 44, 53, 54, 89, 122, 1023)]
values += [double(random.getrandbits(52)) for _ in range(40)]
values += [double(b) for b in (random.getrandbits(64) for _ in range(300)) if (b >> 52) & 0x7FF != 0x7FF]
values += [round(random.uniform(0, 10), random.randrange(10)) for _ in range(100)]

print("/* Made by test_number.py: the bits of a double, and its repr in Python. */")
print("#ifndef TSCOPE_BASE_TEST_NUMBER_REPR_H\n#define TSCOPE_BASE_TEST_NUMBER_REPR_H\n")
print("#include <stdint.h>\n")
print("static const struct {\n\tuint64_t bits;\n\tconst char *text;\n} reprs[] = {")
for value in values:
    print('\t{0x%016x, "%r"},' % (bits(value), value))
print("};\n\n#endif")
