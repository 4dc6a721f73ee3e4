#!/usr/bin/env bash
# Installs Debian packages that tests need: bash tests/install.sh PACKAGE..
set -euo pipefail

if ! command -v apt-get >/dev/null; then
    echo "the tests need $*: install them" >&2
    exit 1
fi
# Parts of the tests run side by side.
exec {lock}<"$0"
flock "$lock"
sudo=()
[ "$(id -u)" = 0 ] || sudo=(sudo)
"${sudo[@]}" apt-get update
"${sudo[@]}" apt-get install -y --no-install-recommends "$@"
