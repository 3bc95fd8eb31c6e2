"""From tables as people have them to the matrix that is scored: no file is read here.

``encode`` turns one column into numbers, ``missing`` says which cells are empty, ``scaling`` brings columns to one
scale, and ``prepare`` does it for a whole table and says in words what was done.
"""

from kces.features.prepare import PreparedFeatures, prepare_features
from kces.features.scaling import SCALES, scale_matrix

__all__ = ["SCALES", "PreparedFeatures", "prepare_features", "scale_matrix"]
