#!/usr/bin/env bash
# How long it takes from an empty environment to the page in the browser: with a wheel, or with a clone.
#
#     bench/first_page.sh target/wheels/sakiyomi-0.2.0-*.whl
#     bench/first_page.sh .
#
# The environment is empty but for the PATH, the home is an empty folder, and so is the environment of Python. A clone is
# copied without what was built in it; crates and the page's modules are fetched, or taken from the caches that
# CARGO_HOME and npm_config_cache name, if they are set.
set -euo pipefail

readonly WHAT=$(realpath "$1")
readonly HOME_FOLDER=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null; rm -rf "$HOME_FOLDER"' EXIT

in_empty() {
    env --ignore-environment PATH="$PATH" HOME="$HOME_FOLDER" ${CARGO_HOME:+CARGO_HOME="$CARGO_HOME"} \
        ${RUSTUP_HOME:+RUSTUP_HOME="$RUSTUP_HOME"} ${npm_config_cache:+npm_config_cache="$npm_config_cache"} \
        ${PIP_INDEX_URL:+PIP_INDEX_URL="$PIP_INDEX_URL"} "$@"
}

told() { printf '%-28s %6.1f s\n' "$1" "$(bc <<<"$(date +%s.%N) - $begin")"; }

begin=$(date +%s.%N)
cd "$HOME_FOLDER"
if [[ -d $WHAT ]]; then
    git clone --quiet "$WHAT" clone
    (cd clone && in_empty make page >/dev/null)
    told "page is built"
    source=./clone
else
    source=$WHAT
fi
in_empty python3 -m venv environment
in_empty environment/bin/pip install --quiet --disable-pip-version-check "$source"
told "installed"
in_empty environment/bin/sakiyomi serve --listen 127.0.0.1:0 >address &
server=$!
until grep --quiet http address; do sleep 0.05; done
address=$(grep --only-matching 'http://[^ ]*' address)
curl --silent --fail "$address" | grep --quiet '<html'
told "page is answered"
curl --silent --fail "${address%/}/api/position" --header 'content-type: application/json' \
    --data '{"record": {"game": "connect-four", "seed": 1, "moves": [["d"]]}}' | grep --quiet '"moves"'
told "first move is answered"
