# Thin: every target is a few commands that also work when typed.
.PHONY: run test bench bench-peers

SAKIYOMI := target/release/sakiyomi

## A short match, move by move, and the table of a 100-game duel.
run: build
	$(SAKIYOMI) play tic-tac-toe --seat uct:iterations=2000 --seat maxn:depth=9
	@echo
	$(SAKIYOMI) duel connect-four uct:iterations=2000 uct:iterations=500 --games 100

## Everything that must hold: format, lints, tests, documentation.
test:
	cargo fmt --all -- --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo test --workspace --locked
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet

## Speed of games and search on this machine.
bench: build
	$(SAKIYOMI) bench
	$(SAKIYOMI) bench breakthrough --growth

## Speed beside that of other systems, which are installed from their registries.
bench-peers: build
	bash bench/peers/run.sh

.PHONY: build
build:
	cargo build --release --locked
