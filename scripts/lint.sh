# shellcheck shell=bash
# Format, names, types, shell and shaders.

readonly CPP_DIRS=(cpp/include cpp/src cpp/c cpp/wasm cpp/bindings cpp/viewer cpp/tests cpp/bench)

cpp_files() { find "${CPP_DIRS[@]}" -name '*.cpp' -o -name '*.h' | sort; }

# clang-tidy takes seconds a file; a file that passed is not looked at again until it or a header of it changes. It reads
# each source by itself, so it has a tree of its own, in which nothing is compiled.
tidy() {
  local passed=build/tidy/passed sources files key
  configure_preset tidy
  mkdir -p "$passed"
  sources=$("$VENV/bin/python" scripts/includes.py | sort -u)
  [[ -n $sources ]] || fail "build/tidy knows of no sources."
  while read -r -a files; do
    key=$(cat .clang-tidy "${files[@]}" | digest)
    [[ -e $passed/$key ]] || printf '%s %s\n' "${files[0]}" "$passed/$key"
  done <<<"$sources" | xargs -r -P "$(nproc)" -L 1 bash -c 'tidy_file "$@"' tidy
}

# Arguments: source, file that says that it passed. On its error output clang-tidy counts what it suppressed.
tidy_file() {
  clang-tidy --quiet -p build/tidy "$1" 2> >(grep -v 'warnings\? generated\.$' >&2) && touch "$2"
}
export -f tidy_file

write_stubs() {
  rm -rf "$1" &&
    "$VENV/bin/pybind11-stubgen" pucker._core --exit-code --output-dir "$1" >/dev/null &&
    "$VENV/bin/ruff" format --quiet "$1"
}

check_stubs() {
  write_stubs build/stubs || return
  if ! diff -ru python/pucker/_core build/stubs/pucker/_core; then
    echo "python/pucker/_core is out of date: ./run stubs writes it anew."
    return 1
  fi
}

check_shaders() { "$VENV/bin/python" -m pucker.render.validate; }

check_cpp_format() { cpp_files | xargs clang-format --dry-run -Werror; }

lint() {
  local failed=() check
  local checks=(
    "shellcheck --external-sources --check-sourced run .ci/run .ci/nightly"
    check_cpp_format
    "$VENV/bin/ruff check --quiet"
    "$VENV/bin/ruff format --check --quiet"
    "$VENV/bin/mypy --no-error-summary"
    check_stubs
    check_shaders
    tidy
  )
  for check in "${checks[@]}"; do
    say "$check"
    $check || failed+=("$check")
  done
  ((${#failed[@]} == 0)) || fail "Failed: $(printf '%s; ' "${failed[@]}")"
}
