# Everything a newcomer, a developer and CI run. Needs Python 3.11 or later; Go only for the tests against VMware's simulator.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
PYTEST := $(BIN)/python -m pytest

# Compiled modules are kept, whatever the shell says: each of a hundred processes would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help env demo test test-long deep portable all-tests beside-tests lint types layers rules rule-pages rule-pages-check docs pictures mutants mutation-scores view-mutants python-mutants python-mutants-check catalog generated checked-rules rule-catalogue example-values wheel check coverage vcsim checkers stores peers cassettes lock sbom release clean \
	bench-collect bench-esxcli bench-evaluate bench-audit bench-startup bench-opening bench-bundles bench-lab bench-scale bench-check reliability
help: ## list these targets
	@awk -F ':.*## ' '/^[a-z][a-z -]*:.*## / {n = split($$1, names, " "); for (i = 1; i <= n; i++) printf "make %-17s %s\n", names[i], $$2}' Makefile

# Without --no-deps pip 23, which comes with Python 3.11, looks for the newest release of what another package asks for with an extra
# (coverage[toml]), and fails on the day that one newer than the lock's comes out. `pip check` says where the lock is not complete.
env: $(STAMP) ## build the environment in .venv; every other target does so first
# solidfire-sdk-python asks for two packages of Python 2 that it does not need: auditor/endpoints/element/sdk.py.
$(STAMP): requirements-dev.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	@$(BIN)/python deploy/install_lock.py requirements-dev.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	! $(BIN)/python -m pip check | grep -vE '^solidfire-sdk-python .* requires (enum34|future), |^No broken requirements'
	@touch $(STAMP)

# Drift is what the demo is there to show: 1 (drift) and 2 (something is unknown) are its good ends.
demo: env build/plugins/.ready ## audit the simulated fleet, with an array of the plugin in plugins/
	@command -v auditor > /dev/null || echo 'To type the commands that follow, once in this shell: . $(BIN)/activate'
	@PYTHONPATH=build/plugins $(BIN)/auditor demo; code=$$?; \
	if [ $$code -eq 1 ] || [ $$code -eq 2 ]; then \
		echo "(exit code $$code: drift was found$$([ $$code -eq 2 ] && echo ', and something was not judged'); make ends well)"; \
	else exit $$code; fi

