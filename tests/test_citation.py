"""The citation file agrees with the package."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_version_license_and_paper_are_those_of_the_package() -> None:
    citation, project = (ROOT / "CITATION.cff").read_text(), (ROOT / "pyproject.toml").read_text()
    for field in ("version", "license"):
        stated = re.search(rf'^{field} = "(.*)"$', project, re.M)
        cited = re.search(rf'^{field}: "?([^"\n]*)"?$', citation, re.M)
        assert stated is not None
        assert cited is not None
        assert stated[1] == cited[1]
    doi = re.search(r"^  doi: (\S+)$", citation, re.M)
    assert doi is not None
    assert f"https://doi.org/{doi[1]}" in project
