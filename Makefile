# Every target sets up what it needs; .ci/setup does the work and says what is missing.
export PYTHONSAFEPATH = 1

SETUP := pyproject.toml setup.py constraints.txt .ci/setup
BIN := .venv/bin

.NOTPARALLEL:
.PHONY: help demo serve test check fix bench bench-measure screenshots test-train chromium

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1: /p' Makefile

demo: .venv/ready  ## read and score tables, and open the page; PHOTO=table.jpg for your own
	$(BIN)/arbitro demo $(if $(PHOTO),"$(PHOTO)") $(ARGS)

serve: .venv/ready  ## open the page for phones
	$(BIN)/arbitro serve $(ARGS)

test: chromium check  ## set everything up and pass the tests

check: .venv/ready-dev  ## all gates, fastest first
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/lint-imports
	$(BIN)/mypy
	$(BIN)/pytest -n auto --dist loadfile

fix: .venv/ready-dev  ## format, and mend what ruff can mend
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: .venv/ready-dev  ## measure speed: tests/bench/bench_*.py
	$(BIN)/pytest -s -o "python_files=bench_*.py" -m "not gpu and not camera and not train" tests/bench

bench-measure: .venv/ready-dev  ## how exactly chips are measured: models/measure/metrics.csv (15 minutes)
	$(BIN)/python tests/bench/bench_measure.py

screenshots: .venv/ready-dev  ## pictures of every page, for companion/README.md
	$(BIN)/python -m tests.bench.screenshots

test-train: .venv-train/ready  ## train, export and compare, with torch (6 GB)
	.venv-train/bin/pytest -m train tests/training

chromium:
	@sh .ci/setup chromium

.venv/ready: $(SETUP)
	@sh .ci/setup venv .venv -e .
	@touch $@

.venv/ready-dev: $(SETUP)
	@sh .ci/setup venv .venv -e ".[dev]"
	@touch $@ .venv/ready

.venv-train/ready: $(SETUP)
	@sh .ci/setup venv .venv-train -e ".[train]" pytest pytest-timeout hypothesis
	@touch $@