build/plugins/.ready: $(wildcard plugins/auditor-hpe3par/pyproject.toml plugins/auditor-hpe3par/auditor_hpe3par/*.py) | $(STAMP)
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --upgrade --target build/plugins ./plugins/auditor-hpe3par
	@touch $@

# Each process works through whole files, so that a lab or an audit that a file shares is made once, in the order of tests/order.py. Three for
# two cores: some of the time that a test takes is waiting for a peer that answers late on purpose. A test that runs make is not a part of this one.
TESTS := env -u MAKEFLAGS -u MAKELEVEL $(PYTEST) -n 3 --dist loadfile --no-loadscope-reorder

# The lab tests itself in the long part: it changes seldom, and who changes it runs tests/lab.
test: env ## run the tests but for the long ones and those of the lab itself
	$(TESTS) -m "not long" --ignore tests/long --ignore tests/lab

test-long: env ## run the long tests: whole audits and long searches (tests/long and the marker `long`), and the lab's own (tests/lab)
	$(TESTS) -m long --ignore tests/long/peers tests

deep: env ## the searches of tests/long at their full depth; make check tries some of each
	AUDITOR_DEEP_TESTS=1 $(TESTS) --ignore tests/long/peers tests/long tests/cli/test_paths.py
	$(BIN)/auditor rules mutate --least 90
	$(MAKE) portable PORTABLE="tests --ignore tests/long --ignore tests/lab --ignore tests/job --ignore tests/workers --ignore tests/mutation --ignore tests/deploy"

# Windows lacks a dozen modules and three hundred names of Python's library; tests/portable.py takes them from auditor. make deep runs all
# that is not about the schedule and the workers; what is about POSIX's own has the marker posix_only.
PORTABLE := tests/journal tests/test_stopping.py tests/history/test_sealed_state.py tests/history/test_retention.py tests/endpoints/common/test_secrets.py tests/cli/test_init.py tests/system
portable: env ## read, judge, journal and fix without what Windows lacks (PORTABLE="tests/FILE ...")
	env -u MAKEFLAGS -u MAKELEVEL $(PYTEST) -p tests.portable $(PORTABLE)

lint: env ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: env ## mypy, strict, on code and tests
	$(BIN)/mypy

layers: env ## import-linter: imports go one way
	$(BIN)/lint-imports

rules: env ## run the examples of all rules
	$(BIN)/auditor rules test

# All rules take 42 s of processor time: make deep tries them. Which changed is told by tests/mutation/rule_scores.json: MUTANTS="--every --keep".
mutants: env ## make mistakes on purpose in rules that changed since they were scored, and in a few others; examples have to notice nine of ten
	$(BIN)/python -m tests.mutation.rules $(MUTANTS)

# Takes hours where every mistake is tried: MUTATION="--every --most 0".
mutation-scores: env ## score views by the mistakes in them that are noticed (MUTATION="VIEW ... --most 20")
	$(BIN)/python -m tests.mutation --keep $(MUTATION)

# Mistakes are chosen by the view's name: what fails once fails again until tests are added. Where no view changed it takes a second.
view-mutants: env ## try six mistakes in each of the first views that changed since they were scored; fail where tests miss most
	$(BIN)/python -m tests.mutation --few-tests --no-laws --most 6 --most-views 2

# Every module takes about an hour of processor time: MUTATION="--every".
python-mutants: env ## score modules of Python by the mistakes in them that are noticed (MUTATION="MODULE ... --most 40")
	$(BIN)/python -m tests.mutation.python --keep $(MUTATION)

# As view-mutants: where no module changed it takes a second.
python-mutants-check: env ## try six mistakes in each of the first modules that changed since they were scored; fail where tests miss most
	$(BIN)/python -m tests.mutation.python --few-tests --most 6 --most-modules 2

rule-pages: env ## write docs/rules anew from the rules
	$(BIN)/auditor rules pages --dir docs/rules

rule-pages-check: env ## fail where docs/rules is not as the rules are
	$(BIN)/auditor rules pages --dir docs/rules --check

docs: env ## build the documentation site in build/site; fails on a dead link
	$(BIN)/python -m docsite

# Needs Chromium for the pages.
pictures: env ## make the screenshots and the terminal recording of the documentation anew from the lab
	$(BIN)/python -m docsite.pictures

checked-rules: env ## make auditor/engine/checked_rules.json anew from the rules
	$(BIN)/python -m auditor.authoring.checked_rules rules

catalog: env ## make auditor/facts/catalog.json anew from the views: columns, lineage, order
	$(BIN)/python -m auditor.authoring.catalog

rule-catalogue: env ## write the brackets of docs/rule-catalogue.md anew from auditor/engine/checked_rules.json
	$(BIN)/python -m auditor.authoring.catalogue_brackets docs/rule-catalogue.md

generated: catalog checked-rules rule-pages rule-catalogue ## make all generated files but the example values anew: after a change of views, facts or rules

example-values: env ## read the values that `auditor rules schema` shows anew from the lab
	$(BIN)/python -m auditor_lab.example_values

# Not part of check: the tracer takes half as long again, and a line that ran says less than a mistake in it that was noticed (mutants).
UNTRACED := tests/facts tests/scenarios
coverage: env ## branch coverage of the tests of Python; at least 85 %
	$(TESTS) tests --ignore tests/long --ignore tests/lab $(UNTRACED:%=--ignore %) --cov --cov-report=term --cov-fail-under=85

wheel: env ## build the wheel and test it with the source out of reach
	sh tests/wheel_test.sh $(BIN)/python

# What is soon known comes first, two at a time. The tests use both cores but for what they wait, in which the rest is done.
SOON := lint layers rules view-mutants python-mutants-check rule-pages-check
TURN ?= $(shell git rev-parse HEAD 2>/dev/null)
check: env ## everything that CI runs; of tests/long and tests/lab a quarter, told by the commit (TURN=: all)
	$(MAKE) --jobs 2 $(SOON)
	$(MAKE) --jobs 2 all-tests beside-tests
all-tests: env ## all tests but three quarters of tests/long and tests/lab; a part of check
	$(TESTS) --turn-of "$(TURN)" --ignore tests/long/peers tests
beside-tests: env ## what check does beside the tests: types, the site, mutants of rules, some tests without POSIX, the wheel
	$(MAKE) types docs mutants portable wheel

vcsim: .bin/vcsim .bin/govc ## install VMware's simulator and govc into .bin (needs Go)
.bin/%:
	GOBIN=$(CURDIR)/.bin go install github.com/vmware/govmomi/$*@v0.46.3

# Prometheus' own tool comes from Debian's package, of which nothing is installed.
checkers: .bin/promtool .bin/actionlint ## install what checks files in deploy/ into .bin: promtool (needs Debian's apt-get), actionlint (needs Go)
.bin/promtool:
	mkdir -p .bin && folder=$$(mktemp -d) && cd $$folder && apt-get download -qq prometheus && dpkg-deb -x prometheus_*.deb . \
	    && install usr/bin/promtool $(CURDIR)/.bin/ && rm -r $$folder
.bin/actionlint:
	GOBIN=$(CURDIR)/.bin go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

# Emulators of Google's and Azure's stores, and the clients of both; nothing of it reaches the product's environment.
stores: env .bin/fake-gcs-server .peers/stores/.ready ## keep state on emulators of Google's and Azure's object stores (needs Go and npm)
	REQUIRE_STORES=1 $(PYTEST) -n 0 tests/long/peers/test_stores.py
.bin/fake-gcs-server:
	GOBIN=$(CURDIR)/.bin go install github.com/fsouza/fake-gcs-server@v1.56.1
.peers/stores/.ready: tests/long/peers/stores.txt
	$(BIN)/python -m pip install --quiet --no-deps --upgrade --target .peers/stores --requirement tests/long/peers/stores.txt
	npm install --silent --prefix .peers/stores azurite@3.37.0
	@touch .peers/stores/.ready

# Installing ansible takes some minutes, on a busy machine half an hour.
peers: env .peers/.ready .peers/cinder/.ready .peers/hpe3par/.ready ## let modules of Ansible and SDKs of vendors drive the lab, in an environment of their own
	REQUIRE_PEERS=1 $(PYTEST) -n 0 tests/long/peers/test_peers.py tests/long/peers/test_cinder.py tests/long/peers/test_hpe3par.py tests/long/peers/test_ansible_module.py
.peers/.ready: tests/long/peers/requirements.txt
	$(PYTHON) -m venv .peers
	.peers/bin/python -m pip install --quiet --requirement tests/long/peers/requirements.txt
	@touch .peers/.ready

.peers/cinder/.ready .peers/hpe3par/.ready: .peers/%/.ready: tests/long/peers/%.txt
	$(PYTHON) -m venv .peers/$*
	.peers/$*/bin/python -m pip install --quiet --requirement $<
	@touch $@

cassettes: env ## record the answers that tests replay anew from the lab
	AUDITOR_RECORD=1 $(PYTEST) tests/endpoints/*/test_*_cassettes.py

# Hosts read for the first time and again; more hosts: make bench-lab BENCH_LAB="--hosts 10000 --vcenters 8"
bench-lab: env ## how fast the lab is (BENCH_LAB="--hosts 10000 --vcenters 8")
	$(BIN)/python benchmarks/lab.py $(BENCH_LAB)

# make bench-collect BENCH_ARGS="--hosts 30 --json FILE"; likewise the others. bench-collect builds a Go program where Go is.
bench-collect bench-esxcli bench-evaluate bench-audit bench-startup bench-opening bench-bundles: bench-%: env ## how fast it is beside others (BENCH_ARGS="--help"; docs/performance.md)
	$(BIN)/python benchmarks/$*.py $(BENCH_ARGS)

# A minute of processor time. The large one: make bench-scale BENCH_SCALE="--vcenters 100 --hosts 1000 --also 10 --workers 1 2 4" (docs/scale.md).
bench-scale: env ## whole audits of many vCenters, by threads and by Dask's workers (BENCH_SCALE="--vcenters 40 --hosts 250")
	$(BIN)/python benchmarks/scale.py $(BENCH_SCALE)

# Ratios only, never absolute times: benchmarks/ratios.json.
bench-check: env ## fail where it is no longer as much faster than others as it was
	$(BIN)/python benchmarks/check_ratios.py $(BENCH_ARGS)

# About an hour on an idle machine. A part of it: RELIABILITY="--writes --kills 100 solidfire-vvols", RELIABILITY=--reboots, RELIABILITY=--whole.
reliability: env ## kill fixes, reboots and undos in the middle; no write may be lost or misreported (docs/reliability.md)
	$(BIN)/python benchmarks/reliability.py $(RELIABILITY)

# What users get (core, inventory, job, lab and scale), what developers get, and what builds the wheel; versions are the same in all three.
# The lines that begin with # name what is left out on purpose.
COMPILE := $(BIN)/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --no-emit-options --strip-extras \
	--no-allow-unsafe --unsafe-package enum34 --unsafe-package future --no-header --no-annotate
lock: env ## resolve requirements.lock, requirements-dev.lock and requirements-build.lock anew
	$(COMPILE) --upgrade --extra dev --extra inventory --extra job --extra lab --extra scale --output-file requirements-dev.lock pyproject.toml
	sed -i.old -e '/^#/d' -e '/^$$/d' requirements-dev.lock
	$(COMPILE) --upgrade --extra inventory --extra job --extra lab --extra scale --constraint requirements-dev.lock --output-file requirements.lock pyproject.toml
	$(COMPILE) --upgrade --only-build-deps --all-build-deps --constraint requirements-dev.lock --output-file requirements-build.lock pyproject.toml
	sed -i.old -e '/^#/d' -e '/^$$/d' requirements.lock requirements-build.lock
	rm -f requirements*.lock.old

# An environment of what users get, so that the list has their licences and nothing of ours.
sbom: env ## write the list of all that users get, with versions and licences, to dist/auditor.cdx.json (CycloneDX)
	rm -rf build/sbom
	$(PYTHON) -m venv --without-pip build/sbom
	$(BIN)/python -m pip --python build/sbom install --quiet --no-deps --require-hashes --requirement requirements.lock
	mkdir -p dist
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --mc-type application --gather-license-texts --output-reproducible --output-file dist/auditor.cdx.json build/sbom
	$(BIN)/python -m json.tool dist/auditor.cdx.json > /dev/null

release: env sbom ## make what a release consists of in dist/release: the wheel, built twice to one digest, locks, SBOM, digests (MINISIGN_KEY=FILE signs)
	sh deploy/release.sh

clean: ## remove .venv, .bin, .peers, build and dist
	rm -rf $(VENV) .bin .peers build dist
