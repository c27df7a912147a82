#!/usr/bin/env bash
# Builds the wheel, installs it in an environment of its own, and runs all tests of the Python package: its own, the
# examples of its documentation, its types, and the checks of PettingZoo and OpenSpiel.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=
for name in python3 python3.14 python3.13 python3.12 python3.11; do
    if command -v "$name" >/dev/null && "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        python=$name
        break
    fi
done
if [[ -z $python ]]; then
    echo "SKIPPED: the Python package is not tested, since Python 3.11 or newer is missing"
    exit 0
fi

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
environment=$target/python-tests
[[ -x $environment/bin/python ]] || "$python" -m venv "$environment"
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check -r python/tests/requirements.txt

# With the features and the profile of the Rust tests, so that what they compiled is used again.
rm -rf "$target/python-wheel"
"$environment/bin/maturin" build --quiet --profile dev --features typescript --locked \
    --interpreter "$environment/bin/python" --out "$target/python-wheel"
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps \
    "$target"/python-wheel/*.whl

"$environment/bin/python" -m mypy
# From another folder, so that it is the installed package that is looked at.
(cd "$target/python-wheel" && "$environment/bin/python" -m mypy.stubtest sakiyomi._native)
"$environment/bin/python" -m pytest --quiet "$@"

# The wheel alone, as someone gets it who installs it: the first example of the README, and the page.
if [[ $# -eq 0 ]]; then
    rm -rf "$target/python-empty"
    "$python" -m venv "$target/python-empty"
    "$target/python-empty/bin/python" -m pip install --quiet --disable-pip-version-check "$target"/python-wheel/*.whl
    (cd "$target/python-empty" && bin/python "$OLDPWD/python/tests/empty_environment.py" bin/sakiyomi)
fi
