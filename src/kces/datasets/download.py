"""One file over HTTP: resumed from what an earlier try left, checked, and moved into place whole."""

from __future__ import annotations

import hashlib
import http.client
import os
import urllib.error
import urllib.parse
import urllib.request
from http.client import HTTPMessage
from pathlib import Path
from typing import IO

from kces.datasets.file_registry import DataFile
from kces.datasets.roots import make_private_folder
from kces.errors import UnreadableFileError
from kces.progress import Progress, silent

__all__ = ["download", "refuse_unsafe", "sha256_of"]

_CHUNK = 1 << 16
_TIMEOUT_SECONDS = 30.0


def sha256_of(path: Path) -> str:
    """Hexadecimal SHA-256 of a file, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as handle:
        while chunk := handle.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def download(file: DataFile, target: Path, progress: Progress = silent) -> None:
    """Fetch ``file`` to ``target``; what an interrupted try left in ``target.part`` is continued."""
    if file.address is None:
        raise UnreadableFileError(f"{file.path} has no public address ({file.note}); put it at {target}")
    part = target.with_name(target.name + ".part")
    try:
        refuse_unsafe(file.address)
        make_private_folder(target.parent)
        _complete(file.address, file, part, progress)
        _refuse_damaged(file, part, target)
        os.replace(part, target)
    except (OSError, http.client.HTTPException) as error:
        raise UnreadableFileError(
            f"cannot download {file.address} ({_reason(error)}); try again, "
            f"or get the file elsewhere and put it at {target}"
        ) from error


def refuse_unsafe(address: str) -> None:
    """Refuse an address that others could answer in its place: https, or a server on this very machine.

    >>> refuse_unsafe("https://example.org/cora.npz")
    """
    scheme = urllib.parse.urlsplit(address).scheme
    if scheme != "https" and not (scheme == "http" and _is_this_machine(address)):
        raise UnreadableFileError(f"{address} is not https, so anyone on the way could change the file")


def _is_this_machine(address: str) -> bool:
    return urllib.parse.urlsplit(address).hostname in _THIS_MACHINE


class _SafeRedirects(urllib.request.HTTPRedirectHandler):
    """Follows to other hosts, because what comes is held against its SHA-256, but never away from https.

    Nor from elsewhere to this machine, whose own servers trust who is on it.
    """

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        refuse_unsafe(newurl)
        if _is_this_machine(newurl) and not _is_this_machine(req.full_url):
            raise UnreadableFileError(f"{req.full_url} leads to {newurl}, which is on this machine; it is not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


_THIS_MACHINE = ("127.0.0.1", "::1", "localhost")


def _complete(address: str, file: DataFile, part: Path, progress: Progress) -> None:
    """Append to ``part`` until it has the published length."""
    have = part.stat().st_size if part.exists() else 0
    if have > file.size:
        part.unlink()
        have = 0
    if have == file.size:
        return
    request = urllib.request.Request(address, headers={"User-Agent": "kces"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    with urllib.request.build_opener(_SafeRedirects).open(request, timeout=_TIMEOUT_SECONDS) as answer:
        # A server that knows no ranges answers 200 with the whole file: start again.
        continues = answer.status == 206 and answer.headers.get("Content-Range", "").startswith(f"bytes {have}-")
        done = have if continues else 0
        with part.open("ab" if continues else "wb") as handle:
            # One byte too many is enough to know that this is another file.
            while done <= file.size and (chunk := answer.read(min(_CHUNK, file.size + 1 - done))):
                handle.write(chunk)
                done += len(chunk)
                progress(f"download {Path(file.path).name}", min(done, file.size), file.size)
    if done < file.size:
        raise ConnectionError(f"connection cut after {done:,} of {file.size:,} bytes, which are kept")


def _refuse_damaged(file: DataFile, part: Path, target: Path) -> None:
    if part.stat().st_size == file.size and sha256_of(part) == file.sha256:
        return
    part.unlink()
    raise UnreadableFileError(
        f"{file.address} is not the published file (wrong SHA-256) and was discarded; "
        f"get {Path(file.path).name} elsewhere and put it at {target}"
    )


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"HTTP {error.code} {error.reason}"
    if isinstance(error, urllib.error.URLError):
        return str(error.reason)
    return str(error) or type(error).__name__
