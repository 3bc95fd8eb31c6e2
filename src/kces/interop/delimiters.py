"""What stands between the cells of a text file: found by looking at many lines, or asked for."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from kces.errors import AmbiguousInputError, InvalidParameterError

__all__ = ["choose_delimiter", "declared_delimiter", "is_comment", "named_delimiter", "split_line"]

_LOOKED_AT = 1000
_NAMES = {"tab": "\t", r"\t": "\t", "space": " ", "comma": ",", "semicolon": ";", "pipe": "|"}
_DECLARATION = re.compile(r'"?sep=([^"\r\n])"?\s*', re.IGNORECASE)
_COMMENT_MARKS = ("#", "%")
_COMMA_INSIDE_A_CELL = re.compile(r"(?<=\d),(?=\d)|, ")


def named_delimiter(text: str) -> str:
    """A delimiter as people write it: one character, or its name.

    >>> named_delimiter("tab"), named_delimiter(";")
    ('\\t', ';')
    """
    delimiter = _NAMES.get(text.lower(), text)
    if len(delimiter) != 1 or delimiter in '"\r\n#%':
        raise InvalidParameterError(f"a delimiter is one character, or tab, space, comma, semicolon; got {text!r}")
    return delimiter


def declared_delimiter(line: str) -> str | None:
    """The delimiter that a line declares for Excel.

    >>> declared_delimiter("sep=;\\r\\n"), declared_delimiter("sep;total")
    (';', None)
    """
    found = _DECLARATION.fullmatch(line)
    return None if found is None else found[1]


def is_comment(line: str) -> bool:
    """Whether a line holds no record: it is blank, begins with # or %, or only declares a delimiter.

    The first line of a Matrix Market file is none: what follows it are no plain records.

    >>> is_comment("# made by hand"), is_comment("% sym unweighted"), is_comment("  "), is_comment("a,#b")
    (True, True, True, False)
    """
    text = line.lstrip()
    if not text or text.startswith(_COMMENT_MARKS):
        return not text.startswith("%%MatrixMarket")
    return declared_delimiter(line) is not None


def split_line(line: str, delimiter: str) -> list[str]:
    """The cells of a line without quotes; a space stands for any white space.

    >>> split_line("a,b,\\n", ","), split_line(" 1  2 {'w': 3}", " ")
    (['a', 'b', ''], ['1', '2', "{'w': 3}"])
    """
    if delimiter != " ":
        return line.rstrip("\r\n").split(delimiter)
    # NetworkX writes the attributes of an edge as one dict, with spaces inside.
    cells = line.split(None, 2)
    if len(cells) == 3 and cells[2].startswith("{"):
        return [*cells[:2], cells[2].rstrip()]
    return line.split()


def choose_delimiter(lines: list[str], path: Path, separators: Sequence[str]) -> str:
    """The one of ``separators`` that gives every record the same number of cells, two at least.

    A tab wins where the kind of file puts it first, white space only wins where nothing else fits and it comes last.
    Decimal commas and commas followed by a space count as part of a cell; what is still open is asked. Where nothing
    fits, the one on which most records agree is taken, and reading will say which line differs.

    >>> choose_delimiter(["a;b;1,5\\n", "b;c;2,5\\n"], Path("links.csv"), [",", ";"])
    ';'
    """
    sample = list(islice(_whole_records(lines), _LOOKED_AT))
    if not sample:
        return separators[0]
    fitting = [separator for separator in separators if _width(sample, separator) > 1]
    if fitting[:1] == ["\t"] == list(separators[:1]):
        return "\t"
    if " " in fitting and len(fitting) > 1:
        fitting = _without_spaces(fitting, sample, spaces_last=separators[-1] == " ")
    if "," in fitting and len(fitting) > 1 and not any("," in _COMMA_INSIDE_A_CELL.sub("", line) for line in sample):
        fitting.remove(",")
    if len(fitting) > 1:
        shown = " or ".join(repr(separator) for separator in fitting)
        raise AmbiguousInputError(f"{path}: what stands between its cells, {shown}?", ("delimiter",))
    if fitting:
        return fitting[0]
    return max(separators, key=lambda separator: _agreeing(sample, separator))  # of equal ones the first


def _whole_records(lines: list[str]) -> Iterator[str]:
    """Lines joined while a quote is open, without comments; close enough for choosing a delimiter."""
    held = ""
    for line in lines:
        if not held and is_comment(line):
            continue
        held += line
        if held.count('"') % 2 == 0:
            yield held
            held = ""
    if held:
        yield held


def _without_spaces(fitting: list[str], sample: list[str], *, spaces_last: bool) -> list[str]:
    """White space beside another separator: it stands after it, or inside the cells, or it is the one."""
    if any(len(cells := _cells(line, " ")) > 2 and cells[2].startswith("{") for line in sample):
        return [" "]
    others = [separator for separator in fitting if separator != " "]
    tidy = [re.sub(r"\s*([,;|])\s*", r"\1", line) for line in sample]
    return others if spaces_last or _width(tidy, " ") < 2 else fitting


def _width(sample: list[str], separator: str) -> int:
    """Cells per line if all lines agree (a header may lack an empty last one), else 0."""
    widths = [len(_cells(line, separator)) for line in sample]
    if len(widths) > 1 and widths[0] == widths[1] - 1 and not _cells(sample[1], separator)[-1].strip():
        widths = widths[1:]
    return widths[0] if len(set(widths)) == 1 else 0


def _agreeing(sample: list[str], separator: str) -> int:
    """How many lines have the commonest number of cells above one."""
    widths = Counter(len(_cells(line, separator)) for line in sample)
    return max((count for width, count in widths.items() if width > 1), default=0)


def _cells(line: str, separator: str) -> list[str]:
    if '"' not in line:
        return split_line(line, separator)
    return next(csv.reader(io.StringIO(line, newline=""), delimiter=separator, skipinitialspace=True), [""])
