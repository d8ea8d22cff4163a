# shellcheck shell=bash
# What a command needs: packages of the system, a Python environment, what is compiled. Each `need_…` does nothing where it
# has been done.

# Wheels for several Pythons take an environment each, below the root as this one.
readonly VENV=${PUCKER_VENV:-.venv}
readonly BUILD=build/python

readonly BUILD_PACKAGES=(g++ cmake ninja-build pkg-config libeigen3-dev libmaxflow-dev libassimp-dev libzip-dev
  nlohmann-json3-dev)
readonly RENDER_PACKAGES=(libegl1 libegl-mesa0 libgl1-mesa-dri libgl1 libgles2)
readonly VIEWER_PACKAGES=(libglfw3-dev libepoxy-dev libimgui-dev libstb-dev libcli11-dev)
readonly TEST_PACKAGES=(libgtest-dev libgmock-dev glslang-tools xvfb xdotool chromium fonts-dejavu-core mono-mcs
  mono-runtime godot3-server)
readonly BENCH_PACKAGES=(valgrind)
readonly SANITIZE_PACKAGES=(clang-14 libclang-rt-14-dev)
readonly LINT_PACKAGES=(clang-format clang-tidy shellcheck)

# --- system packages ---------------------------------------------------------------------------------------------

base_python() { command -v "${PYTHON:-python3}" || true; }

