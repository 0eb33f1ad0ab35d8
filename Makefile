# The two commands are `make demo` and `make test`; each sets up all it needs in .venv by itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

.PHONY: locked demo test test-all quick fuzz lint audit licences lock dist bench docs pictures clean

# An installation is a stamp, so that a second call reuses it until pyproject.toml changes.
$(VENV)/%.stamp: pyproject.toml | $(BIN)/python
	@echo "Installing what '$*' needs into $(VENV) (once) ..."
	@$(PIP) install -e '.[$*]'
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Oratory needs Python 3.11 or newer; say which with: make PYTHON=python3.12"; exit 2; }
	@$(PYTHON) -m venv $(VENV)

# Everything for CI in the versions of the lock, by checksum; but for PyTorch, whose builds differ from index to index.
$(VENV)/locked.stamp: requirements/ci.txt | $(BIN)/python
	@$(PIP) install "$$(sed -n 's/^ *"\(torch>[^"]*\)",$$/\1/p' pyproject.toml)"
	@$(PIP) install --no-deps --require-hashes -r requirements/ci.txt
	@touch $@

locked: $(VENV)/locked.stamp

demo: $(VENV)/web.stamp
	@$(BIN)/oratory demo

# One process more than there are processors: some tests wait for programs that they start.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) --dist worksteal

test: $(VENV)/test.stamp
	@$(PYTEST) -m 'not long and not fuzz' $(ARGS)

# Everything: the tests above, and then those that kill processes, start Ray or torchrun, open a browser, or run the docs.
test-all: test
	@$(PYTEST) -m 'long and not fuzz' $(ARGS)

# For the inner loop: the rooms that start no program and train almost nothing.
quick: $(VENV)/test.stamp
	@$(PYTEST) -m 'not long and not slow and not fuzz' $(ARGS)

# Damaged and hostile inputs for about so many seconds: new ones each time, or those of a seed, and at most so many rounds of ten.
SECONDS := 120
SEED :=
ROUNDS :=
fuzz: $(VENV)/test.stamp
	@ORATORY_FUZZ_SECONDS=$(SECONDS) ORATORY_FUZZ_SEED=$(SEED) ORATORY_FUZZ_ROUNDS=$(ROUNDS) $(PYTEST) tests/fuzz -m fuzz $(ARGS)

lint: $(VENV)/test.stamp $(VENV)/lint.stamp
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

# What is known to be risky: in our code, and in the libraries that are installed (which needs the network).
audit: $(VENV)/security.stamp
	@$(BIN)/bandit -q -r src -c pyproject.toml
	@$(BIN)/pip-audit --skip-editable --progress-spinner off

# The page of the docs that lists what is installed, and under which licence.
licences: $(VENV)/test.stamp $(VENV)/lint.stamp $(VENV)/docs.stamp $(VENV)/security.stamp
	@$(BIN)/python requirements/licences.py

# The versions that are installed here, with checksums, for `make locked`; the other targets take what pyproject.toml allows.
lock: $(VENV)/test.stamp $(VENV)/lint.stamp $(VENV)/docs.stamp $(VENV)/security.stamp
	@$(BIN)/python requirements/lock.py

# A wheel is built twice, and must be the same both times; the time in it is that of the last commit.
dist: | $(BIN)/python
	@rm -rf dist build
	@export SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) && for copy in first second; do \
	  umask 022 && mkdir -p build/$$copy && git archive HEAD | tar -x -C build/$$copy && \
	  $(PIP) wheel --no-deps -w dist/$$copy build/$$copy || exit 1; done
	@cmp dist/first/*.whl dist/second/*.whl
	@mv dist/first/*.whl dist/ && rm -rf dist/first dist/second build
	@echo "Built twice, and the same: $$(cd dist && sha256sum *.whl)"

bench: $(VENV)/test.stamp
	@$(BIN)/oratory bench
	@$(BIN)/python -m benchmarks

docs: $(VENV)/docs.stamp
	@$(BIN)/mkdocs build --strict --quiet
	@echo "The docs are at site/index.html"

# The pictures of the page in docs, by Chromium, of models that are trained in build/pictures.
pictures: $(VENV)/test.stamp
	@$(BIN)/python -m tests.web.pictures build/pictures docs/page

clean:
	rm -rf $(VENV) site build dist oratory-demo
