"""Downloads against a server on the loopback interface: whole, resumed, cut, wrong, refused and absent."""

from __future__ import annotations

import hashlib
import io
import stat
import threading
import urllib.request
from collections.abc import Iterator
from http.client import HTTPMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from kces.datasets.download import _SafeRedirects, download
from kces.datasets.file_registry import FILES, DataFile
from kces.datasets.local_files import ensure, file_here
from kces.datasets.roots import cache_folder, make_private_folder
from kces.errors import UnreadableFileError

CONTENT = bytes(range(256)) * 1024  # four chunks of the reader


class Server(ThreadingHTTPServer):
    """Serves CONTENT at /data.bin; ``cut_after`` drops the connection, ``knows_ranges`` honours Range."""

    daemon_threads = True
    content = CONTENT
    cut_after: int | None = None
    knows_ranges = True
    moved_to = ""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.ranges_asked: list[str | None] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/data.bin"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        self.server.ranges_asked.append(wanted)
        if self.path == "/moved.bin":
            self.send_response(302)
            self.send_header("Location", self.server.moved_to)
            self.end_headers()
            return
        if self.path != "/data.bin":
            self.send_error(404, "Not Found")
            return
        content = self.server.content
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and self.server.knows_ranges else 0
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        self.wfile.write(content[start : self.server.cut_after])

    def log_message(self, *_: Any) -> None:
        """Keep the test output clean."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join(timeout=10)


def published(address: str | None, **changes: Any) -> DataFile:
    facts: dict[str, Any] = {
        "path": "source/data.bin",
        "address": address,
        "size": len(CONTENT),
        "sha256": hashlib.sha256(CONTENT).hexdigest(),
        "license": "none stated",
    }
    return DataFile(**(facts | changes))


def test_whole_download_reports_progress_and_leaves_only_the_file(server: Server, tmp_path: Path) -> None:
    reports: list[tuple[str, int, int]] = []
    path = ensure(published(server.address), tmp_path, lambda *report: reports.append(report))
    assert path == tmp_path / "source" / "data.bin"
    assert path.read_bytes() == CONTENT
    assert [entry.name for entry in path.parent.iterdir()] == ["data.bin"]
    assert reports[-1] == ("download data.bin", len(CONTENT), len(CONTENT))
    assert len(reports) >= 4


def test_a_file_that_is_here_is_not_asked_for_again(server: Server, tmp_path: Path) -> None:
    file = published(server.address)
    assert file_here(file, tmp_path) is None
    ensure(file, tmp_path)
    assert ensure(file, tmp_path) == file_here(file, tmp_path)
    assert server.ranges_asked == [None]


def test_a_cut_download_is_resumed_where_it_stopped(server: Server, tmp_path: Path) -> None:
    file = published(server.address)
    server.cut_after = 100_000
    with pytest.raises(UnreadableFileError, match=r"cut after 100,000 of 262,144 bytes"):
        ensure(file, tmp_path)
    assert (tmp_path / "source" / "data.bin.part").stat().st_size == 100_000
    assert not (tmp_path / "source" / "data.bin").exists()
    server.cut_after = None
    assert ensure(file, tmp_path).read_bytes() == CONTENT
    assert server.ranges_asked == [None, "bytes=100000-"]


def test_a_server_without_ranges_sends_the_file_again(server: Server, tmp_path: Path) -> None:
    server.knows_ranges = False
    target = tmp_path / "data.bin"
    target.with_name("data.bin.part").write_bytes(b"left by an earlier try")
    download(published(server.address), target)
    assert target.read_bytes() == CONTENT


def test_a_complete_part_needs_no_server(tmp_path: Path) -> None:
    target = tmp_path / "data.bin"
    target.with_name("data.bin.part").write_bytes(CONTENT)
    download(published("http://127.0.0.1:1/data.bin"), target)
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize("content", [CONTENT[::-1], CONTENT + b"more"], ids=["same length", "longer"])
def test_another_content_is_refused_and_removed(server: Server, tmp_path: Path, content: bytes) -> None:
    server.content = content
    with pytest.raises(UnreadableFileError, match="not the published file"):
        ensure(published(server.address), tmp_path)
    assert list((tmp_path / "source").iterdir()) == []


def test_a_part_of_another_file_is_refused_and_the_next_try_is_clean(server: Server, tmp_path: Path) -> None:
    part = tmp_path / "source" / "data.bin.part"
    part.parent.mkdir()
    part.write_bytes(b"x" * 1000)
    with pytest.raises(UnreadableFileError, match="SHA-256"):
        ensure(published(server.address), tmp_path)
    assert ensure(published(server.address), tmp_path).read_bytes() == CONTENT


def test_a_missing_page_names_address_and_place(server: Server, tmp_path: Path) -> None:
    file = published(server.address + ".gone")
    with pytest.raises(UnreadableFileError) as caught:
        ensure(file, tmp_path)
    message = str(caught.value)
    assert "HTTP 404" in message
    assert str(file.address) in message
    assert str(tmp_path / "source" / "data.bin") in message
    assert "\n" not in message


def test_an_absent_server_names_address_and_place(server: Server, tmp_path: Path) -> None:
    address = server.address
    server.server_close()  # the port is free again, so nobody answers there
    with pytest.raises(UnreadableFileError) as caught:
        ensure(published(address), tmp_path)
    assert address in str(caught.value)
    assert str(tmp_path / "source" / "data.bin") in str(caught.value)


def test_a_file_without_address_says_where_to_put_it(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError, match=r"source/data\.bin has no public address \(packed by hand\)"):
        ensure(published(None, note="packed by hand"), tmp_path)


def test_a_damaged_file_in_the_root_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "source" / "data.bin"
    path.parent.mkdir()
    path.write_bytes(b"damaged")
    with pytest.raises(UnreadableFileError, match="differs from the published file"):
        ensure(published("http://127.0.0.1:1/data.bin"), tmp_path)
    assert path.read_bytes() == b"damaged"


def test_a_read_only_mirror_is_completed_in_the_cache(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    monkeypatch.setattr("kces.datasets.local_files.is_writable", lambda folder: folder != mirror)
    monkeypatch.setattr("kces.datasets.local_files.cache_folder", lambda: tmp_path / "cache")
    file = published(server.address)
    assert ensure(file, mirror) == tmp_path / "cache" / "source" / "data.bin"
    assert list(mirror.iterdir()) == []
    assert file_here(file, mirror) == tmp_path / "cache" / "source" / "data.bin"


def test_a_redirect_that_stays_safe_is_followed_and_checked(server: Server, tmp_path: Path) -> None:
    server.moved_to = server.address
    moved = server.address.replace("data.bin", "moved.bin")
    assert ensure(published(moved), tmp_path).read_bytes() == CONTENT
    server.content = CONTENT[::-1]
    with pytest.raises(UnreadableFileError, match="wrong SHA-256"):
        ensure(published(moved), tmp_path / "other")


@pytest.mark.parametrize("elsewhere", ["http://example.org/data.bin", "ftp://example.org/data.bin"])
def test_a_redirect_away_from_https_is_refused(server: Server, tmp_path: Path, elsewhere: str) -> None:
    server.moved_to = elsewhere
    with pytest.raises(UnreadableFileError, match=r"example\.org/data\.bin"):
        ensure(published(server.address.replace("data.bin", "moved.bin")), tmp_path)


@pytest.mark.parametrize("address", ["http://example.org/data.bin", "file:///etc/passwd", "ftp://example.org/x"])
def test_only_https_is_asked(tmp_path: Path, address: str) -> None:
    with pytest.raises(UnreadableFileError, match="is not https"):
        ensure(published(address), tmp_path)


def test_a_redirect_from_elsewhere_to_this_machine_is_refused() -> None:
    request = urllib.request.Request("https://example.org/cora.npz")
    for address in ("http://127.0.0.1:8080/", "https://localhost/cora.npz"):
        with pytest.raises(UnreadableFileError, match="on this machine; it is not followed"):
            _SafeRedirects().redirect_request(request, io.BytesIO(), 302, "Found", HTTPMessage(), address)


def test_every_published_file_has_a_hash_a_license_and_a_safe_address() -> None:
    for file in FILES.values():
        assert len(bytes.fromhex(file.sha256)) == 32
        assert file.license
        assert file.address is None or file.address.startswith("https://")


def test_the_cache_folder_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home" / "cache"))
    if cache_folder() != tmp_path / "home" / "cache" / "kces":
        pytest.skip("this platform has another cache folder")
    made = make_private_folder(cache_folder() / "attacks")
    assert made.is_dir()
    assert stat.S_IMODE(cache_folder().stat().st_mode) == 0o700
