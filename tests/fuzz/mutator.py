"""Mutations of a valid file: bits, bytes, tokens, numbers, lines, columns, and pieces of two files put together."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

#: Values that make programs fail in any format and any field.
HOSTILE: tuple[bytes, ...] = (
    *(bytes([byte]) for byte in b"\x00\x1a\x7f\r\n\t\x0b\x0c\x85\xff\xfe#-|,;` '\"\\0"),
    *(b"\r\n", b"\n\n", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"),
    *(character.encode() for character in "\u202e\u2066\u2028\u200f\u0301\ufeff\uffff\U0010ffffſ\u212aıİßǆﬁ٣４½﷽"),
    *(b"9" * count for count in (11, 19, 20, 5000)),
    *(b'"' * 3, b"'" * 3, b" " * 300, b"A" * 300, b"\x1b[2J\x1b]0;x\x07", b"'; drop table player; --"),
    *b"-1 00000000000000000000 2147483648 -2147483649 9223372036854775808 1e308 nan inf -0 0x10 1_000 1.5 +1".split(),
    *b"0000-00-00 9999-12-31 10000-01-01 2024-02-30 0001/01/01 29/02/1900 99/99/9999".split(),
    *b"\\u0000 {value} {} {0.__class__} %s%n $1 ${x} ../../etc/passwd C:\\x /dev/zero".split(),
    *b"=1+1 @SUM(1) <script>alert(1)</script> [a](javascript:x)".split(),
)
_NUMBER = re.compile(rb"[0-9]+")


def mutated(rng: random.Random, seeds: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    """Return one of ``seeds`` with a few faults, most often one; ``tokens`` are tokens of its format."""
    data = rng.choice(seeds)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        fault = rng.choice(_FAULTS)
        data = fault(rng, data, seeds, tokens)
    return data[:_LARGEST]


_LARGEST = 200_000
Fault = Callable[[random.Random, bytes, Sequence[bytes], Sequence[bytes]], bytes]


def _flip(rng: random.Random, data: bytes, _seeds: Sequence[bytes], _tokens: Sequence[bytes]) -> bytes:
    changed = bytearray(data or b" ")
    for _ in range(rng.choice((1, 1, 1, 2, 8))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _byte(rng: random.Random, data: bytes, _seeds: Sequence[bytes], _tokens: Sequence[bytes]) -> bytes:
    changed = bytearray(data or b" ")
    changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _token(rng: random.Random, data: bytes, _seeds: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    """Insert a token of the format, or a hostile one, or overwrite bytes with it."""
    word = rng.choice(tokens) if tokens and rng.random() < 0.5 else rng.choice(HOSTILE)
    at = rng.randint(0, len(data))
    return data[:at] + word + data[at + (len(word) if rng.random() < 0.5 else 0) :]


def _number(rng: random.Random, data: bytes, _seeds: Sequence[bytes], _tokens: Sequence[bytes]) -> bytes:
    """Replace a number by an extreme one, of its own width or longer."""
    digits = _NUMBER.search(data, rng.randint(0, len(data)))
    if digits is None:
        return data
    width = digits.end() - digits.start()
    large = str(rng.getrandbits(64)).encode()
    extremes = (b"0" * width, b"9" * width, b" " * width, b"9" * 20, b"-" + b"1" * (width - 1), b"", large)
    return data[: digits.start()] + rng.choice(extremes) + data[digits.end() :]


def _cut(rng: random.Random, data: bytes, _seeds: Sequence[bytes], _tokens: Sequence[bytes]) -> bytes:
    start, end = sorted(rng.randint(0, len(data)) for _ in range(2))
    return data[:start] + data[min(end, start + rng.choice((1, 4, 40, 4000))) :]


def _repeat(rng: random.Random, data: bytes, _seeds: Sequence[bytes], _tokens: Sequence[bytes]) -> bytes:
    start = rng.randint(0, len(data))
    piece = data[start : start + rng.choice((1, 10, 100))]
    return data[:start] + piece * rng.choice((2, 2, 10, 100)) + data[start:]


def _truncate(rng: random.Random, data: bytes, _seeds: Sequence[bytes], _tokens: Sequence[bytes]) -> bytes:
    return data[: rng.randint(0, len(data))]


def _splice(rng: random.Random, data: bytes, seeds: Sequence[bytes], _tokens: Sequence[bytes]) -> bytes:
    other = rng.choice(seeds)
    return data[: rng.randint(0, len(data))] + other[rng.randint(0, len(other)) :]


def _lines(rng: random.Random, data: bytes, seeds: Sequence[bytes], _tokens: Sequence[bytes]) -> bytes:
    """Repeat, delete or move a line, or replace it by one of another file."""
    lines = data.split(b"\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(5):
        case 0:
            lines.insert(other, lines[at])
        case 1:
            lines[at:at] = [lines[at]] * rng.choice((2, 10, 200))
        case 2:
            del lines[at]
        case 3:
            lines[at], lines[other] = lines[other], lines[at]
        case _:
            lines.insert(at, rng.choice(rng.choice(seeds).split(b"\n")))
    return b"\n".join(lines)


def _columns(rng: random.Random, data: bytes, _seeds: Sequence[bytes], _tokens: Sequence[bytes]) -> bytes:
    """Move or blank some columns of one line or of all lines, or replace them by those of another line."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    column, width = rng.randint(0, 110), rng.choice((1, 2, 4, 10))
    filling = rng.choice((b"", b" " * width, b" " * (width + 1), rng.choice(lines)[column : column + width]))
    chosen = range(len(lines)) if rng.random() < 0.2 else (at,)
    for number in chosen:
        lines[number] = lines[number][:column] + filling + lines[number][column + width :]
    return b"\n".join(lines)


def _encoding(rng: random.Random, data: bytes, _seeds: Sequence[bytes], _tokens: Sequence[bytes]) -> bytes:
    text = data.decode("latin-1")
    match rng.randrange(5):
        case 0:
            return text.encode("utf-16")
        case 1:
            return data.replace(b"\n", rng.choice((b"\r", b"\r\n", b"\n\r", b"\x85")))
        case 2:
            return b"\xef\xbb\xbf" + data
        case 3:
            return text.replace("a", rng.choice("áя\u0301\U0001f600")).encode("utf-8")
        case _:
            return text.encode("utf-16-be")


_FAULTS: tuple[Fault, ...] = (
    *(_flip, _byte, _token, _token, _token, _number, _number, _cut, _repeat, _truncate, _splice),
    *(_lines, _lines, _columns, _columns, _encoding),
)
