"""Sealed objects of docs/sealed.md, made and opened. A sealed object is a tscope.v1.SealedObject."""
import struct

import xxhash
import zstandard

from deflate_v1 import open_deflate
from format_v1 import Wrong, identity, need
from lines_v1 import open_lines
from words_v1 import make_words, open_words

RAW, ZSTD, WORDS, LINES, DEFLATE = range(5)
OPEN_PAYLOAD = {WORDS: open_words, LINES: open_lines, DEFLATE: open_deflate}


def fill(message, raw, codec):
    """Seals raw into message, by a codec up to WORDS, which falls back to zstd where it does not apply."""
    references = struct.unpack_from("<I", raw, 8)[0]
    header = 16 + 32 * references
    if codec == WORDS and (raw[6] != 1 or len(raw) == header):
        codec = ZSTD
    data = {RAW: lambda: raw, ZSTD: lambda: zstandard.compress(raw), WORDS: lambda: raw[:header] + make_words(raw[header:])}[codec]()
    message.id, message.codec, message.kind, message.refs = identity(raw), codec, raw[4], references
    message.raw_len, message.checksum, message.data = len(raw), xxhash.xxh3_64_intdigest(data), data
    return message


def open_sealed(message):
    """The object, checked as docs/sealed.md asks a receiver to."""
    data = message.data
    need(xxhash.xxh3_64_intdigest(data) == message.checksum, "checksum")
    need(message.raw_len <= 2097152, "raw_len")
    if message.codec == RAW:
        raw = data
    elif message.codec == ZSTD:
        raw = zstandard.ZstdDecompressor().decompress(data, max_output_size=message.raw_len)
    elif message.codec in OPEN_PAYLOAD:
        header = 16 + 32 * message.refs
        need(header < message.raw_len, "no payload")
        raw = data[:header] + OPEN_PAYLOAD[message.codec](data[header:], message.raw_len - header)
    else:
        raise Wrong(f"codec {message.codec}")
    need(len(raw) == message.raw_len and identity(raw) == message.id, "the object is another")
    need(raw[4] == message.kind and struct.unpack_from("<I", raw, 8)[0] == message.refs, "kind or refs")
    return raw
