# shellcheck shell=bash
# The tests with sanitizers.

# Arguments: preset, a fault that is planted, what its sanitizer says of it.
must_report() {
  local told
  if told=$("build/$1/cpp/tests/pucker_planted" "$2" 2>&1) || [[ $told != *"$3"* ]]; then
    fail "The sanitizers of build/$1 do not report a planted fault of $2, but: $told"
  fi
}

# Python itself is built without: what it loads first must be the sanitizer's library. Arguments: preset, libraries, then
# those of pytest.
sanitized_module() {
  local module libraries=$2
  module=$(ls "build/$1/cpp/bindings/"_core*.so)
  shift 2
  PUCKER_MODULE=$module PYTHONPATH=tests LD_PRELOAD=$libraries "$VENV/bin/python" -m pytest -q -p module_of_build "$@"
}

sanitized() {
  must_report sanitize address "AddressSanitizer: heap-buffer-overflow"
  must_report sanitize undefined "signed integer overflow"
  must_report thread race "ThreadSanitizer: data race"
  ctest --preset sanitize --no-tests=error --parallel "$(nproc)" --progress "$@"
  say "The tests of the bindings"
  # That of C++ too, whose exceptions the sanitizer watches. Python's own memory is never given back whole.
  ASAN_OPTIONS=detect_leaks=0 sanitized_module sanitize \
    "$(clang++-14 -print-file-name=libclang_rt.asan-x86_64.so):$(g++ -print-file-name=libstdc++.so.6)" tests/test_bindings.py
  say "Threads"
  build/thread/cpp/tests/pucker_thread_tests
  ctest --preset thread --no-tests=error -R soak
  local threaded
  mapfile -t threaded < <(grep -l 'pytest\.mark\.threads' tests/test_*.py)
  TSAN_OPTIONS=suppressions=tests/thread_sanitizer.supp sanitized_module thread "$(g++ -print-file-name=libtsan.so)" \
    -m threads "${threaded[@]}"
}
