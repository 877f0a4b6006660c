"""A campaign: mutants for every reader, the tally of the results, and the files of the failing inputs."""

from __future__ import annotations

import hashlib
import random
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.mutator import mutated
from tests.fuzz.readers import READERS, Reader

HANG_SECONDS = 5.0


@dataclass(slots=True)
class Tally:
    """The results of one reader's inputs. ``slowest``: seconds of the input that took longest."""

    reader: str
    corpus: int
    corpus_bytes: int
    inputs: int = 0
    accepted: int = 0
    crashes: list[Path] = field(default_factory=list)
    hangs: list[Path] = field(default_factory=list)
    seconds: float = 0.0
    slowest: float = 0.0

    @property
    def refused(self) -> int:
        """The number of inputs that were refused."""
        return self.inputs - self.accepted - len(self.crashes)


def campaign(
    inputs: int, seed: int, report: Callable[[Tally], None], readers: Sequence[Reader] = READERS
) -> list[Tally]:
    """Give every reader its share of ``inputs``, the same for the same seed; ``report`` is called after each reader."""
    shares = sum(reader.share for reader in readers)
    tallies = []
    for reader in readers:
        tally = _fuzzed(reader, -(-inputs * reader.share // shares), seed)
        report(tally)
        tallies.append(tally)
    return tallies


def batch_of(reader: Reader, seed: int, number: int, size: int, corpus: Sequence[bytes]) -> list[bytes]:
    """Return the inputs of one batch, which depend on the seed, the reader and the number of the batch alone."""
    rng = random.Random(f"{seed}/{reader.name}/{number}")
    return [mutated(rng, corpus, reader.tokens) for _ in range(size)]


def _fuzzed(reader: Reader, inputs: int, seed: int) -> Tally:
    corpus = reader.seeds()
    tally = Tally(reader.name, len(corpus), sum(map(len, corpus)))
    slow: tuple[float, int, int] = (0.0, 0, 1)
    for number in range(-(-inputs // reader.together)):
        size = min(reader.together, inputs - number * reader.together)
        batch = batch_of(reader, seed, number, size, corpus)
        started = time.perf_counter()
        _read(reader, batch, tally)
        took = time.perf_counter() - started
        tally.inputs += size
        tally.seconds += took
        # The first batch includes the time of one-time setup.
        if number:
            slow = max(slow, (took, number, size))
        if took > HANG_SECONDS:
            tally.hangs += _hanging(reader, batch)
    tally.slowest = _slowest(reader, batch_of(reader, seed, slow[1], slow[2], corpus))[0]
    return tally


def _read(reader: Reader, inputs: Sequence[bytes], tally: Tally) -> None:
    """Read ``inputs``; where that crashes, bisect them to find the input that crashes."""
    try:
        tally.accepted += reader.read(inputs)
    except KeyboardInterrupt:
        raise
    except BaseException:  # what Rust raises when it panics is no Exception
        if len(inputs) > 1:
            middle = len(inputs) // 2
            _read(reader, inputs[:middle], tally)
            _read(reader, inputs[middle:], tally)
        else:
            tally.crashes.append(_kept(reader, inputs[0], traceback.format_exc()))


def _timed(reader: Reader, inputs: Sequence[bytes]) -> float:
    started = time.perf_counter()
    _read(reader, inputs, Tally(reader.name, 0, 0))
    return time.perf_counter() - started


def _slowest(reader: Reader, inputs: Sequence[bytes]) -> tuple[float, bytes]:
    """Return the slowest of ``inputs`` and its seconds, by bisecting into the slower half."""
    while len(inputs) > 1:
        middle = len(inputs) // 2
        halves = (inputs[:middle], inputs[middle:])
        inputs = max(halves, key=lambda half: _timed(reader, half))
    return _timed(reader, inputs), inputs[0]


def _hanging(reader: Reader, inputs: Sequence[bytes]) -> list[Path]:
    took, slowest = _slowest(reader, inputs)
    return [_kept(reader, slowest, f"{took:.1f} s")] if took > HANG_SECONDS else []


_KEPT: list[Path] = []


def _kept(reader: Reader, data: bytes, why: str) -> Path:
    """Write an input to a file, and the error to a file of the same stem."""
    if not _KEPT:
        _KEPT.append(Path(tempfile.mkdtemp(prefix="ratinglist-fuzz-failures-")))
    stem = f"{reader.name.split()[0]}-{reader.name.split()[-1].strip('()')}-{hashlib.sha256(data).hexdigest()[:12]}"
    path = _KEPT[0] / stem
    path.write_bytes(data)
    path.with_name(f"{stem}.why").write_text(why, encoding="utf-8")
    return path
