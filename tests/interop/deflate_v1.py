"""Compressed data of docs/sealed.md, opened: what gzip or zlib wrote, from the text inside and the wrong guesses of it."""
import itertools

from format_v1 import need
from lines_v1 import Reader, open_lines

# By level: good, lazy, nice, chain.
LEVELS = [None, (4, 4, 8, 4), (4, 5, 16, 8), (4, 6, 32, 32), (4, 4, 16, 16), (8, 16, 32, 32), (8, 16, 128, 128), (8, 32, 128, 256),
          (32, 128, 258, 1024), (32, 258, 258, 4096)]
FAST, NOTHING, LITERAL = 3, (2, 0), (0, 0)

# RFC 1951, 3.2.5: the first length or distance of each symbol, and its extra bits.
LENGTHS = [(3 + i, 0) for i in range(8)] + [(3 + (4 + i % 4 << i // 4), i // 4) for i in range(4, 24)] + [(258, 0)]
DISTANCES = [(1 + i, 0) for i in range(4)] + [(1 + (2 + i % 2 << i // 2), i // 2) for i in range(2, 28)]
ORDER_OF_LENGTHS = (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15)
FIXED = [8] * 144 + [9] * 112 + [7] * 24 + [8] * 8


class Bits:
    """The lowest bit of each byte first."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def get(self, n):
        need(self.at + n <= 8 * len(self.data), "too few bits")
        value = int.from_bytes(self.data[self.at // 8:(self.at + n + 7) // 8], "little") >> self.at % 8 & (1 << n) - 1
        self.at += n
        return value


class BitsOut:
    def __init__(self):
        self.data, self.waiting, self.n = bytearray(), 0, 0

    def put(self, value, n):
        self.waiting |= value << self.n
        self.n += n
        whole = self.n // 8
        self.data += (self.waiting & (1 << 8 * whole) - 1).to_bytes(whole, "little")
        self.waiting >>= 8 * whole
        self.n %= 8

    def copy(self, bits, n):
        while n:
            part = min(n, 1 << 15)
            self.put(bits.get(part), part)
            n -= part


def codes_of(lengths):
    """{symbol: (bits, how many)} of RFC 1951, 3.2.2."""
    need(sum(1 << 15 - n for n in lengths if n) <= 1 << 15, "more codes than there is room for")
    code, codes = 0, {}
    for n in range(1, 16):
        for symbol, length in enumerate(lengths):
            if length == n:
                codes[symbol] = int(f"{code:0{n}b}"[::-1], 2), n
                code += 1
        code <<= 1
    return codes


def read_head(bits):
    """The codes of literals and distances of a block."""
    kind = bits.get(3) >> 1
    need(kind in (1, 2), "the head of a block without codes")
    if kind == 1:
        return codes_of(FIXED), codes_of([5] * 32)
    literals, distances, n = 257 + bits.get(5), 1 + bits.get(5), 4 + bits.get(4)
    need(literals <= 286 and distances <= 30, "too many symbols")
    of_lengths = [0] * 19
    for symbol in ORDER_OF_LENGTHS[:n]:
        of_lengths[symbol] = bits.get(3)
    symbols, lengths = {code: symbol for symbol, code in codes_of(of_lengths).items()}, []
    while len(lengths) < literals + distances:
        code, n = 0, 0
        while (code, n) not in symbols:
            need(n < 7, "no code of a length")
            code, n = code | bits.get(1) << n, n + 1
        symbol = symbols[code, n]
        need(symbol != 16 or lengths, "the first length is a repetition")
        lengths += {16: lambda: lengths[-1:] * (3 + bits.get(2)), 17: lambda: [0] * (3 + bits.get(3)),
                    18: lambda: [0] * (11 + bits.get(7))}.get(symbol, lambda: [symbol])()
    need(len(lengths) == literals + distances, "too many lengths")
    return codes_of(lengths[:literals]), codes_of(lengths[literals:])


def put_symbol(out, codes, symbol):
    need(symbol in codes, "a token that has no code")
    out.put(*codes[symbol])


def put_valued(out, codes, table, offset, value):
    symbol = max(i for i, (first, _) in enumerate(table) if first <= value)
    put_symbol(out, codes, offset + symbol)
    out.put(value - table[symbol][0], table[symbol][1])


class Guesses:
    """The section Guesses of the page. A token is (length, distance), of a literal LITERAL."""

    def __init__(self, text, at, level, hash_bits):
        self.text, self.at, self.level, self.hash_bits = text, at, level, hash_bits
        self.good, self.lazy, self.nice, self.chain = LEVELS[level]
        self.origin = self.inserted = self.steps = 0
        self.last, self.predecessor = {}, [-1] * len(text)
        self.insert(at)
        self.look()

    def insert(self, to):
        text, shift, mask = self.text, (self.hash_bits + 2) // 3, (1 << self.hash_bits) - 1
        for p in range(self.inserted, min(to, len(text) - 2)):
            value = (text[p] << 2 * shift ^ text[p + 1] << shift ^ text[p + 2]) & mask
            self.predecessor[p] = self.last.get(value, -1)
            self.last[value] = p
        self.inserted = max(self.inserted, to)

    def search(self, p, length):
        text, left, chain, found = self.text, len(self.text) - p, self.chain, NOTHING
        if left < 3:
            return NOTHING
        self.insert(p + 1)
        q = self.predecessor[p]
        if q <= self.origin or p - q > 32506 or self.level > FAST and length >= self.lazy:
            return NOTHING
        if length >= self.good:
            chain //= 4
        most = min(left, 258)
        while chain and length < left:
            self.steps += 1
            if text[q + length] == text[p + length] and text[q + length - 1] == text[p + length - 1] and text[q:q + 2] == text[p:p + 2]:
                n = next((i for i in range(most) if text[q + i] != text[p + i]), most)
                self.steps += n // 16
                if n > length:
                    found, length = (n, p - q), n
                    if n >= self.nice or n == left:
                        break
            q, chain = self.predecessor[q], chain - 1
            if q <= self.origin or p - q >= 32506:
                break
        return NOTHING if self.level > FAST and found[0] == 3 and found[1] > 4096 else found

    def look(self):
        self.match, self.following = self.search(self.at, 2), None

    def look_ahead(self):
        if self.following is None:
            self.following = self.search(self.at + 1, self.match[0])

    def guess(self):
        if self.match == NOTHING:
            return LITERAL
        if self.level > FAST:
            self.look_ahead()
            if self.following != NOTHING:
                return LITERAL
        return self.match

    def take(self, token):
        if token != LITERAL:
            self.at += token[0]
            if self.level <= FAST and token[0] > self.lazy:
                self.inserted = self.at
            self.insert(self.at)
            self.look()
        elif self.level <= FAST:
            self.at += 1
            self.look()
        else:
            self.look_ahead()
            self.at, self.match, self.following = self.at + 1, self.following, None

    def skip(self, n):
        self.at += n
        self.insert(self.at)
        self.look()

    def restart(self):
        self.last.clear()
        self.origin = self.inserted = self.at
        self.look()


def number(reader):
    value = 0
    for shift in range(0, 35, 7):
        byte = reader.u(1)
        value |= (byte & 127) << shift
        if byte < 128:
            return value
    need(False, "a number of more than five bytes")


def wrong_guesses(data):
    """{which guess: token}."""
    reader, which, wrong = Reader(data), -1, {}
    while reader.at < len(data):
        which += 1 + number(reader)
        length = number(reader)
        wrong[which] = (length, number(reader)) if length else LITERAL
        need(not length or 3 <= length <= 258 and 1 <= wrong[which][1] <= 32768, "no match")
    return wrong


def open_deflate(data, n):
    """The piece, of n bytes."""
    reader = Reader(data)
    length, window, level, hash_bits, rest = (reader.u(size) for size in (4, 4, 1, 1, 4))
    need(window <= length <= 1 << 26 and 1 <= level <= 9 and hash_bits in (15, 16) and rest <= 1 << 24, "compressed data")
    rest, form = Reader(reader.packed(rest)), reader.u(1)
    need(form in (0, 1), "the form of the text")
    text = open_lines(reader.take(reader.u(4)), length) if form else reader.packed(length)
    reader.end()
    items = [[number(rest) for _ in range(4)] for _ in range(number(rest))]
    wrong = wrong_guesses(rest.take(number(rest)))
    out = write(items, wrong, Bits(rest.take(len(rest.data) - rest.at)), Guesses(text, window, level, hash_bits), 512 * (n + 1024))
    need(len(out.data) == n and not out.n, "a piece of another length")
    return bytes(out.data)


def write(items, wrong, bits, guesses, most):
    out, which, codes = BitsOut(), itertools.count(), None
    for flags, n_bits, passed, tokens in items:
        need(flags in (0, 1, 2, 3, 4, 5), "flags")
        need(passed <= len(guesses.text) - guesses.at, "bytes behind the text")
        guesses.steps += 4096 * (flags & 1) + 32768 * (flags > 1)
        out.copy(bits, n_bits)
        if flags & 1:
            guesses.restart()
        if passed:
            guesses.skip(passed)
        if flags > 1:
            begin = bits.at
            codes = read_head(bits)
            if flags < 4:
                end, bits.at = bits.at, begin
                out.copy(bits, end - begin)
        need(codes or not tokens, "a token before any head")
        for _ in range(tokens):
            guess = guesses.guess()
            token = wrong.get(next(which), guess)
            need(guesses.steps <= most and max(token[0], 1) <= len(guesses.text) - guesses.at, "too many steps, or a token behind the text")
            put_token(out, codes, token, guesses)
            guesses.take(token)
    return out


def put_token(out, codes, token, guesses):
    literals, distances = codes
    if token == LITERAL:
        put_symbol(out, literals, guesses.text[guesses.at])
    else:
        put_valued(out, literals, LENGTHS, 257, token[0])
        put_valued(out, distances, DISTANCES, 0, token[1])
