# Needs only python3 (3.11 or newer) with venv and pip. `make` lists the targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# The port and the data folder of `make serve`; empty means the service's default.
PORT ?=
DATA_DIR ?=
# The tests that `make test` runs, and options: make test TESTS=tests/engine PYTEST='-x -k undo'
TESTS ?= tests
PYTEST ?=
QUICK_TESTS := tests/engine tests/games tests/http tests/texts tests/test_config.py \
	tests/test_stamps.py
# The number of cases of `make fuzz`.
CASES ?= 20000
# The seconds that `make soak` lasts; the URL of the service for `make load`.
DURATION ?= 60
URL ?= http://127.0.0.1:8000
ARGS ?=

SOURCES := service tests $(wildcard benchmarks loadtests tools examples)
CATALOGUES := service/texts/catalogues
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
COMPILE := $(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 \
	--generate-hashes --custom-compile-command "make lock" --quiet

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# --- environments: one stamp per lock file; unchanged lock files install nothing --------------

$(VENV)/created:
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/runtime: requirements.txt | $(VENV)/created
	$(PIP) install --require-hashes -r requirements.txt
	@touch $@

$(VENV)/dev: requirements-dev.txt | $(VENV)/created
	$(PIP) install --require-hashes -r requirements-dev.txt
	@touch $@ $(VENV)/runtime

$(VENV)/project: pyproject.toml $(VENV)/runtime
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

.PHONY: runtime
runtime: $(VENV)/project ## Make .venv with only what `make serve` needs

.PHONY: install
install: $(VENV)/dev $(VENV)/project ## Make .venv with everything for development, from the lock files

# --- running ----------------------------------------------------------------------------------

.PHONY: serve
serve: runtime ## Serve the API; PORT=8123 DATA_DIR=/some/folder
	@exec env $(if $(PORT),ACCORDION_PORT='$(PORT)') $(if $(DATA_DIR),ACCORDION_DATA_DIR='$(DATA_DIR)') \
		$(BIN)/accordion serve

# --- checking ---------------------------------------------------------------------------------

.PHONY: test
test: install ## Run every test; TESTS=tests/engine PYTEST='-x -k undo'
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || \
		echo "make test: no Chromium found, so the tests of the page are SKIPPED (Debian: apt-get install chromium)" >&2
	$(BIN)/pytest --numprocesses auto --dist loadfile --no-loadscope-reorder \
		$(PYTEST) $(TESTS)

.PHONY: quick
quick: install ## Run the tests that start no service, in under a minute; PYTEST='-x -k undo'
	$(BIN)/pytest --numprocesses auto --dist worksteal $(PYTEST) $(QUICK_TESTS)

.PHONY: fuzz
fuzz: install ## Send requests generated from openapi.yaml; CASES=20000
	FUZZ_CASES=$(CASES) $(BIN)/pytest --capture no $(PYTEST) tests/properties/test_openapi.py

.PHONY: image-test
image-test: install ## Build the image and test how it starts; ARGS='--build-arg BASE=python:3.14-slim'
	docker build $(ARGS) --tag accordion-service:test .
	TEST_IMAGE=accordion-service:test $(BIN)/pytest $(PYTEST) tests/deploy/test_image.py

.PHONY: lint
lint: install ## Check style, types, imports between packages and openapi.yaml
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(SOURCES)
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/accordion openapi --check openapi.yaml

.PHONY: check
check: lint test ## Check everything that must pass before a change is merged

.PHONY: format
format: install ## Format the code and fix what ruff can fix
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

# --- measuring --------------------------------------------------------------------------------

.PHONY: bench
bench: install ## Measure requests against the baseline; ARGS='--only move --checkout DIR'
	$(BIN)/python -m benchmarks.api $(ARGS)

.PHONY: load
load: install ## Add locust's users in steps until a running service is saturated; URL=
	@mkdir -p reports
	$(BIN)/python -m locust --locustfile loadtests/locustfile.py,loadtests/step_shape.py --headless \
		--host $(URL) --csv reports/load --html reports/load.html --json-file reports/load $(ARGS)

.PHONY: memory
memory: install ## Measure the memory of a game in the store and of a worker; ARGS='--games 10000'
	$(BIN)/python -m benchmarks.memory $(ARGS)

.PHONY: soak
soak: install ## Play while faults are injected, and check that nothing is lost; DURATION=60
	$(BIN)/python -m loadtests.soak --seconds $(DURATION) $(ARGS)

# --- generated files --------------------------------------------------------------------------

.PHONY: openapi
openapi: install ## Write openapi.yaml from the code
	$(BIN)/accordion openapi --output openapi.yaml

.PHONY: texts
texts: install ## Update the catalogues and docs/languages.md from the English texts
	for file in $(CATALOGUES)/*.po; do \
		$(BIN)/pybabel --quiet update --input-file $(CATALOGUES)/english.pot --output-file $$file \
			--locale $$(basename $$file .po) --width 100 --ignore-pot-creation-date || exit 1; \
	done
	$(BIN)/python -m tools.language_page

.PHONY: lock
lock: install ## Write the lock files; UPGRADE=1 upgrades to the newest releases
	$(COMPILE) $(if $(UPGRADE),--upgrade) --group build --output-file requirements.txt
	$(COMPILE) $(if $(UPGRADE),--upgrade) --group dev --all-extras --constraints requirements.txt \
		--output-file requirements-dev.txt

.PHONY: clean
clean: ## Remove .venv, caches and build output; never the data folder
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find $(SOURCES) -name __pycache__ -type d -prune -exec rm -rf {} +
