"""What was done to features on their way in, said in one warning line."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from kces.errors import GraphWarning

__all__ = ["say_about_features"]


def say_about_features(notes: Sequence[str]) -> None:
    """Warn with all notes on one line, if there are any.

    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     say_about_features(["text as one 0/1 column per value: city (2)", "2 columns standardized: as asked"])
    >>> print(said[0].message)
    node features: text as one 0/1 column per value: city (2); 2 columns standardized: as asked
    """
    if notes:
        warnings.warn(f"node features: {'; '.join(notes)}", GraphWarning, stacklevel=3)
