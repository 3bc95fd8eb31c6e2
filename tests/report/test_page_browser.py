"""The page in a real browser: what it shows, what moves it, who can use it, and that nothing leaves it."""

from __future__ import annotations

import copy
import csv
import json
import math
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kces import score
from kces.datasets.builtin import synthetic
from kces.datasets.planted import inject_cross_class_edges
from kces.graph import Graph
from kces.report import render, report_payload
from kces.report.numbers import Json
from kces.scorers.scored import Scored

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is needed to drive a browser")
if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

ADDRESS = "http://127.0.0.1:8765/"
HOSTILE = [
    "<script>document.title='broken'</script>",
    "\"'><img src=x onerror=alert(1)>",
    '=HYPERLINK("http://x")',
    "\u202eevil \u05e9\u05dc\u05d5\u05dd",
    "😀👩‍👩‍👧",
    "long " * 2_000,
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield started
        started.close()


@pytest.fixture(scope="module")
def payload() -> Json:
    graph, injected = inject_cross_class_edges(synthetic(n=300, degree=6, seed=1), 0.2)
    scored = score(graph)
    return report_payload(scored, scored.cut(0.2), injected=injected, command="kces report synthetic", seconds=1.5)


class OpenedPage:
    """A page of the report together with everything it said and asked for."""

    def __init__(self, browser: Browser, payload: Json, folder: Path, **context: object) -> None:
        self.context = browser.new_context(**context)
        self.page: Page = self.context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        file = folder / "report.html"
        file.write_text(render(payload), encoding="utf-8")
        self.page.goto(file.as_uri())
        self.page.wait_for_selector("#edge-table .tabulator-row")

    def text(self, selector: str) -> str:
        return self.page.inner_text(selector)

    def column(self, field: str) -> list[str]:
        return self.page.locator(f"#edge-table .tabulator-cell[tabulator-field={field}]").all_inner_texts()

    def number(self, term: str) -> str:
        entry = self.page.locator("#cut-numbers .facts > div", has=self.page.locator(f"dt:text-is('{term}')"))
        return entry.locator("dd").inner_text()


@pytest.fixture
def opened(browser: Browser, payload: Json, tmp_path: Path) -> Iterator[OpenedPage]:
    page = OpenedPage(browser, payload, tmp_path)
    yield page
    page.context.close()


def _shown(payload: Json) -> int:
    return len(payload["edges"]["rank"])


def test_loads_without_a_complaint_and_without_a_request(opened: OpenedPage) -> None:
    opened.page.wait_for_selector(".neighborhood canvas")
    assert opened.complaints == []
    assert [url for url in opened.requests if not url.startswith(("file:", "data:", "blob:"))] == []
    assert opened.text("#verdict-title") == "Verdict"
    assert "kces report synthetic" in opened.text("#origin")


def test_scores_without_views_are_shown_too(browser: Browser, tmp_path: Path) -> None:
    graph = synthetic(n=60, degree=4, seed=1)
    bare = Graph.from_scipy(graph.adjacency, graph.features)
    scored = score(bare, preset="paper")
    opened = OpenedPage(browser, report_payload(scored, scored.cut(0.1)), tmp_path)
    opened.page.focus("#alpha")
    opened.page.keyboard.press("End")
    assert int(opened.number("Removed")) == bare.n_edges
    assert opened.page.locator("#accuracy").count() == 0
    assert opened.complaints == []
    opened.context.close()


def test_a_million_edges_are_a_small_page(browser: Browser, tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    hub = np.column_stack([np.zeros(40_000, dtype=int), np.arange(1, 40_001)])
    graph = Graph.from_edges(np.concatenate([hub, generator.integers(0, 300_000, (1_000_000, 2))]), n_nodes=300_000)
    hub_first = np.where(graph.edges[:, 0] == 0, 2.0, 0.0) + generator.random(graph.n_edges)
    scored = Scored(graph, hub_first)
    opened = OpenedPage(browser, report_payload(scored, scored.cut(0.1)), tmp_path)
    assert (tmp_path / "report.html").stat().st_size < 5_000_000
    assert f"5,000 most suspicious of {graph.n_edges:,} edges" in opened.text("#carried")
    assert f"of the {np.diff(graph.adjacency.indptr)[0]:,} edges at" in opened.text("#chosen")
    opened.page.focus("#alpha")
    opened.page.keyboard.press("ArrowRight")
    assert int(opened.number("Removed").replace(",", "")) == math.ceil(0.105 * graph.n_edges)
    opened.page.fill("#search", str(graph.edges[scored.cut(0.1).order[4_321], 1]))
    opened.page.locator("#edge-table .tabulator-row").first.click()
    assert opened.page.locator("*").count() < 3_000
    assert opened.complaints == []
    opened.context.close()


def test_a_cut_that_removes_nothing_says_so(browser: Browser, payload: Json, tmp_path: Path) -> None:
    changed = copy.deepcopy(payload)
    changed["cut"] |= {"alpha": 0.0, "removed": 0, "verdict": "cannot judge", "reason": "features do not speak"}
    changed["hot_nodes"] = []
    opened = OpenedPage(browser, changed, tmp_path)
    assert "no edge is removed" in opened.text("#verdict")
    assert "Features do not speak." in opened.text("#verdict")
    assert opened.page.locator("#hot-nodes").count() == 0
    label = opened.page.get_attribute("#cut canvas", "aria-label")
    assert label is not None
    assert label.endswith("nothing is removed")
    assert opened.complaints == []
    opened.context.close()


def test_the_policy_refuses_requests_and_foreign_code(opened: OpenedPage) -> None:
    fetched = "fetch('https://example.org/').then(() => 'reached', () => 'refused')"
    assert opened.page.evaluate(fetched) == "refused"
    opened.page.evaluate(
        "const s = document.createElement('script'); s.textContent = 'window.broken = 1'; document.body.append(s)"
    )
    assert opened.page.evaluate("window.broken") is None


def test_the_slider_moves_with_the_keyboard_and_updates_the_numbers(opened: OpenedPage, payload: Json) -> None:
    before = int(opened.number("Removed"))
    assert before == payload["cut"]["removed"]
    opened.page.focus("#alpha")
    for _ in range(10):
        opened.page.keyboard.press("ArrowRight")
    step = int(opened.page.input_value("#alpha"))
    alphas = payload["alphas"]
    assert int(opened.number("Removed")) == alphas["removed"][step] > before
    assert int(opened.number("Components")) == alphas["components"][step]
    assert float(opened.number("Recall")) == pytest.approx(alphas["recall"][step], abs=5e-4)
    opened.page.keyboard.press("Home")
    sync_api.expect(opened.page.locator("#edge-table .tabulator-row.removed")).to_have_count(0)
    assert set(opened.column("cut")) == {"kept"}
    opened.page.click("text=Back to the cut of this run")
    assert int(opened.number("Removed")) == before


def test_search_and_node_filter_narrow_the_table(opened: OpenedPage, payload: Json) -> None:
    edges, names = payload["edges"], payload["nodes"]["name"]
    wanted = names[edges["source"][0]]
    opened.page.fill("#node-filter", wanted)
    at_node = sum(wanted in (names[s], names[t]) for s, t in zip(edges["source"], edges["target"], strict=True))
    assert opened.text("#listed") == f"{at_node} of {_shown(payload):,} edges listed."
    opened.page.fill("#node-filter", "")
    opened.page.fill("#search", "no edge has this")
    assert opened.text("#listed").startswith("0 of")


def test_hot_nodes_filter_the_table(opened: OpenedPage) -> None:
    hot = opened.page.locator("#hot-nodes li button").first
    name = hot.inner_text()
    hot.click()
    assert opened.page.input_value("#node-filter") == name
    ends = zip(opened.column("source"), opened.column("target"), strict=True)
    assert all(name in pair for pair in ends)


def test_headers_sort_with_the_keyboard(opened: OpenedPage) -> None:
    header = opened.page.locator(".tabulator-col[tabulator-field=rank]")
    assert opened.column("rank")[0] == "1"
    header.focus()
    opened.page.keyboard.press("Enter")
    opened.page.keyboard.press("Enter")
    ranks = [int(rank) for rank in opened.column("rank")]
    assert ranks == sorted(ranks, reverse=True)
    assert ranks[0] > len(ranks)


@pytest.mark.parametrize("row", [1, 7])
def test_an_edge_is_chosen_with_a_click(opened: OpenedPage, payload: Json, row: int) -> None:
    """The first row is chosen from the start: a click on it would show nothing."""
    opened.page.locator("#edge-table .tabulator-row").nth(row).click()
    ends = [payload["nodes"]["name"][payload["edges"][end][row]] for end in ("source", "target")]
    for end, name in zip(opened.page.locator("#chosen .ends dd bdi").all(), ends, strict=True):
        sync_api.expect(end).to_have_text(name)
    chosen = opened.page.locator("#edge-table .tabulator-row.chosen")
    sync_api.expect(chosen).to_have_attribute("data-edge", str(row))


def test_an_edge_is_chosen_with_the_keyboard(opened: OpenedPage, payload: Json) -> None:
    opened.page.locator("#edge-table .tabulator-row").first.focus()
    opened.page.keyboard.press("ArrowDown")
    opened.page.keyboard.press("ArrowDown")
    opened.page.keyboard.press("Enter")
    assert "\n3 of " in opened.text("#chosen-facts")
    chosen = payload["edges"]["whys"][payload["edges"]["why"][2]]
    assert opened.text(".why").lower() == f"{chosen.lower()}."
    assert opened.page.locator(".tabulator-row.chosen").get_attribute("aria-selected") == "true"


def test_one_row_of_every_page_can_be_reached(opened: OpenedPage) -> None:
    reachable = opened.page.locator("#edge-table .tabulator-row[tabindex='0']")
    assert reachable.count() == 1
    opened.page.click("button[data-page=next]")
    assert opened.column("rank")[0] == "21"
    assert reachable.count() == 1


def test_two_hops_show_more_than_one(opened: OpenedPage) -> None:
    def drawn() -> int:
        label = opened.page.get_attribute(".neighborhood", "aria-label")
        return int(re.search(r": (\d+) nodes", label or "")[1])  # type: ignore[index]

    one = drawn()
    opened.page.check("input[name=hops][value='2']")
    assert one < drawn() <= 150


def test_the_theme_button_turns_the_page_dark(opened: OpenedPage) -> None:
    def background() -> str:
        return opened.page.evaluate("getComputedStyle(document.body).backgroundColor")

    light = background()
    opened.page.click("#theme")
    assert background() != light
    assert opened.text("#theme") == "Light colors"


def test_paper_hides_controls_and_expands(opened: OpenedPage, payload: Json) -> None:
    opened.page.emulate_media(media="print")
    assert not opened.page.is_visible("#alpha")
    assert not opened.page.is_visible("#export")
    assert opened.page.is_visible("details table")
    assert opened.page.locator("#paper-table tbody tr").count() == min(100, _shown(payload))
    assert not opened.page.is_visible("#edge-table")
    assert opened.page.pdf().startswith(b"%PDF")
    assert opened.complaints == []


@pytest.mark.parametrize("width", [360, 768])
def test_narrow_windows_do_not_scroll_sideways(browser: Browser, payload: Json, tmp_path: Path, width: int) -> None:
    opened = OpenedPage(browser, payload, tmp_path, viewport={"width": width, "height": 740})
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    opened.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: Browser, payload: Json, tmp_path: Path, scheme: str) -> None:
    opened = OpenedPage(browser, payload | {"table": _table(payload)}, tmp_path, color_scheme=scheme, bypass_csp=True)
    assert _serious_faults(opened.page) == {}
    opened.context.close()


def _serious_faults(page: Page) -> dict[str, str]:
    """What axe has to say against the page; its script may run in it only where the policy is set aside."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is needed")
    found = axe.Axe().run(page).response["violations"]
    serious = [rule for rule in found if rule["impact"] in ("serious", "critical")]
    return {rule["id"]: rule["nodes"][0]["failureSummary"] for rule in serious}


def _table(payload: Json) -> Json:
    """A table of two columns about all nodes, as ``kces report links.csv --features people.csv`` carries it."""
    nodes = len(payload["nodes"]["name"])
    cells = [[node % 3 for node in range(nodes)], [3] * nodes]
    return {
        "columns": ["city", HOSTILE[0]],
        "of": 9,
        "nodes": list(range(nodes)),
        "texts": ["Lima", "Oslo", HOSTILE[1], "same"],
        "cells": cells,
    }


def test_what_is_known_of_both_ends_stands_side_by_side(browser: Browser, payload: Json, tmp_path: Path) -> None:
    table = _table(payload)
    opened = OpenedPage(browser, payload | {"table": table}, tmp_path)
    for row in range(3):
        opened.page.locator("#edge-table .tabulator-row").nth(row).click()
        ends = [payload["edges"][end][row] for end in ("source", "target")]
        expected = [table["texts"][node % 3] for node in ends]
        sync_api.expect(opened.page.locator("#ends-table tbody tr").nth(0).locator("td")).to_have_text(expected)
    assert opened.page.locator("#ends-table tbody th").all_inner_texts() == table["columns"]
    assert opened.page.locator("#ends-table td.differ").count() == 2 * (expected[0] != expected[1])
    assert "The first 2 of 9 columns." in opened.text("#chosen")
    assert opened.complaints == []
    opened.context.close()


@pytest.fixture
def hostile_payload(payload: Json) -> Json:
    """The names of the first edges are attacks on the page."""
    changed = copy.deepcopy(payload)
    ends = [end for pair in zip(changed["edges"]["source"], changed["edges"]["target"], strict=True) for end in pair]
    for node, name in zip(dict.fromkeys(ends), HOSTILE, strict=False):
        changed["nodes"]["name"][node] = name
    changed["about"]["graph"] = changed["about"]["command"] = HOSTILE[0]
    changed["nodes"]["group_names"] = [HOSTILE[1] for _ in changed["nodes"]["group_names"]]
    changed["edges"]["whys"] = [HOSTILE[1] for _ in changed["edges"]["whys"]]
    return changed


def test_hostile_names_stay_text(browser: Browser, hostile_payload: Json, tmp_path: Path) -> None:
    opened = OpenedPage(browser, hostile_payload, tmp_path)
    dialogs: list[str] = []
    opened.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    for row in range(4):
        opened.page.locator("#edge-table .tabulator-row").nth(row).click()
    assert opened.text("h1") == HOSTILE[0]
    cells = opened.column("source") + opened.column("target")
    assert {HOSTILE[0], HOSTILE[1], HOSTILE[2]} <= set(cells)
    assert max(map(len, cells)) <= 120
    assert opened.page.locator(f"#edge-table span[title='{HOSTILE[5]}']").count() > 0
    assert opened.page.locator("img, script:not([type])").count() == 1
    assert opened.page.title() != "broken"
    assert dialogs == opened.complaints == []
    opened.context.close()


def test_export_gives_the_listed_rows_and_no_formula(browser: Browser, hostile_payload: Json, tmp_path: Path) -> None:
    opened = OpenedPage(browser, hostile_payload, tmp_path, accept_downloads=True)
    opened.page.fill("#node-filter", HOSTILE[2])
    with opened.page.expect_download() as download:
        opened.page.click("#export")
    rows = list(csv.DictReader(download.value.path().read_text(encoding="utf-8-sig").splitlines()))
    assert opened.text("#listed").startswith(f"{len(rows)} of ")
    assert all("'" + HOSTILE[2] in (row["Source"], row["Target"]) for row in rows)
    assert not any(str(cell).startswith(("=", "+", "@", "\t")) for row in rows for cell in row.values())
    opened.context.close()


class Explorer:
    """The page in explore mode, with a server of the test behind it."""

    def __init__(self, browser: Browser, payload: Json, **context: object) -> None:
        self.payload = payload | {"mode": "explore"}
        self.calls: list[tuple[str, str | None, Json | None]] = []
        rescored = self.payload["cut"] | {"verdict": "noisy", "reason": "found anew"}
        self.answers: dict[str, tuple[int, Json]] = {
            "/api/marks": (200, {"ok": True, "marks": 1}),
            "/api/save": (200, {"ok": True, "path": "clean.csv", "removed": 12}),
            "/api/rescore": (
                200,
                self.payload | {"cut": rescored},
            ),
        }
        self.context = browser.new_context(**context)
        self.context.route("**/*", self._answer)
        self.page: Page = self.context.new_page()
        self.page.goto(ADDRESS + "?token=secret")
        self.page.wait_for_selector("#edge-table .tabulator-row")

    def _answer(self, route: Route) -> None:
        request = route.request
        path = request.url.removeprefix(ADDRESS.rstrip("/")).partition("?")[0]
        if path == "/":
            return route.fulfill(body=render(self.payload), content_type="text/html; charset=utf-8")
        self.calls.append((path, request.headers.get("x-kces-token"), request.post_data_json))
        if request.method == "GET" and path == "/api/marks":
            return route.fulfill(body=json.dumps({"marks": []}), content_type="application/json")
        status, answer = self.answers[path]
        return route.fulfill(status=status, body=json.dumps(answer), content_type="application/json")

    def says(self, text: str) -> None:
        sync_api.expect(self.page.locator("#explore-status")).to_have_text(text)


@pytest.fixture
def explorer(browser: Browser, payload: Json) -> Iterator[Explorer]:
    opened = Explorer(browser, payload)
    yield opened
    opened.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_the_explorer(browser: Browser, payload: Json, scheme: str) -> None:
    opened = Explorer(browser, payload, color_scheme=scheme, bypass_csp=True)
    assert _serious_faults(opened.page) == {}
    opened.answers["/api/save"] = (400, {"error": "no such folder"})
    opened.page.click("text=Save sanitized graph")
    opened.says("Error: no such folder")
    opened.page.click("button:text-is('Harmful')")
    opened.says("Marked: 0 fine, 1 harmful.")
    assert _serious_faults(opened.page) == {}
    opened.context.close()


def test_the_explorer_shows_reasons_beside_marks_and_known_edges(browser: Browser, payload: Json) -> None:
    opened = Explorer(browser, payload, viewport={"width": 1280, "height": 900})
    table, why = (
        opened.page.locator(f"#edge-table {part}").first for part in ("", ".tabulator-cell[tabulator-field=why]")
    )
    right = [box["x"] + box["width"] for box in (table.bounding_box(), why.bounding_box()) if box]
    assert right[1] <= right[0] + 2
    opened.context.close()


def test_marks_go_to_the_server_and_win_over_the_cut(explorer: Explorer) -> None:
    edges, names = explorer.payload["edges"], explorer.payload["nodes"]["name"]
    first = explorer.page.locator("#edge-table .tabulator-row").first
    sync_api.expect(first).to_contain_text("removed")
    explorer.page.click("button:text-is('Fine')")
    sync_api.expect(first).to_contain_text("kept")
    explorer.says("Marked: 1 fine, 0 harmful.")
    sent = {"source": names[edges["source"][0]], "target": names[edges["target"][0]], "mark": "fine"}
    assert explorer.calls[-1] == ("/api/marks", "secret", sent)


def test_keys_mark_the_row_in_focus(explorer: Explorer) -> None:
    rows = explorer.page.locator("#edge-table .tabulator-row")
    rows.first.focus()
    explorer.page.keyboard.press("ArrowDown")
    explorer.page.keyboard.press("h")
    explorer.says("Marked: 0 fine, 1 harmful.")
    sync_api.expect(rows.nth(1)).to_contain_text("harmful")
    explorer.page.keyboard.press("c")
    explorer.says("Marked: 0 fine, 0 harmful.")


def test_saving_sends_the_name_and_the_alpha_of_the_slider(explorer: Explorer) -> None:
    explorer.page.focus("#alpha")
    explorer.page.keyboard.press("Home")
    explorer.page.fill("#save-name", "mine.csv")
    explorer.page.click("text=Save sanitized graph")
    explorer.says("Saved clean.csv without 12 edges.")
    assert explorer.calls[-1] == ("/api/save", "secret", {"name": "mine.csv", "alpha": 0})


def test_rescoring_shows_the_new_document(explorer: Explorer) -> None:
    explorer.page.click("button:text-is('Rescore')")
    sync_api.expect(explorer.page.locator("#verdict")).to_contain_text("Found anew.")
    explorer.page.wait_for_selector("#edge-table .tabulator-row")


def test_an_error_of_the_server_is_shown_as_text(explorer: Explorer) -> None:
    explorer.answers["/api/save"] = (400, {"error": "<b>no such folder</b>"})
    explorer.page.click("text=Save sanitized graph")
    explorer.says("Error: <b>no such folder</b>")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """``kces explore`` on a table of links, as a person would start it; the address that it prints."""
    whole = [(f"n{node}", f"n{(node + step) % 12}") for node in range(12) for step in (1, 2)]
    ring = [pair for pair in whole if pair not in (("n0", "n1"), ("n3", "n5"))]  # else all edges would be alike
    (tmp_path / "links.csv").write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in ring))
    command = [sys.executable, "-m", "kces", "explore", "links.csv", "--no-browser", "--alpha", "0.25"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = re.search(r"http://127\.0\.0\.1:\d+/\?token=[\w-]+", process.stdout.readline())
        yield address[0] if address else ""
        process.send_signal(signal.SIGINT)
        process.wait(20)


def test_marking_rescoring_and_saving_with_the_real_server(browser: Browser, served: str, tmp_path: Path) -> None:
    context = browser.new_context()
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(served)
    first = page.locator("#edge-table .tabulator-row").first
    sync_api.expect(first).to_contain_text("removed")
    kept = [cell.inner_text() for cell in first.locator("[tabulator-field=source], [tabulator-field=target]").all()]
    status = page.locator("#explore-status")
    page.click("button:text-is('Fine')")
    sync_api.expect(status).to_have_text("Marked: 1 fine, 0 harmful.")
    page.click("button:text-is('Rescore')")
    sync_api.expect(status).to_have_text("Scored again with the marks held.")
    page.fill("#node-filter", kept[0])
    page.fill("#search", kept[1])
    sync_api.expect(page.locator("#edge-table .tabulator-row", has_text="fine")).to_contain_text("kept")
    page.click("text=Save sanitized graph")
    sync_api.expect(status).to_contain_text("Saved")
    assert complaints == []
    context.close()
    saved = [line.split(",") for line in (tmp_path / "links.clean.csv").read_text().splitlines()[1:]]
    assert 0 < len(saved) < 22
    assert sorted(kept) in [sorted(row[:2]) for row in saved]
