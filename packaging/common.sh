# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts beside it: installs missing packages (Debian 12 and 13, Ubuntu 24.04), configures, builds.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

say() { printf 'denoir: %s\n' "$*"; }
die() { printf 'denoir: %s\n' "$*" >&2; exit 1; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null 2>&1; then sudo "$@"
    else die "packages are missing and there is no sudo; run as root: $*"
    fi
}

packages="g++ cmake ninja-build ccache pkg-config git ca-certificates python3 python3-numpy libdnnl-dev libavcodec-dev libavformat-dev libavutil-dev
 libswscale-dev nlohmann-json3-dev libfmt-dev libicu-dev zlib1g-dev libssl-dev libgtest-dev
 qt6-base-dev libqt6opengl6-dev qt6-multimedia-dev qt6-svg-dev qt6-tools-dev qt6-tools-dev-tools qt6-l10n-tools qt6-translations-l10n libqt6sql6-sqlite libqt6svg6
 libgl1-mesa-dev fonts-dejavu-core xvfb xauth"

# The arrows of fields are SVG pictures. On Debian 13 the plugin that reads them is a package of its own.
case $( (. /etc/os-release && printf '%s' "$ID${VERSION_ID:-}") 2>/dev/null || true) in
debian | debian13) packages="$packages qt6-svg-plugins" ;;
esac

install_packages() {
    command -v dpkg-query >/dev/null 2>&1 || die "this script knows Debian 12, 13 and Ubuntu 24.04; elsewhere install: $packages"
    local missing="" ours
    ours=$(dpkg --print-architecture) # development packages of another architecture may be installed as well
    for package in $packages; do
        dpkg-query -W -f='${Architecture} ${Status}\n' "$package" 2>/dev/null | grep -Eq "^($ours|all) .* ok installed$" ||
            missing="$missing $package"
    done
    if [ -z "$missing" ]; then say "every package is there"; return; fi
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null 2>&1 || die "packages are missing and there is no sudo; install as root:$missing"
    say "installing:$missing"
    # This may fail because of a third party's source that no longer exists: the missing packages may still be available.
    apt_get update -qq || say "apt's lists could not all be renewed; going on with those that are there"
    # shellcheck disable=SC2086
    apt_get install -y -qq --no-install-recommends $missing >/dev/null ||
        die "the packages could not be installed; repair what apt-get says above (network, disk, a system other than Debian 12, 13 and Ubuntu 24.04), then call this again"
}

apt_get() { # waits while another program installs something, which a new system does by itself
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@"
}

# Fetches headers that only the CUDA module needs; without them it is built without cuDNN.
fetch_cuda_headers() {
    command -v nvcc >/dev/null 2>&1 || [ -x /usr/local/cuda/bin/nvcc ] || return 0
    # In a subshell, because as_root ends the script if the user cannot become root.
    { python3 -m pip --version >/dev/null 2>&1 || (apt_get install -y -qq --no-install-recommends python3-pip >/dev/null); } &&
        packaging/fetch_headers || say "going on without cuDNN"
}

configure_and_build() { # PRESET [TARGET…]
    fetch_cuda_headers
    say "configuring (preset $1)"
    cmake --preset "$1" --log-level=WARNING >/dev/null
    say "building in build/$1"
    local preset=$1 log=build/$1/build.log
    shift
    mkdir -p "build/$preset"
    cmake --build --preset "$preset" ${1:+--target "$@"} >"$log" 2>&1 || {
        tail -n 40 "$log" >&2
        die "the build failed; the end of $root/$log stands above. After a repair, call this again: it goes on where it stopped"
    }
    tail -n 1 "$log"
}
