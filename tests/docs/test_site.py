"""The site is built without a warning, opens offline, and draws its diagrams."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.fences import ROOT

pytest.importorskip("mkdocs", reason="mkdocs is needed to build the site")
pytest.importorskip("material", reason="mkdocs-material is needed to build the site")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    if shutil.which("npm") and not (ROOT / "site" / "node_modules").exists():
        # What draws the diagrams; where no registry can be reached they are shown as text.
        subprocess.run(["npm", "ci", "--prefix", "site", "--silent"], cwd=ROOT, capture_output=True, timeout=300)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert "WARNING" not in ran.stderr
    return folder


@pytest.mark.parametrize(
    "page", ["index", "start", "guide", "recipes", "laboratory", "results", "api/index", "contributing", "changelog"]
)
def test_the_page_is_there(site: Path, page: str) -> None:
    assert (site / f"{page}.html").stat().st_size > 5_000


def test_the_reference_has_the_public_functions(site: Path) -> None:
    import kces

    text = (site / "api" / "index.html").read_text(encoding="utf-8")
    functions = set(kces.__all__) - {"__version__", "Graph"}
    assert [name for name in sorted(functions) if f">{name}<" not in text and f".{name}" not in text] == []


@pytest.fixture
def requests(site: Path) -> Iterator[list[str]]:
    """What a browser asks for when it opens the page with the diagrams, once they are drawn."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is needed to drive a browser")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("chromium is not installed")
    if not (site / "javascripts" / "mermaid.tiny.js").exists():
        pytest.skip("node, npm and a registry are needed to draw the diagrams")
    asked: list[str] = []
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: asked.append(f"console: {message.text}"))
        page.goto((site / "architecture.html").as_uri())
        # Drawn inside a closed shadow root, which only shows in the size of the box.
        page.wait_for_function("[...document.querySelectorAll('.mermaid')].every(box => box.clientHeight > 40)")
        yield asked
        browser.close()


def test_diagrams_are_drawn_and_nothing_is_loaded_from_elsewhere(requests: list[str]) -> None:
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []
