#!/usr/bin/env bash
# Installs the peers from their registries and compares sakiyomi with them.
# Options are those of compare.py. Fails only if it could not measure, not if a target is missed.
set -euo pipefail

readonly OPEN_SPIEL=2.0.2

# From the root, so that the peer's crate is built with the toolchain and flags of the repository.
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly PEERS=bench/peers
readonly VENV=$PEERS/.venv
readonly PYTHON=$VENV/bin/python

main() {
    check_tools
    check_sakiyomi
    install_open_spiel
    build_board_game
    python3 "$PEERS/compare.py" "$@"
}

check_tools() {
    command -v cargo >/dev/null || fail "cargo is missing: install the Rust toolchain"
    command -v python3 >/dev/null || fail "python3 is missing"
    python3 -c 'import venv, ensurepip' 2>/dev/null ||
        fail "python3 cannot make virtual environments: install python3-venv"
}

check_sakiyomi() {
    local binary=${SAKIYOMI_BIN:-target/release/sakiyomi}
    [[ -x $binary ]] ||
        fail "$binary is missing: run 'cargo build --release', or set SAKIYOMI_BIN"
}

install_open_spiel() {
    if open_spiel_is_installed; then return; fi
    say "installing open_spiel $OPEN_SPIEL into $VENV"
    python3 -m venv "$VENV"
    # The C++ bots need none of the wheel's Python dependencies.
    "$PYTHON" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
        "open_spiel==$OPEN_SPIEL" ||
        fail "no open_spiel $OPEN_SPIEL: the Python package registry is out of reach," \
            "or it has no wheel for this platform and $(python3 --version)"
    open_spiel_is_installed || fail "open_spiel $OPEN_SPIEL was installed but cannot be imported"
}

open_spiel_is_installed() {
    [[ -x $PYTHON ]] && "$PYTHON" - "$OPEN_SPIEL" 2>/dev/null <<'PYTHON'
import importlib.metadata, sys
import pyspiel
sys.exit(importlib.metadata.version("open_spiel") != sys.argv[1])
PYTHON
}

build_board_game() {
    say "building the board-game peer"
    cargo build --quiet --release --locked --manifest-path "$PEERS/board-game/Cargo.toml" \
        --target-dir "$PEERS/board-game/target" ||
        fail "could not build the board-game peer: if crates could not be fetched," \
            "the crate registry is out of reach"
}

say() { echo "bench-peers: $*" >&2; }

fail() {
    say "$*"
    exit 1
}

main "$@"
