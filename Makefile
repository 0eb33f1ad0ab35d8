# The two commands are `make demo` and `make test`; each sets up all it needs in .venv by itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

.PHONY: demo test test-all quick lint bench docs clean

# An installation is a stamp, so that a second call reuses it until pyproject.toml changes.
$(VENV)/%.stamp: pyproject.toml | $(BIN)/python
	@echo "Installing what '$*' needs into $(VENV) (once) ..."
	@$(PIP) install -e '.$(if $(filter base,$*),,[$*])'
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Oratory needs Python 3.11 or newer; say which with: make PYTHON=python3.12"; exit 2; }
	@$(PYTHON) -m venv $(VENV)

demo: $(VENV)/base.stamp
	@$(BIN)/oratory demo

# One process more than there are processors: some tests wait for programs that they start.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) --dist worksteal

test: $(VENV)/test.stamp
	@$(PYTEST) -m 'not long' $(ARGS)

# Everything: the tests above, and then those that kill processes, start Ray or torchrun, or open a browser.
test-all: test
	@$(PYTEST) -m long $(ARGS)

# For the inner loop: the rooms that start no program and train almost nothing.
quick: $(VENV)/test.stamp
	@$(PYTEST) -m 'not long and not slow' $(ARGS)

lint: $(VENV)/test.stamp $(VENV)/lint.stamp
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: $(VENV)/test.stamp
	@$(BIN)/python -m benchmarks

docs: $(VENV)/docs.stamp
	@$(BIN)/mkdocs build --strict --quiet
	@echo "The docs are at site/index.html"

clean:
	rm -rf $(VENV) site build oratory-demo
