# shellcheck shell=bash
# What a step says while it runs.

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }
fail() { printf '%s\n' "$*" >&2 && exit 1; }

# Runs a command without what it prints, but for its progress: the lines that match a pattern, each in the place of the one
# before; where there is no terminal, every tenth. If the command fails, all it printed follows.
progressing() {
  local pattern=$1 log status=0
  shift
  log=$(mktemp)
  "$@" 2>&1 | tee "$log" | show_lines "$pattern" || status=$?
  ((status == 0)) || cat "$log" >&2
  rm "$log"
  return "$status"
}

show_lines() {
  local line count=0
  while IFS= read -r line; do
    line=${line#"${line%%[![:space:]]*}"}
    [[ $line =~ $1 ]] || continue
    if [[ -t 2 ]]; then
      printf '\r\033[K    %s' "${line:0:100}" >&2
    elif ((count++ % 10 == 0)); then
      printf '    %s\n' "${line:0:100}" >&2
    fi
  done
  [[ ! -t 2 ]] || printf '\r\033[K' >&2
}