# A Python from elsewhere brings its own headers and venv module; Debian's keeps them in packages of their own.
python_packages() {
  case "$(base_python)" in
    "" | /usr/bin/* | /bin/*) echo python3-venv python3-dev ;;
  esac
}

need_packages() {
  command -v dpkg-query >/dev/null || return 0
  local installed package missing=()
  # dpkg-query fails when it knows a package not at all, which is one of the answers asked for.
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  for package; do
    grep -qxF "installed $package" <<<"$installed" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  local install=(apt-get install -y --no-install-recommends "${missing[@]}")
  if ((EUID == 0)); then
    local as_root=(env DEBIAN_FRONTEND=noninteractive)
  elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; then
    local as_root=(sudo env DEBIAN_FRONTEND=noninteractive)
  else
    fail "System packages are missing. As root, run: apt-get update && ${install[*]}"
  fi
  say "Installing ${missing[*]}, which takes a minute"
  { "${as_root[@]}" apt-get update -qq && "${as_root[@]}" "${install[@]}" -qq; } >/dev/null
}

# --- Python environment ------------------------------------------------------------------------------------------

# A stamp says with which key a step was last completed.
stamped() { [[ -f $VENV/.stamp-$1 && $(<"$VENV/.stamp-$1") == "$2" ]]; }
stamp() { printf '%s\n' "$2" >"$VENV/.stamp-$1"; }
digest() { sha256sum | cut -d ' ' -f 1; }

need_venv() {
  # The marker lies there while packages are being installed: an environment that still has it was left half made.
  if [[ ! -e $VENV/.incomplete ]] &&
    "$VENV/bin/python" -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    return
  fi
  local python
  python=$(base_python)
  "${python:-false}" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "Python 3.11 or later is needed; PYTHON=/path/to/python3 ./run … names one."
  say "Making $VENV"
  "$python" -m venv --clear "$VENV"
}

pip_install() { "$VENV/bin/python" -m pip install --disable-pip-version-check "$@"; }

need_requirements() {
  local key list=()
  key=$(digest <pyproject.toml)
  if stamped "requirements-$1" "$key"; then return; fi
  mapfile -t list < <("$VENV/bin/python" scripts/requirements.py "$1")
  say "Installing Python packages ($1), which takes minutes the first time"
  touch "$VENV/.incomplete"
  progressing '^(Collecting|Downloading|Installing) ' pip_install "${list[@]}"
  rm "$VENV/.incomplete"
  stamp "requirements-$1" "$key"
}

# --- build -------------------------------------------------------------------------------------------------------

site_packages() { "$VENV/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))'; }

# The package is installed so that its Python files are read from the source tree; only packages, not single
# modules, are listed in what gets installed.
need_editable() {
  local key site
  key=$({ cat pyproject.toml && find python -name __init__.py | sort; } | digest)
  if stamped editable "$key" && [[ -f $BUILD/build.ninja ]]; then return; fi
  say "Building the package, which takes minutes the first time"
  site=$(site_packages)
  # An interrupted installation leaves files that pip does not know how to replace.
  rm -rf "$site"/pucker "$site"/pucker-*.dist-info "$site"/_pucker_editable* "$VENV"/.stamp-build-*
  progressing '^\[[0-9]+/[0-9]+\] ' pip_install --verbose --no-build-isolation --no-deps -e .
  stamp editable "$key"
}

# Arguments: targets. Takes notice of changed, added and deleted files.
need_targets() {
  local key name="$*"
  name=${name// /-}
  key=$(find CMakeLists.txt cmake cpp shaders -type f -printf '%p %s %T@\n' | sort | digest)
  if stamped "build-$name" "$key"; then return; fi
  say "Building $*"
  cmake --build "$BUILD" --target "$@" >&2
  cmake --install "$BUILD" --component python --prefix "$(site_packages)" >/dev/null
  stamp "build-$name" "$key"
}

need_option() {
  grep -qx "$1:BOOL=ON" "$BUILD/CMakeCache.txt" || cmake -S . -B "$BUILD" "-D$1=ON" >/dev/null
}

# Arguments: extra of the Python package, then system packages beyond those of the build.
need_environment() {
  local extra=$1
  shift
  # shellcheck disable=SC2046  # a list of names
  need_packages $(python_packages) "${BUILD_PACKAGES[@]}" "$@"
  need_venv
  need_requirements "$extra"
}

need_package() {
  need_environment render "${RENDER_PACKAGES[@]}"
  need_editable
  need_targets _core
}

need_viewer() {
  need_environment render "${RENDER_PACKAGES[@]}" "${VIEWER_PACKAGES[@]}"
  need_editable
  need_option PUCKER_VIEWER
  need_targets _core pucker-view
}

# The C interface as WebAssembly, where live pages find it.
need_wasm() {
  local key module=build/wasm/cpp/wasm/pucker.wasm
  need_packages cmake ninja-build libeigen3-dev libmaxflow-dev nlohmann-json3-dev emscripten
  key=$(find CMakeLists.txt CMakePresets.json cmake cpp/c cpp/include cpp/src cpp/wasm -type f -printf '%p %s %T@\n' | sort | digest)
  if [[ -f build/wasm/.stamp && $(<build/wasm/.stamp) == "$key" ]] && cmp -s "$module" python/pucker/page/pucker.wasm; then return; fi
  say "Building WebAssembly, which takes minutes the first time"
  cmake --preset wasm >/dev/null
  cmake --build --preset wasm >&2
  cp "$module" python/pucker/page/pucker.wasm
  printf '%s\n' "$key" >build/wasm/.stamp
}

# three.js with its glTF loader, of the one package that brings both, without what that package needs itself.
need_three() {
  [[ ! -e build/three/.complete ]] || return 0
  say "Installing three.js, 13 MB"
  rm -rf build/three
  pip_install --quiet --no-deps --target build/three 'nicegui==2.24.2'
  touch build/three/.complete
}

need_tests() {
  need_environment test "${RENDER_PACKAGES[@]}" "${VIEWER_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
  need_editable
  need_option PUCKER_VIEWER
  need_option PUCKER_TESTS
  need_option PUCKER_BENCH
  need_targets _core pucker-view pucker_tests pucker_soak pucker_bench pucker_c pucker_c_static
  need_three
}

configure_preset() {
  cmake --preset "$1" "-Dpybind11_DIR=$("$VENV/bin/python" -m pybind11 --cmakedir)" \
    "-DPython_EXECUTABLE=$ROOT/$VENV/bin/python" >/dev/null
}
# Arguments: preset, then targets.
need_preset() {
  local preset=$1
  shift
  need_environment test "${RENDER_PACKAGES[@]}" "${TEST_PACKAGES[@]}" "${SANITIZE_PACKAGES[@]}"
  configure_preset "$preset"
  say "Building $preset, which takes minutes the first time"
  cmake --build --preset "$preset" --target "$@" >&2
}

need_soak() {
  need_environment render "${RENDER_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
  need_editable
  need_option PUCKER_TESTS
  need_targets pucker_soak
}

# Without what the module asks for: it wants an older NumPy, which what runs in it does not use. Argument: a release other
# than that of the extra, which goes into a folder of its own.
need_blender() {
  if (($#)); then
    [[ ! -e build/blender/$1/.complete ]] || return 0
    say "Installing Blender's module $1, 350 MB"
    rm -rf "build/blender/$1"
    pip_install --quiet --no-deps --target "build/blender/$1" "bpy==$1"
    touch "build/blender/$1/.complete"
    return
  fi
  "$VENV/bin/python" -c 'import importlib.util as u, sys; sys.exit(u.find_spec("bpy") is None)' && return
  say "Installing Blender's module, 360 MB"
  pip_install --quiet --no-deps 'bpy==5.0.1'
}

need_everything() {
  need_environment dev "${RENDER_PACKAGES[@]}" "${VIEWER_PACKAGES[@]}" "${TEST_PACKAGES[@]}" "${BENCH_PACKAGES[@]}" \
    "${LINT_PACKAGES[@]}"
  need_editable
  need_option PUCKER_VIEWER
  need_option PUCKER_TESTS
  need_option PUCKER_BENCH
  need_targets _core pucker-view pucker_tests pucker_soak pucker_bench
}

# Runs a set-up step while no other ./run of this checkout sets anything up.
set_up() {
  mkdir -p build
  {
    flock 9
    "$@" 9>&-
  } 9>build/.lock
}
