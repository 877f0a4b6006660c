# Everything runs in .venv, which is remade when the lock changes and refreshed when pyproject.toml does.

PYTHON ?=
HOME_DIR ?= ratinglist-home
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
READY := $(VENV)/.ready
LOCKED := $(VENV)/.locked
PEERS := .venv-bench
PEERS_LOCKED := $(PEERS)/.locked
READERS := .venv-readers
READERS_LOCKED := $(READERS)/.locked
READERS_LOCKS := $(addprefix tests/readers/,requirements.lock duckdb-1.lock package.json package-lock.json)
INPUTS ?= 1000000
SEED ?= 1
MUTMUT := .mutmut
BROWSER := .browser
RELEASE := .venv-release
DOCS := .docs
DIST := dist

# Nothing outside the lock: no build environments, no other versions, no questions.
PIP_QUIETLY := -m pip --disable-pip-version-check --no-input -qq
PIP := $(BIN)/python $(PIP_QUIETLY)
INTO_RELEASE = $(PIP) --python $(RELEASE) install
ONLY_LOCKED := --require-hashes --no-deps --only-binary :all:

.DEFAULT_GOAL := help
.PHONY: help demo server serve test test-long test-readers fuzz mutants check bench peers lock clean test-browser release sign-release docs

help: ## what there is
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1@\2/p' $(MAKEFILE_LIST) | awk -F@ '{ printf "%-18s %s\n", $$1, $$2 }'

demo: $(READY) ## four months of the sample federation by the monthly flow: the published list, and its site
	@rm -rf demo-home demo-site
	@echo "Four months by the monthly Prefect flow; to start it takes a few seconds." >&2
	@PREFECT_HOME="$(VENV)/prefect" PREFECT_LOGGING_LEVEL=ERROR PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS=300 \
	  $(BIN)/python -m flows.demo

server: $(READY) ## Prefect's server for `make serve`, with its dashboard; it reports no usage
	@DO_NOT_TRACK=1 PREFECT_SERVER_ANALYTICS_ENABLED=false $(BIN)/prefect server start

serve: $(READY) ## the monthly list on its schedule, where a server runs; HOME_DIR=..., SERVE="--reports inbox"
	@PREFECT_API_URL="$${PREFECT_API_URL:-http://127.0.0.1:4200/api}" \
	  $(BIN)/python -m flows.serve --home "$(HOME_DIR)" $(SERVE)

# Where an account keeps no bytecode, every process of the tests would compile all of them again.
KEEPING_BYTECODE := PYTHONDONTWRITEBYTECODE=
# There is a process for each processor already: threads of their own would wait for each other.
ONE_THREAD := POLARS_MAX_THREADS=1
# Where the memory has room for them, the files of the tests are there: to wait until a disk has them proves nothing.
IN_MEMORY := $(shell df -Pk /dev/shm 2>/dev/null | \
  awk '$$6 == "/dev/shm" && $$4 > 2000000 { print "PYTEST_DEBUG_TEMPROOT=/dev/shm" }')
# Not by PYTHONPATH, which Python in $(RELEASE) would follow too: the bill of materials would name the tools.
RELEASE_TOOL = $(BIN)/python -c 'import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); \
  runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)' $(RELEASE)/tools
IN_PROCESSES := --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

test: $(READY) ## the tests that cover everything once; ARGS=... goes to pytest
	@$(KEEPING_BYTECODE) $(ONE_THREAD) $(IN_MEMORY) $(BIN)/python -m pytest $(IN_PROCESSES) $(ARGS)

test-long: $(READY) ## the tests that take minutes
	@$(BIN)/python -m pytest -m long $(ARGS)

test-browser: $(READY) $(BROWSER)/.locked ## the site and the desk in Chromium, which is installed where it is missing (Debian, Ubuntu)
	@command -v chromium chromium-browser google-chrome >/dev/null || { \
	  echo "Installing Chromium from the system's packages" >&2; apt-get install -y --no-install-recommends chromium; } || { \
	  echo "Chromium is needed: install it (on Debian and Ubuntu, as root: apt install chromium)" >&2; exit 1; }
	@PYTHONPATH=$(BROWSER) $(BIN)/python -m pytest tests/browser $(ARGS)

test-readers: $(READY) $(READERS_LOCKED) ## programs of others read our exports; those that are missing are named
	@RATINGLIST_READERS="$(CURDIR)/$(READERS)" $(BIN)/python -m pytest -rs tests/readers $(ARGS)

# In one process and with one thread: the time that one input takes is measured.
fuzz: $(READY) ## every reader against files made wrong; INPUTS=1000000 (half an hour), SEED=1
	@POLARS_MAX_THREADS=1 nice $(BIN)/python -m tests.fuzz --inputs $(INPUTS) --seed $(SEED)

# In one process and with one thread: a time-out proves nothing.
mutants: $(READY) $(MUTMUT) ## small faults put into the modules that decide a rating: which does no test notice? An hour
	@rm -rf mutants
	@PYTHONPATH=$(MUTMUT) POLARS_MAX_THREADS=1 nice $(BIN)/python -m tests.mutation trials
	@PYTHONPATH=$(MUTMUT) $(BIN)/python -m tests.mutation survivors

