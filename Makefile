# primewood: `make demo` shows it at work, `make test` checks everything.
# Both set up a virtual environment in .venv; PYTHON picks the interpreter (3.11 or newer).

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(wildcard src/native/*.?pp src/native/*/*.?pp)

.PHONY: demo test test-slow traces lint tidy docs bench bench-quick record compare-records sanitize clean compiler

demo: $(VENV)/.runs
	@$(BIN)/primewood demo --output build/demo.html

test: lint
	$(BIN)/pytest -n auto --dist worksteal --rotate-slow

test-slow: $(VENV)/.develops
	$(BIN)/pytest -n auto --dist worksteal -m "slow or not slow"

# make traces SECONDS=3600 SEED=0: random models and calls, judged by brute force
SECONDS ?= 600
SEED ?= 0

traces: $(VENV)/.develops
	PYTHONPATH=tests $(BIN)/python -m traces --seed $(SEED) --count 100000000 --seconds $(SECONDS) --out build/traces

lint: $(VENV)/.develops
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell *.md docs src tests benchmarks
	$(BIN)/clang-format --dry-run --Werror $(SOURCES)

# The C++ core under clang-tidy; two to four minutes.
tidy: $(VENV)/.develops
	$(BIN)/cmake -S . -B build/tidy -G Ninja -D CMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
	  -D Python_EXECUTABLE=$(abspath $(BIN)/python) -D CMAKE_BUILD_TYPE=Debug -D PRIMEWOOD_TESTS=ON \
	  -D CMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
	printf '%s\n' $(filter %.cpp,$(SOURCES)) | xargs -P 2 -n 1 $(BIN)/clang-tidy --quiet -p build/tidy

docs: $(VENV)/.develops
	$(BIN)/sphinx-build -W --keep-going -q -b html docs build/docs
	@echo "The documentation is in build/docs/index.html"

bench: $(VENV)/.develops
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check dtai-veritas
	$(BIN)/python benchmarks/boolean_engines.py
	$(BIN)/python benchmarks/diagrams.py
	$(BIN)/python benchmarks/single_trees.py
	$(BIN)/python benchmarks/search.py
	$(BIN)/python benchmarks/boosted.py
	$(BIN)/python benchmarks/explanations.py
	$(BIN)/python benchmarks/widest.py
	$(BIN)/python benchmarks/flips.py
	$(BIN)/python benchmarks/properties.py
	$(BIN)/python benchmarks/pieces.py
	$(BIN)/python benchmarks/batches.py
	$(BIN)/python benchmarks/scaling.py
	$(BIN)/python benchmarks/orders.py
	$(BIN)/python benchmarks/languages.py
	$(BIN)/python benchmarks/limits.py
	$(BIN)/python benchmarks/large_models.py

bench-quick: $(VENV)/.develops
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check dtai-veritas
	$(BIN)/python benchmarks/search.py --quick

# What primewood answers to 2,000 questions, in build/records/COMMIT.jsonl; about a minute and a half.
record: $(VENV)/.develops
	PYTHONPATH=tests $(BIN)/python -m records write

# make compare-records A.jsonl B.jsonl: what differs. IGNORE_NODES=1 allows other counts of search nodes.
compare-records: $(VENV)/.develops
	@PYTHONPATH=tests $(BIN)/python -m records compare $(if $(IGNORE_NODES),--ignore-nodes) $(filter-out $@,$(MAKECMDGOALS))

%.jsonl:
	@:

# The core under sanitizers, block by block; a quarter of an hour on an idle machine.
sanitize: $(VENV)/.develops
	PYTHONPATH=tests $(BIN)/python -m sanitizers

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("primewood needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

NATIVE := CMakeLists.txt $(filter-out src/native/tests/%,$(SOURCES))

compiler:
	@command -v c++ >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null || { \
	  echo "primewood's core needs a C++17 compiler. Install one, then run make again:"; \
	  echo "  Debian, Ubuntu: apt install g++      Fedora: dnf install gcc-c++      macOS: xcode-select --install"; \
	  exit 1; }

$(VENV)/.runs: $(BIN)/python pyproject.toml $(NATIVE) | compiler
	@echo "Setting up primewood in $(VENV) (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.develops: $(BIN)/python pyproject.toml $(NATIVE) | compiler
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.runs
