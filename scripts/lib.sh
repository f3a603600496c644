# Shell functions shared by the scripts in this folder. To be sourced, by bash.
# shellcheck shell=bash disable=SC2034

set -euo pipefail

RGU_ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$RGU_ROOT"

# Builds of the same sources in different folders (presets, pip) share what ccache has.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$RGU_ROOT} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}
# Precompiled headers are compared by what they were made from.
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros,include_file_mtime,include_file_ctime}

# What the library itself needs to be built (Debian 12 names).
CORE_PACKAGES=(g++ cmake ninja-build ccache pkg-config libeigen3-dev libfmt-dev
  nlohmann-json3-dev libtomlplusplus-dev libcli11-dev librandom123-dev libopenblas-dev
  coinor-libclp-dev)
# What the language models need beyond that.
LLM_PACKAGES=(libutf8proc-dev zlib1g-dev liblzma-dev libtorch-dev)
# What the Python module needs: to be built and imported; for its pictures, tables, types and notebook.
PYTHON_PACKAGES=(pybind11-dev python3-dev python3-numpy python3-scipy)
PYTHON_TEST_PACKAGES=(python3-pytest python3-matplotlib python3-pandas python3-torch python3-nbconvert
  python3-nbformat python3-ipykernel mypy python3-pip python3-venv python3-setuptools python3-wheel)
# What jobs of several processes need: MPI, and PETSc for models that are spread over them.
MPI_PACKAGES=(libopenmpi-dev openmpi-bin petsc-dev)
FORMAT_PACKAGES=(clang-format)
TIDY_PACKAGES=(clang-tidy)
ANALYSIS_PACKAGES=(cppcheck)
COVERAGE_PACKAGES=(lcov)
# What the preset clang needs: the core and its tests, nothing of the language models. RGU_CLANG_SUFFIX=-16 takes clang-16.
CLANG_PACKAGES=("clang${RGU_CLANG_SUFFIX:-}" libgtest-dev libgmock-dev librapidcheck-dev python3-numpy python3-scipy)
# What fuzzing needs beyond the library and the language models: clang with libFuzzer.
FUZZ_PACKAGES=(clang libclang-rt-dev libutf8proc-dev zlib1g-dev liblzma-dev)
# What scripts/arm64 needs: on this machine, and in the root of the other.
ARM64_PACKAGES=(g++-aarch64-linux-gnu qemu-user)
ARM64_ROOT_PACKAGES=(libstdc++-12-dev libeigen3-dev libfmt-dev nlohmann-json3-dev libtomlplusplus-dev libcli11-dev
  librandom123-dev libopenblas-dev coinor-libclp-dev zlib1g-dev libgtest-dev libgmock-dev librapidcheck-dev)
# What its tests, benchmarks and checks need beyond that.
TEST_PACKAGES=("${LLM_PACKAGES[@]}" "${MPI_PACKAGES[@]}" "${PYTHON_PACKAGES[@]}" "${PYTHON_TEST_PACKAGES[@]}" libadolc-dev libgtest-dev
  libgmock-dev librapidcheck-dev libbenchmark-dev python3-cvxopt sdpa chromium chromium-driver
  "${FORMAT_PACKAGES[@]}" "${TIDY_PACKAGES[@]}" git)

say() { printf '== %s\n' "$*"; }

die() {
  printf '%s: %s\n' "$(basename -- "$0")" "$*" >&2
  exit 1
}

job_count() { printf '%s' "${RGU_JOBS:-$(nproc)}"; }

is_installed() {
  [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# apt-get as root, without a question and without reading standard input.
apt_get() {
  local as_root=()
  ((EUID == 0)) || as_root=(sudo -n)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3 \
    -o DPkg::Lock::Timeout=300 "$@"
}

fetch_packages() {
  apt_get update &&
    apt_get install -y --no-install-recommends "$@"
}

# install_packages NAME...: installs those that are not there. Touches nothing when all are.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system; these packages, under its own names, are needed: $*"
    return
  fi
  local missing=() package
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  ((EUID == 0)) || command -v sudo >/dev/null ||
    die "packages are missing; as root, run: apt-get install ${missing[*]}"
  if ((EUID != 0)) && [[ -t 0 && -z ${CI:-} ]]; then
    sudo -v # asks for the password before the output goes to the log
  fi
  logged "installing ${#missing[@]} packages" build/packages.log fetch_packages "${missing[@]}" ||
    die "could not install: ${missing[*]}"
}

# progress_of LOG: how far ninja or ctest has come, "[31/70]" or "31/70", if its output says so.
progress_of() {
  tail -c 4000 "$1" 2>/dev/null | grep -oE '^\[[0-9]+/[0-9]+\]|^ *[0-9]+/[0-9]+ Test' | tail -n 1 | sed 's/ Test//; s/ //g' || true
}

# logged LABEL LOG COMMAND...: runs it with its output in LOG, behind one line of progress. If it fails, shows the end
# of the log. Returns its exit code.
logged() {
  local label=$1 log=$2 begin=$SECONDS code=0 job
  shift 2
  mkdir -p -- "$(dirname -- "$log")"
  [[ -t 1 ]] || say "$label (log: $log)"
  "$@" >"$log" 2>&1 </dev/null &
  job=$!
  trap 'kill -- "$job" 2>/dev/null; wait "$job"; exit 130' INT TERM
  while [[ -t 1 ]] && kill -0 "$job" 2>/dev/null; do
    printf '\r\033[K== %s (log: %s) %s  %d s' "$label" "$log" "$(progress_of "$log")" $((SECONDS - begin))
    sleep 1
  done
  wait "$job" || code=$?
  trap - INT TERM
  [[ -t 1 ]] && printf '\r\033[K'
  if ((code)); then
    say "$label: FAILED after $((SECONDS - begin)) s; the end of $log:"
    tail -n 60 -- "$log"
    return "$code"
  fi
  local warnings
  warnings=$(warnings_in "$log")
  say "$label: $((SECONDS - begin)) s$( ((warnings)) && printf ', %d WARNINGS' "$warnings")$([[ -t 1 ]] && printf ' (log: %s)' "$log")"
}

# warnings_in LOG: how many of the compiler's warnings it has.
warnings_in() { grep -c 'warning:' -- "$1" || true; }

# build_preset NAME: configures and builds build/NAME; the log is build/NAME/build.log.
build_preset() {
  logged "configuring preset $1" "build/$1/configure.log" cmake --preset "$1" &&
    logged "building preset $1" "build/$1/build.log" \
      cmake --build --preset "$1" --parallel "$(job_count)"
}
