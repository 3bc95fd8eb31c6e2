"""The page: nothing in the data can leave its place, and the policy names what the page holds."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from kces.errors import OutputError
from kces.graph import Graph
from kces.report import render, report_payload, write_report
from kces.scorers.scored import Scored

HOSTILE = [
    "</script><script>alert(1)</script>",
    "\"'`<img src=x onerror=alert(1)>",
    "<!--",
    "a\u2028b\u2029c",
    "=cmd|' /C calc'!A0",
    "\u202egnp.exe",
    "😀 KCES_DATA_JSON /*KCES_JS*/",
    "x" * 10_000,
    "y" * 10_000,
    "\ud800",
]


class _Elements(HTMLParser):
    """Text of every script, and which elements there are."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.found and self.found[-1][0] == "script" and self.get_starttag_text():
            self.scripts.append(data)


def _payload(names: list[str]) -> dict[str, object]:
    pairs = [[i, i + 1] for i in range(len(names) - 1)]
    graph = Graph.from_edges(pairs, node_ids=np.array(names, dtype=object), name=names[0])
    scored = Scored(graph, np.arange(float(len(pairs))))
    return report_payload(scored, scored.cut(0.3), command=names[0], reading=names[:2])


def _data_of(page: str) -> dict[str, object]:
    match = re.search(r'<script type="application/json" id="kces-data">(.*?)</script>', page, re.DOTALL)
    assert match is not None
    return json.loads(match[1])


def test_hostile_names_stay_text() -> None:
    payload = _payload(HOSTILE)
    page, plain = render(payload), render(_payload(["n"] + [f"n{k}" for k in range(len(HOSTILE) - 1)]))
    seen, expected = _Elements(), _Elements()
    seen.feed(page)
    expected.feed(plain)
    assert [tag for tag, _ in seen.found] == [tag for tag, _ in expected.found]
    names = _data_of(page)["nodes"]["name"]
    assert names[:6] == HOSTILE[:6]
    assert names[6] == HOSTILE[6]
    assert len(set(names)) == len(HOSTILE)
    assert max(map(len, names)) < 300
    page.encode("utf-8")


def test_the_policy_allows_what_the_page_holds_and_nothing_else() -> None:
    page = render(_payload(["a", "b", "c"]))
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1].replace("&#x27;", "'")
    assert policy.startswith("default-src 'none'")
    assert "connect-src 'none'" in policy
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert scripts
    for text in scripts:
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in policy
    assert "http:" not in policy
    assert "https:" not in policy
    assert "connect-src &#x27;self&#x27;" in render(_payload(["a", "b", "c"]) | {"mode": "explore"})


def test_a_report_is_written_whole_and_replaces_nothing_unasked(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    size = write_report(target, _payload(["a", "b", "c"]))
    assert target.stat().st_size == size
    with pytest.raises(OutputError, match="exists"):
        write_report(target, _payload(["a", "b", "c"]))
    write_report(target, _payload(["d", "e", "f"]), force=True)
    assert _data_of(target.read_text())["about"]["graph"] == "d"
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
