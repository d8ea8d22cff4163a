# shellcheck shell=bash
# Wheels with all they need inside, and the extension for Blender that is made of them.

readonly SOURCE_PACKAGES=(dpkg-dev git libutfcpp-dev libminizip-dev libdraco-dev zlib1g-dev)
readonly SOURCES=build/sources

# The sources of what a wheel has inside, from where this Debian's packages come. Lists and configuration of apt stay as they
# are. Elsewhere CMake fetches the sources, or says what it misses.
need_sources() {
  if [[ -e $SOURCES/.complete ]] || ! command -v apt-get >/dev/null; then return; fi
  say "Fetching the sources of assimp, libzip and maxflow"
  local file here=$ROOT/$SOURCES/apt
  rm -rf "$SOURCES"
  mkdir -p "$here"/{parts,lists/partial,cache/archives/partial}
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    [[ -f $file ]] || continue
    sed -E 's/^Types:.*/Types: deb-src/; s/^deb /deb-src /' "$file" >"$here/parts/${file##*/}"
  done
  local apt=(apt-get -qq -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$here/parts" -o "Dir::State::Lists=$here/lists"
    -o "Dir::Cache=$here/cache" -o APT::Sandbox::User=root)
  (
    cd "$SOURCES"
    "${apt[@]}" update
    "${apt[@]}" source assimp libzip
    "${apt[@]}" source --tar-only maxflow
    tar xf maxflow_*.orig.tar.*
    for file in assimp libzip maxflow; do mv "$file"-[0-9]*/ "$file"; done
  ) >/dev/null
  touch "$SOURCES/.complete"
}

need_wheel_tools() {
  # shellcheck disable=SC2046  # a list of names
  need_packages $(python_packages) "${BUILD_PACKAGES[@]}" "${SOURCE_PACKAGES[@]}"
  need_venv
  need_requirements wheel
  need_sources
}

# Builds in a tree of its own, so that a second wheel takes seconds; that for another Python compiles only the bindings anew.
wheel() {
  local name options=(-C build-dir=build/wheel -C cmake.define.PUCKER_STATIC_DEPS=ON)
  for name in assimp libzip maxflow; do
    [[ ! -d $SOURCES/$name ]] || options+=(-C "cmake.define.FETCHCONTENT_SOURCE_DIR_${name^^}=$ROOT/$SOURCES/$name")
  done
  rm -rf build/wheel/dist
  say "Building the wheel, which takes ten minutes the first time"
  progressing '^\[[0-9]+/[0-9]+\] ' "$VENV/bin/python" -m pip wheel --disable-pip-version-check --verbose --no-build-isolation \
    --no-deps --wheel-dir build/wheel/dist "${options[@]}" .
  PATH=$ROOT/$VENV/bin:$PATH "$VENV/bin/auditwheel" repair --zip-compression-level 9 --wheel-dir dist build/wheel/dist/pucker-*.whl
}

# Arguments: Pythons. Each has an environment in build/environments, named by its tag, for building and for the tests.
wheels() {
  local python tag
  for python; do
    tag=$("$python" -c 'import sys; print("cp{}{}".format(*sys.version_info))') || fail "No Python: $python"
    PUCKER_VENV=build/environments/$tag PYTHON=$python ./run wheel
  done
}

# A zip that Blender installs for every Python that has a wheel of this version in dist/; the one of .venv is made anew.
extension() {
  wheel
  local version wheels
  version=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
  mapfile -t wheels < <(ls dist/pucker-"$version"-*.whl)
  "$VENV/bin/python" blender/build.py "${wheels[@]}" dist
}
