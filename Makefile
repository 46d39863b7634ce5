# Two commands do everything: `make demo` and `make test`. Each sets up what it needs, once.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
setup := packaging/setup
# What demo and tests install and record stays in the build folder, away from the user's own models and runs.
state := $(CURDIR)/build/state

.NOTPARALLEL:
.PHONY: help demo phone-demo studio screenshots test helper helper-arm64 models venv venv-app venv-dev sweeps \
    system-python system-helper system-test system-phone system-studio lint format bench bench-gui lock wheel clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: system-helper helper models ## set everything up and transcribe the sample with target-only and AS²D
	@AS2D_DATA_DIR="$(state)" .venv/bin/as2d demo

phone-demo: system-phone helper helper-arm64 models ## the same on a stand-in phone through the real adb, under qemu (minutes)
	@.venv/bin/python -m tests.phone.standin.user_land >&2
	@AS2D_DATA_DIR="$(state)" .venv/bin/python -m tests.phone.demo

studio: system-studio venv-app helper ## open the window; FILES="a.wav b.mp3" begins with these recordings
	@.venv/bin/as2d studio $(FILES)

screenshots: system-studio venv-dev models ## pictures of every view, both themes and sizes, in build/screenshots
	@AS2D_DATA_DIR="$(state)" .venv/bin/python -m tests.gui.screenshots build/screenshots

test: system-test venv-dev models helper-arm64 ## set everything up and run every check and test
	@AS2D_DATA_DIR="$(state)" $(setup)/test.sh

helper: system-helper venv ## build the helper program, build/native/as2d-helper
	@$(setup)/helper.sh

helper-arm64: system-helper ## build the helper for phones, build/arm64/as2d-helper (installs zig, 100 MB)
	@$(setup)/venv.sh build runtime arm64
	@$(setup)/helper.sh arm64

models: helper
	@AS2D_DATA_DIR="$(state)" $(setup)/models.sh

venv: system-python ## make .venv with everything that `as2d` needs
	@$(setup)/venv.sh build runtime

venv-app: system-python ## the same with what the window needs
	@$(setup)/venv.sh build runtime app

sweeps: system-python ## the same with what `as2d sweep` and `as2d trace --workers` need
	@$(setup)/venv.sh build runtime sweep

venv-dev: system-python ## the same with everything that tests and checks need
	@$(setup)/venv.sh build runtime app sweep dev

system-python:
	@$(setup)/prerequisites.sh python

system-helper:
	@$(setup)/prerequisites.sh python helper

system-test:
	@$(setup)/prerequisites.sh python helper test phone studio

system-phone:
	@$(setup)/prerequisites.sh python helper phone

system-studio:
	@$(setup)/prerequisites.sh python helper studio

lint: venv-dev ## ruff, mypy and clang-format, changing nothing
	@$(setup)/lint.sh

format: venv-dev ## format the Python and C++ sources
	@.venv/bin/ruff check --fix-only --quiet .
	@.venv/bin/ruff format .
	@git ls-files -z -co --exclude-standard 'native/*.cpp' 'native/*.hpp' | xargs -0 -r .venv/bin/clang-format -i

bench-gui: venv-dev system-studio ## measure the window: frames, events a second, memory
	@QT_QPA_PLATFORM=offscreen .venv/bin/python -m as2d.app.bench tests/data/runs/three-recordings $(ARGUMENTS)

bench: helper models ## measure this computer with the sample recording
	@AS2D_DATA_DIR="$(state)" .venv/bin/as2d bench $(ARGUMENTS)

lock: venv-dev ## write requirements/*.txt from requirements/*.in
	@$(setup)/lock.sh

wheel: helper helper-arm64 ## the installable package, with the helpers for this computer and for phones inside
	@.venv/bin/python -m hatchling build -t wheel

clean: ## remove what was built here, state of the demo included; the user's cache stays
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
