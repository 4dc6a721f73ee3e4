#!/usr/bin/env bash
# Builds the wheel, installs it in an environment of its own and runs its tests. Needs Python
# 3.11 or later; pip fetches the rest.
set -euo pipefail
cd "$(dirname "$0")"

venv=target/venv
if ! [ -x "$venv/bin/python" ]; then
    if ! python3 -c 'import ensurepip' 2>/dev/null; then
        bash ../tests/install.sh python3-venv # Debian has it apart
    fi
    python3 -m venv "$venv"
fi
# What is not imported needs no bytecode.
fetch() {
    "$venv/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check "$@"
}
rm -rf target/wheels
fetch -c tests/constraints.txt maturin
# What the wheel needs comes while it is built.
read -ra needed < <("$venv/bin/python" -c 'import tomllib
extras = tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]
print(*extras["ray"], *extras["test"])')
fetch -c tests/constraints.txt "${needed[@]}" &
"$venv/bin/maturin" build --locked --out target/wheels
wait $!
wheel=$(echo target/wheels/*.whl)
fetch --force-reinstall --no-deps "$wheel"
fetch -c tests/constraints.txt "$wheel[ray,test]"
"$venv/bin/ruff" format --check .
"$venv/bin/ruff" check .
MYPYPATH=tests "$venv/bin/mypy" --strict -p swaplist -m typed
# The package that is tested is the installed one, not the folder here. Tests wait as long as they
# compute, most of all for processes of Ray, which are those of one worker.
(cd tests && ../"$venv/bin/python" -m pytest -n 2 --dist loadgroup -q -rs -c ../pyproject.toml --rootdir=. . "$@")
