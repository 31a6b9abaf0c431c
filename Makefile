# Needs only python3 (3.11 or newer) with venv and pip. `make` alone lists the targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Where `make serve` listens and keeps its data; empty means the service's own default.
PORT ?=
DATA_DIR ?=
# What `make test` runs, and how: make test TESTS=tests/test_play.py PYTEST='-x -k undo'
TESTS ?= tests
PYTEST ?=
# Seconds of faults for `make soak`; where `make load` finds the service.
SECONDS ?= 60
URL ?= http://127.0.0.1:8000

SOURCES := service tests $(wildcard loadtests tools)
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
COMPILE := $(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 \
	--generate-hashes --custom-compile-command "make lock" --quiet

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# --- environments: a stamp per lock file, so that an unchanged one installs nothing -----------

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
runtime: $(VENV)/project

.PHONY: install
install: $(VENV)/dev $(VENV)/project ## Make .venv with everything for development, from the lock files

# --- running ----------------------------------------------------------------------------------

.PHONY: serve
serve: runtime ## Serve the API; PORT=8123 DATA_DIR=/some/folder
	$(if $(PORT),ACCORDION_PORT=$(PORT)) $(if $(DATA_DIR),ACCORDION_DATA_DIR=$(DATA_DIR)) $(BIN)/accordion serve
