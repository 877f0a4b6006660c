"""Splitting a whole chunk of CSV gives the same rows as splitting it line by line, or is declined."""

from random import Random

import pytest

from ratinglist.lists import csv_list
from ratinglist.lists.line_batches import LineChunk
from ratinglist.lists.raw_list import Inspection

COLUMNS = ["fide_id", "name", "flag"]
PLAIN = ("1", "Prova", '"Prova, Anna"', "", '""', "Prövä", " w ")
ODD = ('a"b', '"a""b"', '"open', '"a"b', "a,b", "\x1a", '"', '" "', '""x', '"a\nb"', "\n", "\xff")


def split_chunk(data: bytes) -> list[tuple[object, ...]] | None:
    frame = csv_list._split_chunk(LineChunk(7, data), COLUMNS, ",")
    return None if frame is None else frame.rows()


def split_lines(data: bytes) -> tuple[list[tuple[object, ...]], int]:
    inspection = Inspection("list.csv")
    frame = csv_list._split_lines(LineChunk(7, data).lines(), COLUMNS, ",", inspection)
    return frame.rows(), inspection.problems


def test_plain_lines_are_split_chunk():
    data = '1,"Prova, Anna",w\n2,Prövä,\n3,"",i'.encode()
    assert split_chunk(data) == [(7, "1", "Prova, Anna", "w"), (8, "2", "Prövä", ""), (9, "3", "", "i")]


@pytest.mark.parametrize(
    "data",
    [
        b"1,A\n2,B,w\n",
        b"1,A,w,i\n2,B,w\n",
        b"1,A,w\n\n2,B,w\n",
        b'1,"A\nB",w\n',
        b'1,"A,w\n',
        b'1,A"B,w\n',
        b'1,"A ""B""",w\n',
        # the quotation mark too many must not make up for the separator too few
        b'1,A"B,w\n2,C\n',
        b"1,\xff,w\n",
        b"1,A,w\n\x1a",
    ],
)
def test_a_line_that_may_not_be_one_row_is_left_to_splitting_by_lines(data):
    assert split_chunk(data) is None


def test_both_ways_of_splitting_agree():
    chance = Random(20251101)
    compared = 0
    for _ in range(600):
        fields = (
            [chance.choice(PLAIN if chance.random() < 0.97 else ODD) for _ in range(3 if chance.random() < 0.95 else 2)]
            for _ in range(chance.randint(1, 4))
        )
        data = "\n".join(",".join(line) for line in fields).encode("utf-8")
        if (rows := split_chunk(data)) is not None:
            compared += 1
            assert (rows, 0) == split_lines(data)
    assert compared > 200
