"""What mkdocs does beyond its configuration: pages that live outside docs/, and diagrams that are drawn offline."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
MODULES = Path(__file__).parent / "node_modules"
DIAGRAMS = "javascripts/mermaid.tiny.js"
SEARCH_IN_A_FOLDER = "javascripts/iframe-worker.js"
PROGRAMS = {
    DIAGRAMS: MODULES / "@mermaid-js" / "tiny" / "dist" / "mermaid.tiny.js",
    SEARCH_IN_A_FOLDER: MODULES / "iframe-worker" / "shim" / "index.js",
}
"""What the theme would load from elsewhere, by its place on the site; `npm ci --prefix site` fetches it."""
OUTSIDE = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md", "security.md": "SECURITY.md"}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Leave out of the navigation what is not written yet; load programs from the site itself."""
    if MODULES.exists():
        config.extra_javascript.append(DIAGRAMS)
        config.extra["polyfills"] = [SEARCH_IN_A_FOLDER]
    config.nav = _present(config.nav or [], Path(config.docs_dir))
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from the root of the repository, with their links as seen from docs/."""
    for page, source in OUTSIDE.items():
        text = re.sub(r"\]\(docs/", "](", (ROOT / source).read_text(encoding="utf-8"))
        files.append(File.generated(config, page, content=text))
    if MODULES.exists():
        for place, program in PROGRAMS.items():
            files.append(File.generated(config, place, abs_src_path=str(program)))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Links that leave docs/ on GitHub stay inside the site."""
    for page, source in OUTSIDE.items():
        markdown = markdown.replace(f"](../{source}", f"]({page}")
    return markdown


def _present(nav: list[Any], docs: Path) -> list[Any]:
    kept = []
    for entry in nav:
        for title, target in entry.items() if isinstance(entry, dict) else [(None, entry)]:
            if isinstance(target, list):
                kept.append({title: _present(target, docs)})
            elif target in OUTSIDE or (docs / target).exists():
                kept.append(entry)
    return kept
