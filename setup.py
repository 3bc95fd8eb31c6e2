"""The description of the package: README.md without links into the repository, which a package index cannot follow.

Everything else is in pyproject.toml.
"""

from __future__ import annotations

import re
from pathlib import Path

from setuptools import setup

_PICTURE = re.compile(r"^!\[[^\]]*\]\((?!https?://)[^)]*\)\n\n?", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?://)[^)]*\)")


def for_package_index(readme: str) -> str:
    """The text without pictures from the repository, and with plain words in place of links into it.

    >>> for_package_index("See [docs/tables.md](docs/tables.md) and [the paper](https://doi.org/10.1145/1).")
    'See docs/tables.md and [the paper](https://doi.org/10.1145/1).'
    """
    return _LINK.sub(r"\1", _PICTURE.sub("", readme))


if __name__ == "__main__":
    text = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
    setup(long_description=for_package_index(text), long_description_content_type="text/markdown")
