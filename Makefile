# Every target makes the virtual environment it needs; nothing has to be installed by hand.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test test-slow test-oldest test-faults fuzz shapes audit sbom lint format page docs release clean

# torch is named beside the extra so that pip takes the pinned CPU build and not a range.
$(VENV)/.core: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP_INSTALL) -e .
	touch $@

$(VENV)/.dev: $(VENV)/.core
	$(PIP_INSTALL) torch==2.13.0
	$(PIP_INSTALL) -e ".[dev]"
	touch $@

demo: $(VENV)/.core
	$(BIN)/kces demo

lint: $(VENV)/.dev
	$(BIN)/ruff check src tests examples site
	$(BIN)/ruff format --check src tests examples site
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix src tests examples site
	$(BIN)/ruff format src tests examples site

# One thread for each of the two workers: four threads on two cores stand in each other's way.
test: lint
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist worksteal -m "not slow"

# Trains every baseline against its published figure: about an hour, not minutes.
test-slow: $(VENV)/.dev
	$(BIN)/pytest -m slow

# The lower bounds of pyproject.toml, each at its oldest, on the oldest Python; in an environment of its own.
OLDEST_PYTHON ?= python3.10
OLDEST := .venv-oldest

$(OLDEST)/.ready: pyproject.toml constraints-oldest.txt
	test -x $(OLDEST)/bin/python || $(OLDEST_PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints-oldest.txt \
	  -e ".[files,lab,scale,cluster]" polars igraph pytest pytest-xdist hypothesis
	touch $@

test-oldest: $(OLDEST)/.ready
	OMP_NUM_THREADS=1 $(OLDEST)/bin/python -m pytest -n 2 --dist worksteal -m "not slow"

# Coverage-guided fuzzing of every reader, SECONDS each. A file that breaks one is kept in fuzz-findings.
fuzz: SECONDS ?= 30
fuzz: $(VENV)/.dev
	$(PIP_INSTALL) -e ".[fuzz]"
	$(BIN)/python tests/fuzz/fuzz_readers.py --seconds $(SECONDS)

# SIGKILL at random moments of sanitize, score, attack and reproduce, SECONDS each.
test-faults: SECONDS ?= 60
test-faults: $(VENV)/.dev
	$(BIN)/python tests/fuzz/faults.py --seconds $(SECONDS)

# Time and memory of graphs of awkward shapes, the table of docs/reliability.md.
shapes: $(VENV)/.dev
	$(BIN)/python tests/fuzz/shapes.py

# For a release: pinned versions with known weaknesses, and a list of what is in it; in environments of their own.
# --strict: where the database cannot be asked about a version, that is a failure and not silence.
$(VENV)-release/.tools:
	$(PYTHON) -m venv $(VENV)-release
	$(VENV)-release/bin/python -m pip install --quiet --disable-pip-version-check pip-audit==2.10.1 cyclonedx-bom==7.5.0
	touch $@

audit: $(VENV)-release/.tools
	$(VENV)-release/bin/pip-audit --requirement constraints.txt --no-deps --disable-pip --strict

# What `pip install kces` brings, and the libraries that are bundled into the page of the report.
sbom: $(VENV)-release/.tools
	mkdir -p build
	$(PYTHON) -m venv --clear $(VENV)-sbom
	$(VENV)-sbom/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt .
	$(VENV)-release/bin/cyclonedx-py environment $(VENV)-sbom/bin/python --output-file build/kces-sbom.json
	$(PYTHON) frontend/list_in_sbom.py build/kces-sbom.json

# Bundles the page of the report again; needs node and npm.
page:
	frontend/build.sh

# The site, into build/site; a warning or a dead link fails. With node and npm its diagrams are drawn offline.
docs: $(VENV)/.dev
	if command -v npm >/dev/null; then npm ci --prefix site --silent --no-audit --no-fund; fi
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

# Both distributions, checked; with TAG=v1.2.3, only if that is the version.
release: $(VENV)/.dev
	test -z "$(TAG)" || grep -q '^version = "$(TAG:v%=%)"$$' pyproject.toml
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*

clean:
	rm -rf $(VENV) $(OLDEST) $(VENV)-release $(VENV)-sbom fuzz-findings frontend/node_modules site/node_modules build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	find . -name '*.egg-info' -type d -prune -exec rm -rf {} +
