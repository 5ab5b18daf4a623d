#!/usr/bin/env python3
"""Writes number_powers.inc: for each q in -342..308 the 128 most significant bits of 5**q.

Positive powers are truncated; negative ones are reciprocals rounded up, which is what the proof in
N. Mushtak, D. Lemire, "Fast Number Parsing Without Fallback" (2022) asks for.

    python3 base/number_powers.py > base/number_powers.inc
"""


def bits_of_power(q):
    power = 5 ** abs(q)
    if q >= 0:
        shift = 128 - power.bit_length()
        return power << shift if shift >= 0 else power >> -shift
    z = (power - 1).bit_length()
    if q >= -27:
        return 2 ** (z + 127) // power + 1
    c = 2 ** (2 * z + 128) // power + 1
    return c >> (c.bit_length() - 128)


print("/* Made by number_powers.py: the 128 leading bits of 5^q for q from -342 to 308, high word first. */")
print("static const uint64_t powers_of_five[][2] = {")
for q in range(-342, 309):
    c = bits_of_power(q)
    assert c.bit_length() == 128
    print("\t{0x%016x, 0x%016x}, /* %d */" % (c >> 64, c & (2 ** 64 - 1), q))
print("};")
