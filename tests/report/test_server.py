"""The explorer's server: what the page needs works, and everything else is refused."""

from __future__ import annotations

import http.client
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from kces.cli.explore import _explorer
from kces.cli.graph_input import open_input
from kces.cli.input_options import InputOptions
from kces.cli.score_input import ScoringOptions, score_opened
from kces.errors import InvalidParameterError, UnreadableFileError
from kces.report.marks import Marks
from kces.report.server import LARGEST_BODY, ExploreServer

LINKS = "source,target,amount\nann,bob,1\nbob,cy,2\ncy,ann,3\ncy,dan,4\ndan,eve,5\neve,fay,6\nfay,dan,7\n"


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict:
        return json.loads(self.body)


Ask = Callable[..., Answer]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "links.csv"
    path.write_text(LINKS)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


@pytest.fixture
def server(table: Path, folder: Path) -> Iterator[ExploreServer]:
    scoring = ScoringOptions(alpha="0.3")
    found = score_opened(open_input(str(table), InputOptions()), scoring, quiet=True)
    with ExploreServer(_explorer(found, scoring, folder, 0.0)) as served:
        thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield served
        served.shutdown()
        thread.join(5)


@pytest.fixture
def ask(server: ExploreServer) -> Ask:
    def send(method: str, path: str, body: object = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
        given = {"X-KCES-Token": server.token} | {name.replace("_", "-"): value for name, value in headers.items()}
        content = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        connection.request(method, path, content, {name: value for name, value in given.items() if value})
        answer = connection.getresponse()
        return Answer(answer.status, dict(answer.getheaders()), answer.read())

    return send


# -- what the page needs ---------------------------------------------------------------------------


def test_the_page_is_served_with_its_token(ask: Ask, server: ExploreServer) -> None:
    answer = ask("GET", f"/?token={server.token}", X_KCES_Token="")
    assert answer.status == 200
    assert b'"mode":"explore"' in answer.body
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    assert server.token.encode() not in answer.body


def test_marks_are_kept_in_a_file_and_held(ask: Ask, table: Path) -> None:
    worst = {"source": "ann", "target": "bob"}
    assert ask("POST", "/api/marks", worst | {"mark": "harmful"}).json == {"ok": True, "marks": 1}
    assert ask("POST", "/api/marks", {"source": "dan", "target": "cy", "mark": "fine"}).json["marks"] == 2
    held = json.loads((table.parent / "links.csv.kces-marks.json").read_text())
    assert ask("GET", "/api/marks").json["marks"] == held["marks"]
    payload = ask("POST", "/api/rescore", {}).json
    names, edges = payload["nodes"]["name"], payload["edges"]
    fate = {
        frozenset((names[i], names[j])): bool(gone)
        for i, j, gone in zip(edges["source"], edges["target"], edges["suspicious"], strict=True)
    }
    assert fate[frozenset(("ann", "bob"))]
    assert not fate[frozenset(("cy", "dan"))]
    assert min(payload["alphas"]["removed"]) == 1
    assert max(payload["alphas"]["removed"]) == 6
    assert ask("POST", "/api/marks", worst | {"mark": None}).json["marks"] == 1


def test_the_sanitized_graph_is_saved_in_the_format_of_the_input(ask: Ask, folder: Path) -> None:
    ask("POST", "/api/marks", {"source": "fay", "target": "dan", "mark": "harmful"})
    answer = ask("POST", "/api/save", {"name": "clean.csv", "alpha": 0.0}).json
    assert answer == {"ok": True, "path": str(folder / "clean.csv"), "removed": 1}
    assert (folder / "clean.csv").read_text() == LINKS.replace("fay,dan,7\n", "")
    again = ask("POST", "/api/save", {"name": "clean.csv", "alpha": 0.5})
    assert again.status == 400
    assert "exists" in again.json["error"]
    assert [file.name for file in folder.iterdir()] == ["clean.csv"]


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize("token", ["", "wrong", "é"])
def test_no_answer_without_the_token(ask: Ask, token: str) -> None:
    for method, path in (("GET", "/api/marks"), ("POST", "/api/save"), ("GET", "/"), ("GET", "/?token=wrong")):
        answer = ask(method, path, {} if method == "POST" else None, X_KCES_Token=token.encode().decode("latin-1"))
        assert answer.status == 403
        assert "token" in answer.json["error"]


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example"])
def test_other_host_names_are_refused(ask: Ask, server: ExploreServer, host: str) -> None:
    assert ask("GET", f"/?token={server.token}", Host=host).status == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://localhost"])
def test_other_origins_are_refused(ask: Ask, origin: str) -> None:
    assert ask("POST", "/api/rescore", {}, Origin=origin).status == 403


def test_its_own_origin_is_served(ask: Ask, server: ExploreServer) -> None:
    assert ask("GET", "/api/marks", Origin=f"http://127.0.0.1:{server.server_port}").status == 200
    assert ask("GET", "/api/marks", Host=f"localhost:{server.server_port}").status == 200


@pytest.mark.parametrize("path", ["/nothing", "/api", "/api/marks/..", "/../../etc/passwd", "/static/report.js"])
def test_unknown_paths_are_not_found(ask: Ask, path: str) -> None:
    assert ask("GET", path).status == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", "/api/marks"),
        ("DELETE", "/api/marks"),
        ("GET", "/api/save"),
        ("OPTIONS", "/api/save"),
        ("HEAD", "/api/save"),
    ],
)
def test_other_methods_are_refused(ask: Ask, method: str, path: str) -> None:
    assert ask(method, path).status == 405


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"[" * 60_000, b'"text"'])
def test_malformed_bodies_are_refused(ask: Ask, body: bytes) -> None:
    answer = ask("POST", "/api/marks", body)
    assert answer.status == 400
    assert "JSON" in answer.json["error"]


