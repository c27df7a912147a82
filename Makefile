# Thin: every target is a few commands that also work when typed.
.PHONY: run demo test test-rust test-page test-python bench bench-peers build page wheel packages

TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))
SAKIYOMI := $(TARGET)/release/sakiyomi

# What is built here is built whole; keeping what the next edit could use would cost time and disk.
export CARGO_INCREMENTAL ?= 0

## The lab in the browser.
run: page build
	$(SAKIYOMI) serve --open

## A short match, move by move, and the table of a 100-game duel.
demo: build
	$(SAKIYOMI) play tic-tac-toe --seat uct:iterations=2000 --seat maxn:depth=9
	@echo
	$(SAKIYOMI) duel connect-four uct:iterations=2000 uct:iterations=500 --games 100

## Everything that must hold.
test: test-rust test-page test-python

## Format, lints, tests, documentation.
test-rust: page
	cargo fmt --all -- --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo test --workspace --locked
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet

## The page: format, lints, its types, its logic, and whole matches in a real browser.
test-page: page
	@command -v npm >/dev/null || { echo "the page needs Node.js 20 or newer: https://nodejs.org; make test-rust tests the rest"; exit 1; }
	cd web && npm run --silent lint && npm run --silent check && npm test --silent
	@command -v chromium >/dev/null || { echo "installing Chromium"; apt-get update -qq && apt-get install -y -qq chromium >/dev/null; }
	cargo test --workspace --locked --no-run --quiet
	cd web && SAKIYOMI_BIN=$(TARGET)/debug/sakiyomi npm run --silent browser

## The Python package: the wheel in an environment of its own, its tests, and those of other libraries on it.
test-python: page
	bash python/test.sh

## Speed of games and search on this machine.
bench: build
	$(SAKIYOMI) bench
	$(SAKIYOMI) bench breakthrough --growth

## Speed beside that of other systems, which are installed from their registries.
bench-peers: build
	bash bench/peers/run.sh

build:
	cargo build --release --locked

## The Python package as a wheel in target/wheels, with the command line and the page in it.
wheel: page
	python3 -m pip wheel --quiet --no-deps --wheel-dir $(TARGET)/wheels .

## What is published: every crate, compiled from its package alone, and the wheel's sources.
## The page is in the package but not in git, which cargo calls dirty.
packages: page
	cargo package --workspace --exclude sakiyomi-py --exclude sakiyomi-readers --locked --allow-dirty
	python3 -m maturin sdist --out $(TARGET)/wheels

## The page becomes part of the program that is built after it. Without Node everything else is complete.
page:
	@if command -v npm >/dev/null; then \
		cd web && npm ci --no-audit --no-fund --loglevel=error && npm run --silent build; \
	else \
		echo "Node.js (20 or newer) is missing, so the page is not built: https://nodejs.org, then make run again."; \
		echo "The command line works without it: $(SAKIYOMI) --help"; \
	fi
