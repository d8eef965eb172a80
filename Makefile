# Each target does all its own set-up: a virtual environment in .venv, the dependencies, Java.
# `make` alone says what there is.

BIN := .venv/bin
# Spark needs Java: the wrapper finds it, installs it or says what to do.
PYTHON_WITH_JAVA := .ci/with_java $(BIN)/python
ROUNDS ?= 200
SEED ?= 1
# Tests wait for disks and Java half of their time: three at once keep two cores busy.
SIDE_BY_SIDE := -n 3 --dist loadgroup
# Which Python .venv is made of: make PYTHON=/path/to/python3.12 test. Empty: the newest that is here.
PYTHON ?=

.PHONY: help wordcount kafka-wordcount demo test cover check kill bench soak services services-stop wheel clean

help:
	@echo "make wordcount   count words of the Python standard library into DuckDB, exactly once"
	@echo "make demo        the same, killed again and again, and compared with an independent count"
	@echo "make kafka-wordcount  starts a real Kafka, counts words that come through it, killed and compared in the same way"
	@echo "make test        all tests (a few minutes)"
	@echo "make cover       the tests once more: log, recovery and ledger are covered to the last branch"
	@echo "make check       format, lint, types, imports"
	@echo "make kill        SIGKILL drivers at named and random moments: ROUNDS=$(ROUNDS) SEED=$(SEED)"
	@echo "make bench       benchmarks against named rivals"
	@echo "make soak        what is larger than make test: sizes, long kills, whole searches"
	@echo "make services    start the real services of the tests; their addresses are in .services/env"
	@echo "make services-stop  end them"
	@echo "make wheel       the wheel, into dist/"
	@echo "make clean       remove .venv, .run and all caches"

wordcount: .venv/ready
	@folder=$$($(BIN)/python -m samples.wordcount.stdlib) && \
	$(PYTHON_WITH_JAVA) -m samples.wordcount "$$folder" --window-bytes 4000000

demo: .venv/ready
	@$(PYTHON_WITH_JAVA) -m samples.wordcount.demo

kafka-wordcount: .venv/ready
	@$(PYTHON_WITH_JAVA) -m samples.wordcount.kafka_demo

test: .venv/ready
	$(PYTHON_WITH_JAVA) -m pytest -q $(SIDE_BY_SIDE)

cover: .venv/ready
	$(PYTHON_WITH_JAVA) -m coverage run -m pytest -q -m "not soak and not kill"
	$(BIN)/coverage report --fail-under=100 \
		--include='windowlog/*,windowed/recovery.py,jdbc_sink/ledger.py,jdbc_sink/doubt.py'

check: .venv/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

kill: .venv/ready
	$(PYTHON_WITH_JAVA) -m tests.kill --rounds $(ROUNDS) --seed $(SEED)

bench: .venv/ready
	$(PYTHON_WITH_JAVA) -m benchmarks

soak: .venv/ready
	HYPOTHESIS_PROFILE=soak $(PYTHON_WITH_JAVA) -m pytest -q -m "soak or not soak" --timeout 3600
	$(PYTHON_WITH_JAVA) -m tests.kill --rounds 2000 --spark-rounds 100 --seed $(SEED)
	$(PYTHON_WITH_JAVA) -m tests.kill --sink files --layout windows --rounds 1000 --spark-rounds 36
	$(PYTHON_WITH_JAVA) -m tests.kill --sink files --layout files --rounds 1000 --spark-rounds 22
	$(PYTHON_WITH_JAVA) -m tests.kill --sink files --layout partitions --rounds 500 --spark-rounds 24
	$(PYTHON_WITH_JAVA) -m tests.kill --sink files --layout rolled --rounds 500 --spark-rounds 0
	$(PYTHON_WITH_JAVA) -m tests.kill --sink files --hdfs --layout windows --rounds 200 --spark-rounds 36
	$(PYTHON_WITH_JAVA) -m tests.kill --sink files --hdfs --layout files --rounds 200 --spark-rounds 22
	$(PYTHON_WITH_JAVA) -m tests.kill --sink files --hdfs --layout partitions --rounds 100 --spark-rounds 24
	$(PYTHON_WITH_JAVA) -m tests.kill --mirror required --rounds 300 --spark-rounds 12
	$(PYTHON_WITH_JAVA) -m tests.kill --mirror optional --rounds 300 --spark-rounds 12
	$(PYTHON_WITH_JAVA) -m tests.kill --hdfs --database duckdb --rounds 0 --spark-rounds 40
	$(PYTHON_WITH_JAVA) -m tests.kill --hdfs --database sqlite --rounds 0 --spark-rounds 20
	$(PYTHON_WITH_JAVA) -m tests.kill --input kafka --rounds 800 --trouble-rounds 150 --spark-rounds 10
	$(PYTHON_WITH_JAVA) -m tests.kill --input kafka --start latest --rounds 200 --spark-rounds 0
	$(PYTHON_WITH_JAVA) -m tests.kill --input kafka --start group --database sqlite --rounds 200 --spark-rounds 0
	$(PYTHON_WITH_JAVA) -m tests.kill --input kafka --reader executors --rounds 0 --spark-rounds 20
	$(PYTHON_WITH_JAVA) -m tests.kill --input kafka --reader spark --rounds 0 --spark-rounds 20
	$(PYTHON_WITH_JAVA) -m tests.kill.outside --windows 200 --spark
	$(PYTHON_WITH_JAVA) -m tests.kill.outside --windows 200 --spark --rollup 3
	$(PYTHON_WITH_JAVA) -m samples.wordcount.demo
	$(PYTHON_WITH_JAVA) -m samples.wordcount.kafka_demo --lines 400000 --shares 12

services: .venv/ready
	@$(PYTHON_WITH_JAVA) -m windowed.testing.services start

services-stop: .venv/ready
	@$(BIN)/python -m windowed.testing.services stop

wheel: .venv/ready
	$(BIN)/python -m build --wheel --outdir dist .

.venv/ready: setup.cfg pyproject.toml .ci/make_venv
	@PYTHON='$(PYTHON)' .ci/make_venv

clean:
	rm -rf .venv .run dist build *.egg-info .coverage* .hypothesis .pytest_cache .mypy_cache \
		.ruff_cache .import_linter_cache benchmarks/results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
