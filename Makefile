# Each target does all its own set-up: a virtual environment in .venv, the dependencies, Java.
# `make` alone says what there is.

SHELL := /bin/bash
BIN := .venv/bin
ROUNDS ?= 200
SEED ?= 1
# The first Python of at least 3.11. Another one: make PYTHON=/path/to/python3.12 test
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

.PHONY: help wordcount demo test check kill bench soak wheel clean java

help:
	@echo "make wordcount   count words of the Python standard library into DuckDB, exactly once"
	@echo "make demo        the same, killed again and again, and compared with an independent count"
	@echo "make test        all tests (a few minutes)"
	@echo "make check       format, lint, types, imports"
	@echo "make kill        SIGKILL drivers at named and random moments: ROUNDS=$(ROUNDS) SEED=$(SEED)"
	@echo "make bench       benchmarks against named rivals"
	@echo "make soak        what is larger than make test: sizes, long kills, whole searches"
	@echo "make clean       remove .venv, .run and all caches"

wordcount: .venv/ready java
	@folder=$$($(BIN)/python -m samples.wordcount.stdlib) && \
	$(BIN)/python -m samples.wordcount "$$folder" --window-bytes 4000000

demo: .venv/ready java
	@folder=$$($(BIN)/python -m samples.wordcount.stdlib) && \
	$(BIN)/python -m samples.wordcount.demo "$$folder"

test: .venv/ready java
	$(BIN)/python -m pytest -q

check: .venv/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

kill: .venv/ready java
	$(BIN)/python -m tests.kill --rounds $(ROUNDS) --seed $(SEED)

bench: .venv/ready java
	$(BIN)/python -m benchmarks

soak: .venv/ready java
	HYPOTHESIS_PROFILE=soak $(BIN)/python -m pytest -q -m "soak or not soak" --timeout 3600
	$(BIN)/python -m tests.kill --rounds 2000 --spark-rounds 100 --seed $(SEED)
	$(BIN)/python -m samples.wordcount.demo "$$($(BIN)/python -m samples.wordcount.stdlib)"

wheel: .venv/ready
	$(BIN)/python -m build --wheel --outdir dist .

java:
	@sh .ci/java

.venv/ready: setup.cfg pyproject.toml
	@test -n "$(PYTHON)" || { echo "No Python of at least 3.11 was found. Install one, or name it:" \
		"make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "Setting up .venv with $(PYTHON); the first time takes a minute or two"
	@$(PYTHON) -m venv .venv || { echo "$(PYTHON) cannot make virtual environments." \
		"On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $@

clean:
	rm -rf .venv .run dist build *.egg-info .coverage* .hypothesis .pytest_cache .mypy_cache \
		.ruff_cache .import_linter_cache benchmarks/results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
