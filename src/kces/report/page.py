"""The page: the document, the program that shows it and its looks in one HTML file that asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from pathlib import Path

from kces.atomic import atomic_write
from kces.report.numbers import Json

__all__ = ["as_script_text", "content_policy", "render", "write_report"]

_STATIC = Path(__file__).parent / "static"
_PLACES = re.compile(r"/\*KCES_CSS\*/|/\*KCES_JS\*/")
_POLICY = "KCES_CSP"
_DATA = "KCES_DATA_JSON"
_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&'\u2028\u2029"}


def render(payload: Json) -> str:
    """The whole page, with a policy under which it can run its own program and reach nothing outside.

    Parameters
    ----------
    payload : of :func:`kces.report.report_payload`.

    Examples
    --------
    >>> page = render({"mode": "report", "about": {"graph": "</script><b>"}})
    >>> "</script><b>" in page, "Content-Security-Policy" in page
    (False, True)
    """
    shell = _PLACES.sub(_bundled, (_STATIC / "page.html").read_text(encoding="utf-8"))
    policy = content_policy(shell, served=payload["mode"] == "explore")
    # The data go in last and once, so that nothing in them is taken for a placeholder.
    return shell.replace(_POLICY, html.escape(policy), 1).replace(_DATA, as_script_text(payload), 1)


def write_report(path: str | Path, payload: Json, *, force: bool = False) -> int:
    """Write the page; returns its size in bytes.

    Parameters
    ----------
    path : the HTML file.
    payload : of :func:`kces.report.report_payload`.
    force : replace a file that exists.
    """
    content = render(payload).encode("utf-8")
    with atomic_write(path, force=force) as temporary:
        temporary.write_bytes(content)
    return len(content)


def as_script_text(payload: Json) -> str:
    """JSON that cannot end the script element it stands in, whatever names are in it.

    >>> as_script_text({"name": "</script>"})
    '{"name":"\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Lone surrogates, which damaged text brings, are in no encoding that a page could have.
    return text.translate(_ESCAPES).encode("utf-8", "replace").decode("utf-8")


def content_policy(shell: str, *, served: bool) -> str:
    """What the page may do: run the scripts and styles that are in it, and talk to its own server if it has one.

    Parameters
    ----------
    shell : the page without its data.
    served : whether a server is behind it.
    """
    scripts, styles = (_hashes(shell, tag) for tag in ("script", "style"))
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {scripts}",
            f"style-src-elem {styles}",
            "img-src data: blob:",
            "connect-src 'self'" if served else "connect-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _bundled(place: re.Match[str]) -> str:
    name = "report.css" if "CSS" in place[0] else "report.js"
    return re.sub(r"</(?=script|style)", r"<\\/", (_STATIC / name).read_text(encoding="utf-8"), flags=re.IGNORECASE)


def _hashes(shell: str, tag: str) -> str:
    inline = re.findall(rf"<{tag}(?![^>]*application/json)[^>]*>(.*?)</{tag}>", shell, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode() for text in inline]
    return " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
