#!/usr/bin/env bash
# Fuzzes readers of outside text: fuzz/run.sh SECONDS [TARGET..], all targets if none is named.
# Needs cargo-fuzz (cargo install cargo-fuzz). What it finds stands in fuzz/artifacts, inputs that
# reached new code in fuzz/found; small ones that matter are copied to fuzz/corpus by hand.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=$1
shift
targets=("$@")
if [[ ${#targets[@]} -eq 0 ]]; then
    for file in fuzz/fuzz_targets/*.rs; do targets+=("$(basename "$file" .rs)"); done
fi
# The project has no unsafe code, so that no sanitizer is needed, and the stable compiler is enough.
export RUSTC_BOOTSTRAP=1
for target in "${targets[@]}"; do
    found=fuzz/found/$target
    mkdir -p "$found"
    folders=("$found" "fuzz/corpus/$target")
    case $target in
        rule_sheet | piece_file) folders+=(games/gdl) ;;
        map) folders+=(games/tubstap) ;;
        scenario) folders+=(games/sangoku) ;;
        experiment) folders+=(experiments) ;;
        network) folders+=(tests/networks) ;;
    esac
    echo "== $target"
    cargo fuzz run --sanitizer none "$target" "${folders[@]}" -- \
        -max_total_time="$seconds" -max_len=16384 -rss_limit_mb=2048 -timeout=60 -print_final_stats=1
done
