# Every target makes the virtual environment it needs; nothing has to be installed by hand.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test test-slow lint format page clean

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
	$(BIN)/ruff check src tests
	$(BIN)/ruff format --check src tests
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix src tests
	$(BIN)/ruff format src tests

# One thread for each of the two workers: four threads on two cores stand in each other's way.
test: lint
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist worksteal -m "not slow"

# Trains every baseline against its published figure: about an hour, not minutes.
test-slow: $(VENV)/.dev
	$(BIN)/pytest -m slow

# Bundles the page of the report again; needs node and npm.
page:
	frontend/build.sh

clean:
	rm -rf $(VENV) frontend/node_modules build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	find . -name '*.egg-info' -type d -prune -exec rm -rf {} +