check: $(READY) ## lint, format, types, the first lines of this branch's commits
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@for system in linux darwin win32; do $(BIN)/mypy --no-error-summary --platform $$system || exit 1; done
	@$(BIN)/mypy --no-error-summary benchmarks
	@! git log --no-merges --format=%s $$(git rev-parse --verify --quiet origin/main || echo main)..HEAD 2>/dev/null \
	  | grep -E '.{73}|\.$$' >&2

bench: $(READY) ## what a month costs, next to its floor; ARGS="--sizes S --runs 5", ARGS="--games 2 5 10 20"
	@$(KEEPING_BYTECODE) $(BIN)/python -m benchmarks run $(ARGS)

peers: $(READY) $(PEERS_LOCKED) ## what others take for the kernel; ARGS="--size S"
	@$(KEEPING_BYTECODE) $(BIN)/python -m benchmarks peers $(ARGS)

docs: $(READY) $(DOCS)/.locked ## the documents as a site with a search, in build/docs, with the pages made from the code
	@$(BIN)/python docs/reference/make.py
	@PYTHONPATH=$(DOCS) $(BIN)/python -m sphinx --quiet --fail-on-warning --builder html -c docs . build/docs
	@echo "build/docs/docs/index.html"

# The second build is compared with the first; the wheel is installed from the file, without an index, and plays the demo.
release: $(READY) $(RELEASE)/.locked ## what is published of a version, in dist: packages, documents, bill of materials, licences; KEY=... signs
	@rm -rf dist build
	@for folder in dist build; do $(BIN)/python -m hatchling build -d $$folder >/dev/null || exit 1; done
	@for file in build/*; do cmp "$$file" "dist/$${file#build/}" || exit 1; done
	@$(RELEASE_TOOL) twine check --strict dist/*
	@$(RELEASE_TOOL) check_wheel_contents dist/*.whl
	@$(INTO_RELEASE) --no-deps --no-index --force-reinstall dist/*.whl
	@cd build && ../$(RELEASE)/bin/ratinglist demo >/dev/null
	@bill="$$(echo dist/*.whl | sed 's/-py3.*/.cdx.json/')"; \
	$(RELEASE_TOOL) cyclonedx_py environment --output-reproducible --pyproject pyproject.toml -o "$$bill" $(RELEASE) \
	&& $(BIN)/python deploy/licences.py "$$bill" > "$${bill%.cdx.json}.licences.csv"
	@$(MAKE) --no-print-directory docs >/dev/null
	@$(BIN)/python deploy/documents.py build/docs "$$(echo dist/*.whl | sed 's/-py3.*/-docs.zip/')"
	@rm -rf build && cd dist && sha256sum * > SHA256SUMS && cat SHA256SUMS
	@if [ "$(KEY)" ]; then $(MAKE) --no-print-directory sign-release; else echo "Not signed. To sign it: make sign-release KEY=FILE"; fi

sign-release: ## sign the digests in dist with the private key KEY=... (ssh-keygen), and verify as a reader does
	@cd $(DIST) && rm -f SHA256SUMS.sig \
	  && printf 'ratinglist %s\n' "$$(ssh-keygen -y -f "$(KEY)" | cut -d ' ' -f 1-2)" > ratinglist.signers \
	  && ssh-keygen -q -Y sign -n ratinglist -f "$(KEY)" SHA256SUMS \
	  && ssh-keygen -Y verify -n ratinglist -f ratinglist.signers -I ratinglist -s SHA256SUMS.sig < SHA256SUMS

EXTRAS := --extra desk --extra flows

# riix wants jax for one of its other models: 300 MB that Elo never imports.
NOT_FOR_ELO := jax jaxlib ml-dtypes opt-einsum

lock: ## remake every requirements.lock, keeping what still fits; UPGRADE=--upgrade takes the newest
	@command -v uv >/dev/null || { echo "make lock needs uv, which locks for every platform and Python at once:" \
	  "python3 -m pip install uv" >&2; exit 1; }
	UV_CUSTOM_COMPILE_COMMAND="make lock" uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-annotate --no-emit-index-url --group dev $(EXTRAS) $(UPGRADE) pyproject.toml -o requirements.lock
	UV_CUSTOM_COMPILE_COMMAND="make lock" uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-annotate --no-emit-index-url --constraints requirements.lock $(EXTRAS) pyproject.toml -o deploy/requirements.lock
	UV_CUSTOM_COMPILE_COMMAND="make lock" uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-annotate --no-emit-index-url --constraints requirements.lock --group build -o deploy/build.lock
	UV_CUSTOM_COMPILE_COMMAND="make lock" uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-annotate --no-emit-index-url --constraints requirements.lock $(UPGRADE) \
	  $(addprefix --no-emit-package ,$(NOT_FOR_ELO)) benchmarks/requirements.txt -o benchmarks/requirements.lock
	UV_CUSTOM_COMPILE_COMMAND="make lock" uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-annotate --no-emit-index-url $(UPGRADE) tests/browser/requirements.txt -o tests/browser/requirements.lock
	UV_CUSTOM_COMPILE_COMMAND="make lock" uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-annotate --no-emit-index-url $(UPGRADE) deploy/release.txt -o deploy/release.lock
	UV_CUSTOM_COMPILE_COMMAND="make lock" uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-annotate --no-emit-index-url $(UPGRADE) docs/requirements.txt -o docs/requirements.lock
	for name in requirements duckdb-1; do \
	  UV_CUSTOM_COMPILE_COMMAND="make lock" uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	    --no-annotate --no-emit-index-url $(UPGRADE) tests/readers/$$name.txt -o tests/readers/$$name.lock || exit 1; \
	done
	cd tests/readers && npm install --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts \
	  --no-audit --no-fund

