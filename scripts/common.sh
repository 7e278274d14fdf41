# shellcheck shell=bash
# What scripts/demo and scripts/test share; sourced by them. Changes to the top folder of the project.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# step WHAT COMMAND...: says what it does and how long it took; shows the command's output only if it fails.
step() {
  local what=$1 log started=$SECONDS
  shift
  log=$(mktemp)
  printf '%s ... ' "$what" >&2
  if "$@" >"$log" 2>&1 </dev/null; then
    printf '%d s\n' $((SECONDS - started)) >&2
    rm -f "$log"
  else
    local status=$?
    printf 'failed\n' >&2
    tail -n 100 "$log" >&2
    printf 'The whole output is in %s\n' "$log" >&2
    return "$status"
  fi
}

# build PRESET: configures and builds one preset of CMakePresets.json.
build() {
  step "Configuring ($1)" cmake --preset "$1"
  step "Building ($1)" cmake --build --preset "$1"
}
