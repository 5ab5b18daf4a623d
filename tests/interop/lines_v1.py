"""Text of docs/sealed.md, opened: forms of lines, and columns of their numbers."""
import re
import struct

import zstandard

from format_v1 import need
from words_v1 import open_words

DECIMALS = {mark: mark - 1 for mark in range(1, 9)} | {mark: mark - 6 for mark in range(14, 24)}


class Reader:
    """Takes bytes apart from the front."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        self.at += n
        need(self.at <= len(self.data), "the bytes end too early")
        return self.data[self.at - n:self.at]

    def u(self, n):
        return int.from_bytes(self.take(n), "little")

    def packed(self, n):
        small = self.u(4)
        out = zstandard.ZstdDecompressor().decompress(self.take(small), max_output_size=n) if small else self.take(n)
        need(len(out) == n, "packed")
        return out

    def words(self, n):
        small = self.u(4)
        return struct.unpack(f"<{n}Q", open_words(self.take(small), 8 * n) if small else self.take(8 * n))

    def end(self):
        need(self.at == len(self.data), "something follows")


def open_lines(data, n):
    """The text, of n bytes."""
    reader = Reader(data)
    pieces, length, most = reader.u(4), reader.u(4), n // 8 + 1024
    need(pieces <= most and length <= n, "pieces")
    forms = re.findall(rb"[^\n}]*[\n}]|[^\n}]+", reader.packed(length))
    need(len(forms) <= pieces, "more forms than pieces")
    numbers = reader.words(pieces)
    columns, values = {}, 0
    for _ in range(reader.u(2)):
        column, count = reader.u(2), reader.u(4)
        values += count
        need(column < 1024 and column not in columns and count and values <= most, "columns")
        columns[column] = iter(reader.words(count))
    reader.end()
    need(all(number < len(forms) for number in numbers), "a form that is not there")
    places = [places_of(form) for form in forms]
    out = b"".join(part for number in numbers for part in fill(places[number], columns))
    need(len(out) == n, "text of another length")
    return out


def places_of(form):
    """Bytes as they are, and (decimals, column) of each number."""
    parts = [b""]
    for i, byte in enumerate(form):
        if byte in DECIMALS:
            context = int.from_bytes(form[max(i - 6, 0):i + 1], "big")
            parts += [(DECIMALS[byte], context * 0x9E3779B97F4A7C15 % (1 << 64) >> 54), b""]
        else:
            parts[-1] += bytes([byte])
    return parts


def fill(parts, columns):
    for part in parts:
        if isinstance(part, bytes):
            yield part
        else:
            decimals, column = part
            value = next(columns.get(column, iter(())), None)
            need(value is not None, "a column has too few values")
            digits = str(value).rjust(decimals + 1, "0")
            yield (digits[:len(digits) - decimals] + "." * (decimals > 0) + digits[len(digits) - decimals:]).encode()
