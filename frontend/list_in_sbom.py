"""Add the libraries that are bundled into the page of the report to a list of components (CycloneDX)."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

LICENSES = Path(__file__).parents[1] / "src" / "kces" / "report" / "static" / "LICENSES.txt"
_HEADING = re.compile(r"^-{80}\n\n(\S+) (\S+) \(([^)\n]+)\)$", re.MULTILINE)


def bundled() -> list[dict[str, object]]:
    """A component for each library that ``LICENSES.txt`` names."""
    return [
        {
            "type": "library",
            "name": name,
            "version": version,
            "purl": f"pkg:npm/{name.replace('@', '%40')}@{version}",
            "bom-ref": f"{name}@{version}",
            "licenses": [{"license": {"id": license}}],
        }
        for name, version, license in _HEADING.findall(LICENSES.read_text(encoding="utf-8"))
    ]


def main(path: Path) -> None:
    said = json.loads(path.read_text(encoding="utf-8"))
    said["components"] = [*said.get("components", []), *bundled()]
    path.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