clean: ## away with .venv, caches and the demo
	rm -rf $(VENV) $(PEERS) $(READERS) $(RELEASE) demo-home demo-site build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage \
	  $(MUTMUT) $(BROWSER) $(DOCS) mutants

$(READY): $(LOCKED) pyproject.toml
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(LOCKED): requirements.lock
	@python=; for name in $(PYTHON) $(if $(PYTHON),,python3 python3.13 python3.12 python3.11 python); do \
	  "$$name" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null \
	    && { python=$$name; break; }; done; \
	[ "$$python" ] || { echo "Python 3.11, 3.12 or 3.13 is needed: make PYTHON=/path/to/python3.11" >&2; exit 1; }; \
	"$$python" -c 'import ensurepip, venv' 2>/dev/null || { echo "$$python cannot make virtual environments:" \
	  "install its venv package (on Debian and Ubuntu: apt install python3-venv)" >&2; exit 1; }; \
	echo "Installing into $(VENV), once: about 200 MB to fetch" >&2; \
	"$$python" -m venv --clear $(VENV)
	@$(PIP) install $(ONLY_LOCKED) -r requirements.lock
	@touch $@

# Apart from .venv: pyarrow imports pandas wherever it finds it, and the program would be measured with that.
$(PEERS_LOCKED): benchmarks/requirements.lock | $(READY)
	@echo "Installing what the program is compared with into $(PEERS), once: about 180 MB to fetch" >&2
	@$(BIN)/python -m venv --clear $(PEERS)
	@echo '*' > $(PEERS)/.gitignore
	@$(PEERS)/bin/python $(PIP_QUIETLY) install $(ONLY_LOCKED) -r benchmarks/requirements.lock
	@touch $@

# Apart from .venv: only the tests in a browser need it.
$(BROWSER)/.locked: tests/browser/requirements.lock | $(READY)
	@$(PIP) install $(ONLY_LOCKED) --upgrade --target $(BROWSER) -r tests/browser/requirements.lock
	@echo '*' > $(BROWSER)/.gitignore
	@touch $@

# Apart from .venv: only the site of the documents needs it.
$(DOCS)/.locked: docs/requirements.lock | $(READY)
	@$(PIP) install $(ONLY_LOCKED) --upgrade --target $(DOCS) -r docs/requirements.lock
	@echo '*' > $(DOCS)/.gitignore
	@touch $@

# What the image has and no more, so that the bill of materials names what an office runs; the tools in a folder of it.
$(RELEASE)/.locked: deploy/requirements.lock deploy/release.lock | $(READY)
	@echo "Installing what runs, and what checks packages, into $(RELEASE), once: about 160 MB to fetch" >&2
	@$(BIN)/python -m venv --clear --without-pip $(RELEASE)
	@echo '*' > $(RELEASE)/.gitignore
	@$(INTO_RELEASE) $(ONLY_LOCKED) -r deploy/requirements.lock
	@$(PIP) install $(ONLY_LOCKED) --target $(RELEASE)/tools -r deploy/release.lock
	@touch $@

# Older versions of what the program uses, so in a folder of its own; a second DuckDB in a folder of that.
$(READERS_LOCKED): $(READERS_LOCKS) | $(READY)
	@echo "Installing what reads our exports into $(READERS), once: about 150 MB to fetch" >&2
	@$(BIN)/python -m venv --clear $(READERS)
	@echo '*' > $(READERS)/.gitignore
	@$(READERS)/bin/python $(PIP_QUIETLY) install $(ONLY_LOCKED) -r tests/readers/requirements.lock
	@$(READERS)/bin/python $(PIP_QUIETLY) install $(ONLY_LOCKED) --target $(READERS)/duckdb-1 -r tests/readers/duckdb-1.lock
	@mkdir $(READERS)/node && cp tests/readers/package.json tests/readers/package-lock.json $(READERS)/node
	@if command -v npm >/dev/null; then cd $(READERS)/node && npm ci --silent --ignore-scripts --no-audit --no-fund; \
	  else echo "npm is missing: the readers in JavaScript are skipped" >&2; fi
	@touch $@

# Not in the lock: it brings fifteen packages that nothing else here needs.
$(MUTMUT): | $(READY)
	@$(PIP) install --only-binary :all: --target $@ mutmut==3.8.1
	@echo '*' > $@/.gitignore