def test_large_and_unmeasured_bodies_are_refused(ask: Ask) -> None:
    assert ask("POST", "/api/marks", b" " * LARGEST_BODY + b"{}").status == 413
    assert ask("POST", "/api/marks", b"{}", Content_Length="1" * 30).status == 413
    assert ask("POST", "/api/marks", b"{}", Content_Length="-1").status == 411
    assert ask("POST", "/api/marks", b"{}", Transfer_Encoding="chunked").status == 411


@pytest.mark.parametrize(
    "name",
    ["../clean.csv", "/tmp/clean.csv", "a/b.csv", "..", ".", ".hidden.csv", "a\\b.csv", "a\0.csv", "a\n.csv", "C:x.csv",
     "x" * 300 + ".csv", "", None, 7, ["a.csv"], "clean.exe", "noending"],
)  # fmt: skip
def test_only_plain_names_in_the_folder_are_written(ask: Ask, folder: Path, table: Path, name: object) -> None:
    answer = ask("POST", "/api/save", {"name": name, "alpha": 0.2})
    assert answer.status == 400
    assert "\n" not in answer.json["error"]
    assert list(folder.iterdir()) == []
    assert sorted(file.name for file in table.parent.iterdir()) == ["links.csv", "out"]


def test_a_link_out_of_the_folder_is_not_followed(ask: Ask, folder: Path, tmp_path: Path) -> None:
    os.symlink(tmp_path / "elsewhere.csv", folder / "clean.csv")
    assert ask("POST", "/api/save", {"name": "clean.csv", "alpha": 0.2}).status == 400
    assert not (tmp_path / "elsewhere.csv").exists()


@pytest.mark.parametrize("alpha", [-1, 2, "0.2", True, [], float("nan")])
def test_ratios_outside_their_range_are_refused(ask: Ask, folder: Path, alpha: object) -> None:
    assert ask("POST", "/api/save", {"name": "clean.csv", "alpha": alpha}).status == 400
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "body",
    [
        {"source": "ann", "target": "bob"},
        {"source": "ann", "target": "bob", "mark": "maybe"},
        {"source": "ann", "target": "bob", "mark": ["fine"]},
        {"source": "ann", "target": "fay", "mark": "fine"},
        {"source": "ann", "target": "ann", "mark": "fine"},
        {"source": "nobody", "target": "bob", "mark": "fine"},
        {"source": 1, "target": {}, "mark": "fine"},
    ],
)
def test_marks_are_checked(ask: Ask, table: Path, body: dict) -> None:
    assert ask("POST", "/api/marks", body).status == 400
    assert not (table.parent / "links.csv.kces-marks.json").exists()


def test_a_port_outside_the_range_or_taken_is_an_error(server: ExploreServer) -> None:
    with pytest.raises(InvalidParameterError, match="port"):
        ExploreServer(server.explorer, 70_000)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"format": 2, "marks": []}',
        '{"format": 1, "marks": [{"source": "ann"}]}',
        '{"format": 1, "marks": [{"source": "ann", "target": "nobody", "mark": "fine"}]}',
        '{"format": 1, "marks": [{"source": "ann", "target": "bob", "mark": "odd"}]}',
        "[" * 100_000,
    ],
)
def test_a_damaged_file_of_marks_is_refused(server: ExploreServer, tmp_path: Path, content: str) -> None:
    path = tmp_path / "marks.json"
    path.write_text(content)
    with pytest.raises(UnreadableFileError, match="begin anew"):
        Marks.opened(server.explorer.scored.graph, path)


def test_a_fault_is_told_and_the_server_goes_on(
    server: ExploreServer, ask: Ask, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(server.explorer, "rescore", lambda: 1 / 0)
    answer = ask("POST", "/api/rescore", body={})
    assert (answer.status, answer.json["error"]) == (500, "this failed; the terminal says why")
    assert ask("GET", "/api/marks").status == 200
    told = capsys.readouterr().err
    for _ in range(200):  # the answer leaves before the fault is printed
        if "ZeroDivisionError" in told:
            break
        time.sleep(0.05)
        told += capsys.readouterr().err
    assert "ZeroDivisionError" in told


def test_the_page_proposes_a_name_in_the_format_of_the_input(server: ExploreServer) -> None:
    assert server.explorer.payload()["save_name"] == "links.clean.csv"


def test_leaving_waits_for_a_file_that_is_being_written(server: ExploreServer, folder: Path) -> None:
    writing, go_on = threading.Event(), threading.Event()

    def slow(path: Path, kept: object) -> None:
        writing.set()
        go_on.wait(10)
        path.write_text("done")

    server.explorer.write = slow
    saving = threading.Thread(target=server.explorer.save, args=("slow.csv",))
    saving.start()
    assert writing.wait(10)
    leaving = threading.Thread(target=server.explorer.finish)
    leaving.start()
    assert leaving.is_alive()
    go_on.set()
    leaving.join(10)
    assert (folder / "slow.csv").read_text() == "done"
    saving.join(10)
