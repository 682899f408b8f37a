# Everything a newcomer, a developer and CI run. Needs Python 3.11 or later; Go only for the tests against VMware's simulator.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
PYTEST := $(BIN)/python -m pytest

.PHONY: help env demo test lint types layers rules rule-pages rule-pages-check mutants catalog example-values wheel check coverage vcsim cassettes lock clean \
	bench-collect bench-esxcli bench-evaluate bench-audit bench-startup bench-lab bench-check
help:
	@echo "make demo    audit the simulated fleet (builds the environment first)"
	@echo "make test    run the tests"
	@echo "make check   what CI runs: lint, types, layers, rules and their mutants and pages, tests with coverage, the built wheel"
	@echo "make rule-pages  write docs/rules anew from the rules; make mutants: would their examples notice a mistake?"
	@echo "make vcsim   install VMware's simulator and govc into .bin (needs Go)"
	@echo "make bench-collect, bench-esxcli, bench-evaluate, bench-audit, bench-startup, bench-lab"
	@echo "             how fast it is beside others (BENCH_ARGS=\"--help\"; docs/performance.md)"
	@echo "make bench-check  whether it is still as much faster than others as it was"
	@echo "make lock    resolve requirements.lock anew"

env: $(STAMP)
$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $(STAMP)

# Drift is what the demo is there to show: 1 (drift) and 2 (something is unknown) are its good ends.
demo: env
	@$(BIN)/auditor demo; code=$$?; \
	if [ $$code -eq 1 ] || [ $$code -eq 2 ]; then \
		echo "(exit code $$code: drift was found$$([ $$code -eq 2 ] && echo ', and something could not be judged'); make ends well)"; \
	else exit $$code; fi

test: env
	$(PYTEST) -n 2 --dist worksteal

lint: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: env
	$(BIN)/mypy

layers: env
	$(BIN)/lint-imports

rules: env
	$(BIN)/auditor rules test

# Mistakes made in rules on purpose; each rule's examples have to notice nine of ten.
mutants: env
	$(BIN)/auditor rules mutate --least 90

rule-pages: env
	$(BIN)/auditor rules pages --dir docs/rules

rule-pages-check: env
	$(BIN)/auditor rules pages --dir docs/rules --check

# facts/catalog.json, made anew from the views: their columns, lineage and order.
catalog: env
	$(BIN)/python -m auditor.authoring.catalog

# The values that `auditor rules schema` shows, read anew from the lab.
example-values: env
	$(BIN)/python -m auditor.lab.example_values

# Tests marked long (tests/conftest.py) run without the tracer, which would take as long again.
coverage: env
	$(PYTEST) -n 2 --dist worksteal -m "not long" --cov --cov-report=term --cov-fail-under=85
	$(PYTEST) -n 2 --dist worksteal -m long

wheel: env
	sh tests/wheel_test.sh $(BIN)/python

check: lint types layers rules mutants rule-pages-check coverage wheel

vcsim: .bin/vcsim .bin/govc
.bin/%:
	GOBIN=$(CURDIR)/.bin go install github.com/vmware/govmomi/$*@v0.46.3

cassettes: env
	AUDITOR_RECORD=1 $(PYTEST) tests/endpoints/*/test_*_cassettes.py

# Hosts read for the first time and again; more hosts: make bench-lab BENCH_LAB="--hosts 10000 --vcenters 8"
bench-lab: env
	$(BIN)/python benchmarks/lab.py $(BENCH_LAB)

# make bench-collect BENCH_ARGS="--hosts 30 --json FILE"; likewise the others. bench-collect builds a Go program where Go is.
bench-collect bench-esxcli bench-evaluate bench-audit bench-startup: bench-%: env
	$(BIN)/python benchmarks/$*.py $(BENCH_ARGS)

# Ratios only, never absolute times: benchmarks/ratios.json.
bench-check: env
	$(BIN)/python benchmarks/check_ratios.py $(BENCH_ARGS)

lock: env
	$(BIN)/pip-compile --quiet --upgrade --extra dev --generate-hashes --no-emit-index-url --no-emit-find-links --strip-extras \
		--allow-unsafe --no-header --no-annotate --output-file requirements.lock pyproject.toml

clean:
	rm -rf $(VENV) .bin build dist
