# Every target makes .venv by itself. Needed beforehand: make, Python 3.11 or newer, access to PyPI.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One stamp for each set of dependencies; older than pyproject.toml means install again.
CORE := $(VENV)/.installed-core
DEV := $(VENV)/.installed-dev
BENCH := $(VENV)/.installed-bench
DOCS := $(VENV)/.installed-docs

.PHONY: help demo test lint format docs bench quality paper clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-7s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(CORE) ## compare the methods of the paper, and swaps, on scikit-learn's digits; write demo.html
	@$(BIN)/protopick demo --report demo.html

test: lint ## run the linters, then all tests; TORCH=torch for those of tensors too, which skip without it
	$(if $(TORCH),$(BIN)/python -m pip install --quiet --disable-pip-version-check $(TORCH))
	$(BIN)/python -m pytest -n auto

lint: $(DEV) ## check style, types and the order of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(DEV) ## format the code and mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(DOCS) ## build the documentation; it begins at docs/_build/html/index.html
	$(BIN)/python -m sphinx -W --keep-going -q -a -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

bench: $(BENCH) ## measure the speed
	$(BIN)/python -m benchmarks.speed --scaling

quality: $(BENCH) ## compare the prototypes with those of the paper's methods and of peers
	$(BIN)/python -m benchmarks.quality

paper: $(BENCH) ## repeat the paper's experiments in minutes; FULL=1 as often as the paper did, in hours
	$(BIN)/python -m benchmarks.paper $(if $(FULL),--full)

clean: ## remove .venv, caches and builds
	rm -rf docs/_build docs/_made docs/gallery docs/reference/made
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .benchmarks
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(CORE): EXTRA := [all]
$(DEV): EXTRA := [dev]
$(BENCH): EXTRA := [bench]
$(DOCS): EXTRA := [docs]

$(CORE) $(DEV) $(BENCH) $(DOCS): pyproject.toml $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.$(EXTRA)'
	@touch $@

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || \
		{ echo "protopick needs Python 3.11 or newer, but '$(PYTHON)' was not found." \
		"Install it, or name another: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "protopick needs Python 3.11 or newer, but '$(PYTHON)' is $$($(PYTHON) --version 2>&1)." \
		"Name another: make PYTHON=python3.12"; exit 1; }
	@echo "Making $(VENV) and installing; the first time takes a minute or two."
	@$(PYTHON) -m venv --clear $(VENV) || \
		{ rm -rf $(VENV); echo "Could not make $(VENV). On Debian and Ubuntu: apt install python3-venv"; exit 1; }
