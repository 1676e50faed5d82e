# primewood: `make demo` shows it at work, `make test` checks everything.
# Both set up a virtual environment in .venv; PYTHON picks the interpreter (3.11 or newer).

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-slow lint bench clean

demo: $(VENV)/.runs
	@$(BIN)/primewood demo

test: lint
	$(BIN)/pytest -n auto --dist worksteal --rotate-slow

test-slow: $(VENV)/.develops
	$(BIN)/pytest -n auto --dist worksteal -m "slow or not slow"

lint: $(VENV)/.develops
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.develops
	$(BIN)/python benchmarks/boolean_engines.py

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("primewood needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runs: $(BIN)/python pyproject.toml
	@echo "Setting up primewood in $(VENV) (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.develops: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.runs
