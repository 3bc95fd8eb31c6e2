"""Every command and program that a page shows is run, in the order of the page, in one folder per page."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.main import get_command

from docs.fences import ROOT, Block, blocks_of
from kces.cli import main
from kces.cli.app import app

pytest.importorskip("torch")
pytest.importorskip("networkx")

SHELLS = ("sh", "bash", "console")
PAGES = ("start", "guide", "graphs", "commands", "recipes", "laboratory", "report")
RUN = ["README.md", *(f"docs/{name}.md" for name in PAGES)]
SHOWN_ONLY = ("text", "toml", "mermaid")
LONGEST = 240


@pytest.fixture
def run_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Runs a block as a reader would; what needs no shell runs in this process, which has imported everything."""
    folder, programs = tmp_path / "work", tmp_path / "programs"
    folder.mkdir()
    programs.mkdir()
    for name, call in (("kces", '-m kces "$@"'), ("python", '"$@"')):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {call}\n')
        (programs / name).chmod(0o755)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))

    def run(block: Block) -> None:
        if block.language == "python":
            exec(compile(block.text, "block", "exec"), {"__name__": "__main__"})
        else:
            for piece in pieces(block.text):
                run_kces(piece) if is_plain(piece) else run_shell(piece)

    return run


def pieces(text: str) -> list[str]:
    """A block cut into plain calls of ``kces`` and what is between them."""
    cut: list[str] = []
    for line in text.replace("\\\n", " ").splitlines():
        if cut and not is_plain(line) and not is_plain(cut[-1]):
            cut[-1] += "\n" + line
        elif line.strip():
            cut.append(line)
    return cut


def is_plain(line: str) -> bool:
    return line.startswith("kces ") and "\n" not in line and not any(sign in line for sign in "|<>&;$")


def run_kces(line: str) -> None:
    code: object = 0
    try:
        main(shlex.split(line, comments=True)[1:])
    except SystemExit as stop:
        code = stop.code
    assert not code, line


def run_shell(text: str) -> None:
    ran = subprocess.run(["bash", "-euo", "pipefail", "-c", text], capture_output=True, text=True, timeout=LONGEST)
    assert ran.returncode == 0, ran.stderr[-3000:]


@pytest.mark.parametrize("page", RUN)
def test_what_the_page_shows_can_be_run(page: str, run_block: Callable[[Block], None]) -> None:
    blocks = [block for block in blocks_of(ROOT / page) if block.language in (*SHELLS, "python") and not block.reason]
    assert blocks
    for block in blocks:
        run_block(block)


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/*.md")), ids=lambda path: path.name)
def test_every_block_says_its_language(page: Path) -> None:
    known = (*SHELLS, *SHOWN_ONLY, "python", "json")
    assert {block.language for block in blocks_of(page)} <= set(known)


def shown_commands() -> list[tuple[str, str]]:
    """Every ``kces …`` line of every page, with the page that it is on; continued lines are joined."""
    pages = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
    found = []
    for page in pages:
        for block in blocks_of(page):
            lines = block.text.replace("\\\n", " ").splitlines() if block.language in SHELLS else []
            found += [(page.name, line.strip()) for line in lines if line.strip().startswith("kces ")]
    return list(dict.fromkeys(found))


@pytest.mark.parametrize(("page", "line"), shown_commands())
def test_commands_on_all_pages_are_understood(page: str, line: str) -> None:
    """What takes hours is not run, but its names and options exist."""
    parse(shlex.split(line, comments=True)[1:])


def test_a_misspelled_option_would_be_found() -> None:
    with pytest.raises(Exception, match="No such option: --alhpa"):
        parse(["score", "digits", "--alhpa", "0.1"])


def parse(words: list[str]) -> None:
    """Read the words as the program would, without running anything."""
    command = get_command(app)
    context = command.make_context("kces", list(words))
    while hasattr(command, "resolve_command"):
        name, command, words = command.resolve_command(context, words)
        context = command.make_context(name, list(words), parent=context)
